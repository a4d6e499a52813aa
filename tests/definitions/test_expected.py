"""What sets expected average precision apart."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from every import every

from sklearn_ap import definitions
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._thresholds import COLUMNS


def counts_of(above, block):
    """Counts of one block of tied rows below another one: (positives, rows) of each."""
    gained, size = np.array([above, block]).T
    fps = np.cumsum(size - gained)
    start, columns = np.zeros(1, int), (gained.cumsum(), fps, fps - (size - gained))
    made = ThresholdCounts(-np.arange(2.0), gained, *columns, start, gained[None].sum(1), fps[1:])
    return made if above[0] else replace(made, **{n: getattr(made, n)[1:] for n in COLUMNS})


@every("n_above", [0, 1, 100, 129, 200, 20_000, 39_999, 40_000, 40_001, 10**7, 10**12])
@every("size", [127, 128, 129, 200, 40_000])
@every("k_in_block", [None, 129, 10_000])
def test_long_blocks_have_the_sum_over_their_ranks(n_above, size, k_in_block):
    n_ranks = size if k_in_block is None else min(k_in_block, size)
    k = None if k_in_block is None else n_above + k_in_block
    for n_hits_above in {0, n_above // 3, n_above}:
        for n_hits in (1, size // 3, size):
            counts = counts_of((n_hits_above, n_above), (n_hits, size))
            other, j = Fraction(n_hits - 1, size - 1), np.arange(n_ranks)
            terms = (n_hits_above + 1 + j * float(other)) / (n_above + 1 + j)
            height = definitions.Expected(k).heights(counts)[-1]
            assert height == pytest.approx(math.fsum(terms) / size, rel=1e-12)


def test_a_block_of_ten_billion_rows_takes_no_memory():
    n, n_hits, k = 10**10, 10**8, 10**9
    harmonic = math.log(k) + np.euler_gamma + 1 / (2 * k)
    other = (n_hits - 1) / (n - 1)
    total = n_hits / n * ((1 - other) * harmonic + other * k)
    value = definitions.Expected(k)(counts_of((0, 0), (n_hits, n)))[0]
    assert value == pytest.approx(total / n_hits, rel=1e-12)
