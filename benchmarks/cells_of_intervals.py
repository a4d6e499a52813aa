"""The cells of coverage_of_intervals.py: populations of one model, and their true scores."""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import populations as p
import simulation

from sklearn_ap import definitions as d


@dataclass
class Cell(simulation.Cell):
    """How samples are drawn, and a function of their true score; without one, it is their mean."""

    draw: object
    truth: object = None
    definition: object = d.Step()


def rows(n, prevalence, scores, **how):
    """How rows of a population are drawn, and its score."""
    draw = partial(p.rows, n=n, prevalence=prevalence, scores=scores, **how)
    return draw, partial(p.truth_of_scores, how.get("other", prevalence), scores)


def groups(draw, size, n, n_true=100_000, **score):
    """How so many clusters, queries, images or rows of columns are drawn, and the score of many."""
    return partial(draw, **{size: n}), partial(p.score_of_many, draw, **{size: n_true}, **score)


def with_shifts(*settings):
    """Populations of normal scores, by their positives, rows and shift."""
    return {f"{n} of {m}, shift {x:g}": (n, n / m, p.normal(x)) for n, m, x in settings}


def with_alarms(*settings):
    """Populations of normal scores, by the expected false alarms above all, and these three."""
    return {
        f"{alarms:g} alarms, {n} of {m}, shift {x:g}": (n, n / m, p.far(alarms / (m - n), 0, x))
        for alarms, n, m, x in settings
    }


def with_easy(*settings):
    """Populations of normal scores, by the expected positives above all, and these three."""
    return {
        f"{easy:g} easy, {n} of {m}, shift {x:g}": (n, n / m, p.far(easy / n, 1, x))
        for easy, n, m, x in settings
    }


