"""Intervals of one score equal their equations, computed slowly by ``engine_reference``."""

import numpy as np
import pytest

from sklearn_ap import (
    Interval,
    average_precision_interval,
    average_precision_score,
    threshold_counts,
)
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty import _half_samples, means
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    ReciprocalRank,
    Step,
)
from tests.helpers import engine_reference as reference
from tests.helpers.first_cases import first, quick, seeds

REFERENCE = {("step",): Step(), ("interpolated",): Interpolated()}
SMOOTH = [Step(), Interpolated(), Interpolated(11), Linear(), Hyperbolic(), Expected()]
EVERY = [*SMOOTH, AtK(3), PrecisionAtK(3), RecallAtK(3), PrecisionAtRecall(0.5)]
LEVELS = [0.8, 0.9, 0.95, 0.99]


def estimate(y, score, definition=Step(), **options):
    request = Request(y_true=y, y_score=score, **options)
    rankings = check_rankings(request, all_items=True)
    return models_of_rows(definition, request, [rankings]).estimate


def interval(y, score, level=0.95, **options):
    found = estimate(y, score, **options).limits(level)
    return found.low, found.high


def draw(seed, n_rows=20, n_columns=None):
    """Draw labels of both classes, scores with ties of which some are minus infinity, and more."""
    rng = np.random.default_rng(seed)
    shape = n_rows if n_columns is None else (n_rows, n_columns)
    y = (rng.random(shape) < rng.choice([0.2, 0.5])).astype(int)
    y[:2] = 1
    y[2:4] = 0
    score = rng.normal(size=shape) + rng.choice([0, 1, 3]) * y
    score = np.round(score, rng.choice([0, 1, 9]))
    if seed % 4 == 1:
        score[rng.random(shape) < 0.2] = -np.inf
    weight = rng.lognormal(sigma=1.0, size=n_rows)
    clusters = rng.choice(list("abcdefgh"), n_rows)
    return rng, y, score, weight, clusters


def check(found, expected, level, place=0):
    """Compare all numbers of an estimate, and its limits."""
    assert found.value[place] == pytest.approx(expected.value, abs=1e-10)
    assert found.variance[place] == pytest.approx(expected.variance, abs=1e-10)
    assert found.n_effective[place] == pytest.approx(expected.n, rel=1e-10)
    if expected.variance > 1e-18:
        assert found.degrees[place] == pytest.approx(expected.degrees, rel=1e-8)
    limits = found.limits(level)
    assert (limits.low[place], limits.high[place]) == pytest.approx(
        expected.limits(level), abs=1e-9
    )


@pytest.mark.parametrize("kind", reference.ROWS)
@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_one_ranking(seed, name, kind):
    _, y, score, weight, clusters = draw(seed)
    options = reference.ROWS[kind](weight, clusters)
    rows = reference.rows_of(y, score, options)
    found = estimate(y, score, REFERENCE[name], **options)
    check(found, reference.one_ranking(name, rows), LEVELS[seed % 4])
    if "clusters" in options:
        sizes = reference.sizes(rows, ~rows.y)
        assert found.n_negatives[0] == pytest.approx(reference.kish(sizes.values()))


@pytest.mark.parametrize("seed", seeds(8, 1))
def test_positives_that_were_never_scored_are_units(seed):
    _, y, score, weight, clusters = draw(seed)
    rows = reference.Rows(y, score, n_unscored=3)
    found = estimate(y, score, n_positives=y.sum() + 3)
    check(found, reference.one_ranking(("step",), rows), 0.95)
    hits = weight[y == 1]
    missing = 2.6 * (hits**2).sum() / hits.sum()
    rows = reference.Rows(y, score, weight, clusters, missing)
    n_positives = hits.sum() + missing
    found = estimate(y, score, sample_weight=weight, clusters=clusters, n_positives=n_positives)
    check(found, reference.one_ranking(("step",), rows), 0.95)


