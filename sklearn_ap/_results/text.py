"""Results as tables, printed or in a notebook."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from sklearn_ap._extras import printable
from sklearn_ap._inputs.checks import FEW

Row = dict[str, Any]
Column = tuple[str, Callable[[Row], str]]  # its head, and its cell in a row

MOST_RANKINGS = 20  # that a table shows
WIDTH = 80  # columns of a terminal
LONGEST_NAME = 18
# With 12 queries, a tenth of differences were 1.25 times as wide as with one weight of the judge
# for both models.
FEW_FOR_A_JUDGE = 20
ROUGH = f"below {FEW_FOR_A_JUDGE} labelled queries, these weights and so the differences are rough"
REFERENCE = "reference"  # in the place of a difference


class Table(NamedTuple):
    """What is printed, or shown in a notebook: cells, the head first, and lines around them."""

    cells: list[list[str]]
    remarks: list[str]
    heading: str = ""
    reference: str = ""  # of a comparison, whose differences may stand in a table of their own


def table_of_rows(rows: list[Row], columns: list[Column], remarks: list[str]) -> Table:
    """The head and the first lines, each with the name of its ranking before it, if it has one."""
    if "ranking" in rows[0]:
        columns = [("ranking", lambda row: str(row["ranking"])), *columns]
    lines = [[cell(row) for _, cell in columns] for row in rows[:MOST_RANKINGS]]
    return Table(
        [[head for head, _ in columns], *lines], rows_left_out(len(rows) - len(lines)) + remarks
    )


def limits_column(confidence_level: float) -> Column:
    return interval_head(confidence_level), lambda row: interval_as_text(row["low"], row["high"])


def _some(names: list[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"


def in_notebook(table: Table) -> str:
    texts = (f"<p>{escape(text)}</p>" if text else "" for text in (table.heading, *table.remarks))
    cells = as_html(table.cells[0], table.cells[1:]) if table.cells else ""
    return "".join([next(texts), cells, *texts])


def as_html(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'


def difference_cells(row: Row, is_reference: bool) -> list[str]:
    if is_reference:
        return [REFERENCE, "", "", ""]
    return [
        number_as_text(row["difference"], "+"),
        interval_as_text(row["difference_low"], row["difference_high"], "+"),
        pvalue_as_text(row["pvalue"]),
        pvalue_as_text(row["adjusted_pvalue"]),
    ]


def interval_head(confidence_level: float) -> str:
    """As "95% interval"."""
    return f"{100 * confidence_level:.4g}% interval"


def number_as_text(value: float, sign: str = "") -> str:
    return "nan" if value != value else f"{value:{sign}.4f}"


def interval_as_text(low: float, high: float, sign: str = "") -> str:
    return f"[{number_as_text(low, sign)}, {number_as_text(high, sign)}]"


def pvalue_as_text(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else number_as_text(value)


def short_name(name: str) -> str:
    """The beginning and the end of a long name, as names of models often differ in the end."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}...{name[-6:]}"


def rows_left_out(n_rows: int) -> list[str]:
    return [f"... and {n_rows} more"] if n_rows else []


def as_text(table: Table) -> str:
    """The table in letters of one width.

    A comparison that is wider than a terminal becomes two tables: scores, then differences.
    """
    lines = _aligned(table.cells)
    if table.reference and len(max(lines, key=len)) > WIDTH:
        head = table.cells[0]
        start, end = head.index("estimate"), head.index(f"minus {short_name(table.reference)}")
        scores = [row[:end] for row in table.cells]
        others = [row[:start] + row[end:] for row in table.cells]
        others = [row for row in others if row[start] != REFERENCE]
        others[0][start] = "difference"
        lines = [*_aligned(scores), "", f"minus {printable(table.reference)}:", *_aligned(others)]
    return "\n".join([*filter(None, [table.heading]), *lines, *table.remarks])


def _aligned(cells: list[list[str]]) -> list[str]:
    """Columns of one width, all aligned to the right but the first."""
    cells = [[*map(printable, row)] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]
