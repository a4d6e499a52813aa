"""How often intervals at another prevalence hold the true value, and when they warn.

    python benchmarks/prevalence_coverage.py [--quick]

Simulates samples of one prevalence, scores them at another, and counts. The same for samples whose
negatives have large weights. Prints tables and writes docs/prevalence_coverage.md in half an hour;
--quick simulates less, under a minute, and writes nothing.
"""

import datetime
import functools
import math
import textwrap
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from simulation import FAMILIES, correlated, grouped, rng_of, sample_labels, table, write_page

import sklearn_ap
from sklearn_ap.definitions import Definition, Hyperbolic, Interpolated, Step

SHOWN = (
    *("useless", "weak", "good", "near-perfect", "probabilities", "few distinct scores"),
    *("a giant tie", "Cauchy, shifted by 3", "30% easy positives"),
)
N_SAMPLES = 800
N_TRUTH = 1_000_000  # rows of each class that stand for the population


@functools.cache
def truth(family: str, prevalence: float, definition: Definition) -> float:
    """The score of the population."""
    y = np.repeat([1, 0], N_TRUTH)
    scores = FAMILIES[family](np.random.default_rng(1), y)
    return float(definition(sklearn_ap.threshold_counts(y, scores).at_prevalence(prevalence))[0])


@dataclass
class Cell:
    """Samples of one kind, and what is asked of them.

    With a ``weight`` of negatives, that stands in the place of a prevalence.
    """

    group: str
    family: str
    n_rows: int
    share: float  # of positives in the sample
    prevalence: float
    weight: float | None = None
    definition: Definition = field(default_factory=Step)
    n_columns: int = 1  # of which the mean is taken

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


def prevalences(quick: bool) -> Iterator[Cell]:
    """The grid: from one prevalence to another."""
    for share in (0.5, 0.1, 0.02):
        for prevalence in (0.1, 0.01, 0.001):
            for n in (50,) if quick else (50, 200, 1000):
                group = f"{share:g} | {n} | {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    yield Cell(group, family, round(n / share), share, prevalence)


def definitions(quick: bool) -> Iterator[Cell]:
    """Other definitions."""
    for definition in (Interpolated(), Hyperbolic()):
        for n, share, prevalence in ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)):
            if not quick or n == 200:
                group = f"{definition.title}: {share:g} | {n} | {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    rows = round(n / share)
                    yield Cell(group, family, rows, share, prevalence, definition=definition)


def columns(quick: bool) -> Iterator[Cell]:
    """Means over columns."""
    for n_columns in (3, 10):
        for n, share, prevalence in ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)):
            if not quick or n == 200:
                group = f"{n_columns} columns: {share:g} | {n} | {prevalence:g}"
                for family in SHOWN[1:4] if quick else SHOWN:
                    rows = round(n / share)
                    yield Cell(group, family, rows, share, prevalence, n_columns=n_columns)


def case_control(quick: bool) -> Iterator[Cell]:
    """Samples whose negatives weigh more than positives."""
    sizes = ((50, 50), (50, 500), (500, 500), (200, 2000), (2000, 2000))
    for weight in (10.0, 100.0):
        for positives, negatives in sizes[:2] if quick else sizes:
            group = f"{positives} + {negatives}, weight {weight:g}"
            n_rows, prevalence = positives + negatives, positives / (positives + weight * negatives)
            for family in SHOWN[1:4] if quick else SHOWN:
                yield Cell(group, family, n_rows, positives / n_rows, prevalence, weight)


