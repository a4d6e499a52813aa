"""A score of minus infinity: equal to leaving the row out and saying n_positives."""

import numpy as np
import pytest
from every import every
from hypothesis import assume, given
from hypothesis import strategies as st
from interval_data import SMOOTH
from registry import DEFINITIONS, REGISTRY, WEIGHTS, predictions, score, takes_weights

import sklearn_ap
from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compat,
    hit_curve,
)
from sklearn_ap.definitions import AtK, Step

pytestmark = [
    pytest.mark.filterwarnings("ignore:k=.* exceeds the total of sample_weight"),
    pytest.mark.filterwarnings("ignore:(few|perfect score)"),
]
every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
SEEDS = st.integers(0, 99)


def missing(n, seed):
    """Some rows of n, not all."""
    rng = np.random.default_rng(seed)
    lost = rng.random(n) < rng.choice([0.2, 0.7])
    lost[rng.integers(n)] = False
    return lost


def without(lost, y_true, y_score, *, known=None, **arrays):
    """The arguments of a score where these rows are left out, and its positives are said."""
    weight = arrays.get("sample_weight", np.ones(len(y_true)))
    n_positives = (y_true * weight).sum() if known is None else known
    kept = {name: array[~lost] for name, array in arrays.items()}
    return {"y_true": y_true[~lost], "y_score": y_score[~lost], "n_positives": n_positives} | kept


def marked(lost, y_score):
    return np.where(lost, -np.inf, y_score)


class TestScores:
    def test_a_worked_example(self):
        """Four relevant documents; two systems find other ones."""
        y_true = [1, 0, 1, 1, 0, 1]
        first = [0.9, 0.8, 0.7, -np.inf, -np.inf, -np.inf]
        assert average_precision_score(y_true, first) == (1 + 2 / 3) / 4
        assert sklearn_ap.recall_at_k_score(y_true, first, k=10) == 0.5
        assert sklearn_ap.precision_at_k_score(y_true, first, k=10) == 0.2

    @every_definition
    @given(data=predictions(weights=WEIGHTS), seed=SEEDS, is_weighted=st.booleans())
    def test_a_definition(self, definition, data, seed, is_weighted):
        y_true, y_score, weight = data
        lost = missing(len(y_true), seed)
        assume(weight[~lost].any())
        weights = {"sample_weight": weight} if is_weighted and takes_weights(definition) else {}
        ours = score(definition, y_true, marked(lost, y_score), **weights)
        assert same(ours, score(definition, **without(lost, y_true, y_score, **weights)))

    def test_all_positives_count_once_where_n_positives_is_said(self):
        y_true, y_score = [1, 0, 1], [0.9, 0.8, -np.inf]
        assert average_precision_score(y_true, y_score) == 0.5
        assert average_precision_score(y_true, y_score, n_positives=2) == 0.5
        assert average_precision_score(y_true, y_score, n_positives=4) == 0.25
        with pytest.raises(ValueError, match="It is 1 where y_true holds 2"):
            average_precision_score(y_true, y_score, n_positives=1)

    @every("name", REGISTRY)
    @every("options", [{}, {"queries": [1, 1, 2]}])
    def test_nothing_retrieved_scores_0(self, name, options):
        assert REGISTRY[name].score([1, 0, 1], [-np.inf] * 3, **options) == 0
        undefined = score(Step(), [0, 0], [-np.inf] * 2, sample_weight=[1.0, 2.0])
        assert np.isnan(undefined)

    @pytest.mark.parametrize("dtype", [np.float32, np.longdouble, object])
    def test_every_kind_of_float(self, dtype):
        y_score = np.array([0.5, -np.inf, 0.25], dtype)
        assert average_precision_score([1, 1, 0], y_score) == 0.5

    @pytest.mark.parametrize("wrong", [np.nan, np.inf, None])
    def test_nan_and_plus_infinity_are_errors_that_say_how(self, wrong):
        with pytest.raises(ValueError, match="The score of a row that was not retrieved is -inf"):
            average_precision_score([1, 0, 1], [0.5, wrong, -np.inf])


