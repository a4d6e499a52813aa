"""The best of many models as users call it: results, refusals, printing."""

import inspect
import warnings

import numpy as np
import pytest
from interval_data import Rough, S, Y, drawn, models, query_data

import sklearn_ap
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    best_average_precision,
    compare_average_precision,
)
from sklearn_ap.definitions import AtK, Interpolated

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def spread(n=1000, seed=0):
    """Labels, and models that are worse and worse."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    shifts = {"fair": 1.2, "good": 2.0, "poor": 0.2, "also good": 1.95}
    return y, {name: rng.normal(size=n) + shift * y for name, shift in shifts.items()}


def test_the_best_has_the_highest_score():
    y, scores = spread()
    found = best_average_precision(y, scores)
    values = {name: sklearn_ap.average_precision_score(y, s) for name, s in scores.items()}
    assert found.names == tuple(sorted(values, key=values.get, reverse=True))
    assert (found.name, found.estimate) == (found.names[0], max(values.values()))
    assert (found.low, found.high) == (found.lows[0], found.highs[0])


def test_models_that_are_clearly_worse_are_ruled_out():
    found = best_average_precision(*spread())
    assert sorted(found.may_be_best) == ["also good", "good"]


def test_only_the_lower_limit_pays_for_the_choice():
    y, scores = spread()
    found = best_average_precision(y, scores)
    alone = average_precision_interval(y, scores[found.name])
    assert found.low < alone.low < found.estimate < found.high
    assert found.high == pytest.approx(alone.high, abs=1e-12)


def test_models_that_rank_alike_are_both_in_the_set_and_cost_nothing():
    y, scores = spread()
    same = {"a": scores["good"], "b": 2 * scores["good"] + 1, "poor": scores["poor"]}
    found = best_average_precision(y, same)
    assert found.may_be_best == ("a", "b")
    two = best_average_precision(y, {name: same[name] for name in "ab"})
    assert two.low == pytest.approx(average_precision_interval(y, same["a"]).low, abs=0.005)


def test_more_models_lower_the_limit():
    y, s = drawn(400)
    noise = np.random.default_rng(1).normal(size=(40, 400))
    scores = {str(i): s + each for i, each in enumerate(noise)}
    many = best_average_precision(y, scores)
    few = best_average_precision(y, {many.name: scores[many.name], "0": scores["0"]})
    assert many.name == few.name
    assert many.low < few.low


def test_it_is_the_same_each_time_unless_asked_otherwise():
    first, again, other = (
        best_average_precision(*spread(), **options) for options in ({}, {}, {"rng": 1})
    )
    assert first.rows() == again.rows()
    assert first.rows() != other.rows()


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({"definition": Interpolated()}, "influence"),
        ({"definition": AtK(20), "n_resamples": 99}, "resampling"),
        ({"definition": Rough(), "n_resamples": 99}, "resampling"),
        ({"sample_weight": np.linspace(1, 3, 200)}, "influence"),
        ({"clusters": np.arange(200) // 2}, "influence"),
        ({"n_positives": 100}, "influence"),
        ({"queries": np.arange(200) // 10, "zero_division": np.nan}, "queries"),
    ],
)
def test_it_takes_what_a_comparison_takes(options, method):
    y, scores = models()
    scores["poor"] = -scores["a"]
    found = best_average_precision(y, scores, **options)
    compared = compare_average_precision(y, scores, **({"rng": 0} | options))
    assert found.method == compared.method == method
    np.testing.assert_array_equal(found.estimates, np.sort(compared.estimates)[::-1])
    assert found.name in found.may_be_best
    assert "poor" not in found.may_be_best or method == "resampling"  # the top 20 say less


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples"])
def test_columns_have_a_best_model_too(average):
    y, s = drawn(300, 3)
    noise = np.random.default_rng(3).normal(size=s.shape)
    found = best_average_precision(
        y, {"a": s, "b": s + 0.3 * noise, "c": 0.1 * s + noise}, average=average, zero_division=0.0
    )
    assert {*found.may_be_best} <= {"a", "b"}
    assert np.all((found.lows < found.estimates) & (found.estimates < found.highs))


def test_the_means_of_queries_may_be_alike():
    y, s, queries = query_data()
    noise = np.random.default_rng(4).normal(size=y.size)
    found = best_average_precision(y, {"a": s, "b": s + noise, "c": -s}, queries=queries)
    assert "c" not in found.may_be_best


def test_one_cluster_rules_out_nothing():
    y, scores = spread()
    found = best_average_precision(y, scores, clusters=np.zeros(y.size))
    assert len(found.may_be_best) == len(scores)
    assert (found.low, found.high) == (0, 1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", ["warn", np.nan])
def test_without_positives_nothing_is_ruled_out(zero_division):
    found = best_average_precision(0 * Y, {"a": S, "b": -S}, zero_division=zero_division)
    assert found.may_be_best == ("a", "b")
    assert np.isnan(found.low)


def test_perfect_rankings_are_all_in_the_set():
    found = best_average_precision(Y, {"a": Y, "b": 2 * Y, "c": Y + 0.1 * S})
    assert found.may_be_best == ("a", "b", "c")
    assert found.low < 1 == found.high


def test_a_higher_level_rules_out_less():
    y, scores = models(n=1000)
    sets = [
        {*best_average_precision(y, scores, confidence_level=level).may_be_best}
        for level in (0.3, 0.9, 0.999999)
    ]
    assert sets[0] <= sets[1] <= sets[2]
    assert len(sets[0]) < len(sets[2])


@pytest.mark.parametrize(
    ("scores", "options", "error", "text"),
    [
        ([S, S], {}, TypeError, "y_scores must map names to scores"),
        ({"a": S}, {}, ValueError, "at least two models"),
        ({"a": S, "b": S}, {"confidence_level": 95}, ValueError, "confidence_level"),
        (
            {"a": S, "b": S},
            {"average": None, "queries": [0] * 5 + [1] * 5},
            ValueError,
            "average must give each model one score",
        ),
    ],
)
def test_wrong_input_is_refused(scores, options, error, text):
    with pytest.raises(error, match=text):
        best_average_precision(Y, scores, **options)


def test_a_single_ranking_ignores_the_average():
    found, plain = (
        best_average_precision(Y, {"a": S, "b": -S}, **options)
        for options in ({"average": None}, {})
    )
    assert found.rows() == plain.rows()


def test_the_warning_points_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        best_average_precision(Y, {"a": S, "b": -S})
    assert [each.category for each in caught] == [UncertaintyWarning]
    assert caught[0].filename == __file__


def test_the_options_are_those_of_a_comparison():
    ours = inspect.signature(best_average_precision).parameters
    theirs = inspect.signature(compare_average_precision).parameters
    assert set(theirs) - set(ours) == {"reference", "alternative"}
    for name in set(ours) - {"rng"}:
        assert ours[name].default == theirs[name].default


def test_it_prints_as_a_table():
    lines = repr(best_average_precision(*spread(), confidence_level=0.9)).splitlines()
    assert lines[0].split() == ["estimate", "90%", "interval", "may", "be", "best"]
    assert lines[1].startswith("good ")
    assert [line.endswith("yes") for line in lines[1:]] == [True, True, False, False]
    y, s = drawn()
    many = best_average_precision(y, {str(i): s for i in range(30)})
    assert repr(many).splitlines()[-1] == "... and 10 more"


def test_rows_make_a_data_frame():
    found = best_average_precision(*spread())
    table = found.to_frame()
    assert list(table) == ["name", "estimate", "low", "high", "may_be_best"]
    assert list(table["name"]) == list(found.names)
    assert tuple(table["name"][table["may_be_best"]]) == found.may_be_best


def test_the_best_may_be_best_at_any_level():
    y, score = np.repeat([1, 0], 20), np.random.default_rng(0).normal(size=40)
    found = best_average_precision(y, {"A": score, "B": score}, confidence_level=0.4)
    assert found.may_be_best
