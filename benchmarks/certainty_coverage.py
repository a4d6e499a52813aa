"""How often intervals hold the true value, and how often comparisons find what is not there."""

# The name is not coverage.py, as numba would import that in place of the package.
import math
from functools import partial
from itertools import chain, product

import numpy as np
import populations
from populations import binormal, family_sample, in_clusters, score_of_many
from simulation import Cell, compared, interval_cell, main
from tables import COVERAGE, UNWARNED, Section, below, promise, table_by, table_of

import sklearn_ap
from sklearn_ap import definitions as d
from sklearn_ap.definitions import Step

N_SAMPLES, N_BOOTSTRAP = 800, 200
FAILS, ERRS = 90, 7  # a cell that covers less fails, and so does a contest that errs more often
SMOOTH = [d.Interpolated(11), d.Interpolated(101), d.Interpolated()]
SMOOTH += [d.Linear(), d.Hyperbolic(), d.Expected()]
AT_K = (d.AtK(5), d.AtK(20), d.AtK(20, "positives"))
OF_POINTS = (d.PrecisionAtRecall(0.8), d.RecallAtPrecision(0.5))
DEFINITIONS = {
    "other definitions": SMOOTH,
    "scores at k": (*AT_K, d.PrecisionAtK(5), d.PrecisionAtK(20), d.RecallAtK(20)),
    "precision at a recall, recall at a precision": OF_POINTS,
}
OVER_CLUSTERS = (d.PrecisionAtK(10), d.AtK(10), d.RecallAtK(10))
FALSE_ALARMS = {"smooth": 0.0, "0.7 false alarms": 0.7}  # single rows above all positives
FAMILIES = ("weak", "near-perfect", "few distinct scores", "a giant tie", "two false alarms")
SIZES_OF_FAMILIES = [*product((20, 50, 200), (0.5, 0.1, 0.01))]
SIZES_OF_FAMILIES += [(10, 0.1), (1000, 0.1), (50, 0.9), (50, 0.001), (200, 0.9)]
# Columns, positives, prevalence and shift, by the share of the noise that columns have in common.
ALIKE = ((30, 16, 0.08, 1.0), (100, 16, 0.08, 1.0), (30, 80, 0.08, 1.0))
UNALIKE = ((100, 100, 0.02, 0.6), (50, 25, 0.05, 1.0), (200, 20, 0.1, 1.5))
MANY_COLUMNS = {0.2: UNALIKE, 0.8: ALIKE, 0.9: ALIKE}
EASY_QUERIES = ((10, 0.2), (12, 0.2), (30, 0.05), (40, 0.05), (30, 0.02), (100, 0.02))
# Numbers of clusters or rows, and how they are drawn.
UNITS = {
    "clusters": ((20, 50, 200), {}),
    "weights": ((100, 400), {"weighted": True, "size": 1.0}),
    "clusters and weights": ((100, 400), {"weighted": True}),
}
PAIRS = {  # of normal models: shifts, and positives with correlations
    "equal, normal scores: ": ((1.3, 1.3), (*product((20, 50, 200), (0.0, 0.9)),)),
    "equal, near-perfect: ": ((5.0, 5.0), ((100, 0.5),)),
    "0.40 and 0.50, ": ((1.3, 1.55), ((15, 0.9), (50, 0.9), (50, 0.5), (200, 0.5))),
}
FAMILY_PAIRS = (("two false alarms", 20), ("two false alarms", 100), ("few distinct scores", 50))
CLUSTERED = {
    "30 clusters": {"n_clusters": 30},
    "100 clusters": {"n_clusters": 100},
    "300 weighted rows": {"n_clusters": 300, "weighted": True, "size": 1.0},
    "100 clusters, weighted": {"n_clusters": 100, "weighted": True},
}


COCO, TRUE_IMAGES = d.Interpolated(101), 8_000
DETECTORS = {
    "80 images, ten overlaps": {},
    "80 images, one overlap": {"overlaps": (0.5,)},
    "80 images, weak": {"skills": (0.3,), "tight": 4},
    "80 images, one overlap, weak": {"overlaps": (0.5,), "skills": (0.3,), "tight": 4},
    "80 images, nearly perfect": {"skills": (5.0,), "tight": 60, "missed": 0.02},
    "80 images, false boxes at the top": {"weak_top": 0.05},
    "80 images, 20 classes of 20 to 60 objects": {"n_classes": 20, "objects": (20, 60)},
    "80 images, rare classes": {"n_classes": 12, "objects": (4, 40)},
    "40 images": {"n_images": 40},
    "300 images": {"n_images": 300},
}
PAIRS_OF_DETECTORS = {
    "80 images": {"skills": (1.2, 1.5)},
    "80 images, weak": {"skills": (0.3, 0.5), "tight": 4},
    "80 images, one overlap": {"skills": (1.2, 1.5), "overlaps": (0.5,)},
}


