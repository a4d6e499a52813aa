"""Whether intervals hold where they are most easily wrong, and are no wider than they must.

Exits with 1 if a cell is broken. The samples are the same each time, so only a change breaks one.
"""

import math
import sys
from dataclasses import replace
from functools import partial

import best_of_many
import certainty_coverage
import cross_validation
import numpy as np
import populations
import prevalence_coverage
import simulation
import threshold_coverage
from scipy.stats import binom
from simulation import Cell
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap.definitions import PrecisionAtK

PROMISED = 93  # of a 95% interval: the limits of a page's cells
CHANCE = 0.001  # that a cell is called broken that holds as often as promised
WIDEST = 1.5  # times the width that is needed
FEWEST_FOR_WIDTH = 50  # samples, as the standard deviation of fewer is too uncertain
HIDDEN = "a sample may lack one more row in which models that rank most rows alike differ"
FEW_PATIENTS = "few patients decide, and a sample may lack one in whom the models differ more"
FEW_POSITIVES = "the variance of few effective positives is shrunken towards that of a proportion"
OF_WINNERS = "it allows for the choice, and the score of the best of equal models varies little"
TOO_BAD = "all just too bad, 0% 0.5 1000"
# Few rows have huge scores, or a small k decides; and a threshold with a guarantee of 90%.
NAMED = {
    "Cauchy, shifted by 30, 200 positives, prevalence 0.5": 89,
    "recall@20, near-perfect, 20 positives": 88,
    TOO_BAD: 90,
}
# Cells of other scripts, by kind and number of samples, and why they may be wide.
TAKEN = {
    (certainty_coverage, "comparisons over patients", 300): {
        **dict.fromkeys(populations.OVER_PATIENTS, ""),
        "80 patients, models alike": HIDDEN,
        "B loses 1% of the positives": HIDDEN,
        "80 unequal patients, who differ much": FEW_PATIENTS,
        "B loses 5% of 40 patients": FEW_PATIENTS,
    },
    (certainty_coverage, "means over columns and classes", 200): {
        "100 columns of 100 positives, shared 0.2": "the variance of each column is shrunken",
        "50 columns of 25 positives, shared 0.2": "",
        "200 columns of 20 positives, shared 0.2": "",
        "30 columns of 16 positives, shared 0.8": "",
        "100 columns of 16 positives, shared 0.9": "",
    },
    (certainty_coverage, "queries", 500): {
        "30 queries, 5% of them easy": "",
        "100 queries, 2% of them easy": "",
        "12 queries, 20% of them easy": "",
    },
    (certainty_coverage, "one ranking", 1_000): dict.fromkeys([*NAMED][:2], ""),
    (prevalence_coverage, "another prevalence", 500): {
        "200 positives, from 0.1 to 0.1, good": "",
        "200 positives, from 0.1 to 0.01, Cauchy, shifted by 3": FEW_POSITIVES,
        "1000 positives, from 0.1 to 0.001, 30% easy positives": FEW_POSITIVES,
    },
    (best_of_many, "best of many", 80): {
        "20 equal, 400 positives, correlation 0.5": OF_WINNERS,
        "100 equal, 50 positives, correlation 0.5": OF_WINNERS,
    },
    (cross_validation, "cross-validation", 80): {
        "logistic, 50 positives, share 0.2, 5 folds": "",
        "15 neighbours, 50 positives, share 0.05, 5 folds": "",
    },
    (threshold_coverage, "thresholds", 500): {TOO_BAD: ""},
}
SHIFT = 1.5  # of the scores of tasks
COLUMNS = (  # of two models: columns, positives, prevalence and shifts
    (100, 100, 0.02, (1.0, 1.3)),
    (50, 25, 0.05, (1.0, 2.0)),
    (100, 50, 0.02, (1.5, 2.0)),
)
# Tasks of 50 to 200 positives among 1,200 rows that were tested, and others: positives, rows that
# were tested, by how much the second of two models is better, and how alike the models are.
TASKS = {
    "one of 10": ([10], 130, 0.3, 0.6),
    "one of 3": ([3], 1_200, 0.3, 0.6),
    "three of 5": ([5] * 3, 65, 0.3, 0.6),
    "three of 5, models alike": ([5] * 3, 65, 0.1, 0.97),
}
WIDE = {"eleven large tasks and one of 3": "a task of 3 positives shows little of its own variance"}
WIDE |= {name: why for names in TAKEN.values() for name, why in names.items() if why}
OF_SITES = ("n_sites", "n_positives", "n_negatives", "share", "correlation")
SITES = {
    "100 sites of 5 positives, one with 50% of the negatives": (100, 5, 5_000, 0.5, 0.6),
    "30 sites of 5 positives, one with 60% of the negatives": (30, 5, 1_500, 0.6, 0.6),
    "30 sites of 5 positives, one with 30% of the negatives": (30, 5, 1_500, 0.3, 0.6),
    "15 sites of 3 positives": (15, 3, 405, 0.0, 0.9),
}


