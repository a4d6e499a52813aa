"""Scores of one model, or of several on the same rows, and what their sample holds.

All questions about models begin here: whether rows are scored, a pool of folds, or few labels that
stand for all rows, and what each warns of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, cast

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, check_counts, ratio
from sklearn_ap._inputs.rankings import (
    Rankings,
    average_rankings,
    check_average_of_counts,
    fill_undefined,
)
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.targets import warnings_of_scores
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import Averaged, Mean, Sample, Unit
from sklearn_ap._results.uncertainty_warnings import UncertaintyWarning, issue_warnings, name_models
from sklearn_ap._types import Argument, Array, Float, Index, Name
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    estimate_of_each,
    n_unscored_of_items,
    place_counts,
)
from sklearn_ap._uncertainty.few_labels import Labelled, models_of_labels
from sklearn_ap._uncertainty.few_labels_warnings import about_unlike_labels, warnings_of_labels
from sklearn_ap._uncertainty.joint import Joint
from sklearn_ap._uncertainty.means import MeanOfQueries
from sklearn_ap._uncertainty.sample_warnings import warnings_of_sample
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.definitions._step import warn_if_reversed
from sklearn_ap.inference._labelled_rows import label_weightless_rows, labelled_rows
from sklearn_ap.inference.folds import (
    FOLD_FACTOR,
    FoldPredictions,
    pool_models,
    refuse_beside_folds,
)


def score_models(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str] = (),
    *,
    inclusion_probability: Argument,
    judge: Argument,
    rng: Argument,
) -> tuple[Joint, ScoredSample]:
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
) -> tuple[Joint, ScoredSample]:
    """Score rows, and warn of samples that are too small."""
    request = requests[0]
    rankings = [check_rankings(each, all_items=True) for each in requests]
    factor = FOLD_FACTOR if n_folds else 1.0
    joint = models_of_rows(definition, request, rankings, rng, difference_factor=factor)
    estimate = joint.estimate
    if names:
        joint.check_is_tried()
    issue_warnings([*warnings, *warnings_of_sample(estimate)])
    described = sample_of_rankings(definition, request, rankings[0], estimate.counts, n_folds)
    if not (n_folds and warnings):  # a wrong pool may be far below chance
        _warn_of_reversed_scores(definition, estimate, described, names)
    return joint, described.repeat(names) if names else described


def _score_labels(
    definition: Definition,
    request: Request,
    names: Sequence[str],
    labelled: Labelled,
    scores: Sequence[Array],
) -> tuple[Joint, ScoredSample]:
    """Score rows of which few have labels, and warn of what labels cannot tell."""
    joint = models_of_labels(definition, request, labelled, scores)
    issue_warnings([*warnings_of_sample(joint.estimate), *warnings_of_labels(labelled, scores)])
    described = sample_of_labels(definition, request, labelled)
    return joint, described.repeat(names) if names else described


def score_counts(
    definition: Definition,
    counts: Argument,
    *,
    average: Argument,
    zero_division: Argument,
    prevalence: Argument,
    rng: Argument,
) -> tuple[Estimate, ScoredSample]:
    """Score unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    adjusted = at_prevalence(definition, prevalence)
    weights = counts.n_positives if average == "weighted" else None
    mean, is_weighted = None, are_weighted(counts)
    if counts.several and average is not None:
        values = fill_undefined(adjusted.values(counts), zero_division, adjusted.prevalence)
        estimate = MeanOfQueries(values, weights).estimate(counts, adjusted.prevalence)
        mean = Mean(average, "query", values.size, int(np.count_nonzero(np.isnan(values))))
    elif is_weighted:
        raise ValueError(
            "An interval from counts takes unweighted ones, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    else:
        placed = place_counts(adjusted, counts)
        values = fill_undefined(placed.values, zero_division, adjusted.prevalence)
        estimate = estimate_of_each(placed, values, rng)
    issue_warnings(warnings_of_sample(estimate))
    described = _describe(
        counts,
        # Weighted ones do not tell.
        np.where(is_weighted, np.nan, counts.n_positives),
        prevalence,
        names=counts.names or range(values.size) if counts.several and mean is None else (),
        weights=weights,
        is_weighted=is_weighted,
        definition=definition,
        mean=mean,
        n_rows=None if is_weighted else int(counts.n_rows.sum()),
        n_unscored=float(counts.unscored.sum()),
        unit="row" if mean is None else "query",
        n_units=None if mean is None else values.size,
    )
    _warn_of_reversed_scores(definition, estimate, described)
    return estimate, described


def _warn_of_reversed_scores(
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
    sampling = rankings.sampling
    n_positives, n_unscored = _positives(rankings, counts)
    unit: Unit = "row"
    n_units = None
    if request.clusters is not None:
        unit, n_units = "cluster", int(cast(Index, sampling.clusters).max()) + 1
    elif sampling.takes_rankings and request.average != "samples":
        unit, n_units = "query", rankings.n_rankings
    has_names = sampling.average is None and rankings.several
    return _describe(
        counts,
        n_positives,
        request.prevalence,
        names=rankings.names or range(rankings.n_rankings) if has_names else (),
        weights=rankings.weight_in_average(counts.n_positives),
        is_weighted=request.sample_weight is not None,
        definition=definition,
        mean=_mean(request, rankings, counts),
        n_rows=sampling.n_rows,
        n_unscored=n_unscored,
        unit=unit,
        n_units=n_units,
        n_folds=n_folds,
    )


def _describe(
    counts: ThresholdCounts,
    n_positives: Float,
    prevalence: Argument,
    *,
    names: Iterable[Name],
    weights: Array | None,
    is_weighted: bool,
    **facts: Argument,
) -> ScoredSample:
    """Describe rankings, of which those without names are averaged by their weights."""
    names = tuple(names)
    totals = counts.n_positives, counts.n_positives + counts.n_negatives
    shares, weight_share = ratio(*totals), None
    if is_weighted:
        weight_share = np.nan if names else float(ratio(totals[0].sum(), totals[1].sum()))
    if not names and shares.size > 1:
        n_positives = n_positives.sum(keepdims=True)
        shares = np.array([average_rankings(shares, weights)])
    if prevalence is not None:
        prevalence = float(prevalence)  # which prints; fractions need not
        shares = np.full(shares.shape, prevalence)
    sample = Sample(
        target_prevalence=prevalence,
        n_positives=np.nan if names else float(n_positives[0]),
        weight_share=weight_share,
        **facts,
    )
    return ScoredSample(sample, n_positives, shares, names)


def _mean(request: Request, rankings: Rankings, counts: ThresholdCounts) -> Mean | None:
    """Return how rankings became one number, and how many of these have no score to average."""
    average, has_queries = request.average, request.queries is not None
    n = request.n_columns if average == "micro" else rankings.n_rankings
    if average is None or (n == 1 and not rankings.sampling.takes_rankings):
        return None
    n_undefined, zero_division = 0, request.zero_division
    if rankings.n_rankings > 1 and zero_division != zero_division:  # nan has no share
        is_defined = counts.n_positives > 0
        if request.prevalence is not None:
            is_defined &= counts.n_negatives > 0
        n_undefined = int(np.count_nonzero(~is_defined))
    if rankings.sampling.takes_rankings:
        return Mean(average, "query" if has_queries else "row", n, n_undefined)
    averaged: Averaged = "fixed query" if has_queries else "column"
    return Mean(average, averaged, n, n_undefined, tuple(rankings.names or ()))


def _positives(rankings: Rankings, counts: ThresholdCounts) -> tuple[Float, float]:
    """Count the positives of each ranking, and those of all that were never scored."""
    # 1 0 1 0 -> 2 and 0, also with weights of 3, 1, 1 and 1
    if rankings.weight is None:
        return counts.n_positives.astype(np.float64), float(counts.unscored.sum())
    n_unscored = n_unscored_of_items(rankings, counts)
    return rankings.n_hits + n_unscored, float(n_unscored.sum())


def sample_of_labels(definition: Definition, request: Request, labelled: Labelled) -> ScoredSample:
    """Describe rows of which few have labels; the share of positives of all is not known."""
    are_queries, are_rows = labelled.unit == "query", labelled.unit == "row"
    n_positives = float(np.count_nonzero(labelled.positive))
    target = None if request.prevalence is None else float(request.prevalence)
    sample = Sample(
        definition=definition,
        target_prevalence=target,
        mean=Mean("macro", "query", labelled.n_units) if are_queries else None,
        n_rows=labelled.n_units if are_rows else None,
        n_positives=n_positives,
        unit=labelled.unit,
        n_units=None if are_rows else labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )
    share = np.nan if target is None else target
    return ScoredSample(sample, np.array([n_positives]), np.array([share]))


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
