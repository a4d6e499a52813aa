"""Precision and recall over thresholds, and those of the point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import AnyResult, Array, Axes, Float
from sklearn_ap._base.drawing.axes import (
    DASHES,
    REFERENCE_STYLE,
    axes_colors,
    ensure_layout,
    prepare_axes,
)
from sklearn_ap._base.drawing.legend import add_sample_size, draw_legend
from sklearn_ap._base.text import interval_head, level_as_text
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._questions.operating_points._goal import Goal
from sklearn_ap._questions.operating_points._shares import SHARES
from sklearn_ap._questions.verdicts import Estimate, printed

MOST_POINTS = 1000  # points of a drawn curve
# Both intervals are on the line of the threshold: where they overlap, the thin bar is on the wide.
BAR_WIDTHS = 9.0, 2.0
BAR_OPACITIES = 0.4, 1.0


class Curve(NamedTuple):
    """Precision and recall at thresholds, from the highest on, and the goal."""

    threshold: Array
    precision: Float
    recall: Float
    goal: str
    aim: float | tuple[float, float]
    guarantee: float | None


def make_curve(
    thresholds: Thresholds, chosen: int | None, goal: Goal, guarantee: float | None
) -> Curve:
    """Select at most MOST_POINTS thresholds, equally spaced in rank, and the chosen one."""
    n_thresholds = thresholds.scores.size
    n_points = min(n_thresholds, MOST_POINTS)
    indices = np.linspace(0, n_thresholds - 1, n_points).round().astype(int)
    if chosen is not None:
        indices[np.abs(indices - chosen).argmin()] = chosen
    drawn = thresholds._replace(tps=thresholds.tps[indices], fps=thresholds.fps[indices])
    return Curve(
        threshold=thresholds.scores[indices],
        precision=drawn.precision,
        recall=drawn.recall,
        goal=goal.name,
        aim=goal.value if goal.costs is None else goal.costs,
        guarantee=guarantee,
    )


def plot_operating_point(
    point: AnyResult, ax: Axes, threshold: str = "", selection: str = "", confidence: str = ""
) -> Axes:
    """Draw precision and recall over thresholds, the point, and the goal.

    A page passes its own words for the threshold, the selected rows and the guarantee.
    """
    curve = point.curve
    if curve is None or not curve.threshold.size:
        raise ValueError("This operating point has no curve to draw, as operating_point keeps one.")
    (axis,) = prepare_axes(ax, 1, figsize=(6.4, 4.2))
    ensure_layout(axis)
    colors = axes_colors(axis)
    styles = zip(("precision", "recall"), colors.models, DASHES, strict=False)
    for name, color, dashes in styles:
        text = name if point.remark else f"{name} {_share_in_words(point, name)}"
        axis.step(
            curve.threshold,
            getattr(curve, name),
            where="post",
            label=text,
            color=color,
            linestyle=dashes,
            linewidth=1.6,
        )
    if not point.remark:
        _mark_point(point, axis)
    if curve.goal in SHARES:
        guarantee = ""
        if curve.guarantee is not None:
            guarantee = f" ({confidence or f'{level_as_text(curve.guarantee)} sure'})"
        text = f"goal: {curve.goal} {curve.aim:g}{guarantee}"
        axis.axhline(
            curve.aim, label=text, **REFERENCE_STYLE | {"linestyle": ":", "linewidth": 1.6}
        )
    axis.set(ylim=(-0.02, 1.02), ylabel="precision and recall")
    axis.set_title(_title(point, threshold, selection), fontsize="medium")
    level = interval_head(point.confidence_level)
    axis.set_xlabel(f"threshold (score); {level}s at the point")
    draw_legend(axis)
    return axis


def _mark_point(point: AnyResult, axis: Axes) -> None:
    """Draw the line of the threshold, and both shares with their intervals on it."""
    axis.axvline(point.threshold, **REFERENCE_STYLE | {"linewidth": 0.8})
    colors = axes_colors(axis)
    styles = zip(colors.models, BAR_WIDTHS, map(colors.faint, BAR_OPACITIES), strict=False)
    for name, (color, width, opacity) in zip(("precision", "recall"), styles, strict=False):
        limits = getattr(point, f"{name}_interval")
        axis.vlines(
            point.threshold, *limits, color=color, linewidth=width, alpha=opacity, capstyle="butt"
        )
        axis.plot(point.threshold, getattr(point, name), "o", color=color, markersize=4.5)


def _share_in_words(point: AnyResult, name: str) -> str:
    limits = getattr(point, f"{name}_interval")
    value, low, high = printed(Estimate(getattr(point, name), *limits))
    return f"{value} ({low} to {high})"


def _title(point: AnyResult, threshold: str, selection: str) -> str:
    at_prevalence = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    is_whole = float(point.n_selected).is_integer()
    count = f"{point.n_selected:,}" if is_whole else f"weight {point.n_selected:.3g}"
    text = f"{selection or count} selected at threshold {threshold or point.printed_threshold}"
    return add_sample_size(f"{'no threshold' if point.remark else text}{at_prevalence}", point)
