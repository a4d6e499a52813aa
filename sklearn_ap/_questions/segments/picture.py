"""Scores of segments as rows, or over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import AnyResult, Array, Axes, Bool, Float, Index, Name
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import add_sample_size, title_in_words
from sklearn_ap._base.drawing.named_rows import (
    draw_named,
    include_scores,
    row_colors,
    select_extreme_rows,
)
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import interval_head, title_with_prevalence
from sklearn_ap._questions.segments._verdicts import shows_trend
from sklearn_ap._questions.segments.names import REFERENCES, dates_of
from sklearn_ap._questions.verdicts import printed_values

CLEAR_LOSS = 0.1  # effective positives are shown where they are fewer by this share


class OtherModel(NamedTuple):
    """The scores of another model in the same segments, which are drawn without intervals."""

    name: str
    scores: Float


def plot_segments(
    result: AnyResult, ax: Axes, dates: Array | None = None, other: OtherModel | None = None
) -> Axes:
    """Draw a row (or a point, for dates) for each segment, and lines at their mean and trend.

    ``dates`` are those of the segments, if their names are texts. The mean is drawn only if it is
    one of several segments, and the trend only if it is shown that the score rises or falls.
    """
    is_different = result.adjusted_pvalues < 1 - result.confidence_level
    prevalence = None if result.prevalence is None else float(f"{result.prevalence:.2g}")
    title = title_in_words(title_with_prevalence(result.definition.title, prevalence))
    score = f"{title}, {interval_head(result.confidence_level)}"
    if dates is None:
        named_dates = dates_of(result.rankings)
        dates = None if named_dates is None else np.array(named_dates)
    if dates is None:
        axis, drawn_rows = _draw_rows(result, ax, score, is_different)
        draw_reference_line = axis.axvline
        if other is not None:
            _draw_other(axis, other.scores[drawn_rows], np.arange(drawn_rows.size))
            include_scores(axis, other.scores[drawn_rows])
    else:
        axis = _draw_dates(result, ax, score, is_different, dates)
        draw_reference_line = axis.axhline
        if other is not None:
            _draw_other(axis, dates, other.scores)
    lines = []
    if not np.isnan(result.overall) and _segments_of_mean(result).size != 1:
        draw_reference_line(result.overall, **REFERENCE_STYLE)
        lines.append("mean weighted by positives")
    if result.trend_line is not None and shows_trend(result):
        if dates is None:
            trend_line = result.trend_line[:, drawn_rows]
            _draw_trend(axis, trend_line, np.arange(drawn_rows.size), is_vertical=True)
        else:
            _draw_trend(axis, result.trend_line, dates, is_vertical=False)
        lines.insert(0, "average change (trend)")
    label = axis.get_xlabel().split("\n")
    n_first = 1 if dates is None else 0  # the name of the score, unless it is beside the axis
    markers = [] if other is None else [f"open diamonds: {printable(other.name)}"]
    key = [*markers, *_key(result, is_different, lines)]
    words = [*label[:n_first], *key, *label[n_first:]]
    axis.set_xlabel("\n".join(words), parse_math=False)
    return axis


def _key(result: AnyResult, is_different: Bool, lines: list[str]) -> list[str]:
    """Name the colours, if a segment has one, and the lines; a line of text for each."""
    texts = []
    name = printable(str(_reference_name(result)))
    than = f"than the {name}" if name in REFERENCES else f"than {name}"
    signs = {"orange: lower": result.differences < 0, "blue: higher": result.differences > 0}
    colors = [words for words, has_sign in signs.items() if (is_different & has_sign).any()]
    if colors:
        level = f"adjusted p < {1 - result.confidence_level:.3g}".replace(" ", "\N{NO-BREAK SPACE}")
        texts.append(f"{', '.join(colors)} {than} ({level})")
    if lines:
        noun = "line" if len(lines) == 1 else "lines"
        texts.append(f"{noun}: {' and '.join(lines)}")
    return texts


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
    texts = printed_values(values, lows, highs)
    axis = draw_named(
        ax,
        [str(result.rankings[row]) for row in rows],
        values,
        lows,
        highs,
        [f"{value}{_count_as_text(result, row)}" for value, row in zip(texts, rows, strict=True)],
        is_different[rows],
        is_lower=(result.differences < 0)[rows],
    )
    brackets = "in brackets: effective positives" if has_fewer_effective(result) else ""
    words = "\n".join(filter(None, (score, brackets)))
    axis.set_xlabel(add_sample_size(words, result, left_out), parse_math=False)
    return axis, rows


def has_fewer_effective(result: AnyResult) -> bool:
    """Check whether positives of a segment count for clearly less, by weights or clusters."""
    if result.n_effective is None:
        return False
    return bool(np.any(result.n_effective < (1 - CLEAR_LOSS) * result.n_positives))


def _count_as_text(result: AnyResult, row: int) -> str:
    """Write the positives of a segment, or the effective ones in brackets, which are short."""
    if has_fewer_effective(result):
        n = result.n_effective[row]
        return f" ({n:,.0f})" if n >= 10 else f" ({n:.2g})"
    return f", {result.n_positives[row]:,.6g} positives"


def _draw_dates(result: AnyResult, ax: Axes, score: str, is_different: Bool, dates: Array) -> Axes:
    (axis,) = prepare_axes(ax, 1)
    ensure_layout(axis)
    colors = row_colors(axis, is_different, is_lower=result.differences < 0)
    axis.vlines(dates, result.lows, result.highs, color=colors, linewidth=2.5)
    axis.scatter(dates, result.estimates, s=36, c=colors, zorder=3)
    axis.tick_params(axis="x", rotation=30)
    axis.set_ylabel(score, parse_math=False)
    axis.set_xlabel(add_sample_size("", result), parse_math=False)
    return axis


def _draw_other(axis: Axes, x: Array, y: Array) -> None:
    """Mark the scores of another model; the axes have room for all of them."""
    color = axes_colors(axis).grey
    axis.plot(x, y, "D", color=color, markerfacecolor="none", markersize=5, zorder=2.5)


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
