"""One row for each name: its value as a point, and its confidence limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.drawing.axes import axes_colors, axes_size, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.heights import fit_height, is_own_figure
from sklearn_ap._base.drawing.legend import shorten_name, size_in_points
from sklearn_ap._extras import printable_lines
from sklearn_ap._types import Array, Axes, Bool, Float, Index

MOST_ROWS = 40  # a picture with more rows cannot be read
ROW_HEIGHT = 0.26  # inches


def draw_named(
    ax: Axes | None,
    names: Sequence[str],
    values: Float,
    lows: Float,
    highs: Float,
    texts: Sequence[str],
    is_colored: Bool | bool = True,
    counts: Array | None = None,
    *,
    is_lower: Bool | bool = False,
) -> Axes:
    """Draw one row for each name, the first at the top, with its text and count beside it."""
    (axis,) = prepare_axes(ax, 1, figsize=(6.4, 1.6 + ROW_HEIGHT * len(names)))
    ensure_layout(axis)
    draw_limits(axis, values, lows, highs, is_colored, is_lower=is_lower)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    # Letters fit the height of a row of the user's axes.
    room = 0.7 * axes_size(axis).height / len(names)
    size = min(size_in_points("legend.fontsize"), room)
    labels = fit_names(axis, names, n_lines=2 if room > 2 * size else 1)
    axis.set_yticks(range(len(names)), labels, parse_math=False, fontsize=size)
    text_style = {"transform": axis.get_yaxis_transform(), "va": "center", "fontsize": 0.9 * size}
    for row, text in enumerate(texts):
        count = "" if counts is None else f", {counts[row]:,.6g} positives"
        axis.text(1.02, row, f"{text}{count}", **text_style)
    if is_own_figure(ax) and any("\n" in label for label in labels):
        fit_height(axis.figure)
    return axis


def select_extreme_rows(
    distances: Float, description: str, most: int = MOST_ROWS
) -> tuple[Index, str]:
    """Select the rows to draw, as too many cannot be read, and describe them."""
    if distances.size <= most:
        return np.arange(distances.size), ""
    order = np.argsort(-np.nan_to_num(distances, nan=-1.0, posinf=np.inf), kind="stable")
    return np.sort(order[:most]), f"the {most} of {distances.size:,} {description}"


def fit_names(axis: Axes, names: Sequence[str], n_lines: int = 1) -> list[str]:
    """Shorten names beside the axes, so that none is wider than three tenths of the figure.

    With two lines, a name is broken at the space nearest to its middle before it is shortened.
    """
    room = 0.3 * 72 * axis.figure.bbox.width / axis.figure.dpi
    size = size_in_points("legend.fontsize")
    fitted = []
    for name in map(printable_lines, names):
        is_too_wide = shorten_name(name, room, size) != name
        lines = _halves(name) if n_lines == 2 and is_too_wide else [name]
        fitted.append("\n".join(shorten_name(line, room, size) for line in lines))
    return fitted


def _halves(name: str) -> list[str]:
    """Break a name at the space nearest to its middle, if it has one."""
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    if not spaces:
        return [name]
    middle = min(spaces, key=lambda place: abs(2 * place - len(name)))
    return [name[:middle], name[middle + 1 :]]


def row_colors(axis: Axes, is_colored: Bool, is_lower: Bool | bool) -> Array:
    """Return the colours of rows: grey without one, and another one for lower scores."""
    palette = axes_colors(axis)
    higher, lower, *_ = palette.models
    return np.where(is_colored, np.where(is_lower, lower, higher), palette.grey)


def draw_limits(
    axis: Axes,
    values: Float,
    lows: Float,
    highs: Float,
    is_colored: Bool | bool = True,
    rows: Array | None = None,
    *,
    is_lower: Bool | bool = False,
) -> None:
    """Draw each value as a point on its row, and its limits as a line."""
    rows = np.arange(values.size) if rows is None else rows
    colors = row_colors(axis, np.broadcast_to(is_colored, values.shape), is_lower)
    axis.hlines(rows, lows, highs, color=colors, linewidth=2.5)
    axis.scatter(values, rows, s=36, c=colors, zorder=3)
    axis.set_xlim(*limits_with_margin(finite_numbers(values, lows, highs), 0.12))


def finite_numbers(values: Float, lows: Float, highs: Float) -> Float:
    """List values and limits that are in sight: one-sided intervals run out of the axes."""
    ends = np.concatenate((values, *(side[np.abs(side) < 1] for side in (lows, highs))))
    return ends[np.isfinite(ends)]


def limits_with_margin(numbers: Float, share: float) -> tuple[float, float]:
    """Return the limits of axes for these numbers, with a margin that is a share of their range."""
    ends = numbers if numbers.size else np.zeros(1)
    margin = share * np.ptp(ends) or 0.1
    return float(ends.min() - margin), float(ends.max() + margin)
