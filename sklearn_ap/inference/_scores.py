"""Scores of one model, or of several on the same rows, with warnings of what these cannot tell.

All questions about models begin here: whether rows are scored, a pool of folds, or few labels that
stand for all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, check_counts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Average, ZeroDivision
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.targets import warnings_of_scores
from sklearn_ap._results.sample import Mean
from sklearn_ap._results.text import names_as_text, rounded_down_as_text
from sklearn_ap._results.uncertainty_warnings import (
    UncertaintyWarning,
    WarningName,
    add_name,
    issue_warnings,
    name_models,
)
from sklearn_ap._types import Argument, Array, Bool, Name
from sklearn_ap._uncertainty.estimate import Estimate, estimate_of_each, place_counts
from sklearn_ap._uncertainty.few_labels import Labelled, models_of_labels
from sklearn_ap._uncertainty.joint import Joint
from sklearn_ap._uncertainty.means import MeanOfQueries
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference._few_labels_warnings import about_unlike_labels, warnings_of_labels
from sklearn_ap.inference._labelled_rows import labelled_rows
from sklearn_ap.inference._pools import FOLD_FACTOR, pool_models, refuse_beside_folds
from sklearn_ap.inference._scored_samples import (
    ScoredSample,
    describe_counts,
    describe_labelled,
    describe_rankings,
    number_left_out,
)
from sklearn_ap.inference.folds import FoldPredictions
from sklearn_ap.metrics import check_average_of_counts, fill_undefined, warn_if_reversed

# With fewer effective clusters, the degrees of freedom of equation 9 are themselves uncertain.
# In simulations, 89 to 93 of 100 intervals of a recall over fewer contain it, over more 93 to 95.
LEAST_CLUSTERS = 16
# Negatives in so small a share of the clusters that have positives may be all those of a few. The
# warning is there for 99 of 100 samples of which 85 % are covered, and for 2 of 100 others.
FEW_OF_NEGATIVES = 0.5
# One negative that stands for more than one positive decides about the score by itself.
LEAST_NEGATIVES = 1.0


def score_models(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str] = (),
    *,
    inclusion_probability: Argument,
    judge: Argument,
    rng: int,
) -> tuple[Joint, ScoredSample]:
    """Score models, of which one has no name, and warn of what their sample cannot tell."""
    request = requests[0]
    few_labels = {"inclusion_probability": inclusion_probability, "judge": judge}
    if any(isinstance(each.y_score, FoldPredictions) for each in requests):
        refuse_beside_folds(labels=request.labels, n_positives=request.n_positives, **few_labels)
        pools, warnings = pool_models(requests, names)
        pooled = [pool.request for pool in pools]
        return _score_rows(definition, pooled, names, rng, warnings, pools[0].n_folds)
    if inclusion_probability is not None or judge is not None:
        labelled, scores = labelled_rows(requests, **few_labels)
        if inclusion_probability is None and (text := about_unlike_labels(labelled, scores)):
            raise ValueError(
                f'{text} If they were drawn at random, pass inclusion_probability="equal".'
            )
        if not labelled.is_complete:
            return _score_labels(definition, request, names, labelled, scores)
    warnings = name_models([warnings_of_scores(each.y_score) for each in requests], names)
    return _score_rows(definition, requests, names, rng, warnings)


def _score_rows(
    definition: Definition,
    requests: Sequence[Request],
    names: Sequence[str],
    rng: int,
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
    described = describe_rankings(definition, request, rankings[0], estimate.counts, n_folds)
    if not (n_folds and warnings):  # a wrong pool may be far below chance
        _warn_of_reversed_scores(definition, estimate, described, names)
    return joint, described.repeat(names)


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
    described = describe_labelled(definition, request, labelled)
    return joint, described.repeat(names)


def score_counts(
    definition: Definition,
    counts: ThresholdCounts,
    *,
    average: Average,
    zero_division: ZeroDivision,
    prevalence: float | None,
    rng: int,
) -> tuple[Estimate, ScoredSample]:
    """Score unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    adjusted = at_prevalence(definition, prevalence)
    mean = None
    if counts.gives_array and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        values = fill_undefined(adjusted.values(counts), zero_division, adjusted.prevalence)
        estimate = MeanOfQueries(values, weights).estimate(counts, adjusted.prevalence)
        n_undefined = number_left_out(counts, zero_division, prevalence)
        mean = Mean(average, "query", values.size, n_undefined)
    elif are_weighted(counts):
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
    described = describe_counts(definition, counts, prevalence, mean)
    _warn_of_reversed_scores(definition, estimate, described)
    return estimate, described


