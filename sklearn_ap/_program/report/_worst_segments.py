"""The segment that is worse than the others, such as the latest month."""

from typing import NamedTuple

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.text import Row
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import (
    Column,
    compare_by_column,
    most_different,
    segment_row,
)
from sklearn_ap._program.report._words import row_difference, row_score
from sklearn_ap._questions.verdicts import WORSE, printed


class WorstSegment(NamedTuple):
    """A segment that is worse than the others, and its row: the latest one, or that worse by most.

    Somebody who uses the model now needs the latest month, although another one may be worse.
    """

    column: Column
    row: Row

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
            noun = "one" if self.column.name == "segment" else self.column.name
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
        return printed(row_difference(self.row), "+").value

    def mark_rows(self, data: Predictions) -> Bool:
        """Mark the rows of the segment."""
        segments = data.segments[self.column.name]
        is_inside: Bool = segments.codes == [*map(str, segments.names)].index(self.name)
        return is_inside


def find_worst(column: Column) -> WorstSegment | None:
    """Find the segment that other parts name, if one is worse than the others."""
    most = most_different(column)
    if most is None or most["verdict"] != WORSE:
        return None
    latest = column.rows[-1]
    is_used = column.is_time and latest["verdict"] == WORSE
    return WorstSegment(column, latest if is_used else most)


def row_of_model(data: Predictions, name: str, found: WorstSegment) -> Row:
    """Return the row of the segment as another model ranks it."""
    comparison = compare_by_column(data, name, found.column.name)
    return segment_row(comparison, found.row["segment"])


def printed_score(row: Row) -> str:
    return printed(row_score(row)).value
