"""Numbers of facts: with their limits from public results, and how a page writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Formatter
from typing import NamedTuple

import numpy as np

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
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint


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
    return _of_row(row, result.estimate, result.low, result.high, result.confidence_level)


def difference_of(result: Comparison, row: int | None = None) -> Measured:
    """Read the difference of a score from its reference; of two models, it is that of the other."""
    if row is None:
        (row,) = np.flatnonzero(result.is_compared).tolist()
    limits = result.difference_low, result.difference_high
    return _of_row(row, result.difference, *limits, result.confidence_level)


def precision_and_recall(result: OperatingPoint) -> tuple[Measured, Measured]:
    """Read the precision and the recall at a threshold."""
    level = result.confidence_level
    return Measured(*result.precision, level), Measured(*result.recall, level)


def _of_row(
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


def goal_text(value: float) -> str:
    """Write a precision that is asked for, with all of its digits."""
    return f"{value:g}"


def top_text(k: float) -> str:
    """Name first rows: a share of all, or a number for each query."""
    return f"{k_as_text(k)} of each query" if k >= 1 else k_as_text(k)


def guarantee_text(value: float) -> str:
    """Say how sure a precision is."""
    sure = f"guaranteed with {level_as_text(value)} confidence" if value else "without a guarantee"
    return f", {sure}"


def lacks_text(names: Sequence[str]) -> str:
    """Say what is not known without times, segments or clusters."""
    unseen = names_as_text([UNSEEN[each] for each in names])
    return f"For lack of {names_as_text(names)}, nothing is known of {unseen}. " if names else ""


# How fields are written, by the words behind colons.
FORMAT_SPECS: dict[str, Callable[..., str]] = {
    "": str,
    "because": lambda names: f" because of {names_as_text(names)}" if names else "",
    "change": lambda value: value.phrase("+"),
    "count": count_as_text,
    "goal": goal_text,
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
