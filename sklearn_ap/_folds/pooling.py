"""The test rows of all folds of a cross-validation, pooled into one sample.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property, partial
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from sklearn.utils import check_consistent_length

from sklearn_ap._base.common.tuned_constants import (
    LARGE_OVERFIT,
    LARGE_SHIFT,
    OVERFIT_VARIANCE,
    POOL_VARIANCE_FACTOR,
)
from sklearn_ap._base.common.types import Array, FloatOrArray, Index, Name, RowData
from sklearn_ap._base.inputs.checks import check_same_order
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.request import PooledRequest, Request, check_models
from sklearn_ap._base.inputs.targets import known_labels
from sklearn_ap._base.text import Cases
from sklearn_ap._folds._cv_results import CheckedResults, Fold, predict_folds, predict_rows
from sklearn_ap._folds._ranks_and_odds import order_by_odds, order_by_ranks
from sklearn_ap._folds._training_prevalence import TrainedFolds, predicted_log_odds, trained_folds
from sklearn_ap._folds.models import RAW_SCORES
from sklearn_ap._folds.warnings import (
    OTHER_SLOPES,
    Shift,
    seen_clusters,
    unequal_prevalence,
)
from sklearn_ap._scores.scoring import score
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition, Step

Pooling = Literal["scores", "ranks", "odds"]

Question = Literal["models", "training"]

FEWEST_ROWS = 2  # mean number of test rows per fold: fewer are leave-one-out
ROWS_PER_SCORE = 4  # with more rows per distinct score, models give few scores


class PooledResult(Protocol):
    """A result of a pool: a dataclass with these fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    @property
    def n_positives(self) -> FloatOrArray: ...
    @property
    def n_effective(self) -> FloatOrArray: ...
    @property
    def rankings(self) -> tuple[Name, ...] | None: ...
    @property
    def cases(self) -> Cases | None: ...


AnyPooledResult = TypeVar("AnyPooledResult", bound=PooledResult)


