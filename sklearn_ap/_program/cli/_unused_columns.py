"""The columns of a file that a command did not use, and what they look like."""

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from sklearn_ap._files.formats import FORMATS
from sklearn_ap._files.sources import DataError, find_files
from sklearn_ap._files.tables import Rows, read_files, texts
from sklearn_ap._inputs.times import parse_dates
from sklearn_ap._program.cli._file_predictions import numbers_of, stem_and_unit
from sklearn_ap._report.data import UnusedColumn

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
        rows = next(read_files(find_files(args.file[0], FORMATS)[:1], _single_names))
    except DataError:  # such as of a column that is not needed
        return ()
    names = (name for name in rows.columns if name not in used)
    found = [each for name in names for each in _look(rows, name, args.label)]
    clusters = [each for each in found if each.looks == "identifiers"]
    return tuple(each for each in found if each not in clusters[1:])  # rows have one cluster


def _single_names(header: Sequence[str]) -> list[str]:
    """List the columns whose names stand once."""
    return [name for name, n in Counter(header).items() if n == 1]


def _look(rows: Rows, name: str, label: str) -> Iterator[UnusedColumn]:
    """Yield what a column looks like: dates, a few names, or identifiers that repeat."""
    try:
        cells = texts([rows], name, may_be_missing=True)
        labels = texts([rows], label, may_be_missing=True)
    except DataError:  # lists, or other values that are no names
        return
    counts = [each["counts"] for each in cells.drop_null().value_counts().to_pylist()]
    found = cells.drop_null().unique().to_pylist()
    n, n_rows = len(found), sum(counts)
    is_label = n == 2 == len({*zip(cells.to_pylist(), labels.to_pylist(), strict=True)})
    are_other_dates = all(map(OTHER_DATES.fullmatch, found))
    if n < 2 or are_other_dates or is_label:
        return
    if parse_dates(found) is not None:
        looks = {7: "months", 10: "days"}.get(max(map(len, found)), "times")
        yield UnusedColumn(name, looks)
        return
    numbers = numbers_of(found)
    if numbers is not None and not np.equal(numbers, np.floor(numbers)).all():
        return  # which is a measurement
    if n <= MOST_NAMES:
        looks = "names" if n_rows >= FEWEST_ROWS * n else ""
    else:
        repeats = n < n_rows and max(counts) <= max(2, LARGEST_SHARE * n_rows)
        may_be_names = numbers is None or n_rows <= 2 * FEWEST_ROWS * n
        looks = "identifiers" if repeats and may_be_names else ""
    if looks:
        yield UnusedColumn(name, looks, n)
