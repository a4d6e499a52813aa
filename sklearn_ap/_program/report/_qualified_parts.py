"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._pictures import Picture, warned_texts
from sklearn_ap._program.report._positive_shares import (
    compare_shares,
    mark_latest,
    shift_in_words,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._reversals import Reversal, add_reversals, find_reversals
from sklearn_ap._program.report._segment_columns import (
    Column,
    compare_column,
    few_positives,
    plurals_in_words,
    prevalence_in_words,
    some_names,
)
from sklearn_ap._program.report._segment_words import second_in_words
from sklearn_ap._program.report._thresholds_in_segments import advise_threshold
from sklearn_ap._program.report._worst_segments import (
    WorstSegment,
    find_worst,
    printed_score,
    row_of_model,
)
from sklearn_ap._program.report.page import Part, add_sentence
from sklearn_ap._questions.verdicts import BETTER, WORSE

NO_MORE = ", and no more digits."  # the end of the heading about a paper
AVERAGES = "score", "curve", "top"  # parts that have the numbers of the best model over all rows
MERGE = "merge some of them"  # what to do with segments that have too few positives
MERGE_TIMES = "merge them into longer ones"


def qualify_parts(data: Predictions, parts: Sequence[Part]) -> list[Part]:
    """Say in parts that count all rows what a worse segment changes, and doubt them for it."""
    segment_parts = [part for part in parts if part.name == "segments"]
    columns = {
        part.title: compare_column(data, name)
        for name, part in zip(data.segments, segment_parts, strict=False)
        if part.cells
    }
    worst_segments = [find_worst(column) for column in columns.values()]
    worst = [each for found in worst_segments for each in found]
    trends = [column for column in columns.values() if column.leads_trend]
    falling = [
        latest
        for column in trends
        if column.change.value < 0 and (latest := _latest(data, column, is_worse=True))
    ]
    are_advised = any(part.name in ("comparison", "thresholds") and part.cells for part in parts)
    reversals = find_reversals(data, [*worst, *falling]) if are_advised else []
    shifts = {column.name: shift_in_words(data, column) for column in columns.values()}
    shifted = [_latest(data, each) for each in columns.values() if shifts[each.name]]
    told = _segments_of_thresholds(worst_segments, [*falling, *shifted])
    doubts = _doubts_by_column(data, [*columns.values()], worst, shifts)
    qualified = []
    for part in parts:
        if part.title in columns:
            column = columns[part.title]
            qualified.append(_qualify_segments(part, column, reversals, doubts[column.name]))
        elif part.name == "comparison" and part.cells:
            part = _add_latest(data, part, [*worst, *falling], reversals)
            qualified.append(add_reversals(data, part, reversals))
        elif part.name == "thresholds" and part.cells:
            qualified.append(advise_threshold(data, part, told, reversals))
        elif part.name == "paper":
            qualified.append(_add_scores(data, part, worst, trends))
        elif part.name in AVERAGES and part.cells:
            qualified.append(_add_reversal(part, reversals))
        else:
            qualified.append(part)
    return qualified


def _qualify_segments(
    part: Part, column: Column, reversals: Sequence[Reversal], doubts: Sequence[str]
) -> Part:
    """Add the doubts about a column, and give it for the model that is advised for now.

    A column in which the best model changes stays as it is, as it says why the other one is used.
    """
    now = next((each for each in reversals if each.found.is_latest), None)
    if now is not None and part.model_part is not None and not column.tells_change:
        with warned_texts():  # the part has those of the best model
            part = replace(part.model_part(now.other), **_labels_of(part))
    if column.is_compared:
        return replace(part, urgent=doubts)
    return replace(part, doubts=[*doubts, *part.doubts])


def _labels_of(part: Part) -> Keywords:
    """Return what a part has whatever the model is."""
    names = "name", "title", "page", "warnings", "models"
    return {name: getattr(part, name) for name in names}


def _segments_of_thresholds(
    worst_segments: Sequence[Sequence[WorstSegment]], latest: Sequence[WorstSegment | None]
) -> list[WorstSegment]:
    """Choose for each column the latest or the worst segment, and the worst beside the latest.

    The latest segments of a trend or with another share of positives are added.
    """
    told = [found[0] for found in worst_segments if found]
    told += [found[1] for found in worst_segments if found[1:] and found[0].is_latest]
    for each in latest:
        if each is not None and not _is_among(each, told):
            told.append(each)
    return told


def _add_reversal(part: Part, reversals: Sequence[Reversal]) -> Part:
    """Begin with the model that is advised for now, or remind of it in a part of both."""
    now = next((each for each in reversals if each.found.is_latest), None)
    if now is None:
        return part
    claim = f"in {now.found.name}, {now.claim}."
    if part.model_part is None:
        text = f"This counts all {now.found.column.plural}. I{claim[1:]}"
        return replace(part, more=[text, *part.more])
    with warned_texts():  # the part has those of all curves
        other = part.model_part(now.other)
    more = [f"{part.sentence} But {claim}", *part.more]
    names = "sentence", "call", "first_rows"
    picture = other.picture and _add_scope(other.picture, now)
    changes = {name: getattr(other, name) for name in names}
    return replace(part, more=more, picture=picture, **changes)


def _add_scope(picture: Picture, now: Reversal) -> Picture:
    """Say below a picture of all rows that the model with the highest score fails now."""
    scope = f"All {now.found.column.plural} count, but in {now.found.name}, {now.claim}."
    return replace(picture, subject=f"{picture.subject} {scope}")


def _add_latest(
    data: Predictions, part: Part, worse: Sequence[WorstSegment], reversals: Sequence[Reversal]
) -> Part:
    """Say what models score in the latest segment if it is worse, and none is advised for now."""
    latest = [each for each in worse if each.is_latest]
    if not latest or any(each.found.is_latest for each in reversals):
        return part
    best, *others = [*data.values][:2]
    scores = [f"{best} scores {latest[0].score}"]
    scores += [f"{name} {printed_score(row_of_model(data, name, latest[0]))}" for name in others]
    return add_sentence(part, f"In {latest[0].place}, {' and '.join(scores)}.")


def _latest(data: Predictions, column: Column, is_worse: bool = False) -> WorstSegment | None:
    """Return the latest segment, which need not be worse; None if it has no score."""
    latest = WorstSegment(column, column.rows[-1], is_worse=is_worse)
    has_score = np.array_equal(latest.mark_rows(data), mark_latest(data, column))
    return latest if has_score else None


def _is_among(latest: WorstSegment, worst: Sequence[WorstSegment]) -> bool:
    return any(each.is_latest and each.column.name == latest.column.name for each in worst)


def _doubts_by_column(
    data: Predictions,
    columns: Sequence[Column],
    worst: Sequence[WorstSegment],
    shifts: Mapping[str, str],
) -> dict[str, list[str]]:
    """Write a doubt for all columns that have it, so that it is read once."""
    doubts: dict[str, list[str]] = {}
    if worst:
        averages = _averages_in_words(worst)
        causes = [
            cause
            for found in worst
            if found.is_latest and (cause := _cause_in_words(data, found, shifts))
        ]
        for found in worst:
            doubts[found.column.name] = [" ".join([averages, *dict.fromkeys(causes)])]
    for column in columns:
        texts = [_fall_in_words(data, column), _few_in_words(column)]
        texts.append(second_in_words(data, column))
        doubts[column.name] = [*doubts.get(column.name, []), *filter(None, texts)]
    for name, shift in shifts.items():
        doubts[name] = [*doubts.get(name, []), *([shift] if shift else [])]
    if few := [column for column in columns if not column.is_compared]:
        plurals = plurals_in_words(few)
        remedy = MERGE_TIMES if all(column.is_time for column in few) else MERGE
        subject = f"{plurals[0].upper()}{plurals[1:]}"
        for column in few:
            text = f"{subject} have too few positives to compare: {remedy}."
            doubts[column.name] = [text, *doubts[column.name]]
    return doubts


def _fall_in_words(data: Predictions, column: Column) -> str:
    """Say what a falling trend over all segments means for the next one; empty for others."""
    if not column.leads_trend or column.change.value > 0:
        return ""
    size = column.change.as_text().value.removeprefix("-")
    return (
        f"The score of {data.best_model} falls by {size} a {column.unit}, so scores and thresholds "
        f"of all {column.plural} are too high for the next one."
    )


def _few_in_words(column: Column) -> str:
    """Say that the latest segment cannot be judged; empty if it can."""
    if not column.latest_is_short:
        return ""
    latest = f"latest {column.noun}, {column.comparison.rankings[-1]},"
    return f"The {latest} {few_positives(column)}, so its score cannot be judged."


def _averages_in_words(worst: Sequence[WorstSegment]) -> str:
    """Say which segments differ from the averages over all of them."""
    plurals = plurals_in_words(found.column for found in worst)
    differ = f"{worst[0].name} differs ({worst[0].change})"
    if len(worst) > 1:
        is_clear = len({found.name for found in worst}) == len(worst)
        places = [found.name if is_clear else found.short_place for found in worst]
        changes = [found.change for found in worst]
        names = some_names([f"{a} ({b})" for a, b in zip(places, changes, strict=True)])
        differ = f"{names} differ"
    return f"Scores and thresholds are averages over {plurals}, and {differ}."


def _cause_in_words(data: Predictions, found: WorstSegment, shifts: Mapping[str, str]) -> str:
    """Say where to look first: at one model, at the labels of the latest segment, or its inputs.

    Missing labels lower all models, and also the share of positives. Nothing is said if another
    model is not shown to fall, and does not clearly hold.
    """
    best, *others = data.shown_models
    rows = {name: row_of_model(data, name, found) for name in others}
    chance = found.column.comparison.prevalence or 0.0
    for name, row in rows.items():
        if _holds(row, found.row, chance):
            falls = f"In {found.name}, {best} falls to {found.score} and {name}"
            if row["verdict"] == BETTER:
                inputs = f"so look first at the inputs of {found.name}"
                return f"{falls} rises to {printed_score(row)}, {inputs}."
            inputs = f"so look first at the inputs or scores of {best}"
            return f"{falls} still scores {printed_score(row)}, {inputs}."
    if any(row["verdict"] != WORSE for row in rows.values()):
        return ""
    if compare_shares(data, found.mark_rows(data)).is_lower():
        # A doubt about the share of positives says it with the numbers.
        is_said = bool(shifts[found.column.name])
        return "" if is_said else f"The labels of {found.name} may be incomplete."
    if not others:
        return f"Look first at the inputs of {found.name}."
    return f"{_all_models(data)} fall there, so look first at the inputs of {found.name}."


def _all_models(data: Predictions) -> str:
    n_shown = len(data.shown_models)
    if n_shown < len(data.values):
        return f"The best {n_shown} models"
    return "Both models" if n_shown == 2 else "All models"


def _holds(other: Row, fallen: Row, chance: float) -> bool:
    """Check whether a model is better than chance, and keeps more of its lead than a fallen one.

    The lead is over random orders, which score the prevalence: a weak model hardly can fall. It
    must not be shown to be worse, either.
    """
    if other["verdict"] == WORSE or np.isnan(other["difference"]) or other["low"] <= chance:
        return False
    leads = [row["estimate"] - row["difference"] - chance for row in (other, fallen)]
    if min(leads) <= 0:
        return False
    least_kept = 1 + other["difference_low"] / leads[0]
    most_kept = 1 + fallen["difference_high"] / leads[1]
    return bool(least_kept > most_kept)


def _add_scores(
    data: Predictions, part: Part, worst: Sequence[WorstSegment], trends: Sequence[Column]
) -> Part:
    """Add the scores in the worst segments, and trends, to the first paragraph for a paper."""
    if not (worst or trends) or not part.copied_text:
        return part
    text, gap, table = part.copied_text.partition("\n\n")
    at = f"at {prevalence_in_words(data)}, "
    sentences = []
    for found in worst:
        best, *others = data.values
        against = f" ({found.change} against {found.others})"
        if len(others) == 1:
            score = printed_score(row_of_model(data, others[0], found))
            against = f" and {others[0]} {score}"
        sentences.append(f"In {found.short_place}, {at}{best} scored {found.score}{against}.")
        at = ""
    for column in trends:
        verb = "rose" if column.change.value > 0 else "fell"
        change = column.change.brief(data.interval_kind, "+", f" a {column.unit}")
        subject = f"the score of {data.best_model}"
        sentences.append(f"By {column.name}, {at}{subject} {verb}: {change}.")
        at = ""
    added = printable(" ".join(sentences))
    part = replace(part, copied_text=f"{text} {added}{gap}{table}")
    if not worst:
        return part
    found = worst[0]
    heading = part.sentence.replace(NO_MORE, f", and {found.score} in {found.short_place}.")
    return replace(part, sentence=heading)
