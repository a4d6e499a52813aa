"""The door: the user's arrays in, clean NumPy arrays out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, column_or_1d

from sklearn_ap._arrays import to_numpy
from sklearn_ap._groups import codes_of

__all__ = [
    "RELATIVE_TOLERANCE",
    "Rankings",
    "Request",
    "check_binary",
    "check_clusters",
    "check_groups",
    "check_n_positives",
    "check_numbers",
    "check_rankings",
    "warn_if_weights_end_before",
]

Array = NDArray[Any]

# Sums of a million weights drift by more than a few ulps; two that agree to this are the same.
RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What the user passed to a score, unchecked."""

    y_true: Any
    y_score: Any
    average: str | None = "macro"
    pos_label: Any = 1
    labels: Any = None
    sample_weight: Any = None
    groups: Any = None
    n_positives: Any = None
    zero_division: Any = "warn"


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Clean predictions of one or many rankings, laid end to end.

    ``ranking`` says which of the ``n_rankings`` each item belongs to; None where all are equally
    long, one after the other. Weights are positive. ``average_weight`` is the weight of a ranking
    in the mean.
    """

    positive: NDArray[np.bool_]
    score: Array
    weight: NDArray[np.float64] | None = None
    ranking: NDArray[np.intp] | None = None
    n_rankings: int = 1
    average_weight: NDArray[np.float64] | None = None

    @property
    def several(self) -> bool:
        """Whether the user asked for more than one ranking, though there may be one group."""
        return self.n_rankings > 1 or self.ranking is not None

    @property
    def ranking_of_items(self) -> NDArray[np.intp]:
        """Which ranking each item belongs to."""
        if self.ranking is not None:
            return self.ranking
        return np.repeat(np.arange(self.n_rankings), self.score.size // self.n_rankings)


def check_rankings(request: Request) -> Rankings:
    """Targets and scores of any kind that scikit-learn knows, as rankings."""
    _check_pos_label(request.pos_label)
    positive, score = _targets(request.y_true, request.y_score, request.pos_label, request.labels)
    weight = _weights(request.sample_weight, score)
    if request.groups is not None:
        query = _queries(request.groups, score, request.average)
        positive, score, query, weight = _present(weight, positive, score, query, weight)
        with _naming("groups"):
            ranking, n_groups = codes_of(query)
        return Rankings(positive, score, weight, ranking, n_groups)
    positive, score, weight = _present(weight, positive, score, weight)
    if positive.ndim == 2:
        return _end_to_end(positive, score, weight, request.average)
    return Rankings(positive, score, weight)


def check_binary(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any, sample_weight: ArrayLike | None
) -> Rankings:
    """One ranking, with the conventions of scikit-learn's ``precision_recall_curve``.

    ``pos_label=None`` stands for 1 where the labels are {0, 1} or {-1, 1}; given, it also picks
    one class out of several.
    """
    if pos_label is not None:
        _check_pos_label(pos_label)
    y_true, y_score = to_numpy("y_true", y_true), to_numpy("y_score", y_score)
    plain = _plain(y_true, y_score) if pos_label is None else None
    if plain is None:
        y_type = _type_of(y_true)
        if y_type != "binary" and (y_type != "multiclass" or pos_label is None):
            raise _unsupported(y_type)
        plain = _binary(y_true, y_score, _default_pos_label(y_true, pos_label))
    positive, score = plain
    if positive.ndim == 2:
        raise _unsupported("multilabel-indicator")
    weight = _weights(sample_weight, score)
    return Rankings(*_present(weight, positive, score, weight))


def check_groups(groups: ArrayLike, score: Array) -> NDArray[np.intp]:
    """The place of each row's query among the sorted distinct ones."""
    query = _queries(groups, score, None)
    with _naming("groups"):
        return codes_of(query)[0]


def check_clusters(clusters: Any, sample_weight: Any, n_rows: int) -> NDArray[np.intp]:
    """The place of each row's cluster among the distinct ones; rows of weight 0 are left out."""
    weight = None if sample_weight is None else _weights(sample_weight, sample_weight)
    names = _names("clusters", clusters, n_rows if weight is None else weight.size)
    with _naming("clusters"):
        return codes_of(names if weight is None else names[weight > 0], "clusters")[0]


