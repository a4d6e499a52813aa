"""Arrays of other libraries as NumPy arrays, and checks of the rows that several of them share."""

import reprlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import combinations
from numbers import Number
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse

from sklearn_ap._types import Argument, Array, Bool, Index, Name, RowData

PLAIN_TYPES = (np.ndarray, np.generic, list, tuple, type(None))  # these need no reader
# Each is tried in turn. The last one copies from another device, which needs NumPy 2.1.
READERS: tuple[tuple[str, Callable[[RowData], Array]], ...] = (
    ("__array__", np.asarray),
    ("__dlpack__", np.from_dlpack),
    ("__dlpack__", lambda values: np.from_dlpack(values, device="cpu")),
)
FIRST_ROWS = 10  # these rows are compared before all others
# Numbers that differ by less are equal: the relative error of sums of millions of weights, and of
# results for few rows or clusters.
RELATIVE_TOLERANCE = 1e-9
# The absolute difference that rounding leaves between equal values within [0, 1].
ABSOLUTE_TOLERANCE = 1e-12
FLOAT_SPACING = 2.0**-52  # the relative spacing of doubles
TINY = 1e-300  # the least divisor, so that 0 / 0 is 0


class InPlaceOfScores:
    """What some functions take in the place of ``y_score``."""

    __slots__ = ()
    takers: ClassVar[str]  # these functions, for the error of all others


def to_numpy(name: str, values: Argument) -> RowData:
    """Read exports of ``__array__`` or DLPack as NumPy arrays, and leave other objects as they are.

    Masked items are missing. PyTorch, JAX and CuPy export DLPack, and Dask ``__array__``.
    """
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return np.ma.getdata(values)
        return np.ma.filled(values.astype(float if values.dtype.kind in "biuf" else object), np.nan)
    if getattr(getattr(values, "dtype", None), "kind", None) == "T":
        return values.astype(object)  # scikit-learn does not know NumPy's StringDType
    if isinstance(values, PLAIN_TYPES):
        return values
    if hasattr(type(values), "fit"):
        raise TypeError(
            f"{name} is a model, {type(values).__name__}, where an array belongs. Pass its scores, "
            f"such as predict_proba(X)[:, 1], or call from_estimator of a display."
        )
    if isinstance(values, InPlaceOfScores):
        raise TypeError(
            f"{name} must hold a value for each row, got {type(values).__name__}, which only these "
            f"take in the place of scores: {values.takers}."
        )
    if _is_foreign(values):
        return _read_foreign(name, values)
    is_list = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    is_other = isinstance(values, str | bytes | type | Mapping)
    if is_other or not (is_list or hasattr(values, "__array__")):
        raise _array_error(name, values)
    return values


def _array_error(name: str, values: RowData) -> ValueError:
    """Make the error for what is no array; of what has keys, these tell what was meant."""
    if not hasattr(type(values), "keys"):
        return ValueError(f"{name} must be an array, got {values!r:.200}.")
    keys = [*map(str, values.keys())]
    remedy = "pass a value for each row."
    if "y_true" in keys:  # of retrieval or detections
        remedy = "pass it with two stars, **judged for all models, or **judged['name'] for one."
    elif name == "y_score":
        remedy = "call this once per model, or pass all to compare_average_precision."
    elif name == "judge":
        remedy = "of runs, pass retrieval.from_dicts(judge, runs).y_true beside its y_scores."
    return ValueError(
        f"{name} must be an array, got {type(values).__name__} of {reprlib.repr(keys)}: {remedy}"
    )


def device_namespace(*arrays: Argument) -> RowData | None:
    """Return the array API functions of arrays on one device; None if one is in main memory.

    The device of a processor has "cpu" in its name in each library. PyTorch and older versions of
    CuPy have no namespace of their own; scikit-learn bundles one from 1.7 on.
    """
    devices = {str(each.device) if hasattr(type(each), "device") else "cpu" for each in arrays}
    if len(devices) > 1 or "cpu" in devices.pop().lower():
        return None
    if hasattr(arrays[0], "__array_namespace__"):
        return arrays[0].__array_namespace__()
    for name in "sklearn.externals.array_api_compat", "array_api_compat":
        with suppress(ImportError, TypeError):  # TypeError: it does not know the library
            return import_module(name).array_namespace(*arrays)
    return None


