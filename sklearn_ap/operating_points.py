"""A threshold to act on, with the precision, the recall and the number of rows that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import check_binary
from sklearn_ap._inputs.tolerances import RELATIVE_TOLERANCE
from sklearn_ap._inputs.unknown_options import explains_options
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import Table, threshold_table
from sklearn_ap._uncertainty.confidence_limits import wilson_limits
from sklearn_ap._uncertainty.guaranteed_thresholds import lowest_precise, which_recall
from sklearn_ap._uncertainty.shrinkage import Uncertainty, variance_of_share
from sklearn_ap._uncertainty.warnings import warn_of, warnings_of_scores
from sklearn_ap.counts import count
from sklearn_ap.counts._ranks import n_ranks
from sklearn_ap.counts._sorted_items import cumulated
from sklearn_ap.definitions._option_checks import check_open_share, check_ranks, check_share

__all__ = ["OperatingPoint", "operating_point"]

Array = NDArray[Any]
Limits = tuple[float, float]

NO_LIMITS = (np.nan, np.nan)
SHARES = ("precision", "recall", "selected")


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(PrintedResult):
    """A threshold, and what it gives: rows with at least this score are selected.

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
    precision_interval, recall_interval, selected_interval : tuple of two floats
        Lower and upper confidence limit of each share.
    confidence_level : float
        Of the intervals.
    remark : str
        Why there is no threshold; empty if there is one.

    See Also
    --------
    operating_point : Makes one from labels and scores.
    """

    threshold: float = np.nan
    n_selected: float = 0
    precision: float = 0.0
    recall: float = 0.0
    selected: float = 0.0
    precision_interval: Limits = NO_LIMITS
    recall_interval: Limits = NO_LIMITS
    selected_interval: Limits = NO_LIMITS
    confidence_level: float = 0.95
    remark: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """Give the row of a table.

        Returns
        -------
        list of dict
            A single row, in which each share has a lower and an upper limit.
        """
        row = {"threshold": self.threshold, "n_selected": self.n_selected}
        for name in SHARES:
            low, high = getattr(self, f"{name}_interval")
            row |= {name: getattr(self, name), f"{name}_low": low, f"{name}_high": high}
        return [row | {"confidence_level": self.confidence_level, "remark": self.remark}]

    def _table(self) -> Table:
        return threshold_table(self.rows()[0], SHARES, self.confidence_level)


@explains_options
def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float | None = None,
    recall: float | None = None,
    k: float | None = None,
    guarantee: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose a threshold for a precision, a recall or a number of rows.

    Pass one of ``precision``, ``recall`` and ``k``. If you take the lowest threshold with a
    precision in the sample, it has this precision on new data in less than half of the cases,
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
        The recall to be reached, within [0, 1]; the threshold has the highest precision.
    k : int or float, default=None
        How many rows may be selected, at least 1, or which share of them, such as 0.01. Rows with
        equal scores are selected together, so there may be fewer. With weights it counts weight.
    guarantee : float, default=None
        How often the chosen threshold should have the precision, or the recall, on all data: 0.9
        for 90% of the samples. With None, the precision or recall is that in the sample. You cannot
        pass weights, too.
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

    See Also
    --------
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

    The intervals are Wilson's, with a quantile of Student's t. They do not allow for the choice of
    the threshold, which is on average a little worse on all data than in the sample.

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
    447 selected at threshold 0.69613
                share      95% interval
    precision  0.9262  [0.8980, 0.9470]
    recall     0.7709  [0.7335, 0.8046]
    selected   0.4470  [0.4164, 0.4780]
    """
    goal = _check_goal(precision, recall, k)
    rows = {"pos_label": pos_label, "sample_weight": sample_weight, "clusters": clusters}
    clean = check_binary(y_true, y_score, **rows, only_retrieved=False)
    alpha = None if guarantee is None else _check_guarantee(guarantee, goal, clean)
    level = check_open_share("confidence_level", confidence_level)
    warn_of(warnings_of_scores(y_score))
    thresholds, tps, size = cumulated(clean)
    if not (n_positives := tps[-1]):
        raise ValueError("y_true holds no positive, so no threshold has a precision or a recall.")
    if goal[0] == "k" and goal[1] < 1:
        goal = "k", n_ranks(goal[1], count(clean.only_retrieved())).item()
    if thresholds[-1] == -np.inf:  # rows that were not retrieved have no threshold
        thresholds, tps, size = thresholds[:-1], tps[:-1], size[:-1]
    chosen = _choose(goal, tps, size, n_positives, alpha) if tps.size else None
    if chosen is None:
        remark = _why_not(goal, tps, size, n_positives, guarantee)
        return OperatingPoint(confidence_level=level, remark=remark)
    threshold = thresholds[chosen].item()
    shares = _shares(clean, clean.score >= thresholds[chosen], level)
    return OperatingPoint(threshold, size[chosen].item(), confidence_level=level, **shares)


