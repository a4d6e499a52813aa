"""How the scores treat averages, labels, queries and rankings without positives."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from every import every
from registry import DEFINITIONS, REGISTRY, score
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score, precision_at_k_score, recall_at_k_score

CLASSES = np.array([0, 1, 2, 1, 0])
THREE = np.array(
    [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3], [0.1, 0.5, 0.4]]
)
every_average_precision = pytest.mark.parametrize(
    "name", [name for name, entry in REGISTRY.items() if entry.needs_positives]
)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples", None])
@every("definition", DEFINITIONS, ids=repr)
def test_every_definition_is_an_option(definition, average):
    options = {"average": average, "zero_division": np.nan}
    ours = average_precision_score(CLASSES, THREE, definition=definition, **options)
    np.testing.assert_array_equal(ours, score(definition, CLASSES, THREE, **options))


class TestWithoutPositives:
    @every_average_precision
    def test_it_is_0_with_one_warning_that_counts_the_rankings(self, name):
        y_true, queries = [0, 0, 0, 1], ["a", "a", "b", "c"]
        with pytest.warns(UndefinedMetricWarning) as record:
            values = REGISTRY[name].score(y_true, [1, 2, 3, 4], queries=queries, average=None)
        assert len(record) == 1
        assert str(record[0].message).startswith("No positive class found in y_true, for 2 of 3")
        assert values[:2].tolist() == [0.0, 0.0]

    @every_average_precision
    @every("zero_division", [0.0, 1.0, 0, 1, np.nan])
    def test_zero_division_gives_it_silently(self, name, zero_division):
        value = REGISTRY[name].score([0, 0], [1, 2], zero_division=zero_division)
        np.testing.assert_equal(value, float(zero_division))

    def test_nan_is_left_out_of_averages(self):
        y_true, y_score, queries = [0, 0, 1, 0, 0, 1], [1, 2, 2, 1, 2, 1], [1, 1, 2, 2, 3, 3]
        options = {"queries": queries, "zero_division": np.nan}
        each = average_precision_score(y_true, y_score, average=None, **options)
        np.testing.assert_array_equal(each, [np.nan, 1.0, 0.5])
        assert average_precision_score(y_true, y_score, **options) == 0.75
        assert average_precision_score(y_true, y_score, average="weighted", **options) == 0.75

    @pytest.mark.parametrize("average", ["macro", "weighted"])
    @pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
    def test_nothing_else_to_average(self, average, zero_division):
        options = {"queries": [1, 1, 2], "average": average, "zero_division": zero_division}
        np.testing.assert_equal(
            average_precision_score([0, 0, 0], [1, 2, 3], **options), zero_division
        )

    def test_weighted_warns(self):
        with pytest.warns(UndefinedMetricWarning, match="for 2 of 2 rankings"):
            value = average_precision_score(np.zeros((2, 2), int), np.eye(2), average="weighted")
        assert value == 0.0

    def test_known_positives_make_it_defined(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert average_precision_score([0, 0], [1, 2], n_positives=15) == 0.0

    def test_samples_average_by_weight_leaves_nan_rows_out(self):
        y_true, y_score = np.array([[0, 0], [1, 0], [0, 1]]), np.array([[1, 2], [2, 1], [2, 1]])
        options = {"average": "samples", "zero_division": np.nan}
        weighted = average_precision_score(y_true, y_score, sample_weight=[5, 3, 1], **options)
        assert weighted == pytest.approx((3 * 1 + 1 * 0.5) / 4)
        alone = average_precision_score(y_true, y_score, sample_weight=[5, 0, 0], **options)
        assert np.isnan(alone)

    def test_a_row_of_weight_0_is_absent_from_samples(self):
        y_true, y_score = [[1, 0], [0, 0], [1, 1]], [[9, 1], [5, 6], [3, 8]]
        options = {"average": "samples", "sample_weight": [1, 0, 1]}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert average_precision_score(y_true, y_score, **options) == 1.0


class TestWhatComesBack:
    @pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
    def test_a_float_for_one_ranking(self, average):
        assert type(average_precision_score([0, 1], [1, 2], average=average)) is float

    @pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples"])
    def test_a_float_for_an_average(self, average):
        value = average_precision_score(np.eye(2, dtype=int), np.eye(2), average=average)
        assert type(value) is float

    def test_an_array_for_no_average(self):
        values = average_precision_score(np.eye(2, dtype=int), np.eye(2), average=None)
        assert isinstance(values, np.ndarray)
        one_query = average_precision_score([0, 1], [1, 2], queries=[7, 7], average=None)
        assert one_query.tolist() == [1.0]


class TestClasses:
    def test_each_class_against_the_rest(self):
        values = average_precision_score(CLASSES, THREE, average=None)
        alone = [average_precision_score(c == CLASSES, THREE[:, c]) for c in range(3)]
        assert values.tolist() == alone

    def test_labels_name_the_columns_where_a_class_is_missing(self):
        fold = CLASSES != 2
        values = average_precision_score(
            CLASSES[fold], THREE[fold], labels=[0, 1, 2], average=None, zero_division=np.nan
        )
        full = [average_precision_score(CLASSES[fold] == c, THREE[fold, c]) for c in (0, 1)]
        np.testing.assert_array_equal(values, [*full, np.nan])

    def test_labels_in_the_order_of_the_columns(self):
        names = np.array(["goose", "plane", "bird"])
        order = [2, 0, 1]
        values = average_precision_score(
            names[CLASSES], THREE[:, order], labels=names[order], average=None
        )
        in_place = average_precision_score(CLASSES, THREE, average=None)
        assert values.tolist() == in_place[order].tolist()

    @pytest.mark.parametrize("only", [0, 1, 2])
    def test_labels_with_a_single_class_present(self, only):
        fold = only == CLASSES
        options = {"labels": [0, 1, 2], "average": None, "zero_division": np.nan}
        values = average_precision_score(CLASSES[fold], THREE[fold], **options)
        assert np.isnan(values).sum() == 2
        assert values[only] == 1.0


class TestGroups:
    Y = np.array([1, 0, 0, 1, 1, 0])
    S = np.array([0.9, 0.1, 0.8, 0.2, 0.6, 0.5])
    QUERY = np.array([2, 2, 1, 1, 1, 1])

    def test_the_order_is_that_of_unique(self):
        values = average_precision_score(self.Y, self.S, queries=self.QUERY, average=None)
        assert values == pytest.approx([(1 / 2 + 2 / 4) / 2, 1.0])

    @pytest.mark.parametrize(
        "convert",
        [
            list,
            lambda q: q.astype(float),
            lambda q: q.astype(str),
            lambda q: np.array(["", "b", "a long name"], object)[q],
            lambda q: pd.Series(q).map({1: "x", 2: "y"}).astype("category"),
            lambda q: pd.Series(q, dtype="Int64"),
            lambda q: pl.Series(q),
            lambda q: pl.Series(["", "b", "c"])[q],
            lambda q: (
                np.array(["", "2020-01-02", "2021-01-01"])[q].astype("datetime64[D]")
                if (q > 0).all()
                else q
            ),
            lambda q: q > 1,
        ],
    )
    def test_queries_of_any_dtype_agree(self, convert):
        queries = convert(self.QUERY)
        value = average_precision_score(self.Y, self.S, queries=queries)
        assert value == pytest.approx((0.5 + 1) / 2)

    def test_weighted_is_by_number_of_positives(self):
        value = average_precision_score(self.Y, self.S, queries=self.QUERY, average="weighted")
        assert value == pytest.approx((2 * 0.5 + 1 * 1) / 3)

    def test_known_positives_one_per_query(self):
        value = average_precision_score(
            self.Y, self.S, queries=self.QUERY, n_positives=[4, 1], average="weighted"
        )
        assert value == pytest.approx((4 * 0.25 + 1 * 1) / 5)

    def test_a_query_of_weight_0_is_absent(self):
        weight = np.where(self.QUERY == 1, 0, 1)
        values = average_precision_score(
            self.Y, self.S, queries=self.QUERY, sample_weight=weight, average=None
        )
        assert values.tolist() == [1.0]


def test_known_positives_one_per_column_row_or_in_all():
    y_true, y_score = np.array([[1, 0], [0, 1]]), np.array([[2, 1], [1, 2]])
    for average, known in (("macro", [2, 1]), ("samples", [2, 1]), ("micro", 4)):
        value = average_precision_score(y_true, y_score, average=average, n_positives=known)
        assert value == {"macro": 0.75, "samples": 0.75, "micro": 0.5}[average]


def test_known_positives_of_a_weighted_ranking_may_be_fractions():
    value = average_precision_score([1, 0], [2, 1], sample_weight=[0.5, 1], n_positives=1.25)
    assert value == 0.4


def test_precision_at_k_is_not_changed_by_known_positives():
    assert precision_at_k_score([1, 0], [2, 1], k=2, n_positives=7) == 0.5


@pytest.mark.parametrize("weight", [1e-170, 1e-12, 1e300])
def test_weights_of_any_size_count_alike_at_k(weight):
    options = {"k": 10 if weight < 1 else 10**18, "sample_weight": [weight] * 4}
    y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    n_positives = 2 * weight
    assert recall_at_k_score(y_true, y_score, **options) == pytest.approx(
        min(1, options["k"] / n_positives)
    )


@every(
    "name",
    [name for name, e in REGISTRY.items() if e.weighted and e.definition.depth is None],
)
@pytest.mark.parametrize("weight", [5e-324, 1e-310])
@pytest.mark.parametrize("by_query", [False, True])
def test_denormal_weights_give_the_same_ratios(name, weight, by_query):
    y_true, y_score = [1, 0, 1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.5, 0.4, 0.3]
    score, options = REGISTRY[name].score, {}
    if by_query:  # the other query has ordinary weights
        options = {"queries": [1] * 7 + [2] * 3, "average": None}
        y_true, y_score = [*y_true, 1, 0, 1], [*y_score, 1, 2, 3]
    tiny = np.where(np.arange(len(y_true)) < 7, weight, 1.0)
    value = score(y_true, y_score, sample_weight=tiny, **options)
    assert value == pytest.approx(score(y_true, y_score, **options), abs=1e-12)


def test_denormal_weights_as_in_scikit_learn():
    arguments, options = ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), {"sample_weight": [5e-324] * 4}
    value = average_precision_score(*arguments, **options)
    assert value == sklearn.metrics.average_precision_score(*arguments, **options)
    assert value == pytest.approx(5 / 6)


def test_denormal_weights_average_columns_and_rows():
    y_true, y_score = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[3, 2], [2, 3], [1, 4]])
    for average in ("weighted", "samples", "micro"):
        options = {"average": average, "sample_weight": [5e-324, 5e-324, 1e-323]}
        value = average_precision_score(y_true, y_score, **options)
        options["sample_weight"] = [1, 1, 2]
        assert value == pytest.approx(average_precision_score(y_true, y_score, **options))


def test_huge_scores_and_huge_totals_do_not_overflow():
    assert average_precision_score([1, 0], [1.7e308, -1.7e308]) == 1.0
    assert average_precision_score([1, 0], [1.7e308, 1.6e308]) == 1.0
    known = {"queries": [0, 0, 1, 1], "n_positives": [1e308, 1e308], "average": "weighted"}
    assert average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], **known) == pytest.approx(
        0, abs=1e-9
    )
