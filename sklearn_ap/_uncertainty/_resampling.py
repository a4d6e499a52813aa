"""The bootstrap: new samples from one sample, for definitions that no derivative describes.

A new sample has as many rows, or clusters of rows, as the observed one, sampled from it with
replacement: how often each is sampled has a multinomial distribution. Rows are not sorted again: a
new sample changes how many rows are in each cell of a ranking. T thresholds have 3 T + 2 cells: the
positives at each threshold, the negatives tied with it, the negatives between it and the one above,
all other positives, and all other negatives.
"""

import copy
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.extras import progress_if_long
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.order_of_units import keys_of_units
from sklearn_ap._uncertainty.sampling_units import RowUnits
from sklearn_ap.definitions import Definition

CHUNK = 2_000_000  # cells, or units, that are sampled at once: a choice of memory
MOST_ROWS = 2**62  # in a new sample, as an integer has 63 bits
SMALL = 8  # rows in a cell: to sample them one by one takes less time than a binomial number
OTHER_POSITIVES, OTHER_NEGATIVES = -2, -1  # cells, from the end


class Replicates(NamedTuple):
    """The values of new samples, and their positives: both (n_resamples, n_rankings)."""

    values: Float  # nan for a ranking without positives
    n_positives: Float


class Cells(NamedTuple):
    """The cells of one ranking."""

    thresholds: Array
    weights: Any  # of each unit in each cell, (n_cells, n_units)
    are_whole: bool  # whether all weights are
    n_added: int | None  # weights and cells, None without weights


def resample_counts(
    definition: Definition, counts: ThresholdCounts, options: Options
) -> Replicates:
    """Resample the rows of unweighted counts, each ranking by itself."""
    one: Any = np.ones(1)
    is_highest = definition.at_threshold(one, one, (one, one)) is not None
    resample = _resample_highest if is_highest else _resample_cells
    rngs = enumerate(_generators(options, counts.starts.size))
    sampled = [resample(definition, counts, ranking, options, rng) for ranking, rng in rngs]
    values, n_positives = np.stack(sampled, axis=2)
    return Replicates(values, n_positives)


def _resample_cells(
    definition: Definition,
    counts: ThresholdCounts,
    ranking: int,
    options: Options,
    rng: np.random.Generator,
) -> Float:
    """The values and the positives of new samples of one ranking, (2, n_resamples)."""
    thresholds, sizes = _cells_of_counts(counts, ranking, definition.depth)
    parts = [
        _values_of_cells(definition, thresholds, new[:, :-1], (0, 0, new[:, -1]))
        for new in _as_large(sizes, options, rng)
    ]
    return np.concatenate(parts, axis=1)


def _resample_highest(
    definition: Definition,
    counts: ThresholdCounts,
    ranking: int,
    options: Options,
    rng: np.random.Generator,
) -> Float:
    """The same of a value that is the highest number of a threshold, ``at_threshold``.

    The rows of blocks of thresholds are sampled first, and then those at each threshold of the few
    blocks that can hold the highest number. T thresholds take the work of their root.
    """
    thresholds, sizes = _cells_of_counts(counts, ranking, definition.depth)
    gained, tied, between = sizes[:-3].reshape(3, thresholds.size)
    cells = np.stack((gained, tied + between))  # of each class
    starts = np.arange(0, thresholds.size, max(1, round(np.sqrt(thresholds.size))))
    blocks = np.add.reduceat(cells, starts, axis=1)
    parts = []
    for new in _as_large(np.append(blocks, sizes[-3:]), options, rng):
        of_blocks = new[:, :-3].reshape(len(new), *blocks.shape).transpose(1, 0, 2)
        n_positives, n_negatives, n_unscored = new[:, -3:].T
        totals = of_blocks.sum(axis=2) + np.stack((n_positives + n_unscored, n_negatives))
        values = _highest(definition, cells, starts, of_blocks, totals, rng)
        parts.append(np.stack((values, totals[0])))
    return np.concatenate(parts, axis=1)


