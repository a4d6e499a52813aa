"""Axes, and colours on them."""

import re
import sys

import pytest

from sklearn_ap import compat


def test_pictures_without_matplotlib_say_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=re.escape("pip install matplotlib.")):
        compat.compare([1, 0], [2, 1]).plot()