def _check_goal(precision: Any, recall: Any, k: Any) -> tuple[str, float]:
    goals = {"precision": precision, "recall": recall, "k": k}
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none of them"
        raise TypeError(f"operating_point takes one of precision, recall and k, got {got}.")
    ((name, value),) = given.items()
    return name, check_ranks(value) if name == "k" else check_share(name, value)


def _check_guarantee(guarantee: Any, goal: tuple[str, float], clean: Rankings) -> float:
    """How often the threshold may miss its goal."""
    name, value = goal
    error = 1 - check_open_share("guarantee", guarantee)
    if name == "k":
        raise ValueError("guarantee does not go with k: any sample has k rows. Leave it out.")
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie within (0, 1) with a guarantee, got {value!r}.")
    if clean.weight is not None:
        raise ValueError("guarantee does not go with sample_weight: its tests count rows.")
    if clean.clusters is not None:
        raise ValueError(
            "guarantee does not go with clusters: its tests count independent rows. Keep one row "
            "of each cluster, or leave the guarantee out: the intervals of precision and recall "
            "allow for clusters."
        )
    return error


def _choose(
    goal: tuple[str, float], tps: Array, size: Array, n_positives: Any, alpha: float | None
) -> int | None:
    """Which threshold is the best of those that are good enough; None if none is."""
    (name, value), tolerance = goal, RELATIVE_TOLERANCE
    if name == "k":
        enough, merit = size <= value * (1 + tolerance), size
    elif name == "recall":
        enough, merit = tps >= value * n_positives * (1 - tolerance), tps / size
        if alpha is not None:
            enough = which_recall(tps, n_positives, value, alpha)
    elif alpha is not None:
        return lowest_precise(tps, size, value, alpha)
    else:
        enough, merit = tps / size >= value * (1 - tolerance), tps
    best = int(np.argmax(np.where(enough, merit, -1)))  # of equal ones, the highest threshold
    return best if enough[best] else None


def _why_not(
    goal: tuple[str, float], tps: Array, size: Array, n_positives: Any, guarantee: float | None
) -> str:
    name, value = goal
    if not tps.size:
        return "No row was retrieved, as every score is minus infinity."
    if name == "k":
        return f"No threshold selects at most {value} rows: {size[0]:.6g} share the highest score."
    surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
    shares = tps / (size if name == "precision" else n_positives)
    best = np.argmax(shares)
    return (
        f"No threshold has a {name} of {value:g}{surely}.\nThe best {name} in the sample is "
        f"{shares[best]:.4f}, of {size[best]:.6g} selected; there are {n_positives:.6g} positives."
    )


def _shares(clean: Rankings, selected: NDArray[np.bool_], level: float) -> dict[str, Any]:
    """Precision, recall and the share of selected rows, each with its limits."""
    weight = np.ones(selected.size) if clean.weight is None else clean.weight
    clusters = np.arange(selected.size) if clean.clusters is None else clean.clusters
    found: dict[str, Any] = {}
    for name, among, hit in (
        ("precision", selected, clean.positive),
        ("recall", clean.positive, selected),
        ("selected", np.ones_like(selected), selected),
    ):
        part = weight[among] / weight[among].max()
        share = part[hit[among]].sum() / part.sum()
        n, n_clusters = _effective_numbers(part, hit[among] - share, clusters[among])
        variance = variance_of_share(share)
        uncertainty = Uncertainty(np.sqrt(variance / n), variance / n, n_clusters - 1, variance)
        low, high = wilson_limits(share, uncertainty, level)
        found |= {name: float(share), f"{name}_interval": (float(low), float(high))}
    return found


def _effective_numbers(weight: Array, deviation: Array, clusters: Array) -> tuple[float, float]:
    """The effective number of rows for a proportion, and that of clusters."""
    of_clusters = np.bincount(clusters, weight)
    n, n_clusters = (each.sum() ** 2 / np.sum(each * each) for each in (weight, of_clusters))
    if (influence := weight * deviation).any():
        influence /= np.abs(influence).max()
        together = np.bincount(clusters, influence)
        design_effect = np.sum(together * together) / np.sum(influence * influence)
        n /= max(design_effect, 1.0)
        return n, min(n, n_clusters)
    return n_clusters, n_clusters  # all rows are hits, or none is
