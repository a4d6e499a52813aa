"""The precision-recall display."""

import sys
from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from matplotlib import pyplot as plt
from scipy.sparse import coo_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, precision_score
from sklearn.model_selection import ShuffleSplit, cross_validate

from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    average_precision_interval,
    average_precision_score,
    get_scorer,
    score_from_counts,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, Linear, PrecisionAtK, Step
from tests.helpers.drawings import (
    CLASSES,
    COLUMNS,
    PICTURED,
    QUERIES,
    SCORES,
    Y_SCORE,
    Y_TRUE,
    X,
    Y,
    area,
    legend_texts,
)
from tests.helpers.first_cases import quick

draw = AveragePrecisionDisplay.from_predictions
COUNTS = threshold_counts(Y_TRUE, Y_SCORE)
KEEP = {"return_estimator": True, "return_indices": True}
MODEL = LogisticRegression().fit(X, Y)
FOREST = RandomForestClassifier(10, random_state=0).fit(X, Y)
CV = cross_validate(LogisticRegression(), X, Y, **KEEP)
WEIGHTS = np.linspace(0.5, 2, Y.size)
AP = average_precision_score(Y, SCORES)
ONE_OF_MANY_LACKS_POSITIVES = "ignore:No positive .*class found"


def chance_levels(axis):
    return [line.get_ydata().tolist() for line in axis.lines if line.get_linestyle() == ":"]


# Code that draws with scikit-learn's display

KNOWN = {
    "X": X,
    "y": Y,
    "words": np.where(Y, "yes", "no"),
    "scores": SCORES,
    "weights": WEIGHTS,
    "model": MODEL,
    "forest": FOREST,
    "cv": CV,
    "copy": copy,
}
OF_OLDEST = """
Display.from_estimator(model, X, y)
Display.from_estimator(model, X, y, name="linear", ax=ax)
Display.from_estimator(model, X, y, sample_weight=weights, drop_intermediate=True)
Display.from_estimator(forest, X, y, response_method="predict_proba")
Display.from_estimator(model, X, y, pos_label=0)
Display.from_estimator(model, X, y, plot_chance_level=True, chance_level_kw={"color": "k"})
[Display.from_estimator(each, X, y, ax=ax) for each in (model, forest)][-1]
Display.from_predictions(words, scores, pos_label="yes", name="linear", despine=True)
Display.from_predictions(y, scores).plot(ax, name="again", plot_chance_level=True)
copy(Display.from_predictions(y, scores)).plot()
"""
OF_NEWEST = """
Display.from_estimator(model, X, y, curve_kwargs={"color": "red", "linewidth": 3})
Display.from_predictions(y_true=y, y_score=scores).plot(curve_kwargs=[{"color": "red"}])
Display.from_cv_results(cv, X, y, sample_weight=weights, drop_intermediate=False)
Display.from_cv_results(cv, X, y, response_method="predict_proba", pos_label=0)
Display.from_cv_results(cv, X, y, ax=ax, name="folds", curve_kwargs={"alpha": 0.3}, despine=True)
Display.from_cv_results(cv, X, y, name=[*"abcde"], curve_kwargs=[{"color": c} for c in "rgbck"])
Display.from_cv_results(cv, X, y, plot_chance_level=True, chance_level_kwargs={"color": "k"})
"""
SINCE_1_9 = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


@pytest.mark.parametrize(
    "line", [*OF_OLDEST.strip().splitlines(), *OF_NEWEST.strip().splitlines() * SINCE_1_9]
)
def test_code_for_scikit_learns_display_draws_curves_of_the_same_scores(line):
    theirs, ours = (
        eval(line, KNOWN | {"Display": display, "ax": plt.subplots()[1]})
        for display in (PrecisionRecallDisplay, AveragePrecisionDisplay)
    )
    assert ours.average_precision == pytest.approx(theirs.average_precision, abs=1e-12)
    assert np.shape(ours.line_) == np.shape(theirs.line_)
    assert ours.figure_ is ours.ax_.figure
    edges = [display.ax_.spines["top"].get_visible() for display in (theirs, ours)]
    assert edges[0] == edges[1]
    if "pos_label" in line and "cv" not in line:
        assert ours.ax_.get_xlabel() == theirs.ax_.get_xlabel()
    if "color" in line and "chance" not in line:
        colors = [[each.get_color() for each in np.ravel(d.line_)] for d in (ours, theirs)]
        assert colors[0] == colors[1]


# The curve and its score


