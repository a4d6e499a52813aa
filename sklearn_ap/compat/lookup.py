"""Finding an entry of the table, and running it: the number that a tool returns."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap.compat.choices import CHOICES, ORDER
from sklearn_ap.compat.entry import Entry
from sklearn_ap.compat.evaluation import Evaluation
from sklearn_ap.compat.predictions import check
from sklearn_ap.compat.table import TABLE
from sklearn_ap.definitions.options import check_k

__all__ = ["Outcome", "ToolError", "ask", "conventions", "get", "options", "run", "score"]

# What score and explain take besides: a misspelt one arrives among the options.
SHARED = ("sample_weight", "groups", "k", "pos_label", "versus")


class ToolError(ValueError):
    """A tool raises on these predictions, and so does its reproduction."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool gives: a number, or the text of what it raises.

    Of several queries, it is the mean over those with an answer: not nan, not -1, no exception.
    """

    value: float | None
    refusal: str | None = None
    left_out: int = 0


def conventions(tool: str | None = None) -> list[Entry]:
    """List what is known: one entry per function of a tool.

    Parameters
    ----------
    tool : str, default=None
        The name of a tool or of a function; None for all.

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
    >>> [entry.function for entry in compat.conventions("pyspark")][:2]
    ['areaUnderPR', 'meanAveragePrecision']
    """
    return list(TABLE) if tool is None else _find(tool)


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


def get(name: str) -> Entry:
    """Find the entry of a function.

    Parameters
    ----------
    name : str
        Of a function, as "xgboost.aucpr", or of a tool with one function, as "ROCR".

    Returns
    -------
    Entry
        What is known of the function.

    See Also
    --------
    conventions : All entries, or all of a tool.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.get("xgboost.aucpr").choices.between
    'hyperbola'
    """
    found = _find(name)
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
    """Compute what a tool's function returns on these predictions, with its faults.

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
    explain : Why it differs from another tool's number.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.score("catboost.PRAUC", [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5])
    0.625
    """
    entry = get(name)
    k, options = ask((entry,), sample_weight, k, options)
    given = check(y_true, y_score, sample_weight=sample_weight, groups=None, pos_label=pos_label)
    outcome = run(entry, Evaluation(given), k, options)
    if outcome.value is None:
        raise ToolError(f"{entry.name}: {outcome.refusal}")
    return outcome.value


def ask(
    entries: tuple[Entry, ...],
    sample_weight: ArrayLike | None,
    k: int | None,
    options: dict[str, Any],
) -> tuple[int | None, dict[str, Any]]:
    """Check what is asked of these functions, and add the defaults."""
    names = " and ".join(dict.fromkeys(entry.name for entry in entries))
    known = {option: entry for entry in entries for option in entry.options}
    for option, value in options.items():
        if option not in known:
            near = get_close_matches(option, [*known, *SHARED], n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(
                f"{names} has no option {option!r}; it has {', '.join(known) or 'none'}.{hint}"
            )
        known[option].check_option(option, value)
    for entry in entries:
        if sample_weight is not None and not entry.weights:
            raise ValueError(f"{entry.name} takes no sample_weight.")
        if k is None and entry.k == "required":
            raise ValueError(f"{entry.name} needs k: pass how many ranks count.")
    if k is not None and all(entry.k == "no" for entry in entries):
        raise ValueError(f"{names} has no k: do not pass one.")
    defaults = {option: entry.options[option] for option, entry in known.items()}
    return None if k is None else check_k(k), defaults | options


def run(entry: Entry, evaluation: Evaluation, k: int | None, options: dict[str, Any]) -> Outcome:
    """Apply a function to each query alone, and take the mean over those with an answer."""
    values = evaluation.values(entry.choices, k, options)
    predictions = evaluation.predictions.told(k, options)
    refusal = None
    for queries, outcome in reversed(entry.special(predictions)):
        if isinstance(outcome, str) and queries.any():
            refusal = outcome
        values[queries] = np.nan if isinstance(outcome, str) else outcome
    answered = values >= 0 if predictions.several else ~np.isnan(values)
    left_out = int(answered.size - np.count_nonzero(answered))
    if refusal is not None and left_out == answered.size:
        return Outcome(None, refusal, left_out)
    value = float(np.mean(values[answered])) if answered.any() else np.nan
    return Outcome(value, None, left_out if predictions.several else 0)


def _find(name: Any) -> list[Entry]:
    """The entry of a function, or all of a tool."""
    if not isinstance(name, str):
        raise TypeError(f"The name of a tool or a function must be a string, got {name!r}.")
    wanted = name.lower()
    found = [entry for entry in TABLE if entry.name.lower() == wanted]
    found = found or [entry for entry in TABLE if entry.tool.lower() == wanted]
    if found:
        return found
    known = {each.lower(): each for entry in TABLE for each in (entry.name, entry.tool)}
    near = [known[match] for match in get_close_matches(wanted, known, n=3, cutoff=0.0)]
    raise ValueError(f"{name!r} is not a known tool or function. Near it: {', '.join(near)}.")
