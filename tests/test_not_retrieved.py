"""A score of minus infinity: equal to leaving the row out and saying n_positives."""

import json
from dataclasses import astuple

import matplotlib.pyplot as plt
import numpy as np
import pytest
from every import every
from hypothesis import assume, given
from hypothesis import strategies as st
from interval_data import SMOOTH, query_data
from recipe import assert_same
from registry import DEFINITIONS, REGISTRY, WEIGHTS, predictions, score, takes_weights

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compat,
    hit_curve,
    large,
    threshold_counts,
)
from sklearn_ap.__main__ import main
from sklearn_ap.compat._tools import ENTRIES
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


def last(lost, y_true, y_score, **arrays):
    """The arguments where the negatives among these rows stand below all others."""
    lost_negatives = lost & (y_true == 0)
    y_score = np.where(lost_negatives, y_score.min() - 1, y_score)
    return without(lost & ~lost_negatives, y_true, y_score, **arrays)


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
    @given(data=predictions(), seed=SEEDS)
    def test_a_definition(self, definition, data, seed):
        lost = missing(len(data[0]), seed)
        ours = score(definition, data[0], marked(lost, data[1]))
        assert same(ours, score(definition, **without(lost, *data)))

    @pytest.mark.parametrize("definition", [*filter(takes_weights, DEFINITIONS)], ids=repr)
    @given(data=predictions(weights=WEIGHTS), seed=SEEDS)
    def test_a_definition_with_weights(self, definition, data, seed):
        y_true, y_score, weight = data
        lost = missing(len(y_true), seed)
        assume(weight[~lost].any())
        ours = score(definition, y_true, marked(lost, y_score), sample_weight=weight)
        options = without(lost, y_true, y_score, sample_weight=weight)
        assert same(ours, score(definition, **options))

    @every_definition
    @given(data=predictions(max_size=14), seed=SEEDS)
    def test_queries(self, definition, data, seed):
        queries = np.random.default_rng(seed).integers(0, 4, data[0].size)
        lost = missing(data[0].size, seed)
        for query in set(queries):  # a query whose rows are all left out could not be named
            lost[np.flatnonzero(queries == query)[0]] = False
        known = np.array([data[0][queries == query].sum() for query in np.unique(queries)])
        left = without(lost, *data, queries=queries, known=known)
        for average in ("macro", "weighted", None):
            ours = score(
                definition, data[0], marked(lost, data[1]), queries=queries, average=average
            )
            assert same(ours, score(definition, **left, average=average))

    @every("average", ["macro", "weighted", "micro", "samples", None])
    @every_definition
    def test_cells_of_a_table(self, definition, average):
        rng = np.random.default_rng(3)
        y_true, y_score = rng.integers(0, 2, (9, 4)), rng.integers(0, 4, (9, 4)) / 4
        lost = rng.random(y_true.shape) < 0.4
        ours = score(definition, y_true, marked(lost, y_score), average=average)
        assert same(ours, average_of_cells(definition, y_true, y_score, lost, average))

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

    @pytest.mark.parametrize("weight", [None, [1.0, 2.0]])
    def test_nothing_retrieved_and_nothing_relevant_is_undefined(self, weight):
        options = {"sample_weight": weight, "zero_division": np.nan}
        assert np.isnan(average_precision_score([0, 0], [-np.inf] * 2, **options))

    @pytest.mark.parametrize("dtype", [np.float32, np.longdouble, object])
    def test_every_kind_of_float(self, dtype):
        y_score = np.array([0.5, -np.inf, 0.25], dtype)
        assert average_precision_score([1, 1, 0], y_score) == 0.5

    @pytest.mark.parametrize("wrong", [np.nan, np.inf, None])
    def test_nan_and_plus_infinity_are_errors_that_say_how(self, wrong):
        with pytest.raises(ValueError, match="The score of a row that was not retrieved is -inf"):
            average_precision_score([1, 0, 1], [0.5, wrong, -np.inf])


