"""Cells of files as numbers and as names. Each error names the file, the row and the column.

A number is one name in all formats: 1, 1.0 and the text "1". Texts stay as they are: "1.0" of CSV
is another name.
"""

import re
import reprlib
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from typing import NoReturn

import numpy as np

from sklearn_ap._arithmetic import LARGEST_EXACT
from sklearn_ap._extras import LazyModule
from sklearn_ap._files.arrow_types import ArrowColumn
from sklearn_ap._files.sources import DataError, pa
from sklearn_ap._files.tables import FileRows
from sklearn_ap._inputs.numbers import LOST_DIGITS, concatenate_numbers, lose_digits
from sklearn_ap._types import Array, Bool
from sklearn_ap._writing.text import count_as_text, names_as_text
from sklearn_ap._writing.warning import warn

pc = LazyModule("pyarrow.compute", "Reading files", "table")

# What pyarrow reads as a number
NUMBER_TEXT = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf|infinity|nan))$"
REMEDY = "; leave such rows out, unless you know what belongs there"
MISSING_MARKS = ("NA", "nan", "NaN")  # the marks of R, NumPy and pandas
NUMBER_OF_WORD = {"false": "0", "true": "1", "no": "0", "yes": "1"}  # of labels
USUAL_NUMBERS = ("-1", "0", "1")  # of labels


def read_numbers(
    batches: Iterable[FileRows],
    column: str,
    *,
    finite: bool = False,
    may_be_missing: bool = False,
    least: float = -np.inf,
) -> Array:
    """Return a column as numbers, nan where one is missing and may be.

    NaN and plus infinity are refused, and so is minus infinity if numbers must be finite.
    """
    parts = []
    for rows in batches:
        cells = _read_cells(rows, column, may_be_missing=may_be_missing)
        numbers = _as_numbers(rows, column, cells)
        if numbers.dtype.kind == "f":
            is_known = _as_array(cells.is_valid())
            _refuse(rows, column, np.isnan(numbers) & is_known, "is not a number")
            is_infinite = np.isinf(numbers) if finite else numbers == np.inf
            _refuse(rows, column, is_infinite, "is infinite")
        _refuse(rows, column, numbers < least, f"is below {least:g}")
        parts.append(numbers)
    joined = concatenate_numbers(parts or [np.zeros(0)])
    if joined is None:
        raise DataError(f"column {column!r} {LOST_DIGITS}")
    return joined


def _as_numbers(rows: FileRows, column: str, cells: ArrowColumn) -> Array:
    """Keep the type of numbers without a null, so that all digits of large integers stay."""
    types, arrow_type = pa.types, cells.type
    is_number = types.is_integer(arrow_type) or types.is_floating(arrow_type)
    if types.is_string(arrow_type) and rows.decimal is not None:
        cells = _parse_numbers(rows, column, cells)
    elif types.is_decimal(arrow_type):  # directly, 0.70 would give 0.7000000000000001
        cells = _parse_numbers(rows, column, cells.cast(pa.string()))
    elif not (is_number or types.is_boolean(arrow_type)):
        raise DataError(f"{rows.place}: column {column!r} holds {arrow_type}, not numbers")
    if not cells.null_count:
        return _as_array(cells)
    known = _as_array(cells.drop_null())
    _refuse_lost_digits(rows, column, lose_digits(known))
    numbers = np.full(len(cells), np.nan)
    numbers[_as_array(cells.is_valid())] = known
    return numbers


def _parse_numbers(rows: FileRows, column: str, texts: ArrowColumn) -> ArrowColumn:
    """Parse texts: as integers if all are, so that large ones keep their digits, or as floats."""
    texts = pc.utf8_trim_whitespace(texts)
    if rows.decimal == ",":
        has_point = pc.match_substring(texts, ".").fill_null(False)
        _refuse(rows, column, _as_array(has_point), "is not a number")
        texts = pc.replace_substring(texts, ",", ".")
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        _refuse_texts(rows, column, texts)
    for kind in (pa.int64(), pa.uint64()):
        with suppress(pa.ArrowInvalid):  # of the first number that is not whole
            return texts.cast(kind)
    values = _as_array(numbers)
    is_large = np.abs(values) >= LARGEST_EXACT
    if is_large.any():
        large = texts.filter(pa.array(is_large))
        is_word = _as_array(pc.match_substring_regex(large, "(?i)inf"))
        is_beyond = np.isinf(values[is_large]) & ~is_word
        _refuse(rows, column, _at(is_large, is_beyond), "is beyond the range of numbers")
        is_whole = _as_array(pc.match_substring_regex(large, r"^[+-]?\d+(\.0*)?$"))
        loses = [Decimal(text) != int(float(text)) for text in large.filter(is_whole).to_pylist()]
        _refuse_lost_digits(rows, column, any(loses))
    return numbers


def _refuse_texts(rows: FileRows, column: str, texts: ArrowColumn) -> NoReturn:
    """Refuse the first text that is no number, and say how a decimal comma is read."""
    is_number = pc.match_substring_regex(texts, NUMBER_TEXT).fill_null(True)
    row = int(_as_array(is_number).argmin())
    text = str(rows.columns[column][row])
    has_comma = rows.decimal == "." and re.fullmatch(r"\s*[+-]?\d*,\d+\s*", text)
    remedy = ": pass --decimal , in the command line, or write a point" if has_comma else ""
    problem = f"{reprlib.repr(text)} is not a number{remedy}"
    raise DataError(f"{rows.place_of(row, column)}: {problem}")


