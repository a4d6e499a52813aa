"""A score and those of random orders as a table."""

from __future__ import annotations

from sklearn_ap._base.text import Row, Table, number_as_text, pvalue_as_text, table_of_rows


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
    return table_of_rows(rows, columns, [f"{n_permutations:,} random orders"])
