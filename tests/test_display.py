"""The pictures, tested by what they draw."""

import inspect
import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
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
    ModelComparisonDisplay,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
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
    for n in (1, 5, 60):
        for n_scores in (1, 3, 10_000)[:n]:
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
        assert axis.get_title() == f"{definition.title} = {score:.3f}"
        plt.close("all")


def test_every_definition_that_is_an_average_precision_has_a_picture():
    names = {type(definition).__name__ for definition in DEFINITIONS}
    pictured = {type(definition).__name__ for definition in PICTURED}
    assert names - pictured == {"PrecisionAtK", "RecallAtK"}


def test_a_definition_without_a_picture_says_so():
    with pytest.raises(ValueError, match=r"PrecisionAtK\(k=3\) has no line to draw"):
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


def test_models_on_one_axis_differ_in_colour_and_dashes_and_share_the_random_order():
    _, axis = plt.subplots()
    for seed in range(5):
        scores = np.random.default_rng(seed).random(Y.size)
        AveragePrecisionDisplay.from_predictions(Y, scores, name=f"model {seed}", ax=axis)
    *texts, last = legend_texts(axis)
    assert last.startswith("random order: 0.2")
    assert [text.split(":")[0] for text in texts] == [f"model {seed}" for seed in range(5)]
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
    assert display.ax_.get_title() == "step AP"
    assert legend_texts(display.ax_)[0] == "b: 0.717"
    assert display.line_.get_label() == "b: step AP = 0.717"


def test_a_score_is_no_definition():
    with pytest.raises(TypeError, match=r"definition must be one of sklearn_ap\.definitions"):
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=average_precision_score
        )


def test_an_empty_list_of_definitions_is_refused():
    with pytest.raises(ValueError, match="definition is an empty list"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=[])


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [1, -1], [1, np.nan], 1])
def test_weights_are_one_for_each_ranking(weights):
    counts = [threshold_counts(Y_TRUE, Y_SCORE)] * 2
    with pytest.raises(ValueError, match="weights must hold 2 finite numbers"):
        AveragePrecisionDisplay(counts, weights=weights).plot()


def test_intervals_are_one_for_each_definition():
    two = [definitions.Step(), definitions.Linear()]
    counts, one = threshold_counts(Y, X[:, 0]), average_precision_interval(Y, X[:, 0])
    with pytest.raises(ValueError, match="intervals must hold 2, one for each definition, got 1"):
        AveragePrecisionDisplay(counts, definition=two, intervals=one).plot()


@pytest.mark.parametrize(
    ("detected", "hits"),
    [([0, 1], [0, 0.5, 1]), ([np.array([0, 1])] * 2, [np.array([0, 1])])],
)
def test_a_hit_curve_has_as_many_hits_as_places(detected, hits):
    with pytest.raises(ValueError, match="detected and hits must be of one shape"):
        HitCurveDisplay(detected, hits).plot()


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
    assert legend_texts(ours.ax_)[0].startswith("LogisticRegression")


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
    assert legend_texts(drawn.ax_)[0].startswith("logistic, mean of 4 folds")
    test = result["indices"]["test"][2]
    scores = result["estimator"][2].decision_function(frame.iloc[test])
    alone = display.from_predictions(Y[test], scores, sample_weight=weight[test])
    np.testing.assert_array_equal(drawn.line_[2].get_xydata(), alone.line_.get_xydata())


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
    assert lines["perfect (0.5 are positive)"] == [[0, 0], [0.5, 0.5], [1, 0.5]]
    assert lines["random order"] == [[0, 0], [1, 0.5]]
    assert set(lines) == {"perfect (0.5 are positive)", "random order", "a", "b"}
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
    n_named = sum(label.get_text().count(",") + 1 for label in display.ax_.get_yticklabels())
    n_without = len(display.comparison.rows) - n_named
    assert n_without > 0
    assert display.ax_.get_xlabel().endswith(f"{n_without} functions give no number")


@pytest.mark.parametrize("size", [None, (9, 7)])
def test_names_in_the_comparison_do_not_overlap(size):
    axis = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    display = ComparisonDisplay.from_predictions(Y_TRUE, Y_SCORE, k=3, ax=axis)
    display.figure_.canvas.draw()
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in itertools.pairwise(boxes))


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