SHAPES = {
    "binormal": p.normal(1.0),
    "bibeta": p.bibeta,
    "offset uniform": p.uniform(0.5),
    "three sites": p.sites(1.5),
    "wide positives": p.student(30, 1.0, 2.5),
    "narrow positives": p.student(30, 1.5, 0.4),
    "probabilities": p.two_decimals,
}
# fmt: off
ROWS = {  # positives, prevalence and scores
    "rows, about three hidden": with_alarms(
        (2.7, 100, 200, 9), (3.2, 100, 200, 9), (2.7, 100, 1000, 4), (3.2, 100, 1000, 4),
        (2.7, 100, 200, 3), (2.7, 30, 300, 4), (2.6, 50, 1000, 3), (3, 200, 400, 2.5),
        (3, 40, 400, 9), (2.8, 500, 1000, 3), (2.6, 20, 200, 4),
    ) | with_easy(
        (2.8, 100, 10_000, 0.5), (3.2, 60, 6000, 0.3), (2.6, 200, 4000, 0.5),
    ) | {
        "2.8 of 100 lost": (100, 0.1, p.lost(0.028, 4)),
        "3 of 100 lost": (100, 0.5, p.lost(0.03, 9)),
    },
    "rows, ordinary": with_shifts(
        (5, 10, 2), (5, 500, 2), (8, 80, 1), (10, 10_000, 4), (12, 6000, 3), (20, 200, 1),
        (20, 200, 4), (20, 20_000, 4), (30, 3000, 0.3), (50, 50_000, 3), (50, 100, 1),
        (50, 1000, 2), (54, 60, 1), (100, 200, 4), (100, 10_000, 0.5), (100, 500, -0.5),
        (200, 2000, 2), (200, 20_000, 4), (270, 300, 1), (300, 1000, 0.1), (1000, 50_000, 0.5),
        (1000, 10_000, 2.5), (1000, 2000, 4), (200, 400, 5), (100, 10_000, 6),
    ) | {
        f"{name}, {n}": (n, 0.1, scores)
        for (name, scores), n in product(SHAPES.items(), (20, 100, 500))
    } | {
        "t(3)": (100, 0.05, p.student(3, 1.5)),
        "t(2)": (150, 0.3, p.student(2, 1.5)),
        "t(5), 15 of 45": (15, 1 / 3, p.student(5, 1)),
        "a tenth at the top": (60, 0.1, p.uniform(0, 0.1)),
        "30% easy": (60, 0.1, p.uniform(0, 0.3)),
        "5 levels": (80, 0.2, p.levels(5, 1.5)),
        "20 levels": (100, 0.02, p.levels(20, 2.0)),
        "4 grades, 300 of 1,000": (300, 0.3, p.levels(4, 1.5)),
        "rounded": (500, 0.1, p.rounded(1.5)),
        "outliers": (100, 0.1, p.far(0.002, 0, 2.0, 6.0)),
    },
    "rows, hard": with_easy(
        (0.5, 30, 3000, 0.3), (1, 100, 10_000, 0.3), (2, 60, 6000, 0.3), (3, 300, 30_000, 0.3),
        (5, 150, 7500, 0.6), (1, 1000, 50_000, 0.3),
    ) | with_alarms(
        (0.5, 50, 1000, 2), (1, 40, 400, 4), (2, 200, 2000, 5), (3, 100, 2000, 3),
        (5, 30, 300, 5), (1, 100, 200, 3), (2, 100, 200, 3), (2, 60, 120, 2), (3, 10, 1000, 9),
        (3, 100, 200, 9),
    ) | with_shifts(
        (200, 220, 0.5), (40, 50, 2), (10, 1000, 0.5), (300, 15_000, 0.2), (1000, 50_000, 0.1),
        (3000, 100_000, 0.3),
    ) | {
        "weak, t(3)": (100, 0.01, p.student(3, 0.5)),
        "middling, t(4)": (50, 0.02, p.student(4, 1.0)),
        "weak, Cauchy": (60, 0.02, p.student(1, 0.5)),
        "half lost": (60, 0.02, p.lost(0.5, 3.0)),
        "9 of 10 lost": (200, 0.01, p.lost(0.9, 3.0)),
        "1 of 20 lost": (80, 0.1, p.lost(0.05, 5.0)),
        "mostly 0, weak": (100, 0.02, p.mostly_zero(0.5, 0.8, 0.95)),
        "mostly 0, good": (30, 0.05, p.mostly_zero(4.0, 0.3, 0.95)),
        "3 grades, weak": (100, 0.05, p.levels(3, 0.5)),
        "6 grades": (60, 0.01, p.levels(6, 1.0)),
    },
    "few positives": with_shifts(
        (2, 4, 2), (3, 30, 2), (4, 400, 2), (3, 10, 1), (2, 100, 4), (4, 8, 0),
    ),
    "few negatives": with_shifts(
        (100, 103, 1), (50, 52, 0), (40, 45, 2), (200, 210, 0.5), (30, 34, 1), (500, 505, 0.5),
    ),
}
PREVALENCES = [  # positives, prevalence of the sample, and the other one
    (200, 0.1, 0.01), (200, 0.5, 0.05), (50, 0.1, 0.02), (1000, 0.5, 0.1), (200, 0.02, 0.1),
    (50, 0.5, 0.01), (100, 0.3, 0.02), (100, 0.8, 0.01), (30, 0.75, 0.005),
]
COLUMNS_OF_TABLES = [  # columns, positives of each, prevalence, shift, and shared noise
    (2, 3, 0.1, 1.0, 0.0), (3, 20, 0.1, 1.5, 0.0), (3, 20, 0.1, 1.5, 0.7), (10, 20, 0.1, 1.5, 0.0),
    (10, 20, 0.1, 1.5, 0.7), (10, 100, 0.1, 1.5, 0.7), (20, 25, 0.05, 1.0, 0.2),
    (20, 50, 0.05, 1.0, 0.2), (50, 25, 0.05, 1.0, 0.2), (30, 16, 0.08, 1.0, 0.8),
    (8, 40, 0.1, 4.0, 0.2), (2, 30, 0.5, 1.0, 0.5), (50, 15, 0.05, 2.0, 0.2),
    (6, 12, 0.05, 2.0, 0.2), (40, 20, 0.5, 0.5, 0.3), (40, 20, 0.5, 1.5, 0.3),
]
# fmt: on
SMOOTH = [d.Interpolated(), d.Interpolated(101), d.Interpolated(11)]
SMOOTH += [d.Linear(), d.Hyperbolic(), d.Expected()]
AT_K = [d.AtK(20), d.AtK(5), d.PrecisionAtK(20), d.PrecisionAtK(5), d.RecallAtK(20)]


