"""Two labels and numbers, which most calls have, without scikit-learn's validators."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from sklearn_ap._inputs.arrays import Array, Bool, below_infinity

EXACT = 2**53  # floats below it are whole where they look so


def plain_targets(y_true: Any, y_score: Any, pos_label: Any) -> tuple[Bool, Array] | None:
    """Say which labels are positive, and give the scores; None for what needs a closer look.

    The validators look at each label several times, and sort them. Two labels need only two
    comparisons, which pandas and polars make for text and categories in their own memory.
    """
    score = _numbers(y_score)
    if score is None or not score.size or not below_infinity(score):
        return None
    if not (score.ndim == 1 or (score.ndim == 2 and score.shape[1] > 1 and pos_label in (None, 1))):
        return None
    labels = _texts(y_true) if isinstance(pos_label, str) else _numbers(y_true)
    positive = None if labels is None else _are(labels, 1 if pos_label is None else pos_label)
    if positive is None or positive.shape != score.shape:
        return None
    if not _has_two(labels, positive, pos_label):
        return None
    return positive, score.view(np.uint8) if score.dtype == bool else score


def _numbers(values: Any) -> Array | None:
    """An array of numbers that NumPy and the processor know; None for anything else."""
    try:
        array = np.asarray(values)
    except Exception:  # other checks say what is wrong
        return None
    dtype = array.dtype
    return array if dtype.kind in "biuf" and dtype.itemsize <= 8 and dtype.isnative else None


def _texts(values: Any) -> Any:
    """What compares with a text and gives a label at a place; None for anything else."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "OU" else None
    if isinstance(values, list | tuple):
        return np.array([*values, None], dtype=object)[:-1]  # one-dimensional, whatever it holds
    return getattr(values, "array", values)  # that of a Series of pandas compares faster


def _are(labels: Any, label: Any) -> Bool | None:
    """Which labels are this one; a missing one is not, or makes it None."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind == "b" and label == 1:
        return labels
    try:
        return np.asarray(labels == label, dtype=bool)
    except Exception:  # pandas' NA, or what does not compare
        return None


def _has_two(labels: Any, positive: Bool, pos_label: Any) -> bool:
    """Whether the labels that are not positive are all the same, and labels that may be so."""
    place, n_hits = int(positive.argmin()), np.count_nonzero(positive)
    other = labels.item(place) if isinstance(labels, np.ndarray) else labels[place]
    if isinstance(pos_label, str):
        may_be = isinstance(other, str)
    elif pos_label is None or positive.ndim == 2:
        may_be = other in (-1, 0, 1)
    else:
        may_be = _is_whole(other) and (n_hits == 0 or _is_whole(pos_label))
    if not may_be or n_hits == positive.size:
        return may_be
    others = _are(labels, other)
    return others is not None and n_hits + np.count_nonzero(others) == positive.size


def _is_whole(label: Any) -> bool:
    if isinstance(label, Integral | np.bool_):
        return True
    return isinstance(label, Real) and abs(number := float(label)) < EXACT and number.is_integer()
