"""The segments that are worse than the others, such as the latest month."""

from typing import NamedTuple

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._outliers import (
    MOST_OUTLIERS,
    compare_by_column,
    segment_row,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import Column, change_in_words
from sklearn_ap._program.report._words import row_score
from sklearn_ap._questions.verdicts import WORSE, printed


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
    def place(self) -> str:
        """Write "2026-09, the latest month", or "country IT"."""
        if self.is_latest:
            noun = "one" if self.column.noun == "segment" else self.column.noun
            return f"{self.name}, the latest {noun}"
        return self.short_place

    @property
    def short_place(self) -> str:
        """Write "month 2026-09"."""
        return self.column.place(self.name)

    @property
    def score(self) -> str:
        return printed_score(self.row)

    @property
    def fall(self) -> str:
        """Write "falls to 0.1 in 2026-09, the latest month", or since when it is so low."""
        return self.column.fall(self.score, self.name, self.place, self.column.mean_of_others)

    @property
    def change(self) -> str:
        return change_in_words(self.row)

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows of the segment."""
        return self.column.mark_rows(data, self.name)


def find_worst(column: Column) -> list[WorstSegment]:
    """Find the segments that other parts name, if some are worse than the others.

    Somebody who uses the model now needs the latest month, although another one may be worse. So
    it is the first, and then the one that was found first.
    """
    before = {each.name: each.left_out for each in column.outliers}
    all_outliers = tuple(before)
    worse = [
        WorstSegment(column, row, before.get(str(row["segment"]), all_outliers))
        for row in column.unlike_rows
        if row["verdict"] == WORSE
    ]
    worse.sort(key=lambda each: not each.is_latest)
    return worse[:MOST_OUTLIERS]


def row_of_model(data: Predictions, name: str, found: WorstSegment) -> Row:
    """Return the row of the segment as another model ranks it."""
    comparison = compare_by_column(data, name, found.column.name, found.left_out)
    return segment_row(comparison, found.row["segment"])


def printed_score(row: Row) -> str:
    return printed(row_score(row)).value
