"""From rows and counts to scores: the definition, undefined values, averages, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count, count_on_device, count_top
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.labels_and_scores import predicted_class_remark
from sklearn_ap._inputs.options import Average, ZeroDivision, check_choice
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, Name
from sklearn_ap._writing.text import names_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import AtK, Definition, PrecisionAtK, RecallAtK, Step

if TYPE_CHECKING:
    from sklearn_ap._results.doubt import Doubt

TOP_ALONE = AtK, PrecisionAtK, RecallAtK  # which need the first ranks alone, unlike their heirs


def score_of_request(definition: Argument, request: Request) -> FloatOrArray:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    definition = check_definition(definition, request.y_score)
    if request.prevalence is not None:
        from sklearn_ap.definitions._prevalence import at_prevalence

        definition = at_prevalence(definition, request.prevalence)
    rankings, counts = None, count_on_device(request)
    if counts is None:
        rankings = check_rankings(request)
        depth = definition.depth
        if depth is not None and type(definition) in TOP_ALONE:
            counts = count_top(rankings, depth)
        else:
            counts = count(rankings)
    return score_of_counts(definition, counts, request.average, request.zero_division, rankings)


def check_definition(definition: Argument, *models: Argument) -> Definition:
    """Return a definition, also of a name. Refuse a class instead of an instance.

    None is the definition that the scores of all models know, or that of steps if they know none.
    """
    if definition is None:
        known = [getattr(scores, "definition", None) for scores in models]
        known = [each if isinstance(each, Definition) else Step() for each in known] or [Step()]
        definition = known[0]
        if any(each != definition for each in known):
            raise InputError(
                "The scores of some models are of from_coco, and mean the AP of COCO; others mean "
                "step AP. Pass definition, or np.asarray(scores) of from_coco for step AP."
            )
    if isinstance(definition, Definition):
        return definition
    if isinstance(definition, str):
        # It knows the names of all definitions, which most scores do without. A first score imports
        # 30 modules at most.
        from sklearn_ap.definitions._spellings import find_definition

        return find_definition(definition)
    raise InputTypeError(
        f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
        f"{definition!r:.70}. A class needs parentheses after its name, and a function of y_true "
        f"and y_score goes to make_ranking_scorer."
    )


def score_of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Average,
    zero_division: ZeroDivision,
    rankings: Rankings | None = None,
) -> FloatOrArray:
    """Apply the definition and average: a float, or an array for average=None.

    There are no rankings beside counts that a user or a device made. Others have the average, so
    that ``average`` only says whether it is None.
    """
    values = definition.values(counts)
    warn_of_scores(definition, counts, values, rankings)
    names = counts.names if rankings is None else rankings.names
    values = fill_undefined(values, zero_division, definition.prevalence, names)
    gives_array = counts.gives_array if rankings is None else rankings.gives_array
    if not gives_array:
        return float(values[0])
    if average is None:
        return values
    if rankings is not None:
        return average_rankings(values, rankings.weight_in_average(counts.n_positives))
    return average_rankings(values, counts.n_positives if average == "weighted" else None)


# ---- scores of rankings: what stands for those that are not defined, and their average


def fill_undefined(
    values: Float,
    zero_division: ZeroDivision,
    prevalence: float | None,
    names: Sequence[Name] | None = None,
) -> Float:
    """Replace undefined values, which are nan, by the score that ``zero_division`` says.

    In a table, each row has the values of a model. All models lack the same labels, so the warning
    is about the first one. ``names`` are those of rankings.
    """
    is_of_type = isinstance(zero_division, Real | str)
    is_choice = is_of_type and zero_division in ("warn", 0, 1)
    if not (is_choice or leaves_out_undefined(zero_division)):
        error = InputError if is_of_type else InputTypeError
        raise error(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    is_undefined = np.isnan(values)
    if not is_undefined.any():
        return values
    if zero_division == "warn":
        remedy = "To choose a score without this warning, pass zero_division=0.0, 1.0 or nan."
        first_undefined = np.atleast_2d(is_undefined)[0]
        if first_undefined.sum() > first_undefined.size / 2 > 1:
            remedy += (
                " If rows only belong together, such as the images of a patient, and are no "
                "query of their own, leave out queries, and pass them as clusters to intervals."
            )
        consequence = f"Their score is set to 0.0. {remedy}"
        warn_of_undefined(first_undefined, prevalence, consequence, names=names)
        zero_division = 0.0
    return np.where(is_undefined, float(zero_division), values)


def leaves_out_undefined(zero_division: Argument) -> bool:
    """Whether it is nan, so that rankings without a score have no share in a mean."""
    return isinstance(zero_division, Real) and bool(zero_division != zero_division)


def warn_of_undefined(
    is_undefined: Bool,
    prevalence: float | None,
    consequence: str,
    units: str = "rankings",
    names: Sequence[Name] | None = None,
) -> None:
    """Warn of scores that are not defined, if any is not, by the names of several rankings."""
    places = np.flatnonzero(is_undefined).tolist()
    if not places:
        return
    lacking = "No positive" if prevalence is None else "No positive or no negative"
    which = ""
    if is_undefined.size > 1:
        names = names or range(is_undefined.size)
        which = f" ({names_as_text([repr(str(names[place])) for place in places])})"
    these = f"{len(places)} of {is_undefined.size} {units}{which}"
    warn(
        f"{lacking} class found in y_true, for {these}. {consequence}",
        UndefinedMetricWarning,
    )


def shares_of(values: Float, weights: Array | None) -> Float:
    """Return the weight of each ranking in the mean, 0 for one without a value; they sum to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    return np.asarray(shares / (shares.sum() or 1.0))