def _refuse_lost_digits(rows: FileRows, column: str, are_lost: bool) -> None:
    if are_lost:
        raise DataError(f"{rows.place}: column {column!r} {LOST_DIGITS}")


def _at(selected: Bool, flags: Bool) -> Bool:
    """Flag rows by the flags of those that are selected."""
    is_flagged = np.zeros(selected.size, bool)
    is_flagged[selected] = flags
    return is_flagged


def read_codes(
    batches: Iterable[FileRows], column: str, *, may_be_missing: bool = False
) -> ArrowColumn:
    """Return a column of names as texts, each once, and indices, null where one may be missing.

    A text may come twice, as of 0.0 and -0.0. Cells become texts where they are distinct, which
    takes a fraction of the time.
    """
    parts = []
    marks: set[str] = set()
    for rows in batches:
        cells = _read_cells(rows, column, may_be_missing=may_be_missing)
        if pa.types.is_floating(cells.type):
            is_nan = pc.is_nan(cells).fill_null(False)
            _refuse(rows, column, _as_array(is_nan), "is no name")
        codes = cells.dictionary_encode()
        names = _write_names(rows, column, codes.dictionary)
        marks |= {*names.filter(pc.is_in(names, pa.array(MISSING_MARKS))).to_pylist()}
        parts.append(pa.DictionaryArray.from_arrays(codes.indices, names))
    if marks:
        listed = names_as_text([*map(repr, sorted(marks))])
        text = f"column {column!r} has the name {listed}, which may mark what is missing{REMEDY}"
        warn(text, UserWarning)
    return pa.chunked_array(parts).combine_chunks()


def write_label(text: str, *, is_named: bool) -> str:
    """Write a label in one way: True as true, and 1.0 and +1 as 1.

    Where nobody named the positive label, true and yes are 1, and false and no are 0.
    """
    word = text.strip().lower().removesuffix(".0").removeprefix("+")
    if word in NUMBER_OF_WORD:
        return word if is_named else NUMBER_OF_WORD[word]
    return word if word in USUAL_NUMBERS else text.strip()


def _read_cells(rows: FileRows, column: str, *, may_be_missing: bool) -> ArrowColumn:
    """Return a column, null where a cell may be missing and is null, empty, NA or nan."""
    cells = rows.columns[column]
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    cells = _plain_cells(rows, column, cells)
    is_missing = cells.is_null(nan_is_null=may_be_missing)
    if pa.types.is_string(cells.type):
        marks = ("", *MISSING_MARKS) if may_be_missing else ("",)
        is_missing = pc.or_(is_missing, pc.is_in(pc.utf8_trim_whitespace(cells), pa.array(marks)))
    if may_be_missing:
        return pc.if_else(is_missing, pa.scalar(None, cells.type), cells)
    may_be_nan = pa.types.is_floating(cells.type)  # as pandas writes what is missing
    what = "is empty or NaN" if may_be_nan else "is empty"
    _refuse(rows, column, _as_array(is_missing), what)
    return cells


def _plain_cells(rows: FileRows, column: str, cells: ArrowColumn) -> ArrowColumn:
    """Return cells as numbers, times or texts, in types that all functions of pyarrow know."""
    if pa.types.is_dictionary(cells.type):
        return _plain_cells(rows, column, cells.dictionary).take(cells.indices)
    is_plain = pa.types.is_primitive(cells.type) or pa.types.is_decimal(cells.type)
    return cells if is_plain else _cast_to_text(rows, column, cells)


def _write_names(rows: FileRows, column: str, names: ArrowColumn) -> ArrowColumn:
    """Write names as texts: floats as integers if all are whole."""
    if pa.types.is_floating(names.type):
        names = pa.array(_as_array(names) + 0.0)  # -0.0 is 0.0
        with suppress(pa.ArrowInvalid):
            names = names.cast(pa.int64())
    return _cast_to_text(rows, column, names)


def _cast_to_text(rows: FileRows, column: str, cells: ArrowColumn) -> ArrowColumn:
    try:
        return cells.cast(pa.string())
    except pa.ArrowException as error:
        problem = f"column {column!r} holds {cells.type}, not numbers or texts"
        raise DataError(f"{rows.place}: {problem}") from error


def _as_array(cells: ArrowColumn) -> Array:
    """Convert cells, also with nulls."""
    return np.asarray(cells.to_numpy(zero_copy_only=False))


def _refuse(rows: FileRows, column: str, is_wrong: Bool, problem: str) -> None:
    """Raise an error that names and shows the first wrong cell, and counts the others."""
    if is_wrong.any():
        row = int(is_wrong.argmax())
        text = str(rows.columns[column][row].as_py() or "")
        shown = f": {reprlib.repr(text)}" if text.strip() else ""
        n_below = int(np.count_nonzero(is_wrong)) - 1
        below = f" ({count_as_text(n_below)} more below)" if n_below else ""
        raise DataError(f"{rows.place_of(row, column)}{shown} {problem}{below}{REMEDY}")
