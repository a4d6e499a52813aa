"""Checks that counts, which hold no scores of negatives, are enough to choose a threshold."""

from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._questions.operating_points._goal import Goal
from sklearn_ap._types import Argument

PASS_ROWS = "Pass the rows to operating_point"
PASS_SAMPLE = f"{PASS_ROWS}, or a random sample of them."


def check_one_ranking(counts: Argument) -> None:
    """Refuse counts unless they are of one ranking, without weights."""
    check_counts(counts)
    if counts.several:
        raise ValueError(
            f"A threshold is for one ranking, got counts of {counts.starts.size}. Count the rows "
            f"without queries, or pass those of one ranking to operating_point."
        )
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            f"A threshold from counts takes unweighted ones, as the limits depend on the weights "
            f"of the selected rows. {PASS_SAMPLE} For another prevalence, pass counts as they are, "
            f"and prevalence beside them."
        )
    if counts.n_unscored is not None and counts.n_unscored.any():
        raise ValueError(
            "These counts have positives that are no rows (n_positives), so nobody knows how many "
            "rows there are. Give them as rows with a score of minus infinity."
        )
    if not counts.thresholds.size:
        raise ValueError("These counts hold no positive with a score, so there is no threshold.")


def check_goal_of_counts(goal: Goal, guarantee: Argument, counts: ThresholdCounts) -> None:
    """Refuse a goal whose threshold may stand at the score of a negative."""
    if goal.name == "precision" and guarantee is not None:
        raise ValueError(
            f"A guarantee of a precision tests thresholds at scores of negatives, too, which "
            f"counts do not hold. {PASS_SAMPLE} A guarantee of a recall goes with counts."
        )
    if goal.name != "k":
        return
    k = goal.value
    n_selected = counts.tps + counts.fps  # rows down to each positive's score
    n_within_k = n_selected.searchsorted(k * (1 + RELATIVE_TOLERANCE), "right")
    selected = n_selected[n_within_k - 1] if n_within_k else 0
    # The number of rows above the next positive, or of all rows
    end = counts.tps[-1] + counts.n_negatives[0]
    if n_within_k < n_selected.size:
        end = counts.before[n_within_k]
    if selected < min(int(k), end):
        nearest = n_selected[n_within_k - 1] if n_within_k else n_selected[0]
        raise ValueError(
            f"k={k} ends among {end - selected} negatives, whose scores counts do not hold. Pass "
            f"k={nearest}, which ends at a positive, or the rows with the highest scores to "
            f"operating_point."
        )
