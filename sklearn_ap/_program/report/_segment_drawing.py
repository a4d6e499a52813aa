"""What pictures of segments on a page share: their numbers, and how points and rings look.

One or two models have points and intervals of the same strength. Their names, and those of lines
at the mean and at random orders, stand beside what they name, so that there is no legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Axes, Bool, Color, Float, Index
from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._base.drawing.legend import shorten_name, size_in_points, text_width
from sklearn_ap._base.drawing.named_rows import finite_numbers, limits_with_margin
from sklearn_ap._base.extras import printable
from sklearn_ap._program.report._pictures import POINTS_PER_INCH

MARKERS = (("o", 6.0), ("D", 5.0))  # of the best model and of any other: as large to the eye
LIMITS_WIDTH = 1.6  # points
SHIFT = 0.17  # of each of two models from the middle of a row or a step of time
RING_SIZE = 12  # points, around the point of a segment
RING_GREY = "0.25"  # of a ring that is no alarm
TEXT_GREY = "0.35"  # of the names of lines
GRID = {"color": "0.8", "linewidth": 0.6, "zorder": 0}
MARGIN = 0.06  # between scores and the ends of their axis, as a share of their range
MOST_INTERVALS = 5  # between ticks of scores
PAD = 6  # points between the axes and a label


class ModelScores(NamedTuple):
    """The scores of a model in the segments, with their confidence limits."""

    name: str  # empty for a model that has none
    scores: Float
    lows: Float
    highs: Float
    color: int = 0  # its number among the colours of models, which all pictures of a page share

    def select(self, places: Index) -> ModelScores:
        """Select segments."""
        return self._replace(
            scores=self.scores[places], lows=self.lows[places], highs=self.highs[places]
        )


class Level(NamedTuple):
    """A score that is the same in all segments, such as the mean, and the style of its line."""

    name: str
    value: float
    text: str  # the printed value
    line: str = "-"


@dataclass(frozen=True, eq=False)
class SegmentNumbers:
    """The numbers of a picture of segments.

    Marked segments have a ring, which is red if they are alarming. Remarks stand beside rows.
    """

    names: Sequence[str]
    models: Sequence[ModelScores]  # one or two, that of the words first
    marked: Bool
    alarming: Bool
    levels: Sequence[Level]
    trend_line: Float | None = None  # the heights of the line and of the limits of its band
    remarks: Sequence[str] = ()

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis of scores."""
        numbers = [finite_numbers(model.scores, model.lows, model.highs) for model in self.models]
        numbers.append(np.array([level.value for level in self.levels], dtype=np.float64))
        if self.trend_line is not None:
            numbers.append(self.trend_line.ravel())
        return limits_with_margin(np.concatenate(numbers), MARGIN)

    @property
    def shifts(self) -> Sequence[float]:
        """The shift of each model from the middle of its segment."""
        return (-SHIFT, SHIFT) if len(self.models) > 1 else (0.0,)


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


def label_size() -> float:
    """Return the size of letters of labels beside what they name."""
    return 0.9 * size_in_points("legend.fontsize")


def model_color(axis: Axes, model: ModelScores) -> Color:
    """Return the colour of a model, where colours of many models repeat."""
    colors = axes_colors(axis).models
    return colors[model.color % len(colors)]


def fit_label(name: str, value: str, room: float) -> str:
    """Write a name and a value in one line, or in two that are no wider than the room."""
    size = label_size()
    name = printable(name)
    line = f"{name} {value}".strip()
    if text_width(line, size) <= room:
        return line
    first, _, last = name.rpartition(" ")
    if first and max(text_width(each, size) for each in (first, f"{last} {value}")) <= room:
        return f"{first}\n{last} {value}"
    return f"{shorten_name(name, room, size)}\n{value}"


def draw_scores(axis: Axes, places: Float, model: ModelScores, along: str) -> None:
    """Draw points and intervals of a model: those of all models are as strong."""
    color = model_color(axis, model)
    marker, size = MARKERS[min(model.color, 1)]
    draw_limits = axis.hlines if along == "x" else axis.vlines
    draw_limits(places, model.lows, model.highs, color=color, linewidth=LIMITS_WIDTH, zorder=2)
    points = (model.scores, places) if along == "x" else (places, model.scores)
    axis.plot(*points, marker, color=color, markersize=size, markeredgewidth=0, zorder=3)


def draw_trend(axis: Axes, places: Float, trend_line: Float, color: Color, along: str) -> None:
    """Draw the line of a trend and its band."""
    order = np.argsort(places)
    line, low, high = trend_line[:, order]
    fill = axis.fill_betweenx if along == "x" else axis.fill_between
    fill(places[order], low, high, color=color, alpha=0.15, linewidth=0, zorder=1)
    points = (line, places[order]) if along == "x" else (places[order], line)
    axis.plot(*points, color=color, linewidth=1.2, zorder=2)


def ring_colors(axis: Axes, alarming: Bool) -> Sequence[Color]:
    """Return the colour of the ring of each segment: red, or grey if it is no alarm."""
    alarm = axes_colors(axis).alarm
    return [alarm if each else RING_GREY for each in alarming]


def draw_rings(axis: Axes, x: Float, y: Float, numbers: SegmentNumbers) -> None:
    """Draw a ring around the point of each marked segment."""
    colors = ring_colors(axis, numbers.alarming[numbers.marked])
    for ring_x, ring_y, color in zip(x[numbers.marked], y[numbers.marked], colors, strict=True):
        style = {"markerfacecolor": "none", "markeredgewidth": 1.6, "zorder": 4}
        axis.plot(ring_x, ring_y, "o", color=color, markersize=RING_SIZE, **style)


def label_scores(axis: Axes, along: str, limits: tuple[float, float]) -> float:
    """Set a few round ticks and faint lines at them; return the width of their labels."""
    from matplotlib.ticker import FormatStrFormatter, MaxNLocator

    scores = axis.xaxis if along == "x" else axis.yaxis
    locator = MaxNLocator(nbins=MOST_INTERVALS, steps=[1, 2, 5, 10])
    ticks = locator.tick_values(*limits)
    n_places = max(len(f"{tick:.10g}".partition(".")[2]) for tick in ticks)
    formatter = FormatStrFormatter(f"%.{n_places}f")
    scores.set_major_locator(locator)
    scores.set_major_formatter(formatter)
    axis.grid(axis=along, **GRID)
    axis.tick_params(axis=along, length=0)
    size = scores.get_ticklabels()[0].get_size()
    return max(text_width(formatter(tick), size) for tick in ticks)
