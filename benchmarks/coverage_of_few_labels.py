"""Do limits from the labels of some rows hold, with and without a judge of all rows?

    python benchmarks/coverage_of_few_labels.py

writes the table "few-labels" of docs/evidence: the lowest and the median coverage of limits at 95%,
their width, and how often equal models have p <= 0.05 in the worst cell. Of the best of four equal
models, the limit is that of the winner's score. Rows come in a random order, and weights in a
random unit.
"""

import math
import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np
import populations as p
import simulation
from scipy import special
from simulation import Table, column, generators, lowest_and_median, main, number, tallied

import sklearn_ap
from sklearn_ap.definitions import Interpolated, Linear

SEED, ALPHA = 20261129, 0.05


@dataclass(frozen=True)
class Sample:
    """Rows with normal scores of a model, or of others beside it that may be better."""

    n_rows: int
    n_labels: int
    positive: float
    shift: float
    unit: str = "row"
    size: int = 1  # rows of a unit
    better: float = 0.0
    n_models: int = 1
    alarms: float = 0.0  # the share of negatives that stand above all positives
    unlike: tuple = ()  # how the second of two equal models errs, and in how many rows

    @property
    def shifts(self):
        """How far each model puts the classes apart."""
        return self.shift, *[self.shift + self.better] * (self.n_models - 1)

    def draw(self, rng, n_rows):
        """Labels, scores, options and units of so many rows."""
        unit = np.arange(n_rows) // self.size
        if self.unlike:
            y, models, _ = p.unlike(rng, n_rows * self.positive, self.positive, *self.unlike)
            return y == 1, models, {}, unit
        y = rng.random(n_rows) < self.positive
        common, own = rng.normal(size=n_rows), rng.normal(size=(self.n_models, n_rows))
        if self.unit == "query":
            y[:: self.size] = True
            common += 0.5 * rng.normal(size=unit[-1] + 1)[unit] * y  # queries are easy or hard
        if self.unit == "cluster":
            ill = rng.beta(self.positive * 3, (1 - self.positive) * 3, unit[-1] + 1)
            y = rng.random(n_rows) < ill[unit]
            common += 0.6 * rng.normal(size=unit[-1] + 1)[unit]
        models = np.multiply.outer(self.shifts, y) + math.sqrt(0.8) * common + math.sqrt(0.2) * own
        if self.alarms:
            models += 20 * (~y & (rng.random(n_rows) < self.alarms))
        groups = {"cluster": {"clusters": unit}, "query": {"queries": unit, "zero_division": 0.0}}
        return y, models, groups.get(self.unit, {}), unit

    def truth(self, options):
        """The score of the population, or by how much the second of two models is better."""
        if self.unit != "row":
            rng = np.random.default_rng((SEED, 1))
            y, models, groups, _ = self.draw(rng, 100_000 * self.size)
            return p.score(y, models if len(models) > 1 else models[0], **groups)
        prevalence = options.get("prevalence", self.positive)
        if self.unlike:
            return 0.0
        if self.alarms:
            return p.truth_of_scores(prevalence, p.far(self.alarms, 0, self.shift))
        scores = [p.binormal(shift, prevalence) for shift in self.shifts]
        return scores[1] - scores[0] if self.n_models == 2 else scores[0]


