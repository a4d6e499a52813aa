"""The precision-recall curve, as each definition of average precision integrates it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._validation import check_binary, check_n_positives
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions.base import steps
from sklearn_ap.display.canvas import axes_for, draw_model, draw_reference, draw_shade, legend
from sklearn_ap.display.models import FromModels

__all__ = ["AveragePrecisionDisplay"]

Array = NDArray[Any]

FEW = 30  # operating points that are marked


class AveragePrecisionDisplay(FromModels):
    """The precision-recall curve as a definition of average precision integrates it.

    The area under what is drawn is the score in the legend; for eleven points and other recall
    levels it is the mean of the marked samples, and at k the area times positives over the
    normalizer.

    Parameters
    ----------
    counts : ThresholdCounts or list of ThresholdCounts
        The counts of one ranking, or of several that belong together, as folds do.
    definition : Definition or list of Definition, default=Step()
        Of ``sklearn_ap.definitions``, such as ``AtK(20)`` or ``Interpolated(11)``. Each of
        several has axes of its own, side by side.
    name : str, default=None
        What the legend calls it, as the name of a model.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of these
        The curve; a list for folds, and a list of them for several definitions.
    samples_ : matplotlib Line2D, None or list of these
        The precisions at recall levels, where the definition has some; lists as ``line_``.
    ax_ : matplotlib Axes or ndarray of Axes
        An array for several definitions.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : The curve without a definition.
    HitCurveDisplay : What is hit as more is detected.

    Notes
    -----
    The legend stands below the axes, where it covers nothing; a figure of subplots without a layout
    engine is given the constrained one, which makes room for it, and axes placed by hand have it
    inside. Operating points are marked where they are
    few. The dotted line is chance level, the share of positives.

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> AveragePrecisionDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    AveragePrecisionDisplay(step AP = 0.833)
    """

    def __init__(
        self,
        counts: ThresholdCounts | list[ThresholdCounts],
        *,
        definition: Definition | list[Definition] = Step(),
        name: str | None = None,
    ) -> None:
        self.counts = counts
        self.definition = definition
        self.name = None if name is None else str(name)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        definition: Definition | list[Definition] = Step(),
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        n_positives: float | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher for what is more likely positive.
        definition : Definition or list of Definition, default=Step()
            Of ``sklearn_ap.definitions``, such as ``AtK(20)``.
        pos_label : int, float, bool or str, default=None
            The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        n_positives : float, default=None
            All positives, where some were never scored.
        name : str, default=None
            What the legend calls it.
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw, one for each definition; None for a new figure.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        (counts,) = cls._ranking(y_true, y_score, pos_label, sample_weight)
        if n_positives is not None:
            known = check_n_positives(n_positives, counts.n_positives, several=False)
            counts = replace(counts, n_positives=known)
        return cls(counts, definition=definition, name=name).plot(ax)

    @classmethod
    def _ranking(
        cls, y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: Any
    ) -> tuple[ThresholdCounts]:
        clean = check_binary(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return (count(clean),)

    def plot(self, ax: Any = None, *, name: str | None = None, **options: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw, one for each definition; None for a new figure.
        name : str, default=None
            What the legend calls it; None for the display's own.
        **options : dict
            For the line, as matplotlib's ``plot`` takes them.

        Returns
        -------
        AveragePrecisionDisplay
            This one.
        """
        panels = self._panels()
        axes = axes_for(ax, len(panels))
        name = self.name if name is None else str(name)
        drawn = [panel.draw(axis, name, options) for panel, axis in zip(panels, axes, strict=True)]
        several = isinstance(self.definition, list | tuple)
        one = isinstance(self.counts, ThresholdCounts)
        lines = [of_panel[0] if one else of_panel for of_panel, _ in drawn]
        samples = [of_panel[0] if one else of_panel for _, of_panel in drawn]
        self.figure_ = axes[0].figure
        self.ax_ = np.array(axes) if several else axes[0]
        self.line_ = lines if several else lines[0]
        self.samples_ = samples if several else samples[0]
        return self

    def _panels(self) -> list[_Panel]:
        one = isinstance(self.counts, ThresholdCounts)
        rankings: list[Any] = [self.counts] if one else list(self.counts)  # type: ignore[arg-type]
        if not rankings:
            raise ValueError("counts is an empty list: there is nothing to draw.")
        if isinstance(self.definition, list | tuple):
            if not self.definition:
                raise ValueError("definition is an empty list: there is nothing to draw.")
            return [_Panel(rankings, definition) for definition in self.definition]
        return [_Panel(rankings, self.definition)]

    def __repr__(self) -> str:
        labels = [panel.label(self.name) for panel in self._panels()]
        return f"{type(self).__name__}({'; '.join(labels)})"


