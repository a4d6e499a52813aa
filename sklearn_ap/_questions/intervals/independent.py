"""Whether a score changed between two samples that share no rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from sklearn_ap._base.text import Table
from sklearn_ap._questions.intervals._change import (
    printed_verdicts_of_change,
    verdicts_of_change,
)
from sklearn_ap._questions.intervals._limited import (
    LimitedSample,
    sample_of_interval,
    sample_of_numbers,
)
from sklearn_ap._questions.intervals._picture import plot_comparison
from sklearn_ap._questions.intervals._table import independent_table
from sklearn_ap._questions.intervals._two_samples import (
    check_alike,
    check_sample,
    check_two_names,
    common_level,
)
from sklearn_ap._questions.result import PrintedResult
from sklearn_ap._questions.verdicts import REFERENCE, Verdict, add_decisions
from sklearn_ap._types import Array, Axes, Float, FloatOrArray, Name
from sklearn_ap._uncertainty.former.mover import MoverTest, mover_test
from sklearn_ap._uncertainty.former.options import Alternative, Options, check_options
from sklearn_ap._uncertainty.former.pvalues import holm_adjusted
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.interval import Interval


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IndependentComparison(PrintedResult):
    """The scores of two samples that share no rows, and their difference.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

    With ``average=None``, the numbers of the difference are arrays with one entry per ranking, and
    those of scores have a row for each sample.

    Parameters
    ----------
    names : tuple of str
        The two samples, the old one first.
    estimates : ndarray of shape (2,) or (2, n_rankings)
        Their scores.
    lows, highs : ndarray of the same shape
        Confidence limits of the scores.
    n_positives : ndarray of the same shape
        The numbers of positives; nan for numbers of a paper.
    difference : float or ndarray of shape (n_rankings,)
        The new score minus the old one.
    difference_low, difference_high : float or ndarray of shape (n_rankings,)
        Confidence limits of the difference.
    pvalue : float or ndarray of shape (n_rankings,)
        How often samples of equal true scores would show a difference at least as large.
    adjusted_pvalue : float or ndarray of shape (n_rankings,)
        The same after Holm's correction for several rankings.
    confidence_level : float
        The level of all intervals.
    alternative : {"two-sided", "greater", "less"}
        What the p-value is evidence for.
    samples : tuple of str
        What each sample consists of, in words.
    rankings : tuple or None, default=None
        The names of classes or columns, for ``average=None``; None if there are none.
    definition : Definition or None, default=None
        What was computed; None if both samples are numbers of a paper.
    prevalence : float, default=None
        The prevalence that was passed to both; None for those of the samples.

    See Also
    --------
    compare_independent : Makes one from two intervals.

    Examples
    --------
    >>> from sklearn_ap import compare_independent
    >>> found = compare_independent((0.31, 0.25, 0.38), (0.42, 0.35, 0.49))
    >>> print(found.to_paper().splitlines()[3])
    | new | 0.42 (0.35 to 0.49) | +0.11 (+0.01 to +0.20) | 0.029 |
    """

    names: tuple[str, ...]
    estimates: Float
    lows: Float
    highs: Float
    n_positives: Float
    difference: FloatOrArray
    difference_low: FloatOrArray
    difference_high: FloatOrArray
    pvalue: FloatOrArray
    adjusted_pvalue: FloatOrArray
    confidence_level: float
    alternative: Alternative
    samples: tuple[str, ...]
    rankings: tuple[Name, ...] | None = None
    definition: Definition | None = None
    prevalence: float | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is shown of the new score, or of each ranking.

        The decision is "better", "worse" or "undecided", by the adjusted p-value. The sentence
        gives the change with its interval, or what fits the data.
        """
        return verdicts_of_change(self)

    @property
    def reference(self) -> str:
        """The name of the old sample, with which the new one is compared."""
        return self.names[0]

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per sample, or per sample and ranking. The differences of the old sample from
            itself are 0, with p-values of 1. ``verdict`` is the decision of ``verdicts``, or
            "reference".
        """
        columns = self._columns()
        rows = []
        for index in np.ndindex(self.estimates.shape):  # (sample,) or (sample, ranking)
            row: dict[str, Any] = {"name": self.names[index[0]]}
            if len(index) > 1:
                row["ranking"] = self.rankings[index[1]] if self.rankings else index[1]
            rows.append(row | {name: float(values[index]) for name, values in columns.items()})
        decisions = [verdict.decision for verdict in self.verdicts]
        return add_decisions(rows, [REFERENCE] * len(decisions) + decisions)

    def plot(self, ax: Axes = None) -> Array:
        """Draw both scores, and their difference.

        Parameters
        ----------
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ndarray of two matplotlib Axes
            Scores, and the difference, which is coloured if its adjusted p-value is below
            1 - ``confidence_level``.
        """
        fields = {name: getattr(self, name) for name in self.__slots__}
        columns = {f"{name}s": values for name, values in self._columns().items()}
        drawn = fields | columns | {"reference": self.reference, "cases": None}
        return plot_comparison(SimpleNamespace(**drawn), ax)

    def _columns(self) -> dict[str, Float]:
        """Return the numbers with an entry for each sample, and each ranking."""
        columns = {
            "estimate": self.estimates,
            "low": self.lows,
            "high": self.highs,
            "n_positives": self.n_positives,
        }
        for name in ("difference", "difference_low", "difference_high"):
            value = np.asarray(getattr(self, name))
            columns[name] = np.stack([np.zeros_like(value), value])
        for name in ("pvalue", "adjusted_pvalue"):
            value = np.asarray(getattr(self, name))
            columns[name] = np.stack([np.ones_like(value), value])
        return columns

    def _table(self) -> Table:
        return independent_table(self)._replace(verdicts=printed_verdicts_of_change(self))


def compare_independent(
    old: Interval | Sequence[float],
    new: Interval | Sequence[float],
    *,
    names: Sequence[str] = ("old", "new"),
    confidence_level: float | None = None,
    alternative: Alternative = "two-sided",
) -> IndependentComparison:
    """Compare the average precision of two samples that share no rows.

    Did the score change since last week? Is it lower for customers of another bank? Each sample has
    a result of its own: of rows, of few labels, of counts or of folds, or the numbers of a paper.
    Models on the same rows are compared by ``compare_average_precision``, which finds smaller
    differences, and segments of one set of rows by ``compare_segments``.

    Parameters
    ----------
    old, new : Interval, or tuple of two or three floats
        The results of ``average_precision_interval`` or ``Interval.from_counts``,
        with the same definition and the same prevalence. Averages must be over the same classes or
        columns, as far as their names are known, and ``n_positives`` passed for both or for none. A
        result that is only in a paper is a tuple: (0.31, 0.25, 0.38) is an estimate with its
        limits, whose level is ``confidence_level``, and (0.31, 0.03) an estimate with its standard
        error. Nothing tells whether its definition and its prevalence are those of the other one.
        Its limits are as precise as they are printed.
    names : pair of str, default=("old", "new")
        What the samples are called.
    confidence_level : float, default=None
        How often these intervals should contain the true value. Limits of intervals are computed
        anew for this level. None takes the level of the intervals, or 0.95.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that the new score differs from the old one, is better, or is
        worse. With the last two, the interval of the difference is open on one side.

    Returns
    -------
    IndependentComparison
        Both scores with their intervals, their difference with its own, and a p-value.

    Warns
    -----
    UncertaintyWarning
        If the shares of positives clearly differ, and no prevalence was passed.

    See Also
    --------
    compare_average_precision : Which of several models is better on the same rows.
    compare_segments : Whether segments of one set of rows differ.

    Notes
    -----
    The samples share no rows, so the squared distance of the difference from its limit is the sum
    of the squares of the scores' distances from their own limits, where scores are minus their bias
    (MOVER, equation B17 of the methods [1]_). The p-value is 1 minus the level at which these
    limits touch 0. The distances of a paper's limits are taken for normal: at another level, they
    are multiplied by the ratio of the quantiles.

    Labels that are the same in both, in the same order, are refused, as they are those of the same
    rows. Nothing is concluded from labels that are sorted by class, or that repeat a pattern, such
    as a positive and four negatives of each query: these are equal in other samples, too.

    Nothing shared is allowed for: if patients have rows in both samples, their scores go up and
    down together, and the interval is usually too wide.

    References
    ----------
    .. [1] Newcombe (1998), "Interval estimation for the difference between independent
       proportions: comparison of eleven methods", `Statistics in Medicine 17(8), 873-890
       <https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I>`_.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, compare_independent
    >>> rng = np.random.default_rng(0)
    >>> found = []
    >>> for strength in (1.0, 2.0):
    ...     y_true = rng.random(1000) < 0.1
    ...     y_score = strength * y_true + rng.normal(size=1000)
    ...     found.append(average_precision_interval(y_true, y_score, prevalence=0.1))
    >>> compare_independent(*found, names=("May", "June"))
    step AP at prevalence 0.1
          estimate      95% interval  positives  minus May        95% interval   p-value
    May     0.3538  [0.2586, 0.4560]         89  reference
    June    0.6405  [0.5258, 0.7186]        106    +0.2866  [+0.1577, +0.4023]  < 0.0001
    May: step AP at prevalence 0.1, 1,000 rows, 89 positives (8.9%), 95% intervals over rows
    June: step AP at prevalence 0.1, 1,000 rows, 106 positives (10.6%), 95% intervals over rows
    The score rose from 0.35 (May) to 0.64 (June): +0.29 (95% interval +0.16 to
    +0.40).
    """
    given = check_sample(old, "old"), check_sample(new, "new")
    names = check_two_names(names)
    intervals = [sample for sample in given if not isinstance(sample, tuple)]
    check_alike(intervals, names)
    level = common_level(intervals) if confidence_level is None else confidence_level
    options = check_options(level, rng=0, alternative=alternative)
    level = options.confidence_level
    samples = [
        sample_of_numbers(sample, level)
        if isinstance(sample, tuple)
        else sample_of_interval(sample)
        for sample in given
    ]
    several = bool(np.ndim(intervals[0].estimate)) if intervals else False
    test = _undefined_as_nan(samples, options)
    axis = slice(None) if several else 0
    lows, highs = np.array([sample.limits(level) for sample in samples]).swapaxes(0, 1)
    return IndependentComparison(
        names=names,
        estimates=np.array([sample.scores.score for sample in samples])[:, axis],
        lows=lows[:, axis],
        highs=highs[:, axis],
        n_positives=np.array([sample.n_positives for sample in samples])[:, axis],
        difference=test.difference[axis],
        difference_low=test.low[axis],
        difference_high=test.high[axis],
        pvalue=test.pvalue[axis],
        adjusted_pvalue=_adjust(test.pvalue)[axis],
        confidence_level=level,
        alternative=alternative,
        samples=tuple(sample.words for sample in samples),
        rankings=(intervals[0].names or None) if several else None,
        definition=cast(Definition, intervals[0].sample.definition) if intervals else None,
        prevalence=intervals[0].sample.target_prevalence if intervals else None,
    )


def _undefined_as_nan(samples: Sequence[LimitedSample], options: Options) -> MoverTest:
    """Compare the scores; numbers of a ranking without a positive in one sample are nan."""
    old, new = samples
    test = mover_test(new.scores, old.scores, 0.0, options)
    is_undefined = old.is_undefined | new.is_undefined
    return MoverTest(*(np.where(is_undefined, np.nan, values) for values in test))


def _adjust(pvalue: Float) -> Float:
    """Adjust p-values by Holm's rule for the number of rankings that have one."""
    adjusted = pvalue.copy()
    is_tested = ~np.isnan(pvalue)
    adjusted[is_tested] = holm_adjusted(pvalue[is_tested])
    return adjusted
