"""Calls of public functions as values: what they are asked, and how a user types it.

Each part of a call gives its value, and prints as the code that a user has for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from sklearn_ap._inputs.arrays import n_dimensions
from sklearn_ap._inputs.dates import Dates, unit_starts
from sklearn_ap._inputs.units import UNITS
from sklearn_ap._types import Argument, Array, Bool, Keywords, Name

AnyResult = TypeVar("AnyResult", covariant=True)

USUAL_LEVEL = 0.95  # that calls need not name
# All that the calls of a page need, and more than those of one page do.
IMPORTS = """\
import numpy as np
from scipy.stats import fisher_exact
from sklearn_ap import average_precision_interval, chance_test, compare_average_precision
from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap.definitions import PrecisionAtK, RecallAtK"""
COMPARE: dict[str, Callable[..., Bool]] = {"==": np.equal, ">=": np.greater_equal, "<": np.less}


class Term(ABC):
    """A value that prints as code."""

    @property
    @abstractmethod
    def value(self) -> Argument:
        """What is passed to a function."""

    def at(self, rows: RowChoice | None) -> Term:
        """Select some of the rows."""
        return self if rows is None else SelectedRows(self, rows)


@dataclass(frozen=True)
class Passed(Term):
    """An argument of the report, or a column of it."""

    given: Argument = field(compare=False)
    argument: str
    key: Name = None

    @property
    def value(self) -> Argument:
        return self.given

    def __str__(self) -> str:
        return self.argument if self.key is None else f"{self.argument}[{self.key!r}]"


@dataclass(frozen=True)
class Literal(Term):
    """A value that is typed."""

    given: Argument

    @property
    def value(self) -> Argument:
        return self.given

    def __str__(self) -> str:
        return repr(self.given)

    def __hash__(self) -> int:
        return hash(type(self.given))  # costs are a dict


@dataclass(frozen=True)
class Starts(Term):
    """The starts of the unit of time in which the dates of a column are."""

    column: Term
    dates: Dates = field(compare=False)
    unit: str

    @cached_property
    def value(self) -> Dates:
        return unit_starts(self.dates, self.unit)

    def __str__(self) -> str:
        step, base, shift = UNITS[self.unit]
        n_letters, first = (13, "h") if base == "h" else (10, "D")  # of texts as of dates
        texts = f"np.asarray({self.column}).astype(str).astype('U{n_letters}')"
        code = f"{texts}.astype('M8[{first}]')"
        if base != first:
            code += f".astype('M8[{base}]')"
        if shift:
            code = f"({code} + {shift})"
        if step != base:
            code += f".astype('M8[{step}]').astype('M8[{base}]')"
        return f"{code} - {shift}" if shift else code


class RowChoice(Term):
    """A choice of rows, as flags."""

    @property
    @abstractmethod
    def value(self) -> Bool:
        """Whether each row is chosen."""

    @property
    @abstractmethod
    def where(self) -> str:
        """The place, in a sentence."""


@dataclass(frozen=True)
class Segment(RowChoice):
    """The rows of a segment (==), of a time and all later ones (>=), or of all earlier ones (<)."""

    column: Term
    sign: str
    name: Name
    words: str = field(compare=False)  # such as "in site B" or "since 2026-08"

    @cached_property
    def value(self) -> Bool:
        return COMPARE[self.sign](self._cells, self.name)

    @property
    def where(self) -> str:
        return self.words

    @property
    def _cells(self) -> Array:
        return np.asarray(self.column.value)

    def __str__(self) -> str:
        cells, name = f"np.asarray({self.column})", self.name
        if self._cells.dtype.kind in "MO" and not isinstance(name, str):  # dates, periods
            return f"{cells}.astype(str) {self.sign} {str(name)!r}"
        return f"{cells} {self.sign} {name.item() if isinstance(name, np.generic) else name!r}"


@dataclass(frozen=True)
class Either(RowChoice):
    """The rows of two choices."""

    first: RowChoice
    second: RowChoice

    @cached_property
    def value(self) -> Bool:
        return np.asarray(self.first.value | self.second.value)

    @property
    def where(self) -> str:
        return f"{self.first.where} or {self.second.where}"

    def __str__(self) -> str:
        return f"({self.first}) | ({self.second})"


@dataclass(frozen=True)
class SelectedRows(Term):
    """Some rows of a whole, which a line before the call selects."""

    whole: Term
    rows: RowChoice

    @property
    def value(self) -> Array:
        whole: Array = np.asanyarray(self.whole.value)
        return whole[self.rows.value]

    def __str__(self) -> str:
        return f"np.asarray({self.whole})[rows]"


@dataclass(frozen=True)
class SinceOrBefore(Term):
    """The segment of each row: since a time, or before, as a reader knows them."""

    rows: RowChoice
    start: str

    @property
    def since(self) -> str:
        return f"since {self.start}"

    @property
    def before(self) -> str:
        return f"before {self.start}"

    @cached_property
    def value(self) -> Array:
        return np.where(self.rows.value, self.since, self.before)

    def __str__(self) -> str:
        return f"np.where({self.rows}, {self.since!r}, {self.before!r})"


@dataclass(frozen=True)
class ScoresOfModels(Term):
    """The scores of several models by their names."""

    names: tuple[str, ...]
    scores: tuple[Term, ...]

    @property
    def value(self) -> dict[str, Argument]:
        return {name: each.value for name, each in zip(self.names, self.scores, strict=True)}

    def at(self, rows: RowChoice | None) -> ScoresOfModels:
        return ScoresOfModels(self.names, tuple(each.at(rows) for each in self.scores))

    def __str__(self) -> str:
        pairs = zip(self.names, self.scores, strict=True)
        return f"{{{', '.join(f'{name!r}: {each}' for name, each in pairs)}}}"


def terms_of_options(options: Keywords) -> dict[str, Term]:
    """Write the values of options; a user has arrays by their names."""
    return {
        name: Passed(value, name) if n_dimensions(value) else Literal(value)
        for name, value in options.items()
        if value is not None
    }


@dataclass(frozen=True)
class PublicCall(Generic[AnyResult]):
    """A call of a public function, in some rows or in all. Equal calls have equal answers."""

    function: Callable[..., AnyResult]
    arguments: tuple[Term, ...]
    options: tuple[tuple[str, Term], ...] = ()
    rows: RowChoice | None = None

    def ask(self) -> AnyResult:
        """Call the function."""
        options = {name: each.value for name, each in self.options}
        return self.function(*(each.value for each in self.arguments), **options)

    def __str__(self) -> str:
        """Write it without the usual level; the rows stand in a line before."""
        named = [f"{name}={each}" for name, each in self.options if not _is_usual(name, each)]
        selection = "" if self.rows is None else f"rows = {self.rows}\n"
        passed = ", ".join([*map(str, self.arguments), *named])
        return f"{selection}{self.function.__name__}({passed})"


Calls: TypeAlias = tuple[PublicCall[object], ...]


def _is_usual(name: str, option: Term) -> bool:
    return name == "confidence_level" and bool(option.value == USUAL_LEVEL)
