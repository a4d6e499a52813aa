"""Estimates from few labels, their limits and p-values, as slow steps of plain NumPy.

It imports nothing of sklearn_ap. What labelled rows show is that of uncertainty_reference.py; here
is what the chances of labels and a judge change in it.
"""

from dataclasses import dataclass, replace

import full_reference
import numpy as np
import uncertainty_reference as plain

MISTAKES = 2  # of the judge, that are added to those which labels show
OF_PROBABILITIES = 5  # if it says more than yes or no
LOW_CHANCE = 0.3  # of the least chance of a positive found: what is below may hide positives


@dataclass(frozen=True)
class Given:
    """Rows without those of weight 0: what somebody saw of them, and what a judge says."""

    y_true: list
    is_labelled: list
    chance: list  # of each row
    judged: list | None  # probabilities
    weight: list | None
    clusters: list | None
    queries: list | None


@dataclass(frozen=True)
class OfModel:
    """The score by labels, with what units contribute to it and to that of the judge."""

    truth: plain.Model
    score: float
    by_truth: np.ndarray
    by_judge: np.ndarray
    bias: float
    judge: float = np.nan  # its score of all rows
    shift: float = 0.0
    bias_of_shift: float = 0.0
    of_mistake: float = 0.0
    n_mistakes: int = MISTAKES

    def estimate(self, weight):
        return min(max(self.score + weight * self.shift, 0.0), 1.0)


def given_rows(y_true, is_labelled, inclusion_probability, judge, options):
    """Chances and probabilities of all rows, whichever way they are said."""
    positive, weight = options.get("pos_label", 1), options.get("sample_weight")
    units = options.get("queries") or options.get("clusters") or [*range(len(y_true))]
    chance = inclusion_probability
    kept = [i for i in range(len(y_true)) if weight is None or weight[i]]
    if chance is None or chance == "equal":
        labelled = {units[i] for i in kept if is_labelled[i]}
        chance = len(labelled) / len({units[i] for i in kept})
    chance = chance if isinstance(chance, list) else [chance] * len(y_true)
    judged = None
    if judge is not None:
        seen = {y for y, is_seen in zip(y_true, is_labelled, strict=True) if is_seen}
        are_labels = {*judge} <= seen or any(isinstance(each, str) for each in judge)
        are_labels = are_labels or any(each < 0 or each > 1 for each in judge)
        judged = [float(each == positive) if are_labels else float(each) for each in judge]
    arrays = y_true, is_labelled, chance, judged, weight
    arrays += options.get("clusters"), options.get("queries")
    return Given(*(each and [each[i] for i in kept] for each in arrays)), kept


def labelled_sample(given, y_true, y_score, rows, definition, options, weight):
    """The plain sample of some rows, whose labels are all known."""
    names = {"clusters": given.clusters, "queries": given.queries}
    of_rows = {key: [each[i] for i in rows] for key, each in names.items() if each is not None}
    same = {key: options[key] for key in ("prevalence", "zero_division") if key in options}
    return plain.sample_of(y_true, y_score, definition, sample_weight=weight, **of_rows, **same)


def items_of_judge(given, y_score, rows, weights):
    """A row with a probability is a positive and a negative; and the row of each item."""
    found = []
    for i, weight in zip(rows, weights, strict=True):
        found += [(1, given.judged[i] * weight, i), (0, (1 - given.judged[i]) * weight, i)]
    found = [each for each in found if each[1] > 0]
    hits, weights, items = (list(each) for each in zip(*found, strict=True))
    return hits, [y_score[i] for i in items], weights, items


def score_of(given, hits, scores, weights, items, definition, options, shares=None):
    """The exact score; of queries their mean, with the shares of units."""
    same = {key: options[key] for key in ("prevalence", "zero_division") if key in options}
    if given.queries is None:
        return full_reference.score(hits, scores, definition, sample_weight=weights, **same)
    queries = [given.queries[i] for i in items]
    asked = {"sample_weight": weights, "queries": queries, "average": None} | same
    each = full_reference.score(hits, scores, definition, **asked)
    return float(np.average(each, weights=shares))


