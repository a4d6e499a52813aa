"""What a threshold finds in a segment that is worse than the others."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.advice._failures import (
    fails,
    failure_in,
    judged_rows,
    recent_times,
    rows_of,
    when,
)
from sklearn_ap._program.report.advice._missed_goals import (
    find_missed,
    missed_in_words,
    pvalue_of_goal,
    select_rows,
)
from sklearn_ap._program.report.advice._reversal_words import limit_finding
from sklearn_ap._program.report.advice._reversals import Reversal, latest_reversal
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.data.shares import average, selected_share
from sklearn_ap._program.report.page.page import Cutoff, Part, add_sentence
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.page.words import number, percent
from sklearn_ap._program.report.segments.columns import Column, plurals_in_words
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._program.report.thresholds.choice import (
    sure_point,
    threshold_inside,
    threshold_without,
)
from sklearn_ap._program.report.thresholds.picture import draw_failures
from sklearn_ap._program.report.thresholds.words import cutoff_of
from sklearn_ap._questions.verdicts import names_in_words

MOST_DRAWN = 2  # segments in a picture
RULE = "Select rows"  # the first words of a sentence that says which rows to select
RULE_END = " or more: "  # behind the threshold, and before what it selects


def advise_threshold(
    data: Predictions,
    part: Part,
    worst: Sequence[WorstSegment],
    reversals: Sequence[Reversal],
    columns: Sequence[Column],
) -> Part:
    """Give the threshold of the model to use now, and say what it finds in the worst segments."""
    now = latest_reversal(reversals)
    if part.model_part is None or now is None:
        if part.cutoff is not None:
            missed = find_missed(data, part.cutoff, columns, worst)
            doubts = [missed_in_words(data, part.cutoff, each) for each in missed]
            part = _qualify(data, part, part.cutoff, [*worst, *missed])
            part = replace(part, doubts=[*doubts, *part.doubts])
            odd = [*(each for each in worst if each.is_worse), *missed]
            part = _add_sentence_of_rest(data, part, odd)
        return _add_exceptions(data, part, reversals)
    qualified = part if part.cutoff is None else _qualify(data, part, part.cutoff, worst)
    with warned_texts() as texts:
        other = part.model_part(now.other)
    qualified = replace(qualified, warnings=[*dict.fromkeys([*part.warnings, *texts])])
    return _give_other_threshold(data, qualified, part.cutoff, other, worst, now.found)


def _give_other_threshold(
    data: Predictions,
    part: Part,
    cutoff: Cutoff | None,
    other: Part,
    worst: Sequence[WorstSegment],
    latest: WorstSegment,
) -> Part:
    """Give the threshold of another model in the place of a part's own, unless it fails, too."""
    if other.cutoff is None:
        return _add_warning(part, other.sentence)
    if fails(data, other.cutoff, latest):
        found = _found_in_segment(data, other.cutoff, latest)
        return _add_warning(part, f"That of {other.cutoff.model} fails there, too: {found}.")
    goal = other.cutoff.goal
    other = _qualify(data, other, other.cutoff, worst)
    same = None if cutoff is None else _cutoff_for(data, cutoff.model, goal)
    failed = [each for each in (same, cutoff) if each is not None and fails(data, each, latest)]
    if failed:
        cutoff = failed[0]
        threshold = f"{cutoff.printed} for {goal:g}" if cutoff is same else cutoff.printed
        found = _found_in_segment(data, cutoff, latest)
        warning = (
            f"Do not use {cutoff.model} until you know why it fails: {when(latest)}, with its "
            f"threshold of {threshold}, {found}."
        )
        other = _add_below(other, warning)  # the first lines advise the other model already
    names = "sentence", "cells", "more", "brief", "notes", "picture", "first_rows", "call", "cutoff"
    return replace(part, **{name: getattr(other, name) for name in names})


def _cutoff_for(data: Predictions, model: str, goal: float | None) -> Cutoff | None:
    """Return the threshold of a model that is sure to have a precision, if there is one."""
    if goal is None or "sample_weight" in data.options:
        return None
    return cutoff_of(model, sure_point(data, model, goal), goal, is_sure=True)


