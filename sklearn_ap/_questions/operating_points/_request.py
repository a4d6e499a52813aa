"""What was asked of a threshold, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn_ap._base.inputs.checks import check_prevalence
from sklearn_ap._base.inputs.option_checks import check_open_share
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._questions.operating_points._goal import Goal, check_goal
from sklearn_ap._questions.operating_points._guarantees import shown_by


class ThresholdRequest(NamedTuple):
    """What was asked for, checked."""

    goal: Goal
    alpha: float | None  # how often the threshold may miss the goal
    level: float
    prevalence: float | None
    guarantee: float | None

    def in_ranks(self, counts: Callable[[], ThresholdCounts]) -> ThresholdRequest:
        """A share of the rows as a number of ranks."""
        goal = self.goal
        if goal.name != "k" or goal.value >= 1:
            return self
        return self._replace(goal=Goal("k", n_ranks(goal.value, counts()).item()))


def check_request(
    function: str, goals: dict[str, Any], prevalence: Any, guarantee: Any, confidence_level: Any
) -> ThresholdRequest:
    """Refuse options that do not go together; ``function`` is named in errors."""
    goal = check_goal(function, goals)
    prevalence = None if prevalence is None else check_prevalence(prevalence, goals["k"])
    alpha = None if guarantee is None else _check_guarantee(guarantee, goal)
    level = check_open_share("confidence_level", confidence_level)
    return ThresholdRequest(goal, alpha, level, prevalence, guarantee)


def _check_guarantee(guarantee: Any, goal: Goal) -> float:
    """How often the threshold may miss its goal."""
    error = 1 - check_open_share("guarantee", guarantee)
    if goal.name in ("k", "cost"):
        reason = "it is for a precision or a recall. Leave it out."
        raise ValueError(f"guarantee does not go with {goal.name}: {reason}")
    if not 0 < goal.value < 1:
        got = f"got {goal.value!r}."
        raise ValueError(f"{goal.name} must lie within (0, 1) with a guarantee, {got}")
    return error


def check_guaranteed_rows(clean: Rankings, asked: ThresholdRequest, known: Thresholds) -> None:
    """Refuse weights and clusters beside a guarantee."""
    if clean.weight is not None:
        raise ValueError(
            f"guarantee does not go with sample_weight: its tests count rows. Label rows that are "
            f"chosen at random, with equal chances. {_random_labels(asked, known)}"
        )
    if clean.clusters is not None:
        raise ValueError(
            "guarantee does not go with clusters: its tests count independent rows. Keep one row "
            "of each cluster, or leave the guarantee out: the intervals of precision and recall "
            "allow for clusters."
        )


def _random_labels(asked: ThresholdRequest, known: Thresholds) -> str:
    """How many random labels a guarantee needs, if prevalence and precisions are as weights say."""
    goal, n_rows = asked.goal, known.n_positives + known.n_negatives
    share = goal.value if goal.name == "recall" else known.in_sample(goal.value)
    needed, halfway = shown_by(share, asked.alpha or 0.0), (1 + share) / 2
    if goal.name == "recall":
        n = needed / (known.n_positives / n_rows)
        return f"About {n:,.0f} would do, which hold {needed:,} positives."
    selected = known.size[known.tps >= halfway * known.size]
    if not selected.size:
        return f"At least {needed:,} of the selected rows are needed."
    n = needed / (selected[-1] / n_rows)
    return f"About {n:,.0f} would do, as {needed:,} of them have a precision above {halfway:.3g}."
