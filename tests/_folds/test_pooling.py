"""Intervals and comparisons from cross-validation, with real estimators and splitters."""

import numpy as np
import pandas as pd
import pytest
from pooled import pooled_best, pooled_comparison, pooled_interval
from scipy.stats import rankdata
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
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
    AveragePrecisionDisplay,
    FoldPredictions,
    UncertaintyWarning,
    average_precision_score,
    compare_average_precision,
)
from sklearn_ap._folds.models import predict
from sklearn_ap._folds.predictions import pool_of
from sklearn_ap._inputs.request import Request
from sklearn_ap.definitions import Step

silent = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


def validated(model=MODEL, X=X, y=Y, cv=FOLDS, scoring=lambda *_: 0.0, **options):
    """What cross_validate returns. Its own scores, of which nothing is read, take no time."""
    options |= {"scoring": scoring, "return_estimator": True, "return_indices": True}
    return cross_validate(model, X, y, cv=cv, **options)


def test_pooled_ranks_are_unaffected_by_different_scales():
    many = make_classification(4000, weights=[0.9], flip_y=0.1, random_state=0)
    cv = validated(SGDClassifier(random_state=0), *many)
    scores, ranks = (pooled_interval(cv, *many, pooling=way) for way in ("scores", "ranks"))
    assert ranks.estimate > scores.estimate


@pytest.mark.parametrize("model", [LogisticRegression(C=0.001), GaussianNB(), LinearSVC(), Ridge()])
def test_folds_on_similar_scales_raise_no_warning(model):
    for seed in range(4):
        X, y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=seed)
        pooled_interval(validated(model, X, y), X, y)


@silent
def test_a_class_that_a_fold_has_not_seen_has_probability_0():
    X, y = make_classification(120, n_classes=3, n_informative=5, random_state=0)
    y[:2] = 3  # in the first fold alone
    cv = validated(GaussianNB(), X, y, cv=KFold(4))
    found = pooled_interval(cv, X, y, average=None, zero_division=0.0)
    assert found.estimate.shape == (4,)
    with pytest.raises(
        ValueError, match=r"y has the labels \[9\], which GaussianNB was not fitted"
    ):
        pooled_interval(cv, X, np.where(y == 2, 9, y))
    pooled_interval(validated(LogisticRegression(), X, y, cv=KFold(4)), X, y)
    cv = validated(LinearSVC(), X, y, cv=KFold(4))
    with pytest.raises(ValueError, match=r"LinearSVC has not seen every class.*predict_proba"):
        pooled_interval(cv, X, y)


def test_queries_with_different_scores_per_fold_raise_no_warning():
    queries = np.repeat(np.arange(40), 25)
    X = np.random.default_rng(0).normal(size=(1000, 2)) + np.repeat(np.arange(40), 25)[:, None]
    y = (np.arange(1000) % 5 == 0).astype(int)
    cv = validated(LogisticRegression(), X, y, cv=GroupKFold(5), groups=queries)
    pooled_interval(cv, X, y, queries=queries)


def test_pooled_ranks_are_shares_of_fold_rows():
    """A share is that of lower scores, and half of equal ones. Equal shares of folds are tied."""
    labels, missed = np.tile([1, 0], (7, 1)), -np.inf
    scores = np.array([[3, 9], [2, 8], [2, 7], [missed, 1], [50, 40], [60, 10], [10, 30]])
    cv = {"y_score": scores, "folds": [0, 0, 0, 0, 1, 1, 1]}
    ranks = FoldPredictions(cv, pooling="ranks")
    of_columns, of_cells = (
        pool_of(Request(y_true=labels, y_score=ranks, average=average), Step()).pool.y_score
        for average in (None, "micro")
    )
    of_first = [3.5 / 4, 1 / 2, 1 / 2, missed, 1 / 2, 2.5 / 3, 0.5 / 3]
    assert rankdata(of_columns[:, 0]).tolist() == rankdata(of_first).tolist()
    # Of 8 cells: 9, 8, 7, 3, 2 twice, 1, and the one that is missed; of 6 cells: 60, 50, 40 ...
    expected = [
        [4.5 / 8, 7.5 / 8],
        [3 / 8, 6.5 / 8],
        [3 / 8, 5.5 / 8],
        [missed, 1.5 / 8],
        [4.5 / 6, 3.5 / 6],
        [5.5 / 6, 1 / 6],
        [1 / 6, 2.5 / 6],
    ]
    assert rankdata(of_cells).tolist() == rankdata(expected).tolist()
    with pytest.raises(ValueError, match="average='samples' needs no pool"):
        pooled_interval(cv, None, labels, average="samples", pooling="ranks")


