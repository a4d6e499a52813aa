"""Is a score better than chance? Random orders of the labels, with their mean and a p-value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from sklearn_ap._base.text import Cases, Row, Table
from sklearn_ap._counts.averages import (
    ZeroDivision,
    apply_average,
    check_zero_division,
    fill_undefined,
)
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import values_of
from sklearn_ap._inputs.options import Seed, check_count, check_rng
from sklearn_ap._inputs.rankings import Average, AverageKind, Rankings
from sklearn_ap._inputs.request import Request, check_clusters, check_models
from sklearn_ap._questions.chance._permutation import (
    ChanceScores,
    permutation_pvalue,
    permute_labels,
)
from sklearn_ap._questions.chance._picture import plot_chance_test
from sklearn_ap._questions.chance._table import chance_table
from sklearn_ap._questions.chance._verdicts import printed_chance, verdicts_of_chance
from sklearn_ap._questions.options import RankingOptions
from sklearn_ap._questions.result import ResultOfRankings, add_heading
from sklearn_ap._questions.verdicts import Verdict, add_decisions
from sklearn_ap._types import Argument, Axes, Bool, Float, FloatOrArray, Label, Name
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings, warnings_of_scores
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._names import check_definition
from sklearn_ap.definitions._prevalence import at_prevalence

Number = TypeVar("Number")  # a float, or an array for ``average=None``

PERMUTED_ROWS = UncertaintyWarning(
    "The labels of single rows are permuted, whatever the clusters are. If rows of a cluster are "
    "alike, the p-value is too small: compare by_chance with average_precision_interval, which "
    "takes clusters.",
    "permuted rows",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChanceTest(ResultOfRankings, Generic[Number]):
    """A score beside those of random orders.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

    Numbers are arrays with one entry per ranking if ``average=None`` was asked for.

    Parameters
    ----------
    score : float or ndarray of shape (n_rankings,)
        The score.
    chance : float or ndarray of shape (n_rankings,)
        The mean score of random orders.
    corrected : float or ndarray of shape (n_rankings,)
        The score corrected for chance, ``(score - chance) / (1 - chance)``: 0 for a random order on
        average, and 1 for a perfect one.
    pvalue : float or ndarray of shape (n_rankings,)
        The share of random orders that score at least as high. The observed order is one of them,
        so it is never 0. nan for a ranking without positives.
    adjusted_pvalue : float or ndarray of shape (n_rankings,)
        The p-values adjusted for false discoveries among the rankings: of those below 0.05, at most
        5% are expected to be chance.
    n_permutations : int
        How many random orders there were.
    by_chance : ndarray of shape (n_permutations,) or None
        The score of each random order. None for several scores.
    rankings : tuple or None, default=None
        The names of queries, classes or columns, for ``average=None``; None if there are none.
    definition : Definition, default=Step()
        What was computed.
    prevalence : float, default=None
        The prevalence that was passed; None for that of the sample.
    cases : Cases or None, default=None
        How many rows there are, and what of them was permuted; None if nobody said.
    has_clusters : bool, default=False
        Whether rows belong to clusters, so that the p-value may be too small.

    See Also
    --------
    chance_test : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import chance_test
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 10
    >>> found = chance_test(y_true, y_true + rng.normal(size=500))
    >>> round(found.score, 3), round(found.chance, 3)
    (0.086, 0.031)
    >>> print(found.to_paper().splitlines()[2])
    | score | 0.09 | 0.03 | 0.031 |
    """

    score: Number
    chance: Number
    corrected: Number
    pvalue: Number
    adjusted_pvalue: Number
    n_permutations: int
    by_chance: Float | None = None
    rankings: tuple[Name, ...] | None = None
    definition: Definition = Step()
    prevalence: float | None = None
    cases: Cases | None = None
    has_clusters: bool = False

    _numbers = ("score", "chance", "corrected", "pvalue", "adjusted_pvalue")

    def _rows(self) -> list[Row]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per ranking. ``verdict`` is the decision of ``verdicts``.
        """
        decisions = (verdict.decision for verdict in self.verdicts)
        return add_decisions(super(ChanceTest, self)._rows(), decisions)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is shown of the score, or of each ranking: "above chance" or "undecided".

        The adjusted p-value is at most 0.05 for "above chance".
        """
        return verdicts_of_chance(self)

    def plot(self, ax: Axes = None) -> Axes:
        """Draw the scores of random orders as a histogram, their mean, and the score.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_chance_test(self, ax)

    def _table(self) -> Table:
        table = add_heading(chance_table(self._rows(), self.n_permutations), self)
        return table._replace(verdicts=printed_chance(self))


