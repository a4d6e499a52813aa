"""What pictures of segments on a page share: their numbers, and how points and rings look.

One or two models have points and intervals of the same strength. Their names, and those of lines
at the mean and at random orders, stand beside what they name, so that there is no legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Axes, Bool, Color, Float, Index
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors
from sklearn_ap._base.drawing.legend import shorten_name, text_width
from sklearn_ap._base.drawing.named_rows import finite_numbers, limits_with_margin
from sklearn_ap._base.extras import printable
from sklearn_ap._program.report.page.pictures import POINTS_PER_INCH, label_size

MARKERS = (("o", 6.0), ("D", 5.0))  # of the best model and of any other: as large to the eye
LIMITS_WIDTH = 1.6  # points
SMALL = 0.75  # the size of the points of a model without intervals, as a share of others
EDGE_WIDTH = 1.2  # points, of the edge of a point, which is hollow in a segment of few positives
SHIFT = 0.17  # of each of two models from the middle of a row or a step of time
RING_SIZE = 12  # points, around the point of a segment
RING_GREY = "0.25"  # of a ring that is no alarm
GRID = {"color": "0.8", "linewidth": 0.6, "zorder": 0}
MARGIN = 0.06  # between scores and the ends of their axis, as a share of their range
MOST_INTERVALS = 5  # between ticks of scores
MOST_PAIRS = 15  # times at which two models have intervals
ROUNDING = 1e-9  # of a step between ticks
PAD = 6  # points between the axes and a label


class Rings(NamedTuple):
    """Which segments have a ring around their point, and which of these are red."""

    marked: Bool
    alarming: Bool

    def select(self, places: Index | Bool) -> Rings:
        """Select segments."""
        return Rings(self.marked[places], self.alarming[places])


class ModelScores(NamedTuple):
    """The scores of a model in the segments, with their confidence limits, and what is told."""

    name: str  # empty for a model that has none
    scores: Float
    lows: Float
    highs: Float
    few: Bool  # which segments have too few positives to be compared
    color: int = 0  # its number among the colours of models, which all pictures of a page share
    rings: Rings | None = None
    trend_line: Float | None = None  # the heights of the line and of the limits of its band

    @property
    def marked(self) -> Bool:
        """Which segments have a ring."""
        return np.zeros(self.scores.size, dtype=bool) if self.rings is None else self.rings.marked

    def select(self, places: Index) -> ModelScores:
        """Select segments."""
        return self._replace(
            scores=self.scores[places],
            lows=self.lows[places],
            highs=self.highs[places],
            few=self.few[places],
            rings=None if self.rings is None else self.rings.select(places),
            trend_line=None if self.trend_line is None else self.trend_line[:, places],
        )

    def leave_out_limits(self) -> ModelScores:
        """Leave out intervals, which the scores of many segments hide."""
        missing = np.full_like(self.scores, np.nan)
        return self._replace(lows=missing, highs=missing)


class Level(NamedTuple):
    """A score that is the same in all segments, such as the mean, and the style of its line."""

    name: str  # empty for the prevalence, which the caption names
    value: float
    text: str  # the printed value
    line: str = "-"
    color: int | None = None  # of its model if there are two; that of others is grey


@dataclass(frozen=True, eq=False)
class SegmentNumbers:
    """The numbers of a picture of segments.

    Remarks stand beside rows, and below those of the first model the scores of the other one.
    """

    names: Sequence[str]
    models: Sequence[ModelScores]  # one or two, that of the words first
    levels: Sequence[Level]
    remarks: Sequence[str] = ()
    other_remarks: Sequence[str] = ()  # none if there is one model

    @property
    def ticks(self) -> Float:
        """Round scores at the ends of all that is drawn, and between them."""
        levels = np.array([level.value for level in self.levels], dtype=np.float64)
        return round_ticks(np.append(drawn_numbers(self.models), levels))

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis of scores."""
        return limits_with_margin(self.ticks, MARGIN)

    @property
    def shifts(self) -> Sequence[float]:
        """The shift of each model from the middle of its segment."""
        return (-SHIFT, SHIFT) if len(self.models) > 1 else (0.0,)


def drawn_numbers(models: Sequence[ModelScores]) -> Float:
    """List the scores, the limits in sight and the heights of trends of models."""
    numbers = [finite_numbers(model.scores, model.lows, model.highs) for model in models]
    trends = [model.trend_line.ravel() for model in models if model.trend_line is not None]
    return np.concatenate([*numbers, *trends])


def round_ticks(numbers: Float) -> Float:
    """Return round numbers in equal steps, a few, of which the ends frame these numbers."""
    low = float(numbers.min())
    high = float(numbers.max())
    digits = floor(log10((high - low or abs(high) or 1.0) / MOST_INTERVALS))
    for step in (factor * 10.0**digits for factor in (1, 2, 5, 10, 20)):
        first = floor(low / step + ROUNDING)
        last = ceil(high / step - ROUNDING)
        if last - first <= MOST_INTERVALS:
            break
    ticks = step * np.arange(first, max(last, first + 1) + 1)
    return np.round(ticks, max(0, -digits)).astype(np.float64)  # 0.3, and not 3 * 0.1


class Frame(NamedTuple):
    """The axes in a figure, in points."""

    left: float
    bottom: float
    width: float
    height: float

    def place(self, axis: Axes) -> None:
        width, height = figure_size(axis)
        axis.set_position(
            (self.left / width, self.bottom / height, self.width / width, self.height / height)
        )


class Scale(NamedTuple):
    """The values at the ends of an axis, and its length in points."""

    low: float
    high: float
    length: float

    def points(self, values: Float) -> Float:
        """Return the distances of values from the start of the axis."""
        return np.asarray((values - self.low) / (self.high - self.low) * self.length)


