"""Whether labels are a simple random sample of the rows, where they are said to be one."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy.stats import ks_2samp, norm

from sklearn_ap._questions.few_labels.labelled import Labelled, SingleRows

UNLIKE = 0.001  # p-values, so that a random sample is hardly ever taken for another
FEWEST_ROWS = 10  # that SciPy's asymptotic test can tell apart
# Pairs of labels within queries are not those of a random sample if their number is off by so many
# standard errors, and by some whole pairs, as small numbers are skewed: choices.
ERRORS_OF_PAIRS, LEAST_PAIRS = 4.0, 5.0


def are_scores_unlike(labelled: Labelled) -> bool:
    """Whether the scores of labelled rows of one ranking say that these are no random sample."""
    scores = labelled.score
    known = labelled.is_labelled
    if known.all() or known.size < FEWEST_ROWS:
        return False
    return bool(ks_2samp(scores[known], scores[~known], method="asymp").pvalue < UNLIKE)


class Ranks(NamedTuple):
    """The sum of the ranks of labelled rows, each less the mean rank in its query.

    Its variance is that over all choices of as many rows of each query (van Elteren 1960). So some
    queries may have more labels than others, which does not bias a mean over queries.
    """

    off: float
    variance: float

    @classmethod
    def of(cls, labelled: Labelled, single: SingleRows) -> Self:
        query = single.query
        known = labelled.is_labelled
        rank = single.top.ranks(query.size)
        n_rows = np.maximum(np.bincount(query), 1)
        n_known = np.bincount(query, known)
        moved = rank - (np.bincount(query, rank) / n_rows)[query]
        of_choice = n_known * (n_rows - n_known) / np.maximum(n_rows * (n_rows - 1), 1)
        variance = of_choice * np.bincount(query, moved**2)
        return cls(float(moved[known].sum()), float(variance.sum()))

    @property
    def are_unlike(self) -> bool:
        """Whether labelled rows stand higher or lower than the others of their queries."""
        limit = float(norm.isf(UNLIKE / 2)) * self.variance**0.5
        return self.variance > 0 and abs(self.off) > limit


class Pairs(NamedTuple):
    """Pairs of labelled rows of one query: how many there are, and are expected at random."""

    found: float
    expected: float
    standard_error: float  # of the number, if rows are labelled at random

    @classmethod
    def of(cls, labelled: Labelled, single: SingleRows) -> Self:
        """Count them among the rows that the score looks at."""
        known = labelled.is_labelled
        n_rows = np.bincount(single.query)
        n_known = np.bincount(single.query, known)
        of_rows, found = (float(np.sum(each * (each - 1)) / 2) for each in (n_rows, n_known))
        n = known.size
        m = np.count_nonzero(known)
        expected = of_rows * m * (m - 1) / max(n * (n - 1), 1)
        # The product of two labels is p^2 + p (L - p) + p (L' - p) + (L - p) (L' - p). Of the parts
        # in the middle, the fixed number of labels leaves what queries of unequal size make.
        p = m / n
        unequal = np.sum(n_rows * (n_rows - 1 - 2 * of_rows / n) ** 2)
        variance = p**2 * (1 - p) * ((1 - p) * of_rows + p * unequal)
        return cls(found, expected, float(np.sqrt(variance)))

    @property
    def are_unlike(self) -> bool:
        """Whether there are too many, or too few, for a simple random sample."""
        least = max(ERRORS_OF_PAIRS * self.standard_error, LEAST_PAIRS)
        return abs(self.found - self.expected) > least
