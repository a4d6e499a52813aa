"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._leads import Lead, find_odd_segment, lead_without
from sklearn_ap._program.report._outliers import omitted_options
from sklearn_ap._program.report._page import Part, add_sentence
from sklearn_ap._program.report._positive_shares import (
    mark_latest,
    shift_in_words,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._reversals import (
    Reversal,
    add_reversals,
    advise_other,
    begin_with,
    can_limit,
    find_reversals,
    find_second_fall,
    latest_reversal,
    limit_by_reversal,
    limit_claim,
    limit_finding,
    ordered_segments,
    over_all,
    replace_advice,
)
from sklearn_ap._program.report._score_parts import weak_in_words
from sklearn_ap._program.report._segment_columns import (
    CLEAR_PVALUE,
    Column,
    compare_column,
    prevalence_in_words,
)
from sklearn_ap._program.report._segment_doubts import all_models_in_words, find_doubts
from sklearn_ap._program.report._segment_words import advised_in_words, scores_in_segment
from sklearn_ap._program.report._thresholds_in_segments import advise_threshold
from sklearn_ap._program.report._words import describe, row_score
from sklearn_ap._program.report._worst_segments import (
    WorstSegment,
    find_worst,
    printed_score,
    row_of_model,
)
from sklearn_ap._program.report.pictures import warned_texts
from sklearn_ap._questions.verdicts import WORSE, names_in_words

NO_MORE = ", and no more digits."  # the end of the heading about a paper
AVERAGES = "score", "curve", "top"  # parts that have the numbers of the best model over all rows


class Changes(NamedTuple):
    """What segments change in parts that count all rows."""

    columns: Mapping[str, Column]  # by the title of their part
    worst: Sequence[WorstSegment]
    latest: Sequence[WorstSegment]  # those of them that are the latest, or on a falling trend
    trends: Sequence[Column]
    reversals: Sequence[Reversal]
    rivals: Sequence[Reversal]  # better in the latest segment, where the best one has not fallen
    told: Sequence[WorstSegment]  # for which a threshold says what it finds
    second_fall: Reversal | None  # the latest time, if the second of two models alone has fallen
    leads: Sequence[Lead]  # of the best model without odd segments
    doubts: Mapping[str, Sequence[str]]  # by the name of the column


def qualify_parts(data: Predictions, parts: Sequence[Part]) -> list[Part]:
    """Say in parts that count all rows what a worse segment changes, and doubt them for it."""
    changes = _find_changes(data, parts)
    return [_qualify(data, part, changes) for part in parts]


def _find_changes(data: Predictions, parts: Sequence[Part]) -> Changes:
    """Compare the segments of all columns, and find what they change."""
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
    shifts = {column.name: shift_in_words(data, column) for column in columns.values()}
    shifted = [_latest(data, each) for each in columns.values() if shifts[each.name]]
    odd = [found for each in columns.values() if (found := find_odd_segment(data, each))]
    leads = [lead_without(data, each) for each in odd] if len(data.values) > 1 else []
    return Changes(
        columns=columns,
        worst=worst,
        latest=[each for each in [*worst, *falling] if each.is_latest],
        trends=trends,
        reversals=find_reversals(data, [*worst, *falling]) if are_advised else [],
        rivals=_find_rivals(data, columns, [*worst, *falling]) if are_advised else [],
        second_fall=find_second_fall(data, [*columns.values()]) if are_advised else None,
        told=_segments_of_thresholds(worst_segments, [*falling, *shifted]),
        leads=[*filter(None, leads)],
        doubts=find_doubts(data, [*columns.values()], worst, shifts),
    )


def _find_rivals(
    data: Predictions, columns: Mapping[str, Column], worst: Sequence[WorstSegment]
) -> list[Reversal]:
    """Find another model that is shown to be better in a latest segment that is not worse."""
    compared = [column for column in columns.values() if column.is_time and column.is_compared]
    latest = [_latest(data, column) for column in compared]
    others = [each for each in latest if each is not None and not _is_among(each, worst)]
    return [found for found in find_reversals(data, others) if found.is_shown]


def _qualify(data: Predictions, part: Part, changes: Changes) -> Part:
    """Say in a part what the segments change."""
    reversals = changes.reversals
    if part.title in changes.columns:
        column = changes.columns[part.title]
        return _qualify_segments(data, part, column, reversals, changes.doubts[column.name])
    if part.name == "paper":
        return _tell_reversal(data, _add_scores(data, part, changes), reversals)
    if not part.cells:
        return part
    if part.name == ("comparison" if len(data.values) > 1 else "score"):
        part = _add_fall(data, part, changes.latest, reversals)
        if part.name == "score":
            part = _add_exception(part, changes)
        part = add_reversals(data, part, reversals, changes.worst)
        fall = changes.second_fall
        if fall is not None and part.advice and not weak_in_words(data):
            part = limit_finding(advise_other(part, fall, [fall]), fall.found.column.plural)
        for rival in changes.rivals:
            part = limit_by_reversal(part, rival)
        return _add_leads(data, part, changes.leads)
    if part.name == "thresholds":
        return advise_threshold(data, part, changes.told, reversals, [*changes.columns.values()])
    if part.name in AVERAGES:
        return _limit_average(part, changes.latest, reversals)
    if part.name == "tools":
        return _give_for_advised_model(part, reversals)
    return part


def _qualify_segments(
    data: Predictions,
    part: Part,
    column: Column,
    reversals: Sequence[Reversal],
    doubts: Sequence[str],
) -> Part:
    """Add the doubts about a column, and give it for the model that is advised for now.

    A column in which the best model changes stays as it is, as it says why the other one is used.
    """
    now = latest_reversal(reversals)
    if not column.tells_change:
        part = _give_for_advised_model(part, reversals)
    elif now is not None and now.found.column.name == column.name:
        part = _add_advised_model(data, part, column, now.other)
    if column.is_compared:
        return replace(part, urgent=[*doubts, *part.doubts], doubts=())
    return replace(part, doubts=[*doubts, *part.doubts])


def _add_advised_model(data: Predictions, part: Part, column: Column, model: str) -> Part:
    """Say how the model that is advised for now changes.

    The first lines then have the scores of the latest segment elsewhere.
    """
    text = advised_in_words(data, column, model)
    said = scores_in_segment(data, column)
    brief = [*(each for each in part.brief if each not in said), text]
    return replace(part, more=[*filter(None, [*part.more, text])], brief=[*filter(None, brief)])


def _give_for_advised_model(part: Part, reversals: Sequence[Reversal]) -> Part:
    """Make a part for the model that is advised for now, if it is another one."""
    now = latest_reversal(reversals)
    if now is None or part.model_part is None:
        return part
    with warned_texts():  # the part has those of the best model
        return replace(part.model_part(now.other), **_labels_of(part))


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
    plural = latest[0].column.plural
    claim = over_all(part.sentence, plural, part.models)
    now = latest_reversal(reversals)
    if now is None or part.model_part is None:
        return limit_finding(replace(part, sentence=claim), plural)
    with warned_texts():  # the part has those of all curves
        other = part.model_part(now.other)
    names = "sentence", "picture", "call", "first_rows"
    more = [claim, *part.more]
    part = replace(part, more=more, **{name: getattr(other, name) for name in names})
    part = replace(part, sentence=over_all(part.sentence, plural, part.models))
    return limit_finding(part, plural)


def _add_fall(
    data: Predictions, part: Part, latest: Sequence[WorstSegment], reversals: Sequence[Reversal]
) -> Part:
    """Begin with the fall of the best model in the latest segment, if no other one is advised."""
    if not latest or any(each.found.is_latest for each in reversals):
        return part
    found = latest[0]
    rows = {name: row_of_model(data, name, found) for name in data.shown_models}
    doubt = ""
    if len(rows) > 1 and all(row["verdict"] == WORSE for row in rows.values()):
        fall = (
            f"{all_models_in_words(data)} fall in {found.place}: find out why before you use them."
        )
    else:
        fall = f"{data.subject} {found.fall}: find out why before you use it."
        rows.pop(data.best_model)
        doubt = ", and no difference is shown" if len(rows) == 1 else ""
    scores = [
        f"{name} {'' if i else 'scores '}{printed_score(row)}"
        for i, (name, row) in enumerate(rows.items())
    ]
    there = [f"In {found.name}, {names_in_words(scores)}{doubt}."] if scores else []
    return begin_with(part, [fall, *there], data.subject, found.column.plural)


def _add_exception(part: Part, changes: Changes) -> Part:
    """Say in the heading about a single model in which segment it clearly is worse."""
    places = [each for each in changes.worst if not each.column.is_time]
    clear = [each for each in places if each.row["adjusted_pvalue"] < CLEAR_PVALUE]
    if not clear or changes.latest:
        return part
    found = clear[0]
    mean = found.column.mean_of_others
    than = f", against {mean} in {found.column.others}" if mean else ""
    claim = f"{part.sentence[:-1]}; in {found.short_place}, it scores {found.score}{than}."
    brief = [claim if text == part.sentence else text for text in part.brief]
    return replace(part, sentence=claim, brief=brief)


def _latest(data: Predictions, column: Column, is_worse: bool = False) -> WorstSegment | None:
    """Return the latest segment, which need not be worse; None if it has no score."""
    latest = WorstSegment(column, column.rows[-1], is_worse=is_worse)
    has_score = np.array_equal(latest.mark_rows(data), mark_latest(data, column))
    return latest if has_score else None


def _is_among(latest: WorstSegment, worst: Sequence[WorstSegment]) -> bool:
    return any(each.is_latest and each.column.name == latest.column.name for each in worst)


def _add_leads(data: Predictions, part: Part, leads: Sequence[Lead]) -> Part:
    """Add what the lead is without odd segments: behind that of all rows, which may be the last."""
    texts = []
    for lead in leads:
        if lead.where and len(data.values) == 2 and can_limit(part, data.best_model):
            best, second = data.values
            worse = f"worse than {second} {lead.where}: {lead.change}"
            part = limit_claim(part, best, worse, lead.advice)
        elif lead.advice and part.advice:  # nothing is shown over all rows
            part = replace_advice(part, lead.advice)
            texts.append(lead.text)
        else:
            texts.append(lead.text)
    if part.sentence in part.brief and not data.is_chosen:
        return add_sentence(part, " ".join(texts))
    return replace(part, more=[*part.more, *texts], brief=[*part.brief, *texts])


def _add_scores(data: Predictions, part: Part, changes: Changes) -> Part:
    """Add the scores in the worst segments, and trends, to the first paragraph for a paper."""
    worst = ordered_segments(changes.worst)
    second = changes.second_fall
    told = [*worst, *([] if second is None else second.found.whole_fall)]
    now = latest_reversal(changes.reversals)
    fall = [] if now is None or not now.is_shown else now.found.times_of_fall
    told = [each for each in told if not (each.name in fall and each.column.is_time)]
    trends = changes.trends
    if not (told or trends) or not part.copied_text:
        return part
    text, gap, table = part.copied_text.partition("\n\n")
    sentences = []
    first = told[0].column if told else trends[0]
    at = f"at {prevalence_in_words(data, first.name)}, "
    for found in told:
        best, *others = data.shown_models
        rows = {name: row_of_model(data, name, found) for name in data.shown_models}
        scores = [f"{best} scored {_score_with_limits(data, rows.pop(best))}"]
        scores += [f"{name} {_score_with_limits(data, row)}" for name, row in rows.items()]
        against = "" if others else f", {found.change} against {found.column.others}"
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
    falls = [f"a trend of {column.change.as_text('+').value} a {column.unit}" for column in trends]
    scores = [
        f"{found.score} in {found.short_place}"
        for found in worst
        if not omitted_options(data, found.column.name)  # at another prevalence
    ]
    if not (scores or falls):
        return part
    places = names_in_words([*scores, *falls])
    return replace(part, sentence=part.sentence.replace(NO_MORE, f", and {places}."))


def _tell_reversal(data: Predictions, part: Part, reversals: Sequence[Reversal]) -> Part:
    """Say in the part for a paper that another model is better in the latest segment."""
    now = latest_reversal([each for each in reversals if each.is_shown])
    if now is None or not part.copied_text:
        return part
    fallen, stable = now.scores
    claim, _, _ = part.sentence.partition(", and ")
    scores = f"{stable} against {fallen}"
    reversal = f"and that {now.other} is better {now.when}: {scores}"
    part = replace(part, sentence=f"{claim}, {reversal}.")
    if not now.found.times_of_fall:
        return part
    text, gap, table = part.copied_text.partition("\n\n")
    at = prevalence_in_words(data, now.found.column.name)
    both = f"{now.best} scored {fallen} and {now.other} {stable}"
    when = f"{now.when[0].upper()}{now.when[1:]}"
    added = printable(f"{when}, at {at}, {both} (difference {now.difference_in_words}).")
    return replace(part, copied_text=f"{text} {added}{gap}{table}")


def _score_with_limits(data: Predictions, row: Row) -> str:
    return describe(row_score(row), data.interval_kind)
