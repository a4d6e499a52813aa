"""The arguments that ask for a threshold, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sklearn_ap._counts.counting import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_open_share, check_prevalence
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._questions.operating_points._goal import Goal, check_goal
from sklearn_ap._questions.operating_points._guarantees import fewest_rows
from sklearn_ap._types import Argument


class ThresholdRequest(NamedTuple):
    """The arguments, checked."""

    goal: Goal
    alpha: float | None  # the probability with which the threshold may miss the goal
    level: float
    prevalence: float | None
    guarantee: float | None

    def resolve_k(self, counts: Callable[[], ThresholdCounts]) -> ThresholdRequest:
        """Replace a k that is a share of the rows by a number of ranks."""
        goal = self.goal
        if goal.name != "k" or goal.value >= 1:
            return self
        return self._replace(goal=Goal("k", n_ranks(goal.value, counts()).item()))


def check_request(
    function: str,
    goals: dict[str, Argument],
    prevalence: Argument,
    guarantee: Argument,
    confidence_level: Argument,
) -> ThresholdRequest:
    """Refuse options that do not go together; ``function`` is named in errors."""
    goal = check_goal(function, goals)
    prevalence = None if prevalence is None else check_prevalence(prevalence, goals["k"])
    alpha = None if guarantee is None else _check_guarantee(guarantee, goal)
    level = check_open_share("confidence_level", confidence_level)
    return ThresholdRequest(goal, alpha, level, prevalence, guarantee)


def _check_guarantee(guarantee: Argument, goal: Goal) -> float:
    """Return alpha, the probability with which the threshold may miss its goal."""
    alpha = 1 - check_open_share("guarantee", guarantee)
    if goal.name in ("k", "cost"):
        reason = "it is for a precision or a recall. Leave it out."
        raise ValueError(f"guarantee does not go with {goal.name}: {reason}")
    if not 0 < goal.value < 1:
        got = f"got {goal.value!r}."
        raise ValueError(f"{goal.name} must lie within (0, 1) with a guarantee, {got}")
    return alpha


def check_guaranteed_rows(
    rankings: Rankings, request: ThresholdRequest, thresholds: Thresholds
) -> None:
    """Refuse clusters and weights beside a guarantee."""
    if rankings.clusters is not None:
        raise ValueError(
            f"guarantee does not go with clusters: its tests count rows, which are alike within a "
            f"cluster. Pass one row for each cluster, such as its highest score, or leave out "
            f"guarantee: the interval of the {request.goal.name} is over clusters."
        )
    if rankings.weight is not None:
        raise ValueError(
            f"guarantee does not go with sample_weight: its tests count rows. Label rows that are "
            f"chosen at random, with equal chances. {_random_labels(request, thresholds)}"
        )


def _random_labels(request: ThresholdRequest, thresholds: Thresholds) -> str:
    """Estimate how many random labels a guarantee needs, by the weighted shares of the sample."""
    goal = request.goal
    alpha = request.alpha or 0.0
    n_rows = thresholds.n_positives + thresholds.n_negatives
    if goal.name == "recall":
        n_positives = fewest_rows(goal.value, alpha)
        n_labels = n_positives / (thresholds.n_positives / n_rows)
        return f"About {n_labels:,.0f} would do, which hold {n_positives:,} positives."
    precision = thresholds.sample_precision(goal.value)
    n_selected = fewest_rows(precision, alpha)
    halfway = (1 + precision) / 2
    is_precise = thresholds.tps >= halfway * thresholds.n_selected
    precise_selections = thresholds.n_selected[is_precise]
    if not precise_selections.size:
        return f"At least {n_selected:,} of the selected rows are needed."
    n_labels = n_selected / (precise_selections[-1] / n_rows)
    return (
        f"About {n_labels:,.0f} would do, as {n_selected:,} of them have a precision above "
        f"{halfway:.3g}."
    )
