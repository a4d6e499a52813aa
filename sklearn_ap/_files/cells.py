"""Cells of files as labels and numbers, with errors that name file, row and column."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.checks import first_of

# Words of files that say which label is positive: the second one.
WORDS = (("false", "true"), ("no", "yes"))
EMPTY = "", "NA", "nan", "NaN"  # how R, NumPy and pandas write what is missing
LONGEST = 64  # letters of a name in an array of strings
LARGEST_WHOLE = 2**53  # up to which floats hold all whole numbers
TOO_LARGE = "is too large for a float of its own: pass numbers below 2**53, such as ranks"
NOT_FINITE: dict[str, Callable[[Any], Any]] = {"is not finite": np.isinf}


class DataError(ValueError):
    """What is wrong with a file or a table, in one line."""


@dataclass(slots=True, eq=False)
class DecimalMarks:
    """Where the first number of a file with a comma stands, and the first one with a point.

    One of the two marks stands between thousands then, and nobody knows which: 1.000 may be 1 or
    1000 beside 0,9.
    """

    comma: str = ""
    point: str = ""

    def see(self, rows: "FileRows", name: str, cells: Any) -> None:
        """Look at numbers of more rows, and refuse both marks in one file."""
        import pyarrow.compute as pc

        for mark, sign in (("comma", ","), ("point", ".")):
            if not getattr(self, mark):
                has = pc.fill_null(pc.match_substring(cells, sign), False)
                has = has.to_numpy(zero_copy_only=False)
                if has.any():
                    row = int(has.argmax())
                    setattr(self, mark, f"{rows.cell(row, name)}: {shown(cells[row])}")
        if self.comma and self.point:
            raise DataError(
                f"{self.point} has a point, but {self.comma} a comma: write all numbers of a file "
                f"with one decimal mark, and none between thousands"
            )


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
    marks: DecimalMarks | None = None  # of a file that may have decimal commas

    @property
    def size(self) -> int:
        return len(next(iter(self.columns.values())))

    def filled_in(self, names: Iterable[str]) -> "FileRows":
        """The rows that have a cell in each of some columns: neither nothing, NA nor nan."""
        import pyarrow as pa

        is_there = np.ones(self.size, bool)
        for name in names:
            is_there &= ~_are_empty(_trimmed(_single(self, name)))
        kept = np.ones(self.size, bool) if self.kept is None else self.kept.copy()
        kept[kept] = is_there
        columns = {name: each.filter(pa.array(is_there)) for name, each in self.columns.items()}
        return replace(self, columns=columns, kept=kept)

    @property
    def n_empty(self) -> int:
        return 0 if self.kept is None else self.kept.size - self.size

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The numbers of the rows, which take time to make."""
        rows = np.arange(self.size) if self.kept is None else self.kept.nonzero()[0]
        return self.first_row + rows

    def cell(self, row: int, name: str) -> str:
        return f"{self.place}row {self.numbers[row]}, column {name!r}"

    def amount(self, unit: str) -> int:
        """How much this is on a bar of rows or of bytes."""
        return self.n_bytes if unit == "B" else self.size


def check_columns(wanted: Iterable[str], there: Iterable[str]) -> None:
    there = list(there)
    for name in wanted:
        count = there.count(name)
        if count > 1:
            raise DataError(f"There are {count} columns {name!r}: rename them.")
        if not count:
            known = first_of([*map(repr, there)]) or "none"
            raise DataError(f"There is no column {name!r}; there are {known}.")


