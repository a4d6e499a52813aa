"""A judge: its score of all rows, and its weight in an estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._questions.few_labels._labelled import Labelled
from sklearn_ap._questions.few_labels._variances import UnitInfluences
from sklearn_ap._types import Array, Float
from sklearn_ap._uncertainty.former.influence import Fill
from sklearn_ap._uncertainty.former.shrinkage import ROUNDING
from sklearn_ap._uncertainty.former.sizes_and_biases import jackknife_bias
from sklearn_ap.definitions import Definition


def judge_score_and_bias(
    definition: Definition, labelled: Labelled, judged: Float, fill: Fill
) -> tuple[float, float]:
    """Compute the score A(z) of all rows by the judge, and its bias.

    Influence values are left out, because they take longer.
    """
    if labelled.unit == "query":  # a mean of queries has no bias; k counts weights, so all are 1
        ones = np.ones(judged.size)
        all_rows = replace(labelled, is_labelled=ones > 0, probability_of_rows=ones)
        rankings, _ = all_rows.rankings(judged)
        counts = count(rankings.select_retrieved(), definition.depth)
        return float(np.mean(fill(values_of(definition, counts)))), 0.0
    weight = labelled.weight
    if weight is not None:  # scaled to a mean of 1, so that the bias is for the number of rows
        weight = weight / weight.mean()
    if labelled.judge_is_unsure:
        counts = _counts_of_probabilities(labelled.score, judged, weight)
    else:
        counts = count(Rankings(judged > 0, labelled.score, weight).select_retrieved())
    score = float(fill(values_of(definition, counts))[0])
    return score, float(np.nan_to_num(jackknife_bias(definition, counts)[0]))


def _counts_of_probabilities(score: Array, judged: Float, weight: Float | None) -> ThresholdCounts:
    """Count each row as a positive of weight z and a negative of weight 1 - z, from one sort."""
    order = score.argsort()[::-1]
    score = score[order]
    weight = np.ones(score.size) if weight is None else weight[order]
    positive = weight * judged[order]
    negative = weight - positive
    begin = np.flatnonzero(begins_block(score))
    gained = np.add.reduceat(positive, begin)
    tied_negatives = np.add.reduceat(negative, begin)
    tps = np.cumsum(gained)
    fps = np.cumsum(tied_negatives)
    fps_above = fps - tied_negatives
    is_threshold = np.flatnonzero((gained > 0) & (score[begin] > -np.inf))
    return ThresholdCounts(
        thresholds=score[begin][is_threshold],
        gained=gained[is_threshold],
        tps=tps[is_threshold],
        fps=fps[is_threshold],
        fps_above=fps_above[is_threshold],
        starts=np.zeros(1, np.intp),
        n_positives=tps[-1:].copy(),
        n_negatives=fps[-1:].copy(),
    )


def judge_weight(units: UnitInfluences, judge_influence: Float, score: float) -> float:
    """Compute the judge's weight c, from 0 to 1, that minimises the variance: Equation B16.

    It is 0 for a judge that says nothing.
    """
    unknown_share = 1 - units.probability
    squares = np.sum(unknown_share * judge_influence * judge_influence)
    if not np.sqrt(squares) > ROUNDING * score:
        return 0.0
    products = np.sum(unknown_share * units.label_influence * judge_influence)
    return float(np.clip(products / squares, 0.0, 1.0))
