"""The base class of definitions.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, cast

import numpy as np

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, add_rows_above, ratio, select_rankings
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Float

Line = tuple[Float, Float]  # recall and precision of its points
SEVERAL_RANKINGS = (  # what to do if a definition fails for them alone
    "Several rankings are counted at once, one after the other: write counts.per_threshold(x), "
    "counts.sum(x), counts.highest(x) and counts.envelope(x)."
)
# Of three rankings, best rows first; the second one is better than both others.
UNLIKE_LABELS = np.array([0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1], np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The derivative phi of a ranking's value by the weight of one row, for each row's position."""

    positive: Float  # phi for a positive at each threshold
    tied: Float  # phi for a negative tied with each threshold
    between: Float  # phi for a negative between each threshold and the one above it
    unscored: Float  # phi for a positive that was never scored, one number per ranking
    # phi for a negative below the last threshold, one number per ranking: 0 unless the user gives a
    # prevalence, as all negatives then share a weight
    below: Float | float = 0.0


class Definition(ABC):
    r"""A definition of average precision: threshold counts in, one value per ranking out.

    Most definitions are a mean of heights over the positives,

    .. math:: \frac{1}{Z} \sum_j g_j h_j

    where the :math:`g_j` positives at the j-th threshold have the height :math:`h_j`, and Z counts
    all positives. For these, write a frozen dataclass with a ``title`` and ``heights``: its fields
    are the options, so that equal options make equal objects, which can be hashed, pickled and
    printed. Override ``divisor`` if Z is another number, and ``__call__`` if the value is no such
    mean. Counts hold many rankings, one after the other, so write ``counts.per_threshold(x)`` for
    a number of each ranking, and ``counts.envelope(x)`` for a running maximum. Weights and a
    prevalence make counts sums of weights, so a value must not depend on the unit of these.

    A call gives the bare value. Scores, intervals and displays take ``values``, which also checks
    what the definition of a user gives, and what stands below it. A method that you override
    inherits its docstring. Intervals resample a definition without an ``influence``. A class with a
    value of its own does not inherit that, nor ``line`` and these attributes.

    Attributes
    ----------
    hangs_on_one_row : bool, default=False
        Whether one row makes the value, so that a single ranking has no interval.
    bias_rate : float, default=1
        The power of the number of rows with which the bias of the value falls: gamma of equation
        11.
    draws_precision : bool, default=False
        Whether the heights of ``line`` are precisions, beside which displays draw the precision of
        random scores.

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
    ...         return counts.precision_above(1.0)
    >>> Before()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.75])
    """

    hangs_on_one_row: ClassVar[bool] = False
    bias_rate: ClassVar[float] = 1.0
    draws_precision: ClassVar[bool] = False

    is_trusted = False  # of a class of this package, whose values are not checked

    def __init_subclass__(cls, *, trusted: bool = False, **options: object) -> None:
        """Drop what is inherited of another value: its derivative, picture, and class variables.

        A class of a user that inherits from one of this package is not trusted.
        """
        cls.is_trusted = trusted
        super().__init_subclass__(**options)
        own = vars(cls).keys()
        stale = {"influence"} if own & {"heights", "divisor", "__call__"} else set()
        if own & {"heights", "__call__"}:
            stale |= {"line", "values_with_rows_above", *CLASS_VARIABLES}
        for name in stale - own:
            setattr(cls, name, getattr(Definition, name))
        if callable(vars(cls).get("title")):
            raise InputTypeError(f"title of {cls.__name__} is a method: write @property above it.")

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
            Above 1, too, if the value stays within [0, 1].
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

    # Checkers let a subclass leave out arguments of the type Any alone
    def __call__(self, counts: ThresholdCounts, *scored: Any) -> Float:  # noqa: ANN401
        """Return one value per ranking, nan for a ranking without positives.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.
        *scored : tuple
            What a search passes to a scorer. Refused: leave it out of a ``__call__`` of yours.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Within [0, 1], or nan.
        """
        if scored:
            raise InputTypeError(f"A definition is no scorer: pass get_scorer({self!r}).")
        counts = self._reached(counts)
        heights, divisor = self.heights(counts), self.divisor(counts)
        for method, array, shape in (
            ("heights", heights, counts.thresholds.shape),
            ("divisor", divisor, counts.starts.shape),
        ):
            if np.shape(array) != shape:
                raise InputError(
                    f"{method} of {self!r} must be an array of shape {shape}, got shape "
                    f"{np.shape(array)}."
                )
        return ratio(counts.sum(counts.gained * heights), divisor)  # equation 1 of precisions

    def _reached(self, counts: ThresholdCounts) -> ThresholdCounts:
        """Return the counts that the value depends on."""
        return counts

    def values(self, counts: ThresholdCounts) -> Float:
        """Return the values that scores, intervals and displays take: of a call, and checked.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            What calling the definition gives, up to rounding errors.
        """
        try:
            values = self(counts)
        except ValueError as error:
            if not self.is_trusted and counts.starts.size > 1:
                error.add_note(f"heights, divisor or __call__ of {self!r}: {SEVERAL_RANKINGS}")
            raise
        if not self.is_trusted:
            _check_values_of_user(self, counts, values)
        return np.minimum(values, 1.0)  # a sum of weights can come out an ulp above

    def values_with_rows_above(
        self, counts: ThresholdCounts, positives: Float, negatives: Float
    ) -> Float:
        """Return the values with more rows above all others, which may be parts of rows.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.
        positives, negatives : ndarray of shape (n_rankings,)
            The weight of more rows of each ranking, the positives above the negatives.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Those of the rankings with these rows.
        """
        return self(add_rows_above(counts, positives, negatives))

    @property
    def depth(self) -> float | None:
        """The number of ranks that count, or the share. None for all."""
        return None

    @property
    def prevalence(self) -> float | None:
        """The prevalence of the value. None for the prevalence of the counts."""
        return None

    def line(self, counts: ThresholdCounts) -> Line | None:
        """Return recall and precision of the line to draw for one ranking, level at each height.

        The area under it, times ``n_positives / divisor``, is the value of a mean of heights over
        the positives. A class with its own ``__call__`` has no line, unless it writes one.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None if there is nothing to draw.
        """
        if type(self).__call__ is not Definition.__call__:
            return None
        return level_line(counts, self.heights(counts))

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
        name, mine = type(self).__name__, cast(object, self)
        if not is_dataclass(mine):
            return f"<{name}, which is no dataclass>"
        options = [  # numbers, and what is not the default
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(mine)
            if getattr(self, field.name) != field.default or isinstance(field.default, int | float)
        ]
        return f"{name}({', '.join(options)})"


