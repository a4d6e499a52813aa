"""The best of several models: its limits, though it was chosen, and who else may be the best.

All follows from one covariance matrix of the scores, and from draws of a normal distribution that
has it: how far such scores stray together from the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.interval import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.variance import PRIOR, TINY, Uncertainty, estimate_variance
from sklearn_ap._uncertainty.warnings import (
    Shift,
    UncertaintyWarning,
    shifted_differences,
    warn_of,
    warnings_of_models,
)
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]

N_DRAWS = 10_000
CHUNK = 2_000_000  # influences whose products are added up at once


class BestOfMany(NamedTuple):
    """The scores of models with their limits, and whether each may be the best."""

    scores: Float
    lows: Float
    highs: Float
    may_be_best: NDArray[np.bool_]
    method: str


def find_best(
    definition: Definition,
    requests: list[Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning] = (),
    shifts: Sequence[Shift] = (),
) -> BestOfMany:
    """Which of several models is the best, how good it is, and which others may be the best.

    ``warnings`` and ``shifts`` are of pools of folds.
    """
    rng = np.random.default_rng(options.rng)  # one for the replicates and the draws
    models = influences_of_models(definition, requests, options._replace(rng=rng))
    if not models[0].is_one_number:
        raise ValueError(
            'average must give each model one score to choose by, as "macro" does, got None.'
        )
    uncertainties, level = [*map(estimate_variance, models)], options.confidence_level
    doubts = [*warnings, *warnings_of_models(models, uncertainties)]
    covariance, degrees = _covariance(models, uncertainties)
    draws = _draw(covariance, rng)
    factor = options.difference_factor
    of_all, pairs = (
        _level_for_all(draws, covariance, level),
        [*zip(models, uncertainties, strict=True)],
    )
    scores = np.concatenate([influences.score for influences in models])
    best = int(np.argmax(scores))
    of_others = {i: each for i, each in enumerate(_errors(covariance)[best]) if i != best}
    doubts += shifted_differences(shifts, uncertainties, best, of_others)
    warn_of(doubts)
    # The bias of a mean may be as large as its standard error.
    compared = [each.score - each.is_mean * found.known_bias for each, found in pairs]
    numbers = np.concatenate(compared), covariance * factor, degrees, draws * np.sqrt(factor)
    may_be_best = _may_be_best(*numbers, 1 - level)
    may_be_best[best] = True  # even at a level below 0.5
    return BestOfMany(
        scores=scores,
        lows=np.concatenate([confidence_limits(*pair, of_all)[0] for pair in pairs]),
        highs=np.concatenate([confidence_limits(*pair, level)[1] for pair in pairs]),
        may_be_best=may_be_best,
        method=models[0].method,
    )


def _covariance(
    models: list[InfluenceValues], uncertainties: list[Uncertainty]
) -> tuple[Float, Float]:
    """The covariances of the scores, and the degrees of freedom of Student's t for each.

    Two nearly equal models show no difference in many samples, so each variance is enlarged by
    half of what ``estimate_variance_of_difference`` adds to that of a difference.
    """
    pairs = zip(models, uncertainties, strict=True)
    deviations = [  # none where rounding is all that varies, or one cluster all that there is
        np.where(uncertainty.standard_error > 0, influences.of_mean(influences.by_positive), 0.0)
        for influences, uncertainty in pairs
    ]
    n_units, covariance = deviations[0].size, np.zeros((len(models), len(models)))
    doubt, size = np.zeros(len(models)), -(-CHUNK // len(models))
    for start in range(0, n_units, size):
        part = np.stack([each[start : start + size] for each in deviations])
        covariance += part @ part.T
        part *= part
        doubt += np.einsum("mu,mu->m", part, part)
    variance = covariance.diagonal()
    doubt -= variance * variance / n_units
    shown = 2 * variance * variance / np.maximum(doubt, TINY)  # Satterthwaite 1946
    at_most = np.concatenate(
        [np.ravel(uncertainty.degrees_of_freedom) for uncertainty in uncertainties]
    )
    n_effective = np.maximum(at_most + 1, 1.0)
    hidden = PRIOR / 2 / (shown + PRIOR) / n_effective / n_effective
    return covariance + np.diag(hidden), np.minimum(shown + PRIOR, at_most)


def _draw(covariance: Float, rng: np.random.Generator) -> Float:
    """How far off all scores are, drawn from a normal distribution: (n_draws, n_models)."""
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return rng.standard_normal((N_DRAWS, len(covariance))) @ root


def _level_for_all(draws: Float, covariance: Float, level: float) -> float:
    """The level of intervals whose lower limits hold for all models at once.

    The upper limits need no such level. If the score of the winner is that much too low, so is the
    score of the model that is truly the best, as it is not higher and its truth is not lower.
    """
    largest = (draws / np.sqrt(covariance.diagonal())).max(axis=1)
    quantile = np.quantile(largest, (1 + level) / 2)
    return max(level, float(1 - 2 * ndtr(-quantile)))


def _errors(covariance: Float) -> Float:
    """The standard error of the difference of each two scores."""
    variance = covariance.diagonal()
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, TINY))


def _may_be_best(
    scores: Float, covariance: Float, degrees: Float, draws: Float, alpha: float
) -> NDArray[np.bool_]:
    """Whether no other model is clearly better (Hsu 1981, multiple comparisons with the best).

    The smallest p-value against another model is set against that of a model that is no worse than
    all others. Where one test, or all together (Bonferroni), decide, nothing need be drawn.
    """
    error = _errors(covariance)
    np.fill_diagonal(error, 1.0)  # a model against itself
    t = (scores - scores[:, None]) / error
    pvalue = stdtr(np.maximum(np.minimum.outer(degrees, degrees), 1.0), -t).min(axis=1)
    may_be = ~(pvalue < alpha)  # without positives a score may be nan, which rules out nothing
    for i in np.flatnonzero(~may_be & (pvalue * (scores.size - 1) >= alpha)):
        # A tenth of the draws decides most models.
        for some in (draws[: N_DRAWS // 10], draws):
            best = (some - error[i] * -ndtri(pvalue[i])).max(axis=1)
            share = np.mean(best >= some[:, i])
            if abs(share - alpha) > 4 * np.sqrt(alpha * (1 - alpha) / len(some)):
                break
        may_be[i] = share >= alpha
    return may_be