def test_a_long_title_is_on_the_figure_whole():
    chosen = [definitions.Step(), definitions.AtK(k=3, normalizer="positives")]
    with pytest.warns(UncertaintyWarning):
        display = AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=chosen, confidence_level=0.95
        )
    display.figure_.canvas.draw()
    left, right = (axis.title.get_window_extent() for axis in display.ax_)
    assert left.x1 < right.x0
    assert right.x1 < display.figure_.bbox.x1


def test_a_legend_is_twice_as_near_to_its_panel_as_to_the_title_below():
    chosen = [definitions.Step(), definitions.Linear()] * 2
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=chosen)
    display.figure_.canvas.draw()
    above, below = display.ax_[0], display.ax_[3]
    legend = above.get_legend().get_window_extent()
    gap = above.xaxis.label.get_window_extent().y0 - legend.y1
    assert legend.y0 - below.title.get_window_extent().y1 > 2 * gap


@pytest.mark.parametrize("name", ["W" * 45, "MMMM_WWWW " * 8])
def test_wide_letters_leave_room_for_the_curve(name):
    chosen = [definitions.Step(), definitions.Linear(), definitions.Hyperbolic()]
    display = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=chosen, name=name
    )
    display.figure_.canvas.draw()
    assert min(axis.bbox.width for axis in display.ax_) > 0.21 * display.figure_.bbox.width


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
        "mean of 2 of 3 rankings: 0.750 ± 0.250",
        "random order: 0.75",
    ]


def levels(axis):
    return [line.get_xydata()[-1].tolist() for line in axis.lines if line.get_linestyle() == ":"]


def test_random_order_is_the_mean_over_all_orders_not_the_share_of_positives():
    for y_true in ([1, 0, 0, 0, 1], [1, 0, 0], [1, 1], [0, 1, 0, 1, 1, 0]):
        orders = itertools.permutations(range(len(y_true)))
        mean = np.mean([average_precision_score(y_true, order) for order in orders])
        display = AveragePrecisionDisplay.from_predictions(y_true, range(len(y_true)))
        assert levels(display.ax_) == [[1.0, pytest.approx(mean, abs=1e-12)]]
    _, axis = plt.subplots()  # Bestgen (2015)
    AveragePrecisionDisplay.from_predictions([1] * 2 + [0] * 18, range(20), ax=axis)
    assert legend_texts(axis) == ["random order: 0.223"]


def test_random_order_ends_where_the_scored_positives_end():
    display = AveragePrecisionDisplay.from_predictions([1, 0, 1], [3, 2, 1], n_positives=4)
    ((end, level),) = levels(display.ax_)
    orders = itertools.permutations(range(3))
    missed = [average_precision_score([1, 0, 1], order, n_positives=4) for order in orders]
    assert end == 0.5
    assert end * level == pytest.approx(np.mean(missed))


def test_the_random_order_of_weighted_rows_is_their_share_of_positives():
    display = AveragePrecisionDisplay.from_predictions([1, 0], [2, 1], sample_weight=[1, 4])
    assert levels(display.ax_) == [[1.0, pytest.approx(0.2)]]
    assert legend_texts(display.ax_) == ["share of positives: 0.2"]


def test_random_orders_that_differ_are_drawn_each_and_share_a_row():
    _, axis = plt.subplots()
    for n in (10, 50, 55):
        y_true = np.arange(100_000) < n
        AveragePrecisionDisplay.from_predictions(y_true, np.zeros(100_000), ax=axis)
    assert len(levels(axis)) == 2
    assert legend_texts(axis)[-1] == "random order: 0.000211 to 0.000661"


def test_the_chance_level_can_be_left_out():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, plot_chance_level=False)
    assert levels(display.ax_) == []
    hits = HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, plot_chance_level=False)
    assert "random order" not in legend_texts(hits.ax_)


def test_short_names_of_options_are_understood():
    display = AveragePrecisionDisplay(threshold_counts(Y_TRUE, Y_SCORE)).plot(lw=3, c="red")
    assert (display.line_.get_linewidth(), display.line_.get_color()) == (3, "red")


