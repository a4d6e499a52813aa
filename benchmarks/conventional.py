"""How often conventional intervals cover, which journals ask for, and where they fail.

``method="logit"`` of a score, and ``method="normal"`` of a difference, beside the default.
"""

from functools import partial

import numpy as np
import populations
from populations import normal
from simulation import Cell, heard, judged, main
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap

N_SAMPLES = 300
DEFAULT = "the default"
SHIFT = 2.0  # of positives, in the cells of columns and weights


def with_far(positives, negatives, shift, easy=0.0, bad=0.0):
    """Normal scores; some positives, or some negatives, stand far above all others, by chance."""

    def draw(rng, times=1):
        y = np.repeat([1, 0], [positives * times, negatives * times])
        is_far = rng.random(y.size) < np.where(y == 1, easy, bad)
        return y, normal(shift)(rng, y) + 20.0 * is_far, {}

    return draw


def weighted(rng, times=1):
    y, s, _ = with_far(60 * times, 540 * times, SHIFT)(rng)
    return y, s, {"sample_weight": rng.lognormal(0, 1, y.size)}


def at_ten_percent(rng, times=1):
    y, s, _ = with_far(50 * times, 50 * times, 4.0)(rng)
    return y, s, {"prevalence": 0.1}


def of_columns(rng, times=1):
    y = (rng.random((400 * times, 15)) < 0.05) * 1
    return y, normal(SHIFT)(rng, y.ravel()).reshape(y.shape), {}


USUAL, HARD = "usual settings", "few cases decide"
ONE = {
    "50 positives, 1% positive": (USUAL, with_far(50, 4950, 2.0)),
    "300 positives, 1% positive": (USUAL, with_far(300, 29_700, 1.0)),
    "20 positives, 10% positive": (USUAL, with_far(20, 180, 1.0)),
    "30 positives, one is easy": (HARD, with_far(30, 2970, 0.5, easy=1 / 30)),
    "100 positives, one is easy": (HARD, with_far(100, 9900, 0.5, easy=0.01)),
    "30 positives, one false alarm": (HARD, with_far(30, 300, 5.0, bad=1 / 300)),
    "10 positives, nearly perfect": (HARD, with_far(10, 20, 3.0)),
    "200 positives, nearly perfect": (HARD, with_far(200, 200, 5.0)),
    "50 positives, another prevalence": (HARD, at_ten_percent),
    "60 positives, with weights": (USUAL, weighted),
    "20 positives, mean of 15 columns": (HARD, of_columns),
}


def easy_for_one(rng, times=1):
    """One of 30 positives, by chance, is easy for one of two models."""
    y, s, _ = with_far(30 * times, 2970 * times, 0.5)(rng)
    other = normal(0.5)(rng, y) + 20.0 * (rng.random(y.size) < y / 30)
    return y, np.stack([s, other]), {}


def weak(rng, times=1):
    """Two models near chance, of which the second is better."""
    how = {"n_positives": 100 * times, "shifts": (0.5, 0.8), "correlation": 0.8}
    return populations.normals(rng, prevalence=0.01, **how)


def equal(n, prevalence, shift, correlation):
    how = {"n_positives": n, "shifts": (shift, shift), "correlation": correlation}
    return partial(populations.normals, prevalence=prevalence, **how)


TWO = {
    "unlike weak models, 100 positives": (USUAL, weak),
    "equal models, 100 positives": (USUAL, equal(100, 0.05, 1.5, 0.8)),
    "equal models, 12 positives": (USUAL, equal(12, 0.1, 1.5, 0.9)),
    "equal models, nearly perfect": (USUAL, equal(100, 0.1, 4.5, 0.5)),
    "one of 30 is easy for one model": (HARD, easy_for_one),
}


def truth_of(draw):
    """The score of a sample with so many times the rows."""
    n_cells = np.size(draw(np.random.default_rng(0))[0])
    y, s, options = draw(np.random.default_rng(1), times=2_000_000 // n_cells)
    options.pop("sample_weight", None)  # weights do not depend on scores
    return sklearn_ap.average_precision_score(y, s, **options)


def difference_of(draw):
    """The difference of two scores of a large sample; none of equal models."""
    if draw not in (easy_for_one, weak):
        return 0.0
    y, s, _ = draw(np.random.default_rng(1), times=300)
    first, second = (sklearn_ap.average_precision_score(y, each) for each in s)
    return second - first


def one(rng, truth, draw):
    y, s, options = populations.disguised(rng, *draw(rng))
    ways = {DEFAULT: {}, "logit": {"method": "logit"}}
    made = {
        way: heard("", sklearn_ap.average_precision_interval, y, s, **options, **said)
        for way, said in ways.items()
    }
    return {way: judged(truth, *found) for way, found in made.items()}


def two(rng, truth, draw):
    y, s, _ = populations.disguised(rng, *draw(rng))
    models = dict(zip("AB", s, strict=True))
    ways = {DEFAULT: {}, "normal": {"method": "normal"}}
    made = {
        way: heard("", sklearn_ap.compare_average_precision, y, models, **said)
        for way, said in ways.items()
    }
    return {
        way: judged(truth, *found) | {"differs": bool(found[0].pvalues[1] < 0.05)}
        for way, found in made.items()
    }


def cells():
    for name, (kind, draw) in ONE.items():
        facts = {"kind": f"scores, {kind}"}
        yield Cell(name, partial(one, draw=draw), N_SAMPLES, partial(truth_of, draw), facts)
    for name, (kind, draw) in TWO.items():
        facts = {"kind": f"differences, {kind}"}
        yield Cell(name, partial(two, draw=draw), N_SAMPLES, partial(difference_of, draw), facts)


def section_of(rows):
    rows = [row | {"line": f"{row['kind']}: {row['way']}"} for row in rows]
    heads = {name: text for name, text in COVERAGE.items() if name != "worst cell"}
    heads["p < 0.05"] = "{differs.mean:.0f}%"
    each = [row | {"name": f"{row['name']}: {row['way']}"} for row in rows]
    figures = {"coverage": "{covers:.1f}", "width": "{width:.2f}", "warned": "{warned:.0f}"}
    conventional = [row for row in rows if row["way"] != DEFAULT]
    usual = [row for row in conventional if row["kind"].endswith(USUAL)]
    hard = [row for row in conventional if row["kind"].endswith(HARD)]
    return Section(
        [
            promise("95% conventional intervals in usual settings", usual),
            promise("95% conventional intervals where few cases decide", hard),
        ],
        table_by("line", rows, heads, "settings"),
        [],
        [table_of("All settings", each, **figures)],
    )


if __name__ == "__main__":
    main("conventional", __doc__, cells, {"conventional": section_of})
