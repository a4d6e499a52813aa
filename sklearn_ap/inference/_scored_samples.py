"""What a scored sample holds: its rows, positives and units, and the positives of each score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple, cast

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, ratio
from sklearn_ap._inputs.rankings import Rankings, ZeroDivision
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import Averaged, Mean, Sample, Unit
from sklearn_ap._types import Array, Bool, Float, Index, Name
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap._uncertainty.rows import unscored_units
from sklearn_ap.definitions import Definition
from sklearn_ap.metrics import average_rankings, leaves_out_undefined


class ScoredSample(NamedTuple):
    """A sample, with the positives of each of its scores and their names."""

    sample: Sample
    n_positives: Float  # whatever they weigh; of a mean, those of all its rankings
    prevalence: Float  # the target, or the share of weight; of a mean, the mean of the shares
    names: tuple[Name, ...] = ()  # of several scores; empty for one

    def repeat(self, models: Sequence[str]) -> ScoredSample:
        """Return the same for the scores of each model, if these have names."""
        if not models:
            return self
        names = tuple((model, ranking) for model in models for ranking in self.names)
        return ScoredSample(
            self.sample,
            np.tile(self.n_positives, len(models)),
            np.tile(self.prevalence, len(models)),
            names or tuple(models),
        )


def describe_rankings(
    definition: Definition,
    request: Request,
    rankings: Rankings,
    counts: ThresholdCounts,
    n_folds: int | None = None,
) -> ScoredSample:
    """Describe the rows of a request, or of a pool of folds; these are counts of its rankings."""
    # 1 0 1 0 -> 2 positives, also with weights of 3, 1, 1 and 1
    sampling = rankings.sampling
    n_positives, n_unscored = counts.n_positives.astype(np.float64), counts.unscored
    if rankings.weight is not None:
        n_unscored = unscored_units(rankings)[0]
        n_positives = rankings.n_hits + n_unscored
    unit: Unit = "row"
    n_units = None
    if request.clusters is not None:
        unit, n_units = "cluster", int(cast(Index, sampling.clusters).max()) + 1
    elif sampling.takes_rankings and request.average != "samples":
        unit, n_units = "query", rankings.n_rankings
    # A fraction would not print as a float does.
    target = None if request.prevalence is None else float(request.prevalence)
    sample = Sample(
        definition=definition,
        target_prevalence=target,
        mean=_mean_of_rankings(request, rankings, counts),
        n_rows=sampling.n_rows,
        n_unscored=float(n_unscored.sum()),
        unit=unit,
        n_units=n_units,
        n_folds=n_folds,
    )
    names: tuple[Name, ...] = ()
    if sampling.average is None and rankings.gives_array:
        names = tuple(rankings.names or range(rankings.n_rankings))
    weights = rankings.weight_in_average(counts.n_positives)
    has_weights = request.sample_weight is not None
    return _describe(sample, counts, n_positives, names, weights, has_weights=has_weights)


def _mean_of_rankings(request: Request, rankings: Rankings, counts: ThresholdCounts) -> Mean | None:
    """Return how rankings became one number, and how many of these have no score to average."""
    average, has_queries = request.average, request.queries is not None
    n_averaged = request.n_columns if average == "micro" else rankings.n_rankings
    if average is None or (n_averaged == 1 and not rankings.sampling.takes_rankings):
        return None
    n_undefined = 0
    if average != "micro":  # which ranks the cells of all columns together
        n_undefined = number_left_out(counts, request.zero_division, request.prevalence)
    if rankings.sampling.takes_rankings:
        return Mean(average, "query" if has_queries else "row", n_averaged, n_undefined)
    averaged: Averaged = "fixed query" if has_queries else "column"
    return Mean(average, averaged, n_averaged, n_undefined, tuple(rankings.names or ()))


def number_left_out(
    counts: ThresholdCounts, zero_division: ZeroDivision, prevalence: float | None
) -> int:
    """Count the rankings without a score that have no share in their mean."""
    is_left_out = ~have_classes(counts, prevalence) & leaves_out_undefined(zero_division)
    return int(np.count_nonzero(is_left_out))


def have_classes(counts: ThresholdCounts, prevalence: float | None) -> Bool:
    """Flag the rankings with a positive and, for another prevalence, with a negative."""
    return (counts.n_positives > 0) & ((prevalence is None) | (counts.n_negatives > 0))


def describe_counts(
    definition: Definition, counts: ThresholdCounts, prevalence: float | None, mean: Mean | None
) -> ScoredSample:
    """Describe counts, which are those of queries if they have a mean."""
    has_weights = are_weighted(counts)
    sample = Sample(
        definition=definition,
        target_prevalence=None if prevalence is None else float(prevalence),
        mean=mean,
        n_rows=None if has_weights else int(counts.n_rows.sum()),
        n_unscored=float(counts.unscored.sum()),
        unit="row" if mean is None else "query",
        n_units=None if mean is None else mean.n_averaged,
    )
    names: tuple[Name, ...] = ()
    if counts.gives_array and mean is None:
        names = tuple(counts.names or range(counts.n_positives.size))
    n_positives = np.where(has_weights, np.nan, counts.n_positives)  # weights do not tell it
    weights = counts.n_positives if mean is not None and mean.average == "weighted" else None
    return _describe(sample, counts, n_positives, names, weights, has_weights=has_weights)


def _describe(
    sample: Sample,
    counts: ThresholdCounts,
    n_positives: Float,
    names: tuple[Name, ...],
    weights: Array | None,
    *,
    has_weights: bool,
) -> ScoredSample:
    """Add the positives of rankings; those without names are averaged by their weights."""
    totals = counts.n_positives + counts.n_negatives
    shares, weight_share = ratio(counts.n_positives, totals), None
    if has_weights:
        weight_share = np.nan if names else float(ratio(counts.n_positives.sum(), totals.sum()))
    if not names and shares.size > 1:
        n_positives = n_positives.sum(keepdims=True)
        shares = np.array([average_rankings(shares, weights)])
    if sample.target_prevalence is not None:
        shares = np.full(shares.shape, sample.target_prevalence)
    number = np.nan if names else float(n_positives[0])
    sample = replace(sample, n_positives=number, weight_share=weight_share)
    return ScoredSample(sample, n_positives, shares, names)


def describe_labelled(definition: Definition, request: Request, labelled: Labelled) -> ScoredSample:
    """Describe rows of which few have labels; the share of positives of all is not known."""
    are_rows = labelled.unit == "row"
    n_positives = float(np.count_nonzero(labelled.positive))
    target = None if request.prevalence is None else float(request.prevalence)
    sample = Sample(
        definition=definition,
        target_prevalence=target,
        mean=Mean("macro", "query", labelled.n_units) if labelled.unit == "query" else None,
        n_rows=labelled.n_units if are_rows else None,
        n_positives=n_positives,
        unit=labelled.unit,
        n_units=None if are_rows else labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )
    share = np.nan if target is None else target
    return ScoredSample(sample, np.array([n_positives]), np.array([share]))


class ResultOfScores(PrintedResult):
    """Numbers that are floats of one score, and arrays with an entry for each name of several."""

    sample: Sample
    names: tuple[Name, ...]
    _numbers_of_scores: ClassVar[tuple[str, ...]]  # the names of these fields

    def __post_init__(self) -> None:
        """Make floats of the numbers of one score."""
        if not self.names:
            for name in self._numbers_of_scores:
                object.__setattr__(self, name, float(*np.ravel(getattr(self, name))))

    @property
    def _numbers(self) -> dict[str, Float]:
        """All numbers as arrays, with one entry for one score."""
        return {name: np.atleast_1d(getattr(self, name)) for name in self._numbers_of_scores}

    def _names(self) -> Sequence[Name]:
        return self.names or (self.sample.score,)