def difference_of_columns(rng, truth, n_rows, prevalences, shifts):
    y, common, _ = populations.columns(rng, n_rows, prevalences, shift=0.0, shared=0.2)
    noise = rng.normal(size=(2, *y.shape)) / 3
    scores = (common + noise) / math.sqrt(1 + 1 / 9) + np.reshape(shifts, (2, 1, 1)) * y
    y, scores, _ = populations.disguised(rng, y, scores)
    return simulation.compared(y, scores, truth)


def of_tasks(rng, truth, positives, tested, gain, alike):
    """Two models in a table with gaps: the interval of the first, and of the difference."""
    prevalences, n_tested = sizes_of_tasks(positives, tested)
    y, common, _ = populations.columns(rng, 2_000, prevalences, shift=0.0, shared=0.3)
    noise = rng.normal(size=(2, *y.shape))
    scores = math.sqrt(alike) * common + math.sqrt(1 - alike) * noise
    scores += (SHIFT + np.array([0, gain])).reshape(-1, 1, 1) * y
    is_unknown = rng.random(y.shape) > n_tested / 2_000
    is_unknown[0] &= y[0] == 0  # each task has a positive
    y, scores, _ = populations.disguised(rng, np.where(is_unknown, np.nan, y), scores)
    one, warned = simulation.heard("", sklearn_ap.average_precision_interval, y, scores[0])
    return {
        "one model": simulation.judged(truth[0], one, warned),
        "difference": simulation.compared(y, scores, truth[1]),
    }


def sizes_of_tasks(positives, tested):
    n_tested = np.r_[np.full(11, 1_200), np.full(len(positives), tested)]
    return np.r_[np.linspace(50, 200, 11), positives] / n_tested, n_tested


def truth_of_tasks(positives, tested, gain):
    prevalences, _ = sizes_of_tasks(positives, tested)
    shifts = SHIFT, SHIFT + gain
    one, other = ([populations.binormal(s, p) for p in prevalences] for s in shifts)
    return np.mean(one), np.mean(other) - np.mean(one)


def sites(rng, n_sites, n_positives, n_negatives, share, correlation):
    """Sites with as many positives each; the first has a share of the negatives, if not equal."""
    first = round(share * n_negatives)
    site = np.r_[np.zeros(first, dtype=int), np.arange(n_negatives - first) % n_sites]
    site = np.r_[np.repeat(np.arange(n_sites), n_positives), site]
    y = (np.arange(site.size) < n_sites * n_positives) * 1
    effect, noise = rng.normal(size=n_sites)[site], rng.normal(size=site.size)
    s = y + math.sqrt(correlation) * effect + math.sqrt(1 - correlation) * noise
    return y, s, {"clusters": site}


def classes(rng):
    y, s = np.repeat(np.arange(100), 100), rng.normal(size=(10_000, 100))
    s[np.arange(y.size), y] += 2.0
    return y, s, {}


def speakers(rng, n_speakers):
    speaker = np.repeat(np.arange(n_speakers), rng.integers(10, 61, n_speakers))
    y = (rng.random(speaker.size) < 0.1) * 1
    s = rng.normal(size=y.size) + 2.5 * y + 0.5 * rng.standard_t(3, n_speakers)[speaker]
    return y, s, {"clusters": speaker}


def of_hospitals(rng, n_hospitals, share):
    """The negatives of a share of the hospitals all stand above all other rows."""
    hospital = np.arange(20 * n_hospitals) // 20
    y = (rng.random(hospital.size) < 0.1) * 1
    is_bad = (rng.random(n_hospitals) < share)[hospital] & (y == 0)
    return y, rng.normal(size=y.size) + 2.5 * y + 20.0 * is_bad, {"clusters": hospital}


def matched_sets(rng, n_sets):
    """Sets of a positive and nine negatives; a warning that looked at influences came by luck."""
    group = np.arange(10 * n_sets) // 10
    y = (np.arange(group.size) % 10 == 0) * 1
    s = rng.normal(size=y.size) + 1.5 * y + 1.5 * rng.normal(size=n_sets)[group]
    return y, s, {"clusters": group}


def guaranteed(rng, truth, sample):
    return {"covers": sample(rng, truth)[""]["sure"], "warned": False}


