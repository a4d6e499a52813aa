"""What a test of chance shows of a score, or of each of several rankings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.text import pvalue_in_words
from sklearn_ap._questions.verdicts import (
    MOST_SENTENCES,
    UNDECIDED,
    Verdict,
    names_in_words,
    ranking_in_words,
)
from sklearn_ap._types import AnyResult, Name

ABOVE_CHANCE = "above chance"
ERROR_RATE = 0.05  # of a score, or the share of false discoveries among several
CLUSTERS_DOUBT = "This may be wrong, as rows of a cluster may be alike."
SCORE = "score"  # the name of a score without one


class ChanceNumbers(NamedTuple):
    """The numbers of one ranking."""

    score: float
    chance: float
    adjusted_pvalue: float


def verdicts_of_chance(result: AnyResult) -> tuple[Verdict, ...]:
    """Give a verdict for the score, or for each ranking, by the adjusted p-value."""
    is_single = np.ndim(result.score) == 0
    names = [None] if is_single else [*(result.rankings or range(np.size(result.score)))]
    columns = (result.score, result.chance, result.adjusted_pvalue)
    numbers = zip(*(np.atleast_1d(column).tolist() for column in columns), strict=True)
    least_pvalue = 1 / (1 + result.n_permutations)
    doubt = CLUSTERS_DOUBT if result.has_clusters else ""
    return tuple(
        _verdict(name, ChanceNumbers(*values), least_pvalue, doubt)
        for name, values in zip(names, numbers, strict=True)
    )


def printed_chance(result: AnyResult) -> tuple[str, ...]:
    """Return the sentence of a score; of many rankings, the names of those above chance."""
    verdicts = verdicts_of_chance(result)
    if len(verdicts) <= MOST_SENTENCES:
        return tuple(verdict.sentence for verdict in verdicts)
    better = [str(verdict.ranking) for verdict in verdicts if verdict.decision == ABOVE_CHANCE]
    n_others = len(verdicts) - len(better)
    if not better:
        return (f"Nothing is shown for any of {n_others:,} rankings.",)
    verb = "scores" if len(better) == 1 else "score"
    names = f"{len(better):,} of {len(verdicts):,} rankings {verb} higher than by chance"
    shown = f"{names}: {names_in_words(better)}."
    others = "one" if n_others == 1 else f"{n_others:,}"
    lines = [shown, f"Nothing is shown for the other {others}." if n_others else ""]
    return tuple(filter(None, [*lines, CLUSTERS_DOUBT if result.has_clusters else ""]))


def _verdict(name: Name | None, numbers: ChanceNumbers, least_pvalue: float, doubt: str) -> Verdict:
    subject = "the score" if name is None else f"the score of {ranking_in_words(name)}"
    claim = f"{subject} is higher than by chance"
    facts = (
        f"{numbers.score:.2g}, where random orders score {numbers.chance:.2g} on average "
        f"({pvalue_in_words(numbers.adjusted_pvalue)})."
    )
    is_shown = numbers.adjusted_pvalue <= ERROR_RATE
    if np.isnan(numbers.adjusted_pvalue):
        sentence = f"{subject} cannot be compared with chance."
    elif least_pvalue > ERROR_RATE:
        sentence = f"{subject} needs 19 random orders or more to be compared with chance."
    elif is_shown:
        sentence = f"{claim}: {facts} {doubt}".rstrip()
    else:
        sentence = f"it is not shown that {claim}: {facts}"
    decision = ABOVE_CHANCE if is_shown else UNDECIDED
    return Verdict(
        SCORE if name is None else str(name), name, decision, f"{sentence[0].upper()}{sentence[1:]}"
    )
