"""The heart: labels and scores in, the counts that every average precision is made of out.

A long ranking is counted here, alone; short ones side by side, in ``_tables``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._groups import begins_run
from sklearn_ap._sieve import sample_of, sieved
from sklearn_ap._tables import Rows, batches, sizes_of, table, taken, together
from sklearn_ap._threads import map_threads, n_threads
from sklearn_ap._validation import Rankings, check_binary

__all__ = [
    "ThresholdCounts",
    "count",
    "from_cells",
    "merge",
    "negatives",
    "ordered",
    "positives",
    "ratio",
    "segment_sums",
    "spread",
    "threshold_counts",
]

Array = NDArray[Any]
# Of scores between two cuts: thresholds, tps, fps, fps_above; the totals of positives and negatives
Part = tuple[Array, Array, Array, Array, Any, Any]
Items = tuple[Array, Array | None]  # score, weight
Negatives = tuple[Array, Array, Any]  # at or above each threshold, strictly above, in all

CHUNK = 2**16  # rows that the cache holds
CHUNK_OF_THRESHOLDS = 64  # rows for each threshold that is searched among them
SEARCHED = 2**13  # thresholds at a time, where there are many cells
ROWS_OF_PART = 3 * 2**19  # more parts take less memory, and read all rows more often
MOST_PARTS = 16


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


def segment_sums(values: Array, starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size == 1:
        return np.add.reduce(values, keepdims=True, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    filled = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[filled] = np.add.reduceat(values, starts[filled]) if filled.size else 0.0
    return sums


def ordered(score: Array, weight: Array | None) -> tuple[Array, Array | None]:
    """Sort scores upwards; the sums of the 0, 1, 2, ... highest weights, None without weights.

    Without weights this sorts the array itself, which spares the memory of another.
    """
    # scores [2, 3, 1] of weights [4, 5, 6] -> [1, 2, 3] and [0, 5, 9, 15]
    if weight is None:
        score.sort()
        return score, None
    order = np.argsort(score)
    sums = np.zeros(score.size + 1)
    np.take(weight, order[::-1], out=sums[1:], mode="clip")  # or it would be buffered
    np.cumsum(sums, out=sums)
    return score[order], sums


def positives(score: Array, weight: Array | None) -> tuple[Array, Array, Any]:
    """Distinct scores, upwards; what stands at or above each; the total."""
    score, sums = ordered(score, weight)
    first = begins_run(score).nonzero()[0]
    thresholds = score if first.size == score.size else score[first]
    reach = np.subtract(score.size, first, out=first)  # [1, 2, 2, 3] -> [0, 1, 3] -> [4, 3, 1]
    return (thresholds, reach, score.size) if sums is None else (thresholds, sums[reach], sums[-1])


def negatives(score: Array, weight: Array | None, thresholds: Array) -> Negatives:
    """What stands at or above each threshold; what stands strictly above it; the total."""
    score, sums = ordered(score, weight)
    left, right = _places(score, thresholds)
    above = np.subtract(score.size, right, out=right)  # in place: fresh memory costs more
    at_or_above = above if left is right else np.subtract(score.size, left, out=left)
    if sums is None:
        return at_or_above, above, score.size
    return sums[at_or_above], sums[above], sums[-1]


def merge(parts: Iterable[Array]) -> Array:
    """The thresholds of all parts, upwards, from those of each."""
    return np.unique(np.concatenate([*parts]))


def spread(score: Array, weight: Array | None, thresholds: Array, cells: Array) -> None:
    """Add rows to the cells at and between thresholds; without weights this sorts the scores.

    Cell 0 lies below the lowest threshold, cell 1 at it, cell 2 between it and the next, and so
    on up to cell ``2 * thresholds.size`` above the highest.
    """
    if weight is None:
        score.sort()
    else:
        order = np.argsort(score)
        score, weight = score[order], weight[order]
    # A few thresholds at a time, whose scores the cache holds; each has its cell and the one below.
    begins = range(0, thresholds.size + 1, SEARCHED)
    cuts = score.searchsorted(thresholds[SEARCHED - 1 :: SEARCHED], side="right")
    parts = zip(begins, pairwise([0, *cuts, score.size]), strict=True)

    def spread_part(part: tuple[int, tuple[int, int]]) -> None:
        i, (low, high) = part
        items = score[low:high], None if weight is None else weight[low:high]
        _spread(*items, thresholds[i : i + SEARCHED], cells[2 * i :][: 2 * SEARCHED])

    for _ in map_threads(spread_part, parts, n_threads(score.size)):
        pass


def _spread(score: Array, weight: Array | None, thresholds: Array, cells: Array) -> None:
    """Add sorted scores to the cells, the last of which may be that of the highest threshold."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    where: Any = slice(None)
    if thresholds.size < score.size:
        starts = np.zeros(2 * thresholds.size + 1, np.intp)
        starts[1::2], starts[2::2] = _places(score, thresholds)
        starts = starts[: cells.size]
    else:
        cell_of = np.add(*_places(thresholds, score))
        starts = begins_run(cell_of).nonzero()[0]
        where = cell_of[starts]
    if weight is None:
        cells[where] += np.diff(starts, append=score.size)
    else:
        cells[where] += segment_sums(weight, starts)


