"""From what the user passed to counts, from counts to values, and from those to the score."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.checks import (
    FEW_POSITIVES,
    definition_error,
    predicted_class_remarks,
    warn,
)
from sklearn_ap._base.inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._base.inputs.request import Request, check_rankings
from sklearn_ap._counts.averages import apply_average
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, check_bounds
from sklearn_ap._counts.zero_division import check_zero_division, fill_undefined
from sklearn_ap._scores.definition_names import how_to_write
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

LOW = 0.65  # of the prevalence


def score(definition: Definition, request: Request, *, warns: bool = True) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None.

    ``warns`` says whether scores that look wrong are warned of; those of folds are not the user's.
    """
    zero_division = check_zero_division(request.zero_division)
    definition = check_definition(definition)
    if request.prevalence is not None:
        definition = at_prevalence(definition, request.prevalence)
    rankings, counts = counted(definition, request)
    values = values_of(definition, counts)
    if warns:
        _warn_of_scores(definition, rankings, counts, values)
    values = fill_undefined(values, zero_division, request.prevalence)
    if not rankings.several:
        return float(values[0])
    weights = rankings.weight_in_average(counts.n_positives)
    return apply_average(values, rankings.average, weights, several=True)


def _warn_of_scores(
    definition: Definition, rankings: Rankings, counts: ThresholdCounts, values: Any
) -> None:
    """Say what is wrong where scores are classes, or rank the negatives first.

    Floats of 0 and 1 may be the probabilities of a tree.
    """
    if rankings.score.dtype.kind != "f":
        for text in predicted_class_remarks(rankings.score):
            warn(f"{text} If they are scores after all, give them as floats.", UserWarning)
    if not isinstance(definition, Step) or rankings.several or rankings.weight is not None:
        return
    if rankings.n_positives is None:
        n_positives = counts.n_positives[0]
        warn_if_reversed(values[0], n_positives, n_positives + counts.n_negatives[0])


def warn_if_reversed(value: float, n_positives: float, n_rows: float, of: str = "") -> None:
    """Say if step average precision is so low that scores seem to rank the negatives first.

    With 10 positives in random order, one ranking in 2,000 scores so low, and with more fewer.
    """
    prevalence = n_positives / max(n_rows, 1)
    if n_positives >= FEW_POSITIVES and value < LOW * prevalence:
        warn(
            f"The average precision{of}, {value:.3g}, is far below that of random scores, about "
            f"{prevalence:.3g}. If high scores mean negative, pass -y_score, or the other column "
            f"of predict_proba.",
            UserWarning,
        )


def warn_of_reversed(
    request: Request, definition: Definition, n_positives: Any, values: Any, names: Any = None
) -> None:
    """The same of one value or of models, for step average precision of one column without weights.

    ``request`` is of the rows, each once, and ``names`` are those of the models.
    """
    others = (request.queries, request.clusters, request.sample_weight, request.n_positives)
    is_plain = request.n_columns == 1 and all(
        each is None for each in (*others, request.prevalence)
    )
    if is_plain and isinstance(definition, Step):
        ends = [""] if names is None else [f" of {name}" for name in names]
        for of, value in zip(ends, np.ravel(values), strict=True):
            warn_if_reversed(value, n_positives, len(request.y_score), of)


def check_definition(definition: Any) -> Definition:
    """Refuse the name of a definition, and a class in the place of an instance."""
    if isinstance(definition, Definition):
        return definition
    if not isinstance(definition, str):
        raise definition_error(definition)
    try:  # the command line takes many names
        advice = f"Write definition={how_to_write(definition)}."
    except ValueError as error:
        advice = str(error)
    raise definition_error(definition, advice)


def values_of(definition: Definition, counts: ThresholdCounts) -> Float:
    """The value of each ranking, nan without positives (precision at k gives 0 there)."""
    return check_bounds(definition, definition(counts), counts.starts.size)


def counted(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """The clean predictions, and their counts as far as the definition looks."""
    rankings = check_rankings(request)
    warn_when_k_exceeds_weight(definition.depth, rankings)
    return rankings, count(rankings, definition.depth)
