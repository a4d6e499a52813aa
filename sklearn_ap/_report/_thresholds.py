"""Thresholds: those of the leading models for several goals, and those to use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, inf, isnan, log10

import numpy as np

from sklearn_ap._report._data import ReportData
from sklearn_ap._report._fact import Fact, Measured, Refused
from sklearn_ap._report._falls import WorseSegment, write_falls
from sklearn_ap._report._levels import raise_level
from sklearn_ap._report._models import has_skill
from sklearn_ap._report._parts import Part, make_table
from sklearn_ap._report.questions import Questions, UnansweredError
from sklearn_ap._types import Bool
from sklearn_ap._writing.text import (
    MISSING,
    count_as_text,
    interval_as_text,
    level_as_text,
    share_as_text,
)
from sklearn_ap.inference.thresholds.goals import Goal, PrecisionGoal, RecallGoal, ShareGoal
from sklearn_ap.inference.thresholds.operating_point import USUAL_GUARANTEE, operating_point

GOALS = 0.5, 0.8, 0.9  # precisions, if the prevalence is lower
LIFT = 10  # a goal is also this multiple of a low prevalence
FAIR_RECALL, FAIR_HITS = 0.1, 5  # of a threshold that is advised: its recall, and positives found
PLACES_TOLD = 2  # where the model is worse, with what the threshold selects there


@dataclass(frozen=True)
class Threshold(Fact):
    """A threshold for a goal, or nan, and the confidence that it truly reaches the goal, or 0."""

    model: str
    goal: Goal
    threshold: float
    n_selected: int
    precision: Measured
    recall: Measured
    guarantee: float
    is_warned: bool

    def __str__(self) -> str:
        if isnan(self.threshold):
            return f"No threshold of {self.model} is shown to suffice for {self.goal.text}."
        n_rows, recall = count_as_text(self.n_selected), share_as_text(self.recall.value)
        guarantee = ", without a guarantee" if isinstance(self.goal, ShareGoal) else ""
        if self.guarantee:
            guarantee = f", guaranteed with {level_as_text(self.guarantee)} confidence"
        return (
            f"Select rows where {self.model} scores {self.threshold} or more: {n_rows} rows with "
            f"{recall} of the positives and a precision of {self.precision.phrase()}, for "
            f"{self.goal.text}{guarantee}."
        )


@dataclass(frozen=True)
class ThresholdThere(Fact):
    """The rows and positives that a threshold selects where its model is worse."""

    place: WorseSegment
    n_selected: int
    n_hits: int
    n_positives: int

    def __str__(self) -> str:
        n_selected, n_hits = count_as_text(self.n_selected), count_as_text(self.n_hits)
        return (
            f"Of the rows {self.place.where}, this threshold selects {n_selected}, with {n_hits} "
            f"of the {count_as_text(self.n_positives)} positives."
        )


def make_thresholds_part(
    questions: Questions, advised: str, places: Sequence[WorseSegment]
) -> Part:
    """Give the thresholds of the leading models for several goals, and say which to use."""
    try:
        asked = product(questions.leading, list_goals(questions))
        thresholds = [find_threshold(questions, model, goal) for model, goal in asked]
    except UnansweredError as error:
        return Part("Thresholds", [Refused(str(error))])
    told: list[Fact] = []
    if has_skill(questions, advised):
        own = [fact for fact in thresholds if fact.model == advised]
        chosen = choose_thresholds(questions, own)
        worse = [place for place in places if place.model == advised][:PLACES_TOLD]
        found = [fact for fact in chosen if not isnan(fact.threshold)]
        told = [*chosen, *(find_there(questions, *each) for each in product(found, worse))]
    level = interval_as_text(questions.level)
    head = ["model", "goal", "from", "rows", f"precision ({level})", f"recall ({level})"]
    body = []
    for fact in thresholds:
        cells = ["none", MISSING, MISSING, MISSING]
        if not isnan(fact.threshold):
            shares = [fact.precision.text(), fact.recall.text()]
            cells = [str(fact.threshold), count_as_text(fact.n_selected), *shares]
        body.append([fact.model, fact.goal.text, *cells])
    notes = write_falls(places)
    return Part("Thresholds", told, make_table(head, body), thresholds, notes=notes)


def list_goals(questions: Questions) -> list[Goal]:
    """List the goals that a page shows: precisions, the lowest first, and what was asked for."""
    prevalence = questions.prevalence
    lifted = LIFT * prevalence
    shares = {share for share in GOALS if prevalence < share}
    if lifted < min(GOALS):
        shares.add(round(lifted, 1 - floor(log10(lifted))))  # with two digits
    if not shares and prevalence < 1:  # not where negatives have next to no weight
        shares = {round((1 + prevalence) / 2, 1 - floor(log10((1 - prevalence) / 2)))}
    goals: list[Goal] = [PrecisionGoal(precision=share) for share in shares]
    if questions.goal and questions.goal not in goals:
        goals.append(questions.goal)
    return sorted(goals, key=lambda goal: goal.precision or 1)


def find_threshold(questions: Questions, model: str, goal: Goal) -> Threshold:
    """Find the threshold for a goal, with a guarantee of its share if there is one.

    That of a recall goes with clusters, too. Of three models or more, the error of the guarantee is
    divided by their number.
    """
    data = questions.data
    n_choices = len(data.models) if len(data.models) > 2 else 1
    options: dict[str, object] = {**goal.to_dict()}
    guarantee = 0.0
    has_tests = data.are_alike or (
        isinstance(goal, RecallGoal) and "sample_weight" not in data.options
    )
    if has_tests and isinstance(goal, ShareGoal) and 0 < goal.least < 1:
        guarantee = USUAL_GUARANTEE
        options["guarantee"] = raise_level(guarantee, n_choices)
    answer = questions.ask(operating_point, model, rows=None, segments=None, **options)
    point = answer.result
    lowest = point.threshold if point.n_selected else inf  # not nan
    return Threshold(
        model=model,
        goal=goal,
        threshold=point.threshold,
        n_selected=int(np.sum(flag_selected(data, model, lowest))),  # not their weight
        precision=Measured(*point.precision, questions.level, point.sample.target_prevalence),
        recall=Measured(*point.recall, questions.level),
        guarantee=guarantee,
        is_warned=bool(answer.warnings),
        calls=(answer.call,),
    )


def find_there(questions: Questions, fact: Threshold, place: WorseSegment) -> ThresholdThere:
    """Count what a threshold selects where its model is worse."""
    answer = questions.ask(operating_point, fact.model, rows=place.rows, threshold=fact.threshold)
    selected = flag_selected(questions.data, fact.model, fact.threshold)[place.rows.value]
    positive = questions.data.positive[place.rows.value]
    return ThresholdThere(
        place=place,
        n_selected=int(selected.sum()),
        n_hits=int((selected & positive).sum()),
        n_positives=int(positive.sum()),
        calls=(answer.call,),
    )


def flag_selected(data: ReportData, model: str, threshold: float) -> Bool:
    """Flag the rows that count and score at least a threshold."""
    scores = np.asarray(data.models[model].value).ravel()
    return (scores >= threshold) & data.is_counted


def choose_thresholds(questions: Questions, thresholds: Sequence[Threshold]) -> list[Threshold]:
    """Choose the threshold for what was asked for, or else for the highest useful precision."""
    asked = [fact for fact in thresholds if fact.goal == questions.goal]
    useful = [fact for fact in thresholds if is_useful(questions, fact)]
    if asked and asked[0].goal.precision and isnan(asked[0].threshold):  # tell what suffices
        return [*asked, *useful[-1:]]
    return asked or useful[-1:] or [*thresholds[:1]]


def is_useful(questions: Questions, fact: Threshold) -> bool:
    """Check that a threshold finds enough positives, and that no warning distrusts it."""
    recall, n_positives = fact.recall.value, float(questions.data.positive.sum())
    is_enough = recall >= FAIR_RECALL and recall * n_positives >= FAIR_HITS
    return is_enough and not fact.is_warned
