"""Do limits from the labels of some rows hold, with and without a judge of all rows?

    python benchmarks/coverage_of_few_labels.py

writes the table "few-labels" of docs/evidence: the lowest and the median coverage of limits at 95%,
their width, and how often equal models have p <= 0.05 in the worst cell. Of the best of four equal
models, the limit is that of the winner's score. Rows come in a random order, and weights in a
random unit.
"""

import math
import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
import populations as p
from scipy import special
from simulation import column, generators, lowest_and_median, main, number, tallied

import sklearn_ap

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


def drawn(rng, sample, way="random", judge=None, options=None):
    """Labels, scores of models, and options, with rows in a random order."""
    given = dict(options or {})
    y, models, groups, unit = sample.draw(rng, sample.n_rows)
    seen, q = chances(rng, way, sample, models, unit)
    given |= groups | {"inclusion_probability": q}
    if judge is not None:
        given["judge"] = JUDGES[judge](rng, y, models[0])
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
    sample, given = Sample(**cell.sample), {**vars(cell)}
    how = {name: given[name] for name in ("way", "judge", "options") if name in given}
    rngs = generators(n_samples, cell.kind + cell.name, SEED)
    found = np.array([limits(*drawn(rng, sample, **how)) for rng in rngs], dtype=float)
    *numbers, pvalue = found[np.isfinite(found[:, 1])].T  # others have no positive
    facts = tallied(*numbers, sample.truth(how.get("options", {})))
    is_equal = len(sample.shifts) > 1 and sample.better == 0
    facts["differ"] = 100 * np.mean(pvalue <= ALPHA) if is_equal else math.nan
    return {"kind": cell.kind, "name": cell.name, "order": facts["covers"], **facts}


COLUMNS = {
    "95%": lambda cells: lowest_and_median(column(cells, "covers")),
    "width": lambda cells: f"{np.median(column(cells, 'width')):.2f}",
    "p ≤ .05 if equal": number("{:.1f}", "differ", np.max),
}

TABLES = {"few-labels": COLUMNS}

if __name__ == "__main__":
    main("few_labels", ask, TABLES, __doc__, samples=100, again=300)