@pytest.mark.parametrize("definition", PICTURED)
def test_the_line_of_a_definition_is_drawn_with_its_score(definition):
    display = AveragePrecisionDisplay(COUNTS, definition=definition).plot()
    np.testing.assert_allclose(display.line_.get_data(), definition.line(COUNTS), atol=1e-12)
    score = definition(COUNTS)[0]
    assert display.average_precision == score
    assert legend_texts(display.ax_)[0] == f"{definition.title} = {score:.3f}"


@pytest.mark.parametrize("definition", [AtK(4), Expected(4)])
def test_the_line_at_k_and_that_of_a_mean_end_at_rank_k(definition):
    y, queries = np.tile([1, 0, 1, 0, 0, 1], 2), np.repeat([0, 1], 6)
    display = draw(y, -np.arange(12), queries=queries, definition=definition)
    for line in (*display.line_, display.mean_):
        recall, height = line.get_data()
        assert recall[-1] == 2 / 3
        assert (height > 0).all()


def test_a_display_and_counts_warn_of_scores_as_the_score_does():
    y, classes = np.repeat([0, 1], 20), np.repeat([0, 1, 0], [10, 25, 5])
    for call in (
        lambda: draw(y, -np.arange(40)),
        lambda: score_from_counts(threshold_counts(y, -np.arange(40))),
    ):
        with pytest.warns(UserWarning, match="below that of random scores"):
            call()
    with pytest.warns(UserWarning, match="look like predicted classes"):
        draw(y, classes)
    with pytest.warns(UserWarning, match="k=20 exceeds the total of sample_weight"):
        draw(Y, SCORES, definition="AP@20", sample_weight=np.full(Y.size, 1 / Y.size))
    with pytest.warns(UserWarning, match="look like predicted classes") as record:
        draw(y, classes, confidence_level=0.95)
    assert len(record) == 1


@pytest.mark.filterwarnings("ignore:No positive")
def test_a_ranking_without_positives_has_an_empty_curve():
    display = draw([0, 0], [0.1, 0.2])
    assert (display.average_precision, display.line_.get_xdata().size) == (0, 0)
    assert display.ax_.get_ylim() == (-0.02, 1.05)
    mean = draw([0, 0], [0.1, 0.2], queries=[1, 2], average="weighted")
    assert mean.average_precision == 0


# The level of random scores


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("definition", [Step(), AtK(20), Interpolated(11)])
def test_the_chance_level_is_the_prevalence(weights, definition):
    display = draw(Y, SCORES, sample_weight=weights, definition=definition)
    prevalence = precision_score(Y, np.ones_like(Y), sample_weight=weights)
    assert chance_levels(display.ax_) == [[pytest.approx(prevalence)] * 2]
    assert legend_texts(display.ax_)[-1] == f"chance level: {prevalence:.3f}"


def test_positives_that_were_never_scored_do_not_raise_the_chance_level():
    """A curve ends at the precision of all scored rows, 2 of 4."""
    display = draw([1, 0, 1, 0], [4, 3, 2, 1], n_positives=10)
    assert chance_levels(display.ax_) == [[0.5, 0.5]]
    assert display.average_precision == average_precision_score(
        [1, 0, 1, 0], [4, 3, 2, 1], n_positives=10
    )


def test_heights_of_the_user_are_not_called_precision():
    class Squared(Step):
        draws_precision = False

        def heights(self, counts):
            return np.where(counts.recall <= 0.5, 2 * counts.precision**2, 0)

    shown = draw(Y_TRUE, Y_SCORE, definition=Squared(), pos_label=1)
    assert shown.ax_.get_ylabel() == "Height (Positive label: 1)"
    assert shown.ax_.get_ylim()[1] > shown.line_.get_ydata().max() > 1
    assert shown.chance_level_ is None
    renamed = type("Renamed", (Step,), {"title": "mine"})()
    for options in ({"prevalence": 0.1}, {"definition": renamed}):
        assert draw(Y_TRUE, Y_SCORE, **options).ax_.get_ylabel() == "Precision"


@pytest.mark.filterwarnings("ignore:reversed scores:sklearn_ap.UncertaintyWarning")
def test_models_share_the_chance_level_of_their_prevalence():
    _, axis = plt.subplots()
    axis.errorbar([0.4], [0.7], [0.1], label="paper")
    first = draw(Y, SCORES, name="a", ax=axis)
    second = draw(Y, -SCORES, name="b", ax=axis)
    assert second.chance_level_ is first.chance_level_
    names = [text.split(":")[0] for text in legend_texts(axis)]
    assert names == ["a", "b", "paper", "chance level"]
    draw(Y, SCORES, name="c", prevalence=0.5, ax=axis)
    assert [level for level, _ in chance_levels(axis)] == pytest.approx([Y.mean(), 0.5])
    assert first.line_.get_color() != second.line_.get_color()


