"""Which label is positive, by one rule at every entrance; and rows that are in one order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import sklearn_ap
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
OTHER_NUMBERS = np.where(HITS, 1, 2)

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


def test_the_label_that_is_named_counts_in_cross_validation():
    found = AveragePrecisionInterval.from_cv_results(CV, X, NAMES, pos_label="fraud")
    assert found.n_positives == HITS.sum()


@pytest.mark.parametrize("names", [(1, 0), (1, -1), (True, False), (1.0, 0.0)])
def test_the_usual_numbers_need_no_word(names):
    y_true = np.where(HITS, *names)
    assert average_precision_score(y_true, SCORES) == average_precision_score(HITS, SCORES)


def test_one_of_two_other_numbers_may_be_named():
    for label in (1, 2):
        found = average_precision_score(OTHER_NUMBERS, SCORES, pos_label=label)
        assert found == average_precision_score(label == OTHER_NUMBERS, SCORES)


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


def test_a_search_that_needs_a_label_says_so():
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=get_scorer("recall_at_10"))
    with pytest.warns(UserWarning, match="non-finite|Pass pos_label='fraud'") as record:
        search.fit(X, NAMES)
    assert any("Pass pos_label='fraud'" in str(warning.message) for warning in record)


class TestOrder:
    SHUFFLED = RNG.permutation(200)
    Y, S = pd.Series(HITS), pd.Series(SCORES)

    @pytest.mark.parametrize("call", [average_precision_score, threshold_counts])
    def test_the_same_names_in_another_order_are_an_error(self, call):
        with pytest.raises(ValueError, match=r"y_true and y_score .*y_score\.loc\[y_true\.index\]"):
            call(self.Y, self.S.iloc[self.SHUFFLED])

    @pytest.mark.parametrize("name", ["sample_weight", "queries", "clusters"])
    def test_so_they_are_for_all_columns_of_rows(self, name):
        column = pd.Series(np.arange(200) % 5 + 1).iloc[self.SHUFFLED]
        with pytest.raises(ValueError, match=f"y_true and {name} have indexes"):
            average_precision_interval(self.Y, SCORES, **{name: column})

    @pytest.mark.parametrize(
        "call",
        [
            lambda y, s: AveragePrecisionDisplay.from_predictions(y, s),
            lambda y, s: compat.score("xgboost.aucpr", y, s),
            lambda y, s: compat.compare(y, s),
            lambda y, s: compat.explain("xgboost.aucpr", y, s),
            lambda y, s: large.from_chunks([(y, s)]),
            lambda y, s: operating_point(y, s, k=3),
        ],
    )
    def test_so_they_are_at_every_entrance(self, call):
        with pytest.raises(ValueError, match="indexes with the same names in another order"):
            call(self.Y, self.S.iloc[self.SHUFFLED])

    def test_names_that_stand_twice_have_another_way_out(self):
        names = np.arange(200) // 2
        shuffled = self.S.set_axis(names).iloc[self.SHUFFLED]
        with pytest.raises(ValueError, match="Bring them into one order, or pass arrays"):
            average_precision_score(self.Y.set_axis(names), shuffled)

    def test_other_names_are_read_by_position(self):
        later = self.Y.set_axis(range(200, 400)).iloc[self.SHUFFLED]
        expected = average_precision_score(HITS[self.SHUFFLED], SCORES)
        assert average_precision_score(later, self.S) == expected
        mixed = self.S.set_axis(["a", *range(199)])
        assert average_precision_score(later, mixed) == expected

    def test_equal_indexes_are_silent(self):
        shuffled = self.Y.iloc[self.SHUFFLED], self.S.iloc[self.SHUFFLED]
        np.testing.assert_allclose(
            average_precision_score(*shuffled), average_precision_score(HITS, SCORES)
        )


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_label_is_named_with_its_row(missing):
    labels = pd.Series(["ok", "fraud", missing], dtype=object)
    with pytest.raises(ValueError, match="missing value, in row 2"):
        average_precision_score(labels, [1, 2, 3], pos_label="fraud")


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_none_among_numbers_is_a_missing_label(kind):
    labels = [0, 1, None] if kind is list else kind([0, 1, None], dtype=object)
    with pytest.raises(ValueError, match=r"missing value, in row 2: (None|nan)\. "):
        average_precision_score(labels, [1, 2, 3])


def test_a_missing_label_of_a_single_column_is_named_with_its_column():
    with pytest.raises(ValueError, match=r"missing value, in row 1, column 0: None\. "):
        average_precision_score([[0], [None]], [1, 2])


class TestText:
    @pytest.mark.parametrize(
        "y_score",
        [
            ["0.3", "0.2", "x"],
            np.array([0.3, "0.2", 0.1], object),
            pd.Series([0.3, "0.2", 0.1]),
            pl.Series(["0.3", "0.2", "0.1"]),
        ],
    )
    def test_the_first_text_among_scores_is_shown_with_its_row(self, y_score):
        with pytest.raises(ValueError, match=r"the text '0\.[23]' in row [01]\. predict_proba "):
            average_precision_score([1, 0, 1], y_score)


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
            lambda y, s: compat.explain("xgboost.aucpr", y, s),
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
        operating_point([1, 0, 1], [1, 0, 1], k=2)
        operating_point(HITS, np.where(SCORES > 0, 0.5, 0.0), k=150)
        operating_point(HITS, SCORES, k=150)


@pytest.mark.parametrize("words", [("no", "yes"), ("No", "Yes"), ("FALSE", "True")])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_may_say_yes_and_no(tmp_path, capsys, words, kind):
    frame = pl.DataFrame({"y": [words[1], words[0], words[1], words[0]], "p": [0.9, 0.8, 0.7, 0.1]})
    path = tmp_path / f"file.{kind}"
    getattr(frame, f"write_{kind}")(path)
    assert large.from_table(path, "y", "p").score() == pytest.approx(5 / 6)
    from sklearn_ap.__main__ import main

    columns = ["--label", "y", "--score", "p", "--definition", "Step"]
    with pytest.warns(UncertaintyWarning):
        sklearn_ap.average_precision_interval([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert main(["score", str(path), *columns]) == 0
    assert "0.833" in capsys.readouterr().out
