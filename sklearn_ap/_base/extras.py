"""Optional packages: their import, progress bars, and text that is safe to print."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from threading import Event, Thread
from time import perf_counter
from types import ModuleType
from typing import Protocol

from sklearn_ap._base.common.types import Keywords

# The packages of each extra: an extra itself can be installed only from an index that has us.
PACKAGES = {
    "coco": "pycocotools",
    "dask": "'dask[array,dataframe,distributed]'",
    "pandas": "pandas",
    "plot": "matplotlib",
    "spark": "'pyspark[connect]' pandas pyarrow",
    "table": "pyarrow tqdm",
}
DELAY = 0.5  # seconds before a bar shows that nobody asked for
LONG_CALL = 2.0  # seconds after which a call of Python shows how far it is
REFRESH_PERIOD = 1.0  # seconds after which a bar shows the time anew
# tqdm's own format leaves the unit out where the total is known.
BAR_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_fmt}]"
TIME_FORMAT = "{desc}: {elapsed}"

Advance = Callable[[int], None]  # is told how much more is done


class Bar(Protocol):
    """A progress bar of tqdm, as far as it is used here."""

    n: int
    delay: float
    disable: bool
    start_t: float

    def update(self, n: int = 1) -> object:
        """Show that so much more is done."""

    def refresh(self) -> object:
        """Draw the bar anew."""

    def close(self) -> object:
        """Leave the last state of the bar, or remove it."""


class Counter(Protocol):
    """A bar, or what counts in its place."""

    n: int

    def update(self, n: int = 1) -> object:
        """Count so much more."""


OPEN_BARS: list[Bar] = []  # of the command line


def import_extra(package: str, user: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to install it, and what needs it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{user} needs {package.partition('.')[0]}, which is not installed: "
            f"{install_command(extra)}."
        ) from error


def import_optional(package: str) -> ModuleType | None:
    """Import a package that may be missing."""
    try:
        return importlib.import_module(package)
    except ImportError:
        return None


def install_command(extra: str) -> str:
    """Give the command that installs the packages of an extra."""
    return f"pip install {PACKAGES[extra]}"


def printable(text: str) -> str:
    r"""Write what no terminal should get as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def printable_lines(text: str) -> str:
    """Write each line of a text as ``printable`` does."""
    return "\n".join(map(printable, text.split("\n")))


class NoBar:
    """A counter in the place of a bar."""

    n = 0

    def update(self, n: int = 1) -> None:
        """Count so much more."""
        self.n += n


def progress(
    total: int | None, unit: str, title: str, *, asked_for: bool = False
) -> AbstractContextManager[Counter]:
    """Make a bar on standard error, if tqdm is installed. Without a unit, it shows the time alone.

    A bar that was asked for stays. Another one shows only on a terminal, while work takes time.
    """
    tqdm = import_optional("tqdm")
    if tqdm is None:
        return nullcontext(NoBar())
    options: Keywords = {}
    if sys.stderr is None:  # closed: tqdm would raise an error, and never give back its lock
        options = {"disable": True}
    elif not asked_for:
        options = {"disable": None, "leave": False, "ncols": 79, "delay": DELAY}
    if total:
        options["bar_format"] = BAR_FORMAT
    elif not unit:
        options["bar_format"] = TIME_FORMAT
    bar = tqdm.tqdm(total=total, unit=unit, unit_scale=True, desc=title, file=sys.stderr, **options)
    return _keep_time(bar)


def ignore_progress(n: int) -> None:
    """Do nothing with the progress of work that no bar shows."""


@contextmanager
def progress_if_long(total: int, unit: str, title: str) -> Iterator[Advance]:
    """Show how far a long call is, on a terminal or in a notebook, if tqdm is installed.

    It takes no thread, which would make forks unsafe, and imports nothing for a short call.
    """
    begin = perf_counter()
    n_done = 0
    was_late = False
    bar: Bar | None = None

    def advance(n: int) -> None:
        nonlocal n_done, was_late, bar
        n_done += n
        if not was_late and perf_counter() - begin >= LONG_CALL:
            was_late = True
            bar = _late_bar(begin, total, unit, title)
            if bar is not None:
                bar.n = n_done
                bar.refresh()
        elif bar is not None:
            bar.update(n_done - bar.n)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()


def _late_bar(begin: float, total: int, unit: str, title: str) -> Bar | None:
    """Make a bar of work that began before; None if nobody would see it, or another one shows."""
    stream = sys.stderr
    is_notebook = type(stream).__module__.startswith("ipykernel")
    if OPEN_BARS or stream is None or not (is_notebook or stream.isatty()):
        return None
    tqdm = import_optional("tqdm")
    if tqdm is None:
        return None
    bar: Bar = tqdm.tqdm(
        total=total,
        unit=unit,
        unit_scale=True,
        desc=title,
        file=stream,
        bar_format=BAR_FORMAT,
        leave=False,
        ncols=79,
    )
    bar.start_t -= perf_counter() - begin
    return bar


@contextmanager
def _keep_time(bar: Bar) -> Iterator[Bar]:
    """Show the time that has passed also while nothing is done."""
    is_over = Event()

    def refresh() -> None:
        while not is_over.wait(REFRESH_PERIOD):
            bar.delay = 0  # it is seen from now on, so tqdm has to remove it
            bar.refresh()

    thread = Thread(target=refresh, daemon=True)
    with closing(bar):
        if not bar.disable:
            thread.start()
        OPEN_BARS.append(bar)
        try:
            yield bar
        finally:
            OPEN_BARS.remove(bar)
            is_over.set()
            if thread.is_alive():
                thread.join()
