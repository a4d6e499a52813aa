"""Random orders of labels: which clusters change places with each other."""

import numpy as np
import pytest

from sklearn_ap import chance_test


@pytest.mark.parametrize(
    ("sizes", "labels", "is_moved"),
    [
        ([10, 12, 14, 17], [0, 0, 1, 1], False),  # each is like the next one, and 10 is unlike 14
        ([10, 12, 14, 17], [1, 0, 1, 1], True),
        ([8, 9, 10], [1, 0, 0], True),  # 10 is 1.25 times 8
        ([79, 90, 99], [1, 0, 0], False),  # and 99 is over 1.25 times 79
    ],
)
def test_sizes_of_clusters_do_not_chain(sizes, labels, is_moved):
    """Of a class, none has over 1.25 times the rows of another, the largest one first."""
    order = np.random.default_rng(0).permutation(len(sizes))
    cluster = np.repeat(order, np.array(sizes)[order])
    y = np.array(labels)[cluster]
    score = y + np.random.default_rng(1).normal(size=y.size)
    found = chance_test(y, score, clusters=cluster, n_permutations=99)
    assert (np.ptp(found.by_chance) > 1e-9) == is_moved
