"""Differences of scores that were estimated together: limits, p-values and verdicts that agree.

Equations are those of the part on comparisons of ``docs/methods.md``: 1, 2 and 6 to 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty._sampling import ratio, variance_and_degrees
from sklearn_ap._uncertainty.joint import Joint
from sklearn_ap._uncertainty.limits import Limits
from sklearn_ap._uncertainty.options import Alternative

# Two hidden units, one in favour of each model, are the prior: a unit is two degrees of freedom, as
# nu is 2 where one unit decides.
PRIOR_DEGREES = 4.0
# If fewer units than this share decide a difference, models may disagree on a whole unit, such as a
# patient, of which the sample has none.
FEW_UNITS = 0.25
# Draws of all differences at once: a level of 95% then has a standard error of 0.2%.
N_DRAWS = 10_000
# So many differences are drawn at once. Of more, such as those of many queries each, Bonferroni's
# limits are hardly wider, and need no table of draws.
MOST_DRAWN = 500
NUMBERS_AT_ONCE = 4_000_000  # in memory
DIGITS = 9  # in which numbers agree that were added up in another order
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of scores, with what their t tests need.

    They are simultaneous: limits hold all at once, and p-values and verdicts agree with them. All
    arrays have shape (n_differences,). Those of the first pair of models come first, one for each
    ranking.

    Parameters
    ----------
    estimate : ndarray
        Score minus the score of the reference.
    bias : ndarray
        By how much the estimate is too high: equation 2. It is subtracted from limits.
    variance, degrees : ndarray
        V* of equation 7 and its degrees of freedom. The variance is infinite where a sample tells
        nothing, as one unit does, and nan where a score is not defined.
    alternative : {"two-sided", "greater", "less"}
    correlation : ndarray of shape (n_known, n_known) or None
        Of the errors of those differences that are known: equation 8. None if there are too many.
    few_units : ndarray of bool
        Whether fewer than a quarter of the units decide: look at these.
    hidden_cost : ndarray or None
        What a margin leaves room for: equation 9. None where a margin is refused.
    """

    estimate: Float
    bias: Float
    variance: Float
    degrees: Float
    alternative: Alternative
    correlation: Float | None
    few_units: Bool
    hidden_cost: Float | None

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
        """Return simultaneous limits within [-1, 1]: equations 7 and 8.

        With an alternative, only one of them tells anything: the other one is -1 or 1.
        """
        half = self.half_width(self.quantile(confidence_level))
        center = self.estimate - self.bias
        low = np.minimum(np.maximum(center - half, -1.0), self.estimate)
        high = np.maximum(np.minimum(center + half, 1.0), self.estimate)
        if self.alternative != "two-sided":
            is_greater = self.alternative == "greater"
            ends = np.where(self.is_known, 1.0, np.nan)
            low, high = (low, ends) if is_greater else (-ends, high)
        return Limits(low, high)

    @cached_property
    def single_pvalues(self) -> Float:
        """The p-value of each difference by itself."""
        t = self._t_statistic()
        if self.alternative == "two-sided":
            return np.asarray(2 * stdtr(self.degrees, -np.abs(t)))
        return np.asarray(stdtr(self.degrees, -t if self.alternative == "greater" else t))

    @cached_property
    def pvalues(self) -> Float:
        """The p-values for all differences at once, which agree with the limits: equation 8."""
        p, m = self.single_pvalues, self.n_known
        if m < 2:
            return p
        if self.correlation is None:
            return np.minimum(m * p, 1.0)
        sides = 2 if self.alternative == "two-sided" else 1
        z = -ndtri(np.clip(p / sides, TINY, 1.0))
        highest = self._highest[self.alternative]
        # Half a draw more, so that no p-value is one minus a level.
        share = (N_DRAWS - highest.searchsorted(z) + 0.5) / N_DRAWS
        return np.where(np.isnan(p), np.nan, np.clip(share, p, np.minimum(m * p, 1.0)))

    def verdicts(self, confidence_level: float, margin: float | None = None) -> list[str]:
        """Return "better", "worse", "not worse" or "undecided" for each difference.

        The first two agree with ``limits`` and ``pvalues``. "undecided" also stands where a score
        is not defined. "not worse" needs a margin, and says more than "undecided" alone.
        """
        low, high = self.limits(confidence_level)
        found = np.select([low > 0, high < 0], ["better", "worse"], "undecided").astype(object)
        if margin is not None:
            is_not_worse = self.margin_low(confidence_level) > -margin
            found[(found == "undecided") & is_not_worse] = "not worse"
        return cast(list[str], found.tolist())

    def margin_low(self, confidence_level: float) -> Float:
        """Return lower limits that leave room for hidden failures of the model: equation 9.

        A model is not worse by a margin d if its limit is above -d. The test has half of the error
        of two-sided limits, and is simultaneous as they are.
        """
        if self.hidden_cost is None:
            raise ValueError(
                "margin is for step average precision of one ranking of rows, and for means over "
                "queries that weigh the same. Elsewhere models that are worse by the margin were "
                "called 'not worse' more often than 6 times in 100, where 2.5 are allowed, or "
                "nobody tried. Leave out margin, and read the lower limit of the difference."
            )
        half = self.margin_half_width(self.quantile(confidence_level))
        return np.maximum(self.estimate - self.bias - half, -1.0)

    def half_width(self, quantile: float) -> Float:
        """Return how far limits are from the difference minus its bias: equation 7."""
        t = -stdtrit(self.degrees, ndtr(-quantile))  # as rare as the normal quantile
        return np.hypot(t * self.standard_error, self.bias)

    def margin_half_width(self, quantile: float) -> Float:
        """Return how far limits are that leave room for hidden failures: equation 9."""
        return np.hypot(self.half_width(quantile), cast(Float, self.hidden_cost))

    def enlarged(self, n_times: FloatOrArray) -> Differences:
        """Return the differences that a sample so many times as large would have: equation 20."""
        hidden_cost = self.hidden_cost
        return replace(
            self,
            bias=self.bias / n_times,
            variance=self.variance / n_times,
            degrees=np.maximum(self.degrees * n_times, 1.0),
            hidden_cost=None if hidden_cost is None else hidden_cost / n_times,
        )

    def _t_statistic(self) -> Float:
        """Return how many standard errors 0 is away, less the bias in squares."""
        away = self.estimate - self.bias
        reach = np.sqrt(np.maximum(away**2 - self.bias**2, 0.0))
        return np.asarray(np.sign(away) * reach / np.maximum(self.standard_error, TINY))

    def quantile(self, confidence_level: float) -> float:
        """Return how many errors, on the normal scale, a limit is away: equation 8."""
        m = max(self.n_known, 1)
        error = (1 - confidence_level) / (2 if self.alternative == "two-sided" else 1)
        single, bonferroni = float(-ndtri(error)), float(-ndtri(error / m))
        if m == 1:
            return single
        if self.correlation is None:
            return bonferroni
        n_above = int(np.floor((1 - confidence_level) * N_DRAWS - 0.5))
        simultaneous = np.append(self._highest[self.alternative], np.inf)[N_DRAWS - n_above - 1]
        return max(single, min(float(simultaneous), bonferroni))

    @cached_property
    def _highest(self) -> dict[Alternative, Float]:
        """The largest errors of all differences in each draw, in increasing order.

        Differences are drawn in an order of their numbers, so that no order of models matters.
        """
        correlation = cast(Float, self.correlation)
        keys = (correlation.sum(axis=0), self.degrees[self.is_known], self.estimate[self.is_known])
        order = content_order(*keys)
        errors = draw_errors(correlation[np.ix_(order, order)])
        low, high = errors.min(axis=1), errors.max(axis=1)
        return {
            "two-sided": np.sort(np.maximum(-low, high)),
            "greater": np.sort(high),
            "less": np.sort(-low),
        }