def check_n_positives(n_positives: ArrayLike, found: Array, *, several: bool) -> Array:
    """The positives of each ranking that the user knows, at least those ``found``."""
    given = check_numbers("n_positives", n_positives)
    if given.ndim == 0 and not several:
        given = given.reshape(1)
    if given.shape != found.shape:
        raise ValueError(
            f"n_positives must hold one number per ranking, {found.size} here, got "
            f"{'a single number' if given.ndim == 0 else f'shape {given.shape}'}. A ranking is a "
            f"column, a row or a group that has weight; a single ranking or average='micro' needs "
            f"one number."
        )
    wrong = np.flatnonzero(~np.isfinite(given) | (given < found * (1 - RELATIVE_TOLERANCE)))
    if wrong.size:
        raise ValueError(
            f"n_positives must be finite and at least the number of positives in y_true. It is "
            f"{given[wrong[0]]} where y_true holds {found[wrong[0]]} (ranking {wrong[0]})."
        )
    # Counts stay integers where the known numbers are whole, and exact as floats.
    whole = found.dtype.kind == "i" and ((given == np.floor(given)) & (given < 2**53)).all()
    return np.maximum(given, found).astype(np.int64 if whole else np.float64)


def warn_if_weights_end_before(k: int, rankings: Rankings) -> None:
    """Say that k counts weight, which surprises whoever has weights that sum to 1."""
    if rankings.weight is None:
        return
    ranking = rankings.ranking_of_items
    total = np.bincount(ranking, rankings.weight)
    rows = np.bincount(ranking)
    if np.any((k > total * (1 + RELATIVE_TOLERANCE)) & (k <= rows)):
        warnings.warn(
            f"k={k} exceeds the total of sample_weight but not the number of rows. k counts "
            f"weight: scale the weights so that they sum to the number of rows.",
            UserWarning,
            stacklevel=5,
        )


