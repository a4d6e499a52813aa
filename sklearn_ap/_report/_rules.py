"""How facts are found: every test of a report, and a rule for each kind of fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest, fisher_exact

from sklearn_ap._base.common.types import AnyResult, Bool, Keywords, Name
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.chance.random_orders import chance_test
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._report._data import Answer, Coded, Column, Data, name_as_text
from sklearn_ap._report._facts import (
    AboveChance,
    Best,
    BetterThere,
    Doubt,
    Estimate,
    EvenSegments,
    Fact,
    Fall,
    FewPositives,
    Lead,
    MayBeBest,
    MissedGoal,
    NoLead,
    NotAboveChance,
    NoThreshold,
    PredictedClasses,
    ReversedScores,
    Score,
    Threshold,
    ThresholdThere,
    TopRows,
    UnlikeLabels,
    UnlikeScales,
    WorseSegment,
)
from sklearn_ap.definitions import PrecisionAtK, RecallAtK


class Test(NamedTuple):
    """A test that a fact must pass, and its level, which is divided by the number of tests."""

    question: str
    level: float
    divisors: str

    def divided(self, *divisors: int) -> float:
        """Return the level of one of several tests."""
        return self.level / max(1, prod(divisors))


# Every test of a report, and its level. benchmarks/report.py counts how often they err.
TESTS = {
    "above chance": Test("chance_test of the best model", 0.05, ""),
    "worse segment": Test("compare_segments, p-value by Holm", 0.02, "columns, models"),
    "fall": Test("compare_segments since a start, one-sided", 0.04, "starts, columns, models"),
    "fall lasts": Test("compare_segments with the latest time, and without", 0.05, ""),
    "better there": Test("compare_average_precision", 0.05, "segments, columns, other models"),
    "better since": Test("compare_average_precision, since a fall", 0.05, "other models"),
    "missed goal": Test("binomtest, precision in a place that is told", 0.05, "places"),
    "labels": Test("fisher_exact, positives of the latest time", 0.01, "columns"),
    "scales": Test("fisher_exact, selected negatives of a segment", 0.01, "segments"),
}
LATEST_TIMES = 1, 2, 3, 4  # with which a fall may begin, besides the later half of all times
UNLIKE_RATIO = 2.0  # of shares, at least, before labels or scales are doubted
FEW_POSITIVES = 20
RANDOM_ORDERS = 999
GUARANTEE = 0.9
GOALS = 0.5, 0.8, 0.9  # precisions, if the prevalence is lower
LIFT = 10  # a goal is also this multiple of the prevalence
FAIR_RECALL, FAIR_HITS = 0.1, 5  # of a threshold that is advised: its recall, and positives found
TOP_SHARES = 0.01, 0.05, 0.1  # of the rows
TOP_RANKS = 5, 10  # of each query
MOST_PLACES = 2  # of the best model in a column, in which other models are asked


# Models.
def find_scores(data: Data) -> list[Score]:
    """Score each model, the highest first."""
    return [
        Score(model, Estimate(r.estimate, r.low, r.high, data.level), calls=(call,))
        for model, (r, call) in data.scores.items()
    ]


def ask_models(data: Data) -> Answer[Any]:
    """Ask which model is best."""
    best, *others = data.scores
    if not others:
        return data.scores[best]
    if len(others) == 1:
        return data.ask(compare_average_precision, [*data.models], reference=others[0])
    # The only question that leaves with its function: compare_average_precision will answer it.
    return data.ask(best_average_precision, [*data.models])


def find_lead(data: Data, scores: Sequence[Score]) -> list[Score]:
    """Compare two models, or find which of more may be the best."""
    if len(scores) == 1:
        return []
    result, call = ask_models(data)
    best, other = scores[:2]
    if len(scores) == 2:
        difference = read_difference(result, best.model, data.level)
        lead = Lead if difference.low > 0 else NoLead
        return [lead(best.model, best.score, other.model, difference, calls=(call,))]
    score = Estimate(result.estimate, result.low, result.high, data.level)
    others = tuple(name for name in result.may_be_best if name != result.name)
    kind = MayBeBest if others else Best
    return [kind(result.name, score, len(scores), others, calls=(call,))]


def read_difference(result: AnyResult, model: str, level: float) -> Estimate:
    """Read the difference between a model and the reference."""
    i = result.names.index(model)
    limits = result.difference_lows[i], result.difference_highs[i]
    return Estimate(result.differences[i], *limits, level)


def find_chance(data: Data) -> list[AboveChance]:
    """Compare the best model with random orders."""
    model = data.shown[0]
    result, call = data.ask(chance_test, model, n_permutations=RANDOM_ORDERS)
    kind = AboveChance if result.pvalue < TESTS["above chance"].level else NotAboveChance
    return [kind(model, result.chance, result.pvalue, calls=(call,))]


# Segments.
class SegmentRow(NamedTuple):
    """What compare_segments says of a segment."""

    score: Estimate
    difference: Estimate
    pvalue: float
    adjusted_pvalue: float
    n_positives: float
    share: float

    def is_lower(self, test: str, *divisors: int) -> bool:
        """Check that the segment scores less than the reference, one-sided."""
        return self.difference.value < 0 and self.pvalue / 2 < TESTS[test].divided(*divisors)


def ask_segments(
    data: Data, column: Column, model: str, since: Coded | None = None, rows: Coded | None = None
) -> tuple[dict[Name, SegmentRow], Answer[SegmentComparison]]:
    """Compare the segments of a column with the others, or those since a time with before."""
    own: Keywords = {}
    segments = column.segments
    if since is not None:
        own["reference"] = "before"
        values = np.where(since.values, "since", "before")
        segments = Coded(values, f"np.where({since.code}, 'since', 'before')")
    if "queries" in data.options and "prevalence" not in data.options:
        own["prevalence"] = None
    answer = data.ask(compare_segments, model, rows=rows, segments=segments, **own)
    r = answer.result
    scores = zip(r.estimates, r.lows, r.highs, strict=True)
    differences = zip(r.differences, r.difference_lows, r.difference_highs, strict=True)
    others = zip(r.pvalues, r.adjusted_pvalues, r.n_positives, r.shares, strict=True)
    found = {
        name: SegmentRow(Estimate(*score, data.level), Estimate(*difference, data.level), *numbers)
        for name, score, difference, numbers in zip(
            r.rankings, scores, differences, others, strict=True
        )
    }
    return found, answer


def find_worse_segments(data: Data, column: Column, model: str) -> list[WorseSegment]:
    """Find the segments in which a model is worse than in the others, the worst first."""
    segments, (_, call) = ask_segments(data, column, model)
    level = worse_level(data)
    found = []
    for name, row in segments.items():
        if row.adjusted_pvalue < level and row.difference.value < 0:
            place = model, column.name, name_as_text(name), column.only(name)
            found.append(WorseSegment(*place, row.score.value, row.difference, calls=(call,)))
    return sorted(found, key=lambda fact: fact.difference.value)


def worse_level(data: Data) -> float:
    """Return the level of p-values of worse segments."""
    return TESTS["worse segment"].divided(len(data.columns), len(data.shown))


def first_times(column: Column) -> list[Name]:
    """List the times with which a fall may begin. At least two others stand before, if any."""
    n = len(column.names) if column.are_times else 0
    lengths = {k for k in (*LATEST_TIMES, n // 2) if 0 < k < n and (k == 1 or k <= n - 2)}
    return [column.names[-k] for k in sorted(lengths)]


def find_fall(data: Data, column: Column, model: str) -> list[Fall]:
    """Find since when a model scores less than before.

    Its first time must be low, too, as must be the latest one, and the others without it. Of
    several starts, the one with the largest fall is told: the limit of its difference that is
    nearer to 0 is farthest from it.
    """
    starts = first_times(column)
    times, _ = ask_segments(data, column, model)
    divisors = len(starts), len(data.columns), len(data.shown)
    found = []
    for start in starts:
        since = column.since(start)
        if not data.has_both_classes(since.values) or not data.has_both_classes(~since.values):
            continue
        segments, (_, call) = ask_segments(data, column, model, since)
        row, before = segments["since"], segments["before"].score.value
        score = row.score.value
        begins_low = start in times and times[start].score.value < (before + score) / 2
        if begins_low and row.is_lower("fall", *divisors) and lasts(data, column, model, since):
            place = model, column.name, name_as_text(start), since
            n_times = len(column.names) - column.names.index(start)
            found.append(Fall(*place, score, row.difference, before, n_times, calls=(call,)))
    return sorted(found, key=lambda fall: fall.difference.high)[:1]


def lasts(data: Data, column: Column, model: str, since: Coded) -> bool:
    """Check that the latest time alone is lower than before a fall, and the others without it."""
    latest = column.only(column.names[-1]).values
    parts = [part for part in (latest, since.values & ~latest) if part.any()]
    if not all(map(data.has_both_classes, parts)):
        return False
    rows = [
        Coded(part | ~since.values, f"part {i} of {since.code}") for i, part in enumerate(parts)
    ]
    asked = [ask_segments(data, column, model, since, each)[0]["since"] for each in rows]
    return all(row.is_lower("fall lasts") for row in asked)


def find_better(data: Data, column: Column, place: WorseSegment) -> list[BetterThere]:
    """Find the shown model that is better where another one is worse, or since it fell."""
    others = [name for name in data.shown if name != place.model]
    error = TESTS["better since"].divided(len(others))
    if not isinstance(place, Fall):  # one of many segments
        n_segments = len(column.names) * len(data.columns)
        error = TESTS["better there"].divided(n_segments, len(others))
    own: Keywords = {"reference": place.model, "confidence_level": 1 - error}
    if "queries" not in data.options:
        own["prevalence"] = data.prevalence
    found = []
    for other in others:
        models = [place.model, other]
        result, call = data.ask(compare_average_precision, models, rows=place.rows, **own)
        difference = read_difference(result, other, 1 - error)
        if difference.low > 0:
            score, other_score = result.estimates
            better = BetterThere(place, other, score, other_score, difference, calls=(call,))
            found.append(better)
    return sorted(found, key=lambda fact: -fact.other_score)[:1]


def find_even_segments(data: Data, column: Column, model: str) -> list[EvenSegments]:
    """Find the segments in which a model scores least and most."""
    segments, (_, call) = ask_segments(data, column, model)
    scores = sorted((row.score.value, name_as_text(name)) for name, row in segments.items())
    (low, lowest), (high, highest) = scores[0], scores[-1]
    names = model, column.name, lowest, highest
    return [EvenSegments(*names, low, high, worse_level(data), calls=(call,))]


def find_places(data: Data, column: Column) -> list[Fact]:
    """Find where shown models are worse, and whether another one is better where the best is."""
    places: list[WorseSegment] = []
    for model in data.shown:
        worse = find_worse_segments(data, column, model)  # which refuses what are no segments
        falls = find_fall(data, column, model)
        times = [name_as_text(name) for name in column.names]
        since = [time for fall in falls for time in times[times.index(fall.segment) :]]
        places += [*falls, *(fact for fact in worse if fact.segment not in since)]
    best = [fact for fact in places if fact.model == data.shown[0]]
    better = [fact for place in best[:MOST_PLACES] for fact in find_better(data, column, place)]
    return [*places, *better] or [*find_even_segments(data, column, data.shown[0])]


# Thresholds and top rows.
def find_top_rows(data: Data) -> list[TopRows]:
    """Find the precision and the recall of the first rows, or of those of each query."""
    found = []
    sizes: tuple[float, ...] = TOP_RANKS if "queries" in data.options else TOP_SHARES
    for k, model in ((k, model) for k in sizes for model in data.shown):
        if "queries" in data.options:
            pair = [
                data.ask(average_precision_interval, model, definition=definition(int(k)))
                for definition in (PrecisionAtK, RecallAtK)
            ]
            limits = [Estimate(r.estimate, r.low, r.high, data.level) for r, _ in pair]
            calls = tuple(call for _, call in pair)
        else:
            point, call = data.ask(operating_point, model, k=k)
            limits, calls = read_shares(point, data.level), (call,)
        precision, recall = limits
        found.append(TopRows(model, k, precision, recall, calls=calls))
    return found


def read_shares(point: OperatingPoint, level: float) -> list[Estimate]:
    """Read the precision and the recall at a threshold."""
    precision = Estimate(point.precision, *point.precision_interval, level)
    return [precision, Estimate(point.recall, *point.recall_interval, level)]


def threshold_goals(data: Data) -> list[float]:
    """List the precisions that a page shows, the lowest first."""
    lifted = float(f"{LIFT * data.prevalence:.2g}")
    usual = {goal for goal in (*GOALS, lifted) if data.prevalence < goal <= max(GOALS)}
    return sorted(usual | (set() if data.precision is None else {data.precision}))


def find_threshold(data: Data, model: str, goal: float) -> Threshold | NoThreshold:
    """Find the threshold for a precision, with a guarantee if rows are independent and alike.

    Of three models or more, the error of the guarantee is divided by their number.
    """
    own: Keywords = {"precision": goal}
    has_guarantee = data.has_independent_rows and "sample_weight" not in data.options
    if has_guarantee:
        n_choices = len(data.models) if len(data.models) > 2 else 1
        own["guarantee"] = 1 - (1 - GUARANTEE) / n_choices
    point, call = data.ask(operating_point, model, **own)
    if point.remark:
        return NoThreshold(model, goal, calls=(call,))
    threshold = float(point.printed_threshold)
    n_selected = int((data.values(model) >= threshold).sum())
    count = (
        f"np.sum(np.asarray({data.models[model].code}) >= {threshold!r})"  # the point has weights
    )
    precision, recall = read_shares(point, data.level)
    return Threshold(
        model=model,
        goal=goal,
        threshold=threshold,
        n_selected=n_selected,
        precision=precision,
        recall=recall,
        guarantee=GUARANTEE if has_guarantee else 0.0,
        calls=(call, count),
    )


def choose_threshold(data: Data, model: str) -> list[Threshold | NoThreshold]:
    """Find the threshold for the precision that is needed, or else for the highest useful one."""
    goals = sorted(threshold_goals(data), reverse=True)
    if data.precision is not None:
        goals = [goal for goal in goals if goal <= data.precision]
    facts = [find_threshold(data, model, goal) for goal in goals]
    if data.precision is not None and isinstance(facts[0], Threshold):
        return facts[:1]
    useful = [fact for fact in facts if isinstance(fact, Threshold) and is_useful(data, fact)]
    missed = facts[:1] if data.precision is not None or not useful else []
    return [*missed, *useful[:1]]


def is_useful(data: Data, fact: Threshold) -> bool:
    """Check that a threshold finds enough positives."""
    recall = fact.recall.value
    return recall >= FAIR_RECALL and recall * float(data.positive.sum()) >= FAIR_HITS


def find_there(
    data: Data, fact: Threshold, places: Sequence[WorseSegment]
) -> Iterator[ThresholdThere]:
    """Count what a threshold finds where its model is worse, and test its precision there."""
    selected = data.values(fact.model) >= fact.threshold
    for place in places:
        parts = selected, selected & data.positive, data.positive
        counts = [int((part & place.rows.values).sum()) for part in parts]
        trials = max(counts[0], 1)
        pvalue = binomtest(counts[1], trials, fact.goal, "less").pvalue
        is_missed = counts[0] > 0 and pvalue < TESTS["missed goal"].divided(len(places))
        sums = "np.sum(selected & rows), np.sum(selected & positive & rows)"
        code = data.counting_code(place.rows, fact.model, fact.threshold)
        test = f"binomtest({counts[1]}, {trials}, {fact.goal!r}, 'less')"
        kind = MissedGoal if is_missed else ThresholdThere
        yield kind(
            place, fact.goal, *counts, calls=(f"{code}\n{sums}, np.sum(positive & rows)", test)
        )


def find_thresholds(data: Data, model: str, places: Sequence[WorseSegment]) -> list[Fact]:
    """Find the threshold to use, and what it finds where the model is worse."""
    found = choose_threshold(data, model)
    thresholds = [fact for fact in found if isinstance(fact, Threshold)]
    return [*found, *(there for fact in thresholds for there in find_there(data, fact, places))]


# Doubts.
def find_doubts(data: Data, scores: Sequence[Score]) -> Iterator[Doubt]:
    """Find too few positives, predicted classes, and scores that rank positives last."""
    n_positives = int(data.positive.sum())
    if n_positives < FEW_POSITIVES:
        yield FewPositives(n_positives)
    for fact in scores:
        n_values = np.unique(data.values(fact.model)).size
        if n_values <= 2:
            call = f"np.unique({data.models[fact.model].code}).size"
            yield PredictedClasses(fact.model, n_values, calls=(call,))
        if fact.score.high < data.prevalence and "queries" not in data.options:
            yield ReversedScores(fact.model, fact.score, data.prevalence, calls=fact.calls)


class Shares(NamedTuple):
    """The share of a part in some rows and in the others, with the counts of both."""

    inside: float
    outside: float
    counts: list[list[int]]

    @property
    def test(self) -> str:
        """The call of Fisher's test."""
        return f"fisher_exact({self.counts})"

    def differ(self, level: float) -> bool:
        """Check by Fisher's test, and by their ratio, whether shares differ."""
        low, high = sorted((self.inside, self.outside))
        return high > UNLIKE_RATIO * low and fisher_exact(self.counts).pvalue < level


