"""Random keys of units: sums of them tell apart what their contents tell apart."""

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._types import Index

Keys = NDArray[np.uint64]  # random integers, or sums of them modulo 2^64


def draw_keys(rng: np.random.Generator, *shape: int) -> Keys:
    """Draw integers of 64 bits."""
    return rng.integers(2**64, size=shape, dtype=np.uint64)


def add_up_keys(keys: Keys, group: Index, n_groups: int) -> Keys:
    """Add up the keys of each group modulo 2^64: [5, 2^64 - 2, 9] of groups 0, 0, 1 gives [3, 9].

    Random keys of different contents have the same sum in one of 2^64 cases.
    """
    sums = np.zeros(n_groups, np.uint64)
    np.add.at(sums, group, keys)
    return sums
