"""Whether intervals of differences and of thresholds hold where they easily fail.

Exits with 1 if a cell is broken. The samples are the same each time, so only a change breaks one.
"""

import math
import sys
from dataclasses import replace
from functools import partial

import comparison_coverage
import numpy as np
import populations
import simulation
import threshold_coverage
from scipy.stats import binom
from simulation import Cell
from tables import COVERAGE, Section, promise, table_by, table_of

PROMISED = 93  # of a 95% interval: the limits of a page's cells
CHANCE = 0.001  # that a cell is called broken that holds as often as promised
WIDEST = 1.5  # times the width that is needed
FEWEST_FOR_WIDTH = 50  # samples, as the standard deviation of fewer is too uncertain
HIDDEN = "a sample may lack one more row in which models that rank most rows alike differ"
FEW_PATIENTS = "few patients decide, and a sample may lack one in whom the models differ more"
TOO_BAD = "all just too bad, 0% 0.5 1000"
NAMED = {TOO_BAD: 90}  # a threshold with a guarantee of 90%
# Cells of other scripts, by kind and number of samples, and why they may be wide.
TAKEN = {
    (comparison_coverage, "comparisons over patients", 300): {
        **dict.fromkeys(populations.OVER_PATIENTS, ""),
        "80 patients, models alike": HIDDEN,
        "B loses 1% of the positives": HIDDEN,
        "80 unequal patients, who differ much": FEW_PATIENTS,
        "B loses 5% of 40 patients": FEW_PATIENTS,
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


def difference_of_columns(rng, truth, n_rows, prevalences, shifts):
    y, common, _ = populations.columns(rng, n_rows, prevalences, shift=0.0, shared=0.2)
    noise = rng.normal(size=(2, *y.shape)) / 3
    scores = (common + noise) / math.sqrt(1 + 1 / 9) + np.reshape(shifts, (2, 1, 1)) * y
    y, scores, _ = populations.disguised(rng, y, scores)
    return simulation.compared(y, scores, truth)


def of_tasks(rng, truth, positives, tested, gain, alike):
    """Two models in a table with gaps."""
    prevalences, n_tested = sizes_of_tasks(positives, tested)
    y, common, _ = populations.columns(rng, 2_000, prevalences, shift=0.0, shared=0.3)
    noise = rng.normal(size=(2, *y.shape))
    scores = math.sqrt(alike) * common + math.sqrt(1 - alike) * noise
    scores += (SHIFT + np.array([0, gain])).reshape(-1, 1, 1) * y
    is_unknown = rng.random(y.shape) > n_tested / 2_000
    is_unknown[0] &= y[0] == 0  # each task has a positive
    y, scores, _ = populations.disguised(rng, np.where(is_unknown, np.nan, y), scores)
    return simulation.compared(y, scores, truth)


def sizes_of_tasks(positives, tested):
    n_tested = np.r_[np.full(11, 1_200), np.full(len(positives), tested)]
    return np.r_[np.linspace(50, 200, 11), positives] / n_tested, n_tested


def truth_of_tasks(positives, tested, gain):
    prevalences, _ = sizes_of_tasks(positives, tested)
    shifts = SHIFT, SHIFT + gain
    one, other = ([populations.binormal(s, p) for p in prevalences] for s in shifts)
    return np.mean(other) - np.mean(one)


def guaranteed(rng, truth, sample):
    return {"covers": sample(rng, truth)[""]["sure"], "warned": False}


def cells():
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
