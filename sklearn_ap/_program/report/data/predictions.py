"""The predictions of a report, and the answers of public functions about them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import NamedTuple, TypeVar

import numpy as np

from sklearn_ap._base.common.types import AnyResult, Argument, Bool, Float, Keywords, Label
from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import interval_head
from sklearn_ap._program.report.page.words import count, noun
from sklearn_ap._questions.chance.random_orders import chance_test
from sklearn_ap._questions.intervals.interval import (
    AveragePrecisionInterval,
    average_precision_interval,
)
from sklearn_ap._questions.judged import JudgedShares, judged_shares
from sklearn_ap._questions.segments.names import Segments
from sklearn_ap._questions.verdicts import Estimate
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap.definitions import Definition, Step

MANY_ROWS = 100_000  # above this, fewer samples and random orders are drawn: a choice of seconds
MANY_WEIGHTED_ROWS = 20_000  # above this, resamples with weights or clusters take minutes
MOST_MODELS_SHOWN = 3  # in tables of thresholds and ranks, the highest scores first
SCALAR_OPTIONS = "prevalence", "pos_label", "confidence_level"  # calls show their values
DEFAULT_CONFIDENCE_LEVEL = 0.95  # calls need not show it
ROW_OPTIONS = {  # why options about rows exclude some parts
    "clusters": "rows of one {cluster} depend on each other",
    "queries": "each {query} is a ranking of its own",
    "sample_weight": "rows have weights",
    "n_positives": "some positives were never scored",
    "prevalence": "it holds for the sample as it is",
}

Answer = TypeVar("Answer")


class ChanceLevel(NamedTuple):
    """The score of random orders, the p-value of a model, and the number of orders."""

    score: float
    pvalue: float
    n_orders: int


@dataclass(frozen=True, eq=False)
class Predictions:
    """Checked labels, the scores of each model, and the options that were passed."""

    y_true: Bool
    y_scores: dict[str, Float]
    options: Keywords
    pos_label: Label
    segments: dict[str, Segments]  # by the name of their column
    is_single_model: bool  # whether scores were passed as one array
    values: dict[str, float] = field(default_factory=dict)  # of models, the highest first
    # Warnings of models that rank the negatives first, by their names.
    reversed_models: dict[str, str] = field(default_factory=dict)
    nouns: Keywords = field(default_factory=dict)  # the names of columns of clusters and queries
    precision: float | None = None  # of the threshold that leads
    _answers: dict[tuple[object, ...], Argument] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.y_true)

    @property
    def level(self) -> float:
        return float(self.options["confidence_level"])

    @property
    def interval_kind(self) -> str:
        """The words for limits, such as "95% interval"."""
        return interval_head(self.level)

    @property
    def best_model(self) -> str:
        return next(iter(self.values))

    @property
    def subject(self) -> str:
        """The best model at the beginning of a sentence; the names of users keep their case."""
        return self.best_model.capitalize() if self.is_single_model else self.best_model

    @property
    def at_prevalence(self) -> str:
        """The beginning of a sentence about scores at another prevalence; empty without one."""
        prevalence = self.options.get("prevalence")
        return "" if prevalence is None else f"At a prevalence of {prevalence:.3g}, "

    @property
    def subject_at_prevalence(self) -> str:
        """The best model at the beginning of a sentence about its score."""
        at = self.at_prevalence
        return f"{at}{self.best_model}" if at else self.subject

    @property
    def named_models(self) -> tuple[str, ...]:
        """The names that the user gave to models, the highest score first."""
        return () if self.is_single_model else tuple(self.values)

    @property
    def shown_models(self) -> list[str]:
        return [*self.values][:MOST_MODELS_SHOWN]

    @property
    def is_chosen(self) -> bool:
        """Whether the best model was chosen among several on these rows."""
        return len(self.y_scores) > 2

    @property
    def comparison_options(self) -> Keywords:
        """The reference of two models: the one that scores less, so that the winner is named first.

        A comparison takes the first model as the reference by default.
        """
        worst = [*self.values][-1]
        return {} if worst == next(iter(self.y_scores)) else {"reference": worst}

    @property
    def judged(self) -> JudgedShares | None:
        """The shares of the first documents of each run that were judged."""
        request = Request(
            y_true=self.y_true,
            y_score=self.y_scores[self.best_model],
            queries=self.options.get("queries"),
        )
        return judged_shares(self.y_scores, request, Step())

    @property
    def weight(self) -> Float:
        """The weight of each row, which is 1 without weights."""
        return np.asarray(self.options.get("sample_weight", np.ones(self.n_rows)))

    @property
    def cluster_noun(self) -> str:
        """The user's word for a cluster."""
        return noun(self.nouns.get("clusters"), "cluster")

    @property
    def cluster_nouns(self) -> str:
        """The plural of the user's word for a cluster."""
        return count(2, self.nouns.get("clusters"), "cluster").removeprefix("2 ")

    @property
    def query_noun(self) -> str:
        """The user's word for a query."""
        return noun(self.nouns.get("queries"), "query")

    @property
    def queries_without_positives(self) -> str:
        """Write " (3 topics without a positive count as 0)"; empty if all have some."""
        codes, n_queries = encode_names(self.options["queries"], "queries")
        n_empty = int(np.count_nonzero(np.bincount(codes[self.y_true], minlength=n_queries) == 0))
        if not n_empty:
            return ""
        queries = count(n_empty, self.nouns.get("queries"), "query")
        return f" ({queries} without a positive {'counts' if n_empty == 1 else 'count'} as 0)"

    @property
    def sampled_units(self) -> str:
        """What more data would have more of, such as "patients": clusters, queries or rows."""
        for role, default in (("clusters", "cluster"), ("queries", "query")):
            if role in self.options:
                return count(2, self.nouns.get(role), default).removeprefix("2 ")
        return "rows"

    def name_units(self, result: AnyResult) -> AnyResult:
        """Call the sampled units of a result as the user does, for its picture."""
        cases = result.cases
        roles = {"cluster": "clusters", "query": "queries"}
        if cases.unit not in roles:
            return result
        unit = noun(self.nouns.get(roles[cases.unit]), cases.unit)
        return replace(result, cases=cases._replace(unit=unit))

    @property
    def sample(self) -> str:
        """What was sampled, as "80 patients, 900 rows, 89 positives"."""
        return sample_in_words(self.name_units(self._interval(Step(), self.best_model)))

    def count_names(self, role: str) -> int:
        """Count the queries or the clusters; 0 if none were passed."""
        return encode_names(self.options[role], role)[1] if role in self.options else 0

    def names_in_words(self, role: str, default: str) -> str:
        """Count the queries or the clusters by the user's word, as "1,675 customers"."""
        return count(self.count_names(role), self.nouns.get(role), default)

    def reason_against(self, option: str) -> str:
        """Say by the words of the user why an option about rows excludes some parts."""
        return ROW_OPTIONS[option].format(cluster=self.cluster_noun, query=self.query_noun)

    def arguments(self, function: Callable[..., object], *omitted: str) -> Keywords:
        """Return the options that a function takes, and refuse others about rows."""
        parameters = signature(function).parameters
        options = {name: value for name, value in self.options.items() if name not in omitted}
        for name in options:  # in order, so that equal data give equal bytes
            if name not in parameters and name != "confidence_level":
                reason = self.reason_against(name)
                raise ValueError(f"this part does not go with {name}, because {reason}.")
        return {name: value for name, value in options.items() if name in parameters}

    @property
    def asked_prevalence(self) -> Keywords:
        """The prevalence as an option, if one was passed."""
        return {name: self.options[name] for name in ("prevalence",) if name in self.options}

    def options_of_rows(self, rows: Bool) -> Keywords:
        """Return the queries, clusters and weights of some rows, as far as they were passed."""
        roles = "queries", "clusters", "sample_weight"
        names = [name for name in roles if name in self.options]
        return {name: self.options[name][rows] for name in names}

    def ask(
        self,
        function: Callable[..., Answer],
        model: str | None,
        *,
        segments: str | None = None,
        omitted: tuple[str, ...] = (),
        **options: Argument,
    ) -> Answer:
        """Return the answer of a function about one model, or all; it is computed once.

        ``segments`` names the column of segments that it takes.
        """

        def answer() -> Answer:
            scores = self.y_scores if model is None else self.y_scores[model]
            columns = [] if segments is None else [self.segments[segments]]
            arguments = self.arguments(function, *omitted) | options
            return function(self.y_true, scores, *columns, **arguments)

        key = function, model, segments, omitted, tuple(sorted(options.items()))
        return self.compute_once(key, answer)

    def compute_once(self, key: tuple[object, ...], compute: Callable[[], Answer]) -> Answer:
        """Return what a function computes, and remember it by a key."""
        if key not in self._answers:
            self._answers[key] = compute()
        answer: Answer = self._answers[key]
        return answer

    def call(
        self,
        function: Callable[..., object],
        model: str | None,
        *,
        segments: str | None = None,
        omitted: tuple[str, ...] = (),
        **options: Argument,
    ) -> str:
        """Write the call of a function as a user does; ``segments`` names its column of several."""
        scores = "y_scores" if model is None or self.is_single_model else f"y_scores[{model!r}]"
        shown_options = {
            "segments": self.segments or None,
            **self.options,
            "pos_label": self.pos_label,
        }
        is_default = self.level == DEFAULT_CONFIDENCE_LEVEL
        shown_options["confidence_level"] = None if is_default else self.level
        texts = {name: name for name in shown_options}
        if segments is not None and len(self.segments) > 1:
            texts["segments"] = f"segments[{segments!r}]"
        words = [
            f"{name}={value!r}" if name in SCALAR_OPTIONS else f"{name}={texts[name]}"
            for name, value in shown_options.items()
            if name in signature(function).parameters.keys() - omitted and value is not None
        ]
        words += [f"{name}={value!r}" for name, value in options.items()]
        return f"{_public_name(function)}({', '.join(['y_true', scores, *words])})"

    def estimate(self, definition: Definition, model: str) -> Estimate:
        """Compute a score with its limits, unless these would take too long."""
        # Scores of top rows describe the sample, whatever the prevalence elsewhere.
        omitted = () if definition.depth is None else ("prevalence",)
        if self.is_slow and definition != Step():
            score = self.ask(average_precision_score, model, omitted=omitted, definition=definition)
            return Estimate(score, np.nan, np.nan)
        interval = self._interval(definition, model, omitted)
        return Estimate(interval.estimate, interval.low, interval.high)

    @property
    def own_prevalence(self) -> float:
        """The share of positives among these rows, by their weight."""
        return float(np.average(self.y_true, weights=self.weight))

    @property
    def effective_at_prevalence(self) -> float:
        """How many positives another prevalence would have beside as many negatives."""
        omitted = "clusters", "sample_weight"
        return float(self._interval(Step(), self.best_model, omitted).n_effective)

    @property
    def n_effective(self) -> float:
        """How many positives of equal weight tell as much as those of one ranking."""
        return float(self._interval(Step(), self.best_model).n_effective)

    @property
    def design_effect(self) -> float:
        """How many times clusters make the variance of the score that of independent rows.

        It is nan if independent rows have no variance, as those of a perfect score.
        """
        clustered = self._interval(Step(), self.best_model)
        independent = self._interval(Step(), self.best_model, omitted=("clusters",))
        if not independent.standard_error:
            return np.nan
        return float((clustered.standard_error / independent.standard_error) ** 2)

    def _interval(
        self, definition: Definition, model: str, omitted: tuple[str, ...] = ()
    ) -> AveragePrecisionInterval[float]:
        options: Keywords = {"n_resamples": 99} if self.n_rows > MANY_ROWS else {}
        return self.ask(
            average_precision_interval, model, omitted=omitted, definition=definition, **options
        )

    @property
    def is_slow(self) -> bool:
        """Whether resamples would be counted with weights, hundreds of times."""
        resamples_queries = "queries" in self.options and "clusters" not in self.options
        has_weights = bool({"sample_weight", "clusters"} & self.options.keys())
        return self.n_rows > MANY_WEIGHTED_ROWS and has_weights and not resamples_queries

    def chance_level(self, model: str) -> ChanceLevel:
        """Compute the mean score of random orders, and the p-value of a model.

        Rows of clusters have no p-value. Weighted rows have no random order: equal scores give
        their prevalence.
        """
        if "sample_weight" in self.options:
            options = self.arguments(average_precision_score, "clusters")
            score = average_precision_score(self.y_true, np.zeros(self.n_rows), **options)
            return ChanceLevel(score, np.nan, 0)
        n_orders = 99 if self.n_rows > MANY_ROWS else 999
        test = self.ask(chance_test, model, omitted=("clusters",), n_permutations=n_orders)
        if "clusters" in self.options:
            return ChanceLevel(test.chance, np.nan, n_orders)
        return ChanceLevel(test.chance, test.pvalue, n_orders)


def _public_name(function: Callable[..., object]) -> str:
    is_compat = function.__module__.startswith("sklearn_ap.compat")
    return f"compat.{function.__name__}" if is_compat else function.__qualname__
