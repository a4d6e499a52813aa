"""What a report tells: a record for each kind of fact, which writes its numbers in a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._report._calls import Typed
from sklearn_ap._results.result import Json
from sklearn_ap._results.text import (
    count_as_text,
    estimate_as_text,
    interval_of,
    k_as_text,
    level_as_text,
    names_as_text,
    pvalue_phrase,
    score_as_text,
    share_as_text,
)
from sklearn_ap._types import FloatOrArray
from sklearn_ap.inference.comparison_result import ALLOWS_FOR_CHOICE, Comparison
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint
from sklearn_ap.inference.threshold_goals import Goal

# What is not known of predictions without times, segments or clusters.
UNSEEN = {
    "times": "falls",
    "segments": "worse segments",
    "clusters": "rows that depend on each other",
}

# ---- numbers


class Measured(NamedTuple):
    """A score, a share or a difference, with its limits at a level.

    They allow for a choice of one of ``n_starts`` times.
    """

    value: float
    low: float
    high: float
    level: float
    n_starts: int = 1

    def text(self, sign: str = "", level: str = "") -> str:
        """Write it with its limits."""
        return estimate_as_text(self.value, self.low, self.high, sign=sign, level=level)

    def phrase(self, sign: str = "") -> str:
        """Write it with its limits, their level, and of how many starts one was chosen."""
        chosen = f" for any of {self.n_starts} starts" if self.n_starts > 1 else ""
        return self.text(sign, f"{interval_of(self.level)}{chosen}")

    def phrase_of_loss(self) -> str:
        """Write a negative difference without signs."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low).phrase()


def read_score(result: Interval | Comparison, row: int = 0) -> Measured:
    """Read a score."""
    return _read_row(row, result.estimate, result.low, result.high, result.confidence_level)


def read_difference(result: Comparison, row: int | None = None) -> Measured:
    """Read the difference of a score from its reference; of two models, there is only one."""
    if row is None:
        (row,) = np.flatnonzero(result.is_compared).tolist()
    limits = result.difference_low, result.difference_high
    return _read_row(row, result.difference, *limits, result.confidence_level)


def read_shares(result: OperatingPoint) -> tuple[Measured, Measured]:
    """Read the precision and the recall at a threshold."""
    level = result.confidence_level
    return Measured(*result.precision, level), Measured(*result.recall, level)


def _read_row(
    row: int, value: FloatOrArray, low: FloatOrArray, high: FloatOrArray, level: float
) -> Measured:
    """Read numbers of Python, from those of one score or from a row of several."""
    value, low, high = (float(np.atleast_1d(numbers)[row]) for numbers in (value, low, high))
    return Measured(value, low, high, level)


def write_k(k: float) -> str:
    """Name first rows: a share of all, or a number for each query."""
    return f"{k_as_text(k)} of each query" if k >= 1 else k_as_text(k)


# ---- facts


@dataclass(frozen=True)
class Fact:
    """A finding with its sentence, and the calls that give its numbers."""

    calls: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    @property
    def sentence(self) -> str:
        """All numbers and names in words."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Json]:
        """Return its numbers and names, for JSON; None stands for nan."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self) if each.repr}


def as_json(value: object) -> Json:
    """Turn a value of a fact into one of JSON."""
    if isinstance(value, Fact):
        return value.to_dict()
    if isinstance(value, Measured):
        return {name: as_json(number) for name, number in value._asdict().items()}
    if isinstance(value, Goal):
        return value.to_dict()
    if isinstance(value, tuple):
        return [*map(as_json, value)]
    return None if value != value else cast(Json, value)


@dataclass(frozen=True)
class Refused(Fact):
    """Why a public function does not answer."""

    message: str

    @property
    def sentence(self) -> str:
        return f"Left out: {self.message}"


@dataclass(frozen=True)
class ModelScore(Fact):
    """The score of a model."""

    model: str
    score: Measured

    @property
    def sentence(self) -> str:
        return f"{self.model} scores {self.score.phrase()}."


# ---- comparisons over all rows


@dataclass(frozen=True)
class TwoModels(Fact):
    """The difference of two models over all rows."""

    model: str
    other: str
    difference: Measured


