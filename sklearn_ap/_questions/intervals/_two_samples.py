"""Checks of two samples: their scores must mean the same, and share no rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np

from sklearn_ap._base.text import first_and_more
from sklearn_ap._types import Argument, Name
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings
from sklearn_ap.inference.interval import Interval

# Sample prevalences that differ by more standard errors belong to different populations: a choice
MOST_ERRORS = 3.0
USUAL_LEVEL = 0.95
FEWEST_CASES = 5  # that a number of a paper is believed to come from
LARGEST_DEVIATION = 0.5  # of anything within [0, 1]
SAME_COLUMNS = "Leave the others out, or compare those of both with average=None."
PAPER = "(estimate, low, high) or (estimate, standard_error)"


def check_sample(sample: Argument, argument: str) -> Interval | tuple[float, ...]:
    """Refuse anything but an interval, or the numbers of one."""
    if isinstance(sample, Interval):
        return sample
    are_numbers = isinstance(sample, Sequence) and not isinstance(sample, str)
    if not are_numbers or not all(isinstance(number, Real) for number in sample):
        raise TypeError(
            f"{argument} must be what average_precision_interval or "
            f"Interval.from_counts gives, or the numbers of a paper as {PAPER}, "
            f"got {type(sample).__name__}."
        )
    numbers = tuple(map(float, sample))
    estimate, *rest = numbers or (np.nan,)
    is_limited = len(rest) == 2 and 0 <= rest[0] <= estimate <= rest[1] <= 1
    has_error = len(rest) == 1 and 0 <= estimate <= 1 and 0 < rest[0] < 1
    if has_error and rest[0] > _largest_error(estimate):
        raise ValueError(
            f"{argument} is {sample!r}, and {rest[0]:g} is too large for the standard error of a "
            f"score of {estimate:g}. Is it a limit? Pass (estimate, low, high)."
        )
    if not is_limited and not has_error:
        raise ValueError(
            f"{argument} must be {PAPER}, as shares from 0 to 1 with the estimate within its "
            f"limits, got {sample!r}."
        )
    return numbers


def _largest_error(estimate: float) -> float:
    """Return the largest number to believe as the standard error of a score.

    (low, high) has a second number above the first. An error is above its score only where there
    are few cases: that of a mean of n cases within [0, 1] is at most sqrt(p (1 - p) / (n - 1)).
    """
    error_of_few = np.sqrt(estimate * (1 - estimate) / (FEWEST_CASES - 1))
    return max(float(error_of_few), min(estimate, LARGEST_DEVIATION))


def check_two_names(names: Argument) -> tuple[str, ...]:
    """Refuse anything but two different names."""
    is_text_or_scalar = isinstance(names, str) or not isinstance(names, Iterable)
    found = () if is_text_or_scalar else tuple(map(str, names))
    if len(found) != 2 or found[0] == found[1]:
        raise ValueError(f"names must hold two different names, got {names!r}.")
    return found


def check_alike(intervals: Sequence[Interval], names: Sequence[str]) -> None:
    """Refuse intervals that share rows, as far as that can be known, or are of other scores."""
    if len(intervals) < 2:
        if any(map(np.ndim, (interval.estimate for interval in intervals))):
            raise ValueError(
                "average=None gives several scores, and the numbers of a paper are one. Leave it "
                "out, or pass the interval of one ranking."
            )
        return
    old, new = intervals
    _refuse_same_rows(old, new)
    for option, first, second in (
        ("definition", old.sample.definition, new.sample.definition),
        ("prevalence", old.sample.target_prevalence, new.sample.target_prevalence),
        ("average", _average(old), _average(new)),
        ("rankings", _rankings(old), _rankings(new)),
    ):
        if first != second:
            reason = " Average precision depends on the prevalence." * (option == "prevalence")
            raise ValueError(
                f"{option} must be the same in both, but is {first!r} in {names[0]!r} and "
                f"{second!r} in {names[1]!r}.{reason} Compute both alike."
            )
    _refuse_other_columns(old, new, names)
    _refuse_one_n_positives(old, new, names)
    if old.sample.target_prevalence is None:
        _warn_of_shares(old, new, names)


def common_level(intervals: Sequence[Interval]) -> float:
    """Return the confidence level of the intervals, or the usual one if there are none."""
    levels = {interval.confidence_level for interval in intervals} or {USUAL_LEVEL}
    if len(levels) > 1:
        raise ValueError(
            f"confidence_level is {intervals[0].confidence_level:g} in old and "
            f"{intervals[1].confidence_level:g} in new: pass confidence_level, and the limits of "
            f"both are computed for it."
        )
    return levels.pop()


def _rankings(interval: Interval) -> tuple[Name, ...] | str:
    if interval.names:
        return interval.names
    n_scores = np.size(interval.estimate)
    return "one" if n_scores == 1 else f"{n_scores} without names"


def _average(interval: Interval) -> str:
    """Name the kind of the mean: over queries, or over fixed rankings."""
    if interval.sample.unit == "query":
        return "mean over queries"
    return interval.sample.average or ""


def _refuse_same_rows(old: Interval, new: Interval) -> None:
    """Refuse one result twice, and labels that are equal in the same order."""
    keys = [each._source.labels_key for each in (old, new)]
    are_same = keys[0] == keys[1] and np.array_equal(old.n_positives, new.n_positives)
    if not all(keys):  # the labels are unknown, as those of counts
        are_equal = [
            np.array_equal(getattr(old, name), getattr(new, name))
            for name in ("estimate", "standard_error", "n_positives")
        ]
        are_same = all(are_equal) and bool(np.all(np.asarray(old.standard_error) > 0))
    if old is new or are_same:
        raise ValueError(
            "old and new come from the same rows: their labels are the same, in the same order. "
            "compare_average_precision(y_true, {'old': old_scores, 'new': new_scores}) compares "
            "models on the same rows, and finds smaller differences."
        )


def _refuse_other_columns(old: Interval, new: Interval, names: Sequence[str]) -> None:
    """Refuse averages over other classes or columns, as far as these are known."""
    numbers = old.sample.n_averaged, new.sample.n_averaged
    if all(numbers) and numbers[0] != numbers[1]:
        raise ValueError(
            f"Averages must be over the same classes or columns, but are over {numbers[0]:,} in "
            f"{names[0]!r} and {numbers[1]:,} in {names[1]!r}. {SAME_COLUMNS}"
        )
    averaged = old._source.averaged, new._source.averaged
    texts = [{*map(str, each)} for each in averaged]  # a file may have made texts of numbers
    if all(averaged) and averaged[0] != averaged[1] and texts[0] != texts[1]:
        only = [first_and_more(sorted(texts[i] - texts[1 - i])) for i in (0, 1)]
        raise ValueError(
            f"Averages must be over the same classes or columns, but {only[0]} is in {names[0]!r} "
            f"alone and {only[1]} in {names[1]!r}. {SAME_COLUMNS}"
        )


def _refuse_one_n_positives(old: Interval, new: Interval, names: Sequence[str]) -> None:
    """Refuse positives without a row that count in one sample alone."""
    has_n_positives = old._source.has_n_positives, new._source.has_n_positives
    if {*has_n_positives} == {True, False}:
        given, missing = names if has_n_positives[0] else reversed(names)
        raise ValueError(
            f"n_positives was passed for {given!r} alone, so positives that were not retrieved "
            f"count there, but not in {missing!r}. Pass it for both: where all positives are rows, "
            f"it is their number."
        )


def _warn_of_shares(old: Interval, new: Interval, names: Sequence[str]) -> None:
    """Warn of sample prevalences that clearly differ, as the difference of scores mixes both."""
    shares = np.array([old.sample.share, new.sample.share])
    n_units = np.array([each.n_units or each.n_rows for each in (old.sample, new.sample)])
    if np.isnan(shares).any() or not n_units.all():
        return
    share = shares @ n_units / n_units.sum()
    error = np.sqrt(share * (1 - share) * np.sum(1 / n_units))
    if abs(shares[1] - shares[0]) > MOST_ERRORS * error:
        text = (
            f"{100 * shares[0]:.3g}% of the rows are positive in {names[0]!r}, and "
            f"{100 * shares[1]:.3g}% in {names[1]!r}. Average precision grows with that share, so "
            f"the difference mixes both. Pass the same prevalence= to both intervals."
        )
        issue_warnings([UncertaintyWarning(text, "unequal prevalence")])
