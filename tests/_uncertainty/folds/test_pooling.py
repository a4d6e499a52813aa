"""Intervals and comparisons from cross-validation, with real estimators and splitters."""

import numpy as np
import pandas as pd
import pytest
from every import every
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    BestAveragePrecision,
    UncertaintyWarning,
    average_precision_score,
    compare_average_precision,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.folds.pooling import _shares_of_top, _unequal_shares, pool_folds
from sklearn_ap.definitions import AtK, Expected, Step

silent = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


def validated(model=MODEL, X=X, y=Y, cv=FOLDS, **options):
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True, **options)


def same(first, second):
    np.testing.assert_equal(first.rows(), second.rows())


def test_the_scores_of_the_folds_are_those_of_cross_val_score():
    found = from_cv_results(validated(), X, Y)
    expected = cross_val_score(MODEL, X, Y, cv=FOLDS, scoring="average_precision")
    np.testing.assert_allclose(found.fold_scores, expected, rtol=1e-12)
    mean, estimate = expected.mean(), found.estimate
    last = repr(found).splitlines()[-1]
    assert last == f"mean of 5 folds: {mean:.4f}, too high by about {mean - estimate:.4f}"


@pytest.mark.parametrize("pooling", ["scores", "ranks"])
def test_each_of_two_classes_may_be_positive(pooling):
    words = np.where(Y == 1, "spam", "mail")
    cv, options = validated(y=words), {"pooling": pooling}
    for label, y in (("spam", Y), ("mail", 1 - Y)):
        found = from_cv_results(cv, X, words, pos_label=label, **options)
        same(found, from_cv_results(validated(y=y), X, y, **options))


def test_scores_on_other_scales_are_warned_of_ranks_do_not_mind_and_no_mean_is_too_high():
    assert not from_cv_results(validated(), X, Y, definition=AtK(20)).fold_scores_are_biased
    many = make_classification(4000, weights=[0.9], flip_y=0.1, random_state=0)
    models = {"linear": MODEL, "hinge": SGDClassifier(random_state=0)}
    cv = {name: validated(model, *many) for name, model in models.items()}
    with pytest.warns(UncertaintyWarning, match=r"scores of the folds do not mean the same: of t"):
        doubtful = from_cv_results(cv["hinge"], *many)
    assert not doubtful.fold_scores_are_biased
    assert "too high" not in repr(doubtful)
    assert from_cv_results(cv["hinge"], *many, pooling="ranks").estimate > doubtful.estimate
    with pytest.warns(UncertaintyWarning, match="^unequal scales: 'hinge': The scores"):
        AveragePrecisionComparison.from_cv_results(cv, *many)


def test_rows_that_no_fold_tests_are_left_out():
    cv = validated(cv=TimeSeriesSplit(4))
    found = from_cv_results(cv, X, Y)
    assert found.n_positives == Y[np.concatenate(cv["indices"]["test"])].sum()


def test_ties_that_the_pool_breaks_are_warned_of():
    X, y = make_classification(2000, weights=[0.8], flip_y=0.1, random_state=0)
    cv = validated(DecisionTreeClassifier(max_depth=3, random_state=0), X, y)
    for pooling in ("scores", "ranks"):
        with pytest.warns(UncertaintyWarning, match=r"few distinct scores.*Expected\(\)"):
            from_cv_results(cv, X, y, pooling=pooling)
        from_cv_results(cv, X, y, pooling=pooling, definition=Expected())


ALIKE = [LogisticRegression(C=0.001), GaussianNB(), LinearSVC(), Ridge()]


@pytest.mark.parametrize("model", ALIKE, ids=repr)
def test_alike_folds_are_not_warned_of(model):
    for seed in range(4):
        X, y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=seed)
        cv = validated(model, X, y)
        for average in ("macro", "micro"):
            from_cv_results(cv, X, y, average=average)


