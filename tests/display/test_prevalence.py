"""Pictures of another share of positives: curves, operating points, chance and titles."""

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, legend_texts

from sklearn_ap import AveragePrecisionDisplay


def test_the_curve_and_the_chance_level_are_those_of_the_prevalence():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, prevalence=0.1)
    recall, precision = display.line_.get_data()
    assert np.trapezoid(precision, recall) == pytest.approx(377 / 1100)
    assert repr(display) == "AveragePrecisionDisplay(step AP at prevalence 0.1 = 0.343)"
    assert legend_texts(display.ax_) == ["random scores: 0.267"]
    (points,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert points.get_ydata()[-1] == pytest.approx(5 / (5 + 9 * 5))
