"""Tables of labels with gaps: each column ranks the rows whose label is known."""

from fractions import Fraction

import numpy as np
import pytest
from every import every
from reference import step
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

import sklearn_ap
from sklearn_ap import average_precision_score, compat, get_scorer
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    Step,
)

NAN = np.nan
N, COLUMNS = 80, 4
MODELS = {
    "interval": sklearn_ap.average_precision_interval,
    "comparison": sklearn_ap.compare_average_precision,
    "best": sklearn_ap.best_average_precision,
}


@pytest.fixture
def table():
    """Labels with gaps, and the scores of two models; a row has no known label."""
    rng = np.random.default_rng(0)
    y_true = (rng.random((N, COLUMNS)) < 0.3).astype(float)
    y_scores = {"a": rng.normal(size=(N, COLUMNS)) + y_true, "b": rng.random((N, COLUMNS))}
    y_true[rng.random((N, COLUMNS)) < 0.4] = NAN
    y_true[3] = NAN
    return y_true, y_scores


def in_one_column(y_true, y_score, sample_weight=None):
    """The same in long form: the column is the query, and the row the cluster."""
    column, row = (~np.isnan(y_true)).T.nonzero()
    weight = None if sample_weight is None else sample_weight[row]
    rows = {"sample_weight": weight, "queries": column, "clusters": row}
    return y_true[row, column], y_score[row, column], rows


def numbers(result):
    return result.to_frame().select_dtypes("number").to_numpy(float)


def test_a_worked_example():
    """Column 0 ranks 1 0 1, column 1 ranks 0 1, and column 2 a single positive."""
    y_true = [[1, NAN, NAN], [0, 0, NAN], [NAN, 1, 1], [1, NAN, NAN]]
    y_score = [[0.9, 0.9, 0.1], [0.8, 0.9, 0.2], [0.7, 0.8, 0.3], [0.6, 0.1, 0.4]]
    of_columns = [Fraction(5, 6), Fraction(1, 2), Fraction(1)]
    found = average_precision_score(y_true, y_score, average=None)
    np.testing.assert_allclose(found, np.array(of_columns, float), rtol=1e-15)
    assert average_precision_score(y_true, y_score) == pytest.approx(7 / 9, abs=1e-15)
    weighted = (2 * of_columns[0] + of_columns[1] + of_columns[2]) / 4
    assert average_precision_score(y_true, y_score, average="weighted") == pytest.approx(
        float(weighted), abs=1e-15
    )
    # Cells by falling score: 1 0 0 1 1 1
    cells = step([1, 0, 0, 1, 1, 1], [0.9, 0.85, 0.85, 0.8, 0.6, 0.3])
    y_score[1][0] = 0.9  # a tie with the first
    ranked = [1, 0, 0, 1, 1, 1], [0.9, 0.9, 0.9, 0.8, 0.6, 0.3]
    assert average_precision_score(y_true, y_score, average="micro") == pytest.approx(
        float(step(*ranked)), abs=1e-15
    )
    assert cells > step(*ranked)