@dataclass(frozen=True, eq=False)
class PooledFolds:
    """The test rows of each fold, and of all folds in one pool."""

    whole: Request  # all rows, as they were passed
    folds: list[Request]
    pool: Request
    pooling: Pooling
    definition: Definition
    rows: Index  # the number of each row of the pool
    n_repetitions: float  # the mean number of folds that test a row
    n_leaking_clusters: int  # clusters with both training and test rows in a fold
    trained: TrainedFolds | None  # None if rows of different folds are not compared
    estimate_overfit: Callable[[], float]  # a call, because only comparisons need to score again
    all_pools: tuple[PooledFolds, ...] = ()  # the pools of all models of a comparison

    def scores(self) -> Array | None:
        """Compute the score of each fold, as ``cross_val_score`` gives it; nan without positives.

        Return None if each query has its own score, because folds have different queries.
        """
        if self.pool.queries is not None and self.pool.average is None:
            return None
        return np.array([self._score(fold) for fold in self.folds])

    def _score(self, fold: Request) -> FloatOrArray:
        """Score a fold; nan if it has no positives.

        By default, a query or a class without positives counts as 0 where others have some.
        """
        if fold.sample_weight is not None and not np.any(fold.sample_weight):
            shape = np.shape(fold.y_score)[1:] if fold.average is None else ()
            return np.full(shape, np.nan)
        if fold.zero_division != "warn":
            return score(self.definition, fold, warns=False)
        # nan only if there are no positives at all
        value = score(self.definition, replace(fold, zero_division=np.nan), warns=False)
        if fold.queries is None and np.ndim(fold.y_score) == 1:
            return value
        value_with_zeros = score(self.definition, replace(fold, zero_division=0.0), warns=False)
        return np.where(np.isnan(value), np.nan, value_with_zeros)

    @cached_property
    def first_index(self) -> Index:
        """The index in the pool of each row; the first one of rows that several folds test."""
        return np.unique(self.rows, return_index=True)[1]

    def deduplicate(self, result: AnyPooledResult) -> AnyPooledResult:
        """Count each positive of a result once, and complete its names and cases.

        A row that several folds test is in the pool several times.
        """
        n_positives = result.n_positives
        if self.n_repetitions != 1:
            (rankings,) = check_models([self.distinct_rows()])  # also rows not retrieved
            n_hits = rankings.n_hits.astype(np.float64)
            n_positives = float(n_hits.sum()) if np.ndim(n_positives) == 0 else n_hits
        n_effective = result.n_effective
        if self.pool.average == "samples":  # then each row is a ranking
            n_effective = n_effective / self.n_repetitions
        return replace(
            result,
            n_positives=n_positives,
            n_effective=n_effective,
            rankings=result.rankings or self.whole.ranking_names,
            cases=self.deduplicate_cases(cast(Cases, result.cases), n_positives),
        )

    def deduplicate_cases(self, cases: Cases, n_positives: FloatOrArray) -> Cases:
        """Count each row once, and describe the pool."""
        order = "" if self.pooling == "scores" else f" by {self.pooling}"
        folds = f"pool of {len(self.folds)} folds{order}"
        n_rows = self.distinct_rows().n_rows
        if cases.n_averaged:  # the pool has arrays without names
            cases = cases._replace(averaged=self.whole.averaged_names)
        if isinstance(n_positives, np.ndarray):
            return cases._replace(n_rows=n_rows, folds=folds)
        share = np.nan if np.isnan(cases.share) else n_positives / n_rows
        return cases._replace(n_rows=n_rows, n_positives=n_positives, share=share, folds=folds)

    def distinct_rows(self) -> Request:
        """Select each row of the pool once, in the order of row numbers."""
        return _pooled_request(_take(self.pool, self.first_index), None)

    def warnings(self) -> list[UncertaintyWarning]:
        """Warn if models have seen clusters of their test rows, or if folds are not comparable.

        Comparability is not checked for queries, because their folds are not compared.
        """
        if self.n_leaking_clusters:
            return [seen_clusters(self.n_leaking_clusters)]
        if self.trained is None:
            return []
        if np.any(np.abs(self.shift.size) > LARGE_SHIFT):
            return [self.shift.warning()]
        return []

    @cached_property
    def shift(self) -> Shift:
        """The error of the pool's score that unequal prevalences of the folds cause."""
        if self.trained is None:
            return Shift(np.zeros(1), self._unequal_prevalence)
        if self.pooling == "odds":
            size = self.trained.odds_shifts()
        else:
            size = self.trained.shifts(self.pool.y_score)
        if self.pool.average is not None and size.size > 1:
            size = self.trained.mean_shift(size)
        return Shift(size, self._unequal_prevalence)

    def _unequal_prevalence(self) -> UncertaintyWarning:
        if self.pooling == "odds":
            return OTHER_SLOPES
        return unequal_prevalence(
            uses_ranks=self.pooling == "ranks",
            has_odds=not any(
                cast(TrainedFolds, pool.trained).why_no_odds() or pool._has_few_scores()
                for pool in self.all_pools or (self,)
            ),
            has_clusters=self.folds[0].clusters is not None,
            is_table=np.ndim(self.pool.y_true) == 2,
            is_stratified=cast(TrainedFolds, self.trained).are_stratified,
        )

    def _has_few_scores(self) -> bool:
        """Check whether many rows of the pool share each score."""
        scores = np.concatenate([np.ravel(fold.y_score) for fold in self.folds])
        return np.unique(scores).size * ROWS_PER_SCORE < scores.size


class PooledScores(NamedTuple):
    """Scores of the test rows of all folds."""

    pool: Array  # scores, ranks or odds that order the rows of the pool
    folds: Array  # scores that order the rows within their folds


def pool_folds(
    cv_results: CheckedResults,
    X: RowData,
    request: Request,
    pooling: Pooling,
    definition: Definition,
    name: str,
) -> PooledFolds:
    """Let each fold's model score its test rows, and pool them.

    ``request`` holds all rows of ``X``, without scores. ``name`` is the name of the labels in
    errors.
    """
    _check_request(request, pooling, definition, {name: request.y_true, "X": X})
    whole = request
    if np.shape(request.y_true)[1:] == (1,):
        request, cv_results = _as_one_column(request, cv_results)
    folds = predict_folds(cv_results, X, request.y_true, request.pos_label, name)
    _check_folds(folds, request.queries, definition)
    predictions = folds[0].predictions
    pos_label = 1 if predictions["pos_label"] is None else predictions["pos_label"]
    request = replace(request, labels=predictions.get("labels"), pos_label=pos_label)
    trained = None
    if request.queries is None and request.average != "samples":  # rows of folds are compared
        trained = trained_folds(cv_results, request, folds)
    scores = _pooled_scores(trained, X, request, folds, pooling)
    rows = np.concatenate([fold.rows for fold in folds])
    times_tested = np.bincount(rows)
    fold_ends = np.cumsum([fold.rows.size for fold in folds])
    fold_indices = np.split(np.arange(rows.size), fold_ends[:-1])
    tested = _take(request, rows)
    pool = replace(tested, y_score=scores.pool)
    rescored = replace(tested, y_score=scores.folds)
    return PooledFolds(
        whole=whole,
        folds=[_take(rescored, indices) for indices in fold_indices],
        pool=_pooled_request(pool, rows if times_tested.max() > 1 else None),
        pooling=pooling,
        definition=definition,
        rows=rows,
        n_repetitions=times_tested.sum() / np.count_nonzero(times_tested),
        n_leaking_clusters=_n_leaking_clusters(request.clusters, cv_results),
        trained=trained,
        estimate_overfit=partial(estimate_overfit, cv_results, X, request, folds),
    )


