"""What to say when an optional package is not installed."""

from __future__ import annotations

__all__ = ["missing"]


def missing(what: str, package: str, extra: str) -> ImportError:
    """The error for a package that an extra installs."""
    return ImportError(
        f"{what} needs {package}, which is not installed: pip install 'sklearn-ap[{extra}]'."
    )
