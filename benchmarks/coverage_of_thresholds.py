"""Does a chosen threshold have what was asked for, and do its limits hold?

    python benchmarks/coverage_of_thresholds.py

writes the table "thresholds" of docs/evidence: the largest and the median share of samples in which
a guarantee is wrong, the median share of the attainable recall that it loses, the median share in
which a threshold without a guarantee is wrong, and the lowest and the median coverage of limits. A
missing threshold is not wrong.
"""

import math
import re
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import simulation
from scipy.stats import norm
from simulation import Table, column, generators, main, number

import sklearn_ap

SEED, LEVEL, NEAR = 20261201, 0.95, 1e-9
SHIFT_OF_PATIENTS = 3.0
SHARES = "precision", "recall", "specificity", "selected"


class Population(NamedTuple):
    """Scores of some labels, and the shares of positives and negatives at or above a threshold."""

    kind: str
    prevalence: float
    draw: object
    shares: object
    grid: np.ndarray  # thresholds among which the attainable recall is sought

    def truth(self, threshold):
        """Precision, recall, specificity and share of selected rows in the whole population."""
        recall, false = self.shares(threshold)
        selected = self.prevalence * recall + (1 - self.prevalence) * false
        precision = self.prevalence * recall / np.maximum(selected, 1e-300)
        return dict(zip(SHARES, (precision, recall, 1 - false, selected), strict=True))

    def attainable(self, precision):
        """The highest recall of a threshold that has the precision."""
        truth = self.truth(self.grid)
        return float(truth["recall"][truth["precision"] >= precision].max(initial=0.0))


def shift_of(recall, prevalence, precision):
    """How far normal scores of both classes are apart if a threshold has both shares."""
    # A recall r stands at shift + isf(r), and there the precision is to be the one asked for.
    false = prevalence * recall * (1 - precision) / (precision * (1 - prevalence))
    return norm.isf(false) - norm.isf(recall)


def normal(kind, recall, prevalence, precision, width=None):
    """Normal scores whose best threshold has a recall, perhaps rounded down to steps."""
    shift = shift_of(recall, prevalence, precision)

    def draw(rng, y):
        scores = rng.normal(size=y.size) + shift * y
        return scores if width is None else np.floor(scores / width) * width

    def shares(threshold):
        # A threshold between two steps is that of the higher one.
        cut = threshold if width is None else np.ceil(threshold / width - NEAR) * width
        return norm.sf(cut - shift), norm.sf(cut)

    grid = np.arange(-5, 10, 0.0005) if width is None else np.arange(-20, 40) * width
    return Population(kind, prevalence, draw, shares, grid)


def in_bands(kind, bands, prevalence):
    """Scores in bands, which stand from the top down; within one, labels are at random."""
    positives, precision = np.array(bands).T
    negatives = positives * (1 - precision) / precision * prevalence / (1 - prevalence)
    highest = np.arange(positives.size + 1, 0, -1)  # the rest is a last band
    positives, negatives = (np.append(each, 1 - each.sum()) for each in (positives, negatives))

    def draw(rng, y):
        place = rng.random(y.size)
        found = [np.cumsum(each).searchsorted(place) for each in (negatives, positives)]
        band = np.minimum(np.where(y == 1, found[1], found[0]), highest[0] - 1)  # for rounding
        return highest[band] - rng.random(y.size)

    def shares(threshold):
        above = np.clip(highest - np.asarray(threshold)[..., np.newaxis], 0, 1)
        return above @ positives, above @ negatives

    return Population(kind, prevalence, draw, shares, np.linspace(0, highest[0], 4001)[:-1])


@dataclass
class Cell(simulation.Cell):
    """A population, the positives of a sample, and what is asked for."""

    population: Population
    n: int
    goal: dict
    guarantee: float | None = 0.9
    sample_prevalence: float | None = None  # of the population without it
    sample: object = None  # how labels, scores and options are drawn, if they are not rows


