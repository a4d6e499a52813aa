"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._reversals import add_reversals, find_reversals
from sklearn_ap._program.report._segment_columns import Column, compare_column
from sklearn_ap._program.report._thresholds_in_segments import advise_threshold
from sklearn_ap._program.report._worst_segments import (
    WorstSegment,
    find_worst,
    printed_score,
    row_of_model,
)
from sklearn_ap._program.report.page import Part
from sklearn_ap._questions.verdicts import WORSE, names_in_words


def qualify_parts(data: Predictions, parts: Sequence[Part]) -> list[Part]:
    """Say in parts that count all rows what a worse segment changes, and doubt them for it."""
    segment_parts = [part for part in parts if part.name == "segments"]
    columns = {
        part.title: compare_column(data, name)
        for name, part in zip(data.segments, segment_parts, strict=False)
        if part.cells
    }
    worst = [found for found in map(find_worst, columns.values()) if found is not None]
    are_advised = any(part.name in ("comparison", "thresholds") and part.cells for part in parts)
    reversals = find_reversals(data, worst) if are_advised else []
    doubts = _doubts_by_column(data, [*columns.values()], worst)
    qualified = []
    for part in parts:
        if part.title in columns:
            more = doubts.get(columns[part.title].name, [])
            qualified.append(replace(part, doubts=[*more, *part.doubts]))
        elif part.name == "comparison" and part.cells:
            qualified.append(add_reversals(data, part, reversals))
        elif part.name == "thresholds" and part.cells:
            qualified.append(advise_threshold(data, part, worst, reversals))
        elif part.name == "paper":
            qualified.append(_add_scores(data, part, worst))
        else:
            qualified.append(part)
    return qualified


def _doubts_by_column(
    data: Predictions, columns: Sequence[Column], worst: Sequence[WorstSegment]
) -> dict[str, list[str]]:
    """Write a doubt for all columns that have it, so that it is read once."""
    doubts: dict[str, list[str]] = {}
    if worst:
        plurals = names_in_words([found.column.plural for found in worst])
        differ = f"{worst[0].name} differs ({worst[0].change})"
        if len(worst) > 1:
            names = names_in_words([f"{found.name} ({found.change})" for found in worst])
            differ = f"{names} differ"
        causes = [_cause_in_words(data, found) for found in worst if found.is_latest]
        averages = f"Scores and thresholds are averages over {plurals}, and {differ}."
        for found in worst:
            doubts[found.column.name] = [" ".join([averages, *causes])]
    if few := [column for column in columns if not column.is_compared]:
        plurals = names_in_words([column.plural for column in few])
        for column in few:
            text = f"{plurals[0].upper()}{plurals[1:]} have too few positives to compare."
            doubts[column.name] = [text]
    return doubts


def _cause_in_words(data: Predictions, found: WorstSegment) -> str:
    """Say where to look first: at the labels of the latest segment, or at one model.

    Missing labels lower all models, so they are not the reason if another model holds.
    """
    best, *others = data.shown_models
    for name in others:
        row = row_of_model(data, name, found)
        if _holds(row, found.row):
            return (
                f"In {found.name}, {best} falls to {found.score} and {name} still scores "
                f"{printed_score(row)}, so look first at the inputs or scores of {best}."
            )
    return f"The labels of {found.name} may be incomplete."


def _holds(other: Row, fallen: Row) -> bool:
    """Check whether a model is not shown worse, and keeps more of its score than a fallen one."""
    if other["verdict"] == WORSE or np.isnan(other["difference"]):
        return False
    elsewhere = [row["estimate"] - row["difference"] for row in (other, fallen)]
    least_kept = 1 + other["difference_low"] / elsewhere[0]
    most_kept = 1 + fallen["difference_high"] / elsewhere[1]
    return bool(least_kept > most_kept)


def _add_scores(data: Predictions, part: Part, worst: Sequence[WorstSegment]) -> Part:
    """Add the scores in the worst segments to the text for a paper, below its first paragraph."""
    if not worst or not part.copied_text:
        return part
    text, gap, table = part.copied_text.partition("\n\n")
    at = "at the prevalence of all rows, "
    sentences = []
    for found in worst:
        best, *others = data.values
        against = f" ({found.change} against the other {found.column.plural})"
        if len(others) == 1:
            score = printed_score(row_of_model(data, others[0], found))
            against = f" and {others[0]} {score}"
        sentences.append(f"In {found.short_place}, {at}{best} scored {found.score}{against}.")
        at = ""
    added = printable(" ".join(sentences))
    return replace(part, copied_text=f"{text} {added}{gap}{table}")
