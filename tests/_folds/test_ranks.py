"""What a pool of ranks depends on: nothing that differs between folds in scale alone."""

import warnings
from dataclasses import fields

import numpy as np
import pytest
from pooled import pooled_best, pooled_comparison, pooled_interval
from scipy.stats import rankdata

from sklearn_ap import (
    FoldPredictions,
    average_precision_score,
    compare_segments,
)
from sklearn_ap._folds._ranks import order_by_ranks
from sklearn_ap.definitions import AtK, Expected, PrecisionAtRecall

RNG = np.random.default_rng(0)
N = 240
Y = (RNG.random(N) < 0.3).astype(int)
FOLD = np.arange(N) % 6  # folds of one size, whose rows have equal ranks
TESTS = [np.arange(start, N, 6) for start in range(6)]
SEGMENT = RNG.choice(["a", "b"], N)
# Tied within folds, and some not retrieved. None is a probability.
SCORES = {
    name: np.where(RNG.random(N) < 0.1, -np.inf, np.round(Y + RNG.normal(size=N), 1) - 9)
    for name in ("first", "second")
}
FEW = {name: np.round(score) for name, score in SCORES.items()}  # distinct ones
TABLES = {name: np.column_stack((score, np.roll(score, 5))) for name, score in SCORES.items()}
MAPS = [
    lambda score, fold: score + 10 * (fold == 2),
    lambda score, fold: score - 100 * fold,
    lambda score, fold: np.where(fold % 2, np.cbrt(score), score**3 - fold),
]


def interval(scores, **options):
    given = {"y_score": scores["first"], "folds": FOLD}
    return pooled_interval(given, None, **options)


def results(call, scores, **options):
    given = {name: {"y_score": score, "folds": FOLD} for name, score in scores.items()}
    return call(given, None, **options)


def comparison(scores, **options):
    return results(pooled_comparison, scores, **options)


def best(scores, **options):
    return results(pooled_best, scores, **options)


def segments(scores, y, **options):
    given = {"y_score": scores["first"], "folds": FOLD}
    predictions = FoldPredictions(given, pooling=options.pop("pooling", "scores"))
    return compare_segments(y, predictions, SEGMENT, **options)


FUNCTIONS = interval, comparison, best, segments


def said(function, scores, **options):
    """All numbers of the result, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(scores, pooling="ranks", **options)
    numbers = {each.name: getattr(found, each.name) for each in fields(found)}
    if "scores" in numbers:
        numbers = {"scores": numbers.pop("scores").to_dict(), **numbers}
    numbers = {name: value for name, value in numbers.items() if name != "_source"}
    return numbers | {"shown": repr(found), "warnings": [str(each.message) for each in caught]}


CASES = [
    {},
    {"clusters": np.arange(N) // 2},
    {"sample_weight": RNG.integers(0, 3, N)},
    {"definition": Expected()},
    {"prevalence": 0.1},
    {"definition": AtK(20)},
    {"definition": PrecisionAtRecall(0.5)},
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("scores", [SCORES, FEW], ids=["many", "few"])
@pytest.mark.parametrize("options", CASES, ids=range(len(CASES)))
def test_pooled_ranks_are_invariant_to_increasing_maps_within_folds(function, scores, options):
    if function is segments and "definition" in options:  # some know no other prevalence
        options = options | {"prevalence": None}
    expected = said(function, scores, y=Y, **options)
    for moved in MAPS:
        other = {name: moved(score, FOLD) for name, score in scores.items()}
        np.testing.assert_equal(said(function, other, y=Y, **options), expected)


@pytest.mark.parametrize("function", [interval, comparison])
@pytest.mark.parametrize("average", [None, "macro", "micro"])
def test_pooled_ranks_of_tables_are_invariant_to_increasing_maps(function, average):
    y = np.column_stack((Y, np.roll(Y, 4)))
    expected = said(function, TABLES, y=y, average=average)
    for moved in MAPS:
        other = {name: moved(score, FOLD[:, None]) for name, score in TABLES.items()}
        np.testing.assert_equal(said(function, other, y=y, average=average), expected)


def test_models_whose_ranks_are_equal_in_each_fold_do_not_differ():
    scores = {"a": SCORES["first"], "b": SCORES["first"] + 10 * (FOLD == 2)}
    found = said(comparison, scores, y=Y)
    assert (found["difference"], found["pvalue"]) == (0, 1)


def test_equal_ranks_of_several_folds_are_tied():
    shares, retrieved = np.empty(N), SCORES["first"] > -np.inf
    for rows in TESTS:
        shares[rows] = rankdata(SCORES["first"][rows]) / rows.size
    expected = average_precision_score(Y, np.where(retrieved, shares, -np.inf))
    assert said(interval, SCORES, y=Y)["estimate"] == pytest.approx(expected, abs=1e-12)


# ---- weights and unknown labels


@pytest.mark.parametrize("function", FUNCTIONS)
def test_pooled_ranks_ignore_zero_weight_rows_and_weight_scale(function):
    weight = np.random.default_rng(1).integers(0, 3, N)
    expected = said(function, SCORES, y=Y, sample_weight=weight)
    moved = {name: np.where(weight > 0, score, 50) for name, score in SCORES.items()}
    found = said(function, moved, y=Y, sample_weight=weight)
    tenths = said(function, SCORES, y=Y, sample_weight=weight / 10)
    for name in ("estimate", "estimates", "low", "lows", "high", "highs", "difference_low"):
        np.testing.assert_allclose(found.get(name, 0), expected.get(name, 0), rtol=1e-12)
        np.testing.assert_allclose(tenths.get(name, 0), expected.get(name, 0), rtol=1e-9)


def test_integer_weight_equals_repeating_the_row():
    weight = np.random.default_rng(1).integers(0, 3, N)
    expected = said(interval, SCORES, y=Y, sample_weight=weight)["estimate"]
    given = {"y_score": np.repeat(SCORES["first"], weight), "folds": np.repeat(FOLD, weight)}
    repeated = np.repeat(Y, weight)
    found = pooled_interval(given, None, repeated, pooling="ranks")
    assert found.estimate == pytest.approx(expected, abs=1e-12)


def test_light_rows_of_a_fold_keep_their_order():
    """Beside a heavy one, the shares of all others are equal but for rounding."""
    is_heavy = np.arange(N) < 6
    y, weight = np.where(is_heavy, 0, Y), np.where(is_heavy, 1.0, 1e-13)
    scores = {"first": np.where(is_heavy, 0, 1 + y)}
    assert said(interval, scores, y=y, sample_weight=weight)["estimate"] == 1


def test_total_weight_of_a_fold_does_not_change_its_ranks():
    weight = np.random.default_rng(1).integers(0, 3, (N, 1)) + 0.1
    lighter = np.where(FOLD[:, None] == 2, weight * 1e-200, weight)
    pools = [order_by_ranks(SCORES["first"], FOLD, each, False) for each in (weight, lighter)]
    np.testing.assert_array_equal(*pools)


@pytest.mark.parametrize("average", [None, "macro", "micro"])
def test_cells_with_unknown_labels_do_not_affect_ranks(average):
    y = np.where(np.random.default_rng(1).random((N, 2)) < 0.2, np.nan, np.column_stack((Y, Y)))
    expected = said(interval, TABLES, y=y, average=average)
    moved = {name: np.where(np.isnan(y), 50, score) for name, score in TABLES.items()}
    found = said(interval, moved, y=y, average=average)
    np.testing.assert_allclose(found["estimate"], expected["estimate"], rtol=1e-12)
