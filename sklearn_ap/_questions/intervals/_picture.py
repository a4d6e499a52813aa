"""Pictures of comparisons."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.drawing.axes import (
    REFERENCE_STYLE,
    are_stacked,
    axes_size,
    ensure_layout,
    prepare_axes,
)
from sklearn_ap._base.drawing.legend import (
    add_sample_size,
    score_in_words,
    shorten_name,
    size_in_points,
)
from sklearn_ap._base.drawing.named_rows import (
    MOST_ROWS,
    draw_limits,
    select_extreme_rows,
)
from sklearn_ap._base.drawing.named_rows import fit_names as names_beside
from sklearn_ap._base.text import interval_head, pvalue_in_words
from sklearn_ap._questions.verdicts import printed_values
from sklearn_ap._types import AnyResult, Array, Axes, Index

LARGEST = "with the largest differences"


class DrawnRows(NamedTuple):
    """The rows of a picture: models, or models and rankings."""

    models: Index  # index of the model of each row
    rankings: Index | None  # index of the ranking of each row; None if each model has one score
    left_out: str  # a remark on the rows that are not drawn

    def numbers(self, values: Array) -> Array:
        """Select the numbers of these rows."""
        if self.rankings is None:
            return np.asarray(values[self.models])
        return np.asarray(values[self.models, self.rankings])


def plot_comparison(result: AnyResult, ax: Axes) -> Array:
    """Draw one row for each model, or each model and ranking: its score, and its difference."""
    drawn = _choose_rows(result)
    n_rows = drawn.models.size
    left, right = prepare_axes(ax, 2, figsize=(8.0, 1.4 + 0.42 * n_rows))
    ensure_layout(left)
    _draw_scores(result, drawn, left, is_margin_free=are_stacked(left, right))
    _draw_differences(result, drawn, right)
    _label_rows(result, drawn, left, right)
    level = interval_head(result.confidence_level)
    for axis, title in ((left, "score"), (right, "difference")):
        axis.set_title(f"{title}, {level}", fontsize="medium")
        axis.locator_params(axis="x", nbins=5)
        axis.set_ylim(n_rows - 0.5, -0.65)
        axis.tick_params(axis="y", length=0)
    left.set_xlabel(
        add_sample_size(score_in_words(result), result, drawn.left_out), parse_math=False
    )
    return np.array([left, right])


def _choose_rows(result: AnyResult) -> DrawnRows:
    """Choose models and rankings; if very many, those with the largest differences."""
    distances = np.nan_to_num(np.abs(result.differences))
    n_models = len(result.names)
    if distances.ndim > 1:
        most = max(1, MOST_ROWS // n_models)
        rankings, left_out = select_extreme_rows(distances.max(axis=0), LARGEST, most)
        # Rankings 0 and 3 of two models -> models 0, 1, 0, 1 and rankings 0, 0, 3, 3
        models = np.tile(np.arange(n_models), rankings.size)
        return DrawnRows(models, np.repeat(rankings, n_models), left_out)
    distances[result.names.index(result.reference)] = np.inf
    models, left_out = select_extreme_rows(distances, LARGEST)
    return DrawnRows(models, None, left_out)


def _draw_scores(result: AnyResult, drawn: DrawnRows, axis: Axes, *, is_margin_free: bool) -> None:
    """Draw scores, and print them in the margin, or above the points if it has no room."""
    estimates = drawn.numbers(result.estimates)
    lows = drawn.numbers(result.lows)
    highs = drawn.numbers(result.highs)
    draw_limits(axis, estimates, lows, highs)
    texts = printed_values(estimates, lows, highs)
    for row, (estimate, text) in enumerate(zip(estimates, texts, strict=True)):
        if is_margin_free:
            _write_beside(axis, row, text)
            continue
        axis.annotate(
            text,
            (estimate, row),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )


def _draw_differences(result: AnyResult, drawn: DrawnRows, axis: Axes) -> None:
    names = np.array([result.names[model] for model in drawn.models])
    other_rows = np.flatnonzero(names != result.reference)
    pvalues = drawn.numbers(result.adjusted_pvalues)[other_rows]
    axis.axvline(0, **REFERENCE_STYLE)
    draw_limits(
        axis,
        drawn.numbers(result.differences)[other_rows],
        drawn.numbers(result.difference_lows)[other_rows],
        drawn.numbers(result.difference_highs)[other_rows],
        pvalues < 1 - result.confidence_level,
        other_rows,
    )
    ends = np.array(axis.get_xlim())
    margin = 0.05 * np.ptp(ends)  # so that 0 is always visible
    axis.set_xlim(min(ends[0], -margin), max(ends[1], margin))


def _label_rows(result: AnyResult, drawn: DrawnRows, left: Axes, right: Axes) -> None:
    """Put names on the left, and differences and p-values in the margin of the right panel.

    The panel stands below the other one in a narrow figure, and then has the names, too.
    """
    rows = range(drawn.models.size)
    model_names = [result.names[model] for model in drawn.models]
    row_names = model_names
    if drawn.rankings is not None:
        rankings = result.rankings or range(result.differences.shape[-1])
        pairs = zip(model_names, drawn.rankings, strict=True)
        row_names = [f"{name}, {rankings[ranking]}" for name, ranking in pairs]
    left.set_yticks(rows, names_beside(left, row_names, n_lines=2), parse_math=False)
    differences = printed_values(
        drawn.numbers(result.differences),
        drawn.numbers(result.difference_lows),
        drawn.numbers(result.difference_highs),
        sign="+",
    )
    pvalues = drawn.numbers(result.adjusted_pvalues)
    texts = [
        "reference" if name == result.reference else f"{difference}\n{pvalue_in_words(pvalue)}"
        for name, difference, pvalue in zip(model_names, differences, pvalues, strict=True)
    ]
    if are_stacked(left, right):
        right.set_yticks(rows, names_beside(right, row_names, n_lines=2), parse_math=False)
        for row, text in enumerate(texts):
            _write_beside(right, row, text)
    else:
        right.yaxis.tick_right()
        right.set_yticks(rows, texts, fontsize="small")
    right.set_xlabel(_differences_in_words(result, right), parse_math=False)


def _write_beside(axis: Axes, row: int, text: str) -> None:
    """Write a text in the margin on the right of a row."""
    axis.text(1.02, row, text, transform=axis.get_yaxis_transform(), va="center", fontsize="small")


def _differences_in_words(result: AnyResult, axis: Axes) -> str:
    """Say which model is subtracted from which, or from all others, in two lines if it is long."""
    shown = [name.replace("\n", " ") for name in names_beside(axis, result.names, n_lines=2)]
    reference = shown.pop(result.names.index(result.reference))
    if len(shown) > 1:
        return f"difference from {reference}"
    text = f"{shown[0]} minus {reference}"
    room = 0.8 * axes_size(axis).width
    is_too_wide = shorten_name(text, room, size_in_points("legend.fontsize")) != text
    return f"{shown[0]}\nminus {reference}" if is_too_wide else text
