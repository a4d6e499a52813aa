"""The pictures, tested by what they draw."""

import inspect
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from matplotlib import pyplot as plt
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
from sklearn_ap.display.average_precision import CURVES

Y_TRUE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
Y_SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
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


@pytest.mark.parametrize("counts", list(rankings()))
@pytest.mark.parametrize(
    ("definition", "tolerance"),
    [
        (definitions.step, 1e-12),
        (definitions.interpolated, 1e-12),
        (definitions.linear, 1e-12),
        (definitions.hyperbolic, 1e-3),  # bends, drawn as short lines
        (definitions.expected, 1e-12),
    ],
)
def test_the_area_drawn_is_the_score_in_the_legend(counts, definition, tolerance):
    if definition is definitions.expected and counts.tps.dtype.kind == "f":
        pytest.skip("takes no weights")
    _, axis = plt.subplots()
    display = AveragePrecisionDisplay(counts, definition=definition).plot(axis)
    score = definition(counts)[0]
    assert area(display.line_) == pytest.approx(score, abs=tolerance)
    shown = axis.get_legend().get_texts()[-1].get_text()
    assert shown == f"{definition.__name__} AP = {score:.3f}"


@pytest.mark.parametrize("counts", list(rankings()))
@pytest.mark.parametrize("levels", [11, 101, [0.1, 0.5, 1.0]])
def test_the_mean_of_the_samples_drawn_is_the_score(counts, levels):
    _, axis = plt.subplots()
    definition = partial(definitions.interpolated, recall_levels=levels)
    display = AveragePrecisionDisplay(counts, definition=definition).plot(axis)
    assert display.samples_.get_ydata().mean() == pytest.approx(definition(counts)[0], abs=1e-12)
    assert len(display.samples_.get_xdata()) == (levels if isinstance(levels, int) else 3)


@pytest.mark.parametrize("counts", list(rankings()))
@pytest.mark.parametrize("k", [1, 3, 50])
def test_at_k_the_area_drawn_times_positives_over_the_normalizer_is_the_score(counts, k):
    retrieved = definitions.precision_at_k(counts, k)[0] * k
    n_positives = counts.n_positives[0]
    divisors = {
        "attainable": min(k, n_positives),
        "positives": n_positives,
        "hits": retrieved or 1,
        "k": k,
    }
    for normalizer, divisor in divisors.items():
        definition = partial(definitions.at_k, k=k, normalizer=normalizer)
        _, axis = plt.subplots()
        display = AveragePrecisionDisplay(counts, definition=definition).plot(axis)
        drawn = area(display.line_) * n_positives / divisor
        assert drawn == pytest.approx(definition(counts)[0], abs=1e-12)
        plt.close("all")


def test_expected_at_k_too():
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    definition = partial(definitions.expected, k=3)
    display = AveragePrecisionDisplay(counts, definition=definition).plot()
    assert area(display.line_) * 5 / 3 == pytest.approx(definition(counts)[0])
    assert repr(display) == f"AveragePrecisionDisplay(expected AP@3 = {definition(counts)[0]:.3f})"


def test_every_definition_that_is_an_average_precision_has_a_picture():
    names = {definition.__name__ for definition in CURVES}
    assert names == set(definitions.__all__) - {"precision_at_k", "recall_at_k"}


def test_several_definitions_stand_side_by_side():
    chosen = [
        definitions.step,
        partial(definitions.interpolated, recall_levels=11),
        partial(definitions.at_k, k=3, normalizer="hits"),
        definitions.linear,
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
        [1] + 9 * [0], 10 * [0.5], definition=definitions.linear
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
    _, axis = plt.subplots(layout="constrained")
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
    with pytest.raises(TypeError, match=r"definition must be one of step, .* sklearn_ap.definit"):
        AveragePrecisionDisplay.from_predictions(
            Y_TRUE, Y_SCORE, definition=average_precision_score
        )


def test_axes_must_be_as_many_as_definitions():
    _, axes = plt.subplots(1, 3)
    two = [definitions.step, definitions.linear]
    with pytest.raises(ValueError, match="ax must hold 2 axes, one for each picture, got 3"):
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
            return (X[:, 0] > 0).astype(int)

    with pytest.raises(ValueError, match="Predicted classes arrived where scores were expected"):
        AveragePrecisionDisplay.from_estimator(Guess().fit(X, Y), X, Y)


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
    values = display.points_.get_xdata()
    assert (np.diff(values) > 0).all()
    assert set(values) == {group[0].value for group in comparison.groups} & set(values)
    display.figure_.canvas.draw()
    edges = [tick.get_window_extent().x0 for tick in display.ax_.get_yticklabels()]
    assert min(edges) >= 0


def test_without_matplotlib_a_picture_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-ap\[plot\]'"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE)


@pytest.mark.parametrize("display", [AveragePrecisionDisplay, HitCurveDisplay, ComparisonDisplay])
def test_methods_have_at_most_eight_parameters(display):
    for name, method in inspect.getmembers(display, callable):
        if not name.startswith("_"):
            assert len(inspect.signature(method).parameters) <= 8, name
