"""Whether scores mean the same in all folds: whether chance shares the highest rows like that."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from sklearn_ap._inputs.arrays import EQUAL, Bool, Float, Index

# Choices; benchmarks/cross_validation.py, column "warned", says how often pools are warned of.
LEAST_PVALUE = 1e-3  # a false positive in 1,000 cross-validations, for all tops together
TOPS = 0.5, 1, 2, 4  # how many times the positives
LEAST_IN_TOP = 4  # rows of a fold, on average: a chi-squared test wants some 5 (Cochran 1954)


class TestedRows(NamedTuple):
    """The test rows of all folds."""

    fold: Index
    unit: Index  # the cluster of each row in its fold, or the row itself, numbered from 0

    @classmethod
    def of(cls, fold: Index, sampling_unit: Index) -> TestedRows:
        """Number the units; one that several folds test is another in each."""
        pairs = fold * (sampling_unit.max() + 1) + sampling_unit
        return cls(fold, np.unique(pairs, return_inverse=True)[1])

    def unequal_shares(self, score: Float, labels: Float) -> tuple[Index, Index] | None:
        """How many of the highest rows each fold has, and how many rows; None if chance can do it.

        This is the first top that is shared too unequally. A top has at most half of the rows: what
        is below hardly matters. Labels are 1 for positives, and nan if unknown.
        """
        n_positives, n_rows = np.count_nonzero(labels == 1), np.bincount(self.fold)
        for n_top in (round(times * n_positives) for times in TOPS):
            if LEAST_IN_TOP * n_rows.size <= n_top <= score.size / 2:
                is_top = score >= np.partition(score, score.size - n_top)[score.size - n_top]
                if self.pvalue(is_top, labels) <= LEAST_PVALUE / len(TOPS):
                    return np.bincount(self.fold[is_top], minlength=n_rows.size), n_rows
        return None

    def pvalue(self, is_top: Bool, labels: Float) -> float:
        """How often chance shares a top at least so unequally, if units are dealt to folds.

        The residual of a row is whether it is in the top, minus the share of its class that is. Of
        the squares of the units' sums, the part between folds has nearly a beta distribution
        (Pitman 1937). For rows of one class, this is the chi-squared test of a table of folds.
        """
        codes = np.nan_to_num(labels, nan=2).astype(np.intp)
        share = np.bincount(codes, is_top) / np.maximum(np.bincount(codes), 1)
        residual = np.bincount(self.unit, is_top - share[codes])
        size, n_units = np.bincount(self.unit).astype(np.float64), residual.size
        fold = np.zeros(n_units, np.intp)
        fold[self.unit] = self.fold
        total, n_each = residual @ residual, np.bincount(fold)
        if not 1 < n_each.size < n_units or total < EQUAL:
            return 1.0
        # GroupKFold deals large clusters to folds of their own, whose sums vary as these clusters
        # do: by the square of the size, if rows of a cluster are alike.
        n_each = np.maximum(n_each, n_units * np.bincount(fold, size * size) / (size @ size))
        between = np.sum(np.bincount(fold, residual) ** 2 / n_each)
        shapes = (n_each.size - 1) / 2, (n_units - n_each.size) / 2
        return float(beta.sf(between / total, *shapes))
