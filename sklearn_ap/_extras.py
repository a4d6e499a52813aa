"""Optional packages, progress bars, warnings, and text that is safe to print."""

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from threading import Event, Thread
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the program's help is printed without NumPy
    from sklearn_ap._types import Keywords

PACKAGE = __name__.partition(".")[0]
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
REFRESH_PERIOD = 1.0  # seconds between updates of the time of a bar
# tqdm's own format leaves the unit out where the total is known.
BAR_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_fmt}]"
TIME_FORMAT = "{desc}: {elapsed}"


class Bar(Protocol):
    """The part of a progress bar of tqdm that is used here."""

    n: int
    delay: float
    disable: bool

    def update(self, n: int = 1) -> object:
        """Add progress, and show it."""

    def refresh(self) -> object:
        """Draw the bar anew."""

    def close(self) -> object:
        """Leave the last state of the bar, or remove it."""


class Counter(Protocol):
    """A bar, or a counter instead of one."""

    n: int

    def update(self, n: int = 1) -> object:
        """Add progress."""


def import_extra(package: str, user: str, extra: str) -> ModuleType:
    """Import an optional package; the error names its user and the command to install it."""
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
    """Return the command that installs the packages of an extra."""
    return f"pip install {PACKAGES[extra]}"


def printable(text: str) -> str:
    r"""Escape letters that cannot be printed, as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def printable_lines(text: str) -> str:
    """Write each line of a text as ``printable`` does."""
    return "\n".join(map(printable, text.split("\n")))


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the warning arises."""
    # skip_file_prefixes of Python 3.12 stops at the __init__ of a dataclass, which is in no file.
    frame = sys._getframe()
    level = 1
    while frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE and frame.f_back:
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)


class NoBar:
    """A counter instead of a bar."""

    n = 0

    def update(self, n: int = 1) -> None:
        """Add progress."""
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
    if sys.stderr is None:  # closed: tqdm would raise an error, and never release its lock
        options = {"disable": True}
    elif not asked_for:
        options = {"disable": None, "leave": False, "ncols": 79, "delay": DELAY}
    if total:
        options["bar_format"] = BAR_FORMAT
    elif not unit:
        options["bar_format"] = TIME_FORMAT
    bar = tqdm.tqdm(total=total, unit=unit, unit_scale=True, desc=title, file=sys.stderr, **options)
    return _keep_time(bar)


@contextmanager
def _keep_time(bar: Bar) -> Iterator[Bar]:
    """Update the time of a bar, even without progress."""
    is_over = Event()

    def refresh() -> None:
        while not is_over.wait(REFRESH_PERIOD):
            bar.delay = 0  # the bar is visible from now on, so tqdm has to remove it
            bar.refresh()

    thread = Thread(target=refresh, daemon=True)
    with closing(bar):
        if not bar.disable:
            thread.start()
        try:
            yield bar
        finally:
            is_over.set()
            if thread.is_alive():
                thread.join()
