"""Intervals and comparisons: digits, identities, laws, and what they refuse or warn of."""

import inspect
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from registry import DEFINITIONS, WEIGHTS, predictions
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
    threshold_counts,
)
from sklearn_ap._certainty.formulas import Spread, pooled
from sklearn_ap._certainty.places import place
from sklearn_ap._certainty.resampling import replicate_counts
from sklearn_ap._validation import Rankings
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import AtK, Definition, Hyperbolic, Interpolated, Linear, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

Y = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
S = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
NUMBERS = ("estimate", "standard_error", "low", "high")
SMOOTH = [Step(), Interpolated(), Linear(), Hyperbolic()]


def drawn(n=200, n_columns=None, seed=0):
    rng = np.random.default_rng(seed)
    shape = n if n_columns is None else (n, n_columns)
    y = (rng.random(shape) < 0.3).astype(int)
    return y, (y + rng.normal(size=shape)).round(1)


def numbers(interval):
    return np.array([getattr(interval, name) for name in NUMBERS])


def assert_same(first, second, **tolerance):
    np.testing.assert_allclose(
        numbers(first), numbers(second), **({"rtol": 1e-9, "atol": 1e-12} | tolerance)
    )


# Digits


def test_the_worked_example():
    found = average_precision_interval(Y, S)
    assert found.estimate == sklearn_ap.average_precision_score(Y, S)
    np.testing.assert_allclose(found.standard_error, 0.1999565925, atol=5e-11)
    np.testing.assert_allclose([found.low, found.high], [0.2099502468, 0.9601205955], atol=5e-11)
    assert (found.method, found.n_positives, found.confidence_level) == ("influence", 5, 0.95)


@pytest.mark.parametrize(("n", "low"), [(10, 0.566), (30, 0.764), (100, 0.895)])
def test_a_perfect_ranking_is_not_certain(n, low):
    found = average_precision_interval([1] * n + [0] * 9, [1.0] * n + [0.0] * 9)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert (found.high, found.standard_error) == (1, 0)


@pytest.mark.parametrize("seed", range(12))
def test_a_perfect_ranking_of_weighted_rows_has_no_variance(seed):
    """Two sums of the same weights differ by rounding, which is no positive out of sight."""
    rng = np.random.default_rng(seed)
    y, w = np.repeat([1, 0], 30), rng.lognormal(size=60)
    found = average_precision_interval(y, y + rng.random(60), sample_weight=w)
    assert found.standard_error == 0
    assert found.estimate == pytest.approx(1)


@pytest.mark.parametrize("level", [1e-9, 1 - 1e-16])
def test_any_level_has_limits(level):
    found = average_precision_interval(Y, S, confidence_level=level)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    compared = compare_average_precision(Y, {"a": S, "b": -S}, confidence_level=level)
    assert -1 <= compared.difference_lows[1] <= compared.difference_highs[1] <= 1


# Places


@given(
    data=st.lists(predictions(weights=WEIGHTS), min_size=1, max_size=4),
    weighted=st.booleans(),
    equal=st.booleans(),
)
def test_one_sort_of_all_items_gives_the_counts_of_the_heart(data, weighted, equal):
    size = min(len(y) for y, _, _ in data)
    if equal:
        data = [tuple(array[:size] for array in one) for one in data]
    y, s, w = (np.concatenate(arrays) for arrays in zip(*data, strict=True))
    ranking = None
    if not equal:
        ranking = np.repeat(np.arange(len(data)), [len(one[0]) for one in data])
    kept = w > 0 if weighted and not equal else np.ones(y.size, dtype=bool)
    w = np.where(w > 0, w, 0.25)
    if ranking is not None:
        ranking = np.unique(ranking[kept], return_inverse=True)[1]
    n = len(data) if ranking is None else ranking.max() + 1
    rankings = Rankings(y[kept] == 1, s[kept], w[kept] if weighted else None, ranking, n_rankings=n)
    found, expected = place(rankings).counts, count(rankings)
    for name in ThresholdCounts.__slots__:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
        if not weighted:
            assert getattr(found, name).dtype.kind == getattr(expected, name).dtype.kind


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("kind", ["normal", "near each other", "chained", "zeros", "huge"])
def test_scores_that_share_their_upper_bits_are_in_order(kind, dtype):
    rng = np.random.default_rng(0)
    base = rng.normal(size=3000)
    score = {
        "normal": base,
        "near each other": 1 + rng.integers(0, 2000, 3000) * 2.0**-40,
        "chained": 1 + np.arange(3000)[::-1] * 2.0**-52,
        "zeros": np.where(rng.random(3000) < 0.5, 0.0, -0.0) * base,
        "huge": base * 1e300,
    }[kind]
    with np.errstate(all="ignore"):
        score = score.astype(dtype)
    score = score[np.isfinite(score)]
    rankings = Rankings(rng.random(score.size) < 0.3, score)
    found = place(rankings)
    np.testing.assert_array_equal(score[found.order], np.sort(score)[::-1])
    for name in ThresholdCounts.__slots__:
        np.testing.assert_array_equal(
            getattr(found.counts, name), getattr(count(rankings), name), strict=True
        )


