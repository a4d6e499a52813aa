"""How often do usual tests of two models err, or find a difference, beside ours?

    python benchmarks/conventional_comparisons.py

writes docs/evidence/conventional-comparisons/summary.csv: percentages of samples with p <= .05 by
our comparison, by a normal test of the same influences, by the percentiles of a paired bootstrap of
rows or of queries, and over queries by swaps of both systems at random (Smucker, Allan and
Carterette 2007). Settings are cells of cells_of_comparisons.py.
"""

import warnings

import numpy as np
from cells_of_comparisons import cells
from coverage_of_comparisons import SEED, compare
from joblib import Parallel, delayed
from scipy.stats import rankdata
from simulation import generators, write

from sklearn_ap.definitions import Step

SAMPLES, RESAMPLES, ERROR = 200, 400, 0.05
CELLS = {
    "equal: 10 positives": "10 of 0.01, 1.5 and 1.5, r 0.5",
    "equal: 50 positives": "50 of 0.1, 1.3 and 1.3, r 0",
    "unlike: 1.5 alarms, 60 positives": "1.5 alarms above all, 60 of 0.15",
    "unlike: 1.2 alarms, 300 positives": "1.2 alarms above all, 300 of 0.15",
    "unlike: near copies, 75 positives": "1.5 alarms, 75 of 0.15",
    "unlike: 1.2 hits, 40 positives": "1.2 hits, 40 of 0.02",
    "better: 50 positives": "50 of 0.1, 1.3 and 1.7, r 0.5",
    "equal: 16 queries": "16",
    "better: 100 queries": "100, gain",
}


def scores_of(y, s, weight):
    """Step average precision by weights of rows, of each model: those of resamples."""
    found = []
    for score in s:
        order = np.argsort(-score, kind="stable")
        hits, all_rows = (np.cumsum(each[order]) for each in (weight * y, weight))
        last = np.append(np.diff(score[order]) != 0, True)
        gains = np.diff(hits[last], prepend=0.0)
        precision = hits[last] / np.maximum(all_rows[last], 1e-300)
        found.append(gains @ precision / max(hits[-1], 1e-300))
    return np.array(found)


def bootstrap_of_rows(rng, y, s):
    s = np.array([rankdata(score) for score in s])
    weights = rng.multinomial(y.size, np.full(y.size, 1 / y.size), RESAMPLES)
    return [np.subtract(*scores_of(y, s, weight)[::-1]) for weight in weights]


def tests_of_queries(rng, y, s, queries):
    """A bootstrap of queries, and swaps."""
    names = [name for name in np.unique(queries) if y[queries == name].any()]
    each = [
        scores_of(y[queries == q], s[:, queries == q], np.ones((queries == q).sum())) for q in names
    ]
    differences = np.diff(each, axis=1)[:, 0]
    drawn = rng.integers(differences.size, size=(RESAMPLES, differences.size))
    swapped = rng.choice([-1, 1], (10 * RESAMPLES, differences.size)) @ differences
    swaps = (1 + np.sum(np.abs(swapped) >= abs(differences.sum()) - 1e-12)) / (1 + swapped.size)
    return differences[drawn].mean(axis=1), swaps <= ERROR


def ask(cell):
    warnings.simplefilter("ignore")
    found = []
    for rng in generators(SAMPLES, cell.kind + cell.name, SEED, 1):
        y, s, options = cell.draw(rng)
        ours, swaps = compare(Step(), y, s, dict(options)), np.nan
        if "queries" in options:
            resampled, swaps = tests_of_queries(rng, y, s, options["queries"])
        else:
            resampled = bootstrap_of_rows(rng, y, s)
        low, high = np.quantile(resampled, [ERROR / 2, 1 - ERROR / 2])
        found.append([ours["p"][0] <= ERROR, ours["z"][0] <= ERROR, low > 0 or high < 0, swaps])
    return np.array(found, float).mean(axis=0)


def main():
    of_name = {cell.name: cell for cell in cells()}
    found = Parallel(n_jobs=-1)(delayed(ask)(of_name[name]) for name in CELLS.values())
    head = ["setting", "samples", "sklearn_ap", "normal test", "bootstrap", "swaps"]
    lines = [
        [label, str(SAMPLES), *("" if np.isnan(x) else f"{100 * x:.1f}" for x in each)]
        for label, each in zip(CELLS, found, strict=True)
    ]
    for line in (head, *lines):
        print(" | ".join(line))
    write("conventional-comparisons", [head, *lines])


if __name__ == "__main__":
    main()
