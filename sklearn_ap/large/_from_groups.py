"""Counts of groups: what GROUP BY score of any engine gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import LARGEST_EXACT
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import as_column, check_numbers, check_same_length, check_same_order
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.labels_and_scores import MOST_WEIGHT, SHOWN, check_scores
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Array, Float

LABELLED_ROWS = (
    "leave out rows without a label, by WHERE y IS NOT NULL, unless you know what belongs there"
)


def from_groups(
    score: ArrayLike,
    n_positives: ArrayLike | None = None,
    n_negatives: ArrayLike | None = None,
    *,
    queries: ArrayLike | None = None,
    n_unlabelled: ArrayLike | None = None,
) -> ThresholdCounts:
    """Count rows that are grouped by their score, as a database returns them.

    The counts are those of ``threshold_counts`` on all rows, to the last digit. The query is
    ``SELECT score, sum(y), sum(1 - y), count(*) - count(y) FROM scored GROUP BY score``, in any
    engine.

    Parameters
    ----------
    score : array-like of shape (n_groups,)
        The score of each group, higher for what is more likely positive, in any order. A score
        may come several times, as from several tables: its groups add up. Minus infinity says that
        the rows were not retrieved.
    n_positives : array-like of shape (n_groups,)
        The number of positives with this score. Floats and Decimals that are whole are numbers,
        too; if any is not, all of them are sums of weights.
    n_negatives : array-like of shape (n_groups,)
        The number of negatives with this score.
    queries : array-like of shape (n_groups,), default=None
        The query of each group, as of ``GROUP BY query, score``. Each query is a ranking of its
        own, in the order of the sorted names.
    n_unlabelled : array-like of shape (n_groups,), default=None
        The number of rows with this score whose label is NULL, which no sum counts:
        ``count(*) - count(y)``. It must be 0 in each group, as a missing label raises an error in
        all functions of ``large``. None does not check this.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, or of each query, for definitions, intervals and displays.

    Examples
    --------
    >>> from sklearn_ap import large
    >>> large.from_groups([0.9, 0.7, 0.1], [1, 1, 0], [0, 1, 1])
    ThresholdCounts: 2 thresholds, 2 positives, 2 negatives
    threshold  tps  fps  precision  recall  rise_of_recall   product
    0.9          1    0          1     0.5             0.5       0.5
    0.7          2    1   0.666667       1             0.5  0.333333
    """
    if n_positives is None or n_negatives is None:
        names_of_frame = [*getattr(score, "columns", ())][:SHOWN]
        which = f", of {names_of_frame}" if names_of_frame else ""
        raise InputTypeError(
            f"from_groups takes three columns, such as from_groups(frame['score'], frame['hits'], "
            f"frame['misses']): pass n_positives and n_negatives, too{which}."
        )
    columns = {"score": score, "n_positives": n_positives, "n_negatives": n_negatives}
    if queries is not None:
        columns["queries"] = queries
    if n_unlabelled is not None:
        columns["n_unlabelled"] = n_unlabelled
    check_same_order(**columns)
    arrays = {name: as_column(name, column) for name, column in columns.items()}
    check_same_length(**arrays)
    if n_unlabelled is not None:  # before a sum of such labels alone, which is NULL
        _refuse_unlabelled(arrays["n_unlabelled"])
    values = check_scores(arrays["score"], "score")
    positives = _check_group_counts("n_positives", arrays["n_positives"])
    negatives = _check_group_counts("n_negatives", arrays["n_negatives"])
    weight = np.concatenate((positives, negatives)).astype(np.float64)
    if not weight.any():
        raise InputError("n_positives and n_negatives are 0 in every group: nothing to score.")
    return _count_groups(values, weight, arrays.get("queries"))


def _count_groups(score: Array, weight: Float, queries: Array | None) -> ThresholdCounts:
    """Count groups as two rows each, whose weights are all numbers of positives, then negatives."""
    query, names = (None, None) if queries is None else encode_names("queries", queries)
    rankings = check_rankings(
        Request(
            y_true=np.repeat([1, 0], score.size),
            y_score=np.tile(score, 2),
            sample_weight=weight,
            queries=None if query is None else np.tile(query, 2),
        ),
        is_binary=True,
    )
    counts = count(rankings)
    are_counts = (weight == np.rint(weight)).all() and weight.sum() < LARGEST_EXACT
    if are_counts:  # and not sums of weights
        summed = "gained", "tps", "fps", "fps_above", "n_positives", "n_negatives"
        numbers = {name: getattr(counts, name).astype(np.int64) for name in summed}
        counts = replace(counts, **numbers)
    if names is not None:  # of groups with rows
        found = [code for code in rankings.names or () if isinstance(code, int)]  # of names
        counts = replace(counts, names=tuple(list_names(names[found])))
    return counts


def _check_group_counts(name: str, column: Array) -> Array:
    values = check_numbers(name, column, "biuf")
    is_wrong = ~((values >= 0) & (values <= np.float64(MOST_WEIGHT)))  # nan is
    if is_wrong.any():
        group = int(is_wrong.argmax())
        raise InputError(
            f"{name} must hold 0 to {MOST_WEIGHT:g} rows of each group, got {values[group]} in "
            f"group {group}. If it is NULL, it is a sum over no labels: {LABELLED_ROWS}. In "
            f"place of a sum with FILTER, take count(*)."
        )
    return values


def _refuse_unlabelled(column: Array) -> None:
    values = _check_group_counts("n_unlabelled", column)
    if values.any():
        group = int(np.flatnonzero(values)[0])
        raise InputError(
            f"n_unlabelled must be 0 in each group, got {values[group]:g} in group {group}, of "
            f"{values.sum():g} in all: no sum counts these rows. So {LABELLED_ROWS}."
        )
