"""Axes, and colours on them."""

import re
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from sklearn_ap import compare_independent, compat

COMPARED = compare_independent((0.31, 0.25, 0.38), (0.42, 0.35, 0.49))


def test_axes_must_be_as_many_as_pictures():
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ValueError, match="ax must hold 2 matplotlib Axes, one for each picture"):
        COMPARED.plot(axes)
    assert list(COMPARED.plot(axes[:2])) == list(axes[:2])


def test_pictures_without_matplotlib_say_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=re.escape("pip install matplotlib.")):
        compat.compare([1, 0], [2, 1]).plot()


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_points_contrast_with_light_and_dark_backgrounds(style):
    with plt.style.context(style):
        for axis in COMPARED.plot():
            back = np.array(to_rgb(axis.get_facecolor()))
            for points in axis.collections:
                contrasts = np.abs(np.array([*map(to_rgb, points.get_edgecolor())]) - back)
                assert contrasts.max(axis=1).min() > 0.28
