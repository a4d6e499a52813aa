"""Packages that need not be installed, by the extra that has them."""

import importlib
import sys
import threading
from collections.abc import Generator, Iterable
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar

from sklearn_ap._errors import MissingPackageError

Item = TypeVar("Item")
DELAY = 1  # seconds, after which work is long

# The packages of each extra: an extra itself can be installed only from an index that has us.
PACKAGES = {
    "coco": "pycocotools",
    "dask": "'dask[dataframe,distributed]' pandas pyarrow",
    "pandas": "pandas",
    "plot": "matplotlib",
    "progress": "tqdm",
    "spark": "'pyspark[connect]' pandas pyarrow",
    "table": "pyarrow",
}


def import_extra(package: str, needed_by: str, extra: str) -> ModuleType:
    """Import an optional package; the error says what needs it and the command to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        # A package that is there may lack another one, or be built for another version of one.
        state = "is not installed" if find_spec(name) is None else f"cannot be imported ({error})"
        raise MissingPackageError(
            f"{needed_by} needs {name}, which {state}: pip install {PACKAGES[extra]}."
        ) from error


def show_progress(items: Iterable[Item], number: int | None, unit: str) -> Generator[Item]:
    """Yield the items; if tqdm is installed, a terminal shows how many have come, after a second.

    The number is that of all items; None if it is not known. A loop whose body may raise an error
    closes this before the error is printed.
    """
    if sys.stderr is None or not sys.stderr.isatty() or find_spec("tqdm") is None:
        yield from items
        return

    class Bar(importlib.import_module("tqdm").tqdm):  # type: ignore[misc]
        """A bar with a lock of its own: the usual one makes a semaphore for processes."""

    Bar.set_lock(threading.RLock())
    yield from Bar(items, total=number, unit=unit, delay=DELAY, leave=False)


class LazyModule:
    """An optional package that is imported where it is first used."""

    def __init__(self, package: str, needed_by: str, extra: str) -> None:
        self._needed = package, needed_by, extra

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 whatever the package has
        return getattr(import_extra(*self._needed), name)