# Several rankings


def test_each_class_has_a_curve_and_a_name():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = draw(words, COLUMNS)
    scores = average_precision_score(words, COLUMNS, average=None)
    assert [area(line) for line in display.line_] == pytest.approx(scores)
    assert display.average_precision == pytest.approx(scores)
    rows = [f"class {name}: step AP = {score:.3f}" for name, score in zip("abcd", scores, strict=1)]
    labels = [line.get_label() for line in display.line_]
    assert labels == rows
    assert len({line.get_color() for line in display.line_}) == 4
    assert len(display.chance_level_) == np.unique(np.bincount(CLASSES)).size


def test_labels_are_named_by_their_columns_after_the_model():
    targets = pd.DataFrame(np.eye(4, dtype=int)[CLASSES], columns=list("wxyz"))
    names = [line.get_label().split(":")[0] for line in draw(targets, COLUMNS, name="m").line_]
    assert names == [f"m, {name}" for name in "wxyz"]
    micro = draw(targets, COLUMNS, name="m", average="micro")
    score = average_precision_score(targets, COLUMNS, average="micro")
    assert micro.line_.get_label() == f"m, micro-average: step AP = {score:.3f}"


def test_an_undefined_ranking_is_named_among_counts_with_names_and_without():
    named = replace(COUNTS, names=("first",))
    empty = threshold_counts([0, 0], [2, 1])
    with pytest.warns(UndefinedMetricWarning, match=r"1 of 2 rankings \('0'\)"):
        AveragePrecisionDisplay([named, empty])


def test_a_class_that_is_missing_counts_as_0_with_a_warning():
    seen = CLASSES != 2
    with pytest.warns(UndefinedMetricWarning, match="No positive .* 1 of 4 rankings") as record:
        display = draw(CLASSES[seen], COLUMNS[seen], labels=range(4))
    assert [each.filename for each in record] == [__file__]
    assert display.average_precision[2] == 0
    assert display.line_[2].get_label() == "class 2: step AP = 0.000"
    assert min(level for level, _ in chance_levels(display.ax_)) > 0


@pytest.mark.parametrize(("n_columns", "n_drawn"), [(13, 13), (100, 100), (101, 1)])
def test_many_columns_share_a_row_of_the_legend(n_columns, n_drawn):
    display = draw(np.tile([[0], [1]], n_columns), np.ones((2, n_columns)))
    assert np.size(display.line_) == n_drawn
    assert display.mean_.get_label().startswith(f"mean of {n_columns} columns: step AP = 0.5")


@pytest.mark.filterwarnings(ONE_OF_MANY_LACKS_POSITIVES)
@pytest.mark.parametrize("average", [None, "macro", "weighted"])
@pytest.mark.parametrize(("definition", "prevalence"), [(Step(), 0.1), (Linear(), None)])
def test_the_area_under_the_mean_of_queries_is_their_score(average, definition, prevalence):
    options = {"queries": QUERIES, "definition": definition, "prevalence": prevalence}
    display = draw(Y, SCORES, average=average, **options)
    options |= {"average": average or "macro", "zero_division": 0.0}
    score = average_precision_score(Y, SCORES, **options)
    assert area(display.mean_) == pytest.approx(score, abs=1e-12)
    assert f"step AP = {score:.3f} (SD" in repr(display).replace("linear", "step").replace(
        " at prevalence 0.1", ""
    )
    renamed = replace(display, name="m")
    assert repr(renamed) == repr(display).replace("Display(", "Display(m, ")
    assert renamed.average_precision == display.average_precision
    members = 1 if average else 40
    assert np.size(display.line_) == np.size(display.average_precision) == members


@pytest.mark.filterwarnings(ONE_OF_MANY_LACKS_POSITIVES)
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_chance_level_of_a_mean_is_that_of_its_queries(average, prevalence):
    """Queries without positives count as 0, as in the mean."""
    positives = Y.reshape(40, 15).sum(axis=1)
    levels = positives / 15 if prevalence is None else prevalence * (positives > 0)
    weights = positives if average == "weighted" else None
    display = draw(Y, SCORES, queries=QUERIES, average=average, prevalence=prevalence)
    expected = pytest.approx(np.average(levels, weights=weights))
    assert chance_levels(display.ax_) == [[expected] * 2]


