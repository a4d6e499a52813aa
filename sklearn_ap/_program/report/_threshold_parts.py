"""The part of a report about thresholds: those that are guaranteed, and those of the sample."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.text import cases_as_text, count_as_text, threshold_as_text
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import (
    DASH,
    as_cell,
    describe,
    number,
    number_of_digits,
    percent,
    pictured,
    score,
    used_columns,
)
from sklearn_ap._program.report.page import Cutoff, Part, Picture
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.operating_points.picture import plot_operating_point
from sklearn_ap._questions.verdicts import Estimate, names_in_words
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import PrecisionAtK, RecallAtK

PRECISIONS = 0.5, 0.8, 0.9
PREVALENCES = 10  # a goal is this multiple of the prevalence where it is far below all others
HIGHEST_MULTIPLE = 0.4
LOWER_PREVALENCES = 5, 3, 2, 1.5  # the multiples of a weak model, which reaches no other goal
# A threshold that finds a smaller share of the positives, or fewer of them, is of little use.
FAIR_RECALL = 0.1
FAIR_POSITIVES = 5
GUARANTEE = 0.9  # shared by the models that one was chosen from
TOP_ROWS = 100, 10  # shown where no threshold is sure
TOP_SHARE = 0.01  # of the weight
FEWEST_DIGITS = 3  # of a threshold
PICTURED_RECALLS = 0.1, 0.25, 0.5, 0.75, 0.9  # in the words for the picture
PICTURE_HEIGHT = 2.9  # inches
UNATTAINABLE: Final = "unattainable precision"  # the name of a warning, and its first words
HEADS = {
    True: ("guaranteed from", "rows", "recall"),
    False: ("best in this sample from", "rows", "precision", "recall"),
}
OTHER_GOAL = "precision= or --precision sets another"


class Guaranteed(NamedTuple):
    """The thresholds of a model with a guarantee for each precision, or why there are none."""

    points: dict[float, OperatingPoint]
    refusal: str = ""


class Goals(NamedTuple):
    """The precisions of the table, and of how many prevalences one of them is."""

    values: list[float]
    multiple: float = 0  # of the prevalence; 0 if none of the values is one
    lowered_from: float = 0  # a precision that no threshold is sure to have; 0 if there is none


class Lead(NamedTuple):
    """The threshold of the heading: that of a precision, or of top rows, which has no goal."""

    point: OperatingPoint
    goal: float | None
    options: Keywords  # of the call that gives it

    @property
    def is_sure(self) -> bool:
        return "guarantee" in self.options

    def cutoff(self, alternative: str) -> Cutoff | None:
        """Return what other parts need of it; ``alternative`` is the sentence about another."""
        if self.point.remark:
            return None
        return Cutoff(self.point.threshold, self.is_sure, alternative)


def thresholds_part(data: Predictions) -> Part:
    goals = _goals(data)
    points = {name: _guaranteed(data, name, goals.values) for name in data.shown_models}
    unshown: dict[str, list[str]] = {}
    samples = {goal: _sample_points(data, goal, points, unshown) for goal in goals.values}
    _warn_of_unshown(unshown)
    cells = [["precision", "model", *HEADS[True], *HEADS[False]]]
    for goal in goals.values:
        for name in data.shown_models:
            sure = points[name].points.get(goal)
            numbers = [DASH] * len(HEADS[True]) if sure is None else _sure_cells(data, name, sure)
            numbers += _sample_cells(data, name, samples[goal][name])
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    best = points[data.best_model]
    lead = _lead(data, best, {goal: named[data.best_model] for goal, named in samples.items()})
    chance = _chance_in_words(data, lead)
    sentence = chance or _sentence(data, lead, best, goals)
    tradeoff = _tradeoff(data, lead, best)
    return Part(
        sentence,
        used_columns(cells),
        _notes(data, best, goals),
        _picture(data, lead),
        call=data.call(operating_point, data.best_model, **lead.options),
        brief=" ".join([sentence, *tradeoff]),
        more=[*tradeoff, *_reasons(data, lead, goals)],
        first_rows=range(0, len(cells) - 1, len(data.shown_models)),
        cutoff=None if chance else lead.cutoff(" ".join(tradeoff)),
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
    points = [(f"{curve.threshold[i]:.3g}", curve.precision[i], curve.recall[i]) for i in places]
    if not lead.point.remark:
        points.append((_printed(lead.point), lead.point.precision, lead.point.recall))
    rows = [
        [f"{threshold}:", f"precision {number(precision)}, recall {number(recall)}"]
        for threshold, precision, recall in sorted(points, key=lambda point: point[2])
    ]
    title = f"Precision and recall of {data.best_model} by threshold, for {lead.point.goal}"
    draw = partial(
        plot_operating_point,
        lead.point,
        threshold=_printed(lead.point),
        selection=_selection(data, lead.point) if "sample_weight" in data.options else "",
        # The heading has the guarantee of the chosen model, which is not that of each model.
        confidence=f"{GUARANTEE:.0%} sure, best of {len(data.y_scores)}" if data.is_chosen else "",
    )
    return Picture(draw, PICTURE_HEIGHT, pictured(title, rows))


def _goals(data: Predictions) -> Goals:
    """Choose precisions: the usual ones, and that of the user, or one that fits the prevalence.

    If a threshold of the best model is sure to have none of them, a lower one is added that some
    threshold is sure to have.
    """
    if data.precision is not None:
        return Goals(sorted({*PRECISIONS, data.precision}))
    goals = Goals([*PRECISIONS])
    multiple = _multiple_of_prevalence(data, PREVALENCES)
    if multiple < HIGHEST_MULTIPLE:
        goals = Goals([multiple, *PRECISIONS], PREVALENCES)
    found = _guaranteed(data, data.best_model, goals.values)
    if found.refusal or any(_is_useful(data, point) for point in found.points.values()):
        return goals
    lowest = goals.values[0]
    for times in LOWER_PREVALENCES:
        goal = _multiple_of_prevalence(data, times)
        if goal < lowest and _is_useful(data, _sure_point(data, data.best_model, goal)):
            return Goals([goal, *goals.values], times, lowered_from=lowest)
    return goals


def _is_useful(data: Predictions, point: OperatingPoint) -> bool:
    return not point.remark and point.recall >= _fair_recall(data)


def _fair_recall(data: Predictions) -> float:
    return max(FAIR_RECALL, min(1.0, FAIR_POSITIVES / np.count_nonzero(data.y_true)))


def _multiple_of_prevalence(data: Predictions, times: float) -> float:
    """Return a precision of several prevalences, with two digits."""
    prevalence = data.options.get("prevalence", np.average(data.y_true, weights=data.weight))
    return float(f"{times * prevalence:.2g}")


def _notes(data: Predictions, best: Guaranteed, goals: Goals) -> list[str]:
    sure = "" if best.refusal else f"; a guaranteed one in {_miss_rate(data)}"
    notes = [
        "Precision is the share of positives among the rows that you select, and recall is the "
        "share of all positives that you find.",
        "A threshold that is best in this sample misses its goal in about half of new samples"
        f"{sure}.",
    ]
    if not best.refusal:
        notes += _note_on_choice(data)
    if goals.multiple == PREVALENCES:
        notes.append(f"A precision of {goals.values[0]:g} is {PREVALENCES} times the prevalence.")
    if "sample_weight" in data.options:
        notes.append("Precision and recall count the weight of rows.")
    return notes


def _miss_rate(data: Predictions) -> str:
    """Say how often a guaranteed threshold misses its goal: tests over clusters are not exact."""
    rate = f"{1 - GUARANTEE:.0%}"
    others = _other_clusters(data)
    return f"about {rate} of samples of {others}" if others else f"at most {rate}"


def _other_clusters(data: Predictions) -> str:
    """Write "other patients" by the user's word for clusters; empty without them."""
    if "clusters" not in data.options:
        return ""
    return f"other {data.cluster_noun}s"


