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
from tables import COVERAGE, Section, below, table_by, table_of, told

import sklearn_ap

N_RESAMPLES, Z = 200, 1.959964
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
    spread, error = math.sqrt(estimate * (1 - estimate) / n), made.standard_error
    width = inside * (1 - inside)
    ends = np.array([-Z, Z])
    ways = {
        OURS: (made.low, made.high),
        "percentile bootstrap": np.quantile(resampled(rng, y, s), [0.025, 0.975]),
        "logit, our standard error": expit(logit(inside) + ends * error / width),
        "logit, binomial": expit(logit(inside) + ends / math.sqrt(n * width)),
        "binomial": estimate + ends * spread,
    }
    found = {way: around(estimate, *limits, truth) for way, limits in ways.items()}
    found[OURS]["warned"] = warned
    for level in LEVELS:
        made, _ = heard("", sklearn_ap.average_precision_interval, y, s, confidence_level=level)
        found[f"{100 * level:g}%"] = around(estimate, made.low, made.high, truth)
    return found


def two(rng, truth, draw):
    y, s, _ = populations.disguised(rng, *draw(rng))
    models = dict(zip("AB", s, strict=True))
    made, warned = heard("", sklearn_ap.compare_average_precision, y, models)
    change, error = made.differences[1], made.difference_standard_errors[1]
    limits = made.difference_lows[1], made.difference_highs[1]
    by_rows = np.quantile(resampled(rng, y, *s), [0.025, 0.975])
    return {
        OURS: around(change, *limits, truth, warned),
        "percentile bootstrap": around(change, *by_rows, truth),
        "+-1.96 SE": around(change, change - Z * error, change + Z * error, truth),
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
    conclusion = told(
        "Where no constant was chosen, median coverage was {covers.median:.0f}%, and "
        "{covers.least:.0f}% in the worst of {n} settings.",
        ours,
    )
    return Section(
        conclusion,
        summary,
        [below(ours, FAILS, what="Settings")],
        [of_levels, table_of("All settings", each, **figures)],
    )


if __name__ == "__main__":
    main("held_out", __doc__, cells, {"held out": held_out_section})
