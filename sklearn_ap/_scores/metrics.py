"""The scores: scikit-learn's conventions, one function for each average precision."""

from __future__ import annotations

from typing import Unpack, overload

from numpy.typing import ArrayLike

from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._inputs.options import Normalizer
from sklearn_ap._inputs.rankings import Average, AverageKind
from sklearn_ap._inputs.request import Request
from sklearn_ap._scores.options import RankingOptions, ScoreOptions, WeightedOptions
from sklearn_ap._scores.scoring import score
from sklearn_ap._types import Float, Label
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Interpolated,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Step,
)


@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = Step(),
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Float:
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
    definition : Definition, default=Step()
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within the bounds of the definition, mostly [0, 1], or nan if ``zero_division`` is nan. An
        array if ``average`` is None and there are several rankings.

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

    Of 10,000 payments, 2% are frauds, so a random order scores about 0.02:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = rng.random(10_000) < 0.02
    >>> y_score = 2 * is_fraud + rng.normal(size=10_000)
    >>> round(average_precision_score(is_fraud, y_score), 3)
    0.368

    Another definition, here for a team that checks 100 payments:

    >>> from sklearn_ap.definitions import PrecisionAtK
    >>> average_precision_score(is_fraud, y_score, definition=PrecisionAtK(100))
    0.55

    The mean over queries (MAP), each of which ranks its own documents:

    >>> average_precision_score([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.1], queries=[1, 1, 2, 2])
    0.75
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(definition, request)


@overload
def step_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def step_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
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
) -> float | Float:
    r"""Average precision as the area under steps, scikit-learn's definition since 0.19.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the distinct scores, highest first, with precision :math:`P_n` and recall :math:`R_n` at
    the n-th. ``average_precision_score`` gives it, too, as its default.

    Tied items form a block. All its positives get the precision measured after the whole block,
    so constant scores give the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    average_precision_score : The same number, or that of any other definition.

    Examples
    --------
    >>> from sklearn_ap import step_average_precision_score
    >>> step_average_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.8333333333333333
    >>> step_average_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], prevalence=0.01)
    0.5099009900990099
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(Step(), request)


@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = ...,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike | None = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
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
) -> float | Float:
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
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Where the envelope is averaged: everywhere; at m >= 2 equally spaced levels from 0 to 1,
        compared exactly without weights; or at the levels given. A level is reached if it is to the
        rounding of sums of weights.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

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
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(Interpolated(recall_levels), request)


@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
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
) -> float | Float:
    r"""Average precision at eleven recall levels, compared exactly.

    .. math:: \frac{1}{11} \sum_{j=0}^{10} \max_{n: R_n \ge j/10} P_n

    over the distinct scores, at which tied items count together, and 0 for levels never reached.

    With 10 positives, 3 of them reach recall 0.3. The kit of PASCAL VOC 2007, in MATLAB, compares
    3/10 with the float 0.30000000000000004, which it does not reach; its ports to Python miss 0.6
    and 0.7, too, with 6 and 7 of 10. trec_eval rounds the number of positives at a level. For
    numbers of theirs, call ``compat.score("PASCAL VOC 2007", ...)``, which is the kit's, or
    ``compat.score("trec_eval.11pt_avg", ...)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

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
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(Interpolated(11), request)


@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    normalizer: Normalizer = ...,
    average: AverageKind = ...,
    **options: Unpack[WeightedOptions],
) -> float: ...
@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    normalizer: Normalizer = ...,
    average: None,
    **options: Unpack[WeightedOptions],
) -> float | Float: ...
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
) -> float | Float:
    r"""Average precision over the top k.

    .. math:: \frac{1}{Z} \sum_{i=1}^{k} h_i \frac{h_1 + \dots + h_i}{i}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. It is not the average of the
    precisions at 1, ..., k.

    A block of m tied items with p positives that rank k cuts after j items contributes j p/m
    hits, at the precision of the cut. The order of the input never matters.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    k : int or float, default=10
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. Ranks beyond the last item are empty. With
        weights, k counts weight, and the proportion of fractional weights is not rounded.
    normalizer : {"attainable", "positives", "hits", "k"}, default="attainable"
        What Z is: min(k, positives), so that the best score is 1; all positives; the positives
        among the first k (0/0 is 0); or k.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    precision_at_k_score : Fraction of the top k that is positive.
    expected_average_precision_score : With ``k``, the mean over all orders of tied items.

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
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return score(AtK(k, normalizer), request)


@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: AverageKind = ...,
    **options: Unpack[WeightedOptions],
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: None,
    **options: Unpack[WeightedOptions],
) -> float | Float: ...
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
) -> float | Float:
    """Fraction of the top k that is positive.

    With fewer positives than k, the best score is below 1. With fewer items than k, the score
    still divides by k. Without positives it is 0, whatever ``zero_division`` says.

    A block of m tied items with p positives that rank k cuts after j items contributes j p/m
    hits.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    k : int or float, default=10
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. Ranks beyond the last item are empty. With
        weights, k counts weight, and the proportion of fractional weights is not rounded.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    recall_at_k_score : Fraction of the positives that is in the top k.
    average_precision_at_k_score : Early hits count more.

    Examples
    --------
    >>> from sklearn_ap import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=2)
    0.5

    Of 10,000 payments, 2% are frauds, and a team checks 100 of them, or the top 1%:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = rng.random(10_000) < 0.02
    >>> y_score = 2 * is_fraud + rng.normal(size=10_000)
    >>> precision_at_k_score(is_fraud, y_score, k=100)
    0.55
    >>> precision_at_k_score(is_fraud, y_score, k=0.01)
    0.55
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return score(PrecisionAtK(k), request)