@pytest.mark.parametrize("name", ["_m", "a$b$", "$", 3])
def test_any_name_is_shown(name):
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name=name)
    display.figure_.canvas.draw()
    assert str(name) in legend_texts(display.ax_)[0]


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


def test_details_of_the_first_model_go_when_a_second_one_comes():
    _, axis = plt.subplots()
    axis.scatter([0], [0])
    shown = []
    for name in "ab":
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=definitions.Linear(), name=name, ax=axis
        )
        shown.append((len(axis.collections), legend_texts(axis)))
    assert shown == [
        (2, ["a: 0.744", "steps", "overestimated", "random order: step AP 0.607"]),
        (1, ["a: 0.744", "b: 0.744", "random order: step AP 0.607"]),
    ]


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
    with pytest.raises(ValueError, match=r"have 100 rows, but cv_results has row 1\d\d"):
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


def test_what_a_score_takes_a_display_takes():
    options = set(inspect.signature(average_precision_score).parameters) - {"zero_division"}
    assert options <= set(inspect.signature(AveragePrecisionDisplay.from_predictions).parameters)


# Several rankings.

QUERIES = np.repeat(np.arange(40), 15)
SCORES = LogisticRegression().fit(X, Y).decision_function(X)
CLASSES = np.random.default_rng(3).integers(0, 4, 200)
COLUMNS = np.eye(4)[CLASSES] + np.random.default_rng(4).normal(0, 0.5, (200, 4))
BY_POSITIVES = [d for d in PICTURED if d.divisor(threshold_counts(Y_TRUE, Y_SCORE)) == 5]


@pytest.mark.parametrize("definition", BY_POSITIVES, ids=repr)
def test_the_area_under_the_mean_curve_is_the_mean_score(definition):
    for average in (None, "macro", "weighted"):
        display = AveragePrecisionDisplay.from_predictions(
            Y, SCORES, groups=QUERIES, average=average, definition=definition
        )
        rows = np.split(np.arange(600), 40)
        counts = [threshold_counts(Y[query], SCORES[query]) for query in rows]
        weights = [1 if average != "weighted" else c.n_positives[0] for c in counts]
        areas = [np.trapezoid(*definition.line(c)[::-1]) for c in counts]
        known = [c.n_positives[0] > 0 for c in counts]
        mean = np.average(np.array(areas)[known], weights=np.array(weights)[known])
        assert area(display.mean_) == pytest.approx(mean, abs=1e-12)
        plt.close("all")


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples"])
def test_a_mean_over_columns_is_the_score_with_that_average(average):
    weight = np.linspace(1, 2, 200)
    display = AveragePrecisionDisplay.from_predictions(
        CLASSES, COLUMNS, average=average, sample_weight=weight
    )
    score = average_precision_score(CLASSES, COLUMNS, average=average, sample_weight=weight)
    assert area(display.line_) == pytest.approx(score)
    assert f"{score:.3f}" in repr(display)


def test_counts_of_several_rankings_are_drawn_with_their_mean():
    parts = folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE))
    both = replace(
        parts[0],
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (
                "thresholds",
                "gained",
                "tps",
                "fps",
                "fps_above",
                "n_positives",
                "n_negatives",
            )
        },
        starts=np.array([0, parts[0].thresholds.size]),
    )
    display = AveragePrecisionDisplay(both).plot()
    assert [area(line) for line in display.line_] == pytest.approx(definitions.Step()(both))
    assert area(display.mean_) == pytest.approx(definitions.Step()(both).mean())


def test_each_class_has_a_curve_of_its_own():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = AveragePrecisionDisplay.from_predictions(words, COLUMNS)
    scores = average_precision_score(words, COLUMNS, average=None)
    assert [area(line) for line in display.line_] == pytest.approx(scores)
    rows = [f"class {name}: {score:.3f}" for name, score in zip("abcd", scores, strict=True)]
    assert legend_texts(display.ax_)[:4] == rows
    assert len({line.get_color() for line in display.line_}) == 4


def test_an_estimator_of_several_classes_is_drawn_class_by_class():
    model = LogisticRegression().fit(COLUMNS, CLASSES + 5)
    seen = CLASSES != 2  # the test rows may lack a class
    display = AveragePrecisionDisplay.from_estimator(model, COLUMNS[seen], CLASSES[seen] + 5)
    assert [row.split(":")[0] for row in legend_texts(display.ax_)[:4]] == [
        f"class {label}" for label in model.classes_
    ]


