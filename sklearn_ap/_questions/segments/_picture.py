"""Scores of segments as rows, or over time."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import add_sample, title_in_words
from sklearn_ap._base.drawing.named_rows import draw_named, select_extreme_rows
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import interval_head, title_with_prevalence
from sklearn_ap._questions.segments.names import dates_of


def plot_segments(result: Any, ax: Any) -> Any:
    """Draw a row for each segment, or a point in time, and a line at the mean of their scores."""
    dates = dates_of(result.rankings)
    in_color = result.adjusted_pvalues < 1 - result.confidence_level
    title = title_in_words(title_with_prevalence(result.definition.title, result.prevalence))
    score = f"{title}, {interval_head(result.confidence_level)}"
    kept: Any = slice(None)
    if dates is None:
        of_reference = np.isnan(result.pvalues)
        kept, left_out = select_extreme_rows(
            np.where(of_reference, 1, 1 - result.pvalues), "most unlike the reference"
        )
        names = [str(result.rankings[i]) for i in kept]
        numbers = result.estimates[kept], result.lows[kept], result.highs[kept]
        axis = draw_named(ax, names, *numbers, in_color[kept], result.n_positives[kept])
        draw_line, places = axis.axvline, np.arange(kept.size)
        axis.set_xlabel(add_sample(score, result, left_out), parse_math=False)
    else:
        (axis,) = prepare_axes(ax, 1)
        ensure_layout(axis)
        seen = axes_colors(axis)
        colors = np.where(in_color, seen.models[0], seen.grey)
        axis.vlines(dates, result.lows, result.highs, color=colors, linewidth=2.5)
        axis.scatter(dates, result.estimates, s=36, c=colors, zorder=3)
        draw_line, places = axis.axhline, np.array(dates)
        axis.tick_params(axis="x", rotation=30)
        axis.set_ylabel(score, parse_math=False)
        axis.set_xlabel(add_sample("", result), parse_math=False)
    level = f"adjusted p < {1 - result.confidence_level:.3g}"
    reference, drawn = printable(str(result.reference)), []
    text = f"in colour: unlike {reference} ({level})"
    if not np.isnan(result.overall):
        draw_line(result.overall, **REFERENCE_STYLE)
        drawn.append("weighted mean")
    if result.trend_line is not None:
        _draw_trend(axis, result.trend_line[:, kept], places, in_rows=dates is None)
        drawn.append("trend")
    if drawn:
        text += f"; line{'s' * (len(drawn) > 1)}: {' and '.join(drawn)}"
    axis.set_title(text, fontsize="medium", parse_math=False)
    return axis


def _draw_trend(axis: Any, lines: Float, places: Any, in_rows: bool) -> None:
    """The line and its band: over time, or through rows."""
    line, low, high = lines
    color, fill = axes_colors(axis).models[0], axis.fill_betweenx if in_rows else axis.fill_between
    axis.plot(*((line, places) if in_rows else (places, line)), color=color, zorder=2)
    fill(places, low, high, color=color, alpha=0.15, linewidth=0, zorder=1)