def from_cells(thresholds: Array, hits: Array, misses: Array) -> ThresholdCounts:
    """Count one ranking by what its cells hold, of the positives and of the negatives."""
    tps, fps = hits[::-1].cumsum(), misses[::-1].cumsum()
    # From the top: what stands in the cells above the highest threshold, down to it, below it, ...
    start, totals = np.zeros(1, np.intp), (tps[-1:], fps[-1:])
    return _counts(thresholds[::-1], tps[1::2], fps[1::2], fps[:-1:2], start, *totals)


def _places(score: Array, thresholds: Array) -> tuple[Array, Array]:
    """Where each threshold belongs in sorted scores: before its equals, and behind them."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> [0, 1, 3] and [0, 3, 3]
    right = score.searchsorted(thresholds, side="right")
    if not score.size:
        return right, right
    # The score before the place tells a tie. Before place 0 this looks at the highest score, which
    # is no tie, as the threshold is below all scores.
    right -= 1
    tied = score[right] == thresholds
    right += 1
    if not np.count_nonzero(tied):
        return right, right
    left = right.copy()
    left[tied] = score.searchsorted(thresholds[tied], side="left")
    return left, right


def _all(rankings: Rankings) -> ThresholdCounts:
    """Count all thresholds; where positives are rare, only what stands near them is sorted."""
    sieve = sieved(rankings)
    near = rankings if sieve is None else sieve.near
    counts = _many(near) if near.several else _one((near.positive, near.score, near.weight))
    if sieve is None:
        return counts
    far = sieve.above(counts.thresholds, counts.starts)
    fps, fps_above = counts.fps + far, counts.fps_above + far
    n_negatives = counts.n_negatives + sieve.far
    return replace(counts, fps=fps, fps_above=fps_above, n_negatives=n_negatives)


def _one(rows: Rows) -> ThresholdCounts:
    """Count one ranking; a long one in parts."""
    n = rows[0].size
    threads = n_threads(n)
    # Every part reads all rows, so there are few; but while it is counted it takes memory.
    n_parts = max(threads, min(n // ROWS_OF_PART, MOST_PARTS))
    if n_parts > 1:
        columns, n_hits, n_misses = _in_parts(rows, n_parts, threads)
    else:
        *columns, n_hits, n_misses = _chunk(rows) if n <= CHUNK else _part(rows, None, None)
    totals = np.array((n_hits,)), np.array((n_misses,))
    return _counts(*(column[::-1] for column in columns), np.zeros(1, np.intp), *totals)


def _in_parts(rows: Rows, n_parts: int, threads: int) -> tuple[list[Array], Any, Any]:
    """Count parts of the scores, each of which has its place in the columns, the lowest first."""
    # Cut at scores, so that no tie is torn.
    cuts = [None, *_cuts(rows[1], n_parts), None]
    ends = [0, *map_threads(lambda cut: _n_hits_below(rows, cut), cuts[1:], threads)]
    dtype = np.intp if rows[2] is None else np.float64
    # Memory that nothing is written into costs nothing: the last column is rarely needed.
    columns = [np.empty(ends[-1], rows[1].dtype), *(np.empty(ends[-1], dtype) for _ in range(3))]

    def fill(i: int) -> tuple[slice, bool, Any, Any]:
        *part, hits, misses = _part(rows, cuts[i], cuts[i + 1])
        here, size, tied = slice(ends[i], ends[i + 1]), part[0].size, part[2] is not part[3]
        for column, values in zip(columns, part if tied else part[:3], strict=False):
            # Tied positives leave places over: the lowest threshold again, which gains nothing.
            column[here][: -size or None] = values[:1]
            column[here][-size:] = values
        return here, tied, hits, misses

    parts = [*map_threads(fill, range(len(cuts) - 1), threads)]
    any_tied = any(tied for _, tied, _, _ in parts)
    n_hits, n_misses = 0, 0
    for here, tied, hits, misses in parts[::-1]:
        if any_tied and not tied:
            columns[3][here] = columns[2][here]
        above = (n_hits, n_misses, n_misses) if any_tied else (n_hits, n_misses)
        for column, more in zip(columns[1:], above, strict=False):
            column[here] += more
        n_hits, n_misses = n_hits + hits, n_misses + misses
    return columns if any_tied else [*columns[:3], columns[2]], n_hits, n_misses


def _n_hits_below(rows: Rows, bound: Any) -> int:
    positive, score, _ = rows
    if bound is None:
        return int(np.count_nonzero(positive))
    parts = (slice(i, i + CHUNK) for i in range(0, score.size, CHUNK))
    return sum(int(np.count_nonzero(positive[i] & (score[i] < bound))) for i in parts)


def _cuts(score: Array, n_parts: int) -> list[Any]:
    """Scores between parts of about the same size, by a sample."""
    sample = np.sort(score[sample_of(score.size)])
    return [*np.unique(sample[np.arange(1, n_parts) * sample.size // n_parts])]


def _chunk(rows: Rows) -> Part:
    """Count what one chunk holds, which needs no cuts and no sums."""
    positive, score, weight = rows
    thresholds, tps, n_hits = positives(*_kept(score, weight, positive))
    fps, fps_above, n_misses = negatives(*_kept(score, weight, ~positive), thresholds)
    return thresholds, tps, fps, fps_above, n_hits, n_misses


def _part(rows: Rows, low: Any, high: Any) -> Part:
    """Count the scores from ``low`` to just below ``high``; None is no bound."""
    thresholds, tps, n_hits = positives(*_joined(_chosen(rows, True, low, high)))
    # A sort in the cache is cheap, but searching all thresholds per chunk must not outweigh it.
    # Weights are fetched in the order of the scores, which outside of the cache is slow.
    per_threshold = CHUNK_OF_THRESHOLDS if rows[2] is None else CHUNK_OF_THRESHOLDS // 4
    size = max(CHUNK // 2, per_threshold * thresholds.size)
    chunks = _gathered(_chosen(rows, False, low, high), size)
    fps, fps_above, n_misses = reduce(_add, (negatives(*chunk, thresholds) for chunk in chunks))
    return thresholds, tps, fps, fps_above, n_hits, n_misses


def _chosen(rows: Rows, label: bool, low: Any, high: Any) -> Iterator[Items]:
    """Scores and weights of one label between two bounds, a chunk of the rows at a time."""
    for i in range(0, max(rows[0].size, 1), CHUNK):
        positive, score, weight = _at(rows, slice(i, i + CHUNK))
        kept = positive if label else ~positive
        if low is not None:
            kept = kept & (score >= low)
        if high is not None:
            kept = kept & (score < high)
        yield _kept(score, weight, kept)


def _kept(score: Array, weight: Array | None, kept: NDArray[np.bool_]) -> Items:
    # A mask copies runs, which where nearly all is kept takes half as long as compress, and where
    # half is kept seven times as long.
    if np.count_nonzero(kept) > 0.9 * kept.size:
        return score[kept], None if weight is None else weight[kept]
    return score.compress(kept), None if weight is None else weight.compress(kept)


def _gathered(chunks: Iterable[Items], size: int) -> Iterator[Items]:
    """Join chunks until they hold so many rows, and again."""
    held: list[Items] = []
    for chunk in chunks:
        held.append(chunk)
        if sum(score.size for score, _ in held) >= size:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(chunks: Iterable[Items]) -> Items:
    chunks = [*chunks]
    if len(chunks) == 1:
        return chunks[0]
    scores, weights = zip(*chunks, strict=True)
    return np.concatenate(scores), None if weights[0] is None else np.concatenate(weights)


def _add(part: Negatives, other: Negatives) -> Negatives:
    above = part[1] + other[1]
    no_tie = part[0] is part[1] and other[0] is other[1]
    return above if no_tie else part[0] + other[0], above, part[2] + other[2]


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
        alone = _all(Rankings(*(_at(rows, here) if order is None else taken(rows, order[here]))))
        _fill([column[begins[i] : ends[i]] for column in columns], alone)
        n_positives[i], n_negatives[i] = alone.n_positives[0], alone.n_negatives[0]
    return _counts(*columns, begins, n_positives, n_negatives)


def _at(rows: Rows, where: Any) -> Rows:
    positive, score, weight = rows
    return positive[where], score[where], None if weight is None else weight[where]


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
    if tps.size > CHUNK and _gain_one_each(tps, totals[0]):
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
