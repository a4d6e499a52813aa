"""The scores: scikit-learn's conventions, one function for each average precision.

``average_precision_score`` computes all of them. The others are the same with a definition of their
own, for those who look for it by name and for ``make_scorer``.

Import from ``sklearn_ap``, not from here.
"""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack, overload

from numpy.typing import ArrayLike

from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts
from sklearn_ap._inputs.options import Average, ZeroDivision
from sklearn_ap._inputs.request import Request
from sklearn_ap._scoring import (
    check_average_of_counts,
    check_definition,
    score_of_counts,
    score_of_request,
)
from sklearn_ap._types import Float, FloatOrArray, Label, NamedAverage
from sklearn_ap.definitions import AtK, Definition, Interpolated, PrecisionAtK, RecallAtK, Step
from sklearn_ap.definitions._at_k import Normalizer


class RowOptions(TypedDict, total=False):
    """The options of all scores but ``average``, which says whether they return an array."""

    pos_label: Label
    labels: ArrayLike | None
    sample_weight: ArrayLike | None
    queries: ArrayLike | None
    clusters: ArrayLike | None
    n_positives: ArrayLike | None
    zero_division: ZeroDivision


class ScoreOptions(RowOptions, total=False):
    """Those of scores of whole rankings."""

    prevalence: float | None


