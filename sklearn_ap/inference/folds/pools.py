"""The test rows of all folds, pooled into one sample, and how much worse it ranks than they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import rankdata

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE
from sklearn_ap._counts.counting import count
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import as_column, take_rows
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.estimators import score_method
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores, check_weights
from sklearn_ap._inputs.rankings import Rankings, Sampling
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.doubt import Doubt, join_doubts, model_of
from sklearn_ap._scoring import low_scores
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name, RowData
from sklearn_ap._writing.text import count_as_text
from sklearn_ap._writing.warning import WarningName
from sklearn_ap.definitions import Step
from sklearn_ap.inference.doubts.score_doubts import (
    constant_columns,
    doubts_of_values,
    forgotten_queries,
)
from sklearn_ap.inference.folds.fold_predictions import (
    FoldPredictions,
    check_rows_of_folds,
    predict_folds,
)

FEWEST_TEST_ROWS = 2  # mean number of test rows per fold: fewer are leave-one-out
# Folds are warned of if pooling loses more than this number of standard errors. A limit that did
# not fall with the error would be too high: below it, a simulated pool of 200 positives lost one.
LARGE_LOSS = 0.5
# Folds of few positives lose that by chance. So the loss must also be as rare as this by chance:
# logistic regressions in stratified folds were then warned of in at most 4 of 100 samples.
BY_CHANCE = 0.015
UNLIKE_FOLDS = Doubt(
    name="unlike folds",
    text="The pool ranks worse than the models of its folds do. If folds differ in their "
    "proportion of positives, split with StratifiedKFold, or with StratifiedGroupKFold if rows "
    "belong to patients. Otherwise, scores may have another scale or level in each fold: compare "
    "with the pool of their ranks within folds, and keep this pool if it scores the same.",
    reason="the pool ranks worse than the models of its folds do",
    remedy="pool the ranks within folds",
)


@dataclass(frozen=True, kw_only=True)
class UnlikeMethods(Doubt):
    """Models of classes that are scored by decision values beside others by probabilities."""

    name: WarningName = "unlike methods"
    text: str = (
        "Some models score classes by decision_function, others by predict_proba, which may rank "
        "the rows of a class better. Pass response_method='predict_proba' to FoldPredictions."
    )
    is_of_pairs = True
    methods: Mapping[Name, set[str]] = field(hash=False)  # of each model

    def why_not(self, name: Name, other: Name) -> str:
        """Return the reason for models of both kinds."""
        used = set().union(*(self.methods.get(model_of(each), ()) for each in (name, other)))
        if len(used) < 2:
            return ""
        return (
            "classes are scored by decision values and by probabilities: pass "
            "response_method='predict_proba' first"
        )


class Pool(NamedTuple):
    """One sample: the rows of plain scores, or the test rows of all folds in their order."""

    request: Request  # with the scores of these rows
    doubts: list[Doubt]
    rows: Index | slice = slice(None)  # their numbers
    n_folds: int | None = None  # of plain scores


def refuse_beside_folds(**options: Argument) -> None:
    """Refuse options that folds do not allow."""
    for name, option in options.items():
        if option is not None:
            raise InputError(
                f"{name} does not go with FoldPredictions, whose rows all have labels and scores, "
                f"and whose models know their classes."
            )


def pool_models(
    requests: Sequence[Request], names: Sequence[str]
) -> tuple[list[Pool], list[Doubt]]:
    """Pool the folds of each model, and name the models whose pools are doubtful."""
    models = [request.y_score for request in requests]
    if names:
        _check_same_folds(dict(zip(names, models, strict=True)))
    pools = [pool_of(request) for request in requests]
    doubts = [*join_doubts([pool.doubts for pool in pools], names)]
    if pools[0].request.labels is not None:  # of three classes or more
        methods = {
            name: {score_method(fitted, each.response_method) for fitted in each._splits.estimators}
            for name, each in zip_longest(names, models)
            if isinstance(each, FoldPredictions)
        }
        if len(set().union(*methods.values())) > 1:
            doubts.append(UnlikeMethods(methods=methods))
    return pools, doubts


def _check_same_folds(models: Mapping[str, object]) -> None:
    """Refuse plain scores, and models that are tested on different folds."""
    first_name, first = next(iter(models.items()))
    for name, model in models.items():
        if not isinstance(model, FoldPredictions) or not isinstance(first, FoldPredictions):
            raise InputTypeError(
                f"y_scores must hold FoldPredictions of all models or of none, but those of "
                f"{name!r} are plain scores."
            )
        tested, first_tested = model._splits.test, first._splits.test
        has_same_number = len(tested) == len(first_tested)
        if not has_same_number or not all(map(np.array_equal, tested, first_tested)):
            raise InputError(
                f"The folds of {name!r} are not those of {first_name!r}. Pass cross_validate the "
                f"same splitter for each model, with a random_state if it shuffles."
            )


def pool_of(request: Request, segments: Index | None = None) -> Pool:
    """Pool the test rows of all folds, or take plain scores as they are.

    ``segments`` has the segment of each row, if each is ranked by itself.
    """
    predictions = request.y_score
    if not isinstance(predictions, FoldPredictions):
        forgotten = forgotten_queries([predictions], request.queries)
        n_rankings = 1 if request.queries is None else np.inf  # perhaps of one row each
        return Pool(request, [*doubts_of_values(predictions, n_rankings), *forgotten])
    columns = {name: getattr(request, name) for name in ("sample_weight", "queries", "clusters")}
    y_true = check_rows_of_folds(predictions, "y_true", cast(ArrayLike, request.y_true), **columns)
    tested = predictions._splits.test
    check_tested_once(tested, request.queries)
    folds = predict_folds(predictions, y_true, request.pos_label)
    rows = np.concatenate(tested)
    order = np.argsort(rows)
    rows = rows[order]
    pooled = replace(
        request,
        y_true=take_rows(y_true, rows),
        y_score=np.concatenate([np.asarray(each.y_score) for each in folds])[order],
        labels=folds[0].labels,
        **{name: take_rows(each, rows, name) for name, each in columns.items() if each is not None},
    )
    doubts = [*doubts_of_values(pooled.y_score), *_seen_clusters(request.clusters, predictions)]
    # What is doubtful already is not measured.
    if request.queries is None and request.average != "samples" and not doubts:
        fold = np.repeat(np.arange(len(folds)), [each.size for each in tested])[order]
        segments = np.zeros_like(rows) if segments is None else segments[rows]
        doubts += _odd_folds(pooled, fold, predictions._splits.names or range(len(folds)))
        if not doubts and _ranks_worse_than_folds(pooled, segments, fold):
            doubts.append(UNLIKE_FOLDS)
    return Pool(pooled, doubts, rows, len(folds))


def check_tested_once(tested: Sequence[Index], queries: RowData = None) -> None:
    """Refuse leave-one-out, and folds that test a row, or a query, again.

    Rows that are counted from the end could be others that are counted from 0.
    """
    if np.mean([rows.size for rows in tested]) < FEWEST_TEST_ROWS:
        raise InputError(
            "Most folds test a single row, as in leave-one-out, which puts positives below the "
            "rows of other folds. Use StratifiedKFold instead, or StratifiedGroupKFold for groups."
        )
    rows = np.concatenate(tested)
    if rows.min() < 0:
        raise InputError(
            f"Folds must number their rows from 0 on, but one tests row {rows.min()}. Let cv give "
            f"rows % n_rows."
        )
    if np.bincount(rows).max() > 1:
        raise InputError(
            "Several folds test a row, which then has several scores. Pass one repetition: "
            "cv=StratifiedKFold(5), in place of ShuffleSplit or RepeatedStratifiedKFold."
        )
    if queries is None:
        return
    codes, distinct = encode_names("queries", as_column("queries", queries))
    n_folds = np.bincount(np.concatenate([np.unique(codes[rows]) for rows in tested]))
    if n_folds.max() > 1:
        raise InputError(
            f"The query {list_names(distinct)[n_folds.argmax()]} is tested in several folds, so "
            f"several models rank its rows. Split with GroupKFold, once."
        )


def _seen_clusters(clusters: RowData, predictions: FoldPredictions) -> list[Doubt]:
    """Doubt clusters with training and test rows, in the fold that has most of them."""
    if clusters is None:
        return []
    codes, _ = encode_names("clusters", as_column("clusters", clusters))
    pairs = zip(predictions._splits.train, predictions._splits.test, strict=True)
    number = max(np.intersect1d(codes[train], codes[test]).size for train, test in pairs)
    if not number:
        return []
    text = (
        f"The training rows and the test rows of a fold share {count_as_text(number, 'cluster')}. "
        f"A model that has seen a patient scores this patient better than others. Split with "
        f"GroupKFold or StratifiedGroupKFold, and pass cross_validate the clusters as groups."
    )
    reason, remedy = "training rows and test rows share clusters", "split by cluster"
    return [Doubt(name="clusters in training", text=text, reason=reason, remedy=remedy)]


def _odd_folds(pool: Request, fold: Index, names: Sequence[Name]) -> list[Doubt]:
    """Doubt folds all of whose scores are equal, or whose scores rank negatives first.

    Folds that all rank negatives first are left to the check of the pool.
    """
    row, column, score, is_positive = _read_cells(pool)
    n_folds, n_columns = len(names), int(column.max(initial=0)) + 1
    fold_of_cells = column * n_folds + fold[row]
    order = np.argsort(fold_of_cells, kind="stable")
    row = row[order]
    weight = check_weights(pool.sample_weight, fold.size)
    units = row
    if pool.clusters is not None:
        units = encode_names("clusters", as_column("clusters", pool.clusters))[0][row]
    if n_columns > 1:
        names = [f"{name}, column {each}" for each in range(n_columns) for name in names]
    rankings = Rankings(
        positive=is_positive[order],
        score=score[order],
        weight=None if weight is None else weight[row],
        ranking=fold_of_cells[order],
        n_rankings=len(names),
        names=names,
        sampling=Sampling(n_rows=fold.size, columns="fold", clusters=units),
    )
    if constant := constant_columns(rankings):
        return constant
    counts = count(rankings.select_retrieved())
    values = np.nan_to_num(Step().values(counts))[None]
    reversed_ones = low_scores(Step(), counts, values, (rankings,))
    return [replace(doubt, about=()) for doubt in reversed_ones if doubt.about]


# ---- what the pool loses


def _ranks_worse_than_folds(pool: Request, segments: Index, fold: Index) -> bool:
    """Check whether a pool ranks clearly worse than the models of its folds do.

    Scores of another level or of another scale in each fold bring classes together in the pool. Its
    loss is how much farther they are apart within folds, in ROC area. Each column and each segment
    is ranked by itself.
    """
    row, column, score, is_positive = _read_cells(pool)
    ranking = column * (segments.max() + 1) + segments[row]
    ranking_within = ranking * (fold.max() + 1) + fold[row]
    distance, influence = _distance(score, is_positive, ranking)
    distance_within, influence_within = _distance(score, is_positive, ranking_within)
    # The rows of a cluster tell as much as one.
    units = row
    if pool.clusters is not None:
        units = encode_names("clusters", as_column("clusters", pool.clusters))[0][row]
    cell_units = [(column * fold.size + units)[flags] for flags in (~is_positive, is_positive)]
    root = np.sqrt([each.size / max(np.unique(each).size, 1) for each in cell_units])
    root = root[is_positive.astype(int)]
    error = np.linalg.norm(np.bincount(row, root * influence))
    # What chance adds is of pairs of rows, and counts for both rows of a pair.
    loss_influence = np.bincount(row, root * (influence_within - influence))
    by_chance = -ndtri(BY_CHANCE) * np.linalg.norm(loss_influence) / np.sqrt(2)
    least = max(LARGE_LOSS * error, by_chance)
    return bool(distance_within - distance > least + ABSOLUTE_TOLERANCE)


def _read_cells(pool: Request) -> tuple[Index, Index, Array, Bool]:
    """Return the row, the column, the score and the label of each cell that counts."""
    labelled = check_labelled_scores(pool.y_true, pool.y_score, pool.pos_label, pool.labels)
    score = labelled.score.reshape(len(labelled.score), -1)
    is_counted = np.ones(score.shape, bool)
    if labelled.is_known is not None:
        is_counted = labelled.is_known.reshape(score.shape)
    weight = check_weights(pool.sample_weight, len(score))
    if weight is not None:
        is_counted = is_counted & (weight > 0)[:, None]
    row, column = is_counted.nonzero()
    return row, column, score[is_counted], labelled.positive.reshape(score.shape)[is_counted]


def _distance(score: Float, is_positive: Bool, group: Index) -> tuple[float, Float]:
    """Compute the distance between the mean ranks in groups of both classes, and its influence.

    It is that of least squares. If each group has one class, its rows say nothing, and classes may
    be as far apart as can be.
    """
    rank = _shares_below(score, group)
    # At least 1, as a group may have no rows that count
    share = np.bincount(group, is_positive) / np.maximum(np.bincount(group), 1)
    centred = is_positive - share[group]
    square = centred @ centred
    if square <= ABSOLUTE_TOLERANCE:
        return 0.5, np.zeros(rank.size)
    distance = centred @ rank / square
    return float(distance), centred * (rank - 0.5 - distance * centred) / square


def _shares_below(score: Float, group: Index) -> Float:
    """Return the share of the rows of a group with lower scores, plus half of the same score."""
    # 1, 2, 2 and 3 of one group -> 0.125, 0.5, 0.5 and 0.875
    _, level = np.unique(score, return_inverse=True)
    n_rows = np.bincount(group)
    n_in_groups_before = np.cumsum(n_rows) - n_rows
    rank = rankdata(group * level.size + level) - n_in_groups_before[group]
    return np.asarray((rank - 0.5) / n_rows[group])
