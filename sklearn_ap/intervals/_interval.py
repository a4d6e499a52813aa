"""How sure a score is, and whether one model is better than another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._folds.models import predict
from sklearn_ap._folds.overfitting import LEAST_FACTOR, Question, difference_factor
from sklearn_ap._folds.pooling import Pooling, pool_folds, pool_models
from sklearn_ap._inputs.arrays import columns_by_name
from sklearn_ap._inputs.checks import same_order
from sklearn_ap._inputs.rankings import Average, Averaged
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.unknown_options import explains_options
from sklearn_ap._results.result import PrintedResult, ResultOfRankings
from sklearn_ap._results.text import Table, comparison_table, interval_table
from sklearn_ap._scoring import warn_of_reversed
from sklearn_ap._uncertainty.confidence_limits import (
    Estimates,
    confidence_limits,
    difference_test,
    holm_adjusted,
    where_defined,
)
from sklearn_ap._uncertainty.influence import InfluenceValues, RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_from_counts, influences_of_models
from sklearn_ap._uncertainty.options import (
    Alternative,
    Options,
    Scores,
    Seed,
    check_lengths,
    check_options,
    named_models,
)
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import (
    Shift,
    UncertaintyWarning,
    warn_of,
    warnings_of,
    warnings_of_differences,
    warnings_of_models,
    warnings_of_scores,
    warnings_of_scores_of_models,
)
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._averages import ZeroDivision
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._option_checks import check_choice
from sklearn_ap.few_labels._estimates import OF_EACH, Labels, estimates_from_labels
from sklearn_ap.few_labels._labelled import check_labelled
from sklearn_ap.sample_size._formulas import Pilot, known_pilot, pilot_of

__all__ = [
    "AveragePrecisionComparison",
    "AveragePrecisionInterval",
    "UncertaintyWarning",
    "average_precision_interval",
    "compare_average_precision",
]

Method = Literal["influence", "resampling", "queries"]
Number = TypeVar("Number")  # a float, or an array for ``average=None``


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragePrecisionInterval(ResultOfRankings, Generic[Number]):
    """A score and how sure it is.

    With ``average=None`` the numbers are arrays, one entry per ranking.

    Parameters
    ----------
    estimate : float or ndarray of shape (n_rankings,)
        The score.
    standard_error : float or ndarray of shape (n_rankings,)
        Standard deviation of the score over samples. nan for one query or one cluster.
    low, high : float or ndarray of shape (n_rankings,)
        Confidence limits. The interval is that of the score less its bias, and contains the score.
    confidence_level : float
        How often such intervals cover the true value, 0.95 for 95%.
    method : {"influence", "resampling", "queries"}
        Where the variance comes from: derivatives by each row, simulated samples, or queries.
    n_positives : float or ndarray of shape (n_rankings,)
        The number of positives, scored or not, whatever they weigh. For an average, the sum over
        rankings. nan for weighted counts of queries, which do not tell.
    n_effective : float or ndarray of shape (n_rankings,)
        The effective number of positives: how many equal, independent ones would tell as much. It
        is below ``n_positives`` if weights are unequal, if positives share clusters, and if
        negatives weigh more than positives, because few negatives then determine the score.
    bias : float or ndarray of shape (n_rankings,), default=nan
        How much higher a score of a sample of this size is expected to be than that of the
        population, by leaving out rows, or clusters of them. nan if it is not known: for
        definitions other than step, linear and hyperbolic AP, and where many clusters or queries
        are drawn. For an average over rankings, it is found for most definitions if it matters, but
        not at fewer than 101 recall levels.
    fold_scores : ndarray of shape (n_folds,) or (n_folds, n_rankings), default=None
        The score of each fold of a cross-validation. None if each query has a score of its own.
    fold_scores_are_biased : bool, default=False
        Whether the mean of the folds is too high where it exceeds the estimate. It is not for
        queries, which need no pool; for scores at k, where k counts other rows; and if a warning
        says that the pool is wrong.
    rankings : tuple or None, default=None
        The names of queries, classes or columns, for ``average=None``; None if there are none.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    pilot : Pilot or None, default=None
        What the sample shows of variances, from which ``positives_for`` plans a larger one.
    labels : Labels or None, default=None
        How many rows have labels, and what a judge was worth; None if all rows have labels.
    n_rankings : int, default=1
        Over how many fixed rankings that ``queries`` named, such as the classes of a detector, the
        score is an average. A positive that is in several of them, as an object at several
        overlaps, counts in each. It is 1 for queries that are a sample, and for columns.

    See Also
    --------
    average_precision_interval : Makes one from labels and scores.
    """

    estimate: Number
    standard_error: Number
    low: Number
    high: Number
    confidence_level: float
    method: Method
    n_positives: Number
    n_effective: Number
    bias: Any = np.nan
    fold_scores: NDArray[np.float64] | None = None
    fold_scores_are_biased: bool = False
    rankings: tuple[Any, ...] | None = None
    definition: Definition = Step()
    prevalence: float | None = None
    pilot: Pilot | None = None
    labels: Labels | None = None
    n_rankings: int = 1
    _numbers = ("estimate", "standard_error", "low", "high", "bias", "n_positives", "n_effective")
    _same = ("confidence_level", "method")

    @overload
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        definition: Definition = ...,
        confidence_level: float = ...,
        n_resamples: int = ...,
        rng: Seed = ...,
        prevalence: float | None = ...,
        average: Literal["macro", "weighted"] = ...,
        zero_division: ZeroDivision = ...,
    ) -> AveragePrecisionInterval[float]: ...
    @overload
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        definition: Definition = ...,
        confidence_level: float = ...,
        n_resamples: int = ...,
        rng: Seed = ...,
        prevalence: float | None = ...,
        *,
        average: None,
        zero_division: ZeroDivision = ...,
    ) -> AveragePrecisionInterval[Any]: ...
    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        definition: Definition = Step(),
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        rng: Seed = 0,
        prevalence: float | None = None,
        average: Literal["macro", "weighted", None] = "macro",
        zero_division: ZeroDivision = "warn",
    ) -> AveragePrecisionInterval[Any]:
        """Make an interval from counts, for data of any size.

        Parameters
        ----------
        counts : ThresholdCounts
            Those of one ranking, or of queries. An interval over rows with weights, or over
            clusters, needs those of ``sklearn_ap.large``.
        definition : Definition, default=Step()
            The definition of average precision.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        n_resamples : int, default=999
            How many samples are simulated for a definition without influence, such as one at k.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of these samples. None draws others at each call.
        prevalence : float, default=None
            The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is
            then that of a population with this prevalence, in which the scores of each class are
            distributed as here. Each ranking gets this prevalence. None uses that of ``y_true``.
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
        options = check_options(confidence_level, n_resamples, rng)
        influences = influences_from_counts(
            definition, counts, average, zero_division, prevalence, options
        )
        rankings = counts.names if average is None else None
        return _interval(definition, prevalence, influences, options, rankings=rankings)

    @overload
    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        definition: Definition = ...,
        pooling: Pooling = ...,
        confidence_level: float = ...,
        average: Averaged = ...,
        pos_label: Any = ...,
        sample_weight: ArrayLike | None = ...,
        queries: ArrayLike | None = ...,
        clusters: ArrayLike | None = ...,
        prevalence: float | None = ...,
        zero_division: ZeroDivision = ...,
        n_resamples: int = ...,
        rng: Seed = ...,
    ) -> AveragePrecisionInterval[float]: ...
    @overload
    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        definition: Definition = ...,
        pooling: Pooling = ...,
        confidence_level: float = ...,
        average: None,
        pos_label: Any = ...,
        sample_weight: ArrayLike | None = ...,
        queries: ArrayLike | None = ...,
        clusters: ArrayLike | None = ...,
        prevalence: float | None = ...,
        zero_division: ZeroDivision = ...,
        n_resamples: int = ...,
        rng: Seed = ...,
    ) -> AveragePrecisionInterval[Any]: ...
    @classmethod
    @explains_options
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        definition: Definition = Step(),
        pooling: Pooling = "scores",
        confidence_level: float = 0.95,
        average: Average = "macro",
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        prevalence: float | None = None,
        zero_division: ZeroDivision = "warn",
        n_resamples: int = 999,
        rng: Seed = 0,
    ) -> AveragePrecisionInterval[Any]:
        """Make an interval from a cross-validation, for a score that you can report.

        It is for the mean score of the models that the folds trained, each weighted by the rows
        that it tests, on new cases. The test rows of all folds are pooled into one sample, and each
        has the score of the model that has not seen it. Its variance is multiplied by 1.25, as the
        models vary with the rows. The mean over the folds of ``cross_val_score`` is too high if
        folds have few positives.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns, with ``return_estimator=True`` and
            ``return_indices=True``. Of out-of-fold scores, ``{"y_score": scores, "folds": folds}``,
            where folds are the fold of each row, and the models have seen all other folds.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated. None for out-of-fold scores.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        definition : Definition, default=Step()
            The definition of average precision.
        pooling : {"scores", "ranks", "odds"}, default="scores"
            What is pooled: the scores as they are; their ranks within each fold, equal ones ordered
            by the score, if a warning says that the scores of the folds do not mean the same, and
            folds have the same prevalence; or the odds p / (1 - p) of each probability, divided by
            those of a positive in the training rows (weighted, with weights), if a warning says
            that folds differ in their prevalence.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
            How rankings become one number: "macro" is their mean, "weighted" their mean weighted by
            the number of positives, "micro" one ranking of all cells, and "samples" the mean over
            rows, where each ranks the columns. None gives one value per ranking. With ``queries``,
            use "macro", "weighted" or None. A single ranking ignores the option.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row. A row is one case, whatever its weight.
        queries : array-like of shape (n_samples,), default=None
            The query of each row, for binary ``y_true``: each query is a ranking of its own. For
            "macro" and "weighted", the interval is over queries, not over rows, unless there are
            ``clusters``.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each row, such as the patient. The interval is then over clusters, not
            over rows. With ``queries``, too, the queries are fixed, such as the classes of a
            detector, and clusters are sampled, such as its images.
        prevalence : float, default=None
            The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is
            then that of a population with this prevalence, in which the scores of each class are
            distributed as here. Each ranking gets this prevalence. None uses that of ``y_true``.
        zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
            The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
            out of averages. In a search, one fold with nan makes the mean nan.
        n_resamples : int, default=999
            How many samples are simulated for a definition without influence, such as one at k.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of these samples. None draws others at each call.

        Returns
        -------
        AveragePrecisionInterval
            With ``fold_scores``, which also prints their mean.

        Warns
        -----
        UncertaintyWarning
            If the scores of the folds do not mean the same, if folds differ in their prevalence, or
            if the interval is based on too little.

        Notes
        -----
        A row that several folds test, as in repeated cross-validation, is one case. Each query must
        be tested in one fold. The mean over queries needs no pooling.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn_ap import AveragePrecisionInterval
        >>> X, y = make_classification(500, weights=[0.9], flip_y=0.1, random_state=0)
        >>> model = LogisticRegression()
        >>> cv = cross_validate(model, X, y, cv=10, return_estimator=True, return_indices=True)
        >>> AveragePrecisionInterval.from_cv_results(cv, X, y)
        estimate  std. error      95% interval     bias  positives
        0.5623        0.0652  [0.4244, 0.6857]  +0.0029         67
        mean of 10 folds: 0.5946, too high by about 0.0323
        """
        options = check_options(confidence_level, n_resamples, rng)
        options = options._replace(score_factor=LEAST_FACTOR)
        given = average, pos_label, None, sample_weight, queries, None, prevalence, zero_division
        request = Request(y, None, *given, clusters)
        pooled = pool_folds(cv_results, X, request, pooling, definition)
        warnings = pooled.warnings()
        found = _interval_of_rows(definition, pooled.pool, options, warnings)
        is_same_score = not warnings and definition.depth is None and found.method != "queries"
        scores = pooled.scores()
        found = replace(found, fold_scores=scores, fold_scores_are_biased=is_same_score)
        found = pooled.counted_once(found, request)
        if not warnings:  # a wrong pool may be far below chance
            once = pooled.once(request)
            warn_of_reversed(once, definition, found.n_positives, found.estimate)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Give the rows of a table.

        Returns
        -------
        list of dict
            One row per ranking. A ranking has its name or number in ``ranking``, unless there is a
            single one. With few labels, the row has the numbers of ``labels``.
        """
        rows = ResultOfRankings.rows(self)
        return rows if self.labels is None else [rows[0] | asdict(self.labels)]

    def positives_for(self, half_width: float) -> int | Any:
        """Say how many positives you need for an interval of this half width.

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
        variance is that of this sample, so the answer is uncertain, too.
        """
        return self._size("positives", half_width)

    def clusters_for(self, half_width: float) -> int | Any:
        """Say how many clusters, such as patients, you need for an interval of this half width.

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
        """Say how many queries you need for an interval of this half width.

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

    def _size(self, kind: str, half_width: float) -> int | Any:
        pilot = known_pilot(self.pilot)
        times = pilot.times_for_half_width(self.estimate, half_width)
        needed = pilot.number(kind, times, np.asarray(self.n_positives))
        return needed if isinstance(self.estimate, np.ndarray) else int(needed[0])

    def plot(self, ax: Any = None) -> Any:
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
        from sklearn_ap.intervals._pictures import plot_interval

        return plot_interval(self, ax)

    def _table(self) -> Table:
        folds = None if isinstance(self.estimate, np.ndarray) else self.fold_scores
        is_biased = self.fold_scores_are_biased
        level = self.confidence_level
        return interval_table(self.rows(), level, folds, is_biased, self.labels, self.n_rankings)


def _interval_of_rows(
    definition: Definition,
    request: Request,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
) -> AveragePrecisionInterval[Any]:
    (influences,) = influences_of_models(definition, [request], options)
    given = definition, request.prevalence
    found = _interval(*given, influences, options, warnings, request.rankings)
    if request.queries is None or not isinstance(influences, RowInfluences):
        return found
    return replace(found, n_rankings=influences.values.size if influences.is_mean else 1)


def _interval(
    definition: Definition,
    prevalence: float | None,
    influences: InfluenceValues,
    options: Options,
    warnings: Sequence[UncertaintyWarning] = (),
    rankings: tuple[Any, ...] | None = None,
) -> AveragePrecisionInterval[Any]:
    """What is known of a score: a float for each number, or an array for several rankings."""
    sample = sample_of_scores(influences)
    uncertainty = sample.uncertainty()
    warn_of([*warnings, *warnings_of(influences, uncertainty)])
    uncertainty = uncertainty.times(options.score_factor)
    pilot = pilot_of(influences, (sample,), options)
    parts: dict[str, Any] = {"pilot": pilot, "rankings": rankings}
    return _with_limits(definition, prevalence, influences, uncertainty, options, **parts)


def _with_limits(
    definition: Definition,
    prevalence: float | None,
    influences: InfluenceValues,
    uncertainty: Uncertainty,
    options: Options,
    **parts: Any,
) -> AveragePrecisionInterval[Any]:
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    standard_error = where_defined(influences, uncertainty.standard_error)
    bias = where_defined(influences, uncertainty.bias)
    return AveragePrecisionInterval(
        estimate=_one(influences, influences.score),
        standard_error=_one(influences, standard_error),
        low=_one(influences, low),
        high=_one(influences, high),
        confidence_level=options.confidence_level,
        method=influences.method,  # type: ignore[arg-type]
        n_positives=_total(influences, influences.positives.n_counted),
        n_effective=_total(influences, influences.positives.n_effective),
        bias=_one(influences, bias),
        definition=definition,
        prevalence=prevalence,
        **parts,
    )


def _one(influences: InfluenceValues, numbers: Any) -> Any:
    """The number of a single score, or the numbers of several."""
    return float(numbers[0]) if influences.is_one_number else numbers


def _total(influences: InfluenceValues, numbers: Any) -> Any:
    """The sum over the rankings of a single score, or the numbers of several."""
    return float(numbers.sum()) if influences.is_one_number else numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragePrecisionComparison(PrintedResult):
    """Scores of several models on the same rows, and their differences from a reference.

    Arrays have one entry per model, in the order given; with ``average=None`` one row per model
    and one column per ranking. The reference's own differences are 0, with p-values of 1 and
    standard errors of nan.

    Parameters
    ----------
    names : tuple of str
        The models.
    estimates : ndarray of shape (n_models,) or (n_models, n_rankings)
        Their scores.
    lows, highs : ndarray of the same shape
        Confidence limits of the scores.
    differences : ndarray of the same shape
        Score minus that of the reference.
    difference_lows, difference_highs : ndarray of the same shape
        Confidence limits of the differences.
    difference_standard_errors : ndarray of the same shape
        Standard deviation of each difference over samples.
    pvalues : ndarray of the same shape
        How often two equal models would show a difference at least as large.
    adjusted_pvalues : ndarray of the same shape
        The same after Holm's correction for several models.
    reference : str
        The model that the others are compared with.
    confidence_level : float
        Of all intervals.
    alternative : {"two-sided", "greater", "less"}
        What the p-values are evidence for.
    method : {"influence", "resampling", "queries"}
        Where the variances come from.
    n_positives, n_effective : float or ndarray of shape (n_rankings,)
        The number of positives and the effective one, as in ``AveragePrecisionInterval``.
    rankings : tuple or None, default=None
        The names of queries, classes or columns, for ``average=None``; None if there are none.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    pilot : Pilot or None, default=None
        What the sample shows of variances, from which ``positives_for`` plans a larger one.
    labels : Labels or None, default=None
        How many rows have labels, and what a judge was worth; None if all rows have labels.

    See Also
    --------
    compare_average_precision : Makes one from labels and scores.
    """

    names: tuple[str, ...]
    estimates: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    differences: NDArray[np.float64]
    difference_lows: NDArray[np.float64]
    difference_highs: NDArray[np.float64]
    difference_standard_errors: NDArray[np.float64]
    pvalues: NDArray[np.float64]
    adjusted_pvalues: NDArray[np.float64]
    reference: str
    confidence_level: float
    alternative: Alternative
    method: Method
    n_positives: float | Any
    n_effective: float | Any
    rankings: tuple[Any, ...] | None = None
    definition: Definition = Step()
    prevalence: float | None = None
    pilot: Pilot | None = None
    labels: Labels | None = None

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        **options: Any,
    ) -> AveragePrecisionComparison:
        """Compare fitted estimators on the same rows.

        Parameters
        ----------
        estimators : mapping of str to estimator
            For each name, a fitted estimator.
        X : array-like of shape (n_samples, n_features)
            The rows to rank, which were not used to fit or to choose any of the estimators.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
        **options : dict
            Options of ``compare_average_precision``, such as ``definition`` and ``reference``.

        Returns
        -------
        AveragePrecisionComparison
            What ``compare_average_precision`` gives for the scores of the estimators.
        """
        seen: dict[str, Any] = {}
        labels = options.pop("labels", None)
        same_order(X=X, **options)
        for name, model in named_models(estimators, "estimators", "fitted estimators").items():
            seen[name] = predict(model, X, y, pos_label, labels=labels)
            labels = seen[name].get("labels", labels)
        first = next(iter(seen.values()))
        return compare_average_precision(
            first["y_true"],
            {name: given["y_score"] for name, given in seen.items()},
            pos_label=pos_label,
            labels=labels,
            **options,
        )

    @classmethod
    @explains_options
    def from_cv_results(
        cls,
        cv_results: Mapping[str, dict[str, Any]],
        X: Any,
        y: ArrayLike,
        *,
        of: Question = "models",
        reference: str | None = None,
        definition: Definition = Step(),
        pooling: Pooling = "scores",
        confidence_level: float = 0.95,
        alternative: Alternative = "two-sided",
        average: Average = "macro",
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        prevalence: float | None = None,
        zero_division: ZeroDivision = "warn",
        n_resamples: int = 999,
        rng: Seed = 0,
    ) -> AveragePrecisionComparison:
        """Compare models by cross-validations with the same folds.

        Parameters
        ----------
        cv_results : mapping of str to dict
            What ``cross_validate`` returns for each model, with ``return_estimator=True`` and
            ``return_indices=True``. Give each the same ``cv`` with the same ``random_state``. Of
            out-of-fold scores, ``{"y_score": scores, "folds": folds}``, with the fold of each row.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated. None for out-of-fold scores.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        of : {"models", "training"}, default="models"
            The question. "models": are the models that the folds trained better, on new cases?
            "training": is this way of training better, with another training set of this size?
            The second question is harder. See the notes.
        reference : str, default=None
            The name of the model that the others are compared with. None takes the first. Choose it
            before you see the scores.
        definition : Definition, default=Step()
            The definition of average precision.
        pooling : {"scores", "ranks", "odds"}, default="scores"
            What is pooled: the scores as they are; their ranks within each fold, equal ones ordered
            by the score, if a warning says that the scores of the folds do not mean the same, and
            folds have the same prevalence; or the odds p / (1 - p) of each probability, divided by
            those of a positive in the training rows (weighted, with weights), if a warning says
            that folds differ in their prevalence.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            Whether a low p-value says that a model differs from the reference, is better, or is
            worse. With the last two, the intervals of the differences are open on one side.
        average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
            How rankings become one number: "macro" is their mean, "weighted" their mean weighted by
            the number of positives, "micro" one ranking of all cells, and "samples" the mean over
            rows, where each ranks the columns. None gives one value per ranking. With ``queries``,
            use "macro", "weighted" or None. A single ranking ignores the option.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row. A row is one case, whatever its weight.
        queries : array-like of shape (n_samples,), default=None
            The query of each row, for binary ``y_true``: each query is a ranking of its own. For
            "macro" and "weighted", the interval is over queries, not over rows, unless there are
            ``clusters``.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each row, such as the patient. The interval is then over clusters, not
            over rows. With ``queries``, too, the queries are fixed, such as the classes of a
            detector, and clusters are sampled, such as its images.
        prevalence : float, default=None
            The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is
            then that of a population with this prevalence, in which the scores of each class are
            distributed as here. Each ranking gets this prevalence. None uses that of ``y_true``.
        zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
            The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
            out of averages. In a search, one fold with nan makes the mean nan.
        n_resamples : int, default=999
            How many samples are simulated for a definition without influence, such as one at k.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of these samples. None draws others at each call.

        Returns
        -------
        AveragePrecisionComparison
            Of the pooled test rows.

        See Also
        --------
        AveragePrecisionInterval.from_cv_results : The score of one model.

        Notes
        -----
        Rows that one fold tests train the models of the others, so the variance of a difference is
        1.25 times that of other rows. It is up to 1.75 times for "models", and up to 2.25 times for
        "training", if a model ranks rows that it has seen better than new ones. It then loses, on
        new rows, a share g of what it gains over chance on seen ones. The factor grows in
        proportion to g, up to g = 0.4. The model with the largest g decides.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionComparison
        >>> X, y = make_classification(500, weights=[0.9], flip_y=0.1, random_state=0)
        >>> cv = {
        ...     name: cross_validate(model, X, y, return_estimator=True, return_indices=True)
        ...     for name, model in {"linear": LogisticRegression(), "Bayes": GaussianNB()}.items()
        ... }
        >>> AveragePrecisionComparison.from_cv_results(cv, X, y)
                estimate      95% interval  minus linear        95% interval  p-value
        linear    0.5395  [0.4005, 0.6664]     reference
        Bayes     0.6435  [0.5076, 0.7562]       +0.1040  [+0.0328, +0.1752]   0.0049
        """
        models = named_models(cv_results, "cv_results", "results")
        names, place = _names_and_place(models, reference)
        check_choice("of", of, Question)
        options = check_options(confidence_level, n_resamples, rng, alternative)
        given = average, pos_label, None, sample_weight, queries, None, prevalence, zero_division
        request = Request(y, None, *given, clusters)
        pools, warnings, shifts = pool_models(models, X, request, pooling, definition)
        factor = difference_factor(of, [each.overfit() for each in pools])
        options = options._replace(score_factor=LEAST_FACTOR, difference_factor=factor)
        requests = [each.pool for each in pools]
        compared = _compare(definition, requests, names, place, options, warnings, shifts)
        compared = pools[0].counted_once(compared, request)
        if not warnings:
            once = pools[0].once(request)
            warn_of_reversed(once, definition, compared.n_positives, compared.estimates, names)
        return compared

    def rows(self) -> list[dict[str, Any]]:
        """Give the rows of a table.

        Returns
        -------
        list of dict
            One row per model, or per model and ranking. With few labels, the row says what they and
            the judge are worth for this model, as ``labels`` does.
        """
        columns = {name.removesuffix("s"): getattr(self, name) for name in _COLUMNS}
        if self.labels is not None:
            columns |= {name: getattr(self.labels, name) for name in OF_EACH}
        rows: list[dict[str, Any]] = []
        for place in np.ndindex(self.estimates.shape):
            rankings = self.rankings or range(place[-1] + 1)
            ranking = {"ranking": rankings[place[1]]} if len(place) > 1 else {}
            numbers = {name: float(values[place]) for name, values in columns.items()}
            rows.append({"name": self.names[place[0]]} | ranking | numbers)
        return rows

    def positives_for(self, difference: float, power: float = 0.8) -> NDArray[np.float64]:
        """Say how many positives you need to find a difference of this size from the reference.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.

        Returns
        -------
        ndarray of shape (n_models,) or (n_models, n_rankings)
            The number of positives for each model, rounded up; 0 for the reference, and nan for a
            model that ranks as it does. The rows needed are those of this sample, times that number
            over ``n_positives``.

        See Also
        --------
        sklearn_ap.positives_for : The same before you have a sample.

        Notes
        -----
        The test of the comparison is solved for the size of the sample. This assumes that the
        models and the cases are of the same kind as in this sample, and that the difference is the
        true one.
        """
        return self._sizes("positives", difference, power)

    def clusters_for(self, difference: float, power: float = 0.8) -> NDArray[np.float64]:
        """Say how many clusters, such as patients, you need to find a difference of this size.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.

        Returns
        -------
        ndarray of shape (n_models,) or (n_models, n_rankings)
            The number of clusters for each model, rounded up, as ``positives_for`` gives positives.
        """
        return self._sizes("clusters", difference, power)

    def queries_for(self, difference: float, power: float = 0.8) -> NDArray[np.float64]:
        """Say how many queries you need to find a difference of this size.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.

        Returns
        -------
        ndarray of shape (n_models,)
            The number of queries for each model, rounded up, as ``positives_for`` gives positives.
        """
        return self._sizes("queries", difference, power)

    def _sizes(self, kind: str, difference: float, power: float) -> NDArray[np.float64]:
        pilot = known_pilot(self.pilot)
        times: Any = pilot.times_for_power(difference, power)
        times = np.reshape(times, (-1, *self.estimates.shape[1:]))
        needed = np.zeros(self.estimates.shape)
        others = np.array(self.names) != self.reference
        needed[others] = pilot.number(kind, times, np.asarray(self.n_positives))
        return needed

    def plot(self, ax: Any = None) -> Any:
        """Draw one row for each model: its score, and its difference from the reference.

        Parameters
        ----------
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the models need.

        Returns
        -------
        ndarray of two matplotlib Axes
            Scores, and differences, which are coloured if their intervals do not contain 0.

        Notes
        -----
        Decide by the right panel. The models are scored on the same rows, so their scores go up and
        down together, and two intervals on the left may overlap although the difference is clear.
        The p-values are adjusted for the number of models, and the intervals are not.
        """
        from sklearn_ap.intervals._pictures import plot_comparison

        return plot_comparison(self, ax)

    def _table(self) -> Table:
        named = self.names, self.reference
        return comparison_table(self.rows(), *named, self.confidence_level, self.labels)


_COLUMNS = (
    *("estimates", "lows", "highs", "differences", "difference_lows", "difference_highs"),
    *("difference_standard_errors", "pvalues", "adjusted_pvalues"),
)


@overload
def average_precision_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    confidence_level: float = ...,
    average: Averaged = ...,
    pos_label: Any = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    queries: ArrayLike | None = ...,
    clusters: ArrayLike | None = ...,
    n_positives: ArrayLike | None = ...,
    prevalence: float | None = ...,
    inclusion_probability: ArrayLike | float | None = ...,
    judge: ArrayLike | None = ...,
    zero_division: ZeroDivision = ...,
    n_resamples: int = ...,
    rng: Seed = ...,
) -> AveragePrecisionInterval[float]: ...
@overload
def average_precision_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    confidence_level: float = ...,
    average: None,
    pos_label: Any = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    queries: ArrayLike | None = ...,
    clusters: ArrayLike | None = ...,
    n_positives: ArrayLike | None = ...,
    prevalence: float | None = ...,
    inclusion_probability: ArrayLike | float | None = ...,
    judge: ArrayLike | None = ...,
    zero_division: ZeroDivision = ...,
    n_resamples: int = ...,
    rng: Seed = ...,
) -> AveragePrecisionInterval[Any]: ...
@explains_options
def average_precision_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = Step(),
    confidence_level: float = 0.95,
    average: Average = "macro",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    inclusion_probability: ArrayLike | float | None = None,
    judge: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_resamples: int = 999,
    rng: Seed = 0,
) -> AveragePrecisionInterval[Any]:
    """Score, with an interval that says how sure the score is.

    The interval says where the score of the whole population may be. The rows (or clusters, or
    queries) are a random sample of this population. For recall levels and scores at k, at a recall
    or at a precision, the interval is for the mean score of samples of this size. It does not
    include that another training set would have given another model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    definition : Definition, default=Step()
        The definition of average precision, from ``sklearn_ap.definitions``.
    confidence_level : float, default=0.95
        How often such intervals should contain the true value.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
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
        The chance that each row had to be labelled, if only some were: ``y_true`` is nan or None
        where nobody looked. "equal" says that they are a simple random sample. Rows of a cluster or
        of a query are labelled together. An array may be nan where labels are unknown.
    judge : array-like of shape (n_samples,), default=None
        What another model, such as a language model, says of all rows: labels like those of
        ``y_true``, or probabilities of a positive. Labels correct it, and it need not be right.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.
    n_resamples : int, default=999
        How many samples are simulated for a definition without influence, such as one at k.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of these samples. None draws others at each call.

    Returns
    -------
    AveragePrecisionInterval
        The score (that of the score function with the same arguments), its standard error and its
        confidence limits. Floats, or arrays for ``average=None``, unless there is one ranking.

    Warns
    -----
    UncertaintyWarning
        If the interval is based on too little: fewer than 10 positives (the effective number, which
        ``AveragePrecisionInterval`` explains), clusters or queries, many columns with few positives
        each, or a score of 1.

    See Also
    --------
    compare_average_precision : Whether one model is better than another on the same rows.
    AveragePrecisionInterval.from_counts : The same from counts alone.

    Notes
    -----
    The variance of the score is the sum over rows of the squares of their influence, which is the
    derivative of the score by the weight of the row [1]_. It is shrunk towards the variance of a
    binomial proportion, because a nearly perfect ranking shows too little variance. The confidence
    limits are Wilson's, for the sample size with which a proportion would have this variance. For
    definitions without influence, the variance is that of simulated samples.

    References
    ----------
    .. [1] Efron (1981), "Nonparametric estimates of standard error: the jackknife, the bootstrap
       and other methods", Biometrika.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 100)
    >>> average_precision_interval(y_true, y_true + rng.normal(size=100))
    estimate  std. error      95% interval     bias  positives
    0.8242        0.0453  [0.7044, 0.8987]  +0.0024         56
    """
    given = average, pos_label, labels, sample_weight, queries, n_positives, prevalence
    request = Request(y_true, y_score, *given, zero_division, clusters)
    options = check_options(confidence_level, n_resamples, rng)
    if inclusion_probability is None and judge is None:
        plain = _interval_of_rows(definition, request, options, warnings_of_scores(y_score))
        warn_of_reversed(request, definition, plain.n_positives, plain.estimate)
        return plain
    labelled = check_labelled([request], inclusion_probability, judge)
    estimates, found = estimates_from_labels(definition, labelled, request, options)
    (influences,), (uncertainty,), _ = estimates
    return _with_limits(definition, prevalence, influences, uncertainty, options, labels=found)


@explains_options
def compare_average_precision(
    y_true: ArrayLike,
    y_scores: Scores,
    *,
    reference: str | None = None,
    definition: Definition = Step(),
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    average: Average = "macro",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    inclusion_probability: ArrayLike | float | None = None,
    judge: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_resamples: int = 999,
    rng: Seed = 0,
) -> AveragePrecisionComparison:
    """Say which of several models are better than another on the same rows, and by how much.

    Models make many of the same mistakes on the same rows. So the comparison finds differences even
    if the intervals of the scores overlap.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
    y_scores : mapping of str to array-like, or DataFrame
        The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
        columns of a DataFrame (pandas, polars). Minus infinity says that the model did not retrieve
        the row. Models may miss different rows.
    reference : str, default=None
        The name of the model that the others are compared with. None takes the first. Choose it
        before you see the scores.
    definition : Definition, default=Step()
        The definition of average precision, from ``sklearn_ap.definitions``.
    confidence_level : float, default=0.95
        How often such intervals should contain the true value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that a model differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How rankings become one number: "macro" is their mean, "weighted" their mean weighted by the
        number of positives, "micro" one ranking of all cells, and "samples" the mean over rows,
        where each ranks the columns. None gives one value per ranking. With ``queries``, use
        "macro", "weighted" or None. A single ranking ignores the option.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
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
        The chance that each row had to be labelled, if only some were: ``y_true`` is nan or None
        where nobody looked. "equal" says that they are a simple random sample. Rows of a cluster or
        of a query are labelled together. An array may be nan where labels are unknown.
    judge : array-like of shape (n_samples,), default=None
        What another model, such as a language model, says of all rows: labels like those of
        ``y_true``, or probabilities of a positive. Labels correct it, and it need not be right.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.
    n_resamples : int, default=999
        How many samples are simulated for a definition without influence, such as one at k.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of these samples. None draws others at each call.

    Returns
    -------
    AveragePrecisionComparison
        Scores with their intervals, differences from the reference with theirs, and p-values.

    Warns
    -----
    UncertaintyWarning
        If the comparison is based on too little: fewer than 10 positives, clusters or queries, or
        models that differ in a few rows only.

    See Also
    --------
    average_precision_interval : The interval of one score.
    best_average_precision : The best of several models, and which others may be the best.

    Notes
    -----
    The influence of a row on the difference is the difference of its influences on the scores. A
    small variance is added to the sum of their squares, because two nearly equal models show no
    difference in many samples. The p-values are those of Student's test. Holm's correction adjusts
    them for several models, but not for several rankings (if ``average`` is None).

    The scores of small samples are a little too high. Over many columns or classes, that of one
    model may be too high by more than the other's, and the mean varies little. So the interval and
    the p-value of such a mean are those of the difference less the difference of the biases.

    With a judge, each score is that of ``average_precision_interval``, in which the judge has the
    weight that is best for this score, whatever models stand beside it. If fewer than 20 queries
    are labelled, these weights are rough: of 12 queries, one of ten intervals of a difference was
    1.25 times as wide as with one weight for all models. Label more queries to compare models.

    Do not take the best of several models as the reference: you would use the same rows twice, to
    choose it and to test. Use ``best_average_precision`` instead.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_average_precision
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 300)
    >>> new = y_true + rng.normal(size=300)
    >>> compare_average_precision(y_true, {"old": new + rng.normal(size=300), "new": new})
         estimate      95% interval  minus old        95% interval  p-value
    old    0.7843  [0.6979, 0.8476]  reference
    new    0.8085  [0.7155, 0.8716]    +0.0241  [-0.0164, +0.0647]   0.2394
    """
    models = named_models(columns_by_name("y_scores", y_scores))
    check_lengths(y_true, models)
    names, place = _names_and_place(models, reference)
    given = average, pos_label, labels, sample_weight, queries, n_positives, prevalence
    requests = [
        Request(y_true, y_score, *given, zero_division, clusters) for y_score in models.values()
    ]
    options = check_options(confidence_level, n_resamples, rng, alternative)
    if inclusion_probability is not None or judge is not None:
        labelled = check_labelled(requests, inclusion_probability, judge)
        estimates, found = estimates_from_labels(definition, labelled, requests[0], options, place)
        return _differences(definition, prevalence, estimates, names, place, options, labels=found)
    warnings = warnings_of_scores_of_models(models)
    compared = _compare(definition, requests, names, place, options, warnings)
    of_rows = requests[0], definition, compared.n_positives
    warn_of_reversed(*of_rows, compared.estimates, names)
    return compared


def _compare(
    definition: Definition,
    requests: list[Request],
    names: tuple[str, ...],
    place: int,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    shifts: Sequence[Shift] = (),
) -> AveragePrecisionComparison:
    """Compare models with the one at ``place``: a number for each, or for each model and ranking.

    ``shifts`` are those of pools of folds.
    """
    models = influences_of_models(definition, requests, options)
    uncertainties = [sample_of_scores(model).uncertainty() for model in models]
    reference, of_reference = models[place], uncertainties[place]
    samples = {
        i: sample_of_difference(each, reference, found.bias - of_reference.bias)
        for i, (each, found) in enumerate(zip(models, uncertainties, strict=True))
        if i != place
    }
    of_others = {i: sample.uncertainty() for i, sample in samples.items()}
    estimates = Estimates(models, uncertainties, of_others)
    doubts = warnings_of_differences(estimates, place, shifts)
    warn_of([*warnings, *warnings_of_models(names, models, uncertainties), *doubts])
    pilot = pilot_of(reference, (*samples.values(),), options)
    parts: dict[str, Any] = {"rankings": requests[0].rankings, "pilot": pilot}
    given = definition, requests[0].prevalence
    return _differences(*given, estimates, names, place, options, **parts)


def _differences(
    definition: Definition,
    prevalence: float | None,
    estimates: Estimates,
    names: tuple[str, ...],
    place: int,
    options: Options,
    **parts: Any,
) -> AveragePrecisionComparison:
    reference, level, found = estimates.influences[place], options.confidence_level, []
    pairs = zip(estimates.influences, estimates.uncertainties, strict=True)
    for i, (model, uncertainty) in enumerate(pairs):
        limits = confidence_limits(model, uncertainty.times(options.score_factor), level)
        tested = difference_test(model, reference, estimates.of_others.get(i), options)
        found.append((model.score, *limits, model.score - reference.score, *tested))
    columns = [np.array(column) for column in zip(*found, strict=True)]
    if reference.is_one_number:
        columns = [column[:, 0] for column in columns]
    numbers: dict[str, Any] = dict(zip(_COLUMNS[:-1], columns, strict=True))
    others, adjusted = np.arange(len(names)) != place, numbers["pvalues"].copy()
    adjusted[others] = holm_adjusted(adjusted[others])
    return AveragePrecisionComparison(
        names=names,
        **numbers,
        adjusted_pvalues=adjusted,
        reference=names[place],
        confidence_level=level,
        alternative=options.alternative,  # type: ignore[arg-type]
        method=reference.method,  # type: ignore[arg-type]
        n_positives=_total(reference, reference.positives.n_counted),
        n_effective=_total(reference, reference.positives.n_effective),
        definition=definition,
        prevalence=prevalence,
        **parts,
    )


def _names_and_place(models: dict[Any, Any], reference: Any) -> tuple[tuple[str, ...], int]:
    """The names of models, and the place of the reference among them; the reference without one."""
    keys = (*models,)
    if reference is not None and not (isinstance(reference, Hashable) and reference in models):
        raise ValueError(f"reference must be one of {keys}, got {reference!r}.")
    return tuple(map(str, keys)), 0 if reference is None else keys.index(reference)
