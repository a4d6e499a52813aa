"""Models on the same cases: the score of each, and its difference from a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._inputs import predict
from sklearn_ap._results.text import interval_head
from sklearn_ap._uncertainty import Scores
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.display._axes import REFERENCE_STYLE, axes_for, colors_on, ensure_layout
from sklearn_ap.display._legend import in_words, shortened, size_in_points
from sklearn_ap.intervals import AveragePrecisionComparison, compare_average_precision

Array = NDArray[np.float64]


class ModelComparisonDisplay:
    """Scores of several models on the same cases, and their differences from a reference.

    One row per model: its score with an interval on the left, and its score minus that of the
    reference with an interval on the right. A difference is coloured if its interval does not
    contain 0.

    Parameters
    ----------
    comparison : AveragePrecisionComparison
        What ``compare_average_precision`` returns, with one number per model.
    title : str, default="average precision"
        The label of the axis of the scores.

    Attributes
    ----------
    points_ : matplotlib Line2D
        The scores.
    differences_ : matplotlib Line2D
        The differences from the reference, which has none.
    ax_ : ndarray of two Axes
        Scores, and differences.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    compare_average_precision : The numbers as a table.
    AveragePrecisionDisplay : The curves.

    Notes
    -----
    Decide by the right panel. The models are scored on the same cases, so their scores go up and
    down together, and two intervals on the left may overlap although the difference is clear. The
    p-values are adjusted for the number of models, and the intervals are not.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import ModelComparisonDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 100
    >>> good = y_true + rng.normal(size=500)
    >>> scores = {"good": good, "noisy": good + rng.normal(size=500)}
    >>> ModelComparisonDisplay.from_predictions(y_true, scores)
    ModelComparisonDisplay(2 models, reference='good')
    """

    def __init__(
        self, comparison: AveragePrecisionComparison, *, title: str = "average precision"
    ) -> None:
        self.comparison = comparison
        self.title = title

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_scores: Scores,
        *,
        reference: str | None = None,
        definition: Definition = Step(),
        confidence_level: float = 0.95,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare models by their scores of the same rows, and draw the comparison.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
            Binary labels, multilabel indicators, or class labels. For class labels, ``y_score`` has
            one column per class. Multilabel indicators that are unknown are nan, and left out.
        y_scores : mapping of str to array-like, or DataFrame
            The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
            columns of a DataFrame (pandas, polars). Minus infinity says that the model did not
            retrieve the row. Models may miss different rows.
        reference : str, default=None
            The name of the model that the others are compared with. None takes the first. Choose it
            before you see the scores.
        definition : Definition, default=Step()
            From ``sklearn_ap.definitions``, such as ``AtK(20)``.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``compare_average_precision``, such as ``queries``.

        Returns
        -------
        ModelComparisonDisplay
            With the picture drawn.
        """
        comparison = compare_average_precision(
            y_true,
            y_scores,
            reference=reference,
            definition=definition,
            confidence_level=confidence_level,
            **options,
        )
        title = at_prevalence(definition, options.get("prevalence")).title
        return cls(comparison, title=title).plot(ax)

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        reference: str | None = None,
        definition: Definition = Step(),
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare fitted estimators on the same rows, and draw the comparison.

        Parameters
        ----------
        estimators : mapping of str to estimator
            For each name, a fitted estimator.
        X : array-like of shape (n_samples, n_features)
            The rows to rank, which were not used to fit or to choose any of the estimators.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        reference : str, default=None
            The name of the model that the others are compared with. None takes the first. Choose it
            before you see the scores.
        definition : Definition, default=Step()
            From ``sklearn_ap.definitions``, such as ``AtK(20)``.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``compare_average_precision``, such as ``confidence_level``.

        Returns
        -------
        ModelComparisonDisplay
            With the picture drawn.
        """
        if not isinstance(estimators, Mapping) or not estimators:
            raise TypeError(
                f"estimators must map names to fitted estimators, as {{'A': model}}, got "
                f"{estimators!r}."
            )
        seen: dict[str, Any] = {}
        labels = options.pop("labels", None)
        for name, model in estimators.items():
            seen[name] = predict(model, X, y, pos_label, labels=labels)
            labels = seen[name].get("labels", labels)
        first = next(iter(seen.values()))
        return cls.from_predictions(
            first["y_true"],
            {name: given["y_score"] for name, given in seen.items()},
            reference=reference,
            definition=definition,
            pos_label=1 if first["pos_label"] is None else first["pos_label"],
            ax=ax,
            labels=labels,
            **options,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw one row per model.

        Parameters
        ----------
        ax : array of two matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the models need.

        Returns
        -------
        ModelComparisonDisplay
            This one.
        """
        found = self.comparison
        if np.ndim(found.estimates) > 1:
            raise ValueError(
                "This comparison has several rankings per model, as average=None gives them: "
                "compare with another average, or each ranking alone."
            )
        rows = np.arange(len(found.names))
        left, right = axes_for(ax, 2, figsize=(8.0, 1.2 + 0.42 * rows.size))
        ensure_layout(left)
        in_color = np.ones(rows.size, bool)
        self.points_ = draw_intervals(
            left, rows, found.estimates, found.lows, found.highs, in_color
        )
        for row, value in zip(rows, found.estimates, strict=True):
            above = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
            left.annotate(f"{value:.3f}", (value, row), **above, fontsize="small")
        others = np.flatnonzero(np.array(found.names) != found.reference)
        lows, highs = found.difference_lows[others], found.difference_highs[others]
        right.axvline(0, **REFERENCE_STYLE)
        differences, in_color = found.differences[others], (lows > 0) | (highs < 0)
        self.differences_ = draw_intervals(right, others, differences, lows, highs, in_color)
        ends = np.array(right.get_xlim())
        margin = 0.05 * np.ptp(ends)  # 0 is always seen
        right.set_xlim(min(ends[0], -margin), max(ends[1], margin))
        self._label_axes(left, right)
        self.ax_, self.figure_ = np.array([left, right]), left.figure
        return self

    def _label_axes(self, left: Any, right: Any) -> None:
        """Names on the left; differences and p-values on the right, where they cover nothing."""
        found = self.comparison
        rows, reference = range(len(found.names)), found.names.index(found.reference)
        names = short_names(left, found.names)
        left.set_yticks(rows, names, parse_math=False)
        differences = [f"{difference:+.3f}" for difference in found.differences]
        p_values = ["p < 0.001" if p < 0.001 else f"p = {p:.3f}" for p in found.adjusted_pvalues]
        words = [f"{one}\n{p_value}" for one, p_value in zip(differences, p_values, strict=True)]
        words[reference] = "reference"
        right.yaxis.tick_right()
        right.set_yticks(rows, words, fontsize="small")
        left.set_xlabel(in_words(self.title), parse_math=False)
        right.set_xlabel(f"minus {names[reference]}", parse_math=False)
        level = interval_head(found.confidence_level)
        for axis, title in ((left, "score"), (right, "difference")):
            axis.set_title(f"{title}, {level}", fontsize="medium")
            axis.locator_params(axis="x", nbins=5)
            axis.set_ylim(len(rows) - 0.5, -0.65)
            axis.tick_params(axis="y", length=0)

    def __repr__(self) -> str:
        found = self.comparison
        return f"{type(self).__name__}({len(found.names)} models, reference={found.reference!r})"


def short_names(axis: Any, names: Sequence[str]) -> list[str]:
    """Names beside the axes, none of them wider than three tenths of the figure."""
    room = 0.3 * 72 * axis.figure.bbox.width / axis.figure.dpi
    return [shortened(name, room, size_in_points("legend.fontsize")) for name in names]


def draw_intervals(
    axis: Any, rows: Any, values: Array, lows: Array, highs: Array, in_color: Any
) -> Any:
    """Draw values with their intervals, in colour or grey; give the values."""
    seen = colors_on(axis)
    colors = [seen.models[0] if one else seen.grey for one in in_color]
    axis.hlines(rows, lows, highs, color=colors, linewidth=2.5)
    axis.scatter(values, rows, s=36, c=colors, zorder=3)
    (points,) = axis.plot(values, rows, " ")
    # One-sided intervals are open: they run out of the axes.
    ends = np.concatenate((values, *(side[np.abs(side) < 1] for side in (lows, highs))))
    margin = 0.12 * np.ptp(ends) or 0.1
    axis.set_xlim(ends.min() - margin, ends.max() + margin)
    return points