def test_each_label_has_a_curve_of_its_own():
    pandas = pytest.importorskip("pandas")
    targets = pandas.DataFrame(np.eye(4, dtype=int)[CLASSES], columns=list("wxyz"))
    display = AveragePrecisionDisplay.from_predictions(targets, COLUMNS, name="m")
    assert [row.split(":")[0] for row in legend_texts(display.ax_)[:4]] == [
        f"m, {name}" for name in "wxyz"
    ]


def test_many_labels_share_a_style():
    rng = np.random.default_rng(0)
    targets, scores = rng.integers(0, 2, (50, 20)), rng.random((50, 20))
    display = AveragePrecisionDisplay.from_predictions(targets, scores)
    assert len(display.line_) == 20
    assert legend_texts(display.ax_)[0].startswith("mean of 20 labels")


def test_queries_are_drawn_behind_their_mean_if_they_are_few():
    display = AveragePrecisionDisplay.from_predictions(Y, SCORES, groups=QUERIES)
    assert len(display.line_) == 40
    assert legend_texts(display.ax_)[0].startswith("mean of 39 of 40 queries: 0.")
    many = AveragePrecisionDisplay.from_predictions(Y, SCORES, groups=np.arange(600) // 5)
    assert many.line_ is many.mean_


def test_a_list_names_each_ranking():
    display = AveragePrecisionDisplay(
        folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE)), name=["first", "second"]
    ).plot(curve_kwargs=[{"lw": 1}, {"lw": 2}])
    assert legend_texts(display.ax_)[:2] == ["first: 0.717", "second: 0.541"]
    assert [line.get_linewidth() for line in display.line_] == [1, 2]
    with pytest.raises(ValueError, match="name must hold 2 names"):
        display.plot(name=["one"])
    with pytest.raises(ValueError, match="curve_kwargs must be a dict or a list of 2"):
        display.plot(curve_kwargs=[{}])


def test_what_is_no_counts_is_refused():
    with pytest.raises(TypeError, match="counts must be ThresholdCounts or a list"):
        AveragePrecisionDisplay([0.5]).plot()


def test_options_of_the_line_pass_through_every_door():
    model = LogisticRegression().fit(X, Y)
    result = cross_validate(model, X, Y, return_estimator=True, return_indices=True)
    for kind in (AveragePrecisionDisplay, HitCurveDisplay):
        for display in (
            kind.from_predictions(Y, SCORES, alpha=0.5, lw=3),
            kind.from_estimator(model, X, Y, alpha=0.5, lw=3),
            kind.from_cv_results(result, X, Y, alpha=0.5, lw=3),
        ):
            line = display.mean_ or display.line_
            assert (line.get_alpha(), line.get_linewidth()) == (0.5, 3)


def test_what_scikit_learn_s_displays_take():
    display = AveragePrecisionDisplay.from_predictions(
        Y_TRUE,
        Y_SCORE,
        curve_kwargs={"color": "red"},
        plot_chance_level=True,
        chance_level_kw={"c": "blue"},
        despine=True,
    )
    assert display.line_.get_color() == "red"
    assert display.chance_level_.get_color() == "blue"
    assert not display.ax_.spines["top"].get_visible()
    several = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=[definitions.Step()], plot_chance_level=False
    )
    assert several.chance_level_ == [None]


def test_points_of_a_hit_curve_may_be_lists():
    display = HitCurveDisplay([0, 1], [0, 0.5]).plot()
    assert display.line_.get_xydata().tolist() == [[0, 0], [1, 0.5]]


def test_the_mean_hit_curve():
    display = HitCurveDisplay([[0, 1], [0, 0.5, 1]], [[0, 0.5], [0, 0.5, 0.5]]).plot()
    assert display.mean_.get_xydata().tolist() == [[0, 0], [0.5, 0.375], [1, 0.5]]


# What can be read.


def test_a_label_of_the_user_stands_in_the_legend():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, label="mine")
    assert legend_texts(display.ax_)[0] == "mine"


