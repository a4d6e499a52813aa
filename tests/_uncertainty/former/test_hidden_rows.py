"""What rows that a sample lacks could change bounds the variance of each limit."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    threshold_counts,
)
from sklearn_ap._uncertainty.former._hidden_rows import hidden_rows
from sklearn_ap._uncertainty.former._sampling_units import EQUAL_WEIGHTS
from sklearn_ap._uncertainty.former.confidence_limits import wilson_limits
from sklearn_ap._uncertainty.former.shrinkage import Spread, Uncertainty
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def drawn(n=400, distance=1.0, share=0.2, seed=0):
    """Labels, and scores that are rounded, so that many are tied."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < round(share * n)).astype(int)
    return y, np.round(4 * (rng.normal(size=n) + distance * y)) / 4


# ---- what a hidden row changes


@pytest.mark.parametrize("n_unscored", [0, 7])
@pytest.mark.parametrize("seed", range(3))
def test_hidden_row_has_the_effect_of_a_row_above_all_others(n_unscored, seed):
    y, s = drawn(60, seed=seed)
    y, s = np.append(y, np.ones(n_unscored, int)), np.append(s, np.full(n_unscored, -np.inf))
    hidden = hidden_rows(Step(), threshold_counts(y, s), None, EQUAL_WEIGHTS)
    score, above = average_precision_score(y, s), np.append(s, s.max() + 1)
    with_negative, with_positive = (
        average_precision_score(np.append(y, label), above) for label in (0, 1)
    )
    assert hidden.loss == pytest.approx(score - with_negative, rel=1e-12)
    assert hidden.gain == pytest.approx(with_positive - score, rel=1e-12)


# ---- limits


def test_limits_at_several_levels_equal_limits_one_by_one():
    """With as many scores as levels, the axes of levels and of limits could be mixed up."""
    score, levels = np.array([0.3, 0.6]), np.array([0.5, 0.9])
    variances = np.array([[0.01, 0.02], [0.03, 0.04]])
    limit_spreads = Spread(variances, np.array([[5.0, 6.0], [7.0, 8.0]]))
    uncertainty = Uncertainty(0.0, 0.04, 8.0, score * (1 - score), limit_spreads=limit_spreads)
    found = np.array(wilson_limits(score, uncertainty, levels[:, None]))
    one_by_one = [wilson_limits(score, uncertainty, level) for level in levels]
    np.testing.assert_array_equal(found, np.swapaxes(one_by_one, 0, 1))


# ---- the bound and the hidden row
