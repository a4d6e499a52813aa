"""The part of a report about thresholds: those that are guaranteed, and those of the sample."""

import warnings
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.text import cases_as_text
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import (
    DASH,
    as_cell,
    describe,
    number,
    pictured,
    used_columns,
)
from sklearn_ap._program.report.page import Part, Picture
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.verdicts import Estimate, names_in_words
from sklearn_ap._uncertainty.warnings import UncertaintyWarning

PRECISIONS = 0.5, 0.8, 0.9
PREVALENCES = 10  # a goal is this multiple of the prevalence where it is below all others
FAIR_RECALL = 0.1  # a threshold that finds a smaller share of the positives is of little use
GUARANTEE = 0.9
PICTURED_RECALLS = 0.1, 0.25, 0.5, 0.75, 0.9  # in the words for the picture
PICTURE_HEIGHT = 3.2  # inches
UNATTAINABLE: Final = "unattainable precision"  # the name of a warning, and its first words
HEADS = {
    True: ("guaranteed from", "rows", "recall"),
    False: ("best in this sample from", "rows", "precision", "recall"),
}


class Guaranteed(NamedTuple):
    """The thresholds of a model with a guarantee for each precision, or why there are none."""

    points: dict[float, OperatingPoint]
    refusal: str = ""


class Lead(NamedTuple):
    """The precision of the heading, and its threshold, which may have a guarantee."""

    goal: float
    point: OperatingPoint
    guarantee: float | None


def thresholds_part(data: Predictions) -> Part:
    multiple = _multiple_of_prevalence(data)
    goal = multiple if data.precision is None else data.precision
    goals = sorted({*PRECISIONS} if goal is None else {*PRECISIONS, goal})
    points = {name: _guaranteed(data, name, goals) for name in data.shown_models}
    unshown: dict[str, list[str]] = {}
    samples = {goal: _sample_points(data, goal, points, unshown) for goal in goals}
    _warn_of_unshown(unshown)
    cells = [["precision", "model", *HEADS[True], *HEADS[False]]]
    if "sample_weight" in data.options:
        cells[0] = ["weight" if head == "rows" else head for head in cells[0]]
    for goal in goals:
        for name in data.shown_models:
            sure = points[name].points.get(goal)
            numbers = [DASH] * len(HEADS[True]) if sure is None else _guaranteed_cells(sure)
            numbers += _sample_cells(samples[goal][name])
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    best = points[data.best_model]
    lead = _lead(data, best, samples)
    options: Keywords = {} if lead.guarantee is None else {"guarantee": lead.guarantee}
    call = data.call(operating_point, data.best_model, precision=lead.goal, **options)
    sentence = _sentence(data, lead, best.refusal)
    return Part(
        sentence, used_columns(cells), _notes(best, multiple), _picture(data, lead), call=call
    )


def _picture(data: Predictions, lead: Lead) -> Picture | None:
    """Draw precision and recall over thresholds, and the threshold of the heading.

    There is none if no row was retrieved.
    """
    curve = lead.point.curve
    if curve is None or not curve.recall.size:
        return None
    found = np.searchsorted(curve.recall, PICTURED_RECALLS)
    places = dict.fromkeys(np.minimum(found, curve.recall.size - 1).tolist())
    points = [(curve.threshold[i], curve.precision[i], curve.recall[i]) for i in places]
    if not lead.point.remark:
        points.append((lead.point.threshold, lead.point.precision, lead.point.recall))
    rows = [
        [f"{threshold:.3g}:", f"precision {number(precision)}, recall {number(recall)}"]
        for threshold, precision, recall in sorted(points, reverse=True)
    ]
    title = f"Precision and recall of {data.best_model} by threshold, for {lead.point.goal}"
    return Picture(lead.point.plot, PICTURE_HEIGHT, pictured(title, rows))


def _multiple_of_prevalence(data: Predictions) -> float | None:
    """Return a precision that fits a low prevalence, with two digits; None if others do."""
    if data.precision is not None:
        return None
    weights = data.options.get("sample_weight")
    prevalence = data.options.get("prevalence", np.average(data.y_true, weights=weights))
    multiple = float(f"{PREVALENCES * prevalence:.2g}")
    return multiple if multiple < min(PRECISIONS) else None


def _notes(best: Guaranteed, multiple: float | None) -> list[str]:
    notes = [
        "Precision is the share of positives among the rows that you select, and recall is the "
        "share of all positives that you select.",
        "The true precision of the best threshold in a sample is below its goal in half of the "
        "samples.",
    ]
    if not best.refusal:
        error = f"at most {1 - GUARANTEE:.0%} of samples"
        notes.append(f"That of a guaranteed threshold is below its goal in {error}.")
    if multiple is not None:
        notes.append(f"A precision of {multiple:g} is {PREVALENCES} times the prevalence.")
    return notes


