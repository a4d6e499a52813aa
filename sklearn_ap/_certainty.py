"""The way of an interval, and of a comparison: from a request to estimates with their limits."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._averaging import average_rankings, check_zero_division, fill_undefined
from sklearn_ap._evidence import Units, cell_spread, find_units, models, with_known
from sklearn_ap._resampling import replicate_counts
from sklearn_ap._scoring import counted
from sklearn_ap._validation import (
    Rankings,
    Request,
    check_rankings,
    warn_if_weights_end_before,
)
from sklearn_ap._variance import (
    Spread,
    adjust,
    difference_limits,
    limits,
    nearly,
    p_value,
    pooled,
    query_variance,
    share_variance,
    shrunk,
)
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition, Step

__all__ = ["Estimate", "Options", "UncertaintyWarning", "compared", "estimated", "of_counts"]

Float = NDArray[np.float64]
Contrasts = dict[str, Any]

FEW = 10  # cases, below which an interval is rough
MANY_COLUMNS, FEW_IN_COLUMNS = 20, 20


class UncertaintyWarning(UserWarning):
    """An interval or a comparison rests on little."""


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
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must lie within (0, 1), got {confidence_level!r}.")
        if not isinstance(n_resamples, Integral) or isinstance(n_resamples, bool):
            raise TypeError(f"n_resamples must be a whole number, got {n_resamples!r}.")
        if n_resamples < 2:
            raise ValueError(f"n_resamples must be at least 2, got {n_resamples!r}.")
        known = ("two-sided", "greater", "less")
        if alternative not in known:
            error = ValueError if isinstance(alternative, str) else TypeError
            raise error(f"alternative must be one of {known}, got {alternative!r}.")
        return cls(float(confidence_level), int(n_resamples), rng, alternative)


class Estimate(NamedTuple):
    """A value or one for each ranking, and how sure it is."""

    estimate: Any
    standard_error: Any
    low: Any
    high: Any
    method: str
    n_positives: Any


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """How values of rankings become one: ``shares`` are their weights, None for no average."""

    values: Float  # those without positives filled in
    defined: NDArray[np.bool_]
    overall: Any
    shares: Float | None
    n_positives: Float
    weighted: bool

    @classmethod
    def of(
        cls, raw: Float, counts: ThresholdCounts, request: Request, *, several: bool, fill: Any
    ) -> Average:
        """Average as the scores do; ``fill`` is ``zero_division``."""
        values, defined = fill_undefined(raw, fill), ~np.isnan(raw)
        weighted = request.average == "weighted" and several
        number = np.asarray(counts.n_positives, dtype=np.float64)
        if not several:
            return cls(values, defined, values[0], np.ones(1), number, weighted)
        if request.average is None:
            return cls(values, defined, values, None, number, weighted)
        overall = average_rankings(values, counts.n_positives if weighted else None)
        shares = np.where(np.isnan(values), 0.0, number if weighted else 1.0)
        total = shares.sum()
        shares = np.where(defined, shares / (total if total > 0 else 1.0), 0.0)
        return cls(values, defined, overall, shares, number, weighted)

    @property
    def moving(self) -> Float | None:
        """What a positive of each ranking moves the average by through its weight."""
        if not self.weighted or self.n_positives.sum() == 0:
            return None
        return np.where(self.defined, self.values - self.overall, 0.0) / self.n_positives.sum()


def estimated(definition: Definition, request: Request, clusters: Any, options: Options) -> Estimate:
    """An estimate with its interval."""
    fill = check_zero_division(request.zero_division)
    if request.groups is not None and clusters is not None:
        raise ValueError("clusters does not go with groups: each query is drawn as a whole.")
    rankings = check_rankings(request)
    units = find_units(request, rankings, clusters)
    if _over_queries(request, rankings):
        return _queries(definition, request, rankings, units, fill, options)
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings)
    plain = rankings.weight is None and units.codes is None
    if plain and (not rankings.several or request.average is None):
        counts = with_known(count(rankings), request, rankings)
        return _of_counts(definition, counts, request, options, several=rankings.several, fill=fill)
    resamples = options.n_resamples, options.rng
    model = models(definition, [request], [rankings], units, resamples)[0]
    average = Average.of(
        model.values, model.counts, request, several=rankings.several, fill=fill
    )
    found = model.spread(None, average.shares, average.moving)
    method = "influence" if model.smooth is not None else "resampling"
    _warn_of_few(model.positives, average, found, units)
    return _estimate(average, found, options, method, model.positives, _alone(units))


def of_counts(definition: Definition, counts: ThresholdCounts, options: Options) -> Estimate:
    """The interval of counts alone, one for each ranking."""
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            "An interval from counts takes unweighted ones: it needs the squares of the weights, "
            "which counts do not hold. Pass the rows to average_precision_interval."
        )
    request = Request(None, None, average=None)
    several = counts.starts.size > 1
    return _of_counts(definition, counts, request, options, several=several, fill="warn")


def _of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    request: Request,
    options: Options,
    *,
    several: bool,
    fill: Any,
) -> Estimate:
    """The interval of unweighted rankings, each on its own."""
    raw = np.minimum(definition(counts), 1.0)
    average = Average.of(raw, counts, request, several=several, fill=fill)
    found, method = cell_spread(definition, counts), "influence"
    if found is None:
        method, step = "resampling", cell_spread(Step(), counts)
        cases = np.asarray(definition.cases(counts), dtype=np.float64)
        drawn = replicate_counts(definition, counts, options.n_resamples, options.rng)
        found = drawn.spread(None, step._replace(cases=cases), average.shares, weighted=False)
    elif average.shares is not None:
        found = found._replace(joint=float(found.variance[0]))
    positives = np.asarray(counts.n_positives, dtype=np.float64)
    _warn_of_few(positives, average, found, None)
    return _estimate(average, found, options, method, positives, alone=False)


def _over_queries(request: Request, rankings: Rankings) -> bool:
    """Whether the average is one over rankings that are drawn at random."""
    if request.groups is not None:
        return request.average is not None
    return request.average == "samples" and np.ndim(request.y_score) == 2


def _alone(units: Units) -> bool:
    """Whether there is but one cluster."""
    return units.codes is not None and units.codes.max() == 0


def _estimate(
    average: Average, found: Spread, options: Options, method: str, positives: Float, alone: bool
) -> Estimate:
    """Limits of the values of rankings, or of their average."""
    level = options.confidence_level
    undefined = not average.defined.any() if average.shares is not None else ~average.defined
    enlarged = shrunk(found, average.values, average.overall)
    if average.shares is None:
        error, (variance, degrees) = np.sqrt(found.variance), (enlarged, found.cases - 1)
        positives = positives.copy()
    else:
        error = np.sqrt(found.joint)
        variance, degrees = pooled(found, enlarged, average.shares, found.cases - 1)
        positives = float(positives.sum())
    if alone:
        low, high, error = 0.0 * error, 0.0 * error + 1, np.nan * error
    else:
        low, high = limits(average.overall, np.maximum(variance, 1e-300), degrees, level)
    error, low, high = (np.where(undefined, np.nan, each) for each in (error, low, high))
    parts = [average.overall, error, low, high]
    if average.shares is not None:
        parts = [float(part) for part in parts]
    return Estimate(*parts, method, positives)


def _queries(
    definition: Definition,
    request: Request,
    rankings: Rankings,
    units: Units,
    fill: Any,
    options: Options,
) -> Estimate:
    """The interval of a mean over queries."""
    queries = Queries.of(definition, request, rankings, units, fill)
    variance, degrees, number = queries.variance(queries.values)
    queries.warn(number)
    return queries.estimate(variance, degrees, number, options)


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """The values of queries, of which the mean is taken."""

    values: Float
    weights: Float
    n_positives: Float
    overall: float
    codes: NDArray[np.intp] | None

    @classmethod
    def of(
        cls, definition: Definition, request: Request, rankings: Rankings, units: Units, fill: Any
    ) -> Queries:
        """Score each query; ``fill`` is ``zero_division``."""
        counts = counted(definition, request)[1]
        values = fill_undefined(np.minimum(definition(counts), 1.0), fill)
        number = np.asarray(counts.n_positives, dtype=np.float64)
        weights = number if request.average == "weighted" else rankings.average_weight
        overall = average_rankings(values, weights)
        weights = np.ones(values.size) if weights is None else weights
        return cls(values, weights, number, overall, units.codes)

    def variance(self, values: Float) -> tuple[float, float, float]:
        """Variance of the mean of such values, its degrees of freedom, and effective queries."""
        return query_variance(values, self.weights, self.n_positives > 0, self.codes)

    def estimate(
        self, variance: float, degrees: float, number: float, options: Options
    ) -> Estimate:
        """The mean with its limits."""
        found = float(self.n_positives.sum())
        if not found:
            return Estimate(self.overall, np.nan, np.nan, np.nan, "queries", found)
        low, high = 0.0, 1.0
        if not np.isnan(variance):
            # Queries that all score the same are as many cases of a share.
            enlarged = variance if variance > 0 else share_variance(self.overall) / number
            low, high = limits(self.overall, enlarged, degrees, options.confidence_level)
        error = float(np.sqrt(variance))
        return Estimate(self.overall, error, float(low), float(high), "queries", found)

    def difference(
        self, other: Queries, options: Options
    ) -> tuple[float, float, Any, Any, float, Any]:
        """The difference of two means: itself, its error, limits, degrees and p-value."""
        difference = self.overall - other.overall
        variance, degrees, number = self.variance(self.values - other.values)
        if np.isnan(variance):
            low, high = difference_limits(0.0, np.inf, 1.0, 0.5, options.alternative)
            return difference, variance, low, high, np.inf, 1.0
        enlarged = variance if variance > 0 else 1 / number**2
        judged = _judged(difference, enlarged, degrees, options)
        return difference, float(np.sqrt(variance)), *judged[:2], np.inf, judged[2]


def compared(
    definition: Definition,
    requests: list[Request],
    reference: int,
    clusters: Any,
    options: Options,
) -> dict[str, Any]:
    """Estimates of models, and their differences from a reference."""
    fill = check_zero_division(requests[0].zero_division)
    if requests[0].groups is not None and clusters is not None:
        raise ValueError("clusters does not go with groups: each query is drawn as a whole.")
    rankings = [check_rankings(request) for request in requests]
    units = find_units(requests[0], rankings[0], clusters)
    if _over_queries(requests[0], rankings[0]):
        found = _compared_queries(definition, requests, rankings, reference, units, fill, options)
    else:
        found = _compared_rows(definition, requests, rankings, reference, units, fill, options)
    others = np.arange(len(requests)) != reference
    found["adjusted_pvalues"] = np.ones_like(found["pvalues"])
    found["adjusted_pvalues"][others] = adjust(found["pvalues"][others])
    return found


def _compared_rows(
    definition: Definition,
    requests: list[Request],
    rankings: list[Rankings],
    reference: int,
    units: Units,
    fill: Any,
    options: Options,
) -> dict[str, Any]:
    """Compare the values of rankings, or their averages."""
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings[0])
    made = models(definition, requests, rankings, units, (options.n_resamples, options.rng))
    averages = []
    for model in made:
        several = rankings[0].several
        average = Average.of(model.values, model.counts, requests[0], several=several, fill=fill)
        averages.append(average)
        fill = np.nan if fill == "warn" else fill
    method = "influence" if made[0].smooth is not None else "resampling"
    first, alone, rows = averages[reference], _alone(units), []
    for i, (model, average) in enumerate(zip(made, averages, strict=True)):
        found = model.spread(None, average.shares, average.moving)
        own = _estimate(average, found, options, method, model.positives, alone)
        row = [own.estimate, own.low, own.high]
        if i == reference:
            zero = 0.0 * np.asarray(own.estimate)
            rows.append([*row, zero, zero, zero, zero, zero + 1])
            continue
        moving = None if average.moving is None else average.moving - first.moving
        found = model.spread(made[reference], average.shares, moving)
        rows.append([*row, *_difference(average, first, found, options, alone)])
    names = (
        *("estimates", "lows", "highs", "differences", "standard_errors"),
        *("difference_lows", "difference_highs", "pvalues"),
    )
    columns = (np.stack([np.asarray(e) for e in column]) for column in zip(*rows, strict=True))
    return dict(zip(names, columns, strict=True)) | {"method": method}


def _difference(
    average: Average, first: Average, found: Spread, options: Options, alone: bool
) -> list[Any]:
    """A difference, its error, its limits and its p-value."""
    difference = np.asarray(average.overall - first.overall)
    enlarged, degrees = nearly(found), np.minimum(found.degrees + 4, found.cases - 1)
    if average.shares is None:
        error, variance = np.sqrt(found.variance), enlarged
    else:
        error = np.sqrt(found.joint)
        variance, degrees = pooled(found, enlarged, average.shares, degrees)
    if alone:
        error, variance, degrees = np.nan * error, np.inf, 1.0
    low, high, p = _judged(difference, variance, degrees, options)
    return [difference, error, low, high, p]


def _judged(difference: Any, variance: Any, degrees: Any, options: Options) -> tuple[Any, Any, Any]:
    """Limits of a difference, and its p-value."""
    level, alternative = options.confidence_level, options.alternative
    low, high = difference_limits(difference, variance, degrees, level, alternative)
    return low, high, p_value(np.asarray(difference), variance, degrees, alternative)


def _compared_queries(*args: Any) -> dict[str, Any]:
    raise NotImplementedError


def _warn_of_few(positives: Float, average: Average, found: Spread, units: Units | None) -> None:
    """Say what an interval rests on, where that is little."""
