"""Whether another model is better than the best one in a segment, such as the latest month."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import color_shown, draw_named, include_scores
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._comparison_parts import (
    HAS_HIGHEST_SCORE,
    IS_BEST,
    compare_pair,
    compare_rows,
    goes_on_with,
)
from sklearn_ap._program.report._comparison_pictures import DIFFERENCE_STEPS
from sklearn_ap._program.report._outliers import omitted_options
from sklearn_ap._program.report._page import Part, add_sentence
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import Column, compare_column
from sklearn_ap._program.report._words import as_cell, number, pictured, row_difference
from sklearn_ap._program.report._worst_segments import WorstSegment, printed_score, row_of_model
from sklearn_ap._program.report.pictures import (
    Picture,
    caption,
    picture_height,
    title_of_model,
    warned_texts,
)
from sklearn_ap._questions.verdicts import (
    WORSE,
    Estimate,
    names_in_words,
    printed,
    printed_values,
)


class Reversal(NamedTuple):
    """A segment where another model is to be used, and how much the best one differs from it.

    If it is not shown there that the best model is worse, it may be no better than chance, and the
    other one holds.
    """

    found: WorstSegment
    best: str
    other: str
    difference: Estimate
    kind: str  # of its interval, such as "adjusted 95% interval"
    warnings: Sequence[str]  # of the test
    scores: tuple[str, str]  # of both models there
    is_shown: bool  # whether the best model is shown to be worse there
    prevalence: str  # that of the scores, if other parts have another one

    @property
    def when(self) -> str:
        """Write "in 2026-09", or "since 2026-08" of the times of a fall."""
        times = self.found.times_of_fall
        return f"since {times[0]}" if times else f"in {self.found.name}"

    @property
    def difference_in_words(self) -> str:
        """Write "-0.19, adjusted 95% interval -0.34 to -0.05"."""
        value, low, high = self.difference.as_text("+")
        return f"{value}, {self.kind} {low} to {high}"

    @property
    def change(self) -> str:
        """Write "-0.19 (adjusted 95% interval -0.34 to -0.05)"."""
        at = f" at prevalence {self.prevalence}" if self.prevalence else ""
        return f"{self.difference.brief(self.kind, '+')}{at}"


def find_reversals(data: Predictions, worst: Sequence[WorstSegment]) -> list[Reversal]:
    """Find another model that is better in each of the worst segments, if that is shown.

    In the latest one, it is enough that the best model has fallen and may be no better than chance,
    and that the other one scores more, is better than chance, and is not shown to have fallen.
    """
    return [found for each in worst if (found := _find_reversal(data, each))]


def _find_reversal(data: Predictions, found: WorstSegment) -> Reversal | None:
    """Test the best model against the other ones in a segment that was found among many.

    The level is Bonferroni's for the segments of the column and for the other models, as any of
    them could be this one.
    """
    _, *others = data.shown_models
    if not others:
        return None
    tests: dict[str, tuple[Row, list[str]]] = {}
    for name in others:
        with warned_texts() as texts:
            row = _compare_inside(data, found, name, whole=True)
        tests[name] = row, texts
    better = {name: row for name, (row, _) in tests.items() if row["verdict"] == WORSE}
    other = min(better, key=lambda name: better[name]["difference"], default=None)
    other = other or _find_stable_model(data, found)
    return None if other is None else _make_reversal(data, found, other, *tests[other])


def _make_reversal(
    data: Predictions, found: WorstSegment, other: str, row: Row, texts: Sequence[str]
) -> Reversal:
    """Describe another model in a segment by the row of the test against it."""
    return Reversal(
        found,
        best=found.column.model,
        other=other,
        difference=row_difference(row),
        kind=f"adjusted {data.interval_kind}" if _n_tests(data, found) > 1 else data.interval_kind,
        warnings=texts,
        scores=_scores_of_both(data, found, other, row),
        is_shown=row["verdict"] == WORSE,
        prevalence=_own_prevalence(data, found),
    )


def find_second_fall(data: Predictions, columns: Sequence[Column]) -> Reversal | None:
    """Find the latest time in which the second of two models has fallen, and the best one not."""
    if len(data.values) != 2:
        return None
    best, second = data.values
    for each in columns:
        column = compare_column(data, each.name, second)
        outlier = column.outlier
        if each.fallen_times or outlier is None or not column.ends_in_fall:
            continue
        found = WorstSegment(column, outlier.row, outlier.left_out)
        with warned_texts() as texts:
            row = _compare_inside(data, found, best, whole=True)
        return _make_reversal(data, found, best, row, texts)
    return None


def latest_reversal(reversals: Sequence[Reversal]) -> Reversal | None:
    """Return the one in the latest segment, which says what to use now; None if there is none."""
    return next((each for each in reversals if each.found.is_latest), None)


def _own_prevalence(data: Predictions, found: WorstSegment) -> str:
    """Print the prevalence of the scores of a segment if it is not that of the other parts."""
    is_other = bool(omitted_options(data, found.column.name))
    return number(data.own_prevalence) if is_other else ""


def _n_tests(data: Predictions, found: WorstSegment) -> int:
    """Count the segments and the other models among which a reversal is found."""
    return len(found.column.rows) * (len(data.shown_models) - 1)


def _scores_of_both(
    data: Predictions, found: WorstSegment, other: str, row: Row
) -> tuple[str, str]:
    """Print what both models score in a segment, or in all times of a fall."""
    if not found.times_of_fall:
        return found.score, printed_score(row_of_model(data, other, found))
    return number(row["estimate"]), number(row["estimate"] - row["difference"])


def _compare_inside(data: Predictions, found: WorstSegment, other: str, whole: bool = False) -> Row:
    """Compare the model of a segment with another one there, at Bonferroni's level.

    Or over the whole of a fall, as single times have few positives.
    """
    rows = found.mark_fall(data) if whole else found.mark_rows(data)
    level = 1 - (1 - data.level) / _n_tests(data, found)
    prevalence = found.column.comparison.prevalence
    return compare_rows(data, found.column.model, other, rows, prevalence, level)


def _find_stable_model(data: Predictions, found: WorstSegment) -> str | None:
    """Find the model that scores most in the latest segment, if it has not fallen there."""
    chance = found.column.comparison.prevalence or 0.0
    if not found.is_latest or found.row["low"] > chance:
        return None
    rows = {name: row_of_model(data, name, found) for name in data.shown_models[1:]}
    scores = {
        name: row["estimate"]
        for name, row in rows.items()
        if row["verdict"] != WORSE
        and row["low"] > chance
        and row["estimate"] > found.row["estimate"]
    }
    return max(scores, key=lambda name: scores[name], default=None)


def add_reversals(
    data: Predictions, part: Part, reversals: Sequence[Reversal], worst: Sequence[WorstSegment]
) -> Part:
    """Say where the best model is a worse one, and first which to use if that is so now."""
    now = [found for found in reversals if found.found.is_latest]
    told = _told_with(now[0], reversals) if now else []
    for found in reversals:
        if found not in [*now, *told]:
            part = limit_by_reversal(part, found)
    if now:
        picture = _picture(data, [now[0], *(each for each in reversals if each not in now)], worst)
        part = replace(advise_other(part, now[0], told), picture=picture)
    elif reversals and len(data.values) == 2:  # the picture of more models has their order
        part = replace(part, picture=_picture(data, reversals, worst))
    texts = [text for found in reversals for text in found.warnings]
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *texts])])


def _told_with(latest: Reversal, reversals: Sequence[Reversal]) -> list[Reversal]:
    """Return the reversals that the sentence of the latest one tells, times in their order."""
    column = latest.found.column
    if not latest.is_shown:
        return []
    alike = [
        each
        for each in reversals
        if each.found.column.name == column.name and each.other == latest.other and each.is_shown
    ]
    return sorted(alike, key=lambda each: column.names.index(each.found.name))


def limit_by_reversal(part: Part, reversal: Reversal) -> Part:
    """Say in the claim that a model is better, or else behind it, where it is worse."""
    best = reversal.best
    other = reversal.other
    where = f"in {reversal.found.place}"
    if not can_limit(part, best):
        claim = f"{best} is worse than {other}: {reversal.change}."
        if part.advice.endswith(goes_on_with(best)) and not reversal.found.column.is_time:
            part = replace_advice(part, f"Use {other} {where}; elsewhere, this page uses {best}.")
        return add_sentence(part, f"{where[0].upper()}{where[1:]}, however, {claim}")
    advice = "" if reversal.found.column.is_time else f"Use {other} {where}."  # a month is over
    return limit_claim(part, best, f"worse than {other} {where}: {reversal.change}", advice)


def replace_advice(part: Part, advice: str) -> Part:
    """Give another advice in the place of the one of a part."""
    texts = {
        name: [advice if text == part.advice else text for text in getattr(part, name)]
        for name in ("more", "brief")
    }
    return replace(part, more=texts["more"], brief=texts["brief"], advice="")


def can_limit(part: Part, best: str) -> bool:
    """Check whether the sentence claims that a model is better, without a limit yet."""
    is_claimed = part.sentence.startswith(best) and not part.advice
    return is_claimed and ", but worse" not in part.sentence


def limit_claim(part: Part, best: str, worse: str, advice: str) -> Part:
    """Say behind the claim that a model is better where it is worse, and what to do there."""
    claims = [text for text in part.brief if text.startswith(best)][:1]
    short_texts = [
        f"{text[:-1]}, but {worse}." if text in (part.sentence, *claims) else text
        for text in part.brief
    ]
    part = replace(part, sentence=f"{part.sentence[:-1]}, but {worse}.", brief=short_texts)
    return add_sentence(part, advice)


def _picture(
    data: Predictions, reversals: Sequence[Reversal], worst: Sequence[WorstSegment]
) -> Picture:
    """Draw how much more the best model scores in all segments, and in those that are worse."""
    first = reversals[0]
    fall = first.found.times_of_fall if first.is_shown else []
    segments = ordered_segments([*(each.found for each in reversals), *worst])
    plural = _plurals(segments)
    with warned_texts():  # the part has those of the comparison of all models
        overall = compare_pair(data, first.best, first.other)
        inside = {
            _row_name(found, segments): row_difference(_compare_inside(data, found, first.other))
            for found in segments
            if not _is_in(found, first.found, fall)
        }
        inside |= {f"since {fall[0]}": first.difference} if fall else {}
        all_rows = {f"all {plural}": overall, **_difference_elsewhere(data, segments, first.other)}
    differences = {**all_rows, **inside}
    is_adjusted = first.kind != data.interval_kind
    remark = ["adjusted"] * is_adjusted
    better = title_of_model(first.other, " better", n_lines=1)
    rows = [[name, as_cell(each, "+")] for name, each in all_rows.items()]
    rows += [[name, as_cell(each, "+"), *remark] for name, each in inside.items()]
    are_shown = [each.low > 0 or each.high < 0 for each in differences.values()]
    subject = caption(
        f"Average precision of {first.best} minus that of {first.other}",
        f"{data.interval_kind}s{', adjusted in segments' if is_adjusted else ''}",
        "" if all(are_shown) else "grey: no difference shown",
    )
    title = printable(f"{first.best} minus {first.other}")
    return Picture(
        partial(_draw_differences, differences=differences, label=f"left of 0: {better}"),
        picture_height(len(differences)),
        pictured(f"{title}, [{data.interval_kind}]", rows),
        finding=_finding(reversals, overall, plural, fall),
        subject=subject,
    )


def ordered_segments(segments: Sequence[WorstSegment]) -> list[WorstSegment]:
    """Return each segment once, by their columns, and times in their order."""
    columns = [*dict.fromkeys(found.column.name for found in segments)]

    def place(found: WorstSegment) -> tuple[int, int]:
        return columns.index(found.column.name), found.column.names.index(found.name)

    placed = {place(found): found for found in segments}
    return [placed[each] for each in sorted(placed)]


def _difference_elsewhere(
    data: Predictions, segments: Sequence[WorstSegment], other: str
) -> dict[str, Estimate]:
    """Compare the best model with another one outside of the segments of a single column."""
    column = segments[0].column
    if any(found.column.name != column.name for found in segments):
        return {}
    kept = ~np.any([found.mark_rows(data) for found in segments], axis=0)
    if not np.any(kept & data.y_true & (data.weight > 0)):
        return {}
    prevalence = column.comparison.prevalence
    row = compare_rows(data, data.best_model, other, kept, prevalence, data.level)
    return {f"other {column.plural}": row_difference(row)}


def _row_name(found: WorstSegment, segments: Sequence[WorstSegment]) -> str:
    """Name a segment, with its column if there are several."""
    return found.name if len({each.column.name for each in segments}) == 1 else found.short_place


def _plurals(segments: Sequence[WorstSegment]) -> str:
    """Write "months", or "rows" for segments of several columns."""
    plurals = {found.column.plural for found in segments}
    return plurals.pop() if len(plurals) == 1 else "rows"


def _finding(
    reversals: Sequence[Reversal],
    overall: Estimate,
    plural: str,
    fall: Sequence[str],
) -> str:
    """Say what holds over all segments, and what in those where the other model is better."""
    first, *_ = reversals
    best = first.best
    other = first.other
    claim = f"Over all {plural}, no difference between {best} and {other} is shown"
    if overall.low > 0:
        value = printed(overall, "+").value.lstrip("+")
        claim = f"Over all {plural}, {best} scores {value} more than {other}"
    if not first.is_shown:
        fallen, stable = first.scores
        place = first.found.name
        return f"{claim}, but in {place}, {best} falls to {fallen} and {other} scores {stable}"
    shown = [
        each
        for each in reversals
        if each.other == other and each.is_shown and not _is_in(each.found, first.found, fall)
    ]
    order = [found.name for found in ordered_segments([each.found for each in shown])]
    shown.sort(key=lambda each: order.index(each.found.name))
    changes = [
        f"{printed(each.difference, '+').value.lstrip('-')} less in {each.found.name}"
        for each in shown
    ]
    if fall:
        size = printed(first.difference, "+").value.lstrip("-")
        changes.append(f"{size} less since {fall[0]}")
    subject = "" if overall.low > 0 else f"{best} scores "
    return f"{claim}, but {subject}{names_in_words(changes)}"


def _is_in(found: WorstSegment, latest: WorstSegment, fall: Sequence[str]) -> bool:
    """Check whether a segment is one of the times of a fall."""
    return found.column.name == latest.column.name and found.name in fall


def _draw_differences(ax: Axes, differences: Mapping[str, Estimate], label: str) -> None:
    values, lows, highs = np.array([*differences.values()]).T
    texts = printed_values(values, lows, highs, sign="+")
    draw_named(ax, [*differences], values, lows, highs, texts)
    include_scores(ax, np.zeros(1))
    ax.locator_params(axis="x", nbins=DIFFERENCE_STEPS)
    ax.axvline(0, **REFERENCE_STYLE)
    ax.set_xlabel(label, parse_math=False)
    color_shown(ax, (lows > 0) | (highs < 0))


def advise_other(part: Part, reversal: Reversal, told: Sequence[Reversal]) -> Part:
    """Begin with the model to use for now, and say in the heading what holds now and over all."""
    best = reversal.best
    other = reversal.other
    fallen, stable = reversal.scores
    advice = f"Use {other} for now: {best} {reversal.found.start}."
    since = reversal.found.times_of_fall
    where = reversal.when
    now = f"{where[0].upper()}{where[1:]}, {best} scores {fallen} and {other} {stable}"
    change = f": {reversal.change}" if reversal.is_shown else ", but no difference is shown"
    plural = reversal.found.column.plural
    part = begin_with(part, [advice, f"{now}{change}."], part.models[0], plural)
    if not reversal.is_shown:
        return part
    earlier = [
        f"{best} is worse than {other} in {each.found.name}, too: {each.change}."
        for each in told
        if each.found.name not in {reversal.found.name, *since}
    ]
    others = [each.found.name for each in told if each.found.name not in since]
    where = f"in {names_in_words(others)}" if others and not since else where
    claim = f"{part.sentence[0].lower()}{part.sentence[1:]}"
    claim = claim.replace(f"{best} is better than {other}", "it is better", 1)
    first, second, *more = part.more
    sentence = f"{best} is worse than {other} {where}; {claim}"
    return replace(part, sentence=sentence, more=[first, second, *earlier, *more])


def begin_with(part: Part, texts: Sequence[str], best: str, plural: str) -> Part:
    """Begin the first lines with what holds now, and limit what follows to all segments."""
    short_texts = [text for text in part.brief or [part.sentence] if text != part.advice]
    # It is not said to be the best, as that is not so now.
    claim = part.sentence.replace(IS_BEST, HAS_HIGHEST_SCORE, 1)
    claim = over_all(claim, plural, part.models)
    if part.sentence in short_texts:
        short_texts[short_texts.index(part.sentence)] = claim
    else:  # the first lines have words of their own about the best model
        first = next(i for i, text in enumerate(short_texts) if text.startswith(best))
        short_texts[first] = over_all(short_texts[first], plural, part.models)
    more = [*texts, *(text for text in part.more if text != part.advice)]
    return replace(part, sentence=claim, more=more, brief=[*texts, *short_texts], advice="")


def limit_finding(part: Part, plural: str) -> Part:
    """Limit what the picture of a part shows to all segments."""
    if part.picture is None or not part.picture.finding:
        return part
    finding = over_all(part.picture.finding, plural, part.models)
    return replace(part, picture=replace(part.picture, finding=finding))


def over_all(sentence: str, plural: str, models: Sequence[str]) -> str:
    """Limit a sentence to all segments; the names of models keep their case."""
    if not (models and sentence.startswith(tuple(models))):
        sentence = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Over all {plural}, {sentence}"
