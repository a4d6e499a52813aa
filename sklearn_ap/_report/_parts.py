"""The parts of a page: facts, tables of public results, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_ap._report._advice import Findings
from sklearn_ap._report._rules import (
    SegmentRow,
    ask_models,
    ask_segments,
    find_threshold,
    find_top_rows,
    threshold_goals,
)
from sklearn_ap._report.columns import SegmentColumn
from sklearn_ap._report.data import Data, UnansweredError, coded_option
from sklearn_ap._report.facts import Chance, Fact, Refused, Threshold
from sklearn_ap._report.words import estimate, fact_sentence, goal, top
from sklearn_ap._results.text import (
    MISSING,
    Table,
    count_as_text,
    interval_of,
    names_as_text,
    pvalue_as_text,
    score_as_text,
    share_as_text,
)
from sklearn_ap._types import Axes, Name
from sklearn_ap.displays import AveragePrecisionDisplay
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval

PICTURE_WIDTH = 3.75  # inches; on a phone, letters of 9 points are 11 pixels high
MOST_SEGMENTS = 20  # in a table, and in a picture
DISPLAY_OPTIONS = "queries", "sample_weight", "n_positives", "prevalence", "pos_label"


@dataclass(eq=False)
class Part:
    """A part of the page: facts, and what stands around them; ``alt`` says what is drawn."""

    facts: Sequence[Fact] = ()
    table: Table | None = None
    table_calls: Sequence[str] = ()
    draw: Callable[[], Axes] | None = None
    alt: str = ""
    text: str = ""  # below the table, as a function prints it
    lead: str = ""  # before the facts
    title: str = ""

    def sentences(self, label: str) -> list[str]:
        """Say the facts; positives are called by their label, if it is not empty."""
        return [*filter(None, [self.lead]), *(fact_sentence(fact, label) for fact in self.facts)]

    @property
    def calls(self) -> list[str]:
        """The calls that give its numbers, each once."""
        return [*dict.fromkeys([*self.table_calls, *calls_of(self.facts)])]


def calls_of(facts: Iterable[Fact]) -> list[str]:
    """List the calls of facts."""
    return [call for fact in facts for call in fact.calls]


def calls_of_parts(parts: Sequence[Part]) -> str:
    """Write the calls of all parts."""
    return "\n".join("\n".join([f"# {part.title}", *part.calls]) for part in parts if part.calls)


def table_of(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    """Make a table whose first column has names."""
    return Table(head, body, ["<", *">" * (len(head) - 1)], 1)


def make_parts(data: Data, found: Findings) -> list[Part]:
    """Make all parts, times first. One whose question is refused says so."""
    times = [column for column in found.read if column.are_times]
    columns = [*times, *(column for column in data.columns if column not in times)]
    column_makers = {f"By {column.name}": partial(column_part, column) for column in columns}
    makers: dict[str, Callable[[Data, Findings], Part]] = {
        "Data": data_part,
        **dict([*column_makers.items()][: len(times)]),
        "Models": models_part,
        **column_makers,
        "Curve and top rows": top_part,
        "Thresholds": thresholds_part,
    }
    parts = []
    for title, make in makers.items():
        try:
            part = make(data, found)
        except UnansweredError as error:
            part = Part([Refused(str(error))])
        part.title = title
        parts.append(part)
    if data.warnings:
        parts.append(Part(text="\n\n".join(data.warnings), title="Warnings"))
    return parts


def data_part(data: Data, found: Findings) -> Part:
    """Say what was passed: its source, rows, positives, units and dates, and list doubts."""
    positives = f"{data.label} rows" if data.label else "positives"
    lead = f"{data.source}. " if data.source else ""
    lead += f"Rows: {data.n_rows:,}, {positives}: {int(data.positive.sum()):,}"
    for role in ("queries", "clusters"):
        if role in data.options:
            lead += f", {role}: {np.unique(np.asarray(data.options[role])).size:,}"
    times = [column for column in found.read if column.are_times]
    lead += "".join(f". {dates_of(column)}" for column in times)
    return Part([*found.doubts, found.looked], lead=f"{lead}.")


def dates_of(column: SegmentColumn) -> str:
    """Say which dates a column of times has, and in which unit."""
    first, last = column.days or (column.text(column.names[0]), column.text(column.names[-1]))
    unit = f", in {column.unit}s" if column.unit else ""
    return f"{column.passed_name}: {first} to {last}{unit}"


def models_part(data: Data, found: Findings) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    head = ["model", f"average precision ({interval_of(data.level)})"]
    body = [[fact.model, estimate(fact.score)] for fact in found.scores]
    chances = [fact for fact in found.models if isinstance(fact, Chance)]
    body += [["random order", score_as_text(fact.chance)] for fact in chances]
    facts = found.models if len(data.models) > 1 else [*found.scores, *found.models]
    alt = f"Average precision of {names_as_text([*data.scores])} with limits, as in the table."
    draw = partial(draw_scores, ask_models(data).result, head[1])
    return Part(facts, table_of(head, body), calls_of(found.scores), draw, alt)


def top_part(data: Data, found: Findings) -> Part:
    """Give the precision and recall of the first rows, and draw the curves."""
    facts = [fact for model in data.shown for fact in find_top_rows(data, model)]
    level = interval_of(data.level)
    head = ["model", "top", f"precision ({level})", f"recall ({level})"]
    body = [[f.model, top(f.k), estimate(f.precision), estimate(f.recall)] for f in facts]
    told = [fact for fact in facts if fact.model == found.to_use][:1]
    alt = f"Precision over recall of {names_as_text(data.shown)}."
    return Part(told, table_of(head, body), calls_of(facts), partial(draw_curves, data), alt)


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
    known = {name: data.options[name] for name in DISPLAY_OPTIONS if name in data.options}
    options = {name: coded_option(name, value).values for name, value in known.items()}
    options |= {"average": "macro"} if "queries" in data.options else {}
    ax: Axes = None
    for model in data.shown:
        display = AveragePrecisionDisplay.from_predictions(
            data.y_true, data.models[model].values, name=model, ax=ax, **options
        )
        ax = display.ax_
    shares = f"{data.label} rows" if data.label else "positives"
    ax.set_xlabel(f"recall: share of the {shares}", parse_math=False)
    ax.set_ylabel("precision")
    return ax


def thresholds_part(data: Data, found: Findings) -> Part:
    """Give the thresholds of the shown models for several precisions."""
    level = interval_of(data.level)
    head = ["model", "goal", "from", "rows", f"precision ({level})", f"recall ({level})"]
    body = []
    goals = threshold_goals(data)
    facts = [find_threshold(data, model, each) for model in data.shown for each in goals]
    for fact in facts:
        cells = ["none", MISSING, MISSING, MISSING]
        if isinstance(fact, Threshold):
            shares = [estimate(fact.precision), estimate(fact.recall)]
            cells = [str(fact.threshold), count_as_text(fact.n_selected), *shares]
        body.append([fact.model, goal(fact.goal), *cells])
    told = found.thresholds if found.is_usable else []
    return Part(told, table_of(head, body), calls_of(facts))


def column_part(column: SegmentColumn, data: Data, found: Findings) -> Part:
    """Give the scores of the segments of a column."""
    level = interval_of(data.level)
    asked = {model: ask_segments(data, column, model) for model in data.shown}
    segments, answer = asked[found.best]
    positives = data.label or "positives"
    head = [column.name, *(f"{model} ({level})" for model in asked), positives, "share"]
    head += [f"{found.best} minus others", "p-value"]
    body = []
    shown = shown_segments(column, segments)
    for name in shown:
        row = segments[name]
        scores = [estimate(others[name].score) for others, _ in asked.values()]
        cells = [
            count_as_text(row.n_positives),
            share_as_text(row.share),
            estimate(row.difference, "+"),
        ]
        body.append([column.text(name), *scores, *cells, pvalue_as_text(row.pvalue)])
    calls = [each.call for _, each in asked.values()]
    alt = f"Average precision of {found.best} by {column.name} with limits, as in the table."
    prevalence = answer.result.sample.target_prevalence
    notes = [] if prevalence is None else [f"Scores are at prevalence {score_as_text(prevalence)}."]
    if len(shown) < len(segments):
        which = "latest" if column.are_times else "lowest"
        notes.append(f"The {which} {len(shown):,} of {len(segments):,}.")
    draw = None if len(shown) < len(segments) else partial(draw_scores, answer.result, head[1])
    table = table_of(head, body)
    return Part(found.columns[column.name], table, calls, draw, alt, " ".join(notes))


def shown_segments(column: SegmentColumn, segments: dict[Name, SegmentRow]) -> list[Name]:
    """Choose the segments of a table: the latest times, or those that score least."""
    if len(segments) <= MOST_SEGMENTS:
        return [*segments]
    if column.are_times:
        return sorted(segments)[-MOST_SEGMENTS:]
    return sorted(segments, key=lambda name: segments[name].score.value)[:MOST_SEGMENTS]
