"""How many labels an interval of some width needs."""

import pickle
import re

import numpy as np
import pytest
from scipy import optimize, stats

from sklearn_ap import average_precision_interval, compare_average_precision, rows_to_label

N = 4000


def sample(seed=0, share=0.2, n_rows=N, shift=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < share
    judge = np.where(rng.random(n_rows) < 0.9, truth, ~truth) * 1.0
    return rng, truth, shift * truth + rng.normal(size=n_rows), judge


def interval(rng, truth, score, chance, **options):
    seen = np.where(rng.random(truth.size) < chance, truth, np.nan)
    return average_precision_interval(seen, score, inclusion_probability=chance, **options)


def half(found):
    return (found.high - found.low) / 2


@pytest.mark.parametrize("design", ["random", "judge", "plan", "alarms", "clusters", "queries"])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_labels_for_the_current_half_width_equal_current_labels(design):
    rng, truth, score, judge = sample()
    unit, options, chance = np.arange(N) // 20, {}, np.full(N, 0.1)
    if design == "plan":
        chance = rows_to_label(score, 300).inclusion_probability
    elif design == "alarms":
        chance = np.where(score > 2, 1.0, 0.05)
    seen = np.where(rng.random(N) < chance, truth, np.nan)
    if design in ("clusters", "queries"):
        options, chance = {design: unit, "zero_division": 0.0}, "equal"
        seen = np.where(np.isin(unit, rng.choice(200, 40, replace=False)), truth, np.nan)
    options |= {"judge": judge} if design == "judge" else {}
    found = average_precision_interval(seen, score, inclusion_probability=chance, **options)
    n_now = 40 if options.get(design) is unit else np.sum(~np.isnan(seen) & (score <= 2))
    if design not in ("alarms", "clusters", "queries"):
        n_now = found.labels.n_labelled
    assert found.labels_for(half(found)) == pytest.approx(n_now, abs=1)
    assert found.labels_for(0.6 * half(found)) > 1.5 * n_now
    again = pickle.loads(pickle.dumps(found))
    assert again.labels_for(0.06) == found.labels_for(0.06)


def half_of_queries(g, left, estimate, chance, times):
    """Wilson's limits of a mean over so many times the queries, from the textbook."""
    chance_then, n = times * chance, times * g.size
    rest = chance * (1 - chance_then) / chance_then * left**2 + chance * g**2
    variance = rest.sum() / g.size / (g.size - 1 / times)
    part = variance / (np.sum(g**2 / times) / g.size / (g.size - 1 / times))
    t, m = stats.t.ppf(0.975, n - 1), estimate * (1 - estimate) / variance
    middle = (estimate + t**2 / 2 / m) / (1 + t**2 / m)
    root = t / (1 + t**2 / m) * np.sqrt(variance + (t / 2 / m) ** 2)
    hidden = 1 - 0.05 ** (part / n)
    low = min(middle - root, estimate * (1 - hidden))
    return (max(middle + root, estimate * (1 - hidden) + hidden) - low) / 2


def test_planned_queries_follow_the_documented_formula():
    rng, truth, score, judge = sample()
    query, chance = np.arange(N) // 20, 0.1
    truth[::20] = judge[::20] = True
    seen = np.isin(query, rng.choice(200, 20, replace=False))
    options = {"queries": query, "judge": judge, "inclusion_probability": "equal"}
    found = average_precision_interval(np.where(seen, truth, np.nan), score, **options)

    def of_query(label, i):
        order = np.argsort(-score[query == i])
        hits = label[query == i][order]
        return np.sum(hits * np.cumsum(hits) / np.arange(1, 21)) / hits.sum()

    pairs = [(of_query(truth, i), of_query(judge, i)) for i in np.unique(query[seen])]
    g, h = np.transpose(pairs) - np.mean(pairs, axis=0)[:, None]
    left = g - found.labels.judge_regression_weight * h
    asked = g, left, found.estimate, chance
    assert half_of_queries(*asked, 1.0) == pytest.approx(half(found), rel=1e-6)
    for half_width in (0.09, 0.05, 0.03):
        times = optimize.brentq(lambda t, w=half_width: half_of_queries(*asked, t) - w, 0.2, 10)
        assert found.labels_for(half_width) == pytest.approx(20 * times, abs=1.01)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(
    ("design", "share"), [("random", 0.2), ("judge", 0.2), ("plan", 0.02), ("alarms", 0.02)]
)
def test_planned_number_of_labels_gives_the_half_width(design, share):
    """In the median of samples; labels of low chance show no positive in half of the last."""
    found = []
    for seed in range(9):
        rng, truth, score, judge = sample(seed, share, 20_000, 1.5)
        chance, options = np.full(truth.size, 0.015), {}
        if design == "plan":
            chance = rows_to_label(score, 400).inclusion_probability
        elif design == "alarms":
            chance = np.where(score > 3, 1.0, 0.01)
        options = {"judge": judge} if design == "judge" else {}
        first = interval(rng, truth, score, chance, **options)
        wanted = 0.4 * half(first)
        low, n = chance < 1, first.labels_for(wanted)
        times = optimize.brentq(
            lambda t, q=chance[low], n=n: np.minimum(t * q, 1).sum() - n, 1, 1e5
        )
        then = interval(rng, truth, score, np.minimum(times * chance, 1), **options)
        found.append(half(then) / wanted)
    assert 0.8 < np.median(found) < 1.2


def test_more_labels_reduce_hidden_positives_in_the_plan():
    """All positives found are alarms, so the interval is wide for those that are not found."""
    _, truth, score, _ = sample(n_rows=40_000, share=0.02, shift=3.0)
    is_alarm = score > 2.5
    seen = np.where(is_alarm, truth, np.nan)
    seen[np.flatnonzero(~is_alarm)[::200]] = 0
    chance = np.where(is_alarm, 1.0, 0.005)
    with pytest.warns(UserWarning, match="hidden positives: .* As many as 600"):
        found = average_precision_interval(seen, score, inclusion_probability=chance)
    n_low = np.sum(~is_alarm) / 200
    assert found.labels_for(half(found)) == pytest.approx(n_low, abs=1)
    assert 3 * n_low < found.labels_for(0.4 * half(found)) < 6 * n_low
    assert "labels, not counting rows of probability 1" in repr(found)


@pytest.mark.parametrize("models", [1, 2])
def test_unreachable_half_width_is_stated_and_refused(models):
    rng, truth, score, _ = sample(n_rows=600)
    seen = np.where(rng.random(600) < 0.3, truth, np.nan)
    options, other = {"inclusion_probability": "equal"}, rng.normal(size=600) + truth
    if models == 1:
        found = average_precision_interval(seen, score, **options)
        all_rows = half(average_precision_interval(truth, score))
    else:
        found = compare_average_precision(seen, {"a": score, "b": other}, **options)
        whole = compare_average_precision(truth, {"a": score, "b": other})
        all_rows = (whole.difference_highs - whole.difference_lows)[1] / 2
    with pytest.raises(ValueError, match="no number of labels reaches it") as told:
        found.labels_for(0.05)
    left = float(str(told.value).split("about ")[1].split(". Pass")[0])
    assert left == pytest.approx(all_rows, rel=0.15)
    assert f"no number of labels gives +-0.05: all rows would leave +-{left}" in repr(found)


def test_labels_for_of_a_comparison_plans_each_difference():
    rng, truth, score, judge = sample()
    seen = np.where(rng.random(N) < 0.08, truth, np.nan)
    models = {"a": score + rng.normal(size=N), "b": score, "c": -score}
    options = {"inclusion_probability": "equal", "judge": judge, "reference": "b"}
    found = compare_average_precision(seen, models, **options)
    needed = found.labels_for(0.05)
    assert needed[1] == 0
    halves = (found.difference_highs - found.difference_lows) / 2
    assert found.labels_for(halves[0])[0] == pytest.approx(found.labels.n_labelled, abs=1)
    with pytest.raises(ValueError, match="half_width must lie within"):
        found.labels_for(0)
    assert np.all(found.labels_for(0.045)[[0, 2]] > needed[[0, 2]])


def test_wide_intervals_name_the_number_of_labels():
    rng, truth, score, _ = sample()
    for n_labels, is_wide in ((150, True), (1500, False)):
        seen = np.full(N, np.nan)
        seen[:n_labels] = truth[:n_labels]
        found = average_precision_interval(seen, score, inclusion_probability="equal")
        assert (found.high - found.low > 0.2) is is_wide
        said = [line for line in repr(found).splitlines() if "of +-0.05" in line]
        assert len(said) == is_wide
        assert said == [line for line in said if line in found._repr_html_()]
        if is_wide:
            words = re.fullmatch(
                "an interval of \\+-0.05 would take about ([0-9,]+) labels", said[0]
            )
            assert float(words[1].replace(",", "")) == pytest.approx(
                found.labels_for(0.05), rel=0.05
            )
    query = np.arange(N) // 40
    options = {"queries": query, "inclusion_probability": "equal", "zero_division": 0.0}
    seen = np.where(np.isin(query, rng.choice(100, 6, replace=False)), truth, np.nan)
    found = average_precision_interval(seen, score, **options)
    if found.high - found.low > 0.2:
        assert "+-0.05 would take" in repr(found)


def test_labels_for_is_refused_for_fully_labelled_rows():
    _, truth, score, judge = sample()
    found = [average_precision_interval(truth, score)]
    found += [compare_average_precision(truth, {"a": score, "b": score + judge})]
    for result in found:
        with pytest.raises(ValueError, match=r"needs a result from few labels, .* use"):
            result.labels_for(0.05)
