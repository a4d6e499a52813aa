"""What a report is about, and its questions to public functions, each asked once.

An answer keeps its call as a user would type it, so that every number of the page has one.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import names_of_columns
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._types import Argument, Bool, Keywords, Name, RowData
from sklearn_ap.inference.interval import (
    Interval,
    average_precision_interval,
)
from sklearn_ap.metrics import average_precision_score

Result = TypeVar("Result")

MOST_MODELS = 3  # that tables of thresholds and segments show, and that are asked about changes
USUAL_LEVEL = 0.95  # which calls need not name
ROW_OPTIONS = "clusters", "queries", "sample_weight"
YEAR_FIRST = re.compile(  # texts that sort as times do
    r"\d{4}(-Q[1-4]|-W\d{2}|(/\d{2}){1,2}|-\d{2}(-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?)?)"
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


@dataclass(frozen=True, eq=False)
class Column:
    """A column of segments."""

    name: str
    segments: Coded

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

    def only(self, name: Name) -> Coded:
        """Select the rows of a segment."""
        return Coded(self.values == name, self._code("==", name))

    def since(self, name: Name) -> Coded:
        """Select the rows of a time and of all later ones."""
        return Coded(self.values >= name, self._code(">=", name))

    def _code(self, sign: str, name: Name) -> str:
        if self.values.dtype == object and not isinstance(name, str):  # such as pandas' periods
            return f"np.asarray({self.segments.code}).astype(str) {sign} {str(name)!r}"
        is_plain = isinstance(name, np.generic) and name.dtype.kind not in "mM"
        return f"np.asarray({self.segments.code}) {sign} {(name.item() if is_plain else name)!r}"


def is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def name_as_text(name: Name) -> str:
    """Write the name of a segment. A time at midnight is a date."""
    text = str(name)
    is_midnight = is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00")
    return printable(text[:10] if is_midnight else text)


@dataclass(eq=False)
class Data:
    """Labels, scores, segments and options, and what public functions answer about them."""

    y_true: RowData
    models: dict[str, Coded]  # the scores of each
    columns: list[Column]
    options: Keywords  # that were passed, of those that public functions share
    level: float
    precision: float | None
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
        return np.full(np.size(self.y_true), True) if weight is None else np.asarray(weight) > 0

    @cached_property
    def positive(self) -> Bool:
        labels = np.asarray(self.y_true).ravel()
        return (labels == self.options.get("pos_label", 1)) & self.weighs

    @property
    def positive_code(self) -> str:
        """How a user selects positives."""
        code = f"np.asarray(y_true) == {self.options.get('pos_label', 1)!r}"
        if "sample_weight" in self.options:
            code = f"({code}) & (np.asarray(sample_weight) > 0)"
        return f"positive = {code}"

    @cached_property
    def prevalence(self) -> float:
        """The share of positives that was passed, or that of the rows."""
        weight = self.options.get("sample_weight")
        return float(self.options.get("prevalence") or np.average(self.positive, weights=weight))

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
        module = "compat." if ".compat." in function.__module__ else ""
        code = f"{module}{function.__name__}({write_arguments(arguments, options)})"
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
    return Coded(value, name if np.ndim(value) else repr(value))


def write_arguments(arguments: Sequence[Coded], options: Mapping[str, Coded]) -> str:
    """Write the arguments of a call, without the usual level."""
    usual = "confidence_level", repr(USUAL_LEVEL)
    named = [f"{name}={each.code}" for name, each in options.items() if (name, each.code) != usual]
    return ", ".join([*(each.code for each in arguments), *named])


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
) -> Data:
    """Check what was passed, as far as public functions do not."""
    columns = {} if segments is None else named_columns("segments", segments, "segment")
    data = Data(
        y_true=y_true,
        models=named_columns("y_scores", y_scores, "model"),
        columns=[Column(name, column) for name, column in columns.items()],
        options={name: value for name, value in options.items() if value is not None},
        level=check_open_share("confidence_level", level),
        precision=None if precision is None else check_open_share("precision", precision),
    )
    for name in data.models:  # which refuses what is wrong with labels, scores and options
        try:
            data.ask(average_precision_score, name, zero_division=0.0)
        except UnansweredError as error:
            raise ValueError(str(error)) from None
    n_rows = data.positive.size
    for column in data.columns:
        if column.values.shape != (n_rows,):
            raise ValueError(
                f"{column.segments.code} must hold a segment for each of {n_rows:,} rows, got "
                f"shape {column.values.shape}."
            )
    if not data.has_both_classes(data.weighs):
        raise ValueError(
            f"y_true must hold rows of both classes with weight, got {n_rows:,} rows, "
            f"{int(data.positive.sum()):,} of them positive with weight."
        )
    return data


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        name = getattr(table, "name", None)
        return {single_name if name is None else printable(str(name)): Coded(table, argument)}
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not keys or len({printable(str(key)) for key in keys}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    return {printable(str(key)): Coded(table[key], f"{argument}[{key!r}]") for key in keys}
