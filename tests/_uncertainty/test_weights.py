"""Weights of rows of any size, and the weights that a prevalence gives to the classes."""

import numpy as np
import pytest
from every import every
from interval_data import S, Y, assert_same, drawn, numbers

from sklearn_ap import AveragePrecisionInterval, average_precision_interval, threshold_counts
from sklearn_ap.definitions import AtK, Interpolated

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
interval = average_precision_interval


def test_queries_whose_weights_differ_by_200_orders_of_magnitude_do_not_matter_to_each_other():
    y, s = drawn(90)
    queries, w = np.arange(90) % 3, np.random.default_rng(3).lognormal(size=90)
    first, second = (
        interval(y, s, sample_weight=each, queries=queries, average=None)
        for each in (w, w * np.array([1e-200, 1, 1e-100])[queries])
    )
    assert_same(first, second)
    np.testing.assert_allclose(first.n_effective, second.n_effective, rtol=1e-9)


def test_twice_the_weights_and_twice_the_ranks_are_the_same():
    y, s = drawn(3000)
    weight, options = np.where(y, 1.0, 6.0), {"n_resamples": 9, "rng": 0}
    first, second = (
        interval(y, s, definition=AtK(2000 * i), sample_weight=i * weight, **options)
        for i in (1, 8)
    )
    assert_same(first, second)


def test_a_prevalence_is_passed_beside_counts():
    counts = threshold_counts(Y, S)
    with pytest.raises(ValueError, match="pass counts as they are, and prevalence beside them"):
        AveragePrecisionInterval.from_counts(counts.at_prevalence(0.1))


@every("definition", [Interpolated(), AtK(5)])
@every("options", ["weights", "missed"])
def test_images_that_do_not_hold_a_class_do_not_matter(definition, options):
    """Also if each image holds this class once, or a single image does."""
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(4), [42, 800, 30, 9])
    images = np.r_[np.arange(42) // 7, np.arange(800) // 4, np.arange(30), np.full(9, 3)]
    y = rng.random(queries.size) < 0.4
    s, w = y + rng.normal(size=y.size), rng.exponential(size=y.size)
    missed = 7 + np.bincount(queries, y)

    def of(rows, known, **more):
        more |= {"sample_weight": w[rows]} if options == "weights" else {"n_positives": known}
        where = {"clusters": images[rows], "definition": definition, "n_resamples": 2999}
        return numbers(interval(y[rows], s[rows], **where, **more))

    beside = of(slice(None), missed, queries=queries, average=None)
    for i, known in enumerate(missed):
        tolerance = 1e-6 if definition == Interpolated() else 0.1
        np.testing.assert_allclose(beside[:, i], of(queries == i, known), rtol=tolerance)