def _note_on_choice(data: Predictions) -> list[str]:
    """Say how the guarantee allows for the choice among models: Bonferroni's."""
    n_models = len(data.y_scores)
    if not data.is_chosen:
        return []
    return [
        f"To allow for the choice among {n_models} models, each threshold has a guarantee of "
        f"{_guarantee(data):.4g}, which is 1 - {1 - GUARANTEE:.2g} / {n_models}. So the threshold "
        f"of the chosen model has {GUARANTEE:.0%} confidence."
    ]


def _guarantee(data: Predictions) -> float:
    """Return the guarantee of each threshold, so that all models together have ``GUARANTEE``."""
    n_models = len(data.y_scores) if data.is_chosen else 1
    return float(f"{1 - (1 - GUARANTEE) / n_models:.12g}")  # as calls print it


def _lead(data: Predictions, best: Guaranteed, samples: dict[float, OperatingPoint]) -> Lead:
    """Choose the threshold of the heading: the user's, or else the most useful one.

    That has the highest precision with a fair recall, or the highest recall if none has. Where no
    threshold will do, it has the top rows.
    """
    options: Keywords = {} if best.refusal else {"guarantee": _guarantee(data)}
    all_points = best.points or samples
    points = {goal: point for goal, point in all_points.items() if not point.remark}
    fair_goals = [goal for goal, point in points.items() if _is_useful(data, point)]
    if data.precision in points:
        goal = data.precision
    elif not (fair_goals if best.refusal else points) and (top := _top_rows(data)):
        return top
    elif points:
        goal = max(fair_goals) if fair_goals else max(points, key=lambda g: points[g].recall)
    else:
        goal = data.precision or min(all_points)
    return Lead(all_points[goal], goal, {"precision": goal, **options})