def test_the_mean_of_weighted_rows_uses_their_weights():
    table, options = np.eye(4)[CLASSES], {"average": "samples", "sample_weight": 1.0 + CLASSES}
    display = draw(table, COLUMNS, **options)
    score = average_precision_score(table, COLUMNS, **options)
    assert display.average_precision == pytest.approx(score) == area(display.mean_)


def test_the_mean_and_its_spread_leave_out_queries_without_weight():
    """1 of one positive and 1/2 of three: 5/8, and the root of 9/64 / 4 + 3/4 / 64."""
    options = {"queries": [1, 1, *[2] * 6, 3], "average": "weighted"}
    with pytest.warns(UndefinedMetricWarning, match="No positive .* 1 of 3 rankings"):
        display = draw([1, 0, 1, 1, 1, 0, 0, 0, 0], [2, 1, *[0] * 7], **options)
    assert display.mean_.get_label() == "mean of 2 queries: step AP = 0.625 (SD 0.217)"


# Intervals in the legend


def cell(found, row=0):
    """The score and its limits as everywhere: "0.52 (0.41 to 0.62)"."""
    return found.to_table("markdown").splitlines()[2 + row].strip(" |").split(" | ")[1]


@pytest.mark.parametrize("more", [{}, {"prevalence": 0.1, "sample_weight": WEIGHTS}])
def test_the_legend_has_the_interval_of_the_score(more):
    options = {"clusters": QUERIES, "definition": Linear(), "confidence_level": 0.8, **more}
    found = average_precision_interval(Y, SCORES, **options)
    label = draw(Y, SCORES, name="m", **options).line_.get_label()
    at = " at prevalence 0.1" * bool(more)
    assert label == f"m: linear AP{at} = {cell(found)}"


def test_each_class_has_its_interval():
    found = average_precision_interval(CLASSES, COLUMNS, average=None)
    display = draw(CLASSES, COLUMNS, confidence_level=0.95)
    assert all(cell(found, i) in line.get_label() for i, line in enumerate(display.line_))
    mean = draw(CLASSES, COLUMNS, average="macro", confidence_level=0.95)
    apart = mean.plot(curve_kwargs=[{}] * COLUMNS.shape[1])
    assert not any(" to " in line.get_label() for line in apart.line_)  # limits are of the mean
    counts = [COUNTS] * len(found.names)
    mean = AveragePrecisionDisplay(counts, interval=found)
    assert " to " not in repr(mean)  # not the limits of the first
    table = CLASSES[:, None] == np.arange(COLUMNS.shape[1])
    micro = {"average": "micro", "confidence_level": 0.95}
    listed, usual = (repr(draw(table, COLUMNS, name=name, **micro)) for name in (["m"], None))
    assert listed == usual.replace("micro-average", "m")


@pytest.mark.parametrize("other", [{"definition": "AP@20"}, {"prevalence": 0.01}])
def test_the_interval_of_another_score_is_refused(other):
    display = draw(Y, SCORES, confidence_level=0.95)
    with pytest.raises(ValueError, match="interval is of step AP, not of "):
        replace(display, **other)
    assert repr(replace(display, interval=None, **other)) == repr(draw(Y, SCORES, **other))


