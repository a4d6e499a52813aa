"""How many positives, clusters or queries a study needs."""

from functools import partial

import numpy as np
import pytest
from interval_data import drawn
from scipy.stats import norm, t

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    sample_size,
)
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N = 600
Y, S = drawn(N)
WORSE = S + 0.7 * np.random.default_rng(0).normal(size=N)
OTHER = S + 0.7 * np.random.default_rng(1).normal(size=N)
UNITS = [
    ({}, Y.sum()),
    ({"clusters": np.arange(N) // 4}, 150),
    ({"queries": np.arange(N) // 20}, 30),
    ({"prevalence": 0.05}, Y.sum()),
]
compared = partial(compare_average_precision, zero_division=0.0)
before = partial(sample_size, average_precision=0.4, prevalence=0.1)


def half_width(found):
    if found.alternative == "greater":
        return float(found.difference[-1] - found.difference_low[-1])
    return float(found.difference_high[-1] - found.difference_low[-1]) / 2


def five_fold(values, is_name=False):
    step = values.max() + 1 if is_name else 0
    return np.concatenate([values + i * step for i in range(5)])


@pytest.mark.parametrize(("options", "n_units"), UNITS)
def test_the_half_width_of_a_sample_takes_its_own_size(options, n_units):
    found = average_precision_interval(Y, S, zero_division=0.0, **options)
    half = (found.high - found.low) / 2
    assert sample_size(found, half_width=half) == pytest.approx(n_units, abs=1)
    sizes = [sample_size(found, half_width=share * half) for share in (0.9, 0.5, 0.1)]
    assert n_units < sizes[0] < sizes[1] < 4.1 * n_units
    assert 60 * n_units < sizes[2] < 101 * n_units


def test_rows_are_counted_where_each_is_a_ranking():
    found = average_precision_interval(*drawn(N, 3), average="samples", zero_division=0.0)
    assert sample_size(found, half_width=(found.high - found.low) / 2) == pytest.approx(N, abs=1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("options", "n_units"), UNITS)
def test_the_half_width_of_a_difference_takes_the_size_of_its_sample(options, n_units, alternative):
    found = compared(Y, {"A": WORSE, "B": S}, alternative=alternative, **options)
    assert sample_size(found, half_width=half_width(found)) == pytest.approx(n_units, abs=1)


@pytest.mark.parametrize("kind", ["rows", "clusters", "queries", "margin"])
def test_a_sample_five_times_as_large_has_what_was_planned(kind):
    """All rows five times, in other clusters or queries, are a larger sample that is known."""
    models, unit = {"A": WORSE, "B": S}, np.arange(N) // 6
    options, more = {}, {}
    if kind in ("clusters", "queries"):
        options, more = {kind: unit}, {kind: five_fold(unit, is_name=True)}
    found = compared(Y, models, **options)
    larger = {name: five_fold(each) for name, each in models.items()}
    many = compared(five_fold(Y), larger, margin=0.05 if kind == "margin" else None, **more)
    n = 100 if kind in ("clusters", "queries") else Y.sum()
    if kind == "margin":
        found = compared(Y, models, margin=0.05)
        shown = {
            "difference": float(many.difference[-1] - many.notes["margin_low"][-1]) - 0.05,
            "power": 0.5,
        }
        assert sample_size(found, **shown) == pytest.approx(5 * n, rel=0.1)
    else:
        assert sample_size(found, half_width=half_width(many)) == pytest.approx(5 * n, rel=0.1)


def test_a_small_sample_needs_the_t_quantile_of_its_own_degrees_of_freedom():
    found = compared(Y, {"A": WORSE, "B": S}, queries=np.arange(N) // 6)
    half = half_width(found) * np.sqrt(100 / 12) * t.isf(0.025, 11) / t.isf(0.025, 99)
    assert 12 <= sample_size(found, half_width=half) <= 15  # 10 by the quantile of 100 queries


def test_half_of_all_tests_find_a_difference_as_large_as_the_half_width():
    found = compared(Y, {"A": WORSE, "B": S})
    for half in (0.01, 0.05):
        needed = sample_size(found, difference=half, power=0.5)
        assert needed == sample_size(found, half_width=half)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_power_takes_as_many_as_normal_errors_do(alternative, level):
    asked = {"alternative": alternative, "confidence_level": level}
    found = compared(Y, {"A": WORSE, "B": S})
    needed, half_as_often = (
        sample_size(found, difference=0.005, power=power, **asked) for power in (0.8, 0.5)
    )
    error = (1 - level) / (2 if alternative == "two-sided" else 1)
    z = norm.isf([error, 0.2])
    assert needed / half_as_often == pytest.approx((z.sum() / z[0]) ** 2, rel=0.01)
    assert sample_size(found, difference=0.005, **asked) == needed
    of_options = compared(Y, {"A": WORSE, "B": S}, **asked)
    assert sample_size(of_options, difference=0.005) == needed


def test_a_level_that_is_passed_is_that_of_the_interval():
    found, at_90 = (
        average_precision_interval(Y, S, confidence_level=level) for level in (0.95, 0.9)
    )
    asked = sample_size(found, half_width=0.05, confidence_level=0.9)
    assert asked == sample_size(at_90, half_width=0.05) < sample_size(found, half_width=0.05)


def test_equal_models_are_shown_to_be_not_worse_with_fewer_if_they_are_better():
    found = compared(Y, {"A": WORSE, "B": S}, margin=0.05)
    sizes = [sample_size(found, difference=each) for each in (-0.02, 0.0, 0.02)]
    assert sizes[0] > sizes[1] > sizes[2]
    plain = sample_size(compared(Y, {"A": WORSE, "B": S}), difference=0.05)
    assert plain < sizes[1]  # it leaves no room for false alarms
    with pytest.raises(ValueError, match=r"above minus the margin of the result, -0\.05, and"):
        sample_size(found, difference=-0.05)
    with pytest.raises(ValueError, match="margin does not go with alternative='less'"):
        sample_size(found, difference=0, alternative="less")


def test_several_differences_are_found_at_once_and_the_reference_needs_no_rows():
    models = {"A": WORSE, "B": S, "C": OTHER}
    sizes = sample_size(compared(Y, models, reference="B"), difference=0.02)
    alone = sample_size(compared(Y, {"A": WORSE, "B": S}, reference="B"), difference=0.02)
    assert sizes[1] == 0
    assert 1.1 * alone < sizes[0] < 1.4 * alone


def test_more_rows_do_not_narrow_a_score_of_the_first_ranks():
    ranks, share = (average_precision_interval(Y, S, definition=AtK(k)) for k in (20, 0.05))
    pair = compared(Y, {"A": WORSE, "B": S}, definition=AtK(20))
    for result in (ranks, pair):
        with pytest.raises(ValueError, match="of the first 20 ranks, as many as in a larger"):
            sample_size(result, half_width=0.05)
    options = {"queries": np.arange(N) // 20, "zero_division": 0.0}
    over_queries = average_precision_interval(Y, S, definition=AtK(5), **options)
    assert min(sample_size(each, half_width=0.05) for each in (share, over_queries)) > 10


def test_each_of_several_scores_has_its_own_size():
    queries = np.arange(N) % 3
    found = average_precision_interval(Y, S, queries=queries, average=None)
    alone = [average_precision_interval(Y[queries == i], S[queries == i]) for i in range(3)]
    sizes = [sample_size(each, half_width=0.05) for each in alone]
    assert sample_size(found, half_width=0.05).tolist() == sizes


def test_no_size_is_below_ten():
    assert sample_size(average_precision_interval(Y, S), half_width=0.45) == 10


# Before any data


def drawn_pair(n, prevalence, shifts, correlation):
    rng = np.random.default_rng(1)
    y = np.arange(n) < prevalence * n
    noise = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n).T
    return y, noise + np.outer(shifts, y)


@pytest.mark.parametrize("correlation", [0.3, 0.9])
def test_before_data_a_plan_is_that_from_normal_scores(correlation):
    y, (a, b) = drawn_pair(60_000, 0.1, (1.3, 1.6), correlation)
    score, better = (average_precision_score(y, each) for each in (a, b))
    plan = partial(sample_size, average_precision=score, prevalence=0.1)
    alone = sample_size(average_precision_interval(y, a), half_width=0.03)
    assert plan(half_width=0.03) == pytest.approx(alone, rel=0.05)
    found, apart = compare_average_precision(y, {"a": a, "b": b}), better - score
    pair = partial(plan, correlation=correlation, difference=apart)
    assert pair() == pytest.approx(sample_size(found, difference=apart), rel=0.1)
    asked = {"power": 0.9, "alternative": "greater", "confidence_level": 0.9}
    needed = sample_size(found, difference=apart, **asked)
    assert pair(**asked) == pytest.approx(needed, rel=0.1)


def test_before_data_a_difference_may_have_a_half_width():
    wide, narrow = (before(correlation=0.8, half_width=each) for each in (0.04, 0.02))
    assert narrow == pytest.approx(4 * wide, rel=0.05)
    assert wide < before(half_width=0.04)


def test_before_data_common_positives_take_as_many_as_drawn_ones():
    rng = np.random.default_rng(1)
    y = np.arange(40_000) < 0.9 * 40_000
    found = average_precision_interval(y, rng.normal(size=40_000) + 0.63 * y)
    needed = sample_size(average_precision=found.estimate, prevalence=0.9, half_width=0.02)
    assert needed == pytest.approx(sample_size(found, half_width=0.02), rel=0.1)


# What is refused


@pytest.mark.parametrize(
    ("options", "got"),
    [
        ({"half_width": 0.1}, "no result, half_width"),
        ({"average_precision": 0.4, "half_width": 0.1}, "no result, half_width, average_precision"),
        ({"average_precision": 0.4, "prevalence": 0.1}, "no result, average_precision, prevalence"),
    ],
)
def test_options_that_do_not_go_together_are_refused_in_one_sentence(options, got):
    with pytest.raises(ValueError, match=rf"^Pass a result, or average_precision.* Got {got}\.$"):
        sample_size(**options)


def test_what_a_result_knows_is_not_passed_with_it():
    interval, comparison = average_precision_interval(Y, S), compared(Y, {"A": S, "B": WORSE})
    for result, options in (
        (interval, {"difference": 0.1}),
        (interval, {"half_width": 0.1, "alternative": "less"}),
        (interval, {"half_width": 0.1, "prevalence": 0.1}),
        (comparison, {"half_width": 0.1, "power": 0.8}),
        (comparison, {"half_width": 0.1, "difference": 0.1}),
        (comparison, {"difference": 0.1, "correlation": 0.1}),
    ):
        with pytest.raises(ValueError, match=r"^Pass a result, or average_precision"):
            sample_size(result, **options)
    with pytest.raises(TypeError, match=r"result must be an Interval, .* got float"):
        sample_size(0.4, half_width=0.1)


def test_what_cannot_be_planned_is_refused():
    found = average_precision_interval(Y, S)
    with pytest.raises(ValueError, match="half_width must lie within"):
        sample_size(found, half_width=2)
    with pytest.raises(ValueError, match="Even a sample 1,000,000 times as large is too small"):
        sample_size(found, half_width=1e-6)
    for n_positives in (0, 1):
        few = average_precision_interval(Y * (Y.cumsum() <= n_positives), S, zero_division=0.0)
        with pytest.raises(ValueError, match="result must have at least two positives, clusters"):
            sample_size(few, half_width=0.05)
    seen = np.where(np.arange(N) % 2, Y, np.nan)
    few = average_precision_interval(seen, S, inclusion_probability=0.5)
    with pytest.raises(ValueError, match=r"rows that all have labels\. With few, the half"):
        sample_size(few, half_width=0.05)
    few = compared(seen, {"A": S, "B": WORSE}, inclusion_probability=0.5)
    with pytest.raises(ValueError, match="result must be of rows that all have labels"):
        sample_size(few, difference=0.05)
    best = compared(Y, {"A": S, "B": WORSE}, reference="best")
    with pytest.raises(ValueError, match="result must have a reference that you chose before"):
        sample_size(best, difference=0.05)


def test_what_cannot_be_expected_is_refused():
    with pytest.raises(ValueError, match=r"prevalence must be at least 0\.0001"):
        before(prevalence=1e-5, half_width=0.1)
    with pytest.raises(ValueError, match="average_precision must be above the prevalence"):
        before(prevalence=0.4, half_width=0.1)
    for options in ({"correlation": 1, "difference": 0.1}, {"correlation": 0.5, "difference": 0.6}):
        with pytest.raises(ValueError, match="correlation must be below 1, as equal models never"):
            before(**options)
