"""Comparisons as tables."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.text import (
    UNKNOWN,
    Row,
    Table,
    difference_cells,
    difference_heads,
    interval_as_text,
    interval_head,
    number_as_text,
    short_names,
    title_of,
    title_with_prevalence,
    weight_as_text,
)
from sklearn_ap._questions.long_lists import ChosenLines, LongList, decided_places
from sklearn_ap._types import AnyResult, Float


def _choose_rankings(pvalues: Float, rows: list[Row]) -> ChosenLines:
    """Choose the rankings with the smallest p-value of any model, and all in which one differs.

    ``pvalues`` has a row for each model but the reference.
    """
    smallest = np.nan_to_num(pvalues, nan=np.inf).min(axis=0)
    order = np.argsort(smallest, kind="stable").tolist()
    decided = {place % len(order) for place in decided_places(rows)}
    return LongList(order, "the {} with the smallest p-values", "rankings", decided).choose()


def _rows_of_models(rows: list[Row], n_models: int, chosen: ChosenLines) -> list[Row]:
    """Return the rows of the chosen rankings of each model."""
    starts = range(0, len(rows), len(rows) // n_models)
    return [rows[start + place] for start in starts for place in chosen.places]


def independent_table(result: AnyResult) -> Table:
    """Make a line for each of two samples, or for each sample and ranking."""
    rows = result._rows()
    has_rankings = result.estimates.ndim > 1
    chosen = (
        _choose_rankings(np.atleast_2d(result.pvalue), rows)
        if has_rankings
        else ChosenLines([0], [])
    )
    shown_rows = _rows_of_models(rows, len(result.names), chosen)
    shorten = short_names(result.names)
    heads = difference_heads(
        shorten[result.reference], result.confidence_level, result.alternative
    )[: 4 if has_rankings else 3]
    score_level = interval_head(result.confidence_level)
    cells = [["", *["ranking"] * has_rankings, "estimate", score_level, "positives", *heads]]
    for row in shown_rows:
        line = [shorten[row["name"]], *[str(row.get("ranking"))] * has_rankings]
        line += [number_as_text(row["estimate"]), interval_as_text(row["low"], row["high"])]
        n_positives = row["n_positives"]
        line.append(UNKNOWN if np.isnan(n_positives) else weight_as_text(n_positives))
        is_reference = row["name"] == result.reference
        line += difference_cells(row, is_reference, result.alternative)[: len(heads)]
        cells.append(line)
    remarks = chosen.remarks
    remarks += [
        f"{name}: {sample}" for name, sample in zip(result.names, result.samples, strict=True)
    ]
    heading = title_with_prevalence(title_of(result.definition), result.prevalence)
    return Table(cells, remarks, heading, reference=result.reference)
