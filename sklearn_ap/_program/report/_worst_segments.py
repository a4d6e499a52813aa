"""The segment that is worse than the others, such as the latest month."""

from typing import NamedTuple

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import (
    Column,
    change_in_words,
    compare_by_column,
    compare_without,
    segment_row,
)
from sklearn_ap._program.report._words import row_score
from sklearn_ap._questions.verdicts import WORSE, printed


class WorstSegment(NamedTuple):
    """A segment that is worse than the others, and its row: the latest one, or that worse by most.

    Somebody who uses the model now needs the latest month, although another one may be worse.
    """

    column: Column
    row: Row
    left_out: str = ""  # the outlier, if this segment is worse than the others without it
    is_worse: bool = True  # not if its share of positives alone differs

    @property
    def name(self) -> str:
        return str(self.row["segment"])

    @property
    def is_latest(self) -> bool:
        return self.column.is_time and self.name == str(self.column.rows[-1]["segment"])

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
    def change(self) -> str:
        return change_in_words(self.row)

    @property
    def others(self) -> str:
        """Write "the other months", and which of them is left out of their mean."""
        without = f" but {self.left_out}" if self.left_out else ""
        return f"the other {self.column.plural}{without}"

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows of the segment."""
        segments = data.segments[self.column.name]
        is_inside: Bool = segments.codes == [*map(str, segments.names)].index(self.name)
        return is_inside


def find_worst(column: Column) -> WorstSegment | None:
    """Find the segment that other parts name, if one is worse than the others.

    Where the outlier is better, others are worse only if they are so without it.
    """
    outlier = column.outlier
    if outlier is None:
        return None
    is_fall = outlier["verdict"] == WORSE
    latest = column.rows[-1]
    if is_fall and column.is_time and latest["verdict"] == WORSE:
        return WorstSegment(column, latest)
    left_out = str(outlier["segment"])
    worse = [
        row
        for row in column.unlike_rows
        if row["verdict"] == WORSE and str(row["segment"]) != left_out
    ]
    worse_latest = [row for row in worse if row["segment"] == latest["segment"]]
    if column.is_time and worse_latest:
        return WorstSegment(column, worse_latest[0], left_out)
    if is_fall:
        return WorstSegment(column, outlier)
    most = min(worse, key=lambda row: row["difference"], default=None)
    return None if most is None else WorstSegment(column, most, left_out)


def row_of_model(data: Predictions, name: str, found: WorstSegment) -> Row:
    """Return the row of the segment as another model ranks it."""
    column = found.column.name
    if found.left_out:
        comparison = compare_without(data, name, column, found.left_out)
    else:
        comparison = compare_by_column(data, name, column)
    return segment_row(comparison, found.row["segment"])


def printed_score(row: Row) -> str:
    return printed(row_score(row)).value
