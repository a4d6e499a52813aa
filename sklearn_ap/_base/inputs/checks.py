"""Checks that several arguments share, weights among them, and warnings for the user's line."""

import reprlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from numbers import Number, Real
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, KNOWN, as_column, to_numpy

LEAST_SHARE = 1e-100  # of a prevalence: sums of weights divided by less overflow
# For segments, it stands again in tests/crossings/uncertainty_reference.py, and changes there, too.
FEW_POSITIVES = 10
FIRST_ROWS = 10  # which are looked at before all others
SHOWN = 10  # names or numbers, in a text
CHUNK_WEIGHTS = 2**14  # weights that the cache holds
PACKAGE = __name__.partition(".")[0]


@contextmanager
def name_in_errors(name: str) -> Iterator[None]:
    """Make what other packages raise a ValueError that says which argument was wrong."""
    try:
        yield
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        text = str(error) if name in str(error) else f"{name}: {error}"
        raise ValueError(text) from error


def check_numbers(name: str, values: Any, kinds: str = "iuf") -> Array:
    """An array of integers or floats; objects that are numbers become those they fit in."""
    values = values if isinstance(values, Number | str) else to_numpy(name, values)
    try:
        given = array = np.asarray(values)
        if array.dtype.kind == "O":
            array = np.array(array.tolist())
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        _refuse_text(name, np.asarray(values, dtype=object))
        raise ValueError(
            f"{name} must hold one number in each place, none beyond 1.8e308, got "
            f"{reprlib.repr(values)}."
        ) from error
    _refuse_text(name, array if given.dtype.kind != "O" else given)
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must hold numbers, got {reprlib.repr(values)}.")
    return array


def _refuse_text(name: str, values: Array) -> None:
    if values.dtype.kind not in "OUST" or not values.ndim:
        return
    for place, value in np.ndenumerate(values):
        if isinstance(value, str | bytes):
            where = place[0] if len(place) == 1 else place
            text = value if isinstance(value, bytes) else str(value)
            hint = " predict_proba gives such." if name == "y_score" else ""
            raise TypeError(
                f"{name} must hold numbers, got the text {text!r} in row {where}.{hint}"
            )


def check_prevalence(
    prevalence: Any, depth: float | None = None, own: float | None = None
) -> float:
    """A prevalence between 0 and 1, for what looks at all ranks and has none of its own."""
    if own is not None:
        raise ValueError(
            f"prevalence must be None for a definition that is at a prevalence of its own, "
            f"{own:g} here, got {prevalence!r}."
        )
    if depth is not None:
        raise ValueError(
            "prevalence does not go with the first k ranks, nor with a share of them. For n rows, "
            "pass sample_weight in place of it: n * p / positives for each positive, n * (1 - p) / "
            "negatives for each negative."
        )
    share = check_real_number("prevalence", prevalence)
    # Negatives weigh 1 / share, and squares of a billion such weights must be finite.
    if not LEAST_SHARE <= share < 1:
        raise ValueError(
            f"prevalence is the proportion of positives where you deploy. It must lie between 0 "
            f"and 1, and be at least {LEAST_SHARE:g}, got {prevalence!r}."
        )
    return share


def check_real_number(name: str, number: Any) -> float:
    """An option that is a number; infinity for an integer that no float holds."""
    if isinstance(number, np.floating):
        return float(str(number))  # 0.1 in float32 means 0.1
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} must be a number, got {number!r}.{_without_quotes(name, number)}")
    try:
        return float(number)
    except OverflowError:
        return np.inf


def _without_quotes(name: str, text: Any) -> str:
    """How to pass a number that was passed as a text."""
    if isinstance(text, str):
        for kind in (int, float, _percentage):
            with suppress(OverflowError, ValueError):
                number = kind(text)
                return f" Pass {name}={number!r}." if np.isfinite(float(number)) else ""
    return ""


def _percentage(text: str) -> float:
    """Read 1%, which is 0.01."""
    if not text.endswith("%"):
        raise ValueError
    return float(Decimal(f"{float(text[:-1])}") / 100)


def definition_error(given: Any, advice: str = "") -> TypeError:
    """What is raised where the name of a definition is passed, or a class."""
    if isinstance(given, type):
        advice = "It is a class: write parentheses after its name."
    return TypeError(
        f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
        f"{given!r}. {advice}".rstrip()
    )


def check_same_order(**arrays: Any) -> None:
    """Refuse columns of pandas whose rows have the same names in another order.

    Rows are read by position, as scikit-learn reads them. Other names, such as those of a test set
    beside predictions that are numbered from 0, say nothing.
    """
    others = [(name, array) for name, array in arrays.items() if not isinstance(array, KNOWN)]
    named = [(name, array.index) for name, array in others if hasattr(type(array), "iloc")]
    for name, other in named[1:]:
        first, index = named[0]
        if len(other) == len(index) and not other.equals(index) and _same_names(index, other):
            way = "Bring them into one order"
            if index.is_unique:
                way = f"Pass {name}.loc[{first}.index]"
            raise ValueError(
                f"{first} and {name} have indexes with the same names in another order, and rows "
                f"are taken by position. {way}, or pass arrays if the rows are in the same order "
                f"after all."
            )


