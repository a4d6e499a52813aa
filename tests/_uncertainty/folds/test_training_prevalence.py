"""Pools of folds that differ in their share of positives: odds, and the warning of other pools."""

import warnings

import numpy as np
import pytest
from scipy.special import logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
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
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.folds.pooling import pool_folds
from sklearn_ap.definitions import Step

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
def test_training_rows_count_by_their_weight():
    # A weight of 2 for both positives of rows 4 to 9 makes odds of 1, so both folds have the same.
    weight = np.where(np.isin(np.arange(10), [4, 5]), 2.0, 1.0)
    odds = from_cv_results(BY_HAND, ROWS, LABELS, pooling="odds", sample_weight=weight)
    same(odds, from_cv_results(BY_HAND, ROWS, LABELS, sample_weight=weight))


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
    assert low.high < expected == pytest.approx(mended.estimate, abs=0.06)


@pytest.mark.parametrize("model", [LinearSVC(), Ridge()], ids=repr)
def test_odds_need_probabilities(model):
    with pytest.raises(ValueError, match=r"has no predict_proba\. Calibrate .* pooling='ranks'"):
        from_cv_results(validated(model), X, Y, pooling="odds")


BALANCED = [
    LogisticRegression(class_weight="balanced"),
    RandomForestClassifier(10, class_weight="balanced_subsample", random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
    GridSearchCV(SHRUNK, {"class_weight": ["balanced"]}),
    make_pipeline(StandardScaler(), GridSearchCV(SHRUNK, {"class_weight": ["balanced"]})),
]


@pytest.mark.parametrize("model", BALANCED, ids=lambda model: type(model).__name__)
def test_odds_are_not_for_balanced_classes(model):
    cv = validated(model)
    with pytest.raises(ValueError, match=r"not for class_weight='balanced'.*pooling='scores'"):
        from_cv_results(cv, X, Y, pooling="odds")
    from_cv_results(cv, X, Y)  # without a warning


def test_calibration_brings_the_shares_of_balanced_classes_back():
    model = CalibratedClassifierCV(LinearSVC(class_weight="balanced"), cv=3)
    odds, raw = (from_cv_results(validated(model), X, Y, pooling=p) for p in ("odds", "scores"))
    assert odds.estimate == pytest.approx(raw.estimate, abs=0.03)


def test_training_rows_of_one_class_are_refused():
    cv = given_cv([range(4), range(4, 10)], [range(4, 10), [0, 1]])
    with pytest.raises(ValueError, match=r"those of fold 1 hold no negative.*StratifiedKFold"):
        from_cv_results(cv, ROWS, LABELS, pooling="odds")
    cv = given_cv([range(4), range(4, 10)], [[6, 7], range(4)])
    with pytest.raises(ValueError, match="those of fold 0 hold no positive"):
        from_cv_results(cv, ROWS, LABELS, pooling="odds")


OF_LABELS = make_multilabel_classification(200, n_classes=3, random_state=0)
OF_CLASSES = make_classification(300, n_classes=3, n_informative=5, random_state=0)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(
    ("model", "X", "y"), [(OneVsRestClassifier(SHRUNK), *OF_LABELS), (SHRUNK, *OF_CLASSES)]
)
def test_each_column_and_each_class_has_odds_of_its_own(model, X, y):
    cv = validated(model, X, y)
    hits, rows = y if y.ndim == 2 else np.eye(3)[y], np.concatenate(cv["indices"]["test"])
    of_training = [logit(hits[train].mean(axis=0)) for train in cv["indices"]["train"]]
    folds = zip(cv["estimator"], cv["indices"]["test"], of_training, strict=True)
    odds = [logit(fitted.predict_proba(X[test])) - each for fitted, test, each in folds]
    cells = np.concatenate(odds) + np.mean(of_training, axis=0)  # columns keep what they differ by
    for average in (None, "micro"):
        found = from_cv_results(cv, X, y, pooling="odds", average=average).estimate
        expected = average_precision_score(hits[rows].astype(int), cells, average=average)
        np.testing.assert_allclose(found, expected)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_the_folds_beside_odds_of_classes_are_scored_by_probabilities():
    """Decisions rank the rows of a class otherwise: a probability depends on all classes."""
    X, y = make_classification(
        600, n_classes=3, n_informative=5, weights=[0.6, 0.3], flip_y=0.2, random_state=1
    )
    model = LogisticRegression(C=0.01)
    cv = validated(model, X, y, cv=StratifiedKFold(5))
    found = from_cv_results(cv, X, y, pooling="odds").fold_scores
    pairs = [*zip(cv["estimator"], cv["indices"]["test"], strict=True)]
    expected = [average_precision_score(y[rows], m.predict_proba(X[rows])) for m, rows in pairs]
    np.testing.assert_allclose(found, expected)
    decided = [average_precision_score(y[rows], m.decision_function(X[rows])) for m, rows in pairs]
    assert np.abs(np.subtract(found, decided)).max() > 0.005
    np.testing.assert_allclose(from_cv_results(cv, X, y).fold_scores, decided)


def test_queries_need_no_pool_and_no_probabilities():
    queries = np.arange(Y.size) // 10
    for model in (LinearSVC(), SHRUNK):
        cv = validated(model, cv=GroupKFold(5), groups=queries)
        options = {"queries": queries, "zero_division": 0.0}
        pools = ("scores", "ranks", "odds")
        found = [from_cv_results(cv, X, Y, pooling=pooling, **options) for pooling in pools]
        assert len({each.estimate for each in found}) == 1
        assert not found[0].fold_scores_are_biased


def in_comparison(models, X, y, cv, how=AveragePrecisionComparison, **options):
    """What the models say alone, and what they say in a comparison."""
    found = {name: validated(model, X, y, cv=cv) for name, model in models.items()}
    alone = [text for each in found.values() for text in texts_of(each, X, y, **options)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        how.from_cv_results(found, X, y, **options)
    return alone, [str(each.message) for each in caught]


@pytest.mark.parametrize("how", [AveragePrecisionComparison, BestAveragePrecision])
def test_a_shift_counts_beside_the_error_of_a_difference(how):
    rows, y = drawn()
    models = {"shrunk": LogisticRegression(C=0.003), "plain": LogisticRegression()}
    alone, texts = in_comparison(models, rows, y, KFold(5), how)
    assert alone == []
    assert len(texts) == 1
    assert texts[0].startswith("unequal prevalence: 'shrunk': The folds")
    assert "Pass pooling='odds', or split with StratifiedKFold." in texts[0]
    for pooling in ("odds", "ranks"):
        assert in_comparison(models, rows, y, KFold(5), how, pooling=pooling)[1] == []
    assert in_comparison(models, rows, y, StratifiedKFold(5), how)[1] == []
    alike = {"one": LogisticRegression(), "two": LogisticRegression(C=0.9)}
    assert in_comparison(alike, rows, y, KFold(5), how)[1] == []


def drawn(n_rows=1600):
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.125).astype(int)
    return rng.normal(size=(n_rows, 6)) + 0.8 * (np.arange(6) < 3) * y[:, None], y


def test_a_comparison_advises_what_all_its_models_can_do():
    models = {"other": LinearSVC(), "shrunk": LogisticRegression(C=0.003)}
    _, (text,) = in_comparison(models, *drawn(), KFold(5))
    assert text.startswith("unequal prevalence: 'shrunk': ")
    assert "odds" not in text
    assert "Split with StratifiedKFold. If rows belong to patients, split with" in text


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


@pytest.mark.parametrize("pooling", ["scores", "ranks"])
def test_scores_that_are_all_the_same_do_not_follow_the_share(pooling):
    cv = validated(DummyClassifier(strategy="most_frequent"), cv=KFold(8))
    assert texts_of(cv, X, Y, pooling=pooling) == []


def test_the_mean_of_columns_varies_less_than_each_so_a_smaller_shift_counts():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(600, 8))
    table = (rows @ rng.normal(size=(8, 30)) + 3 * rng.normal(size=(600, 30)) > 5).astype(int)
    cv = validated(OneVsRestClassifier(LogisticRegression(C=0.03)), rows, table, cv=KFold(5))
    first = validated(LogisticRegression(C=0.03), rows, table[:, 0], cv=KFold(5))
    assert texts_of(first, rows, table[:, 0]) == []
    assert any("unequal prevalence" in text for text in texts_of(cv, rows, table))


