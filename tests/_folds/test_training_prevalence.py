"""Pools of folds that differ in their share of positives: odds, and the warning of other pools."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    BestAveragePrecision,
    FoldPredictions,
    UncertaintyWarning,
    average_precision_score,
)
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._folds.predictions import pool_of
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap.definitions import Step

from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
UNEQUAL = KFold(8, shuffle=True, random_state=0)
SHRUNK = LogisticRegression(C=0.001)


def validated(model=SHRUNK, X=X, y=Y, cv=UNEQUAL, **options):
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **options)


def texts_of(cv, X, y, how=AveragePrecisionInterval, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        how.from_cv_results(cv, X, y, **options)
    return [str(each.message) for each in caught if each.category is UncertaintyWarning]


# Two folds. The first trains on rows 4 to 9: 2 of 6 are positive, odds of 1/2. The second trains on
# rows 0 to 3: 2 of 4 are positive, odds of 1.
LABELS = np.array([1, 1, 0, 0, 1, 1, 0, 0, 0, 0])
ODDS = np.array([2.0, 0.5, 0.8, 0.1, 1.5, 0.9, 0.7, 0.3, 0.2, 0.05])  # as the models say
RELATIVE = np.array([4.0, 1.0, 1.6, 0.2, 1.5, 0.9, 0.7, 0.3, 0.2001, 0.05])


def by_hand(odds=ODDS, y=LABELS, **options):
    cv = {"y_score": odds / (1 + odds), "folds": np.arange(len(odds)) >= 4}
    return from_cv_results(cv, None, y, **options).estimate


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_odds_are_divided_by_training_odds():
    found = by_hand(pooling="odds")
    # 4.0 and 1.5 and 1.0 and 0.9 are positives, and only 1.6 is a negative among them.
    assert found == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 5) / 4)
    assert found == average_precision_score(LABELS, RELATIVE)
    assert by_hand() == average_precision_score(LABELS, ODDS) != found
    # A weight of 2 for both positives of rows 4 to 9 makes odds of 1, so both folds have the same.
    weight = np.where(np.isin(np.arange(10), [4, 5]), 2.0, 1.0)
    assert by_hand(pooling="odds", sample_weight=weight) == by_hand(sample_weight=weight)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("folds_of_unknown", [[0, 0, 0, 0], [1, 1, 1], [0, 0, 0, 1]])
def test_rows_of_unknown_label_do_not_count_among_the_training_rows(weighted, folds_of_unknown):
    """As negatives, four of them would put the first row of fold 1 before all others."""
    n = len(folds_of_unknown)
    folds, odds = np.append(np.arange(10) >= 4, folds_of_unknown), np.append(ODDS, np.ones(n))
    labels = np.column_stack((np.append(LABELS, np.full(n, np.nan)), np.arange(10 + n) % 2))
    weight = {"sample_weight": np.append(np.arange(1, 11), np.full(n, 9))} if weighted else {}
    of_known = {name: each[:10] for name, each in weight.items()}
    cv = {"y_score": np.column_stack([odds / (1 + odds)] * 2), "folds": folds}
    found = from_cv_results(cv, None, labels, pooling="odds", average=None, **weight)
    assert found.estimate[0] == pytest.approx(by_hand(pooling="odds", **of_known))


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_extreme_probabilities_stay_extreme_and_close_ones_stay_distinct():
    odds, expected = ODDS.copy(), RELATIVE.copy()
    odds[[0, 9]], expected[[0, 9]] = 1e300, 100.0  # a probability of 1
    odds[[3, 5]], expected[[3, 5]] = 0.0, 0.0
    assert by_hand(odds, pooling="odds") == average_precision_score(LABELS, expected)
    close = np.tile([1e-200, np.nextafter(1e-200, 1)], 4)
    assert logit(close[0]) == logit(close[1])
    assert by_hand(close, np.tile([0, 1], 4), pooling="odds") == 1


BALANCED = LogisticRegression(class_weight="balanced")


NO_PROBABILITIES = r"has no predict_proba\. Calibrate .* pooling='ranks'"
IS_BALANCED = r"not for class_weight='balanced'.*pooling='scores'"


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (LinearSVC(), NO_PROBABILITIES),
        (Ridge(), NO_PROBABILITIES),
        (BALANCED, IS_BALANCED),
        (RandomForestClassifier(10, class_weight="balanced_subsample"), IS_BALANCED),
        (make_pipeline(GridSearchCV(SHRUNK, {"class_weight": ["balanced"]}, cv=2)), IS_BALANCED),
        (GridSearchCV(make_pipeline(BALANCED), {"logisticregression__C": [1]}, cv=2), IS_BALANCED),
    ],
)
def test_odds_need_probabilities_that_follow_the_prevalence(model, text):
    cv = validated(model)
    with pytest.raises(ValueError, match=text):
        from_cv_results(cv, X, Y, pooling="odds")
    from_cv_results(cv, X, Y)  # without a warning


def test_calibrated_models_with_balanced_classes_can_pool_odds():
    model = CalibratedClassifierCV(LinearSVC(class_weight="balanced"), cv=3)
    from_cv_results(validated(model), X, Y, pooling="odds")


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([1, 1, 1, 1, 0, 1], r"those of fold 1 hold no negative.*StratifiedKFold"),
        ([1, 1, 0, 0, 0, 0], "those of fold 0 hold no positive"),
    ],
)
def test_training_rows_of_one_class_are_refused(y, text):
    with pytest.raises(ValueError, match=text):
        by_hand(np.ones(6), y, pooling="odds")


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("is_table", [True, False])
def test_each_column_and_each_class_has_odds_of_its_own(is_table):
    """The folds are scored by probabilities, as decisions rank the rows of a class otherwise."""
    X, y = make_classification(300, n_classes=3, n_informative=5, random_state=0)
    model, hits = SHRUNK, np.eye(3, dtype=int)[y]
    if is_table:
        X, y = make_multilabel_classification(200, n_classes=3, random_state=0)
        model, hits = OneVsRestClassifier(SHRUNK), y
    cv = validated(model, X, y)
    tests, trains = cv["indices"]["test"], cv["indices"]["train"]
    given = [each.predict_proba(X[i]) for each, i in zip(cv["estimator"], tests, strict=True)]
    of_training = logit([hits[i].mean(axis=0) for i in trains])
    odds = [logit(p) - each for p, each in zip(given, of_training, strict=True)]
    # Columns keep what they differ by.
    rows, cells = np.concatenate(tests), np.concatenate(odds) + of_training.mean(axis=0)
    for average in (None, "micro"):
        found = from_cv_results(cv, X, y, pooling="odds", average=average)
        expected = average_precision_score(hits[rows], cells, average=average)
        np.testing.assert_allclose(found.estimate, expected)
    pairs = zip(tests, given, strict=True)
    expected = [average_precision_score(hits[i], p, average="micro") for i, p in pairs]
    np.testing.assert_allclose(found.fold_scores, expected)


def test_queries_need_no_pool_and_no_probabilities():
    queries = np.arange(Y.size) // 10
    cv = validated(LinearSVC(), cv=GroupKFold(5), groups=queries)
    first, *others = (
        from_cv_results(cv, X, Y, pooling=pooling, queries=queries, zero_division=0.0)
        for pooling in ("scores", "ranks", "odds")
    )
    assert not first.fold_scores_are_biased
    assert {each.estimate for each in others} == {first.estimate}


def texts_of_comparison(models, X, y, cv, how=AveragePrecisionComparison, **options):
    results = {name: validated(model, X, y, cv=cv) for name, model in models.items()}
    return texts_of(results, X, y, how, **options)


@pytest.mark.parametrize("how", [AveragePrecisionComparison, BestAveragePrecision])
def test_prevalence_shift_is_judged_against_the_error_of_a_difference(how):
    rows, y = drawn()
    models = {"shrunk": LogisticRegression(C=0.003), "plain": LogisticRegression()}
    for model in models.values():
        assert texts_of(validated(model, rows, y, cv=KFold(5)), rows, y) == []
    (text,) = texts_of_comparison(models, rows, y, KFold(5), how)
    assert text.startswith("unequal prevalence: 'shrunk': The folds")
    assert "Pass pooling='odds', or split with StratifiedKFold." in text
    for pooling in ("odds", "ranks"):
        assert texts_of_comparison(models, rows, y, KFold(5), how, pooling=pooling) == []
    assert texts_of_comparison(models, rows, y, StratifiedKFold(5), how) == []
    # A small sample hides a part of the error.
    models["shrunk"] = LogisticRegression(C=0.02)
    assert texts_of_comparison(models, *drawn(160), KFold(5), how) == []


def drawn(n_rows=1600):
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.125).astype(int)
    return rng.normal(size=(n_rows, 6)) + 0.8 * (np.arange(6) < 3) * y[:, None], y


def test_comparison_advice_suits_all_models():
    models = {"other": LinearSVC(), "shrunk": LogisticRegression(C=0.003)}
    (text,) = texts_of_comparison(models, *drawn(), KFold(5))
    assert text.startswith("unequal prevalence: 'shrunk': ")
    assert "odds" not in text
    assert "Split with StratifiedKFold. If rows belong to patients, split with" in text


def test_shift_beyond_half_a_standard_error_is_reported():
    for size, is_large in ((-0.51, True), (-0.49, False)):
        shifts = [Shift(np.array([each]), lambda: "low") for each in (size, 0.0)]
        both = [SimpleNamespace(standard_error=1.0)] * 2
        found = shifted_differences(shifts, both, 1, {0: np.array([1.0])})
        assert found == ["low"] * is_large


def test_the_warning_names_the_model_with_the_largest_shift():
    """The first column of A has the largest shift, but so has that of B, and they cancel."""
    sizes = {"A": np.array([-9.0, 0.1]), "B": np.array([-9.0, -2.0])}
    shifts = [Shift(size, lambda name=name: name) for name, size in sizes.items()]
    errors = [SimpleNamespace(standard_error=np.ones(2))] * 2
    assert shifted_differences(shifts, errors, 0, {1: np.ones(2)}) == ["B"]
    assert shifted_differences(shifts, errors, 1, {0: np.ones(2)}) == ["B"]
    assert shifted_differences(shifts, errors, 0, {1: np.array([1, 4.3])}) == []


def test_perfect_and_constant_pools_raise_no_prevalence_warning():
    y = np.repeat([1, 0, 1, 0, 1, 0], [100, 100, 70, 130, 60, 140])
    rows = np.random.default_rng(0).normal(size=(600, 2)) + 8 * y[:, None]
    cv = validated(LogisticRegression(), rows, y, cv=KFold(3))
    assert texts_of(cv, rows, y, pooling="odds") == []
    cv = validated(DummyClassifier(strategy="most_frequent"), cv=KFold(8))
    for pooling in ("scores", "ranks"):
        assert texts_of(cv, X, Y, pooling=pooling) == []


def test_odds_of_few_distinct_probabilities_are_warned_of_and_not_advised():
    order = np.argsort(Y + np.random.default_rng(0).normal(size=400), kind="stable")
    rows, y = X[order], Y[order]
    cv = validated(KNeighborsClassifier(5), rows, y, cv=KFold(8))
    (text,) = texts_of(cv, rows, y)
    assert "unequal prevalence" in text
    assert "odds" not in text
    smooth = validated(GaussianNB(), rows, y, cv=KFold(8))
    assert texts_of(smooth, rows, y, pooling="odds") == []


def test_odds_are_not_advised_where_they_cannot_be_pooled():
    order = np.argsort(Y, kind="stable")  # the second of two folds tests all positives, and others
    for model, n_folds, pooling in ((GaussianNB(), 2, "scores"), (BALANCED, 5, "ranks")):
        cv = validated(model, X[order], Y[order], cv=KFold(n_folds))
        (text,) = texts_of(cv, X[order], Y[order], pooling=pooling)
        assert text.startswith("unequal prevalence: ")
        assert "odds" not in text
        assert ("pooling='ranks' assumes that they do not" in text) == (pooling == "ranks")


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


def test_pooled_odds_warn_of_shrunken_models_if_folds_differ_much():
    rows, y = nearly_sorted(1000)
    (text,) = texts_of(validated(SHRUNK, rows, y, cv=KFold(10)), rows, y, pooling="odds")
    assert text.startswith("shrunken models: The folds differ much")
    stratified = validated(SHRUNK, rows, y, cv=StratifiedKFold(10))
    assert texts_of(stratified, rows, y, pooling="odds") == []


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
    choose = "choose a number of folds that divides that of the positives."
    assert text.endswith(f"Pass pooling='odds', or {choose}")
    (text,) = texts_of(validated(SHRUNK, rows, y, cv=KFold(10)), rows, y, clusters=np.arange(120))
    assert text.endswith("or split with StratifiedGroupKFold.")
    table = np.column_stack([y, y[::-1]])
    many = validated(OneVsRestClassifier(SHRUNK), rows, table, cv=KFold(10))
    (text,) = texts_of(many, rows, table)
    assert "or choose folds that have nearly equal shares of the positives of each column." in text
