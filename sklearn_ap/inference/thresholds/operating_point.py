"""A threshold to act on: for a precision, a recall, a number of rows, the least cost, or given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_open_share, check_prevalence, refuse_prevalence_at_k
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.sourced_scores import Source
from sklearn_ap._results.column import Estimates
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._results.result import Notes, ResultWithPlot
from sklearn_ap._results.sample import Sample, describe, facts_of, heading_of
from sklearn_ap._types import Json, Label
from sklearn_ap._writing.text import count_as_text, title_with_prevalence
from sklearn_ap.inference.doubts.score_doubts import (
    are_plain,
    constant_counts,
    constant_scores,
    doubts_of_values,
)
from sklearn_ap.inference.thresholds._cuts import Cut, Cuts, cuts_of_counts, cuts_of_rows
from sklearn_ap.inference.thresholds._doubts import (
    doubt_lack_of_negatives,
    few_clusters_of_shares,
    unequal_weights,
)
from sklearn_ap.inference.thresholds._guarantees import refuse_guarantee
from sklearn_ap.inference.thresholds._shares import Share, Shares, shares_with_limits
from sklearn_ap.inference.thresholds.goals import Goal, check_goal

USUAL_GUARANTEE = 0.9  # of a report; a call has none unless it says so


def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float | None = None,
    recall: float | None = None,
    k: float | None = None,
    cost: Mapping[str, float] | None = None,
    threshold: float | None = None,
    prevalence: float | None = None,
    guarantee: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose a threshold for a precision, recall, number of rows or cost, or measure a given one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for positives. Minus infinity means not retrieved.
    precision : float, default=None
        The precision to be reached, within [0, 1]; the threshold has the highest recall, and of
        equal recalls the highest precision.
    recall : float, default=None
        The recall to be reached, within [0, 1]; the threshold has the highest precision, and of
        equal precisions the highest recall.
    k : int or float, default=None
        How many rows you select at most: a whole number, or a share of the rows below 1, rounded
        up. Rows with equal scores are selected together. With weights, k counts weight.
    cost : dict, default=None
        What an error of each kind costs, as ``{"false_positive": 1, "false_negative": 20}``.
    threshold : float, default=None
        A threshold that you chose before, of which you want to know the shares on new rows.
    prevalence : float, default=None
        The proportion of positives where you deploy, for the precision, the selected share and the
        cost. None means that of the sample. You cannot also pass k.
    guarantee : float, default=None
        How often the chosen threshold should truly have the precision or the recall: 0.9 for 90%
        of samples. With None, it has it in the sample. It goes without weights, and with clusters
        for a recall: that of rows, in other clusters.
    confidence_level : float, default=0.95
        How often each of these intervals should contain the true value.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice in the shares, weight 0 not at all. Limits take a row as one
        case, whatever its weight, so they do not narrow as weights grow.
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
        Over clusters, if fewer than 16 effective ones have positives, negatives, or rows that are
        selected or not. With weights, if those of rows that lower a precision or recall are large.

    See Also
    --------
    OperatingPoint.from_counts : The same from counts alone.
    sklearn_ap.definitions.RecallAtPrecision : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : Takes the threshold.

    Notes
    -----
    With ``guarantee``, exact binomial tests say which thresholds have the precision, from the
    highest down to the first that fails [1]_. The search has several starts, which share the error
    that ``guarantee`` allows. If precision falls as the threshold falls, this is a closed test
    [2]_. A recall has one test for all thresholds [3]_. Over clusters, this counts the effective
    number of clusters with positives, as if all rows of a cluster were alike.

    With ``prevalence`` p, a recall r and a share f of the negatives that are selected, precision is
    p r / (p r + (1 - p) f), and the cost per row (1 - p) f times that of a false positive plus
    p (1 - r) times that of a false negative.

    The intervals are Wilson's, with a quantile of Student's t, or exact ones if these are wider.
    Those at another prevalence follow from the intervals of r and f (MOVER). They do not allow for
    the choice of the threshold, which is on average truly a little worse than in the sample. So
    pass a threshold that was chosen on other rows to learn what it does.

    References
    ----------
    .. [1] Angelopoulos, Bates, Candes, Jordan and Lei (2021), "Learn then test: calibrating
       predictive algorithms to achieve risk control", https://arxiv.org/abs/2110.01052.
    .. [2] Marcus, Peritz and Gabriel (1976), "On closed testing procedures with special reference
       to ordered analysis of variance", Biometrika 63(3), 655-660,
       https://doi.org/10.1093/biomet/63.3.655.
    .. [3] Wilks (1941), "Determination of sample sizes for setting tolerance limits", Annals of
       Mathematical Statistics 12(1), 91-96, https://doi.org/10.1214/aoms/1177731788.

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
    threshold for precision >= 0.5, 5,000 rows, 201 positives (4.0%), 95% intervals
    over rows
                 estimate
    precision    0.55 (0.49 to 0.61)
    recall       0.74 (0.68 to 0.80)
    specificity  0.975 (0.970 to 0.979)
    npv          0.989 (0.986 to 0.992)
    selected     0.054 (0.048 to 0.061)
    Select the rows that score 1.9525 or more (270 rows): with 90% confidence, the
    true precision is at least 0.5.

    A missed fraud costs 50 times as much as a false alarm:

    >>> cost = {"false_positive": 1, "false_negative": 50}
    >>> operating_point(is_fraud, y_score, cost=cost).n_selected
    870
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        prevalence=prevalence,
        clusters=clusters,
    )
    goal = check_goal(
        guarantee, precision=precision, recall=recall, k=k, cost=cost, threshold=threshold
    )
    if prevalence is not None:
        refuse_prevalence_at_k(goal.k)
        prevalence = check_prevalence(prevalence)
    level = check_open_share("confidence_level", confidence_level)
    _refuse_several_overlaps(y_score)
    rankings = check_rankings(request, is_binary=True, all_items=True)
    find_doubts = (
        doubts_of_values if threshold is None else constant_scores
    )  # of two grades, 1 is one
    doubts, cuts = find_doubts(rankings.score), cuts_of_rows(rankings, prevalence)
    if are_plain([y_score]):
        doubts += doubt_lack_of_negatives(cuts)
    return _make_point(goal, cuts, level, doubts)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoint(ResultWithPlot):
    """A threshold with its precision and recall: rows with at least this score are selected.

    Print it, draw it with ``plot``, or get its numbers with ``to_frame`` and ``to_dict`` and a
    table for a paper with ``to_table``.

    Parameters
    ----------
    threshold : float
        The number to compare scores with: the one that was passed, or that of the fewest digits
        that selects the same rows of the sample. nan, which selects none, if none reaches the goal.
    precision, recall, specificity, npv, selected : named tuple of three floats
        The share of the selected rows that is positive, of the positives that is selected, of the
        negatives that is not, of the rows that are not selected that is negative (the negative
        predictive value), and of all rows that is selected: its ``estimate``, and its confidence
        limits ``low`` and ``high``, which are nan without a threshold. A share of no rows is nan.
    n_selected : float
        How many rows of the sample are selected, or their weight.
    goal : Goal
        What was asked for: its ``precision``, ``recall``, ``k``, ``cost``, ``threshold`` and
        ``guarantee``. Those of other goals are None.
    sample : Sample
        The rows of which the threshold was chosen, and the prevalence that was passed.
    confidence_level : float
        How often each interval covers the true share.
    notes : mapping, default={}
        "cost", the expected cost per row, if costs were passed. "n_effective", as how many
        clusters of equal size those with positives count, if a recall is guaranteed over them.
    doubts : tuple of Doubt, default=()
        Why the result may be unreliable: its warnings.

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
    >>> found.threshold, found.n_selected, round(found.precision.low, 2)
    (1.594, 438, 0.32)
    """

    threshold: float
    precision: Share
    recall: Share
    specificity: Share
    npv: Share
    selected: Share
    n_selected: float
    goal: Goal
    sample: Sample
    confidence_level: float
    notes: Notes = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()

    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        *,
        precision: float | None = None,
        recall: float | None = None,
        cost: Mapping[str, float] | None = None,
        prevalence: float | None = None,
        guarantee: float | None = None,
        confidence_level: float = 0.95,
    ) -> OperatingPoint:
        """Choose a threshold from counts, for data of any size.

        It is that of ``operating_point`` for the same rows. Counts hold no scores of negatives, so
        a guarantee of a precision, a number of rows and a given threshold need the rows.

        Parameters
        ----------
        counts : ThresholdCounts
            Those of one ranking, without weights and clusters.
        precision, recall, cost, prevalence, guarantee, confidence_level : as in operating_point
            The goal, where you deploy, and how sure you must be.

        Returns
        -------
        OperatingPoint
            The threshold, for ``y_score >= threshold`` with all of its digits, and what it gives.

        Examples
        --------
        >>> from sklearn_ap import OperatingPoint, threshold_counts
        >>> counts = threshold_counts([1, 0, 1, 1, 0, 0] * 10, [9, 8, 7, 6, 5, 4] * 10)
        >>> OperatingPoint.from_counts(counts, recall=0.9).threshold
        6
        """
        goal = check_goal(guarantee, precision=precision, recall=recall, cost=cost)
        prevalence = None if prevalence is None else check_prevalence(prevalence)
        level = check_open_share("confidence_level", confidence_level)
        cuts = cuts_of_counts(counts, prevalence)
        doubts = [*constant_counts(counts), *doubt_lack_of_negatives(cuts)]
        return _make_point(goal, cuts, level, doubts)

    @property
    def heading(self) -> str:
        """What was asked for, and of which sample."""
        title = title_with_prevalence(self.goal.title, self.sample.target_prevalence)
        if not self._has_threshold:
            return describe(self.sample, title)
        return heading_of(self.sample, self.confidence_level, title)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which rows to select, and what is known of them; or why there is no threshold."""
        if not self._has_threshold:
            return (self.goal.shortfall(self.notes, self.sample),)
        amount = count_as_text(self.n_selected, "row")
        if self.sample.weight_share is not None:
            amount = f"a weight of {count_as_text(self.n_selected)}"
        elif self.n_selected == self.sample.n_rows:
            amount = f"all {amount}"
        select = f"Select the rows that score {self.threshold} or more ({amount})"
        claim = self.goal.claim(self.notes, self.sample)
        return (f"{select}: {claim}" if claim else f"{select}.",)

    @property
    def _has_threshold(self) -> bool:
        return not isnan(self.threshold)

    def _facts(self) -> Mapping[str, Json]:
        threshold = self.threshold if isinstance(self.threshold, int) else float(self.threshold)
        return {
            "threshold": threshold,
            "n_selected": self.n_selected,
            "goal": self.goal.to_dict(),
            "guarantee": self.goal.guarantee,
            "confidence_level": self.confidence_level,
            **facts_of(self.sample),
        }

    def _names(self) -> Sequence[str]:
        return Shares._fields

    def _columns(self) -> Sequence[Estimates]:
        values, low, high = np.transpose([getattr(self, name) for name in Shares._fields])
        target = self.sample.target_prevalence
        shares = Estimates(
            key="estimate",
            head="estimate",
            title=title_with_prevalence("share", target),
            values=values,
            low=low,
            high=high,
            level=self.confidence_level,
        )
        return (shares,)

    def _panels(self) -> list[Estimates]:
        if not self._has_threshold:
            raise InputError(self.sentences[0])
        return [*self._columns()]

    def _shown_rows(self) -> Sequence[int]:
        return range(len(Shares._fields) if self._has_threshold else 0)