def read_columns(record: Any, names: Iterable[str]) -> dict[str, Any]:
    """The columns of a record batch or of a table, in types that all functions of pyarrow know.

    Offsets and indices of a corrupt file point anywhere, unless pyarrow is told to check them.
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
        ordered = cells.type.ordered
        return pa.DictionaryArray.from_arrays(cells.indices, names, ordered=ordered, safe=False)
    if pa.types.is_run_end_encoded(cells.type):
        cells = pc.run_end_decode(cells)
    if cells.type in usual:
        return cells.cast(usual[cells.type])
    if pa.types.is_decimal(cells.type) and cells.type.bit_width < 128:
        return cells.cast(pa.decimal128(cells.type.precision, cells.type.scale))
    return cells


def filled(
    rows: FileRows, name: str, if_empty: str | None = "", *, nan_is_empty: bool = True
) -> Any:
    """The cells of a column, none of them missing or empty; or null, if ``if_empty`` is None."""
    return _filled(rows, name, _single(rows, name), if_empty, nan_is_empty=nan_is_empty)


def filled_labels(rows: FileRows, name: str, if_empty: str | None = "") -> Any:
    """The same of labels. Spaces around a number are none of it, but those of a name are."""
    return _filled(rows, name, _with_trimmed_numbers(_single(rows, name)), if_empty)


def _single(rows: FileRows, name: str) -> Any:
    """The cells of a column, each of which is one value."""
    import pyarrow as pa

    cells = rows.columns[name]
    if not is_single(cells):
        raise DataError(f"{rows.place}column {name!r} holds {cells.type}, not one value a row")
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if "binary" in str(cells.type):
        try:
            cells = cells.cast(pa.string())
        except pa.ArrowInvalid as error:
            raise DataError(f"{rows.place}column {name!r} holds bytes, not text") from error
    return cells


def _trimmed(cells: Any) -> Any:
    """Texts without the spaces around them."""
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(cells) if is_text(cells) else cells


def _with_trimmed_numbers(cells: Any) -> Any:
    """Texts without the spaces around numbers and nothing; names as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_text(cells):
        return cells
    coded = cells.dictionary_encode()  # labels are few
    texts, trimmed = coded.dictionary, _trimmed(coded.dictionary)
    if trimmed.equals(texts):
        return cells
    is_name = np.isnan(_parsed(trimmed)) & (text_lengths(trimmed) > 0)
    return pc.if_else(pa.array(is_name), texts, trimmed).take(coded.indices)


def _filled(
    rows: FileRows, name: str, cells: Any, if_empty: str | None, *, nan_is_empty: bool = True
) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = cells.is_null(nan_is_null=nan_is_empty).to_numpy(zero_copy_only=False)
    if is_text(cells):
        missing = missing | (text_lengths(cells) == 0)
        if if_empty is None:  # "NA" is how R writes it
            missing |= pc.fill_null(pc.equal(cells, "NA"), True).to_numpy(zero_copy_only=False)
    if if_empty is None:
        return cells.take(pa.array(np.arange(missing.size), mask=missing))
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


def _are_empty(cells: Any) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = cells.is_null(nan_is_null=True)
    if is_text(cells):
        empty = pc.or_(empty, pc.is_in(cells, pa.array(EMPTY, cells.type)))
    return np.asarray(empty.to_numpy(zero_copy_only=False))


def scores(rows: FileRows, name: str, or_else: str = "") -> NDArray[Any]:
    """The cells of a column as numbers, or minus infinity for what was not retrieved."""
    hint = f"; write -inf for what was not retrieved{or_else}"
    return _numbers(rows, name, {"is not finite": lambda found: found == np.inf}, hint)


