"""The positives of each score: how many, and their share, whatever they weigh."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, positive_shares, ratio
from sklearn_ap._counts.undefined import average_rankings
from sklearn_ap._inputs.rankings import Average, Rankings
from sklearn_ap._types import Array, Bool, Float


class Positives(NamedTuple):
    """The positives of each score, whatever they weigh: of a mean those of all its rankings."""

    number: Float
    share: Float  # of weight; of a mean, the mean of the shares of its rankings
    n_unscored: float  # of all scores
    has_several: bool  # whether there are several scores
    share_of_all: float = np.nan  # of the weight of all rankings; nan for several scores


def positives_of_rankings(rankings: Rankings, counts: ThresholdCounts) -> Positives:
    """Count the positives of checked rankings, of which these are the counts."""
    # 1 0 1 0 -> 2 positives, a share of 0.5; with weights of 3, 1, 1 and 1, a share of 0.667
    number = counts.n_positives.astype(np.float64)
    n_unscored = np.zeros(1) if counts.n_unscored is None else counts.n_unscored
    if rankings.weight is not None:
        n_hits = rankings.n_hits
        # Each positive that is no row weighs as much as those that were scored.
        weight = np.where(n_hits > 0, rankings.weight_of_hits / np.maximum(n_hits, 1), 1.0)
        n_unscored = np.rint(n_unscored / weight)
        number = n_hits + n_unscored
    has_several = rankings.average is None and rankings.several
    share = positive_shares(counts)
    share_of_all = np.nan if has_several else _share_of_all(counts)
    found = Positives(number, share, float(n_unscored.sum()), has_several, share_of_all)
    if rankings.average is None or number.size == 1:
        return found
    return _join(found, rankings.weight_in_average(counts.n_positives))


def positives_of_counts(counts: ThresholdCounts, average: Average) -> Positives:
    """Count the positives of counts; weighted counts do not tell."""
    number = counts.n_positives.astype(np.float64)
    if are_weighted(counts):
        number = np.full(number.size, np.nan)
    n_unscored = 0.0 if counts.n_unscored is None else float(counts.n_unscored.sum())
    has_several = counts.several and average is None
    share_of_all = np.nan if has_several else _share_of_all(counts)
    found = Positives(number, positive_shares(counts), n_unscored, has_several, share_of_all)
    if average is None or not counts.several:
        return found
    return _join(found, counts.n_positives if average == "weighted" else None)


def _share_of_all(counts: ThresholdCounts) -> float:
    n_positives, n_negatives = counts.n_positives.sum(), counts.n_negatives.sum()
    return float(ratio(n_positives, n_positives + n_negatives))


def _join(each: Positives, weights: Array | None) -> Positives:
    """Add up the positives of rankings that one score averages."""
    share = np.array([average_rankings(each.share, weights)])
    return each._replace(number=each.number.sum(keepdims=True), share=share, has_several=False)


def positives_of_labels(positive: Bool) -> Positives:
    """Count the labelled positives; their share among all rows is not known."""
    number = np.array([np.count_nonzero(positive)], np.float64)
    return Positives(number, np.full(1, np.nan), 0.0, False)
