"""Texts beside lines."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from sklearn_ap._base.drawing.direct_labels import LineLabel, label_lines

X = np.linspace(0, 1, 50)
SIZE = 10.0


@pytest.fixture
def axis():
    _, axis = plt.subplots(figsize=(4, 3), layout="constrained")
    axis.set(xlim=(0, 1), ylim=(0, 1))
    return axis


def draw(axis, *heights):
    return [axis.plot(X, height, color=f"C{i}")[0] for i, height in enumerate(heights)]


def labels_of(lines, texts):
    return [
        LineLabel(line, text, line.get_color()) for line, text in zip(lines, texts, strict=True)
    ]


def box_of(axis, text):
    axis.figure.draw_without_rendering()
    return axis.transAxes.inverted().transform_bbox(text.get_window_extent())


def test_a_text_stands_beside_its_line_in_its_colour(axis):
    lines = draw(axis, 0.9 - 0.2 * X, 0.4 - 0.2 * X)
    assert label_lines(axis, labels_of(lines, ["upper", "low $x$"]), SIZE)
    assert [text.get_text() for text in axis.texts] == ["upper", "low $x$"]
    assert [text.get_color() for text in axis.texts] == ["C0", "C1"]
    for text, height in zip(axis.texts, (0.9, 0.4), strict=True):
        box = box_of(axis, text)
        assert abs(box.y0 - (height - 0.2 * box.x0)) < 0.05
        assert np.all(np.array([box.x0, box.y0, 1 - box.x1, 1 - box.y1]) > 0)


def test_no_text_is_written_where_one_has_no_room(axis):
    lines = draw(axis, *(np.full(50, height) for height in np.linspace(0.02, 0.98, 40)))
    labels = labels_of(lines, [f"line {i}" for i in range(40)])
    assert not label_lines(axis, labels, SIZE)
    assert not axis.texts
    assert not label_lines(axis, labels_of(lines[:1], ["x" * 200]), SIZE)


def test_a_text_avoids_other_lines_points_and_texts(axis):
    lines = draw(axis, np.full(50, 0.5), np.full(50, 0.52))
    point = np.array([[0.4, 0.6]])
    assert label_lines(axis, labels_of(lines, ["lower", "upper"]), SIZE, [point])
    lower, upper = (box_of(axis, text) for text in axis.texts)
    assert lower.y1 < 0.5
    assert upper.y0 > 0.52
    assert not upper.contains(0.4, 0.6)


def test_a_text_lies_on_the_background_rather_than_on_a_line(axis):
    (line,) = draw(axis, np.full(50, 0.5))
    everywhere = np.stack(np.meshgrid(X, X), axis=-1).reshape(-1, 2)
    labels = labels_of([line], ["text"])
    assert not label_lines(axis, labels, SIZE, [everywhere])
    assert label_lines(axis, labels, SIZE, (), [everywhere])


def test_undefined_points_of_a_line_are_left_out(axis):
    (line,) = axis.plot([0, 0.5, np.nan, 1], [0.5, 0.5, np.nan, 0.5])
    assert label_lines(axis, labels_of([line], ["text"]), SIZE)
    (empty,) = axis.plot([], [])
    assert not label_lines(axis, labels_of([empty], ["text"]), SIZE)


def test_a_text_keeps_off_the_left_axis(axis):
    (line,) = draw(axis, np.full(50, 0.99))  # a text has room below it only
    assert label_lines(axis, labels_of([line], ["average precision 0.99"]), SIZE)
    (text,) = axis.texts
    axis.figure.draw_without_rendering()
    points = (text.get_window_extent().x0 - axis.bbox.x0) * 72 / axis.figure.dpi
    assert points >= 8


def test_a_text_keeps_off_the_risers_of_its_own_line(axis):
    places = np.linspace(0, 1, 9)
    heights = np.repeat([0.5, 0.4, 0.6, 0.45, 0.55, 0.35, 0.5, 0.4], 2)
    (line,) = axis.plot(np.repeat(places, 2)[1:-1], heights, color="C0")
    assert label_lines(axis, labels_of([line], ["nurse score 0.32"]), SIZE)
    (text,) = axis.texts
    box = box_of(axis, text)
    ends = axis.transAxes.transform([[0, 0], [1, 1]])
    width, height = (ends[1] - ends[0]) * 72 / axis.figure.dpi
    corners = line.get_xydata()
    steps = np.linspace(0, len(corners) - 1, 2000)
    x, y = (np.interp(steps, np.arange(len(corners)), each) for each in corners.T)
    across = np.maximum(0, np.maximum(box.x0 - x, x - box.x1)) * width
    along = np.maximum(0, np.maximum(box.y0 - y, y - box.y1)) * height
    assert np.maximum(across, along).min() >= 2.8  # of 3 points, as extents are estimated


def test_a_text_on_the_other_side_of_its_line_is_better_than_one_across_an_edge(axis):
    (line,) = draw(axis, np.full(50, 0.5))
    edge = np.column_stack([X, np.full(50, 0.54)])  # above the line, where a text would be
    assert label_lines(axis, labels_of([line], ["text"]), SIZE, (), [edge])
    (text,) = axis.texts
    assert box_of(axis, text).y1 < 0.5