def _worse_latest(found: Sequence[WorstSegment]) -> list[WorstSegment]:
    """Leave out the segments of which only the share of positives differs."""
    return [each for each in found if each.is_latest and each.is_worse]


def _scope(worst: Sequence[WorstSegment]) -> list[str]:
    """Say for which rows a guarantee holds, if segments differ."""
    plurals = plurals_in_words(found.column for found in worst) if worst else ""
    return [f"The guarantee is for rows like those of all {plurals} together."] if worst else []


def _add_warning(part: Part, text: str) -> Part:
    """Add what is said of a second model, at the end of the first lines."""
    return replace(_add_below(part, text), brief=[*(part.brief or [part.sentence]), text])


def _add_below(part: Part, text: str) -> Part:
    """Add a sentence below the heading and what a threshold finds, but not to the first lines."""
    alternative = "" if part.cutoff is None else part.cutoff.alternative
    more = [*part.more]
    place = more.index(alternative) + 1 if alternative in more else 1
    return replace(part, more=[*more[:place], text, *more[place:]])


def _qualify(data: Predictions, part: Part, cutoff: Cutoff, worst: Sequence[WorstSegment]) -> Part:
    """Say what a threshold finds in the worst segments, and first if it fails in the latest."""
    part = _draw_failed(data, part, cutoff, worst)
    scope = _scope(worst) if cutoff.is_guaranteed else []
    failed = [each for each in _worse_latest(worst) if fails(data, cutoff, each)]
    if not failed:
        found = " ".join(_found_in_words(data, cutoff, worst))
        if any(map(recent_times, worst)):
            return _limit_by_trend(part, cutoff, found, scope)
        if _worse_latest(worst):
            part = _leave_out_second(part, cutoff)
        return _add_found(part, found, scope)
    threshold = cutoff.printed if data.is_single_model else f"{cutoff.printed} of {cutoff.model}"
    found = f"{when(failed[0])}, {_found_in_segment(data, cutoff, failed[0])}"
    warning = f"Do not use the threshold {threshold} until you know why it fails: {found}."
    rule = part.sentence
    if rule.startswith(RULE):
        plural = failed[0].column.plural
        _, _, selected = rule.partition(RULE_END)
        rule = f"Over all {plural}, it selects {selected}"
    others = [each for each in worst if each is not failed[0]]
    texts = [rule, *_found_in_words(data, cutoff, others)]
    more = [text for text in part.more if text != cutoff.alternative]
    more = [*texts, *scope, *more]
    part = limit_finding(part, plural) if rule != part.sentence else part
    return replace(part, sentence=warning, more=more, brief=[warning, rule])


def _draw_failed(
    data: Predictions, part: Part, cutoff: Cutoff, worst: Sequence[WorstSegment]
) -> Part:
    """Draw the precision and the recall in the first segments in which a threshold fails."""
    if part.picture is None or not {"prevalence", "sample_weight"}.isdisjoint(data.options):
        return part
    failures = [failure_in(data, cutoff, each) for each in _told_once(worst)]
    failures = [each for each in failures if not np.isnan([each.precision, each.recall]).all()]
    if not failures:
        return part
    return replace(part, picture=draw_failures(part.picture, failures[:MOST_DRAWN]))


def _told_once(worst: Sequence[WorstSegment]) -> list[WorstSegment]:
    """Leave out the single times of a fall that is told as a whole."""
    falls = {(each.column.name, name) for each in worst for name in each.times_of_fall}
    return [
        each for each in worst if each.times_of_fall or (each.column.name, each.name) not in falls
    ]


def _limit_by_trend(part: Part, cutoff: Cutoff, found: str, scope: Sequence[str]) -> Part:
    """Say what a threshold finds in the last times of a trend in the sentence that gives it.

    A second threshold is left out, as its guarantee is over all times, too.
    """
    part = _leave_out_second(part, cutoff)
    if not found:
        return replace(part, more=[*scope, *part.more])
    rule = f"{part.sentence[:-1]}; {found[0].lower()}{found[1:]}"
    brief = [rule if text == part.sentence else text for text in part.brief]
    return replace(part, sentence=rule, brief=brief, more=[*scope, *part.more])


