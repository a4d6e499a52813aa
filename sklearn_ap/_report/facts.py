"""What a report tells: a record for each kind of fact, which holds numbers and names."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from sklearn_ap._report.columns import SelectedRows, UnusedColumn
from sklearn_ap._results.result import Json
from sklearn_ap._types import Argument


class Measured(NamedTuple):
    """A score, a share or a difference, with its limits at a level.

    They allow for a choice of one of ``n_starts`` times.
    """

    value: float
    low: float
    high: float
    level: float
    n_starts: int = 1


def plain(value: Argument) -> Argument:
    """Turn numbers of NumPy into those of Python."""
    if isinstance(value, Measured | UnusedColumn):
        return type(value)(*map(plain, value))
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Fact:
    """What is told, and the calls that give its numbers."""

    calls: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, plain(getattr(self, each.name)))

    @property
    def template(self) -> str:
        """The name of its template."""
        return type(self).__name__

    def to_dict(self) -> dict[str, Json]:
        """Return its numbers and names, for JSON; None stands for nan."""
        shown = (each.name for each in fields(self) if each.repr)
        return {name: as_json(getattr(self, name)) for name in shown}


def as_json(value: Argument) -> Json:
    """Turn a value of a fact into one of JSON."""
    if isinstance(value, Fact):
        return value.to_dict()
    if isinstance(value, Measured | UnusedColumn):
        return {name: as_json(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [*map(as_json, value)]
    return None if value != value else value


@dataclass(frozen=True)
class Refused(Fact):
    """Why a public function does not answer."""

    message: str


@dataclass(frozen=True)
class Score(Fact):
    """The score of a model."""

    model: str
    score: Measured


@dataclass(frozen=True)
class Lead(Fact):
    """The difference of two models over all rows, shown by a test or not."""

    model: str
    other: str
    difference: Measured
    is_shown: bool

    @property
    def template(self) -> str:
        return "Lead" if self.is_shown else "NoLead"


@dataclass(frozen=True)
class Best(Fact):
    """The model of several that scores most, and others that may be the best, too."""

    model: str
    score: Measured
    n_models: int
    others: tuple[str, ...]

    @property
    def template(self) -> str:
        return "MayBeBest" if self.others else "Best"


@dataclass(frozen=True)
class Chance(Fact):
    """Random orders beside a model, which ranks better by a test or not."""

    model: str
    chance: float
    pvalue: float
    is_above: bool

    @property
    def template(self) -> str:
        return "Chance" if self.is_above else "NotAboveChance"


@dataclass(frozen=True)
class WorseSegment(Fact):
    """A segment in which a model scores less than in the others."""

    model: str
    column: str
    segment: str
    rows: SelectedRows = field(repr=False, compare=False)
    score: float
    difference: Measured


@dataclass(frozen=True)
class Fall(WorseSegment):
    """The latest times, from ``segment`` on, in which a model scores less than before."""

    before: float
    n_times: int


@dataclass(frozen=True)
class BetterThere(Fact):
    """Another model that is better in a segment in which one is worse, or since it fell."""

    place: WorseSegment
    other: str
    score: float
    other_score: float
    difference: Measured


@dataclass(frozen=True)
class EvenSegments(Fact):
    """Segments of which none is shown to be worse: adjusted p-values are above a level."""

    model: str
    column: str
    level: float
    lowest: tuple[float, str]  # the score, and the segment
    highest: tuple[float, str]


@dataclass(frozen=True)
class FewInSegments(Fact):
    """Segments with too few positives to compare any."""

    column: str


@dataclass(frozen=True)
class TopRows(Fact):
    """The precision and recall of the first rows: a share of all, or ranks of each query."""

    model: str
    k: float
    precision: Measured
    recall: Measured


@dataclass(frozen=True)
class Threshold(Fact):
    """A threshold for a precision, without a guarantee if ``guarantee`` is 0."""

    model: str
    goal: float
    threshold: float
    n_selected: int
    precision: Measured
    recall: Measured
    guarantee: float


@dataclass(frozen=True)
class NoThreshold(Fact):
    """A precision for which there is no threshold."""

    model: str
    goal: float


@dataclass(frozen=True)
class ThresholdThere(Fact):
    """What a threshold finds in a segment in which its model is worse."""

    place: WorseSegment
    n_selected: int
    n_hits: int
    n_positives: int


@dataclass(frozen=True)
class Doubt(Fact):
    """A reason to distrust labels or scores."""


@dataclass(frozen=True)
class NotLookedAt(Doubt):
    """Columns of a file that were not used, which a command takes as segments or as clusters."""

    columns: tuple[UnusedColumn, ...]
    takes_segments: bool = True

    @property
    def template(self) -> str:
        return "NotLookedAt" if self.takes_segments else "NotLookedAtHere"


@dataclass(frozen=True)
class Looked(Doubt):
    """What was looked at, and for lack of what other doubts could not be."""

    columns: tuple[str, ...]  # and queries, clusters and weights
    lacks: tuple[str, ...]  # of times, segments and clusters

    @property
    def template(self) -> str:
        return "LookedInPart" if self.lacks else "Looked"


@dataclass(frozen=True)
class FewPositives(Doubt):
    """Too few positives for any answer."""

    n_positives: int


@dataclass(frozen=True)
class PredictedClasses(Doubt):
    """Scores of one or two values."""

    model: str


@dataclass(frozen=True)
class ReversedScores(Doubt):
    """A model that scores less than random orders, which score the prevalence."""

    model: str
    score: Measured
    prevalence: float


@dataclass(frozen=True)
class UnlikeLabels(Doubt):
    """A latest time with another share of positives than before."""

    column: str
    segment: str
    share: float
    before: float


@dataclass(frozen=True)
class Warned(Doubt):
    """Warnings of public functions."""

    n_warnings: int
    kinds: tuple[str, ...]
