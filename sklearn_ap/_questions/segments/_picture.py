"""Scores of segments as rows, or over time."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.common.types import AnyResult, Array, Axes, Bool, Float, Index, Name
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import add_sample_size, title_in_words
from sklearn_ap._base.drawing.named_rows import draw_named, select_extreme_rows
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import interval_head, title_with_prevalence
from sklearn_ap._questions.segments._verdicts import shows_trend
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.verdicts import printed_values


def plot_segments(result: AnyResult, ax: Axes) -> Axes:
    """Draw a row (or a point, for dates) for each segment, and lines at their mean and trend.

    The mean is drawn only if it is one of several segments, and the trend only if it is shown that
    the score rises or falls.
    """
    is_different = result.adjusted_pvalues < 1 - result.confidence_level
    title = title_in_words(title_with_prevalence(result.definition.title, result.prevalence))
    score = f"{title}, {interval_head(result.confidence_level)}"
    dates = dates_of(result.rankings)
    if dates is None:
        axis, drawn_rows = _draw_rows(result, ax, score, is_different)
        draw_reference_line = axis.axvline
    else:
        axis = _draw_dates(result, ax, score, is_different, np.array(dates))
        draw_reference_line = axis.axhline
    lines = []
    if not np.isnan(result.overall) and _segments_of_mean(result).size != 1:
        draw_reference_line(result.overall, **REFERENCE_STYLE)
        lines.append("mean weighted by positives")
    if result.trend_line is not None and shows_trend(result):
        if dates is None:
            trend_line = result.trend_line[:, drawn_rows]
            _draw_trend(axis, trend_line, np.arange(drawn_rows.size), is_vertical=True)
        else:
            _draw_trend(axis, result.trend_line, np.array(dates), is_vertical=False)
        lines.insert(0, "trend")
    axis.set_title(_title(result, is_different, lines), fontsize="medium", parse_math=False)
    return axis


def _title(result: AnyResult, is_different: Bool, lines: list[str]) -> str:
    """Name the colour, if a segment has one, and the lines."""
    texts = []
    if is_different.any():
        level = f"adjusted p < {1 - result.confidence_level:.3g}"
        texts.append(f"in colour: unlike {printable(str(_reference_name(result)))} ({level})")
    if lines:
        noun = "line" if len(lines) == 1 else "lines"
        texts.append(f"{noun}: {' and '.join(lines)}")
    return "; ".join(texts)


def _segments_of_mean(result: AnyResult) -> Index:
    """Find the segments that score the mean: one if no other has enough positives to count in it.

    A line at its score would look as if it held for all segments.
    """
    return np.flatnonzero(np.isclose(result.estimates, result.overall, rtol=1e-12, atol=0))


def _reference_name(result: AnyResult) -> Name:
    """Return the name of the reference, where others may be a single segment."""
    segments = _segments_of_mean(result)
    is_single = segments.size == 1 and np.isnan(result.differences[segments[0]])
    return result.rankings[segments[0]] if is_single else result.reference


def _draw_rows(result: AnyResult, ax: Axes, score: str, is_different: Bool) -> tuple[Axes, Index]:
    """Draw the segments most unlike the reference as rows; return their indices."""
    is_reference = np.isnan(result.pvalues)
    unlikeness = np.where(is_reference, 1, 1 - result.pvalues)
    rows, left_out = select_extreme_rows(unlikeness, "most unlike the reference")
    values, lows, highs = (
        numbers[rows] for numbers in (result.estimates, result.lows, result.highs)
    )
    axis = draw_named(
        ax,
        [str(result.rankings[row]) for row in rows],
        values,
        lows,
        highs,
        printed_values(values, lows, highs),
        is_different[rows],
        result.n_positives[rows],
    )
    axis.set_xlabel(add_sample_size(score, result, left_out), parse_math=False)
    return axis, rows


def _draw_dates(result: AnyResult, ax: Axes, score: str, is_different: Bool, dates: Array) -> Axes:
    (axis,) = prepare_axes(ax, 1)
    ensure_layout(axis)
    palette = axes_colors(axis)
    colors = np.where(is_different, palette.models[0], palette.grey)
    axis.vlines(dates, result.lows, result.highs, color=colors, linewidth=2.5)
    axis.scatter(dates, result.estimates, s=36, c=colors, zorder=3)
    axis.tick_params(axis="x", rotation=30)
    axis.set_ylabel(score, parse_math=False)
    axis.set_xlabel(add_sample_size("", result), parse_math=False)
    return axis


def _draw_trend(axis: Axes, trend_line: Float, positions: Array, is_vertical: bool) -> None:
    """Draw the line and its band at positions: dates, or rows from the top down."""
    line, low, high = trend_line
    color = axes_colors(axis).models[0]
    if is_vertical:
        axis.plot(line, positions, color=color, zorder=2)
        fill = axis.fill_betweenx
    else:
        axis.plot(positions, line, color=color, zorder=2)
        fill = axis.fill_between
    fill(positions, low, high, color=color, alpha=0.15, linewidth=0, zorder=1)
