"""The report of files: its page, their names and day, and code that reads them for its calls."""

import os
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from datetime import datetime

from sklearn_ap import Report
from sklearn_ap._cli._file_columns import NameColumn
from sklearn_ap._cli._predictions import Predictions, files_of, goal_of
from sklearn_ap._extras import printable
from sklearn_ap._files.formats import format_of, read_header
from sklearn_ap._files.sources import STANDARD_INPUT, open_file
from sklearn_ap._files.tables import DELIMITERS
from sklearn_ap._report.calls import UNIT_STARTS
from sklearn_ap._report.data import make_data
from sklearn_ap._report.report import make_report
from sklearn_ap._results.text import names_as_text

FRAME_READERS = {
    "csv": "read_csv({!r}, dtype=str, keep_default_na=False{})",
    "parquet": "read_parquet({!r})",
    "feather": "read_feather({!r})",
    "json": "read_json({!r}, lines=True, dtype=False)",
}


def report_of_files(args: Namespace, predictions: Predictions) -> Report:
    """Make the page of a command. It puts dates into units, as its calls write how."""
    names = [column.name for column in predictions.segments.values()]
    columns = {  # one in two units is named as it was typed
        column.name if names.count(column.name) == 1 else typed: column
        for typed, column in predictions.segments.items()
    }
    data = make_data(
        predictions.y_true,
        predictions.y_scores,
        {name: column.values for name, column in columns.items()} or None,
        {**predictions.options, "prevalence": args.prevalence},
        level=args.confidence_level,
        goal=goal_of(args),
        units={name: each.unit for name, each in columns.items() if each.dates is not None},
    )
    command = printable(f"# {shlex.join(['sklearn-ap', *args.typed])}")
    source = f"{_source(args.file)}, positive label {predictions.positive!r}"
    return make_report(data, f"{command}\n{_frame_code(args, predictions, columns)}", source)


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    names = names_as_text([os.path.basename(file) or file for file in files])
    return "standard input" if [*files] == [STANDARD_INPUT] else f"{names}{day}"


def _frame_code(
    args: Namespace, predictions: Predictions, segments: Mapping[str, NameColumn]
) -> str:
    """Write code that reads a frame, and gives its columns the names that calls have."""
    files = [_reader(file, args) for file in files_of(args)]
    decimal = ".replace(',', '.', regex=True)" if args.decimal == "," else ""
    coded = [f"{name!r}: {_column(column)}" for name, column in segments.items()]
    code = {
        "frame": files[0] if len(files) == 1 else f"pd.concat([{', '.join(files)}])",
        "y_true": f"frame[{args.label!r}].isin({predictions.positive_cells})",
        "y_scores": f"frame[{args.score}]{decimal}.astype(float)",
        "segments": f"{{{', '.join(coded)}}}" if coded else "",
        "sample_weight": args.weight and f"frame[{args.weight!r}]{decimal}.astype(float)",
        **{
            role: UNIT_STARTS.get(column.unit or "", "{}").format(_column(column))
            for role, column in predictions.names.items()
        },
    }
    lines = [f"{name} = {each}" for name, each in code.items() if each]
    return "\n".join(["import pandas as pd", *lines])


def _column(column: NameColumn) -> str:
    """Write a column of names as they are read: numbers if all are whole ones."""
    return f"frame[{column.name!r}].astype({'str' if column.distinct.dtype.kind == 'U' else 'int'})"


def _reader(path: str, args: Namespace) -> str:
    """Write how a file is read; of a pipe, which is empty by now, as a CSV with commas."""
    kind, delimiter = "csv", ","
    if os.path.isfile(path):
        with open_file(path) as file:
            kind = format_of(path, file)
            if kind == "csv":
                marks = args.delimiter or DELIMITERS.replace(args.decimal, "")
                _, delimiter = read_header(file, marks)
    return "pd." + FRAME_READERS[kind].format(
        path, "" if delimiter == "," else f", sep={delimiter!r}"
    )
