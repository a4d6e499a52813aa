"""Cells of files as labels, numbers and names, with errors that name file, row and column."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Codes, Index
from sklearn_ap._base.files.columns import Column, TextColumn, Texts
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.numbers import (
    TOO_LARGE,
    are_too_large,
    decimal_points,
    is_a_float,
    is_huge,
    parse_numbers,
)
from sklearn_ap._base.inputs.checks import list_first

# Words of files that say which label is positive: the second one.
WORDS = (("false", "true"), ("no", "yes"))
NA = ("NA",)  # how R writes what is missing
MISSING = *NA, "nan", "NaN"  # and how NumPy and pandas do
NOT_FINITE: dict[str, Callable[[Any], Any]] = {"is not finite": np.isinf}


@dataclass(slots=True, eq=False)
class DecimalMarks:
    """Where the first number of a file with a comma stands, and the first one with a point.

    One of the two marks stands between thousands then, and nobody knows which: 1.000 may be 1 or
    1000 beside 0,9.
    """

    comma: str = ""
    point: str = ""

    def see(self, rows: "FileRows", name: str, numbers: Texts) -> None:
        """Look at numbers of more rows, and refuse both marks in one file."""
        for mark, sign in (("comma", ","), ("point", ".")):
            if not getattr(self, mark):
                has = numbers.holding(sign)
                if has.any():
                    row = int(has.argmax())
                    setattr(self, mark, f"{rows.cell(row, name)}: {shown(numbers.text_of(row))}")
        if self.comma and self.point:
            raise DataError(
                f"{self.point} has a point, but {self.comma} a comma: write all numbers of a file "
                f"with one decimal mark, and none between thousands"
            )


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: their numbers as a user counts them, and their cells by column.

    ``kept`` says which rows these are, from the first one on, where others were left out.
    ``is_text`` is true for formats that write numbers as text.
    """

    place: str  # what errors begin with: the file, or nothing where only one was given
    first_row: int
    columns: dict[str, Column]
    n_bytes: int = 0
    kept: Bool | None = None
    is_text: bool = False
    marks: DecimalMarks | None = None  # of a file that may have decimal commas

    @property
    def size(self) -> int:
        return len(next(iter(self.columns.values())))

    def drop_incomplete(self, names: Iterable[str]) -> "FileRows":
        """The rows that have a cell in each of some columns: neither nothing, NA nor nan."""
        is_there = np.ones(self.size, bool)
        for name in names:
            is_there &= ~_single(self, name).as_written().are_missing(or_nan=True, words=MISSING)
        kept = np.ones(self.size, bool) if self.kept is None else self.kept.copy()
        kept[kept] = is_there
        columns = {name: each.filter(is_there) for name, each in self.columns.items()}
        return replace(self, columns=columns, kept=kept)

    @property
    def n_empty(self) -> int:
        return 0 if self.kept is None else self.kept.size - self.size

    @property
    def decimal_comma(self) -> bool:
        return self.marks is not None

    @property
    def numbers(self) -> Index:
        """The numbers of the rows, which take time to make."""
        rows = np.arange(self.size) if self.kept is None else self.kept.nonzero()[0]
        return self.first_row + rows

    def cell(self, row: int, name: str) -> str:
        return f"{self.place}row {self.numbers[row]}, column {name!r}"

    def amount(self, unit: str) -> int:
        """How much this is on a bar of rows or of bytes."""
        return self.n_bytes if unit == "B" else self.size


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The names of rows: the place of each among the distinct ones, or -1 where there is none."""

    codes: Codes
    values: list[Any]  # the distinct ones, as objects of Python
    column: Column  # and as they were read

    @property
    def present(self) -> list[Any]:
        """Those that any row has."""
        counts = np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:]
        return [self.values[i] for i in counts.nonzero()[0].tolist()]

    def to_numpy(self) -> Array:
        return self.column.to_numpy()[self.codes]

    def as_text(self) -> "Names":
        texts = self.column.as_text()
        return replace(self, values=texts.to_list(), column=texts)


def check_columns(wanted: Iterable[str], there: Iterable[str]) -> None:
    there = list(there)
    for name in wanted:
        count = there.count(name)
        if count > 1:
            raise DataError(f"There are {count} columns {name!r}: rename them.")
        if not count:
            known = list_first([*map(repr, there)]) or "none"
            raise DataError(f"There is no column {name!r}; there are {known}.")


def names(rows: FileRows, name: str, empty_hint: str | None = "") -> Names:
    """Read the names in a column: none may be missing or empty, unless ``empty_hint`` is None."""
    codes, column = _single(rows, name).coded()
    found = Names(codes, as_python(name, column), column)
    return checked_names(rows, name, found, empty_hint)


def checked_names(rows: FileRows, name: str, found: Names, empty_hint: str | None) -> Names:
    """Names that are there, and -1 for others, unless these are refused."""
    empty = ("", *NA) if empty_hint is None else ("",)
    are_missing = [value is None or value != value or value in empty for value in found.values]
    missing = np.array([*are_missing, True])[found.codes]
    if empty_hint is None:
        return replace(found, codes=np.where(missing, -1, found.codes))
    _refuse_missing(rows, name, missing, empty_hint)
    return found


def names_of_labels(rows: FileRows, name: str, empty_hint: str | None = "") -> Names:
    """The same of labels. Spaces around a number are none of it, but those of a name are."""
    codes, column = _single(rows, name).coded()
    values = as_python(name, column)
    if column.is_text:
        trimmed = [value.strip() for value in values]
        are_numbers = ~np.isnan(parse_numbers(trimmed))
        pairs = zip(values, trimmed, are_numbers, strict=True)
        column = TextColumn([short if not short or is_one else v for v, short, is_one in pairs])
        values = column.to_list()
    return checked_names(rows, name, Names(codes, values, column), empty_hint)


def texts(rows: FileRows, name: str) -> Texts:
    """The cells of a column as texts, none of them missing or empty."""
    column = _single(rows, name)
    _refuse_missing(rows, name, column.are_missing(or_nan=True), "")
    return column.as_text()


def _single(rows: FileRows, name: str) -> Column:
    return rows.columns[name].single(f"{rows.place}column {name!r}")


def _refuse_missing(rows: FileRows, name: str, missing: Bool, empty_hint: str) -> None:
    if missing.any():
        raise DataError(f"{rows.cell(int(missing.argmax()), name)} is empty{empty_hint}")


def as_python(name: str, column: Column) -> list[Any]:
    """The cells of a column as objects of Python, which has no dates before year 1, say."""
    try:
        return column.to_list()
    except (OverflowError, ValueError) as error:
        problem = f"holds {column.kind} that Python cannot read: write it as text"
        raise DataError(f"column {name!r} {problem}") from error


def scores(rows: FileRows, name: str, or_else: str = "") -> Array:
    """The cells of a column as numbers, or minus infinity for what was not retrieved."""
    hint = f"; write -inf for what was not retrieved{or_else}"
    return _numbers(rows, name, {"is not finite": lambda found: found == np.inf}, hint)


def weights(rows: FileRows, name: str) -> Array:
    """The cells of a column as finite numbers that are not negative."""
    return _numbers(rows, name, NOT_FINITE | {"is negative": lambda found: found < 0})


def finite_numbers(rows: FileRows, name: str) -> Array:
    return _numbers(rows, name, NOT_FINITE)


def numbers_or_nan(rows: FileRows, name: str) -> Array:
    """The cells of a column as finite numbers, nan where they are missing or empty."""
    return _numbers(rows, name, NOT_FINITE, empty_hint=None)


def _numbers(
    rows: FileRows, name: str, refused: dict[str, Callable[[Any], Any]], empty_hint: str | None = ""
) -> Array:
    """The cells of a column as numbers, of which none has a problem."""
    column = _single(rows, name).as_written()
    missing = column.are_missing(or_nan=empty_hint is None, words=NA if empty_hint is None else ())
    if empty_hint is not None:
        _refuse_missing(rows, name, missing, empty_hint)
    numbers = column.numbers(missing, decimal_comma=rows.decimal_comma)
    if numbers.dtype.kind not in "biuf":
        raise DataError(f"{rows.place}column {name!r} holds {column.kind}, not numbers")
    if column.is_text:
        wrong = are_too_large(numbers, lambda row: _decimal_point(rows, column.text_of(row)))
        _refuse(rows, name, column, wrong, TOO_LARGE)
    _refuse(rows, name, column, np.isnan(numbers) & ~missing, "is not a number", empty_hint or "")
    for problem, has_it in refused.items():
        _refuse(rows, name, column, has_it(numbers) & ~missing, problem)
    _see_marks(rows, name, column)
    return numbers


def _decimal_point(rows: FileRows, text: str) -> str:
    return text.replace(",", ".") if rows.decimal_comma else text


def _refuse(
    rows: FileRows,
    name: str,
    column: Column,
    wrong: Bool,
    problem: str,
    if_missing: str = "",
) -> None:
    """Raise an error of the first wrong cell; ``if_missing`` says more of NA and nan."""
    if wrong.any():
        row = int(wrong.argmax())
        text = column.text_of(row)
        hint = if_missing if text.strip() in MISSING else ""
        raise DataError(f"{rows.cell(row, name)}: {shown(text)} {problem}{hint}")


def join_numbers(parts: Sequence[Array], of: str) -> Array:
    """Numbers of several parts as one array, in which each whole number is itself alone."""
    whole = np.concatenate(parts)
    if whole.dtype.kind == "f" and any(part.dtype.kind in "iu" for part in parts):
        for number in (n for part in parts for n in np.unique(part[is_huge(part)]).tolist()):
            if not is_a_float(number):
                raise DataError(f"{of}: {number} {TOO_LARGE}")
    return whole


def labels(rows: FileRows, name: str) -> Array:
    """The cells of a column as numbers or truth values where all of them are, or else as text."""
    found = names_of_labels(rows, name)
    if not found.column.is_text:
        return found.to_numpy()
    texts = decimal_points(found.values) if rows.decimal_comma else found.values
    numbers = parse_numbers(texts)
    are_none = np.isnan(numbers)
    if not are_none.all():
        column = _single(rows, name)
        _refuse(rows, name, column, are_none[found.codes], "is not a number")
        _see_marks(rows, name, column.as_written())
        return numbers[found.codes]
    words = [text.lower() for text in found.values]
    for pair in WORDS:
        if set(words) <= {*pair}:
            return np.array([word == pair[1] for word in words])[found.codes]
    return found.to_numpy()


def _see_marks(rows: FileRows, name: str, numbers: Column) -> None:
    if rows.marks is not None:
        rows.marks.see(rows, name, numbers.as_text())
