"""The test rows of all folds of a cross-validation, pooled into one sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, cast

import numpy as np
from sklearn.utils import check_consistent_length

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.checks import check_same_order
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.request import PooledRequest, Request, check_models
from sklearn_ap._base.inputs.targets import known_labels
from sklearn_ap._base.text import Cases
from sklearn_ap._folds._cv_results import Fold, predict_folds, predict_rows
from sklearn_ap._folds._ranks_and_odds import order_by_odds, order_by_ranks
from sklearn_ap._folds._training_prevalence import TrainedFolds, log_odds_of, trained_folds
from sklearn_ap._folds.models import RAW_SCORES
from sklearn_ap._folds.warnings import (
    LARGE_SHIFT,
    LOST_BY_TIES,
    OTHER_SLOPES,
    TIED_RANKS,
    TIES_BROKEN_BY_ODDS,
    TIES_BROKEN_BY_POOLING,
    Shift,
    TestedRows,
    other_scales,
    seen_clusters,
    unequal_prevalence,
)
from sklearn_ap._scores.scoring import score
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition, Expected, Step

Pooling = Literal["scores", "ranks", "odds"]

LEAST_ROWS = 2  # of a fold, on average: fewer are leave-one-out
ROWS_PER_SCORE = 2  # of a fold, from which on its model gives few distinct scores
Question = Literal["models", "training"]
# Of the variance of a difference: for models that rank seen rows like new ones, and what is added
# for those that overfit. Choices under which at most 7 of 100 comparisons are wrong in
# benchmarks/cross_validation.py; 2.25 is also the factor of Nadeau and Bengio (2003) for 5 folds.
# They stand again in tests/crossings/uncertainty_reference.py, and change there, too.
LEAST_FACTOR = 1.25  # also of the score of a pool, as rows of one fold train models of others
MOST_ADDED: dict[str, float] = {"models": 0.5, "training": 1.0}
LARGE_OVERFIT = 0.4  # from which on the factor is the largest: a choice by the same simulation


@dataclass(frozen=True, eq=False)
class PooledFolds:
    """The test rows of each fold, and of all folds in one pool."""

    whole: Request  # all rows, as they were passed
    folds: list[Request]
    pool: Request
    pooling: Pooling
    definition: Definition
    rows: Index  # the number of each row of the pool
    n_repetitions: float  # how many folds test a row, on average
    n_split: int  # clusters that are in the training and the test rows of a fold
    trained: TrainedFolds | None  # None where rows of other folds are not compared
    overfit: Callable[[], float]  # it scores rows again, as comparisons do
    all_pools: tuple[PooledFolds, ...] = ()  # all models of a comparison

    def scores(self) -> Array | None:
        """The score of each fold, as ``cross_val_score`` gives it; nan without positives.

        None where each query has a score of its own, as folds have other queries.
        """
        if self.pool.queries is not None and self.pool.average is None:
            return None
        return np.array([self._score(fold) for fold in self.folds])

    def _score(self, fold: Request) -> Any:
        """By default, a query or a class without positives counts as 0, and a fold as nan."""
        if fold.sample_weight is not None and not np.any(fold.sample_weight):
            return np.full(np.shape(fold.y_score)[1:] if fold.average is None else (), np.nan)
        if fold.zero_division != "warn":
            return score(self.definition, fold, warns=False)
        value = score(self.definition, replace(fold, zero_division=np.nan), warns=False)
        if fold.queries is None and np.ndim(fold.y_score) == 1:
            return value
        given = score(self.definition, replace(fold, zero_division=0.0), warns=False)
        return np.where(np.isnan(value), np.nan, given)

    @cached_property
    def first(self) -> Index:
        """Where each row stands in the pool, the first time."""
        return np.unique(self.rows, return_index=True)[1]

    def deduplicated(self, result: Any) -> Any:
        """The result with each positive counted once, and with the names of rankings.

        A row that several folds test is in the pool several times.
        """
        n_positives = result.n_positives
        if self.n_repetitions != 1:
            (distinct,) = check_models([self.distinct_rows()])  # retrieved or not
            n_hits = distinct.n_hits.astype(np.float64)
            n_positives = float(n_hits.sum()) if np.ndim(n_positives) == 0 else n_hits
        times = self.n_repetitions if self.pool.average == "samples" else 1  # each row is a ranking
        return replace(
            result,
            n_positives=n_positives,
            n_effective=result.n_effective / times,
            rankings=result.rankings or self.whole.ranking_names,
            cases=self.deduplicated_cases(result.cases, n_positives),
        )

    def deduplicated_cases(self, cases: Cases, n_positives: Any) -> Cases:
        """What the pool rests on, each row counted once, and how it was made."""
        how = "" if self.pooling == "scores" else f" by {self.pooling}"
        n_rows, folds = self.distinct_rows().n_rows, f"pool of {len(self.folds)} folds{how}"
        if np.ndim(n_positives):
            return cases._replace(n_rows=n_rows, folds=folds)
        share = np.nan if np.isnan(cases.share) else n_positives / n_rows
        return cases._replace(n_rows=n_rows, n_positives=n_positives, share=share, folds=folds)

    def distinct_rows(self) -> Request:
        """The pool with each row once, in the order of their numbers."""
        return _pooled(_take(self.pool, self.first), None)

    def warnings(self) -> list[UncertaintyWarning]:
        """Say if models have seen clusters of their test rows, or if scores mean other things.

        The second is not checked for queries, as rows of different folds are not compared.
        """
        if self.n_split:
            return [seen_clusters(self.n_split)]
        if self.trained is None:
            return []
        have_other_odds = self.pooling == "odds" and np.ptp(self.trained.shares, axis=0).any()
        if have_other_odds and self._has_few_scores():
            return [TIES_BROKEN_BY_ODDS]
        if np.any(np.abs(self.shift.size) > LARGE_SHIFT):
            return [self.shift.warning()]
        if self.pooling == "ranks" and not isinstance(self.definition, Expected):
            if self._ranks_break_ties():
                return [TIES_BROKEN_BY_POOLING]
            return [TIED_RANKS] if self._lost_by_ties(self.trained) > LARGE_SHIFT else []
        return self._of_scales(self.trained) if self.pooling == "scores" else []

    @cached_property
    def shift(self) -> Shift:
        """How much too low the pool scores, as its folds differ in their prevalence."""
        if self.trained is None:
            return Shift(np.zeros(1), self._unequal_prevalence)
        by_odds = self.pooling == "odds"
        size = self.trained.shifts_of_odds() if by_odds else self.trained.shifts(self.pool.y_score)
        if self.pool.average is not None and size.size > 1:
            size = self.trained.of_mean(size)
        return Shift(size, self._unequal_prevalence)

    def _unequal_prevalence(self) -> UncertaintyWarning:
        if self.pooling == "odds":
            return OTHER_SLOPES
        return unequal_prevalence(
            by_ranks=self.pooling == "ranks",
            has_odds=not any(
                cast(TrainedFolds, pool.trained).why_no_odds() or pool._has_few_scores()
                for pool in self.all_pools or (self,)
            ),
            has_clusters=self.folds[0].clusters is not None,
            is_table=np.ndim(self.pool.y_true) == 2,
            is_stratified=cast(TrainedFolds, self.trained).are_stratified,
        )

    def _has_few_scores(self) -> bool:
        """Whether each score of the pool stands for many rows."""
        scores = np.concatenate([np.ravel(fold.y_score) for fold in self.folds])
        return np.unique(scores).size * ROWS_PER_SCORE**2 < scores.size

    def _ranks_break_ties(self) -> bool:
        """Whether a column has few scores in each fold, and more ranks in the pool than in each."""
        pooled = np.asarray(self.pool.y_score)
        columns = pooled.reshape(len(pooled), -1).T
        pairs = [(self._in_folds(i), np.unique(ranks).size) for i, ranks in enumerate(columns)]
        return any(
            _are_few(scores) and n > max(np.unique(each).size for each in scores)
            for scores, n in pairs
        )

    def _lost_by_ties(self, trained: TrainedFolds) -> float:
        """How much too low a pool of ranks scores, as those of different folds are tied.

        In standard errors: of the worst column, or the mean of columns that have one score.
        """
        ranks = np.reshape(self.pool.y_score, trained.labels.shape)
        pairs = zip(ranks.T, trained.labels.T, strict=True)
        of_columns = [
            np.count_nonzero(label == 1) ** -0.5 * tied_with_others(rank, trained.fold, label == 1)
            for rank, label in pairs
            if np.any(label == 1)
        ]
        if not of_columns:
            return 0.0
        together = max if self.pool.average is None else np.mean
        # A positive that is tested again is no more positives, but has as many rows beside it.
        return float(LOST_BY_TIES * together(of_columns) / np.sqrt(self.n_repetitions))

    def _in_folds(self, column: int) -> list[Float]:
        scores = [np.asarray(fold.y_score, dtype=np.float64) for fold in self.folds]
        return [each if each.ndim == 1 else each[:, column] for each in scores]

    def _of_scales(self, trained: TrainedFolds) -> list[UncertaintyWarning]:
        """A warning if scores of different folds are on other scales, or if ties are broken."""
        has_clusters = self.folds[0].clusters is not None
        rows = TestedRows.of(trained.fold, trained.sampling_unit)
        for column, labels in enumerate(trained.labels.T):
            scores = self._in_folds(column)
            if shares := rows.unequal_shares(np.concatenate(scores), labels):
                if not _are_few(scores):
                    return [other_scales(*shares, has_clusters)]
                return [] if isinstance(self.definition, Expected) else [TIES_BROKEN_BY_POOLING]
        return []


def tied_with_others(rank: Float, fold: Index, is_positive: Bool) -> float:
    """How many rows of other folds have the rank of a positive, on average.

    Ties of a model, and of rows that were not retrieved, are no ties of the pool alone.
    """
    place = np.unique(rank, return_inverse=True)[1]
    in_fold = np.unique(place * (fold.max() + 1) + fold, return_inverse=True)[1]
    n_own = np.bincount(in_fold)[in_fold]
    is_new = (n_own == 1) & (rank > -np.inf)
    return float(np.mean(np.where(is_new, np.bincount(place)[place] - 1, 0)[is_positive]))


def _are_few(scores: list[Float]) -> bool:
    """Whether the model of each fold gives few distinct scores."""
    return all(np.unique(each).size * ROWS_PER_SCORE < each.size for each in scores)


def pool_folds(
    cv_results: dict[str, Any],
    X: Any,
    request: Request,
    pooling: Pooling,
    definition: Definition,
    name: str,
) -> PooledFolds:
    """Let each fold's model score its test rows, and pool them.

    ``cv_results`` are checked, and ``request`` is of all rows of ``X``, which have no scores yet.
    ``name`` is what the user calls the labels.
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
    rows = np.concatenate([fold.rows for fold in folds])
    times = np.bincount(rows)
    places = np.split(np.arange(rows.size), np.cumsum([fold.rows.size for fold in folds])[:-1])
    given = np.concatenate([np.asarray(fold.predictions["y_score"]) for fold in folds])
    in_pool, in_folds, of_cells = given, given, request.average == "micro"
    if trained is not None and pooling == "ranks":
        in_pool = order_by_ranks(given, trained.fold, trained.weight, of_cells)
    elif trained is not None and pooling == "odds":
        log_odds = log_odds_of(trained, X, request, folds)
        odds = trained.relative_odds(log_odds)
        in_pool = order_by_odds(given, trained.fold, odds, of_cells)
        if given.ndim == 2:
            # They rank otherwise than decisions: the odds of a class have those of others in them.
            in_folds = np.nan_to_num(log_odds)
    tested = _take(request, rows)
    pool, tested = replace(tested, y_score=in_pool), replace(tested, y_score=in_folds)
    return PooledFolds(
        whole=whole,
        folds=[_take(tested, place) for place in places],
        pool=_pooled(pool, rows if times.max() > 1 else None),
        pooling=pooling,
        definition=definition,
        rows=rows,
        n_repetitions=times.sum() / np.count_nonzero(times),
        n_split=_n_split(request.clusters, cv_results["indices"]),
        trained=trained,
        overfit=partial(overfit_of, cv_results, X, request, folds),
    )


def _pooled(tested: Request, copies: Index | None) -> PooledRequest:
    """The test rows of all folds, with the row of each if several folds test some."""
    known = {field.name: getattr(tested, field.name) for field in fields(Request)}
    return PooledRequest(**known, copies=copies)


def _n_split(clusters: Any, indices: dict[str, Any]) -> int:
    """How many clusters are in the training and the test rows of a fold, in the worst fold."""
    if clusters is None:
        return 0
    names, _ = encode_names(check_names("clusters", clusters, len(clusters)), "clusters")
    pairs = zip(indices["train"], indices["test"], strict=True)
    return max(np.intersect1d(names[train], names[test]).size for train, test in pairs)


def _check_request(
    request: Request, pooling: Pooling, definition: Definition, rows: dict[str, Any]
) -> None:
    """Refuse what does not go together."""
    check_definition(definition)
    if pooling != "scores" and request.average == "samples":
        raise ValueError("average='samples' needs no pool: pass pooling='scores'.")
    names = "sample_weight", "queries", "clusters"
    beside = {name: getattr(request, name) for name in names}
    check_same_order(**rows, **beside)
    check_consistent_length(request.y_true, *beside.values())


def _as_one_column(request: Request, cv_results: dict[str, Any]) -> tuple[Request, dict[str, Any]]:
    """Labels of shape (n, 1) in one dimension; folds lack the rows whose label is unknown."""
    table, is_known = known_labels(request.y_true)
    request = replace(request, y_true=np.ravel(table))
    if is_known is None:
        return request, cv_results
    # What is not a row of y is kept, and refused later.
    kept = np.append(is_known, True)
    indices = {
        name: [rows[kept[np.minimum(rows, kept.size - 1)]] for rows in cv_results["indices"][name]]
        for name in ("train", "test")
    }
    for number, rows in enumerate(indices["test"]):
        if not rows.size:
            raise ValueError(
                f"y has no known label in the test rows of fold {number}, so nothing is left to "
                f"score. Leave out the fold, or use fewer folds."
            )
    return request, {**cv_results, "indices": indices}


def _take(request: Request, rows: Index) -> Request:
    def taken(array: Any) -> Any:
        return None if array is None else np.asarray(array)[rows]

    return replace(
        request,
        y_true=taken(request.y_true),
        y_score=taken(request.y_score),
        sample_weight=taken(request.sample_weight),
        queries=taken(request.queries),
        clusters=taken(request.clusters),
    )


def _check_folds(folds: list[Fold], queries: Any, definition: Definition) -> None:
    """Refuse leave-one-out, and rows at ranks and queries that are tested in several folds."""
    rows = [fold.rows for fold in folds]
    if np.mean([fold.size for fold in rows]) < LEAST_ROWS:
        raise ValueError(
            "Most folds test a single row, as in leave-one-out. The model of a fold that tests a "
            "positive has seen one positive less than the others, which puts this row below those "
            "of the other folds. Use StratifiedKFold instead, or StratifiedGroupKFold for groups."
        )
    if definition.depth is not None and np.bincount(np.concatenate(rows)).max() > 1:
        raise ValueError(
            f"{definition!r} counts ranks, and several folds test a row, which then stands at "
            f"several ranks of the pool. Pass one cross-validation, without repetitions."
        )
    if queries is None:
        return
    names = check_names("queries", queries, len(queries))
    codes, n_names = encode_names(names, "queries")
    n_folds = sum(np.bincount(np.unique(codes[each]), minlength=n_names) for each in rows)
    if np.any(n_folds > 1):
        raise ValueError(
            f"The query {names[codes == np.argmax(n_folds > 1)][0]} is tested in several folds, so "
            f"several models rank its rows. Split with GroupKFold, once."
        )


