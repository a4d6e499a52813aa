"""What a threshold is for: a type for each goal, which chooses among the thresholds of a sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan
from numbers import Integral
from typing import Self

import numpy as np

from sklearn_ap._counts.sums import reach, reach_precision
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.options import (
    check_open_share,
    check_prevalence,
    check_ranks,
    check_real_number,
    check_share,
    refuse_prevalence,
)
from sklearn_ap._results.result import Json, Notes
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import (
    count_as_text,
    given_as_text,
    k_as_text,
    level_as_text,
    rounded_as_text,
    title_with_prevalence,
)
from sklearn_ap._results.uncertainty_warnings import UncertaintyWarning
from sklearn_ap._types import Argument, Array, Bool, FloatOrArray
from sklearn_ap.inference._cuts import Cut, Cuts
from sklearn_ap.inference._guarantees import (
    have_precision,
    have_recall,
    is_hardly_shown,
    rows_without_error,
)

GOAL_OPTIONS = ("precision", "recall", "k", "cost", "threshold")
ERRORS = ("false_positive", "false_negative")


def check_goal(guarantee: Argument = None, **options: Argument) -> Goal:
    """Make the goal of the options that are not None; refuse several goals, and wrong values."""
    passed = {name: value for name, value in options.items() if value is not None}
    if len(passed) != 1 and {*passed} != {"precision", "recall"}:
        texts = ", ".join(f"{name}={value!r}" for name, value in passed.items()) or "none of them"
        raise TypeError(
            f"Pass one of precision, recall, k, cost and threshold, or precision and recall, got "
            f"{texts}."
        )
    goal: Goal
    if "k" in passed:
        goal = RowGoal(k=check_ranks(passed["k"]))
    elif "cost" in passed:
        goal = CostGoal(cost=_check_cost(passed["cost"]))
    elif "threshold" in passed:
        goal = GivenThreshold(threshold=_check_threshold(passed["threshold"]))
    else:
        goal = ShareGoal(**{name: check_share(name, share) for name, share in passed.items()})
    return goal if guarantee is None else goal.guaranteed(guarantee)


def _check_threshold(threshold: Argument) -> float:
    if not isfinite(number := check_real_number("threshold", threshold)):
        raise ValueError(f"threshold must be finite, got {threshold!r}.")
    return int(threshold) if isinstance(threshold, Integral) else number


def _check_cost(cost: Argument) -> dict[str, float]:
    """Check the costs of a false positive and of a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r:.80}.")
    costs = {name: check_real_number(f"cost of a {name}", cost[name]) for name in ERRORS}
    are_valid = all(0 <= number < np.inf for number in costs.values())
    if not are_valid or not any(costs.values()):
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
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

    @property
    def shares(self) -> dict[str, float]:
        """The precision and the recall to be reached, as far as they were asked for."""
        both = {"precision": self.precision, "recall": self.recall}
        return {name: share for name, share in both.items() if share is not None}

    @property
    def planned_recall(self) -> float | None:
        """The recall of a larger sample, if only a recall was asked for; None if that is open."""
        return self.recall if self.precision is None else None

    def to_dict(self) -> dict[str, Json]:
        """Return the options for JSON, None for those of other goals."""
        options = {name: getattr(self, name) for name in GOAL_OPTIONS}
        return options | {"cost": None if self.cost is None else {**self.cost}}

    def check_prevalence(self, prevalence: Argument) -> float | None:
        """Check the prevalence, which does not go with a number of rows."""
        if prevalence is None:
            return None
        refuse_prevalence(prevalence, self.k)
        return check_prevalence(prevalence)

    def guaranteed(self, guarantee: Argument) -> Goal:
        """Return the goal with a guarantee; refuse one that it cannot have."""
        raise ValueError(
            "guarantee does not go with k, cost and threshold: it is for a precision or a recall. "
            "Leave it out."
        )

    @abstractmethod
    def choose(self, cuts: Cuts) -> Cut | None:
        """Choose the best threshold that reaches the goal; None if none does."""

    def warnings(self, cuts: Cuts) -> list[Warning]:
        """Warn of a chosen threshold that is doubtful."""
        return []

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        """Return what a chosen threshold costs, or how far thresholds get where none is chosen."""
        return {}

    def claim(self, notes: Notes, sample: Sample) -> str:
        """Say what is known of a chosen threshold."""
        return ""

    def shortfall(self, notes: Notes, sample: Sample) -> list[str]:
        """Say why there is no threshold, and how far thresholds get."""
        return []


@dataclass(frozen=True, kw_only=True)
class GivenThreshold(Goal):
    """A threshold that the user has, to be measured."""

    threshold: float

    @property
    def title(self) -> str:
        return f"given threshold {self.threshold}"

    @property
    def text(self) -> str:
        return "the given threshold"

    def choose(self, cuts: Cuts) -> Cut:
        return cuts.given_cut(self.threshold)

    def warnings(self, cuts: Cuts) -> list[Warning]:
        """Warn if the threshold selects all scored rows, or none, as one of another scale does."""
        cut = self.choose(cuts)
        n_selected = cut.tp + cut.fp
        if not cuts.scores.size or 0 < n_selected < cuts.n_selected[-1]:
            return []
        selects = "all scored rows" if n_selected else "no row"
        lowest, highest = cuts.scores[-1], cuts.scores[0]
        text = (
            f"threshold={self.threshold} selects {selects}, as scores lie from {lowest:g} to "
            f"{highest:g}."
        )
        return [UserWarning(text)]


