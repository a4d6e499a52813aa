"""One batch of rows, checked: whatever is wrong is said with the place of the batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._arrays import to_numpy
from sklearn_ap._groups import is_missing
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

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each row, 1 where none are given."""
        return np.ones(self.score.size) if self.weight is None else self.weight

    def parts(self, size: int) -> Iterator[CleanBatch]:
        """Cut the rows into parts of at most this size; of no rows, give one part."""
        for i in range(0, max(self.score.size, 1), size):
            rows = slice(i, i + size)
            weight = None if self.weight is None else self.weight[rows]
            yield CleanBatch(self.labels, self.positive[rows], self.score[rows], weight)


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
    distinct = _together(labels)
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
    numbers = y_true.view(np.uint8) if y_true.dtype == bool else y_true  # which compare faster
    positive = np.asarray(numbers == (1 if pos_label is None else pos_label), dtype=bool)
    rows = check_binary(positive, y_score, pos_label=None, sample_weight=weight)
    return CleanBatch(labels, rows.positive, rows.score, rows.weight)


def _nothing(labels: frozenset[Any], arrays: dict[str, Array]) -> CleanBatch:
    weight = np.empty(0) if "sample_weight" in arrays else None
    return CleanBatch(labels, np.empty(0, dtype=bool), arrays["y_score"][:0], weight)


def _column(name: str, values: Any) -> Array:
    array = np.asarray(to_numpy(name, values))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    return array


def _labels(y_true: Array) -> frozenset[Any]:
    """The distinct labels, none of them missing."""
    if y_true.dtype.kind == "b":
        return frozenset(y_true[[y_true.argmin(), y_true.argmax()]].tolist())
    if y_true.dtype.kind in "iu" and y_true.size:
        ends = frozenset((y_true.min().item(), y_true.max().item()))
        if ends <= {0, 1}:
            return ends
    if y_true.dtype.kind in "iuf":
        usual = [label for label in (0, 1, -1) if np.count_nonzero(y_true == label)]
        if sum(np.count_nonzero(y_true == label) for label in usual) == y_true.size:
            return frozenset(usual)
    objects = y_true.dtype.kind == "O"
    missing = np.array([*map(is_missing, y_true)]) if objects else y_true != y_true
    if missing.any():
        raise ValueError(_wrong("y_true", "missing values", missing))
    labels = _together(set(y_true.tolist()))
    # Any label may be the positive one here: only what is no label at all is refused.
    check_binary(labels, np.zeros(labels.size), pos_label=labels[0].item(), sample_weight=None)
    return frozenset(labels.tolist())


def _together(labels: Iterable[Any]) -> Array:
    """Labels as one array; NumPy would make strings of numbers that stand among strings."""
    labels = sorted(labels, key=str)
    strings = [label for label in labels if isinstance(label, str)]
    odd = [label for label in labels if not isinstance(label, str | Real)]
    if odd:
        raise TypeError(f"y_true must hold numbers, strings or bools, got {odd[0]!r}.")
    if strings and len(strings) < len(labels):
        number = next(label for label in labels if not isinstance(label, str))
        raise ValueError(f"y_true holds strings and numbers: {strings[0]!r} and {number!r}.")
    return np.array(labels)


def _wrong(name: str, what: str, wrong: NDArray[np.bool_]) -> str:
    n, row = np.count_nonzero(wrong), int(wrong.argmax())
    return f"{name} contains {what}: {n} of {wrong.size} values, the first in row {row}."
