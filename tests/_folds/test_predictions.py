"""``FoldPredictions`` in the place of scores: what it carries, where it stands, what is refused."""

import copy
import inspect
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from public_names import public
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compare_segments,
)

X, Y = make_classification(300, weights=[0.7], flip_y=0.1, random_state=0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
NUMBERS = np.empty(300, int)
for number, (_, tested) in enumerate(FOLDS.split(X, Y)):
    NUMBERS[tested] = number
RNG = np.random.default_rng(0)
SCORES = {name: Y + RNG.normal(size=300) for name in "AB"}


def validated(model, cv=FOLDS):
    return cross_validate(model, X, Y, cv=cv, return_estimator=True, return_indices=True)


LINEAR, BAYES = validated(LogisticRegression()), validated(GaussianNB())


def out_of_fold(name="A", scores=SCORES, **options):
    return FoldPredictions({"y_score": scores[name], "folds": NUMBERS}, **options)


def both(scores=SCORES, **options):
    return {name: out_of_fold(name, scores, **options) for name in "AB"}


def fields_of(result):
    names = [name for name in result.__dataclass_fields__ if name != "pilot"]
    return {name: repr(getattr(result, name)) for name in names}


# ---- where it stands


VERBS = {
    "interval": lambda y, made, **options: average_precision_interval(y, made["A"], **options),
    "comparison": compare_average_precision,
    "best": partial(compare_average_precision, reference="best"),
}
REFUSING = {
    **VERBS,
    "segments": lambda y, made: compare_segments(y, made["A"], np.arange(300) % 3),
}
every_refusing = pytest.mark.parametrize("verb", REFUSING.values(), ids=REFUSING)
every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)


def test_folds_tell_the_best_model_apart_less_than_rows():
    scores = {"A": SCORES["A"] + 0.3 * Y, "B": SCORES["B"]}
    rows, folds = (
        compare_average_precision(Y, given, reference="best") for given in (scores, both(scores))
    )
    assert folds.difference == rows.difference < rows.difference_high < folds.difference_high
    assert folds.pvalue > rows.pvalue


@every_verb
def test_clusters_in_training_and_test_rows_raise_a_warning(verb):
    made = {"A": FoldPredictions(LINEAR, X), "B": FoldPredictions(BAYES, X)}
    with pytest.warns(UncertaintyWarning, match="in the training rows and in the test rows"):
        verb(Y, made, clusters=np.arange(300) % 60)


