"""Coverage and width in settings on which no constant was chosen, beside other intervals.

No constant of the package may be chosen by these cells: they show what the others promise.
"""

import math
from functools import partial
from itertools import product

import numpy as np
import populations
from populations import easy, normal
from scipy.special import expit, logit
from simulation import Cell, heard, main
from tables import COVERAGE, Section, below, promise, table_by, table_of

import sklearn_ap

N_RESAMPLES, Z = 200, 1.959964
MOST_RESAMPLED = 20_000  # rows: a bootstrap of more takes hours
OURS = "this library"
LEVELS = (0.8, 0.9, 0.99)
FAILS = 92  # two standard errors of 200 samples from 95


def by_class(of_negatives, of_positives):
    """Scores that are drawn from one distribution for each class."""
    return lambda rng, y: np.where(y == 1, of_positives(rng, y.size), of_negatives(rng, y.size))


def student(degrees, shift):
    return lambda rng, y: rng.standard_t(degrees, y.size) + shift * y


def levels(n, shift):
    """The quantiles of normal scores, as a grade from 0 to n - 1."""
    cuts = np.linspace(-2, 2 + shift, n - 1)
    return lambda rng, y: np.digitize(normal(shift)(rng, y), cuts).astype(float)


def mixture(rng, y):
    """A third of the positives is easy, a tenth of the negatives looks like positives."""
    far = np.where(y == 1, rng.random(y.size) < 1 / 3, rng.random(y.size) < 0.1)
    return rng.normal(size=y.size) + np.where(y == 1, 1.0, 0.0) + 2.5 * far


def mostly_lowest(rng, y):
    """Ten levels, of which the lowest has most negatives and many positives."""
    lowest = rng.random(y.size) < np.where(y == 1, 0.4, 0.9)
    return np.where(lowest, 0, rng.integers(1, 10, y.size) + 0.0)


def outliers(rng, y):
    return normal(2)(rng, y) + 6.0 * ((y == 0) & (rng.random(y.size) < 0.002))


def two_decimals(rng, y):
    return np.round(np.where(y == 1, rng.beta(2, 4, y.size), rng.beta(0.7, 8, y.size)), 2)


def some_above(share):
    """A share of the negatives stands above all positives, the rest below."""
    return lambda rng, y: rng.random(y.size) + y + 2 * ((y == 0) & (rng.random(y.size) < share))


def few_easy(n_easy, n, shift=0.3):
    """A weak model, but for so many of n positives, on average: they stand far above all others."""
    return lambda rng, y: normal(shift)(rng, y) + 9.0 * (y & (rng.random(y.size) < n_easy / n))


def few_bad(n_bad, n, prevalence, shift):
    """So many negatives, on average, stand far above all others."""
    share = n_bad * prevalence / (n * (1 - prevalence))
    return lambda rng, y: normal(shift)(rng, y) + 9.0 * ((y == 0) & (rng.random(y.size) < share))


def undetectable(share, shift):
    """A share of the positives has scores of negatives."""
    return lambda rng, y: rng.normal(size=y.size) + shift * (y & (rng.random(y.size) >= share))


def zero_inflated(shift, of_positives, of_negatives):
    """Most scores are exactly 0."""

    def scores(rng, y):
        is_zero = rng.random(y.size) < np.where(y == 1, of_positives, of_negatives)
        return np.where(is_zero, 0.0, rng.gamma(2.0, 1.0, y.size) + shift * y)

    return scores


def zipf_clusters(rng, n_clusters, prevalence, shift, effect, easy_clusters=0.0):
    """Clusters of 1 to 200 rows, as of words or users, that share a part of their scores.

    The positives of a share of the clusters stand far above all others.
    """
    sizes = np.minimum(rng.zipf(1.8, n_clusters), 200)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    y = (rng.random(cluster.size) < prevalence) * 1
    y[0] = 1
    shared = effect * rng.normal(size=n_clusters)[cluster]
    far = 9.0 * (y & (rng.random(n_clusters) < easy_clusters)[cluster])
    return y, shift * y + shared + rng.normal(size=y.size) + far, {"clusters": cluster}


