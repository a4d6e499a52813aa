"""A score and those of random orders as a table."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.text import Row, Table, number_as_text, pvalue_as_text, table_of_rows
from sklearn_ap._questions.long_lists import LongList, decided_places


def chance_table(rows: list[Row], n_permutations: int) -> Table:
    """Make a table with a line for each ranking, or a single line."""
    columns = [
        ("score", lambda row: number_as_text(row["score"])),
        ("random order", lambda row: number_as_text(row["chance"])),
        ("corrected for chance", lambda row: number_as_text(row["corrected"])),
        ("p-value", lambda row: pvalue_as_text(row["pvalue"])),
    ]
    if "ranking" in rows[0]:
        head = "p (Benjamini-Hochberg)"
        columns.append((head, lambda row: pvalue_as_text(row["adjusted_pvalue"])))
    # Many p-values may be the smallest one, so the highest scores among these come first.
    keys = [-row["corrected"] for row in rows], [row["pvalue"] for row in rows]
    order = np.lexsort(keys).tolist()
    words = "the {} with the smallest p-values"
    chosen = LongList(order, words, "rankings", decided_places(rows), "above chance").choose()
    remarks = [*chosen.remarks, f"{n_permutations:,} random orders"]
    return table_of_rows([rows[place] for place in chosen.places], columns, remarks)
