"""How often intervals of one score hold the true value, and how wide they are.

    python benchmarks/coverage_of_intervals.py --samples 400 --jobs 2 [--only KIND] [--again 1500]

prints, for each kind and level, the lowest and the median coverage of its cells, and the median
width over that of a normal estimate with the true standard deviation. ``--again``: so many samples
of the three lowest cells of a kind. ``--save FILE`` keeps cells, for ``--beside FILE`` later.
"""

import argparse
import json
import math
import warnings
import zlib
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import populations as p
from joblib import Parallel, delayed
from scipy.stats import norm

import sklearn_ap
from sklearn_ap import definitions as d

try:
    from sklearn_ap._uncertainty.limits import limits_of
except ImportError:  # an older state of the package
    limits_of = None

SEED, LEVELS = 20261129, (0.8, 0.9, 0.95, 0.99)
COSTLY = 0.5  # the share of samples of cells that take long
FAMILIES = ("weak", "near-perfect", "few distinct scores", "a giant tie", "two false alarms")


@dataclass
class Cell:
    """How samples are drawn, and the true score; None takes the mean of all samples."""

    kind: str
    name: str
    draw: object
    truth: object = None
    definition: object = d.Step()
    share: float = 1.0  # of the samples asked for


def numbers(text):
    """Read settings: "5 10 2; 8 80 1" gives (5, 10, 2) and (8, 80, 1)."""
    return [tuple(float(number) for number in one.split()) for one in text.split(";")]


def of_shifts(text):
    """Positives, rows and shift of normal scores."""
    return {f"{n:g} of {m:g}, shift {x:g}": (n, n / m, p.normal(x)) for n, m, x in numbers(text)}


def of_far(what, text):
    """Rows of a class above all others on average, positives, rows and shift."""
    found = {}
    for a, n, m, x in numbers(text):
        scores = p.far(a / n, 1, x) if what == "easy" else p.far(a / (m - n), 0, x)
        found[f"{a:g} {what}, {n:g} of {m:g}, shift {x:g}"] = (n, n / m, scores)
    return found


