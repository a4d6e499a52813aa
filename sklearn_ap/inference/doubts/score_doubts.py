"""Doubts about scores: predicted classes, grades, missing results, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from sklearn_ap._inputs.labels_and_scores import check_scores, predicted_class_remark
from sklearn_ap._inputs.sourced_scores import Source
from sklearn_ap._results.doubt import Doubt, join_doubts, model_of
from sklearn_ap._types import Argument, Array, Bool, Index, Name, RowData
from sklearn_ap._writing.text import count_as_text, printable, share_as_text
from sklearn_ap._writing.warning import WarningName

MOST_GRADES = 10  # different scores of a model that may be grades
FINER = 10  # times as many different scores make another model finer
FIRST_OF_MODEL = 100  # rows, in which most models have more scores, and need no sort of all rows

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. Without the
# unjudged documents, these are 15, for the other system, at 0.7. By chance, documents that are
# judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
# A model that retrieved nothing in more of the units was hardly run on all of them. Detectors whose
# boxes below a score of 0.3 were left out lack as many images of another one in 2 of 100 samples at
# a fifth, and in none at a quarter.
MOST_LACKING = 0.25
MANY_UNITS = 10
FEW_ONES = 0.5  # units with one row, for each without any
PREDICTED_CLASSES = Doubt(
    name="predicted classes",
    text="",  # says which
    reason="scores look like predicted classes",
    remedy="pass probabilities or decision values",
)
NO_SOURCE = Source()
FORGOTTEN_QUERIES = Doubt(
    name="forgotten queries",
    text="These are scores of several queries, and their rows were put into one ranking, as if "
    "scores of different queries could be compared. Pass queries.",
    reason="rows of several queries are in one ranking",
    remedy="pass queries",
)


def predicted_classes(y_score: RowData) -> list[Doubt]:
    """Doubt scores that look like predicted classes."""
    text = predicted_class_remark(check_scores(y_score))
    return [replace(PREDICTED_CLASSES, text=text)] if text else []


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
            f"it has {own:,} different scores and the other {others:,}, and ties change scores: "
            f"put both into the same grades first"
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
        f"{min(coarse.values())} different scores stand beside {most:,} of another model. Ties "
        f"change a score. Use the same grades."
    )
    return [CoarseScores(text=text, about=tuple(coarse), numbers=numbers)]


def _are_unlike(n: int, other: int) -> bool:
    """Whether one model has far fewer different scores, which are no predicted classes."""
    fewer, more = sorted((n, other))
    return 2 < fewer <= MOST_GRADES and more >= FINER * fewer


def missing_results(
    models: Sequence[Array],
    names: Sequence[Name],
    positive: Bool,
    unit: Index,
    words: tuple[str, str] = ("cluster", "row"),
) -> list[Doubt]:
    """Doubt a model that retrieved nothing in many units with positives, if another one did.

    Units are queries, or clusters, as images are. A system alone may find nothing for a query, and
    a detector nothing in an image. So one detector is doubted if it has one box in few of the other
    images, as a weak one has in many.
    """
    if not any(scores.dtype.kind == "f" and scores.min(initial=0) == -np.inf for scores in models):
        return []
    numbers = np.array([np.bincount(unit, scores > -np.inf) for scores in models])
    is_asked = np.bincount(unit, positive) > 0
    if len(models) > 1:
        is_asked &= numbers.any(axis=0)
    n_asked = int(np.count_nonzero(is_asked))
    doubts: list[list[Doubt]] = []
    for own in numbers:
        n_lacking = int(np.count_nonzero(is_asked & (own == 0)))
        is_doubtful = n_asked >= MANY_UNITS and n_lacking > MOST_LACKING * n_asked
        if is_doubtful and len(models) == 1 and words[0] != "query":
            is_doubtful = _count_ones(models[0], unit) < FEW_ONES * n_lacking
        doubts.append([_missing_results(n_lacking, n_asked, *words)] if is_doubtful else [])
    return [*join_doubts(doubts, names)]


def _count_ones(scores: Array, unit: Index) -> int:
    """Count the units with one score; a box has the same one at each overlap."""
    is_found = scores > -np.inf
    pairs = np.unique(np.stack([unit[is_found], scores[is_found]]), axis=1)
    return int(np.count_nonzero(np.bincount(pairs[0].astype(np.intp)) == 1))


def _missing_results(n_lacking: int, n_asked: int, unit: str, row: str) -> Doubt:
    lacking = f"{n_lacking:,} of {count_as_text(n_asked, unit)} with positives have no {row}"
    return Doubt(
        name="missing results",
        text=f"{lacking}. If the model was not run on all of them, run it, or leave them out.",
        reason=lacking,
        remedy="run the model on all of them, or leave them out,",
    )


# ---- where scores come from


def source_of(scores: Argument) -> Source:
    """Return the source of scores, of which nothing is known unless they have one."""
    return getattr(scores, "source", None) or NO_SOURCE


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
        f"{printable(str(most))}, and {share_as_text(known[least])} for {printable(str(least))}, "
        f"whose score is too low if the others count as not relevant, and too high if they are "
        f"left out. Label more documents."
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
            f"{share_as_text(share)} of its first 10 documents are judged and "
            f"{share_as_text(other_share)} of the other's: judge them first"
        )
