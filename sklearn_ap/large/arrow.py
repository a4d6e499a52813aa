"""Arrow record batches as batches of arrays, which tables and Spark give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.large.batches import Batch

__all__ = ["ROLES", "batches_from_arrow", "check_columns", "wanted"]

ROLES = ("y_true", "y_score", "sample_weight")


def wanted(y_true: str, y_score: str, sample_weight: str | None) -> list[str]:
    """The columns to read."""
    return [y_true, y_score] if sample_weight is None else [y_true, y_score, sample_weight]


def check_columns(columns: Iterable[str], there: Iterable[str], place: str = "") -> None:
    """Refuse a column that is not there, or there twice."""
    there = list(there)
    for name in columns:
        if name not in there:
            known = ", ".join(map(repr, there)) or "none"
            raise ValueError(f"{place}There is no column {name!r}; there are {known}.")
        if there.count(name) > 1:
            raise ValueError(f"{place}There are {there.count(name)} columns {name!r}: rename them.")


def batches_from_arrow(
    records: Iterable[Any], columns: list[str], place: str = "batch"
) -> Iterator[Batch]:
    """Columns of record batches as arrays; a missing value raises an error."""
    first_row = 0
    for i, record in enumerate(records):
        name = f"{place} {i} (from row {first_row})"
        roles = zip(ROLES, columns, strict=False)
        yield Batch(name, *(_values(record, column, f"{name}: {role}") for role, column in roles))
        first_row += record.num_rows


def _values(record: Any, column: str, what: str) -> NDArray[Any]:
    import pyarrow.compute as pc

    values = record.column(record.schema.get_field_index(column))
    if values.null_count:
        row = pc.index(values.is_null(), True).as_py()
        raise ValueError(
            f"{what} contains missing values: {values.null_count} of {len(values)} values, the "
            f"first in row {row}."
        )
    return _plain(values)


def _plain(values: Any) -> NDArray[Any]:
    """An Arrow array without missing values as one of NumPy."""
    import pyarrow as pa

    if pa.types.is_decimal(values.type):
        # Directly, 0.70 would give 0.7000000000000001.
        values = values.cast(pa.string()).cast(pa.float64())
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = values.dictionary_encode()  # labels are few, and Python strings are slow
    if pa.types.is_dictionary(values.type):
        names = values.dictionary
        texts = pa.types.is_string(names.type) or pa.types.is_large_string(names.type)
        distinct = np.asarray(names.to_pylist()) if texts or names.null_count else _plain(names)
        return distinct[values.indices.to_numpy(zero_copy_only=False)]
    if pa.types.is_boolean(values.type) and len(values):
        # Bits, which NumPy unpacks in a tenth of the time that to_numpy takes.
        byte, begin = divmod(values.offset, 8)
        bits = np.frombuffer(values.buffers()[1], np.uint8, offset=byte)
        count = begin + len(values)
        return np.unpackbits(bits, count=count, bitorder="little")[begin:].view(bool)
    return np.asarray(values.to_numpy(zero_copy_only=False))