SHAPES = {
    "binormal": p.normal(1.0),
    "bibeta": p.by_class(lambda g, n: g.beta(2, 5, n), lambda g, n: g.beta(5, 2, n)),
    "offset uniform": lambda rng, y: rng.random(y.size) + 0.5 * y,
    "three sites": p.sites(1.5),
    "wide positives": p.student(30, 1.0, 2.5),
    "narrow positives": p.student(30, 1.5, 0.4),
    "probabilities": p.two_decimals,
}
# Positives, prevalence and scores of one ranking.
RANKINGS = {
    "rows, about three hidden": of_far(
        "alarms",
        "2.7 100 200 9; 3.2 100 200 9; 2.7 100 1000 4; 3.2 100 1000 4; 2.7 100 200 3; "
        "2.7 30 300 4; 2.6 50 1000 3; 3 200 400 2.5; 3 40 400 9; 2.8 500 1000 3; 2.6 20 200 4",
    )
    | of_far("easy", "2.8 100 10000 .5; 3.2 60 6000 .3; 2.6 200 4000 .5")
    | {
        "2.8 of 100 lost": (100, 0.1, p.lost(0.028, 4)),
        "3 of 100 lost": (100, 0.5, p.lost(0.03, 9)),
    },
    "rows, ordinary": of_shifts(
        "5 10 2; 5 500 2; 8 80 1; 10 10000 4; 12 6000 3; 20 200 1; 20 200 4; 20 20000 4; "
        "30 3000 .3; 50 50000 3; 50 100 1; 50 1000 2; 54 60 1; 100 200 4; 100 10000 .5; "
        "100 500 -.5; 200 2000 2; 200 20000 4; 270 300 1; 300 1000 .1; 1000 50000 .5; "
        "1000 10000 2.5; 1000 2000 4; 200 400 5; 100 10000 6"
    )
    | {f"{name}, {n}": (n, 0.1, of) for (name, of), n in product(SHAPES.items(), (20, 100, 500))}
    | {
        "t(3)": (100, 0.05, p.student(3, 1.5)),
        "t(2)": (150, 0.3, p.student(2, 1.5)),
        "t(5), 15 of 45": (15, 1 / 3, p.student(5, 1)),
        "a tenth at the top": (60, 0.1, p.easy(0.1)),
        "30% easy": (60, 0.1, p.easy(0.3)),
        "5 levels": (80, 0.2, p.levels(5, 1.5)),
        "20 levels": (100, 0.02, p.levels(20, 2.0)),
        "4 grades, 300 of 1,000": (300, 0.3, p.levels(4, 1.5)),
        "rounded": (500, 0.1, p.rounded(1.5)),
        "outliers": (100, 0.1, p.far(0.002, 0, 2.0, 6.0)),
    },
    "rows, hard": of_far(
        "easy",
        ".5 30 3000 .3; 1 100 10000 .3; 2 60 6000 .3; 3 300 30000 .3; 5 150 7500 .6;"
        "1 1000 50000 .3",
    )
    | of_far(
        "alarms",
        ".5 50 1000 2; 1 40 400 4; 2 200 2000 5; 3 100 2000 3; 5 30 300 5; 1 100 200 3; "
        "2 100 200 3; 2 60 120 2; 3 10 1000 9; 3 100 200 9",
    )
    | of_shifts("200 220 .5; 40 50 2; 10 1000 .5; 300 15000 .2; 1000 50000 .1; 3000 100000 .3")
    | {
        "weak, t(3)": (100, 0.01, p.student(3, 0.5)),
        "middling, t(4)": (50, 0.02, p.student(4, 1.0)),
        "weak, Cauchy": (60, 0.02, p.student(1, 0.5)),
        "half lost": (60, 0.02, p.lost(0.5, 3.0)),
        "9 of 10 lost": (200, 0.01, p.lost(0.9, 3.0)),
        "1 of 20 lost": (80, 0.1, p.lost(0.05, 5.0)),
        "mostly 0, weak": (100, 0.02, p.mostly_zero(0.5, 0.8, 0.95)),
        "mostly 0, good": (30, 0.05, p.mostly_zero(4.0, 0.3, 0.95)),
        "3 grades, weak": (100, 0.05, p.levels(3, 0.5)),
        "6 grades": (60, 0.01, p.levels(6, 1.0)),
    },
    "few positives": of_shifts("2 4 2; 3 30 2; 4 400 2; 3 10 1; 2 100 4; 4 8 0"),
    "few negatives": of_shifts("100 103 1; 50 52 0; 40 45 2; 200 210 .5; 30 34 1; 500 505 .5"),
}
PREVALENCES = numbers(  # positives, from, to
    "200 .1 .01; 200 .5 .05; 50 .1 .02; 1000 .5 .1; 200 .02 .1; 50 .5 .01; 100 .3 .02; "
    "100 .8 .01; 30 .75 .005"  # few negatives
)
AT_PREVALENCES = {
    "weak": p.normal(1),
    "good": p.normal(2),
    "strong": p.normal(4),
    "Cauchy": p.student(1, 3),
}
COLUMNS = numbers(  # columns, positives, prevalence, shift, shared noise
    "2 3 .1 1 0; 3 20 .1 1.5 0; 3 20 .1 1.5 .7; 10 20 .1 1.5 0; 10 20 .1 1.5 .7; "
    "10 100 .1 1.5 .7; 20 25 .05 1 .2; 20 50 .05 1 .2; 50 25 .05 1 .2; 30 16 .08 1 .8; "
    "8 40 .1 4 .2; 2 30 .5 1 .5; 50 15 .05 2 .2; 6 12 .05 2 .2; 40 20 .5 .5 .3; 40 20 .5 1.5 .3"
)
ZIPF = {"easy_clusters": 0.03, "effect": 0.0, "prevalence": 0.05, "shift": 0.3}
ROWS = {"weighted": True, "size": 1.0}
UNITS = [  # kind, name, how samples are drawn, units, options
    *(("clusters", "beta", p.in_clusters, n, {}) for n in (20, 50, 200)),
    ("clusters", "Zipf, good", p.zipf, 300, {"prevalence": 0.1, "shift": 2.5}),
    ("clusters", "Zipf, weak", p.zipf, 600, {"prevalence": 0.03, "shift": 0.5}),
    ("clusters", "Zipf, 3% easy", p.zipf, 600, ZIPF),
    ("clusters", "patients of 5", p.patients, 100, {"size": 5}),
    ("clusters", "5% ill", p.patients, 400, {"ill": 0.05, "shift": 2.5}),
    ("clusters", "patients of 20", p.patients, 40, {"size": 20, "ill": 0.5}),
    ("clusters", "sites, a tenth heavy", p.patients, 60, {"ill": 0.8, "shift": 1.0, "heavy": 0.1}),
    *(("weights", "with scores", p.in_clusters, n, ROWS) for n in (100, 400)),
    *(("both", "with scores", p.in_clusters, n, {"weighted": True}) for n in (40, 100, 400)),
    *(
        ("whole patients", "1 fails", p.patients, n, {"failing": 1 / n, "shift": 2.5})
        for n in (40, 100, 200)
    ),
]
WEAK = {"overlaps": (0.5,), "skills": (0.3,), "tight": 4}
RARE = {"n_classes": 12, "objects": (4, 40)}
IMAGES = numbers("50 20 3 120; 50 20 10 400; 500 20 3 120")  # images, classes, objects
GAPS = numbers("12 40 .1 .7; 40 100 .05 .9")  # columns, positives, prevalence, share unknown
DETECTORS = {"ten overlaps": {}, "one overlap, weak": WEAK, "rare classes": RARE}
SMOOTH = [d.Interpolated(), d.Interpolated(101), d.Interpolated(11), d.Linear(), d.Hyperbolic()]
SMOOTH += [d.Expected()]
AT_K = [d.AtK(20), d.AtK(5), d.PrecisionAtK(20), d.PrecisionAtK(5), d.RecallAtK(20)]


