"""The hit curve: what is found as more is looked at."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap.curves import hit_curve
from sklearn_ap.display.canvas import axes_for, draw_model, draw_reference, legend
from sklearn_ap.display.models import FromModels

__all__ = ["HitCurveDisplay"]

Array = NDArray[Any]


class HitCurveDisplay(FromModels):
    """What is hit as more is detected: h(t), with the perfect and the random curve.

    A perfect ranking hits with every item until all positives are found, a random one in proportion
    to what it detects [1]_.

    Parameters
    ----------
    detected : ndarray of shape (n_points,) or list of ndarrays
        Fraction of all items that is detected, of one ranking or of folds.
    hits : ndarray of shape (n_points,) or list of ndarrays
        Fraction of all items that is detected and positive.
    name : str, default=None
        What the legend calls it, as the name of a model.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of these
        The hit curve; a list for folds.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    hit_curve : The points.
    AveragePrecisionDisplay : Precision over recall.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", University of Waterloo.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> display = HitCurveDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> display
    HitCurveDisplay(prevalence=0.5)
    >>> display.line_.get_ydata()
    array([0.  , 0.25, 0.25, 0.5 , 0.5 ])
    """

    def __init__(
        self, detected: Array | list[Array], hits: Array | list[Array], *, name: str | None = None
    ) -> None:
        self.detected = detected
        self.hits = hits
        self.name = None if name is None else str(name)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the hit curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher for what is more likely positive.
        pos_label : int, float, bool or str, default=None
            The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str, default=None
            What the legend calls it.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        HitCurveDisplay
            With the picture drawn.
        """
        return cls(*cls._ranking(y_true, y_score, pos_label, sample_weight), name=name).plot(ax)

    @classmethod
    def _ranking(
        cls, y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: Any
    ) -> tuple[Array, Array]:
        return hit_curve(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)[:2]

    def plot(self, ax: Any = None, *, name: str | None = None, **options: Any) -> Self:
        """Draw the hit curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        name : str, default=None
            What the legend calls it; None for the display's own.
        **options : dict
            For the line, as matplotlib's ``plot`` takes them.

        Returns
        -------
        HitCurveDisplay
            This one.
        """
        (axis,) = axes_for(ax, 1)
        curves, prevalence = self._curves, self._prevalence
        folds = isinstance(self.detected, list)
        perfect = [0, prevalence, 1], [0, prevalence, prevalence]
        draw_reference(axis, *perfect, "-.", f"perfect: {prevalence:.3g} are positive")
        draw_reference(axis, [0, 1], [0, prevalence], ":", "random")
        label = (self.name if name is None else str(name)) or "hit curve"
        lines = draw_model(axis, curves, label + f", {len(curves)} folds" * folds, options)
        axis.set(xlabel="fraction detected, t", ylabel="fraction hit, h(t)", xlim=(-0.02, 1.02))
        legend(axis)
        self.ax_, self.figure_, self.line_ = axis, axis.figure, lines if folds else lines[0]
        return self

    @property
    def _curves(self) -> list[tuple[Any, Any]]:
        if isinstance(self.detected, list):
            return list(zip(self.detected, self.hits, strict=True))
        return [(self.detected, self.hits)]

    @property
    def _prevalence(self) -> float:
        return float(np.mean([hits[-1] for _, hits in self._curves]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(prevalence={self._prevalence:.3g})"
