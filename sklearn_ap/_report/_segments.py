"""Segments of a column: where a model is worse, and whether another one is better there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

import numpy as np

from sklearn_ap._report._at_random import find_at_random
from sklearn_ap._report._better_there import find_better
from sklearn_ap._report._calls import Segment
from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._fact import Fact, Refused, read_difference, read_score, select
from sklearn_ap._report._falls import (
    Fall,
    NearMiss,
    WorseSegment,
    ask_segments,
    find_places,
    level_of_worse,
    list_starts,
)
from sklearn_ap._report._looked_at import find_changed_share
from sklearn_ap._report._parts import PICTURE_WIDTH, Part, Picture, make_table
from sklearn_ap._report.questions import Questions, ReportAnswer, UnansweredError
from sklearn_ap._results.result import as_arrays
from sklearn_ap._types import Axes
from sklearn_ap._writing.table import Table
from sklearn_ap._writing.text import (
    count_as_text,
    interval_as_text,
    names_as_text,
    pvalue_as_text,
    rounded_as_text,
    score_as_text,
    share_as_text,
)
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval, why_unknown

MOST_ASKED = 2  # segments of a model in a column, in which more is asked
SHOWN_SEGMENTS = 20  # in a table, and in a picture


# ---- what is found


def find_column_facts(
    questions: Questions, column: SegmentColumn, answers: Sequence[ReportAnswer[Comparison]]
) -> list[Fact]:
    """Find where leading models are worse, of each of which segments were compared.

    Where one fell, and where the best is worse, also find whether another one is better, and
    whether the model ranks as random orders do, as in the lowest segments of each.
    """
    changed = find_changed_share(questions, column)
    starts = list_starts(column, are_labels_in_doubt=changed is not None)
    places: list[WorseSegment] = []
    missed: list[NearMiss] = []
    for answer in answers:
        for place in find_places(questions, column, starts, answer):
            if place.is_told:
                places.append(place)
            else:
                missed.append(NearMiss(place=place, calls=place.calls))
    about_best = [fact for fact in places if fact.model == questions.best]
    compared = dict.fromkeys([*about_best[:MOST_ASKED], *select(Fall, places)])
    better = {place: find_better(questions, column, place) for place in compared}
    by_model = groupby(places, lambda place: place.model)
    lowest = [place for _, group in by_model for place in [*group][:MOST_ASKED]]
    asked = dict.fromkeys([*compared, *lowest])
    random = [find_at_random(questions, place, better.get(place)) for place in asked]
    return [*places, *missed, *filter(None, [*better.values(), *random, changed])]


# ---- the part of the page


def make_column_part(questions: Questions, column: SegmentColumn) -> Part:
    """Give the scores of the segments of a column, if they could be compared."""
    title = f"By {column.name}"
    try:
        answers = [ask_segments(questions, column.cells, model) for model in questions.leading]
        facts = find_column_facts(questions, column, answers)
    except UnansweredError as error:
        return Part(title, [Refused(str(error))])
    told = [*select(WorseSegment, facts), *(fact.place for fact in select(NearMiss, facts))]
    answers.sort(key=lambda answer: bool(told) and answer.model != told[0].model)
    result = answers[0].result
    rows = choose_rows(column, result, told)
    notes = write_notes(questions, column, facts, result)
    model = answers[0].model
    alt = f"Average precision of {model} by {column.name} with limits, as in the table."
    axis = f"{model} ({interval_as_text(questions.level)})"
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
    """Write the scores of leading models in some segments, and how the first compares there."""
    result, level = answers[0].result, interval_as_text(questions.level)
    head = [column.name, *(f"{answer.model} ({level})" for answer in answers), "positives", "share"]
    head += [f"difference of {answers[0].model}", "p-value"]
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
    questions: Questions, column: SegmentColumn, facts: Sequence[Fact], result: Comparison
) -> list[str]:
    """Say what a worse segment would take, if none is, which have no score, and the prevalence."""
    notes = []
    if not select(WorseSegment, facts):
        needed = needed_as_text(questions, column)
        notes.append(f"No {column.name} is shown to be worse; this would need {needed}.")
    if unknown := np.flatnonzero(np.isnan(result.estimate)).tolist():
        names = names_as_text([column.write(result.names[row]) for row in unknown])
        notes.append(f"Nothing is known of {names}, {why_unknown(result.sample)}.")
    prevalence = result.sample.target_prevalence
    if prevalence is not None:
        notes.append(f"Scores are at prevalence {score_as_text(prevalence)}.")
    return notes


def needed_as_text(questions: Questions, column: SegmentColumn) -> str:
    """Say which p-values show that a segment is worse, and why these."""
    levels = [level_of_worse(questions, column, model) for model in questions.leading]
    needed = [f"p < {rounded_as_text(level, 2)}" for level in dict.fromkeys(levels)]
    if len(needed) > 1:
        needed = [f"{needed[0]} for {questions.best}", f"{needed[1]} for other models"]
    n_sharers = {"columns": len(questions.columns), "models": len(questions.leading)}
    sharers = [name for name, n in n_sharers.items() if n > 1]
    shared = f", because {names_as_text(sharers)} share the error" if sharers else ""
    return f"{names_as_text(needed)}{shared}"


def choose_rows(
    column: SegmentColumn, result: Comparison, told: Sequence[WorseSegment] = ()
) -> list[int]:
    """Choose the segments of a table: the latest times, or those that score least.

    Segments that the page tells, or misses, come first, but for times, which stay in their order.
    """
    if column.are_times:
        return [*range(len(result.names))][-SHOWN_SEGMENTS:]
    names = [fact.rows.name for fact in told if isinstance(fact.rows, Segment)]
    first = [*dict.fromkeys(map(result.names.index, names))]
    lowest = np.argsort(result.estimate, kind="stable").tolist()  # nan last
    others = [row for row in lowest if row not in first]
    n_others = max(0, SHOWN_SEGMENTS - len(first))
    return [*first[:SHOWN_SEGMENTS], *sorted(others[:n_others])]


def draw_scores(scores: Interval, name: str) -> Axes:
    """Draw scores with their limits at the width of a column, or of a phone."""
    import matplotlib.pyplot as plt

    height = 0.8 + 0.24 * len(scores.names)
    _, ax = plt.subplots(figsize=(PICTURE_WIDTH, height), layout="constrained")
    scores.plot(ax)
    ax.set_xlabel(name, parse_math=False)
    return ax
