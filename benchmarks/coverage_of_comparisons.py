"""How often limits of differences hold the true ones, and how often comparisons err, or find.

    python benchmarks/coverage_of_comparisons.py --samples 400 --jobs 2 [--only KIND]

prints, for each kind of setting, the lowest and the median coverage of its cells at each level, the
median width over that of a normal estimate with the true standard deviation, the largest share of
samples with a false p <= 0.05 of any difference, and the mean power. Of several models, limits hold
all at once; the best one is in the set, and the winner's lower limit holds, at least so often.
Margins have the largest error at a nominal 2.5%, and how often equal models are shown not worse.
"""

import warnings
import zlib
from dataclasses import dataclass
from functools import partial

import coverage_of_intervals
import numpy as np
import populations as p
from coverage_of_intervals import LEVELS, main, numbers
from scipy.stats import norm

from sklearn_ap import definitions as d
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.best import best_of
from sklearn_ap._uncertainty.differences import differences
from sklearn_ap._uncertainty.joint import joint_of_requests

SEED, ERROR = 20261128, 0.05
HALF = 0.5  # the share of the samples of cells that take long


@dataclass
class Cell(coverage_of_intervals.Cell):
    """How samples of models are drawn, with all their true scores."""

    equal: object = None  # of a margin: how models are drawn of which none is worse


def pairs(text):
    """Positives, prevalence, two shifts and the correlation of normal scores."""
    return {
        f"{n:g} of {q:g}, {a:g} and {b:g}, r {r:g}": (n, q, p.alike_in_noise((a, b), r))
        for n, q, a, b, r in numbers(text)
    }


