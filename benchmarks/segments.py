"""Whether limits of differences of segments hold, and how often equal segments differ."""

import math
from functools import partial
from itertools import product

import numpy as np
from populations import (
    binormal_difference,
    labels,
)
from simulation import Cell, heard, main
from tables import COVERAGE, Section, doubt, promise, table_by, table_of

import sklearn_ap

ALPHA = 0.05
SHIFT, WORSE = 1.5, 0.9  # of positives
FAILS, ERRS = 93, 7  # a cell that covers less fails, and so does a test that errs more often
# Positives, the share of positives and the number of segments; the rest is how rows depend, and how
# high scores are, which must not matter. Names of segments, and so their order, are drawn.
OF_SEGMENTS = {"section": "segments"}
KINDS = {
    "2: 40 of 5%, 60 of 20%": {"sizes": [(40, 0.05), (60, 0.2)]},
    "2: 8 of 2%, 200 of 20%": {"sizes": [(8, 0.02), (200, 0.2)]},
    "2: 15 of 0.2% each": {"sizes": [(15, 0.002)] * 2},
    "2: 100 of 10% each": {"sizes": [(100, 0.1)] * 2},
    "3: 30, 100 and 300 of 5%": {"sizes": [(30, 0.05), (100, 0.05), (300, 0.05)]},
    "5: 30 of 1% to 20%": {"sizes": [(30, share) for share in (0.01, 0.02, 0.05, 0.1, 0.2)]},
    "12: 25 of 5% each": {"sizes": [(25, 0.05)] * 12},
    "20: 12 of 10% each": {"sizes": [(12, 0.1)] * 20},
    "2: 60 of 10% each, unequal weights": {"sizes": [(60, 0.1)] * 2, "weighted": True},
    "2: 60 of 10% each, 100 clusters in both": {"sizes": [(60, 0.1)] * 2, "n_clusters": 100},
    "12: 25 of 10% each, 60 clusters in all": {"sizes": [(25, 0.1)] * 12, "n_clusters": 60},
    "2: 60 of 10% each, 8 clusters in both": {"sizes": [(60, 0.1)] * 2, "n_clusters": 8},
    "3: 100 of 2%, 10% and 30%, calibrated": {
        "sizes": [(100, share) for share in (0.02, 0.1, 0.3)],
        "calibrated": True,
    },
    "3: 400 of 2%, 10% and 30%, calibrated": {
        "sizes": [(400, share) for share in (0.02, 0.1, 0.3)],
        "calibrated": True,
    },
    "3: 100 of 5% each, scores higher by 0, 0 and 2": {
        "sizes": [(100, 0.05)] * 3,
        "levels": (0, 0, 2),
    },
    "12: 25 of 5% each, scores that rise to 3": {
        "sizes": [(25, 0.05)] * 12,
        "levels": np.linspace(0, 3, 12),
    },
    "3: 60 of 5%, 10% and 20%, calibrated, 60 clusters in all": {
        "sizes": [(60, share) for share in (0.05, 0.1, 0.2)],
        "calibrated": True,
        "n_clusters": 60,
    },
    "3: 60 of 10% each, one of 20 times the weight": {
        "sizes": [(60, 0.1)] * 3,
        "weights": (1, 20, 1),
    },
    "202: 150 and 1,500 of 5%, 200 times 3": {
        "sizes": [(150, 0.05), (1500, 0.05), *[(3, 0.05)] * 200]
    },
}
N_SAMPLES, N_OF_CLUSTERS = 300, 100
FEWER = {"2: 100 of 10% each": 150, "12: 25 of 5% each": 200, "20: 12 of 10% each": 200}
FEWER |= dict.fromkeys([*KINDS][-7:], 150)
COLUMNS = dict([*COVERAGE.items()][1:-1]) | {  # of two cells, which the line names
    "warned": "{warned.median:.0f}",
    "equal ones differ": "{first, equal.most:.1f}",
    "worse one found": "{first, worse.most:.0f}",
}
# Segments of queries: how many lie in each
OF_QUERIES = {
    "3: 10 queries each": [10] * 3,
    "3: 30 queries each": [30] * 3,
    "2: 100 queries each": [100] * 2,
    "8: 15 queries each": [15] * 8,
    "2: 10 and 200 queries": [10, 200],
    "3: 12, 50 and 300 queries": [12, 50, 300],
}
# Queries: documents, the share of relevant ones beside one, and how far apart both classes are, a
# normal distance that is smaller in the worse segment.
QUERIES = {
    "20 documents": {"n": 20, "share": 0.1, "mean": 1.5, "deviation": 0.7},
    "50 documents, good": {"n": 50, "share": 0.05, "mean": 2.5, "deviation": 0.5},
    "10 documents, unequal queries": {"n": 10, "share": 0.05, "mean": 1.0, "deviation": 1.5},
}
NEARER, N_TRUE_QUERIES, N_EQUAL_QUERIES, N_WORSE_QUERIES = 0.8, 40_000, 1_000, 400
OF_MEANS = {
    "score, lowest": "{score covers.least:.0f}",
    "score, width": "{score width.median:.2f}",
    "difference, lowest": "{covers.least:.0f}",
    "difference, width": "{width.median:.2f}",
    "equal ones differ": "{first, equal.most:.1f}",
    "smallest of Holm < 0.05": "{Holm, equal.most:.1f}",
    "worse one found": "{first, worse.least:.0f} to {first, worse.most:.0f}",
}
FAILING = f"Cells below {FAILS}, or errors above {ERRS}, by two standard errors"