def run(cell: Cell, n_samples: int) -> dict[str, Any]:
    """Simulate a cell: how often the interval holds the truth, with and without a warning."""
    rng = rng_of(f"{cell.group}, {cell.family}")
    target = truth(cell.family, cell.prevalence, cell.definition)
    found = []
    for _ in range(n_samples):
        y, scores = cell.draw(rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = sklearn_ap.average_precision_interval(
                y, scores, definition=cell.definition, **cell.options(y)
            )
        warned = any("rests on" in str(each.message) for each in caught)
        plain = abs(made.estimate - target) <= 1.96 * made.standard_error
        held = made.low - 1e-12 <= target <= made.high + 1e-12
        found.append((warned, held, plain, made.high - made.low, made.n_positives))
    warned, held, plain, width, cases = np.array(found, dtype=float).T
    silent = held[warned == 0]
    return {
        "group": cell.group,
        "family": cell.family,
        "held": 100 * held.mean(),
        # A share of fewer samples says nothing.
        "silent": 100 * silent.mean() if silent.size >= n_samples / 4 else math.nan,
        "warned": 100 * warned.mean(),
        "plain": 100 * plain.mean(),
        "width": width.mean(),
        "cases": cases.mean(),
    }


def fight(
    family: str, correlation: float, size: tuple[int, float, float], n_samples: int
) -> tuple[float, float]:
    """How often two equal models differ at 5%, and how often there is a warning, in percent."""
    n, share, prevalence = size
    rng = rng_of(f"{family} {correlation} {size}")
    differs, warned = 0, 0
    for _ in range(n_samples):
        y = sample_labels(rng, round(n / share), share, fewest=2)
        shift = {"weak": 1.0, "good": 2.0}[family]
        models = dict(zip("ab", correlated(rng, y, (shift, shift), correlation), strict=True))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = sklearn_ap.compare_average_precision(y, models, prevalence=prevalence)
        warned += any("rests on" in str(each.message) for each in caught)
        differs += bool(made.pvalues[1] < 0.05)
    return 100 * differs / n_samples, 100 * warned / n_samples


def summary(rows: list[dict[str, Any]], head: str) -> str:
    """A line for each group: the least coverage over its families."""
    lines = [[*head.split(" | "), "effective", "warned"]]
    lines[0] += ["not warned: least", "all: least", "median", "width", "+-1.96 SE: least"]
    for name, group in grouped(rows, "group").items():
        silent = [row["silent"] for row in group if not math.isnan(row["silent"])]
        held = [row["held"] for row in group]
        lines.append(
            [
                *name.split(" | "),
                f"{np.mean([row['cases'] for row in group]):.3g}",
                f"{np.mean([row['warned'] for row in group]):.0f}",
                f"{min(silent):.1f}" if silent else "",
                f"{min(held):.1f}",
                f"{np.median(held):.1f}",
                f"{np.mean([row['width'] for row in group]):.2f}",
                f"{min(row['plain'] for row in group):.0f}",
            ]
        )
    return table(lines)


PAGE = """# Coverage at another prevalence

Written by `python benchmarks/prevalence_coverage.py` on {date}.

This page says how often a 95% interval at [another prevalence](prevalence.md) contains the true
value, and when there is an `UncertaintyWarning`. Each row is the worst of {n_families} kinds of
scores:
{families}.
Each of these has {n_samples} samples, so a coverage of 95 is uncertain by {doubt:.1f}, and the
worst of many overstates the problem. Coverages and warnings are percentages.

"Sample" is the share of positives in the sample, "positives" their mean number, and "asked for" the
prevalence of the score. "Effective" is what the `positives` column of the interval says on average:
the warning comes below 10. "Warned" says how many samples gave one. "Not warned" is the coverage of
the other samples, if they are at least a quarter of all. "Least" and "median" are over kinds of
scores, and "width" is the mean width. "+-1.96 SE" is the usual interval around the estimate with
the standard error of this library.

## From one prevalence to another, step average precision

{prevalences}

## Other definitions

{definitions}

## Means over columns

The columns are independent and of the same kind. "Effective" is the sum over the columns.

{columns}

## Negatives that weigh more than positives

The first column gives the mean numbers of positives and negatives in the sample, and the weight of
each negative in `sample_weight`.

{case_control}

## Comparisons of two equal models: how often p < 0.05

A test at 5% should say so in 5 of 100 samples.

{fights}
"""


def simulate(quick: bool) -> dict[str, str]:
    """All tables."""
    n_samples, found = (20 if quick else N_SAMPLES), {}
    head = "sample | positives | asked for"
    heads = {prevalences: head, definitions: head, columns: head, case_control: "sample"}
    for make, name in heads.items():
        start = time.perf_counter()
        found[make.__name__] = summary([run(cell, n_samples) for cell in make(quick)], name)
        print(f"{make.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    lines = [["scores", "correlation", *head.split(" | "), "p < 0.05", "warned"]]
    sizes = [(200, 0.5, 0.1), (1000, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)]
    sizes += [(1000, 0.02, 0.001), (200, 0.5, 0.01)]
    for size in sizes[:1] if quick else sizes:
        for family in ("weak", "good"):
            for correlation in (0.0, 0.9):
                percent = fight(family, correlation, size, n_samples)
                n, share, prevalence = size
                cells = [f"{share:g}", str(n), f"{prevalence:g}", *(f"{p:.1f}" for p in percent)]
                lines.append([family, f"{correlation:g}", *cells])
    return found | {"fights": table(lines)}


def page(found: dict[str, str]) -> str:
    """The page of the docs."""
    return PAGE.format(
        date=datetime.date.today(),
        n_families=len(SHOWN),
        families="\n".join(textwrap.wrap("; ".join(SHOWN), 98)),
        n_samples=N_SAMPLES,
        doubt=100 * math.sqrt(0.95 * 0.05 / N_SAMPLES),
        **found,
    )


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    write_page("prevalence_coverage.md", lambda quick: page(simulate(quick)), arguments, __doc__)


if __name__ == "__main__":
    main()