@every("average", ["macro", "weighted", None])
@every("definition", [Step(), AtK(5), Interpolated(), Linear(), Hyperbolic()])
@every("is_weighted", [False, True])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_a_table_is_its_long_form(table, average, definition, is_weighted):
    y_true, y_scores = table
    weight = np.random.default_rng(1).random(N) if is_weighted else None
    options = {"definition": definition, "average": average}
    for name, entrance in MODELS.items():
        if name == "best" and average is None:
            continue
        chosen = y_scores["a"] if name == "interval" else y_scores
        found = entrance(y_true, chosen, sample_weight=weight, **options)
        labels, score, rows = in_one_column(y_true, y_scores["a"], weight)
        if average is None:  # columns have scores of their own, so rows need not be kept together
            del rows["clusters"]
        if name != "interval":
            score = {"a": score, "b": in_one_column(y_true, y_scores["b"])[1]}
        expected = entrance(labels, score, **rows, **options)
        np.testing.assert_allclose(numbers(found), numbers(expected), rtol=0, atol=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples", None])
def test_full_tables_are_as_before(table, average):
    """Bit by bit, whatever the type that could hold a gap."""
    y_true, y_scores = table
    full = np.nan_to_num(y_true)
    expected = average_precision_score(
        full.astype(int), y_scores["a"], average=average, zero_division=0.0
    )
    for given in (full, full.astype(object), full.astype(int).tolist()):
        found = average_precision_score(given, y_scores["a"], average=average, zero_division=0.0)
        np.testing.assert_array_equal(found, expected)


def test_rows_of_unknown_labels_are_no_samples(table):
    y_true, y_scores = table
    options = {"average": "samples", "zero_division": 0.0}
    kept = ~np.isnan(y_true).all(axis=1)
    of_rows = [
        average_precision_score(labels[~np.isnan(labels)], score[~np.isnan(labels)])
        if np.nansum(labels)
        else 0.0
        for labels, score in zip(y_true[kept], y_scores["a"][kept], strict=True)
    ]
    found = average_precision_score(y_true, y_scores["a"], **options)
    assert found == pytest.approx(np.mean(of_rows), abs=1e-14)


def test_micro_takes_the_known_cells(table):
    y_true, y_scores = table
    known = ~np.isnan(y_true)
    expected = average_precision_score(y_true[known], y_scores["a"][known])
    assert average_precision_score(y_true, y_scores["a"], average="micro") == expected


def test_missing_labels_of_pandas_and_polars(table):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y_true, y_scores = table
    frame = pandas.DataFrame(y_true, columns=list("abcd"))
    with_none = [[None if np.isnan(label) else int(label) for label in row] for row in y_true]
    expected = average_precision_score(y_true, y_scores["a"])
    for given in (
        frame,
        frame.astype("Int64"),
        frame.astype("boolean"),
        with_none,
        polars.DataFrame(with_none, orient="row"),
    ):
        assert average_precision_score(given, y_scores["a"]) == expected


def test_a_column_without_known_labels_is_undefined(table):
    y_true, y_scores = table
    y_true[:, 2] = NAN
    found = average_precision_score(y_true, y_scores["a"], average=None, zero_division=NAN)
    assert np.isnan(found).tolist() == [False, False, True, False]
    mean = average_precision_score(y_true, y_scores["a"], zero_division=NAN)
    assert mean == pytest.approx(np.nanmean(found), abs=1e-15)
    interval = sklearn_ap.average_precision_interval(y_true, y_scores["a"], zero_division=NAN)
    rest = np.delete(y_true, 2, axis=1), np.delete(y_scores["a"], 2, axis=1)
    alone = sklearn_ap.average_precision_interval(*rest)
    assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
    known = sklearn_ap.average_precision_score(
        y_true, y_scores["a"], n_positives=np.nansum(y_true, axis=0) + 1, average=None
    )
    assert known[2] == 0  # the one positive that is known was never scored


def test_what_is_refused(table):
    y_true, y_scores = table
    with pytest.raises(ValueError, match=r"in row 2: nan\. If the label is unknown, leave the row"):
        average_precision_score([1, 0, NAN], y_scores["a"][:3, 0])
    with pytest.raises(ValueError, match="no known label"):
        average_precision_score(np.full((3, 2), NAN), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="Where -1 says unknown, pass"):
        average_precision_score(np.nan_to_num(y_true, nan=-1), y_scores["a"])
    with pytest.raises(ValueError, match="Make positive labels 1, negative ones 0"):
        average_precision_score(y_true + 1, y_scores["a"])
    with pytest.raises(ValueError, match="average='macro' of a table with unknown labels"):
        sklearn_ap.chance_test(y_true, y_scores["a"])


def test_columns_in_another_order_are_refused(table):
    pandas = pytest.importorskip("pandas")
    y_true, y_scores = table
    labels = pandas.DataFrame(y_true, columns=list("abcd"))
    scores = pandas.DataFrame(y_scores["a"], columns=list("abcd"))
    expected = average_precision_score(y_true, y_scores["a"])
    assert average_precision_score(labels, scores) == expected
    assert average_precision_score(labels, scores.set_axis(list("efgh"), axis=1)) == expected
    with pytest.raises(ValueError, match="the same columns in another order"):
        average_precision_score(labels, scores[list("badc")])


def test_masked_labels_are_unknown(table):
    y_true, y_scores = table
    masked = np.ma.masked_invalid(y_true)
    expected = average_precision_score(y_true, y_scores["a"])
    assert average_precision_score(masked, y_scores["a"]) == expected
    whole = np.ma.array(np.nan_to_num(y_true).astype(int), mask=np.isnan(y_true))
    assert average_precision_score(whole, y_scores["a"]) == expected


@pytest.mark.parametrize("zero_division", ["warn", 0.0, 1.0, NAN])
def test_a_column_without_labels_has_precision_0_at_k_whatever_zero_division_says(
    table, zero_division
):
    y_true, y_scores = table
    y_true[:, 2] = NAN
    options = {"average": None, "zero_division": zero_division}
    found = sklearn_ap.precision_at_k_score(y_true, y_scores["a"], k=2, **options)
    assert found[2] == 0
    assert (found[[0, 1, 3]] > 0).all()


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("clusters", [None, "clusters"])
def test_the_interval_of_a_column_is_that_of_the_rows_whose_label_is_known(clusters):
    rng = np.random.default_rng(0)
    y_true = (rng.random((60, 3)) < 0.4).astype(float)
    score, patient = y_true + rng.normal(size=(60, 3)), np.arange(60) // 3
    y_true[rng.random((60, 3)) < 0.3] = NAN
    options = {"clusters": patient} if clusters else {}
    found = sklearn_ap.average_precision_interval(y_true, score, average=None, **options)
    for i in range(3):
        known = ~np.isnan(y_true[:, i])
        options = {"clusters": patient[known]} if clusters else {}
        alone = sklearn_ap.average_precision_interval(y_true[known, i], score[known, i], **options)
        for name in ("estimate", "low", "high", "standard_error", "bias"):
            assert getattr(found, name)[i] == pytest.approx(getattr(alone, name), rel=1e-9)


def test_chance_of_each_column(table):
    y_true, y_scores = table
    found = sklearn_ap.chance_test(y_true, y_scores["a"], average=None)
    labels, score, rows = in_one_column(y_true, y_scores["a"])
    expected = sklearn_ap.chance_test(labels, score, queries=rows["queries"], average=None)
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    np.testing.assert_array_equal(found.chance, expected.chance)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_pictures(table):
    pytest.importorskip("matplotlib")
    y_true, y_scores = table
    shown = sklearn_ap.AveragePrecisionDisplay.from_predictions(
        y_true, y_scores["a"], average=None, confidence_level=0.95
    )
    shown_as = [line.get_label() for line in shown.line_]
    expected = average_precision_score(y_true, y_scores["a"], average=None)
    for i, (value, label) in enumerate(zip(expected, shown_as, strict=True)):
        assert label.startswith(f"label {i}: step AP = {value:.2f} [")


def test_tools_take_columns_as_queries(table):
    y_true, y_scores = table
    labels, score, rows = in_one_column(y_true, y_scores["a"])
    expected = compat.compare(labels, score, queries=rows["queries"])
    assert repr(compat.compare(y_true, y_scores["a"])) == repr(expected)
    of_sklearn = compat.score("sklearn.average_precision_score", y_true, y_scores["a"])
    assert of_sklearn == pytest.approx(average_precision_score(y_true, y_scores["a"]), abs=1e-12)


class OfEachColumn(ClassifierMixin, BaseEstimator):
    """A model for each column, trained on the rows whose label is known."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        known = ~np.isnan(y)
        self.models_ = [
            LogisticRegression(C=self.C).fit(X[rows], labels[rows])
            for rows, labels in zip(known.T, y.T, strict=True)
        ]
        self.classes_ = [np.array([0, 1])] * len(self.models_)
        return self

    def predict_proba(self, X):
        return [model.predict_proba(X) for model in self.models_]

    def decision_function(self, X):
        return np.column_stack([model.decision_function(X) for model in self.models_])


def test_a_search_over_a_model_with_gaps(table):
    y_true, _ = table
    X = np.random.default_rng(2).normal(size=(N, 3)) + np.nan_to_num(y_true)[:, :3]
    search = GridSearchCV(
        OfEachColumn(),
        {"C": [0.01, 1.0]},
        scoring=get_scorer("step_average_precision"),
        cv=KFold(3),
    )
    search.fit(X, y_true)
    best = search.cv_results_["mean_test_score"].max()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ == best > 0.3


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_cross_validation_with_gaps(table):
    """The pool is the table of the test rows; shares of training rows are of known labels."""
    y_true, _ = table
    X = np.random.default_rng(2).normal(size=(N, 3)) + np.nan_to_num(y_true)[:, :3]
    how = {"return_estimator": True, "return_indices": True}
    results = cross_validate(OfEachColumn(), X, y_true, cv=KFold(4), scoring=lambda *_: 0.0, **how)
    pooled = sklearn_ap.AveragePrecisionInterval.from_cv_results(results, X, y_true)
    score = np.full(y_true.shape, NAN)
    for model, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
        score[rows] = model.decision_function(X[rows])
    assert pooled.estimate == pytest.approx(average_precision_score(y_true, score), abs=1e-12)
    compared = sklearn_ap.AveragePrecisionComparison.from_cv_results(
        {"a": results, "b": results}, X, y_true, pooling="ranks"
    )
    assert compared.estimates[0] == compared.estimates[1]


def test_expected_precision_of_tied_cells(table):
    y_true, y_scores = table
    labels, score, rows = in_one_column(y_true, np.round(y_scores["a"]))
    found = average_precision_score(y_true, np.round(y_scores["a"]), definition=Expected())
    expected = average_precision_score(
        labels, score, queries=rows["queries"], definition=Expected()
    )
    assert found == pytest.approx(expected, abs=1e-14)


def test_what_is_not_masked_is_as_before():
    labels = np.ma.MaskedArray([0, 1, 1, 0])
    assert average_precision_score(labels, [0.1, 0.2, 0.4, 0.3]) == pytest.approx(5 / 6)
    hidden = np.ma.MaskedArray([0, 1, 1, 0], mask=[0, 0, 1, 0])
    with pytest.raises(ValueError, match="in row 2: nan"):
        average_precision_score(hidden, [0.1, 0.2, 0.4, 0.3])


def test_tables_of_pyarrow(table):
    arrow = pytest.importorskip("pyarrow")
    y_true, y_scores = np.nan_to_num(table[0]), table[1]["a"]
    columns = (dict(zip("abcd", each.T, strict=True)) for each in (y_true, y_scores))
    labels, scores = map(arrow.table, columns)
    expected = average_precision_score(y_true, y_scores)
    assert average_precision_score(labels, scores) == expected
    tested = sklearn_ap.chance_test(labels, y_scores, average=None, n_permutations=9)
    assert tested.rankings == ("a", "b", "c", "d")
    with pytest.raises(ValueError, match="the same columns in another order"):
        average_precision_score(labels, scores.select(list("badc")))
    with pytest.raises(ValueError, match="the same columns in another order"):
        compat.score("xgboost.aucpr", labels, scores.select(list("badc")))


def test_tools_count_columns_without_labels_as_they_count_those_without_positives(table):
    y_true, y_scores = table
    y_true[:, 2] = NAN
    of_sklearn = compat.score("sklearn.average_precision_score", y_true, y_scores["a"])
    with pytest.warns(UserWarning, match="No positive class"):
        assert of_sklearn == pytest.approx(average_precision_score(y_true, y_scores["a"]))
    assert compat.compare(y_true, y_scores["a"]).results[0].n_queries == COLUMNS
