"""What samples hold: how many rows, positives and units, and the heading that says so."""

from __future__ import annotations

from typing import cast

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted
from sklearn_ap._inputs.rankings import Average, Rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.sample import Sample, Unit
from sklearn_ap._types import Index
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap._uncertainty.positives import Positives
from sklearn_ap.definitions import Definition


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
        target_prevalence=request.prevalence,
        average=request.average if rankings.are_queries or n_averaged else None,
        n_averaged=n_averaged,
        n_queries=rankings.n_rankings if is_over_queries else 0,
        n_rows=request.n_rows,
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
        target_prevalence=prevalence,
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
    are_queries = labelled.unit == "query"
    return Sample(
        definition=definition,
        target_prevalence=request.prevalence,
        average=request.average if are_queries else None,
        n_queries=labelled.n_units if are_queries else 0,
        n_positives=float(np.count_nonzero(labelled.positive)),
        unit=labelled.unit,
        n_units=labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )
