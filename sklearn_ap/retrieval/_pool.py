"""All documents of all files, each once for a query, and where the rows of each file stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._files.cells import DataError
from sklearn_ap.counts._blocks import begins_block, bring_together
from sklearn_ap.retrieval._columns import Columns

Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Documents by query, the queries one after the other."""

    queries: Index  # the number of the query
    documents: Index  # the number of the document
    names: Any  # of the documents, an array of pyarrow
    places: list[Index]  # of the rows of each file

    @classmethod
    def of(cls, sources: Sequence[Columns], kept: list[Index], query: Index) -> Pool:
        """Pool the rows that are ``kept`` of each source; ``query`` is that of all rows."""
        import pyarrow as pa

        sizes = [source.values.size for source in sources]
        rows = np.concatenate(
            [rows + begin for rows, begin in zip(kept, np.cumsum(sizes) - sizes, strict=True)]
        )
        n_queries = int(query.max()) + 1
        together = bring_together(query[rows], n_queries)
        rows, query = rows[together], query[rows][together]
        parts = [part for source in sources for part in source.documents]
        named = pa.chunked_array(parts, pa.string()).dictionary_encode().combine_chunks()
        names, document = named.dictionary, named.indices.to_numpy()[rows]
        # One number for a document of a query. It stands where its last row does.
        pairs = pa.array((query * len(names) + document)[::-1]).dictionary_encode()
        queries, documents = np.divmod(pairs.dictionary.to_numpy()[::-1], len(names))
        place = np.empty(rows.size, np.intp)
        place[together] = queries.size - 1 - pairs.indices.to_numpy()[::-1]
        places = np.split(place, np.cumsum([rows.size for rows in kept])[:-1])
        for source, rows_of_source, here in zip(sources, kept, places, strict=True):
            _refuse_twice(source, rows_of_source, here, queries.size)
        return cls(queries, documents, names, places)

    def order_of_names(self, scores: Iterable[NDArray[np.float64]]) -> Index:
        """An order in which documents of a query that any run ties stand by name.

        As in trec_eval, the scores of a run are rounded to float32, and names sort by their bytes.
        """
        import pyarrow.compute as pc

        is_tied = np.zeros(self.queries.size, bool)
        for places, score in zip(self.places[1:], scores, strict=True):
            with np.errstate(over="ignore"):
                rounded = score[places].astype(np.float32)
            is_tied[places[_tied(self.queries[places], rounded)]] = True
        tied, order = is_tied.nonzero()[0], np.arange(is_tied.size)
        used, document = np.unique(self.documents[tied], return_inverse=True)
        rank = pc.rank(self.names.take(used)).to_numpy()
        order[tied] = tied[np.lexsort((rank[document], self.queries[tied]))]
        return order


def _tied(queries: Index, score: NDArray[np.float32]) -> Index:
    """The rows of a run that share their score with another one of the query."""
    begins = begins_block(queries)
    falls = (score[1:] <= score[:-1]) | begins[1:]
    # A run is mostly sorted.
    is_sorted = falls.all() and np.unique(queries[begins]).size == np.count_nonzero(begins)
    order = np.arange(score.size) if is_sorted else np.lexsort((score, queries))
    score, queries = score[order], queries[order]
    alone = begins_block(score) | begins_block(queries)
    return order[~(alone & np.append(alone[1:], True))]


def _refuse_twice(source: Columns, rows: Index, places: Index, n_places: int) -> None:
    """Refuse a document that stands twice in a file for a query."""
    times = np.bincount(places, minlength=n_places)
    if times.max(initial=0) > 1:
        first, second = (places == times.argmax()).nonzero()[0][:2]
        (where, what), (before, _) = source.row(rows[second]), source.row(rows[first])
        place = where[: where.rindex("row ")]
        raise DataError(f"{where}, {what} is there already, in {before.removeprefix(place)}")
