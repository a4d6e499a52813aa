"""Results of cross_validate or scores out of fold, checked; and the predictions of each fold."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags, indexable

from sklearn_ap._extras import warn
from sklearn_ap._folds.models import RAW_SCORES, check_labels, predict
from sklearn_ap._inputs.arrays import (
    check_numbers,
    check_same_length,
    check_same_order,
    name_in_errors,
    to_numpy,
)
from sklearn_ap._inputs.labels import SHOWN, check_known, positive_label, refuse_columns
from sklearn_ap._inputs.names import check_names, encode_names, list_names
from sklearn_ap._types import (
    Argument,
    Array,
    Estimator,
    Index,
    Keywords,
    Label,
    RowData,
)

OUT_OF_FOLD = "{'y_score': scores, 'folds': numbers of folds}, and None for X"
HOW_TO_VALIDATE = "cross_validate(model, X, y, cv=5, return_estimator=True, return_indices=True)"


class CheckedResults(NamedTuple):
    """The models and the rows of the folds of a cross-validation."""

    estimators: Sequence[Estimator]  # one per fold
    train_rows: list[Index]  # one array per fold
    test_rows: list[Index]  # one array per fold
    # y_score and folds, if the user passed them in the place of models
    out_of_fold: Mapping[str, RowData] | None = None


class Fold(NamedTuple):
    """The test rows of one fold, and the predictions of its model for them."""

    rows: Index
    predictions: Keywords  # y_true, y_score and options, as ``predict`` returns them


def check_cv_results(cv_results: Argument) -> CheckedResults:
    if not isinstance(cv_results, Mapping):
        raise TypeError(
            f"cv_results must be what cross_validate returns, got {type(cv_results).__name__}. "
            f"Call {HOW_TO_VALIDATE}. Of out-of-fold scores, pass {OUT_OF_FOLD}."
        )
    if "estimator" not in cv_results and any("fold" in str(name) for name in cv_results):
        return _check_out_of_fold_scores(cv_results)
    refuse_search(cv_results)
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            f"cv_results has {', '.join(map(str, cv_results))}, but it must hold the fitted models "
            f"and the test rows, too. Call {HOW_TO_VALIDATE}. Of out-of-fold scores, pass "
            f"{OUT_OF_FOLD}."
        )
    estimators = cv_results["estimator"]
    indices = cv_results["indices"]
    n_folds = len(estimators)
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        raise ValueError(
            f"cv_results['indices'] must hold the rows of 'train' and 'test'. Call "
            f"{HOW_TO_VALIDATE}."
        )
    train_rows = [_row_numbers(rows) for rows in indices["train"]]
    test_rows = [_row_numbers(rows) for rows in indices["test"]]
    if not n_folds or len(train_rows) != n_folds or len(test_rows) != n_folds:
        raise ValueError(
            f"cv_results has {n_folds} fitted models, {len(train_rows)} train sets and "
            f"{len(test_rows)} test sets. It must have one of each for each fold."
        )
    return CheckedResults(estimators, train_rows, test_rows)


def refuse_search(cv_results: Argument) -> None:
    """Refuse the results of a hyperparameter search, which are not those of a single model."""
    if isinstance(cv_results, Mapping) and isinstance(cv_results.get("params"), Sequence):
        raise ValueError(
            "cv_results are those of a search, which keeps no models of folds. Pass the search "
            "itself to cross_validate, as cross_validate(search, X, y, return_estimator=True, "
            "return_indices=True): each fold then chooses anew."
        )


class OutOfFold:
    """A stand-in for the model of a fold, of which only the scores of test rows are known."""


def _check_out_of_fold_scores(cv_results: Mapping[str, RowData]) -> CheckedResults:
    """Check scores and the fold of each row, and convert them to results with stand-in models."""
    if {*cv_results} != {"y_score", "folds"}:
        raise ValueError(
            f"cv_results of scores that are out of fold must be {OUT_OF_FOLD}, got the keys "
            f"{', '.join(map(str, cv_results))}."
        )
    scores = check_numbers("y_score", cv_results["y_score"])
    names = check_names("folds", cv_results["folds"], len(scores))
    if names is None:
        raise ValueError("folds must hold the fold of each row, got None.")
    codes, distinct = encode_names(names, "folds")
    n_folds = distinct.size
    if n_folds == 1:
        raise ValueError(
            f"folds must name two folds at least, got {list_names(distinct)[0]!r} in every row: "
            f"the model of a fold has seen the rows of the others."
        )
    return CheckedResults(
        estimators=[OutOfFold()] * n_folds,
        train_rows=[np.flatnonzero(codes != fold) for fold in range(n_folds)],
        test_rows=[np.flatnonzero(codes == fold) for fold in range(n_folds)],
        out_of_fold=dict(cv_results),
    )


def _row_numbers(rows: Argument) -> Index:
    """Check the numbers of rows, which a splitter may return as a list or as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        return np.flatnonzero(rows)
    if not rows.size or rows.dtype.kind not in "iu" or rows.min() < 0:
        raise ValueError(
            "cv_results['indices'] must hold the numbers of rows, from 0 on, at least one in each "
            f"fold, got {rows.tolist()[:SHOWN]}."
        )
    return rows


