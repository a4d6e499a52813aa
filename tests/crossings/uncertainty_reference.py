"""Limits of operating points, and what is sampled, as slow steps of plain NumPy.

It imports nothing of sklearn_ap. Scores are smooth in the weights of rows for ``DEFINITIONS``.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import full_reference
import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit
from scipy.stats import beta

DEFINITIONS = ("Step", "Linear", "Hyperbolic")
SMALLEST = 1e-12  # of the binomial variance: a perfect ranking is not certain


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows of one ranking: labels, scores, weights, sampling units, and missed positives."""

    hit: np.ndarray
    score: np.ndarray
    weight: np.ndarray
    unit: np.ndarray
    missed: float  # the weight of the positives that were never scored
    share: float  # its weight in the mean over samples

    @property
    def n_positives(self):
        return self.weight[self.hit].sum() + self.missed

    @property
    def n_negatives(self):
        return self.weight[~self.hit].sum()

    def only(self, kept, missed):
        rows = {name: getattr(self, name)[kept] for name in ("hit", "score", "weight", "unit")}
        return replace(self, missed=missed, **rows)

    @property
    def n_rows(self):
        return self.hit.size

    def add_row(self, hit, score, weight):
        more = {"hit": hit, "score": score, "weight": weight}
        rows = {name: np.append(getattr(self, name), each) for name, each in more.items()}
        return replace(self, **rows)

    @cached_property
    def places(self):
        """At each threshold: the positives there and above it, and the negatives."""
        found = []
        for threshold in sorted({*self.score[self.hit & (self.score > -np.inf)]}, reverse=True):
            tied, above = self.score == threshold, self.score > threshold
            found.append([where & of for of in (self.hit, ~self.hit) for where in (tied, above)])
        return found


@dataclass(frozen=True, eq=False)
class Sample:
    """What was asked of the rows of one model."""

    rankings: list[Ranking]
    n_units: int  # rows, or clusters of rows
    definition: str
    values: np.ndarray  # of the rankings, nan if undefined
    average: str | None  # None where each ranking has a score of its own
    prevalence: float | None
    fill: float  # the score of a ranking without positives
    are_weighted: bool
    are_clusters: bool  # whether some unit has several rows of a ranking, or may have
    are_sampled: bool  # whether each ranking is sampled as a whole, as queries are
    cluster_of_ranking: np.ndarray | None = None  # of sampled rankings
    has_weighted_mean: bool = False

    @property
    def is_one_unit(self):
        return self.are_clusters and self.n_units == 1

    def sum_by_unit(self, numbers, ranking):
        return np.bincount(ranking.unit, numbers, self.n_units)


# ---- what is sampled


