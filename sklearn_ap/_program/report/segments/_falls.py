"""What is said of a segment whose score is lower: that it falls there, since when, or how fast."""

from sklearn_ap._program.report.page.words import as_printed, number, row_score
from sklearn_ap._program.report.segments.columns import Column


def fall_in_words(column: Column, score: str, segment: str, place: str, mean: str = "") -> str:
    """Write "falls to 0.1 in 2026-09, the latest month", or since when or how fast it falls.

    ``mean`` is the score in the other segments, from which it falls. An earlier segment is no fall,
    as the score has risen again.
    """
    if column.leads_trend:
        size = column.change.as_text().value.removeprefix("-")
        return f"falls by {size} a {column.unit}, {_trend_ends(column, score)} in {place}"
    if segment not in column.fallen_times:
        return f"scores only {score} in {place}"
    if segment == column.names[-1] != column.start_of_fall:
        return f"{first_fall(column, mean)} and scores {score} in {place}"
    start = f" from {mean}" if mean else ""
    return f"falls{start} to {score} in {place}"


def first_fall(column: Column, mean: str = "") -> str:
    """Write "falls from 0.58 to 0.06 in 2026-08", of the first segment of a fall."""
    first = next(row for row in column.rows if str(row["segment"]) == column.start_of_fall)
    start = f" from {mean}" if mean else ""
    return f"falls{start} to {as_printed(row_score(first)).value} in {column.start_of_fall}"


def _trend_ends(column: Column, score: str) -> str:
    """Write "from about 0.47 to 0.16", of the line, or the score that it has come to."""
    line = column.comparison.trend_line
    if line is None:
        return f"to {score}"
    return f"from about {number(line[0, 0])} to {number(line[0, -1])}"
