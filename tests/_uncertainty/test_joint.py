"""Comparisons equal their equations, computed slowly by ``comparison_reference``."""

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty import _half_samples, scores_of_models
from sklearn_ap._uncertainty.best import best_of
from sklearn_ap._uncertainty.differences_of_models import differences_of, join_differences
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import (
    AtK,
    Interpolated,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    Step,
)
from tests.helpers import comparison_reference as reference
from tests.helpers import engine_reference as one
from tests.helpers.first_cases import first, quick, seeds

LEVELS = [0.8, 0.9, 0.95, 0.99]
STEP = ("step",)


def joint(y, models, definition=Step(), difference_factor=1.0, **options):
    requests = [Request(y_true=y, y_score=score, **options) for score in models]
    rankings = [check_rankings(each, all_items=True) for each in requests]
    found = models_of_rows(definition, requests[0], rankings, difference_factor=difference_factor)
    found.check_is_tried()
    return found


def differences(found, **options):
    """Compare each model with the first one."""
    models = [(model, 0) for model in range(1, found.n_models)]
    return differences_of(found, models, **options)


def draw(seed, n_rows=24, n_columns=None, n_models=2):
    """Draw labels of both classes, scores of models that share noise, and more."""
    rng = np.random.default_rng(seed)
    shape = n_rows if n_columns is None else (n_rows, n_columns)
    y = (rng.random(shape) < rng.choice([0.2, 0.5])).astype(int)
    y[:2] = 1
    y[2:4] = 0
    noise = rng.normal(size=shape)
    models = [
        np.round(noise + rng.normal(size=shape) + (i + 1) * y, rng.choice([0, 1, 9]))
        for i in range(n_models)
    ]
    if seed % 4 == 1:
        models[1][rng.random(shape) < 0.2] = -np.inf
    weight = rng.lognormal(sigma=1.0, size=n_rows)
    return rng, y, models, weight, rng.choice(list("abcdefgh"), n_rows)


def large(seed, n_models=3, n_rows=150, gain=0.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < 0.25).astype(int)
    y[0] = 1
    noise = rng.normal(size=n_rows)
    return y, [y * (1 + gain * i) + noise + rng.normal(size=n_rows) for i in range(n_models)]