def difference_factor(of: Question, overfits: Sequence[float]) -> float:
    """What the variance of a difference is multiplied by; that of the model that overfits most."""
    return LEAST_FACTOR + MOST_ADDED[of] * min(max(overfits) / LARGE_OVERFIT, 1.0)


def overfit_of(cv_results: dict[str, Any], X: Any, request: Request, folds: list[Fold]) -> float:
    """How much of what a model gains over chance on rows that it has seen is lost on new ones.

    Each model scores the rows that the fold before it tests, as far as it was trained on them. It
    is 1 if there are none, or if only scores are known.
    """
    if "given" in cv_results:  # out of fold: what the models say of seen rows is not known
        return 1.0
    trains = cv_results["indices"]["train"]
    seen = [np.intersect1d(train, folds[i - 1].rows) for i, train in enumerate(trains)]
    known = [i for i, rows in enumerate(seen) if rows.size]
    if not known:
        return 1.0
    models, rows = [cv_results["estimator"][i] for i in known], [seen[i] for i in known]
    predicted = predict_rows(models, rows, X, request.y_true, request.pos_label, RAW_SCORES)
    on_seen, on_new = _mean_score(request, predicted), _mean_score(request, folds)
    if np.isnan(on_seen) or np.isnan(on_new):  # no positives
        return 1.0
    gained = on_seen - _mean_score(request, [_without_order(fold) for fold in predicted])
    if gained <= 0:
        return 0.0
    return float(np.clip((on_seen - on_new) / gained, 0.0, 1.0))


def _without_order(fold: Fold) -> Fold:
    """The same rows, which all score the same."""
    return fold._replace(predictions={"y_score": np.zeros(np.shape(fold.predictions["y_score"]))})


def _mean_score(request: Request, folds: list[Fold]) -> float:
    """The mean step average precision of folds that have positives, and of their columns."""
    y = np.asarray(request.y_true)
    requests = [
        Request(
            y_true=y[fold.rows],
            y_score=fold.predictions["y_score"],
            pos_label=request.pos_label,
            labels=request.labels,
            zero_division=np.nan,
        )
        for fold in folds
    ]
    values = [score(Step(), each, warns=False) for each in requests]
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else np.nan
