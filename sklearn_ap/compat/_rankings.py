"""Small rankings on which functions differ, and what all known functions answer to each."""

from dataclasses import replace
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

import numpy as np

from sklearn_ap._types import Bool, Float, Index
from sklearn_ap.compat._answers import CheckedPredictions
from sklearn_ap.compat._calls import Call, all_calls
from sklearn_ap.compat._tools import other_tools, our_tools, read_table

LETTERS = ascii_letters + digits  # of blocks of tied rows, the lowest score first
N_RANKINGS = 150  # of the table; those behind them have other scores


class SmallRankings(NamedTuple):
    """The rankings, and flags of what each tells; one of a single class tells no choice."""

    rows: list[tuple[Index, Float]]  # labels and scores, those of the fewest rows first
    joined: CheckedPredictions  # each as a query
    tell_curve: Bool  # the last four choices, as no scores are tied
    tell_ties: Bool  # and the last four
    tell_scores: Bool
    without_positives: Bool


@lru_cache(maxsize=1)
def small_rankings() -> SmallRankings:
    """Read the rankings, and add some with other scores."""
    rows = _read_rows()
    y_true, y_score = map(np.concatenate, zip(*rows, strict=True))
    queries = np.repeat(np.arange(len(rows)), [labels.size for labels, _ in rows])
    prevalence = np.array([labels.mean() for labels, _ in rows])
    is_distinct = np.array([np.unique(score).size == score.size for _, score in rows])
    has_other_scores = np.arange(len(rows)) >= N_RANKINGS
    has_both = (prevalence > 0) & (prevalence < 1) & ~has_other_scores
    return SmallRankings(
        rows,
        CheckedPredictions.check(y_true, y_score, queries=queries),
        tell_curve=has_both & is_distinct,
        tell_ties=has_both,
        tell_scores=has_other_scores,
        without_positives=prevalence == 0,
    )


def _read_rows() -> list[tuple[Index, Float]]:
    rows = [
        (np.array([*map(int, row["labels"])]), np.array([*map(LETTERS.index, row["blocks"])]) + 1)
        for row in sorted(read_table("rankings.tsv"), key=lambda row: len(row["labels"]))
    ]
    y_true, rank = max(rows, key=lambda each: np.unique(each[1]).size)
    # float32 and CatBoost tie the first, sigmoids and clipping the second, and bins the last.
    others = [(y_true, score) for score in (0.5 + rank * 1e-9, rank - 30.0, rank / 1000)]
    return [(y_true, blocks / 64) for y_true, blocks in rows] + others


@lru_cache(maxsize=2)
def known_answers(k: int) -> tuple[list[Call], Float]:
    """Call all known functions with each ranking alone."""
    calls = [call for tool in (*other_tools(), *our_tools(k)) for call in all_calls(tool, k)]
    joined = small_rankings().joined
    return calls, np.array([joined.ask(_for_one_query(call)).values for call in calls])


def _for_one_query(call: Call) -> Call:
    """Let a function answer each query as if there were no other."""
    found = reversed(call.tool.answers.items())  # the first counts, so it comes last
    alone = {condition.removesuffix(" in any query"): answer for condition, answer in found}
    return replace(call, tool=replace(call.tool, answers=alone))
