"""Texts near the dots and lines of a picture that they name, where they cover nothing."""

from __future__ import annotations

from itertools import product

import numpy as np

from sklearn_ap._base.common.types import Artist, Axes, Color, Float
from sklearn_ap._base.drawing.direct_labels import inner_size, sampled_points
from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, text_width
from sklearn_ap._program.report.pictures import label_size

DOT_GAP = 5.0  # points between a dot and its text
NEAR = 16.0  # points at most between a text and what it names
FAR = 28.0  # where it would cover a line otherwise
CLEARANCE = 2.0  # points around lines where no text stands
HALO = 2.5  # points of white around letters


def write_near(ax: Axes, text: str, color: Color, dot: tuple[float, float]) -> None:
    """Write a text near a dot, in one line or two.

    Where it has no room beside lines, it lies on them, and its halo keeps its letters apart.
    """
    size = inner_size(ax)
    font_size = label_size()
    x, y = sampled_points(ax, np.array([dot], dtype=float), size)[0].tolist()
    for (obstacles, farthest), lines in product(_obstacles(ax), (text, text.replace(" ", "\n"))):
        extent = text_width(lines, font_size), LINE_HEIGHT * font_size * (1 + lines.count("\n"))
        corner = nearest_free_place((x, y, x, y), extent, DOT_GAP, size, obstacles, farthest)
        if corner is not None:
            _write(ax, lines, color, corner, extent)
            return


def _obstacles(ax: Axes) -> list[tuple[Boxes, float]]:
    """List what a text avoids within a distance, and what where it has no room beside that.

    Lines that cross the axes are thin, and a text rather lies on them than on a curve.
    """
    boxes: dict[bool, list[Boxes]] = {True: [], False: []}
    for line in ax.lines:
        points = sampled_points(ax, _corners(ax, line), inner_size(ax))
        is_thin = line.get_transform() != ax.transData
        boxes[is_thin].append(Boxes.around(points, CLEARANCE))
    nothing = Boxes.around(np.empty((0, 2)), 0.0)
    curves = Boxes.join(boxes[False])
    everything = Boxes.join([curves, *boxes[True]])
    return [(everything, NEAR), (curves, NEAR), (everything, FAR), (nothing, FAR)]


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
        middle / inner_size(ax),
        xycoords="axes fraction",
        ha="center",
        va="center",
        color=color,
        fontsize=label_size(),
        linespacing=1.1,
        path_effects=[withStroke(linewidth=HALO, foreground="white")],
    )
    written.set_parse_math(False)
