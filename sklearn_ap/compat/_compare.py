"""All tools' numbers for the same predictions, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.options import check_count
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Label
from sklearn_ap.compat._answers import CheckedPredictions
from sklearn_ap.compat._tool_functions import BASELINE, Call, ToolFunction, all_calls, all_functions
from sklearn_ap.compat._tool_names import find_functions, get_function
from sklearn_ap.compat._tool_tables import (
    WELL_KNOWN,
    NearestTable,
    ToolTable,
    read_number,
    sort_nearest,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._spellings import USUAL_K


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tools: Iterable[str | Definition] | Literal["all"] | None = None,
    *,
    k: int = USUAL_K,
    near: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> ToolTable:
    """Compare tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``compat.score``.
    tools : iterable of str or Definition, or "all", default=None
        Names of tools, functions or our scores, and definitions, such as ``AtK(10)``. None means
        ten well-known functions or, with ``near``, all, of which the ten nearest are printed.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float or str, default=None
        A number that you have, with all its digits, as text if the last one is 0, such as "0.670".
        The nearest numbers come first, with their differences from yours. Functions that may take k
        are called with and without it. Their other options are at their defaults.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out, and named.
    queries, clusters, n_positives, pos_label : as in compat.score
        The numbers of queries are averaged.

    Returns
    -------
    ToolTable
        A row for each function, scikit-learn's and then the highest first. With ``near``, it is a
        NearestTable, with the nearest first.

    See Also
    --------
    explain : Why two of them differ.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC", "MLmetrics"])
    scores of tools, and differences from scikit-learn's
                                      score  difference
    sklearn.average_precision_score  0.7500           0
    catboost.PRAUC                   0.8750     +0.1250
    MLmetrics.PRAUC                  0.3750     -0.3750
    """
    request = Request.of(locals())
    number = None if near is None else read_number(near)
    k = check_count("k", k)
    if tools is None:
        tools = WELL_KNOWN if number is None else "all"
    functions = _find_all(tools, k)
    left_out: tuple[str, ...] = ()
    if sample_weight is not None:
        left_out = tuple(function.name for function in functions if not function.takes_weights)
        functions = [function for function in functions if function.takes_weights]
    predictions = CheckedPredictions(request)
    if number is not None:
        calls = [call for function in functions for call in all_calls(function, k)]
        return NearestTable(sort_nearest(number, predictions.ask_all(calls)), left_out, number)
    calls = [Call(function, k if function.needs_k else None) for function in functions]
    baseline, *others = predictions.ask_all(calls)
    order = np.argsort([-answer.estimate for answer in others], kind="stable")  # nan comes last
    return ToolTable((baseline, *(others[row] for row in order)), left_out)


def _find_all(names: Iterable[str | Definition], k: int) -> list[ToolFunction]:
    """Find scikit-learn's function, and those of these names, each once."""
    if isinstance(names, str) and names == "all":
        return [*all_functions(k)]
    if isinstance(names, str | Definition):
        raise TypeError(f"tools must be several names, got {names!r:.80}.")
    functions = [function for name in names for function in find_functions(name)]
    by_name = {function.name: function for function in (get_function(BASELINE), *functions)}
    return [*by_name.values()]