class Column(BaseEstimator):
    """Gives the first column, whatever it was trained on."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 0]


# ---- the labels


@every_verb
def test_labels_may_be_passed_or_stored_or_both(verb):
    found = {
        repr(verb(y_true, both(y=y)))
        for y_true, y in ((Y, None), (None, Y), (Y, Y.copy()), (Y.tolist(), pd.Series(Y)))
    }
    assert len(found) == 1


@every_refusing
def test_missing_labels_are_requested(verb):
    with pytest.raises(TypeError, match=r"y_true must hold the labels .* None for both"):
        verb(None, both())


@every_refusing
def test_error_for_conflicting_labels_names_the_first_row(verb):
    other = Y.copy()
    other[[7, 9]] = 1 - other[[7, 9]]
    with pytest.raises(ValueError, match=rf"row 7 is {Y[7]} in the first and {other[7]} in the se"):
        verb(Y, both(y=other))


@every_verb
@pytest.mark.parametrize("y_true", [Y[:-1], Y.reshape(150, 2)])
def test_labels_of_another_shape_are_refused(verb, y_true):
    for y in (None, Y):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            verb(y_true, both(y=y))


@every_refusing
def test_errors_name_the_argument_that_holds_the_labels(verb):
    missing = np.where(np.arange(300) == 4, np.nan, Y)
    with pytest.raises(ValueError, match="y_true contains NaN or another missing value, in row 4"):
        verb(missing, both())
    with pytest.raises(ValueError, match=r"^y contains NaN or another missing value, in row 4"):
        verb(None, both(y=missing))


def test_error_names_models_with_conflicting_labels():
    models = {"A": out_of_fold("A", y=Y), "B": out_of_fold("B", y=1 - Y)}
    with pytest.raises(
        ValueError, match=r"y of 'A' and y of 'B' .* must be the same labels.*row 0"
    ):
        compare_average_precision(None, models)
    one = {"A": out_of_fold("A"), "B": out_of_fold("B", y=Y)}
    assert repr(compare_average_precision(None, one)) == repr(compare_average_precision(Y, both()))


def test_stored_label_columns_with_unknown_labels_must_match():
    table = np.c_[Y, 1 - Y].astype(float)
    table[3, 1] = np.nan
    folds = {"y_score": np.c_[SCORES["A"], SCORES["B"]], "folds": NUMBERS}
    predictions = FoldPredictions(folds, y=table)
    found = average_precision_interval(table.copy(), predictions)
    assert found.estimate == average_precision_interval(None, predictions).estimate
    other = np.where(np.isnan(table), 1.0, table)
    with pytest.raises(ValueError, match=r"row 3 is \[0.0, 1.0\] in the first and \[0.0, nan\]"):
        average_precision_interval(other, predictions)
    with pytest.raises(ValueError, match="must have equal columns"):
        average_precision_interval(Y, predictions)


def test_labels_with_misordered_indexes_are_refused():
    carried = out_of_fold(y=pd.Series(Y))
    with pytest.raises(ValueError, match="y_true and y have indexes with the same names"):
        average_precision_interval(pd.Series(Y)[::-1], carried)


def test_stored_text_labels_match_text_but_not_numbers():
    words = np.where(Y == 1, "ill", "well")
    carried = out_of_fold(y=words)
    found = average_precision_interval(words.copy(), carried, pos_label="ill")
    assert found.estimate == average_precision_score(Y, SCORES["A"])
    with pytest.raises(ValueError, match=rf"row 0 is {Y[0]} in the first and '{words[0]}' in"):
        average_precision_interval(Y, carried, pos_label="ill")


# ---- what is refused


def test_plain_scores_beside_folds_are_refused():
    models = {"A": out_of_fold(), "B": SCORES["B"]}
    with pytest.raises(TypeError, match="of all models or of none, but those of 'B' are plain"):
        compare_average_precision(Y, models)


def test_models_of_different_pooling_or_folds_are_refused():
    other = FoldPredictions({"y_score": SCORES["B"], "folds": NUMBERS[::-1]})
    with pytest.raises(ValueError, match=r"must have the same pooling, got \{'A': 'scores', 'B'"):
        compare_average_precision(Y, {"A": out_of_fold(), "B": out_of_fold("B", pooling="ranks")})
    with pytest.raises(ValueError, match="folds of 'B' are not those of 'A'"):
        compare_average_precision(Y, {"A": out_of_fold(), "B": other})


def test_comparison_refuses_fold_predictions_of_a_single_model():
    with pytest.raises(
        TypeError, match=r"y_scores must hold a value for each row, got FoldPredictions"
    ):
        compare_average_precision(Y, out_of_fold())


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"labels": [0, 1]}, "the models know their classes"),
        ({"n_positives": 200}, "positives that were never scored are in no fold"),
        ({"inclusion_probability": "equal"}, "Cross-validate the labelled rows alone"),
        ({"judge": Y}, "Cross-validate the labelled rows alone"),
    ],
)
def test_options_that_do_not_apply_to_folds_are_refused(option, reason):
    (name,) = option
    for call, given in (
        (average_precision_interval, out_of_fold()),
        (compare_average_precision, both()),
    ):
        if name in inspect.signature(call).parameters:
            with pytest.raises(ValueError, match=f"{name} does not go with FoldPred.*{reason}"):
                call(Y, given, **option)


@every_refusing
def test_rows_that_several_folds_test_are_refused(verb):
    cv = validated(GaussianNB(), RepeatedStratifiedKFold(n_splits=5, n_repeats=2))
    models = dict.fromkeys("AB", FoldPredictions(cv, X))
    with pytest.raises(ValueError, match=r"Several folds test a row.* Pass one repetition"):
        verb(Y, models)


TAKING = {
    *("average_precision_interval", "compare_segments"),
    "compare_average_precision",
}


def calls_of_scores():
    """Every other public function and method that takes scores, and what else it needs."""
    needed = {
        "average_precision_at_k_score": {"k": 3},
        "precision_at_k_score": {"k": 3},
        "recall_at_k_score": {"k": 3},
        "operating_point": {"recall": 0.5},
        "rows_to_label": {"n_labels": 10},
        "compat.explain": {"name": "sklearn.average_precision_score"},
        "compat.score": {"name": "sklearn.average_precision_score"},
    }
    for name, thing in public():
        ways = {name: thing}
        if inspect.isclass(thing):
            ways = {f"{name}.{key}": each for key, each in inspect.getmembers(thing, callable)}
        for key, call in ways.items():
            takes_columns = key.startswith("large.") or key == "retrieval.from_sparse"
            if key.rpartition(".")[2].startswith("_") or key in TAKING or takes_columns:
                continue
            try:
                parameters = inspect.signature(call).parameters
            except (TypeError, ValueError):
                continue
            scores = [each for each in ("y_score", "y_scores") if each in parameters]
            if scores and "self" not in parameters:
                given = {"y_true": Y} if "y_true" in parameters else {}
                yield key, call, given | {scores[0]: out_of_fold()} | needed.get(key, {})


def test_other_functions_refuse_fold_predictions_and_name_alternatives(subtests):
    seen = set()
    for name, call, given in calls_of_scores():
        with subtests.test(name), pytest.raises(TypeError, match="got FoldPredictions") as caught:
            call(**given)
        if "map names" not in str(caught.value):
            assert "average_precision_interval, compare_average_precision" in str(caught.value)
        seen.add(name)
    assert {"average_precision_score", "chance_test", "operating_point", "hit_curve"} <= seen
    assert {"report", "rows_to_label", "AveragePrecisionDisplay.from_predictions"} <= seen


def test_fold_predictions_as_labels_are_refused():
    with pytest.raises(TypeError, match="y_true must hold a value for each row, got FoldPred"):
        average_precision_score(out_of_fold(), SCORES["A"])


# ---- the value


def test_constructor_checks_its_arguments():
    for arguments, options, text in (
        (([1, 2],), {}, "cv_results must be what cross_validate returns"),
        (({"test_score": [1]},), {}, "must hold the fitted models"),
        ((LINEAR,), {}, "X must be what was cross-validated"),
        ((LINEAR, X[:100]), {}, "X has 100 rows, but cv_results has row 299"),
        ((LINEAR, X, Y[:100]), {}, "inconsistent numbers of samples"),
        ((LINEAR, X), {"pooling": "rank"}, "pooling must be one of"),
        (({"y_score": SCORES["A"], "folds": NUMBERS}, X), {}, "X must be None beside out-of-fold"),
        (({"y_score": SCORES["A"], "folds": NUMBERS}, None, Y[:9]), {}, r"\(y, y_score\)"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            FoldPredictions(*arguments, **options)


def test_models_predict_only_when_a_function_needs_scores():
    class AskedError(Exception):
        pass

    class Slow(Column):
        def predict(self, X):
            raise AskedError

    cv = {"estimator": [Slow()] * 5, "indices": LINEAR["indices"]}
    predictions = FoldPredictions(cv, X, Y)
    assert repr(predictions) == "FoldPredictions(5 folds of Slow, pooling='scores')"
    with pytest.raises(AskedError):
        average_precision_interval(None, predictions)


def test_fold_predictions_are_frozen_and_describe_themselves():
    predictions = out_of_fold(pooling="ranks")
    assert repr(predictions) == "FoldPredictions(5 folds of scores, pooling='ranks')"
    with pytest.raises(AttributeError, match="cannot assign to field 'pooling'"):
        predictions.pooling = "scores"


@pytest.mark.parametrize(
    "way",
    [
        lambda thing: pickle.loads(pickle.dumps(thing)),
        copy.copy,
        copy.deepcopy,
        lambda thing: clone(thing, safe=False),
    ],
    ids=["pickle", "copy", "deepcopy", "clone"],
)
@pytest.mark.parametrize(
    "predictions", [FoldPredictions(LINEAR, X, Y, pooling="ranks"), out_of_fold(y=Y)]
)
def test_copies_give_the_same_numbers(way, predictions):
    again = way(predictions)
    assert repr(again) == repr(predictions)
    one, other = (average_precision_interval(None, each) for each in (predictions, again))
    assert (one.estimate, one.low, repr(one)) == (other.estimate, other.low, repr(other))


def test_display_of_fitted_models_requires_x():
    with pytest.raises(TypeError, match="X must be what was cross-validated"):
        AveragePrecisionDisplay.from_cv_results(LINEAR, None, Y)