def of_model(given, y_score, definition, options):
    """What labels and the judge say of one model."""
    rows = [i for i, seen in enumerate(given.is_labelled) if seen]
    own = given.weight or [1.0] * len(given.y_true)
    by_query = given.queries is not None
    weights = [own[i] / (1 if by_query else given.chance[i]) for i in rows]
    positive = options.get("pos_label", 1)
    hits = [int(given.y_true[i] == positive) for i in rows]
    scores = [y_score[i] for i in rows]
    asked = definition, options
    shares = shares_of_queries(given, rows) if by_query else None
    sample = labelled_sample(given, hits, scores, rows, *asked, weights)
    are_equal = len({given.chance[i] for i in rows}) == 1
    truth = model_with_shares(sample, shares, are_equal)
    score = score_of(given, hits, scores, weights, rows, *asked, shares)
    names = given.queries or given.clusters
    names = [names[i] for i in rows] if names else rows
    by_truth = by_units(truth)
    bias = bias_of(given, truth, rows, hits, scores, weights, rows, definition, options)
    found = OfModel(truth, score, by_truth, np.zeros_like(by_truth), bias)
    if given.judged is None or truth.is_undefined:
        return found
    every = items_of_judge(given, y_score, range(len(y_score)), own)
    of_all = score_of(given, *every, *asked)
    judged = items_of_judge(given, y_score, rows, weights)
    if not any(judged[0]):
        return replace(found, judge=of_all)
    without = replace(given, clusters=None)
    sample = labelled_sample(without, *judged[:2], judged[3], *asked, judged[2])
    of_judge = model_with_shares(sample, shares, are_equal)
    by_judge = by_units(of_judge)
    if not by_query:
        order = sorted({*names})
        by_judge = np.zeros(len(order))
        unit_of = dict(zip(rows, names, strict=True))
        for item, moved in zip(judged[3], by_units(of_judge), strict=True):
            by_judge[order.index(unit_of[item])] += moved
    of_labelled = score_of(given, *judged, *asked, shares)
    shift = bias_of_all(given, *every, *asked) - bias_of(
        without if are_equal else given,
        *(of_judge, rows, *judged, definition, options),
    )
    return replace(
        found,
        by_judge=by_judge,
        judge=of_all,
        shift=of_all - of_labelled,
        bias_of_shift=0.0 if np.isnan(shift) or by_query else shift,
        of_mistake=0.0 if by_query else cost_of_a_mistake(truth),
        n_mistakes=OF_PROBABILITIES if any(0 < z < 1 for z in given.judged) else MISTAKES,
    )


def shares_of_queries(given, rows):
    """One over the chance of each labelled query; equal where all chances are."""
    chance = {given.queries[i]: given.chance[i] for i in rows}
    return [1 / chance[name] for name in sorted(chance)]


def model_with_shares(sample, shares, are_equal):
    if shares is not None and len({*shares}) > 1:
        pairs = zip(sample.rankings, shares, strict=True)
        rankings = [replace(ranking, share=share) for ranking, share in pairs]
        sample = replace(sample, rankings=rankings, has_weighted_mean=True)
    model = plain.model_of(sample)
    if model.sample.are_sampled or are_equal:
        return model
    # Kish's number alone: negatives that were seldom to be labelled do not lower it.
    numbers = [replace(each, positives=each.positives_alone) for each in model.numbers]
    return replace(model, numbers=numbers)


def by_units(model):
    if model.sample.are_sampled:
        return plain.deviations_of_queries(model)
    return model.by_unit[0]


# ---- bias


def bias_of(given, model, rows, hits, scores, weights, items, definition, options):
    """Where chances differ, half of the sum of squared weights times second derivatives."""
    if model.sample.are_sampled:
        return plain.variance_of_score(model).bias
    if len({given.chance[i] for i in rows}) == 1:
        return model.bias[0]
    if given.clusters is not None or definition[0] != "Step" or "prevalence" in options:
        return np.nan
    if not any(hits) or min(weights) < 1e-100 * max(weights):  # whose squares are 0
        return np.nan
    hits, scores, weights = np.array(hits, bool), np.array(scores, float), np.array(weights)
    ranking = plain.Ranking(hits, scores, weights / weights.max(), None, 0.0, 1.0)
    return sum(second_derivative(ranking, np.array(items) == row) for row in rows) / 2


def second_derivative(ranking, is_moved, step=1e-3):
    """By the relative weight of a row, whose items are moved together."""

    def slope(factor):
        weight = ranking.weight * np.where(is_moved, factor + 1j * plain.STEP, 1.0)
        return plain.value("Step", ranking, weight, 0.0, None).imag / plain.STEP

    def difference(h):
        return (slope(1 + h) - slope(1 - h)) / (2 * h)

    return (4 * difference(step / 2) - difference(step)) / 3  # Richardson's


def bias_of_all(given, hits, scores, weights, items, definition, options):
    """That of all rows by the judge, whose weights add up to the number of rows."""
    if given.queries is not None or definition[0] not in plain.DEFINITIONS:
        return 0.0
    weights = np.array(weights) * len({*items}) / sum(weights)
    prevalence = options.get("prevalence")
    asked = {"sample_weight": weights.tolist(), "prevalence": prevalence}
    sample = plain.sample_of(hits, scores, definition, **asked)
    ranking = replace(sample.rankings[0], weight=weights)
    one_each = replace(
        plain.effective_numbers(sample, ranking), weight_of_positive=1.0, weight_of_negative=1.0
    )
    return float(np.nan_to_num(plain.bias_of_rows(sample, ranking, one_each)))


