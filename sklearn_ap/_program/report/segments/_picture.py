"""The picture of the segments of a column: its numbers, and the words above and about it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.drawing.legend import sample_in_words, title_in_words
from sklearn_ap._base.text import level_as_text, plural_of
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.pictures import Picture, picture_height
from sklearn_ap._program.report.page.words import as_cell, number, pictured, row_score
from sklearn_ap._program.report.segments._dates import dates_of_texts
from sklearn_ap._program.report.segments._drawing import (
    MOST_PAIRS,
    Level,
    ModelScores,
    Rings,
    SegmentNumbers,
    drawn_numbers,
)
from sklearn_ap._program.report.segments._falls import fall_in_words
from sklearn_ap._program.report.segments._rows import draw_rows
from sklearn_ap._program.report.segments._times import draw_times
from sklearn_ap._program.report.segments.columns import Column, compare_column, some_names
from sklearn_ap._program.report.segments.comparisons import has_enough_positives, segment_names
from sklearn_ap._program.report.segments.words import changed_model, subject_in_words
from sklearn_ap._program.report.segments.worst import printed_score
from sklearn_ap._questions.segments.comparison import SegmentComparison
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.segments.picture import (
    chance_level,
    drawn_trend,
    has_mean,
    is_chance_in_sight,
    row_remarks,
    select_unlike_rows,
)
from sklearn_ap._questions.segments.picture_labels import dates_as_texts
from sklearn_ap._questions.segments.verdicts import shows_trend
from sklearn_ap._questions.verdicts import (
    WORSE,
    Estimate,
    names_in_words,
    printed,
    printed_values,
)

TIMES_HEIGHT = 2.7  # inches of a picture along an axis of time
LEAST_SHARE = 0.4  # of the axis, for the scores beside that of random orders: a choice


def segment_picture(
    data: Predictions, found: Column, described: Sequence[int], is_second_told: bool
) -> Picture:
    """Make the picture of a column; its alternative text describes some segments by number.

    Words may also be about the second model, which then has rings and a trend.
    """
    told = _told_columns(data, found)
    models = _models(data, told, is_second_told)
    times = _times(data, found)
    shown = np.arange(len(found.rows))
    which = ""
    if times is None:
        shown, which = select_unlike_rows(found.comparison)
    elif len(models) > 1 and shown.size > MOST_PAIRS:
        models[1] = models[1].leave_out_limits()
    numbers = _numbers(data, found, models, shown)
    draw = draw_rows if times is None else partial(draw_times, times=times)
    return Picture(
        partial(draw, numbers=numbers),
        picture_height(shown.size) if times is None else TIMES_HEIGHT,
        _alternative_text(told, described),
        finding=_finding(data, told, is_second_told),
        subject=_subject(data, told, numbers, which, are_rows=times is None),
    )


def _told_columns(data: Predictions, found: Column) -> list[Column]:
    """Return the column of the model, and that of the best of the others if there are several."""
    changed = changed_model(data, found)
    others = [name for name in data.values if name != found.model][:1]
    others = others if changed is None else [changed.model]
    return [found, *(compare_column(data, found.name, name) for name in others)]


def _models(data: Predictions, told: Sequence[Column], is_second_told: bool) -> list[ModelScores]:
    """Return the scores of models, with rings and trends of those that words are about."""
    ranked = [*data.values]
    both_fall = all(each.ends_in_fall for each in told)
    return [
        ModelScores(
            each.model if len(told) > 1 else "",
            each.comparison.estimates,
            each.comparison.lows,
            each.comparison.highs,
            _has_few_positives(each),
            ranked.index(each.model),
            Rings(each.marked, _is_alarming(each)) if has_words else None,
            _trend_line(each) if has_words else None,
        )
        for each, has_words in zip(told, [True, is_second_told or both_fall], strict=False)
    ]


def _has_few_positives(found: Column) -> Bool:
    """Find the segments that have too few positives to be compared, where others have enough."""
    is_enough = has_enough_positives(found.comparison) | found.marked
    return ~is_enough if found.is_compared else np.zeros_like(is_enough)


def _trend_line(found: Column) -> Float | None:
    """Return the trend that is told: beside outliers, it is that of the other segments."""
    has_trend = found.tells_trend and not found.outliers and shows_trend(found.comparison)
    return drawn_trend(found.comparison) if has_trend else None


def _numbers(
    data: Predictions, found: Column, models: Sequence[ModelScores], shown: Index
) -> SegmentNumbers:
    """Collect the numbers of the segments that are drawn."""
    drawn = [model.select(shown) for model in models]
    has_trend = any(model.trend_line is not None for model in drawn)
    names = _names(found.comparison)
    return SegmentNumbers(
        [names[place] for place in shown],
        drawn,
        _levels(data, found, drawn_numbers(drawn), has_trend=has_trend),
        *_all_remarks(found, drawn, shown),
    )


def _all_remarks(
    found: Column, models: Sequence[ModelScores], shown: Index
) -> tuple[list[str], list[str]]:
    """Write the scores of two models, or that of one and the count behind it."""
    if len(models) == 1:
        return _remarks(found, shown), []
    first, second = (printed_values(each.scores, each.lows, each.highs) for each in models)
    return first, second


def _remarks(found: Column, shown: Index) -> list[str]:
    """Write the score of each segment, and the count behind it by the user's word."""
    texts = row_remarks(_counted(found), shown)
    if not found.query_noun:
        return texts
    return [text.replace("queries", plural_of(found.query_noun)) for text in texts]