def of_rankings():
    for kind, cells in RANKINGS.items():
        for name, (n, prevalence, scores) in cells.items():
            draw = partial(p.rows, n=n, prevalence=prevalence, scores=scores)
            yield Cell(kind, name, draw, partial(p.truth_of_scores, prevalence, scores))
    for (n, prevalence, other), (family, scores) in product(PREVALENCES, AT_PREVALENCES.items()):
        draw = partial(p.rows, n=n, prevalence=prevalence, scores=scores, other=other)
        name = f"{n:g} of {prevalence:g} to {other:g}, {family}"
        kind = "prevalence" + ", few negatives" * (prevalence > 0.7)
        yield Cell(kind, name, draw, partial(p.truth_of_scores, other, scores))
    for family, n, lost_share in product(("weak", "good"), (50, 200), (0.1, 0.3)):
        scores = p.far(lost_share, 1, {"weak": 1.0, "good": 2.0}[family], -np.inf)
        draw = partial(p.rows, n=n, prevalence=0.1, scores=scores)
        name = f"{family}, {n}, {lost_share:.0%} -inf"
        yield Cell("never scored", name, draw, partial(p.truth_of_scores, 0.1, scores))


def of_definitions():
    for definition, family, n in product([*SMOOTH, *AT_K], FAMILIES, (20, 100)):
        draw = partial(p.family_sample, family=family, n=n, prevalence=0.1)
        truth = partial(p.truth, definition, family, n, 0.1) if definition in SMOOTH else None
        share = COSTLY if truth is None else 1.0
        yield Cell(f"definition: {definition!r}", f"{family}, {n}", draw, truth, definition, share)
    others = [("precision at a recall", d.PrecisionAtRecall(0.8), n, 0.1) for n in (20, 100)]
    others += [(f"recall at {k}", d.RecallAtK(k), 10, 0.3) for k in (1, 2)]
    for (kind, definition, n, prevalence), family in product(others, FAMILIES):
        draw = partial(p.family_sample, family=family, n=n, prevalence=prevalence)
        yield Cell(kind, f"{family}, {n}", draw, None, definition, COSTLY)