def differences(
    joint: Joint,
    models: int | Sequence[tuple[int, int]] = 0,
    *,
    alternative: Alternative = "two-sided",
) -> Differences:
    """Compare models with a reference, or pairs of models.

    Parameters
    ----------
    joint : Joint
    models : int or sequence of pairs of int, default=0
        The reference, with which all others are compared in their order. Or pairs of a model and
        its reference.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether models are better than the reference, and "less" whether they are
        worse.
    """
    if isinstance(models, int):
        models = [(model, models) for model in range(joint.n_models) if model != models]
    ranking = np.arange(joint.n_rankings)
    model, reference = (
        np.concatenate([each * ranking.size + ranking for each in side])
        for side in zip(*models, strict=True)
    )
    both = model, reference
    bias, bias_variance = _bias(joint, *both)
    moments = _moments(joint, *both)
    n = _least(joint.sizes.n_effective, *both)
    own, nu = variance_and_degrees(*moments, _least(joint.sizes.n_units, *both), n)
    own = np.where(nu > 0, _squares(joint, moments[0], *both) * joint.difference_factor, 0.0)
    own += bias_variance
    prior, few_units = _prior(joint, nu, *both)
    tells = joint.tells[model] & joint.tells[reference]
    is_defined = joint.collect("is_defined")
    variance = np.where(tells, own + prior, np.inf)
    variance[~(is_defined[model] & is_defined[reference])] = np.nan
    return Differences(
        estimate=joint.values[model] - joint.values[reference],
        bias=bias,
        variance=variance,
        degrees=_satterthwaite(own, nu, prior, n),
        alternative=alternative,
        correlation=_correlation(joint, variance, *both),
        few_units=few_units,
        hidden_cost=None if joint.hidden_cost is None else joint.hidden_cost[model],
    )


