"""Cells of files as labels and numbers, with errors that name file, row and column."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Words of files that say which label is positive: the second one.
WORDS = (("false", "true"), ("no", "yes"))
NAMES = 10  # of columns, in an error
LONGEST = 64  # letters of a name in an array of strings
LARGEST_WHOLE = 2**53  # up to which floats hold all whole numbers
BEYOND_FLOATS = "is the float of another whole number: pass numbers below 2**53, such as ranks"


class DataError(ValueError):
    """What is wrong with a file or a table, in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: their numbers as a user counts them, and their cells by column.

    Cells are arrays of pyarrow. ``kept`` says which rows these are, from the first one on, where
    others were left out. ``is_text`` is true for formats that write numbers as text.
    """

    place: str  # what errors begin with: the file, or nothing where only one was given
    first_row: int
    columns: dict[str, Any]
    n_bytes: int = 0
    kept: NDArray[np.bool_] | None = None
    is_text: bool = False
    decimal_comma: bool = False

    @property
    def size(self) -> int:
        """How many rows these are."""
        return len(next(iter(self.columns.values())))

    @property
    def n_empty(self) -> int:
        """How many rows were left out."""
        return 0 if self.kept is None else self.kept.size - self.size

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The numbers of the rows, which take time to make."""
        return self.first_row + (
            np.arange(self.size) if self.kept is None else self.kept.nonzero()[0]
        )

    def cell(self, row: int, name: str) -> str:
        number = self.first_row + int(row if self.kept is None else self.kept.nonzero()[0][row])
        return f"{self.place}row {number}, column {name!r}"

    def amount(self, unit: str) -> int:
        """How much this is on a bar of rows or of bytes."""
        return self.n_bytes if unit == "B" else self.size


def check_columns(wanted: Iterable[str], there: Iterable[str], *, brief: bool = False) -> None:
    """Refuse a column that is not there, or there twice."""
    there = list(there)
    known = ", ".join(map(repr, there[:NAMES])) or "none"
    known += ", ..." if len(there) > NAMES else ""
    for name in wanted:
        count = there.count(name)
        if brief and count != 1:
            problem = "several columns" if count else "no column"
            raise DataError(f"{problem} {name!r}; there are {known}")
        if not count:
            raise DataError(f"There is no column {name!r}; there are {known}.")
        if count > 1:
            raise DataError(f"There are {count} columns {name!r}: rename them.")


def read_columns(record: Any, names: Iterable[str]) -> dict[str, Any]:
    """The columns of a record batch or of a table, in types that all functions of pyarrow know.

    Offsets and indices of a corrupt file point anywhere, and pyarrow follows them unless told to
    check them.
    """
    import pyarrow as pa

    chosen = record.select([*dict.fromkeys(names)])
    try:
        chosen.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(f"it is corrupt. {error}") from error
    return {name: in_usual_type(chosen.column(name)) for name in chosen.schema.names}


def in_usual_type(cells: Any) -> Any:
    """Cells in a type that all functions of pyarrow know, in one piece."""
    import pyarrow as pa
    import pyarrow.compute as pc

    usual = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary(), pa.null(): pa.float64()}
    usual[pa.time64("ns")] = pa.string()  # times of Python have no nanoseconds
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if isinstance(cells.type, pa.BaseExtensionType):
        cells = cells.storage
    if pa.types.is_dictionary(cells.type):
        names = in_usual_type(cells.dictionary)
        return pa.DictionaryArray.from_arrays(cells.indices, names, safe=False)
    if pa.types.is_run_end_encoded(cells.type):
        cells = pc.run_end_decode(cells)
    if cells.type in usual:
        return cells.cast(usual[cells.type])
    if pa.types.is_decimal(cells.type) and cells.type.bit_width < 128:
        return cells.cast(pa.decimal128(cells.type.precision, cells.type.scale))
    return cells


def filled(rows: FileRows, name: str, if_empty: str = "", *, nan_is_empty: bool = True) -> Any:
    """The cells of a column, none of them missing or empty."""
    import pyarrow as pa

    cells = rows.columns[name]
    if not is_single(cells):
        raise DataError(f"{rows.place}column {name!r} holds {cells.type}, not one value a row")
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if is_bytes(cells):
        try:
            cells = cells.cast(pa.string())
        except pa.ArrowInvalid as error:
            raise DataError(f"{rows.place}column {name!r} holds bytes, not text") from error
    missing = cells.is_null(nan_is_null=nan_is_empty).to_numpy(zero_copy_only=False)
    if is_text(cells):
        missing = missing | (text_lengths(cells) == 0)
    if missing.any():
        raise DataError(f"{rows.cell(missing.argmax(), name)} is empty{if_empty}")
    return cells


