"""Estimates of larger samples equal those of a sample that is repeated."""

import numpy as np
import pytest

from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import Step


def estimate(y, score, **options) -> Estimate:
    request = Request(y_true=y, y_score=score, **options)
    return models_of_rows(Step(), request, [check_rankings(request, all_items=True)]).estimate


@pytest.mark.parametrize("n_clusters", [None, 60])
def test_an_enlarged_estimate_is_that_of_all_rows_four_times(n_clusters):
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.3).astype(int)
    score = rng.normal(size=200) + y
    one, four = {}, {}
    if n_clusters:
        one["clusters"] = rng.integers(0, n_clusters, 200)
        four["clusters"] = np.concatenate([one["clusters"] + 100 * i for i in range(4)])
    found = estimate(y, score, **one).enlarged(4.0)
    expected = estimate(np.tile(y, 4), np.tile(score, 4), **four)
    assert found.nu == pytest.approx(expected.nu)
    assert found.n_effective == pytest.approx(expected.n_effective)
    assert found.variance == pytest.approx(expected.variance, rel=0.03)  # but for n / (n - 1)


def test_the_bias_of_a_mean_over_columns_falls_with_the_size_of_the_sample():
    rng = np.random.default_rng(0)
    y = (rng.random((100, 3)) < 0.3).astype(int)
    found = estimate(y, rng.normal(size=(100, 3)) + y)
    assert found.enlarged(4.0).bias == pytest.approx(found.bias / 4) != 0
