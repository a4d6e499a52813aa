"""Judgements and runs as they are kept, in files, tables, dicts and sparse matrices.

``_readers`` has the functions, ``_sources`` reads each kind of source, and ``_trec_files`` those of
TREC. ``_judging`` joins judgements and runs in a ``_document_table``, and ``_judged_runs`` is what
comes out.
"""

from sklearn_ap.retrieval._judged_runs import JudgedRuns
from sklearn_ap.retrieval._readers import from_runs, from_sparse

__all__ = ["JudgedRuns", "from_runs", "from_sparse"]
