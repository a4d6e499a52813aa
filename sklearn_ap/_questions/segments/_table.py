"""Scores of segments and their differences as a table."""

from functools import partial
from typing import Any

import numpy as np

from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.checks import FEW_POSITIVES
from sklearn_ap._base.text import (
    Row,
    Table,
    TableColumn,
    difference_cells,
    difference_heads,
    first_and_more,
    limits_column,
    number_as_text,
    pvalue_as_text,
    short_names,
    table_of_rows,
    weight_as_text,
)
from sklearn_ap._questions.segments._trend import trend_in_words

WAYS = {"two-sided": "unlike", "greater": "better than", "less": "worse than"}
REFERENCES_IN_WORDS = {"others": "the others", "previous": "the one before"}


def segment_table(result: Any) -> Table:
    """A line for each segment, and what all of them have in common."""
    rows, reference, alternative = result.rows(), str(result.reference), result.alternative
    shown = short_names([reference, *(str(row["segment"]) for row in rows)])
    heads = difference_heads(shown[reference], result.confidence_level, alternative)
    columns: list[TableColumn] = [
        ("", lambda row: shown[str(row["segment"])]),
        ("estimate", lambda row: number_as_text(row["estimate"])),
        limits_column(result.confidence_level),
        ("positives", lambda row: weight_as_text(row["n_positives"])),
        ("prevalence", lambda row: number_as_text(row["share"])),
        *(
            (head, partial(_part_of_difference, i, reference, alternative))
            for i, head in enumerate(heads)
        ),
    ]
    if not any(row["pvalue"] < row["adjusted_pvalue"] for row in rows):
        columns.pop()
    at = "each at its own prevalence, on which scores depend"
    remarks = [at] if result.prevalence is None else []
    remarks += [*_all_in_words(result), *trend_in_words(result)]
    alone = [printable(str(row["segment"])) for row in rows if np.isnan(row["difference"])]
    if reference == "others" and alone:
        why = f"no difference, as no other segment has {FEW_POSITIVES} effective positives"
        remarks.append(f"{why}: {first_and_more(alone)}")
    if missing := [printable(str(name)) for name in result.left_out]:
        remarks.append(f"left out, as they lack positives or negatives: {first_and_more(missing)}")
        if reference == "previous":
            remarks[-1] += "; previous is the last segment before that has a score"
    return table_of_rows(rows, columns, remarks)._replace(reference=reference)


def _all_in_words(result: Any) -> list[str]:
    """What is said of all segments together; nothing if none counts among the others."""
    if np.isnan(result.overall):
        return []
    remarks = [
        f"mean of the scores, weighted by positives: {number_as_text(result.overall)}",
        f"p-value of the test that all segments are equal: "
        f"{pvalue_as_text(result.homogeneity_pvalue)}",
    ]
    alpha = 1 - result.confidence_level
    reference = printable(str(result.reference))
    way = f"{WAYS[result.alternative]} {REFERENCES_IN_WORDS.get(reference, reference)}"
    differ, is_named = result.homogeneity_pvalue < alpha, (result.adjusted_pvalues < alpha).any()
    if differ and not is_named:
        remarks.append(f"the segments differ as a whole; no single one can be named that is {way}")
    if is_named and not differ:
        remarks.append(f"single segments are {way}, which the test of all does not find")
    return remarks


def _part_of_difference(place: int, reference: str, alternative: str, row: Row) -> str:
    is_reference = reference != "others" and np.isnan(row["difference"])
    return difference_cells(row, is_reference, alternative)[place]