def test_rows_outside_the_cross_validation_raise_a_warning():
    cv, expected = validated(), pooled_interval(validated(), X, Y)
    with pytest.warns(UserWarning, match=r"have 800 rows, but the first 400 were.*pass X\[:400\]"):
        found = pooled_interval(cv, np.tile(X, (2, 1)), np.tile(Y, 2))
    assert found.estimate == expected.estimate


def test_clusters_split_between_training_and_test_raise_a_warning():
    patients = np.arange(Y.size) // 5
    with pytest.warns(UncertaintyWarning, match="in training: 57 clusters are .*GroupKFold"):
        pooled_interval(validated(), X, Y, clusters=patients)
    apart = validated(cv=StratifiedGroupKFold(5), groups=patients)
    assert pooled_interval(apart, X, Y, clusters=patients).sample.n_folds == 5


@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
def test_table_of_two_labels_is_scored_as_two_columns(model):
    """scikit-learn's scorers take them for two classes."""
    X, y = make_multilabel_classification(200, n_classes=2, random_state=0)
    one, other = (
        pooled_interval(validated(several(model), X, y, cv=KFold(4)), X, y)
        for several in (OneVsRestClassifier, MultiOutputClassifier)
    )
    assert one.estimate == pytest.approx(other.estimate)


REPEATED = {"cv": validated(cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=2))}
REFUSED = {
    r"query 0 is tested in several folds.*GroupKFold": {"queries": np.repeat(np.arange(40), 10)},
    r"pooling must be one of .*, got 'z-scores'": {"pooling": "z-scores"},
    "Pass one repetition: split with StratifiedKFold in place of RepeatedStratified": REPEATED,
    r"Call cross_validate\(model, X, y, cv=5, return_est": {"cv": cross_validate(MODEL, X, Y)},
    r"Pass the search itself to cross_validate": {"cv": {"params": []}},
    "as in leave-one-out.*StratifiedKFold": {"cv": validated(GaussianNB(), cv=KFold(201))},
    "cv_results must be what cross_validate returns": {"cv": [1]},
}


@pytest.mark.parametrize("text", REFUSED)
def test_folds_that_cannot_be_pooled_are_refused(text):
    options = {"cv": validated()} | REFUSED[text]
    with pytest.raises((TypeError, ValueError), match=text):
        pooled_interval(options.pop("cv"), X, Y, **options)


def test_grid_search_results_are_refused_with_the_remedy():
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X, Y)
    with pytest.raises(ValueError, match="Pass the search itself to cross_validate"):
        FoldPredictions(search.cv_results_, X, Y)


def test_comparisons_that_cannot_be_made_are_refused():
    for call in (pooled_comparison, pooled_best):
        with pytest.raises(ValueError, match=r"folds of 'B' are not those of 'A'.*same splitter"):
            call({"A": validated(), "B": validated(cv=StratifiedKFold(5))}, X, Y)


@silent
@pytest.mark.parametrize("name", ["sample_weight", "clusters", "queries"])
def test_rows_in_another_order_are_refused(name):
    order = np.random.default_rng(0).permutation(Y.size)
    table, y = pd.DataFrame(X).iloc[order], pd.Series(Y).iloc[order]
    cv, given = validated(LogisticRegression(), table, y), {name: pd.Series(1 + np.arange(400))}
    displays = [AveragePrecisionDisplay.from_cv_results] if name == "sample_weight" else []
    for call in (pooled_interval, *displays):
        with pytest.raises(ValueError, match=rf"Pass {name}.loc\[y.index\]"):
            call(cv, table, y, **given)


@silent
@pytest.mark.parametrize(
    "as_rows", [np.ndarray.tolist, lambda rows: np.isin(np.arange(Y.size), rows)]
)
def test_rows_of_folds_may_be_lists_or_masks_and_labels_one_column(as_rows):
    folds = [*StratifiedKFold(5).split(X, Y)]
    expected = str(pooled_interval(validated(cv=folds), X, Y))
    cv = validated(cv=[tuple(map(as_rows, fold)) for fold in folds])
    for y in (Y, Y[:, None], pd.DataFrame({"y": Y})):
        assert str(pooled_interval(cv, X, y)) == expected


@silent
def test_error_for_a_failed_fit_advises_error_score():
    broken = X.copy()
    broken[-7, 0] = np.nan
    with pytest.warns(FitFailedWarning):
        cv = validated(LinearSVC(), broken, cv=KFold(5))
    with pytest.raises(ValueError, match="error_score='raise'"):
        pooled_interval(cv, broken, Y)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), KNeighborsClassifier()])
