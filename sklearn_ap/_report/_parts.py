"""The parts of a page: sentences, tables of public results, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._report._advice import Findings, select
from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._facts import (
    BesideChance,
    Fact,
    GoalThreshold,
    NotAboveChance,
    Refused,
    Threshold,
    TopRows,
    read_difference,
    read_score,
    write_k,
)
from sklearn_ap._report.questions import Questions, ask_models, ask_segments
from sklearn_ap._results.table import Table
from sklearn_ap._results.text import (
    MISSING,
    count_as_text,
    interval_of,
    names_as_text,
    pvalue_as_text,
    score_as_text,
    share_as_text,
)
from sklearn_ap._types import Axes
from sklearn_ap.displays.display import AveragePrecisionDisplay
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval

PICTURE_WIDTH = 3.75  # inches; on a phone, letters of 9 points are 11 pixels high
SHOWN_SEGMENTS = 20  # in a table, and in a picture


class Picture(NamedTuple):
    """A function that draws a picture, and words that say what it shows."""

    draw: Callable[[], Axes]
    alt: str


@dataclass(eq=False)
class Part:
    """A part of the page: what it tells, a table, and a picture."""

    title: str
    facts: Sequence[Fact] = ()
    table: Table | None = None
    table_calls: Sequence[str] = ()  # that give its numbers
    picture: Picture | None = None
    lead: Sequence[str] = ()  # sentences before the facts
    note: str = ""  # below the table

    @property
    def sentences(self) -> list[str]:
        """All that is told in words."""
        return [*self.lead, *(fact.sentence for fact in self.facts)]

    @property
    def calls(self) -> list[str]:
        """The calls that give all numbers, each once."""
        return [*dict.fromkeys([*self.table_calls, *list_calls(self.facts)])]


def list_calls(facts: Iterable[Fact]) -> list[str]:
    """List the calls of facts."""
    return [call for fact in facts for call in fact.calls]


def write_calls(parts: Sequence[Part]) -> str:
    """Write the calls of all parts."""
    return "\n".join("\n".join([f"# {part.title}", *part.calls]) for part in parts if part.calls)


def make_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    """Make a table whose first column has names."""
    return Table(head, body, ["<", *">" * (len(head) - 1)], 1)


def make_parts(questions: Questions, findings: Findings, source: str) -> list[Part]:
    """Lay out what was found, times first."""
    times = [column for column in findings.comparable if column.are_times]
    others = [column for column in questions.columns if column not in times]
    parts = [
        make_data_part(questions, findings, source),
        *(make_column_part(questions, findings, column) for column in times),
        make_models_part(questions, findings),
        *(make_column_part(questions, findings, column) for column in others),
        make_top_part(questions, findings),
        make_thresholds_part(questions, findings),
    ]
    if questions.warnings:
        texts = [
            f"{names_as_text(models)}: {warning.text}" if models else warning.text
            for warning, models in questions.warnings.items()
        ]
        parts.append(Part("Warnings", note="\n\n".join(texts)))
    return parts


def make_data_part(questions: Questions, findings: Findings, source: str) -> Part:
    """Say what was passed: its source, rows, positives, units and dates, and list doubts."""
    data = questions.data
    counts = [f"Rows: {data.is_counted.sum():,}", f"positives: {data.positive.sum():,}"]
    for role in ("queries", "clusters"):
        if role in data.options:
            names = np.asarray(data.passed(role))[data.is_counted]
            counts.append(f"{role}: {np.unique(names).size:,}")
    times = [describe_dates(column) for column in findings.comparable if column.are_times]
    about = ". ".join([*filter(None, [source]), ", ".join(counts), *times])
    lead = [f"{about}."]
    if "prevalence" in data.options:
        share = score_as_text(data.prevalence)
        lead.append(f"Scores and precisions are those at prevalence {share}, not of these rows.")
    return Part("Data", findings.doubts, lead=lead)


def describe_dates(column: SegmentColumn) -> str:
    """Say which dates a column of times has, and in which unit."""
    ends = column.segments[0], column.segments[-1]
    first, last = column.days or map(column.write, ends)
    unit = f", in {column.unit}s" if column.unit else ""
    return f"{column.passed_name}: {first} to {last}{unit}"


def make_models_part(questions: Questions, findings: Findings) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    head = ["model", f"average precision ({interval_of(questions.level)})"]
    body = [[fact.model, fact.score.text()] for fact in findings.scores]
    body += [
        ["random order", score_as_text(fact.chance)]
        for fact in select(BesideChance, findings.models)
    ]
    facts: Sequence[Fact] = findings.models
    if len(questions.scores) == 1:
        facts = [*findings.scores, *facts]
    alt = f"Average precision of {names_as_text([*questions.scores])} with limits, as in the table."
    picture = Picture(partial(draw_scores, ask_models(questions).result, head[1]), alt)
    return Part("Models", facts, make_table(head, body), list_calls(findings.scores), picture)


def make_top_part(questions: Questions, findings: Findings) -> Part:
    """Give the precision and recall of the first rows, if they are not refused, and the curves."""
    top_rows = select(TopRows, findings.top_rows)
    level = interval_of(questions.level)
    head = ["model", "top", f"precision ({level})", f"recall ({level})"]
    body = [
        [fact.model, write_k(fact.k), fact.precision.text(), fact.recall.text()]
        for fact in top_rows
    ]
    rows_to_use = [fact for fact in top_rows if fact.model == findings.model_advice.model]
    told: list[Fact] = [*rows_to_use, *select(Refused, findings.top_rows)]
    alt = f"Precision over recall of {names_as_text(questions.shown)}."
    picture = Picture(partial(draw_curves, questions), alt)
    table = make_table(head, body) if body else None
    return Part("Curve and top rows", told[:1], table, list_calls(top_rows), picture)


def draw_scores(result: Interval | Comparison, name: str) -> Axes:
    """Draw scores with their limits at the width of a column, or of a phone."""
    import matplotlib.pyplot as plt

    scores = result.scores if isinstance(result, Comparison) else result
    height = 0.8 + 0.24 * np.size(scores.estimate)
    _, ax = plt.subplots(figsize=(PICTURE_WIDTH, height), layout="constrained")
    scores.plot(ax)
    ax.set_xlabel(name, parse_math=False)
    return ax


def draw_curves(questions: Questions) -> Axes:
    """Draw the curves of the shown models in one picture."""
    data = questions.data
    options = {name: option.value for name, option in data.options.items() if name != "clusters"}
    options |= {"average": "macro"} if "queries" in data.options else {}
    ax: Axes = None
    for model in questions.shown:
        score = data.models[model].value
        ax = AveragePrecisionDisplay.from_predictions(
            data.y_true, score, name=model, ax=ax, **options
        ).ax_
    ax.set_xlabel("recall: share of the positives")
    ax.set_ylabel("precision")
    return ax


def make_thresholds_part(questions: Questions, findings: Findings) -> Part:
    """Give the thresholds of the shown models for several goals."""
    if refused := select(Refused, findings.thresholds):
        return Part("Thresholds", refused)
    level = interval_of(questions.level)
    head = ["model", "goal", "from", "rows", f"precision ({level})", f"recall ({level})"]
    thresholds = select(GoalThreshold, findings.thresholds)
    thresholds.sort(key=lambda fact: questions.shown.index(fact.model))
    body = []
    for fact in thresholds:
        cells = ["none", MISSING, MISSING, MISSING]
        if isinstance(fact, Threshold):
            shares = [fact.precision.text(), fact.recall.text()]
            cells = [str(fact.threshold), count_as_text(fact.n_selected), *shares]
        body.append([fact.model, fact.goal.text, *cells])
    facts = [] if select(NotAboveChance, findings.models) else findings.advised_thresholds
    return Part("Thresholds", facts, make_table(head, body), list_calls(thresholds))


def make_column_part(questions: Questions, findings: Findings, column: SegmentColumn) -> Part:
    """Give the scores of the segments of a column, if they could be compared."""
    title, facts = f"By {column.name}", findings.facts_by_column[column.name]
    if column not in findings.comparable:
        return Part(title, facts)
    answers = {model: ask_segments(questions, column, model) for model in questions.shown}
    level, best = interval_of(questions.level), questions.best
    result = answers[best].result
    head = [column.name, *(f"{model} ({level})" for model in answers), "positives", "share"]
    head += [f"{best} minus others", "p-value"]
    rows = choose_rows(column, result)
    body = [
        [
            column.write(result.names[row]),
            *(read_score(answer.result, row).text() for answer in answers.values()),
            count_as_text(result.scores.n_positives[row]),
            share_as_text(result.scores.prevalence[row]),
            read_difference(result, row).text("+"),
            pvalue_as_text(result.pvalue[row]),
        ]
        for row in rows
    ]
    prevalence = result.sample.target_prevalence
    notes = [] if prevalence is None else [f"Scores are at prevalence {score_as_text(prevalence)}."]
    alt = f"Average precision of {best} by {column.name} with limits, as in the table."
    picture: Picture | None = Picture(partial(draw_scores, result, head[1]), alt)
    if len(rows) < len(result.names):
        which = "latest" if column.are_times else "lowest"
        notes.append(f"The {which} {len(rows):,} of {len(result.names):,}.")
        picture = None
    calls = [answer.call for answer in answers.values()]
    table = make_table(head, body)
    return Part(title, facts, table, calls, picture, note=" ".join(notes))


def choose_rows(column: SegmentColumn, result: Comparison) -> list[int]:
    """Choose the segments of a table: the latest times, or those that score least."""
    rows = [*range(len(result.names))]
    if len(rows) <= SHOWN_SEGMENTS:
        return rows
    if column.are_times:
        return sorted(rows, key=result.names.__getitem__)[-SHOWN_SEGMENTS:]
    return np.argsort(result.estimate, kind="stable")[:SHOWN_SEGMENTS].tolist()  # nan last
