"""Recipes of the pages beside numbers that scikit-learn, loops and fractions give."""

import re

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from pages import (
    DOCS,
    blocks,
    failures,
    imported_or_skipped,
    numbers_in,
    run_example,
    run_page,
    run_under,
)

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    average_precision_score,
    operating_point,
    pilot_comparison,
    sample_size_for_difference,
)

TRUE_AP = sklearn.metrics.average_precision_score
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def at_prevalence(y_true, y_score, prevalence):
    share = np.mean(y_true)
    weight = np.where(y_true, prevalence / share, (1 - prevalence) / (1 - share))
    return TRUE_AP(y_true, y_score, sample_weight=weight)


def precision_at(y_true, y_score, k):
    return np.asarray(y_true)[np.argsort(-np.asarray(y_score))[:k]].mean()


# Recipes


def of_gains(gain, score):
    """Each row is a part of a hit, in a loop over the ranks."""
    hits = total = 0.0
    for rank, part in enumerate(gain[np.argsort(-score)], start=1):
        hits += part
        total += part * hits / rank
    return total / gain.sum()


def test_soft_labels_count_as_fractional_hits():
    known = run_page("recipes.md")
    assert known["soft"] == pytest.approx(of_gains(known["chance"], known["score"]), abs=1e-12)
    rng = np.random.default_rng(1)
    chance = rng.beta(0.3, 2, 30_000)
    score = chance + rng.normal(scale=0.3, size=chance.size)
    soft = average_precision_score(
        np.repeat([1, 0], chance.size),
        np.tile(score, 2),
        sample_weight=np.concatenate([chance, 1 - chance]),
    )
    drawn = [TRUE_AP(rng.random(chance.size) < chance, score) for _ in range(20)]
    assert soft == pytest.approx(np.mean(drawn), abs=0.004)


def test_standard_error_of_soft_labels_matches_a_bootstrap():
    known = run_page("recipes.md")
    names = ("y_true", "twice", "weight", "row")
    y_true, twice, weight, row = (known[name] for name in names)
    found = average_precision_interval(y_true, twice, sample_weight=weight, clusters=row)
    rng = np.random.default_rng(0)
    samples = (np.tile(rng.multinomial(2000, np.full(2000, 1 / 2000)), 2) for _ in range(150))
    of_samples = [TRUE_AP(y_true, twice, sample_weight=weight * times) for times in samples]
    assert found.standard_error == pytest.approx(np.std(of_samples), rel=0.2)


def test_grades_score_as_soft_labels_and_at_each_level():
    known = run_page("recipes.md")
    grade, found = known["grade"], known["found"]
    gain, label = grade / 3, np.repeat([1, 0], grade.size)
    weight = np.concatenate([gain, 1 - gain])
    soft = average_precision_score(label, np.tile(found, 2), sample_weight=weight)
    assert soft == pytest.approx(of_gains(gain, found), abs=1e-12)
    truths = [round(TRUE_AP(grade >= level, found), 2) for level in (1, 2, 3)]
    assert truths == numbers_in("recipes.md", r"\(1, 2, 3\)\] \[([\d.]+), ([\d.]+), ([\d.]+)\]")


def test_positive_unlabelled_recipe_estimates_the_true_score():
    (code,) = blocks("recipes.md", under="Positive-unlabelled (PU) data")
    errors = []
    for seed in range(12):
        known = {
            "np": np,
            "rng": np.random.default_rng(seed),
            "average_precision_score": average_precision_score,
        }
        failures("recipes.md", code, known)
        truth = TRUE_AP(known["hidden"], known["unlabelled"])
        assert known["truth"] == pytest.approx(truth, abs=1e-12)
        errors.append(known["precision"].mean() - truth)
        assert known["naive"] < truth - 0.1
    assert np.mean(errors) == pytest.approx(-0.004, abs=4 * 0.024 / np.sqrt(12))


# Few labels


def few_labels(*headings):
    return run_under("few_labels.md", *headings)


ALERTS = "You labelled the alerts and a random sample"
CORRECTED = "Correct the score with some human labels"


def test_alerts_and_a_random_sample_equal_inverse_probability_weighting():
    known = few_labels(ALERTS)
    y_true, y_score, chance = known["y_true"], known["y_score"], known["probability"]
    has = ~np.isnan(y_true)
    truth = TRUE_AP(y_true[has], y_score[has], sample_weight=1 / chance[has])
    ours = average_precision_interval(y_true, y_score, inclusion_probability=chance)
    assert ours.estimate == pytest.approx(truth, abs=1e-12)
    alert = known["is_alert"]
    whole = TRUE_AP(known["is_fraud"], y_score), TRUE_AP(y_true[alert], y_score[alert])
    pattern = r"The true score is ([\d.]+)\. The alerts alone score ([\d.]+),"
    assert [round(truth, 3) for truth in whole] == numbers_in("few_labels.md", pattern)