def _leave_out_second(part: Part, cutoff: Cutoff) -> Part:
    """Leave out a second threshold, of which nobody says what it finds in the latest segment."""
    texts = {
        name: [text for text in getattr(part, name) if text != cutoff.alternative]
        for name in ("brief", "more")
    }
    return replace(part, brief=texts["brief"], more=texts["more"])


def _add_found(part: Part, found: str, scope: Sequence[str]) -> Part:
    """Add what a threshold finds in segments, and below the heading for which rows it holds."""
    if not found:
        return replace(part, more=[*scope, *part.more])
    part = add_sentence(part, found)
    first, *more = part.more
    return replace(part, more=[" ".join([first, *scope]), *more])


def _add_sentence_of_rest(data: Predictions, part: Part, odd: Sequence[WorstSegment]) -> Part:
    """Give the threshold that is sure without an odd segment, if that is better."""
    place = next((each for each in odd if not each.column.is_time), None)
    if place is None or not part.cells or "sample_weight" in data.options:
        return part
    text = threshold_without(data, place.mark_rows(data), part.cutoff)
    return _add_warning(part, f"Without {place.short_place}, {text}.") if text else part


def _add_exceptions(data: Predictions, part: Part, reversals: Sequence[Reversal]) -> Part:
    """Say where another model needs a threshold, and what this one finds elsewhere."""
    exceptions = [each for each in reversals if not each.found.column.is_time]
    cutoff = part.cutoff
    if not exceptions or cutoff is None or cutoff.model != exceptions[0].best:
        return part
    others = names_in_words([*dict.fromkeys(each.other for each in exceptions)])
    places = names_in_words([each.found.short_place for each in exceptions])
    text = f"Choose a threshold of {others} for {places}"
    if len(exceptions) == 1 and "sample_weight" not in data.options:
        first = exceptions[0]
        inside = threshold_inside(data, first.other, first.found.mark_rows(data))
        text = f"In {places}, {inside}"
    elsewhere = ""
    is_advised = part.sentence.startswith(RULE)
    if is_advised and {"prevalence", "sample_weight"}.isdisjoint(data.options):
        rows = ~np.any([each.found.mark_rows(data) for each in exceptions], axis=0)
        selected = select_rows(data, cutoff) & rows
        n_found = np.count_nonzero(selected & data.y_true)
        share = percent(n_found / np.count_nonzero(rows & data.y_true))
        counts = f"{n_found:,} of {np.count_nonzero(selected):,} selected rows are positive"
        elsewhere = f"; elsewhere, {counts}, and {share} of the positives are found"
    found, *more = part.more
    brief = [*(part.brief or [part.sentence])]
    is_second = cutoff.alternative in brief
    place = brief.index(cutoff.alternative) + 1 if is_second else len(brief)
    brief.insert(place, f"{text}.")
    return replace(part, brief=brief, more=[found, f"{text}{elsewhere}.", *more])


def _found_in_words(data: Predictions, cutoff: Cutoff, worst: Sequence[WorstSegment]) -> list[str]:
    """Say what a threshold finds in the worst segments, except in times in which it holds.

    The latest one is told anyway, as the proof of the advice.
    """
    told = [
        each
        for each in worst
        if not each.column.is_time or each.is_latest or not _holds(data, cutoff, each)
    ]
    texts = [
        f"{when(each)}, {_found_in_segment(data, cutoff, each, is_judged=True)}."
        for each in _told_once(told)
    ]
    return [f"{text[0].upper()}{text[1:]}" for text in texts]


def _holds(data: Predictions, cutoff: Cutoff, found: WorstSegment) -> bool:
    """Check that a threshold is not clearly worse in a segment, by its precision or its recall."""
    rows = judged_rows(data, found)
    pvalue = pvalue_of_goal(data, cutoff, rows)
    return not (pvalue < 1 - data.level or fails(data, cutoff, found))


