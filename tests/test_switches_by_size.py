"""Where the size of the data chooses between two ways to compute a number, both give the same."""

import importlib
from functools import partial

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    chance_test,
    compare_segments,
    large,
)
from sklearn_ap.definitions import AtK, Expected

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N, RNG = 900, np.random.default_rng(0)
Y = (RNG.random(N) < 0.1).astype(int)
UNTIED = RNG.normal(size=N) + Y
TIED, QUERIES, SEGMENTS = np.round(UNTIED, 1), np.arange(N) // 30, np.arange(N) % 4
WEIGHT = RNG.random(N)


def score(y_score=TIED, **options):
    return average_precision_score(Y, y_score, **options)


half_positive = partial(average_precision_score, UNTIED > 0, np.roll(UNTIED, 1))
of_queries = partial(score, queries=QUERIES, zero_division=0.0)


def of_segments_at_k():
    """Of three, whose first ranks are counted for each sample that is drawn."""
    found = compare_segments(Y, TIED, SEGMENTS, definition=AtK(50), prevalence=None)
    return [*found.estimates, *found.lows]


def counted(**options):
    parts = np.array_split(np.arange(N), 7)
    return large.from_chunks([(Y[rows], TIED[rows], WEIGHT[rows]) for rows in parts]).score()


def in_histogram():
    histogram = large.ScoreHistogram()
    histogram.update(Y, TIED)
    return histogram.bounds()


def segments():
    """Of four, each with more than ten positives."""
    found = compare_segments(Y, TIED, SEGMENTS)
    assert not np.isnan(found.pvalues).any()
    return [*found.pvalues, *found.difference_lows]


def by_chance(y_score, **options):
    found = chance_test(Y, y_score, n_permutations=4000, **options)
    return [found.score, found.chance, found.by_chance.std()]


def scores_of_orders(labels, y_score):
    return chance_test(labels, y_score, n_permutations=4000).by_chance


EXACT, OF_CHANCE = 1e-11, 0.05  # relative
# The constant, a value below the size of the data and one above, the number, and how exact it is.
SWITCHES = [
    ("_counts.counting.FEW_THRESHOLDS", 10, 10**6, half_positive, EXACT),
    ("_counts.counting.MOST_EXPONENT", 0, 100, half_positive, EXACT),
    ("_counts.sums.SHORT_SEGMENT", 1, 10**6, partial(of_queries, sample_weight=WEIGHT), EXACT),
    (
        "_questions.chance._threads.FEWEST_ROWS_FOR_THREADS",
        10,
        10**7,
        partial(scores_of_orders, UNTIED > 0, UNTIED),
        EXACT,
    ),
    ("definitions._expected.LONGEST_SUM", 64, 10**6, partial(score, definition=Expected()), EXACT),
    ("large._two_passes.FEWEST_BUFFERED_THRESHOLDS", 10, 10**6, counted, EXACT),
    ("large._two_passes.FEWEST_BUFFERED_ROWS", 10, 10**6, counted, EXACT),
    ("large._histogram.BLOCK_CELLS", 2**10, 2**20, in_histogram, EXACT),
    ("_questions.segments._differences.MOST_EXACT_SEGMENTS", 3, 4, segments, 1e-4),
    (
        "_questions.chance._permutation.MOST_SEARCHED_POSITIVES",
        0,
        10**6,
        partial(scores_of_orders, Y, TIED),
        EXACT,
    ),
    (
        "_questions.chance._permutation.LONG_ROW",
        10,
        10**6,
        partial(scores_of_orders, UNTIED > 0, TIED),
        EXACT,
    ),
    (
        "_questions.chance._permutation.CHUNK_RANKS",
        1000,
        10**6,
        partial(by_chance, TIED, definition=AtK(50)),
        OF_CHANCE,
    ),
    ("_uncertainty.former._resampling.CHUNK", 1000, 10**7, of_segments_at_k, OF_CHANCE),
    ("_uncertainty.former._resampling.SMALL_CELL", 0, 100, of_segments_at_k, OF_CHANCE),
]


@pytest.mark.parametrize(("constant", "below", "above", "number", "tolerance"), SWITCHES)
def test_both_algorithms_of_a_size_switch_agree(constant, below, above, number, tolerance):
    module, name = f"sklearn_ap.{constant}".rsplit(".", 1)
    found = []
    for value in (below, above):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(importlib.import_module(module), name, value)
            found.append(np.ravel(number()))
    np.testing.assert_allclose(*found, rtol=tolerance, atol=tolerance / 10)