def sample_of(y_true, y_score, definition, **options):
    """The rankings of a call of average_precision_interval; a definition has options, too."""
    names = "n_positives", "prevalence", "zero_division", "clusters"
    known, prevalence, fill, clusters = (options.pop(name, None) for name in names)
    average, queries = options.get("average", "macro"), options.get("queries")
    is_weighted = options.get("sample_weight") is not None
    found, _ = full_reference.rankings_of(y_true, y_score, **options)
    rows = sorted({row for ranking in found for row in ranking.rows})
    largest = max((float(w) for r in found for w in r.weights), default=1.0) or 1.0
    unit = 1.0 if average == "samples" else largest
    are_clusters = clusters is not None
    clusters = clusters if are_clusters else range(len(y_true))
    names = sorted({clusters[row] for row in rows})
    pairs = [*zip(found, full_reference.positives_of(found, known), strict=True)]
    exact = [full_reference.value(definition, *pair, prevalence) for pair in pairs]
    rankings = [
        Ranking(
            np.array(r.labels, bool),
            np.array(r.scores, float),
            np.array(r.weights, float) / unit,
            np.array([names.index(clusters[row]) for row in r.rows], int),
            float(positives - r.found) / unit,
            float(r.share),
        )
        for r, positives in pairs
    ]
    ranking_clusters, n_units = None, len(names)
    are_sampled = average == "samples" and np.ndim(y_score) == 2
    if queries is not None:
        are_sampled = average is not None
        if are_clusters:
            are_sampled = n_units > 1 and all(np.unique(r.unit).size == 1 for r in rankings)
            if are_sampled and average is None:
                raise ValueError("Each query lies in one cluster")
    if are_sampled:  # rows are units of each ranking, for effective numbers
        ranking_clusters = np.arange(len(rankings))
        if are_clusters:
            ranking_clusters = np.array([r.unit[0] for r in rankings])
        rankings = [replace(r, unit=np.arange(r.unit.size)) for r in rankings]
    has_gaps = np.ndim(y_true) == 2 and any(each != each for row in y_true for each in row)
    is_micro = average == "micro" and np.ndim(y_score) == 2
    one_score_each = average is None and (queries is not None or len(rankings) > 1)
    return Sample(
        rankings,
        n_units,
        definition[0],
        np.array([np.nan if each is None else float(each) for each in exact]),
        None if one_score_each else average or "macro",
        prevalence,
        0.0 if fill in (None, "warn") else fill,
        is_weighted and average != "samples",
        are_clusters or is_micro or (has_gaps and not one_score_each),
        are_sampled,
        ranking_clusters,
        len({positives if average == "weighted" else r.share for r, positives in pairs}) > 1,
    )


# ---- the value of weights, and its derivatives


def value(definition, ranking, weight, missed, prevalence):
    """The score of a ranking whose rows have these weights, real or complex; nan if undefined."""
    hit = ranking.hit
    positives, negatives = weight[hit].sum() + missed, weight[~hit].sum()
    if not positives.real > 0 or (prevalence is not None and not negatives.real > 0):
        return np.nan
    if prevalence is not None:
        factor = positives * (1 - prevalence) / (prevalence * negatives)
        weight = weight * np.where(hit, 1, factor)
    weights_at_places = ([weight[place].sum() for place in places] for places in ranking.places)
    return sum(at[0] * height(definition, *at) for at in weights_at_places) / positives


def height(definition, gained, tps, lost, fps):
    """The precision with which recall rises in a block below others."""
    size, before = gained + lost, tps + fps
    precision = (tps + gained) / (before + size) if abs(before + size) else 0.0
    if definition == "Linear":
        return (precision + (tps / before if abs(before) else 1.0)) / 2
    if definition == "Hyperbolic" and abs(before) > 1e-300 * abs(size):
        excess = (fps * gained - lost * tps) / size
        return gained / size - excess * np.log(1 + size / before) / size
    return precision


# ---- effective numbers


def kish(weights):
    """The effective number of weights, and the typical weight (Kish 1965)."""
    total = weights.sum()
    if not total:
        return 0.0, 0.0
    typical = np.sum((weights / total) ** 2) * total
    return total / typical, typical


# ---- the variance


@dataclass(frozen=True, eq=False)
class Variance:
    """How much scores, or differences, vary."""

    shown: np.ndarray  # by the sample
    enlarged: np.ndarray  # with what a small sample cannot show
    degrees: np.ndarray
    case_variance: np.ndarray = np.nan  # of a binomial proportion
    bias: np.ndarray = 0.0
    limit_variances: tuple = ()  # that of the lower and of the upper limit, where each has its own


def binomial(share):
    return np.maximum(share * (1 - share), SMALLEST)


# ---- limits and p-values


def wilson(share, variance, level):
    """Wilson's limits of a proportion with this variance, with Student's t, less the bias."""
    if variance.limit_variances:
        lower, upper = (wilson(share, each, level) for each in variance.limit_variances)
        return lower[0], upper[1]
    # As t.isf, in a fortieth of the time: a search for a p-value asks for it hundreds of times.
    quantile = -stdtrit(np.maximum(variance.degrees, 1), (1 - level) / 2)
    n = variance.case_variance / np.maximum(variance.enlarged * quantile**2, 1e-300)
    middle = (share * n + 0.5) / (n + 1) - np.nan_to_num(variance.bias)
    half = np.sqrt(binomial(share) * n + 0.25) / (n + 1)
    low, high = np.minimum(middle - half, share), np.maximum(middle + half, share)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