# Positives, their prevalence, and scores.
ONE = {
    "t with 3 degrees of freedom": (100, 0.05, student(3, 1.5)),
    "t with 2 degrees of freedom": (150, 0.3, student(2, 1.5)),
    "mixtures of both classes": (100, 0.02, mixture),
    "a tenth of the positives at the top": (60, 0.1, easy(0.1)),
    "5 levels": (80, 0.2, levels(5, 1.5)),
    "20 levels": (100, 0.02, levels(20, 2.0)),
    "10 levels, most in the lowest": (80, 0.1, mostly_lowest),
    "near-perfect, half positive": (200, 0.5, normal(5.0)),
    "near-perfect, rare": (100, 0.01, normal(6.0)),
    "5 positives of 500": (5, 0.01, normal(2.0)),
    "8 positives of 80": (8, 0.1, normal(1.0)),
    "12 positives of 6,000": (12, 0.002, normal(3.0)),
    "20 positives of 20,000": (20, 0.001, normal(4.0)),
    "270 positives of 300": (270, 0.9, normal(1.0)),
    "54 positives of 60": (54, 0.9, normal(1.0)),
    "hardly better than chance": (300, 0.3, normal(0.1)),
    "worse than chance": (100, 0.2, normal(-0.5)),
    "outliers among negatives": (100, 0.1, outliers),
    "skewed": (
        50,
        0.05,
        by_class(np.random.Generator.standard_exponential, lambda g, n: g.gamma(4, 1, n)),
    ),
    "probabilities of two decimals": (60, 0.1, two_decimals),
    "0.3% of negatives above all, 10 positives": (10, 0.01, some_above(0.003)),
    "3% of negatives above all, 100 positives": (100, 0.5, some_above(0.03)),
    "0.1% of negatives above all, 30 positives": (30, 0.01, some_above(0.001)),
}
# Rows that a sample may hide, few easy positives or bad negatives, and what else makes a weak or a
# nearly perfect model.
HIDDEN = {
    "half of 30 easy, 1%": (30, 0.01, few_easy(0.5, 30)),
    "1 of 100 easy, 1%": (100, 0.01, few_easy(1, 100)),
    "2 of 60 easy, 1%": (60, 0.01, few_easy(2, 60)),
    "3 of 300 easy, 1%": (300, 0.01, few_easy(3, 300)),
    "5 of 150 easy, 2%": (150, 0.02, few_easy(5, 150, 0.6)),
    "1 of 1,000 easy, 2%": (1000, 0.02, few_easy(1, 1000)),
    "half a negative bad, 50 positives": (50, 0.05, few_bad(0.5, 50, 0.05, 2.0)),
    "1 negative bad, 40 positives": (40, 0.1, few_bad(1, 40, 0.1, 4.0)),
    "2 negatives bad, 200 positives": (200, 0.1, few_bad(2, 200, 0.1, 5.0)),
    "3 negatives bad, 100 positives": (100, 0.05, few_bad(3, 100, 0.05, 3.0)),
    "5 negatives bad, 30 positives": (30, 0.1, few_bad(5, 30, 0.1, 5.0)),
    "weak, t with 3 degrees": (100, 0.01, student(3, 0.5)),
    "middling, t with 4 degrees": (50, 0.02, student(4, 1.0)),
    "weak, Cauchy": (60, 0.02, student(1, 0.5)),
    "half of the positives undetectable": (60, 0.02, undetectable(0.5, 3.0)),
    "9 of 10 positives undetectable": (200, 0.01, undetectable(0.9, 3.0)),
    "1 of 20 positives undetectable": (80, 0.1, undetectable(0.05, 5.0)),
    "mostly 0, weak": (100, 0.02, zero_inflated(0.5, 0.8, 0.95)),
    "mostly 0, good": (30, 0.05, zero_inflated(4.0, 0.3, 0.95)),
    "3 grades, weak": (100, 0.05, levels(3, 0.5)),
    "6 grades": (60, 0.01, levels(6, 1.0)),
    "200 positives of 220": (200, 10 / 11, normal(0.5)),
    "40 positives of 50": (40, 0.8, normal(2.0)),
    "10 positives of 1,000, weak": (10, 0.01, normal(0.5)),
    "30 positives of 3,000, weak": (30, 0.01, normal(0.3)),
    "300 positives of 15,000, weak": (300, 0.02, normal(0.2)),
    "1,000 positives of 50,000, weak": (1000, 0.02, normal(0.1)),
    "3,000 positives of 100,000, weak": (3000, 0.03, normal(0.3)),
}
IN_CLUSTERS = {
    "Zipf clusters, weak": {"n_clusters": 600, "prevalence": 0.03, "shift": 0.5, "effect": 0.5},
    "Zipf clusters, good": {"n_clusters": 300, "prevalence": 0.1, "shift": 2.5, "effect": 0.5},
    "Zipf clusters, 3% easy": {
        "n_clusters": 600,
        "prevalence": 0.05,
        "shift": 0.3,
        "effect": 0.0,
        "easy_clusters": 0.03,
    },
}
# The simulation of Boyd, Eng and Page (2013), section 4.
BOYD = {
    "binormal": normal(1.0),
    "bibeta": by_class(lambda g, n: g.beta(2, 5, n), lambda g, n: g.beta(5, 2, n)),
    "offset uniform": lambda rng, y: rng.random(y.size) + 0.5 * y,
}
# Both models of a comparison: how far their classes are apart, correlation, positives, prevalence.
PAIRS = {
    "equal, correlation .98": ((1.5, 1.5), 0.98, 100, 0.05),
    "equal, correlation .5, 15 positives": ((1.5, 1.5), 0.5, 15, 0.1),
    "equal, 80% positive": ((1.0, 1.0), 0.5, 240, 0.8),
    "equal, near-perfect": ((4.5, 4.5), 0.5, 100, 0.1),
    "unlike, correlation .8": ((1.5, 1.8), 0.8, 100, 0.1),
    "unlike, rare": ((3.0, 3.3), 0.9, 40, 0.005),
}