def draw_rows(rng, cell):
    prevalence = cell.population.prevalence
    share = cell.sample_prevalence or prevalence
    y = (rng.random(round(cell.n / share)) < share) * 1
    other = {"prevalence": prevalence} if cell.sample_prevalence else {}
    return y, cell.population.draw(rng, y), other


def draw_clusters(rng, cell, shift, size=5.0):
    """Rows of clusters, with normal effects on scores, and shares of positives of their own."""
    prevalence = cell.population.prevalence
    n_clusters = round(cell.n / prevalence / size)
    clusters = np.repeat(np.arange(n_clusters), rng.geometric(1 / size, n_clusters))
    share = rng.beta(3 * prevalence, 3 * (1 - prevalence), n_clusters)
    y = (rng.random(clusters.size) < share[clusters]) * 1
    noise = np.sqrt(0.5) * (rng.normal(size=n_clusters)[clusters] + rng.normal(size=y.size))
    return y, noise + shift * y, {"clusters": clusters}


def draw_weights(rng, cell, rest=0.1):
    """High scores are all labelled, and others with this probability."""
    y, s, _ = draw_rows(rng, cell)
    probability = np.where(s > np.quantile(s, 1 - cell.population.prevalence), 1.0, rest)
    is_labelled = rng.random(y.size) < probability
    return y[is_labelled], s[is_labelled], {"sample_weight": 1 / probability[is_labelled]}


def of_patients_with(images, harder):
    """Normal scores of patients with 1 to so many images, lower for those with many."""
    sizes = np.arange(1, images + 1)
    lower = harder * (sizes - sizes.mean()) / sizes.std()

    def shares(threshold):
        over = np.asarray(threshold)[..., np.newaxis] + lower - SHIFT_OF_PATIENTS
        return norm.sf(over) @ sizes / sizes.sum(), norm.sf(np.asarray(threshold))

    return Population("patients", 0.5, None, shares, np.arange(-5, 10, 0.01))


def draw_patients(rng, cell, images, harder, alike, names_patients):
    """As many ill patients as healthy ones. Images of a patient share a part of the variance."""
    sizes = rng.integers(1, images + 1, 2 * cell.n)
    patient = np.repeat(np.arange(sizes.size), sizes)
    y = (patient < cell.n) * 1
    own, shared = np.sqrt([1 - alike, alike])
    s = shared * rng.normal(size=sizes.size)[patient] + own * rng.normal(size=y.size)
    spread = np.arange(1, images + 1).std()
    s += y * (SHIFT_OF_PATIENTS - harder * (sizes - (images + 1) / 2)[patient] / spread)
    return y, s, {"clusters": patient} if names_patients else {}


# ---- cells


def populations(prevalence, precision=0.9):
    """Populations in which a threshold of the precision has most, some or none of the recall."""
    for recall in (0.7, 0.4):
        yield normal(f"smooth, {recall:.0%}", recall, prevalence, precision)
        yield normal(f"tied, about {recall:.0%}", recall, prevalence, precision, 0.25)
    yield normal("few distinct scores, about 70%", 0.7, prevalence, precision, 0.8)
    below, above = precision - 0.005, (1 + 2 * precision) / 3
    at_once = 0.001 / (0.101 / below - 0.1)  # the precision of rows that end a perfect top
    for kind, bands in {  # the share of the positives in each band, and its precision
        "all just too bad, 0%": [(0.5, below)],
        "good top, then just too bad, 10%": [(0.1, 1), (0.001, at_once), (0.4, below)],
        "weak top, 70%": [(0.05, precision - 0.1), (0.65, above)],
    }.items():
        yield in_bands(kind, bands, prevalence)


def cell(kind, population, n, goal, guarantee=0.9, **how):
    share = how.get("sample_prevalence", population.prevalence)
    asked = ", ".join(f"{name} {value:g}" for name, value in goal.items())
    name = f"{population.kind}, {n} of {share:.3g}, {asked}, {guarantee:g}"
    return Cell(kind, name, population, n, goal, None if "sample" in how else guarantee, **how)


