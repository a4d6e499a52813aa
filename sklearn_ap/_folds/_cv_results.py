"""What cross_validate returns, or scores out of fold: checked, and the predictions of each fold."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags, indexable

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.checks import (
    SHOWN,
    check_numbers,
    check_same_length,
    check_same_order,
    name_in_errors,
    warn,
)
from sklearn_ap._base.inputs.name_codes import check_names, codes_and_names
from sklearn_ap._base.inputs.targets import check_known, positive_label, refuse_columns
from sklearn_ap._folds.models import RAW_SCORES, check_labels, predict

OUT_OF_FOLD = "{'y_score': scores, 'folds': numbers of folds}, and None for X"
HOW_TO_VALIDATE = "cross_validate(model, X, y, cv=5, return_estimator=True, return_indices=True)"


class Fold(NamedTuple):
    """The test rows of one fold, and what the model of this fold says of them."""

    rows: Index
    predictions: dict[str, Any]  # as ``predict`` gives them


def check_cv_results(cv_results: Any) -> dict[str, Any]:
    if not isinstance(cv_results, Mapping):
        raise TypeError(
            f"cv_results must be what cross_validate returns, got {type(cv_results).__name__}. "
            f"Call {HOW_TO_VALIDATE}. Of out-of-fold scores, pass {OUT_OF_FOLD}."
        )
    if "estimator" not in cv_results and any("fold" in str(name) for name in cv_results):
        return _with_folds(cv_results)
    refuse_search(cv_results)
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            f"cv_results has {', '.join(map(str, cv_results))}, but it must hold the fitted models "
            f"and the test rows, too. Call {HOW_TO_VALIDATE}. Of out-of-fold scores, pass "
            f"{OUT_OF_FOLD}."
        )
    indices, n_folds = cv_results["indices"], len(cv_results["estimator"])
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        raise ValueError(
            f"cv_results['indices'] must hold the rows of 'train' and 'test'. Call "
            f"{HOW_TO_VALIDATE}."
        )
    rows = {name: [_numbers_of(each) for each in indices[name]] for name in ("train", "test")}
    if not n_folds or any(len(of_folds) != n_folds for of_folds in rows.values()):
        raise ValueError(
            f"cv_results has {n_folds} fitted models, {len(rows['train'])} train sets and "
            f"{len(rows['test'])} test sets. It must have one of each for each fold."
        )
    return {**cv_results, "indices": rows}


def refuse_search(cv_results: Any) -> None:
    """Refuse what a search has found, where results of one or of several models are asked for."""
    if isinstance(cv_results, Mapping) and isinstance(cv_results.get("params"), Sequence):
        raise ValueError(
            "cv_results are those of a search, which keeps no models of folds. Pass the search "
            "itself to cross_validate, as cross_validate(search, X, y, return_estimator=True, "
            "return_indices=True): each fold then chooses anew."
        )


class OutOfFold:
    """Stands for the model of a fold, of which only the scores of its test rows are known."""


class OutOfFoldProbabilities(OutOfFold):
    """The same where the scores may be probabilities."""

    def predict_proba(self) -> None:
        """Say that odds may be made of the scores."""


def _with_folds(cv_results: Mapping[str, Any]) -> dict[str, Any]:
    """Scores and the number of the fold of each row, as ``cross_validate`` says it."""
    if {*cv_results} != {"y_score", "folds"}:
        raise ValueError(
            f"cv_results of scores that are out of fold must be {OUT_OF_FOLD}, got the keys "
            f"{', '.join(map(str, cv_results))}."
        )
    scores = check_numbers("y_score", cv_results["y_score"])
    names = check_names("folds", cv_results["folds"], len(scores))
    if names is None:
        raise ValueError("folds must hold the fold of each row, got None.")
    codes, (first, *others) = codes_and_names(names, "folds")
    if not others:
        raise ValueError(
            f"folds must name two folds at least, got {first!r} in every row: the model of a "
            f"fold has seen the rows of the others."
        )
    are_probabilities = scores.min() >= 0 and scores.max() <= 1
    model = OutOfFoldProbabilities() if are_probabilities else OutOfFold()
    numbers = range(1 + len(others))
    rows = {
        "train": [np.flatnonzero(codes != fold) for fold in numbers],
        "test": [np.flatnonzero(codes == fold) for fold in numbers],
    }
    return {"estimator": [model] * len(numbers), "indices": rows, "given": dict(cv_results)}


def _numbers_of(rows: Any) -> Index:
    """Numbers of rows, which a splitter may give as a list or as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        return np.flatnonzero(rows)
    if not rows.size or rows.dtype.kind not in "iu" or rows.min() < 0:
        raise ValueError(
            "cv_results['indices'] must hold the numbers of rows, from 0 on, at least one in each "
            f"fold, got {rows.tolist()[:SHOWN]}."
        )
    return rows


def check_rows(cv_results: dict[str, Any], X: Any, y: Any, name: str = "y") -> None:
    """Refuse rows of checked results that ``X`` or ``y`` lacks; ``y`` may be known later.

    ``name`` is what the user calls the labels.
    """
    if "given" in cv_results:
        _check_out_of_fold(cv_results["given"], X, {} if y is None else {name: y})
        return
    if X is None:
        raise TypeError(
            "X must be what was cross-validated, as the models of folds score its rows, got None."
        )
    check_same_order(**{name: y}, X=X)
    with name_in_errors(f"X and {name}"):
        rows = indexable(X, y)[0]
    n_rows = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    last = max(tested.max() for tested in cv_results["indices"]["test"])
    if last >= n_rows:
        raise ValueError(f"X has {n_rows} rows, but cv_results has row {last}.")


