"""Intervals and comparisons from cross-validation, with real estimators and splitters."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics import average_precision_score as sklearn_average_precision
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    BestAveragePrecision,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    intervals,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.folds.pooling import (
    _shares_of_top,
    _unequal_shares,
    pool_models,
)
from sklearn_ap.definitions import AtK, Expected, Step

from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


def validated(model=MODEL, X=X, y=Y, cv=FOLDS, **options):
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **options)


def same(first, second):
    np.testing.assert_equal(first.rows(), second.rows())


@pytest.fixture
def as_of_one_model(monkeypatch):
    """Intervals of pools without what models add that vary with the rows."""
    monkeypatch.setattr(intervals, "LEAST_FACTOR", 1.0)


def test_the_variance_of_a_pool_is_a_quarter_larger_as_models_vary_with_the_rows():
    cv = validated()
    rows, pooled = np.concatenate(cv["indices"]["test"]), []
    for model, test in zip(cv["estimator"], cv["indices"]["test"], strict=True):
        pooled.append(model.decision_function(X[test]))
    found = from_cv_results(cv, X, Y)
    of_rows = average_precision_interval(Y[rows], np.concatenate(pooled))
    assert found.standard_error**2 == pytest.approx(1.25 * of_rows.standard_error**2)
    assert found.low < of_rows.low < of_rows.high < found.high
    for made in (AveragePrecisionComparison, BestAveragePrecision):
        compared = made.from_cv_results({"a": cv, "b": cv}, X, Y)
        assert compared.highs[0] == pytest.approx(found.high)


@pytest.mark.usefixtures("as_of_one_model")
@pytest.mark.parametrize("definition", [Step(), AtK(20)], ids=repr)
def test_it_is_the_interval_of_the_scores_that_cross_val_predict_pools(definition):
    pooled = cross_val_predict(MODEL, X, Y, cv=FOLDS, method="decision_function")
    found = from_cv_results(validated(), X, Y, definition=definition, rng=0)
    rows = np.concatenate(validated()["indices"]["test"])
    options = {"definition": definition, "rng": 0}
    same(found, average_precision_interval(Y[rows], pooled[rows], **options))


def test_the_scores_of_the_folds_are_those_of_cross_val_score():
    found = from_cv_results(validated(), X, Y)
    expected = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring="average_precision")
    np.testing.assert_allclose(found.fold_scores, expected, rtol=1e-12)
    mean, estimate = expected.mean(), found.estimate
    last = repr(found).splitlines()[-1]
    assert last == f"mean of 5 folds: {mean:.4f}, too high by about {mean - estimate:.4f}"


@pytest.mark.parametrize("pooling", ["scores", "ranks"])
def test_names_of_classes_need_a_positive_one(pooling):
    words = np.where(Y == 1, "spam", "mail")
    cv, options = validated(y=words), {"pooling": pooling}
    compare = AveragePrecisionComparison.from_cv_results
    message = r"{'mail', 'spam'} .* Pass pos_label='mail' or pos_label='spam'\."
    for call in (from_cv_results, compare):
        given = cv if call == from_cv_results else {"a": cv, "b": validated(LinearSVC(), y=words)}
        with pytest.raises(ValueError, match=message):
            call(given, X, words, **options)
    same(
        from_cv_results(cv, X, words, pos_label="spam", **options),
        from_cv_results(validated(), X, Y, **options),
    )
    found = from_cv_results(cv, X, words, pos_label="mail", **options)
    same(found, from_cv_results(validated(y=1 - Y), X, 1 - Y, **options))


def test_the_mean_of_folds_is_not_called_too_high_where_the_pool_is_another_score():
    assert "too high" not in repr(from_cv_results(validated(), X, Y, definition=AtK(20)))
    many = make_classification(4000, weights=[0.9], flip_y=0.1, random_state=0)
    with pytest.warns(UncertaintyWarning, match="do not mean"):
        doubtful = from_cv_results(validated(SGDClassifier(random_state=0), *many), *many)
    assert not doubtful.fold_scores_are_biased
    assert "too high" not in repr(doubtful)


def test_queries_without_positives_count_0_in_the_score_of_a_fold():
    queries = np.arange(Y.size) // 4
    cv = validated(cv=GroupKFold(5).split(X, Y, queries))
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        found = from_cv_results(cv, X, Y, queries=queries)
    scores = [
        average_precision_score(
            Y[rows], model.decision_function(X[rows]), queries=queries[rows], zero_division=0.0
        )
        for model, rows in zip(cv["estimator"], cv["indices"]["test"], strict=True)
    ]
    np.testing.assert_allclose(found.fold_scores, scores, rtol=1e-12)


def test_rows_that_no_fold_tests_are_left_out():
    cv = validated(cv=TimeSeriesSplit(4))
    found = from_cv_results(cv, X, Y)
    assert found.n_positives == Y[np.concatenate(cv["indices"]["test"])].sum()


def test_scores_on_other_scales_are_warned_of_and_ranks_do_not_mind():
    X, y = make_classification(4000, weights=[0.9], flip_y=0.1, random_state=0)
    cv = validated(SGDClassifier(random_state=0), X, y, cv=StratifiedKFold(10))
    with pytest.warns(UncertaintyWarning, match=r"scores of the folds do not mean the same: of t"):
        pooled = from_cv_results(cv, X, y)
    ranked = from_cv_results(cv, X, y, pooling="ranks")
    assert ranked.estimate > pooled.estimate


class Scaled(LogisticRegression):
    """Scores on a scale that depends on the rows of training."""

    def decision_function(self, X):
        return super().decision_function(X) * 10 ** (1e4 * self.coef_.sum() % 6)


def test_ranks_do_not_depend_on_the_scale_of_a_fold():
    plain, scaled = validated(LogisticRegression()), validated(Scaled())
    ours = [from_cv_results(cv, X, Y, pooling="ranks") for cv in (plain, scaled)]
    assert ours[0].estimate == pytest.approx(ours[1].estimate, abs=0.01)


def test_ties_that_the_pool_breaks_are_warned_of():
    X, y = make_classification(2000, weights=[0.8], flip_y=0.1, random_state=0)
    cv = validated(DecisionTreeClassifier(max_depth=3, random_state=0), X, y)
    for pooling in ("scores", "ranks"):
        with pytest.warns(UncertaintyWarning, match=r"few distinct scores.*Expected\(\)"):
            from_cv_results(cv, X, y, pooling=pooling)
    from_cv_results(cv, X, y, definition=Expected())


@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()], ids=repr)
def test_alike_folds_are_not_warned_of(model):
    for seed in range(4):
        X, y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=seed)
        cv = validated(model, X, y)
        for average in ("macro", "micro"):
            from_cv_results(cv, X, y, average=average)


@pytest.mark.usefixtures("as_of_one_model")
def test_several_classes_have_a_column_each():
    X, y = make_classification(600, n_classes=3, n_informative=5, random_state=0)
    y = np.array(["low", "middle", "top"])[y]
    cv = validated(LogisticRegression(), X, y)
    for average in ("macro", "weighted", "micro", None):
        found = from_cv_results(cv, X, y, average=average)
        rows = np.concatenate(cv["indices"]["test"])
        scores = cross_val_predict(
            LogisticRegression(), X, y, cv=FOLDS, method="decision_function"
        )[rows]
        same(found, average_precision_interval(y[rows], scores, average=average))
        assert len(found.fold_scores) == 5


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_a_class_that_a_fold_has_not_seen_has_probability_0():
    X, y = make_classification(120, n_classes=3, n_informative=5, random_state=0)
    y[:2] = 3  # in the first fold alone
    cv = validated(GaussianNB(), X, y, cv=KFold(4))
    found = from_cv_results(cv, X, y, average=None, zero_division=0.0)
    assert found.estimate.shape == (4,)
    from_cv_results(validated(LogisticRegression(), X, y, cv=KFold(4)), X, y)
    cv = validated(LinearSVC(), X, y, cv=KFold(4))
    with pytest.raises(ValueError, match=r"LinearSVC has not seen every class.*predict_proba"):
        from_cv_results(cv, X, y)


def test_a_failed_fit_is_named():
    class Fails(LogisticRegression):
        def fit(self, X, y):
            if X[0, 0] == X0:
                raise ValueError("no")
            return super().fit(X, y)

    X0 = X[next(iter(FOLDS.split(X, Y)))[0][0], 0]
    with pytest.warns(match="fits failed"):
        cv = validated(Fails())
    with pytest.raises(ValueError, match=r"model of fold 0 cannot score.*error_score='raise'"):
        from_cv_results(cv, X, Y)


def lost_on_new_rows(results, labels):
    """Of what the models of the folds gain over chance on the rows of the fold before."""
    tests = results["indices"]["test"]
    seen, new, chance = [], [], []
    for i, model in enumerate(results["estimator"]):
        on_seen, on_new = (model.predict_proba(X[rows])[:, 1] for rows in (tests[i - 1], tests[i]))
        seen.append(sklearn_average_precision(labels[tests[i - 1]], on_seen))
        new.append(sklearn_average_precision(labels[tests[i]], on_new))
        chance.append(labels[tests[i - 1]].mean())
    return (np.mean(seen) - np.mean(new)) / (np.mean(seen) - np.mean(chance))


def test_the_variance_grows_with_what_is_lost_on_new_rows():
    cv = {name: validated(KNeighborsClassifier(n)) for name, n in (("a", 30), ("b", 50))}
    lost = max(lost_on_new_rows(results, Y) for results in cv.values())
    assert 0.05 < lost < 0.35
    a, b = (
        cross_val_predict(KNeighborsClassifier(n), X, Y, cv=FOLDS, method="predict_proba")[:, 1]
        for n in (30, 50)
    )
    alone = compare_average_precision(Y, {"a": a, "b": b}).difference_standard_errors[1]
    for of, most in (("models", 0.5), ("training", 1.0)):
        found = AveragePrecisionComparison.from_cv_results(cv, X, Y, of=of)
        expected = alone * np.sqrt(1.25 + most * lost / 0.4)
        assert found.difference_standard_errors[1] == pytest.approx(expected)


def test_a_model_without_an_order_does_not_overfit():
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)  # of unequal shares
    cv = {name: validated(DummyClassifier(), cv=folds) for name in "ab"}
    request = Request(Y, None)
    (pool, _), *_ = pool_models(cv, X, request, "scores", Step())
    assert pool.overfit() == 0


def test_rows_that_no_model_has_seen_say_nothing_of_overfitting():
    cv = {
        name: validated(model, cv=ShuffleSplit(1, test_size=0.5, random_state=0))
        for name, model in {"a": MODEL, "b": GaussianNB()}.items()
    }
    found = AveragePrecisionComparison.from_cv_results(cv, X, Y)
    (rows,) = cv["a"]["indices"]["test"]
    scores = {"a": cv["a"]["estimator"][0].decision_function(X[rows])}
    scores["b"] = cv["b"]["estimator"][0].predict_proba(X[rows])[:, 1]
    alone = compare_average_precision(Y[rows], scores).difference_standard_errors
    np.testing.assert_allclose(found.difference_standard_errors[1], alone[1] * np.sqrt(1.75))


def test_ties_at_the_edge_of_the_top_belong_to_it():
    tied = [np.repeat([0.0, 1.0], [80, 20]), np.repeat([0.0, 1.0], [60, 40])]
    assert _shares_of_top(tied, 1, 1e-3) is None  # 20 and 40 of 60
    n_top, _ = _shares_of_top([tied[0], np.repeat([0.0, 1.0], [20, 80])], 1, 1e-3)
    assert list(n_top) == [20, 80]


@pytest.mark.parametrize(("start", "n_top"), [(0, 50), (50, 100), (100, 200), (200, 400)])
def test_four_tops_are_looked_at(start, n_top):
    # All rows of the first fold stand above those of the second, after so many that are shared.
    scores = np.arange(2000.0)[::-1]
    shared, rest = scores[:start], scores[start:]
    folds = [np.r_[shared[i::2], half] for i, half in enumerate(np.split(rest, 2))]
    found, _ = _unequal_shares(folds, 100)
    assert found.sum() == n_top
    assert _unequal_shares([scores[::2], scores[1::2]], 100) is None


def test_a_top_of_few_rows_of_each_fold_is_not_tested():
    scores = np.arange(600.0).reshape(60, 10).T  # ten folds that share all tops
    scores[0, -8:] += 1000  # one has 8 of the 12 highest rows, which is rare
    assert _unequal_shares(list(scores), 12) is None
    assert _shares_of_top(list(scores), 12, 1e-3) is not None


@pytest.mark.filterwarnings("ignore:few clusters")
def test_queries_and_clusters_may_have_other_scores_in_each_fold():
    queries = np.repeat(np.arange(40), 25)
    X = np.random.default_rng(0).normal(size=(1000, 2)) + np.repeat(np.arange(40), 25)[:, None]
    y = (np.arange(1000) % 5 == 0).astype(int)
    for name in ("queries", "clusters"):
        cv = validated(LogisticRegression(), X, y, cv=GroupKFold(5), groups=queries)
        from_cv_results(cv, X, y, **{name: queries})


def test_ranks_of_cells_are_made_in_one_scale():
    X, y = make_multilabel_classification(300, n_classes=3, random_state=0)
    cv = validated(OneVsRestClassifier(LogisticRegression()), X, y, cv=KFold(5))
    micro = from_cv_results(cv, X, y, average="micro", pooling="ranks")
    assert micro.estimate == pytest.approx(micro.fold_scores.mean(), abs=0.02)
    with pytest.raises(ValueError, match="average='samples' needs no pool"):
        from_cv_results(cv, X, y, average="samples", pooling="ranks")


def test_rows_that_were_left_out_on_purpose_or_not_are_said():
    cv, expected = validated(), from_cv_results(validated(), X, Y)
    with pytest.warns(UserWarning, match=r"have 800 rows, but the first 400 were.*pass X\[:400\]"):
        found = from_cv_results(cv, np.tile(X, (2, 1)), np.tile(Y, 2))
    assert found.estimate == expected.estimate


def test_a_single_fold_has_no_mean_of_folds():
    found = from_cv_results(validated(cv=ShuffleSplit(1, test_size=0.5, random_state=0)), X, Y)
    assert "mean of" not in repr(found)
    assert found.fold_scores.shape == (1,)


def test_clusters_that_a_model_has_seen_are_said():
    patients = np.arange(Y.size) // 5
    with pytest.warns(UncertaintyWarning, match=r"clusters are in the training rows.*GroupKFold"):
        from_cv_results(validated(), X, Y, clusters=patients)
    apart = validated(cv=StratifiedGroupKFold(5), groups=patients)
    assert from_cv_results(apart, X, Y, clusters=patients).estimate > 0


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_queries_of_folds_have_scores_of_their_own():
    queries = np.arange(Y.size) // 10
    cv = validated(cv=GroupKFold(6), groups=queries)
    found = from_cv_results(cv, X, Y, queries=queries, average=None, zero_division=0.0)
    assert found.fold_scores is None
    assert found.estimate.shape == (Y.size // 10,)


def test_the_model_of_a_warning_is_named():
    X, y = make_classification(4000, weights=[0.9], flip_y=0.1, random_state=0)
    models = {"linear": LogisticRegression(), "hinge": SGDClassifier(random_state=0)}
    cv = {name: validated(model, X, y) for name, model in models.items()}
    with pytest.warns(UncertaintyWarning, match="^unequal scales: 'hinge': The scores"):
        AveragePrecisionComparison.from_cv_results(cv, X, y)


@pytest.mark.filterwarnings("ignore:unequal prevalence:sklearn_ap.UncertaintyWarning")
def test_folds_without_positives_are_not_in_the_mean():
    y = np.sort(Y)
    cv = validated(Ridge(), y=y, cv=KFold(8))
    found = from_cv_results(cv, X, y, pooling="ranks")
    defined = found.fold_scores[~np.isnan(found.fold_scores)]
    assert f"mean of {defined.size} folds with positives: {defined.mean():.4f}" in repr(found)


@pytest.mark.parametrize("pooling", ["scores", "odds"])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()], ids=repr)
def test_two_labels_are_two_columns(model, pooling):
    """scikit-learn's scorers take them for two classes."""
    X, y = make_multilabel_classification(200, n_classes=2, random_state=0)
    found = [
        from_cv_results(validated(several(model), X, y, cv=KFold(4)), X, y, pooling=pooling)
        for several in (OneVsRestClassifier, MultiOutputClassifier)
    ]
    assert found[0].estimate == pytest.approx(found[1].estimate)


