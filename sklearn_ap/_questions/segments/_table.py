"""Scores of segments and their differences as a table."""

from __future__ import annotations

from functools import partial

import numpy as np

from sklearn_ap._base.text import (
    Row,
    Table,
    TableColumn,
    difference_cells,
    difference_heads,
    first_and_more,
    limits_column,
    number_as_text,
    short_names,
    table_of_rows,
    weight_as_text,
)
from sklearn_ap._counts.averages import FEW_POSITIVES
from sklearn_ap._extras import printable
from sklearn_ap._questions.long_lists import ChosenLines, LongList, decided_places
from sklearn_ap._questions.segments._picture import counted_units
from sklearn_ap._questions.verdicts import REFERENCE
from sklearn_ap._types import AnyResult


def segment_table(result: AnyResult) -> Table:
    """Make a table with a line for each segment, and remarks on all of them."""
    rows = result._rows()
    reference = str(result.reference)
    alternative = result.alternative
    short = short_names([reference, *(str(row["segment"]) for row in rows)])
    heads = difference_heads(short[reference], result.confidence_level, alternative)
    counts: list[TableColumn] = [
        ("positives", lambda row: weight_as_text(row["n_positives"])),
        ("prevalence", lambda row: number_as_text(row["share"])),
    ]
    if result.n_queries is not None:
        counts = [("queries", lambda row: f"{row['n_queries']:,.0f}"), counts[0]]
    columns: list[TableColumn] = [
        ("", lambda row: short[str(row["segment"])]),
        ("estimate", lambda row: number_as_text(row["estimate"])),
        limits_column(result.confidence_level),
        *counts,
        *(
            (head, partial(_difference_cell, column, reference, alternative))
            for column, head in enumerate(heads)
        ),
    ]
    if not any(row["pvalue"] < row["adjusted_pvalue"] for row in rows):
        columns.pop()
    chosen = _choose_segments(result, rows)
    remarks = chosen.remarks + _remarks(result, rows)
    table = table_of_rows([rows[place] for place in chosen.places], columns, remarks)
    return table._replace(reference=reference)


def _choose_segments(result: AnyResult, rows: list[Row]) -> ChosenLines:
    """Choose the last of segments in an order, otherwise the most unlike, and all that differ."""
    if result.are_ordered:
        order = [*reversed(range(len(rows)))]
        words = "the last {}"
    else:
        order = np.argsort(result.pvalues, kind="stable").tolist()
        words = "the {} with the smallest p-values"
    references: set[int] = set()
    if result.reference != "previous":  # otherwise it is only the first segment
        references = {place for place, row in enumerate(rows) if row["verdict"] == REFERENCE}
    return LongList(order, words, "segments", decided_places(rows)).choose(references)


def _remarks(result: AnyResult, rows: list[Row]) -> list[str]:
    """Write the remarks on all segments, and on those without a difference or a score."""
    remarks = []
    if result.prevalence is None:
        of = "" if result.n_queries is None else " query"
        remarks.append(f"each{of} at its own prevalence, on which scores depend")
    remarks += _mean_in_words(result)
    reference = str(result.reference)
    uncompared = [printable(str(row["segment"])) for row in rows if np.isnan(row["difference"])]
    if reference == "others" and uncompared:
        remarks.append(_uncompared_in_words(result, uncompared))
    left_out = [printable(str(name)) for name in result.left_out]
    if left_out:
        remark = f"left out, as they lack positives or negatives: {first_and_more(left_out)}"
        if reference == "previous":
            remark += "; previous is the last segment before that has a score"
        remarks.append(remark)
    return remarks


def _uncompared_in_words(result: AnyResult, names: list[str]) -> str:
    """Explain why segments have no difference: all of them, or the only one with a weight."""
    units = "effective positives" if result.n_queries is None else "queries with positives"
    if len(names) == len(result.rankings):
        return f"no differences, as no segment has {FEW_POSITIVES} {units}"
    name = first_and_more(names)
    why = f"only {name} has {FEW_POSITIVES} {units}"
    return f"minus others is minus {name} here, as {why}; so {name} has no difference"


def _mean_in_words(result: AnyResult) -> list[str]:
    """Write the mean of all segments; nothing if there is none."""
    if np.isnan(result.overall):
        return []
    units = counted_units(result)
    return [f"mean of the scores, weighted by {units}: {number_as_text(result.overall)}"]


def _difference_cell(column: int, reference: str, alternative: str, row: Row) -> str:
    is_reference = reference != "others" and np.isnan(row["difference"])
    return difference_cells(row, is_reference, alternative)[column]
