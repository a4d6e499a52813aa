"""What is found about models, thresholds and segments: a rule for each kind of fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, isnan, log10, prod
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from sklearn_ap._report import _facts as facts
from sklearn_ap._report._calls import Coded, ReportAnswer, write_call
from sklearn_ap._report._facts import difference_of, precision_and_recall, score_of
from sklearn_ap._report.data import ROW_OPTIONS, Data, SegmentColumn, UnansweredError
from sklearn_ap._types import Bool, Keywords, Name
from sklearn_ap.definitions import PrecisionAtK, RecallAtK
from sklearn_ap.inference.chance import chance_test
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.goals import Goal, ShareGoal
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.operating_point import operating_point
from sklearn_ap.inference.segments import compare_segments

LEVEL_OF_GUARANTEE = 0.9
GOALS = 0.5, 0.8, 0.9  # precisions, if the prevalence is lower
LIFT = 10  # a goal is also this multiple of a low prevalence
FAIR_RECALL, FAIR_HITS = 0.1, 5  # of a threshold that is advised: its recall, and positives found
TOP_SHARES = 0.01, 0.05, 0.1  # of the rows
TOP_RANKS = 5, 10  # of each query
# With which a fall may begin, counted from the end, besides the later half of all times.
LATEST_TIMES = 1, 2, 3, 4, 6, 8, 12, 16, 24
UNLIKE_RATIO = 2.0  # of shares, at least, before labels are doubted
FEW = 20  # positives that the latest time of a fall has, at least
MOST_ASKED = 2  # of the best model in a column, in which other models are asked
# Every test of a report: its level, which is divided by the number of questions behind "by".
# benchmarks/report.py counts how often they err.
TESTS = {
    "above chance": 0.05,  # chance_test of a model
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


# ---- models


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
    n_models = len(data.models)
    fact = facts.Best(result.reference, best_score, n_models, calls=(call,))
    if undecided:
        fact = facts.MayBeBest(**vars(fact), others=undecided)
    return [fact], [best, *(name for name in others if name in undecided)]


def find_chance(data: Data) -> list[facts.Chance]:
    """Compare the best model with random orders."""
    result, call = data.ask(chance_test, data.best)
    kind = facts.Chance if has_skill(data, data.best) else facts.NotAboveChance
    return [kind(data.best, result.chance, result.pvalue, calls=(call,))]


def has_skill(data: Data, model: str) -> bool:
    """Check whether a model is shown to score more than random orders."""
    try:
        return bool(data.ask(chance_test, model).result.pvalue < level_of("above chance"))
    except UnansweredError:  # of queries that share clusters
        return False


# ---- thresholds and top rows


def find_top_rows(data: Data, model: str) -> list[facts.TopRows]:
    """Find the precision and the recall of the first rows, or of those of each query."""
    found = []
    if "queries" in data.options:
        for k in TOP_RANKS:
            asked = [
                data.ask(average_precision_interval, model, definition=definition)
                for definition in (PrecisionAtK(k), RecallAtK(k))
            ]
            shares = [score_of(result) for result, _ in asked]
            found.append(facts.TopRows(model, k, *shares, calls=tuple(call for _, call in asked)))
        return found
    for share in (k for k in TOP_SHARES if k * data.positive.size >= FAIR_HITS):
        result, call = data.ask(operating_point, model, k=share)
        found.append(facts.TopRows(model, share, *precision_and_recall(result), calls=(call,)))
    return found


def threshold_goals(data: Data) -> list[Goal]:
    """List the goals that a page shows: precisions, the lowest first, and what was asked for."""
    lifted = LIFT * data.prevalence
    shares = [share for share in GOALS if data.prevalence < share]
    if lifted < min(GOALS):
        shares.append(round(lifted, 1 - floor(log10(lifted))))  # with two digits
    shares = shares or [round((1 + data.prevalence) / 2, 3)]
    goals: list[Goal] = [ShareGoal(precision=share) for share in shares]
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
    sure = LEVEL_OF_GUARANTEE if own else 0.0 if goals else None
    reasons = ROW_OPTIONS.items() if goals else ()
    unlike = tuple(word for option, word in reasons if option in data.options)
    return facts.Threshold(
        model, goal, result.threshold, n_selected, *shares, sure, unlike, calls=(call,)
    )


def rows_above(data: Data, model: str, threshold: float) -> Bool:
    """Select the rows at a threshold or above."""
    scores = np.asarray(data.models[model].value).ravel()
    return (scores >= threshold) & data.is_counted


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
    """Check that a threshold finds enough positives, and that no warning distrusts it.

    Over clusters nothing is guaranteed, so rows that were independent must guarantee the goal.
    """
    if isinstance(fact, facts.NoThreshold):
        return False
    if "clusters" in data.options:
        rows = data.without_clusters()
        if not is_useful(rows, find_threshold(rows, fact.model, fact.goal)):
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


# ---- segments: where, and since when, a model is worse


def ask_segments(data: Data, column: SegmentColumn, model: str) -> ReportAnswer[Comparison]:
    """Compare each segment of a column with the others."""
    return data.ask(compare_segments, model, segments=column.segments, **segment_prevalence(data))


def ask_since(
    data: Data, since: Coded, model: str, *, rows: Coded | None = None, n_starts: int = 1
) -> ReportAnswer[Comparison]:
    """Compare the rows since a time with those before, at a level for each of several times."""
    code = f"np.where({since.code}, 'since', 'before')"
    segments = Coded(np.where(since.value, "since", "before"), code)
    own: Keywords = {"reference": "before", **segment_prevalence(data)}
    if n_starts > 1:
        level = level_of_each(data.level, n_starts)
        own["confidence_level"] = ceil(1e4 * level - 1e-6) / 1e4  # rounded up, to be typed
    return data.ask(compare_segments, model, rows=rows, segments=segments, **own)


def segment_prevalence(data: Data) -> Keywords:
    """Leave queries, which have a prevalence each, at their own."""
    is_own = "queries" in data.options and "prevalence" not in data.options
    return {"prevalence": "own"} if is_own else {}


def is_lower(result: Comparison, level: float) -> bool:
    """Check that the rows since a time score less than those before, one-sided."""
    row = result.names.index("since")
    return bool(result.difference[row] < 0 and result.pvalue[row] / 2 < level)


def find_worse_segments(data: Data, column: SegmentColumn, model: str) -> list[facts.WorseSegment]:
    """Find the segments in which a model is worse than in the others, the worst first."""
    result, call = ask_segments(data, column, model)
    level = level_of("worse segment", len(data.columns), len(data.shown))
    found = [
        facts.WorseSegment(
            model,
            column.name,
            column.text(result.names[row]),
            column.rows("==", result.names[row]),
            float(result.estimate[row]),
            difference_of(result, row),
            calls=(call,),
        )
        for row in np.flatnonzero((result.pvalue < level) & (result.difference < 0)).tolist()
    ]
    return sorted(found, key=lambda fact: fact.difference.value)


def first_times(data: Data, column: SegmentColumn) -> list[Name]:
    """List the times with which a fall may begin; before more than one stand at least as many.

    If the labels of the latest time are in doubt, only a fall of this time can be.
    """
    n = len(column.names)
    if n < 2 or not column.are_times:
        return []
    most = 1 if find_unlike_labels(data, column) else min(n - 2, max(4, n // 2))
    lengths = {1, *(k for k in (*LATEST_TIMES, n // 2) if k <= most)}
    return [column.names[-k] for k in sorted(lengths)]


def find_fall(data: Data, column: SegmentColumn, model: str) -> list[facts.Fall]:
    """Find since when a model scores less than before.

    Of several starts, the one is told whose difference has the lowest upper limit.
    """
    starts = first_times(data, column)
    falls = filter(None, (fall_since(data, column, model, each, len(starts)) for each in starts))
    found = [each for each in falls if begins_low(data, column, each) and lasts(data, column, each)]
    return sorted(found, key=lambda fall: fall.difference.high)[:1]


def fall_since(
    data: Data, column: SegmentColumn, model: str, start: Name, n_starts: int
) -> facts.Fall | None:
    """Return that a model scores less since a time, one of several, if a test shows it."""
    since = column.rows(">=", start)
    if not all(map(data.has_both_classes, (since.value, ~since.value))):
        return None
    result, call = ask_since(data, since, model, n_starts=n_starts)
    if not is_lower(result, level_of("fall", n_starts, len(data.columns), len(data.shown))):
        return None
    late, before = result.names.index("since"), result.names.index("before")
    return facts.Fall(
        model,
        column.name,
        column.text(start),
        since,
        float(result.estimate[late]),
        difference_of(result, late)._replace(level=data.level, n_starts=n_starts),
        float(result.estimate[before]),
        n_times=len(column.names) - column.names.index(start),
        calls=(call,),
    )


def begins_low(data: Data, column: SegmentColumn, fall: facts.Fall) -> bool:
    """Check that the first time of a fall by itself is nearer to what follows than to before."""
    result, _ = ask_segments(data, column, fall.model)
    start = column.names[-fall.n_times]
    is_start = [name == start for name in result.names]  # dates, in any unit
    return bool((result.estimate[is_start] < (fall.before + fall.score) / 2).any())


def lasts(data: Data, column: SegmentColumn, fall: facts.Fall) -> bool:
    """Check that the latest time alone is lower than before, and the others without it."""
    since, time = fall.rows, latest_time(data, column)
    latest = column.rows(">=", time)
    others = since.value & ~latest.value
    if not others.any():
        return True
    if not all(map(data.has_both_classes, (latest.value, others))):
        return False
    before = column.rows("<", column.names[-fall.n_times])
    code = f"({latest.code}) | ({before.code})"
    latest_or_before = Coded(latest.value | before.value, code)
    return all(
        is_lower(ask_since(data, since, fall.model, rows=rows).result, level_of("fall lasts"))
        for rows in (latest_or_before, column.rows("<", time))
    )


def latest_time(data: Data, column: SegmentColumn) -> Name:
    """Find the latest time; one with few positives is joined with those before it."""
    for time in reversed(column.names):
        if np.sum(data.positive & column.rows(">=", time).value) >= FEW:
            return time
    return column.names[0]


def find_better(
    data: Data, column: SegmentColumn, place: facts.WorseSegment
) -> list[facts.BetterThere]:
    """Find the shown model that is better where another one is worse, or since it fell.

    It must have skill over all rows: any model would win against a failure.
    """
    others = [name for name in data.shown if name != place.model]
    n_starts = place.difference.n_starts
    error = level_of("better since", n_starts, len(others))
    if not isinstance(place, facts.Fall):  # one of many segments
        error = level_of("better there", len(column.names), len(data.columns), len(others))
    found = (
        compare_there(data, place, other, 1 - error) for other in others if has_skill(data, other)
    )
    return sorted(filter(None, found), key=lambda fact: -fact.other_score)[:1]


def compare_there(
    data: Data, place: facts.WorseSegment, other: str, level: float
) -> facts.BetterThere | None:
    """Return that a model is better in some rows, if the limits of the difference say so."""
    own: Keywords = {"reference": place.model, "confidence_level": level}
    if "queries" not in data.options:
        own["prevalence"] = data.prevalence
    models = place.model, other
    result, call = data.ask(compare_average_precision, models, rows=place.rows, **own)
    difference = difference_of(result)
    score, other_score = result.estimate.tolist()
    better = facts.BetterThere(place, other, score, other_score, difference, calls=(call,))
    return better if difference.low > 0 else None


def find_even_segments(data: Data, column: SegmentColumn, model: str) -> list[facts.Fact]:
    """Find the segments in which a model scores least and most."""
    result, call = ask_segments(data, column, model)
    found = zip(result.estimate.tolist(), map(column.text, result.names), strict=True)
    scores = sorted(each for each in found if not isnan(each[0]))
    level = level_of("worse segment", len(data.columns), len(data.shown))
    return [facts.EvenSegments(model, column.name, level, scores[0], scores[-1], calls=(call,))]


def find_places(data: Data, column: SegmentColumn) -> list[facts.Fact]:
    """Find where shown models are worse.

    Where one fell, and where the best is worse, also find whether another one is better.
    """
    places: list[facts.WorseSegment] = []
    for model in data.shown:
        worse = find_worse_segments(data, column, model)  # which refuses what are no segments
        falls = find_fall(data, column, model)
        fallen = [fall.rows.value for fall in falls]
        places += falls
        places += [w for w in worse if not any((w.rows.value & rows).any() for rows in fallen)]
    best = [fact for fact in places if fact.model == data.best][:MOST_ASKED]
    asked = [
        *best,
        *(fact for fact in places if isinstance(fact, facts.Fall) and fact not in best),
    ]
    better = [fact for place in asked for fact in find_better(data, column, place)]
    return [*places, *better] or find_even_segments(data, column, data.best)


def find_unlike_labels(data: Data, column: SegmentColumn) -> list[facts.UnlikeLabels]:
    """Find a latest time with less than half of the share of positives before, or twice."""
    if not (column.are_times and data.has_equal_rows and len(column.names) > 1):
        return []
    name = column.names[-1]
    latest = column.rows("==", name)
    table = [
        [int((part & rows).sum()) for part in (data.positive, data.is_counted & ~data.positive)]
        for rows in (latest.value, ~latest.value)
    ]
    shares = [hits / max(hits + others, 1) for hits, others in table]
    level = level_of("labels", len(data.columns))
    if max(shares) <= UNLIKE_RATIO * min(shares) or fisher_exact(table).pvalue >= level:
        return []
    call = write_call(fisher_exact, [Coded(table, repr(table))])
    return [facts.UnlikeLabels(column.name, column.text(name), *shares, calls=(call,))]


# ---- what was looked at


def find_looked(data: Data, columns: Sequence[SegmentColumn]) -> facts.Looked:
    """Tell the columns that were looked at, and what is not known without others."""
    n_times = sum(column.are_times for column in columns)
    names = [column.name for column in columns]
    names += [name for option, name in ROW_OPTIONS.items() if option in data.options]
    are_known = {
        "times": n_times > 0,
        "segments": n_times < len(data.columns),
        "clusters": bool({"clusters", "queries"} & data.options.keys()),
    }
    lacks = tuple(name for name, is_known in are_known.items() if not is_known)
    return facts.Looked(tuple(names), lacks)
