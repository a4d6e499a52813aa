"""How often limits of differences of samples and segments hold, and how often equal ones differ.

    python benchmarks/coverage_of_samples.py --samples 400 --jobs 2 [--only KIND]

prints for each kind of setting, in percent: the lowest and the median coverage of limits at 95%
where scores are equal and where one is lower, the median width over that of a normal estimate with
the true standard deviation, the largest share of samples with any p <= 0.05 where all are equal,
and the median share in which the lower one is found. Tests against chance have no limits.
"""

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import populations as p
from coverage_of_intervals import main, numbers

import sklearn_ap
from sklearn_ap.definitions import AtK

SEED, ALPHA, NORMAL_WIDTH = 20261128, 0.05, 2 * 1.959964


@dataclass
class Cell:
    """What is asked of a sample, with equal scores or a lower one, and how much lower it is.

    ``ask`` takes a generator and whether one score is lower. It returns a difference, its limits
    and its p-value, and the least p-value of all differences.
    """

    kind: str
    name: str
    ask: object
    truth: object
    share: float = 1.0  # of the samples asked for


def run(cell, n_samples):
    """Return coverage, width, errors and power in percent."""
    warnings.simplefilter("ignore")
    facts = {"kind": cell.kind, "name": cell.name, "n": n_samples, "covers": [], "width": []}
    for is_lower, truth in ((False, 0.0), (True, cell.truth())):
        seed = zlib.crc32(cell.name.encode()), SEED, int(is_lower)
        samples = (np.random.default_rng((*seed, i)) for i in range(n_samples))
        found = np.array([cell.ask(rng, is_lower) for rng in samples], dtype=float)
        value, low, high, pvalue, least = found[np.isfinite(found[:, -1])].T
        holds = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
        facts["covers"].append(100 * np.mean(holds) if np.isfinite(low).any() else math.nan)
        facts["width"].append(np.median(high - low) / (NORMAL_WIDTH * max(np.std(value), 1e-12)))
        shown = pvalue if is_lower else least
        facts["found" if is_lower else "any error"] = 100 * np.mean(shown <= ALPHA)
    return facts


HEADS = "equal scores: lowest / median", "one lower", "width", "any error: most", "found: median"


def line_of(cells):
    covers, width = (np.array([cell[name] for cell in cells]) for name in ("covers", "width"))
    both = zip(covers.min(axis=0), np.median(covers, axis=0), strict=True)
    parts = [f"{low:.1f} / {middle:.1f}" for low, middle in both]
    errors, found = ([cell[name] for cell in cells] for name in ("any error", "found"))
    numbers = f"{np.median(width):.2f} | {max(errors):.1f} | {np.median(found):.1f}"
    return " | ".join([*parts, numbers])


# ---- two samples

LOWER = 0.75  # the score of the new sample, as a part of the old one
ALIKE = ("normal", "normal")
# Positives and their share in both samples, the old score, shapes of scores, and what else is asked
RANKINGS = {
    "20 and 200 of 5%": (20, 0.05, 200, 0.05, 0.5, ALIKE, {}),
    "200 and 20 of 5%": (200, 0.05, 20, 0.05, 0.5, ALIKE, {}),
    "12 and 40 of 1%": (12, 0.01, 40, 0.01, 0.3, ALIKE, {}),
    "80 of 50% each": (80, 0.5, 80, 0.5, 0.8, ALIKE, {}),
    "50 and 100 of 10%, nearly perfect": (50, 0.1, 100, 0.1, 0.97, ALIKE, {}),
    "50 of 5%, 60 of 20%, at 10%": (50, 0.05, 60, 0.2, 0.5, ALIKE, {"at": 0.1}),
    "25 of 10%, 400 of 3%, at 10%": (25, 0.1, 400, 0.03, 0.4, ALIKE, {"at": 0.1}),
    "70 of 10%, easy and heavy-tailed": (70, 0.1, 70, 0.1, 0.5, ("easy", "heavy-tailed"), {}),
    "300 of 10% each, strong": (300, 0.1, 300, 0.1, 0.9, ALIKE, {}),
    "1,000 of 2% each": (1000, 0.02, 1000, 0.02, 0.3, ALIKE, {}),
    "60 and 100 of 10%, two papers": (60, 0.1, 100, 0.1, 0.5, ALIKE, {"n_papers": 2}),
    "20 and 200 of 5%, a paper": (20, 0.05, 200, 0.05, 0.4, ALIKE, {"n_papers": 1}),
    "150 of 10% each, strong, a paper": (150, 0.1, 150, 0.1, 0.9, ALIKE, {"n_papers": 1}),
    "200 of 40% each, at 2%": (200, 0.4, 200, 0.4, 0.5, ALIKE, {"at": 0.02}),
    "100 of 2%, 100 of 33%, at 1%": (100, 0.02, 100, 0.33, 0.5, ALIKE, {"at": 0.01}),
}
# Rare false alarms that a sample may lack: positives of both samples, their share, shifts of equal
# and of lower scores, alarms above all positives that are expected in the new sample
ALARMS = numbers(
    "200 200 .2 4 3 1.5; 2000 200 .2 4 3 1.5; 200 2000 .2 4 3 15; 100 100 .1 3 2 1.8; "
    "1000 100 .1 3 2 1.8; 200 200 .1 5 4 2; 2000 200 .1 5 4 2; 100 100 .5 9 3 2.7; "
    "1000 100 .5 9 3 2.7; 20 20 .05 3 2 1.9; 40 400 .1 9 3 3; 500 500 .5 3 2.5 2.8"
)
# Columns, positives of both samples, prevalence, shift, shared noise
COLUMNS = """50 15 150 .05 1.5 .2; 20 15 150 .1 1.5 .5; 50 25 100 .05 1.5 .2; 20 30 30 .05 1 .2;
    30 10 100 .1 2.5 .2; 100 10 300 .1 1 0; 10 20 400 .5 1 .8"""