def of_guarantees():
    precise = {"precision": 0.9}
    for prevalence, n in product((0.5, 0.1, 0.01), (60, 250, 1200)):
        share = 0.25 if n / prevalence > 50_000 else 1.0
        for population in populations(prevalence):
            yield cell("precision", population, n, precise, share=share)
    for (other, share), n in product(((0.5, 0.1), (0.1, 0.5), (0.01, 0.1)), (120, 600)):
        for population in populations(other):
            kind = "precision, another prevalence"
            yield cell(kind, population, n, precise, sample_prevalence=share)
    for (precision, sure), n in product(((0.5, 0.8), (0.75, 0.95)), (80, 400)):
        for population in populations(0.05, precision):
            goal = {"precision": precision}
            yield cell(f"precision of {precision:.0%}, at {sure:.0%}", population, n, goal, sure)
    for (recall, sure), n in product(((0.8, 0.9), (0.5, 0.95)), (40, 150, 600)):
        for population in populations(0.1):
            kind = f"recall of {recall:.0%}, at {sure:.0%}"
            yield cell(kind, population, n, {"recall": recall}, sure)


OVER_PATIENTS = "recall of 90%, at 95%, over patients"
WITHOUT_PATIENTS = "the same rows, without their patients"


def of_patients():
    alike_and_harder = [*product((0, 0.3, 0.6, 0.9, 1), (0,)), *product((0.6, 0.9, 1), (0.5,))]
    kinds, sizes = (OVER_PATIENTS, WITHOUT_PATIENTS), (40, 100, 300)
    for kind, images, n, (alike, harder) in product(kinds, (4, 12), sizes, alike_and_harder):
        name = f"{n} patients, 1 to {images} images, {alike:g} alike, harder by {harder:g}"
        how = {"images": images, "harder": harder, "alike": alike}
        draw = partial(draw_patients, **how, names_patients=kind == OVER_PATIENTS)
        population = of_patients_with(images, harder)
        yield Cell(kind, name, population, n, {"recall": 0.9}, 0.95, sample=draw)


def in_clusters(recall, prevalence):
    """How clusters are drawn whose best threshold of a precision of 90% has the recall."""
    return partial(draw_clusters, shift=shift_of(recall, prevalence, 0.9))


def of_limits():
    settings = product((0.3, 0.05), (60, 250), (0.7, 0.4), (0.3, 0.8))
    for prevalence, n, attainable, recall in settings:
        population = normal(f"smooth, {attainable:.0%}", attainable, prevalence, 0.9)
        draw, goal = in_clusters(attainable, prevalence), {"recall": recall}
        yield cell("clusters", population, n, goal, sample=draw)
        yield cell("weights", population, n, goal, sample=draw_weights)


RATES = {0.3: 0.524, 0.05: 1.645, 0.005: 2.576}  # of false positives, and their thresholds


def of_given_thresholds():
    for (prevalence, precision), n in product(
        ((0.5, 0.6), (0.1, 0.5), (0.01, 0.3)), (20, 100, 400)
    ):
        population = normal("smooth", 0.5, prevalence, precision)
        for rate, threshold in RATES.items():
            name = f"false positive rate {rate:g}, {n} of {prevalence:g}"
            yield Cell("given", name, population, n, {"threshold": threshold}, None)
    for (prevalence, recall), n in product(((0.3, 0.7), (0.05, 0.4)), (60, 250)):
        population = normal("smooth", recall, prevalence, 0.9)
        for rate, threshold in RATES.items():
            name = f"false positive rate {rate:g}, {n} of {prevalence:g}"
            draw, goal = in_clusters(recall, prevalence), {"threshold": threshold}
            yield Cell("given, clusters", name, population, n, goal, None, sample=draw)


def cells():
    for part in (of_guarantees, of_patients, of_limits, of_given_thresholds):
        yield from part()


# ---- what is asked of each


