"""Definitions that say nothing of influence are resampled."""

import numpy as np
import pytest

from sklearn_ap._uncertainty.former._resampling import new_samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize(
    "sizes",
    [[1, 0, 2], [1, 0, 40, 8, 1, 9, 0], [300, 700], [0.6, 2, 30.4], [1, 3e14, 6e14], [0, 0], []],
)
def test_bootstrap_samples_are_multinomial_of_the_original_size(sizes):
    sizes = np.array(sizes, dtype=float)
    total = min(round(sizes.sum()), 2**62)
    n_rows = np.full(20_000, total)
    drawn = np.concatenate([*new_samples(sizes, n_rows, np.random.default_rng(0))])
    assert drawn.shape == (20_000, sizes.size)
    assert (drawn.sum(axis=1) == total).all()
    shares = sizes / max(sizes.sum(), 1)
    np.testing.assert_allclose(drawn.mean(axis=0), shares * total, rtol=0.03)
    variances = total * shares * (1 - shares)
    np.testing.assert_allclose(drawn.var(axis=0), variances, rtol=0.04)
    if sizes.size > 1 and 0 < total < 1e6:
        between = np.cov(drawn[:, 0], drawn[:, -1])[0, 1]
        noise = np.sqrt(variances[0] * variances[-1] / 20_000)
        assert between == pytest.approx(-total * shares[0] * shares[-1], abs=4 * noise)
