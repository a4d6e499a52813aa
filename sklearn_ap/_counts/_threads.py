"""Threads for long sorts and searches, during which NumPy lets other threads run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import parent_process
from threading import current_thread, main_thread
from typing import TypeVar

from joblib import cpu_count

MOST_THREADS = 8  # that read the same thresholds, or wait for the same memory

Part = TypeVar("Part")
Found = TypeVar("Found")


def n_threads() -> int:
    """Return how many threads to use: one in a worker, which has others beside it.

    ``LOKY_MAX_CPU_COUNT`` limits them, as it does for joblib.
    """
    is_worker = parent_process() is not None or current_thread() is not main_thread()
    # At the end of the interpreter no thread begins
    return 1 if is_worker or not main_thread().is_alive() else min(cpu_count(), MOST_THREADS)


def map_threads(function: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """Return what a function gives for each part, computed side by side."""
    threads = min(n_threads(), len(parts))
    if threads == 1:
        return [*map(function, parts)]
    # Threads that stayed would save a tenth of a millisecond, and a process could not fork safely.
    with ThreadPoolExecutor(threads) as pool:
        return [*pool.map(function, parts)]
