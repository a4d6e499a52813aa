"""Is a model worse in one segment of the rows than in another? Scores at one prevalence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from numpy.typing import ArrayLike

from sklearn_ap._base.text import Cases, Row, Table
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ratio, values_of
from sklearn_ap._inputs.options import check_prevalence
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.result import ResultOfRankings, add_heading
from sklearn_ap._questions.segments._differences import (
    Differences,
    compare_groups,
    weights_of_others,
)
from sklearn_ap._questions.segments._picture import plot_segments
from sklearn_ap._questions.segments._query_means import mean_over_all
from sklearn_ap._questions.segments._rows import SegmentRows, rows_of_segments
from sklearn_ap._questions.segments._scores import ScoredSegments, score_segments
from sklearn_ap._questions.segments._table import segment_table
from sklearn_ap._questions.segments._verdicts import (
    decisions_of_segments,
    printed_segments,
    verdicts_of_segments,
)
from sklearn_ap._questions.segments.names import find_reference
from sklearn_ap._questions.verdicts import Verdict, add_decisions
from sklearn_ap._types import Argument, Axes, Float, Label, Name
from sklearn_ap._uncertainty.estimate import check_definition
from sklearn_ap._uncertainty.former.tuned_constants import POOL_VARIANCE_FACTOR
from sklearn_ap._uncertainty.options import Alternative, Options, check_options
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference.folds import FoldPredictions

Prevalence = float | Literal["overall"] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentComparison(ResultOfRankings):
    """Scores of segments of the rows, and their differences from a reference.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

    Numbers are arrays with one entry per segment. The differences of the reference itself are nan,
    as are those of the first segment if each is compared with the one before, and those of a
    segment if no other segment has 10 effective positives, or 10 queries with a positive.

    Parameters
    ----------
    rankings : tuple
        The names of the segments: categories in their order, dates by time, others sorted.
    estimates : ndarray of shape (n_segments,)
        Their scores.
    lows, highs : ndarray of shape (n_segments,)
        Confidence limits of the scores.
    n_positives : ndarray of shape (n_segments,)
        The number of positives, whatever they weigh.
    shares : ndarray of shape (n_segments,)
        The share of positives in each segment, by weight.
    differences : ndarray of shape (n_segments,)
        Score minus that of the reference.
    difference_lows, difference_highs : ndarray of shape (n_segments,)
        Confidence limits of the differences.
    pvalues : ndarray of shape (n_segments,)
        How often segments that are alike would show a difference at least as large.
    adjusted_pvalues : ndarray of shape (n_segments,)
        The same after Holm's correction for several segments.
    overall : float
        The mean of the scores of segments, with the weights of means of others; nan if all weights
        are 0.
    pooled : float
        The score of all rows as one ranking, at the same prevalence. It depends on how high the
        scores of one segment are beside those of another. With queries, it is the mean over all of
        them.
    reference : object
        The reference of each segment: "others", "previous", or the name of a segment.
    prevalence : float or None
        The prevalence of all scores; None if each segment has its own.
    left_out : tuple
        Segments without a score: without positives or, at a prevalence, without negatives.
    confidence_level : float
        The level of all intervals.
    alternative : {"two-sided", "greater", "less"}
        What the p-values are evidence for.
    definition : Definition, default=Step()
        What was computed.
    cases : Cases or None, default=None
        How many rows there are, and what was sampled: rows, clusters or queries; None if unknown.
    are_ordered : bool, default=False
        Whether segments are in an order: dates, numbers or categories.
    n_effective : ndarray of shape (n_segments,) or None, default=None
        The number of effective positives. It is less than ``n_positives`` if rows have unequal
        weights, or if a segment has few negatives for the prevalence. With queries, it is the
        number of those with a positive. With less than 10, a segment is not among the others,
        unless there are two segments only. None if unknown.
    few_clusters : tuple, default=()
        The segments whose intervals may be too narrow, because they have fewer than 16 clusters, or
        effective clusters of a class: a warning names them.
    n_queries : ndarray of shape (n_segments,) or None, default=None
        The number of queries of each segment, if scores are means over queries.

    See Also
    --------
    compare_segments : Makes one from labels, scores and segments.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_segments
    >>> rng = np.random.default_rng(0)
    >>> country = np.repeat(["DE", "FR"], 2000)
    >>> y_true = (rng.random(4000) < 0.05).astype(int)
    >>> y_score = np.where(country == "FR", 1.0, 2.5) * y_true + rng.normal(size=4000)
    >>> found = compare_segments(y_true, y_score, country)
    >>> print(found.to_paper().splitlines()[2])
    | DE | 0.74 (0.66 to 0.81) | 110 | 0.06 | +0.54 (+0.42 to +0.63) | <0.001 |
    """

    rankings: tuple[Name, ...]
    estimates: Float
    lows: Float
    highs: Float
    n_positives: Float
    shares: Float
    differences: Float
    difference_lows: Float
    difference_highs: Float
    pvalues: Float
    adjusted_pvalues: Float
    overall: float
    pooled: float
    reference: Name
    prevalence: float | None
    left_out: tuple[Name, ...]
    confidence_level: float
    alternative: Alternative
    definition: Definition = Step()
    cases: Cases | None = None
    are_ordered: bool = False
    n_effective: Float | None = None
    few_clusters: tuple[Name, ...] = ()
    n_queries: Float | None = None
    _name_column = "segment"
    _numbers = (
        *("estimates", "lows", "highs", "n_positives", "shares"),
        *("differences", "difference_lows", "difference_highs", "pvalues", "adjusted_pvalues"),
    )
    _shared_fields = ("reference", "confidence_level")

    def _rows(self) -> list[Row]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per segment, with ``n_queries`` for segments of queries. ``verdict`` is the
            decision of ``verdicts``, or "reference".
        """
        rows = super(SegmentComparison, self)._rows()
        if self.n_queries is not None:
            counts = self.n_queries.tolist()
            rows = [row | {"n_queries": n} for row, n in zip(rows, counts, strict=True)]
        return add_decisions(rows, decisions_of_segments(self))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is shown of each segment but the reference.

        The decision is "better", "worse" or "undecided", by the adjusted p-value.
        """
        return tuple(verdicts_of_segments(self))

    def plot(self, ax: Axes = None) -> Axes:
        """Draw each segment's score with its interval, and a line at their mean, if there is one.

        Segments are rows, or if they are dates, points along an axis of time. Those whose adjusted
        p-value is below 1 - ``confidence_level`` are in colour. A dotted line is what random orders
        score, unless all scores are much higher. A new figure is as high as its rows need.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_segments(self, ax)

    def _table(self) -> Table:
        return add_heading(segment_table(self), self)._replace(verdicts=printed_segments(self))


