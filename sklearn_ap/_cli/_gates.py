"""Gates: whether numbers show what ``--require`` asks for."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from sklearn_ap._cli.arguments import LATEST_NOT_WORSE, NONE_WORSE, NOT_WORSE
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.dates import are_times
from sklearn_ap._inputs.numbers import read_share
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._writing.text import (
    estimate_as_text,
    interval_as_text,
    name_as_text,
    printable,
)
from sklearn_ap.inference.comparison_result import Comparison, about_row
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.thresholds.operating_point import OperatingPoint

# The shares of a given threshold for which limits hold, and the doubts that leave them alone
HARMLESS = {"precision": (), "recall": ("no negatives",), "specificity": ()}
SHARES = (*HARMLESS,)


class LeastValue(NamedTuple):
    """The value that a lower limit must reach, such as "ap >= 0.4"."""

    name: str  # of the score or the share
    value: float


class Verdict(NamedTuple):
    """Whether a requirement is shown, and why; and the title of one of several results."""

    shown: bool
    reason: str
    title: str = ""


def read_requirements(
    texts: Sequence[str], claims: Sequence[str], example: str, names: Sequence[str] = ()
) -> list[LeastValue | str]:
    """Read claims, and least values of these names, or of any score."""
    required: list[LeastValue | str] = []
    for text in texts:
        name, _, number = map(str.strip, text.rpartition(">="))
        value = 0.0
        with suppress(InputError):  # which the error below tells, beside what may be required
            value = read_share(number)
        if text in claims:
            required.append(text)
        elif 0 < value < 1 and name and (name in names or not names):
            required.append(LeastValue(name, value))
        else:
            what = f"one of {', '.join(names)}" if names else "a score"
            raise InputError(
                f"--require must be {', '.join(claims)}, or in quotes {what} and its least value "
                f'between 0 and 1, such as "{example}", got {text!r}'
            )
    return required


def join_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Say of several results which fail, or else what all show."""
    shown = all(verdict.shown for verdict in verdicts)
    reasons = [
        f"{verdict.title}: {verdict.reason}"
        if verdict.title and len(verdicts) > 1
        else verdict.reason
        for verdict in verdicts
        if verdict.shown == shown
    ]
    return Verdict(shown, printable(" ".join(reasons)))


def judge_models(claim: str, comparisons: Sequence[Comparison]) -> Verdict:
    """Test each model but the first, by the verdicts and limits that are printed.

    A model that is better is not worse, whatever room the margin has for rare failures. A model
    that is worse by less than the margin is not worse by it. As all tests must succeed, their
    number needs no correction. A verdict that a doubt overturns shows nothing.
    """
    verdicts = []
    for comparison in comparisons:
        is_shown = comparison.verdict == "better"
        if claim == NOT_WORSE and (margin := comparison.margin):
            is_shown |= margin.low > -margin.loss
        is_shown &= ~comparison.is_overturned
        shown = bool(is_shown[comparison.is_compared].all())
        title = comparison.sample.title
        verdicts.append(Verdict(shown, " ".join(comparison.sentences), title))
    return join_verdicts(verdicts)


def judge_scores(
    required: LeastValue, result: Interval | Comparison, *, only_new_models: bool
) -> Verdict:
    """Test whether the scores of all models, or of new ones, are at least a number."""
    title = result.sample.title
    what = {"": title}
    if isinstance(result, Comparison):
        what = {name: f"{title} of {name}" for name in map(str, result.names)}
    limits = np.column_stack((result.estimate, result.low, result.high)).tolist()
    verdicts = [
        _judge_estimate(required, each, ends, result.confidence_level, result.doubts, name)
        for (name, each), ends in zip(what.items(), limits, strict=True)
    ]
    return join_verdicts(verdicts[1:] if only_new_models else verdicts)


