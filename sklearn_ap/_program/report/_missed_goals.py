"""Whether the precision of a threshold is below its goal in a segment, by more than chance."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.stats import binom, t

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._program.report._page import Cutoff
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import Column
from sklearn_ap._program.report._words import percent
from sklearn_ap._program.report._worst_segments import WorstSegment

FEWEST_SELECTED = 10  # rows or clusters of a segment whose precision is judged: a choice
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
    n_found = int(np.count_nonzero(selected & data.y_true))
    n_selected = int(np.count_nonzero(selected))
    if n_found >= goal * n_selected:
        return np.nan
    if "clusters" not in data.options:
        return float(binom.cdf(n_found, n_selected, goal))
    codes, _ = encode_names(data.options["clusters"][selected], "clusters")
    excess = np.bincount(codes, weights=data.y_true[selected] - goal)
    n_clusters = excess.size
    if n_clusters < FEWEST_SELECTED:
        return np.nan
    error = np.sqrt(np.sum(excess**2) * n_clusters / (n_clusters - 1))
    return float(t.cdf(excess.sum() / error, n_clusters - 1))


def find_missed(
    data: Predictions, cutoff: Cutoff, columns: Iterable[Column], told: Sequence[WorstSegment]
) -> list[WorstSegment]:
    """Find other segments in which the precision is clearly below the guaranteed one.

    Scores may be too high in a segment, though its rows are ranked as well as others. P-values are
    adjusted for all segments (Bonferroni). Nothing is tested at another prevalence, and weights
    have no guarantee.
    """
    if "prevalence" in data.options:
        return []
    known = {(each.column.name, each.name) for each in told}
    known |= {(each.column.name, name) for each in told for name in each.times_of_fall}
    pvalues = {}
    segments = {}
    for column in columns:
        for row in column.rows:
            found = WorstSegment(column, row, is_worse=False)
            key = column.name, found.name
            segments[key] = found
            pvalues[key] = pvalue_of_goal(data, cutoff, found.mark_rows(data))
    level = (1 - data.level) / max(1, len(segments))
    missed = [key for key in segments if key not in known and pvalues[key] < level]
    return [segments[key] for key in sorted(missed, key=pvalues.__getitem__)[:MOST_MISSED]]


def missed_in_words(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> str:
    """Say that a guarantee does not hold in a segment, and how much of it is selected."""
    selected = select_rows(data, cutoff)
    rows = found.mark_rows(data)
    shares = f"{percent(selected[rows].mean())} of the rows ({percent(selected[~rows].mean())}"
    return (
        f"The guarantee of the threshold does not hold in {found.short_place}, where it selects "
        f"{shares} elsewhere)."
    )
