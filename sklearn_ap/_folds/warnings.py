"""Warnings that a pool of folds is doubtful, and the test whether its folds have one scale."""

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
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, add_model_name

# Rows of a fold in a top, on average: a chi-squared test wants some 5 (Cochran 1954).
FEWEST_TOP_ROWS = 4

TIES_BROKEN_BY_POOLING = UncertaintyWarning(
    "Each fold's model gives few distinct scores, and those of other folds lie between them. The "
    "pool has fewer ties than the ranking of each model, so its score is usually too high. Pass "
    "definition=Expected(), which breaks ties at random and takes no weights and no prevalence.",
    "broken ties",
)
TIES_BROKEN_BY_ODDS = UncertaintyWarning(
    "The models give few distinct probabilities, and odds differ from fold to fold. The pool has "
    "fewer ties than the ranking of each model, so its score is usually too high. Split with "
    "StratifiedKFold or StratifiedGroupKFold, and pass pooling='scores'.",
    "broken ties",
)
TIED_RANKS = UncertaintyWarning(
    "The folds are so small that many of their ranks are tied with those of other folds. The "
    "pooled score is usually too low. Split into fewer folds, or pass definition=Expected(), which "
    "breaks ties at random and takes no weights and no prevalence.",
    "tied ranks",
)
OTHER_SLOPES = UncertaintyWarning(
    "The folds differ much in their proportion of positives. Odds correct most of that, but if the "
    "models are strongly shrunken, as by a small C, the pool still ranks worse than each model "
    "does. Split with StratifiedKFold or StratifiedGroupKFold.",
    "shrunken models",
)


class Shift(NamedTuple):
    """How much too low a pool of folds scores, and the warning of it."""

    size: Float  # negative, in standard errors of each score
    warning: Callable[[], UncertaintyWarning]

    def name_model(self, model: str) -> Shift:
        """Put the name of the model before the warning."""
        return self._replace(warning=lambda: add_model_name(model, self.warning()))


def seen_clusters(number: int) -> UncertaintyWarning:
    """Warn that models score clusters that they have seen."""
    clusters_are = "clusters are" if number > 1 else "cluster is"
    text = (
        f"{number} {clusters_are} in the training rows and in the test rows of a fold. A model "
        f"that has seen a patient scores this patient better than others. Split with GroupKFold or "
        f"StratifiedGroupKFold, and pass cross_validate the clusters as groups, or as "
        f"params={{'groups': clusters}}."
    )
    return UncertaintyWarning(text, "clusters in training")


def unequal_prevalence(
    uses_ranks: bool, has_odds: bool, has_clusters: bool, is_table: bool, is_stratified: bool
) -> UncertaintyWarning:
    """Warn that the folds differ in their positives, and that scores or ranks follow that."""
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
    remedy = f"Pass pooling='odds', or {split}" if has_odds else split[0].upper() + split[1:]
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
    """Warn of models whose shift is large against the error of a difference, by their names.

    ``difference_errors`` are the standard errors of the differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    # In units of the score.
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
            # The warning is that of the pool with the larger shift.
            worst_of_model = np.abs(model_shift[is_large]).max()
            worst_of_reference = np.abs(reference_shift[is_large]).max()
            shift = shifts[model if worst_of_model > worst_of_reference else reference]
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
    """How the folds share the highest rows of the pool."""

    n_top: Index  # the number of the highest rows in each fold
    n_rows: Index  # the number of all rows of each fold


class TestedRows(NamedTuple):
    """The test rows of all folds."""

    fold: Index
    unit: Index  # the cluster of each row in its fold, or the row itself, numbered from 0

    @classmethod
    def from_units(cls, fold: Index, sampling_unit: Index) -> TestedRows:
        """Give the units numbers; one that several folds test is another unit in each."""
        fold_and_unit = fold * (sampling_unit.max() + 1) + sampling_unit
        return cls(fold, np.unique(fold_and_unit, return_inverse=True)[1])

    def unequal_shares(self, score: Float, labels: Float) -> TopShares | None:
        """Find the first top that the folds share too unequally; None if chance can do it.

        A top has at most half of the rows: what is below hardly matters. Labels are 1 for
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
        """Compute how often chance shares a top at least so unequally, if units are dealt to folds.

        Equation 16: the residual of a row is whether it is in the top, minus the share of its class
        that is. Of the squares of the units' sums, the part between folds has nearly a beta
        distribution (Pitman 1937). For rows of one class, this is the chi-squared test of a table
        of folds.
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
        # GroupKFold deals large clusters to folds of their own, whose sums vary as these clusters
        # do: by the square of the size, if rows of a cluster are alike.
        share_of_squares = np.bincount(fold_of_unit, size * size) / (size @ size)
        units_in_fold = np.maximum(units_in_fold, n_units * share_of_squares)
        between_folds = np.sum(np.bincount(fold_of_unit, residual) ** 2 / units_in_fold)
        share_between = between_folds / total_square  # B
        return float(beta.sf(share_between, (n_folds - 1) / 2, (n_units - n_folds) / 2))
