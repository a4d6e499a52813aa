"""What a function may have been given in the place of predictions, and other means of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

import numpy as np

from sklearn_ap._types import Argument, Array, Keywords
from sklearn_ap.compat._score import CheckedPredictions, ToolAnswer, Unit
from sklearn_ap.compat._tools import Call


def other_answers(
    predictions: CheckedPredictions, calls: Sequence[Call], scores: Sequence[ToolAnswer]
) -> Iterator[tuple[str, Iterable[ToolAnswer]]]:
    """Yield what functions give for other inputs, and for columns without a plain mean."""
    for kind, other in _other_inputs(predictions):
        yield kind, (replace(other.ask(call), input=kind) for call in calls)
    if predictions.rankings.n_rankings > 1 and predictions.unit == "column":
        weights = predictions.rankings.weight_of_positives
        shares = weights / max(weights.sum(), 1e-6)
        kind = "weighted by positives"
        yield kind, (_replace_value(each, each.values @ shares, kind) for each in scores)
        alone = product(scores, range(weights.size))
        kind = "one column alone"
        yield kind, (_replace_value(each, each.values[i], f"column {i} alone") for each, i in alone)


def _replace_value(answer: ToolAnswer, value: float, kind: str) -> ToolAnswer:
    return replace(answer, values=np.array([value]), input=kind)


def _are_shares(score: Array) -> bool:
    return bool(score.min(initial=0) >= 0 and score.max(initial=0) <= 1)


def _reverse(labels: Array, score: Array) -> tuple[Array, Array]:
    """Turn scores around: probabilities are those of the other class."""
    return labels, float(_are_shares(score)) - score


Turn: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
# What people pass by mistake. Each undoes itself.
MISTAKES: dict[str, Turn] = {
    "y_score and y_true swapped": lambda labels, score: (score, labels),
    "scores reversed": _reverse,
    "labels 1 - y": lambda labels, score: (1 - labels, score),
    "labels 1 - y, scores reversed": lambda labels, score: _reverse(1 - labels, score),
}


def _other_inputs(predictions: CheckedPredictions) -> Iterator[tuple[str, CheckedPredictions]]:
    """Yield what may have been passed in the place of predictions, with its name."""
    rankings, unit = predictions.rankings, predictions.unit

    def changed(unit: Unit = unit, **changes: Argument) -> CheckedPredictions:
        return CheckedPredictions(replace(rankings, **changes), unit)

    totals: Keywords = {"n_positives": rankings.n_positives, "n_negatives": rankings.n_negatives}
    swapped: Keywords = dict(zip(totals, reversed(totals.values()), strict=True))
    if rankings.n_rankings > 1:
        sums: Keywords = {
            name: None if total is None else total.sum(keepdims=True)
            for name, total in totals.items()
        }
        kind = "micro" if unit == "column" else "without queries"
        yield kind, changed(**sums, ranking=None, n_rankings=1)
        kept = rankings.ranking, rankings.weight, rankings.n_positives
        if all(each is None for each in kept):  # a table without gaps and weights
            n_rows = rankings.score.size // rankings.n_rankings
            rows = np.tile(np.arange(n_rows), rankings.n_rankings)
            yield "samples", changed("row", ranking=rows, n_rankings=n_rows, names=None)
    positive, score = rankings.positive.astype(float), rankings.score.astype(float)
    cut = 0.5 if _are_shares(score) else 0.0
    yield f"y_score > {cut:g}", changed(score=(score > cut).astype(float))
    if (score == cut).any():
        yield f"y_score >= {cut:g}", changed(score=(score >= cut).astype(float))
    for mistake, make in MISTAKES.items():
        labels, scores = make(positive, score)
        if np.isin(labels, (0, 1)).all():
            known = totals if np.array_equal(labels, positive) else swapped
            yield mistake, changed(**known, positive=labels > 0, score=scores)
