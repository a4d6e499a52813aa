"""From the arguments of a score to clean rankings."""

from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Self, cast

import numpy as np

from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import (
    PLAIN_TYPES,
    InPlaceOfScores,
    as_column,
    check_order,
    check_same_order,
    device_namespace,
    names_of_columns,
    to_numpy,
)
from sklearn_ap._inputs.label_errors import SHOWN
from sklearn_ap._inputs.names import (
    encode_names,
    groups_of_members,
    list_names,
    refuse_missing,
)
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.rankings import Average, Rankings, check_n_positives, make_rankings
from sklearn_ap._inputs.targets import CheckedRows, check_targets
from sklearn_ap._inputs.weights import check_weights, drop_weightless_rows
from sklearn_ap._types import Argument, Array, Float, Keywords, Label, Name, NamedAverage, RowData

# If so many of the queries lie in one cluster each, the others probably err: a choice.
MOST_WITHIN = 0.9

DEFAULT_AVERAGE: Average = "macro"  # which needs no check


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """The arguments of a score, unchecked."""

    y_true: Argument
    y_score: Argument
    average: Average = DEFAULT_AVERAGE
    pos_label: Label = None
    labels: Argument = None
    sample_weight: Argument = None
    queries: Argument = None
    n_positives: Argument = None
    prevalence: Argument = None
    zero_division: Argument = "warn"
    clusters: Argument = None
    # The array API functions of labels and scores that are counted on their device; else None.
    xp: RowData | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Read arrays of other libraries; those of pandas keep their index until it is checked."""
        if self.average is not None and self.average is not DEFAULT_AVERAGE:
            check_choice("average", self.average, NamedAverage)
        beside = self.labels, self.sample_weight, self.queries, self.clusters, self.n_positives
        if type(self.y_score) is not np.ndarray and {*map(type, beside)} == {NoneType}:
            object.__setattr__(self, "xp", device_namespace(self.y_true, self.y_score))
        if self.xp is not None:
            return
        for name in "y_true", "y_score":
            values = getattr(self, name)
            is_read_later = isinstance(values, (*PLAIN_TYPES, InPlaceOfScores))
            if not is_read_later and not hasattr(type(values), "iloc"):
                object.__setattr__(self, name, to_numpy(name, values))

    @classmethod
    def of(cls, given: Keywords) -> Self:
        """Make a request of the arguments of a function, ``locals()``, that belong to a score."""
        return cls(**{name: given[name] for name in cls.__slots__ if name in given})

    def arguments(self) -> Keywords:
        """Return the arguments by their names, to hand them on."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "xp"}

    @property
    def n_columns(self) -> int:
        """The number of columns of ``y_score``: 1 where it has one dimension."""
        shape = np.shape(self.y_score)
        return int(shape[1]) if len(shape) == 2 else 1

    @property
    def has_classes(self) -> bool:
        """Whether columns are classes that ``y_true`` names, and not labels of their own."""
        return np.ndim(self.y_true) == 1

    def check_order(self) -> None:
        """Refuse columns whose rows have the same names in another order, and such tables."""
        check_same_order(
            y_true=self.y_true,
            y_score=self.y_score,
            sample_weight=self.sample_weight,
            queries=self.queries,
            clusters=self.clusters,
        )
        if hasattr(self.y_score, "columns"):
            names, others = names_of_columns(self.y_true), names_of_columns(self.y_score)
            what = "The columns of y_true and y_score"
            check_order(what, names, others, "y_score[y_true.columns]")

    @property
    def all_names(self) -> tuple[Name, ...] | None:
        """The names of queries, classes or columns; None if they have none."""
        if self.queries is not None:
            names = as_column("queries", self.queries)
            weight = check_weights(self.sample_weight, names.size)
            (names,) = drop_weightless_rows(weight, names)
            _, distinct = encode_names(names, "queries")
            return tuple(list_names(distinct))
        if self.n_columns > 1 and self.has_classes:
            classes = np.unique(self.y_true) if self.labels is None else np.asarray(self.labels)
            return tuple(classes.tolist())
        return tuple(names_of_columns(self.y_true)) or None

    def column_names(self) -> list[str]:
        """Return the class or the label of each column, as a picture calls it."""
        names = self.all_names or [f"label {i}" for i in range(self.n_columns)]
        return [f"class {name}" if self.has_classes else str(name) for name in names]


