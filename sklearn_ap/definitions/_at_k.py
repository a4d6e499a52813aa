"""Definitions at k: average precision, precision and recall of the first k ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, ranks_of_counts, take_first_thresholds
from sklearn_ap._inputs.options import check_choice, check_ranks
from sklearn_ap._types import Array, Float
from sklearn_ap._writing.text import k_as_text
from sklearn_ap.definitions._base import Definition, Line

Normalizer = Literal["attainable", "positives", "hits", "k"]


def share_within(counts: ThresholdCounts, k: float) -> Float:
    """Return the share of each block of tied items that stands within the first k ranks."""
    size = counts.n_tied
    n_within = counts.per_threshold(ranks_of_counts(k, counts)) - counts.n_above
    return np.minimum(np.maximum(n_within, 0), size) / size


class _TopK(Definition, trusted=True):
    """The base of definitions that depend on the first k ranks alone.

    By default, they count the positives within these ranks. A row that moves another one across
    rank k makes the value jump, so there is no influence.
    """

    k: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_ranks(self.k))

    @property
    def depth(self) -> float:
        return self.k

    def _reached(self, counts: ThresholdCounts) -> ThresholdCounts:
        # Counts of the top alone have the same terms, so that sums are equal to the last digit.
        if counts.starts.size > 1 or counts.are_weighted or not self.is_trusted:
            return counts
        is_within = counts.n_above < ranks_of_counts(self.k, counts)
        return take_first_thresholds(counts, int(np.count_nonzero(is_within)))

    def heights(self, counts: ThresholdCounts) -> Float:
        return share_within(counts, self.k)

    def line(self, counts: ThresholdCounts) -> Line | None:
        return None  # the value is no area


@dataclass(frozen=True, repr=False)
class AtK(_TopK, trusted=True):
    r"""Average precision over the first k ranks.

    .. math:: \frac{1}{Z} \sum_{i=1}^{k} h_i \frac{h_1 + \dots + h_i}{i}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. A block of m tied items with
    p positives that rank k cuts after j items contributes j p/m hits, all at the precision of
    the cut (or of the whole block, where it fits). The value lies within [0, 1]; it is nan for a
    ranking without positives, and 0 for one without hits.

    The value does not depend on the order of tied items. At k = n, divided by all positives, it
    is the step average precision.

    Parameters
    ----------
    k : int or float, default=10
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. Ranks beyond the last item are empty. With
        weights, k counts weight, and the proportion is rounded only if all sums of weights are
        whole.
    normalizer : {"attainable", "positives", "hits", "k"}, default="attainable"
        What Z is: min(k, positives), so that the best score is 1; all positives; the positives
        among the first k (0/0 is 0); or k.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import AtK
    >>> AtK(k=3)(threshold_counts([1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]))
    array([0.66666667])
    """

    draws_precision = True

    k: float = 10
    normalizer: Normalizer = "attainable"

    def __post_init__(self) -> None:
        super().__post_init__()
        normalizer = check_choice("normalizer", self.normalizer, Normalizer)
        object.__setattr__(self, "normalizer", normalizer)

    @property
    def title(self) -> str:
        divisor = "" if self.normalizer == "attainable" else f" over {self.normalizer}"
        return f"AP@{k_as_text(self.k)}{divisor}"

    def heights(self, counts: ThresholdCounts) -> Float:
        # The precision at the rank where the share of each block ends.
        share = share_within(counts, self.k)
        hits = counts.tps_above + counts.gained * share
        return share * (hits / np.where(share > 0, counts.n_above + counts.n_tied * share, 1))

    def divisor(self, counts: ThresholdCounts) -> Array:
        match self.normalizer:
            case "attainable":
                return np.minimum(ranks_of_counts(self.k, counts), counts.n_positives)
            case "positives":
                return counts.n_positives
            case "hits":
                hits = counts.sum(counts.gained * share_within(counts, self.k))
                return np.where(hits > 0, hits, counts.n_positives)
            case "k":
                return ranks_of_counts(self.k, counts) * (counts.n_positives > 0)


@dataclass(frozen=True, repr=False)
class PrecisionAtK(_TopK, trusted=True):
    r"""Fraction of the first k ranks that have a positive.

    .. math:: \frac{h_1 + \dots + h_k}{k}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. A block of m tied items with
    p positives that rank k cuts after j items contributes j p/m hits. The value lies within
    [0, 1]; it is 0 for a ranking without positives.

    Parameters
    ----------
    k : int or float, default=10
        How many of the first ranks count, or which proportion of a ranking, as for ``AtK``.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import PrecisionAtK
    >>> PrecisionAtK(k=4)(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]))
    array([0.5])
    """

    k: float = 10

    @property
    def title(self) -> str:
        return f"precision@{k_as_text(self.k)}"

    def divisor(self, counts: ThresholdCounts) -> Array:
        return ranks_of_counts(self.k, counts)


@dataclass(frozen=True, repr=False)
class RecallAtK(_TopK, trusted=True):
    r"""Fraction of the positives that are in the first k ranks.

    .. math:: \frac{h_1 + \dots + h_k}{N}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise, and N counts all positives. A
    block of m tied items with p positives that rank k cuts after j items contributes j p/m hits.
    The value lies within [0, 1]; it is nan for a ranking without positives.

    Parameters
    ----------
    k : int or float, default=10
        How many of the first ranks count, or which proportion of a ranking, as for ``AtK``.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import RecallAtK
    >>> RecallAtK(k=2)(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]))
    array([0.5])
    """

    k: float = 10

    @property
    def title(self) -> str:
        return f"recall@{k_as_text(self.k)}"
