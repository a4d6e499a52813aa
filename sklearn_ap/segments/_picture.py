"""Segments as a forest of scores with their limits, or as points in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_ap._drawing.axes import REFERENCE_STYLE, axes_for, colors_on, ensure_layout
from sklearn_ap._drawing.legend import in_words
from sklearn_ap._results.text import interval_head
from sklearn_ap.definitions._prevalence import title_at
from sklearn_ap.intervals._pictures import draw_named
from sklearn_ap.segments._comparison import SegmentComparison
from sklearn_ap.segments._names import dates_of


def plot_segments(found: SegmentComparison, ax: Any) -> Any:
    """Draw a row for each segment, or a point in time, and a line at the mean of their scores."""
    dates = dates_of(found.rankings)
    in_color = found.adjusted_pvalue < 1 - found.confidence_level
    title = in_words(title_at(found.definition, found.prevalence))
    score = f"{title}, {interval_head(found.confidence_level)}"
    if dates is None:
        names = [*map(str, found.rankings)]
        axis = draw_named(ax, names, found.estimate, found.low, found.high, in_color)
        draw_line = axis.axvline
        axis.set_xlabel(score, parse_math=False)
    else:
        (axis,) = axes_for(ax, 1)
        ensure_layout(axis)
        seen = colors_on(axis)
        colors = np.where(in_color, seen.models[0], seen.grey)
        axis.vlines(dates, found.low, found.high, color=colors, linewidth=2.5)
        axis.scatter(dates, found.estimate, s=36, c=colors, zorder=3)
        draw_line = axis.axhline
        axis.tick_params(axis="x", rotation=30)
        axis.set_ylabel(score, parse_math=False)
    level = f"adjusted p < {1 - found.confidence_level:.3g}"
    text = f"in colour: unlike {found.reference} ({level})"
    if not np.isnan(found.overall):
        draw_line(found.overall, **REFERENCE_STYLE)
        text += "; line: weighted mean"
    axis.set_title(text, fontsize="medium", parse_math=False)
    return axis
