"""Judgements and runs as they are kept, in files, tables, dicts and sparse matrices."""

from sklearn_ap.retrieval._from_dicts import from_dicts
from sklearn_ap.retrieval._from_sparse import from_sparse
from sklearn_ap.retrieval._judged_runs import JudgedRuns, from_tables, from_trec

__all__ = ["JudgedRuns", "from_dicts", "from_sparse", "from_tables", "from_trec"]
