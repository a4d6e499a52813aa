"""Pools of folds that differ in their share of positives, and the warning of them."""

import warnings

import numpy as np
import pytest
from pooled import pooled_best, pooled_comparison, pooled_interval
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier

from sklearn_ap import FoldPredictions, UncertaintyWarning
from sklearn_ap._folds.predictions import pool_of
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap._inputs.request import Request
from sklearn_ap.definitions import Step

X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
UNEQUAL = KFold(8, shuffle=True, random_state=0)
SHRUNK = LogisticRegression(C=0.001)


def validated(model=SHRUNK, X=X, y=Y, cv=UNEQUAL, **options):
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **options)


def texts_of(cv, X, y, how=pooled_interval, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        how(cv, X, y, **options)
    return [str(each.message) for each in caught if each.category is UncertaintyWarning]


def texts_of_comparison(models, X, y, cv, how=pooled_comparison, **options):
    results = {name: validated(model, X, y, cv=cv) for name, model in models.items()}
    return texts_of(results, X, y, how, **options)


@pytest.mark.parametrize("how", [pooled_comparison, pooled_best])
def test_prevalence_shift_is_judged_against_the_error_of_a_difference(how):
    rows, y = drawn()
    models = {"shrunk": LogisticRegression(C=0.003), "plain": LogisticRegression()}
    for model in models.values():
        assert texts_of(validated(model, rows, y, cv=KFold(5)), rows, y) == []
    (text,) = texts_of_comparison(models, rows, y, KFold(5), how)
    assert text.startswith("unequal prevalence: 'shrunk': The folds")
    assert "Split with StratifiedKFold. If rows belong to patients, split with" in text
    assert texts_of_comparison(models, rows, y, KFold(5), how, pooling="ranks") == []
    assert texts_of_comparison(models, rows, y, StratifiedKFold(5), how) == []
    # A small sample hides a part of the error.
    models["shrunk"] = LogisticRegression(C=0.02)
    assert texts_of_comparison(models, *drawn(160), KFold(5), how) == []


def drawn(n_rows=1600):
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.125).astype(int)
    return rng.normal(size=(n_rows, 6)) + 0.8 * (np.arange(6) < 3) * y[:, None], y


def test_shift_beyond_half_a_standard_error_is_reported():
    for size, is_large in ((-0.51, True), (-0.49, False)):
        shifts = [Shift(np.array([each]), lambda: "low") for each in (size, 0.0)]
        both = [np.ones(1)] * 2
        found = shifted_differences(shifts, both, 1, {0: np.array([1.0])})
        assert found == ["low"] * is_large


def test_the_warning_names_the_model_with_the_largest_shift():
    """The first column of A has the largest shift, but so has that of B, and they cancel."""
    sizes = {"A": np.array([-9.0, 0.1]), "B": np.array([-9.0, -2.0])}
    shifts = [Shift(size, lambda name=name: name) for name, size in sizes.items()]
    errors = [np.ones(2)] * 2
    assert shifted_differences(shifts, errors, 0, {1: np.ones(2)}) == ["B"]
    assert shifted_differences(shifts, errors, 1, {0: np.ones(2)}) == ["B"]
    assert shifted_differences(shifts, errors, 0, {1: np.array([1, 4.3])}) == []


def nearly_sorted(n_rows, blur=0.7):
    rng = np.random.default_rng(0)
    y = (np.arange(n_rows) < n_rows // 5).astype(int)
    y = y[np.argsort(y + blur * rng.normal(size=n_rows))]
    return rng.normal(size=(n_rows, 4)) + np.array([1.0, 0.7, 0.4, 0.0]) * y[:, None], y


@pytest.mark.parametrize(("n_rows", "blur", "n_texts"), [(200, 2.0, 0), (3000, 1.5, 1)])
def test_smaller_shifts_raise_a_warning_with_more_positives(n_rows, blur, n_texts):
    rows, y = nearly_sorted(n_rows, blur)
    cv = validated(LogisticRegression(), rows, y, cv=KFold(10))
    assert len(texts_of(cv, rows, y)) == n_texts
    assert len(texts_of(cv, rows, y, pooling="ranks")) == n_texts
    texts = texts_of(cv, rows, y, clusters=np.arange(n_rows) // 30)  # a cluster counts once
    assert not any("unequal prevalence" in text for text in texts)


# Two folds, whose models know no class from the other: within folds, positives are no higher.
# The first tests 3 of 4 positives, the second 1 of 4, and all of the second are above the first.
FOLDS_APART = np.array([1, 1, 1, 0, 1, 0, 0, 0]), np.array([0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9])


def test_shift_is_the_class_loss_between_folds_in_standard_errors():
    y, scores = FOLDS_APART
    folds = np.repeat([0, 1], 4)
    # Ranks are 2.5 and 6.5: the positives have 3.5, the negatives 5.5, both a deviation of sqrt(3).
    expected = (3.5 - 5.5) / (np.sqrt(3) * np.sqrt(1 / 4 + 1 / 4))
    assert shift_of(y, scores, folds) == pytest.approx(expected)
    # A fold whose labels are unknown in a column shows nothing there, without a warning of NumPy.
    table = np.column_stack([np.r_[np.nan, np.nan, y], np.r_[1, 0, y]])
    columns = np.repeat(np.r_[0, 1, scores], 2).reshape(-1, 2)
    found = shift_of(table, columns, np.repeat([0, 1, 2], [2, 4, 4]), average=None)
    assert found[0] == pytest.approx(expected)
    # Columns that exclude each other vary each by itself, and equal ones together.
    for other, sign, times in ((1 - y, -1, np.sqrt(2)), (y, 1, 1)):
        found = shift_of(np.c_[y, other], np.c_[scores, sign * scores], folds)
        assert found == pytest.approx(times * expected)


def test_single_class_folds_take_the_largest_possible_shift():
    y, scores = np.repeat([1, 0], 4), np.array([0.9, 0.8, 0.7, 0.3, 0.6, 0.4, 0.2, 0.1])
    # The mean ranks are 6 and 3, and would be 4 apart if all positives were above all negatives.
    within = np.std([8, 7, 6, 3, 5 + 3, 4 + 3, 2 + 3, 1 + 3])
    expected = (3 - 4) / (within * np.sqrt(1 / 4 + 1 / 4))
    assert shift_of(y, scores, np.repeat([0, 1], 4)) == pytest.approx(expected)


def shift_of(y, scores, folds, average="macro"):
    predictions = FoldPredictions({"y_score": scores, "folds": folds})
    return pool_of(Request(y_true=y, y_score=predictions, average=average), Step()).shift.size


def test_the_split_that_is_advised_fits_the_data():
    rows, y = nearly_sorted(120)
    few = validated(SHRUNK, rows, y, cv=StratifiedKFold(10))  # 24 positives
    (text,) = texts_of(few, rows, y)
    assert text.endswith("Choose a number of folds that divides that of the positives.")
    (text,) = texts_of(validated(SHRUNK, rows, y, cv=KFold(10)), rows, y, clusters=np.arange(120))
    assert text.endswith(" Split with StratifiedGroupKFold.")
    table = np.column_stack([y, y[::-1]])
    many = validated(OneVsRestClassifier(SHRUNK), rows, table, cv=KFold(10))
    (text,) = texts_of(many, rows, table)
    assert text.endswith(
        "Choose folds that have nearly equal shares of the positives of each column."
    )