def of_rows():
    for kind, cells in ROWS.items():
        for name, population in cells.items():
            yield Cell(kind, name, *rows(*population))
    models = {"weak": p.normal(1), "good": p.normal(2), "strong": p.normal(4)}
    models["Cauchy"] = p.student(1, 3)
    for (n, prevalence, other), (model, scores) in product(PREVALENCES, models.items()):
        kind = "prevalence, few negatives" if prevalence > 0.7 else "prevalence"
        name = f"{n} of {prevalence:g} to {other:g}, {model}"
        yield Cell(kind, name, *rows(n, prevalence, scores, other=other))
    for (model, shift), n, lost in product({"weak": 1, "good": 2}.items(), (50, 200), (0.1, 0.3)):
        scores = p.far(lost, 1, shift, -np.inf)
        yield Cell("never scored", f"{model}, {n}, {lost:.0%} -inf", *rows(n, 0.1, scores))


def families(n, prevalence):
    """Strong and weak scores, with ties and without; a sample expects two false alarms."""
    return {
        "weak": p.normal(1),
        "near-perfect": p.normal(5),
        "few distinct scores": p.rounded(1.5),
        "a giant tie": p.giant_tie,
        "two false alarms": p.uniform(1, 2 * prevalence / n / (1 - prevalence), 0, 2),
    }


FAMILIES = [*families(20, 0.1)]


def of_family(kind, definition, family, n, prevalence=0.1):
    scores = families(n, prevalence)[family]
    draw = partial(p.rows, n=n, prevalence=prevalence, scores=scores)
    if definition not in SMOOTH:
        return Cell(kind, f"{family}, {n}", draw, definition=definition, share=0.5)
    truth = partial(p.truth_of_definition, definition, prevalence, scores)
    return Cell(kind, f"{family}, {n}", draw, truth, definition)


def of_definitions():
    for definition, family, n in product([*SMOOTH, *AT_K], FAMILIES, (20, 100)):
        yield of_family(f"definition: {definition!r}", definition, family, n)
    for n, family in product((20, 100), FAMILIES):
        yield of_family("precision at a recall", d.PrecisionAtRecall(), family, n)
    for k, family in product((1, 2), FAMILIES):
        yield of_family(f"recall at {k}", d.RecallAtK(k), family, 10, prevalence=0.3)
    half = d.Interpolated([level / 20 for level in range(11)])
    for (model, shift), n in product({"weak": 1, "strong": 2}.items(), (100, 800)):
        draw = partial(p.rows, n=n, prevalence=0.1, scores=p.normal(shift))
        yield Cell("levels up to a recall of 0.5", f"{model}, {n}", draw, definition=half)


def of_queries():
    ordinary = [(n, size, 1) for n, size in product((5, 16, 50, 200), (10, 100))]
    for n, size, skill in (*ordinary, (10, 10, 6), (20, 10, 6), (50, 10, 7), (20, 10, 4)):
        draw = partial(p.unequal_queries, size=size, skill=skill)
        name = f"{n} queries of about {size}, skill {skill}"
        yield Cell("queries", name, *groups(draw, "n", n, 20_000))
    for n, share in ((10, 0.2), (12, 0.2), (30, 0.05), (40, 0.05), (30, 0.02), (100, 0.02)):
        population = groups(partial(p.easy_queries, share=share), "n_queries", n, 40_000)
        yield Cell("queries", f"{n}, {share:.0%} easy", *population)
    for n_users in (25, 100):
        draw = partial(p.unequal_queries, n=6 * n_users, size=10, n_users=n_users)
        truth = partial(p.score_of_many, draw, n=120_000, n_users=20_000)
        yield Cell("queries", f"{n_users} users", draw, truth)


