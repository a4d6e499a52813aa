"""The best of several models, by draws from a normal distribution with their covariances."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import Cases
from sklearn_ap._folds.training_runs import methods_of
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap._questions.best_of_many._draws import (
    N_DRAWS,
    Covariance,
    covariance_of,
    draw_errors,
    variances_of_differences,
)
from sklearn_ap._questions.best_of_many._optimism import optimism_of_winner
from sklearn_ap._questions.intervals.cases import cases_of, runs_in_words
from sklearn_ap._questions.intervals.interval import VarianceMethod
from sklearn_ap._uncertainty.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.model_influences import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import means_over_runs
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    issue_warnings,
    warnings_of_models,
)
from sklearn_ap.definitions import Definition

FEWEST_BEYOND = 10  # draws beyond a limit, which tell how often it is wrong to a third: a choice


class Ranked(NamedTuple):
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
) -> Ranked:
    """The models by their scores; ``shifts`` are those of pools of folds.

    The score of a request may be training runs of a method, whose mean is then its score.
    """
    level = _told_by_draws(options.confidence_level)
    rng = np.random.default_rng(options.rng)  # one for the replicates and the draws
    names = sorted(requests)
    in_order = [requests[name] for name in names]
    requested, n_runs = methods_of(in_order, names)
    models = influences_of_models(definition, requested, options._replace(rng=rng))
    models, runs, of_runs = means_over_runs(models, names, n_runs)
    if not models[0].is_single_score:
        raise ValueError(
            'average must give each model one score to choose by, as "macro" does, got None.'
        )
    samples: list[Any] = [sample_of_scores(model) for model in models]
    of_rows = [sample.uncertainty() for sample in samples]
    if runs is not None:
        samples = [runs.score_sample(i, each, options) for i, each in enumerate(samples)]
    uncertainties = [sample.uncertainty() for sample in samples]
    pairs = [*zip(models, uncertainties, strict=True)]
    errors = covariance_of(models, of_rows, runs)
    covariance = errors.enlarged
    scores = np.concatenate([influences.score for influences in models])
    draws = draw_errors(scores, covariance, rng)
    level_for_all = _level_for_all(draws, covariance, level)
    best = int(np.argmax(scores))
    of_others = {i: each for i, each in enumerate(_errors(covariance)[best]) if i != best}
    doubts = shifted_differences(shifts, uncertainties, best, of_others)
    of_models = warnings_of_models(names, models, uncertainties)
    issue_warnings([*warnings, *of_models, *doubts, *of_runs])
    may_be_best = _not_ruled_out(models, uncertainties, errors, draws, options)
    may_be_best[best] = True  # even at a level below 0.5
    enlarged = [(each, found.scale_variance(options.score_factor)) for each, found in pairs]
    lows = np.concatenate([confidence_limits(*pair, level_for_all)[0] for pair in enlarged])
    highs = np.concatenate([confidence_limits(*pair, level)[1] for pair in enlarged])
    order = np.argsort(-scores, kind="stable")
    run_scores = None if runs is None else runs.scores()
    return Ranked(
        names=tuple(names[i] for i in order),
        estimates=scores[order],
        lows=lows[order],
        highs=highs[order],
        may_be_best=tuple(names[i] for i in order if may_be_best[i]),
        confidence_level=level,
        variance_method=cast(VarianceMethod, models[0].variance_method),
        definition=definition,
        prevalence=in_order[0].prevalence,
        cases=cases_of(requested[0], models[0])._replace(runs=runs_in_words(n_runs)),
        optimism=optimism_of_winner(scores, errors, draws, options.score_factor, rng),
        n_runs=n_runs and tuple(n_runs[i] for i in order),
        run_scores=None if run_scores is None else tuple(run_scores[i][:, 0] for i in order),
    )


def _not_ruled_out(
    models: list[InfluenceValues],
    uncertainties: list[Uncertainty],
    errors: Covariance,
    draws: Float,
    options: Options,
) -> Bool:
    """Which models may be the best, by scores less their bias if these are means.

    The bias of a mean may be as large as its standard error.
    """
    pairs, factor = zip(models, uncertainties, strict=True), options.difference_factor
    scores = np.concatenate([each.score - each.is_mean * found.known_bias for each, found in pairs])
    of_differences = errors.enlarged * factor, errors.degrees_of_pairs, draws * np.sqrt(factor)
    return _may_be_best(scores, *of_differences, 1 - options.confidence_level)


def _told_by_draws(level: float) -> float:
    """The level, if draws tell it."""
    if level > (highest := 1 - 2 * FEWEST_BEYOND / N_DRAWS):
        raise ValueError(
            f"confidence_level must be at most {highest:g} here, got {level!r}: too few of "
            f"{N_DRAWS:,} draws lie beyond a higher one. compare_average_precision takes any level."
        )
    return level


def _level_for_all(draws: Float, covariance: Float, level: float) -> float:
    """The level of intervals whose lower limits cover for all models at once.

    The upper limits need no such level. If the score of the winner is that much too low, so is the
    score of the model that is truly the best, as it is not higher and its truth is not lower.
    """
    largest = (draws / np.sqrt(np.maximum(covariance.diagonal(), TINY))).max(axis=1)
    quantile = np.quantile(largest, (1 + level) / 2)
    return max(level, float(1 - 2 * ndtr(-quantile)))


def _errors(covariance: Float) -> Float:
    """The standard error of the difference of each two scores."""
    return np.sqrt(variances_of_differences(covariance))


def _may_be_best(
    scores: Float, covariance: Float, degrees: Float, draws: Float, alpha: float
) -> Bool:
    """Whether no other model is clearly better (Hsu 1981, multiple comparisons with the best).

    The smallest p-value against another model is compared with its distribution for a model that is
    no worse than all others. Where one test or Bonferroni's bound decides, no draws are needed.
    """
    error = _errors(covariance)
    np.fill_diagonal(error, 1.0)  # a model against itself
    t = (scores - scores[:, None]) / error
    pvalue = stdtr(np.maximum(degrees, 1.0), -t).min(axis=1)
    may_be = ~(pvalue < alpha)  # without positives a score may be nan, which rules out nothing
    for i in np.flatnonzero(~may_be & (pvalue * (scores.size - 1) >= alpha)):
        for some in (draws[: N_DRAWS // 10], draws):  # a tenth decides most models
            best = (some - error[i] * -ndtri(pvalue[i])).max(axis=1)
            share = np.mean(best >= some[:, i])
            # Four standard errors: chance decides otherwise once in 16,000.
            if abs(share - alpha) > 4 * np.sqrt(alpha * (1 - alpha) / len(some)):
                break
        may_be[i] = share >= alpha
    return may_be
