"""Rankings: the clean input of every score, interval and comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.codes import encode_names, groups_of_members, list_names
from sklearn_ap._inputs.labels_and_scores import LabelledScores
from sklearn_ap._inputs.options import Average
from sklearn_ap._types import Array, Bool, Float, Index, Name


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """What a sample is of, rows or whole rankings, and how rankings become one number."""

    n_rows: int = 0  # that count: with weight and, in a table, a known label
    average: Average = "macro"
    average_weight: Float | None = None  # (n_rankings,); None for equal weights
    takes_rankings: bool = False  # each as a whole, as queries and the rows of "samples"
    # Of several in a table, also in one ranking; folds are looked at as if they were columns
    columns: Literal["class", "column", "fold"] | None = None
    clusters: Index | None = None  # of rankings or of rows; None if each is sampled by itself

    @property
    def row_clusters(self) -> Index | None:
        """The clusters of rows; None where whole rankings are sampled."""
        return None if self.takes_rankings else self.clusters


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Clean predictions of one ranking, or of several in a row.

    An item is a row, or a cell of a table. The items of a ranking stand together where ``ranking``
    is None: all rankings are then equally long, as the columns of a table, and share the clusters
    of the rows of the table.

    A score of minus infinity says that an item was not retrieved. Scores leave such
    items out; intervals sample them like others.
    """

    positive: Bool
    score: Array
    weight: Float | None = None  # above 0; None where all are 1
    ranking: Index | None = None  # the ranking of each item
    n_rankings: int = 1
    # What each ranking has, also beyond the items; with weights, their sums. None if the items are
    # all of it.
    n_positives: Array | None = None
    n_negatives: Array | None = None
    n_unscored: Array | None = None  # of these positives, those beyond y_true, as the user knows
    names: Sequence[Name] | None = None  # of queries, classes or columns; None if they have none
    sampling: Sampling = Sampling()

    @property
    def gives_array(self) -> bool:
        """Whether average=None gives an array: of several columns, and of one query or more."""
        return self.n_rankings > 1 or self.ranking is not None

    @property
    def ranking_of_items(self) -> Index:
        """The ranking of each item."""
        if self.ranking is not None:
            return self.ranking
        return np.repeat(np.arange(self.n_rankings), self.score.size // self.n_rankings)

    @property
    def unit_of_items(self) -> Index:
        """What each item is sampled with: its cluster, or its row, which columns share."""
        sampling, n_items = self.sampling, self.score.size
        if sampling.takes_rankings and sampling.clusters is not None:
            return sampling.clusters[self.ranking_of_items]
        is_table = self.ranking is None and not sampling.takes_rankings
        n_units = n_items // self.n_rankings if is_table else n_items
        units = np.arange(n_units) if sampling.row_clusters is None else sampling.row_clusters
        return np.resize(units, n_items)

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
        if self.ranking is None:
            return weight.reshape(self.n_rankings, -1).sum(axis=1)
        return np.bincount(self.ranking_of_items, weight, minlength=self.n_rankings)

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
        by_positives = self.sampling.average == "weighted"
        return n_positives if by_positives else self.sampling.average_weight

    @property
    def is_retrieved(self) -> Bool:
        """Flags of items with a score above minus infinity."""
        return np.greater(self.score, -np.inf)

    def select_items(self, is_selected: Bool) -> Self:
        """Leave out the other items."""
        ranking = self.ranking
        clusters = self.sampling.row_clusters
        table = is_selected.reshape(self.n_rankings, -1) if ranking is None else is_selected[None]
        if (table != table[0]).any():  # the rankings are no longer equally long
            ranking = self.ranking_of_items
            clusters = None if clusters is None else np.resize(clusters, is_selected.size)
        sampling = self.sampling
        if clusters is not None:
            # All rankings keep the same rows of the table, if clusters are those of its rows.
            sampling = replace(sampling, clusters=clusters[is_selected[: clusters.size]])
        return replace(
            self,
            positive=self.positive[is_selected],
            score=self.score[is_selected],
            weight=None if self.weight is None else self.weight[is_selected],
            ranking=None if ranking is None else ranking[is_selected],
            sampling=sampling,
        )

    def select_retrieved(self) -> Self:
        """Leave out the items that were not retrieved, which still count among their class."""
        if self.score.dtype.kind != "f" or self.score.min(initial=0) > -np.inf:
            return self
        return replace(
            self.select_items(self.is_retrieved),
            n_positives=self.weight_of_positives,
            n_negatives=self.weight_of_negatives,
        )


def rankings_of_queries(
    average: Average,
    rows: LabelledScores,
    weight: Float | None,
    clusters: Index | None,
    queries: Array,
) -> Rankings:
    """Make a ranking of the rows of each query."""
    ranking, distinct = encode_names("queries", queries)
    return Rankings(
        positive=rows.positive,
        score=rows.score,
        weight=weight,
        ranking=ranking,
        n_rankings=distinct.size,
        names=list_names(distinct),
        sampling=_sampling_of_queries(average, ranking, clusters, distinct.size),
    )


def _sampling_of_queries(
    average: Average, query: Index, clusters: Index | None, n_queries: int
) -> Sampling:
    """Sample queries, unless ``average`` is None, when each has an interval of its own.

    With clusters the queries are fixed, unless each lies in one of several clusters, as sessions of
    users do: a sample of clusters is then a sample of queries.
    """
    if clusters is None:
        return Sampling(query.size, average, takes_rankings=average is not None)
    query_clusters, n_elsewhere = groups_of_members(query, clusters, n_queries)
    if n_elsewhere.any() or clusters.max() == 0:
        return Sampling(query.size, average, clusters=clusters)
    if average is None:
        raise InputError(
            "Each query, or segment, lies in one cluster, so nothing is known of other clusters. "
            "Leave clusters out; queries may also be averaged, as with average='macro'."
        )
    return Sampling(query.size, average, takes_rankings=True, clusters=query_clusters)


def rankings_of_table(
    average: Average, rows: LabelledScores, weight: Float | None, clusters: Index | None
) -> Rankings:
    """Make a ranking of each column; of each row for "samples"; of all cells for "micro".

    Cells whose label is unknown are left out. The rows of columns then differ: in a mean over
    columns, the row of a cell is its cluster, as it is in one ranking of all cells.
    """
    n_rows, n_columns = rows.score.shape
    are_rows, are_cells = average == "samples", average == "micro"
    order: Literal["C", "F"] = "C" if are_rows or are_cells else "F"

    def cells(values: Array) -> Array:
        """Give each cell the value of its row."""
        return np.broadcast_to(values[:, None], rows.score.shape).ravel(order)

    row_or_cluster = np.arange(n_rows) if clusters is None else clusters
    have_gaps = rows.is_known is not None and average is not None
    if are_rows:
        sampling = Sampling(n_rows, average, weight, takes_rankings=True, clusters=clusters)
    else:
        sampling = Sampling(
            n_rows,
            average,
            clusters=row_or_cluster if have_gaps else clusters,
            columns=None if n_columns == 1 else "class" if rows.are_classes else "column",
        )
        if are_cells:  # which are one ranking
            sampling = replace(sampling, average="macro", clusters=cells(row_or_cluster))
    rankings = Rankings(
        positive=rows.positive.ravel(order),
        score=rows.score.ravel(order),
        weight=None if are_rows or weight is None else cells(weight),
        n_rankings=n_rows if are_rows else 1 if are_cells else n_columns,
        names=None if are_rows or are_cells else rows.names,
        sampling=sampling,
    )
    if rows.is_known is None:
        return rankings
    return rankings.select_items(rows.is_known.ravel(order))


def stack_rankings(models: Sequence[Rankings]) -> Rankings:
    """Put the rankings of models of the same items one after another, to count them at once."""
    # 4 rows of 2 models -> items 0 to 3 of ranking 0, and 4 to 7 of ranking 1
    first, k = models[0], len(models)
    if k == 1:
        return first

    def repeat(values: Array | None) -> Array | None:
        return None if values is None else np.tile(values, k)

    scores = [model.score for model in models]
    if len({score.dtype for score in scores}) > 1:  # integers beyond 2^53 would be rounded
        scores = [
            score if score.dtype.kind == "f" else np.unique(score, return_inverse=True)[1]
            for score in scores
        ]
    ranking, sampling = first.ranking, first.sampling
    if ranking is not None:
        if not sampling.takes_rankings:
            rows = np.arange(ranking.size) if sampling.clusters is None else sampling.clusters
            sampling = replace(sampling, clusters=np.tile(rows, k))
        ranking = (np.arange(k)[:, None] * first.n_rankings + ranking).ravel()
    return replace(
        first,
        positive=np.tile(first.positive, k),
        score=np.concatenate(scores),
        weight=repeat(first.weight),
        ranking=ranking,
        n_rankings=k * first.n_rankings,
        n_positives=repeat(first.n_positives),
        n_unscored=repeat(first.n_unscored),
        n_negatives=repeat(first.n_negatives),
        sampling=sampling,
    )
