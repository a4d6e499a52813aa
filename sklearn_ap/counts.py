"""The heart: labels and scores in, the counts that every average precision is made of out.

The only module that sorts scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._validation import Rankings, check_binary

__all__ = ["ThresholdCounts", "count", "ratio", "segment_sums", "threshold_counts"]

Array = NDArray[Any]

# Rankings shorter than this on average are sorted together; longer ones pay for a loop.
SHORT_RANKING = 500


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdCounts:
    """What stands at and above each threshold, for any number of rankings laid end to end.

    A threshold is a distinct score at which at least one positive stands: recall moves nowhere
    else, so these are enough for every average precision. The operating point just before a
    threshold is ``(tps_above, fps_above)``.

    Unweighted counts are integers, weighted ones float64. Arrays that are equal may be the same.

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
        return self.tps / (self.tps + self.fps)

    @property
    def tps_above(self) -> Array:
        """Weight of the positives with score > threshold."""
        # Not tps - gained: a small sum would not survive being subtracted from a large one.
        return self.above(self.tps)

    def precision_before(self, at_start: float) -> NDArray[np.float64]:
        """Precision just above each threshold; ``at_start`` where nothing stands above."""
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
        """Add up one value per threshold into one per ranking."""
        return segment_sums(values, self.starts)

    def above(self, values: Array) -> Array:
        """Give each threshold the value of the one above it in its ranking, or 0."""
        return _above(values, self.starts)

    def sum_below(self, values: Array) -> NDArray[np.float64]:
        """Give each threshold the sum of the values at it and below it in its ranking."""
        if self.starts.size == 1:
            return np.cumsum(values[::-1], dtype=np.float64)[::-1]
        # values = [1, 2, 3] in rankings of 2 and 1 -> upwards = [6, 5, 3], below = [3, 2, 3]
        upwards = np.append(np.cumsum(values[::-1], dtype=np.float64)[::-1], 0.0)
        return upwards[:-1] - upwards[np.repeat(self.ends, self.ends - self.starts)]

    def each(self, values: Array) -> Array:
        """Give each threshold the value of its ranking; for one ranking, what broadcasts to it."""
        return values if self.starts.size == 1 else values[self.ranking()]

    def envelope(self, values: Array) -> Array:
        """Replace each value by the largest at its own threshold or a lower one."""
        if self.starts.size == 1:
            return np.maximum.accumulate(values[::-1])[::-1]
        # Complex numbers compare by their real parts first, so each ranking starts afresh.
        labelled = -self.ranking() + 1j * values
        return np.maximum.accumulate(labelled[::-1])[::-1].imag

    def ranking(self) -> NDArray[np.intp]:
        """Which ranking each threshold belongs to."""
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
    if not rankings.several:
        if k is not None and k < rankings.score.size // 2 and rankings.weight is None:
            return _top(rankings.positive, rankings.score, k)
        return _one(rankings.positive, rankings.score, rankings.weight)
    short = rankings.score.size < SHORT_RANKING * rankings.n_rankings
    return _together(rankings) if short else _one_by_one(rankings)


def ratio(numerator: Array, denominator: Array) -> NDArray[np.float64]:
    """Divide; 0 / 0 is nan, silently."""
    if np.count_nonzero(denominator) == denominator.size:
        return numerator / denominator  # errstate would take longer than that
    with np.errstate(invalid="ignore"):
        return numerator / denominator


