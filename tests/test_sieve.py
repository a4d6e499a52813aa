"""Rows that are counted without a sort: the counts are those of a sort of all rows."""

import numpy as np
import pytest

from sklearn_ap import _sieve, average_precision_score
from sklearn_ap._sieve import sieved
from sklearn_ap._validation import Rankings
from sklearn_ap.counts import count

N = 70_000  # a little more than the fewest rows that are sieved
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.02
NORMAL = RNG.normal(size=N) + POSITIVE
WEIGHT = RNG.random(N) + 0.1

SCORES = {
    "normal": NORMAL,
    "float32": NORMAL.astype(np.float32),
    "float16": NORMAL.astype(np.float16),
    "rounded": NORMAL.round(4),
    "integers": (NORMAL * 1e6).astype(np.int64),
    "integers that float64 cannot tell apart": 2**60 + (NORMAL * 1e8).astype(np.int64),
    "unsigned integers": ((NORMAL + 9) * 2**58).astype(np.uint64),
    "probabilities near 0": 1 / (1 + np.exp(9 - 3 * NORMAL)),
    "probabilities near 0, float32": (1 / (1 + np.exp(9 - 3 * NORMAL))).astype(np.float32),
    "probabilities near 0, bytes the other way round": (1 / (1 + np.exp(9 - 3 * NORMAL))).astype(
        np.dtype(np.float64).newbyteorder()
    ),
    "negatives at both infinities": np.where(
        POSITIVE, NORMAL, RNG.choice([NORMAL, np.full(N, np.inf), np.full(N, -np.inf)])
    ),
    "negatives as far as floats go": np.where(POSITIVE, NORMAL, RNG.choice([-1.7e308, 1.7e308], N)),
    "tiny": NORMAL * 1e-295,
}


def without_sieve(rankings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sieve, "FEWEST_ROWS", N + 1)
        assert sieved(rankings) is None
        return count(rankings)


def check_counts(rankings):
    counts, expected = count(rankings), without_sieve(rankings)
    for name in counts.__slots__:
        value, other = getattr(counts, name), getattr(expected, name)
        assert value.dtype.newbyteorder("=") == other.dtype.newbyteorder("=")
        tolerance = 0 if rankings.weight is None else 1e-12
        if name == "gained":  # a difference of sums
            tolerance *= expected.tps.max(initial=0)
            np.testing.assert_allclose(value, other, rtol=0, atol=tolerance)
        else:
            np.testing.assert_allclose(value, other, rtol=tolerance, err_msg=name)


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
@pytest.mark.parametrize("size", [None, 70, 1000])
@pytest.mark.parametrize("layout", ["equal", "together", "shuffled"])
def test_counts_are_those_of_a_sort(score, weight, size, layout):
    ranking = None
    if size is not None and layout != "equal":
        ranking = np.arange(N) // size
        if layout == "shuffled":
            ranking = np.random.default_rng(1).permutation(ranking)
    rankings = Rankings(POSITIVE, score, weight, ranking, 1 if size is None else N // size)
    sieve = sieved(rankings)
    assert sieve is not None
    assert sieve.near.score.size < N // 2
    check_counts(rankings)


@pytest.mark.parametrize(
    "score",
    [
        np.where(POSITIVE, 1.7e308, -1.7e308),  # no float holds the distance
        np.where(POSITIVE & (NORMAL > 0), np.inf, NORMAL),
        np.where(POSITIVE & (NORMAL > 0), -np.inf, NORMAL),
        np.where(NORMAL > 0, 0.5, -0.5),
        np.where(POSITIVE, 0.25, NORMAL),
        NORMAL.astype(np.longdouble),
        NORMAL > 0,
    ],
    ids=["far apart", "inf", "-inf", "two scores", "one positive score", "long double", "bool"],
)
def test_what_cannot_be_sieved_is_sorted(score):
    positive = POSITIVE.copy()
    positive[np.argmin(score)] = True
    rankings = Rankings(positive, score)
    assert sieved(rankings) is None
    assert count(rankings).n_positives == positive.sum()


def test_many_positives_few_rows_and_short_or_long_rankings_are_sorted():
    assert sieved(Rankings(NORMAL > 1, NORMAL)) is None
    assert sieved(Rankings(POSITIVE[:1000], NORMAL[:1000])) is None
    assert sieved(Rankings(np.zeros(N, dtype=bool), NORMAL)) is None
    assert sieved(Rankings(POSITIVE, NORMAL, None, np.arange(N) // 7, N // 7)) is None
    assert sieved(Rankings(POSITIVE, NORMAL, None, np.zeros(N, np.intp), 1)) is None


def test_logarithms_where_scores_crowd_near_0():
    score = SCORES["probabilities near 0"]
    assert not sieved(Rankings(POSITIVE, NORMAL)).cells.logs
    assert sieved(Rankings(POSITIVE, score**3)).cells.logs


def test_a_light_ranking_does_not_drown_in_a_heavy_one():
    ranking = np.arange(N) // 1000
    light = WEIGHT * np.where(ranking % 2, 1e-18, 1e18)
    alone = np.array(
        [
            average_precision_score(POSITIVE[here], NORMAL[here], sample_weight=WEIGHT[here])
            for here in np.split(np.arange(N), N // 1000)
        ]
    )
    together = average_precision_score(
        POSITIVE, NORMAL, sample_weight=light, groups=ranking, average=None
    )
    assert sieved(Rankings(POSITIVE, NORMAL, light, ranking, N // 1000)) is not None
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_rankings_without_positives_have_totals_only():
    ranking = np.arange(N) // 1000
    positive = POSITIVE & (ranking % 3 != 1)
    for weight in (None, WEIGHT):
        rankings = Rankings(positive, NORMAL, weight, ranking, N // 1000)
        assert sieved(rankings) is not None
        check_counts(rankings)


@pytest.mark.parametrize("several", [False, True])
def test_a_positive_too_light_for_a_threshold_moves_nothing(several):
    """It has a cell, but no threshold: what stands there is not above the next ranking."""
    ranking = np.arange(N) // 1000
    weight = np.where(POSITIVE & (NORMAL < -0.5), 1e-20, WEIGHT)
    rankings = Rankings(POSITIVE, NORMAL, weight, *([ranking, N // 1000] if several else []))
    assert sieved(rankings) is not None
    check_counts(rankings)


@pytest.mark.parametrize("score", [np.inf, np.finfo(np.float64).max, -np.inf])
def test_the_furthest_scores_in_a_ranking_without_positives(score):
    ranking = np.arange(N) // 1000
    empty = ranking % 5 == 0
    rankings = Rankings(POSITIVE & ~empty, np.where(empty, score, NORMAL), None, ranking, N // 1000)
    assert sieved(rankings) is not None
    check_counts(rankings)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
def test_counts_do_not_depend_on_threads(threads, weight, monkeypatch):
    rankings = Rankings(POSITIVE, NORMAL, weight)
    expected = count(rankings)
    monkeypatch.setattr(_sieve, "n_threads", lambda n_rows: threads)
    monkeypatch.setattr(_sieve, "CHUNK", 2**17)
    counts = count(rankings)
    for name in counts.__slots__:
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name))