@overload
def chance_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    average: AverageKind = ...,
    prevalence: float | None = ...,
    n_permutations: int | None = ...,
    rng: Seed = ...,
    **options: Unpack[RankingOptions],
) -> ChanceTest[float]: ...


@overload
def chance_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = ...,
    average: None,
    prevalence: float | None = ...,
    n_permutations: int | None = ...,
    rng: Seed = ...,
    **options: Unpack[RankingOptions],
) -> ChanceTest[Any]: ...


def chance_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition = Step(),
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    n_permutations: int | None = None,
    rng: Seed = 0,
) -> ChanceTest[Any]:
    """Test whether a score is better than that of a random order.

    The labels are permuted among the rows, many times. So ties, the depth of the definition and
    rows that were not retrieved count as they do in the score. Rows that depend on each other, such
    as those of a patient, look better than chance too easily.

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
    average : {"macro", "weighted", "samples"} or None, default="macro"
        How several rankings become one number, as in ``average_precision_score``. None gives one
        value per ranking, with p-values that are adjusted for their number. A table with unknown
        labels takes None or "samples".
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    labels : array-like of shape (n_columns,), default=None
        The class of each column of ``y_score``. Pass it if ``y_true`` may lack a class.
    queries : array-like of shape (n_samples,), default=None
        The query of each row, for binary ``y_true``: each query is a ranking of its own, and its
        labels are permuted among its rows.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the image. It changes no number, and warns: the labels of
        single rows are permuted.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, if some were never scored, such as the objects that a
        detector missed. Random orders miss them, too. Pass one number for a single ranking,
        otherwise one number per column, row or query, by position.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. None uses the prevalence in ``y_true``.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score of a ranking without positives. "warn" gives 0.0 and one warning. nan is left
        out of averages. In a search, one fold with nan makes the mean nan.
    n_permutations : int, default=None
        How many random orders are drawn. None: 9,999, and fewer on large data, down to 999. No
        p-value is smaller than ``1 / (n_permutations + 1)``, by default 0.0001, and up to 0.001 on
        large data.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the random orders. None draws others at each call.

    Returns
    -------
    ChanceTest
        The score, what chance gives, the score corrected for chance, and p-values. Floats, or
        arrays for ``average=None``, unless there is one ranking.

    Warns
    -----
    UncertaintyWarning
        If the scores look like predicted classes, or if there are clusters.

    See Also
    --------
    average_precision_interval : How sure the score is.
    compare_average_precision : Whether a model is better than another one.

    Notes
    -----
    The mean of random orders has a closed form for step average precision [1]_, also with ties.
    Otherwise it is the mean of the drawn orders. Queries without ties that have equal numbers of
    rows and positives share their random orders. Columns may depend on each other, so whole rows of
    labels are permuted, which keeps the dependence. P-values are adjusted as Benjamini and Hochberg
    say [2]_, which holds for independent queries and for columns that depend on each other in the
    usual way. If they may depend in any way, pass ``pvalue`` to
    ``scipy.stats.false_discovery_control`` with ``method="by"``.

    References
    ----------
    .. [1] Bestgen (2015), "Exact expected average precision of the random baseline for system
       evaluation", Prague Bulletin of Mathematical Linguistics 103, 131-138,
       https://doi.org/10.1515/pralin-2015-0007.
    .. [2] Benjamini and Hochberg (1995), "Controlling the false discovery rate: a practical and
       powerful approach to multiple testing", Journal of the Royal Statistical Society B 57(1),
       289-300, https://doi.org/10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    A pilot has 6 positives among 60 rows:

    >>> import numpy as np
    >>> from sklearn_ap import chance_test
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(60) < 6
    >>> chance_test(y_true, y_true + rng.normal(size=60))
    step AP, 60 rows, 6 positives (10%)
    score   random order  corrected for chance  p-value
    0.2827        0.1561                0.1499   0.0827
    9,999 random orders
    It is not shown that the score is higher than by chance: 0.28, where random
    orders score 0.16 on average (p = 0.083).
    """
    if n_permutations is not None:
        check_count("n_permutations", n_permutations, "a whole number or None")
    generator = np.random.default_rng(check_rng(rng))
    definition_at_prevalence = at_prevalence(check_definition(definition), prevalence)
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        labels=labels,
        queries=queries,
        n_positives=n_positives,
        prevalence=prevalence,
    )
    rankings = _permutable_rankings(request, clusters)
    counts = count(rankings.select_retrieved(), definition.depth)
    values = values_of(definition_at_prevalence, counts)
    is_defined = ~np.isnan(values)
    values = fill_undefined(values, check_zero_division(zero_division), prevalence)
    weights = rankings.weight_in_average(counts.n_positives)
    chance_scores = permute_labels(
        definition_at_prevalence, rankings, values, is_defined, weights, n_permutations, generator
    )
    score = apply_average(values, average, weights, several=rankings.several)
    chance = apply_average(chance_scores.means, average, weights, several=rankings.several)
    is_several = np.ndim(score) > 0
    pvalue = _pvalue(score, chance_scores, is_defined)
    return ChanceTest(
        score=score,
        chance=chance,
        corrected=_correct(score, chance),
        pvalue=pvalue,
        adjusted_pvalue=_adjust(chance_scores.pvalues) if is_several else pvalue,
        n_permutations=chance_scores.averages.size,
        by_chance=None if is_several else chance_scores.averages,
        rankings=request.ranking_names if is_several else None,
        definition=definition,
        prevalence=prevalence,
        cases=_cases(request, rankings),
        has_clusters=clusters is not None,
    )


