"""Which of many models may be the best, and how much the highest score flatters.

Equations are those of ``docs/methods.md``: 25 and 26.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, TINY, zero_rounding
from sklearn_ap._errors import InputError
from sklearn_ap._types import Float
from sklearn_ap._uncertainty.differences_of_models import (
    Differences,
    content_order,
    differences_of,
    draw_errors,
)
from sklearn_ap._uncertainty.joint import Joint

LEAST_ERROR = 1e-12  # of a score that does not vary, by which errors of rounding are divided


@dataclass(frozen=True, eq=False)
class BestOfMany:
    """Which models may be the best: those whose p-value is at least one minus the level.

    With the probability of the level, the best model is among these. No score is corrected by the
    optimism, which is too small where scores hang on single rows.
    """

    pvalues: Float  # of the hypothesis that no other model is better than this one
    gap_high: Float  # upper limits of each score minus the score of the best model
    winner_low: float  # the lower limit of the highest score, which allows for the choice
    optimism: float  # by how much the highest score is too high on average, as it was chosen


def best_of(joint: Joint, confidence_level: float) -> BestOfMany:
    """Find the models that may be the best, at a level: their scores must be single ones."""
    # Two models that rank alike -> p-values of 1: both may be the best
    if joint.n_rankings > 1:
        raise InputError(
            "reference='best' is for models with one score each, but average=None gives one for "
            "each ranking. Pass average='macro', or compare the models of each ranking by itself."
        )
    if not joint.estimate.is_defined.all():  # without a positive, no model has a score
        none = np.full(joint.n_models, np.nan)
        return BestOfMany(none, none, np.nan, np.nan)
    order = content_order(joint.covariance.sum(axis=0), joint.estimate.value)
    errors = draw_errors(joint.covariance[np.ix_(order, order)])[:, np.argsort(order)]
    pvalues, gap_high = _pvalues_and_limits(joint, errors, 1 - confidence_level)
    winner = int(np.argmax(joint.estimate.value))
    level = max(confidence_level, _level_of_largest(joint, errors, confidence_level))
    return BestOfMany(
        pvalues=pvalues,
        gap_high=gap_high,
        winner_low=float(joint.estimate.limits(level).low[winner]),
        optimism=_optimism(joint, errors),
    )


def _pvalues_and_limits(joint: Joint, errors: Float, alpha: float) -> tuple[Float, Float]:
    """Test of each model that no other one is better, and limit how near to the best it is.

    That is equation 25. A limit is below 0 if the p-value is below alpha.
    """
    # Other models with p-values of 0.2 and 0.8 against one -> z = 0.84 by the least
    n = joint.n_models
    tests = _tests_against_each(joint)
    z = tests.quantiles_shown.reshape(n, -1).max(axis=1)
    least = ndtr(-z)
    pvalues = np.ones(n)
    quantiles = np.zeros(n)
    # 1 - 0.95 is 0.05000000000000004, and means 0.05.
    n_above = max(int(np.ceil(alpha * len(errors) * (1 - RELATIVE_TOLERANCE))), 1)
    for a in range(n):
        gaps = _largest_gap(joint.covariance, errors, a)
        if z[a] > 0:
            pvalues[a] = np.mean(gaps >= z[a])
        quantiles[a] = np.sort(gaps)[-n_above]
    quantiles = np.maximum(quantiles, max(float(-ndtri(alpha)), 0.0))
    low = tests.limits_at(np.repeat(quantiles, n - 1)).low
    return np.clip(pvalues, least, 1.0), zero_rounding(-low.reshape(n, -1).max(axis=1))


def _tests_against_each(joint: Joint) -> Differences:
    """Test whether others are better than each model: first all others than the first one."""
    models = range(joint.n_models)
    pairs = [(other, model) for model in models for other in models if other != model]
    tests = differences_of(joint, pairs, alternative="greater")
    # Of less, p-values would jump from 0.5 to 1 by chance.
    is_seen = np.abs(tests.estimate) > RELATIVE_TOLERANCE
    return replace(tests, estimate=np.where(is_seen, tests.estimate, 0.0))


def _largest_gap(covariance: Float, errors: Float, a: int) -> Float:
    """Return how far, in standard errors, the luckiest other model is above one in each draw."""
    both = np.diag(covariance) + covariance[a, a]
    variance = both - 2 * covariance[a]
    gaps = (errors - errors[:, [a]]) / np.sqrt(np.maximum(variance, TINY))
    # Models that rank alike tell nothing of each other.
    gaps[:, variance <= RELATIVE_TOLERANCE * both] = 0.0
    gaps[:, a] = -np.inf
    return np.asarray(gaps.max(axis=1))


def _level_of_largest(joint: Joint, errors: Float, confidence_level: float) -> float:
    """Return the level of a single interval whose lower limit holds for the luckiest model."""
    scaled = errors / np.maximum(np.sqrt(np.diag(joint.covariance)), LEAST_ERROR)
    return float(1 - 2 * ndtr(-np.quantile(scaled.max(axis=1), (1 + confidence_level) / 2)))


def _optimism(joint: Joint, errors: Float) -> float:
    """Average the error of the model that wins: equation 26.

    Scores vary more than true ones, so these are shrunk to their mean (James and Stein 1961).
    Otherwise one model would win too often.
    """
    k, values, covariance = joint.n_models, joint.estimate.value, joint.covariance
    noise = (np.trace(covariance) - covariance.sum() / k) / (k - 1)
    kept = max(0.0, 1 - noise / max(float(values.var(ddof=1)), TINY))
    true = values.mean() + kept * (values - values.mean())
    wins = np.argmax(true + errors, axis=1)
    return float(errors[np.arange(len(errors)), wins].mean())
