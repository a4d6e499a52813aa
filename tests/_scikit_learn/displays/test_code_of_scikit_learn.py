"""Lines of a code base that draws with scikit-learn's display, before and after the swap."""

import warnings
from copy import copy

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn
from drawings import SCORES, X, Y, legend_texts
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, precision_recall_curve
from sklearn.model_selection import cross_validate

from sklearn_ap import AveragePrecisionDisplay, compat, threshold_counts

MODEL = LogisticRegression().fit(X, Y)
FOREST = RandomForestClassifier(10, random_state=0).fit(X, Y)
CV = cross_validate(MODEL, X, Y, return_estimator=True, return_indices=True)
PRECISION, RECALL, _ = precision_recall_curve(Y, SCORES)
KNOWN = {
    "X": X,
    "y": Y,
    "words": np.where(Y, "yes", "no"),
    "scores": SCORES,
    "weights": np.linspace(0.5, 2, Y.size),
    "model": MODEL,
    "forest": FOREST,
    "cv": CV,
    "precision": PRECISION,
    "recall": RECALL,
}
OURS = AveragePrecisionDisplay
SINCE_1_9 = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)
newest = pytest.mark.skipif(not SINCE_1_9, reason="scikit-learn draws folds since 1.9")

OF_MODELS = """
Display.from_estimator(model, X, y)
Display.from_estimator(forest, X, y)
Display.from_estimator(model, X, y, name="linear", ax=ax)
Display.from_estimator(model, X, y, sample_weight=weights)
Display.from_estimator(model, X, y, drop_intermediate=True)
Display.from_estimator(model, X, y, drop_intermediate=False)
Display.from_estimator(model, X, y, response_method="auto")
Display.from_estimator(model, X, y, response_method="predict_proba")
Display.from_estimator(model, X, y, response_method="decision_function")
Display.from_estimator(forest, X, y, response_method="predict_proba")
Display.from_estimator(model, X, y, pos_label=1)
Display.from_estimator(model, X, y, pos_label=0)
Display.from_estimator(model, X, y, plot_chance_level=True)
Display.from_estimator(model, X, y, plot_chance_level=True, chance_level_kw={"color": "k"})
Display.from_estimator(model, X, y, despine=True)
[Display.from_estimator(each, X, y, ax=ax) for each in (model, forest)][-1]
"""
OF_SCORES = """
Display.from_predictions(y, scores)
Display.from_predictions(y, scores, name="linear")
Display.from_predictions(words, scores, pos_label="yes")
Display.from_predictions(y, -scores, pos_label=0)
Display.from_predictions(y, scores, sample_weight=weights, drop_intermediate=True)
Display.from_predictions(y, scores, ax=ax, plot_chance_level=True, despine=True)
Display.from_predictions(y, scores).plot()
Display.from_predictions(y, scores).plot(ax)
Display.from_predictions(y, scores).plot(ax=ax, name="again")
Display.from_predictions(y, scores).plot(plot_chance_level=True, chance_level_kw={"ls": ":"})
Display.from_predictions(y, scores).plot(despine=True)
Mine.from_predictions(y, scores, name="mine")
Mine.from_estimator(model, X, y)
"""
OF_CURVES_WITH_OPTIONS = """
Display.from_predictions(y_true=y, y_score=scores)
Display.from_estimator(model, X, y, curve_kwargs={"color": "red", "linewidth": 3})
Display.from_predictions(y, scores, curve_kwargs={"drawstyle": "default"})
Display.from_predictions(y, scores).plot(curve_kwargs=[{"color": "red"}])
"""
OF_FOLDS = """
Display.from_cv_results(cv, X, y)
Display.from_cv_results(cv, X, y, sample_weight=weights)
Display.from_cv_results(cv, X, y, drop_intermediate=False)
Display.from_cv_results(cv, X, y, response_method="predict_proba")
Display.from_cv_results(cv, X, y, pos_label=0)
Display.from_cv_results(cv, X, y, ax=ax, despine=True)
Display.from_cv_results(cv, X, y, name="folds", curve_kwargs={"alpha": 0.3})
Display.from_cv_results(cv, X, y, curve_kwargs=[{"color": each} for each in "rgbck"])
Display.from_cv_results(cv, X, y, name=[*"abcde"], curve_kwargs=[{"ls": "--"}] * 5)
Display.from_cv_results(cv, X, y, plot_chance_level=True, chance_level_kwargs={"color": "k"})
"""
# What a line does with a display, and the answer of both.
OF_ATTRIBUTES = """
display.average_precision
display.line_.get_xdata().max()
display.line_.get_linewidth() > 0
display.line_.set_color("red")
display.chance_level_.get_xdata()[0]
display.ax_.get_title(loc="left")
display.ax_ is display.figure_.axes[0]
len(display.ax_.get_legend().get_texts())
copy(display).plot().average_precision
"""
# Differences that a row of compat.differences describes, and what our error says to write.
REFUSED = {
    "Display(precision=precision, recall=recall)": "write AveragePrecisionDisplay.from_predictions",
    "Display(precision, recall).plot()": "got 2 values without names",
    "Display(precision, recall, estimator_name='a')": r"write AveragePrecisionDisplay\(threshold_c",
    "Display(precision=precision, recall=recall, pos_label=1)": "got pos_label, precision and rec",
    "Display.from_predictions(y, y_pred=scores)": "argument: 'y_score'",
    "Display.from_predictions(y, scores).precision": "Write display.counts.precision",
    "Display.from_predictions(y, scores).recall": "Write display.counts.recall",
    "Display.from_predictions(y, scores).pos_label": "A display keeps counts, and not the labels",
    "Display.from_predictions(y, scores).prevalence_pos_label": "display.counts.n_positives",
}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def evaluated(line, display):
    """The value of a line of code, where Display is this class."""

    class Mine(display):
        def plot(self, ax=None, **options):
            self.was_drawn = True
            return super().plot(ax, **options)

    known = KNOWN | {"Display": display, "Mine": Mine, "ax": plt.subplots()[1]}
    return eval(line, known)