def test_planned_labels_estimate_the_score_in_one_or_two_rounds():
    known = few_labels(ALERTS, "Which rows should I label?")
    has = ~np.isnan(known["y_true"])
    weight = 1 / known["probability"][has]
    truth = TRUE_AP(known["y_true"][has], known["y_score"][has], sample_weight=weight)
    chance = known["probability"]
    ours = average_precision_interval(
        known["y_true"], known["y_score"], inclusion_probability=chance
    )
    assert ours.estimate == pytest.approx(truth, abs=1e-12)
    has[known["second"].rows] = True
    y_true = np.where(has, known["is_fraud"], np.nan)
    two = average_precision_interval(y_true, known["y_score"], inclusion_probability=known["both"])
    whole = TRUE_AP(known["is_fraud"], known["y_score"])
    assert abs(two.estimate - whole) < 3 * two.standard_error


def of_queries(y_true, y_score, query):
    each = (query == name for name in np.unique(query))
    return np.mean(
        [TRUE_AP(y_true[rows], y_score[rows]) if y_true[rows].any() else 0 for rows in each]
    )


def test_judge_and_30_graded_queries_estimate_the_overall_mean():
    known = run_under("judges.md", CORRECTED)
    relevant, y_score, query = known["relevant"], known["y_score"], known["query"]
    truth = of_queries(relevant, y_score, query)
    pattern = r"The true score is ([\d.]+)\. The judge"
    assert [round(truth, 3)] == numbers_in("judges.md", pattern)
    rng, estimates = np.random.default_rng(1), []
    for _ in range(20):
        is_graded = np.isin(query, rng.choice(400, 30, replace=False))
        found = average_precision_interval(
            np.where(is_graded, relevant, np.nan), y_score, judge=known["judge"], queries=query
        )
        estimates.append(found.estimate)
    assert np.mean(estimates) == pytest.approx(truth, abs=4 * 0.0193 / np.sqrt(20))


# Prevalence


def test_score_at_a_prevalence_matches_samples_of_that_prevalence():
    known = run_page("prevalence.md")
    y_true, y_score = known["y_true"], known["y_score"]
    ours = average_precision_score(y_true, y_score, prevalence=0.01)
    assert ours == pytest.approx(at_prevalence(y_true, y_score, 0.01), abs=1e-12)
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0], [500, 49_500])
    drawn = [
        TRUE_AP(label, np.r_[rng.choice(y_score[:1000], 500), rng.choice(y_score[1000:], 49_500)])
        for _ in range(20)
    ]
    assert ours == pytest.approx(np.mean(drawn), abs=0.02)


def test_weights_give_the_expected_daily_precision_at_20():
    known = run_page("prevalence.md")
    y_score, rng, of_days = known["y_score"], np.random.default_rng(0), []
    for _ in range(300):
        day = np.r_[rng.choice(y_score[:1000], 50), rng.choice(y_score[1000:], 4950)]
        of_days.append(precision_at(np.arange(5000) < 50, day, 20))
    (ours,) = numbers_in("prevalence.md", r"sample_weight=weight\), 2\) ([\d.]+)")
    assert ours == pytest.approx(np.mean(of_days), abs=0.03)


# Thresholds


def shares(y_true, y_score, prevalence):
    """Precision, recall and threshold at each score, in counts."""
    threshold = np.unique(y_score)
    tpr = np.array([(y_score[y_true] >= t).mean() for t in threshold])
    fpr = np.array([(y_score[~y_true] >= t).mean() for t in threshold])
    return threshold, tpr, fpr, prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)


def lowest_selected(y_score, point):
    return y_score[y_score >= point.threshold].min()


