"""Counts of queries, without what reads large data."""

from dataclasses import replace

from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.request import Request, check_rankings


def counts_of_queries(y_true, y_score, queries):
    rankings = check_rankings(Request(y_true=y_true, y_score=y_score, queries=queries))
    return replace(count(rankings), names=tuple(rankings.names))
