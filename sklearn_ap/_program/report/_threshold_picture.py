"""The picture of the part about thresholds: precision and recall, named beside their points."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import norm

from sklearn_ap._base.common.types import Array, Axes, Color
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors
from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._base.drawing.named_rows import limits_with_margin
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._program.report._near_labels import write_near
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._threshold_choice import GUARANTEE, Lead, choose_lower_goal
from sklearn_ap._program.report._threshold_words import (
    precision_as_text,
    printed_threshold,
    selection_in_words,
)
from sklearn_ap._program.report._words import as_printed, decimal_places, number, percent, pictured
from sklearn_ap._program.report.pictures import (
    HIGHEST_CAP,
    WHOLE_AXIS,
    Picture,
    caption,
    limit_ticks,
    round_up,
)
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint
from sklearn_ap._questions.operating_points.picture import (
    DRAWN,
    GOAL_STYLE,
    THRESHOLD_STYLE,
    Curve,
    draw_share,
    mark_share,
)
from sklearn_ap._questions.verdicts import Estimate

PICTURED_RECALLS = 0.1, 0.25, 0.5, 0.75, 0.9  # in the words for the picture
X_MARGIN = 0.04  # of the axis of thresholds
NEARLY_ALL = 0.99  # the recall at which the axis of thresholds ends
HEIGHT = 2.4  # inches
FEWEST_FOUND = 10  # positives where the line of precision begins: a choice
DASHED = REFERENCE_STYLE | {"linestyle": (0, (10, 6)), "linewidth": 0.6}


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
        goal=lead.goal,
        ends=_shown_thresholds(curve, points),
        first=_first_steady(data, lead.point, curve),
        place=None if data.is_single_model else [*data.values].index(lead.model),
        band=_band(data, curve),
    )
    return Picture(
        draw,
        HEIGHT,
        _alternative_text(lead, curve, points),
        n_axes=2,
        finding=_finding(data, lead),
        subject=_subject(data, lead, second, curve),
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


def _subject(data: Predictions, lead: Lead, second: OperatingPoint | None, curve: Curve) -> str:
    """Say what is drawn, how sure it is, how many rows are selected, and what the lines are."""
    point = lead.point
    sample = sample_in_words(data.name_units(point))
    lines = _lines_in_words(lead, second)
    if _band(data, curve) is not None:
        lines.append(f"Shade: {data.interval_kind} at each threshold.")
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
    axes: Array,
    point: OperatingPoint,
    curve: Curve,
    second: OperatingPoint | None,
    goal: float | None,
    ends: tuple[float, float],
    first: int,
    band: Array | None,
    place: int | None,
) -> None:
    """Draw precision above recall over thresholds, and both thresholds of the page."""
    # From the highest threshold on, the precision of a few rows jumps.
    names = "threshold", *DRAWN
    steady = curve._replace(**{name: getattr(curve, name)[first:] for name in names})
    colors = axes_colors(axes[0])
    color = colors.ink if place is None else colors.models[place % len(colors.models)]
    for name, ax, each in zip(DRAWN, axes, (steady, curve), strict=True):
        draw_share(each, name, ax, color=color, linestyle="-", label="_")
        if not point.remark:
            ax.axvline(point.threshold, **THRESHOLD_STYLE, label="_")
            mark_share(point, name, ax, color)
        if second is not None:
            ax.axvline(second.threshold, label="_", **DASHED)
            mark_share(second, name, ax, color)
        ax.set_xlim(ends)
        limit_ticks(ax, "both")
    upper, lower = axes
    if band is not None:
        style = {"step": "post", "color": color, "alpha": 0.15, "linewidth": 0}
        upper.fill_between(steady.threshold, *band[:, first:], **style)
    if goal is not None:
        upper.axhline(goal, label="_", **GOAL_STYLE)
    drawn = steady.precision if band is None else band[1, first:]
    highest = round_up(max(drawn.max(), goal or 0.0))
    for ax, end in ((upper, highest if highest <= HIGHEST_CAP else 1.0), (lower, 1.0)):
        ax.set_ylim(0, WHOLE_AXIS * end)
    upper.set_xticklabels([])
    lower.set_xlabel("threshold")
    for name, ax, value, each in zip(DRAWN, axes, _values(point), (steady, curve), strict=True):
        _label_line(ax, point, each, (name, value), color)


def _values(point: OperatingPoint) -> tuple[str, str]:
    return precision_as_text(point), number(point.recall)


def _band(data: Predictions, curve: Curve) -> Array | None:
    """Return Wilson's interval of the precision at each threshold; None if rows are not alike."""
    if not {"clusters", "sample_weight", "prevalence"}.isdisjoint(data.options):
        return None
    found = curve.recall * data.y_true.sum()
    selected = found / np.where(curve.precision > 0, curve.precision, np.nan)
    z = norm.isf((1 - data.level) / 2)
    scale = 1 + z**2 / selected
    middle = (curve.precision + z**2 / (2 * selected)) / scale
    variance = curve.precision * (1 - curve.precision) / selected + (z / (2 * selected)) ** 2
    half = z / scale * np.sqrt(variance)
    return np.array([middle - half, middle + half])


def _first_steady(data: Predictions, point: OperatingPoint, curve: Curve) -> int:
    """Find where the line of precision begins: where enough positives are found.

    It begins at the point of the heading if that finds fewer.
    """
    fewest = min(FEWEST_FOUND / data.y_true.sum(), curve.recall[-1])
    if not point.remark:
        fewest = min(fewest, point.recall)
    return int(np.searchsorted(curve.recall, fewest * (1 - RELATIVE_TOLERANCE)))


def _label_line(
    ax: Axes, point: OperatingPoint, curve: Curve, share: tuple[str, str], color: Color
) -> None:
    """Write the name and the value beside its dot, where they cover nothing."""
    name, value = share
    place = (point.threshold, getattr(point, name))
    text = f"{name} {value}"
    if point.remark:  # the name stands in the middle of the curve
        middle = curve.threshold.size // 2
        place = (curve.threshold[middle], getattr(curve, name)[middle])
        text = name
    write_near(ax, text, color, place)
