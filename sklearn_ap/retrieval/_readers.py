"""Judgements and runs in files, tables, dicts, ranked lists and sparse matrices."""

import os
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array, issparse

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._files.sources import names_of_files
from sklearn_ap._inputs.numbers import LOST_DIGITS, lose_digits
from sklearn_ap._inputs.options import check_finite_number
from sklearn_ap._inputs.rows_of_models import check_model_names, check_models
from sklearn_ap._types import Argument, SparseMatrix
from sklearn_ap.retrieval._document_table import tabulate
from sklearn_ap.retrieval._judged_runs import JudgedRuns
from sklearn_ap.retrieval._judging import (
    JudgingRules,
    TieRule,
    Unjudged,
    judge_runs,
    warn_of_low_labels,
)
from sklearn_ap.retrieval._sources import CodedNames, DocumentRows, read_source


def from_runs(
    qrels: Argument,
    runs: Argument,
    *,
    query: str = "query",
    document: str = "document",
    score: str = "score",
    label: str = "label",
    judge: Argument = None,
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: TieRule = "shared",
) -> JudgedRuns:
    r"""Take judgements and runs from dicts, ranked lists, tables and TREC's files.

    Each may be of another kind. A line of TREC's judgements holds query, iteration, document and
    label; a line of a run holds query, "Q0", document, rank, score and the name of the run. Blanks
    or tabs stand between them, and files may be compressed. As in trec_eval, the score ranks, and
    the rank does not count.

    Parameters
    ----------
    qrels : mapping, table or path
        The judgements, ``{query: {document: label}}``. Where all that are named are relevant, as
        the items that a user bought, ``{query: [document, ...]}``, or a set in place of the list.
        An empty one is a judgement, too: nothing is relevant, so the query scores 0. Or a table of
        pandas, polars, pyarrow or DuckDB, or a file of TREC.
    runs : mapping of str to mapping, table or path; or paths
        The runs, by name: ``{query: {document: score}}``, or ``{query: [document, ...]}`` with the
        best document first. An empty result scores 0. Files in a list are called after their names,
        without ``.run``, ``.txt`` and the like, or by their paths if two files have one name.
    query, document, score, label : str
        The columns of tables: of queries and of documents, of scores in the runs, and of labels in
        the judgements.
    judge : mapping, table or path, default=None
        The labels of a judge, such as a language model, for all queries. ``qrels`` are then those
        of people, for all documents of some random queries, by which the mistakes of the judge are
        corrected. A document that only people know is not relevant to the judge.
    relevance_level : float, default=1
        The lowest label of a relevant document, trec_eval's ``-l``. It is also that of the judge.
    unjudged : {"negative", "left out"}, default="negative"
        What a document without a label is. "left out" is trec_eval's ``-J``.
    complete : bool, default=False
        Whether judged queries that are in no run count, trec_eval's ``-c``. They score 0.
    ties : {"shared", "trec_eval"}, default="shared"
        What documents with equal scores do. "trec_eval" ranks them by name, the later first, as
        trec_eval does, which rounds scores to float32. The scores are then ranks of documents.

    Returns
    -------
    JudgedRuns
        Arguments of every score, by the name of the run. With a judge, those of
        ``average_precision_interval`` and ``compare_average_precision``.

    Warns
    -----
    UserWarning
        If queries have no judgements, or are in no run, which leaves them out; if a run lacks
        queries of another one, where it scores 0; if no label reaches the level, or labels are
        fractions below it; if no document of a run is judged, or fewer than of another run; or if
        the scores of a run fall nowhere.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = {"apples": {"d2": 1, "d9": 1}, "geese": {"d5": 1}}
    >>> bm25 = {"apples": {"d2": 7.0}, "geese": {"d5": 9.0, "d6": 8.0}}
    >>> judged = retrieval.from_runs(qrels, {"bm25": bm25})
    >>> average_precision_score(**judged["bm25"])  # MAP
    0.75

    The same of TREC's files:

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> qrels, run = Path(mkdtemp(), "qrels.txt"), Path(mkdtemp(), "bm25.run")
    >>> _ = qrels.write_text("apples 0 d2 1\napples 0 d9 1\ngeese 0 d5 1")
    >>> _ = run.write_text("apples Q0 d2 1 7 bm25\ngeese Q0 d5 1 9 bm25\ngeese Q0 d6 2 8 bm25")
    >>> average_precision_score(**retrieval.from_runs(qrels, [run])["bm25"])
    0.75
    """
    rules = JudgingRules(relevance_level, unjudged, complete, ties)
    if score in ("rank", "position"):
        raise InputError(
            f"score={score!r} would turn the ranking around, as the first rank is the lowest "
            f"number. Make a column of -{score}, and pass its name."
        )
    if judge is not None and unjudged == "left out":
        raise InputError(
            "unjudged='left out' does not go with judge, which then labels only some of the "
            "documents that people labelled. Leave it out."
        )
    run_by_name = _name_runs(runs)
    labels = read_source("qrels", qrels, (query, document, label), rules.relevance_level)
    scores = [read_source(name, run, (query, document, score)) for name, run in run_by_name.items()]
    if judge is None:
        return judge_runs(labels, scores, rules)
    judged = read_source("judge", judge, (query, document, label), rules.relevance_level)
    return judge_runs(judged, scores, rules, people=labels)


