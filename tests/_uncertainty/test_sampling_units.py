"""How many clusters the first k ranks are worth, beside formulas of ``docs/methods.md``."""

import numpy as np
import pytest
from scipy.stats import t

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
    compare_segments,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.model_influences import influences_of_models
from sklearn_ap._uncertainty.options import check_options
from sklearn_ap._uncertainty.variance import sample_of_difference
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, RecallAtK, Step

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


@pytest.mark.parametrize("definition", [PrecisionAtK(10), AtK(10), AtK(10, "k"), Expected(10)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_perfect_top_k_limit_depends_on_clusters_within_k(definition, layout):
    clusters = LAYOUTS[layout]
    part = (np.arange(90) < 10) * 1.0
    n_clusters = 10**2 / sum_of_squares(part, clusters)
    found = average_precision_interval(Y, FALLING, clusters=clusters, definition=definition)
    assert found.estimate == 1
    assert found.low == pytest.approx(lower_limit_of_1(n_clusters, 10), rel=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tied_block_cut_at_rank_k_counts_in_part(layout):
    clusters = LAYOUTS[layout]
    part = np.where(np.arange(90) < 8, 1.0, np.where(np.arange(90) < 40, 2 / 32, 0.0))
    in_cluster = sum_of_squares(part, clusters) / np.sum(part**2)
    found = average_precision_interval(Y, TIED, clusters=clusters, definition=PrecisionAtK(10))
    assert found.low == pytest.approx(lower_limit_of_1(10 / in_cluster, 10), rel=1e-9)


def test_pairs_in_a_perfect_top_k_are_less_certain_than_rows():
    """It was .90 of 1,000 rows, half of them positive, where rows gave .57."""
    y, s = np.repeat([1, 0], 500), -np.arange(1000.0)
    options = {"definition": PrecisionAtK(10), "rng": 0}
    rows = average_precision_interval(y, s, **options)
    pairs = average_precision_interval(y, s, clusters=np.arange(1000) // 2, **options)
    assert 0.5 < pairs.low < rows.low < 0.6


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


def test_each_segment_at_k_counts_its_own_clusters():
    rng = np.random.default_rng(2)
    segment = np.arange(400) % 2
    clusters = np.where(segment, np.arange(400) // 20, 1000 + np.arange(400) // 4)
    y = (rng.random(400) < 0.4) * 1
    s = y + rng.normal(size=1400)[clusters]
    both = compare_segments(
        y, s, segment, clusters=clusters, definition=PrecisionAtK(5), prevalence=None
    )
    for i, kept in enumerate((segment == 0, segment == 1)):
        alone = average_precision_interval(
            y[kept], s[kept], clusters=clusters[kept], definition=PrecisionAtK(5), rng=0
        )
        assert (both.lows[i], both.highs[i]) == pytest.approx((alone.low, alone.high), rel=1e-9)
