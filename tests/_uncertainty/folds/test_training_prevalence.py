"""Pools of folds that differ in their share of positives: odds, and the warning of other pools."""

import re
import warnings
from typing import ClassVar

import numpy as np
import pytest
from every import every
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    BestAveragePrecision,
    UncertaintyWarning,
    average_precision_score,
)
from sklearn_ap.definitions import Expected

from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
EQUAL = StratifiedKFold(5, shuffle=True, random_state=0)
Y_EQUAL = np.where(np.isin(np.arange(400), np.flatnonzero(Y)[: Y.sum() % 5]), 0, Y)  # divides by 5
UNEQUAL = KFold(8, shuffle=True, random_state=0)
SHRUNK = LogisticRegression(C=0.001)


def validated(model=SHRUNK, X=X, y=Y, cv=UNEQUAL, **options):
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **options)


def same(first, second):
    np.testing.assert_equal(first.rows(), second.rows())


def texts_of(cv, X, y, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from_cv_results(cv, X, y, **options)
    return [str(each.message) for each in caught if each.category is UncertaintyWarning]


class Given(LogisticRegression):
    """Probabilities that stand in the first column."""

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    decision_function = property()  # it has none


def given_cv(tests, trains, model=None):
    model = Given().fit([[0.0], [1.0]], [0, 1]) if model is None else model
    return {
        "estimator": [model] * len(tests),
        "indices": {"train": [*map(np.array, trains)], "test": [*map(np.array, tests)]},
        "test_score": np.zeros(len(tests)),
    }


# Two folds. The first trains on rows 4 to 9: 2 of 6 are positive, odds of 1/2. The second trains on
# rows 0 to 3: 2 of 4 are positive, odds of 1.
LABELS = np.array([1, 1, 0, 0, 1, 1, 0, 0, 0, 0])
ODDS = np.array([2.0, 0.5, 0.8, 0.1, 1.5, 0.9, 0.7, 0.3, 0.2, 0.05])  # as the models say
RELATIVE = np.array([4.0, 1.0, 1.6, 0.2, 1.5, 0.9, 0.7, 0.3, 0.2001, 0.05])
BY_HAND = given_cv([range(4), range(4, 10)], [range(4, 10), range(4)])
ROWS = (ODDS / (1 + ODDS))[:, None]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_odds_are_divided_by_those_of_the_training_rows():
    found = from_cv_results(BY_HAND, ROWS, LABELS, pooling="odds")
    # 4.0 and 1.5 and 1.0 and 0.9 are positives, and only 1.6 is a negative among them.
    assert found.estimate == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 5) / 4)
    assert found.estimate == average_precision_score(LABELS, RELATIVE)
    raw = from_cv_results(BY_HAND, ROWS, LABELS)
    assert raw.estimate == average_precision_score(LABELS, ODDS) != found.estimate


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_probabilities_of_0_and_1_stay_the_lowest_and_the_highest():
    rows = ROWS.copy()
    rows[[0, 9]] = 1.0
    rows[[3, 5]] = 0.0
    found = from_cv_results(BY_HAND, rows, LABELS, pooling="odds").estimate
    expected = RELATIVE.copy()
    expected[[0, 9]], expected[[3, 5]] = 100.0, 0.0
    assert found == average_precision_score(LABELS, expected)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_probabilities_that_differ_in_the_last_digit_do_not_become_equal():
    y = np.tile([0, 1], 4)
    lower = 1e-200
    close = np.tile([lower, np.nextafter(lower, 1)], 4)
    assert logit(close[0]) == logit(close[1])
    cv = given_cv([range(4), range(4, 8)], [range(4, 8), range(4)])
    assert from_cv_results(cv, close[:, None], y, pooling="odds").estimate == 1


@pytest.mark.filterwarnings("ignore:few clusters")
def test_the_pool_of_shrunken_models_is_mended():
    patients = np.repeat(np.arange(60), 5)
    rng = np.random.default_rng(0)
    y = np.repeat(rng.random(60) < 0.3, 5).astype(int)
    X = rng.normal(size=(300, 5)) + np.where(np.arange(5) == 0, 1.0, 0.0) * y[:, None]
    cv = validated(X=X, y=y, cv=LeaveOneGroupOut(), groups=patients)
    with pytest.warns(UncertaintyWarning, match=r"differ in .* Pass pooling='odds', or split w"):
        low = from_cv_results(cv, X, y, clusters=patients)
    with pytest.warns(UncertaintyWarning, match="pooling='ranks' assumes that they do not"):
        from_cv_results(cv, X, y, clusters=patients, pooling="ranks")
    mended = from_cv_results(cv, X, y, clusters=patients, pooling="odds")
    # Less shrunken models rank nearly the same, and their folds mean the same.
    other = validated(LogisticRegression(), X, y, cv=StratifiedGroupKFold(5), groups=patients)
    expected = from_cv_results(other, X, y, clusters=patients).estimate
    assert low.high < expected < mended.high
    assert mended.estimate == pytest.approx(expected, abs=0.06)


