"""A threshold to act on, with the precision, the recall and the number of rows that it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.drawing.axes import (
    DASHES,
    REFERENCE_STYLE,
    axes_for,
    colors_on,
    ensure_layout,
)
from sklearn_ap._base.drawing.legend import draw_legend, with_sample
from sklearn_ap._base.inputs.arrays import (
    FEW_ROUNDINGS,
    RELATIVE_TOLERANCE,
    TINY,
    Array,
    Bool,
    rounding_of_sums,
)
from sklearn_ap._base.inputs.checks import check_prevalence, real_number
from sklearn_ap._base.inputs.option_checks import check_open_share, check_ranks, check_share
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import check_binary
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._base.text import (
    Cases,
    Table,
    cases_of_rows,
    headline,
    interval_as_text,
    interval_head,
    number_as_text,
    number_of,
    threshold_as_text,
)
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.sorted_items import cumulated
from sklearn_ap._counts.thresholds import ThresholdCounts, next_score
from sklearn_ap._questions.operating_points._from_counts import (
    check_goal_of_counts,
    check_one_ranking,
)
from sklearn_ap._questions.operating_points._guarantees import (
    is_hardly_shown,
    lowest_precise,
    shown_by,
    which_recall,
)
from sklearn_ap._questions.result import PrintedResult
from sklearn_ap._uncertainty.confidence_limits import (
    limit_of_few,
    limits_of_part,
    limits_of_sum,
    wilson_limits,
)
from sklearn_ap._uncertainty.sampling_units import effective_number
from sklearn_ap._uncertainty.shrinkage import Uncertainty, variance_of_share
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warn_of, warnings_of_scores

Limits = tuple[float, float]

NO_LIMITS = (np.nan, np.nan)
SHARES = ("precision", "recall", "selected")
ERRORS = ("false_positive", "false_negative")
MOST_POINTS = 1000  # of the curve, which is for the picture


class Curve(NamedTuple):
    """Precision and recall at thresholds, from the highest on, and what was asked for."""

    threshold: Array
    precision: Array
    recall: Array
    goal: str
    aim: Any
    guarantee: float | None


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(PrintedResult):
    """A threshold, and what it gives: rows with at least this score are selected.

    Print it, draw it with ``plot``, get a table with ``to_frame``, or a table for a paper with
    ``to_paper``.

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
        Of the intervals.
    remark : str
        Why there is no threshold; empty if there is one.
    goal : str
        What was asked for, such as "precision 0.9"; empty if nobody said.
    cases : Cases or None, default=None
        How many rows there are, and what of them was sampled; None if nobody said.
    curve : Curve or None, default=None
        Precision and recall at 1,000 thresholds or fewer, for the picture.
    next_score : float, default=nan
        The highest score of the sample below the threshold, -inf if there is none, or nan if nobody
        knows it. Each number above it, and not above the threshold, selects the same rows.

    See Also
    --------
    operating_point : Makes one from labels and scores.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> found = operating_point([1, 0, 1, 1, 0, 0] * 10, [9, 8, 7, 6, 5, 4] * 10, recall=0.9)
    >>> found.threshold, found.next_score, found.printed_threshold
    (6, 5, '6')
    >>> print(found.to_paper().splitlines()[2])
    | threshold 6 | 0.75 (0.59 to 0.86) | 1.00 (0.88 to 1.00) | 0.67 (0.54 to 0.77) |
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
    curve: Curve | None = field(default=None, repr=False, compare=False)
    next_score: float = field(default=np.nan, repr=False, compare=False)  # counts may not tell it

    @property
    def printed_threshold(self) -> str:
        """The threshold as it is printed: it selects the same rows of the sample.

        It is rounded down, and stays above ``next_score``. It has six digits, or as many more as
        that takes; all digits if ``next_score`` is nan.
        """
        return threshold_as_text(self.threshold, self.next_score)

    @classmethod
    @explains_options
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
            sample. You cannot pass k, too.
        guarantee : float, default=None
            How often the chosen threshold should truly have the recall: 0.9 for 90% of the samples.
            With None, the recall is that in the sample.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.

        Returns
        -------
        OperatingPoint
            The threshold, for ``y_score >= threshold``, and what it gives. Its curve has points at
            scores of positives only. Where a negative stands between the threshold and the next
            score of a positive, ``next_score`` is nan, and all digits of the threshold are printed.

        Examples
        --------
        >>> from sklearn_ap import OperatingPoint, threshold_counts
        >>> counts = threshold_counts([1, 0, 1, 1, 0, 0] * 10, [9, 8, 7, 6, 5, 4] * 10)
        >>> OperatingPoint.from_counts(counts, recall=0.9).threshold
        6
        """
        goals = {"precision": precision, "recall": recall, "k": k, "cost": cost}
        asked = _asked("from_counts", goals, prevalence, guarantee, confidence_level)
        check_one_ranking(counts)
        asked = asked.in_ranks(lambda: counts)
        check_goal_of_counts(asked.goal, guarantee, counts)
        totals = counts.n_positives[0], counts.n_negatives[0]
        columns = counts.thresholds, counts.tps, counts.fps
        known = _thresholds(*columns, *totals, asked.prevalence, counts)
        n_rows, n_positives = int(sum(totals)), float(totals[0])
        cases = Cases(n_rows, n_positives, n_positives / n_rows, "row")
        return _point(asked, known, cases)

    def rows(self) -> list[dict[str, Any]]:
        """Give the row of a table.

        Returns
        -------
        list of dict
            A single row, in which each share has a lower and an upper limit. Pandas prints a float
            with six digits, which may select fewer rows, and the text ``printed_threshold`` as it
            is.
        """
        row: dict[str, Any] = {
            name: getattr(self, name) for name in ("threshold", "printed_threshold", "n_selected")
        }
        for name in SHARES:
            low, high = getattr(self, f"{name}_interval")
            row |= {name: getattr(self, name), f"{name}_low": low, f"{name}_high": high}
        row |= {"prevalence": self.prevalence, "cost": self.cost}
        return [row | {"confidence_level": self.confidence_level, "remark": self.remark}]

    def plot(self, ax: Any = None) -> Any:
        """Draw precision and recall over thresholds, and those of the point with their limits.

        A dotted line is at the precision or recall that was asked for.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_operating_point(self, ax)

    def _table(self) -> Table:
        return threshold_table(self)


