"""Runs and judgements in dicts and ranked lists, as they are in memory."""

from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any

import numpy as np

from sklearn_ap._extras import import_extra
from sklearn_ap._inputs.name_codes import is_missing
from sklearn_ap.retrieval._judged_runs import (
    Columns,
    JudgedRuns,
    Ties,
    Unjudged,
    columns_of_table,
    judged_runs,
    refuse_equal_names,
)

SHAPES = "{'bm25': {query: {document: score}}} or {'bm25': {query: [document, ...]}}"


def from_dicts(
    qrels: Mapping[Any, Any],
    runs: Mapping[str, Mapping[Any, Any]],
    *,
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: Ties = "shared",
) -> JudgedRuns:
    """Take judgements and runs from dicts, or from ranked lists.

    Parameters
    ----------
    qrels : mapping
        The judgements, ``{query: {document: label}}``. Where all that are named are relevant, as
        the items that a user bought, ``{query: [document, ...]}``, or a set in place of the list.
    runs : mapping of str to mapping
        The runs, by name: ``{query: {document: score}}``, or ``{query: [document, ...]}`` with the
        best document first. An empty result scores 0.
    relevance_level : float, default=1
        The lowest label of a relevant document, trec_eval's ``-l``.
    unjudged : {"negative", "left out"}, default="negative"
        What a document without a label is. "left out" is trec_eval's ``-J``.
    complete : bool, default=False
        Whether queries of which no run has a document count, trec_eval's ``-c``. They score 0.
    ties : {"shared", "trec_eval"}, default="shared"
        What documents with equal scores do. "trec_eval" ranks them by name, the later first, as
        trec_eval does, which rounds scores to float32. The scores are then ranks of documents.

    Returns
    -------
    JudgedRuns
        Arrays for every score, by the name of the run.

    See Also
    --------
    from_sparse : The same for sparse tables of users and items.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = {"a": {"x": 1, "y": 1}}
    >>> judged = retrieval.from_dicts(qrels, {"bm25": {"a": {"z": 0.9, "x": 0.8}}})
    >>> average_precision_score(**judged["bm25"])
    0.25
    """
    if not isinstance(qrels, Mapping):
        raise TypeError(
            f"qrels must be a dict, {{query: {{document: label}}}}, got {type(qrels).__name__}."
        )
    if not isinstance(runs, Mapping) or not all(map(_is_run, runs.values())):
        raise TypeError(
            f"runs must map names to runs, as {SHAPES}. If you have one run, name it: "
            f"{{'run': run}}."
        )
    refuse_equal_names([*map(str, runs)])
    judged = {str(query): found for query, found in qrels.items()}
    labels = _columns("qrels", "label", qrels, judged)
    found = {str(name): _columns(str(name), "score", run, judged) for name, run in runs.items()}
    return judged_runs(labels, found, relevance_level, unjudged, complete, ties)


def _is_run(run: Any) -> bool:
    kinds = Mapping, list, tuple, np.ndarray
    return isinstance(run, Mapping) and all(isinstance(found, kinds) for found in run.values())


def _columns(name: str, value: str, given: Mapping[Any, Any], judged: dict[str, Any]) -> Columns:
    """A row for each document: query, document, and label or score."""
    queries: list[str] = []
    documents: list[str] = []
    numbers: list[Any] = []
    for query, found in given.items():
        named, values = _named(f"{name}: query {query!r}", value, found)
        if not named and judged.get(str(query)):  # that nothing was retrieved is an answer
            named, values = [next(iter(judged[str(query)]))], [-np.inf]
        queries += [str(query)] * len(named)
        documents += map(str, named)
        numbers += values
    columns = {"query": queries, "document": documents, value: np.array(numbers)}
    table = import_extra("pyarrow", "from_dicts", "table").table(columns)
    return columns_of_table(name, table, [*columns], judgements=value == "label")


def _named(place: str, value: str, found: Any) -> tuple[Sequence[Any], Iterable[Any]]:
    """Documents and their numbers: those of a dict, all 1 of relevant ones, or by rank."""
    if isinstance(found, Mapping):
        for document, number in found.items():
            if is_missing(number) or not isinstance(number, Real):
                raise ValueError(
                    f"{place}, document {document!r} has the {value} {number!r}, which is no "
                    f"number. Leave out what was not {'judged' if value == 'label' else 'found'}."
                )
        return [*found], found.values()
    if isinstance(found, str) or not isinstance(found, Set | Sequence | np.ndarray):
        raise TypeError(f"{place} must have a dict or a list of documents, got {found!r}.")
    return [*found], [1] * len(found) if value == "label" else range(len(found), 0, -1)