def test_levels_have_the_variance_of_all_recalls():
    _, y, score, *_ = draw(3, 40)
    of_levels, of_all = (estimate(y, score, each) for each in (Interpolated(11), Interpolated()))
    assert of_levels.value != of_all.value
    shift = (of_levels.value - of_all.value)[0]  # the influence of all positives has it
    assert of_levels.variance == pytest.approx(of_all.variance, abs=3 * abs(shift) / y.sum())


def test_ties_of_the_expected_score_have_the_slopes_of_the_hyperbola():
    """Where blocks are large, the expected score is the hyperbola."""
    y = np.tile(np.repeat([1, 0], [20, 80]), 3)
    score = np.repeat([3, 2, 1], 100)
    y[:40] = 1
    expected, hyperbolic = (estimate(y, score, each) for each in (Expected(), Hyperbolic()))
    assert expected.variance == pytest.approx(hyperbolic.variance, rel=0.05)
    untied = np.arange(300)
    of_expected = interval(y, untied, definition=Expected())
    assert np.ravel(of_expected) == pytest.approx(np.ravel(interval(y, untied)), abs=1e-10)


@pytest.mark.parametrize("kind", ["rows", "weights", "weighted", "never scored", "gaps"])
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_means_over_columns(seed, kind):
    rng, y, score, weight, _ = draw(seed, n_columns=3)
    options, n_unscored, shares = {}, [0, 0, 0], np.full(3, 1 / 3)
    is_known = np.ones(y.shape, bool)
    if kind == "weights":
        options = {"sample_weight": weight}
    if kind == "weighted":
        options, shares = {"average": "weighted"}, y.sum(axis=0) / y.sum()
    if kind == "never scored":
        n_unscored = [2, 0, 1]
        options = {"n_positives": y.sum(axis=0) + n_unscored}
    if kind == "gaps":
        is_known[5:] = rng.random((15, 3)) < 0.8
        y = np.where(is_known, y, np.nan)
    columns = [
        reference.Rows(y[k, j], score[k, j], weight[k], np.flatnonzero(k), n_unscored[j])
        if kind == "weights"
        else reference.Rows(y[k, j], score[k, j], None, np.flatnonzero(k), n_unscored[j])
        for j, k in enumerate(is_known.T)
    ]
    expected = reference.mean_of_columns(("step",), columns, shares, are_sampled=kind == "weighted")
    found = estimate(y, score, **options)
    check(found, expected, LEVELS[seed % 4])
    assert found.bias == pytest.approx(expected.bias, abs=1e-12)


def test_columns_without_a_value_or_without_influence():
    y = np.repeat([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]], [3, 3, 3, 11], axis=0)
    score = y + np.linspace(0, 0.5, 20)[:, None]  # perfect
    score[-1, 1] = 9
    columns = [reference.Rows(y[:, j], score[:, j]) for j in range(2)]
    found = estimate(y, score, zero_division=np.nan)
    check(found, reference.mean_of_columns(("step",), columns, np.full(2, 0.5)), 0.95)
    found = estimate(y, score, zero_division=0.0)  # the third adds its 0 to the mean alone
    assert found.value == pytest.approx(average_precision_score(y, score, zero_division=0.0))
    check(found, reference.mean_of_columns(("step",), columns, np.full(2, 1 / 3)), 0.95)


@pytest.mark.parametrize("definition", [Step(), PrecisionAtK(2)])
@pytest.mark.parametrize("average", ["macro", None])
def test_rankings_without_positives_have_the_value_of_the_score_and_no_limits(definition, average):
    y, score = np.array([[1, 0], [0, 0], [1, 0]]), np.array([[3, 3], [2, 2], [1, 1.0]])
    options = {"zero_division": 1.0, "average": average}
    found = estimate(y, score, definition, **options)
    value = average_precision_score(y, score, definition=definition, **options)
    assert found.value == pytest.approx(np.ravel(value))
    low, _ = found.limits(0.9)
    assert np.isnan(low).tolist() == ([False] if average else [False, True])


