"""Where each item stands: the counts and every item's place in them, from one sort of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._validation import Rankings
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions.influence import Influence

__all__ = ["Places", "place"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The counts of rankings, and where each of their items stands.

    The items, from the top of the first ranking to the bottom of the last, form runs: those
    between two thresholds, those at a threshold, and in the end of each ranking those below all.
    """

    counts: ThresholdCounts
    order: NDArray[np.intp]  # items[order] are sorted
    hits: NDArray[np.intp]  # where the positives stand among the sorted
    n_hits: NDArray[np.intp]  # how many positives stand at each threshold
    begin: NDArray[np.intp]  # where the items at each threshold begin
    end: NDArray[np.intp]  # and where they end
    bounds: NDArray[np.intp]  # where rankings begin, and the last one ends

    def of_items(self, by_place: Influence, below: float = 0.0) -> NDArray[np.float64]:
        """Give each item, in the order of the user, what is said of its place."""
        if by_place.tied is by_place.between:
            values = self._runs(self.end, (by_place.tied,), below)
        else:
            edges = np.column_stack((self.begin, self.end)).ravel()
            values = self._runs(edges, (by_place.between, by_place.tied), below)
        each = self.n_hits.size == self.hits.size  # one positive at each threshold
        values[self.hits] = by_place.positive if each else np.repeat(by_place.positive, self.n_hits)
        placed = np.empty_like(values)
        placed[self.order] = values
        return placed

    def _runs(self, edges: Array, values: tuple[Array, ...], below: float) -> Array:
        """Lay out one value for each run that ends at an edge, and ``below`` after the last."""
        each = np.column_stack(values).ravel() if len(values) > 1 else values[0]
        if self.bounds.size == 2:
            edges = np.concatenate((self.bounds[:1], edges, self.bounds[1:]))
            # Not np.diff, which takes as long as all the rest for a few edges.
            return np.repeat(np.concatenate((each, (below,))), edges[1:] - edges[:-1])
        # Two rankings of thresholds [a, b] and [c]: a, b, below, c, below.
        last = len(values) * self.counts.ends
        edges, each = np.insert(edges, last, self.bounds[1:]), np.insert(each, last, below)
        return np.repeat(each, np.diff(edges, prepend=0))


def place(rankings: Rankings) -> Places:
    """Sort the items of all rankings; their counts follow."""
    order, score, bounds = _descending(rankings)
    hits = rankings.positive.take(order).nonzero()[0]
    first = np.ones(score.size + 1, dtype=bool)  # of its block of tied items
    np.not_equal(score[1:], score[:-1], out=first[1:-1])
    if bounds.size > 2:
        first[bounds] = True
    if np.count_nonzero(first) == first.size:
        n_hits, begin, end = np.ones_like(hits), hits, hits + 1
    else:
        blocks = np.flatnonzero(first)
        block, n_hits = _distinct((np.cumsum(first) - 1)[hits])
        begin, end = blocks[block], blocks[block + 1]
    weight = None if rankings.weight is None else rankings.weight[order]
    counts = _counts(score[begin], weight, hits, n_hits, begin, end, bounds)
    return Places(counts, order, hits, n_hits, begin, end, bounds)


def _descending(rankings: Rankings) -> tuple[NDArray[np.intp], Array, NDArray[np.intp]]:
    """The order of the items by ranking, the highest score first; their scores; the bounds."""
    n = rankings.n_rankings
    if rankings.ranking is None:
        size = rankings.score.size // n
        bounds = np.arange(n + 1) * size
        if n == 1:
            return *_falling(rankings.score), bounds
        order = np.argsort(rankings.score.reshape(n, size), axis=1)[:, ::-1]
        order = (order + bounds[:-1, None]).ravel()
        return order, rankings.score[order], bounds
    order = np.lexsort((rankings.score, -rankings.ranking))[::-1]
    sizes = np.bincount(rankings.ranking, minlength=n)
    return order, rankings.score[order], np.concatenate(([0], np.cumsum(sizes)))


