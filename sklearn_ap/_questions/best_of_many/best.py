"""The best of several models: how good it is, and which others may be the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import Cases, Row, Table
from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._inputs.arrays import columns_by_name
from sklearn_ap._inputs.rankings import Average
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.best_of_many._limits import RankedModels, find_best
from sklearn_ap._questions.best_of_many._picture import plot_best
from sklearn_ap._questions.best_of_many._table import best_table
from sklearn_ap._questions.best_of_many._verdicts import verdicts_of_best
from sklearn_ap._questions.intervals.cases import VarianceMethod
from sklearn_ap._questions.judged import JudgedShares, judged_shares
from sklearn_ap._questions.result import PrintedResult, add_heading
from sklearn_ap._questions.verdicts import Verdict, add_decisions
from sklearn_ap._types import Axes, Float, Label
from sklearn_ap._uncertainty.former.tuned_constants import POOL_VARIANCE_FACTOR
from sklearn_ap._uncertainty.former.worse_than_random import warn_of_reversed_scores
from sklearn_ap._uncertainty.options import (
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
class BestAveragePrecision(PrintedResult):
    """The best of several models on the same rows, and those that may be as good.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

    Arrays have one entry per model, the highest score first.

    Parameters
    ----------
    names : tuple of str
        The models.
    estimates : ndarray of shape (n_models,)
        Their scores.
    lows : ndarray of shape (n_models,)
        Lower confidence limits, which cover the truth of all models together.
    highs : ndarray of shape (n_models,)
        Upper confidence limits of the scores.
    may_be_best : tuple of str
        The models that the data do not rule out as the best.
    confidence_level : float
        How often the interval of the best contains its true value, and how often ``may_be_best``
        contains the model that is truly the best.
    variance_method : {"influence", "resampling", "queries"}
        The source of the variances, by derivatives, by simulated samples, or over queries.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    cases : Cases or None, default=None
        How many rows there are, and what was sampled: rows, clusters or queries; None if unknown.
    optimism : float, default=nan
        How much too high the highest score is by selection, on average. nan for a single positive,
        cluster or query, which does not show how much scores vary.
    judged : JudgedShares or None, default=None
        For runs that ``sklearn_ap.retrieval`` read, the share of the first k documents of each
        system that have a label; no table shows them if labels name relevant documents only. None
        for other scores.
    n_effective : float, default=nan
        The effective number of positives; nan if unknown.

    See Also
    --------
    best_average_precision : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import best_average_precision
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> strengths = {"A": 1.5, "B": 2.0}
    >>> models = {name: d * y_true + rng.normal(size=2000) for name, d in strengths.items()}
    >>> found = best_average_precision(y_true, models)
    >>> found.name, found.may_be_best
    ('B', ('B',))
    >>> print(found.to_paper().splitlines()[2])
    | B | 0.50 (0.39 to 0.59) | yes |
    """

    names: tuple[str, ...]
    estimates: Float
    lows: Float
    highs: Float
    may_be_best: tuple[str, ...]
    confidence_level: float
    variance_method: VarianceMethod
    definition: Definition = Step()
    prevalence: float | None = None
    cases: Cases | None = None
    optimism: float = np.nan
    judged: JudgedShares | None = None
    n_effective: float = np.nan

    @property
    def name(self) -> str:
        """The model with the highest score."""
        return self.names[0]

    @property
    def estimate(self) -> float:
        """The highest score."""
        return float(self.estimates[0])

    @property
    def low(self) -> float:
        """Lower limit of the interval of the best, which allows for the choice of the model."""
        return float(self.lows[0])

    @property
    def high(self) -> float:
        """Upper limit of the interval of the best."""
        return float(self.highs[0])

    def _rows(self) -> list[Row]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per model, the highest score first. For retrieval runs, it has judged@k of the
            system (``judged_at_k``), this k (``judged_k``), and the share that a judge alone graded
            (``judge_alone_at_k``), if there is one. ``verdict`` is the decision of ``verdicts``.
        """
        rows = []
        for rank, name in enumerate(self.names):
            row = {
                "name": name,
                "estimate": self.estimates[rank].item(),
                "low": self.lows[rank].item(),
                "high": self.highs[rank].item(),
                "may_be_best": name in self.may_be_best,
            }
            if self.judged is not None:
                row |= self.judged.columns(name)
            rows.append(row)
        return add_decisions(rows, (verdict.decision for verdict in self.verdicts))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is shown of each model, the highest score first.

        The decision is "best" if all others are ruled out, otherwise "may be best" or "not the
        best", as in ``may_be_best``.
        """
        return verdicts_of_best(self)

    def plot(self, ax: Axes = None) -> Axes:
        """Draw one row for each model, in colour if it may be the best.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_best(self, ax)

    def _table(self) -> Table:
        table = best_table(self._rows(), self.confidence_level, self.optimism, self.judged)
        return add_heading(table, self)._replace(verdicts=(self.verdicts[0].sentence,))


