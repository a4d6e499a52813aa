"""The picture of the segments of a column: its numbers, and the words above and about it."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.drawing.legend import sample_in_words, title_in_words
from sklearn_ap._base.drawing.named_rows import finite_numbers
from sklearn_ap._base.text import level_as_text
from sklearn_ap._program.report._outliers import compare_by_column, trend_change
from sklearn_ap._program.report._pictures import Picture, picture_height
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import Column, dates_of_texts, some_names
from sklearn_ap._program.report._segment_drawing import Level, ModelScores, SegmentNumbers
from sklearn_ap._program.report._segment_rows import draw_rows
from sklearn_ap._program.report._segment_times import draw_times
from sklearn_ap._program.report._segment_words import second_in_words, subject_in_words
from sklearn_ap._program.report._words import as_cell, number, pictured, row_score
from sklearn_ap._program.report._worst_segments import printed_score
from sklearn_ap._questions.segments._picture_labels import dates_as_texts
from sklearn_ap._questions.segments._verdicts import shows_trend
from sklearn_ap._questions.segments.comparison import SegmentComparison
from sklearn_ap._questions.segments.names import dates_of
from sklearn_ap._questions.segments.picture import (
    chance_level,
    drawn_trend,
    has_fewer_effective,
    has_mean,
    is_chance_in_sight,
    row_remarks,
    select_unlike_rows,
)
from sklearn_ap._questions.verdicts import WORSE, Estimate, printed

TIMES_HEIGHT = 2.7  # inches of a picture along an axis of time
CLEARLY_WORSE = 0.01  # the adjusted p-value below which the ring of a worse segment is red


def segment_picture(data: Predictions, found: Column, described: Sequence[int]) -> Picture:
    """Make the picture of a column; its alternative text describes some segments by number."""
    models = _models(data, found)
    times = _times(data, found)
    shown, which = np.arange(len(found.rows)), ""
    if times is None:
        shown, which = select_unlike_rows(found.comparison)
    numbers = _numbers(found, models, shown)
    draw = draw_rows if times is None else partial(draw_times, times=times)
    return Picture(
        partial(draw, numbers=numbers),
        picture_height(shown.size) if times is None else TIMES_HEIGHT,
        _alternative_text(found, models, described),
        finding=_finding(data, found),
        subject=_subject(data, found, numbers, which, are_rows=times is None),
    )


def _models(data: Predictions, found: Column) -> list[ModelScores]:
    """Return the scores of the model, and of the best of the others if there are several."""
    ranked = [*data.values]
    names = [found.model, *(name for name in ranked if name != found.model)][:2]
    others = (compare_by_column(data, name, found.name) for name in names[1:])
    return [
        ModelScores(
            name if len(names) > 1 else "",
            each.estimates,
            each.lows,
            each.highs,
            color=ranked.index(name),
        )
        for name, each in zip(names, [found.comparison, *others], strict=True)
    ]


def _numbers(found: Column, models: Sequence[ModelScores], shown: Index) -> SegmentNumbers:
    """Collect the numbers of the segments that are drawn."""
    comparison = found.comparison
    drawn = [model.select(shown) for model in models]
    # Beside outliers, the trend of the sentences is that of the other segments.
    has_trend = found.tells_trend and not found.outliers and shows_trend(comparison)
    trend_line = drawn_trend(comparison)[:, shown] if has_trend else None
    numbers = [finite_numbers(model.scores, model.lows, model.highs) for model in drawn]
    numbers += [] if trend_line is None else [trend_line.ravel()]
    names = _names(comparison)
    return SegmentNumbers(
        [names[place] for place in shown],
        drawn,
        found.marked[shown],
        _is_alarming(found)[shown],
        _levels(found, np.concatenate(numbers)),
        trend_line,
        row_remarks(comparison, shown),
    )


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
    return np.array([time_of[str(name)] for name in found.comparison.rankings], dtype=np.float64)


def _names(comparison: SegmentComparison) -> list[str]:
    """Write the names of segments, and dates as short as they all can be."""
    names = comparison.rankings
    dates = None if all(isinstance(name, str) for name in names) else dates_of(names)
    return [*map(str, names)] if dates is None else dates_as_texts(np.array(dates))


def _is_alarming(found: Column) -> Bool:
    """Find the marked segments that are worse beyond doubt."""
    comparison = found.comparison
    needed = min(CLEARLY_WORSE, 1 - comparison.confidence_level)
    is_worse = (comparison.differences < 0) & (comparison.adjusted_pvalues < needed)
    return np.asarray(found.marked & is_worse)


def _levels(found: Column, numbers: Float) -> list[Level]:
    """Return the mean, that of the others beside outliers, and random orders if in sight."""
    mean = found.comparison.overall if found.rest is None else found.rest.overall
    levels = []
    if not np.isnan(mean) and (found.rest is not None or has_mean(found.comparison)):
        name = "mean" if found.rest is None else "mean of the others"
        levels.append(Level(name, mean, number(mean)))
        numbers = np.append(numbers, mean)
    chance = chance_level(found.comparison)
    if is_chance_in_sight(chance, numbers):
        levels.append(Level("random order", chance, number(chance), ":"))
    return levels


def _finding(data: Predictions, found: Column) -> str:
    """Say what the picture shows, such as "new falls to 0.021 in 2026-09"."""
    if not found.is_compared:
        few = f"Too few positives to compare the {found.plural}"
        return few if len(found.rows) > 1 else ""
    if found.outlier is not None:
        return _outlier_in_words(data, found)
    if found.tells_trend:
        return f"{subject_in_words(data, found)} {_trend_in_words(found.change, found)}"
    if found.model == data.best_model and second_in_words(data, found):
        second = [*data.values][1]
        change = trend_change(compare_by_column(data, second, found.name))
        return f"{second} {_trend_in_words(change, found)}"
    if found.differs_as_a_whole:
        return f"The {found.plural} differ, but none can be named"
    return f"No difference between the {found.plural} is shown"


def _outlier_in_words(data: Predictions, found: Column) -> str:
    """Write "new falls to 0.021 in 2026-09", or "new scores 0.3 in IT, less than elsewhere"."""
    if (outlier := found.outlier) is None:
        return ""
    subject, score = subject_in_words(data, found), printed_score(outlier.row)
    is_worse = outlier.row["verdict"] == WORSE
    if found.is_time and outlier.name != str(found.comparison.rankings[0]):
        return f"{subject} {'falls' if is_worse else 'rises'} to {score} in {outlier.name}"
    amount = "less" if is_worse else "more"
    return f"{subject} scores {score} in {outlier.name}, {amount} than elsewhere"


def _trend_in_words(change: Estimate, found: Column) -> str:
    """Write "falls by 0.04 a month"."""
    verb = "rises" if change.value > 0 else "falls"
    return f"{verb} by {printed(change, '+').value[1:]} a {found.unit}"


def _subject(
    data: Predictions, found: Column, numbers: SegmentNumbers, which: str, are_rows: bool
) -> str:
    """Say what is drawn: the score, the sample, and what has no name in the picture."""
    comparison = data.name_units(found.comparison)
    score = title_in_words(comparison.definition.title)
    which_models = f" of 2 of {len(data.values)} models" if len(data.values) > 2 else ""
    parts = [f"{score[0].upper()}{score[1:]}{which_models} by {found.name}"]
    if comparison.prevalence is not None:
        parts.append(f"at prevalence {number(comparison.prevalence)}")
    sample = sample_in_words(comparison)
    texts = [f"{', '.join([*parts, f'with {data.interval_kind}s'])}; {sample}."]
    texts.append(f"Drawn: {which}." if which else "")
    if are_rows and has_fewer_effective(comparison):
        texts.append("In brackets: effective positives.")
    texts.append(_rings_in_words(found, numbers))
    if numbers.trend_line is not None:
        texts.append(f"Sloping line: trend, with its {level_as_text(data.level)} band.")
    if any(level.name.startswith("mean") for level in numbers.levels):
        which_model = f"of {found.model}, " if len(numbers.models) > 1 else ""
        texts.append(f"Mean: {which_model}weighted by positives.")
    return " ".join(filter(None, texts))


def _rings_in_words(found: Column, numbers: SegmentNumbers) -> str:
    """Explain the rings, and their colours if there are two."""
    if not numbers.marked.any():
        return ""
    level = 1 - found.comparison.confidence_level
    red = f"adjusted p < {min(CLEARLY_WORSE, level):.3g}"
    if numbers.alarming[numbers.marked].all():
        return f"Ring: lower than {found.others()}, {red}."
    ring = f"Ring: differs from {found.others()}, adjusted p < {level:.3g}"
    return f"{ring}; red if lower, {red}." if numbers.alarming.any() else f"{ring}."


def _alternative_text(
    found: Column, models: Sequence[ModelScores], described: Sequence[int]
) -> str:
    """Describe the picture: which segments are marked, and then the scores of the models."""
    title = f"Score of {found.model} by {found.name}"
    lines = []
    for place in described:
        row = found.rows[place]
        line = [str(row["segment"]), as_cell(row_score(row))]
        for other in models[1:]:
            limits = (float(each[place]) for each in (other.scores, other.lows, other.highs))
            line.append(f"({other.name} {as_cell(Estimate(*limits))})")
        lines.append(line)
    marked = [str(row["segment"]) for row in found.unlike_rows]
    if marked:
        verb = "differs" if len(marked) == 1 else "differ"
        title = f"{title}, where {some_names(marked)} {verb} from the others"
    return pictured(title, lines)
