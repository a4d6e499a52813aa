"""The first rows: their precision and recall, and the curves of all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from math import isnan

from sklearn_ap._report._facts import Fact, Measured, Refused, read_score, read_shares
from sklearn_ap._report._parts import Part, Picture, make_table
from sklearn_ap._report.questions import Questions, UnansweredError
from sklearn_ap._results.text import interval_as_text, k_as_text, names_as_text, share_as_text
from sklearn_ap._types import Axes
from sklearn_ap.definitions import PrecisionAtK, RecallAtK
from sklearn_ap.displays.display import AveragePrecisionDisplay
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.operating_point import operating_point

TOP_SHARES = 0.01, 0.05, 0.1  # of the rows
FEWEST_ROWS = 5  # that a share has
TOP_RANKS = 5, 10  # of each query


@dataclass(frozen=True)
class TopRows(Fact):
    """The precision and recall of the first rows: a share of all, or ranks of each query."""

    model: str
    k: float
    is_of_queries: bool  # and means of these
    precision: Measured
    recall: Measured

    @property
    def top(self) -> str:
        """What the first rows are."""
        return f"{k_as_text(self.k)} of each query" if self.is_of_queries else k_as_text(self.k)

    def __str__(self) -> str:
        if isnan(self.precision.value):
            return f"No threshold of {self.model} selects as few rows as the top {self.top}."
        mean = ", on average over queries" if self.is_of_queries else ""
        precision, recall = share_as_text(self.precision.value), share_as_text(self.recall.value)
        return (
            f"Of the top {self.top} by {self.model}, {precision} are positive, and they hold "
            f"{recall} of the positives{mean}."
        )


def make_top_part(questions: Questions, advised: str) -> Part:
    """Give the precision and recall of the first rows, if they are not refused, and the curves."""
    title = "Curve and top rows"
    alt = f"Precision over recall of {names_as_text(questions.leading)}."
    picture = Picture(partial(draw_curves, questions), alt)
    try:
        top_rows = find_top_rows(questions)
    except UnansweredError as error:
        return Part(title, [Refused(str(error))], picture=picture)
    level = interval_as_text(questions.level)
    head = ["model", "top", f"precision ({level})", f"recall ({level})"]
    body = [[fact.model, fact.top, fact.precision.text(), fact.recall.text()] for fact in top_rows]
    told = [fact for fact in top_rows if fact.model == advised]
    table = make_table(head, body) if body else None
    return Part(title, told[:1], table, top_rows, picture=picture)


def find_top_rows(questions: Questions) -> list[TopRows]:
    """Find the precision and the recall of the first rows, or of those of each query."""
    tops = [k for k in TOP_SHARES if k * questions.data.is_counted.sum() >= FEWEST_ROWS]
    if "queries" in questions.data.options:
        asked_k = questions.goal.k if questions.goal else None
        tops = [*TOP_RANKS] if asked_k is None else [asked_k]
    return [find_top(questions, model, k) for model, k in product(questions.leading, tops)]


def find_top(questions: Questions, model: str, k: float) -> TopRows:
    """Find the precision and the recall of the first k rows, or of the first k of each query."""
    is_of_queries = "queries" in questions.data.options
    if is_of_queries:
        scores = [
            questions.ask(average_precision_interval, model, definition=definition)
            for definition in (PrecisionAtK(k), RecallAtK(k))
        ]
        precision, recall = (read_score(answer.result) for answer in scores)
        calls = tuple(answer.call for answer in scores)
    else:
        point = questions.ask(operating_point, model, k=k)
        precision, recall = read_shares(point.result)
        calls = (point.call,)
    return TopRows(
        model=model,
        k=k,
        is_of_queries=is_of_queries,
        precision=precision,
        recall=recall,
        calls=calls,
    )


def draw_curves(questions: Questions) -> Axes:
    """Draw the curves of the leading models in one picture."""
    data = questions.data
    options = {name: option.value for name, option in data.options.items() if name != "clusters"}
    options |= {"average": "macro"} if "queries" in data.options else {}
    ax: Axes = None
    for model in questions.leading:
        score = data.models[model].value
        ax = AveragePrecisionDisplay.from_predictions(
            data.y_true, score, name=model, ax=ax, **options
        ).ax_
    # Rows that also have the scores can be wider than the picture.
    for row, model in zip(ax.get_legend().get_texts(), questions.leading, strict=False):
        row.set_text(model)
        row.set_parse_math(False)
    ax.set_xlabel("recall: share of the positives")
    ax.set_ylabel("precision")
    return ax
