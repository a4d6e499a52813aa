"""Differences of scores that were estimated together: limits, p-values and verdicts that agree.

Equations are those of ``docs/methods.md``: 17, 18, 20 to 24 and 27.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, TINY, zero_rounding
from sklearn_ap._errors import InputError
from sklearn_ap._types import Alternative, Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.estimate import (
    Compared,
    Limits,
    above_rounding,
    degrees_of_sum,
    prior_weight,
    variance_and_degrees,
)
from sklearn_ap._uncertainty.joint import Joint

# Two hidden rows, one in favour of each model, are the prior: a row is two degrees of freedom, as
# nu is 2 where one decides.
DEGREES_OF_PRIOR = 4.0
# Draws of all differences at once: a level of 95% then has a standard error of 0.2%.
N_DRAWS = 10_000
# So many differences are drawn at once. Of more, such as those of many queries each, Bonferroni's
# limits are hardly wider, and need no table of draws.
MOST_DRAWN = 500
DRAWS_AT_ONCE = 100  # products of few rows wake no threads, which often takes longer than they save
AGREEING_DIGITS = 9  # in which numbers agree that were added up in another order
MOST_CHANGE = 1e70  # of one unit: the fourth powers of more are infinite
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
    variance: Float  # V* of equation 22
    degrees: Float  # of freedom of this variance
    prior: Float  # v_0 of equation 21, which is a part of the variance
    nu: Float  # that the prior depends on
    alternative: Alternative  # what is asked of each difference
    correlation: Float | None  # of known differences: equation 23; None if there are too many
    hidden_cost: Float | None  # equation 24; None where a margin is refused, or not asked
    n_effective: Float  # the smaller effective number of positives of both scores
    n_negatives: Float  # and that of negatives

    @property
    def standard_error(self) -> Float:
        """The roots of V*: infinite for one unit, and nan where a score is not defined."""
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
        """Return simultaneous limits within [-1, 1]: equations 22 and 23."""
        reach = self.reach(self.quantile(confidence_level))
        center = self.estimate - self.bias
        low = np.minimum(np.maximum(center - reach, -1.0), self.estimate)
        high = np.maximum(np.minimum(center + reach, 1.0), self.estimate)
        return Limits(low, high).one_sided(self.alternative)

    @property
    def t(self) -> Float:
        """How many errors each difference is above 0."""
        away = self.estimate - self.bias
        reach = np.sqrt(np.maximum(away**2 - self.bias**2, 0.0))  # the bias, in squares
        return np.asarray(np.sign(away) * reach / np.maximum(self.standard_error, TINY))

    @cached_property
    def single_pvalues(self) -> Float:
        """The p-value of each difference by itself."""
        against = {"two-sided": -np.abs(self.t), "greater": -self.t, "less": self.t}
        return self._n_sides * stdtr(self.degrees, against[self.alternative])

    @cached_property
    def pvalues(self) -> Float:
        """The p-values for all differences at once, which agree with the limits: equation 23."""
        p, m = self.single_pvalues, self.n_known
        if m < 2:
            return p
        most = np.minimum(m * p, 1.0)
        if self.correlation is None:
            return most
        z = -ndtri(np.clip(p / self._n_sides, TINY, 1.0))
        # Half a draw more, so that no p-value is one minus a usual level.
        share = (N_DRAWS - self._largest_errors.searchsorted(z) + 0.5) / N_DRAWS
        return np.where(self.is_known, np.clip(share, p, most), np.nan)

    def compared(self, confidence_level: float, margin: float | None = None) -> Compared:
        """Return limits, p-values and verdicts: "better", "worse", "not worse" or "undecided".

        The first two verdicts agree with limits and p-values. "undecided" also stands where a score
        is not defined. "not worse" needs a margin, and says more than "undecided" alone.
        """
        limits = Limits(*map(zero_rounding, self.limits(confidence_level)))
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
        if self.hidden_cost is None:
            raise InputError(
                "margin is for step average precision of one ranking of rows at its own "
                "prevalence, and for means over queries that weigh the same, without clusters, "
                "folds or few labels. Leave out margin, and read the lower limit of the difference."
            )
        reach = self.margin_reach(self.quantile(confidence_level))
        return np.maximum(self.estimate - self.bias - reach, -1.0)

    def enlarged(self, n_times: FloatOrArray) -> Differences:
        """Return the differences that a sample so many times as large would have: equation 27."""
        hidden_cost = self.hidden_cost
        # R grows, too, so that hidden rows of the prior change less: equation 21
        before, after = (prior_weight(nu, DEGREES_OF_PRIOR) for nu in (self.nu, self.nu * n_times))
        prior = self.prior / n_times**2 * after / before
        return replace(
            self,
            bias=self.bias / n_times,
            variance=(self.variance - self.prior) / n_times + prior,
            prior=prior,
            nu=self.nu * n_times,
            degrees=np.maximum(self.degrees * n_times, 1.0),
            hidden_cost=None if hidden_cost is None else hidden_cost / n_times,
        )

    def reach(self, quantile: FloatOrArray) -> Float:
        """Return how far limits are from the estimate less its bias: equation 22."""
        # The quantile of Student's t that is as rare as the normal one; above 0, so that an
        # infinite error has infinite limits at each level
        t = -stdtrit(self.degrees, ndtr(-quantile))
        return np.hypot(np.where(t == 0, TINY, t) * self.standard_error, self.bias)

    def margin_reach(self, quantile: float) -> Float:
        """Return how far limits are that leave room for hidden failures: equation 24."""
        return np.hypot(self.reach(quantile), cast(Float, self.hidden_cost))

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


def differences_of(
    joint: Joint,
    models: Sequence[tuple[int, int]],
    *,
    alternative: Alternative = "two-sided",
    has_margin: bool = False,
) -> Differences:
    """Compare models with their references, of which ``models`` are pairs.

    With a margin, limits leave room for hidden failures, which takes longer.
    """
    pairs = _Pairs.of(joint, models)
    bias, bias_variance = pairs.bias()
    variance, nu = pairs.variance()
    n_effective = pairs.least(joint.n_effective_of_differences)
    variance += above_rounding(bias_variance, n_effective)
    prior = pairs.prior(nu)
    has_several = joint.has_several_units
    has_units = has_several[pairs.model] & has_several[pairs.reference]
    total = np.where(has_units, variance + prior, np.inf)
    is_defined = joint.estimate.is_defined
    estimate = pairs.difference(np.where(is_defined, joint.estimate.value, np.nan))
    total[np.isnan(estimate)] = np.nan
    hidden_cost = joint.hidden_cost if has_margin else None
    return Differences(
        estimate=estimate,
        bias=bias,
        variance=total,
        degrees=degrees_of_sum(variance, nu, prior, DEGREES_OF_PRIOR, n_effective - 1),
        prior=prior,
        nu=nu,
        alternative=alternative,
        correlation=pairs.correlation(total),
        hidden_cost=None if hidden_cost is None else hidden_cost[pairs.model],
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
        """Return V and nu of equation 17; V of equation 20 if half samples stand for influences."""
        joint = self.joint
        sums = joint.influences.difference_sums(self.model, self.reference)
        n_effective = self.least(joint.n_effective_of_differences)
        n_units = self.least(joint.influences.n_units)
        variance, nu = variance_and_degrees(*sums, n_effective, n_units)
        halves = joint.half_influences
        if halves is not None:
            variance = np.where(variance > 0, (self.difference(halves) ** 2).sum(axis=1), 0.0)
        return variance * joint.difference_factor, nu

    def bias(self) -> tuple[Float, Float]:
        """Return the bias of each difference, and its variance by the spread: equation 18."""
        if self.joint.bias_parts is None:
            return np.zeros(self.model.size), np.zeros(self.model.size)
        parts = self.difference(self.joint.bias_parts)
        return parts.sum(axis=1), parts.shape[1] * parts.var(axis=1, ddof=1)

    def prior(self, nu: Float) -> Float:
        """Return v_0 of equation 21: what a hidden row would change."""
        # Less than one row tells nothing, whatever it would change, so this changes no limit.
        row_change = np.minimum(self.joint.row_change, MOST_CHANGE)
        largest = np.maximum(row_change[self.model], row_change[self.reference])
        return prior_weight(nu, DEGREES_OF_PRIOR) * largest**2

    def correlation(self, variance: Float) -> Float | None:
        """Return the correlation of known differences, whose variances have the prior."""
        is_known = ~np.isnan(variance)
        if not 1 < np.count_nonzero(is_known) <= MOST_DRAWN:
            return None
        pairs = _Pairs(self.joint, self.model[is_known], self.reference[is_known])
        covariance = pairs.difference(pairs.difference(self.joint.covariance).T)
        error = np.sqrt(variance[is_known])
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
