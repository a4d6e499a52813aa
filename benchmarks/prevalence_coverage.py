"""How often intervals at another prevalence hold the true value, and when they warn.

    python benchmarks/prevalence_coverage.py [--quick] [--samples N] [--cells TEXT]

Simulates samples of one prevalence, scores them at another, and counts. The same for samples whose
negatives have large weights. Writes the section "prevalence" of docs/evidence.md, in half an hour;
--quick simulates less, under a minute.
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from simulation import (
    FAMILIES,
    Row,
    ask,
    correlated,
    failing,
    grouped,
    median_of_parts,
    publish,
    rng_of,
    sample_labels,
    section,
    simulate,
    table,
    truth_at,
)

import sklearn_ap
from sklearn_ap.definitions import Definition, Hyperbolic, Interpolated, Step

SHOWN = (
    *("useless", "weak", "good", "near-perfect", "probabilities", "few distinct scores"),
    *("a giant tie", "Cauchy, shifted by 3", "30% easy positives"),
)
SCRIPT, N_SAMPLES = "prevalence_coverage", 800
FAILS, ERRS = 93, 7.5  # a cell that covers less fails, and so does a test that errs more often
BANDS = {10: "below 10", math.inf: "10 or more"}  # of effective positives


@dataclass
class Cell:
    """Samples of one kind, and what is asked of them.

    With a ``weight`` of negatives, that stands in the place of a prevalence.
    """

    kind: str
    group: str
    family: str
    n_rows: int
    share: float  # of positives in the sample
    prevalence: float
    weight: float | None = None
    definition: Definition = field(default_factory=Step)
    n_columns: int = 1  # of which the mean is taken
    n_samples: int = N_SAMPLES

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        return f"{self.group}, {self.family}"

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores."""
        columns = [
            sample_labels(rng, self.n_rows, self.share, fewest=2) for _ in range(self.n_columns)
        ]
        scores = [FAMILIES[self.family](rng, y) for y in columns]
        return np.squeeze(np.stack(columns, axis=1)), np.squeeze(np.stack(scores, axis=1))

    def options(self, y: np.ndarray) -> dict[str, Any]:
        """What the interval is told."""
        if self.weight is None:
            return {"prevalence": self.prevalence}
        return {"sample_weight": np.where(y == 1, 1.0, self.weight)}


STEP, OTHERS = "step average precision", "interpolated, hyperbolic"
COLUMNS, WEIGHTS = "means over 3 and 10 columns", "negatives of weight 10 and 100"


def prevalences(quick: bool) -> Iterator[Cell]:
    """The grid: from one prevalence to another."""
    for share in (0.5, 0.1, 0.02):
        for prevalence in (0.1, 0.01, 0.001):
            for n in (50,) if quick else (50, 200, 1000):
                group = f"{n} positives, from {share:g} to {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    yield Cell(STEP, group, family, round(n / share), share, prevalence)


def definitions(quick: bool) -> Iterator[Cell]:
    """Other definitions."""
    for definition in (Interpolated(), Hyperbolic()):
        for n, share, prevalence in ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)):
            if not quick or n == 200:
                group = f"{definition.title}, {n} positives, from {share:g} to {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    how = (group, family, round(n / share), share, prevalence)
                    yield Cell(OTHERS, *how, definition=definition)


def columns(quick: bool) -> Iterator[Cell]:
    """Means over columns."""
    for n_columns in (3, 10):
        for n, share, prevalence in ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)):
            if not quick or n == 200:
                group = f"{n_columns} columns, {n} positives, from {share:g} to {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    how = (group, family, round(n / share), share, prevalence)
                    yield Cell(COLUMNS, *how, n_columns=n_columns)


def case_control(quick: bool) -> Iterator[Cell]:
    """Samples whose negatives weigh more than positives."""
    sizes = ((50, 50), (50, 500), (500, 500), (200, 2000), (2000, 2000))
    for weight in (10.0, 100.0):
        for positives, negatives in sizes[:2] if quick else sizes:
            group = f"{positives} + {negatives}, weight {weight:g}"
            n_rows, prevalence = positives + negatives, positives / (positives + weight * negatives)
            for family in SHOWN[1:4] if quick else SHOWN:
                how = (group, family, n_rows, positives / n_rows, prevalence, weight)
                yield Cell(WEIGHTS, *how)


