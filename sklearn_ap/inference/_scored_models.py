"""Scores of one model, or of several on the same rows, and what their sample holds.

All questions about models begin here: whether rows are scored, a pool of folds, or few labels that
stand for all rows, and what each warns of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, cast

import numpy as np

from sklearn_ap._counts.averages import ZeroDivision, average_rankings
from sklearn_ap._counts.thresholds import (
    ThresholdCounts,
    are_weighted,
    positive_shares,
    ratio,
)
from sklearn_ap._inputs.rankings import Average, Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import Averaged, Mean, Sample, Unit
from sklearn_ap._types import Argument, Array, Float, Index, Name
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.few_labels import Labelled, ModelsOfLabels, models_of_labels
from sklearn_ap._uncertainty.joint import Joint, models_of
from sklearn_ap._uncertainty.label_warnings import about_unlike_labels, warnings_of_labels
from sklearn_ap._uncertainty.sample_warnings import (
    UncertaintyWarning,
    issue_warnings,
    name_models,
    warnings_of_sample,
    warnings_of_scores,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._step import warn_if_reversed
from sklearn_ap.inference._labelled_rows import label_weightless_rows, labelled_rows
from sklearn_ap.inference.folds import FoldPredictions, pool_models, refuse_beside_folds


class ScoredModels(NamedTuple):
    """The scores of models, with what results say of their sample."""

    joint: Joint
    described: ScoredSample
    labels: ModelsOfLabels | None = None  # where few stand for all rows


def score_models(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str] = (),
    *,
    inclusion_probability: Argument,
    judge: Argument,
    rng: Argument,
) -> ScoredModels:
    """Score models, of which one has no name, and warn of what their sample cannot tell."""
    request = requests[0]
    few_labels = {"inclusion_probability": inclusion_probability, "judge": judge}
    if any(isinstance(each.y_score, FoldPredictions) for each in requests):
        refuse_beside_folds(labels=request.labels, n_positives=request.n_positives, **few_labels)
        pools, warnings = pool_models(requests, names)
        requests = [pool.request for pool in pools]
        return _score_rows(definition, requests, names, rng, warnings, pools[0].n_folds)
    if inclusion_probability is not None or judge is not None:
        labelled, scores = labelled_rows(requests, **few_labels)
        if inclusion_probability is None and (text := about_unlike_labels(labelled, scores)):
            raise ValueError(
                f'{text} If they were drawn at random, pass inclusion_probability="equal".'
            )
        if not labelled.is_complete:
            return _score_labels(definition, request, names, labelled, scores)
        requests = [label_weightless_rows(each) for each in requests]
    warnings = name_models([warnings_of_scores(each.y_score) for each in requests], names)
    return _score_rows(definition, requests, names, rng, warnings)


def _score_rows(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str],
    rng: Argument,
    warnings: Sequence[UncertaintyWarning],
    n_folds: int | None = None,
) -> ScoredModels:
    """Score rows, and warn of samples that are too small."""
    request = requests[0]
    rankings = [check_rankings(each, all_items=True) for each in requests]
    joint = models_of(definition, request, rankings, rng, are_folds=n_folds is not None)
    estimate = joint.estimate
    if names:
        joint.check_is_tried()
    issue_warnings([*warnings, *warnings_of_sample(estimate)])
    described = sample_of_rankings(definition, request, rankings[0], estimate.counts, n_folds)
    if not (n_folds and warnings):  # a wrong pool may be far below chance
        warn_of_reversed_scores(definition, estimate, described, names)
    return ScoredModels(joint, described.repeat(names) if names else described)


def _score_labels(
    definition: Definition,
    request: Request,
    names: Sequence[str],
    labelled: Labelled,
    scores: Sequence[Array],
) -> ScoredModels:
    """Score rows of which few have labels, and warn of what labels cannot tell."""
    joint = models_of_labels(definition, request, labelled, scores)
    issue_warnings([*warnings_of_sample(joint.estimate), *warnings_of_labels(labelled, scores)])
    described = sample_of_labels(definition, request, labelled)
    return ScoredModels(joint, described.repeat(names) if names else described, joint)


def warn_of_reversed_scores(
    definition: Definition,
    estimate: Estimate,
    described: ScoredSample,
    names: Sequence[Name] = (),
) -> None:
    """Warn of scores that seem to rank the negatives first, of one ranking or of a mean."""
    if estimate.prevalence is None:
        counts, values = estimate.counts, estimate.value
        share = float(described.prevalence[0]) if described.sample.mean else None
        warn_if_reversed(definition, counts, values, lambda: estimate.n_effective, names, share)


# ---- what a sample holds


class ScoredSample(NamedTuple):
    """A sample, with the positives of each of its scores and their names."""

    sample: Sample
    n_positives: Float  # whatever they weigh; of a mean, those of all its rankings
    prevalence: Float  # the target, or the share of weight; of a mean, the mean of the shares
    names: tuple[Name, ...] = ()  # of several scores; empty for one

    def repeat(self, models: Sequence[str]) -> ScoredSample:
        """Return the same for the scores of each model."""
        names = tuple((model, ranking) for model in models for ranking in self.names)
        return ScoredSample(
            self.sample,
            np.tile(self.n_positives, len(models)),
            np.tile(self.prevalence, len(models)),
            names or tuple(models),
        )


def sample_of_rankings(
    definition: Definition,
    request: Request,
    rankings: Rankings,
    counts: ThresholdCounts,
    n_folds: int | None = None,
) -> ScoredSample:
    """Describe the rows of a request, or of a pool of folds; these are counts of its rankings."""
    has_several = rankings.sampling.average is None and rankings.several
    number, n_unscored = _positives(rankings, counts)
    unit, n_units = _units(request, rankings)
    sample = Sample(
        definition=definition,
        target_prevalence=_number(request.prevalence),
        mean=_mean(request, rankings, counts),
        n_rows=rankings.sampling.n_rows,
        n_positives=np.nan if has_several else float(number.sum()),
        n_unscored=n_unscored,
        weight_share=_weight_share(counts, request.sample_weight is not None, has_several),
        unit=unit,
        n_units=n_units,
        n_folds=n_folds,
    )
    names = rankings.names or range(rankings.n_rankings)
    weights = rankings.weight_in_average(counts.n_positives)
    return _scored(sample, number, positive_shares(counts), names if has_several else (), weights)


def _mean(request: Request, rankings: Rankings, counts: ThresholdCounts) -> Mean | None:
    """Return how rankings became one number, and how many of these have no score to average."""
    average, has_queries = request.average, request.queries is not None
    n = request.n_columns if average == "micro" else rankings.n_rankings
    if average is None or (n == 1 and not rankings.sampling.takes_rankings):
        return None
    n_undefined = 0
    if rankings.n_rankings > 1:
        n_undefined = _n_undefined(counts, request.zero_division, request.prevalence)
    if rankings.sampling.takes_rankings:
        return Mean(average, "query" if has_queries else "row", n, n_undefined)
    averaged: Averaged = "fixed query" if has_queries else "column"
    return Mean(average, averaged, n, n_undefined, tuple(rankings.names or ()))


def _n_undefined(
    counts: ThresholdCounts, zero_division: ZeroDivision, prevalence: float | None
) -> int:
    """Count the rankings whose scores are nan, which have no share in a mean."""
    if zero_division == zero_division:  # no nan
        return 0
    is_defined = counts.n_positives > 0
    if prevalence is not None:
        is_defined &= counts.n_negatives > 0
    return int(np.count_nonzero(~is_defined))


def _positives(rankings: Rankings, counts: ThresholdCounts) -> tuple[Float, float]:
    """Count the positives of each ranking, and those of all that were never scored."""
    # 1 0 1 0 -> 2 and 0, also with weights of 3, 1, 1 and 1
    n_unscored: Float = counts.unscored.astype(np.float64)
    if rankings.weight is None:
        return counts.n_positives.astype(np.float64), float(n_unscored.sum())
    n_hits = rankings.n_hits
    # Each positive that is no row weighs as much as those that were scored.
    weight = np.where(n_hits > 0, rankings.weight_of_hits / np.maximum(n_hits, 1), 1.0)
    n_unscored = np.rint(n_unscored / weight)
    return n_hits + n_unscored, float(n_unscored.sum())


def _units(request: Request, rankings: Rankings) -> tuple[Unit, int | None]:
    """Return what was sampled, and how many clusters or queries there are."""
    if request.clusters is not None:
        clusters = rankings.sampling.clusters
        return "cluster", int(cast(Index, clusters).max()) + 1
    if rankings.sampling.takes_rankings and request.average != "samples":
        return "query", rankings.n_rankings
    return "row", None


def sample_of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Average,
    prevalence: float | None,
    zero_division: ZeroDivision,
) -> ScoredSample:
    """Describe the rows of counts: several are queries, unless ``average`` is None."""
    mean = None
    if counts.several and average is not None:
        n_undefined = _n_undefined(counts, zero_division, prevalence)
        mean = Mean(average, "query", counts.starts.size, n_undefined)
    has_several = counts.several and average is None
    is_weighted = are_weighted(counts)
    number = counts.n_positives.astype(np.float64)
    if is_weighted:  # which do not tell
        number = np.full(number.size, np.nan)
    sample = Sample(
        definition=definition,
        target_prevalence=_number(prevalence),
        mean=mean,
        n_rows=None if is_weighted else int(counts.n_rows.sum()),
        n_positives=np.nan if has_several else float(number.sum()),
        n_unscored=float(counts.unscored.sum()),
        weight_share=_weight_share(counts, is_weighted, has_several),
        unit="row" if mean is None else "query",
        n_units=None if mean is None else mean.n_averaged,
    )
    names = counts.names or range(number.size)
    weights = counts.n_positives if average == "weighted" else None
    return _scored(sample, number, positive_shares(counts), names if has_several else (), weights)


def sample_of_labels(definition: Definition, request: Request, labelled: Labelled) -> ScoredSample:
    """Describe rows of which few have labels; the share of positives of all is not known."""
    are_queries, are_rows = labelled.unit == "query", labelled.unit == "row"
    n_positives = float(np.count_nonzero(labelled.positive))
    sample = Sample(
        definition=definition,
        target_prevalence=_number(request.prevalence),
        mean=Mean("macro", "query", labelled.n_units) if are_queries else None,
        n_rows=labelled.n_units if are_rows else None,
        n_positives=n_positives,
        unit=labelled.unit,
        n_units=None if are_rows else labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )
    return _scored(sample, np.array([n_positives]), np.full(1, np.nan))


def _weight_share(counts: ThresholdCounts, is_weighted: bool, has_several: bool) -> float | None:
    """Return the share of the weight of all rankings that is positive; nan if it is not one."""
    if not is_weighted:
        return None
    n_positives, n_negatives = counts.n_positives.sum(), counts.n_negatives.sum()
    return np.nan if has_several else float(ratio(n_positives, n_positives + n_negatives))


def _scored(
    sample: Sample,
    n_positives: Float,
    shares: Float,
    names: Iterable[Name] = (),
    weights: Array | None = None,
) -> ScoredSample:
    """Add up rankings without names, which one score averages; a target takes their shares' place.

    ``weights`` are those of the mean.
    """
    if not names and shares.size > 1:
        n_positives = n_positives.sum(keepdims=True)
        shares = np.array([average_rankings(shares, weights)])
    if sample.target_prevalence is not None:
        shares = np.full(shares.shape, sample.target_prevalence)
    return ScoredSample(sample, n_positives, shares, tuple(names))


def _number(prevalence: Argument) -> float | None:
    """Return a prevalence that was checked as a float, which prints; fractions need not."""
    return None if prevalence is None else float(prevalence)


# ---- what results of scores share


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
