"""At k: what the first k ranks hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions.base import Heights, Line, Shade, Trials, level_line
from sklearn_ap.definitions.influence import Influence
from sklearn_ap.definitions.options import Normalizer, check_k, check_normalizer, check_threshold

__all__ = ["AtK", "PrecisionAtK", "RecallAtK"]

_BAD: tuple[dict[str, Any], ...] = (
    *({"k": k} for k in (0, -1, 1.5, True, "3", None, 2**63)),
    *({"threshold": threshold} for threshold in (np.nan, "0.5", True, 1j)),
)


class _TopK(Heights):
    """What looks at the first k ranks: ``k`` and ``threshold``, and the share of each block."""

    k: int
    threshold: float | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_k(self.k))
        object.__setattr__(self, "threshold", check_threshold(self.threshold))

    @property
    def depth(self) -> int:
        """How many ranks it looks at."""
        return self.k

    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give the share of each block that stands within the first k ranks.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within [0, 1].
        """
        return self._share(counts)

    def line(self, counts: ThresholdCounts) -> Line | None:  # noqa: ARG002
        """Give no line: the value is no area.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        None
            There is no picture.
        """
        return None

    def influence(self, counts: ThresholdCounts) -> Influence | None:  # noqa: ARG002
        """Give no influence: a row that moves another one across rank k makes the value jump.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        None
            Resampling gives the error.
        """
        return None

    def _share(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """The share of each tied block that stands within the first k ranks."""
        size = counts.size
        share = np.minimum(np.maximum(self.k - counts.before, 0), size) / size
        if self.threshold is None:
            return share
        with np.errstate(over="ignore"):  # a threshold beyond all float32 is infinite to them
            return share * (counts.thresholds >= self.threshold)

    def _suffix(self) -> str:
        """What a title says of the threshold."""
        return "" if self.threshold is None else f", scores >= {self.threshold:g}"


@dataclass(frozen=True, repr=False)
class AtK(_TopK):
    r"""Average precision over the first k ranks.

    .. math:: \frac{1}{Z} \sum_{i=1}^{k} h_i \frac{h_1 + \dots + h_i}{i}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. A block of m tied items with
    p positives that rank k cuts after j items contributes j p/m hits, all at the precision of
    the cut (or of the whole block, where it fits). The value lies within [0, 1]; it is nan for a
    ranking without positives, and 0 for one without hits.

    Parameters
    ----------
    k : int, default=10
        How many ranks, at least 1. With weights it counts weight. Ranks beyond the last item
        hold nothing.
    normalizer : {"attainable", "positives", "hits", "k"}, default="attainable"
        What Z is: min(k, positives), so that the best score is 1; all positives; the positives
        among the first k (0/0 is 0); or k.
    threshold : float, default=None
        Items scored below it are not retrieved; their ranks count as false positives.

    See Also
    --------
    PrecisionAtK : Fraction of the top k that is positive.
    Expected : With k, ties broken at random, on average.

    Notes
    -----
    The value does not depend on the order of tied items. At k = n, divided by all positives, it
    is the step average precision.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import AtK
    >>> AtK(k=3)(threshold_counts([1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]))
    array([0.66666667])
    """

    k: int = 10
    normalizer: Normalizer = "attainable"
    threshold: float | None = None

    trials = Trials(
        good=(
            {"k": 3},
            *({"k": 3, "normalizer": name} for name in ("positives", "hits", "k")),
            {"k": 3, "threshold": 0.5},
        ),
        bad=(*_BAD, {"normalizer": "atainable"}, {"normalizer": None}, {"normalizer": 1}),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "normalizer", check_normalizer(self.normalizer))

    @property
    def title(self) -> str:
        """Its name in legends and tables."""
        divided = "" if self.normalizer == "attainable" else f" over {self.normalizer}"
        return f"AP@{self.k}{divided}{self._suffix()}"

    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give the precision at each block or at the cut, times the share of the block above it.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within [0, 1].
        """
        share = self._share(counts)
        return share * self._precision(counts, share)

    def divisor(self, counts: ThresholdCounts) -> NDArray[Any]:
        """Give what the normalizer says.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            0 without positives.
        """
        match self.normalizer:
            case "attainable":
                return self.cases(counts)
            case "positives":
                return counts.n_positives
            case "hits":
                hits = counts.sum(counts.gained * self._share(counts))
                return np.where(hits > 0, hits, counts.n_positives > 0)
            case "k":
                return self.k * (counts.n_positives > 0)

    def line(self, counts: ThresholdCounts) -> Line:
        """Give recall and precision of level lines as far as rank k, for one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays
            The area under the line, times positives over the divisor, is the value.
        """
        share = self._share(counts)
        return level_line(counts, counts.gained * share, self._precision(counts, share))

    def shade(self, counts: ThresholdCounts) -> Shade:
        """Give what the first k ranks recall, for one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        Shade
            The area under the line.
        """
        recall, line = self.line(counts)
        return Shade(recall, 0.0, line, f"top {self.k}")

    def _precision(self, counts: ThresholdCounts, share: NDArray[Any]) -> NDArray[np.float64]:
        """The precision at the end of that share of each block."""
        hits = counts.tps_above + counts.gained * share
        return hits / np.where(share > 0, counts.before + counts.size * share, 1)


@dataclass(frozen=True, repr=False)
class PrecisionAtK(_TopK):
    r"""Fraction of the first k ranks that hold a positive.

    .. math:: \frac{h_1 + \dots + h_k}{k}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. A block of m tied items with
    p positives that rank k cuts after j items contributes j p/m hits. The value lies within
    [0, 1]; it is 0 for a ranking without positives.

    Parameters
    ----------
    k : int, default=10
        How many ranks, at least 1. With weights it counts weight. Ranks beyond the last item
        hold nothing.
    threshold : float, default=None
        Items scored below it are not retrieved; their ranks count as false positives.

    See Also
    --------
    RecallAtK : Fraction of the positives that is in the top k.
    AtK : Average precision over the first k ranks, which also says how early the hits come.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import PrecisionAtK
    >>> PrecisionAtK(k=4)(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]))
    array([0.5])
    """

    k: int = 10
    threshold: float | None = None

    trials = Trials(good=({"k": 3}, {"k": 3, "threshold": 0.5}), bad=_BAD)

    @property
    def title(self) -> str:
        """Its name in legends and tables."""
        return f"precision@{self.k}{self._suffix()}"

    def divisor(self, counts: ThresholdCounts) -> NDArray[Any]:
        """Give k.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            The same number for each.
        """
        return np.full(counts.n_positives.shape, self.k)

    def cases(self, counts: ThresholdCounts) -> NDArray[Any]:
        """Give k: the value is a share of k ranks.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            The same number for each.
        """
        return self.divisor(counts)


@dataclass(frozen=True, repr=False)
class RecallAtK(_TopK):
    r"""Fraction of the positives that the first k ranks hold.

    .. math:: \frac{h_1 + \dots + h_k}{N}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise, and N counts all positives. A
    block of m tied items with p positives that rank k cuts after j items contributes j p/m hits.
    The value lies within [0, 1]; it is nan for a ranking without positives.

    Parameters
    ----------
    k : int, default=10
        How many ranks, at least 1. With weights it counts weight. Ranks beyond the last item
        hold nothing.
    threshold : float, default=None
        Items scored below it are not retrieved; their ranks count as false positives.

    See Also
    --------
    PrecisionAtK : Fraction of the top k that is positive.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import RecallAtK
    >>> RecallAtK(k=2)(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]))
    array([0.5])
    """

    k: int = 10
    threshold: float | None = None

    trials = Trials(good=({"k": 3}, {"k": 3, "threshold": 0.5}), bad=_BAD)

    @property
    def title(self) -> str:
        """Its name in legends and tables."""
        return f"recall@{self.k}{self._suffix()}"

    def cases(self, counts: ThresholdCounts) -> NDArray[Any]:
        """Give the positives: the value is a share of them.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            How many there are.
        """
        return counts.n_positives
