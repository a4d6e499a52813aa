"""The numbers of many functions on one axis."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.drawing.axes import (
    REFERENCE_STYLE,
    axes_colors,
    axes_size,
    is_narrow,
    prepare_axes,
)
from sklearn_ap._base.text import first_and_more
from sklearn_ap._types import AnyResult, Axes, Float
from sklearn_ap.compat._evaluation import FunctionResult

FONT_SIZE = 10.0  # points, for names in a new figure
LINE_HEIGHT = 1.35  # in font sizes
GAP = 0.6  # below each group, in lines
LETTERS_BESIDE = 56  # in a line of names beside the axes
LETTERS_ABOVE = 48  # in a line of names in the axes, above their points


def plot_tools(comparison: AnyResult, ax: Axes | None, most_names: int | None) -> Axes:
    """Draw the numbers, lowest first, with names beside them, or above them in a narrow figure."""
    numbers = np.array([group[0].value for group in comparison.groups], dtype=float)
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order])]
    values = numbers[order]
    groups = [comparison.groups[i] for i in order]
    has_names_above = is_narrow(ax)
    n_letters = LETTERS_ABOVE if has_names_above else LETTERS_BESIDE
    labels = [_label_lines(group, most_names or len(group), n_letters) for group in groups]
    # Each group takes the lines of its label, perhaps one for its point, and a space below.
    n_lines = np.array([*map(len, labels)])
    bottoms = np.cumsum(n_lines + has_names_above + GAP)
    middles = bottoms - 0.5 if has_names_above else bottoms - n_lines / 2
    height = 1.2 + LINE_HEIGHT * FONT_SIZE / 72 * float(bottoms[-1])
    (axis,) = prepare_axes(ax, 1, figsize=(8.5, height))
    # If the user's axes are too low for the names, letters are smaller.
    available = (axes_size(axis)[1] - 70) / bottoms[-1] / LINE_HEIGHT
    font_size = float(np.clip(available, 4, FONT_SIZE))
    baseline = comparison.baseline
    axis.axvline(baseline, label=f"scikit-learn: {baseline:.3f}", linestyle="--", **REFERENCE_STYLE)
    axis.hlines(
        middles, np.minimum(values, baseline), np.maximum(values, baseline), color="0.6", lw=1
    )
    axis.plot(values, middles, "o", color=axes_colors(axis).models[0], markersize=5, label="_")
    _write_values(axis, values, middles, baseline, font_size)
    texts = ["\n".join(lines) for lines in labels]
    if has_names_above:
        axis.set_yticks(bottoms - 1 - n_lines / 2, texts, fontsize=font_size, ha="left")
        axis.tick_params(axis="y", pad=-4, length=0)
    else:
        axis.set_yticks(middles, texts, fontsize=font_size)
    axis.set(xlabel=_xlabel(comparison, groups), ylim=(bottoms[-1] + GAP, 0))
    axis.margins(x=0.2)
    axis.legend(loc="best")
    return axis


def _write_values(
    axis: Axes, values: Float, middles: Float, baseline: float, font_size: float
) -> None:
    """Write each number beside its point, on the side away from the baseline."""
    for value, middle in zip(values, middles, strict=True):
        offset, side = (6, "left") if value >= baseline else (-6, "right")
        axis.annotate(
            f"{value:.3f}",
            (value, middle),
            xytext=(offset, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=font_size,
        )


def _xlabel(comparison: AnyResult, groups: list[Sequence[FunctionResult]]) -> str:
    """Describe the numbers: the k of the functions, and how many functions give no number."""
    rows = [row for group in groups for row in group]
    ranks = sorted({row.k for row in rows if row.k is not None})
    rank_text = "".join(f", k={k} where one is needed" for k in ranks)
    n_missing = len(comparison.results) - len(rows)
    missing_text = f"\n{n_missing} functions give no number" if n_missing else ""
    return f"what the function gives{rank_text}{missing_text}"


def _label_lines(group: Sequence[FunctionResult], most_names: int, n_letters: int) -> list[str]:
    """Break the names of a group into lines; those beyond ``most_names`` are counted."""
    return textwrap.wrap(first_and_more([*map(_label, group)], most_names), n_letters)


def _label(row: FunctionResult) -> str:
    """Name a function with its note, without k, which is the same for all functions."""
    return f"{row.name} ({row.left_out_note})" if row.left_out else row.name
