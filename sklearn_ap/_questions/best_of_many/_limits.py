"""The best of several models, by draws from a normal distribution with their covariances."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from sklearn_ap._base.text import Cases
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.best_of_many._draws import (
    N_DRAWS,
    Covariance,
    difference_variances,
    draw_errors,
    estimate_covariance,
)
from sklearn_ap._questions.best_of_many._optimism import optimism_of_winner
from sklearn_ap._questions.intervals.cases import VarianceMethod, cases_of_request
from sklearn_ap._types import Bool, Float
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.model_influences import influences_of_models
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.former.small_samples import warnings_of_models
from sklearn_ap._uncertainty.former.variance import sample_of_scores
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings
from sklearn_ap.definitions import Definition

# 10 draws beyond a limit give its error rate to about a third: a choice.
FEWEST_DRAWS_BEYOND = 10
# A share of draws this many standard errors from alpha is on the wrong side once in 16,000 times.
DECISIVE_STANDARD_ERRORS = 4


class ScoredModels(NamedTuple):
    """The scores of models, in the order of their names, and their errors."""

    names: list[str]
    influences: list[InfluenceValues]
    scores: Float  # (n_models,)
    uncertainties: list[Uncertainty]
    covariance: Covariance

    @property
    def best(self) -> int:
        """The index of the model with the highest score."""
        return int(np.argmax(self.scores))


class RankedModels(NamedTuple):
    """Models by their scores, the highest first, to make a ``BestAveragePrecision``."""

    names: tuple[str, ...]
    estimates: Float
    lows: Float
    highs: Float
    may_be_best: tuple[str, ...]
    confidence_level: float
    variance_method: VarianceMethod
    definition: Definition
    prevalence: float | None
    cases: Cases
    optimism: float
    n_effective: float
    influences: tuple[InfluenceValues, ...]


def find_best(
    definition: Definition,
    requests: dict[str, Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning],
) -> RankedModels:
    """Rank models by their scores."""
    _refuse_high_level(options.confidence_level)
    rng = np.random.default_rng(options.rng)  # one for the replicates and the draws
    names = sorted(requests)
    model_requests = [requests[name] for name in names]
    influences = influences_of_models(definition, model_requests, options._replace(rng=rng))
    models = _estimate_errors(names, influences)
    draws = draw_errors(models.scores, models.covariance.limit_covariance, rng)
    issue_warnings([*warnings, *warnings_of_models(models.names, models.influences)])
    may_be_best = _not_ruled_out(models, draws, options)
    may_be_best[models.best] = True  # even at a level below 0.5
    lows, highs = _limits(models, draws, options)
    optimism = optimism_of_winner(
        models.scores, models.covariance, draws, options.score_factor, rng
    )
    order = np.argsort(-models.scores, kind="stable")
    first = models.influences[0]
    return RankedModels(
        names=tuple(names[i] for i in order),
        estimates=models.scores[order],
        lows=lows[order],
        highs=highs[order],
        may_be_best=tuple(names[i] for i in order if may_be_best[i]),
        confidence_level=options.confidence_level,
        variance_method=cast(VarianceMethod, first.variance_method),
        definition=definition,
        prevalence=requests[names[0]].prevalence,
        cases=cases_of_request(model_requests[0], first),
        optimism=optimism,
        n_effective=float(first.positives.n_effective.sum()),
        influences=tuple(models.influences[i] for i in order),
    )


def _estimate_errors(names: list[str], influences: list[InfluenceValues]) -> ScoredModels:
    """Estimate the covariance and the uncertainty of the scores of models."""
    _refuse_several_scores(influences)
    uncertainties = [sample_of_scores(model).uncertainty() for model in influences]
    return ScoredModels(
        names=names,
        influences=influences,
        scores=np.concatenate([model.score for model in influences]),
        uncertainties=uncertainties,
        covariance=estimate_covariance(influences, uncertainties),
    )


def _refuse_several_scores(models: list[InfluenceValues]) -> None:
    if not models[0].is_single_score:
        raise ValueError(
            'average must give each model one score to choose by, as "macro" does, got None.'
        )


def _refuse_high_level(level: float) -> None:
    """Refuse a level so high that too few draws are beyond the limits."""
    highest = 1 - 2 * FEWEST_DRAWS_BEYOND / N_DRAWS
    if level > highest:
        raise ValueError(
            f"confidence_level must be at most {highest:g} here, got {level!r}: too few of "
            f"{N_DRAWS:,} draws lie beyond a higher one. compare_average_precision takes any level."
        )


def _limits(models: ScoredModels, draws: Float, options: Options) -> tuple[Float, Float]:
    """Compute lower limits that cover for all models at once, and upper limits of single models.

    The upper limits need no higher level. If the true score of the winner is above its limit, so is
    that of the model that is truly the best, because its score is not higher and its true score is
    not lower.
    """
    level = options.confidence_level
    simultaneous_level = _simultaneous_level(draws, models.covariance.limit_covariance, level)
    lows = []
    highs = []
    for model, uncertainty in zip(models.influences, models.uncertainties, strict=True):
        score_uncertainty = uncertainty.scale_variance(options.score_factor)
        low, _ = confidence_limits(model, score_uncertainty, simultaneous_level)
        _, high = confidence_limits(model, score_uncertainty, level)
        lows.append(low)
        highs.append(high)
    return np.concatenate(lows), np.concatenate(highs)


def _simultaneous_level(draws: Float, covariance: Float, level: float) -> float:
    """Find the level of single intervals whose lower limits cover for all models at once.

    It follows from z, the quantile of the largest standardized error of any model (Westfall and
    Young 1993).
    """
    largest = (draws / np.sqrt(np.maximum(covariance.diagonal(), TINY))).max(axis=1)
    z = np.quantile(largest, (1 + level) / 2)
    return max(level, float(1 - 2 * ndtr(-z)))


def _not_ruled_out(models: ScoredModels, draws: Float, options: Options) -> Bool:
    """Find the models that may be the best.

    Means over rankings are compared minus their bias, which may be as large as their standard
    error.
    """
    scores = np.concatenate(
        [
            model.score - model.is_mean * uncertainty.known_bias
            for model, uncertainty in zip(models.influences, models.uncertainties, strict=True)
        ]
    )
    factor = options.difference_factor
    return _may_be_best(
        scores,
        covariance=models.covariance.limit_covariance * factor,
        degrees=models.covariance.difference_degrees,
        draws=draws * np.sqrt(factor),
        alpha=1 - options.confidence_level,
    )


def _difference_errors(covariance: Float) -> Float:
    """Compute the standard error of the difference of each two scores: s_ab."""
    return np.sqrt(difference_variances(covariance))


def _may_be_best(
    scores: Float, covariance: Float, degrees: Float, draws: Float, alpha: float
) -> Bool:
    """Find the models that no other is clearly better than (Hsu 1981, comparisons with the best).

    The smallest p-value against another model is compared with its distribution for a model that is
    no worse than all others. If a single test or Bonferroni's bound decides, no draws are needed.
    """
    error = _difference_errors(covariance)
    np.fill_diagonal(error, 1.0)  # a model compared with itself
    t = (scores - scores[:, None]) / error  # row a has (A_b - A_a) / s_ab of all b
    pvalue = stdtr(np.maximum(degrees, 1.0), -t).min(axis=1)
    # Not pvalue >= alpha: a score without positives may be nan, and is not ruled out
    may_be_best = ~(pvalue < alpha)
    is_undecided = ~may_be_best & (pvalue * (scores.size - 1) >= alpha)
    for a in np.flatnonzero(is_undecided):
        z = -ndtri(pvalue[a])
        for sample in (draws[: N_DRAWS // 10], draws):  # a tenth of the draws is mostly enough
            # The share of draws with max_b (delta_b - delta_a) / s_ab >= z
            share = np.mean((sample - error[a] * z).max(axis=1) >= sample[:, a])
            share_error = np.sqrt(alpha * (1 - alpha) / len(sample))
            if abs(share - alpha) > DECISIVE_STANDARD_ERRORS * share_error:
                break
        may_be_best[a] = share >= alpha
    return may_be_best
