"""Warnings that a pool of folds is doubtful."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._types import Float
from sklearn_ap._uncertainty.former.tuned_constants import LARGE_SHIFT
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, add_name


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
    score_errors: Sequence[Float],
    reference: int,
    difference_errors: Mapping[int, Float],
) -> list[UncertaintyWarning]:
    """Warn of models whose shift is large beside the standard error of their difference.

    ``score_errors`` are the standard errors of scores, and ``difference_errors`` those of
    differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    # In units of the score
    score_shifts = [shift.size * errors for shift, errors in zip(shifts, score_errors, strict=True)]
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
