"""Finding an entry of the table, and running it: the number that a tool returns."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._validation import check_binary
from sklearn_ap.compat.choices import CHOICES, ORDER, Settings, evaluate
from sklearn_ap.compat.table import TABLE, Entry
from sklearn_ap.definitions.options import check_k

__all__ = [
    "ToolError",
    "conventions",
    "get",
    "one",
    "options",
    "prepare",
    "run",
    "score",
    "special_outcome",
]

EMPTY_TARGET: dict[str, float | str] = {
    "neg": 0.0,
    "pos": 1.0,
    "skip": 0.0,
    "error": "ValueError: a query has no positive target",
}


def _is_grid(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 2


OPTION_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "dtype": ("'float32' or 'float64'", lambda value: value in ("float32", "float64")),
    "thresholds": ("a whole number of at least 2", _is_grid),
    "threshold": ("a whole number of at least 2", _is_grid),
    "num_thresholds": ("a whole number of at least 2", _is_grid),
    "from_logits": ("True or False", lambda value: isinstance(value, bool)),
    "level": (
        "a number within [0, 1]",
        lambda value: (
            isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) <= 1
        ),
    ),
    "empty_target_action": (
        f"one of {', '.join(EMPTY_TARGET)}",
        lambda value: isinstance(value, str) and value in EMPTY_TARGET,
    ),
}


class ToolError(ValueError):
    """A tool raises on these predictions, and so does its reproduction."""


def conventions() -> list[Entry]:
    """List what is known: one entry per function of a tool.

    Returns
    -------
    list of Entry
        In the order of the table.

    See Also
    --------
    get : One entry by its name.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.conventions()[0].name
    'sklearn.average_precision_score'
    """
    return list(TABLE)


def options() -> dict[str, dict[str, str]]:
    """List the options of each choice, with a sentence of why it changes the number.

    Returns
    -------
    dict of dict
        By choice and option.

    See Also
    --------
    conventions : Who makes which choices.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.options()["ties"]["worst"]
    'Of tied items, the negatives come first.'
    """
    return {
        choice: {name: option.why for name, option in CHOICES[choice].items()} for choice in ORDER
    }


def get(name: str) -> Entry | list[Entry]:
    """Find the entry of a function, or all entries of a tool.

    Parameters
    ----------
    name : str
        Of a function, as "xgboost.aucpr", or of a tool, as "xgboost".

    Returns
    -------
    Entry or list of Entry
        One for a function, a list for a tool.

    See Also
    --------
    conventions : All entries.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.get("xgboost.aucpr").choices[2]
    'hyperbola'
    """
    wanted = str(name).lower()
    entries = [entry for entry in TABLE if entry.name.lower() == wanted]
    if entries:
        return entries[0]
    entries = [entry for entry in TABLE if entry.tool.lower() == wanted]
    if entries:
        return entries
    known = {known.lower(): known for entry in TABLE for known in (entry.name, entry.tool)}
    near = [known[match] for match in get_close_matches(wanted, known, n=3, cutoff=0.0)]
    raise ValueError(f"{name!r} is not a known tool or function. Near it: {', '.join(near)}.")


def one(name: str) -> Entry:
    """Find the entry of a qualified name; the name of a tool with several is not enough."""
    found = get(name)
    if isinstance(found, Entry):
        return found
    if len(found) == 1:
        return found[0]
    raise ValueError(
        f"{name!r} has several functions: choose from {', '.join(entry.name for entry in found)}."
    )


def score(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    k: int | None = None,
    pos_label: Any = None,
    **options: Any,
) -> float:
    """Compute what a tool's function returns on these predictions, faults included.

    Parameters
    ----------
    name : str
        Of a function, as "xgboost.map@k".
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, where the function takes any.
    k : int, default=None
        How many ranks, where the function asks.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
    **options : dict
        Other options of the function that change its number: ``get(name).options``.

    Returns
    -------
    float
        What the tool returns; it raises ToolError where the tool raises.

    See Also
    --------
    explain : Why it differs from scikit-learn's number.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.score("catboost.PRAUC", [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5])
    0.625
    """
    entry = one(name)
    settings = prepare(
        entry, y_true, y_score, sample_weight=sample_weight, k=k, pos_label=pos_label, **options
    )
    return run(entry, settings)


def prepare(
    entry: Entry,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    k: int | None,
    pos_label: Any,
    **options: Any,
) -> Settings:
    """Check the predictions, and what is asked of this entry."""
    unknown = sorted(set(options) - set(entry.options))
    if unknown:
        known = ", ".join(entry.options) or "none"
        raise TypeError(f"{entry.name} has no option {unknown[0]!r}; it has {known}.")
    for option, value in options.items():
        wanted, valid = OPTION_CHECKS[option]
        if not valid(value):
            raise ValueError(f"{option} must be {wanted}, got {value!r}.")
    if sample_weight is not None and not entry.weights:
        raise ValueError(f"{entry.name} takes no sample_weight.")
    if k is not None and entry.k == "no":
        raise ValueError(f"{entry.name} has no k: do not pass one.")
    if k is None and entry.k == "required":
        raise ValueError(f"{entry.name} needs k: pass how many ranks count.")
    clean = check_binary(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    k = None if k is None else check_k(k)
    options = entry.options | options
    top_weight = 1.0 if sample_weight is None else _weight_of_top(y_score, sample_weight)
    return Settings(clean.positive, clean.score, clean.weight, k, options, top_weight)


def run(entry: Entry, settings: Settings, counted: dict[Any, Any] | None = None) -> float:
    """Apply an entry to clean predictions."""
    outcome = special_outcome(entry, settings)
    if isinstance(outcome, str):
        raise ToolError(f"{entry.name}: {outcome}")
    if outcome is not None:
        return outcome
    return evaluate(dict(zip(ORDER, entry.choices, strict=True)), settings, counted)


def special_outcome(entry: Entry, settings: Settings) -> float | str | None:
    """Tell what a tool gives in place of the number of its choices: a number or an exception."""
    refused = None if entry.refuses is None else entry.refuses(settings)
    if refused is not None:
        return refused
    if not settings.positive.any():
        if "empty_target_action" in entry.options:
            return EMPTY_TARGET[settings.options["empty_target_action"]]
        return 0.0 if entry.no_positives is None else entry.no_positives
    return entry.all_positives if settings.positive.all() else None


def _weight_of_top(y_score: ArrayLike, sample_weight: ArrayLike) -> float:
    score = np.asarray(y_score).ravel()
    return float(np.asarray(sample_weight).ravel()[score == score.max()].sum())