@pytest.mark.parametrize("n_more", [0, 1, 2, 5])
def test_a_positive_alone_at_the_top_has_the_middle_as_its_precision(n_more):
    """Equation 12 compares it with 1 and with the share of positives at the next score."""
    y = np.array([1, 0, 1, 1, 0, 1, 0, 0])
    score = np.array([9, 7, 5, 5, 5, 3, 2, 1.0])
    score[1:] += 2.0 * (np.arange(1, 8) < n_more)
    if n_more == 5:
        score[1:5] = 8
    tables = np.column_stack((y, y)), np.column_stack((score, score))
    expected = reference.own_row_bias(reference.Rows(y, score))
    assert estimate(*tables).bias == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("users", [None, 5])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("seed", seeds(4, 2))
def test_means_over_queries(seed, average, users):
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(12), rng.integers(2, 9, 12))
    y = (rng.random(queries.size) < 0.4).astype(int)
    y[queries == 0] = 0
    score = np.round(rng.normal(size=y.size), 1)
    names = np.arange(12) if users is None else np.arange(12) % users
    options = {} if users is None else {"clusters": names[queries]}
    for filled in (0.0, np.nan):
        values, shares = [], []
        for query in range(12):
            own = queries == query
            rows = reference.Rows(y[own], score[own])
            has_value = y[own].any()
            values.append(reference.value(("step",), rows).real if has_value else filled)
            shares.append(y[own].sum() if average == "weighted" else 1.0)
        values, shares = np.array(values), np.array(shares, float)
        kept = ~np.isnan(values) & (shares > 0)
        shares = shares[kept] / shares[kept].sum()
        mean, *limits = reference.limits_over_queries(values[kept], shares, names[kept], 0.9)
        options |= {"queries": queries, "average": average, "zero_division": filled}
        assert estimate(y, score, **options).value == pytest.approx(mean)
        found = np.ravel(interval(y, score, 0.9, **options))
        assert found == pytest.approx(limits, abs=1e-10)


@pytest.mark.parametrize("kind", quick(["clusters", "rows", "weights"], 1))
@pytest.mark.parametrize("seed", first([0, 2, 5], 1))
def test_scores_at_k_have_the_variance_of_all_halves(monkeypatch, seed, kind):
    monkeypatch.setattr(_half_samples, "FEWEST_PAIRS", 100_000)
    _, y, score, weight, clusters = draw(seed, 11)
    options = reference.ROWS[kind](weight, clusters)
    rows = reference.rows_of(y, score, options)
    name = ("at k", 3)
    squares, _ = reference.half_samples(name, [rows], np.ones(1))
    found = estimate(y, score, AtK(3), **options)
    step = reference.one_ranking(("step",), rows)
    assert found.n_effective[0] == pytest.approx(step.n)
    assert found.degrees[0] == pytest.approx(step.degrees, rel=1e-8)
    assert found.variance[0] == pytest.approx(reference.factor(step.n) * squares, rel=0.06)


