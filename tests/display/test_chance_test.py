"""The scores of random orders as a histogram."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_ap import ChanceTestDisplay, chance_test
from sklearn_ap.definitions import AtK

Y = np.arange(40) < 8
S = Y + np.random.default_rng(0).normal(size=40)


def test_it_draws_what_the_test_gives():
    found = chance_test(Y, S, definition=AtK(5), n_permutations=500)
    drawn = ChanceTestDisplay.from_predictions(Y, S, definition=AtK(5), n_permutations=500)
    assert sum(bar.get_height() for bar in drawn.bars_) == 500
    assert drawn.line_.get_xdata()[0] == found.score
    assert drawn.chance_level_.get_xdata()[0] == found.chance
    assert drawn.ax_.get_xlabel() == "average precision at 5"
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert {"500 random orders", f"their mean: {found.chance:.3f}"} < {*texts}
    assert repr(drawn).startswith(f"ChanceTestDisplay(score={found.score:.4f}")


def test_on_given_axes_and_at_a_prevalence():
    _, axis = plt.subplots()
    drawn = ChanceTestDisplay.from_predictions(Y, S, prevalence=0.05, n_permutations=99, ax=axis)
    assert drawn.ax_ is axis
    assert axis.get_xlabel() == "step average precision at prevalence 0.05"


def test_a_tiny_p_value():
    drawn = ChanceTestDisplay.from_predictions(np.arange(1000) < 100, -np.arange(1000))
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert "score: 1.000 (p = 0.0001)" in texts


def test_several_scores_have_no_picture():
    several = chance_test(Y, S, queries=np.arange(40) % 2, average=None, n_permutations=9)
    with pytest.raises(ValueError, match="test must be a ChanceTest of one score"):
        ChanceTestDisplay(several)
