"""Comparisons of the segments of a column, without those that differ by most."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from sklearn_ap._base.common.types import Array, Bool, Keywords
from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import row_difference
from sklearn_ap._program.report.segments.comparisons import (
    AGAINST_OTHERS,
    compare_by_column,
    decision_on_trend,
    segment_names,
    segment_row,
)
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.segments.names import Segments
from sklearn_ap._questions.verdicts import BETTER, UNDECIDED, WORSE, Estimate

FEWEST_BEFORE = 2  # times before a long step
MOST_OUTLIERS = 4  # of a column, and never more than half of its segments: a choice
CLEAR_STEP = 4.0  # of the sum of squared errors that a step has less than a line: a choice
CLEAR_STEP_PVALUE = 0.01  # of a fall whose times are tested together, adjusted: a choice
ODD_PVALUE = 0.001  # that the times before it, or those since, are alike: a choice


class Outlier(NamedTuple):
    """A segment that differs from the others, without the other outliers."""

    row: Row
    left_out: tuple[str, ...]  # the other outliers
    n_tests: int  # for which Holm's rule adjusts its p-value, over all columns

    @property
    def name(self) -> str:
        return str(self.row["segment"])


class Step(NamedTuple):
    """How much less a model scores in the last times together than before."""

    change: Estimate  # with an adjusted interval
    pvalue: float  # adjusted for the times at which it could begin, and for the columns
    before: float
    since: float


class Outliers(NamedTuple):
    """The outliers of a column, the comparison of the others, and whether these have a trend."""

    found: tuple[Outlier, ...] = ()
    rest: SegmentComparison | None = None  # None if there is nothing to compare without them
    is_trend: bool = False
    step: Step | None = None  # if the outliers are the times of a fall that are told together


def find_outliers(data: Predictions, model: str, column: str, is_time: bool) -> Outliers:
    """Find the segment that differs by most, then that without it, and so on.

    A segment that differs by much also moves the mean of the others that each segment is compared
    with. So each outlier has the numbers against those that are none, if it differs from these. The
    search ends where a trend over times explains the next segment.
    """
    comparison = compare_by_column(data, model, column)
    if is_time and (step := _last_step(data, model, column, comparison)):
        return step
    most = _most_outliers(comparison)
    names: list[str] = []
    is_trend = False
    while len(names) < most:
        row = find_outlier(comparison, is_time)
        if row is None:
            break
        if len(comparison.rankings) == 2:
            # Both segments have the same test.
            return Outliers((Outlier(row, left_out=(), n_tests=len(data.segments)),))
        name = str(row["segment"])
        rest = compare_by_column(data, model, column, (*names, name))
        is_trend = is_time and _is_on_trend(data.segments[column], comparison, rest, row)
        if is_trend:
            break
        names.append(name)
        comparison = rest
    found = _against_the_rest(data, model, column, names)
    if len(found) < len(names):
        comparison = compare_by_column(data, model, column, tuple(each.name for each in found))
    is_trend = is_trend or (is_time and decision_on_trend(comparison) != UNDECIDED)
    return Outliers(found, comparison, is_trend)


def _most_outliers(comparison: SegmentComparison) -> int:
    return min(MOST_OUTLIERS, len(comparison.rankings) // 2)


def _last_step(
    data: Predictions, model: str, column: str, comparison: SegmentComparison
) -> Outliers | None:
    """Find the last times if they stand below those before, and a line would fit clearly worse.

    Those before must have no trend, and none of them may be as odd. Few times must all be outliers.
    Otherwise, and where more times are low than before, they are tested together, as single ones
    may have few positives, and the times before would be taken for outliers.
    """
    n_last = length_of_step(comparison)
    if not n_last:
        return None
    names = segment_names(comparison)[len(comparison.rankings) - n_last :]
    found = _against_the_rest(data, model, column, names)
    is_few = n_last <= _most_outliers(comparison)
    if is_few and len(found) == n_last:
        has_trend = decision_on_trend(comparison) != UNDECIDED
        rest = compare_by_column(data, model, column, tuple(names))
        is_step = has_trend and decision_on_trend(rest) == UNDECIDED
        return Outliers(found, rest) if is_step else None
    step = _step_since(data, model, column, names) if n_last > 1 else None
    if step is None or not (step.pvalue < CLEAR_STEP_PVALUE and step.change.value < 0):
        return None
    rest = compare_by_column(data, model, column, tuple(names))
    if rest.homogeneity_pvalue < ODD_PVALUE or decision_on_trend(rest) != UNDECIDED:
        return None
    before = tuple(name for name in segment_names(comparison) if name not in names)
    since = compare_by_column(data, model, column, before)
    if since.homogeneity_pvalue < ODD_PVALUE:  # one of them is the odd one
        return None
    rows = [_test_outlier(data, model, column, name, names) for name in names]
    worse = tuple(each._replace(row=each.row | {"verdict": WORSE}) for each in rows)
    return Outliers(worse, rest, step=step)


def _step_since(data: Predictions, model: str, column: str, names: Sequence[str]) -> Step | None:
    """Compare the last times together with those before, over all rows."""
    everything = compare_by_column(data, model, column)
    n_tests = (len(everything.rankings) - 1) * len(data.segments)
    all_rows = np.ones(data.n_rows, dtype=bool)
    compare = partial(compare_since, data, model, column, names, all_rows, n_tests)
    return data.compute_once((_step_since, model, column, tuple(names)), compare)


def compare_since(
    data: Predictions, model: str, column: str, names: Sequence[str], kept: Bool, n_tests: int
) -> Step | None:
    """Compare the last times together with those before, at the prevalence of all rows.

    The interval and the p-value are Bonferroni's. It is None for times that lie in one cluster.
    """
    segments = data.segments[column]
    codes = [code for code, name in enumerate(segments.names) if str(name) in names]
    times = np.where(np.isin(segments.codes, codes), "since", "before")
    with warnings.catch_warnings():  # the warnings are those of single times
        warnings.simplefilter("ignore", UserWarning)
        try:
            comparison = compare_segments(
                data.y_true[kept],
                np.asarray(data.y_scores[model])[kept],
                times[kept],
                reference="before",
                prevalence=compare_by_column(data, model, column).prevalence,
                confidence_level=1 - (1 - data.level) / n_tests,
                **data.options_of_rows(kept),
            )
        except ValueError:
            return None
    rows = [segment_row(comparison, name) for name in ("before", "since")]
    before, since = (float(row["estimate"]) for row in rows)
    return Step(row_difference(rows[1]), min(1.0, n_tests * rows[1]["pvalue"]), before, since)


def length_of_step(comparison: SegmentComparison) -> int:
    """Count the last segments that a lower level fits clearly better than a line; 0 if none do."""
    scores = np.asarray(comparison.estimates)
    places = np.arange(scores.size)
    errors = comparison.highs - comparison.lows  # as many standard errors in all segments
    error = errors / 2 / norm.isf((1 - comparison.confidence_level) / 2)

    def misfit(*columns: Array) -> float:
        design = np.column_stack(columns) / error[:, None]
        fit, *_ = np.linalg.lstsq(design, scores / error)
        return float(np.sum((scores / error - design @ fit) ** 2))

    ones = np.ones(scores.size)
    line = misfit(ones, places)
    lengths = range(1, max(_most_outliers(comparison) + 1, scores.size - FEWEST_BEFORE + 1))
    steps = {n: misfit(ones, places >= scores.size - n) for n in lengths}
    n_last = min(steps, key=lambda n: steps[n], default=0)
    is_fall = n_last > 0 and scores[-n_last:].mean() < scores[:-n_last].mean()
    return n_last if is_fall and steps[n_last] < line - CLEAR_STEP else 0


def _against_the_rest(
    data: Predictions, model: str, column: str, names: Sequence[str]
) -> tuple[Outlier, ...]:
    """Compare each outlier with the segments that are none, and keep those that differ from them.

    Holm's rule multiplies the smallest of m p-values by m, the next one by m - 1, and so on, and
    the other outliers count as tests. The number of columns multiplies them all.
    """
    outliers = [_test_outlier(data, model, column, name, names) for name in names]
    found = [
        each
        for each in outliers
        if each.row["verdict"] in (BETTER, WORSE) and each.row["adjusted_pvalue"] < 1 - data.level
    ]
    if len(found) < len(names):
        return _against_the_rest(data, model, column, [each.name for each in found])
    return tuple(found)


def _test_outlier(
    data: Predictions, model: str, column: str, name: str, names: Sequence[str]
) -> Outlier:
    """Compare a segment with those that are no outliers; Holm's p-value counts all of them."""
    left_out = tuple(each for each in names if each != name)
    comparison = compare_by_column(data, model, column, left_out)
    row = segment_row(comparison, name)
    n_at_least = int(np.count_nonzero(comparison.pvalues >= row["pvalue"])) + len(left_out)
    n_tests = n_at_least * len(data.segments)
    adjusted = min(1.0, row["pvalue"] * n_tests)
    return Outlier(row | {"adjusted_pvalue": adjusted}, left_out, n_tests)


