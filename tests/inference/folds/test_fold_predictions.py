"""``FoldPredictions``: what is pooled, in which order, and what is refused or warned of."""

import inspect
import pickle
import re
import warnings
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
)
from tests.helpers.first_cases import quick

X, Y = make_classification(300, weights=[0.7], flip_y=0.1, random_state=0)
SPLITS = StratifiedKFold(5, shuffle=True, random_state=0)
RNG = np.random.default_rng(0)
FOLD = RNG.permutation(300) % 5
SCORE = {name: Y + RNG.normal(size=300) for name in "AB"}
STRONG = SCORE["A"] + Y


def validated(model, X=X, y=Y, cv=SPLITS, **options):
    """What ``cross_validate`` returns."""
    keep = {"return_estimator": True, "return_indices": True, "scoring": lambda *_: 0.0}
    return cross_validate(model, X, y, cv=cv, **keep, **options)


LINEAR, BAYES = validated(LogisticRegression()), validated(GaussianNB())


def out_of_fold(name="A", score=SCORE, fold=FOLD, **options):
    return FoldPredictions({"y_score": score[name], "folds": fold}, **options)


def both(**options):
    return {name: out_of_fold(name, **options) for name in "AB"}


def limits(y, predictions, **options):
    found = average_precision_interval(y, predictions, **options)
    return found.low, found.estimate, found.high


def warned(call, *arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments, **options)
    return [str(each.message) for each in caught if each.category is UncertaintyWarning]


# ---- where it stands


CALLS = {
    "interval": lambda y, models, **options: average_precision_interval(y, models["A"], **options),
    "comparison": compare_average_precision,
    "best": partial(compare_average_precision, reference="best"),
    "segments": lambda y, models, **options: compare_segments(
        y, models["A"], np.arange(300) % 3, **options
    ),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@every_call
@pytest.mark.parametrize("y", [None, 5, np.float64(5)])
def test_all_functions_refuse_labels_that_are_no_rows(call, y):
    with pytest.raises(TypeError, match=r"y_true must hold a value for each row, got .*(N|5)"):
        call(y, both())


@every_call
def test_all_functions_refuse_folds_that_test_rows_again(call):
    repeated = validated(GaussianNB(), cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=2))
    with pytest.raises(ValueError, match=r"Several folds test a row.* Pass one repetition"):
        call(Y, dict.fromkeys("AB", FoldPredictions(repeated, X)))


@every_call
def test_clusters_in_training_and_test_rows_raise_a_warning(call):
    models = {"A": FoldPredictions(LINEAR, X), "B": FoldPredictions(BAYES, X)}
    patient = np.arange(300) // 5
    patient[LINEAR["indices"]["test"][0]] = 100 + np.arange(60)  # the first fold splits none
    splits = zip(*LINEAR["indices"].values(), strict=True)
    n_seen = [len({*patient[trained]} & {*patient[tested]}) for trained, tested in splits]
    (text, *_) = warned(call, Y, models, clusters=patient)
    assert n_seen[0] == 0
    assert f"the test rows of a fold share {max(n_seen)} clusters. A model" in text
    apart = validated(GaussianNB(), cv=StratifiedGroupKFold(5), groups=patient)
    assert not warned(call, Y, dict.fromkeys("AB", FoldPredictions(apart, X)), clusters=patient)


@every_call
def test_predicted_classes_raise_a_warning(call):
    models = both(score={name: 1 * (SCORE[name] > 0.5) for name in "AB"})
    assert "look like predicted classes" in warned(call, Y, models)[0]


@pytest.mark.parametrize(
    "call", [average_precision_score, chance_test, partial(operating_point, recall=0.5)]
)
@pytest.mark.parametrize("folds", [out_of_fold(), LINEAR], ids=["folds", "results"])
def test_other_functions_refuse_it(call, folds):
    with pytest.raises(ValueError, match=r", got .* Only intervals and comparisons take FoldP"):
        call(Y, folds)


# ---- what is pooled