def test_an_unseen_label_scores_0(model):
    table = np.column_stack([Y, np.ones_like(Y), np.zeros_like(Y)])  # of one label each
    fitted = model.fit(X, table)
    found = predict(fitted, X, table, None)["y_score"]
    np.testing.assert_array_equal(found[:, 0], fitted.predict_proba(X)[0][:, 1])
    assert np.unique(found[:, 1:], axis=0).tolist() == [[1, 0]]


@silent
def test_rows_of_features_and_labels_that_differ_in_number_are_refused():
    cv = validated()
    for features, labels, n in ((X, Y[:200], "400, 200"), (X[:200], Y, "200, 400")):
        for call in (pooled_interval, AveragePrecisionDisplay.from_cv_results):
            with pytest.raises(ValueError, match=rf"^X and y: .* numbers of samples: \[{n}\]"):
                call(cv, features, labels)


@silent
def test_precomputed_kernels_are_refused():
    kernel, model = X @ X.T, SVC(kernel="precomputed")
    for each in (model, GridSearchCV(model, {"C": [1]})):
        with pytest.raises(ValueError, match="a precomputed kernel, and folds have other training"):
            pooled_interval(validated(each, kernel), kernel, Y)


@silent
def test_model_trained_on_one_class_may_give_two_columns():
    y = (np.arange(80) >= 10).astype(int)  # the first fold trains on positives alone
    model = HistGradientBoostingClassifier(max_iter=2)
    cv = validated(model, X[:80], y, cv=KFold(4))
    assert cv["estimator"][0].predict_proba(X[:80]).shape == (80, 2)
    folds = pool_of(Request(y_true=y, y_score=FoldPredictions(cv, X[:80])), Step()).folds
    assert folds[0].y_score.min() > 0.99


# ---- out-of-fold scores and the numbers of folds, in the place of what cross_validate returns


CLASSES = make_classification(400, n_classes=3, n_informative=4, random_state=0)
SORTED = np.argsort(Y, kind="stable")  # folds of a KFold differ in their positives


def both(model, X, y, cv, of=lambda p: p[:, 1]):
    """What cross_validate gives, and the same as arrays."""
    cv = cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)
    scores, folds = None, np.empty(len(y), int)
    for number, (each, rows) in enumerate(zip(cv["estimator"], cv["indices"]["test"], strict=True)):
        found = of(each.predict_proba(X[rows]))
        scores = np.empty((len(y), *found.shape[1:])) if scores is None else scores
        scores[rows], folds[rows] = found, number
    return cv, {"y_score": scores, "folds": folds}


