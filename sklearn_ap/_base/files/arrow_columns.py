"""Columns that pyarrow read. It is imported where it is used, as it may be missing."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import cast

import numpy as np

from sklearn_ap._base.files.columns import Column, TextColumn, Texts, array_of_names
from sklearn_ap._base.files.numbers import TOO_LARGE, are_too_large, parse_numbers
from sklearn_ap._files.sources import DataError
from sklearn_ap._types import Array, ArrowTable, Bool, Codes, Index, Name


@dataclass(frozen=True, slots=True, eq=False)
class ArrowColumn:
    """An array of pyarrow, of a type that all its functions know; texts may be in chunks."""

    cells: ArrowTable

    @property
    def kind(self) -> str:
        return str(self.cells.type)

    @property
    def is_text(self) -> bool:
        import pyarrow as pa

        return pa.types.is_string(self.cells.type) or pa.types.is_large_string(self.cells.type)

    def __len__(self) -> int:
        return len(self.cells)

    def text_of(self, row: int) -> str:
        return str(self.cells[row])

    @property
    def is_single(self) -> bool:
        """True if each cell is one value."""
        import pyarrow as pa

        kind = self.cells.type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return not (pa.types.is_nested(kind) or pa.types.is_interval(kind))

    def check_single(self, subject: str) -> Column:
        import pyarrow as pa

        if not self.is_single:
            raise DataError(f"{subject} holds {self.kind}, not one value a row")
        if "binary" not in self.kind:
            return self
        try:
            return ArrowColumn(self._decoded().cast(pa.string()))
        except pa.ArrowInvalid as error:
            raise DataError(f"{subject} holds bytes, not text") from error

    def as_written(self) -> Column:
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self._decoded()
        if pa.types.is_decimal(cells.type):  # a float of 0.70 would be 0.7000000000000001
            cells = cells.cast(pa.string())
        column = ArrowColumn(cells)
        return ArrowColumn(pc.utf8_trim_whitespace(cells)) if column.is_text else column

    def are_missing(self, *, or_nan: bool, words: tuple[str, ...] = ()) -> Bool:
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self._decoded()
        missing = cells.is_null(nan_is_null=or_nan)
        if ArrowColumn(cells).is_text:
            empty = pa.array(["", *words], cells.type)
            missing = pc.or_(missing, pc.is_in(cells, empty))
        return np.asarray(missing.to_numpy(zero_copy_only=False))

    def numbers(self, missing: Bool, *, decimal_comma: bool) -> Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self.cells
        if missing.any():
            cells = cells.take(pa.array(np.arange(missing.size), mask=missing))
        if not self.is_text:
            return arrow_to_numpy(cells)
        texts = pc.fill_null(cells, "nan")
        return _parse_numbers(pc.replace_substring(texts, ",", ".") if decimal_comma else texts)

    def encode(self) -> "tuple[Codes, ArrowColumn]":
        import pyarrow as pa

        cells = self.cells
        if not pa.types.is_dictionary(cells.type):
            codes, distinct = _encode(cells)
            return codes, ArrowColumn(distinct)
        # Names of a dictionary may repeat, or belong to no row.
        name_codes, names = _encode(cells.dictionary)
        codes = np.append(name_codes, -1)[_codes(cells.indices)]  # the code -1 takes the last
        is_used = np.bincount(codes[codes >= 0], minlength=len(names)) > 0
        used_codes = np.append(np.cumsum(is_used) - 1, -1)
        return used_codes[codes], ArrowColumn(names.filter(pa.array(is_used)))

    def as_text(self) -> Texts:
        import pyarrow as pa

        cells = self._decoded()
        if pa.types.is_floating(cells.type):
            with suppress(pa.ArrowInvalid):  # not all of them are whole
                cells = cells.cast(pa.int64())
        return ArrowColumn(cells.cast(pa.string()))

    def ordered_names(self) -> Column | None:
        kind = self.cells.type
        return ArrowColumn(self.cells.dictionary) if getattr(kind, "ordered", False) else None

    def to_list(self) -> list[Name]:
        if self.is_text:  # in a tenth of the time
            return list(self.cells.to_numpy(zero_copy_only=False).tolist())
        return list(self.cells.to_pylist())

    def to_numpy(self) -> Array:
        return arrow_to_numpy(self.cells)

    def filter(self, is_kept: Bool) -> Column:
        return ArrowColumn(self.cells.filter(is_kept))

    def contains(self, letter: str) -> Bool:
        import pyarrow.compute as pc

        return np.asarray(pc.match_substring(self.cells, letter).to_numpy(zero_copy_only=False))

    def ranks(self, rows: Index) -> Array:
        import pyarrow.compute as pc

        return np.asarray(pc.rank(self.cells.take(rows)))

    def _decoded(self) -> ArrowTable:
        import pyarrow as pa

        cells = self.cells
        return cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells


def join_texts(columns: Sequence[Texts]) -> Texts:
    """Append texts to each other."""
    if not all(isinstance(column, ArrowColumn) for column in columns):
        return TextColumn([*chain.from_iterable(column.to_list() for column in columns)])
    import pyarrow as pa

    arrow_columns = cast(Sequence[ArrowColumn], columns)
    return ArrowColumn(pa.chunked_array([column.cells for column in arrow_columns], pa.string()))


def read_columns(record: ArrowTable, names: Iterable[str]) -> dict[str, Column]:
    """Read columns of a record batch or a table, in types that all functions of pyarrow know.

    Offsets and indices of a corrupt file point anywhere, unless pyarrow is told to check them.
    """
    import pyarrow as pa

    table = record.select([*dict.fromkeys(names)])
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(f"it is corrupt. {error}") from error
    return {name: ArrowColumn(_to_usual_type(table.column(name))) for name in table.schema.names}


def _to_usual_type(cells: ArrowTable) -> ArrowTable:
    """Convert cells to a type that all functions of pyarrow know, in one piece."""
    import pyarrow as pa
    import pyarrow.compute as pc

    usual = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary(), pa.null(): pa.float64()}
    usual[pa.time64("ns")] = pa.string()  # times of Python have no nanoseconds
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if isinstance(cells.type, pa.BaseExtensionType):
        cells = cells.storage
    if pa.types.is_dictionary(cells.type):
        names = _to_usual_type(cells.dictionary)
        ordered = cells.type.ordered
        return pa.DictionaryArray.from_arrays(cells.indices, names, ordered=ordered, safe=False)
    if pa.types.is_run_end_encoded(cells.type):
        cells = pc.run_end_decode(cells)
    if cells.type in usual:
        return cells.cast(usual[cells.type])
    if pa.types.is_decimal(cells.type) and cells.type.bit_width < 128:
        return cells.cast(pa.decimal128(cells.type.precision, cells.type.scale))
    return cells


def arrow_to_numpy(values: ArrowTable) -> Array:
    """Convert an Arrow array without missing values to one of NumPy."""
    import pyarrow as pa

    if pa.types.is_decimal(values.type):
        # Directly, 0.70 would give 0.7000000000000001.
        texts = values.cast(pa.string())
        numbers = _parse_numbers(texts)
        if are_too_large(numbers, lambda row: str(texts[row])).any():
            raise DataError(f"a number of {values.type} {TOO_LARGE}")
        return numbers
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if ArrowColumn(values).is_text:
        values = values.dictionary_encode()  # labels are few, and Python strings are slow
    if pa.types.is_dictionary(values.type):
        names = values.dictionary
        if ArrowColumn(names).is_text or names.null_count:
            distinct = array_of_names(names.to_pylist())
        else:
            distinct = arrow_to_numpy(names)
        return distinct[values.indices.to_numpy(zero_copy_only=False)]
    if pa.types.is_boolean(values.type) and len(values):
        # NumPy unpacks the bits in a tenth of the time of to_numpy.
        byte, begin = divmod(values.offset, 8)
        bits = np.frombuffer(values.buffers()[1], np.uint8, offset=byte)
        n_bits = begin + len(values)
        return np.unpackbits(bits, count=n_bits, bitorder="little")[begin:].view(bool)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _encode(cells: ArrowTable) -> tuple[Codes, ArrowTable]:
    """Encode cells by their indices in a dictionary of the distinct ones; also return that."""
    import pyarrow as pa

    encoded = cells.dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return _codes(encoded.indices), encoded.dictionary


def _codes(indices: ArrowTable) -> Codes:
    if indices.null_count:
        indices = indices.cast("int64").fill_null(-1)
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _parse_numbers(texts: ArrowTable) -> Array:
    """Read numbers as ``parse_numbers`` does, fast."""
    import pyarrow as pa

    try:
        numbers = arrow_to_numpy(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        return parse_numbers(texts.to_pylist())
    if (numbers == np.trunc(numbers)).all():
        for kind in (pa.int64(), pa.uint64()):
            with suppress(pa.ArrowInvalid):
                return arrow_to_numpy(texts.cast(kind))
    return numbers
