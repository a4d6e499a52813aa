"""The parts of a report about segments: one for each column, such as countries and months."""

import re
from collections.abc import Sequence
from functools import partial
from math import floor

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES, FEWEST_TREND_POSITIVES
from sklearn_ap._base.common.types import Array, Axes
from sklearn_ap._base.drawing.axes import axes_size
from sklearn_ap._base.drawing.legend import shorten_name, text_width
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import (
    ADJUSTED_HEAD,
    Row,
    cases_as_text,
    first_and_more,
    level_as_text,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import (
    TIMES,
    Column,
    compare_by_column,
    compare_column,
    most_different,
    segment_row,
    some_names,
)
from sklearn_ap._program.report._words import (
    as_cell,
    describe,
    number,
    pictured,
    pvalue,
    row_difference,
    row_score,
    used_columns,
)
from sklearn_ap._program.report.page import FIRST_ROWS, Part, Picture, picture_height
from sklearn_ap._questions.long_lists import MOST_LINES
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.segments.picture import OtherModel, plot_segments
from sklearn_ap._questions.verdicts import (
    ALL_SEGMENTS,
    BETTER,
    OTHERS,
    UNDECIDED,
    WORSE,
    printed,
)

TREND = "trend"  # the name of the verdict on it
DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
TITLE_SHARE = 0.62  # of the figure, for a line of the title of a picture
DATES_HEIGHT = 3.9  # inches of a picture along a time axis
EFFECTIVE_POSITIVES = (
    "A segment has fewer effective positives than positives if its rows have weights, or if it has "
    "few negatives for the prevalence of all rows: its rows then count for less."
)


def _dates_of_texts(names: Sequence[object]) -> Array | None:
    """Read months and days as a table of texts has them, such as "2026-01"; None for others."""
    if not all(isinstance(name, str) and DATE.fullmatch(name) for name in names):
        return None
    try:
        return np.array(names, dtype="datetime64[D]")
    except ValueError:  # no date, such as "2026-99"
        return None


def segments_part(data: Predictions, column: str) -> Part:
    """Compare the segments of one column, whose name the part uses."""
    found = compare_column(data, column)
    sentence, *more = _sentences(data, found)
    cells = _segment_cells(data, found)
    shown = _shown_rows(found)
    alt = pictured(f"Score by {column}", [row[:2] for row in cells[1:]])
    names = found.comparison.rankings
    dates = _dates_of_texts(names)
    has_dates = dates is not None or dates_of(names) is not None
    height = DATES_HEIGHT if has_dates else picture_height(len(names))
    draw = partial(
        _draw_segments,
        comparison=data.name_units(found.comparison),
        dates=dates,
        title=(data.subject, f"by {column}"),
        other=_other_model(data, column),
        name=data.best_model if len(data.values) > 1 else "",
    )
    return Part(
        sentence,
        cells,
        _notes(data, found),
        Picture(draw, height, alt),
        data.call(compare_segments, data.best_model, segments=column),
        brief=_brief(data, found),
        doubts=_segment_doubts(data, found),
        more=more,
        first_rows=[shown.index(place) for place in sorted(found.order[:FIRST_ROWS])],
    )


def _draw_segments(
    ax: Axes,
    comparison: SegmentComparison,
    dates: Array | None,
    title: tuple[str, str],
    other: OtherModel | None,
    name: str,
) -> None:
    axis = plot_segments(comparison, ax, dates, other, name=name)
    size = axis.title.get_size()
    room = TITLE_SHARE * axes_size(axis).width
    words = [printable(each) for each in title]
    lines = [" ".join(words)] if text_width(" ".join(words), size) <= room else words
    text = "\n".join(shorten_name(line, room, size) for line in lines)
    axis.set_title(text, parse_math=False)


def _other_model(data: Predictions, column: str) -> OtherModel | None:
    """Return the scores of the second best model in the segments, if there are several."""
    _, *others = data.values
    if not others:
        return None
    found = compare_by_column(data, others[0], column)
    return OtherModel(others[0], found.estimates, found.lows, found.highs)


def _sentences(data: Predictions, found: Column) -> list[str]:
    """Write what is shown, and then the lowest, the highest and the latest score, and the trend."""
    scores = _range_in_words(data, found)
    trends = _useful_trends(found)
    if not found.is_compared:
        few = f"By {found.name}, for {data.best_model}: {_too_few(found)}."
        why = [EFFECTIVE_POSITIVES] if found.has_fewer_effective else []
        return [few, *why, scores, *trends]
    whole = _whole_in_words(found)
    if claims := _claims(data, found):
        doubt = [whole] if _is_undecided(found) and len(found.rows) > 2 else []
        return [*claims, *([scores] if found.is_time else []), *trends, *doubt]
    claim = f"{whole[0].lower()}{whole[1:]}"
    return [f"By {found.name}, for {data.best_model}: {claim}", scores, *trends]


def _brief(data: Predictions, found: Column) -> str:
    """Write for the first lines what is worse, or that nothing is shown and what scores are."""
    scores = _range_in_words(data, found, "They")
    if not found.is_compared:
        few = f"The {found.plural} cannot be compared: {_most_effective(found)}."
        return f"{few} {scores}"
    claims = _claims(data, found, is_brief=True)
    trends = _useful_trends(found)
    if not claims:
        return " ".join([_whole_in_words(found), scores, *trends])
    if len(data.values) > 1:  # the second sentence has the scores of two models
        return " ".join([*claims[:2], *trends, *claims[2:]])
    scores = _range_in_words(data, found)
    return " ".join([claims[0], *([scores] if found.is_time else []), *trends, *claims[1:]])


def _too_few(found: Column) -> str:
    aim = "show a change" if found.is_time else "compare"
    return f"too few positives to {aim} ({_most_effective(found)})"


def _most_effective(found: Column) -> str:
    kind = "effective positives" if found.has_fewer_effective else "positives"
    most = _effective_as_text(found.n_effective.max())
    return f"at most {most} {kind}, {FEW_POSITIVES} needed"


def _effective_as_text(n_effective: float) -> str:
    """Print effective positives rounded down, as 9.97 are fewer than 10."""
    n = n_effective * (1 + RELATIVE_TOLERANCE)
    return f"{floor(n):,}" if n >= FEW_POSITIVES else f"{floor(10 * n) / 10:g}"


def _range_in_words(data: Predictions, found: Column, subject: str = "") -> str:
    """Name the segments with the lowest and the highest score, and the latest one."""
    rows = found.rows
    subject = subject or f"The {found.plural}"
    lowest = rows[found.lowest]
    latest = rows[-1] if found.is_time else None
    if len(rows) == 1:
        return f"{lowest['segment']} scores {_score_with_limits(data, lowest)}."
    if latest is lowest:
        others = [row_score(row) for row in rows[:-1]]
        ends = dict.fromkeys([printed(min(others)).value, printed(max(others)).value])
        score = f"{lowest['segment']}, is the lowest: {_score_with_limits(data, lowest)}"
        return f"The latest, {score}; earlier {found.plural} score {' to '.join(ends)}."
    highest = max(rows, key=row_score)
    low = printed(row_score(lowest))
    limits = f"({data.interval_kind} {low.low} to {low.high})"
    text = f"{subject} score from {low.value} in {lowest['segment']} {limits}"
    top = f"{printed(row_score(highest)).value} in {highest['segment']}"
    if latest is None:
        return f"{text} to {top}."
    if latest is highest:
        return f"{text} to {_score_with_limits(data, latest)} in {latest['segment']}, the latest."
    return f"{text} to {top}; the latest, {latest['segment']}, {_score_with_limits(data, latest)}."


def _score_with_limits(data: Predictions, row: Row) -> str:
    return describe(row_score(row), data.interval_kind)


def _is_undecided(found: Column) -> bool:
    whole = found.verdicts.get(ALL_SEGMENTS)
    return whole is None or whole.decision == UNDECIDED


def _whole_in_words(found: Column) -> str:
    """Say what is shown of all segments together; of two, what is shown of their difference."""
    if whole := found.verdicts.get(ALL_SEGMENTS):
        return whole.sentence.replace("segments", found.plural, 1)
    sentence = found.comparison.verdicts[0].sentence
    if len(found.rows) == 2:
        return sentence.replace(OTHERS, str(found.comparison.rankings[1]), 1)
    return sentence


def _trends(found: Column) -> list[str]:
    """Name the trend, if the segments are in an order; a step of times is one of them."""
    if TREND in found.verdicts:
        sentence = found.verdicts[TREND].sentence
        if found.name in TIMES:
            sentence = sentence.replace(" a step", f" a {found.name}")
            sentence = sentence.replace("these segments", f"these {found.plural}")
        return [sentence]
    if found.is_time and len(found.rows) > 2:
        few = f"fewer than three {found.plural} have {FEWEST_TREND_POSITIVES} effective positives"
        return [f"There is no trend, as {few}."]
    return []


def _useful_trends(found: Column) -> list[str]:
    """Name the trend, unless none is shown beside a worse segment, as if nothing had changed."""
    is_worse = WORSE in [row["verdict"] for row in found.rows]
    return [] if is_worse and not _has_trend(found) else _trends(found)


def _has_trend(found: Column) -> bool:
    return TREND in found.verdicts and found.verdicts[TREND].decision != UNDECIDED


def _claims(data: Predictions, found: Column, is_brief: bool = False) -> list[str]:
    """Say which segment is worst, what models score there, and which others are like that."""
    most = most_different(found)
    if most is None:
        return []
    return [
        _claim(data, found, most),
        *_scores_in_segment(data, found, most),
        *_others_in_words(found, most, is_brief),
    ]


def _claim(data: Predictions, found: Column, row: Row) -> str:
    """Say how a segment differs, with the interval that is adjusted as its p-value is.

    Holm's rule multiplies the smallest of m p-values by m, the next one by m - 1, and so on.
    """
    n_at_least = int(np.count_nonzero(found.comparison.pvalues >= row["pvalue"]))
    level = 1 - (1 - data.level) / max(1, n_at_least)
    adjusted = compare_by_column(data, data.best_model, found.name, level)
    change = row_difference(segment_row(adjusted, row["segment"]))
    kind = data.interval_kind if n_at_least == 1 else f"adjusted {data.interval_kind}"
    words = change.brief(kind, "+")
    place = found.place(row["segment"])
    return f"{data.subject} is {row['verdict']} in {place} than in {OTHERS}: {words}."


def _scores_in_segment(data: Predictions, found: Column, row: Row) -> list[str]:
    """Give the scores of the best and the second model in a segment, if there are several."""
    models = [*data.values][:2]
    if len(models) == 1:
        return []
    best, second = models
    other = segment_row(compare_by_column(data, second, found.name), row["segment"])
    scores = [printed(row_score(each)).value for each in (row, other)]
    return [f"There, {best} scores {scores[0]}, and {second} {scores[1]}."]


def _others_in_words(found: Column, most: Row, is_brief: bool) -> list[str]:
    """Name the other segments that differ, three of each kind.

    Those that are better may be so because one of the others is worse.
    """
    names: dict[str, list[str]] = {BETTER: [], WORSE: []}
    for row in found.rows:
        if row["verdict"] in names and row["segment"] != most["segment"]:
            names[row["verdict"]].append(str(row["segment"]))
    claims = []
    if alike := names[most["verdict"]]:
        claims.append(f"It is also {most['verdict']} in {some_names(alike)}.")
    if most["verdict"] == WORSE and names[BETTER] and not is_brief:
        be = "is" if len(names[BETTER]) == 1 else "are"
        better = f"{some_names(names[BETTER])} {be} better than the others"
        claims.append(f"{better}, but these include {most['segment']}.")
    return claims


def _segment_doubts(data: Predictions, found: Column) -> list[str]:
    """Name the segments that may be no better than chance, and those that are not compared.

    Random orders score the prevalence, which all segments share here. The segments of the first
    kind are also worse than the others.
    """
    comparison = found.comparison
    prevalence = np.nan if comparison.prevalence is None else comparison.prevalence
    weak = [
        str(row["segment"])
        for row in found.rows
        if row["verdict"] == WORSE and row["low"] <= prevalence
    ]
    doubts = []
    if weak:
        where = found.place(some_names(weak))
        doubts.append(
            f"It is not shown that {data.best_model} scores higher than by chance in {where}."
        )
    if comparison.left_out:
        where = found.place(some_names([*map(str, comparison.left_out)]))
        doubts.append(f"Not compared, without positives or negatives: {where}.")
    uncompared = [str(row["segment"]) for row in found.rows if np.isnan(row["difference"])]
    if found.is_compared and uncompared:
        where = found.place(some_names(uncompared))
        doubts.append(f"Not compared, as all others have too few positives: {where}.")
    return doubts


def _segment_cells(data: Predictions, found: Column) -> list[list[str]]:
    """Make a line for each segment, or for those that matter most if there are many."""
    comparison = found.comparison
    prevalence = "" if comparison.prevalence is None else number(comparison.prevalence)
    kind = f"[{data.interval_kind}]"
    effective = ["effective positives"] if found.has_fewer_effective else []
    head = [found.name, f"score at prevalence {prevalence} {kind}", "positives", *effective]
    lines = [[*head, "own prevalence", _change_head(data, found), ADJUSTED_HEAD]]
    rows = found.rows
    for place in _shown_rows(found):
        row = rows[place]
        numbers = [as_cell(row_score(row)), cases_as_text(row["n_positives"])]
        numbers += [_effective_as_text(found.n_effective[place])] * len(effective)
        change = as_cell(row_difference(row), "+")
        changes = [number(row["share"]), change, pvalue(row["adjusted_pvalue"])]
        lines.append([str(row["segment"]), *numbers, *changes])
    return used_columns(lines)


def _change_head(data: Predictions, found: Column) -> str:
    """Say that intervals of the table are not adjusted, where that of the heading is."""
    is_adjusted = np.count_nonzero(~np.isnan(found.comparison.pvalues)) > 1
    kind = f"{level_as_text(data.level)}, not adjusted" if is_adjusted else data.interval_kind
    return f"minus the others [{kind}]"


def _shown_rows(found: Column) -> list[int]:
    """Choose the segments of the table: those that matter most, in their order."""
    return sorted(found.order[:MOST_LINES])


def _notes(data: Predictions, found: Column) -> list[str]:
    """Explain the scores, the adjustment, and the segments that lack a number."""
    comparison = found.comparison
    notes = [
        "Scores are average precision at the prevalence of all rows, so that segments with more "
        "positives do not look better."
    ]
    n_tests = np.count_nonzero(~np.isnan(comparison.pvalues))
    if n_tests > 1:
        others = ", not for other columns" if len(data.segments) > 1 else ""
        notes.append(f"{ADJUSTED_HEAD} is adjusted for {n_tests} tests{others}.")
    n_rows = len(found.rows)
    if n_rows > MOST_LINES:
        which = f"{MOST_LINES} of {n_rows} that differ most clearly"
        notes.append(f"These are the {which if n_tests else f'first {MOST_LINES} of {n_rows}'}.")
    uncompared = [str(row["segment"]) for row in found.rows if np.isnan(row["difference"])]
    if found.is_compared and uncompared:
        name = first_and_more(uncompared)
        notes.append(
            f"The others are {name} alone here, as no other segment has {FEW_POSITIVES} effective "
            f"positives. So {name} itself is not compared."
        )
    if found.has_fewer_effective and found.is_compared:
        notes.append(EFFECTIVE_POSITIVES)
    if comparison.left_out:
        left_out = first_and_more([*map(str, comparison.left_out)])
        notes.append(f"Left out, as they lack positives or negatives: {left_out}.")
    return notes