BALANCED = [
    LogisticRegression(class_weight="balanced"),
    RandomForestClassifier(10, class_weight="balanced_subsample"),
    make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
    GridSearchCV(SHRUNK, {"class_weight": ["balanced"]}),
    make_pipeline(StandardScaler(), GridSearchCV(SHRUNK, {"class_weight": ["balanced"]})),
]


@every("model", BALANCED)
def test_odds_are_not_for_balanced_classes(model):
    cv = validated(model)
    with pytest.raises(ValueError, match=r"not for class_weight='balanced'.*pooling='scores'"):
        from_cv_results(cv, X, Y, pooling="odds")
    from_cv_results(cv, X, Y)  # without a warning


def test_odds_need_probabilities_and_training_rows_of_both_classes():
    with pytest.raises(ValueError, match=r"has no predict_proba\. Calibrate .* pooling='ranks'"):
        from_cv_results(validated(LinearSVC()), X, Y, pooling="odds")
    for trains, text in (
        ([range(4, 10), [0, 1]], r"those of fold 1 hold no negative.*StratifiedKFold"),
        ([[6, 7], range(4)], "those of fold 0 hold no positive"),
    ):
        with pytest.raises(ValueError, match=text):
            from_cv_results(
                given_cv([range(4), range(4, 10)], trains), ROWS, LABELS, pooling="odds"
            )


def test_calibration_brings_the_shares_of_balanced_classes_back():
    model = CalibratedClassifierCV(LinearSVC(class_weight="balanced"), cv=3)
    found = from_cv_results(validated(model), X, Y, pooling="odds")
    assert found.estimate == pytest.approx(
        from_cv_results(validated(model), X, Y).estimate, abs=0.03
    )


def test_a_shift_between_models_of_eight_rows_is_warned_of():
    """One class of eight rows is clipped to half a row; a row of each class is not."""
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0, 1, 0], [5, 25, 25, 5])
    rows = expit(rng.normal(size=60) + labels)[:, None]
    trains = [*range(30, 37), 59], [0, *range(23, 30)]
    with pytest.warns(UncertaintyWarning, match="differ in their proportion of positives"):
        from_cv_results(given_cv([range(30), range(30, 60)], trains), rows, labels)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_several_classes_have_odds_of_their_own_and_folds_are_scored_by_probabilities():
    """Decisions rank the rows of a class otherwise: a probability depends on all classes."""
    X, y = make_classification(
        600, n_classes=3, n_informative=5, weights=[0.6, 0.3], flip_y=0.2, random_state=1
    )
    y = np.array(["low", "middle", "top"])[y]
    cv = validated(LogisticRegression(C=0.01), X, y, cv=KFold(5))
    models, (trains, tests) = cv["estimator"], cv["indices"].values()
    given = [model.predict_proba(X[rows]) for model, rows in zip(models, tests, strict=True)]
    found = from_cv_results(cv, X, y, pooling="odds", average=None)
    for i, name in enumerate(("low", "middle", "top")):
        pairs = zip(given, trains, strict=True)
        odds = [logit(each[:, i]) - logit(np.mean(y[train] == name)) for each, train in pairs]
        expected = average_precision_score(y[np.concatenate(tests)] == name, np.concatenate(odds))
        assert found.estimate[i] == pytest.approx(expected)
    expected = [
        average_precision_score(y[rows], each, average=None)
        for rows, each in zip(tests, given, strict=True)
    ]
    np.testing.assert_allclose(found.fold_scores, expected)


def test_queries_need_no_pool_and_no_probabilities():
    queries = np.arange(Y.size) // 10
    for model in (LinearSVC(), SHRUNK):
        cv = validated(model, cv=GroupKFold(5), groups=queries)
        found = [
            from_cv_results(cv, X, Y, queries=queries, pooling=pooling, zero_division=0.0)
            for pooling in ("scores", "ranks", "odds")
        ]
        assert len({each.estimate for each in found}) == 1


def in_comparison(models, X, y, cv, how=AveragePrecisionComparison, **options):
    """What the models say alone, and what they say in a comparison."""
    found = {name: validated(model, X, y, cv=cv) for name, model in models.items()}
    alone = [text for each in found.values() for text in texts_of(each, X, y, **options)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        how.from_cv_results(found, X, y, **options)
    return alone, [str(each.message) for each in caught]


def drawn(n_rows=1600):
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.125).astype(int)
    return rng.normal(size=(n_rows, 6)) + 0.8 * (np.arange(6) < 3) * y[:, None], y


