"""How often intervals at another prevalence hold the true value, and when they warn.

Samples of one prevalence are scored at another, and so are samples whose negatives have large
weights.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import simulation
from populations import Drawn, family_columns, normals, truth_at
from simulation import Cell, Numbers
from tables import COVERAGE, Row, Section, band_of, table_by, table_of, told

from sklearn_ap.definitions import Hyperbolic, Interpolated, Step

SHOWN = (
    *("useless", "weak", "good", "near-perfect", "probabilities", "few distinct scores"),
    *("a giant tie", "Cauchy, shifted by 3", "30% easy positives"),
)
N_SAMPLES = 800
FAILS, ERRS = 93, 7.5  # a cell that covers less fails, and so does a test that errs more often
BANDS = {10: "below 10", math.inf: "10 or more"}  # of effective positives
SIZES = ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01))  # positives, from, to


def weighted(rng: np.random.Generator, weight: float, **how: Any) -> Drawn:
    """Samples whose negatives weigh more than positives."""
    y, s, _ = family_columns(rng, **how)
    return y, s, {"sample_weight": np.where(y == 1, 1.0, weight)}


def of_families(
    kind: str, group: str, n: int, share: float, prevalence: float, **options: Any
) -> Iterator[Cell]:
    """A cell for each kind of scores."""
    definition, weight = (options.pop(name, None) for name in ("definition", "weight"))
    definition = definition or Step()
    for family in SHOWN:
        how = {"family": family, "n_rows": round(n / share), "share": share} | options
        draw = partial(family_columns, options={"prevalence": prevalence}, **how)
        if weight is not None:
            draw = partial(weighted, weight=weight, **how)
        target = partial(truth_at, prevalence, definition, family)
        facts = {"kind": kind, "group": group}
        name = f"{group}, {family}"
        yield simulation.interval_cell(
            name, draw, target, N_SAMPLES, definition, about="^few ", **facts
        )


def cells() -> Iterator[Cell]:
    """All cells of intervals, and of equal models."""
    for share in (0.5, 0.1, 0.02):
        for prevalence in (0.1, 0.01, 0.001):
            for n in (50, 200, 1000):
                group = f"{n} positives, from {share:g} to {prevalence:g}"
                yield from of_families("step average precision", group, n, share, prevalence)
    for size in SIZES:
        group = f"{size[0]} positives, from {size[1]:g} to {size[2]:g}"
        for definition in (Interpolated(), Hyperbolic()):
            kind, name = "interpolated, hyperbolic", f"{definition.title}, {group}"
            yield from of_families(kind, name, *size, definition=definition)
        for n_columns in (3, 10):
            kind, name = "means over 3 and 10 columns", f"{n_columns} columns, {group}"
            yield from of_families(kind, name, *size, n_columns=n_columns)
    for weight in (10.0, 100.0):
        for n, negatives in ((50, 50), (50, 500), (500, 500), (200, 2000), (2000, 2000)):
            kind, group = "negatives of weight 10 and 100", f"{n} + {negatives}, weight {weight:g}"
            shares = n / (n + negatives), n / (n + weight * negatives)
            yield from of_families(kind, group, n, *shares, weight=weight)
    yield from contests()


def contests() -> Iterator[Cell]:
    """Equal models, whose scores are correlated."""
    sizes = [(200, 0.5, 0.1), (1000, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)]
    for n, share, prevalence in [*sizes, (1000, 0.02, 0.001), (200, 0.5, 0.01)]:
        for family, shift in (("weak", 1.0), ("good", 2.0)):
            for correlation in (0.0, 0.9):
                draw = partial(normals, n_positives=n, shifts=(shift, shift), prevalence=share)
                judge = partial(contest, draw=draw, correlation=correlation, prevalence=prevalence)
                name = f"equal, {n} positives, from {share:g} to {prevalence:g}, {family}"
                facts = {"kind": "equal models"}
                yield Cell(f"{name}, correlation {correlation:g}", judge, N_SAMPLES, facts=facts)


def contest(
    rng: np.random.Generator, _: None, draw: Any, correlation: float, prevalence: float
) -> Numbers:
    """Whether two equal models differ at 5%, and whether there is a warning."""
    y, scores, _ = draw(rng, correlation=correlation)
    return simulation.compared(y, scores, about="^few ", prevalence=prevalence)


def section(rows: list[Row]) -> Section:
    """The section of the page."""
    equal = [row for row in rows if "differs" in row]
    rows = [row for row in rows if "differs" not in row]
    columns = COVERAGE | {
        "not warned: lowest": "{silent.least:.1f}",
        "warned": "{warned.mean:.0f}",
        "+-1.96 SE: lowest": "{plain.least:.0f}",
    }

    def line(row: Row) -> str:
        return f"{row['kind']}, {band_of(row['effective'], BANDS)}"

    low = (row for row in rows if row["covers"] < FAILS)
    high = (row for row in equal if row["differs"] > ERRS)
    return Section(
        told(
            "Without a warning, the 95% interval contained the true score in {silent.least:.1f} or "
            "more of 100 samples in each cell.",
            rows,
        )
        + told(
            " Of two equal models, one was called better in at most {differs.most:.1f} of 100 "
            "samples, and in {differs.median:.1f} in the median cell.",
            equal,
        ),
        table_by(line, rows, columns, "scores, effective positives"),
        [
            table_of(f"Cells below {FAILS}", low, covers="{covers:.1f}", warned="{warned:.0f}"),
            table_of(f"Equal models above {ERRS}", high, differ="{differs:.1f}"),
        ],
        note=f"There are {len(SHOWN)} kinds of scores.",
    )


if __name__ == "__main__":
    simulation.main("prevalence_coverage", __doc__, cells, {"prevalence": section})
