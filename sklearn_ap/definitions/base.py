"""What a definition of average precision answers, and what most of them have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts, ratio
from sklearn_ap.definitions.influence import Influence, central_differences

__all__ = ["Definition", "Heights", "Shade", "Trials", "level_line", "steps"]

Array = NDArray[Any]
Line = tuple[NDArray[np.float64], NDArray[np.float64]]


class Shade(NamedTuple):
    """A part of a picture that deserves attention.

    Parameters
    ----------
    recall : ndarray of shape (n_points,)
        Where the edges are.
    low : ndarray of shape (n_points,) or float
        Its lower edge.
    high : ndarray of shape (n_points,)
        Its upper edge.
    label : str
        What the legend calls it.
    """

    recall: Array
    low: Array | float
    high: Array
    label: str


class Trials(NamedTuple):
    """Options that are worth trying: tests, the API page and the command line read them.

    Parameters
    ----------
    good : tuple of dict
        Options of definitions that differ from each other.
    bad : tuple of dict
        Options that raise a ValueError or a TypeError.
    """

    good: tuple[dict[str, Any], ...] = ({},)
    bad: tuple[dict[str, Any], ...] = ()


class Definition(ABC):
    """What average precision means: threshold counts in, one value per ranking out.

    Scores, intervals, displays and the command line ask a definition the questions below, and know
    nothing else of it. Write a definition as a frozen dataclass whose fields are its options:
    equal options then make equal objects, which can be hashed, pickled and printed.

    See Also
    --------
    Heights : The base of definitions that are a sum over thresholds.
    """

    trials: ClassVar[Trials] = Trials()

    @property
    @abstractmethod
    def title(self) -> str:
        """Its name in legends and tables, such as "AP@20 over hits"."""

    @abstractmethod
    def __call__(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give one value per ranking, nan for a ranking without positives.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Within [0, 1], or nan.
        """

    @property
    def depth(self) -> int | None:
        """How many ranks it looks at; what lies below need not be counted. None for all."""
        return None

    def divisor(self, counts: ThresholdCounts) -> Array:
        """Give what the sum of each ranking is divided by: its positives, if nothing else is said.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            0 makes the value nan.
        """
        return counts.n_positives

    def cases(self, counts: ThresholdCounts) -> Array:
        """Give how many positives the value of each ranking rests on, for its interval.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            The positives, or ``depth`` where that is less.
        """
        return (
            counts.n_positives if self.depth is None else np.minimum(self.depth, counts.n_positives)
        )

    def line(self, counts: ThresholdCounts) -> Line | None:  # noqa: ARG002
        """Give recall and precision of the line to draw for one ranking.

        The area under it, times ``n_positives / divisor``, is the value, unless there are
        ``samples``.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if there is no picture.
        """
        return None

    def samples(self, counts: ThresholdCounts) -> Line | None:  # noqa: ARG002
        """Give recall levels and the heights there, whose mean is the value of one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if the value is an area.
        """
        return None

    def shade(self, counts: ThresholdCounts) -> Shade | None:  # noqa: ARG002
        """Give the part of the picture that deserves attention, for one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        Shade or None
            None if nothing is to be shaded.
        """
        return None

    def influence(self, counts: ThresholdCounts) -> Influence | None:  # noqa: ARG002
        """Give the derivative of each value by the weight of one row, by where the row stands.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        Influence or None
            None if the value is not smooth in the weights: resampling then gives its error.
        """
        return None

    def __repr__(self) -> str:
        options = [
            f"{field.name}={_literal(getattr(self, field.name))}"
            for field in fields(self)  # type: ignore[arg-type]
            if getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(options)})"


class Heights(Definition):
    """A definition that is the sum over thresholds of ``gained * height``, over its divisor.

    A subclass says ``title`` and ``heights``. Its value, its line and its influence follow.

    See Also
    --------
    Definition : The questions that it answers.

    Examples
    --------
    The precision before each threshold, instead of that at the threshold:

    >>> from dataclasses import dataclass
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Heights
    >>> @dataclass(frozen=True, repr=False)
    ... class Before(Heights):
    ...     title = "AP before"
    ...     def heights(self, counts):
    ...         return counts.precision_before(1.0)
    >>> Before()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.75])
    """

    @abstractmethod
    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give the precision with which recall rises at each threshold.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within [0, 1].
        """

    def __call__(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give one value per ranking, nan for a ranking without positives.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Within [0, 1], or nan.
        """
        unit = _unit(counts)
        gained = counts.gained if unit is None else counts.gained * unit[counts.ranking()]
        divisor = self.divisor(counts) if unit is None else self.divisor(counts) * unit
        return ratio(counts.sum(gained * self.heights(counts)), divisor)

    def line(self, counts: ThresholdCounts) -> Line | None:
        """Give recall and precision of level lines at the heights, for one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if there is no picture.
        """
        return level_line(counts, counts.gained, self.heights(counts))

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        """Give the derivative of each value by the weight of one row, by central differences.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        Influence or None
            None if a height depends on other thresholds than its own, or if the divisor does not
            grow with the positives: resampling then gives the error.
        """
        divisor, n_positives = self.divisor(counts), counts.n_positives
        if not np.allclose(self.divisor(replace(counts, n_positives=2 * n_positives)), 2 * divisor):
            return None
        influence = central_differences(self.heights, counts)
        return influence and influence.times(ratio(n_positives, divisor), counts.ranking())


def _unit(counts: ThresholdCounts) -> NDArray[np.float64] | None:
    """What to multiply the weights of each ranking by; None if all are large enough for products.

    A product of a denormal weight and a height is rounded: 5e-324 * 0.6 is 5e-324.
    """
    n_positives = counts.n_positives
    if n_positives.dtype.kind != "f" or n_positives.min(initial=np.inf) > 1e-200:
        return None
    return np.where(n_positives > 1e-200, 1.0, 2.0**200)


def level_line(counts: ThresholdCounts, width: Array, heights: Array) -> Line:
    """Recall and precision of level lines, each ``width`` positives long from its threshold on."""
    # One threshold after another: recall = [r0, r0 + w0, r1, r1 + w1, ...]
    seen, above = width > 0, counts.tps_above
    recall = np.column_stack((above, above + width))[seen] / counts.n_positives
    return recall.ravel(), np.repeat(heights[seen], 2)


def steps(counts: ThresholdCounts) -> Line:
    """Recall and precision of the steps between the operating points of one ranking."""
    return level_line(counts, counts.gained, counts.precision)


def _literal(value: Any) -> str:
    """How Python reads the value back; ``inf`` alone would be an unknown name."""
    return f"float({str(value)!r})" if value in (np.inf, -np.inf) else repr(value)
