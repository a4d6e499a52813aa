"""Every figure is closed behind its test."""

import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")
