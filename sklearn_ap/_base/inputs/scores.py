"""Scores must be numbers: nan is refused, and minus infinity is for rows not retrieved."""

from collections.abc import Mapping

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_array

from sklearn_ap._base.common.types import Argument, Array
from sklearn_ap._base.inputs.checks import check_numbers, name_in_errors

NOT_RETRIEVED = "The score of a row that was not retrieved is -inf."
NOT_SCORED = "Leave out rows that no model scored."
NOT_LABELLED = "A cell whose label is nan may have any score, such as 0."


def check_scores(y_score: Argument) -> Array:
    """Check numbers or minus infinity; return them in a dtype that sorts fast and is exact."""
    with name_in_errors("y_score"):
        try:
            score = check_array(
                y_score,
                dtype=None,
                ensure_all_finite=False,
                allow_nd=True,
                ensure_2d=False,
                ensure_min_samples=0,
                ensure_min_features=0,
            )
        except (TypeError, ValueError):
            check_numbers("y_score", y_score)  # its error says more
            raise
    if score.ndim == 0:
        if isinstance(y_score, Mapping):
            raise TypeError(
                "y_score must be an array, got the scores of several models. Pass those of one, or "
                "all to compare_average_precision. To draw several, pass ax= of the first display."
            )
        raise ValueError(f"y_score must be an array, got {y_score!r}.")
    if score.ndim > 2:
        raise ValueError(
            f"y_score must have one or two dimensions, got {score.ndim}. Stack the list of a "
            f"multilabel predict_proba with np.column_stack([p[:, 1] for p in proba])."
        )
    with name_in_errors("y_score"):
        score = check_numbers("y_score", score, "biuf")
        if score.dtype == bool:
            score = score.view(
                np.uint8
            )  # with signed ones, uint64 of another chunk would become floats
        try:
            # Minus infinity, for rows not retrieved, is the only infinite score that is allowed.
            assert_all_finite(np.maximum(score, 0), input_name="y_score")
        except ValueError as error:
            remedy = NOT_LABELLED if np.ndim(score) == 2 else NOT_SCORED
            raise ValueError(f"{error} {NOT_RETRIEVED} {remedy}") from error
    return score
