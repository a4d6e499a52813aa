"""Intervals and comparisons as users call them: results, refusals, printing."""

import inspect
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from drawings import CLASSES, COLUMNS, SCORES, X
from drawings import Y as Y_DRAWN
from interval_data import S, Y, drawn, models
from registry import DEFINITIONS
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    threshold_counts,
)
from sklearn_ap.definitions import Heights, Interpolated, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_the_worked_example():
    found = average_precision_interval(Y, S)
    assert found.estimate == sklearn_ap.average_precision_score(Y, S)
    np.testing.assert_allclose(found.standard_error, 0.1999565925, atol=5e-11)
    around_score = np.array([0.2099502468, 0.9601205955])
    np.testing.assert_allclose([found.low, found.high], around_score - found.bias, atol=5e-11)
    assert (found.method, found.n_positives, found.confidence_level) == ("influence", 5, 0.95)


WEIGHT = np.arange(200) % 4.0  # some are 0
Y_200, S_200 = drawn()


@pytest.mark.parametrize(
    ("options", "n_positives"),
    [
        ({"sample_weight": WEIGHT}, Y_200[WEIGHT > 0].sum()),
        ({"sample_weight": 2.0 * (WEIGHT > 0), "n_positives": 300}, 150),
        ({"clusters": np.arange(200) // 4}, Y_200.sum()),
        ({"prevalence": 0.01}, Y_200.sum()),
        ({"queries": np.arange(200) // 8, "sample_weight": WEIGHT}, Y_200[WEIGHT > 0].sum()),
        ({"queries": np.arange(200) // 8, "prevalence": 0.01}, Y_200.sum()),
    ],
    ids=["weights", "equal weights", "clusters", "prevalence", "weighted queries", "queries there"],
)
def test_positives_are_counted_beside_their_effective_number(options, n_positives):
    found = average_precision_interval(Y_200, S_200, zero_division=0, **options)
    assert found.n_positives == pytest.approx(n_positives)
    compared = compare_average_precision(
        Y_200, {"a": S_200, "b": -S_200}, zero_division=0, **options
    )
    assert (compared.n_positives, compared.n_effective) == (found.n_positives, found.n_effective)
    row = found.rows()[0]
    assert (row["n_positives"], row["n_effective"]) == (found.n_positives, found.n_effective)
    head, numbers = str(found).splitlines()[:2]
    are_equal = options.get("n_positives") is not None  # the weights are, too
    assert head.endswith("positives" if are_equal else "positives  effective positives")
    number = f"{found.n_effective:.1f}"
    assert numbers.split()[-1] == (str(n_positives) if are_equal else number)


def test_a_column_whose_positives_are_all_effective_has_their_number_in_both_places():
    y, s = np.repeat([1, 0], [20, 180]), np.r_[np.arange(20) * 15, np.arange(180)]
    y = np.column_stack([y, y[::-1]])
    pairs = np.where(np.arange(200) < 20, np.arange(200) // 2, np.arange(200))
    scores = np.column_stack([s, s[::-1]])
    found = average_precision_interval(y, scores, average=None, clusters=pairs)
    lines = str(found).splitlines()
    assert lines[0].endswith("positives  effective positives")
    assert [line.split()[-2:] for line in lines[1:3]] == [["20", "10.0"], ["20", "20"]]


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_the_estimate_is_the_score(definition):
    y, s = drawn()
    found = average_precision_interval(y, s, definition=definition, n_resamples=19, rng=0)
    assert found.estimate == min(definition(threshold_counts(y, s))[0], 1)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_counts_alone_give_the_same(definition):
    y, s = drawn(90)
    found = average_precision_interval(y, s, definition=definition, n_resamples=19, rng=0)
    alone = AveragePrecisionInterval.from_counts(
        threshold_counts(y, s), definition, n_resamples=19, rng=0
    )
    np.testing.assert_equal(found.rows(), alone.rows())


@pytest.mark.parametrize("options", [{}, {"clusters": np.arange(200) // 3}, {"average": None}])
def test_the_order_of_two_models_turns_the_sign(options):
    y, scores = models()
    first = compare_average_precision(y, {name: scores[name] for name in "ab"}, **options)
    second = compare_average_precision(
        y, {name: scores[name] for name in "ab"}, reference="b", **options
    )
    assert first.differences[1] == -second.differences[0]
    assert first.difference_lows[1] == pytest.approx(-second.difference_highs[0])
    assert first.pvalues[1] == pytest.approx(second.pvalues[0])


def test_the_reference_is_no_different_from_itself():
    y, scores = models()
    found = compare_average_precision(y, scores, reference="c")
    for name in ("differences", "difference_lows", "difference_highs"):
        assert getattr(found, name)[2] == 0
    np.testing.assert_array_equal(np.isnan(found.difference_standard_errors), [0, 0, 1, 0])
    assert found.pvalues[2] == found.adjusted_pvalues[2] == 1


def test_scores_and_intervals_are_those_of_each_model():
    y, scores = models()
    found = compare_average_precision(y, scores)
    for i, score in enumerate(scores.values()):
        alone = average_precision_interval(y, score)
        assert (found.estimates[i], found.lows[i], found.highs[i]) == pytest.approx(
            (alone.estimate, alone.low, alone.high)
        )
    np.testing.assert_array_equal(found.differences, found.estimates - found.estimates[0])


def test_models_that_rank_alike_do_not_differ():
    y, s = drawn()
    found = compare_average_precision(y, {"a": s, "b": 2 * s + 1})
    assert found.differences[1] == found.difference_standard_errors[1] == 0
    assert found.pvalues[1] == 1
    assert found.difference_lows[1] < 0 < found.difference_highs[1]


def test_a_pair_finds_what_separate_intervals_miss():
    rng = np.random.default_rng(5)
    y = (rng.random(600) < 0.1).astype(int)
    common = rng.normal(size=600)
    scores = {"a": 1.2 * y + common, "b": 1.7 * y + common + 0.1 * rng.normal(size=600)}
    found = compare_average_precision(y, scores)
    assert found.highs[0] > found.lows[1]
    assert found.pvalues[1] < 0.01


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"confidence_level": 95}, ValueError, "confidence_level must lie within"),
        ({"confidence_level": "95%"}, TypeError, "confidence_level must be a number"),
        ({"n_resamples": 1}, ValueError, "n_resamples must be at least 2"),
        ({"n_resamples": 9.5}, TypeError, "n_resamples must be a whole number"),
        ({"clusters": [1] * 9}, ValueError, "clusters"),
        ({"clusters": [None] * 10}, ValueError, "clusters contains missing values"),
        ({"clusters": np.ones((10, 1))}, ValueError, "clusters must be one-dimensional"),
        ({"average": "macr0"}, ValueError, "average has to be one of"),
        ({"n_positives": 2}, ValueError, "n_positives must be finite and at least"),
        ({"zero_division": 3}, ValueError, "zero_division"),
        ({"rng": "seed"}, TypeError, "rng must be a seed .* got 'seed'"),
        ({"rng": -1}, ValueError, "rng must be a seed"),
        (
            {"rng": np.array([[0.5]]).view(np.matrix)},
            TypeError,
            "rng must be a seed",
        ),  # for which NumPy crashes
        ({"confidence_level": 10**400}, ValueError, "confidence_level must lie within"),
        ({"definition": "step"}, TypeError, "definition must be one of .* got 'step'"),
        ({"definition": Step}, TypeError, "definition must be one of"),
    ],
)
def test_wrong_options_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        average_precision_interval(Y, S, **options)
    with pytest.raises(error, match=text):
        compare_average_precision(Y, {"a": S, "b": -S}, **options)


@pytest.mark.parametrize(
    ("scores", "options", "error", "text"),
    [
        ([S, S], {}, TypeError, "y_scores must map names to scores"),
        ({"a": S}, {}, ValueError, "at least two models"),
        ({"a": S, "b": S}, {"reference": "c"}, ValueError, "reference must be one of"),
        ({"a": S, "b": S}, {"reference": S}, ValueError, "reference must be one of"),
        ({"a": S, "b": S}, {"alternative": "better"}, ValueError, "alternative must be one of"),
        ({"a": S, "b": S}, {"alternative": 2}, TypeError, "alternative must be one of"),
        ({"1": S, 1: S}, {}, ValueError, "each model a name of its own"),
        ({"a": S, "b": S[:5]}, {}, ValueError, "inconsistent numbers of samples"),
    ],
)
def test_wrong_models_are_refused(scores, options, error, text):
    with pytest.raises(error, match=text):
        compare_average_precision(Y, scores, **options)


def test_rows_in_the_place_of_counts_are_refused():
    with pytest.raises(TypeError, match="counts must be ThresholdCounts"):
        AveragePrecisionInterval.from_counts([1, 0])


def test_counts_with_weights_are_refused():
    counts = threshold_counts(Y, S, sample_weight=np.full(10, 0.5))
    with pytest.raises(ValueError, match="needs the squares of the weights"):
        AveragePrecisionInterval.from_counts(counts)


def test_the_options_of_both_are_those_of_the_scores():
    scores = inspect.signature(sklearn_ap.average_precision_score).parameters
    for function in (average_precision_interval, compare_average_precision):
        ours = inspect.signature(function).parameters
        for name, parameter in scores.items():
            if name != "y_score":
                assert ours[name].default == parameter.default


def test_an_interval_prints_as_a_table():
    assert repr(average_precision_interval(Y, S)).splitlines() == [
        "estimate  std. error      95% interval     bias  positives",
        "0.7167        0.2000  [0.1631, 0.9133]  +0.0468          5",
    ]
    many = average_precision_interval(*drawn(60, 30), average=None)
    assert repr(many).splitlines()[21] == "... and 10 more"


def test_limits_that_a_bias_moved_are_explained():
    y, s = drawn(200, 40)
    text = "The interval is that of the estimate minus its bias."
    assert repr(average_precision_interval(y, s)).splitlines()[-1] == text
    assert text not in repr(
        average_precision_interval(y, s, definition=Interpolated(), average=None)
    )


def test_the_interval_of_a_mean_is_that_of_the_mean_less_its_bias():
    y, s = drawn(300, 60)
    found = average_precision_interval(y, s)
    each = average_precision_interval(y, s, average=None)
    assert found.bias == pytest.approx(each.bias.mean())
    assert found.low < found.estimate - found.bias < found.high


def test_a_comparison_prints_as_a_table():
    y, scores = models()
    lines = repr(compare_average_precision(y, scores, confidence_level=0.9)).splitlines()
    assert lines[0].split() == [
        "estimate",
        "90%",
        "interval",
        "minus",
        "a",
        "90%",
        "interval",
        "p-value",
        "adjusted",
    ]
    assert lines[1].endswith("reference")
    assert lines[2].startswith("b")
    assert len(lines) == 5


def test_long_names_still_fit_into_80_columns():
    y, scores = models()
    named = {f"a model that is called {name}": score for name, score in scores.items()}
    for options in ({}, {"average": None, "queries": np.arange(200) % 3}):
        lines = repr(compare_average_precision(y, named, **options)).splitlines()
        assert max(map(len, lines)) <= 80
        assert "minus a model that is called a:" in lines
        n_rankings = 3 if options else 1
        assert len(lines) == (1 + 4 * n_rankings) + 2 + (1 + 3 * n_rankings)


def test_two_models_need_no_adjustment():
    y, scores = models()
    two = repr(compare_average_precision(y, {name: scores[name] for name in "ab"}))
    assert two.splitlines()[0].endswith("p-value")


def test_nan_has_no_sign():
    y, s = drawn(60, 2)
    y[:, 1] = 0
    found = compare_average_precision(y, {"a": s, "b": -s}, average=None, zero_division=0.0)
    assert "[nan, nan]" in repr(found)
    assert "+nan" not in repr(found)


def test_names_may_be_anything_that_prints():
    y, scores = models()
    found = compare_average_precision(y, {1: scores["a"], 2: scores["b"]}, reference=2)
    assert (found.names, found.reference) == (("1", "2"), "2")
    assert "minus 2" in repr(found)


def test_the_columns_of_a_frame_are_models():
    y, scores = models()
    expected = compare_average_precision(y, scores, reference="b")
    for frame in (pd.DataFrame(scores, index=range(200, 0, -1)), pl.DataFrame(scores)):
        found = compare_average_precision(y, frame[["a", "b", "c", "d"]], reference="b")
        np.testing.assert_equal(found.rows(), expected.rows())
    numbered = pd.DataFrame(np.column_stack([*scores.values()]))
    assert compare_average_precision(y, numbered, reference=1).names == ("0", "1", "2", "3")


def test_the_columns_of_a_pyarrow_table_are_models():
    y, scores = models()
    table = pa.table(scores)
    compared = compare_average_precision(y, table)
    np.testing.assert_equal(compared.rows(), compare_average_precision(y, scores).rows())
    best = best_average_precision(y, table)
    np.testing.assert_equal(best.rows(), best_average_precision(y, scores).rows())
    twice = table.append_column("a", table["a"])
    with pytest.raises(ValueError, match="y_scores must give each column a name of its own"):
        compare_average_precision(y, twice)


def test_frames_and_arrays_that_name_no_models():
    y, scores = models()
    frame = pd.DataFrame(scores)
    with pytest.raises(ValueError, match=r"a name of its own, got \('a', 'b', 'a'\)"):
        compare_average_precision(y, frame[["a", "b", "a"]])
    with pytest.raises(ValueError, match="at least two models, got 1"):
        compare_average_precision(y, frame[["a"]])
    with pytest.raises(TypeError, match="or be a DataFrame with a column for each, got ndarray"):
        compare_average_precision(y, frame.to_numpy())


def test_rows_make_a_data_frame():
    y, scores = models()
    table = compare_average_precision(y, scores).to_frame()
    assert list(table["name"]) == list(scores)
    assert {"estimate", "low", "difference", "difference_low", "adjusted_pvalue"} <= set(table)
    several = average_precision_interval(*drawn(60, 3), average=None).to_frame()
    assert list(several["ranking"]) == [0, 1, 2]


def test_a_notebook_shows_what_is_printed():
    y, scores = models()
    interval = average_precision_interval(*drawn(400, 30, seed=1), average=None)
    html, lines = interval._repr_html_(), repr(interval).splitlines()
    assert html.count("<tr>") == 21
    assert html.endswith(f"</table><p>{lines[-1]}</p>")
    assert re.findall("<td.*?>(.*?)</td>", html)[:3] == [*lines[1].split()[:3]]
    named = {"<old>": scores["a"], **{name * 30: score for name, score in scores.items()}}
    html = compare_average_precision(y, named)._repr_html_()
    assert (html.count("<table>"), html.count("<tr>")) == (1, 6)
    assert '<th style="text-align: left">minus &lt;old&gt;</th>' in html
    best = best_average_precision(y, named)
    assert best._repr_html_().count("yes") == repr(best).count("yes")


@dataclass(frozen=True, repr=False)
class AboveChance(Heights):
    title = "above chance"
    bounds = (-1.0, 1.0)

    def heights(self, counts):
        return counts.precision - 0.9


def test_a_definition_outside_of_0_and_1_has_no_interval():
    counts = threshold_counts(Y, S)
    asks = [
        lambda: average_precision_interval(Y, S, definition=AboveChance()),
        lambda: compare_average_precision(Y, {"a": S, "b": -S}, definition=AboveChance()),
        lambda: AveragePrecisionInterval.from_counts(counts, AboveChance()),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match=r"AboveChance\(\) has no interval: its values lie"):
            ask()


class TestNamesOfRankings:
    """With average=None, results name queries, classes and columns of data frames."""

    RNG = np.random.default_rng(0)
    TABLE = (RNG.random((60, 3)) < 0.4).astype(int)
    SCORES = RNG.normal(size=(60, 3))

    def results(self, y_true, y_score, **options):
        options |= {"average": None}
        models = {"a": y_score, "b": -np.asarray(y_score)}
        yield average_precision_interval(y_true, y_score, **options)
        yield compare_average_precision(y_true, models, **options)
        yield sklearn_ap.chance_test(y_true, y_score, n_permutations=9, **options)

    def test_queries(self):
        queries = np.repeat(["pears", "apples", "figs"], 20)
        for found in self.results(self.TABLE[:, 0], self.SCORES[:, 0], queries=queries):
            assert found.rankings == ("apples", "figs", "pears")
            assert {row["ranking"] for row in found.rows()} == {*found.rankings}
            assert "apples" in repr(found)

    def test_queries_without_weight_are_not_there(self):
        queries = np.repeat(["pears", "apples", "figs"], 20)
        options = {"queries": queries, "sample_weight": (queries != "figs") * 1.0, "average": None}
        found = average_precision_interval(self.TABLE[:, 0], self.SCORES[:, 0], **options)
        assert found.rankings == ("apples", "pears")

    def test_classes_and_columns(self):
        names = np.array(["ham", "spam", "eggs"])
        labels = names[self.TABLE.argmax(axis=1)]
        for found in self.results(labels, self.SCORES, labels=names):
            assert found.rankings == ("ham", "spam", "eggs")
        frame = pd.DataFrame(self.TABLE, columns=["x", "y", "z"])
        for found in self.results(frame, self.SCORES):
            assert found.rankings == ("x", "y", "z")
        for found in self.results(self.TABLE, self.SCORES):
            assert found.rankings is None
            assert {row["ranking"] for row in found.rows()} == {0, 1, 2}

    def test_one_number_needs_no_name(self):
        frame = pd.DataFrame(self.TABLE, columns=["x", "y", "z"])
        assert average_precision_interval(frame, self.SCORES).rankings is None


@pytest.mark.parametrize("scores", [{1, 2}, iter(S), scipy.sparse.csr_matrix(S), slice(3)])
def test_scores_that_are_no_array_are_refused(scores):
    with pytest.raises(ValueError, match=r"y_score (must|cannot) be"):
        average_precision_interval(Y, scores)


def test_scores_as_lists_of_one_are_a_column():
    scores = np.empty(len(S), dtype=object)
    scores[:] = [[score] for score in S]
    found = average_precision_interval(Y, scores)
    assert found.estimate == average_precision_interval(Y, S).estimate


def test_fitted_models_are_compared_on_the_same_rows():
    words = np.where(Y_DRAWN == 1, "yes", "no")
    fitted = {
        "logistic": LogisticRegression().fit(X, words),
        "forest": RandomForestClassifier(10, random_state=0).fit(X[:300], words[:300]),
    }
    compare = AveragePrecisionComparison.from_estimators
    with pytest.raises(ValueError, match=r"pos_label is not specified.*pos_label='yes'"):
        compare(fitted, X, words)
    scores = {"logistic": SCORES, "forest": fitted["forest"].predict_proba(X)[:, 1]}
    found = compare(fitted, X, words, pos_label="yes", reference="forest")
    expected = compare_average_precision(Y_DRAWN, scores, reference="forest")
    assert repr(found) == repr(expected)


def test_fitted_models_of_several_classes_are_compared():
    fitted = {str(c): LogisticRegression(C=c).fit(COLUMNS, CLASSES) for c in (1, 1e-3)}
    found = AveragePrecisionComparison.from_estimators(fitted, COLUMNS, CLASSES)
    macro = average_precision_score(CLASSES, fitted["1"].decision_function(COLUMNS))
    assert found.estimates[0] == pytest.approx(macro)


def test_estimators_without_names_are_refused():
    fitted = LogisticRegression().fit(COLUMNS, CLASSES)
    with pytest.raises(TypeError, match="estimators must map names to fitted estimators"):
        AveragePrecisionComparison.from_estimators([fitted], COLUMNS, CLASSES)