def _check_out_of_fold(given: dict[str, Any], X: Any, labels: dict[str, Any]) -> None:
    if X is not None:
        raise ValueError(
            f"X must be None beside out-of-fold scores, which are all that is ranked, got "
            f"{type(X).__name__}. To let the models of folds score X, call {HOW_TO_VALIDATE}."
        )
    if labels:
        check_same_order(**labels, **given)
        arrays = {**labels, "y_score": given["y_score"]}
        check_same_length(
            **{name: np.asarray(to_numpy(name, each)) for name, each in arrays.items()}
        )


def predict_folds(
    cv_results: dict[str, Any], X: Any, y: Any, pos_label: Any, name: str = "y"
) -> list[Fold]:
    """Let the model of each fold of checked results score its test rows."""
    tests = cv_results["indices"]["test"]
    if np.ndim(y) == 1:
        check_known(name, y)
    if "given" in cv_results:
        return _out_of_folds(tests, y, cv_results["given"], pos_label)
    _warn_of_other_rows(cv_results["indices"], np.shape(y)[0])
    return predict_rows(cv_results["estimator"], tests, X, y, pos_label, RAW_SCORES)


def _out_of_folds(tests: list[Index], y: Any, given: dict[str, Any], pos_label: Any) -> list[Fold]:
    y, scores = np.asarray(y), np.asarray(to_numpy("y_score", given["y_score"]))
    if y.ndim == 1 and scores.shape[1:] == (1,):
        scores = scores.ravel()
    options: dict[str, Any] = {"pos_label": pos_label}
    if y.ndim == 1:
        present = np.unique(y)
        are_both_columns = scores.shape[1:] == (2,) and present.size <= 2
        if scores.ndim == 1 or are_both_columns:
            options["pos_label"] = positive_label(present, pos_label)
        else:
            options["labels"] = present
        if are_both_columns:
            refuse_columns(given["y_score"], present, options["pos_label"])
    return [Fold(rows, {"y_true": y[rows], "y_score": scores[rows]} | options) for rows in tests]


def predict_rows(
    estimators: Sequence[Any],
    rows_of_folds: Sequence[Index],
    X: Any,
    y: Any,
    pos_label: Any,
    methods: tuple[str, ...],
) -> list[Fold]:
    """Let the model of each fold score some rows, by the first method that it has."""
    X, y = indexable(X, y)  # as cross_validate does
    for estimator in estimators:
        _check_not_pairwise(estimator)
    known = [getattr(estimator, "classes_", []) for estimator in estimators]
    labels = np.unique(np.concatenate(known)) if np.ndim(y) == 1 else np.array([])
    predict_fold = partial(predict, methods=methods)
    if any(0 < len(classes) < labels.size for classes in known):  # 0: not fitted
        predict_fold = partial(_predict_all_classes, labels)
    folds = []
    for number, (estimator, rows) in enumerate(zip(estimators, rows_of_folds, strict=True)):
        try:
            given = predict_fold(estimator, _take(X, rows), np.asarray(y)[rows], pos_label)
        except (NotFittedError, AttributeError) as error:
            raise ValueError(
                f"The model of fold {number} cannot score its rows: {error}. If its fit failed, "
                f"call cross_validate with error_score='raise' to see why."
            ) from error
        folds.append(Fold(rows, given))
    return folds


def _check_not_pairwise(estimator: Any) -> None:
    if hasattr(estimator, "__sklearn_tags__") and get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{type(estimator).__name__} takes a table with a column for each training row, such "
            f"as a precomputed kernel, and folds have other training rows. Let cross_val_predict("
            f"model, X, y, method='decision_function') give the scores, and pass y and these."
        )


def _warn_of_other_rows(indices: dict[str, Any], n_rows: int) -> None:
    """Say if rows were left out, so that those of the folds may be others."""
    last = max(rows.max() for rows in indices["test"])
    n_used = indices["train"][0].size + indices["test"][0].size
    if n_used == last + 1 < n_rows:  # the fold divides all rows
        warn(
            f"X and y have {n_rows} rows, but the first {n_used} were cross-validated. If you left "
            f"out the others on purpose, pass X[:{n_used}] and y[:{n_used}].",
            UserWarning,
        )


def _predict_all_classes(
    labels: Array, estimator: Any, X: Any, y: Any, pos_label: Any
) -> dict[str, Any]:
    """Probabilities of all classes: 0 for one that the model has not seen."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"A fold's {type(estimator).__name__} has not seen every class, so its scores have no "
            f"column for some. Use StratifiedKFold, or a model with predict_proba."
        )
    check_labels(y, labels, type(estimator).__name__)
    scores, known = np.zeros((len(y), labels.size)), estimator.classes_
    # A model of one class may give a column for "not this one" after it.
    scores[:, np.searchsorted(labels, known)] = estimator.predict_proba(X)[:, : len(known)]
    if labels.size > 2:
        return {"y_true": y, "y_score": scores, "pos_label": pos_label, "labels": labels}
    positive = positive_label(labels, pos_label)
    return {"y_true": y, "y_score": scores[:, labels == positive][:, 0], "pos_label": positive}


def _take(X: Any, rows: Any) -> Any:
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
