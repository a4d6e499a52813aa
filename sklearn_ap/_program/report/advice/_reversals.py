"""Whether another model is better than the best one in a segment, such as the latest month."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.checks import FAR_BELOW_CHANCE
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import (
    compare_rows,
)
from sklearn_ap._program.report.page.page import LACKS_A_CLASS
from sklearn_ap._program.report.page.pictures import (
    warned_texts,
)
from sklearn_ap._program.report.page.words import number, row_difference
from sklearn_ap._program.report.segments.columns import (
    CLEAR_PVALUE,
    Column,
    compare_column,
    random_score,
)
from sklearn_ap._program.report.segments.comparisons import (
    compare_by_column,
    has_enough_positives,
    omitted_options,
    segment_row,
)
from sklearn_ap._program.report.segments.worst import WorstSegment, printed_score, row_of_model
from sklearn_ap._questions.verdicts import (
    WORSE,
    Estimate,
)
from sklearn_ap._uncertainty.warnings import PERFECT, split_name

MOST_TESTED = 5  # segments of a column, those where another model has the largest lead: a choice


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


def find_lost_places(
    data: Predictions, columns: Sequence[Column], known: Sequence[WorstSegment]
) -> list[Reversal]:
    """Find another model that is clearly better in a segment, such as a country.

    The best model need not be worse there than elsewhere. Times are not asked, as they are over.
    """
    names = {(each.column.name, each.name) for each in known}
    places = [
        WorstSegment(column, segment_row(column.comparison, name), is_worse=False)
        for column in columns
        if column.is_compared and not column.is_time
        for name in _names_by_loss(data, column)
        if (column.name, name) not in names
    ]
    level = 1 - CLEAR_PVALUE
    tested = [found for each in places if (found := _find_reversal(data, each, level))]
    return [found for found in tested if found.is_shown]


def _names_by_loss(data: Predictions, column: Column) -> list[str]:
    """Name the segments in which another model scores most more than the best one."""
    best = column.comparison
    loss = np.zeros(len(column.rows))
    for name in data.shown_models[1:]:
        other = compare_by_column(data, name, column.name)
        loss = np.fmax(loss, other.estimates - best.estimates)
    loss = loss * np.sqrt(column.n_effective) * has_enough_positives(best)
    order = np.argsort(-loss, kind="stable")[:MOST_TESTED]
    return [column.names[place] for place in order if loss[place] > 0]


def _find_reversal(
    data: Predictions, found: WorstSegment, gate: float | None = None
) -> Reversal | None:
    """Test the best model against the other ones in a segment that was found among many.

    The level is Bonferroni's for the segments of the column and for the other models, as any of
    them could be this one. ``gate`` is a higher one that must show it, too.
    """
    _, *others = data.shown_models
    if not others:
        return None
    tests: dict[str, tuple[Row, list[str]]] = {}
    for name in others:
        with warned_texts() as texts:
            row = compare_inside(data, found, name, whole=True)
            is_through = gate is None or _is_worse_at(data, found, name, row, gate)
        if is_through:
            tests[name] = row, texts
    chance = random_score(data, found.column)
    better = {
        name: row
        for name, (row, _) in tests.items()
        if row["verdict"] == WORSE and row_of_model(data, name, found)["low"] > chance
    }
    other = min(better, key=lambda name: better[name]["difference"], default=None)
    other = other or (_find_stable_model(data, found) if gate is None else None)
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
        kind=kind_of_interval(data, found),
        warnings=[text for text in texts if not _is_of_segment(text)],
        scores=_scores_of_both(data, found, other, row),
        is_shown=row["verdict"] == WORSE,
        prevalence=_own_prevalence(data, found),
    )


def _is_of_segment(text: str) -> bool:
    """Check whether a warning of a segment would be read as one of all rows."""
    is_perfect = split_name(text)[0] == PERFECT.name
    return is_perfect or text.startswith(LACKS_A_CLASS) or FAR_BELOW_CHANCE in text


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
            row = compare_inside(data, found, best, whole=True)
        return _make_reversal(data, found, best, row, texts)
    return None


def latest_reversal(reversals: Sequence[Reversal]) -> Reversal | None:
    """Return the one in the latest segment, which says what to use now; None if there is none."""
    return next((each for each in reversals if each.found.is_latest), None)


def _own_prevalence(data: Predictions, found: WorstSegment) -> str:
    """Print the prevalence of the scores of a segment if it is not that of the other parts."""
    is_other = bool(omitted_options(data, found.column.name))
    return number(data.own_prevalence) if is_other else ""


def kind_of_interval(data: Predictions, found: WorstSegment) -> str:
    """Write "adjusted 95% interval", of the difference of two models in a segment."""
    is_adjusted = count_tests(data, found) > 1
    return f"adjusted {data.interval_kind}" if is_adjusted else data.interval_kind


def count_tests(data: Predictions, found: WorstSegment) -> int:
    """Count the segments and the other models among which a reversal is found.

    A segment that is not worse was found among those of all columns.
    """
    n_columns = 1 if found.is_worse or found.column.is_time else found.column.n_columns
    return len(found.column.rows) * (len(data.shown_models) - 1) * n_columns


def _scores_of_both(
    data: Predictions, found: WorstSegment, other: str, row: Row
) -> tuple[str, str]:
    """Print what both models score in a segment, or in all times of a fall."""
    if not found.times_of_fall:
        return found.score, printed_score(row_of_model(data, other, found))
    return number(row["estimate"]), number(row["estimate"] - row["difference"])


def _is_worse_at(
    data: Predictions, found: WorstSegment, other: str, row: Row, level: float
) -> bool:
    """Check whether the model of a segment is worse there at another level, too."""
    if row["verdict"] != WORSE:
        return False
    return bool(compare_inside(data, found, other, level=level)["verdict"] == WORSE)


def compare_inside(
    data: Predictions,
    found: WorstSegment,
    other: str,
    whole: bool = False,
    level: float | None = None,
) -> Row:
    """Compare the model of a segment with another one there, at Bonferroni's level.

    Or over the whole of a fall, as single times have few positives.
    """
    rows = found.mark_fall(data) if whole else found.mark_rows(data)
    level = 1 - (1 - (level or data.level)) / count_tests(data, found)
    prevalence = found.column.comparison.prevalence
    return compare_rows(data, found.column.model, other, rows, prevalence, level)


def _find_stable_model(data: Predictions, found: WorstSegment) -> str | None:
    """Find the model that scores most in the latest segment, if it has not fallen there."""
    chance = random_score(data, found.column)
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


def ordered_segments(segments: Sequence[WorstSegment]) -> list[WorstSegment]:
    """Return each segment once, by their columns, and times in their order."""
    columns = [*dict.fromkeys(found.column.name for found in segments)]

    def place(found: WorstSegment) -> tuple[int, int]:
        return columns.index(found.column.name), found.column.names.index(found.name)

    placed = {place(found): found for found in segments}
    return [placed[each] for each in sorted(placed)]


def difference_elsewhere(
    data: Predictions, segments: Sequence[WorstSegment], other: str
) -> dict[str, Estimate]:
    """Compare the best model with another one outside of the segments of a single column."""
    column = segments[0].column
    if any(found.column.name != column.name for found in segments):
        return {}
    kept = ~np.any([found.mark_fall(data) for found in segments], axis=0)
    if not np.any(kept & data.y_true & (data.weight > 0)):
        return {}
    prevalence = column.comparison.prevalence
    row = compare_rows(data, data.best_model, other, kept, prevalence, data.level)
    return {f"other {column.plural}": row_difference(row)}
