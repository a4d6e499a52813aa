"""All models as points with limits, those that may be the best in colour."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._results.text import interval_head
from sklearn_ap._uncertainty import Scores
from sklearn_ap.best_of_many import BestAveragePrecision, best_average_precision
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.display._axes import axes_for, ensure_layout
from sklearn_ap.display._legend import in_words
from sklearn_ap.display._model_comparison import draw_intervals, short_names

MOST_NAMES = 40  # beside the axes


class BestModelDisplay:
    """Scores of many models on the same cases, and which of them may be the best.

    One row per model, the highest score first: its score with its limits, in colour if it may be
    the best. Up to 40 models are named.

    Parameters
    ----------
    best : BestAveragePrecision
        What ``best_average_precision`` returns.
    title : str, default="average precision"
        The label of the axis of the scores.

    Attributes
    ----------
    points_ : matplotlib Line2D
        The scores.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    best_average_precision : The numbers as a table.
    ModelComparisonDisplay : Differences from a reference that was chosen beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import BestModelDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 100
    >>> good = y_true + rng.normal(size=500)
    >>> scores = {"good": good, "noisy": good + rng.normal(size=500)}
    >>> BestModelDisplay.from_predictions(y_true, scores)
    BestModelDisplay(2 models, may_be_best=('good',))
    """

    def __init__(self, best: BestAveragePrecision, *, title: str = "average precision") -> None:
        self.best = best
        self.title = title

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_scores: Scores,
        *,
        definition: Definition = Step(),
        confidence_level: float = 0.95,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Find the best of several models by their scores of the same rows, and draw them all.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
            Binary labels, multilabel indicators, or class labels. For class labels, ``y_score`` has
            one column per class. Multilabel indicators that are unknown are nan, and left out.
        y_scores : mapping of str to array-like, or DataFrame
            The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
            columns of a DataFrame (pandas, polars). Minus infinity says that the model did not
            retrieve the row. Models may miss different rows.
        definition : Definition, default=Step()
            From ``sklearn_ap.definitions``, such as ``AtK(20)``.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``best_average_precision``, such as ``queries``.

        Returns
        -------
        BestModelDisplay
            With the picture drawn.
        """
        best = best_average_precision(
            y_true,
            y_scores,
            definition=definition,
            confidence_level=confidence_level,
            **options,
        )
        title = at_prevalence(definition, options.get("prevalence")).title
        return cls(best, title=title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw one row per model.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the models need.

        Returns
        -------
        BestModelDisplay
            This one.
        """
        best = self.best
        rows = np.arange(len(best.names))
        (axis,) = axes_for(ax, 1, figsize=(6.4, 1.4 + 0.26 * min(rows.size, MOST_NAMES)))
        ensure_layout(axis)
        in_color = np.isin(best.names, best.may_be_best)
        self.points_ = draw_intervals(axis, rows, best.estimates, best.lows, best.highs, in_color)
        axis.set_ylim(rows.size - 0.5, -0.5)
        axis.tick_params(axis="y", length=0)
        named = rows if rows.size <= MOST_NAMES else rows[:0]
        names = short_names(axis, best.names[: named.size])
        axis.set_yticks(named, names, parse_math=False)
        level = interval_head(best.confidence_level)
        words = f"{in_words(self.title)}, {level} that holds for the best"
        axis.set_xlabel(words, parse_math=False)
        n_best = len(best.may_be_best)
        title = f"{n_best} of {rows.size} models may be the best: those in colour"
        axis.set_title(title, fontsize="medium")
        self.ax_, self.figure_ = axis, axis.figure
        return self

    def __repr__(self) -> str:
        n_models, may_be_best = len(self.best.names), self.best.may_be_best
        return f"{type(self).__name__}({n_models} models, may_be_best={may_be_best!r})"
