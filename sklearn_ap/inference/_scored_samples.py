"""What samples hold: rows, positives and units, and how results describe them."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, positive_shares, ratio
from sklearn_ap._counts.undefined import average_rankings
from sklearn_ap._inputs.rankings import Average, Rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.sample import Sample, Unit
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap.definitions import Definition


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


def sample_of_rankings(
    definition: Definition,
    request: Request,
    rankings: Rankings,
    positives: Positives,
    n_folds: int = 0,
) -> Sample:
    """Describe the rows of a request, or those of a pool of folds."""
    n_averaged = 0
    if request.average == "micro":
        n_averaged = request.n_columns if request.n_columns > 1 else 0
    elif request.average is not None and rankings.n_rankings > 1 and not rankings.are_queries:
        n_averaged = rankings.n_rankings
    unit, n_units = _units(request, rankings)
    is_over_queries = request.queries is not None and (rankings.are_queries or n_averaged > 0)
    has_weights = request.sample_weight is not None
    return Sample(
        definition=definition,
        target_prevalence=_number(request.prevalence),
        average=request.average if rankings.are_queries or n_averaged else None,
        n_averaged=n_averaged,
        n_queries=rankings.n_rankings if is_over_queries else 0,
        n_rows=rankings.n_rows,
        n_positives=np.nan if positives.has_several else float(positives.number[0]),
        n_unscored=positives.n_unscored,
        weight_share=positives.share_of_all if has_weights else None,
        unit=unit,
        n_units=n_units,
        n_folds=n_folds,
    )


def _units(request: Request, rankings: Rankings) -> tuple[Unit, int]:
    """Return what was sampled, and how many clusters or queries there are."""
    if request.clusters is not None:
        clusters = rankings.query_clusters if rankings.are_queries else rankings.clusters
        return "cluster", int(cast(Index, clusters).max()) + 1
    if rankings.are_queries and request.average != "samples":
        return "query", rankings.n_rankings
    return "row", 0


def sample_of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Average,
    prevalence: float | None,
    positives: Positives,
) -> Sample:
    """Describe the rows of counts: several are queries, unless ``average`` is None."""
    are_queries = counts.several and average is not None
    n_all = 0 if are_weighted(counts) else int(counts.n_positives.sum() + counts.n_negatives.sum())
    return Sample(
        definition=definition,
        target_prevalence=_number(prevalence),
        average=average if are_queries else None,
        n_queries=counts.starts.size if are_queries else 0,
        n_rows=max(n_all - int(positives.n_unscored), 0),
        n_positives=np.nan if positives.has_several else float(positives.number[0]),
        n_unscored=positives.n_unscored,
        weight_share=positives.share_of_all if are_weighted(counts) else None,
        unit="query" if are_queries else "row",
        n_units=counts.starts.size if are_queries else 0,
    )


def sample_of_labels(definition: Definition, request: Request, labelled: Labelled) -> Sample:
    """Describe rows of which few have labels."""
    are_queries, are_rows = labelled.unit == "query", labelled.unit == "row"
    return Sample(
        definition=definition,
        target_prevalence=_number(request.prevalence),
        average=request.average if are_queries else None,
        n_queries=labelled.n_units if are_queries else 0,
        n_rows=labelled.n_units if are_rows else 0,
        n_positives=float(np.count_nonzero(labelled.positive)),
        unit=labelled.unit,
        n_units=0 if are_rows else labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )


def _number(prevalence: Argument) -> float | None:
    """Return a prevalence that was checked as a float, which prints; fractions need not."""
    return None if prevalence is None else float(prevalence)