def check_rows(cv_results: CheckedResults, X: RowData, y: RowData, name: str = "y") -> None:
    """Refuse results with rows that ``X`` or ``y`` does not have; ``y`` may be None.

    ``name`` is the name of the labels in errors.
    """
    if cv_results.out_of_fold is not None:
        _check_out_of_fold_rows(cv_results.out_of_fold, X, {} if y is None else {name: y})
        return
    if X is None:
        raise TypeError(
            "X must be what was cross-validated, as the models of folds score its rows, got None."
        )
    check_same_order(**{name: y}, X=X)
    with name_in_errors(f"X and {name}"):
        X, y = indexable(X, y)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    last = max(test_rows.max() for test_rows in cv_results.test_rows)
    if last >= n_rows:
        raise ValueError(f"X has {n_rows} rows, but cv_results has row {last}.")


def _check_out_of_fold_rows(
    out_of_fold: Mapping[str, RowData], X: RowData, labels: Mapping[str, RowData]
) -> None:
    if X is not None:
        raise ValueError(
            f"X must be None beside out-of-fold scores, which are all that is ranked, got "
            f"{type(X).__name__}. To let the models of folds score X, call {HOW_TO_VALIDATE}."
        )
    if labels:
        check_same_order(**labels, **out_of_fold)
        arguments = {**labels, "y_score": out_of_fold["y_score"]}
        arrays = {name: np.asarray(to_numpy(name, rows)) for name, rows in arguments.items()}
        check_same_length(**arrays)


def predict_folds(
    cv_results: CheckedResults,
    X: RowData,
    y: RowData,
    pos_label: Label,
    name: str = "y",
    methods: tuple[str, ...] = RAW_SCORES,
) -> list[Fold]:
    """Let the model of each fold of checked results score its test rows."""
    if np.ndim(y) == 1:
        check_known(name, y)
    if cv_results.out_of_fold is not None:
        y_score = cv_results.out_of_fold["y_score"]
        return _out_of_fold_predictions(cv_results.test_rows, y, y_score, pos_label)
    _warn_of_other_rows(cv_results, np.shape(y)[0])
    return predict_rows(cv_results.estimators, cv_results.test_rows, X, y, pos_label, methods)


def _out_of_fold_predictions(
    test_rows: list[Index], y: RowData, y_score: RowData, pos_label: Label
) -> list[Fold]:
    y = np.asarray(y)
    scores = np.asarray(to_numpy("y_score", y_score))
    if y.ndim == 1 and scores.shape[1:] == (1,):
        scores = scores.ravel()
    options: Keywords = {"pos_label": pos_label}
    if y.ndim == 1:
        classes = np.unique(y)
        has_column_per_class = scores.shape[1:] == (2,) and classes.size <= 2
        if scores.ndim == 1 or has_column_per_class:
            options["pos_label"] = positive_label(classes, pos_label)
        else:
            options["labels"] = classes
        if has_column_per_class:
            refuse_columns(y_score, classes, options["pos_label"])
    return [
        Fold(rows, {"y_true": y[rows], "y_score": scores[rows]} | options) for rows in test_rows
    ]


