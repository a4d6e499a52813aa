"""What facts are: records of numbers and names, which write themselves in a sentence.

Each kind of fact but ``Refused`` stands in the file of its part of the page, with the rule that
finds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import NamedTuple, TypeVar, cast

import numpy as np

from sklearn_ap._report._calls import Calls
from sklearn_ap._types import FloatOrArray, Json
from sklearn_ap._writing.text import estimate_as_text, interval_as_text, title_with_prevalence
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.thresholds.goals import Goal

AnyFact = TypeVar("AnyFact", bound="Fact")


class Measured(NamedTuple):
    """A score, a share or a difference, with its limits at a level, and a prevalence if passed."""

    value: float
    low: float
    high: float
    level: float
    prevalence: float | None = None

    def text(self, sign: str = "", level: str = "") -> str:
        """Write it with its limits."""
        return estimate_as_text(self.value, self.low, self.high, sign=sign, level=level)

    def phrase(self, sign: str = "", n_starts: int = 1) -> str:
        """Write it with its limits, their level, and of how many starts one was chosen."""
        chosen = f" for any of the {n_starts} starts tried:" if n_starts > 1 else ""
        text = self.text(sign, f"{interval_as_text(self.level)}{chosen}")
        return title_with_prevalence(text, self.prevalence)

    def phrase_of_loss(self, n_starts: int = 1) -> str:
        """Write a negative difference without signs."""
        loss = self._replace(value=-self.value, low=-self.high, high=-self.low)
        return loss.phrase(n_starts=n_starts)


def read_score(result: Interval | Comparison, row: int = 0) -> Measured:
    """Read a score."""
    score = _read_row(row, result.estimate, result.low, result.high, result.confidence_level)
    return score._replace(prevalence=result.sample.target_prevalence)


def read_difference(
    result: Comparison, row: int | None = None, prevalence: float | None = None
) -> Measured:
    """Read the difference of a score from its reference; of two models, there is only one."""
    if row is None:
        (row,) = np.flatnonzero(result.is_compared).tolist()
    limits = result.difference_low, result.difference_high
    difference = _read_row(row, result.difference, *limits, result.confidence_level)
    return difference._replace(prevalence=prevalence)


def _read_row(
    row: int, value: FloatOrArray, low: FloatOrArray, high: FloatOrArray, level: float
) -> Measured:
    """Read numbers of Python, from those of one score or from a row of several."""
    value, low, high = (float(np.atleast_1d(numbers)[row]) for numbers in (value, low, high))
    return Measured(value, low, high, level)


@dataclass(frozen=True)
class Fact(ABC):
    """A finding. Its text is a sentence, and ``calls`` give its numbers."""

    calls: Calls = field(default=(), repr=False, compare=False, kw_only=True)

    @abstractmethod
    def __str__(self) -> str: ...

    def to_dict(self) -> dict[str, Json]:
        """Return its kind, sentence, call, and fields but those with ``repr=False``, for JSON.

        None stands for nan.
        """
        numbers = {
            each.name: as_json(getattr(self, each.name)) for each in fields(self) if each.repr
        }
        kind, sentence = type(self).__name__, str(self)
        call = ", ".join(map(str, self.calls))
        return {"kind": kind, **numbers, "sentence": sentence, "call": call}


def as_json(value: object) -> Json:
    """Turn a value of a fact into one of JSON."""
    if isinstance(value, Fact | Goal):
        return value.to_dict()
    if isinstance(value, Enum):
        return as_json(value.value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: as_json(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [*map(as_json, value)]
    return None if value != value else cast(Json, value)


def select(kind: type[AnyFact], facts: Iterable[Fact]) -> list[AnyFact]:
    """List the facts of a kind."""
    return [fact for fact in facts if isinstance(fact, kind)]


@dataclass(frozen=True)
class Refused(Fact):
    """Why a public function does not answer."""

    message: str

    def __str__(self) -> str:
        return f"Left out: {self.message}"