def compare_segments(
    y_true: ArrayLike | None,
    y_score: ArrayLike | FoldPredictions,
    segments: ArrayLike,
    *,
    reference: Name = "others",
    prevalence: Prevalence = "overall",
    definition: Definition = Step(),
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> SegmentComparison:
    """Compare the average precision of segments of the rows, such as countries or months.

    A segment is a part of the rows, such as a country, an age band or a month. Average precision
    grows with the share of positives, so segments are compared at one prevalence. Each is ranked by
    itself, so a segment whose scores are all higher, as calibrated ones are where positives are
    frequent, is not better for that.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels. None takes those that ``FoldPredictions`` carry.
    y_score : array-like of shape (n_samples,), or FoldPredictions
        Probabilities or decision values, higher for positives; -inf for rows not retrieved. For a
        cross-validation, pass ``FoldPredictions(cv_results, X)``. The variance of each score is
        then 1.25 times as large.
    segments : array-like of shape (n_samples,)
        The segment of each row: categories, which keep their order, dates, strings or numbers.
    reference : "others", "previous" or the name of a segment, default="others"
        What each segment is compared with: the weighted mean of the scores of the other segments,
        the segment before it, such as the month before, or one segment.
    prevalence : float, "overall" or None, default="overall"
        The share of positives at which segments are compared: "overall" is that of all rows. None
        leaves each segment at its own, and differences then depend on these shares. With
        ``queries``, pass None, which leaves each query at its own, or a number.
    definition : Definition, default=Step()
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``RecallAtPrecision()``, ``Expected()``,
        ``ReciprocalRank()``, ``Linear()`` or ``Hyperbolic()`` of ``sklearn_ap.definitions``, or
        your own.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, which lies in one segment. The score of a segment is then the mean
        over its queries, and intervals are over queries. A query without positives counts as 0.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Clusters may have rows in several segments.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each row. A row is one case, whatever its weight.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that a segment differs from the reference, is better, or is
        worse. With the last two, the intervals of the differences are open on one side.

    Returns
    -------
    SegmentComparison
        Scores with their intervals, differences from the reference with theirs, and p-values.

    Warns
    -----
    UncertaintyWarning
        If segments have few clusters, which it names, or if folds differ in their prevalence, and
        segments lie in several folds.
    UndefinedMetricWarning
        If a segment has no positives, and is left out, or if a query has none, and counts as 0.

    See Also
    --------
    average_precision_interval : The interval of one score. With ``queries=segments`` and
        ``average=None``, those of all segments.
    FoldPredictions : The models of a cross-validation, in the place of ``y_score``.
    compare_average_precision : Which of several models is better on the same rows.

    Notes
    -----
    The weight of a segment in the mean of others is its number of effective positives: the square
    of the sum of their weights over the sum of squares [1]_, which is their number if they have no
    weights. Segments with less than 10 are left out of this mean, because scores of few positives
    are too high, and a mean over many of them would look certain. Few negatives that weigh more at
    the prevalence also lower the number: 40 of them are as good as 10 positives at a prevalence of
    0.2. A segment without others has no difference (nan). If exactly two segments have a score,
    each is compared with the other, however few its positives. With ``queries``, the weight is the
    number of queries, of which 10 must have a positive.

    The limits of a score are those of ``average_precision_interval``. Segments share no rows, so
    the squared distance of a difference from its limit is the sum of the squares of the scores'
    weighted distances from their own limits (MOVER [2]_), where scores are minus their bias.
    Clusters with rows in several segments make the scores dependent: the correlation of the sums of
    influences over clusters is then part of the sum [3]_. The p-value is 1 minus the level at which
    these limits touch 0. Holm's correction adjusts p-values for several segments.

    References
    ----------
    .. [1] Kish (1965), "Survey sampling", Wiley.
    .. [2] Newcombe (1998), "Interval estimation for the difference between independent
       proportions: comparison of eleven methods", `Statistics in Medicine 17(8), 873-890
       <https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I>`_.
    .. [3] Zou and Donner (2008), "Construction of confidence limits about effect measures: a
       general approach", Statistics in Medicine 27(10), 1693-1702,
       https://doi.org/10.1002/sim.3095.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_segments
    >>> rng = np.random.default_rng(0)
    >>> country = rng.choice(["DE", "FR", "IT"], 2000)
    >>> y_true = rng.random(2000) < np.where(country == "IT", 0.2, 0.05)
    >>> y_score = np.where(country == "FR", 1.0, 2.0) * y_true + rng.normal(size=2000)
    >>> compare_segments(y_true, y_score, country)
    step AP at prevalence 0.113, 2,000 rows, 226 positives (11.3%), uncertainty over
    rows
        estimate      95% interval  positives  prevalence
    DE    0.7056  [0.5534, 0.8148]         33      0.0522
    FR    0.3158  [0.1838, 0.4549]         37      0.0548
    IT    0.6863  [0.5854, 0.7583]        156      0.2251
    <BLANKLINE>
    minus others:
        difference        95% interval   p-value  p (Holm)
    DE     +0.0903  [-0.0701, +0.2328]    0.2461    0.2461
    FR     -0.3739  [-0.5203, -0.2104]  < 0.0001    0.0002
    IT     +0.1867  [+0.0563, +0.3144]    0.0066    0.0132
    mean of the scores, weighted by positives: 0.6284
    No difference between DE and the others is shown: anything from -0.07 to +0.23
    fits.
    FR is worse than the others: -0.37 (95% interval -0.52 to -0.21).
    IT is better than the others: +0.19 (95% interval +0.06 to +0.31).
    """
    options = check_options(confidence_level, rng=0, alternative=alternative)
    if isinstance(y_score, FoldPredictions):
        options = options._replace(score_factor=POOL_VARIANCE_FACTOR)
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=None,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
    )
    rows = rows_of_segments(request, segments)
    share = _compared_prevalence(prevalence, rows)
    definition_at_share, pooled = _pooled_score(check_definition(definition), share, rows, options)
    scored = score_segments(definition_at_share, rows, options)
    reference_index = find_reference(reference, scored.names, rows.segments.has_order)
    if reference_index is not None:
        reference = scored.names[reference_index]
    groups = scored.groups
    weight = weights_of_others(groups)
    differences = compare_groups(
        groups, weight, reference if reference_index is None else reference_index, options
    )
    return _comparison(
        scored,
        differences,
        overall=float(ratio(weight @ groups.score, weight.sum())),
        pooled=pooled,
        reference=reference,
        prevalence=share,
        options=options,
        definition=definition,
        cases=rows.cases,
        are_ordered=rows.segments.are_ordered(),
    )


