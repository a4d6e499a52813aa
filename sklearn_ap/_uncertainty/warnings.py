"""Warnings about intervals and comparisons that rest on too little data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Context
from typing import Any, Literal

import numpy as np

from sklearn_ap._inputs.arrays import EQUAL, RELATIVE_TOLERANCE, Bool, Float
from sklearn_ap._inputs.checks import FEW_POSITIVES, predicted_classes, warn
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.shrinkage import Uncertainty

# Choices, below which coverage may be too low. They are numbers that do not vary with luck: where a
# sample shows that few rows determine a score, it is wide enough. benchmarks/certainty_coverage.py
# has 16 queries.
FEW_QUERIES = 12
# Of all clusters, and of effective ones by a class. With effects of 2 standard deviations, 30
# clusters of 20 rows cover 92 of 100, and 40 cover 95. An effective number by influences varies
# with luck: 80 sets of 10 rows cover 97, but only 88 where this number was not small. In a mean,
# the luck of classes cancels out.
FEW_CLUSTERS, FEW_EFFECTIVE_CLUSTERS, FEW_OF_CLASS = 40, 25, 20
# Choices: the standard error of a mean falls with their number, and a bias that they share stays.
# 30 to 100 columns of 16 to 25 positives cover 88 to 96 of 100, and 10 of 12 to 20 cover 92 to 98.
MANY_COLUMNS, FEW_OF_COLUMN = 20, 30
# Of means, in standard errors of their difference. With a whole one, 8 to 12 columns of which one
# model is weak covered 84 to 89 of 100 without a warning.
LARGE_BIAS_OF_MEANS = 0.5

WITH_POSITIVE = "The interval rests on few {} with a positive: their effective number"
QUERIES_WITH_POSITIVE = WITH_POSITIVE.format("queries")
FEW_DETERMINE = (
    "Few {} determine the estimate: by the squares of their influence, their effective number"
)
MOST_NAMES = 3  # of models that a warning lists: a choice
THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

# All that ``docs/warnings.md`` explains.
Name = Literal[
    "predicted classes",
    "few positives",
    "few negatives",
    "few queries",
    "few clusters",
    "few rows",
    "few differences",
    "unequal clusters",
    "small rankings",
    "unknown bias",
    "perfect score",
    "permuted rows",
    "unattainable precision",
    "clusters in training",
    "unequal prevalence",
    "unequal scales",
    "shrunken models",
    "broken ties",
    "tied ranks",
    "hidden positives",
    "few labels",
    "unlike labels",
    "unlike judgements",
    "wrong probabilities",
    "all labelled",
]


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a comparison may be unreliable, with what to do.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        The kind of warning: "predicted classes", "few positives", "few negatives", "few queries",
        "few clusters", "few rows", "few differences", "unequal clusters", "small rankings",
        "unknown bias", "perfect score", "permuted rows", "unattainable precision", "clusters in
        training", "unequal prevalence", "unequal scales", "shrunken models", "broken ties", "tied
        ranks", "hidden positives", "few labels", "unlike labels", "unlike judgements", "wrong
        probabilities" or "all labelled".
    """

    def __init__(self, text: str, name: Name) -> None:
        super().__init__(text, name)  # both are pickled

    @property
    def name(self) -> Name:
        """What kind of warning it is, such as "few clusters"."""
        name: Name = self.args[1]
        return name

    def __str__(self) -> str:
        return f"{self.name}: {self.args[0]}"


PERFECT = UncertaintyWarning(
    "A score of 1 shows no variance: the interval comes from the number of positives alone. Rely "
    "on its lower limit, and collect more positives.",
    "perfect score",
)
FEW_DIFFERENCES = UncertaintyWarning(
    "Few rows determine a difference, as the models rank most rows alike. Its p-value and its "
    "interval are rough. Collect more rows.",
    "few differences",
)
FEW_CASES = UncertaintyWarning(
    "Few rows determine a difference, as a ranking has few positives. Its p-value and its interval "
    "are rough. Collect more positives.",
    "few differences",
)


def of_model(name: str, warning: UncertaintyWarning) -> UncertaintyWarning:
    """The same with the name of a model before what was found."""
    return UncertaintyWarning(f"{name}: {warning.args[0]}", warning.name)


def warnings_of_scores(y_score: Any) -> list[UncertaintyWarning]:
    """A warning if scores look like predicted classes."""
    return [UncertaintyWarning(text, "predicted classes") for text in predicted_classes(y_score)]


def warnings_of_scores_of_models(y_scores: Mapping[Any, Any]) -> list[UncertaintyWarning]:
    """The same for each of several models."""
    return [
        of_model(repr(name), warning)
        for name, scores in y_scores.items()
        for warning in warnings_of_scores(scores)
    ]


