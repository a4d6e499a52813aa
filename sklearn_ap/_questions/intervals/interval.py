"""The confidence interval of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import Cases, Table
from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._folds.predictions import FoldPredictions, pool_of, refuse_beside_folds
from sklearn_ap._inputs.rankings import Average, AverageKind
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._questions.intervals._estimated import ScoredSample
from sklearn_ap._questions.intervals._from_counts import score_from_counts
from sklearn_ap._questions.intervals._from_labels import scores_from_labels
from sklearn_ap._questions.intervals._from_rows import scores_from_rows
from sklearn_ap._questions.intervals._picture import plot_interval
from sklearn_ap._questions.intervals._table import interval_table
from sklearn_ap._questions.intervals.cases import sum_if_single_score
from sklearn_ap._questions.options import ScoreOptions
from sklearn_ap._questions.result import ResultOfRankings, add_heading
from sklearn_ap._questions.sample_size.pilot import Pilot, check_pilot
from sklearn_ap._types import Axes, Float, FloatOrArray, Label, Name
from sklearn_ap._uncertainty.confidence_limits import (
    confidence_limits,
    mask_undefined,
    wilson_limits,
)
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.options import Options, Seed, check_options
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.tuned_constants import POOL_VARIANCE_FACTOR
from sklearn_ap._uncertainty.warnings import warnings_of_scores
from sklearn_ap._uncertainty.worse_than_random import warn_of_reversed_scores
from sklearn_ap.definitions import Definition, Step

VarianceMethod = Literal["influence", "resampling", "queries"]
Number = TypeVar("Number")  # a float, or an array for ``average=None``
ABOUT_UNLIKE = "the interval allows for queries unlike those seen"
SHOWN_WIDTH = 5e-5  # the smallest width that is not 0 in the four digits printed


class LimitOptions(TypedDict, total=False):
    """Options of an interval, for overloads."""

    definition: Definition
    confidence_level: float
    rng: Seed


class CountOptions(LimitOptions, total=False):
    """Options of an interval from counts, for overloads."""

    prevalence: float | None
    zero_division: ZeroDivision


class RowOptions(LimitOptions, ScoreOptions, total=False):
    """Options of an interval from rows, for overloads."""

    inclusion_probability: ArrayLike | float | None
    judge: ArrayLike | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragePrecisionInterval(ResultOfRankings, Generic[Number]):
    """An average precision with its confidence interval.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

    With ``average=None`` the numbers are arrays, one entry per ranking.

    Parameters
    ----------
    estimate : float or ndarray of shape (n_rankings,)
        The score.
    standard_error : float or ndarray of shape (n_rankings,)
        Standard deviation of the score over samples. nan for one query or one cluster.
    low, high : float or ndarray of shape (n_rankings,)
        Confidence limits. The interval is for the score minus its bias, and contains the score.
    confidence_level : float
        How often these intervals cover the true value, 0.95 for 95%.
    variance_method : {"influence", "resampling", "queries"}
        The source of the variance: derivatives by row weights, simulated samples, or queries.
    n_positives : float or ndarray of shape (n_rankings,)
        The number of positives, scored or not, whatever they weigh. For an average, the sum over
        rankings. nan for weighted counts of queries, which do not tell.
    n_effective : float or ndarray of shape (n_rankings,)
        The effective number of positives: the number of independent positives of equal weight that
        would tell as much, if positives of one cluster tell no more than one positive does. It is
        below ``n_positives`` if weights are unequal, if positives share clusters, and if negatives
        weigh more than positives, because few negatives then determine the score.
    bias : float or ndarray of shape (n_rankings,), default=nan
        How much a score of a sample of this size is expected to exceed that of the population,
        estimated by leaving out rows, or clusters of them. nan if it is not known: for
        definitions other than step, expected, linear and hyperbolic AP, and where many clusters or
        queries are drawn. For an average over rankings, it is found for most definitions if it
        matters, but not at fewer than 101 recall levels.
    rankings : tuple or None, default=None
        The names of queries, classes or columns, for ``average=None``; None if there are none.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    pilot : Pilot, Uncertainty or None, default=None
        The variances of the sample, from which ``positives_for`` plans a larger one; of few labels
        the uncertainty of the score.
    labels : Labels or None, default=None
        How many rows have labels, and what a judge adds; None if all rows have labels.
    n_rankings : int, default=1
        The number of fixed rankings, such as the classes of a detector, over which the score is an
        average, if ``queries`` named them. A positive in several of them, such as an object at
        several overlaps, counts in each. It is 1 for queries that are a sample, and for columns.
    cases : Cases or None, default=None
        How many rows there are, and what was sampled: rows, clusters or queries; None if unknown.

    See Also
    --------
    average_precision_interval : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> found = average_precision_interval(y_true, 2 * y_true + rng.normal(size=2000))
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.522, 0.426, 0.613)
    >>> print(found.to_paper().splitlines()[2])
    | score | 0.52 (0.43 to 0.61) | 110 |
    """

    estimate: Number
    standard_error: Number
    low: Number
    high: Number
    confidence_level: float
    variance_method: VarianceMethod
    n_positives: Number
    n_effective: Number
    bias: FloatOrArray = np.nan
    rankings: tuple[Name, ...] | None = None
    definition: Definition = Step()
    prevalence: float | None = None
    pilot: Pilot | Uncertainty | None = None
    labels: Labels | None = None
    n_rankings: int = 1
    cases: Cases | None = None
    _numbers = ("estimate", "standard_error", "low", "high", "bias", "n_positives", "n_effective")
    _shared_fields = ("confidence_level", "variance_method")

    @overload
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        *,
        average: Literal["macro", "weighted"] = ...,
        **options: Unpack[CountOptions],
    ) -> AveragePrecisionInterval[float]: ...
    @overload
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        *,
        average: None,
        **options: Unpack[CountOptions],
    ) -> AveragePrecisionInterval[Any]: ...
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        *,
        definition: Definition = Step(),
        confidence_level: float = 0.95,
        rng: Seed = 0,
        prevalence: float | None = None,
        average: Literal["macro", "weighted", None] = "macro",
        zero_division: ZeroDivision = "warn",
    ) -> AveragePrecisionInterval[Any]:
        """Make an interval from counts, for data of any size.

        Parameters
        ----------
        counts : ThresholdCounts
            Those of one ranking without weights, or of queries. For an interval over rows with
            weights, or over clusters, pass rows to ``average_precision_interval``.
        definition : Definition, default=Step()
            The definition of average precision.
        confidence_level : float, default=0.95
            How often these intervals should contain the true value.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of the samples that are simulated for a definition without influence,
            such as one at k. None gives other samples at each call.
        prevalence : float, default=None
            The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is
            then that of a population with this prevalence, in which the scores of each class are
            distributed as here. Each ranking gets this prevalence. None uses that of the counts.
        average : {"macro", "weighted"} or None, default="macro"
            How several rankings become one number. "macro" is their mean. "weighted" is their mean
            weighted by the number of positives. None gives one value per ranking, in the order of
            ``names``. A single ranking ignores the option.
        zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
            The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
            out of averages. In a search, one fold with nan makes the mean nan.

        Returns
        -------
        AveragePrecisionInterval
            Floats, or arrays for ``average=None``, unless there is one ranking. Another sample
            would have other queries, so the interval of a mean is over queries. With None it is
            over the rows of each.
        """
        options = check_options(confidence_level, rng)
        sample = score_from_counts(definition, counts, average, zero_division, prevalence, options)
        return _interval(definition, prevalence, sample, options)

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per ranking. A ranking has its name or number in ``ranking``, unless there is a
            single one. With few labels, the row has the numbers of ``labels``.
        """
        rows = ResultOfRankings._rows(self)
        return rows if self.labels is None else [rows[0] | self.labels.columns()]

    def positives_for(self, half_width: float) -> int | Float:
        """Compute how many positives you need for an interval of this half width.

        Parameters
        ----------
        half_width : float
            Half of the distance between the limits, such as 0.02.

        Returns
        -------
        int or ndarray of shape (n_rankings,)
            The number of positives, rounded up. The rows needed are those of this sample, times
            that number over ``n_positives``.

        See Also
        --------
        sklearn_ap.positives_for : The same before you have a sample.

        Notes
        -----
        The formula of the interval is solved for the size of a sample of the same kind. The
        variance is that of this sample, so the answer is uncertain.
        """
        return self._size("positives", half_width)

    def clusters_for(self, half_width: float) -> int | Float:
        """Compute how many clusters, such as patients, you need for an interval of this half width.

        Parameters
        ----------
        half_width : float
            Half of the distance between the limits, such as 0.02.

        Returns
        -------
        int or ndarray of shape (n_rankings,)
            The number of clusters like those of this sample, rounded up.
        """
        return self._size("clusters", half_width)

    def queries_for(self, half_width: float) -> int:
        """Compute how many queries you need for an interval of this half width.

        Parameters
        ----------
        half_width : float
            Half of the distance between the limits, such as 0.02.

        Returns
        -------
        int
            The number of queries like those of this sample, rounded up.
        """
        return int(self._size("queries", half_width))

    def _size(self, kind: str, half_width: float) -> int | Float:
        pilot = check_pilot(self.pilot)
        times = pilot.times_for_half_width(self.estimate, half_width)
        needed = pilot.planned_size(kind, times, np.asarray(self.n_positives))
        return needed if isinstance(self.estimate, np.ndarray) else int(needed[0])

    def plot(self, ax: Axes = None) -> Axes:
        """Draw the score with its interval, one row for each ranking.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_interval(self, ax)

    def _table(self) -> Table:
        table = interval_table(
            rows=self._rows(),
            confidence_level=self.confidence_level,
            labels=self.labels,
            n_rankings=self.n_rankings,
        )
        remarks = table.remarks + self._about_unlike_queries()
        return add_heading(table._replace(remarks=remarks), self)

    def _about_unlike_queries(self) -> list[str]:
        """Make a remark if the interval of a mean is wider because other queries may be unlike."""
        if self.variance_method != "queries" or not isinstance(self.pilot, Pilot):
            return []
        # Infinitely many queries would show every kind of query.
        all_kinds = self.pilot.samples[0].uncertainty()._replace(n_queries=np.inf)
        uncertainty = all_kinds.scale_variance(self.pilot.options.score_factor)
        estimate = cast(float, self.estimate)  # a mean over queries is a single number
        low, high = wilson_limits(np.array([estimate]), uncertainty, self.confidence_level)
        is_wider = max(low[0] - self.low, self.high - high[0]) > SHOWN_WIDTH
        return [ABOUT_UNLIKE] if is_wider else []


def _interval(
    definition: Definition, prevalence: float | None, sample: ScoredSample, options: Options
) -> AveragePrecisionInterval[Any]:
    """Make the result: a float for each number, or an array for several rankings."""
    influences = sample.estimates.influences[0]
    uncertainty = sample.estimates.uncertainties[0].scale_variance(options.score_factor)
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    standard_error = mask_undefined(influences, uncertainty.standard_error)
    bias = mask_undefined(influences, uncertainty.bias)
    return AveragePrecisionInterval(
        estimate=_scalar_if_single_score(influences, influences.score),
        standard_error=_scalar_if_single_score(influences, standard_error),
        low=_scalar_if_single_score(influences, low),
        high=_scalar_if_single_score(influences, high),
        confidence_level=options.confidence_level,
        variance_method=influences.variance_method,  # type: ignore[arg-type]
        n_positives=sum_if_single_score(influences, influences.positives.n_counted),
        n_effective=sum_if_single_score(influences, influences.positives.n_effective),
        bias=_scalar_if_single_score(influences, bias),
        rankings=sample.rankings,
        definition=definition,
        prevalence=prevalence,
        pilot=sample.pilot,
        labels=sample.labels,
        n_rankings=sample.n_rankings,
        cases=sample.cases,
    )


def _scalar_if_single_score(influences: InfluenceValues, numbers: Float) -> FloatOrArray:
    """Return a float for a single score, or the array for several."""
    return float(numbers[0]) if influences.is_single_score else numbers


@overload
def average_precision_interval(
    y_true: ArrayLike | None,
    y_score: ArrayLike | FoldPredictions,
    *,
    average: AverageKind = ...,
    **options: Unpack[RowOptions],
) -> AveragePrecisionInterval[float]: ...


@overload
def average_precision_interval(
    y_true: ArrayLike | None,
    y_score: ArrayLike | FoldPredictions,
    *,
    average: None,
    **options: Unpack[RowOptions],
) -> AveragePrecisionInterval[Any]: ...


def average_precision_interval(
    y_true: ArrayLike | None,
    y_score: ArrayLike | FoldPredictions,
    *,
    definition: Definition = Step(),
    confidence_level: float = 0.95,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    inclusion_probability: ArrayLike | float | None = None,
    judge: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    rng: Seed = 0,
) -> AveragePrecisionInterval[Any]:
    """Compute the average precision with its confidence interval.

    The interval is for the score of the whole population, of which the rows (or clusters, or
    queries) are a random sample. For recall levels and scores at k, at a recall or at a precision,
    it is for the mean score of samples of this size. It ignores the variation between training
    sets.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out. None
        takes those that ``FoldPredictions`` carry.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved. For a
        cross-validation, pass ``FoldPredictions(cv_results, X)``.
    definition : Definition, default=Step()
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
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
        The weight of each row. A row is one case, whatever its weight.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, for binary ``y_true``: each query is a ranking of its own. For
        "macro" and "weighted", the interval is over queries, not over rows, unless there are
        ``clusters``.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. The interval is then over clusters, not over
        rows. With ``queries``, too, the queries are fixed, such as the classes of a detector, and
        clusters are sampled, such as its images.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored. Pass one number
        for one ranking or "micro", otherwise one per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    inclusion_probability : "equal", float or array-like of shape (n_samples,), default=None
        The probability with which each row was chosen for labelling, if only some were: ``y_true``
        is nan or None where nobody looked. "equal" says that they are a simple random sample. Rows
        of a cluster or of a query are labelled together. An array may be nan where labels are
        unknown.
    judge : array-like of shape (n_samples,), default=None
        What another model, such as a language model, says of all rows: labels like those of
        ``y_true``, or probabilities of a positive. Labels correct it, and it need not be right.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the samples that are simulated for a definition without influence, such
        as one at k. None gives other samples at each call.

    Returns
    -------
    AveragePrecisionInterval
        The score (that of the score function with the same arguments), its standard error and its
        confidence limits. Floats, or arrays for ``average=None``, unless there is one ranking.

    Warns
    -----
    UncertaintyWarning
        If the interval may be unreliable: with fewer than 16 clusters (the effective number by
        their positives or negatives), or many columns with few positives each. For folds, if models
        have seen clusters of their test rows, or if the folds differ in their prevalence.

    See Also
    --------
    compare_average_precision : Whether one model is better than another on the same rows.
    FoldPredictions : The models of a cross-validation, in the place of ``y_score``.
    AveragePrecisionInterval.from_counts : The same from counts alone.

    Notes
    -----
    The variance of the score is the sum over rows of the squares of their influence, which is the
    derivative of the score by the weight of the row [1]_. It is shrunk towards the variance of a
    binomial proportion, because a nearly perfect ranking shows too little variance. For each limit,
    this adds at most the change in its direction that rows missing from the sample could cause. The
    confidence limits are Wilson's, for the sample size with which a proportion would have this
    variance. For definitions without influence, the variance is that of simulated samples.

    References
    ----------
    .. [1] Efron (1981), "Nonparametric estimates of standard error: the jackknife, the bootstrap
       and other methods", Biometrika 68(3), 589-599, https://doi.org/10.1093/biomet/68.3.589.

    Examples
    --------
    Of 2,000 payments, 4% are frauds:

    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> customer = np.repeat(np.arange(400), 5)
    >>> is_thief = rng.random(400) < 0.1
    >>> is_fraud = (is_thief[customer] & (rng.random(2000) < 0.4)).astype(int)
    >>> habit = rng.normal(size=400)[customer]
    >>> y_score = 2 * is_fraud + 0.7 * habit + 0.7 * rng.normal(size=2000)
    >>> average_precision_interval(is_fraud, y_score)
    step AP, 2,000 rows, 78 positives (3.9%), uncertainty over rows
    estimate  std. error      95% interval     bias  positives
    0.4490        0.0598  [0.3297, 0.5646]  +0.0059         78
    the interval is bias-corrected; the estimate is not

    Payments of one customer resemble each other, so pass the customers:

    >>> found = average_precision_interval(is_fraud, y_score, clusters=customer)
    >>> found
    step AP, 2,000 rows, 78 positives (3.9%), uncertainty over 400 clusters
    estimate  std. error      95% interval     bias  positives  effective positives
    0.4490        0.0830  [0.2883, 0.6160]  +0.0069         78                 29.8
    the interval is bias-corrected; the estimate is not

    Its numbers are fields:

    >>> round(found.low, 2), round(found.high, 2)
    (0.29, 0.62)
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
    options = check_options(confidence_level, rng)
    if isinstance(y_score, FoldPredictions):
        refuse_beside_folds(
            labels=labels,
            n_positives=n_positives,
            inclusion_probability=inclusion_probability,
            judge=judge,
        )
        return _interval_of_folds(request, definition, options)
    if inclusion_probability is not None or judge is not None:
        sample = scores_from_labels(definition, [request], options, inclusion_probability, judge)
        return _interval(definition, prevalence, sample, options)
    sample = scores_from_rows(definition, [request], options, warnings_of_scores(y_score))
    interval = _interval(definition, prevalence, sample, options)
    warn_of_reversed_scores(request, definition, sample.estimates.influences)
    return interval


def _interval_of_folds(
    request: Request, definition: Definition, options: Options
) -> AveragePrecisionInterval[Any]:
    """Make the interval of the pool of folds."""
    options = options._replace(score_factor=POOL_VARIANCE_FACTOR)
    pooled = pool_of(request, definition)
    warnings = pooled.warnings()
    sample = scores_from_rows(definition, [pooled.pool], options, warnings)
    interval = _interval(definition, request.prevalence, sample, options)
    interval = pooled.describe(interval)
    if not warnings:  # a wrong pool may be far below chance
        warn_of_reversed_scores(pooled.pool, definition, sample.estimates.influences)
    return interval
