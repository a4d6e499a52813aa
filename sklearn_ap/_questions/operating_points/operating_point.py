"""A threshold to act on, with the precision, the recall and the number of rows that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import Cases, Table, cases_of_rows, threshold_as_text
from sklearn_ap._counts.counting import count, cumulative_counts
from sklearn_ap._counts.thresholds import ThresholdCounts, rounding_of_sums
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import check_binary
from sklearn_ap._questions.operating_points._choice_of_threshold import (
    Thresholds,
    choose_threshold,
    explain_no_threshold,
    make_thresholds,
)
from sklearn_ap._questions.operating_points._from_counts import (
    check_goal_of_counts,
    check_one_ranking,
)
from sklearn_ap._questions.operating_points._guarantees import is_hardly_shown
from sklearn_ap._questions.operating_points._request import (
    ThresholdRequest,
    check_guaranteed_rows,
    check_request,
)
from sklearn_ap._questions.operating_points._shares import SHARES, estimate_shares, rows_per_weight
from sklearn_ap._questions.operating_points._table import threshold_table
from sklearn_ap._questions.operating_points._verdicts import Verdict, verdict_of_threshold
from sklearn_ap._questions.result import PrintedResult
from sklearn_ap._types import Label
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings, warnings_of_scores

Limits = tuple[float, float]

NO_LIMITS = (np.nan, np.nan)


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(PrintedResult):
    """A threshold with its precision and recall: rows with at least this score are selected.

    Print it, get a table with ``to_frame``, or a table for a paper with ``to_paper``.

    Parameters
    ----------
    threshold : float
        A score of the sample, or nan if no threshold is good enough. Nothing is then selected, and
        the shares are 0.
    n_selected : float
        How many rows of the sample are selected, or their weight.
    precision : float
        Share of the selected rows that is positive.
    recall : float
        Share of the positives that is selected.
    selected : float
        Share of all rows that is selected.
    prevalence : float or None
        The prevalence for which ``precision``, ``selected`` and ``cost`` hold. None means that of
        the sample.
    cost : float or None
        The expected cost per row; None if no costs were passed.
    precision_interval, recall_interval, selected_interval : tuple of two floats
        Lower and upper confidence limit of each share.
    confidence_level : float
        The level of the intervals.
    remark : str
        Why there is no threshold; empty if there is one.
    goal : str
        The goal, such as "precision >= 0.9"; empty if unknown.
    cases : Cases or None, default=None
        Numbers of rows and positives (``n_rows``, ``n_positives``), and what was sampled (``unit``:
        "row" or "cluster"); None if unknown.
    guarantee : float or None, default=None
        How often such a threshold truly has the precision or recall; None without a guarantee.
    next_score : float, default=nan
        The highest score of the sample below the threshold, -inf if there is none, or nan if it is
        unknown. Each number above it, and not above the threshold, selects the same rows.

    See Also
    --------
    operating_point : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import operating_point
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(5000) < 0.04).astype(int)
    >>> found = operating_point(y_true, 2.5 * y_true + rng.normal(size=5000), recall=0.8)
    >>> found.printed_threshold, found.n_selected
    ('1.59426', 438)
    >>> print(found.to_paper().splitlines()[2])
    | threshold 1.59426 | 0.37 (0.32 to 0.41) | 0.80 (0.74 to 0.85) | 0.09 (0.08 to 0.10) |
    """

    threshold: float = np.nan
    n_selected: float = 0
    precision: float = 0.0
    recall: float = 0.0
    selected: float = 0.0
    prevalence: float | None = None
    cost: float | None = None
    precision_interval: Limits = NO_LIMITS
    recall_interval: Limits = NO_LIMITS
    selected_interval: Limits = NO_LIMITS
    confidence_level: float = 0.95
    remark: str = ""
    goal: str = ""
    cases: Cases | None = None
    guarantee: float | None = None
    next_score: float = field(default=np.nan, repr=False, compare=False)  # counts may not tell it

    @property
    def printed_threshold(self) -> str:
        """The threshold as it is printed: it selects the same rows of the sample.

        It is rounded down to six digits, or to more if it must stay above ``next_score``. It has
        all digits if ``next_score`` is nan.
        """
        return threshold_as_text(self.threshold, self.next_score)

    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        *,
        precision: float | None = None,
        recall: float | None = None,
        k: float | None = None,
        cost: Mapping[str, float] | None = None,
        prevalence: float | None = None,
        guarantee: float | None = None,
        confidence_level: float = 0.95,
    ) -> OperatingPoint:
        """Choose a threshold from counts, for data of any size.

        It is that of ``operating_point`` for the same rows. Counts hold no scores of negatives, so
        a guarantee of a precision needs the rows, and so does a k that ends among negatives.

        Parameters
        ----------
        counts : ThresholdCounts
            Those of one ranking, without weights and clusters.
        precision : float, default=None
            The precision to be reached, within [0, 1]; the threshold has the highest recall.
        recall : float, default=None
            The recall to be reached, within [0, 1]; the threshold has the highest precision, and of
            equal precisions the greatest recall.
        k : int or float, default=None
            How many rows you select at most, or which proportion of them, as in
            ``operating_point``.
        cost : dict, default=None
            What an error of each kind costs, as ``{"false_positive": 1, "false_negative": 20}``.
        prevalence : float, default=None
            The proportion of positives where you deploy, between 0 and 1. None means that of the
            sample. You cannot also pass k.
        guarantee : float, default=None
            How often the chosen threshold should truly have the recall: 0.9 for 90% of the samples.
            With None, the recall is that in the sample.
        confidence_level : float, default=0.95
            How often these intervals should contain the true value.

        Returns
        -------
        OperatingPoint
            The threshold, for ``y_score >= threshold``, and what it gives. Where a negative stands
            between the threshold and the next score of a positive, ``next_score`` is nan, and all
            digits of the threshold are printed.

        Examples
        --------
        >>> from sklearn_ap import OperatingPoint, threshold_counts
        >>> counts = threshold_counts([1, 0, 1, 1, 0, 0] * 10, [9, 8, 7, 6, 5, 4] * 10)
        >>> OperatingPoint.from_counts(counts, recall=0.9).threshold
        6
        """
        goals = {"precision": precision, "recall": recall, "k": k, "cost": cost}
        request = check_request("from_counts", goals, prevalence, guarantee, confidence_level)
        check_one_ranking(counts)
        request = request.resolve_k(lambda: counts)
        check_goal_of_counts(request.goal, guarantee, counts)
        n_positives = counts.n_positives[0]
        n_negatives = counts.n_negatives[0]
        thresholds = make_thresholds(
            scores=counts.thresholds,
            tps=counts.tps,
            fps=counts.fps,
            n_positives=n_positives,
            n_negatives=n_negatives,
            prevalence=request.prevalence,
            counts=counts,
        )
        n_rows = int(n_positives + n_negatives)
        cases = Cases(
            n_rows=n_rows,
            n_positives=float(n_positives),
            share=float(n_positives) / n_rows,
            unit="row",
        )
        return _point(request, thresholds, cases)

    def _rows(self) -> list[dict[str, Any]]:
        """Return the row of a table.

        Returns
        -------
        list of dict
            A single row, in which each share has a lower and an upper limit. Pandas prints a float
            with six digits, which may select fewer rows, and the text ``printed_threshold`` as it
            is. ``verdict`` is the decision of ``verdicts``.
        """
        row: dict[str, Any] = {
            name: getattr(self, name) for name in ("threshold", "printed_threshold", "n_selected")
        }
        for name in SHARES:
            low, high = getattr(self, f"{name}_interval")
            row |= {name: getattr(self, name), f"{name}_low": low, f"{name}_high": high}
        row |= {"prevalence": self.prevalence, "cost": self.cost}
        row |= {"confidence_level": self.confidence_level, "remark": self.remark}
        return [row | {"verdict": self.verdicts[0].decision}]

    @property
    def verdicts(self) -> tuple[Verdict]:
        """What is known of the threshold, in a sentence and a decision.

        The decision is one of

        - "guaranteed": the threshold has the guarantee that you asked for;
        - "chosen": it reaches the goal in the sample, without a guarantee;
        - "no threshold": none is good enough.
        """
        return (verdict_of_threshold(self),)

    def _table(self) -> Table:
        return threshold_table(self)


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float | None = None,
    recall: float | None = None,
    k: float | None = None,
    cost: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    guarantee: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose a threshold for a precision, a recall, a number of rows or the least cost.

    Pass one of ``precision``, ``recall``, ``k`` and ``cost``. If you take the lowest threshold with
    a precision in the sample, the true precision is lower in over half of the samples, because the
    threshold is the best of many noisy ones. With ``guarantee`` you get a threshold that truly has
    the precision in at least this share of samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    precision : float, default=None
        The precision to be reached, within [0, 1]; the threshold has the highest recall.
    recall : float, default=None
        The recall to be reached, within [0, 1]; the threshold has the highest precision, and of
        equal precisions the greatest recall.
    k : int or float, default=None
        How many rows you select at most, such as 100; or, below 1, which proportion of the rows,
        such as 0.01, rounded up: 1% of 35 rows is one row. Rows with equal scores are selected
        together, so there may be fewer. With weights, k counts weight, and the proportion is
        rounded only if all sums of weights are whole.
    cost : dict, default=None
        What an error of each kind costs, as ``{"false_positive": 1, "false_negative": 20}``. The
        threshold has the least expected cost, and is the highest of those whose costs are equal
        within a relative 1e-9. It is nan if it costs as little to select nothing.
    prevalence : float, default=None
        The proportion of positives where you deploy, between 0 and 1. Precision, share of selected
        rows and cost are then those at this prevalence, and ``n_selected`` is that of the sample.
        None means that of the sample. You cannot also pass k.
    guarantee : float, default=None
        How often the chosen threshold should truly have the precision, or the recall: 0.9 for 90%
        of the samples. With None, the precision or recall is that in the sample. You cannot
        also pass weights, clusters or costs.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Another sample would then have other clusters,
        and the intervals are over clusters, not over rows.

    Returns
    -------
    OperatingPoint
        The threshold, for ``y_score >= threshold``, and what it gives.

    Warns
    -----
    UncertaintyWarning
        Without a guarantee, if the sample hardly shows that any threshold has the precision: each
        would select as many positives in over half of the samples if it just had the precision.

    See Also
    --------
    OperatingPoint.from_counts : The same from counts alone.
    sklearn_ap.definitions.RecallAtPrecision : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : Takes the threshold.

    Notes
    -----
    With ``guarantee``, exact binomial tests say which thresholds have the precision. They are
    tested in a fixed order [1]_, from the highest scores down to the first that fails. The search
    has several starting points, and each has a share of the error that ``guarantee`` allows. A
    threshold is tested with the shares of all starting points down to it. If precision falls as
    the threshold falls, the shares of the tests that may go wrong add up to this error: a closed
    test [2]_. If few scores are distinct, every threshold is tested. Otherwise, each tested one
    selects 5% more rows than the one before, and the last is always tested.

    With ``prevalence`` p, a recall r and a share f of the negatives that are selected, precision is
    p r / (p r + (1 - p) f), and the cost per row (1 - p) f times that of a false positive plus
    p (1 - r) times that of a false negative. The tests are of the precision in the sample that
    means this precision at p.

    The intervals are Wilson's, with a quantile of Student's t. Those at another prevalence follow
    from the intervals of r and f (MOVER), where f has the exact lower limit if that is lower:
    Wilson's is too high with fewer than one expected false positive. They do not allow for the
    choice of the threshold, which is on average truly a little worse than in the sample.

    References
    ----------
    .. [1] Angelopoulos, Bates, Candes, Jordan and Lei (2021), "Learn then test: calibrating
       predictive algorithms to achieve risk control", https://arxiv.org/abs/2110.01052.
    .. [2] Marcus, Peritz and Gabriel (1976), "On closed testing procedures with special reference
       to ordered analysis of variance", Biometrika 63(3), 655-660,
       https://doi.org/10.1093/biomet/63.3.655.

    Examples
    --------
    Of 5,000 payments, 4% are frauds. Choose a threshold at which half of the blocked payments
    are frauds, also among future payments:

    >>> import numpy as np
    >>> from sklearn_ap import operating_point
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = (rng.random(5000) < 0.04).astype(int)
    >>> y_score = 2.5 * is_fraud + rng.normal(size=5000)
    >>> operating_point(is_fraud, y_score, precision=0.5, guarantee=0.9)
    threshold for precision >= 0.5 with a guarantee of 0.9, 5,000 rows, 201
    positives (4.02%), uncertainty over rows
                value      95% interval
    precision  0.5438  [0.4844, 0.6020]
    recall     0.7413  [0.6762, 0.7972]
    selected   0.0548  [0.0488, 0.0615]
    274 selected at threshold 1.95036
    Select the rows that score 1.95036 or higher: with 90% confidence, the true
    precision is at least 0.5.

    For a team that checks 100 payments:

    >>> point = operating_point(is_fraud, y_score, k=100)
    >>> round(point.precision, 2), round(point.recall, 2)
    (0.86, 0.43)

    A missed fraud costs 50 times as much as a false alarm:

    >>> cost = {"false_positive": 1, "false_negative": 50}
    >>> operating_point(is_fraud, y_score, cost=cost).n_selected
    870
    """
    goals = {"precision": precision, "recall": recall, "k": k, "cost": cost}
    request = check_request("operating_point", goals, prevalence, guarantee, confidence_level)
    rankings = check_binary(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
        all_items=True,
    )
    issue_warnings(warnings_of_scores(y_score))
    request = request.resolve_k(lambda: count(rankings.select_retrieved()))
    scores, tps, fps = cumulative_counts(rankings)
    thresholds = make_thresholds(
        scores=scores,
        tps=tps,
        fps=fps,
        n_positives=tps[-1],
        n_negatives=fps[-1],
        prevalence=request.prevalence,
    )
    if rankings.weight is not None:
        thresholds = thresholds._replace(rounding=rounding_of_sums(rankings.weight.size))
    if request.alpha is not None:
        check_guaranteed_rows(rankings, request, thresholds)
    are_counted = rankings.weight is None and rankings.clusters is None  # each row counts as 1
    uneven_rows = None if are_counted else rankings
    return _point(request, thresholds, cases_of_rows(rankings), uneven_rows)


