"""Optional packages, warnings, and text that is safe to print."""

import importlib
import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the program's help is printed without NumPy
    from sklearn_ap._types import Argument

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


def import_extra(package: str, user: str, extra: str) -> ModuleType:
    """Import an optional package; the error names its user and the command to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{user} needs {package.partition('.')[0]}, which is not installed: "
            f"{install_command(extra)}."
        ) from error


class LazyModule:
    """An optional package that is imported where it is first used."""

    def __init__(self, package: str, user: str, extra: str) -> None:
        self._needed = package, user, extra

    def __getattr__(self, name: str) -> "Argument":
        return getattr(import_extra(*self._needed), name)


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


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the warning arises."""
    # skip_file_prefixes of Python 3.12 stops at the __init__ of a dataclass, which is in no file.
    frame = sys._getframe()
    level = 1
    # Cached properties are called by functools.
    inside = (PACKAGE, "functools")
    while frame.f_globals.get("__name__", "").partition(".")[0] in inside and frame.f_back:
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)
