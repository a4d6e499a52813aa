"""What a function answers to predictions, for each query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import isnan
from typing import cast

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.arrays import n_dimensions
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.doubt import issue
from sklearn_ap._scoring import low_scores
from sklearn_ap._types import Array, Bool, Float
from sklearn_ap._writing.text import count_as_text
from sklearn_ap.compat._tool_formulas import CONDITIONS, Curve
from sklearn_ap.compat._tool_functions import Call, Option, SpecialCase, all_options
from sklearn_ap.definitions import AtK, Expected, Step
from sklearn_ap.inference.doubts.score_doubts import (
    constant_columns,
    doubts_of_values,
    forgotten_queries,
)


@dataclass(frozen=True, eq=False)
class ToolAnswer:
    """What a function gives for each query, and its number, the mean over those with an answer."""

    call: Call
    values: Float  # nan where it raises an exception
    special: dict[SpecialCase, Bool]  # the queries of each special case that has any
    unit: str  # what each value is of

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.call.function.name

    @property
    def label(self) -> str:
        """Its name, with k and what else a reader must know."""
        n_left_out = int(np.count_nonzero(lack_answers(self.values)))
        note = ""
        if self.failure:
            note = f"raises {self.failure.exception}"
        elif n_left_out and self.values.size > 1:
            note = f"{count_as_text(n_left_out, self.unit)} left out"
        return self.call.label(note)

    @property
    def estimate(self) -> float:
        """Its number; nan if it is not defined, or if the function raises an exception."""
        return mean_of_answers(self.values)

    @property
    def failure(self) -> SpecialCase | None:
        """The case whose exception is the reason why there is no number."""
        raising = [case for case in self.special if case.exception]
        return raising[0] if raising and isnan(self.estimate) else None


def lack_answers(values: Float) -> Bool:
    """Check which of several queries have no answer: nan, or -1 of tools for detections."""
    return np.isnan(values) | (values == -1)


def mean_of_answers(values: Float) -> float:
    """Average over the queries with an answer; -1 alone is the number of a tool."""
    answers = values if values.size == 1 else values[~lack_answers(values)]
    return float(answers.mean()) if answers.size else np.nan


class CheckedPredictions:
    """Checked predictions of one or many queries, of which rows of weight 0 are dropped."""

    def __init__(self, request: Request) -> None:
        """Check what the user passed. Warn of scores that are classes, or rank negatives first."""
        request = replace(request, average=None)  # tools score one query at a time
        self.unit = "column" if request.queries is None else "query"
        is_binary = request.queries is not None or n_dimensions(request.y_score) != 2
        self.rankings = check_rankings(request, is_binary=is_binary)
        # Steps of an explanation, and calls that follow each other, share the first two choices.
        self._tied_counts = lru_cache(maxsize=1)(partial(_count_tied, self.rankings))
        forgotten = forgotten_queries([request.y_score], request.queries)
        score = self.rankings.score
        doubts = [
            *(doubts_of_values(score, self.rankings.n_rankings) or constant_columns(self.rankings)),
            *forgotten,
        ]
        options = all_options()
        counts = self._tied_counts(options["scores", "as given"], options["ties", "grouped"])
        values = Step().values(counts)[None]
        self.doubts = (*doubts, *low_scores(Step(), counts, values, (self.rankings,)))
        issue(self.doubts)

    def ask(self, call: Call) -> ToolAnswer:
        """Call a function with each query alone."""
        queries = {
            case: CONDITIONS[case.condition](self.rankings) for case in call.function.special_cases
        }
        special = {case: is_met for case, is_met in queries.items() if is_met.any()}
        return ToolAnswer(call, self.compute(call.choices, special), special, self.unit)

    def ask_all(self, calls: Sequence[Call]) -> list[ToolAnswer]:
        """Call functions, those that share the first two choices after each other."""
        names = {call: [option.name for option in call.function.choices.values()] for call in calls}
        answers = {call: self.ask(call) for call in sorted(names, key=names.__getitem__)}
        return [answers[call] for call in calls]

    def compute(self, choices: dict[str, Option], special: dict[SpecialCase, Bool]) -> Float:
        """Make all choices, and give the answers of special cases, of which the first counts."""
        counts = self._tied_counts(choices["scores"], choices["ties"])
        values = _values(choices, counts, self.rankings.sizes)
        for case, is_met in reversed(special.items()):
            values[is_met] = case.value
        return values


def _count_tied(rankings: Rankings, scores: Option, ties: Option) -> ThresholdCounts:
    """Make the first two choices."""
    with np.errstate(over="ignore"):  # scores beyond float32 are infinite in tools as well
        scored = cast(Rankings, scores(rankings))
    return count(replace(scored, score=cast(Array, ties(scored))))


@np.errstate(invalid="ignore")  # weights of 1e39, infinite in float32, give nan as in the tools
def _values(choices: dict[str, Option], counts: ThresholdCounts, sizes: Array) -> Float:
    """Make the last four choices: one value per query, 0 without positives."""
    curve = _draw_curve(choices, counts, sizes)
    total = cast(Array, choices["over"](curve))
    shares = cast(Array, choices["divisor"](curve))
    is_defined = (counts.n_positives > 0) & (shares > 0)
    return ratio(total, np.where(is_defined, shares, 0.0), 0.0)


def _draw_curve(choices: dict[str, Option], counts: ThresholdCounts, sizes: Array) -> Curve:
    """Make choices 3 and 4. Tied items in every order are a choice of ties with steps only."""
    is_step = choices["between"].name == "step"
    if is_step and choices["ties"].name == "every order":
        return Curve(counts, Expected().heights(counts), sizes, Expected)
    heights = cast(Array, choices["between"](counts, choices["start"](counts)))
    return Curve(counts, heights, sizes, AtK if is_step else None)