def as_python(name: str, cells: Any) -> list[Any]:
    """The cells of a column as objects of Python, which has no dates before year 1, say."""
    try:
        return list(cells.to_pylist())
    except (OverflowError, ValueError) as error:
        problem = f"holds {cells.type} that Python cannot read: write it as text"
        raise DataError(f"column {name!r} {problem}") from error


def as_text(cells: Any) -> Any:
    """Names as text: 1e10 is that of the integer, as other files may hold it."""
    import pyarrow as pa

    if pa.types.is_floating(cells.type):
        with suppress(pa.ArrowInvalid):  # not all of them are whole
            cells = cells.cast(pa.int64())
    return cells.cast(pa.string())


def scores(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as numbers, or minus infinity for what was not retrieved."""
    found, cells = _numbers(rows, name, "; write -inf for what was not retrieved")
    _refuse(rows, name, cells, found == np.inf, "is not finite")
    return found


def _numbers(rows: FileRows, name: str, if_empty: str = "") -> tuple[NDArray[Any], Any]:
    """The cells of a column as numbers, and as they stand."""
    import pyarrow as pa

    cells = filled(rows, name, if_empty, nan_is_empty=False)
    if pa.types.is_decimal(cells.type):
        cells = cells.cast(pa.string())
    if not is_text(cells):
        found = arrow_to_numpy(cells)
        if found.dtype.kind not in "biuf":
            raise DataError(f"{rows.place}column {name!r} holds {cells.type}, not numbers")
    else:
        found = _parsed(_with_points(cells, rows))
        _refuse(rows, name, cells, _overflows(found, cells), "is not finite")
        _refuse(rows, name, cells, _merges(found, cells), BEYOND_FLOATS)
    _refuse(rows, name, cells, np.isnan(found), "is not a number")
    return found, cells


def _overflows(found: NDArray[Any], texts: Any) -> NDArray[np.bool_]:
    """Which numbers are infinite though their text has digits, as -1e999."""
    import pyarrow.compute as pc

    wrong = np.isinf(found)
    if wrong.any():
        wrong &= pc.match_substring_regex(texts, "[0-9]").to_numpy(zero_copy_only=False)
    return wrong


def _merges(found: NDArray[Any], texts: Any) -> NDArray[np.bool_]:
    """Which whole numbers became the float of another one."""
    wrong, whole = np.zeros(found.size, bool), dict[float, str]()
    if found.dtype.kind == "f":
        for row in (np.abs(found) >= LARGEST_WHOLE).nonzero()[0]:
            digits, _, decimals = texts[row].as_py().lstrip("+-0").partition(".")
            if digits.isdigit() and not decimals.strip("0"):
                wrong[row] = whole.setdefault(found[row], digits) != digits
    return wrong


def joined(parts: Sequence[NDArray[Any]], of: str) -> NDArray[Any]:
    """Numbers of several parts as one array, in which each whole number is itself alone."""
    found = np.concatenate(parts)
    if found.dtype.kind == "f" and any(part.dtype.kind in "iu" for part in parts):
        whole: dict[float, int] = {}
        for part in parts:
            huge = ((part >= LARGEST_WHOLE) | (part <= -LARGEST_WHOLE)) & np.isfinite(part)
            for number in map(int, np.unique(part[huge])):
                if whole.setdefault(float(number), number) != number:
                    raise DataError(f"{of}: {number} {BEYOND_FLOATS}")
    return found


def finite_numbers(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as finite numbers."""
    return _finite_numbers(rows, name)[0]


def weights(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as finite numbers that are not negative."""
    found, cells = _finite_numbers(rows, name)
    _refuse(rows, name, cells, found < 0, "is negative")
    return found


def _finite_numbers(rows: FileRows, name: str) -> tuple[NDArray[Any], Any]:
    """The cells of a column as finite numbers, and as they stand."""
    found, cells = _numbers(rows, name)
    _refuse(rows, name, cells, np.isinf(found), "is not finite")
    return found, cells


def labels(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as numbers or truth values where all of them are, or else as text."""
    cells = filled(rows, name)
    if not is_text(cells):
        return arrow_to_numpy(cells)
    coded = cells.dictionary_encode()  # labels are few
    texts, codes = _with_points(coded.dictionary, rows), coded.indices.to_numpy()
    found = _parsed(texts)
    wrong = np.isnan(found)
    if not wrong.all():
        _refuse(rows, name, cells, wrong[codes], "is not a number")
        return found[codes]
    words = [text.lower() for text in coded.dictionary.to_pylist()]
    for pair in WORDS:
        if set(words) <= {*pair}:
            return np.array([word == pair[1] for word in words])[codes]
    return arrow_to_numpy(cells)


def arrow_to_numpy(values: Any) -> NDArray[Any]:
    """An Arrow array without missing values as one of NumPy."""
    import pyarrow as pa

    if pa.types.is_decimal(values.type):
        # Directly, 0.70 would give 0.7000000000000001.
        texts = values.cast(pa.string())
        found = _parsed(texts)
        if _merges(found, texts).any():
            raise DataError(f"a number of {values.type} {BEYOND_FLOATS}")
        return found
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if is_text(values):
        values = values.dictionary_encode()  # labels are few, and Python strings are slow
    if pa.types.is_dictionary(values.type):
        names = values.dictionary
        as_list = is_text(names) or names.null_count
        distinct = _as_array(names.to_pylist()) if as_list else arrow_to_numpy(names)
        return distinct[values.indices.to_numpy(zero_copy_only=False)]
    if pa.types.is_boolean(values.type) and len(values):
        # Bits, which NumPy unpacks in a tenth of the time that to_numpy takes.
        byte, begin = divmod(values.offset, 8)
        bits = np.frombuffer(values.buffers()[1], np.uint8, offset=byte)
        n_bits = begin + len(values)
        return np.unpackbits(bits, count=n_bits, bitorder="little")[begin:].view(bool)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _as_array(names: list[Any]) -> NDArray[Any]:
    """Names as an array of strings, or of objects.

    An array of strings takes the longest name's memory in each row, and drops NUL from the ends.
    """
    texts = [name for name in names if isinstance(name, str)]
    odd = len(texts) < len(names) or any(len(t) > LONGEST or t.endswith("\0") for t in texts)
    return np.array(names, object if odd else None)


def text_lengths(cells: Any) -> NDArray[Any]:
    """How long each text is; 0 where there is none."""
    import pyarrow.compute as pc

    return pc.fill_null(pc.binary_length(cells), 0).to_numpy(zero_copy_only=False)


def shown(cell: Any) -> str:
    """A cell between quotes, not longer than fits."""
    text = str(cell)
    return repr(text if len(text) <= 24 else f"{text[:20]}...")


def _refuse(rows: FileRows, name: str, cells: Any, wrong: NDArray[np.bool_], problem: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(f"{rows.cell(row, name)}: {shown(cells[row])} {problem}")


def is_single(cells: Any) -> bool:
    """Whether a cell is one value."""
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return not (pa.types.is_nested(kind) or pa.types.is_interval(kind))


def is_bytes(cells: Any) -> bool:
    """Whether cells are bytes of any kind."""
    import pyarrow as pa

    kinds = (pa.types.is_fixed_size_binary, pa.types.is_binary, pa.types.is_large_binary)
    return any(is_kind(cells.type) for is_kind in kinds)


def is_text(cells: Any) -> bool:
    """Whether cells are strings."""
    import pyarrow as pa

    return pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)


def _with_points(texts: Any, rows: FileRows) -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring(texts, ",", ".") if rows.decimal_comma else texts


def _parsed(texts: Any) -> NDArray[Any]:
    """Numbers from text; nan for what is none."""
    import pyarrow as pa

    try:
        found = arrow_to_numpy(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        return np.array([_number(text) for text in texts.to_pylist()])
    if (found == np.trunc(found)).all():  # as floats, two huge integers may be one
        for kind in (pa.int64(), pa.uint64()):
            with suppress(pa.ArrowInvalid):
                return arrow_to_numpy(texts.cast(kind))
    return found


def _number(text: str) -> float:
    """A number as pyarrow reads it; Python alone reads 1_0, and digits of India."""
    try:
        return float(text) if text.isascii() and "_" not in text else np.nan
    except ValueError:
        return np.nan
