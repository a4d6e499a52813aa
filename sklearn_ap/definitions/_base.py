"""The base classes of the definitions of average precision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from sklearn_ap._counts.counting import n_ranks, ranks_at_thresholds
from sklearn_ap._counts.thresholds import ThresholdCounts, select_thresholds
from sklearn_ap._types import Array, ArrayOrNone, Float
from sklearn_ap.definitions._bias import jackknife_bias
from sklearn_ap.definitions._chance import BlockEnds
from sklearn_ap.definitions._influence import Influence, central_differences

Line = tuple[Float, Float]  # recall and precision of its points


class Shade(NamedTuple):
    """An area of a picture that is to be shaded."""

    recall: Array  # where both edges are given
    low: Array | float  # the lower edge
    high: Array  # the upper edge
    label: str  # the name of the area in the legend


class Point(NamedTuple):
    """A point of a picture that is to be marked."""

    recall: float
    precision: float


class Definition(ABC):
    """A definition of average precision: threshold counts in, one value per ranking out.

    Scores, intervals, displays and the command line use the methods below, and nothing else. Write
    a definition as a frozen dataclass whose fields are its options: equal options then make equal
    objects, which can be hashed, pickled and printed. A method that you override needs no docstring
    of its own, because it inherits the one from here.

    Attributes
    ----------
    bounds : tuple of two floats
        The lowest and the highest possible value, (0, 1) unless the class says otherwise.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    @abstractmethod
    def title(self) -> str:
        """The name in legends and tables, such as "AP@20 over hits"."""

    @abstractmethod
    def __call__(self, counts: ThresholdCounts) -> Float:
        """Return one value per ranking, nan for a ranking without positives.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Within ``bounds``, or nan.
        """

    @property
    def depth(self) -> float | None:
        """The number of ranks that count, or the share; rows below need not be. None for all."""
        return None

    @property
    def prevalence(self) -> float | None:
        """The prevalence of the value. None for the prevalence of the counts."""
        return None

    @property
    def over_all_recalls(self) -> Definition | None:
        """The definition over all recalls, if it has the same bias; otherwise None."""
        return self

    def divisor(self, counts: ThresholdCounts) -> Array:
        """Return the divisor of the sum of each ranking, by default its positives.

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

    def effective_size(self, counts: ThresholdCounts, ranks: Array | None = None) -> Array:
        """Return the number of positives on which each value is based, for intervals.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.
        ranks : ndarray of shape (n_rankings,), default=None
            The number of sampling units that the counted ranks are worth, if clusters of rows are
            sampled. None: the number of these ranks.

        Returns
        -------
        ndarray of shape (n_rankings,)
            The positives, or the counted ranks if these are fewer.
        """
        if self.depth is None:
            return counts.n_positives
        if ranks is None:
            ranks = n_ranks(self.depth, counts)
        return np.minimum(ranks, counts.n_positives)

    def sum_by_chance(self, ends: BlockEnds, n_rows: int, n_positives: int) -> float | None:
        """Return the value times ``divisor``, as the mean of all orders of the labels of a ranking.

        Parameters
        ----------
        ends : ndarray of shape (n_blocks,) or None
            How many rows stand in each block of tied rows, or above it. None if none are tied.
        n_rows : int
            All rows, also those that were not retrieved.
        n_positives : int
            The positives among them.

        Returns
        -------
        float or None
            None if there is no formula, or ``divisor`` differs from order to order. Callers then
            average random orders.
        """
        return None

    def at_threshold(self, tps: Array, fps: Array, totals: Iterable[Array]) -> ArrayOrNone:
        """Return the number of each threshold, if the value is the highest of these numbers.

        It must not be negative, nor fall with true positives, nor rise with false ones. Intervals
        then resample only thresholds that may hold the highest one.

        Parameters
        ----------
        tps, fps : ndarray
            Positives and negatives at or above each threshold.
        totals : tuple of two ndarrays
            The positives and the negatives of its ranking, of a shape that broadcasts.

        Returns
        -------
        ndarray or None
            None if the value is not the highest of such numbers.
        """
        return None

    def line(self, counts: ThresholdCounts) -> Line | None:
        """Return recall and precision of the line to draw for one ranking.

        The area under it, times ``n_positives / divisor``, is the value, unless there are
        ``samples`` or a ``point``.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if there is nothing to draw.
        """
        return None

    def samples(self, counts: ThresholdCounts) -> Line | None:
        """Return recall levels and the heights at them, whose mean is the value of one ranking.

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

    def point(self, counts: ThresholdCounts) -> Point | None:
        """Return the point to be marked, with lines to both axes. The value is one coordinate.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        Point or None
            None if there is no such point.
        """
        return None

    def shade(self, counts: ThresholdCounts) -> Shade | None:
        """Return the area of the picture to shade, for one ranking.

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

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        """Return the derivative of each value by the weight of one row, for each row's position.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        Influence or None
            None if the value is not smooth in the weights. The standard error then comes from
            resampling.
        """
        return None

    def bias(self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0) -> Float:
        """Compute how much higher samples of this size score than the population, on average.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings, whose positives weigh 1.
        weight_of_negative : float or ndarray of shape (n_rankings,), default=1.0
            What a negative weighs.

        Returns
        -------
        ndarray of shape (n_rankings,)
            The bias of each ranking, nan if it is not known.
        """
        return np.full(counts.n_positives.shape, np.nan)

    def __repr__(self) -> str:
        return _call(self)


class Heights(Definition):
    """A definition that is the sum over thresholds of ``gained * height``, over its divisor.

    A subclass needs ``title`` and ``heights``. Its value and its line follow: the line is level at
    each height. Intervals resample, unless the class says ``smooth = True``: then the influence is
    a central difference, and there is also a bias. Even so there is no influence if a height
    depends on other thresholds than its own or on ``n_negatives``, or if the divisor does not grow
    in proportion to the positives.

    Attributes
    ----------
    smooth : bool
        Whether each height changes little if a single row has a little more weight. False unless
        the class says otherwise. A height that is cut at a rank, or compared with a number, is not
        smooth: it jumps, and an interval by influence would be too narrow.

    Examples
    --------
    The precision just above each threshold, instead of the precision at it:

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

    smooth: ClassVar[bool] = False

    @abstractmethod
    def heights(self, counts: ThresholdCounts) -> Float:
        """Return the precision with which recall rises at each threshold.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within ``bounds``.
        """

    def __call__(self, counts: ThresholdCounts) -> Float:
        # Leave out thresholds below the depth, as the last digit of a sum depends on all terms.
        # A share of weighted rows needs all counts: they say whether weights are fractional.
        depth = self.depth
        is_weighted = counts.gained.dtype.kind == "f"
        if depth is not None and (isinstance(depth, int) or not is_weighted):
            is_within = counts.before < ranks_at_thresholds(depth, counts)
            counts = counts if is_within.all() else select_thresholds(counts, is_within)
        return counts.mean_height(self.heights(counts), self.divisor(counts))

    def line(self, counts: ThresholdCounts) -> Line | None:
        return level_line(counts, counts.gained, self.heights(counts))

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        divisor = self.divisor(counts)
        doubled = replace(counts, n_positives=2 * counts.n_positives)
        if not self.smooth or not np.allclose(self.divisor(doubled), 2 * divisor):
            return None
        return central_differences(self.heights, divisor, counts)

    def bias(self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0) -> Float:
        if not self.smooth:
            return super().bias(counts)
        return jackknife_bias(self.heights, self.divisor(counts), counts, weight_of_negative)