def influences(definition, y, s, w=None):
    placed = place(Rankings(y == 1, s, w))
    return placed.of_items(definition.influence(placed.counts))


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
@given(data=predictions(weights=WEIGHTS.filter(bool)))
def test_weight_times_influence_sums_to_0(definition, data):
    y, s, w = data
    assume(y.any())
    np.testing.assert_allclose(w @ influences(definition, y, s, w), 0, atol=1e-7)


@given(data=predictions(weights=WEIGHTS.filter(bool)))
def test_influence_is_the_derivative_of_scikit_learns_score_by_the_weight_of_a_row(data):
    y, s, w = data
    assume(y.any() and w[y == 1].sum() > 0.2)
    found = influences(Step(), y, s, w)
    for row, step in enumerate(1e-5 * w):
        up, down = w.copy(), w.copy()
        up[row] += step
        down[row] -= step
        by_hand = [average_precision_score(y, s, sample_weight=each) for each in (up, down)]
        assert found[row] == pytest.approx((by_hand[0] - by_hand[1]) / (2 * step), abs=1e-8)


def test_the_influences_of_the_worked_example():
    expected = [0.1125, 0.04583333, -0.11416667, 0.04027778, -0.03222222, 0.01111111]
    expected += [-0.01, -0.01, -0.01, -0.03333333]
    np.testing.assert_allclose(influences(Step(), Y, S), expected, atol=5e-9)


# The same by another way


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_the_estimate_is_the_score(definition):
    y, s = drawn()
    found = average_precision_interval(y, s, definition=definition, n_resamples=19, rng=0)
    assert found.estimate == min(definition(threshold_counts(y, s))[0], 1)
    assert 0 <= found.low <= found.estimate <= found.high <= 1


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples", None])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_estimate_is_the_score_of_several_columns(average, weighted):
    y, s = drawn(60, 3)
    options = {"average": average, "zero_division": 0.0}
    if weighted:
        options["sample_weight"] = np.random.default_rng(1).exponential(size=60)
    scores = sklearn_ap.average_precision_score(y, s, **options)
    found = average_precision_interval(y, s, **options)
    np.testing.assert_allclose(found.estimate, scores, rtol=1e-12)
    compared = compare_average_precision(y, {"a": s, "b": -s}, **options)
    np.testing.assert_allclose(compared.estimates[0], scores, rtol=1e-12)
    np.testing.assert_allclose(compared.lows[0], found.low, rtol=1e-9)
    np.testing.assert_allclose(
        compared.differences[1], compared.estimates[1] - compared.estimates[0]
    )


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_counts_alone_give_the_same(definition):
    y, s = drawn(90)
    found = average_precision_interval(y, s, definition=definition, n_resamples=19, rng=0)
    alone = AveragePrecisionInterval.from_counts(
        threshold_counts(y, s), definition, n_resamples=19, rng=0
    )
    assert found.to_dict() == alone.to_dict()


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
@given(data=predictions(max_size=20))
def test_rows_as_clusters_of_one_and_equal_weights_change_nothing(definition, data):
    y, s = data
    assume(y.any() and y.size > 1)
    plain = average_precision_interval(y, s, definition=definition)
    each = average_precision_interval(y, s, definition=definition, clusters=np.arange(y.size))
    weighted = average_precision_interval(
        y, s, definition=definition, sample_weight=np.full(y.size, 0.25)
    )
    assert_same(plain, each, atol=1e-7)
    assert_same(plain, weighted, atol=1e-7)