@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_threshold_goals_match_a_loop_over_thresholds(prevalence):
    known = run_page("threshold.md")
    y_true, y_score = known["y_true"], known["y_score"]
    p = y_true.mean() if prevalence is None else prevalence
    threshold, tpr, fpr, precision = shares(y_true, y_score, p)
    options = {"prevalence": prevalence}
    of_precision = operating_point(y_true, y_score, precision=0.7, **options)
    best = threshold[precision >= 0.7][tpr[precision >= 0.7].argmax()]
    assert lowest_selected(y_score, of_precision) == best
    of_recall = operating_point(y_true, y_score, recall=0.8, **options)
    best = threshold[tpr >= 0.8][precision[tpr >= 0.8].argmax()]
    assert lowest_selected(y_score, of_recall) == best
    cost = (1 - p) * fpr + 20 * p * (1 - tpr)
    of_cost = operating_point(y_true, y_score, cost=known["costs"], **options)
    assert lowest_selected(y_score, of_cost) == threshold[cost.argmin()]


def test_precision_at_5_percent_prevalence_matches_the_page():
    y_true = run_page("threshold.md")["y_true"]
    weight = 19 * y_true.mean() / (1 - y_true.mean())
    assert round(weight) == 6  # "counts six times"
    odds = 0.7 / 0.3 * weight
    (said,) = numbers_in("threshold.md", r"threshold needs a precision of ([\d.]+) in")
    assert round(odds / (1 + odds), 2) == said
    (n,) = numbers_in("threshold.md", r"a precision of 90% takes at least (\d+) selected cases")
    assert 0.9**n <= 0.1 < 0.9 ** (n - 1)


def test_relative_k_and_a_quantile_select_equally_many_rows():
    y_score = np.random.default_rng(0).normal(size=100_000)
    point = operating_point(y_score > 1, y_score, k=0.01)
    assert (y_score >= point.threshold).sum() == (y_score >= np.quantile(y_score, 0.99)).sum()


def test_the_threshold_of_calibrated_probabilities_costs_least():
    rng = np.random.default_rng(0)
    chance = rng.random(400_000)
    y_true = rng.random(chance.size) < chance
    (formula,) = re.findall(r"`(false_positive / .*)`", (DOCS / "threshold.md").read_text())
    least = eval(formula, {"false_positive": 1, "false_negative": 20})
    costs = {
        t: (~y_true & (chance >= t)).sum() + 20 * (y_true & (chance < t)).sum()
        for t in (0.01, 0.03, least, 0.07, 0.15)
    }
    assert min(costs, key=costs.get) == least


def test_inverse_probability_weights_give_the_threshold_of_all_rows():
    known = few_labels(ALERTS)
    has = ~np.isnan(known["y_true"])
    y_true, y_score = known["y_true"][has].astype(int), known["y_score"][has]
    weight = 1 / known["probability"][has]
    point = operating_point(y_true, y_score, precision=0.8, sample_weight=weight)
    curve = sklearn.metrics.precision_recall_curve(y_true, y_score, sample_weight=weight)
    precision, recall, threshold = curve
    reached = precision[:-1] >= 0.8
    truth = threshold[reached][recall[:-1][reached].argmax()]
    lowest = lowest_selected(y_score, point)
    assert recall[:-1][threshold == lowest] == recall[:-1][threshold == truth]
    selected = known["y_score"] >= point.threshold
    assert known["is_fraud"][selected].mean() == pytest.approx(0.8, abs=0.05)


# Grades of people, SQL, rankers, outliers, plates and plans


def test_known_grades_become_labels_and_missing_ones_stay_unknown():
    pd = imported_or_skipped("pandas")
    text = (DOCS / "judges.md").read_text()
    known, given = re.findall(r"`judge=(grade .*?)` and `(np\.where\(.*?)`", text)[0]
    human = pd.Series([3, pd.NA, 1, 2, pd.NA], dtype="Int64")
    for people in (human, human.to_numpy(float, na_value=np.nan)):
        labels = eval(given, {"np": np, "pd": pd, "human": people})
        np.testing.assert_array_equal(np.asarray(labels, float), [1, np.nan, 0, 1, np.nan])
    assert eval(known, {"grade": np.array([0, 2, 3])}).tolist() == [False, True, True]


def test_the_function_for_a_ranker_gives_the_mean_over_queries():
    text = " ".join((DOCS / "training.md").read_text().split())
    (code,) = re.findall(r"`(lambda y, s: .*?)`", text)
    rng = np.random.default_rng(0)
    query, y, s = np.repeat(np.arange(20), 10), rng.integers(0, 2, 200), rng.normal(size=200)
    known = {"average_precision_score": average_precision_score, "query": query}
    name, value, is_greater_better = eval(code, known)(y, s)
    assert (name, is_greater_better) == ("MAP", True)
    assert value == pytest.approx(of_queries(y, s, query), abs=1e-12)