def warnings_of_differences(estimates: Estimates, place: int) -> list[UncertaintyWarning]:
    """What differences from the model at ``place`` rest on, where that is little."""
    warnings, (models, uncertainties, of_others) = [], estimates
    rough = [each for each in of_others.values() if each.has_few_degrees]
    if rough:
        are_small = all(each.fewest_positives < FEW_POSITIVES for each in rough)
        warnings.append(FEW_CASES if are_small else FEW_DIFFERENCES)
    if models[place].is_mean:
        bias = max(np.max(each.bias) for each in uncertainties)
        error = min(np.max(each.standard_error) for each in of_others.values())
        if bias > LARGE_BIAS_OF_MEANS * error:
            text = (
                f"The mean of the rankings of a model is too high by up to {bias:.4f}, where the "
                f"standard error of a difference is {error:.4f}. A third of such a bias may not be "
                f"known: the interval may be too narrow. Collect more positives of each ranking."
            )
            warnings.append(UncertaintyWarning(text, "unknown bias"))
    return warnings


def warnings_of(
    influences: InfluenceValues, uncertainty: Uncertainty, each: str = "ranking"
) -> list[UncertaintyWarning]:
    """What a score rests on, where that is little; ``each`` says what several rankings are."""
    if isinstance(influences, QueryInfluences):
        return _of_queries(influences, uncertainty)
    all_positives, sizes = influences.positives, influences.effective_sizes
    defined = influences.is_defined & (all_positives.n_effective > 0)
    positives = all_positives.n_effective[defined]
    is_lowered = all_positives.n_effective < all_positives.n_counted * (1 - RELATIVE_TOLERANCE)
    kind = "effective " if is_lowered.any() else ""
    warnings = _of_mean(influences, positives, kind) if influences.is_mean else []
    if influences.is_mean:
        n_positives, where = positives.max(initial=0.0), f", in one {each} at most"
    else:
        n_positives = positives.min(initial=np.inf)
        where = f", in one {each} at least" if influences.values.size > 1 else ""
    if n_positives > 0 and _is_below(n_positives, FEW_POSITIVES):
        shown = rounded_down(n_positives)
        several, why, lacking = "" if shown == "1" else "s", "", "positives"
        if kind:
            chosen = np.where(defined, all_positives.n_effective, np.nan)
            place = np.nanargmax(chosen) if influences.is_mean else np.nanargmin(chosen)
            why, lacking = why_fewer(influences, int(place))
        text = (
            f"The interval rests on {shown} {kind}positive{several}{where}{why}. Below "
            f"{FEW_POSITIVES}, it is wide. Collect more {lacking}."
        )
        warnings.append(UncertaintyWarning(text, "few positives"))
    if sizes is not None and defined.any():
        warnings += _of_clusters(influences, sizes.n_clusters, defined)
    is_one = positives.size and np.any(influences.values[influences.is_defined] > 1 - EQUAL)
    if is_one and np.any(uncertainty.standard_error == 0):
        warnings.append(PERFECT)
    return warnings


def _of_clusters(
    influences: RowInfluences, n_effective: Float, is_defined: Bool
) -> list[UncertaintyWarning]:
    """How many clusters a score rests on, or how many effective ones have a class.

    The cells of a row, which are ranked together for "micro", are a cluster, too.
    """
    kept, units = is_defined & ~np.isnan(n_effective), influences.units  # nan: rows are units
    if not kept.any():
        return []
    number = np.min((units.n_units - units.n_unscored)[kept])
    effective, least = np.min(n_effective[kept]), FEW_EFFECTIVE_CLUSTERS
    if influences.is_mean:
        effective, least = np.median(n_effective[kept]), FEW_OF_CLASS
    name: Name = "few clusters" if _has_clusters(influences) else "few rows"
    what = f"The interval rests on {name}: their"
    warnings = few(name, number, FEW_CLUSTERS, f"{what} number")
    return warnings or few(name, effective, least, f"{what} effective number")


def _has_clusters(influences: RowInfluences) -> bool:
    """Whether units of several items are clusters of the user, and not rows with several cells."""
    rankings = getattr(influences.units, "rankings", None)  # counts have none
    return rankings is None or rankings.has_clusters


