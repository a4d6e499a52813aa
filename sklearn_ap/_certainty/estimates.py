"""Estimates with limits, differences with p-values, and warnings if they rest on little."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._averaging import average_rankings
from sklearn_ap._certainty.formulas import (
    EQUAL,
    Spread,
    difference_limits,
    limits,
    nearly,
    p_value,
    pooled,
    share_variance,
    shrunk,
)
from sklearn_ap.definitions import Definition

__all__ = [
    "FEW",
    "Average",
    "Difference",
    "Estimate",
    "Options",
    "check_definition",
    "few",
    "judge",
    "remarks",
    "remarks_on_differences",
]

Float = NDArray[np.float64]

FEW = 10  # cases, below which an interval is rough
FEW_DEGREES = 4  # of freedom of the variance of a difference
MANY_COLUMNS, FEW_IN_COLUMNS = 20, 20


class Options(NamedTuple):
    """How to judge, checked."""

    confidence_level: float
    n_resamples: int
    rng: Any
    alternative: str = "two-sided"

    @classmethod
    def check(
        cls, confidence_level: Any, n_resamples: Any, rng: Any, alternative: Any = "two-sided"
    ) -> Options:
        """Refuse a level outside (0, 1), too few resamples and an unknown alternative."""
        if not isinstance(confidence_level, Real) or isinstance(confidence_level, bool):
            raise TypeError(f"confidence_level must be a number, got {confidence_level!r}.")
        if not 0 < float(confidence_level) < 1:
            raise ValueError(f"confidence_level must lie within (0, 1), got {confidence_level!r}.")
        if not isinstance(n_resamples, Integral) or isinstance(n_resamples, bool):
            raise TypeError(f"n_resamples must be a whole number, got {n_resamples!r}.")
        if n_resamples < 2:
            raise ValueError(f"n_resamples must be at least 2, got {n_resamples!r}.")
        known = ("two-sided", "greater", "less")
        if not isinstance(alternative, str) or alternative not in known:
            error = ValueError if isinstance(alternative, str) else TypeError
            raise error(f"alternative must be one of {known}, got {alternative!r}.")
        return cls(float(confidence_level), int(n_resamples), _generator(rng), alternative)


def _generator(rng: Any) -> np.random.Generator | None:
    """The generator of a seed; None stays, as a fresh one costs time that few definitions need."""
    if rng is None or isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"rng must be a seed (an int of at least 0), a numpy.random.Generator or None, got "
            f"{rng!r}."
        ) from error


def check_definition(definition: Any) -> None:
    """Refuse a name, or a class in the place of what it makes."""
    if not isinstance(definition, Definition):
        raise TypeError(
            f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
            f"{definition!r}."
        )


class Estimate(NamedTuple):
    """A value, or one for each ranking, and how sure it is."""

    estimate: Any
    standard_error: Any
    low: Any
    high: Any


class Difference(NamedTuple):
    """A difference of two values, or one for each ranking, and how sure it is.

    ``degrees`` are those of freedom of each variance, where few of them deserve a warning.
    """

    difference: Any
    standard_error: Any
    low: Any
    high: Any
    pvalue: Any
    degrees: Any = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """How the values of rankings become one.

    ``shares`` are the weights of the rankings, those without positives apart; None for no average.
    """

    values: Float
    defined: NDArray[np.bool_]
    n_positives: Float
    overall: Any
    shares: Float | None
    weighted: bool

    @classmethod
    def of(cls, values: Float, raw: Float, n_positives: Any, average: str | None) -> Average:
        """Average values as the scores do; ``raw`` are those before nan was filled in."""
        defined, number = ~np.isnan(raw), np.asarray(n_positives, dtype=np.float64)
        if average is None:
            return cls(values, defined, number, values, None, False)
        if values.size == 1:
            return cls(values, defined, number, values[0], defined.astype(np.float64), False)
        weighted = average == "weighted"
        overall = average_rankings(values, n_positives if weighted else None)
        shares = np.where(np.isnan(values), 0.0, number if weighted else 1.0)
        total = shares.sum()
        shares = np.where(defined, shares / (total if total > 0 else 1.0), 0.0)
        return cls(values, defined, number, overall, shares, weighted)

    @property
    def moving(self) -> Float | None:
        """What a positive of each ranking moves the average by through the weights; or None."""
        if not self.weighted:
            return None
        total = max(self.n_positives.sum(), np.finfo(np.float64).tiny)
        return np.where(self.defined, self.values - self.overall, 0.0) / total

    @property
    def undefined(self) -> Any:
        """Whether there is no positive at all, or for which rankings."""
        return ~self.defined if self.shares is None else not self.defined.any()

    @property
    def is_mean(self) -> bool:
        """Whether the values of several rankings become one."""
        return self.shares is not None and self.shares.size > 1

    def estimate(self, found: Spread, options: Options) -> Estimate:
        """The value with its limits."""
        share = share_variance(self.overall)
        if found.middle is not None:
            # The value can be 1 where its replicates are not.
            middle = self.shares @ found.middle if self.is_mean else found.middle
            share = np.maximum(share, share_variance(middle))
        each = np.maximum(share_variance(self.values), share) if self.is_mean else share
        enlarged = shrunk(found, each)
        least = enlarged - found.trust * found.variance if self.is_mean else 0.0
        error, variance, degrees = self._pooled(found, enlarged, found.cases - 1, least)
        low, high = limits(self.overall, variance, degrees, options.confidence_level, share)
        return Estimate(self.overall, *self._known(error, low, high))

    def difference(self, other: Average, found: Spread, options: Options) -> Difference:
        """The difference from another average."""
        degrees = np.minimum(found.degrees + 4, found.cases - 1)
        error, variance, degrees = self._pooled(found, nearly(found), degrees)
        judged = judge(self.overall - other.overall, error, variance, degrees, options)
        error, low, high, p = self._known(*judged[1:5])
        shown = self.defined & (found.variance > 0)
        least = np.where(shown, found.degrees, np.inf)
        return Difference(judged.difference, error, low, high, p, least)

    def _known(self, *numbers: Any) -> tuple[Any, ...]:
        """The numbers, nan for what has no positive at all."""
        if np.count_nonzero(self.defined) == self.defined.size:
            return numbers
        return tuple(np.where(self.undefined, np.nan, each) for each in numbers)

    def _pooled(
        self, found: Spread, enlarged: Float, degrees: Float, least: Any = 0.0
    ) -> tuple[Any, Any, Any]:
        """Standard error, enlarged variance and its degrees of freedom."""
        if self.shares is None or not self.is_mean:
            return np.sqrt(found.variance), enlarged, degrees
        return np.sqrt(found.joint), *pooled(found, enlarged, self.shares, degrees, least)


def judge(difference: Any, error: Any, variance: Any, degrees: Any, options: Options) -> Difference:
    """Limits and p-value of a difference whose variance is enlarged."""
    level, alternative = options.confidence_level, options.alternative
    low, high = difference_limits(difference, variance, degrees, level, alternative)
    p = p_value(np.asarray(difference), variance, degrees, alternative)
    return Difference(difference, error, low, high, p)


def remarks(positives: Float, average: Average, found: Spread, n_clusters: int | None) -> list[str]:
    """What an interval rests on, where that is little."""
    texts = []
    known = average.defined & (positives > 0.0)
    least = np.minimum.reduce(positives, where=known, initial=np.inf)
    if least < FEW * (1 - 1e-9):  # 10 weights of 0.025 are 9.999999999999998
        where = "" if positives.size == 1 else ", in one ranking at least"
        where += " (the effective number, with weights or clusters)"
        texts.append(few(least, "positive", "positives", where))
    if n_clusters is not None and n_clusters < FEW:
        texts.append(few(n_clusters, "cluster", "clusters"))
    if average.is_mean and np.count_nonzero(positives[known] <= FEW_IN_COLUMNS) >= MANY_COLUMNS:
        texts.append(
            f"The mean is over {np.count_nonzero(known)} columns, most with at most "
            f"{FEW_IN_COLUMNS} positives. Each of their scores is a little too high on average, "
            f"and that does not cancel out: the interval misses more often than it says."
        )
    variance = found.joint if average.is_mean else found.variance
    if (
        np.count_nonzero(variance == 0)
        and known.any()
        and np.any(average.values[average.defined] > 1 - EQUAL)
    ):
        texts.append(
            "A perfect ranking shows no variance: the limits come from the number of positives "
            "alone."
        )
    return texts


def few(number: float, one: str, several: str, where: str = "") -> str:
    """Say that few things were drawn."""
    said = f"{number:.3g}"
    return (
        f"The interval rests on {said} {one if said == '1' else several}{where}. Below {FEW}, "
        f"intervals are rough and miss more often than they say."
    )


def remarks_on_differences(differences: list[Difference]) -> list[str]:
    """What differences rest on, where that is little."""
    if not any(np.count_nonzero(each.degrees < FEW_DEGREES) for each in differences):
        return []
    return [
        "A difference rests on a few cases: where the models differ, few rows decide. Its p-value "
        "and its interval are rough."
    ]