CLASS_VARIABLES = tuple(Definition.__annotations__)


def _check_values_of_user(definition: Definition, counts: ThresholdCounts, values: Float) -> None:
    """Refuse values that are undefined, no shares, or depend on the rankings beside them."""
    if getattr(values, "shape", None) != counts.starts.shape:
        raise InputError(
            f"{definition!r} must give an array of one value for each ranking, of shape "
            f"{counts.starts.shape}, got {values!r:.100}."
        )
    is_defined = (counts.n_positives > 0) & (definition.divisor(counts) > 0)
    if (np.isnan(values) & is_defined).any():
        raise InputError(f"{definition!r} gives nan for a ranking that has positives.")
    outliers = values[(values > 1 + RELATIVE_TOLERANCE) | (values < -RELATIVE_TOLERANCE)]
    if outliers.size:
        raise InputError(f"{definition!r} gives {outliers[0]:g}, which is not within 0 and 1.")
    if counts.starts.size == 1:
        return
    # A maximum over all thresholds is no maximum of each ranking, unless these are alike.
    ranking = np.repeat([0, 1, 2], [4, 3, 4])
    score = np.linspace(1, 0, ranking.size)  # a definition may take probabilities alone
    unlike = count(Rankings(UNLIKE_LABELS, score, ranking=ranking, n_rankings=3))
    for i, value in enumerate(definition(unlike).tolist()):
        alone = definition(select_rankings(unlike, i, i + 1))[0]
        if not np.isclose(value, alone, equal_nan=True):
            raise InputError(
                f"{definition!r} gives {value:g} for a ranking that it gives {alone:g} alone, so "
                f"it mixes rankings, or is random. {SEVERAL_RANKINGS}"
            )


def level_line(counts: ThresholdCounts, heights: Array) -> Line:
    """Return recall and precision of a line that is level up to each threshold."""
    # recall [0.5, 1] -> [0, 0.5, 0.5, 1]
    heights = np.trim_zeros(heights, "b")  # at k, ranks below add no area
    recall = np.column_stack((counts.tps_above, counts.tps))[: heights.size] / counts.n_positives
    return recall.ravel(), np.repeat(heights, 2)
