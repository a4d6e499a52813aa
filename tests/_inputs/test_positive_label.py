"""Which label is positive, by one rule at every entrance; and rows that are in one order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    HitCurveDisplay,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    compat,
    get_scorer,
    large,
    operating_point,
    threshold_counts,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
HITS = X[:, 0] + RNG.normal(size=200) > 1.2
NAMES = np.where(HITS, "fraud", "ok")
SCORES = X[:, 0]
MODEL = LogisticRegression().fit(X, NAMES)
CV = cross_validate(
    LogisticRegression(), X, NAMES, cv=4, return_estimator=True, return_indices=True
)
BOTH = {"A": SCORES, "B": X[:, 1]}

OF_SCORES = {
    "score": lambda y: average_precision_score(y, SCORES),
    "interval": lambda y: average_precision_interval(y, SCORES),
    "comparison": lambda y: compare_average_precision(y, BOTH),
    "best of many": lambda y: best_average_precision(y, BOTH),
    "counts": lambda y: threshold_counts(y, SCORES),
    "operating point": lambda y: operating_point(y, SCORES, k=3),
    "display": lambda y: AveragePrecisionDisplay.from_predictions(y, SCORES),
    "chunks": lambda y: large.from_chunks([(y, SCORES)]),
    "tools": lambda y: compat.compare(y, SCORES),
}
OF_MODELS = {
    "interval": lambda: AveragePrecisionInterval.from_cv_results(CV, X, NAMES),
    "comparison": lambda: AveragePrecisionComparison.from_cv_results({"A": CV, "B": CV}, X, NAMES),
    "display": lambda: AveragePrecisionDisplay.from_estimator(MODEL, X, NAMES),
    "hit curve": lambda: HitCurveDisplay.from_estimator(MODEL, X, NAMES),
    "models": lambda: AveragePrecisionComparison.from_estimators(
        {"A": MODEL, "B": MODEL}, X, NAMES
    ),
    "folds": lambda: AveragePrecisionDisplay.from_cv_results(CV, X, NAMES),
    "scorer": lambda: get_scorer("average_precision")(MODEL, X, NAMES),
}
UNSAID = r"pos_label is not specified.*Pass pos_label={!r} or pos_label={!r}"


@pytest.mark.parametrize("call", OF_SCORES.values(), ids=OF_SCORES)
@pytest.mark.parametrize("names", [("fraud", "ok"), (1, 2), (0, 2)])
def test_two_labels_that_do_not_say_which_is_positive_are_an_error(call, names):
    with pytest.raises(ValueError, match=UNSAID.format(*names)):
        call(np.where(HITS, *names))


@pytest.mark.parametrize("call", OF_MODELS.values(), ids=OF_MODELS)
def test_the_second_class_of_a_model_is_no_positive_one(call):
    with pytest.raises(ValueError, match=UNSAID.format("fraud", "ok")):
        call()


@pytest.mark.parametrize(
    ("convert", "way"),
    [(np.asarray, r"y_score\[:, {}\]"), (pd.DataFrame, r"y_score.iloc\[:, {}\]")],
)
def test_of_two_columns_the_one_of_the_positive_label_is_advised(convert, way):
    proba = convert(MODEL.predict_proba(X))
    for label, column in (("fraud", 0), ("ok", 1)):
        with pytest.raises(ValueError, match=way.format(column)):
            average_precision_score(NAMES, proba, pos_label=label)
    with pytest.raises(ValueError, match=way.format(1)):
        average_precision_score(HITS, proba)


class TestPredictedClasses:
    CLASSES = (MODEL.predict(X) == "fraud").astype(int)
    LOOK = "look like predicted classes"

    @pytest.mark.parametrize(
        "call",
        [
            lambda y, s: average_precision_interval(y, s),
            lambda y, s: average_precision_interval(y, 2.0 * s - 1),
            lambda y, s: average_precision_interval(y, np.where(SCORES < -2, -np.inf, s)),
            lambda y, s: compare_average_precision(y, {"A": s, "B": SCORES}),
            lambda y, s: best_average_precision(y, {"A": s, "B": SCORES}),
            lambda y, s: operating_point(y, s, k=150),
            lambda y, s: compat.explain("xgboost.aucpr", y[:11], s[:11]),
            lambda y, s: compat.compare(y, s, tools=["xgboost.aucpr"]),
        ],
    )
    def test_they_are_warned_of(self, call):
        with pytest.warns(UncertaintyWarning, match=self.LOOK) as record:
            call(HITS, self.CLASSES)
        assert record[0].filename == __file__

    @pytest.mark.parametrize("kind", [int, bool])
    def test_scores_warn_of_classes_that_are_no_floats(self, kind):
        with pytest.warns(UserWarning, match=f"{self.LOOK}.* give them as floats") as record:
            average_precision_score(HITS, self.CLASSES.astype(kind))
        assert record[0].filename == __file__

    def test_of_several_models_the_one_is_named(self):
        with pytest.warns(UncertaintyWarning, match=f"^predicted classes: 'A': .*{self.LOOK}"):
            compare_average_precision(HITS, {"A": self.CLASSES, "B": SCORES})

    @pytest.mark.filterwarnings("error")
    def test_few_rows_and_other_scores_are_silent(self):
        average_precision_score(HITS, 1.0 * self.CLASSES)  # a tree gives such probabilities
        average_precision_score([1, 0, 1], [1, 0, 1])
        compat.explain("xgboost.aucpr", HITS[:10], self.CLASSES[:10])
        operating_point(HITS, np.where(SCORES > 0, 0.5, 0.0), k=150)
        operating_point(HITS, SCORES, k=150)


SHUFFLED = RNG.permutation(200)
Y, S = pd.Series(HITS), pd.Series(SCORES)
COLUMN = pd.Series(np.arange(200) % 5 + 1).iloc[SHUFFLED]


@pytest.mark.parametrize(
    "call",
    [
        average_precision_score,
        threshold_counts,
        lambda y, s: AveragePrecisionDisplay.from_predictions(y, s),
        lambda y, s: compat.score("xgboost.aucpr", y, s),
        lambda y, s: compat.compare(y, s),
        lambda y, s: compat.explain("xgboost.aucpr", y, s),
        lambda y, s: large.from_chunks([(y, s)]),
        lambda y, s: operating_point(y, s, k=3),
    ],
)
def test_rows_of_the_same_names_in_another_order_are_an_error(call):
    with pytest.raises(ValueError, match=r"another order.*Pass y_score\.loc\[y_true\.index\]"):
        call(Y, S.iloc[SHUFFLED])


@pytest.mark.parametrize("name", ["sample_weight", "queries", "clusters"])
def test_so_they_are_for_all_columns_of_rows(name):
    with pytest.raises(ValueError, match=f"y_true and {name} have indexes"):
        average_precision_interval(Y, SCORES, **{name: COLUMN})


def test_names_that_stand_twice_have_another_way_out():
    names = np.arange(200) // 2
    with pytest.raises(ValueError, match="Bring them into one order, or pass arrays"):
        average_precision_score(Y.set_axis(names), S.set_axis(names).iloc[SHUFFLED])


def test_other_names_and_equal_indexes_are_read_by_position():
    expected = average_precision_score(HITS[SHUFFLED], SCORES)
    later = Y.set_axis(range(200, 400)).iloc[SHUFFLED]
    for scores in (S, S.set_axis(["a", *range(199)])):
        assert average_precision_score(later, scores) == expected
    assert average_precision_score(Y, S.set_axis(np.arange(200) // 2)) == average_precision_score(
        Y, S
    )
    both = average_precision_score(Y.iloc[SHUFFLED], S.iloc[SHUFFLED])
    assert both == pytest.approx(average_precision_score(HITS, SCORES))


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        (pd.Series(["ok", "fraud", None], dtype=object), "row 2"),
        (pd.Series(["ok", "fraud", np.nan], dtype=object), "row 2"),
        ([0, 1, None], "row 2: (None|nan)"),
        (np.array([0, 1, None], dtype=object), "row 2: (None|nan)"),
        ([[0], [1], [None]], "row 2, column 0: None"),
    ],
)
def test_a_missing_label_is_named_with_its_row(labels, place):
    with pytest.raises(ValueError, match=rf"missing value, in {place}\b"):
        average_precision_score(labels, [1, 2, 3])


@pytest.mark.parametrize(
    ("y_score", "text"),
    [
        (["0.3", "x", "0.1"], "'0.3' in row 0"),
        (np.array([0.3, "0.2", 0.1], object), "'0.2' in row 1"),
        (pl.Series(["0.3", "0.2", "0.1"]), "'0.3' in row 0"),
        (np.array([[0.3, 0.1], [0.2, "x"], [0.1, 0.1]], object), r"'x' in row \(1, 1\)"),
    ],
)
def test_the_first_text_among_scores_is_shown_with_its_row(y_score, text):
    with pytest.raises(ValueError, match=rf"the text {text}\. predict_proba "):
        average_precision_score([1, 0, 1], y_score)
