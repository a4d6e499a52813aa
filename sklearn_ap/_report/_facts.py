"""What a report tells: a record for each kind of fact, and how its words write its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from string import Formatter
from typing import ClassVar, NamedTuple

import numpy as np

from sklearn_ap._report._calls import Coded
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
from sklearn_ap._types import Argument, FloatOrArray
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.goals import Goal
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint

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


def score_of(result: Interval | Comparison, row: int = 0) -> Measured:
    """Read a score."""
    return _measured_in_row(row, result.estimate, result.low, result.high, result.confidence_level)


def difference_of(result: Comparison, row: int | None = None) -> Measured:
    """Read the difference of a score from its reference; of two models, it is that of the other."""
    if row is None:
        (row,) = np.flatnonzero(result.is_compared).tolist()
    limits = result.difference_low, result.difference_high
    return _measured_in_row(row, result.difference, *limits, result.confidence_level)


def precision_and_recall(result: OperatingPoint) -> tuple[Measured, Measured]:
    """Read the precision and the recall at a threshold."""
    level = result.confidence_level
    return Measured(*result.precision, level), Measured(*result.recall, level)


def _measured_in_row(
    row: int, value: FloatOrArray, low: FloatOrArray, high: FloatOrArray, level: float
) -> Measured:
    """Read numbers of Python, from those of one score or from a row of several."""
    value, low, high = (float(np.atleast_1d(each)[row]) for each in (value, low, high))
    return Measured(value, low, high, level)


UNSEEN = {
    "times": "falls",
    "segments": "worse segments",
    "clusters": "rows that depend on each other",
}


def loss_text(value: Measured) -> str:
    """Write a negative difference without signs."""
    return value._replace(value=-value.value, low=-value.high, high=-value.low).phrase()


def top_text(k: float) -> str:
    """Name first rows: a share of all, or a number for each query."""
    return f"{k_as_text(k)} of each query" if k >= 1 else k_as_text(k)


def guarantee_text(value: float | None) -> str:
    """Say how sure a precision is, if one was asked for."""
    if value is None:
        return ""
    sure = f"guaranteed with {level_as_text(value)} confidence" if value else "without a guarantee"
    return f", {sure}"


def lacks_text(names: Sequence[str]) -> str:
    """Say what is not known without times, segments or clusters."""
    unseen = names_as_text([UNSEEN[each] for each in names])
    return f"For lack of {names_as_text(names)}, nothing is known of {unseen}. " if names else ""


# How fields are written, by the words behind colons.
FORMAT_SPECS: dict[str, Callable[..., str]] = {
    "": str,
    "about": lambda names: f" about {names_as_text(names)}" if names else "",
    "because": lambda names: f" because of {names_as_text(names)}" if names else "",
    "change": lambda value: value.phrase("+"),
    "count": count_as_text,
    "guarantee": guarantee_text,
    "interval": Measured.phrase,
    "kinds": lambda value: f": {names_as_text(value)}" if value else "",
    "lacks": lacks_text,
    "loss": loss_text,
    "more": lambda value: "".join(f", {each}" for each in value),
    "names": names_as_text,
    "number": score_as_text,
    "pvalue": pvalue_phrase,
    "share": lambda value: share_as_text(value.value if isinstance(value, Measured) else value),
    "top": top_text,
}


class FactFormatter(Formatter):
    """Words whose fields name one of our formats."""

    def format_field(self, value: Argument, format_spec: str) -> str:
        return FORMAT_SPECS[format_spec](value)


# ---- facts


@dataclass(frozen=True)
class Fact:
    """What is told, and the calls that give its numbers.

    In its words, names in braces are fields, and what stands behind a colon is one of
    ``FORMAT_SPECS``.
    """

    words: ClassVar[str]
    calls: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    @property
    def sentence(self) -> str:
        """The words with all numbers and names."""
        return FactFormatter().vformat(self.words, (), {**vars(self), "self": self})

    def to_dict(self) -> dict[str, Json]:
        """Return its numbers and names, for JSON; None stands for nan."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self) if each.repr}


def as_json(value: Argument) -> Json:
    """Turn a value of a fact into one of JSON."""
    if isinstance(value, Fact):
        return value.to_dict()
    if isinstance(value, Measured):
        return {name: as_json(each) for name, each in value._asdict().items()}
    if isinstance(value, Goal):
        return value.to_dict()
    if isinstance(value, tuple):
        return [*map(as_json, value)]
    return None if value != value else value


@dataclass(frozen=True)
class Refused(Fact):
    """Why a public function does not answer."""

    words = "Left out: {message}"
    message: str


@dataclass(frozen=True)
class Score(Fact):
    """The score of a model."""

    words = "{model} scores {score:interval}."
    model: str
    score: Measured


@dataclass(frozen=True)
class Lead(Fact):
    """The difference of two models, of which one is better over all rows."""

    words = "{model} is better than {other} over all rows: {difference:change}."
    model: str
    other: str
    difference: Measured


@dataclass(frozen=True)
class NoLead(Lead):
    """The difference of two models, which no test shows."""

    words = "No difference between {model} and {other} is shown over all rows: {difference:change}."


