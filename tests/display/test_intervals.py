"""Scores and differences with their limits in one picture."""

from dataclasses import replace

import numpy as np
import pytest
from drawings import LONG, SCORES, Y
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from sklearn_ap import average_precision_interval, best_average_precision, compare_average_precision
from sklearn_ap.definitions import Interpolated

NOISE = np.random.default_rng(0).normal(size=(60, Y.size))
MODELS = {
    "plain": SCORES,
    "noisy": SCORES + NOISE[0],
    "much $ noisier $": SCORES + 5 * NOISE[0],
}
MANY = {f"model {i}": SCORES + i * NOISE[i] for i in range(6)}


def segments(axis):
    return np.array([path.vertices[:, 0] for path in axis.collections[0].get_paths()])


def points(axis):
    return axis.collections[1].get_offsets()[:, 0]


def names(axis):
    return [tick.get_text() for tick in axis.get_yticklabels()]


def test_a_comparison_draws_what_its_table_says():
    found = compare_average_precision(Y, MODELS, reference="noisy", prevalence=0.055)
    left, right = found.plot()
    assert left.get_xlabel() == "step average precision at prevalence 0.055"
    np.testing.assert_array_equal(points(left), found.estimates)
    np.testing.assert_array_equal(segments(left), np.column_stack((found.lows, found.highs)))
    np.testing.assert_array_equal(points(right), found.differences[[0, 2]])
    limits = np.column_stack((found.difference_lows, found.difference_highs))
    np.testing.assert_array_equal(segments(right), limits[[0, 2]])
    assert names(left) == list(MODELS)
    assert names(right)[1] == "reference"
    assert names(right)[2].startswith(f"{found.differences[2]:+.3f}\np ")
    assert right.get_xlabel() == "minus noisy"


def test_the_p_values_of_a_comparison_are_adjusted():
    models = {"plain": SCORES, "noisy": SCORES + 0.5 * NOISE[0], "noisier": SCORES + NOISE[1]}
    found = compare_average_precision(Y, models)
    assert found.adjusted_pvalues[2] == 2 * found.pvalues[2] > 0.001
    assert names(found.plot()[1])[2].endswith(f"\np = {found.adjusted_pvalues[2]:.3f}")
    found = replace(found, adjusted_pvalues=np.array([np.nan, 0.00099, 0.00101]))
    assert [text.split("\n")[1] for text in names(found.plot()[1])[1:]] == [
        "p < 0.001",
        "p = 0.001",
    ]


def test_a_difference_is_coloured_where_its_interval_leaves_out_0():
    models = {**MODELS, "same": SCORES + 1e-3 * NOISE[0]}
    colors = compare_average_precision(Y, models).plot()[1].collections[0].get_colors().tolist()
    assert colors[1] != colors[2]


def test_a_one_sided_interval_runs_out_of_the_axes():
    right = compare_average_precision(Y, MODELS, alternative="greater").plot()[1]
    assert segments(right)[:, 1].min() > right.get_xlim()[1]
    assert right.get_xlim()[0] < segments(right)[:, 0].min()


def test_a_comparison_of_several_rankings_per_model_has_no_picture():
    found = compare_average_precision(Y, MODELS, queries=np.arange(Y.size) % 2, average=None)
    with pytest.raises(ValueError, match="several rankings per model"):
        found.plot()


@pytest.mark.parametrize("size", [(6, 3), (4, 3), (8, 4)])
def test_a_comparison_fits_its_figure(size):
    figure, axes = plt.subplots(1, 2, figsize=size)
    models = {f"{LONG} {i} $": scores for i, scores in enumerate(MODELS.values())}
    assert compare_average_precision(Y, models).plot(axes)[0] is axes[0]
    figure.canvas.draw()
    texts = [*axes[0].get_yticklabels(), *axes[1].get_yticklabels(), axes[1].xaxis.label]
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
    assert axes[0].bbox.width > 0.13 * figure.bbox.width


def test_a_difference_of_0_is_always_seen():
    found = compare_average_precision(Y, {"a": NOISE[0], "b": SCORES})
    assert found.difference_lows[1] > 0.1
    low, high = found.plot()[1].get_xlim()
    assert low < 0 < high


def test_the_best_of_many_draws_what_its_table_says():
    best = best_average_precision(Y, MANY)
    axis = best.plot()
    np.testing.assert_array_equal(points(axis), best.estimates)
    np.testing.assert_array_equal(segments(axis), np.column_stack((best.lows, best.highs)))
    assert names(axis) == list(best.names)
    assert axis.get_ylim()[0] > axis.get_ylim()[1]  # the best stands at the top
    n_best = len(best.may_be_best)
    assert axis.get_title() == f"{n_best} of 6 models may be the best: those in colour"
    colors = [to_hex(color) for color in axis.collections[0].get_colors()]
    assert 0 < n_best < 6
    assert len({*colors[:n_best]}) == len({*colors[n_best:]}) == 1
    assert colors[0] != colors[-1]
    assert axis.get_xlabel() == "step average precision, 95% interval valid for the best model"


def test_too_many_models_have_no_names_and_fit():
    models = {str(i): SCORES + 0.1 * noise for i, noise in enumerate(NOISE)}
    axis = best_average_precision(Y, models, definition=Interpolated()).plot()
    assert not axis.get_yticklabels()
    assert axis.figure.get_figheight() < 13
    assert len(points(axis)) == 60


@pytest.mark.parametrize("size", [(6, 3), (3, 3)])
def test_long_names_fit_the_figure(size):
    figure, axis = plt.subplots(figsize=size)
    models = {f"{LONG} {name} $": scores for name, scores in MANY.items()}
    assert best_average_precision(Y, models, confidence_level=0.9).plot(axis) is axis
    assert "90%" in axis.get_xlabel()
    figure.canvas.draw()
    for text in axis.get_yticklabels():
        assert text.get_window_extent().x0 >= figure.bbox.x0 - 1
    assert axis.bbox.width > 0.3 * figure.bbox.width


def test_an_interval_draws_a_row_for_each_ranking():
    queries = np.array(["b", "a"])[np.arange(Y.size) % 2]
    found = average_precision_interval(Y, SCORES, queries=queries, average=None, prevalence=0.05)
    axis = found.plot()
    np.testing.assert_array_equal(points(axis), found.estimate)
    np.testing.assert_array_equal(segments(axis), np.column_stack((found.low, found.high)))
    assert names(axis) == ["a", "b"]
    one = average_precision_interval(Y, SCORES)
    np.testing.assert_array_equal(points(one.plot()), [one.estimate])
    assert axis.get_xlabel() == "step average precision at prevalence 0.05, 95% interval"


def test_an_undefined_interval_is_drawn_without_a_point():
    found = average_precision_interval([0, 0], [1, 2], zero_division=np.nan)
    assert np.isnan(points(found.plot()).astype(float).filled(np.nan)).all()
