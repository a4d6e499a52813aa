"""The estimate of one model: of a request, or of counts."""

from __future__ import annotations

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import are_weighted, check_counts, values_of
from sklearn_ap._counts.undefined import check_average_of_counts
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    estimate_of_each,
    fillings,
    place_counts,
    place_items,
)
from sklearn_ap._uncertainty.means import MeanOfQueries, MeanOfRankings
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence


def estimate_of_rankings(
    definition: Definition, request: Request, rankings: Rankings, rng: Argument = 0
) -> Estimate:
    """Estimate the score of a request: of rows, clusters, columns, queries, or a pool of folds.

    ``rankings`` are those of the request, of all items.
    """
    # 1 0 and (1 0) 0 as two queries -> 0.75 with V = 0.0625; as one ranking, V = 0.0938
    definition = at_prevalence(definition, request.prevalence)
    fill, _ = fillings(request.zero_division, request.prevalence)
    if definition.depth is not None:
        warn_when_k_exceeds_weight(definition.depth, rankings)
    retrieved = rankings.select_retrieved()
    if rankings.are_queries:
        counts = count(retrieved, definition.depth)
        weights = rankings.weight_in_average(counts.n_positives)
        mean = MeanOfQueries(fill(values_of(definition, counts)), weights, rankings.query_clusters)
        return mean.estimate(counts, definition.prevalence)
    is_mean = rankings.average is not None and rankings.n_rankings > 1
    if rankings.weight is None and rankings.clusters is None and not is_mean:
        return estimate_of_each(place_counts(definition, count(retrieved)), fill, rng)
    scored = place_items(definition, rankings)
    if not is_mean:
        return estimate_of_each(scored, fill, rng)
    weights = rankings.weight_in_average(scored.rows.counts.n_positives)
    return MeanOfRankings(scored, fill(scored.values), weights).estimate(rng)


def estimate_of_counts(
    definition: Definition,
    counts: Argument,
    *,
    average: Argument = "macro",
    zero_division: Argument = "warn",
    prevalence: Argument = None,
    rng: Argument = 0,
) -> Estimate:
    """Estimate the score of unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    definition = at_prevalence(definition, prevalence)
    fill, _ = fillings(zero_division, prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        values = fill(values_of(definition, counts))
        return MeanOfQueries(values, weights).estimate(counts, definition.prevalence)
    if are_weighted(counts):
        raise ValueError(
            "An interval from counts takes unweighted ones, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    return estimate_of_each(place_counts(definition, counts), fill, rng)