def find_outlier(comparison: SegmentComparison, is_time: bool) -> Row | None:
    """Find the segment that differs by most.

    Two segments differ by the same number: the latest is named, or else the one that is worse.
    """
    rows = comparison.rows()
    unlike = [row for row in rows if row["verdict"] in (BETTER, WORSE)]
    if len(rows) == 2 and unlike:
        return rows[-1] if is_time else min(rows, key=lambda row: row["difference"])
    return max(unlike, key=lambda row: abs(row["difference"]), default=None)


def _is_on_trend(
    segments: Segments, comparison: SegmentComparison, rest: SegmentComparison, row: Row
) -> bool:
    """Check whether a trend is shown with and without a segment, and explains its score."""
    decision = decision_on_trend(comparison)
    if decision == UNDECIDED or decision != decision_on_trend(rest) or rest.trend_line is None:
        return False
    times, _ = segments.trend_times()
    if times is None:
        return False
    time_of = dict(zip(map(str, segments.names), times, strict=True))
    gaps = time_of[str(row["segment"])] - np.array([time_of[name] for name in segment_names(rest)])
    nearest = int(np.argmin(np.abs(gaps)))
    height = rest.trend_line[0][nearest] + rest.trend * gaps[nearest]
    # The interval of a segment that was found among all of them is wider (Bonferroni).
    error_rate = 1 - comparison.confidence_level
    widening = norm.isf(error_rate / 2 / len(comparison.rankings)) / norm.isf(error_rate / 2)
    score = row["estimate"]
    limits = row["low"], row["high"]
    low, high = (score + widening * (limit - score) for limit in limits)
    return bool(low <= height <= high)


def merge_comparisons(comparison: SegmentComparison, outliers: Outliers) -> SegmentComparison:
    """Give each outlier the numbers with which it was found, and others those without outliers."""
    if not outliers.found or outliers.rest is None:
        return comparison
    rows = [*outliers.rest.rows(), *(each.row for each in outliers.found)]
    named_rows = {str(row["segment"]): row for row in rows}
    names = segment_names(comparison)
    numbers: Keywords = {
        field: np.array([named_rows[name][key] for name in names], dtype=np.float64)
        for field, key in AGAINST_OTHERS.items()
    }
    return replace(comparison, **numbers)
