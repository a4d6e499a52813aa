"""The base class of the definitions of average precision, and the lines that they draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from typing import ClassVar

import numpy as np

from sklearn_ap._counts.counting import ranks_at_thresholds
from sklearn_ap._counts.thresholds import ThresholdCounts, select_thresholds
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions._influence import Influence

Line = tuple[Float, Float]  # recall and precision of its points


class Definition(ABC):
    r"""A definition of average precision: threshold counts in, one value per ranking out.

    Most definitions are a mean of heights over the positives,

    .. math:: \frac{1}{Z} \sum_j g_j h_j

    where the :math:`g_j` positives at the j-th threshold have the height :math:`h_j`, and Z counts
    all positives. For these, write a frozen dataclass with a ``title`` and ``heights``: its fields
    are the options, so that equal options make equal objects, which can be hashed, pickled and
    printed. Override ``divisor`` if Z is another number, and ``__call__`` if the value is no such
    mean.

    Scores, intervals, displays and the command line use the methods below, and nothing else. A
    method that you override needs no docstring of its own, because it inherits the one from here.
    Intervals resample a definition without an ``influence``.

    Attributes
    ----------
    bounds : tuple of two floats
        The lowest and the highest possible value, (0, 1) unless the class says otherwise. There
        are no intervals for other bounds.

    Examples
    --------
    The precision just above each threshold, instead of the precision at it:

    >>> from dataclasses import dataclass
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Definition
    >>> @dataclass(frozen=True, repr=False)
    ... class Before(Definition):
    ...     title = "AP before"
    ...     def heights(self, counts):
    ...         return counts.precision_before(1.0)
    >>> Before()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.75])
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    @abstractmethod
    def title(self) -> str:
        """The name in legends and tables, such as "AP@20 over hits"."""

    def heights(self, counts: ThresholdCounts) -> Float:
        """Return what each positive at a threshold adds, such as the precision there.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within ``bounds``.
        """
        raise NotImplementedError(f"{type(self).__name__} needs heights, or its own __call__.")

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
        if self.depth is not None:
            counts = _leave_out_lower_thresholds(counts, self.depth)
        return counts.mean_height(self.heights(counts), self.divisor(counts))

    @property
    def depth(self) -> float | None:
        """The number of ranks that count, or the share; rows below need not be. None for all."""
        return None

    @property
    def prevalence(self) -> float | None:
        """The prevalence of the value. None for the prevalence of the counts."""
        return None

    def line(self, counts: ThresholdCounts) -> Line | None:
        """Return recall and precision of the line to draw for one ranking, level at each height.

        The area under it, times ``n_positives / divisor``, is the value, unless this is no area.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if there is nothing to draw.
        """
        if type(self).heights is Definition.heights:
            return None
        return level_line(counts, counts.gained, self.heights(counts))

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        """Return the derivative of each value by the weight of one row, for each row's position.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        Influence or None
            None, the default, if the value jumps as weights change, or if nobody has derived it.
            The standard error then comes from resampling.
        """
        return None

    def __repr__(self) -> str:
        return _call(self)


def _leave_out_lower_thresholds(counts: ThresholdCounts, depth: float) -> ThresholdCounts:
    """Leave out thresholds below the depth: the last digit of a sum depends on all its terms."""
    is_weighted = counts.gained.dtype.kind == "f"
    if is_weighted and not isinstance(depth, int):
        return counts  # the share depends on all counts, which say whether weights are fractional
    is_within = counts.before < ranks_at_thresholds(depth, counts)
    return counts if is_within.all() else select_thresholds(counts, is_within)


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
        f"{field.name}={getattr(definition, field.name)!r}"
        for field in fields(definition)
        if getattr(definition, field.name) != field.default or _is_number(field.default)
    ]
    return f"{name}({', '.join(options)})"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