def test_odds_of_few_distinct_probabilities_are_warned_of_and_not_advised():
    order = np.argsort(Y + np.random.default_rng(0).normal(size=400), kind="stable")
    rows, y = X[order], Y[order]
    cv = validated(KNeighborsClassifier(5), rows, y, cv=KFold(8))
    (text,) = texts_of(cv, rows, y)
    assert "unequal prevalence" in text
    assert "odds" not in text
    (text,) = texts_of(cv, rows, y, pooling="odds")
    assert text.startswith("broken ties: The models give few distinct probabilities")
    smooth = validated(GaussianNB(), rows, y, cv=KFold(8))
    assert texts_of(smooth, rows, y, pooling="odds") == []


def test_odds_are_advised_where_they_can_be_pooled():
    order = np.argsort(Y, kind="stable")  # the second of two folds tests all positives, and others
    cv = validated(GaussianNB(), X[order], Y[order], cv=KFold(2))
    assert Y[order][:200].sum() == 0
    (text,) = texts_of(cv, X[order], Y[order])
    assert "odds" not in text
    balanced = validated(BALANCED[0], X[order], Y[order], cv=KFold(5))
    (text,) = texts_of(balanced, X[order], Y[order], pooling="ranks")
    assert "unequal prevalence" in text
    assert "odds" not in text


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


