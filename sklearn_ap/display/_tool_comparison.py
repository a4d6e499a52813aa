"""All tools' numbers for the same predictions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs import entrance
from sklearn_ap.compat import Comparison, compare
from sklearn_ap.compat._comparison import MOST_NAMES
from sklearn_ap.compat._evaluation import FunctionResult
from sklearn_ap.display._axes import REFERENCE_STYLE, axes_for, colors_on, room_of
from sklearn_ap.display._legend import draw_legend

LETTERS = 10.0  # points: the size of names in a new figure
LINE_HEIGHT = 1.35  # in letters


class ToolComparisonDisplay:
    """All tools' numbers for one set of predictions, on one axis.

    Parameters
    ----------
    comparison : Comparison
        What ``compat.compare`` returns.

    Attributes
    ----------
    points_ : matplotlib Line2D
        A point for each different number.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    compat.compare : The numbers as a table.

    Examples
    --------
    >>> from sklearn_ap import ToolComparisonDisplay
    >>> tools = ["ROCR", "xgboost.map@k", "ranx.map@k"]
    >>> display = ToolComparisonDisplay.from_predictions(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1], tools=tools, k=1
    ... )
    >>> display
    ToolComparisonDisplay(4 functions)
    >>> [round(float(end), 3) for end in display.ax_.dataLim.intervalx]
    [0.5, 1.0]
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @classmethod
    @entrance(groups="queries")
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        tools: Iterable[str] | None = None,
        k: int = 10,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        pos_label: Any = None,
        ax: Any = None,
        all_names: bool = False,
    ) -> Self:
        """Compare all tools on labels and scores, and draw their numbers.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
            Binary labels. Each column of several is a query, without its unknown labels, which are
            nan.
        y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores.
        tools : iterable of str or "all", default=None
            Names of tools or functions; None for all.
        k : int, default=10
            How many ranks count, for the functions that need k.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; functions that take none are left out.
        queries : array-like of shape (n_samples,), default=None
            The query of each row.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the names need.
        all_names : bool, default=False
            Whether to name all functions with one number, rather than three of them.

        Returns
        -------
        ToolComparisonDisplay
            With the picture drawn.
        """
        comparison = compare(
            y_true,
            y_score,
            tools=tools,
            k=k,
            sample_weight=sample_weight,
            queries=queries,
            pos_label=pos_label,
        )
        return cls(comparison).plot(ax, all_names=all_names)

    def plot(self, ax: Any = None, *, all_names: bool = False) -> Self:
        """Draw the numbers, lowest first.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the names need.
        all_names : bool, default=False
            Whether to name all functions with one number, rather than three of them.

        Returns
        -------
        ToolComparisonDisplay
            This one.
        """
        values = np.array([group[0].value for group in self.comparison.groups], dtype=float)
        known = np.flatnonzero(~np.isnan(values))
        own = self.comparison.baseline
        known = known[np.argsort(values[known], kind="stable")]
        values, groups = values[known], [self.comparison.groups[i] for i in known]
        names = [_names(group, len(group) if all_names else MOST_NAMES) for group in groups]
        ends = np.cumsum([len(lines) + 0.6 for lines in names])
        middles = ends - np.array([len(lines) / 2 for lines in names])
        height = 1.2 + LINE_HEIGHT * LETTERS / 72 * float(ends[-1])
        (axis,) = axes_for(ax, 1, figsize=(8.5, height))
        # Smaller letters where axes that were given are too low for the names.
        letters = float(np.clip((room_of(axis)[1] - 70) / ends[-1] / LINE_HEIGHT, 4, LETTERS))
        axis.axvline(own, label=f"scikit-learn: {own:.3f}", linestyle="--", **REFERENCE_STYLE)
        axis.hlines(middles, np.minimum(values, own), np.maximum(values, own), color="0.6", lw=1)
        style = {"color": colors_on(axis).models[0], "markersize": 5, "label": "_"}
        (self.points_,) = axis.plot(values, middles, "o", **style)
        for value, middle in zip(values, middles, strict=True):
            offset, side = (6, "left") if value >= own else (-6, "right")
            beside = {"xytext": (offset, 0), "textcoords": "offset points", "ha": side}
            axis.annotate(f"{value:.3f}", (value, middle), **beside, va="center", fontsize=letters)
        axis.set_yticks(middles, ["\n".join(lines) for lines in names], fontsize=letters)
        axis.set(xlabel=self._xlabel(groups), ylim=(ends[-1] + 0.6, 0))
        axis.margins(x=0.2)
        draw_legend(axis)
        self.ax_, self.figure_ = axis, axis.figure
        return self

    def _xlabel(self, groups: list[tuple[FunctionResult, ...]]) -> str:
        """What the numbers are, what functions were told, and how many give no number."""
        rows = [row for group in groups for row in group]
        told = sorted({row.k for row in rows if row.k is not None})
        given = "".join(f", k={k} where one is needed" for k in told)
        n_without = len(self.comparison.results) - len(rows)
        without = f"\n{n_without} functions give no number" if n_without else ""
        return f"what the function gives{given}{without}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.comparison.results)} functions)"


def _names(group: tuple[FunctionResult, ...], most: int) -> list[str]:
    """The names of a group in lines, up to the most, and how many there are beyond."""
    names = ", ".join(map(_named, group[:most]))
    more = f" and {len(group) - most} more" if len(group) > most else ""
    return textwrap.wrap(names + more, 56)


def _named(row: FunctionResult) -> str:
    """The name, and what else there is to say but k, which is the same for all that need one."""
    return f"{row.name} ({row.left_out_note})" if row.left_out else row.name
