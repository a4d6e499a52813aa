"""The bootstrap: new samples from one sample, for definitions that no derivative describes.

A new sample has as many rows, or clusters of rows, as the observed one, sampled from it with
replacement: how often each is sampled has a multinomial distribution. Rows are not sorted again: a
new sample changes how many rows are in each cell of a ranking. T thresholds have 3 T + 2 cells: the
positives at each threshold, the negatives tied with it, the negatives between it and the one above,
all other positives, and all other negatives.
"""

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.counting import ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._extras import progress_if_long
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.former._order_of_units import keys_of_units
from sklearn_ap._uncertainty.former._sampling_units import RowUnits
from sklearn_ap._uncertainty.options import Options
from sklearn_ap.definitions import Definition

N_RESAMPLES = 999  # the number of new samples: a choice of time
CHUNK = 2_000_000  # the number of cells, or units, that are sampled at once: a choice of memory
MOST_ROWS = 2**62  # the most rows of a new sample, as an integer has 63 bits
# Up to this number of rows of a cell, sampling them one by one is faster than a binomial number.
SMALL_CELL = 8
# Two cells of a ranking, counted from the end
OTHER_POSITIVES = -2
OTHER_NEGATIVES = -1


class Replicates(NamedTuple):
    """The values of new samples, and their positives: both (N_RESAMPLES, n_rankings)."""

    values: Float  # nan for a ranking without positives
    n_positives: Float


class CellWeights(NamedTuple):
    """The weight of each unit in each cell of one ranking."""

    thresholds: Array
    weights: csr_array  # (n_cells, n_units)


class CellsOfItems(NamedTuple):
    """The cell of each item of one ranking."""

    thresholds: Array
    cell: Index


class Rest(NamedTuple):
    """The weight of a new sample that is in no cell."""

    positives: FloatOrArray
    negatives: FloatOrArray
    unscored: Array  # the positives that are no rows


def resample_rows(
    definition: Definition,
    models: list[Rankings],
    counted: list[ThresholdCounts],
    units: RowUnits,
    power: int,
    options: Options,
) -> list[Replicates]:
    """Resample the units: new samples are the same for all models, and all rankings of a mean.

    The weights are the user's, not those of ``units``, which are 2 ** ``power`` times as large.
    """
    n_rankings = models[0].n_rankings
    layouts, n_unseen = _lay_out(models, counted, units, definition.depth)
    unscored_weight = np.ldexp(units.unscored_weight, -power)
    # Separate rankings are sampled one by one, and those of a mean together.
    groups = [[i] for i in range(n_rankings)] if units.are_separate else [[*range(n_rankings)]]
    sampled = []
    for rankings, rng in zip(groups, _generators(options, len(groups)), strict=True):
        group_layouts = [[layout[i] for i in rankings] for layout in layouts]
        n_units = group_layouts[0][0].weights.shape[1]
        sizes = np.concatenate((np.ones(n_units), n_unseen, units.n_unscored[rankings]))
        parts = []
        for new in _same_size_samples(sizes, rng):
            times = new[:, :n_units].T  # (n_units, n_samples)
            positives, negatives = new[:, n_units : n_units + 2].T.astype(np.float64)
            unscored = (new[:, n_units + 2 :] * unscored_weight[rankings]).T
            rests = [Rest(positives, negatives, row) for row in unscored]
            parts.append(
                [_values_of_units(definition, layout, times, rests) for layout in group_layouts]
            )
        sampled.append(np.concatenate(parts, axis=2))  # (n_models, 2, N_RESAMPLES, n_rankings)
    replicates = np.concatenate(sampled, axis=3)
    return [Replicates(values, n_positives) for values, n_positives in replicates]


def _generators(options: Options, n: int) -> list[np.random.Generator]:
    """Return n generators of the same numbers, so that no ranking depends on the others."""
    first = np.random.default_rng(options.rng)
    return [first, *(copy.deepcopy(first) for _ in range(n - 1))]


def _same_size_samples(sizes: Array, rng: np.random.Generator) -> Iterator[Array]:
    """Sample as many rows as the cells have, with a progress bar if it takes long."""
    n_rows = np.full(N_RESAMPLES, min(round(sizes.sum()), MOST_ROWS))
    with progress_if_long(N_RESAMPLES, " samples", "resampling") as advance:
        for new in new_samples(sizes, n_rows, rng):
            yield new
            advance(len(new))