def cell_of(kind, name, cases, draw, target, definition=Step(), n_samples=N_SAMPLES):
    facts = {"kind": kind, "cases": cases}
    return interval_cell(name, draw, target, n_samples, definition, **facts)


def one_ranking():
    families = (*populations.FAMILIES, "two easy positives", "two false alarms")
    for family, (n, prevalence) in product(families, SIZES_OF_FAMILIES):
        draw = partial(family_sample, family=family, n=n, prevalence=prevalence)
        target = partial(populations.truth, Step(), family, n, prevalence)
        name = f"{family}, {n} positives, prevalence {prevalence}"
        n_samples = 300 if n / prevalence > 15_000 else N_SAMPLES
        cell = cell_of("one ranking, step", name, n, draw, target, n_samples=n_samples)
        if n in (20, 200) and prevalence == 0.1:
            cell.sample = partial(beside_bootstrap, judge=cell.sample, draw=draw)
        yield cell


def beside_bootstrap(rng, truth, judge, draw):
    """The interval, and for a tenth of the samples what people take from a loop."""
    numbers = judge(rng, truth) | {"bootstrap": np.nan}
    if rng.random() < 0.1:
        low, high = bootstrap(rng, *draw(rng)[:2])
        numbers["bootstrap"] = bool(low <= truth <= high)
    return numbers


def bootstrap(rng, y, s):
    """Percentiles of the score of resampled rows, or of the difference of two models."""
    drawn = (rng.integers(0, y.size, y.size) for _ in range(N_BOOTSTRAP))
    found = [populations.score(y[i], s[..., i]) for i in drawn if y[i].any()]
    return np.quantile(found, [0.025, 0.975])


def other_definitions():
    for kind, of_kind in DEFINITIONS.items():
        for definition, family, n in product(of_kind, FAMILIES, (20, 100)):
            draw = partial(family_sample, family=family, n=n, prevalence=0.1)
            known = partial(populations.truth, definition, family, n, 0.1)
            target = known if definition in SMOOTH[2:] else lambda: None
            name = f"{definition.title}, {family}, {n} positives"
            n_samples = N_SAMPLES if definition in SMOOTH else 400
            yield cell_of(kind, name, n, draw, target, definition, n_samples)


def averages():
    averages, sizes = ("macro", "weighted", "micro"), ((3, 20), (3, 100), (10, 20), (10, 100))
    for average, (n_columns, n), shared in product(averages, sizes, (0.0, 0.7)):
        how = {"prevalences": np.linspace(0.05, 0.2, n_columns), "shift": 1.5, "shared": shared}
        draw = partial(populations.columns, options={"average": average}, **how)
        target = partial(score_of_many, draw, n_rows=80_000)
        name = f"columns, {average}: {n_columns} columns of at least {n} positives, shared {shared}"
        yield cell_of("means over columns", name, n, partial(draw, n_rows=n * 20), target)
    for shared, sizes in MANY_COLUMNS.items():
        for n_columns, n, prevalence, shift in sizes:
            how = {"prevalences": np.full(n_columns, prevalence), "shift": shift, "shared": shared}
            draw = partial(populations.columns, n_rows=round(n / prevalence), **how)
            name, kind = f"{n_columns} columns of {n} positives, shared {shared}", "many columns"
            kind += ", which share most of their noise" * (shared > 0.5)
            yield cell_of(kind, name, n, draw, partial(binormal, shift, prevalence), n_samples=300)


