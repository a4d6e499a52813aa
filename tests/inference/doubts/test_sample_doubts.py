"""From which numbers of clusters and of negatives samples are doubted."""

import re

import numpy as np
import pytest

from sklearn_ap import UncertaintyWarning, average_precision_interval, operating_point
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap.inference.doubts.sample_doubts import few_clusters, few_negatives


def estimate(n_effective, n_negatives, has_clusters=True):
    """Make what doubts read of an estimate, of several scores."""
    n = np.array(n_effective, float)
    facts = {"counts": None, "value": n, "variance": n, "nu": n, "hidden": None}
    return Estimate(
        **facts,
        is_defined=np.ones(n.size, bool),
        n_effective=n,
        n_negatives=np.array(n_negatives, float),
        has_clusters=np.full(n.size, has_clusters),
    )


@pytest.mark.parametrize(
    ("n_positives", "n_negatives", "text"),
    [
        (16, 16, None),
        (15.97, 16, "rests on few clusters: .* is as low as 15.9. Below 16"),
        (10, 1, "rests on few clusters: .* is as low as 10. Below 16"),  # and this alone
        (20, 10, None),
        (20, 9.97, "Few clusters hold most negatives: .* is 20 by positives, and 9.97 by neg"),
    ],
)
def test_few_clusters_hold_the_positives_or_most_negatives(n_positives, n_negatives, text):
    doubts = few_clusters(estimate([n_positives], [n_negatives]), ())
    assert len(doubts) == (text is not None)
    if text:
        assert re.search(text, doubts[0].text)
    assert not few_clusters(estimate([n_positives], [n_negatives], has_clusters=False), ())


@pytest.mark.parametrize(
    ("n", "told"), [(1.6, "One cluster has 62.5% or more of the pos"), (2, "")]
)
def test_one_cluster_of_most_positives_is_told_with_its_remedy(n, told):
    """Of clusters with 0.75, 0.15 and 0.1 of the positives, 1 / n is 0.595."""
    (few,) = few_clusters(estimate([n], [20]), ())
    assert ("give each row a name of its own" in few.text) == bool(told)
    assert told in few.text


def test_the_largest_cluster_of_real_rows_has_at_least_the_share_that_is_told():
    y = np.tile([1, 0, 0, 0], 100)
    scaffold = np.where(np.arange(400) < 300, 0, np.arange(400))  # 75 of the 100 positives
    rng = np.random.default_rng(0)
    with pytest.warns(UncertaintyWarning, match=r"One cluster has 56.5% or more of the positives"):
        average_precision_interval(y, y + rng.normal(size=400), clusters=scaffold)
    selected = y + rng.normal(size=400)
    with pytest.warns(UncertaintyWarning, match=r"One cluster has \d\d\.\d% or more of its rows"):
        operating_point(y, selected, clusters=scaffold, threshold=0.0)


def test_the_least_number_and_the_segments_of_all_that_are_few_are_told():
    (few,) = few_clusters(estimate([20, 12, 8], [20, 12, 8]), ["a", "b", "c"])
    assert "as low as 8." in few.text
    assert few.about == ("b", "c")


@pytest.mark.parametrize(("n_negatives", "is_few"), [(98.9, True), (99, False)])
def test_negatives_that_stand_for_less_than_a_positive_are_few(n_negatives, is_few):
    doubts = few_negatives(estimate([50], [n_negatives]), 0.01, ())
    assert len(doubts) == is_few
    if is_few:
        assert "stand for as few as 0.998 positives. Below 1," in doubts[0].text
