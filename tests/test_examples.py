"""Every example of the gallery runs, and draws a picture."""

import runpy
from pathlib import Path

import pytest
import sklearn
from matplotlib import pyplot as plt

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").rglob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path):
    with sklearn.config_context():
        runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