def _pvalue(score: FloatOrArray, chance_scores: ChanceScores, is_defined: Bool) -> FloatOrArray:
    """Compute the p-value of each ranking, or of an average: nan if no ranking has a positive."""
    if isinstance(score, np.ndarray):
        return chance_scores.pvalues
    return permutation_pvalue(score, chance_scores.averages) if is_defined.any() else np.nan


def _cases(request: Request, rankings: Rankings) -> Cases:
    if rankings.several and request.average is None:
        return Cases(request.n_rows)
    average = ""
    if rankings.several:
        average = f"{request.average} average of {rankings.n_rankings:,} rankings"
    n_positives = float(rankings.weight_of_positives.sum())
    has_share = request.n_columns == 1 and request.n_positives is None
    return Cases(
        n_rows=request.n_rows,
        n_positives=n_positives,
        share=n_positives / request.n_rows if has_share else np.nan,
        average=average,
    )


def _permutable_rankings(request: Request, clusters: Argument) -> Rankings:
    """Return the rankings whose labels are permuted. Warn of clusters, which change nothing."""
    (rankings,) = check_models([request])
    check_clusters(replace(request, clusters=clusters))
    cluster_warnings = [] if clusters is None else [PERMUTED_ROWS]
    issue_warnings([*warnings_of_scores(request.y_score), *cluster_warnings])
    _refuse_cells(rankings, request.average)
    return rankings


def _refuse_cells(rankings: Rankings, average: Average) -> None:
    """Refuse averages over cells that must be permuted together, if whole rows cannot be."""
    if rankings.clusters is not None and not rankings.several:
        raise ValueError(
            "chance_test takes no average='micro': the cells of a row belong together, so their "
            "labels cannot be permuted. Use 'macro', or 'samples', which ranks the columns of "
            "each row."
        )
    if rankings.clusters is not None and average is not None:
        raise ValueError(
            f"chance_test takes no average={average!r} of a table with unknown labels: columns may "
            f"depend on each other, and rows with gaps cannot be permuted as a whole. Pass "
            f"average=None, which tests each column by itself."
        )


def _adjust(pvalues: Float) -> Float:
    """Adjust p-values for false discoveries (Benjamini and Hochberg 1995); nan stays nan."""
    adjusted = pvalues.copy()
    is_known = ~np.isnan(pvalues)
    adjusted[is_known] = false_discovery_control(pvalues[is_known])
    return adjusted


def _correct(score: FloatOrArray, chance: FloatOrArray) -> FloatOrArray:
    """Correct a score for chance: (A - A_0) / (1 - A_0), nan where chance gives 1."""
    gain = np.subtract(score, chance)
    largest_gain = np.subtract(1, chance)
    is_possible = largest_gain > 0
    corrected = np.where(is_possible, gain / np.where(is_possible, largest_gain, 1), np.nan)
    return corrected if corrected.ndim else float(corrected)
