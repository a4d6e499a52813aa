"""What a report is about, and its questions to public functions, each asked once.

An answer keeps its call as a user would type it, so that every number of the page has one.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

import sklearn_ap
from sklearn_ap import definitions
from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import names_of_columns
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._inputs.times import (
    CODES,
    Cut,
    Dates,
    coarser_units,
    find_cut,
    finest_unit,
    parse_dates,
    unit_as_text,
    unit_starts,
)
from sklearn_ap._types import Argument, Bool, Keywords, Name, RowData
from sklearn_ap.inference.interval import (
    USUAL_LEVEL,
    Interval,
    average_precision_interval,
)
from sklearn_ap.inference.segments import compare_segments
from sklearn_ap.metrics import average_precision_score

Result = TypeVar("Result")

MOST_MODELS = 3  # that tables of thresholds and segments show, and that are asked about changes
ROW_OPTIONS = "clusters", "queries", "sample_weight"
YEAR_FIRST = re.compile(  # texts that sort as times do
    r"\d{4}(-?Q[1-4]|-W\d{2}|(/\d{2}){1,2}|-\d{2}(-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?)?)"
)


class UnansweredError(ValueError):
    """A public function refuses a question of the page."""


class Answer(NamedTuple, Generic[Result]):
    """A result, and the call that gives it."""

    result: Result
    call: str


class Coded(NamedTuple):
    """A value for each row, and how a user writes it, as "y_scores['new']"."""

    values: RowData
    code: str

    def at(self, rows: Coded | None) -> Coded:
        """Select some of the rows."""
        if rows is None:
            return self
        return Coded(np.asarray(self.values)[rows.values], f"np.asarray({self.code})[rows]")


class UnusedColumn(NamedTuple):
    """A column of a file that was not used: months, days or times; names; or identifiers."""

    name: str
    looks: str
    n: int = 0  # of names or identifiers


@dataclass(frozen=True, eq=False)
class Column:
    """A column of segments; dates are in a unit of time, and the latest one may be cut."""

    name: str
    segments: Coded
    passed_name: str
    unit: str = ""
    cut: Cut | None = None
    days: tuple[str, str] | None = None  # the first and the last

    @cached_property
    def values(self) -> NDArray[Any]:
        return np.asarray(self.segments.values)

    @cached_property
    def names(self) -> list[Name]:
        """The segments as they sort, which is the order of times."""
        return [*np.unique(self.values)]

    @cached_property
    def are_times(self) -> bool:
        """Whether the segments are dates, or texts that begin with the year."""
        return all(
            bool(YEAR_FIRST.fullmatch(name)) if isinstance(name, str) else is_date(name)
            for name in self.names
        )

    def text(self, name: Name) -> str:
        """Write the name of a segment. A time at midnight is a date."""
        if self.unit == "quarter":
            return unit_as_text(name, self.unit)
        text = str(name)
        is_midnight = is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00")
        return printable(text[:10] if is_midnight else text)

    def only(self, name: Name) -> Coded:
        """Select the rows of a segment."""
        return Coded(self.values == name, self._code("==", name))

    def since(self, name: Name) -> Coded:
        """Select the rows of a time and of all later ones."""
        return Coded(self.values >= name, self._code(">=", name))

    def _code(self, sign: str, name: Name) -> str:
        code = self.segments.code
        if isinstance(name, np.datetime64):
            return f"({code}) {sign} np.datetime64({str(name)!r})"
        if self.values.dtype == object and not isinstance(name, str):  # such as pandas' periods
            return f"np.asarray({code}).astype(str) {sign} {str(name)!r}"
        name = name.item() if isinstance(name, np.generic) else name
        return f"np.asarray({code}) {sign} {name!r}"


def is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def read_dates(values: RowData) -> Dates | None:
    """Read dates of NumPy, pandas and Python, and texts; None if a column holds others.

    Periods of pandas have their own unit.
    """
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "MUO":
        return None
    if array.dtype.kind == "M":
        return None if np.isnat(array).any() else array
    if array.dtype.kind == "O" and not isinstance(array[0], str):
        if not hasattr(array[0], "isoformat"):  # which periods lack
            return None
        return read_dates(array.astype(str))
    names, codes = np.unique(array.astype(str), return_inverse=True)
    dates = parse_dates(names.tolist())
    return None if dates is None else dates[codes]


def choose_column(data: Data, name: str, segments: Coded, unit: str | None) -> Column:
    """Make a column of segments; dates are put into the unit, or into one that is chosen."""
    is_ordered = hasattr(getattr(segments.values, "dtype", None), "categories")
    dates = None if is_ordered else read_dates(segments.values)
    if dates is None:
        return Column(name, segments, name)
    *finer, coarsest = [unit] if unit else coarser_units(finest_unit(dates, data.positive))
    for each in finer:
        column = make_times(name, segments, dates, each)
        if can_be_compared(data, column):
            return column
    return make_times(name, segments, dates, coarsest)


def can_be_compared(data: Data, column: Column) -> bool:
    """Check whether any time is compared with others, which few are at a low prevalence."""
    own = data.own_prevalence
    try:
        found = data.ask(compare_segments, data.shown[0], segments=column.segments, **own).result
    except UnansweredError:
        return True  # which the page says
    return bool(np.isfinite(found.pvalue).any())


def make_times(name: str, segments: Coded, dates: Dates, unit: str) -> Column:
    """Make a column of units of time; texts that are their names stay as they are."""
    days = str(dates.min())[:10], str(dates.max())[:10]
    starts = unit_starts(dates, unit)
    if np.asarray(segments.values).dtype.kind in "UO" and _are_names_of(starts, segments.values):
        return Column(name, segments, name)  # such as 2026-08, of which days are not known
    coded = Coded(starts, CODES[unit].format(segments.code))
    return Column(name, coded, name, unit, find_cut(dates, unit), days)


def name_by_units(columns: Sequence[Column]) -> list[Column]:
    """Name a column of times by its unit; of several, by their names, too."""
    n_times = sum(bool(column.unit) for column in columns)
    taken = {column.passed_name for column in columns if not column.unit}
    found = []
    for column in columns:
        name = column.unit or column.name
        if column.unit and (n_times > 1 or name in taken):
            name = " ".join(dict.fromkeys([column.passed_name, column.unit]))
        found.append(replace(column, name=name))
    return found


def _are_names_of(starts: Dates, values: RowData) -> bool:
    """Check whether texts are the names of units already, such as 2026-08."""
    return bool((starts.astype(str) == np.asarray(values).astype(str)).all())


@dataclass(eq=False)
class Data:
    """Labels, scores, segments and options, and what public functions answer about them.

    ``unused`` are columns of a file that could be segments or clusters.
    """

    y_true: RowData
    models: dict[str, Coded]  # the scores of each
    columns: list[Column]
    options: Keywords  # that were passed, of those that public functions share
    level: float
    precision: float | None
    source: str = ""
    unused: Sequence[UnusedColumn] = ()
    warnings: dict[str, str] = field(default_factory=dict)  # the kind of each, by its text
    _answers: dict[str, Answer[Any]] = field(default_factory=dict)

    @cached_property
    def scores(self) -> dict[str, Answer[Interval]]:
        """The score of each model, the highest first."""
        found = {name: self.ask(average_precision_interval, name) for name in self.models}
        return dict(sorted(found.items(), key=lambda item: -item[1].result.estimate))

    @property
    def shown(self) -> list[str]:
        """The models that score highest."""
        return [*self.scores][:MOST_MODELS]

    @cached_property
    def weighs(self) -> Bool:
        """Which rows have weight; a row without is none."""
        weight = self.options.get("sample_weight")
        n_rows = np.shape(self.y_true)[0]
        return np.full(n_rows, True) if weight is None else np.asarray(weight) > 0

    @cached_property
    def positive(self) -> Bool:
        labels = self.y_array if self.is_table else self.y_array.ravel()
        weighs = self.weighs[:, None] if self.is_table else self.weighs
        return (labels == self.label.values) & weighs

    @cached_property
    def y_array(self) -> NDArray[Any]:
        return np.asarray(self.y_true)

    @property
    def is_table(self) -> bool:
        """Whether labels have several columns."""
        return self.y_array.ndim == 2 and self.y_array.shape[1] > 1

    @property
    def n_rows(self) -> int:
        """The number of rows with weight."""
        return int(self.weighs.sum())

    @property
    def label_text(self) -> str:
        """The positive label, if it is a word."""
        word = re.fullmatch(r"'(.*)'|\"(.*)\"", self.label.code)
        return printable(word[1] or word[2]) if word else ""

    @property
    def label(self) -> Coded:
        """The positive label."""
        return coded_option("pos_label", self.options.get("pos_label", 1))

    @property
    def positive_code(self) -> str:
        """How a user selects positives."""
        code = f"np.asarray(y_true) == {self.label.code}"
        if "sample_weight" in self.options:
            code = f"({code}) & (np.asarray(sample_weight) > 0)"
        return f"positive = {code}"

    @cached_property
    def prevalence(self) -> float:
        """The share of positives that was passed, or that of the rows."""
        weight = self.options.get("sample_weight")
        passed = self.options.get("prevalence")
        if self.is_table:
            return float(passed or np.sum(self.positive) / np.sum(self.y_array == self.y_array))
        return float(passed or np.average(self.positive, weights=weight))

    @property
    def own_prevalence(self) -> Keywords:
        """What leaves each query at its own prevalence where segments are compared."""
        is_own = "queries" in self.options and "prevalence" not in self.options
        return {"prevalence": "own"} if is_own else {}

    @property
    def prevalence_calls(self) -> tuple[str, ...]:
        """How a user computes the prevalence, if it was not passed."""
        if "prevalence" in self.options:
            return ()
        weights = ", weights=sample_weight" if "sample_weight" in self.options else ""
        return (f"{self.positive_code}\nnp.average(positive{weights})",)

    @property
    def has_equal_rows(self) -> bool:
        """Whether tests of counts of rows hold: rows are independent, and weigh the same."""
        return not {*ROW_OPTIONS} & self.options.keys()

    def values(self, model: str) -> NDArray[Any]:
        """Return the scores of a model as an array."""
        return np.asarray(self.models[model].values).ravel()

    def has_both_classes(self, rows: Bool) -> bool:
        """Check whether some rows are positive and others negative."""
        labels = self.positive[rows & self.weighs]
        return bool(labels.any() and not labels.all())

    def ask(
        self,
        function: Callable[..., Result],
        models: str | Sequence[str],
        *,
        rows: Coded | None = None,
        segments: Coded | None = None,
        **own: Argument,
    ) -> Answer[Result]:
        """Call a public function about one model, or several, with the options that were passed.

        ``rows`` restricts the question to some rows, and ``own`` are further options.
        """
        known = inspect.signature(function).parameters
        for name in self.options:
            if name not in known:
                raise UnansweredError(f"{function.__name__} takes no {name}.")
        arguments = [Coded(self.y_true, "y_true").at(rows), self._scores(models, rows)]
        arguments += [] if segments is None else [segments.at(rows)]
        given = {**self.options, "confidence_level": self.level, **own}
        options = {
            name: coded_option(name, value).at(rows if name in ROW_OPTIONS else None)
            for name, value in given.items()
            if name in known
        }
        code = f"{function.__name__}({write_arguments(arguments, options)})"
        call = code if rows is None else f"rows = {rows.code}\n{code}"
        if call not in self._answers:
            values = [each.values for each in arguments]
            named = {name: each.values for name, each in options.items()}
            self._answers[call] = Answer(self._call(function, values, named), call)
        return self._answers[call]

    def _scores(self, models: str | Sequence[str], rows: Coded | None) -> Coded:
        if isinstance(models, str):
            return self.models[models].at(rows)
        scores = {name: self.models[name].at(rows) for name in models}
        codes = [f"{name!r}: {each.code}" for name, each in scores.items()]
        values = {name: each.values for name, each in scores.items()}
        return Coded(values, f"{{{', '.join(codes)}}}")

    def _call(
        self, function: Callable[..., Result], values: Sequence[RowData], options: Keywords
    ) -> Result:
        """Call a function, and keep its warnings for the page."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                result = function(*values, **options)
            except ValueError as error:
                raise UnansweredError(str(error)) from error
        for warning in caught:
            kind = getattr(warning.message, "name", "")
            self.warnings.setdefault(str(warning.message), kind)
        return result


