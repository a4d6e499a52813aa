"""Scores: which numbers they may be, and whether they look like predicted classes."""

import numpy as np

from sklearn_ap._inputs.arrays import check_numbers, to_numpy
from sklearn_ap._types import Argument, Array, RowData

FIRST_SCORES = 10  # if these are no classes, nor are all scores
NOT_RETRIEVED = "The score of a row that was not retrieved is -inf."


def check_scores(y_score: Argument, name: str = "y_score") -> Array:
    """Check numbers or minus infinity; return them in a dtype that sorts fast and is exact."""
    score = check_numbers(name, y_score, "biuf")
    if score.ndim == 0:
        raise ValueError(f"{name} must be an array, got {y_score!r}.")
    if score.ndim > 2:
        raise ValueError(
            f"{name} must have one or two dimensions, got {score.ndim}. Stack the list of a "
            f"multilabel predict_proba with np.column_stack([p[:, 1] for p in proba])."
        )
    # Minus infinity, for rows not retrieved, is the only infinite score that is allowed.
    if not (score < np.inf).all():
        found = "NaN" if np.isnan(score).any() else "infinity"
        remedy = "Leave out rows that no model scored."
        if score.ndim == 2:
            remedy = "A cell whose label is nan may have any score, such as 0."
        raise ValueError(f"Input {name} contains {found}. {NOT_RETRIEVED} {remedy}")
    return score if score.itemsize >= 4 else widened(score)


def widened(score: Array) -> Array:
    """Widen bools and numbers of 8 or 16 bits, which take longer to sort than those of 32."""
    # Signed integers beside uint64 of another chunk would become floats.
    return score.astype({"f": np.float32, "i": np.int32}.get(score.dtype.kind, np.uint32))


def predicted_class_remarks(y_score: Argument) -> list[str]:
    """Return a remark if scores of more than a few rows are only 0 and 1, or only -1 and 1."""
    try:
        scores = np.asarray(y_score).ravel()
        first_scores = {*scores[:FIRST_SCORES].tolist()} - {-np.inf}
    except Exception:  # other checks raise the error
        return []
    if scores.size <= FIRST_SCORES or not (first_scores <= {0, 1} or first_scores <= {-1, 1}):
        return []
    if scores.max() > 1:
        return []
    distinct = np.unique(scores[scores != -np.inf]).tolist()
    if distinct not in ([0, 1], [-1, 1]):
        return []
    return [
        f"All scores are {distinct[0]:g} or {distinct[1]:g}. These look like predicted "
        f"classes: pass decision values, or the column of predict_proba for the positive class."
    ]


def check_not_classes(y_true: RowData, y_score: RowData, *, are_classes: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``are_classes`` if the caller knows them."""
    labels = np.asarray(to_numpy("y_true", y_true))
    scores = np.asarray(to_numpy("y_score", y_score))
    if are_classes or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise ValueError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )
