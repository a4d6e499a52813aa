"""Scores of segments as rows, or over time."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.drawing.axes import (
    REFERENCE_STYLE,
    axes_size,
    ensure_layout,
    prepare_axes,
)
from sklearn_ap._base.drawing.heights import fit_height, is_own_figure
from sklearn_ap._base.drawing.legend import (
    LINE_HEIGHT,
    add_sample_size,
    break_lines,
    draw_legend_below,
    text_width,
    title_in_words,
)
from sklearn_ap._base.drawing.named_rows import (
    draw_named,
    finite_numbers,
    limits_with_margin,
    row_colors,
    select_extreme_rows,
)
from sklearn_ap._base.text import interval_head, title_with_prevalence
from sklearn_ap._counts.averages import FEW_POSITIVES
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._questions.segments._picture_labels import (
    dates_as_texts,
    label_times,
    legend_of_points,
)
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.verdicts import printed_values
from sklearn_ap._types import (
    AnyResult,
    Array,
    Artist,
    Axes,
    Bool,
    Float,
    Index,
    Name,
)
from sklearn_ap.definitions import Step

CLEAR_LOSS = 0.1  # effective positives are shown where they are fewer by this share
MARGIN = 0.1  # between scores and the ends of their axis, as a share of their range
LEAST_SHARE = 0.25  # of the axis, for the scores beside that of random orders
TEXT_SHARE = 0.72  # of the figure, for a line below the axes
Y_TEXT_SHARE = 0.45  # of the height of a figure, for a line beside the axes
ROOM_OF_NUMBERS = 32  # points, left of the axes


class _Places(NamedTuple):
    """Where segments are drawn: on rows, or along an axis of time."""

    axis: Axes
    are_rows: bool


def plot_segments(result: AnyResult, ax: Axes) -> Axes:
    """Draw a row (or a point, for dates) for each segment, and a line at their mean.

    Segments that differ are in colour. The mean is drawn only if it is one of several segments.
    """
    is_different = result.adjusted_pvalues < 1 - result.confidence_level
    dates = dates_of(result.rankings)
    if dates is None:
        places = _draw_rows(result, ax, is_different)
    else:
        places = _draw_times(result, ax, is_different, np.array(dates))
    axis = places.axis
    rows = legend_of_points(axis, result, is_different, _reference_name(result))
    rows += _draw_levels(places, result)
    if rows:
        draw_legend_below(axis, rows, _left_of_axes(places))
    if is_own_figure(ax):
        fit_height(axis.figure)
    return axis


def _score_in_words(result: AnyResult) -> str:
    prevalence = None if result.prevalence is None else float(f"{result.prevalence:.2g}")
    title = title_in_words(title_with_prevalence(result.definition.title, prevalence))
    return f"{title}, {interval_head(result.confidence_level)}"


def _draw_levels(places: _Places, result: AnyResult) -> list[tuple[Artist, str]]:
    """Draw the mean and the score of random orders, and set limits for all numbers in sight."""
    numbers = finite_numbers(result.estimates, result.lows, result.highs)
    axis = places.axis
    draw_line = axis.axvline if places.are_rows else axis.axhline
    rows = []
    if has_mean(result):
        line = draw_line(result.overall, **REFERENCE_STYLE)
        rows.append((line, f"mean weighted by {counted_units(result)}"))
        numbers = np.append(numbers, result.overall)
    chance = chance_level(result)
    if is_chance_in_sight(chance, numbers):
        line = draw_line(chance, **REFERENCE_STYLE, linestyle=":")
        rows.append((line, "random order"))
        numbers = np.append(numbers, chance)
    set_limits = axis.set_xlim if places.are_rows else axis.set_ylim
    set_limits(*limits_with_margin(numbers, MARGIN))
    return rows


def has_mean(result: AnyResult) -> bool:
    """Check whether there is a mean, and whether it is that of several segments."""
    return not np.isnan(result.overall) and _segments_of_mean(result).size != 1


def chance_level(result: AnyResult) -> float:
    """Return the score of random orders, which all segments share; nan if they do not.

    Random orders of other definitions, and of short rankings such as queries, do not score the
    prevalence.
    """
    has_chance = isinstance(result.definition, Step) and result.prevalence is not None
    has_chance &= result.n_queries is None
    return float(result.prevalence) if has_chance else np.nan


def is_chance_in_sight(chance: float, numbers: Float) -> bool:
    """Check that numbers would not look alike if the score of random orders were drawn, too."""
    is_wide = np.ptp(numbers) >= LEAST_SHARE * np.ptp(np.append(numbers, chance))
    return bool(is_wide)  # False if one of them is nan


def _left_of_axes(places: _Places) -> float:
    """Return the width of the labels left of the axes, in points."""
    if not places.are_rows:
        label = places.axis.yaxis.label
        n_lines = 1 + label.get_text().count("\n")
        return ROOM_OF_NUMBERS + LINE_HEIGHT * n_lines * label.get_size()
    labels = places.axis.get_yticklabels()
    return max(text_width(label.get_text(), label.get_size()) for label in labels)


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


def _draw_rows(result: AnyResult, ax: Axes, is_different: Bool) -> _Places:
    """Draw the segments most unlike the reference as rows."""
    rows, left_out = select_unlike_rows(result)
    axis = draw_named(
        ax,
        [str(result.rankings[row]) for row in rows],
        result.estimates[rows],
        result.lows[rows],
        result.highs[rows],
        row_remarks(result, rows),
        is_different[rows],
        is_lower=(result.differences < 0)[rows],
    )
    brackets = "in brackets: effective positives" if has_fewer_effective(result) else ""
    words = "\n".join(filter(None, (_score_in_words(result), brackets)))
    _write_below(axis, add_sample_size(words, result, left_out))
    return _Places(axis, are_rows=True)


def select_unlike_rows(result: AnyResult) -> tuple[Index, str]:
    """Select the segments most unlike the reference, as too many cannot be read, and say so."""
    is_reference = np.isnan(result.pvalues)
    unlikeness = np.where(is_reference, 1, 1 - result.pvalues)
    return select_extreme_rows(unlikeness, "most unlike the reference")


def row_remarks(result: AnyResult, rows: Index) -> list[str]:
    """Write the score and the positives of segments, or the effective ones in brackets."""
    scores = (numbers[rows] for numbers in (result.estimates, result.lows, result.highs))
    texts = printed_values(*scores)
    return [f"{text}{_count_as_text(result, row)}" for text, row in zip(texts, rows, strict=True)]


def _write_below(axis: Axes, text: str) -> None:
    """Write a text below the axis, in lines that the figure has room for."""
    size = axis.xaxis.label.get_size()
    room = TEXT_SHARE * axes_size(axis).width
    lines = (break_lines(line, room, size) for line in text.split("\n"))
    axis.set_xlabel("\n".join(lines), parse_math=False)


def has_fewer_effective(result: AnyResult) -> bool:
    """Check whether positives of a segment count for clearly less, by weights or clusters."""
    if result.n_effective is None or result.n_queries is not None:
        return False
    return bool(np.any(result.n_effective < (1 - CLEAR_LOSS) * result.n_positives))


def effective_as_text(n_effective: float) -> str:
    """Print effective positives rounded down, as 9.97 are fewer than 10."""
    n = n_effective * (1 + RELATIVE_TOLERANCE)
    return f"{floor(n):,}" if n >= FEW_POSITIVES else f"{floor(10 * n) / 10:g}"


def _count_as_text(result: AnyResult, row: int) -> str:
    """Write the positives of a segment, or the effective ones in brackets, which are short."""
    if has_fewer_effective(result):
        return f" ({effective_as_text(result.n_effective[row])})"
    counts = result.n_positives if result.n_queries is None else result.n_queries
    return f", {counts[row]:,.6g} {counted_units(result)}"


def counted_units(result: AnyResult) -> str:
    """Name what scores of segments rest on."""
    return "positives" if result.n_queries is None else "queries"


def _draw_times(result: AnyResult, ax: Axes, is_different: Bool, dates: Array) -> _Places:
    from matplotlib.dates import date2num

    (axis,) = prepare_axes(ax, 1)
    ensure_layout(axis)
    axis.xaxis_date()
    days = np.array(date2num(dates), dtype=np.float64)  # type: ignore[no-untyped-call]
    colors = row_colors(axis, is_different, result.differences < 0)
    axis.vlines(days, result.lows, result.highs, color=colors, linewidth=2.5)
    axis.scatter(days, result.estimates, s=36, c=colors, zorder=3)
    label_times(axis, days, dates_as_texts(dates))
    score = _score_in_words(result).replace("% ", "%\N{NO-BREAK SPACE}")
    room = Y_TEXT_SHARE * axes_size(axis).height
    score = break_lines(score, room, axis.yaxis.label.get_size())
    axis.set_ylabel(score, parse_math=False)
    _write_below(axis, add_sample_size("", result))
    return _Places(axis, are_rows=False)