def cost_of_a_mistake(truth):
    """The mean square of what it costs if a labelled positive counts as a negative."""
    (ranking,), sample = truth.sample.rankings, truth.sample
    squares = []
    for i in np.flatnonzero(ranking.hit & (ranking.score > -np.inf)):
        other = replace(
            ranking,
            hit=np.append(ranking.hit, False),
            score=np.append(ranking.score, ranking.score[i]),
            weight=np.append(ranking.weight, 0.0),
        )
        moved = other.weight.astype(complex)
        moved[i] += 1j * plain.STEP * ranking.weight[i]
        moved[-1] -= 1j * plain.STEP * ranking.weight[i]
        asked = other, moved, 0.0, sample.prevalence
        squares.append((plain.value("Step", *asked).imag / plain.STEP) ** 2)
    return np.mean(squares) if squares else 0.0


# ---- the judge's weight, and variances


def of_units(model, base=None):
    """What units contribute by labels and by the judge, to a score or to a difference."""
    if base is None:
        return model.by_truth, model.by_judge
    return model.by_truth - base.by_truth, model.by_judge - base.by_judge


def weight_of_judge(models, base, chance):
    """What makes the variance least, of the differences if there are several models."""
    of_all = (zip(chance, *of_units(model, base), strict=True) for model in models)
    parts = np.array([((1 - q) * g * h, (1 - q) * h * h) for each in of_all for q, g, h in each])
    both, of_judge = parts.sum(axis=0)
    if not np.sqrt(of_judge) > 1e-9 * max(model.score for model in models):
        return 0.0
    return min(max(both / of_judge, 0.0), 1.0)


def squares_of(by_truth, by_judge, chance, weight):
    units = zip(by_truth, by_judge, chance, strict=True)
    return np.array([(1 - q) * (g - weight * h) ** 2 + q * g**2 for g, h, q in units])


def moments(squares, cases, magnitude):
    squares, fourth, n = squares.sum(keepdims=True), np.sum(squares**2), squares.size
    return plain.moments(squares, fourth, n, cases, magnitude)


def variance_of_estimate(model, chance, weight):
    """And what raises the upper limit."""
    truth, estimate = model.truth, np.array([model.estimate(weight)])
    squares = squares_of(model.by_truth, model.by_judge, chance, weight)
    of_labels = np.sum(model.by_truth**2)
    varies = np.sqrt(of_labels) > 1e-9 * model.score
    left = squares.sum() / of_labels if varies else 1.0
    if truth.sample.are_sampled:
        asked = plain.binomial(estimate), truth.score, squares
        return plain.variance_of_queries(truth, *asked), left
    if truth.sample.are_clusters and truth.sample.n_units == 1:
        return plain.ONE_UNIT, 0.0
    cases, bias = truth.cases[0], model.bias + weight * model.bias_of_shift
    variance, degrees = moments(squares, cases, truth.values)
    alone, shown = plain.shown_variance(truth, truth.by_unit, truth.by_missed, truth.values)
    of_case = plain.binomial(truth.values)
    _, prior, _ = plain.shrunk_variance(truth, alone * 0, shown * 0, of_case)
    more = np.maximum(shown - degrees, 0.0)
    of_labels = (more * alone + plain.PRIOR * prior) / (more + plain.PRIOR)
    of_case = of_case * left * of_labels / np.maximum(prior, 1e-300)
    enlarged, added, _ = plain.shrunk_variance(truth, variance, degrees, of_case)
    doubt = (enlarged - added) ** 2 / np.maximum(degrees, 1e-300)
    doubt += added**2 / np.maximum(cases - 1, 1)
    of_limits = np.minimum(enlarged**2 / np.maximum(doubt, 1e-300), cases - 1)
    raised = 0.0
    if weight > 0:
        n_hidden = plain.PRIOR / (degrees + plain.PRIOR) * model.n_mistakes * np.mean(1 - chance)
        enlarged = enlarged + n_hidden * weight**2 * model.of_mistake
        of_limits = np.minimum(of_limits, degrees + plain.PRIOR)
        raised = n_hidden[0] * weight * np.sqrt(model.of_mistake)
    of_case = plain.binomial(estimate)
    return plain.Variance(variance, enlarged, of_limits, of_case, np.array([bias])), raised


