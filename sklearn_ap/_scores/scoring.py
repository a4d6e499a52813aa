"""From arguments to counts, from counts to values, and from values to the score."""

from sklearn_ap._counts.averages import apply_average, check_zero_division, fill_undefined
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, check_bounds, positive_shares
from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.labels import predicted_class_remarks
from sklearn_ap._inputs.options import definition_error
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._scores.definition_names import python_call
from sklearn_ap._types import Argument, Float, FloatOrArray
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

# Functions warn of fewer effective positives, and equation 19 leaves such a segment out of the
# others, as scores of few positives are too high. With 10 positives of 100 rows, the mean score was
# 0.525 where the truth is 0.478, and of 5 among 50 it was 0.256 where it is 0.164
# (benchmarks/bias.py). It stands again in tests/crossings/uncertainty_reference.py.
FEW_POSITIVES = 10

# If step average precision is below this multiple of the prevalence, a warning says that scores
# rank the negatives first. With 10 positives in random order, at most one ranking in 2,000 scores
# less, and with more positives fewer do. There is no script: 58 of 200,000 orders of 100 rows did,
# and 15 of 40,000 orders of 1,000 rows. With weights, positives are counted by their effective
# number: with gamma weights of shapes 0.3 to 2, 15 of 78,067 orders with 10 or more scored less.
REVERSED_SCORE_FACTOR = 0.65


def score(definition: Definition, request: Request, *, warns: bool = True) -> FloatOrArray:
    """Check, count, apply the definition, average: a float, or an array for average=None.

    ``warns`` says whether to warn of scores that look wrong. Scores of folds are not the user's, so
    they give no warning.
    """
    zero_division = check_zero_division(request.zero_division)
    definition = check_definition(definition)
    if request.prevalence is not None:
        definition = at_prevalence(definition, request.prevalence)
    rankings, counts = check_and_count(definition, request)
    values = values_of(definition, counts)
    if warns:
        _warn_of_scores(definition, rankings, counts, values)
    values = fill_undefined(values, zero_division, request.prevalence)
    if not rankings.several:
        return float(values[0])
    weights = rankings.weight_in_average(counts.n_positives)
    return apply_average(values, rankings.average, weights, several=True)


def _warn_of_scores(
    definition: Definition, rankings: Rankings, counts: ThresholdCounts, values: Float
) -> None:
    """Warn if scores are classes, or rank the negatives first.

    Floats of 0 and 1 may be the probabilities of a tree.
    """
    if rankings.score.dtype.kind != "f":
        for text in predicted_class_remarks(rankings.score):
            warn(f"{text} If they are scores after all, give them as floats.", UserWarning)
    if isinstance(definition, Step) and not rankings.several and rankings.n_positives is None:
        share = positive_shares(counts)[0]
        if _is_far_below_chance(values[0], share):  # others need no effective number
            warn_if_reversed(
                values[0], share, effective_number(rankings.weight_of_items[rankings.positive])
            )


def warn_if_reversed(value: float, prevalence: float, n_effective: float, owner: str = "") -> None:
    """Warn if step average precision is so low that scores seem to rank the negatives first.

    Unequal weights leave less to judge by, so ``n_effective``, the effective number of positives,
    must be large.
    """
    needed = FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
    if _is_far_below_chance(value, prevalence) and n_effective >= needed:
        warn(
            f"The average precision{owner}, {value:.3g}, is far below that of random scores, about "
            f"{prevalence:.3g}. If high scores mean negative, pass -y_score, or the other column "
            f"of predict_proba.",
            UserWarning,
        )


def _is_far_below_chance(value: float, prevalence: float) -> bool:
    return bool(value < REVERSED_SCORE_FACTOR * prevalence)


def check_definition(definition: Argument) -> Definition:
    """Refuse the name of a definition, and a class instead of an instance."""
    if isinstance(definition, Definition):
        return definition
    if not isinstance(definition, str):
        raise definition_error(definition)
    try:  # the command line takes many names
        advice = f"Write definition={python_call(definition)}."
    except ValueError as error:
        advice = str(error)
    raise definition_error(definition, advice)


def values_of(definition: Definition, counts: ThresholdCounts) -> Float:
    """Compute the value of each ranking, nan without positives (precision at k gives 0 there)."""
    return check_bounds(definition, definition(counts), counts.starts.size)


def check_and_count(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """Check the predictions, and count them down to the depth of the definition."""
    rankings = check_rankings(request)
    warn_when_k_exceeds_weight(definition.depth, rankings)
    return rankings, count(rankings, definition.depth)
