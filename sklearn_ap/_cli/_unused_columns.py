"""Columns of files that no flag names, although a command could say more with them."""

from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from sklearn_ap._cli._labels_and_names import column_and_unit
from sklearn_ap._files.cells import read_codes
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError, can_be_read_again, find_files
from sklearn_ap._files.tables import FileRows, read_first_rows
from sklearn_ap._inputs.dates import OTHER_DATE, parse_dates
from sklearn_ap._report.not_used import FLAGS, ColumnKind, NotUsed, UnusedColumn

MOST_VALUES = 50  # of a column
# Rows of a segment on average; clusters whose names are numbers have at most twice as many.
FEWEST_OF_VALUE = 10
LARGEST_CLUSTER = 0.05  # of the rows
COMMANDS_OF_FILES = ("score", "threshold", "report")  # which name such columns
COLUMN_FLAGS = (
    "label",
    "score",
    "weight",
    "query",
    "cluster",
    "inclusion_probability",
    "segment",
    "time",
)


def find_unused_columns(args: Namespace, rules: CsvRules, n_rows: int) -> NotUsed | None:
    """Look at the first rows of columns that no flag names. Of a pipe, there are none left."""
    files = [file for path in args.file for file in find_files(path)]
    if args.command not in COMMANDS_OF_FILES or not all(map(can_be_read_again, files)):
        return None
    try:
        rows = read_first_rows(files, rules)
        found = [*_look_at_columns(rows, args, is_whole=len(rows) == n_rows)]
    except DataError:  # of a cell that no flag names
        return None
    clusters = [column for column in found if column.kind is ColumnKind.CLUSTERS]
    others = clusters if args.cluster else clusters[1:]  # rows have one cluster
    columns = tuple(column for column in found if column not in others)
    return NotUsed(columns, None if len(rows) == n_rows else len(rows)) if columns else None


def flags_of(args: Namespace) -> Mapping[ColumnKind, str]:
    """Give the flags of a command that take unused columns; what is required takes times, too."""
    if args.command == "report":
        return FLAGS
    flags = {ColumnKind.CLUSTERS: "--cluster"}
    return {ColumnKind.DATES: "--time", **flags} if args.require and not args.time else flags


def _look_at_columns(rows: FileRows, args: Namespace, *, is_whole: bool) -> Iterator[UnusedColumn]:
    used = _find_used_columns(args)
    labels = _read_texts(rows, args.label)
    for name in rows.columns:
        with suppress(DataError):  # of lists
            if name.strip() and name not in used and (cells := _read_texts(rows, name)):
                kind = _find_kind(cells, labels, rows.decimal, is_whole=is_whole)
                if kind:
                    yield UnusedColumn(name, kind, len({*cells} - {None}))


def _find_used_columns(args: Namespace) -> set[str]:
    """List the columns that flags name."""
    names: list[str] = []
    for flag in COLUMN_FLAGS:
        value = getattr(args, flag) or []
        names += [value] if isinstance(value, str) else value
    return {*names, *(column_and_unit(name)[0] for name in names)}


def _read_texts(rows: FileRows, name: str) -> Sequence[str | None]:
    texts: Sequence[str | None] = read_codes([rows], name, may_be_missing=True).to_pylist()
    return texts


def _find_kind(
    cells: Sequence[str | None],
    labels: Sequence[str | None],
    decimal: str | None,
    *,
    is_whole: bool,
) -> ColumnKind | None:
    """Tell dates, segments or few numbers with rows enough, and clusters, or none of these."""
    counts = Counter(cell for cell in cells if cell is not None)
    n_values, n_rows = len(counts), counts.total()
    is_date = n_values and parse_dates([*counts]) is not None
    if is_date or all(map(OTHER_DATE.fullmatch, counts)):
        return ColumnKind.DATES if n_values > 1 or (n_values and not is_whole) else None
    is_label = n_values == 2 == len({*zip(cells, labels, strict=True)})
    if n_values < 2 or is_label:
        return None
    are_numbers, are_whole = _find_numbers(counts, decimal)
    if are_numbers and not are_whole:
        return None
    if n_values <= MOST_VALUES:
        kind = ColumnKind.NUMBERS if are_numbers else ColumnKind.SEGMENTS
        return kind if n_rows >= FEWEST_OF_VALUE * n_values else None
    is_repeated = n_values < n_rows and max(counts.values()) <= max(2, LARGEST_CLUSTER * n_rows)
    may_be_names = not are_numbers or n_rows <= 2 * FEWEST_OF_VALUE * n_values
    return ColumnKind.CLUSTERS if is_repeated and may_be_names else None


def _find_numbers(texts: Collection[str], decimal: str | None) -> tuple[bool, bool]:
    """Say whether texts are numbers, and whether these are whole."""
    try:
        numbers = [float(text.replace(decimal or ".", ".")) for text in texts]
    except ValueError:
        return False, False
    return True, all(number.is_integer() for number in numbers)
