"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row, count_as_text
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_parts import (
    Column,
    compare_by_column,
    compare_column,
    most_different,
    segment_row,
)
from sklearn_ap._program.report._words import number, percent, row_difference, row_score
from sklearn_ap._program.report.page import Cutoff, Part, warned_texts
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.verdicts import WORSE, names_in_words, printed

FEWEST_SELECTED = 10  # rows of a segment whose precision is told: a choice
FAILED_SHARE = 0.5  # of the recall or precision in all rows; a threshold that has less has failed
GUARANTEED = "The guarantee holds for rows like all of these."
RULE = "Select rows"  # the first words of a sentence that says which rows to select


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
        return self.column.place(self.name)

    @property
    def score(self) -> str:
        return _printed_score(self.row)

    @property
    def change(self) -> str:
        return printed(row_difference(self.row), "+").value

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
    doubts = _doubts_by_column(data, [*columns.values()], worst)
    qualified = []
    for part in parts:
        if part.title in columns:
            more = doubts.get(columns[part.title].name, [])
            qualified.append(replace(part, doubts=[*more, *part.doubts]))
        elif part.name == "comparison" and part.cells:
            qualified.append(_add_reversals(data, part, worst))
        elif part.cutoff is not None:
            qualified.append(_qualify_threshold(data, part, part.cutoff, worst))
        elif part.name == "paper":
            qualified.append(_add_scores(data, part, worst))
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
        row = _row_of_model(data, name, found)
        if _holds(row, found.row):
            return (
                f"In {found.name}, {best} falls to {found.score} and {name} still scores "
                f"{_printed_score(row)}, so look first at the inputs or scores of {best}."
            )
    return f"The labels of {found.name} may be incomplete."


def _row_of_model(data: Predictions, name: str, found: WorstSegment) -> Row:
    """Return the row of the segment as another model ranks it."""
    comparison = compare_by_column(data, name, found.column.name)
    return segment_row(comparison, found.row["segment"])


def _holds(other: Row, fallen: Row) -> bool:
    """Check whether a model is not shown worse, and keeps more of its score than a fallen one."""
    if other["verdict"] == WORSE or np.isnan(other["difference"]):
        return False
    elsewhere = [row["estimate"] - row["difference"] for row in (other, fallen)]
    least_kept = 1 + other["difference_low"] / elsewhere[0]
    most_kept = 1 + fallen["difference_high"] / elsewhere[1]
    return bool(least_kept > most_kept)


def _printed_score(row: Row) -> str:
    return printed(row_score(row)).value


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
            score = _printed_score(_row_of_model(data, others[0], found))
            against = f" and {others[0]} {score}"
        sentences.append(f"In {found.short_place}, {at}{best} scored {found.score}{against}.")
        at = ""
    added = printable(" ".join(sentences))
    return replace(part, copied_text=f"{text} {added}{gap}{table}")


def _add_reversals(data: Predictions, part: Part, worst: Sequence[WorstSegment]) -> Part:
    """Say where the better of two models is the worse one, with the warnings of that test."""
    if len(data.y_scores) != 2:
        return part
    claims = []
    shown_texts = [*part.warnings]
    for found in worst:
        with warned_texts() as texts:
            claim = _reversal(data, found)
        if claim:
            claims.append(claim)
            shown_texts += texts
            part = _limit_to_average(part, found) if found.is_latest else part
    return _qualify(replace(part, warnings=shown_texts), " ".join(claims))


def _limit_to_average(part: Part, found: WorstSegment) -> Part:
    """Write that a model is better over all months, where it is worse in the latest."""
    claim, colon, numbers = part.sentence.rpartition(": ")  # names may have colons, too
    sentence = f"{claim} over all {found.column.plural}{colon}{numbers}"
    brief = part.brief.replace(part.sentence, sentence, 1)
    return replace(part, sentence=sentence, brief=brief)


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
    change = row_difference(row)
    kind = data.interval_kind if n_segments == 1 else f"adjusted {data.interval_kind}"
    claim = f"{data.best_model} is worse than {comparison.reference}"
    advice = f" Use {comparison.reference} until you know why." if found.is_latest else ""
    return f"But in {found.place}, {claim}: {change.brief(kind, '+')}.{advice}"


