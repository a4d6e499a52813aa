"""Arrays of other libraries, read as NumPy arrays; and how near numbers are equal."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.sparse import issparse

from sklearn_ap._base.common.types import Argument, Array, Numeric, RowData

PLAIN_TYPES = (np.ndarray, np.generic, list, tuple, type(None))  # these need no reader

# Each is tried in turn. The last one copies from another device, which needs NumPy 2.1.
READERS: tuple[tuple[str, Callable[[RowData], Array]], ...] = (
    ("__dlpack__", np.from_dlpack),
    ("__array__", np.asarray),
    ("__dlpack__", lambda values: np.from_dlpack(values, device="cpu")),
)
# The relative error of sums of weights, and of results for few rows or clusters.
RELATIVE_TOLERANCE = 1e-9
FLOAT_SPACING = 2.0**-52  # the relative spacing of doubles
RATIO_ROUNDING = 8 * FLOAT_SPACING  # the relative error of a ratio, and of the level beside it
# The absolute difference that rounding leaves between equal values within [0, 1].
ABSOLUTE_TOLERANCE = 1e-12
# The least divisor, so that 0 / 0 is 0.
TINY = 1e-300
# The absolute error of numbers that a tool computes in float32.
FLOAT32_TOLERANCE = 1e-6


def rounding_of_sums(n_added: Numeric) -> Numeric:
    """Compute the relative error of a ratio of two sums of ``n_added`` weights.

    Each addition is off by half of the spacing of doubles at most, in each of both sums. Sums of
    millions of weights are in fact more exact than this bound, and are taken as exact to 1e-9.
    """
    return np.minimum(n_added * FLOAT_SPACING + RATIO_ROUNDING, RELATIVE_TOLERANCE)


def to_numpy(name: str, values: Argument) -> RowData:
    """Read exports of DLPack or ``__array__`` as NumPy arrays, and leave other objects as they are.

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
    refuse_counts(name, values)
    refuse_predictions(name, values)
    if not _is_foreign(values):
        is_array = hasattr(values, "__getitem__") or hasattr(values, "__array__")
        if is_array and not isinstance(values, str | bytes):
            return values
        raise ValueError(f"{name} must be an array, got {values!r}.")
    first_error: Exception | None = None
    for method, read in READERS:
        if not hasattr(type(values), method):  # on the type, as a table may have such a column
            continue
        try:
            array = read(values)
        except Exception as error:  # each library raises its own
            first_error = first_error or error
        else:
            if array.dtype.kind != "V":  # bfloat16, as JAX gives it
                return array
    message = f"{name} cannot be read as a NumPy array: {_reason_and_remedy(values, first_error)}."
    raise ValueError(message) from first_error


def refuse_counts(name: str, values: Argument) -> None:
    """Refuse counts where rows belong, alone or with those of other models."""
    if isinstance(values, np.ndarray):
        return
    models = [*values.values()] if isinstance(values, Mapping) else values
    first = models[0] if isinstance(models, list | tuple) and models else models
    if hasattr(type(first), "tps_above"):
        raise TypeError(
            f"{name} must hold a value for each row, got ThresholdCounts, which hold no rows. Use "
            f"counts.score() for a score, and AveragePrecisionInterval.from_counts(counts) for its "
            f"interval. A comparison needs the scores of all models for each row, because models "
            f"err on the same rows: pass these, or those of a random sample of the rows."
        )


def refuse_predictions(name: str, values: Argument) -> None:
    """Refuse predictions of several fitted models where the values of rows belong."""
    if hasattr(type(values), "taken_by"):
        raise TypeError(
            f"{name} must hold a value for each row, got {type(values).__name__}, which only these "
            f"take in the place of scores: {values.taken_by}."
        )


def widen(values: Array) -> Array:
    """Widen numbers of 16 bits, which few processors compare and sort fast, to 32 bits."""
    if values.itemsize != 2:
        return values
    return values.astype(np.float32 if values.dtype.kind == "f" else np.int32)


def are_below_infinity(values: Array) -> bool:
    """Check whether all numbers are below infinity, and none is nan."""
    return values.dtype.kind != "f" or bool(
        np.count_nonzero(widen(values) < np.inf) == values.size  # nan is not below infinity
    )


def as_column(role: str, values: Argument) -> Array:
    """Read a column of arrays or of a data frame as one array."""
    array: Array = np.asarray(to_numpy(role, values))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{role} must be one-dimensional, got shape {array.shape}.")
    return array


def columns_by_name(name: str, table: Argument) -> RowData:
    """Return the columns of a table of pyarrow by their names, and anything else as it is."""
    names = getattr(table, "column_names", None)  # its attribute columns has no names
    if names is None:
        return table
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must give each column a name of its own, got {names}.")
    return {column: np.asarray(table[column]) for column in names}


def _is_foreign(values: RowData) -> bool:
    """Check whether an object is an array of another library.

    A column of pandas or polars is none, unless NumPy has its type: it knows missing values.
    """
    if hasattr(type(values), "__dlpack__") or _is_sparse(values):
        return True
    return hasattr(type(values), "__array__") and isinstance(
        getattr(values, "dtype", None), np.dtype
    )


def _is_sparse(values: RowData) -> bool:
    """Check whether an array of SciPy, PyTorch, CuPy, JAX or PyData is sparse."""
    layout = str(values.layout) if hasattr(type(values), "layout") else ""
    return issparse(values) or "sparse" in f"{type(values).__module__} {layout}"


def _reason_and_remedy(values: RowData, error: Exception | None) -> str:
    """Word the reason why an array cannot be read, and the remedy."""
    if _is_sparse(values):
        methods = ("toarray", "todense", "to_dense")
        method = next((method for method in methods if hasattr(values, method)), methods[0])
        return (
            f"it is sparse. Call its method {method}() first. Of users and items, "
            f"retrieval.from_sparse makes a ranking of each row, without a dense copy"
        )
    if getattr(values, "requires_grad", False):
        return "it requires grad. Call its method detach() first"
    dtype = str(getattr(values, "dtype", ""))
    if "bfloat" in dtype or "float8" in dtype:
        return (
            f"NumPy has no {dtype.removeprefix('torch.')}. Call its method float() (PyTorch) or "
            f"astype('float32') (JAX) first"
        )
    problem = str(error).rstrip(".")
    if not hasattr(values, "__dlpack__"):
        return problem
    return f"{problem}. Copy it to the CPU first, with cpu() (PyTorch) or get() (CuPy)"
