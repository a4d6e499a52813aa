"""What a threshold is for: a type for each goal, which chooses among the thresholds of a sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from numbers import Integral
from typing import ClassVar

import numpy as np

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, reach, reach_precision
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import (
    check_finite_number,
    check_open_share,
    check_ranks,
    check_real_number,
    check_share,
)
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._results.result import Notes
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Argument, Array, FloatOrArray, Json
from sklearn_ap._writing.text import (
    count_as_text,
    given_as_text,
    k_as_text,
    level_as_text,
    names_as_text,
    rounded_as_text,
    rounded_down_as_text,
    title_with_prevalence,
)
from sklearn_ap._writing.warning import WarningName
from sklearn_ap.inference.thresholds._cuts import Cut, Cuts
from sklearn_ap.inference.thresholds._guarantees import have_precision, have_recall, is_hardly_shown

GOAL_OPTIONS = ("precision", "recall", "k", "cost", "threshold")
ERRORS = ("false_positive", "false_negative")


def check_goal(guarantee: Argument = None, **options: Argument) -> Goal:
    """Make the goal of the option that is not None; refuse several, and wrong values."""
    passed = {name: value for name, value in options.items() if value is not None}
    if len(passed) != 1:
        texts = ", ".join(f"{name}={value!r}" for name, value in passed.items()) or "none of them"
        raise InputTypeError(f"Pass one of {names_as_text([*options])}, got {texts}.")
    ((name, value),) = passed.items()
    if guarantee is not None and name not in ("precision", "recall"):
        raise InputError(f"guarantee is for a precision or a recall, and does not go with {name}.")
    if name == "k":
        return RowGoal(k=check_ranks(value))
    if name == "cost":
        return CostGoal(cost=_check_cost(value))
    if name == "threshold":
        return GivenThreshold(threshold=_check_threshold(value))
    share = (check_share if guarantee is None else check_open_share)(name, value)
    guarantee = None if guarantee is None else _check_guarantee(guarantee)
    if name == "precision":
        return PrecisionGoal(precision=share, guarantee=guarantee)
    return RecallGoal(recall=share, guarantee=guarantee)


def _check_guarantee(guarantee: Argument) -> float:
    """Refuse how often a threshold may fail, such as 0.1, where 0.9 is meant."""
    if not 0.5 <= (number := check_real_number("guarantee", guarantee)) < 1:
        raise InputError(
            f"guarantee is how often the threshold truly has what is asked for, such as 0.9. It "
            f"must lie within [0.5, 1), got {guarantee!r}."
        )
    return number


def _check_threshold(threshold: Argument) -> float:
    """Check a given threshold; a whole number stays one, of which a float may lose digits."""
    number = check_finite_number("threshold", threshold)
    return int(threshold) if isinstance(threshold, Integral) else number


def _check_cost(cost: Argument) -> dict[str, float]:
    """Check the costs of a false positive and of a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise InputTypeError(f"cost must be a dict such as {example}, got {cost!r:.80}.")
    costs = {name: check_real_number(f"cost of a {name}", cost[name]) for name in ERRORS}
    if not all(0 <= number < np.inf for number in costs.values()):
        raise InputError(f"cost must be finite, and not negative, got {cost!r}.")
    return costs


