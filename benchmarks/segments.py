"""Whether limits of differences of segments hold, and how often equal segments differ."""

import math
from functools import partial
from itertools import product

import numpy as np
from populations import (
    binormal,
    binormal_difference,
    labels,
    scores_with,
    shape_with,
    shifts_with,
)
from simulation import Cell, heard, main
from tables import COVERAGE, UNWARNED, Section, doubt, promise, table_by, table_of

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
    "any differs": "{any, equal.most:.1f}",
    "worse one found": "{first, worse.most:.0f}",
}
# Segments in an order: positives of each, their share, and the shifts of the first and the last.
MONTHS, DECLINE = 12, (2.0, 1.4)
UNEQUAL = [800, 20, 140, 29, 40, 400, 75, 560, 20, 200, 100, 280]
VARY = {"scatter": 0.035}  # true scores about the line, which falls from 0.5 to 0.4
TRENDS = {
    "12 months of 40": {"sizes": [40] * MONTHS},
    "12 months of 12": {"sizes": [12] * MONTHS},
    "12 months of 2 to 60": {"sizes": np.linspace(2, 60, MONTHS)},
    "12 months of 25, 1% to 20%": {
        "sizes": [25] * MONTHS,
        "shares": np.geomspace(0.01, 0.2, MONTHS),
    },
    "3 categories of 8": {"sizes": [8] * 3},
    "5 months of 100": {"sizes": [100] * 5},
    "6 months of 100": {"sizes": [100] * 6},
    "8 months of 100": {"sizes": [100] * 8},
    "30 days of 6": {"sizes": [6] * 30},
    "12 months of 25, near-perfect": {"sizes": [25] * MONTHS, "higher": 1.5},
    "12 months of 25, unequal weights": {"sizes": [25] * MONTHS, "weighted": True},
    "12 months of 25, patients in 3 months in a row": {"sizes": [25] * MONTHS, "rows": 3},
    "12 months of 25, patients in all months": {"sizes": [25] * MONTHS, "rows": MONTHS},
    "6 months of 100, vary by 0.035": {"sizes": [100] * 6} | VARY,
    "6 months of 400, vary by 0.035": {"sizes": [400] * 6} | VARY,
    "12 months of 20 to 800, vary by 0.035": {"sizes": UNEQUAL} | VARY,
    "12 months of 20 to 800, growing, vary by 0.035": {"sizes": sorted(UNEQUAL)} | VARY,
    "12 months of 400, vary by 0.035": {"sizes": [400] * MONTHS} | VARY,
    "24 months of 100, vary by 0.035": {"sizes": [100] * 24} | VARY,
    "12 months of 100, patients in 3 months in a row, vary by 0.035": {
        "sizes": [100] * MONTHS,
        "rows": 3,
    }
    | VARY,
    "12 months of 100, patients in all months, vary by 0.035": {
        "sizes": [100] * MONTHS,
        "rows": MONTHS,
    }
    | VARY,
}
# What limits do not allow for
UNSEEN = {
    "5 months of 400, vary by 0.035": {"sizes": [400] * 5} | VARY,
    "12 months of 400, vary by 0.035, autocorrelation 0.5": {
        "sizes": [400] * MONTHS,
        "autocorrelation": 0.5,
    }
    | VARY,
    "24 months of 100, vary by 0.035, autocorrelation 0.5": {
        "sizes": [100] * 24,
        "autocorrelation": 0.5,
    }
    | VARY,
    "12 months of 400, vary by 0.035, autocorrelation 0.7": {
        "sizes": [400] * MONTHS,
        "autocorrelation": 0.7,
    }
    | VARY,
}
N_EQUAL, N_DECLINING, N_VARYING = 200, 100, 400
OF_TRENDS = {
    "no change: p < 0.05": "{differs, equal.median:.1f}",
    "decline: p < 0.05": "{differs, decline.median:.0f}",
    "lowest": "{covers.least:.0f}",
    "width": "{width.median:.2f}",
    **UNWARNED,
}
# All segments: positives of each, their share and their true score at a prevalence. Their scores
# may have other shapes.
SHAPES = "normal", "wide", "narrow", "easy", "heavy-tailed"
ALIKE = {
    "3: 30, 100 and 300 of 5%": {"sizes": [(30, 0.05), (100, 0.05), (300, 0.05)]},
    "5: 30 of 1% to 20%": {"sizes": [(30, share) for share in (0.01, 0.02, 0.05, 0.1, 0.2)]},
    "12: 25 of 5% each": {"sizes": [(25, 0.05)] * 12},
    "20: 12 of 10% each": {"sizes": [(12, 0.1)] * 20},
    "50: 20 of 10% each": {"sizes": [(20, 0.1)] * 50},
    "200: 12 of 10% each": {"sizes": [(12, 0.1)] * 200},
    "12: 20 to 800 of 10%": {"sizes": [(n, 0.1) for n in UNEQUAL]},
    "12: 20 to 800 of 10%, unlike shapes": {
        "sizes": [(n, 0.1) for n in UNEQUAL],
        "shapes": SHAPES,
    },
    "10: 25 of 10% each, unlike shapes": {"sizes": [(25, 0.1)] * 10, "shapes": SHAPES},
    "10: 200 of 10% each, unlike shapes": {"sizes": [(200, 0.1)] * 10, "shapes": SHAPES},
    "12: 25 of 10% each, unequal weights": {"sizes": [(25, 0.1)] * 12, "weighted": True},
    "30: 150 and 1,500 of 10%, 28 times 3": {"sizes": [(150, 0.1), (1500, 0.1), *[(3, 0.1)] * 28]},
    "6: 150 of 10% each, nearly perfect": {"sizes": [(150, 0.1)] * 6, "scores": [0.995] * 6},
}
UNLIKE = {
    "10: 60 of 10%, scores spread from 0.4 to 0.6": {
        "sizes": [(60, 0.1)] * 10,
        "scores": np.linspace(0.4, 0.6, 10),
    },
    "8: 60 of 10%, half of them 0.4, not 0.5": {
        "sizes": [(60, 0.1)] * 8,
        "scores": [0.4, 0.5] * 4,
    },
    "6: 60 of 10%, one of them 0.35, not 0.5": {
        "sizes": [(60, 0.1)] * 6,
        "scores": [0.35] + [0.5] * 5,
    },
    "12: 25 of 10%, one of them 0.3, not 0.5": {
        "sizes": [(25, 0.1)] * 12,
        "scores": [0.3] + [0.5] * 11,
    },
    "4: 40 of 10%, half of them 0.96, not 0.995": {
        "sizes": [(40, 0.1)] * 4,
        "scores": [0.96, 0.995] * 2,
    },
}
N_ALIKE, N_UNLIKE, LEVELS, ALLOWED = 500, 300, (ALPHA, 0.01), 5
OF_ALL = {
    "equal: p < 0.05": "{at 5%, equal.median:.1f}",
    "p < 0.01": "{at 1%, equal.median:.1f}",
    "smallest of Holm < 0.05": "{Holm, equal.median:.1f}",
    "unequal: p < 0.05": "{at 5%, unequal.median:.0f}",
    "smallest below 0.05": "{Holm, unequal.median:.0f}",
    "only p": "{only all, unequal.median:.0f}",
    "only the smallest": "{only one, unequal.median:.0f}",
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
    "any differs": "{any, equal.most:.1f}",
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
    pvalues, which = (
        {"first": made.pvalues[first], "any": made.homogeneity_pvalue},
        ("equal", "worse"),
    )
    return numbers | {f"{name}, {which[worse]}": bool(p <= ALPHA) for name, p in pvalues.items()}


def prevalence_of(sizes):
    return sum(n for n, _ in sizes) / sum(n / share for n, share in sizes)


def varying(rng, shifts, prevalence, scatter, autocorrelation):
    """Shifts of months whose scores vary about their own, each like the one before."""
    if not scatter:
        return shifts
    noise = rng.normal(size=len(shifts))
    for i in range(1, noise.size):
        own = math.sqrt(1 - autocorrelation**2) * noise[i]
        noise[i] = autocorrelation * noise[i - 1] + own
    return shifts_with(scores_with(shifts, prevalence) + scatter * noise, prevalence)


def draw_trend(rng, shifts, sizes, shares, weighted, rows):
    """Rows of months; with several rows each, patients are in so many months in a row."""
    if rows:
        n = round(sizes[0] / shares[0] / rows)  # patients who begin in each month
        begins = np.repeat(np.arange(1 - rows, len(sizes)) if rows < len(sizes) else [0] * rows, n)
        patient = np.repeat(np.arange(begins.size), rows)
        month = begins[patient] + np.tile(np.arange(rows), begins.size)
        y = (rng.random(begins.size) < shares[0])[patient] * 1
        noise = math.sqrt(0.2) * rng.normal(size=y.size)
        noise += math.sqrt(0.8) * rng.normal(size=begins.size)[patient]
        y, month, noise, patient = (
            each[(month >= 0) & (month < len(sizes))] for each in (y, month, noise, patient)
        )
        options = {"clusters": patient}
    else:
        pairs = zip(sizes, shares, strict=True)
        each = [labels(rng, round(n), share, fewest=1) for n, share in pairs]
        month, y = np.repeat(np.arange(len(sizes)), [*map(len, each)]), np.concatenate(each)
        noise, options = rng.normal(size=y.size), {}
    if weighted:
        options["sample_weight"] = rng.lognormal(0, 0.8, y.size)
    s, order = np.exp(noise + shifts[month] * y), rng.permutation(y.size)
    y, s, month = y[order], s[order], month[order]
    options = {name: column[order] for name, column in options.items()}
    names = (
        month,
        month + np.datetime64("2023-10"),
        np.char.add("week ", (month + 2).astype(str)),
    )
    return y, s, {"segments": names[rng.integers(len(names))]} | options


def sample_trend(rng, truth, change, prevalence, shifts, scatter, autocorrelation, **how):
    call, made = partial(sklearn_ap.compare_segments, prevalence=prevalence), None
    while made is None or np.isnan(made.trend):  # as where less than three have 5 positives
        of_months = varying(rng, shifts, prevalence, scatter, autocorrelation)
        y, s, options = draw_trend(rng, shifts=of_months, **how)
        made, warned = heard("", call, y, s, **options)
    numbers = {"estimate": made.trend, "low": made.trend_low, "high": made.trend_high}
    found = {f"differs, {change}": bool(made.trend_pvalue <= ALPHA)}
    return numbers | {"truth": truth, "warned": warned} | found


def true_change(shifts, sizes, prevalence):
    """Of a regression on the true scores, weighted by positives."""
    place = np.arange(len(sizes))
    scores = [binormal(shift, prevalence) for shift in shifts]
    counted = np.array(sizes) >= 5
    weight = np.sqrt(np.where(counted, sizes, 0.0))
    return float(np.polyfit(place, scores, 1, w=weight)[0])


def ends_of(how, higher):
    """The shifts of all months without a change and with a decline, and the prevalence."""
    n, prevalence = len(how["sizes"]), 0.1 if how["scatter"] else 0.05
    if not how["scatter"]:
        lines = np.full(n, DECLINE[0]), np.linspace(*DECLINE, n)
        return prevalence, [line + higher for line in lines]
    lines = np.full(n, 0.5), np.linspace(0.5, 0.4, n)  # of scores
    return prevalence, [shifts_with(line, prevalence) for line in lines]


def trends():
    for kind, how in (TRENDS | UNSEEN).items():
        how = {"shares": [0.05] * len(how["sizes"]), "weighted": False, "rows": 0} | how
        how = {"scatter": 0.0, "autocorrelation": 0.0} | how
        prevalence, lines = ends_of(how, how.pop("higher", 0.0))
        for change, shifts in zip(("equal", "decline"), lines, strict=True):
            truth = partial(true_change, shifts, how["sizes"], prevalence)
            given = {"change": change, "prevalence": prevalence, "shifts": shifts} | how
            n_samples = N_EQUAL if change == "equal" else N_DECLINING
            n_samples = N_VARYING if how["scatter"] and change == "equal" else n_samples
            facts = {"kind": kind, "section": "trend"}
            yield Cell(f"{kind}, {change}", partial(sample_trend, **given), n_samples, truth, facts)


# ---- all segments


def sample_all(rng, _, which, sizes, scores, shapes, weighted):
    of_segments = [labels(rng, n, share, fewest=2) for n, share in sizes]
    y, segments = (
        np.concatenate(of_segments),
        np.repeat(range(len(sizes)), [*map(len, of_segments)]),
    )
    drawn = [
        shape_with(shapes[i % len(shapes)], float(score))(rng, of_segments[i])
        for i, score in enumerate(scores)
    ]
    options = {"sample_weight": rng.lognormal(0, 0.8, y.size)} if weighted else {}
    names, order = rng.permutation(len(sizes)), rng.permutation(y.size)
    options |= {"segments": names[segments]}
    options = {name: column[order] for name, column in options.items()}
    rows = y[order], np.concatenate(drawn)[order]
    made = sklearn_ap.compare_segments(*rows, prevalence=0.1, **options)
    found = {f"at {level:.0%}": made.homogeneity_pvalue <= level for level in LEVELS}
    found["Holm"] = np.nanmin(made.adjusted_pvalues) <= ALPHA
    found["only all"] = found["at 5%"] and not found["Holm"]
    found["only one"] = found["Holm"] and not found["at 5%"]
    return {f"{name}, {which}": bool(is_so) for name, is_so in found.items()}


def of_all():
    facts = {"section": "all segments"}
    for which, kinds in (("equal", ALIKE), ("unequal", UNLIKE)):
        for kind, how in kinds.items():
            how = {"scores": [0.5] * len(how["sizes"]), "shapes": SHAPES[:1]} | how
            sample = partial(sample_all, which=which, **{"weighted": False} | how)
            n_samples = N_ALIKE if which == "equal" else N_UNLIKE
            yield Cell(f"all of {kind}", sample, n_samples, facts={"kind": kind} | facts)


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
    pvalues = {
        "first": made.pvalues[first],
        "Holm": made.adjusted_pvalues.min(),
        "any": made.homogeneity_pvalue,
    }
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
    yield from trends()
    yield from of_all()
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
    errors = max(row.get(f"{test}, equal", 0.0) for test in ("first", "any"))
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


def section_of_trends(rows):
    wrong = [
        row
        for row in rows
        if row["covers"] < FAILS - 2 * doubt(row, FAILS)
        or row.get("differs, equal", 0.0) > ERRS + 2 * doubt(row, ERRS)
    ]
    fails = [table_of(FAILING, wrong, covers="{covers:.1f}")]
    allowed = [row for row in rows if row["kind"] not in UNSEEN]
    unseen = [row for row in rows if row["kind"] in UNSEEN]
    error = "p < 0.05 without a trend (5 of 100)"
    promises = [
        promise("95% intervals of the trend of months", allowed),
        promise(error, allowed, "differs, equal", "most"),
        promise(
            f"{error}, 5 months, or each like the one before", unseen, "differs, equal", "most"
        ),
    ]
    return Section(promises, table_by("kind", rows, OF_TRENDS, "segments"), fails)


def section_of_all(rows):
    wrong = [row for row in rows if row.get("at 5%, equal", 0) > ALLOWED + 2 * doubt(row, ALLOWED)]
    fails = [table_of(f"Errors above {ALLOWED}, by two standard errors", wrong)]
    about = "p < 0.05 of the test of all equal segments (5 of 100)", rows, "at 5%, equal", "most"
    return Section([promise(*about)], table_by("kind", rows, OF_ALL, "segments"), fails)


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
    sections = {"segments": section, "trend": section_of_trends, "all segments": section_of_all}
    sections |= {"segments of queries": section_of_queries}
    main("segments", __doc__, cells, sections)