def test_queries_without_a_value_have_no_limits():
    options = {"queries": np.arange(20) // 10, "prevalence": 0.1, "zero_division": np.nan}
    found = estimate(np.ones(20, int), np.arange(20), **options)
    assert np.isnan([found.value, *found.limits(0.95)]).all()


@pytest.mark.parametrize("definition", [Step(), Interpolated()])
@pytest.mark.parametrize("seed", first([0, 2], 1))
def test_means_over_columns_have_the_bias_of_all_halves(monkeypatch, seed, definition):
    monkeypatch.setattr(means, "N_PAIRS_OF_BIAS", 20_000)
    _, y, score, _, clusters = draw(seed, 20, 2)
    name = ("step",) if definition == Step() else ("interpolated",)
    columns = [reference.Rows(y[:, j], score[:, j], unit=clusters) for j in range(2)]
    _, excess = reference.half_samples(name, columns, np.full(2, 0.5))
    rate = 1 if definition == Step() else 2 / 3
    found = estimate(y, score, definition, clusters=clusters)
    assert found.bias == pytest.approx(excess / (2**rate - 1), rel=0.05, abs=1e-4)
    assert found.bias_error == found.bias


@pytest.mark.slow
def test_halves_without_a_column_do_not_change_the_bias_of_the_others(monkeypatch):
    """A half lacks the one positive of a column, whose score is above those of the others."""
    monkeypatch.setattr(means, "N_PAIRS_OF_BIAS", 20_000)
    _, y, score, _, clusters = draw(0, 20, 2)
    single = np.arange(20) == 7
    y, score = np.column_stack([y, single]), np.column_stack([score, single])
    two = estimate(y[:, :2], score[:, :2], clusters=clusters)
    three = estimate(y, score, clusters=clusters)
    assert three.value > two.value
    assert three.bias == pytest.approx(two.bias * 2 / 3, rel=0.05)


@pytest.mark.parametrize("of_clusters", quick([True, False], 1))
def test_means_of_scores_at_k_have_the_variance_of_all_halves(monkeypatch, of_clusters):
    monkeypatch.setattr(_half_samples, "FEWEST_PAIRS", 20_000)
    _, y, score, _, clusters = draw(3, 12, 2)
    unit = clusters if of_clusters else np.arange(12)
    columns = [reference.Rows(y[:, j], score[:, j], unit=unit) for j in range(2)]
    shares = np.full(2, 0.5)
    squares, excess = reference.half_samples(("at k", 3), columns, shares)
    found = estimate(y, score, AtK(3), **({"clusters": clusters} if of_clusters else {}))
    n = found.n_effective[0]
    assert found.variance[0] == pytest.approx(reference.factor(n) * squares, rel=0.05)
    assert found.bias == pytest.approx(excess, rel=0.1, abs=1e-3)


@pytest.mark.parametrize("kind", ["weights", "images"])
def test_no_order_of_positives_at_minus_infinity_matters(kind):
    rng = np.random.default_rng(0)
    y, score = np.ones(20, int), np.r_[rng.normal(size=10), np.full(10, -np.inf)]
    y[:5] = 0
    clusters = np.r_[np.arange(10), np.arange(10) // 3 + 10]
    options = {"sample_weight": rng.uniform(1, 2, 20)} if kind == "weights" else {}
    options |= {"clusters": clusters} if kind == "images" else {}
    order = rng.permutation(20)
    others = {name: each[order] for name, each in options.items()}
    first = interval(y, score, definition=RecallAtK(3), **options)
    second = interval(y[order], score[order], definition=RecallAtK(3), **others)
    assert np.ravel(first) == pytest.approx(np.ravel(second), abs=1e-10)


def test_a_share_of_ranks_leaves_hidden_positives_as_much_room_as_their_number():
    y_true, y_score = np.r_[np.zeros(5), np.ones(10), np.zeros(85)], -np.arange(100.0)
    for share, number in ((AtK(0.2), AtK(20)), (Expected(0.2), Expected(20))):
        one, other = (
            average_precision_interval(y_true, y_score, definition=each) for each in (share, number)
        )
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (other.estimate, other.low, other.high)
        )


@pytest.mark.slow
def test_each_column_has_the_limits_that_it_has_alone():
    _, y, score, weight, clusters = draw(4, 40, 3)
    for definition in SMOOTH:
        for options in (
            {},
            {"clusters": clusters},
            {"sample_weight": weight},
            {"prevalence": 1e-30},
        ):
            if isinstance(definition, Expected) and not options.keys() <= {"clusters"}:
                continue
            low, high = interval(y, score, definition=definition, average=None, **options)
            for j in range(3):
                alone = interval(y[:, j], score[:, j], definition=definition, **options)
                assert (low[j], high[j]) == pytest.approx(np.ravel(alone), abs=1e-10)


def test_weights_of_any_magnitude_give_the_same_limits():
    _, y, score, weight, clusters = draw(4)
    first = interval(y, score, sample_weight=weight, clusters=clusters)
    for scale in (1e-90, 1e90):
        other = interval(y, score, sample_weight=scale * weight, clusters=clusters)
        assert np.ravel(first) == pytest.approx(np.ravel(other), abs=1e-9)


def test_more_positives_than_have_a_square_in_integers_have_limits():
    y, score = np.arange(30) % 2, np.arange(30) % 7
    few, many = (np.array(interval(y, score, n_positives=n)) * n for n in (10**8, 10**15))
    assert few == pytest.approx(many, rel=1e-6)


def test_weights_that_are_far_apart_have_limits():
    y = (np.arange(30) % 3 == 0).astype(int)
    score = np.arange(30) % 7
    for of_positives, of_negatives in ((1e-95, 1.0), (1.0, 1e-95), (1e-90, 1e95)):
        weight = np.where(y, of_positives, of_negatives)
        for n_positives in (None, 15 * of_positives):
            found = interval(y, score, sample_weight=weight, n_positives=n_positives)
            assert (np.ravel(found) >= 0).all()
    found = interval(y, score, sample_weight=np.where(y, 1.0, 1e-100), prevalence=1e-9)
    assert (np.ravel(found) >= 0).all()
    is_last = np.arange(30) == 29  # a negative
    weight = np.where(is_last, 1e98, 1.0)
    found = interval(y, score - 9 * is_last, definition=AtK(0.2), sample_weight=weight)
    assert (np.ravel(found) >= 0).all()
    huge = np.where(y, 5e99, 8e99)
    level = 1 - 1e-15  # at which many rows may be hidden
    limits = interval(y, score, level, sample_weight=huge)
    assert np.ravel(limits) == pytest.approx([0.0, 1.0], abs=1e-4)


def test_limits_hold_the_score_where_the_bias_is_larger_than_their_distance():
    rng = np.random.default_rng(1)
    y = (rng.random((12, 20)) < 0.2).astype(int)
    y[0] = 1
    found = estimate(y, rng.normal(size=y.shape) + y)
    low, high = found.limits(0.5)
    assert low < found.value == high


@pytest.mark.parametrize("definition", EVERY)
def test_limits_are_nested(definition):
    _, y, score, *_ = draw(5, 60)
    found = estimate(y, score, definition)
    limits = [found.limits(level) for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)]
    low, high = (np.array([getattr(each, name)[0] for each in limits]) for name in ("low", "high"))
    assert (np.diff(low) <= 0).all()
    assert (np.diff(high) >= 0).all()
    assert low[0] > low[1] > low[2]


