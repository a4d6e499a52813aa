"""What no reference knows: refusals and replicates, where faults stood where two features meet."""

import numpy as np
import pytest
from cases import make
from entrances import ENTRANCES, interval

from sklearn_ap import average_precision_interval
from sklearn_ap.definitions import Expected, Interpolated

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("seed", [9, 19, 20, 65])  # a ranking, queries, columns, classes
def test_zero_weight_rows_and_weight_scale_change_no_replicate(seed):
    entrance = next(each for each in ENTRANCES if each.name == "average_precision_interval")
    case = entrance.part_of(make(seed)).without("n_positives")
    case = case.having(sample_weight=np.arange(len(case.y_true)) % 3 + 1)
    more = case.only([*range(len(case.y_true)), 0])
    first = interval(case)
    second = interval(more.having(sample_weight=7.3 * np.append(case.weight, 0)))
    for name in ("estimate", "low", "high", "standard_error", "n_effective"):
        np.testing.assert_allclose(first[name], second[name], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("definition", [Expected(), Interpolated()])
def test_single_cluster_gives_the_full_interval_for_column_means(definition):
    y_true, y_score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 3], [2, 1], [1, 1], [2, 3]]
    found = average_precision_interval(y_true, y_score, clusters=[7] * 4, definition=definition)
    assert (found.low, found.high) == (0, 1)