@dataclass(frozen=True)
class Lead(TwoModels):
    """The first model is better."""

    @property
    def sentence(self) -> str:
        difference = self.difference.phrase("+")
        return f"{self.model} is better than {self.other} over all rows: {difference}."


@dataclass(frozen=True)
class NoLead(TwoModels):
    """No test shows a difference."""

    @property
    def sentence(self) -> str:
        models, difference = f"{self.model} and {self.other}", self.difference.phrase("+")
        return f"No difference between {models} is shown over all rows: {difference}."


@dataclass(frozen=True)
class HighestScore(Fact):
    """The model that scores most of several."""

    model: str
    score: Measured
    n_models: int


@dataclass(frozen=True)
class Best(HighestScore):
    """It is better than all others."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.model} is the best of {count_as_text(self.n_models)} models over all rows: it "
            f"scores {self.score.phrase()}; {ALLOWS_FOR_CHOICE}."
        )


@dataclass(frozen=True)
class MayBeBest(HighestScore):
    """Others may be the best, too."""

    others: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return (
            f"{self.model} scores most of {count_as_text(self.n_models)} models, "
            f"{self.score.phrase()}, but the best may also be {names_as_text(self.others)}; "
            f"{ALLOWS_FOR_CHOICE}."
        )


@dataclass(frozen=True)
class BesideChance(Fact):
    """A model beside random orders."""

    model: str
    chance: float
    pvalue: float

    @property
    def random_orders(self) -> str:
        """What random orders score, and the test."""
        chance = score_as_text(self.chance)
        return f"random orders, which score {chance} on average ({pvalue_phrase(self.pvalue)})"


@dataclass(frozen=True)
class Chance(BesideChance):
    """The model ranks better."""

    @property
    def sentence(self) -> str:
        return f"{self.model} ranks better than {self.random_orders}."


@dataclass(frozen=True)
class NotAboveChance(BesideChance):
    """No test shows that the model ranks better."""

    @property
    def sentence(self) -> str:
        return f"{self.model} is not shown to rank better than {self.random_orders}."


# ---- segments and times


@dataclass(frozen=True)
class WorsePlace(Fact):
    """Rows of a column in which a model scores less than in its other rows."""

    model: str
    column: str
    segment: str
    rows: Typed = field(repr=False, compare=False)
    score: float
    difference: Measured

    @property
    def where(self) -> str:
        """The place, in a sentence."""
        raise NotImplementedError


@dataclass(frozen=True)
class WorseSegment(WorsePlace):
    """A segment in which a model scores less than in the others."""

    @property
    def where(self) -> str:
        return f"in {self.column} {self.segment}"

    @property
    def sentence(self) -> str:
        score, loss = score_as_text(self.score), self.difference.phrase_of_loss()
        return f"{self.model} scores {score} {self.where}, {loss} less than in the others."


@dataclass(frozen=True)
class Fall(WorsePlace):
    """The latest times, from ``segment`` on, in which a model scores less than before."""

    before: float
    n_times: int

    @property
    def where(self) -> str:
        if self.n_times == 1:
            return f"in {self.segment}, the latest {self.column}"
        return f"since {self.segment}"

    @property
    def sentence(self) -> str:
        before, score = score_as_text(self.before), score_as_text(self.score)
        loss = self.difference.phrase_of_loss()
        return f"{self.model} falls from {before} to {score} {self.where}, by {loss}."


@dataclass(frozen=True)
class BetterThere(Fact):
    """Another model that is better in a segment in which one is worse, or since it fell."""

    place: WorsePlace
    other: str
    score: float
    other_score: float
    difference: Measured

    @property
    def sentence(self) -> str:
        model, where = self.place.model, self.place.where
        other_score, score = score_as_text(self.other_score), score_as_text(self.score)
        return (
            f"{self.other} is better than {model} {where}: it scores {other_score} and {model} "
            f"{score}, {self.difference.phrase('+')}."
        )


class SegmentScore(NamedTuple):
    """The score of a segment."""

    score: float
    segment: str

    @property
    def phrase(self) -> str:
        """The score, and where it is."""
        return f"{score_as_text(self.score)} in {self.segment}"


@dataclass(frozen=True)
class EvenSegments(Fact):
    """Segments of which none is shown to be worse: adjusted p-values are above a level."""

    model: str
    column: str
    level: float
    lowest: SegmentScore
    highest: SegmentScore

    @property
    def sentence(self) -> str:
        return (
            f"No {self.column} is shown to be worse for {self.model}: none has an adjusted p-value "
            f"below {score_as_text(self.level)}. It scores from {self.lowest.phrase} to "
            f"{self.highest.phrase}."
        )


# ---- thresholds and top rows


@dataclass(frozen=True)
class TopRows(Fact):
    """The precision and recall of the first rows: a share of all, or ranks of each query."""

    model: str
    k: float
    precision: Measured
    recall: Measured

    @property
    def sentence(self) -> str:
        precision, recall = share_as_text(self.precision.value), share_as_text(self.recall.value)
        return (
            f"Of the top {write_k(self.k)} by {self.model}, {precision} are positive, and they "
            f"hold {recall} of the positives."
        )


@dataclass(frozen=True)
class GoalThreshold(Fact):
    """What is found for a goal of thresholds."""

    model: str
    goal: Goal


@dataclass(frozen=True)
class Threshold(GoalThreshold):
    """A threshold for a goal.

    ``guarantee`` is the confidence that it truly reaches the goal, 0 without a guarantee, and None
    for a goal that has none: it is neither a precision nor a recall.
    """

    threshold: float
    n_selected: int
    precision: Measured
    recall: Measured
    guarantee: float | None
    unlike: tuple[str, ...]  # what makes rows count unlike, so that nothing is guaranteed

    @property
    def sentence(self) -> str:
        n_rows, recall = count_as_text(self.n_selected), share_as_text(self.recall.value)
        guarantee = ""
        if self.guarantee:
            guarantee = f", guaranteed with {level_as_text(self.guarantee)} confidence"
        elif self.guarantee is not None:
            reason = f" because of {names_as_text(self.unlike)}" if self.unlike else ""
            guarantee = f", without a guarantee{reason}"
        return (
            f"Select rows where {self.model} scores {self.threshold} or more: {n_rows} rows with "
            f"{recall} of the positives and a precision of {self.precision.phrase()}, for "
            f"{self.goal.text}{guarantee}."
        )


@dataclass(frozen=True)
class NoThreshold(GoalThreshold):
    """A goal for which there is no threshold."""

    @property
    def sentence(self) -> str:
        return f"No threshold of {self.model} is shown to suffice for {self.goal.text}."


@dataclass(frozen=True)
class ThresholdThere(Fact):
    """The rows and positives that a threshold selects where its model is worse."""

    place: WorsePlace
    n_selected: int
    n_hits: int
    n_positives: int

    @property
    def sentence(self) -> str:
        n_selected, n_hits = count_as_text(self.n_selected), count_as_text(self.n_hits)
        return (
            f"Of the rows {self.place.where}, it selects {n_selected}, with {n_hits} of the "
            f"{count_as_text(self.n_positives)} positives."
        )


# ---- doubts


@dataclass(frozen=True)
class Looked(Fact):
    """The columns that were looked at, and those without which more could be wrong."""

    columns: tuple[str, ...]  # and queries, clusters and weights
    lacks: tuple[str, ...]  # of times, segments and clusters

    @property
    def sentence(self) -> str:
        looked = f"Looked at: {', '.join(['labels', 'scores', *self.columns])}."
        if not self.lacks:
            return looked
        unseen = names_as_text([UNSEEN[name] for name in self.lacks])
        return f"For lack of {names_as_text(self.lacks)}, nothing is known of {unseen}. {looked}"


@dataclass(frozen=True)
class ChangedShare(Fact):
    """A latest time with another share of positives than before."""

    column: str
    segment: str
    share: float
    before: float

    @property
    def sentence(self) -> str:
        return (
            f"{share_as_text(self.share)} of the rows are positive in {self.segment}, the latest "
            f"{self.column}, and {share_as_text(self.before)} before: labels may be missing, or "
            f"mean something else."
        )


@dataclass(frozen=True)
class Warned(Fact):
    """Warnings of public functions, and the models about which they are."""

    n_warnings: int
    kinds: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def sentence(self) -> str:
        about = f" about {names_as_text(self.models)}" if self.models else ""
        kinds = f": {names_as_text(self.kinds)}" if self.kinds else ""
        return f"Warnings{about} stand below ({count_as_text(self.n_warnings)}){kinds}."
