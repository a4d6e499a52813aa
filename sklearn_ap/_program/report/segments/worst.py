"""The segments that are worse than the others, such as the latest month."""

from __future__ import annotations

from typing import NamedTuple

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import as_printed, row_score
from sklearn_ap._program.report.segments._falls import fall_in_words, first_fall
from sklearn_ap._program.report.segments._outliers import MOST_OUTLIERS
from sklearn_ap._program.report.segments.columns import Column, change_in_words
from sklearn_ap._program.report.segments.comparisons import compare_by_column, segment_row
from sklearn_ap._questions.verdicts import WORSE


class WorstSegment(NamedTuple):
    """A segment that is worse than the others, and its row."""

    column: Column
    row: Row
    left_out: tuple[str, ...] = ()  # outliers that are not among the others
    is_worse: bool = True  # not if its share of positives alone differs, or it is on a trend

    @property
    def name(self) -> str:
        return str(self.row["segment"])

    @property
    def is_latest(self) -> bool:
        return self.column.is_time and self.name == self.column.names[-1]

    @property
    def is_in_fall(self) -> bool:
        """Whether it is one of several worse times that the latest one ends."""
        fallen = self.column.fallen_times
        return len(fallen) > 1 and self.name in fallen

    @property
    def times_of_fall(self) -> list[str]:
        """The times of a fall that this one, the latest, ends; none if it is a single one."""
        return self.column.fallen_times if self.is_in_fall and self.is_latest else []

    def mark_fall(self, data: Predictions) -> Bool:
        """Mark the rows of all times of a fall, or those of the segment."""
        names = self.times_of_fall or [self.name]
        return self.column.mark_rows(data, *names)

    @property
    def place(self) -> str:
        """Write "2026-09, the latest month", or "country IT"."""
        if self.is_latest:
            noun = "one" if self.column.noun == "segment" else self.column.noun
            return f"{self.name}, the latest {noun}"
        return self.short_place

    @property
    def short_place(self) -> str:
        """Write "country IT", or "2026-09"."""
        return self.column.place(self.name)

    @property
    def named_place(self) -> str:
        """Write "country IT", or "month 2026-09", with the column."""
        return f"{self.column.name} {self.name}"

    @property
    def score(self) -> str:
        return printed_score(self.row)

    @property
    def fall(self) -> str:
        """Write "falls to 0.1 in 2026-09, the latest month", or since when it is so low."""
        return fall_in_words(
            self.column, self.score, self.name, self.place, self.column.mean_of_others
        )

    @property
    def start(self) -> str:
        """Write "falls from 0.6 to 0.1 in 2026-08", the first of several worse times, if so."""
        if self.is_in_fall and not self.column.leads_trend:
            return first_fall(self.column, self.column.mean_of_others)
        return self.fall

    @property
    def whole_fall(self) -> list[WorstSegment]:
        """All segments of a fall that has not ended, in their order."""
        outliers = [each.name for each in self.column.outliers]
        return [
            WorstSegment(
                self.column,
                segment_row(self.column.comparison, name),
                tuple(each for each in outliers if each != name),
            )
            for name in self.column.fallen_times
        ]

    @property
    def change(self) -> str:
        return change_in_words(self.row)

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows of the segment."""
        return self.column.mark_rows(data, self.name)


def find_worst(column: Column) -> list[WorstSegment]:
    """Find the segments that other parts name, if some are worse than the others.

    Somebody who uses the model now needs the latest month, although another one may be worse. So
    it is the first, and then the one that was found first. Of the others, one that scores more than
    the mean of all is worse than some of them only.
    """
    before = {each.name: each.left_out for each in column.outliers}
    all_outliers = tuple(before)
    first = all_outliers[:1]
    worse = [
        WorstSegment(column, row, before.get(str(row["segment"]), all_outliers))
        for row in column.unlike_rows
        if row["verdict"] == WORSE
        and (str(row["segment"]) in first or row["estimate"] < column.comparison.overall)
    ]
    worse.sort(key=lambda each: not each.is_latest)
    return worse[:MOST_OUTLIERS]


def row_of_model(data: Predictions, name: str, found: WorstSegment) -> Row:
    """Return the row of the segment as another model ranks it."""
    comparison = compare_by_column(data, name, found.column.name, found.left_out)
    return segment_row(comparison, found.row["segment"])


def printed_score(row: Row) -> str:
    return as_printed(row_score(row)).value