def test_the_scale_of_the_weights_does_not_matter():
    y, s = drawn()
    w = np.random.default_rng(1).exponential(size=y.size)
    first, *others = (
        average_precision_interval(y, s, sample_weight=scale * w, n_positives=scale * w.sum())
        for scale in (1, 1e-6, 1e-300, 1e300)
    )
    for other in others:
        assert_same(first, other)


def test_weights_of_600_orders_of_magnitude_are_no_error():
    y, s = drawn()
    for w in (np.where(y, 5e-324, 1.0), np.where(s > 1, 1e300, 1e-300)):
        found = average_precision_interval(y, s, sample_weight=w)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_a_perfect_model_among_others_is_said():
    y, s = drawn()
    with pytest.warns(UncertaintyWarning, match="perfect ranking"):
        compare_average_precision(y, {"a": s, "b": y})


def test_a_row_of_weight_2_is_one_case_and_not_two():
    y, s = drawn()
    twice = average_precision_interval(np.tile(y, 2), np.tile(s, 2))
    heavy = average_precision_interval(y, s, sample_weight=np.full(y.size, 2.0))
    assert heavy.standard_error > 1.3 * twice.standard_error
    in_pairs = average_precision_interval(
        np.tile(y, 2), np.tile(s, 2), clusters=np.tile(np.arange(y.size), 2)
    )
    assert_same(heavy, in_pairs)


def test_rows_of_weight_0_are_absent():
    y, s = drawn()
    w = np.random.default_rng(1).integers(0, 3, y.size).astype(float)
    clusters = np.arange(y.size) // 4
    kept = w > 0
    options = {"sample_weight": w[kept], "clusters": clusters[kept]}
    assert_same(
        average_precision_interval(y, s, sample_weight=w, clusters=clusters),
        average_precision_interval(y[kept], s[kept], **options),
    )


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("definition", [*SMOOTH, AtK(5)], ids=repr)
def test_one_column_gives_the_single_rule(average, definition):
    y, s = drawn()
    options = {"definition": definition, "rng": 0, "n_resamples": 19}
    empty = np.column_stack((y, np.zeros_like(y))), np.column_stack((s, s))
    found = average_precision_interval(*empty, average=average, zero_division=np.nan, **options)
    alone = average_precision_interval(y, s, clusters=np.arange(y.size), **options)
    assert_same(found, alone, rtol=1e-9 if definition in SMOOTH else 0.5)


def test_micro_is_one_ranking_of_cells_in_clusters():
    y, s = drawn(80, 3)
    micro = average_precision_interval(y, s, average="micro")
    rows = np.repeat(np.arange(80), 3)
    assert_same(micro, average_precision_interval(y.ravel(), s.ravel(), clusters=rows))


def test_samples_is_a_mean_over_queries():
    y, s = drawn(80, 6)
    samples = average_precision_interval(y, s, average="samples", zero_division=0.0)
    rows = np.repeat(np.arange(80), 6)
    assert_same(
        samples,
        average_precision_interval(y.ravel(), s.ravel(), groups=rows, zero_division=0.0),
    )
    assert samples.method == "queries"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("definition", [Step(), Hyperbolic()], ids=repr)
