"""How often a chosen threshold truly has what was asked for, and how often its limits hold.

    python benchmarks/coverage_of_thresholds.py --samples 400 --jobs 2 [--only KIND]

prints for each kind of setting, in percent: the largest and the median share of samples in which a
guarantee is wrong, the median share of the attainable recall that it loses, the median share in
which a threshold without a guarantee is wrong, and the lowest and the median coverage of limits.
A missing threshold is not wrong.
"""

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from coverage_of_intervals import main
from scipy.stats import norm
from simulation import heard

from sklearn_ap import operating_point

SEED, LEVEL, NEAR = 20261201, 0.95, 1e-9
SHARES = "precision", "recall", "selected"
PRECISION, WIDTH = 0.9, 0.25  # the width is that of the steps of tied scores


class Population(NamedTuple):
    """Scores of some labels, and the shares of positives and negatives at or above a threshold."""

    kind: str
    prevalence: float
    draw: object
    shares: object
    grid: np.ndarray  # thresholds among which the attainable recall is sought

    def truth(self, threshold):
        """Precision, recall and share of selected rows in the whole population."""
        recall, false = self.shares(threshold)
        selected = self.prevalence * recall + (1 - self.prevalence) * false
        precision = self.prevalence * recall / np.maximum(selected, 1e-300)
        return {"precision": precision, "recall": recall, "selected": selected}

    def attainable(self, precision=PRECISION):
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


def populations(prevalence, precision=PRECISION):
    """All shapes of scores: smooth, tied, and with a precision that does not just fall."""
    for recall in (0.7, 0.4):
        yield normal(f"smooth, {recall:.0%}", recall, prevalence, precision)
        yield normal(f"tied, about {recall:.0%}", recall, prevalence, precision, WIDTH)
    yield normal("few distinct scores, about 70%", 0.7, prevalence, precision, 3.2 * WIDTH)
    below, above = precision - 0.005, (1 + 2 * precision) / 3
    at_once = 0.001 / (0.101 / below - 0.1)  # of the rows that end a perfect top
    for kind, bands in {  # the share of the positives in each band, and its precision
        "all just too bad, 0%": [(0.5, below)],
        "good top, then just too bad, 10%": [(0.1, 1), (0.001, at_once), (0.4, below)],
        "weak top, 70%": [(0.05, precision - 0.1), (0.65, above)],
    }.items():
        yield in_bands(kind, bands, prevalence)


@dataclass
class Cell:
    """A population, how many positives a sample has, and what is asked of it."""

    kind: str
    population: Population
    n: int
    goal: dict
    guarantee: float = 0.9
    share: float = 1.0  # of the samples asked for
    sample_prevalence: float | None = None  # None for that of the population
    sample: object = None  # None draws rows, and else labels, scores and options


def draw_rows(rng, cell):
    share = cell.sample_prevalence or cell.population.prevalence
    y = (rng.random(round(cell.n / share)) < share) * 1
    other = {"prevalence": cell.population.prevalence} if cell.sample_prevalence else {}
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


def judge(rng, cell):
    """Whether both thresholds hold, the share of recall that is lost, and which limits hold.

    Limits of a threshold by hand count unless there is a warning.
    """
    y, s, options = (cell.sample or draw_rows)(rng, cell)
    goal = cell.goal | options | {"confidence_level": LEVEL}
    by_hand, warned = heard("unattainable", operating_point, y, s, **goal)
    sure = by_hand
    if cell.sample is None:
        sure = operating_point(y, s, **goal, guarantee=cell.guarantee)
    best = 0.0 if cell.sample else cell.population.attainable(cell.goal.get("precision", 0.0))
    truth = cell.population.truth(sure.threshold)
    reached = 0.0 if math.isnan(sure.threshold) else min(float(truth["recall"]), best)
    lost = 1 - reached / best if best else math.nan
    points = [sure, *([] if warned else [by_hand])]
    covers = [limits_hold(cell, point) for point in points if not math.isnan(point.threshold)]
    numbers = np.mean(covers, axis=0) if covers else [math.nan] * 3
    return [is_true(cell, sure), is_true(cell, by_hand), lost, *numbers]


