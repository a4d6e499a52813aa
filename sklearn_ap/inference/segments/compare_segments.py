"""Whether a model is worse in one segment of the rows than in others: scores at one prevalence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.thresholds import ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_choice, check_open_share
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.doubt import issue
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import Alternative, Float, FloatOrArray, Label, Name
from sklearn_ap._uncertainty.differences_of_samples import compare_by_limits, mover_distances
from sklearn_ap._uncertainty.estimate import Compared
from sklearn_ap._uncertainty.hidden_rows import Distances
from sklearn_ap._writing.text import names_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison_result import Comparison, Kind, differences_by_score
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions
from sklearn_ap.inference.folds.pools import pool_of
from sklearn_ap.inference.interval import interval_of_estimate
from sklearn_ap.inference.scored_samples import doubts_of_sample
from sklearn_ap.inference.segments._rows import WordOrPlace, find_reference, read_segments
from sklearn_ap.inference.segments._scores import SegmentScores, score_segments

Prevalence: TypeAlias = float | Literal["overall", "own"]

# A positive correlation over n clusters is reduced by the proportion 2 / n: over two clusters it is
# always 1 or -1, and few clusters overstate it. Without this, equal segments that share 2, 3, 5 and
# 10 clusters differed in up to 16, 10, 10 and 6 of 100 samples.
LOST_CLUSTERS = 2.0


def compare_segments(
    y_true: ArrayLike,
    y_score: ArrayLike | FoldPredictions,
    segments: ArrayLike,
    *,
    reference: Name | None = None,
    prevalence: Prevalence = "overall",
    definition: Definition | str | None = None,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare the average precision of segments of the rows, such as countries or months.

    Average precision grows with the share of positives, so segments are compared at one prevalence.
    Each is ranked by itself, so a segment whose scores are all higher, as calibrated ones are where
    positives are frequent, is not better for that.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,), or FoldPredictions
        Probabilities or decision values, higher for positives; -inf for rows not retrieved. For a
        cross-validation, pass ``FoldPredictions(cv_results, X)``.
    segments : array-like of shape (n_samples,)
        The segment of each row, at most 1,000 of them: dates, strings, numbers, or ordered
        categories, which keep their order.
    reference : "others", "previous" or the name of a segment, default=None
        What each segment is compared with. None and "others": the weighted mean of the scores of
        the other segments. "previous": the segment before it, such as the month before. Otherwise,
        one segment.
    prevalence : "overall", "own" or float, default="overall"
        The share of positives at which segments are compared: "overall" is that of all rows. "own"
        leaves each segment at its own, and differences then depend on these shares. With
        ``queries``, pass "own", which leaves each query at its own, or a number.
    definition : Definition or str, default=None
        What average precision is, as in ``average_precision_interval``.
    pos_label, sample_weight : as in average_precision_score
        A row is one case, whatever its weight.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, which lies in one segment. The score of a segment is then the mean
        over its queries, and intervals are over queries. A query without positives counts as 0.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Clusters may have rows in several segments.
    confidence_level : float, default=0.95
        How often all intervals of differences should contain the true values.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is asked of each segment: whether it differs from the reference, is better, or is
        worse. With the last two, the intervals of the differences are open on one side.

    Returns
    -------
    Comparison
        Scores of segments with their intervals, and differences from the reference with theirs. A
        segment without a score, as it has no positive, has nan.

    Warns
    -----
    UncertaintyWarning
        If segments have few clusters, or few negatives for the prevalence. For folds, as in
        ``average_precision_interval``.
    UndefinedMetricWarning
        If a segment has no positives, or if a query has none, and counts as 0.

    See Also
    --------
    average_precision_interval : The interval of one score.
    compare_average_precision : Which of several models is better on the same rows.

    Notes
    -----
    Segments share no rows. So the squared distance of a difference from its limit is the sum of the
    squares of the distances of both scores from theirs (MOVER [1]_), and less by the correlation of
    scores that share clusters [2]_. Limits of a score are its own, with room for four fifths of
    the rows that a sample may lack.

    Limits of m differences hold all at once: each has the m-th part of the error. P-values and
    verdicts agree with them. A segment of one positive, cluster or query has the limits 0 and 1, so
    it can never be shown to differ, and is not counted [3]_. Of two segments that are compared with
    each other, the second difference is the first one turned around, so they are one test.

    The weight of a segment among the others is its number of effective positives, or of queries. A
    segment of less than 10 is not among them, unless it is one of the two that have the most.

    References
    ----------
    .. [1] Newcombe (1998), "Interval estimation for the difference between independent
       proportions: comparison of eleven methods", `Statistics in Medicine 17(8), 873-890
       <https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I>`_.
    .. [2] Zou and Donner (2008), "Construction of confidence limits about effect measures: a
       general approach", Statistics in Medicine 27(10), 1693-1702,
       https://doi.org/10.1002/sim.3095.
    .. [3] Tarone (1990), "A modified Bonferroni method for discrete data", Biometrics 46(2),
       515-522, https://doi.org/10.2307/2531456.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_segments
    >>> rng = np.random.default_rng(0)
    >>> country = rng.choice(["DE", "FR", "IT"], 2000)
    >>> y_true = rng.random(2000) < np.where(country == "IT", 0.2, 0.05)
    >>> y_score = np.where(country == "FR", 1.0, 2.0) * y_true + rng.normal(size=2000)
    >>> found = compare_segments(y_true, y_score, country)
    >>> found
    step AP at prevalence 0.113, 2,000 rows, 226 positives (11.3%), 95% intervals
    over rows, simultaneous for differences
        estimate               positives  difference from the others  p-value
    DE  0.71 (0.54 to 0.82)    33 (5.2%)  +0.15 (-0.07 to +0.32)         0.27
    FR  0.32 (0.20 to 0.48)    37 (5.5%)  -0.38 (-0.53 to -0.15)       0.0006
    IT  0.69 (0.55 to 0.76)  156 (22.5%)  +0.19 (-0.01 to +0.33)       0.0598
    No difference between DE and the others is shown: +0.15 (95% interval -0.07 to
    +0.32).
    FR is worse than the others: -0.38 (95% interval -0.53 to -0.15).
    No difference between IT and the others is shown: +0.19 (95% interval -0.01 to
    +0.33).
    >>> found.difference.round(2), found.verdict.tolist()
    (array([ 0.15, -0.38,  0.19]), ['undecided', 'worse', 'undecided'])
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=None,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        zero_division=np.nan,
        clusters=clusters,
    )
    level = check_open_share("confidence_level", confidence_level)
    alternative = check_choice("alternative", alternative, Alternative)
    definition = check_definition(definition, y_score)
    segmented = read_segments(segments, request)
    pool = pool_of(request, segmented.codes)
    scored = score_segments(pool, segmented, definition, prevalence)
    names = scored.described.names
    word_or_place = find_reference(reference, names, has_order=segmented.has_order)
    _check_scores(scored, word_or_place, segmented.names)
    described = scored.described
    doubts = (*pool.doubts, *described.doubts, *doubts_of_sample(scored.estimate, names))
    issue(doubts)
    scored = replace(scored, described=described._replace(doubts=doubts))
    return _compare_segments(scored, word_or_place, level, alternative)


def _check_scores(scored: SegmentScores, reference: WordOrPlace, all_names: Sequence[Name]) -> None:
    """Refuse fewer than two scores, and a reference without one; warn of segments without one."""
    names, is_defined = scored.described.names, scored.estimate.is_defined
    lacking = [repr(str(names[place])) for place in np.flatnonzero(~is_defined).tolist()]
    why = ""
    if lacking:
        why = f" These lack positives, or negatives at a prevalence: {names_as_text(lacking)}."
    if unseen := [repr(str(name)) for name in all_names if name not in names]:
        why += f" No row of these has a weight above 0: {names_as_text(unseen)}."
    n_scored = np.count_nonzero(is_defined)
    if n_scored < 2:
        raise InputError(
            f"segments must name at least two segments with a score, got {n_scored}.{why} For "
            f"one segment, score its rows alone."
        )
    if isinstance(reference, int) and not is_defined[reference]:
        raise InputError(f"reference must have a score, but {names[reference]!r} has none.{why}")
    if why:
        warn(f"Some segments have no score.{why}", UndefinedMetricWarning)


# ---- differences of segments


def _compare_segments(
    scored: SegmentScores, reference: WordOrPlace, level: float, alternative: Alternative
) -> Comparison:
    """Compare each segment with its reference, which is "others", "previous" or a number."""
    is_known = scored.estimate.is_defined
    weights = scored.reference_weights(reference)
    # A scored segment without a reference is a reference itself
    is_compared = weights.any(axis=1) | ~is_known
    kind: Kind = "one"
    references: tuple[Name | None, ...] = ()
    if isinstance(reference, str):
        kind = reference
        names = scored.described.names
        references = tuple(
            names[each.argmax()] if np.count_nonzero(each) == 1 else None for each in weights
        )
    differences = _compare_with_means(scored, weights, level, alternative)
    compared = Compared(*(numbers[is_compared] for numbers in differences))
    return Comparison(
        scores=interval_of_estimate(scored.estimate, scored.described, level),
        **differences_by_score(compared, is_compared),
        alternative=alternative,
        kind=kind,
        references=references,
    )


def _compare_with_means(
    scored: SegmentScores, weights: Float, level: float, alternative: Alternative
) -> Compared:
    """Compare scores with the means of others that have these weights, if any: equation 29."""
    estimate = scored.estimate
    correlation = _correlations(scored.influences, weights)
    values = np.where(estimate.is_defined, estimate.value, 0.0)

    def distances(level: float) -> Distances:
        """Return how far limits are from the differences from the means."""
        down, up = (np.nan_to_num(distance) for distance in estimate.distances(level))
        reference = Distances(np.sqrt(weights**2 @ down**2), np.sqrt(weights**2 @ up**2))
        return mover_distances(Distances(down, up), reference, correlation)

    # A segment of one unit can never be shown to differ, nor one whose only reference it is
    has_several, is_sole = estimate.has_several_units, weights == 1
    can_differ = has_several & ~is_sole[:, ~has_several].any(axis=1)
    is_mutual = is_sole & is_sole.T
    return compare_by_limits(
        np.where(weights.any(axis=1), values - weights @ values, np.nan),
        distances,
        confidence_level=level,
        alternative=alternative,
        can_differ=can_differ,
        n_reversed=int(np.count_nonzero(is_mutual[can_differ])) // 2,
    )


def _correlations(influences: csr_array | None, weights: Float) -> FloatOrArray:
    """Correlate the influences of clusters on each score and on its reference.

    A positive correlation is shrunk, as few clusters that are in both overstate it.
    """
    if influences is None:
        return 0.0
    covariance = (influences @ influences.T).toarray()
    products = weights @ covariance
    variances = np.diag(covariance)
    other_variances = np.sum(products * weights, axis=1)
    has_error = other_variances > RELATIVE_TOLERANCE * (weights**2 @ variances)  # others may cancel
    roots = np.sqrt(variances * np.abs(other_variances))
    correlation = ratio(np.where(has_error, np.diag(products), 0.0), roots, 0.0)
    kept = 1 - LOST_CLUSTERS / np.maximum(_numbers_shared(influences, weights), 1)
    return np.where(correlation > 0, np.maximum(kept, 0.0) * correlation, correlation)


def _numbers_shared(influences: csr_array, weights: Float) -> Float:
    """Count the clusters that have an influence on each score and on its reference."""
    counts = abs(influences)
    limit = RELATIVE_TOLERANCE * counts.max(axis=1).toarray()
    counts.data = (counts.data > np.repeat(limit, np.diff(counts.indptr))).astype(np.float64)
    # One segment after another: a table of all segments and clusters may not fit into memory.
    shared = [counts[[i]] @ ((weights[i] > 0) @ counts > 0) for i in range(len(weights))]
    return np.concatenate(shared)
