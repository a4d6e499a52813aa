"""Lines: their options, and what comes and goes with several models."""

import pytest
from drawings import SCORES, Y_SCORE, Y_TRUE, X, Y, legend_texts
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from sklearn_ap import AveragePrecisionDisplay, threshold_counts
from sklearn_ap.definitions import Linear

draw = AveragePrecisionDisplay.from_predictions


def test_models_differ_in_colour_and_dashes_up_to_twenty():
    _, axis = plt.subplots()
    names = [f"model {number}" for number in range(12)]
    for name in names:
        draw(Y, SCORES, name=name, ax=axis)
    *texts, last = legend_texts(axis)
    assert last.startswith("random order: 0.2")
    assert [text.split(":")[0] for text in texts] == names
    models = [line for line in axis.lines if line.get_label().startswith("model")]
    assert len({line.get_color() for line in models[:5]}) == 5
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in models}) == 12
    # A legend below the axes, on the figure, covers nothing and is not cut.
    axis.figure.canvas.draw()
    legend, figure = axis.get_legend().get_window_extent(), axis.figure.bbox
    assert figure.y0 <= legend.y0 < legend.y1 < axis.xaxis.label.get_window_extent().y0
    assert figure.x0 <= legend.x0 < legend.x1 <= figure.x1
    for i in range(12, 22):
        draw(Y, SCORES, name=f"model {i}", ax=axis)
    *texts, more, _ = legend_texts(axis)
    assert (len(texts), more) == (19, "and 3 more")


def test_options_reach_the_line():
    options = {"curve_kwargs": {"color": "red", "lw": 1}, "chance_level_kw": {"c": "blue"}}
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    display = AveragePrecisionDisplay(counts, name="a").plot(name="_m", lw=3, **options)
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)
    assert display.chance_level_.get_color() == "blue"
    assert display.ax_.get_title() == "average precision"
    assert legend_texts(display.ax_)[0] == "_m: 0.717"
    assert display.line_.get_label() == " _m: step AP = 0.717"
    mine = draw(Y_TRUE, Y_SCORE, label="mine", despine=True)
    assert legend_texts(mine.ax_)[0] == "mine"
    assert not mine.ax_.spines["top"].get_visible()


def test_second_model_removes_details_of_the_first():
    _, axis = plt.subplots()
    axis.scatter([0], [0])
    shown = []
    for name in "ab":
        draw(Y_TRUE, Y_SCORE, definition=Linear(), name=name, ax=axis)
        shown.append((len(axis.collections), legend_texts(axis)))
    assert shown == [
        (2, ["a: 0.744", "steps", "overestimated", "random order: 0.56"]),
        (1, ["a: 0.744", "b: 0.744", "random order: 0.56"]),
    ]


def test_every_display_constructor_passes_line_options():
    model = LogisticRegression().fit(X, Y)
    result = cross_validate(model, X, Y, return_estimator=True, return_indices=True)
    kind = AveragePrecisionDisplay
    for display, name in (
        (kind.from_predictions(Y, SCORES, alpha=0.5, lw=3), ""),
        (kind.from_estimator(model, X, Y, alpha=0.5, lw=3), "LogisticRegression"),
        (kind.from_cv_results(result, X, Y, alpha=0.5, lw=3, name="m"), "m, mean of 5 folds"),
    ):
        line = display.mean_ or display.line_
        assert (line.get_alpha(), line.get_linewidth()) == (0.5, 3)
        assert legend_texts(display.ax_)[0].startswith(name)


def test_an_unknown_option_is_refused_before_anything_is_drawn():
    before = plt.get_fignums()
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [4, 3, 2, 1], colour="red")
    assert plt.get_fignums() == before
