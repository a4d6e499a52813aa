"""From what the user passed to counts, from counts to values, and from those to the score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import (
    Rankings,
    Request,
    check_rankings,
    no_definition,
    warn_if_weights_end_before,
)
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.counts._averages import averaged, check_zero_division, fill_undefined
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._names import how_to_write
from sklearn_ap.definitions._prevalence import at_prevalence


def score(definition: Definition, request: Request) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    zero_division = check_zero_division(request.zero_division)
    definition = at_prevalence(check_definition(definition), request.prevalence)
    rankings, counts = counted(definition, request)
    values = fill_undefined(values_of(definition, counts), zero_division, request.prevalence)
    weights = rankings.weight_in_average(counts.n_positives)
    return averaged(values, rankings.average, weights, several=rankings.several)


def check_definition(definition: Any) -> Definition:
    """Refuse the name of a definition, and a class in the place of an instance."""
    if isinstance(definition, str):
        raise no_definition(definition, _how_to_write(definition))
    if not isinstance(definition, Definition):
        raise no_definition(definition)
    return definition


def _how_to_write(name: str) -> str:
    """The definition that the command line takes a name for, or why there is none."""
    try:
        return f"Write definition={how_to_write(name)}."
    except ValueError as error:
        return str(error)


def values_of(definition: Definition, counts: ThresholdCounts) -> NDArray[np.float64]:
    """The value of each ranking, nan without positives, and where nothing is ranked."""
    # A sum of weights can come out an ulp above the highest value.
    values = np.minimum(definition(counts), definition.bounds[1])
    if values.size > 1:
        values[counts.n_positives + counts.n_negatives == 0] = np.nan
    return values


def counted(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """The clean predictions, and their counts as far as the definition looks."""
    rankings = check_rankings(request)
    warn_if_weights_end_before(definition.depth, rankings)
    return rankings, count(rankings, definition.depth)