def _top_rows(data: Predictions) -> Lead | None:
    """Return the threshold of the top rows; None at a prevalence, or without that many rows."""
    if "prevalence" in data.options:
        return None
    depths = [k for k in TOP_ROWS if 2 * k <= data.n_rows]
    k = TOP_SHARE if "sample_weight" in data.options else next(iter(depths), None)
    if k is None:
        return None
    point = data.ask(operating_point, data.best_model, k=k)
    if point.remark:
        return None
    precision = data.estimate(PrecisionAtK(k), data.best_model)
    recall = data.estimate(RecallAtK(k), data.best_model)
    # Both have the same rows, unless some are tied: one interval is then enough for a page.
    if not isnan(precision.low) and np.isclose(precision.value, point.precision):
        point = replace(
            point,
            precision_interval=(precision.low, precision.high),
            recall_interval=(recall.low, recall.high),
        )
    return Lead(point, None, {"k": k})


def _sure_point(data: Predictions, name: str, goal: float) -> OperatingPoint:
    return data.ask(operating_point, name, precision=goal, guarantee=_guarantee(data))


def _guaranteed(data: Predictions, name: str, goals: Sequence[float]) -> Guaranteed:
    """Find the thresholds of a model that have a precision with a guarantee."""
    try:
        points = {goal: _sure_point(data, name, goal) for goal in goals}
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


def _sure_cells(data: Predictions, name: str, point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH]
    return [_printed(point), _rows_as_text(data, name, point), as_cell(_recall(point))]


def _sample_cells(data: Predictions, name: str, point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH, DASH]
    n_rows = _rows_as_text(data, name, point)
    return [_printed(point), n_rows, as_cell(_precision(point)), number(point.recall)]


def _printed(point: OperatingPoint) -> str:
    """Print a threshold with three digits, or more if these select other rows."""
    return threshold_as_text(point.threshold, point.next_score, FEWEST_DIGITS)


def _recall(point: OperatingPoint) -> Estimate:
    return Estimate(point.recall, *point.recall_interval)


def _precision(point: OperatingPoint) -> Estimate:
    return Estimate(point.precision, *point.precision_interval)


def _rows_as_text(data: Predictions, name: str, point: OperatingPoint) -> str:
    """Count the selected rows, as "1,225", and with weights as "115 (weight 2,299)"."""
    if "sample_weight" not in data.options:
        return cases_as_text(point.n_selected)
    # Rows without weight are selected, too.
    n_rows = np.count_nonzero(data.y_scores[name] >= float(_printed(point)))
    return f"{n_rows:,} (weight {score(point.n_selected)})"


def _selection(data: Predictions, point: OperatingPoint) -> str:
    """Write "1,225 rows", or with weights "115 rows (weight 2,299)"."""
    n_rows, _, weight = _rows_as_text(data, data.best_model, point).partition(" ")
    return " ".join(filter(None, [n_rows, "row" if n_rows == "1" else "rows", weight]))


def _shares(point: OperatingPoint, precision: str) -> str:
    """Write "16% of the positives found, precision 0.54"."""
    at = _prevalence_in_words(point)
    return f"{percent(point.recall)} of the positives found, precision {precision}{at}"


def _prevalence_in_words(point: OperatingPoint) -> str:
    return "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"


