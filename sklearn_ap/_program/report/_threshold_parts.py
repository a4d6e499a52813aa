"""The part of a report about thresholds: those that are guaranteed, and those of the sample."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.legend import draw_legend, sample_in_words
from sklearn_ap._base.drawing.named_rows import limits_with_margin
from sklearn_ap._program.report._pictures import Picture, caption, limit_ticks
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._threshold_choice import (
    GUARANTEE,
    Goals,
    Lead,
    ModelThresholds,
    choose_goals,
    choose_lead,
    choose_lower_goal,
    find_thresholds,
    is_useful,
)
from sklearn_ap._program.report._threshold_words import (
    chance_in_words,
    cutoff_of,
    lead_in_words,
    lower_goal_in_words,
    printed_threshold,
    reasons_for_goal,
    sample_cells,
    selection_in_words,
    sure_cells,
    threshold_notes,
)
from sklearn_ap._program.report._words import DASH, number, percent, pictured, used_columns
from sklearn_ap._program.report.page import Part
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.operating_points.picture import Curve, mark_shares, plot_operating_point

PICTURED_RECALLS = 0.1, 0.25, 0.5, 0.75, 0.9  # in the words for the picture
X_MARGIN = 0.04  # of the axis of thresholds
NEARLY_ALL = 0.99  # the recall at which the axis of thresholds ends
PICTURE_HEIGHT = 3.0  # inches
HEADS = {
    True: ("guaranteed from", "rows", "precision", "recall"),
    False: ("best in this sample from", "rows", "precision", "recall"),
}


def thresholds_part(data: Predictions) -> Part:
    goals = choose_goals(data)
    thresholds = find_thresholds(data, goals)
    model_part = partial(_model_part, data, goals, thresholds)
    return replace(model_part(data.best_model), model_part=model_part)


def _model_part(
    data: Predictions, goals: Goals, thresholds: Mapping[str, ModelThresholds], model: str
) -> Part:
    """Advise a threshold of a model, above the table of all that are shown."""
    cells = _threshold_cells(data, goals, thresholds)
    has_intervals = any("[" in cell for row in cells for cell in row)
    lead = choose_lead(data, thresholds[model])
    chance = chance_in_words(data, lead)
    sentence = chance or lead_in_words(data, lead, goals)
    lower_goal = lower_goal_in_words(data, lead)
    second = [*lower_goal, *_sure_model(data, goals, thresholds, lead)]
    below = _better_candidates(data, thresholds, lead)
    unsure = []
    if lead.thresholds.refusal and not lead.point.remark:
        unsure = ["The threshold is chosen and measured on the same rows: expect less on new ones."]
    cutoff = cutoff_of(lead.model, lead.point, lead.goal, lead.is_sure, " ".join(lower_goal))
    return Part(
        sentence,
        used_columns(cells),
        threshold_notes(data, lead, goals, has_intervals),
        None if chance else _picture(data, lead),
        call=data.call(operating_point, model, **lead.options),
        brief=[sentence, *second],
        more=[*second, *below, *reasons_for_goal(data, lead, goals)],
        first_rows=_first_rows(data, goals, thresholds, model),
        cutoff=None if chance else cutoff,
        doubts=[] if chance else unsure,
    )


def _sure_model(
    data: Predictions, goals: Goals, thresholds: Mapping[str, ModelThresholds], lead: Lead
) -> list[str]:
    """Name another model that has a guarantee, where this one has none for what is needed."""
    if _is_sure(data, lead):
        return []
    for name in (each for each in thresholds if each != lead.model):
        other = choose_lead(data, thresholds[name])
        if _is_sure(data, other) and is_useful(data, other.point):
            sentence = lead_in_words(data, other, goals)
            goal = "" if data.precision is None else f" for {data.precision:g}"
            return [f"{name} has one{goal}: {sentence[0].lower()}{sentence[1:]}"]
    return []


def _better_candidates(
    data: Predictions, thresholds: Mapping[str, ModelThresholds], lead: Lead
) -> list[str]:
    """Name another model that finds more at the precision of the heading, if there is one.

    Where the best model has fallen, it is not named beside the one that is used in its place.
    """
    if not lead.is_sure or lead.goal is None or lead.point.remark:
        return []
    if lead.model != data.best_model:
        return []
    found = {
        name: each.guaranteed[lead.goal]
        for name, each in thresholds.items()
        if each.is_sure_of(lead.goal) and each.guaranteed[lead.goal].recall > lead.point.recall
    }
    if not found:
        return []
    name = max(found, key=lambda each: found[each].recall)
    share = percent(found[name].recall)
    aim = f"at least {lead.goal:g}"
    return [f"{name} finds more with the same guarantee, {aim}: {share} of the positives."]


def _is_sure(data: Predictions, lead: Lead) -> bool:
    """Check whether a threshold has the guarantee that is asked for, or any."""
    return lead.is_sure and not lead.point.remark and data.precision in (None, lead.goal)


def _first_rows(
    data: Predictions, goals: Goals, thresholds: Mapping[str, ModelThresholds], model: str
) -> list[int]:
    """Choose the rows of this and the best model, and those of others that alone are sure."""
    shown = {data.best_model, model}
    rows = [(goal, name) for goal in goals.values for name in thresholds]
    return [
        place
        for place, (goal, name) in enumerate(rows)
        if name in shown
        or (
            thresholds[name].is_sure_of(goal)
            and not any(thresholds[each].is_sure_of(goal) for each in shown)
        )
    ]


def _threshold_cells(
    data: Predictions, goals: Goals, thresholds: Mapping[str, ModelThresholds]
) -> list[list[str]]:
    cells = [["precision goal", "model", *HEADS[True], *HEADS[False]]]
    for goal in goals.values:
        for name, found in thresholds.items():
            sure = found.guaranteed.get(goal)
            numbers = [DASH] * len(HEADS[True]) if sure is None else sure_cells(data, name, sure)
            numbers += sample_cells(data, name, found.sample[goal])
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    return cells


def _picture(data: Predictions, lead: Lead) -> Picture | None:
    """Draw precision and recall over thresholds, and the threshold of the heading.

    There is none if no row was retrieved.
    """
    curve = lead.point.curve
    if curve is None or not curve.recall.size:
        return None
    found = np.searchsorted(curve.recall, PICTURED_RECALLS)
    places = dict.fromkeys(np.minimum(found, curve.recall.size - 1).tolist())
    shares = [(f"{curve.threshold[i]:.3g}", curve.precision[i], curve.recall[i]) for i in places]
    goal = choose_lower_goal(lead)
    second = None if goal is None else lead.thresholds.guaranteed[goal]
    points = [lead.point, *([] if second is None else [second])]
    shares += [
        (printed_threshold(point), point.precision, point.recall)
        for point in points
        if not point.remark
    ]
    rows = [
        [f"{threshold}:", f"precision {number(precision)}, recall {number(recall)}"]
        for threshold, precision, recall in sorted(shares, key=lambda share: share[2])
    ]
    title = f"Precision and recall of {lead.model} by threshold, for {lead.point.goal}"
    draw = partial(
        _draw_threshold,
        point=lead.point,
        second=second,
        ends=_shown_thresholds(curve, points),
        # The guarantee of a chosen model is not that of each model.
        guarantee=GUARANTEE if lead.is_sure else None,
    )
    return Picture(
        draw,
        PICTURE_HEIGHT,
        pictured(title, rows),
        finding=_finding(lead),
        subject=_subject(data, lead),
    )


def _finding(lead: Lead) -> str:
    """Write "At 2.1427, old has precision 0.22 and recall 0.24"."""
    point = lead.point
    if point.remark:
        claim = "is sure to have" if lead.is_sure else "has"
        return f"No threshold of {lead.model} {claim} a precision of {lead.goal:g} or more"
    shares = f"precision {number(point.precision)} and recall {number(point.recall)}"
    return f"At {printed_threshold(point)}, {lead.model} has {shares}"


def _subject(data: Predictions, lead: Lead) -> str:
    """Say what is drawn, and how many rows the threshold selects."""
    point = lead.point
    at = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    goal = "" if lead.goal is None else "dotted: goal of precision"
    selected = ""
    if not point.remark:
        selected = f"the line selects {selection_in_words(data, lead.model, point)}"
    drawn = caption(f"Precision and recall by threshold{at}", goal, selected)
    return f"{drawn} {sample_in_words(data.name_units(point))}."


def _shown_thresholds(curve: Curve, points: Sequence[OperatingPoint]) -> tuple[float, float]:
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
    second: OperatingPoint | None,
    ends: tuple[float, float],
    guarantee: float | None,
) -> None:
    """Draw precision and recall over the thresholds of a model, and both thresholds of the page."""
    plot_operating_point(point, ax, guarantee)
    ax.set_title("")  # the caption says it
    ax.set_xlabel("threshold")
    ax.set_xlim(ends)
    limit_ticks(ax, "both")
    _shorten_labels(ax)
    if second is not None:
        shares = f"precision {number(second.precision)}, recall {number(second.recall)}"
        style = REFERENCE_STYLE | {"linestyle": (0, (10, 6)), "linewidth": 0.6}
        label = f"or {printed_threshold(second)}: {shares}"
        ax.axvline(second.threshold, label=label, **style)
        mark_shares(second, ax)
    draw_legend(ax)


def _shorten_labels(ax: Axes) -> None:
    """Write "0.22 (95% 0.19 to 0.26)" and "at least 0.2", whose share the caption names."""
    for line in ax.lines:
        text = line.get_label().replace("% interval ", "% ")
        line.set_label(text.replace("precision at least", "at least"))
