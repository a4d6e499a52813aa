"""Rankings: the validated input of every score, interval and comparison."""

from dataclasses import dataclass, replace
from typing import Literal, Self, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Argument, Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, widen
from sklearn_ap._base.inputs.checks import are_all_whole, are_whole_numbers, check_numbers, warn

AverageKind = Literal["micro", "macro", "weighted", "samples"]
Average = AverageKind | None
AVERAGES = (*get_args(AverageKind), None)


class RankingTotals(TypedDict, total=False):
    """Fields of rankings that count items which are left out."""

    n_positives: Array | None
    n_negatives: Array | None
    are_whole: Bool | None
    n_added: Index | None


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Clean predictions of one ranking, or of several in a row, and the options of their score.

    An item is a row, or a cell of a table. The items of a ranking stand together where ``ranking``
    is None: all rankings are then equally long, as the columns of a table, and share the clusters
    of the rows of the table.

    A score of minus infinity says that an item was not retrieved. Only ``check_models`` leaves such
    items in, as they are sampled like others.
    """

    positive: Bool
    score: Array
    weight: Float | None = None  # above 0; None where all are 1
    ranking: Index | None = None  # the ranking of each item
    n_rankings: int = 1
    average: Average = "macro"  # how several rankings become one number
    average_weight: Float | None = None  # (n_rankings,); None for equal weights
    n_positives: Array | None = None  # known positives of each ranking, scored or not
    n_unscored: Array | None = None  # known positives that are no rows of the user
    n_negatives: Array | None = None  # (n_rankings,); None if all are among the items
    are_whole: Bool | None = None  # flags of whole weights, if items are left out
    n_added: Index | None = None  # the number of weights in each ranking, if items are left out
    are_queries: bool = False  # whether each ranking is sampled as a whole
    query_clusters: Index | None = None  # (n_rankings,); None if rankings are sampled one by one
    clusters: Index | None = None  # (n_rows,); None if rows are sampled one by one
    has_clusters: bool = False  # whether the user gave the clusters; otherwise each is a row

    @property
    def several(self) -> bool:
        """True for queries and for several columns, even if only one query is present."""
        return self.n_rankings > 1 or self.ranking is not None

    @property
    def ranking_of_items(self) -> Index:
        """The ranking of each item."""
        if self.ranking is not None:
            return self.ranking
        return np.repeat(np.arange(self.n_rankings), self.score.size // self.n_rankings)

    @property
    def sizes(self) -> Index:
        """The number of items of each ranking."""
        if self.ranking is None:
            return np.full(self.n_rankings, self.score.size // self.n_rankings)
        return np.bincount(self.ranking, minlength=self.n_rankings)

    @property
    def n_hits(self) -> Index:
        """The number of positive items of each ranking."""
        if self.ranking is None:
            return np.count_nonzero(self.positive.reshape(self.n_rankings, -1), axis=1)
        hit_ranking = self.ranking.compress(self.positive)  # a third of the time of a mask
        return np.bincount(hit_ranking, minlength=self.n_rankings)

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
    def n_effective_hits(self) -> float:
        """How many positive items of equal weight tell as much as those of one ranking."""
        return effective_number(self.weight_of_items[self.positive])

    @property
    def weight_of_positives(self) -> Array:
        """The weight of the positives of each ranking, also of those that were not retrieved."""
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
        """Return the weight of each ranking in the average; None where all weigh the same."""
        return n_positives if self.average == "weighted" else self.average_weight

    @property
    def have_whole_weights(self) -> Bool | None:
        """Flags of rankings whose weights are all whole; None without weights."""
        if self.weight is None or self.are_whole is not None:
            return self.are_whole
        if are_all_whole(self.weight):
            return np.ones(self.n_rankings, bool)
        if not self.several:
            return np.zeros(1, bool)
        fractional_rankings = self.ranking_of_items[~are_whole_numbers(self.weight)]
        return np.bincount(fractional_rankings, minlength=self.n_rankings) == 0

    @property
    def n_weights(self) -> Index | None:
        """The number of weights of each ranking; None without any, or if the user adds them up."""
        if self.weight is None or self.n_unscored is not None:
            return None
        return self.sizes if self.n_added is None else self.n_added

    @property
    def is_retrieved(self) -> Bool:
        """Flags of items with a score above minus infinity."""
        return np.greater(self.score, -np.inf)

    def select_items(self, is_selected: Bool, **totals: Unpack[RankingTotals]) -> Self:
        """Leave out the other items, and replace totals that would otherwise change."""
        ranking = self.ranking
        clusters = self.clusters
        table = is_selected.reshape(self.n_rankings, -1) if ranking is None else is_selected[None]
        if (table != table[0]).any():  # the rankings are no longer equally long
            ranking = self.ranking_of_items
            clusters = None if clusters is None else np.resize(clusters, is_selected.size)
        return replace(
            self,
            positive=self.positive[is_selected],
            score=self.score[is_selected],
            weight=None if self.weight is None else self.weight[is_selected],
            ranking=None if ranking is None else ranking[is_selected],
            clusters=None if clusters is None else clusters[is_selected[: clusters.size]],
            **totals,
        )

    def select_retrieved(self) -> Self:
        """Leave out the items that were not retrieved, which still count among their class."""
        if (
            self.score.dtype.kind != "f"
            or np.minimum.reduce(widen(self.score), initial=0) > -np.inf
        ):
            return self
        return self.select_items(
            self.is_retrieved,
            n_positives=self.weight_of_positives,
            n_negatives=self.weight_of_negatives,
            are_whole=self.have_whole_weights,
            n_added=self.n_weights,
        )


def effective_number(weights: Array) -> float:
    """Return the number of equal weights with the same sum and sum of squares (Kish 1965).

    For weights of positives it is N_e of equation 3. It is 0 without any weight.
    """
    if not weights.any():
        return 0.0
    scaled = weights / np.abs(weights).max()  # so that squares neither vanish nor overflow
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def check_average(average: Argument) -> None:
    """Refuse anything but a name of an average, or None."""
    is_text = isinstance(average, str)
    if not (average is None or (is_text and average in AVERAGES)):
        problem = f"average has to be one of {AVERAGES}, got {average!r}."
        raise ValueError(problem) if is_text else TypeError(problem)


def check_n_positives(n_positives: ArrayLike, n_scored: Array, *, several: bool) -> Array:
    """Check the number of positives of each ranking that the user knows of."""
    n_known = check_numbers("n_positives", n_positives)
    if n_known.ndim == 0 and not several:
        n_known = n_known.reshape(1)
    if n_known.shape != n_scored.shape:
        shape = "a single number" if n_known.ndim == 0 else f"shape {n_known.shape}"
        raise ValueError(
            f"n_positives must hold one number per ranking, {n_scored.size} here, got {shape}. A "
            f"ranking is a column, or a row or a query that has weight and a known label; a single "
            f"ranking or average='micro' needs one number. For one of which nothing was scored, "
            f"add a row of score -inf."
        )
    wrong_rankings = np.flatnonzero(
        ~np.isfinite(n_known) | (n_known < n_scored * (1 - RELATIVE_TOLERANCE))
    )
    if wrong_rankings.size:
        first = wrong_rankings[0]
        raise ValueError(
            f"n_positives must be finite and at least the number of positives in y_true. It is "
            f"{n_known[first]} where y_true holds {n_scored[first]} (ranking {first})."
        )
    # Counts stay integers where the known numbers are whole, and exact as floats.
    are_whole = (
        n_scored.dtype.kind == "i" and ((n_known == np.floor(n_known)) & (n_known < 2**53)).all()
    )
    return np.maximum(n_known, n_scored).astype(np.int64 if are_whole else np.float64)


def warn_when_k_exceeds_weight(k: int | float | None, rankings: Rankings) -> None:
    """Warn that k counts weight, which surprises users whose weights sum to 1."""
    if not isinstance(k, int) or rankings.weight is None:
        return
    total = np.bincount(rankings.ranking_of_items, rankings.weight, rankings.n_rankings)
    if np.any((k > total * (1 + RELATIVE_TOLERANCE)) & (k <= rankings.sizes)):
        warn(
            f"k={k} exceeds the total of sample_weight but not the number of rows. k counts "
            f"weight: scale the weights so that they sum to the number of rows.",
            UserWarning,
        )
