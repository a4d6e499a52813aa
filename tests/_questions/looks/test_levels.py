"""How sure each look must be: published tables, other integrals, and samples."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    compare_segments,
    look_levels,
    operating_point,
    positives_for,
)

SPENDINGS = ["obrien-fleming", "pocock", "repeated"]
# Jennison and Turnbull (2000), tables 2.1 and 2.2: constants for 1 to 10 looks, and factors of
# plans for powers of .8 and .9.
POCOCK = (1.960, 2.178, 2.289, 2.361, 2.413, 2.453, 2.485, 2.512, 2.535, 2.555)
FACTORS = {2: (1.110, 1.100), 3: (1.166, 1.151), 5: (1.229, 1.207), 10: (1.301, 1.271)}
# Of the program of Lan and DeMets, which integrates on a coarse grid: exact is 3.3570.
OBRIEN_FLEMING = (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)
LAN_DEMETS_POCOCK = (2.4380, 2.4268, 2.4101, 2.3966, 2.3859)


def z_of(levels):
    return norm.isf(levels.pvalues / 2)


def test_pocock_constants_match_the_published_table():
    for n_looks, constant in enumerate(POCOCK, 1):
        z = z_of(look_levels(n_looks, spending="repeated"))
        assert z == pytest.approx(np.full(n_looks, constant), abs=5.1e-4)
    assert z[-1] == pytest.approx(2.5550, abs=5.1e-5)
    assert z_of(look_levels(5, spending="repeated"))[0] == pytest.approx(2.4132, abs=5.1e-5)


def test_lan_demets_limits_of_five_looks_match_the_published_table():
    assert z_of(look_levels(5)) == pytest.approx(OBRIEN_FLEMING, abs=1.2e-4)
    found = z_of(look_levels(5, spending="pocock"))
    assert found == pytest.approx(LAN_DEMETS_POCOCK, abs=2e-4)


def test_inflation_factors_match_the_published_table():
    for n_looks, factors in FACTORS.items():
        levels = look_levels(n_looks, spending="repeated")
        found = [levels.inflation_factor(power) for power in (0.8, 0.9)]
        assert found == pytest.approx(factors, abs=5.1e-4)
        assert f"{levels.inflation_factor():.3f} times" in repr(levels)


def covariance(information):
    """That of z-values at the looks: the root of the smaller information over the larger."""
    t = np.asarray(information, float)
    return np.sqrt(np.minimum.outer(t, t) / np.maximum.outer(t, t))


def first_above(z, information, drift=0.0):
    """How probable it is that each z is the first beyond its boundary, and above it."""
    mean, found = drift * np.sqrt(np.asarray(information) / information[-1]), []
    for n in range(1, len(z) + 1):
        low, high = np.append(-z[: n - 1], z[n - 1]), np.append(z[: n - 1], np.inf)
        given = {"mean": mean[:n], "cov": covariance(information[:n]), "lower_limit": low}
        found.append(multivariate_normal.cdf(high, **given, abseps=1e-6, maxpts=100_000))
    return np.array(found)


@pytest.mark.parametrize("spending", SPENDINGS)
@pytest.mark.parametrize("information", [(1, 2, 3, 4), (7, 8, 100)])
@pytest.mark.parametrize("level", [0.95, 0.6])
def test_error_and_power_match_an_independent_integral(spending, information, level):
    """That of scipy over rectangles (Genz), of looks at unequal distances."""
    given = {"information": information, "confidence_level": level, "spending": spending}
    levels = look_levels(len(information), **given)
    z, alpha = z_of(levels), 1 - level
    assert first_above(z, information).sum() == pytest.approx(alpha / 2, abs=2e-5)
    drift = (norm.isf(alpha / 2) + norm.ppf(0.9)) * levels.inflation_factor(0.9) ** 0.5
    assert first_above(z, information, drift).sum() == pytest.approx(0.9, abs=5e-5)


def test_spent_error_follows_the_spending_functions():
    t = np.array([0.3, 0.65, 1.0])
    for spending, spent in (
        ("obrien-fleming", 4 * norm.sf(norm.isf(0.0125) / np.sqrt(t))),
        ("pocock", 0.05 * np.log(1 + (np.e - 1) * t)),
    ):
        z = z_of(look_levels(3, information=40 * t, spending=spending))
        assert 2 * first_above(z, t).cumsum() == pytest.approx(spent, abs=2e-5)


def test_unlimited_spending_keeps_levels_and_controls_100_looks():
    few, many = (look_levels(n, spending="unlimited") for n in (5, 100))
    assert many.pvalues[:5] == pytest.approx(few.pvalues)
    walks = np.random.default_rng(0).normal(size=(20_000, 100)).cumsum(axis=1)
    z = np.abs(walks / np.sqrt(np.arange(1, 101)))
    assert 0.01 < np.mean((z > z_of(many)).any(axis=1)) < 0.05
    assert look_levels(2_000, spending="unlimited").pvalues.size == 2_000


def test_single_look_has_the_usual_confidence_level():
    for spending in SPENDINGS:
        levels = look_levels(1, spending=spending)
        assert levels.confidence_levels == pytest.approx([0.95])
        assert levels.inflation_factor(0.9, "greater") == pytest.approx(1)


@pytest.mark.parametrize("level", [0.01, 0.5, 1 - 1e-12])
@pytest.mark.parametrize("spending", SPENDINGS)
def test_extreme_confidence_levels_have_a_table_and_inflation_factor(level, spending):
    levels = look_levels(10, confidence_level=level, spending=spending)
    assert "a plan for a power of 80% needs" in repr(levels)
    assert levels.inflation_factor(0.99) > 1


def test_early_levels_do_not_depend_on_times_of_later_looks():
    planned, come = (look_levels(4, information=each) for each in ([1, 2, 3, 4], [1, 2, 2.5, 4]))
    assert come.pvalues[:2] == pytest.approx(planned.pvalues[:2])
    assert come.pvalues[2] < planned.pvalues[2]
    assert come.pvalues[3] != pytest.approx(planned.pvalues[3], abs=1e-4)


def test_early_levels_are_below_1_and_their_pvalues_are_exact():
    levels = look_levels(10)
    first = 4 * norm.sf(norm.isf(0.0125) / np.sqrt(0.1))
    assert levels.pvalues[0] == pytest.approx(first)
    assert 1 - levels.confidence_levels[0] == pytest.approx(first, rel=1e-3)
    levels = look_levels(50)
    assert levels.confidence_levels[0] == np.nextafter(1, 0)
    assert 0 < levels.pvalues[0] < 1e-50
    assert (np.diff(levels.pvalues) > 0).all()


def test_to_frame_has_one_row_per_look():
    levels = look_levels(2, information=[30, 60])
    assert levels.to_frame().to_dict("list") == {
        "look": [1, 2],
        "information": [30, 60],
        "confidence_level": levels.confidence_levels.tolist(),
        "pvalue": levels.pvalues.tolist(),
    }


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_every_function_accepts_the_level_of_an_early_look():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.2).astype(int)
    s = y + rng.normal(size=600)
    models, month = {"a": s, "b": s + rng.normal(size=600)}, np.arange(600) // 200
    for level in look_levels(30).confidence_levels[[0, 3]]:
        sure, usual = {"confidence_level": level}, {"confidence_level": 0.95}
        for options in ({}, {"queries": month}, {"clusters": np.arange(600) // 3}):
            wide, narrow = (
                average_precision_interval(y, s, **each, **options) for each in (sure, usual)
            )
            assert 0 <= wide.low < narrow.low < narrow.high < wide.high <= 1
        wide, narrow = (compare_average_precision(y, models, **each) for each in (sure, usual))
        assert wide.difference_lows[1] < narrow.difference_lows[1]
        assert wide.pvalues[1] == narrow.pvalues[1]
        wide, narrow = (compare_segments(y, s, month, **each) for each in (sure, usual))
        assert (wide.difference_lows < narrow.difference_lows).all()
        wide, narrow = (operating_point(y, s, recall=0.5, **each) for each in (sure, usual))
        assert wide.precision_interval[0] < narrow.precision_interval[0]
        assert "100%" not in repr(average_precision_interval(y, s, **sure))


def test_levels_beyond_the_number_of_draws_are_refused():
    y, s = np.arange(200) % 4 // 3, np.random.default_rng(0).normal(size=(2, 200))
    models = dict(zip("ab", s, strict=True))
    assert best_average_precision(y, models, confidence_level=0.998).confidence_level == 0.998
    level = look_levels(10).confidence_levels[0]
    text = r"confidence_level must be at most 0\.998 here, got 0\.99999"
    with pytest.raises(ValueError, match=text):
        best_average_precision(y, models, confidence_level=level)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"n_looks": 0}, ValueError, "n_looks must be at least 1"),
        ({"n_looks": 101}, ValueError, "n_looks must be at most 100 unless spending is 'unlimi"),
        ({"n_looks": 2.0}, TypeError, "n_looks must be a whole number"),
        ({"n_looks": 3, "information": [1, 2]}, ValueError, "information must hold 3 numbers"),
        ({"n_looks": 3, "information": [1, 3, 2]}, ValueError, "must rise with each look, by 1%"),
        ({"n_looks": 2, "information": [-1, 2]}, ValueError, "must rise with each look"),
        ({"n_looks": 2, "information": [1, np.inf]}, ValueError, "must rise with each look"),
        ({"n_looks": 2, "information": [0, 0]}, ValueError, "must rise with each look"),
        ({"n_looks": 101}, ValueError, "unless spending is 'unlimited'"),
        ({"n_looks": 2, "information": "ab"}, ValueError, "information must be an array"),
        ({"n_looks": 2, "confidence_level": 95}, ValueError, r"within \(0, 1\), got 95"),
        ({"n_looks": 2, "spending": "haybittle"}, ValueError, "spending must be one of"),
    ],
)
def test_wrong_looks_are_refused(given, error, text):
    with pytest.raises(error, match=text):
        look_levels(**given)


def test_wrong_plans_are_refused():
    levels, plan = look_levels(5), {"average_precision": 0.4, "prevalence": 0.2}
    endless = look_levels(5, spending="unlimited")
    difference = plan | {"difference": 0.1, "correlation": 0.7}
    for call, error, text in (
        (lambda: levels.inflation_factor(80), ValueError, r"power must lie within \(0.025, 1\)"),
        (lambda: levels.inflation_factor(0.02), ValueError, "power must lie within"),
        (endless.inflation_factor, ValueError, "must have an end for a plan"),
        (lambda: positives_for(**difference, looks=endless), ValueError, "must have an end"),
        (lambda: positives_for(**difference, looks=5), TypeError, "must be what look_levels gives"),
        (lambda: positives_for(**plan, half_width=0.1, looks=levels), ValueError, "looks go with"),
    ):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_plan_with_looks_is_a_single_look_plan_times_inflation(alternative):
    rng = np.random.default_rng(0)
    y = (rng.random(2_000) < 0.2).astype(int)
    a = 1.5 * y + rng.normal(size=2_000)
    models, clusters = {"a": a, "b": a + 0.5 * rng.normal(size=2_000)}, np.arange(2_000) // 2
    levels = look_levels(4, spending="pocock", confidence_level=0.9)
    factor = levels.inflation_factor(0.7, alternative)
    assert 1.1 < factor < 1.3
    given = {"difference": 0.02, "power": 0.7}
    of_one, of_looks = (
        compare_average_precision(
            y, models, confidence_level=level, alternative=alternative, clusters=clusters
        )
        for level in (0.9, 0.99)  # that of the result does not matter
    )
    for kind in ("positives_for", "clusters_for"):
        plan, plain = getattr(of_looks, kind)(**given, looks=levels), getattr(of_one, kind)(**given)
        assert plan[1] == pytest.approx(factor * plain[1], abs=2)
    wish = given | {"average_precision": 0.5, "prevalence": 0.2, "correlation": 0.8}
    plain = positives_for(**wish, confidence_level=0.9, alternative=alternative)
    plan = positives_for(**wish, alternative=alternative, looks=levels)
    assert plan == pytest.approx(factor * plain, abs=2)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_ten_weekly_looks_keep_their_error_and_coverage():
    """A week has 100 new cases. Plain p-values do not, so that levels are needed."""
    rng, n_samples, sizes = np.random.default_rng(0), 100, range(100, 1_001, 100)
    tests, (level, *_) = look_levels(10), look_levels(10, spending="repeated").confidence_levels
    y = np.repeat([0, 1], [360_000, 40_000])
    truth = average_precision_score(y, 1.6 * y + np.random.default_rng(1).normal(size=y.size))
    pvalues, held = np.empty((n_samples, 10)), np.empty((n_samples, 10), bool)
    for i in range(n_samples):
        y = (rng.random(1_000) < 0.1).astype(int)
        shared, *own = 1.6 * y + rng.normal(size=(3, 1_000)) * np.sqrt([[0.7], [0.3], [0.3]])
        models = {name: shared + each - 1.6 * y for name, each in zip("ab", own, strict=True)}
        for j, n in enumerate(sizes):
            some = {name: score[:n] for name, score in models.items()}
            found = compare_average_precision(y[:n], some, confidence_level=level)
            pvalues[i, j] = found.pvalues[1]
            held[i, j] = found.lows[0] <= truth <= found.highs[0]
    assert np.mean((pvalues < 0.05).any(axis=1)) > 0.1
    assert np.mean((pvalues < tests.pvalues).any(axis=1)) <= 0.08
    assert np.mean(held.all(axis=1)) >= 0.93
