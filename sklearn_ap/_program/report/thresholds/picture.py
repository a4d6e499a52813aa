"""The picture of the part about thresholds: precision and recall, named beside their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import floor
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from sklearn_ap._base.common.types import Array, Axes, Color, Float
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors
from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._base.drawing.named_rows import limits_with_margin
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.near_labels import write_near_dot, write_near_level
from sklearn_ap._program.report.page.pictures import (
    HIGHEST_CAP,
    LEAST_BELOW,
    LEAST_START,
    TEXT_GREY,
    WHOLE_AXIS,
    Picture,
    caption,
    limit_ticks,
    round_up,
)
from sklearn_ap._program.report.page.words import (
    as_printed,
    decimal_places,
    number,
    percent,
    pictured,
)
from sklearn_ap._program.report.thresholds.choice import Lead, choose_lower_goal
from sklearn_ap._program.report.thresholds.words import (
    precision_as_text,
    printed_threshold,
    selection_in_words,
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
HEIGHT = 3.1  # inches, for two panels
FEWEST_FOUND = 10  # positives where the line of precision begins: a choice
DASHED = REFERENCE_STYLE | {"linestyle": (0, (10, 6)), "linewidth": 0.6}


def threshold_picture(data: Predictions, lead: Lead) -> Picture | None:
    """Draw precision and recall over thresholds, and the threshold of the heading.

    There is none if no row was retrieved.
    """
    curve = lead.point.curve
    if curve is None or not curve.recall.size:
        return None
    goal = choose_lower_goal(data, lead)
    second = None if goal is None else lead.thresholds.guaranteed[goal]
    points = [lead.point, *([] if second is None else [second])]
    draw = partial(
        _draw_threshold,
        point=lead.point,
        curve=curve,
        second=second,
        goal=lead.goal,
        goal_text=_goal_in_words(lead),
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


class Failure(NamedTuple):
    """A segment in which a threshold fails, and its precision and recall there, nan if fine."""

    where: str  # such as "in country IT", or "from 2026-08 on"
    precision: float
    recall: float

    @property
    def name(self) -> str:
        """The label of its ring."""
        return self.where.removeprefix("in ")


def draw_failures(picture: Picture, failures: Sequence[Failure]) -> Picture:
    """Add to a picture of a threshold the segments in which it fails."""
    texts = [
        f"{share} {number(getattr(each, share))} {each.where}"
        for each in failures
        for share in DRAWN
        if not np.isnan(getattr(each, share))
    ]
    return replace(
        picture,
        draw=partial(picture.draw, failures=failures),
        alt=f"{picture.alt.removesuffix('.')}; {'; '.join(texts)}.",
        subject=f"{picture.subject} Red rings: where it fails.",
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
    """Say what is drawn, how sure it is, how many rows are selected, and what is dashed."""
    point = lead.point
    sample = sample_in_words(data.name_units(point))
    shade = "" if _band(data, curve) is None else f"shade: {data.interval_kind}"
    lines = _second_in_words(second)
    first = _first_steady(data, point, curve)
    if first and "sample_weight" not in data.options:
        n_found = round(curve.recall[first] * np.count_nonzero(data.y_true))
        shade = "; ".join(filter(None, [shade, f"precision from {n_found} found positives on"]))
    if point.remark:
        return f"{caption('Precision and recall by threshold', shade, sample)} {lines}".rstrip()
    precision, recall = _limits_in_words(data, point)
    drawn = f"Precision{precision} and recall{recall} by threshold"
    selected = f"{selection_in_words(data, lead.model, point)} selected"
    return f"{caption(drawn, shade, selected, sample)} {lines}".rstrip()


def _second_in_words(second: OperatingPoint | None) -> str:
    if second is None:
        return ""
    shares = f"precision {precision_as_text(second)}, recall {number(second.recall)}"
    return f"Dashed: threshold {printed_threshold(second)}, {shares}."


def _goal_in_words(lead: Lead) -> str:
    """Name the line at the goal: the guarantee of a chosen model is not that of each model."""
    if lead.goal is None:
        return ""
    is_sure = lead.is_sure and not lead.point.remark
    return f"{'guaranteed' if is_sure else 'goal'} {lead.goal:g}"


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
    goal_text: str,
    ends: tuple[float, float],
    first: int,
    band: Array | None,
    place: int | None,
    failures: Sequence[Failure] = (),
) -> None:
    """Draw precision above recall over thresholds, both thresholds of the page, and failures."""
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
    drawn = [steady.precision, *([] if band is None else band[:, first:])]
    marked = [goal or np.nan, *(each.precision for each in failures)]
    upper.set_ylim(_ends_of_precision(np.concatenate([*drawn, marked])))
    lower.set_ylim(0, WHOLE_AXIS)
    upper.set_xticklabels([])
    lower.set_xlabel("threshold")
    for name, ax, value, each in zip(DRAWN, axes, _values(point), (steady, curve), strict=True):
        _draw_failures(ax, point, name, failures)
        written = _name_failures(ax, point, name, failures)
        written.append(_label_line(ax, point, each, (name, value), color, written))
        if ax is upper and goal is not None:
            write_near_level(ax, goal_text, TEXT_GREY, goal, written)


def _ends_of_precision(drawn: Float) -> tuple[float, float]:
    """End the axis of precision at a round number, and begin it at one if all is far above 0."""
    highest = round_up(float(np.nanmax(drawn)))
    start = floor(10 * (float(np.nanmin(drawn)) - LEAST_BELOW)) / 10
    if highest <= HIGHEST_CAP:
        return 0.0, WHOLE_AXIS * highest
    start = start if start >= LEAST_START else 0.0
    return start, start + WHOLE_AXIS * (1 - start)


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


def _draw_failures(
    ax: Axes, point: OperatingPoint, share: str, failures: Sequence[Failure]
) -> None:
    """Draw a ring at a share of each segment in which the threshold fails."""
    for each in failures:
        style = {"color": axes_colors(ax).alarm, "markerfacecolor": "none", "markersize": 6.0}
        ax.plot(point.threshold, getattr(each, share), "o", label="_", zorder=3, **style)


def _name_failures(
    ax: Axes,
    point: OperatingPoint,
    share: str,
    failures: Sequence[Failure],
) -> list[Float]:
    """Write the name and the share of each segment beside its ring; return where they are."""
    written: list[Float] = []
    for each in failures:
        value = float(getattr(each, share))
        if not np.isnan(value):
            dot = float(point.threshold), value
            text = f"{each.name} {number(value)}"
            written.append(write_near_dot(ax, text, axes_colors(ax).alarm, dot, written))
    return written


def _label_line(
    ax: Axes,
    point: OperatingPoint,
    curve: Curve,
    share: tuple[str, str],
    color: Color,
    avoided: Sequence[Float],
) -> Float:
    """Write the name and the value beside its dot, where they cover nothing."""
    name, value = share
    place = (point.threshold, getattr(point, name))
    text = f"{name} {value}"
    if point.remark:  # the name stands in the middle of the curve
        middle = curve.threshold.size // 2
        place = (curve.threshold[middle], getattr(curve, name)[middle])
        text = name
    return write_near_dot(ax, text, color, place, avoided)
