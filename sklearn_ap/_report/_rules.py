"""What is found about models, thresholds and segments: a rule for each kind of fact."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil, floor, isnan, log10, prod

import numpy as np
from scipy.stats import fisher_exact, ttest_1samp

from sklearn_ap._report import _facts as facts
from sklearn_ap._report._calls import Typed, write_call
from sklearn_ap._report._data import ROW_OPTIONS, ReportData, SegmentColumn
from sklearn_ap._report._facts import read_difference, read_score, read_shares
from sklearn_ap._report.questions import (
    Questions,
    UnansweredError,
    ask_models,
    ask_segments,
    ask_since,
)
from sklearn_ap._results.text import k_as_text
from sklearn_ap._types import Bool, Keywords, Name
from sklearn_ap.definitions import PrecisionAtK, RecallAtK
from sklearn_ap.inference.chance import chance_test
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import UNDECIDED, Comparison
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.operating_point import operating_point
from sklearn_ap.inference.threshold_goals import Goal, PrecisionGoal, ShareGoal

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
    "labels": 0.01,  # of positives of the latest time, by rows or clusters; by columns
}


def divide_level(test: str, *divisors: int) -> float:
    """Divide the level of a test by the number of questions."""
    return TESTS[test] / max(1, prod(divisors))


def raise_level(level: float, n: int) -> float:
    """Raise the level of each of several intervals, or guarantees, so that all hold at once."""
    return 1 - (1 - level) / n


# ---- models


def find_scores(questions: Questions) -> list[facts.ModelScore]:
    """Score each model, the highest first."""
    return [
        facts.ModelScore(model, read_score(answer.result), calls=(answer.call,))
        for model, answer in questions.scores.items()
    ]


def find_best(questions: Questions) -> list[facts.Fact]:
    """Compare two models, or find which of more may be the best."""
    n_models = len(questions.scores)
    if n_models == 1:
        return []
    answer = ask_models(questions)
    comparison, calls = answer.result, (answer.call,)
    if n_models == 2:
        difference = read_difference(comparison)
        kind = facts.Lead if difference.low > 0 else facts.NoLead
        best, other = questions.scores
        return [kind(best, other, difference, calls=calls)]
    model = comparison.reference
    score = read_score(comparison, comparison.names.index(model))
    verdicts = zip(comparison.names, comparison.verdict, strict=True)
    others = tuple(name for name, verdict in verdicts if verdict == UNDECIDED)
    if others:
        return [facts.MayBeBest(model, score, n_models, others, calls=calls)]
    return [facts.Best(model, score, n_models, calls=calls)]


def find_chance(questions: Questions) -> list[facts.BesideChance]:
    """Compare the best model with random orders."""
    model = questions.best
    answer = questions.ask(chance_test, model)
    kind = facts.Chance if has_skill(questions, model) else facts.NotAboveChance
    return [kind(model, answer.result.chance, answer.result.pvalue, calls=(answer.call,))]


def has_skill(questions: Questions, model: str) -> bool:
    """Check whether a model is shown to score more than random orders."""
    try:
        pvalue = questions.ask(chance_test, model).result.pvalue
    except UnansweredError:  # of queries that share clusters
        return False
    return bool(pvalue < divide_level("above chance"))


# ---- thresholds and top rows


def find_top_rows(questions: Questions) -> list[facts.TopRows]:
    """Find the precision and the recall of the first rows, or of those of each query."""
    if "queries" in questions.data.options:
        asked_k = questions.goal.k if questions.goal else None
        ranks = TOP_RANKS if asked_k is None else (asked_k,)
        return [find_top_ranks(questions, model, k) for model in questions.shown for k in ranks]
    shares = [k for k in TOP_SHARES if k * questions.data.positive.size >= FAIR_HITS]
    if not shares:
        largest = k_as_text(TOP_SHARES[-1])
        raise UnansweredError(f"the top {largest} of the rows are fewer than {FAIR_HITS}.")
    top_rows = []
    for model, share in product(questions.shown, shares):
        answer = questions.ask(operating_point, model, k=share)
        precision, recall = read_shares(answer.result)
        top_rows.append(facts.TopRows(model, share, precision, recall, calls=(answer.call,)))
    return top_rows


def find_top_ranks(questions: Questions, model: str, k: float) -> facts.TopRows:
    """Find the precision and the recall of the first ranks of each query."""
    precision, recall = (
        questions.ask(average_precision_interval, model, definition=definition)
        for definition in (PrecisionAtK(k), RecallAtK(k))
    )
    calls = precision.call, recall.call
    return facts.TopRows(
        model, k, read_score(precision.result), read_score(recall.result), calls=calls
    )


def list_goals(questions: Questions) -> list[Goal]:
    """List the goals that a page shows: precisions, the lowest first, and what was asked for."""
    prevalence = questions.data.prevalence
    lifted = LIFT * prevalence
    shares = [share for share in GOALS if prevalence < share]
    if lifted < min(GOALS):
        shares.append(round(lifted, 1 - floor(log10(lifted))))  # with two digits
    shares = shares or [round((1 + prevalence) / 2, 3)]
    goals: list[Goal] = [PrecisionGoal(precision=share) for share in shares]
    if questions.goal and questions.goal not in goals:
        goals.append(questions.goal)
    return sorted(goals, key=lambda goal: goal.precision or 1)


def find_goal_thresholds(questions: Questions, advised: str) -> list[facts.GoalThreshold]:
    """Find the threshold of each shown model for each goal, those of the advised model first."""
    models, goals = dict.fromkeys([advised, *questions.shown]), list_goals(questions)
    return [find_threshold(questions, *each) for each in product(models, goals)]


def find_threshold(questions: Questions, model: str, goal: Goal) -> facts.GoalThreshold:
    """Find the threshold for a goal, with a guarantee of its share if all rows are alike.

    Of three models or more, the error of the guarantee is divided by their number.
    """
    data = questions.data
    n_choices = len(data.models) if len(data.models) > 2 else 1
    options: Keywords = {**goal.to_dict()}
    is_share = isinstance(goal, ShareGoal)
    guarantee = 0.0 if is_share else None
    if data.has_equal_rows and isinstance(goal, ShareGoal) and 0 < goal.share < 1:
        guarantee = LEVEL_OF_GUARANTEE
        options["guarantee"] = raise_level(guarantee, n_choices)
    answer = questions.ask(operating_point, model, **options)
    point, calls = answer.result, (answer.call,)
    if isnan(point.threshold):
        return facts.NoThreshold(model, goal, calls=calls)
    precision, recall = read_shares(point)
    unlike = [word for option, word in ROW_OPTIONS.items() if option in data.options]
    return facts.Threshold(
        model,
        goal,
        point.threshold,
        int(flag_selected(data, model, point.threshold).sum()),  # a result has their weight
        precision,
        recall,
        guarantee,
        tuple(unlike if is_share else ()),
        calls=calls,
    )


def flag_selected(data: ReportData, model: str, threshold: float) -> Bool:
    """Flag the rows at a threshold or above."""
    scores = np.asarray(data.models[model].value).ravel()
    return (scores >= threshold) & data.is_counted


def choose_thresholds(
    questions: Questions, thresholds: Sequence[facts.GoalThreshold]
) -> list[facts.GoalThreshold]:
    """Choose the threshold for what was asked for, or else for the highest useful precision."""
    asked = [fact for fact in thresholds if fact.goal == questions.goal]
    if any(isinstance(fact, facts.Threshold) for fact in asked):
        return asked
    if asked:
        most = asked[0].goal.precision or 0
        thresholds = [fact for fact in thresholds if (fact.goal.precision or 1) < most]
    useful = [fact for fact in thresholds if is_useful(questions, fact)]
    return [*asked, *useful[-1:]] or [*thresholds[:1]]


def is_useful(questions: Questions, fact: facts.GoalThreshold) -> bool:
    """Check that a threshold finds enough positives, and that no warning distrusts it.

    Over clusters nothing is guaranteed, so rows that were independent must guarantee the goal.
    """
    if not isinstance(fact, facts.Threshold):
        return False
    if "clusters" in questions.data.options:
        rows = questions.without_clusters()
        if not is_useful(rows, find_threshold(rows, fact.model, fact.goal)):
            return False
    recall, n_positives = fact.recall.value, float(questions.data.positive.sum())
    is_enough = recall >= FAIR_RECALL and recall * n_positives >= FAIR_HITS
    return is_enough and not questions.is_warned(fact.calls)


def count_in_places(
    data: ReportData, thresholds: Sequence[facts.Fact], places: Sequence[facts.WorsePlace]
) -> list[facts.ThresholdThere]:
    """Count what thresholds find where their model is worse."""
    found = []
    for fact, place in product(thresholds, places):
        if isinstance(fact, facts.Threshold):
            selected = flag_selected(data, fact.model, fact.threshold) & place.rows.value
            positive = data.positive & place.rows.value
            counts = (int(rows.sum()) for rows in (selected, selected & positive, positive))
            found.append(facts.ThresholdThere(place, *counts))
    return found


# ---- segments: where, and since when, a model is worse


def find_worse_segments(
    questions: Questions, column: SegmentColumn, model: str
) -> list[facts.WorseSegment]:
    """Find the segments in which a model is worse than in the others, the worst first."""
    answer = ask_segments(questions, column, model)
    result = answer.result
    is_worse = (result.pvalue < level_of_segments(questions)) & (result.difference < 0)
    segments = [
        facts.WorseSegment(
            model,
            column.name,
            column.write(result.names[row]),
            column.select("==", result.names[row]),
            float(result.estimate[row]),
            read_difference(result, row),
            calls=(answer.call,),
        )
        for row in np.flatnonzero(is_worse).tolist()
    ]
    return sorted(segments, key=lambda fact: fact.difference.value)


def level_of_segments(questions: Questions) -> float:
    """Divide the level of the test of segments, as it is asked of each column and model."""
    return divide_level("worse segment", len(questions.columns), len(questions.shown))


def list_starts(questions: Questions, column: SegmentColumn) -> list[Name]:
    """List the times with which a fall may begin.

    It lasts at most half of all times, or four, and one of several times leaves two before it. If
    the labels of the latest time are in doubt, it is the only one.
    """
    n_times = len(column.segments)
    if n_times < 2 or not column.are_times:
        return []
    longest = min(n_times - 2, max(4, n_times // 2))
    if find_changed_shares(questions, column):
        longest = 1
    lengths = {1, *(k for k in (*LATEST_TIMES, n_times // 2) if k <= longest)}
    return [column.segments[-k] for k in sorted(lengths)]


def find_fall(questions: Questions, column: SegmentColumn, model: str) -> facts.Fall | None:
    """Find since when a model scores less than before.

    Of several starts, the one is told whose difference has the lowest upper limit.
    """
    starts = list_starts(questions, column)
    falls = [find_fall_since(questions, column, model, start, len(starts)) for start in starts]
    lasting = [
        fall
        for fall in falls
        if fall and begins_low(questions, column, fall) and lasts(questions, column, fall)
    ]
    return min(lasting, key=lambda fall: fall.difference.high, default=None)


def find_fall_since(
    questions: Questions, column: SegmentColumn, model: str, start: Name, n_starts: int
) -> facts.Fall | None:
    """Find a fall since a time, which is one of several, if a test shows it."""
    since = column.select(">=", start)
    if not all(map(questions.data.has_both_classes, (since.value, ~since.value))):
        return None
    options: Keywords = {}
    if n_starts > 1:
        level = raise_level(questions.level, n_starts)
        options["confidence_level"] = ceil(1e4 * level - 1e-6) / 1e4  # rounded up, to be typed
    answer = ask_since(questions, since, model, **options)
    result = answer.result
    level = divide_level("fall", n_starts, len(questions.columns), len(questions.shown))
    if not is_lower(result, level):
        return None
    late, before = result.names.index("since"), result.names.index("before")
    return facts.Fall(
        model,
        column.name,
        column.write(start),
        since,
        float(result.estimate[late]),
        read_difference(result, late)._replace(level=questions.level, n_starts=n_starts),
        float(result.estimate[before]),
        n_times=len(column.segments) - column.segments.index(start),
        calls=(answer.call,),
    )


def is_lower(result: Comparison, level: float) -> bool:
    """Check that the rows since a time score less than those before, one-sided."""
    row = result.names.index("since")
    return bool(result.difference[row] < 0 and result.pvalue[row] / 2 < level)


def begins_low(questions: Questions, column: SegmentColumn, fall: facts.Fall) -> bool:
    """Check that the first time alone scores nearer to the fall than to the times before.

    Otherwise the fall begins later.
    """
    result = ask_segments(questions, column, fall.model).result
    start = column.segments[-fall.n_times]
    is_start = [name == start for name in result.names]  # dates, in any unit
    return bool((result.estimate[is_start] < (fall.before + fall.score) / 2).any())


def lasts(questions: Questions, column: SegmentColumn, fall: facts.Fall) -> bool:
    """Check that the latest time alone scores lower than before, and so do the others without it.

    Otherwise the fall is a dip that is over, or begins with the latest time.
    """
    latest_time = find_latest_time(questions.data, column)
    latest = column.select(">=", latest_time)
    others = fall.rows.value & ~latest.value
    if not others.any():
        return True
    if not all(map(questions.data.has_both_classes, (latest.value, others))):
        return False
    before = column.select("<", column.segments[-fall.n_times])
    code = f"({latest.code}) | ({before.code})"
    latest_or_before = Typed(latest.value | before.value, code)
    without_latest = column.select("<", latest_time)
    level = divide_level("fall lasts")
    return all(
        is_lower(ask_since(questions, fall.rows, fall.model, rows=rows).result, level)
        for rows in (latest_or_before, without_latest)
    )


def find_latest_time(data: ReportData, column: SegmentColumn) -> Name:
    """Find the latest time; one with few positives is joined with those before it."""
    for time in reversed(column.segments):
        if np.sum(data.positive & column.select(">=", time).value) >= FEW:
            return time
    return column.segments[0]


def find_better(
    questions: Questions, column: SegmentColumn, place: facts.WorsePlace
) -> facts.BetterThere | None:
    """Find the shown model that is better where another one is worse, or since it fell.

    It must have skill over all rows: any model would win against a failure.
    """
    others = [name for name in questions.shown if name != place.model]
    if isinstance(place, facts.Fall):
        error = divide_level("better since", place.difference.n_starts, len(others))
    else:
        n_segments, n_columns = len(column.segments), len(questions.columns)
        error = divide_level("better there", n_segments, n_columns, len(others))
    skilled = [name for name in others if has_skill(questions, name)]
    better = (compare_there(questions, place, other, 1 - error) for other in skilled)
    return max(filter(None, better), key=lambda fact: fact.other_score, default=None)


def compare_there(
    questions: Questions, place: facts.WorsePlace, other: str, level: float
) -> facts.BetterThere | None:
    """Find whether another model is better in some rows, by the limits of the difference."""
    data, models = questions.data, (place.model, other)
    options: Keywords = {"reference": place.model, "confidence_level": level}
    if "queries" not in data.options:
        options["prevalence"] = data.prevalence
    answer = questions.ask(compare_average_precision, models, rows=place.rows, **options)
    difference = read_difference(answer.result)
    if not difference.low > 0:
        return None
    score, other_score = answer.result.estimate.tolist()
    return facts.BetterThere(place, other, score, other_score, difference, calls=(answer.call,))


def find_even_segments(questions: Questions, column: SegmentColumn) -> facts.EvenSegments:
    """Find the segments in which the best model scores least and most."""
    model = questions.best
    answer = ask_segments(questions, column, model)
    result = answer.result
    scores = sorted(
        facts.SegmentScore(score, column.write(name))
        for name, score in zip(result.names, result.estimate.tolist(), strict=True)
        if not isnan(score)
    )
    level = level_of_segments(questions)
    return facts.EvenSegments(
        model, column.name, level, scores[0], scores[-1], calls=(answer.call,)
    )


def find_places(questions: Questions, column: SegmentColumn) -> list[facts.Fact]:
    """Find where shown models are worse.

    Where one fell, and where the best is worse, also find whether another one is better.
    """
    places: list[facts.WorsePlace] = []
    for model in questions.shown:
        worse = find_worse_segments(questions, column, model)  # refuses what are no segments
        fall = find_fall(questions, column, model)
        if fall:
            places.append(fall)
            worse = [fact for fact in worse if not (fact.rows.value & fall.rows.value).any()]
        places += worse
    about_best = [fact for fact in places if fact.model == questions.best]
    falls = [fact for fact in places if isinstance(fact, facts.Fall)]
    compared = dict.fromkeys([*about_best[:MOST_ASKED], *falls])
    better = [find_better(questions, column, place) for place in compared]
    return [*places, *filter(None, better)] or [find_even_segments(questions, column)]


def find_changed_shares(questions: Questions, column: SegmentColumn) -> list[facts.ChangedShare]:
    """Find a latest time with less than half of the share of positives before, or twice."""
    data = questions.data
    is_tested = not {"queries", "sample_weight"} & data.options.keys()
    if not (column.are_times and is_tested and len(column.segments) > 1):
        return []
    name = column.segments[-1]
    latest = column.select("==", name)
    negative = data.is_counted & ~data.positive
    table = [
        [int((labels & rows).sum()) for labels in (data.positive, negative)]
        for rows in (latest.value, ~latest.value)
    ]
    shares = [n_positives / max(n_positives + n_negatives, 1) for n_positives, n_negatives in table]
    if "clusters" in data.options:
        sums = add_up_residuals(data, latest)
        pvalue = ttest_1samp(sums.value, 0).pvalue
        call = write_call(ttest_1samp, [sums, Typed(0, "0")], rows=latest)
    else:
        pvalue = fisher_exact(table).pvalue
        call = write_call(fisher_exact, [Typed(table, repr(table))])
    level = divide_level("labels", len(questions.columns))
    if max(shares) <= UNLIKE_RATIO * min(shares) or not pvalue < level:
        return []
    return [facts.ChangedShare(column.name, column.write(name), *shares, calls=(call,))]


def add_up_residuals(data: ReportData, latest: Typed) -> Typed:
    """Add up over each cluster how positives and the latest time go together.

    The sums have the mean 0 if the share of positives is the same at all times: a score test.
    """
    _, clusters = np.unique(data.passed("clusters"), return_inverse=True)
    positive, rows = data.positive, latest.value
    residuals = (positive - positive.mean()) * (rows - rows.mean())
    pos_label = data.passed("pos_label")
    is_positive = f"(np.asarray(y_true) == {1 if pos_label is None else pos_label!r})"
    code = (
        f"np.bincount(np.unique(clusters, return_inverse=True)[1], "
        f"({is_positive} - {is_positive}.mean()) * (rows - rows.mean()))"
    )
    return Typed(np.bincount(clusters, residuals), code)


# ---- what was looked at


def find_looked(questions: Questions, columns: Sequence[SegmentColumn]) -> facts.Looked:
    """List the columns that were looked at, and those that are missing."""
    options = questions.data.options
    n_times = sum(column.are_times for column in columns)
    are_known = {
        "times": n_times > 0,
        "segments": n_times < len(questions.columns),
        "clusters": "clusters" in options or "queries" in options,
    }
    names = [column.name for column in columns]
    names += [name for option, name in ROW_OPTIONS.items() if option in options]
    lacks = tuple(name for name, is_known in are_known.items() if not is_known)
    return facts.Looked(tuple(names), lacks)


def count_warnings(questions: Questions) -> list[facts.Warned]:
    """Count the warnings of all answers, and list the models about which they are."""
    warnings = questions.warnings
    kinds = dict.fromkeys(warning.kind for warning in warnings if warning.kind)
    models = dict.fromkeys(model for models in warnings.values() for model in models)
    return [facts.Warned(len(warnings), (*kinds,), (*models,))] if warnings else []
