"""Whether hits are told to be rarer among some rows than among others."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap._program.report.data.shares import is_rarer


def ask_often(share_inside, *, size=1, weights=1, n_inside=60, n_times=800):
    """How often hits are told to be rarer in one of ten segments, of which clusters lie in one."""
    rng = np.random.default_rng(0)
    n = 10 * n_inside
    rows = np.arange(n) < n_inside
    codes = np.arange(n) // size
    share = np.where(rows, share_inside, 0.4)
    told = 0
    for _ in range(n_times):
        hits = rng.random(n)[codes] < share  # the rows of a cluster are alike
        weight = rng.choice(np.arange(1.0, 1 + weights), size=n)
        options = {"clusters": codes} if size > 1 else {}
        options |= {"sample_weight": weight} if weights > 1 else {}
        data = SimpleNamespace(options=options, weight=weight, level=0.95, n_rows=n)
        told += is_rarer(data, hits, np.ones(n, dtype=bool), rows)
    return told / n_times


WAYS = {
    "rows": {},
    "weights": {"weights": 5},
    "clusters": {"size": 3},
    "clusters of different weights": {"size": 3, "weights": 5},
    "few clusters": {"size": 10},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_equal_shares_are_rarely_told(way):
    assert 0.005 < ask_often(0.4, **way) < 0.07


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_much_lower_share_is_told(way):
    """The six clusters of the last case are as few as six rows."""
    assert ask_often(0.05, **way) > (0.2 if way.get("size") == 10 else 0.95)


def test_rows_without_weight_and_a_single_cluster_have_no_test():
    rows = np.arange(40) < 20
    everything = np.ones(40, dtype=bool)
    no_weight = {"sample_weight": 1.0 * ~rows}, 1.0 * ~rows
    one_cluster = {"clusters": np.where(rows, 0, np.arange(40))}, np.ones(40)
    for options, weight in (no_weight, one_cluster):
        data = SimpleNamespace(options=options, weight=weight, level=0.95, n_rows=40)
        assert not is_rarer(data, ~rows, everything, rows)
