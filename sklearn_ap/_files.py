"""Reading predictions from CSV and TSV files, with errors that name the row."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["FileError", "Table", "read"]

NEGATIVE_AND_POSITIVE = ({"0", "1"}, {"-1", "1"}, {"0.0", "1.0"}, {"false", "true"}, {"no", "yes"})


class FileError(Exception):
    """What is wrong with a file, in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Predictions from a file."""

    y_true: NDArray[np.bool_]
    y_score: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    groups: list[str] | None


def read(
    path: str,
    *,
    label: str,
    score: str,
    weight: str | None,
    group: str | None,
    positive: str | None,
) -> Table:
    """Read the columns of these names; a path of "-" is standard input."""
    wanted = [name for name in (label, score, weight, group) if name is not None]
    with _opened(path) as file:
        columns, places = _columns(file, wanted)
    return Table(
        y_true=_labels(label, _filled(label, columns[label], places), positive),
        y_score=_numbers(score, columns[score], places),
        weight=None if weight is None else _numbers(weight, columns[weight], places),
        groups=None if group is None else _filled(group, columns[group], places),
    )


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    try:
        if path == "-" and sys.stdin is None:
            raise FileError("there is no standard input")
        source: str | int = sys.stdin.fileno() if path == "-" else path
        with open(source, newline="", encoding="utf-8-sig", closefd=path != "-") as file:
            yield file
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path}: {error}") from error


def _columns(file: Iterable[str], wanted: list[str]) -> tuple[dict[str, list[str]], list[int]]:
    """The cells of each wanted column, and each row's number in the file; the header is row 1."""
    lines = iter(file)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first, wanted))
    header = next(reader, [])
    for name in wanted:
        if header.count(name) != 1:
            problem = "several columns" if name in header else "no column"
            columns = ", ".join(map(repr, header)) or "none"
            raise FileError(f"{problem} {name!r}; there are {columns}")
    places = {name: header.index(name) for name in wanted}
    rows = [(number, row) for number, row in enumerate(reader, start=2) if row]
    if not rows:
        raise FileError("no rows below the header")
    for number, row in rows:
        if len(row) <= max(places.values()):
            raise FileError(f"row {number} has only {len(row)} columns")
    cells = {name: [row[place] for _, row in rows] for name, place in places.items()}
    return cells, [number for number, _ in rows]


def _delimiter(header: str, wanted: list[str]) -> str:
    """The one that splits the header into the wanted names, or else a comma."""
    for delimiter in ",\t;":
        if set(wanted) <= set(next(csv.reader([header], delimiter=delimiter), [])):
            return delimiter
    return ","


def _filled(name: str, cells: list[str], places: list[int]) -> list[str]:
    """The cells, none of them empty."""
    if "" in cells:
        raise FileError(f"row {places[cells.index('')]}, column {name!r} is empty")
    return cells


def _numbers(name: str, cells: list[str], places: list[int]) -> NDArray[np.float64]:
    try:
        numbers = np.array(cells, dtype=np.float64)
        if np.isfinite(numbers).all() and "_" not in "".join(cells):
            return numbers
    except ValueError:
        pass
    pairs = zip(places, cells, strict=True)
    row, cell = next((row, cell) for row, cell in pairs if not _is_number(cell))
    raise FileError(f"row {row}, column {name!r}: {cell!r} is not a number")


def _is_number(cell: str) -> bool:
    try:
        return "_" not in cell and bool(np.isfinite(float(cell)))  # Python reads 1_0 as 10
    except ValueError:
        return False


def _labels(name: str, cells: list[str], positive: str | None) -> NDArray[np.bool_]:
    found = set(cells)
    if len(found) > 2:
        some = ", ".join(map(repr, sorted(found)[:4])) + (", ..." if len(found) > 4 else "")
        raise FileError(f"column {name!r} holds {len(found)} labels, not two: {some}")
    if positive is None:
        plain = {cell.lower() for cell in found}
        if not any(plain <= pair for pair in NEGATIVE_AND_POSITIVE):
            text = " and ".join(map(repr, sorted(found)))
            raise FileError(f"column {name!r} holds {text}: say which with --positive")
        return np.array([cell.lower() in ("1", "1.0", "true", "yes") for cell in cells])
    if len(found) == 2 and positive not in found:
        text = " and ".join(map(repr, sorted(found)))
        raise FileError(f"column {name!r} holds {text}, not {positive!r}")
    return np.array([cell == positive for cell in cells])
