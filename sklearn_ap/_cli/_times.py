"""Columns of times: their units, the latest time, and the days without rows."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import sklearn_ap as ap
from sklearn_ap._cli._gates import Verdict, join_verdicts, judge_segments
from sklearn_ap._cli._labels_and_names import column_and_unit, times_in_unit, title_of_column
from sklearn_ap._cli._predictions import Predictions
from sklearn_ap._cli.arguments import LATEST_NOT_WORSE
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.dates import Dates, are_times, choose_unit, parse_dates, unit_starts
from sklearn_ap._types import Array
from sklearn_ap._writing.text import count_as_text, name_as_text, names_as_text
from sklearn_ap._writing.warning import warn

YEAR_AND_MONTH = 7  # letters of 2026-10
MOST_MISSING = 0.25  # of days, weeks or months, before their lack is no gap


class Gaps(NamedTuple):
    """Starts of a unit of time in which there are no rows, between others."""

    unit: str
    starts: Dates


class SegmentsOfRows(NamedTuple):
    """The segment of each row, dates in a unit, and the days that have rows."""

    title: str  # the column, and its unit if one was named
    values: Array
    note: str  # the unit that was chosen
    days: Dates | None

    @property
    def are_times(self) -> bool:
        """Whether the segments are times."""
        return are_times([*np.unique(self.values)])

    def add_note(self, notes: Iterable[str]) -> list[str]:
        """Put the note of the unit, if one was chosen, before others."""
        return [*filter(None, [self.note]), *notes]


def put_into_units(predictions: Predictions, typed: str) -> SegmentsOfRows:
    """Give the segments of a column. Dates without a unit are in the one that a page chooses."""
    column = predictions.segments[typed]
    title = title_of_column(typed)
    _, unit = column_and_unit(typed)
    values, days, note = column.values, column.days, ""
    is_positive = (predictions.y_true == 1) & (predictions.weights > 0)
    chosen = None if unit else choose_unit(values, f"column {title!r}", is_positive)
    if chosen:
        days = np.unique(chosen.dates.astype("M8[D]"))
        values = times_in_unit(chosen.dates, chosen.unit)
        note = f"Dates of {title} are in {chosen.unit}s ({title}:UNIT takes another)."
    if days is not None:
        _warn_of_gaps(title, days)
    return SegmentsOfRows(title, values, note, days)


def _warn_of_gaps(title: str, days: Dates) -> None:
    """Tell the days, weeks or months without rows between others, if most have some."""
    if gaps := find_gaps(days):
        n_missing = count_as_text(len(gaps.starts), gaps.unit)
        names = names_as_text([*map(str, gaps.starts)])
        warn(f"column {title!r} skips {n_missing} without rows: {names}", UserWarning)


def find_gaps(days: Dates) -> Gaps | None:
    """Find the days without rows, or the weeks or the months, where most have some.

    Of working days alone, weeks are looked at, and of first days of months, months.
    """
    for unit in ("day", "week", "month"):
        starts = np.unique(unit_starts(days, unit))
        base = starts.dtype
        n_days = 7 if unit == "week" else 1
        every = np.arange(starts[0], starts[-1] + 1, n_days, dtype=base)
        missing = np.setdiff1d(every, starts)
        if missing.size <= MOST_MISSING * every.size:
            return Gaps(unit, missing) if missing.size else None
    return None


def check_latest(day: str, segments: SegmentsOfRows) -> Verdict:
    """Say whether the latest time is the one that a user names."""
    latest, due = str(np.unique(segments.values)[-1]), day  # of texts such as 2026-W32
    if segments.days is not None:
        dates = parse_dates([day])
        if dates is None:
            raise InputError(f"--latest must be a day or a month, such as 2026-10-01, got {day!r}")
        unit = "M8[M]" if len(day) == YEAR_AND_MONTH else "M8[D]"
        latest, due = (str(each[-1].astype(unit)) for each in (segments.days, dates))
    if latest == due:
        return Verdict(True, f"The latest rows are of {latest}.")
    return Verdict(False, f"The latest rows are of {latest}, not of {due}.")


def list_new_models(predictions: Predictions) -> list[str]:
    """List all models but the first, or the only one."""
    first, *others = predictions.y_scores
    return others or [first]


def judge_latest(
    predictions: Predictions,
    segments: SegmentsOfRows,
    models: Iterable[str],
    latest: str | None,
    **options: object,
) -> Verdict:
    """Say whether the latest time has rows, and no model is shown to be worse in it."""
    verdicts = [] if latest is None else [check_latest(latest, segments)]
    verdicts += [
        judge_about(LATEST_NOT_WORSE, predictions, segments, name, **options) for name in models
    ]
    return join_verdicts(verdicts)


def judge_about(
    claim: str, predictions: Predictions, segments: SegmentsOfRows, model: str, **options: object
) -> Verdict:
    """Judge a claim about segments for one of several models."""
    if "inclusion_probability" in predictions.options:
        raise InputError("segments and times are not compared with --inclusion-probability")
    if "queries" in predictions.options and "prevalence" not in options:
        options["prevalence"] = "own"
    about = replace(predictions, y_scores={model: predictions.y_scores[model]})
    found = about.ask(ap.compare_segments, segments=segments.values, **options)
    verdict = judge_segments(claim, [found])
    reason = f"{name_as_text(model)} by {segments.title}: {verdict.reason}"
    return Verdict(verdict.shown, reason)