def _counted(found: Column) -> SegmentComparison:
    """Leave out effective positives where the page counts the positives themselves."""
    if found.has_fewer_effective:
        return found.comparison
    return replace(found.comparison, n_effective=None)


def _times(data: Predictions, found: Column) -> Array | None:
    """Return the dates of segments, or else their places in an order of times."""
    names = found.comparison.rankings
    dates = dates_of_texts(names)
    if dates is not None:
        return dates
    named_dates = dates_of(names)
    if named_dates is not None:
        return np.array(named_dates)
    return _steps(data, found) if found.is_time else None


def _steps(data: Predictions, found: Column) -> Float | None:
    """Return the times of the segments that have a score, as those that have none take a step."""
    segments = data.segments[found.name]
    times, _ = segments.trend_times()
    if times is None:
        return None
    time_of = dict(zip(map(str, segments.names), times.tolist(), strict=True))
    return np.array([time_of[name] for name in found.names], dtype=np.float64)


def _names(comparison: SegmentComparison) -> list[str]:
    """Write the names of segments, and dates as short as they all can be."""
    names = comparison.rankings
    dates = None if all(isinstance(name, str) for name in names) else dates_of(names)
    return segment_names(comparison) if dates is None else dates_as_texts(np.array(dates))


def _is_alarming(found: Column) -> Bool:
    """Find the marked segments that are worse."""
    return np.asarray(found.marked & (found.comparison.differences < 0))


def _levels(data: Predictions, found: Column, numbers: Float, *, has_trend: bool) -> list[Level]:
    """Return the prevalence if it is in sight, and the mean, which no trend has.

    It is that of the others beside outliers, and in the colour of its model if there are two.
    """
    mean = found.comparison.overall if found.rest is None else found.rest.overall
    is_mean = found.rest is not None or has_mean(found.comparison)
    levels = []
    if not np.isnan(mean) and is_mean and not has_trend:
        name = f"mean of {'' if found.rest is None else 'other '}{found.plural}"
        color = [*data.values].index(found.model) if len(data.values) > 1 else None
        levels.append(Level(name, mean, number(mean), color=color))
        numbers = np.append(numbers, mean)
    chance = chance_level(found.comparison)
    if is_chance_in_sight(chance, numbers, LEAST_SHARE):
        levels.append(Level("", chance, "", ":"))
    return levels


def _finding(data: Predictions, told: Sequence[Column], is_second_told: bool) -> str:
    """Say what the picture shows, such as "new falls to 0.021 in 2026-09"."""
    found, *others = told
    if not found.is_compared:
        few = f"Too few {found.counted} to compare the {found.plural}"
        return few if len(found.rows) > 1 else ""
    if is_second_told:
        return _second_in_words(data, found, others[0])
    if found.outlier is not None:
        both_fall = all(each.ends_in_fall for each in told)
        seconds = [_outlier_in_words(data, each) for each in others if both_fall]
        return "; ".join([_outlier_in_words(data, found), *seconds])
    if found.tells_trend:
        owner = "" if data.is_single_model else f" of {found.model}"
        return f"The score{owner} {_trend_in_words(found.change, found)}"
    if found.differs_as_a_whole:
        return f"The {found.plural} differ, but none can be named"
    owner = f" for {found.model}" if others or found.model != data.best_model else ""
    return f"No difference between the {found.plural} is shown{owner}"


