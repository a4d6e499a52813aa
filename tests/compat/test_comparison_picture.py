"""All tools' numbers in one picture."""

import itertools

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE
from matplotlib import pyplot as plt

from sklearn_ap import compat


def test_every_tool_with_a_number_is_in_the_comparison():
    comparison = compat.compare(Y_TRUE, Y_SCORE, k=3)
    axis = comparison.plot(all_names=True)
    labels = " ".join(tick.get_text() + "," for tick in axis.get_yticklabels())
    shown = labels.replace(",", " ").split()
    assert sorted(shown) == sorted(row.name for row in comparison.results)
    assert axis.get_xlabel() == "what the function gives, k=3 where one is needed"
    values = axis.lines[1].get_xdata()
    assert (np.diff(values) > 0).all()
    assert set(values) == {group[0].value for group in comparison.groups} & set(values)
    axis.figure.canvas.draw()
    edges = [tick.get_window_extent().x0 for tick in axis.get_yticklabels()]
    edges += [axis.figure.bbox.x1 - text.get_window_extent().x1 for text in axis.texts]
    assert min(edges) >= 0


def test_picture_states_how_many_functions_give_no_number():
    comparison = compat.compare([0, 0, 0], [1, 2, 3])
    axis = comparison.plot(all_names=True)
    n_named = sum(label.get_text().count(",") + 1 for label in axis.get_yticklabels())
    n_without = len(comparison.results) - n_named
    assert n_without > 0
    assert axis.get_xlabel().endswith(f"{n_without} functions give no number")


@pytest.mark.parametrize("is_given", [False, True])
def test_names_stand_above_their_numbers_in_a_narrow_figure(is_given):
    with plt.rc_context({"figure.figsize": (4.4, 3)}):
        comparison = compat.compare(Y_TRUE, Y_SCORE, k=3)
        axis = comparison.plot(plt.figure() if is_given else None)
    figure = axis.figure
    figure.canvas.draw()
    assert figure.get_size_inches()[0] == 4.4
    points = axis.transData.transform(axis.lines[1].get_xydata())[:, 1]
    boxes = [label.get_window_extent() for label in axis.get_yticklabels()]
    assert len(boxes) == len(points) > 20
    for box, point, below in zip(boxes, points, [*boxes[1:], None], strict=True):
        assert box.y0 > point
        assert below is None or below.y1 < point
        assert axis.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    size = axis.get_yticklabels()[0].get_size()
    assert size == 10


@pytest.mark.parametrize("size", [None, (9, 7)])
def test_each_number_shows_three_functions_and_counts_the_rest(size):
    axis = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    comparison = compat.compare(Y_TRUE, Y_SCORE, k=3)
    axis = comparison.plot(axis)
    axis.figure.canvas.draw()
    labels = axis.get_yticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert all(above.y0 >= below.y1 - 1 for above, below in itertools.pairwise(boxes))
    groups = {group[0].name: group for group in comparison.groups}
    for text in (label.get_text().replace("\n", " ") for label in labels):
        group = groups[text.partition(",")[0].partition(" and ")[0]]
        assert text.count(",") + 1 == min(len(group), 3)
        assert text.endswith(f" and {len(group) - 3} more") == (len(group) > 3)
