"""Warnings about intervals and comparisons that may mislead.

Intervals of samples with such a warning are wrong more often than others:
``benchmarks/warning_kinds.py`` measures that. Wide intervals need no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_DOWN, Context
from typing import Literal, cast

from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.labels import predicted_class_remarks
from sklearn_ap._types import Name, RowData

MOST_NAMES = 3  # the most models, or segments, that a warning names: a choice
THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

# The warnings that ``docs/warnings.md`` explains
WarningName = Literal[
    "predicted classes",
    "few negatives",
    "few clusters",
    "few rows",
    "small rankings",
    "permuted rows",
    "unattainable precision",
    "clusters in training",
    "unequal prevalence",
    "hidden positives",
    "unlike labels",
    "wrong probabilities",
    "all labelled",
]


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a comparison may be unreliable, with what to do.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        The kind of warning: "predicted classes", "few negatives", "few clusters", "few rows",
        "small rankings", "permuted rows", "unattainable precision", "clusters in training",
        "unequal prevalence", "hidden positives", "unlike labels", "wrong probabilities" or "all
        labelled".

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn_ap import UncertaintyWarning, average_precision_interval
    >>> y_true = np.repeat([1, 0], [10, 90])
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     _ = average_precision_interval(y_true, np.arange(100), clusters=np.arange(100) // 10)
    >>> [warning.message.name for warning in found]
    ['few clusters']
    """

    def __init__(self, text: str, name: WarningName) -> None:
        super().__init__(text, name)  # both are pickled

    @property
    def name(self) -> WarningName:
        """The kind of the warning, such as "few clusters"."""
        return cast(WarningName, self.args[1])

    def __str__(self) -> str:
        return f"{self.name}: {self.args[0]}"


def add_name(name: str, warning: UncertaintyWarning) -> UncertaintyWarning:
    """Put the name of a model, or of a segment, before the text of a warning."""
    return UncertaintyWarning(f"{name}: {warning.args[0]}", warning.name)


def warnings_of_scores(y_score: RowData) -> list[UncertaintyWarning]:
    """Warn of scores that look like predicted classes."""
    return [
        UncertaintyWarning(text, "predicted classes") for text in predicted_class_remarks(y_score)
    ]


def warnings_of_all_scores(y_scores: Mapping[Name, RowData]) -> list[UncertaintyWarning]:
    """Warn of scores that look like predicted classes, for each of several models."""
    return [
        add_name(repr(name), warning)
        for name, scores in y_scores.items()
        for warning in warnings_of_scores(scores)
    ]


def some_names(names: Sequence[str], kind: str = "models") -> str:
    """Return a few names of a kind, or their number."""
    return (
        f"{len(names)} {kind}, such as {names[0]}" if len(names) > MOST_NAMES else ", ".join(names)
    )


def issue_warnings(warnings: Iterable[UncertaintyWarning]) -> None:
    """Issue each warning once, for the line of the user."""
    for warning in {str(warning): warning for warning in warnings}.values():
        warn(warning, UncertaintyWarning)


def rounded_down(number: float) -> str:
    """Format a number with three digits, rounded down: 19.97, "below 20", must not become 20."""
    # Sums of weights have rounding errors: 4.9999999999 is 5.
    number = float(number) * (1 + RELATIVE_TOLERANCE)
    return f"{float(THREE_DIGITS.create_decimal_from_float(number)):,.15g}"
