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
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.dates import are_times
from sklearn_ap._results.text import count_as_text, estimate_as_text, interval_of, name_as_text
from sklearn_ap.inference.comparison_result import Comparison, about_row
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint

NOT_SHOWN = 3  # the status of a command where a requirement is not shown


class Finding(NamedTuple):
    """Whether a requirement is shown, and why."""

    requirement: str
    shown: bool
    reason: str


def finding_of_models(claim: str, comparisons: Sequence[Comparison]) -> Finding:
    """Test each model but the first, by the verdicts and limits that are printed.

    A model that is better is not worse, whatever room the margin has for rare failures. A model
    that is worse by less than the margin is not worse by it. As all tests must succeed, their
    number needs no correction.
    """
    failed = []
    for comparison in comparisons:
        shown = comparison.verdict == "better"
        if claim == NOT_WORSE and (margin := comparison.margin):
            shown |= margin.low > -margin.loss
        failed += [comparison] * (not shown[comparison.is_compared].all())
    told = [(each.sample.score, " ".join(each.sentences)) for each in failed or comparisons]
    return Finding(claim, not failed, _reason(told, len(comparisons)))


def finding_of_score(
    required: Requirement, result: Interval | Comparison, *, only_new_models: bool
) -> Finding:
    """Test whether scores are at least a number, by the lower limits of their intervals."""
    score, level = result.sample.score, interval_of(result.confidence_level)
    names = result.names if isinstance(result, Comparison) else ()
    of = [f" of {name_as_text(name)}" for name in names] or [""]
    estimate, low, high = map(np.atleast_1d, (result.estimate, result.low, result.high))
    rows = range(1 if only_new_models else 0, len(of))
    failed = [row for row in rows if not low[row] >= required.least]
    told = [
        f"{score}{of[row]} is {estimate_as_text(estimate[row], low[row], high[row], level=level)}."
        for row in failed or rows
    ]
    return Finding(required.text, not failed, " ".join(told))


def finding_of_guarantee(points: Mapping[str, OperatingPoint]) -> Finding:
    """Say whether each model has a threshold that is guaranteed to reach the goal."""
    failed = [name for name, point in points.items() if np.isnan(point.threshold)]
    told = [(name_as_text(name), " ".join(points[name].sentences)) for name in failed or points]
    return Finding(GUARANTEE, not failed, _reason(told, len(points)))


def finding_of_segments(claim: str, comparisons: Sequence[Comparison]) -> Finding:
    """Say whether no segment is shown to be worse, or not the last one."""
    is_latest = claim == LATEST_NOT_WORSE
    if is_latest and not are_times(comparisons[0].names):
        raise DataError(
            f"--require {LATEST_NOT_WORSE} needs segments that are times, such as --segment "
            f"date:month: pass --require {NONE_WORSE}"
        )
    ask = _latest_not_worse if is_latest else _none_worse
    answers = [ask(comparison) for comparison in comparisons]
    told = [(each.sample.score, text) for each, (_, text) in zip(comparisons, answers, strict=True)]
    return Finding(claim, all(shown for shown, _ in answers), _reason(told, len(comparisons)))


def _none_worse(comparison: Comparison) -> tuple[bool, str]:
    worse = np.flatnonzero(comparison.verdict == "worse").tolist()
    told = " ".join(about_row(comparison, row) for row in worse)
    n_unknown = int(np.isnan(comparison.estimate).sum())
    unknown = f" Without a score: {count_as_text(n_unknown, 'segment')}." if n_unknown else ""
    return not worse, f"{told or 'No segment is shown to be worse, though some may be.'}{unknown}"


def _latest_not_worse(comparison: Comparison) -> tuple[bool, str]:
    row = len(comparison.names) - 1
    if not comparison.is_compared[row]:
        return False, f"{name_as_text(comparison.names[row])} is the reference."
    is_known = not np.isnan(comparison.difference[row])
    return is_known and comparison.verdict[row] != "worse", about_row(comparison, row)


def _reason(told: Sequence[tuple[str, str]], n_asked: int) -> str:
    """Join texts about models or scores; where several were asked, their names stand before."""
    texts = (f"{title}: {text}" if n_asked > 1 else text for title, text in told)
    return printable(" ".join(texts))