class Goal(ABC):
    """What a threshold is for. Options of other goals are None."""

    precision: float | None = None
    recall: float | None = None
    k: float | None = None
    cost: Mapping[str, float] | None = None
    threshold: float | None = None
    guarantee: float | None = None

    @property
    @abstractmethod
    def text(self) -> str:
        """The goal in words, as "precision >= 0.9"."""

    @property
    def title(self) -> str:
        """The goal in a heading."""
        return f"threshold for {self.text}"

    def to_dict(self) -> dict[str, Json]:
        """Return what was asked for, as JSON; results tell the guarantee beside it."""
        options = {name: getattr(self, name) for name in GOAL_OPTIONS}
        return options | {"cost": None if self.cost is None else {**self.cost}}

    @abstractmethod
    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the best threshold that reaches the goal; None if none does."""

    def doubts(self, cuts: Cuts) -> list[Doubt]:
        """Say why a chosen threshold is doubtful."""
        return []

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        """Return what a choice costs."""
        return {}

    def claim(self, notes: Notes, sample: Sample) -> str:
        """Say what is known of a chosen threshold."""
        return ""

    def shortfall(self, notes: Notes, sample: Sample) -> str:
        """Say that there is no threshold."""
        return f"There is no threshold for {self.text}."


@dataclass(frozen=True, kw_only=True)
class GivenThreshold(Goal):
    """A threshold that the user has, to be measured."""

    threshold: float

    @property
    def title(self) -> str:
        """The threshold itself."""
        return f"given threshold {self.threshold}"

    @property
    def text(self) -> str:
        """The goal in words."""
        return "the given threshold"

    def choose(self, cuts: Cuts) -> Cut:
        """Take the threshold, whatever it selects."""
        return cuts.given_cut(self.threshold)


@dataclass(frozen=True, kw_only=True)
class RowGoal(Goal):
    """At most a number of rows, or a share of them below 1. The lowest threshold is best."""

    k: float

    @property
    def text(self) -> str:
        """The goal in words, as "at most 5% of the rows (rounded up)"."""
        if isinstance(self.k, int):
            return f"at most {k_as_text(self.k)} of the rows"
        share = k_as_text(float(rounded_as_text(self.k, 4)))
        return f"at most {share} of the rows (rounded up)"

    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the lowest threshold that selects no more rows."""
        return cuts.lowest(cuts.n_selected <= cuts.most_rows(self.k) * (1 + cuts.rounding))

    def claim(self, notes: Notes, sample: Sample) -> str:
        """Say that the number of rows holds in this sample."""
        return "on other data, there may be more or fewer."