NORMAL, GOOD, STRONG = p.normal(1.5), p.normal(2.0), p.normal(3.0)
# Positives, prevalence, and models. Settings that start with "new" are in no earlier grid.
ROWS = {
    "rows": pairs(
        "20 .1 1.3 1.3 .9; 50 .1 1.3 1.3 0; 200 .1 1.3 1.3 .9; 50 .1 1.3 1.7 .5; "
        "200 .1 1.3 1.7 .5; 100 .1 1.3 1.3 .98; 15 .1 1.3 1.3 .5; 200 .8 1.3 1.3 .5; "
        "40 .01 1.5 2 .8; 150 .02 .5 .5 .8; 60 .5 3 3.1 .8; 10 .01 1.5 1.5 .5"
    )
    | {
        "t(3), equal": (60, 0.05, p.equal_models(p.student(3, 1.5))),
        "t(3), unequal": (120, 0.05, p.apart(p.student(3, 1.5), p.student(3, 2.0))),
        "wide, equal": (100, 0.1, p.equal_models(p.student(30, 1.0, 2.5))),
        "B is A rounded": (80, 0.1, p.changed(NORMAL, p.rounds)),
        "B noisy, loses 5%": (300, 0.1, p.changed(GOOD, p.noisy(0.3), p.loses(0.05))),
        "nearly same": (300, 0.1, p.changed(NORMAL, p.noisy(0.03))),
        "exponential": (80, 0.03, p.apart(p.exponential(2), p.exponential(3))),
        "4 levels": (60, 0.2, p.equal_models(p.levels(4, 1.5))),
        "few distinct": (50, 0.1, p.equal_models(p.rounded(1.5))),
        "B copies 70% of A": (120, 0.05, p.changed(NORMAL, p.copies(0.7, NORMAL))),
        "two alarms, 20": (20, 0.1, p.equal_models(p.two_alarms(20, 0.1))),
        "two alarms, 100": (100, 0.1, p.equal_models(p.two_alarms(100, 0.1))),
        "new: lost, unequal": (90, 0.08, p.apart(p.lost(0.4, 3), p.lost(0.25, 3))),
        "new: probabilities": (70, 0.06, p.equal_models(p.two_decimals)),
        "new: mostly zero": (100, 0.05, p.equal_models(p.mostly_zero(1.5, 0.4, 0.9))),
        "new: Cauchy, unequal": (150, 0.1, p.apart(p.student(1, 3), p.student(1, 5))),
        "new: sites": (60, 0.2, p.equal_models(p.sites(1.5))),
    },
    "rows, new": pairs("70 .15 1 1 .3; 25 .03 2 2 .8; 400 .01 2 2.15 .9; 120 .35 .6 .9 .6"),
    "rows, hard": {
        "near-perfect": (100, 0.1, p.equal_models(p.normal(5))),
        "B loses 3%": (100, 0.1, p.changed(GOOD, p.loses(0.03))),
        "B noisy, loses 2%": (100, 0.1, p.changed(GOOD, p.noisy(0.3), p.loses(0.02))),
        ".2% alarms of B": (100, 0.1, p.changed(GOOD, p.alarms(0.002))),
        "2 of 60 easy for B": (60, 0.01, p.changed(NORMAL, p.finds(2 / 60))),
        ".1% alarms of B": (300, 0.1, p.changed(NORMAL, p.noisy(0.3), p.alarms(0.001))),
        ".5% alarms of both": (80, 0.1, p.equal_models(p.far(0.005, 0, 3.0))),
        "new: 3 alarms of B": (50, 0.5, p.changed(STRONG, p.alarms(0.06))),
        "new: B finds 4%": (75, 0.05, p.changed(NORMAL, p.noisy(0.2), p.finds(0.04))),
    },
}
TENTH = partial(np.random.Generator.choice, a=[1.0, 20.0], p=[0.9, 0.1])
WEIGHTED = {  # the same, and weights
    "lognormal": (300, 0.2, (1.3, 1.3), lambda rng, y: rng.lognormal(0, 0.8, y.size)),
    "heavy": (150, 0.1, (1.3, 1.8), lambda rng, y: rng.lognormal(0, 1.2, y.size)),
    "a tenth 20": (150, 0.1, (1.5, 1.5), lambda rng, y: TENTH(rng, size=y.size)),
    "positives unequal": (80, 0.2, (1.0, 1.4), lambda rng, y: rng.gamma(0.5, 2, y.size) ** y),
    "negatives 10": (60, 0.5, (1.5, 2.0), lambda _, y: 10.0 ** (1 - y)),  # a tenth was kept
}
PREVALENCES = {  # positives, from, to, two shifts
    "prevalence": "200 .5 .1 2 2; 100 .1 .02 2 2; 100 .1 .5 1.3 1.3; 200 .1 .02 1.5 1.9; "
    "60 .5 .05 2 2.4; 40 .2 .05 1.5 1.5; 80 .3 .1 1 1.5",
    "prevalence, hard": "150 .3 .05 3.5 3.5; 60 .5 .01 2 2.4; 50 .4 .02 1.5 2",
}
PAIRS_ON_TOP = {"n": 150, "size": 4, "top": 0.02, "own": 0.3, "shifts": (2, 2)}
OF_12 = {"n": 45, "size": 12, "shape": "equal", "shifts": (1.3, 1.6)}
CLUSTERS = (  # kind, name, and what populations.models_in_clusters takes
    ("clusters", "30", {"n": 30}),
    ("clusters", "100", {"n": 100}),
    ("clusters", "Zipf", {"n": 200, "shape": "Zipf"}),
    ("clusters", "60 ill of 300", {"n": 300, "ill": 0.2}),
    ("clusters", "60 ill of 300, gain", {"n": 300, "ill": 0.2, "shifts": (1.2, 1.7)}),
    ("clusters", "20 hospitals", {"n": 20, "size": 40}),
    ("clusters", "both break in 10%", {"n": 100, "broken": 0.1, "shifts": (2, 2)}),
    ("clusters", "50 geometric, gain", {"n": 50, "size": 8, "shifts": (1, 1.4)}),
    ("clusters", "new: 45 of 12 rows", OF_12),
    ("clusters", "new: 150 pairs", {"n": 150, "size": 2, "shape": "equal", "own": 0.3}),
    ("clusters, hard", "3% of 60 on top", {"n": 60, "size": 10, "top": 0.03, "shifts": (2, 2)}),
    ("clusters, hard", "12 of 10 rows", {"n": 12, "size": 10, "shape": "equal"}),
    ("clusters, hard", "new: 2% of 150 on top", PAIRS_ON_TOP),
    ("many", "10 over 60 clusters", {"n": 60, "shifts": [1.2] * 10}),
    ("many", "10 over 12 clusters", {"n": 12, "shifts": [1.2] * 10}),
)
QUERIES = (  # the same of populations.models_of_queries
    ("queries", "16", {"n": 16}),
    ("queries", "40", {"n": 40}),
    ("queries", "60, gain", {"n": 60, "shifts": (1, 1.3)}),
    ("queries", "100, gain", {"n": 100, "shifts": (1, 1.2)}),
    ("queries", "30, one relevant", {"n": 30, "relevant": 0.01}),
    ("queries", "200, one relevant", {"n": 200, "relevant": 0.01, "correlation": 0.99}),
    ("queries", "40, weighted", {"n": 40, "weighted": True}),
    ("queries", "100, weighted, gain", {"n": 100, "weighted": True, "shifts": (1, 1.3)}),
    ("queries", "120 of users", {"n": 120, "users": 0.25}),
    ("queries", "60 of users", {"n": 60, "users": 0.2}),
    ("queries", "200 of users, gain", {"n": 200, "users": 0.3, "shifts": (1, 1.2)}),
    ("queries", "new: 24 long", {"n": 24, "size": 80, "relevant": 0.05, "shifts": (1, 1.2)}),
    ("queries", "hard: B reverses 5% of 60", {"n": 60, "failing": 0.05, "correlation": 0.98}),
    ("queries", "hard: B reverses 5% of 40 users", {"n": 200, "users": 0.2, "failing": 0.05}),
    ("many", "6 over 60 queries", {"n": 60, "shifts": [1.0] * 6}),
)
COLUMNS = {  # columns, positives, prevalence, two shifts, shared noise
    "columns": "3 40 .1 1.3 1.3 .3; 10 25 .1 1.2 1.4 .3; 20 25 .1 1.3 1.3 .8; 50 15 .05 1.3 1.3 .3;"
    "12 60 .1 1.3 1.3 .3; 8 30 .2 2 2 .5; 15 50 .3 1 1.2 .5",
    "columns, hard": "50 15 .05 1 2 .3; 50 50 .05 1 2 .3; 20 15 .1 1 2.5 .3; 35 20 .08 1 1.7 .3",
}
MORE_COLUMNS = {  # rows, prevalences, shifts, options
    "weighted": (400, np.geomspace(0.02, 0.1, 30), (1.2, 1.9), {"average": "weighted"}),
    "at 10%": (100, np.full(25, 0.3), (1, 1.6), {"prevalence": 0.1}),
    "80 clusters": (400, np.full(20, 0.05), (1, 1.8), {"n_clusters": 80}),
    "new: micro": (300, np.full(6, 0.1), (1, 1.3), {"average": "micro"}),
    "new: samples": (80, np.full(8, 0.3), (1, 1.2), {"average": "samples"}),
}
IMAGES = numbers(  # images, classes, objects from, to, two shifts, recall levels
    "50 20 3 30 1 1 0; 50 20 3 30 1 1.6 101; 100 10 10 30 1.5 1.5 101; 100 5 5 30 1 1.7 0; "
    "300 20 5 30 1.2 1.6 0; 300 10 3 30 .5 .5 101; 80 12 5 30 1.5 1.5 0; 150 8 20 30 1 1.5 101"
)
AT_K = {  # definition, positives, prevalence, two shifts, correlation
    "equal": (d.AtK(20), 100, 0.1, 1.3, 1.3, 0.9),
    "P, equal": (d.PrecisionAtK(20), 100, 0.05, 1.3, 1.3, 0.9),
    "R, unequal": (d.RecallAtK(40), 80, 0.1, 2.5, 3.2, 0.9),
    "30 positives": (d.AtK(5), 30, 0.1, 1.3, 1.3, 0.7),
    "k 100": (d.AtK(100), 150, 0.1, 1.5, 2.0, 0.8),
    "P, unequal": (d.PrecisionAtK(10), 50, 0.05, 1.3, 1.8, 0.7),
    "strong, unequal": (d.AtK(20), 60, 0.1, 2.0, 3.0, 0.95),
    "new: R, equal": (d.RecallAtK(100), 60, 0.05, 1.0, 1.0, 0.5),
    "new: at a recall": (d.PrecisionAtRecall(0.8), 100, 0.2, 1.5, 1.5, 0.5),
}
MANY = {  # positives, and models
    "3 equal": (100, p.alike_in_noise([1.3] * 3, 0.9)),
    "10 equal": (100, p.alike_in_noise([1.3] * 10, 0.9)),
    "10 equal of 20": (20, p.alike_in_noise([1.3] * 10, 0.9)),
    "10 nearly same": (200, p.alike_in_noise([1.3] * 10, 0.998)),
    "two of 3 better": (100, p.alike_in_noise([1.3, 1.6, 1.6], 0.9)),
    "five of 10 better": (100, p.alike_in_noise([1.3] * 5 + [1.6] * 5, 0.9)),
    "one of 10 better": (200, p.alike_in_noise([1.3] * 9 + [1.7], 0.5)),
    "9 of 10 better": (100, p.alike_in_noise([1.3] + [1.5] * 9, 0.9)),
    "25 equal": (80, p.alike_in_noise([1.3] * 25, 0.7)),
    "one of 4 worse": (60, p.alike_in_noise([1.3] * 3 + [0.8], 0.8)),
    "20 spread": (100, p.alike_in_noise([*np.linspace(0.8, 1.5, 20)], 0.5)),
    "5 strong": (150, p.alike_in_noise([3.0] * 5, 0.5)),
    "new: two of 4 best": (90, p.alike_in_noise([1.0, 1.2, 1.6, 1.6], 0.6)),
    "10, three alarms each": (60, p.equal_models(p.far(3 / 540, 0, 9.0), 10)),
    "3, two alarms each": (20, p.equal_models(p.far(2 / 180, 0, 9.0), 3)),
}
MARGINS = {  # positives, prevalence, a model that is worse, and one that is not
    "normal": (300, 0.1, *(p.alike_in_noise((1.6, b), 0.7) for b in (1.45, 1.6))),
    "rare": (1000, 0.02, *(p.alike_in_noise((2.0, b), 0.7) for b in (1.9, 2.0))),
    "strong": (200, 0.3, *(p.alike_in_noise((3.6, b), 0.7) for b in (2.8, 3.6))),
    "half positive": (300, 0.5, *(p.alike_in_noise((1.2, b), 0.7) for b in (1.05, 1.2))),
    "B loses 5%": (300, 0.1, *(p.changed(GOOD, p.loses(lost)) for lost in (0.05, 0.0))),
}
ROOMS = numbers(  # positives, alarms that are expected, noise
    "100 1.2 0; 100 1.2 .3; 100 1.5 .3; 100 2 0; 100 2 .3; 100 2.8 0; 100 2.8 .3; 100 4 .3; "
    "300 1.5 .3; 300 2 0; 300 2 .3; 300 2.8 0; 300 2.8 .3; 200 2.4 .15"
)
FAILING = numbers("25 1.2; 25 2; 25 2.8; 60 1.2; 60 2; 60 2.8; 60 4; 40 2.4")  # queries


