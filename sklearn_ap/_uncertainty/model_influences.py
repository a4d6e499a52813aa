"""From a request, or from counts, to influence values: of queries, of counts or of rows."""

from functools import partial
from typing import Any

from sklearn_ap._base.inputs.rankings import Average, Rankings, warn_when_k_exceeds_weight
from sklearn_ap._base.inputs.request import Request, check_models
from sklearn_ap._counts.averages import check_average_of_counts
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts
from sklearn_ap._counts.zero_division import check_zero_division, fill_undefined
from sklearn_ap._uncertainty._influence_of_cells import influences_of_cells
from sklearn_ap._uncertainty.influence import (
    Fill,
    InfluenceValues,
    QueryInfluences,
    are_alone,
    influences_of_counts,
    influences_of_queries,
    influences_of_rows,
)
from sklearn_ap._uncertainty.options import Options, check_definition
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence


def influences_from_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Any,
    zero_division: Any,
    prevalence: Any,
    options: Options,
) -> InfluenceValues:
    """The influences on the mean of queries, or those of the rows of each ranking on its score."""
    check_counts(counts)
    check_average_of_counts(average)
    definition = at_prevalence(check_definition(definition), prevalence)
    fill, _ = undefined_fills(zero_division, prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        return influences_of_queries(definition, counts, fill, weights)
    if counts.cell_sums is not None:
        return influences_of_cells(definition, counts, counts.cell_sums, fill)
    _check_unweighted(counts)
    each: Average = None if counts.several else "macro"
    return influences_of_counts(definition, counts, fill, each, options)


def influences_of_models(
    definition: Definition, requests: list[Request], options: Options
) -> list[InfluenceValues]:
    """The influences on each model: of queries, of counts where these are enough, or of rows."""
    first, others = undefined_fills(requests[0].zero_division, requests[0].prevalence)
    fills = [first, *[others] * (len(requests) - 1)]
    definition = at_prevalence(check_definition(definition), requests[0].prevalence)
    models = check_models(requests)
    warn_when_k_exceeds_weight(definition.depth, models[0])
    return influences_of_rankings(definition, models, fills, options)


def influences_of_rankings(
    definition: Definition, models: list[Rankings], fills: list[Fill], options: Options
) -> list[Any]:
    """The same of rankings; ``fills`` give the undefined values of each model a score."""
    if models[0].are_queries:
        pairs = zip(models, fills, strict=True)
        return [_of_queries(definition, rankings, fill) for rankings, fill in pairs]
    first = models[0]
    if are_alone(models) and first.clusters is None:
        counts = count(first.select_retrieved())
        return [influences_of_counts(definition, counts, fills[0], first.average, options)]
    return influences_of_rows(definition, models, fills, options)


def _of_queries(definition: Definition, rankings: Rankings, fill: Fill) -> QueryInfluences:
    counts = count(rankings.select_retrieved(), definition.depth)
    weights = rankings.weight_in_average(counts.n_positives)
    return influences_of_queries(definition, counts, fill, weights, rankings)


def undefined_fills(zero_division: Any, prevalence: Any) -> tuple[Fill, Fill]:
    """What gives undefined values a score: for the first model, and silently for all others."""
    fill = partial(fill_undefined, prevalence=prevalence)
    first = check_zero_division(zero_division)
    others = 0.0 if first == "warn" else first
    return partial(fill, zero_division=first), partial(fill, zero_division=others)


def _check_unweighted(counts: ThresholdCounts) -> None:
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            "An interval from counts takes unweighted ones: it needs the squares of the weights, "
            "which only those of sklearn_ap.large hold, for one ranking. Pass the rows to "
            "average_precision_interval. For another prevalence, pass counts as they are, and "
            "prevalence beside them."
        )
