"""The segments of one column, such as countries or months, as models rank them."""

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Argument, Array, Bool, Float, Keywords, Name
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import (
    Row,
    count_as_text,
    first_and_more,
)
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import row_difference
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.segments.names import Segments
from sklearn_ap._questions.segments.picture import has_fewer_effective
from sklearn_ap._questions.verdicts import (
    BETTER,
    UNDECIDED,
    WORSE,
    Estimate,
    Verdict,
    names_in_words,
    printed,
)

MOST_NAMES = 3  # of segments in a sentence
TIMES = "hour", "day", "week", "month", "quarter", "year"  # columns whose steps have a name
TREND = "trend"  # the name of the verdict on it
DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
QUARTER_OR_WEEK = re.compile(r"\d{4}-?(Q[1-4]|W[0-5]?\d)")
FEWEST_LETTERS = 3  # of the name of a column that is a word, such as "age"
SIBILANTS = "x", "ch", "sh", "ss", "us"  # words with these ends take "es"
LEFT_OUT = "Segments without a score"  # the first words of a warning, which the doubts replace


class Column(NamedTuple):
    """The segments of one column as the best model ranks them.

    A segment that differs by much also moves the mean of the others that each segment is compared
    with, and the trend. So the others are compared again without its rows.
    """

    name: str
    comparison: SegmentComparison
    is_time: bool  # whether the last segment is the latest
    rest: SegmentComparison | None = None  # of the segments but the outlier, if one differs

    @property
    def rows(self) -> list[Row]:
        return self.comparison.rows()

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {verdict.name: verdict for verdict in self.comparison.verdicts}

    @property
    def outlier(self) -> Row | None:
        """The segment that differs by most, of those that are shown to differ."""
        return find_outlier(self.comparison, self.is_time)

    @property
    def rest_verdicts(self) -> dict[str, Verdict]:
        """The verdicts on the segments but the outlier."""
        verdicts = () if self.rest is None else self.rest.verdicts
        return {verdict.name: verdict for verdict in verdicts}

    @property
    def unlike_rows(self) -> list[Row]:
        """The outlier, and the segments that differ from the others without it."""
        rows = [] if self.rest is None else self.rest.rows()
        outlier = [] if self.outlier is None else [self.outlier]
        return [*outlier, *(row for row in rows if row["verdict"] in (BETTER, WORSE))]

    @property
    def marked(self) -> Bool:
        """Which segments differ: the outlier, and those that differ without it."""
        names = [str(row["segment"]) for row in self.unlike_rows]
        return np.isin([*map(str, self.comparison.rankings)], names)

    @property
    def trend(self) -> Verdict | None:
        """The verdict on the trend: beside an outlier, that without it if a trend is shown."""
        if self.outlier is None:
            return _readable_trend(self.comparison, self.verdicts)
        if self.rest is None:
            return None
        trend = _readable_trend(self.rest, self.rest_verdicts)
        return None if trend is None or trend.decision == UNDECIDED else trend

    @property
    def tells_trend(self) -> bool:
        """Whether a trend is shown, and not by the outlier alone."""
        return self.trend is not None and self.trend.decision != UNDECIDED

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
    def noun(self) -> str:
        """The word for a segment, such as "country"; names such as "g" or "col_17" are none."""
        is_word = self.name.isalpha() and len(self.name) >= FEWEST_LETTERS
        return self.name if is_word else "segment"

    @property
    def plural(self) -> str:
        """The word for segments, such as "countries"."""
        if self.noun.endswith(SIBILANTS):
            return f"{self.noun}es"
        return self.noun if self.noun.endswith("s") else count_as_text(2, self.noun)[2:]

    def place(self, segments: object) -> str:
        """Write "month 2026-09", of one segment or several; without a column, their names alone."""
        return f"{segments}" if self.name == "segment" else f"{self.name} {segments}"


def compare_column(data: Predictions, name: str) -> Column:
    """Compare the segments of a column as the best model ranks them."""
    comparison = compare_by_column(data, data.best_model, name)
    is_time = _are_times(data.segments[name], name)
    outlier = find_outlier(comparison, is_time)
    rest = None
    if outlier is not None and len(comparison.rankings) > 2:
        rest = compare_without(data, data.best_model, name, outlier["segment"])
    return Column(name, comparison, is_time, rest)


