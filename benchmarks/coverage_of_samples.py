"""Do limits of differences of samples and of segments hold, and do equal ones differ, or chance?

    python benchmarks/coverage_of_samples.py

writes the tables "two-samples", "segments" and "chance" of docs/evidence. Half of the samples of a
cell have equal scores, and half have one that is lower. Coverage and width are those of limits at
95%; then comes the largest share of samples with any p <= 0.05 where all are equal, and the median
share in which the lower one is found. Tests against chance have no limits.
"""

import math
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import populations as p
import simulation
from simulation import Table, column, generators, lowest_and_median, main, tallied

import sklearn_ap
from sklearn_ap.definitions import AtK

SEED, ALPHA, STRICT = 20261128, 0.05, 0.01


@dataclass
class Cell(simulation.Cell):
    """What is asked of a sample, with equal scores or a lower one, and how much lower it is.

    ``ask`` takes a generator and whether one score is lower. It returns a difference, its limits
    and its p-value, and the least p-value of all differences.
    """

    ask: object
    truth: object  # a function of the difference


def ask(cell, n_samples):
    """Return coverage, width, errors and power in percent."""
    warnings.simplefilter("ignore")
    truth = cell.truth()
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


LOWER = 0.75  # the lower score, as a part of the other one


def two_samples(name, n, share, m, other, score, shapes=("normal", "normal"), at=None, n_papers=0):
    """A cell of rows: positives and their share in both samples, and their score."""

    def draw(size, prevalence, shape, score):
        scores = p.shape_with(shape, score, at or prevalence)
        return partial(p.rows, n=size, prevalence=prevalence, scores=scores, other=at)

    new = [draw(m, other, shapes[1], each) for each in (score, LOWER * score)]
    old = draw(n, share, shapes[0], score)
    how = partial(compare_samples, old=old, new=new, n_papers=n_papers)
    kind = "samples, papers" if n_papers else "samples, rows"
    return Cell(kind, name, how, partial(float, (LOWER - 1) * score))


# fmt: off
RARE_ALARMS = [  # positives of both, their share, shift, lower shift, alarms in the second
    (200, 200, 0.2, 4, 3, 1.5), (2000, 200, 0.2, 4, 3, 1.5), (200, 2000, 0.2, 4, 3, 15),
    (100, 100, 0.1, 3, 2, 1.8), (1000, 100, 0.1, 3, 2, 1.8), (200, 200, 0.1, 5, 4, 2),
    (2000, 200, 0.1, 5, 4, 2), (100, 100, 0.5, 9, 3, 2.7), (1000, 100, 0.5, 9, 3, 2.7),
    (20, 20, 0.05, 3, 2, 1.9), (40, 400, 0.1, 9, 3, 3), (500, 500, 0.5, 3, 2.5, 2.8),
]
COLUMNS = [  # their number, positives in both samples, prevalence, shift, and shared noise
    (50, 15, 150, 0.05, 1.5, 0.2), (20, 15, 150, 0.1, 1.5, 0.5), (50, 25, 100, 0.05, 1.5, 0.2),
    (20, 30, 30, 0.05, 1.0, 0.2), (30, 10, 100, 0.1, 2.5, 0.2), (100, 10, 300, 0.1, 1.0, 0.0),
    (10, 20, 400, 0.5, 1.0, 0.8),
]
# fmt: on
UNITS = [  # how samples are drawn, numbers of units in both, and what lowers the score
    ("clusters", p.patients, {"size": 5, "ill": 0.3}, (60, 150), {"shift": 1.4}),
    ("clusters", p.patients, {"size": 10, "ill": 0.5}, (40, 40), {"shift": 1.4}),
    ("clusters", p.patients, {"size": 5}, (300, 300), {"shift": 1.4}),
    ("queries", p.unequal_queries, {"size": 20, "skill": 1.5}, (30, 60), {"skill": 0.8}),
    ("queries", p.unequal_queries, {"size": 20, "skill": 1.5}, (100, 100), {"skill": 0.8}),
]