@pytest.mark.parametrize("cv", [SPLITS, KFold(4), TimeSeriesSplit(4)])
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC(), Ridge()])
def test_pool_has_the_scores_of_each_model_for_its_test_rows(model, cv):
    results = validated(model, cv=cv)
    score = np.full(300, np.nan)
    for each, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
        methods = ("decision_function", "predict_proba", "predict")
        output = next(getattr(each, name) for name in methods if hasattr(each, name))(X[rows])
        score[rows] = output[:, 1] if output.ndim == 2 else output
    tested = ~np.isnan(score)
    options = {"sample_weight": 1 + np.arange(300) % 3, "clusters": np.arange(300)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertaintyWarning)
        found = average_precision_interval(Y, FoldPredictions(results, X), **options)
    of_tested = {name: values[tested] for name, values in options.items()}
    expected = average_precision_interval(Y[tested], score[tested], **of_tested)
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
    assert found.low == pytest.approx(expected.low, rel=1e-9)
    assert found.sample.n_rows == tested.sum()


@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_either_of_two_classes_may_be_positive(pos_label):
    words = np.where(Y == 1, "ill", "well")
    results = validated(LogisticRegression(), y=words)
    labels = (words == pos_label).astype(int)
    expected = limits(labels, FoldPredictions(validated(LogisticRegression(), y=labels), X))
    found = limits(words, FoldPredictions(results, X), pos_label=pos_label)
    assert found == pytest.approx(expected, abs=1e-3)  # of two optimizations
    with pytest.raises(ValueError, match="pos_label is not specified"):
        limits(words, FoldPredictions(results, X))


class Unsorted(LogisticRegression):
    """Its classes come in the order of appearance, which folds do not share."""

    def fit(self, X, y):
        super().fit(X, y)
        self.order_ = [self.classes_.tolist().index(label) for label in pd.unique(y)]
        self.classes_ = self.classes_[self.order_]
        return self

    def predict_proba(self, X):
        return super().predict_proba(X)[:, self.order_]


def test_classes_may_be_in_another_order_in_each_fold():
    features, y = make_classification(300, n_classes=3, n_informative=4, random_state=0)
    for average in ("macro", None):
        found, expected = (
            average_precision_interval(
                y,
                FoldPredictions(
                    validated(model, features, y), features, response_method="predict_proba"
                ),
                average=average,
            )
            for model in (Unsorted(), LogisticRegression())
        )
        assert found.to_dict() == expected.to_dict()


def test_classes_have_their_names_where_a_test_set_lacks_one():
    features, y = make_classification(200, n_classes=3, n_informative=4, random_state=0)
    words = np.array(["ash", "birch", "cedar"])[y]
    tested = [np.flatnonzero((np.arange(200) % 4 == i) & (words != "ash")) for i in range(4)]
    cv = [(np.setdiff1d(np.arange(200), rows), rows) for rows in tested]
    predictions = FoldPredictions(validated(GaussianNB(), features, words, cv), features)
    with pytest.warns(UncertaintyWarning, match="unlike folds"):
        found = average_precision_interval(words, predictions, average=None, zero_division=0.0)
    assert found.names == ("ash", "birch", "cedar")
    assert found.estimate[0] == 0 < found.estimate[1]


@pytest.mark.parametrize("several", [OneVsRestClassifier, MultiOutputClassifier])
def test_tables_of_labels_keep_their_names_and_gaps(several):
    features, table = make_multilabel_classification(200, n_classes=2, random_state=0)
    results = validated(several(LogisticRegression()), features, table, KFold(4))
    score = np.empty(table.shape)
    for model, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
        output = model.predict_proba(features[rows])
        score[rows] = np.c_[output[0][:, 1], output[1][:, 1]] if type(output) is list else output
    labels = np.where(RNG.random(table.shape) < 0.2, np.nan, table)
    frame = pd.DataFrame(labels, columns=["x", "y"])
    found = average_precision_interval(frame, FoldPredictions(results, features), average=None)
    assert found.names == ("x", "y")
    expected = average_precision_score(labels, score, average=None)
    np.testing.assert_allclose(found.estimate, expected)


@pytest.mark.parametrize("of", [list, pd.Series, pl.Series, lambda y: pa.array(y), np.vstack])
def test_columns_may_be_of_any_library(of):
    weight = 1 + np.arange(300) % 3
    expected = limits(Y, FoldPredictions(LINEAR, X), sample_weight=weight)
    weight = weight if of is np.vstack else of(weight)
    assert limits(of(Y), FoldPredictions(LINEAR, X), sample_weight=weight) == expected


