"""The report of a file: its calls read the file, and columns that no flag names are said."""

import os
import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from textwrap import fill

import numpy as np

from sklearn_ap._cli._predictions import Predictions, as_numbers, column_and_unit, files_of
from sklearn_ap._files.sources import STANDARD_INPUT, DataError
from sklearn_ap._files.tables import Rows, read_files, texts
from sklearn_ap._inputs.times import CODES, parse_dates
from sklearn_ap._report.data import Coded, UnusedColumn, make_data
from sklearn_ap._report.facts import NotLookedAt
from sklearn_ap._report.report import Report, make_report
from sklearn_ap._report.words import fact_sentence
from sklearn_ap._results.text import TEXT_WIDTH, names_as_text

MOST_LETTERS = 88  # of a line of a page
TEXT_FILES = (".csv", ".tsv", ".txt")
READERS = {
    ".jsonl": "pd.read_json({}, lines=True, dtype=False)",
    ".ndjson": "pd.read_json({}, lines=True, dtype=False)",
    ".parquet": "pd.read_parquet({})",
    ".pq": "pd.read_parquet({})",
    ".feather": "pd.read_feather({})",
    ".arrow": "pd.read_feather({})",
}
OTHER_DATES = re.compile(r"\d{1,4}[./]\d{1,2}[./]\d{1,4}.*")  # which are not read
ROLES = "label", "weight", "query", "cluster", "inclusion_probability"
MOST_NAMES = 50  # of a column of segments
FEWEST_ROWS = 10  # of a segment, on average; and of an identifier, at most twice as many
LARGEST_SHARE = 0.05  # of the rows that one identifier has


def make_page(args: Namespace, predictions: Predictions, words: Sequence[str]) -> Report:
    """Make the page, whose calls name the columns of the file as pandas reads it."""
    names = [column.name for column in predictions.segments.values()]
    columns, units = {}, {}
    for typed, column in predictions.segments.items():
        name = column.name if names.count(column.name) == 1 else typed
        columns[name] = Coded(column.values, f"segments[{column.name!r}]")
        units[name] = column.unit  # into which the page puts dates, as it writes how
    label = _label_code(args, predictions.positive)
    options = {**predictions.options, "prevalence": args.prevalence}
    if label not in ("1", "True"):  # which need not be passed
        options["pos_label"] = Coded(True, label)
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
    return make_report(data, _command(words), _reading_code(args, names))


def _command(words: Sequence[str]) -> str:
    """Write the command as a comment, with a line for each option if it is long."""
    command = shlex.join(["sklearn-ap", *words])
    if len(command) > MOST_LETTERS:
        lines = ("\\\n#     " * word.startswith("-") + shlex.quote(word) for word in words)
        command = " ".join(["sklearn-ap", *lines])
    return f"# {command}"


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    names = names_as_text([os.path.basename(file) or file for file in files])
    return "standard input" if [*files] == [STANDARD_INPUT] else f"{names}{day}"


# ---- code that reads the file


def _label_code(args: Namespace, label: str) -> str:
    """Write the positive label as pandas reads it: of texts, numbers and true are no texts."""
    if not all(file.lower().endswith(TEXT_FILES) for file in args.file):
        is_plain = label in ("True", "False") or label.removeprefix("-").isdecimal()
        return label if is_plain else repr(label)
    if label.lower() in ("true", "false"):
        return label.title()
    try:
        return f"{float(label):g}"
    except ValueError:
        return repr(label)


def _reading_code(args: Namespace, segments: Sequence[str]) -> str:
    """Write how the names of calls are made from the files."""
    columns = [*dict.fromkeys(segments)]
    roles = {"clusters": args.cluster, "queries": args.query}
    named = {name: column_and_unit(column) for name, column in roles.items() if column is not None}
    frames = [
        _frame(args, file, [*columns, *(stem for stem, _ in named.values())]) for file in args.file
    ]
    lines = [f"# frame: the rows of {', '.join(args.file)}, as a DataFrame of pandas"]
    if "" not in frames:
        joined = ", ".join(frames)
        lines = [f"frame = {joined if len(frames) == 1 else f'pd.concat([{joined}])'}"]
    lines.append(f"y_true, y_scores = frame[{args.label!r}], frame[{args.score!r}]")
    for name, (column, unit) in named.items():
        code = f"frame[{column!r}]"
        lines.append(f"{name} = {code if unit is None else CODES[unit].format(code)}")
    if args.weight is not None:
        lines.append(f"sample_weight = frame[{args.weight!r}]")
    if columns:
        lines.append(f"segments = frame[{columns!r}].astype(str)")
    return "\n".join(lines)


