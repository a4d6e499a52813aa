"""What the user passes to a display, as the counts of single rankings."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from sklearn_ap._inputs import Request, check_binary_targets
from sklearn_ap._scoring import counted
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._thresholds import COLUMNS, check_counts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.intervals import AveragePrecisionInterval, average_precision_interval

MOST_NAMED = 12  # columns that have a style and a row of the legend each


def with_pos_label(request: Request) -> Request:
    """Replace ``pos_label=None``; one ranking has the conventions of ``precision_recall_curve``."""
    if not _is_one_ranking(request):
        return replace(request, pos_label=1) if request.pos_label is None else request
    request.check_order()
    positive, score = check_binary_targets(request.y_true, request.y_score, request.pos_label)
    one: dict[str, Any] = {"y_true": positive, "y_score": score, "pos_label": None, "labels": None}
    return replace(request, **one, average="macro")


def rankings_of(request: Request, name: Any) -> dict[str, Any]:
    """The rankings to draw, as arguments of an ``AveragePrecisionDisplay``."""
    rankings, counts = counted(Step(), request)
    found: dict[str, Any] = {"counts": counts, "name": name}
    if _is_one_ranking(request):
        return found
    found["unit"] = _unit(request)
    few_columns = request.queries is None and counts.starts.size <= MOST_NAMED
    if request.average == "micro":
        found["name"] = _joined(name, "micro-average")
    elif request.average is not None:
        found["weights"] = rankings.weight_in_average(counts.n_positives)
        found["members"] = False
    elif few_columns and not isinstance(name, list | tuple):
        found["name"] = [_joined(name, column) for column in request.column_names()]
    return found


def interval_of(
    request: Request, definition: Definition, confidence_level: float, name: Any
) -> AveragePrecisionInterval[Any]:
    """How certain each named ranking is, or the mean of all."""
    average = None if isinstance(name, list | tuple) else request.average or "macro"
    request = replace(request, average=average, zero_division=0.0)
    return average_precision_interval(
        definition=definition,
        confidence_level=confidence_level,
        **{field.name: getattr(request, field.name) for field in fields(request)},
    )


def single_rankings(counts: ThresholdCounts | Iterable[ThresholdCounts]) -> list[ThresholdCounts]:
    """Take counts of several rankings, or a list of counts, apart."""
    given = [counts] if isinstance(counts, ThresholdCounts) else list(counts)
    for part in given:
        check_counts(part)
    singles = [single for part in given for single in _apart(part)]
    if not singles:
        raise ValueError("counts is an empty list: there is nothing to draw.")
    return singles


def _apart(counts: ThresholdCounts) -> list[ThresholdCounts]:
    return [
        ThresholdCounts(
            **{name: getattr(counts, name)[rows] for name in COLUMNS},
            starts=np.zeros(1, np.intp),
            n_positives=counts.n_positives[i : i + 1],
            n_negatives=counts.n_negatives[i : i + 1],
            n_unscored=None if counts.n_unscored is None else counts.n_unscored[i : i + 1],
        )
        for i, rows in enumerate(map(slice, counts.starts, counts.ends))
    ]


def _is_one_ranking(request: Request) -> bool:
    return request.queries is None and request.n_columns == 1


def _unit(request: Request) -> str:
    """What the rankings are."""
    if request.queries is not None:
        return "queries"
    if request.average == "samples":
        return "rows"
    return "classes" if request.has_classes else "labels"


def _joined(*words: str | None) -> str:
    return ", ".join(filter(None, words))