def of_samples():
    unlike = "easy", "heavy-tailed"
    yield two_samples("20 and 200 of 5%", 20, 0.05, 200, 0.05, 0.5)
    yield two_samples("200 and 20 of 5%", 200, 0.05, 20, 0.05, 0.5)
    yield two_samples("12 and 40 of 1%", 12, 0.01, 40, 0.01, 0.3)
    yield two_samples("80 of 50% each", 80, 0.5, 80, 0.5, 0.8)
    yield two_samples("50 and 100 of 10%, nearly perfect", 50, 0.1, 100, 0.1, 0.97)
    yield two_samples("50 of 5%, 60 of 20%, at 10%", 50, 0.05, 60, 0.2, 0.5, at=0.1)
    yield two_samples("25 of 10%, 400 of 3%, at 10%", 25, 0.1, 400, 0.03, 0.4, at=0.1)
    yield two_samples("70 of 10%, easy and heavy-tailed", 70, 0.1, 70, 0.1, 0.5, unlike)
    yield two_samples("300 of 10% each, strong", 300, 0.1, 300, 0.1, 0.9)
    yield two_samples("1,000 of 2% each", 1000, 0.02, 1000, 0.02, 0.3)
    yield two_samples("60 and 100 of 10%, two papers", 60, 0.1, 100, 0.1, 0.5, n_papers=2)
    yield two_samples("20 and 200 of 5%, a paper", 20, 0.05, 200, 0.05, 0.4, n_papers=1)
    yield two_samples("150 of 10% each, strong, a paper", 150, 0.1, 150, 0.1, 0.9, n_papers=1)
    yield two_samples("200 of 40% each, at 2%", 200, 0.4, 200, 0.4, 0.5, at=0.02)
    yield two_samples("100 of 2%, 100 of 33%, at 1%", 100, 0.02, 100, 0.33, 0.5, at=0.01)
    for n, m, share, shift, lower, alarms in RARE_ALARMS:
        scores = [p.far(alarms * share / m / (1 - share), 0, each) for each in (shift, lower)]
        draw = partial(p.rows, prevalence=share)
        new = [partial(draw, n=m, scores=each) for each in scores]
        how = partial(compare_samples, old=partial(draw, n=n, scores=scores[0]), new=new)
        name = f"{n} and {m} of {share:.0%}, {shift}, {alarms:g} alarms"
        yield Cell("samples, alarms", name, how, partial(loss_by_scores, share, scores))
    for n_columns, n, m, prevalence, shift, shared in COLUMNS:
        draw = partial(p.columns, prevalences=np.full(n_columns, prevalence), shared=shared)
        old = partial(draw, n_rows=round(n / prevalence), shift=shift)
        shifts = shift, shift - 0.25
        new = [partial(draw, n_rows=round(m / prevalence), shift=each) for each in shifts]
        name = f"{n_columns} columns, {n} and {m} of {prevalence:.0%}, {shift}"
        how = partial(compare_samples, old=old, new=new)
        truth = partial(p.binormal_difference, shifts, prevalence)
        yield Cell("samples, columns", name, how, truth, share=0.5)
    for kind, draw, options, (n, m), lower in UNITS:
        new = [partial(draw, **options, n=m), partial(draw, **options | lower, n=m)]
        how = partial(compare_samples, old=partial(draw, **options, n=n), new=new)
        yield Cell(f"samples, {kind}", f"{n} and {m}, {options}", how, partial(loss, new))


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


def loss_of_segment(sizes, shifts=SHIFTS, alarms=None, **_):
    """The difference of a worse segment of rows from the others."""
    if alarms is None:
        return p.binormal_difference(shifts, prevalence_of(sizes))
    return loss_by_scores(prevalence_of(sizes), [p.far(alarms, 0, shift) for shift in shifts])


def rare(share, **how):
    """Options of strong scores with so many false alarms, of the negatives."""
    return {"shifts": (4, 3), "alarms": share, **how}