@pytest.mark.parametrize(
    ("definition", "weight"),
    [(RecallAtK(0.3), None), (AtK(0.3, "positives"), None), (RecallAtK(3), [2.0] * 10)],
)
def test_limits_at_k_are_nested_where_hidden_rows_fill_the_ranks(definition, weight):
    found = estimate([0] * 6 + [1] * 4, -np.arange(10.0), definition, sample_weight=weight)
    high = [found.limits(level).high[0] for level in (0.7, 0.8, 0.9, 0.95, 0.96, 0.99)]
    assert (np.diff(high) >= 0).all()


@pytest.mark.parametrize("labels", [[0, 1, 2, 0, 1, 1, 1, 1, 0, 1], [0, 1, 2, 3] + [1] * 6])
@pytest.mark.parametrize("definition", [Linear(), Step()])
def test_limits_of_classes_that_exclude_each_other_are_nested(labels, definition):
    for score in np.zeros((10, max(labels) + 1)), -np.eye(max(labels) + 1)[labels]:
        found = estimate(labels, score, definition)
        low, high = np.transpose([found.limits(n)[:2] for n in (0.5, 0.8, 0.95, 0.99)])[0]
        assert (np.diff(low) <= 0).all()
        assert (np.diff(high) >= 0).all()


def places(n_rows, *ranks):
    y = np.zeros(n_rows, int)
    y[np.subtract(ranks, 1)] = 1
    return y, -np.arange(n_rows, dtype=float)


