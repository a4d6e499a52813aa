"""The picture of the part about thresholds: precision and recall, named beside their points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Artist, Axes, Color, Float
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, Size, axes_colors
from sklearn_ap._base.drawing.direct_labels import inner_size, sampled_points
from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place
from sklearn_ap._base.drawing.legend import LINE_HEIGHT, sample_in_words, text_width
from sklearn_ap._base.drawing.named_rows import limits_with_margin
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._threshold_choice import GUARANTEE, Lead, choose_lower_goal
from sklearn_ap._program.report._threshold_words import (
    precision_as_text,
    printed_threshold,
    selection_in_words,
)
from sklearn_ap._program.report._words import as_printed, decimal_places, number, percent, pictured
from sklearn_ap._program.report.pictures import Picture, caption, label_size, limit_ticks
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint
from sklearn_ap._questions.operating_points.picture import Curve, draw_shares, mark_shares
from sklearn_ap._questions.verdicts import Estimate

PICTURED_RECALLS = 0.1, 0.25, 0.5, 0.75, 0.9  # in the words for the picture
X_MARGIN = 0.04  # of the axis of thresholds
NEARLY_ALL = 0.99  # the recall at which the axis of thresholds ends
HEIGHT = 2.4  # inches
DASHED = REFERENCE_STYLE | {"linestyle": (0, (10, 6)), "linewidth": 0.6}
DOT_GAP = 5.0  # points between a dot and its text
TEXT_GAP = 8.0  # points between texts in one row
EDGE = 1.0  # points between a text and the edge of the axes
NEAR = 16.0  # points at most between a text and what it names
FAR = 28.0  # where it would cover a line otherwise
CLEARANCE = 2.0  # points around lines where no text stands
LEADER_WIDTH = 0.7  # points, of a line from a text to its dot
HALO = 2.5  # points of white around letters


def threshold_picture(data: Predictions, lead: Lead) -> Picture | None:
    """Draw precision and recall over thresholds, and the threshold of the heading.

    There is none if no row was retrieved.
    """
    curve = lead.point.curve
    if curve is None or not curve.recall.size:
        return None
    goal = choose_lower_goal(lead)
    second = None if goal is None else lead.thresholds.guaranteed[goal]
    points = [lead.point, *([] if second is None else [second])]
    draw = partial(
        _draw_threshold,
        point=lead.point,
        curve=curve,
        second=second,
        ends=_shown_thresholds(curve, points),
    )
    return Picture(
        draw,
        HEIGHT,
        _alternative_text(lead, curve, points),
        finding=_finding(data, lead),
        subject=_subject(data, lead, second),
    )


def _alternative_text(lead: Lead, curve: Curve, points: list[OperatingPoint]) -> str:
    """Describe the picture by both shares at some recalls, and at the thresholds of the page."""
    found = np.searchsorted(curve.recall, PICTURED_RECALLS)
    places = dict.fromkeys(np.minimum(found, curve.recall.size - 1).tolist())
    shares = [
        (curve.recall[i], f"{curve.threshold[i]:.3g}", number(curve.precision[i])) for i in places
    ]
    shares += [
        (point.recall, printed_threshold(point), precision_as_text(point))
        for point in points
        if not point.remark
    ]
    rows = [
        [f"{threshold}:", f"precision {precision}, recall {number(recall)}"]
        for recall, threshold, precision in sorted(shares, key=lambda share: share[0])
    ]
    title = f"Precision and recall of {lead.model} by threshold, for {lead.point.goal}"
    return pictured(title, rows)


def _finding(data: Predictions, lead: Lead) -> str:
    """Write "Scores of old from 2.1427: 22% of the selected rows are positive, and ..."."""
    point = lead.point
    name = lead.model
    if point.remark:
        claim = "is sure to have" if lead.is_sure else "has"
        return f"No threshold of {name} {claim} a precision of {lead.goal:g} or more"
    scores = "Scores" if data.is_single_model else f"Scores of {name}"
    # A share has the digits of its printed number: "0.06" is 6%, and not 5.5%.
    share = f"{100 * float(precision_as_text(point)):.10g}%"
    has_weights = "sample_weight" in data.options
    selected = "weight is" if has_weights else "rows are"
    positives = "that of the positives is" if has_weights else "the positives are"
    at = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    precision = f"{share} of the selected {selected} positive{at}"
    found = f"{percent(point.recall)} of {positives} found"
    return f"{scores} from {printed_threshold(point)}: {precision}, and {found}"


def _subject(data: Predictions, lead: Lead, second: OperatingPoint | None) -> str:
    """Say what is drawn, how sure it is, how many rows are selected, and what the lines are."""
    point = lead.point
    sample = sample_in_words(data.name_units(point))
    lines = _lines_in_words(lead, second)
    if point.remark:
        return " ".join([caption("Precision and recall by threshold", sample), *lines])
    precision, recall = _limits_in_words(data, point)
    drawn = f"Precision{precision} and recall{recall} by threshold"
    selected = f"{selection_in_words(data, lead.model, point)} selected"
    return " ".join([caption(drawn, selected, sample), *lines])


def _lines_in_words(lead: Lead, second: OperatingPoint | None) -> list[str]:
    """Say what the dotted and the dashed line are.

    The guarantee of a chosen model is not that of each model.
    """
    sentences = []
    if lead.goal is not None:
        is_sure = lead.is_sure and not lead.point.remark
        sure = f"at least {lead.goal:g} with {GUARANTEE:.0%} confidence"
        sentences.append(f"Dotted: {sure if is_sure else f'goal {lead.goal:g}'}.")
    if second is not None:
        shares = f"precision {precision_as_text(second)}, recall {number(second.recall)}"
        sentences.append(f"Dashed: threshold {printed_threshold(second)}, {shares}.")
    return sentences


def _limits_in_words(data: Predictions, point: OperatingPoint) -> tuple[str, str]:
    """Write " (95% interval 0.19 to 0.26)" and " (0.21 to 0.27)"; empty without intervals."""
    if np.isnan([*point.precision_interval, *point.recall_interval]).any():
        return "", ""
    precision = as_printed(Estimate(point.precision, *point.precision_interval))
    places = decimal_places(number(point.recall))
    recall = as_printed(Estimate(point.recall, *point.recall_interval), places)
    kind = data.interval_kind
    return f" ({kind} {precision.low} to {precision.high})", f" ({recall.low} to {recall.high})"


def _shown_thresholds(curve: Curve, points: list[OperatingPoint]) -> tuple[float, float]:
    """Return the ends of the axis: below them, nearly all positives are found, with low precision.

    Both thresholds of the page are in sight.
    """
    last = min(int(np.searchsorted(curve.recall, NEARLY_ALL)), curve.recall.size - 1)
    thresholds = [curve.threshold[0], curve.threshold[last], *(each.threshold for each in points)]
    ends = np.array(thresholds, dtype=float)
    return limits_with_margin(ends[np.isfinite(ends)], X_MARGIN)


def _draw_threshold(
    ax: Axes,
    point: OperatingPoint,
    curve: Curve,
    second: OperatingPoint | None,
    ends: tuple[float, float],
) -> None:
    """Draw precision and recall over the thresholds of a model, and both thresholds of the page."""
    draw_shares(point, curve, ax)
    if second is not None:
        ax.axvline(second.threshold, label="_", **DASHED)
        mark_shares(second, ax)
    ax.set_xlabel("threshold")
    ax.set_xlim(ends)
    limit_ticks(ax, "both")
    ax.set_ylabel("")
    _label_lines(ax, point, curve)


def _label_lines(ax: Axes, point: OperatingPoint, curve: Curve) -> None:
    """Write the values beside their dots, where they cover nothing."""
    size = inner_size(ax)
    texts = {"precision": precision_as_text(point), "recall": number(point.recall)}
    labels = []
    for (name, value), color in zip(texts.items(), axes_colors(ax).shares, strict=True):
        place = (point.threshold, getattr(point, name))
        text = f"{name} {value}"
        if point.remark:  # the name stands in the middle of the curve
            middle = curve.recall.size // 2
            place = (curve.threshold[middle], getattr(curve, name)[middle])
            text = name
        x, y = sampled_points(ax, np.array([place], dtype=float), size)[0].tolist()
        labels.append(_Label(text, color, _Target(x, y, x, y, DOT_GAP)))
    drawn = _Drawn.on(ax)
    labels.sort(key=lambda label: -label.target.top)
    heights = np.array([label.target.top for label in labels])
    halves = [None, None] if point.remark else _halves(heights, size)
    for label, half in zip(labels, halves, strict=True):
        drawn = _write_near(ax, label, drawn, half)


def _halves(heights: Float, size: Size) -> Sequence[Boxes | None]:
    """Return what the texts of a higher and a lower dot avoid, so that each is at its own dot.

    The first text stays above the middle between the dots, and the second below it. Dots with no
    room for a text between them have one above both, and one below both.
    """
    text_height = LINE_HEIGHT * label_size()
    is_apart = np.ptp(heights) >= text_height
    ends = np.full(2, heights.mean()) if is_apart else heights
    above, below = ends.clip(text_height + 2 * EDGE, size.height - text_height - 2 * EDGE)
    nothing = Boxes.around(np.empty((0, 2)), 0.0)
    return [
        nothing.append(0.0, -size.height, size.width, size.height + above),
        nothing.append(0.0, below, size.width, 2 * size.height),
    ]


class _Drawn(NamedTuple):
    """What texts do not lie on: curves and other texts, and rather not on thin lines."""

    lines: Boxes
    curves: Boxes
    texts: Boxes

    @classmethod
    def on(cls, ax: Axes) -> _Drawn:
        """Find the lines of the axes, of which those with two ends cross all of them."""
        boxes: dict[bool, list[Boxes]] = {True: [], False: []}
        for line in ax.lines:
            points = sampled_points(ax, _corners(ax, line), inner_size(ax))
            is_thin = line.get_transform() != ax.transData
            boxes[is_thin].append(Boxes.around(points, CLEARANCE))
        nothing = Boxes.around(np.empty((0, 2)), 0.0)
        return cls(Boxes.join([nothing, *boxes[True]]), Boxes.join(boxes[False]), nothing)

    @property
    def obstacles(self) -> tuple[tuple[Boxes, float], ...]:
        """What a text avoids within a distance, and what it still avoids where it has no room."""
        everything = Boxes.join(self)
        return (
            (everything, NEAR),
            (Boxes.join(self[1:]), NEAR),
            (everything, FAR),
            (self.texts, NEAR),
            (self.texts, FAR),
        )


def _corners(ax: Axes, line: Artist) -> Float:
    """Return the corners of a line as it is drawn, in coordinates of the axes."""
    points = np.asarray(line.get_xydata(), dtype=float)
    if line.get_drawstyle() == "steps-post":
        x, y = points.T
        points = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
    # A straight line across the axes has coordinates of its own.
    corners = ax.transData.inverted().transform(line.get_transform().transform(points))
    return np.asarray(corners, dtype=float)


class _Target(NamedTuple):
    """What a text stands beside: the ends of a point or a line in points, and the gap to it."""

    left: float
    bottom: float
    right: float
    top: float
    gap: float


class _Label(NamedTuple):
    """The text of a point, in the colour of its curve."""

    text: str
    color: Color
    target: _Target


def _write_near(ax: Axes, label: _Label, drawn: _Drawn, half: Boxes | None) -> _Drawn:
    """Write a text near its target, in one line or two, and add it to the others.

    It stays out of a half of the axes. Where it has no room beside lines, it lies on them, and its
    halo keeps its letters apart.
    """
    size = inner_size(ax)
    font_size = label_size()
    target = label.target
    variants = label.text, label.text.replace(" ", "\n")
    for (obstacles, farthest), text in product(drawn.obstacles, variants):
        extent = text_width(text, font_size), LINE_HEIGHT * font_size * (1 + text.count("\n"))
        avoided = obstacles if half is None else Boxes.join([obstacles, half])
        corner = nearest_free_place(target[:4], extent, target.gap, size, avoided, farthest)
        if corner is not None:
            _write(ax, text, label.color, corner, extent)
            if half is not None:
                _lead_to_dot(ax, label, corner, extent)
            left, bottom = corner
            box = left - TEXT_GAP, bottom, extent[0] + 2 * TEXT_GAP, extent[1]
            return drawn._replace(texts=drawn.texts.append(*box))
    return drawn


def _lead_to_dot(
    ax: Axes, label: _Label, corner: tuple[float, float], extent: tuple[float, float]
) -> None:
    """Draw a thin line from a text to its dot, unless it stands just beside it."""
    dot = np.array([label.target.left, label.target.bottom])
    end = np.clip(dot, corner, np.add(corner, extent))
    if np.hypot(*(end - dot)) > 2 * label.target.gap:
        line = np.array([dot, end]) / inner_size(ax)
        style = {"color": label.color, "linewidth": LEADER_WIDTH, "zorder": 2.5, "label": "_"}
        ax.plot(*line.T, transform=ax.transAxes, **style)


def _write(
    ax: Axes, text: str, color: Color, corner: tuple[float, float], extent: tuple[float, float]
) -> None:
    """Write a text with a halo, which stays in place if the axes come out larger."""
    from matplotlib.patheffects import withStroke

    middle = np.add(corner, np.divide(extent, 2))
    written = ax.annotate(
        text,
        middle / inner_size(ax),
        xycoords="axes fraction",
        ha="center",
        va="center",
        color=color,
        fontsize=label_size(),
        linespacing=1.1,
        path_effects=[withStroke(linewidth=HALO, foreground="white")],
    )
    written.set_parse_math(False)
