"""Intervals from counts of rows with weights, or in clusters: those of the rows in memory."""

import numpy as np
import pyarrow as pa
import pytest
from recipe import mix, rows, weights

from sklearn_ap import AveragePrecisionInterval, average_precision_interval, large
from sklearn_ap.definitions import AtK, Hyperbolic, Interpolated, Linear, Step
from sklearn_ap.large._checked_batches import Batch, by_role, clean
from sklearn_ap.large._clusters import in_passes
from sklearn_ap.large._two_passes import add_up

N = 30_000
Y_TRUE, Y_SCORE = rows(0, N, 4)
Y_SCORE = Y_SCORE.astype(np.float64).round(3)
WEIGHT = weights(0, N) + 0.25 * (mix(np.arange(N, dtype=np.int64) + 5) % 3)
CLUSTER = mix(np.arange(N, dtype=np.int64) // 7) % 1500
NOT_RETRIEVED = np.where(mix(np.arange(N, dtype=np.int64) + 11) % 10 == 0, -np.inf, Y_SCORE)
NUMBERS = ("estimate", "standard_error", "low", "high", "bias", "n_positives", "n_effective")
from_counts = AveragePrecisionInterval.from_counts


def in_chunks(*columns):
    parts = np.array_split(np.arange(N), 7)
    return [tuple(None if of is None else of[part] for of in columns) for part in parts]


def assert_same_interval(ours, expected):
    for name in NUMBERS:
        one, other = getattr(ours, name), getattr(expected, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(ours.positives_for(0.02), expected.positives_for(0.02), rtol=1e-9)


@pytest.mark.parametrize("definition", [Step(), Linear(), Hyperbolic(), Interpolated(101)])
@pytest.mark.parametrize("y_score", [Y_SCORE, NOT_RETRIEVED], ids=["scored", "not retrieved"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["", "clusters"])
def test_intervals_are_those_of_the_rows(definition, y_score, weight, clusters):
    columns = (Y_TRUE, y_score, weight, clusters)[: 4 if clusters is not None else 3]
    counts = large.from_chunks(in_chunks(*columns), definition=definition)
    options = {"sample_weight": weight, "clusters": clusters, "definition": definition}
    expected = average_precision_interval(Y_TRUE, y_score, **options)
    assert_same_interval(from_counts(counts, definition), expected)
    assert counts.score(definition) == pytest.approx(expected.estimate, abs=1e-12)


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_partitions_add_up_as_engines_add_them(weight, pack):
    parts = in_chunks(Y_TRUE, Y_SCORE, weight, None, CLUSTER)
    batches = [clean(Batch("a partition", by_role(*part)), None) for part in parts]

    def run(one_pass):
        return add_up(one_pass([batch]) for batch in batches)

    counts = in_passes(run, None, Step(), pack=pack)
    options = {"sample_weight": weight, "clusters": CLUSTER}
    assert_same_interval(
        from_counts(counts), average_precision_interval(Y_TRUE, Y_SCORE, **options)
    )


def test_negatives_that_weigh_more_and_another_prevalence():
    weight = np.where(Y_TRUE, WEIGHT, 30 * WEIGHT)
    counts = large.from_chunks(in_chunks(Y_TRUE, Y_SCORE, weight))
    expected = average_precision_interval(Y_TRUE, Y_SCORE, sample_weight=weight)
    assert expected.n_effective < 0.1 * expected.n_positives
    assert_same_interval(from_counts(counts), expected)
    options = {"sample_weight": weight, "prevalence": 0.01}
    expected = average_precision_interval(Y_TRUE, Y_SCORE, **options)
    assert_same_interval(from_counts(counts, prevalence=0.01), expected)
    with pytest.raises(ValueError, match="pass counts as they are, and prevalence beside them"):
        from_counts(counts.at_prevalence(0.01))


def test_names_of_clusters_in_a_table():
    columns = {"y": Y_TRUE, "p": Y_SCORE, "w": WEIGHT, "c": [f"image {i}" for i in CLUSTER]}
    counts = large.from_table(pa.table(columns), "y", "p", sample_weight="w", clusters="c")
    options = {"sample_weight": WEIGHT, "clusters": CLUSTER}
    expected = average_precision_interval(Y_TRUE, Y_SCORE, **options)
    assert_same_interval(from_counts(counts), expected)


def test_a_larger_study_is_planned_in_clusters():
    found = average_precision_interval(Y_TRUE, Y_SCORE, clusters=CLUSTER)
    ours = from_counts(large.from_chunks(in_chunks(Y_TRUE, Y_SCORE, None, CLUSTER)))
    assert ours.clusters_for(0.01) == found.clusters_for(0.01)


ALIKE = np.where(Y_TRUE, Y_SCORE, mix(CLUSTER) % 1000 / 1000)  # for negatives of a cluster


def of_clusters(clusters, y_score=Y_SCORE, **options):
    return large.from_chunks(in_chunks(Y_TRUE, y_score, None, clusters), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_counts(of_clusters(CLUSTER % 50)), "needs 200 effective clusters"),
        (lambda: from_counts(of_clusters(CLUSTER, ALIKE)), "effective clusters, .* here are 160,"),
        (lambda: from_counts(of_clusters(np.where(CLUSTER < 99, 0, CLUSTER))), "more than 2%"),
        (lambda: from_counts(of_clusters(CLUSTER), Linear()), r"added up for Step\(\), not for"),
        (
            lambda: from_counts(of_clusters(CLUSTER), prevalence=0.01),
            "prevalence does not go with counts that have clusters",
        ),
        (lambda: of_clusters(CLUSTER, definition=AtK(9)), r"influence values.*got AtK\(k=9\)"),
        (
            lambda: from_counts(large.from_chunks(in_chunks(Y_TRUE, Y_SCORE, WEIGHT)), AtK(9)),
            "resamples rows",
        ),
        (
            lambda: from_counts(large.from_chunks(in_chunks(Y_TRUE, Y_SCORE, 1e-90 * WEIGHT))),
            "multiply all weights",
        ),
        (  # a positive is too light for a threshold
            lambda: from_counts(large.from_chunks([([1, 0, 1], [3, 2, 1], [1, 1, 1e-30])])),
            "it needs the squares of the weights",
        ),
        (
            lambda: large.from_chunks([([1, 0], [1, 2], None, [1, 2]), ([1, 0], [1, 2])]),
            "in some chunks, and not in others",
        ),
        (
            lambda: large.from_chunks([([1, 0], [1, 2], None, [7, None])]),
            "clusters contains missing values: 1 of 2",
        ),
        (
            lambda: large.from_table(
                pa.table({"y": [1, 0], "p": [1, 2]}), "y", "p", queries="y", clusters="p"
            ),
            "clusters do not go with queries here",
        ),
    ],
)
def test_what_counts_cannot_tell_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()
