"""Which label is positive, by one rule at every entrance; and rows that are in one order."""

import numpy as np
import pandas as pd
import pytest
from pooled import pooled_comparison, pooled_interval
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compat,
    operating_point,
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

WARN_OF_CLASSES = {
    "interval": average_precision_interval,
    "comparison": lambda y, s: sklearn_ap.compare_average_precision(y, {"A": s, "B": SCORES}),
    "best of many": lambda y, s: sklearn_ap.best_average_precision(y, {"A": s, "B": SCORES}),
    "operating point": lambda y, s: operating_point(y, s, k=150),
    "tools": lambda y, s: compat.compare(y, s, tools=["xgboost.aucpr"]),
    "explanation": lambda y, s: compat.explain("xgboost.aucpr", y, s),
}
OF_SCORES = WARN_OF_CLASSES | {
    "score": average_precision_score,
    "counts": sklearn_ap.threshold_counts,
    "display": AveragePrecisionDisplay.from_predictions,
    "chunks": lambda y, s: sklearn_ap.large.from_chunks([(y, s)]),
    "tool": lambda y, s: compat.score("xgboost.aucpr", y, s),
}
OF_MODELS = {
    "interval": lambda: pooled_interval(CV, X, NAMES),
    "comparison": lambda: pooled_comparison({"A": CV, "B": CV}, X, NAMES),
    "display": lambda: AveragePrecisionDisplay.from_estimator(MODEL, X, NAMES),
    "folds": lambda: AveragePrecisionDisplay.from_cv_results(CV, X, NAMES),
    "scorer": lambda: sklearn_ap.get_scorer("average_precision")(MODEL, X, NAMES),
}
UNSAID = r"pos_label is not specified.*Pass pos_label='fraud' or pos_label='ok'"
SHUFFLED = RNG.permutation(200)
Y, S = pd.Series(HITS), pd.Series(SCORES)


@pytest.mark.parametrize("call", OF_SCORES.values(), ids=OF_SCORES)
def test_text_labels_without_pos_label_and_misordered_rows_are_refused(call):
    with pytest.raises(ValueError, match=r"another order.*Pass y_score\.loc\[y_true\.index\]"):
        call(Y, S.iloc[SHUFFLED])
    with pytest.raises(ValueError, match=UNSAID):
        call(NAMES, SCORES)


@pytest.mark.parametrize("call", OF_MODELS.values(), ids=OF_MODELS)
def test_second_class_of_a_model_is_not_assumed_positive(call):
    with pytest.raises(ValueError, match=UNSAID):
        call()


@pytest.mark.parametrize(
    ("convert", "way"),
    [(np.asarray, r"y_score\[:, {}\]"), (pd.DataFrame, r"y_score.iloc\[:, {}\]")],
)
def test_error_for_two_columns_advises_the_positive_one(convert, way):
    proba = convert(MODEL.predict_proba(X))
    for y_true, label, column in ((NAMES, "fraud", 0), (NAMES, "ok", 1), (HITS, None, 1)):
        with pytest.raises(ValueError, match=way.format(column)):
            average_precision_score(y_true, proba, pos_label=label)


class TestPredictedClasses:
    CLASSES = (MODEL.predict(X) == "fraud").astype(int)

    @pytest.mark.parametrize("call", WARN_OF_CLASSES.values(), ids=WARN_OF_CLASSES)
    def test_predicted_classes_as_scores_raise_a_warning(self, call):
        match = "^predicted classes: ('A': )?All scores are .* look like predicted classes"
        for scores in (self.CLASSES, np.where(SCORES < -2, -np.inf, 2.0 * self.CLASSES - 1)):
            with pytest.warns(UncertaintyWarning, match=match) as record:
                call(HITS, scores)
            assert record[0].filename == __file__

    @pytest.mark.parametrize("kind", [int, bool])
    def test_integer_and_bool_classes_as_scores_raise_a_warning(self, kind):
        with pytest.warns(UserWarning, match="predicted classes.* give them as floats") as record:
            average_precision_score(HITS, self.CLASSES.astype(kind))
        assert record[0].filename == __file__

    def test_few_rows_and_genuine_scores_raise_no_warning(self):
        average_precision_score(HITS, 1.0 * self.CLASSES)  # a tree gives such probabilities
        average_precision_score([1, 0, 1], [1, 0, 1])
        compat.explain("xgboost.aucpr", HITS[:10], self.CLASSES[:10])
        operating_point(HITS, np.where(SCORES > 0, 0.5, 0.0), k=150)
        operating_point(HITS, SCORES, k=150)


@pytest.mark.parametrize("name", ["sample_weight", "queries", "clusters"])
def test_weights_queries_and_clusters_in_another_order_are_refused(name):
    column = pd.Series(np.arange(200) % 5 + 1).iloc[SHUFFLED]
    with pytest.raises(ValueError, match=f"y_true and {name} have indexes"):
        average_precision_interval(Y, SCORES, **{name: column})


def test_series_match_by_position_and_ambiguous_indexes_are_refused():
    twice = np.arange(200) // 2
    with pytest.raises(ValueError, match="Bring them into one order, or pass arrays"):
        average_precision_score(Y.set_axis(twice), S.set_axis(twice).iloc[SHUFFLED])
    later, moved = Y.set_axis(range(200, 400)).iloc[SHUFFLED], Y.iloc[SHUFFLED]
    for labels, scores, expected in (
        (later, S, average_precision_score(HITS[SHUFFLED], SCORES)),
        (later, S.set_axis(["a", *range(199)]), average_precision_score(HITS[SHUFFLED], SCORES)),
        (Y, S.set_axis(twice), average_precision_score(HITS, SCORES)),
        (moved, S.iloc[SHUFFLED], average_precision_score(HITS, SCORES)),
    ):
        assert average_precision_score(labels, scores) == pytest.approx(expected)
