"""Rankings from what the user passes, and the mean curve of several rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._scoring import counted
from sklearn_ap._validation import Rankings, Request, check_binary, check_n_positives
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.intervals import AveragePrecisionInterval, average_precision_interval

__all__ = ["interval", "mean_line", "one_by_one", "requested"]

Array = NDArray[Any]
Line = tuple[Array, Array]

MOST_NAMED = 12  # columns that have a style and a row of the legend each


def requested(request: Request, name: Any) -> dict[str, Any]:
    """The counts, names and weights of the rankings to draw, as a display takes them."""
    if _is_one(request):
        return {"counts": _one(request), "name": name}
    columns = request.groups is None
    if request.pos_label is None:
        request = replace(request, pos_label=1)
    rankings, counts = counted(Step(), request)
    unit = {None: "labels" if np.ndim(request.y_true) == 2 else "classes", "samples": "rows"}
    several: dict[str, Any] = {"counts": counts, "name": name}
    several["unit"] = "queries" if not columns else unit.get(request.average, unit[None])
    match request.average:
        case "micro":
            several["name"] = ", ".join(filter(None, (name, "micro-average")))
        case None:
            few = counts.starts.size <= MOST_NAMED
            if columns and few and not isinstance(name, list | tuple):
                several["name"] = _column_names(request, name)
        case "weighted":
            several |= {"weights": counts.n_positives, "members": False}
        case _:
            several |= {"weights": rankings.average_weight, "members": False}
    return several


def interval(
    request: Request, definition: Definition, confidence_level: float, name: Any
) -> AveragePrecisionInterval:
    """How certain each named ranking is, or the mean of all."""
    average = None if isinstance(name, list | tuple) else request.average or "macro"
    if _is_one(request):
        clean = _clean(request)
        request = replace(
            request,
            y_true=clean.positive,
            y_score=clean.score,
            sample_weight=clean.weight,
            pos_label=1,
        )
    return average_precision_interval(
        request.y_true,
        request.y_score,
        definition=definition,
        confidence_level=confidence_level,
        average=average,
        pos_label=1 if request.pos_label is None else request.pos_label,
        labels=request.labels,
        sample_weight=request.sample_weight,
        groups=request.groups,
        n_positives=request.n_positives,
        zero_division=np.nan,
    )


def _is_one(request: Request) -> bool:
    """Whether this is one ranking, not one per column or group."""
    shape = np.shape(request.y_score)
    return request.groups is None and not (len(shape) == 2 and shape[1] > 1)


def _clean(request: Request) -> Rankings:
    options = {"pos_label": request.pos_label, "sample_weight": request.sample_weight}
    return check_binary(request.y_true, request.y_score, **options)


def _one(request: Request) -> ThresholdCounts:
    """The counts of one ranking, where ``pos_label`` may be None."""
    counts = count(_clean(request))
    if request.n_positives is None:
        return counts
    known = check_n_positives(request.n_positives, counts.n_positives, several=False)
    return replace(counts, n_positives=known)


def _column_names(request: Request, name: Any) -> list[str]:
    """The class or the label of each column."""
    if np.ndim(request.y_true) == 1:
        columns = np.unique(request.y_true) if request.labels is None else request.labels
        kind = "class "
    else:
        columns = getattr(request.y_true, "columns", range(np.shape(request.y_true)[1]))
        kind = "" if hasattr(request.y_true, "columns") else "label "
    return [", ".join(filter(None, (name, f"{kind}{column}"))) for column in columns]


def one_by_one(counts: ThresholdCounts | Iterable[ThresholdCounts]) -> list[ThresholdCounts]:
    """Take counts of several rankings, or a list of counts, apart into single rankings."""
    given = [counts] if isinstance(counts, ThresholdCounts) else list(counts)
    wrong = [part for part in given if not isinstance(part, ThresholdCounts)]
    if wrong:
        raise TypeError(f"counts must be ThresholdCounts or a list of them, got {wrong[0]!r}.")
    singles = [single for part in given for single in _singles(part)]
    if not singles:
        raise ValueError("counts is an empty list: there is nothing to draw.")
    return singles


def _singles(counts: ThresholdCounts) -> list[ThresholdCounts]:
    if counts.starts.size == 1:
        return [counts]
    return [
        ThresholdCounts(
            thresholds=counts.thresholds[start:end],
            gained=counts.gained[start:end],
            tps=counts.tps[start:end],
            fps=counts.fps[start:end],
            fps_above=counts.fps_above[start:end],
            starts=np.zeros(1, np.intp),
            n_positives=counts.n_positives[i : i + 1],
            n_negatives=counts.n_negatives[i : i + 1],
        )
        for i, (start, end) in enumerate(zip(counts.starts, counts.ends, strict=True))
    ]


def mean_line(lines: Sequence[Line], weights: Array) -> Line:
    """Average lines at each recall; the area under the mean is the mean of the areas.

    A line is 0 beyond its last recall. ``weights`` add up to 1.
    """
    grid = np.unique(np.concatenate([[0.0, 1.0], *(recall for recall, _ in lines)]))
    left, right = np.zeros(grid.size - 1), np.zeros(grid.size - 1)
    middle = (grid[:-1] + grid[1:]) / 2
    for (recall, precision), weight in zip(lines, weights, strict=True):
        # Between two recalls of the grid each line is straight, also where it jumps at them.
        after = np.searchsorted(recall, middle)
        inside = np.flatnonzero((after > 0) & (after < recall.size))
        end, start = after[inside], after[inside] - 1
        slope = (precision[end] - precision[start]) / (recall[end] - recall[start])
        left[inside] += weight * (precision[start] + slope * (grid[inside] - recall[start]))
        right[inside] += weight * (precision[start] + slope * (grid[inside + 1] - recall[start]))
    ends = np.column_stack((grid[:-1], grid[1:])).ravel()
    heights = np.column_stack((left, right)).ravel()
    # Nothing is drawn beyond the last recall that any line reaches.
    reached = np.flatnonzero(heights)
    n_drawn = 2 * (reached[-1] // 2 + 1) if reached.size else 0
    return ends[:n_drawn], heights[:n_drawn]
