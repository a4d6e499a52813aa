"""Whether a threshold fails in a segment: much less recall or precision there than elsewhere."""

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.advice._missed_goals import (
    FEWEST_SELECTED,
    pvalue_of_goal,
    select_rows,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.data.shares import average, is_rarer
from sklearn_ap._program.report.page.page import Cutoff
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._program.report.thresholds.picture import Failure

RECENT = 3  # a third of the times of a trend are told together
FAILED_SHARE = 0.5  # of the recall or precision in all rows; a threshold that has less may fail


def fails(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> bool:
    """Check whether a threshold has much less recall or precision in a segment than in all rows.

    Of a fall, in the segment alone or in all times of it, as a single one may have few positives.
    """
    single_or_all = judged_rows(data, found), rows_of(data, found)
    return any(any(_failed_shares(data, cutoff, rows)) for rows in single_or_all)


def _failed_shares(data: Predictions, cutoff: Cutoff, rows: Bool) -> tuple[bool, bool]:
    """Check whether precision and recall of some rows are much less than those of all."""
    selected = select_rows(data, cutoff)
    precision, recall = _shares(data, selected, rows)
    all_precision, all_recall = _shares(data, selected, np.ones_like(rows))
    has_precision = bool(np.count_nonzero(selected & rows) >= FEWEST_SELECTED)
    return (
        has_precision
        and precision < FAILED_SHARE * all_precision
        and is_rarer(data, data.y_true, selected, rows),
        recall < FAILED_SHARE * all_recall and is_rarer(data, selected, data.y_true, rows),
    )


def _shares(data: Predictions, selected: Bool, rows: Bool) -> tuple[float, float]:
    """Return the precision (nan if nothing is selected) and the recall of some rows."""
    precision = average(data.y_true, data.weight, selected & rows)
    return precision, average(selected, data.weight, data.y_true & rows)


def failure_in(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> Failure:
    """Return the shares that are lower in a segment in which the threshold fails; nan otherwise.

    Or in all times of a fall, or in the last ones of a trend. A precision of few rows is left out.
    """
    rows = rows_of(data, found)
    selected = select_rows(data, cutoff)
    precision, recall = _shares(data, selected, rows)
    all_precision, all_recall = _shares(data, selected, np.ones_like(rows))
    misses_goal = pvalue_of_goal(data, cutoff, rows) < 1 - data.level
    is_failing = misses_goal or any(_failed_shares(data, cutoff, rows))
    is_enough = np.count_nonzero(selected & rows) >= FEWEST_SELECTED
    return Failure(
        when(found),
        precision if is_failing and is_enough and precision < all_precision else np.nan,
        recall if is_failing and recall < all_recall else np.nan,
    )


def judged_rows(data: Predictions, found: WorstSegment) -> Bool:
    """Mark the rows by which a threshold is judged: of a fall, those of a single time."""
    return rows_of(data, found) if recent_times(found) else found.mark_rows(data)


def rows_of(data: Predictions, found: WorstSegment) -> Bool:
    """Mark the rows of a segment, of all times of a fall, or of the last times of a trend."""
    if recent := recent_times(found):
        return found.column.mark_rows(data, *recent)
    return found.mark_fall(data)


def recent_times(found: WorstSegment) -> list[str]:
    """Return the last third of the times of a trend, as a single one has few selected rows."""
    names = found.column.names
    is_told = found.is_latest and found.column.leads_trend
    return names[-max(1, len(names) // RECENT) :] if is_told else []


def when(found: WorstSegment) -> str:
    """Write "in country IT", or "from 2026-08 on" of the times of a fall or the last of a trend."""
    times = found.times_of_fall or recent_times(found)
    return f"from {times[0]} on" if times else f"in {found.short_place}"