def test_without_an_average_each_ranking_stands_alone(weighted, definition):
    y, s = drawn()
    groups = np.random.default_rng(1).integers(0, 5, y.size)
    w = np.random.default_rng(2).exponential(size=y.size) if weighted else np.ones(y.size)
    options = {"definition": definition}
    found = average_precision_interval(
        y, s, groups=groups, average=None, sample_weight=w if weighted else None, **options
    )
    for i in range(5):
        rows = groups == i
        weight = w[rows] if weighted else None
        alone = average_precision_interval(y[rows], s[rows], sample_weight=weight, **options)
        np.testing.assert_allclose(numbers(found)[:, i], numbers(alone), rtol=1e-9)


def test_class_labels_are_columns():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 90), rng.normal(size=(90, 3))
    found = average_precision_interval(y, s, labels=[0, 1, 2])
    assert_same(found, average_precision_interval(y[:, None] == [0, 1, 2], s))


def test_positives_that_were_never_scored_are_cases():
    y, s = drawn()
    more = average_precision_interval(y, s, n_positives=y.sum() + 30)
    assert more.estimate == sklearn_ap.average_precision_score(y, s, n_positives=y.sum() + 30)
    assert more.n_positives == y.sum() + 30
    by_rows = {"clusters": np.arange(y.size), "n_positives": y.sum() + 30}
    assert_same(more, average_precision_interval(y, s, **by_rows))
    heavy = {"sample_weight": np.full(y.size, 2.0), "n_positives": 2 * (y.sum() + 30)}
    assert_same(more, average_precision_interval(y, s, **heavy))


def test_columns_that_vary_together_vary_more_in_the_mean():
    y, s = drawn()
    _, other = drawn(seed=1)
    twice = average_precision_interval(np.column_stack((y, y)), np.column_stack((s, s)))
    alone = average_precision_interval(y, s)
    assert twice.standard_error == pytest.approx(alone.standard_error)
    apart = average_precision_interval(*map(np.column_stack, ((y, np.roll(y, 9)), (s, other))))
    assert apart.standard_error < 0.9 * alone.standard_error


# Queries


def queries(n=30, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n), rng.integers(4, 30, n))
    y = (rng.random(groups.size) < 0.3).astype(int)
    y[np.flatnonzero(np.diff(groups, prepend=-1))] = 1
    return y, rng.normal(size=groups.size) + y, groups


def test_a_mean_over_queries_has_the_error_of_a_mean():
    y, s, groups = queries()
    values = sklearn_ap.average_precision_score(y, s, groups=groups, average=None)
    found = average_precision_interval(y, s, groups=groups)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(values.size))


def test_two_models_over_queries_are_a_paired_t_test():
    y, s, groups = queries()
    other = s + np.random.default_rng(1).normal(size=s.size)
    scores = {"a": s, "b": other}
    values = [
        sklearn_ap.average_precision_score(y, score, groups=groups, average=None)
        for score in scores.values()
    ]
    for alternative in ("two-sided", "less", "greater"):
        found = compare_average_precision(y, scores, groups=groups, alternative=alternative)
        known = stats.ttest_rel(values[1], values[0], alternative=alternative)
        assert found.pvalues[1] == pytest.approx(known.pvalue)
        limits = known.confidence_interval()
        low, high = max(limits.low, -1), min(limits.high, 1)
        assert (found.difference_lows[1], found.difference_highs[1]) == pytest.approx((low, high))


def test_what_rounding_leaves_between_two_perfect_rankings_is_no_difference():
    rng = np.random.default_rng(10)
    y = np.array([1] * 12 + [0] * 4)
    weight = np.round(rng.random(16), 2) + 0.01
    models = {name: y + rng.random(16) * 0.5 for name in "ab"}
    options = {"sample_weight": weight, "alternative": "greater"}
    with pytest.warns(UncertaintyWarning, match="A perfect ranking shows no variance"):
        found = compare_average_precision(y, models, **options)
    assert 0 < found.differences[1] < 1e-15
    assert found.pvalues[1] == 1


def test_queries_of_equal_size_need_no_weights():
    y, s = drawn(60, 8)
    y[:, 0] = 1
    y[:, 1:3] = [1, 0]
    y[:, 3:] = 0
    flat = y.ravel(), s.ravel()
    groups = np.repeat(np.arange(60), 8)
    assert_same(
        average_precision_interval(*flat, groups=groups),
        average_precision_interval(*flat, groups=groups, average="weighted"),
    )