def test_a_title_of_the_user_stays_and_rows_say_the_definition():
    _, axis = plt.subplots()
    axis.set_title("fruit")
    AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name="a", ax=axis)
    assert axis.get_title() == "fruit"
    assert legend_texts(axis)[0] == "a: step AP = 0.717"


def test_two_definitions_on_one_axis_are_told_apart():
    _, axis = plt.subplots()
    for definition in (definitions.Step(), definitions.Linear()):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=definition, ax=axis)
    assert axis.get_title() == ""
    assert legend_texts(axis)[:2] == ["step AP = 0.717", "linear AP = 0.744"]


def test_the_legend_says_how_the_area_becomes_the_score_at_k():
    display = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=definitions.AtK(3)
    )
    assert display.ax_.get_title() == "AP@3 = 0.556"
    assert "top 3: 0.333 \N{MULTIPLICATION SIGN} 5/3" in legend_texts(display.ax_)


LONG = "HistGradientBoostingClassifier"


@pytest.mark.parametrize("size", [(6, 3), (4, 3), (6.4, 4.8)])
@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_the_curve_keeps_its_share_of_any_figure(size, n):
    figure, axis = plt.subplots(figsize=size)
    for i in range(n):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, name=f"{LONG} {i}", ax=axis)
    figure.canvas.draw()
    box = axis.get_legend().get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
    assert figure.bbox.y0 - 1 <= box.y0 < box.y1 <= figure.bbox.y1
    assert axis.bbox.width * axis.bbox.height > 0.25 * figure.bbox.width * figure.bbox.height
    texts = legend_texts(axis)
    assert all("\n" not in text for text in texts)
    assert len(texts) <= 22
    assert texts[0].endswith("0: 0.717")


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_all_styles_are_seen_on_the_background(style):
    with plt.style.context(style):
        _, axis = plt.subplots()
        for i in range(8):
            AveragePrecisionDisplay.from_predictions(
                Y_TRUE, Y_SCORE, definition=definitions.AtK(3), name=i, ax=axis
            )
        back = np.array(to_rgb(axis.get_facecolor()))
        for line in axis.lines:
            front = np.array(to_rgb(line.get_color()))
            seen = (line.get_alpha() or 1.0) * front + (1 - (line.get_alpha() or 1.0)) * back
            assert np.abs(seen - back).max() > 0.28


# How sure it is.


def limits(interval, i=()):
    numbers = (np.asarray(getattr(interval, name))[i] for name in ("estimate", "low", "high"))
    return "{:.2f} [{:.2f}, {:.2f}]".format(*numbers)


def test_the_legend_gives_the_interval_on_request():
    weight = np.linspace(1, 2, Y.size)
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, sample_weight=weight, confidence_level=0.8, name="m"
    )
    interval = average_precision_interval(Y, SCORES, sample_weight=weight, confidence_level=0.8)
    assert legend_texts(display.ax_)[0] == f"m: {limits(interval)}"


def test_the_interval_of_one_class_of_words():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = AveragePrecisionDisplay.from_predictions(
        words, COLUMNS[:, 2], pos_label="c", confidence_level=0.95, name="c"
    )
    interval = average_precision_interval(words == "c", COLUMNS[:, 2])
    assert legend_texts(display.ax_)[0] == f"c: {limits(interval)}"


def test_each_definition_has_its_interval():
    chosen = [definitions.Step(), definitions.Linear()]
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, definition=chosen, confidence_level=0.95
    )
    for axis, definition in zip(display.ax_, chosen, strict=True):
        interval = average_precision_interval(Y, SCORES, definition=definition)
        assert axis.get_title() == f"{definition.title} = {limits(interval)}"


def test_queries_and_columns_have_intervals():
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, groups=QUERIES, confidence_level=0.95
    )
    interval = average_precision_interval(Y, SCORES, groups=QUERIES, zero_division=np.nan)
    assert legend_texts(display.ax_)[0].endswith(limits(interval))
    display = AveragePrecisionDisplay.from_predictions(CLASSES, COLUMNS, confidence_level=0.95)
    interval = average_precision_interval(CLASSES, COLUMNS, average=None)
    expected = [f"class {i}: {limits(interval, i)}" for i in range(4)]
    assert legend_texts(display.ax_)[:4] == expected
    display = AveragePrecisionDisplay.from_predictions(
        CLASSES, COLUMNS, average="weighted", confidence_level=0.95
    )
    interval = average_precision_interval(CLASSES, COLUMNS, average="weighted")
    assert legend_texts(display.ax_)[0].endswith(limits(interval))


