"""A ranking counted alone: at once, or in parts of its scores, a chunk of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._kernel import Negatives, negatives, positives
from sklearn_ap._sieve import sample_of
from sklearn_ap._tables import Rows, sliced
from sklearn_ap._threads import map_threads, n_threads

__all__ = ["alone"]

Array = NDArray[Any]
# Thresholds, tps, fps, fps_above, the lowest first; the totals of positives and negatives
Part = tuple[Array, Array, Array, Array, Any, Any]
Items = tuple[Array, Array | None]  # score, weight

CHUNK = 2**16  # rows that the cache holds
CHUNK_OF_THRESHOLDS = 64  # rows for each threshold that is searched among them
ROWS_OF_PART = 3 * 2**19  # more parts take less memory, and read all rows more often
MOST_PARTS = 16


def alone(rows: Rows) -> Part:
    """What stands at the thresholds of one ranking. Ties may leave equal ones side by side."""
    n = rows[0].size
    threads = n_threads(n)
    # Every part reads all rows, so there are few; but while it is counted it takes memory.
    n_parts = max(threads, min(n // ROWS_OF_PART, MOST_PARTS))
    if n_parts > 1:
        return _in_parts(rows, n_parts, threads)
    return _chunk(rows) if n <= CHUNK else _part(rows, None, None)


def _in_parts(rows: Rows, n_parts: int, threads: int) -> Part:
    """Count parts of the scores, and write each into its place."""
    # Cut at scores, so that no tie is torn.
    cuts = [None, *_cuts(rows[1], n_parts), None]
    ends = [0, *map_threads(lambda cut: _n_hits_below(rows, cut), cuts[1:], threads)]
    places = [slice(begin, end) for begin, end in pairwise(ends)]
    # Memory that nothing is written into costs nothing: without ties and weights, the last column.
    dtype = np.intp if rows[2] is None else np.float64
    thresholds, tps, fps, fps_above = columns = [
        np.empty(ends[-1], kind) for kind in (rows[1].dtype, dtype, dtype, dtype)
    ]

    def fill(i: int) -> tuple[bool, Any, Any]:
        *part, hits, misses = _part(rows, cuts[i], cuts[i + 1])
        size, apart = part[0].size, part[2] is not part[3]
        for column, values in zip(columns, part if apart else part[:3], strict=False):
            # Tied positives leave places over: the lowest threshold again, which gains nothing.
            column[places[i]][: -size or None] = values[:1]
            column[places[i]][-size:] = values
        return apart, hits, misses

    parts = [*map_threads(fill, range(len(places)), threads)]
    if not any(apart for apart, _, _ in parts):
        fps_above = fps
    n_hits, n_misses = 0, 0
    for here, (apart, hits, misses) in zip(places[::-1], parts[::-1], strict=True):
        if fps_above is not fps:
            fps_above[here] = (fps_above if apart else fps)[here] + n_misses
        tps[here] += n_hits
        fps[here] += n_misses
        n_hits, n_misses = n_hits + hits, n_misses + misses
    return thresholds, tps, fps, fps_above, n_hits, n_misses


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
        positive, score, weight = sliced(rows, slice(i, i + CHUNK))
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