def draw(rng, worse, sizes, weighted=False, n_clusters=0, calibrated=False, levels=0, weights=None):
    of_segments = [labels(rng, n, share, fewest=2) for n, share in sizes]
    segments = np.repeat(range(len(sizes)), [*map(len, of_segments)])
    y = np.concatenate(of_segments)
    names = rng.permutation(len(sizes))
    options, scores = {"segments": names[segments]}, rng.normal(size=y.size)
    if n_clusters:
        options["clusters"] = clusters = rng.integers(0, n_clusters, y.size)
        scores = math.sqrt(0.6) * scores + math.sqrt(0.4) * rng.normal(size=n_clusters)[clusters]
    if weighted:
        options["sample_weight"] = rng.lognormal(0, 0.8, y.size)
    if weights:
        options["sample_weight"] = np.array(weights, float)[segments]
    scores += np.where(worse & (segments == 0), WORSE, SHIFT) * y
    if calibrated:  # logits, as of a model that knows the segment
        shares = np.array([share for _, share in sizes])
        scores, levels = SHIFT * scores - SHIFT**2 / 2, np.log(shares / (1 - shares))
    return y, scores + np.broadcast_to(levels, len(sizes))[segments], options, names[0]


def sample(rng, truth, worse, **kind):
    y, s, options, first = draw(rng, worse, **kind)
    prevalence = prevalence_of(kind["sizes"]) if worse else "overall"
    call = partial(sklearn_ap.compare_segments, prevalence=prevalence)
    made, warned = heard("", call, y, s, **options)
    numbers = {
        "low": float(made.difference_lows[first]),
        "high": float(made.difference_highs[first]),
    }
    numbers |= {"estimate": float(made.differences[first]), "truth": truth, "warned": warned}
    which = ("equal", "worse")[worse]
    return numbers | {f"first, {which}": bool(made.pvalues[first] <= ALPHA)}


def prevalence_of(sizes):
    return sum(n for n, _ in sizes) / sum(n / share for n, share in sizes)


# ---- segments of queries


def draw_queries(rng, n_queries, distance, n, share, mean, deviation):
    """Queries whose first document is relevant; ``distance`` is added to that of the classes."""
    query = np.repeat(np.arange(n_queries), n)
    y = (rng.random(query.size) < share) * 1
    y[::n] = 1
    distances = rng.normal(mean, deviation, n_queries) + distance
    return y, distances[query] * y + rng.normal(size=query.size), query


def mean_of_queries(distance, **kind):
    """The true mean over queries."""
    y, s, query = draw_queries(np.random.default_rng(0), N_TRUE_QUERIES, distance, **kind)
    return sklearn_ap.average_precision_score(y, s, queries=query)


def true_means(worse, kind):
    """The true score of the first segment, and its difference from the others."""
    first, others = (mean_of_queries(-NEARER * each, **kind) for each in (worse, False))
    return first, first - others


