"""Texts near the dots and lines of a picture that they name, where they cover nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Artist, Axes, Color, Float
from sklearn_ap._base.drawing.axes import Size
from sklearn_ap._base.drawing.direct_labels import LOW_MARGIN, inner_size, sampled_points
from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, text_width
from sklearn_ap._program.report.page.pictures import POINTS_PER_INCH, label_size

PANEL_MARGIN = 8.0  # points above and below each of several axes
CLEARANCE = 2.0  # points around lines where no text stands
HALO = 2.5  # points of white around letters


class _Room(NamedTuple):
    """The distances in points of a text from what it names."""

    gap: float  # at least
    near: float  # at most, if there is room
    far: float  # where it would cover something otherwise
    is_dot: bool  # whether it rather covers a curve than that it stands far from what it names


BESIDE_DOT = _Room(gap=5.0, near=16.0, far=28.0, is_dot=True)
BESIDE_LEVEL = _Room(gap=3.0, near=6.0, far=14.0, is_dot=False)


def write_near_dot(
    ax: Axes,
    text: str,
    color: Color,
    dot: tuple[float, float],
    avoided: Sequence[Float] = (),
) -> Float:
    """Write a text near a dot, in one line or two; return coordinates of it.

    Where it has no room beside lines, it lies on them, and its halo keeps its letters apart.
    ``avoided`` has coordinates of what is no line of the axes.
    """
    x, y = sampled_points(ax, np.array([dot], dtype=float), _inner_size(ax))[0].tolist()
    first, _, last = text.rpartition(" ")
    texts = dict.fromkeys((text, f"{first}\n{last}".lstrip()))
    return _write_near(ax, texts, color, (x, y, x, y), BESIDE_DOT, avoided)


def write_near_level(
    ax: Axes, text: str, color: Color, level: float, avoided: Sequence[Float] = ()
) -> Float:
    """Write a text above or below a line at a level, at the left if there is room."""
    left, right = ax.get_xlim()
    ends = np.array([[left, level], [right, level]])
    points = sampled_points(ax, ends, _inner_size(ax))
    target = (0.0, float(points[0, 1]), float(points[-1, 0]), float(points[0, 1]))
    return _write_near(ax, [text], color, target, BESIDE_LEVEL, avoided)


def _write_near(
    ax: Axes,
    texts: Iterable[str],
    color: Color,
    target: tuple[float, float, float, float],
    room: _Room,
    avoided: Sequence[Float],
) -> Float:
    size = _inner_size(ax)
    font_size = label_size()
    for (obstacles, farthest), lines in product(_obstacles(ax, avoided, room), texts):
        extent = text_width(lines, font_size), LINE_HEIGHT * font_size * (1 + lines.count("\n"))
        corner = nearest_free_place(target, extent, room.gap, size, obstacles, farthest)
        if corner is not None:
            _write(ax, lines, color, corner, extent)
            return _coordinates(ax, corner, extent)
    return np.empty((0, 2))


def _inner_size(ax: Axes) -> Size:
    """Return the least size of axes, of which those below each other share the lowest labels."""
    size = inner_size(ax)
    n_axes = len(ax.figure.axes)
    height = float(ax.figure.get_size_inches()[1]) * POINTS_PER_INCH
    shared = (height - LOW_MARGIN) / n_axes - PANEL_MARGIN
    return size._replace(height=max(size.height, shared)) if n_axes > 1 else size


def _coordinates(ax: Axes, corner: tuple[float, float], extent: tuple[float, float]) -> Float:
    """Return coordinates of a text, as a line around it and through its middle."""
    (left, right), (bottom, top) = zip(corner, np.add(corner, extent), strict=True)
    middle = (bottom + top) / 2
    around = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    points = [*around, (left, middle), (right, middle)]  # no other text fits in
    ends = np.array([ax.get_xlim(), ax.get_ylim()], dtype=float)
    shares = np.array(points) / _inner_size(ax)
    return np.asarray(ends[:, 0] + shares * np.ptp(ends, axis=1), dtype=float)


def _obstacles(ax: Axes, avoided: Sequence[Float], room: _Room) -> list[tuple[Boxes, float]]:
    """List what a text avoids within a distance, and what where it has no room beside that.

    Lines that cross the axes are thin, and a text rather lies on them than on a curve, and on a
    curve rather than on another text.
    """
    size = _inner_size(ax)
    boxes: dict[bool, list[Boxes]] = {True: [], False: []}
    for line in ax.lines:
        points = sampled_points(ax, _corners(ax, line), size)
        is_thin = line.get_transform() != ax.transData
        boxes[is_thin].append(Boxes.around(points, CLEARANCE))
    nothing = Boxes.around(np.empty((0, 2)), 0.0)
    others = [Boxes.around(sampled_points(ax, each, size), CLEARANCE) for each in avoided]
    texts = Boxes.join([nothing, *others])
    curves = Boxes.join([texts, *boxes[False]])
    everything = Boxes.join([curves, *boxes[True]])
    clear = [(everything, room.near), (curves, room.near)]
    farther = [(everything, room.far), (curves, room.far)]
    covering = [(texts, room.near)]
    order = [*covering, *farther] if room.is_dot else [*farther, *covering]
    return [*clear, *order, (texts, room.far), (nothing, room.far)]


def _corners(ax: Axes, line: Artist) -> Float:
    """Return the corners of a line as it is drawn, in coordinates of the axes."""
    points = np.asarray(line.get_xydata(), dtype=float)
    if line.get_drawstyle() == "steps-post":
        x, y = points.T
        points = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
    # A straight line across the axes has coordinates of its own.
    corners = ax.transData.inverted().transform(line.get_transform().transform(points))
    return np.asarray(corners, dtype=float)


def _write(
    ax: Axes, text: str, color: Color, corner: tuple[float, float], extent: tuple[float, float]
) -> None:
    """Write a text with a halo, which stays in place if the axes come out larger."""
    from matplotlib.patheffects import withStroke

    middle = np.add(corner, np.divide(extent, 2))
    written = ax.annotate(
        text,
        middle / _inner_size(ax),
        xycoords="axes fraction",
        ha="center",
        va="center",
        color=color,
        fontsize=label_size(),
        linespacing=1.1,
        path_effects=[withStroke(linewidth=HALO, foreground="white")],
    )
    written.set_parse_math(False)
