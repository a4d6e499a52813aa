"""The heart: labels and scores in, the counts that every average precision is made of out.

Short rankings are counted side by side, in ``_tables``; a long one ``_alone``; and where positives
are rare, a ``_sieve`` takes out most negatives before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._alone import alone
from sklearn_ap._kernel import segment_sums
from sklearn_ap._sieve import sieved
from sklearn_ap._tables import Rows, batches, sizes_of, sliced, table, taken, together
from sklearn_ap._threads import map_threads, n_threads
from sklearn_ap._validation import Rankings, check_binary

__all__ = ["ThresholdCounts", "count", "from_cells", "ratio", "threshold_counts"]

Array = NDArray[Any]

LONG = 2**16  # columns that take more than a moment to fill


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdCounts:
    """What stands at and above each threshold, for any number of rankings laid end to end.

    A threshold is a distinct score at which at least one positive stands: recall moves nowhere
    else, so these are enough for every average precision. The operating point just before a
    threshold is ``(tps_above, fps_above)``.

    Unweighted counts are integers, weighted ones float64. Do not write into the arrays: equal ones
    may be the same, and a long column of ones takes no memory.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        The scores, decreasing within a ranking.
    gained : ndarray of shape (n_thresholds,)
        Weight of the positives at exactly that score.
    tps : ndarray of shape (n_thresholds,)
        Weight of the positives with score >= threshold.
    fps : ndarray of shape (n_thresholds,)
        Weight of the negatives with score >= threshold.
    fps_above : ndarray of shape (n_thresholds,)
        Weight of the negatives with score > threshold.
    starts : ndarray of shape (n_rankings,)
        Where each ranking begins; a ranking without scored positives is empty.
    n_positives : ndarray of shape (n_rankings,)
        Weight of all positives. May exceed what was scored.
    n_negatives : ndarray of shape (n_rankings,)
        Weight of all scored negatives.
    """

    thresholds: Array
    gained: Array
    tps: Array
    fps: Array
    fps_above: Array
    starts: NDArray[np.intp]
    n_positives: Array
    n_negatives: Array

    def __repr__(self) -> str:
        return (
            f"ThresholdCounts(rankings={self.starts.size}, thresholds={self.thresholds.size}, "
            f"positives={self.n_positives.sum():g}, negatives={self.n_negatives.sum():g})"
        )

    @property
    def precision(self) -> NDArray[np.float64]:
        """Precision at each threshold."""
        size = np.add(self.tps, self.fps, dtype=np.float64)
        return np.divide(self.tps, size, out=size)  # in place: fresh memory costs more

    @property
    def tps_above(self) -> Array:
        """Weight of the positives with score > threshold."""
        # Not tps - gained: a small sum would not survive being subtracted from a large one.
        return self.above(self.tps)

    def precision_before(self, at_start: float) -> NDArray[np.float64]:
        """Give the precision just above each threshold.

        Parameters
        ----------
        at_start : float
            What to give where nothing stands above.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            That of ``(tps_above, fps_above)``.
        """
        before = self.before
        start = np.full(before.shape, at_start)
        return np.divide(self.tps_above, before, out=start, where=before > 0)

    @property
    def before(self) -> Array:
        """Weight of everything scored above each threshold."""
        return self.tps_above + self.fps_above

    @property
    def size(self) -> Array:
        """Weight of everything tied at each threshold."""
        return self.gained + (self.fps - self.fps_above)

    @property
    def ends(self) -> NDArray[np.intp]:
        """Where each ranking ends."""
        return np.concatenate((self.starts[1:], (self.thresholds.size,)))

    def sum(self, values: Array) -> NDArray[np.float64]:
        """Add up one value per threshold into one per ranking.

        Parameters
        ----------
        values : ndarray of shape (n_thresholds,)
            What to add up.

        Returns
        -------
        ndarray of shape (n_rankings,)
            0 for a ranking without thresholds.
        """
        return segment_sums(values, self.starts)

    def above(self, values: Array) -> Array:
        """Give each threshold the value of the one above it in its ranking, or 0.

        Parameters
        ----------
        values : ndarray of shape (n_thresholds,)
            One per threshold.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            [1, 2, 3] in rankings of 2 and 1 gives [0, 1, 0].
        """
        return _above(values, self.starts)

    def sum_below(self, values: Array) -> Array:
        """Give each threshold the sum of the values at it and below it in its ranking.

        Parameters
        ----------
        values : ndarray of shape (n_thresholds,)
            What to add up.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            [1, 2, 3] in rankings of 2 and 1 gives [3, 2, 3].
        """
        upwards = np.add.accumulate(values[::-1])[::-1]
        if self.starts.size == 1:
            return upwards
        # values = [1, 2, 3] in rankings of 2 and 1 -> upwards = [6, 5, 3], below = [3, 2, 3]
        upwards = np.append(upwards, 0)
        return upwards[:-1] - upwards[np.repeat(self.ends, self.ends - self.starts)]

    def each(self, values: Array) -> Array:
        """Give each threshold the value of its ranking.

        Parameters
        ----------
        values : ndarray of shape (n_rankings,)
            One per ranking.

        Returns
        -------
        ndarray of shape (n_thresholds,) or (1,)
            For one ranking the value itself, which broadcasts.
        """
        return values if self.starts.size == 1 else values[self.ranking()]

    def envelope(self, values: Array) -> Array:
        """Replace each value by the largest at its own threshold or a lower one.

        Parameters
        ----------
        values : ndarray of shape (n_thresholds,)
            One per threshold.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            [1, 2, 3] in rankings of 2 and 1 gives [2, 2, 3].
        """
        if self.starts.size == 1:
            return np.maximum.accumulate(values[::-1])[::-1]
        # Complex numbers compare by their real parts first, so each ranking starts afresh.
        labelled = -self.ranking() + 1j * values
        return np.maximum.accumulate(labelled[::-1])[::-1].imag

    def ranking(self) -> NDArray[np.intp]:
        """Say which ranking each threshold belongs to.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Rankings of 2 and 1 thresholds give [0, 0, 1].
        """
        return np.repeat(np.arange(self.starts.size), self.ends - self.starts)


def threshold_counts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ThresholdCounts:
    """Count positives and negatives at and above every score that recalls something.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for what is more likely positive. Equal scores are one threshold.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for the definitions of ``sklearn_ap.definitions``.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at every distinct score.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> counts = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    >>> counts.thresholds, counts.tps, counts.fps
    (array([0.9, 0.8]), array([1, 2]), array([0, 1]))
    >>> Step()(counts)
    array([0.83333333])
    """
    return count(check_binary(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight))


def count(rankings: Rankings, k: int | None = None) -> ThresholdCounts:
    """Count clean predictions; ``k`` may leave out thresholds that begin behind rank k."""
    plain = not rankings.several and rankings.weight is None
    if plain and k is not None and k < rankings.score.size // 2:
        return _top(rankings, k)
    return _all(rankings)


def ratio(numerator: Array, denominator: Array) -> NDArray[np.float64]:
    """Divide; 0 / 0 is nan, silently."""
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator  # errstate would take longer than that
    with np.errstate(invalid="ignore"):
        return numerator / denominator


def from_cells(thresholds: Array, hits: Array, misses: Array) -> ThresholdCounts:
    """Count one ranking by what its cells hold, of the positives and of the negatives."""
    tps, fps = hits[::-1].cumsum(), misses[::-1].cumsum()
    # From the top: what stands in the cells above the highest threshold, down to it, below it, ...
    start, totals = np.zeros(1, np.intp), (tps[-1:], fps[-1:])
    return _counts(thresholds[::-1], tps[1::2], fps[1::2], fps[:-1:2], start, *totals)


def _all(rankings: Rankings) -> ThresholdCounts:
    """Count all thresholds; where positives are rare, only what stands near them is sorted."""
    sieve = sieved(rankings)
    near = rankings if sieve is None else sieve.near
    counts = _many(near) if near.several else _one((near.positive, near.score, near.weight))
    if sieve is None:
        return counts
    far = sieve.above(counts.thresholds, counts.starts)
    fps, fps_above = counts.fps + far, counts.fps_above + far
    n_negatives = counts.n_negatives + sieve.left_out
    return replace(counts, fps=fps, fps_above=fps_above, n_negatives=n_negatives)


def _one(rows: Rows) -> ThresholdCounts:
    *columns, n_positives, n_negatives = alone(rows)
    totals = np.array((n_positives,)), np.array((n_negatives,))
    return _counts(*(column[::-1] for column in columns), np.zeros(1, np.intp), *totals)


def _top(rankings: Rankings, k: int) -> ThresholdCounts:
    """Count one ranking as far as rank k sees, and its totals: a partition is a fifth of a sort."""
    positive, score = rankings.positive, rankings.score
    n_below = score.size - k
    seen = score >= np.partition(score, n_below)[n_below]
    counts = _one((positive.compress(seen), score.compress(seen), None))
    n_positives = np.array((np.count_nonzero(positive),))
    return replace(counts, n_positives=n_positives, n_negatives=score.size - n_positives)


def _many(rankings: Rankings) -> ThresholdCounts:
    """Count short rankings in tables, side by side; long ones alone, one after the other."""
    rows = rankings.positive, rankings.score, rankings.weight
    n_hits, sizes = sizes_of(rankings)
    order, starts = together(rankings, n_hits, sizes)
    n_positives, n_negatives = n_hits, sizes - n_hits
    if rankings.weight is not None:
        n_positives = n_hits.astype(np.float64)
        n_negatives = np.bincount(rankings.ranking_of_items, rankings.weight, n_hits.size)
    # Each positive has a place, where the counts at its score go.
    ends = np.cumsum(n_hits)
    begins = ends - n_hits
    thresholds = np.empty(ends[-1], rankings.score.dtype)
    # One block is less work for the system than three.
    columns = [thresholds, *np.empty((3, ends[-1]), n_positives.dtype)]

    def fill(batch: NDArray[np.intp]) -> None:
        # n = [2, 1] and begins [7, 4] -> place [7, 8, 4]
        n = n_hits[batch]
        place = np.arange(n.sum()) + np.repeat(begins[batch] - np.cumsum(n) + n, n)
        counted = table(rows, order, starts[batch], sizes[batch], n)
        for column, values in zip(columns, counted, strict=False):
            column[place] = values
        if rankings.weight is not None:
            n_positives[batch], n_negatives[batch] = counted[len(columns) :]

    tables, long = batches(sizes, n_hits.nonzero()[0])
    # Threads for rankings of some thousand rows would wait for each other more than they count.
    for _ in map_threads(fill, tables, n_threads(sum(int(sizes[i].sum()) for i in tables))):
        pass
    for i in long:
        here = slice(starts[i], starts[i] + sizes[i])
        alone = _all(Rankings(*(sliced(rows, here) if order is None else taken(rows, order[here]))))
        _fill([column[begins[i] : ends[i]] for column in columns], alone)
        n_positives[i], n_negatives[i] = alone.n_positives[0], alone.n_negatives[0]
    return _counts(*columns, begins, n_positives, n_negatives)


def _fill(columns: list[Array], counts: ThresholdCounts) -> None:
    """Put the counts of a ranking into columns of a place for each positive.

    There are fewer thresholds where positives are tied: the last one again gains nothing.
    """
    for column, name in zip(columns, ("thresholds", "tps", "fps", "fps_above"), strict=True):
        values = getattr(counts, name)
        column[: values.size] = values
        column[values.size :] = values[-1]


def _counts(
    thresholds: Array, tps: Array, fps: Array, fps_above: Array, starts: Array, *totals: Array
) -> ThresholdCounts:
    if tps.size > LONG and _gain_one_each(tps, totals[0]):
        gained = np.broadcast_to(np.intp(1), tps.shape)  # a long column takes memory, and time
        return ThresholdCounts(thresholds, gained, tps, fps, fps_above, starts, *totals)
    gained = _above(tps, starts)
    np.subtract(tps, gained, out=gained)
    counts = ThresholdCounts(thresholds, gained, tps, fps, fps_above, starts, *totals)
    if np.count_nonzero(gained) == gained.size:
        return counts
    # Only negatives stand there, or the weight is too small to move the sum: no threshold.
    kept = gained.nonzero()[0]
    return replace(_select(counts, kept), starts=kept.searchsorted(starts))


def _gain_one_each(tps: Array, n_positives: Array) -> bool:
    """Whether no two positives of a ranking are tied, and none has a weight."""
    # As many thresholds as positives, and no threshold without one: each has one.
    return bool(
        tps.dtype.kind == "i"
        and np.add.reduce(n_positives) == tps.size
        and np.count_nonzero(tps) == tps.size
        and not np.count_nonzero(tps[1:] == tps[:-1])
    )


def _above(tps: Array, starts: NDArray[np.intp]) -> Array:
    """Each count's predecessor in its ranking, or 0."""
    above = np.empty_like(tps)
    above[1:] = tps[:-1]
    above[starts[starts < above.size] if starts.size > 1 else slice(1)] = 0
    return above


def _select(counts: ThresholdCounts, chosen: Array) -> ThresholdCounts:
    """Choose thresholds; where the rankings begin among them is for the caller to say."""
    per_threshold = ("thresholds", "gained", "tps", "fps", "fps_above")
    return replace(counts, **{name: getattr(counts, name)[chosen] for name in per_threshold})
