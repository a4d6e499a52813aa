"""Results as tables, printed or in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._extras.printable import printable
from sklearn_ap._inputs import RELATIVE_TOLERANCE
from sklearn_ap.counts._thresholds import weight_as_text

Row = dict[str, Any]

MOST_RANKINGS = 20  # that a table shows
WIDTH = 80  # columns of a terminal
LONGEST_NAME = 18
SEEN_BIAS = 0.1  # of the width of an interval
ABOUT_BIAS = "The interval is that of the estimate minus its bias."
REFERENCE = "reference"  # in the place of a difference


class Table(NamedTuple):
    """What is printed, or shown in a notebook: cells, the head first, and lines around them."""

    cells: list[list[str]]
    remarks: list[str]
    heading: str = ""
    reference: str = ""  # of a comparison, whose differences may stand in a table of their own


def interval_table(
    rows: list[Row], confidence_level: float, fold_scores: Any, is_biased: bool
) -> Table:
    """A line for each ranking, or a single line; of folds, their mean below it."""
    head = ["estimate", "std. error", interval_head(confidence_level), "bias", "positives"]
    lines = [
        [
            _number(row["estimate"]),
            _number(row["standard_error"]),
            _interval(row["low"], row["high"]),
            _number(row["bias"], "+"),
            weight_as_text(row["n_positives"]),
        ]
        for row in rows[:MOST_RANKINGS]
    ]
    effective = [_effective_positives(row) for row in rows[:MOST_RANKINGS]]
    if any(effective):
        head.append("effective positives")
        lines = [[*line, each or line[-1]] for line, each in zip(lines, effective, strict=True)]
    if "ranking" in rows[0]:
        head = ["ranking", *head]
        lines = [[str(row["ranking"]), *line] for row, line in zip(rows, lines, strict=False)]
    remarks = _more(len(rows) - len(lines))
    if any(row["bias"] > SEEN_BIAS * (row["high"] - row["low"]) for row in rows):
        remarks.append(ABOUT_BIAS)
    if fold_scores is not None and len(fold_scores) > 1:
        remarks.append(_mean_of_folds(fold_scores, rows[0]["estimate"], is_biased))
    return Table([head, *lines], remarks)


def _effective_positives(row: Row) -> str:
    """Their effective number where it is not their number."""
    pair = row["n_effective"], row["n_positives"]
    return "" if np.isclose(*pair, rtol=RELATIVE_TOLERANCE, equal_nan=True) else f"{pair[0]:.1f}"


def _mean_of_folds(scores: Any, estimate: float, is_biased: bool) -> str:
    """What ``cross_val_score`` leads to, and how far it is from the estimate of a pool."""
    defined = scores[~np.isnan(scores)]
    mean, which = defined.mean() if defined.size else np.nan, f"{defined.size} folds"
    which += "" if defined.size == len(scores) else " with positives"
    excess = mean - estimate if is_biased else 0.0
    remark = f", too high by about {excess:.4f}" if excess > 5e-4 else ""
    return f"mean of {which}: {_number(mean)}{remark}"


def best_table(rows: list[Row], confidence_level: float) -> Table:
    """A line for each model, the best first."""
    head = ["", "estimate", interval_head(confidence_level), "may be best"]
    lines = [
        [
            _short(row["name"]),
            _number(row["estimate"]),
            _interval(row["low"], row["high"]),
            "yes" if row["may_be_best"] else "",
        ]
        for row in rows[:MOST_RANKINGS]
    ]
    return Table([head, *lines], _more(len(rows) - len(lines)))


def chance_table(rows: list[Row], n_permutations: int) -> Table:
    """A line for each ranking, or a single line."""
    head = ["score", "by chance", "corrected", "p-value", "adjusted"]
    lines = [
        [
            *map(_number, (row["score"], row["chance"], row["corrected"])),
            _pvalue(row["pvalue"]),
            *([_pvalue(row["adjusted_pvalue"])] if "ranking" in row else []),
        ]
        for row in rows[:MOST_RANKINGS]
    ]
    if "ranking" in rows[0]:
        head = ["ranking", *head]
        lines = [[str(row["ranking"]), *line] for row, line in zip(rows, lines, strict=False)]
    remarks = [*_more(len(rows) - len(lines)), f"{n_permutations:,} random orders"]
    return Table([head[: len(lines[0])], *lines], remarks)


def threshold_table(row: Row, shares: Iterable[str], confidence_level: float) -> Table:
    """A line for each share; or why there is no threshold."""
    if row["remark"]:
        return Table([], [row["remark"]])
    head = ["", "share", interval_head(confidence_level)]
    lines = [
        [name, _number(row[name]), _interval(row[f"{name}_low"], row[f"{name}_high"])]
        for name in shares
    ]
    heading = f"{row['n_selected']:.6g} selected at threshold {row['threshold']:.6g}"
    return Table([head, *lines], [], heading)


def comparison_table(
    rows: list[Row], names: tuple[str, ...], reference: str, confidence_level: float
) -> Table:
    """A line for each model, or for each model and ranking."""
    level, shown = interval_head(confidence_level), rows[: MOST_RANKINGS * len(names)]
    n_columns = 3 if len(names) == 2 else 4  # two models have nothing to adjust for
    who = ["", "ranking"] if "ranking" in rows[0] else [""]
    differences = [f"minus {_short(reference)}", level, "p-value", "adjusted"]
    cells = [[*who, "estimate", level, *differences[:n_columns]]]
    for row in shown:
        name = [_short(row["name"]), str(row.get("ranking"))][: len(who)]
        score = [_number(row["estimate"]), _interval(row["low"], row["high"])]
        cells.append([*name, *score, *_difference(row, reference)[:n_columns]])
    return Table(cells, _more(len(rows) - len(shown)), reference=reference)


def in_notebook(table: Table) -> str:
    """The table as HTML."""
    above, below = filter(None, [table.heading]), table.remarks
    before, after = (
        "".join(f"<p>{escape(text)}</p>" for text in texts) for texts in (above, below)
    )
    return before + (as_html(table.cells[0], table.cells[1:]) if table.cells else "") + after


def as_html(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'


def _difference(row: Row, reference: str) -> list[str]:
    """What a line says of the difference from the reference."""
    if row["name"] == reference:
        return [REFERENCE, "", "", ""]
    return [
        _number(row["difference"], "+"),
        _interval(row["difference_low"], row["difference_high"], "+"),
        _pvalue(row["pvalue"]),
        _pvalue(row["adjusted_pvalue"]),
    ]


def interval_head(confidence_level: float) -> str:
    """As "95% interval"."""
    return f"{100 * confidence_level:.4g}% interval"


def _number(value: float, sign: str = "") -> str:
    return "nan" if value != value else f"{value:{sign}.4f}"


def _interval(low: float, high: float, sign: str = "") -> str:
    return f"[{_number(low, sign)}, {_number(high, sign)}]"


def _pvalue(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else _number(value)


def _short(name: str) -> str:
    """The beginning and the end of a long name, as names of models often differ in the end."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}...{name[-6:]}"


def _more(n_rows: int) -> list[str]:
    return [f"... and {n_rows} more"] if n_rows else []


def as_text(table: Table) -> str:
    """The table in letters of one width.

    A comparison that is wider than a terminal becomes two tables: scores, then differences.
    """
    lines = _aligned(table.cells)
    if table.reference and len(max(lines, key=len)) > WIDTH:
        start = table.cells[0].index("estimate")
        scores = [row[: start + 2] for row in table.cells]
        others = [row[:start] + row[start + 2 :] for row in table.cells]
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