def _targets(
    y_true: Any, y_score: Any, pos_label: Any, labels: Any
) -> tuple[NDArray[np.bool_], Array]:
    """Which items are positive, and the scores: both (n,), or both (n, columns)."""
    y_true, y_score = to_numpy("y_true", y_true), to_numpy("y_score", y_score)
    if labels is None and not isinstance(pos_label, str) and pos_label == 1:
        plain = _plain(y_true, y_score)
        if plain is not None:
            return plain
    y_type = _type_of(y_true)
    if y_type == "multiclass" or (labels is not None and y_type == "binary"):
        return _multiclass(y_true, y_score, pos_label, labels)
    if labels is not None:
        raise ValueError(f"labels is for 1-D class labels with 2-D scores, but y_true is {y_type}.")
    if y_type == "binary":
        return _binary(y_true, y_score, pos_label)
    if y_type == "multilabel-indicator":
        return _multilabel(y_true, y_score, pos_label)
    raise _unsupported(y_type)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Make what other packages raise a ValueError that says which argument was wrong."""
    try:
        yield
    except (RuntimeError, TypeError, ValueError) as error:
        text = str(error) if name in str(error) else f"{name}: {error}"
        raise ValueError(text) from error


def _type_of(y_true: Any) -> str:
    """The kind of target, as scikit-learn calls it."""
    with _naming("y_true"):
        return str(type_of_target(y_true, input_name="y_true"))


def _check_pos_label(pos_label: Any) -> None:
    if not isinstance(pos_label, Real | str | np.bool_):
        raise TypeError(f"pos_label must be a number, a string or a bool, got {pos_label!r}.")


def _plain(y_true: Any, y_score: Any) -> tuple[NDArray[np.bool_], Array] | None:
    """Take the common case, in microseconds: arrays of 0 and 1, and of finite floats.

    Everything else, right or wrong, gives None and goes through scikit-learn's validators.
    """
    dtypes = getattr(y_true, "dtype", None), getattr(y_score, "dtype", None)
    if not (isinstance(dtypes[0], np.dtype) and isinstance(dtypes[1], np.dtype)):
        return None
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    if y_true.shape != y_score.shape or not y_true.size or y_true.dtype.kind not in "biuf":
        return None
    if y_score.dtype not in (np.float64, np.float32):
        return None
    if np.count_nonzero(np.isfinite(y_score)) < y_score.size:
        return None
    if not (y_true.ndim == 1 or (y_true.ndim == 2 and y_true.shape[1] > 1)):
        return None
    if y_true.dtype.kind == "b":
        return y_true, y_score
    positive = y_true == 1
    n_known = np.count_nonzero(positive) + np.count_nonzero(y_true == 0)
    return (positive, y_score) if n_known == y_true.size else None


def _binary(y_true: Any, y_score: Any, pos_label: Any) -> tuple[NDArray[np.bool_], Array]:
    score = _scores(y_score)
    if score.ndim == 2 and score.shape[1] > 1:
        raise ValueError(
            f"y_score has shape {score.shape} but y_true is binary: "
            + (
                "pass the scores of the positive class alone, y_score[:, 1]."
                if score.shape[1] == 2
                else "if it lacks some classes, pass the class of every column as labels."
            )
        )
    y_true, score = column_or_1d(y_true), score.ravel()
    _same_length(y_true=y_true, y_score=score)
    present = np.unique(y_true)
    if present.size >= 2 and pos_label not in present.tolist():
        raise ValueError(
            f"pos_label={pos_label} is not a valid label. It should be one of {present}. Pass "
            f"the positive one as pos_label."
        )
    return np.asarray(y_true == pos_label, dtype=bool), score


def _multilabel(y_true: Any, y_score: Any, pos_label: Any) -> tuple[NDArray[np.bool_], Array]:
    _fixed_to_one(pos_label, "multilabel-indicator")
    score = _scores(y_score)
    with _naming("y_true"):
        y_true = check_array(y_true, input_name="y_true")
    _same_length(y_true=y_true, y_score=score)
    if y_true.shape != score.shape:
        raise ValueError(
            f"y_score must have one column per column of y_true, got shapes {score.shape} and "
            f"{y_true.shape}."
        )
    return y_true == 1, score


def _multiclass(
    y_true: Any, y_score: Any, pos_label: Any, labels: Any
) -> tuple[NDArray[np.bool_], Array]:
    _fixed_to_one(pos_label, "multiclass")
    y_true, score = column_or_1d(y_true), _scores(y_score)
    _same_length(y_true=y_true, y_score=score)
    classes = np.unique(y_true) if labels is None else _classes(labels, y_true)
    if score.ndim != 2 or score.shape[1] != classes.size:
        raise ValueError(
            f"`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={score.shape}` for the {classes.size} classes "
            f"{classes.tolist()}. If y_true lacks a class, pass the class of every column as "
            f"labels. A model that never saw a class has no column for it."
        )
    return np.asarray(y_true[:, None] == classes, dtype=bool), score


def _classes(labels: Any, y_true: Array) -> Array:
    """The class of each column, in the columns' order."""
    with _naming("labels"):
        classes = np.asarray(to_numpy("labels", labels))
        distinct = np.unique(classes)
    if classes.ndim != 1 or classes.size < 3 or distinct.size < classes.size:
        raise ValueError(
            f"labels must list at least 3 classes, each once, in the order of the columns of "
            f"y_score, got {labels!r}."
        )
    unknown = sorted(set(y_true.tolist()) - set(classes.tolist()), key=str)
    if unknown:
        raise ValueError(f"y_true contains classes that labels does not list: {unknown}.")
    return classes


def _scores(y_score: Any) -> Array:
    """Finite numbers, in a dtype that sorts fast and holds every one exactly."""
    with _naming("y_score"):
        score = check_array(
            y_score,
            dtype=None,
            allow_nd=True,
            ensure_2d=False,
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
        )
    if score.ndim == 0:
        raise ValueError(f"y_score must be an array, got {y_score!r}.")
    if score.ndim > 2:
        raise ValueError(
            f"y_score must have one or two dimensions, got {score.ndim}. Stack the list of a "
            f"multilabel predict_proba with np.column_stack([p[:, 1] for p in proba])."
        )
    with _naming("y_score"):
        score = score.astype(np.int8) if score.dtype == bool else check_numbers("y_score", score)
        with np.errstate(invalid="ignore"):  # it adds up inf and -inf
            assert_all_finite(score, input_name="y_score")
    return score


