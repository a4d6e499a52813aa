"""Differences of scores that were estimated together: limits, p-values and verdicts that agree.

Equations are those of ``docs/methods.md``: 17, 18, 20 to 24 and 27.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from sklearn_ap._arithmetic import (
    ABSOLUTE_TOLERANCE,
    RELATIVE_TOLERANCE,
    TINY,
    falling_root,
    zero_rounding,
)
from sklearn_ap._errors import InputError
from sklearn_ap._types import Alternative, Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty._rooms import Room, join_rooms
from sklearn_ap._uncertainty.estimate import (
    Compared,
    Limits,
    above_rounding,
    variance_and_degrees,
)
from sklearn_ap._uncertainty.hidden_rows import Distances
from sklearn_ap._uncertainty.joint import Joint

# Draws of all differences at once: a level of 95% then has a standard error of 0.2%.
N_DRAWS = 10_000
# So many differences are drawn at once. Of more, such as those of many queries each, Bonferroni's
# limits are hardly wider, and need no table of draws.
MOST_DRAWN = 500
DRAWS_AT_ONCE = 100  # products of few rows wake no threads, which often takes longer than they save
AGREEING_DIGITS = 9  # in which numbers agree that were added up in another order
MOST_DISTANCE = 1e100
MOST_QUANTILE = 8.2  # with the p-value 2e-16, where levels end
# Eigenvalues of less, beside the largest one, are rounding errors of 0, whose roots would be seen.
ROUNDING_OF_EIGENVALUES = 1e-12


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of scores, with what their t tests need.

    They are simultaneous: limits hold all at once, and p-values and verdicts agree with them. All
    arrays have shape (n_differences,). Those of the first pair of models come first, one for each
    ranking. The variance is infinite where a sample tells nothing, as one unit does, and nan where
    a score is not defined.
    """

    estimate: Float  # score minus the score of the reference; nan where one is not defined
    bias: Float  # by how much the estimate is too high: equation 18
    variance: Float  # V of equation 17, and that of the bias
    degrees: Float  # of freedom of Student's t
    room: Room  # for what the sample lacks
    alternative: Alternative  # what is asked of each difference
    correlation: Float | None  # of known differences: equation 23; None if there are too many
    can_have_margin: bool
    n_effective: Float  # the smaller effective number of positives of both scores
    n_negatives: Float  # and that of negatives

    @property
    def standard_error(self) -> Float:
        """Roots of variances: infinite for one unit, and nan where a score is not defined."""
        return np.sqrt(self.variance)

    @property
    def is_known(self) -> Bool:
        """Whether a difference has limits."""
        return ~np.isnan(self.variance)

    @property
    def n_known(self) -> int:
        """The number of differences that are shown at once."""
        return int(np.count_nonzero(self.is_known))

    def limits(self, confidence_level: float) -> Limits:
        """Return simultaneous limits within [-1, 1], 0 for rounding: equations 22 and 23."""
        limits = self.limits_at(self.quantile(confidence_level)).one_sided(self.alternative)
        return Limits(*map(zero_rounding, limits))

    def limits_at(self, quantile: FloatOrArray) -> Limits:
        """Return the limits of each difference that are as rare as a normal quantile."""
        down, up = self.distances(quantile)
        center = self.estimate - self.bias
        low = np.minimum(np.maximum(center - down, -1.0), self.estimate)
        return Limits(low, np.maximum(np.minimum(center + up, 1.0), self.estimate))

    def distances(self, quantile: FloatOrArray) -> Distances:
        """Return how far both limits are from the estimate less its bias: equation 22."""
        return self.room.distances(quantile, self._t(quantile), self.standard_error, self.bias)

    def margin_distance(self, quantile: FloatOrArray) -> Float:
        """Return how far the limit of a margin is from it: equation 24."""
        t = self._t(quantile)
        return self.room.margin_distance(quantile, t, self.standard_error, self.bias)

    def half_width(self, quantile: FloatOrArray) -> Float:
        """Return how far the limit is that a true difference must pass, the farther of two."""
        down, up = self.distances(quantile)
        return {"greater": down, "less": up}.get(self.alternative, np.maximum(down, up))

    def _t(self, quantile: FloatOrArray) -> Float:
        """Return the quantiles of Student's t that are as rare as the normal one.

        Above 0, so that an infinite error has infinite limits at each level
        """
        t = -stdtrit(self.degrees, ndtr(-np.asarray(quantile)))
        return np.where(t == 0, TINY, t)

    @cached_property
    def quantiles_shown(self) -> Float:
        """The largest normal quantile at which a limit excludes 0, below 0 if it is the other one.

        0 if limits exclude 0 at no level, and at most where levels end.
        """
        away = np.abs(self.estimate - self.bias)
        is_above = self.estimate - self.bias > 0

        def excess(quantile: Float) -> Float:
            # Relative, as Student's t of few degrees is huge, or infinite
            distance = np.minimum(np.where(is_above, *self.distances(quantile)), MOST_DISTANCE)
            # Hidden rows may lower a score to 0, or nearly, and limits of differences, too.
            return (away - distance - ABSOLUTE_TOLERANCE) / (away + distance + ABSOLUTE_TOLERANCE)

        shown = falling_root(excess, np.zeros(away.size), np.full(away.size, MOST_QUANTILE))
        points_up = is_above if self.alternative != "less" else ~is_above
        is_against = ~points_up & (self.alternative != "two-sided")
        return np.where(np.isnan(away), np.nan, np.where(is_against, -shown, shown))

    @cached_property
    def single_pvalues(self) -> Float:
        """The p-value of each difference by itself."""
        return self._n_sides * ndtr(-self.quantiles_shown)

    @cached_property
    def pvalues(self) -> Float:
        """The p-values for all differences at once, which agree with the limits: equation 23."""
        p, m = self.single_pvalues, self.n_known
        if m < 2:
            return p
        most = np.minimum(m * p, 1.0)
        if self.correlation is None:
            return most
        z = self.quantiles_shown
        # Half a draw more, so that no p-value is one minus a usual level.
        share = (N_DRAWS - self._largest_errors.searchsorted(z) + 0.5) / N_DRAWS
        return np.where(self.is_known, np.clip(share, p, most), np.nan)

    def compared(self, confidence_level: float, margin: float | None = None) -> Compared:
        """Return limits, p-values and verdicts: "better", "worse", "not worse" or "undecided".

        The first two verdicts agree with limits and p-values. "undecided" also stands where a score
        is not defined. "not worse" needs a margin, and says more than "undecided" alone.
        """
        limits = self.limits(confidence_level)
        verdicts = limits.verdicts()
        if margin is not None:
            is_not_worse = self.margin_low(confidence_level) > -margin
            verdicts[(verdicts == "undecided") & is_not_worse] = "not worse"
        return Compared(self.estimate, *limits, self.pvalues, verdicts)

    def margin_low(self, confidence_level: float) -> Float:
        """Return lower limits that leave room for hidden failures of the model: equation 24.

        A model is not worse by a margin d if its limit is above -d. The test has half of the error
        of two-sided limits, which it needs, and is simultaneous as they are.
        """
        if not self.can_have_margin:
            raise InputError(
                "margin is for step average precision of one ranking of rows at its own "
                "prevalence, also of pooled folds, and for means over queries of one test set that "
                "weigh the same, without clusters or few labels. Leave out margin, and read the "
                "lower limit of the difference."
            )
        distance = self.margin_distance(self.quantile(confidence_level))
        return np.maximum(self.estimate - self.bias - distance, -1.0)

    def enlarged(self, n_times: FloatOrArray) -> Differences:
        """Return the differences that a sample so many times as large would have: equation 27."""
        return replace(
            self,
            bias=self.bias / n_times,
            variance=self.variance / n_times,
            degrees=np.maximum(self.degrees * n_times, 1.0),
            room=self.room.enlarged(n_times),
        )

    def quantile(self, confidence_level: float) -> float:
        """Return how many errors, on the normal scale, a limit is away: equation 23."""
        error, m = 1 - confidence_level, max(self.n_known, 1)
        # 0 on one side at levels below a half, whose limits are the estimate
        single, bonferroni = (max(float(-ndtri(error / self._n_sides / n)), 0.0) for n in (1, m))
        if m == 1 or self.correlation is None:
            return bonferroni
        # The most draws above whose p-value is shown at this level
        n_above = int(np.ceil(error * N_DRAWS * (1 - RELATIVE_TOLERANCE) - 0.5)) - 1
        simultaneous = np.append(self._largest_errors, np.inf)[N_DRAWS - n_above - 1]
        return max(single, min(float(simultaneous), bonferroni))

    @property
    def _n_sides(self) -> int:
        return 2 if self.alternative == "two-sided" else 1

    @cached_property
    def _largest_errors(self) -> Float:
        """The largest error of all differences in each draw, in increasing order.

        Differences are drawn in an order of their sizes, so that no order of models matters. One
        side stands for the other, too, as errors are symmetric.
        """
        correlation, sizes = cast(Float, self.correlation), np.abs(self.estimate[self.is_known])
        order = content_order(correlation.sum(axis=0), self.degrees[self.is_known], sizes)
        errors = draw_errors(correlation[np.ix_(order, order)])
        return np.sort((np.abs(errors) if self._n_sides == 2 else errors).max(axis=1))


