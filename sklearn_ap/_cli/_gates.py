"""Gates: whether numbers show what ``--require`` asks for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._cli.arguments import LATEST_NOT_WORSE, NONE_WORSE, NOT_WORSE, Requirement
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError
from sklearn_ap._results.text import (
    digits_of,
    estimate_as_text,
    interval_of,
    name_as_text,
    names_as_text,
    number_as_text,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint

MOST_DIGITS = 16  # of printed limits


class Finding(NamedTuple):
    """Whether a requirement is shown, and why."""

    requirement: str
    shown: bool
    reason: str


def find_models(
    required: Sequence[Requirement],
    results: Mapping[Definition, Interval | Comparison],
    compared: Sequence[Definition],
    scores: Mapping[str, Definition],
) -> Iterator[Finding]:
    """Say of each requirement whether it is shown.

    Every model but the first must be shown to be better, or not worse. Beside such a claim, a score
    must be shown for the new models, otherwise for every model. As all tests must succeed, their
    number needs no correction.
    """
    has_claims = any(not each.score for each in required)
    for each in required:
        if each.score:
            yield _least_score(each, results[scores[each.score]], has_claims)
        else:
            found = [results[definition] for definition in compared]
            yield _claim(each.text, [one for one in found if isinstance(one, Comparison)])


def _claim(claim: str, comparisons: Sequence[Comparison]) -> Finding:
    """Test each model but the first, by the verdicts and limits that are printed.

    A model that is better is not worse, whatever room the margin has for rare failures. A model
    that is worse by less than the margin is not worse by it.
    """
    failed = []
    for comparison in comparisons:
        shown = comparison.verdict == "better"
        if claim == NOT_WORSE:
            shown |= np.asarray(comparison.notes["margin_low"]) > -float(comparison.notes["margin"])
        failed += [comparison] * (not shown[comparison.is_compared].all())
    told = failed or comparisons
    texts = [
        f"{comparison.sample.score}: " * (len(comparisons) > 1) + " ".join(comparison.sentences)
        for comparison in told
    ]
    return Finding(claim, not failed, printable(" ".join(texts)))


def _least_score(required: Requirement, result: Interval | Comparison, has_claims: bool) -> Finding:
    """Test whether scores are at least a number, by the lower limits of their intervals."""
    low, high, estimate = (
        np.atleast_1d(getattr(result, key)) for key in ("low", "high", "estimate")
    )
    names = result.names if isinstance(result, Comparison) else ("",)
    rows = [*range(len(names))][1 if has_claims else 0 :]
    failed = [row for row in rows if not low[row] >= required.least]
    texts = []
    for row in failed or rows:
        of = f" of {name_as_text(names[row])}" if names[row] else ""
        limits = float(estimate[row]), float(low[row]), float(high[row])
        level = interval_of(result.confidence_level)
        texts.append(f"{result.sample.score}{of} {_beside_limits(required, *limits, level)}")
    return Finding(required.text, not failed, " ".join(texts))


def _beside_limits(
    required: Requirement, estimate: float, low: float, high: float, level: str
) -> str:
    """Say on which side of a number an interval is, in so many digits that print shows it."""
    least, typed = required.least, required.typed
    if np.isnan(low):
        return "has no interval."
    claim = f"is not shown to be {typed} or more, nor to be less"
    if low >= least:
        claim = f"is {typed} or more"
    elif high < least:
        claim = f"is less than {typed}"
    for digits in range(digits_of(estimate, low, high), MOST_DIGITS):
        printed = [number_as_text(limit, digits) for limit in (low, high)]
        if [float(text) >= least for text in printed] == [low >= least, high >= least]:
            break
    return f"{claim}: {level} {' to '.join(printed)}."


def find_guarantee(points: Mapping[str, OperatingPoint]) -> Finding:
    """Say whether each model has a threshold that is guaranteed to reach the goal."""
    tests = {name: not np.isnan(point.threshold) for name, point in points.items()}
    failed = [name for name, shown in tests.items() if not shown]
    texts = [
        f"{name_as_text(name)}: " * (len(points) > 1) + " ".join(points[name].sentences)
        for name in failed or points
    ]
    return Finding("the guarantee", not failed, " ".join(texts))


def find_worse(claim: str, comparisons: Sequence[Comparison], *, are_times: bool) -> Finding:
    """Say whether no segment is shown to be worse, or not the last one."""
    if claim == LATEST_NOT_WORSE and not are_times:
        raise DataError(
            f"--require {LATEST_NOT_WORSE} needs segments that are times, such as --segment "
            f"date:month: pass --require {NONE_WORSE}"
        )
    texts, shown = [], True
    for comparison in comparisons:
        last = len(comparison.names) - 1
        rows = [last] if claim == LATEST_NOT_WORSE else range(last + 1)
        worse = [row for row in rows if comparison.verdict[row] == "worse"]
        shown &= not worse
        title = f"{comparison.sample.score}: " * (len(comparisons) > 1)
        told = worse or ([last] if claim == LATEST_NOT_WORSE else [])
        each = [_difference(comparison, row) for row in told]
        texts.append(f"{title}{names_as_text(each) or 'no segment is shown to be worse'}.")
    return Finding(claim, shown, " ".join(texts))


def _difference(comparison: Comparison, row: int) -> str:
    """Write "2026-10 is worse: -0.52 (95% interval -0.57 to -0.45)"."""
    name = name_as_text(comparison.names[row])
    difference = estimate_as_text(
        float(comparison.difference[row]),
        float(comparison.difference_low[row]),
        float(comparison.difference_high[row]),
        sign="+",
        level=interval_of(comparison.confidence_level),
    )
    is_worse = comparison.verdict[row] == "worse"
    return f"{name} is {'' if is_worse else 'not shown to be '}worse: {difference}"
