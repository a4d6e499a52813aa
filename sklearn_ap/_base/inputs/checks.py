"""Checks that several arguments share, weights among them, and warnings for the user's line.

Equations are those of docs/methods.md.
"""

import reprlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from numbers import Number, Real

import numpy as np

from sklearn_ap._base.common.types import (
    Argument,
    Array,
    Bool,
    Float,
    Index,
    Name,
    Numeric,
    RowData,
)
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, PLAIN_TYPES, as_column, to_numpy

LEAST_SHARE = 1e-100  # the least prevalence: sums of weights divided by less overflow
FIRST_ROWS = 10  # these rows are checked before all others
SHOWN = 10  # so many names or numbers are shown in a text
CHUNK_WEIGHTS = 2**14  # this many fit the cache
PACKAGE = __name__.partition(".")[0]


@contextmanager
def name_in_errors(name: str) -> Iterator[None]:
    """Turn errors of other packages into a ValueError that names the wrong argument."""
    try:
        yield
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        text = str(error) if name in str(error) else f"{name}: {error}"
        raise ValueError(text) from error


def check_numbers(name: str, values: Argument, kinds: str = "iuf") -> Array:
    """Return an array of integers or floats; objects that are numbers become numbers of NumPy."""
    values = values if isinstance(values, Number | str) else to_numpy(name, values)
    try:
        cells = np.asarray(values)
        array = np.array(cells.tolist()) if cells.dtype.kind == "O" else cells
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        _refuse_text(name, np.asarray(values, dtype=object))
        raise ValueError(
            f"{name} must hold one number in each place, none beyond 1.8e308, got "
            f"{reprlib.repr(values)}."
        ) from error
    _refuse_text(name, cells)
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must hold numbers, got {reprlib.repr(values)}.")
    return array


def _refuse_text(name: str, values: Array) -> None:
    if values.dtype.kind not in "OUST" or not values.ndim:
        return
    for index, value in np.ndenumerate(values):
        if isinstance(value, str | bytes):
            row = index[0] if len(index) == 1 else index
            text = value if isinstance(value, bytes) else str(value)
            hint = " predict_proba gives such." if name == "y_score" else ""
            raise TypeError(f"{name} must hold numbers, got the text {text!r} in row {row}.{hint}")


def check_prevalence(
    prevalence: Argument, depth: float | None = None, own_prevalence: float | None = None
) -> float:
    """Check a prevalence for a definition that looks at all ranks and has none of its own."""
    if own_prevalence is not None:
        raise ValueError(
            f"prevalence must be None for a definition that is at a prevalence of its own, "
            f"{own_prevalence:g} here, got {prevalence!r}."
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


def check_real_number(name: str, number: Argument) -> float:
    """Check an option that is a number; return infinity for an integer that no float holds."""
    if isinstance(number, np.floating):
        return float(str(number))  # 0.1 in float32 means 0.1
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} must be a number, got {number!r}.{_unquoted_hint(name, number)}")
    try:
        return float(number)
    except OverflowError:
        return np.inf


def _unquoted_hint(name: str, text: Argument) -> str:
    """Say how to pass a number that was passed as a text."""
    if isinstance(text, str):
        for read in (int, float, _read_percentage):
            with suppress(OverflowError, ValueError):
                number = read(text)
                return f" Pass {name}={number!r}." if np.isfinite(float(number)) else ""
    return ""


def _read_percentage(text: str) -> float:
    """Read 1%, which is 0.01."""
    if not text.endswith("%"):
        raise ValueError
    return float(Decimal(f"{float(text[:-1])}") / 100)


def definition_error(argument: Argument, advice: str = "") -> TypeError:
    """Make the error for the name of a definition, its class, or any other object."""
    if isinstance(argument, type):
        advice = "It is a class: write parentheses after its name."
    return TypeError(
        f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
        f"{argument!r}. {advice}".rstrip()
    )


def check_same_order(**arrays: Argument) -> None:
    """Refuse columns of pandas whose rows have the same names in another order.

    Rows are read by position, as scikit-learn reads them. Other names say nothing, as where
    predictions are numbered from 0 beside a test set with names.
    """
    foreign = [
        (name, array) for name, array in arrays.items() if not isinstance(array, PLAIN_TYPES)
    ]
    indexes = [(name, array.index) for name, array in foreign if hasattr(type(array), "iloc")]
    for name, index in indexes[1:]:
        first_name, first = indexes[0]
        if len(index) == len(first) and not index.equals(first) and _have_same_names(first, index):
            remedy = "Bring them into one order"
            if first.is_unique:
                remedy = f"Pass {name}.loc[{first_name}.index]"
            raise ValueError(
                f"{first_name} and {name} have indexes with the same names in another order, and "
                f"rows are taken by position. {remedy}, or pass arrays if the rows are in the same "
                f"order after all."
            )