def join_differences(parts: Sequence[Differences]) -> Differences:
    """Join differences in several parts of the data, whose limits hold at once.

    They do so by Bonferroni's rule, as no part tells how its errors go with those of another one.
    """
    first = parts[0]
    names = {field.name for field in fields(first)} - {
        *("room", "alternative", "correlation", "can_have_margin")
    }
    joined: dict[str, Any] = {  # each of the type of its field
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    return replace(
        first,
        **joined,
        room=join_rooms([part.room for part in parts]),
        correlation=None,
        can_have_margin=all(part.can_have_margin for part in parts),
    )


def differences_of(
    joint: Joint, models: Sequence[tuple[int, int]], *, alternative: Alternative = "two-sided"
) -> Differences:
    """Compare models with their references, of which ``models`` are pairs."""
    pairs = _Pairs.of(joint, models)
    bias, bias_variance = pairs.bias()
    variance, degrees = pairs.variance()
    n_effective = pairs.least(joint.n_effective_of_differences)
    variance += above_rounding(bias_variance, n_effective)
    has_several = joint.has_several_units
    has_units = has_several[pairs.model] & has_several[pairs.reference]
    total = np.where(has_units, variance, np.inf)
    is_defined = joint.estimate.is_defined
    estimate = pairs.difference(np.where(is_defined, joint.estimate.value, np.nan))
    total[np.isnan(estimate)] = np.nan
    return Differences(
        estimate=estimate,
        bias=bias,
        variance=total,
        degrees=degrees,
        room=joint.room(pairs.model, pairs.reference),
        alternative=alternative,
        correlation=pairs.correlation(total),
        can_have_margin=joint.can_have_margin,
        n_effective=n_effective,
        n_negatives=pairs.least(joint.estimate.n_negatives),
    )


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of scores of a joint estimate: indices of the scores and of their references."""

    joint: Joint
    model: Index
    reference: Index

    @classmethod
    def of(cls, joint: Joint, models: Sequence[tuple[int, int]]) -> _Pairs:
        """Pair the scores of models, one by one for each ranking."""
        first = np.array(models, np.intp).reshape(-1, 2) * joint.n_rankings
        scores = first[:, :, None] + np.arange(joint.n_rankings)
        return cls(joint, scores[:, 0].ravel(), scores[:, 1].ravel())

    def difference(self, values: Float) -> Float:
        """Return the differences of values."""
        return np.asarray(values[self.model] - values[self.reference])

    def least(self, values: Float) -> Float:
        """Return the smaller value of each pair."""
        return np.minimum(values[self.model], values[self.reference])

    def variance(self) -> tuple[Float, Float]:
        """Return V of equation 17, or of 20 if half samples stand for influences, and degrees."""
        joint = self.joint
        sums = joint.influences.difference_sums(self.model, self.reference)
        n_effective = self.least(joint.n_effective_of_differences)
        n_units = self.least(joint.influences.n_units)
        variance, nu = variance_and_degrees(*sums, n_effective, n_units)
        halves = joint.half_influences
        if halves is not None:
            variance = np.where(variance > 0, (self.difference(halves) ** 2).sum(axis=1), 0.0)
        most = n_effective - 1
        degrees = most if joint.is_of_queries else np.minimum(nu, most)
        return variance * joint.difference_factor, np.maximum(degrees, 1.0)

    def bias(self) -> tuple[Float, Float]:
        """Return the bias of each difference, and its variance by the spread: equation 18."""
        if self.joint.bias_parts is None:
            return np.zeros(self.model.size), np.zeros(self.model.size)
        parts = self.difference(self.joint.bias_parts)
        return parts.sum(axis=1), parts.shape[1] * parts.var(axis=1, ddof=1)

    def correlation(self, variance: Float) -> Float | None:
        """Return the correlation of known differences; those without variance have none."""
        is_known = ~np.isnan(variance)
        if not 1 < np.count_nonzero(is_known) <= MOST_DRAWN:
            return None
        pairs = _Pairs(self.joint, self.model[is_known], self.reference[is_known])
        covariance = pairs.difference(pairs.difference(self.joint.covariance).T)
        error = np.sqrt(np.where(variance[is_known] > 0, variance[is_known], np.inf))
        correlation = covariance * self.joint.difference_factor / error / error[:, None]
        np.fill_diagonal(correlation, 1.0)
        return np.asarray(correlation)


def content_order(*keys: Array) -> Index:
    """Sort models or differences by their numbers, the last key first, whatever they are called."""
    return np.lexsort(np.round(keys, AGREEING_DIGITS))


def draw_errors(covariance: Float) -> Float:
    """Draw normal errors with this covariance, always the same: (n_draws, n_scores)."""
    values, vectors = np.linalg.eigh(covariance)
    # The symmetric root hardly changes if the matrix hardly does, unlike its eigenvectors.
    is_rounding = values < ROUNDING_OF_EIGENVALUES * values.max(initial=0.0)
    root = (vectors * np.sqrt(np.where(is_rounding, 0.0, values))) @ vectors.T
    errors = np.random.default_rng(0).normal(size=(N_DRAWS, len(covariance)))
    for start in range(0, N_DRAWS, DRAWS_AT_ONCE):
        part = slice(start, start + DRAWS_AT_ONCE)
        errors[part] = errors[part] @ root
    return errors
