"""What was asked of a threshold, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.inputs.checks import check_prevalence, real_number
from sklearn_ap._base.inputs.option_checks import check_open_share, check_ranks, check_share
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.operating_points._guarantees import shown_by
from sklearn_ap._questions.operating_points._thresholds import Thresholds

ERRORS = ("false_positive", "false_negative")


class ThresholdRequest(NamedTuple):
    """What was asked for, checked."""

    goal: tuple[str, Any]
    alpha: float | None  # how often the threshold may miss the goal
    level: float
    prevalence: float | None
    guarantee: float | None

    def in_ranks(self, counts: Callable[[], ThresholdCounts]) -> ThresholdRequest:
        """A share of the rows as a number of ranks."""
        name, value = self.goal
        if name != "k" or value >= 1:
            return self
        return self._replace(goal=(name, n_ranks(value, counts()).item()))


def check_request(
    function: str, goals: dict[str, Any], prevalence: Any, guarantee: Any, confidence_level: Any
) -> ThresholdRequest:
    goal = _check_goal(function, goals)
    prevalence = None if prevalence is None else check_prevalence(prevalence, goals["k"])
    alpha = None if guarantee is None else _check_guarantee(guarantee, goal)
    level = check_open_share("confidence_level", confidence_level)
    return ThresholdRequest(goal, alpha, level, prevalence, guarantee)


def _check_goal(function: str, goals: dict[str, Any]) -> tuple[str, Any]:
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise TypeError(f"{function} takes one of precision, recall, k and cost, got {got}.")
    ((name, value),) = given.items()
    if name == "cost":
        return name, _check_cost(value)
    return name, check_ranks(value) if name == "k" else check_share(name, value)


def _check_cost(cost: Any) -> tuple[float, ...]:
    """What a false positive costs, and a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r}.")
    costs = tuple(real_number(f"cost of a {name}", cost[name]) for name in ERRORS)
    if not (all(0 <= each < np.inf for each in costs) and any(costs)):
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
    return costs


def _check_guarantee(guarantee: Any, goal: tuple[str, Any]) -> float:
    """How often the threshold may miss its goal."""
    name, value = goal
    error = 1 - check_open_share("guarantee", guarantee)
    if name in ("k", "cost"):
        reason = "it is for a precision or a recall. Leave it out."
        raise ValueError(f"guarantee does not go with {name}: {reason}")
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie within (0, 1) with a guarantee, got {value!r}.")
    return error


def check_guaranteed_rows(clean: Rankings, asked: ThresholdRequest, known: Thresholds) -> None:
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
    (name, value), n_rows = asked.goal, known.n_positives + known.n_negatives
    goal = value if name == "recall" else known.in_sample(value)
    needed, halfway = shown_by(goal, asked.alpha or 0.0), (1 + goal) / 2
    if name == "recall":
        n = needed / (known.n_positives / n_rows)
        return f"About {n:,.0f} would do, which hold {needed:,} positives."
    selected = known.size[known.tps >= halfway * known.size]
    if not selected.size:
        return f"At least {needed:,} of the selected rows are needed."
    n = needed / (selected[-1] / n_rows)
    return f"About {n:,.0f} would do, as {needed:,} of them have a precision above {halfway:.3g}."


def goal_in_words(goal: tuple[str, Any], guarantee: float | None) -> str:
    name, value = goal
    if name == "cost":
        false_positive, false_negative = value
        return f"costs {false_positive:g} and {false_negative:g} of false positives and negatives"
    surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
    at_least = ">= " * (name != "k")
    return f"{name} {at_least}{value:g}{surely}"