def cells():
    cell_of = partial(simulation.interval_cell, promised=PROMISED)
    kind, target = "means over columns and classes", partial(populations.binormal, 2.0, 0.01)
    yield cell_of("100 classes of 100 rows", classes, target, 100, kind=kind)
    facts = {"kind": "differences of means over columns", "promised": PROMISED}
    for n_columns, n, prevalence, shifts in COLUMNS:
        how = {"n_rows": round(n / prevalence), "prevalences": np.repeat(prevalence, n_columns)}
        apart = partial(populations.binormal_difference, shifts, prevalence)
        name = f"{n_columns} columns of {n} positives at {prevalence:g}, two models"
        yield Cell(name, partial(difference_of_columns, **how, shifts=shifts), 100, apart, facts)
    for name, (*size, gain, alike) in TASKS.items():
        judge = partial(of_tasks, **dict(zip(("positives", "tested"), size, strict=True)))
        truth = partial(truth_of_tasks, *size, gain)
        facts = {"kind": "tasks, some of them small", "promised": PROMISED}
        judge = partial(judge, gain=gain, alike=alike)
        yield Cell(f"eleven large tasks and {name}", judge, 200, truth, facts)
    cell_of, draw = partial(cell_of, kind="clusters"), partial(speakers, n_speakers=80)
    target = partial(populations.score_of_many, speakers, n_speakers=60_000)
    yield cell_of("80 speakers, some far off", draw, target, 1_000, promised=65)
    draw, many = (partial(of_hospitals, n_hospitals=n, share=0.01) for n in (100, 60_000))
    target, name = partial(populations.score_of_many, many), "100 hospitals, one of them all wrong"
    yield cell_of(name, draw, target, 500, promised=50)
    draw, target = (partial(matched_sets, n_sets=n) for n in (80, 40_000))
    target = partial(populations.score_of_many, target)
    yield cell_of("80 matched sets of 10 rows", draw, target, 500)
    draw = partial(populations.tops, size=20, alarms=0.7, of="cluster")
    name = "precision@10, 0.7 clusters of 20 false alarms"  # half of the samples have none
    yield cell_of(name, draw, lambda: None, 500, definition=PrecisionAtK(10), promised=45)
    for name, size in SITES.items():
        target = partial(populations.binormal, 1.0, size[1] / (size[1] + size[2] / size[0]))
        yield cell_of(name, partial(sites, **dict(zip(OF_SITES, size, strict=True))), target, 200)
    for (script, kind, n_samples), names in TAKEN.items():
        of_script = {cell.name: cell for cell in script.cells()}
        for name in names:
            cell, facts = of_script[name], {"kind": kind, "promised": NAMED.get(name, PROMISED)}
            judge = partial(guaranteed, sample=cell.sample) if name == TOO_BAD else cell.sample
            yield replace(cell, sample=judge, n_samples=n_samples, facts=facts)


def fewest(row):
    return int(binom.ppf(CHANCE, row["n_silent"], row["promised"] / 100))


def verdict(row):
    """Whether the cell holds, is warned of, is too wide, or covers too little."""
    is_known = row["n_samples"] >= FEWEST_FOR_WIDTH
    if is_known and row.get("width", 1.0) > WIDEST and row["name"] not in WIDE:
        return "too wide"
    if row["warned"] > 75:
        return "warns"
    return "covers too little" if row["n_silent_covers"] < fewest(row) else "holds"


def broken(rows):
    found = [{"width": math.nan, "fewest": fewest(row)} | row for row in rows]
    found = [row for row in found if verdict(row) not in ("holds", "warns")]
    silent = {"samples_without_a_warning": "{n_silent:.0f}", "that_cover": "{n_silent_covers:.0f}"}
    return table_of("Broken cells", found, **silent, that_have_to="{fewest}", width="{width:.2f}")


def section(rows):
    rows = [row | {"warns": 100 * (verdict(row) == "warns")} for row in rows]
    wide = [row | {"why": WIDE[row["name"]]} for row in rows if row["name"] in WIDE]
    found = broken(rows)
    return Section(
        [promise("95% intervals in the worst known cells, unless they warn", rows, "silent")],
        table_by("kind", rows, COVERAGE | {"cells that warn": "{warns.mean:.0f}%"}),
        [found],
        [table_of(f"Wider than {WIDEST}, for a reason", wide, width="{width:.1f}", why="{why}")],
    )


def is_broken(arguments=None):
    rows = simulation.main("worst_cells", __doc__, cells, {"worst cells": section}, arguments)
    found = broken(rows)[1:]
    print(*found, f"{len(found)} of {len(rows)} cells are broken", sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(is_broken())