def _lead(
    data: Predictions, best: Guaranteed, samples: dict[float, dict[str, OperatingPoint]]
) -> Lead:
    """Choose the goal of the heading: the user's, or else that of the most useful threshold.

    That is the highest precision with a fair recall, or the one with the highest recall if none
    has. If no precision is reached, it is the lowest.
    """
    guarantee = None if best.refusal else GUARANTEE
    points = best.points or {goal: points[data.best_model] for goal, points in samples.items()}
    if data.precision is not None:
        return Lead(data.precision, points[data.precision], guarantee)
    goals = [goal for goal, point in points.items() if not point.remark] or [min(points)]
    fair_goals = [goal for goal in goals if points[goal].recall >= FAIR_RECALL]
    goal = max(fair_goals) if fair_goals else max(goals, key=lambda each: points[each].recall)
    return Lead(goal, points[goal], guarantee)


def _guaranteed(data: Predictions, name: str, goals: Sequence[float]) -> Guaranteed:
    """Find the thresholds of a model that have a precision with a guarantee."""
    try:
        points = {
            goal: data.ask(operating_point, name, precision=goal, guarantee=GUARANTEE)
            for goal in goals
        }
    except ValueError as error:
        return Guaranteed({}, str(error))
    return Guaranteed(points)


def _sample_points(
    data: Predictions,
    goal: float,
    guaranteed: dict[str, Guaranteed],
    unshown: dict[str, list[str]],
) -> dict[str, OperatingPoint]:
    """Find the threshold of each model, and issue one warning where several have the same.

    There is no warning that luck alone explains a precision where the table says that none has a
    guarantee. Where none can be given, ``unshown`` gets the precision, by model.
    """
    points = {}
    models: dict[str, list[str]] = {}
    for name in data.shown_models:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            points[name] = data.ask(operating_point, name, precision=goal)
        for warning in caught:
            text = str(warning.message)
            if not text.startswith(UNATTAINABLE):
                models.setdefault(text, []).append(name)
            elif guaranteed[name].refusal:
                unshown.setdefault(name, []).append(f"{goal:g}")
    for text, names in models.items():
        warnings.warn(f"{names_in_words(names)}: {text}", UserWarning, stacklevel=2)
    return points


def _warn_of_unshown(unshown: dict[str, list[str]]) -> None:
    """Issue one warning of the precisions that luck alone explains, without the way of a guarantee.

    That of ``operating_point`` advises a guarantee, which does not go with these data.
    """
    if not unshown:
        return
    claims = ", or that ".join(
        f"any threshold of {name} has a precision of {' or '.join(goals)}"
        for name, goals in unshown.items()
    )
    text = (
        f"The sample hardly shows that {claims}: there may be none. The recall is then too high, "
        f"and its interval may be too narrow. Collect more rows, or ask for a lower precision."
    )
    warnings.warn(UncertaintyWarning(text, UNATTAINABLE), stacklevel=2)


def _guaranteed_cells(point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH]
    return [point.printed_threshold, cases_as_text(point.n_selected), as_cell(_recall(point))]


def _sample_cells(point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH, DASH]
    n_rows = cases_as_text(point.n_selected)
    precision = Estimate(point.precision, *point.precision_interval)
    return [point.printed_threshold, n_rows, as_cell(precision), number(point.recall)]


def _recall(point: OperatingPoint) -> Estimate:
    return Estimate(point.recall, *point.recall_interval)


def _rows_in_words(data: Predictions, point: OperatingPoint) -> str:
    weight = " by weight" if "sample_weight" in data.options else ""
    return f"{point.n_selected:,.0f} rows{weight}"


def _sentence(data: Predictions, lead: Lead, refusal: str) -> str:
    """Give the guaranteed threshold of the best model, or say that there is none."""
    model = data.best_model
    goal, point, _ = lead
    if refusal:
        return f"{_refusal_in_words(data, refusal)} {_sample_sentence(data, lead)}"
    if point.remark:
        return (
            f"No threshold of {model} is sure to have a precision of {goal:g} or more: this sample "
            f"does not show it with {GUARANTEE:.0%} confidence."
        )
    recall = describe(_recall(point), data.interval_kind)
    chosen = point.verdicts[0].sentence.replace("that score", f"that {model} scores", 1)
    return f"{chosen} These are {_rows_in_words(data, point)}, with a recall of {recall}."


def _sample_sentence(data: Predictions, lead: Lead) -> str:
    goal, point, _ = lead
    if point.remark:
        return f"None has {goal:g} in this sample."
    precision = describe(Estimate(point.precision, *point.precision_interval), data.interval_kind)
    selected = f"the {_rows_in_words(data, point)} that score {point.printed_threshold} or higher"
    return f"In this sample, {selected} have a precision of {precision}."


def _refusal_in_words(data: Predictions, refusal: str) -> str:
    """Say why no threshold has a guarantee."""
    if "sample_weight" in data.options:
        return "With weights, no threshold can be guaranteed."
    reason = refusal.split(". ")[0].rstrip(".")
    return f"No threshold of {data.best_model} can be guaranteed to have a precision: {reason}."
