"""Titles and legends fit into any figure."""

import itertools

import numpy as np
import pytest
from drawings import SCORES, Y_SCORE, Y_TRUE, Y, legend_texts
from matplotlib import pyplot as plt
from matplotlib.text import Text

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    best_average_precision,
    chance_test,
    compare_average_precision,
)
from sklearn_ap._base.drawing.legend import cut_middle
from sklearn_ap.definitions import AtK, Interpolated, Linear, Step

draw = AveragePrecisionDisplay.from_predictions
NAME, OTHER = "$a$ model", "x_$b$"


class WithDollars(Step):
    """A definition whose title is no mathematics."""

    title = OTHER


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_dollar_signs_in_names_and_titles_are_not_parsed_as_mathematics():
    rows, models = (Y_TRUE, Y_SCORE), {NAME: Y_SCORE, OTHER: Y_SCORE[::-1]}
    titled = {"definition": WithDollars()}
    draw(*rows, name=NAME)
    compare_average_precision(Y_TRUE, models, **titled).plot()
    best_average_precision(Y_TRUE, models, **titled).plot()
    chance_test(*rows, n_permutations=99, **titled).plot()
    average_precision_interval(*rows, **titled).plot()
    for figure in map(plt.figure, plt.get_fignums()):
        figure.canvas.draw()
        texts = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert texts
        assert not [text.get_text() for text in texts if text.get_parse_math()]


def test_legends_of_panels_fit_below_them():
    chosen = [Step(), Interpolated(11), AtK(20, "positives")]
    figure = draw(Y, SCORES, name="RandomForestClassifier", definition=chosen).figure_
    widths = []
    for _ in range(2):
        figure.canvas.draw()
        widths.append([axis.bbox.width for axis in figure.axes])
        boxes = [axis.get_legend().get_window_extent() for axis in figure.axes]
        assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
        assert boxes[-1].x1 <= figure.bbox.x1
        assert min(box.y0 for box in boxes) >= 0
    assert min(widths[0]) > 300
    np.testing.assert_allclose(*widths, atol=2)


def test_long_names_and_titles_leave_room_for_the_curves():
    name = "a model whose author could not decide what to leave out of the name " * 2
    display = draw(Y_TRUE, Y_SCORE, name=name)
    display.figure_.canvas.draw()
    assert display.ax_.bbox.width > 490
    chosen = [Step(), AtK(k=3, normalizer="positives")]
    display = draw(Y_TRUE, Y_SCORE, definition=chosen, confidence_level=0.95)
    display.figure_.canvas.draw()
    left, right = (axis.title.get_window_extent() for axis in display.ax_)
    assert left.x1 < right.x0
    assert right.x1 < display.figure_.bbox.x1


@pytest.mark.parametrize("kind", ["by hand", "beside a colorbar"])
def test_legend_is_inside_the_axes_if_the_layout_has_no_room(kind):
    figure = plt.figure()
    if kind == "by hand":
        axis = figure.add_axes([0.1, 0.1, 0.8, 0.8])
    else:
        left, axis = figure.subplots(1, 2)
        figure.colorbar(left.imshow(np.eye(3)), ax=left)
    draw(Y_TRUE, Y_SCORE, ax=axis)
    figure.canvas.draw()
    inside, box = axis.get_window_extent(), axis.get_legend().get_window_extent()
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1


@pytest.mark.parametrize("given", [False, True])
def test_large_fonts_do_not_overlap_legend_and_axis_label(given):
    with plt.rc_context({"font.size": 20}):
        axis = draw(Y_TRUE, Y_SCORE, ax=plt.subplots()[1] if given else None).ax_
        axis.figure.canvas.draw()
        label = axis.xaxis.label.get_window_extent()
        assert axis.get_legend().get_window_extent().y1 <= label.y0


@pytest.mark.parametrize(
    ("given", "models", "title", "rows"),
    [
        ("fruit", [{"name": "a"}], "fruit", ["a: step AP = 0.717"]),
        ("", [{}, {"pos_label": 0}], "average precision", ["AP = 0.717", "AP = 0.441"]),
        ("", [{}, {"definition": Linear()}], "", ["step AP = 0.717", "linear AP = 0.744"]),
    ],
)
def test_legend_rows_do_not_repeat_the_title(given, models, title, rows):
    _, axis = plt.subplots()
    axis.set_title(given)
    for options in models:
        draw(Y_TRUE, Y_SCORE, **options, ax=axis)
    assert axis.get_title() == title
    assert legend_texts(axis)[: len(rows)] == rows


@pytest.mark.parametrize(
    ("name", "n_letters", "short"),
    [
        ("gradient_boosting_v3_calibrated_2026-01-15", 27, "gradient_boosting…2026-01-15"),
        ("logistic_regression_baseline_production", 27, "logistic_regression…production"),
        ("x" * 40, 12, "xxxxxxxx…xxxx"),
        ("random forest, all features", 18, "random…features"),
    ],
)
def test_a_name_loses_words_of_its_middle(name, n_letters, short):
    assert cut_middle(name, n_letters) == short