# ---- operating points


def limits_of_point(hit, selected, weight, clusters, level, prevalence=None):
    """Wilson's limits of precision, recall and the selected share, which are proportions.

    At another prevalence, those of precision and share follow from the rates of both classes.
    """
    every, clusters = np.ones(hit.size, bool), np.unique(clusters, return_inverse=True)[1]

    def limits(among, of, may_be_few=False):
        rows = (each[among] for each in (of, weight, clusters))
        return limits_of_proportion(*rows, level, may_be_few)

    found = {"recall_interval": limits(hit, selected)}
    if prevalence is None:
        precision_limits = {"precision_interval": limits(selected, hit)}
        return found | precision_limits | {"selected_interval": limits(every, selected)}
    rates, moved = [], []
    for class_rows, share, (low, high) in (
        (hit, prevalence, found["recall_interval"]),
        (~hit, 1 - prevalence, limits(~hit, selected, may_be_few=True)),
    ):
        part = np.where(class_rows, weight / weight[class_rows].max(), 0.0)
        rate = part[selected].sum() / part.sum()
        rates.append(share * np.array([low, rate, high]))
        moved.append(np.bincount(clusters, part * (selected - rate)))
    length = np.sqrt(np.sum(moved[0] ** 2) * np.sum(moved[1] ** 2))
    return found | limits_at_prevalence(*rates, moved[0] @ moved[1] / length if length else 0.0)


def mover(one, other, correlation):
    """How far a sum may be off whose parts may be so far off (Newcombe 1998; Zou, Donner 2008)."""
    return np.sqrt(max(one**2 + other**2 + 2 * correlation * one * other, 0.0))


def limits_at_prevalence(hits, false, correlation):
    """MOVER's limits: where the limit of a linear combination of both rates is 0."""
    (low, mid, high), (other_low, other_mid, other_high) = hits, false

    def lowest(part):
        sides = (1 - part) * (mid - low), part * (other_high - other_mid)
        return (1 - part) * mid - part * other_mid - mover(*sides, -correlation)

    def highest(part):
        sides = (1 - part) * (high - mid), part * (other_mid - other_low)
        return (1 - part) * mid - part * other_mid + mover(*sides, -correlation)

    total = mid + other_mid
    least = brentq(lowest, 0, 1, xtol=1e-15) if low > 0 else 0.0
    most = brentq(highest, 0, 1, xtol=1e-15) if other_low > 0 else 1.0
    below = mover(mid - low, other_mid - other_low, correlation)
    above = mover(high - mid, other_high - other_mid, correlation)
    return {
        "precision_interval": (min(least, mid / total), max(most, mid / total)),
        "selected_interval": (max(total - below, 0.0), min(total + above, 1.0)),
    }


def limits_of_proportion(hit, weight, clusters, level, may_be_few=False):
    """With the effective number of rows, and the degrees of freedom of the clusters.

    Of few false positives, Wilson's lower limit is too high, and the exact one (Clopper and Pearson
    1934) of one side may be lower.
    """
    weight = weight / weight.max()
    share = weight[hit].sum() / weight.sum()
    rows, n_clusters = kish(weight)[0], kish(np.bincount(clusters, weight))[0]
    moved = weight * (hit - share)
    if moved.any():
        moved = moved / np.abs(moved).max()
        effect = np.sum(np.bincount(clusters, moved) ** 2) / np.sum(moved**2)
        rows /= max(effect, 1.0)
        n_clusters = min(rows, n_clusters)
    else:
        rows = n_clusters
    proportion = Variance(np.nan, binomial(share) / rows, n_clusters - 1, binomial(share))
    low, high = wilson(share, proportion, level)
    if may_be_few and share:
        low = min(low, beta.ppf(1 - level, share * rows, (1 - share) * rows + 1))
    return low, high
