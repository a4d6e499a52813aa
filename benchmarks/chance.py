"""Whether p-values of random scores are as small as they should be, and not more often.

    python benchmarks/chance.py [--quick] [--samples N] [--cells TEXT]

Writes the section "chance" of docs/evidence.md, in some minutes; --quick takes some seconds.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from simulation import Row, ask, failing, grouped, publish, rng_of, section, simulate, table

import sklearn_ap
from sklearn_ap.definitions import AtK, Definition, Step

N_SAMPLES, OF_MANY = 2_000, 300  # of 1,000 positives
LEVELS = (0.05, 0.01)


@dataclass
class Cell:
    """Random scores of so many positives."""

    definition: Definition
    n_positives: int
    n_rows: int
    scores: str  # "distinct", "few" (some ten values), or "half" (as many were not retrieved)

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        return f"{self.definition.title}, {self.n_positives} of {self.n_rows}, {self.scores}"

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Scores that say nothing."""
        s = rng.normal(size=self.n_rows)
        if self.scores == "half":
            s[rng.random(self.n_rows) < 0.5] = -np.inf
        return np.round(2 * s) if self.scores == "few" else s


def cells() -> list[Cell]:
    """The grid."""
    sizes = ((1, 20), (1, 384), (3, 60), (10, 20), (10, 1_000), (100, 1_000), (1_000, 3_000))
    return [
        Cell(definition, *size, scores)
        for definition in (Step(), AtK(10))
        for size in sizes
        for scores in ("distinct", "few", "half")
    ]


def run(cell: Cell, n_samples: int) -> Row:
    """How many p-values of samples are at most so small."""
    rng, n_samples = (
        rng_of(cell.name),
        min(n_samples, OF_MANY if cell.n_positives == 1_000 else n_samples),
    )
    y = np.arange(cell.n_rows) < cell.n_positives
    found = [
        sklearn_ap.chance_test(
            y, cell.draw(rng), definition=cell.definition, n_permutations=999, rng=i
        )
        for i in range(n_samples)
    ]
    pvalues = np.array([each.pvalue for each in found])
    row: Row = {"name": cell.name, "n_positives": cell.n_positives, "n": n_samples}
    return row | {str(level): 100 * float(np.mean(pvalues <= level)) for level in LEVELS}


def is_wrong(row: Row, level: float) -> bool:
    """Whether p-values are small too often, beyond three standard errors."""
    doubt = math.sqrt(level * (1 - level) / row["n"])
    return bool(row[str(level)] / 100 > level + 3 * doubt)


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    lines = [["positives", "cells", "p <= 0.05: most", "p <= 0.01: most"]]
    for n_positives, group in grouped(rows, "n_positives").items():
        most = [f"{max(row[str(level)] for row in group):.1f}" for level in LEVELS]
        lines.append([f"{n_positives:,}", str(len(group)), *most])
    wrong = [
        f"{row['name']}: {row[str(level)]:.1f} for {100 * level:g}"
        for row in rows
        for level in LEVELS
        if is_wrong(row, level)
    ]
    highest = max(row["0.05"] for row in rows)
    text = section(
        f"If scores say nothing, the p-value is at most 0.05 in no more than {highest:.1f} of 100 "
        f"samples, in {len(rows)} cells.",
        table(lines),
        failing("Cells that are beyond three standard errors", wrong),
        "chance",
        f"There are {N_SAMPLES:,} samples, or {OF_MANY} of 1,000 positives, with 999 orders each.",
    )
    return {"chance": text}


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    n_samples = asked.samples or (20 if asked.quick else N_SAMPLES)
    run_cell = functools.partial(run, n_samples=n_samples)
    publish(sections, simulate("chance", cells(), run_cell, asked), asked)


if __name__ == "__main__":
    main()