def limits_hold(cell, point):
    truth = cell.population.truth(point.threshold)
    limits = (getattr(point, f"{name}_interval") for name in SHARES)
    return [low <= truth[k] <= high for k, (low, high) in zip(SHARES, limits, strict=True)]


def is_true(cell, point):
    truth = cell.population.truth(point.threshold)
    holds = all(truth[name] >= share - NEAR for name, share in cell.goal.items())
    return holds or math.isnan(point.threshold)


def run(cell, n_samples):
    warnings.simplefilter("ignore")
    share = cell.sample_prevalence or cell.population.prevalence
    goal = ", ".join(f"{name} {value:g}" for name, value in cell.goal.items())
    name = f"{cell.population.kind}, {cell.n} of {share:.3g}, {goal}, {cell.guarantee:g}"
    seed = zlib.crc32(f"{cell.kind}: {name}".encode()), SEED
    try:
        found = [judge(np.random.default_rng((*seed, i)), cell) for i in range(n_samples)]
    except TypeError:  # an older state of the package cannot be asked for both
        found = [[math.nan] * 6]
    found = np.array(found, float)
    holds, by_hand, lost, *covers = (100 * np.nanmean(found, axis=0)).tolist()
    if np.isnan(found[:, -1]).mean() > 0.75:  # too few have a threshold
        covers = [math.nan] * 3
    covers = [math.nan if cell.sample else holds, min(covers), by_hand]
    return {"kind": cell.kind, "name": name, "n": n_samples, "width": [lost], "covers": covers}


HEADS = "guarantee wrong: most / median", "recall lost", "wrong by hand", "limits: lowest / median"


def line_of(cells):
    holds, covers, by_hand = np.array([cell["covers"] for cell in cells]).T
    warnings.simplefilter("ignore")  # of kinds that have no guarantee
    lost = np.nanmedian([cell["width"][0] for cell in cells])
    wrong = f"{100 - np.nanmin(holds):.1f} / {100 - np.nanmedian(holds):.1f}"
    numbers = f"{lost:.0f} | {100 - np.nanmedian(by_hand):.0f}"
    return f"{wrong} | {numbers} | {np.nanmin(covers):.1f} / {np.nanmedian(covers):.1f}"


def of_guarantees():
    precise = {"precision": PRECISION}
    for prevalence, n in product((0.5, 0.1, 0.01), (60, 250, 1200)):
        share = 0.25 if n / prevalence > 50_000 else 1.0
        for population in populations(prevalence):
            yield Cell("precision", population, n, precise, share=share)
    for (other, share), n in product(((0.5, 0.1), (0.1, 0.5), (0.01, 0.1)), (120, 600)):
        for population in populations(other):
            kind = "precision, another prevalence"
            yield Cell(kind, population, n, precise, sample_prevalence=share)
    for (precision, sure), n in product(((0.5, 0.8), (0.75, 0.95)), (80, 400)):
        for population in populations(0.05, precision):
            goal = {"precision": precision}
            yield Cell(f"precision of {precision:.0%}, at {sure:.0%}", population, n, goal, sure)
    for (recall, sure), n in product(((0.8, 0.9), (0.5, 0.95)), (40, 150, 600)):
        for population in populations(0.1):
            kind = f"recall of {recall:.0%}, at {sure:.0%}"
            yield Cell(kind, population, n, {"recall": recall}, sure)
    for recall, n in product((0.3, 0.6), (250, 1200)):
        for population in populations(0.1):
            yield Cell("precision and recall", population, n, precise | {"recall": recall})


def of_limits():
    settings = (0.3, 0.05), (60, 250), (0.7, 0.4), (0.3, 0.8)
    for prevalence, n, attainable, recall in product(*settings):
        population = normal(f"smooth, {attainable:.0%}", attainable, prevalence, PRECISION)
        shift = shift_of(attainable, prevalence, PRECISION)
        goal, over_clusters = {"recall": recall}, partial(draw_clusters, shift=shift)
        yield Cell("clusters", population, n, goal, sample=over_clusters)
        yield Cell("weights", population, n, goal, sample=draw_weights)


if __name__ == "__main__":
    main((of_guarantees, of_limits), run, HEADS, line_of, __doc__, place=0)
