"""Warnings that point at the line of the user: the first one outside this package."""

import sys
import warnings

PACKAGE = __name__.partition(".")[0]


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the reason is found."""
    frame, level = sys._getframe(), 1
    while frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE and frame.f_back:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
