"""Tests that labels are a simple random sample of the rows, as the user says they are.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy.stats import ks_2samp, norm

from sklearn_ap._base.common.tuned_constants import (
    UNLIKE_PAIRS_ERRORS,
    UNLIKE_PAIRS_LEAST,
)
from sklearn_ap._questions.few_labels.labelled import Labelled, SingleRows

UNLIKE_PVALUE = 0.001  # random samples are warned of in 1 of 1,000 cases
FEWEST_ROWS = 10  # the fewest rows that SciPy's asymptotic test can tell apart


def are_scores_unlike(labelled: Labelled) -> bool:
    """Test whether the scores of labelled rows of one ranking are unlike those of the others."""
    score = labelled.score
    is_labelled = labelled.is_labelled
    if is_labelled.all() or is_labelled.size < FEWEST_ROWS:
        return False
    test = ks_2samp(score[is_labelled], score[~is_labelled], method="asymp")
    return bool(test.pvalue < UNLIKE_PVALUE)


class RankSum(NamedTuple):
    """The sum of the ranks of labelled rows, each less the mean rank in its query.

    Its variance is over all choices of equal numbers of rows of each query (van Elteren 1960). So
    some queries may have more labels than others, which does not bias a mean over queries.
    """

    deviation: float  # S
    variance: float

    @classmethod
    def from_labels(cls, labelled: Labelled, single_rows: SingleRows) -> Self:
        """Compute the sum S and its variance: Equation 25."""
        query = single_rows.query
        is_labelled = labelled.is_labelled
        rank = single_rows.top.ranks(query.size)
        n_rows = np.maximum(np.bincount(query), 1)
        n_labelled = np.bincount(query, is_labelled)
        mean_rank = np.bincount(query, rank) / n_rows
        deviation = rank - mean_rank[query]
        # The variance of a sum over m of n rows is this factor times the sum of all n squares:
        n_pairs = np.maximum(n_rows * (n_rows - 1), 1)
        choice_variance = n_labelled * (n_rows - n_labelled) / n_pairs
        variance = choice_variance * np.bincount(query, deviation**2)
        return cls(float(deviation[is_labelled].sum()), float(variance.sum()))

    @property
    def is_unlike(self) -> bool:
        """True if labelled rows stand higher or lower than the others of their queries."""
        limit = float(norm.isf(UNLIKE_PVALUE / 2)) * self.variance**0.5
        return self.variance > 0 and abs(self.deviation) > limit


class PairCount(NamedTuple):
    """The number of pairs of labelled rows that share a query, and its expectation at random."""

    number: float
    expected: float
    standard_error: float  # of the number, if rows are labelled at random

    @classmethod
    def from_labels(cls, labelled: Labelled, single_rows: SingleRows) -> Self:
        """Count the pairs among the rows that the score depends on: Equation 26."""
        is_labelled = labelled.is_labelled
        query_rows = np.bincount(single_rows.query)  # n_i
        query_labels = np.bincount(single_rows.query, is_labelled)  # m_i
        n = is_labelled.size
        m = np.count_nonzero(is_labelled)
        n_pairs = float(np.sum(query_rows * (query_rows - 1)) / 2)  # Q
        n_labelled_pairs = float(np.sum(query_labels * (query_labels - 1)) / 2)
        expected = n_pairs * m * (m - 1) / max(n * (n - 1), 1)
        # The product L L' of two labels is p^2 + p (L - p) + p (L' - p) + (L - p) (L' - p). As the
        # number of labels is fixed, the linear terms vary only if queries have unequal sizes.
        p = m / n
        unequal_sizes = np.sum(query_rows * (query_rows - 1 - 2 * n_pairs / n) ** 2)
        variance = p**2 * (1 - p) * ((1 - p) * n_pairs + p * unequal_sizes)
        return cls(n_labelled_pairs, expected, float(np.sqrt(variance)))

    @property
    def is_unlike(self) -> bool:
        """True if there are too many pairs, or too few, for a simple random sample."""
        limit = max(UNLIKE_PAIRS_ERRORS * self.standard_error, UNLIKE_PAIRS_LEAST)
        return abs(self.number - self.expected) > limit