def test_out_of_fold_scores_equal_those_of_models():
    score, fold = np.empty((300, 1)), np.empty(300, object)
    for number, rows in enumerate(BAYES["indices"]["test"]):
        score[rows, 0] = BAYES["estimator"][number].predict_proba(X[rows])[:, 1]
        fold[rows] = f"fold {number}"
    results = {"y_score": score, "folds": fold}
    assert limits(Y, FoldPredictions(results)) == limits(Y, FoldPredictions(BAYES, X))
    drawn = AveragePrecisionDisplay.from_cv_results(results, None, Y)
    assert drawn.average_precision == pytest.approx(
        AveragePrecisionDisplay.from_cv_results(BAYES, X, Y).average_precision
    )


def test_folds_may_flag_their_rows():
    flags = [(fold != FOLD, fold == FOLD) for fold in range(5)]
    places = [tuple(map(np.flatnonzero, pair)) for pair in flags]
    found, expected = (
        limits(Y, FoldPredictions(validated(GaussianNB(), cv=cv), X)) for cv in (flags, places)
    )
    assert found == expected


# ---- several models


@pytest.mark.parametrize(
    ("model", "error", "text"),
    [
        (SCORE["B"], TypeError, "of all models or of none, but those of 'B' are plain"),
        (
            FoldPredictions({"y_score": SCORE["B"], "folds": FOLD[::-1]}),
            ValueError,
            "folds of 'B' are not those of 'A'.*same splitter",
        ),
    ],
    ids=["plain scores", "other folds"],
)
def test_models_must_be_pooled_alike(model, error, text):
    with pytest.raises(error, match=text):
        compare_average_precision(Y, {"A": out_of_fold(), "B": model})


def test_a_list_of_folds_is_refused_with_a_table_that_has_a_column_for_each_seed():
    """What the message says is then done: the score is the mean over seeds, of pools."""
    runs = [*both().values()]
    calls = (
        lambda: average_precision_interval(Y, runs),
        lambda: compare_average_precision(Y, {"A": runs, "B": tuple(runs)}),
        lambda: compare_average_precision(Y, {"A": out_of_fold(), "B": runs}),
    )
    for call in calls:
        with pytest.raises(TypeError, match=r"a list of 2\. .*np\.column_stack\(\[y\] \* 2\)"):
            call()
    table = np.column_stack([SCORE["A"], SCORE["B"]])
    pooled = FoldPredictions({"y_score": table, "folds": FOLD})
    found = average_precision_interval(np.column_stack([Y] * 2), pooled)
    assert found.estimate == pytest.approx(
        np.mean([average_precision_score(Y, SCORE[name]) for name in "AB"])
    )


