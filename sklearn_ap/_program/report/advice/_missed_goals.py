"""Whether the precision of a threshold is below its goal in a segment, by more than chance."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.stats import binom, t

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.data.shares import codes_of_units, selected_share
from sklearn_ap._program.report.page.page import Cutoff
from sklearn_ap._program.report.page.words import percent
from sklearn_ap._program.report.segments.columns import Column
from sklearn_ap._program.report.segments.worst import WorstSegment

FEWEST_SELECTED = 10  # rows or clusters of a segment whose precision is judged: a choice
MANY_POSITIVES = 50  # of which the sample tells how the recall varies: a choice
MOST_MISSED = 2  # segments that are told beside those that rank worse: a choice


def select_rows(data: Predictions, cutoff: Cutoff) -> Bool:
    """Mark the rows that a threshold selects."""
    selected: Bool = np.asarray(data.y_scores[cutoff.model]) >= cutoff.threshold
    return selected


def pvalue_of_goal(data: Predictions, cutoff: Cutoff, rows: Bool) -> float:
    """Test whether the precision among some rows is below the guaranteed one; nan if it is not.

    Rows have a binomial test, and clusters Student's test of how far their positives are from the
    goal. Few of them need none.
    """
    selected = select_rows(data, cutoff) & rows
    goal = cutoff.goal
    if not cutoff.is_guaranteed or goal is None or np.count_nonzero(selected) < FEWEST_SELECTED:
        return np.nan
    if "prevalence" in data.options:
        return _pvalue_at_prevalence(data, cutoff, rows, goal)
    n_found = int(np.count_nonzero(selected & data.y_true))
    n_selected = int(np.count_nonzero(selected))
    if n_found >= goal * n_selected:
        return np.nan
    if "clusters" not in data.options:
        return float(binom.cdf(n_found, n_selected, goal))
    codes = codes_of_units(data)
    n_clusters = np.unique(codes[selected]).size
    if n_clusters < FEWEST_SELECTED:
        return np.nan
    parts = np.asarray(data.y_true - goal, dtype=np.float64)
    error = np.sqrt(_variance_of_sum(parts, codes, selected, n_clusters))
    return float(t.cdf(parts[selected].sum() / error, n_clusters - 1))


def _pvalue_at_prevalence(data: Predictions, cutoff: Cutoff, rows: Bool, goal: float) -> float:
    """Test the precision among some rows at another prevalence, by the shares of both classes.

    It is below the goal if p (1 - goal) times the recall is less than (1 - p) goal times the share
    of selected negatives. The test is Student's over rows or clusters, of the linear part of this
    difference. The recall of a few positives varies at least as that of all rows would. It is nan
    if the precision is not below, or with few positives or selected negatives.
    """
    selected = select_rows(data, cutoff)
    prevalence = data.options["prevalence"]
    positive = rows & data.y_true
    negative = rows & ~data.y_true
    codes = codes_of_units(data)
    n_positive_units = int(np.unique(codes[positive]).size)
    n_false = int(np.count_nonzero(selected & negative))
    if min(n_false, n_positive_units) < FEWEST_SELECTED:
        return np.nan
    factors = prevalence * (1 - goal), -(1 - prevalence) * goal
    excess = 0.0
    parts = np.zeros(data.n_rows)
    for group, factor in zip((positive, negative), factors, strict=True):
        share = float(selected[group].mean())
        excess += factor * share
        parts[group] = factor * (selected[group] - share) / np.count_nonzero(group)
    if excess >= 0:
        return np.nan
    n_units = np.unique(codes[rows]).size
    variance = _variance_of_sum(parts, codes, rows, n_units)
    if n_positive_units < MANY_POSITIVES:
        recall = float(selected[data.y_true].mean())
        least = factors[0] ** 2 * recall * (1 - recall) / n_positive_units
        variance = max(variance, least + _variance_of_sum(parts, codes, negative, n_units))
    error = np.sqrt(variance)
    if not error:  # all rows are selected, so the precision is the prevalence
        return 0.0
    return float(t.cdf(excess / error, n_units - 1))


def _variance_of_sum(parts: Float, codes: Index, rows: Bool, n_units: int) -> float:
    """Estimate the variance of a sum over rows by those of units, if all have a mean of 0."""
    sums = np.bincount(codes[rows], weights=parts[rows])
    return float(np.sum(sums**2)) * n_units / (n_units - 1)


def find_missed(
    data: Predictions, cutoff: Cutoff, columns: Iterable[Column], told: Sequence[WorstSegment]
) -> list[WorstSegment]:
    """Find other segments in which the precision is clearly below the guaranteed one.

    Scores may be too high in a segment, though its rows are ranked as well as others. P-values are
    adjusted for all segments (Bonferroni). Weights have no guarantee.
    """
    known = {(each.column.name, each.name) for each in told}
    known |= {(each.column.name, name) for each in told for name in each.times_of_fall}
    segments = [
        WorstSegment(column, row, is_worse=False) for column in columns for row in column.rows
    ]
    tests = [
        (pvalue_of_goal(data, cutoff, each.mark_rows(data)), each)
        for each in segments
        if (each.column.name, each.name) not in known
    ]
    level = (1 - data.level) / max(1, len(segments))
    missed = sorted((test for test in tests if test[0] < level), key=lambda test: test[0])
    return [each for _, each in missed[:MOST_MISSED]]


def missed_in_words(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> str:
    """Say that a guarantee does not hold in a segment, and how much of it is selected."""
    selected = select_rows(data, cutoff)
    rows = found.mark_rows(data)
    inside, outside = (selected_share(data, selected, each) for each in (rows, ~rows))
    shares = f"{percent(inside)} of the rows ({percent(outside)}"
    return (
        f"The guarantee of the threshold does not hold in {found.short_place}, where it selects "
        f"{shares} elsewhere)."
    )