@pytest.mark.filterwarnings(ONE_OF_MANY_LACKS_POSITIVES, "ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("queries", [QUERIES, np.zeros(Y.size)])
def test_the_interval_of_a_mean_is_that_of_its_score(average, queries):
    options = {"queries": queries, "average": average, "confidence_level": 0.9}
    found = average_precision_interval(Y, SCORES, zero_division=0.0, **options)
    assert legend_texts(draw(Y, SCORES, **options).ax_)[0].endswith(cell(found))


# Folds and estimators


@pytest.mark.parametrize("kind", [list, coo_array])
def test_folds_are_drawn_behind_their_pool(kind):
    display = AveragePrecisionDisplay.from_cv_results(CV, kind(X), Y)
    scores = cross_validate(MODEL, X, Y, scoring="average_precision")["test_score"]
    np.testing.assert_allclose([area(line) for line in display.line_], scores)
    pooled = average_precision_interval(Y, FoldPredictions(CV, X)).estimate
    assert area(display.mean_) == pytest.approx(pooled)
    assert display.pooled_average_precision == pooled
    assert repr(display) == (
        f"AveragePrecisionDisplay(pool of 5 folds: step AP = {pooled:.3f}, mean of folds "
        f"{scores.mean():.3f} (SD {scores.std():.3f}))"
    )


def test_of_many_folds_the_pool_alone_is_drawn():
    display = replace(AveragePrecisionDisplay.from_cv_results(CV, X, Y), _draws_members=False)
    assert display.average_precision == display.pooled_average_precision
    assert display.recall[-1] == 0
    assert display.recall.size == display.precision.size > Y.sum() / 2


def test_repeated_folds_are_drawn_behind_their_mean():
    """As a row that is tested twice has two scores."""
    found = cross_validate(MODEL, X, Y, cv=ShuffleSplit(4, random_state=0), **KEEP)
    display = AveragePrecisionDisplay.from_cv_results(found, X, Y)
    scores = [area(line) for line in display.line_]
    assert area(display.mean_) == pytest.approx(np.mean(scores))
    assert repr(display).startswith("AveragePrecisionDisplay(mean of 4 folds: step AP = ")


def test_a_display_has_the_points_of_its_curve():
    display = AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [4, 3, 2, 1])
    np.testing.assert_array_equal(display.precision, [2 / 3, 1.0, 1.0])
    np.testing.assert_array_equal(display.recall, [1.0, 0.5, 0.0])
    of_two = AveragePrecisionDisplay.from_predictions(np.eye(2, dtype=int), np.eye(2))
    assert [each.tolist() for each in of_two.recall] == [[1.0, 0.0]] * 2


def test_a_fold_without_weight_is_not_drawn():
    weight = np.ones(len(Y))
    weight[CV["indices"]["test"][0]] = 0
    assert len(AveragePrecisionDisplay.from_cv_results(CV, X, Y, sample_weight=weight).line_) == 4


FRAME, LABELS, WEIGHT = pd.DataFrame(X), pd.Series(Y), pd.Series(WEIGHTS)


@pytest.mark.parametrize(("form", "source"), [("from_estimator", MODEL), ("from_cv_results", CV)])
@pytest.mark.parametrize(
    ("rows", "y", "weight"),
    [(FRAME[::-1], LABELS, WEIGHTS), (X, LABELS, WEIGHT[::-1]), (FRAME, Y, WEIGHT[::-1])],
    ids=["rows", "weights beside labels", "weights beside rows"],
)
def test_rows_of_another_order_are_refused(form, source, rows, y, weight):
    with pytest.raises(ValueError, match="the same names in another order"):
        getattr(AveragePrecisionDisplay, form)(source, rows, y, sample_weight=weight)


def test_response_method_chooses_the_scores():
    rows, y = [[-1], [10], [20]], [0, 0, 1]  # the probabilities of the last two are both 1
    model = LogisticRegression(C=1e9).fit([[-1], [1]], [0, 1])
    for method, score in (("predict_proba", 0.5), ("decision_function", 1.0), ("auto", 0.5)):
        display = AveragePrecisionDisplay.from_estimator(model, rows, y, response_method=method)
        theirs = PrecisionRecallDisplay.from_estimator(model, rows, y, response_method=method)
        assert display.average_precision == theirs.average_precision == score
    of_scorer = get_scorer("average_precision")(model, rows, y)
    assert AveragePrecisionDisplay.from_estimator(model, rows, y).average_precision == of_scorer


@pytest.mark.parametrize("form", ["from_estimator", "from_cv_results"])
def test_a_response_method_that_a_model_lacks_is_refused(form):
    source = FOREST if form == "from_estimator" else {**CV, "estimator": [FOREST] * 5}
    with pytest.raises(TypeError, match="with decision_function, got RandomForestClassifier"):
        getattr(AveragePrecisionDisplay, form)(source, X, Y, response_method="decision_function")


def test_an_option_that_the_estimator_gives_is_refused():
    with pytest.raises(TypeError, match="multiple values for keyword argument 'y_true'"):
        AveragePrecisionDisplay.from_estimator(MODEL, X, Y, y_true=Y)


# Lines, legends and axes


def test_a_name_in_plot_replaces_that_of_the_display():
    display = AveragePrecisionDisplay(COUNTS, name="first").plot(name="second")
    assert legend_texts(display.ax_)[0] == "second: step AP = 0.717"
    assert display.name == "first"


