"""Whether p-values of random scores are as small as they should be, and not more often."""

import itertools
from functools import partial

import numpy as np
from populations import disguised
from simulation import Cell, main
from tables import Section, doubt, promise, table_by, table_of

import sklearn_ap
from sklearn_ap.definitions import AtK, Step

SIZES = ((1, 20), (1, 384), (3, 60), (10, 20), (10, 1_000), (100, 1_000), (1_000, 3_000))
KINDS = ("distinct", "few", "half")  # scores: some ten values, or half of them not retrieved
COLUMNS = {"cells": "{n}", "p <= 0.05: most": "{5%.most:.1f}", "p <= 0.01: most": "{1%.most:.1f}"}


def sample(rng, _, definition, size, kind):
    n_positives, n_rows = size
    scores = rng.normal(size=n_rows)
    if kind == "half":
        scores[rng.random(n_rows) < 0.5] = -np.inf
    if kind == "few":
        scores = np.round(2 * scores)
    options = {"definition": definition, "n_permutations": 999, "rng": int(rng.integers(2**32))}
    y, scores, _ = disguised(rng, np.arange(n_rows) < n_positives, scores)
    test = sklearn_ap.chance_test(y, scores, **options)
    return {"5%": test.pvalue <= 0.05, "1%": test.pvalue <= 0.01}


def cells():
    for definition, size, kind in itertools.product((Step(), AtK(10)), SIZES, KINDS):
        judge = partial(sample, definition=definition, size=size, kind=kind)
        name = f"{definition.title}, {size[0]} of {size[1]}, {kind}"
        n_samples = 300 if size[0] == 1_000 else 2_000
        yield Cell(name, judge, n_samples, facts={"kind": f"{size[0]:,}"})


def is_wrong(row):
    return any(row[f"{level}%"] > level + 3 * doubt(row, level) for level in (5, 1))


def section(rows):
    what, wrong = "Cells beyond three standard errors", filter(is_wrong, rows)
    fails = [table_of(what, wrong, at_5="{5%:.1f}", at_1="{1%:.1f}")]
    promises = [promise("p <= 0.05 for random scores (5 of 100)", rows, "5%", "most")]
    return Section(promises, table_by("kind", rows, COLUMNS, "positives"), fails)


if __name__ == "__main__":
    main("chance", __doc__, cells, {"chance": section})
