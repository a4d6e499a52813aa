"""Labels and scores in sparse matrices of users and items; no dense copy is made."""

from collections.abc import Mapping

import numpy as np
from scipy.sparse import csr_array, issparse

from sklearn_ap._results.named_scores import check_model_names
from sklearn_ap._types import Argument, RowData
from sklearn_ap.retrieval._cells import Grid, KnownCells, judge_cells
from sklearn_ap.retrieval._documents import check_level
from sklearn_ap.retrieval._judged_runs import JudgedRuns

NO_COLUMN = -1  # stands in the row of a query that has no document


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
        Arguments of every score, by the name of the system. ``queries`` are the numbers of the
        rows. A row without a relevant item scores 0, with a warning, unless
        ``zero_division=np.nan`` leaves it out.

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
    check_level(relevance_level)
    names = check_model_names(JudgedRuns, y_scores)
    labels = _read_cells("y_true", y_true, np.shape(y_true))
    scores = {
        name: _read_cells(f"y_scores[{name!r}]", y_score, np.shape(y_true))
        for name, y_score in zip(names, y_scores.values(), strict=True)
    }
    if not any(known.cells.size for known in (labels, *scores.values())):
        raise ValueError("y_true and y_scores have no stored entries: there is nothing to score.")
    n_rows, n_columns = np.shape(y_true)
    grid = Grid(np.arange(n_rows), np.append(np.arange(n_columns), NO_COLUMN))
    return judge_cells(labels, scores, grid, relevance_level)


def _read_cells(name: str, matrix: Argument, shape: tuple[int, ...]) -> KnownCells:
    """Read the stored entries of a matrix; those of labels must be finite."""
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
    is_valid = np.isfinite(values) if name == "y_true" else values < np.inf
    if not is_valid.all():
        first = is_valid.argmin()
        raise ValueError(
            f"{name} contains {values[first]} in row {entries.row[first]}, column "
            f"{entries.col[first]}. What is not known, or was not retrieved, must not be stored."
        )
    return KnownCells(entries.row.astype(np.intp) * (shape[1] + 1) + entries.col, values)