def _second_in_words(data: Predictions, found: Column, second: Column) -> str:
    """Write "challenger falls to 0.031 in 2026-08; no difference ... is shown for champion"."""
    rest = f"no difference between the {found.plural} is shown for {found.model}"
    if found.outlier is not None:
        rest = _outlier_in_words(data, found)
    if second.clear_outlier is not None:
        return f"{_outlier_in_words(data, second)}; {rest}"
    return f"{second.model} {_trend_in_words(second.change, second)}; {rest}"


def _outlier_in_words(data: Predictions, found: Column) -> str:
    """Write "new falls to 0.021 in 2026-09", or "new scores 0.3 in IT, less than elsewhere"."""
    if (outlier := found.outlier) is None:
        return ""
    subject = subject_in_words(data, found)
    score = printed_score(outlier.row)
    is_worse = outlier.row["verdict"] == WORSE
    if found.is_time and is_worse and outlier.name != found.names[0]:
        return f"{subject} {fall_in_words(found, score, outlier.name, outlier.name)}"
    amount = "less" if is_worse else "more"
    others = f"in other {found.plural}" if found.is_time else "elsewhere"
    return f"{subject} scores {score} in {outlier.name}, {amount} than {others}"


def _trend_in_words(change: Estimate, found: Column) -> str:
    """Write "falls by 0.04 a month"."""
    verb = "rises" if change.value > 0 else "falls"
    return f"{verb} by {printed(change, '+').value[1:]} a {found.unit}"


def _subject(
    data: Predictions, told: Sequence[Column], numbers: SegmentNumbers, which: str, are_rows: bool
) -> str:
    """Say what is drawn: the score, the sample, and what has no name in the picture."""
    found = told[0]
    comparison = data.name_units(found.comparison)
    score = title_in_words(comparison.definition.title)
    score = f"mean {score}" if found.query_noun else score
    which_models = ""
    if len(data.values) > 2:  # others are not drawn
        which_models = f" of {names_in_words([each.model for each in told])}"
    has_other = comparison.prevalence is not None
    is_drawn = any(not level.name for level in numbers.levels)
    dotted = " (dotted)" if is_drawn else ""
    at = f" at prevalence {number(comparison.prevalence)}{dotted}" if has_other else ""
    drawn = f"{score[0].upper()}{score[1:]}{which_models} by {found.name}{at}"
    has_all_limits = not any(np.isnan(model.lows).all() for model in numbers.models)
    owner = "" if has_all_limits else f" of {found.model}"
    sample = sample_in_words(comparison)
    texts = [f"{drawn}, {data.interval_kind}s{owner}; {sample}."]
    texts.append(f"Drawn: {which}." if which else "")
    if are_rows and len(told) == 1 and found.has_fewer_effective:
        texts.append("In brackets: effective positives.")
    few = _has_few_positives(found)
    if few.any():
        are_all = np.all(found.counts[few] < FEW_POSITIVES)
        kind = found.counted if are_all else "effective positives"
        texts.append(f"Hollow: fewer than {FEW_POSITIVES} {kind}.")
    if not are_rows and len(told) > 1:
        texts.append(f"At the right: scores of the latest {found.noun}.")
    if are_rows:  # they have no room at the end of the line
        texts += [f"Line: {each.name} {each.text}." for each in numbers.levels if each.name]
    texts.append(_rings_in_words(found, numbers))
    if any(model.trend_line is not None for model in numbers.models):
        texts.append(f"Sloping line: trend with {level_as_text(data.level)} band.")
    return " ".join(filter(None, texts))


def _rings_in_words(found: Column, numbers: SegmentNumbers) -> str:
    """Explain the rings, and their colours if there are two."""
    rings = [model.rings.select(model.marked) for model in numbers.models if model.rings]
    alarming = np.concatenate([each.alarming for each in rings])
    if not alarming.size:
        return ""
    if alarming.all():
        return f"Ring: lower than other {found.plural}."
    if alarming.any():
        return "Ring: differs, and red is lower."
    return f"Ring: differs from other {found.plural}."


def _alternative_text(told: Sequence[Column], described: Sequence[int]) -> str:
    """Describe the picture: which segments are marked, and then the scores of the models."""
    found, *others = told
    title = f"Score of {found.model} by {found.name}"
    lines = []
    for place in described:
        row = found.rows[place]
        line = [str(row["segment"]), as_cell(row_score(row))]
        for other in others:
            line.append(f"({other.model} {as_cell(row_score(other.rows[place]))})")
        lines.append(line)
    marked = [str(row["segment"]) for row in found.unlike_rows]
    if marked:
        verb = "differs" if len(marked) == 1 else "differ"
        title = f"{title}, where {some_names(marked)} {verb} from the others"
    return pictured(title, lines)
