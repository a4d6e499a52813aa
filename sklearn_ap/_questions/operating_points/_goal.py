"""What a threshold should reach: a precision, a recall, a number of rows or the least cost."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.inputs.checks import check_real_number
from sklearn_ap._base.inputs.option_checks import check_ranks, check_share

ERRORS = ("false_positive", "false_negative")


class Goal(NamedTuple):
    """A goal by its name: a share for a precision or a recall, ranks for k, or two costs."""

    name: str
    value: Any

    def in_words(self, guarantee: float | None) -> str:
        """What was asked for, such as "precision >= 0.9"."""
        if self.name == "cost":
            false_positive, false_negative = self.value
            costs = f"costs {false_positive:g} and {false_negative:g}"
            return f"{costs} of false positives and negatives"
        surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
        at_least = ">= " * (self.name != "k")
        return f"{self.name} {at_least}{self.value:g}{surely}"


def check_goal(function: str, goals: dict[str, Any]) -> Goal:
    """Refuse none and several of the goals, and what is none of a kind."""
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise TypeError(f"{function} takes one of precision, recall, k and cost, got {got}.")
    ((name, value),) = given.items()
    if name == "cost":
        return Goal(name, _check_cost(value))
    return Goal(name, check_ranks(value) if name == "k" else check_share(name, value))


def _check_cost(cost: Any) -> tuple[float, ...]:
    """What a false positive costs, and a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r}.")
    costs = tuple(check_real_number(f"cost of a {name}", cost[name]) for name in ERRORS)
    if not (all(0 <= each < np.inf for each in costs) and any(costs)):
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
    return costs
