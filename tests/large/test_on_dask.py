"""Counts on a real Dask cluster of two worker processes."""

import gc
import os
import signal

import numpy as np
import pandas as pd
import pytest
from recipe import assert_same, mix, rows, weights

from sklearn_ap import AveragePrecisionInterval, average_precision_interval, large, threshold_counts
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.engines
pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

N = 50_000


def arrays(n, size, c=25):
    y_true, y_score = rows(0, n, c)
    return da.from_array(y_true, chunks=size), da.from_array(y_score, chunks=size)


@pytest.mark.parametrize("size", [999, N])
def test_arrays_in_chunks_of_any_size_give_the_same_digits(cluster, size):
    assert_same(large.from_dask(*arrays(N, size)), threshold_counts(*rows(0, N)))


def test_weights_and_clusters_have_the_interval_of_the_rows(cluster):
    y_true, y_score = rows(0, N, 4)
    frame = pd.DataFrame({"y": y_true, "p": y_score, "w": weights(0, N)})
    frame["c"] = mix(np.arange(N) // 7) % 1500
    parts = dd.from_pandas(frame, npartitions=6)
    counts = large.from_dask(parts, "y", "p", sample_weight="w", clusters="c")
    options = {"sample_weight": frame["w"], "clusters": frame["c"]}
    expected = average_precision_interval(y_true, y_score, **options)
    ours = AveragePrecisionInterval.from_counts(counts)
    assert ours.low == pytest.approx(expected.low, rel=1e-9)
    assert ours.standard_error == pytest.approx(expected.standard_error, rel=1e-9)


# Older versions of Dask say so where other tests keep a cluster open.
ON_ONE_MACHINE = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")


@ON_ONE_MACHINE
def test_without_a_cluster_it_runs_in_threads():
    with dask.config.set(scheduler="threads"):
        assert_same(large.from_dask(*arrays(N, 9_000)), threshold_counts(*rows(0, N)))


def test_unknown_chunk_sizes(cluster):
    y_true, y_score = arrays(N, 9_000)
    kept, expected = y_score > 0.1, rows(0, N)
    assert np.isnan(y_score[kept].chunks[0][0])
    keep = expected[1] > 0.1
    ours = large.from_dask(y_true[kept], y_score[kept])
    assert_same(ours, threshold_counts(expected[0][keep], expected[1][keep]))


def test_series_of_a_data_frame_with_weights_and_empty_partitions(cluster):
    y_true, y_score = rows(0, N)
    frame = pd.DataFrame({"y": y_true, "p": y_score, "w": weights(0, N), "i": np.arange(N)})
    parts = dd.from_pandas(frame, npartitions=6)
    parts = parts[parts["i"] >= N // 2]  # half of the partitions are empty now
    half = frame[N // 2 :]
    expected = threshold_counts(half["y"], half["p"], sample_weight=half["w"])
    assert_same(large.from_dask(parts["y"], parts["p"], sample_weight=parts["w"]), expected)


@pytest.mark.parametrize("n_pass", [1, 2])
def test_a_worker_killed_in_a_pass_changes_nothing(cluster, n_pass, tmp_path):
    n, size = 30_000, 2_000

    def deadly(start):
        """Kill the worker when this partition is read in the pass."""
        if start == 7 * size and not (tmp_path / "killed").exists():
            seen = len(list(tmp_path.iterdir())) + 1
            (tmp_path / (str(seen) if seen < n_pass else "killed")).touch()
            if seen == n_pass:
                os.kill(os.getpid(), signal.SIGKILL)
        return rows(start, start + size)

    parts = [dask.delayed(deadly)(i) for i in range(0, n, size)]
    y_true, y_score = joined(parts, size)
    assert_same(large.from_dask(y_true, y_score), threshold_counts(*rows(0, n)))
    assert (tmp_path / "killed").exists()
    cluster.wait_for_workers(2)


def joined(parts, size):
    """Arrays of delayed pairs of labels and scores."""
    y_true = da.concatenate([da.from_delayed(p[0], (size,), bool) for p in parts])
    return y_true, da.concatenate([da.from_delayed(p[1], (size,), np.float32) for p in parts])


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
        large.from_dask(*joined([dask.delayed(pair)(i) for i in range(0, 4_000, 1_000)], 1_000))
        assert sorted(read) == [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000]
        read.clear()
        y_true, y_score = rows(0, 4_000)
        frame = pd.DataFrame({"y": y_true, "p": y_score})
        made = dd.from_pandas(frame, npartitions=4).map_partitions(noted, meta=frame.iloc[:0])
        large.from_dask(made["y"], made["p"])
        assert read == [1_000] * 8


def test_millions_of_thresholds_are_not_sent_in_a_graph(cluster):
    """Dask would warn from 10 MB on, and warnings are errors here."""
    n, size = 2_000_000, 250_000

    def part(start):
        h = mix(np.arange(start, start + size))
        return h % 8 > 0, h / 2**32

    parts = [dask.delayed(part)(i) for i in range(0, n, size)]
    y_true, y_score = joined(parts, size)
    counts = large.from_dask(y_true, y_score)
    h = mix(np.arange(n))
    assert counts.thresholds.nbytes > 13e6
    assert_same(counts, threshold_counts(h % 8 > 0, h / 2**32))


def test_nothing_stays_with_the_workers(cluster):
    y_true, y_score = arrays(4_000, 1_000)
    gc.collect()
    before = set(cluster.futures)
    large.from_dask(y_true, y_score)
    gc.collect()
    assert set(cluster.futures) <= before  # those of other tests may still be going
    with pytest.raises(ValueError, match="contains NaN"):
        large.from_dask(y_true, y_score * np.nan)
    gc.collect()
    assert not any(cluster.who_has().values())


def test_a_wrong_score_is_said_with_its_partition(cluster):
    y_true, y_score = rows(0, 4_000)
    y_score[2_500] = np.nan
    with pytest.raises(ValueError, match=r"partition 2: y_score contains NaN .*: 1 of 1000 .* 500"):
        large.from_dask(da.from_array(y_true, chunks=1000), da.from_array(y_score, chunks=1000))


def test_scores_drawn_anew_in_each_pass_are_found_out(cluster):
    drawn = dask.delayed(lambda: np.random.default_rng().random(1_000), pure=False)
    parts = [da.from_delayed(drawn(), (1_000,), float) for _ in range(4)]
    with pytest.raises(ValueError, match="The second pass saw other scores than the first"):
        large.from_dask(arrays(4_000, 1_000)[0], da.concatenate(parts))


@pytest.mark.parametrize("size", [5_000, 3_000])
def test_partitions_that_do_not_match_say_how_to_align_them(cluster, size):
    y_true, _ = arrays(10_000, 2_500)
    _, y_score = arrays(10_000, size)
    with pytest.raises(ValueError, match=r"do not match: .* y_score.rechunk\(y_true.chunks\)"):
        large.from_dask(y_true, y_score)


@pytest.mark.parametrize("kind", [np.array, dask.delayed])
def test_arrays_in_memory_are_sent_to_the_function_for_them(kind):
    with pytest.raises(TypeError, match=r"y_true must be a Dask array .* use threshold_counts"):
        large.from_dask(kind([1, 0]), kind([2, 1]))


@ON_ONE_MACHINE
def test_columns_of_a_frame_by_their_names():
    table = {"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1], "w": [1, 2, 3, 4], "q": [1, 1, 2, 2]}
    frame = dd.from_pandas(pd.DataFrame(table), npartitions=2)
    assert_same(large.from_dask(frame, "y", "p"), threshold_counts(table["y"], table["p"]))
    ours = large.from_dask(frame, "y", "p", sample_weight="w", queries="q")
    columns = {"sample_weight": frame["w"], "queries": frame["q"]}
    assert_same(ours, large.from_dask(frame["y"], frame["p"], **columns))
    with pytest.raises(ValueError, match="There is no column 'click'; there are 'y', 'p'"):
        large.from_dask(frame, "click", "p")
    with pytest.raises(TypeError, match=r"the names of its columns, \(frame, .*got a list"):
        large.from_dask(table["y"], table["p"], table["w"])
    with pytest.raises(TypeError, match=r"'progress'\. from_table and from_chunks take it"):
        large.from_dask(frame, "y", "p", progress=True)


@ON_ONE_MACHINE
def test_a_third_label_names_its_partition_and_no_positives_give_nan():
    y_true, y_score = da.from_array([0, 1, 0, 5], chunks=2), da.from_array([1, 2, 3, 4], chunks=2)
    with pytest.raises(ValueError, match="The label 5 is first in partition 1, row 1"):
        large.from_dask(y_true, y_score)
    assert np.isnan(Step()(large.from_dask(y_true * 0, y_score)))