@dataclass(frozen=True)
class Best(Fact):
    """The best of several models."""

    words = (
        "{model} is the best of {n_models:count} models over all rows: it scores {score:interval}."
    )
    model: str
    score: Measured
    n_models: int


@dataclass(frozen=True)
class MayBeBest(Best):
    """The model of several that scores most, and others that may be the best, too."""

    words = (
        "{model} scores most of {n_models:count} models, {score:interval}, but the best may also "
        "be {others:names}."
    )
    others: tuple[str, ...]


@dataclass(frozen=True)
class Chance(Fact):
    """Random orders, and a model that ranks better."""

    words = (
        "{model} ranks better than random orders, which score {chance:number} on average "
        "({pvalue:pvalue})."
    )
    model: str
    chance: float
    pvalue: float


@dataclass(frozen=True)
class NotAboveChance(Chance):
    """Random orders, and a model that no test shows to rank better."""

    words = (
        "{model} is not shown to rank better than random orders, which score {chance:number} on "
        "average ({pvalue:pvalue})."
    )


@dataclass(frozen=True)
class WorseSegment(Fact):
    """A segment in which a model scores less than in the others."""

    words = (
        "{model} scores {score:number} in {column} {segment}, {difference:loss} less than in the "
        "others."
    )
    model: str
    column: str
    segment: str
    rows: Coded = field(repr=False, compare=False)
    score: float
    difference: Measured

    @property
    def where(self) -> str:
        """Where it is, in a sentence."""
        return f"in {self.column} {self.segment}"


@dataclass(frozen=True)
class Fall(WorseSegment):
    """The latest times, from ``segment`` on, in which a model scores less than before."""

    words = (
        "{model} falls from {before:number} to {score:number} {self.where}, by {difference:loss}."
    )
    before: float
    n_times: int

    @property
    def where(self) -> str:
        if self.n_times == 1:
            return f"in {self.segment}, the latest {self.column}"
        return f"since {self.segment}"


@dataclass(frozen=True)
class BetterThere(Fact):
    """Another model that is better in a segment in which one is worse, or since it fell."""

    words = (
        "{other} is better than {place.model} {place.where}: it scores {other_score:number} and "
        "{place.model} {score:number}, {difference:change}."
    )
    place: WorseSegment
    other: str
    score: float
    other_score: float
    difference: Measured


@dataclass(frozen=True)
class EvenSegments(Fact):
    """Segments of which none is shown to be worse: adjusted p-values are above a level."""

    words = (
        "No {column} is shown to be worse for {model}: none has an adjusted p-value below "
        "{level:number}. It scores from {lowest[0]:number} in {lowest[1]} to {highest[0]:number} "
        "in {highest[1]}."
    )
    model: str
    column: str
    level: float
    lowest: tuple[float, str]  # the score, and the segment
    highest: tuple[float, str]


@dataclass(frozen=True)
class TopRows(Fact):
    """The precision and recall of the first rows: a share of all, or ranks of each query."""

    words = (
        "Of the top {k:top} by {model}, {precision:share} are positive, and they hold "
        "{recall:share} of the positives."
    )
    model: str
    k: float
    precision: Measured
    recall: Measured


@dataclass(frozen=True)
class Threshold(Fact):
    """A threshold for a goal, without a guarantee if ``guarantee`` is 0.

    Goals that are no precision and no recall have none to give: it is None.
    """

    words = (
        "Select rows where {model} scores {threshold} or more: {n_selected:count} rows with "
        "{recall:share} of the positives and a precision of {precision:interval}, for "
        "{goal.text}{guarantee:guarantee}{unlike:because}."
    )
    model: str
    goal: Goal
    threshold: float
    n_selected: int
    precision: Measured
    recall: Measured
    guarantee: float | None
    unlike: tuple[str, ...]  # what makes rows count unlike, as clusters do


@dataclass(frozen=True)
class NoThreshold(Fact):
    """A goal for which there is no threshold."""

    words = "No threshold of {model} is shown to suffice for {goal.text}."
    model: str
    goal: Goal


@dataclass(frozen=True)
class ThresholdThere(Fact):
    """What a threshold finds in a segment in which its model is worse."""

    words = (
        "Of the rows {place.where}, it selects {n_selected:count}, with {n_hits:count} of the "
        "{n_positives:count} positives."
    )
    place: WorseSegment
    n_selected: int
    n_hits: int
    n_positives: int


@dataclass(frozen=True)
class Looked(Fact):
    """What was looked at, and for lack of what other doubts could not be."""

    words = "{lacks:lacks}Looked at: labels, scores{columns:more}."
    columns: tuple[str, ...]  # and queries, clusters and weights
    lacks: tuple[str, ...]  # of times, segments and clusters


@dataclass(frozen=True)
class UnlikeLabels(Fact):
    """A latest time with another share of positives than before."""

    words = (
        "{share:share} of the rows are positive in {segment}, the latest {column}, and "
        "{before:share} before: labels may be missing, or mean something else."
    )
    column: str
    segment: str
    share: float
    before: float


@dataclass(frozen=True)
class Warned(Fact):
    """Warnings of public functions, and the models about which they are."""

    words = "Warnings{models:about} stand below ({n_warnings:count}){kinds:kinds}."
    n_warnings: int
    kinds: tuple[str, ...]
    models: tuple[str, ...]
