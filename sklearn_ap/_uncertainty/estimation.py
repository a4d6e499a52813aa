"""From a request to the numbers of an interval, or of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_ap._inputs import Rankings, Request, check_models, warn_if_weights_end_before
from sklearn_ap._scoring import (
    check_average_of_counts,
    check_zero_division,
    fill_undefined,
)
from sklearn_ap._uncertainty.limits import holm_adjusted, student_test, wilson_limits
from sklearn_ap._uncertainty.options import Options, check_definition
from sklearn_ap._uncertainty.sampled_queries import (
    SampledQueries,
    queries_of_counts,
    sample_queries,
)
from sklearn_ap._uncertainty.sampled_rows import SampledRows, sample_counts, sample_rows
from sklearn_ap._uncertainty.uncertainty_warnings import FEW_DIFFERENCES, warn_of
from sklearn_ap._uncertainty.variances import ScoreVariance
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence

Sample = SampledRows | SampledQueries


def estimate(
    definition: Definition, request: Request, options: Options, cautions: Sequence[str] = ()
) -> dict[str, Any]:
    """The score of a request with its interval; warns of more ``cautions``, if there are some."""
    sample = sample_models(definition, [request], options)[0]
    warn_of([*cautions, *sample.cautions()])
    return _interval(sample, options)


def estimate_from_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Any,
    zero_division: Any,
    prevalence: Any,
    options: Options,
) -> dict[str, Any]:
    """The score of counts with its interval: over queries, or over the rows of each ranking."""
    if not isinstance(counts, ThresholdCounts):
        raise TypeError(
            f"counts must be ThresholdCounts, as threshold_counts makes them, got {counts!r}."
        )
    check_average_of_counts(average)
    definition = at_prevalence(check_definition(definition), prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        sample: Any = queries_of_counts(definition, counts, weights)
    else:
        sample = _rows_of_counts(definition, counts, options)
    zero_division = check_zero_division(zero_division)
    sample = replace(sample, values=fill_undefined(sample.values, zero_division, prevalence))
    warn_of(sample.cautions())
    return _interval(sample, options)


def _rows_of_counts(
    definition: Definition, counts: ThresholdCounts, options: Options
) -> SampledRows:
    """The rows of each ranking of unweighted counts."""
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            "An interval from counts takes unweighted ones: it needs the squares of the weights, "
            "which counts do not hold. Pass the rows to average_precision_interval. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    return sample_counts(definition, counts, None if counts.several else "macro", options)


def compare(
    definition: Definition,
    requests: list[Request],
    reference: int,
    options: Options,
    cautions: Sequence[str] = (),
) -> dict[str, Any]:
    """The scores of models with their intervals, and the differences from one of them."""
    samples = sample_models(definition, requests, options)
    known = samples[reference]
    variances = [None if each is known else each.variance_of_difference(known) for each in samples]
    cautions = [*cautions, *(text for each in samples for text in each.cautions())]
    if any(each is not None and each.rests_on_few for each in variances):
        cautions.append(FEW_DIFFERENCES)
    warn_of(cautions)
    models = [
        score_with_limits(sample, options) | _difference(sample, known, variance, options)
        for sample, variance in zip(samples, variances, strict=True)
    ]
    columns = {f"{name}s": np.array([model[name] for model in models]) for name in models[0]}
    others = np.arange(len(models)) != reference
    columns["adjusted_pvalues"] = columns["pvalues"].copy()
    columns["adjusted_pvalues"][others] = holm_adjusted(columns["pvalues"][others])
    if known.is_one_number:
        columns = {name: values[:, 0] for name, values in columns.items()}
    n_positives = _n_positives(known)
    n_positives = float(n_positives[0]) if known.is_one_number else n_positives
    return columns | {"method": known.method, "n_positives": n_positives}


def sample_models(definition: Definition, requests: list[Request], options: Options) -> list[Any]:
    """The sample of each model, of queries or of rows, with undefined values filled."""
    prevalence, zero_division = requests[0].prevalence, requests[0].zero_division
    zero_division = check_zero_division(zero_division)
    definition = at_prevalence(check_definition(definition), prevalence)
    samples = []
    for sample in _draw_models(definition, check_models(requests), options):
        values = fill_undefined(sample.values, zero_division, prevalence)
        samples.append(replace(sample, values=values))
        zero_division = 0.0 if zero_division == "warn" else zero_division  # one warning is enough
    return samples


def _draw_models(
    definition: Definition, models: list[Rankings], options: Options
) -> list[SampledRows] | list[SampledQueries]:
    """The sample of each model: queries or rows."""
    first = models[0]
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, first)
    if first.are_queries:
        return [sample_queries(definition, rankings) for rankings in models]
    is_plain = first.weight is None and first.clusters is None
    if len(models) == 1 and is_plain and (first.average is None or not first.several):
        # Counts are enough, and take less time than placing the rows.
        return [sample_counts(definition, count(first.only_retrieved()), first.average, options)]
    return sample_rows(definition, models, options)


def _interval(sample: Sample, options: Options) -> dict[str, Any]:
    """What an interval holds, beside its confidence level."""
    numbers = score_with_limits(sample, options) | {"n_positives": _n_positives(sample)}
    error = sample.variance.standard_error
    numbers |= _where_defined(sample, {"standard_error": error, "bias": sample.bias})
    if sample.is_one_number:
        numbers = {name: float(value[0]) for name, value in numbers.items()}
    return numbers | {"method": sample.method}


def _n_positives(sample: Sample) -> Any:
    """The positives that each score rests on."""
    return sample.n_positives.sum(keepdims=True) if sample.is_one_number else sample.n_positives


def score_with_limits(sample: Sample, options: Options) -> dict[str, Any]:
    """The score with its limits."""
    _, variance, degrees, case_variance, _ = sample.variance
    level = options.confidence_level
    low, high = wilson_limits(sample.score, variance, degrees, level, case_variance)
    return {"estimate": sample.score} | _where_defined(sample, {"low": low, "high": high})


def _difference(
    sample: Sample, reference: Sample, found: ScoreVariance | None, options: Options
) -> dict[str, Any]:
    """The difference from the score of another model, with its limits and its p-value."""
    names = ("difference_low", "difference_high", "pvalue", "difference_standard_error")
    difference = sample.score - reference.score
    if found is None:  # the reference itself
        none = difference, difference, difference + 1, difference + np.nan
        return {"difference": difference} | dict(zip(names, none, strict=True))
    variance = found.variance * options.difference_factor
    tested = student_test(
        difference,
        variance,
        found.degrees_of_freedom,
        options.confidence_level,
        options.alternative,
    )
    error = found.standard_error * np.sqrt(options.difference_factor)
    numbers = dict(zip(names, (*tested, error), strict=True))
    return {"difference": difference} | _where_defined(sample, numbers)


def _where_defined(sample: Sample, numbers: dict[str, Any]) -> dict[str, Any]:
    """Numbers of each score, nan where it has no positive."""
    undefined = sample.is_undefined
    return {name: np.where(undefined, np.nan, number) for name, number in numbers.items()}
