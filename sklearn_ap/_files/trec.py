"""Judgements and runs in TREC's formats, which have blanks between columns, and no header."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sklearn_ap._files.formats import text_options, text_problem
from sklearn_ap._files.sources import BLOCK, DataError, name_of, open_file
from sklearn_ap._files.tables import Rows, drop_empty_rows, numbers, texts
from sklearn_ap._types import Array, ArrowTable, Index

# The columns of judgements and of a run. Those that nobody reads have capital letters.
QRELS = ("query", "ITERATION", "document", "grade")
RUN = ("query", "Q0", "document", "RANK", "score", "TAG")
BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")


class TrecRows(NamedTuple):
    """The lines of a file: texts of pyarrow, grades or scores, and the numbers of the lines."""

    path: str
    queries: ArrowTable
    documents: ArrowTable
    values: Array
    rows: Index


def read_qrels(path: str) -> TrecRows:
    """Read judgements: query, iteration, document and grade."""
    return _read(path, QRELS, "grade")


def read_run(path: str) -> TrecRows:
    """Read a run: query, Q0, document, rank, score and tag. Minus infinity may be a score."""
    return _read(path, RUN, "score")


def _read(path: str, columns: tuple[str, ...], value: str) -> TrecRows:
    batches = [*_batches(path, columns)]
    if not any(map(len, batches)):
        raise DataError(f"{name_of(path)}: there are no rows")
    return TrecRows(
        path,
        texts(batches, "query"),
        texts(batches, "document"),
        numbers(batches, value, finite=value == "grade"),
        np.concatenate([rows.numbers for rows in batches]),
    )


def _batches(path: str, columns: tuple[str, ...]) -> Iterator[Rows]:
    """Read lines, some at a time, without empty ones."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    wanted = [name for name in columns if name.islower()]
    options = text_options(columns, wanted, " ", has_quotes=False)
    n_above = 0
    with open_file(path) as file:
        while lines := b"".join(file.readlines(BLOCK // 2)):
            lines = lines if n_above else lines.removeprefix(BOM_UTF8)
            try:
                table = arrow.read_csv(pa.BufferReader(_squeeze_blanks(lines)), **options)
            except pa.ArrowInvalid as error:
                raise DataError(text_problem(str(error), n_above, columns)) from error
            first = n_above + 1
            n_above += table.num_rows
            cells = dict(zip(wanted, table.columns, strict=True))
            yield drop_empty_rows(Rows(path, range(first, n_above + 1), cells))


def _squeeze_blanks(lines: bytes) -> bytes:
    """Leave one blank between columns, and none around lines."""
    lines = lines.translate(BLANKS) + (b"" if lines.endswith(b"\n") else b"\n")
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    return lines.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
