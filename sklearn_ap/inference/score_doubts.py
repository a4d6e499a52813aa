"""Doubts about scores: predicted classes, coarse grades, and what is known of their source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from sklearn_ap._inputs.labels_and_scores import check_scores, predicted_class_remark
from sklearn_ap._inputs.sourced_scores import Source
from sklearn_ap._results.doubt import Doubt, model_of, name_doubts
from sklearn_ap._results.text import printable, share_as_text
from sklearn_ap._results.warning import WarningName
from sklearn_ap._types import Argument, Array, Name, RowData

MOST_GRADES = 10  # so few different scores are grades,
FINER = 10  # beside so many times as many of another model
FIRST_OF_MODEL = 100  # rows, in which most models have more, and need no sort of all rows

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. Without the
# unjudged documents, these are 15, for the other system, at 0.7. By chance, documents that are
# judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
FORGOTTEN_QUERIES = Doubt(
    name="forgotten queries",
    text="These are scores of several queries, and their rows were put into one ranking, as if "
    "scores of different queries could be compared. Pass queries.",
    reason="rows of several queries are in one ranking: pass queries first",
)


def predicted_classes(y_score: RowData) -> list[Doubt]:
    """Doubt scores that look like predicted classes."""
    remark = predicted_class_remark(check_scores(y_score))
    reason = "scores look like predicted classes: pass probabilities or decision values first"
    return [Doubt(name="predicted classes", text=remark, reason=reason)] if remark else []


@dataclass(frozen=True, kw_only=True)
class CoarseScores(Doubt):
    """A model with few different scores beside finer ones, which are compared with it."""

    numbers: Mapping[Name, int]  # of different scores of each model

    def why_not(self, name: Name, other: Name) -> str:
        """Return a reason for models whose numbers are unlike."""
        own, others = (self.numbers.get(model_of(each), 0) for each in (name, other))
        if not (self.is_about(name) or self.is_about(other)) or not _are_unlike(own, others):
            return ""
        return (
            f"it has {own:,} different scores and the other {others:,}, and ties change scores: "
            f"put both into the same grades first"
        )


def coarse_scores(scores: Sequence[Array], names: Sequence[str]) -> list[Doubt]:
    """Doubt models with few different scores beside finer ones, of which all are one column."""
    if min(np.unique(each[:FIRST_OF_MODEL]).size for each in scores) > MOST_GRADES:
        return []
    numbers = dict(zip(names, (np.unique(each).size for each in scores), strict=True))
    most = max(numbers.values())
    return [
        CoarseScores(
            name="coarse scores",
            text=f"{n} different scores stand beside {most:,} of another model. Ties change a "
            f"score. Use the same grades.",
            about=(name,),
            numbers=numbers,
        )
        for name, n in numbers.items()
        if n <= MOST_GRADES and _are_unlike(n, most)
    ]


def _are_unlike(n: int, other: int) -> bool:
    """Whether one model has far fewer different scores, which are no predicted classes."""
    fewer, more = sorted((n, other))
    return 2 < fewer <= MOST_GRADES and more >= FINER * fewer


# ---- where scores come from


def source_of(scores: Argument) -> Source:
    """Return the source of scores, of which nothing is known unless they have one."""
    return getattr(scores, "source", None) or Source(has_queries=False)


def forgotten_queries(models: Sequence[Argument], queries: Argument) -> list[Doubt]:
    """Doubt one ranking of all rows, if any model has scores of several queries."""
    if queries is not None or not any(source_of(scores).has_queries for scores in models):
        return []
    return [FORGOTTEN_QUERIES]


def doubts_of_sources(models: Sequence[Argument], names: Sequence[Name]) -> list[Doubt]:
    """Return the doubts that were told where scores were made; one model has no name."""
    sources = [source_of(scores) for scores in models]
    doubts = name_doubts([source.doubts for source in sources], names)
    shares = {name: source.judged_share for name, source in zip(names, sources, strict=False)}
    return doubts + unequal_judgements(shares, max(source.n_queries for source in sources))


@dataclass(frozen=True, kw_only=True)
class UnequalJudgements(Doubt):
    """Systems of whose first documents smaller shares are judged than of those of others."""

    name: WarningName = "unequal judgements"
    shares: Mapping[Name, float]  # of each system
    limit: float  # from which two shares are unequal

    def why_not(self, name: Name, other: Name) -> str:
        """Return a reason for systems whose shares are unequal."""
        share, other_share = (self.shares.get(model_of(each), nan) for each in (name, other))
        if not abs(share - other_share) > self.limit:  # nan is not
            return ""
        return (
            f"{share_as_text(share)} of its first 10 documents are judged and "
            f"{share_as_text(other_share)} of the other's: judge them first"
        )


def unequal_judgements(shares: Mapping[Name, float], n_queries: int) -> list[Doubt]:
    """Doubt a system of whose first documents a smaller share is judged than of another's."""
    known = {name: share for name, share in shares.items() if share > 0}  # nan is not known
    limit = UNEQUAL_SHARES / max(n_queries, 1) ** 0.5
    if not known or max(known.values()) - min(known.values()) <= limit:
        return []
    most, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    text = (
        f"Of the first 10 documents, {share_as_text(known[most])} are judged for "
        f"{printable(str(most))}, and {share_as_text(known[least])} for {printable(str(least))}, "
        f"whose score is too low if the others count as not relevant, and too high if they are "
        f"left out. Label more documents."
    )
    return [UnequalJudgements(text=text, shares=known, limit=limit)]
