"""How often do intervals of one score hold the true value, and how wide are they?

    python benchmarks/coverage_of_intervals.py

writes the table "intervals" of docs/evidence: for each kind and level, the lowest and the median
coverage of its cells, and the median width over that of a normal estimate with the true standard
deviation. The three lowest cells of a kind have more samples.
"""

import warnings
from functools import partial

import numpy as np
from cells_of_intervals import AT_K, SMOOTH, cells
from simulation import Table, column, generators, lowest_and_median, main, tallied

from sklearn_ap import average_precision_interval

SEED, LEVELS = 20261129, (0.8, 0.9, 0.95, 0.99)


def limits(y, s, options, definition):
    """Return the score, and its limits at all levels: half samples are drawn once for all."""
    found = average_precision_interval(y, s, definition=definition, **options)._origin.estimate
    return found.value[0], [np.ravel(found.limits(level)) for level in LEVELS]


def ask(cell, n_samples):
    """Return coverage in percent and width at each level; without a truth, it is the mean score."""
    warnings.simplefilter("ignore")
    rngs = generators(n_samples, cell.kind + cell.name, SEED)
    found = (limits(*cell.draw(rng), definition=cell.definition) for rng in rngs)
    values, ends = zip(*(each for each in found if np.isfinite(each[0])), strict=True)
    low, high = np.moveaxis(np.array(ends), 2, 0)
    truth = np.mean(values) if cell.truth is None else cell.truth()
    figures = [
        tallied(values, low[:, i], high[:, i], truth, level) for i, level in enumerate(LEVELS)
    ]
    facts = {name: [each[name] for each in figures] for name in figures[0]}
    return {"kind": cell.kind, "name": cell.name, "order": facts["covers"][2], **facts}


def coverage(cells, place):
    return lowest_and_median(column(cells, "covers", place))


COLUMNS = {f"{100 * level:g}%": partial(coverage, place=i) for i, level in enumerate(LEVELS)}
COLUMNS["width"] = lambda cells: f"{np.median(column(cells, 'width', 2)):.2f}"

ROWS_OF_TABLE = {
    "rows, ordinary": ["rows, ordinary"],
    "rows, hard: strong models, rare alarms, few easy positives": ["rows, hard"],
    "rows that expect about three hidden rows": ["rows, about three hidden"],
    "few positives": ["few positives"],
    "few negatives": ["few negatives"],
    "positives never scored": ["never scored"],
    "another prevalence": ["prevalence"],
    "another prevalence, few negatives": ["prevalence, few negatives"],
    "clusters": ["clusters"],
    "weights, and weights with clusters": ["weights", "both"],
    "means over queries": ["queries"],
    "means over columns": ["columns"],
    "means over columns, other definitions": ["columns, other definitions"],
    "unlike columns, weighted by their positives": ["columns, weighted"],
    "columns with unknown labels": ["gaps"],
    "classes over shared images": ["images"],
    "average precision of detectors": ["detectors"],
    "six other definitions": [f"definition: {each!r}" for each in SMOOTH],
    "11 levels up to a recall of 0.5": ["levels up to a recall of 0.5"],
    "scores at k": [f"definition: {each!r}" for each in AT_K],
    "recall at 1 and 2, 10 positives of 33": ["recall at 1", "recall at 2"],
    "scores at k over clusters": ["at k over clusters"],
    "precision at a recall": ["precision at a recall"],
    "one patient in n fails as a whole": ["whole patients"],
    "perfect columns that share alarms": ["columns that share alarms"],
}
TABLES = {"intervals": Table("settings", ROWS_OF_TABLE, COLUMNS)}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=400, again=1500)