def _pooled_scores(
    trained: TrainedFolds | None,
    X: RowData,
    request: Request,
    folds: list[Fold],
    pooling: Pooling,
) -> PooledScores:
    """Compute the scores, ranks or odds that order the test rows."""
    scores = np.concatenate([np.asarray(fold.predictions["y_score"]) for fold in folds])
    is_micro = request.average == "micro"
    if trained is not None and pooling == "ranks":
        ranks = order_by_ranks(scores, trained.fold, trained.weight, is_micro)
        return PooledScores(pool=ranks, folds=scores)
    if trained is not None and pooling == "odds":
        log_odds = predicted_log_odds(trained, X, request, folds)
        relative_odds = trained.relative_odds(log_odds)
        odds_order = order_by_odds(scores, trained.fold, relative_odds, is_micro)
        if scores.ndim == 2:
            # The odds of a class depend on the other classes, so they rank rows differently than
            # decision values.
            scores = np.nan_to_num(log_odds)
        return PooledScores(pool=odds_order, folds=scores)
    return PooledScores(pool=scores, folds=scores)


def _pooled_request(tested: Request, copies: Index | None) -> PooledRequest:
    """Make a request of the test rows of all folds; ``copies`` are row numbers if some repeat."""
    arguments = {field.name: getattr(tested, field.name) for field in fields(Request)}
    return PooledRequest(**arguments, copies=copies)


def _n_leaking_clusters(clusters: RowData, cv_results: CheckedResults) -> int:
    """Count clusters with both training and test rows, in the fold that has most of them."""
    if clusters is None:
        return 0
    codes, _ = encode_names(check_names("clusters", clusters, len(clusters)), "clusters")
    fold_rows = zip(cv_results.train_rows, cv_results.test_rows, strict=True)
    return max(np.intersect1d(codes[train], codes[test]).size for train, test in fold_rows)


def _check_request(
    request: Request, pooling: Pooling, definition: Definition, rows: dict[str, RowData]
) -> None:
    """Refuse ``average`` that needs no pool, unlike orders of rows, and unlike lengths."""
    check_definition(definition)
    if pooling != "scores" and request.average == "samples":
        raise ValueError("average='samples' needs no pool: pass pooling='scores'.")
    check_same_order(
        **rows,
        sample_weight=request.sample_weight,
        queries=request.queries,
        clusters=request.clusters,
    )
    check_consistent_length(
        request.y_true, request.sample_weight, request.queries, request.clusters
    )


def _as_one_column(request: Request, cv_results: CheckedResults) -> tuple[Request, CheckedResults]:
    """Reshape labels of shape (n, 1) to (n,), and leave out rows whose label is unknown."""
    table, is_known = known_labels(request.y_true)
    request = replace(request, y_true=np.ravel(table))
    if is_known is None:
        return request, cv_results
    # The last entry is for row numbers beyond y, which are kept here and refused later.
    is_kept = np.append(is_known, True)

    def keep_known(fold_rows: list[Index]) -> list[Index]:
        return [rows[is_kept[np.minimum(rows, is_kept.size - 1)]] for rows in fold_rows]

    train_rows = keep_known(cv_results.train_rows)
    test_rows = keep_known(cv_results.test_rows)
    for number, rows in enumerate(test_rows):
        if not rows.size:
            raise ValueError(
                f"y has no known label in the test rows of fold {number}, so nothing is left to "
                f"score. Leave out the fold, or use fewer folds."
            )
    return request, cv_results._replace(train_rows=train_rows, test_rows=test_rows)