def check_rankings(
    request: Request, *, is_binary: bool = False, all_items: bool = False
) -> Rankings:
    """Check targets and scores of any kind that scikit-learn knows; rank the retrieved rows.

    With ``all_items``, rows that were not retrieved stay, and so do clusters, because intervals
    sample them. Scores ignore clusters, so these are only checked.
    """
    request.check_order()
    rows = check_targets(
        request.y_true, request.y_score, request.pos_label, request.labels, is_binary=is_binary
    )
    rows = _check_columns_beside(request, rows)
    if not all_items and rows.clusters is not None:
        rows = rows._replace(clusters=None)
    rankings = make_rankings(request.average, rows)
    if request.n_positives is not None:
        if request.average != "samples":  # there, rankings are rows, which have no names
            _check_names_of_positives(request)
        n_scored = rankings.weight_of_hits
        n_known = check_n_positives(request.n_positives, n_scored, several=rankings.several)
        rankings = replace(rankings, n_positives=n_known, n_unscored=n_known - n_scored)
    return rankings if all_items else rankings.select_retrieved()


def warn_of_fixed_queries(request: Request, rankings: Rankings) -> None:
    """Warn of a mean whose queries are fixed because of a few that lie in several clusters.

    One row with a wrong cluster would otherwise change what is sampled without a word.
    """
    clusters, ranking = rankings.sampling.row_clusters, rankings.ranking
    if request.queries is None or request.average is None or clusters is None or ranking is None:
        return
    _, n_elsewhere = groups_of_members(ranking, clusters, rankings.n_rankings)
    n_within = np.count_nonzero(n_elsewhere == 0)
    if MOST_WITHIN * n_elsewhere.size <= n_within < n_elsewhere.size:
        names = cast(tuple[Name, ...], request.all_names)
        name = repr(str(names[int(np.argmax(n_elsewhere > 0))]))
        warn(
            f"Query {name} has rows in several clusters, though {n_within:,} of "
            f"{n_elsewhere.size:,} queries lie in one each, as sessions of users do. So the "
            f"queries are fixed, and clusters of rows are sampled, which is right for classes in "
            f"images. To sample users with their queries, give all rows of a query the same "
            f"cluster.",
            UserWarning,
        )


def _check_columns_beside(request: Request, rows: CheckedRows) -> CheckedRows:
    """Check what stands beside labels and scores, and leave out rows that count for nothing."""
    n_rows = len(rows.score)
    if request.queries is not None:
        rows = rows._replace(queries=_check_queries(request, rows.score))
    if request.clusters is not None:
        rows = rows._replace(clusters=as_column("clusters", request.clusters, n_rows))
    if request.sample_weight is not None:
        weight = cast(Float, check_weights(request.sample_weight, n_rows))
        if not weight.all():  # while rows still have their numbers
            refuse_missing("queries", rows.queries, weight > 0)
            refuse_missing("clusters", rows.clusters, weight > 0)
        rows = rows._replace(weight=weight).select(weight > 0)
    if rows.is_known is not None:
        if not rows.is_known.any():
            raise ValueError("y_true has no known label, so nothing is left to score.")
        rows = rows.select(np.any(rows.is_known, axis=1))
    if rows.clusters is None:
        return rows
    return rows._replace(clusters=encode_names(rows.clusters, "clusters")[0])


def _check_queries(request: Request, score: Array) -> Array:
    if score.ndim != 1:
        raise ValueError("queries is for 1-D binary y_true only, but y_true has several columns.")
    if request.average in ("micro", "samples"):
        raise ValueError(
            f"average={request.average!r} does not go with queries. "
            f"Use 'macro', 'weighted' or None."
        )
    return as_column("queries", request.queries, len(score))


def _check_names_of_positives(request: Request) -> None:
    index = getattr(request.n_positives, "index", None)  # an attribute of pandas; a list's method
    if index is None or callable(index) or request.all_names is None:
        return
    names = [*request.all_names]
    remedy = f"n_positives.loc[names], with the names in the order {names[:SHOWN]}"
    check_order("The index of n_positives and the rankings", index.tolist(), names, remedy)
