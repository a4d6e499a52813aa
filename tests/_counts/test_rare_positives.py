"""Rows that are counted without a sort: the counts are those of a sort of all rows."""

import numpy as np
import pytest

from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts import _rare_positives as rare_positives
from sklearn_ap._counts._rare_positives import leave_out_far_negatives
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.sorted_items import place_items, sort_items
from sklearn_ap._counts.thresholds import ThresholdCounts

N = 70_000  # a little more than the fewest rows that are sieved
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.02
NORMAL = RNG.normal(size=N) + POSITIVE
WEIGHT = RNG.random(N) + 0.1
NAMES = {*ThresholdCounts.__slots__} - {
    "names",
    "n_unscored",
    "are_whole",
    "n_added",
    "_precision",
}
ODD = {
    "far apart": np.where(POSITIVE, 1.7e308, -1.7e308),  # no float holds the distance
    "inf": np.where(POSITIVE & (NORMAL > 0), np.inf, NORMAL),
    "-inf": np.where(POSITIVE & (NORMAL > 0), -np.inf, NORMAL),
    "two": np.where(NORMAL > 0, 0.5, -0.5),
    "at 0": np.where(POSITIVE, NORMAL**3, 1e-9 * NORMAL),
    "long double": NORMAL.astype(np.longdouble),
    "bool": NORMAL > 0,
}

SCORES = {
    "normal": NORMAL,
    "float32": NORMAL.astype(np.float32),
    "float16": NORMAL.astype(np.float16),
    "rounded": NORMAL.round(4),
    "integers": (NORMAL * 1e6).astype(np.int64),
    "integers that float64 cannot tell apart": 2**60 + (NORMAL * 1e8).astype(np.int64),
    "unsigned integers": ((NORMAL + 9) * 2**58).astype(np.uint64),
    "probabilities near 0": 1 / (1 + np.exp(9 - 3 * NORMAL)),
    "bytes the other way round": NORMAL.astype(np.dtype(np.float64).newbyteorder()),
    "negatives at both infinities": np.where(
        POSITIVE, NORMAL, RNG.choice([NORMAL, np.full(N, np.inf), np.full(N, -np.inf)])
    ),
    "negatives as far as floats go": np.where(POSITIVE, NORMAL, RNG.choice([-1.7e308, 1.7e308], N)),
    "tiny": NORMAL * 1e-295,
}


def filtered(rankings):
    """What the filter makes of one ranking; None if it leaves all rows to the sort."""
    return leave_out_far_negatives(rankings.positive, rankings.score, rankings.weight)


def check_counts(rankings):
    counts = count(rankings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_positives, "FEWEST_ROWS_TO_FILTER", N + 1)
        expected = count(rankings)
    for name in NAMES:
        value, other = getattr(counts, name), getattr(expected, name)
        assert value.dtype.newbyteorder("=") == other.dtype.newbyteorder("=")
        tolerance = 0 if rankings.weight is None else 1e-12
        largest = expected.tps.max(initial=0) if name == "gained" else 0  # a difference of sums
        np.testing.assert_allclose(
            value, other, rtol=tolerance, atol=tolerance * largest, err_msg=name
        )


@pytest.mark.parametrize("name", SCORES | ODD)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
def test_counts_and_places_equal_those_of_a_full_sort(name, weight):
    rankings = Rankings(POSITIVE, (SCORES | ODD)[name], weight)
    if name in SCORES:
        assert filtered(rankings).rows_to_sort.score.size < N // 2
    check_counts(rankings)
    found, expected = place_items(rankings), sort_items(rankings)
    n = expected.counts.tps.size
    values = *(i * n + np.arange(n) for i in range(3)), -1
    np.testing.assert_array_equal(
        found.item_values(*values), expected.item_values(*values), strict=True
    )


def test_only_large_samples_with_rare_positives_are_filtered():
    assert filtered(Rankings(NORMAL > 1, NORMAL)) is None
    assert filtered(Rankings(POSITIVE[:1000], NORMAL[:1000])) is None
    assert filtered(Rankings(POSITIVE, NORMAL)).cells.read is np.asarray
    near_0 = SCORES["probabilities near 0"] ** 3
    assert filtered(Rankings(POSITIVE, near_0)).cells.read is rare_positives._float_bits


def test_positives_of_negligible_weight_are_counted_as_by_a_sort():
    weight = np.where(POSITIVE & (NORMAL < -0.5), 1e-20, WEIGHT)
    check_counts(Rankings(POSITIVE, NORMAL, weight))


@pytest.mark.parametrize("score", [np.inf, np.finfo(np.float64).max, -np.inf])
def test_extreme_scores_in_rankings_without_positives_are_counted(score):
    ranking = np.arange(N) // 1000
    empty = ranking % 5 == 0
    positive, far = POSITIVE & ~empty, np.where(empty, score, NORMAL)
    counts = count(Rankings(positive, far, None, ranking, N // 1000))
    for i in (0, 1, N // 1000 - 1):
        alone = count(Rankings(positive[ranking == i], far[ranking == i]))
        np.testing.assert_array_equal(counts.fps[counts.starts[i] : counts.ends[i]], alone.fps)
        totals = counts.n_positives[i], counts.n_negatives[i]
        assert totals == (alone.n_positives[0], alone.n_negatives[0])
