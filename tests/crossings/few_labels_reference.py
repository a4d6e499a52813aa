"""Estimates from few labels, their limits and p-values, as slow steps of plain NumPy.

It imports nothing of sklearn_ap. What labelled rows show is that of uncertainty_reference.py; here
is what the chances of labels and a judge change in it.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import full_reference
import numpy as np
import uncertainty_reference as plain

# Choices of sklearn_ap, written twice, as those at the top of uncertainty_reference.py.
MISTAKES = 2  # of the judge, that are added to those which labels show
OF_PROBABILITIES = 5  # if it says more than yes or no
OF_CLUSTERS = 3  # with as many mistakes as the cluster of a mistake has, on average
LOW_CHANCE = 0.3  # of the least chance of a positive found: what is below may hide positives


@dataclass(frozen=True)
class Given:
    """Rows without those of weight 0: what somebody saw of them, and what a judge says."""

    is_positive: list
    is_labelled: list
    weight: list
    chance: list  # of each row
    judged: list | None  # probabilities
    clusters: list | None
    queries: list | None
    definition: Any = None
    options: Any = None  # the prevalence, and the score without positives

    @property
    def names(self):
        return self.queries or self.clusters or [*range(len(self.weight))]

    @property
    def rows(self):
        return [i for i, seen in enumerate(self.is_labelled) if seen]

    @property
    def are_equal(self):
        return len({self.chance[i] for i in self.rows}) == 1

    @property
    def chances(self):
        each = sorted((self.names[i], self.chance[i]) for i in self.rows)
        return np.array([*dict(each).values()])


class Items(NamedTuple):
    """Positives and negatives, with weights, and the row of each."""

    hits: list
    scores: list
    weights: list
    rows: list


@dataclass(frozen=True)
class LabelledModel:
    """The score by labels, with what units contribute to it and to that of the judge."""

    truth: plain.Model
    score: float
    truth_contributions: np.ndarray
    judge_contributions: np.ndarray
    bias: float
    weight: float = 0.0  # of the judge
    judge: float = np.nan  # its score of all rows
    shift: float = 0.0
    bias_of_shift: float = 0.0
    mistake_cost: float = 0.0
    n_mistakes: int = MISTAKES

    @property
    def estimate(self):
        return min(max(self.score + self.weight * self.shift, 0.0), 1.0)


def given_rows(y_true, is_labelled, chance, judge, options):
    """Chances and probabilities of all rows, whichever way they are said."""
    n, positive = len(y_true), options.get("pos_label", 1)
    weight, judged = options.get("sample_weight") or [1.0] * n, None
    clusters, queries = options.get("clusters"), options.get("queries")
    kept, units = [i for i in range(n) if weight[i]], queries or clusters or [*range(n)]
    if chance is None or chance == "equal":
        labelled = {units[i] for i in kept if is_labelled[i]}
        chance = len(labelled) / len({units[i] for i in kept})
    chance = chance if isinstance(chance, list) else [chance] * n
    if judge is not None:
        seen = {y for y, is_seen in zip(y_true, is_labelled, strict=True) if is_seen}
        are_labels = {*judge} <= seen or any(isinstance(each, str) for each in judge)
        are_labels = are_labels or any(each < 0 or each > 1 for each in judge)
        judged = [float(each == positive) if are_labels else float(each) for each in judge]
    hits = [y == positive for y in y_true]
    arrays = hits, is_labelled, weight, chance, judged, clusters, queries
    return Given(*(each and [each[i] for i in kept] for each in arrays)), kept


def items_of(given, y_score, positive, all_rows=False):
    """Of labelled rows, or of all: one with a probability is a positive and a negative."""
    found = []
    for i in range(len(y_score)) if all_rows else given.rows:
        weight = given.weight[i] / (1 if all_rows or given.queries else given.chance[i])
        for hit, part in ((1, positive[i]), (0, 1 - positive[i])):
            found += [(hit, y_score[i], part * weight, i)] if part * weight > 0 else []
    return Items(*map(list, zip(*found, strict=True)))


def score_of(given, items, shares=None):
    """The exact score; of queries their mean, with the shares of units."""
    *rows, weights, places = items
    asked = {"sample_weight": weights} | given.options
    if given.queries is None:
        return full_reference.score(*rows, given.definition, **asked)
    asked |= {"queries": [given.queries[i] for i in places], "average": None}
    return float(np.average(full_reference.score(*rows, given.definition, **asked), weights=shares))


def labelled_model(given, y_score):
    labels, shares = items_of(given, y_score, given.is_positive), shares_of_queries(given)
    truth = model_of(given, labels, shares)
    score, bias = score_of(given, labels, shares), bias_of(given, truth, labels)
    truth_contributions = contributions_of_units(truth)
    found = LabelledModel(truth, score, truth_contributions, 0.0 * truth_contributions, bias)
    if given.judged is None or truth.is_undefined:
        return found
    every = items_of(given, y_score, given.judged, all_rows=True)
    judged, score_of_all = items_of(given, y_score, given.judged), score_of(given, every)
    if not any(judged.hits):
        return replace(found, judge=score_of_all)
    judge_model = model_of(replace(given, clusters=None), judged, shares)
    judge_contributions, shift_bias = contributions_of_units(judge_model), 0.0
    if given.queries is None:
        order = sorted({given.names[i] for i in given.rows})
        units = [order.index(given.names[i]) for i in judged.rows]
        judge_contributions = np.bincount(units, judge_contributions, len(order))
        shift_bias = bias_of_all(given, every) - bias_of(given, judge_model, judged)
    weight = weight_of_judge(truth_contributions, judge_contributions, given.chances, found.score)
    shift = score_of_all - score_of(given, judged, shares)
    return replace(
        found,
        judge_contributions=judge_contributions,
        weight=weight,
        judge=score_of_all,
        shift=shift,
        bias_of_shift=np.nan_to_num(shift_bias),
        mistake_cost=0.0 if given.queries else cost_of_a_mistake(truth) * together(given) ** 2,
        n_mistakes=n_mistakes(given),
    )


def together(given):
    """How many mistakes the judge makes in a cluster, on average over its mistakes."""
    if not given.clusters:
        return 1
    size = {i: abs(given.is_positive[i] - given.judged[i]) for i in given.rows}
    cluster = given.clusters
    pairs = (size[i] * size[j] for i in size for j in size if cluster[i] == cluster[j])
    return max(sum(pairs) / (sum(size.values()) or 1), 1)


def n_mistakes(given):
    if any(0 < z < 1 for z in given.judged):
        return OF_PROBABILITIES
    return OF_CLUSTERS if given.clusters else MISTAKES


def shares_of_queries(given):
    """One over the chance of each labelled query, unless all are equal."""
    return None if given.queries is None or given.are_equal else 1 / given.chances


def model_of(given, items, shares):
    names = {"clusters": given.clusters, "queries": given.queries}
    names = {key: [each[i] for i in items.rows] for key, each in names.items() if each}
    asked = {"sample_weight": items.weights} | names | given.options
    sample = plain.sample_of(items.hits, items.scores, given.definition, **asked)
    if shares is not None:
        pairs = zip(sample.rankings, shares, strict=True)
        rankings = [replace(ranking, share=share) for ranking, share in pairs]
        sample = replace(sample, rankings=rankings, has_weighted_mean=True)
    model = plain.model_of(sample)
    if model.sample.are_sampled or given.are_equal:
        return model
    # Kish's number alone: negatives that were seldom to be labelled do not lower it.
    numbers = model.numbers
    return replace(model, numbers=numbers._replace(positives=numbers.positives_alone))


def contributions_of_units(model):
    if model.sample.are_sampled:
        return plain.deviations_of_queries(model)
    return model.unit_contributions[0]


# ---- bias


def bias_of(given, model, items):
    """Where chances differ, half of the sum of squared weights times second derivatives."""
    if model.sample.are_sampled:
        return plain.variance_of_score(model).bias
    if given.are_equal:
        return model.bias[0]
    if given.clusters is not None or given.definition[0] != "Step" or "prevalence" in given.options:
        return np.nan
    hits, scores, weights, rows = map(np.array, items)
    if not any(hits) or min(weights) < 1e-100 * max(weights):  # whose squares are 0
        return np.nan
    hits = hits.astype(bool)
    ranking = plain.Ranking(hits, scores.astype(float), weights / max(weights), None, 0.0, 1.0)
    return sum(second_derivative(ranking, rows == row) for row in given.rows) / 2


def second_derivative(ranking, is_moved, step=1e-4):
    """By the relative weight of a row, whose items are moved together."""

    def slope(factor):
        weight = ranking.weight * np.where(is_moved, factor + 1j * plain.STEP, 1.0)
        return plain.value("Step", ranking, weight, 0.0, None).imag / plain.STEP

    return (slope(1 + step) - slope(1 - step)) / (2 * step)


def bias_of_all(given, items):
    """That of all rows by the judge, whose weights add up to the number of rows."""
    if given.definition[0] not in plain.DEFINITIONS:
        return 0.0
    weights = np.array(items.weights) * len(given.weight) / sum(items.weights)
    asked = {"sample_weight": items.weights} | given.options
    sample = plain.sample_of(items.hits, items.scores, given.definition, **asked)
    ranking = replace(sample.rankings[0], weight=weights)
    numbers = plain.effective_numbers(sample, ranking)
    one_each = numbers._replace(weight_of_positive=1.0, weight_of_negative=1.0)
    return np.nan_to_num(plain.bias_of_rows(sample, ranking, one_each))


def cost_of_a_mistake(truth):
    """The mean square of what it costs if a labelled positive counts as a negative."""
    (ranking,), sample = truth.sample.rankings, truth.sample
    squares = []
    for i in np.flatnonzero(ranking.hit & (ranking.score > -np.inf)):
        other = ranking.add_row(False, ranking.score[i], 0.0)
        moved = other.weight.astype(complex)
        moved[[i, -1]] += np.array([1j, -1j]) * plain.STEP * ranking.weight[i]
        asked = other, moved, 0.0, sample.prevalence
        squares.append((plain.value("Step", *asked).imag / plain.STEP) ** 2)
    return np.mean(squares) if squares else 0.0


# ---- the judge's weight, and variances


def derivatives(model):
    """What units add to a score: by labels, and what the judge leaves."""
    left = model.truth_contributions - model.weight * model.judge_contributions
    return np.stack([model.truth_contributions, left])


def unit_changes(model, base=None):
    """The same, of a score or of a difference."""
    return derivatives(model) if base is None else derivatives(model) - derivatives(base)


def weight_of_judge(truth_contributions, judge_contributions, chance, score):
    """What makes the variance of this score least."""
    judge_variance = (1 - chance) @ judge_contributions**2
    if not np.sqrt(judge_variance) > 1e-9 * score:
        return 0.0
    covariance = (1 - chance) @ (truth_contributions * judge_contributions)
    return float(np.clip(covariance / judge_variance, 0, 1))


def squares_of(moved, chance):
    truth_contributions, left = moved
    return (1 - chance) * left**2 + chance * truth_contributions**2


def moments(squares, cases, magnitude):
    squares, fourth, n = squares.sum(keepdims=True), np.sum(squares**2), squares.size
    return plain.moments(squares, fourth, n, cases, magnitude)


def variance_of_estimate(model, chance):
    truth, estimate, weight = model.truth, np.array([model.estimate]), model.weight
    moved = unit_changes(model)
    squares, label_squares = squares_of(moved, chance), np.sum(moved[0] ** 2)
    varies = np.sqrt(label_squares) > 1e-9 * model.score
    left = squares.sum() / label_squares if varies else 1.0
    if truth.sample.are_sampled:
        asked = plain.binomial(estimate), truth.score, squares
        return plain.variance_of_queries(truth, *asked), left
    if truth.sample.is_one_unit:
        return plain.ONE_UNIT, 0.0
    cases, bias = truth.cases[0], model.bias + weight * model.bias_of_shift
    variance, degrees = moments(squares, cases, truth.values)
    alone, shown = plain.shown_variance(truth, truth.values)
    case_variance = plain.binomial(truth.values)
    prior = plain.prior_variance(truth, case_variance).variance
    more = np.maximum(shown - degrees, 0.0)
    label_variance = (more * alone + plain.PRIOR * prior) / (more + plain.PRIOR)
    case_variance = case_variance * left * label_variance / np.maximum(prior, 1e-300)
    n_hidden = plain.PRIOR / (degrees + plain.PRIOR) * model.n_mistakes * np.mean(1 - chance)
    mistakes_variance, raised, largest_degrees = 0.0, 0.0, np.inf
    if weight > 0:
        mistakes_variance = n_hidden * weight**2 * model.mistake_cost
        raised = n_hidden[0] * weight * np.sqrt(model.mistake_cost)
        largest_degrees = degrees + plain.PRIOR
    share_variance, limit_variances = plain.binomial(estimate), []
    priors = plain.priors_of_limits(truth, variance, degrees, case_variance, labelled=min(chance))
    for towards in priors:
        asked = variance, degrees, towards, share_variance, np.array([bias])
        found = plain.shrunk_score(truth, *asked)
        enlarged = found.enlarged + mistakes_variance
        sum_degrees = np.minimum(found.degrees, largest_degrees)
        limit_variances.append(replace(found, enlarged=enlarged, degrees=sum_degrees))
    return plain.join_limit_variances(limit_variances), raised


def variance_of_difference(model, base, chance):
    truth, other = model.truth, base.truth
    moved = unit_changes(model, base)
    squares, cases = squares_of(moved, chance), truth.cases[0]
    magnitude = np.maximum(model.score, base.score)
    if truth.sample.are_sampled:
        n_queries = max(plain.effective_queries(truth)[0], 1.0)
        return plain.variance_of_queries(truth, 1 / n_queries, magnitude, squares)
    if truth.sample.is_one_unit:
        return plain.ONE_UNIT
    label_variance, _ = plain.shown_variance(truth, magnitude, other)
    variance, shown = moments(squares, cases, magnitude)
    hidden = plain.hidden_variance(truth, other, label_variance, shown)
    if variance > 0:
        label_squares = sum(np.square(moved[0]))
        left = sum(squares) / label_squares if label_squares else 1.0
        hidden = hidden * min(left, 1.0)
    return plain.Variance(variance, variance + hidden, plain.degrees_of_difference(truth, shown))


def share_found(given):
    """What part of all positives was found, at the least."""
    found = [i for i in given.rows if given.is_positive[i]]
    if given.queries is not None or not found or all(given.is_labelled):  # nothing is hidden
        return 1.0
    least = min(given.chance[i] for i in found)
    limit = 1 if least == 1 else LOW_CHANCE * least
    weight = {i: given.weight[i] / given.chance[i] for i in given.rows}
    low_chance_weights = [weight[i] for i in given.rows if given.chance[i] < limit]
    hidden = 0.0
    if low_chance_weights:
        hidden = min(3 * np.mean(low_chance_weights), sum(low_chance_weights))
    total = sum(weight[i] for i in found)
    return total / (total + hidden)


# ---- answers


def answer(y_true, models, definition, is_labelled, chance, judge, options, asked, known):
    """What both functions say: a dict of an interval for each model, and of differences.

    What does not depend on the level is kept in ``known``, for other calls on the same rows.
    """
    given, kept = given_rows(y_true, is_labelled, chance, judge, options)
    same = {key: options[key] for key in ("prevalence", "zero_division") if key in options}
    given = replace(given, definition=definition, options=same)
    place, level, alternative = asked
    rows, chance = [tuple(s[i] for i in kept) for s in models], given.chances
    for each in {*rows} - known.keys():  # once for models that are equal
        known[each] = labelled_model(given, each)
    found = [known[each] for each in rows]
    intervals = [interval(each, chance, given, level) for each in found]
    label_numbers = {
        "n_labelled": len(chance),
        "n_units": len({*given.names}),
        "judge_regression_weight": [
            np.nan if given.judged is None else each.weight for each in found
        ],
        "judge_score": [each.judge for each in found],
    }
    if len(found) == 1:
        label_numbers = {key: np.ravel(numbers)[0] for key, numbers in label_numbers.items()}
        worth = n_equivalent(unit_changes(found[0]), given)
        return intervals[0] | label_numbers | {"n_equivalent": worth}
    base = found[place]
    moved = [unit_changes(each, base) for each in found]
    worth = [np.nan if i == place else n_equivalent(of, given) for i, of in enumerate(moved)]

    def variance_of(i):
        return variance_of_difference(found[i], base, chance)

    compared = plain.compared(intervals, place, variance_of, level, alternative)
    return compared | label_numbers | {"n_equivalent": worth}


def n_equivalent(moved, given):
    """How many labels at random, without a judge, have the same variance."""
    chance = given.chances
    variance, label_variance = squares_of(moved, chance).sum(), np.sum(chance * moved[0] ** 2)
    if share_found(given) < 1:
        return np.nan
    if not np.sqrt(min(variance, label_variance)) > 1e-9:
        return len(chance)
    return sum(1 / chance) * label_variance / variance


def interval(model, chance, given, level):
    truth, estimate = model.truth, np.array([model.estimate])
    variance, raised = variance_of_estimate(model, chance)
    n_queries = None
    if truth.sample.are_sampled:  # the judge leaves less, so as many more queries were seen
        n_queries, raised = plain.effective_queries(truth)[0] / max(raised, 1e-300), 0.0
        n_queries = np.inf if variance is plain.ONE_UNIT else n_queries
    low, high = plain.limits_of_score(estimate, variance, level, n_queries)
    below = np.log(estimate / low) if np.all(low > 0) else np.inf
    # Positives may be hidden where few rows were labelled.
    low = estimate * np.exp(-np.hypot(below, np.log(share_found(given))))
    return plain.interval_of(truth, estimate, variance, low, np.minimum(high + raised, 1.0))
