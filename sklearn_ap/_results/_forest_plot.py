"""A forest plot: a line for each row, a panel for each column of estimates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._extras import import_extra
from sklearn_ap._results.column import Estimates
from sklearn_ap._types import Axes, Figure
from sklearn_ap._writing.text import MINUS, shorten

COLOR = "#0072B2"  # Okabe and Ito's blue, on white and on black
GREY = "0.6"  # of differences that are not established
ROOM = 0.15  # beside the numbers of a panel, of their range
LONGEST_LABEL = 25  # letters of a name


def draw_forest(
    names: Sequence[str],
    panels: Sequence[Estimates],
    rows: Sequence[int],
    ax: Axes | Sequence[Axes] | None,
) -> Figure:
    """Draw these rows, the first at the top, with names on the left and numbers on the right.

    A difference that is not established is grey. Without ``ax``, make a figure as large as needed.
    """
    names = [shorten(name, LONGEST_LABEL) for name in names]
    axes = _new_axes(names, panels) if ax is None else np.ravel(np.array(ax, object)).tolist()
    if len(axes) != len(panels):
        raise InputError(f"ax must hold {len(panels)} Axes, one for each panel, got {len(axes)}.")
    for axis, panel in zip(axes, panels, strict=True):
        _draw_panel(axis, panel, rows)
        axis.set_ylim(len(rows) - 0.5, -0.5)
        _write_beside(axis, names, panel.texts(rows, MINUS))
    return axes[0].figure.figure


def _new_axes(names: Sequence[str], panels: Sequence[Estimates]) -> list[Axes]:
    """Make a figure with a panel for each column, which share their rows."""
    plt = import_extra("matplotlib.pyplot", "plot", "plot")
    width = 0.4 + 0.08 * max(map(len, names)) + 3.4 * len(panels)
    figure = plt.figure(figsize=(width, 0.9 + 0.24 * len(names)), layout="constrained")
    return [*figure.subplots(1, len(panels), sharey=True, squeeze=False).flat]


def _draw_panel(axis: Axes, panel: Estimates, rows: Sequence[int]) -> None:
    """Draw the intervals of one column, and say below them what colours and lines mean."""
    values = panel.values[rows]
    established = panel.is_established
    is_grey = np.zeros(len(rows), bool) if established is None else ~established[rows]
    colors = np.where(is_grey, GREY, COLOR).tolist()
    heights = np.arange(len(rows))
    axis.hlines(heights, panel.low[rows], panel.high[rows], colors=colors)
    axis.scatter(values, heights, c=colors)
    if panel.sign:
        axis.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    has_margin = not np.isnan(panel.margin)
    if has_margin:
        axis.axvline(-panel.margin, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    margin = f"\ndashed: {MINUS}{panel.margin:g}, minus the margin" if has_margin else ""
    grey = "\ngrey: no difference is shown" if np.any(is_grey & ~np.isnan(values)) else ""
    n_all = panel.values.size
    part = f"; {len(rows)} of {n_all:,} shown" if len(rows) < n_all else ""
    axis.set_xlabel(f"{panel.title}\n{panel.interval}{part}{grey}{margin}", parse_math=False)
    if panel.alternative != "two-sided":  # open intervals end at the edge
        limits = (panel.low if panel.alternative == "greater" else panel.high)[rows]
        ends = [0.0, *values[~np.isnan(values)], *limits[~np.isnan(limits)]]
        room = ROOM * (np.ptp(ends) or 1.0)  # 1 if no score is defined
        axis.set_xlim(min(ends) - room, max(ends) + room)
    axis.locator_params(axis="x", nbins=4)


def _write_beside(axis: Axes, names: Sequence[str], numbers: Sequence[str]) -> None:
    """Write names on the left and numbers on the right of each row."""
    heights = np.arange(len(names))
    axis.set_yticks(heights, names, parse_math=False)
    right = axis.secondary_yaxis("right")
    right.set_yticks(heights, numbers)
    for side in (axis, right):
        side.tick_params(axis="y", length=0)
        side.spines[["left", "right", "top"]].set_visible(False)