PATIENTS, SEARCHES = p.patients, p.unequal_queries
UNITS = [  # how samples are drawn, numbers of units of both, and what lowers the new score
    ("clusters", PATIENTS, {"size": 5, "ill": 0.3}, (60, 150), {"shift": 1.4}),
    ("clusters", PATIENTS, {"size": 10, "ill": 0.5}, (40, 40), {"shift": 1.4}),
    ("clusters", PATIENTS, {"size": 5}, (300, 300), {"shift": 1.4}),
    ("queries", SEARCHES, {"size": 20, "skill": 1.5}, (30, 60), {"skill": 0.8}),
    ("queries", SEARCHES, {"size": 20, "skill": 1.5}, (100, 100), {"skill": 0.8}),
]


def compare_samples(rng, is_lower, old, new, n_papers=0):
    """Compare two samples, of which the first may be known by their printed numbers alone."""
    samples = [old(rng), new[is_lower](rng)]
    found = [sklearn_ap.average_precision_interval(y, s, **options) for y, s, options in samples]
    papers = [tuple(np.round((i.estimate, i.low, i.high), 3).tolist()) for i in found[:n_papers]]
    made = sklearn_ap.compare_independent(*papers, *found[n_papers:])
    limits = made.difference[1], made.difference_low[1], made.difference_high[1]
    return *limits, made.pvalue[1], made.pvalue[1]


def of_samples():
    for name, (n, share, m, other, score, shapes, more) in RANKINGS.items():
        at, n_papers = more.get("at"), more.get("n_papers", 0)

        def rows(place, k, q, score, at=at, shapes=shapes):
            shape = p.shape_with(shapes[place], score, at or q)
            return partial(p.rows, n=k, prevalence=q, scores=shape, other=at)

        new = [rows(1, m, other, each) for each in (score, LOWER * score)]
        ask = partial(compare_samples, old=rows(0, n, share, score), new=new, n_papers=n_papers)
        kind = "samples, papers" if n_papers else "samples, rows"
        yield Cell(kind, name, ask, partial(float, (LOWER - 1) * score))
    for n, m, share, *shifts, alarms in ALARMS:
        scores = [p.far(alarms * share / m / (1 - share), 0, shift) for shift in shifts]
        old, *new = (
            partial(p.rows, n=round(k), prevalence=share, scores=each)
            for k, each in ((n, scores[0]), (m, scores[0]), (m, scores[1]))
        )
        name = f"{n:g} and {m:g} of {share:.0%}, {shifts[0]:g}, {alarms:g} alarms"
        ask = partial(compare_samples, old=old, new=new)
        yield Cell("samples, alarms", name, ask, partial(loss_by_scores, share, scores))
    for n_columns, n, m, prevalence, shift, shared in numbers(COLUMNS):
        how = {"prevalences": np.full(int(n_columns), prevalence), "shared": shared}
        old, *new = (
            partial(p.columns, n_rows=round(k / prevalence), shift=each, **how)
            for k, each in ((n, shift), (m, shift), (m, shift - 0.25))
        )
        name = f"{n_columns:g} columns, {n:g} and {m:g} of {prevalence:.0%}, {shift}"
        truth = partial(p.binormal_difference, (shift, shift - 0.25), prevalence)
        yield Cell("samples, columns", name, partial(compare_samples, old=old, new=new), truth, 0.5)
    for kind, draw, how, (n, m), lower in UNITS:
        old, *new = (partial(draw, **how, n=n), partial(draw, **how, n=m))
        new.append(partial(draw, **how | lower, n=m))
        ask = partial(compare_samples, old=old, new=new)
        yield Cell(f"samples, {kind}", f"{n} and {m}, {how}", ask, partial(loss, new))


