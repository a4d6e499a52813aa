"""How often intervals at another prevalence hold the true value, and when they warn."""

from functools import partial
from itertools import product

import numpy as np
from populations import FAMILIES, disguised, family_sample, normals, truth_at
from simulation import Cell, compared, interval_cell, main
from tables import COVERAGE, Section, promise, table_by, table_of

from sklearn_ap.definitions import Hyperbolic, Interpolated, Step

SHOWN = [family for family in FAMILIES if family not in ("inverse", "Cauchy, shifted by 30")]
N_SAMPLES, FROM_TO = 800, "{} positives, from {:g} to {:g}"
FAILS, ERRS = 93, 7.5  # a cell that covers less fails, and so does a test that errs more often
# Positives, from, to; and positives and negatives, some of which weigh more.
GRID = [(n, *of) for of in product((0.5, 0.1, 0.02), (0.1, 0.01, 0.001)) for n in (50, 200, 1000)]
SIZES = ((200, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01))
WEIGHED = ((50, 50), (50, 500), (500, 500), (200, 2000), (2000, 2000))
CONTESTS = [(200, 0.5, 0.1), (1000, 0.5, 0.1), (1000, 0.5, 0.01), (200, 0.1, 0.01)]
CONTESTS += [(1000, 0.02, 0.001), (200, 0.5, 0.01)]


COLUMNS = COVERAGE | {
    "not warned: lowest": "{silent.least:.1f}",
    "warned": "{warned.mean:.0f}",
    "+-1.96 SE: lowest": "{plain.least:.0f}",
}


def weighted(rng, weight, **how):
    y, s, _ = family_sample(rng, **how)
    return y, s, {"sample_weight": np.where(y == 1, 1.0, weight)}


def of_families(kind, group, n, share, prevalence, definition=Step(), weight=None, n_columns=1):
    for family in SHOWN:
        how = {"n": n, "prevalence": share, "n_columns": n_columns, "fewest": 2, "family": family}
        draw = partial(family_sample, options={"prevalence": prevalence}, **how)
        if weight is not None:
            draw = partial(weighted, weight=weight, **how)
        target = partial(truth_at, prevalence, definition, family)
        facts = {"about": "^few ", "kind": kind}
        yield interval_cell(f"{group}, {family}", draw, target, N_SAMPLES, definition, **facts)


def cells():
    for size in GRID:
        yield from of_families("step average precision", FROM_TO.format(*size), *size)
    for size in SIZES:
        group = FROM_TO.format(*size)
        for definition in (Interpolated(), Hyperbolic()):
            kind, name = "interpolated, hyperbolic", f"{definition.title}, {group}"
            yield from of_families(kind, name, *size, definition=definition)
        for n_columns in (3, 10):
            kind, name = "means over 3 and 10 columns", f"{n_columns} columns, {group}"
            yield from of_families(kind, name, *size, n_columns=n_columns)
    for weight, (n, negatives) in product((10.0, 100.0), WEIGHED):
        kind, group = "negatives of weight 10 and 100", f"{n} + {negatives}, weight {weight:g}"
        shares = n / (n + negatives), n / (n + weight * negatives)
        yield from of_families(kind, group, n, *shares, weight=weight)
    models = (("weak", 1.0), ("good", 2.0))
    for (n, *of), (family, shift), correlation in product(CONTESTS, models, (0.0, 0.9)):
        how = {"n_positives": n, "shifts": (shift, shift), "prevalence": of[0]}
        draw = partial(normals, **how, correlation=correlation)
        name = f"equal, {FROM_TO.format(n, *of)}, {family}, correlation {correlation:g}"
        judge = partial(contest, draw=draw, prevalence=of[1])
        yield Cell(name, judge, N_SAMPLES, facts={"kind": "equal models"})


def contest(rng, _, draw, prevalence):
    y, scores, _ = disguised(rng, *draw(rng))
    return compared(y, scores, about="^few ", prevalence=prevalence)


def line_of(row):
    return f"{row['kind']}, {'below 10' if row['effective'] < 10 else '10 or more'}"


def section(rows):
    equal = [row for row in rows if "differs" in row]
    rows = [row for row in rows if "differs" not in row]
    low = (row for row in rows if row["covers"] < FAILS)
    high = (row for row in equal if row["differs"] > ERRS)
    summary = table_by(line_of, rows, COLUMNS, "scores, effective positives")
    promises = [
        promise("95% intervals at another prevalence, unless they warn", rows, "silent"),
        promise("p < 0.05 for equal models there (5 of 100)", equal, "differs", "most"),
    ]
    fails = [table_of(f"Cells below {FAILS}", low, covers="{covers:.1f}", warned="{warned:.0f}")]
    fails += [table_of(f"Equal models above {ERRS}", high, differ="{differs:.1f}")]
    return Section(promises, summary, fails)


if __name__ == "__main__":
    main("prevalence_coverage", __doc__, cells, {"prevalence": section})
