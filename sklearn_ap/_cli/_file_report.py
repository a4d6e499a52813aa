"""The report of a file, whose calls name the columns."""

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime

from sklearn_ap._cli._predictions import Predictions
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import STANDARD_INPUT
from sklearn_ap._report.data import make_data
from sklearn_ap._report.page import Report
from sklearn_ap._report.report import make_report
from sklearn_ap._results.text import names_as_text


def make_page(args: Namespace, predictions: Predictions) -> Report:
    """Make the page of a command. It puts dates into units, as its calls write how."""
    columns = [column.name for column in predictions.segments.values()]
    names = {
        typed: column.name if columns.count(column.name) == 1 else typed
        for typed, column in predictions.segments.items()
    }
    data = make_data(
        predictions.y_true,
        predictions.y_scores,
        {names[typed]: column.values for typed, column in predictions.segments.items()} or None,
        {**predictions.options, "prevalence": args.prevalence},
        args.confidence_level,
        args.precision,
        {names[typed]: column.unit for typed, column in predictions.segments.items()},
    )
    source = f"{_source(args.file)}, positive label {predictions.positive!r}"
    command = printable(f"# {shlex.join(['sklearn-ap', *args.typed])}")
    return make_report(data, command, source)


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    names = names_as_text([os.path.basename(file) or file for file in files])
    return "standard input" if [*files] == [STANDARD_INPUT] else f"{names}{day}"
