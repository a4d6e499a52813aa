"""From a request to the numbers of an interval, or of a comparison."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_ap._averaging import check_average, check_zero_division, fill_undefined
from sklearn_ap._certainty.estimates import (
    Difference,
    Estimate,
    Options,
    check_definition,
    remarks_on_differences,
)
from sklearn_ap._certainty.formulas import adjust
from sklearn_ap._certainty.influences import find_units, place_models
from sklearn_ap._certainty.queries import Queries
from sklearn_ap._certainty.rows import Counted, Rows
from sklearn_ap._scoring import values_of, with_known
from sklearn_ap._validation import Rankings, Request, check_rankings, warn_if_weights_end_before
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition

__all__ = ["UncertaintyWarning", "compared", "estimated", "of_counts"]


class UncertaintyWarning(UserWarning):
    """An interval or a comparison rests on little."""


def estimated(
    definition: Definition, request: Request, clusters: Any, options: Options
) -> dict[str, Any]:
    """An estimate with its interval."""
    fill = check_zero_division(request.zero_division)
    evidence = _evidence(definition, [request], clusters, options, rows=False)[0]
    evidence.fill(fill_undefined(evidence.raw, fill))
    _warn(evidence.remarks())
    return _said(evidence, options)


def of_counts(definition: Definition, counts: ThresholdCounts, options: Options) -> dict[str, Any]:
    """The interval of counts alone, one for each ranking."""
    check_definition(definition)
    if not isinstance(counts, ThresholdCounts):
        raise TypeError(
            f"counts must be ThresholdCounts, as threshold_counts makes them, got {counts!r}."
        )
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            "An interval from counts takes unweighted ones: it needs the squares of the weights, "
            "which counts do not hold. Pass the rows to average_precision_interval."
        )
    evidence = Counted(definition, counts, None if counts.starts.size > 1 else "macro", options)
    evidence.fill(fill_undefined(evidence.raw, "warn"))
    _warn(evidence.remarks())
    return _said(evidence, options)


def compared(
    definition: Definition, requests: list[Request], place: int, clusters: Any, options: Options
) -> dict[str, Any]:
    """Estimates of models, and their differences from the one at a place."""
    fill = check_zero_division(requests[0].zero_division)
    evidence = _evidence(definition, requests, clusters, options, rows=True)
    for each in evidence:
        each.fill(fill_undefined(each.raw, fill))
        fill = 0.0 if fill == "warn" else fill  # one warning is enough
    estimates = [each.estimate(options) for each in evidence]
    zero = 0.0 * np.asarray(estimates[place].estimate)
    differences = [
        Difference(zero, zero, zero, zero, zero + 1)
        if i == place
        else each.difference(evidence[place], options)
        for i, each in enumerate(evidence)
    ]
    remarks = [text for each in evidence for text in each.remarks()]
    _warn([*remarks, *remarks_on_differences(differences)])
    return _columns(estimates, differences, place) | {"method": evidence[0].method}


def _evidence(
    definition: Definition, requests: list[Request], clusters: Any, options: Options, *, rows: bool
) -> list[Any]:
    """What the score of each model rests on: queries, rows, or counts alone if not ``rows``."""
    first = requests[0]
    check_definition(definition)
    if first.groups is not None and clusters is not None:
        raise ValueError(
            "clusters does not go with groups: each query is drawn as a whole. Pass one of them."
        )
    check_average(first.average)
    rankings = [check_rankings(request) for request in requests]
    units = find_units(first, rankings[0], clusters)
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings[0])
    if _over_queries(first):
        pairs = zip(requests, rankings, strict=True)
        return [_queries(definition, request, each, units.codes) for request, each in pairs]
    average = first.average if rankings[0].several else "macro"
    alone = average is None or not rankings[0].several
    if alone and not rows and rankings[0].weight is None and units.codes is None:
        counts = with_known(count(rankings[0]), first, rankings[0])
        return [Counted(definition, counts, average, options)]
    if definition.depth is None:  # k counts weight
        first, rankings = _tamed(first, rankings)
    resamples = options.n_resamples, options.rng
    models = place_models(definition, first, rankings, units, resamples)
    return [Rows(model, average) for model in models]


def _tamed(request: Request, rankings: list[Rankings]) -> tuple[Request, list[Rankings]]:
    """Weights whose squares are neither 0 nor infinite: only their ratios matter."""
    weight = rankings[0].weight
    if weight is None or (weight.min() > 1e-60 and weight.max() < 1e60):
        return request, rankings
    # By a power of 2, which rounds nothing: [2**-1000, 2**-990] -> [2**-5, 2**5]
    power = -int(np.frexp((weight.min(), weight.max()))[1].sum()) // 2
    if request.n_positives is not None:
        known = np.asarray(request.n_positives, dtype=np.float64)
        request = replace(request, n_positives=np.ldexp(known, power))
    return request, [replace(each, weight=np.ldexp(weight, power)) for each in rankings]


def _over_queries(request: Request) -> bool:
    """Whether a mean is taken over rankings that are drawn at random themselves."""
    if request.groups is not None:
        return request.average is not None
    shape = np.shape(request.y_score)
    return request.average == "samples" and len(shape) == 2 and shape[1] > 1


def _queries(definition: Definition, request: Request, rankings: Rankings, codes: Any) -> Queries:
    """The values of queries and their weights in the mean."""
    counts = with_known(count(rankings, definition.depth), request, rankings)
    weighted = request.average == "weighted"
    weights = counts.n_positives if weighted else rankings.average_weight
    return Queries(values_of(definition, counts), weights, counts.n_positives, codes)


def _said(evidence: Any, options: Options) -> dict[str, Any]:
    """An estimate, how it was made, and of how many positives."""
    estimate, positives = evidence.estimate(options), evidence.positives
    if np.ndim(estimate.estimate) == 0:
        estimate = Estimate(*(float(number) for number in estimate))
        positives = float(positives.sum())
    return estimate._asdict() | {"method": evidence.method, "n_positives": positives}


def _columns(
    estimates: list[Estimate], differences: list[Difference], place: int
) -> dict[str, Any]:
    """One array for each number, one entry for each model."""
    values, _, lows, highs = _across(estimates)
    apart, errors, lowest, highest, pvalues = _across([each[:-1] for each in differences])
    others = np.arange(len(estimates)) != place
    adjusted = np.ones_like(pvalues)
    adjusted[others] = adjust(pvalues[others])
    return {
        "estimates": values,
        "lows": lows,
        "highs": highs,
        "differences": apart,
        "difference_lows": lowest,
        "difference_highs": highest,
        "standard_errors": errors,
        "pvalues": pvalues,
        "adjusted_pvalues": adjusted,
    }


def _across(models: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Each number of all models, one after the other."""
    return [*np.array(models, dtype=np.float64).swapaxes(0, 1)]


def _warn(texts: list[str]) -> None:
    """Say each thing once, where the user called."""
    for text in dict.fromkeys(texts):
        warnings.warn(text, UncertaintyWarning, stacklevel=4)