@explains_options
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
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose a threshold for a precision, a recall, a number of rows or the least cost.

    Pass one of ``precision``, ``recall``, ``k`` and ``cost``. If you take the lowest threshold with
    a precision in the sample, its true precision is as high in less than half of the samples,
    because it is the best of many noisy ones. With ``guarantee`` you get a threshold that truly
    has the precision in this share of samples.

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
        together, so there may be fewer. With weights, k counts weight, and the proportion of
        fractional weights is not rounded.
    cost : dict, default=None
        What an error of each kind costs, as ``{"false_positive": 1, "false_negative": 20}``. The
        threshold has the least expected cost, and is the highest of those whose costs are equal
        within a relative 1e-9. It is nan if it costs as little to select nothing.
    prevalence : float, default=None
        The proportion of positives where you deploy, between 0 and 1. Precision, share of selected
        rows and cost are then those at this prevalence, and ``n_selected`` is that of the sample.
        None means that of the sample. You cannot pass k, too.
    guarantee : float, default=None
        How often the chosen threshold should truly have the precision, or the recall: 0.9 for 90%
        of the samples. With None, the precision or recall is that in the sample. You cannot
        pass weights or costs, too.
    confidence_level : float, default=0.95
        How often such intervals should contain the true value.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Another sample would then have other clusters,
        and the interval is over clusters, not over rows. You cannot pass a guarantee, too.

    Returns
    -------
    OperatingPoint
        The threshold, for ``y_score >= threshold``, and what it gives.

    Warns
    -----
    UncertaintyWarning
        If the sample hardly shows that any threshold has the precision, without a guarantee: if
        each would have as many positives in more than half of the samples where it just has it.

    See Also
    --------
    OperatingPoint.from_counts : The same from counts alone.
    recall_at_precision_score : The recall alone.
    sklearn.model_selection.FixedThresholdClassifier : Takes the threshold.

    Notes
    -----
    With ``guarantee``, exact binomial tests say which thresholds have the precision. They are
    tested in a fixed order [1]_, from the highest scores down to the first that fails. The search
    has several starting points, and each has a share of the error that ``guarantee`` allows. A
    threshold is tested with the shares of all starting points down to it. If precision falls as
    the threshold falls, the shares of the tests that may go wrong add up to this error: a closed
    test [2]_. The thresholds are all those where few scores are distinct, and else some, each with
    5% more rows than the one before, and the last.

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
       predictive algorithms to achieve risk control".
    .. [2] Marcus, Peritz and Gabriel (1976), "On closed testing procedures with special reference
       to ordered analysis of variance".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import operating_point
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 1000)
    >>> y_score = y_true + rng.normal(scale=0.5, size=1000)
    >>> operating_point(y_true, y_score, precision=0.9, guarantee=0.9)
    threshold for precision >= 0.9 with a guarantee of 0.9, 1,000 rows, 537
    positives (53.7%), uncertainty over rows
                value      95% interval
    precision  0.9262  [0.8980, 0.9470]
    recall     0.7709  [0.7335, 0.8046]
    selected   0.4470  [0.4164, 0.4780]
    447 selected at threshold 0.696129
    """
    goals = {"precision": precision, "recall": recall, "k": k, "cost": cost}
    asked = _asked("operating_point", goals, prevalence, guarantee, confidence_level)
    rows = {"pos_label": pos_label, "sample_weight": sample_weight, "clusters": clusters}
    clean = check_binary(y_true, y_score, **rows, only_retrieved=False)
    warn_of(warnings_of_scores(y_score))
    asked = asked.in_ranks(lambda: count(clean.only_retrieved()))
    scores, tps, fps = cumulated(clean)
    known = _thresholds(scores, tps, fps, tps[-1], fps[-1], asked.prevalence)
    if clean.weight is not None:
        known = known._replace(rounding=rounding_of_sums(clean.weight.size))
    if asked.alpha is not None:
        _check_guaranteed_rows(clean, asked, known)
    is_plain = clean.weight is None and clean.clusters is None
    return _point(asked, known, cases_of_rows(clean), None if is_plain else clean)


class _Asked(NamedTuple):
    """What was asked for, checked."""

    goal: tuple[str, Any]
    alpha: float | None  # how often the threshold may miss the goal
    level: float
    prevalence: float | None
    guarantee: float | None

    def in_ranks(self, counts: Callable[[], ThresholdCounts]) -> _Asked:
        """A share of the rows as a number of ranks."""
        name, value = self.goal
        if name != "k" or value >= 1:
            return self
        return self._replace(goal=(name, n_ranks(value, counts()).item()))


def _asked(
    function: str, goals: dict[str, Any], prevalence: Any, guarantee: Any, confidence_level: Any
) -> _Asked:
    goal = _check_goal(function, goals)
    prevalence = None if prevalence is None else check_prevalence(prevalence, goals["k"])
    alpha = None if guarantee is None else _check_guarantee(guarantee, goal)
    level = check_open_share("confidence_level", confidence_level)
    return _Asked(goal, alpha, level, prevalence, guarantee)


def _point(
    asked: _Asked, known: _Thresholds, cases: Cases, uneven: Rankings | None = None
) -> OperatingPoint:
    """The best threshold, and what it gives; ``uneven`` are rows with weights or clusters."""
    goal, alpha, level, prevalence, guarantee = asked
    chosen = _choose(goal, known, alpha) if known.size.size else None
    numbers: dict[str, Any] = {"prevalence": prevalence, "confidence_level": level}
    numbers |= {"goal": _in_words(goal, guarantee), "cases": cases}
    numbers["curve"] = _curve(known, chosen, goal, guarantee)
    if goal[0] == "cost":
        numbers["cost"] = float(known.costs(goal[1])[0 if chosen is None else chosen + 1])
    if chosen is None:
        return OperatingPoint(remark=_why_not(goal, known, guarantee), **numbers)
    if goal[0] == "precision" and guarantee is None:
        of_one = 1.0 if uneven is None else _rows_of_one(uneven)
        if is_hardly_shown(known.tps, known.size, known.in_sample(goal[1]), of_one):
            text = (
                f"The sample hardly shows that any threshold has a precision of {goal[1]:g}, and "
                f"there may be none. The recall at this threshold is then too high, and its "
                f"interval may be too narrow. Pass a guarantee, collect more rows, or ask for a "
                f"lower precision."
            )
            warn_of([UncertaintyWarning(text, "unattainable precision")])
    numbers |= _shares(known, chosen, uneven, level, prevalence)
    numbers["next_score"] = known.next_score(chosen)
    return OperatingPoint(known.scores[chosen].item(), known.size[chosen].item(), **numbers)


def _in_words(goal: tuple[str, Any], guarantee: float | None) -> str:
    name, value = goal
    if name == "cost":
        false_positive, false_negative = value
        return f"costs {false_positive:g} and {false_negative:g} of false positives and negatives"
    surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
    at_least = ">= " * (name != "k")
    return f"{name} {at_least}{value:g}{surely}"


class _Thresholds(NamedTuple):
    """What each threshold selects, from the highest on."""

    scores: Array
    tps: Array
    size: Array
    n_positives: Any
    n_negatives: Any
    recall: Array
    false_positive_rate: Array
    share: Any  # of positives, at the prevalence asked for
    odds_ratio: Any  # of a precision in the sample, to the odds of that at the prevalence
    counts: ThresholdCounts | None  # None if the thresholds are all scores of the sample
    rounding: float = FEW_ROUNDINGS  # of precision and recall, relative

    def next_score(self, i: int) -> Any:
        """The highest score below a threshold; nan if the counts do not tell it."""
        if self.counts is not None:
            return next_score(self.counts, i)
        return self.scores[i + 1].item() if i + 1 < self.scores.size else -np.inf

    def in_sample(self, precision: float) -> float:
        """The precision in the sample that means this one at the prevalence."""
        if self.odds_ratio == 1 or precision == 1:
            return precision
        odds = precision / (1 - precision) * self.odds_ratio
        return odds / (1 + odds)

    @property
    def precision(self) -> Array:
        """That at the prevalence."""
        true, false = self.share * self.recall, (1 - self.share) * self.false_positive_rate
        return true / np.maximum(true + false, TINY)

    def costs(self, of_errors: tuple[float, float]) -> Array:
        """The expected cost per row, first if nothing is selected."""
        false = np.append(0, self.false_positive_rate)
        missed = np.append(self.n_positives, self.n_positives - self.tps) / self.n_positives
        return of_errors[0] * ((1 - self.share) * false) + of_errors[1] * (self.share * missed)


def _thresholds(
    scores: Array,
    tps: Array,
    fps: Array,
    n_positives: Any,
    n_negatives: Any,
    prevalence: float | None,
    counts: ThresholdCounts | None = None,
) -> _Thresholds:
    if not n_positives:
        raise ValueError("y_true holds no positive, so no threshold has a precision or a recall.")
    share, odds_ratio = n_positives / (n_positives + n_negatives), 1.0
    if prevalence is not None:
        if not n_negatives:
            raise ValueError("prevalence needs negatives, and y_true holds none. Leave it out.")
        odds_ratio = float(n_positives) / float(n_negatives) * (1 - prevalence) / prevalence
        share = prevalence
    if scores.size and scores[-1] == -np.inf:  # rows that were not retrieved have no threshold
        scores, tps, fps = scores[:-1], tps[:-1], fps[:-1]
    rates = tps / n_positives, fps / (n_negatives or 1)
    totals = n_positives, n_negatives
    return _Thresholds(scores, tps, tps + fps, *totals, *rates, share, odds_ratio, counts)


def _curve(
    known: _Thresholds, chosen: int | None, goal: tuple[str, Any], guarantee: float | None
) -> Curve:
    """At most so many points, equally far from each other in rank; the chosen one is among them."""
    n, last = min(known.size.size, MOST_POINTS), known.size.size - 1
    places = np.linspace(0, last, n).round().astype(int)
    if chosen is not None:
        places[np.abs(places - chosen).argmin()] = chosen
    of_places = known.recall[places], known.false_positive_rate[places]
    drawn = known._replace(recall=of_places[0], false_positive_rate=of_places[1])
    return Curve(known.scores[places], drawn.precision, drawn.recall, *goal, guarantee)


def _check_goal(function: str, goals: dict[str, Any]) -> tuple[str, Any]:
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise TypeError(f"{function} takes one of precision, recall, k and cost, got {got}.")
    ((name, value),) = given.items()
    if name == "cost":
        return name, _check_cost(value)
    return name, check_ranks(value) if name == "k" else check_share(name, value)


def _check_cost(cost: Any) -> tuple[float, ...]:
    """What a false positive costs, and a false negative."""
    if not isinstance(cost, Mapping) or {*cost} != {*ERRORS}:
        example = dict(zip(ERRORS, (1, 20), strict=True))
        raise TypeError(f"cost must be a dict such as {example}, got {cost!r}.")
    costs = tuple(real_number(f"cost of a {name}", cost[name]) for name in ERRORS)
    if not (all(0 <= each < np.inf for each in costs) and any(costs)):
        raise ValueError(f"cost must be finite, not negative, and not 0 for both, got {cost!r}.")
    return costs


def _check_guarantee(guarantee: Any, goal: tuple[str, Any]) -> float:
    """How often the threshold may miss its goal."""
    name, value = goal
    error = 1 - check_open_share("guarantee", guarantee)
    if name in ("k", "cost"):
        reason = "it is for a precision or a recall. Leave it out."
        raise ValueError(f"guarantee does not go with {name}: {reason}")
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie within (0, 1) with a guarantee, got {value!r}.")
    return error


def _check_guaranteed_rows(clean: Rankings, asked: _Asked, known: _Thresholds) -> None:
    if clean.weight is not None:
        raise ValueError(
            f"guarantee does not go with sample_weight: its tests count rows. Label rows that are "
            f"chosen at random, with equal chances. {_random_labels(asked, known)}"
        )
    if clean.clusters is not None:
        raise ValueError(
            "guarantee does not go with clusters: its tests count independent rows. Keep one row "
            "of each cluster, or leave the guarantee out: the intervals of precision and recall "
            "allow for clusters."
        )


def _random_labels(asked: _Asked, known: _Thresholds) -> str:
    """How many random labels a guarantee needs, if prevalence and precisions are as weights say."""
    (name, value), n_rows = asked.goal, known.n_positives + known.n_negatives
    goal = value if name == "recall" else known.in_sample(value)
    needed, halfway = shown_by(goal, asked.alpha or 0.0), (1 + goal) / 2
    if name == "recall":
        n = needed / (known.n_positives / n_rows)
        return f"About {n:,.0f} would do, which hold {needed:,} positives."
    selected = known.size[known.tps >= halfway * known.size]
    if not selected.size:
        return f"At least {needed:,} of the selected rows are needed."
    n = needed / (selected[-1] / n_rows)
    return f"About {n:,.0f} would do, as {needed:,} of them have a precision above {halfway:.3g}."


def _choose(goal: tuple[str, Any], known: _Thresholds, alpha: float | None) -> int | None:
    """Which threshold is the best of those that are good enough; None if none is."""
    (name, value), rounding, tps, size = goal, known.rounding, known.tps, known.size
    if name == "cost":
        costs = known.costs(value)
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cheapest - 1 if cheapest else None
    if name == "k":
        enough, merit = size <= value * (1 + rounding), size
    elif name == "recall":
        enough, merit = tps >= value * known.n_positives * (1 - rounding), tps / size
        if alpha is not None:  # tps / size has the order of precision
            enough = which_recall(tps, known.n_positives, value, alpha)
    elif alpha is not None:
        return lowest_precise(tps, size, known.in_sample(value), alpha)
    else:
        enough, merit = known.precision >= value * (1 - rounding), tps
        if value == 1:  # no sum of nothing is rounded
            enough &= known.false_positive_rate == 0
    merit = np.where(enough, merit, -1)
    best = int(merit.argmax())  # of equal ones, the highest threshold
    if name == "recall" and enough[best]:  # of equal precisions, the greatest recall
        best = int(np.flatnonzero(merit >= merit[best] * (1 - rounding))[-1])
    return best if enough[best] else None


def _why_not(goal: tuple[str, Any], known: _Thresholds, guarantee: float | None) -> str:
    (name, value), size, n_positives = goal, known.size, known.n_positives
    if not size.size:
        return "No row was retrieved, as every score is minus infinity."
    if name == "cost":
        costs, n_before = known.costs(value), np.count_nonzero(known.tps == 0)
        text = f"To select nothing costs least: {costs[0]:.6g} per row."
        if n_before == size.size:
            return text
        best = n_before + costs[n_before + 1 :].argmin()
        return (
            f"{text}\nThe best threshold with a positive selects {size[best]:.6g} and costs "
            f"{costs[best + 1]:.6g} per row."
        )
    if name == "k":
        return f"No threshold selects at most {value} rows: {size[0]:.6g} share the highest score."
    surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
    shares, where = known.recall, "in the sample"
    if name == "precision":
        shares = known.precision
        where = where if known.odds_ratio == 1 else f"at prevalence {known.share:.3g}"
    best = np.argmax(shares)
    return (
        f"No threshold has a {name} of {value:g}{surely}.\nThe best {name} {where} is "
        f"{shares[best]:.4f}, of {size[best]:.6g} selected; there are {n_positives:.6g} positives."
    )


def _shares(
    known: _Thresholds,
    chosen: int,
    uneven: Rankings | None,
    level: float,
    prevalence: float | None,
) -> dict[str, Any]:
    """Precision, recall and the share of selected rows, each with its limits."""
    if uneven is None:
        proportion, correlation = partial(_proportion_of_counts, known, chosen, level), 0.0
    else:
        selected = uneven.score >= known.scores[chosen]
        proportion = partial(_proportion_of_rows, uneven, selected, level)
        correlation = 0.0 if prevalence is None else _correlation(uneven, selected)
    recall = proportion("recall")
    if prevalence is None:
        precision, share = proportion("precision"), proportion("selected")
    else:
        parts = prevalence * recall, (1 - prevalence) * proportion("false")
        precision, share = limits_of_part(*parts, correlation), limits_of_sum(*parts, correlation)
    shares: dict[str, Any] = {}
    for name, (value, low, high) in zip(SHARES, (precision, recall, share), strict=True):
        shares |= {name: float(value), f"{name}_interval": (float(low), float(high))}
    return shares


def _proportion_of_counts(known: _Thresholds, chosen: int, level: float, name: str) -> Array:
    """A share of rows of equal weight, and its limits."""
    hits, size, positives = known.tps[chosen], known.size[chosen], known.n_positives
    part, among = {
        "recall": (hits, positives),
        "precision": (hits, size),
        "selected": (size, positives + known.n_negatives),
        "false": (size - hits, known.n_negatives),
    }[name]
    n = float(among)
    return _with_limits(name, np.asarray(part / n), n, n, level)


def _proportion_of_rows(clean: Rankings, selected: Bool, level: float, name: str) -> Array:
    """A share of the weight of rows, and its limits."""
    among, hit = {
        "recall": (clean.positive, selected),
        "precision": (selected, clean.positive),
        "selected": (np.ones_like(selected), selected),
        "false": (~clean.positive, selected),
    }[name]
    weight, clusters = _weight_and_clusters(clean)
    part = weight[among] / weight[among].max()
    share = part[hit[among]].sum() / part.sum()
    numbers = _effective_numbers(part, hit[among] - share, clusters[among])
    return _with_limits(name, share, *numbers, level)


def _with_limits(name: str, share: Array, n: float, n_clusters: float, level: float) -> Array:
    variance = variance_of_share(share)
    uncertainty = Uncertainty(np.sqrt(variance / n), variance / n, n_clusters - 1, variance)
    low, high = wilson_limits(share, uncertainty, level)
    is_rare = name == "false"
    return np.array([share, min(low, limit_of_few(share, n, level)) if is_rare else low, high])


def _weight_and_clusters(clean: Rankings) -> tuple[Array, Array]:
    weight = clean.weight_of_items
    return weight, np.arange(weight.size) if clean.clusters is None else clean.clusters


def _rows_of_one(clean: Rankings) -> float:
    """How many independent rows a weight of 1 stands for."""
    of_clusters = np.bincount(*_weight_and_clusters(clean)[::-1])
    return float(effective_number(of_clusters) / of_clusters.sum())


def _effective_numbers(weight: Array, deviation: Array, clusters: Array) -> tuple[float, float]:
    """The effective number of rows for a proportion, and that of clusters."""
    n, n_clusters = effective_number(weight), effective_number(np.bincount(clusters, weight))
    if (influence := weight * deviation).any():
        influence /= np.abs(influence).max()
        together = np.bincount(clusters, influence)
        design_effect = np.sum(together * together) / np.sum(influence * influence)
        n /= max(design_effect, 1.0)
        return n, min(n, n_clusters)
    return n_clusters, n_clusters  # all rows are hits, or none is


def _correlation(clean: Rankings, selected: Bool) -> float:
    """That of the true and the false positive rate: 0 if no cluster has rows of both classes."""
    if clean.clusters is None:
        return 0.0
    weight, clusters = _weight_and_clusters(clean)
    sums = []
    for among in (clean.positive, ~clean.positive):
        part = weight * among / weight[among].max()
        sums.append(np.bincount(clusters, part * (selected - part @ selected / part.sum())))
    true, false = sums
    return float(true @ false / max(float(np.linalg.norm(true) * np.linalg.norm(false)), TINY))


def threshold_table(point: OperatingPoint) -> Table:
    """A line for each share; or why there is no threshold."""
    title = f"threshold for {point.goal}" if point.goal else "threshold"
    if point.prevalence is not None:
        title += f" at prevalence {point.prevalence:.3g}"
    heading = headline(title, point.cases)
    if point.remark:
        return Table([], [point.remark], heading)
    cells = [["", "value", interval_head(point.confidence_level)]]
    for name in SHARES:
        limits = interval_as_text(*getattr(point, f"{name}_interval"))
        cells.append([name, number_as_text(getattr(point, name)), limits])
    remarks = [_selected_in_words(point)]
    goal, *_, last = point.goal.split()
    if goal in ("precision", "recall") and "guarantee" not in point.goal:
        remarks.append(f"without a guarantee, the true {goal} may be below {last}")
    remarks += [] if point.cost is None else [f"cost per row: {point.cost:.6g}"]
    return Table(cells, remarks, heading)


def _selected_in_words(point: OperatingPoint) -> str:
    return f"{number_of(point.n_selected)} selected at threshold {point.printed_threshold}"


def plot_operating_point(point: OperatingPoint, ax: Any) -> Any:
    """Draw both shares over thresholds, the point, and what was asked for."""
    curve = point.curve
    if curve is None or not curve.threshold.size:
        raise ValueError("This operating point has no curve to draw, as operating_point keeps one.")
    (axis,) = axes_for(ax, 1, figsize=(6.4, 4.2))
    ensure_layout(axis)
    colors = colors_on(axis)
    looks = zip(("precision", "recall"), colors.models, DASHES, strict=False)
    for name, color, dashes in looks:
        x, style = curve.threshold, {"color": color, "linestyle": dashes, "linewidth": 1.6}
        text = name if point.remark else f"{name} {_share_in_words(point, name)}"
        axis.step(x, getattr(curve, name), where="post", label=text, **style)
        if not point.remark:
            limits = getattr(point, f"{name}_interval")
            axis.vlines(point.threshold, *limits, color=color, linewidth=2.5)
            axis.plot(point.threshold, getattr(point, name), "o", color=color, markersize=6)
    if curve.goal in SHARES:
        surely = "" if curve.guarantee is None else f", guarantee {curve.guarantee:g}"
        text = f"asked for: {curve.goal} {curve.aim:g}{surely}"
        axis.axhline(curve.aim, label=text, **REFERENCE_STYLE | {"linestyle": ":"})
    axis.set(ylim=(-0.02, 1.02), ylabel="precision and recall")
    _label_point(point, axis)
    return axis


def _share_in_words(point: OperatingPoint, name: str) -> str:
    low, high = getattr(point, f"{name}_interval")
    return f"{getattr(point, name):.3f} ({low:.3f} to {high:.3f})"


def _label_point(point: OperatingPoint, axis: Any) -> None:
    at = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    text = "no threshold" if point.remark else _selected_in_words(point)
    title = with_sample(text + at, point)
    axis.set_title(title, fontsize="medium")
    level = interval_head(point.confidence_level)
    axis.set_xlabel(f"threshold (score); {level}s at the point")
    draw_legend(axis)