@silent
def test_a_class_that_a_fold_has_not_seen_has_probability_0():
    X, y = make_classification(120, n_classes=3, n_informative=5, random_state=0)
    y[:2] = 3  # in the first fold alone
    cv = validated(GaussianNB(), X, y, cv=KFold(4))
    found = from_cv_results(cv, X, y, average=None, zero_division=0.0)
    assert found.estimate.shape == (4,)
    with pytest.raises(
        ValueError, match=r"y has the labels \[9\], which GaussianNB was not fitted"
    ):
        from_cv_results(cv, X, np.where(y == 2, 9, y))
    from_cv_results(validated(LogisticRegression(), X, y, cv=KFold(4)), X, y)
    cv = validated(LinearSVC(), X, y, cv=KFold(4))
    with pytest.raises(ValueError, match=r"LinearSVC has not seen every class.*predict_proba"):
        from_cv_results(cv, X, y)


def test_rows_that_no_model_has_seen_say_nothing_of_overfitting():
    half = ShuffleSplit(1, test_size=0.5, random_state=0)
    cv = {"a": validated(cv=half), "b": validated(GaussianNB(), cv=half)}
    found = AveragePrecisionComparison.from_cv_results(cv, X, Y)
    (rows,) = cv["a"]["indices"]["test"]
    scores = {"a": cv["a"]["estimator"][0].decision_function(X[rows])}
    scores["b"] = cv["b"]["estimator"][0].predict_proba(X[rows])[:, 1]
    alone = compare_average_precision(Y[rows], scores).difference_standard_errors
    np.testing.assert_allclose(found.difference_standard_errors[1], alone[1] * np.sqrt(1.75))


@silent
def test_the_gain_on_seen_rows_is_that_over_chance_there():
    """Each model but the first was trained on the rows that the fold before it tests."""
    models = {name: LogisticRegression(C=c) for name, c in (("a", 1), ("b", 0.01))}
    X, y = make_classification(400, n_features=30, weights=[0.8], flip_y=0.1, random_state=1)
    cv = {name: validated(model, X, y, cv=TimeSeriesSplit(4)) for name, model in models.items()}
    tests, overfits, pooled = cv["a"]["indices"]["test"], [], {}
    for name, results in cv.items():
        given = [each.decision_function for each in results["estimator"]]
        new = [score(X[rows]) for score, rows in zip(given, tests, strict=True)]
        seen = [score(X[rows]) for score, rows in zip(given[1:], tests, strict=False)]
        on_new, on_seen = (
            np.mean([average_precision_score(y[r], s) for r, s in zip(tests, each, strict=False)])
            for each in (new, seen)
        )
        overfits.append((on_seen - on_new) / (on_seen - y[np.concatenate(tests[:-1])].mean()))
        pooled[name] = np.concatenate(new)
    assert 0 < max(overfits) < 0.4
    alone = compare_average_precision(y[np.concatenate(tests)], pooled).difference_standard_errors
    found = AveragePrecisionComparison.from_cv_results(cv, X, y).difference_standard_errors
    factor = 1.25 + 0.5 * max(overfits) / 0.4
    np.testing.assert_allclose(found[1], alone[1] * np.sqrt(factor))


@every(("n_top", "is_found"), [(36, False), (37, True)])
def test_tops_are_unequal_if_chance_shares_them_so_once_in_4000_folds(n_top, is_found):
    """Of four tops together in 1,000: a deviation of the hypergeometric distribution of 3.66."""
    folds = [np.repeat([0.0, 1.0], [100 - n, n]) for n in (n_top, 50 - n_top)]
    assert (_unequal_shares(folds, 50) is not None) == is_found


@every(("n_scores", "name"), [(49, "broken ties"), (50, "unequal scales")])
def test_few_distinct_scores_are_less_than_half_as_many_as_rows(n_scores, name):
    scores = np.arange(100) % n_scores
    cv = {"y_score": np.append(scores, scores + 30), "folds": np.repeat([0, 1], 100)}
    with pytest.warns(UncertaintyWarning, match=f"^{name}"):
        from_cv_results(cv, None, np.arange(200) % 4 == 0)