def resampled(rng, y, *scores):
    """Step AP of each model, minus that of the first if there are two, in bootstrap samples."""
    draws = rng.multinomial(y.size, np.full(y.size, 1 / y.size), size=N_RESAMPLES)
    found = [_step(draws, y, score) for score in scores]
    return found[0] if len(found) == 1 else found[1] - found[0]


def _step(draws, y, score):
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.r_[np.diff(score[order]) != 0, True])
    tps = np.cumsum(draws[:, order] * y[order], axis=1)[:, ends]
    rows = np.cumsum(draws[:, order], axis=1)[:, ends]
    hits = np.diff(tps, axis=1, prepend=0)
    return (hits * tps / np.maximum(rows, 1)).sum(axis=1) / np.maximum(tps[:, -1], 1)


def around(estimate, low, high, truth, warned=math.nan):
    return {"estimate": estimate, "low": low, "high": high, "truth": truth, "warned": warned}


def one(rng, truth, draw):
    """Our interval, and those that are used in its place."""
    y, s, _ = populations.disguised(rng, *draw(rng))
    made, warned = heard("", sklearn_ap.average_precision_interval, y, s)
    estimate, n = made.estimate, int(y.sum())
    inside = min(max(estimate, 1e-9), 1 - 1e-9)
    spread = math.sqrt(estimate * (1 - estimate) / n)
    width = inside * (1 - inside)
    ends = np.array([-Z, Z])
    ways = {
        OURS: (made.low, made.high),
        "logit, binomial": expit(logit(inside) + ends / math.sqrt(n * width)),
        "binomial": estimate + ends * spread,
    }
    if y.size <= MOST_RESAMPLED:
        ways["percentile bootstrap"] = np.quantile(resampled(rng, y, s), [0.025, 0.975])
    found = {way: around(estimate, *limits, truth) for way, limits in ways.items()}
    found[OURS]["warned"] = warned
    for level in LEVELS:
        made, _ = heard("", sklearn_ap.average_precision_interval, y, s, confidence_level=level)
        found[f"{100 * level:g}%"] = around(estimate, made.low, made.high, truth)
    return found


