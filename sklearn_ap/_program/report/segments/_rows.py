"""The picture of segments as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Axes, Color, Float
from sklearn_ap._base.drawing.heights import LINE_HEIGHT as NAME_LINE
from sklearn_ap._base.drawing.label_places import spread
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, shorten_name, size_in_points, text_width
from sklearn_ap._base.drawing.named_rows import fit_names
from sklearn_ap._base.extras import printable
from sklearn_ap._program.report.page.pictures import POINTS_PER_INCH, ROW_INCHES, label_size
from sklearn_ap._program.report.segments._drawing import (
    PAD,
    Frame,
    Scale,
    SegmentNumbers,
    draw_models,
    figure_size,
    label_scores,
    model_color,
)

BEYOND = 0.5  # rows above the first point and below the last one
PAIR_LINE = 1.15  # between these scores, in font sizes
PAIR_INCHES = 0.34  # the height of a row with the scores of two models
GAP = 8  # points between labels of one line


class TopLabel(NamedTuple):
    """A label above the axes, at a score."""

    text: str
    score: float
    color: Color


def draw_rows(axis: Axes, numbers: SegmentNumbers) -> None:
    """Draw a row for each segment, with the names of models above the first one."""
    places = np.arange(len(numbers.names), dtype=np.float64)
    margin = BEYOND + max(numbers.shifts)
    names = fit_names(axis, numbers.names, n_lines=2)
    limits = numbers.limits
    lines = _top_lines(axis, numbers)
    label_scores(axis, "x", numbers.ticks)
    frame = _frame(axis, numbers, names, margin, n_top_lines=len(lines))
    frame.place(axis)
    axis.set_xlim(*limits)
    axis.set_ylim(places[-1] + margin, -margin)
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    size = size_in_points("legend.fontsize")
    axis.set_yticks(places, names, parse_math=False, fontsize=size)
    draw_models(axis, numbers, places, 1.0, "x")
    _write_remarks(axis, numbers)
    along = Scale(*limits, frame.width)
    for i, labels in enumerate(lines):
        _write_line(axis, labels, along, frame, (0.5 + i) * LINE_HEIGHT * label_size())


def _top_lines(axis: Axes, numbers: SegmentNumbers) -> list[list[TopLabel]]:
    """Return the names of models, which stand next to the first row, and those of lines."""
    width, _ = figure_size(axis)
    size = label_size()
    named = [model for model in numbers.models if model.name]
    room = width / max(1, len(named)) - 2 * GAP
    models = [
        TopLabel(
            shorten_name(printable(model.name), room, size),
            float(model.scores[0]),
            model_color(axis, model),
        )
        for model in named
    ]
    return [models] if models else []


def _frame(
    axis: Axes, numbers: SegmentNumbers, names: Sequence[str], margin: float, n_top_lines: int
) -> Frame:
    """Make the figure as high as its rows and labels need, and leave room for the latter."""
    width, _ = figure_size(axis)
    size = size_in_points("legend.fontsize")
    left = PAD + max(text_width(name, size) for name in names)
    remarks = [*numbers.remarks, *numbers.other_remarks]
    right = PAD + 2 + max(text_width(remark, label_size()) for remark in remarks)
    row = PAIR_INCHES if numbers.other_remarks else ROW_INCHES
    row += NAME_LINE * max(name.count("\n") for name in names)
    height = POINTS_PER_INCH * row * (len(names) - 1 + 2 * margin)
    bottom = PAD + LINE_HEIGHT * axis.xaxis.get_ticklabels()[0].get_size()
    top = LINE_HEIGHT * label_size() * n_top_lines + 1
    axis.figure.set_size_inches(width / POINTS_PER_INCH, (bottom + height + top) / POINTS_PER_INCH)
    return Frame(left, bottom, width - left - right, height)


def _write_remarks(axis: Axes, numbers: SegmentNumbers) -> None:
    """Write the words beside rows, in the colours of the models whose scores they are."""
    half = PAIR_LINE * label_size() / 2 if numbers.other_remarks else 0.0
    for remarks, model, shift in zip(
        (numbers.remarks, numbers.other_remarks), numbers.models, (half, -half), strict=False
    ):
        for row, remark in enumerate(remarks):
            axis.annotate(
                remark,
                (1, row),
                xytext=(PAD, shift),
                xycoords=axis.get_yaxis_transform(),
                textcoords="offset points",
                va="center",
                color=model_color(axis, model) if len(numbers.models) > 1 else "black",
                fontsize=label_size(),
            )


def _write_line(
    axis: Axes, labels: Sequence[TopLabel], along: Scale, frame: Frame, height: float
) -> None:
    """Write labels above the axes, as near to their scores as they do not overlap."""
    size = label_size()
    widths = np.array([text_width(label.text, size) + GAP for label in labels])
    scores: Float = np.array([label.score for label in labels])
    figure_width, _ = figure_size(axis)
    places = spread(
        along.points(scores), widths, np.ones_like(widths), -frame.left, figure_width - frame.left
    )
    for label, place in zip(labels, places, strict=True):
        text = axis.annotate(
            label.text,
            (0, 1),
            xytext=(place, height),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            va="center",
            color=label.color,
            fontsize=size,
        )
        text.set_parse_math(False)
