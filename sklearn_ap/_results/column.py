"""The columns of a result: values, and estimates with their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._types import Alternative, Bool, Float, Index
from sklearn_ap._writing.text import estimate_as_text, interval_as_text

Values: TypeAlias = Float | Index | Bool | NDArray[np.str_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """A number or a word for each row of a result."""

    key: str  # its name in frames
    values: Values
    head: str = ""  # its name in tables; empty if no table shows it
    cells: Sequence[str] = ()  # the values in tables
    align: str = ">"  # the side of its cells; words stand at the left, "<"

    @property
    def long_head(self) -> str:
        """The name in tables for papers, with the level of intervals."""
        return self.head

    def data(self) -> dict[str, Values]:
        """Return the columns of frames."""
        return {self.key: self.values}

    def texts(self, rows: Sequence[int], minus: str, digits: int | None = None) -> list[str]:  # noqa: ARG002
        """Return the cells of these rows, with this sign, and these digits, of estimates."""
        return [self.cells[row] for row in rows]


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates(Column):
    """Numbers with their confidence limits, which tables and pictures show together."""

    values: Float
    low: Float
    high: Float
    level: float  # of the limits
    title: str  # in pictures and papers, which say the level beside it
    sign: str = ""  # "+" for differences
    is_established: Bool | None = None  # of each difference, that it is not 0; None for all
    alternative: Alternative = "two-sided"  # otherwise, one limit is the end of the range
    margin: float = nan  # the loss that counts as worse: pictures have a line at minus the margin
    align: str = "<"  # so that points stand below each other, whatever the digits are

    @property
    def interval(self) -> str:
        """The name of its intervals, such as "95% interval"."""
        return interval_as_text(self.level, self.alternative)

    @property
    def long_head(self) -> str:
        return f"{self.title} ({self.interval})"

    def data(self) -> dict[str, Values]:
        prefix = "" if self.key == "estimate" else f"{self.key}_"
        return {self.key: self.values, f"{prefix}low": self.low, f"{prefix}high": self.high}

    def texts(self, rows: Sequence[int], minus: str, digits: int | None = None) -> list[str]:
        """Return cells as "0.52 (0.43 to 0.61)"."""
        return [self._text(row, minus=minus, digits=digits) for row in rows]

    def phrase(self, row: int) -> str:
        """Return "0.52 (95% interval 0.43 to 0.61)", for a sentence."""
        return self._text(row, self.interval)

    def _text(self, row: int, level: str = "", minus: str = "-", digits: int | None = None) -> str:
        """Write the estimate of one row, with the limits behind it."""
        return estimate_as_text(
            float(self.values[row]),
            float(self.low[row]),
            float(self.high[row]),
            sign=self.sign,
            level=level,
            minus=minus,
            alternative=self.alternative,
            digits=digits,
        )