def predict_rows(
    estimators: Sequence[Estimator],
    fold_rows: Sequence[Index],
    X: RowData,
    y: RowData,
    pos_label: Label,
    methods: tuple[str, ...],
) -> list[Fold]:
    """Let the model of each fold score some rows, by the first of these methods that it has."""
    X, y = indexable(X, y)  # as cross_validate does
    for estimator in estimators:
        _check_not_pairwise(estimator)
    predict_fold = _predictor(estimators, np.ndim(y) == 1, methods)
    folds = []
    for number, (estimator, rows) in enumerate(zip(estimators, fold_rows, strict=True)):
        try:
            predictions = predict_fold(estimator, _take(X, rows), np.asarray(y)[rows], pos_label)
        except (NotFittedError, AttributeError) as error:
            raise ValueError(
                f"The model of fold {number} cannot score its rows: {error}. If its fit failed, "
                f"call cross_validate with error_score='raise' to see why."
            ) from error
        folds.append(Fold(rows, predictions))
    return folds


def _predictor(
    estimators: Sequence[Estimator], has_classes: bool, methods: tuple[str, ...]
) -> Callable[[Estimator, RowData, RowData, Label], Keywords]:
    """Choose the function that predicts: another one if some models have not seen all classes."""
    classes_of_folds = [getattr(estimator, "classes_", []) for estimator in estimators]
    all_classes = np.unique(np.concatenate(classes_of_folds)) if has_classes else np.array([])
    # A model that was not fitted has no classes, and is refused later.
    if any(0 < len(classes) < all_classes.size for classes in classes_of_folds):
        return partial(_predict_all_classes, all_classes)
    return partial(predict, methods=methods)


def _check_not_pairwise(estimator: Estimator) -> None:
    if hasattr(estimator, "__sklearn_tags__") and get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{type(estimator).__name__} takes a table with a column for each training row, such "
            f"as a precomputed kernel, and folds have other training rows. Let cross_val_predict("
            f"model, X, y, method='decision_function') give the scores, and pass y and these."
        )


def _warn_of_other_rows(cv_results: CheckedResults, n_rows: int) -> None:
    """Warn if the last rows were not cross-validated, so that X and y may be the wrong ones."""
    last = max(rows.max() for rows in cv_results.test_rows)
    n_used = cv_results.train_rows[0].size + cv_results.test_rows[0].size
    is_partition = n_used == last + 1  # the first fold splits all rows up to the last one
    if is_partition and n_used < n_rows:
        warn(
            f"X and y have {n_rows} rows, but the first {n_used} were cross-validated. If you left "
            f"out the others on purpose, pass X[:{n_used}] and y[:{n_used}].",
            UserWarning,
        )


def _predict_all_classes(
    labels: Array, estimator: Estimator, X: RowData, y: RowData, pos_label: Label
) -> Keywords:
    """Predict probabilities of all classes: 0 for one that the model has not seen."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"A fold's {type(estimator).__name__} has not seen every class, so its scores have no "
            f"column for some. Use StratifiedKFold, or a model with predict_proba."
        )
    check_labels(y, labels, type(estimator).__name__)
    seen_classes = estimator.classes_
    scores = np.zeros((len(y), labels.size))
    # A model of one class may give a column for "not this one" after it.
    probabilities = estimator.predict_proba(X)[:, : len(seen_classes)]
    scores[:, np.searchsorted(labels, seen_classes)] = probabilities
    if labels.size > 2:
        return {"y_true": y, "y_score": scores, "pos_label": pos_label, "labels": labels}
    positive = positive_label(labels, pos_label)
    positive_column = np.flatnonzero(labels == positive)[0]
    return {"y_true": y, "y_score": scores[:, positive_column], "pos_label": positive}


def _take(X: RowData, rows: Index) -> RowData:
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
