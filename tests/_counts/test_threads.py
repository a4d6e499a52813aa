"""How many threads a call may use."""

import subprocess
import sys
import threading

import joblib
import pytest

from sklearn_ap._counts.threads import (
    FEWEST_ROWS_FOR_THREADS,
    MOST_THREADS,
    map_threads,
    map_threads_lazily,
    n_threads,
)

ALL = min(joblib.cpu_count(), MOST_THREADS)


@pytest.fixture(autouse=True)
def no_limit(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.parametrize("n_jobs", [None, 1, 3, 20, -1, -2, -1000])
def test_parallel_config_sets_threads_and_short_rankings_use_one(n_jobs):
    expected = ALL if n_jobs is None else n_jobs
    if expected < 0:
        expected = min(max(joblib.cpu_count() + 1 + n_jobs, 1), MOST_THREADS)
    with joblib.parallel_config(n_jobs=n_jobs):
        assert n_threads(FEWEST_ROWS_FOR_THREADS) == expected
        assert n_threads(FEWEST_ROWS_FOR_THREADS - 1) == 1


@pytest.mark.parametrize(("value", "most"), [("", ALL), ("4,2", ALL), ("0", 1), ("1", 1)])
def test_numeric_omp_num_threads_limits_the_threads(value, most, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert n_threads(FEWEST_ROWS_FOR_THREADS) == most


@pytest.mark.parametrize(
    ("n_jobs", "backend", "threads"),
    [
        pytest.param(2, "loky", 1, marks=pytest.mark.slow),
        (2, "threading", 1),
        (1, "loky", ALL),
    ],
)
def test_parallel_joblib_workers_use_one_thread_each(n_jobs, backend, threads):
    parallel = joblib.Parallel(n_jobs=n_jobs, backend=backend)
    assert (
        parallel(joblib.delayed(n_threads)(FEWEST_ROWS_FOR_THREADS) for _ in range(2))
        == [threads] * 2
    )


@pytest.mark.parametrize("in_threads", [map_threads, map_threads_lazily])
@pytest.mark.parametrize("threads", [1, 3])
def test_results_and_errors_come_in_the_order_of_the_items(threads, in_threads):
    assert [*in_threads(lambda item: item**2, range(20), threads)] == [i**2 for i in range(20)]
    with pytest.raises(ZeroDivisionError):
        [*in_threads(lambda item: 1 // item, [1, 0], threads)]


@pytest.mark.parametrize("in_threads", [map_threads, map_threads_lazily])
def test_items_are_worked_on_in_parallel_and_no_thread_is_left(in_threads):
    before = set(threading.enumerate())
    barrier = threading.Barrier(2, timeout=10)  # each waits for the other
    assert sorted(in_threads(lambda item: barrier.wait() >= 0, range(2), 2)) == [True, True]
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("threads", [1, 2])
def test_lazy_threads_make_few_items_before_their_results_are_taken(threads):
    made = []
    results = map_threads_lazily(lambda item: item, map(made.append, range(20)), threads)
    for n_taken, _ in enumerate(results, start=1):
        assert len(made) <= n_taken + threads
    assert n_taken == 20


AT_EXIT = """
import atexit
from sklearn_ap._counts.threads import map_threads
atexit.register(lambda: print(*map_threads(str, [1, 2], 2)))
"""


@pytest.mark.slow
def test_work_goes_on_while_the_interpreter_ends():
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == ([b"1", b"2"], b"")
