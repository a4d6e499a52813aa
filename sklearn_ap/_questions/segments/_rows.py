"""The rows of segments, checked, and those of folds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Index
from sklearn_ap._base.inputs.checks import check_same_order, check_weights
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import Request, check_models
from sklearn_ap._base.text import Cases, cases_of_rows
from sklearn_ap._folds.pooling import PooledFolds
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


def rows_of_segments(request: Request, segments: Any, definition: Definition) -> SegmentRows:
    """Check all rows, and rank those of each segment, with the scores of a pool of folds."""
    pool, y_score = None, request.y_score
    if isinstance(y_score, FoldPredictions):
        pool = _pool_of_segments(request, definition)
        check_same_order(X=y_score.X, segments=segments)
        request, y_score = pool.whole, pool.pool.y_score
    rows = "y_true", "y_score", "sample_weight", "clusters"
    check_same_order(**{name: getattr(request, name) for name in rows}, segments=segments)
    named = name_segments(segments, request.y_true, y_score)
    codes, warnings = named.codes, warnings_of_scores(request.y_score)
    if pool is not None:
        codes = codes[pool.rows[pool.first]]  # folds may leave rows out, which are then not there
        request = pool.distinct_rows()
        warnings = _warnings_of_folds(pool, codes)
    (rankings,) = check_models([replace(request, average=None, queries=codes)])
    cases = cases_of_rows(rankings)
    if pool is not None:
        cases = pool.deduplicated_cases(cases, cases.n_positives)
    weighing = _codes_that_weigh(codes, request.sample_weight)
    return SegmentRows(named, weighing, rankings, cases, warnings)


def _codes_that_weigh(codes: Index, sample_weight: Any) -> list[int]:
    """The codes of segments with a weight above 0, each once."""
    weight = check_weights(sample_weight, codes.size)
    return np.flatnonzero(np.bincount(codes, None if weight is None else weight > 0)).tolist()


def _pool_of_segments(request: Request, definition: Definition) -> PooledFolds:
    """The rows of all folds, which have other models, each once."""
    pool = pool_of(replace(request, average="macro"), definition)
    if pool.n_repetitions != 1:
        raise ValueError(
            "Several folds test a row, which then has several scores, and a segment ranks each row "
            "once. Pass one cross-validation, without repetitions."
        )
    return pool


def _warnings_of_folds(pool: PooledFolds, segment: Index) -> list[UncertaintyWarning]:
    """Say if scores are classes, or mean other things in other folds of a segment."""
    of_scores = warnings_of_scores(np.concatenate([fold.y_score for fold in pool.folds]))
    if pool.trained is None or pool.n_split:
        return of_scores + pool.warnings()
    pairs = np.column_stack((segment, pool.trained.fold[pool.first]))
    is_mixed = len(np.unique(pairs, axis=0)) > np.unique(segment).size
    return of_scores + (pool.warnings() if is_mixed else [])
