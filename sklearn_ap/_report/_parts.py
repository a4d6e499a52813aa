"""The parts of a page: sentences, tables of public results, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._report._advice import Findings, answers, select
from sklearn_ap._report._facts import (
    Chance,
    Fact,
    NotAboveChance,
    Refused,
    Threshold,
    TopRows,
    difference_of,
    score_of,
    top_text,
)
from sklearn_ap._report._rules import (
    ask_models,
    ask_segments,
    find_threshold,
    find_top_rows,
    threshold_goals,
)
from sklearn_ap._report.data import Data, SegmentColumn, UnansweredError
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
    """A part of the page, and the calls that give its numbers."""

    title: str
    sentences: Sequence[str] = ()
    table: Table | None = None
    calls: Sequence[str] = ()
    picture: Picture | None = None
    note: str = ""  # below the table


def calls_of(*facts: Iterable[Fact]) -> list[str]:
    """List the calls of facts, each once."""
    return [*dict.fromkeys(call for each in facts for fact in each for call in fact.calls)]


def write_calls(parts: Sequence[Part]) -> str:
    """Write the calls of all parts."""
    return "\n".join("\n".join([f"# {part.title}", *part.calls]) for part in parts if part.calls)


def table_of(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    """Make a table whose first column has names."""
    return Table(head, body, ["<", *">" * (len(head) - 1)], 1)


def make_parts(data: Data, found: Findings, source: str) -> list[Part]:
    """Make all parts, times first. One whose question is refused says so."""
    times = [column for column in found.comparable if column.are_times]
    others = [column for column in data.columns if column not in times]
    makers: dict[str, Callable[[str, Data, Findings], Part]] = {
        "Data": partial(data_part, source),
        **{f"By {column.name}": partial(column_part, column) for column in times},
        "Models": models_part,
        **{f"By {column.name}": partial(column_part, column) for column in others},
        "Curve and top rows": top_part,
        "Thresholds": thresholds_part,
    }
    parts = []
    for title, make in makers.items():
        try:
            parts.append(make(title, data, found))
        except UnansweredError as error:
            parts.append(Part(title, [Refused(str(error)).sentence]))
    if data.warnings:
        texts = []
        for text, same in data.warnings.items():
            models = dict.fromkeys(each.model for each in same if each.model)
            texts.append(f"{names_as_text([*models])}: {text}" if models else text)
        parts.append(Part("Warnings", note="\n\n".join(texts)))
    return parts


def data_part(source: str, title: str, data: Data, found: Findings) -> Part:
    """Say what was passed: its source, rows, positives, units and dates, and list doubts."""
    counts = [f"Rows: {data.is_counted.sum():,}", f"positives: {data.positive.sum():,}"]
    for role in ("queries", "clusters"):
        if role in data.options:
            counts.append(f"{role}: {np.unique(np.asarray(data.passed(role))).size:,}")
    times = [dates_of(column) for column in found.comparable if column.are_times]
    lead = ". ".join([*filter(None, [source]), ", ".join(counts), *times])
    told = [fact.sentence for fact in found.doubts]
    if "prevalence" in data.options:
        share = score_as_text(data.prevalence)
        told.insert(0, f"Scores and precisions are those at prevalence {share}, not of these rows.")
    return Part(title, [f"{lead}.", *told], calls=calls_of(found.doubts))


def dates_of(column: SegmentColumn) -> str:
    """Say which dates a column of times has, and in which unit."""
    first, last = column.days or (column.text(column.names[0]), column.text(column.names[-1]))
    unit = f", in {column.unit}s" if column.unit else ""
    return f"{column.passed_name}: {first} to {last}{unit}"


def models_part(title: str, data: Data, found: Findings) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    head = ["model", f"average precision ({interval_of(data.level)})"]
    body = [[fact.model, fact.score.text()] for fact in found.scores]
    body += [["random order", score_as_text(fact.chance)] for fact in select(Chance, found.models)]
    told = found.models if len(data.models) > 1 else [*found.scores, *found.models]
    alt = f"Average precision of {names_as_text([*data.scores])} with limits, as in the table."
    picture = Picture(partial(draw_scores, ask_models(data).result, head[1]), alt)
    calls = calls_of(found.scores, told)
    return Part(title, [fact.sentence for fact in told], table_of(head, body), calls, picture)


def top_part(title: str, data: Data, found: Findings) -> Part:
    """Give the precision and recall of the first rows, if they are not refused, and the curves."""
    answered = [fact for model in data.shown for fact in answers(find_top_rows, data, model)]
    facts = select(TopRows, answered)
    level = interval_of(data.level)
    head = ["model", "top", f"precision ({level})", f"recall ({level})"]
    body = [
        [fact.model, top_text(fact.k), fact.precision.text(), fact.recall.text()] for fact in facts
    ]
    told = [fact.sentence for fact in facts if fact.model == found.to_use]
    told += [fact.sentence for fact in select(Refused, answered)]
    alt = f"Precision over recall of {names_as_text(data.shown)}."
    picture = Picture(partial(draw_curves, data), alt)
    table = table_of(head, body) if body else None
    return Part(title, told[:1], table, calls_of(facts), picture)


def draw_scores(result: Interval | Comparison, name: str) -> Axes:
    """Draw scores with their limits at the width of a column, or of a phone."""
    import matplotlib.pyplot as plt

    scores = result.scores if isinstance(result, Comparison) else result
    height = 0.8 + 0.24 * np.size(scores.estimate)
    _, ax = plt.subplots(figsize=(PICTURE_WIDTH, height), layout="constrained")
    scores.plot(ax)
    ax.set_xlabel(name, parse_math=False)
    return ax


def draw_curves(data: Data) -> Axes:
    """Draw the curves of the shown models in one picture."""
    options = {name: each.value for name, each in data.options.items() if name != "clusters"}
    options |= {"average": "macro"} if "queries" in data.options else {}
    ax: Axes = None
    for model in data.shown:
        score = data.models[model].value
        ax = AveragePrecisionDisplay.from_predictions(
            data.y_true, score, name=model, ax=ax, **options
        ).ax_
    ax.set_xlabel("recall: share of the positives")
    ax.set_ylabel("precision")
    return ax


def thresholds_part(title: str, data: Data, found: Findings) -> Part:
    """Give the thresholds of the shown models for several goals."""
    level = interval_of(data.level)
    head = ["model", "goal", "from", "rows", f"precision ({level})", f"recall ({level})"]
    body = []
    goals = threshold_goals(data)
    facts = [find_threshold(data, model, each) for model in data.shown for each in goals]
    for fact in facts:
        cells = ["none", MISSING, MISSING, MISSING]
        if isinstance(fact, Threshold):
            shares = [fact.precision.text(), fact.recall.text()]
            cells = [str(fact.threshold), count_as_text(fact.n_selected), *shares]
        body.append([fact.model, fact.goal.text, *cells])
    told = [] if select(NotAboveChance, found.models) else found.thresholds
    calls = calls_of(facts, told)
    return Part(title, [fact.sentence for fact in told], table_of(head, body), calls)


def column_part(column: SegmentColumn, title: str, data: Data, found: Findings) -> Part:
    """Give the scores of the segments of a column."""
    level = interval_of(data.level)
    asked = {model: ask_segments(data, column, model) for model in data.shown}
    result, _ = asked[data.best]
    head = [column.name, *(f"{model} ({level})" for model in asked), "positives", "share"]
    head += [f"{data.best} minus others", "p-value"]
    rows = shown_rows(column, result)
    body = [
        [
            column.text(result.names[row]),
            *(score_of(result, row).text() for result, _ in asked.values()),
            count_as_text(result.scores.n_positives[row]),
            share_as_text(result.scores.prevalence[row]),
            difference_of(result, row).text("+"),
            pvalue_as_text(result.pvalue[row]),
        ]
        for row in rows
    ]
    prevalence = result.sample.target_prevalence
    notes = [] if prevalence is None else [f"Scores are at prevalence {score_as_text(prevalence)}."]
    alt = f"Average precision of {data.best} by {column.name} with limits, as in the table."
    picture: Picture | None = Picture(partial(draw_scores, result, head[1]), alt)
    if len(rows) < len(result.names):
        which = "latest" if column.are_times else "lowest"
        notes.append(f"The {which} {len(rows):,} of {len(result.names):,}.")
        picture = None
    told = found.by_column[column.name]
    calls = dict.fromkeys([*(call for _, call in asked.values()), *calls_of(told)])
    sentences = [fact.sentence for fact in told]
    return Part(title, sentences, table_of(head, body), [*calls], picture, " ".join(notes))


def shown_rows(column: SegmentColumn, result: Comparison) -> list[int]:
    """Choose the segments of a table: the latest times, or those that score least."""
    rows = [*range(len(result.names))]
    if len(rows) <= SHOWN_SEGMENTS:
        return rows
    if column.are_times:
        return sorted(rows, key=result.names.__getitem__)[-SHOWN_SEGMENTS:]
    return np.argsort(result.estimate, kind="stable")[:SHOWN_SEGMENTS].tolist()  # nan last