def of_rows():
    settings = [(kind, name, *of, {}) for kind, part in ROWS.items() for name, of in part.items()]
    for name, (n, prevalence, shifts, weights) in WEIGHTED.items():
        models = p.alike_in_noise(shifts, 0.5)
        settings.append(("weights", name, n, prevalence, models, {"weights": weights}))
    for kind, text in PREVALENCES.items():
        for n, prevalence, other, *shifts in numbers(text):
            name = f"{n:g} of {prevalence:g} at {other:g}, {shifts}"
            models = p.alike_in_noise(shifts, 0.5)
            settings.append((kind, name, n, prevalence, models, {"other": other}))
    settings += [("many", name, n, 0.1, models, {}) for name, (n, models) in MANY.items()]
    for kind, name, n, prevalence, models, more in settings:
        how = {"n": n, "prevalence": prevalence, "models": models}
        at = 1 / 11 if name == "negatives 10" else more.get("other", prevalence)
        draw, truths = (
            partial(p.models_of_rows, **how, **more),
            partial(p.truths_of_rows, at, models),
        )
        yield Cell(kind, name, draw, truths, share=HALF if kind == "many" else 1.0)
    for name, (definition, n, prevalence, *shifts, r) in AT_K.items():
        models = p.alike_in_noise(shifts, r)
        draw = partial(p.models_of_rows, n=n, prevalence=prevalence, models=models)
        yield Cell("at k", f"{definition!r}, {name}", draw, None, definition, HALF)
    for names in (("logistic", "Bayes"), ("Bayes", "tree")):
        draw = partial(p.folds_of_models, n=50, prevalence=0.2, names=names)
        yield Cell("folds", " and ".join(names), draw, share=HALF)


