"""Warnings that a pool of folds is doubtful, and the test whether its folds have one scale.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from sklearn_ap._base.common.tuned_constants import (
    LARGE_SHIFT,
    TOP_SIZES,
    UNLIKE_SCALES_PVALUE,
)
from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, add_name

# Mean number of top rows per fold: a chi-squared test needs about 5 (Cochran 1954).
FEWEST_TOP_ROWS = 4

TIES_BROKEN_BY_POOLING = UncertaintyWarning(
    "Each fold's model gives few distinct scores, and those of other folds lie between them. The "
    "pool has fewer ties than the ranking of each model, so its score is usually too high. Pass "
    "definition=Expected(), which breaks ties at random and takes no weights and no prevalence.",
    "broken ties",
)
TIED_RANKS = UncertaintyWarning(
    "The folds are so small that many of their ranks are tied with those of other folds. The "
    "pooled score is usually too low. Split into fewer folds, or pass definition=Expected(), which "
    "breaks ties at random and takes no weights and no prevalence.",
    "tied ranks",
)


class Shift(NamedTuple):
    """The error of the score of a pool of folds, and the warning of it."""

    size: Float  # in standard errors of each score; negative, as pools score too low
    warning: Callable[[], UncertaintyWarning]

    def name_model(self, model: str) -> Shift:
        """Put the name of the model before the warning."""
        return self._replace(warning=lambda: add_name(model, self.warning()))


def seen_clusters(number: int) -> UncertaintyWarning:
    """Warn that models score clusters of their training rows."""
    clusters_are = "clusters are" if number > 1 else "cluster is"
    text = (
        f"{number} {clusters_are} in the training rows and in the test rows of a fold. A model "
        f"that has seen a patient scores this patient better than others. Split with GroupKFold or "
        f"StratifiedGroupKFold, and pass cross_validate the clusters as groups, or as "
        f"params={{'groups': clusters}}."
    )
    return UncertaintyWarning(text, "clusters in training")


def unequal_prevalence(
    uses_ranks: bool, has_clusters: bool, is_table: bool, is_stratified: bool
) -> UncertaintyWarning:
    """Warn that the folds differ in their prevalence, on which scores or ranks depend."""
    reason = (
        "pooling='ranks' assumes that they do not"
        if uses_ranks
        else "a model that is tested on many positives was trained on few, so its scores are lower"
    )
    split = (
        "split with StratifiedKFold. If rows belong to patients, split with StratifiedGroupKFold "
        "and pass clusters"
    )
    if is_stratified:
        split = "choose a number of folds that divides that of the positives"
    elif is_table:
        split = "choose folds that have nearly equal shares of the positives of each column"
    elif has_clusters:
        split = "split with StratifiedGroupKFold"
    remedy = split[0].upper() + split[1:]
    text = (
        f"The folds differ in their proportion of positives, and {reason}. The pool then ranks "
        f"worse than each model does. {remedy}."
    )
    return UncertaintyWarning(text, "unequal prevalence")


def shifted_differences(
    shifts: Sequence[Shift],
    uncertainties: Sequence[Uncertainty],
    reference: int,
    difference_errors: Mapping[int, Float],
) -> list[UncertaintyWarning]:
    """Warn of models whose shift is large beside the standard error of their difference.

    ``difference_errors`` are the standard errors of the differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    # In units of the score
    score_shifts = [
        shift.size * uncertainty.standard_error
        for shift, uncertainty in zip(shifts, uncertainties, strict=True)
    ]
    reference_shift = score_shifts[reference]
    warnings = []
    for model, error in difference_errors.items():
        model_shift = score_shifts[model]
        is_large = np.abs(model_shift - reference_shift) > LARGE_SHIFT * error
        if np.any(is_large):
            # Show the warning of the pool with the larger shift.
            largest_model_shift = np.abs(model_shift[is_large]).max()
            largest_reference_shift = np.abs(reference_shift[is_large]).max()
            shift = shifts[model if largest_model_shift > largest_reference_shift else reference]
            warnings.append(shift.warning())
    return warnings


