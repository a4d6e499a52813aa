"""Counts on a real Dask cluster of two worker processes."""

import gc
import os
import signal

import numpy as np
import pandas as pd
import pytest
from recipe import assert_same, mix, rows, weights

from sklearn_ap import large, threshold_counts
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.engines
pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

N = 50_000
Y_TRUE, Y_SCORE = rows(0, N)
# Older versions of Dask say so where other tests keep a cluster open.
ON_ONE_MACHINE = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")


def arrays(n, size):
    return (da.from_array(column, chunks=size) for column in rows(0, n))


@pytest.mark.parametrize("size", [999, N])
def test_dask_arrays_of_any_chunk_size_give_equal_counts(cluster, size):
    y_true, y_score = arrays(N, size)
    assert_same(large.from_dask(y_true, y_score), threshold_counts(Y_TRUE, Y_SCORE))
    kept, keep = y_score > 0.1, Y_SCORE > 0.1
    ours = large.from_dask(y_true[kept], y_score[kept])
    assert_same(ours, threshold_counts(Y_TRUE[keep], Y_SCORE[keep]))


def test_dask_weights_work_with_empty_partitions(cluster):
    frame = pd.DataFrame(dict(zip("yp", rows(0, N, 4), strict=True)))
    frame["w"], frame["i"] = weights(0, N), np.arange(N)
    parts = dd.from_pandas(frame, npartitions=6)
    parts, half = parts[parts["i"] >= N // 2], frame[N // 2 :]
    counts = large.from_dask(parts["y"], parts["p"], sample_weight=parts["w"])
    assert_same(counts, threshold_counts(half["y"], half["p"], sample_weight=half["w"]))


def joined(part, n, size):
    """Arrays of labels and scores, of which a function makes a part from its first row."""
    parts = [dask.delayed(part)(start) for start in range(0, n, size)]
    y_true = da.concatenate([da.from_delayed(p[0], (size,), bool) for p in parts])
    return y_true, da.concatenate([da.from_delayed(p[1], (size,), np.float32) for p in parts])


def test_a_worker_killed_in_the_second_pass_changes_nothing(mortal_cluster, tmp_path):
    def deadly(start):
        """Kill the worker when this partition is read again."""
        if start == 14_000 and not (tmp_path / "killed").exists():
            is_again = (tmp_path / "read").exists()
            (tmp_path / ("killed" if is_again else "read")).touch()
            if is_again:
                os.kill(os.getpid(), signal.SIGKILL)
        return rows(start, start + 2_000)

    counts = large.from_dask(*joined(deadly, 30_000, 2_000))
    assert_same(counts, threshold_counts(*rows(0, 30_000)))
    assert (tmp_path / "killed").exists()


@ON_ONE_MACHINE
def test_each_pass_computes_a_partition_once_for_all_columns():
    read = []

    def pair(start):
        read.append(start)
        return rows(start, start + 1_000)

    def noted(part):
        read.append(len(part))
        return part

    with dask.config.set(scheduler="synchronous"):
        large.from_dask(*joined(pair, 4_000, 1_000))
        assert sorted(read) == [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000]
        read.clear()
        frame = pd.DataFrame({"y": Y_TRUE[:4_000], "p": Y_SCORE[:4_000]})
        made = dd.from_pandas(frame, npartitions=4).map_partitions(noted, meta=frame.iloc[:0])
        large.from_dask(made["y"], made["p"])
        assert read == [1_000] * 8


def test_millions_of_thresholds_are_not_stored_in_the_graph(cluster):
    """Dask would warn from 10 MB on, and warnings are errors here."""

    def part(start, size=250_000):
        h = mix(np.arange(start, start + size))
        return h % 8 > 0, h / 2**32

    counts = large.from_dask(*joined(part, 2_000_000, 250_000))
    assert counts.thresholds.nbytes > 13e6
    assert_same(counts, threshold_counts(*part(0, 2_000_000)))


def test_no_results_remain_on_the_workers(cluster):
    y_true, y_score = arrays(4_000, 1_000)
    gc.collect()
    before = set(cluster.futures)
    large.from_dask(y_true, y_score)
    gc.collect()
    assert set(cluster.futures) <= before  # those of other tests may still be going
    with pytest.raises(ValueError, match=r"partition \d: Input y_score contains NaN"):
        large.from_dask(y_true, y_score * np.nan)
    gc.collect()
    assert not any(cluster.who_has().values())


@ON_ONE_MACHINE
def test_invalid_dask_input_is_refused_and_no_positives_give_nan():
    y_true, y_score = da.from_array([0, 1, 0, 5], chunks=2), da.from_array([1, 2, 3, 4], chunks=2)
    with pytest.raises(ValueError, match=r"^partition 1: y_true takes value in \{0, 5\}"):
        large.from_dask(y_true, y_score)
    assert np.isnan(Step()(large.from_dask(y_true * 0, y_score)))
    unlike = (
        ((4,), r"partitions, .* y_score.rechunk\(y_true.chunks\)"),
        ((1, 3), r"partition \d: .* inconsistent"),
    )
    for chunks, message in unlike:
        with pytest.raises(ValueError, match=message):
            large.from_dask(y_true, y_score.rechunk((chunks,)))
    with pytest.raises(ValueError, match=r"partition \d: y_score .*one-dimensional"):
        large.from_dask(y_true, np.ones(2) * y_score[:, None])
    for kind in (np.array, dask.delayed):
        with pytest.raises(TypeError, match=r"or Dask arrays or series.* use threshold_counts"):
            large.from_dask(kind([1, 0]), kind([2, 1]))
    frame = dd.from_pandas(pd.DataFrame({"y": [1, 0], "p": [2, 1]}), npartitions=1)
    with pytest.raises(ValueError, match="there is no column 'click'; there are 'y' and 'p'"):
        large.from_dask(frame, "click", "p")
    with pytest.raises(TypeError, match=r"the names of its columns.* got \(list, list, list\)"):
        large.from_dask([1, 0], [2, 1], [1, 1])
    with pytest.raises(TypeError, match="y_score must be the name of one column, got None"):
        large.from_dask(frame, "y", None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'progress'"):
        large.from_dask(frame, "y", "p", progress=True)
