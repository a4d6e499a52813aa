"""The hit curve: how many positives are found as more items are looked at."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Argument, Array, Axes, Label
from sklearn_ap._base.drawing.axes import prepare_axes
from sklearn_ap._base.drawing.legend import draw_legend
from sklearn_ap._base.drawing.lines_and_bands import Label as LegendLabel
from sklearn_ap._base.drawing.lines_and_bands import (
    draw_faint_curves,
    draw_model,
    draw_reference,
    line_options,
)
from sklearn_ap._base.extras import printable_lines
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._scikit_learn.displays._from_estimator import FromEstimatorMixin, LabelledScores
from sklearn_ap._scores.curves import hit_curve


@dataclass(eq=False, repr=False)
class HitCurveDisplay(FromEstimatorMixin):
    """The hit curve: how many positives are found as more items are looked at.

    It is drawn with the curves of a perfect ranking and of a random one. In a perfect ranking, each
    item is a hit until all positives are found. In a random one, hits grow in proportion to the
    items that are detected [1]_.

    Parameters
    ----------
    detected : ndarray of shape (n_points,) or list of ndarrays
        Fraction of all items that is detected, of one ranking or of folds.
    hits : ndarray of shape (n_points,) or list of ndarrays
        Fraction of all items that is detected and positive.
    share_positive : float, default=None
        Fraction of all items that is positive, the mean of folds. None if all items that are never
        detected are positive.
    name : str, default=None
        The name in the legend, such as that of a model.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of these
        The hit curve; a list for folds.
    mean_ : matplotlib Line2D or None
        The mean of folds at each fraction detected.
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

    detected: Array | list[Array]
    hits: Array | list[Array]
    _: KW_ONLY
    share_positive: float | None = None
    name: str | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Label = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes = None,
        **options: Argument,
    ) -> Self:
        """Draw the hit curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Probabilities or decision values, higher for positives; -inf for rows not retrieved.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str, default=None
            What the legend calls it.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``plot``: ``plot_chance_level``, and those of the line.

        Returns
        -------
        HitCurveDisplay
            With the picture drawn.
        """
        rows = LabelledScores(y_true, y_score, pos_label, sample_weight)
        curve = _hit_curve(rows)
        display = cls(curve.detected, curve.hits, share_positive=curve.prevalence, name=name)
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Axes = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        **options: Argument,
    ) -> Self:
        """Draw the hit curve, the perfect one, and that of random order.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        name : str, default=None
            The name in the legend; None for that of the display.
        plot_chance_level : bool, default=True
            Whether to draw what a random order finds.
        **options : dict
            Options of matplotlib's ``plot`` for the line.

        Returns
        -------
        HitCurveDisplay
            This one.
        """
        style = line_options(self, options)
        (axis,) = prepare_axes(ax, 1)
        curves = self._curves()
        prevalence = self._prevalence()
        perfect = [0, prevalence, 1], [0, prevalence, prevalence]
        perfect_label = f"perfect ({prevalence:.3g} are positive)"
        draw_reference(axis, perfect, 0.05, perfect_label, {"linestyle": "--"})
        if plot_chance_level:
            draw_reference(axis, ([0, 1], [0, prevalence]), 0.05, "random order", {})
        shown_name = self.name if name is None else name
        label = "hit curve" if shown_name in (None, "") else printable_lines(str(shown_name))
        are_folds = self._are_folds()
        if are_folds:
            label += f", mean of {len(curves)} folds"
        line = draw_model(axis, _mean(curves), LegendLabel(label), style)
        self.line_ = draw_faint_curves(axis, curves, line.get_color()) if are_folds else line
        self.mean_ = line if are_folds else None
        axis.set(xlabel="fraction detected, t", ylabel="fraction hit, h(t)", xlim=(-0.02, 1.02))
        draw_legend(axis)
        self.ax_ = axis
        self.figure_ = axis.figure
        return self

    @classmethod
    def _from_folds(
        cls, folds: list[LabelledScores], *, name: str | None = None, **options: Argument
    ) -> Self:
        curves = [_hit_curve(rows) for rows in folds]
        display = cls(
            [curve.detected for curve in curves],
            [curve.hits for curve in curves],
            share_positive=float(np.mean([curve.prevalence for curve in curves])),
            name=name,
        )
        return display.plot(**options)

    def _are_folds(self) -> bool:
        """Check whether there are several curves, and not the points of one in a list."""
        return isinstance(self.detected, list | tuple) and np.ndim(self.detected[0]) > 0

    def _curves(self) -> list[tuple[Array, Array]]:
        are_folds = self._are_folds()
        detected = self.detected if are_folds else [self.detected]
        hits = self.hits if are_folds else [self.hits]
        shapes = [[np.shape(curve) for curve in curves] for curves in (detected, hits)]
        if shapes[0] != shapes[1]:
            raise ValueError(f"detected and hits must be of one shape, got {shapes}.")
        return [(np.asarray(t), np.asarray(h)) for t, h in zip(detected, hits, strict=True)]

    def _prevalence(self) -> float:
        if self.share_positive is not None:
            return self.share_positive
        return float(np.mean([hits[-1] + 1 - detected[-1] for detected, hits in self._curves()]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(prevalence={self._prevalence():.3g})"


class _HitCurve(NamedTuple):
    detected: Array
    hits: Array
    prevalence: float  # the share of positives among all items, retrieved or not


def _hit_curve(rows: LabelledScores) -> _HitCurve:
    curve = hit_curve(
        rows.y_true, rows.y_score, pos_label=rows.pos_label, sample_weight=rows.sample_weight
    )
    counts = threshold_counts(
        rows.y_true, rows.y_score, pos_label=rows.pos_label, sample_weight=rows.sample_weight
    )
    n_positives = float(counts.n_positives[0])
    n_negatives = float(counts.n_negatives[0])
    prevalence = n_positives / ((n_positives + n_negatives) or 1.0)
    return _HitCurve(curve.detected, curve.hits, prevalence)


def _mean(curves: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Average the hits at each fraction detected; between thresholds they grow in proportion."""
    grid = np.unique(np.concatenate([detected for detected, _ in curves]))
    return grid, np.mean([np.interp(grid, detected, hits) for detected, hits in curves], axis=0)