def _least(values: Float, model: Index, reference: Index) -> Float:
    return np.minimum(values[model], values[reference])


def _largest(values: Float, model: Index, reference: Index) -> Float:
    return np.maximum(values[model], values[reference])


class _Moments(NamedTuple):
    squares: Float
    fourth_powers: Float


def _moments(joint: Joint, model: Index, reference: Index) -> _Moments:
    """Add up the squares and the fourth powers of the influences on each difference."""
    phi = joint.influences
    n_together = max(1, NUMBERS_AT_ONCE // max(phi.shape[1], 1))
    parts = []
    for start in range(0, model.size, n_together):
        part = slice(start, start + n_together)
        changes = phi[model[part]] - phi[reference[part]]
        squares = changes.power(2) if isinstance(changes, csr_array) else np.square(changes)
        parts.append((squares.sum(axis=1), (squares**2).sum(axis=1)))
    return _Moments(*map(np.concatenate, zip(*parts, strict=True)))


def _squares(joint: Joint, squares: Float, model: Index, reference: Index) -> Float:
    """Return V of equation 1, or of equation 5 where half samples stand for influences."""
    if joint.halves is None:
        return squares
    return np.asarray(np.square(joint.halves[model] - joint.halves[reference]).sum(axis=1))


def _bias(joint: Joint, model: Index, reference: Index) -> tuple[Float, Float]:
    """Return the bias of each difference, and its variance by the spread over rankings."""
    if joint.bias is None:
        return np.zeros(model.size), np.zeros(model.size)
    parts = joint.bias[:, model] - joint.bias[:, reference]
    return parts.sum(axis=0), len(parts) * parts.var(axis=0, ddof=1)


def _prior(joint: Joint, nu: Float, model: Index, reference: Index) -> tuple[Float, Bool]:
    """Return v_0 of equation 6, and whether few units decide."""
    one_unit, one_row = (
        _largest(one, model, reference) for one in (joint.sizes.one_unit, joint.sizes.one_row)
    )
    few_units = nu * one_unit < FEW_UNITS
    share = PRIOR_DEGREES / (nu + PRIOR_DEGREES)
    return share * np.where(few_units, one_unit, one_row) ** 2, few_units


def _satterthwaite(own: Float, nu: Float, prior: Float, n: Float) -> Float:
    """Return the degrees of freedom of the sum of two variances: equation 7."""
    parts = own**2 / np.maximum(nu, TINY) + prior**2 / PRIOR_DEGREES
    return np.clip(ratio((own + prior) ** 2, parts, 1.0), 1.0, np.maximum(n - 1, 1.0))


def _correlation(joint: Joint, variance: Float, model: Index, reference: Index) -> Float | None:
    """Return the correlation of known differences, whose variances have the prior: equation 8."""
    is_known = ~np.isnan(variance)
    model, reference, variance = model[is_known], reference[is_known], variance[is_known]
    if not 1 < variance.size <= MOST_DRAWN:
        return None
    sigma = joint.covariance * joint.difference_factor
    covariance = sigma[np.ix_(model, model)] + sigma[np.ix_(reference, reference)]
    covariance -= sigma[np.ix_(model, reference)] + sigma[np.ix_(reference, model)]
    error = np.sqrt(variance)
    correlation = covariance / error / error[:, None]
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def content_order(*keys: Array) -> Index:
    """Sort models or differences by their numbers, the last key first, whatever they are called."""
    return np.lexsort(np.round(keys, DIGITS))


def draw_errors(covariance: Float) -> Float:
    """Draw normal errors with this covariance, always the same: (n_draws, n_scores)."""
    values, vectors = np.linalg.eigh(covariance)
    # The symmetric root hardly changes if the matrix hardly does, unlike its eigenvectors.
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    drawn = np.random.default_rng(0).normal(size=(N_DRAWS, len(covariance)))
    return np.asarray(drawn @ root)
