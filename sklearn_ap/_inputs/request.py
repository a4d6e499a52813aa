"""From the arguments of a score to clean rankings."""

from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from sklearn_ap._inputs.arrays import (
    InPlaceOfScores,
    as_column,
    check_order,
    check_same_order,
    refuse_missing,
    to_numpy,
)
from sklearn_ap._inputs.foreign import PLAIN_TYPES, device_namespace, names_of_columns
from sklearn_ap._inputs.names import encode_names
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.rankings import Average, Rankings, add_known_positives, make_rankings
from sklearn_ap._inputs.targets import CheckedRows, check_targets
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._types import Argument, Float, Keywords, Label, NamedAverage, RowData

# Arguments beside which labels and scores are not counted on their device.
BESIDE = "labels", "sample_weight", "queries", "clusters", "n_positives"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """The arguments of a score, unchecked."""

    y_true: Argument
    y_score: Argument
    average: Average = "macro"
    pos_label: Label = None
    labels: Argument = None
    sample_weight: Argument = None
    queries: Argument = None
    n_positives: Argument = None
    prevalence: Argument = None
    zero_division: Argument = "warn"
    clusters: Argument = None
    # The array API functions of labels and scores that are counted on their device; else None.
    xp: RowData | None = None

    @classmethod
    def of(cls, given: Keywords) -> Self:
        """Make a request of the arguments of a function, ``locals()``, that belong to a score.

        Arrays of other libraries are read; those of pandas keep their index until it is checked.
        """
        found = {name: given[name] for name in cls.__slots__ if name in given}
        average = found.get("average")
        if average is not None and not (isinstance(average, str) and average == "macro"):
            check_choice("average", average, NamedAverage)
        is_plain = type(found["y_score"]) is np.ndarray
        if not is_plain and all(found.get(name) is None for name in BESIDE):
            found["xp"] = device_namespace(found["y_true"], found["y_score"])
        if found.get("xp") is None:
            for name in "y_true", "y_score":
                values = found[name]
                is_read_later = isinstance(values, (*PLAIN_TYPES, InPlaceOfScores))
                if not is_read_later and not hasattr(type(values), "iloc"):
                    found[name] = to_numpy(name, values)
        return cls(**found)

    def arguments(self) -> Keywords:
        """Return the arguments by their names, to hand them on."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "xp"}

    @property
    def n_columns(self) -> int:
        """The number of columns of ``y_score``: 1 where it has one dimension."""
        shape = np.shape(self.y_score)
        return int(shape[1]) if len(shape) == 2 else 1

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
        rankings = add_known_positives(rankings, request.n_positives)
    return rankings if all_items else rankings.select_retrieved()


def _check_columns_beside(request: Request, rows: CheckedRows) -> CheckedRows:
    """Check what stands beside labels and scores, and leave out rows that count for nothing."""
    n_rows = len(rows.score)
    if request.queries is not None:
        if rows.score.ndim != 1:
            raise ValueError(
                "queries is for 1-D binary y_true only, but y_true has several columns."
            )
        if request.average in ("micro", "samples"):
            raise ValueError(
                f"average={request.average!r} does not go with queries. Use 'macro', 'weighted' or "
                f"None."
            )
        rows = rows._replace(queries=as_column("queries", request.queries, n_rows))
    if request.clusters is not None:
        rows = rows._replace(clusters=as_column("clusters", request.clusters, n_rows))
    if request.sample_weight is not None:
        weight = cast(Float, check_weights(request.sample_weight, n_rows))
        rows = rows._replace(weight=weight)
        if not weight.all():
            refuse_missing("queries", rows.queries, weight > 0)  # while rows have their numbers
            refuse_missing("clusters", rows.clusters, weight > 0)
            rows = rows.select(weight > 0)
    if rows.is_known is not None:
        if not rows.is_known.any():
            raise ValueError("y_true has no known label, so nothing is left to score.")
        rows = rows.select(np.any(rows.is_known, axis=1))
    if rows.clusters is None:
        return rows
    return rows._replace(clusters=encode_names(rows.clusters, "clusters")[0])
