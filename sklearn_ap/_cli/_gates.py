"""Gates: whether numbers show what ``--require`` asks for."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._cli.arguments import (
    GUARANTEE,
    LATEST_NOT_WORSE,
    NONE_WORSE,
    NOT_WORSE,
    Requirement,
)
from sklearn_ap._inputs.dates import are_times
from sklearn_ap._results.text import (
    count_as_text,
    estimate_as_text,
    interval_of,
    name_as_text,
    printable,
)
from sklearn_ap.inference.comparison_result import Comparison, about_row
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint

NOT_SHOWN = 3  # the status of a command where a requirement is not shown


class Finding(NamedTuple):
    """Whether a requirement is shown, and why."""

    requirement: str
    shown: bool
    reason: str


class Verdict(NamedTuple):
    """Whether one of several results shows what is required, and what it says, by its name."""

    shown: bool
    text: str
    title: str = ""


def find(requirement: str, verdicts: Sequence[Verdict]) -> Finding:
    """Tell what fails, or else all."""
    shown = all(each.shown for each in verdicts)
    told = [each for each in verdicts if shown or not each.shown]
    titles = [f"{each.title}: " if each.title and len(verdicts) > 1 else "" for each in told]
    texts = (f"{title}{each.text}" for title, each in zip(titles, told, strict=True))
    return Finding(requirement, shown, printable(" ".join(texts)))


def finding_of_models(claim: str, comparisons: Sequence[Comparison]) -> Finding:
    """Test each model but the first, by the verdicts and limits that are printed.

    A model that is better is not worse, whatever room the margin has for rare failures. A model
    that is worse by less than the margin is not worse by it. As all tests must succeed, their
    number needs no correction.
    """
    verdicts = []
    for found in comparisons:
        is_shown = found.verdict == "better"
        if claim == NOT_WORSE and (margin := found.margin):
            is_shown |= margin.low > -margin.loss
        shown = bool(is_shown[found.is_compared].all())
        verdicts.append(Verdict(shown, " ".join(found.sentences), found.sample.score))
    return find(claim, verdicts)


def finding_of_score(
    required: Requirement, result: Interval | Comparison, *, only_new_models: bool
) -> Finding:
    """Test whether scores are at least a number, by the lower limits of their intervals."""
    level = interval_of(result.confidence_level)
    names = result.names if isinstance(result, Comparison) else ()
    scores = [f"{result.sample.score} of {name_as_text(name)}" for name in names]
    limits = np.column_stack((result.estimate, result.low, result.high)).tolist()
    verdicts = [
        Verdict(each[1] >= required.least, f"{score} is {estimate_as_text(*each, level=level)}.")
        for score, each in zip(scores or [result.sample.score], limits, strict=True)
    ]
    return find(required.text, verdicts[1:] if only_new_models else verdicts)


def finding_of_guarantee(points: Mapping[str, OperatingPoint]) -> Finding:
    """Say whether each model has a threshold that is guaranteed to reach the goal."""
    return find(
        GUARANTEE,
        [
            Verdict(not np.isnan(point.threshold), " ".join(point.sentences), name_as_text(name))
            for name, point in points.items()
        ],
    )


def finding_of_segments(claim: str, comparisons: Sequence[Comparison]) -> Finding:
    """Say whether no segment is shown to be worse, or not the last one."""
    is_latest = claim == LATEST_NOT_WORSE
    if is_latest and not are_times(comparisons[0].names):
        raise ValueError(
            f"--require {LATEST_NOT_WORSE} needs segments that are times, such as --segment "
            f"date:month: pass --require {NONE_WORSE}"
        )
    ask = _latest_not_worse if is_latest else _none_worse
    return find(claim, [ask(each) for each in comparisons])


def _none_worse(found: Comparison) -> Verdict:
    worse = np.flatnonzero(found.verdict == "worse").tolist()
    told = " ".join(about_row(found, row) for row in worse)
    n_unknown = int(np.isnan(found.estimate).sum())
    unknown = f" Without a score: {count_as_text(n_unknown, 'segment')}." if n_unknown else ""
    text = f"{told or 'No segment is worse beyond doubt, though some may be.'}{unknown}"
    return Verdict(not worse, text, found.sample.score)


def _latest_not_worse(found: Comparison) -> Verdict:
    row = len(found.names) - 1
    if not found.is_compared[row]:
        return Verdict(False, f"{name_as_text(found.names[row])} is the reference.")
    is_known = not np.isnan(found.difference[row])
    shown = bool(is_known and found.verdict[row] != "worse")
    return Verdict(shown, about_row(found, row), found.sample.score)
