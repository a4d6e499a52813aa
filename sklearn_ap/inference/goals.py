"""What a threshold is for: the goal that a user names, and its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from numbers import Integral
from typing import Any

import numpy as np

from sklearn_ap._inputs.options import (
    check_open_share,
    check_prevalence,
    check_ranks,
    check_real_number,
    check_share,
)
from sklearn_ap._results.text import given_as_text, k_as_text
from sklearn_ap._types import Argument

ERRORS = ("false_positive", "false_negative")


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a threshold is for: one of these, or a precision and a recall; None for the others."""

    precision: float | None = None
    recall: float | None = None
    k: float | None = None
    cost: Mapping[str, float] | None = field(default=None, hash=False)  # dicts have none
    threshold: float | None = None

    @property
    def title(self) -> str:
        """What was asked for, in a heading."""
        is_given = self.threshold is not None
        return f"given threshold {self.threshold}" if is_given else f"threshold for {self.text}"

    @property
    def text(self) -> str:
        """What was asked for, as "precision >= 0.9"."""
        if self.threshold is not None:
            return "the given threshold"
        if self.cost is not None:
            false_positive, false_negative = (self.cost[name] for name in ERRORS)
            costs = f"costs {given_as_text(false_positive)} and {given_as_text(false_negative)}"
            return f"{costs} of false positives and negatives"
        if self.k is not None:
            return f"at most {k_as_text(self.k)} of the rows"
        shares = (f"{name} >= {given_as_text(share)}" for name, share in self.shares.items())
        return " and ".join(shares)

    @property
    def shares(self) -> dict[str, float]:
        """The precision and the recall to be reached, as far as they were asked for."""
        both = {"precision": self.precision, "recall": self.recall}
        return {name: share for name, share in both.items() if share is not None}


def check_goal(**values: Argument) -> Goal:
    """Refuse several goals, but a precision and a recall, and values that they cannot have."""
    given = {name: value for name, value in values.items() if value is not None}
    if len(given) != 1 and {*given} != {"precision", "recall"}:
        texts = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise TypeError(
            f"Pass one of precision, recall, k, cost and threshold, or precision and recall, got "
            f"{texts}."
        )
    return Goal(**{name: CHECKS[name](value) for name, value in given.items()})


def _check_threshold(threshold: Argument) -> float:
    if not isfinite(number := check_real_number("threshold", threshold)):
        raise ValueError(f"threshold must be finite, got {threshold!r}.")
    return int(threshold) if isinstance(threshold, Integral) else number


def _check_costs(cost: Argument) -> dict[str, float]:
    """Check the costs of a false positive and of a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r:.80}.")
    costs = {name: check_real_number(f"cost of a {name}", cost[name]) for name in ERRORS}
    are_valid = all(0 <= each < np.inf for each in costs.values())
    if not are_valid or not any(costs.values()):
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
    return costs


CHECKS: dict[str, Callable[[Argument], Any]] = {
    "precision": partial(check_share, "precision"),
    "recall": partial(check_share, "recall"),
    "k": check_ranks,
    "cost": _check_costs,
    "threshold": _check_threshold,
}


def check_options(
    goal: Goal, prevalence: Argument, guarantee: Argument, confidence_level: Argument
) -> tuple[float | None, float | None, float]:
    """Check the prevalence, the guarantee and the level; refuse what does not go with the goal."""
    level = check_open_share("confidence_level", confidence_level)
    if prevalence is not None:
        prevalence = check_prevalence(prevalence, goal.k)
    if guarantee is None:
        return prevalence, None, level
    if not goal.shares:
        raise ValueError(
            "guarantee does not go with k, cost and threshold: it is for a precision or a recall. "
            "Leave it out."
        )
    for name, share in goal.shares.items():
        if not 0 < share < 1:
            raise ValueError(f"{name} must lie within (0, 1) with a guarantee, got {share!r}.")
    guarantee = check_open_share("guarantee", guarantee)
    if guarantee < 0.5:
        raise ValueError(
            f"guarantee must be at least 0.5, got {guarantee!r}: it is how often the threshold "
            f"truly has what is asked for, such as 0.9, and not how often it may fail."
        )
    return prevalence, guarantee, level
