"""How often a chosen threshold has, in truth, the precision or the recall that was asked for."""

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from simulation import Cell, heard, main
from tables import Section, below, promise, table_by

from sklearn_ap import operating_point

PRECISION, RECALL, GUARANTEE = 0.9, 0.8, 0.9
# The prevalence asked for, and the sample's.
SHARES = ((0.5, 0.5), (0.1, 0.1), (0.01, 0.01), (0.5, 0.1), (0.1, 0.5), (0.01, 0.1))
# Negatives have heavy tails, so no threshold has the precision; the shift of the positives.
HEAVY_TAILS = {"no threshold has it: best 24%": 1.0, "no threshold has it: best 66%": 3.0}
POSITIVES = (50, 100, 200, 500, 1000, 2000)
WIDTH, FEW = 0.25, 0.8  # of the steps of tied scores, and where they are some eight
JUST_BELOW = PRECISION - 0.005
AT_ONCE = 0.001 / (0.101 / JUST_BELOW - 0.1)  # of the rows that end a perfect top
MANY_ROWS = 20_000  # of larger samples, there are fewer
FAILS = {  # what fails, and below which percentage
    "sure": ("Guaranteed precisions", 90),
    "recall": ("Guaranteed recalls", 80),
    "covers": ("Intervals", 88),
}
SHOWN = 200, 1000
WAYS = {
    "by hand": {"precision": PRECISION},
    "sure": {"precision": PRECISION, "guarantee": GUARANTEE},
    "recall": {"recall": RECALL, "guarantee": GUARANTEE},
}


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

    def attainable(self):
        """The highest recall of a threshold that has the precision."""
        truth = self.truth(self.grid)
        return float(truth["recall"][truth["precision"] >= PRECISION].max(initial=0.0))


def normal(kind, recall, prevalence, width):
    """Normal scores whose best threshold has a recall, perhaps rounded down to steps."""
    # A recall r stands at shift + isf(r); there the precision is to be the one asked for.
    odds = prevalence * recall * (1 - PRECISION) / (PRECISION * (1 - prevalence))
    shift = norm.isf(odds) - norm.isf(recall)

    def draw(rng, y):
        scores = rng.normal(size=y.size) + shift * y
        return scores if width is None else np.floor(scores / width) * width

    grid = np.arange(-5, 10, 0.0005) if width is None else np.arange(-20, 40) * width
    return Population(kind, prevalence, draw, lambda t: (norm.sf(t - shift), norm.sf(t)), grid)


def in_bands(kind, prevalence):
    """Scores in bands, which stand from the top down; within one, labels are at random."""
    positives, precision = np.array(BANDS[kind]).T
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


BANDS = {  # the share of the positives in each band, and its precision
    # The precision is a little too low everywhere; or only below a perfect top.
    "all just too bad, 0%": [(0.5, JUST_BELOW)],
    "good top, then just too bad, 10%": [(0.1, 1), (0.001, AT_ONCE), (0.4, JUST_BELOW)],
    # The rows with the highest scores are less precise than those below.
    "weak top, 70%": [(0.05, 0.8), (0.65, 0.96)],
}


def heavy_tailed(kind, prevalence):
    """Scores of Student's t with 3 degrees of freedom."""
    shift = HEAVY_TAILS[kind]

    def draw(rng, y):
        return rng.standard_t(3, y.size) + shift * y

    def shares(threshold):
        return student.sf(threshold - shift, 3), student.sf(threshold, 3)

    return Population(kind, prevalence, draw, shares, np.arange(-5, 200, 0.005))


def populations(prevalence):
    for recall in (0.7, 0.4):
        yield normal(f"smooth, {recall:.0%}", recall, prevalence, None)
        yield normal(f"tied, about {recall:.0%}", recall, prevalence, WIDTH)
    yield normal("few distinct scores, about 70%", 0.7, prevalence, FEW)
    for kind in BANDS:
        yield in_bands(kind, prevalence)


def sample(rng, _, population, n_positives, share):
    """Whether chosen thresholds hold, the recall of the sure one, and the intervals of all."""
    y = (rng.random(round(n_positives / share)) < share) * 1
    asked = None if share == population.prevalence else population.prevalence
    scores = population.draw(rng, y)
    found = {"": {}, "precision": [], "recall": [], "selected": []}
    for way, goal in WAYS.items():
        point, warned = heard("unattainable", operating_point, y, scores, **goal, prevalence=asked)
        truth, has_none = population.truth(np.array(point.threshold)), bool(point.remark)
        name, share = next(iter(goal.items()))
        found[""][way] = has_none or bool(truth[name] >= share - 1e-9)
        if way == "by hand":
            found[""]["warned"] = np.nan if has_none else warned
        if way == "sure":
            best = population.attainable()  # a threshold that does not hold may have more
            reached = 0.0 if has_none else min(float(truth["recall"]), best)
            found[""]["reached"] = 100 * reached / best if best else np.nan
        for name in () if has_none or warned else truth:
            limits = dict(zip(("low", "high"), getattr(point, f"{name}_interval"), strict=True))
            estimate = {"estimate": getattr(point, name), "truth": float(truth[name])}
            found[name].append(estimate | limits)
    return found


def cells():
    for prevalence, share in SHARES:
        for population in populations(prevalence):
            kind = population.kind + ("" if share == prevalence else "; another prevalence")
            for n in POSITIVES:
                judge = partial(sample, population=population, n_positives=n, share=share)
                name, n_samples = f"{kind} {prevalence} {n}", 150 if n <= share * MANY_ROWS else 40
                yield Cell(
                    name, judge, n_samples, facts={"kind": kind, "n": n, "section": "threshold"}
                )
    for kind, n in product(HEAVY_TAILS, (40, 100, 500)):
        judge = partial(sample, population=heavy_tailed(kind, 0.1), n_positives=n, share=0.1)
        yield Cell(f"{kind} {n}", judge, 150, facts={"kind": kind, "n": n, "section": "threshold"})


COLUMNS = {
    "by hand": "{by hand.median:.0f}",
    "warned": "{warned.mean:.0f}",
    "guaranteed: lowest": "{sure.least:.0f}",
    "median": "{sure.median:.0f}",
    **{f"recall with {n:,}": f"{{reached, {n}.mean:.0f}}" for n in SHOWN},
    "for a recall": "{recall.least:.0f}",
    "intervals": "{covers.least:.0f}",
    "width": "{width.median:.2f}",
}


def section(rows):
    rows = [row | {f"reached, {row['n']}": row.get("reached", np.nan)} for row in rows]
    rows.sort(key=lambda row: row["kind"])
    fails = [below(rows, least, key, what) for key, (what, least) in FAILS.items()]
    summary = table_by("kind", rows, COLUMNS, "scores")
    promises = [
        promise("A threshold with a guarantee of 90% has its precision", rows, "sure"),
        promise("95% intervals of precision, recall and selected rows", rows),
    ]
    return Section(promises, summary, fails)


if __name__ == "__main__":
    main("threshold_coverage", __doc__, cells, {"threshold": section})
