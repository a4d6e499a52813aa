"""Labels and scores in sparse matrices of users and items; no dense copy is made."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from sklearn_ap._base.files.numbers import TOO_LARGE, is_huge
from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._types import Argument, Float, Index, RowData
from sklearn_ap.retrieval._judged_runs import JudgedRuns, check_level, refuse_equal_names


def from_sparse(
    y_true: RowData, y_scores: Mapping[str, RowData], *, relevance_level: float = 1
) -> JudgedRuns:
    """Take labels and scores from sparse matrices of SciPy, such as those of users and items.

    Each row is a ranking of its own, and each counts: a row without labels says that nothing is
    relevant, and a row without scores that nothing was retrieved. Only stored entries are read,
    zeros among them, so no dense copy is made.

    Parameters
    ----------
    y_true : sparse array of shape (n_users, n_items)
        The labels, such as what each user bought. An entry that is not stored is not relevant.
    y_scores : mapping of str to sparse array of shape (n_users, n_items)
        The scores of each system, by name. A stored entry was retrieved, the others were not.
    relevance_level : float, default=1
        The lowest label of a relevant item, such as 4 of 5 stars.

    Returns
    -------
    JudgedRuns
        Arrays for every score, by the name of the system. ``queries`` are the numbers of the rows.
        A row without a relevant item scores 0, with a warning, unless ``zero_division=np.nan``
        leaves it out.

    See Also
    --------
    from_dicts : The same for dicts, and for ranked lists.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> bought = csr_array([[1, 0, 1], [0, 1, 0]])
    >>> score = csr_array([[0.9, 0.8, 0], [0.3, 0.2, 0.1]])
    >>> judged = retrieval.from_sparse(bought, {"als": score})
    >>> average_precision_score(**judged["als"], average=None)
    array([0.5, 0.5])
    """
    if not isinstance(y_scores, Mapping):
        raise TypeError(
            "y_scores must map names to sparse matrices. If you have one, name it: "
            "{'model': y_score}."
        )
    if not y_scores:
        raise ValueError("y_scores is empty: pass the scores of one system at least.")
    check_level(relevance_level)
    names = [*map(str, y_scores)]
    refuse_equal_names(names)
    labels = _read_entries("y_true", y_true, np.shape(y_true))
    systems = [
        _read_entries(f"y_scores[{name!r}]", y_score, np.shape(y_true))
        for name, y_score in y_scores.items()
    ]
    # The cells that any matrix stores, numbered row by row.
    stored = np.sort(np.concatenate([entries.cells for entries in (labels, *systems)]))
    stored = stored[begins_block(stored)]
    if not stored.size:
        raise ValueError("y_true and y_scores have no stored entries: there is nothing to score.")
    n_rows, n_columns = np.shape(y_true)
    is_empty = np.ones(n_rows, bool)
    is_empty[stored // n_columns] = False
    # Each row counts: an empty one gets its first cell, which was not retrieved.
    cells = np.sort(np.concatenate((stored, np.flatnonzero(is_empty) * n_columns)), kind="stable")
    grades = labels.look_up(cells)
    return JudgedRuns(
        y_true=grades >= relevance_level,
        y_scores={
            name: entries.look_up(cells) for name, entries in zip(names, systems, strict=True)
        },
        queries=cells // n_columns,
        query_names=tuple(range(n_rows)),
        is_judged=grades > -np.inf,
        document_codes=cells % n_columns,
        document_names=None,
        relevance_level=relevance_level,
    )


class StoredEntries(NamedTuple):
    """The cells that a matrix stores, numbered row by row and in order, and their values."""

    cells: Index
    values: Float

    def look_up(self, wanted: Index) -> Float:
        """Return the values of sorted cells, which include all stored ones; -inf for the others."""
        values = np.full(wanted.size, -np.inf)
        values[np.searchsorted(wanted, self.cells)] = self.values
        return values


def _read_entries(name: str, matrix: Argument, shape: tuple[int, ...]) -> StoredEntries:
    if not issparse(matrix) or matrix.ndim != 2:
        raise TypeError(
            f"{name} must be a sparse matrix of SciPy, with rows and columns, got "
            f"{type(matrix).__name__}. Of dense tables, pass both to the score, with "
            f"average='samples': each row is then a ranking."
        )
    if matrix.shape != shape:
        raise ValueError(f"{name} has shape {matrix.shape}, but y_true has {shape}.")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got {matrix.dtype}.")
    rows = csr_array(matrix.astype(np.float64))  # before sums of small integers overflow
    rows.sum_duplicates()
    entries = rows.tocoo()
    values = entries.data
    advice = "What is not known, or was not retrieved, must not be stored."
    is_valid = (values < np.inf) if name != "y_true" else np.isfinite(values)
    if matrix.dtype.kind in "iu" and is_huge(values).any():
        advice = f"It {TOO_LARGE}."
        is_valid = ~is_huge(values)
    if not is_valid.all():
        first = int(np.argmin(is_valid))
        cell = f"row {entries.row[first]}, column {entries.col[first]}"
        raise ValueError(f"{name} contains {values[first]} in {cell}. {advice}")
    return StoredEntries(entries.row.astype(np.intp) * shape[1] + entries.col, values)
