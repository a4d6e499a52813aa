"""What segments change in the text for a paper."""

from collections.abc import Sequence
from dataclasses import replace

from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report.advice._reversals import (
    Reversal,
    latest_reversal,
    ordered_segments,
)
from sklearn_ap._program.report.advice._segment_changes import Changes
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import Part
from sklearn_ap._program.report.page.words import describe, row_score
from sklearn_ap._program.report.segments.columns import Column, prevalence_in_words
from sklearn_ap._program.report.segments.comparisons import omitted_options
from sklearn_ap._program.report.segments.worst import (
    WorstSegment,
    row_of_model,
)
from sklearn_ap._questions.verdicts import names_in_words, printed

NO_MORE = ", and no more digits."  # the end of the heading about a paper


def add_scores_to_paper(data: Predictions, part: Part, changes: Changes) -> Part:
    """Add the scores in the worst segments, and trends, to the first paragraph for a paper."""
    worst = ordered_segments(changes.worst)
    second = changes.second_fall
    told = [*worst, *([] if second is None else second.found.whole_fall)]
    now = latest_reversal(changes.reversals)
    fall = [] if now is None or not now.is_shown else now.found.times_of_fall
    told = [each for each in told if not (each.name in fall and each.column.is_time)]
    steps = [*{each.column.name: each.column for each in told if _is_in_step(each)}.values()]
    single = [each for each in told if not _is_in_step(each)]
    trends = changes.trends
    if not (told or trends) or not part.copied_text:
        return part
    text, gap, table = part.copied_text.partition("\n\n")
    sentences = []
    first = told[0].column if told else trends[0]
    at = _prevalence_clause(data, first.name)
    for column in steps:
        sentences += _step_in_words(data, column, at)
        at = ""
    for found in single:
        sentences.append(_segment_in_words(data, found, at))
        at = ""
    for column in trends:
        verb = "rose" if column.change.value > 0 else "fell"
        change = column.change.brief(data.interval_kind, "+", f" a {column.unit}")
        subject = f"the score of {data.best_model}"
        sentences.append(f"By {column.name}, {at}{subject} {verb}: {change}.")
        at = ""
    added = printable(" ".join(sentences))
    part = replace(part, copied_text=f"{text} {added}{gap}{table}")
    return _add_places(data, part, worst, steps, trends)


def _add_places(
    data: Predictions,
    part: Part,
    worst: Sequence[WorstSegment],
    steps: Sequence[Column],
    trends: Sequence[Column],
) -> Part:
    """Name the scores in segments, and trends, in the heading."""
    falls = [f"a trend of {column.change.as_text('+').value} a {column.unit}" for column in trends]
    scores = [
        f"{_range_of_fall(column)} since {column.start_of_fall}"
        for column in steps
        if column.model == data.best_model
    ]
    scores += [
        f"{found.score} in {found.short_place}"
        for found in worst
        if not _is_in_step(found)
        and not omitted_options(data, found.column.name)  # at another prevalence
    ]
    if not (scores or falls):
        return part
    places = names_in_words([*scores, *falls])
    return replace(part, sentence=part.sentence.replace(NO_MORE, f", and {places}."))


def _segment_in_words(data: Predictions, found: WorstSegment, at: str) -> str:
    """Give the scores of the models in a segment, or how a single model differs there."""
    best, *others = data.shown_models
    rows = {name: row_of_model(data, name, found) for name in data.shown_models}
    scores = [f"{best} scored {_score_with_limits(data, rows.pop(best))}"]
    scores += [f"{name} {_score_with_limits(data, row)}" for name, row in rows.items()]
    against = "" if others else f", {found.change} against {found.column.all_others}"
    return f"In {found.short_place}, {at}{names_in_words(scores)}{against}."


def _is_in_step(found: WorstSegment) -> bool:
    """Check whether a segment is one of the times of a fall that are told together."""
    return found.column.step is not None and found.name in found.column.fallen_times


def _step_in_words(data: Predictions, column: Column, at: str) -> list[str]:
    """Write "Since 2026-04, A scored 0.05 to 0.13 by month: -0.55 against before (...)."."""
    if column.step is None:
        return []
    change = column.step.change.as_text("+")
    limits = f"adjusted {data.interval_kind} {change.low} to {change.high}"
    scored = f"{column.model} scored {_range_of_fall(column)} by {column.noun}"
    since = f"Since {column.start_of_fall}"
    return [f"{since}, {at}{scored}: {change.value} against before ({limits})."]


def _range_of_fall(column: Column) -> str:
    """Write "0.05 to 0.13", the lowest and the highest score of a fall."""
    fallen = column.fallen_times
    scores = [row_score(row) for row in column.rows if str(row["segment"]) in fallen]
    ends = dict.fromkeys([printed(min(scores)).value, printed(max(scores)).value])
    return " to ".join(ends)


def _prevalence_clause(data: Predictions, column: str) -> str:
    """Write "at a prevalence of 0.01, "; empty for queries, each of which has its own."""
    prevalence = prevalence_in_words(data, column)
    return f"at {prevalence}, " if prevalence else ""


def tell_reversal_in_paper(data: Predictions, part: Part, reversals: Sequence[Reversal]) -> Part:
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
    at = _prevalence_clause(data, now.found.column.name)
    both = f"{now.best} scored {fallen} and {now.other} {stable}"
    when = f"{now.when[0].upper()}{now.when[1:]}"
    added = printable(f"{when}, {at}{both} (difference {now.difference_in_words}).")
    return replace(part, copied_text=f"{text} {added}{gap}{table}")


def _score_with_limits(data: Predictions, row: Row) -> str:
    return describe(row_score(row), data.interval_kind)