def unequal_queries(rng, n_queries, size, average):
    sizes = rng.integers(size // 2, size * 2, n_queries)
    queries = np.repeat(np.arange(n_queries), sizes)
    y = (rng.random(queries.size) < np.repeat(rng.beta(1, 6, n_queries), sizes)) * 1
    shift = np.repeat(rng.normal(1, 1, n_queries), sizes)
    options = {"queries": queries, "average": average, "zero_division": np.nan}
    return y, rng.normal(size=y.size) + shift * y, options


def means_over_queries():
    for average, n, size in product(("macro", "weighted"), (16, 50, 200), (10, 100)):
        draw = partial(unequal_queries, size=size, average=average)
        # "weighted" is a ratio of means, whose target is that of very many queries.
        many = partial(score_of_many, draw, n_queries=5_000)
        kind, target = f"queries, {average}", many if average == "weighted" else lambda: None
        name = f"{kind}: {n} queries of about {size}"
        yield cell_of(kind, name, n, partial(draw, n_queries=n), target)
    for n, share in EASY_QUERIES:
        draw = partial(populations.easy_queries, share=share)
        target = partial(score_of_many, draw, n_queries=40_000)
        name, draw = f"{n} queries, {share:.0%} of them easy", partial(draw, n_queries=n)
        yield cell_of("queries, a few of them easy", name, n, draw, target)


def units():
    for part, (sizes, how) in UNITS.items():
        what = "rows" if part == "weights" else "clusters"
        for n, definition in product(sizes, (Step(), d.Interpolated(), d.Hyperbolic())):
            draw = partial(in_clusters, **how)
            target = partial(score_of_many, draw, definition, n_clusters=100_000)
            name, draw = f"{part}: {definition.title}, {n} {what}", partial(draw, n_clusters=n)
            yield cell_of("clusters, weights, or both", name, n, draw, target, definition)


def tops_of_clusters():
    for size, (kind, alarms), definition in product(
        (1, 2, 5, 20), FALSE_ALARMS.items(), OVER_CLUSTERS
    ):
        name = f"{definition.title}, {kind}, clusters of {size}"
        draw = partial(populations.tops, size=size, alarms=alarms)
        kind = f"scores at k, clusters of {size}"
        yield cell_of(kind, name, 100, draw, lambda: None, definition, 1_000)


def detections(rng, n_images, n_classes, fewest):
    """Detections over images; a fifth of the objects, which come together, is not found."""
    sizes = np.geomspace(fewest, 40 * fewest, n_classes) / n_images
    share = np.minimum(1.0, sizes / 2)  # of the images, those that have objects of a class
    busy = rng.gamma(2.0, 0.5, (n_images, 1)) * (rng.random((n_images, n_classes)) < share)
    objects, alarms = rng.poisson(busy * sizes / share), rng.poisson(sizes * 1.5, busy.shape)
    image, category = (
        np.concatenate([np.repeat(cells.ravel(), each.ravel()) for each in (objects, alarms)])
        for cells in np.indices(busy.shape)
    )
    y = (np.arange(image.size) < objects.sum()).astype(int)
    skill, hard = np.random.default_rng(5).normal(1.0, 0.6, n_classes), rng.normal(size=n_images)
    s = rng.normal(size=y.size) + y * (skill[category] + 0.6 * hard[image])
    s[(y == 1) & (rng.random(y.size) < 0.2)] = -np.inf
    return y, s, {"queries": category, "clusters": image, "zero_division": np.nan}


def classes_over_images():
    for n, n_classes, fewest in product((50, 500), (20, 80), (3, 10, 100)):
        draw = partial(detections, n_classes=n_classes)
        # Many times as many images, as far as memory reaches.
        images = min(100_000, n * max(60, 200_000 // (fewest * n_classes)))
        many = {"n_images": images, "fewest": fewest * images / n}
        target, kind = partial(score_of_many, draw, **many), "classes over images"
        name = f"{kind}: {n} images, {n_classes} classes of {fewest} to {40 * fewest} objects"
        draw, n_samples = partial(draw, n_images=n, fewest=fewest), 150 if fewest == 100 else 400
        yield cell_of(kind, name, n, draw, target, n_samples=n_samples)


def detectors():
    for name, how in DETECTORS.items():
        draw, cell = partial(populations.detectors, **how), f"detectors: {name}"
        target = partial(score_of_many, draw, COCO, n_images=TRUE_IMAGES)
        yield cell_of("detectors", cell, how.get("n_images", 80), draw, target, COCO, 200)


def pair_in_clusters(rng, **how):
    y, s, options = in_clusters(rng, **how)
    return y, s + rng.normal(size=(2, y.size)) * 0.7, options


def contests():
    for kind, (shifts, sizes) in PAIRS.items():
        for n, correlation in sizes:
            how = {"n_positives": n, "shifts": shifts, "correlation": correlation}
            name = f"{kind}{n} positives, correlation {correlation}"
            apart = partial(populations.binormal_difference, shifts, 0.1)
            yield contest(name, partial(populations.normals, **how), apart)
    for family, n in FAMILY_PAIRS:
        scores = populations.family_scores(family, n, 0.1)
        draw = partial(populations.alike, n_positives=n, scores=scores, n_models=2)
        yield contest(f"equal, {family}: {n} positives", draw)
    for name, how in CLUSTERED.items():
        yield contest(f"equal, clusters and weights: {name}", partial(pair_in_clusters, **how))
    for name, how in populations.OVER_PATIENTS.items():
        draw = partial(populations.over_patients, **how)
        truth = partial(score_of_many, draw, n_patients=20_000)
        yield contest(name, draw, truth, n_samples=500)
    for name, how in PAIRS_OF_DETECTORS.items():
        draw = partial(populations.detectors, **how)
        truth = partial(score_of_many, draw, COCO, n_images=TRUE_IMAGES)
        yield contest(f"two detectors: {name}", partial(as_coco, draw=draw), truth, n_samples=200)


def as_coco(rng, draw):
    y, scores, options = draw(rng)
    return y, scores, options | {"definition": COCO}


def contest(name, draw, truth=lambda: 0.0, n_samples=1_000):
    """Pairs of models on the same rows; what stands before a colon is the line of the table."""
    facts = {"kind": name.partition(":")[0]}
    return Cell(name, partial(sample_of_contest, draw=draw), n_samples, truth, facts)


def sample_of_contest(rng, truth, draw):
    """Whether each test says that the models differ, at 5%; the bootstrap in a tenth of samples."""
    y, scores, options = populations.disguised(rng, *draw(rng))
    numbers = compared(y, scores, truth, **options)
    numbers |= {"unpaired": np.nan, "bootstrap": np.nan}
    if not options:  # neither clusters nor weights
        errors = [sklearn_ap.average_precision_interval(y, s).standard_error for s in scores]
        numbers["unpaired"] = bool(abs(numbers["estimate"]) > 1.96 * math.hypot(*errors))
        if rng.random() < 0.1:
            low, high = bootstrap(rng, y, scores)
            numbers["bootstrap"] = bool(low > 0 or high < 0)
    return numbers


def of_intervals(rows):
    """A section about intervals: the summary leaves out cells of 10 positives."""
    shown = [row for row in rows if row["cases"] >= 16 or row["section"] == "queries"]
    columns = COVERAGE | {
        "+-1.96 SE: lowest": "{plain.least:.0f}",
        "percentile bootstrap: lowest": "{bootstrap.least:.0f}",
    }
    fails = [below(rows, FAILS, what="Cells of any size")]
    kinds = {"certainty": "test set", "queries": "mean over queries or fixed rankings"}
    kind = kinds[rows[0]["section"]]
    promises = [promise(f"95% intervals of one {kind}", shown)]
    return Section(promises, table_by("kind", shown, columns), fails)


def group_of(row):
    lines = {"equal,": "equal models", "0.40": "different models"}
    return lines.get(row["kind"].split()[0], "models over patients")


def of_comparisons(rows):
    equal = [row for row in rows if row["kind"].startswith("equal")]
    columns = {
        "cells": "{n}",
        "covers: lowest": "{covers.least:.0f}",
        "width": "{width.median:.2f}",
        **UNWARNED,
        "this": "{differs.least:.1f} to {differs.most:.1f}",
        "unpaired z test": "{unpaired.least:.1f} to {unpaired.most:.1f}",
        "paired bootstrap": "{bootstrap.least:.1f} to {bootstrap.most:.1f}",
    }
    low = [row for row in rows if row["covers"] < FAILS]
    low += [row for row in equal if row["differs"] > ERRS]
    shown = {"p_below_0.05": "{differs:.1f}", "covers": "{covers:.1f}"}
    fails = [table_of(f"Equal models above {ERRS}, or cells below {FAILS}", low, **shown)]
    more = [table_by("kind", rows, columns, "Each kind of models")]
    summary = table_by(group_of, rows, columns)
    promises = [
        promise("95% intervals of the difference of two models", rows),
        promise("p < 0.05 for equal models (5 of 100)", equal, "differs", "most"),
    ]
    return Section(promises, summary, fails, more)


GRIDS = {
    "certainty": (one_ranking, other_definitions, averages, units, tops_of_clusters),
    "queries": (means_over_queries, classes_over_images, detectors),
    "comparison": (contests,),
}
SECTIONS = {"certainty": of_intervals, "queries": of_intervals, "comparison": of_comparisons}


def cells():
    for section, grids in GRIDS.items():
        for cell in chain.from_iterable(make() for make in grids):
            cell.facts["section"] = section
            yield cell


if __name__ == "__main__":
    main("certainty_coverage", __doc__, cells, SECTIONS)
