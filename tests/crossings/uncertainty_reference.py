"""Limits, standard errors and p-values of the former engine, as slow steps of plain NumPy.

It imports nothing of sklearn_ap. One function is one step, in the order of docs/certainty.md, "How
is it computed?": the value of weights, what each row and each sampling unit contributes, the
effective number of positives, the bias, the variance, the limits, and the test of a difference.
Only definitions that are smooth in the weights of rows are known here: ``DEFINITIONS``.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import full_reference
import numpy as np
from scipy.special import stdtrit
from scipy.stats import t

DEFINITIONS = ("Step", "Linear", "Hyperbolic")
# These constants are choices of sklearn_ap, written twice: if this file imported them, a constant
# that somebody changes by mistake would change both, and no test would fail. So change one here,
# too, and only with the simulations that the comment in the package names.
PRIOR = 4  # degrees of freedom of the binomial variance
LOG_FACTOR = 0.65  # of ln(N), in the binomial variance
MOST_HIDDEN = 3  # of n, what a class that shows nothing may hide
HIDDEN_SQUARES = 5  # of what one hidden row changes: the prior variance of a limit, at most
ENOUGH_CLUSTERS = 0.25  # share of clusters from which on those that determine a difference are many
FEWEST_DEGREES = 3  # of freedom, with clusters
N_GROUPS = 20  # of small clusters that are left out together
LARGE = 1 / 50  # of a class: clusters with more are left out one by one
SMALLEST = 1e-12  # of the binomial variance: a perfect ranking is not certain
STEP = 1e-7  # relative, of the imaginary part of a weight; its square is lost in rounding


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


def influences(sample, ranking):
    """The derivative of the value by the weight of each row, times that weight; by a complex step.

    The last number is that of the missed positives together.
    """
    given = sample.definition, ranking
    complex_weight, found = ranking.weight.astype(complex), []
    for i, weight in enumerate(ranking.weight):
        moved = complex_weight.copy()
        moved[i] += 1j * STEP * weight
        found.append(value(*given, moved, ranking.missed, sample.prevalence).imag / STEP)
    missed = ranking.missed * (1 + 1j * STEP)
    last = value(*given, complex_weight, missed, sample.prevalence).imag / STEP
    return np.nan_to_num(np.array(found)), np.nan_to_num(last)


# ---- effective numbers


def kish(weights):
    """The effective number of weights, and the typical weight (Kish 1965)."""
    total = weights.sum()
    if not total:
        return 0.0, 0.0
    typical = np.sum((weights / total) ** 2) * total
    return total / typical, typical


class Effective(NamedTuple):
    """The effective numbers of positives and negatives of a ranking; arrays for several."""

    n_missed: float  # positives that were never scored, each a unit of its own
    weight_of_missed: float
    positives: float  # at most as many as the negatives allow
    positives_alone: float  # if negatives weighed no more
    rows: float  # the effective number of positives if rows were units
    weight_of_positive: float  # that of a typical row
    weight_of_negative: float


def effective_numbers(sample, ranking):
    hit, weight = ranking.hit, ranking.weight
    positives, typical = kish(sample.sum_by_unit(weight * hit, ranking))
    negatives, negative_weight = kish(weight * ~hit)
    if not positives:
        typical = ranking.n_negatives / hit.size if hit.size else 1.0
    n_missed, positive_weight = ranking.missed / typical if ranking.missed else 0.0, 1.0
    if sample.are_weighted:
        positive_weight = kish(weight * hit)[1] or typical or 1.0
    else:
        negative_weight = 1.0
    found = alone = positives + n_missed
    if sample.prevalence is not None:
        found = np.fmin(alone, negatives * sample.prevalence / (1 - sample.prevalence))
    elif sample.are_weighted and negatives:
        found = np.fmin(alone, negatives * ranking.n_positives / ranking.n_negatives)
    if not negatives or found > alone * (1 - 1e-9):
        found = alone
    rows = ranking.n_positives / positive_weight
    return Effective(n_missed, typical, found, alone, rows, positive_weight, negative_weight or 1.0)


def effective_rows(sample, ranking, influence, numbers):
    """How many rows would be as sure as the clusters."""
    clusters, rows = sample.sum_by_unit(influence, ranking) ** 2, influence**2
    is_any = rows.sum() * numbers.rows > 1e-18
    return numbers.rows / max(clusters.sum() / (rows.sum() if is_any else 1.0), 1.0)


# ---- what rows that the sample lacks could change


class Hidden(NamedTuple):
    """What one row above all others, or a cluster of them, would change of a value."""

    loss: float  # by negatives
    gain: float  # by positives
    shift: float  # 0 where both classes weigh the same, up to 1 where one weighs much more
    evenness: float  # 1 where all rows of a class weigh the same


def hidden_rows(sample, ranking, row_contributions, numbers):
    """Really add a row above all others, or as many as a cluster has, and score again.

    At another prevalence, negatives have other weights. Where rows of one class weigh more, a
    sample may as well have one of them too many, so what a row of it contributes counts, too.
    """
    hit, weight, one = ranking.hit, ranking.weight, numbers.weight_of_positive
    negative_weights, other = weight, numbers.weight_of_negative if ranking.n_negatives else one
    if sample.prevalence is not None and ranking.n_negatives:
        odds = (1 - sample.prevalence) / sample.prevalence
        factor = ranking.n_positives * odds / ranking.n_negatives
        negative_weights, other = factor * weight, factor * other
    as_weighted = replace(ranking, weight=np.where(hit, weight, negative_weights))
    negatives_added, positives_added = (
        as_weighted.add_row(label, np.inf, rows_per_cluster(numbers) * row_weight)
        for label, row_weight in ((False, other), (True, one))
    )
    score, less, more = (
        value("Step", each, each.weight, each.missed, None)
        for each in (as_weighted, negatives_added, positives_added)
    )
    shift = 1 - min(one, other) / max(one, other)
    slopes = rows_per_cluster(numbers) * row_contributions / weight
    loss = max(score - less, shift * one * slopes[hit].max(initial=0.0))
    gain = max(more - score, shift * numbers.weight_of_negative * -slopes[~hit].min(initial=0.0))
    return Hidden(loss, gain, shift, evenness_of(ranking))


def rows_per_cluster(numbers):
    """How many rows a cluster has, effectively; 1 if rows are units."""
    return max(numbers.rows / max(numbers.positives_alone, 1), 1)


def evenness_of(ranking):
    """The effective number of rows over their number, of both classes multiplied."""
    class_weights = [ranking.weight * (ranking.hit == hit) for hit in (True, False)]
    return np.prod([kish(each)[0] / np.count_nonzero(each) for each in class_weights if each.any()])


# ---- what each sampling unit contributes, and the bias


@dataclass(frozen=True, eq=False)
class Model:
    """The values of one score, and what units and missed positives contribute to it."""

    sample: Sample
    values: np.ndarray
    is_defined: np.ndarray
    numbers: Effective  # arrays
    unit_contributions: np.ndarray | None = None  # (rankings, units)
    missed_contributions: np.ndarray | None = None  # of one missed positive of typical weight
    as_rows: np.ndarray | None = None  # effective positives of clusters that have several rows
    row_contributions: list[np.ndarray] | None = None  # what each row of each ranking contributes
    bias: np.ndarray | None = None
    hidden: Hidden | None = None  # arrays

    @property
    def n_positives(self):
        return np.array([each.n_positives for each in self.sample.rankings])

    @property
    def is_mean(self):
        return self.sample.are_sampled or len(self.values) > 1

    @property
    def weights(self):
        """Of each ranking in the mean, with those that zero_division gives a score."""
        is_weighted = self.sample.average == "weighted"
        each = self.n_positives if is_weighted else [r.share for r in self.sample.rankings]
        return np.where(np.isnan(self.values), 0.0, each)

    @property
    def score(self):
        total = self.weights.sum()
        return (
            self.weights @ np.nan_to_num(self.values)[:, None] / total if total else self.values[:1]
        )

    @property
    def shares(self):
        """Of each ranking in the mean; 0 for one that is undefined."""
        counted = self.is_defined | self.sample.are_sampled
        return np.where(counted, self.weights / (self.weights.sum() or 1.0), 0.0)

    @property
    def is_undefined(self):
        return not np.any(self.n_positives > 0 if self.sample.are_sampled else self.is_defined)

    @property
    def cases(self):
        return self.numbers.positives

    @property
    def n_missed(self):
        return self.numbers.n_missed


def values_of(sample, rankings):
    each = [value(sample.definition, r, r.weight, r.missed, sample.prevalence) for r in rankings]
    return np.minimum(np.array(each, float), 1.0)


def alone(sample, i):
    """One of several rankings that have a score each: what it does not hold does not matter."""
    names, unit = np.unique(sample.rankings[i].unit, return_inverse=True)
    ranking, values = replace(sample.rankings[i], unit=unit), sample.values[i : i + 1]
    given = {"rankings": [ranking], "n_units": names.size, "values": values}
    return replace(sample, average="macro", **given)


def model_of(sample):
    """The values, what units contribute to them, and their bias; a list if each has a score."""
    if sample.average is None:
        return [model_of(alone(sample, i)) for i in range(len(sample.rankings))]
    rankings, is_defined = sample.rankings, ~np.isnan(sample.values)
    ranking_numbers = [effective_numbers(sample, r) for r in rankings]
    numbers = Effective(*map(np.array, zip(*ranking_numbers, strict=True)))
    values = np.where(is_defined, sample.values, sample.fill)
    if sample.are_sampled:
        return Model(sample, values, is_defined, numbers)
    row_contributions, missed = zip(*(influences(sample, r) for r in rankings), strict=True)
    pairs = zip(row_contributions, rankings, strict=True)
    unit_contributions = np.stack([sample.sum_by_unit(i, r) for i, r in pairs])
    n_missed = numbers.n_missed
    missed_contributions = np.array(missed) / np.where(n_missed, n_missed, np.inf)
    bias = np.array(
        [bias_of_rows(sample, *each) for each in zip(rankings, ranking_numbers, strict=True)]
    )
    ranking_inputs = zip(rankings, row_contributions, ranking_numbers, strict=True)
    hidden = Hidden(*np.transpose([hidden_rows(sample, *each) for each in ranking_inputs]))
    as_rows = None
    if sample.are_clusters and any(np.unique(r.unit).size < r.n_rows for r in rankings):
        ranking_inputs = zip(rankings, row_contributions, ranking_numbers, strict=True)
        as_rows = np.array([effective_rows(sample, *each) for each in ranking_inputs])
        unit_contributions, bias = jackknife_of_clusters(
            sample, unit_contributions, missed_contributions, n_missed
        )
    unit_columns = unit_contributions, missed_contributions, as_rows, row_contributions, bias
    return Model(sample, values, is_defined, numbers, *unit_columns, hidden)


def bias_of_rows(sample, ranking, numbers):
    """The jackknife of each class (Quenouille 1956), with the prevalence of the sample.

    A row that is left out leaves its weight to the others of its class. All rows of a class weigh
    what a typical one weighs, so weights add up to rows that stand at, above or below a threshold.
    """
    one, factor = numbers.weight_of_positive, 1.0
    if sample.prevalence is not None and ranking.n_negatives:
        odds = ranking.n_positives * (1 - sample.prevalence) / sample.prevalence
        factor = odds / ranking.n_negatives
    weight = ranking.weight * np.where(ranking.hit, 1, factor) / one
    class_totals = ranking.n_positives / one, ranking.n_negatives * factor / one
    rows = 1.0, numbers.weight_of_negative * factor / one
    if any(total / row - 1 <= 1e-9 for total, row in zip(class_totals, rows, strict=True)):
        return np.nan
    total, left_out = 0.0, [0.0, 0.0]
    for places in ranking.places:
        at = [weight[place].sum() for place in places]
        total += at[0] * height(sample.definition, *at)
        for k, (class_total, row) in enumerate(zip(class_totals, rows, strict=True)):
            left_out[k] += without_a_row(sample.definition, at, 2 * k, class_total, row)
    whole = total / class_totals[0]
    changes = (each / class_totals[0] - whole for each in left_out)
    pairs = zip(changes, class_totals, rows, strict=True)
    return sum((class_total / row - 1) * change for change, class_total, row in pairs)


def without_a_row(definition, at, place, class_total, row):
    """Gain times height at a threshold, on average over the rows of a class to be left out.

    ``at`` is the weight of the positives at the threshold and above it, and that of the negatives.
    Steps need the sums of these only, so a row may be heavier than what stands at the threshold.
    """
    more, mean = class_total / (class_total - row), 0.0
    numbers = {place: at[place], place + 1: at[place + 1]}
    numbers[None] = class_total - sum(numbers.values())
    for left_from, number in numbers.items():
        rest = [each - row * (i == left_from) for i, each in enumerate(at)]
        gained = rest[0]
        if definition == "Step":
            rest = [0.0, max(rest[0] + rest[1], 0.0), 0.0, max(rest[2] + rest[3], 0.0)]
        else:
            rest = [each if each > 1e-9 * row else 0.0 for each in rest]
        scaled = [each * (more if i // 2 == place // 2 else 1) for i, each in enumerate(rest)]
        if definition != "Step" and not rest[0]:
            scaled = at
        gained *= more if place == 0 else 1
        mean += number / class_total * gained * height(definition, *scaled)
    return mean


def rounded(numbers):
    """Equal where numbers differ by rounding alone."""
    return np.rint(numbers / (np.abs(numbers).max() or 1.0) * 2.0**30)


def keys_of_units(rankings, n_units):
    """A number of each unit that says what it contains, whatever the order of rows."""
    keys, largest = np.ones(n_units), max(r.weight.max(initial=0) for r in rankings)
    for _ in range(2):
        found = np.zeros(n_units)
        for r in rankings:
            place = np.unique(r.score, return_inverse=True)[1]
            numbers = np.sin(2 * (place + 1) + r.hit - 1) * r.weight / largest
            found += np.bincount(r.unit, numbers * (numbers @ keys[r.unit]), n_units)
        keys = found / (np.abs(found).max() or 1.0)
    return keys


def jackknife_of_clusters(sample, unit_contributions, missed_contributions, n_missed):
    """What units contribute, and the bias, if groups of clusters are left out in turn.

    A cluster with more than ``LARGE`` of a class is a group of its own, and contributes what
    leaving it out changes. Other units are spread over twenty groups, by how much they contribute.
    The missed positives are units, too: each group takes its share of them.
    """
    rankings, n_units, n_rankings = sample.rankings, sample.n_units, len(sample.rankings)
    is_large = np.zeros(n_units + n_rankings, bool)
    for is_positive in (True, False):
        held = sum(sample.sum_by_unit(r.weight * (r.hit == is_positive), r) for r in rankings)
        is_large[:n_units] |= held > held.sum() * LARGE
    contributed = np.append(unit_contributions.sum(axis=0), missed_contributions)
    large, others = is_large.nonzero()[0], (~is_large).nonzero()[0]
    groups = [[each] for each in large]
    contributed[large] = 0.0
    keys = np.append(keys_of_units(rankings, n_units), 0 * missed_contributions)
    order = others[np.lexsort((keys[others], rounded(contributed)[others]))]
    groups += [order[i::N_GROUPS] for i in range(min(N_GROUPS, order.size))]
    bias, moved = np.zeros(n_rankings), unit_contributions.copy()
    for group in groups:
        share = len(group) / is_large.size
        rest = [r.only(~np.isin(r.unit, group), r.missed * (1 - share)) for r in rankings]
        change = values_of(sample, rest) - sample.values
        units = [each for each in group if each < n_units]
        linear = unit_contributions[:, units].sum(axis=1) + share * missed_contributions * n_missed
        bias += np.nan_to_num(change + linear)
        if len(group) == 1 and is_large[group[0]]:
            changed = ~np.isnan(change) & [np.any(r.unit == group[0]) for r in rankings]
            moved[:, group[0]] = np.where(changed, -change, unit_contributions[:, group[0]])
    return moved, bias


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


ONE_UNIT = Variance(*(np.array([each]) for each in (np.nan, np.inf, 1.0, 1.0)), np.nan)


def binomial(share):
    return np.maximum(share * (1 - share), SMALLEST)


def without_rounding(variance, cases, magnitude):
    return np.where(np.sqrt(variance * cases) > 1e-8 * magnitude, variance, 0.0)


def degrees_of_squares(squares, fourth, n_units):
    """Of a sum of squares, by how unequal these are (Satterthwaite 1946)."""
    doubt = fourth - squares**2 / np.maximum(n_units, 1)
    return 2 * squares**2 / np.maximum(doubt, 1e-300)


def moments(squares, fourth, n_units, cases, magnitude):
    """The variance, and its degrees of freedom."""
    factor = np.maximum(cases, 1) / np.maximum(cases - 1, 1)
    variance = without_rounding(squares * factor, cases, magnitude)
    return variance, np.where(variance > 0, degrees_of_squares(squares, fourth, n_units), 0.0)


def shown_variance(model, magnitude, other=None):
    """The sum of squares (Efron 1981) of a model or a difference; missed positives are units."""
    sample = model.sample
    moved, missed = model.unit_contributions, model.missed_contributions
    if other is not None:
        moved = moved - other.unit_contributions
        missed = missed - other.missed_contributions
    squares, fourth = (
        (moved**power).sum(axis=1) + model.n_missed * missed**power for power in (2, 4)
    )
    n_units = [sample.n_units if sample.are_clusters else r.unit.size for r in sample.rankings]
    return moments(squares, fourth, model.n_missed + n_units, model.cases, magnitude)


def prior(cases, case_variance, part_of_log=1.0):
    """The variance of a proportion: one false positive above all of them costs ln(N) / N."""
    cases = np.maximum(cases, 1.0)
    return np.maximum(1.0, LOG_FACTOR * np.log(cases) * part_of_log) * case_variance / cases


def cost_of_a_negative(sample, ranking, weight):
    """What a typical negative above all others takes from the value."""
    return -np.diff(values_of(sample, [ranking, ranking.add_row(False, np.inf, weight)]))[0]


class Prior(NamedTuple):
    """The variance that those of values are drawn to, and what large negatives add to it."""

    variance: np.ndarray
    heavy: np.ndarray


def prior_variance(model, case_variance, part_of_log=1.0):
    """That of a proportion or more, with a part of the logarithm."""
    sample, n_alone = model.sample, model.numbers.positives_alone
    alone, heavy = prior(n_alone, case_variance, part_of_log), np.zeros(n_alone.size)
    if np.any(n_alone > model.cases):
        pairs = zip(sample.rankings, model.numbers.weight_of_negative, strict=True)
        cost = np.array([cost_of_a_negative(sample, *pair) for pair in pairs])
        more = prior(model.cases, case_variance, part_of_log) - alone
        heavy = np.minimum(more, (MOST_HIDDEN * cost) ** 2)
    if model.as_rows is not None:
        clusters = np.maximum(n_alone, 1.0)
        more = np.maximum(model.as_rows / clusters, 1.0)
        alone = prior(clusters * more, case_variance, part_of_log / np.sqrt(more))
    return Prior(alone + heavy, heavy)


def priors_of_limits(model, variance, degrees, case_variance, labelled=1.0):
    """That of the lower and of the upper limit: no more than what hidden rows could change.

    The upper limit allows for a hidden positive, however sure the sample is of its variance.

    ``labelled`` is the smallest chance of a label: a row without one is like several rows.
    """
    hidden, full_variance = model.hidden, prior_variance(model, case_variance).variance
    part_of_log = model.values + hidden.shift * (1 - model.values)
    squares = HIDDEN_SQUARES + (MOST_HIDDEN**2 - HIDDEN_SQUARES) * hidden.shift
    trust, found = hidden.evenness * labelled, []
    one_more = variance + (degrees + PRIOR) / PRIOR * hidden.gain**2
    for change, least, bound in (
        (hidden.loss, variance, prior_variance(model, case_variance, part_of_log).variance),
        (hidden.gain, one_more, full_variance),
    ):
        limited = np.minimum(bound, np.maximum(squares * change**2, least))
        found.append(trust * limited + (1 - trust) * full_variance)
    return found


def shrunk_variance(variance, degrees, towards):
    """The variance drawn towards the prior one, and what the latter adds to it."""
    trust = degrees / (degrees + PRIOR)
    added = (1 - trust) * towards
    return added + trust * variance, added


def effective_queries(model):
    """How many sampled rankings, or clusters of them, there are effectively; and with positives."""
    clusters, has_positives = model.sample.cluster_of_ranking, model.n_positives > 0
    weights = (model.shares, model.shares * has_positives)
    return [kish(np.bincount(clusters, each))[0] for each in weights]


def deviations_of_queries(model, other=0.0):
    """What each sampled ranking, or cluster, contributes to the mean, or to a difference."""
    shares, clusters = model.shares, model.sample.cluster_of_ranking
    cases, _ = effective_queries(model)
    values = np.where(shares > 0, model.values - other, 0.0)
    found = np.bincount(clusters, shares * (values - shares @ values))
    return found * np.sqrt(max(cases, 1) / max(cases - 1, 1))


def variance_of_queries(model, case_variance, magnitude, squares):
    """That of a mean over rankings that are sampled, each as a whole: of squared deviations."""
    cases, alone = effective_queries(model)
    if cases < 1 + 1e-9:
        return ONE_UNIT
    variance = without_rounding(squares.sum(keepdims=True), cases, magnitude)
    enlarged = np.where(variance > 0, variance, case_variance / cases)
    is_plain = not model.sample.has_weighted_mean and model.sample.prevalence is None
    degrees = np.array([alone - 1])
    return Variance(variance, enlarged, degrees, case_variance, 0.0 if is_plain else np.nan)


def contributions(model):
    """What each unit contributes to a mean over rankings of the same units; then the missed."""
    sample, cases, n_missed = model.sample, model.cases, model.n_missed
    factor = np.sqrt(np.maximum(cases, 1) / np.maximum(cases - 1, 1))
    moved = (factor * model.shares) @ model.unit_contributions
    missed = factor * model.shares * model.missed_contributions
    if sample.average == "weighted":  # one more positive changes the weight of its ranking, too
        deviation = np.where(model.is_defined, model.values - model.score, 0.0)
        positive_effect = factor * deviation / (model.n_positives.sum() or 1.0)
        for each, r in zip(positive_effect, sample.rankings, strict=True):
            moved += each * sample.sum_by_unit(r.weight * r.hit, r)
        missed = missed + positive_effect * np.where(
            n_missed > 0, model.numbers.weight_of_missed, 0.0
        )
    return np.append(moved, missed * np.sqrt(n_missed))


def variance_of_mean(model, moved, magnitude):
    return without_rounding(np.sum(moved**2, keepdims=True), model.cases.max(), magnitude)


def added_up(mean_variance, shares, variance, enlarged, degrees, least=0.0, common=0.0):
    """The variance of a mean, of which each part was enlarged by itself.

    It comes with what the prior adds, and with the degrees of freedom of the parts.
    """
    kept = shares > 0
    enlarged, least, common = (np.where(kept, each, 0.0) for each in (enlarged, least, common))
    design_effect = np.clip(
        mean_variance / max(shares**2 @ variance, 1e-300), 1, max(kept.sum(), 1)
    )
    total = mean_variance + design_effect * (shares**2 @ (enlarged - common - variance))
    total = np.maximum(total + (shares @ np.sqrt(common)) ** 2, shares**2 @ least)
    added = design_effect * (shares**2 @ (least - common)) + (shares @ np.sqrt(common)) ** 2
    parts, shown = shares**2 * enlarged, shares**2 * np.minimum(enlarged, variance)
    degrees = np.where(kept, np.maximum(degrees, 1), 1)
    added_to = parts**2 - shown**2
    doubt = np.sum(shown**2 / degrees + added_to / max(shares @ degrees, 1))
    degrees = np.array([parts.sum() ** 2 / max(doubt, 1e-300)])
    return total, np.minimum(added, total), degrees


def degrees_of_sum(*parts):
    """Of two variances and their degrees of freedom (Satterthwaite 1946)."""
    doubt = sum(variance**2 / np.maximum(degrees, 1e-300) for variance, degrees in parts)
    return sum(variance for variance, _ in parts) ** 2 / np.maximum(doubt, 1e-300)


def degrees_of_mean(model, mean_variance, moved):
    n_units = moved.size - model.n_missed.size + model.n_missed.sum()
    degrees = degrees_of_squares(np.sum(moved**2), np.sum(moved**4), n_units)
    return np.where(mean_variance > 0, degrees, np.inf)


def mean_of_bias(model):
    known = np.where(np.isnan(model.bias), 0.0, model.shares)
    return np.array([known @ np.nan_to_num(model.bias) / known.sum() if known.sum() else np.nan])


def variance_of_score(model):
    sample, score = model.sample, model.score
    if sample.are_sampled:
        return variance_of_queries(model, binomial(score), score, deviations_of_queries(model) ** 2)
    if sample.is_one_unit:
        return ONE_UNIT
    variance, degrees = shown_variance(model, model.values)
    case_variance = np.maximum(binomial(model.values), binomial(score))
    if model.is_mean:
        one_case_variance = binomial(1 / (np.maximum(model.cases, 1) + 2))
        case_variance = np.where(
            model.values == 0, np.minimum(one_case_variance, case_variance), case_variance
        )
        return variance_of_average(model, variance, degrees, case_variance)
    limit_variances = [
        shrunk_score(model, variance, degrees, towards, binomial(score), model.bias)
        for towards in priors_of_limits(model, variance, degrees, case_variance)
    ]
    return join_limit_variances(limit_variances)


def shrunk_score(model, variance, degrees, towards, case_variance, bias):
    enlarged, added = shrunk_variance(variance, degrees, towards)
    prior_part = added, np.maximum(model.cases - 1, 1)
    degrees = degrees_of_sum((enlarged - added, degrees), prior_part)
    return Variance(variance, enlarged, np.minimum(degrees, model.cases - 1), case_variance, bias)


def join_limit_variances(limit_variances):
    """The larger variance, for tests that need one, with that of the lower and the upper limit."""
    larger = max(reversed(limit_variances), key=lambda each: each.enlarged[0])
    return replace(larger, limit_variances=tuple(limit_variances))


def variance_of_average(model, variance, degrees, case_variance):
    """That of a mean over columns: what hidden rows change of them has the same direction."""
    score, towards = model.score, prior_variance(model, case_variance)
    enlarged, added = shrunk_variance(variance, degrees, towards.variance)
    _, heavy = shrunk_variance(variance, degrees, towards.heavy)
    moved = contributions(model)
    mean_variance = variance_of_mean(model, moved, score)
    parts = model.shares, variance, enlarged, model.cases - 1, added, heavy
    total, prior_part, degrees = added_up(mean_variance, *parts)
    unit_part = total - prior_part, degrees_of_mean(model, mean_variance, moved)
    degrees = np.minimum(degrees, degrees_of_sum(unit_part, (prior_part, np.maximum(degrees, 1))))
    return Variance(mean_variance, total, degrees, binomial(score), mean_of_bias(model))


def variance_of_difference(model, other):
    """That of the difference of two models: the same units, contributions subtracted."""
    magnitude = np.maximum(model.score, other.score)
    if model.sample.are_sampled:
        squares = deviations_of_queries(model, other.values) ** 2
        case_variance = 1 / max(effective_queries(model)[0], 1.0)
        return variance_of_queries(model, case_variance, magnitude, squares)
    if model.sample.is_one_unit:
        return ONE_UNIT
    variance, shown = shown_variance(model, np.maximum(model.values, other.values), other)
    hidden = hidden_variance(model, other, variance, shown)
    degrees = degrees_of_difference(model, shown)
    if not model.is_mean:
        return Variance(variance, variance + hidden, degrees)
    moved = contributions(model) - contributions(other)
    mean_variance = variance_of_mean(model, moved, magnitude)
    bias = mean_of_bias(model) - mean_of_bias(other)
    parts = model.shares, variance, variance + hidden, degrees
    total, _, degrees = added_up(mean_variance, *parts)
    degrees = np.minimum(degrees, degrees_of_mean(model, mean_variance, moved) + PRIOR)
    return Variance(mean_variance, total, degrees, bias=bias)


def degrees_of_difference(model, shown):
    degrees = np.minimum(shown + PRIOR, model.cases - 1)
    return np.where(rows_in_each(model) > 1 + 1e-9, np.maximum(degrees, FEWEST_DEGREES), degrees)


def rows_in_each(model):
    """The effective number of positive rows over that of clusters with positives."""
    return np.maximum(model.numbers.rows / np.maximum(model.numbers.positives_alone, 1), 1)


def hidden_variance(model, other, variance, shown):
    """That of one unit on which two models disagree: a cluster, or the more a row.

    The fewer clusters determine the difference, the more what is hidden is a cluster.
    """
    cases = np.maximum(model.cases, 1)
    cluster_part = PRIOR / (shown + PRIOR) / cases**2
    if model.is_mean:  # and no more than the larger columns show of a case
        weight = np.maximum(np.minimum(shown, cases - 1) - PRIOR, 0)
        case_variance = (np.sum(weight * cases * variance) + PRIOR / cases) / (weight.sum() + PRIOR)
        cluster_part = np.minimum(cluster_part, PRIOR / (shown + PRIOR) * case_variance / cases)
    if model.as_rows is None:
        return cluster_part
    n_rows = cases * rows_in_each(model)
    pairs = zip(model.row_contributions, other.row_contributions, strict=True)
    squares = np.array([np.sum((a - b) ** 2) for a, b in pairs])
    squares += model.n_missed * (model.missed_contributions - other.missed_contributions) ** 2
    row_part = squares * n_rows / np.maximum(n_rows - 1, 1)
    design_effect = np.maximum(variance / np.where(row_part > 0, row_part, np.inf), 1)
    share = np.minimum(shown / (ENOUGH_CLUSTERS * np.maximum(cases - 1, 1e-300)), 1) ** 2
    row_part = PRIOR / (shown + PRIOR) * design_effect / n_rows**2
    return np.minimum(share * row_part + (1 - share) * cluster_part, cluster_part)


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


def student(difference, variance, level, alternative):
    """Student's interval of a difference less its bias, and the p-value."""
    error, unbiased = np.sqrt(variance.enlarged), difference - np.nan_to_num(variance.bias)
    degrees = np.maximum(variance.degrees, 1)
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    half = t.isf(tail, degrees) * error
    low = np.minimum(unbiased - half if alternative != "less" else -1.0, difference)
    high = np.maximum(unbiased + half if alternative != "greater" else 1.0, difference)
    ratio = unbiased / np.maximum(error, 1e-300)
    tails = {"two-sided": 2 * t.sf(np.abs(ratio), degrees)}
    tails |= {"greater": t.sf(ratio, degrees), "less": t.cdf(ratio, degrees)}
    pvalue = np.where(np.abs(difference) < 1e-12, 1.0, tails[alternative])
    return np.maximum(low, -1.0), np.minimum(high, 1.0), pvalue