def of_queries():
    ordinary = [(n, size, 1) for n, size in product((5, 16, 50, 200), (10, 100))]
    for n, size, skill in [*ordinary, (10, 10, 6), (20, 10, 6), (50, 10, 7), (20, 10, 4)]:
        many = partial(p.unequal_queries, size=size, skill=skill)
        name = f"{n} queries of about {size}, skill {skill}"
        yield Cell("queries", name, partial(many, n=n), partial(p.score_of_many, many, n=20_000))
    for n, share in ((10, 0.2), (12, 0.2), (30, 0.05), (40, 0.05), (30, 0.02), (100, 0.02)):
        many = partial(p.easy_queries, share=share)
        truth = partial(p.score_of_many, many, n_queries=40_000)
        yield Cell("queries", f"{n}, {share:.0%} easy", partial(many, n_queries=n), truth)
    for n_users in (25, 100):
        draw = partial(p.unequal_queries, n=6 * n_users, size=10, n_users=n_users)
        many = partial(p.unequal_queries, n=120_000, size=10, n_users=20_000)
        yield Cell("queries", f"{n_users} users", draw, partial(p.score_of_many, many))


def of_columns():
    for n_columns, n, prevalence, shift, shared in COLUMNS:
        how = {"prevalences": np.full(int(n_columns), prevalence), "shift": shift, "shared": shared}
        draw = partial(p.columns, n_rows=round(n / prevalence), **how)
        truth = partial(p.binormal, shift, prevalence)
        name = f"{n_columns:g} columns of {n:g} of {prevalence:.0%}, shift {shift}, shared {shared}"
        yield Cell("columns", name, draw, truth, share=COSTLY)
        for definition in (d.Interpolated(), d.Hyperbolic()) if n in (20, 25) and shared else ():
            kind = "columns, other definitions"
            yield Cell(kind, f"{definition!r}, {name}", draw, truth, definition, COSTLY / 2)
    for n_columns, n, prevalence, unknown in GAPS:
        prevalences, n_rows = np.full(int(n_columns), prevalence), n / prevalence / (1 - unknown)
        draw = partial(p.gaps, n_rows=round(n_rows), unknown=unknown, prevalences=prevalences)
        name, truth = f"{n_columns:g} columns", partial(p.binormal, 1.5, prevalence)
        yield Cell("gaps", f"{name}, {unknown:.0%} unknown", draw, truth, share=COSTLY)
    for n_columns, n, alarms in ((5, 40, 1), (10, 40, 2), (10, 100, 3)):
        how = {"prevalences": np.full(n_columns, 0.1), "alarms": alarms / n / 10}
        draw = partial(p.shared_alarms, n_rows=10 * n, **how)
        truth = partial(p.score_of_many, partial(p.shared_alarms, **how), n_rows=100_000)
        name = f"{n_columns} perfect columns of {n}, {alarms} alarms in all"
        yield Cell("columns that share alarms", name, draw, truth, share=COSTLY)


def of_units():
    for kind, name, draw, n, how in UNITS:
        size = "n_clusters" if draw is p.in_clusters else "n"
        truth = partial(p.score_of_many, partial(draw, **how), **{size: 100_000})
        yield Cell(kind, f"{n} {name}", partial(draw, **how, **{size: n}), truth)
    at_10 = (d.AtK(10), d.PrecisionAtK(10), d.RecallAtK(10))
    for definition, size, alarms in product(at_10, (5, 20), (0, 0.7)):
        draw = partial(p.tops, size=size, alarms=alarms)
        name = f"{definition!r}, clusters of {size}, {alarms} alarms"
        yield Cell("at k over clusters", name, draw, None, definition, COSTLY)
    for n, n_classes, fewest, most in IMAGES:
        rates = np.geomspace(fewest, most, int(n_classes)) / n
        draw = partial(p.images, rates=rates)
        truth = partial(p.score_of_many, draw, n_images=20_000)
        name = f"{n:g} images, {n_classes:g} classes of {fewest:g} to {most:g} objects"
        yield Cell("images", name, partial(draw, n_images=int(n)), truth, share=COSTLY)
    for name, n, prevalence in (("logistic", 20, 0.2), ("Bayes", 50, 0.05), ("tree", 50, 0.2)):
        draw = partial(p.folds, n=n, prevalence=prevalence, model=name)
        yield Cell("folds", f"{name}, {n}, {prevalence:.0%}", draw, share=COSTLY)
    coco = d.Interpolated(101)
    for name, how in DETECTORS.items():
        draw = partial(p.detectors, **how)
        truth = partial(p.score_of_many, draw, coco, n_images=8_000)
        yield Cell("detectors", name, draw, truth, coco, COSTLY / 2)


