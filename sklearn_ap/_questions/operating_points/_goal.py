"""The goal of a threshold: a precision, a recall, a number of rows or the least cost."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.options import check_ranks, check_real_number, check_share
from sklearn_ap._types import Argument

ERRORS = ("false_positive", "false_negative")


class Goal(NamedTuple):
    """A goal by its name, with its number or its costs."""

    name: str  # precision, recall, k or cost
    value: float = np.nan  # a share for a precision or a recall, ranks for k
    costs: tuple[float, float] | None = None  # cost of a false positive, and of a false negative

    def as_text(self, guarantee: float | None) -> str:
        """Print the goal, such as "precision >= 0.9"."""
        if self.costs is not None:
            false_positive, false_negative = self.costs
            costs = f"costs {false_positive:g} and {false_negative:g}"
            return f"{costs} of false positives and negatives"
        sign = "" if self.name == "k" else ">= "
        return f"{self.name} {sign}{self.value:g}{guarantee_as_text(guarantee)}"


def guarantee_as_text(guarantee: float | None) -> str:
    """Print the guarantee after a goal; nothing without one."""
    return "" if guarantee is None else f" with a guarantee of {guarantee:g}"


def check_goal(function: str, goals: dict[str, Argument]) -> Goal:
    """Check that exactly one goal was passed, and its value."""
    passed = {name: value for name, value in goals.items() if value is not None}
    if len(passed) != 1:
        texts = ", ".join(f"{name}={value!r}" for name, value in passed.items()) or "none of them"
        raise TypeError(f"{function} takes one of precision, recall, k and cost, got {texts}.")
    ((name, value),) = passed.items()
    if name == "cost":
        return Goal(name, costs=_check_costs(value))
    return Goal(name, check_ranks(value) if name == "k" else check_share(name, value))


def _check_costs(cost: Argument) -> tuple[float, float]:
    """Check the costs of a false positive and of a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r}.")
    false_positive, false_negative = (
        check_real_number(f"cost of a {name}", cost[name]) for name in ERRORS
    )
    are_valid = 0 <= false_positive < np.inf and 0 <= false_negative < np.inf
    if not are_valid or false_positive == false_negative == 0:
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
    return false_positive, false_negative
