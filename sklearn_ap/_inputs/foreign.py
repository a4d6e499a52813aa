"""Columns of tables, and devices of arrays, of other libraries."""

from contextlib import suppress
from importlib import import_module
from types import ModuleType

from sklearn_ap._types import Argument, Name, RowData


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
    devices = {str(each.device) if hasattr(type(each), "device") else "cpu" for each in arrays}
    if len(devices) > 1 or "cpu" in devices.pop().lower():
        return None
    if hasattr(arrays[0], "__array_namespace__"):
        return arrays[0].__array_namespace__()
    for name in "sklearn.externals.array_api_compat", "array_api_compat":
        with suppress(ImportError, TypeError):  # TypeError: it does not know the library
            return import_module(name).array_namespace(*arrays)
    return None
