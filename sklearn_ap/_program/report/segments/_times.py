"""The picture of segments along an axis of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Axes, Color, Float
from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place, spread
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, shorten_name, text_width
from sklearn_ap._base.extras import printable
from sklearn_ap._program.report.page.pictures import TEXT_GREY, label_size
from sklearn_ap._program.report.page.words import number
from sklearn_ap._program.report.segments._drawing import (
    LIMITS_WIDTH,
    PAD,
    RING_SIZE,
    Frame,
    Scale,
    SegmentNumbers,
    draw_models,
    figure_size,
    fit_label,
    label_scores,
    level_color,
    model_color,
    ring_colors,
)
from sklearn_ap._questions.verdicts import printed_values

END_ROOM = 0.29  # of the figure, for a label at the right end
NAME_ROOM = 0.25  # of the figure, for the name of a time
TOP = 8  # points above the axes
TICK = 4  # points, for the mark of a time and the gap below it
BELOW = 6  # points below the axes where no name of a time begins
MODEL_WEIGHT = 5.0  # of the labels of models, which move less than those of lines
NAME_GAP = 1.25  # the distance of two names of times, in widths of a name
LABEL_GAP = 2.0  # points between an interval and the score above or below it
MOST_SCORES = 2  # beside ringed points of a model, and that of the latest one
FARTHEST = 30.0  # points between a ring and its score, which is left to the table otherwise
POINT_RADIUS = 4  # points around a point that a text does not cover
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH_OR_DAY = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(?:-(\d{2}))?")
WEEK_OR_QUARTER = re.compile(r"(\d{4})-?([QW]\d+)")


class TimeName(NamedTuple):
    """The name of a time without its year, and the year if it has one."""

    text: str
    year: str = ""


class EndLabel(NamedTuple):
    """A label at the right end of a series or a line, at the height of a score."""

    text: str
    score: float
    color: Color
    weight: float = 1.0  # against moving it

    @property
    def height(self) -> float:
        return LINE_HEIGHT * label_size() * (1 + self.text.count("\n"))


def draw_times(axis: Axes, numbers: SegmentNumbers, times: Array) -> None:
    """Draw the scores of one or two models over time, and name them at the right end."""
    days = _as_days(times)
    gaps = np.diff(np.unique(days))
    step = float(gaps.min()) if gaps.size else 1.0
    labels = _end_labels(axis, numbers, int(np.argmin(days)), int(np.argmax(days)))
    names = _time_names(axis, numbers.names)
    limits = numbers.limits
    frame = _frame(axis, labels, names, label_scores(axis, "y", numbers.ticks))
    frame.place(axis)
    places = [days + shift * step for shift in numbers.shifts]
    across = _across(np.concatenate(places), step, frame.width)
    along = Scale(*limits, frame.height)
    axis.set_xlim(across.low, across.high)
    axis.set_ylim(*limits)
    axis.spines["left"].set_visible(False)
    _label_times(axis, days, names, across)
    draw_models(axis, numbers, days, step, "y")
    _write_ringed_scores(axis, numbers, places, across, along)
    _write_end_labels(axis, labels, along)


def _across(places: Float, step: float, width: float) -> Scale:
    """Leave half a step, or room for a ring, beyond the first and the last point."""
    low = float(places.min())
    high = float(places.max())
    room = (RING_SIZE / 2 + 2) / max(1.0, width - RING_SIZE - 4)
    margin = max(0.5 * step, room * (high - low))
    return Scale(low - margin, high + margin, width)


def _as_days(times: Array) -> Float:
    """Return dates as numbers of days; steps are numbers."""
    from matplotlib.dates import date2num

    if times.dtype.kind == "f":
        return times
    return np.array(date2num(times), dtype=np.float64)  # type: ignore[no-untyped-call]


def _end_labels(axis: Axes, numbers: SegmentNumbers, earliest: int, latest: int) -> list[EndLabel]:
    """Name the models with their latest scores, and the lines with theirs, a trend with both."""
    room = END_ROOM * figure_size(axis)[0]
    labels = []
    for model in numbers.models:
        color = model_color(axis, model)
        last = model.select(np.array([latest]))
        (value,) = printed_values(last.scores, last.lows, last.highs)
        label = fit_label(model.name, "" if last.few[0] else value, room)  # a few tell no score
        if label:
            labels.append(EndLabel(label, float(last.scores[0]), color, MODEL_WEIGHT))
        if model.trend_line is not None:
            start, end = (model.trend_line[0, place] for place in (earliest, latest))
            text = fit_label("trend", f"{number(start)} to {number(end)}", room)
            labels.append(EndLabel(text, float(end), color))
    for level in (each for each in numbers.levels if each.name):
        color = level_color(axis, level, TEXT_GREY)
        labels.append(EndLabel(fit_label(level.name, level.text, room), level.value, color))
    return labels


def _time_names(axis: Axes, names: Sequence[str]) -> list[TimeName]:
    """Write months, days, quarters and weeks without their year, and shorten other names."""
    size = axis.xaxis.get_ticklabels()[0].get_size()
    room = NAME_ROOM * figure_size(axis)[0]
    return [_time_name(name, room, size) for name in names]


def _time_name(name: str, room: float, size: float) -> TimeName:
    if match := MONTH_OR_DAY.fullmatch(name):
        year, month, day = match.groups()
        return TimeName(
            " ".join(filter(None, [day and f"{int(day)}", MONTHS[int(month) - 1]])), year
        )
    if match := WEEK_OR_QUARTER.fullmatch(name):
        return TimeName(match[2], match[1])
    lines = (shorten_name(printable(line), room, size) for line in name.split("\n"))
    return TimeName("\n".join(lines))


def _frame(
    axis: Axes, labels: Sequence[EndLabel], names: Sequence[TimeName], scores_width: float
) -> Frame:
    """Leave the room around the axes that their labels need."""
    width, height = figure_size(axis)
    size = axis.xaxis.get_ticklabels()[0].get_size()
    half = max(text_width(name.text, size) for name in names) / 2  # of a name at an end
    left = max(scores_width + PAD, half)
    right = max([half, *(text_width(label.text, label_size()) + PAD + 2 for label in labels)])
    n_lines = max(1 + name.text.count("\n") + bool(name.year) for name in names)
    bottom = 2 * TICK + LINE_HEIGHT * size * n_lines
    return Frame(left, bottom, width - left - right, height - bottom - TOP)


def _label_times(axis: Axes, days: Float, names: Sequence[TimeName], across: Scale) -> None:
    """Label the latest time and as many others as there is room for; each year stands once."""
    size = axis.xaxis.get_ticklabels()[0].get_size()
    width = NAME_GAP * max(text_width(name.text, size) for name in names)
    day = across.length / (across.high - across.low)
    places = _regular_places(days, width / day)
    years = ["", *(names[place].year for place in places)]
    texts = [
        names[place].text + (f"\n{after}" if after != before else "")
        for place, (before, after) in zip(places, pairwise(years), strict=True)
    ]
    axis.set_xticks(days[places], texts, parse_math=False)
    axis.set_xticks(days, minor=True)


def _regular_places(days: Float, least_gap: float) -> list[int]:
    """Select the latest time, and each second or third one before it if gaps would be too short."""
    order = np.argsort(-days, kind="stable")
    for stride in range(1, order.size):
        selected = order[::stride][::-1]
        if (np.diff(days[selected]) >= least_gap).all():
            return selected.tolist()
    return [int(order[0])]


def _write_ringed_scores(
    axis: Axes, numbers: SegmentNumbers, places: Sequence[Float], across: Scale, along: Scale
) -> None:
    """Write the scores of marked segments where they cover nothing.

    That of the latest one stands at the right end, and one without room is left to the table.
    """
    drawn = _drawn_boxes(numbers, [across.points(each) for each in places], across, along)
    for model, each in zip(numbers.models, places, strict=True):
        if model.rings is None:
            continue
        texts = printed_values(model.scores, model.lows, model.highs)
        colors = ring_colors(axis, model.rings.alarming)
        x = across.points(each)
        y = along.points(model.scores)
        ends = along.points(np.array([model.lows, model.highs]))
        ends = np.where(np.isnan(ends), y, ends)
        marked = np.flatnonzero(model.marked & (x < x.max())).tolist()
        if len(marked) > MOST_SCORES:  # more would stand beside each other's points
            marked = marked[:1]
        for i in marked:
            size = text_width(texts[i], label_size()), LINE_HEIGHT * label_size()
            low = min(ends[0, i], y[i] - RING_SIZE / 2)
            high = max(ends[1, i], y[i] + RING_SIZE / 2)
            room = across.length, along.length
            corner = _above_or_below(x[i], (low, high), size, room, drawn)
            if corner is None:
                point = x[i], y[i], x[i], y[i]
                corner = nearest_free_place(point, size, RING_SIZE / 2 + 2, room, drawn, FARTHEST)
            is_below_other = corner is not None and _is_nearer_another(corner[0], size[0], x, i)
            if corner is not None and not is_below_other:
                drawn = drawn.append(*corner, *size)
                _write_score(axis, texts[i], corner, colors[i])


def _is_nearer_another(left: float, width: float, x: Float, i: int) -> bool:
    """Check whether the middle of a label is nearer to the time of another point."""
    return int(np.argmin(np.abs(x - left - width / 2))) != i


def _above_or_below(
    x: float,
    ends: tuple[float, float],
    size: tuple[float, float],
    room: tuple[float, float],
    drawn: Boxes,
) -> tuple[float, float] | None:
    """Return the lower left corner of a label at an end of an interval, if nothing is there."""
    width, height = size
    low, high = ends
    left = min(max(x - width / 2, 0.0), room[0] - width)
    for bottom in (high + LABEL_GAP, low - LABEL_GAP - height):
        box = Boxes.around(np.empty((0, 2)), 0.0).append(left, bottom, width, height)
        if 0 <= bottom <= room[1] - height and not box.overlaps(drawn).any():
            return left, bottom
    return None


def _write_score(axis: Axes, text: str, corner: tuple[float, float], color: Color) -> None:
    axis.annotate(
        text,
        (0, 0),
        xytext=corner,
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
        color=color,
        fontsize=label_size(),
    )


def _drawn_boxes(
    numbers: SegmentNumbers, places: Sequence[Float], across: Scale, along: Scale
) -> Boxes:
    """Return the boxes of intervals, points, rings and lines, in points."""
    boxes = []
    half = LIMITS_WIDTH / 2 + 1
    for x, model in zip(places, numbers.models, strict=True):
        y = along.points(model.scores)
        low = along.points(model.lows)
        high = along.points(model.highs)
        boxes.append((x - half, low - 1, x + half, high + 1))
        radii = np.where(model.marked, RING_SIZE / 2, POINT_RADIUS)
        boxes.append((x - radii, y - radii, x + radii, y + radii))
    y = along.points(np.array([level.value for level in numbers.levels], dtype=np.float64))
    boxes.append((np.zeros_like(y), y - 1, np.full_like(y, across.length), y + 1))
    return Boxes(*(np.concatenate(side) for side in zip(*boxes, strict=True)))


def _write_end_labels(axis: Axes, labels: Sequence[EndLabel], along: Scale) -> None:
    """Write the labels as near to their scores as they do not overlap."""
    heights = np.array([label.height for label in labels])
    scores = np.array([label.score for label in labels])
    weights = np.array([label.weight for label in labels])
    places = spread(along.points(scores), heights, weights, -BELOW, along.length + TOP)
    for label, place in zip(labels, places, strict=True):
        text = axis.annotate(
            label.text,
            (1, 0),
            xytext=(PAD, place),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            color=label.color,
            fontsize=label_size(),
            linespacing=1.1,
        )
        text.set_parse_math(False)
