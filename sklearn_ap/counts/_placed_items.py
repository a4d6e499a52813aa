"""Where items stand among the thresholds: by a sort, or by cells where positives are rare."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap.counts._rare_positives import Filtered, without_far_negatives
from sklearn_ap.counts._sorted_items import SortedItems, sort_items
from sklearn_ap.counts._thresholds import ThresholdCounts

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class FilteredItems:
    """The counts of one ranking, and where each item stands.

    Negatives that the filter left out have a cell that says where they stand. The other items, near
    the positives, were sorted.
    """

    counts: ThresholdCounts
    score: Array
    filtered: Filtered
    near: SortedItems

    def value_of_items(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> NDArray[np.float64]:
        """Give each item the value of its run, as ``SortedItems`` does."""
        cells = self.filtered.cells
        # The number of thresholds above a cell is the index of the next threshold below it.
        n_above = np.bincount(cells.of(self.counts.thresholds), minlength=cells.occupied.size)
        n_above = n_above[::-1].cumsum()[::-1]
        of_items = np.append(between, below)[n_above][cells.of(self.score)]
        # Items that share their cell with a threshold were sorted.
        of_items[self.filtered.places] = self.near.value_of_items(positive, tied, between, below)
        return of_items


PlacedItems = SortedItems | FilteredItems


def place_items(rankings: Rankings) -> PlacedItems:
    """Count the items of all rankings, and find where each of them stands."""
    filtered = None
    if not rankings.several:
        filtered = without_far_negatives(rankings.positive, rankings.score, rankings.weight)
    if filtered is None:
        return sort_items(rankings)
    near = sort_items(Rankings(*filtered.rows_to_sort))
    return FilteredItems(filtered.with_all(near.counts), rankings.score, filtered, near)
