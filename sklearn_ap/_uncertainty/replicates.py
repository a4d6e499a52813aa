"""New samples drawn from one sample, for definitions that are not smooth in the weights of rows.

Each row, or each cluster of rows, stands in a new sample a random number of times, with a Poisson
distribution of mean 1. Drawn rows are not sorted again: the rows of a ranking fill cells, and a
new sample changes how many rows are in each. A ranking of T thresholds has 3 T + 2 cells:

- the positives at each threshold,
- the negatives tied with each threshold,
- the negatives between each threshold and the one above it,
- all other positives, and all other negatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sklearn_ap._inputs import Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.units import Units
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition

Array = NDArray[Any]
Float = NDArray[np.float64]

# The values of new samples, and their positives: both (n_resamples, n_rankings). The value of a
# ranking without positives is nan.
Replicates = tuple[Float, Float]
# Of each ranking: its thresholds, and the weight of each unit in each cell, (n_cells, n_units).
_Layout = list[tuple[Array, Any]]

CHUNK = 2_000_000  # cells, or units, that are drawn at once
LARGE = 2.0**53  # an expected number, from which a drawn one does not differ in a float
FEW_ROWS = 100  # below this the number of rows is kept
OTHER_POSITIVES, OTHER_NEGATIVES = -2, -1  # cells, from the end


def redraw_counts(definition: Definition, counts: ThresholdCounts, options: Options) -> Replicates:
    """Draw the rows of unweighted counts anew, each ranking by itself."""
    rng = np.random.default_rng(options.rng)
    drawn = []
    for ranking in range(counts.starts.size):
        thresholds, sizes = _cells_of_counts(counts, ranking, definition.depth)
        chunks = _chunks(options.n_resamples, sizes.size)
        parts = [_values_of_cells(definition, thresholds, _draw(sizes, n, rng)) for n in chunks]
        drawn.append(np.concatenate(parts, axis=1))
    values, n_positives = np.stack(drawn, axis=2)
    return values, n_positives


def redraw_rows(
    definition: Definition,
    models: list[Rankings],
    counted: list[ThresholdCounts],
    units: Units,
    power: int,
    options: Options,
) -> list[Replicates]:
    """Draw the units anew, the same for all models and rankings.

    The weights are those of the user, which ``units`` holds multiplied by a ``power`` of 2.
    """
    rng = np.random.default_rng(options.rng)
    layouts, n_units, n_unseen = _lay_out(models, counted, units.of_items, definition.depth)
    weight_of_missed = np.ldexp(units.weight_of_missed, -power)
    drawn: list[list[Float]] = [[] for _ in models]
    for n in _chunks(options.n_resamples, n_units):
        times = rng.poisson(1.0, (n_units, n))
        expected = units.n_missed + n_unseen
        n_missed = rng.poisson(np.minimum(expected, LARGE), (n, expected.size))
        n_missed = np.where(expected > LARGE, expected, n_missed)
        for parts, layout in zip(drawn, layouts, strict=True):
            parts.append(_values_of_units(definition, layout, times, n_missed * weight_of_missed))
    stacked = (np.concatenate(parts, axis=1) for parts in drawn)
    return [(values, n_positives) for values, n_positives in stacked]


def _chunks(n_resamples: int, n_cells: int) -> Iterator[int]:
    """How many new samples to draw at once."""
    size = max(1, CHUNK // max(n_cells, 1))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def _cells_of_counts(
    counts: ThresholdCounts, ranking: int, depth: int | None
) -> tuple[Array, Array]:
    """The thresholds of a ranking that new samples can see, and how many rows each cell holds."""
    seen = _seen(counts, ranking, depth)
    gained, fps, fps_above = counts.gained[seen], counts.fps[seen], counts.fps_above[seen]
    n_between = fps_above - np.concatenate(([0], fps[:-1]))
    n_other_positives = counts.n_positives[ranking] - gained.sum()
    n_other_negatives = counts.n_negatives[ranking] - (fps[-1] if fps.size else 0)
    n_others = n_other_positives, n_other_negatives
    sizes = np.concatenate((gained, fps - fps_above, n_between, n_others))
    return counts.thresholds[seen], sizes


def _seen(counts: ThresholdCounts, ranking: int, depth: int | None) -> slice:
    """The thresholds of a ranking that new samples can see."""
    start, end = counts.starts[ranking], counts.ends[ranking]
    if depth is not None:
        # So many rows draw fewer than ``depth`` but once in 1e20.
        enough = depth + 10 * np.sqrt(depth) + 50
        end = start + np.count_nonzero(counts.before[start:end] < enough)
    return slice(start, end)


def _draw(sizes: Array, n: int, rng: np.random.Generator) -> Array:
    """The sizes of the cells in each of n new samples."""
    total = sizes.sum()
    if total < FEW_ROWS and total == np.floor(total):
        return rng.multinomial(int(total), sizes / total, n)
    return rng.poisson(sizes, (n, sizes.size))


def _lay_out(
    models: list[Rankings], counted: list[ThresholdCounts], unit: Array, depth: int | None
) -> tuple[list[_Layout], int, int]:
    """The cells of each model, the number of units, and of positives beside them.

    ``unit`` is the unit of each item. With ``depth``, rows that stand too low in all models are no
    units: only the number of their positives matters.
    """
    first, n_units, n_unseen = models[0], int(unit.max()) + 1, 0
    if first.weight is not None or first.n_rankings > 1 or n_units < unit.size:
        depth = None
    by_ranking = np.argsort(first.ranking_of_items, kind="stable")
    items = np.split(by_ranking, np.cumsum(first.sizes)[:-1])
    cells = [_cells_of_items(*pair, items, depth) for pair in zip(models, counted, strict=True)]
    if depth is not None:
        is_seen = np.any([cell >= 0 for [(_, cell)] in cells], axis=0)
        n_unseen = int(np.count_nonzero(first.positive & ~is_seen))
        n_units = int(np.count_nonzero(is_seen))
        unit = np.where(is_seen, np.cumsum(is_seen) - 1, -1)
    of_models = zip(models, cells, strict=True)
    layouts = [_layout_of(*of_model, items, unit, n_units) for of_model in of_models]
    return layouts, n_units, n_unseen


def _layout_of(
    model: Rankings,
    cells: list[tuple[Array, Array]],
    items: list[Array],
    unit: Array,
    n_units: int,
) -> _Layout:
    """The weight of each unit in each cell, from the cells of the items of each ranking."""
    weight = np.ones(unit.size, np.intp) if model.weight is None else model.weight
    layout = []
    for (thresholds, cell), rows in zip(cells, items, strict=True):
        is_drawn, n_cells = unit[rows] >= 0, 3 * thresholds.size + 2
        drawn = rows[is_drawn]
        entries = weight[drawn], (cell[is_drawn] % n_cells, unit[drawn])
        layout.append((thresholds, csr_array(entries, shape=(n_cells, n_units))))
    return layout


def _cells_of_items(
    rankings: Rankings, counts: ThresholdCounts, items: list[Array], depth: int | None
) -> list[tuple[Array, Array]]:
    """The thresholds of each ranking that new samples can see, and the cells of its items."""
    found = []
    for ranking, rows in enumerate(items):
        thresholds, score = counts.thresholds[_seen(counts, ranking, depth)], rankings.score[rows]
        positive, n = rankings.positive[rows], thresholds.size
        # The highest threshold that is not above the item.
        place = n - np.searchsorted(thresholds[::-1], score, side="right")
        is_tied = np.append(thresholds, np.nan)[place] == score
        cell = place + n * np.where(positive, 0, 2 - is_tied)
        other = np.where(positive, OTHER_POSITIVES, OTHER_NEGATIVES)
        found.append((thresholds, np.where(place < n, cell, other)))
    return found


def _values_of_units(definition: Definition, layout: _Layout, times: Array, missed: Array) -> Float:
    """Values and positives of new samples in which each unit stands so many times.

    ``missed`` is the weight of the positives that were never scored: (n_resamples, n_rankings).
    """
    drawn = []
    for (thresholds, weights), of_missed in zip(layout, missed.T, strict=True):
        cells = (weights @ times).T
        cells[:, OTHER_POSITIVES] += of_missed.astype(cells.dtype)
        drawn.append(_values_of_cells(definition, thresholds, cells))
    return np.stack(drawn, axis=2)


def _values_of_cells(definition: Definition, thresholds: Array, cells: Array) -> Float:
    """Values and positives of new samples of one ranking, with the sizes of their cells in rows."""
    counts = _counts_of_cells(thresholds, cells)
    return np.stack((values_of(definition, counts), counts.n_positives))


def _counts_of_cells(thresholds: Array, cells: Array) -> ThresholdCounts:
    """Lay out new samples as so many rankings in one."""
    n, size = len(cells), thresholds.size
    gained, tied, between = cells[:, : 3 * size].reshape(n, 3, size).transpose(1, 0, 2)
    tps, fps = np.cumsum(gained, axis=1), np.cumsum(tied + between, axis=1)
    kept = gained > 0  # a threshold at which nothing is gained is none
    n_kept = np.count_nonzero(kept, axis=1)
    return ThresholdCounts(
        np.broadcast_to(thresholds, kept.shape)[kept],
        gained[kept],
        tps[kept],
        fps[kept],
        (fps - tied)[kept],
        starts=np.cumsum(n_kept) - n_kept,
        n_positives=gained.sum(axis=1) + cells[:, OTHER_POSITIVES],
        n_negatives=(tied + between).sum(axis=1) + cells[:, OTHER_NEGATIVES],
    )
