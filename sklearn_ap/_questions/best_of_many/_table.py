"""Models by their scores as a table."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.text import (
    Row,
    Table,
    limits_column,
    number_as_text,
    short_names,
    table_of_rows,
)
from sklearn_ap._questions.long_lists import LongList


def best_table(rows: list[Row], confidence_level: float, optimism: float) -> Table:
    """Make a table with a line for each model, the best first."""
    short = short_names(row["name"] for row in rows)
    columns = [
        ("", lambda row: short[row["name"]]),
        ("estimate", lambda row: number_as_text(row["estimate"])),
        limits_column(confidence_level),
        ("may be best", lambda row: "yes" if row["may_be_best"] else ""),
    ]
    level = f"{100 * confidence_level:.4g}%"
    order = range(len(rows))
    candidates = {rank for rank in order if rows[rank]["may_be_best"]}
    chosen = LongList(order, "the best {}", "models", candidates, "that may be best").choose()
    remarks = chosen.remarks
    remarks.append(f"{level} confidence set of the best model: those marked yes")
    if not np.isnan(optimism):
        corrected = number_as_text(rows[0]["estimate"] - optimism)
        excess = f"the estimate of the winner by about {number_as_text(optimism)}"
        remarks.append(f"selection inflates {excess}: {corrected} after correction")
    return table_of_rows([rows[place] for place in chosen.places], columns, remarks)
