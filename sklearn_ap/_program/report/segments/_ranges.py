"""The sentence about the lowest, the highest and the latest score of segments."""

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import as_printed, describe, row_score
from sklearn_ap._program.report.segments.columns import Column, few_positives, some_names
from sklearn_ap._program.report.segments.comparisons import has_enough_positives


class Subject(NamedTuple):
    """What scores: a model, or segments that a plural names."""

    words: str
    is_model: bool = False


def range_in_words(data: Predictions, found: Column, subject: Subject | None = None) -> str:
    """Name the segments with the lowest and the highest score, and the latest one."""
    rows = found.rows
    subject = subject or Subject(f"The {found.plural}")
    if found.is_compared and not found.is_time:
        is_known = has_enough_positives(found.comparison) | found.marked
        known = [row for row, known in zip(rows, is_known, strict=True) if known]
        others = [name for name, known in zip(found.names, is_known, strict=True) if not known]
        have = "has" if len(others) == 1 else "have"
        few = f"{have} too few {found.counted} to judge"
        unknown = f"; {some_names(others)} {few}" if others else ""
        return f"{_range_of(data, found, known, subject)}{unknown}."
    if not found.latest_is_short:
        return f"{_range_of(data, found, rows, subject)}."
    earlier = _range_of(data, found, rows[:-1], subject, has_latest=False)
    few = latest_few(found)
    return f"{earlier}; {few[0].lower()}{few[1:]}."


def latest_few(found: Column) -> str:
    """Say that the latest segment has too few positives."""
    return f"The latest, {found.names[-1]}, {few_positives(found)}, so its score cannot be judged"


def _range_of(
    data: Predictions, found: Column, rows: Sequence[Row], subject: Subject, has_latest: bool = True
) -> str:
    """Name the lowest and the highest of some rows, and the last one if it is the latest."""
    lowest = min(rows, key=row_score)
    latest = rows[-1] if found.is_time and has_latest else None
    if len(rows) == 1:
        return f"{lowest['segment']} scores {score_with_limits(data, lowest)}"
    highest = max(rows, key=row_score)
    low = as_printed(row_score(lowest))
    high = as_printed(row_score(highest)).value
    if low.value == high and subject.is_model:
        return f"{subject.words} scores {high} in {'both' if len(rows) == 2 else 'all of them'}"
    if low.value == high:
        return f"Both score {high}" if len(rows) == 2 else f"{subject.words} all score {high}"
    if latest is lowest:
        others = [row_score(row) for row in rows[:-1]]
        ends = dict.fromkeys([as_printed(min(others)).value, as_printed(max(others)).value])
        score = score_with_limits(data, lowest)
        earlier = f"earlier {found.plural} score {' to '.join(ends)}"
        if subject.is_model:
            lowest_of = f"{subject.words} scores lowest in the latest {found.noun}"
            return f"{lowest_of}, {lowest['segment']}: {score}; {earlier}"
        return f"The latest, {lowest['segment']}, is the lowest: {score}; {earlier}"
    scores = "scores" if subject.is_model else "score"
    text = f"{subject.words} {scores} from {low.value} in {lowest['segment']}"
    top = f"{high} in {highest['segment']}"
    if latest is None:  # the two ends alone are told
        return f"{text}{_limits(lowest, data.interval_kind)} to {top}{_limits(highest)}"
    if latest is highest:
        return f"{text} to {score_with_limits(data, latest)} in {latest['segment']}, the latest"
    return f"{text} to {top}; the latest, {latest['segment']}, {score_with_limits(data, latest)}"


def _limits(row: Row, kind: str = "") -> str:
    """Write " (95% interval 0.03 to 0.19)"; empty without an interval."""
    score = row_score(row)
    if isnan(score.low):
        return ""
    interval = " ".join(filter(None, [kind, as_printed(score).low, "to", as_printed(score).high]))
    return f" ({interval})"


def score_with_limits(data: Predictions, row: Row) -> str:
    """Write "0.10 (95% interval 0.03 to 0.19)"."""
    return describe(row_score(row), data.interval_kind)
