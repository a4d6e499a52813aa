"""Counts on a real Dask cluster of two worker processes."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import large, threshold_counts
from sklearn_ap.definitions import Step
from tests.helpers.recipe import assert_same, mix, rows, weights

pytestmark = pytest.mark.engines
pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

N = 50_000
Y_TRUE, Y_SCORE = rows(0, N)
# Older versions of Dask say so where other tests keep a cluster open.
ON_ONE_MACHINE = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")


def table_of(y_true, y_score):
    return pd.DataFrame({"y": y_true, "p": y_score})


def frame_of(part, n, size):
    """A frame, of which a function makes the labels and scores of a part from its first row."""
    return dd.from_map(
        lambda start: table_of(*part(start)), [*range(0, n, size)], meta=table_of(*rows(0, 0))
    )


@pytest.mark.parametrize("n_parts", [50, 1])
def test_partitions_of_any_size_give_equal_counts(cluster, n_parts):
    frame = dd.from_pandas(table_of(Y_TRUE, Y_SCORE), npartitions=n_parts)
    assert_same(large.from_dask(frame, "y", "p"), threshold_counts(Y_TRUE, Y_SCORE))
    keep = Y_SCORE > 0.1
    ours = large.from_dask(frame[frame["p"] > 0.1], "y", "p")
    assert_same(ours, threshold_counts(Y_TRUE[keep], Y_SCORE[keep]))


def test_dask_weights_work_with_empty_partitions(cluster):
    frame = table_of(*rows(0, N, 4)).assign(w=weights(0, N), i=np.arange(N))
    parts = dd.from_pandas(frame, npartitions=6)
    parts, half = parts[parts["i"] >= N // 2], frame[N // 2 :]
    counts = large.from_dask(parts, "y", "p", sample_weight="w")
    assert_same(counts, threshold_counts(half["y"], half["p"], sample_weight=half["w"]))


@ON_ONE_MACHINE
def test_labels_are_read_as_from_a_table():
    for labels, pos_label in ((["yes", "no", "yes"], None), (["a", "b", "a"], "a")):
        frame = dd.from_pandas(pd.DataFrame({"y": labels, 0: [3, 2, 1]}), npartitions=2)
        ours = large.from_dask(frame, "y", 0, pos_label=pos_label)
        assert_same(ours, threshold_counts([1, 0, 1], [3, 2, 1]))


@ON_ONE_MACHINE
def test_each_pass_computes_a_partition_once():
    read = []

    def noted(start):
        read.append(start)
        return rows(start, start + 1_000)

    with dask.config.set(scheduler="synchronous"):
        large.from_dask(frame_of(noted, 4_000, 1_000), "y", "p")
    assert sorted(read) == [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000]


def test_millions_of_thresholds_are_not_stored_in_the_graph(cluster):
    """Dask would warn from 10 MB on, and warnings are errors here."""

    def part(start, size=250_000):
        h = mix(np.arange(start, start + size))
        return h % 8 > 0, h / 2**32

    counts = large.from_dask(frame_of(part, 2_000_000, 250_000), "y", "p")
    assert counts.thresholds.nbytes > 13e6
    assert_same(counts, threshold_counts(*part(0, 2_000_000)))


@pytest.mark.parametrize("other", [np.ones((2, 2)), dask.delayed([1, 0]), da.ones(3)], ids=type)
def test_other_objects_than_frames_are_refused(other):
    with pytest.raises(TypeError, match="frame must be a data frame of Dask, got"):
        large.from_dask(other, "y", "p")


@ON_ONE_MACHINE
def test_invalid_dask_input_is_refused_and_no_positives_give_nan():
    frame = dd.from_pandas(table_of([0, 1, 0, 5], [1, 2, 3, 4]), npartitions=2)
    message = r"^partition 1, batch 0 from row 0: y_true takes value in \{0, 5\}"
    with pytest.raises(ValueError, match=message):
        large.from_dask(frame, "y", "p")
    assert np.isnan(Step()(large.from_dask(frame.assign(y=0), "y", "p")))
    with pytest.raises(ValueError, match="there is no column 'click'; there are 'y' and 'p'"):
        large.from_dask(frame, "click", "p")
    with pytest.raises(TypeError, match="y_score must be the name of one column, got None"):
        large.from_dask(frame, "y", None)
