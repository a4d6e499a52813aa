"""Whether p-values of random scores are as small as they should be, and not more often."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import simulation
from simulation import Cell, Numbers, Row, Section

import sklearn_ap
from sklearn_ap.definitions import AtK, Definition, Step

LEVELS = (0.05, 0.01)
SIZES = ((1, 20), (1, 384), (3, 60), (10, 20), (10, 1_000), (100, 1_000), (1_000, 3_000))


def sample(
    rng: np.random.Generator, _: None, definition: Definition, size: tuple[int, int], kind: str
) -> Numbers:
    """Whether the p-value of scores that say nothing is at most so small."""
    n_positives, n_rows = size
    scores = rng.normal(size=n_rows)
    if kind == "half":  # as many were not retrieved
        scores[rng.random(n_rows) < 0.5] = -np.inf
    if kind == "few":  # some ten values
        scores = np.round(2 * scores)
    test = sklearn_ap.chance_test(
        np.arange(n_rows) < n_positives,
        scores,
        definition=definition,
        n_permutations=999,
        rng=int(rng.integers(2**32)),
    )
    return {f"{level}": test.pvalue <= level for level in LEVELS}


def cells() -> Iterator[Cell]:
    """The grid."""
    for definition in (Step(), AtK(10)):
        for size in SIZES:
            for kind in ("distinct", "few", "half"):
                judge = partial(sample, definition=definition, size=size, kind=kind)
                name = f"{definition.title}, {size[0]} of {size[1]}, {kind}"
                n_samples = 300 if size[0] == 1_000 else 2_000
                yield Cell(name, judge, n_samples, facts={"kind": f"{size[0]:,}"})


def section(rows: list[Row]) -> Section:
    """The section of the page."""
    columns = {"cells": simulation.of(len, "n_samples")}
    columns |= {f"p <= {level}: most": simulation.of(max, f"{level}", ".1f") for level in LEVELS}
    wrong = (
        f"{row['name']}: {row[f'{level}']:.1f} for {100 * level:g}"
        for row in rows
        for level in LEVELS
        if row[f"{level}"] / 100 > level + 3 * math.sqrt(level * (1 - level) / row["n_samples"])
    )
    conclusion = (
        f"If scores say nothing, the p-value is at most 0.05 in no more than "
        f"{max(row['0.05'] for row in rows):.1f} of 100 samples, in {len(rows)} cells."
    )
    fails = simulation.failing("Cells that are beyond three standard errors", wrong)
    tables = simulation.table_by("kind", rows, columns, "positives")
    return Section(conclusion, tables, fails, "Each p-value is of 999 orders.")


if __name__ == "__main__":
    simulation.main("chance", __doc__, cells, {"chance": section})