@pytest.mark.parametrize("names", [["a", "b"], np.array(["a", "b"]), pd.Series(["a", "b"])])
def test_a_column_of_names_names_each_curve(names):
    display = draw(np.eye(2, dtype=int), np.eye(2), name=names)
    assert [line.get_label()[:2] for line in display.line_] == ["a:", "b:"]


def test_options_of_the_user_replace_ours():
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    options = {"curve_kwargs": {"color": "red", "lw": 1}, "chance_level_kw": {"ls": "--"}}
    assert draw(Y, SCORES, plot_chance_level=False).chance_level_ is None
    display = AveragePrecisionDisplay(counts).plot(lw=3, label="mine", **options)
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)
    assert display.chance_level_.get_linestyle() == "--"
    assert legend_texts(display.ax_)[0] == "mine"
    of_folds = AveragePrecisionDisplay.from_cv_results(CV, X, Y, chance_level_kw={"color": "red"})
    assert of_folds.chance_level_.get_color() == "red"
    twice = {"chance_level_kw": {}, "chance_level_kwargs": {"color": "blue"}}
    with pytest.raises(TypeError, match="multiple values for keyword argument 'chance_level_kw'"):
        AveragePrecisionDisplay.from_cv_results(CV, X, Y, **twice)
    for _ in range(2):  # a level is one line of the axes, and all levels are one row
        level = {"label": "share", "gid": "mine"}
        draw(np.eye(3, 2, dtype=int), np.eye(3, 2), ax=display.ax_, chance_level_kw=level)
    assert legend_texts(display.ax_).count("share") == 1


def test_a_long_row_of_a_legend_covers_no_curve():
    _, axis = plt.subplots(figsize=(4.4, 3.9), layout="constrained")
    draw(Y, SCORES, name=30 * "a", ax=axis)
    axis.figure.canvas.draw()
    shown, whole = axis.get_legend().get_window_extent(), axis.figure.bbox
    assert not shown.overlaps(axis.bbox)
    assert -1 < shown.x0 < shown.x1 < whole.x1 + 1  # not cut off


@pytest.mark.slow
def test_a_legend_of_many_rows_leaves_the_curves_their_room():
    _, axis = plt.subplots(layout="constrained")
    for i in range(20):
        draw(Y, SCORES, name=i, ax=axis)
    axis.figure.canvas.draw()
    assert axis.get_position().height > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["none", "constrained"])
def test_the_legend_stays_in_axes_that_share_a_figure_and_titles_stay(layout):
    figure, (left, right) = plt.subplots(1, 2, layout=layout)
    left.set_title("mine")
    for i in range(8):
        draw(Y, SCORES, name=i, ax=left)
    assert (len(legend_texts(left)), len(right.lines)) == (9, 0)
    figure.canvas.draw()
    assert left.get_legend().get_window_extent().overlaps(left.bbox) == (layout == "none")
    assert left.get_title() == "mine"
    assert (figure.get_layout_engine() is None) == (layout == "none")


@pytest.mark.parametrize(
    "name", quick(["$a$", "_m", "St. Gallen", "%s", "Model v. 1", "a: b", "<b>"], 3)
)
def test_a_name_is_shown_as_it_is(name):
    axis = draw(Y_TRUE, Y_SCORE, name=name).ax_
    axis.figure.canvas.draw()
    (shown, _) = axis.get_legend().get_texts()
    assert shown.get_text().replace("\\", "").strip() == f"{name}: step AP = 0.717"
    assert shown._preprocess_math(shown.get_text())[1] is False


def test_a_picture_without_matplotlib_names_it(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="A picture needs matplotlib"):
        draw([1, 0], [2, 1])


WRONG = [
    *((counts, {}, {}, "counts must be ThresholdCounts") for counts in ([0.5], [], 3)),
    (COUNTS, {"definition": [Step()]}, {}, "definition must be one of sklearn_ap"),
    (COUNTS, {"definition": PrecisionAtK(3)}, {}, "has no line to draw"),
    ([COUNTS] * 2, {}, {"name": ["one"]}, "name must hold one per ranking, 2 here, got 1"),
    ([COUNTS] * 2, {"name": ["a", "b"]}, {"curve_kwargs": [{}]}, "curve_kwargs .* of 2, got 1"),
]


@pytest.mark.parametrize(("counts", "options", "of_plot", "message"), WRONG)
def test_wrong_arguments_are_refused(counts, options, of_plot, message):
    with pytest.raises((TypeError, ValueError), match=message):
        AveragePrecisionDisplay(counts, **options).plot(**of_plot)
