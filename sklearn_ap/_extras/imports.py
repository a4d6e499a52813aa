"""Import an optional package, or say how to install it."""

import importlib
from types import ModuleType


def import_extra(package: str, what: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package.partition('.')[0]}, which is not installed: "
            f"pip install 'sklearn-ap[{extra}]'."
        ) from error
