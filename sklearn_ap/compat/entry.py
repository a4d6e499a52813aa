"""What is known of one function of one tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.compat.choices import Choices, asked_options, refused
from sklearn_ap.compat.predictions import Predictions

__all__ = ["Entry", "Refusal"]

# What a query without positives gives by an option of TorchMetrics, the only one beside choices.
OF_QUERIES = "empty_target_action"
EMPTY_TARGET: dict[str, float | str] = {
    "neg": 0.0,
    "pos": 1.0,
    "skip": 0.0,
    "error": "ValueError: a query has no positive target",
}
# The values of an option that is a string; others are checked by the kind of their default.
NAMES: dict[str, tuple[str, ...]] = {
    "dtype": ("float32", "float64"),
    OF_QUERIES: tuple(EMPTY_TARGET),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which queries a tool gives no usual answer to, and what it gives: a number, or raises."""

    when: Callable[[Predictions], NDArray[np.bool_]]
    outcome: float | str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One function of one tool.

    Parameters
    ----------
    name : str
        Tool and function, as "xgboost.aucpr".
    versions : str
        The version that it was verified against.
    choices : Choices
        What it computes.
    source : str, default="run"
        How it is known: the function was run, or its source was read.
    k : {"no", "optional", "required"}, default="no"
        Whether it is told how many ranks count.
    options : dict, default={}
        Other options that change its number, with their defaults.
    weights : bool, default=False
        Whether it takes weights.
    no_positives : float, str or None, default=0.0
        What it gives then: a number, the text of an exception, or None where it is what the
        choices give.
    all_positives : float, str or None, default=None
        The same for predictions without negatives.
    refuses : Refusal, default=None
        The same for other predictions.
    nan_scores : str, default="a number, silently"
        What it does with scores that are nan; this is not reproduced.
    tolerance : float, default=1e-9
        How close the reproduction is; tools in float32 are reproduced to 1e-6.
    note : str, default=""
        What else there is to know.
    """

    name: str
    versions: str
    choices: Choices
    source: str = "run"
    k: str = "no"
    options: dict[str, Any] = field(default_factory=dict)
    weights: bool = False
    no_positives: float | str | None = 0.0
    all_positives: float | str | None = None
    refuses: Refusal | None = None
    nan_scores: str = "a number, silently"
    tolerance: float = 1e-9
    note: str = ""

    def __post_init__(self) -> None:
        wrong = refused(self.choices)
        if wrong:
            raise ValueError(f"{self.name}: {wrong}.")
        asked = asked_options(self.choices) | {OF_QUERIES} & self.options.keys()
        if asked != self.options.keys():
            needed, given = (", ".join(sorted(names)) or "none" for names in (asked, self.options))
            raise ValueError(f"{self.name}: its choices ask for the options {needed}, not {given}.")
        for option, default in self.options.items():
            self.check_option(option, default)

    def __repr__(self) -> str:
        return f"Entry({self.name}: {', '.join(self.choices)})"

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return self.name.split(".")[0]

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.name.partition(".")[2]

    def check_option(self, option: str, value: Any) -> None:
        """Refuse a value that the function does not take.

        Parameters
        ----------
        option : str
            The name of the option.
        value : object
            Its value.
        """
        wanted = _wanted(option, self.options[option], value)
        if wanted:
            raise ValueError(f"{option} must be {wanted}, got {value!r}.")

    def special(self, predictions: Predictions) -> list[tuple[NDArray[np.bool_], float | str]]:
        """Say what queries get in place of the number of the choices: a number or an exception.

        Parameters
        ----------
        predictions : Predictions
            One query or many.

        Returns
        -------
        list of (mask, outcome)
            Where several hold for a query, the first counts.
        """
        no_positives = self.no_positives
        if OF_QUERIES in self.options:
            no_positives = EMPTY_TARGET[predictions.options[OF_QUERIES]]
        found = [] if self.refuses is None else [(self.refuses.when, self.refuses.outcome)]
        if no_positives is not None:
            found.append((lambda given: given.without_positives, no_positives))
        if self.all_positives is not None:
            found.append((lambda given: given.without_negatives, self.all_positives))
        return [(when(predictions), outcome) for when, outcome in found]


def _wanted(option: str, default: Any, value: Any) -> str:
    """What a value should be that is of another kind than the default; "" if it is right."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if isinstance(default, bool):
        return "" if isinstance(value, bool | np.bool_) else "True or False"
    if isinstance(default, int):
        return "" if whole and int(value) >= 2 else "a whole number of at least 2"
    if isinstance(default, float):
        number = whole or (isinstance(value, Real) and not isinstance(value, bool))
        return "" if number and 0 <= float(value) <= 1 else "a number within [0, 1]"
    known = NAMES[option]
    return "" if isinstance(value, str) and value in known else f"one of {', '.join(known)}"
