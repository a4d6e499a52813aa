"""Random orders in several threads, until tests against chance are rebuilt without them."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import joblib

FEWEST_ROWS_FOR_THREADS = 300_000  # with fewer, two threads gain nothing where sorts are fast
MOST_THREADS = 8  # each thread reads all rows once, so more threads gain little

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads(n_rows: int) -> int:
    """Return the number of threads for counting ``n_rows`` rows.

    ``joblib.parallel_config(n_jobs=...)`` decides, where it is set. Otherwise it is the number of
    cores that the process may use, and 1 in a worker process or worker thread.
    """
    if n_rows < FEWEST_ROWS_FOR_THREADS:
        return 1
    _, n_jobs = joblib.parallel.get_active_backend()  # None unless parallel_config sets it
    if n_jobs is None:
        return 1 if _inside_a_worker() else min(_usable_cores(), MOST_THREADS)
    if n_jobs < 0:  # all cores, all but one, ...
        return max(1, min(joblib.cpu_count() + 1 + n_jobs, MOST_THREADS))
    return max(1, n_jobs)


def map_threads(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield the results in the order of the items, which this thread makes one by one.

    While other threads work on items, this one makes the next. Few items are in memory at once.
    """
    if threads == 1 or not threading.main_thread().is_alive():
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _inside_a_worker() -> bool:
    """Check whether others work beside this thread: joblib's workers, or the user's own."""
    is_child_process = multiprocessing.parent_process() is not None
    return is_child_process or threading.current_thread() is not threading.main_thread()


def _usable_cores() -> int:
    """Return the cores of the process, or fewer if the user allows numerical libraries fewer."""
    n_cores = joblib.cpu_count()
    n_allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(n_cores, max(1, int(n_allowed))) if n_allowed.isdecimal() else n_cores