def _comparison(
    scored: ScoredSegments,
    differences: Differences,
    *,
    overall: float,
    pooled: float,
    reference: Name,
    prevalence: float | None,
    options: Options,
    definition: Definition,
    cases: Cases,
    are_ordered: bool,
) -> SegmentComparison:
    """Make the result of scores, differences and the numbers of all segments."""
    return SegmentComparison(
        rankings=scored.names,
        estimates=scored.scores.estimates,
        lows=scored.scores.lows,
        highs=scored.scores.highs,
        n_positives=scored.scores.n_positives,
        shares=scored.scores.shares,
        differences=differences.differences,
        difference_lows=differences.difference_lows,
        difference_highs=differences.difference_highs,
        pvalues=differences.pvalues,
        adjusted_pvalues=differences.adjusted_pvalues,
        overall=overall,
        pooled=pooled,
        reference=reference,
        prevalence=prevalence,
        left_out=scored.left_out,
        confidence_level=options.confidence_level,
        alternative=options.alternative,
        definition=definition,
        cases=cases,
        are_ordered=are_ordered,
        n_effective=scored.groups.n_effective,
        few_clusters=scored.few_clusters,
        n_queries=scored.scores.n_queries,
    )


def _compared_prevalence(prevalence: Argument, rows: SegmentRows) -> float | None:
    """Return the prevalence of all scores as a number; None if each segment has its own."""
    rankings = rows.rankings
    if not isinstance(prevalence, str):
        return None if prevalence is None else check_prevalence(prevalence)
    if prevalence != "overall":
        raise ValueError(f"prevalence must be 'overall', a number or None, got {prevalence!r}.")
    if rows.query_segment is not None:
        raise ValueError(
            "With queries, pass prevalence=None, which leaves each query at its own share of "
            "positives, as mean average precision does, or a number for all queries."
        )
    n_positives = rankings.weight_of_hits.sum()
    n_negatives = rankings.weight_of_negatives.sum()
    if not n_positives or not n_negatives:
        raise ValueError("segments are compared at a prevalence, so y_true must have both labels.")
    return check_prevalence(float(n_positives / (n_positives + n_negatives)))


def _pooled_score(
    definition: Definition, prevalence: float | None, rows: SegmentRows, options: Options
) -> tuple[Definition, float]:
    """Return the definition at the prevalence, and the score of all rows as one ranking.

    With queries, it is their mean.
    """
    rankings = rows.rankings
    if rows.query_segment is not None:
        definition_at_share = at_prevalence(definition, prevalence)
        return definition_at_share, mean_over_all(definition_at_share, rankings, options)
    pooled_rankings = replace(rankings, ranking=None, n_rankings=1, average="macro", clusters=None)
    try:
        definition_at_share = at_prevalence(definition, prevalence)
        counts = count(pooled_rankings.select_retrieved(), definition_at_share.depth)
        score = values_of(definition_at_share, counts)
    except ValueError as error:
        if prevalence is None:
            raise
        text = f"{error} Or pass prevalence=None, which leaves each segment at its own."
        raise ValueError(text) from error
    return definition_at_share, float(score[0])
