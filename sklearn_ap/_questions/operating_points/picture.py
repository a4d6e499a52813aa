"""Precision and recall over thresholds, and those of the point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import AnyResult, Argument, Array, Axes, Color, Float, Index
from sklearn_ap._base.drawing.axes import (
    DASHES,
    REFERENCE_STYLE,
    axes_colors,
    ensure_layout,
    prepare_axes,
)
from sklearn_ap._base.drawing.legend import add_sample_size, draw_legend
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.text import interval_head, level_as_text
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._questions.operating_points._goal import Goal
from sklearn_ap._questions.operating_points._shares import SHARES
from sklearn_ap._questions.verdicts import Estimate, printed

# Points of a drawn curve: up to all of the first thresholds, then more by the selected share and by
# the recall. Equal steps in rank would leave long steps at the top, where precision changes fast.
MOST_POINTS = 2000
FIRST_POINTS = 500
SHARE_POINTS = 1000
RECALL_POINTS = 250
POINT_SIZE = 5.0  # points
DRAWN = "precision", "recall"
THRESHOLD_STYLE = REFERENCE_STYLE | {"linewidth": 0.8}
GOAL_STYLE = REFERENCE_STYLE | {"linestyle": ":", "linewidth": 1.6}


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
    """Select at most MOST_POINTS thresholds that show the curve, and the chosen one."""
    indices = _drawn_indices(thresholds)
    if chosen is not None:
        indices = np.union1d(indices, chosen)
    drawn = _at(thresholds, indices)
    return Curve(
        threshold=thresholds.scores[indices],
        precision=drawn.precision,
        recall=drawn.recall,
        goal=goal.name,
        aim=goal.value if goal.costs is None else goal.costs,
        guarantee=guarantee,
    )


def _drawn_indices(thresholds: Thresholds) -> Index:
    """Select thresholds between which precision and recall change too little to be seen.

    From one to the next, the selected share grows by a constant factor at most, and the recall by a
    constant step. The precision, true share / selected share, then changes by that factor at most.
    """
    n_thresholds = thresholds.scores.size
    if n_thresholds <= MOST_POINTS:
        return np.arange(n_thresholds)
    ends = np.array([FIRST_POINTS, n_thresholds - 1])
    first, last = np.maximum(_at(thresholds, ends).selected_share, TINY)
    first_recall, last_recall = _at(thresholds, ends).recall
    steps = [
        _search(thresholds, "selected_share", np.geomspace(first, last, SHARE_POINTS)),
        _search(thresholds, "recall", np.linspace(first_recall, last_recall, RECALL_POINTS)),
    ]
    indices = np.concatenate([np.arange(FIRST_POINTS), *steps, ends])
    return np.unique(indices.clip(max=n_thresholds - 1))


def _at(thresholds: Thresholds, indices: Index) -> Thresholds:
    return thresholds._replace(tps=thresholds.tps[indices], fps=thresholds.fps[indices])


def _search(thresholds: Thresholds, share: str, values: Float) -> Index:
    """Find the first thresholds that have a share of some values, which all of them would tell.

    A share of all thresholds would take longer than the rest of an operating point.
    """
    low = np.zeros(values.size, dtype=int)
    high = np.full(values.size, thresholds.scores.size)
    while (low < high).any():
        middle = (low + high) // 2
        found = getattr(_at(thresholds, middle.clip(max=thresholds.scores.size - 1)), share)
        is_below = found < values
        low = np.where(is_below & (low < high), middle + 1, low)
        high = np.where(is_below, high, middle)
    return low


def plot_operating_point(point: AnyResult, ax: Axes) -> Axes:
    """Draw precision and recall over thresholds, the point, and the goal."""
    curve = point.curve
    if curve is None or not curve.threshold.size:
        raise ValueError("This operating point has no curve to draw, as operating_point keeps one.")
    (axis,) = prepare_axes(ax, 1, figsize=(6.4, 4.2))
    ensure_layout(axis)
    draw_shares(point, curve, axis)
    axis.set_title(_title(point), fontsize="medium")
    axis.set_xlabel("threshold (score)")
    draw_legend(axis)
    return axis


def draw_shares(point: AnyResult, curve: Curve, axis: Axes) -> None:
    """Draw the lines and points of precision and recall, and the lines of the point and its goal.

    Their labels are the texts of a legend.
    """
    for name in DRAWN:
        text = name if point.remark else f"{name} {_share_in_words(point, name)}"
        draw_share(curve, name, axis, label=text)
    if not point.remark:
        axis.axvline(point.threshold, **THRESHOLD_STYLE)
        for name in DRAWN:
            mark_share(point, name, axis)
    if curve.goal in SHARES:
        axis.axhline(curve.aim, label=_goal_in_words(curve), **GOAL_STYLE)
    axis.set(ylim=(-0.02, 1.02), ylabel="precision and recall")


def draw_share(curve: Curve, name: str, axis: Axes, **style: Argument) -> None:
    """Draw the precision or the recall at thresholds."""
    place = DRAWN.index(name)
    colors = axes_colors(axis).shares
    style = {"color": colors[place], "linestyle": DASHES[place], "linewidth": 1.6} | style
    axis.step(curve.threshold, getattr(curve, name), where="post", **style)


def mark_share(point: AnyResult, name: str, axis: Axes, color: Color | None = None) -> None:
    """Draw the precision or the recall of a threshold as a point on its curve."""
    axis.plot(
        point.threshold,
        getattr(point, name),
        "o",
        color=color or axes_colors(axis).shares[DRAWN.index(name)],
        markersize=POINT_SIZE,
        zorder=3,
        label="_",
    )


def _goal_in_words(curve: Curve) -> str:
    """Write "precision at least 0.9 with 95% confidence", or the goal of a sample."""
    if curve.guarantee is None:
        return f"goal: {curve.goal} {curve.aim:g}"
    return f"{curve.goal} at least {curve.aim:g} with {level_as_text(curve.guarantee)} confidence"


def _share_in_words(point: AnyResult, name: str) -> str:
    limits = getattr(point, f"{name}_interval")
    value, low, high = printed(Estimate(getattr(point, name), *limits))
    return f"{value} ({interval_head(point.confidence_level)} {low} to {high})"


def _title(point: AnyResult) -> str:
    at_prevalence = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    is_whole = float(point.n_selected).is_integer()
    count = f"{point.n_selected:,}" if is_whole else f"weight {point.n_selected:.3g}"
    text = f"{count} selected at threshold {point.printed_threshold}"
    return add_sample_size(f"{'no threshold' if point.remark else text}{at_prevalence}", point)