def average_of_cells(definition, y_true, y_score, lost, average):
    """The score of each ranking alone, and their mean."""
    cut = [y_true, y_score, lost]
    if average == "micro":
        cut = [array.reshape(-1, 1) for array in cut]
    if average != "samples":
        cut = [array.T for array in cut]
    rankings = list(zip(*cut, strict=True))
    values = [score(definition, **without(out, y, s)) for y, s, out in rankings]
    if average is None:
        return np.array(values)
    weights = [y.sum() for y, _, _ in rankings] if average == "weighted" else None
    kept = ~np.isnan(values)
    return np.average(np.array(values)[kept], weights=None if weights is None else weights)


def same(ours, expected):
    return np.allclose(ours, expected, rtol=0, atol=1e-12, equal_nan=True)


def numbers(result):
    return np.concatenate([np.ravel(part) for part in astuple(result) if not is_text(part)])


def is_text(part):
    return np.asarray(part).dtype.kind in "OU"


@pytest.mark.parametrize("definition", [*SMOOTH, AtK(5), AtK(60, normalizer="hits")], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
class TestCertainty:
    """Negatives that were not retrieved are rows below all others, as far as anybody can tell."""

    def data(self, seed, weighted):
        rng = np.random.default_rng(seed)
        y_true = rng.integers(0, 2, 60)
        arrays = {"sample_weight": rng.integers(1, 4, 60) / 2} if weighted else {}
        return y_true, (y_true + rng.normal(size=60)).round(1), arrays, rng.random(60) < 0.3

    @every("seed", range(3))
    @every("clustered", [False, True])
    def test_an_interval(self, definition, weighted, clustered, seed):
        y_true, y_score, arrays, lost = self.data(seed, weighted)
        if clustered:
            arrays["clusters"] = np.arange(60) // 4
        if weighted or clustered:  # a positive comes with its weight and its cluster
            lost &= y_true == 0
        options = {"definition": definition, "rng": 0, "n_resamples": 99}
        ours = average_precision_interval(y_true, marked(lost, y_score), **arrays, **options)
        expected = average_precision_interval(**last(lost, y_true, y_score, **arrays), **options)
        assert same(numbers(ours), numbers(expected))

    @pytest.mark.parametrize("clustered", [False, True])
    def test_a_comparison_of_models_that_miss_the_same_rows(self, definition, weighted, clustered):
        y_true, y_score, arrays, lost = self.data(0, weighted)
        if clustered:
            arrays["clusters"] = np.arange(60) // 4
        if weighted or clustered:  # a positive comes with its weight and its cluster
            lost &= y_true == 0
        other = (y_score + np.random.default_rng(1).normal(size=60)).round(1)
        options = {"definition": definition, "rng": 0, "n_resamples": 99}
        scores = {"a": marked(lost, y_score), "b": marked(lost, other)}
        ours = compare_average_precision(y_true, scores, **arrays, **options)
        left = last(lost, y_true, y_score, **arrays)
        scores = {"a": left.pop("y_score"), "b": last(lost, y_true, other)["y_score"]}
        expected = compare_average_precision(y_scores=scores, **left, **options)
        assert same(numbers(ours), numbers(expected))

    def test_each_model_may_miss_other_rows(self, definition, weighted):
        """A row that only one model retrieved stands below all others of the other model.

        Ranked there, alone behind all others, it would move a smooth value by little less.
        """
        y_true, y_score, arrays, lost = self.data(0, weighted)
        scores = {"a": y_score, "b": marked(lost, y_score)}
        options = {"definition": definition, "rng": 0, "n_resamples": 99}
        found = compare_average_precision(y_true, scores, **arrays, **options)
        alone = [score(definition, y_true, each, **arrays) for each in scores.values()]
        assert same(found.estimates, alone)
        assert found.difference_standard_errors[1] > 0
        again = compare_average_precision(y_true, {"a": scores["b"], "b": scores["b"]}, **arrays)
        assert same(again.differences, 0)
        assert again.difference_standard_errors[1] == 0


def test_positives_that_were_not_retrieved_come_with_their_cluster():
    """The jackknife by clusters, in some of which all positives were missed together."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(100), 8)
    y_true = rng.integers(0, 2, 800)
    hard = (rng.random(100) < 0.3)[clusters]
    y_score = np.where(hard & (y_true == 1), -np.inf, y_true + rng.normal(size=800))
    found = average_precision_interval(y_true, y_score, clusters=clusters)
    alone = [clusters != cluster for cluster in range(100)]
    values = np.array([average_precision_score(y_true[at], y_score[at]) for at in alone])
    jackknife = np.sqrt(0.99 * np.sum((values - values.mean()) ** 2))
    assert found.standard_error == pytest.approx(jackknife, rel=0.05)


def test_units_stay_paired_where_each_model_misses_other_rows():
    """The jackknife by rows, one model after the other: rows are left out of both."""
    rng = np.random.default_rng(0)
    n = 400
    y_true = rng.integers(0, 2, n)
    scores = {name: y_true + rng.normal(size=n) for name in "ab"}
    scores = {name: marked(rng.random(n) < 0.4, values) for name, values in scores.items()}
    found = compare_average_precision(y_true, scores)
    rest = ~np.eye(n, dtype=bool)
    a, b = (
        np.array([average_precision_score(y_true[kept], values[kept]) for kept in rest])
        for values in scores.values()
    )
    jackknife = np.sqrt((n - 1) / n * np.sum((b - a - (b - a).mean()) ** 2))
    assert found.difference_standard_errors[1] == pytest.approx(jackknife, rel=0.02)


def test_queries_are_compared_by_their_scores():
    y_true, y_score, queries = query_data()
    rng = np.random.default_rng(0)
    scores = {name: marked(rng.random(y_true.size) < 0.5, y_score) for name in "ab"}
    scores["a"][queries == 3] = -np.inf  # a query of which a retrieved nothing
    found = compare_average_precision(y_true, scores, queries=queries)
    values = [
        average_precision_score(y_true, each, queries=queries, average=None)
        for each in scores.values()
    ]
    difference = values[1] - values[0]
    assert values[0][3] == 0
    assert found.differences[1] == pytest.approx(difference.mean())
    expected = difference.std(ddof=1) / np.sqrt(difference.size)
    assert found.difference_standard_errors[1] == pytest.approx(expected)
    rows = compare_average_precision(y_true, scores, queries=queries, average=None)
    assert same(rows.estimates, values)


class TestCurvesAndPictures:
    def test_a_hit_curve_ends_where_nothing_else_was_retrieved(self):
        detected, hits, _ = hit_curve([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
        np.testing.assert_allclose(detected, [0, 1 / 4, 1 / 2])
        np.testing.assert_allclose(hits, [0, 1 / 4, 1 / 4])
        display = HitCurveDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
        assert repr(display) == "HitCurveDisplay(prevalence=0.5)"
        plt.close("all")

    def test_nothing_retrieved(self):
        assert [len(part) for part in hit_curve([1, 0], [-np.inf] * 2)][:2] == [1, 1]

    @pytest.mark.parametrize("options", [{}, {"sample_weight": np.arange(1, 5)}])
    def test_a_picture(self, options):
        y_true, y_score = np.array([1, 0, 1, 1]), np.array([0.9, 0.8, -np.inf, 0.7])
        display = AveragePrecisionDisplay.from_predictions(y_true, y_score, **options)
        left = without(y_score == -np.inf, y_true, y_score, **options)
        assert_same(display.counts, AveragePrecisionDisplay.from_predictions(**left).counts)
        plt.close("all")


class TestLarge:
    @given(data=predictions(max_size=20, weights=WEIGHTS), seed=SEEDS)
    def test_chunks(self, data, seed):
        y_true, y_score, weight = data
        y_score = marked(missing(len(y_true), seed), y_score)
        for arrays in ((y_true, y_score), (y_true, y_score, np.round(weight))):
            assume(arrays[-1].any())
            chunks = [tuple(array[i : i + 3] for array in arrays) for i in range(0, 20, 3)]
            weights = {} if len(arrays) < 3 else {"sample_weight": arrays[2]}
            expected = threshold_counts(y_true, y_score, **weights)
            assert_same(large.from_chunks(chunks), expected)

    def test_a_negative_that_was_not_retrieved_counts_as_a_negative_alone(self):
        counts = large.from_chunks([([1, 0, 0], [0.5, -np.inf, 0.7]), ([1], [-np.inf])])
        assert (counts.n_positives[0], counts.n_negatives[0], counts.fps[0]) == (2, 2, 1)

    def test_a_histogram(self):
        histograms = [large.ScoreHistogram() for _ in range(2)]
        y_true, y_score = np.array([1, 0, 1, 0]), np.array([0.5, 0.25, -np.inf, -np.inf])
        for histogram, rows in zip(histograms, (slice(0, 3), slice(3, 4)), strict=True):
            histogram.update(y_true[rows], y_score[rows])
        total = histograms[0] + histograms[1]
        assert_same(total.counts(), threshold_counts(y_true, y_score.astype(np.float32)))
        low, high = total.bounds()
        assert low <= 0.5 <= high


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("y,p,q\n1,0.9,a\n1,-inf,a\n0,-inf,a\n0,0.8,b\n1,0.7,b\n")
    columns = [str(path), "--label", "y", "--score", "p", "--format", "json"]
    assert main(["score", *columns]) == 0
    first, *_ = json.loads(capsys.readouterr().out)["results"]
    assert first["value"] == pytest.approx(
        average_precision_score([1, 0, 1], [3, 2, 1], n_positives=3)
    )
    assert main(["compare", *columns, "--query", "q"]) == 0
    first, *_ = json.loads(capsys.readouterr().out)["results"]
    assert first["value"] == 0.5


class TestCompat:
    def test_positives_that_were_not_retrieved_count(self):
        y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.7, -np.inf]
        assert compat.score("pytrec_eval.map", y_true, y_score) == pytest.approx(5 / 9)
        assert compat.score("ranx.map", y_true, [-np.inf] * 4) == 0

    @pytest.mark.filterwarnings("error::RuntimeWarning")
    def test_a_query_that_retrieved_nothing_is_silent(self):
        y_true, queries = [1, 0, 1, 0], [1, 1, 2, 2]
        assert compat.compare(y_true, [-np.inf, -np.inf, 0.3, 0.2], queries=queries).results

    def test_they_count_for_tools_whose_lowest_bin_holds_them(self):
        for name, value in {"keras.PrecisionAtRecall": 0, "keras.RecallAtPrecision": 0.5}.items():
            assert compat.score(name, [1, 1, 0], [0.9, -np.inf, 0.2]) == value
            assert compat.score(name, [1, 1, 0], [0.9, 0, 0.2]) == value

    def test_weights_and_queries_keep_their_rows(self):
        y_true, y_score = np.array([1, 0, 1, 1, 0]), np.array([-np.inf, 0.8, 0.7, -np.inf, 0.1])
        options = {"sample_weight": [1, 2, 0, 1, 1], "queries": [1, 2, 2, 1, 2]}
        found = compat.compare(y_true, y_score, **options).results[0]
        assert (found.value, found.n_queries) == (0, 2)

    def test_every_tool_says_what_it_does_with_them(self):
        know_all = {entry.tool for entry in ENTRIES if entry.not_retrieved.startswith("left")}
        assert {"pytrec_eval", "ranx", "rectools", "pycocotools"} <= know_all
        assert not {"sklearn", "lightgbm", "catboost", "torcheval"} & know_all


def test_counts_of_data_without_them_are_integers():
    assert threshold_counts([1, 1], [0.5, -np.inf]).n_positives.dtype.kind == "i"
    assert Step()(threshold_counts([1, 1], [0.5, -np.inf])) == 0.5
