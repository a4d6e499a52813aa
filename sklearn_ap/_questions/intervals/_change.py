"""What two samples that share no rows show: a change of the score, or none."""

from __future__ import annotations

import numpy as np

from sklearn_ap._questions.verdicts import (
    UNDECIDED,
    Difference,
    DifferenceTests,
    Estimate,
    Verdict,
    difference_tests,
    printed_sentences,
    ranking_in_words,
)
from sklearn_ap._types import AnyResult, Name

CHANGES = {"better": "rose", "worse": "fell"}
CLAIMS = {"greater": "rose", "less": "fell"}


def verdicts_of_change(result: AnyResult) -> tuple[Verdict, ...]:
    """Give the verdict on the new score, or on that of each ranking."""
    tests = difference_tests(result, result.pvalue)
    if result.estimates.ndim == 1:
        return (_verdict(result, (), tests),)
    return tuple(_verdict(result, (place,), tests) for place in range(result.estimates.shape[1]))


def printed_verdicts_of_change(result: AnyResult) -> tuple[str, ...]:
    """Return the sentences below the table."""
    tests = difference_tests(result, result.pvalue)
    return printed_sentences(verdicts_of_change(result), result.reference, tests)


def _verdict(result: AnyResult, index: tuple[int, ...], tests: DifferenceTests) -> Verdict:
    """Say whether the score rose or fell, or that no change is shown; ``index`` is a ranking."""
    numbers = (result.difference, result.difference_low, result.difference_high)
    old, new = result.names
    change = Difference(
        name=new,
        reference=old,
        change=Estimate(*(float(np.asarray(number)[index]) for number in numbers)),
        standard_error=np.nan,
        adjusted_pvalue=float(np.asarray(result.adjusted_pvalue)[index]),
    )
    ranking: Name | None = None
    place = ""
    if index:
        ranking = result.rankings[index[0]] if result.rankings else index[0]
        place = f" in {ranking_in_words(ranking)}"
    decision = change.decide(tests)
    if np.isnan(change.adjusted_pvalue):
        sentence = f"{change.pair} cannot be compared{place}."
    elif decision == UNDECIDED:
        sentence = _nothing_shown(change, place, tests)
    else:
        first, second = (_printed_score(result, (sample, *index)) for sample in range(2))
        claim = f"The score{place} {CHANGES[decision]} from {first} ({old}) to {second} ({new})"
        sentence = f"{claim}: {change.size_in_words(tests)}."
    return Verdict(new, ranking, decision, sentence)


def _printed_score(result: AnyResult, index: tuple[int, ...]) -> str:
    limits = (result.estimates, result.lows, result.highs)
    return Estimate(*(float(values[index]) for values in limits)).as_text().value


def _nothing_shown(change: Difference, place: str, tests: DifferenceTests) -> str:
    """Say that no change is shown, and what fits the data; never that both are equal."""
    between = f"from {change.reference} to {change.name}"
    if tests.alternative == "two-sided":
        nothing = f"No change {between}{place} is shown"
        printed = change.change.as_text("+")
        limits = f"{printed.low} to {printed.high}"
    else:
        nothing = f"It is not shown that the score{place} {CLAIMS[tests.alternative]} {between}"
        way = "up" if tests.alternative == "greater" else "down"
        limits = f"{change.one_sided_limit(tests)} {way}"
    if tests.n_tests > 1 and not change.change.low <= 0 <= change.change.high:
        holm = f"after Holm's correction for {tests.n_tests} tests"
        return (
            f"{nothing} {holm}, although the {tests.interval}, which is not corrected, excludes 0."
        )
    return f"{nothing}: anything from {limits} fits."
