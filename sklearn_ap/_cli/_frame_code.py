"""The code that reads the columns of a command with pandas, for the calls of its page."""

import os
from argparse import Namespace
from collections.abc import Mapping

from sklearn_ap._cli._name_columns import NameColumn
from sklearn_ap._cli._predictions import Predictions, files_of
from sklearn_ap._files.formats import format_of, read_header
from sklearn_ap._files.sources import open_file
from sklearn_ap._files.tables import DELIMITERS
from sklearn_ap._report.calls import UNIT_STARTS

FRAME_READERS = {
    "csv": "read_csv({!r}, dtype=str, keep_default_na=False{})",
    "parquet": "read_parquet({!r})",
    "feather": "read_feather({!r})",
    "json": "read_json({!r}, lines=True, dtype=False)",
}


def frame_code(
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
