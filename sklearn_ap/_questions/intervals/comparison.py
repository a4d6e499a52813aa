"""Whether one model is better than another on the same rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import Cases, Table
from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._inputs.arrays import columns_by_name
from sklearn_ap._inputs.rankings import Average
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels.labels import MODEL_COLUMNS, Labels
from sklearn_ap._questions.intervals._estimated import ScoredSample
from sklearn_ap._questions.intervals._from_labels import scores_from_labels
from sklearn_ap._questions.intervals._from_rows import scores_from_rows
from sklearn_ap._questions.intervals._margins import margin_part
from sklearn_ap._questions.intervals._picture import plot_comparison
from sklearn_ap._questions.intervals._table import comparison_table
from sklearn_ap._questions.intervals._verdicts import (
    decisions_of_rows,
    printed_verdicts,
    verdicts_of_comparison,
)
from sklearn_ap._questions.intervals.cases import VarianceMethod, sum_if_single_score
from sklearn_ap._questions.judged import JudgedShares, judged_shares
from sklearn_ap._questions.result import PrintedResult, add_heading
from sklearn_ap._questions.sample_size.pilot import Pilot, check_pilot
from sklearn_ap._questions.verdicts import Verdict, add_decisions
from sklearn_ap._types import (
    Argument,
    Array,
    Axes,
    Bool,
    Float,
    FloatOrArray,
    Label,
    Name,
    RowData,
)
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.former.margins import check_margin
from sklearn_ap._uncertainty.former.pvalues import difference_test, holm_adjusted_to
from sklearn_ap._uncertainty.former.tuned_constants import POOL_VARIANCE_FACTOR
from sklearn_ap._uncertainty.former.worse_than_random import warn_of_reversed_scores
from sklearn_ap._uncertainty.options import (
    Alternative,
    Options,
    Scores,
    Seed,
    check_lengths,
    check_options,
    named_models,
)
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_all_scores
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.inference.folds import (
    FoldPredictions,
    are_fold_predictions,
    pool_models,
    refuse_beside_folds,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragePrecisionComparison(PrintedResult):
    """Scores of several models on the same rows, and their differences from a reference.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

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
        The same after Holm's correction for all models, and for all rankings if there are several.
    reference : str
        The model that the others are compared with.
    confidence_level : float
        The level of all intervals.
    alternative : {"two-sided", "greater", "less"}
        What the p-values are evidence for.
    variance_method : {"influence", "resampling", "queries"}
        The source of the variances, by derivatives, by simulated samples, or over queries.
    n_positives, n_effective : float or ndarray of shape (n_rankings,)
        The number of positives and the effective one.
    rankings : tuple or None, default=None
        The names of queries, classes or columns, for ``average=None``; None if there are none.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    pilot : Pilot or None, default=None
        The variances of the sample, from which ``positives_for`` plans a larger one; None with few
        labels.
    labels : Labels or None, default=None
        How many rows have labels, and what a judge adds; None if all rows have labels.
    cases : Cases or None, default=None
        How many rows there are, and what was sampled: rows, clusters or queries; None if unknown.
    judged : JudgedShares or None, default=None
        For runs that ``sklearn_ap.retrieval`` read, the share of the first k documents of each
        system that have a label; no table shows them if labels name relevant documents only. None
        for other scores.
    margin : float or None, default=None
        The margin that was passed. Without one, the fields below are None.
    margin_lows : ndarray or None, default=None
        Lower limits of the differences that also allow for rare false alarms: an array of the same
        shape. A model is not worse if its limit is above minus the margin.
    not_worse_pvalues : ndarray or None, default=None
        How often a model that is worse by the margin would look as good as this one: an array of
        the same shape, nan for the reference. Compare them with half of 1 - ``confidence_level``.
        ``verdicts`` decide after Holm's correction, as in ``adjusted_pvalues``.

    See Also
    --------
    compare_average_precision : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_average_precision
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> models = {
    ...     "A": 1.5 * y_true + rng.normal(size=2000),
    ...     "B": 2.5 * y_true + rng.normal(size=2000),
    ... }
    >>> found = compare_average_precision(y_true, models)
    >>> found.names, found.differences.round(3), found.pvalues.round(3)
    (('A', 'B'), array([0.   , 0.376]), array([1., 0.]))
    >>> print(found.to_paper().splitlines()[3])
    | B | 0.71 (0.62 to 0.78) | +0.38 (+0.26 to +0.49) | <0.001 |
    """

    names: tuple[str, ...]
    estimates: Float
    lows: Float
    highs: Float
    differences: Float
    difference_lows: Float
    difference_highs: Float
    difference_standard_errors: Float
    pvalues: Float
    adjusted_pvalues: Float
    reference: str
    confidence_level: float
    alternative: Alternative
    variance_method: VarianceMethod
    n_positives: FloatOrArray
    n_effective: FloatOrArray
    rankings: tuple[Name, ...] | None = None
    definition: Definition = Step()
    prevalence: float | None = None
    pilot: Pilot | None = None
    labels: Labels | None = None
    cases: Cases | None = None
    judged: JudgedShares | None = None
    margin: float | None = None
    margin_lows: Float | None = None
    not_worse_pvalues: Float | None = None

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per model, or per model and ranking. With few labels, the row has the numbers of
            ``labels`` for this model. ``verdict`` is the decision of
            ``verdicts``, or "reference". For retrieval runs, it has judged@k of the system
            (``judged_at_k``), this k (``judged_k``), and the share that a judge alone graded
            (``judge_alone_at_k``), if there is one. With a margin, it has the limits and the
            p-values of its tests.
        """
        fields = [*_COLUMNS]
        if self.margin is not None:
            fields += _MARGIN_COLUMNS
        columns = {name.removesuffix("s"): getattr(self, name) for name in fields}
        if self.labels is not None:
            columns |= {name: getattr(self.labels, name) for name in MODEL_COLUMNS}
        rows: list[dict[str, Any]] = []
        # An index is (model,), or (model, ranking) for several rankings.
        for index in np.ndindex(self.estimates.shape):
            model = index[0]
            row: dict[str, Any] = {"name": self.names[model]}
            if len(index) > 1:
                ranking = index[1]
                row["ranking"] = self.rankings[ranking] if self.rankings else ranking
            row |= {name: float(values[index]) for name, values in columns.items()}
            if self.judged is not None:
                row |= self.judged.columns(self.names[model])
            rows.append(row)
        return add_decisions(rows, decisions_of_rows(self))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is shown of each model but the reference, or of each model and ranking.

        The decision is "better", "worse" or "undecided", by the adjusted p-value. With a margin, a
        model that is not shown to be better may be "not worse". The sentence gives the difference
        with its interval, or what fits the data.
        """
        return verdicts_of_comparison(self)

    def positives_for(
        self,
        difference: float,
        power: float = 0.8,
        margin: float | None = None,
    ) -> Float:
        """Compute how many positives you need to find a difference of this size from the reference.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.
        margin : float, default=None
            The margin of a plan for "not worse". ``difference`` is then the true difference that
            you assume, 0.0 for equal models, and the model should be shown to be not worse.

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
        true one. The number contains the factor of ``pilot_factors``.
        """
        return self._sizes("positives", difference, power, margin)

    def clusters_for(
        self,
        difference: float,
        power: float = 0.8,
        margin: float | None = None,
    ) -> Float:
        """Compute how many clusters, such as patients, you need to find a difference of this size.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.
        margin : float, default=None
            The margin of a plan for "not worse". ``difference`` is then the true difference that
            you assume, 0.0 for equal models, and the model should be shown to be not worse.

        Returns
        -------
        ndarray of shape (n_models,) or (n_models, n_rankings)
            The number of clusters for each model, rounded up, as ``positives_for`` gives positives.
        """
        return self._sizes("clusters", difference, power, margin)

    def queries_for(
        self,
        difference: float,
        power: float = 0.8,
        margin: float | None = None,
    ) -> Float:
        """Compute how many queries you need to find a difference of this size.

        Parameters
        ----------
        difference : float
            The difference of two scores that should be found, such as 0.02.
        power : float, default=0.8
            How often it should be found: the p-value (not adjusted) is then below
            ``1 - confidence_level``.
        margin : float, default=None
            The margin of a plan for "not worse". ``difference`` is then the true difference that
            you assume, 0.0 for equal models, and the model should be shown to be not worse.

        Returns
        -------
        ndarray of shape (n_models,)
            The number of queries for each model, rounded up, as ``positives_for`` gives positives.
        """
        return self._sizes("queries", difference, power, margin)

    def pilot_factors(self, power: float = 0.8) -> Float:
        """Compute the factors of plans for a power, which allow for a pilot's uncertain variance.

        Parameters
        ----------
        power : float, default=0.8
            How often a difference should be found.

        Returns
        -------
        ndarray of shape (n_models,) or (n_models, n_rankings)
            The factor of each model, which ``positives_for`` and others contain; 1 for the
            reference.

        Notes
        -----
        The variance that a sample shows is uncertain, and samples that show too little of it lose
        more power than others gain. The factor f makes the mean power right: E Phi((z + z_power)
        sqrt(f C) - z) = power, where C is chi-squared over its degrees of freedom, those of the
        test. It is multiplied by 1 + 2.5 / N, with N effective positives, for the remaining loss.
        """
        factors = np.ones(self.estimates.shape)
        pilot_factors = check_pilot(self.pilot).factors_for_power(power)
        factors[self._is_compared] = self._compared_rows(pilot_factors)
        return factors

    def _compared_rows(self, numbers: Sequence[Float]) -> Float:
        """Reshape numbers into a row for each model except the reference."""
        return np.reshape(numbers, (-1, *self.estimates.shape[1:]))

    @property
    def _is_compared(self) -> Bool:
        """Whether each model is not the reference: (n_models,)."""
        return np.array(self.names) != self.reference

    def _sizes(
        self,
        kind: str,
        difference: float,
        power: float,
        margin: float | None,
    ) -> Float:
        pilot = check_pilot(self.pilot)
        times = self._compared_rows(pilot.times_for_power(difference, power, margin))
        times = times * self._compared_rows(pilot.factors_for_power(power))
        sizes = np.zeros(self.estimates.shape)
        sizes[self._is_compared] = pilot.planned_size(kind, times, np.asarray(self.n_positives))
        return sizes

    def plot(self, ax: Axes = None) -> Array:
        """Draw one row for each model: its score, and its difference from the reference.

        Parameters
        ----------
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the models need. In a figure narrower
            than 6 inches, the differences stand below the scores.

        Returns
        -------
        ndarray of two matplotlib Axes
            Scores, and differences, which are coloured if their adjusted p-values are below
            1 - ``confidence_level``.

        Notes
        -----
        Decide by the panel of differences. The models are scored on the same rows, so their scores
        go up and down together, and two intervals of scores may overlap although the difference is
        clear. The p-values are adjusted for the number of models, and the intervals are not.
        """
        return plot_comparison(self, ax)

    def _table(self) -> Table:
        return add_heading(comparison_table(self), self)._replace(verdicts=printed_verdicts(self))


_COLUMNS = (
    "estimates",
    "lows",
    "highs",
    "differences",
    "difference_lows",
    "difference_highs",
    "difference_standard_errors",
    "pvalues",
    "adjusted_pvalues",
)
_MARGIN_COLUMNS = ("margin_lows", "not_worse_pvalues")


def compare_average_precision(
    y_true: ArrayLike | None,
    y_scores: Scores | Mapping[str, FoldPredictions],
    *,
    reference: str | None = None,
    definition: Definition = Step(),
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
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
) -> AveragePrecisionComparison:
    """Compare the average precision of several models on the same rows.

    Models make many of the same mistakes on the same rows. So the comparison finds differences even
    if the intervals of the scores overlap. It compares these fitted models, or those that the folds
    trained, on new cases: it does not tell how training with other seeds or rows would turn out.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, class labels, or multilabel indicators, where a cell of nan is left out. None
        takes those that ``FoldPredictions`` carry.
    y_scores : mapping of str to array-like or FoldPredictions, or DataFrame
        The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
        columns of a DataFrame (pandas, polars). Minus infinity says that the model did not retrieve
        the row. Models may miss different rows. For cross-validations with the same folds, pass the
        ``FoldPredictions`` of each model.
    reference : str, default=None
        The name of the model that the others are compared with. None takes the first. Choose it
        before you see the scores.
    definition : Definition, default=Step()
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that a model differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side.
    margin : float, default=None
        The loss of average precision that does not matter to you, such as 0.02, chosen before you
        see the scores. The comparison then also tests whether each model is not worse than the
        reference by the margin or more.
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
    AveragePrecisionComparison
        Scores with their intervals, differences from the reference with theirs, and p-values.

    Warns
    -----
    UncertaintyWarning
        If the comparison may be unreliable, for example with few clusters, or with many columns
        that have few positives each. For runs that ``sklearn_ap.retrieval`` read, if unlike shares
        of their first documents have labels.

    See Also
    --------
    average_precision_interval : The interval of one score.
    best_average_precision : The best of several models, and which others may be the best.
    FoldPredictions : The models of a cross-validation, in the place of scores.

    Notes
    -----
    The influence of a row on the difference is the difference of its influences on the scores. A
    small variance is added to the sum of their squares, because two nearly equal models show no
    difference in many samples. The p-values are those of Student's test. Holm's correction adjusts
    them for several models, but not for several rankings (if ``average`` is None).

    The scores of small samples are a little too high. In a mean over many columns or classes, which
    varies little, this bias may be larger for one model than for another. So the interval and the
    p-value of a difference of such means are corrected for the difference of their biases.

    With a margin, "not worse" is tested on one side, at half the error. So it corresponds to the
    printed interval of 95%, not to one of 90%, but is a little stricter: a sample may lack rare
    false alarms of a model, so its limit also allows for three of these above all other rows.
    Holm's correction for several models makes p-values larger than those that agree with the
    intervals. A margin below the cost of these is refused, because equal models would not be shown
    to be not worse.

    With a judge, each score is that of ``average_precision_interval``: the weight of the judge is
    the best for this score, and does not depend on the other models. If fewer than 20 queries are
    labelled, these weights are rough: with 12 queries, one of ten intervals of a difference was
    1.25 times as wide as with one weight for all models. Label more queries to compare models.

    Do not take the best of several models as the reference: you would use the same rows twice, to
    choose it and to test. Use ``best_average_precision`` instead.

    Examples
    --------
    Two models read the same 1,200 images, of which 8% show the disease:

    >>> import numpy as np
    >>> from sklearn_ap import compare_average_precision
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(300), 4)
    >>> y_true = (rng.random(300) < 0.08)[patient].astype(int)
    >>> alike = rng.normal(size=300)[patient]
    >>> models = {
    ...     "A": 1.5 * y_true + 0.5 * alike + rng.normal(size=1200),
    ...     "B": 2.5 * y_true + 0.5 * alike + rng.normal(size=1200),
    ... }
    >>> compare_average_precision(y_true, models, clusters=patient)
    step AP, 1,200 rows, 100 positives (8.33%), uncertainty over 300 clusters
       estimate      95% interval    minus A        95% interval   p-value
    A    0.4312  [0.2925, 0.5786]  reference
    B    0.7793  [0.6603, 0.8650]    +0.3481  [+0.2385, +0.4578]  < 0.0001
    B is better than A: +0.35 (95% interval +0.24 to +0.46).
    """
    models = named_models(columns_by_name("y_scores", y_scores))
    check_lengths(y_true, models)
    names = tuple(map(str, models))
    reference_index = _find_reference(models, reference)
    requests = [
        Request(
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
        for y_score in models.values()
    ]
    options = check_options(confidence_level, rng, alternative)
    options = options._replace(margin=check_margin(margin, alternative))
    if are_fold_predictions(models):
        refuse_beside_folds(
            labels=labels,
            n_positives=n_positives,
            inclusion_probability=inclusion_probability,
            judge=judge,
        )
        return _comparison_of_folds(definition, requests, names, reference_index, options)
    if inclusion_probability is not None or judge is not None:
        sample = scores_from_labels(
            definition, requests, options, inclusion_probability, judge, reference_index
        )
        return _comparison(definition, prevalence, sample, names, reference_index, options)
    warnings = warnings_of_all_scores(models)
    sample = scores_from_rows(definition, requests, options, warnings, names, reference_index)
    comparison = _comparison(definition, prevalence, sample, names, reference_index, options)
    request = requests[0]
    warn_of_reversed_scores(request, definition, sample.estimates.influences, names)
    judged = judged_shares(y_scores, request, definition)
    issue_warnings([] if judged is None else judged.doubts())
    return replace(comparison, judged=judged)


def _comparison_of_folds(
    definition: Definition,
    requests: list[Request],
    names: tuple[str, ...],
    reference_index: int,
    options: Options,
) -> AveragePrecisionComparison:
    """Compare the pools of folds, which hold the same rows, by equation B12."""
    model_requests = dict(zip(names, requests, strict=True))
    pools, warnings = pool_models(model_requests)
    options = options._replace(
        score_factor=POOL_VARIANCE_FACTOR, difference_factor=POOL_VARIANCE_FACTOR
    )
    sample = scores_from_rows(
        definition,
        [pool.request for pool in pools],
        options,
        warnings,
        names,
        reference_index,
    )
    prevalence = requests[0].prevalence
    comparison = _comparison(definition, prevalence, sample, names, reference_index, options)
    if not warnings:
        models = sample.estimates.influences
        warn_of_reversed_scores(pools[0].request, definition, models, names)
    cases = cast(Cases, comparison.cases)._replace(folds=f"pool of {pools[0].n_folds} folds")
    return replace(comparison, cases=cases)


def _comparison(
    definition: Definition,
    prevalence: float | None,
    sample: ScoredSample,
    names: tuple[str, ...],
    reference_index: int,
    options: Options,
) -> AveragePrecisionComparison:
    """Make the result: a number for each model, or for each model and ranking."""
    models = sample.estimates.influences
    reference = models[reference_index]
    column = partial(_stack_models, reference.is_single_score)
    limits = [
        confidence_limits(
            model, uncertainty.scale_variance(options.score_factor), options.confidence_level
        )
        for model, uncertainty in zip(models, sample.estimates.uncertainties, strict=True)
    ]
    tests = [
        difference_test(
            model, reference, sample.estimates.difference_uncertainties.get(index), options
        )
        for index, model in enumerate(models)
    ]
    pvalues = column(test.pvalue for test in tests)
    margins = margin_part(sample.estimates, names, reference_index, options, column)
    return AveragePrecisionComparison(
        names=names,
        estimates=column(model.score for model in models),
        lows=column(low for low, _ in limits),
        highs=column(high for _, high in limits),
        differences=column(model.score - reference.score for model in models),
        difference_lows=column(test.low for test in tests),
        difference_highs=column(test.high for test in tests),
        difference_standard_errors=column(test.standard_error for test in tests),
        pvalues=pvalues,
        adjusted_pvalues=holm_adjusted_to(reference_index, pvalues),
        reference=names[reference_index],
        confidence_level=options.confidence_level,
        alternative=options.alternative,  # type: ignore[arg-type]
        variance_method=reference.variance_method,  # type: ignore[arg-type]
        n_positives=sum_if_single_score(reference, reference.positives.n_counted),
        n_effective=sum_if_single_score(reference, reference.positives.n_effective),
        rankings=sample.rankings,
        definition=definition,
        prevalence=prevalence,
        pilot=sample.pilot,
        labels=sample.labels,
        cases=sample.cases,
        margin=options.margin,
        margin_lows=margins.lows,
        not_worse_pvalues=margins.not_worse,
    )


def _stack_models(is_single_score: bool, model_numbers: Iterable[Float]) -> Float:
    """Stack the numbers of models: one number for each, or a row of numbers for its rankings."""
    numbers = np.array([*model_numbers])  # (n_models, n_rankings)
    return numbers[:, 0] if is_single_score else numbers


def _find_reference(models: dict[Name, RowData], reference: Argument) -> int:
    """Find the index of the reference among the models; 0 if the user passed none."""
    names = (*models,)
    if reference is not None and not (isinstance(reference, Hashable) and reference in models):
        raise ValueError(f"reference must be one of {names}, got {reference!r}.")
    return 0 if reference is None else names.index(reference)
