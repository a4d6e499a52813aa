"""Scores and differences as points with their confidence limits, one row for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._drawing.axes import REFERENCE_STYLE, axes_for, colors_on, ensure_layout
from sklearn_ap._drawing.legend import in_words, shortened, size_in_points
from sklearn_ap._results.text import interval_head
from sklearn_ap.best_of_many import BestAveragePrecision
from sklearn_ap.definitions._prevalence import title_at
from sklearn_ap.intervals._interval import AveragePrecisionComparison, AveragePrecisionInterval

Array = NDArray[np.float64]

MOST_NAMES = 40  # beside the axes
ROW_HEIGHT = 0.26  # inches


def plot_interval(found: AveragePrecisionInterval[Any], ax: Any) -> Any:
    """Draw one row for each ranking."""
    rows = found.rows()
    limits = (np.array([row[name] for row in rows]) for name in ("estimate", "low", "high"))
    axis = draw_named(ax, [str(row.get("ranking", "")) for row in rows], *limits)
    level = interval_head(found.confidence_level)
    axis.set_xlabel(f"{_score_of(found)}, {level}", parse_math=False)
    return axis


def plot_best(best: BestAveragePrecision, ax: Any) -> Any:
    """Draw one row for each model, in colour if it may be the best."""
    in_color = np.isin(best.names, best.may_be_best)
    axis = draw_named(ax, best.names, best.estimates, best.lows, best.highs, in_color)
    level = interval_head(best.confidence_level)
    axis.set_xlabel(f"{_score_of(best)}, {level} valid for the best model", parse_math=False)
    n_best, n_models = len(best.may_be_best), len(best.names)
    title = f"{n_best} of {n_models} models may be the best: those in colour"
    axis.set_title(title, fontsize="medium")
    return axis


def plot_comparison(found: AveragePrecisionComparison, ax: Any) -> Any:
    """Draw one row for each model: its score on the left, its difference on the right."""
    if np.ndim(found.estimates) > 1:
        raise ValueError(
            "This comparison has several rankings per model, as average=None gives them: "
            "compare with another average, or each ranking alone."
        )
    n_models = len(found.names)
    left, right = axes_for(ax, 2, figsize=(8.0, 1.2 + 0.42 * n_models))
    ensure_layout(left)
    _draw(left, found.estimates, found.lows, found.highs)
    for row, value in enumerate(found.estimates):
        above = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
        left.annotate(f"{value:.3f}", (value, row), **above, fontsize="small")
    others = np.flatnonzero(np.array(found.names) != found.reference)
    lows, highs = found.difference_lows[others], found.difference_highs[others]
    right.axvline(0, **REFERENCE_STYLE)
    in_color = (lows > 0) | (highs < 0)
    _draw(right, found.differences[others], lows, highs, in_color, others)
    ends = np.array(right.get_xlim())
    margin = 0.05 * np.ptp(ends)  # 0 is always seen
    right.set_xlim(min(ends[0], -margin), max(ends[1], margin))
    _label_comparison(found, left, right)
    return np.array([left, right])


def _label_comparison(found: AveragePrecisionComparison, left: Any, right: Any) -> None:
    """Names on the left; differences and p-values on the right, where they cover nothing."""
    rows, reference = range(len(found.names)), found.names.index(found.reference)
    names = _short_names(left, found.names)
    left.set_yticks(rows, names, parse_math=False)
    differences = [f"{difference:+.3f}" for difference in found.differences]
    p_values = ["p < 0.001" if p < 0.001 else f"p = {p:.3f}" for p in found.adjusted_pvalues]
    words = [f"{one}\n{p_value}" for one, p_value in zip(differences, p_values, strict=True)]
    words[reference] = "reference"
    right.yaxis.tick_right()
    right.set_yticks(rows, words, fontsize="small")
    left.set_xlabel(_score_of(found), parse_math=False)
    right.set_xlabel(f"minus {names[reference]}", parse_math=False)
    level = interval_head(found.confidence_level)
    for axis, title in ((left, "score"), (right, "difference")):
        axis.set_title(f"{title}, {level}", fontsize="medium")
        axis.locator_params(axis="x", nbins=5)
        axis.set_ylim(len(rows) - 0.5, -0.65)
        axis.tick_params(axis="y", length=0)


def draw_named(
    ax: Any, names: Sequence[str], values: Array, lows: Array, highs: Array, in_color: Any = True
) -> Any:
    """Draw one row for each name, the first at the top; very many rows have no names."""
    (axis,) = axes_for(ax, 1, figsize=(6.4, 1.4 + ROW_HEIGHT * min(len(names), MOST_NAMES)))
    ensure_layout(axis)
    _draw(axis, values, lows, highs, in_color)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    shown = _short_names(axis, names if len(names) <= MOST_NAMES else ())
    axis.set_yticks(range(len(shown)), shown, parse_math=False)
    return axis


def _score_of(found: Any) -> str:
    """What was computed, in words."""
    return in_words(title_at(found.definition, found.prevalence))


def _short_names(axis: Any, names: Sequence[str]) -> list[str]:
    """Names beside the axes, none of them wider than three tenths of the figure."""
    room = 0.3 * 72 * axis.figure.bbox.width / axis.figure.dpi
    return [shortened(name, room, size_in_points("legend.fontsize")) for name in names]


def _draw(
    axis: Any, values: Array, lows: Array, highs: Array, in_color: Any = True, rows: Any = None
) -> None:
    seen, rows = colors_on(axis), np.arange(values.size) if rows is None else rows
    colors = np.where(np.broadcast_to(in_color, values.shape), seen.models[0], seen.grey)
    axis.hlines(rows, lows, highs, color=colors, linewidth=2.5)
    axis.scatter(values, rows, s=36, c=colors, zorder=3)
    # One-sided intervals are open: they run out of the axes.
    ends = np.concatenate((values, *(side[np.abs(side) < 1] for side in (lows, highs))))
    ends = ends[np.isfinite(ends)] if np.isfinite(ends).any() else np.zeros(1)
    margin = 0.12 * np.ptp(ends) or 0.1
    axis.set_xlim(ends.min() - margin, ends.max() + margin)