def check(found, expected, level, place=0):
    """Compare the numbers of a difference, its limits and its p-value."""
    pairs = {
        "estimate": expected.estimate,
        "bias": expected.bias,
        "variance": expected.variance,
        "degrees": expected.degrees,
    }
    for name, number in pairs.items():
        assert getattr(found, name)[place] == pytest.approx(number, rel=1e-8, abs=1e-10), name
    limits = [end[place] for end in found.limits(level)]
    assert limits == pytest.approx(expected.limits(1 - level), abs=1e-10)
    assert found.pvalues[place] == pytest.approx(expected.pvalue(), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("kind", one.ROWS)
@pytest.mark.parametrize(
    ("name", "definition"),
    [(STEP, Step()), pytest.param(("interpolated",), Interpolated(), marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("seed", seeds(4, 1))
def test_two_models_of_rows(seed, name, definition, kind):
    _, y, models, weight, clusters = draw(seed)
    options = one.ROWS[kind](weight, clusters)
    rows = [[one.rows_of(y, score, options)] for score in models]
    expected = reference.of_rows(name, rows)
    found = joint(y, models, definition, **options)
    assert found.estimate.value == pytest.approx(expected.theta)
    assert found.covariance == pytest.approx(expected.covariance, abs=1e-10)
    for fold_factor in (1.0, 1.25):
        expected.fold_factor = fold_factor
        found = joint(y, models, definition, difference_factor=fold_factor, **options)
        check(differences(found), reference.Difference(expected, 1, 0), LEVELS[seed % 4])


@pytest.mark.parametrize("n_changed", quick([2, 9, 16, 30], 2))
def test_a_row_may_be_hidden_however_few_clusters_decide(n_changed):
    rng, clusters = np.random.default_rng(0), np.repeat(np.arange(40), 4)
    y = np.tile([1, 0, 1, 0], 40)
    first = rng.normal(size=160) + y
    second = np.where(clusters < n_changed, rng.normal(size=160), first)
    rows = [[one.Rows(y, score, unit=clusters)] for score in (first, second)]
    expected = reference.Difference(reference.of_rows(STEP, rows), 1, 0)
    found = differences(joint(y, [first, second], clusters=clusters))
    check(found, expected, 0.95)


@pytest.mark.parametrize("kind", quick(["never scored", "weighted", "rows", "weights", "gaps"], 1))
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_two_models_of_columns(seed, kind):
    rng, y, models, weight, _ = draw(seed, n_columns=3)
    options, shares, n_unscored = {}, np.full(3, 1 / 3), [0, 0, 0]
    is_known = np.ones(y.shape, bool)
    if kind == "weights":
        options = {"sample_weight": weight}
    if kind == "weighted":
        options, shares = {"average": "weighted"}, y.sum(axis=0) / y.sum()
    if kind == "gaps":
        is_known[5:] = rng.random((len(y) - 5, 3)) < 0.8
        y = np.where(is_known, y, np.nan)
    columns = [
        [
            one.Rows(
                y[k, j],
                score[k, j],
                weight[k] if kind == "weights" else None,
                np.flatnonzero(k),
            )
            for j, k in enumerate(is_known.T)
        ]
        for score in models
    ]
    if kind == "never scored":
        n_unscored = [2, 0, 1]
        options = {"n_positives": y.sum(axis=0) + n_unscored}
        for model in columns:
            for j, n in enumerate(n_unscored):
                for i in range(n):
                    model[j] = model[j].plus(True, -np.inf, 1.0, f"missing {i} of {j}")
    expected = reference.of_rows(STEP, columns, shares, are_sampled=kind == "weighted")
    found = joint(y, models, **options)
    check(differences(found), reference.Difference(expected, 1, 0), LEVELS[seed % 4])


@pytest.mark.parametrize("definition", quick([Step(), Interpolated()], 1))
@pytest.mark.parametrize("kind", ["columns of clusters", "classes of images"])
@pytest.mark.parametrize("seed", seeds(3))
def test_two_detectors(seed, kind, definition):
    """Means over columns whose units are clusters, in a table or in rows of a class each."""
    _, y, models, _, clusters = draw(seed, n_columns=3)
    name = STEP if definition == Step() else ("interpolated",)
    columns = [[one.Rows(y[:, j], s[:, j], unit=clusters) for j in range(3)] for s in models]
    options = {"clusters": clusters}
    if kind == "classes of images":
        options = {"clusters": np.repeat(clusters, 3), "queries": np.tile([0, 1, 2], len(y))}
        y, models = y.ravel(), [score.ravel() for score in models]
    found = joint(y, models, definition, **options)
    biases = 3 * found.bias_parts.T  # of drawn halves
    expected = reference.of_rows(name, columns, np.full(3, 1 / 3), biases)
    check(differences(found), reference.Difference(expected, 1, 0), 0.95)


def test_columns_of_clusters_have_the_biases_of_all_halves(monkeypatch):
    """Crossings hold those of step average precision."""
    monkeypatch.setattr(scores_of_models, "N_PAIRS_OF_BIAS", 20_000)
    _, y, models, _, clusters = draw(2, 20, 2)
    columns = [[one.Rows(y[:, j], s[:, j], unit=clusters) for j in range(2)] for s in models]
    expected = reference.biases_of_halves(("interpolated",), columns, 2 / 3) / 2
    found = joint(y, models, Interpolated(), clusters=clusters)
    assert pytest.approx(expected, rel=0.05, abs=2e-3) == found.bias_parts.T


@pytest.mark.parametrize("users", [None, 5])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_two_systems_of_queries(seed, average, users):
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(12), rng.integers(3, 9, 12))
    y = (rng.random(queries.size) < 0.4).astype(int)
    y[queries == 0] = 0
    models = [np.round(rng.normal(size=y.size) + i * y, 1) for i in range(2)]
    names = np.arange(12) if users is None else np.arange(12) % users
    options = {} if users is None else {"clusters": names[queries]}
    kept = [query for query in range(12) if y[queries == query].any()]
    values = np.array(
        [[average_precision_score(y[queries == q], s[queries == q]) for s in models] for q in kept]
    )
    shares = np.ones(len(kept))
    if average == "weighted":
        shares = np.array([y[queries == query].sum() for query in kept], float)
    expected = reference.of_queries(values, shares, names[kept])
    options |= {"queries": queries, "average": average, "zero_division": np.nan}
    found = differences(joint(y, models, **options))
    of_both = reference.Difference(expected, 1, 0)
    check(found, of_both, LEVELS[seed])
    if users is None and average == "macro":
        low = of_both.margin_low(0.1)
        assert found.margin_low(0.9) == pytest.approx([low], abs=1e-10)
    else:
        with pytest.raises(ValueError, match="margin is for"):
            found.margin_low(0.9)


@pytest.mark.parametrize("seed", first([0, 2, 6], 1))
def test_scores_at_k_have_the_covariance_of_all_halves(monkeypatch, seed):
    monkeypatch.setattr(_half_samples, "FEWEST_PAIRS", 20_000)
    _, y, models, _, _ = draw(seed, 11)
    rows = [[one.Rows(y, score)] for score in models]
    name = ("at k", 3)
    expected = reference.of_rows(name, rows, k=3)
    expected.sigma = reference.covariance_of_halves(name, rows, expected.n)
    found = joint(y, models, AtK(3))
    assert found.covariance == pytest.approx(expected.sigma, rel=0.06, abs=1e-3)
    expected.sigma = found.covariance  # of drawn halves
    check(differences(found), reference.Difference(expected, 1, 0), 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("definition", first([AtK(50), RecallAtK(0.01)], 1))
def test_ranks_that_are_left_out_change_no_variance(monkeypatch, definition):
    monkeypatch.setattr(_half_samples, "FEWEST_PAIRS", 1_024)
    y, models = large(0, 2, 3_000, gain=0.5)
    found = differences(joint(y, models, definition))
    monkeypatch.setattr(
        "sklearn_ap._uncertainty.estimate.leave_out_unreached",
        lambda definition, counts, rows: rows,
    )
    whole = differences(joint(y, models, definition))
    assert found.variance == pytest.approx(whole.variance, rel=0.2)


@pytest.mark.parametrize("seed", seeds(2, 1))
def test_a_margin_of_pooled_folds_leaves_the_room_of_rows(seed):
    _, y, models, _, _ = draw(seed, 60)
    rows = [[one.rows_of(y, score, {})] for score in models]
    pooled = reference.of_rows(STEP, rows)
    pooled.fold_factor = 1.25
    expected = reference.Difference(pooled, 1, 0)
    found = differences(joint(y, models, difference_factor=1.25))
    assert found.margin_low(0.9) == pytest.approx([expected.margin_low(0.1)], abs=1e-10)
    assert found.margin_low(0.9) < differences(joint(y, models)).margin_low(0.9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_a_margin_leaves_room_for_false_alarms(seed, weighted):
    _, y, models, weight, _ = draw(seed, 60)
    options = {"sample_weight": weight} if weighted else {}
    rows = [[one.rows_of(y, score, options)] for score in models]
    expected = reference.Difference(reference.of_rows(STEP, rows), 1, 0)
    found = differences(joint(y, models, **options))
    low = expected.margin_low(0.1)
    assert found.margin_low(0.9) == pytest.approx([low], abs=1e-10)
    (verdict,) = found.compared(0.9).verdict
    others = {found.compared(0.9, margin).verdict[0] for margin in (-low + 1e-9, -low - 1e-9)}
    assert others == ({verdict} if verdict != "undecided" else {"undecided", "not worse"})


@pytest.mark.parametrize(
    "kind",
    ["clusters", "columns", "prevalence", "queries of folds", "at k", "unequal queries", "samples"],
)
def test_margins_that_were_not_tried_are_refused(kind):
    _, y, models, _, clusters = draw(0, n_columns=3)
    options = {}
    if kind not in ("columns", "samples"):
        y, models = y[:, 0], [score[:, 0] for score in models]
        options = {
            "clusters": {"clusters": clusters},
            "prevalence": {"prevalence": 0.1},
            "queries of folds": {"queries": np.arange(len(y)) % 4, "difference_factor": 1.25},
            "unequal queries": {"queries": np.arange(len(y)) % 4, "average": "weighted"},
        }.get(kind, {})
    if kind == "samples":  # they are queries, which have a margin
        found = joint(y, models, average="samples", zero_division=np.nan)
        found = differences(found)
        assert found.margin_low(0.9) < found.limits(0.9).low
        return
    definition = AtK(3) if kind == "at k" else Step()
    found = differences(joint(y, models, definition, **options))
    with pytest.raises(ValueError, match=r"margin is for .* weigh the same, without clusters"):
        found.compared(0.95, 0.1)


@pytest.mark.parametrize("n_columns", [None, 3])
def test_scores_without_influence_are_refused_at_another_prevalence(n_columns):
    _, y, models, _, _ = draw(0, n_columns=n_columns)
    with pytest.raises(ValueError, match=r"at another prevalence.* Pass weights"):
        joint(y, models, PrecisionAtRecall(0.8), prevalence=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["clusters", "columns", "columns of clusters", "micro"])
@pytest.mark.parametrize("definition", [AtK(3), RecallAtK(4)])
def test_the_variance_of_a_difference_at_k_is_that_of_its_definition(kind, definition, monkeypatch):
    """Beside many samples of one population; that of step average precision is another."""
    for name in ("FEWEST_PAIRS", "MOST_PAIRS"):
        monkeypatch.setattr(_half_samples, name, 128)  # the mean of all samples has enough
    shape = (120, 4) if "columns" in kind or kind == "micro" else 120
    options = {"average": "micro"} if kind == "micro" else {}
    found, errors = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = (rng.random(shape) < 0.2) * 1
        patient = np.arange(120) // 4
        effect = rng.normal(size=30)[patient]
        effect = effect if y.ndim == 1 else effect[:, None]
        models = [y + effect + rng.normal(size=shape) for _ in range(2)]
        if "clusters" in kind:
            options = {"clusters": patient}
        each = differences(joint(y, models, definition, **options))
        found.append(each.estimate[0])
        errors.append(each.variance[0])
    assert 0.7 < np.mean(errors) / np.var(found) < 1.8  # of few ranks, halves say more


@pytest.mark.slow
@pytest.mark.parametrize("kind", quick(["clusters", "columns"], 1))
def test_scores_at_k_of_other_designs_have_the_covariance_of_all_halves(monkeypatch, kind):
    monkeypatch.setattr(_half_samples, "FEWEST_PAIRS", 20_000)
    name, shares, options = ("at k", 3), np.ones(1), {}
    _, y, models, _, _ = draw(4, 12, None if kind == "clusters" else 2)
    if kind == "clusters":
        options = {"clusters": np.arange(12) // 2}
        rows = [[one.Rows(y, score, unit=options["clusters"])] for score in models]
    else:
        shares = np.full(2, 0.5)
        rows = [[one.Rows(y[:, j], score[:, j]) for j in (0, 1)] for score in models]
    found = joint(y, models, AtK(3), **options)
    n = found.estimate.n_effective[0]
    expected = reference.covariance_of_halves(name, rows, n, shares)
    assert found.covariance == pytest.approx(expected, rel=0.08, abs=2e-3)


@pytest.mark.parametrize("gain", quick([0.0, 0.4], 1))
@pytest.mark.parametrize("seed", seeds(3))
def test_several_differences_have_the_distribution_of_the_largest(seed, gain):
    y, models = large(seed, 4, gain=gain)
    expected = reference.of_rows(STEP, [[one.Rows(y, score)] for score in models])
    each = [reference.Difference(expected, a, 0) for a in (1, 2, 3)]
    found = differences(joint(y, models))
    assert found.correlation == pytest.approx(reference.correlation(each), abs=1e-8)
    single = np.array([one.pvalue() for one in each])
    assert found.single_pvalues == pytest.approx(single, rel=1e-6)
    wanted = [reference.adjusted(each, p) for p in single]
    assert found.pvalues == pytest.approx(wanted, abs=0.015)
    found = differences(joint(y, models), alternative="greater")
    single = np.array([one.pvalue_above() for one in each])
    assert found.single_pvalues == pytest.approx(single, rel=1e-6)
    wanted = [reference.adjusted(each, p, is_two_sided=False) for p in single]
    assert found.pvalues == pytest.approx(wanted, abs=0.015)


def test_errors_of_folds_are_as_correlated_as_their_variances_are_large():
    """Both have the factor of folds."""
    y, models = large(1, 4)
    expected = reference.of_rows(STEP, [[one.Rows(y, score)] for score in models])
    expected.fold_factor = 1.25
    each = [reference.Difference(expected, a, 0) for a in (1, 2, 3)]
    found = differences(joint(y, models, difference_factor=1.25))
    assert found.correlation == pytest.approx(reference.correlation(each), abs=1e-8)


@pytest.mark.parametrize("kind", ["columns", "gaps", "queries"])
def test_rankings_without_an_average_are_one_family(kind):
    rng, y, models, _, _ = draw(3, 40, 3, n_models=3)
    y[4:8] = 1
    columns = [(np.ones(40, bool), j) for j in range(3)]
    options, labels = {}, y
    if kind == "gaps":
        is_known = rng.random(y.shape) < 0.9
        is_known[:6] = True
        labels = np.where(is_known, y, np.nan)
        columns = [(is_known[:, j], j) for j in range(3)]
    if kind == "queries":
        options = {"queries": np.repeat(np.arange(3), 40)}
        labels, tables = y.ravel("F"), [score.ravel("F") for score in models]
    found = differences(
        joint(labels, tables if kind == "queries" else models, average=None, **options)
    )
    single = [
        differences(joint(y[k, j], [models[i][k, j] for i in (0, model)]))
        for model in (1, 2)
        for k, j in columns
    ]
    for name in ("estimate", "variance", "degrees", "single_pvalues"):
        wanted = [getattr(each, name)[0] for each in single]
        assert getattr(found, name) == pytest.approx(wanted), name
    assert (found.pvalues > found.single_pvalues).any()


def test_many_differences_are_those_of_bonferroni():
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(600), 6)
    y = np.tile([1, 0, 0, 1, 0, 0], 600)
    models = [rng.normal(size=y.size) + i * 9 * y for i in range(2)]
    found = differences(joint(y, models, average=None, queries=queries))
    assert found.pvalues == pytest.approx(np.minimum(600 * found.single_pvalues, 1))
    low, high = found.limits(0.9)
    assert np.array_equal(found.pvalues <= 0.1, (low > 0) | (high < 0))


@pytest.mark.parametrize("seed", seeds(3))
def test_the_best_of_four(seed):
    y, models = large(seed, 4, gain=0.15)
    expected = reference.of_rows(STEP, [[one.Rows(y, score)] for score in models])
    pvalues, gap_high, optimism, largest = reference.best(expected, 0.9)
    found = joint(y, models)
    best = best_of(found, 0.9)
    assert best.pvalues == pytest.approx(pvalues, abs=0.015)
    assert best.gap_high == pytest.approx(gap_high, abs=0.003)
    assert best.optimism == pytest.approx(optimism, abs=2e-3)
    level = 1 - 2 * reference.norm.sf(np.quantile(largest, 0.95))
    low = found.estimate.limits(max(level, 0.9)).low[np.argmax(expected.theta)]
    assert best.winner_low == pytest.approx(low, abs=0.002)


@pytest.mark.parametrize("n_models", [2, 3, 5])
def test_the_optimism_is_the_mean_error_of_the_model_that_wins(n_models):
    """Of independent errors of 0.1, by an integral; the noise of equation 26 is then 0.01."""
    found = joint(*large(0, n_models))
    found.covariance[:] = 0.01 * np.eye(n_models)
    values = np.sqrt(np.arange(n_models))
    values *= np.sqrt(0.02 / values.var(ddof=1))  # of which half is noise
    found.estimate.value[:] = values
    true = values.mean() + (values - values.mean()) / 2
    error = np.linspace(-0.8, 0.8, 16_001)
    density = reference.norm.pdf(error, scale=0.1) * 1e-4
    expected = 0.0
    for model in range(n_models):
        others = np.delete(true, model)[:, None]
        wins = reference.norm.cdf(true[model] + error - others, scale=0.1).prod(axis=0)
        expected += error @ (density * wins)
    assert best_of(found, 0.9).optimism == pytest.approx(expected, rel=0.05)


def test_the_winner_of_like_models_has_at_least_the_level_asked_for():
    y, models = large(0, 2)
    found = joint(y, [models[0], models[0] * 2, models[0] * 3])
    best = best_of(found, 0.95)
    low = found.estimate.limits(0.95).low[0]
    assert low - 0.002 < best.winner_low <= low
    assert (best.pvalues >= 0.05).all()


@pytest.mark.parametrize("seed", range(10))
def test_rounding_errors_decide_nothing_of_the_best(seed):
    """Models that are perfect or without skill have no errors but those of rounding."""
    rng = np.random.default_rng(seed)
    y, models = large(seed, 1, n_rows=100)
    models = [y * 1.0, models[0], np.zeros(100)]
    weight = rng.random(100)
    found = best_of(joint(y, models, sample_weight=weight, prevalence=0.2), 0.95)
    rows = rng.permutation(100)
    others = [score[rows] for score in models[::-1]]
    other = joint(y[rows], others, sample_weight=weight[rows], prevalence=0.2)
    other = best_of(other, 0.95)
    assert found.pvalues == pytest.approx(other.pvalues[::-1], rel=1e-9)
    assert found.gap_high == pytest.approx(other.gap_high[::-1], abs=1e-9)
    assert found.winner_low == pytest.approx(other.winner_low, abs=1e-9)


def test_a_level_whose_rounding_error_is_above_it_means_the_level():
    """1 - 0.95 is 0.05000000000000004, of which 10,000 draws would have one more."""
    found = joint(*large(0, 5))
    exact, below = (best_of(found, level).gap_high for level in (0.95, 0.95 + 1e-10))
    assert exact == pytest.approx(below, abs=1e-9)


def test_models_that_rank_alike_up_to_rounding_are_as_likely_the_best():
    y = np.arange(40) % 2
    for gain in (0.0, 1e-15):
        found = joint(y, [y * 1.0, y * 1.0])
        found.estimate.value[1] -= gain
        best = best_of(found, 0.95)
        assert best.pvalues.tolist() == [1.0, 1.0]
        assert (best.gap_high >= 0).all()


def test_the_best_of_models_that_hang_on_one_positive_may_be_any_at_each_level():
    y, models = (np.arange(30) == 3).astype(int), [np.arange(30.0), -np.arange(30.0)]
    for level in (1e-6, 0.5, 0.95):
        best = best_of(joint(y, models), level)
        assert np.array_equal(best.gap_high, [1.0, 1.0])


def test_rounding_errors_of_a_bias_are_no_variance():
    """Columns of models without errors have biases of about 1e-17."""
    rng = np.random.default_rng(0)
    y = (rng.random((100, 3)) < 0.5).astype(int)
    clusters, weight = rng.integers(0, 62, 100), rng.random(100)
    models = [y * 1.0, np.zeros((100, 3))]
    options = {"clusters": clusters, "sample_weight": weight, "prevalence": 0.2}
    assert differences(joint(y, models, **options)).variance == 0.0


def test_weights_that_are_far_apart_tell_nothing_and_overflow_nowhere():
    y = (np.arange(30) == 7).astype(int)
    models = [np.arange(30.0), -np.arange(30.0)]
    weight = np.where(np.arange(30) == 3, 1e80, 1e-80)
    for n_columns in 1, 2:  # of which the mean is taken
        tables = [np.tile(each[:, None], n_columns) for each in (y, *models)]
        found = differences(joint(tables[0], tables[1:], sample_weight=weight))
        assert found.limits(0.95) == ([-1.0], [1.0])


def test_limits_on_one_side_at_a_level_below_a_half_are_the_difference():
    y, models = large(0, 2)
    found = differences(joint(y, models), alternative="greater")
    assert found.limits(0.3).low == found.limits(0.5).low == pytest.approx(found.estimate)


DOWN = -np.arange(40.0)
TEN, ONE = (np.isin(np.arange(40), places).astype(int) for places in (range(10), [3]))
WHOLE = (-1.0, 1.0, 1.0)
EDGES = {  # labels, two models, options; estimate, limits and p-value
    "alike": (TEN, DOWN, DOWN, {}, (0.0, -0.350, 0.350, 1.0)),
    "perfect against worst": (TEN, -DOWN, DOWN, {}, (0.851, 0.500, 0.958, 8.51e-7)),
    "one positive": (ONE, DOWN, -DOWN, {}, (-0.223, *WHOLE)),
    "one query": (TEN, DOWN, -DOWN, {"queries": np.zeros(40)}, (-0.851, *WHOLE)),
    "no negative": (TEN | 1, DOWN, -DOWN, {}, (0.0, -0.145, 0.145, 1.0)),
    "few negatives at a prevalence": (
        TEN[:20],
        DOWN[:20],
        -DOWN[:20],
        {"prevalence": 0.01},
        (-0.994, *WHOLE),
    ),
    "queries that are right": (
        np.tile([1, 0], 20),
        DOWN,
        DOWN,
        {"queries": np.repeat(np.arange(20), 2)},
        (0.0, -0.0631, 0.0631, 1.0),
    ),
}


@pytest.mark.parametrize("case", EDGES)
def test_edges(case):
    y, first, second, options, expected = EDGES[case]
    found = differences(joint(y, [first, second], **options))
    numbers = (found.estimate, *found.limits(0.95), found.pvalues)
    assert np.ravel(numbers) == pytest.approx(expected, abs=5e-4, rel=2e-3)


@pytest.mark.slow
def test_scores_without_positives_have_no_limits():
    y = np.column_stack((TEN, np.zeros(40, int), TEN))
    models = [np.column_stack([s] * 3) for s in (DOWN, -DOWN)]
    with pytest.warns(UndefinedMetricWarning) as warned:
        found = differences(joint(y, models, average=None))
    assert len(warned) == 1
    assert np.isnan(found.pvalues).tolist() == [False, True, False]
    assert np.isnan(found.limits(0.9)).tolist() == [[False, True, False]] * 2
    assert found.compared(0.9).verdict.tolist() == ["worse", "undecided", "worse"]
    assert np.isnan(found.estimate).tolist() == [False, True, False]
    with pytest.warns(UndefinedMetricWarning) as warned:
        mean = differences(joint(y, models))
    assert len(warned) == 1
    columns = [[one.Rows(TEN, score)] * 2 for score in column_of_models(models, 0)]
    expected = reference.of_rows(STEP, columns, np.full(2, 1 / 3))  # the third adds its 0 alone
    check(mean, reference.Difference(expected, 1, 0), 0.95)
    single = differences(joint(y[:, :2], [s[:, :2] for s in models], average=None, zero_division=0))
    assert single.pvalues[0] == single.single_pvalues[0]  # there is no other difference
    first = column_of_models(models, 0)
    one_class = differences(joint(np.zeros(40, int), first, zero_division=0.0))
    assert np.isnan([*one_class.limits(0.9), one_class.pvalues]).all()
    best = best_of(joint(np.zeros(40, int), first, zero_division=0.0), 0.9)
    assert np.isnan([best.winner_low, *best.pvalues]).all()


def column_of_models(tables, column):
    return [table[:, column] for table in tables]


@pytest.mark.parametrize("n_columns", [None, 3])
def test_positives_that_are_no_rows_take_one_row_of_each_ranking(n_columns):
    _, y, models, _, clusters = draw(0, n_columns=n_columns)
    counts = y.sum(axis=0) + 10**12
    found = joint(y, models, n_positives=counts, average=None, clusters=clusters)
    rows = found.scored.rows
    assert rows.place.size == 2 * (y.size + counts.size)
    assert rows.n_units == np.unique(clusters).size + counts.size
    assert np.all(found.n_effective_of_differences > 10**11)


def test_columns_with_positives_that_are_no_rows_are_compared_by_half_samples():
    _, y, models, _, _ = draw(0, n_columns=2)
    options = {"average": None, "n_positives": y.sum(axis=0) + 2}
    found = joint(y, models, PrecisionAtRecall(0.5), **options)
    alone = joint(
        y[:, 0],
        [score[:, 0] for score in models],
        PrecisionAtRecall(0.5),
        n_positives=y[:, 0].sum() + 2,
    )
    assert found.covariance[0, 2] == pytest.approx(alone.covariance[0, 1], rel=0.2)


def test_models_with_other_classes_are_refused():
    """Estimators of folds may know classes that no other one knows."""
    y, score = np.arange(9) % 3, np.eye(4)[np.arange(9) % 3]
    requests = [
        Request(y_true=y, y_score=score, labels=labels) for labels in ([0, 1, 2, 7], [-1, 0, 1, 2])
    ]
    rankings = [check_rankings(each, all_items=True) for each in requests]
    with pytest.raises(ValueError, match="must be the same classes for each model"):
        models_of_rows(Step(), requests[0], rankings)


@pytest.mark.parametrize("definition", [PrecisionAtK(3), AtK(3), PrecisionAtRecall(0.5), Step()])
def test_columns_without_errors_that_share_rows_have_the_room_of_one(definition):
    y = np.repeat([1, 0], [20, 60])
    models = [2.0 * y, np.random.default_rng(0).random(80)]
    one_column = joint(y, models, definition)
    found = joint(np.c_[y, y], [np.c_[s, s] for s in models], definition)
    limits = [np.ravel(each.estimate.limits(0.95)) for each in (found, one_column)]
    assert limits[0][0] == pytest.approx(limits[1][0], abs=1e-6)
    assert 0 < limits[0][0] < 0.9
    low, high = differences(found).limits(0.95)
    assert high - low > 0.1


def test_joined_differences_are_those_of_each_part_at_the_level_of_bonferroni():
    parts = []
    for seed, n_rows in ((1, 24), (2, 60)):
        _, y, models, *_ = draw(seed, n_rows=n_rows, n_models=3)
        parts.append(differences(joint(y, models)))
    joined = join_differences(parts)
    assert joined.n_known == 4
    strict = [part.limits_at(ndtri(1 - 0.05 / 4 / 2)) for part in parts]
    for found, expected in zip(joined.limits(0.95), zip(*strict, strict=True), strict=True):
        np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-12)
    single = np.concatenate([part.single_pvalues for part in parts])
    np.testing.assert_allclose(joined.pvalues, np.minimum(4 * single, 1), rtol=1e-9)
    larger = joined.enlarged(3).limits_at(2.0)
    for found, *expected in zip(
        larger, *(part.enlarged(3).limits_at(2.0) for part in parts), strict=True
    ):
        np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-12)
