"""Intervals, comparisons and the best of many as tables of text."""

from __future__ import annotations

from itertools import chain, compress
from typing import Any

import numpy as np

__all__ = [
    "best_as_text",
    "comparison_as_text",
    "interval_as_text",
    "mean_of_folds_as_text",
    "shares_as_text",
]

Row = dict[str, Any]

MOST_RANKINGS = 20  # that a table shows
WIDTH = 80  # columns of a terminal
LONGEST_NAME = 18


def interval_as_text(rows: list[Row], confidence_level: float) -> str:
    """A line for each ranking, or a single line."""
    head = ["estimate", "std. error", _interval_head(confidence_level), "bias", "positives"]
    lines = [
        [
            _number(row["estimate"]),
            _number(row["standard_error"]),
            _interval(row["low"], row["high"]),
            _number(row["bias"], "+"),
            f"{row['n_positives']:.6g}",
        ]
        for row in rows[:MOST_RANKINGS]
    ]
    if "ranking" in rows[0]:
        head = ["ranking", *head]
        lines = [[str(row["ranking"]), *line] for row, line in zip(rows, lines, strict=False)]
    return _table([head, *lines], len(rows) - len(lines))


def mean_of_folds_as_text(scores: Any, estimate: float, is_pool: bool) -> str:
    """What ``cross_val_score`` leads to, and how far it is from the estimate of a pool."""
    defined = scores[~np.isnan(scores)]
    mean, which = defined.mean() if defined.size else np.nan, f"{defined.size} folds"
    which += "" if defined.size == len(scores) else " with positives"
    excess = f", too high by about {mean - estimate:.4f}"
    return f"mean of {which}: {_number(mean)}{excess if is_pool and mean - estimate > 5e-4 else ''}"


def best_as_text(rows: list[Row], confidence_level: float) -> str:
    """A line for each model, the best first."""
    head = ["", "estimate", _interval_head(confidence_level), "may be best"]
    lines = [
        [
            _short(row["name"]),
            _number(row["estimate"]),
            _interval(row["low"], row["high"]),
            "yes" if row["may_be_best"] else "",
        ]
        for row in rows[:MOST_RANKINGS]
    ]
    return _table([head, *lines], len(rows) - len(lines))


def shares_as_text(shares: dict[str, tuple[float, float, float]], confidence_level: float) -> str:
    """A line for each share, which has a value, a lower limit and an upper one."""
    lines = [
        [name, _number(value), _interval(low, high)] for name, (value, low, high) in shares.items()
    ]
    return _table([["", "share", _interval_head(confidence_level)], *lines], 0)


def comparison_as_text(
    rows: list[Row], names: tuple[str, ...], reference: str, confidence_level: float
) -> str:
    """A line for each model, or for each model and ranking.

    What is wider than a terminal becomes two tables: the scores, then the differences.
    """
    shown = rows[: MOST_RANKINGS * len(names)]
    n_more, level = len(rows) - len(shown), _interval_head(confidence_level)
    who = [["", "ranking"], *([_short(row["name"]), str(row.get("ranking"))] for row in shown)]
    if "ranking" not in rows[0]:
        who = [name[:1] for name in who]
    scores = [["estimate", level]]
    scores += [[_number(row["estimate"]), _interval(row["low"], row["high"])] for row in shown]
    head = [level, "p-value", "adjusted"]
    differences = [_difference(row, reference) for row in shown]
    if len(names) == 2:  # nothing to adjust for
        head, differences = head[:-1], [cells[:-1] for cells in differences]
    minus = [[f"minus {_short(reference)}", *head], *differences]
    wide = _table(_side_by_side(who, scores, minus), n_more)
    if max(map(len, wide.splitlines())) <= WIDTH:
        return wide
    below = _side_by_side(who, [["difference", *head], *differences])
    is_other = [True, *(row["name"] != reference for row in shown)]
    first = _table(_side_by_side(who, scores), 0)
    second = _table([*compress(below, is_other)], n_more)
    return f"{first}\n\nminus {reference}:\n{second}"


def _difference(row: Row, reference: str) -> list[str]:
    """What a line says of the difference from the reference."""
    if row["name"] == reference:
        return ["reference", "", "", ""]
    return [
        _number(row["difference"], "+"),
        _interval(row["difference_low"], row["difference_high"], "+"),
        _pvalue(row["pvalue"]),
        _pvalue(row["adjusted_pvalue"]),
    ]


def _side_by_side(*tables: list[list[str]]) -> list[list[str]]:
    return [[*chain(*lines)] for lines in zip(*tables, strict=True)]


def _interval_head(confidence_level: float) -> str:
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


def _table(rows: list[list[str]], n_more: int) -> str:
    """Columns of one width, the head first, all aligned to the right but the first."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, f"... and {n_more} more"] if n_more else lines)
