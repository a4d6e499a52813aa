"""Rankings: the validated input of every score, interval and comparison."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, widened
from sklearn_ap._base.inputs.checks import are_all_whole, check_numbers, warn, whole_numbers

AverageKind = Literal["micro", "macro", "weighted", "samples"]
Average = AverageKind | None
AVERAGES = (*get_args(AverageKind), None)


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Clean predictions of one ranking, or of several in a row, and the options of their score.

    The items of a ranking stand together where ``ranking`` is None: all rankings are then equally
    long, as the columns of a table, and what is of each row holds for each of them.

    A score of minus infinity says that an item was not retrieved. Only ``check_models`` leaves such
    items in, as they are sampled like others.
    """

    positive: Bool
    score: Array
    weight: Float | None = None  # above 0; None where all are 1
    ranking: Index | None = None  # of each item
    n_rankings: int = 1
    average: Average = "macro"  # how several rankings become one number
    average_weight: Float | None = None  # of each ranking; None for equal ones
    n_positives: Array | None = None  # that the user knows of in each ranking, found or not
    n_unscored: Array | None = None  # those of them that are not among the rows of the user
    n_negatives: Array | None = None  # of each ranking; None if all are among the items
    are_whole: Bool | None = None  # which weights are whole, if items are left out
    n_added: Index | None = None  # the weights of each ranking, if items are left out
    are_queries: bool = False  # whether each ranking is sampled as a whole
    query_clusters: Index | None = None  # of each ranking; None: sampled one by one
    clusters: Index | None = None  # of each row; None: rows are sampled one by one
    has_clusters: bool = False  # whether they are the user's; otherwise each is one of the rows
    # Which row, or cell, each is, where several folds test some; None: each is one of its own.
    copies: Index | None = None

    @property
    def several(self) -> bool:
        """True for queries and for several columns, even if only one query is present."""
        return self.n_rankings > 1 or self.ranking is not None

    @property
    def ranking_of_items(self) -> Index:
        if self.ranking is not None:
            return self.ranking
        return np.repeat(np.arange(self.n_rankings), self.score.size // self.n_rankings)

    @property
    def sizes(self) -> Index:
        if self.ranking is None:
            return np.full(self.n_rankings, self.score.size // self.n_rankings)
        return np.bincount(self.ranking, minlength=self.n_rankings)

    @property
    def n_hits(self) -> Index:
        if self.ranking is None:
            return np.count_nonzero(self.positive.reshape(self.n_rankings, -1), axis=1)
        of_hits = self.ranking.compress(self.positive)  # a third of the time of a mask
        return np.bincount(of_hits, minlength=self.n_rankings)

    @property
    def weight_of_items(self) -> Float:
        """The weight of each item; 1 without weights."""
        return np.ones(self.score.size) if self.weight is None else self.weight

    @property
    def weight_of_hits(self) -> Array:
        """The weight of the positive items of each ranking; without weights, their number."""
        if self.weight is None:
            return self.n_hits
        weight = self.positive * self.weight
        return np.bincount(self.ranking_of_items, weight, minlength=self.n_rankings)

    @property
    def weight_of_positives(self) -> Array:
        """The same with the positives that were not retrieved."""
        return self.weight_of_hits if self.n_positives is None else self.n_positives

    @property
    def weight_of_negatives(self) -> Array:
        """The weight of the negatives of each ranking, also of those that were not retrieved."""
        if self.n_negatives is not None:
            return self.n_negatives
        if self.weight is None:
            return self.sizes - self.n_hits
        return replace(self, positive=~self.positive).weight_of_hits

    def weight_in_average(self, n_positives: Array) -> Array | None:
        """The weight of each ranking in the average; None where all weigh the same."""
        return n_positives if self.average == "weighted" else self.average_weight

    @property
    def have_whole_weights(self) -> Bool | None:
        """Which rankings have whole weights alone; None without weights."""
        if self.weight is None or self.are_whole is not None:
            return self.are_whole
        if are_all_whole(self.weight):
            return np.ones(self.n_rankings, bool)
        if not self.several:
            return np.zeros(1, bool)
        fractional = self.ranking_of_items[~whole_numbers(self.weight)]
        return np.bincount(fractional, minlength=self.n_rankings) == 0

    @property
    def n_weights(self) -> Index | None:
        """How many weights each ranking adds up; None without any, or if the user adds them up."""
        if self.weight is None or self.n_unscored is not None:
            return None
        return self.sizes if self.n_added is None else self.n_added

    @property
    def is_retrieved(self) -> Bool:
        return np.greater(self.score, -np.inf)

    def select_items(self, kept: Bool, **others: Any) -> Self:
        """Leave out the other items, and replace what else follows from that."""
        ranking, clusters, copies = self.ranking, self.clusters, self.copies
        table = kept.reshape(self.n_rankings, -1) if ranking is None else kept[None]
        if (table != table[0]).any():  # the rankings are no longer equally long
            ranking = self.ranking_of_items
            clusters = None if clusters is None else np.resize(clusters, kept.size)
            copies = None if copies is None else np.resize(copies, kept.size)
        return replace(
            self,
            positive=self.positive[kept],
            score=self.score[kept],
            weight=None if self.weight is None else self.weight[kept],
            ranking=None if ranking is None else ranking[kept],
            clusters=None if clusters is None else clusters[kept[: clusters.size]],
            copies=None if copies is None else copies[kept[: copies.size]],
            **others,
        )

    def select_retrieved(self) -> Self:
        """Leave out the items that were not retrieved, which still count among their class."""
        if (
            self.score.dtype.kind != "f"
            or np.minimum.reduce(widened(self.score), initial=0) > -np.inf
        ):
            return self
        return self.select_items(
            self.is_retrieved,
            n_positives=self.weight_of_positives,
            n_negatives=self.weight_of_negatives,
            are_whole=self.have_whole_weights,
            n_added=self.n_weights,
        )


def check_average(average: Any) -> None:
    is_text = isinstance(average, str)
    if not (average is None or (is_text and average in AVERAGES)):
        problem = f"average has to be one of {AVERAGES}, got {average!r}."
        raise ValueError(problem) if is_text else TypeError(problem)


def check_n_positives(n_positives: ArrayLike, n_scored: Array, *, several: bool) -> Array:
    """The positives of each ranking that the user knows, at least those ``found``."""
    given = check_numbers("n_positives", n_positives)
    if given.ndim == 0 and not several:
        given = given.reshape(1)
    if given.shape != n_scored.shape:
        raise ValueError(
            f"n_positives must hold one number per ranking, {n_scored.size} here, got "
            f"{'a single number' if given.ndim == 0 else f'shape {given.shape}'}. A ranking is a "
            f"column, or a row or a query that has weight and a known label; a single ranking or "
            f"average='micro' needs one number. For one of which nothing was scored, add a row of "
            f"score -inf."
        )
    wrong = np.flatnonzero(~np.isfinite(given) | (given < n_scored * (1 - RELATIVE_TOLERANCE)))
    if wrong.size:
        raise ValueError(
            f"n_positives must be finite and at least the number of positives in y_true. It is "
            f"{given[wrong[0]]} where y_true holds {n_scored[wrong[0]]} (ranking {wrong[0]})."
        )
    # Counts stay integers where the known numbers are whole, and exact as floats.
    whole = n_scored.dtype.kind == "i" and ((given == np.floor(given)) & (given < 2**53)).all()
    return np.maximum(given, n_scored).astype(np.int64 if whole else np.float64)


def warn_when_k_exceeds_weight(k: int | float | None, rankings: Rankings) -> None:
    """Say that k counts weight, which surprises whoever has weights that sum to 1."""
    if not isinstance(k, int) or rankings.weight is None:
        return
    total = np.bincount(rankings.ranking_of_items, rankings.weight, rankings.n_rankings)
    if np.any((k > total * (1 + RELATIVE_TOLERANCE)) & (k <= rankings.sizes)):
        warn(
            f"k={k} exceeds the total of sample_weight but not the number of rows. k counts "
            f"weight: scale the weights so that they sum to the number of rows.",
            UserWarning,
        )