def test_a_margin_of_pools_allows_for_shared_training_rows():
    """Its limit is farther away than that of the same scores on one test set."""
    pooled = compare_average_precision(Y, both(), margin=0.2)
    plain = compare_average_precision(Y, SCORE, margin=0.2)
    assert pooled.difference[1] == plain.difference[1]
    assert pooled.margin.low[1] < min(plain.margin.low[1], pooled.low[1])
    tight, wide = (
        compare_average_precision(Y, both(), margin=-share * pooled.margin.low[1]).verdict[1]
        for share in (0.99, 1.01)
    )
    assert (tight, wide) == ("undecided", "not worse")
    by_query = both(fold=np.arange(300) // 60)
    with pytest.raises(ValueError, match="means over queries of one test set"):
        compare_average_precision(
            Y, by_query, margin=0.2, queries=np.arange(300) // 10, zero_division=0.0
        )


# ---- warnings


def sorted_rows(n_rows, blur):
    """Rows with many positives among the first, so that folds of KFold differ."""
    rng = np.random.default_rng(0)
    y = (np.arange(n_rows) < n_rows // 5).astype(int)
    y = y[np.argsort(y + blur * rng.normal(size=n_rows))]
    return rng.normal(size=(n_rows, 4)) + np.array([1.0, 0.7, 0.4, 0.0]) * y[:, None], y


def test_folds_of_unequal_prevalence_raise_a_warning():
    for n_rows, blur, cv, is_warned in (
        (3000, 1.5, KFold(10), True),
        (3000, 1.5, StratifiedKFold(10), False),
        (200, 2.0, KFold(10), False),  # too few to see it
    ):
        features, y = sorted_rows(n_rows, blur)
        results = validated(LogisticRegression(), features, y, cv)
        texts = warned(limits, y, FoldPredictions(results, features))
        assert len(texts) == is_warned
        assert not texts or texts[0].startswith("unlike folds")
        patient = np.arange(n_rows) // 10  # counts once
        texts = warned(limits, y, FoldPredictions(results, features), clusters=patient)
        assert not any("unlike folds" in text for text in texts)


@pytest.mark.parametrize("n_folds", quick([5, 10], 1))
@pytest.mark.parametrize("n_positives", [20, 100, 500])
def test_folds_whose_scores_mean_the_same_seldom_raise_a_warning(n_positives, n_folds):
    y = np.arange(5 * n_positives) < n_positives
    fold = np.arange(y.size) % n_folds
    n_warned = 0
    for seed in range(20):
        score = y + np.random.default_rng(seed).normal(size=y.size)
        n_warned += len(warned(limits, y, FoldPredictions({"y_score": score, "folds": fold})))
    assert n_warned <= 2


@pytest.mark.parametrize("changed", [SCORE["A"] + 2 * (FOLD == 0), SCORE["A"] * 10.0**FOLD])
def test_folds_of_another_level_or_another_scale_raise_a_warning(changed):
    made = {"A": out_of_fold(score={"A": changed}), "B": out_of_fold("B")}
    (text,) = warned(limits, Y, made["A"])
    assert text.startswith("unlike folds: The pool")
    assert "StratifiedKFold" in text
    for call in (CALLS["comparison"], CALLS["best"]):
        (text,) = warned(call, Y, made)
        assert text.startswith("unlike folds: 'A': ")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (np.where(FOLD == 1, -STRONG, STRONG), "reversed scores: .* for fold 1, "),
        (np.where(FOLD == 1, 0.5, STRONG), "constant scores: .* of fold 1 are equal"),
        (FOLD / 10, "constant scores: .* of folds 0, 1, 2"),
    ],
)
def test_a_fold_whose_scores_are_reversed_or_equal_is_named(changed, says):
    clusters, weight = 5 * (np.arange(300) // 10) + FOLD, 1 + np.arange(300) % 3
    made = {"A": out_of_fold(score={"A": changed}), "B": out_of_fold("B")}
    for options in ({}, {"clusters": clusters}, {"sample_weight": weight}):
        (text,) = warned(limits, Y, made["A"], **options)
        assert re.match(says, text)
    (text,) = warned(compare_average_precision, Y, made)
    assert re.match(says.replace(": ", ": 'A': ", 1), text)
    tables = FoldPredictions({"y_score": np.column_stack([SCORE["A"], changed]), "folds": FOLD})
    (text,) = warned(limits, np.column_stack([Y, Y]), tables)
    assert "fold '1, column 1'" in text or "folds '0, column 1'" in text


def test_named_folds_keep_their_names():
    score = np.where(FOLD == 1, -STRONG, STRONG)
    made = FoldPredictions({"y_score": score, "folds": [f"site {each}" for each in FOLD]})
    (text,) = warned(limits, Y, made)
    assert "average precision for fold 'site 1', " in text


def test_folds_that_are_all_reversed_are_told_as_one():
    (text,) = warned(limits, Y, out_of_fold(score={"A": -SCORE["A"]}))
    assert text.startswith("reversed scores: The average precision, ")


def test_segments_that_are_folds_are_not_compared_across_folds():
    made = out_of_fold(score={"A": SCORE["A"] + 2 * (FOLD == 0)})
    assert not warned(compare_segments, Y, made, FOLD)
    segment = np.arange(300) % 2
    score = made.cv_results["y_score"] + 10 * segment
    (text,) = warned(compare_segments, Y, out_of_fold(score={"A": score}), segment)
    assert text.startswith("unlike folds")


def test_folds_of_one_class_each_raise_a_warning():
    y, fold = np.repeat([1, 0], 40), np.repeat([0, 1], 40)
    score = np.tile(np.arange(40), 2)
    (text,) = warned(limits, y, FoldPredictions({"y_score": score, "folds": fold}))
    assert text.startswith("unlike folds")


def test_a_perfect_pool_has_lost_nothing():
    fold = np.argsort(np.argsort(Y + 0.3 * RNG.normal(size=300))) // 60
    perfect = FoldPredictions({"y_score": Y + 0.1 * RNG.random(300), "folds": fold})
    assert not warned(limits, Y, perfect)


@pytest.mark.parametrize("average", ["macro", None])
def test_columns_add_their_losses(average):
    rng = np.random.default_rng(0)
    fold = np.arange(300) % 2
    table = (rng.random((300, 60)) < 0.2 + 0.1 * fold[:, None]).astype(int)
    score = table + rng.normal(size=table.shape) - 0.1 * fold[:, None]
    made = FoldPredictions({"y_score": score, "folds": fold})
    (text,) = warned(average_precision_interval, table, made, average=average)
    assert text.startswith("unlike folds")
    one = FoldPredictions({"y_score": score[:, 0], "folds": fold})
    assert not warned(average_precision_interval, table[:, 0], one)


@pytest.mark.filterwarnings("error")
def test_queries_are_not_compared_across_folds():
    query = np.repeat(np.arange(60), 5)
    fold = query % 4
    y = np.arange(300) % 5 <= fold
    score = y + RNG.normal(size=300)
    expected = limits(y, score, queries=query)
    made = FoldPredictions({"y_score": score - 10 * fold, "folds": fold})
    assert limits(y, made, queries=query) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"query 3 is tested in several folds.*GroupKFold"):
        limits(y, out_of_fold(), queries=query)