def _warn_of_reversed_scores(
    definition: Definition,
    estimate: Estimate,
    described: ScoredSample,
    names: Sequence[Name] = (),
) -> None:
    """Warn of scores of one ranking that seem to rank the negatives first."""
    if estimate.prevalence is None and described.sample.mean is None:
        counts, values = estimate.counts, estimate.value
        warn_if_reversed(definition, counts, values, lambda: estimate.n_effective, names)


# ---- warnings: intervals of such samples are wrong more often than others, in simulations of each
# kind on both sides of its limit. Wide intervals need no warning.


def warnings_of_sample(
    estimate: Estimate, segments: Sequence[Name] = ()
) -> list[UncertaintyWarning]:
    """Return the warnings of scores over rows or clusters, with the names of segments.

    A mean over queries has none: it knows no number of negatives.
    """
    warnings: list[UncertaintyWarning] = []
    if estimate.has_clusters.any():
        warnings += _few_clusters(estimate, segments)
    if estimate.prevalence is not None:
        warnings += _few_negatives(estimate, estimate.prevalence, segments)
    return warnings


def _few_clusters(estimate: Estimate, segments: Sequence[Name]) -> list[UncertaintyWarning]:
    """Warn of few clusters with several rows; one of them already has the limits 0 and 1."""
    # 8 clusters of as many positives -> a warning, as 8 is below 16
    is_known = estimate.has_clusters & estimate.has_several_units
    is_known &= estimate.is_defined & ~np.isnan(estimate.n_negatives)
    n, n_negatives = estimate.n_effective, estimate.n_negatives
    are_few = is_known & (n < LEAST_CLUSTERS * (1 - RELATIVE_TOLERANCE))
    if np.any(are_few):
        text = (
            f"The interval rests on few clusters: the effective number of those with positives is "
            f"as low as {rounded_down_as_text(n[are_few].min())}. Below {LEAST_CLUSTERS}, it may "
            f"be too narrow. Collect more clusters."
        )
        return [_warning(text, "few clusters", segments, are_few)]
    share = np.where(is_known, n_negatives / np.maximum(n, 1.0), np.inf)
    are_few = share < FEW_OF_NEGATIVES * (1 - RELATIVE_TOLERANCE)
    if np.any(are_few):
        worst = np.argmin(share)
        text = (
            f"Few clusters hold most negatives: the effective number of clusters is "
            f"{rounded_down_as_text(n[worst])} by positives, and "
            f"{rounded_down_as_text(n_negatives[worst])} by negatives. Other clusters may hold as "
            f"many, so the interval may be too narrow. Collect more clusters."
        )
        return [_warning(text, "few clusters", segments, are_few)]
    return []


def _few_negatives(
    estimate: Estimate, prevalence: float, segments: Sequence[Name]
) -> list[UncertaintyWarning]:
    # At a prevalence of .01, 99 negatives stand for one positive.
    n_positives = estimate.n_negatives * prevalence / (1 - prevalence)
    needed = LEAST_NEGATIVES * (1 - RELATIVE_TOLERANCE)
    are_few = estimate.is_defined & (n_positives < needed)  # nan is not
    if not np.any(are_few):
        return []
    text = (
        f"At this prevalence, the negatives stand for as few as "
        f"{rounded_down_as_text(n_positives[are_few].min())} positives. Below 1, a single negative "
        f"decides about the score, and the limits cannot tell how many rank high. Collect more "
        f"negatives."
    )
    return [_warning(text, "few negatives", segments, are_few)]


def _warning(
    text: str, name: WarningName, segments: Sequence[Name], is_meant: Bool
) -> UncertaintyWarning:
    """Make a warning that names the segments that it is about, if there are any."""
    warning = UncertaintyWarning(text, name)
    if not segments:
        return warning
    names = [repr(str(segments[place])) for place in np.flatnonzero(is_meant).tolist()]
    return add_name(names_as_text(names), warning)