def list_first(texts: Sequence[str], most: int = SHOWN) -> str:
    """As "a, b, ..."."""
    return ", ".join(texts[:most]) + ", ..." * (len(texts) > most)


def _same_names(index: Any, other: Any) -> bool:
    some = index[:FIRST_ROWS].isin(other).all()  # most that differ, differ from the first one on
    return bool(some and index.isin(other).all() and other.isin(index).all())


def names_of_columns(table: Any) -> list[Any]:
    """The names of the columns of a table of pandas, polars or pyarrow; none of anything else."""
    if isinstance(table, KNOWN):
        return []
    for name in "column_names", "columns":
        if hasattr(type(table), name):  # asking a column looks among its names
            return list(getattr(table, name))
    return []


def check_same_columns(y_true: Any, y_score: Any) -> None:
    names, others = names_of_columns(y_true), names_of_columns(y_score)
    if names != others and Counter(names) == Counter(others):
        raise ValueError(
            "y_true and y_score have the same columns in another order, and columns are taken by "
            "position. Pass y_score[y_true.columns], or arrays if they are in the same order after "
            "all."
        )


def check_same_length(**arrays: Any) -> None:
    """Arrays of one length, and not of length 0."""
    lengths = [len(array) for array in arrays.values()]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})."
        )
    if 0 in lengths:
        raise ValueError(f"{' and '.join(arrays)} are empty, so there is nothing to score.")


def predicted_class_remarks(y_score: Any) -> list[str]:
    """A text if scores of more than a few rows are only 0 and 1, or only -1 and 1."""
    try:
        scores = np.asarray(y_score).ravel()
        start = {*scores[:FIRST_ROWS].tolist()} - {-np.inf}
    except Exception:  # other checks say what is wrong
        return []
    if scores.size <= FIRST_ROWS or not (start <= {0, 1} or start <= {-1, 1}):
        return []
    if scores.max() > 1:
        return []
    distinct = np.unique(scores[scores != -np.inf]).tolist()
    if distinct not in ([0, 1], [-1, 1]):
        return []
    return [
        f"All scores are {distinct[0]:g} or {distinct[1]:g}. These look like predicted "
        f"classes: pass decision values, or the column of predict_proba for the positive class."
    ]


def check_weights(sample_weight: Any, n_rows: int) -> Float | None:
    """The weight of each row, 0 or more; None where every row weighs the same."""
    if sample_weight is None:
        return None
    weight = to_numpy("sample_weight", sample_weight)
    if not (type(weight) is np.ndarray and weight.dtype == np.float64 and weight.ndim == 1):
        with name_in_errors("sample_weight"):
            weight = check_numbers("sample_weight", weight, "biuf").astype(np.float64)
        if weight.ndim == 2 and weight.shape[1] > 1:
            raise ValueError(
                f"sample_weight must be one-dimensional, a weight for each row, got shape "
                f"{weight.shape}. If 0 says that a label is unknown, write nan there in its place: "
                f"y_true = np.where(weight > 0, y_true, np.nan)."
            )
        weight = as_column("sample_weight", weight)
    rows = range(n_rows)  # whatever they hold, their length is in the error
    check_same_length(y_true=rows, y_score=rows, sample_weight=weight)
    check_sum(weight)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def check_sum(weight: Float | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is not None and not np.isfinite(weight.sum()):
            raise ValueError("sample_weight contains NaN or infinity, or adds up to infinity.")


def whole_numbers(weight: Any) -> Any:
    """Which weights, or sums of them, are whole, but for rounding."""
    return np.abs(weight - np.rint(weight)) <= ABSOLUTE_TOLERANCE * weight


def are_all_whole(weight: Float | None) -> bool:
    """Whether all weights are whole; most that are not show it in the first one."""
    if weight is None:
        return True
    first = weight.item(0) if weight.size else 0.0
    rest = first % 1
    if min(rest, 1 - rest) > ABSOLUTE_TOLERANCE * first:
        return False
    parts = (
        weight[begin : begin + CHUNK_WEIGHTS] for begin in range(0, weight.size, CHUNK_WEIGHTS)
    )
    return all((np.rint(part) == part).all() or whole_numbers(part).all() for part in parts)


def drop_weightless_rows(weight: Float | None, *arrays: Any) -> tuple[Any, ...]:
    """The arrays without the rows of weight 0."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)


def select_rows(kept: Any, *arrays: Any) -> tuple[Any, ...]:
    return tuple(None if array is None else array[kept] for array in arrays)


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the reason is found."""
    # skip_file_prefixes of Python 3.12 stops at the __init__ of a dataclass, which is in no file.
    frame, level = sys._getframe(), 1
    while frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE and frame.f_back:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
