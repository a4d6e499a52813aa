"""What a function answers to predictions: its six choices, and then its special answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of, warn_if_reversed
from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Float
from sklearn_ap._uncertainty.sample_warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._curves import DIVISOR, OVER, draw_curve
from sklearn_ap.compat._scores_and_ties import SCORES, find_outside_0_1, order_ties
from sklearn_ap.compat._tools import CHOICES, Call, Choices, ChosenOption, Tool
from sklearn_ap.definitions import Step


class SpecialAnswer(NamedTuple):
    """The queries that meet a condition, and the answer to them."""

    condition: str
    queries: Bool
    value: float  # nan for an exception
    exception: str


@dataclass(frozen=True, eq=False)
class ToolAnswer:
    """What a function gives for each query, and its number, the mean over those with an answer."""

    call: Call
    values: Float  # nan where it raises an exception
    special: tuple[SpecialAnswer, ...]
    unit: str  # what each value is of

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.call.tool.name

    @property
    def label(self) -> str:
        """Its name, with k and what else a reader must know."""
        n_left_out = int(np.count_nonzero(~are_answers(self.values)))
        if self.exception:
            return self.call.label(f"raises {self.exception.partition(':')[0]}")
        if n_left_out and self.values.size > 1:
            return self.call.label(f"{count_as_text(n_left_out, self.unit)} left out")
        return self.call.label()

    @property
    def estimate(self) -> float:
        """Its number; nan if it is not defined, or if the function raises an exception."""
        return mean_of_answers(self.values)

    @property
    def exception(self) -> str:
        """The text of the exception, if there is no number because of one."""
        texts = [each.exception for each in self.special if each.exception]
        return texts[0] if texts and not are_answers(self.values).any() else ""


def are_answers(values: Float) -> Bool:
    """Check whether each query has an answer: not nan or, for one of several, -1."""
    return ~np.isnan(values) & ((values != -1) | (values.size == 1))


def mean_of_answers(values: Float) -> float:
    """Average over the queries with an answer."""
    answers = values[are_answers(values)]
    return float(answers.mean()) if answers.size else np.nan


class CheckedPredictions:
    """Checked predictions of one or many queries, of which rows of weight 0 are dropped."""

    def __init__(self, rankings: Rankings, request: Request) -> None:
        self.rankings = rankings
        self.request = request
        # Functions that follow each other often share the first two choices.
        self._count = lru_cache(maxsize=1)(partial(_count, rankings))

    @classmethod
    def check(cls, y_true: ArrayLike, y_score: ArrayLike, **rows: Argument) -> CheckedPredictions:
        """Check what the user passed."""
        request = Request(y_true=y_true, y_score=y_score, average=None, **rows)
        is_binary = request.queries is not None or np.ndim(request.y_score) != 2
        return cls(check_rankings(request, is_binary=is_binary), request)

    def warn(self) -> None:
        """Warn of scores that are classes, whatever their type, or rank the negatives first."""
        issue_warnings(warnings_of_scores(self.rankings.score))
        counts = self._count(ChosenOption("as given"), ChosenOption("grouped"))
        values = values_of(Step(), counts)
        warn_if_reversed(Step(), counts, values, self.rankings.effective_positives)

    def ask(self, call: Call) -> ToolAnswer:
        """Call a function with each query alone."""
        special = self._special_answers(call.tool)
        unit = "column" if self.request.queries is None else "query"
        return ToolAnswer(call, self.choose(call.choices, special), special, unit)

    def join_columns(self) -> CheckedPredictions:
        """Take all columns as one ranking (micro)."""
        known = self.rankings.n_positives
        n_positives = None if known is None else known.sum(keepdims=True)
        joined = replace(self.rankings, ranking=None, n_rankings=1, n_positives=n_positives)
        return CheckedPredictions(joined, self.request)

    @property
    def n_tied(self) -> int:
        """The number of rows that share their score with another one of their ranking."""
        cells = np.column_stack((self.rankings.ranking_of_items, self.rankings.score))
        _, sizes = np.unique(cells, axis=0, return_counts=True)
        return int(sizes[sizes > 1].sum())

    def choose(self, choices: Choices, special: Sequence[SpecialAnswer] = ()) -> Float:
        """Make all choices, and then give the special answers, of which the first counts."""
        counts = self._count(choices["scores"], choices["ties"])
        values = _values(choices, counts, self.rankings.sizes)
        for each in reversed(special):
            values[each.queries] = each.value
        return values

    def _special_answers(self, tool: Tool) -> tuple[SpecialAnswer, ...]:
        """List the conditions that some queries meet, and the answers of a function to them."""
        found = {each: CONDITIONS[each](self) for each in tool.answers}
        return tuple(
            SpecialAnswer(each, queries, *tool.answers[each])
            for each, queries in found.items()
            if queries.any()
        )


def _count(rankings: Rankings, scores: ChosenOption, ties: ChosenOption) -> ThresholdCounts:
    """Make the first two choices."""
    with np.errstate(over="ignore"):  # scores beyond float32 are infinite in tools as well
        rankings = SCORES[scores.option](rankings, **dict(scores.arguments))
    return count(replace(rankings, score=order_ties(ties.option, rankings)))


def _values(choices: Choices, counts: ThresholdCounts, sizes: Array) -> Float:
    """Make the last four choices: one value per query, 0 without positives."""
    ties, between, start, over, divisor = (choices[name] for name in CHOICES[1:])
    # Huge weights overflow in float32 and give nan, as in the tools.
    with np.errstate(invalid="ignore"):
        curve = draw_curve(
            counts, sizes, ties.option, between.option, start.option, **dict(between.arguments)
        )
        total = OVER[over.option](curve, **dict(over.arguments))
        shares = DIVISOR[divisor.option](curve, **dict(divisor.arguments))
    is_defined = (counts.n_positives > 0) & (shares > 0)
    return np.divide(total, shares, out=np.zeros(is_defined.shape), where=is_defined)


def _have_weightless_tops(predictions: CheckedPredictions) -> Bool:
    """Find the queries whose highest score has no weight. Rows without weight count here."""
    request = predictions.request
    if request.sample_weight is None:
        return np.zeros(predictions.rankings.n_rankings, dtype=bool)
    has_weight = np.ravel(to_numpy("sample_weight", request.sample_weight)).astype(float) > 0
    all_rows = replace(request, sample_weight=1.0 + has_weight, n_positives=None)
    ranked = check_rankings(all_rows)
    is_weighted = np.asarray(ranked.weight) == 2
    query = ranked.ranking_of_items
    top = np.full(query.max(initial=0) + 1, -np.inf)
    np.maximum.at(top, query, ranked.score)
    is_weighted_top = is_weighted & (ranked.score == top[query])
    n_tops, n_weighted = (np.bincount(query, x, top.size) for x in (is_weighted_top, is_weighted))
    # Queries without weight were dropped, and columns were not.
    return n_tops == 0 if request.queries is None else n_tops[n_weighted > 0] == 0


# The queries to which a tool gives another answer than its choices do.
CONDITIONS: dict[str, Callable[[CheckedPredictions], Bool]] = {
    "no positive": lambda predictions: predictions.rankings.weight_of_positives == 0,
    "no positive in any query": lambda predictions: np.full(
        predictions.rankings.n_rankings, not predictions.rankings.weight_of_positives.any()
    ),
    "only positives": lambda predictions: predictions.rankings.n_hits == predictions.rankings.sizes,
    "a score outside [0, 1]": lambda predictions: find_outside_0_1(predictions.rankings),
    "no weight at the top": _have_weightless_tops,
}
