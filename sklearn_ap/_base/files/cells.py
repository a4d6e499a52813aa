"""Cells of files as labels, numbers and names, with errors that name file, row and column."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from sklearn_ap._base.files.columns import Column, TextColumn, Texts
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.numbers import (
    TOO_LARGE,
    are_too_large,
    decimal_points,
    is_exact_float,
    is_huge,
    parse_numbers,
)
from sklearn_ap._results.text import names_as_text
from sklearn_ap._types import Array, Bool, Codes, Index, Name

# Pairs of labels in words, the positive one second.
WORDS = (("false", "true"), ("no", "yes"))
NA = ("NA",)  # R's mark of missing values
MISSING = *NA, "nan", "NaN"  # and the marks of NumPy and pandas
Problems = dict[str, Callable[[Array], Bool]]  # the text of an error, and a flag of wrong numbers
NOT_FINITE: Problems = {"is not finite": np.isinf}


@dataclass(slots=True, eq=False)
class DecimalMarks:
    """The first number of a file with a comma and the first one with a point, with their cells.

    If there are both, one of the marks separates thousands, and nobody knows which: 1.000 may be 1
    or 1000 beside 0,9.
    """

    comma: str = ""
    point: str = ""

    def check_marks(self, rows: "FileRows", name: str, numbers: Texts) -> None:
        """Check the numbers of more rows, and refuse both marks in one file."""
        self.comma = self.comma or _first_with(",", rows, name, numbers)
        self.point = self.point or _first_with(".", rows, name, numbers)
        if self.comma and self.point:
            raise DataError(
                f"{self.point} has a point, but {self.comma} a comma: write all numbers of a file "
                f"with one decimal mark, and none between thousands"
            )


def _first_with(letter: str, rows: "FileRows", name: str, texts: Texts) -> str:
    """Show the first text that contains a letter, with its cell; empty if there is none."""
    contains = texts.contains(letter)
    if not contains.any():
        return ""
    row = int(contains.argmax())
    return f"{rows.cell(row, name)}: {shown(texts.text_of(row))}"


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: their numbers as a user counts them, and their cells by column.

    ``is_kept`` flags the rows, from the first one on, if others were left out. ``is_text`` is true
    for formats that write numbers as text.
    """

    place: str  # the beginning of errors: the file, or nothing if only one was passed
    first_row: int
    columns: dict[str, Column]
    n_bytes: int = 0
    is_kept: Bool | None = None
    is_text: bool = False
    marks: DecimalMarks | None = None  # only for files that may have decimal commas

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    @property
    def n_left_out(self) -> int:
        """The number of rows that were left out."""
        return 0 if self.is_kept is None else self.is_kept.size - self.size

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers may have a decimal comma."""
        return self.marks is not None

    @property
    def numbers(self) -> Index:
        """The numbers of the rows; they take time to make."""
        rows = np.arange(self.size) if self.is_kept is None else self.is_kept.nonzero()[0]
        return self.first_row + rows

    def cell(self, row: int, name: str) -> str:
        """Name a cell in an error."""
        return f"{self.place}row {self.numbers[row]}, column {name!r}"

    def amount(self, unit: str) -> int:
        """Return the progress in this unit: bytes, or rows."""
        return self.n_bytes if unit == "B" else self.size


@dataclass(frozen=True, slots=True, eq=False)
class CodedNames:
    """The names of rows, as codes of the distinct names, or -1 for a missing name."""

    codes: Codes
    values: list[Name]  # the distinct names, as objects of Python
    distinct: Column  # the distinct names, as they were read

    @property
    def present(self) -> list[Name]:
        """The names that any row has."""
        # Codes from -1 on become indices from 0 on.
        counts = np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:]
        return [self.values[i] for i in counts.nonzero()[0].tolist()]

    def to_numpy(self) -> Array:
        """Return the name of each row."""
        return self.distinct.to_numpy()[self.codes]

    def as_text(self) -> "CodedNames":
        """Return the names as texts."""
        texts = self.distinct.as_text()
        return replace(self, values=texts.to_list(), distinct=texts)


def check_columns(
    wanted: Iterable[str],
    header: Iterable[str],
    names_with_units: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Refuse a header that lacks a wanted column, or has it twice.

    ``names_with_units`` tells for which name, such as "ts:day", a column "ts" is wanted.
    """
    header = list(header)
    for name in wanted:
        count = header.count(name)
        if count > 1:
            raise DataError(f"There are {count} columns {name!r}: rename them.")
        if not count:
            listed = names_as_text([*map(repr, header)]) or "none"
            remedy = _unit_hint(name, names_with_units.get(name, name), header)
            raise DataError(f"There is no column {name!r}; there are {listed}.{remedy}")


