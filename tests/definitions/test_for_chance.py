"""The score of a random order is the mean over all orders of the labels."""

from itertools import permutations

import numpy as np
import pytest

from sklearn_ap import threshold_counts
from sklearn_ap.definitions import AtK, Expected, Interpolated, ReciprocalRank, Step
from sklearn_ap.definitions._for_chance import sum_by_chance

Y_TRUE, TIED, UNTIED = (1, 0, 1, 0, 0), [3, 2, 2, 2, -np.inf], [5, 4, 3, 2, 1]
KNOWN = [Step(), AtK(3), AtK(3, "positives"), AtK(3, "k"), Expected(), Expected(3), Expected(0.5)]


@pytest.mark.parametrize("definition", [*KNOWN, ReciprocalRank(), ReciprocalRank(2)], ids=repr)
@pytest.mark.parametrize(("y_score", "ends"), [(TIED, np.array([1, 4])), (UNTIED, None)])
def test_sum_by_chance_is_the_mean_over_all_orders_of_labels(definition, y_score, ends):
    counts = [threshold_counts(labels, y_score) for labels in permutations(Y_TRUE)]
    sums = [definition(each)[0] * definition.divisor(each)[0] for each in counts]
    assert sum_by_chance(definition, ends, 5, 2) == pytest.approx(np.mean(sums))


def test_other_definitions_have_no_formula():
    for definition in (Interpolated(), AtK(3, "hits")):
        assert sum_by_chance(definition, None, 5, 2) is None
