"""The report of files: its page, and their names."""

import os
import shlex
from argparse import Namespace

from sklearn_ap import Report
from sklearn_ap._cli._predictions import Predictions, goal_of
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import name_of
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
    files = names_as_text([name_of(os.path.basename(path) or path) for path in args.file])
    source = f"{files}, positive label {predictions.positive!r}"
    return make_report(data, f"{command}\n{COLUMNS_OF_CALLS}", source)