@dataclass(frozen=True, kw_only=True)
class RowGoal(Goal):
    """At most a number of rows, or a share of them below 1. The lowest threshold is best."""

    k: float

    @property
    def text(self) -> str:
        return f"at most {k_as_text(self.k)} of the rows"

    def choose(self, cuts: Cuts) -> Cut | None:
        most = cuts.most_rows(self.k) * (1 + cuts.rounding)
        return cuts.lowest(cuts.n_selected <= most)

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        if cut is not None or not cuts.scores.size:
            return {}
        return {"n_tied": float(cuts.n_selected[0])}

    def shortfall(self, notes: Notes, sample: Sample) -> list[str]:
        tied = count_as_text(float(notes["n_tied"]))
        rows = "" if sample.weight_share is None else "rows of weight "
        return [f"No threshold selects so few rows: {rows}{tied} share the highest score."]


@dataclass(frozen=True, kw_only=True)
class CostGoal(Goal):
    """The least expected cost of false positives and false negatives."""

    cost: Mapping[str, float] = field(hash=False)  # dicts have no hash

    @property
    def text(self) -> str:
        false_positive, false_negative = (given_as_text(self.cost[name]) for name in ERRORS)
        return f"costs {false_positive} and {false_negative} of false positives and negatives"

    def choose(self, cuts: Cuts) -> Cut | None:
        # The first cost is that of selecting nothing.
        tps, fps = np.append(0, cuts.tps), np.append(0, cuts.fps)
        costs = np.asarray(self._cost_per_row(cuts, tps, fps))
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cuts.cut(cheapest - 1) if cheapest else None

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        tp, fp = (0, 0) if cut is None else (cut.tp, cut.fp)
        return {"cost": float(self._cost_per_row(cuts, tp, fp))}

    def claim(self, notes: Notes, sample: Sample) -> str:
        cost = rounded_as_text(float(notes["cost"]), 4)
        return f"that costs least in this sample, {cost} per row."

    def shortfall(self, notes: Notes, sample: Sample) -> list[str]:
        return [f"Select no row: {self.claim(notes, sample)}"]

    def _cost_per_row(self, cuts: Cuts, tp: Array | float, fp: Array | float) -> FloatOrArray:
        """Return the expected cost at the prevalence."""
        n_all = cuts.n_positives + cuts.negative_weight * cuts.n_negatives
        false_positives = cuts.negative_weight * fp / n_all
        false_negatives = (cuts.n_positives - tp) / n_all
        return (
            self.cost["false_positive"] * false_positives
            + self.cost["false_negative"] * false_negatives
        )