def test_wells_of_a_plate_have_permutation_p_values():
    known = run_example("wells_of_a_plate")
    well, same, wells = known["well"], known["same"], known["wells"]
    score = known["similarity"][well, known["other"]]
    rng = np.random.default_rng(0)
    for name in (4, 9, 13):
        label = same[well == name][np.argsort(-score[well == name])]
        orders = rng.permuted(np.tile(label, (10_000, 1)), axis=1)
        precision = orders.cumsum(axis=1) / np.arange(1, label.size + 1)
        by_chance = (orders * precision).sum(axis=1) / label.sum()
        observed = TRUE_AP(label, -np.arange(label.size))
        as_high = (by_chance >= observed - 1e-12).mean()
        assert wells.pvalue[name] == pytest.approx(as_high, abs=0.02)
    adjusted = scipy.stats.false_discovery_control(wells.pvalue)
    np.testing.assert_allclose(wells.adjusted_pvalue, adjusted, atol=1e-12)


def ap_without_ties(y_true, y_score):
    """As in scikit-learn, in a fifth of the time."""
    hits, misses = np.sort(-y_score[y_true]), np.sort(-y_score[~y_true])
    n_hits = np.arange(1, hits.size + 1)
    return np.mean(n_hits / (n_hits + misses.searchsorted(hits)))


def test_the_planned_positives_find_the_difference_in_80_of_100_samples():
    pilot = pilot_comparison(worse=0.4, better=0.43, prevalence=0.02, correlation=0.8)
    n = sample_size_for_difference(pilot, difference=0.03)
    (said,) = numbers_in("sample_size.md", r"correlation=0\.8\) .*?power=0\.8\) (\d+) ```")
    assert n == said
    rng, label = np.random.default_rng(0), np.arange(n * 50) < n

    def scores(shift):
        draws = np.random.default_rng(1).normal(size=label.size)
        return ap_without_ties(label, draws + shift * label)

    grid = np.arange(1.6, 2.9, 0.2)
    of_grid = [scores(shift) for shift in grid]
    first, second = np.interp([0.4, 0.43], of_grid, grid)
    differences = []
    for _ in range(60):
        common = np.sqrt(0.8) * rng.normal(size=label.size)
        a, b = common + np.sqrt(0.2) * rng.normal(size=(2, label.size))
        scores_of_models = a + first * label, b + second * label
        truth_a, truth_b = (ap_without_ties(label, score) for score in scores_of_models)
        differences.append(truth_b - truth_a)
    truth = [TRUE_AP(label, score) for score in scores_of_models]
    assert [truth_a, truth_b] == pytest.approx(truth, abs=1e-12)
    # 1.96 + 0.84 standard errors
    assert 2.8 * np.std(differences) == pytest.approx(0.03, rel=0.3)


def test_pooling_ranks_corrects_different_fold_scales():
    rng = np.random.default_rng(0)
    fold, y = np.repeat(np.arange(5), 200), rng.random(1000) < 0.2
    score = rng.normal(size=1000) + 1.5 * y
    scaled = score * (1 + 5 * fold) + fold
    given = {"y_score": scaled, "folds": fold}
    found = average_precision_interval(y, FoldPredictions(given, pooling="ranks"))
    ranks = np.empty(1000)
    for name in range(5):
        ranks[fold == name] = scipy.stats.rankdata(scaled[fold == name])
    truth = TRUE_AP(y, ranks)  # folds have as many rows, so their ranks are tied
    assert found.estimate == pytest.approx(truth, abs=1e-12)
    assert abs(found.estimate - TRUE_AP(y, score)) < abs(TRUE_AP(y, scaled) - TRUE_AP(y, score))


def test_the_simplest_model_that_is_not_worse_is_the_one_that_made_the_data():
    heading = "The simplest model that is not worse"
    known = run_under("scorers.md", "", "Several scores at once", heading)
    assert sum(code.count("\n") for code in blocks("scorers.md", under=heading)) < 40
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100_000, 12))
    y = X[:, :4].sum(axis=1) + rng.normal(size=100_000) > 2
    true_scores = {}
    for k in (1, 2, 4, 8, 12):
        model = known["pipeline"].set_params(selectkbest__k=k)
        model.fit(known["X_wide"], known["y_wide"])
        true_scores[str(k)] = TRUE_AP(y, model.predict_proba(X)[:, 1])
    losses = {name: true_scores["12"] - score for name, score in true_scores.items()}
    assert next(name for name, loss in losses.items() if loss < 0.02) == known["simplest"]
    assert losses["2"] > 0.2
