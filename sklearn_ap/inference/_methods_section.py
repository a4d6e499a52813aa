"""What the methods section of a paper says of scores and comparisons, a fact in each sentence."""

from __future__ import annotations

from typing import cast

from sklearn_ap._errors import InputError
from sklearn_ap._results.sample import Sample, averaged_as_text, rows_as_text, title_as_text
from sklearn_ap._types import Alternative
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._version import __version__
from sklearn_ap._writing.text import count_as_text, level_as_text, plural
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.scored_samples import FOLD_FACTOR

REFUSAL = (
    "to_methods is for scores of rows that all have labels, and for differences from a model that "
    'was named before, on the same rows. For other results, the page "Writing a paper" has '
    "sentences to copy, and the source of each method."
)
LONGEST_DEFINITION = 70  # letters that stand in the paragraph; more are the levels of a tool


def methods_of_scores(
    sample: Sample, estimate: Estimate | None, level: float, n_models: int = 1
) -> list[str]:
    """Say what was scored, and how limits were computed."""
    if estimate is None or sample.definition is None or sample.n_labelled or not sample.n_rows:
        raise InputError(REFUSAL)
    units = _units_as_text(sample)
    all_units = f"{count_as_text(sample.n_units)} {units}" if sample.n_units else units
    if sample.mean is not None and sample.unit == sample.averaged and sample.mean.n_undefined:
        all_units = averaged_as_text(sample.mean)
    method = {
        "queries": f"the variance of the scores of {all_units}",
        "influences": f"the infinitesimal-jackknife variance over {all_units} (Efron 1981)",
        "half samples": f"the variance of half samples of {all_units} (McCarthy 1969)",
    }[_source_of_variance(sample, estimate)]
    typed = f" with the definition {sample.definition!r}"
    if len(repr(sample.definition)) > LONGEST_DEFINITION:
        typed = ""
    return [
        f"Scores are {title_as_text(sample)}, computed by sklearn_ap {__version__}{typed}.",
        _about_rows(sample, n_models),
        *(["Rows were weighted."] if sample.weight_share is not None else []),
        f"The {level_as_text(level)} confidence limits of a score are Wilson's (1927) with "
        f"{method}, and allow for {units} that the sample may lack.",
    ]


def methods_of_differences(
    sample: Sample,
    estimate: Estimate,
    reference: str,
    n_models: int,
    n_differences: int,
    alternative: Alternative,
    margin: float | None,
    level: float,
) -> list[str]:
    """Say how models were compared with one that was named before."""
    units = _units_as_text(sample)
    test = {
        "queries": f"paired t test over {units}",
        "influences": f"paired t test of the influences of {units} (Efron 1981)",
        "half samples": f"paired t test with the variance of half samples of {units}",
    }[_source_of_variance(sample, estimate)]
    sides = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
    who = "The other one was" if n_models == 2 else "Each of the others was"
    texts = [
        f"{who} compared with {reference} by a {sides} {test}, whose limits allow for such "
        f"{units}, too."
    ]
    if sample.n_folds:
        texts.append(
            f"The variance of a difference was multiplied by {FOLD_FACTOR:g}, because the rows "
            f"that one fold tests train the models of the others."
        )
    if n_differences > 1:
        number = count_as_text(n_differences, "difference")
        texts.append(f"Limits and p-values hold for all {number} at once.")
    if margin is not None:
        texts.append(
            f"A model is not worse if its lower limit, with room for rare failures, is above "
            f"-{margin:g}, a margin that was chosen before: a one-sided test at "
            f"{(1 - level) / 2:g}."
        )
    return texts


def methods_of_models(sample: Sample, n_models: int = 1) -> str:
    """Say which models limits are about."""
    is_one = n_models == 1 and sample.averaged != "column"  # which may be a model each, as of seeds
    models = "this trained model" if is_one else "these trained models"
    if sample.n_folds:
        models = "the models that the folds trained"
    return f"Limits are for new cases and {models}, and not for other seeds or training rows."


def _about_rows(sample: Sample, n_models: int) -> str:
    """Say on which rows models were scored, and how in a cross-validation."""
    were = "The model was" if n_models == 1 else f"The {n_models:,} models were"
    same = "" if n_models == 1 else "the same "
    rows = rows_as_text(sample)
    if sample.averaged == "column":  # in which positives are counted
        rows = f"{rows} in all columns"
    if not sample.n_folds:
        return f"{were} scored on {same}{rows}."
    return (
        f"{were} cross-validated in {same}{count_as_text(sample.n_folds, 'fold')}, whose test rows "
        f"were ranked together (Parker, Günter and Bedo 2007): {rows}."
    )


def _source_of_variance(sample: Sample, estimate: Estimate) -> str:
    """Return what the variance is computed from."""
    if sample.averages_units:
        return "queries"
    influence = cast(Definition, sample.definition).influence(estimate.counts)
    return "half samples" if influence is None else "influences"


def _units_as_text(sample: Sample) -> str:
    """Write what is sampled."""
    units = plural(sample.unit or "unit")
    are_of_queries = sample.unit == "cluster" and sample.averaged == "query"
    return f"{units} of queries" if are_of_queries else units