# ---- errors


ARRAYS = {"y_score": SCORE["A"], "folds": FOLD}
REFUSED = [
    ((SimpleNamespace(cv_results_={"params": []}),), r"candidate_predictions\(search, X, y\)"),
    (({"params": [], "mean_test_score": []},), "cv_results is of a search"),
    (([1, 2],), "cv_results must be what cross_validate.*got list"),
    (({"test_score": [1]},), "cv_results must be what cross_validate.*got test_score"),
    ((ARRAYS | {"test": [1]},), "{'y_score': scores, 'folds': folds}.*got y_score, folds, test"),
    ((LINEAR | {"indices": [1]}, X), "cv_results must be what cross_validate.*got fit_time"),
    ((LINEAR,), "X must be what was cross-validated"),
    ((LINEAR, 5), "X must hold a value for each row, got 5"),
    ((ARRAYS, X), "y_score takes no X"),
    ((ARRAYS | {"folds": 0 * FOLD},), "folds must name two folds or more, got 0 in all rows"),
    ((LINEAR, X[:100]), "X has 100 rows, but 300 were cross-validated"),
    ((LINEAR, np.tile(X, (2, 1))), "X has 600 rows, but 300 were cross-validated"),
    ((LINEAR | {"indices": {"test": FOLD}}, X), "5 fitted models, 0 train sets and 300 test"),
    ((ARRAYS | {"folds": FOLD[:9]},), "inconsistent numbers of samples"),
]


