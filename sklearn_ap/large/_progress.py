"""A progress bar of rows that are counted."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from sklearn_ap._extras import import_extra

DELAY = 0.5  # seconds before a bar shows


@contextmanager
def progress(total: int | None, title: str, *, is_shown: bool) -> Iterator[Callable[[int], object]]:
    """Yield a function that adds rows to a bar of tqdm on standard error, if it is shown."""
    if not is_shown or sys.stderr is None:  # closed: tqdm would raise an error
        yield lambda _: None
        return
    tqdm = import_extra("tqdm", "progress=True", "table")
    kind: Any = type("Bar", (tqdm.tqdm,), {})
    kind.set_lock(RLock())  # tqdm's is for processes, too, and Python 3.14 tells of one left
    with kind(total=total, unit=" rows", unit_scale=True, desc=title, delay=DELAY) as bar:
        yield bar.update
