"""The options that scores share, for the overloads of functions that take them."""

from typing import TypedDict

from numpy.typing import ArrayLike

from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._types import Label


class RankingOptions(TypedDict, total=False):
    """The options of all scores: what is positive, and which rankings there are."""

    pos_label: Label
    labels: ArrayLike | None
    queries: ArrayLike | None
    clusters: ArrayLike | None
    n_positives: ArrayLike | None
    zero_division: ZeroDivision
