"""Scores of segments as rows, or over time."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import (
    AnyResult,
    Array,
    Artist,
    Axes,
    Bool,
    Float,
    Index,
    Name,
)
from sklearn_ap._base.drawing.axes import (
    REFERENCE_STYLE,
    axes_colors,
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
    size_in_points,
    text_width,
    title_in_words,
)
from sklearn_ap._base.drawing.lines_and_bands import Label
from sklearn_ap._base.drawing.named_rows import (
    draw_named,
    finite_numbers,
    limits_with_margin,
    row_colors,
    select_extreme_rows,
)
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import interval_head, level_as_text, title_with_prevalence
from sklearn_ap._questions.segments._picture_labels import (
    dates_as_texts,
    label_times,
    legend_of_model,
    legend_of_points,
    ring_label,
    trend_label,
)
from sklearn_ap._questions.segments._verdicts import shows_trend
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.verdicts import printed_values
from sklearn_ap.definitions import Step

CLEAR_LOSS = 0.1  # effective positives are shown where they are fewer by this share
SHIFT = 0.19  # of each of two models from the middle of a row or a step
RING_SIZE = 11  # points, around the point of a segment
MARGIN = 0.1  # between scores and the ends of their axis, as a share of their range
LEAST_SHARE = 0.25  # of the axis, for the scores beside that of random orders
TEXT_SHARE = 0.72  # of the figure, for a line below the axes
Y_TEXT_SHARE = 0.45  # of the height of a figure, for a line beside the axes
ROOM_OF_NUMBERS = 32  # points, left of the axes


class OtherModel(NamedTuple):
    """The scores of another model in the same segments, and their confidence limits."""

    name: str
    scores: Float
    lows: Float
    highs: Float


class _Places(NamedTuple):
    """Where segments are drawn: on rows, or along an axis of time."""

    axis: Axes
    segments: Index  # those that are drawn
    positions: Float  # row numbers, or days
    step: float  # the least distance of two positions
    are_rows: bool

    def points(self, scores: Float, shift: float = 0.0) -> tuple[Float, Float]:
        """Return coordinates of scores of the segments, shifted by a share of a step."""
        places = self.positions + shift * self.step
        drawn = scores[self.segments]
        return (drawn, places) if self.are_rows else (places, drawn)


def plot_segments(
    result: AnyResult,
    ax: Axes,
    dates: Array | None = None,
    other: OtherModel | None = None,
    *,
    name: str = "",
    marked: Bool | None = None,
    has_trend: bool = True,
    others_mean: float | None = None,
    steps: Float | None = None,
) -> Axes:
    """Draw a row (or a point, for dates) for each segment, and lines at their mean and trend.

    ``dates`` are those of the segments, if their names are texts, and ``steps`` are their times
    without dates. ``name`` is that of the model. Segments that differ are in colour. Or the model
    is, where segments are ``marked``: by a ring, and along an axis of time also by their scores.
    The mean is drawn only if it is one of several segments, or as that of the others. The trend is
    drawn only if it is shown that the score rises or falls, and not without ``has_trend``.
    """
    is_different = result.adjusted_pvalues < 1 - result.confidence_level
    if dates is None and steps is None:
        named_dates = dates_of(result.rankings)
        dates = None if named_dates is None else np.array(named_dates)
    times = steps if dates is None else dates
    shift = 0.0 if other is None else -SHIFT
    if times is None:
        places = _draw_rows(result, ax, is_different, shift, is_of_model=marked is not None)
    else:
        places = _draw_times(result, ax, is_different, times, shift, is_of_model=marked is not None)
    axis = places.axis
    if marked is None:
        rows = legend_of_points(axis, result, is_different, name, _reference_name(result))
    else:
        rows = legend_of_model(axis, name)
    numbers = [finite_numbers(result.estimates, result.lows, result.highs)]
    if other is not None:
        color_place = 1 if marked is not None else None
        mark = _draw_other(places, other, color_place)
        rows.insert(1 if name else 0, (mark, Label(printable(other.name))))
        numbers.append(finite_numbers(other.scores, other.lows, other.highs))
    if marked is not None and marked[places.segments].any():
        rows.append((_draw_rings(places, result, marked, shift), ring_label(result)))
    if result.trend_line is not None and has_trend and shows_trend(result):
        level = level_as_text(result.confidence_level)
        rows.append((_draw_trend(places, result.trend_line), trend_label(level)))
        numbers.append(np.clip(result.trend_line, *result.definition.bounds).ravel())
    rows += _draw_levels(places, result, np.concatenate(numbers), others_mean)
    if rows:
        draw_legend_below(axis, rows, _left_of_axes(places))
    if is_own_figure(ax):
        fit_height(axis.figure)
    return axis


def _score_in_words(result: AnyResult) -> str:
    prevalence = None if result.prevalence is None else float(f"{result.prevalence:.2g}")
    title = title_in_words(title_with_prevalence(result.definition.title, prevalence))
    return f"{title}, {interval_head(result.confidence_level)}"


def _draw_levels(
    places: _Places, result: AnyResult, numbers: Float, others_mean: float | None
) -> list[tuple[Artist, Label]]:
    """Draw the mean and the score of random orders, and set limits for all numbers in sight.

    Random orders are left out where scores are so much higher that they would look alike.
    """
    axis = places.axis
    draw_line = axis.axvline if places.are_rows else axis.axhline
    rows = []
    mean = result.overall if others_mean is None else others_mean
    has_mean = others_mean is not None or _segments_of_mean(result).size != 1
    if not np.isnan(mean) and has_mean:
        line = draw_line(mean, **REFERENCE_STYLE)
        which = "mean" if others_mean is None else "mean of the others,"
        rows.append((line, Label(None, f"{which} weighted by positives")))
        numbers = np.append(numbers, mean)
    chance = _chance_level(result)
    all_numbers = np.append(numbers, chance)
    if np.ptp(numbers) >= LEAST_SHARE * np.ptp(all_numbers):  # False if one of them is nan
        line = draw_line(chance, **REFERENCE_STYLE, linestyle=":")
        rows.append((line, Label(None, "random order")))
        numbers = all_numbers
    set_limits = axis.set_xlim if places.are_rows else axis.set_ylim
    set_limits(*limits_with_margin(numbers, MARGIN))
    return rows


def _chance_level(result: AnyResult) -> float:
    """Return the score of random orders, which all segments share; nan if they do not.

    Random orders of other definitions do not score the prevalence.
    """
    has_chance = isinstance(result.definition, Step) and result.prevalence is not None
    return float(result.prevalence) if has_chance else np.nan


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


def _draw_rows(
    result: AnyResult, ax: Axes, is_different: Bool, shift: float, is_of_model: bool
) -> _Places:
    """Draw the segments most unlike the reference as rows."""
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
        True if is_of_model else is_different[rows],
        is_lower=False if is_of_model else (result.differences < 0)[rows],
        shift=shift,
    )
    brackets = "in brackets: effective positives" if has_fewer_effective(result) else ""
    words = "\n".join(filter(None, (_score_in_words(result), brackets)))
    _write_below(axis, add_sample_size(words, result, left_out))
    return _Places(axis, rows, np.arange(rows.size, dtype=float), 1.0, are_rows=True)


def _write_below(axis: Axes, text: str) -> None:
    """Write a text below the axis, in lines that the figure has room for."""
    size = axis.xaxis.label.get_size()
    room = TEXT_SHARE * axes_size(axis).width
    lines = (break_lines(line, room, size) for line in text.split("\n"))
    axis.set_xlabel("\n".join(lines), parse_math=False)


def has_fewer_effective(result: AnyResult) -> bool:
    """Check whether positives of a segment count for clearly less, by weights or clusters."""
    if result.n_effective is None:
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
    return f", {result.n_positives[row]:,.6g} positives"


def _draw_times(
    result: AnyResult,
    ax: Axes,
    is_different: Bool,
    times: Array,
    shift: float,
    is_of_model: bool,
) -> _Places:
    from matplotlib.dates import date2num

    (axis,) = prepare_axes(ax, 1)
    ensure_layout(axis)
    days: Float = np.asarray(times)
    are_steps = days.dtype.kind == "f"
    if not are_steps:
        axis.xaxis_date()
        days = np.array(date2num(times), dtype=np.float64)  # type: ignore[no-untyped-call]
    gaps = np.diff(np.unique(days))
    step = float(gaps.min()) if gaps.size else 1.0
    places = _Places(axis, np.arange(days.size), days, step, are_rows=False)
    is_lower = False if is_of_model else result.differences < 0
    colors = row_colors(axis, np.ones_like(is_different) if is_of_model else is_different, is_lower)
    x, y = places.points(result.estimates, shift)
    axis.vlines(x, result.lows, result.highs, color=colors, linewidth=2.5)
    axis.scatter(x, y, s=36, c=colors, zorder=3)
    if are_steps or all(isinstance(name, str) for name in result.rankings):
        texts = [*map(str, result.rankings)]
    else:
        texts = dates_as_texts(times)
    label_times(axis, days, texts)
    score = _score_in_words(result).replace("% ", "%\N{NO-BREAK SPACE}")
    room = Y_TEXT_SHARE * axes_size(axis).height
    score = break_lines(score, room, axis.yaxis.label.get_size())
    axis.set_ylabel(score, parse_math=False)
    _write_below(axis, add_sample_size("", result))
    return places


def _draw_other(places: _Places, other: OtherModel, color_place: int | None) -> Artist:
    """Mark the scores of another model beside those of the first, with thin intervals.

    They are grey, or have the colour of a model.
    """
    axis = places.axis
    palette = axes_colors(axis)
    color = palette.grey if color_place is None else palette.models[color_place]
    draw_limits = axis.hlines if places.are_rows else axis.vlines
    middles = places.positions + SHIFT * places.step
    ends = (limits[places.segments] for limits in (other.lows, other.highs))
    draw_limits(middles, *ends, color=color, linewidth=0.8, zorder=1.5)
    points = places.points(other.scores, SHIFT)
    style = {"color": color, "markerfacecolor": "none", "markersize": 4.5, "zorder": 2.5}
    return axis.plot(*points, "D", **style)[0]


def _draw_rings(places: _Places, result: AnyResult, marked: Bool, shift: float) -> Artist:
    """Mark segments by rings, and by their scores where no row has these; return a ring."""
    axis = places.axis
    palette = axes_colors(axis)
    is_lower = (result.differences < 0)[marked]
    color = palette.alarm if is_lower.any() else palette.grey  # a better one is no alarm
    is_shown = marked[places.segments]
    points = np.column_stack(places.points(result.estimates, shift))[is_shown]
    style = {"markerfacecolor": "none", "markersize": RING_SIZE, "markeredgewidth": 1.8}
    (rings,) = axis.plot(*points.T, "o", color=color, zorder=4, **style)
    if not places.are_rows:
        texts = np.array(printed_values(result.estimates, result.lows, result.highs))[marked]
        for point, text in zip(points, texts, strict=True):
            # Left of the last point, where the axes end.
            is_last = point[0] == points[:, 0].max() and marked[-1]
            axis.annotate(
                text,
                point,
                xytext=(-RING_SIZE if is_last else RING_SIZE, 5),  # above a line at its height
                textcoords="offset points",
                ha="right" if is_last else "left",
                va="center",
                color=color,
                fontsize=0.9 * size_in_points("legend.fontsize"),
            )
    return rings


def _draw_trend(places: _Places, trend_line: Float) -> Artist:
    """Draw the line and its band; return both, as the legend has them."""
    axis = places.axis
    line, low, high = trend_line[:, places.segments]
    color = axes_colors(axis).models[0]
    fill = axis.fill_betweenx if places.are_rows else axis.fill_between
    band = fill(places.positions, low, high, color=color, alpha=0.15, linewidth=0, zorder=1)
    points = (line, places.positions) if places.are_rows else (places.positions, line)
    return band, axis.plot(*points, color=color, zorder=2)[0]
