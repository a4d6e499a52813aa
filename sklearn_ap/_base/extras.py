"""Optional packages: how one is imported, and the progress bar; and what may be printed."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Thread
from time import perf_counter
from types import ModuleType
from typing import Any

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
LONG = 2.0  # seconds after which a call of Python says how far it is
EVERY = 1.0  # seconds after which a bar shows the time anew
# tqdm's own format leaves the unit out where the total is known.
FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_fmt}]"
TIME = "{desc}: {elapsed}"
OPEN: list[Any] = []  # bars of the command line

Advance = Callable[[int], None]  # hears how much more is done


def import_extra(package: str, what: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package.partition('.')[0]}, which is not installed: "
            f"{install_command(extra)}."
        ) from error


def import_optional(package: str) -> ModuleType | None:
    """Import a package that may be missing."""
    try:
        return importlib.import_module(package)
    except ImportError:
        return None


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra."""
    return f"pip install {PACKAGES[extra]}"


def printable(text: str) -> str:
    r"""Write what no terminal should get as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def printable_lines(text: str) -> str:
    """Write each line of a text so."""
    return "\n".join(map(printable, text.split("\n")))


class NoBar:
    """Counts what a bar would show."""

    n = 0

    def update(self, n: int = 1) -> None:
        self.n += n


def progress(
    total: int | None, unit: str, title: str, *, asked_for: bool = False
) -> AbstractContextManager[Any]:
    """Make a bar on standard error, if tqdm is there. Without a unit, it shows the time alone.

    A bar that was asked for stays. Another one shows only on a terminal, while work takes time.
    """
    tqdm = import_optional("tqdm")
    if tqdm is None:
        return nullcontext(NoBar())
    known = {"bar_format": FORMAT} if total else {} if unit else {"bar_format": TIME}
    hidden = {} if asked_for else {"disable": None, "leave": False, "ncols": 79, "delay": DELAY}
    if sys.stderr is None:  # closed: tqdm would raise an error, and never give back its lock
        hidden = {"disable": True}
    bar = tqdm.tqdm(
        total=total, unit=unit, unit_scale=True, desc=title, file=sys.stderr, **known, **hidden
    )
    return _keeping_time(bar)


def ignore_progress(n: int) -> None:
    """Hear of work that no bar shows."""


@contextmanager
def progress_if_long(total: int, unit: str, title: str) -> Iterator[Advance]:
    """Show how far a long call is, on a terminal or in a notebook, if tqdm is there.

    It takes no thread, which would make forks unsafe, and imports nothing for a short call.
    """
    begin = perf_counter()
    done = 0
    bar: Any = None

    def advance(n: int) -> None:
        nonlocal done, bar
        done += n
        if bar is None and perf_counter() - begin >= LONG:
            bar = _late_bar(begin, total, unit, title)
            if bar:
                bar.n = done
                bar.refresh()
        elif bar:
            bar.update(done - bar.n)

    try:
        yield advance
    finally:
        if bar:
            bar.close()


def _late_bar(begin: float, total: int, unit: str, title: str) -> Any:
    """A bar of work that began before; False if nobody would see it, or another one shows."""
    stream: Any = sys.stderr
    is_notebook = type(stream).__module__.startswith("ipykernel")
    if OPEN or stream is None or not (is_notebook or stream.isatty()):
        return False
    tqdm = import_optional("tqdm")
    if tqdm is None:
        return False
    bar = tqdm.tqdm(
        total=total,
        unit=unit,
        unit_scale=True,
        desc=title,
        file=stream,
        bar_format=FORMAT,
        leave=False,
        ncols=79,
    )
    bar.start_t -= perf_counter() - begin
    return bar


@contextmanager
def _keeping_time(bar: Any) -> Iterator[Any]:
    """Show the time that has passed also while nothing is done."""
    done = Event()

    def refresh() -> None:
        while not done.wait(EVERY):
            bar.delay = 0  # it is seen from now on, so tqdm has to remove it
            bar.refresh()

    thread = Thread(target=refresh, daemon=True)
    with bar:
        if not bar.disable:
            thread.start()
        OPEN.append(bar)
        try:
            yield bar
        finally:
            OPEN.remove(bar)
            done.set()
            if thread.is_alive():
                thread.join()