EDGES = {  # the table of docs/methods.md: value, low, high, standard error
    "perfect, 10 of 20": (*places(20, *range(1, 11)), {}, 1, 0.563, 1, 0),
    "perfect, 1,000 of 10,000": (*places(10_000, *range(1, 1001)), {}, 1, 0.983, 1, 0),
    "perfect, clusters of 5": (
        *places(200, *range(1, 21)),
        {"clusters": np.arange(200) // 5},
        1,
        0.298,
        1,
        0,
    ),
    "worst, 10 of 20": (*places(20, *range(11, 21)), {}, 0.331, 0.140, 0.686, 0.097),
    "worst, 100 of 1,000": (*places(1000, *range(901, 1001)), {}, 0.052, 0.043, 0.085, 0.005),
    "all tied": (np.repeat([1, 0], 10), np.zeros(20), {}, 0.5, 0.231, 0.799, 0.118),
    "one positive": (*places(20, 3), {}, 0.333, 0, 1, np.nan),
    "one cluster": (*places(20, 1, 4), {"clusters": np.zeros(20, int)}, 0.75, 0, 1, np.nan),
    "two positives on top": (*places(100, 1, 2), {}, 1, 0.175, 1, 0),
    "positives at ranks 1 and 5": (*places(100, 1, 5), {}, 0.7, 0, 1, 0.338),
    "four positives": (*places(100, 1, 5, 20, 60), {}, 0.404, 0, 1, 0.258),
    "no negatives": (np.ones(10, int), -np.arange(10.0), {}, 1, 0.563, 1, 0),
    "none of 20 retrieved": (np.ones(20, int), np.full(20, -np.inf), {}, 0, 0, 0.139, 0),
    "20 queries of 0.5": (
        np.tile([0, 1], 20),
        np.tile([1, 0], 20),
        {"queries": np.repeat(np.arange(20), 2)},
        0.5,
        0.430,
        0.570,
        0,
    ),
    "one query": (*places(5, 2), {"queries": np.zeros(5, int)}, 0.5, 0, 1, np.nan),
    "two equal columns, perfect": (
        np.repeat([[1, 1], [0, 0]], 10, axis=0),
        -np.column_stack((np.arange(20), np.arange(20))),
        {},
        1,
        0.563,
        1,
        0,
    ),
}


@pytest.mark.parametrize("case", EDGES)
def test_edge_cases(case):
    y, score, options, value, low, high, error = EDGES[case]
    found = estimate(y, score, **options)
    limits = found.limits(0.95)
    numbers = found.value[0], limits.low[0], limits.high[0], found.standard_error[0]
    assert numbers == pytest.approx((value, low, high, error), abs=5e-4, nan_ok=True)


@pytest.mark.parametrize("definition", [RecallAtPrecision(0.5), ReciprocalRank()])
def test_a_score_that_hangs_on_one_row_has_an_interval_over_queries_alone(definition):
    _, y, score, *_ = draw(0)
    with pytest.raises(ValueError, match="hangs on a single row"):
        estimate(y, score, definition)
    low, high = interval(
        y, score, definition=definition, queries=np.arange(20) // 4, zero_division=0
    )
    assert 0 <= low < high <= 1


def test_weighted_counts_are_refused():
    _, y, score, weight, _ = draw(0)
    with pytest.raises(ValueError, match=r"takes unweighted counts.*Draw 10,000 rows"):
        Interval.from_counts(threshold_counts(y, score, sample_weight=weight))


@pytest.mark.parametrize("options", [{"sample_weight": np.full(60, 2.0)}, {"clusters": range(60)}])
def test_columns_have_the_half_samples_of_their_rows(options):
    """Weights that are all alike, and a cluster for each row, change nothing."""
    rng = np.random.default_rng(0)
    y, score = rng.random((60, 3)) < 0.3, rng.normal(size=(60, 3))
    definition = PrecisionAtRecall(0.5)
    found = estimate(y, score, definition, average=None, **options)
    expected = estimate(y, score, definition, average=None)
    assert found.variance.tolist() == pytest.approx(expected.variance.tolist(), rel=1e-12)
