"""The report of a file: its calls name the columns, and columns that no flag names are said."""

import os
import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain

from sklearn_ap._cli._predictions import Predictions, column_and_unit, files_of
from sklearn_ap._cli.arguments import ROLES
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import STANDARD_INPUT, DataError
from sklearn_ap._files.tables import FileRows, Wanted, read_files, texts
from sklearn_ap._report.columns import Coded, UnusedColumn
from sklearn_ap._report.data import make_data
from sklearn_ap._report.page import Report
from sklearn_ap._report.report import make_report
from sklearn_ap._report.times import CODES, parse_dates
from sklearn_ap._results.text import names_as_text

OTHER_DATES = re.compile(r"\d{1,4}[./]\d{1,2}[./]\d{1,4}.*")  # which are not read
MOST_NAMES = 50  # of a column of segments
FEWEST_ROWS = 10  # of a segment, on average; and of an identifier, at most twice as many
LARGEST_SHARE = 0.05  # of the rows that one identifier has


def make_page(args: Namespace, predictions: Predictions) -> Report:
    """Make the page, whose calls name the columns of the file."""
    names = [column.name for column in predictions.segments.values()]
    columns, units = {}, {}
    for typed, column in predictions.segments.items():
        name = column.name if names.count(column.name) == 1 else typed
        values = column.values.astype(str)  # as the reading code has them
        columns[name] = Coded(values, f"segments[{column.name!r}]")
        units[name] = column.unit  # into which the page puts dates, as it writes how
    label = _label_of_pandas(predictions.positive)
    options = {**predictions.options, "prevalence": args.prevalence}
    if label != 1:  # which need not be passed
        options["pos_label"] = Coded(True, repr(label))
    data = make_data(
        predictions.y_true,
        predictions.y_scores,
        columns or None,
        options,
        args.confidence_level,
        args.precision,
        units,
    )
    data.source, data.unused = _source(args.file), find_unused_columns(args)
    data.label = printable(label) if isinstance(label, str) else ""
    command = f"# {shlex.join(['sklearn-ap', *args.typed])}"
    return make_report(data, command, _reading_code(args, names))


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    names = names_as_text([os.path.basename(file) or file for file in files])
    return "standard input" if [*files] == [STANDARD_INPUT] else f"{names}{day}"


def _label_of_pandas(label: str) -> str | float | bool:
    """Return the positive label as pandas reads it: as a number or True, or as text."""
    if label.lower() in ("true", "false"):
        return label.lower() == "true"
    with suppress(ValueError):
        number = float(label)
        return int(number) if number.is_integer() else number
    return label


def _reading_code(args: Namespace, segments: Sequence[str]) -> str:
    """Write how the names of calls are made from the files, which pandas reads in many ways."""
    lines = [
        f"# frame: the rows of {', '.join(args.file)}, as a DataFrame of pandas",
        f"y_true, y_scores = frame[{args.label!r}], frame[{args.score!r}]",
    ]
    for name, typed in (("clusters", args.cluster), ("queries", args.query)):
        if typed is not None:
            column, unit = column_and_unit(typed)
            code = f"frame[{column!r}]"
            lines.append(f"{name} = {code if unit is None else CODES[unit].format(code)}")
    if args.weight is not None:
        lines.append(f"sample_weight = frame[{args.weight!r}]")
    if segments:
        lines.append(f"segments = frame[{[*dict.fromkeys(segments)]!r}].astype(str)")
    return "\n".join(lines)


# ---- columns that were not used


def find_unused_columns(args: Namespace) -> tuple[UnusedColumn, ...]:
    """Look at the first rows of columns that no argument names; of a pipe, none are left."""
    file = files_of(args)[0]
    if not os.path.isfile(file):
        return ()
    given = [getattr(args, role, None) or [] for role in ROLES]
    used = {*chain.from_iterable([each] if isinstance(each, str) else each for each in given)}
    used |= {column_and_unit(name)[0] for name in used}
    header: list[str] = []

    def choose(names: Sequence[str]) -> list[str]:
        header[:] = [name for name, n in Counter(names).items() if n == 1 and name not in used]
        return [args.label, *header]

    try:
        found = [*_look_at(args, file, choose)]
    except DataError:  # as one of them holds lists
        found = []
        for name in header if len(header) > 1 else ():
            with suppress(DataError):
                found += _look_at(args, file, [args.label, name])
    clusters = [each for each in found if each.looks == "identifiers"]
    return tuple(each for each in found if each not in clusters[1:])  # rows have one cluster


def _look_at(args: Namespace, file: str, wanted: Wanted) -> Iterator[UnusedColumn]:
    rows = next(read_files(file, wanted, args.delimiter, args.decimal))
    labels = texts([rows], args.label, may_be_missing=True).to_pylist()
    for name in rows.columns:
        if name != args.label:
            with suppress(DataError):  # values that are no names
                yield from _look(rows, name, labels)


def _look(rows: FileRows, name: str, labels: Sequence[str | None]) -> Iterator[UnusedColumn]:
    """Yield what a column looks like: dates, a few names, or identifiers that repeat."""
    cells = texts([rows], name, may_be_missing=True)
    counts = Counter(cells.drop_null().to_pylist())
    found, n, n_rows = [*counts], len(counts), counts.total()
    is_label = n == 2 == len({*zip(cells.to_pylist(), labels, strict=True)})
    if n < 2 or is_label or all(map(OTHER_DATES.fullmatch, found)):
        return
    if parse_dates(found) is not None:
        yield UnusedColumn(name, {7: "months", 10: "days"}.get(max(map(len, found)), "times"))
        return
    are_numbers = False
    with suppress(ValueError):
        are_whole = [float(each.replace(rows.decimal, ".")).is_integer() for each in found]
        if not all(are_whole):
            return  # which is a measurement
        are_numbers = True
    repeats = n < n_rows and max(counts.values()) <= max(2, LARGEST_SHARE * n_rows)
    may_be_names = not are_numbers or n_rows <= 2 * FEWEST_ROWS * n
    if n <= MOST_NAMES and n_rows >= FEWEST_ROWS * n:
        yield UnusedColumn(name, "names", n)
    elif n > MOST_NAMES and repeats and may_be_names:
        yield UnusedColumn(name, "identifiers", n)