def limits(y, s, definition, options):
    """Return the score, and its limits at all levels."""
    interval = partial(sklearn_ap.average_precision_interval, y, s, definition=definition)
    if limits_of is None:
        made = [interval(confidence_level=level, **options) for level in LEVELS]
        return made[0].estimate, [(each.low, each.high) for each in made]
    found = interval(**options)._source.estimate  # half samples are drawn once for all levels
    return found.value[0], [np.ravel(limits_of(found, level)) for level in LEVELS]


def run(cell, n_samples):
    """Return coverage in percent and width at each level."""
    warnings.simplefilter("ignore")
    seed = zlib.crc32((cell.kind + cell.name).encode())
    samples = (cell.draw(np.random.default_rng((seed, SEED, i))) for i in range(n_samples))
    found = [limits(y, s, cell.definition, options) for y, s, options in samples]
    found = [one for one in found if np.isfinite(one[0])]  # the others have no positive
    values, ends = zip(*found, strict=True)
    low, high = np.moveaxis(np.array(ends), 2, 0)
    truth = np.mean(values) if cell.truth is None else cell.truth()
    covers = 100 * np.mean((low - 1e-9 <= truth) & (truth <= high + 1e-9), axis=0)
    needed = 2 * norm.ppf((1 + np.array(LEVELS)) / 2) * max(np.std(values), 1e-12)
    facts = {"kind": cell.kind, "name": cell.name, "n": n_samples, "truth": float(truth)}
    return facts | {"covers": [*covers], "width": [*np.median(high - low, axis=0) / needed]}


HEADS = *(f"{100 * level:g}: lowest / median" for level in LEVELS), "width"


def line_of(cells):
    covers, width = (np.array([cell[name] for cell in cells]) for name in ("covers", "width"))
    both = zip(covers.min(axis=0), np.median(covers, axis=0), strict=True)
    widths = " / ".join(f"{each:.2f}" for each in np.median(width, axis=0))
    return " | ".join([*(f"{low:.1f} / {middle:.1f}" for low, middle in both), widths])


def table(found, beside, heads, line_of):
    lines = [f"| kind | cells | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    for kind in dict.fromkeys(cell["kind"] for cell in found):
        cells = [cell for cell in found if cell["kind"] == kind]
        lines.append(f"| {kind} | {len(cells)} | {line_of(cells)} |")
        names = {cell["name"] for cell in cells}
        others = [cell for cell in beside if cell["kind"] == kind and cell["name"] in names]
        if others:
            lines.append(f"| beside | {len(others)} | {line_of(others)} |")
    return "\n".join(lines)


def main(parts, run, heads, line_of, description=__doc__, place=2):
    """Run all cells and print tables; the lowest cells are those with this coverage of several."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the names of kinds")
    parser.add_argument("--again", type=int, help="samples of the three lowest cells of each kind")
    parser.add_argument("--save", help="a file of JSON lines")
    parser.add_argument("--beside", help="what another state saved")
    options = parser.parse_args()
    cells = [cell for part in parts for cell in part() if options.only in cell.kind]
    sizes = [max(2, math.ceil(options.samples * cell.share)) for cell in cells]
    parallel = Parallel(n_jobs=options.jobs)
    found = parallel(delayed(run)(cell, n) for cell, n in zip(cells, sizes, strict=True))
    if options.again:
        for kind in dict.fromkeys(cell.kind for cell in cells):
            places = [i for i, cell in enumerate(cells) if cell.kind == kind]
            lowest = sorted(places, key=lambda i: found[i]["covers"][place])[:3]
            again = parallel(delayed(run)(cells[i], options.again) for i in lowest)
            for i, cell in zip(lowest, again, strict=True):
                found[i] = cell
    if options.save:
        Path(options.save).write_text("\n".join(map(json.dumps, found)))
    lines = Path(options.beside).read_text().splitlines() if options.beside else []
    print(table(found, [*map(json.loads, lines)], heads, line_of))
    for cell in sorted(found, key=lambda cell: cell["covers"][place])[:20]:
        covers, width = cell["covers"][place], cell["width"][place]
        print(f"{covers:5.1f} {width:6.2f}  {cell['kind']}: {cell['name']}")


if __name__ == "__main__":
    main((of_rankings, of_definitions, of_queries, of_columns, of_units), run, HEADS, line_of)
