"""How large a sample must be."""

import warnings
from functools import partial

import numpy as np
import pytest
from interval_data import S, Y, drawn, query_data
from scipy.optimize import brentq
from scipy.stats import chi2, nct, norm, t

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
    positives_for,
)
from sklearn_ap._questions.sample_size.pilot import Pilot
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
MANY = 5
KINDS = ["positives", "clusters", "queries", "columns", "prevalence"]
assumed = partial(positives_for, average_precision=0.4, prevalence=0.2, correlation=0.8)


def larger(values, is_name=False):
    step = values.max() + 1 if is_name else 0
    return np.concatenate([values + i * step for i in range(MANY)])


def sampled(kind):
    y, s, groups = query_data(150)  # fewer have their variance from the jackknife
    if kind == "columns":
        y, s = drawn(150, 3)
    options = {"prevalence": 0.1} if kind == "prevalence" else {}
    more = options
    if kind in ("clusters", "queries"):
        options, more = {kind: groups}, {kind: larger(groups, is_name=True)}
    return (y, s, options), (larger(y), larger(s), more)


@pytest.mark.parametrize("ask", ["positives_for", "clusters_for"])
def test_each_ranking_has_its_own_planned_size(ask):
    y, s = drawn(200, 3)
    options = {"average": None, "clusters": np.arange(200) // 4 if ask == "clusters_for" else None}
    each, alone = (
        getattr(compare_average_precision(y, {"a": s, "b": -s}, **options), ask)(0.05)
        for y, s in ((y, s), (y[:, 1], s[:, 1]))
    )
    assert each[1, 1] == alone[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_plan_of_a_difference_has_the_power_of_noncentral_t(kind, alternative):
    _, (y, s, options) = sampled(kind)
    worse = s + 0.5 * np.random.default_rng(0).normal(size=s.shape)
    how = options | {"alternative": alternative, "reference": "worse"}
    found = compare_average_precision(y, {"s": s, "worse": worse}, **how)
    error, n = found.difference_standard_errors[0], found.n_positives
    tail = 0.025 if alternative == "two-sided" else 0.05
    # With so many, little of the variance and of the degrees of freedom is what is added.
    difference, degrees = 3.1 * error, y.shape[0] / 10
    power = nct.sf(t.isf(tail, degrees), degrees, difference / error)
    needed = found.positives_for(difference, power) / found.pilot_factors(power)
    assert needed[1] == 0
    assert needed[0] == pytest.approx(n, rel=0.15)
    if kind in ("clusters", "queries"):
        n_groups = np.unique(options[kind]).size
        of_groups = getattr(found, f"{kind}_for")(difference, power) / found.pilot_factors(power)
        assert of_groups[0] / n_groups == pytest.approx(needed[0] / n, abs=1 / n_groups)


class Planned:
    """A sample of 10 effective positives, so many times as large, with an error that is known."""

    n_effective = np.array([10.0])

    def __init__(self, degrees, times=1.0):
        self.degrees, self.size = degrees, times

    def enlarge(self, factor):
        return Planned(self.degrees, factor)

    def uncertainty(self):
        error = 0.1 / np.sqrt(np.atleast_1d(self.size))
        return Uncertainty(error, 1.2 * error**2, self.degrees * np.sqrt(self.size))


@pytest.mark.parametrize("degrees", [0.2, 3.0, 50.0])
@pytest.mark.parametrize("difference_factor", [1.0, 1.7])
@pytest.mark.parametrize(("alternative", "tail"), [("two-sided", 0.05), ("greater", 0.1)])
def test_a_plan_solves_the_formula_of_power(degrees, difference_factor, alternative, tail):
    """The normal approximation of the noncentral t, where a test divides by too large an error."""

    def power(times):
        of_t, error = max(degrees * times**0.5, 1), (0.01 * difference_factor / times) ** 0.5
        critical = t.isf(tail, of_t) * 1.2**0.5
        distance = 0.03 / error - critical * (1 - 1 / (4 * of_t))
        return norm.cdf(distance / (1 + critical**2 / (2 * of_t)) ** 0.5)

    options = Options(0.9, 0, alternative, difference_factor=difference_factor)
    sample = Planned(degrees)
    for wish in (0.3, 0.8, 0.95):
        (found,) = Pilot((sample,), options, None, None).times_for_power(0.03, wish)
        assert found == pytest.approx(brentq(lambda n, p=wish: power(n) - p, 0.3, 1e6))


@pytest.mark.parametrize("times", [1, 4])
def test_plan_includes_hidden_variance_and_few_degrees_of_freedom(times):
    """The models differ in a few rows. Two limits show the degrees of freedom and the variance."""
    y, a = drawn()
    scores = {"a": a, "b": a + 2 * (np.arange(200) < 2)}
    found = [compare_average_precision(y, scores, confidence_level=p) for p in (0.95, 0.5)]
    wide, narrow = (each.difference_highs[1] - each.differences[1] for each in found)
    degrees = brentq(lambda n: t.ppf(0.975, n) / t.ppf(0.75, n) - wide / narrow, 1.1, 1e4)
    n, error = found[0].n_positives, found[0].difference_standard_errors[1]
    # Four degrees are those of the prior. Of the others, two are there if one row decides.
    larger = 4 + 2 + times * (degrees - 6)
    shown = error**2 / times * (n - 1) / (n - 1 / times)
    relative = np.sqrt(1 + 4 / larger / (times * n) ** 2 / shown)  # the hidden variance
    critical, difference = t.ppf(0.975, larger) * relative, 3 * relative * np.sqrt(shown)
    distance = 3 * relative - critical * (1 - 1 / (4 * larger))
    power = norm.cdf(distance / np.sqrt(1 + critical**2 / (2 * larger)))
    factor = found[0].pilot_factors(power)[1]
    assert found[0].positives_for(difference, power)[1] / factor == pytest.approx(times * n, abs=1)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_a_plan_from_a_pilot_has_the_power_on_average(power, alternative):
    """Over what pilots may show of the variance, by another integral."""
    y, s = drawn()
    scores = {"a": s, "b": s + np.random.default_rng(1).normal(size=y.size)}
    found = compare_average_precision(y, scores, alternative=alternative)
    p95, p50 = (compare_average_precision(y, scores, confidence_level=p) for p in (0.95, 0.5))
    wide, narrow = (each.difference_highs[1] - each.differences[1] for each in (p95, p50))
    degrees = brentq(lambda n: t.ppf(0.975, n) / t.ppf(0.75, n) - wide / narrow, 1.1, 1e4)
    factor = found.pilot_factors(power)[1] / (1 + 2.5 / found.n_positives)
    z = norm.isf(0.025 if alternative == "two-sided" else 0.05)
    shown = chi2(degrees).rvs(400_000, random_state=0) / degrees
    reached = norm.cdf((z + norm.ppf(power)) * np.sqrt(factor * shown) - z).mean()
    assert reached == pytest.approx(power, abs=2e-3)
    assert found.pilot_factors(power)[0] == 1
    assert factor >= 1


@pytest.mark.parametrize(("sizes", "is_warned"), [([1, 1, 60], True), ([10, 15, 20], False)])
def test_a_plan_with_very_unequal_clusters_warns(sizes, is_warned):
    clusters = np.repeat(np.arange(60), np.tile(sizes, 20))
    rng = np.random.default_rng(0)
    y = (rng.random(clusters.size) < 0.3).astype(int)
    s = y + rng.normal(size=y.size)
    found = compare_average_precision(y, {"a": s, "b": rng.normal(size=y.size)}, clusters=clusters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found.clusters_for(0.1)
        found.clusters_for(0.005)  # many show their variance
    # The effective number of clusters is (sum of sizes)^2 / sum of squares: 0.36 or 0.93 of 60.
    assert [warning.message.name for warning in caught] == ["unequal clusters"] * is_warned


def test_plan_without_data_agrees_with_normal_scores():
    rng = np.random.default_rng(0)
    y = (np.arange(20_000) < 1_000).astype(int)
    common = rng.normal(size=y.size)
    scores = {
        name: 1.5 * y + (0.8**0.5) * common + (0.2**0.5) * rng.normal(size=y.size) for name in "ab"
    }
    interval = average_precision_interval(y, scores["a"])
    pilot = compare_average_precision(y, scores)
    assumed = {"average_precision": interval.estimate, "prevalence": 0.05}
    assumed["correlation"] = np.corrcoef(scores["a"][1_000:], scores["b"][1_000:])[0, 1]
    for wish in ({"difference": 0.1}, {"difference": 0.02, "power": 0.9}):
        expected = pilot.positives_for(**wish)[1]
        assert positives_for(**assumed, **wish) == pytest.approx(expected, rel=0.1)


def test_invalid_plans_are_refused():
    two = compare_average_precision(Y, {"a": S, "b": -S})
    alike = compare_average_precision(Y, {"a": S, "b": S})
    for ask, wish, text in (
        (alike.positives_for, {"difference": 0.1}, "shows some"),
        (two.positives_for, {"difference": 1}, "difference must lie within"),
        (two.positives_for, {"difference": 0.02, "power": 80}, "power must lie within"),
        (two.positives_for, {"difference": 0.02, "power": 0.02}, "power must be above 0.025"),
        (two.positives_for, {"difference": 1e-200}, "difference=1e-200 would need an infinitely"),
        (two.clusters_for, {"difference": 0.02}, "clusters_for needs a result over clusters"),
        (two.queries_for, {"difference": 0.02}, "queries_for needs a result over queries"),
        (assumed, {"average_precision": 0.1, "difference": 0.1}, "above the prevalence"),
        (assumed, {"difference": 0.1, "correlation": 1}, "must be below 1"),
        (assumed, {"difference": 0.6}, r"difference may be at most 0\.6, got 0\.6"),
    ):
        with pytest.raises(ValueError, match=text):
            ask(**wish)
