"""What makes a pool of folds doubtful: its warnings, and what tells scores of other scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.arrays import EQUAL
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, add_model_name

# Choices; benchmarks/cross_validation.py, column "warned", says how often pools are warned of.
LEAST_PVALUE = 1e-3  # a false positive in 1,000 cross-validations, for all tops together
TOPS = 0.5, 1, 2, 4  # how many times the positives
LEAST_IN_TOP = 4  # rows of a fold, on average: a chi-squared test wants some 5 (Cochran 1954)
# Of a pool, in standard errors of the score or of the difference. With a line that does not fall
# with the error, a pool of 200 positives lost a standard error below it.
LARGE_SHIFT = 0.5

# How much too low a pool of ranks scores, where t rows of other folds are tied with each of N
# positives: in standard errors, over t / sqrt(N). A choice: it was .12 to .28 of normal scores with
# 50 or 200 positives in 10 to 50 folds.
LOST_BY_TIES = 0.2

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

    def of(self, model: str) -> Shift:
        """The same with the name of the model before its warning."""
        return self._replace(warning=lambda: add_model_name(model, self.warning()))


def seen_clusters(number: int) -> UncertaintyWarning:
    """Models score clusters that they have seen."""
    several = "clusters are" if number > 1 else "cluster is"
    text = (
        f"{number} {several} in the training rows and in the test rows of a fold. A model that has "
        f"seen a patient scores this patient better than others. Split with GroupKFold or "
        f"StratifiedGroupKFold, and pass cross_validate the clusters as groups, or as "
        f"params={{'groups': clusters}}."
    )
    return UncertaintyWarning(text, "clusters in training")


def unequal_prevalence(
    by_ranks: bool, has_odds: bool, has_clusters: bool, is_table: bool, is_stratified: bool
) -> UncertaintyWarning:
    """The folds differ in their positives, and scores or ranks follow that."""
    why = (
        "pooling='ranks' assumes that they do not"
        if by_ranks
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
    way = f"Pass pooling='odds', or {split}" if has_odds else split[0].upper() + split[1:]
    text = (
        f"The folds differ in their proportion of positives, and {why}. The pool then ranks worse "
        f"than each model does. {way}."
    )
    return UncertaintyWarning(text, "unequal prevalence")


def shifted_differences(
    shifts: Sequence[Shift],
    uncertainties: Sequence[Uncertainty],
    reference: int,
    of_others: Mapping[int, Any],
) -> list[UncertaintyWarning]:
    """Warnings that name models whose shift is large against the error of a difference.

    ``of_others`` has the errors of the differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    pairs = zip(shifts, uncertainties, strict=True)
    too_high = [shift.size * uncertainty.standard_error for shift, uncertainty in pairs]
    warnings = []
    for i, error in of_others.items():
        is_large = np.abs(too_high[i] - too_high[reference]) > LARGE_SHIFT * error
        if np.any(is_large):
            most = np.abs(too_high[i][is_large]).max() > np.abs(too_high[reference][is_large]).max()
            warnings.append(shifts[i if most else reference].warning())
    return warnings


def other_scales(n_top: Index, n_rows: Index, has_clusters: bool) -> UncertaintyWarning:
    """The folds share the highest rows unequally."""
    most, least = np.argmax(n_top / n_rows), np.argmin(n_top / n_rows)
    of_patients = "" if has_clusters else " If rows belong to patients, pass clusters."
    text = (
        f"The scores of the folds do not mean the same: of the {n_top.sum()} highest test rows, "
        f"{n_top[most]} are from fold {most} and {n_top[least]} from fold {least}. A pool of such "
        f"scores ranks worse than each model does. Pass pooling='ranks' if the folds have about "
        f"the same proportion of positives, or calibrate the models.{of_patients}"
    )
    return UncertaintyWarning(text, "unequal scales")


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
