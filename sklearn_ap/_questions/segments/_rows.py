"""The rows of segments, checked, and those of folds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_ap._base.inputs.arrays import Index
from sklearn_ap._base.inputs.checks import check_weights
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._folds.pooling import PooledFolds, Pooling, pool_folds
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition


def codes_that_weigh(codes: Index, sample_weight: Any) -> list[int]:
    """The codes of segments with a weight above 0, each once."""
    weight = check_weights(sample_weight, codes.size)
    return np.flatnonzero(np.bincount(codes, None if weight is None else weight > 0)).tolist()


def pool_of_folds(
    request: Request, folds: Any, pooling: Pooling, definition: Definition
) -> PooledFolds | None:
    """The rows of all folds, which have other models; None without folds."""
    if folds is None:
        if pooling != "scores":
            raise ValueError(f"pooling is of folds: pass folds beside pooling={pooling!r}.")
        return None
    given = {"y_score": request.y_score, "folds": folds}
    whole = replace(request, average="macro", queries=None)
    return pool_folds(given, None, whole, pooling, definition)


def warnings_of_folds(pool: PooledFolds, segment: Index) -> list[UncertaintyWarning]:
    """Say if scores of folds do not mean the same, unless each segment lies in one fold."""
    if pool.trained is None or pool.n_split:
        return pool.warnings()
    pairs = np.column_stack((segment, pool.trained.fold[pool.first]))
    is_mixed = len(np.unique(pairs, axis=0)) > np.unique(segment).size
    return pool.warnings() if is_mixed else []
