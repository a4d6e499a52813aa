"""The report of files: its page, their names and their day."""

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime

from sklearn_ap import Report
from sklearn_ap._cli._predictions import Predictions, goal_of
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import STANDARD_INPUT
from sklearn_ap._report.data import make_data
from sklearn_ap._report.report import make_report
from sklearn_ap._results.text import names_as_text

COLUMNS_OF_CALLS = (
    "# y_true says which rows are positive; y_scores and segments are columns by name"
)


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
    return make_report(data, f"{command}\n{COLUMNS_OF_CALLS}", source)


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    names = names_as_text([os.path.basename(file) or file for file in files])
    return "standard input" if [*files] == [STANDARD_INPUT] else f"{names}{day}"
