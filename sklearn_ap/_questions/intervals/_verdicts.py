"""What a comparison shows of each model, or of each model and ranking."""

from __future__ import annotations

import numpy as np

from sklearn_ap._questions.intervals._margins import margin_verdict
from sklearn_ap._questions.verdicts import (
    REFERENCE,
    Difference,
    DifferenceTests,
    Estimate,
    Verdict,
    difference_tests,
    difference_verdict,
    printed_sentences,
    ranking_in_words,
)
from sklearn_ap._types import AnyResult, Name


def verdicts_of_comparison(result: AnyResult) -> tuple[Verdict, ...]:
    """Give a verdict for each model but the reference, or for each of its rankings."""
    tests = _tests(result)
    verdicts = []
    for index in np.ndindex(result.estimates.shape):
        name = result.names[index[0]]
        if name == result.reference:
            continue
        ranking = _ranking(result, index)
        place = "" if ranking is None else f" in {ranking_in_words(ranking)}"
        own_tests = tests._replace(condition=place)
        difference = _difference(result, index)
        verdict = difference_verdict(difference, own_tests, ranking)
        verdicts.append(margin_verdict(result, index, difference, own_tests, verdict))
    return tuple(verdicts)


def decisions_of_rows(result: AnyResult) -> list[str]:
    """List the decision of each row of a comparison; the reference has none."""
    verdicts = iter(verdicts_of_comparison(result))
    return [
        REFERENCE if result.names[index[0]] == result.reference else next(verdicts).decision
        for index in np.ndindex(result.estimates.shape)
    ]


def printed_verdicts(result: AnyResult) -> tuple[str, ...]:
    """Return the sentences below the table of a comparison."""
    verdicts = verdicts_of_comparison(result)
    return printed_sentences(verdicts, result.reference, _tests(result))


def _tests(result: AnyResult) -> DifferenceTests:
    is_other = np.array(result.names) != result.reference
    tests = difference_tests(result, result.pvalues[is_other])
    return tests._replace(margin=result.margin)


def _difference(result: AnyResult, index: tuple[int, ...]) -> Difference:
    return Difference(
        name=result.names[index[0]],
        reference=result.reference,
        change=Estimate(
            float(result.differences[index]),
            float(result.difference_lows[index]),
            float(result.difference_highs[index]),
        ),
        standard_error=float(result.difference_standard_errors[index]),
        adjusted_pvalue=float(result.adjusted_pvalues[index]),
    )


def _ranking(result: AnyResult, index: tuple[int, ...]) -> Name | None:
    """Return the name or the number of a ranking; None for a single one."""
    if len(index) == 1:
        return None
    name: Name = result.rankings[index[1]] if result.rankings else index[1]
    return name