def of_columns():
    for n_columns, n, prevalence, shift, shared in COLUMNS_OF_TABLES:
        how = {"prevalences": np.full(n_columns, prevalence), "shift": shift, "shared": shared}
        draw = partial(p.columns, n_rows=round(n / prevalence), **how)
        truth = partial(p.binormal, shift, prevalence)
        name = f"{n_columns} columns of {n} of {prevalence:.0%}, shift {shift}, shared {shared}"
        yield Cell("columns", name, draw, truth, share=0.5)
        for definition in (d.Interpolated(), d.Hyperbolic()) if n in (20, 25) and shared else ():
            label = f"{definition!r}, {name}"
            yield Cell("columns, other definitions", label, draw, truth, definition, share=0.25)
    for n_rows, prevalences, shifts, k in (
        (300, [0.1, 0.1], [3.0, 0.5], None),
        (2000, [0.1, 0.1], [3.0, 0.5], None),
        (1000, [0.05, 0.2, 0.1], [2.5, 0.5, 1.0], None),
        (1000, [0.1, 0.1], [3.0, 0.5], 0.2),
    ):
        how = {"prevalences": prevalences, "shift": shifts, "options": {"average": "weighted"}}
        draw = partial(p.columns, n_rows=n_rows, shared=0.3, **how)
        name = f"{n_rows} rows, {prevalences}, shifts {shifts}"
        if k is None:
            yield Cell("columns, weighted", name, draw, share=0.5)
        else:
            name, definition = f"AtK({k}), {n_rows} rows", d.AtK(k)
            yield Cell("columns, weighted", name, draw, definition=definition, share=0.25)
    for n_columns, n, prevalence, unknown in ((12, 40, 0.1, 0.7), (40, 100, 0.05, 0.9)):
        n_rows = round(n / prevalence / (1 - unknown))
        how = {"unknown": unknown, "prevalences": np.full(n_columns, prevalence)}
        draw, truth = partial(p.gaps, n_rows=n_rows, **how), partial(p.binormal, 1.5, prevalence)
        yield Cell("gaps", f"{n_columns} columns, {unknown:.0%} unknown", draw, truth, share=0.5)
    for n_columns, n, alarms in ((5, 40, 1), (10, 40, 2), (10, 100, 3)):
        how = {"prevalences": np.full(n_columns, 0.1), "alarms": alarms / n / 10}
        population = groups(partial(p.shared_alarms, **how), "n_rows", 10 * n)
        name = f"{n_columns} perfect columns of {n}, {alarms} alarms in all"
        yield Cell("columns that share alarms", name, *population, share=0.5)


def of_clusters():
    for n in (20, 50, 200):
        yield Cell("clusters", f"{n} beta", *groups(p.in_clusters, "n_clusters", n))
    easy = {"easy_clusters": 0.03, "effect": 0}
    for name, n, draw in (
        ("Zipf, good", 300, partial(p.zipf, prevalence=0.1, shift=2.5)),
        ("Zipf, weak", 600, partial(p.zipf, prevalence=0.03, shift=0.5)),
        ("Zipf, 3% easy", 600, partial(p.zipf, prevalence=0.05, shift=0.3, **easy)),
        ("patients of 5", 100, partial(p.patients, size=5)),
        ("5% ill", 400, partial(p.patients, ill=0.05, shift=2.5)),
        ("patients of 20", 40, partial(p.patients, size=20, ill=0.5)),
        ("sites, a tenth heavy", 60, partial(p.patients, ill=0.8, shift=1.0, heavy=0.1)),
    ):
        yield Cell("clusters", f"{n} {name}", *groups(draw, "n", n))
    for kind, size, numbers in (("weights", 1, (100, 400)), ("both", 5, (40, 100, 400))):
        for n in numbers:
            draw = partial(p.in_clusters, weighted=True, size=size)
            yield Cell(kind, f"{n} with scores", *groups(draw, "n_clusters", n))
    for n in (40, 100, 200):
        draw = partial(p.patients, failing=1 / n, shift=2.5)
        yield Cell("whole patients", f"{n} 1 fails", *groups(draw, "n", n))
    at_10 = d.AtK(10), d.PrecisionAtK(10), d.RecallAtK(10)
    for definition, size, alarms in product(at_10, (5, 20), (0, 0.7)):
        draw = partial(p.tops, size=size, alarms=alarms)
        name = f"{definition!r}, clusters of {size}, {alarms} alarms"
        yield Cell("at k over clusters", name, draw, definition=definition, share=0.5)


def of_detectors():
    for n, fewest, most in ((50, 3, 120), (50, 10, 400), (500, 3, 120)):
        draw = partial(p.images, rates=np.geomspace(fewest, most, 20) / n)
        name = f"{n} images, 20 classes of {fewest} to {most} objects"
        yield Cell("images", name, *groups(draw, "n_images", n, 20_000), share=0.5)
    coco = d.Interpolated(101)
    for name, how in {
        "ten overlaps": {},
        "one overlap, weak": {"overlaps": (0.5,), "skills": (0.3,), "tight": 4},
        "rare classes": {"n_classes": 12, "objects": (4, 40)},
    }.items():
        draw = partial(p.detectors, **how)
        truth = partial(p.score_of_many, draw, coco, n_images=8_000)
        yield Cell("detectors", name, draw, truth, coco, share=0.25)


def cells():
    for part in (of_rows, of_definitions, of_queries, of_columns, of_clusters, of_detectors):
        yield from part()