def _are_times(segments: Segments, name: str) -> bool:
    """Check whether the last segment is the latest, by the names of segments and of the column."""
    times, unit = segments.trend_times()
    if times is None:
        return False
    names = segments.names
    return unit != "step" or name.casefold() in TIMES or _are_sorted_times(names)


def _are_sorted_times(names: Sequence[Name]) -> bool:
    """Check whether names are months, days, quarters or weeks as texts, such as "2026-Q1"."""
    are_texts = all(isinstance(name, str) and QUARTER_OR_WEEK.fullmatch(name) for name in names)
    return (are_texts or dates_of_texts(names) is not None) and [*names] == sorted(names)


def dates_of_texts(names: Sequence[object]) -> Array | None:
    """Read months and days as a table of texts has them, such as "2026-01"; None for others."""
    if not all(isinstance(name, str) and DATE.fullmatch(name) for name in names):
        return None
    try:
        return np.array(names, dtype="datetime64[D]")
    except ValueError:  # no date, such as "2026-99"
        return None


def compare_by_column(
    data: Predictions, model: str, column: str, level: float | None = None
) -> SegmentComparison:
    """Compare the segments of a column, without the warning that some have no score."""
    options: Keywords = {} if level is None else {"confidence_level": level}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", LEFT_OUT)
        return data.ask(compare_segments, model, segments=column, **options)


def compare_without(
    data: Predictions, model: str, column: str, left_out: object
) -> SegmentComparison:
    """Compare the segments of a column but one, at the prevalence of all rows.

    The warnings are those of the comparison of all segments.
    """
    prevalence = compare_by_column(data, model, column).prevalence
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return data.ask(
            _compare_others, model, segments=column, left_out=str(left_out), prevalence=prevalence
        )


def _compare_others(
    y_true: Bool,
    y_score: Float,
    segments: Segments,
    *,
    left_out: str,
    prevalence: float | None,
    confidence_level: float,
    clusters: Array | None = None,
    sample_weight: Float | None = None,
) -> SegmentComparison:
    """Compare segments without the rows of one."""
    is_kept = segments.codes != [*map(str, segments.names)].index(left_out)
    kept_segments: Argument = segments._replace(codes=segments.codes[is_kept])
    return compare_segments(
        y_true[is_kept],
        np.asarray(y_score)[is_kept],
        kept_segments,
        prevalence=prevalence,
        confidence_level=confidence_level,
        clusters=None if clusters is None else clusters[is_kept],
        sample_weight=None if sample_weight is None else sample_weight[is_kept],
    )


def segment_row(comparison: SegmentComparison, segment: object) -> Row:
    """Return the row of a segment."""
    return next(row for row in comparison.rows() if row["segment"] == segment)


def find_outlier(comparison: SegmentComparison, is_time: bool) -> Row | None:
    """Find the segment that differs by most.

    Two segments differ by the same number: the latest is named, or else the one that is worse.
    """
    rows = comparison.rows()
    unlike = [row for row in rows if row["verdict"] in (BETTER, WORSE)]
    if len(rows) == 2 and unlike:
        return rows[-1] if is_time else min(rows, key=lambda row: row["difference"])
    return max(unlike, key=lambda row: abs(row["difference"]), default=None)


def _readable_trend(comparison: SegmentComparison, verdicts: dict[str, Verdict]) -> Verdict | None:
    """Return the verdict on the trend, unless both of its limits would be printed as 0."""
    limits = Estimate(comparison.trend, comparison.trend_low, comparison.trend_high).as_text("+")
    is_zero = not float(limits.low) and not float(limits.high)
    return None if is_zero else verdicts.get(TREND)


def change_in_words(row: Row) -> str:
    """Write the difference of a segment, as "-0.19"."""
    return printed(row_difference(row), "+").value


def plurals_in_words(columns: Iterable[Column]) -> str:
    """Name the segments of columns, such as "countries and months"; each word once."""
    return names_in_words([*dict.fromkeys(column.plural for column in columns)])


def some_names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return first_and_more(names, MOST_NAMES)
    return names_in_words(names)


def prevalence_in_words(data: Predictions) -> str:
    """Name the prevalence at which segments are scored."""
    if "prevalence" in data.options:
        return f"a prevalence of {data.options['prevalence']:g}"
    return "the prevalence of all rows"