@dataclass(frozen=True, kw_only=True)
class CostGoal(Goal):
    """The least expected cost of false positives and false negatives."""

    cost: Mapping[str, float] = field(hash=False)  # dicts have no hash

    @property
    def text(self) -> str:
        """The costs in words."""
        false_positive, false_negative = (given_as_text(self.cost[name]) for name in ERRORS)
        return f"costs {false_positive} and {false_negative} of false positives and negatives"

    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the highest threshold of the least cost; None if no row costs least."""
        # The first cost is that of selecting nothing.
        tps, fps = np.append(0, cuts.tps), np.append(0, cuts.fps)
        costs = np.asarray(self._cost_per_row(cuts, tps, fps))
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cuts.cut(cheapest - 1) if cheapest else None

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        """Return the expected cost per row."""
        tp, fp = (0, 0) if cut is None else (cut.tp, cut.fp)
        return {"cost": float(self._cost_per_row(cuts, tp, fp))}

    def claim(self, notes: Notes, sample: Sample) -> str:
        """Say what the choice costs."""
        cost = rounded_as_text(float(notes["cost"]), 4)
        basis = "this costs least in this sample"
        return f"{title_with_prevalence(basis, sample.target_prevalence)}, {cost} per row."

    def shortfall(self, notes: Notes, sample: Sample) -> str:
        """Say that no row is worth its cost."""
        return f"Select no row: {self.claim(notes, sample)}"

    def _cost_per_row(self, cuts: Cuts, tp: Array | float, fp: Array | float) -> FloatOrArray:
        """Return the expected cost at the prevalence."""
        n_all = cuts.n_positives + cuts.negative_weight * cuts.n_negatives
        false_positives = cuts.negative_weight * fp / n_all
        false_negatives = (cuts.n_positives - tp) / n_all
        return (
            self.cost["false_positive"] * false_positives
            + self.cost["false_negative"] * false_negatives
        )


class ShareGoal(Goal):
    """A share to be reached in the sample or, with a guarantee, shown by tests."""

    share: ClassVar[str]

    @property
    def least(self) -> float:
        """The share that is to be reached."""
        return float(getattr(self, self.share))

    @property
    def text(self) -> str:
        """The goal in words, as "precision >= 0.9"."""
        return f"{self.share} >= {given_as_text(self.least)}"

    def claim(self, notes: Notes, sample: Sample) -> str:
        """Say where the share is reached: in the sample, or truly, with a confidence."""
        caution = " On other data, it may be lower." if self.guarantee is None else ""
        return f"{self._statement(sample)}.{caution}"

    def shortfall(self, notes: Notes, sample: Sample) -> str:
        """Say that no threshold reaches the share, and how many positives would show it."""
        text = f"There is no threshold at which, {self._statement(sample)}"
        if self.guarantee is None or (self.precision and sample.target_prevalence):
            return f"{text}."
        fewest = ceil(log(1 - self.guarantee) / log(self.least))  # all of them selected
        n_effective = notes.get("n_effective", sample.n_positives)
        if n_effective >= fewest:
            return f"{text}."
        if sample.unit == "cluster":
            n = rounded_down_as_text(float(n_effective))
            need = f"{fewest:,} clusters with positives or more, and their effective number is {n}"
        else:
            n = count_as_text(sample.n_positives)
            need = f"{fewest:,} positives or more, and there are {n}"
        return f"{text}: this needs {need}."

    def _statement(self, sample: Sample) -> str:
        """Write "in this sample, the precision at prevalence 0.05 is at least 0.7"."""
        basis = "in this sample, the"
        if self.guarantee is not None:
            basis = f"with {level_as_text(self.guarantee)} confidence, the true"
        prevalence = None if self.precision is None else sample.target_prevalence
        share = title_with_prevalence(self.share, prevalence)
        return f"{basis} {share} is at least {given_as_text(self.least)}"


@dataclass(frozen=True, kw_only=True)
class UnattainablePrecision(Doubt):
    """Precisions that perhaps no threshold has."""

    name: WarningName = "unattainable precision"
    precisions: tuple[float, ...]


def doubt_precisions(precisions: Sequence[float]) -> UnattainablePrecision:
    """Doubt precisions, the lowest first, that luck alone explains."""
    first, *others = map(given_as_text, precisions)
    also = f" (nor of {names_as_text(others)})" if others else ""
    text = (
        f"The sample hardly shows that any threshold has a precision of {first}{also}; perhaps "
        f"none has. Collect more rows, or ask for a lower precision."
    )
    return UnattainablePrecision(text=text, precisions=(*precisions,))


@dataclass(frozen=True, kw_only=True)
class PrecisionGoal(ShareGoal):
    """A precision. The highest recall is best."""

    precision: float
    guarantee: float | None = None
    share = "precision"

    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the highest recall among thresholds that reach, or are shown to have, it."""
        if self.guarantee is None:
            is_reached = reach_precision(cuts.precision, cuts.fps, self.precision, cuts.rounding)
        else:  # which holds for all of these at once
            least, alpha = cuts.precision_in_sample(self.precision), 1 - self.guarantee
            is_reached = have_precision(cuts.tps, cuts.n_selected, least, alpha)
        if not is_reached.any():
            return None
        # Of equal recalls, the first has the highest precision.
        return cuts.cut(int(np.argmax(np.where(is_reached, cuts.tps, -1))))

    def doubts(self, cuts: Cuts) -> list[Doubt]:
        """Doubt it if luck alone explains the precision of every threshold."""
        least = cuts.precision_in_sample(self.precision)
        if self.guarantee is not None or not is_hardly_shown(
            cuts.tps, cuts.n_selected, least, cuts.rows_per_weight
        ):
            return []
        return [doubt_precisions([self.precision])]


@dataclass(frozen=True, kw_only=True)
class RecallGoal(ShareGoal):
    """A recall. The highest precision is best, and of equal ones the highest recall."""

    recall: float
    guarantee: float | None = None
    share = "recall"

    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the highest precision among thresholds that reach the recall, or have it shown."""
        if self.guarantee is None:
            is_reached = reach(cuts.tps / cuts.n_positives, self.recall, cuts.rounding)
        else:
            too_many, alpha = int(cuts.n_positives) + 1, 1 - self.guarantee
            hits = cuts.tps[np.diff(cuts.tps, append=too_many) > 0]  # the distinct ones
            n_independent = cuts.independent_positives(hits)
            are_enough = have_recall(hits, cuts.n_positives, n_independent, self.recall, alpha)
            is_reached = cuts.tps >= hits[are_enough].min(initial=too_many)
        # The order of precisions in the sample is also that at any prevalence.
        precision = np.where(is_reached, cuts.tps / cuts.n_selected, -1)
        is_highest = reach(precision, precision.max(initial=0), cuts.rounding)
        return cuts.lowest(is_reached & is_highest)

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        """Return as how many clusters of equal size a guarantee takes those with positives."""
        if self.guarantee is None or cuts.sample.unit != "cluster":
            return {}
        return {"n_effective": float(cuts.independent_positives(cuts.n_positives))}