def thresholds(y, s, options, guarantee):
    """Return the threshold with a guarantee, that without, and whether it is unattainable."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        by_hand = sklearn_ap.operating_point(y, s, **options)
    warned = any(re.search("unattainable", str(each.message)) for each in caught)
    sure = (
        sklearn_ap.operating_point(y, s, **options, guarantee=guarantee) if guarantee else by_hand
    )
    return sure, by_hand, warned


def judge(rng, cell):
    """Whether both thresholds hold, the share of recall that is lost, and which limits hold.

    Limits of a threshold by hand count unless there is a warning.
    """
    y, s, options = (cell.sample or draw_rows)(rng, cell)
    asked = cell.goal | options | {"confidence_level": LEVEL}
    sure, by_hand, warned = thresholds(y, s, asked, cell.guarantee)
    precision = cell.goal.get("precision", 0.0)
    best = cell.population.attainable(precision) if cell.guarantee else 0.0
    truth = cell.population.truth(sure.threshold)
    reached = 0.0 if math.isnan(sure.threshold) else min(float(truth["recall"]), best)
    lost = 1 - reached / best if best else math.nan
    points = [sure, *([] if warned else [by_hand])]
    covers = [limits_hold(cell, point) for point in points if not math.isnan(point.threshold)]
    numbers = np.mean(covers, axis=0) if covers else [math.nan] * len(SHARES)
    return [is_true(cell, sure), is_true(cell, by_hand), lost, *numbers]


def limits_hold(cell, point):
    """Whether limits hold, or nan for those of no rows."""
    truth = cell.population.truth(point.threshold)
    shares = {name: getattr(point, name) for name in SHARES}
    return [
        math.nan if math.isnan(share.low) else share.low <= truth[name] <= share.high
        for name, share in shares.items()
    ]


def is_true(cell, point):
    truth = cell.population.truth(point.threshold)
    holds = all(truth.get(name, math.inf) >= share - NEAR for name, share in cell.goal.items())
    return holds or math.isnan(point.threshold)


def ask(cell, n_samples):
    """Return how often guarantees and limits hold, in percent."""
    warnings.simplefilter("ignore")
    rngs = generators(n_samples, f"{cell.kind}: {cell.name}", SEED)
    found = np.array([judge(rng, cell) for rng in rngs], float)
    holds, by_hand, lost, *covers = (100 * np.nanmean(found, axis=0)).tolist()
    if np.isnan(found[:, -1]).mean() > 0.75:  # too few have a threshold
        covers = [math.nan] * len(SHARES)
    holds = holds if cell.guarantee else math.nan
    facts = {"guarantee": holds, "by hand": by_hand, "lost": lost, "covers": min(covers)}
    return {"kind": cell.kind, "name": cell.name, "order": holds, **facts}


def wrong(summed):
    return lambda values: 100 - summed(values)


def by_hand(cells):
    has_none = np.isnan(column(cells, "guarantee")).all()
    return "" if has_none else f"{100 - np.median(column(cells, 'by hand')):.0f}"


COLUMNS = {
    "guarantee wrong: most / median": number(
        "{:.1f}", "guarantee", wrong(np.min), wrong(np.median)
    ),
    "recall lost": number("{:.0f}", "lost", np.median),
    "wrong without a guarantee": by_hand,
    "limits: lowest / median": number("{:.1f}", "covers", np.min, np.median),
}

ROWS_OF_TABLE = {
    "precision of 90%, guarantee of 90%": ["precision"],
    "the same at another prevalence": ["precision, another prevalence"],
    "precision of 50%, guarantee of 80%": ["precision of 50%, at 80%"],
    "precision of 75%, guarantee of 95%": ["precision of 75%, at 95%"],
    "recall of 80%, guarantee of 90%": ["recall of 80%, at 90%"],
    "recall of 50%, guarantee of 95%": ["recall of 50%, at 95%"],
    "recall of 90%, guarantee of 95%, over patients": [OVER_PATIENTS],
    WITHOUT_PATIENTS: [WITHOUT_PATIENTS],
    "limits over clusters": ["clusters"],
    "limits with weights": ["weights"],
    "limits of a given threshold": ["given"],
    "limits of a given threshold, over clusters": ["given, clusters"],
}
TABLES = {"thresholds": Table("settings", ROWS_OF_TABLE, COLUMNS)}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=400, again=2000)
