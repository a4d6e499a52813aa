"""Warnings: how each is issued, and those that a result may be unreliable."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

PACKAGE = __name__.partition(".")[0]

# The warnings that ``docs/warnings.md`` explains
WarningName = Literal[
    "predicted classes",
    "constant scores",
    "coarse scores",
    "reversed scores",
    "no negatives",
    "few negatives",
    "few clusters",
    "small pilot",
    "unattainable precision",
    "unequal weights",
    "clusters in training",
    "unequal prevalence",
    "unknown prevalence",
    "unlike folds",
    "unlike methods",
    "hidden positives",
    "unlike labels",
    "wrong probabilities",
    "copied labels",
    "unequal judgements",
    "missing results",
    "forgotten queries",
    "only positives",
    "few labelled queries",
    "same sample",
]

# Where warnings go in place of the user, who has None. Each thread has its own, unlike the filters
# of ``warnings.catch_warnings``, which threads that end in another order leave behind.
_HEARD: ContextVar[list[Warning] | None] = ContextVar("_HEARD", default=None)


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a comparison may be unreliable, with what to do.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        Of the warning, such as "few clusters"; the guide has a page of them.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn_ap import UncertaintyWarning, average_precision_interval
    >>> y_true = np.repeat([1, 0], [10, 90])
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     _ = average_precision_interval(y_true, -np.arange(100), clusters=np.arange(100) // 5)
    >>> [warning.message.name for warning in found]
    ['few clusters']
    """

    def __init__(self, text: str, name: WarningName) -> None:
        super().__init__(text, name)  # both are pickled
        self.name = name

    def __str__(self) -> str:
        return f"{self.name}: {self.args[0]}"


@contextmanager
def hear_warnings() -> Iterator[list[Warning]]:
    """Keep the warnings of this package, of this thread, in a list, and issue none."""
    heard: list[Warning] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def warn(text: str | Warning, category: type[Warning]) -> None:
    """Warn for the line that called this package, however deep inside it the warning arises."""
    heard = _HEARD.get()
    if heard is not None:
        heard.append(text if isinstance(text, Warning) else category(text))
        return
    # skip_file_prefixes of Python 3.12 stops at the __init__ of a dataclass, which is in no file.
    frame = sys._getframe()
    level = 1
    # Cached properties are called by functools.
    inside = (PACKAGE, "functools")
    while frame.f_globals.get("__name__", "").partition(".")[0] in inside and frame.f_back:
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)
