"""The columns of a file that a command did not use, and what they look like."""

import re
from argparse import Namespace
from collections.abc import Iterator

import numpy as np

from sklearn_ap._base.files import cells
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.errors import DataError
from sklearn_ap._base.files.numbers import parse_numbers
from sklearn_ap._base.files.reader import FileReader, find_files
from sklearn_ap._inputs.times import parse_dates
from sklearn_ap._program.cli._file_predictions import stem_and_unit
from sklearn_ap._report.data import UnusedColumn
from sklearn_ap._types import Array

OTHER_DATES = re.compile(r"\d{1,4}[./]\d{1,2}[./]\d{1,4}.*")  # which are not read
ROLES = "label", "weight", "query", "cluster", "inclusion_probability"
MOST_NAMES = 50  # of a column of segments
FEWEST_ROWS = 10  # of a segment, on average; and of an identifier, at most twice as many
LARGEST_SHARE = 0.05  # of the rows that one identifier has


def find_unused_columns(args: Namespace) -> tuple[UnusedColumn, ...]:
    """Look at the first rows of columns that no argument names; of a pipe, none are left."""
    if "-" in args.file:
        return ()
    used = {name for role in ROLES if (name := getattr(args, role, None))}
    segments = getattr(args, "segment", None) or []
    used |= {*args.score, *([segments] if isinstance(segments, str) else segments)}
    used |= {stem_and_unit(name)[0] for name in used}
    try:
        rows = next(iter(FileReader(find_files(args.file[0])[:1], None, brief=True)))
    except DataError:  # such as of a column that is not needed
        return ()
    names = (name for name in rows.columns if name not in used)
    found = [each for name in names for each in _look(rows, name, args.label)]
    clusters = [each for each in found if each.looks == "identifiers"]
    return tuple(each for each in found if each not in clusters[1:])  # rows have one cluster


def _look(rows: FileRows, name: str, label: str) -> Iterator[UnusedColumn]:
    """Yield what a column looks like: dates, a few names, or identifiers that repeat."""
    try:
        names = cells.read_names(rows, name, allow_missing=True)
        labels = cells.read_names(rows, label, allow_missing=True).codes
    except DataError:  # lists, or other values that are no names
        return
    counts = np.bincount(names.codes[names.codes >= 0])
    texts = [str(value) for value in names.present]
    n, n_rows = len(texts), int(counts.sum())
    is_label = n == 2 == np.unique(names.codes + 1j * labels).size
    are_other_dates = all(map(OTHER_DATES.fullmatch, texts))
    if n < 2 or are_other_dates or is_label:
        return
    if parse_dates(texts) is not None:
        looks = {7: "months", 10: "days"}.get(max(map(len, texts)), "times")
        yield UnusedColumn(name, looks)
        return
    numbers = _numbers(texts)
    if numbers is not None and not (numbers == np.floor(numbers)).all():
        return  # which is a measurement
    if n <= MOST_NAMES:
        looks = "names" if n_rows >= FEWEST_ROWS * n else ""
    else:
        repeats = n < n_rows and counts.max() <= max(2, LARGEST_SHARE * n_rows)
        may_be_names = numbers is None or n_rows <= 2 * FEWEST_ROWS * n
        looks = "identifiers" if repeats and may_be_names else ""
    if looks:
        yield UnusedColumn(name, looks, n)


def _numbers(texts: list[str]) -> Array | None:
    """Return the values as numbers, if all are."""
    numbers = parse_numbers(texts)
    return None if np.isnan(numbers).any() else numbers
