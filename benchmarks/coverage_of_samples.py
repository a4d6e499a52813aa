"""Do limits of differences of samples and of segments hold, and do equal ones differ, or chance?

    python benchmarks/coverage_of_samples.py

writes the tables "two-samples", "segments" and "chance" of docs/evidence. Half of the samples of a
cell have equal scores, and half have one that is lower. Coverage and width are those of limits at
95%; then comes the largest share of samples with any p <= 0.05 where all are equal, and the median
share in which the lower one is found. Tests against chance have no limits.
"""

import math
import warnings

import numpy as np
import populations as p
from simulation import column, generators, lowest_and_median, main, tallied

import sklearn_ap
from sklearn_ap.definitions import AtK

SEED, ALPHA, STRICT = 20261128, 0.05, 0.01


def ask(cell, n_samples):
    """Return coverage, width, errors and power in percent."""
    warnings.simplefilter("ignore")
    truth = cell.truth() if callable(cell.truth) else cell.truth
    facts = {"kind": cell.kind, "name": cell.name, "covers": [], "width": []}
    for is_lower in (False, True):
        rngs = generators(n_samples, cell.name, SEED, int(is_lower))
        found = np.array([cell.ask(rng, is_lower) for rng in rngs], dtype=float)
        value, low, high, pvalue, least = found[np.isfinite(found[:, -1])].T
        made = tallied(value, low, high, truth if is_lower else 0.0)
        facts["covers"].append(made["covers"])
        facts["width"].append(made["width"])
        if is_lower:
            facts["found"] = 100 * np.mean(pvalue <= ALPHA)
        else:
            facts["errors"] = [100 * np.mean(least <= alpha) for alpha in (ALPHA, STRICT)]
    is_test = math.isnan(facts["covers"][0])  # which has no limits
    return facts | {"order": 100 - facts["errors"][0] if is_test else facts["covers"][0]}


# ---- two samples


def compare_samples(rng, is_lower, old, new, n_papers=0):
    """Compare two samples, of which the first may be known by their printed numbers alone."""
    samples = [old(rng), new[is_lower](rng)]
    found = [sklearn_ap.average_precision_interval(y, s, **options) for y, s, options in samples]
    papers = [tuple(np.round((i.estimate, i.low, i.high), 3).tolist()) for i in found[:n_papers]]
    made = sklearn_ap.compare_independent(*papers, *found[n_papers:])
    limits = made.difference[1], made.difference_low[1], made.difference_high[1]
    return *limits, made.pvalue[1], made.pvalue[1]


def loss(draws):
    """How much lower the score of the second way to draw is."""
    same, lower = (p.score_of_many(draw, n=100_000) for draw in draws)
    return lower - same


def loss_by_scores(prevalence, scores):
    """The same of rows that are drawn by classes."""
    same, lower = (p.truth_of_scores(prevalence, each) for each in scores)
    return lower - same


# ---- segments, whose names, and so their order, are drawn

SHIFTS = (1.5, 0.9)  # of positives, and of those of a worse segment
NEARER, N_TRUE_QUERIES = 0.8, 40_000


def prevalence_of(sizes):
    return sum(n for n, _ in sizes) / sum(n / share for n, share in sizes)