@dataclass(frozen=True, kw_only=True)
class ShareGoal(Goal):
    """A precision, a recall, or both, to be reached in the sample.

    With a precision, the highest recall is best; without, the highest precision.
    """

    precision: float | None = None
    recall: float | None = None

    @property
    def text(self) -> str:
        shares = self.shares.items()
        return " and ".join(f"{name} >= {given_as_text(share)}" for name, share in shares)

    def guaranteed(self, guarantee: Argument) -> GuaranteedShareGoal:
        for name, share in self.shares.items():
            if not 0 < share < 1:
                raise ValueError(f"{name} must lie within (0, 1) with a guarantee, got {share!r}.")
        guarantee = check_open_share("guarantee", guarantee)
        if guarantee < 0.5:
            raise ValueError(
                f"guarantee must be at least 0.5, got {guarantee!r}: it is how often the threshold "
                f"truly has what is asked for, such as 0.9, and not how often it may fail."
            )
        return GuaranteedShareGoal(
            precision=self.precision, recall=self.recall, guarantee=guarantee
        )

    def choose(self, cuts: Cuts) -> Cut | None:
        is_reached = self._reach_shares(cuts)
        if self.precision is None:
            # The order of precisions in the sample is also that at any prevalence.
            precision = np.where(is_reached, cuts.tps / cuts.n_selected, -1)
            least = precision.max(initial=0) * (1 - cuts.rounding)
            return cuts.lowest(is_reached & (precision >= least))
        if not is_reached.any():
            return None
        # Of equal recalls, the first has the highest precision.
        return cuts.cut(int(np.argmax(np.where(is_reached, cuts.tps, -1))))

    def warnings(self, cuts: Cuts) -> list[Warning]:
        """Warn if luck alone explains the precision of every threshold."""
        if self.precision is None:
            return []
        precision = cuts.precision_in_sample(self.precision)
        if not is_hardly_shown(cuts.tps, cuts.n_selected, precision, cuts.rows_per_weight):
            return []
        text = (
            f"The sample hardly shows that any threshold has a precision of "
            f"{given_as_text(self.precision)}, and there may be none. The recall at this "
            f"threshold is then too high, and its interval may be too narrow. "
            f"{'Pass a guarantee, collect' if cuts.has_equal_rows else 'Collect'} more rows, or "
            f"ask for a lower precision."
        )
        return [UncertaintyWarning(text, "unattainable precision")]

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        if cut is not None or not cuts.tps.any():
            return {}
        notes = {}
        for name in self.shares:
            shares = getattr(cuts, name)[self._leave_out(name)._reach_shares(cuts)]
            notes[f"best_{name}"] = float(shares.max()) if shares.size else nan
        return notes

    def claim(self, notes: Notes, sample: Sample) -> str:
        they = "they" if len(self.shares) > 1 else "it"
        return f"{self._statement(sample)}. On other data, {they} may be lower."

    def shortfall(self, notes: Notes, sample: Sample) -> list[str]:
        sentences = [f"There is no threshold for which, {self._statement(sample)}."]
        for name in reversed(self.shares):
            other = self._leave_out(name).text
            highest = float(notes[f"best_{name}"])
            text = f"{_title(name, sample)} is {rounded_as_text(highest, 4)} in this sample."
            if not other:
                sentences.append(f"The highest {text}")
            elif isnan(highest):
                sentences.append(f"There is none for {other} alone.")
            else:
                sentences.append(f"With {other} alone, the {text}")
        return sentences

    def _leave_out(self, name: str) -> Self:
        return replace(self, **{name: None})

    def _reach_shares(self, cuts: Cuts) -> Bool:
        """Find the thresholds that reach all shares."""
        is_reached = np.ones(cuts.scores.size, bool)
        for name, share in self.shares.items():
            is_reached &= self._reach_share(name, share, cuts)
        return is_reached

    def _reach_share(self, name: str, share: float, cuts: Cuts) -> Bool:
        """Find the thresholds that have a precision or a recall."""
        if name == "precision":
            return reach_precision(cuts.precision, cuts.fps, share, cuts.rounding)
        return reach(cuts.recall, share, cuts.rounding)

    def _statement(self, sample: Sample) -> str:
        """Write "in this sample, the precision is at least 0.7 and the recall is at least 0.5"."""
        return f"in this sample, {_claims('the', self, sample)}"


@dataclass(frozen=True, kw_only=True)
class GuaranteedShareGoal(ShareGoal):
    """A precision, a recall, or both, which tests must show with a confidence: the guarantee."""

    guarantee: float

    def choose(self, cuts: Cuts) -> Cut | None:
        if self.precision is None:
            return super().choose(cuts)
        return cuts.lowest(self._reach_shares(cuts))  # its true recall is the highest

    def warnings(self, cuts: Cuts) -> list[Warning]:
        return []

    def notes(self, cuts: Cuts, cut: Cut | None) -> dict[str, float]:
        """Return also how many rows without an error show a precision or a recall alone."""
        notes = super().notes(cuts, cut)
        if not notes or len(self.shares) > 1:
            return notes
        ((name, share),) = self.shares.items()
        if name == "precision":
            share = cuts.precision_in_sample(share)
        return notes | {"n_without_error": rows_without_error(share, 1 - self.guarantee)}

    def claim(self, notes: Notes, sample: Sample) -> str:
        return f"{self._statement(sample)}."

    def shortfall(self, notes: Notes, sample: Sample) -> list[str]:
        sentences = super().shortfall(notes, sample)
        if len(self.shares) > 1:
            sentence = "Alone, a goal has the whole error; both together have half of it each."
        else:
            n_rows = count_as_text(float(notes["n_without_error"]))
            rows = "positives" if self.precision is None else "selected rows"
            sentence = f"To show it takes at least {n_rows} {rows} without an error."
        return [*sentences, sentence]

    def _reach_share(self, name: str, share: float, cuts: Cuts) -> Bool:
        """Find the thresholds that are shown to have a precision or a recall."""
        alpha = (1 - self.guarantee) / len(self.shares)  # two goals share the error
        if name == "recall":
            return have_recall(cuts.tps, cuts.n_positives, share, alpha)
        precision = cuts.precision_in_sample(share)
        return have_precision(cuts.tps, cuts.n_selected, precision, alpha)

    def _statement(self, sample: Sample) -> str:
        confidence = level_as_text(self.guarantee)
        return f"with {confidence} confidence, {_claims('the true', self, sample)}"


def _claims(article: str, goal: ShareGoal, sample: Sample) -> str:
    """Write "the precision at prevalence 0.05 is at least 0.7 and the recall is at least 0.5"."""
    return " and ".join(
        f"{article} {_title(name, sample)} is at least {given_as_text(share)}"
        for name, share in goal.shares.items()
    )


def _title(share: str, sample: Sample) -> str:
    """Write "precision at prevalence 0.05", or "recall", which no prevalence changes."""
    return title_with_prevalence(share, sample.target_prevalence if share == "precision" else None)
