"""From requests to influence values, of queries or of rows."""

from functools import partial
from typing import Any

from sklearn_ap._counts.averages import check_zero_division, fill_undefined
from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Argument
from sklearn_ap._uncertainty.former.influence import (
    Fill,
    QueryInfluences,
    influences_of_queries,
    influences_of_rows,
)
from sklearn_ap._uncertainty.options import Options
from sklearn_ap.definitions import Definition


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
        return [_influences_of_queries(definition, rankings, fill) for rankings, fill in pairs]
    return influences_of_rows(definition, models, fills, options)


def _influences_of_queries(
    definition: Definition, rankings: Rankings, fill: Fill
) -> QueryInfluences:
    counts = count(rankings.select_retrieved(), definition.depth)
    weights = rankings.weight_in_average(counts.n_positives)
    return influences_of_queries(definition, counts, fill, weights, rankings)


def undefined_fills(zero_division: Argument, prevalence: Argument) -> tuple[Fill, Fill]:
    """Return the functions that replace undefined values: of the first model, and of all others.

    The second one does not warn.
    """
    fill = partial(fill_undefined, prevalence=prevalence)
    first_score = check_zero_division(zero_division)
    other_score = 0.0 if first_score == "warn" else first_score
    return partial(fill, zero_division=first_score), partial(fill, zero_division=other_score)
