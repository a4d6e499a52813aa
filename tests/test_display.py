"""The pictures, tested by what they draw."""

import inspect
import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from registry import DEFINITIONS
from scipy.sparse import coo_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from sklearn_ap import (
    AveragePrecisionDisplay,
    ComparisonDisplay,
    HitCurveDisplay,
    average_precision_score,
    compat,
    definitions,
    threshold_counts,
)

Y_TRUE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
Y_SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
PICTURED = [d for d in DEFINITIONS if d.line(threshold_counts(Y_TRUE, Y_SCORE)) is not None]
X, Y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=0)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def rankings():
    """Counts of rankings with and without ties, weights, and positives never scored."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12, 300):
        for n_scores in (1, 3, 10_000):
            y_true = rng.random(n) < 0.4
            y_true[rng.integers(n)] = True
            y_score, weight = rng.integers(0, n_scores, n), rng.integers(1, 8, n) / 4
            counts = threshold_counts(y_true, y_score)
            yield counts
            yield replace(counts, n_positives=counts.n_positives + 3)
            yield threshold_counts(y_true, y_score, sample_weight=weight)


def area(line):
    """The area under a line as it is drawn."""
    return np.trapezoid(line.get_ydata(), line.get_xdata())


def takes(definition, counts):
    """Whether a definition takes these counts: some need unweighted ones."""
    weighted = counts.tps.dtype.kind == "f"
    return not (weighted and isinstance(definition, definitions.Expected))


def drawn_value(definition, counts, line, samples):
    """The value that a picture shows: the mean of its samples, or its area over the divisor."""
    if samples is not None:
        return samples.get_ydata().mean()
    return area(line) * counts.n_positives[0] / definition.divisor(counts)[0]


@pytest.mark.parametrize("definition", PICTURED, ids=repr)
def test_what_is_drawn_is_the_score_in_the_legend(definition):
    bends = isinstance(definition, definitions.Hyperbolic)  # drawn as short lines
    for counts in rankings():
        if not takes(definition, counts):
            continue
        _, axis = plt.subplots()
        display = AveragePrecisionDisplay(counts, definition=definition).plot(axis)
        score = definition(counts)[0]
        drawn = drawn_value(definition, counts, display.line_, display.samples_)
        assert drawn == pytest.approx(score, abs=1e-3 if bends else 1e-12)
        shown = axis.get_legend().get_texts()[-1].get_text()
        assert shown == f"{definition.title} = {score:.3f}"
        plt.close("all")


def test_every_definition_that_is_an_average_precision_has_a_picture():
    names = {type(definition).__name__ for definition in DEFINITIONS}
    pictured = {type(definition).__name__ for definition in PICTURED}
    assert names - pictured == {"PrecisionAtK", "RecallAtK"}


def test_a_definition_without_a_picture_says_so():
    with pytest.raises(ValueError, match=r"PrecisionAtK\(k=3\) has no picture"):
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=definitions.PrecisionAtK(3)
        )


def test_several_definitions_stand_side_by_side():
    chosen = [
        definitions.Step(),
        definitions.Interpolated(recall_levels=11),
        definitions.AtK(k=3, normalizer="hits"),
        definitions.Linear(),
    ]
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=chosen)
    assert len(display.figure_.axes) == display.ax_.size == len(display.line_) == 4
    assert [samples is not None for samples in display.samples_] == [False, True, False, False]
    assert repr(display) == (
        "AveragePrecisionDisplay(step AP = 0.717; eleven-point AP = 0.758; "
        "AP@3 over hits = 0.833; linear AP = 0.744)"
    )


def test_what_straight_lines_over_count_is_shaded():
    display = AveragePrecisionDisplay.from_predictions(
        [1] + 9 * [0], 10 * [0.5], definition=definitions.Linear()
    )
    (shade,) = display.ax_.collections
    outline = shade.get_paths()[0].vertices
    x, y = outline.T
    shaded = abs(np.sum(x * np.roll(y, 1) - y * np.roll(x, 1))) / 2
    assert shaded == pytest.approx(0.55 - 0.1)


def test_operating_points_are_marked_where_they_are_few():
    few = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
    many = AveragePrecisionDisplay.from_predictions(Y, np.arange(Y.size))
    marked = [[line for line in d.ax_.lines if line.get_marker() == "o"] for d in (few, many)]
    assert [len(lines) for lines in marked] == [1, 0]
    np.testing.assert_allclose(marked[0][0].get_xdata(), [0.2, 0.4, 0.6, 0.8, 1.0])


def test_models_on_one_axis_differ_in_colour_and_dashes_and_share_chance_level():
    _, axis = plt.subplots()
    for seed in range(5):
        scores = np.random.default_rng(seed).random(Y.size)
        AveragePrecisionDisplay.from_predictions(Y, scores, name=f"model {seed}", ax=axis)
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert texts[0] == f"chance level: {Y.mean():.3g}"
    assert [text.split(":")[0] for text in texts[1:]] == [f"model {seed}" for seed in range(5)]
    models = [line for line in axis.lines if line.get_label().startswith("model")]
    assert len({line.get_color() for line in models}) == 5
    # A legend below the axes, on the figure, covers nothing and is not cut.
    axis.figure.canvas.draw()
    legend, figure = axis.get_legend().get_window_extent(), axis.figure.bbox
    assert figure.y0 <= legend.y0 < legend.y1 < axis.xaxis.label.get_window_extent().y0
    assert figure.x0 <= legend.x0 < legend.x1 <= figure.x1


def test_a_detector_that_missed_objects():
    display = AveragePrecisionDisplay.from_predictions([1, 0, 1], [0.9, 0.8, 0.7], n_positives=4)
    assert display.line_.get_xdata().max() == 0.5
    assert area(display.line_) == pytest.approx(
        average_precision_score([1, 0, 1], [0.9, 0.8, 0.7], n_positives=4)
    )


def test_without_positives_nothing_is_drawn():
    display = AveragePrecisionDisplay.from_predictions([0, 0], [1, 2])
    assert display.line_.get_xdata().size == 0
    assert repr(display) == "AveragePrecisionDisplay(step AP = nan)"


def test_options_reach_the_line():
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    display = AveragePrecisionDisplay(counts, name="a").plot(name="b", color="red", linewidth=5)
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 5)
    assert display.ax_.get_legend().get_texts()[-1].get_text() == "b: step AP = 0.717"


def test_a_score_is_no_definition():
    with pytest.raises(TypeError, match=r"definition must be one of sklearn_ap\.definitions"):
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=average_precision_score
        )


def test_an_empty_list_of_definitions_is_refused():
    with pytest.raises(ValueError, match="definition is an empty list"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=[])


def test_axes_must_be_as_many_as_definitions():
    _, axes = plt.subplots(1, 3)
    two = [definitions.Step(), definitions.Linear()]
    with pytest.raises(ValueError, match="ax must hold 2 matplotlib Axes, one for each picture"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes)
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes[:2])
    assert list(display.ax_) == list(axes[:2])


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
def test_an_estimator_is_ranked_by_its_scores(display):
    model = LogisticRegression().fit(X, Y)
    ours = display.from_estimator(model, X, Y)
    same = display.from_predictions(Y, model.decision_function(X))
    np.testing.assert_array_equal(ours.line_.get_xydata(), same.line_.get_xydata())
    assert "LogisticRegression" in ours.ax_.get_legend().get_texts()[-1].get_text()


def test_a_regressor_is_ranked_by_its_predictions():
    model = RandomForestRegressor(10, random_state=0).fit(X, Y)
    display = AveragePrecisionDisplay.from_estimator(model, X, Y, name="forest")
    assert area(display.line_) == pytest.approx(average_precision_score(Y, model.predict(X)))


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_the_column_of_pos_label_is_ranked(pos_label):
    words = np.where(Y == 1, "yes", "no")
    model = RandomForestClassifier(10, random_state=0).fit(X, words)
    display = AveragePrecisionDisplay.from_estimator(model, X, words, pos_label=pos_label)
    column = list(model.classes_).index(pos_label)
    score = average_precision_score(words, model.predict_proba(X)[:, column], pos_label=pos_label)
    assert area(display.line_) == pytest.approx(score)


def test_classes_are_no_scores():
    class Guess(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X[:, 0] > 0).astype(self.classes_.dtype)

    for labels in (Y, Y.astype(float)):
        with pytest.raises(ValueError, match="Predicted classes arrived where scores were"):
            AveragePrecisionDisplay.from_estimator(Guess().fit(X, labels), X, labels)


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay])
def test_folds_are_drawn_together(display):
    pandas = pytest.importorskip("pandas")
    frame, weight = pandas.DataFrame(X), np.linspace(1, 2, Y.size)
    result = cross_validate(
        LogisticRegression(), frame, Y, cv=4, return_estimator=True, return_indices=True
    )
    drawn = display.from_cv_results(result, frame, Y, sample_weight=weight, name="logistic")
    assert len(drawn.line_) == 4
    test = result["indices"]["test"][2]
    scores = result["estimator"][2].decision_function(frame.iloc[test])
    alone = display.from_predictions(Y[test], scores, sample_weight=weight[test])
    np.testing.assert_array_equal(drawn.line_[2].get_xydata(), alone.line_.get_xydata())
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert sum("4 folds" in text for text in texts) == 1


def test_the_legend_of_folds_has_their_mean():
    result = cross_validate(
        LogisticRegression(),
        X,
        Y,
        scoring="average_precision",
        return_estimator=True,
        return_indices=True,
    )
    display = AveragePrecisionDisplay.from_cv_results(result, X, Y)
    scores = result["test_score"]
    assert f"{scores.mean():.3f} ± {scores.std():.3f}" in repr(display)


def test_cv_results_need_estimators_and_indices():
    result = cross_validate(LogisticRegression(), X, Y)
    with pytest.raises(ValueError, match="return_estimator=True and return_indices=True"):
        HitCurveDisplay.from_cv_results(result, X, Y)


def test_the_hit_curve_stands_between_the_perfect_and_the_random_one():
    _, axis = plt.subplots()
    for name in ("a", "b"):
        display = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name=name, ax=axis)
    lines = {line.get_label(): line.get_xydata().tolist() for line in axis.lines}
    assert lines["perfect: 0.5 are positive"] == [[0, 0], [0.5, 0.5], [1, 0.5]]
    assert lines["random"] == [[0, 0], [1, 0.5]]
    assert set(lines) == {"perfect: 0.5 are positive", "random", "a", "b"}
    assert display.line_.get_xydata()[-1].tolist() == [1, 0.5]


def test_every_tool_with_a_number_is_in_the_comparison():
    comparison = compat.compare(Y_TRUE, Y_SCORE, k=3)
    display = ComparisonDisplay(comparison).plot()
    rows = [row for group in comparison.groups for row in group if row.value is not None]
    rows = [row for row in rows if not np.isnan(row.value)]
    labels = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    shown = [name.strip() for label in labels for name in label.replace("\n", " ").split(",")]
    assert sorted(shown) == sorted(row.name for row in rows)
    assert display.ax_.get_xlabel() == "average precision, k=3 where one is needed"
    values = display.points_.get_xdata()
    assert (np.diff(values) > 0).all()
    assert set(values) == {group[0].value for group in comparison.groups} & set(values)
    display.figure_.canvas.draw()
    edges = [tick.get_window_extent().x0 for tick in display.ax_.get_yticklabels()]
    edges += [display.figure_.bbox.x1 - text.get_window_extent().x1 for text in display.ax_.texts]
    assert min(edges) >= 0


def test_the_comparison_says_how_many_functions_give_no_number():
    display = ComparisonDisplay.from_predictions([0, 0, 0], [1, 2, 3])
    n_without = len(compat.conventions()) - sum(
        label.get_text().count(",") + 1 for label in display.ax_.get_yticklabels()
    )
    assert n_without > 0
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert f"not drawn, as they give no number: {n_without}" in texts


def test_a_comparison_of_some_tools():
    display = ComparisonDisplay.from_predictions(Y_TRUE, Y_SCORE, tools=["xgboost", "sklearn"])
    assert repr(display) == "ComparisonDisplay(9 functions)"


def legend_texts(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_legends_of_panels_fit_below_them():
    model = RandomForestClassifier(10, random_state=0).fit(X, Y)
    chosen = [
        definitions.Step(),
        definitions.Interpolated(recall_levels=11),
        definitions.AtK(k=20, normalizer="positives"),
    ]
    figure = AveragePrecisionDisplay.from_estimator(model, X, Y, definition=chosen).figure_
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


def test_a_long_name_leaves_room_for_the_curve():
    name = "a model whose author could not decide what to leave out of the name " * 2
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name=name)
    display.figure_.canvas.draw()
    assert display.ax_.bbox.width > 500


@pytest.mark.parametrize("name", ["W" * 45, "MMMM_WWWW " * 8])
def test_wide_letters_leave_room_for_the_curve(name):
    chosen = [definitions.Step(), definitions.Linear(), definitions.Hyperbolic()]
    display = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=chosen, name=name
    )
    display.figure_.canvas.draw()
    assert min(axis.bbox.width for axis in display.ax_) > 280


@pytest.mark.parametrize("kind", ["by hand", "beside a colorbar"])
def test_where_the_layout_makes_no_room_the_legend_is_inside(kind):
    figure = plt.figure()
    if kind == "by hand":
        axis = figure.add_axes([0.1, 0.1, 0.8, 0.8])
    else:
        left, axis = figure.subplots(1, 2)
        figure.colorbar(left.imshow(np.eye(3)), ax=left)
    AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, ax=axis)
    figure.canvas.draw()
    inside, box = axis.get_window_extent(), axis.get_legend().get_window_extent()
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1


def test_large_letters_do_not_overlap():
    with plt.rc_context({"font.size": 20}):
        display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)
        display.figure_.canvas.draw()
        axis = display.ax_
        label = axis.xaxis.label.get_window_extent()
        assert axis.get_legend().get_window_extent().y1 <= label.y0


def test_one_large_bend_among_many_thresholds_is_drawn():
    y_true = np.r_[0, np.ones(50_000), np.tile([1, 0], 10_001)]
    y_score = np.r_[2, np.ones(50_000), -np.arange(20_002.0)]
    counts = threshold_counts(y_true, y_score)
    display = AveragePrecisionDisplay(counts, definition=definitions.Hyperbolic()).plot()
    assert area(display.line_) == pytest.approx(definitions.Hyperbolic()(counts)[0], abs=5e-4)


def folds_of(*rankings):
    return [threshold_counts(y_true, y_score) for y_true, y_score in rankings]


def test_folds_have_samples_each():
    definition = definitions.Interpolated(recall_levels=11)
    counts = folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE))
    display = AveragePrecisionDisplay(counts, definition=definition).plot()
    for samples, fold in zip(display.samples_, counts, strict=True):
        assert samples.get_ydata().mean() == pytest.approx(definition(fold)[0])


def test_folds_without_positives_are_left_out_of_the_mean():
    counts = folds_of(([0, 0], [1, 2]), ([1, 0], [2, 1]), ([1, 0], [1, 2]))
    display = AveragePrecisionDisplay(counts).plot()
    assert legend_texts(display.ax_) == [
        "chance level: 0.333",
        "2 of 3 folds: step AP = 0.750 ± 0.250",
    ]


def test_different_chance_levels_are_drawn_each():
    _, axis = plt.subplots()
    for n in (1, 5, 5):
        y_true = np.arange(1000) < n
        AveragePrecisionDisplay.from_predictions(y_true, np.zeros(1000), ax=axis)
    levels = [text for text in legend_texts(axis) if text.startswith("chance")]
    assert levels == ["chance level: 0.001", "chance level: 0.005"]


def test_short_names_of_options_are_understood():
    display = AveragePrecisionDisplay(threshold_counts(Y_TRUE, Y_SCORE)).plot(lw=3, c="red")
    assert (display.line_.get_linewidth(), display.line_.get_color()) == (3, "red")


@pytest.mark.parametrize("name", ["_m", "a$b$", "$", 3])
def test_any_name_is_shown(name):
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name=name)
    display.figure_.canvas.draw()
    assert str(name) in legend_texts(display.ax_)[-1]


def test_twelve_models_have_twelve_styles():
    _, axis = plt.subplots(figsize=(6, 9))
    displays = [
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name=i, ax=axis)
        for i in range(12)
    ]
    styles = {(d.line_.get_color(), str(d.line_._unscaled_dash_pattern)) for d in displays}
    assert len(styles) == 12


def test_eleven_other_levels_are_not_called_eleven_point():
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    levels = np.linspace(0.5, 0.95, 11)
    for given, title in ((11, "eleven-point AP"), (levels, "AP at 11 recall levels")):
        definition = definitions.Interpolated(recall_levels=given)
        assert title in repr(AveragePrecisionDisplay(counts, definition=definition))


def test_what_the_user_drew_does_not_hide_the_shade():
    _, axis = plt.subplots()
    axis.scatter([0], [0])
    for _ in range(2):
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=definitions.Linear(), ax=axis
        )
    assert len(axis.collections) == 2


def test_the_second_class_is_the_positive_one_of_a_classifier():
    words = np.where(Y == 1, "yes", "no")
    model = LogisticRegression().fit(X, words)
    display = AveragePrecisionDisplay.from_estimator(model, X, words)
    score = average_precision_score(Y, model.decision_function(X))
    assert area(display.line_) == pytest.approx(score)


def test_several_classes_are_refused():
    y = np.arange(Y.size) % 3
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"scores of shape \(600, 3\), and a display draws one"):
        HitCurveDisplay.from_estimator(model, X, y)


@pytest.mark.parametrize("kind", [list, coo_array])
def test_folds_of_lists_and_of_sparse_matrices(kind):
    given = kind(X)
    model = LogisticRegression()
    result = cross_validate(model, given, Y, return_estimator=True, return_indices=True)
    display = AveragePrecisionDisplay.from_cv_results(result, given, Y)
    same = cross_validate(model, X, Y, scoring="average_precision")["test_score"]
    np.testing.assert_allclose([area(line) for line in display.line_], same)
    with pytest.raises(ValueError, match=r"have 100 rows, cv_results knows row 1\d\d"):
        AveragePrecisionDisplay.from_cv_results(result, X[:100], Y[:100])


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="counts is an empty list"):
        AveragePrecisionDisplay([]).plot()


def test_the_package_is_imported_without_matplotlib():
    code = """
import sys
sys.modules["matplotlib"] = None
import sklearn_ap
for display in ("AveragePrecisionDisplay", "HitCurveDisplay", "ComparisonDisplay"):
    try:
        getattr(sklearn_ap, display).from_predictions([1, 0], [2, 1])
    except ImportError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("pip install 'sklearn-ap[plot]'") == 3


def test_without_matplotlib_a_picture_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-ap\[plot\]'"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay, ComparisonDisplay])
def test_methods_have_at_most_eight_parameters(display):
    for name, method in inspect.getmembers(display, callable):
        if not name.startswith("_"):
            assert len(inspect.signature(method).parameters) <= 8, name