def _frame(args: Namespace, file: str, names: Sequence[str]) -> str:
    """Write how pandas reads a file; empty for others, such as a folder or a pipe."""
    if not os.path.isfile(file):
        return ""
    if not file.lower().endswith(TEXT_FILES):
        codes = (code for end, code in READERS.items() if file.lower().endswith(end))
        return next(codes, "").format(repr(file))
    with open(file, encoding="utf-8-sig", newline="") as lines:
        head = next(lines, "")
    marks = args.delimiter or ",;\t|".replace(args.decimal, "")
    options = {
        "sep": max(marks, key=head.count),
        "decimal": args.decimal,
        "dtype": dict.fromkeys(names, "str"),
        "keep_default_na": not names,
    }
    usual = {"sep": ",", "decimal": ".", "dtype": {}, "keep_default_na": True}
    given = [f", {name}={value!r}" for name, value in options.items() if value != usual[name]]
    return f"pd.read_csv({file!r}{''.join(given)})"


# ---- columns that were not used


def unused_columns_as_text(args: Namespace) -> list[str]:
    """Name the columns of the files that a text says nothing of, if there are any."""
    unused = find_unused_columns(args) if args.format == "text" else ()
    fact = NotLookedAt(unused, takes_segments=False)
    return [fill(fact_sentence(fact), TEXT_WIDTH, break_on_hyphens=False)] if unused else []


def find_unused_columns(args: Namespace) -> tuple[UnusedColumn, ...]:
    """Look at the first rows of columns that no argument names; of a pipe, none are left."""
    files = files_of(args)
    if not os.path.isfile(files[0]):
        return ()
    given = [name for role in ROLES if (name := getattr(args, role, None))]
    segments = getattr(args, "segment", None) or []
    given += [*args.score, *([segments] if isinstance(segments, str) else segments)]
    used = {*given, *(column_and_unit(name)[0] for name in given)}
    header: list[str] = []

    def note_header(names: Sequence[str]) -> list[str]:
        header.extend(names)
        return [args.label]

    next(read_files(files[:1], note_header, args.delimiter, args.decimal))
    names = [name for name, n in Counter(header).items() if n == 1 and name not in used]
    found = [*_look_at(args, files[0], names)] if names else []
    clusters = [each for each in found if each.looks == "identifiers"]
    return tuple(each for each in found if each not in clusters[1:])  # rows have one cluster


def _look_at(args: Namespace, file: str, names: Sequence[str]) -> Iterator[UnusedColumn]:
    """Look at columns together, or one by one where one of them holds lists."""
    try:
        rows = next(read_files([file], [args.label, *names], args.delimiter, args.decimal))
    except DataError:
        for name in names if len(names) > 1 else ():
            yield from _look_at(args, file, [name])
        return
    for name in names:
        try:
            yield from _look(rows, name, args.label)
        except DataError:  # other values that are no names
            continue


def _look(rows: Rows, name: str, label: str) -> Iterator[UnusedColumn]:
    """Yield what a column looks like: dates, a few names, or identifiers that repeat."""
    cells = texts([rows], name, may_be_missing=True)
    labels = texts([rows], label, may_be_missing=True)
    counts = [each["counts"] for each in cells.drop_null().value_counts().to_pylist()]
    found = cells.drop_null().unique().to_pylist()
    n, n_rows = len(found), sum(counts)
    is_label = n == 2 == len({*zip(cells.to_pylist(), labels.to_pylist(), strict=True)})
    if n < 2 or is_label or all(map(OTHER_DATES.fullmatch, found)):
        return
    if parse_dates(found) is not None:
        yield UnusedColumn(name, {7: "months", 10: "days"}.get(max(map(len, found)), "times"))
        return
    numbers = as_numbers([name.replace(rows.decimal, ".") for name in found])
    if numbers is not None and not (numbers == np.floor(numbers)).all():
        return  # which is a measurement
    repeats = n < n_rows and max(counts) <= max(2, LARGEST_SHARE * n_rows)
    may_be_names = numbers is None or n_rows <= 2 * FEWEST_ROWS * n
    if n <= MOST_NAMES and n_rows >= FEWEST_ROWS * n:
        yield UnusedColumn(name, "names", n)
    elif n > MOST_NAMES and repeats and may_be_names:
        yield UnusedColumn(name, "identifiers", n)
