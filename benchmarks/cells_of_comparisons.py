"""The cells of coverage_of_comparisons.py: populations of models, and their true scores."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import cells_of_intervals
import numpy as np
import populations as p

from sklearn_ap import definitions as d


@dataclass
class Cell(cells_of_intervals.Cell):
    """How samples of models are drawn, and a function of their true scores.

    Without it, models are equal, or their difference is the mean of all samples.
    """

    equal: object = None  # of a margin: how models are drawn of which none is worse
    are_equal: bool = False


def alike(*shifts, r):
    """Models of correlated normal scores, and a function of their true scores."""
    return p.alike_in_noise(shifts, r), partial(p.truths_of_shifts, shifts=shifts)


def apart(*models):
    """The same of models that share nothing."""
    return p.apart(*models), partial(p.truths_of_each, models=models)


def twice(model):
    return apart(model, model)


def changed(of, *changes):
    """The same of a model, and of one that is the first but for some changes."""
    models = p.changed(of, *changes)
    return models, partial(p.truths_of_models, models=models)


def rows(n, prevalence, models, **how):
    """How rows of a population are drawn, and the true scores of its models."""
    scores, truths = models
    draw = partial(p.rows, n=n, prevalence=prevalence, scores=scores, **how)
    return draw, partial(truths, how.get("other", prevalence))


def groups(draw, size, n, n_true, **truth):
    """How so many clusters, queries, images or rows of columns are drawn, and scores of many."""
    return partial(draw, **{size: n}), partial(p.truths_of_many, draw, **{size: n_true}, **truth)


def with_shifts(*settings):
    """Two models of normal scores, by positives, prevalence, shifts and correlation."""
    return {
        f"{n} of {prevalence:g}, {a:g} and {b:g}, r {r:g}": (n, prevalence, alike(a, b, r=r))
        for n, prevalence, a, b, r in settings
    }


NORMAL, GOOD, STRONG = p.normal(1.5), p.normal(2.0), p.normal(3.0)
COPIED = changed(NORMAL, p.copies(0.7, NORMAL))[0], twice(NORMAL)[1]
COCO, LOGNORMAL = d.Interpolated(101), partial(p.lognormal_weights, spread=0.8)


def loses(share):
    return p.moves(share, 1, -40)


def finds(share):
    return p.moves(share, 1, 40)


def alarms(share):
    return p.moves(share, 0, 40)


def two_alarms(n):
    return p.uniform(1, 2 / (9 * n), 0, 2)


# fmt: off
# Positives, prevalence and models. Names with "new" were in no grid that chose a constant.
ROWS = {
    "rows": with_shifts(
        (20, 0.1, 1.3, 1.3, 0.9), (50, 0.1, 1.3, 1.3, 0), (200, 0.1, 1.3, 1.3, 0.9),
        (50, 0.1, 1.3, 1.7, 0.5), (200, 0.1, 1.3, 1.7, 0.5), (100, 0.1, 1.3, 1.3, 0.98),
        (15, 0.1, 1.3, 1.3, 0.5), (200, 0.8, 1.3, 1.3, 0.5), (40, 0.01, 1.5, 2, 0.8),
        (150, 0.02, 0.5, 0.5, 0.8), (60, 0.5, 3, 3.1, 0.8), (10, 0.01, 1.5, 1.5, 0.5),
    )
    | {
        "t(3), equal": (60, 0.05, twice(p.student(3, 1.5))),
        "t(3), unequal": (120, 0.05, apart(p.student(3, 1.5), p.student(3, 2.0))),
        "wide, equal": (100, 0.1, twice(p.student(30, 1.0, 2.5))),
        "B is A rounded": (80, 0.1, changed(NORMAL, p.rounds)),
        "B noisy, loses 5%": (300, 0.1, changed(GOOD, p.noisy(0.3), loses(0.05))),
        "nearly same": (300, 0.1, changed(NORMAL, p.noisy(0.03))),
        "exponential": (80, 0.03, apart(p.exponential(2), p.exponential(3))),
        "4 levels": (60, 0.2, twice(p.levels(4, 1.5))),
        "few distinct": (50, 0.1, twice(p.rounded(1.5))),
        "B copies 70% of A": (120, 0.05, COPIED),
        "two alarms, 20": (20, 0.1, twice(two_alarms(20))),
        "two alarms, 100": (100, 0.1, twice(two_alarms(100))),
        "new: lost, unequal": (90, 0.08, apart(p.lost(0.4, 3), p.lost(0.25, 3))),
        "new: probabilities": (70, 0.06, twice(p.two_decimals)),
        "new: mostly zero": (100, 0.05, twice(p.mostly_zero(1.5, 0.4, 0.9))),
        "new: Cauchy, unequal": (150, 0.1, apart(p.student(1, 3), p.student(1, 5))),
        "new: sites": (60, 0.2, twice(p.sites(1.5))),
    },
    "rows, new": with_shifts(
        (70, 0.15, 1, 1, 0.3), (25, 0.03, 2, 2, 0.8), (400, 0.01, 2, 2.15, 0.9),
        (120, 0.35, 0.6, 0.9, 0.6),
    ),
    "rows, hard": {
        "near-perfect": (100, 0.1, twice(p.normal(5))),
        "B loses 3%": (100, 0.1, changed(GOOD, loses(0.03))),
        "B noisy, loses 2%": (100, 0.1, changed(GOOD, p.noisy(0.3), loses(0.02))),
        ".2% alarms of B": (100, 0.1, changed(GOOD, alarms(0.002))),
        "2 of 60 easy for B": (60, 0.01, changed(NORMAL, finds(2 / 60))),
        ".1% alarms of B": (300, 0.1, changed(NORMAL, p.noisy(0.3), alarms(0.001))),
        ".5% alarms of both": (80, 0.1, twice(p.far(0.005, 0, 3.0))),
        "new: 3 alarms of B": (50, 0.5, changed(STRONG, alarms(0.06))),
        "new: B finds 4%": (75, 0.05, changed(NORMAL, p.noisy(0.2), finds(0.04))),
    },
}
PREVALENCES = {  # positives, prevalence of the sample, the other one, and shifts
    "prevalence": [
        (200, 0.5, 0.1, 2.0, 2.0), (100, 0.1, 0.02, 2.0, 2.0), (100, 0.1, 0.5, 1.3, 1.3),
        (200, 0.1, 0.02, 1.5, 1.9), (60, 0.5, 0.05, 2.0, 2.4), (40, 0.2, 0.05, 1.5, 1.5),
        (80, 0.3, 0.1, 1.0, 1.5),
    ],
    "prevalence, hard": [
        (150, 0.3, 0.05, 3.5, 3.5), (60, 0.5, 0.01, 2.0, 2.4), (50, 0.4, 0.02, 1.5, 2.0),
    ],
}
# fmt: on
MANY = {  # positives, and models
    "3 equal": (100, alike(*[1.3] * 3, r=0.9)),
    "10 equal": (100, alike(*[1.3] * 10, r=0.9)),
    "10 equal of 20": (20, alike(*[1.3] * 10, r=0.9)),
    "10 nearly same": (200, alike(*[1.3] * 10, r=0.998)),
    "two of 3 better": (100, alike(1.3, 1.6, 1.6, r=0.9)),
    "five of 10 better": (100, alike(*[1.3] * 5, *[1.6] * 5, r=0.9)),
    "one of 10 better": (200, alike(*[1.3] * 9, 1.7, r=0.5)),
    "9 of 10 better": (100, alike(1.3, *[1.5] * 9, r=0.9)),
    "25 equal": (80, alike(*[1.3] * 25, r=0.7)),
    "one of 4 worse": (60, alike(*[1.3] * 3, 0.8, r=0.8)),
    "20 spread": (100, alike(*np.linspace(0.8, 1.5, 20), r=0.5)),
    "5 strong": (150, alike(*[3] * 5, r=0.5)),
    "new: two of 4 best": (90, alike(1, 1.2, 1.6, 1.6, r=0.6)),
    "10, three alarms each": (60, apart(*[p.far(3 / 540, 0, 9.0)] * 10)),
    "3, two alarms each": (20, apart(*[p.far(2 / 180, 0, 9.0)] * 3)),
}
AT_K = {  # definition, positives, prevalence, shifts, and correlation
    "equal": (d.AtK(20), 100, 0.1, 1.3, 1.3, 0.9),
    "P, equal": (d.PrecisionAtK(20), 100, 0.05, 1.3, 1.3, 0.9),
    "R, unequal": (d.RecallAtK(40), 80, 0.1, 2.5, 3.2, 0.9),
    "30 positives": (d.AtK(5), 30, 0.1, 1.3, 1.3, 0.7),
    "k 100": (d.AtK(100), 150, 0.1, 1.5, 2.0, 0.8),
    "P, unequal": (d.PrecisionAtK(10), 50, 0.05, 1.3, 1.8, 0.7),
    "strong, unequal": (d.AtK(20), 60, 0.1, 2.0, 3.0, 0.95),
    "new: R, equal": (d.RecallAtK(100), 60, 0.05, 1.0, 1.0, 0.5),
    "new: at a recall": (d.PrecisionAtRecall(0.8), 100, 0.2, 1.5, 1.5, 0.5),
}
CLUSTERS = {  # what populations.models_in_clusters takes
    "clusters": {
        "30": {"n": 30},
        "100": {"n": 100},
        "Zipf": {"n": 200, "shape": "Zipf"},
        "60 ill of 300": {"n": 300, "ill": 0.2},
        "60 ill of 300, gain": {"n": 300, "ill": 0.2, "shifts": (1.2, 1.7)},
        "20 hospitals": {"n": 20, "size": 40},
        "both break in 10%": {"n": 100, "broken": 0.1, "shifts": (2, 2)},
        "50 geometric, gain": {"n": 50, "size": 8, "shifts": (1, 1.4)},
        "new: 45 of 12 rows": {"n": 45, "size": 12, "shape": "equal", "shifts": (1.3, 1.6)},
        "new: 150 pairs": {"n": 150, "size": 2, "shape": "equal", "own": 0.3},
    },
    "clusters, hard": {
        "3% of 60 on top": {"n": 60, "size": 10, "top": 0.03, "shifts": (2, 2)},
        "12 of 10 rows": {"n": 12, "size": 10, "shape": "equal"},
        "new: 2% of 150 on top": {"n": 150, "size": 4, "top": 0.02, "own": 0.3, "shifts": (2, 2)},
    },
    "many": {
        "10 over 60 clusters": {"n": 60, "shifts": [1.2] * 10},
        "10 over 12 clusters": {"n": 12, "shifts": [1.2] * 10},
    },
}
QUERIES = {  # what populations.models_of_queries takes
    "queries": {
        "16": {"n": 16},
        "40": {"n": 40},
        "60, gain": {"n": 60, "shifts": (1, 1.3)},
        "100, gain": {"n": 100, "shifts": (1, 1.2)},
        "30, one relevant": {"n": 30, "relevant": 0.01},
        "200, one relevant": {"n": 200, "relevant": 0.01, "correlation": 0.99},
        "40, weighted": {"n": 40, "weighted": True},
        "100, weighted, gain": {"n": 100, "weighted": True, "shifts": (1, 1.3)},
        "120 of users": {"n": 120, "users": 0.25},
        "60 of users": {"n": 60, "users": 0.2},
        "200 of users, gain": {"n": 200, "users": 0.3, "shifts": (1, 1.2)},
        "new: 24 long": {"n": 24, "size": 80, "relevant": 0.05, "shifts": (1, 1.2)},
        "hard: B reverses 5% of 60": {"n": 60, "failing": 0.05, "correlation": 0.98},
        "hard: B reverses 5% of 40 users": {"n": 200, "users": 0.2, "failing": 0.05},
    },
    "many": {"6 over 60 queries": {"n": 60, "shifts": [1.0] * 6}},
}
# fmt: off
COLUMNS_OF_TABLES = {  # columns, positives of each, prevalence, shifts, and shared noise
    "columns": [
        (3, 40, 0.1, 1.3, 1.3, 0.3), (10, 25, 0.1, 1.2, 1.4, 0.3), (20, 25, 0.1, 1.3, 1.3, 0.8),
        (50, 15, 0.05, 1.3, 1.3, 0.3), (12, 60, 0.1, 1.3, 1.3, 0.3), (8, 30, 0.2, 2, 2, 0.5),
        (15, 50, 0.3, 1, 1.2, 0.5),
    ],
    "columns, hard": [
        (50, 15, 0.05, 1, 2, 0.3), (50, 50, 0.05, 1, 2, 0.3), (20, 15, 0.1, 1, 2.5, 0.3),
        (35, 20, 0.08, 1, 1.7, 0.3),
    ],
}
# fmt: on
MORE_COLUMNS = {  # rows, prevalences, shifts, and options
    "weighted": (400, np.geomspace(0.02, 0.1, 30), (1.2, 1.9), {"average": "weighted"}),
    "at 10%": (100, np.full(25, 0.3), (1, 1.6), {"prevalence": 0.1}),
    "80 clusters": (400, np.full(20, 0.05), (1, 1.8), {"n_clusters": 80}),
    "new: micro": (300, np.full(6, 0.1), (1, 1.3), {"average": "micro"}),
    "new: samples": (80, np.full(8, 0.3), (1, 1.2), {"average": "samples"}),
}
# fmt: off
IMAGES = [  # images, classes, objects of the rarest class, shifts, and the definition
    (50, 20, 3, (1, 1), d.Step()), (50, 20, 3, (1, 1.6), COCO), (100, 10, 10, (1.5, 1.5), COCO),
    (100, 5, 5, (1, 1.7), d.Step()), (300, 20, 5, (1.2, 1.6), d.Step()),
    (300, 10, 3, (0.5, 0.5), COCO), (80, 12, 5, (1.5, 1.5), d.Step()),
    (150, 8, 20, (1, 1.5), COCO),
]
# fmt: on
MARGINS = {  # positives, prevalence, a model with one that is worse, and with one that is as good
    "normal": (300, 0.1, alike(1.6, 1.45, r=0.7), alike(1.6, 1.6, r=0.7)),
    "rare": (1000, 0.02, alike(2.0, 1.9, r=0.7), alike(2.0, 2.0, r=0.7)),
    "strong": (200, 0.3, alike(3.6, 2.8, r=0.7), alike(3.6, 3.6, r=0.7)),
    "half positive": (300, 0.5, alike(1.2, 1.05, r=0.7), alike(1.2, 1.2, r=0.7)),
    "B loses 5%": (300, 0.1, changed(GOOD, loses(0.05)), changed(GOOD, loses(0))),
}
MARGINS |= {
    f"{expected:g} alarms, {n} positives, noise {noise:g}": (
        n,
        0.1,
        *(changed(GOOD, p.noisy(noise), alarms(share)) for share in (expected / (9 * n), 0)),
    )
    for n, settings in {
        100: [(1.2, 0), (1.2, 0.3), (1.5, 0.3), (2, 0), (2, 0.3), (2.8, 0), (2.8, 0.3), (4, 0.3)],
        300: [(1.5, 0.3), (2, 0), (2, 0.3), (2.8, 0), (2.8, 0.3)],
        200: [(2.4, 0.15)],
    }.items()
    for expected, noise in settings
}
# fmt: off
UNLIKE = {  # kind of the second model, rows that fail, positives, prevalence, and the shift
    "unlike, rows": [
        ("alarms above all", 2, 20, 0.2, 1), ("alarms above all", 1.5, 60, 0.15, 1),
        ("alarms above all", 3, 60, 0.15, 1), ("alarms above all", 1.5, 150, 0.05, 1),
        ("alarms above all", 1.2, 300, 0.15, 1), ("alarms above all", 2, 500, 0.5, 1),
        ("alarms above all", 1.2, 1000, 0.1, 1), ("alarms above half", 1.2, 300, 0.15, 1),
        ("alarms among the best", 2, 300, 0.15, 1), ("lost", 3, 60, 0.15, 1),
        ("lost", 5, 150, 0.3, 1),
    ],
    "unlike, hits": [
        ("hits", 1.2, 40, 0.01, 0.6), ("hits", 2.5, 40, 0.01, 0.6), ("hits", 1.2, 40, 0.02, 0.6),
        ("hits", 1.2, 20, 0.02, 1),
    ],
    "unlike, near copies": [
        ("near copy", 1.2, 200, 0.1, 2), ("near copy", 2, 200, 0.1, 2),
        ("near copy", 1.2, 75, 0.15, 2), ("near copy", 1.5, 75, 0.15, 2),
        ("near copy", 2.5, 75, 0.15, 2),
    ],
}
# fmt: on


def of_rows():
    for kind, settings in ROWS.items():
        for name, population in settings.items():
            yield Cell(kind, name, *rows(*population))
    for name, n, prevalence, shifts, weights in (
        ("lognormal", 300, 0.2, (1.3, 1.3), LOGNORMAL),
        ("heavy", 150, 0.1, (1.3, 1.8), partial(p.lognormal_weights, spread=1.2)),
        ("a tenth 20", 150, 0.1, (1.5, 1.5), p.tenth_of_20),
        ("positives unequal", 80, 0.2, (1, 1.4), p.unequal_positives),
    ):
        population = rows(n, prevalence, alike(*shifts, r=0.5), weights=weights)
        yield Cell("weights", name, *population)
    draw, _ = rows(60, 0.5, alike(1.5, 2, r=0.5), weights=p.kept_negatives)
    truth = partial(p.truths_of_shifts, 1 / 11, (1.5, 2))  # of all negatives
    yield Cell("weights", "negatives 10", draw, truth)
    for kind, settings in PREVALENCES.items():
        for n, prevalence, other, *shifts in settings:
            name = f"{n} of {prevalence:g} at {other:g}, {shifts}"
            yield Cell(kind, name, *rows(n, prevalence, alike(*shifts, r=0.5), other=other))
    for name, (n, models) in MANY.items():
        yield Cell("many", name, *rows(n, 0.1, models), share=0.5)
    for name, (definition, n, prevalence, a, b, r) in AT_K.items():
        draw, _ = rows(n, prevalence, alike(a, b, r=r))
        how = {"definition": definition, "are_equal": a == b, "share": 0.5}
        yield Cell("at k", f"{definition!r}, {name}", draw, **how)
    for names in (("logistic", "Bayes"), ("Bayes", "tree")):
        draw = partial(p.folds_of_models, n=50, prevalence=0.2, names=names)
        yield Cell("folds", " and ".join(names), draw, share=0.5)


def of_groups():
    for draw, kinds in ((p.models_in_clusters, CLUSTERS), (p.models_of_queries, QUERIES)):
        for kind, settings in kinds.items():
            for name, how in settings.items():
                equal = () if {"top", "failing"} & {*how} else how.get("shifts", (1.2, 1.2))
                truths = partial(p.truths_of_many, draw, equal=equal, **how | {"n": 20_000})
                share = 0.5 if kind == "many" else 1.0
                yield Cell(kind, name, partial(draw, **how), truths, share=share)


def of_columns():
    for kind, settings in COLUMNS_OF_TABLES.items():
        for n_columns, n, prevalence, a, b, shared in settings:
            draw, truths = columns(n_columns, n / prevalence, prevalence, (a, b), shared)
            name = f"{n_columns} of {n} of {prevalence:g}, {a:g} and {b:g}, shared {shared:g}"
            yield Cell(kind, name, draw, truths, share=0.5)
    yield Cell("many", "5 over 8 columns", *columns(8, 240, 0.1, [1.3] * 5), share=0.5)
    for name, (n, prevalences, shifts, how) in MORE_COLUMNS.items():
        draw = partial(p.models_of_columns, prevalences=prevalences, shifts=shifts, **how)
        yield Cell("columns", name, *groups(draw, "n_rows", n, 100_000), share=0.5)


def columns(n_columns, n_rows, prevalence, shifts, shared=0.3):
    """How columns are drawn, and the true scores of their models."""
    how = {"prevalences": np.full(n_columns, prevalence), "shifts": shifts, "shared": shared}
    draw = partial(p.models_of_columns, n_rows=n_rows, **how)
    return draw, partial(p.truths_of_shifts, prevalence, shifts)


def of_detectors():
    for n, n_classes, fewest, shifts, definition in IMAGES:
        rates = np.geomspace(fewest, 30, n_classes) / n
        draw = partial(p.models_of_images, rates=rates, shifts=shifts)
        truth = {"definition": definition, "equal": shifts}
        a, b = shifts
        name = f"{n} images, {n_classes} of {fewest} to 30, {a:g} and {b:g}, {definition!r}"
        population = groups(draw, "n_images", n, 20_000, **truth)
        yield Cell("detectors", name, *population, definition, share=0.5)
    for skills in ((1.2, 1.2), (1.0, 1.5)):
        draw = partial(p.detectors, skills=skills)
        truth = partial(p.truths_of_many, draw, COCO, skills, n_images=8_000)
        yield Cell("detectors", f"ten overlaps, {skills}", draw, truth, COCO, share=0.25)


def of_margins():
    for name, (n, prevalence, worse, as_good) in MARGINS.items():
        equal, _ = rows(n, prevalence, as_good)
        yield Cell("margins", name, *rows(n, prevalence, worse), equal=equal)
    numbers = {25: (1.2, 2, 2.8), 60: (1.2, 2, 2.8, 4), 40: (2.4,)}
    for n, failing in ((n, failing) for n, each in numbers.items() for failing in each):
        draw = partial(p.models_of_queries, correlation=0.9)
        population = groups(partial(draw, failing=failing / n), "n", n, 40_000)
        name = f"{n} queries, B fails in {failing:g}"
        yield Cell("margins of queries", name, *population, equal=partial(draw, n=n))


def unlike(kind, expected, n, prevalence, shift=1, **how):
    """How models are drawn that are as good and err in unlike ways."""
    how |= {"kind": kind, "expected": expected, "shift": shift}
    return partial(p.unlike, n=n, prevalence=prevalence, **how)


def of_unlike_models():
    equal = partial(Cell, are_equal=True)
    costly = partial(equal, share=0.5)
    for kind, settings in UNLIKE.items():
        for of, expected, n, prevalence, shift in settings:
            what = "alarms" if of == "near copy" else of
            name = f"{expected:g} {what}, {n} of {prevalence:g}"
            yield equal(kind, name, unlike(of, expected, n, prevalence, shift))
    for of, expected, n, prevalence, shift in (
        ("alarms above all", 1.5, 60, 0.15, 1),
        ("near copy", 1.5, 75, 0.15, 2),
        ("hits", 1.2, 40, 0.02, 0.6),
    ):
        draw = unlike(of, expected, n, prevalence, shift, weights=LOGNORMAL)
        yield equal("unlike, weights", f"{expected:g}, {of}", draw)
    for of, expected, shift in (
        ("alarms above all", 1.2, 1),
        ("alarms above all", 2.5, 1),
        ("near copy", 1.5, 2),
    ):
        draw = unlike(of, expected, 200, 0.3, shift, other=0.02)
        yield equal("unlike, prevalence", f"{expected:g}, {of}, .02", draw)
    failing = partial(unlike, "alarms above all", 1.2)
    for name, n, prevalence in (
        ("60 of 10 fail as a whole", 180, 0.3),
        ("60 of 10, 5% fail as a whole", 30, 0.05),
        ("12 of 10 fail as a whole", 36, 0.3),
    ):
        yield costly("unlike, clusters", name, failing(n, prevalence, size=10))
    for n in (60, 200):
        draw = partial(p.noise_of_clusters, n=n)
        yield equal("unlike, noise of clusters", f"{n} of lognormal sizes", draw)
    for n_columns in (4, 8):
        draw = failing(60, 0.2, n_columns=n_columns)
        yield costly("unlike, columns", f"{n_columns} columns of 300 rows that fail in all", draw)
    for of, shift in ((d.AtK, 1.779), (d.PrecisionAtK, 2.143)):  # at which models are equal
        draw = unlike("alarms above all", 1.5, 60, 0.15, equal=shift)
        yield costly("unlike, at k", f"{of.__name__}(20), 1.5 alarms", draw, definition=of(20))
    eight = partial(p.models_of_columns, n_rows=300, prevalences=np.full(8, 0.1), shifts=(1.5, 1.5))
    for of in (d.AtK, d.RecallAtK, d.PrecisionAtK):
        name = f"{of.__name__}(20), equal"
        draw = partial(p.models_in_clusters, n=60, size=10)
        yield costly("at k, clusters", name, draw, definition=of(20))
        yield costly("at k, columns", name, eight, definition=of(20))
    for n, shapes in product((15, 60, 200), combinations(("easy", "heavy-tailed", "normal"), 2)):
        draw, _ = rows(n, 0.1, apart(*(p.shape_with(shape, 0.6) for shape in shapes)))
        yield equal("fresh", f"{n} of .1, {' and '.join(shapes)} of .6", draw)


def cells():
    parts = of_rows, of_groups, of_columns, of_detectors, of_margins, of_unlike_models
    for part in parts:
        yield from part()
