"""How often the band contains the whole precision-recall curve of the population, and its width."""

from functools import partial

import numpy as np
import populations
from simulation import Cell, main
from tables import Section, below, promise, table_by

import sklearn_ap

RECALL = np.linspace(0.01, 1, 100)
HALF, MIDDLE = 49, slice(9, 95)  # the places of a recall of one half, and of .1 to .95
FAILS = 93  # a cell that covers less fails
SHAPES = ("good", "near-perfect", "Cauchy, shifted by 3", "30% easy positives")
KINDS = {  # families, positives, prevalence
    "20 positives": (("weak", "good"), 20, 0.1),
    "100 positives": (SHAPES, 100, 0.1),
    "100 positives, ties": (("few distinct scores", "a giant tie"), 100, 0.1),
    "30 positives of 3,000 rows": (("weak", "good"), 30, 0.01),
    "20,000 positives of 200,000 rows": (("weak", "good"), 20_000, 0.1),
}


def curve(family, prevalence):
    """The curve of the population, as if ties were broken at random."""
    counts = populations.counts_of(family)
    tpr, fpr = (np.append(0, each) / populations.N_TRUTH for each in (counts.tps, counts.fps))
    odds = (1 - prevalence) / prevalence * np.interp(RECALL, tpr, fpr)
    return RECALL / (RECALL + odds)


def by_wilson(y, s):
    """Wilson's interval of the precision at each threshold, as papers draw it."""
    counts = sklearn_ap.threshold_counts(y, s)
    place = np.searchsorted(counts.tps, RECALL * counts.n_positives - 1e-9)
    hits, n, z = counts.tps[place], (counts.tps + counts.fps)[place], 1.96
    half = z / (n + z * z) * np.sqrt(hits * (n - hits) / n + z * z / 4)
    middle = (hits + z * z / 2) / (n + z * z)
    return middle - half, middle + half


def sample(rng, truth, **how):
    y, s, _ = populations.disguised(rng, *populations.family_sample(rng, fewest=5, **how))
    band = sklearn_ap.precision_recall_band(y, s, recall_levels=RECALL)
    limits, width = (band[:2], by_wilson(y, s)), band.high[HALF] - band.low[HALF]
    held = [(low <= truth + 1e-9) & (truth - 1e-9 <= high) for low, high in limits]
    whole, by_threshold = bool(held[0].all()), bool(held[1][MIDDLE].all())
    return {"whole": whole, "by threshold": by_threshold, "at half": width}


def cells():
    for kind, (families, n, prevalence) in KINDS.items():
        for family in families:
            judge = partial(sample, family=family, n=n, prevalence=prevalence)
            truth, n_samples = partial(curve, family, prevalence), 200 if n > 100 else 500
            yield Cell(f"{family}, {kind}", judge, n_samples, truth, {"kind": kind})


def section(rows):
    columns = {
        "cells": "{n}",
        "band: lowest": "{whole.least:.0f}",
        "by threshold": "{by threshold.least:.0f} to {by threshold.most:.0f}",
        "width at half the recall": "{at half.least:.2f} to {at half.most:.2f}",
        "worst cell": "{whole.worst}",
    }
    fails = [below(rows, FAILS, "whole")]
    promises = [promise("95% bands contain the whole curve", rows, "whole")]
    return Section(promises, table_by("kind", rows, columns), fails)


if __name__ == "__main__":
    main("band_coverage", __doc__, cells, {"band": section})
