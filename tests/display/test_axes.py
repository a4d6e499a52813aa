"""Axes, and colours on them."""

import subprocess
import sys

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from sklearn_ap import AveragePrecisionDisplay, definitions
from sklearn_ap.display._axes import size_for_axes


def test_axes_must_be_as_many_as_definitions():
    _, axes = plt.subplots(1, 3)
    two = [definitions.Step(), definitions.Linear()]
    with pytest.raises(ValueError, match="ax must hold 2 matplotlib Axes, one for each picture"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes)
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes[:2])
    assert list(display.ax_) == list(axes[:2])


def test_the_room_of_axes_is_known_in_points():
    figure = plt.figure(figsize=(6, 4))
    assert size_for_axes(figure.add_axes([0.1, 0.1, 0.5, 0.25])) == pytest.approx((216, 72))
    assert size_for_axes(figure.add_subplot(2, 3, (2, 3))) == pytest.approx((288, 144))


@pytest.mark.slow
def test_the_package_is_imported_without_matplotlib():
    code = """
import sys
sys.modules["matplotlib"] = None
import sklearn_ap
for draw in (
    lambda: sklearn_ap.AveragePrecisionDisplay.from_predictions([1, 0], [2, 1]),
    lambda: sklearn_ap.HitCurveDisplay.from_predictions([1, 0], [2, 1]),
    lambda: sklearn_ap.compat.compare([1, 0], [2, 1]).plot(),
):
    try:
        draw()
    except ImportError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("pip install 'sklearn-ap[plot]'") == 3


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
