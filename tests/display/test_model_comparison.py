"""Models, their intervals and differences in one picture."""

import numpy as np
import pytest
from drawings import CLASSES, COLUMNS, LONG, SCORES, X, Y
from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from sklearn_ap import ModelComparisonDisplay, average_precision_score, compare_average_precision

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
    with pytest.raises(ValueError, match=r"pos_label is not specified.*pos_label='yes'"):
        ModelComparisonDisplay.from_estimators(models, X, words)
    display = ModelComparisonDisplay.from_estimators(models, X, words, pos_label="yes")
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


def test_no_difference_is_always_seen():
    display = ModelComparisonDisplay.from_predictions(Y, {"a": NOISE, "b": SCORES})
    assert display.comparison.difference_lows[1] > 0.1
    low, high = display.ax_[1].get_xlim()
    assert low < 0 < high
