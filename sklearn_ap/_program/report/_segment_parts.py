"""The parts of a report about segments: one for each column, such as countries and months."""

from functools import partial
from math import floor

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES, FEWEST_TREND_POSITIVES
from sklearn_ap._base.common.types import Argument, Array, Axes
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
    TREND,
    Column,
    change_in_words,
    compare_by_column,
    compare_column,
    dates_of_texts,
    prevalence_in_words,
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
    Estimate,
    printed,
)

TITLE_SHARE = 0.62  # of the figure, for a line of the title of a picture
DATES_HEIGHT = 3.9  # inches of a picture along a time axis
SURE = 0.99  # a p-value above this is printed as one


def segments_part(data: Predictions, column: str) -> Part:
    """Compare the segments of one column, whose name the part uses."""
    found = compare_column(data, column)
    sentence, *more = _sentences(data, found)
    cells = _segment_cells(data, found)
    shown = _shown_rows(found)
    alt = pictured(f"Score by {column}", [row[:2] for row in cells[1:]])
    names = found.comparison.rankings
    dates = dates_of_texts(names)
    has_dates = dates is not None or dates_of(names) is not None
    height = DATES_HEIGHT if has_dates else picture_height(len(names))
    draw = partial(
        _draw_segments,
        comparison=data.name_units(found.comparison),
        dates=dates,
        title=(data.subject, f"by {column}"),
        other=_other_model(data, column),
        name=data.best_model if len(data.values) > 1 else "",
        marked=found.marked,
        # Beside an outlier, the trend of the sentences is that of the other segments.
        has_trend=found.tells_trend and found.outlier is None,
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
    **options: Argument,
) -> None:
    axis = plot_segments(comparison, ax, dates, **options)
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
    trends = _trends(found)
    if not found.is_compared:
        few = f"By {found.name}, for {data.best_model}: {_too_few(found)}."
        why = [_effective_positives(data)] if found.has_fewer_effective else []
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
        few = f"The {found.plural} cannot be compared: {_too_few(found, is_brief=True)}."
        return f"{few} {scores}"
    claims = _claims(data, found, is_brief=True)
    trends = _trends(found)
    if not claims:
        return " ".join([_whole_in_words(found), scores, *trends])
    if len(data.values) > 1:  # the second sentence has the scores of two models
        return " ".join([*claims, *trends])
    scores = _range_in_words(data, found)
    return " ".join([claims[0], *([scores] if found.is_time else []), *claims[1:], *trends])


def _too_few(found: Column, is_brief: bool = False) -> str:
    """Write "each has too few positives (at most 7, and 10 are needed)"."""
    most = f"at most {_effective_as_text(found.n_effective.max())}"
    most = f"worth {most} independent ones" if found.has_fewer_effective else most
    aim = " to show a change" if found.is_time else " to compare"
    few = f"each has too few positives{'' if is_brief else aim}"
    return f"{few} ({most}, and {FEW_POSITIVES} are needed)"


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
    highest = max(rows, key=row_score)
    low = printed(row_score(lowest))
    high = printed(row_score(highest)).value
    if low.value == high:
        return f"{subject} all score {high}."
    if latest is lowest:
        others = [row_score(row) for row in rows[:-1]]
        ends = dict.fromkeys([printed(min(others)).value, printed(max(others)).value])
        score = f"{lowest['segment']}, is the lowest: {_score_with_limits(data, lowest)}"
        return f"The latest, {score}; earlier {found.plural} score {' to '.join(ends)}."
    limits = f"({data.interval_kind} {low.low} to {low.high})"
    text = f"{subject} score from {low.value} in {lowest['segment']} {limits}"
    top = f"{high} in {highest['segment']}"
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
        if whole.decision == UNDECIDED and found.outlier is None:
            value = found.comparison.homogeneity_pvalue
            sure = f"p > {SURE}" if value > SURE else f"p = {pvalue(value)}"
            return f"No difference between the {found.plural} is shown ({sure})."
        return whole.sentence.replace("segments", found.plural, 1)
    sentence = found.comparison.verdicts[0].sentence
    if len(found.rows) == 2:
        return sentence.replace(OTHERS, str(found.comparison.rankings[1]), 1)
    return sentence