LOGITS = {"calibrated": True}
# Positives and their share in each segment, and other options of draw_rows
SEGMENTS = {
    "rows": [
        ("40 of 5%, 60 of 20%", [(40, 0.05), (60, 0.2)], {}),
        ("8 of 2%, 200 of 20%", [(8, 0.02), (200, 0.2)], {}),
        ("15 of 0.2% each", [(15, 0.002)] * 2, {}),
        ("30, 100 and 300 of 5%", [(n, 0.05) for n in (30, 100, 300)], {}),
        ("20, 20, 200 and 1,000 of 5%", [(n, 0.05) for n in (20, 20, 200, 1000)], {}),
        ("30 of 1% to 20%", [(30, share) for share in (0.01, 0.02, 0.05, 0.1, 0.2)], {}),
        ("25 of 5%", [(25, 0.05)] * 12, {}),
        ("25 of 5%, rising to 3", [(25, 0.05)] * 12, {"levels": np.linspace(0, 3, 12)}),
        ("12 of 10%", [(12, 0.1)] * 20, {}),
        ("20 of 10%", [(20, 0.1)] * 60, {}),
        ("150, 600 and 40 times 3", [(n, 0.05) for n in (150, 600, *[3] * 40)], {}),
        ("50 of 10%, strong", [(50, 0.1)] * 3, {"shifts": (3.5, 2.6)}),
        ("100, logits", [(100, share) for share in (0.02, 0.1, 0.3)], LOGITS),
        ("40 of 5% each, minus the previous", [(40, 0.05)] * 6, {"previous": True}),
    ],
    "weights": [("60 of 10%", [(60, 0.1)] * n, {"spread": 0.8}) for n in (2, 5)],
    "clusters": [
        ("60 of 10%, 100 in both", [(60, 0.1)] * 2, {"n_clusters": 100}),
        ("60 of 10%, 8 in both", [(60, 0.1)] * 2, {"n_clusters": 8}),
        ("50 of 10%, 150 in all", [(50, 0.1)] * 4, {"n_clusters": 150}),
        ("25 of 10%, 60 in all", [(25, 0.1)] * 12, {"n_clusters": 60}),
        ("60, logits", [(60, share) for share in (0.05, 0.1, 0.2)], LOGITS | {"n_clusters": 60}),
    ],
    "alarms": [
        ("200 of 20%", [(200, 0.2)] * 2, rare(0.0019)),
        ("1,600 and 200 of 20%", [(1600, 0.2), (200, 0.2)], rare(0.0019)),
        ("200 of 20%", [(200, 0.2)] * 3, rare(0.0019)),
        ("100 of 10%", [(100, 0.1)] * 8, rare(0.002)),
        ("30 to 800 of 10%", [(n, 0.1) for n in (30, 60, 100, 200, 400, 800, 60, 60)], rare(0.002)),
        ("60 of 10%", [(60, 0.1)] * 12, rare(0.003)),
        ("200 of 10%, weights", [(200, 0.1)] * 3, rare(0.001, spread=0.8)),
        ("100 of 10%, 150 clusters", [(100, 0.1)] * 3, rare(0.002, n_clusters=150)),
        ("100 of 5% to 20%", [(100, share) for share in (0.05, 0.1, 0.2)], rare(0.002)),
    ],
}
NUMBERS_OF_QUERIES = [10] * 3, [30] * 3, [100] * 2, [15] * 8, [10, 200], [12, 50, 300]
QUERIES = {  # what draw_queries takes
    "20 documents": {"n": 20, "share": 0.1, "mean": 1.5, "deviation": 0.7},
    "50 documents, good": {"n": 50, "share": 0.05, "mean": 2.5, "deviation": 0.5},
    "10 documents, unequal queries": {"n": 10, "share": 0.05, "mean": 1.0, "deviation": 1.5},
}


