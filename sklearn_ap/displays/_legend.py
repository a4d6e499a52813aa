"""The legend of a display: a row of text for each ranking, or for their mean, and its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._results.text import (
    count_as_text,
    estimate_as_text,
    number_as_text,
    printable,
    score_as_text,
)
from sklearn_ap._types import Axes
from sklearn_ap.displays._displayed_rankings import DisplayedRankings

Limits = tuple[float, float] | None  # of an interval

SCORE_DIGITS = 3  # of a score without an interval, as in scikit-learn's tables
MOST_ROWS_BELOW = 15  # of a legend; more would leave the curves no room
BELOW = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4, "frameon": False}
CHANCE_LEVEL = "chance-level"  # the gid of our lines, by which the next display finds them


def write_rows(
    rankings: DisplayedRankings, names: Sequence[str | None], limits: Sequence[Limits]
) -> list[str]:
    """Write a row for each ranking."""
    for what, found in (("name", names), ("interval", limits)):
        if len(found) != len(rankings):
            n_needed = count_as_text(len(rankings), what)
            raise ValueError(
                f"{what} must hold {n_needed}, one for each ranking, got {len(found)}."
            )
    rows = zip(names, rankings.scores.tolist(), limits, strict=True)
    return [_write_row(rankings.definition.title, *row) for row in rows]


def write_row_of_mean(
    rankings: DisplayedRankings, name: str | None, unit: str, limits: Sequence[Limits]
) -> str:
    """Write a row for all rankings, with the limits of their mean or the standard deviation."""
    mean_name = f"mean of {np.count_nonzero(rankings.shares)} {unit}"
    mean = rankings.mean(rankings.scores)
    deviation = float(np.sqrt(rankings.mean((rankings.scores - mean) ** 2)))
    spread = f" (SD {number_as_text(deviation, SCORE_DIGITS)})"
    name = mean_name if name is None else f"{name}, {mean_name}"
    limits_of_mean = limits[0] if len(limits) == 1 else None
    return _write_row(rankings.definition.title, name, mean, limits_of_mean, spread)


def _write_row(title: str, name: str | None, score: float, limits: Limits, spread: str = "") -> str:
    value = f"{score_as_text(score, SCORE_DIGITS)}{spread}"
    if limits is not None:
        value = estimate_as_text(score, *limits)
    text = f"{title} = {value}"
    return text if name is None else f"{printable(str(name))}: {text}"


def draw_legend(ax: Axes) -> None:
    """List the curves and then chance levels: below the axes if a layout makes room for them."""
    handles, labels = ax.get_legend_handles_labels()
    levels = [line for line in ax.lines if line.get_gid() == CHANCE_LEVEL]
    order = np.argsort([handle in levels for handle in handles], kind="stable")
    rows = [handles[i] for i in order], [labels[i] for i in order]
    is_below = ax.figure.get_layout_engine() is not None and len(labels) <= MOST_ROWS_BELOW
    ax.legend(*rows, **(BELOW if is_below else {"loc": "best"})).set_in_layout(is_below)