@every("how", [AveragePrecisionComparison, BestAveragePrecision])
def test_a_shift_counts_beside_the_error_of_a_difference(how):
    data, models = drawn(), {"plain": LogisticRegression(), "shrunk": LogisticRegression(C=0.003)}
    alone, (text,) = in_comparison(models, *data, KFold(5), how)
    assert alone == []
    assert text.startswith("unequal prevalence: 'shrunk': The folds")
    assert "Pass pooling='odds', or split with StratifiedKFold." in text
    for pooling in ("odds", "ranks"):
        assert in_comparison(models, *data, KFold(5), how, pooling=pooling)[1] == []
    alike = {"one": LogisticRegression(), "two": LogisticRegression(C=0.9)}
    assert in_comparison(alike, *data, KFold(5), how)[1] == []
    models["plain"] = LinearSVC()  # what is advised, all models can do
    _, (text,) = in_comparison(models, *data, KFold(5), how)
    assert text.startswith("unequal prevalence: 'shrunk': ")
    assert "odds" not in text
    data, models = (
        nearly_sorted(1000, 1.2),
        {"a": LogisticRegression(), "b": LogisticRegression(C=0.01)},
    )
    alone, (text,) = in_comparison(models, *data, KFold(10), how, pooling="odds")
    assert alone == []
    assert text.startswith("shrunken models: 'b': The models are strongly shrunken")


class Columns(OneVsRestClassifier):
    """Logistic regression with another C for each column."""

    def __init__(self, strengths=(1.0, 1.0)):
        super().__init__(LogisticRegression())
        self.strengths = strengths

    def fit(self, X, y):
        super().fit(X, y)
        pairs = zip(self.strengths, y.T, strict=True)
        self.estimators_ = [LogisticRegression(C=c).fit(X, column) for c, column in pairs]
        return self


def test_the_model_that_is_named_is_the_one_of_the_column():
    rows, y = drawn()
    models = {"A": Columns((0.0050, 1)), "B": Columns((0.0052, 0.006))}
    table = np.column_stack([y, y])
    _, texts = in_comparison(models, rows, table, KFold(5), average=None)
    assert [text.split(": ")[1] for text in texts] == ["'B'"]


def test_columns_with_the_same_positives_do_not_vary_each_by_itself():
    rows, y = drawn()
    model = LogisticRegression(C=0.03)
    assert texts_of(validated(model, rows, y, cv=KFold(5)), rows, y) == []
    table = np.repeat(y[:, None], 30, axis=1)
    cv = validated(OneVsRestClassifier(model), rows, table, cv=KFold(5))
    assert texts_of(cv, rows, table) == []


def test_a_perfect_pool_has_lost_nothing():
    y = np.repeat([1, 0, 1, 0, 1, 0], [100, 100, 70, 130, 60, 140])
    rows = np.random.default_rng(0).normal(size=(600, 2)) + 8 * y[:, None]
    cv = validated(LogisticRegression(), rows, y, cv=KFold(3))
    (text,) = texts_of(cv, rows, y, pooling="odds")
    assert text.startswith("perfect score: ")


def test_the_mean_of_columns_varies_less_than_each_so_a_smaller_shift_counts():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 8))
    table = (rows @ rng.normal(size=(8, 30)) + 3 * rng.normal(size=(600, 30)) > 5).astype(int)
    cv = validated(OneVsRestClassifier(LogisticRegression(C=0.1)), rows, table, cv=KFold(5))
    first = validated(LogisticRegression(C=0.1), rows, table[:, 0], cv=KFold(5))
    assert texts_of(first, rows, table[:, 0]) == []
    assert not any("unequal prevalence" in text for text in texts_of(cv, rows, table, average=None))
    assert any("unequal prevalence" in text for text in texts_of(cv, rows, table))


def test_ranks_of_few_distinct_scores_are_warned_of():
    cv = validated(KNeighborsClassifier(5), cv=EQUAL)
    assert texts_of(cv, X, Y) == []
    (text,) = texts_of(cv, X, Y, pooling="ranks")
    assert "few distinct scores" in text
    assert "Pass definition=Expected()" in text
    assert texts_of(cv, X, Y, pooling="ranks", definition=Expected()) == []