def loss(draws):
    """How much lower the score of the second way to draw is."""
    same, lower = (p.score_of_many(draw, n=100_000) for draw in draws)
    return lower - same


def loss_by_scores(prevalence, scores):
    """The same of rows that are drawn by classes."""
    same, lower = (p.truth_of_scores(prevalence, each) for each in scores)
    return lower - same


# ---- segments

SHIFTS = (1.5, 0.9)  # of positives, and of those of a worse segment
# Positives and their share in each segment; the rest is how rows depend, and how high scores are,
# which must not matter. Names of segments, and so their order, are drawn.
LOGITS = {"calibrated": True}
SEGMENTS = [
    ("rows", "2: 40 of 5%, 60 of 20%", [(40, 0.05), (60, 0.2)], {}),
    ("rows", "2: 8 of 2%, 200 of 20%", [(8, 0.02), (200, 0.2)], {}),
    ("rows", "2: 15 of 0.2% each", [(15, 0.002)] * 2, {}),
    ("rows", "3: 30, 100 and 300 of 5%", [(n, 0.05) for n in (30, 100, 300)], {}),
    ("rows", "4: 20, 20, 200 and 1,000 of 5%", [(n, 0.05) for n in (20, 20, 200, 1000)], {}),
    ("rows", "5: 30 of 1% to 20%", [(30, share) for share in (0.01, 0.02, 0.05, 0.1, 0.2)], {}),
    ("rows", "12: 25 of 5%", [(25, 0.05)] * 12, {}),
    ("rows", "12: 25 of 5%, rising to 3", [(25, 0.05)] * 12, {"levels": np.linspace(0, 3, 12)}),
    ("rows", "20: 12 of 10%", [(12, 0.1)] * 20, {}),
    ("rows", "60: 20 of 10%", [(20, 0.1)] * 60, {}),
    ("rows", "42: 150, 600 and 40 times 3", [(n, 0.05) for n in (150, 600, *[3] * 40)], {}),
    ("rows", "3: 50 of 10%, strong", [(50, 0.1)] * 3, {"shifts": (3.5, 2.6)}),
    ("rows", "3: 100, logits", [(100, q) for q in (0.02, 0.1, 0.3)], LOGITS),
    ("rows", "6: 40 of 5% each, minus the previous", [(40, 0.05)] * 6, {"previous": True}),
    ("weights", "2: 60 of 10%", [(60, 0.1)] * 2, {"spread": 0.8}),
    ("weights", "5: 60 of 10%", [(60, 0.1)] * 5, {"spread": 0.8}),
    ("clusters", "2: 60 of 10%, 100 in both", [(60, 0.1)] * 2, {"n_clusters": 100}),
    ("clusters", "2: 60 of 10%, 8 in both", [(60, 0.1)] * 2, {"n_clusters": 8}),
    ("clusters", "4: 50 of 10%, 150 in all", [(50, 0.1)] * 4, {"n_clusters": 150}),
    ("clusters", "12: 25 of 10%, 60 in all", [(25, 0.1)] * 12, {"n_clusters": 60}),
    ("clusters", "3: 60, logits", [(60, q) for q in (0.05, 0.1, 0.2)], LOGITS | {"n_clusters": 60}),
]
SEGMENTS += [  # false alarms above all positives: so many per negative, of shifts 4 and 3
    ("alarms", f"{len(sizes)}: {name}", sizes, {"shifts": (4.0, 3.0), "alarms": share} | how)
    for name, sizes, share, how in (
        ("200 of 20%", [(200, 0.2)] * 2, 0.0019, {}),
        ("1,600 and 200 of 20%", [(1600, 0.2), (200, 0.2)], 0.0019, {}),
        ("200 of 20%", [(200, 0.2)] * 3, 0.0019, {}),
        ("100 of 10%", [(100, 0.1)] * 8, 0.002, {}),
        ("30 to 800 of 10%", [(n, 0.1) for n in (30, 60, 100, 200, 400, 800, 60, 60)], 0.002, {}),
        ("60 of 10%", [(60, 0.1)] * 12, 0.003, {}),
        ("200 of 10%, weights", [(200, 0.1)] * 3, 0.001, {"spread": 0.8}),
        ("100 of 10%, 150 clusters", [(100, 0.1)] * 3, 0.002, {"n_clusters": 150}),
        ("100 of 5% to 20%", [(100, share) for share in (0.05, 0.1, 0.2)], 0.002, {}),
    )
]
QUERIES_OF_SEGMENTS = [10] * 3, [30] * 3, [100] * 2, [15] * 8, [10, 200], [12, 50, 300]
# Documents, the share of relevant ones beside one, and how far apart both classes are, a normal
# distance that is smaller in the worse segment.
QUERIES = {
    "20 documents": {"n": 20, "share": 0.1, "mean": 1.5, "deviation": 0.7},
    "50 documents, good": {"n": 50, "share": 0.05, "mean": 2.5, "deviation": 0.5},
    "10 documents, unequal queries": {"n": 10, "share": 0.05, "mean": 1.0, "deviation": 1.5},
}
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