def test_ties_at_the_edge_of_the_top_belong_to_it():
    tied = [np.repeat([0.0, 1.0], [80, 20]), np.repeat([0.0, 1.0], [60, 40])]
    assert _shares_of_top(tied, 1, 1e-3) is None  # 20 and 40 of 60
    n_top, _ = _shares_of_top([tied[0], np.repeat([0.0, 1.0], [20, 80])], 1, 1e-3)
    assert list(n_top) == [20, 80]


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
    cv = validated()
    pairs = zip(cv["indices"]["train"], cv["indices"]["test"], strict=True)
    n_split = max(np.isin(np.unique(patients[a]), patients[b]).sum() for a, b in pairs)
    text = f"in training: {n_split} clusters are in the training rows.*GroupKFold"
    with pytest.warns(UncertaintyWarning, match=text):
        from_cv_results(cv, X, Y, clusters=patients)
    apart = validated(cv=StratifiedGroupKFold(5), groups=patients)
    found = from_cv_results(apart, X, Y, clusters=patients)
    assert found.positives_for((found.high - found.low) / 2) == found.n_positives
    # The same folds once more say nothing new: the clusters stay those of the user.
    apart["indices"] = {part: 2 * folds for part, folds in apart["indices"].items()}
    apart["estimator"] = 2 * apart["estimator"]
    twice = from_cv_results(apart, X, Y, clusters=patients)
    assert twice.standard_error == pytest.approx(found.standard_error)


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
    one, other = (
        from_cv_results(validated(several(model), X, y, cv=KFold(4)), X, y, pooling=pooling)
        for several in (OneVsRestClassifier, MultiOutputClassifier)
    )
    assert one.estimate == pytest.approx(other.estimate)


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
    r"single row, as in leave-one-out.*StratifiedKFold": {
        "cv": validated(GaussianNB(), cv=KFold(300))
    },
    "cv_results must be what cross_validate returns": {"cv": [1]},
}


@every("text", REFUSED)
def test_what_cannot_be_pooled_is_refused(text):
    options = {"cv": validated()} | REFUSED[text]
    with pytest.raises((TypeError, ValueError), match=text):
        from_cv_results(options.pop("cv"), X, Y, **options)


def test_comparisons_that_cannot_be_made_are_refused():
    compare = AveragePrecisionComparison.from_cv_results
    with pytest.raises(TypeError, match="cv_results must map names to results"):
        compare([validated()], X, Y)
    with pytest.raises(ValueError, match=r"of must be one of .*, got 'learners'"):
        compare({"A": validated(), "B": validated()}, X, Y, of="learners")
    for call in (compare, BestAveragePrecision.from_cv_results):
        with pytest.raises(ValueError, match=r"folds of 'B' are not those of 'A'.*same splitter"):
            call({"A": validated(), "B": validated(cv=StratifiedKFold(5))}, X, Y)
        with pytest.raises(ValueError, match=r"one model.* as \{'A': cv_a, 'B': cv_b\}"):
            call(validated(), X, Y)


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


class Retriever(LogisticRegression):
    """It does not retrieve what it scores low."""

    def decision_function(self, X):
        score = super().decision_function(X)
        return np.where(score < -1, -np.inf, score)


@silent
def test_rows_that_were_not_retrieved_stay_so_in_each_pool():
    cv = validated(Retriever(), scoring=lambda *_: 0.0)
    pools = [pooled(cv, pooling) for pooling in ("scores", "ranks", "odds")]
    missed = np.isneginf(pools[0].y_score)
    assert missed.any()
    for pool in pools[1:]:
        np.testing.assert_array_equal(np.isneginf(pool.y_score), missed)


@silent
def test_repeated_positives_count_once_if_they_are_not_retrieved():
    cv = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    cv = validated(Retriever(), scoring=lambda *_: 0.0, cv=cv)
    assert from_cv_results(cv, X, Y).n_positives == Y.sum()


def pooled(cv, pooling):
    return pool_folds(cv, X, Request(Y, None), pooling, Step()).pool