@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: AverageKind = ...,
    **options: Unpack[WeightedOptions],
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = ...,
    average: None,
    **options: Unpack[WeightedOptions],
) -> float | Float: ...
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
) -> float | Float:
    """Fraction of the positives that is in the top k.

    A block of m tied items with p positives that rank k cuts after j items contributes j p/m
    hits.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    k : int or float, default=10
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. Ranks beyond the last item are empty. With
        weights, k counts weight, and the proportion of fractional weights is not rounded.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    precision_at_k_score : Fraction of the top k that is positive.

    Examples
    --------
    >>> from sklearn_ap import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1], k=2)
    0.3333333333333333

    Of 10,000 payments, 2% are frauds. This is the part of them that a team finds by checking 5%
    of the payments:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = rng.random(10_000) < 0.02
    >>> y_score = 2 * is_fraud + rng.normal(size=10_000)
    >>> round(recall_at_k_score(is_fraud, y_score, k=0.05), 3)
    0.611
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return score(RecallAtK(k), request)


@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float = ...,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float = 0.8,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Float:
    """Highest precision of a threshold whose recall is at least that given.

    Thresholds are the distinct scores, without the artificial point of scikit-learn's
    ``precision_recall_curve`` (recall 0, precision 1). The score is 0 if none reaches the recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    recall : float, default=0.8
        The recall to be reached, within [0, 1].
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    recall_at_precision_score : Highest recall at a precision.

    Examples
    --------
    >>> from sklearn_ap import precision_at_recall_score
    >>> precision_at_recall_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], recall=0.8)
    0.6666666666666666

    A test must find 90% of the patients with a disease that 5% have. This is the part of its
    alarms that is right:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_ill = rng.random(2000) < 0.05
    >>> y_score = 2.5 * is_ill + rng.normal(size=2000)
    >>> round(precision_at_recall_score(is_ill, y_score, recall=0.9), 3)
    0.233
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(PrecisionAtRecall(recall), request)


@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float = ...,
    average: AverageKind = ...,
    **options: Unpack[ScoreOptions],
) -> float: ...
@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float = ...,
    average: None,
    **options: Unpack[ScoreOptions],
) -> float | Float: ...
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float = 0.9,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Float:
    """Highest recall of a threshold whose precision is at least that given.

    Thresholds are the distinct scores, without the artificial point of scikit-learn's
    ``precision_recall_curve`` (recall 0, precision 1). The score is 0 if none has the precision.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    precision : float, default=0.9
        The precision to be reached, within [0, 1].
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
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
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    precision_at_recall_score : Highest precision at a recall.

    Examples
    --------
    >>> from sklearn_ap import recall_at_precision_score
    >>> recall_at_precision_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], precision=0.6)
    1.0

    Of 10,000 payments, 2% are frauds. This is the part of them that is found if half of the alarms
    must be right:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = rng.random(10_000) < 0.02
    >>> y_score = 2 * is_fraud + rng.normal(size=10_000)
    >>> round(recall_at_precision_score(is_fraud, y_score, precision=0.5), 3)
    0.311
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
    )
    return score(RecallAtPrecision(precision), request)


@overload
def expected_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = ...,
    average: AverageKind = ...,
    **options: Unpack[RankingOptions],
) -> float: ...
@overload
def expected_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = ...,
    average: None,
    **options: Unpack[RankingOptions],
) -> float | Float: ...
def expected_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Float:
    r"""Average precision, or that at k, averaged exactly over all orders of the tied items.

    Tools that break ties arbitrarily give this number on average. A block of n tied items, r of
    them positive, below t items with :math:`R_0` positives adds

    .. math::

        \frac{1}{Z} \sum_{j=1}^{n} \frac{r}{n}
        \frac{R_0 + 1 + (j - 1) \frac{r - 1}{n - 1}}{t + j}

    where Z is the number of positives. With ``k``, the sum ends at t + j = k, and Z is
    min(k, positives) [1]_.

    The score takes no weights, because an order of the items cannot contain half an item.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    k : int or float, default=None
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. None counts all ranks.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    labels : array-like of shape (n_columns,), default=None
        The class of each column of ``y_score``. Pass it if ``y_true`` may lack a class.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, for binary ``y_true``. Each query is a ranking of its own, in the
        order of ``np.unique(queries)``.
    clusters : array-like of shape (n_samples,), default=None
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, if some were never scored. Pass one number for one ranking or
        "micro", otherwise one per column, row or query, by position.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Within [0, 1], or nan if ``zero_division`` is nan. An array if ``average`` is None.

    See Also
    --------
    step_average_precision_score : Tied items count together. Without ties the numbers agree.
    average_precision_at_k_score : With ``k`` and without ties the numbers agree.

    References
    ----------
    .. [1] McSherry and Najork (2008), "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR,
       https://doi.org/10.1007/978-3-540-78646-7_38.

    Examples
    --------
    >>> from sklearn_ap import expected_average_precision_score
    >>> expected_average_precision_score([1, 0], [0.5, 0.5])  # the mean of 1 and 1/2
    0.75
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        zero_division=zero_division,
    )
    return score(Expected(k), request)


__all__ = [name for name in dir() if name.endswith("_score")]
