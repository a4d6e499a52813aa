"""How many threads a call may use."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import pytest

from sklearn_ap.counts._threads import FEWEST_ROWS, MOST_THREADS, map_threads, n_threads


@pytest.fixture(autouse=True)
def no_limit(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_long_rankings_take_every_core_up_to_a_limit():
    assert n_threads(FEWEST_ROWS) == min(joblib.cpu_count(), MOST_THREADS)


def test_short_rankings_take_one_thread_whatever_is_set():
    with joblib.parallel_config(n_jobs=4):
        assert n_threads(FEWEST_ROWS - 1) == 1


@pytest.mark.parametrize("n_jobs", [1, 3, 20])
def test_parallel_config_decides(n_jobs):
    with joblib.parallel_config(n_jobs=n_jobs):
        assert n_threads(FEWEST_ROWS) == n_jobs


@pytest.mark.parametrize("n_jobs", [-1, -2, -1000])
def test_negative_n_jobs_count_back_from_the_cores(n_jobs):
    with joblib.parallel_config(n_jobs=n_jobs):
        cores = joblib.cpu_count() + 1 + n_jobs
        assert n_threads(FEWEST_ROWS) == min(max(cores, 1), MOST_THREADS)


@pytest.mark.parametrize("value", ["", "none", "4,2"])
def test_other_texts_in_omp_num_threads_set_no_limit(value, monkeypatch):
    expected = n_threads(FEWEST_ROWS)
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert n_threads(FEWEST_ROWS) == expected


@pytest.mark.parametrize("value", ["0", "1"])
def test_omp_num_threads_is_a_limit(value, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert n_threads(FEWEST_ROWS) == 1


def test_a_worker_thread_takes_one():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(n_threads, FEWEST_ROWS).result() == 1


@pytest.mark.parametrize("backend", [pytest.param("loky", marks=pytest.mark.slow), "threading"])
def test_a_worker_of_a_search_takes_one(backend):
    parallel = joblib.Parallel(n_jobs=2, backend=backend)
    assert parallel(joblib.delayed(n_threads)(FEWEST_ROWS) for _ in range(2)) == [1, 1]


def test_a_search_without_workers_takes_every_core():
    parallel = joblib.Parallel(n_jobs=1)
    expected = n_threads(FEWEST_ROWS)
    assert parallel(joblib.delayed(n_threads)(FEWEST_ROWS) for _ in range(2)) == [expected] * 2


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_items(threads):
    assert [*map_threads(lambda item: item**2, range(20), threads)] == [i**2 for i in range(20)]


def test_items_are_worked_on_side_by_side():
    barrier = threading.Barrier(2, timeout=10)  # each waits for the other
    assert sorted(map_threads(lambda item: barrier.wait() >= 0, range(2), 2)) == [True, True]


def test_one_thread_is_the_callers():
    (thread,) = map_threads(lambda item: threading.current_thread(), [0], 1)
    assert thread is threading.main_thread()


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    used = {*map_threads(lambda item: threading.current_thread(), range(4), 2)}
    assert used.isdisjoint(before)
    assert set(threading.enumerate()) <= before


AT_EXIT = """
import atexit
from sklearn_ap.counts._threads import map_threads
atexit.register(lambda: print(*map_threads(str, [1, 2], 2)))
"""


@pytest.mark.slow
def test_work_goes_on_while_the_interpreter_ends():
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == ([b"1", b"2"], b"")


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_arrive(threads):
    with pytest.raises(ZeroDivisionError):
        [*map_threads(lambda item: 1 // item, [1, 0], threads)]
