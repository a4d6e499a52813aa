"""The scores of random orders as a histogram."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawings import legend_texts

from sklearn_ap import chance_test

Y = np.arange(40) < 8
S = Y + np.random.default_rng(0).normal(size=40)


def test_picture_shows_orders_mean_and_score_of_the_test():
    _, axis = plt.subplots()
    found = chance_test(Y, S, prevalence=0.05, n_permutations=500)
    assert found.plot(axis) is axis
    assert sum(bar.get_height() for bar in axis.patches) == 500
    assert [line.get_xdata()[0] for line in axis.lines] == [found.chance, found.score]
    name, sample = axis.get_xlabel().splitlines()
    assert name == "average precision at prevalence 0.05"
    assert sample == "40 rows, 8 positives"
    assert {"500 random orders", f"their mean: {found.chance:.3f}"} < {*legend_texts(axis)}


def test_tiny_p_value_is_shown_in_the_legend():
    axis = chance_test(np.arange(1000) < 100, -np.arange(1000)).plot()
    assert "score: 1.000 (p = 0.0001)" in legend_texts(axis)


def test_several_scores_have_no_picture():
    several = chance_test(Y, S, queries=np.arange(40) % 2, average=None, n_permutations=9)
    with pytest.raises(ValueError, match="This test has several scores"):
        several.plot()
