"""The rows of segments, checked, and those of folds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.inputs.arrays import Index
from sklearn_ap._base.inputs.checks import check_weights, same_order
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import Request, check_models
from sklearn_ap._base.text import Cases, cases_of_rows
from sklearn_ap._folds.pooling import PooledFolds, Pooling
from sklearn_ap._folds.predictions import FoldPredictions, pool_of
from sklearn_ap._questions.segments.names import Segments, name_segments
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warnings_of_scores
from sklearn_ap.definitions import Definition


class SegmentRows(NamedTuple):
    """The rows of segments, of which each is a ranking."""

    segments: Segments
    codes: list[int]  # of the segments that have rows with a weight
    rankings: Rankings
    cases: Cases
    warnings: list[UncertaintyWarning]


def rows_of_segments(
    request: Request, segments: Any, folds: Any, pooling: Pooling, definition: Definition
) -> SegmentRows:
    """Check all rows, and rank those of each segment, with the scores of a pool of folds."""
    same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        segments=segments,
        sample_weight=request.sample_weight,
        clusters=request.clusters,
        folds=folds,
    )
    named = name_segments(segments, request.y_true, request.y_score)
    request = replace(request, queries=named.codes)
    pool = _pool_of_folds(request, folds, pooling, definition)
    warnings = warnings_of_scores(request.y_score)
    if pool is not None:
        request = replace(request, y_score=pool.pool.y_score[pool.first])
        warnings += _warnings_of_folds(pool, named.codes)
    (rankings,) = check_models([request])
    codes = _codes_that_weigh(named.codes, request.sample_weight)
    cases = cases_of_rows(rankings)
    if pool is not None:
        cases = pool.deduplicated_cases(cases, cases.n_positives)
    return SegmentRows(named, codes, rankings, cases, warnings)


def _codes_that_weigh(codes: Index, sample_weight: Any) -> list[int]:
    """The codes of segments with a weight above 0, each once."""
    weight = check_weights(sample_weight, codes.size)
    return np.flatnonzero(np.bincount(codes, None if weight is None else weight > 0)).tolist()


def _pool_of_folds(
    request: Request, folds: Any, pooling: Pooling, definition: Definition
) -> PooledFolds | None:
    """The rows of all folds, which have other models; None without folds."""
    if folds is None:
        if pooling != "scores":
            raise ValueError(f"pooling is of folds: pass folds beside pooling={pooling!r}.")
        return None
    given = {"y_score": request.y_score, "folds": folds}
    predictions = FoldPredictions(given, pooling=pooling)
    return pool_of(replace(request, y_score=predictions, average="macro", queries=None), definition)


def _warnings_of_folds(pool: PooledFolds, segment: Index) -> list[UncertaintyWarning]:
    """Say if scores of folds do not mean the same, unless each segment lies in one fold."""
    if pool.trained is None or pool.n_split:
        return pool.warnings()
    pairs = np.column_stack((segment, pool.trained.fold[pool.first]))
    is_mixed = len(np.unique(pairs, axis=0)) > np.unique(segment).size
    return pool.warnings() if is_mixed else []