def weights(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as finite numbers that are not negative."""
    return _numbers(rows, name, NOT_FINITE | {"is negative": lambda found: found < 0})


def finite_numbers(rows: FileRows, name: str) -> NDArray[Any]:
    return _numbers(rows, name, NOT_FINITE)


def numbers_or_nan(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as finite numbers, nan where they are missing or empty."""
    return _numbers(rows, name, NOT_FINITE, if_empty=None)


def _numbers(
    rows: FileRows, name: str, refused: dict[str, Callable[[Any], Any]], if_empty: str | None = ""
) -> NDArray[Any]:
    """The cells of a column as numbers, of which none has a problem."""
    import pyarrow as pa

    cells = _trimmed(_single(rows, name))
    cells = _filled(rows, name, cells, if_empty, nan_is_empty=if_empty is None)
    is_there = cells.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_decimal(cells.type):
        cells = cells.cast(pa.string())
    if is_text(cells):
        texts = _with_points(cells, rows).fill_null("nan")
        numbers = _parsed(texts)
        _refuse(rows, name, cells, _are_too_large(numbers, texts), TOO_LARGE)
    else:
        numbers = arrow_to_numpy(cells)
        if numbers.dtype.kind not in "biuf":
            raise DataError(f"{rows.place}column {name!r} holds {cells.type}, not numbers")
    for problem, has_it in ({"is not a number": np.isnan} | refused).items():
        _refuse(rows, name, cells, has_it(numbers) & is_there, problem)
    _see_marks(rows, name, cells)
    return numbers


def joined(parts: Sequence[NDArray[Any]], of: str) -> NDArray[Any]:
    """Numbers of several parts as one array, in which each whole number is itself alone."""
    whole = np.concatenate(parts)
    if whole.dtype.kind == "f" and any(part.dtype.kind in "iu" for part in parts):
        for number in (n for part in parts for n in np.unique(part[is_huge(part)]).tolist()):
            if not _is_a_float(number):
                raise DataError(f"{of}: {number} {TOO_LARGE}")
    return whole


def _are_too_large(numbers: NDArray[Any], texts: Any) -> NDArray[np.bool_]:
    """Which texts are numbers whose floats are those of others, or infinite."""
    wrong = np.zeros(numbers.size, bool)
    if numbers.dtype.kind == "f":
        huge = is_huge(numbers).nonzero()[0]
        with localcontext(Context(traps=[])):  # an exponent of 20 digits gives nan
            exact = (Decimal(texts[row].as_py()) for row in huge.tolist())
            wrong[huge] = [not _is_a_float(number) for number in exact]
    return wrong


def is_huge(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers are so large that floats do not hold all whole numbers there."""
    return (numbers >= LARGEST_WHOLE) | (numbers <= -LARGEST_WHOLE)


def _is_a_float(number: Any) -> bool:
    """Whether it is how a float is written, with all digits or few: 2**53 + 1 is not."""
    exact, near = Decimal(number), float(number)
    context = Context(prec=len(exact.as_tuple().digits))
    return exact in (context.create_decimal_from_float(near), Decimal(repr(near)))


def labels(rows: FileRows, name: str) -> NDArray[Any]:
    """The cells of a column as numbers or truth values where all of them are, or else as text."""
    cells = filled_labels(rows, name)
    if not is_text(cells):
        return arrow_to_numpy(cells)
    coded = cells.dictionary_encode()  # labels are few
    texts, codes = _with_points(coded.dictionary, rows), coded.indices.to_numpy()
    numbers = _parsed(texts)
    wrong = np.isnan(numbers)
    if not wrong.all():
        _refuse(rows, name, cells, wrong[codes], "is not a number")
        _see_marks(rows, name, cells)
        return numbers[codes]
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
        numbers = _parsed(texts)
        if _are_too_large(numbers, texts).any():
            raise DataError(f"a number of {values.type} {TOO_LARGE}")
        return numbers
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
    """Names as strings or objects; strings have the memory of the longest, and end without NUL."""
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
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return not (pa.types.is_nested(kind) or pa.types.is_interval(kind))


def is_text(cells: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)


def _with_points(texts: Any, rows: FileRows) -> Any:
    import pyarrow.compute as pc

    return texts if rows.marks is None else pc.replace_substring(texts, ",", ".")


def _see_marks(rows: FileRows, name: str, cells: Any) -> None:
    if rows.marks is not None and is_text(cells):
        rows.marks.see(rows, name, cells)


def _parsed(texts: Any) -> NDArray[Any]:
    """Numbers from text; nan for what is none."""
    import pyarrow as pa

    try:
        numbers = arrow_to_numpy(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        return np.array([_number(text) for text in texts.to_pylist()])
    if (numbers == np.trunc(numbers)).all():  # as floats, two huge integers may be one
        for kind in (pa.int64(), pa.uint64()):
            with suppress(pa.ArrowInvalid):
                return arrow_to_numpy(texts.cast(kind))
    return numbers


def _number(text: str) -> float:
    """A number as pyarrow reads it; Python alone reads 1_0, and digits of India."""
    try:
        return float(text) if text.isascii() and "_" not in text else np.nan
    except ValueError:
        return np.nan