def test_one_query_says_nothing_of_others():
    found = average_precision_interval(Y, S, groups=np.zeros(10))
    assert (found.low, found.high, found.method) == (0, 1, "queries")
    assert np.isnan(found.standard_error)
    compared = compare_average_precision(Y, {"a": S, "b": -S}, groups=np.zeros(10))
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)
    assert compared.pvalues[1] == 1


def test_one_cluster_says_nothing_of_others():
    found = average_precision_interval(Y, S, clusters=np.zeros(10))
    assert (found.low, found.high) == (0, 1)
    assert np.isnan(found.standard_error)
    compared = compare_average_precision(Y, {"a": S, "b": -S}, clusters=np.zeros(10))
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)
    assert compared.pvalues[1] == 1


# Resampling


@dataclass(frozen=True, repr=False)
class Rough(Definition):
    """Step average precision of a stranger, who says nothing of influence."""

    title = "rough"

    def __call__(self, counts):
        return Step()(counts)


@pytest.mark.parametrize("options", ["rows", "weights", "clusters", "columns", "weighted columns"])
def test_a_definition_without_influence_has_nearly_the_same_error(options):
    y, s = drawn(300, 3 if "columns" in options else None)
    rng = np.random.default_rng(1)
    given_ = {
        "rows": {},
        "weights": {"sample_weight": rng.lognormal(size=300)},
        "clusters": {"clusters": np.arange(300) // 4},
        "columns": {},
        "weighted columns": {"average": "weighted"},
    }[options]
    rough = average_precision_interval(y, s, definition=Rough(), rng=0, **given_)
    exact = average_precision_interval(y, s, **given_)
    assert rough.method == "resampling"
    assert rough.standard_error == pytest.approx(exact.standard_error, rel=0.12)
    scores = {"a": s, "b": s + rng.normal(size=s.shape)}
    rough = compare_average_precision(y, scores, definition=Rough(), rng=0, **given_)
    exact = compare_average_precision(y, scores, **given_)
    np.testing.assert_allclose(rough.standard_errors, exact.standard_errors, rtol=0.12)


@pytest.mark.parametrize("n", [60, 1000])
def test_replicates_are_samples_like_the_one_they_come_from(n):
    y, s = drawn(n)
    counts = threshold_counts(y, s)
    found = replicate_counts(Step(), counts, 999, 0)
    assert found.values.mean() == pytest.approx(Step()(counts)[0], abs=0.02)
    assert found.n_positives.mean() == pytest.approx(y.sum(), rel=0.03)


@pytest.mark.parametrize("definition", [AtK(10), AtK(10, "positives"), AtK(3, threshold=0.5)])
def test_rows_below_the_depth_are_drawn_as_one_number(definition):
    """As if the definition did not say its depth, with other random numbers."""
    y, s = drawn(3000)
    s = s + 3 * np.random.default_rng(1).normal(size=3000)

    class Whole(Rough):
        def __call__(self, counts):
            return definition(counts)

        def cases(self, counts):
            return definition.cases(counts)

    for compare in (False, True):
        errors = []
        for each in (definition, Whole()):
            if compare:
                scores = {"a": s, "b": s + np.random.default_rng(1).normal(size=s.size)}
                found = compare_average_precision(y, scores, definition=each, rng=0)
                errors.append(found.standard_errors[1])
            else:
                found = average_precision_interval(y, s, definition=each, rng=0)
                errors.append(found.standard_error)
        assert errors[0] == pytest.approx(errors[1], rel=0.12)


def test_the_seed_decides_and_is_of_every_kind():
    y, s = drawn()

    def found(rng):
        return numbers(average_precision_interval(y, s, definition=AtK(5), rng=rng)).tolist()

    assert found(0) == found(0) == found(np.random.default_rng(0))
    assert found(0) != found(1)
    assert found(None) != found(None)
    scores = {"a": s, "b": -s}
    first, second = (
        compare_average_precision(y, scores, definition=AtK(5), rng=3).to_dict() for _ in range(2)
    )
    assert first == second


# Comparisons


def models(seed=0, n=200):
    y, s = drawn(n, seed=seed)
    rng = np.random.default_rng(seed + 10)
    noise = rng.normal(size=(3, n))
    return y, {"a": s, "b": s + noise[0], "c": s + 2 * noise[1], "d": s + 0.2 * noise[2]}


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
    for name in ("differences", "difference_lows", "difference_highs", "standard_errors"):
        assert getattr(found, name)[2] == 0
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


def test_p_values_are_adjusted_as_holm_says():
    y, scores = models()
    found = compare_average_precision(y, scores)
    p = found.pvalues[1:]  # by hand, as SciPy has no Holm
    order = np.argsort(p)
    by_hand = np.maximum.accumulate(p[order] * [3, 2, 1]).clip(max=1)
    np.testing.assert_allclose(found.adjusted_pvalues[1:][order], by_hand)


def test_one_sided_p_values_are_shares_of_the_two_sided():
    y, scores = models()
    two, less, greater = (
        compare_average_precision(y, scores, alternative=name)
        for name in ("two-sided", "less", "greater")
    )
    np.testing.assert_allclose((less.pvalues + greater.pvalues)[1:], 1)
    np.testing.assert_allclose(np.minimum(less.pvalues, greater.pvalues)[1:], two.pvalues[1:] / 2)
    assert (less.difference_lows[1:] == -1).all()
    assert (greater.difference_highs[1:] == 1).all()
    assert (less.difference_highs < two.difference_highs)[1:].all()


def test_models_that_rank_alike_do_not_differ():
    y, s = drawn()
    found = compare_average_precision(y, {"a": s, "b": 2 * s + 1})
    assert (found.differences[1], found.standard_errors[1], found.pvalues[1]) == (0, 0, 1)
    assert found.difference_lows[1] < 0 < found.difference_highs[1]


def test_a_pair_finds_what_separate_intervals_miss():
    rng = np.random.default_rng(5)
    y = (rng.random(600) < 0.1).astype(int)
    common = rng.normal(size=600)
    scores = {"a": 1.2 * y + common, "b": 1.7 * y + common + 0.1 * rng.normal(size=600)}
    found = compare_average_precision(y, scores)
    assert found.highs[0] > found.lows[1]
    assert found.pvalues[1] < 0.01


@pytest.mark.parametrize("few", [False, True])
def test_a_known_comparison_by_the_formula(few):
    y, scores = models()
    if few:  # rows decide, and there are few degrees of freedom
        scores["b"] = scores["a"].copy()
        scores["b"][np.flatnonzero(y)[:2]] += [3, -2]
    a, b = (influences(Step(), y, scores[name]) for name in "ab")
    n, moved = y.sum(), b - a
    variance = (moved**2).sum() * n / (n - 1)
    fourth = (moved**4).sum() * (n / (n - 1)) ** 2
    nu = 2 * variance**2 / (fourth - variance**2 / y.size)
    found = compare_average_precision(y, scores)
    t = found.differences[1] / np.sqrt(variance + 4 / ((nu + 4) * n**2))
    p = 2 * stats.t.sf(abs(t), min(nu + 4, n - 1))
    assert found.pvalues[1] == pytest.approx(p)
    assert found.standard_errors[1] == pytest.approx(np.sqrt(variance))


def test_a_weighted_average_by_the_derivative_of_the_score():
    rng = np.random.default_rng(0)
    y, s = np.zeros((120, 2), dtype=int), rng.normal(size=(120, 2))
    y[:30, 0] = y[20:50, 1] = 1
    s += y * [0.3, 3]
    moved = []
    for row in range(120):
        change = 1e-5 * (np.arange(120) == row)
        up, down = (
            average_precision_score(y, s, average="weighted", sample_weight=1 + sign * change)
            for sign in (1, -1)
        )
        moved.append((up - down) / 2e-5)
    found = average_precision_interval(y, s, average="weighted")
    assert found.standard_error == pytest.approx(np.sqrt(np.square(moved).sum() * 30 / 29))


def test_a_macro_average_by_the_formula():
    y, s = drawn(150, 3)
    y[:, 2] &= np.arange(150) % 3 == 0
    level, parts = 0.9, []
    for c in range(3):
        moved, n = influences(Step(), y[:, c], s[:, c]), y[:, c].sum()
        parts.append((moved * np.sqrt(n / (n - 1)), n))
    values = sklearn_ap.average_precision_score(y, s, average=None)
    mean = values.mean()
    joint = ((sum(moved for moved, _ in parts) / 3) ** 2).sum()
    enlarged = []
    for value, (moved, n) in zip(values, parts, strict=True):
        variance = (moved**2).sum()
        nu = 2 * variance**2 / ((moved**4).sum() - variance**2 / 150)
        share = max(value * (1 - value), mean * (1 - mean))
        prior = max(1, 0.65 * np.log(n)) * share / n
        enlarged.append((nu * variance + 4 * prior) / (nu + 4))
        joint += (enlarged[-1] - variance) / 9
    weights = np.array(enlarged) / 9
    degrees = weights.sum() ** 2 / (weights**2 / [n - 1 for _, n in parts]).sum()
    m = mean * (1 - mean) / joint / stats.t.ppf(0.5 + level / 2, degrees) ** 2
    half = np.sqrt(mean * (1 - mean) / m + 1 / (4 * m**2))
    found = average_precision_interval(y, s, confidence_level=level)
    assert found.low == pytest.approx((mean + 1 / (2 * m) - half) / (1 + 1 / m))
    assert found.high == pytest.approx((mean + 1 / (2 * m) + half) / (1 + 1 / m))


def test_columns_that_vary_against_each_other_keep_what_is_added():
    spread = Spread(np.ones(2), np.full(2, 4.0), np.full(2, 10.0), joint=0.05)
    shares, degrees = np.full(2, 0.5), np.full(2, 9.0)
    added = pooled(spread, np.full(2, 1.2), shares, degrees)
    assert added[0] == pytest.approx(0.05 + 2 * 0.25 * 0.2)
    taken = pooled(spread, np.full(2, 0.8), shares, degrees, least=np.full(2, 0.3))
    assert taken[0] == pytest.approx(2 * 0.25 * 0.3)


# Without positives


def test_without_positives_there_is_no_interval_and_the_usual_warning():
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        found = average_precision_interval([0, 0, 0], [0.1, 0.2, 0.3])
    assert found.estimate == 0
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    with pytest.warns(UndefinedMetricWarning) as caught:
        compared = compare_average_precision([0, 0], {"a": [1.0, 2], "b": [2.0, 1]})
    assert len(caught) == 1
    assert np.isnan(compared.pvalues[1])


@pytest.mark.parametrize("fill", [0.0, 1.0, np.nan])
def test_columns_without_positives_are_filled_as_in_the_score(fill):
    y, s = drawn(100, 3)
    y[:, 1] = 0
    for average in ("macro", "weighted", None):
        options = {"average": average, "zero_division": fill}
        found = average_precision_interval(y, s, **options)
        scores = sklearn_ap.average_precision_score(y, s, **options)
        np.testing.assert_array_equal(found.estimate, scores)
        assert np.isnan(np.atleast_1d(found.low)).sum() == (average is None)


def test_a_warning_points_to_the_caller():
    with pytest.warns(UncertaintyWarning) as caught:
        average_precision_interval(Y, S)
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning) as caught:
        compare_average_precision([0, 0], {"a": [1.0, 2], "b": [2.0, 1]})
    assert caught[0].filename == __file__


