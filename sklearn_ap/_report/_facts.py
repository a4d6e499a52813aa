"""What a report tells: a record for each kind of fact, which holds numbers and names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sklearn_ap._report.data import Coded


class Estimate(NamedTuple):
    """A score, a share or a difference, with its limits at a level."""

    value: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Fact:
    """What is told, and the calls that give its numbers."""

    calls: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    @property
    def kind(self) -> str:
        """The name of its template."""
        return type(self).__name__


@dataclass(frozen=True)
class Refused(Fact):
    """Why a public function does not answer."""

    message: str


@dataclass(frozen=True)
class Score(Fact):
    """The score of a model."""

    model: str
    score: Estimate


@dataclass(frozen=True)
class Lead(Fact):
    """The difference of two models over all rows, shown by a test or not."""

    model: str
    other: str
    difference: Estimate
    is_shown: bool

    @property
    def kind(self) -> str:
        return "Lead" if self.is_shown else "NoLead"


@dataclass(frozen=True)
class Best(Fact):
    """The model of several that scores most, and others that may be the best, too."""

    model: str
    score: Estimate
    n_models: int
    others: tuple[str, ...]

    @property
    def kind(self) -> str:
        return "MayBeBest" if self.others else "Best"


@dataclass(frozen=True)
class Chance(Fact):
    """Random orders beside a model, which ranks better by a test or not."""

    model: str
    chance: float
    pvalue: float
    is_above: bool

    @property
    def kind(self) -> str:
        return "Chance" if self.is_above else "NotAboveChance"


@dataclass(frozen=True)
class WorseSegment(Fact):
    """A segment in which a model scores less than in the others."""

    model: str
    column: str
    segment: str
    rows: Coded = field(repr=False, compare=False)
    score: float
    difference: Estimate


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
    difference: Estimate


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
    precision: Estimate
    recall: Estimate


@dataclass(frozen=True)
class Threshold(Fact):
    """A threshold for a precision, without a guarantee if ``guarantee`` is 0."""

    model: str
    goal: float
    threshold: float
    n_selected: int
    precision: Estimate
    recall: Estimate
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
    score: Estimate
    prevalence: float


@dataclass(frozen=True)
class UnlikeLabels(Doubt):
    """A latest time with another share of positives than before."""

    column: str
    segment: str
    share: float
    before: float


@dataclass(frozen=True)
class UnlikeScales(Doubt):
    """A segment of which a threshold selects more negatives than elsewhere."""

    model: str
    column: str
    segment: str
    share: float
    elsewhere: float


@dataclass(frozen=True)
class Warned(Doubt):
    """Warnings of public functions."""

    n_warnings: int
    kinds: tuple[str, ...]