class _Panel:
    """Some rankings under one definition, on one axis."""

    def __init__(self, rankings: list[ThresholdCounts], definition: Definition) -> None:
        if not isinstance(definition, Definition):
            raise TypeError(
                f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), or "
                f"a list of them, got {definition!r}."
            )
        self.rankings = rankings
        self.definition = definition
        self.curves = [self._curve(counts) for counts in rankings]
        self.values = [float(definition(counts)[0]) for counts in rankings]

    def label(self, name: str | None) -> str:
        """The line of the legend; folds without positives are left out of their mean."""
        known = [value for value in self.values if not np.isnan(value)]
        mean = np.mean(known) if known else np.nan
        title = self.definition.title
        if len(self.values) == 1:
            return ": ".join(filter(None, (name, f"{title} = {mean:.3f}")))
        n = len(known) if len(known) == len(self.values) else f"{len(known)} of {len(self.values)}"
        spread = np.std(known) if known else np.nan
        of = ", ".join(filter(None, (name, f"{n} folds")))
        return f"{of}: {title} = {mean:.3f} ± {spread:.3f}"

    def draw(
        self, axis: Any, name: str | None, options: dict[str, Any]
    ) -> tuple[list[Any], list[Any]]:
        """Draw chance level, the curves, and what surrounds them; give the curves and samples."""
        found = sum(float(counts.tps[-1]) for counts in self.rankings if counts.tps.size)
        level = found / (found + sum(float(counts.n_negatives[0]) for counts in self.rankings))
        draw_reference(axis, [0, 1], [level, level], ":", f"chance level: {level:.3g}")
        lines = draw_model(axis, self.curves, self.label(name), options)
        color = lines[0].get_color()
        samples = [self._draw_samples(axis, counts, color) for counts in self.rankings]
        if len(self.curves) == 1:
            self._draw_points(axis, self.rankings[0], color)
            shade = self.definition.shade(self.rankings[0])
            if shade is not None:
                draw_shade(axis, *shade, color)
        axis.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.05))
        legend(axis)
        return lines, samples

    def _curve(self, counts: ThresholdCounts) -> tuple[Array, Array]:
        line = self.definition.line(counts)
        if line is None:
            raise ValueError(f"{self.definition!r} has no picture: its value is not an area.")
        return line

    def _draw_samples(self, axis: Any, counts: ThresholdCounts, color: Any) -> Any:
        """Mark the precisions at recall levels, if the definition has some."""
        samples = self.definition.samples(counts)
        if samples is None:
            return None
        return axis.plot(*samples, "D", color=color, ms=5, zorder=3, label="_")[0]

    def _draw_points(self, axis: Any, counts: ThresholdCounts, color: Any) -> None:
        """Draw operating points where they are few, and the steps where the line leaves them."""
        left = _area(self.curves[0]) != _area(steps(counts))
        faint = {"color": color, "alpha": 0.4 if left else 1.0, "linewidth": 1.0, "zorder": 1}
        if left:
            axis.plot(*steps(counts), **faint, label="_")
        if counts.thresholds.size <= FEW:
            recall = counts.tps / counts.n_positives
            axis.plot(recall, counts.precision, "o", ms=4, **faint, label="_")


def _area(line: tuple[Array, Array]) -> float:
    """The area under a line, which tells whether two lines differ."""
    return float(np.trapezoid(line[1], line[0]))
