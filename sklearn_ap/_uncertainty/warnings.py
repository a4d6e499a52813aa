"""Warnings about intervals and comparisons that may mislead.

Each kind is there because samples with it are wrong more often than others, as
``benchmarks/warning_kinds.py`` measures. Wide intervals need no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Context
from typing import Any, Literal

import numpy as np

from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.checks import FEW_POSITIVES, predicted_class_remarks, warn
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.shrinkage import Uncertainty

# Effective ones by a class, below which coverage may be too low: a choice. If one of 100 sites has
# 30% of the negatives, they are 10, and 70 to 87 of 100 intervals cover. The number does not vary
# with luck: 80 sets of 10 rows cover 97, but 88 where an effective number by influences is small.
FEW_CLUSTERS = 16
# Choices: the standard error of a mean falls with their number, and a bias that they share stays.
# 30 to 100 columns of 16 to 25 positives cover 88 to 96 of 100, and 10 of 12 to 20 cover 92 to 98.
MANY_COLUMNS, FEW_OF_COLUMN = 20, 30
# With 3, up to 11 of 100 tests of equal methods had p < .05: benchmarks/training_runs.py.
FEW_RUNS = 5
MOST_NAMES = 3  # of models that a warning lists: a choice
THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

# All that ``docs/warnings.md`` explains.
Name = Literal[
    "predicted classes",
    "few negatives",
    "few clusters",
    "few rows",
    "unequal clusters",
    "small rankings",
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
    "unlike labels",
    "unlike judgements",
    "wrong probabilities",
    "all labelled",
    "zero width",
    "few runs",
]


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a comparison may be unreliable, with what to do.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        The kind of warning: "predicted classes", "few negatives", "few clusters", "few rows",
        "unequal clusters", "small rankings", "perfect score", "permuted rows", "unattainable
        precision", "clusters in training", "unequal prevalence", "unequal scales", "shrunken
        models", "broken ties", "tied ranks", "hidden positives", "unlike labels", "unlike
        judgements", "wrong probabilities", "all labelled", "zero width" or "few runs".
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
SCORE_WITHOUT_WIDTH = UncertaintyWarning(
    "A score of 0 or 1, or one without variance in this sample, has a logit interval without "
    "width, which says nothing of other cases. Leave out method=: the default allows for errors "
    "that a sample does not show.",
    "zero width",
)
DIFFERENCE_WITHOUT_WIDTH = UncertaintyWarning(
    "A difference without variance in this sample has a normal interval without width, and its "
    "p-value is 0 or 1. Leave out method=: the default allows for cases on which the models "
    "differ that a sample does not show.",
    "zero width",
)


def of_model(name: str, warning: UncertaintyWarning) -> UncertaintyWarning:
    """The same with the name of a model before what was found."""
    return UncertaintyWarning(f"{name}: {warning.args[0]}", warning.name)


def warnings_of_scores(y_score: Any) -> list[UncertaintyWarning]:
    """A warning if scores look like predicted classes."""
    return [
        UncertaintyWarning(text, "predicted classes") for text in predicted_class_remarks(y_score)
    ]


def warnings_of_scores_of_models(y_scores: Mapping[Any, Any]) -> list[UncertaintyWarning]:
    """The same for each of several models."""
    return [
        of_model(repr(name), warning)
        for name, scores in y_scores.items()
        for warning in warnings_of_scores(scores)
    ]


def warnings_of(
    influences: InfluenceValues, uncertainty: Uncertainty, is_conventional: bool = False
) -> list[UncertaintyWarning]:
    """What a score rests on, where that is little."""
    warnings = []
    if is_conventional and _has_no_width(influences, uncertainty):
        warnings.append(SCORE_WITHOUT_WIDTH)
    if isinstance(influences, QueryInfluences):
        return [*_of_queries(influences), *warnings]
    warnings = [*_of_mean(influences), *few_clusters(influences), *warnings]
    if is_conventional:
        return warnings
    is_one = np.any(influences.values[influences.is_defined] > 1 - ABSOLUTE_TOLERANCE)
    if is_one and np.any(uncertainty.standard_error == 0):
        warnings.append(PERFECT)
    return warnings


def _has_no_width(influences: InfluenceValues, uncertainty: Uncertainty) -> bool:
    """Whether the logit of a score has no error, or the score has no logit."""
    score = influences.score
    has_no_width = (uncertainty.standard_error == 0) | (score == 0) | (score == 1)
    return bool(np.any(has_no_width & ~np.asarray(influences.is_undefined)))


def few_clusters(influences: InfluenceValues, way: str = "Collect") -> list[UncertaintyWarning]:
    """A warning if few clusters, or few effective ones by a class, determine a score.

    ``way`` says how to get more of them. Of a mean, it is the median ranking, as the luck of
    rankings cancels out. The cells of a row, which are ranked together for "micro", are a cluster,
    too.
    """
    if isinstance(influences, QueryInfluences) or influences.effective_sizes is None:
        return []
    n_clusters, units = influences.effective_sizes.n_clusters, influences.units
    has_positives = influences.is_defined & (influences.positives.n_effective > 0)
    kept = has_positives & ~np.isnan(n_clusters)  # nan: rows are units
    if not kept.any():
        return []
    number = np.min((units.n_units - units.n_unscored)[kept])
    of_rankings = n_clusters[kept]
    effective = np.median(of_rankings) if influences.is_mean else np.min(of_rankings)
    kind = "" if _is_below(number, FEW_CLUSTERS) else "effective "
    shown = effective if kind else number
    if not (shown > 0 and _is_below(shown, FEW_CLUSTERS)):
        return []
    rankings = getattr(units, "rankings", None)  # counts have none
    unit = "clusters" if rankings is None or rankings.has_clusters else "rows"
    name: Name = "few clusters" if unit == "clusters" else "few rows"
    text = (
        f"The interval rests on few {unit}: their {kind}number is {rounded_down(shown)}. Below "
        f"{FEW_CLUSTERS}, the interval may be too narrow. {way} more {unit}."
    )
    return [UncertaintyWarning(text, name)]


def _of_queries(influences: QueryInfluences) -> list[UncertaintyWarning]:
    """Queries that have too few negatives for a prevalence."""
    unit, units = ("row", "rows") if influences.are_rows else ("query", "queries")
    median = influences.median_positives
    if not _is_below(median, FEW_POSITIVES):
        return []
    text = (
        f"At this prevalence, half of the {units} have negatives for at most "
        f"{rounded_down(median)} positives. Below {FEW_POSITIVES}, the score of a {unit} is too "
        f"high on average, and so is the mean. Collect more negatives for each {unit}."
    )
    return [UncertaintyWarning(text, "few negatives")]


def _of_mean(influences: RowInfluences) -> list[UncertaintyWarning]:
    """Of rankings whose scores are too high together: their bias does not cancel in a mean."""
    if not influences.is_mean:
        return []
    of_rankings = influences.positives
    effective = of_rankings.n_effective
    are_fewer = np.any(effective < of_rankings.n_counted * (1 - RELATIVE_TOLERANCE))
    positives = effective[influences.is_defined & (effective > 0)]
    most = FEW_OF_COLUMN if influences.effective_sizes is None else FEW_POSITIVES
    n_small = np.count_nonzero(positives <= most)
    text = (
        f"The mean is over {positives.size} rankings, and {n_small} of them have at most {most} "
        f"{'effective ' if are_fewer else ''}positives. Their scores are too high on average, and "
        f"the bias is known in part only: the interval may be too narrow. Collect more positives "
        f"of these rankings."
    )
    return [UncertaintyWarning(text, "small rankings")] if n_small >= MANY_COLUMNS else []


def _is_below(number: Any, least: int) -> bool:
    """Whether it is less by more than rounding: 10 weights of 0.025 are 9.999999999999998."""
    return bool(number < least * (1 - RELATIVE_TOLERANCE))


def warnings_of_models(
    names: Sequence[str],
    models: Sequence[InfluenceValues],
    uncertainties: Sequence[Uncertainty],
    is_conventional: bool = False,
) -> list[UncertaintyWarning]:
    """The same for each of several models, with their names if it is not said of all."""
    of_texts: dict[str, tuple[UncertaintyWarning, list[str]]] = {}
    for name, model, uncertainty in zip(names, models, uncertainties, strict=True):
        for warning in warnings_of(model, uncertainty, is_conventional):
            of_texts.setdefault(str(warning), (warning, []))[1].append(repr(name))
    warnings = []
    for warning, names_of_models in of_texts.values():
        some = _some(names_of_models)
        warnings.append(warning if len(names_of_models) == len(names) else of_model(some, warning))
    return warnings


def _some(names: Sequence[str]) -> str:
    """A few names of models, or their number."""
    return (
        f"{len(names)} models, such as {names[0]}" if len(names) > MOST_NAMES else ", ".join(names)
    )


def warnings_of_differences(
    names: Sequence[str],
    models: Sequence[InfluenceValues],
    uncertainties: Mapping[int, Uncertainty],
) -> list[UncertaintyWarning]:
    """A warning if a difference shows no variance, which a conventional interval rests on alone."""
    without = [
        repr(names[i])
        for i, uncertainty in uncertainties.items()
        if np.any((uncertainty.standard_error == 0) & ~np.asarray(models[i].is_undefined))
    ]
    return [of_model(_some(without), DIFFERENCE_WITHOUT_WIDTH)] if without else []


def few_runs(names: Sequence[str], n_runs: Sequence[int]) -> list[UncertaintyWarning]:
    """A warning if few training runs say how much those of a method vary."""
    few = [repr(name) for name, number in zip(names, n_runs, strict=True) if number < FEW_RUNS]
    if not few:
        return []
    warning = UncertaintyWarning(
        f"The uncertainty over runs rests on {min(n_runs)} of them. Below {FEW_RUNS}, limits are "
        f"wide, and p-values may be too low where methods vary unlike. Pass more runs.",
        "few runs",
    )
    return [warning if len(few) == len(names) else of_model(_some(few), warning)]


def warn_of(warnings: Iterable[UncertaintyWarning]) -> None:
    """Give each warning once, for the line of the user."""
    for warning in {str(each): each for each in warnings}.values():
        warn(warning, UncertaintyWarning)


def rounded_down(number: float) -> str:
    """Three digits, as 34,000: 19.97 is not 20, which a text may say that it is below."""
    # Sums of weights are rounded: 4.9999999999 is 5.
    number = float(number) * (1 + RELATIVE_TOLERANCE)
    return f"{float(THREE_DIGITS.create_decimal_from_float(number)):,.15g}"
