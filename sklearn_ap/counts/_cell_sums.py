"""What intervals need to know of rows that have weights or clusters, added up by place."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class ClusterSums(NamedTuple):
    """Sums over the rows of each cluster."""

    definition: Any  # whose influence values these are
    influence: Array  # of the rows
    of_negatives: Array  # the same of the negatives alone
    positives: Array  # weight
    negatives: Array


@dataclass(frozen=True, slots=True, eq=False)
class CellSums:
    """Sums over the rows of one ranking at each place: a row for positives, another for negatives.

    Place 0 is below the lowest threshold, 1 at it, 2 between it and the next, and so on.
    """

    squares: Array  # of the weights
    fourths: Array  # their fourth powers
    n_rows: Array  # of positives, and of negatives
    clusters: ClusterSums | None = None


def by_place(influence: Any) -> NDArray[np.float64]:
    """The influence values of positives and of negatives, laid out as the sums are."""
    found = np.zeros((2, 2 * influence.positive.size + 1))
    found[0, 0], found[0, 1::2] = np.ravel(influence.unscored)[0], influence.positive[::-1]
    found[1, 0], found[1, 1::2] = np.ravel(influence.below)[0], influence.tied[::-1]
    found[1, 2::2] = influence.between[::-1]
    return np.nan_to_num(found)  # values without positives have no influence
