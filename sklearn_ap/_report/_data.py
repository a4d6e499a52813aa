"""What a report is about, and its questions to public functions, each asked once.

An answer keeps its call as a user would type it, so that every number of the page has one.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._base.common.types import Argument, Bool, Keywords, Name, RowData
from sklearn_ap._questions.intervals.interval import (
    AveragePrecisionInterval,
    average_precision_interval,
)
from sklearn_ap._scores.metrics import average_precision_score

Result = TypeVar("Result")

MOST_MODELS = 3  # that tables of thresholds and segments show, and that are asked about changes
USUAL_LEVEL = 0.95  # which calls need not name
ROW_OPTIONS = "clusters", "queries", "sample_weight"
REASONS = {  # why a public function does not take an option
    "clusters": "rows of a cluster depend on each other",
    "queries": "each query is a ranking of its own",
    "sample_weight": "it counts rows",
    "n_positives": "some positives have no row",
    "prevalence": "it is about the rows as they are",
}
YEAR_FIRST = re.compile(r"\d{4}-(\d{2}(-\d{2})?|Q[1-4]|W\d{2})")  # texts that sort as times do


class Answer(NamedTuple, Generic[Result]):
    """A result, and the call that gives it."""

    result: Result
    call: str


class Coded(NamedTuple):
    """A value for each row, and the expression that gives it, such as "y_scores['new']"."""

    values: RowData
    code: str


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
        """Whether the segments are dates, texts that begin with the year, or years."""
        if self.name.casefold() == "year" and self.values.dtype.kind in "iu":
            return True
        return all(
            bool(YEAR_FIRST.fullmatch(name)) if isinstance(name, str) else is_date(name)
            for name in self.names
        )

    def only(self, name: Name) -> Coded:
        """Select the rows of a segment."""
        return Coded(self.values == name, f"np.asarray({self.segments.code}) == {_code(name)}")

    def since(self, name: Name) -> Coded:
        """Select the rows of a time and of all later ones."""
        return Coded(self.values >= name, f"np.asarray({self.segments.code}) >= {_code(name)}")


def is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def name_as_text(name: Name) -> str:
    """Write the name of a segment. A time at midnight is a date."""
    text = str(name)
    return text[:10] if is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00") else text


def _code(name: Name) -> str:
    is_plain = isinstance(name, np.generic) and not isinstance(name, np.datetime64)
    return repr(name.item() if is_plain else name)


@dataclass(eq=False)
class Data:
    """Labels, scores, segments and options, and what public functions answer about them."""

    y_true: ArrayLike
    models: dict[str, Coded]  # the scores of each
    columns: list[Column]
    options: Keywords  # that were passed, of those that public functions share
    level: float
    precision: float | None
    warnings: dict[str, str] = field(default_factory=dict)  # the kind of each, by its text
    _answers: dict[str, Answer[Any]] = field(default_factory=dict)

    @cached_property
    def scores(self) -> dict[str, Answer[AveragePrecisionInterval[Any]]]:
        """The score of each model, the highest first."""
        found = {name: self.ask(average_precision_interval, name) for name in self.models}
        return dict(sorted(found.items(), key=lambda item: -item[1].result.estimate))

    @property
    def shown(self) -> list[str]:
        """The models that score highest."""
        return [*self.scores][:MOST_MODELS]

    @cached_property
    def positive(self) -> Bool:
        return np.asarray(self.y_true).ravel() == self.options.get("pos_label", 1)

    @property
    def positive_code(self) -> str:
        return f"positive = np.asarray(y_true) == {self.options.get('pos_label', 1)!r}"

    @cached_property
    def prevalence(self) -> float:
        """The share of positives that was passed, or that of the rows."""
        weight = self.options.get("sample_weight")
        return float(self.options.get("prevalence") or np.average(self.positive, weights=weight))

    @property
    def has_independent_rows(self) -> bool:
        """Whether tests of counts of rows hold."""
        return not {"clusters", "queries"} & self.options.keys()

    def values(self, model: str) -> NDArray[Any]:
        """Return the scores of a model as an array."""
        return np.asarray(self.models[model].values).ravel()

    def has_both_classes(self, mask: Bool) -> bool:
        """Check whether some rows are positive and others negative, with weight."""
        weight = self.options.get("sample_weight")
        labels = self.positive[mask if weight is None else mask & (np.asarray(weight) > 0)]
        return bool(labels.any() and not labels.all())

    def counting_code(self, rows: Coded, model: str, threshold: float) -> str:
        """Write how a user selects rows, positives, and what a threshold selects."""
        selected = f"np.asarray({self.models[model].code}) >= {threshold!r}"
        return f"rows = {rows.code}\n{self.positive_code}\nselected = {selected}"

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

        ``rows`` restricts the question to some rows, and ``own`` are further options. An option
        that the function does not take is a ValueError.
        """
        known = inspect.signature(function).parameters
        for name in self.options:
            if name not in known:
                raise ValueError(f"{function.__name__} takes no {name}, because {REASONS[name]}.")
        options = {**self.options, "confidence_level": self.level, **own}
        options = {name: value for name, value in options.items() if name in known}
        arguments = self._arguments(models, rows, segments)
        module = "compat." if function.__module__.startswith("sklearn_ap.compat") else ""
        codes = [*arguments, *_option_codes(options, rows)]
        call = f"{module}{function.__name__}({', '.join(codes)})"
        call = call if rows is None else f"rows = {rows.code}\n{call}"
        if call not in self._answers:
            options |= {name: _some(options[name], rows) for name in ROW_OPTIONS if name in options}
            with self.collect_warnings():
                self._answers[call] = Answer(function(*arguments.values(), **options), call)
        return self._answers[call]

    def _arguments(
        self, models: str | Sequence[str], rows: Coded | None, segments: Coded | None
    ) -> dict[str, Argument]:
        """Return the labels, the scores and the segments of some rows, by their codes."""
        index = "" if rows is None else "[rows]"
        names = [models] if isinstance(models, str) else models
        scores = {name: _some(self.models[name].values, rows) for name in names}
        codes = [f"{name!r}: {self.models[name].code}{index}" for name in names]
        arguments: dict[str, Argument] = {f"y_true{index}": _some(self.y_true, rows)}
        if isinstance(models, str):
            arguments[f"{self.models[models].code}{index}"] = scores[models]
        else:
            is_all = rows is None and [*models] == [*self.models]
            arguments["y_scores" if is_all else f"{{{', '.join(codes)}}}"] = scores
        if segments is not None:
            arguments[f"{segments.code}{index}"] = _some(segments.values, rows)
        return arguments

    @contextmanager
    def collect_warnings(self) -> Iterator[None]:
        """Keep the warnings of public functions for the page."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            kind = getattr(warning.message, "name", type(warning.message).__name__)
            self.warnings.setdefault(str(warning.message), kind)


def _some(values: ArrayLike, rows: Coded | None) -> ArrayLike:
    return values if rows is None else np.asarray(values)[rows.values]


def _option_codes(options: Keywords, rows: Coded | None = None) -> list[str]:
    """Write options as a user does, who has arrays by their names."""
    index = "" if rows is None else "[rows]"
    codes = {name: name if np.ndim(value) else repr(value) for name, value in options.items()}
    codes |= {name: f"{name}{index}" for name in ROW_OPTIONS if name in options}
    if options.get("confidence_level") == USUAL_LEVEL:
        codes.pop("confidence_level")
    return [f"{name}={code}" for name, code in codes.items()]


def page_call(data: Data) -> str:
    """Write the call that makes the page."""
    options = {**data.options, "precision": data.precision, "confidence_level": data.level}
    options = {name: value for name, value in options.items() if value is not None}
    segments = ["segments=segments"] if data.columns else []
    return f"report({', '.join(['y_true', 'y_scores', *segments, *_option_codes(options)])})"


def check_data(data: Data) -> None:
    """Check what was passed, as far as the questions of the page do not."""
    for name in data.models:  # which refuses what is wrong with labels, scores and options
        data.ask(average_precision_score, name, zero_division=0.0)
    if not data.has_both_classes(np.ones_like(data.positive)):
        raise ValueError(
            f"y_true must hold rows of both classes with weight, got {data.positive.size:,} rows, "
            f"{np.count_nonzero(data.positive):,} of them positive."
        )


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        name = getattr(table, "name", None)
        return {single_name if name is None else str(name): Coded(table, argument)}
    keys = [*(table if isinstance(table, Mapping) else table.columns)]
    if not keys or len({*map(str, keys)}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    return {str(key): Coded(table[key], f"{argument}[{key!r}]") for key in keys}