@pytest.mark.parametrize(("arguments", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_arguments_that_do_not_fit_are_refused(arguments, text):
    with pytest.raises((TypeError, ValueError), match=text):
        FoldPredictions(*arguments)


@pytest.mark.slow
def test_several_classes_are_ranked_by_one_method():
    """The decision values of a softmax model rank the rows of a class worse than probabilities."""
    words = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    fitted = {"A": LogisticRegression(), "B": GaussianNB()}
    proba = cross_val_predict(fitted["A"], X, words, cv=SPLITS, method="predict_proba")
    models = {name: FoldPredictions(validated(fitted[name], y=words), X) for name in "AB"}
    (text,) = warned(compare_average_precision, words, models)
    assert text.startswith("unlike methods: Some models score classes by decision_function")
    models = {name: replace(each, response_method="predict_proba") for name, each in models.items()}
    assert not warned(compare_average_precision, words, models)
    found = average_precision_interval(words, models["A"], average=None)
    assert found.estimate == pytest.approx(average_precision_score(words, proba, average=None))
    with pytest.raises(ValueError, match=r"y_true has 3 labels.* of each, pass average=None"):
        average_precision_interval(words, models["A"], pos_label="low")
    with pytest.raises(ValueError, match="takes no X and no response_method"):
        replace(out_of_fold(), response_method="predict_proba")


@pytest.mark.parametrize(
    ("arguments", "y", "text"),
    [
        ((LINEAR, X), Y[:100], r"inconsistent numbers of samples: \[100, 300\] \(y_true, X\)"),
        ((LINEAR, pd.DataFrame(X)), pd.Series(Y)[::-1], r"order.*Pass X.loc\[y_true.index\]"),
        ((LINEAR, X), np.where(FOLD == 1, np.nan, Y), "^y_true contains NaN or another missing"),
        ((ARRAYS,), Y[:9], r"\(y_true, y_score, folds\)"),
        ((ARRAYS | {"y_score": pd.Series(SCORE["A"])[::-1]},), pd.Series(Y), "another order"),
    ],
)
def test_labels_that_do_not_fit_are_refused(arguments, y, text):
    with pytest.raises(ValueError, match=text):
        limits(y, FoldPredictions(*arguments))


@pytest.mark.parametrize(
    ("predictions", "options", "text"),
    [
        (out_of_fold(), {"labels": [0, 1, 2]}, "labels does not go with FoldPredictions"),
        (out_of_fold(), {"n_positives": 200}, "n_positives does not go with"),
        (out_of_fold(), {"inclusion_probability": "equal"}, "inclusion_probability does not go"),
        (out_of_fold(), {"judge": Y}, "judge does not go with"),
        (out_of_fold(), {"sample_weight": Y[:9]}, "inconsistent numbers of samples"),
        (FoldPredictions(LINEAR, pd.DataFrame(X)), {"clusters": pd.Series(Y)[::-1]}, "order"),
        (out_of_fold(fold=np.arange(300)), {}, "as in leave-one-out.*StratifiedKFold"),
        (out_of_fold(score={"A": np.c_[1 - Y, Y]}), {}, r"\(300, 2\) but y_true is binary"),
    ],
)
def test_options_that_do_not_fit_are_refused(predictions, options, text):
    with pytest.raises((TypeError, ValueError), match=text):
        average_precision_interval(Y, predictions, **options)


def test_labels_are_whatever_the_score_takes():
    y = [0, 1, 0, 1]
    folds = FoldPredictions({"y_score": [1, 2, 3, 4], "folds": [0, 0, 1, 1]})
    strict = pytest.importorskip("array_api_strict").asarray(y)
    found = [average_precision_interval(each, folds).estimate for each in (y, strict)]
    assert found[0] == found[1]
    with pytest.raises(ValueError, match=r"y_true must be an array .* got 'abcd'"):
        average_precision_interval("abcd", folds)


@pytest.mark.parametrize(
    ("options", "name"),
    [({"pos_label": 1}, "pos_label"), ({"y": [1, 0, 1, 0]}, "y"), ({"clusters": 3}, "clusters")],
)
def test_options_of_functions_that_take_folds_are_refused_with_their_place(options, name):
    scores = {"y_score": np.arange(4.0), "folds": [0, 0, 1, 1]}
    with pytest.raises(
        TypeError, match=rf"takes no {name}.*: .* FoldPredictions\(cv_results, X\), pos"
    ):
        FoldPredictions(scores, **options)


@pytest.mark.parametrize("wrong", ["response_methd", "cv_result"])
def test_misspelled_options_are_refused(wrong):
    scores = {"y_score": np.arange(4.0), "folds": [0, 0, 1, 1]}
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        FoldPredictions(scores, **{wrong: "auto"})


def test_a_pickle_keeps_the_predictions_and_the_signature():
    scores = {"y_score": np.arange(4.0), "folds": [0, 0, 1, 1]}
    again = pickle.loads(pickle.dumps(FoldPredictions(scores)))
    assert [*inspect.signature(FoldPredictions).parameters] == [
        "cv_results",
        "X",
        "response_method",
    ]
    np.testing.assert_array_equal(again.cv_results["y_score"], scores["y_score"])
