"""A margin with every other option: its limit, its p-value, and the margins that it refuses.

The limit follows from that of the comparison without a margin and from the loss by three false
alarms, which exact fractions give: the score of the same rows, and of these with more negatives
above them. A p-value is right if the limit at its own level is minus the margin.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import full_reference
import numpy as np
import pytest
import uncertainty_reference
from answers import definition_of
from cases import OF_SAMPLES, make, plain
from entrances import few_resamples
from uncertainty_reference import MOST_HIDDEN

import sklearn_ap

pytestmark = pytest.mark.filterwarnings("ignore")

SEEDS = range(2_000, 2_160)
MARGIN = 0.9
OPTIONS = OF_SAMPLES | {"confidence_level", "reference"}
LEAST = {"rows": 10, "queries": 20, "columns": 10, "classes": 10, "clusters": 5, "prevalence": 5}
LEAST |= {"sample_weight": 20, "n_positives": 5, "average": 20, "reference": 20}


def case_of(seed):
    case = make(seed)
    return case.without(*({*case.options} - OPTIONS))


def compared(case, **more):
    given = {"definition": definition_of(case)} | case.options | more
    return sklearn_ap.compare_average_precision(case.y_true, case.scores, **given)


def alarm_losses(case, model, numbers):
    """What so many false alarms above all rows cost each ranking, and the ranking's weight."""
    options = {key: plain(value) for key, value in case.said(*OF_SAMPLES).items()}
    known, prevalence, fill, _ = (
        options.pop(name, None)
        for name in ("n_positives", "prevalence", "zero_division", "clusters")
    )
    rows = plain(case.y_true), plain(case.scores[model])
    rankings, _ = full_reference.rankings_of(*rows, **options)
    positives = full_reference.positives_of(rankings, known)
    losses, shares = [], []
    for ranking, n, n_alarms in zip(rankings, positives, numbers, strict=True):
        negatives = [w for y, w in zip(ranking.labels, ranking.weights, strict=True) if not y]
        weights = negatives or ranking.weights or [Fraction(1)]
        more = replace(
            ranking,
            labels=[*ranking.labels, *n_alarms * [False]],
            scores=[*ranking.scores, *n_alarms * [max([0.0, *ranking.scores]) + 1]],
            weights=[*ranking.weights, *n_alarms * [sum(weights) / len(weights)]],
            rows=[*ranking.rows, *range(len(case.y_true), len(case.y_true) + n_alarms)],
        )
        value, with_alarm = (
            full_reference.value(case.definition, each, n, prevalence) for each in (ranking, more)
        )
        is_empty = value is None
        losses.append(0.0 if is_empty else max(float(value - (with_alarm or 0)), 0.0))
        share = n if case.average == "weighted" else ranking.share
        is_left_out = is_empty and fill != fill  # zero_division=nan
        shares.append(0.0 if is_left_out else float(share))
    return np.array(losses), np.array(shares)


def effective(weights):
    return weights.sum() ** 2 / (weights @ weights)


def number_of_alarms(sample, ranking):
    """Of queries one, and of clusters of rows the typical number of positive rows, three times."""
    hit = ranking.hit
    if sample.are_sampled:
        return 1
    if not sample.are_clusters or not hit.any():
        return MOST_HIDDEN
    by_cluster = sample.sum_by_unit(ranking.weight * hit, ranking)
    n_rows = effective(ranking.weight[hit]) / effective(by_cluster[by_cluster > 0])
    return round(MOST_HIDDEN * max(n_rows, 1))


def alarm_cost(case, model):
    """d of the score, or of each score."""
    sample = case.ask_reference(uncertainty_reference.sample_of, model, OF_SAMPLES, {})
    losses, shares = alarm_losses(
        case, model, [number_of_alarms(sample, ranking) for ranking in sample.rankings]
    )
    shares = shares / (shares.sum() or 1.0)
    if sample.average is None:
        return losses
    if not sample.are_sampled:
        return np.sqrt(np.sum((shares * losses) ** 2))
    clusters = sample.cluster_of_ranking
    return MOST_HIDDEN * sum(
        shares[clusters == each].sum() * (shares * losses)[clusters == each].sum()
        for each in np.unique(clusters)
    )


def is_known(case):
    """Whether the number of rows of a cluster is, where k counts them, and of ranks of a share k.

    Whether such ranks are whole depends on all weights, also on that of the false alarms.
    """
    if "sample_weight" in case.options and isinstance(case.definition[1].get("k"), float):
        return False
    sample = case.ask_reference(uncertainty_reference.sample_of, "a", OF_SAMPLES, {})
    has_rows = not sample.are_clusters or sample.are_sampled
    return has_rows or ("k" not in case.definition[1] and "n_positives" not in case.options)


def checked(seed):
    """The words that a case is counted by, if its margin is not refused."""
    case = case_of(seed)
    try:
        plain_comparison = compared(case)
    except (ValueError, TypeError):
        return []  # refused without a margin, too
    costs = np.stack([alarm_cost(case, model) for model in "abc"])
    costs = costs.reshape(np.shape(plain_comparison.estimates))
    at = "abc".index(case.options.get("reference", "a"))
    others = np.arange(3) != at
    is_defined = ~np.isnan(plain_comparison.lows)
    known = costs[others][is_defined[others]]
    if known.size and known.min() >= MARGIN - 1e-9:
        with pytest.raises(ValueError, match="is too small for these rows"):
            compared(case, margin=MARGIN)
        return []
    found = compared(case, margin=MARGIN)
    difference = found.differences
    low = plain_comparison.difference_lows
    expected_low = np.maximum(difference - np.hypot(difference - low, costs), -1)
    is_whole = is_defined & (low > -1)
    is_whole[at] = False
    np.testing.assert_allclose(found.margin_lows[is_whole], expected_low[is_whole], atol=1e-9)
    assert np.array_equal(found.difference_lows, low, equal_nan=True)
    check_pvalues(case, found, is_whole)
    return [case.kind, *case.options]


def check_pvalues(case, found, is_whole):
    """The limit at the level of a p-value is minus the margin."""
    places = np.argwhere(is_whole & (found.not_worse_pvalues > 1e-6))
    for place in map(tuple, places[:2]):
        pvalue = found.not_worse_pvalues[place]
        if pvalue < 0.49:
            again = compared(case, margin=MARGIN, confidence_level=1 - 2 * pvalue)
            assert again.margin_lows[place] == pytest.approx(-MARGIN, abs=1e-6)


def test_limits_and_pvalues_of_margins_are_those_of_the_reference():
    seeds = [seed for seed in SEEDS if is_known(case_of(seed))]
    with few_resamples():
        counted = Counter(word for seed in seeds for word in checked(seed))
    assert not {word: counted[word] for word, least in LEAST.items() if counted[word] < least}
