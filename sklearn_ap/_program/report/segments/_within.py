"""Whether times fall inside a segment, such as a country, though they do not over all rows."""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import row_score
from sklearn_ap._program.report.segments.columns import CLEAR_PVALUE, Column
from sklearn_ap._program.report.segments.comparisons import compare_kept_rows, segment_names
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._questions.verdicts import WORSE, printed

MOST_SEGMENTS = 20  # of a column inside of which times are compared: a choice


def falls_within(data: Predictions, columns: Sequence[Column]) -> dict[str, str]:
    """Say of a segment, by its column, since when its score has been lower.

    Columns are compared one at a time, so a fall in one country alone is diluted. P-values are
    adjusted for the times, and for the pairs of a segment and a column of times.
    """
    times = [column for column in columns if column.is_time and not column.fallen_times]
    places = [
        WorstSegment(column, row)
        for column in columns
        if not column.is_time and len(column.rows) <= MOST_SEGMENTS
        for row in column.rows
    ]
    pairs = [(found, column) for found in places for column in times]
    level = CLEAR_PVALUE / max(1, len(pairs))
    texts: dict[str, str] = {}
    for found, column in pairs:
        if text := _fall_in_words(data, found, column, level):
            texts.setdefault(found.column.name, text)
    return texts


def _fall_in_words(data: Predictions, found: WorstSegment, times: Column, level: float) -> str:
    inside = found.mark_rows(data)
    kept = [name for name in times.names if has_both(data, times, name, inside)]
    if len(kept) < 2 or kept[-1] != times.names[-1]:
        return ""
    try:
        comparison = compare_kept_rows(data, times.model, times.name, inside)
    except ValueError:  # such as segments that lie in one cluster each
        return ""
    rows = comparison.rows()
    worse = {
        str(row["segment"])
        for row in rows
        if row["verdict"] == WORSE and row["adjusted_pvalue"] < level
    }
    names = segment_names(comparison)
    fallen = [*takewhile(worse.__contains__, reversed(names))][::-1]
    if not fallen:
        return ""
    scores = {str(row["segment"]): printed(row_score(row)).value for row in rows}
    last = f" and scores {scores[fallen[-1]]} in {fallen[-1]}" if fallen[1:] else ""
    fall = f"falls to {scores[fallen[0]]} in {fallen[0]}{last}"
    return f"Within {found.short_place}, {times.model} {fall}: look first at what changed there."


def has_both(data: Predictions, times: Column, name: str, kept: Bool) -> bool:
    """Check whether a time keeps positives and negatives, without which it has no score."""
    rows = times.mark_rows(data, name) & kept & (data.weight > 0)
    return bool(np.any(rows & data.y_true) and np.any(rows & ~data.y_true))
