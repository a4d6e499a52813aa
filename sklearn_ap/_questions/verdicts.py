"""What a result shows, in words: a decision and a sentence for each model, segment or threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import floor, isnan, log10
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.text import (
    Row,
    first_and_more,
    interval_head,
    level_as_text,
)
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._types import AnyResult, Float, FloatOrArray, Name

MOST_SENTENCES = 5  # above this, printed results have a line for each decision
MOST_DIGITS = 6  # after the point
BETTER = "better"
WORSE = "worse"
NOT_WORSE = "not worse"  # than a reference by a margin
UNDECIDED = "undecided"
OTHERS = "the others"  # the reference of a segment
ORDER = {BETTER: 0, UNDECIDED: 2}  # of printed lines; those of other decisions stand between
REFERENCE = "reference"  # the decision in the row of a reference, which has no verdict


class Verdict(NamedTuple):
    """What a result shows of one model, segment or threshold, as a decision and as a sentence.

    ``name`` is that of the model, the segment or another thing. ``ranking`` is the query, class or
    column if there are several, else None. ``decision`` is "better", "worse", "undecided" or other
    words of the result. "undecided" says that nothing is shown, not that two models are equal.
    """

    name: str
    ranking: Name | None
    decision: str
    sentence: str


class PrintedEstimate(NamedTuple):
    """A number and its limits as text."""

    value: str
    low: str
    high: str


class Estimate(NamedTuple):
    """A number with its limits, nan if they are not known."""

    value: float
    low: float
    high: float

    def brief(self, kind: str, sign: str = "", fewest: int = 2) -> str:
        """Write "0.3 (95% interval 0.2 to 0.4)", with the digits of ``as_text``."""
        value, low, high = self.as_text(sign, fewest)
        return value if isnan(self.low) else f"{value} ({kind} {low} to {high})"

    def as_text(self, sign: str = "", fewest: int = 2) -> PrintedEstimate:
        """Print the numbers, with one digit of the width between the limits, and ``fewest`` places.

        Numbers with a sign have more digits if the number would be printed as one of its limits,
        and one more if a limit that is not 0 would be printed as 0. If that is not enough, this
        limit alone has as many as show its sign.
        """
        width = self.high - self.low  # nan without limits
        # One digit of a width of 0.034 is two decimal places: floor(log10(0.034)) is -2.
        places = -floor(log10(width)) if width > 0 else 2
        digits = min(max(2, fewest, places), MOST_DIGITS)
        limits = [limit for limit in (self.low, self.high) if limit not in (0, self.value)]
        if sign and digits < MOST_DIGITS and any(round(limit, digits) == 0 for limit in limits):
            digits += 1
        while sign and digits < MOST_DIGITS and self._is_printed_as_limit(digits):
            digits += 1
        value = _rounded(self.value, sign, digits)
        low, high = (
            _rounded(limit, sign, _signed_digits(limit, digits) if sign else digits)
            for limit in (self.low, self.high)
        )
        return PrintedEstimate(value, low, high)

    def _is_printed_as_limit(self, digits: int) -> bool:
        """Check whether the number would be printed as one of its limits, though it is not."""
        limits = [limit for limit in (self.low, self.high) if limit != self.value]
        return any(round(limit, digits) == round(self.value, digits) for limit in limits)


def _signed_digits(limit: float, digits: int) -> int:
    """Count the decimal places at which a limit that is not 0 has its sign."""
    while limit and digits < MOST_DIGITS and round(limit, digits) == 0:
        digits += 1
    return digits


def _rounded(number: float, sign: str, digits: int) -> str:
    # Adding 0.0 takes the sign of -0.0, so that no number is printed as -0.00.
    return f"{round(float(number), digits) + 0.0:{sign}.{digits}f}"


def printed(estimate: Estimate, sign: str = "") -> PrintedEstimate:
    """Print a number and its limits as sentences do, or with two digits of a small upper limit."""
    largest = estimate.value if isnan(estimate.high) else estimate.high
    places = 1 - floor(log10(largest)) if largest > 0 and not sign else 0
    return estimate.as_text(sign, min(places, MOST_DIGITS))


def printed_values(values: Float, lows: Float, highs: Float, sign: str = "") -> list[str]:
    """Print numbers without their limits, which only determine the digits, for a picture."""
    estimates = map(Estimate, values.tolist(), lows.tolist(), highs.tolist())
    return [printed(estimate, sign).value for estimate in estimates]


class DifferenceTests(NamedTuple):
    """What the tests of a result share, and the words for it."""

    alternative: str
    level: float
    interval: str  # the name of an interval, such as "95% interval"
    n_tests: int  # for which Holm's rule adjusts the p-values
    condition: str = ""  # added to "B is better than A", such as " in Q3"
    margin: float | None = None


def difference_tests(result: AnyResult, pvalues: FloatOrArray) -> DifferenceTests:
    """Collect what the tests of a result share; nan among ``pvalues`` stands for no test."""
    return DifferenceTests(
        alternative=result.alternative,
        level=result.confidence_level,
        interval=interval_head(result.confidence_level),
        n_tests=int(np.count_nonzero(~np.isnan(pvalues))),
    )


class Difference(NamedTuple):
    """A difference of a model or a segment from a reference, and the test of it."""

    name: str
    reference: str  # in words, such as "A" or "the others"
    change: Estimate
    standard_error: float  # 0 if both rank the positives alike
    adjusted_pvalue: float

    @property
    def is_alike(self) -> bool:
        """Whether both rank the positives alike, so that there is no difference to test."""
        return self.standard_error == 0 and abs(self.change.value) < ABSOLUTE_TOLERANCE

    @property
    def pair(self) -> str:
        """Both names, as "A and C"; "DE and the others"."""
        if self.reference == OTHERS:
            return f"{self.name} and {self.reference}"
        return f"{self.reference} and {self.name}"

    def decide(self, tests: DifferenceTests) -> str:
        """Decide by the adjusted p-value, and take the direction from the interval."""
        if not self.adjusted_pvalue < 1 - tests.level:
            return UNDECIDED
        if tests.alternative != "less" and self.change.low > 0:
            return BETTER
        return WORSE if tests.alternative != "greater" and self.change.high < 0 else UNDECIDED

    def one_sided_limit(self, tests: DifferenceTests) -> str:
        """Print the limit of a one-sided interval, with the digits that its distance justifies."""
        limit = self.change.low if tests.alternative == "greater" else self.change.high
        distance = abs(self.change.value - limit)
        return Estimate(self.change.value, limit, limit + 2 * distance).as_text("+").low

    def size_in_words(self, tests: DifferenceTests) -> str:
        """Print a difference that is shown, with its interval or its one-sided limit."""
        if tests.alternative == "two-sided":
            return self.change.brief(tests.interval, "+")
        limit = self.one_sided_limit(tests).lstrip("+-")
        return f"by {limit} or more ({level_as_text(tests.level)} one-sided limit)"


def difference_verdict(
    difference: Difference, tests: DifferenceTests, ranking: Name | None = None
) -> Verdict:
    """Say whether a model or a segment is better than its reference, or that this is not shown."""
    decision = difference.decide(tests)
    if isnan(difference.change.value) or isnan(difference.adjusted_pvalue):
        sentence = f"{difference.pair} cannot be compared{tests.condition}."
    elif difference.is_alike:
        alike = "rank the positives alike"
        sentence = f"{difference.pair} {alike}{tests.condition}, so there is no difference to test."
    else:
        is_shown = decision != UNDECIDED
        sentence = (
            _shown(difference, decision, tests) if is_shown else _undecided(difference, tests)
        )
    return Verdict(difference.name, ranking, decision, sentence)


def _shown(difference: Difference, decision: str, tests: DifferenceTests) -> str:
    claim = f"{difference.name} is {decision} than {difference.reference}{tests.condition}"
    return f"{claim}: {difference.size_in_words(tests)}."


def _undecided(difference: Difference, tests: DifferenceTests) -> str:
    """Say that nothing is shown, and what fits the data; never that both are equal."""
    low = difference.change.low
    high = difference.change.high
    if tests.alternative == "two-sided":
        nothing = f"No difference between {difference.pair}{tests.condition} is shown"
        printed = difference.change.as_text("+")
        limits = f"{printed.low} to {printed.high}"
        fits = f"anything from {limits} fits"
    else:
        claim = BETTER if tests.alternative == "greater" else WORSE
        models = f"{difference.name} is {claim} than {difference.reference}"
        nothing = f"It is not shown that {models}{tests.condition}"
        limits = difference.one_sided_limit(tests)
        fits = f"anything from {limits} {'up' if claim == BETTER else 'down'} fits"
    if low <= 0 <= high or tests.n_tests < 2:
        return f"{nothing}: {fits}."
    return (
        f"{nothing} after Holm's correction for {tests.n_tests} tests, although its "
        f"{tests.interval}, which is not corrected, excludes 0: {limits}."
    )


def ranking_in_words(ranking: Name) -> str:
    """Print the name of a ranking, or "ranking 3" if it has a number only."""
    return ranking if isinstance(ranking, str) else f"ranking {ranking}"


def names_in_words(names: Sequence[str]) -> str:
    """List names as "a, b and c", or "a, b, c, d, e and 3 more"."""
    if len(names) > MOST_SENTENCES + 1:  # "and 1 more" is no shorter than a name
        return first_and_more(names, MOST_SENTENCES)
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def printed_sentences(
    verdicts: Sequence[Verdict], reference: str, tests: DifferenceTests
) -> tuple[str, ...]:
    """Return the sentences of a few verdicts; of many, a line for each decision.

    Verdicts of several rankings have lines for each model.
    """
    if len(verdicts) <= MOST_SENTENCES:
        return tuple(verdict.sentence for verdict in verdicts)
    list_lines = _lines_of_names if verdicts[0].ranking is None else _lines_of_rankings
    return tuple(list_lines(verdicts, reference, tests))


def _lines_of_names(
    verdicts: Sequence[Verdict], reference: str, tests: DifferenceTests
) -> Iterator[str]:
    """Name the models, or segments, of each decision."""
    for decision, members in _grouped(verdicts, lambda verdict: verdict.decision).items():
        names = names_in_words([verdict.name for verdict in members])
        if len(members) == 1:
            yield members[0].sentence
        elif decision == UNDECIDED:
            which = "any of them" if len(members) == len(verdicts) else names
            yield f"Nothing is shown for {which} after Holm's correction for {tests.n_tests} tests."
        else:
            yield f"{names} are {_claim(decision, reference, tests)}."


def _lines_of_rankings(
    verdicts: Sequence[Verdict], reference: str, tests: DifferenceTests
) -> Iterator[str]:
    """Name the rankings of each model and decision."""
    for name, members in _grouped(verdicts, lambda verdict: verdict.name).items():
        decisions = _grouped(members, lambda verdict: verdict.decision)
        undecided = decisions.pop(UNDECIDED, [])
        for decision, decided in decisions.items():
            rankings = names_in_words([str(verdict.ranking) for verdict in decided])
            share = f"in {len(decided):,} of {len(members):,} rankings: {rankings}"
            claim = _claim(decision, reference, tests)
            yield f"{name} is {claim} {share}."
        which = f"any of {len(members):,} rankings"
        if decisions:
            which = f"the other {len(undecided):,}" if len(undecided) > 1 else "the other ranking"
        if undecided:
            yield f"Nothing is shown for {name} in {which}."


def _claim(decision: str, reference: str, tests: DifferenceTests) -> str:
    """Write "better than A", or "not worse than A by 0.03 or more"."""
    by = f" by {tests.margin:g} or more" if decision == NOT_WORSE else ""
    return f"{decision} than {reference}{by}"


def _grouped(
    verdicts: Sequence[Verdict], key: Callable[[Verdict], str]
) -> dict[str, list[Verdict]]:
    """Group verdicts by a key: first those that are better, last those that are undecided."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: ORDER.get(verdict.decision, 1)):
        groups.setdefault(key(verdict), []).append(verdict)
    return groups


def add_decisions(rows: list[Row], decisions: Iterable[str]) -> list[Row]:
    """Add the decision of each row as its column ``verdict``."""
    return [row | {"verdict": word} for row, word in zip(rows, decisions, strict=True)]
