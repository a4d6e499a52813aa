"""The predictions of a report, and what public functions say of them."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from math import floor, isnan, log10
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.inputs.arrays import as_column, columns_by_name
from sklearn_ap._base.inputs.checks import check_same_length, check_same_order
from sklearn_ap._base.inputs.kept_rankings import checked_scores
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.inputs.targets import check_targets
from sklearn_ap._base.text import (
    interval_as_text,
    interval_head,
    number_as_text,
    pvalue_in_words,
)
from sklearn_ap._questions.chance.random_orders import chance_test
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.judged import JudgedShares, judged_shares, scores_like, select_scores
from sklearn_ap._questions.segments.names import name_segments
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap._uncertainty.options import check_lengths, named_models
from sklearn_ap.definitions import Definition, Step

MANY = 100_000  # rows, from which fewer samples and random orders are drawn: a choice of seconds
MANY_WEIGHTED = 20_000  # rows whose resamples with weights or clusters take minutes
MOST_SHOWN = 3  # models in tables of thresholds and ranks, the highest scores first
AS_VALUES = "prevalence", "pos_label", "confidence_level"  # shown as they are, not as columns
LEVEL = 0.95  # which need not be said


class Estimate(NamedTuple):
    """A number with its limits, nan if they are not known."""

    value: float
    low: float
    high: float

    @property
    def cell(self) -> str:
        limits = "" if isnan(self.low) else f" {interval_as_text(self.low, self.high)}"
        return number_as_text(self.value) + limits

    def in_words(self, kind: str, sign: str = "", pvalue: float | None = None) -> str:
        """As "0.33 (95% interval 0.23 to 0.44)": as many digits as the limits have a use for."""
        width = self.high - self.low
        digits = min(max(2, 1 - floor(log10(width))), 6) if width > 0 else 3
        value, low, high = (f"{each:{sign}.{digits}f}" for each in self)
        p = "" if pvalue is None else f", {pvalue_in_words(pvalue)}"
        return value if isnan(self.low) else f"{value} ({kind} {low} to {high}{p})"


@dataclass(frozen=True, eq=False)
class Predictions:
    """Checked labels, the scores of each model, and the options that were passed."""

    y_true: Any
    y_scores: dict[str, Any]
    options: dict[str, Any]
    pos_label: Any
    segments: Any
    is_one: bool  # whether scores were passed as one array
    values: dict[str, float] = field(default_factory=dict)  # of models, the highest first
    doubts: tuple[str, ...] = ()  # that scores rank the negatives first
    _known: dict[Any, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.y_true)

    @property
    def level(self) -> float:
        return float(self.options["confidence_level"])

    @property
    def kind(self) -> str:
        """What limits are: "95% interval"."""
        return interval_head(self.level)

    @property
    def best(self) -> str:
        return next(iter(self.values))

    @property
    def shown(self) -> list[str]:
        return [*self.values][:MOST_SHOWN]

    @property
    def judged(self) -> JudgedShares | None:
        """Of runs, the share of the first documents of each model that were judged."""
        request = Request(
            y_true=self.y_true,
            y_score=self.y_scores[self.best],
            queries=self.options.get("queries"),
        )
        return judged_shares(self.y_scores, request, Step())

    def number_of(self, name: str) -> int:
        """How many queries or clusters there are; 0 if none were passed."""
        return encode_names(self.options[name], name)[1] if name in self.options else 0

    def arguments(self, function: Callable[..., Any], *without: str) -> dict[str, Any]:
        """The options; an error names one about rows that the function does not take."""
        takes = signature(function).parameters
        given = {name: value for name, value in self.options.items() if name not in without}
        for name in given:  # in order, so that equal data give equal bytes
            if name not in takes and name != "confidence_level":
                raise ValueError(f"{_name(function)} takes no {name}.")
        return {name: value for name, value in given.items() if name in takes}

    def ask(
        self,
        function: Callable[..., Any],
        name: str | None,
        *first: Any,
        without: tuple[str, ...] = (),
        **options: Any,
    ) -> Any:
        """What a function says of one model, or of all; what is asked again is known."""
        key = function, name, without, str(options)
        if key not in self._known:
            scores = self.y_scores if name is None else self.y_scores[name]
            given = self.arguments(function, *without) | options
            self._known[key] = function(self.y_true, scores, *first, **given)
        return self._known[key]

    def call(self, function: Callable[..., Any], name: str | None, **options: Any) -> str:
        """The call as a user writes it."""
        scores = "y_scores" if name is None or self.is_one else f"y_scores[{name!r}]"
        given = {"segments": self.segments, **self.options, "pos_label": self.pos_label}
        given["confidence_level"] = None if self.level == LEVEL else self.level
        words = [
            f"{each}={value!r}" if each in AS_VALUES else f"{each}={each}"
            for each, value in given.items()
            if each in signature(function).parameters and value is not None
        ]
        words += [f"{each}={value!r}" for each, value in options.items()]
        return f"{_name(function)}({', '.join(['y_true', scores, *words])})"

    def estimate(self, definition: Definition, name: str) -> Estimate:
        """A score with its limits, unless these would take too long."""
        options: dict[str, Any] = {"definition": definition}
        options["without"] = () if definition.depth is None else ("prevalence",)
        if self.is_slow and definition != Step():
            return Estimate(self.ask(average_precision_score, name, **options), np.nan, np.nan)
        options |= {"n_resamples": 99} if self.n_rows > MANY else {}
        interval = self.ask(average_precision_interval, name, **options)
        return Estimate(interval.estimate, interval.low, interval.high)

    @property
    def is_slow(self) -> bool:
        """Whether resamples would be counted with weights, hundreds of times."""
        are_queries = "queries" in self.options and "clusters" not in self.options
        weigh = {"sample_weight", "clusters"} & self.options.keys() and not are_queries
        return self.n_rows > MANY_WEIGHTED and bool(weigh)

    def chance(self, name: str) -> tuple[float, float, int]:
        """The mean score of random orders, the p-value, and how many orders there were.

        Rows of clusters have no p-value. Weighted rows have no random order: equal scores give
        their prevalence.
        """
        if "sample_weight" in self.options:
            options = self.arguments(average_precision_score, "clusters")
            level = average_precision_score(self.y_true, np.zeros(self.n_rows), **options)
            return level, np.nan, 0
        n_orders = 1 if "clusters" in self.options else 99 if self.n_rows > MANY else 999
        test = self.ask(chance_test, name, without=("clusters",), n_permutations=n_orders)
        return test.chance, test.pvalue if n_orders > 1 else np.nan, n_orders


def _name(function: Callable[..., Any]) -> str:
    of_tools = function.__module__.startswith("sklearn_ap.compat")
    return f"compat.{function.__name__}" if of_tools else function.__qualname__


def check_predictions(
    y_true: Any, y_scores: Any, segments: Any, pos_label: Any, options: dict[str, Any]
) -> Predictions:
    """Check labels and scores once; functions check the options that they get."""
    given = y_scores = columns_by_name("y_scores", y_scores)
    is_one = not (isinstance(y_scores, Mapping) or hasattr(y_scores, "columns"))
    y_scores = {"the model": y_scores} if is_one else y_scores
    names = [*getattr(y_scores, "columns", y_scores)]
    models = {names[0]: y_scores[names[0]]} if len(names) == 1 else named_models(y_scores)
    check_lengths(y_true, models)
    of_rows = {name: each for name, each in options.items() if name != "n_positives"}
    for y_score in models.values():
        check_same_order(y_true=y_true, y_score=y_score, segments=segments, **of_rows)
    targets = [check_targets(y_true, each, pos_label, is_binary=True) for each in models.values()]
    scores = {str(name): np.asarray(each.score) for name, each in zip(models, targets, strict=True)}
    labels = targets[0].positive
    options = {name: value for name, value in options.items() if value is not None}
    for name in {"queries", "clusters"} & options.keys():
        options[name] = check_names(name, options[name], len(labels))
        encode_names(options[name], name)  # refuses missing names
    if "sample_weight" in options:
        options["sample_weight"] = as_column("sample_weight", options["sample_weight"])
    segments = None if segments is None else name_segments(segments, labels, labels)
    scores = scores_like(given, scores)
    data = Predictions(labels, scores, options, pos_label, segments, is_one)
    is_known = targets[0].is_known
    data = data if is_known is None else _only(data, np.ravel(is_known))
    return _scored(_checked_once(data))


def _only(data: Predictions, kept: Bool) -> Predictions:
    """Some of the rows: those whose label in a table of one column is known."""
    if not kept.any():
        raise ValueError("y_true has no known label, so nothing is left to score.")
    options = dict(data.options)
    for name in {"queries", "clusters", "sample_weight"} & options.keys():
        check_same_length(y_true=kept, **{name: options[name]})
        options[name] = options[name][kept]
    segments = data.segments
    if segments is not None:
        segments = segments._replace(codes=segments.codes[kept])
    y_scores = select_scores(data.y_scores, kept)
    return replace(
        data,
        y_true=data.y_true[kept],
        y_scores=y_scores,
        options=options,
        segments=segments,
    )


def _scored(data: Predictions) -> Predictions:
    """The same with the score of each model. This refuses options that are wrong."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        values = {name: data.ask(average_precision_score, name) for name in data.y_scores}
    doubts = tuple(text for each in caught if "far below" in (text := str(each.message)))
    values = dict(sorted(values.items(), key=lambda each: -each[1]))
    return replace(data, values=values, doubts=doubts)


def _checked_once(data: Predictions) -> Predictions:
    """The same with scores that no question checks or counts again."""
    scores: dict[str, Any] = {
        name: checked_scores(data.y_true, each) for name, each in data.y_scores.items()
    }
    return replace(data, y_scores=scores_like(data.y_scores, scores))
