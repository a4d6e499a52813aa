"""Arrow record batches as batches of arrays, which tables and Spark give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.large.batches import Batch

__all__ = ["batches_from_arrow", "check_columns", "wanted"]


def wanted(y_true: str, y_score: str, sample_weight: str | None) -> list[str]:
    """The columns to read."""
    return [y_true, y_score] if sample_weight is None else [y_true, y_score, sample_weight]


def check_columns(columns: Iterable[str], there: Iterable[str]) -> None:
    """Refuse a column that is not there."""
    there = list(there)
    for name in columns:
        if name not in there:
            known = ", ".join(map(repr, there)) or "none"
            raise ValueError(f"There is no column {name!r}; there are {known}.")


def batches_from_arrow(
    records: Iterable[Any], columns: list[str], place: str = "batch"
) -> Iterator[Batch]:
    """Columns of record batches as arrays; a missing value raises an error."""
    first_row = 0
    for i, record in enumerate(records):
        name = f"{place} {i} (from row {first_row})"
        yield Batch(name, *(_values(record, column, name) for column in columns))
        first_row += record.num_rows


def _values(record: Any, column: str, place: str) -> NDArray[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = record.column(record.schema.get_field_index(column))
    if values.null_count:
        row = pc.index(values.is_null(), True).as_py()
        raise ValueError(
            f"{place}: column {column!r} contains missing values: {values.null_count} of "
            f"{len(values)}, the first in row {row}."
        )
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = values.dictionary_encode()  # labels are few, and Python strings are slow
    if pa.types.is_dictionary(values.type):
        names = np.asarray(values.dictionary.to_pylist())
        return names[values.indices.to_numpy(zero_copy_only=False)]
    return np.asarray(values.to_numpy(zero_copy_only=False))
