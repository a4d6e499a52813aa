"""The parts of a page: facts, tables of public results, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.text import interval_head
from sklearn_ap._report._advice import Findings
from sklearn_ap._report._facts import Chance, Fact, Refused, Threshold
from sklearn_ap._report._rules import (
    SegmentRow,
    ask_models,
    ask_segments,
    find_threshold,
    find_top_rows,
    threshold_goals,
)
from sklearn_ap._report._words import (
    NONE,
    estimate,
    fact_sentence,
    goal,
    names,
    number,
    percent,
    top,
)
from sklearn_ap._report.data import Column, Data, UnansweredError, name_as_text
from sklearn_ap._results.text import pvalue_as_text
from sklearn_ap._types import Axes, Name
from sklearn_ap.displays import AveragePrecisionDisplay

MOST_SEGMENTS = 20  # in a table, and in a picture
DISPLAY_OPTIONS = "queries", "sample_weight", "n_positives", "prevalence", "pos_label"

Cells = list[list[str]]  # the first row is the head, and the first column has names


@dataclass(eq=False)
class Part:
    """A part of the page: facts, and what stands around them; ``alt`` says what is drawn."""

    facts: Sequence[Fact] = ()
    table: Cells = field(default_factory=list)
    table_calls: Sequence[str] = ()
    draw: Callable[[], Axes] | None = None
    alt: str = ""
    text: str = ""  # below the table, as a function prints it
    lead: str = ""  # before the facts
    title: str = ""

    @property
    def sentences(self) -> list[str]:
        return [*filter(None, [self.lead]), *map(fact_sentence, self.facts)]

    @property
    def calls(self) -> list[str]:
        """The calls that give its numbers, each once."""
        return [*dict.fromkeys([*self.table_calls, *calls_of(self.facts)])]


def calls_of(facts: Iterable[Fact]) -> list[str]:
    """List the calls of facts."""
    return [call for fact in facts for call in fact.calls]


def make_parts(data: Data, found: Findings) -> list[Part]:
    """Make all parts. One whose question is refused says so."""
    makers: dict[str, Callable[[Data, Findings], Part]] = {
        "Data": data_part,
        "Models": models_part,
        "Curve and top rows": top_part,
        "Thresholds": thresholds_part,
        **{f"By {column.name}": partial(column_part, column) for column in data.columns},
        "Other tools": tools_part,
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
    """Count rows, positives and units, name the columns of times, and list doubts."""
    lead = f"Rows: {int(data.weighs.sum()):,}, positives: {int(data.positive.sum()):,}"
    calls = [f"{data.positive_code}\npositive.size, np.sum(positive)"]
    if "sample_weight" in data.options:
        calls.append("np.sum(np.asarray(sample_weight) > 0)")
    for role in ("queries", "clusters"):
        if role in data.options:
            lead += f", {role}: {np.unique(np.asarray(data.options[role])).size:,}"
            calls.append(f"np.unique({role}).size")
    answered = [
        each for each in data.columns if not isinstance(found.columns[each.name][0], Refused)
    ]
    if times := [column.name for column in answered if column.are_times]:
        lead += f", times: {names(times)}"
    return Part(found.doubts, table_calls=calls, lead=f"{lead}.")


def models_part(data: Data, found: Findings) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    table = [["model", f"average precision ({interval_head(data.level)})"]]
    table += [[fact.model, estimate(fact.score)] for fact in found.scores]
    chances = [fact for fact in found.models if isinstance(fact, Chance)]
    table += [["random order", number(fact.chance)] for fact in chances]
    facts = found.models if len(data.models) > 1 else [*found.scores, *found.models]
    what = "each with its interval"
    if len(data.models) > 1:
        what += ", and their difference" if len(data.models) == 2 else " that holds for the best"
    alt = f"Average precision of {names(data.scores)}, {what}."
    return Part(facts, table, calls_of(found.scores), ask_models(data).result.plot, alt)


def top_part(data: Data, found: Findings) -> Part:
    """Give the precision and recall of the first rows, and draw the curves."""
    facts = [fact for model in data.shown for fact in find_top_rows(data, model)]
    level = interval_head(data.level)
    table = [["model", "top", f"precision ({level})", f"recall ({level})"]]
    table += [[f.model, top(f.k), estimate(f.precision), estimate(f.recall)] for f in facts]
    told = [fact for fact in facts if fact.model == found.to_use][:1]
    alt = f"Precision over recall of {names(data.shown)}."
    return Part(told, table, calls_of(facts), partial(draw_curves, data), alt)


def draw_curves(data: Data) -> Axes:
    """Draw the curves of the shown models in one picture."""
    options = {name: data.options[name] for name in DISPLAY_OPTIONS if name in data.options}
    options |= {"average": "macro"} if "queries" in data.options else {}
    ax = None
    for model in data.shown:
        display = AveragePrecisionDisplay.from_predictions(
            data.y_true, data.models[model].values, name=model, ax=ax, **options
        )
        ax = display.ax_
    return ax


def thresholds_part(data: Data, found: Findings) -> Part:
    """Give the thresholds of the shown models for several precisions."""
    level = interval_head(data.level)
    table = [["model", "goal", "from", "rows", f"precision ({level})", f"recall ({level})"]]
    goals = threshold_goals(data)
    facts = [find_threshold(data, model, each) for model in data.shown for each in goals]
    for fact in facts:
        cells = ["none", NONE, NONE, NONE]
        if isinstance(fact, Threshold):
            shares = [estimate(fact.precision), estimate(fact.recall)]
            cells = [str(fact.threshold), f"{fact.n_selected:,}", *shares]
        table.append([fact.model, goal(fact.goal), *cells])
    return Part(found.thresholds if found.is_usable else [], table, calls_of(facts))


def column_part(column: Column, data: Data, found: Findings) -> Part:
    """Give the scores of the segments of a column."""
    level = interval_head(data.level)
    asked = {model: ask_segments(data, column, model) for model in data.shown}
    segments, answer = asked[found.best]
    head = [column.name, *(f"{model} ({level})" for model in asked), "positives", "share"]
    table = [[*head, f"{found.best} minus others", "p-value"]]
    shown = shown_segments(column, segments)
    for name in shown:
        row = segments[name]
        scores = [estimate(others[name].score) for others, _ in asked.values()]
        cells = [f"{row.n_positives:,.0f}", percent(row.share), estimate(row.difference, "+")]
        table.append([name_as_text(name), *scores, *cells, pvalue_as_text(row.pvalue)])
    calls = [each.call for _, each in asked.values()]
    alt = f"Average precision of {found.best} by {column.name} with limits, as in the table."
    prevalence = answer.result.sample.target_prevalence
    notes = [] if prevalence is None else [f"Scores are at prevalence {number(prevalence)}."]
    if len(shown) < len(segments):
        which = "latest" if column.are_times else "lowest"
        notes.append(f"The {which} {len(shown):,} of {len(segments):,}.")
    draw = None if len(shown) < len(segments) else answer.result.plot
    return Part(found.columns[column.name], table, calls, draw, alt, " ".join(notes))


def shown_segments(column: Column, segments: dict[Name, SegmentRow]) -> list[Name]:
    """Choose the segments of a table: the latest times, or those that score least."""
    if len(segments) <= MOST_SEGMENTS:
        return [*segments]
    if column.are_times:
        return sorted(segments)[-MOST_SEGMENTS:]
    return sorted(segments, key=lambda name: segments[name].score.value)[:MOST_SEGMENTS]


def tools_part(data: Data, found: Findings) -> Part:
    """Give what other tools compute of the model to use."""
    result, call = data.ask(compat.compare, found.to_use)
    lead = f"What other tools compute of {found.to_use}:"
    return Part(table_calls=[call], text=str(result), lead=lead)
