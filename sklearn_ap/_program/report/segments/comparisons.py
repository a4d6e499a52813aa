"""Comparisons of the segments of a column, by all rows or without some segments."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Argument, Bool, Keywords
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.verdicts import UNDECIDED, Estimate, Verdict

TREND = "trend"  # the name of the verdict on it
LEFT_OUT = "Segments without a score"  # the first words of a warning, which the doubts replace
# The numbers of a segment that depend on the others.
AGAINST_OTHERS = {
    "differences": "difference",
    "difference_lows": "difference_low",
    "difference_highs": "difference_high",
    "pvalues": "pvalue",
    "adjusted_pvalues": "adjusted_pvalue",
}


def compare_by_column(
    data: Predictions,
    model: str,
    column: str,
    left_out: tuple[str, ...] = (),
    level: float | None = None,
) -> SegmentComparison:
    """Compare the segments of a column, with p-values that are adjusted for all columns.

    Those that are left out have no part in it, but the prevalence is that of all rows. The warning
    that some have no score is left out, too.
    """
    options: Keywords = {} if level is None else {"confidence_level": level}
    omitted = omitted_options(data, column)
    options |= prevalence_of_queries(data, omitted)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", LEFT_OUT)
        comparison = data.ask(compare_segments, model, segments=column, omitted=omitted, **options)
    if left_out:
        segments = data.segments[column]
        codes = [code for code, name in enumerate(segments.names) if str(name) in left_out]
        kept = ~np.isin(segments.codes, codes)
        key = compare_kept_rows, model, column, left_out, level
        compare = partial(compare_kept_rows, data, model, column, kept, level)
        comparison = data.compute_once(key, compare)
    return _adjust(comparison, len(data.segments))


def omitted_options(data: Predictions, column: str) -> tuple[str, ...]:
    """Leave out a prevalence if negatives are too few for it to compare as many segments."""
    if "prevalence" not in data.options:
        return ()
    counts = []
    for omitted in ((), ("prevalence",)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            options = prevalence_of_queries(data, omitted)
            comparison = data.ask(
                compare_segments, data.best_model, segments=column, omitted=omitted, **options
            )
        counts.append(int(np.count_nonzero(has_enough_positives(comparison))))
    return ("prevalence",) if counts[0] < counts[1] else ()


def prevalence_of_queries(data: Predictions, omitted: Sequence[str]) -> Keywords:
    """Leave each query at its own prevalence, unless the user passed another one."""
    has_other = "prevalence" in data.options and "prevalence" not in omitted
    return {"prevalence": None} if "queries" in data.options and not has_other else {}


def compare_kept_rows(
    data: Predictions, model: str, column: str, kept: Bool, level: float | None = None
) -> SegmentComparison:
    """Compare the segments of a column by some rows alone, at the prevalence of all rows."""
    everything = compare_by_column(data, model, column)
    segments = data.segments[column]
    kept_segments: Argument = segments._replace(codes=segments.codes[kept])
    with warnings.catch_warnings():  # the warnings are those of all rows
        warnings.simplefilter("ignore", UserWarning)
        return compare_segments(
            data.y_true[kept],
            np.asarray(data.y_scores[model])[kept],
            kept_segments,
            prevalence=everything.prevalence,
            confidence_level=data.level if level is None else level,
            **data.options_of_rows(kept),
        )


def _adjust(comparison: SegmentComparison, n_columns: int) -> SegmentComparison:
    """Multiply p-values by the number of columns, or leave out all comparisons.

    Where a single segment has enough positives, it would be the reference of all others.
    """
    if count_references(comparison) < min(2, len(comparison.rankings) - 1):
        missing = np.full(len(comparison.rankings), np.nan)
        numbers: Keywords = dict.fromkeys(AGAINST_OTHERS, missing)
        return replace(comparison, **numbers, homogeneity_pvalue=np.nan)
    pvalue = float(np.minimum(1, n_columns * comparison.homogeneity_pvalue))
    adjusted = np.minimum(1, n_columns * comparison.adjusted_pvalues)
    return replace(comparison, adjusted_pvalues=adjusted, homogeneity_pvalue=pvalue)


def count_references(comparison: SegmentComparison) -> int:
    """Count the segments whose positives are enough for a comparison with others."""
    return int(np.count_nonzero(has_enough_positives(comparison)))


def has_enough_positives(comparison: SegmentComparison) -> Bool:
    n_effective = np.asarray(comparison.n_effective)
    is_enough: Bool = n_effective >= FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
    return is_enough


def segment_names(comparison: SegmentComparison) -> list[str]:
    return [*map(str, comparison.rankings)]


def segment_row(comparison: SegmentComparison, segment: object) -> Row:
    """Return the row of a segment."""
    return next(row for row in comparison.rows() if str(row["segment"]) == str(segment))


def decision_on_trend(comparison: SegmentComparison) -> str:
    trend = readable_trend(comparison)
    return UNDECIDED if trend is None else trend.decision


def trend_change(comparison: SegmentComparison) -> Estimate:
    """Return the change of the score in a step of time."""
    return Estimate(comparison.trend, comparison.trend_low, comparison.trend_high)


def readable_trend(comparison: SegmentComparison) -> Verdict | None:
    """Return the verdict on the trend, unless both of its limits would be printed as 0."""
    limits = trend_change(comparison).as_text("+")
    is_zero = not float(limits.low) and not float(limits.high)
    verdicts = {verdict.name: verdict for verdict in comparison.verdicts}
    return None if is_zero else verdicts.get(TREND)