def other_scales(n_top: Index, n_rows: Index, has_clusters: bool) -> UncertaintyWarning:
    """Warn that the folds share the highest rows unequally."""
    share_in_top = n_top / n_rows
    most = np.argmax(share_in_top)
    least = np.argmin(share_in_top)
    about_patients = "" if has_clusters else " If rows belong to patients, pass clusters."
    text = (
        f"The scores of the folds do not mean the same: of the {n_top.sum()} highest test rows, "
        f"{n_top[most]} are from fold {most} and {n_top[least]} from fold {least}. A pool of such "
        f"scores ranks worse than each model does. Pass pooling='ranks' if the folds have about "
        f"the same proportion of positives, or calibrate the models.{about_patients}"
    )
    return UncertaintyWarning(text, "unequal scales")


class TopShares(NamedTuple):
    """The distribution of the highest rows of the pool over the folds."""

    n_top: Index  # number of these rows in each fold
    n_rows: Index  # number of all rows in each fold


class TestedRows(NamedTuple):
    """The test rows of all folds."""

    fold: Index
    unit: Index  # the cluster of each row in its fold, or the row itself, numbered from 0

    @classmethod
    def from_units(cls, fold: Index, sampling_unit: Index) -> TestedRows:
        """Assign numbers to units; one that several folds test is a different unit in each."""
        fold_and_unit = fold * (sampling_unit.max() + 1) + sampling_unit
        return cls(fold, np.unique(fold_and_unit, return_inverse=True)[1])

    def unequal_shares(self, score: Float, labels: Float) -> TopShares | None:
        """Find the first set of top rows that the folds share too unequally to be chance, or None.

        A set has at most half of the rows, because lower rows hardly matter. Labels are 1 for
        positives, and nan if unknown.
        """
        n_positives = np.count_nonzero(labels == 1)
        n_rows = np.bincount(self.fold)
        fewest = FEWEST_TOP_ROWS * n_rows.size
        for size in TOP_SIZES:
            n_top = round(size * n_positives)
            if fewest <= n_top <= score.size / 2:
                lowest_score = np.partition(score, score.size - n_top)[score.size - n_top]
                is_top = score >= lowest_score
                if self.pvalue(is_top, labels) <= UNLIKE_SCALES_PVALUE / len(TOP_SIZES):
                    return TopShares(np.bincount(self.fold[is_top], minlength=n_rows.size), n_rows)
        return None

    def pvalue(self, is_top: Bool, labels: Float) -> float:
        """Compute the p-value of the folds' shares of the top, for units dealt to folds at random.

        Equation 16: the residual of a row is 1 if it is in the top and otherwise 0, minus the share
        of its class that is in the top. Residuals are summed within units. The share of their sum
        of squares between folds has approximately a beta distribution (Pitman 1937). For rows of
        one class, this is the chi-squared test of a table of folds.
        """
        label_class = np.nan_to_num(labels, nan=2).astype(np.intp)  # 2: the label is unknown
        share_of_class = np.bincount(label_class, is_top) / np.maximum(np.bincount(label_class), 1)
        # R_u, the sum of the residuals r_i of a unit's rows: (n_units,)
        residual = np.bincount(self.unit, is_top - share_of_class[label_class])
        size = np.bincount(self.unit).astype(np.float64)  # m_u
        n_units = residual.size
        fold_of_unit = np.zeros(n_units, np.intp)
        fold_of_unit[self.unit] = self.fold
        total_square = residual @ residual
        units_in_fold = np.bincount(fold_of_unit)  # n_k
        n_folds = units_in_fold.size
        if not 1 < n_folds < n_units or total_square < ABSOLUTE_TOLERANCE:
            return 1.0
        # GroupKFold gives large clusters their own folds. If rows of a cluster are alike, the
        # variance of the sum of such a fold grows with the square of the cluster's size.
        share_of_squares = np.bincount(fold_of_unit, size * size) / (size @ size)
        units_in_fold = np.maximum(units_in_fold, n_units * share_of_squares)
        between_folds = np.sum(np.bincount(fold_of_unit, residual) ** 2 / units_in_fold)
        share_between = between_folds / total_square  # B
        return float(beta.sf(share_between, (n_folds - 1) / 2, (n_units - n_folds) / 2))
