"""Optional packages: how one is imported, and the bar that one draws; and what may be printed."""

import importlib
from types import ModuleType


def import_extra(package: str, what: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package.partition('.')[0]}, which is not installed: "
            f"pip install 'sklearn-ap[{extra}]'."
        ) from error


def printable(text: str) -> str:
    r"""Write what no terminal should get as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
