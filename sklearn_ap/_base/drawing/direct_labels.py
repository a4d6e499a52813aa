"""Texts beside lines, in their colours, where nothing else is drawn: they need no legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Artist, Axes, Bool, Color, Float
from sklearn_ap._base.drawing.axes import Size, axes_size
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, text_width

# Points for what stands around the axes. Axes that come out larger leave more room.
SIDE_MARGIN = 56
LOW_MARGIN = 46
NAME_MARGIN = 14  # of the name of an axis
STEP = 3.0  # points between places that are tried along a line
OWN_GAPS = 3.5, 2.0  # points between a point of a line and its text, the preferred one first
OWN_ROOM = 3.0  # points around a text where its line is not, if there is such a place,
LEAST_OWN_ROOM = 1.0  # and otherwise
BACKGROUND_GAP = 2.0  # points between a text and the edge of a band
OTHER_GAPS = 14.0, 9.0, 5.0  # points between a text and other lines, the preferred one first
EDGE_GAP = 1.0  # points between a text and the edge of the axes
LEFT_GAP = 8.0  # points between a text and the axis on the left, if there is such a place
PREFERRED_PLACE = 0.4  # of the width, where most curves are apart


class LineLabel(NamedTuple):
    """A line of the axes, and the text that names it."""

    line: Artist
    text: str
    color: Color


class _Side(NamedTuple):
    """Where a text stands: right (1) or left (-1) of a point, and above (1) or below it (-1)."""

    across: int
    along: int


# Beside falling lines, and then beside lines that rise or are level.
SIDES = _Side(1, 1), _Side(-1, -1), _Side(-1, 1), _Side(1, -1)


class _Place(NamedTuple):
    """A text at a point, and its side of it."""

    label: LineLabel
    point: Float  # in points from the lower left corner of the axes
    side: _Side
    gap: float  # to the point


def label_lines(
    axis: Axes,
    labels: Sequence[LineLabel],
    font_size: float,
    avoided: Sequence[Float] = (),
    background: Sequence[Float] = (),
) -> bool:
    """Write each text beside its line; write none and return False if one has no room.

    ``avoided`` and ``background`` are coordinates, of which texts lie on the second rather than on
    lines. The limits of the axes are there before.
    """
    size = inner_size(axis)
    lines = [sampled_points(axis, label.line.get_xydata(), size) for label in labels]
    others = [sampled_points(axis, points, size) for points in avoided]
    soft = [sampled_points(axis, points, size) for points in background]
    places: list[_Place] = []
    for i, label in enumerate(labels):
        others_of_line = [*lines[:i], *lines[i + 1 :], *others]
        others_of_line += [_outline(place, font_size) for place in places]
        place = _find_place(label, lines[i], others_of_line, soft, size, font_size)
        if place is None:
            return False
        places.append(place)
    for place in places:
        _write(axis, place, size, font_size)
    return True


def inner_size(axis: Axes) -> Size:
    """Return the least size of axes in points, before a layout has placed them."""
    width, height = axes_size(axis)
    name = 0 if axis.get_ylabel() else NAME_MARGIN
    return Size(width - SIDE_MARGIN + name, height - LOW_MARGIN)


def sampled_points(axis: Axes, coordinates: Float, size: Size) -> Float:
    """Return points of a line in steps of a point, from the lower left corner of the axes."""
    ends = np.array([axis.get_xlim(), axis.get_ylim()], dtype=float)
    shares = (np.asarray(coordinates, dtype=float) - ends[:, 0]) / np.ptp(ends, axis=1)
    points = shares[np.isfinite(shares).all(axis=1)] * size
    if not len(points):
        return points
    passed = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    steps = np.append(np.arange(0.0, passed[-1], 1.0), passed[-1])
    return np.column_stack([np.interp(steps, passed, each) for each in points.T])


def _find_place(
    label: LineLabel,
    own: Float,
    others: Sequence[Float],
    background: Sequence[Float],
    size: Size,
    font_size: float,
) -> _Place | None:
    """Find the place of a text that is as far as possible from other lines.

    It rather keeps off its own line and the axis on the left, and crosses no edge of a band.
    """
    places = [*_places(label, own, size)]
    boxes = np.array([_box(place, font_size) for place in places]).reshape(-1, 4)
    is_free = _is_inside(boxes, size) & ~_touches(boxes, own, LEAST_OWN_ROOM)
    is_tidy = is_free & (boxes[:, 0] >= LEFT_GAP) & ~_touches(boxes, own, OWN_ROOM)
    is_clear = ~_any_touches(boxes, background, BACKGROUND_GAP)
    is_above = np.array([place.side == SIDES[0] for place in places], dtype=bool)
    for is_possible, gap in product((is_tidy, is_free), OTHER_GAPS):
        is_apart = is_possible & ~_any_touches(boxes, others, gap)
        for is_preferred in (is_clear & is_above, is_clear, is_above, True):
            found = np.flatnonzero(is_apart & is_preferred)
            if found.size:
                return places[found[0]]
    return None


def _places(label: LineLabel, own: Float, size: Size) -> Iterator[_Place]:
    """List places along a line, on the usual sides and about the middle of the axes first."""
    points = own[:: int(STEP)]
    order = np.argsort(np.abs(points[:, 0] - PREFERRED_PLACE * size.width), kind="stable")
    for gap, side, point in product(OWN_GAPS, SIDES, points[order]):
        yield _Place(label, point, side, gap)


def _box(place: _Place, font_size: float) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of a text."""
    x, y = place.point + np.multiply(place.side, place.gap)
    width = place.side.across * text_width(place.label.text, font_size)
    height = place.side.along * LINE_HEIGHT * font_size
    return min(x, x + width), min(y, y + height), max(x, x + width), max(y, y + height)


def _outline(place: _Place, font_size: float) -> Float:
    """Return points all over a text, which other texts avoid."""
    left, low, right, high = _box(place, font_size)
    x, y = np.meshgrid(np.arange(left, right + STEP, STEP), np.arange(low, high + STEP, STEP))
    return np.column_stack([x.ravel(), y.ravel()])


def _is_inside(boxes: Float, size: Size) -> Bool:
    ends = np.column_stack([boxes[:, :2], np.array(size) - boxes[:, 2:]])
    inside: Bool = np.all(ends >= EDGE_GAP, axis=1)
    return inside


def _any_touches(boxes: Float, lines: Sequence[Float], gap: float) -> Bool:
    """Check for each box whether any line touches it."""
    found = [np.zeros(len(boxes), dtype=bool)]
    found += [_touches(boxes, points, gap) for points in lines]
    touches: Bool = np.any(found, axis=0)
    return touches


def _touches(boxes: Float, points: Float, gap: float) -> Bool:
    """Check for each box whether a point is in it, or nearer than the gap."""
    x, y = points.T
    left, low, right, high = boxes.T[:, :, None]
    found: Bool = ((x > left - gap) & (x < right + gap) & (y > low - gap) & (y < high + gap)).any(
        axis=1
    )
    return found


def _write(axis: Axes, place: _Place, size: Size, font_size: float) -> None:
    text = axis.annotate(
        place.label.text,
        place.point / size,
        xycoords="axes fraction",
        xytext=(place.side.across * place.gap, place.side.along * place.gap),
        textcoords="offset points",
        ha="left" if place.side.across > 0 else "right",
        va="bottom" if place.side.along > 0 else "top",
        color=place.label.color,
        fontsize=font_size,
    )
    text.set_parse_math(False)  # names are shown as they are