REPEATED = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
REFUSED = {
    r"query 0 is tested in several folds.*GroupKFold": {"queries": np.repeat(np.arange(40), 10)},
    r"pooling must be one of .*, got 'z-scores'": {"pooling": "z-scores"},
    r"AtK\(k=3\) counts ranks, and several folds test a row": {
        "cv": validated(cv=REPEATED),
        "definition": AtK(3),
    },
    r"Call cross_validate\(model, X, y, cv=5, return_est": {"cv": cross_validate(MODEL, X, Y)},
    r"Pass the search itself to cross_validate": {
        "cv": GridSearchCV(MODEL, {}).fit(X, Y).cv_results_
    },
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_pooled_is_refused(text):
    options = {"cv": validated()} | REFUSED[text]
    with pytest.raises(ValueError, match=text):
        from_cv_results(options.pop("cv"), X, Y, **options)


@pytest.mark.parametrize("cv", [LeaveOneOut(), KFold(30)])
def test_leave_one_out_is_refused(cv):
    cv = validated(GaussianNB(), X[:40], Y[:40], cv=cv)
    with pytest.raises(ValueError, match=r"single row, as in leave-one-out.*StratifiedKFold"):
        from_cv_results(cv, X[:40], Y[:40])


@pytest.mark.parametrize("wrong", [np.array([0.5, 0.6]), [1], None])
def test_what_is_no_result_of_cross_validate_is_refused(wrong):
    with pytest.raises(TypeError, match="cv_results must be what cross_validate returns"):
        from_cv_results(wrong, X, Y)


def test_comparisons_that_cannot_be_made_are_refused():
    compare = AveragePrecisionComparison.from_cv_results
    with pytest.raises(TypeError, match="cv_results must map names to results"):
        compare([validated()], X, Y)
    with pytest.raises(ValueError, match=r"of must be one of .*, got 'learners'"):
        compare({"A": validated(), "B": validated()}, X, Y, of="learners")
    for call in (compare, BestAveragePrecision.from_cv_results):
        with pytest.raises(ValueError, match=r"folds of 'B' are not those of 'A'.*same splitter"):
            call({"A": validated(), "B": validated(cv=StratifiedKFold(5))}, X, Y)


def test_folds_that_are_shifted_are_called_unequal():
    def shares(n_folds, n_rows, n_top, shift, seed=0):
        rng = np.random.default_rng(seed)
        scores = [rng.normal(size=n_rows) + shift * f for f in range(n_folds)]
        return _shares_of_top(scores, n_top, 1e-3)

    n_top, n_rows = shares(2, 100, 50, 1.2)
    assert n_top[1] > n_top[0]
    assert n_top.sum() == 50
    assert list(n_rows) == [100, 100]
    for n_top, shift in ((50, 0.3), (0, 9), (200, 9)):
        assert shares(2, 100, n_top, shift) is None
    alarms = sum(shares(5, 60, 100, 0, seed) is not None for seed in range(3000))
    assert 0 < alarms < 14  # 3 are expected


def test_positives_of_repeated_rows_that_rank_labels_count_once():
    X, y = make_multilabel_classification(100, n_classes=4, random_state=0)
    found = []
    for n in (1, 3):
        cv = RepeatedKFold(n_splits=5, n_repeats=n, random_state=0)
        cv = validated(OneVsRestClassifier(LogisticRegression()), X, y, cv=cv)
        found.append(from_cv_results(cv, X, y, average="samples", zero_division=0.0))
    assert found[0].n_positives == found[1].n_positives == y.sum()
    assert found[0].n_effective == pytest.approx(found[1].n_effective)


def test_the_results_of_one_model_are_not_compared():
    for made in (AveragePrecisionComparison, BestAveragePrecision):
        with pytest.raises(ValueError, match=r"one model.* as \{'A': cv_a, 'B': cv_b\}"):
            made.from_cv_results(validated(), X, Y)
