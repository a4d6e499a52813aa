"""The part of a report about thresholds: those that are guaranteed, and those of the sample."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap._base.text import count_as_text
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import Part
from sklearn_ap._program.report.page.words import DASH, percent, used_columns
from sklearn_ap._program.report.thresholds.choice import (
    Goals,
    Lead,
    ModelThresholds,
    choose_goals,
    choose_lead,
    find_thresholds,
    is_useful,
)
from sklearn_ap._program.report.thresholds.picture import threshold_picture
from sklearn_ap._program.report.thresholds.words import (
    chance_in_words,
    cutoff_of,
    lead_in_words,
    lower_goal_in_words,
    own_goal_in_words,
    reasons_for_goal,
    sample_cells,
    sure_cells,
    threshold_notes,
)
from sklearn_ap._questions.operating_points.operating_point import operating_point
from sklearn_ap._questions.verdicts import names_in_words

HAS_ONE = "has one"
HAS_GUARANTEE = "has a guarantee"
FINDS_MORE = "finds more"
PRAISE = HAS_ONE, HAS_GUARANTEE, FINDS_MORE  # of another model than that of the heading
FEW_NEGATIVES = 10  # above a threshold; with fewer, the page says so: a choice
SAME_ROWS = (
    "The threshold is chosen and measured on the same rows: expect a lower precision on new ones."
)
HEADS = {
    True: ("guaranteed from", "rows", "precision", "recall"),
    False: ("best in this sample from", "rows", "precision", "recall"),
}


def thresholds_part(data: Predictions) -> Part:
    model_part = partial(_model_part, data)
    return replace(model_part(data.best_model), model_part=model_part)


def _model_part(data: Predictions, model: str) -> Part:
    """Advise a threshold of a model, above the table of all that are shown."""
    goals = choose_goals(data, model)
    thresholds = find_thresholds(data, goals)
    reached = _reached_goals(goals, thresholds)
    cells = _threshold_cells(data, reached, thresholds)
    has_intervals = any("[" in cell for row in cells for cell in row)
    lead = choose_lead(data, thresholds[model])
    chance = chance_in_words(data, lead)
    sentence = chance or lead_in_words(data, lead, goals)
    lower_goal = lower_goal_in_words(data, lead)
    second = [*lower_goal, *_sure_model(data, goals, thresholds, lead)]
    below = _better_candidates(data, thresholds, lead)
    unsure = []
    if lead.thresholds.refusal and not lead.point.remark:
        unsure = [SAME_ROWS]
    unsure += _few_negatives(data, lead)
    own_goal = own_goal_in_words(data, lead)
    cutoff = cutoff_of(lead.model, lead.point, lead.goal, lead.is_sure, " ".join(lower_goal))
    return Part(
        sentence,
        used_columns(cells),
        [*_missed_in_words(goals, reached), *threshold_notes(data, lead, goals, has_intervals)],
        None if chance else threshold_picture(data, lead),
        call=data.call(operating_point, model, **lead.options),
        brief=[sentence, *second, *(below if data.is_chosen else []), *own_goal],
        more=[*second, *below, *reasons_for_goal(data, lead, goals)],
        first_rows=_first_rows(data, reached, thresholds, model),
        cutoff=None if chance else cutoff,
        doubts=[] if chance else unsure,
    )


def _few_negatives(data: Predictions, lead: Lead) -> list[str]:
    """Say that a precision at another prevalence rests on few negatives, which weigh much there."""
    if "prevalence" not in data.options or lead.point.remark:
        return []
    selected = np.asarray(data.y_scores[lead.model]) >= lead.point.threshold
    n_negatives = int(np.count_nonzero(selected & ~data.y_true))
    if n_negatives >= FEW_NEGATIVES:
        return []
    negatives = count_as_text(n_negatives, "negative") if n_negatives else "no negative"
    return [f"The precision at the threshold rests on {negatives} above it."]


def _sure_model(
    data: Predictions, goals: Goals, thresholds: Mapping[str, ModelThresholds], lead: Lead
) -> list[str]:
    """Name another model that has a guarantee, where this one has none for what is needed."""
    if _is_sure(data, lead):
        return []
    # The best model is not named beside the one that is used in its place.
    for name in (each for each in thresholds if each not in (lead.model, data.best_model)):
        other = choose_lead(data, thresholds[name])
        if _is_sure(data, other) and is_useful(data, other.point):
            sentence = lead_in_words(data, other, goals)
            goal = "" if data.precision is None else f" for {data.precision:g}"
            return [f"{name} {HAS_ONE}{goal}: {sentence[0].lower()}{sentence[1:]}"]
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
    for name, each in thresholds.items():
        higher = choose_lead(data, each)
        if higher.is_sure and (higher.goal or 0) > lead.goal and is_useful(data, higher.point):
            share = percent(higher.point.recall)
            return [f"{name} {HAS_GUARANTEE} for {higher.goal:g}, with {share} of the positives."]
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
    return [f"{name} {FINDS_MORE} with the same guarantee, {aim}: {share} of the positives."]


def _is_sure(data: Predictions, lead: Lead) -> bool:
    """Check whether a threshold has the guarantee that is asked for, or any."""
    return lead.is_sure and not lead.point.remark and data.precision in (None, lead.goal)


def _reached_goals(goals: Goals, thresholds: Mapping[str, ModelThresholds]) -> list[float]:
    """Leave out the precisions that no model has at any threshold, except the lowest."""
    lowest, *higher = goals.values
    return [
        lowest,
        *(
            goal
            for goal in higher
            if any(
                found.is_sure_of(goal) or not found.sample[goal].remark
                for found in thresholds.values()
            )
        ),
    ]


def _missed_in_words(goals: Goals, reached: Sequence[float]) -> list[str]:
    """Name the precisions that are left out of the table."""
    missed = [f"{goal:g}" for goal in goals.values if goal not in reached]
    if not missed:
        return []
    be = "is" if len(missed) == 1 else "are"
    return [f"{names_in_words(missed)} {be} reached at no threshold in this sample."]


def _first_rows(
    data: Predictions,
    goals: Sequence[float],
    thresholds: Mapping[str, ModelThresholds],
    model: str,
) -> list[int]:
    """Choose the rows of this and the best model, and those of others that alone are sure."""
    shown = {data.best_model, model}
    rows = [(goal, name) for goal in goals for name in thresholds]
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
    data: Predictions, goals: Sequence[float], thresholds: Mapping[str, ModelThresholds]
) -> list[list[str]]:
    cells = [["precision goal", "model", *HEADS[True], *HEADS[False]]]
    for goal in goals:
        for name, found in thresholds.items():
            sure = found.guaranteed.get(goal)
            numbers = [DASH] * len(HEADS[True]) if sure is None else sure_cells(data, name, sure)
            numbers += sample_cells(data, name, found.sample[goal])
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    return cells