def _point(
    request: ThresholdRequest,
    thresholds: Thresholds,
    cases: Cases,
    uneven_rows: Rankings | None = None,
) -> OperatingPoint:
    """Choose the best threshold, and estimate its shares.

    ``uneven_rows`` have weights or clusters.
    """
    goal = request.goal
    guarantee = request.guarantee
    chosen = choose_threshold(goal, thresholds, request.alpha)
    point = OperatingPoint(
        prevalence=request.prevalence,
        cost=thresholds.cost(chosen, goal),
        confidence_level=request.level,
        goal=goal.as_text(guarantee),
        cases=cases,
        guarantee=guarantee,
    )
    if chosen is None:
        return replace(point, remark=explain_no_threshold(goal, thresholds, guarantee))
    if goal.name == "precision" and guarantee is None:
        _warn_if_hardly_shown(goal.value, thresholds, uneven_rows)
    shares = estimate_shares(thresholds, chosen, uneven_rows, request.level, request.prevalence)
    return replace(
        point,
        threshold=thresholds.scores[chosen].item(),
        n_selected=thresholds.n_selected[chosen].item(),
        precision=shares.precision.value,
        recall=shares.recall.value,
        selected=shares.selected.value,
        precision_interval=shares.precision.interval,
        recall_interval=shares.recall.interval,
        selected_interval=shares.selected.interval,
        next_score=thresholds.next_score(chosen),
    )


def _warn_if_hardly_shown(
    precision: float, thresholds: Thresholds, uneven_rows: Rankings | None
) -> None:
    """Warn if luck alone explains the precision of every threshold."""
    n_rows = 1.0 if uneven_rows is None else rows_per_weight(uneven_rows)
    sample_precision = thresholds.sample_precision(precision)
    if is_hardly_shown(thresholds.tps, thresholds.n_selected, sample_precision, n_rows):
        text = (
            f"The sample hardly shows that any threshold has a precision of {precision:g}, and "
            f"there may be none. The recall at this threshold is then too high, and its interval "
            f"may be too narrow. Pass a guarantee, collect more rows, or ask for a lower precision."
        )
        issue_warnings([UncertaintyWarning(text, "unattainable precision")])