def coded_option(name: str, value: Argument) -> Coded:
    """Write the value of an option; a user has arrays by their names."""
    if isinstance(value, Coded):
        return value
    return Coded(value, name if np.ndim(value) else repr(value))


def write_arguments(arguments: Sequence[Coded], options: Mapping[str, Coded]) -> str:
    """Write the arguments of a call, without the usual level."""
    usual = "confidence_level", repr(USUAL_LEVEL)
    named = [f"{name}={each.code}" for name, each in options.items() if (name, each.code) != usual]
    return ", ".join([*(each.code for each in arguments), *named])


def opening(calls: str) -> str:
    """Write the imports that calls need."""
    lines = ["import numpy as np", *["import pandas as pd"] * ("pd." in calls)]
    if "fisher_exact(" in calls:
        lines.append("from scipy.stats import fisher_exact")
    public = {*re.findall(r"\b([a-z_]+)\(", calls)} & {*sklearn_ap.__all__}
    named = {*re.findall(r"\b([A-Z]\w+)\(", calls)} & {*definitions.__all__}
    lines += [f"from sklearn_ap import {', '.join(sorted(public))}"] * bool(public)
    lines += [f"from sklearn_ap.definitions import {', '.join(sorted(named))}"] * bool(named)
    return "\n".join(lines)