def _unit_hint(column: str, name: str, header: Sequence[str]) -> str:
    """Explain a name with a unit of time, whose column is not there."""
    if name == column:
        return ""
    unit = name.removeprefix(f"{column}:")
    hint = f" {name} means the {unit} of the dates in column {column!r}"
    return f"{hint}; for the column {unit!r}, write {unit} alone." if unit in header else f"{hint}."


def read_names(
    rows: FileRows, column_name: str, empty_hint: str = "", *, allow_missing: bool = False
) -> CodedNames:
    """Read the names in a column. Missing or empty ones are refused, unless they are allowed."""
    codes, distinct = _single(rows, column_name).encode()
    coded = CodedNames(codes, as_python(column_name, distinct), distinct)
    return _check_missing(rows, column_name, coded, empty_hint, allow_missing)


def _check_missing(
    rows: FileRows, column_name: str, coded: CodedNames, empty_hint: str, allow_missing: bool
) -> CodedNames:
    """Refuse missing names, or mark them by the code -1 if they are allowed."""
    empty = ("", *NA) if allow_missing else ("",)
    are_missing = [value is None or value != value or value in empty for value in coded.values]
    missing = np.array([*are_missing, True])[coded.codes]  # the code -1 takes the last
    if allow_missing:
        return replace(coded, codes=np.where(missing, -1, coded.codes))
    _refuse_missing(rows, column_name, missing, empty_hint)
    return coded


def names_of_labels(
    rows: FileRows, column_name: str, empty_hint: str = "", *, allow_missing: bool = False
) -> CodedNames:
    """Read the labels in a column, without spaces around numbers; spaces around names stay."""
    codes, distinct = _single(rows, column_name).encode()
    values = as_python(column_name, distinct)
    if distinct.is_text:
        trimmed = [value.strip() for value in values]
        is_number = ~np.isnan(parse_numbers(trimmed))
        for i, text in enumerate(trimmed):
            if is_number[i] or not text:
                values[i] = text
        distinct = TextColumn(values)
    coded = CodedNames(codes, values, distinct)
    return _check_missing(rows, column_name, coded, empty_hint, allow_missing)


def texts(rows: FileRows, name: str) -> Texts:
    """Read the cells of a column as texts, none of them missing or empty."""
    column = _single(rows, name)
    _refuse_missing(rows, name, column.are_missing(or_nan=True), "")
    return column.as_text()


def _single(rows: FileRows, name: str) -> Column:
    return rows.columns[name].check_single(f"{rows.place}column {name!r}")


def _refuse_missing(rows: FileRows, name: str, missing: Bool, empty_hint: str) -> None:
    if missing.any():
        raise DataError(f"{rows.cell(int(missing.argmax()), name)} is empty{empty_hint}")


def as_python(name: str, column: Column) -> list[Name]:
    """Read cells as objects of Python; refuse others, such as dates before year 1."""
    try:
        return column.to_list()
    except (OverflowError, ValueError) as error:
        problem = f"holds {column.kind} that Python cannot read: write it as text"
        raise DataError(f"column {name!r} {problem}") from error


def scores(rows: FileRows, name: str) -> Array:
    """Read the cells of a column as numbers, or minus infinity for rows not retrieved."""
    hint = "; write -inf for what was not retrieved, or leave the row out"
    return _numbers(rows, name, {"is not finite": lambda numbers: numbers == np.inf}, hint)