def run(cell: Cell) -> Row:
    """Simulate a cell: how often the interval holds the truth, with and without a warning."""
    rng = rng_of(cell.name)
    target = truth_at(cell.prevalence, cell.definition, cell.family)
    found = []
    for _ in range(cell.n_samples):
        y, scores = cell.draw(rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = sklearn_ap.average_precision_interval(
                y, scores, definition=cell.definition, **cell.options(y)
            )
        warned = any(str(each.message).startswith("few ") for each in caught)
        plain = abs(made.estimate - target) <= 1.96 * made.standard_error
        held = made.low - 1e-12 <= target <= made.high + 1e-12
        found.append((warned, held, plain, made.high - made.low, made.n_effective))
    warned, held, plain, width, cases = np.array(found, dtype=float).T
    silent = held[warned == 0]
    return {
        "name": cell.name,
        "kind": cell.kind,
        "group": cell.group,
        "held": 100 * held.mean(),
        # A share of fewer samples says nothing.
        "silent": 100 * silent.mean() if silent.size >= cell.n_samples / 4 else math.nan,
        "warned": 100 * warned.mean(),
        "plain": 100 * plain.mean(),
        "width": width.mean(),
        "cases": cases.mean(),
    }


@dataclass
class Contest:
    """Two equal models, whose scores are correlated."""

    family: str
    correlation: float
    n_positives: int
    share: float
    prevalence: float
    n_samples: int = N_SAMPLES

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        size = f"{self.n_positives} positives, from {self.share:g} to {self.prevalence:g}"
        return f"equal, {size}, {self.family}, correlation {self.correlation:g}"


def contests(quick: bool) -> Iterator[Contest]:
    """Equal models at another prevalence."""
    sizes = [(200, 0.5, 0.1), (1000, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)]
    sizes += [(1000, 0.02, 0.001), (200, 0.5, 0.01)]
    for size in sizes[:1] if quick else sizes:
        for family in ("weak", "good"):
            for correlation in (0.0, 0.9):
                yield Contest(family, correlation, *size)


def fight(contest: Contest) -> Row:
    """How often two equal models differ at 5%, and how often there is a warning, in percent."""
    size = (contest.n_positives, contest.share, contest.prevalence)
    rng = rng_of(f"{contest.family} {contest.correlation} {size}")
    differs, warned = 0, 0
    for _ in range(contest.n_samples):
        n_rows = round(contest.n_positives / contest.share)
        y = sample_labels(rng, n_rows, contest.share, fewest=2)
        shift = {"weak": 1.0, "good": 2.0}[contest.family]
        scores = correlated(rng, y, (shift, shift), contest.correlation)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = sklearn_ap.compare_average_precision(
                y, dict(zip("ab", scores, strict=True)), prevalence=contest.prevalence
            )
        warned += any(str(each.message).startswith("few ") for each in caught)
        differs += bool(made.pvalues[1] < 0.05)
    shares = {"differs": differs, "warned": warned}
    row = {name: 100 * count / contest.n_samples for name, count in shares.items()}
    return {"name": contest.name} | row


def band_of(row: Row) -> str:
    """The band of effective positives."""
    return next(band for most, band in BANDS.items() if row["cases"] < most)


def summary(rows: list[Row]) -> str:
    """Smallest and median coverage, by kind and effective number of positives."""
    lines = [["", "effective positives", "cells", "least", "not warned: least", "median"]]
    lines[0] += ["warned", "+-1.96 SE: least"]
    rows = [row | {"band": band_of(row)} for row in rows]
    for kind, of_kind in grouped(rows, "kind").items():
        bands = grouped(of_kind, "band")
        for band in (band for band in BANDS.values() if band in bands):
            group = bands[band]
            silent = [row["silent"] for row in group if not math.isnan(row["silent"])]
            lines.append(
                [
                    *(kind, band, str(len(group))),
                    f"{min(row['held'] for row in group):.1f}",
                    f"{min(silent):.1f}" if silent else "",
                    f"{median_of_parts(group, 'group', 'held'):.1f}",
                    f"{np.mean([row['warned'] for row in group]):.0f}",
                    f"{min(row['plain'] for row in group):.0f}",
                ]
            )
    return table(lines)


def low_groups(rows: list[Row]) -> Iterator[str]:
    """The groups with a cell that fails, and how often their samples warn."""
    for name, group in grouped(rows, "group").items():
        least = min(row["held"] for row in group)
        if least < FAILS:
            warned = np.mean([row["warned"] for row in group])
            yield f"{name}: {least:.1f}, with a warning in {warned:.0f} of 100 samples"


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    fights = [row for row in rows if "differs" in row]
    rows = [row for row in rows if row not in fights]
    differs = [row["differs"] for row in fights]
    silent = min(row["silent"] for row in rows if not math.isnan(row["silent"]))
    low = failing(f"Settings in which a kind of scores covers less than {FAILS}", low_groups(rows))
    high = (f"{row['name']}: {row['differs']:.1f}" for row in fights if row["differs"] > ERRS)
    text = section(
        f"Without a warning, the 95% interval contained the true score in {math.floor(silent)} or "
        f"more of 100 samples, in each cell. Equal models differ with p < 0.05 in at most "
        f"{max(differs):.1f}, and in {np.median(differs):.1f} in the median cell.",
        summary(rows),
        low + "\n\n" + failing(f"Cells of equal models that differ in more than {ERRS}", high),
        SCRIPT,
        f"Each cell has {N_SAMPLES} samples. There are {len(SHOWN)} kinds of scores.",
    )
    return {"prevalence": text}


def cells(quick: bool, n_samples: int | None) -> Iterator[Cell | Contest]:
    """All cells, and all contests."""
    for make in (prevalences, definitions, columns, case_control, contests):
        for cell in make(quick):
            yield replace(cell, n_samples=n_samples or (20 if quick else N_SAMPLES))


def run_any(cell: Cell | Contest) -> Row:
    """Run a cell, or a contest."""
    return run(cell) if isinstance(cell, Cell) else fight(cell)


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    rows = simulate(SCRIPT, cells(asked.quick, asked.samples), run_any, asked)
    publish(sections, rows, asked)


if __name__ == "__main__":
    main()