@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition | str | None = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> Float: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition | str | None = ...,
    average: NamedAverage = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition | str | None = None,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    r"""Average precision: by default scikit-learn's number, with ``definition`` any other.

    The default, the area under steps, is

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the distinct scores, highest first, with precision :math:`P_n` and recall :math:`R_n` at
    the n-th. Definitions that people look for by name have a score of their own, too.

    Tied items form a block. All its positives get the precision measured after the whole block,
    so constant scores give the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    definition : Definition or str, default=None
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own. Or the name of one, such as "AP@20". None is ``Step()``; for scores of
        ``from_coco``, it is the definition of COCO.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number. With ``queries``, use "macro", "weighted" or None. A column
        without queries ignores the option.

        - "macro": their mean.
        - "weighted": their mean, weighted by the number of positives.
        - "micro": the score of one ranking of all cells.
        - "samples": the mean over rows, where each ranks the columns.
        - None: one value per ranking.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    labels : array-like of shape (n_columns,), default=None
        The class of each column of ``y_score``. Pass it if ``y_true`` may lack a class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, for binary ``y_true``. Each query is a ranking of its own, in the
        order of ``np.unique(queries)``. A query whose rows all have weight 0 is left out.
    clusters : array-like of shape (n_samples,), default=None
        They change no score: so you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives or, with a ``prevalence``, without negatives.
        "warn" gives 0.0 and one warning. nan is left out of averages. In a search, one fold with
        nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None and there
        are queries or several columns.

    See Also
    --------
    average_precision_interval : The same number, with an interval that says how sure it is.
    step_average_precision_score : The default under its own name.
    sklearn.metrics.average_precision_score : The same number, with fewer options.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score
    >>> average_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.8333333333333333

    Another definition, here the mean over all orders of tied items:

    >>> from sklearn_ap.definitions import Expected
    >>> average_precision_score([1, 0], [0.5, 0.5], definition=Expected())
    0.75

    The mean over queries (MAP), each of which ranks its own documents:

    >>> average_precision_score([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.1], queries=[1, 1, 2, 2])
    0.75
    """
    return score_of_request(
        definition,
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            prevalence=prevalence,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def step_average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[ScoreOptions]
) -> Float: ...
@overload
def step_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: NamedAverage = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
def step_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    """Average precision as the area under steps, scikit-learn's definition since 0.19.

    It is the default of ``average_precision_score``, which has the formula, under a name that
    says which definition it is.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, prevalence, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    Examples
    --------
    >>> from sklearn_ap import step_average_precision_score
    >>> step_average_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], prevalence=0.01)
    0.5099009900990099
    """
    return score_of_request(
        Step(),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            prevalence=prevalence,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> Float: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = ...,
    average: NamedAverage = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    r"""Average precision under the envelope: the largest precision at this recall or a higher one.

    .. math::

        \sum_n (R_n - R_{n-1}) \max_{m \ge n} P_m
        \qquad\text{or}\qquad
        \frac{1}{|L|} \sum_{l \in L} \max_{n: R_n \ge l} P_n

    over the distinct scores, at which tied items count together. Precision beyond the last recall
    reached is 0. PASCAL VOC has used it since 2010, COCO with ``recall_levels=101``. Dingwall's
    "step-interpolated" average precision is ``step_average_precision_score``.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Where the envelope is averaged: everywhere; at m >= 2 equally spaced levels from 0 to 1,
        compared exactly without weights; or at the levels given. A level is reached if it is to the
        rounding of sums of weights.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, prevalence, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    See Also
    --------
    eleven_point_average_precision_score : The envelope at recall 0, 0.1, ..., 1.
    step_average_precision_score : Without interpolation.

    Examples
    --------
    >>> from sklearn_ap import interpolated_average_precision_score
    >>> interpolated_average_precision_score([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.6666666666666666
    """
    return score_of_request(
        Interpolated(recall_levels),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            prevalence=prevalence,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[ScoreOptions]
) -> Float: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: NamedAverage = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    r"""Average precision at eleven recall levels, compared exactly.

    .. math:: \frac{1}{11} \sum_{j=0}^{10} \max_{n: R_n \ge j/10} P_n

    over the distinct scores, at which tied items count together, and 0 for levels never reached.

    With 10 positives, 3 of them reach recall 0.3. PASCAL VOC 2007 and trec_eval round: for their
    numbers, call ``compat.score(..., "PASCAL VOC 2007")`` or ``compat.score(...,
    "trec_eval.11pt_avg")``.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, prevalence, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    See Also
    --------
    interpolated_average_precision_score : The envelope at all recall levels, or at others.

    Examples
    --------
    >>> from sklearn_ap import eleven_point_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> eleven_point_average_precision_score(y_true, y_score)  # (6 * 1 + 5 * 2 / 3) / 11
    0.8484848484848484
    """
    return score_of_request(
        Interpolated(11),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            prevalence=prevalence,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    normalizer: Normalizer = ...,
    average: None,
    **options: Unpack[RowOptions],
) -> Float: ...
@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    normalizer: Normalizer = ...,
    average: NamedAverage = ...,
    **options: Unpack[RowOptions],
) -> float: ...
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    normalizer: Normalizer = "attainable",
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    r"""Average precision over the top k.

    .. math:: \frac{1}{Z} \sum_{i=1}^{k} h_i \frac{h_1 + \dots + h_i}{i}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. It is not the average of the
    precisions at 1, ..., k.

    A block of m tied items with p positives that rank k cuts after j items contributes j p/m
    hits, at the precision of the cut. The order of the input never matters.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    k : int or float, default=10
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. Ranks beyond the last item are empty. With
        weights, k counts weight, and the proportion is rounded only if all sums of weights are
        whole.
    normalizer : {"attainable", "positives", "hits", "k"}, default="attainable"
        What Z is: min(k, positives), so that the best score is 1; all positives; the positives
        among the first k (0/0 is 0); or k.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    See Also
    --------
    precision_at_k_score : Fraction of the top k that is positive.
    sklearn_ap.definitions.Expected : With ``k``, the mean over all orders of tied items.

    Examples
    --------
    >>> from sklearn_ap import average_precision_at_k_score
    >>> y_true, y_score = [1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> average_precision_at_k_score(y_true, y_score, k=3)
    0.6666666666666666
    >>> average_precision_at_k_score(y_true, y_score, k=3, normalizer="hits")
    1.0

    MAP@2 of two users, each of whom ranks three items:

    >>> user = ["u", "u", "u", "v", "v", "v"]
    >>> average_precision_at_k_score(y_true, y_score, k=2, queries=user)
    0.625
    """
    return score_of_request(
        AtK(k, normalizer),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: None,
    **options: Unpack[RowOptions],
) -> Float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: NamedAverage = ...,
    **options: Unpack[RowOptions],
) -> float: ...
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    """Fraction of the top k that is positive.

    With fewer positives than k, the best score is below 1. With fewer items than k, the score
    still divides by k. Without positives it is 0, whatever ``zero_division`` says.

    Tied items that rank k cuts count as in ``average_precision_at_k_score``.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    k : int or float, default=10
        How many of the first ranks count, or which proportion of a ranking; more about it in
        ``average_precision_at_k_score``.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    See Also
    --------
    recall_at_k_score : Fraction of the positives that is in the top k.
    average_precision_at_k_score : Early hits count more.

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=2)
    0.5
    >>> precision_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=0.75)
    0.6666666666666666
    """
    return score_of_request(
        PrecisionAtK(k),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: None,
    **options: Unpack[RowOptions],
) -> Float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: NamedAverage = ...,
    **options: Unpack[RowOptions],
) -> float: ...
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatOrArray:
    """Fraction of the positives that is in the top k.

    Tied items that rank k cuts count as in ``average_precision_at_k_score``.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    k : int or float, default=10
        How many of the first ranks count, or which proportion of a ranking; more about it in
        ``average_precision_at_k_score``.
    average, pos_label, labels, sample_weight, queries : optional
        As in ``average_precision_score``.
    clusters, n_positives, zero_division : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        As of ``average_precision_score``.

    See Also
    --------
    precision_at_k_score : Fraction of the top k that is positive.

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=2)
    0.3333333333333333
    >>> recall_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=0.75)
    0.6666666666666666
    """
    return score_of_request(
        RecallAtK(k),
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            zero_division=zero_division,
            clusters=clusters,
        ),
    )