def _qualify_threshold(
    data: Predictions, part: Part, cutoff: Cutoff, worst: Sequence[WorstSegment]
) -> Part:
    """Say what a threshold finds in the worst segments, and first if it fails in the latest."""
    scope = [GUARANTEED] if worst and cutoff.is_guaranteed else []
    failed = [each for each in worst if each.is_latest and _fails(data, cutoff, each)]
    if not failed or not part.sentence.startswith(RULE):
        return _qualify(part, " ".join([*scope, *_found_in_words(data, cutoff, worst)]))
    counts = _counts(data, cutoff, failed[0].mark_rows(data))
    warning = f"Do not use this threshold before you know why: in {failed[0].name}, it {counts}."
    rule = part.sentence.replace(RULE, "It selects rows", 1)
    others = [each for each in worst if each is not failed[0]]
    texts = [rule, *scope, *_found_in_words(data, cutoff, others)]
    more = [text for text in part.more if text != cutoff.alternative]
    brief = " ".join([warning, *texts])
    return replace(part, sentence=warning, more=[*texts, *more], brief=brief)


def _fails(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> bool:
    """Check whether a threshold has much less recall or precision in a segment than in all rows."""
    rows = found.mark_rows(data)
    positive = data.y_true
    selected = _selected(data, cutoff)
    recall = _average(selected, data.weight, positive & rows)
    precision = _average(positive, data.weight, selected & rows)  # nan if nothing is selected
    has_precision = np.count_nonzero(selected & rows) >= FEWEST_SELECTED
    return bool(
        recall < FAILED_SHARE * _average(selected, data.weight, positive)
        or (has_precision and precision < FAILED_SHARE * _average(positive, data.weight, selected))
    )


def _average(hits: Bool, weight: Float, rows: Bool) -> float:
    """Return the share of hits among rows by their weight, or nan without weight."""
    total = weight[rows].sum()
    return float(weight[rows & hits].sum() / total) if total else float("nan")


def _selected(data: Predictions, cutoff: Cutoff) -> Bool:
    selected: Bool = np.asarray(data.y_scores[data.best_model]) >= cutoff.threshold
    return selected


def _counts(data: Predictions, cutoff: Cutoff, rows: Bool) -> str:
    """Write "selects 39 rows, of which 1 is positive (recall 1 of 204)", or a share of weight."""
    selected = _selected(data, cutoff) & rows
    n_selected = int(selected.sum())
    n_found = int(np.sum(selected & data.y_true))
    if "sample_weight" in data.options or not n_found:
        return _shares(data, cutoff, rows)
    n_positives = np.count_nonzero(data.y_true & rows)
    be = "is" if n_found == 1 else "are"
    selects = f"selects {count_as_text(n_selected, 'row')}"
    return f"{selects}, of which {n_found:,} {be} positive (recall {n_found:,} of {n_positives:,})"


def _found_in_words(data: Predictions, cutoff: Cutoff, worst: Sequence[WorstSegment]) -> list[str]:
    """Say what a threshold finds in the worst segments."""
    return [
        f"In {found.short_place}, {subject} {_shares(data, cutoff, found.mark_rows(data))}."
        for found, subject in zip(worst, ("this threshold", "it"), strict=False)
    ]


def _shares(data: Predictions, cutoff: Cutoff, rows: Bool) -> str:
    """Write "finds 5% of the positives (9 of 180)", and the precision of several rows.

    Rows with weights are not counted, as the share is that of the weight.
    """
    positive = data.y_true[rows]
    selected = _selected(data, cutoff)[rows]
    weight = data.weight[rows]
    recall = np.sum(weight * (positive & selected)) / np.sum(weight * positive)
    has_weights = "sample_weight" in data.options
    n_found = np.count_nonzero(positive & selected)
    n_positives = np.count_nonzero(positive)
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