def level_line(counts: ThresholdCounts, width: Array, heights: Array) -> Line:
    """Return recall and precision of level lines, each ``width`` positives long."""
    # One threshold after another: recall = [r0, r0 + w0, r1, r1 + w1, ...]
    has_width = width > 0
    above = counts.tps_above
    recall = np.column_stack((above, above + width))[has_width] / counts.n_positives
    return recall.ravel(), np.repeat(heights[has_width], 2)


def step_line(counts: ThresholdCounts) -> Line:
    """Return recall and precision of the steps between the operating points of one ranking."""
    return level_line(counts, counts.gained, counts.precision)


def _call(definition: object) -> str:
    """Write a definition with its numbers, and the options that are not their default."""
    name = type(definition).__name__
    if not is_dataclass(definition):
        return f"<{name}: its options are not known, as it is no dataclass>"
    options = [
        f"{field.name}={_literal(getattr(definition, field.name))}"
        for field in fields(definition)
        if getattr(definition, field.name) != field.default or _is_number(field.default)
    ]
    return f"{name}({', '.join(options)})"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _literal(value: object) -> str:
    """Write a value so that Python reads it back; ``inf`` alone would be an unknown name."""
    return f"float({str(value)!r})" if value in (np.inf, -np.inf) else repr(value)