def _highest(
    definition: Definition,
    cells: Array,
    starts: Index,
    of_blocks: Array,
    totals: Array,
    rng: np.random.Generator,
) -> Float:
    """The highest number of a threshold in each new sample, of which the blocks are sampled."""
    ends, numbers = of_blocks.cumsum(axis=2), totals[..., None]
    tps, fps = ends
    nothing = np.zeros(totals.shape[1])  # nan where the value is undefined
    best = definition.at_threshold(nothing, nothing, totals)
    best = np.maximum(best, definition.at_threshold(tps, fps, numbers).max(axis=1, initial=0.0))
    # No number in a block is above that of all its positives beside none of its negatives.
    bound = definition.at_threshold(tps, fps - of_blocks[1], numbers)
    for block, (start, end) in enumerate(pairwise(np.append(starts, cells.shape[1]))):
        at = np.flatnonzero(bound[:, block] > best)
        if at.size:
            n_rows = of_blocks[:, at, block]
            above = ends[:, at, block] - n_rows
            parts = [
                [*new_samples(*each, rng)] for each in zip(cells[:, start:end], n_rows, strict=True)
            ]
            hits, misses = (np.concatenate(part).cumsum(axis=1) for part in parts)
            tps_and_fps = above[0][:, None] + hits, above[1][:, None] + misses
            numbers_inside = definition.at_threshold(*tps_and_fps, numbers[:, at])
            best[at] = np.maximum(best[at], numbers_inside.max(axis=1))
    return np.where(totals[0] > 0, best, np.nan)


def resample_rows(
    definition: Definition,
    models: list[Rankings],
    counted: list[ThresholdCounts],
    units: RowUnits,
    power: int,
    options: Options,
) -> list[Replicates]:
    """Resample the units, the same for all models, and for all rankings of a mean.

    The weights are those of the user, which ``units`` has multiplied by a ``power`` of 2.
    """
    n_rankings = models[0].n_rankings
    layouts, n_unseen = _lay_out(models, counted, units, definition.depth)
    weight_of_unscored = np.ldexp(units.weight_of_unscored, -power)
    together = [[i] for i in range(n_rankings)] if units.are_separate else [[*range(n_rankings)]]
    sampled = []
    for rankings, rng in zip(together, _generators(options, len(together)), strict=True):
        chosen = [[layout[i] for i in rankings] for layout in layouts]
        n_units = chosen[0][0].weights.shape[1]
        sizes = np.concatenate((np.ones(n_units), n_unseen, units.n_unscored[rankings]))
        parts = []
        for new in _as_large(sizes, options, rng):
            times = new[:, :n_units].T
            beyond = np.empty((len(rankings), 3, len(new)))
            beyond[:, :2] = new[:, n_units : n_units + 2].T
            beyond[:, 2] = (new[:, n_units + 2 :] * weight_of_unscored[rankings]).T
            parts.append([_values_of_units(definition, each, times, beyond) for each in chosen])
        sampled.append(np.concatenate(parts, axis=2))  # (n_models, 2, n_resamples, n_rankings)
    of_models = np.concatenate(sampled, axis=3)
    return [Replicates(values, n_positives) for values, n_positives in of_models]


def _generators(options: Options, n: int) -> list[np.random.Generator]:
    """As many generators of the same numbers, so that no ranking depends on the others."""
    first = np.random.default_rng(options.rng)
    return [first, *(copy.deepcopy(first) for _ in range(n - 1))]


def _as_large(sizes: Array, options: Options, rng: np.random.Generator) -> Iterator[Array]:
    """New samples of as many rows as all cells have; a progress bar shows where they take long."""
    n_rows = np.full(options.n_resamples, min(round(sizes.sum()), MOST_ROWS))
    with progress_if_long(options.n_resamples, " samples", "resampling") as advance:
        for new in new_samples(sizes, n_rows, rng):
            yield new
            advance(len(new))


