"""The picture of two models that change places: their difference in all and in some segments."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import color_shown, draw_named, include_scores
from sklearn_ap._base.extras import printable
from sklearn_ap._program.report.advice._reversals import (
    Reversal,
    compare_inside,
    difference_elsewhere,
    ordered_segments,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import (
    compare_pair,
)
from sklearn_ap._program.report.models.comparison_pictures import DIFFERENCE_STEPS
from sklearn_ap._program.report.page.pictures import (
    Picture,
    caption,
    picture_height,
    title_of_model,
    warned_texts,
)
from sklearn_ap._program.report.page.words import as_cell, pictured, row_difference
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._questions.verdicts import (
    Estimate,
    names_in_words,
    printed,
    printed_values,
)


def reversal_picture(
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
            _row_name(found, segments): row_difference(compare_inside(data, found, first.other))
            for found in segments
            if not _is_in(found, first.found, fall)
        }
        inside |= {f"since {fall[0]}": first.difference} if fall else {}
        all_rows = {f"all {plural}": overall, **difference_elsewhere(data, segments, first.other)}
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