def of_segments():
    settings = ((kind, *each) for kind, part in SEGMENTS.items() for each in part)
    for kind, name, sizes, options in settings:
        how = {"sizes": sizes, **options}
        compare = partial(compare_segments, draw=partial(draw_rows, **how))
        name, truth = f"{len(sizes)}: {name}", partial(loss_of_segment, **how)
        yield Cell(f"segments, {kind}", name, compare, truth)
    for numbers, (name, how) in product(NUMBERS_OF_QUERIES, QUERIES.items()):
        compare = partial(compare_segments, draw=partial(draw_queries, numbers=numbers, **how))
        name, truth = f"{numbers} queries, {name}", partial(loss_of_queries, how)
        yield Cell("segments, queries", name, compare, truth)


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


SIZES = [  # kind, name and rows of units, of which labels and scores have effects
    *(("rows", f"{n:,} rows", partial(p.equal_sizes, sizes=[n])) for n in (60, 400, 3000)),
    ("queries", "100 queries of 10", partial(p.equal_sizes, sizes=[10], n=100)),
    ("queries", "30 queries of 5 to 25", partial(p.uniform_sizes, low=5, high=26, n=30)),
    *(
        ("clusters", f"{n} clusters of {size}", partial(p.equal_sizes, sizes=[size], n=n))
        for n, size in ((12, 10), (40, 10), (200, 3))
    ),
    *(
        (
            "unlike clusters",
            f"{n} clusters of {low} to {high}",
            partial(p.uniform_sizes, low=low, high=high + 1, n=n),
        )
        for n, low, high in ((12, 5, 14), (40, 5, 24), (200, 1, 10))
    ),
]
CHANGES_OF_ROWS = "distinct", "few levels", "half not retrieved, AP@10"
CHANGES_OF_ROWS += "class weights", "score weights", "class and score weights"
CHANGES_OF_GROUPS = "distinct", "strong effects", "alike in a unit"


def of_chance():
    for kind, name, sizes in SIZES:
        unit = "clusters" if kind == "unlike clusters" else kind
        for change in CHANGES_OF_ROWS if unit == "rows" else CHANGES_OF_GROUPS:
            how = partial(compare_with_chance, unit=unit, sizes=sizes, change=change)
            yield Cell(f"chance, {kind}", f"{name}, {change}", how, float, share=5)


def cells():
    for part in (of_samples, of_segments, of_chance):
        yield from part()


def errors(summed, place=0):
    return lambda cells: f"{summed(column(cells, 'errors', place)):.1f}"


def found(cells):
    return f"{np.median(column(cells, 'found')):.0f}"


LIMITS = {
    "coverage, lowest / median": lambda cells: lowest_and_median(column(cells, "covers")),
    "width": lambda cells: f"{np.median(column(cells, 'width')):.2f}",
}
TABLES = {
    "two-samples": Table(
        "settings",
        {
            "rows, of unequal sizes, shapes and shares of positives": ["samples, rows"],
            "rows that may lack rare false alarms": ["samples, alarms"],
            "one or both known by three printed numbers": ["samples, papers"],
            "clusters": ["samples, clusters"],
            "means over queries": ["samples, queries"],
            "means over columns, of unlike sizes": ["samples, columns"],
        },
        LIMITS | {"equal ones differ": errors(np.max), "lower one found": found},
    ),
    "segments": Table(
        "segments",
        {
            "2 to 60 of rows": ["segments, rows"],
            "2 to 12 that may lack rare false alarms": ["segments, alarms"],
            "rows with weights": ["segments, weights"],
            "rows in clusters that segments share": ["segments, clusters"],
            "2 to 8 of queries": ["segments, queries"],
        },
        {"any error": errors(np.max)} | LIMITS | {"found, median": found},
    ),
    "chance": Table(
        "units",
        {
            "rows": ["chance, rows"],
            "queries": ["chance, queries"],
            "clusters of one size": ["chance, clusters"],
            "clusters of unlike sizes": ["chance, unlike clusters"],
        },
        {
            "p ≤ .05 of random scores: median": errors(np.median),
            "most": errors(np.max),
            "p ≤ .01: most": errors(np.max, 1),
            "found, median": found,
        },
    ),
}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=200, again=1000)