# Warnings


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: average_precision_interval(Y, S), "rests on 5 positives"),
        (lambda: average_precision_interval([1, 0], [1.0, 2]), "rests on 1 positive "),
        (
            lambda: average_precision_interval(*drawn(), clusters=np.arange(200) % 6),
            "rests on 6 clusters",
        ),
        (
            lambda: average_precision_interval(*queries(5)[:2], groups=queries(5)[2]),
            "rests on 5 queries",
        ),
        (lambda: average_precision_interval(*drawn(50, 25)), "25 columns"),
        (
            lambda: average_precision_interval(np.repeat([1, 0], 20), np.repeat([1.0, 0], 20)),
            "perfect ranking",
        ),
        (
            lambda: compare_average_precision(
                np.repeat([1, 0], 100),
                {"a": np.arange(200.0), "b": np.r_[150, np.arange(1.0, 200)]},
            ),
            "few cases",
        ),
    ],
)
def test_what_rests_on_little_says_so(call, text):
    with pytest.warns(UncertaintyWarning, match=text):
        call()


def test_what_rests_on_enough_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_interval(*drawn())
        average_precision_interval(*drawn(200, 3))
        average_precision_interval(*queries()[:2], groups=queries()[2])
        compare_average_precision(*models())


# Refusals


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"confidence_level": 95}, ValueError, "confidence_level must lie within"),
        ({"confidence_level": "95%"}, TypeError, "confidence_level must be a number"),
        ({"n_resamples": 1}, ValueError, "n_resamples must be at least 2"),
        ({"n_resamples": 9.5}, TypeError, "n_resamples must be a whole number"),
        (
            {"clusters": [1] * 10, "groups": [1] * 10},
            ValueError,
            "clusters does not go with groups",
        ),
        ({"clusters": [1] * 9}, ValueError, "clusters"),
        ({"clusters": [None] * 10}, ValueError, "clusters contains missing values"),
        ({"clusters": np.ones((10, 1))}, ValueError, "clusters must be one-dimensional"),
        ({"average": "macr0"}, ValueError, "average has to be one of"),
        ({"n_positives": 2}, ValueError, "n_positives must be finite and at least"),
        ({"zero_division": 3}, ValueError, "zero_division"),
        ({"rng": "seed"}, TypeError, "rng must be a seed .* got 'seed'"),
        ({"rng": -1}, ValueError, "rng must be a seed"),
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


