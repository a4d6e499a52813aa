"""A threshold fails in a segment only where its lower recall or precision is not by chance."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import fisher_exact

from sklearn_ap import operating_point, report
from sklearn_ap._program.report.advice import _failures

N = 6_000
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
N_POSITIVES = 50  # in the last month
LAST = np.flatnonzero(MONTH == "2026-06")
IS_LAST = MONTH == "2026-06"


def draw_fall(n_found):
    """Scores that tell nothing in the last month, apart from its first positives."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.05
    y[LAST] = np.arange(LAST.size) < N_POSITIVES
    score = 1.7 * y + rng.normal(size=N)
    rng = np.random.default_rng(1)
    score[LAST] = rng.normal(size=LAST.size).clip(max=1.5)
    score[LAST[:n_found]] = 9
    return y, score


@pytest.mark.parametrize("n_found", [0, 1, 2, 4])
@pytest.mark.parametrize("goal", [0.5, 0.6])
def test_lower_recall_is_a_failure_if_fishers_test_shows_it(goal, n_found):
    y, score = draw_fall(n_found)
    parts = ["thresholds", "segments"]
    page = report(y, score, segments={"month": MONTH}, precision=goal, parts=parts)
    answer = page.summary[0].answer
    found = score >= operating_point(y, score, precision=goal, guarantee=0.9).threshold
    counts = [[np.sum(hit & y & rows) for hit in (found, ~found)] for rows in (IS_LAST, ~IS_LAST)]
    is_shown = fisher_exact(counts, alternative="less").pvalue < 0.05
    assert n_found / N_POSITIVES < found[y].mean() / 2
    assert is_shown == ((goal, n_found) != (0.6, 1))  # one of 50, and 22 of 260 elsewhere
    assert answer.startswith("Do not use the threshold") == is_shown
    assert f"of the {N_POSITIVES} positives " in answer  # what it finds there is told anyway


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
        told += _failures._is_lower(data, hits, np.ones(n, dtype=bool), rows)
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
        assert not _failures._is_lower(data, ~rows, everything, rows)
