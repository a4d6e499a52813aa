"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._leads import find_odd_segment, lead_without
from sklearn_ap._program.report._page import Part, add_sentence
from sklearn_ap._program.report._positive_shares import (
    compare_shares,
    mark_latest,
    shift_in_words,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._reversals import (
    Reversal,
    add_reversals,
    begin_with,
    find_reversals,
    over_all,
)
from sklearn_ap._program.report._segment_columns import (
    Column,
    compare_column,
    few_positives,
    plurals_in_words,
    prevalence_in_words,
    some_names,
)
from sklearn_ap._program.report._segment_words import second_in_words, subject_in_words
from sklearn_ap._program.report._thresholds_in_segments import advise_threshold
from sklearn_ap._program.report._words import describe, row_score
from sklearn_ap._program.report._worst_segments import (
    WorstSegment,
    find_worst,
    printed_score,
    row_of_model,
)
from sklearn_ap._program.report.pictures import warned_texts
from sklearn_ap._questions.verdicts import BETTER, WORSE, names_in_words

NO_MORE = ", and no more digits."  # the end of the heading about a paper
LEADING = ("comparison",)  # the part that the first lines begin with
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
        last
        for column in trends
        if column.change.value < 0 and (last := _latest(data, column, is_worse=True))
    ]
    are_advised = any(part.name in ("comparison", "thresholds") and part.cells for part in parts)
    reversals = find_reversals(data, [*worst, *falling]) if are_advised else []
    shifts = {column.name: shift_in_words(data, column) for column in columns.values()}
    shifted = [_latest(data, each) for each in columns.values() if shifts[each.name]]
    told = _segments_of_thresholds(worst_segments, [*falling, *shifted])
    doubts = _doubts_by_column(data, [*columns.values()], worst, shifts)
    latest = [each for each in [*worst, *falling] if each.is_latest]
    odd = [found for each in columns.values() if (found := find_odd_segment(data, each))]
    leading = LEADING if len(data.values) > 1 else ("score",)
    qualified = []
    for part in parts:
        if part.title in columns:
            column = columns[part.title]
            qualified.append(_qualify_segments(part, column, reversals, doubts[column.name]))
        elif part.name in leading and part.cells:
            part = _add_fall(data, part, latest, reversals)
            part = add_reversals(data, part, reversals)
            leads = [lead_without(data, each) for each in odd] if len(data.values) > 1 else []
            qualified.append(_add_leads(data, part, [*filter(None, leads)]))
        elif part.name == "thresholds" and part.cells:
            qualified.append(advise_threshold(data, part, told, reversals))
        elif part.name == "paper":
            qualified.append(_add_scores(data, part, worst, trends))
        elif part.name in AVERAGES and part.cells:
            qualified.append(_limit_average(part, latest, reversals))
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


def _limit_average(
    part: Part, latest: Sequence[WorstSegment], reversals: Sequence[Reversal]
) -> Part:
    """Say that numbers are over all segments, and begin with the model that is advised for now."""
    if not latest:
        return part
    claim = over_all(part.sentence, latest[0].column.plural, part.models)
    now = next((each for each in reversals if each.found.is_latest), None)
    if now is None or part.model_part is None:
        return replace(part, sentence=claim)
    with warned_texts():  # the part has those of all curves
        other = part.model_part(now.other)
    names = "sentence", "picture", "call", "first_rows"
    more = [claim, *part.more]
    return replace(part, more=more, **{name: getattr(other, name) for name in names})