def why_fewer(influences: RowInfluences, place: int) -> tuple[str, str]:
    """Why a ranking has fewer effective positives than positives; and of what there are too few."""
    positives, units = influences.positives, influences.units
    n_effective, n_unlimited, _ = (np.atleast_1d(each)[place] for each in positives)
    rankings = getattr(units, "rankings", None)
    weight = None if rankings is None else rankings.weight
    if n_effective < n_unlimited * (1 - RELATIVE_TOLERANCE):
        if rankings is None:
            n_negatives = (units.n_units - np.atleast_1d(positives.n_counted))[place]
        else:
            n_negatives = (rankings.sizes - rankings.n_hits)[place]
        if weight is not None:
            return f" (its {n_negatives:,.0f} negatives weigh more than positives do)", "negatives"
        # Where all negatives weigh the same, the number is that which the prevalence gives them.
        share = n_effective / (n_effective + n_negatives)
        return f" ({n_negatives:,.0f} negatives are too few at {100 * share:.3g}%)", "negatives"
    if influences.effective_sizes is not None or (rankings is not None and rankings.has_clusters):
        both = "weights are unequal, and " if weight is not None else ""
        kind = "clusters" if _has_clusters(influences) else "rows"
        return f" ({both}positives share {kind})", kind
    return " (their weights are unequal)", "positives"


def _of_queries(influences: QueryInfluences, uncertainty: Uncertainty) -> list[UncertaintyWarning]:
    """What a mean over queries rests on: those with a positive, or the few that vary."""
    one, kind = ("row", "rows") if influences.are_rows else ("query", "queries")
    name: Name = "few rows" if influences.are_rows else "few queries"
    number = influences.n_with_positives[0]
    of_influence = np.min(uncertainty.effective_degrees)
    what = WITH_POSITIVE
    if of_influence < number:
        number, what = of_influence, FEW_DETERMINE
    warnings = few(name, number, FEW_QUERIES, what.format(kind))
    median = influences.median_positives
    if _is_below(median, FEW_POSITIVES):
        text = (
            f"At this prevalence, half of the {kind} have negatives for at most "
            f"{rounded_down(median)} positives. Below {FEW_POSITIVES}, the score of a {one} is too "
            f"high on average, and so is the mean. Collect more negatives for each {one}."
        )
        warnings.append(UncertaintyWarning(text, "few negatives"))
    return warnings


def _of_mean(influences: RowInfluences, positives: Float, kind: str) -> list[UncertaintyWarning]:
    """Of rankings whose scores are too high together: their bias does not cancel in a mean."""
    most = FEW_OF_COLUMN if influences.effective_sizes is None else FEW_POSITIVES
    n_small = np.count_nonzero(positives <= most)
    text = (
        f"The mean is over {positives.size} rankings, and {n_small} of them have at most {most} "
        f"{kind}positives. Their scores are too high on average, and the bias is known in part "
        f"only: the interval may be too narrow. Collect more positives of these rankings."
    )
    return [UncertaintyWarning(text, "small rankings")] if n_small >= MANY_COLUMNS else []


def few(name: Name, number: Any, least: int, what: str) -> list[UncertaintyWarning]:
    """A warning if an effective number is small, but not 0; ``what`` says which one."""
    if not number > 0 or not _is_below(number, least):
        return []
    text = f"{what} is {rounded_down(number)}. Below {least}, the interval may be too narrow. "
    return [UncertaintyWarning(f"{text}Collect more {name.removeprefix('few ')}.", name)]


def _is_below(number: Any, least: int) -> bool:
    """Whether it is less by more than rounding: 10 weights of 0.025 are 9.999999999999998."""
    return bool(number < least * (1 - RELATIVE_TOLERANCE))


def warnings_of_models(
    names: Sequence[str], models: Sequence[InfluenceValues], uncertainties: Sequence[Uncertainty]
) -> list[UncertaintyWarning]:
    """The same for each of several models, with their names if it is not said of all."""
    of_texts: dict[str, tuple[UncertaintyWarning, list[str]]] = {}
    for name, model, uncertainty in zip(names, models, uncertainties, strict=True):
        for warning in warnings_of(model, uncertainty):
            of_texts.setdefault(str(warning), (warning, []))[1].append(repr(name))
    warnings = []
    for warning, names_of_models in of_texts.values():
        some = ", ".join(names_of_models)
        if len(names_of_models) > MOST_NAMES:
            some = f"{len(names_of_models)} models, such as {names_of_models[0]}"
        warnings.append(warning if len(names_of_models) == len(names) else of_model(some, warning))
    return warnings


def warn_of(warnings: Iterable[UncertaintyWarning]) -> None:
    """Give each warning once, for the line of the user."""
    for warning in {str(each): each for each in warnings}.values():
        warn(warning, UncertaintyWarning)


def rounded_down(number: float) -> str:
    """Three digits, as 34,000: 19.97 is not 20, which a text may say that it is below."""
    # Sums of weights are rounded: 4.9999999999 is 5.
    number = float(number) * (1 + RELATIVE_TOLERANCE)
    return f"{float(THREE_DIGITS.create_decimal_from_float(number)):,.15g}"