@overload
def score_from_counts(
    counts: ThresholdCounts,
    definition: Definition | str = ...,
    *,
    average: None,
    zero_division: ZeroDivision = ...,
    prevalence: float | None = ...,
) -> Float: ...
@overload
def score_from_counts(
    counts: ThresholdCounts,
    definition: Definition | str = ...,
    *,
    average: Literal["macro", "weighted"] = ...,
    zero_division: ZeroDivision = ...,
    prevalence: float | None = ...,
) -> float: ...
def score_from_counts(
    counts: ThresholdCounts,
    definition: Definition | str = Step(),
    *,
    average: Literal["macro", "weighted", None] = "macro",
    zero_division: ZeroDivision = "warn",
    prevalence: float | None = None,
) -> FloatOrArray:
    """Average precision from counts: the number that their rows have.

    Parameters
    ----------
    counts : ThresholdCounts
        From ``sklearn_ap.large`` or ``threshold_counts``.
    definition : Definition or str, default=Step()
        As in ``average_precision_score``.
    average : {"macro", "weighted"} or None, default="macro"
        As in ``average_precision_score``; None is in the order of ``counts.names``. A ranking
        without a name ignores the option.
    zero_division, prevalence : optional
        As in ``average_precision_score``.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        An array if ``average`` is None, and rankings are several or have a name.

    See Also
    --------
    average_precision_score : The same number, from rows.
    Interval.from_counts : The same number, with an interval.

    Examples
    --------
    >>> from sklearn_ap import score_from_counts, threshold_counts
    >>> counts = threshold_counts([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1])
    >>> counts
    ThresholdCounts: 2 thresholds, 2 positives, 3 negatives
    threshold  tps  fps  precision  recall  rise_of_recall  product
    0.9          1    0          1     0.5             0.5      0.5
    0.7          2    2        0.5       1             0.5     0.25
    >>> score_from_counts(counts)
    0.75
    """
    from sklearn_ap.definitions._prevalence import at_prevalence  # few scores need it

    check_counts(counts)
    check_average_of_counts(average)
    adjusted = at_prevalence(check_definition(definition), prevalence)
    return score_of_counts(adjusted, counts, average, zero_division)