def _name_runs(runs: Argument) -> dict[str, Argument]:
    """Return the runs by name, which are those of their files if only paths are given."""
    if isinstance(runs, str | os.PathLike):
        runs = [runs]
    if isinstance(runs, Mapping):
        names, sources = check_model_names(JudgedRuns, runs), [*runs.values()]
    elif isinstance(runs, Sequence) and all(isinstance(run, str | os.PathLike) for run in runs):
        sources = [*map(os.fspath, runs)]
        names = check_model_names(JudgedRuns, names_of_files(sources))
    else:
        raise InputTypeError(
            f"runs must map the name of each system to its run, or list nothing but paths of files "
            f"of TREC, got {type(runs).__name__}."
        )
    return dict(zip(names, sources, strict=True))


def from_sparse(
    y_true: SparseMatrix, y_scores: Mapping[str, SparseMatrix], *, relevance_level: float = 1
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
    relevance_level = check_finite_number("relevance_level", relevance_level)
    names = check_models(JudgedRuns, "y_scores", y_scores)
    shape = getattr(y_true, "shape", ())
    labels = _read_matrix("y_true", y_true, shape)
    scores = [
        _read_matrix(name, y_score, shape)
        for name, y_score in zip(names, y_scores.values(), strict=True)
    ]
    table = tabulate(labels, scores, labels.queries.names, no_document=-1)
    warn_of_low_labels(table.labels, relevance_level)
    return table.judge(relevance_level)


def _read_matrix(name: str, matrix: SparseMatrix, shape: tuple[int, ...]) -> DocumentRows:
    """Read the stored entries of a matrix."""
    if not issparse(matrix) or matrix.ndim != 2:
        raise InputTypeError(
            f"{name} must be a sparse matrix of SciPy, with rows and columns, got "
            f"{type(matrix).__name__}. Of dense tables, pass both to the score, with "
            f"average='samples': each row is then a ranking."
        )
    if matrix.shape != shape:
        raise InputError(f"{name} has shape {matrix.shape}, but y_true has {shape}.")
    if lose_digits(csr_array(matrix).data):
        raise InputError(f"{name} {LOST_DIGITS}.")
    rows = csr_array(matrix.astype(np.float64))  # before sums of small integers overflow
    rows.sum_duplicates()
    entries = rows.tocoo()
    n_rows, n_columns = shape
    users, items = CodedNames(entries.row, range(n_rows)), CodedNames(entries.col, range(n_columns))
    return DocumentRows(name, users, items, entries.data)