@silent
@pytest.mark.parametrize("name", ["sample_weight", "clusters", "queries"])
def test_rows_in_another_order_are_refused(name):
    order = np.random.default_rng(0).permutation(Y.size)
    table, y = pd.DataFrame(X).iloc[order], pd.Series(Y).iloc[order]
    cv = validated(LogisticRegression(), table, y)
    options = {name: pd.Series(1 + np.arange(Y.size) // 50)}
    with pytest.raises(ValueError, match=rf"Pass {name}.loc\[y.index\]"):
        from_cv_results(cv, table, y, **options)
    if name == "sample_weight":
        with pytest.raises(ValueError, match=r"Pass sample_weight.loc\[y.index\]"):
            AveragePrecisionDisplay.from_cv_results(cv, table, y, **options)


@silent
def test_labels_may_be_one_column():
    cv = validated()
    expected = from_cv_results(cv, X, Y)
    assert str(from_cv_results(cv, X, pd.DataFrame({"y": Y}))) == str(expected)
    assert str(from_cv_results(cv, X, Y[:, None])) == str(expected)


@silent
@pytest.mark.parametrize("as_rows", [np.ndarray.tolist, lambda i: np.isin(np.arange(Y.size), i)])
def test_rows_of_folds_may_be_lists_or_masks(as_rows):
    folds = [*StratifiedKFold(5).split(X, Y)]
    expected = validated(cv=folds)
    folds = [tuple(map(as_rows, fold)) for fold in folds]
    cv = validated(cv=folds)
    assert str(from_cv_results(cv, X, Y)) == str(from_cv_results(expected, X, Y))


@silent
def test_a_failed_fit_without_probabilities_is_named():
    broken = X.copy()
    broken[-7, 0] = np.nan
    with pytest.warns(FitFailedWarning):
        cv = validated(LinearSVC(), broken, cv=KFold(5), scoring=lambda *_: 0.0)
    with pytest.raises(ValueError, match="error_score='raise'"):
        from_cv_results(cv, broken, Y)


@silent
@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), KNeighborsClassifier()])
def test_a_model_that_has_not_seen_a_label_gives_it_a_score_of_0(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    labels = (X + rng.normal(size=X.shape) > 0.5).astype(int)
    labels[:, 2] = np.arange(60) < 3  # all of them are in the first fold
    labels[:, 1] = np.arange(60) >= 3
    cv = validated(model, X, labels, cv=KFold(5), scoring=lambda *_: 0.0)
    folds = pool_folds(cv, X, Request(labels, None, average=None), "scores", Step()).folds
    np.testing.assert_array_equal(folds[0].y_score[:, 1:], np.tile([1, 0], (12, 1)))
    of_others = cv["estimator"][1].predict_proba(X[12:24])
    np.testing.assert_array_equal(folds[1].y_score[:, 0], of_others[0][:, 1])
    found = from_cv_results(cv, X, labels, average=None)
    assert found.estimate[2] == pytest.approx(3 / 60)


@silent
def test_rows_of_features_and_labels_that_differ_in_number_are_refused():
    cv = validated()
    for features, labels, n in ((X, Y[:200], "400, 200"), (X[:200], Y, "200, 400")):
        for call in (from_cv_results, AveragePrecisionDisplay.from_cv_results):
            with pytest.raises(ValueError, match=rf"^X and y: .* numbers of samples: \[{n}\]"):
                call(cv, features, labels)


@silent
def test_tables_with_a_column_for_each_training_row_are_refused():
    kernel = X @ X.T
    for model in (SVC(kernel="precomputed"), GridSearchCV(SVC(kernel="precomputed"), {"C": [1]})):
        cv = validated(model, kernel)
        with pytest.raises(ValueError, match="a precomputed kernel, and folds have other training"):
            from_cv_results(cv, kernel, Y)


@silent
def test_a_model_of_one_class_may_give_a_column_for_not_this_one():
    y = (np.arange(80) >= 10).astype(int)  # the first fold trains on positives alone
    model = HistGradientBoostingClassifier(max_iter=2)
    cv = validated(model, X[:80], y, cv=KFold(4), scoring=lambda *_: 0.0)
    assert cv["estimator"][0].predict_proba(X[:80]).shape == (80, 2)
    folds = pool_folds(cv, X[:80], Request(y, None), "scores", Step()).folds
    assert folds[0].y_score.min() > 0.99