def list_first(texts: Sequence[str], most: int = SHOWN) -> str:
    """List texts as "a, b, ..."."""
    return ", ".join(texts[:most]) + ", ..." * (len(texts) > most)


def _have_same_names(index: RowData, other: RowData) -> bool:
    # Indexes that differ mostly do so in the first names.
    is_alike = index[:FIRST_ROWS].isin(other).all()
    return bool(is_alike and index.isin(other).all() and other.isin(index).all())


def names_of_columns(table: RowData) -> list[Name]:
    """List the names of the columns of a table of pandas, polars or pyarrow; else none."""
    if isinstance(table, PLAIN_TYPES):
        return []
    for name in "column_names", "columns":
        if hasattr(type(table), name):  # on the type, as a table may have such a column
            return list(getattr(table, name))
    return []


def check_same_columns(y_true: Argument, y_score: Argument) -> None:
    """Refuse tables whose columns have the same names in another order."""
    label_names = names_of_columns(y_true)
    score_names = names_of_columns(y_score)
    if label_names != score_names and Counter(label_names) == Counter(score_names):
        raise ValueError(
            "y_true and y_score have the same columns in another order, and columns are taken by "
            "position. Pass y_score[y_true.columns], or arrays if they are in the same order after "
            "all."
        )


def check_same_length(**arrays: RowData) -> None:
    """Refuse arrays of several lengths, and of length 0."""
    lengths = [len(array) for array in arrays.values()]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})."
        )
    if 0 in lengths:
        raise ValueError(f"{' and '.join(arrays)} are empty, so there is nothing to score.")


def predicted_class_remarks(y_score: Argument) -> list[str]:
    """Return a remark if scores of more than a few rows are only 0 and 1, or only -1 and 1."""
    try:
        scores = np.asarray(y_score).ravel()
        first_scores = {*scores[:FIRST_ROWS].tolist()} - {-np.inf}
    except Exception:  # other checks raise the error
        return []
    if scores.size <= FIRST_ROWS or not (first_scores <= {0, 1} or first_scores <= {-1, 1}):
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


def check_weights(sample_weight: Argument, n_rows: int) -> Float | None:
    """Check the weight of each row, 0 or more; return None where every row weighs the same."""
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
    rows = range(n_rows)  # the error needs their length alone
    check_same_length(y_true=rows, y_score=rows, sample_weight=weight)
    check_sum(weight)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def check_sum(weight: Float | None) -> None:
    """Refuse weights whose sum is no finite number."""
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is not None and not np.isfinite(weight.sum()):
            raise ValueError("sample_weight contains NaN or infinity, or adds up to infinity.")


def are_whole_numbers(weight: Numeric) -> Numeric:
    """Flag weights, or sums of weights, that are whole up to rounding."""
    return np.abs(weight - np.rint(weight)) <= ABSOLUTE_TOLERANCE * weight


def are_all_whole(weight: Float | None) -> bool:
    """Check whether all weights are whole; mostly, the first one shows it if not."""
    if weight is None:
        return True
    first = weight.item(0) if weight.size else 0.0
    fraction = first % 1
    if min(fraction, 1 - fraction) > ABSOLUTE_TOLERANCE * first:
        return False
    parts = (
        weight[begin : begin + CHUNK_WEIGHTS] for begin in range(0, weight.size, CHUNK_WEIGHTS)
    )
    return all((np.rint(part) == part).all() or are_whole_numbers(part).all() for part in parts)


def drop_weightless_rows(weight: Float | None, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return the arrays without the rows of weight 0; None stays None."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)


def select_rows(rows: Bool | Index | slice, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return these rows of the arrays; None stays None."""
    return tuple(None if array is None else array[rows] for array in arrays)


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the warning arises."""
    # skip_file_prefixes of Python 3.12 stops at the __init__ of a dataclass, which is in no file.
    frame = sys._getframe()
    level = 1
    while frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE and frame.f_back:
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)
