"""Simulations of what is promised: coverage and width of intervals, and margins.

A reference with the same constants shows that the code is the formula, and not that the formula is
right. Here, samples are drawn from populations whose average precision is known. Each family has
bounds that a wrong constant breaks: of coverage, and of the mean width in units of the width that a
known standard error would give, as an interval of any width covers if it is wide enough. All is
seeded, so a test gives the same figures each time. ``benchmarks/`` has the slow grids.
"""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import average_precision_score

import sklearn_ap

N_SAMPLES = 1000
Z = norm.ppf(0.975)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning"),
]


def average_precision(shift, prevalence):
    """That of a population whose scores are normal, and shifted where rows are positive."""
    recall = (np.arange(200_000) + 0.5) / 200_000
    false_alarms = norm.sf(norm.isf(recall) + shift)
    return np.mean(prevalence * recall / (prevalence * recall + (1 - prevalence) * false_alarms))


def rows(rng, shift, prevalence, n_positives):
    y = np.repeat([1, 0], [n_positives, round(n_positives * (1 / prevalence - 1))])
    return y, shift * y + rng.normal(size=y.size), {}


def clusters(rng, shift, prevalence, n_clusters):
    """Ten rows each, whose labels and scores are correlated within a cluster."""
    of_cluster = np.repeat(np.arange(n_clusters), 10)
    latent = np.sqrt(0.4) * rng.normal(size=n_clusters)[of_cluster]
    y = (latent + np.sqrt(0.6) * rng.normal(size=of_cluster.size) > norm.isf(prevalence)) * 1
    common = np.sqrt(0.5) * rng.normal(size=(2, n_clusters))[y, of_cluster]  # of each class
    s = shift * y + common + np.sqrt(0.5) * rng.normal(size=y.size)
    return y, s, {"clusters": of_cluster}


def queries(rng, shift, n_queries):
    """Twenty rows each, five of them positive, of queries that are easy or hard."""
    y = np.tile(np.repeat([1, 0], [5, 15]), n_queries)
    of_query = np.repeat(np.arange(n_queries), 20)
    ease = shift + 0.7 * rng.normal(size=n_queries)[of_query]
    return y, ease * y + rng.normal(size=y.size), {"queries": of_query}


def mean_of_queries(shift):
    y, s, _ = queries(np.random.default_rng(1), shift, 40_000)
    ranked = np.take_along_axis(y.reshape(-1, 20), np.argsort(-s.reshape(-1, 20)), 1)
    precision = np.cumsum(ranked, 1) / np.arange(1, 21)
    return np.mean(np.sum(precision * ranked, 1) / 5)


POOL = rows(np.random.default_rng(2), 1.5, 0.1, 400)[:2]


def few_labels(rng, n_labels):
    """Of a pool of 4,000 rows, those that the library chooses have labels."""
    y, s = POOL
    plan = sklearn_ap.rows_to_label(s, n_labels, rng=rng)
    seen = np.full(y.size, np.nan)
    seen[plan.rows] = y[plan.rows]
    return seen, s, {"inclusion_probability": plan.inclusion_probability}


# How to draw a sample, the truth, the bounds of coverage in %, and those of the relative width.
FAMILIES = {
    "weak": (rows, (0.5, 0.05, 50), average_precision(0.5, 0.05), (94, 100), (1.57, 1.73)),
    "middling": (rows, (1.5, 0.2, 60), average_precision(1.5, 0.2), (97, 99.8), (1.19, 1.29)),
    "nearly perfect": (rows, (4.0, 0.2, 40), average_precision(4.0, 0.2), (96, 100), (7.1, 7.9)),
    "clusters": (clusters, (1.5, 0.3, 60), average_precision(1.5, 0.3), (97.5, 99.7), (1.2, 1.31)),
    "queries": (queries, (1.0, 50), mean_of_queries(1.0), (93, 96.5), (0.97, 1.05)),
    "few labels": (few_labels, (300,), average_precision_score(*POOL), (95, 98.5), (1.13, 1.25)),
}


@pytest.mark.parametrize(
    ("draw", "given", "truth", "coverage", "width"), FAMILIES.values(), ids=FAMILIES
)
def test_intervals_have_their_coverage_and_width(draw, given, truth, coverage, width):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(N_SAMPLES):
        y, s, options = draw(rng, *given)
        interval = sklearn_ap.average_precision_interval(y, s, **options)
        found.append((interval.low, interval.high, interval.estimate))
    low, high, estimate = np.array(found).T
    covered = 100 * np.mean((low <= truth) & (truth <= high))
    relative = np.mean(high - low) / (2 * Z * np.std(estimate))
    print(f"coverage {covered:.2f} %, relative width {relative:.3f}")
    assert coverage[0] <= covered <= coverage[1]
    assert width[0] <= relative <= width[1]


def worse_scores(rng):
    """Of two models whose scores are normal, the second one is worse by the margin."""
    y, s, _ = rows(rng, 0.0, 0.2, 100)
    noise = np.sqrt(0.7) * s + np.sqrt(0.3) * rng.normal(size=(2, y.size))
    return y, noise + np.array([[1.8], [1.5]]) * y


def rare_false_alarms(rng):
    """The second model ranks 0.3% of the negatives above all rows: 2.7 in a sample, on average."""
    y, s, _ = rows(rng, 2.0, 0.1, 100)
    is_alarm = (y == 0) & (rng.random(y.size) < 0.003)
    return y, np.stack([s, s + 30 * is_alarm])


def loss_by_rare_false_alarms():
    recall = (np.arange(200_000) + 0.5) / 200_000
    fallout = 0.003 + 0.997 * norm.sf(norm.isf(recall) + 2.0)
    return average_precision(2.0, 0.1) - np.mean(0.1 * recall / (0.1 * recall + 0.9 * fallout))


@pytest.mark.parametrize(
    ("draw", "margin"),
    [
        (worse_scores, average_precision(1.8, 0.2) - average_precision(1.5, 0.2)),
        (rare_false_alarms, loss_by_rare_false_alarms()),
    ],
)
def test_of_models_that_are_worse_by_the_margin_few_are_called_not_worse(draw, margin):
    rng, n_wrong = np.random.default_rng(0), 0
    for _ in range(N_SAMPLES):
        y, scores = draw(rng)
        models = dict(zip("ab", scores, strict=True))
        found = sklearn_ap.compare_average_precision(y, models, margin=margin)
        n_wrong += found.margin.low[1] > -margin
    errors = 100 * n_wrong / N_SAMPLES
    print(f"{errors:.2f} %")
    assert 0.2 <= errors <= 8.5  # the page says 8
