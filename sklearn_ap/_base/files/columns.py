"""Columns of texts and of numbers, without pyarrow."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Protocol, cast

import numpy as np

from sklearn_ap._base.files.numbers import LARGEST_WHOLE, decimal_points, parse_numbers
from sklearn_ap._types import Array, Bool, Codes, Index, Name

LONGEST_STRING = 64  # letters of a name in an array of strings
KINDS = {"b": "bool", "i": "int64", "f": "double"}  # the names of types in pyarrow


class Column(Protocol):
    """The cells of a column."""

    @property
    def kind(self) -> str:
        """The type of the cells, as pyarrow calls it."""

    @property
    def is_text(self) -> bool:
        """Whether they are texts."""

    def __len__(self) -> int: ...

    def text_of(self, row: int) -> str:
        """Return a cell as an error shows it."""

    def check_single(self, subject: str) -> "Column":
        """Return the column, if each cell is one value; ``subject`` names it in an error."""

    def as_written(self) -> "Column":
        """Return numbers as they are, and texts without the spaces around them."""

    def are_missing(self, *, or_nan: bool, words: tuple[str, ...] = ()) -> Bool:
        """Flag cells that are null, empty or one of ``words``, and also NaN if ``or_nan``."""

    def numbers(self, missing: Bool, *, decimal_comma: bool) -> Array:
        """Return numbers, NaN for cells that are missing and for texts that are no numbers."""

    def encode(self) -> "tuple[Codes, Column]":
        """Encode each cell by its index among the distinct ones, -1 for null; also return these."""

    def as_text(self) -> "Texts":
        """Return names as texts; whole floats as the integers that other files may hold."""

    def ordered_names(self) -> "Column | None":
        """Return the names of categories that have an order; None for other columns."""

    def to_list(self) -> list[Name]:
        """Return the cells as objects of Python."""

    def to_numpy(self) -> Array:
        """Return an array of cells, none of which may be null."""

    def filter(self, is_kept: Bool) -> "Column":
        """Return the cells of some rows."""


class Texts(Column, Protocol):
    """The cells of a column, which are texts."""

    def encode(self) -> "tuple[Codes, Texts]": ...

    def contains(self, letter: str) -> Bool:
        """Flag texts that contain this letter."""

    def ranks(self, rows: Index) -> Array:
        """Rank the texts of some rows."""


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts, with None for null."""

    texts: Sequence[str | None]
    kind: str = "string"
    is_text: bool = True

    @property
    def _strings(self) -> Sequence[str]:
        """The texts, where none of them is null."""
        return cast(Sequence[str], self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    def text_of(self, row: int) -> str:
        return str(self.texts[row])

    def check_single(self, subject: str) -> Column:
        del subject
        return self

    def as_written(self) -> Column:
        if None in self.texts:
            return TextColumn([text and text.strip() for text in self.texts])
        return TextColumn([*map(str.strip, self._strings)])

    def are_missing(self, *, or_nan: bool, words: tuple[str, ...] = ()) -> Bool:
        del or_nan
        if all(self.texts) and not any(word in self.texts for word in words):
            return np.zeros(len(self), bool)  # the usual case
        empty = (None, "", *words)
        return np.fromiter((text in empty for text in self.texts), bool, len(self))

    def numbers(self, missing: Bool, *, decimal_comma: bool) -> Array:
        texts = [*self._strings]
        for row in missing.nonzero()[0].tolist():
            texts[row] = "nan"
        return parse_numbers(decimal_points(texts) if decimal_comma else texts)

    def encode(self) -> "tuple[Codes, TextColumn]":
        # Each new text gets the next code:
        # texts ["b", "a", "b"] -> code_of {"b": 0, "a": 1} -> codes [0, 1, 0]
        code_of: defaultdict[str | None, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(code_of.__getitem__, self.texts), np.intp, len(self))
        if None in code_of:
            # Null becomes -1, and the codes above its own move down: [0, 1, 2] -> [0, -1, 1]
            codes[codes == code_of.pop(None)] = -1
            _, ranks = np.unique(codes, return_inverse=True)
            codes = ranks - 1
        return codes, TextColumn([*code_of])

    def as_text(self) -> Texts:
        return self

    def ordered_names(self) -> Column | None:
        return None

    def to_list(self) -> list[Name]:
        return [*self.texts]

    def to_numpy(self) -> Array:
        return array_of_names([*self.texts])

    def filter(self, is_kept: Bool) -> Column:
        return TextColumn([self.texts[row] for row in is_kept.nonzero()[0].tolist()])

    def contains(self, letter: str) -> Bool:
        if letter not in "".join(self._strings):  # the usual case
            return np.zeros(len(self), bool)
        return np.fromiter((letter in text for text in self._strings), bool, len(self))

    def ranks(self, rows: Index) -> Array:
        texts = [self._strings[row] for row in rows.tolist()]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        return np.argsort(order)


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Numbers or truth values, and which of them are null."""

    values: Array
    null: Bool
    is_text: bool = False

    @property
    def kind(self) -> str:
        return KINDS[self.values.dtype.kind]

    def __len__(self) -> int:
        return self.values.size

    def text_of(self, row: int) -> str:
        return str(self.values[row].item())

    def check_single(self, subject: str) -> Column:
        del subject
        return self

    def as_written(self) -> Column:
        return self

    def are_missing(self, *, or_nan: bool, words: tuple[str, ...] = ()) -> Bool:
        del words
        return self.null | (self.values != self.values) if or_nan else self.null

    def numbers(self, missing: Bool, *, decimal_comma: bool) -> Array:
        del decimal_comma
        return np.where(missing, np.nan, self.values) if missing.any() else self.values

    def encode(self) -> tuple[Codes, Column]:
        codes = np.full(self.values.size, -1)
        distinct, filled_codes = np.unique(self.values[~self.null], return_inverse=True)
        codes[~self.null] = filled_codes
        return codes, NumberColumn(distinct, np.zeros(distinct.size, bool))

    def as_text(self) -> Texts:
        values = self.values.tolist()
        if self.values.dtype.kind == "b":
            return TextColumn([str(value).lower() for value in values])
        if all(float(value).is_integer() and abs(value) < 2**63 for value in values):
            values = [*map(int, values)]
        return TextColumn([*map(str, values)])

    def ordered_names(self) -> Column | None:
        return None

    def to_list(self) -> list[Name]:
        return list(self.values.tolist())

    def to_numpy(self) -> Array:
        return self.values

    def filter(self, is_kept: Bool) -> Column:
        return NumberColumn(self.values[is_kept], self.null[is_kept])


def make_column(values: list[Name]) -> Column:
    """Make a column of values of one type; mixed or huge values become text."""
    types = {*map(type, values)}
    has_null = type(None) in types
    types.discard(type(None))
    if types == {str}:
        check_utf8(filter(None, values))
        return TextColumn(values)
    null = np.zeros(len(values), bool)
    filled_values = values
    if has_null:
        null[:] = [value is None for value in values]
        filled_values = [0 if value is None else value for value in values]
    with suppress(OverflowError):
        if dtype := _array_type(filled_values, types):
            return NumberColumn(np.array(filled_values, dtype), null)
    return TextColumn([None if value is None else str(value) for value in values])


def make_text_columns(cells: list[str], n_columns: int) -> list[Column]:
    """Make columns of the cells of rows, one row after the other."""
    columns = [cells[i::n_columns] for i in range(n_columns)]
    for texts in columns:
        check_utf8(texts)
    return [*map(TextColumn, columns)]


def _array_type(values: list[Name], types: set[type]) -> type | None:
    """Choose the type of an array that holds all values, if these are not too large; or None."""
    if not types:
        return float
    if types == {bool}:
        return bool
    if types == {int}:
        return np.int64
    if bool in types or not all(issubclass(kind, int | float) for kind in types):
        return None
    whole = [value for value in values if isinstance(value, int)] if int in types else []
    return float if max(map(abs, whole), default=0) <= LARGEST_WHOLE else None


def check_utf8(texts: Iterable[str]) -> None:
    """Refuse lone surrogates, which JSON and Python can write but no UTF-8 has."""
    "".join(texts).encode()


def array_of_names(names: list[Name]) -> Array:
    """Make an array of strings, or of objects where strings would take much memory or lose NUL."""
    texts = [name for name in names if isinstance(name, str)]
    needs_objects = any(len(text) > LONGEST_STRING or text.endswith("\0") for text in texts)
    has_objects = len(texts) < len(names)
    return np.array(names, object if needs_objects or has_objects else None)