def new_samples(sizes: Array, n_rows: Index, rng: np.random.Generator) -> Iterator[Array]:
    """The sizes of cells in new samples of so many rows, (n, n_cells) for some samples at once."""
    total = sizes.sum()
    is_small = (sizes <= SMALL) & (sizes == np.floor(sizes))
    # sizes [2, 9, 1] -> cell [0, 0, 2], and how many rows are sampled from these and from the 9
    cell = np.repeat(np.flatnonzero(is_small), sizes[is_small].astype(np.intp))
    shares = np.append(cell.size, sizes[~is_small]) / max(total, 1)
    at_once = max(1, CHUNK // max(sizes.size + cell.size, 1))
    for start in range(0, n_rows.size, at_once):
        sampled = rng.multinomial(n_rows[start : start + at_once], shares)
        n = len(sampled)
        place = cell[rng.integers(max(cell.size, 1), size=sampled[:, 0].sum())]
        place += np.repeat(np.arange(n) * sizes.size, sampled[:, 0])
        drawn = np.bincount(place, minlength=n * sizes.size).reshape(n, sizes.size)
        drawn[:, ~is_small] = sampled[:, 1:]
        yield drawn


def _cells_of_counts(
    counts: ThresholdCounts, ranking: int, depth: float | None
) -> tuple[Array, Array]:
    """The thresholds that new samples can see, and how many are in each cell, and are no rows."""
    seen = _seen(counts, ranking, depth)
    gained, fps, fps_above = counts.gained[seen], counts.fps[seen], counts.fps_above[seen]
    n_between = fps_above - np.concatenate(([0], fps[:-1]))
    n_unscored = 0 if counts.n_unscored is None else counts.n_unscored[ranking]
    n_other_positives = max(counts.n_positives[ranking] - gained.sum() - n_unscored, 0)
    n_other_negatives = counts.n_negatives[ranking] - (fps[-1] if fps.size else 0)
    n_others = n_other_positives, n_other_negatives, n_unscored
    sizes = np.concatenate((gained, fps - fps_above, n_between, n_others))
    return counts.thresholds[seen], sizes


def _seen(counts: ThresholdCounts, ranking: int, depth: float | None) -> slice:
    """The thresholds of a ranking that new samples can see."""
    start, end = counts.starts[ranking], counts.ends[ranking]
    if depth is not None:
        # Of a share, no new sample sees more, as all positives may be rows there.
        rank = ranks_of_rows(depth, counts.n_positives[ranking] + counts.n_negatives[ranking])
        # A Poisson number of this mean is below ``rank`` less than once in 1e20.
        enough = rank + 10 * np.sqrt(rank) + 50
        end = start + np.count_nonzero(counts.before[start:end] < enough)
    return slice(start, end)


def _lay_out(
    models: list[Rankings], counted: list[ThresholdCounts], units: RowUnits, depth: float | None
) -> tuple[list[list[Cells]], tuple[int, int]]:
    """The cells of each model, and the number of positives and negatives beside the units.

    With ``depth``, rows that stand too low in all models are no units: only their numbers matter.
    """
    first, unit, unseen = models[0], units.of_items, (0, 0)
    if first.weight is not None or first.n_rankings > 1 or unit.max() + 1 < unit.size:
        depth = None
    by_ranking = np.argsort(first.ranking_of_items, kind="stable")
    items = np.split(by_ranking, np.cumsum(first.sizes)[:-1])
    cells = [
        _cells_of_items(model, counts, items, depth)
        for model, counts in zip(models, counted, strict=True)
    ]
    if depth is not None:
        is_seen = np.any([cell >= 0 for [(_, cell)] in cells], axis=0)
        n_positives = int(np.count_nonzero(first.positive & ~is_seen))
        unseen = n_positives, int(np.count_nonzero(~is_seen)) - n_positives
        unit = np.where(is_seen, np.cumsum(is_seen) - 1, -1)
    n_units = [int(unit.max(initial=-1)) + 1] * len(items)
    of_ranking = first.ranking_of_items if units.are_separate else np.zeros(unit.size, np.intp)
    unit, in_each = _in_order(models, unit, of_ranking)
    n_units = in_each.tolist() if units.are_separate else n_units
    layouts = [
        _layout_of(model, of_model, items, unit, n_units)
        for model, of_model in zip(models, cells, strict=True)
    ]
    return layouts, unseen


def _in_order(models: list[Rankings], unit: Index, sample: Index) -> tuple[Index, Index]:
    """Number the units of each sample in an order that does not depend on the order of rows.

    Gives the number of the unit of each item, -1 where it is none, and how many each sample has.
    """
    kept, in_order = unit >= 0, np.full(unit.size, -1)
    seen, most = [model.select_items(kept) for model in models], int(unit.max(initial=0)) + 1
    pairs, found = np.unique(sample[kept] * most + unit[kept], return_inverse=True)
    of_pairs = pairs // most
    order = np.lexsort((keys_of_units(seen, found), of_pairs))
    number = np.empty(order.size, np.intp)
    number[order] = np.arange(order.size) - np.searchsorted(of_pairs, of_pairs)
    in_order[kept] = number[found]
    return in_order, np.bincount(of_pairs, minlength=models[0].n_rankings)


def _layout_of(
    model: Rankings,
    cells: list[tuple[Array, Array]],
    items: list[Array],
    unit: Array,
    n_units: list[int],
) -> list[Cells]:
    """The weight of each unit in each cell, from the cells of the items of each ranking."""
    weight = np.ones(unit.size, np.intp) if model.weight is None else model.weight
    layout, are_whole = [], model.have_whole_weights
    for i, ((thresholds, cell), rows, n) in enumerate(zip(cells, items, n_units, strict=True)):
        is_sampled, n_cells = unit[rows] >= 0, 3 * thresholds.size + 2
        sampled = rows[is_sampled]
        entries = weight[sampled], (cell[is_sampled] % n_cells, unit[sampled])
        is_whole = are_whole is None or bool(are_whole[i])
        n_added = None if model.weight is None else sampled.size + n_cells
        weights = csr_array(entries, shape=(n_cells, n))
        layout.append(Cells(thresholds, weights, is_whole, n_added))
    return layout


def _cells_of_items(
    rankings: Rankings, counts: ThresholdCounts, items: list[Array], depth: float | None
) -> list[tuple[Array, Array]]:
    """The thresholds of each ranking that new samples can see, and the cells of its items."""
    cells = []
    for ranking, rows in enumerate(items):
        thresholds, score = counts.thresholds[_seen(counts, ranking, depth)], rankings.score[rows]
        positive, n = rankings.positive[rows], thresholds.size
        # The highest threshold that is not above the item.
        place = n - np.searchsorted(thresholds[::-1], score, side="right")
        is_tied = np.append(thresholds, np.nan)[place] == score
        cell = place + n * np.where(positive, 0, 2 - is_tied)
        other = np.where(positive, OTHER_POSITIVES, OTHER_NEGATIVES)
        cells.append((thresholds, np.where(place < n, cell, other)))
    return cells


def _values_of_units(
    definition: Definition, layout: list[Cells], times: Array, beyond: Array
) -> Float:
    """Values and positives of new samples in which each unit stands so many times.

    ``beyond`` is of each ranking what ``_values_of_cells`` takes.
    """
    sampled = [
        _values_of_cells(
            definition,
            cells.thresholds,
            (cells.weights @ times).T,
            of_ranking,
            is_whole=cells.are_whole,
            n_added=cells.n_added,
        )
        for cells, of_ranking in zip(layout, beyond, strict=True)
    ]
    return np.stack(sampled, axis=2)


def _values_of_cells(
    definition: Definition,
    thresholds: Array,
    cells: Array,
    beyond: Any,
    *,
    is_whole: bool = True,
    n_added: int | None = None,
) -> Float:
    """Values and positives of new samples of one ranking, laid out as so many rankings in one.

    ``cells`` are their sizes in rows, and ``beyond`` is the weight in no cell: of positives, of
    negatives, and of positives that are no rows.
    """
    positives, negatives, n_unscored = beyond
    n, size = len(cells), thresholds.size
    gained, tied, between = cells[:, : 3 * size].reshape(n, 3, size).transpose(1, 0, 2)
    tps, fps = np.cumsum(gained, axis=1), np.cumsum(tied + between, axis=1)
    kept = gained > 0  # a threshold at which nothing is gained is none
    n_kept = np.count_nonzero(kept, axis=1)
    # By places, as a mask takes eight times as long.
    place = np.flatnonzero(kept)
    counts = ThresholdCounts(
        np.tile(thresholds, n)[place],
        gained.take(place),
        tps.take(place),
        fps.take(place),
        (fps - tied).take(place),
        starts=np.cumsum(n_kept) - n_kept,
        n_positives=gained.sum(axis=1) + cells[:, OTHER_POSITIVES] + positives + n_unscored,
        n_negatives=(tied + between).sum(axis=1) + cells[:, OTHER_NEGATIVES] + negatives,
        n_unscored=n_unscored,
        are_whole=np.full(n, is_whole),
        n_added=None if n_added is None else np.full(n, n_added),
    )
    return np.stack((values_of(definition, counts), counts.n_positives))