# ---- the choice


def _make_point(
    goal: Goal, cuts: Cuts, level: float, doubts: Sequence[Doubt] = ()
) -> OperatingPoint:
    """Choose the best threshold for a goal, and estimate its shares."""
    if goal.guarantee is not None:
        refuse_guarantee(cuts, is_of_precision=goal.precision is not None)
    cut = goal.choose(cuts)
    selected = cut or Cut(threshold=nan, tp=0, fp=0)
    sampled = cuts.sampled_shares_at(selected)
    shares = shares_with_limits(sampled, level, cuts.sample.target_prevalence)
    if cut is None:
        shares = Shares(*(Share(share.estimate, nan, nan) for share in shares))
    else:
        doubts = [*doubts, *goal.doubts(cuts), *few_clusters_of_shares(sampled)]
        doubts += unequal_weights(sampled, cuts.sample.target_prevalence)
    issue(doubts)
    return OperatingPoint(
        threshold=selected.threshold,
        **shares._asdict(),
        n_selected=selected.tp + selected.fp,
        goal=goal,
        sample=cuts.sample,
        confidence_level=level,
        notes=goal.notes(cuts, cut),
        doubts=(*doubts,),
    )


def _refuse_several_overlaps(y_score: ArrayLike) -> None:
    """Refuse boxes in whose rows each object stands several times."""
    source = getattr(y_score, "source", None)
    if isinstance(source, Source) and source.n_overlaps > 1:
        raise InputError(
            f"y_score has a row for each object at each of {source.n_overlaps} overlaps, so rows "
            f"are no boxes and objects. Pass overlap=0.5, or another one, to from_coco."
        )