def segment_sums(values: Array, starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size == 1:
        return np.add.reduce(values, keepdims=True, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    filled = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[filled] = np.add.reduceat(values, starts[filled]) if filled.size else 0.0
    return sums


def _one(
    positive: NDArray[np.bool_], score: Array, weight: NDArray[np.float64] | None
) -> ThresholdCounts:
    """Count one ranking: sort the positives, sort the negatives, search one in the other."""
    hits, misses = _split(score, positive)
    if weight is None:
        hits.sort()
        misses.sort()
        keys, tps, fps, fps_above = _tally(hits, misses)
        totals = np.array((hits.size,)), np.array((misses.size,))
    else:
        hit_weight, miss_weight = _split(weight, positive)
        hits, hit_weight = _sorted(hits, hit_weight)
        misses, miss_weight = _sorted(misses, miss_weight)
        keys, tps, fps, fps_above = _tally(hits, misses)
        hit_sums = np.concatenate(([0.0], np.cumsum(hit_weight)))
        miss_sums = np.concatenate(([0.0], np.cumsum(miss_weight)))
        tps, fps, fps_above = hit_sums[tps], miss_sums[fps], miss_sums[fps_above]
        totals = hit_sums[-1:], miss_sums[-1:]
    return _counts(keys, tps, fps, fps_above, np.zeros(1, np.intp), *totals)


def _split(values: Array, positive: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The values of the positives, and those of the negatives."""
    hits, negative = values.compress(positive), ~positive
    # compress is up to seven times as fast as a mask; but it lists places, which for nearly all
    # of many values take more time and memory than copying them in runs.
    few = hits.size * 20 < values.size
    return hits, values[negative] if few else values.compress(negative)


def _top(positive: NDArray[np.bool_], score: Array, k: int) -> ThresholdCounts:
    """Count one ranking as far as rank k sees, and its totals: a partition is a fifth of a sort."""
    n_below = score.size - k
    seen = score >= np.partition(score, n_below)[n_below]
    counts = _one(positive.compress(seen), score.compress(seen), None)
    n_positives = np.array((np.count_nonzero(positive),))
    return replace(counts, n_positives=n_positives, n_negatives=score.size - n_positives)


def _one_by_one(rankings: Rankings) -> ThresholdCounts:
    """Count each ranking alone, which for long ones costs less."""
    ranking, n = rankings.ranking, rankings.n_rankings
    items = (rankings.positive, rankings.score, rankings.weight)
    bounds: Any = n  # equal parts
    if ranking is not None:
        if (ranking[1:] < ranking[:-1]).any():
            order = np.argsort(ranking, kind="stable")
            items = tuple(None if item is None else item[order] for item in items)  # type: ignore[assignment]
        bounds = np.cumsum(np.bincount(ranking, minlength=n))[:-1]
    parts = [[None] * n if item is None else np.split(item, bounds) for item in items]
    return _concatenate([_one(*part) for part in zip(*parts, strict=True)])


def _together(rankings: Rankings) -> ThresholdCounts:
    """Count many short rankings in one go: a sort by ranking, then score, is one of integers."""
    distinct, rank = np.unique(rankings.score, return_inverse=True)
    items = (rankings.n_rankings - 1 - rankings.ranking_of_items) * distinct.size + rank
    bounds = np.arange(rankings.n_rankings, -1, -1) * distinct.size
    hits, misses = _split(items, rankings.positive)
    weight = rankings.weight
    hit_weight, miss_weight = (None, None) if weight is None else _split(weight, rankings.positive)
    hits, hit_weight = _sorted(hits, hit_weight)
    misses, miss_weight = _sorted(misses, miss_weight)
    hit_bounds = hits.size - hits.searchsorted(bounds)
    miss_bounds = misses.size - misses.searchsorted(bounds)
    keys, tps, fps, fps_above = _tally(hits, misses)
    from_last, place = np.divmod(keys, distinct.size)
    ranking = rankings.n_rankings - 1 - from_last
    hits_of, misses_of = _within(hit_weight, hit_bounds), _within(miss_weight, miss_bounds)
    every = np.arange(rankings.n_rankings)
    return _counts(
        distinct[place],
        hits_of(tps, ranking),
        misses_of(fps, ranking),
        misses_of(fps_above, ranking),
        ranking.searchsorted(every),
        hits_of(hit_bounds[1:], every),
        misses_of(miss_bounds[1:], every),
    )


def _sorted(keys: Array, weight: Array | None) -> tuple[Array, Any]:
    """Sort keys, in place if they have no weights, and put weights in order from the top."""
    if weight is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys)
    return keys[order], weight[order[::-1]]


def _within(weight: Array | None, bounds: NDArray[np.intp]) -> Callable[[Array, Array], Array]:
    """Turn a number of items, counted from the first ranking, into the weight in its own."""
    if weight is None:
        return lambda count, ranking: count - bounds[ranking]
    # One sum over all rankings would drown the small ones, so the j-th item of each is added
    # to the sum of those before it, for all rankings that have so many at once.
    sums, sizes = weight.copy(), np.diff(bounds)
    longest_first = bounds[np.argsort(-sizes, kind="stable")]
    n_longer = sizes.size - np.cumsum(np.bincount(sizes))
    for j, n in enumerate(n_longer[1:-1], start=1):
        sums[longest_first[:n] + j] += sums[longest_first[:n] + j - 1]
    sums = np.append(sums, 0.0)
    return lambda count, ranking: np.where(count > bounds[ranking], sums[count - 1], 0.0)


def _tally(hits: Array, misses: Array) -> tuple[Array, Array, Array, Array]:
    """Distinct hits, from the top; how many hits and misses reach each; how many misses pass it."""
    first = np.empty(hits.size, dtype=bool)
    first[:1] = True
    np.not_equal(hits[1:], hits[:-1], out=first[1:])
    below = first.nonzero()[0]
    keys = hits if below.size == hits.size else hits[below]
    nearest = misses.searchsorted(keys, side="right")
    nearest -= 1
    # Where no miss is as low this looks at the highest, which is above the hit.
    tied = misses[nearest] == keys if misses.size else np.zeros(keys.size, dtype=bool)
    # In place, as fresh memory costs more than the arithmetic.
    tps = np.subtract(hits.size, below, out=below)
    fps = fps_above = np.subtract(misses.size - 1, nearest, out=nearest)
    if np.count_nonzero(tied):
        fps = fps_above.copy()
        fps[tied] = misses.size - misses.searchsorted(keys[tied], side="left")
    return keys[::-1], tps[::-1], fps[::-1], fps_above[::-1]


def _counts(
    thresholds: Array, tps: Array, fps: Array, fps_above: Array, starts: Array, *totals: Array
) -> ThresholdCounts:
    gained = _above(tps, starts)
    np.subtract(tps, gained, out=gained)
    counts = ThresholdCounts(thresholds, gained, tps, fps, fps_above, starts, *totals)
    # A weight too small to move the sum gains nothing: no threshold.
    return counts if tps.dtype.kind == "i" or gained.all() else _select(counts, gained > 0)


def _above(tps: Array, starts: NDArray[np.intp]) -> Array:
    """Each count's predecessor in its ranking, or 0."""
    above = np.empty_like(tps)
    above[1:] = tps[:-1]
    above[starts[starts < above.size] if starts.size > 1 else slice(1)] = 0
    return above


def _select(counts: ThresholdCounts, kept: NDArray[np.bool_]) -> ThresholdCounts:
    """Keep some of the thresholds, and all totals."""
    n_kept = np.concatenate(([0], np.cumsum(kept)))
    per_threshold = ("thresholds", "gained", "tps", "fps", "fps_above")
    chosen = {name: getattr(counts, name)[kept] for name in per_threshold}
    return replace(counts, starts=n_kept[counts.starts], **chosen)


def _concatenate(parts: list[ThresholdCounts]) -> ThresholdCounts:
    """Lay rankings end to end."""
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(ThresholdCounts)
    }
    sizes = [part.thresholds.size for part in parts]
    return ThresholdCounts(**joined | {"starts": np.cumsum([0, *sizes[:-1]])})
