"""One row for each name: its value as a point, and its confidence limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float, Index
from sklearn_ap._base.drawing.axes import axes_colors, axes_size, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import shortened, size_in_points
from sklearn_ap._base.extras import printable_lines

Array = Float
MOST_ROWS = 40
ROW_HEIGHT = 0.26  # inches
BELOW = 0.27  # of a row, where the scores of training runs stand


def draw_named(
    ax: Any,
    names: Sequence[str],
    values: Array,
    lows: Array,
    highs: Array,
    in_color: Any = True,
    counts: Any = None,
) -> Any:
    """Draw one row for each name, the first at the top, with its number and count beside it."""
    (axis,) = prepare_axes(ax, 1, figsize=(6.4, 1.6 + ROW_HEIGHT * len(names)))
    ensure_layout(axis)
    draw_limits(axis, values, lows, highs, in_color)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    # Letters are as small as the rows of axes that were given.
    size = min(size_in_points("legend.fontsize"), 0.7 * axes_size(axis)[1] / len(names))
    axis.set_yticks(range(len(names)), short_names(axis, names), parse_math=False, fontsize=size)
    beside = {"transform": axis.get_yaxis_transform(), "va": "center", "fontsize": 0.9 * size}
    for row, value in enumerate(values):
        count = "" if counts is None else f", {counts[row]:,.6g} positives"
        axis.text(1.02, row, f"{value:.3f}{count}", **beside)
    return axis


def select_extreme_rows(distances: Array, which: str, most: int = MOST_ROWS) -> tuple[Index, str]:
    """Which rows are drawn, as too many cannot be read, and what a picture says of them."""
    if distances.size <= most:
        return np.arange(distances.size), ""
    order = np.argsort(-np.nan_to_num(distances, nan=-1.0, posinf=np.inf), kind="stable")
    return np.sort(order[:most]), f"the {most} of {distances.size:,} {which}"


def short_names(axis: Any, names: Sequence[str]) -> list[str]:
    """Names beside the axes, none of them wider than three tenths of the figure."""
    room = 0.3 * 72 * axis.figure.bbox.width / axis.figure.dpi
    size = size_in_points("legend.fontsize")
    return [shortened(printable_lines(name), room, size) for name in names]


def draw_runs(axis: Any, scores: Sequence[Any]) -> None:
    """Draw the score of each training run as a small point below its row."""
    seen, (low, high) = axes_colors(axis), axis.get_xlim()
    for row, of_runs in enumerate(scores):
        places = np.full(len(of_runs), row + BELOW)
        axis.scatter(of_runs, places, s=10, color=seen.grey, alpha=0.8, linewidths=0, zorder=2)
    known = np.concatenate([*scores, np.array([low, high])])
    known = known[np.isfinite(known)]
    margin = 0.03 * (high - low)
    axis.set_xlim(min(low, known.min() - margin), max(high, known.max() + margin))


def draw_limits(
    axis: Any, values: Array, lows: Array, highs: Array, in_color: Any = True, rows: Any = None
) -> None:
    seen, rows = axes_colors(axis), np.arange(values.size) if rows is None else rows
    colors = np.where(np.broadcast_to(in_color, values.shape), seen.models[0], seen.grey)
    axis.hlines(rows, lows, highs, color=colors, linewidth=2.5)
    axis.scatter(values, rows, s=36, c=colors, zorder=3)
    # One-sided intervals are open: they run out of the axes.
    ends = np.concatenate((values, *(side[np.abs(side) < 1] for side in (lows, highs))))
    ends = ends[np.isfinite(ends)] if np.isfinite(ends).any() else np.zeros(1)
    margin = 0.12 * np.ptp(ends) or 0.1
    axis.set_xlim(ends.min() - margin, ends.max() + margin)
