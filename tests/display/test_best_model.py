"""Many models with their limits in one picture."""

import numpy as np
import pytest
from drawings import LONG, SCORES, Y
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from sklearn_ap import BestModelDisplay, best_average_precision
from sklearn_ap.definitions import Interpolated

NOISE = np.random.default_rng(0).normal(size=(60, Y.size))
MODELS = {f"model {i}": SCORES + i * NOISE[i] for i in range(6)}


def test_it_draws_what_the_table_says():
    display = BestModelDisplay.from_predictions(Y, MODELS)
    best = best_average_precision(Y, MODELS)
    axis = display.ax_
    np.testing.assert_array_equal(display.points_.get_xdata(), best.estimates)
    limits = [path.vertices[:, 0] for path in axis.collections[0].get_paths()]
    np.testing.assert_array_equal(limits, np.column_stack((best.lows, best.highs)))
    assert [tick.get_text() for tick in axis.get_yticklabels()] == list(best.names)
    assert axis.get_ylim()[0] > axis.get_ylim()[1]  # the best stands at the top
    title = f"{len(best.may_be_best)} of 6 models may be the best: those in colour"
    assert axis.get_title() == title
    assert axis.get_xlabel() == "step average precision, 95% interval that holds for the best"


def test_those_that_may_be_best_are_in_colour():
    display = BestModelDisplay.from_predictions(Y, MODELS)
    colors = [to_hex(color) for color in display.ax_.collections[0].get_colors()]
    n_best = len(display.best.may_be_best)
    assert 0 < n_best < 6
    assert len({*colors[:n_best]}) == len({*colors[n_best:]}) == 1
    assert colors[0] != colors[-1]


def test_too_many_models_have_no_names_and_fit():
    models = {str(i): SCORES + 0.1 * noise for i, noise in enumerate(NOISE)}
    display = BestModelDisplay.from_predictions(Y, models, definition=Interpolated())
    assert not display.ax_.get_yticklabels()
    assert display.figure_.get_figheight() < 13
    assert len(display.points_.get_xdata()) == 60


@pytest.mark.parametrize("size", [(6, 3), (3, 3)])
def test_long_names_fit_the_figure(size):
    figure, axis = plt.subplots(figsize=size)
    models = {f"{LONG} {name} $": scores for name, scores in MODELS.items()}
    display = BestModelDisplay.from_predictions(Y, models, ax=axis)
    figure.canvas.draw()
    for text in axis.get_yticklabels():
        assert text.get_window_extent().x0 >= figure.bbox.x0 - 1
    assert display.ax_ is axis
    assert axis.bbox.width > 0.3 * figure.bbox.width


def test_it_says_who_may_be_best():
    display = BestModelDisplay.from_predictions(
        Y, {"a": SCORES, "b": NOISE[0]}, confidence_level=0.9
    )
    assert repr(display) == "BestModelDisplay(2 models, may_be_best=('a',))"
    assert "90%" in display.ax_.get_xlabel()
