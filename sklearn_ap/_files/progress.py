"""A progress bar of rows that are read."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from sklearn_ap._extras import import_extra
from sklearn_ap._types import Keywords

DELAY = 0.5  # seconds before a bar shows


@contextmanager
def progress(
    total: int | None, unit: str, title: str, *, disable: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """Yield a function that adds to a bar of tqdm on standard error, which shows on terminals.

    ``disable`` is that of tqdm: False, which the user asked for, shows the bar anywhere, and leaves
    it at the end.
    """
    asked = disable is False
    try:
        tqdm = import_extra("tqdm", "progress=True", "table")
    except ImportError:
        if asked:
            raise
        disable = True
    if disable or sys.stderr is None:  # closed: tqdm would raise an error
        yield lambda _: None
        return
    kind: Any = type("Bar", (tqdm.tqdm,), {})  # tqdm may be missing
    kind.set_lock(RLock())  # tqdm's is for processes, too, and Python 3.14 tells of one left
    options: Keywords = {"total": total, "unit": unit, "unit_scale": True, "desc": title}
    with kind(**options, delay=DELAY, disable=disable, leave=asked) as bar:
        yield bar.update
