"""Units are ordered by what they hold, whatever they are called and however rows are sorted."""

import numpy as np
import pytest

from sklearn_ap import average_precision_interval, chance_test
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK
from tests.helpers.first_cases import quick


def test_clusters_of_equal_sums_of_ranks_and_squares_are_told_apart():
    """Ranks 1, 5, 6 and 2, 3, 7 have the sum 12 and the squares 62."""
    score = np.array([1, 5, 6, 2, 3, 7, 0, 4, 8])
    y = np.array([0, 1, 0, 1, 0, 0, 0, 1, 1])
    clusters = np.repeat([0, 1, 2], 3)
    by_chance = [
        chance_test(y, score, clusters=names, n_permutations=99).random_scores
        for names in (clusters, np.array([1, 0, 2])[clusters])
    ]
    assert np.array_equal(*by_chance)


@pytest.mark.parametrize("definition", quick([AtK(0.2), PrecisionAtK(0.2), RecallAtK(0.2)], 1))
def test_a_scale_of_weights_does_not_matter(definition):
    rng = np.random.default_rng(0)
    y, weight = rng.random(200) < 0.4, rng.choice([0.3, 1.1, 7.0], 200)
    score, clusters = y + rng.normal(size=200), rng.integers(0, 50, 200)
    found = [
        average_precision_interval(
            y, score, definition=definition, clusters=clusters, sample_weight=factor * weight
        )
        for factor in (1.0, 3.0)
    ]
    assert found[0].low == pytest.approx(found[1].low, rel=1e-9)