def best_average_precision(
    y_true: ArrayLike | None,
    y_scores: Scores | Mapping[str, FoldPredictions],
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
    zero_division: ZeroDivision = "warn",
    rng: Seed = 0,
) -> BestAveragePrecision:
    """Find the best of several models, how good it is, and which others may be the best.

    The score of the best of many models is too high by selection. The interval of the best allows
    for the number of models and for how alike they are. So it is right although the model was
    chosen on the same rows. Pass all models that you tried, not only the good ones.

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
    definition : Definition, default=Step()
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value of the best, and how often
        ``may_be_best`` should contain the model that is truly the best.
    average : {"macro", "weighted", "micro", "samples"} default="macro"
        How several rankings become one number. "macro" is their mean. "weighted" is their mean
        weighted by the number of positives. "micro" makes one ranking of all cells. "samples" is
        the mean over rows, where each row ranks the columns. With ``queries``, use "macro" or
        "weighted". A single ranking ignores the option.
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
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the draws, and of the samples that are simulated for a definition
        without influence, such as one at k. None gives others at each call.

    Returns
    -------
    BestAveragePrecision
        The best model, its score with an interval, the models that may be the best, and the scores
        and limits of all.

    Warns
    -----
    UncertaintyWarning
        If a score may be unreliable, for example with few clusters. For runs that
        ``sklearn_ap.retrieval`` read, if unlike shares of their first documents have labels.
        For folds, if models have seen clusters of their test rows, or if the folds differ in their
        prevalence.

    See Also
    --------
    compare_average_precision : Differences from a reference that was chosen beforehand.
    average_precision_interval : The interval of one score.
    FoldPredictions : The models of a cross-validation, in the place of scores.

    Notes
    -----
    The covariance matrix of the scores comes from the influences of the rows. Limits use 10,000
    normal draws with this covariance, so levels above 0.998 are refused. The lower limits use the
    quantile of the largest standardised error in a draw, so they cover for all models together, and
    for a model that is chosen by any rule. The upper limits are those of single models: if the
    score of the winner is far too low, so is the score of the truly best model, because it is not
    higher. ``may_be_best`` comes from Hsu's multiple comparisons with the best [1]_: a model is
    ruled out if another is better by more than chance can explain, where the quantile is of its
    largest standardised difference from all others.

    The optimism is the mean error of the winner of a draw, if the true scores are the estimates,
    shrunken to their mean by the share of their variance that is due to errors. Limits allow for
    more variance than a small sample shows; the optimism, which is a mean, does not. For folds, the
    optimism uses 1.25 times the variances of the sample, and variances of differences are those of
    ``FoldPredictions``.

    References
    ----------
    .. [1] Hsu (1981), "Simultaneous confidence intervals for all distances from the 'best'",
       Annals of Statistics 9(5), 1026-1034.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import best_average_precision
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> strengths = {"A": 1.8, "B": 1.9, "C": 0.9}
    >>> models = {name: d * y_true + rng.normal(size=2000) for name, d in strengths.items()}
    >>> best_average_precision(y_true, models)
    step AP, 2,000 rows, 110 positives (5.5%), uncertainty over rows
       estimate      95% interval  may be best
    B    0.4566  [0.3392, 0.5505]          yes
    A    0.4507  [0.3354, 0.5445]          yes
    C    0.1996  [0.1199, 0.2816]
    95% confidence set of the best model: those marked yes
    selection inflates the estimate of the winner by about 0.0252: 0.4314 after correction
    It is not shown that B, with 0.46 (95% interval 0.34 to 0.55), is the best of 3
    models: A may be, too.
    """
    models = named_models(columns_by_name("y_scores", y_scores))
    check_lengths(y_true, models)
    requests = {
        str(name): Request(
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
        for name, y_score in models.items()
    }
    options = check_options(confidence_level, rng)
    if are_fold_predictions(models):
        refuse_beside_folds(labels=labels, n_positives=n_positives)
        return _best_of_folds(definition, requests, options)
    warnings = warnings_of_all_scores(models)
    ranked = find_best(definition, requests, options, warnings)
    first_request = next(iter(requests.values()))
    warn_of_reversed_scores(first_request, definition, ranked.influences, ranked.names)
    judged = judged_shares(y_scores, first_request, definition)
    issue_warnings([] if judged is None else judged.doubts())
    return replace(_result(ranked), judged=judged)


def _best_of_folds(
    definition: Definition, requests: dict[str, Request], options: Options
) -> BestAveragePrecision:
    """Find the best of models whose folds are pooled."""
    pools, warnings = pool_models(requests)
    options = options._replace(
        score_factor=POOL_VARIANCE_FACTOR, difference_factor=POOL_VARIANCE_FACTOR
    )
    pooled_requests = {name: pool.request for name, pool in zip(requests, pools, strict=True)}
    ranked = find_best(definition, pooled_requests, options, warnings)
    cases = ranked.cases._replace(folds=f"pool of {pools[0].n_folds} folds")
    if not warnings:  # a wrong pool may be far below chance
        warn_of_reversed_scores(pools[0].request, definition, ranked.influences, ranked.names)
    return _result(ranked._replace(cases=cases))


def _result(ranked: RankedModels) -> BestAveragePrecision:
    return BestAveragePrecision(
        names=ranked.names,
        estimates=ranked.estimates,
        lows=ranked.lows,
        highs=ranked.highs,
        may_be_best=ranked.may_be_best,
        confidence_level=ranked.confidence_level,
        variance_method=ranked.variance_method,
        definition=ranked.definition,
        prevalence=ranked.prevalence,
        cases=ranked.cases,
        optimism=ranked.optimism,
        n_effective=ranked.n_effective,
    )