def check_numbers(name: str, values: Any) -> Array:
    """An array of integers or floats; objects that are numbers become those they fit in."""
    with _naming(name):
        array = np.asarray(to_numpy(name, values))
        if array.dtype.kind == "O":
            array = np.array(array.tolist())
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, got {values!r}.")
    return array


def _weights(sample_weight: Any, score: Array) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weight = to_numpy("sample_weight", sample_weight)
    if not (type(weight) is np.ndarray and weight.dtype == np.float64 and weight.ndim == 1):
        with _naming("sample_weight"):
            weight = column_or_1d(weight, dtype=np.float64)
    _same_length(y_true=score, y_score=score, sample_weight=weight)
    _check_sum(weight)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def _check_sum(weight: NDArray[np.float64]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight contains NaN or infinity, or adds up to infinity.")


def _present(weight: NDArray[np.float64] | None, *arrays: Any) -> tuple[Any, ...]:
    """The arrays without the rows of weight 0."""
    if weight is None or weight.all():
        return arrays
    kept = weight > 0
    return tuple(array[kept] for array in arrays)


def _end_to_end(
    positive: NDArray[np.bool_],
    score: Array,
    weight: NDArray[np.float64] | None,
    average: str | None,
) -> Rankings:
    """One ranking per column; per row for "samples"; a single one of all cells for "micro"."""
    n, n_columns = score.shape
    if average == "samples":
        return Rankings(positive.ravel(), score.ravel(), None, None, n, weight)
    if average == "micro":
        repeated = None if weight is None else np.repeat(weight, n_columns)
        if repeated is not None:
            _check_sum(repeated)
        return Rankings(positive.ravel(), score.ravel(), repeated)
    tiled = None if weight is None else np.tile(weight, n_columns)
    return Rankings(positive.T.ravel(), score.T.ravel(), tiled, None, n_columns)


def _queries(groups: Any, score: Array, average: str | None) -> Array:
    """The query of each row."""
    if score.ndim != 1:
        raise ValueError("groups is for 1-D binary y_true only, but y_true has several columns.")
    if average in ("micro", "samples"):
        raise ValueError(
            f"average={average!r} does not go with groups. Use 'macro', 'weighted' or None."
        )
    return _names("groups", groups, len(score))


def _names(argument: str, names: Any, n_rows: int) -> Array:
    """A name for each row."""
    with _naming(argument):
        # Of a list, NumPy would make strings of missing values among strings.
        names = to_numpy(argument, names)
        names = np.asarray(names, dtype=object if isinstance(names, list | tuple) else None)
    if names.ndim != 1:
        raise ValueError(f"{argument} must be one-dimensional, got shape {names.shape}.")
    _same_length(**{"y_true": range(n_rows), "y_score": range(n_rows), argument: names})
    return names


def _default_pos_label(y_true: Any, pos_label: Any) -> Any:
    if pos_label is not None:
        return pos_label
    present = np.unique(column_or_1d(y_true)).tolist()
    if not (set(present) <= {0, 1} or set(present) <= {-1, 1}):
        raise ValueError(
            f"y_true takes value in {{{', '.join(map(repr, present))}}} and pos_label is not "
            f"specified: either make y_true take value in {{0, 1}} or {{-1, 1}} or pass pos_label "
            f"explicitly."
        )
    return 1


def _fixed_to_one(pos_label: Any, y_type: str) -> None:
    if isinstance(pos_label, str) or pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {y_type} y_true. Do not set pos_label or set "
            f"pos_label to 1."
        )


def _unsupported(y_type: str) -> ValueError:
    return ValueError(f"y_true: {y_type} format is not supported (is y_true the first argument?).")


def _same_length(**arrays: Any) -> None:
    """Arrays of one length, and not of length 0."""
    lengths = [len(array) for array in arrays.values()]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})."
        )
    if 0 in lengths:
        raise ValueError(f"{' and '.join(arrays)} are empty, so there is nothing to score.")
