"""Arrays and tables of other libraries: which they are, how they are read, and their columns."""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from types import ModuleType

import numpy as np
from scipy.sparse import issparse

from sklearn_ap._types import Argument, Array, Name, RowData

PLAIN_TYPES = (np.ndarray, np.generic, list, tuple, type(None))  # these need no reader
# Each is tried in turn. The last one copies from another device, which needs NumPy 2.1.
READERS: tuple[tuple[str, Callable[[RowData], Array]], ...] = (
    ("__array__", np.asarray),
    ("__dlpack__", np.from_dlpack),
    ("__dlpack__", lambda values: np.from_dlpack(values, device="cpu")),
)


def is_foreign(values: RowData) -> bool:
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


def read_foreign(name: str, values: RowData) -> Array:
    """Read an array of another library, or say why it cannot be read."""
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


def names_of_columns(table: RowData) -> list[Name]:
    """List the names of the columns of a table of pandas, polars or pyarrow; else none."""
    if isinstance(table, PLAIN_TYPES) or not hasattr(type(table), "__array__"):
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
    devices = {str(each.device) if hasattr(type(each), "device") else "cpu" for each in arrays}
    if len(devices) > 1 or "cpu" in devices.pop().lower():
        return None
    if hasattr(arrays[0], "__array_namespace__"):
        return arrays[0].__array_namespace__()
    for name in "sklearn.externals.array_api_compat", "array_api_compat":
        with suppress(ImportError, TypeError):  # TypeError: it does not know the library
            return import_module(name).array_namespace(*arrays)
    return None