def same(ours, expected):
    return np.allclose(ours, expected, rtol=0, atol=1e-12, equal_nan=True)


@every("definition", [*SMOOTH, AtK(5), AtK(60, normalizer="hits")], ids=repr)
@every("weighted", [False, True])
def test_each_model_may_miss_other_rows(definition, weighted):
    """A row that only one model retrieved stands below all others of the other model.

    Ranked there, alone behind all others, it would move a smooth value by little less.
    """
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 60)
    arrays = {"sample_weight": rng.integers(1, 4, 60) / 2} if weighted else {}
    y_score = (y_true + rng.normal(size=60)).round(1)
    scores = {"a": y_score, "b": marked(rng.random(60) < 0.3, y_score)}
    options = {"definition": definition, "rng": 0, "n_resamples": 99}
    found = compare_average_precision(y_true, scores, **arrays, **options)
    alone = [score(definition, y_true, each, **arrays) for each in scores.values()]
    assert same(found.estimates, alone)
    assert found.difference_standard_errors[1] > 0
    again = compare_average_precision(y_true, {"a": scores["b"], "b": scores["b"]}, **arrays)
    assert same(again.differences, 0)
    assert again.difference_standard_errors[1] == 0


def jackknife(*values):
    """The standard error from the values that leave out each unit."""
    values = np.array(values)
    return np.sqrt((values.size - 1) / values.size * np.sum((values - values.mean()) ** 2))


def test_positives_that_were_not_retrieved_come_with_their_cluster():
    """In some clusters all positives were missed together."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(100), 8)
    y_true = rng.integers(0, 2, 800)
    hard = (rng.random(100) < 0.3)[clusters]
    y_score = np.where(hard & (y_true == 1), -np.inf, y_true + rng.normal(size=800))
    found = average_precision_interval(y_true, y_score, clusters=clusters)
    alone = [clusters != cluster for cluster in range(100)]
    expected = jackknife(*(average_precision_score(y_true[at], y_score[at]) for at in alone))
    assert found.standard_error == pytest.approx(expected, rel=0.05)


def test_a_hit_curve_ends_where_nothing_else_was_retrieved():
    detected, hits, _ = hit_curve([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
    np.testing.assert_allclose(detected, [0, 1 / 4, 1 / 2])
    np.testing.assert_allclose(hits, [0, 1 / 4, 1 / 4])
    assert [len(part) for part in hit_curve([1, 0], [-np.inf] * 2)][:2] == [1, 1]


def test_units_stay_paired_where_each_model_misses_other_rows():
    """Rows are left out of both models."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 400)
    scores = {name: y_true + rng.normal(size=400) for name in "ab"}
    scores = {name: marked(rng.random(400) < 0.4, values) for name, values in scores.items()}
    found = compare_average_precision(y_true, scores)
    a, b = (
        np.array([average_precision_score(y_true[at], each[at]) for at in ~np.eye(400, dtype=bool)])
        for each in scores.values()
    )
    assert found.difference_standard_errors[1] == pytest.approx(jackknife(*(b - a)), rel=0.02)


class TestCompat:
    def test_positives_that_were_not_retrieved_count(self):
        y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.7, -np.inf]
        assert compat.score("pytrec_eval.map", y_true, y_score) == pytest.approx(5 / 9)
        assert compat.score("ranx.map", y_true, [-np.inf] * 4) == 0

    def test_they_count_for_tools_whose_lowest_bin_holds_them(self):
        for name, value in {"keras.PrecisionAtRecall": 0, "keras.RecallAtPrecision": 0.5}.items():
            assert compat.score(name, [1, 1, 0], [0.9, -np.inf, 0.2]) == value
            assert compat.score(name, [1, 1, 0], [0.9, 0, 0.2]) == value
