"""The test rows of all folds of a cross-validation, pooled into one sample.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, Protocol, TypeVar, cast

import numpy as np
from sklearn.utils import check_consistent_length

from sklearn_ap._base.text import Cases
from sklearn_ap._folds._cv_results import CheckedResults, Fold, predict_folds
from sklearn_ap._folds._ranks import order_by_ranks
from sklearn_ap._folds._training_prevalence import ComparedFolds, compared_folds
from sklearn_ap._folds.warnings import (
    Shift,
    seen_clusters,
    unequal_prevalence,
)
from sklearn_ap._inputs.arrays import check_same_order
from sklearn_ap._inputs.labels import known_labels
from sklearn_ap._inputs.names import check_names, encode_names
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Index, Name, RowData
from sklearn_ap._uncertainty.estimate import check_definition
from sklearn_ap._uncertainty.former.tuned_constants import (
    LARGE_SHIFT,
)
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition

Pooling = Literal["scores", "ranks"]

FEWEST_ROWS = 2  # mean number of test rows per fold: fewer are leave-one-out


class PooledResult(Protocol):
    """A result of a pool: a dataclass with these fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

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
    n_leaking_clusters: int  # clusters with both training and test rows in a fold
    compared: ComparedFolds | None  # None if rows of different folds are not compared

    @cached_property
    def row_order(self) -> Index:
        """The indices in the pool, in the order of row numbers."""
        return np.argsort(self.rows)

    def describe(self, result: AnyPooledResult) -> AnyPooledResult:
        """Complete the names and the cases of a result."""
        return replace(
            result,
            rankings=result.rankings or self.whole.ranking_names,
            cases=self.describe_cases(cast(Cases, result.cases)),
        )

    def describe_cases(self, cases: Cases) -> Cases:
        """Say that the cases are those of a pool of folds."""
        order = "" if self.pooling == "scores" else f" by {self.pooling}"
        if cases.n_averaged:  # the pool has arrays without names
            cases = cases._replace(averaged=self.whole.averaged_names)
        return cases._replace(folds=f"pool of {len(self.folds)} folds{order}")

    def rows_in_order(self) -> Request:
        """Return the rows of the pool in the order of row numbers."""
        return _take(self.pool, self.row_order)

    def warnings(self) -> list[UncertaintyWarning]:
        """Warn if models have seen clusters of their test rows, or if folds are not comparable.

        Comparability is not checked for queries, because their folds are not compared.
        """
        if self.n_leaking_clusters:
            return [seen_clusters(self.n_leaking_clusters)]
        if self.compared is None:
            return []
        if np.any(np.abs(self.shift.size) > LARGE_SHIFT):
            return [self.shift.warning()]
        return []

    @cached_property
    def shift(self) -> Shift:
        """The error of the pool's score that unequal prevalences of the folds cause."""
        if self.compared is None:
            return Shift(np.zeros(1), self._unequal_prevalence)
        size = self.compared.shifts(self.pool.y_score)
        if self.pool.average is not None and size.size > 1:
            size = self.compared.mean_shift(size)
        return Shift(size, self._unequal_prevalence)

    def _unequal_prevalence(self) -> UncertaintyWarning:
        return unequal_prevalence(
            uses_ranks=self.pooling == "ranks",
            has_clusters=self.folds[0].clusters is not None,
            is_table=np.ndim(self.pool.y_true) == 2,
            is_stratified=cast(ComparedFolds, self.compared).are_stratified,
        )


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
    _check_folds(folds, request.queries)
    predictions = folds[0].predictions
    pos_label = 1 if predictions["pos_label"] is None else predictions["pos_label"]
    request = replace(request, labels=predictions.get("labels"), pos_label=pos_label)
    compared = None
    if request.queries is None and request.average != "samples":  # rows of folds are compared
        compared = compared_folds(request, folds)
    rows = np.concatenate([fold.rows for fold in folds])
    fold_ends = np.cumsum([fold.rows.size for fold in folds])
    fold_indices = np.split(np.arange(rows.size), fold_ends[:-1])
    tested = _take(request, rows)
    scores = np.concatenate([np.asarray(fold.predictions["y_score"]) for fold in folds])
    scored = replace(tested, y_score=scores)
    pool = scored
    if compared is not None and pooling == "ranks":
        is_micro = request.average == "micro"
        ranks = order_by_ranks(scores, compared.fold, compared.weight, is_micro)
        pool = replace(tested, y_score=ranks)
    return PooledFolds(
        whole=whole,
        folds=[_take(scored, indices) for indices in fold_indices],
        pool=pool,
        pooling=pooling,
        definition=definition,
        rows=rows,
        n_leaking_clusters=_n_leaking_clusters(request.clusters, cv_results),
        compared=compared,
    )


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


def _check_folds(folds: list[Fold], queries: RowData) -> None:
    """Refuse leave-one-out, and repeated tests of a row, or of a query."""
    fold_rows = [fold.rows for fold in folds]
    if np.mean([rows.size for rows in fold_rows]) < FEWEST_ROWS:
        raise ValueError(
            "Most folds test a single row, as in leave-one-out. The model of a fold that tests a "
            "positive has seen one positive less than the others, which puts this row below those "
            "of the other folds. Use StratifiedKFold instead, or StratifiedGroupKFold for groups."
        )
    if np.bincount(np.concatenate(fold_rows)).max() > 1:
        raise ValueError(
            "Several folds test a row, which then has several scores. Pass one repetition: split "
            "with StratifiedKFold in place of RepeatedStratifiedKFold, or with n_repeats=1."
        )
    if queries is None:
        return
    names = check_names("queries", queries, len(queries))
    codes, distinct = encode_names(names, "queries")
    # The number of folds that test each query: (n_names,)
    n_folds = sum(
        np.bincount(np.unique(codes[rows]), minlength=distinct.size) for rows in fold_rows
    )
    if np.any(n_folds > 1):
        first_code = np.argmax(n_folds > 1)
        query = names[codes == first_code][0]
        raise ValueError(
            f"The query {query} is tested in several folds, so several models rank its rows. "
            f"Split with GroupKFold, once."
        )
