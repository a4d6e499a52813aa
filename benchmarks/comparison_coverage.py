"""How often intervals of differences hold the true one, and how often equal models differ."""

import math
from functools import partial
from itertools import product

import numpy as np
import populations
from populations import in_clusters, score_of_many
from simulation import Cell, compared, main
from tables import UNWARNED, Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap import definitions as d

N_BOOTSTRAP = 200
FAILS, ERRS = 90, 7  # a cell that covers less fails, and so does a contest that errs more often
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
# At another prevalence: positives, from, to.
PREVALENCES = [(200, 0.5, 0.1), (1000, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)]
PREVALENCES += [(1000, 0.02, 0.001), (200, 0.5, 0.01)]
PAIRS_OF_DETECTORS = {
    "80 images": {"skills": (1.2, 1.5)},
    "80 images, weak": {"skills": (0.3, 0.5), "tight": 4},
    "80 images, one overlap": {"skills": (1.2, 1.5), "overlaps": (0.5,)},
}


def bootstrap(rng, y, s):
    """Percentiles of the difference of two models, from resampled rows."""
    drawn = (rng.integers(0, y.size, y.size) for _ in range(N_BOOTSTRAP))
    found = [populations.score(y[i], s[..., i]) for i in drawn if y[i].any()]
    return np.quantile(found, [0.025, 0.975])


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
    facts = {"kind": name.partition(":")[0], "section": "comparison"}
    return Cell(name, partial(sample_of_contest, draw=draw), n_samples, truth, facts)


def at_another_prevalence():
    models = (("weak", 1.0), ("good", 2.0))
    for (n, *of), (family, shift), correlation in product(PREVALENCES, models, (0.0, 0.9)):
        how = {"n_positives": n, "shifts": (shift, shift), "prevalence": of[0]}
        draw = partial(populations.normals, **how, correlation=correlation)
        sizes = "{} positives, from {:g} to {:g}".format(n, *of)
        name = f"equal, {sizes}, {family}, correlation {correlation:g}"
        judge = partial(sample_at, draw=draw, prevalence=of[1])
        facts = {"kind": "equal models", "section": "prevalence"}
        yield Cell(name, judge, 200, facts=facts)


def sample_at(rng, _, draw, prevalence):
    y, scores, _ = populations.disguised(rng, *draw(rng))
    return compared(y, scores, about="^few ", prevalence=prevalence)


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


def of_prevalences(rows):
    what = "p < 0.05 for equal models at another prevalence (5 of 100)"
    columns = {"cells": "{n}", "p < 0.05": "{differs.least:.1f} to {differs.most:.1f}"}
    high = (row for row in rows if row["differs"] > ERRS)
    fails = [table_of(f"Equal models above {ERRS}", high, differ="{differs:.1f}")]
    return Section([promise(what, rows, "differs", "most")], table_by("kind", rows, columns), fails)


SECTIONS = {"comparison": of_comparisons, "prevalence": of_prevalences}


def cells():
    yield from contests()
    yield from at_another_prevalence()


if __name__ == "__main__":
    main("comparison_coverage", __doc__, cells, SECTIONS)
