"""From the arguments of a score to clean rankings."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import LARGEST_EXACT, RELATIVE_TOLERANCE
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import (
    as_column,
    check_numbers,
    check_order,
    check_same_order,
    n_dimensions,
    names_of_columns,
    refuse_missing,
    select_rows,
)
from sklearn_ap._inputs.codes import encode_names
from sklearn_ap._inputs.labels_and_scores import (
    MOST_WEIGHT,
    SHOWN,
    LabelledScores,
    check_labelled_scores,
    check_weights,
)
from sklearn_ap._inputs.options import Average, ZeroDivision, check_choice
from sklearn_ap._inputs.rankings import (
    Rankings,
    Sampling,
    rankings_of_queries,
    rankings_of_table,
)
from sklearn_ap._types import Argument, Array, Bool, Float, Label, PandasIndex

ROW_COLUMNS = "y_true", "y_score", "sample_weight", "queries", "clusters"  # a value for each row


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """The arguments of a score, of which only ``average`` was checked."""

    y_true: Argument
    y_score: Argument
    average: Average = "macro"
    pos_label: Label = None
    labels: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    queries: ArrayLike | None = None
    n_positives: ArrayLike | None = None
    prevalence: float | None = None
    zero_division: ZeroDivision = "warn"
    clusters: ArrayLike | None = None

    def __post_init__(self) -> None:
        is_usual = isinstance(self.average, str) and self.average == "macro"
        if not (is_usual or self.average is None):  # most scores go through no file of options
            check_choice("average", self.average, Average)

    @property
    def n_columns(self) -> int:
        """The number of columns of ``y_score``: 1 where it has one dimension."""
        is_table = n_dimensions(self.y_score) == 2
        shape = np.shape(cast(ArrayLike, self.y_score)) if is_table else ()
        return int(shape[1]) if len(shape) == 2 else 1

    def check_order(self) -> None:
        """Refuse columns whose rows have the same names in another order, and such tables."""
        check_same_order(**{name: getattr(self, name) for name in ROW_COLUMNS})
        if hasattr(self.y_score, "columns"):
            check_order(
                "The columns of y_true and y_score",
                names_of_columns(self.y_true),
                names_of_columns(self.y_score),
                "y_score[y_true.columns]",
            )


def check_rankings(
    request: Request, *, is_binary: bool = False, all_items: bool = False
) -> Rankings:
    """Check rows and scores of any kind that scikit-learn knows; rank the retrieved rows.

    With ``all_items``, rows that were not retrieved stay, and so do clusters, because intervals
    sample them. Scores ignore clusters, so these are only checked.
    """
    request.check_order()
    rows = check_labelled_scores(
        request.y_true, request.y_score, request.pos_label, request.labels, is_binary=is_binary
    )
    n_rows = len(rows.score)
    queries = clusters = weight = None
    if request.queries is not None:
        queries = _check_queries(request, rows.score)
    if request.clusters is not None:
        clusters = as_column("clusters", request.clusters, n_rows)
    if request.sample_weight is not None:
        weight = check_weights(request.sample_weight, n_rows)
    if weight is not None or rows.is_known is not None:
        is_counted = _flag_counted_rows(weight, rows)
        if not is_counted.all():
            refuse_missing("queries", queries, is_counted)  # while rows have their numbers
            refuse_missing("clusters", clusters, is_counted)
            rows = rows.select(is_counted)
            weight, queries, clusters = select_rows(is_counted, weight, queries, clusters)
    if clusters is not None:
        clusters, _ = encode_names("clusters", clusters)
    if not all_items:
        clusters = None
    if queries is not None:
        rankings = rankings_of_queries(request.average, rows, weight, clusters, queries)
    elif rows.score.ndim == 2:
        rankings = rankings_of_table(request.average, rows, weight, clusters)
    else:
        sampling = Sampling(rows.score.size, clusters=clusters)
        rankings = Rankings(rows.positive, rows.score, weight, sampling=sampling)
    if request.n_positives is not None:
        rankings = _add_known_positives(rankings, request.n_positives)
    return rankings if all_items else rankings.select_retrieved()


def _check_queries(request: Request, score: Array) -> Array:
    """Check the query of each row, and what does not go with queries."""
    if score.ndim != 1:
        raise InputError("queries and segments take one column of labels and scores at a time.")
    if request.average in ("micro", "samples"):
        raise InputError(
            f"average={request.average!r} does not go with queries. Use 'macro', 'weighted' or "
            f"None."
        )
    return as_column("queries", request.queries, len(score))


def _flag_counted_rows(weight: Float | None, rows: LabelledScores) -> Bool:
    """Flag the rows with weight and a known label."""
    has_weight = np.ones(len(rows.score), bool) if weight is None else weight > 0
    if rows.is_known is None:
        return has_weight
    is_counted = has_weight & rows.is_known.any(axis=1)
    if not is_counted.any():
        raise InputError("y_true has no known label, so nothing is left to score.")
    return is_counted


def _add_known_positives(rankings: Rankings, n_positives: Argument) -> Rankings:
    """Add the positives that the user knows of to those that are among the items."""
    # Of pandas; a list's is a method
    index: PandasIndex | None = getattr(n_positives, "index", None)
    if rankings.names is not None and index is not None and hasattr(index, "tolist"):
        names = [*rankings.names]
        remedy = f"n_positives.loc[names], with the names in the order {names[:SHOWN]}"
        check_order("The index of n_positives and the rankings", index.tolist(), names, remedy)
    n_scored = rankings.weight_of_hits
    n_known = check_n_positives(n_positives, n_scored, gives_array=rankings.gives_array)
    return replace(rankings, n_positives=n_known, n_unscored=n_known - n_scored)


def check_n_positives(n_positives: Argument, n_scored: Array, *, gives_array: bool) -> Array:
    """Check the number of positives of each ranking that the user knows of."""
    n_known = check_numbers("n_positives", n_positives).astype(np.float64)
    if n_known.ndim == 0 and not gives_array:
        n_known = n_known.reshape(1)
    if n_known.shape != n_scored.shape:
        shape = "a single number" if n_known.ndim == 0 else f"shape {n_known.shape}"
        raise InputError(
            f"n_positives must hold one number per ranking, {n_scored.size} here, got {shape}. Add "
            f"a row of score -inf for a query of which nothing was scored."
        )
    wrong_rankings = np.flatnonzero(
        ~(n_known <= MOST_WEIGHT) | (n_known < n_scored * (1 - RELATIVE_TOLERANCE))
    )
    if wrong_rankings.size:
        first = wrong_rankings[0]
        raise InputError(
            f"n_positives must be at least the number of positives in y_true, and at most "
            f"{MOST_WEIGHT:g}. It is {n_known[first]} where y_true holds {n_scored[first]}, in "
            f"ranking {first}."
        )
    # Counts stay integers where the known numbers are whole, and exact as floats.
    are_whole = (
        n_scored.dtype.kind == "i"
        and ((n_known == np.floor(n_known)) & (n_known < LARGEST_EXACT)).all()
    )
    return np.maximum(n_known, n_scored).astype(np.int64 if are_whole else np.float64)
