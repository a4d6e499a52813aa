"""What users pass as arrays of NumPy or of others, and checks of the rows that they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from itertools import combinations
from numbers import Number, Real
from operator import attrgetter
from types import ModuleType
from typing import Protocol, TypeVar, TypeVarTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.numbers import are_tied_by_rounding, refuse_lost_digits
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name, PandasIndex, RowData
from sklearn_ap._writing.text import names_as_text

Arrays = TypeVarTuple("Arrays")
Container = TypeVar("Container")
DEVICE_OF: Callable[[object], object] = attrgetter("device")
INDEX_OF: Callable[[object], PandasIndex] = attrgetter("index")
FIRST_ROWS = 10  # these rows are compared before all others
# Each is tried in turn. The last one copies from another device, which needs NumPy 2.1.
READERS: tuple[tuple[str, Callable[..., Array]], ...] = (
    ("__array__", np.asarray),
    ("__dlpack__", np.from_dlpack),
    ("__dlpack__", lambda values: np.from_dlpack(values, device="cpu")),
)


class _Rows(Protocol):
    """What holds rows, of which each library has one of these."""

    @property
    def iloc(self) -> _Rows: ...
    def take(self, rows: Index, /) -> object: ...
    def tocsr(self) -> _Rows: ...
    def __getitem__(self, rows: Index, /) -> object: ...


def as_array(name: str, values: Argument) -> Array:
    """Read labels, scores or names as an array; masked items are missing."""
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return np.ma.getdata(values)
        return np.ma.filled(values.astype(float if values.dtype.kind in "biuf" else object), np.nan)
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        with suppress(ValueError):  # rows of several lengths
            numbers = np.asarray(values)
            # Names keep their digits as objects. Scores, weights and labels are refused later.
            if numbers.dtype.kind in "biuf" and not are_tied_by_rounding(values, numbers):
                return numbers
        with suppress(ValueError):  # arrays whose first lengths are equal, and others are not
            return np.array(values, dtype=object)  # not "nan" for nan, and not "1" for 1
        return np.fromiter(values, object, len(values))
    errors = []
    for method, read in READERS:
        if hasattr(type(values), method):  # on the type, as a table may have such a column
            try:
                return read(values)
            except MemoryError:
                raise
            except Exception as error:  # each library raises its own
                errors.append(error)
    if errors:
        kind = getattr(values, "dtype", type(values).__name__)
        raise InputError(
            f"{name} of the type {kind} cannot be read as a NumPy array: "
            f"{str(errors[0]).rstrip('.')}."
        ) from errors[0]
    raise _no_array_error(name, values)


def _no_array_error(name: str, values: Argument) -> InputError:
    """Make the error for what has no method by which arrays are read, and say what to pass."""
    if hasattr(type(values), "tocsr"):
        return InputError(
            f"{name} is sparse: make it dense, with toarray(), or pass sparse labels and scores to "
            f"retrieval.from_sparse if each row is a ranking."
        )
    got, advice = f"{values!r:.70}", ""
    if isinstance(values, Mapping):
        got = f"a dict of {[*values]!r:.70}"
        advice = " Pass one of its values, such as the scores of one model."
    is_result = isinstance(values, Mapping) and "fit_time" in values
    if is_result or hasattr(values, "cv_results"):
        got = f"a {type(values).__name__}" if hasattr(values, "cv_results") else got
        advice = " Only intervals and comparisons take FoldPredictions, made of cross_validate."
    elif hasattr(values, "cv_results_"):
        advice = " Pass what candidate_predictions(search, X, y) gives for one of its candidates."
    elif hasattr(values, "predict"):
        advice = " Pass its scores, such as model.predict_proba(X)[:, 1], of rows new to it."
    return InputError(f"{name} must be an array with a value for each row, got {got}.{advice}")


def n_dimensions(values: Argument) -> int:
    """Return the number of dimensions: one of rows of several lengths, which are refused later."""
    try:
        return np.ndim(cast(ArrayLike, values))
    except ValueError:
        return 1


def names_of_columns(table: RowData) -> list[Name]:
    """List the names of the columns of a table of pandas, polars or pyarrow; else none."""
    if not hasattr(type(table), "__array__"):
        return []
    for name in "column_names", "columns":
        if hasattr(type(table), name):  # on the type, as a table may have such a column
            return list(getattr(table, name))
    return []


def device_namespace(*arrays: Argument) -> ModuleType | None:
    """Return the array API functions of arrays on one device; None if one is in main memory.

    The device of a processor has "cpu" in its name in each library. PyTorch and older versions of
    CuPy have no namespace of their own; scikit-learn bundles one from 1.7 on.
    """
    devices = {str(DEVICE_OF(each)) if hasattr(type(each), "device") else "cpu" for each in arrays}
    if len(devices) > 1 or "cpu" in devices.pop().lower():
        return None
    if hasattr(arrays[0], "__array_namespace__"):
        return arrays[0].__array_namespace__()
    for name in "sklearn.externals.array_api_compat", "array_api_compat":
        with suppress(ImportError, TypeError):  # TypeError: it does not know the library
            return import_module(name).array_namespace(*arrays)
    return None


def as_column(name: str, values: Argument, n_rows: int | None = None) -> Array:
    """Read a column of arrays or of a data frame as one array, with a value for each of the rows.

    ``n_rows`` is the number of rows of y_true and y_score; None if the column has its own.
    """
    array = as_array(name, values)
    if array.shape[1:] == (1,):
        array = array[:, 0]
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else f"{values!r:.70}"
        raise InputError(f"{name} must be one-dimensional, got {got}.")
    if n_rows is not None:
        check_same_length(**{"y_true": range(n_rows), "y_score": range(n_rows), name: array})
    return array


def check_numbers(name: str, values: Argument, kinds: str = "iuf") -> Array:
    """Return an array of integers or floats; objects that are numbers become numbers of NumPy."""
    array = np.asarray(values) if isinstance(values, Number | str) else as_array(name, values)
    numbers = array
    if array.dtype.kind == "O" or not (array.size or array.dtype.kind in kinds):
        with suppress(OverflowError, TypeError, ValueError):
            numbers = np.array(array.tolist())
            if numbers.dtype.kind == "O":  # fractions, or integers beyond 64 bits
                numbers = numbers.astype(np.float64)
        refuse_lost_digits(name, array, numbers)
    if numbers.dtype.kind not in kinds:
        wrong = (i for i, cell in np.ndenumerate(array) if not isinstance(cell, Real | Decimal))
        index = next(wrong, (0,) * array.ndim)  # the first cell if all are bools
        where = f" in row {', column '.join(map(str, index))}" if index else ""
        cell = array[index]
        cell = str(cell) if isinstance(cell, str) else cell  # 'a', and not np.str_('a')
        raise InputError(f"{name} must hold numbers, got {cell!r:.70}{where}.")
    return numbers


def check_same_length(**arrays: Sized) -> None:
    """Refuse arrays of several lengths, and of length 0."""
    lengths = [*map(len, arrays.values())]
    if len(set(lengths)) > 1:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})."
        )
    if 0 in lengths:
        names = names_as_text([*arrays])
        raise InputError(f"{names} are empty, so there is nothing to score.")


def check_same_order(**arrays: Argument) -> None:
    """Refuse columns of pandas whose rows have the same names in another order, or share some.

    Rows are read by position, as scikit-learn reads them. Indexes without a common name say
    nothing, and neither does a number of each row, as predictions have beside a test set.
    """
    indexes = {
        name: INDEX_OF(array) for name, array in arrays.items() if hasattr(type(array), "iloc")
    }
    for (first_name, first), (name, index) in combinations(indexes.items(), 2):
        if len(index) != len(first) or index.equals(first):
            continue
        what = f"The indexes of {first_name} and {name}"
        if _have_same_names(first, index):
            remedy = f"{name}.loc[{first_name}.index]" if first.is_unique else "them in one order"
            raise _order_error(what, remedy)
        if not _numbers_rows(first) and not _numbers_rows(index) and index.isin(first).any():
            raise InputError(
                f"{what} share only a part of their names, but rows are matched by position. Pass "
                f"the same rows, or arrays if the rows are the same after all."
            )


def check_order(what: str, first: Sequence[Name], second: Sequence[Name], remedy: str) -> None:
    """Refuse the same names in another order; other names say nothing."""
    if first != second and Counter(first) == Counter(second):
        raise _order_error(what, remedy)


def _order_error(what: str, remedy: str) -> InputError:
    return InputError(
        f"{what} have the same names in another order, but are matched by position. Pass {remedy}, "
        f"or arrays if they are in the same order after all."
    )


def _have_same_names(index: PandasIndex, other: PandasIndex) -> bool:
    # Indexes that differ mostly do so in the first names.
    is_alike = index[:FIRST_ROWS].isin(other).all()
    return bool(is_alike and index.isin(other).all() and other.isin(index).all())


def _numbers_rows(index: PandasIndex) -> bool:
    """Check whether an index counts from 0 or 1."""
    numbers = index.to_numpy()
    if numbers.dtype.kind not in "iu" or not numbers.size or numbers[0] not in (0, 1):
        return False
    return bool(np.all(np.diff(numbers) == 1))


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


def refuse_missing(
    name: str,
    values: RowData | None,
    is_counted: Bool | None = None,
    remedy: str = "Leave such rows out.",
) -> None:
    """Refuse missing labels, names or numbers, of all rows or of those that count."""
    if values is None:
        return
    is_wrong = ~are_known(np.atleast_1d(as_array(name, values)))
    if is_counted is not None:
        is_wrong &= is_counted
    if is_wrong.any():
        row = np.argwhere(is_wrong)[0, 0]
        raise InputError(
            f"{name} contains NaN or another missing value, first in row {row}. {remedy}"
        )


def begins_block(values: Array) -> Bool:
    """Flag the values that differ from the one before them, and the first."""
    # [1, 2, 2, 3] -> [True, True, False, True]
    begins = np.empty(values.size, dtype=bool)
    begins[:1] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def select_rows(rows: Bool | Index | slice, *arrays: *Arrays) -> tuple[*Arrays]:
    """Return these rows of the arrays of NumPy; None stays None."""
    given = cast("tuple[Array | None, ...]", arrays)
    selected = tuple(None if array is None else array[rows] for array in given)
    return cast("tuple[*Arrays]", selected)


def n_rows_of(name: str, table: RowData) -> int:
    """Return the number of rows of whatever holds them."""
    try:
        return int(table.shape[0]) if hasattr(table, "shape") else len(cast(Sized, table))
    except (IndexError, TypeError):
        raise InputTypeError(f"{name} must hold a value for each row, got {table!r:.70}.") from None


def take_rows(table: Container, rows: Index, name: str = "y_true") -> Container:
    """Take rows of whatever holds them, with the names of its columns."""
    return cast(Container, _take_rows(cast(_Rows, table), rows, name))


def _take_rows(table: _Rows, rows: Index, name: str) -> object:
    if isinstance(table, list | tuple):
        return [table[row] for row in rows]
    if hasattr(type(table), "to_pylist"):  # of pyarrow
        return table.take(rows)
    if hasattr(type(table), "tocsr"):  # sparse, of which some kinds have no rows by number
        return table.tocsr()[rows]
    try:
        return table.iloc[rows] if hasattr(type(table), "iloc") else table[rows]
    except (IndexError, TypeError):  # it takes no rows by an array of NumPy
        return as_array(name, table)[rows]


def drop_weightless_rows(weight: Float | None, *arrays: *Arrays) -> tuple[*Arrays]:
    """Return the arrays without the rows of weight 0; None stays None."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)
