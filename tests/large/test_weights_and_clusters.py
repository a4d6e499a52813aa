"""Intervals from counts of rows with weights, or in clusters: those of the rows in memory."""

import numpy as np
import pyarrow as pa
import pytest
from recipe import mix, rows, weights

from sklearn_ap import AveragePrecisionInterval, average_precision_interval, large
from sklearn_ap.definitions import AtK, Hyperbolic, Interpolated, Linear, Step
from sklearn_ap.large._checked_batches import Batch, clean, columns_by_role
from sklearn_ap.large._clusters import run_passes
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


def counted(y_score=Y_SCORE, weight=None, clusters=None, **options):
    columns = (Y_TRUE, y_score, weight, clusters)[: 3 if clusters is None else 4]
    return large.from_chunks(in_chunks(*columns), **options)


def assert_same_interval(ours, expected):
    for name in NUMBERS:
        one, other = getattr(ours, name), getattr(expected, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(ours.positives_for(0.02), expected.positives_for(0.02), rtol=1e-9)


@pytest.mark.parametrize("definition", [Step(), Linear(), Hyperbolic(), Interpolated(101)])
@pytest.mark.parametrize("y_score", [Y_SCORE, NOT_RETRIEVED], ids=["scored", "not retrieved"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["", "clusters"])
def test_intervals_from_counts_equal_those_of_rows(definition, y_score, weight, clusters):
    counts = counted(y_score, weight, clusters, definition=definition)
    options = {"sample_weight": weight, "clusters": clusters, "definition": definition}
    expected = average_precision_interval(Y_TRUE, y_score, **options)
    assert_same_interval(from_counts(counts, definition=definition), expected)
    assert counts.score(definition) == pytest.approx(expected.estimate, abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_single_row_has_the_same_interval_from_counts():
    one = np.array([1]), np.array([0.5]), np.array([2.0])
    found = from_counts(large.from_chunks([one]))
    expected = average_precision_interval(*one[:2], sample_weight=one[2])
    assert 0 < expected.low < 0.1
    for name in ("estimate", "standard_error", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name))


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_clustered_partitions_add_up_to_the_interval_of_rows(weight, pack):
    parts = in_chunks(Y_TRUE, Y_SCORE, weight, None, CLUSTER)
    batches = [clean(Batch("a partition", columns_by_role(*part)), None) for part in parts]

    def run(one_pass):
        return add_up(one_pass([batch]) for batch in batches)

    ours = from_counts(run_passes(run, None, Step(), pack=pack))
    options = {"sample_weight": weight, "clusters": CLUSTER}
    assert_same_interval(ours, average_precision_interval(Y_TRUE, Y_SCORE, **options))


def test_heavy_negatives_and_prevalence_give_the_interval_of_rows():
    weight = np.where(Y_TRUE, WEIGHT, 30 * WEIGHT)
    counts = counted(weight=weight)
    for options in ({}, {"prevalence": 0.01}):
        expected = average_precision_interval(Y_TRUE, Y_SCORE, sample_weight=weight, **options)
        assert_same_interval(from_counts(counts, **options), expected)
    with pytest.raises(ValueError, match="pass counts as they are, and prevalence beside them"):
        from_counts(counts.at_prevalence(0.01))


def test_named_clusters_of_a_table_give_the_same_plan():
    columns = {"y": Y_TRUE, "p": Y_SCORE, "w": WEIGHT, "c": [f"image {i}" for i in CLUSTER]}
    counts = large.from_table(pa.table(columns), "y", "p", sample_weight="w", clusters="c")
    options = {"sample_weight": WEIGHT, "clusters": CLUSTER}
    expected = average_precision_interval(Y_TRUE, Y_SCORE, **options)
    assert_same_interval(from_counts(counts), expected)
    assert from_counts(counts).clusters_for(0.01) == expected.clusters_for(0.01)


ALIKE = np.where(Y_TRUE, Y_SCORE, mix(CLUSTER) % 1000 / 1000)  # for negatives of a cluster
ONE_IS_LARGE = np.where(CLUSTER < 99, 0, CLUSTER)
TOO_LIGHT = ([1, 0, 1], [3, 2, 1], [1, 1, 1e-30])  # for a threshold
NO_CLUSTER = ([1, 0], [1, 2], None, [7, None])
QUERIES = pa.table({"y": [1, 0], "p": [1, 2]}), "y", "p"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_counts(counted(clusters=CLUSTER % 50)), "needs 200 effective clusters"),
        (lambda: from_counts(counted(ALIKE, clusters=CLUSTER)), "clusters, .* here are 160,"),
        (lambda: from_counts(counted(clusters=ONE_IS_LARGE)), "more than 2%"),
        (
            lambda: from_counts(counted(clusters=CLUSTER), definition=Linear()),
            r"added up for Step\(\), not",
        ),
        (
            lambda: from_counts(counted(clusters=CLUSTER), prevalence=0.01),
            "prevalence does not go with counts that have clusters",
        ),
        (lambda: counted(clusters=CLUSTER, definition=AtK(9)), r"influence values.*AtK\(k=9\)"),
        (lambda: from_counts(counted(weight=WEIGHT), definition=AtK(9)), "resamples rows"),
        (lambda: from_counts(counted(weight=1e-90 * WEIGHT)), "multiply all weights"),
        (lambda: from_counts(large.from_chunks([TOO_LIGHT])), "needs the squares of the weights"),
        (lambda: large.from_chunks([NO_CLUSTER]), "clusters contains missing values: 1 of 2"),
        (
            lambda: large.from_chunks([([1, 0], [1, 2], None, [1, 2]), ([1, 0], [1, 2])]),
            "in some chunks, and not in others",
        ),
        (
            lambda: large.from_table(*QUERIES, queries="y", clusters="p"),
            "clusters do not go with queries here",
        ),
    ],
)
def test_unsupported_questions_to_counts_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