@silent
@pytest.mark.parametrize("pooling", ["scores", "ranks"])
@pytest.mark.parametrize("cv", [StratifiedKFold(5, shuffle=True, random_state=0), KFold(5)])
def test_out_of_fold_arrays_pool_like_their_models(pooling, cv):
    results, arrays = both(GaussianNB(), X[SORTED], Y[SORTED], cv)
    expected = pooled_interval(results, X[SORTED], Y[SORTED], pooling=pooling)
    found = pooled_interval(arrays, None, Y[SORTED], pooling=pooling)
    for name in ("estimate", "low", "high", "standard_error"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
    named = arrays | {"folds": [["fold a", *"bcde"][fold] for fold in arrays["folds"]]}
    found = pooled_interval(named, None, Y[SORTED], pooling=pooling)
    assert found.estimate == pytest.approx(expected.estimate)


@silent
def test_out_of_fold_arrays_support_classes_text_labels_tasks_and_clusters():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    results, arrays = both(LogisticRegression(), *CLASSES, folds, of=lambda p: p)
    found = pooled_interval(arrays, None, CLASSES[1], average=None)
    assert found.names == (0, 1, 2)
    words = np.where(Y == 1, "ill", "well")
    results, arrays = both(LogisticRegression(), X, words, folds, of=lambda p: p[:, 0])
    options = {"pos_label": "ill", "clusters": np.arange(400) // 2}
    expected = pooled_interval(results, X, words, **options)
    found = pooled_interval(arrays, None, words, **options)
    assert (found.estimate, found.low) == (expected.estimate, pytest.approx(expected.low))
    assert AveragePrecisionDisplay.from_cv_results(arrays, None, words, pos_label="ill")
    tasks = np.column_stack([Y, 1.0 - Y])
    tasks[::7, 1] = np.nan
    scores = np.column_stack([arrays["y_score"], 1 - arrays["y_score"]])
    found = pooled_interval(arrays | {"y_score": scores}, None, tasks, average=None)
    assert found.estimate == pytest.approx(average_precision_score(tasks, scores, average=None))


@silent
def test_out_of_fold_arrays_are_compared_as_their_models_are():
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    results, arrays = {}, {}
    for name, model in {"Bayes": GaussianNB(), "linear": LogisticRegression()}.items():
        results[name], arrays[name] = both(model, X, Y, cv)
    expected = pooled_comparison(results, X, Y)
    found = pooled_comparison(arrays, None, Y)
    assert found.difference == pytest.approx(expected.difference)
    assert found.difference_low == pytest.approx(expected.difference_low)
    best = pooled_best(arrays, None, Y)
    assert best.names == pooled_best(results, X, Y).names
    other = arrays | {"linear": arrays["linear"] | {"folds": np.arange(400) % 5}}
    with pytest.raises(ValueError, match="The folds of 'linear' are not those of 'Bayes'"):
        pooled_comparison(other, None, Y)


ARRAYS = {"y_score": X[:, 0], "folds": np.arange(400) % 5}
KEYS = "must be {'y_score': scores, 'folds': .*got the keys "


FAULTS = [
    (ARRAYS | {"folds": np.zeros(400)}, r"must name two folds at least, got 0\.0 in every row"),
    (ARRAYS | {"folds": None}, "folds must hold the fold of each row, got None"),
    (ARRAYS | {"folds": np.arange(399)}, "inconsistent numbers of samples"),
    (ARRAYS | {"folds": np.arange(400)}, "leave-one-out"),
    (ARRAYS | {"folds": pd.Series(np.arange(400) % 5)[::-1]}, "y and folds have indexes with"),
    (ARRAYS | {"y_score": pd.Series(X[:, 0])[::-1]}, "y and y_score have indexes with"),
    (ARRAYS | {"y_score": np.arange(400.0) * np.nan}, "y_score contains NaN"),
    (ARRAYS | {"y_score": ["a"] * 400}, "y_score must hold numbers"),
    ({"y_score": np.arange(10.0), "folds": np.arange(10) % 2}, "y, y_score"),
    (ARRAYS | {"test": [1]}, f"{KEYS}y_score, folds, test"),
    ({"y": X[:, 0], "fold_id": np.arange(400) % 5}, f"{KEYS}y, fold_id"),
]


@pytest.mark.parametrize(("arrays", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_faulty_out_of_fold_arrays_are_refused(arrays, message):
    with pytest.raises((TypeError, ValueError), match=message):
        pooled_interval(arrays, None, pd.Series(Y))


@pytest.mark.parametrize("labels", [Y, np.where(Y == 1, "ill", "well")])
def test_error_for_two_probability_columns_names_the_right_one(labels):
    """As ``cross_val_predict`` returns them."""
    both, positive = np.c_[X[:, 0], 1 - X[:, 0]], labels[Y == 1][0]
    column = 0 if positive == "ill" else 1
    with pytest.raises(ValueError, match=rf"\(400, 2\) but y_true is .* y_score\[:, {column}\] if"):
        pooled_interval(ARRAYS | {"y_score": both}, None, labels, pos_label=positive)


def test_x_beside_out_of_fold_scores_is_refused():
    one, table = ARRAYS | {"y_score": X[:, 1]}, {"y_score": X[:, 0], "folds": ARRAYS["folds"]}
    for call, given in (
        (pooled_interval, one),
        (AveragePrecisionDisplay.from_cv_results, one),
        (pooled_comparison, {"a": one, "b": table}),
        (pooled_best, {"a": one, "b": table}),
    ):
        with pytest.raises(ValueError, match="X must be None beside out-of-fold"):
            call(given, X, Y)


@silent
def test_out_of_fold_scores_may_be_compared_with_models_which_need_x():
    results, arrays = both(GaussianNB(), X, Y, FOLDS)
    models = {"a": FoldPredictions(results, X), "b": FoldPredictions(arrays)}
    found = compare_average_precision(Y, models)
    assert found.difference == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_error_names_the_row_of_a_missing_label(missing):
    y = np.array([missing if i == 7 else label for i, label in enumerate(Y.tolist())])
    for cv, table in ((ARRAYS, None), (validated(), X)):
        for call in (pooled_interval, AveragePrecisionDisplay.from_cv_results):
            for labels in (y, y.tolist()):
                with pytest.raises(ValueError, match=r"^y contains NaN .* in row 7.*leave the row"):
                    call(cv, table, labels)


def test_pools_far_below_random_scores_are_warned_of():
    score = Y + 0.3 * np.random.default_rng(0).normal(size=Y.size)
    good, bad = ({"y_score": s, "folds": np.arange(400) % 5} for s in (score, -score))
    text = "far below that of random scores.*pass -y_score"
    with pytest.warns(UserWarning, match=f"^The average precision, 0.*{text}"):
        pooled_interval(bad, None, Y)
    for call in (pooled_comparison, pooled_best):
        with pytest.warns(UserWarning, match=f"^The average precision of b, 0.*{text}"):
            call({"a": good, "b": bad}, None, Y)
    pooled_interval(good, None, Y)


@pytest.mark.parametrize(
    ("labels", "pos_label"), [(Y, None), (Y + 1, 2), (1 - Y, 0), (np.where(Y, "a", "b"), "a")]
)
def test_labels_in_one_column_equal_one_dimensional_labels(labels, pos_label):
    """Also in the warning, which counts positives in the training rows."""
    folds = np.argsort(np.argsort(-Y + np.linspace(0, 3, Y.size))) * 4 // Y.size
    results = {"y_score": Y + np.random.default_rng(0).normal(size=Y.size) - folds, "folds": folds}
    found = []
    for given in (labels, labels[:, None], labels[:, None].tolist()):
        with pytest.warns(UncertaintyWarning, match="unequal prevalence"):
            interval = pooled_interval(results, None, given, pos_label=pos_label)
        found.append([interval.estimate, interval.low, interval.high])
    assert found[0] == found[1] == found[2]


def test_out_of_fold_scores_in_one_column_equal_one_dimensional_scores():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    scores, folds = y + rng.normal(size=60), np.arange(60) % 3
    found = [
        pooled_interval({"y_score": s, "folds": folds}, None, labels)
        for s, labels in ((scores, y), (scores[:, None], y[:, None]))
    ]
    assert found[1].estimate == found[0].estimate
    assert found[1].low == found[0].low


KINDS = pooled_interval, pooled_comparison, pooled_best


def shown_of(kind, results, *rows, **options):
    given = results if kind is pooled_interval else {"a": results, "b": results}
    found = kind(given, *rows, **options)
    return found.to_dict()["rows"], found.sample


@silent
@pytest.mark.parametrize("missing", [np.nan, pd.NA])
def test_rows_with_an_unknown_label_are_left_out_of_folds(missing):
    is_known = np.arange(Y.size) % 7 > 0
    labels = np.array([y if k else missing for y, k in zip(Y, is_known, strict=True)], object)
    results, arrays = both(GaussianNB(), X, Y, FOLDS)
    place = np.where(is_known, np.cumsum(is_known) - 1, -1)
    tests, trained = (results["indices"][name] for name in ("test", "train"))
    indices = {"test": [place[rows[is_known[rows]]] for rows in tests]}
    indices["train"] = [place[rows[is_known[rows]]] for rows in trained]
    of_known = {name: each[is_known] for name, each in arrays.items()}
    for options in (
        {},
        {"sample_weight": 1 + np.arange(400) % 3},
        {"clusters": np.arange(400) // 2},
    ):
        known = {name: each[is_known] for name, each in options.items()}
        for kind in KINDS:
            found = shown_of(kind, results, X, labels[:, None], **options)
            less = {**results, "indices": indices}
            expected = shown_of(kind, less, X[is_known], Y[is_known], **known)
            np.testing.assert_equal(found, expected)
            found = shown_of(kind, arrays, None, labels[:, None], **options)
            expected = shown_of(kind, of_known, None, Y[is_known], **known)
            np.testing.assert_equal(found, expected)


def test_error_names_a_fold_without_known_labels():
    labels = np.where(ARRAYS["folds"] == 2, np.nan, Y)[:, None]
    with pytest.raises(ValueError, match=r"^y has no known label in the test rows of fold 2"):
        pooled_interval(ARRAYS, None, labels)


@silent
@pytest.mark.parametrize("kind", KINDS)
def test_single_split_uses_only_the_tested_rows(kind):
    results = validated(cv=ShuffleSplit(1, test_size=0.3, random_state=0))
    (tested,) = results["indices"]["test"]
    shown, cases = shown_of(kind, results, X, Y)
    scores = results["estimator"][0].decision_function(X[tested])
    assert cases.n_rows == tested.size
    assert shown[0]["estimate"] == pytest.approx(average_precision_score(Y[tested], scores))
