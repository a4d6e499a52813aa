"""Doubts about scores: predicted classes, equal scores, grades, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.labels_and_scores import (
    FIRST_SCORES,
    check_scores,
    predicted_class_remark,
)
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.sourced_scores import Source
from sklearn_ap._results.doubt import Doubt, model_of
from sklearn_ap._types import Argument, Array, Name, RowData
from sklearn_ap._writing.text import (
    names_as_text,
    plural,
    printable,
    rounded_as_text,
    share_as_text,
)
from sklearn_ap._writing.warning import WarningName

MOST_GRADES = 10  # different scores of a model that may be grades
FINER = 10  # times as many different scores make another model finer
FIRST_OF_MODEL = 100  # rows, in which most models have more scores, and need no sort of all rows

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. Without the
# unjudged documents, these are 15, for the other system, at 0.7. By chance, documents that are
# judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
PREDICTED_CLASSES = Doubt(
    name="predicted classes",
    text="",  # says which
    reason="scores look like predicted classes",
    remedy="pass probabilities or decision values",
)
NO_SOURCE = Source()
NO_NEGATIVES = Doubt(
    name="no negatives",
    text="No label is negative, so any model ranks and selects positives alone. Pass the rows of "
    "negatives, or label some.",
    reason="no label is negative",
    remedy="pass negatives",
)
FORGOTTEN_QUERIES = Doubt(
    name="forgotten queries",
    text="These are scores of several queries, and their rows were put into one ranking, as if "
    "scores of different queries could be compared. Pass queries.",
    reason="rows of several queries are in one ranking",
    remedy="pass queries",
)


def doubts_of_values(y_score: RowData, n_rankings: float = 1) -> list[Doubt]:
    """Doubt scores that look like predicted classes, or that are all equal.

    Where each of ``n_rankings`` queries has one row, as of one retrieved document, they may be.
    """
    score = check_scores(y_score).ravel()
    if text := predicted_class_remark(score):
        return [replace(PREDICTED_CLASSES, text=text)]
    first = score[:FIRST_SCORES]
    if np.unique(first[first > -np.inf]).size > 1 or np.sum(score > -np.inf) <= n_rankings:
        return []
    return constant_scores(score)


def constant_scores(score: Array) -> list[Doubt]:
    """Doubt scores of more than a few rows that are all equal, whatever their columns."""
    return [_constant_scores(value=rounded_as_text(score.max()))] if _are_equal(score) else []


def constant_counts(counts: ThresholdCounts) -> list[Doubt]:
    """Doubt counts of more than a few rows that are all at one threshold."""
    thresholds, has_positives = counts.thresholds, counts.n_positives > 0
    if counts.are_weighted or thresholds.size == 0 or np.ptp(thresholds) > 0:
        return []
    n_negatives = counts.n_negatives[has_positives].sum()
    if counts.fps_above.sum() > 0 or counts.fps.sum() != n_negatives:
        return []
    # As many rows as a doubt about them needs
    n_rows = min(counts.n_rows.sum().item(), FIRST_SCORES + 1)
    return constant_scores(np.resize(thresholds, int(n_rows)))


def constant_columns(rankings: Rankings) -> list[Doubt]:
    """Doubt the columns whose scores are all equal; for all columns, see ``doubts_of_values``."""
    kind, score = rankings.sampling.columns, rankings.score
    if kind is None:
        return []
    columns = np.split(score, np.cumsum(rankings.sizes)[:-1])
    names = rankings.names or range(len(columns))
    told = [name for name, column in zip(names, columns, strict=True) if _are_equal(column)]
    if not told:
        return []
    if rankings.sampling.average is None:  # each has a score of its own
        return [replace(_constant_scores(), about=(*told,))]
    owners = kind if len(told) == 1 else plural(kind)
    return [_constant_scores(f" of {owners} {names_as_text([*map(repr, told)])}")]


def no_negatives(n_retrieved: float, n_positives: float, n_negatives: float) -> list[Doubt]:
    """Doubt one ranking without a negative, of which every order of the positives is perfect.

    If some were not retrieved, the score is their share.
    """
    are_all = n_retrieved >= n_positives * (1 - RELATIVE_TOLERANCE)
    return [NO_NEGATIVES] if are_all and n_positives > 0 == n_negatives else []


def _are_equal(score: Array) -> bool:
    """Whether more than a few rows have one score; those that were not retrieved have none."""
    first = score[:FIRST_SCORES]
    if np.unique(first[first > -np.inf]).size > 1:  # of most columns, before all rows are copied
        return False
    retrieved = score[score > -np.inf]
    return bool(retrieved.size > FIRST_SCORES and retrieved.min() == retrieved.max())


def _constant_scores(of_columns: str = "", value: str = "equal") -> Doubt:
    return Doubt(
        name="constant scores",
        text=f"All scores{of_columns} are {value}, so no row ranks above another. If the model "
        f"failed and a default was written, pass its true scores, or leave it out.",
        reason=f"all scores{of_columns} are equal",
        remedy="pass the true scores",
    )


@dataclass(frozen=True, kw_only=True)
class CoarseScores(Doubt):
    """Models with few different scores beside finer ones, which are compared with them."""

    is_of_pairs = True
    name: WarningName = "coarse scores"
    numbers: Mapping[Name, int] = field(hash=False)  # of different scores of each model

    def why_not(self, name: Name, other: Name) -> str:
        """Return a reason for models whose numbers are unlike."""
        own, others = (self.numbers.get(model_of(each), 0) for each in (name, other))
        if not _are_unlike(own, others):
            return ""
        return (
            f"it has {own:,} different scores and the other model {others:,}, and ties change a "
            f"score: put both into the same grades first"
        )


def coarse_scores(scores: Sequence[Array], names: Sequence[str]) -> list[Doubt]:
    """Doubt models with few different scores beside finer ones, of which all are one column."""
    if min(np.unique(each[:FIRST_OF_MODEL]).size for each in scores) > MOST_GRADES:
        return []
    numbers: dict[Name, int] = {
        name: np.unique(each).size for name, each in zip(names, scores, strict=True)
    }
    most = max(numbers.values())
    coarse = {name: n for name, n in numbers.items() if n <= MOST_GRADES and _are_unlike(n, most)}
    if not coarse:
        return []
    text = (
        f"{min(coarse.values())} different scores are compared with {most:,} of another model. "
        f"Ties change a score: use the same grades for both."
    )
    return [CoarseScores(text=text, about=tuple(coarse), numbers=numbers)]


def _are_unlike(n: int, other: int) -> bool:
    """Whether one model has far fewer different scores, which are no predicted classes."""
    fewer, more = sorted((n, other))
    return 2 < fewer <= MOST_GRADES and more >= FINER * fewer


# ---- where scores come from


def source_of(scores: Argument) -> Source:
    """Return the source of scores, of which nothing is known unless they have one."""
    return getattr(scores, "source", None) or NO_SOURCE


def are_plain(models: Iterable[Argument]) -> bool:
    """Check that no scores are of documents or boxes, of which each may be right."""
    return all(source_of(scores) == NO_SOURCE for scores in models)


def forgotten_queries(models: Sequence[Argument], queries: Argument) -> list[Doubt]:
    """Doubt one ranking of all rows, if any model has scores of several queries."""
    if queries is not None:
        return []
    sourced = (scores for scores in models if isinstance(scores, Sized))
    are_all = (0 < source_of(scores).n_rows == len(scores) for scores in sourced)
    return [FORGOTTEN_QUERIES] if any(are_all) else []


def unequal_judgements(models: Sequence[Argument], names: Sequence[Name]) -> list[Doubt]:
    """Doubt a system of whose first documents a smaller share is judged than of another's."""
    sources = {name: source_of(scores) for name, scores in zip(names, models, strict=False)}
    known = {name: each.judged_share for name, each in sources.items() if each.judged_share > 0}
    if len(known) < 2:
        return []
    limit = UNEQUAL_SHARES / max(each.n_queries for each in sources.values()) ** 0.5
    most, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    if known[most] - known[least] <= limit:
        return []
    text = (
        f"Of the first 10 documents, {share_as_text(known[most])} are judged for "
        f"{printable(str(most))}, and {share_as_text(known[least])} for {printable(str(least))}. "
        f"The score of {printable(str(least))} is too low if unjudged documents count as not "
        f"relevant, and too high if they are left out. Label more documents."
    )
    return [UnequalJudgements(text=text, shares=known, limit=limit)]


@dataclass(frozen=True, kw_only=True)
class UnequalJudgements(Doubt):
    """Systems of whose first documents smaller shares are judged than of those of others."""

    is_of_pairs = True
    name: WarningName = "unequal judgements"
    shares: Mapping[Name, float] = field(hash=False)  # of each system
    limit: float  # from which two shares are unequal

    def why_not(self, name: Name, other: Name) -> str:
        """Return a reason for systems whose shares are unequal."""
        share, other_share = (self.shares.get(model_of(each), nan) for each in (name, other))
        if not abs(share - other_share) > self.limit:  # nan is not
            return ""
        return (
            f"{share_as_text(share)} of its first 10 documents are judged, and "
            f"{share_as_text(other_share)} of the other system's: judge the rest first"
        )
