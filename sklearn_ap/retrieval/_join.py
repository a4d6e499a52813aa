"""One row for each document of a query, from judgements and runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from sklearn_ap._extras import printable, warn
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._results.text import count_as_text, names_as_text
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap.retrieval._documents import DocumentRows, Names, check_level
from sklearn_ap.retrieval._judged_runs import JudgedRuns, RowPairs, break_ties

Unjudged = Literal["negative", "left out"]
TieRule = Literal["shared", "trec_eval"]

NO_DOCUMENT = ""  # stands in the row of a query that has no document


@dataclass(frozen=True)
class Options:
    """What labels, and missing ones, mean."""

    relevance_level: float
    unjudged: Unjudged
    complete: bool
    ties: TieRule

    def __post_init__(self) -> None:
        check_level(self.relevance_level)
        check_choice("unjudged", self.unjudged, Unjudged)
        check_choice("ties", self.ties, TieRule)
        if not isinstance(self.complete, bool | np.bool_):
            raise TypeError(f"complete must be True or False, got {self.complete!r:.80}.")


class KnownCells(NamedTuple):
    """The cells of a table of queries and documents that have a label or a score.

    ``pairs`` are query * n_documents + document, in order and without copies.
    """

    pairs: Index
    values: Float

    def look_up(self, wanted: Index, otherwise: float) -> Float:
        """Return the values of sorted pairs that include all of these."""
        values = np.full(wanted.size, otherwise)
        values[np.searchsorted(wanted, self.pairs)] = self.values
        return values


def judge_runs(qrels: DocumentRows, runs: Sequence[DocumentRows], options: Options) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    sources = (qrels, *runs)
    for source in sources:
        if not source.values.size:
            raise DataError(f"{printable(source.name)}: there are no rows")
    queries, all_names = _encode([source.queries for source in sources])
    documents, document_names = _encode([source.documents for source in sources])
    has_query = [np.bincount(codes, minlength=all_names.size) > 0 for codes in queries]
    is_counted = _counted_queries(sources, all_names, has_query, complete=options.complete)
    name_order = np.array(sorted(is_counted.nonzero()[0], key=all_names.__getitem__))
    place = np.full(all_names.size, -1)
    place[name_order] = np.arange(name_order.size)
    labels, *scores = (
        _cells_of(source, place[query], document, document_names.size + 1)
        for source, query, document in zip(sources, queries, documents, strict=True)
    )
    cells_of_runs = dict(zip([run.name for run in runs], scores, strict=True))
    names = {
        "query_names": all_names[name_order],
        "document_names": np.append(document_names, NO_DOCUMENT),
    }
    level = options.relevance_level
    highest = labels.values.max(initial=0.0)
    if 0 < highest < level:  # without any above 0, nobody graded a document as relevant
        warn(
            f"no document is relevant: relevance_level is {level:g}, and the highest grade is "
            f"{highest:g}",
            UserWarning,
        )
    judged = join_cells(labels, cells_of_runs, **names, relevance_level=level)
    _warn_of_unjudged_runs(judged)
    judged = break_ties(judged) if options.ties == "trec_eval" else judged
    if options.unjudged == "negative":
        return judged
    for name, all_scores in judged.y_scores.items():
        kept = judged.is_judged & (all_scores > -np.inf)
        cells_of_runs[name] = KnownCells(judged._source.pairs[kept], all_scores[kept])
    return join_cells(labels, cells_of_runs, **names, relevance_level=level)


def join_cells(
    labels: KnownCells,
    scores: Mapping[str, KnownCells],
    *,
    query_names: Array,
    document_names: Array,
    relevance_level: float,
) -> JudgedRuns:
    """Make a row for each cell that has a label or a score, and one for each query without any.

    The last of the names of documents is that of no document.
    """
    n_documents = document_names.size
    pairs = np.sort(np.concatenate([cells.pairs for cells in (labels, *scores.values())]))
    pairs = pairs[begins_block(pairs)]
    is_empty = np.ones(query_names.size, bool)
    is_empty[pairs // n_documents] = False
    no_document = is_empty.nonzero()[0] * n_documents + n_documents - 1
    if no_document.size:
        pairs = np.sort(np.concatenate((pairs, no_document)))
    grades = labels.look_up(pairs, np.nan)
    return JudgedRuns(
        y_true=grades >= relevance_level,
        y_scores={name: cells.look_up(pairs, -np.inf) for name, cells in scores.items()},
        queries=query_names[pairs // n_documents],
        query_names=tuple(query_names.tolist()),
        is_judged=~np.isnan(grades) | (pairs % n_documents == n_documents - 1),
        relevance_level=relevance_level,
        _source=RowPairs(pairs, document_names),
    )


def _encode(parts: Sequence[Names]) -> tuple[list[Index], Array]:
    """Return the code of each name in each part, -1 for None; and the names in order of codes."""
    if not hasattr(parts[0], "dictionary_encode"):
        code: dict[str | None, int] = {None: -1}
        codes = [
            np.array([code.setdefault(name, len(code) - 1) for name in part], np.intp)
            for part in parts
        ]
        return codes, np.array([*code][1:], dtype=object)
    import pyarrow as pa

    chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [])]
    joined = pa.chunked_array(chunks, pa.string())
    encoded = joined.dictionary_encode().combine_chunks()
    ends = np.cumsum([len(part) for part in parts])
    names = encoded.dictionary.to_numpy(zero_copy_only=False)
    return np.split(encoded.indices.to_numpy(), ends[:-1]), names


def _cells_of(source: DocumentRows, query: Index, document: Index, n_documents: int) -> KnownCells:
    """Return the cells of queries that count, which have no -1; refuse a document that is twice."""
    rows = ((query >= 0) & (document >= 0)).nonzero()[0]
    pairs = query[rows] * n_documents + document[rows]
    order = pairs.argsort()
    cells = KnownCells(pairs[order], source.values[rows[order]])
    is_repeated = ~begins_block(cells.pairs)
    if is_repeated.any():
        row = rows[order[is_repeated.argmax()]]
        twice = f"document {str(source.documents[row])!r} of query {str(source.queries[row])!r}"
        raise DataError(f"{printable(source.name)}: {twice} is there twice")
    return cells


def _counted_queries(
    sources: Sequence[DocumentRows], names: Array, has_query: Sequence[Bool], *, complete: bool
) -> Bool:
    """Flag the queries that count. Warn of others, and of queries that a run lacks."""
    is_judged, *is_in_run = has_query
    is_in_any_run = np.any(is_in_run, axis=0)
    is_counted = is_judged & is_in_any_run
    qrels, *runs = (printable(source.name) for source in sources)
    if not is_counted.any():
        raise DataError(
            f"{qrels}: none of its queries is in a run: it has {names[is_judged.argmax()]!r}, and "
            f"a run has {names[is_in_any_run.argmax()]!r}"
        )
    _warn_of_queries(names[is_in_any_run & ~is_judged], "without judgements: left out")
    if complete:
        return is_judged
    problem = "judged but in no run: left out; complete=True counts 0"
    _warn_of_queries(names[is_judged & ~is_in_any_run], problem)
    for run, is_in_this_run in zip(runs, is_in_run, strict=True):
        problem = f"not in {run}, but in another run: 0 there"
        _warn_of_queries(names[is_counted & ~is_in_this_run], problem)
    return is_counted


def _warn_of_queries(names: Array, problem: str) -> None:
    if names.size:
        examples = names_as_text([repr(name) for name in sorted(names)])
        warn(f"{count_as_text(names.size, 'query')} {problem} ({examples})", UserWarning)


def _warn_of_unjudged_runs(judged: JudgedRuns) -> None:
    """Warn of a run none of whose documents is judged, unless its queries have no judged one."""
    query = judged._source.query
    has_label = judged.is_judged & judged._source.has_document
    for name, scores in judged.y_scores.items():
        is_found = scores > -np.inf
        if np.any(is_found & has_label):
            continue
        is_judged_query = np.bincount(query[has_label], minlength=len(judged.query_names)) > 0
        rows = (is_found & is_judged_query[query]).nonzero()[0]
        if rows.size:
            first = rows[0]
            label = (has_label & (query == query[first])).argmax()
            warn(
                f"no document of {printable(name)} is judged, so it scores 0. For query "
                f"{judged.queries[first]!r}, it has {judged.documents[first]!r}, and the "
                f"judgements have {judged.documents[label]!r}. Are names written alike?",
                UserWarning,
            )
