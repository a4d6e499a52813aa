"""Whether times fall inside a segment, such as a country, though they do not over all rows."""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import as_printed, number, row_score
from sklearn_ap._program.report.segments._outliers import compare_since, length_of_step
from sklearn_ap._program.report.segments.columns import CLEAR_PVALUE, Column
from sklearn_ap._program.report.segments.comparisons import (
    compare_kept_rows,
    omitted_options,
    segment_names,
)
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._questions.segments.comparison import SegmentComparison
from sklearn_ap._questions.verdicts import WORSE

MOST_SEGMENTS = 20  # of a column inside of which times are compared: a choice


class FallWithin(NamedTuple):
    """A segment, such as a country, inside which a model has fallen, and since when."""

    found: WorstSegment
    model: str
    start: str
    score: str  # in the first of the times, or in all of them together
    mean_before: str = ""  # of all times before that, if those since are told together
    last: str = ""  # the score in the latest of several times, with its name
    prevalence: str = ""  # that of the scores, if other parts have another one

    @property
    def fall(self) -> str:
        """Write "falls to 0.30 in 2026-03", or "falls from 0.87 to 0.20 since 2026-03-09"."""
        return self._fall("")

    @property
    def fall_there(self) -> str:
        """Write "falls to 0.30 in site Gdansk in 2026-03"."""
        return self._fall(f" in {self.found.short_place}")

    def _fall(self, where: str) -> str:
        where = f" at prevalence {self.prevalence}{where}" if self.prevalence else where
        if self.mean_before:
            return f"falls from {self.mean_before} to {self.score}{where} since {self.start}"
        last = f" and scores {self.last}" if self.last else ""
        return f"falls to {self.score}{where} in {self.start}{last}"

    @property
    def doubt(self) -> str:
        place = f"Within {self.found.short_place}"
        return f"{place}, {self.model} {self.fall}: look first at what changed there."


def falls_within(data: Predictions, columns: Sequence[Column]) -> dict[str, FallWithin]:
    """Find a segment of each column in which the score has fallen.

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
    falls: dict[str, FallWithin] = {}
    for found, column in pairs:
        if fall := _fall_within(data, found, column, len(pairs)):
            falls.setdefault(found.column.name, fall)
    return falls


def _fall_within(
    data: Predictions, found: WorstSegment, times: Column, n_pairs: int
) -> FallWithin | None:
    inside = found.mark_rows(data)
    kept = [name for name in times.names if has_both(data, times, name, inside)]
    if len(kept) < 2 or kept[-1] != times.names[-1]:
        return None
    try:
        comparison = compare_kept_rows(data, times.model, times.name, inside)
    except ValueError:  # such as segments that lie in one cluster each
        return None
    rows = comparison.rows()
    worse = {
        str(row["segment"])
        for row in rows
        if row["verdict"] == WORSE and row["adjusted_pvalue"] < CLEAR_PVALUE / n_pairs
    }
    names = segment_names(comparison)
    fallen = [*takewhile(worse.__contains__, reversed(names))][::-1]
    if not fallen:
        return _step_within(data, found, times, comparison, n_pairs)
    scores = {str(row["segment"]): as_printed(row_score(row)).value for row in rows}
    first = fallen[0]
    last = f"{scores[fallen[-1]]} in {fallen[-1]}" if fallen[1:] else ""
    own = _own_prevalence(data, times)
    return FallWithin(found, times.model, first, scores[first], last=last, prevalence=own)


def _step_within(
    data: Predictions,
    found: WorstSegment,
    times: Column,
    comparison: SegmentComparison,
    n_pairs: int,
) -> FallWithin | None:
    """Test the last times of a segment together, as single ones have few positives there."""
    n_last = length_of_step(comparison)
    names = segment_names(comparison)
    last = names[len(names) - n_last :]
    if n_last < 2:
        return None
    n_tests = (len(names) - 1) * n_pairs
    inside = found.mark_rows(data)
    step = compare_since(data, times.model, times.name, last, inside, n_tests)
    is_shown = step is not None and step.pvalue < CLEAR_PVALUE and step.change.value < 0
    if step is None or not is_shown:
        return None
    is_over = comparison.estimates[-1] > (step.before + step.since) / 2  # a latest good one
    if is_over:
        return None
    scores = number(step.since), number(step.before)
    return FallWithin(found, times.model, last[0], *scores, prevalence=_own_prevalence(data, times))


def _own_prevalence(data: Predictions, times: Column) -> str:
    """Print the prevalence of the scores if it is not that of the user; empty otherwise."""
    return number(data.own_prevalence) if omitted_options(data, times.name) else ""


def has_both(data: Predictions, times: Column, name: str, kept: Bool) -> bool:
    """Check whether a time keeps positives and negatives, without which it has no score."""
    rows = times.mark_rows(data, name) & kept & (data.weight > 0)
    return bool(np.any(rows & data.y_true) and np.any(rows & ~data.y_true))