def _trends(found: Column) -> list[str]:
    """Name the trend, if the segments are in an order; a step of times is one of them.

    Beside a segment that differs, the trend is that of the others, and it is told only if it is
    shown: "No trend is shown" would read as if nothing had changed.
    """
    if found.trend is not None:
        sentence = found.trend.sentence.replace("these segments", f"these {found.plural}")
        if found.name.casefold() in TIMES:
            sentence = sentence.replace(" a step", f" a {found.name}")
        if found.outlier is None:
            return [sentence]
        return [f"Without {found.outlier['segment']}, {sentence[0].lower()}{sentence[1:]}"]
    is_fitted = TREND in found.verdicts or found.outlier is not None
    if found.is_time and len(found.rows) > 2 and not is_fitted:
        few = f"fewer than three {found.plural} have {FEWEST_TREND_POSITIVES} effective positives"
        return [f"There is no trend, as {few}."]
    return []


def _claims(data: Predictions, found: Column, is_brief: bool = False) -> list[str]:
    """Say which segment differs by most, what models score there, and how the others differ."""
    most = found.outlier
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
    value, low, high = _absolute_change(change).as_text("+")
    more = "more" if change.value > 0 else "less"
    size = f"{value.removeprefix('+')} {more}"
    limits = f"{kind} {low.removeprefix('+')} to {high.removeprefix('+')}"
    return (
        f"{data.subject} scores {size} in {found.place(row['segment'])} than in "
        f"{_others_of(found, row)} ({limits})."
    )


def _absolute_change(change: Estimate) -> Estimate:
    """Turn a loss into its size, whose limits change places."""
    return change if change.value > 0 else Estimate(-change.value, -change.high, -change.low)


def _scores_in_segment(data: Predictions, found: Column, row: Row) -> list[str]:
    """Give the scores of the best and the second model in a segment, if there are several."""
    models = [*data.values][:2]
    if len(models) == 1:
        return []
    best, second = models
    other = segment_row(compare_by_column(data, second, found.name), row["segment"])
    scores = [printed(row_score(each)).value for each in (row, other)]
    return [f"There, {best} scores {scores[0]}, and {second} {scores[1]}."]


def _others_of(found: Column, row: Row) -> str:
    """Write "the other months", or the name of the other segment of two."""
    names = [str(each["segment"]) for each in found.rows if each["segment"] != row["segment"]]
    return names[0] if len(names) == 1 else f"the other {found.plural}"


def _others_in_words(found: Column, most: Row, is_brief: bool) -> list[str]:
    """Say how the segments but the outlier differ from each other, three of each kind.

    The first lines have the kind of the largest difference: where one of them is worse, each of
    the others may be better than a mean that includes it.
    """
    if found.rest is None:
        return []
    rows = [row for row in found.unlike_rows if row["segment"] != most["segment"]]
    rows.sort(key=lambda row: -abs(row["difference"]))
    names: dict[str, list[str]] = {}
    for row in rows:
        name = f"{row['segment']} ({change_in_words(row)})"
        names.setdefault(row["verdict"], []).append(name)
    others = f"Among the other {found.plural}"
    kinds = [f"{kind} in {some_names(each)}" for kind, each in names.items()]
    if kinds:
        return [f"{others}, it is {', and '.join(kinds[:1] if is_brief else kinds)}."]
    n_unlike = sum(row["verdict"] in (BETTER, WORSE) for row in found.rows)
    whole = found.rest_verdicts.get(ALL_SEGMENTS)
    differ = whole is not None and whole.decision != UNDECIDED
    # If nothing else was shown before, or a trend is, there is nothing to take back.
    if n_unlike < 2 or differ or found.tells_trend:
        return []
    return [f"{others}, no difference is shown."]


def _segment_doubts(data: Predictions, found: Column) -> list[str]:
    """Name the segments that may be no better than chance, and those that are not compared.

    Random orders score the prevalence, which all segments share here. The segments of the first
    kind are also worse than the others.
    """
    comparison = found.comparison
    prevalence = np.nan if comparison.prevalence is None else comparison.prevalence
    weak = [
        str(row["segment"])
        for row in found.unlike_rows
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
        f"Scores are average precision at {prevalence_in_words(data)}, so that segments with more "
        f"positives do not look better."
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
        notes.append(_effective_positives(data))
    if comparison.left_out:
        left_out = first_and_more([*map(str, comparison.left_out)])
        notes.append(f"Left out, as they lack positives or negatives: {left_out}.")
    return notes


def _effective_positives(data: Predictions) -> str:
    return (
        f"A segment has fewer effective positives than positives if its rows have weights, or if "
        f"it has few negatives for {prevalence_in_words(data)}: its rows then count for less."
    )