def sample_queries(rng, truth, worse, sizes, kind):
    segment = np.repeat(range(len(sizes)), sizes)
    y, s, query = draw_queries(rng, segment.size, -NEARER * worse * (segment == 0), **kind)
    names, numbers = rng.permutation(len(sizes)), rng.permutation(segment.size)
    order = rng.permutation(y.size)
    y, s, segments, queries = (
        each[order] for each in (y, s, names[segment][query], numbers[query])
    )
    call, options = sklearn_ap.compare_segments, {"queries": queries, "prevalence": None}
    made, warned = heard("", call, y, s, segments, **options)
    first = names[0]
    columns = {
        "score": (made.estimates, made.lows, made.highs),
        "difference": (made.differences, made.difference_lows, made.difference_highs),
    }
    found = {}
    for (way, column), true_value in zip(columns.items(), truth, strict=True):
        limits = zip(("estimate", "low", "high"), column, strict=True)
        found[way] = {name: float(each[first]) for name, each in limits}
        found[way] |= {"truth": true_value, "warned": warned}
    pvalues = {"first": made.pvalues[first], "Holm": made.adjusted_pvalues.min()}
    which = ("equal", "worse")[worse]
    found["difference"] |= {f"{name}, {which}": bool(p <= ALPHA) for name, p in pvalues.items()}
    return found


def of_queries():
    for (kind, sizes), (of, queries), worse in product(
        OF_QUERIES.items(), QUERIES.items(), (False, True)
    ):
        name = f"{kind}, {of}, {'one worse' if worse else 'equal'}"
        how = {"worse": worse, "kind": queries}
        n_samples = N_WORSE_QUERIES if worse else N_EQUAL_QUERIES
        facts = {"kind": kind, "section": "segments of queries"}
        sample, truth = partial(sample_queries, sizes=sizes, **how), partial(true_means, **how)
        yield Cell(name, sample, n_samples, truth, facts)


def cells():
    yield from of_queries()
    for kind, how in KINDS.items():
        n_samples = FEWER.get(kind, N_OF_CLUSTERS if "n_clusters" in how else N_SAMPLES)
        for worse in (False, True):
            shifts = SHIFT, WORSE if worse else SHIFT  # of the others, and of the first segment
            truth = partial(binormal_difference, shifts, prevalence_of(how["sizes"]))
            name = f"{kind}, {'one worse' if worse else 'equal'}"
            yield Cell(
                name,
                partial(sample, worse=worse, **how),
                n_samples,
                truth,
                {"kind": kind} | OF_SEGMENTS,
            )


def is_wrong(row):
    """Whether a cell covers too little without a warning, or errs, beyond two standard errors."""
    too_low = FAILS - 2 * doubt(row, FAILS)
    errors = row.get("first, equal", 0.0)
    is_low = row["covers"] < too_low and not row["silent"] >= FAILS
    return is_low or errors > ERRS + 2 * doubt(row, ERRS)


def section(rows):
    what = FAILING.replace(",", " without a warning,", 1)
    shown = {"covers": "{covers:.1f}", "not_warned": "{silent:.1f}"}
    summary = table_by("kind", rows, COLUMNS, "segments, positives in each")
    fails = [table_of(what, filter(is_wrong, rows), **shown)]
    first = "p < 0.05 for the first of equal segments (5 of 100)"
    promises = [
        promise("95% intervals of the difference of a segment from the others", rows),
        promise(first, rows, "first, equal", "most"),
    ]
    return Section(promises, summary, fails)


def section_of_queries(rows):
    """Each cell has a row for the score of the first segment, and one for its difference."""
    scores = {row["name"]: row for row in rows if row["way"] == "score"}
    rows = [
        row | {f"score {key}": scores[row["name"]][key] for key in ("covers", "width")}
        for row in rows
        if row["way"] == "difference"
    ]
    fails = [table_of(FAILING, filter(is_wrong, rows), covers="{covers:.1f}")]
    promises = [
        promise("95% intervals of the mean over queries of a segment", rows, "score covers"),
        promise("95% intervals of the difference of a segment of queries from the others", rows),
        promise(
            "p < 0.05 for the first of equal segments of queries (5 of 100)",
            rows,
            "first, equal",
            "most",
        ),
    ]
    return Section(promises, table_by("kind", rows, OF_MEANS, "segments"), fails)


if __name__ == "__main__":
    sections = {"segments": section, "segments of queries": section_of_queries}
    main("segments", __doc__, cells, sections)
