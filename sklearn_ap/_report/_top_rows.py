"""The first rows, for those who act on as many as they can: a share of all, or ranks of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan

import numpy as np

from sklearn_ap._report._calls import Calls
from sklearn_ap._report._fact import Fact, Measured, Refused, read_score
from sklearn_ap._report._falls import WorseSegment, write_falls
from sklearn_ap._report._parts import Part, make_table
from sklearn_ap._report.questions import Questions, UnansweredError
from sklearn_ap._writing.text import count_as_text, interval_as_text, k_as_text, share_as_text
from sklearn_ap.definitions import PrecisionAtK, RecallAtK
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.thresholds.operating_point import operating_point

TOP_SHARES = 0.01, 0.05, 0.1  # of the rows
FEWEST_ROWS = 5  # that a share has, but for the largest one
TOP_RANKS = 5, 10  # of each query, unless k was passed


@dataclass(frozen=True)
class TopRows(Fact):
    """The precision and recall of the first rows, or means of those of the first of each query."""

    model: str
    k: float
    is_of_queries: bool
    precision: Measured
    recall: Measured
    n_highest: int  # rows that share the highest score

    @property
    def top(self) -> str:
        """What the first rows are."""
        return f"{k_as_text(self.k)} of each query" if self.is_of_queries else k_as_text(self.k)

    def __str__(self) -> str:
        if isnan(self.precision.value):  # too many rows have the highest score
            n_rows = count_as_text(self.n_highest, "row")
            return (
                f"No threshold of {self.model} selects as few rows as the top {self.top}: "
                f"{n_rows} share its highest score."
            )
        mean = ", on average over queries" if self.is_of_queries else ""
        return (
            f"The top {self.top} by {self.model} have a precision of {self.precision.phrase()} and "
            f"hold {share_as_text(self.recall.value)} of the positives{mean}."
        )


def make_top_part(questions: Questions, advised: str, places: Sequence[WorseSegment]) -> Part:
    """Give the precision and recall of the first rows by the leading models, if not refused."""
    n_rows = questions.data.is_counted.sum()
    tops = [k for k in TOP_SHARES if k * n_rows >= FEWEST_ROWS] or [TOP_SHARES[-1]]
    if questions.data.has_queries:
        asked = questions.goal.k if questions.goal else None
        tops = [*TOP_RANKS] if asked is None else [asked]
    try:
        found = [find_top(questions, model, k) for model, k in product(questions.leading, tops)]
    except UnansweredError as error:
        return Part("Top rows", [Refused(str(error))])
    level = interval_as_text(questions.level)
    head = ["model", "top", f"precision ({level})", f"recall ({level})"]
    body = [[fact.model, fact.top, fact.precision.text(), fact.recall.text()] for fact in found]
    told = next(fact for fact in found if fact.model == advised)
    others = [fact for fact in found if isnan(fact.precision.value) and fact != told]
    notes = [*map(str, others), *write_falls(places)]
    return Part("Top rows", [told], make_table(head, body), found, notes=notes)


def find_top(questions: Questions, model: str, k: float) -> TopRows:
    """Find the precision and the recall of the first k rows, or of the first k of each query."""
    is_of_queries = questions.data.has_queries
    if is_of_queries:
        precisions, recalls = (
            questions.ask(average_precision_interval, model, definition=definition)
            for definition in (PrecisionAtK(k), RecallAtK(k))
        )
        precision, recall = read_score(precisions.result), read_score(recalls.result)
        calls: Calls = (precisions.call, recalls.call)
    else:
        answer = questions.ask(operating_point, model, k=k)
        point, calls = answer.result, (answer.call,)
        precision = Measured(*point.precision, questions.level)
        recall = Measured(*point.recall, questions.level)
    scores = np.asarray(questions.data.models[model].value).ravel()[questions.data.is_counted]
    return TopRows(
        model=model,
        k=k,
        is_of_queries=is_of_queries,
        precision=precision,
        recall=recall,
        n_highest=int(np.sum(scores == scores.max())),
        calls=calls,
    )
