"""What a worse segment, such as the latest month, says about numbers that count all rows."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._program.report.advice._lead_within_segments import (
    LeadWithin,
    add_lead_within,
    find_lead_within,
)
from sklearn_ap._program.report.advice._leads import (
    Lead,
    OddSegment,
    find_odd_segment,
    lead_without,
)
from sklearn_ap._program.report.advice._paper import add_scores_to_paper, tell_reversal_in_paper
from sklearn_ap._program.report.advice._reversal_words import (
    add_doubted_leads,
    add_reversals,
    advise_other,
    begin_with,
    can_limit,
    limit_by_reversal,
    limit_claim,
    limit_finding,
    over_all,
    replace_advice,
)
from sklearn_ap._program.report.advice._reversals import (
    Reversal,
    find_lost_places,
    find_reversals,
    find_second_fall,
    latest_reversal,
)
from sklearn_ap._program.report.advice._segment_changes import Changes
from sklearn_ap._program.report.advice._thresholds_in_segments import advise_threshold
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.scores import weak_in_words
from sklearn_ap._program.report.page.page import Part, add_sentence
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.segments.columns import CLEAR_PVALUE, Column, compare_column
from sklearn_ap._program.report.segments.comparisons import omitted_options
from sklearn_ap._program.report.segments.doubts import all_models_in_words, find_doubts
from sklearn_ap._program.report.segments.parts import refuse_mixed_queries
from sklearn_ap._program.report.segments.positive_shares import (
    mark_latest,
    shift_in_words,
)
from sklearn_ap._program.report.segments.within import falls_within
from sklearn_ap._program.report.segments.words import advised_in_words, scores_in_segment
from sklearn_ap._program.report.segments.worst import (
    WorstSegment,
    find_worst,
    printed_score,
    row_of_model,
)
from sklearn_ap._program.report.thresholds.parts import PRAISE
from sklearn_ap._program.report.thresholds.words import NO_GOAL
from sklearn_ap._questions.verdicts import WORSE, names_in_words

AVERAGES = "score", "curve", "top"  # parts that have the numbers of the best model over all rows


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
    if not segment_parts:  # other parts need them, though the user did not ask for them
        columns = _columns_alone(data)
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
    lead_within = find_lead_within(data, [*columns.values()])
    leads = _leads_without_segments(data, columns)
    lost = _find_lost_places(data, columns, worst, leads, lead_within) if are_advised else []
    places = {(each.found.column.name, each.found.name) for each in lost}
    falls = falls_within(data, [*columns.values()])
    return Changes(
        columns=columns,
        worst=worst,
        latest=[each for each in [*worst, *falling] if each.is_latest],
        trends=trends,
        reversals=[*find_reversals(data, [*worst, *falling]), *lost] if are_advised else [],
        rivals=_find_rivals(data, columns, [*worst, *falling]) if are_advised else [],
        second_fall=find_second_fall(data, [*columns.values()]) if are_advised else None,
        told=_segments_of_thresholds(worst_segments, [*falling, *shifted]),
        leads=[lead for odd, lead in leads if (odd.column.name, odd.name) not in places],
        lead_within=lead_within,
        falls=falls,
        doubts=find_doubts(
            data, [*columns.values()], worst, shifts, {name for name, _ in places}, falls
        ),
    )


def _leads_without_segments(
    data: Predictions, columns: Mapping[str, Column]
) -> list[tuple[OddSegment, Lead]]:
    """Find the odd segments without which the lead of the best model is another one."""
    if len(data.values) == 1:
        return []
    odd = [found for each in columns.values() if (found := find_odd_segment(data, each))]
    return [(found, lead) for found in odd if (lead := lead_without(data, found))]


def _find_lost_places(
    data: Predictions,
    columns: Mapping[str, Column],
    worst: Sequence[WorstSegment],
    leads: Sequence[tuple[OddSegment, Lead]],
    lead_within: LeadWithin | None,
) -> list[Reversal]:
    """Find countries where another model is better, unless it is better in most of them."""
    turned = {odd.column.name for odd, lead in leads if lead.where}
    turned |= {lead_within.column.name} if lead_within is not None else set()
    asked = [column for column in columns.values() if column.name not in turned]
    return find_lost_places(data, asked, worst)


def _columns_alone(data: Predictions) -> dict[str, Column]:
    """Compare the segments of a page that has no part about them."""
    columns = {}
    for name in data.segments:
        with suppress(ValueError), warned_texts():  # such as segments that cannot be compared
            refuse_mixed_queries(data, name)
            columns[name] = compare_column(data, name)
    return columns


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
        return tell_reversal_in_paper(data, add_scores_to_paper(data, part, changes), reversals)
    if not part.cells:
        return part
    if part.name == ("comparison" if len(data.values) > 1 else "score"):
        part = _add_fall(data, part, changes, reversals)
        if part.name == "score":
            part = _add_exception(data, part, changes)
        part = add_reversals(data, part, reversals, changes.worst)
        fall = changes.second_fall
        if fall is not None and part.advice and not weak_in_words(data):
            part = limit_finding(advise_other(part, fall, [fall]), fall.found.column.plural)
        for rival in changes.rivals:
            part = limit_by_reversal(part, rival)
        part = _add_fall_within(data, part, changes)
        part = _add_leads(data, part, changes.leads)
        part = add_doubted_leads(data, part, reversals, changes.worst)
        return add_lead_within(data, part, changes.lead_within)
    if part.name == "thresholds":
        columns = [*changes.columns.values()]
        part = advise_threshold(data, part, changes.told, reversals, columns)
        part = _drop_praise_of_failing(data, part, columns)
        brief = sorted(part.brief, key=lambda text: text.startswith(NO_GOAL))
        return replace(part, brief=brief)
    if part.name in AVERAGES:
        return _limit_average(part, changes.latest, reversals)
    if part.name == "tools":
        return _give_for_advised_model(part, reversals)
    return part


def _drop_praise_of_failing(data: Predictions, part: Part, columns: Sequence[Column]) -> Part:
    """Do not say that the second of two models finds more where it clearly fails somewhere."""
    if len(data.values) != 2:
        return part
    _, second = data.values
    found = [compare_column(data, column.name, second).clear_outlier for column in columns]
    if not any(each is not None and each.row["verdict"] == WORSE for each in found):
        return part
    praise = tuple(f"{second} {claim}" for claim in PRAISE)
    texts = {
        name: [text for text in getattr(part, name) if not text.startswith(praise)]
        for name in ("more", "brief")
    }
    return replace(part, more=texts["more"], brief=texts["brief"])


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
    data: Predictions, part: Part, changes: Changes, reversals: Sequence[Reversal]
) -> Part:
    """Begin with the fall of the best model in the latest segment, if no other one is advised.

    A fall inside a segment tells more than a trend over all rows.
    """
    latest = changes.latest
    if not latest or latest_reversal(reversals) is not None:
        return part
    found = latest[0]
    rows = {name: row_of_model(data, name, found) for name in data.shown_models}
    doubt = ""
    if len(rows) > 1 and all(row["verdict"] == WORSE for row in rows.values()):
        fall = (
            f"{all_models_in_words(data)} fall in {found.place}: find out why before you use them."
        )
    else:
        subject = data.subject
        if found.column.leads_trend and not data.is_single_model:
            subject = f"The score of {data.best_model}"  # a name such as "risk" does not fall
        fall = f"{subject} {found.fall}: find out why before you use it."
        within = next(iter(changes.falls.values()), None)
        if within is not None and found.column.leads_trend:
            fall = f"{data.subject} {within.fall_there}: find out why before you use it there."
            rows = rows if len(rows) > 1 else {}
        if not found.column.leads_trend:  # the heading has the score that it has fallen to
            rows.pop(data.best_model)
        doubt = ", and no difference is shown" if len(data.shown_models) == 2 else ""
    scores = [
        f"{name} {'' if i else 'scores '}{printed_score(row)}"
        for i, (name, row) in enumerate(rows.items())
    ]
    there = [f"In {found.name}, {names_in_words(scores)}{doubt}."] if scores else []
    return begin_with(part, [fall, *there], data.subject, found.column.plural)


def _add_exception(data: Predictions, part: Part, changes: Changes) -> Part:
    """Say in the heading about a single model in which segment it clearly is worse."""
    places = [each for each in changes.worst if not each.column.is_time]
    clear = [each for each in places if each.row["adjusted_pvalue"] < CLEAR_PVALUE]
    if not clear or changes.latest or changes.falls:
        return part
    found = clear[0]
    if omitted_options(data, found.column.name):  # its scores are at another prevalence
        return part
    mean = found.column.mean_of_others
    than = f", against {mean} in {found.column.all_others}" if mean else ""
    claim = f"{part.sentence[:-1]}; in {found.short_place}, it scores {found.score}{than}."
    brief = [claim if text == part.sentence else text for text in part.brief]
    return replace(part, sentence=claim, brief=brief)


def _add_fall_within(data: Predictions, part: Part, changes: Changes) -> Part:
    """Say in the heading in which segment the best model has fallen, if it is only there."""
    fall = next(iter(changes.falls.values()), None)
    if fall is None or changes.latest:
        return part
    if data.is_single_model:
        claim = f"{part.sentence[:-1]}; it {fall.fall_there}."
        brief = [claim if text == part.sentence else text for text in part.brief]
        return replace(part, sentence=claim, brief=brief)
    if not can_limit(part, fall.model):
        return part
    return limit_claim(part, fall.model, fall.fall_there, "")


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
