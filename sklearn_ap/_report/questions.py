"""Questions about predictions to public functions, each asked once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, NamedTuple

from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._report._calls import (
    USUAL_LEVEL,
    AnyResult,
    Passed,
    PublicCall,
    RowChoice,
    Term,
    terms_of_options,
)
from sklearn_ap._report._data import (
    ROW_OPTIONS,
    ReportData,
    SegmentColumn,
    make_column,
    named_columns,
)
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Argument
from sklearn_ap._writing.warning import UncertaintyWarning, hear_warnings
from sklearn_ap.inference.interval import Interval, average_precision_interval
from sklearn_ap.inference.thresholds.goals import (
    GOAL_OPTIONS,
    Goal,
    UnattainablePrecision,
    check_goal,
    doubt_precisions,
)

MOST_MODELS = 3  # that tables of thresholds and segments show, and that are asked about changes


class UnansweredError(InputError):
    """A public function refuses a question of the page."""


class ReportWarning(NamedTuple):
    """A warning of a public function, or a doubt of its result."""

    text: str
    kind: str  # the name of a doubt, or ""
    where: str = ""  # the rows, unless all were asked about
    precisions: tuple[float, ...] = ()  # that perhaps no threshold has


class ReportAnswer(NamedTuple, Generic[AnyResult]):
    """A result, the call that gives it, and its warnings."""

    result: AnyResult
    call: PublicCall[AnyResult]
    warnings: Mapping[ReportWarning, Sequence[str]]  # and the models about which they are
    model: str  # about which it is; empty for several


@dataclass(eq=False)
class Questions:
    """What public functions answer about predictions, with the options that were passed."""

    data: ReportData
    columns: Sequence[SegmentColumn]
    level: float
    goal: Goal | None
    _answers: dict[PublicCall[object], ReportAnswer[Any]] = field(default_factory=dict, init=False)

    @cached_property
    def scores(self) -> dict[str, ReportAnswer[Interval]]:
        """The score of each model, the highest first."""
        answers = {name: self.ask(average_precision_interval, name) for name in self.data.models}
        return dict(sorted(answers.items(), key=lambda item: -item[1].result.estimate))

    @property
    def best(self) -> str:
        """The model that scores highest."""
        return next(iter(self.scores))

    @property
    def sample(self) -> Sample:
        """The rows that are scored, and the prevalence that was passed."""
        return self.scores[self.best].result.sample

    @property
    def prevalence(self) -> float:
        """The prevalence that was passed, or the share of positives."""
        return float(self.scores[self.best].result.prevalence)

    @property
    def leading(self) -> list[str]:
        """The models that score highest."""
        return [*self.scores][:MOST_MODELS]

    @property
    def n_columns_of_times(self) -> int:
        """How many columns are dates, or other times."""
        return sum(column.are_times for column in self.columns)

    @cached_property
    def n_comparable_by_column(self) -> dict[str, int]:
        """How many segments of each column could be shown to be worse; of two, one is compared."""
        return {
            column.name: max(1, self.data.count_comparable(column.values) - 1)
            for column in self.columns
        }

    def ask(
        self,
        function: Callable[..., AnyResult],
        models: str | tuple[str, ...],
        *,
        rows: RowChoice | None = None,
        segments: Term | None = None,
        **further: Argument,
    ) -> ReportAnswer[AnyResult]:
        """Call a public function about one model, or several, with the options that were passed.

        ``rows`` restricts the question to some rows, ``segments`` are those of all rows, and
        ``further`` are options of this question.
        """
        parameters = inspect.signature(function).parameters
        for name in self.data.options:
            if name not in parameters:
                raise UnansweredError(f"{function.__name__} takes no {name}.")
        labels = Passed(self.data.y_true, "y_true").at(rows)
        arguments = [labels, self.data.select_scores(models, rows)]
        arguments += [] if segments is None else [segments.at(rows)]
        passed = self.data.options | terms_of_options({"confidence_level": self.level, **further})
        options = [
            (name, value.at(rows if name in ROW_OPTIONS else None))
            for name, value in passed.items()
            if name in parameters
        ]
        call = PublicCall(function, tuple(arguments), tuple(options), rows)
        if call not in self._answers:
            self._answers[call] = self._answer(call, models if isinstance(models, str) else "")
        return self._answers[call]

    def _answer(self, call: PublicCall[AnyResult], model: str) -> ReportAnswer[AnyResult]:
        """Call the function, and gather its warnings and the doubts of its result."""
        result, messages = ask(call)
        asked = [model] if model else []
        where = call.rows.where if call.rows else ""
        warned: dict[ReportWarning, Sequence[str]] = {
            ReportWarning(message, "", where): asked for message in messages
        }
        for doubt in getattr(result, "doubts", ()):
            names = [name for name in doubt.about if name in self.data.models]
            text = doubt.text if names else doubt.message
            precisions = doubt.precisions if isinstance(doubt, UnattainablePrecision) else ()
            warning = ReportWarning(f"{doubt.name}: {text}", doubt.name, where, precisions)
            warned[warning] = names or asked
        return ReportAnswer(result, call, warned, model)

    def find_warnings(
        self, but: Collection[PublicCall[object]] = ()
    ) -> dict[ReportWarning, list[str]]:
        """Find the warnings of all calls but some, and the models about which they are."""
        models_by_warning: dict[ReportWarning, list[str]] = {}
        for answer in self._answers.values():
            warned = {} if answer.call in but else answer.warnings
            for warning, names in warned.items():
                models = models_by_warning.setdefault(warning, [])
                models += [name for name in names if name not in models]
        return join_precisions(leave_out_repeated(models_by_warning))


def leave_out_repeated(
    models_by_warning: Mapping[ReportWarning, list[str]],
) -> dict[ReportWarning, list[str]]:
    """Leave out warnings about some rows that also stand for all rows of the same models."""
    told: dict[ReportWarning, list[str]] = {}
    for warning, models in models_by_warning.items():
        of_all = models_by_warning.get(warning._replace(where="")) if warning.where else None
        left = [name for name in models if of_all is None or name not in of_all]
        if left or of_all is None:
            told[warning] = left
    return told


def join_precisions(
    models_by_warning: Mapping[ReportWarning, list[str]],
) -> dict[ReportWarning, list[str]]:
    """Join warnings about several precisions of a model into one."""
    joined = {each: names for each, names in models_by_warning.items() if not each.precisions}
    precisions_by_model: dict[str, set[float]] = {}
    for warning, models in models_by_warning.items():
        for model in models if warning.precisions else ():
            precisions_by_model.setdefault(model, set()).update(warning.precisions)
    for model, precisions in precisions_by_model.items():
        doubt = doubt_precisions(sorted(precisions))
        text = f"{doubt.name}: {doubt.text}"
        warning = ReportWarning(text, doubt.name, precisions=doubt.precisions)
        joined.setdefault(warning, []).append(model)
    return joined


def ask(call: PublicCall[AnyResult]) -> tuple[AnyResult, list[str]]:
    """Call a public function, and catch what its warnings say."""
    with hear_warnings() as heard:
        try:
            result = call.ask()
        except InputError as error:
            raise UnansweredError(str(error)) from error
    # A doubt is read from the result, which also says about which models it is.
    messages = [each for each in heard if not isinstance(each, UncertaintyWarning)]
    return result, [*map(str, messages)]


def make_questions(
    y_true: ArrayLike,
    y_scores: Argument,
    segments: Argument,
    options: Mapping[str, object],
    units: Mapping[str, str | None] = MappingProxyType({}),
) -> Questions:
    """Check what was passed, as far as public functions do not.

    ``options`` are those of ``report``, and ``units`` the units of time that were asked for, by
    column.
    """
    goal = {name: options.get(name) for name in GOAL_OPTIONS}
    shared = {name: value for name, value in options.items() if name not in goal}
    level = check_open_share("confidence_level", shared.pop("confidence_level", USUAL_LEVEL))
    models = named_columns("y_scores", y_scores, "model")
    data = ReportData(y_true, models, terms_of_options(shared))
    if not data.has_both_classes(data.is_counted):
        raise InputError(
            f"y_true must hold rows of both classes with weight, got {data.positive.size:,} rows, "
            f"{int(data.positive.sum()):,} of them positive with weight."
        )
    is_asked = any(value is not None for value in goal.values())
    passed = {} if segments is None else named_columns("segments", segments, "segment")
    columns = [make_column(name, cells, data, units.get(name)) for name, cells in passed.items()]
    questions = Questions(data, columns, level, check_goal(**goal) if is_asked else None)
    try:
        _ = questions.scores  # a public function refuses wrong scores and options
    except UnansweredError as error:
        raise InputError(str(error)) from None
    return questions