def compare_shares(part: Bool, whole: Bool, rows: Bool) -> Shares:
    """Count what is a part of the whole in some rows, and in the others."""
    counts = [
        [int((part & side).sum()), int((whole & ~part & side).sum())] for side in (rows, ~rows)
    ]
    inside, outside = (hits / max(hits + others, 1) for hits, others in counts)
    return Shares(inside, outside, counts)


def find_unlike_labels(data: Data, column: Column) -> list[UnlikeLabels]:
    """Find a latest time with less than half of the share of positives before, or twice."""
    if not (column.are_times and data.has_independent_rows and len(column.names) > 1):
        return []
    latest = column.only(column.names[-1])
    shares = compare_shares(data.positive, np.ones_like(data.positive), latest.values)
    if not shares.differ(TESTS["labels"].divided(len(data.columns))):
        return []
    code = f"rows = {latest.code}\n{data.positive_code}"
    calls = f"{code}\nnp.mean(positive[rows]), np.mean(positive[~rows])", shares.test
    names = column.name, name_as_text(column.names[-1])
    return [UnlikeLabels(*names, shares.inside, shares.outside, calls=calls)]


def find_unlike_scales(
    data: Data, columns: Sequence[Column], threshold: Threshold
) -> Iterator[UnlikeScales]:
    """Find segments of which a threshold selects more than twice the share of negatives."""
    negative = ~data.positive
    selected = negative & (data.values(threshold.model) >= threshold.threshold)
    places = [(column, name) for column in columns for name in column.names]
    for column, name in places:
        rows = column.only(name)
        shares = compare_shares(selected, negative, rows.values)
        if shares.inside > shares.outside and shares.differ(TESTS["scales"].divided(len(places))):
            code = data.counting_code(rows, threshold.model, threshold.threshold)
            sides = "np.mean(selected[rows & ~positive]), np.mean(selected[~rows & ~positive])"
            calls = f"{code}\n{sides}", shares.test
            names = threshold.model, column.name, name_as_text(name)
            yield UnlikeScales(*names, shares.inside, shares.outside, calls=calls)
