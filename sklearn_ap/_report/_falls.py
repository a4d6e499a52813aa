"""Segments in which a model is worse, and falls: since when it scores less than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._inputs.dates import FEWEST_OF_CLASS
from sklearn_ap._report._calls import Either, RowChoice, SinceOrBefore, Term
from sklearn_ap._report._data import ReportData, SegmentColumn
from sklearn_ap._report._fact import Fact, Measured, read_difference, select
from sklearn_ap._report._levels import (
    TESTS,
    divide_level,
    raise_level,
    share_of_column,
    share_of_model,
)
from sklearn_ap._report.questions import Questions, ReportAnswer
from sklearn_ap._types import Name
from sklearn_ap._writing.text import pvalue_phrase, rounded_as_text, score_as_text
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.segments.compare_segments import compare_segments

# With which a fall may begin, counted from the end, besides the later half of all times.
LATEST_TIMES = 1, 2, 3, 4, 6, 8, 12, 16, 24


@dataclass(frozen=True)
class WorseSegment(Fact):
    """A segment in which a model scores less than in the other rows.

    It is told if its p-value is below ``needed``, the share of the error for this question.
    """

    model: str
    column: str
    segment: str
    rows: RowChoice = field(repr=False, compare=False)
    score: float
    difference: Measured
    pvalue: float
    needed: float

    @property
    def is_told(self) -> bool:
        """Whether its p-value is low enough, beside other columns and models."""
        return bool(is_shown(self.pvalue, self.needed))

    @property
    def where(self) -> str:
        """The place, in a sentence."""
        return f"in {self.column} {self.segment}"

    @property
    def claim(self) -> str:
        """What is said of it, as a clause."""
        score, loss = score_as_text(self.score), self.difference.phrase_of_loss()
        return f"{self.model} scores {score} {self.where}, lower than elsewhere by {loss}"

    def __str__(self) -> str:
        return f"{self.claim}."


@dataclass(frozen=True)
class Fall(WorseSegment):
    """The latest times, from ``segment`` on, in which a model scores less than before.

    Its limits hold for any of ``n_starts`` times with which it may have begun.
    """

    before: float
    n_times: int
    n_starts: int

    @property
    def where(self) -> str:
        if self.n_times == 1:
            return f"in {self.segment}, the latest {self.column}"
        return f"since {self.segment}"

    @property
    def claim(self) -> str:
        before, score = score_as_text(self.before), score_as_text(self.score)
        loss = self.difference.phrase_of_loss(self.n_starts)
        return f"{self.model} has fallen from {before} to {score} {self.where}, by {loss}"


@dataclass(frozen=True)
class NearMiss(Fact):
    """A place that a page of this model and column alone would tell."""

    place: WorseSegment

    def __str__(self) -> str:
        pvalue, needed = pvalue_phrase(self.place.pvalue), rounded_as_text(self.place.needed, 2)
        missed = f"{pvalue}, but p < {needed} is needed here"
        return f"Shown only if nothing else is asked: {self.place.claim}; {missed}."


def write_falls(places: Sequence[WorseSegment]) -> list[str]:
    """Say below a table of numbers of all rows which of the models have fallen since."""
    text = "These are numbers of all rows, but {} has fallen {}."
    return [text.format(fall.model, fall.where) for fall in select(Fall, places)]


def find_places(
    questions: Questions,
    column: SegmentColumn,
    starts: Sequence[Name],
    answer: ReportAnswer[Comparison],
) -> list[WorseSegment]:
    """Find where a model, whose segments were compared, is worse, and since when.

    Those that are told come first, then those that a page of this model and column alone would
    tell. A place that shares rows with one before it says the same.
    """
    fall = find_fall(questions, column, starts, answer)
    worse = find_worse_segments(questions, column, answer)
    found = [fall, *worse] if fall else worse
    places: list[WorseSegment] = []
    for place in sorted(found, key=lambda place: not place.is_told):
        if not any((place.rows.value & other.rows.value).any() for other in places):
            places.append(place)
    return places


def level_of_worse(questions: Questions, column: SegmentColumn, model: str) -> float:
    """Return the level below which an adjusted p-value shows that a segment is worse."""
    share = share_of_model(questions, model) * share_of_column(questions, column)
    return TESTS["worse segment"] * share


def level_of_fall(questions: Questions, model: str, n_starts: int) -> float:
    """Return the level below which a two-sided p-value shows a fall since one of some starts."""
    level = divide_level("fall", n_starts, questions.n_columns_of_times)
    return 2 * level * share_of_model(questions, model)


def find_worse_segments(
    questions: Questions, column: SegmentColumn, answer: ReportAnswer[Comparison]
) -> list[WorseSegment]:
    """Find the segments in which a model alone is worse than in the others, the worst first."""
    result = answer.result
    is_worse = is_shown(result.pvalue, TESTS["worse segment"]) & (result.difference < 0)
    segments = [
        WorseSegment(
            model=answer.model,
            column=column.name,
            segment=column.write(result.names[row]),
            rows=column.select("==", result.names[row]),
            score=float(result.estimate[row]),
            difference=read_difference(result, row, questions.sample.target_prevalence),
            pvalue=float(result.pvalue[row]),
            needed=level_of_worse(questions, column, answer.model),
            calls=(answer.call,),
        )
        for row in np.flatnonzero(is_worse).tolist()
    ]
    return sorted(segments, key=lambda fact: fact.difference.value)


def find_fall(
    questions: Questions,
    column: SegmentColumn,
    starts: Sequence[Name],
    segments: ReportAnswer[Comparison],
) -> Fall | None:
    """Find since when a model, whose segments were compared, scores less than before.

    Of several starts, the one is taken whose difference has the lowest upper limit.
    """
    lasting = []
    for start in starts:
        fall = find_fall_since(questions, column, segments.model, start, starts)
        if not fall or not begins_low(fall, start, segments.result):
            continue
        if lasts(questions, column, fall, start):
            lasting.append(fall)
    return min(lasting, key=lambda fall: (not fall.is_told, fall.difference.high), default=None)


def list_starts(column: SegmentColumn, *, are_labels_in_doubt: bool) -> list[Name]:
    """List the times with which a fall may begin.

    It lasts at most half of all times, or four, and one of several times leaves two before it. If
    the labels of the latest time are in doubt, it is the only one.
    """
    n_times = len(column.segments)
    if n_times < 2 or not column.are_times:
        return []
    longest = 1 if are_labels_in_doubt else min(n_times - 2, max(4, n_times // 2))
    lengths = {1, *(k for k in (*LATEST_TIMES, n_times // 2) if k <= longest)}
    return [column.segments[-k] for k in sorted(lengths)]


def find_fall_since(
    questions: Questions, column: SegmentColumn, model: str, start: Name, starts: Sequence[Name]
) -> Fall | None:
    """Find a fall of a model alone since a time, which is one of several, if a test shows it."""
    since = column.select(">=", start)
    if not all(map(questions.data.has_both_classes, (since.value, ~since.value))):
        return None
    n_starts = len(starts)
    level = questions.level
    if n_starts > 1:  # rounded up, to be typed
        level = ceil(1e4 * raise_level(level, n_starts) - 1e-6) / 1e4
    times = SinceOrBefore(since, column.write(start))
    answer = ask_since(questions, times, model, confidence_level=level)
    result = answer.result
    if not is_lower(result, divide_level("fall", n_starts)):
        return None
    late, before = map(result.names.index, (times.since, times.before))
    difference = read_difference(result, late, questions.sample.target_prevalence)
    return Fall(
        model=model,
        column=column.name,
        segment=times.start,
        rows=since,
        score=float(result.estimate[late]),
        difference=difference._replace(level=questions.level),
        pvalue=float(result.pvalue[late]),
        needed=level_of_fall(questions, model, n_starts),
        before=float(result.estimate[before]),
        n_times=len(column.segments) - column.segments.index(start),
        n_starts=n_starts,
        calls=(answer.call,),
    )


def ask_segments(
    questions: Questions,
    segments: Term,
    model: str,
    rows: RowChoice | None = None,
    **options: object,
) -> ReportAnswer[Comparison]:
    """Compare each segment with the others; queries, which have a prevalence each, at their own."""
    if questions.data.has_queries and "prevalence" not in questions.data.options:
        options["prevalence"] = "own"
    return questions.ask(compare_segments, model, rows=rows, segments=segments, **options)


def ask_since(
    questions: Questions,
    times: SinceOrBefore,
    model: str,
    rows: RowChoice | None = None,
    **options: object,
) -> ReportAnswer[Comparison]:
    """Compare the rows since a time with those before."""
    return ask_segments(questions, times, model, rows, reference=times.before, **options)


def is_lower(result: Comparison, level: float) -> bool:
    """Check that the rows since a time score less than those before, one-sided."""
    (row,) = np.flatnonzero(result.is_compared).tolist()
    return bool(result.difference[row] < 0 and is_shown(result.pvalue[row] / 2, level))


def begins_low(fall: Fall, start: Name, segments: Comparison) -> bool:
    """Check that the first time alone scores nearer to the fall than to the times before.

    Otherwise the fall begins later.
    """
    is_start = [name == start for name in segments.names]  # dates, in any unit
    return bool((segments.estimate[is_start] < (fall.before + fall.score) / 2).any())


def lasts(questions: Questions, column: SegmentColumn, fall: Fall, start: Name) -> bool:
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
    latest_or_before = Either(latest, column.select("<", start))
    without_latest = column.select("<", latest_time)
    level = divide_level("fall lasts")
    times = SinceOrBefore(fall.rows, fall.segment)
    return all(
        is_lower(ask_since(questions, times, fall.model, rows=rows).result, level)
        for rows in (latest_or_before, without_latest)
    )


def find_latest_time(data: ReportData, column: SegmentColumn) -> Name:
    """Find the latest time; one with few positives is joined with those before it."""
    for time in reversed(column.segments):
        if np.sum(data.positive & column.select(">=", time).value) >= FEWEST_OF_CLASS:
            return time
    return column.segments[0]