def weights(rows: FileRows, name: str) -> Array:
    """Read the cells of a column as finite numbers that are not negative."""
    return _numbers(rows, name, NOT_FINITE | {"is negative": lambda numbers: numbers < 0})


def finite_numbers(rows: FileRows, name: str) -> Array:
    """Read the cells of a column as finite numbers."""
    return _numbers(rows, name, NOT_FINITE)


def numbers_or_nan(rows: FileRows, name: str) -> Array:
    """Read the cells of a column as finite numbers, nan where they are missing or empty."""
    return _numbers(rows, name, NOT_FINITE, allow_missing=True)


def _numbers(
    rows: FileRows,
    name: str,
    problems: Problems,
    empty_hint: str = "",
    *,
    allow_missing: bool = False,
) -> Array:
    """Read the cells of a column as numbers, and refuse those that have a problem."""
    column = _single(rows, name).as_written()
    missing = column.are_missing(or_nan=allow_missing, words=NA if allow_missing else ())
    if not allow_missing:
        _refuse_missing(rows, name, missing, empty_hint)
    numbers = column.numbers(missing, decimal_comma=rows.decimal_comma)
    if numbers.dtype.kind not in "biuf":
        raise DataError(f"{rows.place}column {name!r} holds {column.kind}, not numbers")
    if column.is_text:
        is_wrong = are_too_large(numbers, lambda row: _decimal_point(rows, column.text_of(row)))
        _refuse(rows, name, column, is_wrong, TOO_LARGE)
    _refuse(rows, name, column, np.isnan(numbers) & ~missing, "is not a number", empty_hint)
    for problem, find in problems.items():
        _refuse(rows, name, column, find(numbers) & ~missing, problem)
    _check_marks(rows, name, column)
    return numbers


def _decimal_point(rows: FileRows, text: str) -> str:
    return text.replace(",", ".") if rows.decimal_comma else text


def _refuse(
    rows: FileRows,
    name: str,
    column: Column,
    is_wrong: Bool,
    problem: str,
    missing_hint: str = "",
) -> None:
    """Raise an error of the first wrong cell; ``missing_hint`` is added for NA and nan."""
    if is_wrong.any():
        row = int(is_wrong.argmax())
        text = column.text_of(row)
        hint = missing_hint if text.strip() in MISSING else ""
        raise DataError(f"{rows.cell(row, name)}: {shown(text)} {problem}{hint}")


def join_numbers(parts: Sequence[Array], subject: str) -> Array:
    """Join numbers of several parts in one array; refuse whole numbers that would not be exact."""
    numbers = np.concatenate(parts)
    if numbers.dtype.kind == "f" and any(part.dtype.kind in "iu" for part in parts):
        for number in (n for part in parts for n in np.unique(part[is_huge(part)]).tolist()):
            if not is_exact_float(number):
                raise DataError(f"{subject}: {number} {TOO_LARGE}")
    return numbers


def labels(rows: FileRows, name: str) -> Array:
    """Read the cells of a column as numbers or truth values if all of them are, or else as text."""
    coded = names_of_labels(rows, name)
    if not coded.distinct.is_text:
        return coded.to_numpy()
    texts = decimal_points(coded.values) if rows.decimal_comma else coded.values
    numbers = parse_numbers(texts)
    is_no_number = np.isnan(numbers)
    if not is_no_number.all():
        column = _single(rows, name)
        _refuse(rows, name, column, is_no_number[coded.codes], "is not a number")
        _check_marks(rows, name, column.as_written())
        return numbers[coded.codes]
    words = [text.lower() for text in coded.values]
    for negative, positive in WORDS:
        if set(words) <= {negative, positive}:
            return np.array([word == positive for word in words])[coded.codes]
    return coded.to_numpy()


def _check_marks(rows: FileRows, name: str, numbers: Column) -> None:
    if rows.marks is not None:
        rows.marks.check_marks(rows, name, numbers.as_text())
