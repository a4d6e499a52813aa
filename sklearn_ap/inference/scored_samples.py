"""Scores of one model, or of several on the same rows, with doubts about what these cannot tell.

All questions about models begin here: whether rows are scored, a pool of folds, or few labels that
stand for all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple, cast
from zlib import compress, crc32

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts, ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import are_known, as_array
from sklearn_ap._inputs.options import Average, ZeroDivision
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.doubt import Doubt, issue, join_doubts
from sklearn_ap._results.result import Notes
from sklearn_ap._results.sample import Averaged, Mean, Sample, Unit
from sklearn_ap._scoring import (
    average_rankings,
    check_average_of_counts,
    fill_undefined,
    leaves_out_undefined,
    low_scores,
    only_positives,
)
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, Index, Name
from sklearn_ap._uncertainty.estimate import Estimate, ScoredRankings, estimate_of_each
from sklearn_ap._uncertainty.few_labels import Labelled, ModelsOfLabels, models_of_labels
from sklearn_ap._uncertainty.joint import Joint
from sklearn_ap._uncertainty.means import MeanOfQueries
from sklearn_ap._uncertainty.rows import rows_of_counts, unscored_units
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference.doubts.missing_results import missing_results
from sklearn_ap.inference.doubts.sample_doubts import few_clusters, few_negatives
from sklearn_ap.inference.doubts.score_doubts import (
    are_plain,
    coarse_scores,
    constant_columns,
    constant_counts,
    doubts_of_values,
    forgotten_queries,
    no_negatives,
    unequal_judgements,
)
from sklearn_ap.inference.few_labels.label_doubts import doubts_of_labels
from sklearn_ap.inference.few_labels.labelled_rows import labelled_rows
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions, refuse_several_folds
from sklearn_ap.inference.folds.pools import pool_models, refuse_beside_folds

# Of the variance of differences: the rows that one fold tests train the models of the others, so
# that errors of folds go together.
FOLD_FACTOR = 1.25
MOST_COMPARED = 1000  # numbers that tell samples apart
LEAST_COMPRESSED = 50  # bytes of them: those of 20 positives anywhere among 1,000 rows take more


class DescribedSample(NamedTuple):
    """A sample, with the positives of each of its scores and their names."""

    sample: Sample
    n_positives: Float  # whatever they weigh; of a mean, those of all its rankings
    prevalence: Float  # the target, or the share of weight; of a mean, the mean of the shares
    names: tuple[Name, ...] = ()  # of several scores; empty for one
    notes: Notes = MappingProxyType({})  # of one score by few labels
    doubts: tuple[Doubt, ...] = ()
    pattern: int | None = None  # of positives, which other samples do not share

    def numbers(self, **numbers: Float) -> Mapping[str, FloatOrArray]:
        """Return numbers of all scores: arrays of several, and floats of one."""
        if self.names:
            return numbers
        return {name: values.item() for name, values in numbers.items()}

    def repeat(self, models: Sequence[str]) -> DescribedSample:
        """Return the same for the scores of each of these models."""
        names = tuple((model, ranking) for model in models for ranking in self.names)
        return DescribedSample(
            self.sample,
            np.tile(self.n_positives, len(models)),
            np.tile(self.prevalence, len(models)),
            names or tuple(models),
            doubts=self.doubts,
            pattern=self.pattern,
        )


def score_models(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str] = (),
    *,
    inclusion_probability: Argument,
    judge: Argument,
) -> tuple[Joint, DescribedSample]:
    """Score models, of which one has no name, and warn of what their sample cannot tell.

    The sample is described with the scores of the first model.
    """
    request = requests[0]
    few_labels = {"inclusion_probability": inclusion_probability, "judge": judge}
    for each in requests:
        if isinstance(each.y_score, list | tuple):
            refuse_several_folds(each.y_score)
    if any(isinstance(each.y_score, FoldPredictions) for each in requests):
        refuse_beside_folds(labels=request.labels, n_positives=request.n_positives, **few_labels)
        pools, doubts = pool_models(requests, names)
        pooled = [pool.request for pool in pools]
        return _score_rows(definition, pooled, names, pools[0].n_folds, doubts)
    if inclusion_probability is not None or judge is not None:
        labelled, scores = labelled_rows(requests, **few_labels)
        has_labels = are_known(as_array("y_true", request.y_true))  # also where weights are 0
        if not (has_labels.all() and np.all(labelled.probability == 1)):
            return _score_labels(definition, requests, names, labelled, scores)
    return _score_rows(definition, requests, names)


def _score_rows(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str],
    n_folds: int | None = None,
    doubts_of_folds: Sequence[Doubt] = (),
) -> tuple[Joint, DescribedSample]:
    """Score rows, and warn of samples that are too small."""
    request = requests[0]
    rankings = []
    for each, name in zip_longest(requests, names):
        try:
            rankings.append(check_rankings(each, all_items=True))
        except InputError as error:
            if name is not None:
                error.add_note(f"These are the rows of {name!r}.")
            raise
    factor = FOLD_FACTOR if n_folds else 1.0
    joint = models_of_rows(definition, request, rankings, difference_factor=factor)
    if names:
        joint.check_is_tried()
    estimate, first, counts = joint.estimate, rankings[0], joint.estimate.counts
    described = describe_rankings(definition, estimate.prevalence, request, first, counts, n_folds)
    doubts = [*doubts_of_folds]
    own = [
        doubts_of_values(each.score, each.n_rankings)
        or (constant_columns(each) if each.n_rankings > 1 else [])
        for each in rankings
    ]
    # As a pool may have its own
    doubts += [doubt for doubt in join_doubts(own, names) if doubt not in doubts]
    is_column = request.queries is None and first.score.size == first.sampling.n_rows
    if names and is_column and not n_folds:  # within queries, ties may be few
        doubts += coarse_scores([each.score for each in rankings], names)
    doubts += _missing_results(rankings, names)
    doubts += only_positives(first, counts, joint.column_values[0])
    is_doubtful = not counts.n_negatives.any() and not first.sampling.takes_rankings
    if is_doubtful and are_plain(each.y_score for each in requests):
        are_retrieved = all((each.score > -np.inf).all() for each in rankings)
        doubts += _no_negatives(counts) if are_retrieved else []
    doubts += doubts_of_sample(estimate, described.names)
    models = [each.y_score for each in requests]
    doubts += forgotten_queries(models, request.queries)
    if not doubts_of_folds:  # a wrong pool may be far below chance
        doubts += low_scores(joint.definition, counts, joint.column_values, rankings, names)
    issue(doubts)
    doubts += unequal_judgements(models, names)
    return joint, described._replace(doubts=(*doubts,))


def _no_negatives(counts: ThresholdCounts) -> list[Doubt]:
    """Doubt the rows of one ranking."""
    if counts.n_negatives.size > 1:
        return []
    return no_negatives(
        counts.gained.sum().item(), counts.n_positives.item(), counts.n_negatives.item()
    )


def _missing_results(rankings: Sequence[Rankings], names: Sequence[str]) -> list[Doubt]:
    """Doubt models that retrieved nothing in many queries, or clusters of rows."""
    first, scores = rankings[0], [each.score for each in rankings]
    if first.sampling.takes_rankings:
        unit, words = first.ranking_of_items, ("query", "document")
    elif first.sampling.clusters is not None:
        unit, words = first.unit_of_items, ("cluster", "row")
    else:
        return []
    return missing_results(scores, names, first.positive, unit, words)


def _score_labels(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str],
    labelled: Labelled,
    scores: Sequence[Array],
) -> tuple[Joint, DescribedSample]:
    """Score rows of which few have labels, and warn of what labels cannot tell."""
    request, models = requests[0], [each.y_score for each in requests]
    joint = models_of_labels(definition, request, labelled, scores)
    doubts = [
        *join_doubts([*map(doubts_of_values, scores)], names),
        *(coarse_scores(scores, names) if names and request.queries is None else []),
        *doubts_of_sample(joint.estimate),
        *(_no_negatives(joint.estimate.counts) if labelled.judged is None else ()),
        *doubts_of_labels(labelled, scores),
        *forgotten_queries(models, request.queries),
        *_low_scores_of_labelled(labelled, scores, names),
    ]
    issue(doubts)
    doubts += unequal_judgements(models, names)
    return joint, describe_labelled(definition, joint)._replace(doubts=(*doubts,))


def _low_scores_of_labelled(
    labelled: Labelled, scores: Sequence[Array], names: Sequence[str]
) -> list[Doubt]:
    """Doubt models that rank labelled negatives first, as they are and as they stand for others.

    By weights alone, alerts would be above all positives where no other negative has a label.
    """
    seen = labelled.is_labelled
    unit = labelled.unit_of_labelled

    def low(weight: Float | None) -> list[Doubt]:
        """Doubt models by the labelled rows with these weights."""
        rankings = [
            check_rankings(
                Request(
                    y_true=labelled.positive[seen],
                    y_score=score[seen],
                    sample_weight=weight,
                    queries=unit if labelled.unit == "query" else None,
                    clusters=unit if labelled.unit == "cluster" else None,
                ),
                all_items=True,
            )
            for score in scores
        ]
        counts = [count(each) for each in rankings]
        values = np.array([[np.nan_to_num(Step().values(each)).mean()] for each in counts])
        return low_scores(Step(), counts[0], values, rankings, names)

    doubts = low(labelled.weight_of_labelled)
    about = {doubt.about for doubt in low(None)} if doubts else set()
    return [doubt for doubt in doubts if doubt.about in about]


def score_counts(
    definition: Definition,
    counts: ThresholdCounts,
    *,
    average: Average,
    zero_division: ZeroDivision,
    prevalence: float | None,
) -> tuple[Estimate, DescribedSample]:
    """Score unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    adjusted = at_prevalence(definition, prevalence)
    mean = None
    if counts.gives_array and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        values = fill_undefined(
            adjusted.values(counts), zero_division, adjusted.prevalence, counts.names
        )
        estimate = MeanOfQueries(values, weights).estimate(counts, adjusted.prevalence)
        n_undefined = number_left_out(counts, zero_division, adjusted.prevalence)
        mean = Mean(average, "query", values.size, n_undefined)
    elif counts.are_weighted:
        raise InputError(
            "An interval from counts takes unweighted counts, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    else:
        scored = ScoredRankings(adjusted, counts, rows_of_counts(counts))
        values = fill_undefined(scored.values, zero_division, adjusted.prevalence, counts.names)
        estimate = estimate_of_each(scored, values)
    described = describe_counts(definition, adjusted.prevalence, counts, mean)
    doubts = [*constant_counts(counts), *doubts_of_sample(estimate, described.names)]
    if mean is None and not counts.n_negatives.any():
        doubts += _no_negatives(counts)
    is_macro = mean is None or average == "macro"
    if is_macro and not counts.are_weighted:  # weights do not tell how many rows there are
        doubts += low_scores(adjusted, counts, estimate.value[None])
    issue(doubts)
    return estimate, described._replace(doubts=(*doubts,))


# ---- what was scored


def describe_rankings(
    definition: Definition,
    prevalence: float | None,
    request: Request,
    rankings: Rankings,
    counts: ThresholdCounts,
    n_folds: int | None = None,
) -> DescribedSample:
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
    sample = Sample(
        definition=definition,
        target_prevalence=prevalence,
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
    described = _describe(sample, counts, n_positives, names, weights, has_weights=has_weights)
    return described._replace(pattern=_pattern_of_positives(rankings))


def _pattern_of_positives(rankings: Rankings) -> int | None:
    """Return a number that only results of the same sample share, whatever their false alarms.

    It is a checksum of where positives are, or of how many each cluster or query has. Numbers that
    repeat themselves, as in sorted labels, compress well and tell nothing: None.
    """
    sampling = rankings.sampling
    if sampling.takes_rankings:
        numbers = rankings.n_hits
    elif sampling.clusters is None:
        numbers = np.diff(np.flatnonzero(rankings.positive))  # of rows from one to the next
    else:
        numbers = np.bincount(rankings.unit_of_items[rankings.positive])
    content = numbers[:MOST_COMPARED].astype(np.uint32).tobytes()
    return crc32(content) if len(compress(content)) >= LEAST_COMPRESSED else None


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
    columns = cast(Averaged, rankings.sampling.columns or "column")
    averaged: Averaged = "fixed query" if has_queries else columns
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
    definition: Definition, prevalence: float | None, counts: ThresholdCounts, mean: Mean | None
) -> DescribedSample:
    """Describe counts, which are those of queries if they have a mean."""
    has_weights = counts.are_weighted
    sample = Sample(
        definition=definition,
        target_prevalence=prevalence,
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
) -> DescribedSample:
    """Add the positives of rankings; those without names are averaged by their weights."""
    totals = counts.n_positives + counts.n_negatives
    shares = ratio(counts.n_positives, totals)
    weight_share = None
    if has_weights:
        weight_share = np.nan if names else float(ratio(counts.n_positives.sum(), totals.sum()))
    if not names and shares.size > 1:
        n_positives = n_positives.sum(keepdims=True)
        shares = np.array([average_rankings(shares, weights)])
    if sample.target_prevalence is not None:
        shares = np.full(shares.shape, sample.target_prevalence)
    number = np.nan if names else float(n_positives[0])
    sample = replace(sample, n_positives=number, weight_share=weight_share)
    return DescribedSample(sample, n_positives, shares, names)


def describe_labelled(definition: Definition, joint: ModelsOfLabels) -> DescribedSample:
    """Describe rows of which few have labels; the share of positives of all is not known."""
    labelled, prevalence = joint.labelled, joint.estimate.prevalence
    are_rows = labelled.unit == "row"
    n_positives = float(np.count_nonzero(labelled.positive))
    sample = Sample(
        definition=definition,
        target_prevalence=prevalence,
        mean=Mean("macro", "query", labelled.n_units) if labelled.unit == "query" else None,
        n_rows=labelled.n_units if are_rows else None,
        n_positives=n_positives,
        unit=labelled.unit,
        n_units=None if are_rows else labelled.n_units,
        n_labelled=labelled.probability_of_units.size,
    )
    share = np.nan if prevalence is None else prevalence
    return DescribedSample(sample, np.array([n_positives]), np.array([share]), notes=joint.notes)


def doubts_of_sample(estimate: Estimate, segments: Sequence[Name] = ()) -> list[Doubt]:
    """Return the doubts about scores over rows or clusters, of segments or rankings by name.

    A mean over queries has none: the queries that it may lack make its limits wide enough.
    """
    doubts: list[Doubt] = []
    if estimate.has_clusters.any():
        doubts += few_clusters(estimate, segments)
    if estimate.prevalence is not None:
        doubts += few_negatives(estimate, estimate.prevalence, segments)
    return doubts
