"""Segments of a column: where a model is worse, and whether another one is better there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._fact import Fact, Measured, Refused, read_difference, read_score, select
from sklearn_ap._report._falls import (
    Fall,
    WorseSegment,
    ask_segments,
    find_fall,
    find_worse_segments,
    level_of_worse,
    list_starts,
)
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._looked_at import find_changed_share
from sklearn_ap._report._models import has_skill
from sklearn_ap._report._parts import PICTURE_WIDTH, Part, Picture, make_table
from sklearn_ap._report.questions import Questions, ReportAnswer, UnansweredError
from sklearn_ap._results.result import as_arrays
from sklearn_ap._types import Axes
from sklearn_ap._writing.table import Table
from sklearn_ap._writing.text import (
    count_as_text,
    interval_as_text,
    pvalue_as_text,
    rounded_as_text,
    score_as_text,
    share_as_text,
)
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval

MOST_ASKED = 2  # of the best model in a column, in which other models are asked
SHOWN_SEGMENTS = 20  # in a table, and in a picture


@dataclass(frozen=True)
class BetterThere(Fact):
    """Another model that is better in a segment in which one is worse, or since it fell."""

    place: WorseSegment
    other: str
    score: float
    other_score: float
    difference: Measured

    def __str__(self) -> str:
        model, where = self.place.model, self.place.where
        other_score, score = score_as_text(self.other_score), score_as_text(self.score)
        return (
            f"{self.other} is better than {model} {where}: it scores {other_score} and {model} "
            f"{score}, {self.difference.phrase('+')}."
        )


# ---- what is found


def find_column_facts(
    questions: Questions, column: SegmentColumn, answers: Sequence[ReportAnswer[Comparison]]
) -> list[Fact]:
    """Find where leading models are worse, of each of which segments were compared.

    Where one fell, and where the best is worse, also find whether another one is better.
    """
    changed = find_changed_share(questions, column)
    starts = list_starts(column, are_labels_in_doubt=changed is not None)
    places: list[WorseSegment] = []
    for answer in answers:
        worse = find_worse_segments(questions, column, answer)
        fall = find_fall(questions, column, starts, answer)
        if fall:
            places.append(fall)
            worse = [fact for fact in worse if not (fact.rows.value & fall.rows.value).any()]
        places += worse
    about_best = [fact for fact in places if fact.model == questions.best]
    compared = dict.fromkeys([*about_best[:MOST_ASKED], *select(Fall, places)])
    better = [find_better(questions, column, place) for place in compared]
    return [*places, *filter(None, [*better, changed])]


def find_better(
    questions: Questions, column: SegmentColumn, place: WorseSegment
) -> BetterThere | None:
    """Find the leading model that is better where another one is worse, or since it fell.

    It must have skill over all rows: any model would win against a failure.
    """
    others = [name for name in questions.leading if name != place.model]
    if isinstance(place, Fall):
        error = divide_level("better since", place.n_starts, len(others))
    else:
        n_segments, n_columns = len(column.segments), len(questions.columns)
        error = divide_level("better there", n_segments, n_columns, len(others))
    skilled = [name for name in others if has_skill(questions, name)]
    better = (compare_there(questions, place, other, 1 - error) for other in skilled)
    return max(filter(None, better), key=lambda fact: fact.other_score, default=None)


def compare_there(
    questions: Questions, place: WorseSegment, other: str, level: float
) -> BetterThere | None:
    """Find whether another model is better in some rows, by the limits of the difference."""
    data, models = questions.data, (place.model, other)
    answer = questions.ask(
        compare_average_precision,
        models,
        rows=place.rows,
        confidence_level=level,
        prevalence=None if data.has_queries else questions.prevalence,
    )
    difference = read_difference(answer.result, prevalence=questions.sample.target_prevalence)
    if not difference.low > 0 or answer.result.is_overturned.any():
        return None
    score, other_score = answer.result.estimate.tolist()
    return BetterThere(
        place=place,
        other=other,
        score=score,
        other_score=other_score,
        difference=difference,
        calls=(answer.call,),
    )


# ---- the part of the page


def make_column_part(questions: Questions, column: SegmentColumn) -> Part:
    """Give the scores of the segments of a column, if they could be compared."""
    title = f"By {column.name}"
    try:
        answers = [ask_segments(questions, column.cells, model) for model in questions.leading]
        facts = find_column_facts(questions, column, answers)
    except UnansweredError as error:
        return Part(title, [Refused(str(error))])
    result = answers[0].result
    rows = choose_rows(column, result)
    notes = write_notes(questions, column, facts, result.sample.target_prevalence)
    alt = f"Average precision of {questions.best} by {column.name} with limits, as in the table."
    axis = f"{questions.leading[0]} ({interval_as_text(questions.level)})"
    picture: Picture | None = Picture(partial(draw_scores, result.scores, axis), alt)
    if len(rows) < len(result.names):
        which = "latest" if column.are_times else "lowest"
        notes.append(f"The {which} {len(rows):,} of {len(result.names):,}.")
        picture = None
    table = make_segments_table(questions, column, answers, rows)
    calls = [answer.call for answer in answers]
    return Part(title, facts, table, table_calls=calls, picture=picture, notes=notes)


def make_segments_table(
    questions: Questions,
    column: SegmentColumn,
    answers: Sequence[ReportAnswer[Comparison]],
    rows: Sequence[int],
) -> Table:
    """Write the scores of leading models in some segments, and how the best compares there."""
    result, level = answers[0].result, interval_as_text(questions.level)
    head = [column.name, *(f"{answer.model} ({level})" for answer in answers), "positives", "share"]
    head += [f"{questions.best} minus others", "p-value"]
    n_positives, shares = as_arrays(result.scores, ["n_positives", "prevalence"]).values()
    body = [
        [
            column.write(result.names[row]),
            *(read_score(answer.result, row).text() for answer in answers),
            count_as_text(n_positives[row]),
            share_as_text(shares[row]),
            read_difference(result, row).text("+"),
            pvalue_as_text(result.pvalue[row]),
        ]
        for row in rows
    ]
    return make_table(head, body)


def write_notes(
    questions: Questions, column: SegmentColumn, facts: Sequence[Fact], prevalence: float | None
) -> list[str]:
    """Say what a worse segment would take, if there is none, and at which prevalence scores are."""
    notes = []
    if not select(WorseSegment, facts):
        needed = f"p < {rounded_as_text(level_of_worse(questions), 2)}"
        is_shared = len(questions.columns) * len(questions.leading) > 1
        shared = ", as columns and models share the error" if is_shared else ""
        notes.append(f"No {column.name} is shown to be worse, which takes {needed}{shared}.")
    if prevalence is not None:
        notes.append(f"Scores are at prevalence {score_as_text(prevalence)}.")
    return notes


def choose_rows(column: SegmentColumn, result: Comparison) -> list[int]:
    """Choose the segments of a table: the latest times, or those that score least."""
    if column.are_times:
        return [*range(len(result.names))][-SHOWN_SEGMENTS:]
    lowest = np.argsort(result.estimate, kind="stable")[:SHOWN_SEGMENTS]  # nan last
    return sorted(lowest.tolist())


def draw_scores(scores: Interval, name: str) -> Axes:
    """Draw scores with their limits at the width of a column, or of a phone."""
    import matplotlib.pyplot as plt

    height = 0.8 + 0.24 * len(scores.names)
    _, ax = plt.subplots(figsize=(PICTURE_WIDTH, height), layout="constrained")
    scores.plot(ax)
    ax.set_xlabel(name, parse_math=False)
    return ax