def figure_size(axis: Axes) -> tuple[float, float]:
    """Return the width and the height of a figure in points."""
    width, height = axis.figure.get_size_inches()
    return POINTS_PER_INCH * float(width), POINTS_PER_INCH * float(height)


def model_color(axis: Axes, model: ModelScores) -> Color:
    """Return the colour of a model, where colours of many models repeat."""
    colors = axes_colors(axis).models
    return colors[model.color % len(colors)]


def fit_label(name: str, value: str, room: float) -> str:
    """Write a name and a value in one line, or in two that are no wider than the room.

    The value stands below the name, or behind its last word where that is too long.
    """
    size = label_size()
    name = printable(name)
    line = f"{name} {value}".strip()
    if text_width(line, size) <= room:
        return line
    if text_width(name, size) <= room:
        return f"{name}\n{value}"
    first, _, last = name.rpartition(" ")
    if first and max(text_width(each, size) for each in (first, f"{last} {value}")) <= room:
        return f"{first}\n{last} {value}"
    return f"{shorten_name(name, room, size)}\n{value}"


def level_color(axis: Axes, level: Level, other: Color) -> Color:
    """Return the colour of the model of a line, or another colour if it has none."""
    colors = axes_colors(axis).models
    return other if level.color is None else colors[level.color % len(colors)]


def draw_levels(axis: Axes, levels: Sequence[Level], along: str) -> None:
    """Draw lines at scores that are the same in all segments."""
    draw_line = axis.axvline if along == "x" else axis.axhline
    for level in levels:
        color = level_color(axis, level, REFERENCE_STYLE["color"])
        draw_line(level.value, **REFERENCE_STYLE | {"color": color}, linestyle=level.line)


def draw_scores(axis: Axes, places: Float, model: ModelScores, along: str) -> None:
    """Draw points and intervals of a model: those of all models are as strong.

    Points of segments with too few positives are hollow. Those of a model without intervals are
    smaller.
    """
    color = model_color(axis, model)
    marker, size = MARKERS[min(model.color, 1)]
    points = (model.scores, places) if along == "x" else (places, model.scores)
    if np.isnan(model.lows).all() and len(places) > MOST_PAIRS:
        style = {"markersize": SMALL * size, "markeredgewidth": 0, "zorder": 1.5}
        axis.plot(*points, marker, color=color, **style)
        return
    draw_limits = axis.hlines if along == "x" else axis.vlines
    draw_limits(places, model.lows, model.highs, color=color, linewidth=LIMITS_WIDTH, zorder=2)
    axis.plot(*points, marker, color=color, markersize=size, markeredgewidth=0, zorder=3)
    if model.few.any():
        hole = {"color": axis.get_facecolor(), "markersize": size - 2 * EDGE_WIDTH}
        few = [each[model.few] for each in points]
        axis.plot(*few, marker, markeredgewidth=0, zorder=3, **hole)


def draw_trend(axis: Axes, places: Float, model: ModelScores, along: str) -> None:
    """Draw the line of the trend of a model and its band, if it is told."""
    if model.trend_line is None:
        return
    color = model_color(axis, model)
    order = np.argsort(places)
    line, low, high = model.trend_line[:, order]
    fill = axis.fill_betweenx if along == "x" else axis.fill_between
    fill(places[order], low, high, color=color, alpha=0.15, linewidth=0, zorder=1)
    points = (line, places[order]) if along == "x" else (places[order], line)
    axis.plot(*points, color=color, linewidth=1.2, zorder=2)


def ring_colors(axis: Axes, alarming: Bool) -> Sequence[Color]:
    """Return the colour of the ring of each segment: red, or grey if it is no alarm."""
    alarm = axes_colors(axis).alarm
    return [alarm if each else RING_GREY for each in alarming]


def draw_rings(axis: Axes, places: Float, model: ModelScores, along: str) -> None:
    """Draw a ring around the point of each marked segment, below its interval."""
    if model.rings is None:
        return
    x, y = (model.scores, places) if along == "x" else (places, model.scores)
    colors = ring_colors(axis, model.rings.alarming[model.marked])
    for ring_x, ring_y, color in zip(x[model.marked], y[model.marked], colors, strict=True):
        style = {"markerfacecolor": "none", "markeredgewidth": 1.6, "zorder": 1.8}
        axis.plot(ring_x, ring_y, "o", color=color, markersize=RING_SIZE, **style)


def draw_models(
    axis: Axes, numbers: SegmentNumbers, middles: Float, step: float, along: str
) -> None:
    """Draw the lines of all segments, and the trend, points, intervals and rings of each model.

    ``middles`` are the places of segments, from which models are shifted by a share of the step.
    """
    draw_levels(axis, numbers.levels, along)
    for model, shift in zip(numbers.models, numbers.shifts, strict=True):
        places = middles + shift * step
        draw_trend(axis, middles, model, along)
        draw_scores(axis, places, model, along)
        draw_rings(axis, places, model, along)


def label_scores(axis: Axes, along: str, ticks: Float) -> float:
    """Set ticks and faint lines at them; return the width of their labels."""
    from matplotlib.ticker import FixedLocator, FormatStrFormatter

    scores = axis.xaxis if along == "x" else axis.yaxis
    n_places = max(len(f"{tick:.10g}".partition(".")[2]) for tick in ticks)
    formatter = FormatStrFormatter(f"%.{n_places}f")
    scores.set_major_locator(FixedLocator(ticks.tolist()))
    scores.set_major_formatter(formatter)
    axis.grid(axis=along, **GRID)
    axis.tick_params(axis=along, length=0)
    size = scores.get_ticklabels()[0].get_size()
    return max(text_width(formatter(tick), size) for tick in ticks)
