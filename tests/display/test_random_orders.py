"""The scores of random orders as a histogram."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_ap import chance_test
from sklearn_ap.definitions import AtK

Y = np.arange(40) < 8
S = Y + np.random.default_rng(0).normal(size=40)


def texts(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_it_draws_what_the_test_gives():
    found = chance_test(Y, S, definition=AtK(5), n_permutations=500)
    axis = found.plot()
    assert sum(bar.get_height() for bar in axis.patches) == 500
    assert [line.get_xdata()[0] for line in axis.lines] == [found.chance, found.score]
    assert axis.get_xlabel() == "average precision at 5"
    assert {"500 random orders", f"their mean: {found.chance:.3f}"} < {*texts(axis)}


def test_on_given_axes_and_at_a_prevalence():
    _, axis = plt.subplots()
    assert chance_test(Y, S, prevalence=0.05, n_permutations=99).plot(axis) is axis
    assert axis.get_xlabel() == "step average precision at prevalence 0.05"


def test_a_tiny_p_value():
    axis = chance_test(np.arange(1000) < 100, -np.arange(1000)).plot()
    assert "score: 1.000 (p = 0.0001)" in texts(axis)


def test_several_scores_have_no_picture():
    several = chance_test(Y, S, queries=np.arange(40) % 2, average=None, n_permutations=9)
    with pytest.raises(ValueError, match="This test has several scores"):
        several.plot()