def _found_in_segment(
    data: Predictions, cutoff: Cutoff, found: WorstSegment, *, is_judged: bool = False
) -> str:
    """Write "7 of 20 selected rows are positive, and 9.7% of the 72 positives are found".

    A precision that is judged has a test of whether it misses its goal by more than chance. Rows
    with weights are not counted, as the share is that of the weight. At the prevalence of the user,
    the precision is not that of these rows.
    """
    rows = rows_of(data, found)
    selected = select_rows(data, cutoff)
    recall = _recall_in_words(data, selected, rows) + _recall_elsewhere(data, selected, found)
    if "prevalence" in data.options:
        inside, outside = (selected_share(data, selected, each) for each in (rows, ~rows))
        shares = f"{percent(inside)} of the rows are selected"
        doubt = _missed_goal(data, cutoff, rows) if is_judged else ""
        found_share = average(selected, data.weight, data.y_true & rows)
        precision = data.options["prevalence"] * found_share / inside if inside else np.nan
        at = f", at a precision of {number(precision)} ({doubt})" if doubt else ""
        return f"{shares} ({percent(outside)} elsewhere){at}, and {recall}"
    if "sample_weight" in data.options:
        precision = average(data.y_true, data.weight, selected & rows)  # nan without weight
        return recall if np.isnan(precision) else f"{recall}, at a precision of {number(precision)}"
    n_selected = int(np.count_nonzero(selected & rows))
    n_found = int(np.count_nonzero(selected & rows & data.y_true))
    if not n_selected:
        return recall
    if n_selected == 1:
        return f"the only selected row is {'positive' if n_found else 'negative'}, and {recall}"
    every = f"{n_found:,} of {n_selected:,}" if n_found else f"none of {n_selected:,}"
    every = f"all {n_selected:,}" if n_found == n_selected else every
    be = "is" if n_found <= 1 else "are"
    doubt = _missed_goal(data, cutoff, rows) if is_judged else ""
    missed = f" ({doubt})" if doubt else ""
    return f"{every} selected rows {be} positive{missed}, and {recall}"


def _recall_in_words(data: Predictions, selected: Bool, rows: Bool) -> str:
    """Write "9.7% of the 72 positives are found", or "1 of the 72 positives is found"."""
    recall = average(selected, data.weight, data.y_true & rows)
    n_found = np.count_nonzero(selected & data.y_true & rows)
    if "sample_weight" not in data.options and n_found == 1:
        return f"1 of the {np.sum(data.y_true & rows):,} positives is found"
    count = "" if "sample_weight" in data.options else f"{np.sum(data.y_true & rows):,} "
    found = f"{percent(recall)} of the {count}positives are"
    return f"{found if recall else f'none of the {count}positives is'} found"


def _recall_elsewhere(data: Predictions, selected: Bool, found: WorstSegment) -> str:
    """Write " (24% elsewhere)"; empty without positives. Other worse times are left out."""
    column = found.column
    where = f"in other {column.plural}" if column.is_time else "elsewhere"
    if recent := recent_times(found):
        before = ~rows_of(data, found)
        recall = average(selected, data.weight, data.y_true & before)
        return "" if np.isnan(recall) else f" ({percent(recall)} before {recent[0]})"
    if found.is_in_fall and found.left_out:
        where = f"before {column.start_of_fall}"
    names = [found.name, *(found.left_out if column.is_time else [])]
    others = ~column.mark_rows(data, *names)
    recall = average(selected, data.weight, data.y_true & others)  # nan without positives
    return "" if np.isnan(recall) else f" ({percent(recall)} {where})"


def _missed_goal(data: Predictions, cutoff: Cutoff, rows: Bool) -> str:
    """Say whether a precision below the guaranteed one is within chance."""
    pvalue = pvalue_of_goal(data, cutoff, rows)
    if np.isnan(pvalue):
        return ""
    if pvalue < 1 - data.level:
        return f"clearly below {cutoff.goal:g}"
    return f"below {cutoff.goal:g}, perhaps by chance"
