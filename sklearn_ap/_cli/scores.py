"""The score of predictions under every definition."""

from __future__ import annotations

from collections import defaultdict
from inspect import isabstract
from typing import Any

import numpy as np

from sklearn_ap import definitions
from sklearn_ap._cli.files import Table
from sklearn_ap._cli.formats import progress
from sklearn_ap._scoring import score
from sklearn_ap._validation import Request
from sklearn_ap.counts import threshold_counts
from sklearn_ap.definitions import Definition, Step

__all__ = ["conventions", "line", "scores"]

Row = dict[str, Any]


def conventions(k: int) -> list[Definition]:
    """Every definition with options that are conventions, scikit-learn's first.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    found = []
    for name in definitions.__all__:
        kind = getattr(definitions, name)
        for options in () if isabstract(kind) else kind.trials.good:
            if not any(isinstance(value, float | tuple) for value in options.values()):
                found.append(kind(**options | ({"k": k} if "k" in options else {})))
    return sorted(found, key=lambda definition: definition != Step())


def scores(table: Table, k: int) -> tuple[list[Row], str]:
    """Give a row for each definition, and the same as text."""
    threshold_counts(table.y_true, table.y_score, pos_label=True, sample_weight=table.weight)
    asked = conventions(k)
    rows, left_out = [], defaultdict(list)
    with progress(len(asked), " definitions", "scoring") as bar:
        for definition in asked:
            try:
                rows.append(_row(definition, table))
            except ValueError as error:  # the data are good, so it takes none of this kind
                left_out[str(error)].append(definition.title)
            bar.update()
    remarks = [f"\nLeft out: {', '.join(titles)}. {why}" for why, titles in left_out.items()]
    return rows, "\n".join([line(row) for row in rows] + remarks)


def line(row: Row) -> str:
    """A value and its title."""
    value = "undefined" if np.isnan(row["value"]) else f"{row['value']:.3f}"
    return f"{value}  {row['title']}"


def _row(definition: Definition, table: Table) -> Row:
    request = Request(
        table.y_true,
        table.y_score,
        sample_weight=table.weight,
        groups=table.groups,
        zero_division=np.nan,
    )
    value = score(definition, request)
    return {"title": definition.title, "definition": repr(definition), "value": value}
