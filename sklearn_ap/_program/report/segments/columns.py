"""The segments of one column, such as countries or months, as models rank them."""

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import (
    Row,
    count_as_text,
    first_and_more,
    plural_of,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import number, row_difference
from sklearn_ap._program.report.segments._dates import TIMES, are_times
from sklearn_ap._program.report.segments._outliers import (
    Outlier,
    Step,
    find_outliers,
    merge_comparisons,
)
from sklearn_ap._program.report.segments.comparisons import (
    compare_by_column,
    has_enough_positives,
    omitted_options,
    prevalence_of_queries,
    readable_trend,
    segment_names,
    trend_change,
)
from sklearn_ap._questions.segments.comparison import SegmentComparison
from sklearn_ap._questions.segments.picture import effective_as_text, has_fewer_effective
from sklearn_ap._questions.verdicts import (
    ALL_SEGMENTS,
    BETTER,
    UNDECIDED,
    WORSE,
    Estimate,
    Verdict,
    names_in_words,
    printed,
)

MOST_NAMES = 3  # of segments in a sentence
YEAR = re.compile(r"\d{4}-")
CLEAR_PVALUE = 0.01  # of a segment, adjusted: a choice
FEWEST_COMPARED = 2  # segments of a comparison
FEWEST_LETTERS = 3  # of the name of a column that is a word, such as "age"


class Column(NamedTuple):
    """The segments of one column as a model ranks them, which is the best one by default.

    The numbers of each segment are against those that are no outliers.
    """

    name: str
    model: str
    comparison: SegmentComparison
    is_time: bool  # whether the last segment is the latest
    n_columns: int = 1  # of the report, for which p-values are adjusted
    outliers: tuple[Outlier, ...] = ()
    rest: SegmentComparison | None = None  # of the segments but the outliers
    is_trend: bool = False  # whether these rise or fall over time, so that single ones are not told
    has_weights: bool = False
    step: Step | None = None  # of the times of a fall that are told together
    mean_before: float = np.nan  # a fall with times that are no outliers
    query_noun: str = ""  # of the queries whose scores are averaged; empty if there are none

    @property
    def rows(self) -> list[Row]:
        return self.comparison.rows()

    @property
    def names(self) -> list[str]:
        """The names of the segments, in their order."""
        return segment_names(self.comparison)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {verdict.name: verdict for verdict in self.comparison.verdicts}

    @property
    def outlier(self) -> Outlier | None:
        """The outlier to act on: the latest if it is worse, or else that which differs by most."""
        last = self.names[-1]
        for each in self.outliers:
            if self.is_time and each.name == last and each.row["verdict"] == WORSE:
                return each
        return self.outliers[0] if self.outliers else None

    @property
    def clear_outlier(self) -> Outlier | None:
        """The outlier if it is beyond doubt, as a second model and a leak of labels need.

        Of a fall of several times, it is enough that one of them is.
        """
        found = self.outlier
        if found is None:
            return None
        fall = self.fallen_times if found.name in self.fallen_times else []
        if self.step is not None:
            return found
        pvalues = [
            each.row["adjusted_pvalue"]
            for each in self.outliers
            if each is found or each.name in fall
        ]
        return found if min(pvalues) < CLEAR_PVALUE else None

    @property
    def rest_verdicts(self) -> dict[str, Verdict]:
        """The verdicts on the segments but the outliers."""
        verdicts = () if self.rest is None else self.rest.verdicts
        return {verdict.name: verdict for verdict in verdicts}

    @property
    def unlike_rows(self) -> list[Row]:
        """The outliers, and other segments that differ, unless these have a trend.

        Of two segments, the other one differs by the same number.
        """
        outliers = [each.row for each in self.outliers]
        names = {each.name for each in self.outliers}
        has_others = self.rest is not None and not self.is_trend
        others = self.rows if has_others else []
        return [
            *outliers,
            *(
                row
                for row in others
                if row["verdict"] in (BETTER, WORSE) and str(row["segment"]) not in names
            ),
        ]

    @property
    def fallen_times(self) -> list[str]:
        """The worse segments that the latest one ends, in order; none if that is not worse."""
        if not self.is_time:
            return []
        worse = {str(row["segment"]) for row in self.unlike_rows if row["verdict"] == WORSE}
        return [*takewhile(worse.__contains__, reversed(self.names))][::-1]

    @property
    def start_of_fall(self) -> str:
        """The first of these segments; empty if there is none."""
        return next(iter(self.fallen_times), "")

    @property
    def ends_in_fall(self) -> bool:
        """Whether the latest segment is beyond doubt worse than the others."""
        found = self.clear_outlier
        return found is not None and bool(self.fallen_times) and found.name == self.names[-1]

    @property
    def mean_of_others(self) -> str:
        """The mean score of the segments that are no outliers; empty without outliers."""
        mean = self.mean_before
        if np.isnan(mean) and self.rest is not None:
            mean = self.rest.overall
        return "" if np.isnan(mean) else number(mean)

    @property
    def marked(self) -> Bool:
        """Which segments differ: the outliers, and those that differ without them."""
        names = [str(row["segment"]) for row in self.unlike_rows]
        return np.isin(self.names, names)

    @property
    def trend(self) -> Verdict | None:
        """The verdict on the trend: beside outliers, that without them.

        It is left out beside a worse one if no trend is shown, as it would read as if nothing had
        changed.
        """
        if not self.outliers:
            return readable_trend(self.comparison)
        if self.rest is None:
            return None
        trend = readable_trend(self.rest)
        are_better = all(each.row["verdict"] == BETTER for each in self.outliers)
        return trend if are_better or (trend and trend.decision != UNDECIDED) else None

    @property
    def tells_trend(self) -> bool:
        """Whether a trend is shown, and not by outliers alone."""
        return self.trend is not None and self.trend.decision != UNDECIDED

    @property
    def differs_as_a_whole(self) -> bool:
        """Whether it is shown that the segments differ, even if no single one can be named."""
        whole = self.verdicts.get(ALL_SEGMENTS)
        return whole is not None and whole.decision != UNDECIDED

    @property
    def tells_change(self) -> bool:
        """Whether a segment differs, or all of them, or a trend is told."""
        return bool(self.outliers) or self.tells_trend or self.differs_as_a_whole

    @property
    def leads_trend(self) -> bool:
        """Whether the trend over all segments explains how they differ, and is told first."""
        return self.is_trend and not self.outliers

    @property
    def change(self) -> Estimate:
        """The trend over all segments."""
        return trend_change(self.comparison)

    @property
    def unit(self) -> str:
        """The time of the trend, such as "month"; a step of times is one of them."""
        is_step = self.comparison.trend_unit == "step" and self.name.casefold() in TIMES
        return self.name if is_step else self.comparison.trend_unit

    @property
    def latest_is_short(self) -> bool:
        """Whether the latest segment has too few positives to judge, unless it clearly differs."""
        return bool(
            self.is_time
            and self.is_compared
            and not has_enough_positives(self.comparison)[-1]
            and not self.marked[-1]
        )

    @property
    def is_compared(self) -> bool:
        return not np.isnan(self.comparison.differences).all()

    @property
    def n_effective(self) -> Float:
        return np.asarray(self.comparison.n_effective)

    @property
    def counted(self) -> str:
        """What scores rest on: "positives", or "topics with positives"."""
        return f"{plural_of(self.query_noun)} with positives" if self.query_noun else "positives"

    @property
    def counts(self) -> Float:
        """The number of positives, or of queries with positives, of each segment."""
        return self.n_effective if self.query_noun else np.asarray(self.comparison.n_positives)

    @property
    def has_fewer_effective(self) -> bool:
        """Whether weights let positives count for clearly less, or they are too few for it."""
        if self.query_noun:
            return False
        n_positives = self.comparison.n_positives
        needed = FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
        is_short = (n_positives >= needed) & (self.n_effective < needed)
        are_weighed = self.has_weights and has_fewer_effective(self.comparison)
        return are_weighed or bool(np.any(is_short))

    @property
    def has_few_negatives(self) -> bool:
        """Whether no segment can be compared, as those of enough positives lack negatives."""
        has_positives = np.max(self.comparison.n_positives) >= FEW_POSITIVES
        has_any = bool(np.any(has_enough_positives(self.comparison)))
        return bool(has_positives) and not (has_any or self.has_weights or self.query_noun)

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
        return plural_of(self.noun)

    @property
    def others(self) -> str:
        """The words for the segments beside those that are named."""
        return f"the other {self.plural}"

    @property
    def all_others(self) -> str:
        """The words for the segments that are no outliers, where not all of these are named."""
        names = [each.name for each in self.outliers]
        return self.others if len(names) < 2 else f"all {self.plural} but {names_in_words(names)}"

    def mark_rows(self, data: Predictions, *names: str) -> Bool:
        """Mark the rows of one or several segments."""
        segments = data.segments[self.name]
        places = [*map(str, segments.names)]
        is_inside: Bool = np.isin(segments.codes, [places.index(name) for name in names])
        return is_inside

    def place(self, segments: object) -> str:
        """Write "country IT", of one segment or several; names of times say what they are."""
        is_clear = self.name == "segment" or (self.is_time and YEAR.match(str(segments)))
        return f"{segments}" if is_clear else f"{self.name} {segments}"


def compare_column(data: Predictions, name: str, model: str = "") -> Column:
    """Compare the segments of a column as a model ranks them, which is the best one by default."""
    model = model or data.best_model
    comparison = compare_by_column(data, model, name)
    is_time = are_times(data.segments[name], name)
    outliers = find_outliers(data, model, name, is_time)
    rest = outliers.rest if outliers.found else None
    merged = merge_comparisons(comparison, outliers)
    column = Column(
        name,
        model,
        merged,
        is_time,
        len(data.segments),
        outliers.found,
        rest,
        outliers.is_trend,
        "sample_weight" in data.options,
        step=outliers.step,
        query_noun=data.query_noun if "queries" in data.options else "",
    )
    return column._replace(mean_before=_mean_before(data, column))


def _mean_before(data: Predictions, column: Column) -> float:
    """Return the mean score before a fall some of whose times are no outliers; nan otherwise."""
    outliers = [each.name for each in column.outliers]
    others = [name for name in column.fallen_times if name not in outliers]
    left_out = (*outliers, *others)
    if not others or len(column.names) - len(left_out) < FEWEST_COMPARED:
        return np.nan
    return compare_by_column(data, column.model, column.name, left_out).overall


def change_in_words(row: Row) -> str:
    """Write the difference of a segment, as "-0.19"."""
    return printed(row_difference(row), "+").value


def few_positives(column: Column) -> str:
    """Write "has only 5 positives", of the latest segment."""
    if column.query_noun:
        n_queries = count_as_text(int(column.counts[-1]), column.query_noun)
        return f"has only {n_queries} with positives"
    n_positives = column.comparison.n_positives[-1]
    if n_positives >= FEW_POSITIVES:
        return f"has only {effective_as_text(column.n_effective[-1])} effective positives"
    return f"has only {count_as_text(int(n_positives), 'positive')}"


def plurals_in_words(columns: Iterable[Column]) -> str:
    """Name the segments of columns, such as "countries and months"; each word once."""
    return names_in_words([*dict.fromkeys(column.plural for column in columns)])


def some_names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return first_and_more(names, MOST_NAMES)
    return names_in_words(names)


def prevalence_in_words(data: Predictions, column: str) -> str:
    """Name the prevalence at which the segments of a column are scored; empty for own ones."""
    if "queries" in data.options and prevalence_of_queries(data, omitted_options(data, column)):
        return ""
    if "prevalence" in data.options and not omitted_options(data, column):
        return f"a prevalence of {data.options['prevalence']:g}"
    return "the prevalence of all rows"


def random_score(data: Predictions, column: Column) -> float:
    """Return what random orders score in a segment, or of queries in all of them."""
    if column.query_noun:
        return data.chance_level(column.model).score
    return column.comparison.prevalence or 0.0
