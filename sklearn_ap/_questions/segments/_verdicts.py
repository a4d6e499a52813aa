"""What a comparison shows of each segment."""

from __future__ import annotations

import numpy as np

from sklearn_ap._questions.verdicts import (
    OTHERS,
    REFERENCE,
    Difference,
    Estimate,
    Verdict,
    difference_tests,
    difference_verdict,
    printed_sentences,
)
from sklearn_ap._types import AnyResult


def decisions_of_segments(result: AnyResult) -> list[str]:
    """List the decision of each segment; a segment without a reference has none."""
    verdicts = iter(verdicts_of_segments(result))
    return [
        REFERENCE if _reference_of(result, index) is None else next(verdicts).decision
        for index in range(len(result.rankings))
    ]


def printed_segments(result: AnyResult) -> tuple[str, ...]:
    """Return the sentences below the table of segments."""
    verdicts = verdicts_of_segments(result)
    others = {"others": OTHERS, "previous": "the one before"}
    reference = others.get(str(result.reference), str(result.reference))
    tests = difference_tests(result, result.pvalues)
    return printed_sentences(verdicts, reference, tests)


def verdicts_of_segments(result: AnyResult) -> list[Verdict]:
    """Give a verdict for each segment but a reference."""
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
