"""The segments of one column, such as countries or months, as models rank them."""

import warnings
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Float, Keywords
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import (
    Row,
    count_as_text,
    first_and_more,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.segments.picture import has_fewer_effective
from sklearn_ap._questions.verdicts import (
    BETTER,
    WORSE,
    Verdict,
    names_in_words,
)

MOST_NAMES = 3  # of segments in a sentence
TIMES = "hour", "day", "week", "month", "quarter", "year"  # columns whose steps have a name
LEFT_OUT = "Segments without a score"  # the first words of a warning, which the doubts replace


class Column(NamedTuple):
    """The segments of one column as the best model ranks them."""

    name: str
    comparison: SegmentComparison
    is_time: bool  # whether the last segment is the latest

    @property
    def rows(self) -> list[Row]:
        return self.comparison.rows()

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {verdict.name: verdict for verdict in self.comparison.verdicts}

    @property
    def is_compared(self) -> bool:
        return not np.isnan(self.comparison.differences).all()

    @property
    def n_effective(self) -> Float:
        return np.asarray(self.comparison.n_effective)

    @property
    def has_fewer_effective(self) -> bool:
        """Whether positives count for clearly less, or for less than a comparison needs."""
        n_positives = self.comparison.n_positives
        needed = FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
        is_short = (n_positives >= needed) & (self.n_effective < needed)
        return has_fewer_effective(self.comparison) or bool(np.any(is_short))

    @property
    def lowest(self) -> int:
        """The place of the segment with the lowest score."""
        return int(np.argmin(self.comparison.estimates))

    @property
    def order(self) -> list[int]:
        """The places of segments: the lowest, the latest, and the others by their p-values."""
        pvalues = np.nan_to_num(self.comparison.pvalues, nan=2)
        latest = [pvalues.size - 1] if self.is_time else []
        sorted_places = np.argsort(pvalues, kind="stable").tolist()
        return [*dict.fromkeys([self.lowest, *latest, *sorted_places])]

    @property
    def plural(self) -> str:
        """The word for segments, such as "countries"."""
        return count_as_text(2, self.name)[2:] if self.name.isalpha() else "segments"

    def place(self, segments: object) -> str:
        """Write "month 2026-09", of one segment or several; without a column, their names alone."""
        return f"{segments}" if self.name == "segment" else f"{self.name} {segments}"


def compare_column(data: Predictions, name: str) -> Column:
    """Compare the segments of a column as the best model ranks them."""
    times, unit = data.segments[name].trend_times()
    is_time = times is not None and (unit != "step" or name in TIMES)
    return Column(name, compare_by_column(data, data.best_model, name), is_time)


def compare_by_column(
    data: Predictions, model: str, column: str, level: float | None = None
) -> SegmentComparison:
    """Compare the segments of a column, without the warning that some have no score."""
    options: Keywords = {} if level is None else {"confidence_level": level}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", LEFT_OUT)
        return data.ask(compare_segments, model, segments=column, **options)


def segment_row(comparison: SegmentComparison, segment: object) -> Row:
    """Return the row of a segment."""
    return next(row for row in comparison.rows() if row["segment"] == segment)


def most_different(found: Column) -> Row | None:
    """Find the segment that is worse by most, or the one that is better by most if none is."""
    unlike = [row for row in found.rows if row["verdict"] in (BETTER, WORSE)]
    worse = [row for row in unlike if row["verdict"] == WORSE]
    return max(worse or unlike, key=lambda row: abs(row["difference"]), default=None)


def some_names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return first_and_more(names, MOST_NAMES)
    return names_in_words(names)