def of_units():
    for of, settings in ((p.models_in_clusters, CLUSTERS), (p.models_of_queries, QUERIES)):
        for kind, name, how in settings:
            equal = () if {"top", "failing"} & {*how} else how.get("shifts", (1.2, 1.2))
            truths = partial(p.truths_of_many, of, equal=equal, **how | {"n": 20_000})
            yield Cell(kind, name, partial(of, **how), truths, share=HALF if kind == "many" else 1)
    for kind, text in COLUMNS.items():
        for n_columns, n, prevalence, a, b, shared in numbers(text):
            how = {"prevalences": np.full(int(n_columns), prevalence), "shifts": (a, b)}
            name = f"{n_columns:g} of {n:g} of {prevalence:g}, {a:g} and {b:g}, shared {shared:g}"
            yield of_columns(kind, name, n / prevalence, how | {"shared": shared})
    five = {"prevalences": np.full(8, 0.1), "shifts": [1.3] * 5}
    yield of_columns("many", "5 over 8 columns", 240, five)
    for name, (n, prevalences, shifts, how) in MORE_COLUMNS.items():
        draw = partial(p.models_of_columns, prevalences=prevalences, shifts=shifts, **how)
        truths = partial(p.truths_of_many, draw, n_rows=100_000)
        yield Cell("columns", name, partial(draw, n_rows=n), truths, share=HALF)
    for n, n_classes, fewest, most, a, b, levels in IMAGES:
        rates = np.geomspace(fewest, most, int(n_classes)) / n
        definition = d.Interpolated(101) if levels else d.Step()
        draw = partial(p.models_of_images, rates=rates, shifts=(a, b))
        truths = partial(p.truths_of_many, draw, definition, (a, b), n_images=20_000)
        name = f"{n:g} images, {n_classes:g} of {fewest:g} to {most:g}, {a:g} and {b:g}"
        name, draw = f"{name}, {definition!r}", partial(draw, n_images=int(n))
        yield Cell("detectors", name, draw, truths, definition, HALF)
    for skills in ((1.2, 1.2), (1.0, 1.5)):
        draw, definition = partial(p.detectors, skills=skills), d.Interpolated(101)
        truths = partial(p.truths_of_many, draw, definition, skills, n_images=8_000)
        yield Cell("detectors", f"ten overlaps, {skills}", draw, truths, definition, HALF / 2)