def _add_fall(
    data: Predictions, part: Part, latest: Sequence[WorstSegment], reversals: Sequence[Reversal]
) -> Part:
    """Begin with the fall of the best model in the latest segment, if no other one is advised."""
    if not latest or any(each.found.is_latest for each in reversals):
        return part
    found = latest[0]
    rows = {name: row_of_model(data, name, found) for name in data.shown_models}
    scores = [f"{name} scores {printed_score(row)}" for name, row in rows.items()]
    if len(rows) > 1 and all(row["verdict"] == WORSE for row in rows.values()):
        fall = f"{_all_models(data)} fall in {found.place}: find out why before you use them."
    else:
        fall = f"{data.subject} falls to {found.score} in {found.place}"
        fall = f"{fall}: find out why before you use it."
        scores = [*scores[1:], "no difference from it is shown"] if len(rows) == 2 else scores[1:]
    there = [f"There, {names_in_words(scores)}."] if scores else []
    return begin_with(part, [fall, *there], data.subject, found.column.plural)


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
            if (found.is_latest or not found.column.is_time)
            and (cause := _cause_in_words(data, found, shifts))
        ]
        for found in worst:
            doubts[found.column.name] = [" ".join([averages, *dict.fromkeys(causes)])]
    for column in columns:
        texts = [_fall_in_words(data, column), _rise_in_words(data, column)]
        texts += [_difference_in_words(column), _few_in_words(column)]
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
        f"The score of {data.best_model} falls by {size} a {column.unit}, so expect a lower score "
        f"in the next {column.noun}, and a lower precision at its thresholds."
    )


def _rise_in_words(data: Predictions, column: Column) -> str:
    """Say that a segment scores much more than the others; empty if none does."""
    outlier = column.clear_outlier
    if outlier is None or outlier.row["verdict"] != BETTER or column.leads_trend:
        return ""
    score = printed_score(outlier.row)
    place = column.place(outlier.name)
    subject = subject_in_words(data, column)
    return f"{subject} scores {score} in {place}: look there for labels that leak into scores."


def _add_leads(data: Predictions, part: Part, leads: Sequence[str]) -> Part:
    """Add what the lead is without odd segments: behind that of all rows, which may be the last."""
    if not data.is_chosen:
        return add_sentence(part, " ".join(leads))
    return replace(part, more=[*part.more, *leads], brief=[*part.brief, *leads])


def _difference_in_words(column: Column) -> str:
    """Say what it means that segments differ where none can be named; empty otherwise."""
    if not column.differs_as_a_whole or column.outliers or column.leads_trend:
        return ""
    next_one = f"the next {column.noun}" if column.is_time else f"one {column.noun}"
    return f"The {column.plural} differ, so {next_one} may score less than all of them together."


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
    return f"Scores and guarantees are over all {plurals} together, and {differ}."


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
            falls = "falls to" if found.column.is_time else "scores only"
            fall = f"In {found.name}, {best} {falls} {found.score} and {name}"
            if row["verdict"] == BETTER and found.column.is_time:
                inputs = f"so look first at the inputs of {found.name}"
                return f"{fall} rises to {printed_score(row)}, {inputs}."
            inputs = f"so look first at the inputs or scores of {best}"
            still = "still scores" if found.column.is_time else "scores"
            return f"{fall} {still} {printed_score(row)}, {inputs}."
    if any(row["verdict"] != WORSE for row in rows.values()):
        return ""
    if compare_shares(data, found.mark_rows(data)).is_lower():
        # A doubt about the share of positives says it with the numbers.
        is_said = bool(shifts[found.column.name])
        return "" if is_said else f"The labels of {found.name} may be incomplete."
    if not others:
        return f"Look first at the inputs of {found.name}."
    fall = "fall" if found.column.is_time else "score less"
    return f"{_all_models(data)} {fall} there, so look first at the inputs of {found.name}."


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
        best, *others = data.shown_models
        rows = {name: row_of_model(data, name, found) for name in others}
        scores = [f"{best} scored {_score_with_limits(data, found.row)}"]
        scores += [f"{name} {_score_with_limits(data, row)}" for name, row in rows.items()]
        against = "" if others else f", {found.change} against {found.others}"
        sentences.append(f"In {found.short_place}, {at}{names_in_words(scores)}{against}.")
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
    places = names_in_words([f"{found.score} in {found.short_place}" for found in worst])
    return replace(part, sentence=part.sentence.replace(NO_MORE, f", and {places}."))


def _score_with_limits(data: Predictions, row: Row) -> str:
    return describe(row_score(row), data.interval_kind)
