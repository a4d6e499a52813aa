"""The parts of a page: sentences of facts, tables of public results, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.common.types import Axes, Name
from sklearn_ap._report._advice import Findings
from sklearn_ap._report._data import Column, Data, name_as_text
from sklearn_ap._report._facts import AboveChance, Fact, Refused, Threshold
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
    level_name,
    names,
    number,
    percent,
    pvalue,
    top,
)
from sklearn_ap._scikit_learn.displays.average_precision import AveragePrecisionDisplay

MOST_SEGMENTS = 20  # in a table
DISPLAY_OPTIONS = "queries", "sample_weight", "n_positives", "prevalence", "pos_label"

Table = list[list[str]]  # the first row is the head


@dataclass(eq=False)
class Part:
    """A part of the page; ``alt`` says what its picture shows."""

    title: str
    sentences: Sequence[str]
    table: Table
    calls: Sequence[str]
    draw: Callable[[], Axes] | None = None
    alt: str = ""
    text: str = ""  # below the table, as a tool prints it


def make_parts(data: Data, found: Findings) -> list[Part]:
    """Make all parts. One whose question is refused says so."""
    makers: dict[str, Callable[[str, Data, Findings], Part]] = {
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
            parts.append(make(title, data, found))
        except ValueError as error:
            parts.append(Part(title, [fact_sentence(Refused(message=str(error)))], [], []))
    warnings = [Part("Warnings", [*data.warnings], [], [])] if data.warnings else []
    return parts + warnings


def say(facts: Iterable[Fact]) -> tuple[list[str], list[str]]:
    """Return the sentences of facts, and their calls."""
    facts = [*facts]
    return [fact_sentence(fact) for fact in facts], [call for fact in facts for call in fact.calls]


def data_part(title: str, data: Data, found: Findings) -> Part:
    """Count rows, positives and units, and list doubts."""
    counts = [f"{data.positive.size:,} rows", f"{int(data.positive.sum()):,} positive"]
    calls = [f"{data.positive_code}\npositive.size, np.sum(positive)"]
    for role in ("queries", "clusters"):
        if role in data.options:
            counts.append(f"{np.unique(np.asarray(data.options[role])).size:,} {role}")
            calls.append(f"np.unique({role}).size")
    for fact in found.doubts:
        calls += fact.calls
    return Part(title, [f"{', '.join(counts)}.", *say(found.doubts)[0]], [], calls)


def models_part(title: str, data: Data, found: Findings) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    table = [["model", f"average precision ({level_name(data.level)})"]]
    table += [[fact.model, estimate(fact.score)] for fact in found.scores]
    chances = [fact for fact in found.models if isinstance(fact, AboveChance)]
    table += [["random order", number(fact.chance)] for fact in chances]
    told = found.models if len(data.models) > 1 else [*found.scores, *found.models]
    sentences, calls = say(told)
    _, score_calls = say(found.scores)
    alt = f"Average precision of {names(data.scores)} with limits, as in the table."
    return Part(title, sentences, table, [*score_calls, *calls], ask_models(data).result.plot, alt)


def top_part(title: str, data: Data, found: Findings) -> Part:
    """Give the precision and recall of the first rows, and draw the curves."""
    facts = find_top_rows(data)
    level = level_name(data.level)
    table = [["top", "model", f"precision ({level})", f"recall ({level})"]]
    table += [[top(f.k), f.model, estimate(f.precision), estimate(f.recall)] for f in facts]
    sentences, _ = say([fact for fact in facts if fact.model == found.model][:1])
    alt = f"Precision over recall of {names(data.shown)}."
    return Part(title, sentences, table, say(facts)[1], partial(draw_curves, data), alt)


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


def thresholds_part(title: str, data: Data, found: Findings) -> Part:
    """Give the thresholds of the shown models for several precisions."""
    level = level_name(data.level)
    table = [["goal", "model", "from", "rows", f"precision ({level})", f"recall ({level})"]]
    sentences, calls = say(found.thresholds)
    for goal in threshold_goals(data):
        for fact in (find_threshold(data, model, goal) for model in data.shown):
            cells = ["none", NONE, NONE, NONE]
            if isinstance(fact, Threshold):
                shares = [estimate(fact.precision), estimate(fact.recall)]
                cells = [f"{fact.threshold}", f"{fact.n_selected:,}", *shares]
            table.append([f"{goal:g}", fact.model, *cells])
            calls += fact.calls
    return Part(title, sentences, table, calls)


def column_part(column: Column, title: str, data: Data, found: Findings) -> Part:
    """Give the scores of the segments of a column."""
    level = level_name(data.level)
    asked = {model: ask_segments(data, column, model) for model in data.shown}
    best = data.shown[0]
    segments, answer = asked[best]
    head = [column.name, *(f"{model} ({level})" for model in asked), "positives", "share"]
    table = [[*head, f"{best} minus others", "p (Holm)"]]
    for name in shown_segments(column, segments):
        row = segments[name]
        scores = [estimate(of_model[name].score) for of_model, _ in asked.values()]
        cells = [f"{row.n_positives:,.0f}", percent(row.share), estimate(row.difference, "+")]
        table.append([name_as_text(name), *scores, *cells, pvalue(row.adjusted_pvalue)])
    n_left_out = len(segments) - len(table) + 1
    table += [[f"{n_left_out:,} more", *[""] * (len(head) + 1)]] if n_left_out else []
    sentences, calls = say(found.columns[column.name])
    calls += [each.call for _, each in asked.values()]
    alt = f"Average precision of {best} by {column.name} with limits, as in the table."
    return Part(title, sentences, table, calls, answer.result.plot, alt)


def shown_segments(column: Column, segments: dict[Name, SegmentRow]) -> list[Name]:
    """Choose the segments of a table: the latest times, or those that score least and most."""
    if len(segments) <= MOST_SEGMENTS or column.are_times:
        return [*segments][-MOST_SEGMENTS:]
    order = sorted(segments, key=lambda name: segments[name].score.value)
    half = MOST_SEGMENTS // 2
    return [name for name in segments if name in {*order[:half], *order[-half:]}]


def tools_part(title: str, data: Data, found: Findings) -> Part:
    """Give what other tools compute of the model to use."""
    result, call = data.ask(compat.compare, found.model)
    sentence = f"What other tools compute of {found.model}:"
    return Part(title, [sentence], [], [call], text=str(result))