def variance_of_difference(model, base, chance, weight):
    truth, other = model.truth, base.truth
    moved = of_units(model, base)
    squares, cases = squares_of(*moved, chance, weight), truth.cases[0]
    magnitude = np.maximum(model.score, base.score)
    if truth.sample.are_sampled:
        n_queries = max(plain.effective_queries(truth)[0], 1.0)
        return plain.variance_of_queries(truth, 1 / n_queries, magnitude, squares)
    if truth.sample.are_clusters and truth.sample.n_units == 1:
        return plain.ONE_UNIT
    of_labels, _ = plain.shown_variance(
        truth, truth.by_unit - other.by_unit, truth.by_missed - other.by_missed, magnitude
    )
    variance, shown = moments(squares, cases, magnitude)
    hidden = plain.hidden_variance(truth, other, of_labels, shown)
    if variance > 0:
        of_labels_alone = sum(np.square(moved[0]))
        left = sum(squares) / of_labels_alone if of_labels_alone else 1.0
        hidden = hidden * min(left, 1.0)
    return plain.Variance(variance, variance + hidden, plain.degrees_of_difference(truth, shown))


def lowered(estimate, low, given, options):
    """The lower limit, for positives where few rows were labelled."""
    below = np.log(estimate / low) if np.all(low > 0) else np.inf
    return estimate * np.exp(-np.hypot(below, np.log(share_found(given, options))))


def share_found(given, options):
    """What part of all positives was found, at the least."""
    if given.queries is not None:
        return 1.0
    own = given.weight or [1.0] * len(given.y_true)
    rows = zip(given.y_true, given.is_labelled, given.chance, own, strict=True)
    rows = [(y == options.get("pos_label", 1), q, w / q) for y, seen, q, w in rows if seen]
    found = [(q, w) for y, q, w in rows if y]
    if not found:
        return 1.0
    least, total = min(q for q, _ in found), sum(w for _, w in found)
    of_low = [w for _, q, w in rows if q < (1 if least == 1 else LOW_CHANCE * least)]
    hidden = min(3 * np.mean(of_low), sum(of_low)) if of_low else 0.0
    return total / (total + hidden)


# ---- answers


def answer(y_true, models, definition, is_labelled, chance, judge, options):
    """What both functions say: a dict of an interval for each model, and of differences."""
    given, kept = given_rows(y_true, is_labelled, chance, judge, options)
    level, place = options.get("confidence_level", 0.95), options.get("place", 0)
    found = [of_model(given, [s[i] for i in kept], definition, options) for s in models]
    rows = [i for i, seen in enumerate(given.is_labelled) if seen]
    names = given.queries or given.clusters or [*range(len(given.y_true))]
    chance = np.array([*dict(sorted((names[i], given.chance[i]) for i in rows)).values()])
    base = found[place] if len(found) > 1 else None
    weight = weight_of_judge(found, base, chance)
    intervals = [interval(each, chance, weight, given, options, level) for each in found]
    moved = of_units(found[0 if place or base is None else 1], base)
    variance, n_units = squares_of(*moved, chance, weight).sum(), len({*names})
    n_equivalent = len(chance)
    if share_found(given, options) < 1:
        n_equivalent = np.nan
    elif np.sqrt(min(variance, of_one := np.sum(chance * moved[0] ** 2))) > 1e-9:
        n_equivalent = sum(1 / q for q in chance) * of_one / variance
    judge_score = [each.judge for each in found]
    of_labels = {
        "n_labelled": len(chance),
        "n_units": n_units,
        "n_equivalent": n_equivalent,
        "judge_weight": np.nan if given.judged is None else weight,
        "judge_score": judge_score if len(found) > 1 else judge_score[0],
    }
    if len(found) == 1:
        return intervals[0] | of_labels

    def variance_of(i):
        return variance_of_difference(found[i], base, chance, weight)

    asked = place, variance_of, level, options.get("alternative", "two-sided")
    return plain.compared(intervals, *asked) | of_labels


def interval(model, chance, weight, given, options, level):
    """That of one model."""
    truth, estimate = model.truth, np.array([model.estimate(weight)])
    variance, raised = variance_of_estimate(model, chance, weight)
    n_queries = None
    if truth.sample.are_sampled:  # the judge leaves less, so as many more queries were seen
        n_queries, raised = plain.effective_queries(truth)[0] / max(raised, 1e-300), 0.0
        n_queries = np.inf if variance is plain.ONE_UNIT else n_queries
    low, high = plain.limits_of_score(estimate, variance, level, n_queries)
    low, high = lowered(estimate, low, given, options), np.minimum(high + raised, 1.0)
    return plain.interval_of(truth, estimate, variance, low, high)