def _is_foreign(values: RowData) -> bool:
    """Check whether an object is an array of another library.

    A column of pandas or polars is none, unless NumPy has its type: it knows missing values.
    """
    if hasattr(type(values), "__dlpack__") or _is_sparse(values):
        return True
    if not hasattr(type(values), "__array__") or names_of_columns(values):
        return False
    return isinstance(getattr(values, "dtype", np.dtype(object)), np.dtype)


def _is_sparse(values: RowData) -> bool:
    """Check whether an array of SciPy, PyTorch, CuPy, JAX or PyData is sparse."""
    layout = str(values.layout) if hasattr(type(values), "layout") else ""
    return issparse(values) or "sparse" in f"{type(values).__module__} {layout}"


def _read_foreign(name: str, values: RowData) -> Array:
    problem = f"{name} of the type {getattr(values, 'dtype', type(values).__name__)} cannot be read"
    if _is_sparse(values):
        raise ValueError(
            f"{problem} as a NumPy array: it is sparse. Make it dense first, with its method "
            f"toarray(), todense() or to_dense() (of users and items, retrieval.from_sparse makes "
            f"rankings without a dense copy)."
        )
    errors = []
    for method, read in READERS:
        if hasattr(type(values), method):  # on the type, as a table may have such a column
            try:
                return read(values)
            except Exception as error:  # each library raises its own
                errors.append(error)
    raise ValueError(f"{problem} as a NumPy array: {str(errors[0]).rstrip('.')}.") from errors[0]


def as_array(name: str, values: Argument) -> Array:
    """Read labels or names as an array."""
    values = to_numpy(name, values)
    if isinstance(values, list | tuple):
        with suppress(ValueError):  # rows of several lengths
            numbers = np.asarray(values)
            if numbers.dtype.kind in "biuf":
                return numbers
        return np.array(values, dtype=object)  # not "nan" for nan, and not "1" for 1
    try:
        return np.asarray(values)
    except Exception as error:  # each library raises its own
        raise ValueError(f"{name}: {error}") from error


def as_column(name: str, values: Argument, n_rows: int | None = None) -> Array:
    """Read a column of arrays or of a data frame as one array, with a value for each of the rows.

    ``n_rows`` is the number of rows of y_true and y_score; None if the column has its own.
    """
    array = as_array(name, values)
    if array.shape[1:] == (1,):
        array = array[:, 0]
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else f"{values!r:.70}"
        raise ValueError(f"{name} must be one-dimensional, got {got}.")
    if n_rows is not None:
        check_same_length(**{"y_true": range(n_rows), "y_score": range(n_rows), name: array})
    return array


def columns_by_name(name: str, table: Argument) -> RowData:
    """Return the columns of a table of pyarrow by their names, and anything else as it is."""
    names = getattr(table, "column_names", None)  # its attribute columns has no names
    if names is None:
        return table
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must give each column a name of its own, got {names}.")
    return {column: np.asarray(table[column]) for column in names}


def check_numbers(name: str, values: Argument, kinds: str = "iuf") -> Array:
    """Return an array of integers or floats; objects that are numbers become numbers of NumPy."""
    array = np.asarray(values) if isinstance(values, Number | str) else as_array(name, values)
    if array.dtype.kind == "O":
        array = _numbers_of_objects(name, array)
    if array.dtype.kind not in kinds:
        _refuse_text(name, array)
        raise ValueError(f"{name} must hold numbers, got {reprlib.repr(values)}.")
    return array


