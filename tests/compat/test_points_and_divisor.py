"""Averages go with any line, and divide by what they say."""

import pytest
from compat_inputs import checked
from hypothesis import given, settings
from registry import predictions

from sklearn_ap import compat
from sklearn_ap.compat.choices import OPTIONS
from sklearn_ap.compat.run import Evaluation


@pytest.mark.parametrize("between", OPTIONS["between"])
@pytest.mark.parametrize("over", ["every recall", "top k"])
@settings(max_examples=15)
@given(data=predictions(max_size=12))
def test_any_line_goes_with_the_top_k(between, over, data):
    """Heights within [0, 1], averaged over the positives of the top k."""
    y_true, y_score = data
    if not y_true.any():
        return
    evaluation = Evaluation(checked(y_true, y_score))
    start = "(0, 1)" if OPTIONS["between"][between].needs_start else "irrelevant"
    choices = compat.Choices("as given", "grouped", between, start, over, "positives")
    (value,) = evaluation.values(choices, 3, {})
    (shares,) = evaluation.values(choices._replace(between="each hit", start="irrelevant"), 3, {})
    assert -1e-12 <= value <= shares + 1e-12


def test_the_hyperbola_over_the_top_k():
    """Two blocks of one hit and one miss: precision is 1/2 all along."""
    y_true, y_score = [1, 0, 1, 0], [2, 2, 1, 1]
    evaluation = Evaluation(checked(y_true, y_score))
    choices = compat.Choices(
        "as given", "grouped", "hyperbola", "irrelevant", "top k", "min(k, positives)"
    )
    # Rank 3 holds half of the second block.
    assert evaluation.values(choices, 3, {}) == pytest.approx((0.5 + 0.5 * 0.5) / 2)


@pytest.mark.parametrize("name", ["torchmetrics.RetrievalPrecision", "catboost.PrecisionAt"])
def test_precision_without_k_takes_all(name):
    assert compat.score(name, [1, 0, 0, 1], [4, 3, 2, 1]) == 0.5