def of_columns(kind, name, n_rows, how):
    models = p.alike_in_noise(how["shifts"], 0)
    truths = partial(p.truths_of_rows, how["prevalences"][0], models)
    return Cell(kind, name, partial(p.models_of_columns, n_rows=n_rows, **how), truths, share=HALF)


def of_margins():
    settings = dict(MARGINS)
    for n, n_alarms, noise in ROOMS:
        shares = n_alarms / (9 * n), 0.0
        models = [p.changed(GOOD, p.noisy(noise), p.alarms(share)) for share in shares]
        settings[f"{n_alarms:g} alarms, {n:g} positives, noise {noise:g}"] = (n, 0.1, *models)
    for name, (n, prevalence, *models) in settings.items():
        draw = partial(p.models_of_rows, n=n, prevalence=prevalence)
        worse, equal = (partial(draw, models=each) for each in models)
        truths = partial(p.truths_of_rows, prevalence, models[0])
        yield Cell("margins", name, worse, truths, equal=equal)
    for n, n_failing in FAILING:
        draw = partial(p.models_of_queries, correlation=0.9)
        truths = partial(p.truths_of_many, draw, failing=n_failing / n, n=40_000)
        worse = partial(draw, failing=n_failing / n, n=int(n))
        name = f"{n:g} queries, B fails in {n_failing:g}"
        yield Cell("margins of queries", name, worse, truths, equal=partial(draw, n=int(n)))