def draw_rows(rng, is_lower, sizes, n_clusters=0, spread=0.0, calibrated=False, **how):
    """Return labels, scores, options and the place of the first segment, which may be worse."""
    parts = [p.labels(rng, n, share, fewest=2) for n, share in sizes]
    segment, y = np.repeat(range(len(sizes)), [*map(len, parts)]), np.concatenate(parts)
    names, scores = rng.permutation(len(sizes)), rng.normal(size=y.size)
    options = {"prevalence": prevalence_of(sizes)}
    if how.get("previous"):
        options["reference"] = "previous"
        names = np.roll(np.arange(len(sizes)), 1)  # the first one is the last
    if n_clusters:
        options["clusters"] = clusters = rng.integers(0, n_clusters, y.size)
        scores = math.sqrt(0.6) * scores + math.sqrt(0.4) * rng.normal(size=n_clusters)[clusters]
    if spread:
        options["sample_weight"] = rng.lognormal(0, spread, y.size)
    good, bad = how.get("shifts", SHIFTS)
    levels = np.broadcast_to(how.get("levels", 0.0), len(sizes))
    scores += np.where(is_lower & (segment == 0), bad, good) * y
    scores += 20 * ((y == 0) & (rng.random(y.size) < how["alarms"])) if "alarms" in how else 0
    if calibrated:  # logits, as of a model that knows the segment
        shares = np.array([share for _, share in sizes])
        scores, levels = good * scores - good**2 / 2, np.log(shares / (1 - shares))
    return y, scores + levels[segment], options | {"segments": names[segment]}, names[0]


def draw_queries(rng, is_lower, numbers, n, share, mean, deviation):
    """Queries whose first document is relevant; in a worse segment, classes are less apart."""
    segment = np.repeat(range(len(numbers)), numbers)
    query = np.repeat(np.arange(segment.size), n)
    y = (rng.random(query.size) < share) * 1
    y[::n] = 1
    distances = rng.normal(mean, deviation, segment.size) - NEARER * is_lower * (segment == 0)
    names = rng.permutation(len(numbers))
    options = {"segments": names[segment[query]], "queries": query, "prevalence": "own"}
    return y, distances[query] * y + rng.normal(size=query.size), options, names[0]


def loss_of_queries(how):
    """The difference of a worse segment from the others."""
    means = []
    for is_lower in (False, True):
        y, s, options, _ = draw_queries(np.random.default_rng(0), is_lower, [N_TRUE_QUERIES], **how)
        means.append(sklearn_ap.average_precision_score(y, s, queries=options["queries"]))
    return means[1] - means[0]


def compare_segments(rng, is_lower, draw):
    y, s, options, first = draw(rng, is_lower)
    found = sklearn_ap.compare_segments(y, s, **options)
    limits = found.difference[first], found.difference_low[first], found.difference_high[first]
    pvalues = np.nan_to_num(found.pvalue, nan=1.0)
    return *limits, pvalues[first], min(pvalues) if np.isfinite(limits[0]) else math.nan


# ---- tests of a score against chance

SKILL = 0.4  # of scores that are better than random


def compare_with_chance(rng, is_lower, unit, sizes, change):
    """Return the p-value alone; here, scores with some skill stand for lower ones."""
    y, s, options = p.unrelated_scores(rng, SKILL * is_lower, unit, sizes, change)
    if "AP@10" in change:
        options["definition"] = AtK(10)
    options |= {"n_permutations": 199, "rng": int(rng.integers(2**32)), "zero_division": 0.0}
    pvalue = sklearn_ap.chance_test(y, s, **options).pvalue
    return math.nan, math.nan, math.nan, pvalue, pvalue


def errors(summed, place=0):
    return lambda cells: f"{summed(column(cells, 'errors', place)):.1f}"


def found(cells):
    return f"{np.median(column(cells, 'found')):.0f}"


LIMITS = {
    "coverage, lowest / median": lambda cells: lowest_and_median(column(cells, "covers")),
    "width": lambda cells: f"{np.median(column(cells, 'width')):.2f}",
}
TABLES = {
    "two-samples": LIMITS | {"equal ones differ": errors(np.max), "lower one found": found},
    "segments": {"any error": errors(np.max)} | LIMITS | {"found, median": found},
    "chance": {
        "p ≤ .05 of random scores: median": errors(np.median),
        "most": errors(np.max),
        "p ≤ .01: most": errors(np.max, 1),
        "found, median": found,
    },
}

if __name__ == "__main__":
    main("samples", ask, TABLES, __doc__, samples=200, again=1000)
