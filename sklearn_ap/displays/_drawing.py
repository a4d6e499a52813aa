"""Curves on the axes of Matplotlib, the levels of random scores, and the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Axes, Float, Keywords, Line2D
from sklearn_ap._writing.text import estimate_as_text, number_as_text, printable, score_as_text
from sklearn_ap.displays._displayed_rankings import DisplayedRankings, Points

LineOption: TypeAlias = Any  # of Matplotlib's function plot
Names: TypeAlias = str | Sequence[str | None] | None  # of rankings, one for all or each
Artist: TypeAlias = "Line2D | list[Line2D] | None"  # one line, or several
Limits = tuple[float, float] | None  # of an interval

MEAN_WIDTH, MEMBER_WIDTH = 2.2, 0.9  # of lines, in points
SCORE_DIGITS = 3  # of a score without an interval, as in scikit-learn's tables
MOST_ROWS_BELOW = 15  # of a legend; more would leave the curves no room
BELOW = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4, "frameon": False}
CHANCE_LEVEL = "chance-level"  # the gid of our lines, by which the next display finds them


def escape_dollars(text: str) -> str:
    """Escape dollars, which Matplotlib would read as the limits of a formula.

    Labels of curves need it, as they take no ``parse_math=False``.
    """
    return text.replace("$", r"\$")


def line_styles(
    curve_kwargs: Keywords | list[Keywords] | None, options: Keywords, n: int
) -> list[Keywords]:
    """Return the options of each curve, by their long names."""
    styles = curve_kwargs if isinstance(curve_kwargs, list) else [curve_kwargs or {}] * n
    if len(styles) != n:
        raise InputError(f"curve_kwargs must be a dict, or a list of {n}, got {len(styles)}.")
    return [_long_names(style) | _long_names(options) for style in styles]


def _long_names(options: Keywords) -> Keywords:
    """Write lw as linewidth, so that options of the user replace ours."""
    import_extra("matplotlib", "A picture", "plot")
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(options, Line2D))


def add_curve(ax: Axes, line: Points, label: str, style: Keywords) -> Line2D:
    """Draw a curve in the next colour of the user's style."""
    text = escape_dollars(label)
    shown = f" {text}" if text.startswith("_") else text  # Matplotlib hides such labels
    named: Keywords = {"label": shown}
    return ax.plot(*line, **(named | style))[0]


def draw_members(ax: Axes, lines: Sequence[Points], mean: Line2D) -> list[Line2D]:
    """Draw thin lines in the colour of their mean, the fainter the more there are."""
    alpha = float(np.clip(4 / len(lines), 0.15, 0.6))
    faint: Keywords = {"color": mean.get_color(), "alpha": alpha, "zorder": 1.5, "label": "_"}
    return [ax.plot(*line, linewidth=MEMBER_WIDTH, **faint)[0] for line in lines]


def draw_chance_levels(ax: Axes, levels: Float, options: Keywords) -> Artist:
    """Draw a line at each level that the axes lack; the first has a row of the legend."""
    levels = levels.round(12)  # a mean of equal levels is one of them
    distinct = np.unique(levels[levels > 0])
    ends = distinct[[0, -1]] if distinct.size else distinct
    limits = dict.fromkeys(score_as_text(level, SCORE_DIGITS) for level in ends)
    label = f"chance level: {' to '.join(limits)}"
    usual: Keywords = {"label": label, "color": "0.5", "linestyle": ":", "zorder": 1}
    style = usual | _long_names(options)
    style["gid"] = CHANCE_LEVEL
    lines: dict[float, Line2D] = {
        np.ravel(line.get_ydata())[0]: line for line in ax.lines if line.get_gid() == CHANCE_LEVEL
    }
    for level in distinct.tolist():
        if level not in lines:
            (lines[level],) = ax.plot([0, 1], [level, level], **style)
            style["label"] = "_"
    shown = [lines[level] for level in distinct.tolist()]
    return (shown if len(shown) > 1 else shown[0]) if shown else None


def mean_line(lines: Sequence[Points], weights: Float) -> Points:
    """Average lines at each recall; the area under the mean is the mean of the areas.

    A line is 0 beyond its last recall. ``weights`` add up to 1.
    """
    grid = np.unique(np.concatenate([[0.0, 1.0], *(recall for recall, _ in lines)]))
    # Between two recalls of the grid each line is straight, also where it jumps at them. So it is
    # interpolated just inside the ends of each piece: arrays of shape (n_pieces, 2).
    ends = np.column_stack((grid[:-1], grid[1:]))
    inside = np.nextafter(ends, ends[:, ::-1])
    heights = np.zeros(ends.shape)
    for (recall, precision), weight in zip(lines, weights, strict=True):
        if recall.size:
            heights += weight * np.interp(inside, recall, precision, left=0.0, right=0.0)
    drawn = np.trim_zeros(heights.ravel(), "b")
    return ends.ravel()[: drawn.size], drawn


# ---- the legend: a row of text for each ranking, or for their mean, and its place


def write_rows(
    rankings: DisplayedRankings, names: Sequence[str | None], limits: Sequence[Limits]
) -> list[str]:
    """Write a row for each ranking."""
    if len(names) != len(rankings):
        raise InputError(f"name must hold one per ranking, {len(rankings)} here, got {len(names)}.")
    if len(limits) != len(rankings):  # those of the mean
        limits = [None] * len(rankings)
    rows = zip(names, rankings.scores.tolist(), limits, strict=True)
    return [_write_row(rankings.definition.title, *row) for row in rows]


def write_row_of_mean(
    rankings: DisplayedRankings,
    name: str | None,
    unit: str,
    limits: Sequence[Limits],
    pooled: float | None = None,
) -> str:
    """Write a row for all rankings, with the limits of their mean or the standard deviation.

    The score of a pool comes before their mean.
    """
    n = np.count_nonzero(rankings.shares)
    mean_name = f"mean of {n} {unit}"
    mean = rankings.mean(rankings.scores)
    deviation = float(np.sqrt(rankings.mean((rankings.scores - mean) ** 2)))
    spread = f" (SD {number_as_text(deviation, SCORE_DIGITS)})"
    if pooled is not None:
        spread = f", mean of {unit} {score_as_text(mean, SCORE_DIGITS)}{spread}"
        mean_name, mean = f"pool of {n} {unit}", pooled
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
