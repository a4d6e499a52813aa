"""The part of a report about thresholds: those that are guaranteed, and those of the sample."""

import warnings
from typing import Final, NamedTuple

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.text import cases_as_text
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import DASH, as_cell, describe, number, used_columns
from sklearn_ap._program.report.page import Part
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.verdicts import Estimate, names_in_words
from sklearn_ap._uncertainty.warnings import UncertaintyWarning

PRECISIONS = 0.5, 0.8, 0.9
GOALS = 0.8, 0.9, 0.5  # of the heading: the first that has a guarantee
GUARANTEE = 0.9
UNATTAINABLE: Final = "unattainable precision"  # the name of a warning, and its first words
HEADS = {
    True: ("guaranteed from", "rows", "recall"),
    False: ("best in this sample from", "rows", "precision", "recall"),
}


class Guaranteed(NamedTuple):
    """The thresholds of a model with a guarantee for each precision, or why there are none."""

    points: dict[float, OperatingPoint]
    refusal: str = ""

    @property
    def goal(self) -> float | None:
        """The precision of the heading; None if no threshold has a guarantee."""
        found = (goal for goal in GOALS if goal in self.points and not self.points[goal].remark)
        return next(found, None)


def thresholds_part(data: Predictions) -> Part:
    points = {name: _guaranteed(data, name) for name in data.shown_models}
    unshown: dict[str, list[str]] = {}
    samples = {goal: _sample_points(data, goal, points, unshown) for goal in PRECISIONS}
    _warn_of_unshown(unshown)
    cells = [["precision", "model", *HEADS[True], *HEADS[False]]]
    for goal in PRECISIONS:
        for name in data.shown_models:
            sure = points[name].points.get(goal)
            numbers = [DASH] * len(HEADS[True]) if sure is None else _guaranteed_cells(sure)
            numbers += _sample_cells(samples[goal][name])
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    best = points[data.best_model]
    notes = [
        "Precision is the share of positives among the rows that you select, and recall is the "
        "share of all positives that you select.",
        "The true precision of the best threshold in a sample is below its goal in half of the "
        "samples.",
    ]
    if not best.refusal:
        error = f"at most {1 - GUARANTEE:.0%} of samples"
        notes.append(f"That of a guaranteed threshold is below its goal in {error}.")
    goal = best.goal or 0.8
    options: Keywords = {} if best.goal is None else {"guarantee": GUARANTEE}
    call = data.call(operating_point, data.best_model, precision=goal, **options)
    sentence = _sentence(data, best, samples)
    return Part(sentence, used_columns(cells), notes, call=call)


def _guaranteed(data: Predictions, name: str) -> Guaranteed:
    """Find the thresholds of a model that have a precision with a guarantee."""
    try:
        points = {
            goal: data.ask(operating_point, name, precision=goal, guarantee=GUARANTEE)
            for goal in PRECISIONS
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


def _sentence(
    data: Predictions, best: Guaranteed, samples: dict[float, dict[str, OperatingPoint]]
) -> str:
    """Give the guaranteed threshold of the best model, or say that there is none."""
    model = data.best_model
    if best.goal is not None:
        point = best.points[best.goal]
        recall = describe(_recall(point), data.interval_kind)
        chosen = point.verdicts[0].sentence.replace("that score", f"that {model} scores", 1)
        return f"{chosen} These are {_rows_in_words(data, point)}, with a recall of {recall}."
    if not best.refusal:
        least = f"{min(PRECISIONS):g}"
        return (
            f"No threshold of {model} is sure to have a precision of {least} or more: this sample "
            f"does not show it with {GUARANTEE:.0%} confidence."
        )
    nothing = _refusal_in_words(data, best.refusal)
    point = samples[GOALS[0]][model]
    if point.remark:
        return f"{nothing} None has {GOALS[0]} in this sample."
    precision = describe(Estimate(point.precision, *point.precision_interval), data.interval_kind)
    selected = f"the {_rows_in_words(data, point)} that score {point.printed_threshold} or higher"
    return f"{nothing} In this sample, {selected} have a precision of {precision}."


def _refusal_in_words(data: Predictions, refusal: str) -> str:
    """Say why no threshold has a guarantee."""
    if "sample_weight" in data.options:
        return "With weights, no threshold can be guaranteed."
    reason = refusal.split(". ")[0].rstrip(".")
    return f"No threshold of {data.best_model} can be guaranteed to have a precision: {reason}."
