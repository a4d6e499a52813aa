"""Every example of the gallery runs, and draws a picture."""

import runpy
from pathlib import Path

import pytest
import sklearn
from matplotlib import pyplot as plt

from sklearn_ap import get_scorer

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").rglob("*.py"))


def check_four_rankers(names):
    """Zhu (2004), section 4.2: data of that shape, and rankers far above chance but one."""
    data, target = names["compounds"]()
    assert (data.shape, target.sum()) == ((29_812, 6), 608)
    scores = {
        name: get_scorer("average_precision")(model, names["X_test"], names["y_test"])
        for name, model in names["rankers"].items()
    }
    chance = names["y_test"].mean()
    assert scores.pop("logistic regression") < 3 * chance < 15 * chance < min(scores.values())


CHECKS = {"four_rankers": check_four_rankers}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path):
    with sklearn.config_context():
        names = runpy.run_path(str(path), run_name="__main__")
    CHECKS.get(path.stem, lambda names: None)(names)
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
