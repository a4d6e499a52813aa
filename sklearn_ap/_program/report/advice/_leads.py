"""What a single segment contributes to the lead of the best model over the next one."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import compare_pair, compare_rows
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.page.words import as_printed, number, row_difference, row_score
from sklearn_ap._program.report.segments.columns import Column, compare_column
from sklearn_ap._program.report.segments.comparisons import omitted_options, segment_row
from sklearn_ap._program.report.segments.crowds import find_crowd
from sklearn_ap._questions.verdicts import BETTER, Estimate, names_in_words, printed


class OddSegment(NamedTuple):
    """A segment in which one of the two best models scores more or less than in the others.

    With it, the later times of a fall that has not ended are left out, or the other segments that
    fill the top of its ranking.
    """

    column: Column  # of the model that changes there
    name: str
    score: str = ""
    crowd: tuple[str, ...] = ()  # all segments that fill the top

    @property
    def clause(self) -> str:
        """Write "Without 2026-06, where new scores 0.97,", or since when a model has fallen."""
        model = self.column.model
        if self.column.ends_in_fall:
            return f"Before {self.name}, when {model} falls to {self.score},"
        if self.crowd:
            return f"Without {self._names}, whose rows fill the top of {model},"
        return f"Without {self._names}, where {model} scores {self.score},"

    @property
    def _names(self) -> str:
        return names_in_words([*(self.crowd or [self.name])])

    @property
    def elsewhere(self) -> str:
        """Write "outside region South", or "without 2026-11 and 2026-12"."""
        if self.crowd and (self.column.is_time or self.crowd[1:]):
            return f"without {self._names}"
        return f"outside {self.column.place(self.name)}"

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows that are left out."""
        names: Sequence[str] = self.crowd or [self.name]
        if self.column.ends_in_fall:
            names = self.column.fallen_times
        return self.column.mark_rows(data, *names)


class Lead(NamedTuple):
    """What the lead of the best model is without a segment, in words.

    If it is that of the next model, ``where`` says so, as "outside region South", and ``change``
    is the difference.
    """

    text: str
    where: str = ""
    change: str = ""
    advice: str = ""


def find_odd_segment(data: Predictions, column: Column) -> OddSegment | None:
    """Find a segment that makes the best model look better, or that changes another one."""
    if not column.is_compared or column.leads_trend:
        return None
    outlier = column.outlier
    if outlier is None or outlier.row["verdict"] != BETTER:
        alike = {each.name for each in column.outliers}
        others = (compare_column(data, column.name, name) for name in data.shown_models[1:])
        return next(filter(None, (_odd_of_other(data, each, alike) for each in others)), None)
    return _describe(data, column, outlier.name)


def _odd_of_other(data: Predictions, column: Column, alike: Collection[str]) -> OddSegment | None:
    """Find the segment in which another model than the best one differs, and the best does not."""
    outlier = column.clear_outlier
    if outlier is None:
        return _odd_crowd(data, column)
    return None if outlier.name in alike else _describe(data, column, outlier.name)


def _describe(data: Predictions, column: Column, outlier: str) -> OddSegment:
    name = column.start_of_fall if column.ends_in_fall else outlier
    row = segment_row(column.comparison, name)
    score = as_printed(row_score(row)).value
    if omitted_options(data, column.name):
        score = f"{score} at prevalence {number(data.own_prevalence)}"
    return OddSegment(column, name, score)


def _odd_crowd(data: Predictions, column: Column) -> OddSegment | None:
    """Find the segments that fill the top of the next model's ranking."""
    found = find_crowd(data, column, column.model)
    if found is None or omitted_options(data, column.name):
        return None
    return OddSegment(column, found.names[0], crowd=found.names)


def lead_without(data: Predictions, odd: OddSegment) -> Lead | None:
    """Say what the lead is without a segment, if that is another claim; None otherwise.

    It is another one if only one of both is shown, or if it is outside of the interval of all rows.
    """
    best = data.best_model
    second = odd.column.model if odd.column.model != best else data.shown_models[1]
    with warned_texts():  # the part has those of the comparison of all models
        overall = compare_pair(data, best, second)
        kept = ~odd.mark_rows(data)
        prevalence = data.options.get("prevalence")
        lead = row_difference(compare_rows(data, best, second, kept, prevalence, data.level))
    is_shown = lead.low > 0 or lead.high < 0
    is_same_claim = is_shown == (overall.low > 0 or overall.high < 0)
    if is_same_claim and overall.low <= lead.value <= overall.high:
        return None
    without = odd.clause
    if not is_shown:
        _, low, high = printed(lead, "+")
        pair = f"{best} minus {second}"
        fits = f"{pair} may be anything from {low} to {high}"
        return Lead(f"{without} no difference is shown: {fits}.")
    more = "more" if lead.value > 0 else "less"
    size = Estimate(abs(lead.value), *sorted(map(abs, (lead.low, lead.high))))
    words = size.brief(data.interval_kind, "+").replace("+", "")
    value, _, limits = words.partition(" ")
    text = f"{without} {best} scores {value} {more} than {second} {limits}."
    if lead.high < 0 <= overall.high and not odd.column.ends_in_fall:
        change = lead.brief(data.interval_kind, "+")
        if odd.column.is_time:
            where = odd.elsewhere if odd.crowd else f"in {odd.column.others}"
            return Lead(text, where, change)
        return Lead(text, odd.elsewhere, change, f"Use {second} {odd.elsewhere}.")
    return Lead(text)