def _numbers_of_objects(name: str, objects: Array) -> Array:
    _refuse_text(name, objects)
    try:
        numbers = np.array(objects.tolist())
        return numbers.astype(np.float64) if numbers.dtype.kind == "O" else numbers
    except (OverflowError, TypeError, ValueError) as error:
        if not are_known(objects).all():
            raise ValueError(f"{name} contains NaN or another missing value.") from error
        raise ValueError(
            f"{name} must hold one number in each place, none beyond 1.8e308, got "
            f"{reprlib.repr(objects.tolist())}."
        ) from error


def _refuse_text(name: str, values: Array) -> None:
    for place, text in np.ndenumerate(values):
        if isinstance(text, str | bytes):
            raise ValueError(
                f"{name} must hold numbers, got the text {text[:70]!r} in row "
                f"{', column '.join(map(str, place))}. Convert what is written as text, as by "
                f"pandas.to_numeric. In place of classes, pass decision values, or the column of "
                f"predict_proba for the positive class."
            )


def check_same_length(**arrays: RowData) -> None:
    """Refuse arrays of several lengths, and of length 0."""
    lengths = [*map(len, arrays.values())]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})."
        )
    if 0 in lengths:
        raise ValueError(f"{' and '.join(arrays)} are empty, so there is nothing to score.")


def check_same_order(**arrays: Argument) -> None:
    """Refuse columns of pandas whose rows have the same names in another order.

    Rows are read by position, as scikit-learn reads them. Other names say nothing, as where
    predictions are numbered from 0 beside a test set with names.
    """
    indexes: dict[str, RowData] = {}
    for name, array in arrays.items():
        if not isinstance(array, PLAIN_TYPES) and hasattr(type(array), "iloc"):
            indexes[name] = array.index
    for (first_name, first), (name, index) in combinations(indexes.items(), 2):
        if len(index) == len(first) and not index.equals(first) and _have_same_names(first, index):
            remedy = f"{name}.loc[{first_name}.index]" if first.is_unique else "them in one order"
            raise _order_error(f"The indexes of {first_name} and {name}", remedy)


def check_order(what: str, names: Sequence[Name], others: Sequence[Name], remedy: str) -> None:
    """Refuse the same names in another order; other names say nothing."""
    if names != others and Counter(names) == Counter(others):
        raise _order_error(what, remedy)


def _order_error(what: str, remedy: str) -> ValueError:
    return ValueError(
        f"{what} have the same names in another order, and are taken by position. Pass {remedy}, "
        f"or arrays if they are in the same order after all."
    )


def _have_same_names(index: RowData, other: RowData) -> bool:
    # Indexes that differ mostly do so in the first names.
    is_alike = index[:FIRST_ROWS].isin(other).all()
    return bool(is_alike and index.isin(other).all() and other.isin(index).all())


def names_of_columns(table: RowData) -> list[Name]:
    """List the names of the columns of a table of pandas, polars or pyarrow; else none."""
    if isinstance(table, PLAIN_TYPES) or not hasattr(type(table), "__array__"):
        return []
    for name in "column_names", "columns":
        if hasattr(type(table), name):  # on the type, as a table may have such a column
            return list(getattr(table, name))
    return []


def is_missing(name: Name) -> bool:
    """Check whether a name is None, nan, or pandas' NA."""
    try:
        return name is None or bool(name != name)
    except TypeError:  # NA does not say whether it equals itself
        return True


def are_known(values: Array) -> Bool:
    """Flag the values of an array that are not missing."""
    if values.dtype.kind != "O":
        return np.asarray(values == values)
    flags = map(is_missing, values.ravel().tolist())
    return ~np.fromiter(flags, bool, values.size).reshape(values.shape)


def begins_block(values: Array) -> Bool:
    """Flag the values that differ from the one before them, and the first."""
    # [1, 2, 2, 3] -> [True, True, False, True]
    begins = np.empty(values.size, dtype=bool)
    begins[:1] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def select_rows(rows: Bool | Index | slice, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return these rows of the arrays; None stays None."""
    return tuple(None if array is None else array[rows] for array in arrays)