def _take(request: Request, rows: Index) -> Request:
    def take(array: RowData) -> RowData:
        return None if array is None else np.asarray(array)[rows]

    return replace(
        request,
        y_true=take(request.y_true),
        y_score=take(request.y_score),
        sample_weight=take(request.sample_weight),
        queries=take(request.queries),
        clusters=take(request.clusters),
    )


def _check_folds(folds: list[Fold], queries: RowData, definition: Definition) -> None:
    """Refuse leave-one-out, and repeated tests of a query, or of a row where ranks count."""
    fold_rows = [fold.rows for fold in folds]
    if np.mean([rows.size for rows in fold_rows]) < FEWEST_ROWS:
        raise ValueError(
            "Most folds test a single row, as in leave-one-out. The model of a fold that tests a "
            "positive has seen one positive less than the others, which puts this row below those "
            "of the other folds. Use StratifiedKFold instead, or StratifiedGroupKFold for groups."
        )
    if definition.depth is not None and np.bincount(np.concatenate(fold_rows)).max() > 1:
        raise ValueError(
            f"{definition!r} counts ranks, and several folds test a row, which then stands at "
            f"several ranks of the pool. Pass one cross-validation, without repetitions."
        )
    if queries is None:
        return
    names = check_names("queries", queries, len(queries))
    codes, n_names = encode_names(names, "queries")
    # The number of folds that test each query: (n_names,)
    n_folds = sum(np.bincount(np.unique(codes[rows]), minlength=n_names) for rows in fold_rows)
    if np.any(n_folds > 1):
        first_code = np.argmax(n_folds > 1)
        query = names[codes == first_code][0]
        raise ValueError(
            f"The query {query} is tested in several folds, so several models rank its rows. "
            f"Split with GroupKFold, once."
        )


def difference_factor(question: Question, overfits: Sequence[float]) -> float:
    """Compute the factor of the variance of a difference.

    Equation 15: the model that overfits most decides.
    """
    overfit = max(overfits)  # o
    return POOL_VARIANCE_FACTOR + OVERFIT_VARIANCE[question] * min(overfit / LARGE_OVERFIT, 1.0)


def estimate_overfit(
    cv_results: CheckedResults, X: RowData, request: Request, folds: list[Fold]
) -> float:
    """Estimate the share of the gain over chance on training rows that is lost on new rows.

    Equation 15: the overfit o. Each model scores those of its training rows that the fold before it
    tests. The overfit is 1 if there are none, or if scores were passed instead of models.
    """
    if cv_results.out_of_fold is not None:  # training rows have no scores
        return 1.0
    seen_rows = [
        np.intersect1d(train_rows, folds[number - 1].rows)
        for number, train_rows in enumerate(cv_results.train_rows)
    ]
    usable_folds = [number for number, rows in enumerate(seen_rows) if rows.size]
    if not usable_folds:
        return 1.0
    seen_folds = predict_rows(
        [cv_results.estimators[number] for number in usable_folds],
        [seen_rows[number] for number in usable_folds],
        X,
        request.y_true,
        request.pos_label,
        RAW_SCORES,
    )
    seen_score = _mean_score(request, seen_folds)
    new_score = _mean_score(request, folds)
    if np.isnan(seen_score) or np.isnan(new_score):  # no positives
        return 1.0
    gain = seen_score - _mean_score(request, [_tie_all(fold) for fold in seen_folds])
    if gain <= 0:
        return 0.0
    return float(np.clip((seen_score - new_score) / gain, 0.0, 1.0))


def _tie_all(fold: Fold) -> Fold:
    """Set all scores of a fold to 0."""
    return fold._replace(predictions={"y_score": np.zeros(np.shape(fold.predictions["y_score"]))})


def _mean_score(request: Request, folds: list[Fold]) -> float:
    """Compute the mean step average precision over folds with positives, and over columns."""
    y = np.asarray(request.y_true)
    fold_requests = [
        Request(
            y_true=y[fold.rows],
            y_score=fold.predictions["y_score"],
            pos_label=request.pos_label,
            labels=request.labels,
            zero_division=np.nan,
        )
        for fold in folds
    ]
    scores = [float(score(Step(), fold_request, warns=False)) for fold_request in fold_requests]
    defined_scores = [value for value in scores if not np.isnan(value)]
    return float(np.mean(defined_scores)) if defined_scores else np.nan