NOISE = np.random.default_rng(0).normal(size=Y.size)
MODELS = {"plain": SCORES, "noisy": SCORES + NOISE, "much $ noisier": SCORES + 5 * NOISE}


def segments(axis):
    return np.array([path.vertices[:, 0] for path in axis.collections[0].get_paths()])


def test_a_comparison_of_models_draws_what_the_table_says():
    display = ModelComparisonDisplay.from_predictions(Y, MODELS, reference="noisy")
    table = compare_average_precision(Y, MODELS, reference="noisy")
    left, right = display.ax_
    np.testing.assert_array_equal(display.points_.get_xdata(), table.estimates)
    np.testing.assert_array_equal(segments(left), np.column_stack((table.lows, table.highs)))
    np.testing.assert_array_equal(display.differences_.get_xdata(), table.differences[[0, 2]])
    np.testing.assert_array_equal(
        segments(right), np.column_stack((table.difference_lows, table.difference_highs))[[0, 2]]
    )
    assert [tick.get_text() for tick in left.get_yticklabels()] == list(MODELS)
    words = [tick.get_text() for tick in right.get_yticklabels()]
    assert words[1] == "reference"
    assert words[2].startswith(f"{table.differences[2]:+.3f}\np ")
    assert right.get_xlabel() == "minus noisy"


def test_a_difference_is_coloured_where_its_interval_leaves_out_0():
    models = {**MODELS, "same": SCORES + 1e-3 * NOISE}
    display = ModelComparisonDisplay.from_predictions(Y, models)
    colors = display.ax_[1].collections[0].get_colors().tolist()
    assert colors[1] != colors[2]


def test_a_one_sided_interval_runs_out_of_the_axes():
    display = ModelComparisonDisplay.from_predictions(Y, MODELS, alternative="greater")
    right = display.ax_[1]
    assert segments(right)[:, 1].min() > right.get_xlim()[1]
    assert right.get_xlim()[0] < segments(right)[:, 0].min()


def test_fitted_models_are_compared_on_the_same_rows():
    words = np.where(Y == 1, "yes", "no")
    models = {
        "logistic": LogisticRegression().fit(X, words),
        "forest": RandomForestClassifier(10, random_state=0).fit(X[:300], words[:300]),
    }
    display = ModelComparisonDisplay.from_estimators(models, X, words)
    scores = [SCORES, models["forest"].predict_proba(X)[:, 1]]
    expected = [average_precision_score(Y, score) for score in scores]
    np.testing.assert_allclose(display.points_.get_xdata(), expected)
    several = {str(c): LogisticRegression(C=c).fit(COLUMNS, CLASSES) for c in (1, 1e-3)}
    display = ModelComparisonDisplay.from_estimators(several, COLUMNS, CLASSES)
    macro = average_precision_score(CLASSES, several["1"].decision_function(COLUMNS))
    assert display.points_.get_xdata()[0] == pytest.approx(macro)
    with pytest.raises(TypeError, match="estimators must map names to fitted estimators"):
        ModelComparisonDisplay.from_estimators([models["logistic"]], X, words)


def test_several_rankings_per_model_are_refused():
    scores = {"a": COLUMNS, "b": -COLUMNS}
    with pytest.raises(ValueError, match="several rankings per model"):
        ModelComparisonDisplay.from_predictions(CLASSES, scores, average=None)


@pytest.mark.parametrize("size", [(6, 3), (4, 3), (8, 4)])
def test_a_comparison_of_models_fits_its_figure(size):
    figure, axes = plt.subplots(1, 2, figsize=size)
    models = {f"{LONG} {i}": scores for i, scores in enumerate(MODELS.values())}
    display = ModelComparisonDisplay.from_predictions(Y, models, ax=axes)
    figure.canvas.draw()
    texts = [*axes[0].get_yticklabels(), *axes[1].get_yticklabels(), axes[1].xaxis.label]
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
    assert display.ax_[0].bbox.width > 0.13 * figure.bbox.width
