"""Where, and since when, a model is worse: a rule for each kind of fact about a column."""

from __future__ import annotations

from math import ceil, isnan

import numpy as np
from scipy.stats import fisher_exact

from sklearn_ap._report import _facts as facts
from sklearn_ap._report._facts import difference_of
from sklearn_ap._report._rules import level_of, level_of_each
from sklearn_ap._report.calls import Coded, ReportAnswer, write_call
from sklearn_ap._report.data import Data, SegmentColumn
from sklearn_ap._types import Keywords, Name
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.segments import compare_segments

# With which a fall may begin, counted from the end, besides the later half of all times.
LATEST_TIMES = 1, 2, 3, 4, 6, 8, 12, 16, 24
UNLIKE_RATIO = 2.0  # of shares, at least, before labels are doubted
FEW = 20  # positives that the latest time of a fall has, at least
MOST_ASKED = 2  # of the best model in a column, in which other models are asked


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
    n = len(column.names) if column.are_times else 0
    lengths = {k for k in (*LATEST_TIMES, n // 2) if 0 < k < n and (k == 1 or k <= n - 2)}
    lengths = {k for k in lengths if k <= max(4, n // 2)}
    lengths &= {1} if find_unlike_labels(data, column) else lengths
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
        compare_there(data, place, other, 1 - error) for other in others if data.has_skill(other)
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
        [int((part & rows).sum()) for part in (data.positive, data.has_weight & ~data.positive)]
        for rows in (latest.value, ~latest.value)
    ]
    shares = [hits / max(hits + others, 1) for hits, others in table]
    level = level_of("labels", len(data.columns))
    if max(shares) <= UNLIKE_RATIO * min(shares) or fisher_exact(table).pvalue >= level:
        return []
    call = write_call(fisher_exact, [Coded(table, repr(table))])
    return [facts.UnlikeLabels(column.name, column.text(name), *shares, calls=(call,))]
