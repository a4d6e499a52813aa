"""Which precisions a report asks of thresholds, and which threshold it advises for a model."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Keywords
from sklearn_ap._base.text import threshold_as_text
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import Cutoff
from sklearn_ap._program.report.page.words import percent
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.verdicts import names_in_words
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import PrecisionAtK, RecallAtK

PRECISIONS = 0.5, 0.8, 0.9
PREVALENCES = 10  # a goal is this multiple of the prevalence where it is far below all others
HIGHEST_MULTIPLE = 0.4
LOWER_PREVALENCES = 5, 3, 2, 1.5  # the multiples of a weak model, which reaches no other goal
# A threshold that finds a smaller share of the positives, or fewer of them, is of little use.
FAIR_RECALL = 0.1
FAIR_POSITIVES = 5
FEWEST_DIGITS = 3  # of a threshold
LEAST_MULTIPLE = 1.5  # of the prevalence, for the precision of a second threshold: a choice
CLEAR_GAIN = 0.1  # in recall, for which a second threshold is offered: a choice
GUARANTEE = 0.9  # shared by the models that one was chosen from
TOP_ROWS = 100, 10  # shown where no threshold is sure
TOP_SHARE = 0.01  # of the weight
UNATTAINABLE: Final = "unattainable precision"  # the name of a warning, and its first words


class ModelThresholds(NamedTuple):
    """The thresholds of a model by their precisions: those with a guarantee, and the best ones."""

    model: str
    guaranteed: dict[float, OperatingPoint]
    sample: dict[float, OperatingPoint]
    refusal: str = ""  # why none has a guarantee

    def is_sure_of(self, goal: float) -> bool:
        """Check whether a threshold has a guarantee for a precision."""
        return goal in self.guaranteed and not self.guaranteed[goal].remark


class Goals(NamedTuple):
    """The precisions of the table, and of how many prevalences one of them is."""

    values: list[float]
    multiple: float = 0  # of the prevalence; 0 if none of the values is one
    lowered_from: float = 0  # a precision that no threshold is sure to have; 0 if there is none


class Lead(NamedTuple):
    """The threshold of the heading: that of a precision, or of top rows, which has no goal."""

    thresholds: ModelThresholds
    point: OperatingPoint
    goal: float | None
    options: Keywords  # of the call that gives it

    @property
    def model(self) -> str:
        return self.thresholds.model

    @property
    def is_sure(self) -> bool:
        return "guarantee" in self.options


def choose_goals(data: Predictions, model: str) -> Goals:
    """Choose precisions: the usual ones, and that of the user or one that fits the prevalence.

    If no threshold of a model is sure to have one of them, a lower one is added that some threshold
    is sure to have.
    """
    usual = usual_precisions(data)
    goals = Goals(usual)
    lower: Sequence[float] = LOWER_PREVALENCES
    multiple = multiple_of_prevalence(data, PREVALENCES)
    if data.precision is not None:
        goals = Goals(sorted({*usual, data.precision, *_highest_sure(data, model, data.precision)}))
        lower = PREVALENCES, *LOWER_PREVALENCES
    elif multiple < HIGHEST_MULTIPLE:
        goals = Goals([multiple, *usual], PREVALENCES)
    points, refusal = _guaranteed_points(data, model, goals)
    if refusal or any(is_useful(data, point) for point in points.values()):
        return goals
    lowest = goals.values[0]
    for times in lower:
        goal = multiple_of_prevalence(data, times)
        if goal < lowest and is_useful(data, sure_point(data, model, goal)):
            return Goals([goal, *goals.values], times, lowered_from=lowest)
    return goals


def _highest_sure(data: Predictions, model: str, asked: float) -> list[float]:
    """Return the precision of the user if it is sure, or else the next lower one in steps of 0.1.

    Or none if none of them is.
    """
    steps = [step / 10 for step in range(9, 0, -1) if PRECISIONS[0] < step / 10 < asked]
    sure = (goal for goal in (asked, *steps) if is_useful(data, sure_point(data, model, goal)))
    try:
        return [*islice(sure, 1)]
    except ValueError:  # no threshold can be guaranteed
        return []


def usual_precisions(data: Predictions) -> list[float]:
    """List the usual precisions above the prevalence, which all rows together have.

    Above all of them, it is the one halfway from the prevalence to 1.
    """
    prevalence = multiple_of_prevalence(data, 1)
    above = [goal for goal in PRECISIONS if goal > prevalence]
    return above or [float(f"{(1 + prevalence) / 2:.3g}")]


def is_useful(data: Predictions, point: OperatingPoint) -> bool:
    return not point.remark and point.recall >= fair_recall(data)


def fair_recall(data: Predictions) -> float:
    return max(FAIR_RECALL, min(1.0, FAIR_POSITIVES / np.count_nonzero(data.y_true)))


def multiple_of_prevalence(data: Predictions, times: float) -> float:
    """Return a precision of several prevalences, with two digits."""
    prevalence = data.options.get("prevalence", np.average(data.y_true, weights=data.weight))
    return float(f"{times * prevalence:.2g}")


def guarantee_of_each(data: Predictions) -> float:
    """Return the guarantee of each threshold, so that all models together have ``GUARANTEE``."""
    n_models = len(data.y_scores) if data.is_chosen else 1
    return float(f"{1 - (1 - GUARANTEE) / n_models:.12g}")  # as calls print it


def find_thresholds(data: Predictions, goals: Goals) -> dict[str, ModelThresholds]:
    """Find the thresholds of all models that are shown."""
    sure = {name: _guaranteed_points(data, name, goals) for name in data.shown_models}
    unshown: dict[str, list[str]] = {}
    samples = {goal: _sample_points(data, goal, sure, unshown) for goal in goals.values}
    _warn_of_unshown(unshown)
    return {
        name: ModelThresholds(
            name, points, {goal: named[name] for goal, named in samples.items()}, refusal
        )
        for name, (points, refusal) in sure.items()
    }


def choose_lead(data: Predictions, found: ModelThresholds) -> Lead:
    """Choose the threshold of the heading: the user's, or else the most useful one.

    That has the highest precision with a fair recall, or the highest recall if none has. Where no
    threshold will do, it has the top rows.
    """
    options: Keywords = {} if found.refusal else {"guarantee": guarantee_of_each(data)}
    all_points = found.guaranteed or found.sample
    points = {goal: point for goal, point in all_points.items() if not point.remark}
    fair_goals = [goal for goal, point in points.items() if is_useful(data, point)]
    if data.precision in points:
        goal = data.precision
    elif not (fair_goals if found.refusal else points) and (top := _top_rows(data, found)):
        return _better_than_top(data, found, top)
    elif points:
        goal = max(fair_goals) if fair_goals else max(points, key=lambda g: points[g].recall)
    else:
        goal = data.precision or min(all_points)
    return Lead(found, all_points[goal], goal, {"precision": goal, **options})


def choose_lower_goal(data: Predictions, lead: Lead) -> float | None:
    """Choose the next lower precision at which a second threshold finds clearly more.

    It is no precision that nearly all rows together have.
    """
    least = multiple_of_prevalence(data, LEAST_MULTIPLE)
    if not lead.is_sure or lead.goal is None or lead.point.remark:
        return None
    lower = [
        goal
        for goal, point in lead.thresholds.guaranteed.items()
        if least <= goal < lead.goal
        and not point.remark
        and point.recall >= lead.point.recall + CLEAR_GAIN
    ]
    return max(lower, default=None)


def _top_rows(data: Predictions, found: ModelThresholds) -> Lead | None:
    """Return the threshold of the top rows; None at a prevalence, or without that many rows."""
    if "prevalence" in data.options:
        return None
    depths = [k for k in TOP_ROWS if 2 * k <= data.n_rows]
    k = TOP_SHARE if "sample_weight" in data.options else next(iter(depths), None)
    if k is None:
        return None
    point = data.ask(operating_point, found.model, k=k)
    if point.remark:
        return None
    precision = data.estimate(PrecisionAtK(k), found.model)
    recall = data.estimate(RecallAtK(k), found.model)
    # Both have the same rows, unless some are tied: one interval is then enough for a page.
    if not isnan(precision.low) and np.isclose(precision.value, point.precision):
        point = replace(
            point,
            precision_interval=(precision.low, precision.high),
            recall_interval=(recall.low, recall.high),
        )
    return Lead(found, point, None, {"k": k})


def _better_than_top(data: Predictions, found: ModelThresholds, top: Lead) -> Lead:
    """Return the threshold of a goal that finds more than the top rows at no lower precision."""
    better = {
        goal: point
        for goal, point in found.sample.items()
        if not point.remark
        and point.recall > top.point.recall
        and point.precision >= top.point.precision
        and point.precision_interval[0] > data.y_true.mean()
    }
    if not better:
        return top
    goal = max(better, key=lambda each: better[each].recall)
    return Lead(found, better[goal], goal, {"precision": goal})


def sure_point(data: Predictions, name: str, goal: float) -> OperatingPoint:
    return data.ask(operating_point, name, precision=goal, guarantee=guarantee_of_each(data))


def threshold_without(data: Predictions, left_out: Bool, cutoff: Cutoff | None) -> str:
    """Write the threshold that is sure without some rows, if it is better than that of all.

    It is that of the precision of the user, or of the highest usual one with a fair recall.
    """
    kept = ~left_out
    y_score = np.asarray(data.y_scores[data.best_model])
    goal = recall = 0.0
    if cutoff is not None and cutoff.is_guaranteed:
        goal = cutoff.goal or 0.0
        found = y_score[kept & data.y_true] >= cutoff.threshold
        recall = found.mean() + CLEAR_GAIN if found.size else 1.0
    for precision, point in _sure_points_of_rows(data, data.best_model, kept):
        if precision >= goal and (precision > goal or point.recall > recall):
            threshold = threshold_as_text(point.threshold, point.next_score, FEWEST_DIGITS)
            share = f"finds {percent(point.recall)} of the positives"
            return f"{threshold} or more has a precision of at least {precision:g}, and {share}"
    return ""


def threshold_inside(data: Predictions, model: str, rows: Bool) -> str:
    """Write the threshold of a model that is sure among some rows, or that none is."""
    for precision, point in _sure_points_of_rows(data, model, rows):
        threshold = threshold_as_text(point.threshold, point.next_score, FEWEST_DIGITS)
        share = f"{percent(point.recall)} of the positives there found"
        return (
            f"select rows where {model} scores {threshold} or more: {share} at a precision of at "
            f"least {precision:g}"
        )
    goals = usual_precisions(data) if data.precision is None else [data.precision]
    lowest = f"{min(goals):g}"
    found = f"that finds {percent(fair_recall(data))} of the positives there"
    return f"no threshold of {model} {found} is sure to have a precision of {lowest}"


def _sure_points_of_rows(
    data: Predictions, model: str, rows: Bool
) -> Iterator[tuple[float, OperatingPoint]]:
    """List the useful thresholds that are sure among some rows, the highest precision first."""
    y_score = np.asarray(data.y_scores[model])
    options = data.options_of_rows(rows) | data.asked_prevalence
    goals = usual_precisions(data) if data.precision is None else [data.precision]
    for precision in sorted(goals, reverse=True):
        try:
            point = operating_point(
                data.y_true[rows],
                y_score[rows],
                precision=precision,
                guarantee=guarantee_of_each(data),
                **options,
            )
        except ValueError:  # such as rows of one class
            return
        if is_useful(data, point):
            yield precision, point


def _guaranteed_points(
    data: Predictions, name: str, goals: Goals
) -> tuple[dict[float, OperatingPoint], str]:
    """Find the thresholds of a model that have a precision with a guarantee, or why none has."""
    try:
        return {goal: sure_point(data, name, goal) for goal in goals.values}, ""
    except ValueError as error:
        return {}, str(error)


def _sample_points(
    data: Predictions,
    goal: float,
    guaranteed: dict[str, tuple[dict[float, OperatingPoint], str]],
    unshown: dict[str, list[str]],
) -> dict[str, OperatingPoint]:
    """Find the threshold of each model, and issue one warning where several have the same.

    There is no warning that luck alone explains a precision where the table says that none has a
    guarantee. Where none can be given, ``unshown`` gets the precision, by model.
    """
    points = {}
    models: dict[str, list[str]] = {}
    for name, (_, refusal) in guaranteed.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            points[name] = data.ask(operating_point, name, precision=goal)
        for warning in caught:
            text = str(warning.message)
            if not text.startswith(UNATTAINABLE):
                models.setdefault(text, []).append(name)
            elif data.precision not in (None, goal):  # nobody asked for it
                continue
            elif refusal and name == data.best_model:  # others are not advised
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
