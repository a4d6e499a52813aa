"""What a report is about: columns by name, and questions to public functions, each asked once."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.dates import are_times, finest_unit, is_date, read_dates, unit_starts
from sklearn_ap._inputs.foreign import names_of_columns
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._inputs.targets import Targets, check_targets
from sklearn_ap._report._calls import UNIT_STARTS, Coded, Found, ReportAnswer, coded, write_call
from sklearn_ap._results.text import name_as_text, printable
from sklearn_ap._types import Argument, Bool, Keywords, Name, RowData
from sklearn_ap.inference.goals import GOAL_OPTIONS, Goal, check_goal
from sklearn_ap.inference.interval import USUAL_LEVEL, Interval, average_precision_interval

MOST_MODELS = 3  # that tables of thresholds and segments show, and that are asked about changes
COMPARE = {"==": operator.eq, ">=": operator.ge, "<": operator.lt}
ROW_OPTIONS = {"queries": "queries", "clusters": "clusters", "sample_weight": "weights"}


# ---- columns


@dataclass(eq=False)
class SegmentColumn:
    """A column of segments; dates are in a unit of time."""

    name: str
    segments: Coded
    passed_name: str
    unit: str = ""
    days: tuple[str, str] | None = None  # the first and the last

    @cached_property
    def values(self) -> NDArray[Any]:
        return np.asarray(self.segments.value)

    @cached_property
    def names(self) -> list[Name]:
        """The segments as they sort, which is the order of times."""
        return [*np.unique(self.values)]

    @cached_property
    def are_times(self) -> bool:
        """Whether the segments are dates, or texts that sort as times."""
        return are_times(self.names)

    def text(self, name: Name) -> str:
        """Write the name of a segment. A time at midnight is a date, and a quarter is 2026Q1."""
        text = str(name)
        if self.unit == "quarter":
            return f"{text[:4]}Q{(int(text[5:7]) + 2) // 3}"
        is_midnight = is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00")
        return name_as_text(text[:10] if is_midnight else text)

    def rows(self, sign: str, name: Name) -> Coded:
        """Select the rows of a segment, of a time and all later ones, or of all earlier times."""
        passed = f"np.asarray({self.segments.code})"
        code = repr(name.item() if isinstance(name, np.generic) else name)
        if isinstance(name, np.datetime64):
            code = f"np.datetime64({str(name)!r})"
        elif self.values.dtype == object and not isinstance(name, str):  # as periods
            passed, code = f"{passed}.astype(str)", repr(str(name))
        return Coded(COMPARE[sign](self.values, name), f"{passed} {sign} {code}")


def make_column(
    name: str, segments: Coded, positive: Bool, unit: str | None, taken: Collection[str]
) -> SegmentColumn:
    """Make a column of segments; dates are put into the unit, or into one that is chosen.

    It has the name of the unit then, unless this name is taken.
    """
    passed = np.asarray(segments.value)
    is_ordered = hasattr(getattr(segments.value, "dtype", None), "categories")
    try:
        dates = None if is_ordered else read_dates(passed)
    except ValueError as error:
        remedy = "such as by pandas.to_datetime with dayfirst=True or False"
        raise ValueError(f"{segments.code}: {error}, {remedy}.") from None
    if dates is None:
        return SegmentColumn(name, segments, name)
    unit = unit or finest_unit(dates, positive)
    starts = unit_starts(dates, unit)
    if passed.dtype.kind in "UO" and (starts.astype(str) == passed.astype(str)).all():
        return SegmentColumn(name, segments, name)  # texts as 2026-08, of which no day is known
    days = str(dates.min())[:10], str(dates.max())[:10]
    code = UNIT_STARTS[unit].format(segments.code)
    return SegmentColumn(name if unit in taken else unit, Coded(starts, code), name, unit, days)


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not (keys or isinstance(table, Mapping) or hasattr(table, "columns")):
        name = getattr(table, "name", None)
        return {single_name if name is None else printable(str(name)): Coded(table, argument)}
    names = [printable(str(key)) for key in keys]
    if not keys or len({*names}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    codes = (f"{argument}[{key!r}]" for key in keys)
    return {
        name: Coded(table[key], code) for name, key, code in zip(names, keys, codes, strict=True)
    }


# ---- questions


class UnansweredError(ValueError):
    """A public function refuses a question of the page."""


class ReportWarning(NamedTuple):
    """A warning of a public function, and the model about which it is; it names one of several."""

    text: str
    kind: str
    model: str


@dataclass(eq=False)
class Data:
    """Labels, scores, segments and options, and what public functions answer about them."""

    y_true: RowData
    models: dict[str, Coded]  # the scores of each
    columns: list[SegmentColumn]
    options: dict[str, Coded]  # that were passed, of those that public functions share
    level: float
    goal: Goal | None
    warned: dict[str, list[ReportWarning]] = field(default_factory=dict)  # by their calls
    _answers: dict[str, ReportAnswer[Any]] = field(default_factory=dict)  # by their calls

    @cached_property
    def scores(self) -> dict[str, ReportAnswer[Interval]]:
        """The score of each model, the highest first."""
        found = {name: self.ask(average_precision_interval, name) for name in self.models}
        return dict(sorted(found.items(), key=lambda item: -item[1].result.estimate))

    @property
    def best(self) -> str:
        """The model that scores highest."""
        return next(iter(self.scores))

    @property
    def shown(self) -> list[str]:
        """The models that score highest."""
        return [*self.scores][:MOST_MODELS]

    @cached_property
    def rows(self) -> Targets:
        """Which rows are positive, and which have a label."""
        score = next(iter(self.models.values())).value
        return check_targets(self.y_true, score, self.passed("pos_label"), is_binary=True)

    @cached_property
    def is_counted(self) -> Bool:
        """Which rows have a label and weight; a row without is none."""
        known = self.rows.is_known
        has_weight = np.ravel(self.passed("sample_weight", np.ones(self.rows.positive.size))) > 0
        return has_weight if known is None else has_weight & known.ravel()

    @cached_property
    def positive(self) -> Bool:
        """Which rows are positive, and counted."""
        return self.rows.positive & self.is_counted

    @cached_property
    def prevalence(self) -> float:
        """The share of positives that was passed, or that of the rows."""
        weights = self.is_counted * np.ravel(self.passed("sample_weight", 1.0))
        return float(self.passed("prevalence", np.average(self.positive, weights=weights)))

    @property
    def has_equal_rows(self) -> bool:
        """Whether tests of counts of rows hold: rows are independent, and weigh the same."""
        return not {*ROW_OPTIONS} & self.options.keys()

    def without_clusters(self) -> Data:
        """Return the same rows, as if they were independent."""
        options = {name: each for name, each in self.options.items() if name != "clusters"}
        return replace(self, options=options, warned={}, _answers={})

    def passed(self, option: str, default: Argument = None) -> Argument:
        """Return the value of an option."""
        return self.options[option].value if option in self.options else default

    def has_both_classes(self, rows: Bool) -> bool:
        """Check whether some rows are positive and others negative."""
        labels = self.positive[rows & self.is_counted]
        return bool(labels.any() and not labels.all())

    def ask(
        self,
        function: Callable[..., Found],
        models: str | tuple[str, ...],
        *,
        rows: Coded | None = None,
        segments: Coded | None = None,
        **own: Argument,
    ) -> ReportAnswer[Found]:
        """Call a public function about one model, or several, with the options that were passed.

        ``rows`` restricts the question to some rows, ``segments`` are those of all rows, and
        ``own`` are further options.
        """
        known = inspect.signature(function).parameters
        if unknown := [name for name in self.options if name not in known]:
            raise UnansweredError(f"{function.__name__} takes no {unknown[0]}.")
        arguments = [Coded(self.y_true, "y_true").at(rows), self._scores(models, rows)]
        arguments += [] if segments is None else [segments.at(rows)]
        given = self.options | coded({"confidence_level": self.level, **own})
        options = {
            name: each.at(rows if name in ROW_OPTIONS else None)
            for name, each in given.items()
            if name in known
        }
        call = write_call(function, arguments, options, rows)
        if call not in self._answers:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                try:
                    result = function(
                        *(each.value for each in arguments),
                        **{name: each.value for name, each in options.items()},
                    )
                except ValueError as error:
                    raise UnansweredError(str(error)) from error
            model = models if isinstance(models, str) else ""
            for each in caught:
                kind = getattr(each.message, "name", "")
                warning = ReportWarning(str(each.message), kind, model)
                self.warned.setdefault(call, []).append(warning)
            self._answers[call] = ReportAnswer(result, call)
        return self._answers[call]

    @property
    def warnings(self) -> dict[str, list[ReportWarning]]:
        """All warnings, by their texts."""
        found: dict[str, list[ReportWarning]] = {}
        for warning in chain.from_iterable(self.warned.values()):
            found.setdefault(warning.text, []).append(warning)
        return found

    def _scores(self, models: str | tuple[str, ...], rows: Coded | None) -> Coded:
        if isinstance(models, str):
            return self.models[models].at(rows)
        scores = {name: self.models[name].at(rows) for name in models}
        codes = [f"{name!r}: {each.code}" for name, each in scores.items()]
        values = {name: each.value for name, each in scores.items()}
        return Coded(values, f"{{{', '.join(codes)}}}")


def make_data(
    y_true: RowData,
    y_scores: Argument,
    segments: Argument,
    options: Keywords,
    units: Mapping[str, str | None] = MappingProxyType({}),
) -> Data:
    """Check what was passed, as far as public functions do not.

    ``options`` are those of ``report``, and ``units`` the units of time that were asked for, by
    column.
    """
    goal = {name: options.get(name) for name in GOAL_OPTIONS}
    own = {*goal, "confidence_level"}
    data = Data(
        y_true=y_true,
        models=named_columns("y_scores", y_scores, "model"),
        columns=[],
        options=coded({name: value for name, value in options.items() if name not in own}),
        level=check_open_share("confidence_level", options.get("confidence_level", USUAL_LEVEL)),
        goal=check_goal(**goal) if any(each is not None for each in goal.values()) else None,
    )
    check_data(data)
    passed = {} if segments is None else named_columns("segments", segments, "segment")
    for name, column in passed.items():
        n_rows = data.positive.size
        if np.shape(column.value) != (n_rows,):
            raise ValueError(
                f"{column.code} must hold a segment for each of {n_rows:,} rows, got "
                f"shape {np.shape(column.value)}."
            )
        taken = {*passed, *(each.name for each in data.columns)}
        data.columns.append(make_column(name, column, data.positive, units.get(name), taken))
    return data


def check_data(data: Data) -> None:
    """Refuse rows of one class, and let a public function refuse scores and options."""
    if not data.has_both_classes(data.is_counted):
        raise ValueError(
            f"y_true must hold rows of both classes with weight, got {data.positive.size:,} rows, "
            f"{int(data.positive.sum()):,} of them positive with weight."
        )
    try:
        _ = data.scores
    except UnansweredError as error:
        raise ValueError(str(error)) from None