def judge_points(required: LeastValue | str, points: Mapping[str, OperatingPoint]) -> Verdict:
    """Test shares at a given threshold, or say whether each model has a guaranteed threshold."""
    verdicts = []
    for name, point in points.items():
        goal = "precision" if point.goal.recall is None else "recall"
        what = required.name if isinstance(required, LeastValue) else goal
        doubts = [each for each in point.doubts if each.name not in HARMLESS[what]]
        if isinstance(required, LeastValue):
            share, level = getattr(point, required.name), point.confidence_level
            verdict = _judge_estimate(required, required.name, share, level, doubts)
        else:
            why_not = _why_not(doubts)
            reasons = [f"This shows nothing, as {why_not}."] if why_not else []
            shown = not np.isnan(point.threshold) and not why_not
            verdict = Verdict(shown, " ".join([*point.sentences, *reasons]))
        verdicts.append(verdict._replace(title=name_as_text(name)))
    return join_verdicts(verdicts)


def _judge_estimate(
    required: LeastValue,
    what: str,
    limits: Sequence[float],
    level: float,
    doubts: Sequence[Doubt],
    name: str = "",
) -> Verdict:
    """Test whether an estimate is at least a number, by the lower limit of its interval."""
    value, low, high = limits
    text, link = estimate_as_text(value, low, high, level=interval_as_text(level)), "but"
    if np.isnan(value):
        text, link = "not defined", "as"
    why_not = _why_not(doubts, name)
    reason = f", {link} {why_not}" if why_not else ""
    return Verdict(low >= required.value and not why_not, f"The {what} is {text}{reason}.")


def _why_not(doubts: Sequence[Doubt], name: str = "") -> str:
    """Say why a number of a model shows nothing, if a doubt overturns it, whoever is beside it."""
    return "; ".join(filter(None, (doubt.why_not(name, name) for doubt in doubts)))


def judge_segments(claim: str, comparisons: Sequence[Comparison]) -> Verdict:
    """Say whether no segment is shown to be worse, or not the last one."""
    is_latest = claim == LATEST_NOT_WORSE
    if is_latest and not are_times(comparisons[0].names):
        raise InputError(
            f"--require {LATEST_NOT_WORSE} needs segments that are times, such as --segment "
            f"date:month; for others, pass --require {NONE_WORSE}"
        )
    judge = _judge_latest if is_latest else _judge_worst
    return join_verdicts([_judge_doubts(each) or judge(each) for each in comparisons])


def _judge_doubts(comparison: Comparison) -> Verdict | None:
    """Say which doubts overturn the verdicts on segments, if any does."""
    if not comparison.is_overturned.any():
        return None
    doubts = [doubt.sentence for doubt in comparison.doubts if doubt.overturns]
    text = f"No verdict holds. {' '.join(doubts)}"
    return Verdict(False, text, comparison.sample.title)


def _judge_worst(comparison: Comparison) -> Verdict:
    worse = np.flatnonzero(comparison.verdict == "worse").tolist()
    sentences = " ".join(about_row(comparison, row) for row in worse)
    n_unknown = int(np.isnan(comparison.estimate).sum())
    unknown = f" Segments without a score: {n_unknown:,}." if n_unknown else ""
    open_text = "This fails only if a segment is shown to be worse, and none is."
    text = f"{sentences or open_text}{unknown}"
    return Verdict(not worse, text, comparison.sample.title)


def _judge_latest(comparison: Comparison) -> Verdict:
    row = len(comparison.names) - 1
    if not comparison.is_compared[row]:
        return Verdict(False, f"{name_as_text(comparison.names[row])} is the reference.")
    is_known = not np.isnan(comparison.difference[row])
    shown = bool(is_known and comparison.verdict[row] != "worse")
    is_open = shown and comparison.verdict[row] == "undecided"
    meaning = "This fails only if a fall is shown; longer times may show more. " if is_open else ""
    return Verdict(shown, meaning + about_row(comparison, row), comparison.sample.title)
