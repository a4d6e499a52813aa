"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_parts import (
    Column,
    compare_column,
    most_different,
)
from sklearn_ap._program.report._words import number, percent
from sklearn_ap._program.report.page import Cutoff, Part, warned_texts
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.verdicts import WORSE, Estimate, names_in_words, printed

FEWEST_SELECTED = 10  # rows of a segment whose precision is told: a choice


class WorstSegment(NamedTuple):
    """A segment that is worse than the others, and its row: the latest one, or that worse by most.

    Somebody who uses the model now needs the latest month, although another one may be worse.
    """

    column: Column
    row: Row

    @property
    def name(self) -> str:
        return str(self.row["segment"])

    @property
    def is_latest(self) -> bool:
        return self.column.is_time and self.name == str(self.column.rows[-1]["segment"])

    @property
    def place(self) -> str:
        """Write "2026-09, the latest month", or "country IT"."""
        if self.is_latest:
            noun = "one" if self.column.name == "segment" else self.column.name
            return f"{self.name}, the latest {noun}"
        return self.short_place

    @property
    def short_place(self) -> str:
        """Write "month 2026-09"."""
        return self.name if self.column.name == "segment" else f"{self.column.name} {self.name}"

    @property
    def change(self) -> str:
        row = self.row
        limits = Estimate(row["difference"], row["difference_low"], row["difference_high"])
        return printed(limits, "+").value

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows of the segment."""
        segments = data.segments[self.column.name]
        is_inside: Bool = segments.codes == [*map(str, segments.names)].index(self.name)
        return is_inside


def qualify_parts(data: Predictions, parts: Sequence[Part]) -> list[Part]:
    """Say in parts that count all rows what a worse segment changes, and doubt them for it."""
    segment_parts = [part for part in parts if part.name == "segments"]
    columns = {
        part.title: compare_column(data, name)
        for name, part in zip(data.segments, segment_parts, strict=False)
        if part.cells
    }
    worst = [found for found in map(_find_worst, columns.values()) if found is not None]
    doubts = _doubts_by_column([*columns.values()], worst)
    qualified = []
    for part in parts:
        if part.title in columns:
            more = doubts.get(columns[part.title].name, [])
            qualified.append(replace(part, doubts=[*more, *part.doubts]))
        elif part.name == "comparison" and part.cells:
            qualified.append(_add_reversals(data, part, worst))
        elif part.cutoff is not None:
            qualified.append(_qualify(part, _found_in_words(data, part.cutoff, worst)))
        else:
            qualified.append(part)
    return qualified


def _find_worst(column: Column) -> WorstSegment | None:
    """Find the segment that other parts name, if one is worse than the others."""
    most = most_different(column)
    if most is None or most["verdict"] != WORSE:
        return None
    latest = column.rows[-1]
    is_used = column.is_time and latest["verdict"] == WORSE
    return WorstSegment(column, latest if is_used else most)


def _qualify(part: Part, text: str) -> Part:
    """Add a text behind the heading of a part, and where the first lines have this heading."""
    if not text:
        return part
    brief = part.brief.replace(part.sentence, f"{part.sentence} {text}", 1)
    return replace(part, more=[text, *part.more], brief=brief)


def _doubts_by_column(
    columns: Sequence[Column], worst: Sequence[WorstSegment]
) -> dict[str, list[str]]:
    """Write a doubt for all columns that have it, so that it is read once."""
    doubts: dict[str, list[str]] = {}
    if worst:
        plurals = names_in_words([found.column.plural for found in worst])
        differ = f"{worst[0].name} differs ({worst[0].change})"
        if len(worst) > 1:
            names = names_in_words([f"{found.name} ({found.change})" for found in worst])
            differ = f"{names} differ"
        latest = [found for found in worst if found.is_latest]
        labels = [f"The labels of {found.name} may be incomplete." for found in latest]
        averages = f"Scores and thresholds are averages over {plurals}, and {differ}."
        for found in worst:
            doubts[found.column.name] = [" ".join([averages, *labels])]
    if few := [column for column in columns if not column.is_compared]:
        plurals = names_in_words([column.plural for column in few])
        for column in few:
            text = f"{plurals[0].upper()}{plurals[1:]} have too few positives to compare."
            doubts[column.name] = [text]
    return doubts


def _add_reversals(data: Predictions, part: Part, worst: Sequence[WorstSegment]) -> Part:
    """Say where the better of two models is the worse one, with the warnings of that test."""
    if len(data.y_scores) != 2:
        return part
    claims, shown_texts = [], [*part.warnings]
    for found in worst:
        with warned_texts() as texts:
            claim = _reversal(data, found)
        if claim:
            claims.append(claim)
            shown_texts += texts
    return _qualify(replace(part, warnings=shown_texts), " ".join(claims))


def _reversal(data: Predictions, found: WorstSegment) -> str:
    """Test the models in a segment that was found among many; empty if none is shown worse.

    The level is Bonferroni's for the segments of the column, as any of them could be this one.
    """
    rows = found.mark_rows(data)
    options = {
        name: data.options[name][rows]
        for name in ("clusters", "sample_weight")
        if name in data.options
    }
    n_segments = len(found.column.rows)
    comparison = compare_average_precision(
        data.y_true[rows],
        {name: np.asarray(scores)[rows] for name, scores in data.y_scores.items()},
        prevalence=found.column.comparison.prevalence,
        confidence_level=1 - (1 - data.level) / n_segments,
        reference=[*data.values][1],
        **options,
    )
    (row,) = (row for row in comparison.rows() if row["name"] == data.best_model)
    if row["verdict"] != WORSE:
        return ""
    change = Estimate(row["difference"], row["difference_low"], row["difference_high"])
    kind = data.interval_kind if n_segments == 1 else f"adjusted {data.interval_kind}"
    claim = f"{data.best_model} is worse than {comparison.reference}"
    return f"But in {found.place}, {claim}: {change.brief(kind, '+')}."


def _found_in_words(data: Predictions, cutoff: Cutoff, worst: Sequence[WorstSegment]) -> str:
    """Say what a threshold finds in the worst segments."""
    sentences = [
        f"In {found.short_place}, {subject} {_shares(data, cutoff, found.mark_rows(data))}."
        for found, subject in zip(worst, ("this threshold", "it"), strict=False)
    ]
    if sentences and cutoff.is_guaranteed:
        sentences.insert(0, "The guarantee holds for rows like all of these.")
    return " ".join(sentences)


def _shares(data: Predictions, cutoff: Cutoff, rows: Bool) -> str:
    """Write "finds 5% of the positives (9 of 180)", and the precision of several rows.

    Rows with weights are not counted, as the share is that of the weight.
    """
    positive = data.y_true[rows]
    selected = np.asarray(data.y_scores[data.best_model])[rows] >= cutoff.threshold
    weight = data.options.get("sample_weight", np.ones(data.n_rows))[rows]
    recall = np.sum(weight * (positive & selected)) / np.sum(weight * positive)
    has_weights = "sample_weight" in data.options
    n_found, n_positives = np.count_nonzero(positive & selected), np.count_nonzero(positive)
    if not n_found:
        return (
            "finds no positive" if has_weights else f"finds none of the {n_positives:,} positives"
        )
    counts = "" if has_weights else f" ({n_found:,} of {n_positives:,})"
    words = f"finds {percent(recall)} of the positives{counts}"
    # At the prevalence of the user, the precision is not that of these rows.
    if np.count_nonzero(selected) < FEWEST_SELECTED or "prevalence" in data.options:
        return words
    if not weight[selected].any():
        return words
    precision = np.average(positive[selected], weights=weight[selected])
    return f"{words} at a precision of {number(precision)}"
