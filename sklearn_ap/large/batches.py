"""One batch of rows, checked: whatever is wrong is said with the place of the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._validation import check_binary

__all__ = ["Batch", "CleanBatch", "check_labels", "clean"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows, as a source gives them; ``place`` names them in errors, as "batch 3"."""

    place: str
    y_true: Any
    y_score: Any
    sample_weight: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class CleanBatch:
    """The rows of a batch that have weight, and all labels that it holds."""

    labels: frozenset[Any]
    positive: NDArray[np.bool_]
    score: Array
    weight: NDArray[np.float64] | None


def clean(batch: Batch, pos_label: Any) -> CleanBatch:
    """Check a batch. Labels are compared later with those of other batches."""
    try:
        columns = {"y_true": batch.y_true, "y_score": batch.y_score}
        if batch.sample_weight is not None:
            columns["sample_weight"] = batch.sample_weight
        arrays = {name: _column(name, values) for name, values in columns.items()}
        if not any(array.size for array in arrays.values()):
            return _nothing(frozenset(), arrays)
        return _clean(arrays, pos_label)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{batch.place}: {error}") from error


def check_labels(labels: frozenset[Any], rows: int, pos_label: Any) -> None:
    """Refuse the labels of all batches as those of one array would be refused."""
    if not labels:
        raise ValueError("y_true and y_score are empty: there is nothing to score.")
    distinct = np.array(sorted(labels, key=str))
    check_binary(distinct, np.zeros(distinct.size), pos_label=pos_label, sample_weight=None)
    if not rows:
        raise ValueError("sample_weight is zero in every row: nothing is left to score.")


def _clean(arrays: dict[str, Array], pos_label: Any) -> CleanBatch:
    y_true, y_score, weight = arrays["y_true"], arrays["y_score"], arrays.get("sample_weight")
    labels = _labels(y_true)
    if y_score.dtype.kind == "f" and not np.isfinite(y_score).all():
        raise ValueError(_wrong("y_score", "NaN or infinity", ~np.isfinite(y_score)))
    same_length = len({array.size for array in arrays.values()}) == 1
    if same_length and weight is not None and not weight.any():
        return _nothing(labels, arrays)  # no rows here, but perhaps in other batches
    # Whether the positive label is absent is not known before all batches were seen.
    positive = np.asarray(y_true == (1 if pos_label is None else pos_label), dtype=bool)
    rows = check_binary(positive, y_score, pos_label=None, sample_weight=weight)
    return CleanBatch(labels, rows.positive, rows.score, rows.weight)


def _nothing(labels: frozenset[Any], arrays: dict[str, Array]) -> CleanBatch:
    weight = np.empty(0) if "sample_weight" in arrays else None
    return CleanBatch(labels, np.empty(0, dtype=bool), arrays["y_score"][:0], weight)


def _column(name: str, values: Any) -> Array:
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    return array


def _labels(y_true: Array) -> frozenset[Any]:
    """The distinct labels, none of them missing."""
    if y_true.dtype.kind in "biuf":
        usual = [label for label in (0, 1, -1) if np.count_nonzero(y_true == label)]
        if sum(np.count_nonzero(y_true == label) for label in usual) == y_true.size:
            return frozenset(usual)
    objects = y_true.dtype.kind == "O"
    missing = np.array([v is None or v != v for v in y_true]) if objects else y_true != y_true
    if missing.any():
        raise ValueError(_wrong("y_true", "missing values", missing))
    labels = np.array(sorted(set(y_true.tolist()), key=str))
    # Any label may be the positive one here: only what is no label at all is refused.
    check_binary(labels, np.zeros(labels.size), pos_label=labels[0].item(), sample_weight=None)
    return frozenset(labels.tolist())


def _wrong(name: str, what: str, wrong: NDArray[np.bool_]) -> str:
    n, row = np.count_nonzero(wrong), int(wrong.argmax())
    return f"{name} contains {what}: {n} of {wrong.size} values, the first in row {row}."
