"""What a page says where a doubt stands, and where functions refuse or find nothing."""

import numpy as np
import pytest

from sklearn_ap import FoldPredictions, chance_test, report

RNG = np.random.default_rng(0)
Y = (RNG.random(2000) < 0.2).astype(int)
FINE = 2 * Y + RNG.normal(size=2000)
WEAK = 0.5 * Y + RNG.normal(size=2000)
CLASSES = (FINE > 1).astype(int)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_a_page_calls_no_model_better_while_a_doubt_stands():
    page = report(Y, {"fine": FINE, "classes": CLASSES})
    assert "fine scores higher than classes over all rows: " in str(page.advice[0].facts[0])
    assert "but scores look like predicted classes (classes)" in str(page.advice[0].facts[0])
    page = report(Y, {"fine": FINE, "classes": CLASSES, "weak": WEAK})
    best = str(page.advice[0].facts[0])
    assert "; classes scores lower, but scores look like predicted classes (classes)" in best


def test_a_page_advises_no_model_that_is_worse_by_its_numbers_alone():
    """A doubt about a weak model is no reason to use it where the best one fell."""
    months = np.repeat([f"2024-{month:02d}" for month in range(1, 9)], 250)
    fallen = np.where(np.arange(2000) < 1500, 4 * Y, Y) + RNG.normal(size=2000)
    weak = (Y + RNG.normal(size=2000) > 1).astype(int)
    page = report(Y, {"A": fallen, "B": weak}, segments={"month": months})
    assert page.advice[0].model == "A"
    written = page.to_dict()["warnings"]
    assert [each["models"] for each in written if each["name"] == "predicted classes"] == [["B"]]


def test_a_pvalue_of_one_in_twenty_is_no_skill_on_a_page():
    y = np.arange(30) < 6
    score = 0.6 * y + np.random.default_rng(411).normal(size=30)
    assert chance_test(y, score).pvalue == 0.05
    assert "Do not use" in str(report(y, score))


def test_a_page_takes_no_folds():
    folds = FoldPredictions({"y_score": FINE, "folds": np.arange(2000) % 5})
    with pytest.raises(ValueError, match=r", got .* Only intervals and comparisons take FoldP"):
        report(Y, {"A": folds})
