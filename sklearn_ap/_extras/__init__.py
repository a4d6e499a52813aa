"""Optional packages: how one is imported, and the bar that one draws; and what may be printed."""

import importlib
from types import ModuleType

# The packages of each extra: an extra itself can be installed only from an index that has us.
PACKAGES = {
    "coco": "pycocotools",
    "dask": "'dask[array,dataframe,distributed]'",
    "pandas": "pandas",
    "plot": "matplotlib",
    "spark": "'pyspark[connect]' pandas pyarrow",
    "table": "pyarrow tqdm",
}


def import_extra(package: str, what: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package.partition('.')[0]}, which is not installed: "
            f"{installation(extra)}."
        ) from error


def installation(extra: str) -> str:
    """The command that installs the packages of an extra."""
    return f"pip install {PACKAGES[extra]}"


def printable(text: str) -> str:
    r"""Write what no terminal should get as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