# Printing and tables


def test_an_interval_prints_as_a_table():
    assert repr(average_precision_interval(Y, S)).splitlines() == [
        "estimate  std. error      95% interval  positives",
        "0.7167        0.2000  [0.2100, 0.9601]          5",
    ]
    many = average_precision_interval(*drawn(60, 30), average=None)
    assert repr(many).splitlines()[-1] == "... and 10 more"


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
    for options in ({}, {"average": None, "groups": np.arange(200) % 3}):
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


def test_rows_make_a_data_frame():
    y, scores = models()
    table = pd.DataFrame(compare_average_precision(y, scores).to_dict())
    assert list(table["name"]) == list(scores)
    assert {"estimate", "low", "difference", "difference_low", "adjusted_pvalue"} <= set(table)
    several = pd.DataFrame(average_precision_interval(*drawn(60, 3), average=None).to_dict())
    assert list(several["ranking"]) == [0, 1, 2]


# Coverage


@pytest.mark.parametrize(
    ("shift", "n", "prevalence"), [(1.0, 20, 0.1), (5.0, 30, 0.5), (0.0, 20, 0.1)]
)
def test_intervals_hold_the_score_of_the_population(shift, n, prevalence):
    rng = np.random.default_rng(0)

    def sample(size):
        y = (rng.random(size) < prevalence).astype(int)
        return y, rng.normal(size=size) + shift * y

    target, held = sklearn_ap.average_precision_score(*sample(500_000)), []
    for _ in range(200):
        found = average_precision_interval(*sample(round(n / prevalence)))
        held.append(found.low <= target <= found.high)
    assert np.mean(held) >= 0.93


def test_equal_models_seldom_differ():
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        y = (rng.random(400) < 0.1).astype(int)
        common = rng.normal(size=400) + y
        scores = {name: common + rng.normal(size=400) for name in "ab"}
        found.append(compare_average_precision(y, scores).pvalues[1] < 0.05)
    assert np.mean(found) < 0.08
