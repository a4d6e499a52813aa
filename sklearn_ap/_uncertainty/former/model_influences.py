"""From requests to influence values, of queries or of rows."""

from functools import partial
from typing import Any

from sklearn_ap._counts.averages import check_zero_division, fill_undefined
from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._types import Argument
from sklearn_ap._uncertainty.estimate import check_definition
from sklearn_ap._uncertainty.former.influence import (
    Fill,
    InfluenceValues,
    QueryInfluences,
    influences_of_queries,
    influences_of_rows,
)
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence


def influences_of_models(
    definition: Definition, requests: list[Request], options: Options
) -> list[InfluenceValues]:
    """Return the influences on each model, of queries or of rows."""
    first = requests[0]
    first_fill, other_fill = undefined_fills(first.zero_division, first.prevalence)
    fills = [first_fill, *[other_fill] * (len(requests) - 1)]
    definition = at_prevalence(check_definition(definition), first.prevalence)
    models = check_models(requests)
    warn_when_k_exceeds_weight(definition.depth, models[0])
    return influences_of_rankings(definition, models, fills, options)


def influences_of_rankings(
    definition: Definition, models: list[Rankings], fills: list[Fill], options: Options
) -> list[Any]:
    """Return the influences on rankings; ``fills`` replace the undefined values of each model.

    They are ``QueryInfluences`` if queries are the units, and otherwise ``RowInfluences``. The
    caller knows which.
    """
    first = models[0]
    if first.are_queries:
        pairs = zip(models, fills, strict=True)
        is_compared = options.is_compared(len(models))
        return [
            _influences_of_queries(definition, rankings, fill, is_compared)
            for rankings, fill in pairs
        ]
    return influences_of_rows(definition, models, fills, options)


def _influences_of_queries(
    definition: Definition, rankings: Rankings, fill: Fill, is_compared: bool
) -> QueryInfluences:
    counts = count(rankings.select_retrieved(), definition.depth)
    weights = rankings.weight_in_average(counts.n_positives)
    return influences_of_queries(definition, counts, fill, weights, rankings, is_compared)


def undefined_fills(zero_division: Argument, prevalence: Argument) -> tuple[Fill, Fill]:
    """Return the functions that replace undefined values: of the first model, and of all others.

    The second one does not warn.
    """
    fill = partial(fill_undefined, prevalence=prevalence)
    first_score = check_zero_division(zero_division)
    other_score = 0.0 if first_score == "warn" else first_score
    return partial(fill, zero_division=first_score), partial(fill, zero_division=other_score)