# ---- answers, as the public functions give them


def side_by_side(answer, rankings, *asked):
    """The answers on rankings that have a score each, as arrays."""
    found = [answer(each, *asked) for each in rankings]
    return {name: np.stack([each[name] for each in found], axis=-1) for name in found[0]}


def interval(model, level=0.95, factor=1.0):
    """What average_precision_interval says; variances of folds are multiplied by a factor."""
    if isinstance(model, list):
        return side_by_side(interval, model, level, factor)
    variance = multiplied(variance_of_score(model), factor)
    n_queries = effective_queries(model)[0] if model.sample.are_sampled else None
    limits = limits_of_score(model.score, variance, level, n_queries)
    return interval_of(model, model.score, variance, *limits)


def multiplied(variance, factor):
    limit_variances = tuple(multiplied(each, factor) for each in variance.limit_variances)
    shown, enlarged = variance.shown * factor, variance.enlarged * factor
    return replace(variance, shown=shown, enlarged=enlarged, limit_variances=limit_variances)


def limits_of_score(score, variance, level, n_queries=None):
    """Wilson's; and of so many queries, none has shown a score of 1, or of 0."""
    low, high = wilson(score, variance, level)
    if n_queries is not None:
        hidden = 1 - (1 - level) ** (1 / max(n_queries, 1))
        low = np.minimum(low, score * (1 - hidden))
        high = np.maximum(high, 1 - (1 - score) * (1 - hidden))
    return low, high