def nearly_sorted(n_rows, blur=0.7):
    rng = np.random.default_rng(0)
    y = (np.arange(n_rows) < n_rows // 5).astype(int)
    y = y[np.argsort(y + blur * rng.normal(size=n_rows))]
    return rng.normal(size=(n_rows, 4)) + np.array([1.0, 0.7, 0.4, 0.0]) * y[:, None], y


@pytest.mark.parametrize(("n_rows", "blur", "n_texts"), [(200, 2.0, 0), (3000, 1.5, 1)])
def test_the_more_positives_the_smaller_a_shift_is_warned_of(n_rows, blur, n_texts):
    rows, y = nearly_sorted(n_rows, blur)
    cv = validated(LogisticRegression(), rows, y, cv=KFold(10))
    assert len(texts_of(cv, rows, y)) == n_texts
    assert len(texts_of(cv, rows, y, pooling="ranks")) == n_texts
    texts = texts_of(cv, rows, y, clusters=np.arange(n_rows) // 30)  # a cluster counts once
    assert not any("unequal prevalence" in text for text in texts)


def in_order_of_labels(blur):
    order = np.argsort(Y + blur * np.random.default_rng(0).normal(size=400), kind="stable")
    return X[order], Y[order]


SORTED = in_order_of_labels(0)  # the second of two folds tests all positives, and others
MIXED = in_order_of_labels(1)
STEEP, FEW = nearly_sorted(1000), nearly_sorted(120)  # the second has 24 positives
TABLE = FEW[0], np.column_stack([FEW[1], FEW[1][::-1]])
NO_ODDS = r"^unequal prevalence: (?!.*odds)"
SAID = [
    (DummyClassifier(strategy="most_frequent"), (X, Y), KFold(8), "scores", None),
    (DummyClassifier(strategy="most_frequent"), (X, Y), KFold(8), "ranks", None),
    (LinearSVC(), SORTED, KFold(8), "scores", "Split with StratifiedKFold. If rows belong to pat"),
    (KNeighborsClassifier(5), MIXED, KFold(8), "scores", NO_ODDS),
    (KNeighborsClassifier(5), MIXED, KFold(8), "odds", "^broken ties: The models give few distin"),
    (GaussianNB(), MIXED, KFold(8), "odds", None),
    (GaussianNB(), SORTED, KFold(2), "scores", NO_ODDS),  # which cannot be pooled
    (BALANCED[0], SORTED, KFold(5), "ranks", NO_ODDS),
    (SHRUNK, STEEP, KFold(10), "odds", "^shrunken models: The models are strongly shrunken"),
    (LogisticRegression(), STEEP, KFold(10), "odds", None),
    (SHRUNK, STEEP, StratifiedKFold(10), "odds", None),
    (SHRUNK, FEW, StratifiedKFold(10), "scores", "'odds', or choose a number of folds that divi"),
    (
        OneVsRestClassifier(SHRUNK),
        TABLE,
        KFold(10),
        "scores",
        "or choose folds that have nearly eq",
    ),
]


@every(("model", "data", "folds", "pooling", "text"), SAID, ids=lambda part: str(part)[:40])
def test_what_is_said_of_folds_that_differ_and_advised_as_far_as_it_can_be_done(
    model, data, folds, pooling, text
):
    texts = texts_of(validated(model, *data, cv=folds), *data, pooling=pooling)
    assert len(texts) == (text is not None)
    assert all(re.search(text, each) for each in texts)


class Counted(LogisticRegression):
    """How many rows each method was asked for; probabilities may fail."""

    asked: ClassVar = {}
    fails: ClassVar = False

    def predict_proba(self, X):
        if self.fails:
            raise RuntimeError("no probabilities today")
        self.asked["rows"] = self.asked.get("rows", 0) + len(X)
        return super().predict_proba(X)


def counted_cv(monkeypatch, splitter, y, **fails):
    monkeypatch.setattr(Counted, "asked", {})
    X = np.random.default_rng(0).normal(size=(y.size, 2)) + y[:, None]
    cv = cross_validate(Counted(), X, y, cv=splitter, return_estimator=True, return_indices=True)
    for name, value in fails.items():
        monkeypatch.setattr(Counted, name, value)
    return cv, X, y


@pytest.mark.parametrize(
    ("y", "n_asked"), [(np.arange(200) % 4 == 0, 0), (np.arange(200) < 53, 5 * 10)]
)
def test_rows_are_not_scored_again_for_a_warning(monkeypatch, y, n_asked):
    given = counted_cv(monkeypatch, StratifiedKFold(5), y.astype(int))
    from_cv_results(*given)
    assert Counted.asked.get("rows", 0) == n_asked
    from_cv_results(*given, pooling="odds")
    assert Counted.asked["rows"] == n_asked + 200


def test_probabilities_that_fail_do_not_end_an_interval_that_needs_none(monkeypatch):
    y = (np.arange(200) < 53).astype(int)
    given = counted_cv(monkeypatch, StratifiedKFold(5), y, fails=True)
    assert 0 < from_cv_results(*given).estimate < 1
    with pytest.raises(RuntimeError, match="no probabilities today"):
        from_cv_results(*given, pooling="odds")
