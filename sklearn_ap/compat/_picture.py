"""All tools' numbers for the same predictions, on one axis."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from sklearn_ap._drawing.axes import REFERENCE_STYLE, axes_for, colors_on, size_for_axes
from sklearn_ap._drawing.legend import draw_legend
from sklearn_ap.compat import Comparison
from sklearn_ap.compat._comparison import MOST_NAMES
from sklearn_ap.compat._evaluation import FunctionResult

LETTERS = 10.0  # points: the size of names in a new figure
LINE_HEIGHT = 1.35  # in letters


def plot_tools(comparison: Comparison, ax: Any, all_names: bool) -> Any:
    """Draw the numbers, lowest first."""
    numbers = np.array([group[0].value for group in comparison.groups], dtype=float)
    known = np.flatnonzero(~np.isnan(numbers))
    known = known[np.argsort(numbers[known], kind="stable")]
    values, groups = numbers[known], [comparison.groups[i] for i in known]
    names = [_names(group, len(group) if all_names else MOST_NAMES) for group in groups]
    ends = np.cumsum([len(lines) + 0.6 for lines in names])
    middles = ends - np.array([len(lines) / 2 for lines in names])
    height = 1.2 + LINE_HEIGHT * LETTERS / 72 * float(ends[-1])
    (axis,) = axes_for(ax, 1, figsize=(8.5, height))
    # Smaller letters where axes that were given are too low for the names.
    letters = float(np.clip((size_for_axes(axis)[1] - 70) / ends[-1] / LINE_HEIGHT, 4, LETTERS))
    own = comparison.baseline
    axis.axvline(own, label=f"scikit-learn: {own:.3f}", linestyle="--", **REFERENCE_STYLE)
    axis.hlines(middles, np.minimum(values, own), np.maximum(values, own), color="0.6", lw=1)
    axis.plot(values, middles, "o", color=colors_on(axis).models[0], markersize=5, label="_")
    for value, middle in zip(values, middles, strict=True):
        offset, side = (6, "left") if value >= own else (-6, "right")
        beside = {"xytext": (offset, 0), "textcoords": "offset points", "ha": side}
        axis.annotate(f"{value:.3f}", (value, middle), **beside, va="center", fontsize=letters)
    axis.set_yticks(middles, ["\n".join(lines) for lines in names], fontsize=letters)
    axis.set(xlabel=_xlabel(comparison, groups), ylim=(ends[-1] + 0.6, 0))
    axis.margins(x=0.2)
    draw_legend(axis)
    return axis


def _xlabel(comparison: Comparison, groups: list[tuple[FunctionResult, ...]]) -> str:
    """What the numbers are, what functions were told, and how many give no number."""
    rows = [row for group in groups for row in group]
    told = sorted({row.k for row in rows if row.k is not None})
    given = "".join(f", k={k} where one is needed" for k in told)
    n_without = len(comparison.results) - len(rows)
    without = f"\n{n_without} functions give no number" if n_without else ""
    return f"what the function gives{given}{without}"


def _names(group: tuple[FunctionResult, ...], most: int) -> list[str]:
    """The names of a group in lines, up to the most, and how many there are beyond."""
    names = ", ".join(map(_named, group[:most]))
    more = f" and {len(group) - most} more" if len(group) > most else ""
    return textwrap.wrap(names + more, 56)


def _named(row: FunctionResult) -> str:
    """The name, and what else there is to say but k, which is the same for all that need one."""
    return f"{row.name} ({row.left_out_note})" if row.left_out else row.name