def ours(rng, truth, draw):
    """Our interval over clusters, which the others know nothing of."""
    y, s, options = populations.disguised(rng, *draw(rng))
    made, warned = heard("", sklearn_ap.average_precision_interval, y, s, **options)
    return {OURS: around(made.estimate, made.low, made.high, truth, warned)}


def two(rng, truth, draw):
    y, s, _ = populations.disguised(rng, *draw(rng))
    models = dict(zip("AB", s, strict=True))
    made, warned = heard("", sklearn_ap.compare_average_precision, y, models)
    change = made.differences[1]
    limits = made.difference_lows[1], made.difference_highs[1]
    by_rows = np.quantile(resampled(rng, y, *s), [0.025, 0.975])
    return {
        OURS: around(change, *limits, truth, warned),
        "percentile bootstrap": around(change, *by_rows, truth),
    }


def sample_of(rng, n, prevalence, scores):
    y = populations.labels(rng, n, prevalence)
    return y, scores(rng, y), {}


def truth_of(prevalence, scores):
    y = np.repeat([1, 0], [100_000, 500_000])
    weight = np.where(y == 1, prevalence * 5, 1 - prevalence)
    s = scores(np.random.default_rng(0), y)
    return sklearn_ap.average_precision_score(y, s, sample_weight=weight)


def cells():
    for name, (n, prevalence, scores) in ONE.items():
        draw = partial(sample_of, n=n, prevalence=prevalence, scores=scores)
        truth = partial(truth_of, prevalence, scores)
        yield Cell(name, partial(one, draw=draw), 200, truth, {"kind": "one ranking"})
    for name, (n, prevalence, scores) in HIDDEN.items():
        draw = partial(sample_of, n=n, prevalence=prevalence, scores=scores)
        truth = partial(truth_of, prevalence, scores)
        yield Cell(name, partial(one, draw=draw), 200, truth, {"kind": "hidden rows"})
    for name, size in IN_CLUSTERS.items():
        draw = partial(zipf_clusters, **size)
        many = size | {"n_clusters": 400_000}
        truth = partial(populations.score_of_many, zipf_clusters, **many)
        yield Cell(name, partial(ours, draw=draw), 200, truth, {"kind": "hidden rows"})
    for (name, scores), n in product(BOYD.items(), (20, 100, 500)):
        draw = partial(sample_of, n=n, prevalence=0.1, scores=scores)
        truth, facts = partial(truth_of, 0.1, scores), {"kind": "Boyd, Eng and Page"}
        yield Cell(f"{name}, {n} positives", partial(one, draw=draw), 200, truth, facts)
    for name, (shifts, correlation, n, prevalence) in PAIRS.items():
        how = {"n_positives": n, "shifts": shifts, "correlation": correlation}
        draw = partial(populations.normals, prevalence=prevalence, **how)
        truth = partial(populations.binormal_difference, shifts, prevalence)
        yield Cell(name, partial(two, draw=draw), 200, truth, {"kind": "comparison"})


def held_out_section(rows):
    at_95 = [row for row in rows if not row["way"].endswith("%")]
    ours = [row for row in at_95 if row["way"] == OURS]
    kinds = {
        kind: [row for row in at_95 if row["kind"] == kind]
        for kind in dict.fromkeys(row["kind"] for row in rows)
    }
    heads = {name: text for name, text in COVERAGE.items() if name != "cells"}
    summary = []
    for kind, of_kind in kinds.items():
        head, *lines = table_by("way", of_kind, heads)
        summary += [["settings", "interval", *head[1:]]] if not summary else []
        summary += [[kind if i == 0 else "", *line] for i, line in enumerate(lines)]
    others = [row for row in rows if row["way"].endswith("%")]
    of_levels = table_by("way", others, heads, "Other levels")
    each = [row | {"name": f"{row['name']}: {row['way']}"} for row in at_95]
    figures = {"coverage": "{covers:.1f}", "width": "{width:.2f}", "warned": "{warned:.0f}"}
    return Section(
        [promise("95% intervals in held-out simulations", ours)],
        summary,
        [below(ours, FAILS, what="Settings")],
        [of_levels, table_of("All settings", each, **figures)],
    )


if __name__ == "__main__":
    main("held_out", __doc__, cells, {"held out": held_out_section})
