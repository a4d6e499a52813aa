"""Where the size of the data chooses between two ways to compute a number, both give the same."""

import importlib
from functools import partial

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    chance_test,
    large,
    score_from_counts,
)
from sklearn_ap.definitions import Expected

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N, RNG = 900, np.random.default_rng(0)
Y = (RNG.random(N) < 0.1).astype(int)
UNTIED = RNG.normal(size=N) + Y
TIED, QUERIES, SEGMENTS = np.round(UNTIED, 1), np.arange(N) // 30, np.arange(N) % 4
WEIGHT = RNG.random(N)


def score(y_score=TIED, **options):
    return average_precision_score(Y, y_score, **options)


of_queries = partial(score, queries=QUERIES, zero_division=0.0)


def counted(**options):
    parts = np.array_split(np.arange(N), 7)
    return score_from_counts(
        large.from_chunks([(Y[rows], TIED[rows], WEIGHT[rows]) for rows in parts])
    )


def by_chance(y_score, **options):
    found = chance_test(Y, y_score, n_permutations=4000, **options)
    return [found.estimate, found.chance, found.random_scores.std()]


EXACT, OF_CHANCE = 1e-11, 0.05  # relative
# The constant, a value below the size of the data and one above, the number, and how exact it is.
SWITCHES = [
    ("_arithmetic.SHORT_SEGMENT", 1, 10**6, partial(of_queries, sample_weight=WEIGHT), EXACT),
    (
        "definitions._mean_over_orders.LONGEST_SUM",
        64,
        10**6,
        partial(score, definition=Expected()),
        EXACT,
    ),
    ("large._passes.LEAST_BLOCK_ROWS", 10, 10**6, counted, EXACT),
    ("inference.chance._shuffles.FEW_ROWS", 10, 10**6, partial(by_chance, TIED), OF_CHANCE),
    ("inference.chance._shuffles.ROWS_AT_ONCE", 1, 10**6, partial(by_chance, TIED), EXACT),
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