def page_call(data: Data) -> str:
    """Write the call that makes the page."""
    options = {**data.options, "precision": data.precision, "confidence_level": data.level}
    coded = {
        name: coded_option(name, value) for name, value in options.items() if value is not None
    }
    coded |= {"segments": Coded(None, "segments")} if data.columns else {}
    return f"report({write_arguments([Coded(None, 'y_true'), Coded(None, 'y_scores')], coded)})"


def make_data(
    y_true: RowData,
    y_scores: Argument,
    segments: Argument,
    options: Keywords,
    level: float,
    precision: float | None,
    units: Mapping[str, str | None] = MappingProxyType({}),
) -> Data:
    """Check what was passed, as far as public functions do not.

    ``units`` are the units of time that were asked for, by column.
    """
    data = Data(
        y_true=y_true,
        models=named_columns("y_scores", y_scores, "model"),
        columns=[],
        options={name: value for name, value in options.items() if value is not None},
        level=check_open_share("confidence_level", level),
        precision=None if precision is None else check_open_share("precision", precision),
    )
    for name in data.models:  # which refuses what is wrong with labels, scores and options
        try:
            data.ask(average_precision_score, name, zero_division=0.0)
        except UnansweredError as error:
            raise ValueError(str(error)) from None
    if np.ndim(data.options.get("sample_weight", ())) > 1:  # which the code of the report reads
        raise ValueError("sample_weight must be one-dimensional: pass np.ravel(sample_weight).")
    n_rows = data.positive.shape[0]
    if not data.is_table and not data.has_both_classes(data.weighs):
        raise ValueError(
            f"y_true must hold rows of both classes with weight, got {n_rows:,} rows, "
            f"{int(data.positive.sum()):,} of them positive with weight."
        )
    passed = {} if segments is None else named_columns("segments", segments, "segment")
    for name, column in passed.items():
        if np.shape(column.values) != (n_rows,):
            raise ValueError(
                f"{column.code} must hold a segment for each of {n_rows:,} rows, got "
                f"shape {np.shape(column.values)}."
            )
        data.columns.append(choose_column(data, name, column, units.get(name)))
    data.columns = name_by_units(data.columns)
    return data


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        name = getattr(table, "name", None)
        if isinstance(table, Coded):
            return {single_name: table}
        return {single_name if name is None else printable(str(name)): Coded(table, argument)}
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not keys or len({printable(str(key)) for key in keys}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    columns = {key: table[key] for key in keys}
    return {
        printable(str(key)): each
        if isinstance(each, Coded)
        else Coded(each, f"{argument}[{key!r}]")
        for key, each in columns.items()
    }