def compare(definition, y, s, options, margin=None):
    """Return differences, limits at all levels and p-values; and of the margin, or of the best."""
    folds = options.pop("folds", None)
    requests = [Request(y_true=y, y_score=each, **options) for each in s]
    joint = joint_of_requests(definition, requests, are_folds=folds is not None)
    made = differences(joint)
    facts = {"estimates": made.estimate, "p": made.pvalues}
    facts["limits"] = np.array([made.limits(level) for level in LEVELS])
    if margin is not None:
        facts["not worse"] = made.margin_low(1 - ERROR)[0] > -margin
    elif len(s) > 2:
        best = best_of(joint, 1 - ERROR)
        facts |= {"set": best.may_be_best, "winner": best.winner, "low": best.low}
    return facts


def run(cell, n_samples):
    """Return the figures of a cell, in percent."""
    warnings.simplefilter("ignore")
    seed, found, truths = zlib.crc32((cell.kind + cell.name).encode()), [], []
    true = None if cell.truth is None else cell.truth()
    margin = None if cell.equal is None else true[0] - true[1]
    for i in range(n_samples):
        rng = np.random.default_rng((seed, SEED, i))
        y, s, options = cell.draw(rng)
        truths.append(options.pop("truths", true))
        found.append(compare(cell.definition, y, s, options, margin))
        if cell.equal is not None:
            found[-1]["shown"] = compare(cell.definition, *cell.equal(rng), margin)["not worse"]
    made = {name: np.array([each[name] for each in found]) for name in found[0]}
    if truths[0] is None:
        is_equal = np.ptp(cell.draw.keywords["models"].keywords["shifts"]) == 0
        truths = [(0.0, 0.0 if is_equal else np.mean(made["estimates"]))] * n_samples
    return {"kind": cell.kind, "name": cell.name, "n": n_samples} | figures(made, np.array(truths))


def figures(made, truths):
    wanted = truths[:, 1:] - truths[:, :1]
    low, high = made["limits"][:, :, 0], made["limits"][:, :, 1]
    holds = (low - 1e-9 <= wanted[:, None]) & (wanted[:, None] <= high + 1e-9)
    sd = max(np.std(made["estimates"] - wanted, axis=0)[0], 1e-12)
    needed = 2 * norm.ppf((1 + np.array(LEVELS)) / 2) * sd
    is_null, says = np.abs(wanted) < 1e-9, made["p"] <= ERROR
    facts = {"covers": [*100 * holds.all(axis=2).mean(axis=0)]}
    facts["width"] = [*np.median(high - low, axis=0)[:, 0] / needed]
    facts["false"] = 100 * (says & is_null).any(axis=1).mean() if is_null.any() else np.nan
    facts["power"] = 100 * says[~is_null].mean() if (~is_null).any() else np.nan
    if "shown" in made:
        facts |= {"error": 100 * made["not worse"].mean(), "shown": 100 * made["shown"].mean()}
    if "set" in made:
        is_best = truths == truths.max(axis=1, keepdims=True)
        of_winner = np.take_along_axis(truths, made["winner"][:, None], axis=1)[:, 0]
        facts["set"] = 100 * made["set"][is_best].mean()
        facts["low"] = 100 * (made["low"] <= of_winner).mean()
    return facts


FIGURES = {"false": np.nanmax, "power": np.nanmean, "set": np.min, "low": np.min}
FIGURES |= {"error": np.max, "shown": np.mean}


def line_of(cells):
    parts = [coverage_of_intervals.line_of(cells)]
    for name, figure in FIGURES.items():
        values = [cell.get(name, np.nan) for cell in cells]
        parts.append("-" if np.isnan(values).all() else f"{figure(values):.1f}")
    return " | ".join(parts)


if __name__ == "__main__":
    heads = *coverage_of_intervals.HEADS, *FIGURES
    main((of_rows, of_units, of_margins), run, heads, line_of, __doc__)
