"""Scores by chance: labels are dealt anew to the rows, and each order of them is as likely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]
Index = NDArray[np.intp]

MOST, FEWEST = 9_999, 999  # orders, unless the user says how many
SOME_SECONDS = 20_000_000  # places
OF_EACH = 10  # places that take as long as what each order of a ranking takes besides
AT_ONCE = 1_000_000  # rows of orders
ROUNDING = 1e-12  # between equal values


class ByChance(NamedTuple):
    """What random orders give."""

    means: Float  # of each ranking
    pvalues: Float  # of each ranking, nan where it is undefined
    averages: Float  # of each order; of a single ranking, its values
    n_orders: int


@dataclass(frozen=True, eq=False)
class Places:
    """The places of the rows of one ranking, from the top."""

    ends: Index  # how many retrieved rows stand in each block of tied ones, or above it
    of_row: Index  # the place of each row; those that were not retrieved come last
    positives: Index  # which rows are positive
    n_known: Any  # positives, with those that are no row

    @property
    def kind(self) -> tuple[Any, ...]:
        """Rankings of one kind have the same values by chance."""
        return self.ends.tobytes(), self.of_row.size, self.positives.size, self.n_known

    def mean(self, definition: Definition, values: Float) -> float:
        """The mean of all orders, by a formula or as that of the ``values`` of some."""
        known = definition.mean_by_chance(self.ends, self.of_row.size, self.positives.size)
        return float(values.mean()) if known is None else known * self.positives.size / self.n_known

    def counts(self, drawn: Index) -> ThresholdCounts:
        """The counts of each order: a row of ``drawn`` has its places of positives, sorted."""
        # ends [1, 4] and places [[0, 2, 3]] -> blocks [[0, 1, 1]] -> tps [1, 3], fps [0, 1]
        block = np.searchsorted(self.ends, drawn, side="right")
        is_last = np.ones(block.shape, dtype=bool)
        np.not_equal(block[:, 1:], block[:, :-1], out=is_last[:, :-1])
        is_last &= block < self.ends.size  # the others were not retrieved
        n_thresholds = np.count_nonzero(is_last, axis=1)
        starts = np.cumsum(n_thresholds) - n_thresholds
        tps, block = is_last.nonzero()[1] + 1, block[is_last]
        above = np.append(0, tps)[: tps.size]
        above[starts[n_thresholds > 0]] = 0
        misses = self.ends[block] - tps, np.append(0, self.ends)[block] - above
        n_positives = np.full(len(drawn), self.n_known)
        n_negatives = np.full(len(drawn), self.of_row.size - self.positives.size)
        columns = -block.astype(np.float64), tps - above, tps, *misses, starts
        return ThresholdCounts(*columns, n_positives, n_negatives)


def by_chance(
    definition: Definition,
    rankings: Rankings,
    values: Float,
    is_defined: NDArray[np.bool_],
    weights: Float | None,
    n_orders: int | None,
    rng: np.random.Generator,
) -> ByChance:
    """Deal the labels to the rows anew, so often; None for what takes some seconds.

    Rankings that are undefined keep the values that the user asked for. ``weights`` are those of
    the average, None for equal ones.
    """
    places = [*_places(rankings)]
    known = [(i, places[i]) for i in np.flatnonzero(is_defined).tolist()]
    is_table = len(places) > 1 and not rankings.are_queries and rankings.ranking is None
    if n_orders is None:
        kinds = {each if is_table else each.kind: each.positives.size for _, each in known}
        work = sum(kinds.values()) + OF_EACH * len(kinds) + is_table * places[0].of_row.size
        n_orders = max(min(MOST, SOME_SECONDS // max(work, 1)), FEWEST)
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.sum() or 1.0
    means, pvalues = values.copy(), np.full(values.shape, np.nan)
    averages = np.full(n_orders, shares[~is_defined] @ np.nan_to_num(values[~is_defined]))
    for i, found in (_of_table if is_table else _of_queries)(definition, known, n_orders, rng):
        means[i] = places[i].mean(definition, found)
        pvalues[i] = pvalue(values[i], found)
        averages += shares[i] * found
    return ByChance(means, pvalues, averages, n_orders)


def drawn_places(n_rows: int, n_positives: int, n_orders: int, rng: np.random.Generator) -> Index:
    """Places of positives among rows, sorted, for each order: all sets of places are as likely."""
    if n_positives > n_rows / 2:
        is_free = np.ones((n_orders, n_rows), dtype=bool)
        others = drawn_places(n_rows, n_rows - n_positives, n_orders, rng)
        np.put_along_axis(is_free, others, False, axis=1)
        return is_free.nonzero()[1].reshape(n_orders, n_positives)
    places = np.sort(rng.integers(n_rows, size=(n_orders, n_positives)), axis=1)
    # What was drawn twice is drawn anew. All numbers are alike in this, so all sets are.
    waiting = np.arange(n_orders)
    while waiting.size:
        some = places[waiting]
        which, place = (some[:, 1:] == some[:, :-1]).nonzero()
        some[which, place] = rng.integers(n_rows, size=which.size)
        again = np.unique(which)
        some[again] = np.sort(some[again], axis=1)
        places[waiting] = some
        waiting = waiting[again]
    return places


def pvalue(value: float, by_chance: Float) -> float:
    """The share of orders that are at least as good; the order at hand is one of them."""
    n_good = np.count_nonzero(by_chance >= value - ROUNDING)
    return float((1 + n_good) / (1 + by_chance.size))


def _of_queries(
    definition: Definition,
    places: list[tuple[int, Places]],
    n_orders: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, Float]]:
    """The values of each ranking by chance. Those of one kind share them, in another order."""
    found: dict[tuple[Any, ...], Float] = {}
    for i, each in places:
        if each.kind not in found:
            size = each.of_row.size, each.positives.size
            drawn = (drawn_places(*size, n, rng) for n in _parts(n_orders, each.of_row.size))
            values = [values_of(definition, each.counts(part)) for part in drawn]
            found[each.kind] = np.concatenate(values)
        yield i, rng.permutation(found[each.kind])


def _of_table(
    definition: Definition,
    places: list[tuple[int, Places]],
    n_orders: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, Float]]:
    """The values of each column by chance. Columns depend on each other, so rows are dealt."""
    n_rows = places[0][1].of_row.size if places else 1
    found: list[list[Float]] = [[] for _ in places]
    for n in _parts(n_orders, n_rows) if places else ():
        rows = np.stack([rng.permutation(n_rows) for _ in range(n)])
        for values, (_, each) in zip(found, places, strict=True):
            drawn = np.sort(each.of_row[rows[:, each.positives]], axis=1)
            values.append(values_of(definition, each.counts(drawn)))
    for (i, _), values in zip(places, found, strict=True):
        yield i, np.concatenate(values)


def _parts(n_orders: int, n_rows: int) -> list[int]:
    """How many orders are drawn at once, as far as memory goes."""
    size = max(AT_ONCE // max(n_rows, 1), 1)
    return [min(size, n_orders - start) for start in range(0, n_orders, size)]


def _places(rankings: Rankings) -> Iterator[Places]:
    """The places of each ranking."""
    order = np.argsort(rankings.ranking_of_items, kind="stable")
    bounds = np.append(0, np.cumsum(rankings.sizes))
    known = rankings.weight_of_positives
    for i, (start, end) in enumerate(pairwise(bounds.tolist())):
        items = order[start:end]
        score, positive = rankings.score[items], rankings.positive[items]
        from_top = np.argsort(score, kind="stable")[::-1]
        of_row = np.empty(score.size, np.intp)
        of_row[from_top] = np.arange(score.size)
        falling = score[from_top][: np.count_nonzero(np.greater(score, -np.inf))]
        ends = np.append(falling[1:] != falling[:-1], True)[: falling.size].nonzero()[0] + 1
        yield Places(ends, of_row, positive.nonzero()[0], known[i])