def average_rankings(values: Float, weights: Array | None) -> float:
    """Average the values that are not nan and carry weight."""
    shares = shares_of(values, weights)
    is_averaged = shares > 0
    if not is_averaged.any():
        # Nothing to average: all values are nan, or equal the score for rankings without positives.
        return float(values[0])
    averaged = values[is_averaged]
    return float(np.average(averaged, weights=None if weights is None else shares[is_averaged]))


def check_average_of_counts(average: Argument) -> None:
    """Refuse an average that would need the rows."""
    if average is not None:  # each ranking is counted by itself
        check_choice("average", average, Literal["macro", "weighted", None])


# ---- what is said of odd scores


def warn_of_scores(
    definition: Definition, counts: ThresholdCounts, values: Float, rankings: Rankings | None = None
) -> None:
    """Warn of odd scores and weights; of counts alone, of scores that rank negatives first."""
    if rankings is not None:
        if rankings.sampling.columns and not counts.n_negatives.all():
            from sklearn_ap._results.doubt import issue  # few scores need it: see score_of_request

            issue(only_positives(rankings, counts, values))
        if definition.depth is not None:
            warn_when_k_exceeds_weight(definition.depth, rankings)
        # Floats of 0 and 1 may be the probabilities of a tree.
        if rankings.score.dtype.kind != "f" and (remark := predicted_class_remark(rankings.score)):
            warn(f"{remark} If they are scores after all, give them as floats.", UserWarning)
    elif counts.are_weighted:  # they do not tell how many rows there are
        return
    models = () if rankings is None else (rankings,)
    if low := low_scores(definition, counts, values[None], models):
        from sklearn_ap._results.doubt import issue

        issue(low)


def low_scores(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    models: Sequence[Rankings] = (),
    names: Sequence[Name] = (),
) -> list[Doubt]:
    """Doubt each model whose scores seem reversed; see ``reversed_scores``."""
    if counts.n_positives.size == 1:
        n_positives = counts.n_positives.item()
        n_rows = n_positives + counts.n_negatives.item()
        least = values.item() if values.size == 1 else values.min()
        # Most scores are above this bound of random ones, which takes a tenth of their time.
        if n_rows > 2 and least > n_positives / n_rows + log(n_rows) / (n_rows - 1):
            return []
    from sklearn_ap._reversed import reversed_scores  # which few scores need

    return reversed_scores(definition, counts, values, models, names)


def only_positives(rankings: Rankings, counts: ThresholdCounts, values: Float) -> list[Doubt]:
    """Doubt columns without a negative, whose score says nothing of a model."""
    from sklearn_ap._results.doubt import Doubt

    if rankings.sampling.columns is None or counts.n_negatives.all() or rankings.n_rankings == 1:
        return []
    is_meant = (counts.n_negatives == 0) & (counts.n_positives > 0) & ~np.isnan(values)
    names = rankings.names or range(is_meant.size)
    about = tuple(names[place] for place in np.flatnonzero(is_meant).tolist())
    text = (
        "Without a negative, the score is 1 whatever the model says, which raises a mean over "
        "columns. Leave such columns out, as OGB does, or label negatives."
    )
    return [Doubt(name="only positives", text=text, about=about)] if about else []


def warn_when_k_exceeds_weight(k: float, rankings: Rankings) -> None:
    """Warn that k counts weight, which surprises users whose weights sum to 1."""
    if not isinstance(k, int) or rankings.weight is None:
        return
    total = np.bincount(rankings.ranking_of_items, rankings.weight, rankings.n_rankings)
    if np.any((k > total * (1 + RELATIVE_TOLERANCE)) & (k <= rankings.sizes)):
        warn(
            f"k={k} exceeds the total of sample_weight but not the number of rows. k counts "
            f"weight: scale the weights so that they sum to the number of rows.",
            UserWarning,
        )