def chances(rng, way, sample, models, unit):
    """Which rows have labels, and what is said of their probabilities."""
    n, n_units, scores = sample.n_labels, unit[-1] + 1, models.mean(axis=0)
    if way == "random":
        drawn = rng.permutation(n_units)[: n // sample.size]
        return np.isin(unit, drawn), "equal"
    if way == "chosen":
        plan = sklearn_ap.rows_to_label(scores, n, guess=sample.positive, rng=rng)
        return np.isin(unit, plan.rows), plan.inclusion_probability
    if way == "strata":  # three quarters of the clusters are of the half with high scores
        highest = np.bincount(unit, scores) / np.bincount(unit)
        q = np.where(highest > np.median(highest), 1.5, 0.5) * (n / sample.size) / n_units
        return (rng.random(n_units) < q)[unit], q[unit]
    place = np.argsort(np.argsort(-scores))
    if way == "bands":  # a third of the labels each in the first 1%, the next 9%, and the rest
        bands = [place < 0.01 * scores.size, place < 0.1 * scores.size, place < scores.size]
        q = np.minimum(np.select(bands, n / 3 / scores.size / np.array([0.01, 0.09, 0.9])), 1.0)
    else:  # all alarms, which are such a part of the labels
        n_alarms = round(float(way) * n)
        q = np.where(place < n_alarms, 1.0, (n - n_alarms) / (scores.size - n_alarms))
    return rng.random(scores.size) < q, q


def labels(rng, y, _, sensitivity, specificity):
    return np.where(rng.random(y.size) < np.where(y, sensitivity, specificity), y, ~y) * 1.0


def probabilities(rng, y, s, factor, model=0.0):
    """Log odds times a factor, in part of the noise of the model."""
    seen = 2.5 * y + (1 - model) * rng.normal(size=y.size) + model * (s - s.mean())
    return special.expit(factor * (2.5 * seen - 2.5**2 / 2 + special.logit(y.mean())))


JUDGES = {
    "good": partial(labels, sensitivity=0.92, specificity=0.985),
    "weak": partial(labels, sensitivity=0.75, specificity=0.9),
    "random": partial(labels, sensitivity=0.5, specificity=0.5),
    "too sure": partial(probabilities, factor=2.0),
    "too cautious": partial(probabilities, factor=0.4),
    "errs as the model": partial(probabilities, factor=1.5, model=0.6),
}


@dataclass
class Cell(simulation.Cell):
    """A sample, the way in which its labels are chosen, a judge, and options of the call."""

    sample: Sample
    way: str = "random"
    judge: str | None = None
    options: dict = field(default_factory=dict)


# ---- cells

SAMPLES = {  # with two judges
    "500 of 50,000, 0.5%": (Sample(50_000, 500, 0.005, 2.5), "good", "too sure"),
    "500 of 20,000, 0.5%, strong": (Sample(20_000, 500, 0.005, 3.4), "weak", "good"),
    "400 of 40,000, 0.5%": (Sample(40_000, 400, 0.005, 2.2), "good", "random"),
    "1,000 of 50,000, 0.2%": (Sample(50_000, 1_000, 0.002, 2.8), "good", "too cautious"),
    "500 of 10,000, 5%": (Sample(10_000, 500, 0.05, 1.6), "good", "random"),
    "250 of 5,000, 10%": (Sample(5_000, 250, 0.1, 2.1), "too sure", "errs as the model"),
    "120 of 3,000, 20%": (Sample(3_000, 120, 0.2, 1.1), "weak", "good"),
    "800 of 8,000, 3%, strong": (Sample(8_000, 800, 0.03, 3.1), "good", "errs as the model"),
    "600 of 6,000, 30%, weak": (Sample(6_000, 600, 0.3, 0.4), "weak", "too cautious"),
    "300 of 20,000, 2%": (Sample(20_000, 300, 0.02, 2.6), "weak", "too sure"),
}
PAIRS = ("500 of 50,000, 0.5%", "500 of 10,000, 5%", "120 of 3,000, 20%", "300 of 20,000, 2%")
RARE_ALARMS = {  # so rare that labels may show none
    "1,000 of 8,000, 20%": Sample(8_000, 1_000, 0.2, 4.0, alarms=0.0019),
    "1,000 of 8,000, 10%": Sample(8_000, 1_000, 0.1, 3.0, alarms=0.002),
    "400 of 3,200, 5%": Sample(3_200, 400, 0.05, 3.0, alarms=0.005),
}
GROUPS = {
    "40 of 500 clusters of 8": Sample(4_000, 320, 0.15, 1.5, "cluster", 8),
    "80 of 1,000 clusters of 5": Sample(5_000, 400, 0.3, 1.0, "cluster", 5),
    "150 of 2,000 clusters of 4": Sample(8_000, 600, 0.08, 2.0, "cluster", 4),
    "25 of 400 queries of 30": Sample(12_000, 750, 0.1, 1.5, "query", 30),
    "60 of 300 queries of 20": Sample(6_000, 1_200, 0.2, 1.0, "query", 20),
}
OPTIONS = {
    "interpolated": {"definition": Interpolated()},
    "at 2%": {"prevalence": 0.02},
    "straight lines": {"definition": Linear()},
    "at 30%": {"prevalence": 0.3},
}


def of_rows():
    for name, (sample, *judges) in SAMPLES.items():
        for way, kind in (("random", "random"), ("chosen", "chosen"), ("bands", "chosen")):
            yield Cell(kind, f"{name}, {way}", sample, way)
            for judge in judges:
                yield Cell(f"{kind}, judge", f"{name}, {way}, {judge} judge", sample, way, judge)
        for way, label in (("0.4", f"{name}, 0.4 are alarms"), ("0.7", f"{name}, 0.7 are alarms")):
            yield Cell("alarms", label, sample, way)
            yield Cell("alarms, judge", f"{label}, {judges[0]} judge", sample, way, judges[0])
    for (name, sample), way in product(RARE_ALARMS.items(), ("random", "chosen", "bands")):
        kind = "rare alarms, random" if way == "random" else "rare alarms, chosen"
        yield Cell(kind, f"{name}, {way}", sample, way)
    nearly_all = Sample(300, 270, 0.2, 2.5, alarms=0.01)
    yield Cell("rare alarms, random", "270 of 300, 20%, random", nearly_all)
    ways, names = {"random": None, "chosen": "good"}, ("500 of 10,000, 5%", "250 of 5,000, 10%")
    for (what, options), way, name in product(OPTIONS.items(), ways, names):
        sample, label = SAMPLES[name][0], f"{name}, {what}, {way}"
        yield Cell("other scores", label, sample, way, ways[way], options)


def of_groups():
    for name, sample in GROUPS.items():
        for judge in (None, "good", "weak"):
            kind = f"{sample.unit}, judge" if judge else sample.unit
            yield Cell(kind, f"{name}, {judge}", sample, judge=judge)
        if sample.unit == "cluster":
            yield Cell("cluster", f"{name}, strata", sample, "strata")


def of_models():
    samples = {name: SAMPLES[name][0] for name in PAIRS}
    for (name, sample), better in product((samples | GROUPS).items(), (0.0, 0.3)):
        two = replace(sample, better=better, n_models=2)
        ways = ("random", "chosen") if sample.unit == "row" else ("random",)
        judges = (None,) if sample.unit == "cluster" else (None, "good", "weak")
        for way, judge in product(ways, judges):
            kind = f"models, {way if sample.unit == 'row' else sample.unit}"
            kind, label = f"{kind}, judge" if judge else kind, f"{name}, {way}, {judge}"
            yield Cell(kind, f"{label}, by {better}", two, way, judge, share=0.75)
    for (name, sample), way in product(samples.items(), ("random", "chosen")):
        four = replace(sample, n_models=4)
        yield Cell("best of four", f"{name}, {way}", four, way, share=0.75)
    for n, way, alarms in (
        (600, "random", 8),
        (600, "random", 13),
        (300, "chosen", 1.2),
        (300, "chosen", 3),
    ):
        sample = Sample(4_000, n, 0.1, 2.0, n_models=2, unlike=("alarms above all", alarms))
        yield Cell("models, unlike", f"{n} of 4,000, {way}, {alarms:g} alarms", sample, way)


def cells():
    for part in (of_rows, of_groups, of_models):
        yield from part()


# ---- what is asked of each


def drawn(rng, cell):
    """Labels, scores of models, and options, with rows in a random order."""
    sample, given = cell.sample, dict(cell.options)
    y, models, groups, unit = sample.draw(rng, sample.n_rows)
    seen, q = chances(rng, cell.way, sample, models, unit)
    given |= groups | {"inclusion_probability": q}
    if cell.judge is not None:
        given["judge"] = JUDGES[cell.judge](rng, y, models[0])
    given["sample_weight"] = np.full(y.size, 2.0 ** rng.integers(-9, 9))
    order, labels = rng.permutation(y.size), np.where(seen, y, np.nan)
    given = {key: each[order] if np.ndim(each) else each for key, each in given.items()}
    return labels[order], models[:, order], given


def limits(labels, models, given):
    """Return an estimate, its limits, and the p-value of a comparison."""
    if len(models) == 1:
        found = sklearn_ap.average_precision_interval(labels, models[0], **given)
        return found.estimate, found.low, found.high, math.nan
    named = dict(zip("abcd", models, strict=False))
    given["reference"] = "best" if len(models) > 2 else "a"
    found = sklearn_ap.compare_average_precision(labels, named, **given)
    if len(models) > 2:
        pvalue = np.nan_to_num(found.pvalue[found.names.index("a")], nan=1.0)  # of the winner
        return found.estimate[0], found.low[0], 1.0, pvalue
    ends = found.difference[1], found.difference_low[1], found.difference_high[1]
    return *ends, found.pvalue[1]


def ask(cell, n_samples):
    """Return coverage and width in percent, and how often equal models differ."""
    warnings.simplefilter("ignore")
    sample, rngs = cell.sample, generators(n_samples, cell.kind + cell.name, SEED)
    found = np.array([limits(*drawn(rng, cell)) for rng in rngs], dtype=float)
    *numbers, pvalue = found[np.isfinite(found[:, 1])].T  # others have no positive
    facts = tallied(*numbers, sample.truth(cell.options))
    is_equal = len(sample.shifts) > 1 and sample.better == 0
    facts["differ"] = 100 * np.mean(pvalue <= ALPHA) if is_equal else math.nan
    return {"kind": cell.kind, "name": cell.name, "order": facts["covers"], **facts}


COLUMNS = {
    "95%": lambda cells: lowest_and_median(column(cells, "covers")),
    "width": lambda cells: f"{np.median(column(cells, 'width')):.2f}",
    "p ≤ .05 if equal": number("{:.1f}", "differ", np.max),
}

ROWS_OF_TABLE = {
    "of random rows": ["random"],
    "of random rows, and a judge": ["random, judge"],
    "of random rows that may lack rare false alarms": ["rare alarms, random"],
    "of chosen rows that may lack them": ["rare alarms, chosen"],
    "of chosen rows": ["chosen"],
    "of chosen rows, and a judge": ["chosen, judge"],
    "of alarms, and of some of the rest": ["alarms"],
    "of alarms, and a judge": ["alarms, judge"],
    "of clusters, random or more of high scores": ["cluster"],
    "of clusters, and a judge": ["cluster, judge"],
    "of queries": ["query"],
    "of queries, and a judge": ["query, judge"],
    "other definitions, another prevalence": ["other scores"],
    "two models, random rows": ["models, random"],
    "two models, random rows, a judge": ["models, random, judge"],
    "two models, chosen rows": ["models, chosen"],
    "two models, chosen rows, a judge": ["models, chosen, judge"],
    "two models, clusters": ["models, cluster"],
    "two models, queries": ["models, query"],
    "two models, queries, a judge": ["models, query, judge"],
    "the best of four equal models: the winner's lower limit": ["best of four"],
    "two unlike models, random or chosen rows": ["models, unlike"],
}
TABLES = {"few-labels": Table("labels", ROWS_OF_TABLE, COLUMNS)}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=100, again=300)
