"""How many positives, clusters or queries a study needs."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy.stats import norm, t

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compare_independent,
    compare_segments,
    pilot_comparison,
    pilot_interval,
    rows_to_label,
    sample_size_for_difference,
    sample_size_for_interval,
)
from sklearn_ap._errors import InputTypeError
from sklearn_ap.definitions import AtK
from tests.helpers.first_cases import quick
from tests.helpers.interval_data import drawn

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


def size_for_interval(found, **goal):
    return sample_size_for_interval(found, **goal).number


def size_for_difference(found, **goal):
    return sample_size_for_difference(found, **goal).number


before_two = partial(pilot_comparison, worse=0.4, better=0.4, prevalence=0.1, correlation=0.8)


def half_width(found):
    low = float(found.difference[-1] - found.difference_low[-1])
    high = float(found.difference_high[-1] - found.difference[-1])
    return low if found.alternative == "greater" else max(low, high)


def size_at_half_width(found, half):
    if hasattr(found, "difference"):
        return size_for_difference(found, difference=half, power=0.5)
    return size_for_interval(found, half_width=half)


def five_fold(values, is_name=False):
    step = values.max() + 1 if is_name else 0
    return np.concatenate([values + i * step for i in range(5)])


@pytest.mark.parametrize(("options", "n_units"), UNITS)
def test_the_half_width_of_a_sample_takes_its_own_size(options, n_units):
    found = average_precision_interval(Y, S, zero_division=0.0, **options)
    half = (found.high - found.low) / 2
    assert size_for_interval(found, half_width=half) == pytest.approx(n_units, abs=1)
    sizes = [size_for_interval(found, half_width=share * half) for share in (0.9, 0.5, 0.1)]
    assert n_units < sizes[0] < sizes[1] < 4.1 * n_units
    assert 60 * n_units < sizes[2] < 101 * n_units


def test_rows_are_counted_where_each_is_a_ranking():
    y, s = drawn(N, 3)
    found = average_precision_interval(y, s, average="samples", zero_division=0.0)
    half = (found.high - found.low) / 2
    assert size_for_interval(found, half_width=half) == pytest.approx(N, abs=1)
    found = compared(y, {"A": s[::-1], "B": s}, average="samples")
    assert size_at_half_width(found, half_width(found)) == pytest.approx(N, abs=1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("options", "n_units"), UNITS)
def test_the_half_width_of_a_difference_takes_the_size_of_its_sample(options, n_units, alternative):
    found = compared(Y, {"A": WORSE, "B": S}, alternative=alternative, **options)
    assert size_at_half_width(found, half_width(found)) == pytest.approx(n_units, abs=1)


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
            "difference": float(many.difference[-1] - many.margin.low[-1]) - 0.05,
            "power": 0.5,
        }
        assert size_for_difference(found, **shown) == pytest.approx(5 * n, rel=0.1)
    else:
        size = size_at_half_width(found, half_width(many))
        assert size == pytest.approx(5 * n, rel=0.1)


def test_a_small_sample_needs_the_t_quantile_of_its_own_degrees_of_freedom():
    found = compared(Y, {"A": WORSE, "B": S}, queries=np.arange(N) // 6)
    half = half_width(found) * np.sqrt(100 / 12) * t.isf(0.025, 11) / t.isf(0.025, 99)
    # By the quantile of 100 queries it would be 10.
    assert 12 <= size_at_half_width(found, half) <= 13


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_power_takes_as_many_as_normal_errors_do(alternative, level):
    found = compared(Y, {"A": WORSE, "B": S}, alternative=alternative, confidence_level=level)
    needed, half_as_often = (
        size_for_difference(found, difference=0.005, power=power) for power in (0.8, 0.5)
    )
    error = (1 - level) / (2 if alternative == "two-sided" else 1)
    z = norm.isf([error, 0.2])
    assert needed / half_as_often == pytest.approx((z.sum() / z[0]) ** 2, rel=0.01)
    assert size_for_difference(found, difference=0.005) == needed
    two_sided = compared(Y, {"A": WORSE, "B": S})
    of_level = {"difference": 0.005, "confidence_level": 1 - 2 * error}
    # Hidden rows on the other side may change limits of two sides more.
    assert size_for_difference(two_sided, **of_level) == pytest.approx(needed, rel=1e-3)


def test_a_level_that_is_passed_is_that_of_the_interval():
    found, at_90 = (
        average_precision_interval(Y, S, confidence_level=level) for level in (0.95, 0.9)
    )
    asked = size_for_interval(found, half_width=0.05, confidence_level=0.9)
    assert asked == size_for_interval(at_90, half_width=0.05)
    assert asked < size_for_interval(found, half_width=0.05)


def test_equal_models_are_shown_to_be_not_worse_with_fewer_if_they_are_better():
    found = compared(Y, {"A": WORSE, "B": S}, margin=0.05)
    sizes = [size_for_difference(found, difference=each) for each in (-0.02, 0.0, 0.02)]
    assert sizes[0] > sizes[1] > sizes[2]
    plain = size_for_difference(compared(Y, {"A": WORSE, "B": S}), difference=0.05)
    assert plain < sizes[1]  # it leaves no room for false alarms
    with pytest.raises(ValueError, match=r"difference must lie within \(-0\.05, 0\.95\)"):
        size_for_difference(found, difference=-0.05)


def test_several_differences_are_found_at_once_and_the_reference_needs_no_rows():
    models = {"A": WORSE, "B": S, "C": OTHER}
    sizes = size_for_difference(compared(Y, models, reference="B"), difference=0.02)
    alone = size_for_difference(compared(Y, {"A": WORSE, "B": S}, reference="B"), difference=0.02)
    assert sizes[1] == 0
    assert 1.1 * alone < sizes[0] < 1.4 * alone


@pytest.mark.parametrize("function", [average_precision_interval, compared])
def test_more_rows_do_not_narrow_a_score_of_the_first_ranks(function):
    models = {"A": WORSE, "B": S} if function is compared else S
    with pytest.raises(ValueError, match="about the first 20 ranks, as many as in a larger"):
        size_at_half_width(function(Y, models, definition=AtK(20)), 0.05)


def test_more_rows_narrow_a_score_of_a_share_and_a_mean_over_queries():
    share = average_precision_interval(Y, S, definition=AtK(0.05))
    options = {"queries": np.arange(N) // 20, "zero_division": 0.0}
    over_queries = average_precision_interval(Y, S, definition=AtK(5), **options)
    assert min(size_for_interval(each, half_width=0.05) for each in (share, over_queries)) > 10


def test_each_of_several_scores_has_its_own_size():
    queries = np.arange(N) % 3
    found = average_precision_interval(Y, S, queries=queries, average=None)
    alone = [average_precision_interval(Y[queries == i], S[queries == i]) for i in range(3)]
    sizes = [size_for_interval(each, half_width=0.05) for each in alone]
    assert size_for_interval(found, half_width=0.05).tolist() == sizes


def chosen_labels(n_labels, seed, n_models):
    """The result of few labels of 20,000 rows, chosen by their scores, and its half width."""
    rng = np.random.default_rng(seed)
    truth = rng.random(20_000) < 0.1
    score = 2 * truth + rng.normal(size=truth.size)
    plan = rows_to_label(score, n_labels, rng=seed)
    labels = np.full(truth.size, np.nan)
    labels[plan.rows] = truth[plan.rows]
    given = {"inclusion_probability": plan.inclusion_probability}
    if n_models == 1:
        found = average_precision_interval(labels, score, **given)
        return found, (found.high - found.low) / 2
    found = compared(labels, {"A": score + rng.normal(size=truth.size), "B": score}, **given)
    return found, half_width(found)


@pytest.mark.slow
@pytest.mark.parametrize("n_models", quick([1, 2], 1))
def test_of_few_labels_the_answer_is_the_number_of_labels_that_have_what_was_planned(n_models):
    few, many = ([chosen_labels(n, seed, n_models) for seed in range(8)] for n in (500, 2_000))
    found, own = few[0]
    assert size_at_half_width(found, own) == pytest.approx(500, abs=1)
    target = np.mean([half for _, half in many])
    sizes = [size_at_half_width(found, target) for found, _ in few]
    assert np.median(sizes) == pytest.approx(2_000, rel=0.15)


def test_labelled_queries_are_counted_by_query():
    query = np.arange(N) // 20
    labels = np.where(query % 2, Y, np.nan)
    given = {"queries": query, "zero_division": 0.0, "inclusion_probability": "equal"}
    found = average_precision_interval(labels, S, **given)
    assert size_for_interval(found, half_width=(found.high - found.low) / 2) == 15


def test_a_size_is_a_number_with_its_unit_and_about_so_many_rows():
    found = sample_size_for_interval(average_precision_interval(Y, S), half_width=0.03)
    n_rows = found.number * N / Y.sum()
    assert (int(found), found.unit, found.n_rows) == (found.number, "positive", n_rows)
    assert found.heading == "sample size for half width 0.03, confidence level 0.95"
    assert found.sentences == (
        f"{found.number:,} positives, in about {float(f'{n_rows:.2g}'):,.0f} rows.",
    )
    assert found.to_dict()["half_width"] == 0.03
    queries, labels = np.arange(N) // 20, np.where(np.arange(N) % 2, Y, np.nan)
    for options, y, unit, n_rows in (
        ({"queries": queries}, Y, "query", 20.0),
        ({"clusters": queries}, Y, "cluster", 20.0),
        ({"inclusion_probability": "equal"}, labels, "labelled row", np.nan),
    ):
        interval = average_precision_interval(y, S, zero_division=0.0, **options)
        found = sample_size_for_interval(interval, half_width=0.1)
        assert found.unit == unit
        assert found.n_rows / found.number == pytest.approx(n_rows, nan_ok=True)
        assert found.sentences[0].startswith(f"{found.number:,} ")
    many = compare_average_precision(Y, {"a": S, "b": WORSE, "c": OTHER})
    found = sample_size_for_difference(many, difference=0.1)
    assert (found.names, found.number[0]) == (("a", "b", "c"), 0)
    assert found.sentences == ()
    assert repr(found).splitlines()[1].split() == ["positives", "rows,", "about"]
    assert found.to_frame()["number"].tolist() == found.number.tolist()
    with pytest.raises(InputTypeError, match=r"has 3 numbers.*number.max\(\) is enough for all"):
        int(found)


def test_a_size_has_the_doubts_of_its_pilot():
    pilot = average_precision_interval(Y, S > 1)
    found = sample_size_for_interval(pilot, half_width=0.03)
    assert [doubt.name for doubt in found.doubts] == ["predicted classes"]


def test_a_plan_from_few_positives_is_warned_of():
    found = average_precision_interval(Y[:30], S[:30])
    with pytest.warns(UncertaintyWarning, match="small pilot: The plan rests on few positives"):
        size_for_interval(found, half_width=0.1)


def test_a_plan_from_models_that_hardly_differ_is_warned_of():
    pilot = pilot_comparison(worse=0.4, better=0.4, prevalence=0.1, correlation=1)
    with pytest.warns(UncertaintyWarning, match="few rows on which the models differ"):
        size_for_difference(pilot, difference=0.01)


@pytest.mark.parametrize(("n", "is_warned"), [(240, True), (4000, False)])
def test_a_plan_at_a_prevalence_from_few_negatives_is_warned_of(n, is_warned):
    # 60 ill of 240 people, where 3% will be: 180 negatives stand for 5.6 positives
    rng = np.random.default_rng(3)
    y, noise = np.arange(n) < n / 4, rng.normal(size=(2, n))
    alone = average_precision_interval(y, 2 * y + noise[0], prevalence=0.03)
    pair = compared(y, {"A": y + noise[1], "B": 2 * y + noise[0]}, prevalence=0.03)
    text = "small pilot: The plan rests on few negatives"
    for found in (alone, pair):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            size_at_half_width(found, 0.05)
        assert [str(each.message)[: len(text)] for each in caught] == [text] * is_warned


@pytest.mark.parametrize(("n_clusters", "is_warned"), [(8, True), (60, False)])
def test_a_plan_from_few_clusters_is_warned_of(n_clusters, is_warned):
    cluster = np.arange(N) % n_clusters
    results = [
        average_precision_interval(Y, S, clusters=cluster),
        compared(Y, {"A": WORSE, "B": S}, clusters=cluster),
    ]
    for found in results:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            size_at_half_width(found, 0.05)
        texts = [str(each.message) for each in caught]
        assert (
            any("small pilot: The plan rests on few clusters" in text for text in texts)
            == is_warned
        )


def test_no_size_is_below_ten():
    assert size_for_interval(average_precision_interval(Y, S), half_width=0.45) == 10


# Before any data


def drawn_pair(n, prevalence, shifts, correlation):
    rng = np.random.default_rng(1)
    y = np.arange(n) < prevalence * n
    noise = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n).T
    return y, noise + np.outer(shifts, y)


@pytest.mark.parametrize("correlation", quick([0.3, 0.9], 1))
def test_before_data_a_plan_is_that_from_normal_scores(correlation):
    y, (a, b) = drawn_pair(60_000, 0.1, (1.3, 1.6), correlation)
    score, better = (average_precision_score(y, each) for each in (a, b))
    alone = size_for_interval(average_precision_interval(y, a), half_width=0.03)
    pilot = pilot_interval(average_precision=score, prevalence=0.1)
    assert size_for_interval(pilot, half_width=0.03) == pytest.approx(alone, rel=0.05)
    found, apart = compare_average_precision(y, {"a": a, "b": b}), better - score
    pair = pilot_comparison(worse=score, better=better, prevalence=0.1, correlation=correlation)
    planned = size_for_difference(pair, difference=apart)
    assert planned == pytest.approx(size_for_difference(found, difference=apart), rel=0.15)
    asked = {"power": 0.9, "confidence_level": 0.8}
    needed = size_for_difference(found, difference=apart, **asked)
    planned = size_for_difference(pair, difference=apart, **asked)
    assert planned == pytest.approx(needed, rel=0.1)


def test_before_data_common_positives_take_as_many_as_drawn_ones():
    rng = np.random.default_rng(1)
    y = np.arange(40_000) < 0.9 * 40_000
    found = average_precision_interval(y, rng.normal(size=40_000) + 0.63 * y)
    pilot = pilot_interval(average_precision=found.estimate, prevalence=0.9)
    needed = size_for_interval(pilot, half_width=0.02)
    assert needed == pytest.approx(size_for_interval(found, half_width=0.02), rel=0.1)


# What is refused


def test_a_result_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=r"got float\. See also sample_size_for_difference"):
        size_for_interval(0.4, half_width=0.1)
    with pytest.raises(TypeError, match=r"got Interval\. See also sample_size_for_int"):
        size_for_difference(average_precision_interval(Y, S), difference=0.1)


@pytest.mark.parametrize(
    ("half_width", "text"),
    [
        (2, "half_width must lie within"),
        (1e-6, "Even a sample 1,000,000 times as large is too small"),
    ],
)
def test_a_half_width_out_of_reach_is_refused(half_width, text):
    with pytest.raises(ValueError, match=text):
        size_for_interval(average_precision_interval(Y, S), half_width=half_width)


@pytest.mark.parametrize("n_positives", [0, 1])
def test_a_pilot_of_one_positive_is_refused(n_positives):
    few = average_precision_interval(Y * (Y.cumsum() <= n_positives), S, zero_division=0.0)
    with pytest.raises(ValueError, match="result must have at least two positives, clusters"):
        size_for_interval(few, half_width=0.05)


@pytest.mark.parametrize(
    "make",
    [
        lambda: compare_segments(Y, S, np.arange(N) % 2),
        lambda: compared(Y, {"A": S, "B": WORSE}, reference="best"),
    ],
    ids=["segments", "best"],
)
def test_a_comparison_without_a_reference_is_refused(make):
    with pytest.raises(ValueError, match="a comparison of models on the same rows with refer"):
        size_for_difference(make(), difference=0.05)


def test_intervals_of_papers_are_no_pilot():
    papers = compare_independent((0.3, 0.2, 0.4), (0.5, 0.4, 0.6)).scores
    with pytest.raises(ValueError, match="must be the interval of one sample, or a comparison"):
        size_for_interval(papers, half_width=0.05)


@pytest.mark.parametrize(
    ("pilot", "options", "text"),
    [
        (
            pilot_interval,
            {"average_precision": 0.4, "prevalence": 1e-5},
            r"prevalence must be at least 0\.0001",
        ),
        (
            pilot_interval,
            {"average_precision": 0.4, "prevalence": 0.4},
            "average_precision must be above the prevalence",
        ),
        (
            pilot_interval,
            {"average_precision": np.nextafter(0.4, 1), "prevalence": 0.4},
            "average_precision must be above the prev",
        ),
        (before_two, {"worse": 0.1}, "worse must be above the prevalence"),
        (before_two, {"better": 1.0}, r"better must lie within \(0, 1\), got 1"),
        (before_two, {"worse": 0.5, "better": 0.4}, r"better must be at least 0\.5, as worse is, "),
    ],
)
def test_what_cannot_be_expected_is_refused(pilot, options, text):
    with pytest.raises(ValueError, match=text):
        pilot(**options)


@pytest.mark.slow
@pytest.mark.parametrize("n", quick([20, 50], 1))
def test_a_plan_far_below_its_pilot_leaves_room_for_hidden_rows(n):
    """A sample as small as the plan has a half width like that of the plan."""
    pilot = before_two(worse=0.8, better=0.8)
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], [n, 9 * n])
        common = rng.normal(size=10 * n)
        models = {
            name: 2.9 * y + np.sqrt(0.8) * common + np.sqrt(0.2) * rng.normal(size=10 * n)
            for name in "ab"
        }
        found.append(half_width(compare_average_precision(y, models)))
    planned = size_for_difference(pilot, difference=np.median(found), power=0.5)
    assert planned == pytest.approx(n, rel=0.25)


@pytest.mark.parametrize(
    ("ap", "prevalence"),
    [(0.5, 0.1), pytest.param(0.6, 0.001, marks=pytest.mark.slow), (0.9, 0.5), (0.99, 0.9)],
)
def test_a_pilot_scores_what_is_expected(ap, prevalence):
    """As a population does, not a drawn sample of it."""
    pilot = pilot_interval(average_precision=ap, prevalence=prevalence)
    assert pilot.estimate == pytest.approx(ap, abs=2e-4)
    two = pilot_comparison(worse=ap, better=ap, prevalence=prevalence, correlation=0.5)
    np.testing.assert_allclose(two.estimate, pilot.estimate)
    assert two.difference[1] == 0