def interval_of(model, score, variance, low, high):
    found = {"standard_error": np.sqrt(variance.shown), "low": low, "high": high}
    found |= {"bias": variance.bias}
    if model.is_undefined:
        found = dict.fromkeys(found, np.array([np.nan]))
    counted = sum(np.sum(each.hit & (each.weight > 0)) for each in model.sample.rankings)
    positive_counts = {
        "n_positives": counted + model.n_missed.sum(),
        "n_effective": model.cases.sum(),
    }
    found = {"estimate": score} | found
    return {name: float(np.ravel(each)[0]) for name, each in found.items()} | positive_counts


def compared(intervals, place, variance_of, level, alternative):
    """Columns of models, and of their differences from one, whose variances are asked for."""
    base, others = intervals[place], [i for i in range(len(intervals)) if i != place]
    told = ("estimate", "low", "high", "n_positives", "n_effective")
    columns = {f"{name}s": np.array([each[name] for each in intervals]) for name in told[:3]}
    differences = columns["estimates"] - base["estimate"]
    found = np.full((4, len(intervals)), np.nan)
    found[:, place] = np.array([0, 0, 1, np.nan]) + differences[place]
    for i in others:
        if not np.isnan(columns["lows"][i]):  # defined
            variance = variance_of(i)
            tested = student(differences[[i]], variance, level, alternative)
            found[:, i] = np.ravel([*tested, np.sqrt(variance.shown)])
    names = ("difference_lows", "difference_highs", "pvalues", "difference_standard_errors")
    columns |= dict(zip(names, found, strict=True))
    return columns | {"differences": differences} | {name: base[name] for name in told[3:]}


# ---- the best of many models
