"""Judgements and runs as they are kept, in TREC's files and in tables: arrays for every score."""

from sklearn_ap.retrieval._judged_runs import JudgedRuns, from_tables, from_trec

__all__ = ["JudgedRuns", "from_tables", "from_trec"]
