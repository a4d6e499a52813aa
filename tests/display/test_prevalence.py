"""Pictures of another share of positives: curves, operating points, chance and titles."""

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, X, Y, legend_texts

from sklearn_ap import (
    AveragePrecisionDisplay,
    best_average_precision,
    compare_average_precision,
)


def test_the_curve_and_the_chance_level_are_those_of_the_prevalence():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, prevalence=0.1)
    recall, precision = display.line_.get_data()
    assert np.trapezoid(precision, recall) == pytest.approx(377 / 1100)
    assert repr(display) == "AveragePrecisionDisplay(step AP at prevalence 0.1 = 0.343)"
    assert legend_texts(display.ax_) == ["random scores: 0.267"]
    (points,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert points.get_ydata()[-1] == pytest.approx(5 / (5 + 9 * 5))


def test_results_say_the_prevalence():
    models = {"a": X[:, 0], "b": X[:, 1]}
    left, _ = compare_average_precision(Y, models, prevalence=0.05).plot()
    assert left.get_xlabel() == "step average precision at prevalence 0.05"
    assert (
        "at prevalence 0.05"
        in best_average_precision(Y, models, prevalence=0.05).plot().get_xlabel()
    )
