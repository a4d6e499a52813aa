"""The best of several models, by draws from a normal distribution with their covariances."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import Cases
from sklearn_ap._folds.training_runs import split_into_runs
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap._questions.best_of_many._draws import (
    N_DRAWS,
    Covariance,
    difference_variances,
    draw_errors,
    estimate_covariance,
)
from sklearn_ap._questions.best_of_many._optimism import optimism_of_winner
from sklearn_ap._questions.intervals.cases import cases_of_request, runs_in_words
from sklearn_ap._questions.intervals.interval import VarianceMethod
from sklearn_ap._uncertainty.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.model_influences import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import (
    Runs,
    SampleOfRows,
    SampleOfRuns,
    means_over_runs,
)
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    issue_warnings,
    warnings_of_models,
)
from sklearn_ap.definitions import Definition

FEWEST_DRAWS_BEYOND = 10  # a limit, which tell how often it is wrong to a third: a choice
# Of a share of draws: by so many, chance decides otherwise once in 16,000.
DECISIVE_STANDARD_ERRORS = 4


class RankedModels(NamedTuple):
    """Models by their scores, the highest first: the fields of ``BestAveragePrecision``."""

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
    n_runs: tuple[int, ...] | None
    run_scores: tuple[Float, ...] | None


def find_best(
    definition: Definition,
    requests: dict[str, Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    shifts: Sequence[Shift] = (),
) -> RankedModels:
    """Rank models by their scores; ``shifts`` are those of pools of folds.

    The score of a request may be training runs of a method, whose mean is then its score.
    """
    _refuse_high_level(options.confidence_level)
    rng = np.random.default_rng(options.rng)  # one for the replicates and the draws
    names = sorted(requests)
    requested, n_runs = split_into_runs([requests[name] for name in names], names)
    models = influences_of_models(definition, requested, options._replace(rng=rng))
    models, runs, run_warnings = means_over_runs(models, names, n_runs)
    _refuse_several_scores(models)
    row_samples = [sample_of_scores(model) for model in models]
    row_uncertainties = [sample.uncertainty() for sample in row_samples]
    covariance = estimate_covariance(models, row_uncertainties, runs)
    uncertainties = [s.uncertainty() for s in _add_runs(row_samples, runs, options)]
    scores = np.concatenate([model.score for model in models])
    limit_covariance = covariance.limit_covariance
    draws = draw_errors(scores, limit_covariance, rng)
    best = int(np.argmax(scores))
    others_errors = dict(enumerate(_difference_errors(limit_covariance)[best]))
    del others_errors[best]
    shift_warnings = shifted_differences(shifts, uncertainties, best, others_errors)
    model_warnings = warnings_of_models(names, models, uncertainties)
    issue_warnings([*warnings, *model_warnings, *shift_warnings, *run_warnings])
    may_be_best = _not_ruled_out(models, uncertainties, covariance, draws, options)
    may_be_best[best] = True  # even at a level below 0.5
    lows, highs = _limits(models, uncertainties, limit_covariance, draws, options)
    order = np.argsort(-scores, kind="stable")
    run_scores = None if runs is None else runs.scores()
    return RankedModels(
        names=tuple(names[i] for i in order),
        estimates=scores[order],
        lows=lows[order],
        highs=highs[order],
        may_be_best=tuple(names[i] for i in order if may_be_best[i]),
        confidence_level=options.confidence_level,
        variance_method=cast(VarianceMethod, models[0].variance_method),
        definition=definition,
        prevalence=requests[names[0]].prevalence,
        cases=cases_of_request(requested[0], models[0])._replace(runs=runs_in_words(n_runs)),
        optimism=optimism_of_winner(scores, covariance, draws, options.score_factor, rng),
        n_runs=n_runs and tuple(n_runs[i] for i in order),
        run_scores=None if run_scores is None else tuple(run_scores[i][:, 0] for i in order),
    )


def _refuse_several_scores(models: list[InfluenceValues]) -> None:
    if not models[0].is_single_score:
        raise ValueError(
            'average must give each model one score to choose by, as "macro" does, got None.'
        )


def _add_runs(
    samples: Sequence[SampleOfRows], runs: Runs | None, options: Options
) -> Sequence[SampleOfRows | SampleOfRuns]:
    """Add what training runs show to what rows show of each score."""
    if runs is None:
        return samples
    return [runs.score_sample(place, sample, options) for place, sample in enumerate(samples)]


def _refuse_high_level(level: float) -> None:
    """Refuse a level beyond whose limits too few draws lie."""
    highest = 1 - 2 * FEWEST_DRAWS_BEYOND / N_DRAWS
    if level > highest:
        raise ValueError(
            f"confidence_level must be at most {highest:g} here, got {level!r}: too few of "
            f"{N_DRAWS:,} draws lie beyond a higher one. compare_average_precision takes any level."
        )


def _limits(
    models: list[InfluenceValues],
    uncertainties: list[Uncertainty],
    covariance: Float,
    draws: Float,
    options: Options,
) -> tuple[Float, Float]:
    """Compute lower limits that cover for all models at once, and upper limits of single models.

    The upper limits need no higher level. If the score of the winner is that much too low, so is
    the score of the model that is truly the best, as it is not higher and its truth is not lower.
    """
    level = options.confidence_level
    simultaneous_level = _simultaneous_level(draws, covariance, level)
    lows = []
    highs = []
    for model, uncertainty in zip(models, uncertainties, strict=True):
        score_uncertainty = uncertainty.scale_variance(options.score_factor)
        low, _ = confidence_limits(model, score_uncertainty, simultaneous_level)
        _, high = confidence_limits(model, score_uncertainty, level)
        lows.append(low)
        highs.append(high)
    return np.concatenate(lows), np.concatenate(highs)


def _simultaneous_level(draws: Float, covariance: Float, level: float) -> float:
    """Find the level of single intervals whose lower limits cover for all models at once.

    It follows from z, the quantile of the largest standardized error of all models (Westfall and
    Young 1993).
    """
    largest = (draws / np.sqrt(np.maximum(covariance.diagonal(), TINY))).max(axis=1)
    z = np.quantile(largest, (1 + level) / 2)
    return max(level, float(1 - 2 * ndtr(-z)))


def _not_ruled_out(
    models: list[InfluenceValues],
    uncertainties: list[Uncertainty],
    covariance: Covariance,
    draws: Float,
    options: Options,
) -> Bool:
    """Say which models may be the best, by scores less their bias if these are means.

    The bias of a mean may be as large as its standard error.
    """
    scores = np.concatenate(
        [
            model.score - model.is_mean * uncertainty.known_bias
            for model, uncertainty in zip(models, uncertainties, strict=True)
        ]
    )
    factor = options.difference_factor
    return _may_be_best(
        scores,
        covariance=covariance.limit_covariance * factor,
        degrees=covariance.difference_degrees,
        draws=draws * np.sqrt(factor),
        alpha=1 - options.confidence_level,
    )


def _difference_errors(covariance: Float) -> Float:
    """Compute the standard error of the difference of each two scores: s_ab."""
    return np.sqrt(difference_variances(covariance))


def _may_be_best(
    scores: Float, covariance: Float, degrees: Float, draws: Float, alpha: float
) -> Bool:
    """Say if no other model is clearly better (Hsu 1981, multiple comparisons with the best).

    The smallest p-value against another model is compared with its distribution for a model that is
    no worse than all others. Where one test or Bonferroni's bound decides, no draws are needed.
    """
    error = _difference_errors(covariance)
    np.fill_diagonal(error, 1.0)  # a model against itself
    t = (scores - scores[:, None]) / error  # in row a how much better each b is: (A_b - A_a) / s_ab
    pvalue = stdtr(np.maximum(degrees, 1.0), -t).min(axis=1)
    may_be_best = ~(pvalue < alpha)  # without positives a score may be nan, which rules out nothing
    is_undecided = ~may_be_best & (pvalue * (scores.size - 1) >= alpha)
    for a in np.flatnonzero(is_undecided):
        z = -ndtri(pvalue[a])
        for sample in (draws[: N_DRAWS // 10], draws):  # a tenth decides most models
            # The share of draws in which max_b (delta_b - delta_a) / s_ab is at least z
            share = np.mean((sample - error[a] * z).max(axis=1) >= sample[:, a])
            share_error = np.sqrt(alpha * (1 - alpha) / len(sample))
            if abs(share - alpha) > DECISIVE_STANDARD_ERRORS * share_error:
                break
        may_be_best[a] = share >= alpha
    return may_be_best
