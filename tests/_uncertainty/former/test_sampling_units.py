"""How many clusters the first k ranks are worth, beside formulas of ``docs/methods.md``."""

import numpy as np
import pytest
from scipy.stats import t

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.former.model_influences import influences_of_models
from sklearn_ap._uncertainty.former.variance import sample_of_difference
from sklearn_ap._uncertainty.options import check_options
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

# The first 60 of 90 rows are positive, so no new sample has a negative among the first 10.
Y = np.repeat([1, 0], [60, 30])
FALLING = -np.arange(90.0)
# Rank 10 cuts a block of 32 rows.
TIED = -np.digitize(np.arange(90), [*range(1, 9), 40, 60]).astype(float)
LAYOUTS = {
    "pairs": np.arange(90) // 2,
    "pairs that lie apart": np.arange(90) % 45,
    "fives": np.arange(90) // 5,
    "a large one and single rows": np.maximum(np.arange(90), 6),
    "unequal": np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 24]),
}


def sum_of_squares(part, clusters):
    return sum(part[clusters == name].sum() ** 2 for name in {*clusters})


def lower_limit_of_1(n_clusters, n_rows):
    """Wilson's limit of a share of 1, with the prior variance alone."""
    in_each = max(n_rows / n_clusters, 1.0)
    factor = max(1.0, 0.65 * np.log(n_clusters * in_each) / np.sqrt(in_each))
    quantile = t.ppf(0.975, max(n_clusters - 1, 1))
    m = n_clusters * in_each / factor / quantile**2
    return m / (m + 1)


def test_recall_at_k_counts_clusters_of_all_positives():
    """It is a share of these, so that clusters among the first k ranks do not matter."""
    rng = np.random.default_rng(0)
    y, s = (rng.random(200) < 0.3) * 1, rng.normal(size=200)
    first = np.argsort(-s)[:10]
    apart, together = np.arange(200) // 2, np.arange(200) // 2
    together[first] = together[first[0]]
    options = {"definition": RecallAtK(10)}
    numbers = [
        average_precision_interval(y, s, clusters=clusters, **options).n_effective
        for clusters in (apart, together)
    ]
    hits = [np.bincount(clusters, y) for clusters in (apart, together)]
    np.testing.assert_allclose(numbers, [of.sum() ** 2 / np.sum(of**2) for of in hits])


def test_a_difference_at_k_is_the_same_from_either_model():
    """The first ranks of one model may be in fewer clusters than those of the other."""
    rng = np.random.default_rng(1)
    clusters = np.arange(300) // 3
    y = (rng.random(300) < 0.3) * 1
    a, b = y + rng.normal(size=300), y + rng.normal(size=100)[clusters]
    options = {"clusters": clusters, "definition": AtK(10)}
    one = compare_average_precision(y, {"a": a, "b": b}, **options)
    other = compare_average_precision(y, {"b": b, "a": a}, **options)
    assert one.pvalues[1] == pytest.approx(other.pvalues[1], rel=1e-9)
    assert one.difference_lows[1] == pytest.approx(-other.difference_highs[1], rel=1e-9)


def test_a_difference_at_k_has_the_design_effect_of_the_steps():
    """Replicates have no rows, so their variance is not compared with that of the rows of steps."""
    rng = np.random.default_rng(3)
    clusters = np.arange(1500) // 3
    y = (rng.random(500) < 0.5)[clusters] * 1
    scores = y + rng.normal(size=(2, 500))[:, clusters] + rng.normal(size=(2, 1500))
    requests = [Request(y_true=y, y_score=s, clusters=clusters) for s in scores]
    options = check_options(0.95, 0)
    at_k, steps = (
        sample_of_difference(*influences_of_models(definition, requests, options), bias=0.0)
        for definition in (PrecisionAtK(10), Step())
    )
    assert steps.design_effect > 1.3
    assert at_k.design_effect == pytest.approx(steps.design_effect, rel=0.01)
    assert at_k.n_positive_rows == pytest.approx(10)
    assert at_k.n_effective <= 10