def _falling(score: Array) -> tuple[NDArray[np.intp], Array]:
    """The order of scores, the highest first, and the scores in order, from one sort of integers.

    Each integer holds the upper bits of a score, and in the lower ones the place of its item. That
    takes half the time of an argsort.
    """
    if score.dtype.kind != "f":
        return _argsort(score)
    bits = np.negative(score, dtype=np.float64).view(np.int64)
    # Floats sort as their bits do, but negative ones the other way round.
    bits ^= (bits >> 63) & np.int64(2**63 - 1)
    low = np.int64((1 << int(score.size).bit_length()) - 1)
    bits &= ~low
    bits |= np.arange(score.size)
    bits.sort()
    order = np.bitwise_and(bits, low, out=bits).astype(np.intp, copy=False)
    in_order = score.take(order)
    return (order, in_order) if _mended(order, in_order) else _argsort(score)


def _argsort(score: Array) -> tuple[NDArray[np.intp], Array]:
    order = np.argsort(score)[::-1]
    return order, score[order]


def _mended(order: NDArray[np.intp], in_order: Array) -> bool:
    """Swap the few neighbours that stand the wrong way round, if they are few."""
    wrong = (in_order[1:] > in_order[:-1]).nonzero()[0]
    for _ in range(8):
        if not wrong.size or wrong.size > order.size // 50:
            break
        first = wrong[np.diff(wrong, prepend=-2) > 1]  # [3, 4] -> [3]: each item moves once
        for values in (order, in_order):
            values[first], values[first + 1] = values[first + 1], values[first]
        near = np.unique(np.concatenate((wrong - 1, wrong, wrong + 1)))
        near = near[(near >= 0) & (near < order.size - 1)]
        wrong = near[in_order[near + 1] > in_order[near]]
    return not wrong.size


def _distinct(values: Array) -> tuple[Array, NDArray[np.intp]]:
    """Distinct values of sorted ones, and how often each stands there."""
    first = np.flatnonzero(np.diff(values, prepend=-1))
    return values[first], np.diff(first, append=values.size)


def _counts(
    thresholds: Array,
    weight: Array | None,
    hits: Array,
    n_hits: Array,
    begin: Array,
    end: Array,
    bounds: Array,
) -> ThresholdCounts:
    """The counts at blocks that begin and end there."""
    one = bounds.size == 2
    starts = np.array((0, begin.size)) if one else np.searchsorted(begin, bounds)
    ranking = np.repeat(np.arange(bounds.size - 1), np.diff(starts)) if not one else 0
    above = np.arange(hits.size) if n_hits.size == hits.size else np.cumsum(n_hits) - n_hits
    if weight is None:
        # Positives before each ranking.
        n_above = np.array((0, hits.size)) if one else np.searchsorted(hits, bounds)
        n_below = bounds - n_above
        fps_above = begin - above
        fps_above -= n_below[ranking]
        fps = end - begin
        fps -= n_hits
        fps += fps_above
        tps = above + n_hits
        tps -= n_above[ranking]
        totals = n_above[1:] - n_above[:-1], n_below[1:] - n_below[:-1]
        return ThresholdCounts(thresholds, n_hits, tps, fps, fps_above, starts[:-1], *totals)
    positive = np.zeros(weight.size)
    positive[hits] = weight[hits]
    tps, n_positives = _sums(positive, bounds)
    fps, n_negatives = _sums(weight - positive, bounds)
    gained = np.add.reduceat(weight[hits], above) if above.size else weight[:0]
    return ThresholdCounts(
        thresholds,
        gained,
        tps(end, ranking),
        fps(end, ranking),
        fps(begin, ranking),
        starts[:-1],
        n_positives,
        n_negatives,
    )


def _sums(weight: Array, bounds: Array) -> tuple[Any, Array]:
    """Sums of weights from the beginning of a ranking up to an item, and in all."""
    totals = np.array([part.sum() for part in np.split(weight, bounds[1:-1])])
    # As shares, so that the sum over all rankings does not drown a light one.
    scale = np.where(totals > 0, totals, 1.0) if totals.size > 1 else np.ones(1)
    shares = np.cumsum(weight / np.repeat(scale, np.diff(bounds)) if scale.size > 1 else weight)
    shares = np.concatenate(([0.0], shares))

    def upto(item: Array, ranking: Array) -> Array:
        return (shares[item] - shares[bounds[ranking]]) * scale[ranking]

    every = np.arange(bounds.size - 1)
    return upto, upto(bounds[1:], every)
