"""Axes, and colours on them."""

import re
import sys

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from sklearn_ap import AveragePrecisionDisplay, compat, definitions


def test_axes_must_be_as_many_as_definitions():
    _, axes = plt.subplots(1, 3)
    two = [definitions.Step(), definitions.Linear()]
    with pytest.raises(ValueError, match="ax must hold 2 matplotlib Axes, one for each picture"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes)
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=two, ax=axes[:2])
    assert list(display.ax_) == list(axes[:2])


@pytest.mark.parametrize(("width", "n_columns"), [(4.4, 1), (6.4, 3)])
def test_panels_of_definitions_stand_below_each_other_in_a_narrow_figure(width, n_columns):
    kinds = [definitions.Step(), definitions.Linear(), definitions.Interpolated()]
    with plt.rc_context({"figure.figsize": (width, 3)}):
        display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=kinds)
    assert {axis.get_subplotspec().get_gridspec().ncols for axis in display.ax_} == {n_columns}
    one = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE).figure_
    assert one.get_size_inches().tolist() == plt.rcParams["figure.figsize"]


def test_pictures_without_matplotlib_say_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (
        AveragePrecisionDisplay.from_predictions,
        lambda *rows: compat.compare(*rows).plot(),
    ):
        with pytest.raises(ImportError, match=re.escape("pip install matplotlib.")):
            draw([1, 0], [2, 1])


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_lines_contrast_with_light_and_dark_backgrounds(style):
    with plt.style.context(style):
        _, axis = plt.subplots()
        for i in range(8):
            options = {"definition": definitions.AtK(3), "name": i, "ax": axis}
            AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, **options)
        back = np.array(to_rgb(axis.get_facecolor()))
        for line in axis.lines:
            contrast = np.abs(np.array(to_rgb(line.get_color())) - back).max()
            assert (line.get_alpha() or 1.0) * contrast > 0.28