def test_odds_keep_a_part_of_a_large_shift():
    rows, y = nearly_sorted(1000)
    (text,) = texts_of(validated(SHRUNK, rows, y, cv=KFold(10)), rows, y, pooling="odds")
    assert text.startswith("shrunken models: The folds differ much")
    stratified = validated(SHRUNK, rows, y, cv=StratifiedKFold(10))
    assert texts_of(stratified, rows, y, pooling="odds") == []


# Two folds, whose models know no class from the other: within folds, positives are no higher.
# The first tests 3 of 4 positives, the second 1 of 4, and all of the second are above the first.
FOLDS_APART = np.array([1, 1, 1, 0, 1, 0, 0, 0]), np.array([0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9])


def test_the_shift_is_what_classes_lose_between_folds_in_standard_errors():
    y, scores = FOLDS_APART
    cv = given_cv([range(4), range(4, 8)], [range(4, 8), range(4)])
    pool = pool_folds(cv, scores[:, None], Request(y, None), "scores", Step())
    # Ranks are 2.5 and 6.5: the positives have 3.5, the negatives 5.5, both a deviation of sqrt(3).
    expected = (3.5 - 5.5) / (np.sqrt(3) * np.sqrt(1 / 4 + 1 / 4))
    assert pool.shift.size == pytest.approx(expected)
    # A fold whose labels are unknown in a column shows nothing there, without a warning of NumPy.
    table = np.column_stack([np.r_[np.nan, np.nan, y], np.r_[1, 0, y]])
    columns = np.repeat(np.r_[0, 1, scores], 2).reshape(-1, 2)
    cv = {"y_score": columns, "folds": np.repeat([0, 1, 2], [2, 4, 4])}
    pool = pool_folds(cv, None, Request(table, None, average=None), "scores", Step())
    assert pool.shift.size[0] == pytest.approx(expected)
    # Columns that exclude each other vary each by itself, as far as a mean tells.
    both = Request(np.column_stack([y, 1 - y]), None)
    cv = {"y_score": np.column_stack([scores, -scores]), "folds": np.repeat([0, 1], 4)}
    pool = pool_folds(cv, None, both, "scores", Step())
    assert pool.shift.size == pytest.approx(2 * expected / np.sqrt(2))


def test_folds_of_one_class_show_no_loss_so_the_largest_is_taken():
    y, scores = np.repeat([1, 0], 4), np.array([0.9, 0.8, 0.7, 0.3, 0.6, 0.4, 0.2, 0.1])
    cv = given_cv([range(4), range(4, 8)], [range(8), range(8)])
    pool = pool_folds(cv, scores[:, None], Request(y, None), "scores", Step())
    # The mean ranks are 6 and 3, and would be 4 apart if all positives were above all negatives.
    within = np.std([8, 7, 6, 3, 5 + 3, 4 + 3, 2 + 3, 1 + 3])
    assert pool.shift.size == pytest.approx((3 - 4) / (within * np.sqrt(1 / 4 + 1 / 4)))


def test_the_split_that_is_advised_fits_the_data():
    rows, y = nearly_sorted(120)
    few = validated(SHRUNK, rows, y, cv=StratifiedKFold(10))  # 24 positives
    (text,) = texts_of(few, rows, y)
    choose = "choose a number of folds that divides that of the positives."
    assert text.endswith(f"Pass pooling='odds', or {choose}")
    table = np.column_stack([y, y[::-1]])
    many = validated(OneVsRestClassifier(SHRUNK), rows, table, cv=KFold(10))
    (text,) = texts_of(many, rows, table)
    assert "or choose folds that have nearly equal shares of the positives of each column." in text


class Failing(LogisticRegression):
    """Its probabilities fail."""

    def predict_proba(self, X):
        raise RuntimeError("no probabilities today")


def test_probabilities_are_asked_for_by_odds_alone():
    cv = validated(Failing())
    assert 0 < from_cv_results(cv, X, Y).estimate < 1
    with pytest.raises(RuntimeError, match="no probabilities today"):
        from_cv_results(cv, X, Y, pooling="odds")


def test_the_error_beside_which_a_shift_counts_has_what_a_small_sample_hides():
    models = {"plain": LogisticRegression(), "shrunk": LogisticRegression(C=0.02)}
    assert in_comparison(models, *drawn(160), KFold(5))[1] == []