def new_samples(sizes: Array, n_rows: Index, rng: np.random.Generator) -> Iterator[Array]:
    """Sample the cells of ``n_rows`` rows: yield their sizes, (n, n_cells) for n new samples."""
    total = sizes.sum()
    is_small = (sizes <= SMALL_CELL) & (sizes == np.floor(sizes))
    # Rows of small cells are drawn one by one, the sizes of other cells at once:
    # sizes [2, 9, 1] -> cell [0, 0, 2], shares [3 / 12, 9 / 12]
    cell = np.repeat(np.flatnonzero(is_small), sizes[is_small].astype(np.intp))
    shares = np.append(cell.size, sizes[~is_small]) / max(total, 1)
    chunk = max(1, CHUNK // max(sizes.size + cell.size, 1))
    for start in range(0, n_rows.size, chunk):
        sampled = rng.multinomial(n_rows[start : start + chunk], shares)
        n = len(sampled)
        # Cell c of new sample i has the number i * n_cells + c.
        cell_number = cell[rng.integers(max(cell.size, 1), size=sampled[:, 0].sum())]
        cell_number += np.repeat(np.arange(n) * sizes.size, sampled[:, 0])
        new_sizes = np.bincount(cell_number, minlength=n * sizes.size).reshape(n, sizes.size)
        new_sizes[:, ~is_small] = sampled[:, 1:]
        yield new_sizes


def _reachable_thresholds(counts: ThresholdCounts, ranking: int, depth: float | None) -> slice:
    """Find the thresholds of a ranking that new samples can reach."""
    start = counts.starts[ranking]
    end = counts.ends[ranking]
    if depth is not None:
        # If k is a share of the rows, this is the largest rank of a new sample, in which all
        # positives may have rows.
        rank = ranks_of_rows(depth, counts.n_positives[ranking] + counts.n_negatives[ranking])
        # A Poisson number of this mean is below ``rank`` less than once in 1e20.
        enough = rank + 10 * np.sqrt(rank) + 50
        end = start + np.count_nonzero(counts.before[start:end] < enough)
    return slice(start, end)


def _lay_out(
    models: list[Rankings], counted: list[ThresholdCounts], units: RowUnits, depth: float | None
) -> tuple[list[list[CellWeights]], tuple[int, int]]:
    """Return the cells of each model, and the numbers of positives and negatives that have none.

    With ``depth``, rows that stand too low in all models are no units: only their numbers matter.
    """
    first = models[0]
    unit = units.unit_of_items
    n_unseen = (0, 0)
    # Rows can be left out only if there is one ranking, in which each row is a unit of weight 1.
    if first.weight is not None or first.n_rankings > 1 or unit.max() + 1 < unit.size:
        depth = None
    order = np.argsort(first.ranking_of_items, kind="stable")
    items = np.split(order, np.cumsum(first.sizes)[:-1])  # the items of each ranking
    cells = [
        _cells_of_items(model, counts, items, depth)
        for model, counts in zip(models, counted, strict=True)
    ]
    if depth is not None:
        is_seen = np.any([model_cells[0].cell >= 0 for model_cells in cells], axis=0)
        n_positives = int(np.count_nonzero(first.positive & ~is_seen))
        n_unseen = (n_positives, int(np.count_nonzero(~is_seen)) - n_positives)
        unit = np.where(is_seen, np.cumsum(is_seen) - 1, -1)
    n_units = [int(unit.max(initial=-1)) + 1] * len(items)
    sample = first.ranking_of_items if units.are_separate else np.zeros(unit.size, np.intp)
    unit, sample_sizes = _reorder_units(models, unit, sample)
    if units.are_separate:
        n_units = sample_sizes.tolist()
    layouts = [
        _cell_weights(model, model_cells, items, unit, n_units)
        for model, model_cells in zip(models, cells, strict=True)
    ]
    return layouts, n_unseen


def _reorder_units(models: list[Rankings], unit: Index, sample: Index) -> tuple[Index, Index]:
    """Assign new numbers to units, in an order that does not depend on the order of rows.

    Return the number, in its sample, of the unit of each item, -1 for items that are no units; and
    the number of units of each sample.
    """
    is_sampled = unit >= 0
    sampled_models = [model.select_items(is_sampled) for model in models]
    # A pair of sample s and unit u has the number s * n + u.
    n = int(unit.max(initial=0)) + 1
    pairs, pair_of_items = np.unique(sample[is_sampled] * n + unit[is_sampled], return_inverse=True)
    pair_sample = pairs // n
    order = np.lexsort((keys_of_units(sampled_models, pair_of_items), pair_sample))
    number = np.empty(order.size, np.intp)
    number[order] = np.arange(order.size) - np.searchsorted(pair_sample, pair_sample)
    reordered = np.full(unit.size, -1)
    reordered[is_sampled] = number[pair_of_items]
    return reordered, np.bincount(pair_sample, minlength=models[0].n_rankings)


def _cell_weights(
    model: Rankings,
    cells: list[CellsOfItems],
    items: list[Index],
    unit: Index,
    n_units: list[int],
) -> list[CellWeights]:
    """Add up the weight of each unit in each cell, for each ranking of a model."""
    weight = np.ones(unit.size, np.intp) if model.weight is None else model.weight
    layout = []
    for ranking_cells, rows, n in zip(cells, items, n_units, strict=True):
        n_cells = 3 * ranking_cells.thresholds.size + 2
        is_sampled = unit[rows] >= 0
        sampled = rows[is_sampled]
        cell = ranking_cells.cell[is_sampled] % n_cells  # -1 becomes n_cells - 1
        weights = csr_array((weight[sampled], (cell, unit[sampled])), shape=(n_cells, n))
        layout.append(CellWeights(ranking_cells.thresholds, weights))
    return layout


def _cells_of_items(
    rankings: Rankings, counts: ThresholdCounts, items: list[Index], depth: float | None
) -> list[CellsOfItems]:
    """Return the thresholds of each ranking that new samples can reach, and the cells of its items.

    Cells below all of these thresholds are numbered from the end.
    """
    cells = []
    for ranking, rows in enumerate(items):
        thresholds = counts.thresholds[_reachable_thresholds(counts, ranking, depth)]
        score = rankings.score[rows]
        positive = rankings.positive[rows]
        n = thresholds.size
        cell = np.where(positive, OTHER_POSITIVES, OTHER_NEGATIVES)
        # With a depth, few items are at or above the lowest of these thresholds.
        reached = np.flatnonzero(score >= thresholds[-1]) if n else np.empty(0, np.intp)
        score = score[reached]
        # The highest threshold that is not above the item; thresholds fall.
        threshold = n - np.searchsorted(thresholds[::-1], score, side="right")
        is_tied = thresholds[threshold] == score
        # Blocks of n cells: positives, tied negatives, negatives between thresholds
        cell[reached] = threshold + n * np.where(positive[reached], 0, 2 - is_tied)
        cells.append(CellsOfItems(thresholds, cell))
    return cells


def _values_of_units(
    definition: Definition, layout: list[CellWeights], times: Array, rests: list[Rest]
) -> Float:
    """Return the values and the positives of new samples: (2, n_samples, n_rankings).

    ``times``, (n_units, n_samples), is how often each unit is sampled.
    """
    sampled = [
        _values_of_cells(
            definition,
            cells.thresholds,
            (cells.weights @ times).T,
            rest,
        )
        for cells, rest in zip(layout, rests, strict=True)
    ]
    return np.stack(sampled, axis=2)


def _values_of_cells(
    definition: Definition,
    thresholds: Array,
    cells: Array,
    rest: Rest,
) -> Float:
    """Return the values and the positives of new samples of one ranking, (2, n_samples).

    ``cells``, (n_samples, n_cells), are the sizes of their cells. The new samples become the
    rankings of one record of counts.
    """
    n_samples = len(cells)
    size = thresholds.size
    # Each array is (n_samples, n_thresholds).
    gained, tied, between = cells[:, : 3 * size].reshape(n_samples, 3, size).transpose(1, 0, 2)
    tps = np.cumsum(gained, axis=1)
    fps = np.cumsum(tied + between, axis=1)
    is_threshold = gained > 0  # a threshold has a positive
    n_thresholds = np.count_nonzero(is_threshold, axis=1)
    # Indices, as a mask takes eight times as long
    index = np.flatnonzero(is_threshold)
    counts = ThresholdCounts(
        thresholds=np.tile(thresholds, n_samples)[index],
        gained=gained.take(index),
        tps=tps.take(index),
        fps=fps.take(index),
        fps_above=(fps - tied).take(index),
        starts=np.cumsum(n_thresholds) - n_thresholds,
        n_positives=(
            gained.sum(axis=1) + cells[:, OTHER_POSITIVES] + rest.positives + rest.unscored
        ),
        n_negatives=(tied + between).sum(axis=1) + cells[:, OTHER_NEGATIVES] + rest.negatives,
        n_unscored=rest.unscored,
    )
    return np.stack((values_of(definition, counts), counts.n_positives))
