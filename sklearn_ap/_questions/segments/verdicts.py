"""What a comparison shows of each segment, of all segments together, and of their trend."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.common.types import AnyResult
from sklearn_ap._base.text import interval_head, pvalue_in_words
from sklearn_ap._questions.verdicts import (
    ALL_SEGMENTS,
    OTHERS,
    REFERENCE,
    UNDECIDED,
    Difference,
    Estimate,
    Verdict,
    difference_tests,
    difference_verdict,
    printed_sentences,
)

TREND = "trend"
DIFFERENT = "different"
RISING = "rising"
FALLING = "falling"


def verdicts_of_segments(result: AnyResult) -> tuple[Verdict, ...]:
    """Give a verdict for each segment but a reference, for all segments, and for the trend."""
    verdicts = _verdicts_of_each(result)
    return (*verdicts, *_verdicts_of_whole(result, verdicts))


def decisions_of_segments(result: AnyResult) -> list[str]:
    """List the decision of each segment; a segment without a reference has none."""
    verdicts = iter(_verdicts_of_each(result))
    return [
        REFERENCE if _reference_of(result, index) is None else next(verdicts).decision
        for index in range(len(result.rankings))
    ]


def printed_segments(result: AnyResult) -> tuple[str, ...]:
    """Return the sentences below the table of segments."""
    verdicts = _verdicts_of_each(result)
    others = {"others": OTHERS, "previous": "the one before"}
    reference = others.get(str(result.reference), str(result.reference))
    tests = difference_tests(result, result.pvalues)
    lines = [verdict.sentence for verdict in _verdicts_of_whole(result, verdicts)]
    return (*printed_sentences(verdicts, reference, tests), *lines)


def _verdicts_of_each(result: AnyResult) -> list[Verdict]:
    tests = difference_tests(result, result.pvalues)
    verdicts = []
    for index, name in enumerate(result.rankings):
        reference = _reference_of(result, index)
        if reference is not None:
            limits = (
                result.differences[index],
                result.difference_lows[index],
                result.difference_highs[index],
            )
            difference = Difference(
                name=str(name),
                reference=reference,
                change=Estimate(*map(float, limits)),
                standard_error=np.nan,  # segments share no rows, so none ranks as another does
                adjusted_pvalue=float(result.adjusted_pvalues[index]),
            )
            verdicts.append(difference_verdict(difference, tests))
    return verdicts


def _reference_of(result: AnyResult, index: int) -> str | None:
    """Name what a segment is compared with; None for the reference itself, and the first."""
    if result.reference == "others":
        return OTHERS
    if np.isnan(result.differences[index]):
        return None
    return str(result.rankings[index - 1] if result.reference == "previous" else result.reference)


def _verdicts_of_whole(result: AnyResult, verdicts: list[Verdict]) -> list[Verdict]:
    """Give the verdicts on all segments and on their trend; ``verdicts`` are those of each."""
    return [*_verdict_of_all(result, verdicts), *_verdict_of_trend(result)]


def _verdict_of_all(result: AnyResult, verdicts: list[Verdict]) -> list[Verdict]:
    """Say whether three segments or more differ as a whole; nothing without a test."""
    if np.isnan(result.homogeneity_pvalue) or len(result.rankings) < 3:
        return []
    pvalue = pvalue_in_words(result.homogeneity_pvalue)
    differ_singly = any(verdict.decision != UNDECIDED for verdict in verdicts)
    if result.homogeneity_pvalue < 1 - result.confidence_level:
        none = "" if differ_singly else ", but no single one can be named"
        sentence = f"The segments differ as a whole ({pvalue}){none}."
        return [Verdict(ALL_SEGMENTS, None, DIFFERENT, sentence)]
    single = ", although single ones do" if differ_singly else ""
    sentence = f"It is not shown that the segments differ as a whole ({pvalue}){single}."
    return [Verdict(ALL_SEGMENTS, None, UNDECIDED, sentence)]


def shows_trend(result: AnyResult) -> bool:
    """Check whether the score is shown to rise or to fall."""
    return bool(result.trend_pvalue < 1 - result.confidence_level)


def _verdict_of_trend(result: AnyResult) -> list[Verdict]:
    """Say whether the score rises or falls; nothing without a trend."""
    if np.isnan(result.trend):
        return []
    change = Estimate(*map(float, (result.trend, result.trend_low, result.trend_high)))
    unit = f"a {result.trend_unit}"
    interval = interval_head(result.confidence_level)
    segments = "segments" if result.trend_unit == "step" else f"{result.trend_unit}s"
    given = f", given these {segments}" if np.isnan(result.trend_scatter) else ""
    if not shows_trend(result):
        printed = change.as_text("+")
        fits = f"anything from {printed.low} to {printed.high} {unit} fits{given}"
        return [Verdict(TREND, None, UNDECIDED, f"No trend is shown: {fits}.")]
    is_rise = result.trend > 0
    verb = "rises" if is_rise else "falls"
    sentence = f"The score {verb}: {change.brief(interval, '+', f' {unit}')}{given}."
    return [Verdict(TREND, None, RISING if is_rise else FALLING, sentence)]
