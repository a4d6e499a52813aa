"""What models, top rows and thresholds give: a rule for each kind of fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, isnan, log10, prod
from typing import Any

import numpy as np

from sklearn_ap._report import _facts as facts
from sklearn_ap._report._facts import difference_of, precision_and_recall, score_of
from sklearn_ap._report.calls import ReportAnswer
from sklearn_ap._report.data import Data, SegmentColumn
from sklearn_ap._types import Bool, Keywords
from sklearn_ap.definitions import PrecisionAtK, RecallAtK
from sklearn_ap.inference.chance import chance_test
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.goals import Goal
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.operating_point import operating_point

LEVEL_OF_GUARANTEE = 0.9
GOALS = 0.5, 0.8, 0.9  # precisions, if the prevalence is lower
LIFT = 10  # a goal is also this multiple of a low prevalence
FAIR_RECALL, FAIR_HITS = 0.1, 5  # of a threshold that is advised: its recall, and positives found
TOP_SHARES = 0.01, 0.05, 0.1  # of the rows
TOP_RANKS = 5, 10  # of each query
UNLIKE_ROWS = {"clusters": "clusters", "sample_weight": "weights"}  # with which none is guaranteed
# Every test of a report: its level, which is divided by the number of questions behind "by".
# benchmarks/report.py counts how often they err.
TESTS = {
    "above chance": 0.05,  # chance_test of the best model
    "worse segment": 0.02,  # compare_segments; by columns and models
    "fall": 0.04,  # compare_segments since a start, one-sided; by starts, columns and models
    "fall lasts": 0.05,  # the same with the latest time alone, and without it
    "better there": 0.05,  # compare_average_precision; by segments, columns and other models
    "better since": 0.1,  # compare_average_precision since a fall; by starts and other models
    "labels": 0.01,  # fisher_exact of positives of the latest time; by columns
}


def level_of(test: str, *divisors: int) -> float:
    """Divide the level of a test by the number of questions."""
    return TESTS[test] / max(1, prod(divisors))


def level_of_each(level: float, n: int) -> float:
    """Find the level of each of several intervals, or guarantees, that hold at once."""
    return 1 - (1 - level) / n


# Models.
def find_scores(data: Data) -> list[facts.Score]:
    """Score each model, the highest first."""
    return [
        facts.Score(model, score_of(result), calls=(call,))
        for model, (result, call) in data.scores.items()
    ]


def ask_models(data: Data) -> ReportAnswer[Any]:
    """Ask which model is best."""
    best, *others = data.scores
    if not others:
        return data.scores[best]
    reference = others[0] if len(others) == 1 else "best"
    return data.ask(compare_average_precision, (*data.scores,), reference=reference)


def find_best(data: Data) -> tuple[list[facts.Fact], list[str]]:
    """Compare two models, or find which of more may be the best; and list these, the best first."""
    best, *others = data.shown
    if not others:
        return [], [best]
    result, call = ask_models(data)
    if len(data.models) == 2:
        difference = difference_of(result)
        kind = facts.Lead if difference.low > 0 else facts.NoLead
        rivals = others if kind is facts.NoLead else []
        return [kind(best, others[0], difference, calls=(call,))], [best, *rivals]
    verdicts = zip(result.names, result.verdict, strict=True)
    undecided = tuple(name for name, verdict in verdicts if verdict == "undecided")
    best_score = score_of(result, result.names.index(result.reference))
    known = result.reference, best_score, len(data.models)
    best_alone = facts.Best(*known, calls=(call,))
    fact = facts.MayBeBest(*known, undecided, calls=(call,)) if undecided else best_alone
    return [fact], [best, *(name for name in others if name in undecided)]


def find_chance(data: Data) -> list[facts.Chance]:
    """Compare the best model with random orders."""
    result, call = data.ask(chance_test, data.best)
    kind = facts.Chance if result.pvalue < level_of("above chance") else facts.NotAboveChance
    return [kind(data.best, result.chance, result.pvalue, calls=(call,))]


# Thresholds and top rows.
def find_top_rows(data: Data, model: str) -> list[facts.TopRows]:
    """Find the precision and the recall of the first rows, or of those of each query."""
    if "queries" in data.options:
        return [find_top_ranks(data, model, k) for k in TOP_RANKS]
    found = []
    for k in (k for k in TOP_SHARES if k * data.positive.size >= FAIR_HITS):
        result, call = data.ask(operating_point, model, k=k)
        found.append(facts.TopRows(model, k, *precision_and_recall(result), calls=(call,)))
    return found


def find_top_ranks(data: Data, model: str, k: int) -> facts.TopRows:
    """Find the mean precision and recall of the first rows of each query."""
    definitions = PrecisionAtK(k), RecallAtK(k)
    pair = [data.ask(average_precision_interval, model, definition=d) for d in definitions]
    precision, recall = (score_of(result) for result, _ in pair)
    return facts.TopRows(model, k, precision, recall, calls=tuple(call for _, call in pair))


def threshold_goals(data: Data) -> list[Goal]:
    """List the goals that a page shows: precisions, the lowest first, and what was asked for."""
    lifted = LIFT * data.prevalence
    shares = [share for share in GOALS if data.prevalence < share]
    if lifted < min(GOALS):
        shares.append(round(lifted, 1 - floor(log10(lifted))))  # with two digits
    shares = shares or [round((1 + data.prevalence) / 2, 3)]
    goals = [Goal(precision=share) for share in shares]
    goals += [data.goal] if data.goal and data.goal not in goals else []
    return sorted(goals, key=lambda goal: goal.precision or 1)


def find_threshold(data: Data, model: str, goal: Goal) -> facts.Threshold | facts.NoThreshold:
    """Find the threshold for a goal, with a guarantee of its shares if all rows are alike.

    Of three models or more, the error of the guarantee is divided by their number.
    """
    n_choices = len(data.models) if len(data.models) > 2 else 1
    own: Keywords = {}
    goals = goal.shares.values()
    if data.has_equal_rows and goals and all(0 < share < 1 for share in goals):
        own["guarantee"] = level_of_each(LEVEL_OF_GUARANTEE, n_choices)
    result, call = data.ask(operating_point, model, **vars(goal), **own)
    if isnan(result.threshold):
        return facts.NoThreshold(model, goal, calls=(call,))
    n_selected = int(rows_above(data, model, result.threshold).sum())  # a result has their weight
    shares = precision_and_recall(result)
    sure = LEVEL_OF_GUARANTEE if own else 0.0
    unlike = tuple(word for option, word in UNLIKE_ROWS.items() if option in data.options)
    known = model, goal, result.threshold, n_selected, *shares, sure, unlike
    return facts.Threshold(*known, calls=(call,))


def rows_above(data: Data, model: str, threshold: float) -> Bool:
    """Select the rows at a threshold or above."""
    scores = np.asarray(data.models[model].value).ravel()
    return (scores >= threshold) & data.has_weight


def choose_threshold(data: Data, model: str) -> list[facts.Fact]:
    """Find the threshold for what was asked for, or else for the highest useful precision."""
    goals = threshold_goals(data)
    asked: list[facts.Fact] = []
    if data.goal:
        asked.append(find_threshold(data, model, data.goal))
        if isinstance(asked[0], facts.Threshold):
            return asked
        goals = [goal for goal in goals if (goal.precision or 1) < (data.goal.precision or 0)]
    found = [find_threshold(data, model, goal) for goal in goals]
    useful = [fact for fact in found if is_useful(data, fact)]
    return [*asked, *useful[-1:]] or [*found[:1]]


def is_useful(data: Data, fact: facts.Threshold | facts.NoThreshold) -> bool:
    """Check that a threshold finds enough positives, and that no warning distrusts it."""
    if isinstance(fact, facts.NoThreshold):
        return False
    recall = fact.recall.value
    is_enough = recall >= FAIR_RECALL and recall * float(data.positive.sum()) >= FAIR_HITS
    return is_enough and not {*fact.calls} & data.warned.keys()


def find_there(
    data: Data, fact: facts.Threshold, places: Sequence[facts.WorseSegment]
) -> Iterator[facts.ThresholdThere]:
    """Count what a threshold finds where its model is worse."""
    selected = rows_above(data, fact.model, fact.threshold)
    for place in places:
        parts = selected, selected & data.positive, data.positive
        n_selected, n_hits, n_positives = (int((part & place.rows.value).sum()) for part in parts)
        yield facts.ThresholdThere(place, n_selected, n_hits, n_positives)


def thresholds_of(data: Data, model: str, places: Sequence[facts.WorseSegment]) -> list[facts.Fact]:
    """Find the threshold to use, and what it finds where the model is worse."""
    found = choose_threshold(data, model)
    thresholds = [fact for fact in found if isinstance(fact, facts.Threshold)]
    return [*found, *(there for fact in thresholds for there in find_there(data, fact, places))]


def find_looked(data: Data, columns: Sequence[SegmentColumn]) -> facts.Looked:
    """Tell the columns that were looked at, and what is not known without others."""
    n_times = sum(column.are_times for column in columns)
    others = {"queries": "queries", "clusters": "clusters", "sample_weight": "weights"}
    names = [column.name for column in columns]
    names += [name for option, name in others.items() if option in data.options]
    are_known = {
        "times": n_times > 0,
        "segments": n_times < len(data.columns),
        "clusters": bool({"clusters", "queries"} & data.options.keys()),
    }
    lacks = tuple(name for name, is_known in are_known.items() if not is_known)
    return facts.Looked(tuple(names), lacks)