def _sentence(data: Predictions, lead: Lead, best: Guaranteed, goals: Goals) -> str:
    """Give the threshold of the best model that is sure, or say first that none is."""
    point = lead.point
    wanted = data.precision or goals.values[0]
    none = f"No threshold of {data.best_model} is sure to have a precision of {wanted:g} or more"
    scores = "with scores of" if data.is_single_model else f"where {data.best_model} scores"
    where = f"{scores} {_printed(point)} or more"
    if lead.is_sure and not point.remark:
        others = _other_clusters(data)
        scope = f" for {others}," if others else ""
        sure = f"at least {lead.goal:g}{scope} with {GUARANTEE:.0%} confidence{_choice(data)}"
        shares = _shares(point, f"{number(point.precision)} ({sure})")
        selected = f"{_selection(data, point)}, {shares}"
        if data.precision in (None, lead.goal):
            return f"Select rows {where}: {selected}."
        return f"{none}; for {lead.goal:g}, select rows {where}: {selected}."
    if best.refusal:
        none = _refusal_in_words(data, best.refusal)
        if point.remark or data.precision not in (None, lead.goal):
            none += f", and none has {wanted:g} in this sample"
    if point.remark:
        return f"{none}."
    precision = describe(_precision(point), data.interval_kind)
    if lead.goal is None:
        selected = f"the top {_selection(data, point)}, {where}: {_shares(point, precision)}"
        return f"{none}; in this sample, {selected}."
    taken = f"selecting rows {where} takes {_selection(data, point)}"
    share = percent(point.recall)
    at = _prevalence_in_words(point)
    finds = f"{taken} and finds {share} of the positives at a precision of {precision}{at}"
    return f"{none}; in this sample, {finds}{_unshown_goal(point, lead.goal)}."


def _unshown_goal(point: OperatingPoint, goal: float) -> str:
    """Say that a precision that was asked for is not shown, if its interval goes below it."""
    low, _ = point.precision_interval
    return f", so {goal:g} is not shown" if low < goal else ""


def _choice(data: Predictions) -> str:
    """Say that a guarantee allows for the choice of the model on the same rows."""
    return f", even after the choice among {len(data.y_scores)} models" if data.is_chosen else ""


def _chance_in_words(data: Predictions, lead: Lead) -> str:
    """Say that no threshold is known to be of use where the top rows may be as good as random ones.

    A precision that somebody needs has another answer, and weights have no such count.
    """
    low, _ = lead.point.precision_interval
    is_unneeded = data.precision is None and "sample_weight" not in data.options
    if lead.goal is not None or not is_unneeded or low > data.y_true.mean():
        return ""
    n_rows = int(lead.point.n_selected)
    expected = number_of_digits(n_rows * data.y_true.mean())
    n_found = round(lead.point.precision * n_rows)
    return (
        f"No threshold of {data.best_model} is known to be worth using: the top {n_rows:,} rows "
        f"hold {count_as_text(n_found, 'positive')}, and {expected} are expected by chance."
    )


def _tradeoff(data: Predictions, lead: Lead, best: Guaranteed) -> list[str]:
    """Give the threshold that finds more at a lower precision: 0.5, or else one below it."""
    if not lead.is_sure or lead.goal is None or lead.point.remark:
        return []
    lower = [
        goal
        for goal, point in best.points.items()
        if goal < lead.goal and not point.remark and point.n_selected > lead.point.n_selected
    ]
    goal = min([each for each in lower if each >= PRECISIONS[0]], default=max(lower, default=None))
    if goal is None:
        return []
    point = best.points[goal]
    found = f"{_selection(data, point)}, {percent(point.recall)} found"
    return [f"Or select scores from {_printed(point)}: {found}, precision at least {goal:g}."]


def _reasons(data: Predictions, lead: Lead, goals: Goals) -> list[str]:
    """Say why the heading has this precision, and how to ask for another."""
    if data.precision is not None:
        return []
    has_weights = "sample_weight" in data.options
    known = "reached in this sample" if has_weights else "guaranteed"
    fair = f"with {percent(_fair_recall(data))} or more of the positives found"
    if lead.goal is None or lead.point.remark:
        lowest = _multiple_of_prevalence(data, LOWER_PREVALENCES[-1])
        times = f"{lowest:g}, {LOWER_PREVALENCES[-1]:g} times the prevalence,"
        why = f"Not even {times} is {known} {fair}"
        if has_weights or lowest >= goals.values[0]:  # no lower goal was tried
            why = f"None of {_listed(goals)} is {known} {fair}"
    elif not _is_useful(data, lead.point):
        why = f"{lead.goal:g} has the highest recall of those that are {known}"
    elif goals.lowered_from:
        why = (
            f"{lead.goal:g} is {goals.multiple:g} times the prevalence, as {goals.lowered_from:g}, "
            f"the lowest usual goal, is not {known} {fair}"
        )
    else:
        why = f"{lead.goal:g} is the highest of {_listed(goals)} that is {known} {fair}"
    return [f"{why}; {OTHER_GOAL}."]


def _listed(goals: Goals) -> str:
    return names_in_words([f"{goal:g}" for goal in goals.values])


def _refusal_in_words(data: Predictions, refusal: str) -> str:
    """Say why no threshold has a guarantee."""
    if "sample_weight" in data.options:
        return "With weights, no threshold can be guaranteed"
    reason = refusal.split(". ")[0].rstrip(".")
    return f"No threshold of {data.best_model} can be guaranteed to have a precision: {reason}"