def lines_of(*texts):
    return [line for text in texts for line in text.strip().splitlines()]


def check_same_picture(line):
    theirs = evaluated(line, PrecisionRecallDisplay)
    ours = evaluated(line, AveragePrecisionDisplay)
    assert ours.average_precision == pytest.approx(theirs.average_precision, abs=1e-12)
    assert isinstance(ours.line_, list) == isinstance(theirs.line_, list)
    assert np.size(ours.line_) == np.size(theirs.line_)
    assert ours.ax_.get_legend() is not None
    assert ours.figure_ is ours.ax_.figure
    assert hasattr(ours, "was_drawn") == hasattr(theirs, "was_drawn")
    edges = [shown.ax_.spines["top"].get_visible() for shown in (theirs, ours)]
    assert edges[0] == edges[1]


@pytest.mark.parametrize("line", lines_of(OF_MODELS, OF_SCORES))
def test_a_line_draws_curves_of_the_same_scores(line):
    check_same_picture(line)


@newest
@pytest.mark.parametrize("line", lines_of(OF_CURVES_WITH_OPTIONS, OF_FOLDS))
def test_a_line_of_the_newest_scikit_learn_draws_curves_of_the_same_scores(line):
    check_same_picture(line)


@pytest.mark.parametrize("line", lines_of(OF_ATTRIBUTES))
def test_attributes_have_the_same_values(line):
    answers = []
    for kind in (PrecisionRecallDisplay, OURS):
        options = {"name": "linear", "plot_chance_level": True}
        display = kind.from_predictions(Y, SCORES, **options)
        answers.append(eval(line, {"display": display, "copy": copy}))
    assert answers[1] == pytest.approx(answers[0]) or answers[0] == answers[1]


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_cannot_run_says_what_to_write(line):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # y_pred and estimator_name are old names
        evaluated(line, PrecisionRecallDisplay)
    with pytest.raises((TypeError, AttributeError), match=REFUSED[line]):
        evaluated(line, OURS)


@pytest.mark.parametrize("name", ["pos_label", "prevalence_pos_label", "precision", "y_pred"])
def test_names_that_are_refused_stand_in_the_table_of_differences(name):
    rows = compat.differences()._rows()
    assert any(
        row["part"] == "PrecisionRecallDisplay" and f"`{name}`" in row["input"] for row in rows
    )


def test_the_lines_are_sixty():
    runs = lines_of(OF_MODELS, OF_SCORES, OF_CURVES_WITH_OPTIONS, OF_FOLDS, OF_ATTRIBUTES)
    assert len({*runs, *REFUSED}) == 61


def test_response_method_chooses_the_scores():
    X, y = [[-1], [10], [20]], [0, 0, 1]
    model = LogisticRegression(C=1e9).fit([[-1], [1]], [0, 1])
    for method, score in (("predict_proba", 0.5), ("decision_function", 1.0), ("auto", 1.0)):
        display = OURS.from_estimator(model, X, y, response_method=method)
        assert display.average_precision == score


@pytest.mark.parametrize("form", ["from_estimator", "from_cv_results"])
def test_a_response_method_that_a_model_lacks_is_refused(form):
    forests = cross_validate(FOREST, X, Y, cv=2, return_estimator=True, return_indices=True)
    source = FOREST if form == "from_estimator" else forests
    draw = getattr(OURS, form)
    with pytest.raises(AttributeError, match="RandomForestClassifier has no decision_function"):
        draw(source, X, Y, response_method="decision_function")
    with pytest.raises(ValueError, match="response_method must be one of"):
        draw(source, X, Y, response_method="predict")


def test_average_precision_is_that_of_each_curve():
    counts = [threshold_counts([1, 0], scores) for scores in ([2, 1], [1, 2])]
    assert OURS(counts[0]).average_precision == 1.0
    assert OURS(counts).average_precision == [1.0, 0.5]
    assert OURS(counts, members=False).average_precision == 0.75
    assert OURS(counts, members=False, weights=[3, 1]).average_precision == 0.875
    assert OURS(counts * 100).average_precision == pytest.approx(
        0.75
    )  # too many curves for one picture
    assert OURS(counts, name=["a", "b"], members=False).average_precision == [1.0, 0.5]


def test_a_list_of_styles_gives_each_fold_a_row_of_the_legend():
    styles = [{"color": each} for each in "rgbck"]
    display = OURS.from_cv_results(CV, X, Y, curve_kwargs=styles, plot_chance_level=False)
    assert [line.get_color() for line in display.line_] == [*"rgbck"]
    scores = [f"step AP = {score:.3f}" for score in display.average_precision]
    assert len(legend_texts(display.ax_)) == 5
    assert [text.split()[-1] for text in legend_texts(display.ax_)] == [
        score.split()[-1] for score in scores
    ]


def test_the_options_of_the_line_of_random_scores_have_both_names_for_folds():
    for name in ("chance_level_kw", "chance_level_kwargs"):
        display = OURS.from_cv_results(CV, X, Y, **{name: {"color": "red"}})
        assert display.chance_level_.get_color() == "red"


def test_a_display_that_is_not_drawn_says_so():
    with pytest.raises(AttributeError, match=r"has no attribute 'line_'\. Call plot first"):
        _ = OURS(threshold_counts([1, 0], [2, 1])).line_
    assert not hasattr(OURS(threshold_counts([1, 0], [2, 1])), "unheard_of")