def of_segments():
    for kind, name, sizes, how in SEGMENTS:
        ask = partial(compare_segments, draw=partial(draw_rows, sizes=sizes, **how))
        shifts = how.get("shifts", SHIFTS)
        truth = partial(p.binormal_difference, shifts, prevalence_of(sizes))
        if "alarms" in how:
            scores = [p.far(how["alarms"], 0, shift) for shift in shifts]
            truth = partial(loss_by_scores, prevalence_of(sizes), scores)
        yield Cell(f"segments, {kind}", name, ask, truth)
    for n_queries, (name, how) in product(QUERIES_OF_SEGMENTS, QUERIES.items()):
        ask = partial(compare_segments, draw=partial(draw_queries, numbers=n_queries, **how))
        truth = partial(loss_of_queries, how)
        yield Cell("segments, queries", f"{n_queries} queries, {name}", ask, truth)


# ---- tests of a score against chance

# The rows of each unit. Clusters and queries have effects of their own on labels and on scores.
SIZES = {
    "60 rows": ("rows", lambda _: [60]),
    "400 rows": ("rows", lambda _: [400]),
    "3,000 rows": ("rows", lambda _: [3_000]),
    "100 queries of 10": ("queries", lambda _: [10] * 100),
    "30 queries of 5 to 25": ("queries", lambda rng: rng.integers(5, 26, 30)),
    "12 clusters of 10": ("clusters", lambda _: [10] * 12),
    "40 clusters of 10": ("clusters", lambda _: [10] * 40),
    "200 clusters of 3": ("clusters", lambda _: [3] * 200),
    "80 clusters of 1 to 10": ("unlike clusters", lambda rng: rng.integers(1, 11, 80)),
    "30 clusters, lognormal": ("unlike clusters", lambda rng: np.ceil(rng.lognormal(3, 0.6, 30))),
    "20 clusters of 30 to 300": ("unlike clusters", lambda rng: rng.integers(30, 301, 20)),
    "60 clusters, Zipf": ("unlike clusters", lambda _: np.ceil(200 / np.arange(1, 61))),
}
SKILL = 0.4  # of scores that are better than random
WEIGHTS = ("class weights", "score weights", "class and score weights")
CHANGES_OF_ROWS = ("distinct", "few levels", "half not retrieved, AP@10", *WEIGHTS)
CHANGES_OF_GROUPS = ("distinct", "strong effects", "alike in a unit")


def compare_with_chance(rng, is_lower, unit, sizes, change):
    """Return the p-value alone; here, scores with some skill stand for lower ones."""
    drawn = p.unrelated_scores(rng, SKILL * is_lower, unit, sizes, change)
    y, s, options = p.disguised(rng, *drawn)
    if "AP@10" in change:
        options["definition"] = AtK(10)
    options |= {"n_permutations": 199, "rng": int(rng.integers(2**32)), "zero_division": 0.0}
    pvalue = sklearn_ap.chance_test(y, s, **options).pvalue
    return math.nan, math.nan, math.nan, pvalue, pvalue


def of_chance():
    for name, (unit, sizes) in SIZES.items():
        for change in CHANGES_OF_ROWS if unit == "rows" else CHANGES_OF_GROUPS:
            ask = partial(compare_with_chance, unit=unit, sizes=sizes, change=change)
            yield Cell(f"chance, {unit}", f"{name}, {change}", ask, float, share=2.5)


if __name__ == "__main__":
    main((of_samples, of_segments, of_chance), run, HEADS, line_of, __doc__, place=0)
