"""The best of several models, by draws from a normal distribution with their covariances."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from sklearn_ap._base.inputs.arrays import EQUAL, TINY, Bool, Float
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import Cases
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap._questions.intervals.cases import cases_of
from sklearn_ap._questions.intervals.interval import Method
from sklearn_ap._uncertainty.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.model_influences import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.order_of_units import rounded
from sklearn_ap._uncertainty.shrinkage import PRIOR, Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warn_of, warnings_of_models
from sklearn_ap.definitions import Definition

# It stands again in tests/crossings/uncertainty_reference.py, and changes there, too.
N_DRAWS = 10_000  # which tell a level of 95% to 0.2%: the root of .95 * .05 / 10,000
FEWEST_BEYOND = 10  # draws beyond a limit, which tell how often it is wrong to a third: a choice
CHUNK = 2_000_000  # influence values whose products are added up at once: a choice of memory
NEGLIGIBLE = 0.01  # part of the variance of differences, which a mean need not tell: a choice


class Covariance(NamedTuple):
    """How the scores vary together."""

    shown: Float  # by the sample
    hidden: Float  # of each score: the variance that a small sample may hide
    degrees: Float  # of freedom of Student's t for each score
    is_known: Bool  # False for scores of a single positive, cluster or query, which shows no error

    @property
    def enlarged(self) -> Float:
        """That of limits, which must not be too narrow."""
        return self.shown + np.diag(self.hidden)


class Ranked(NamedTuple):
    """Models by their scores, the highest first: the fields of ``BestAveragePrecision``."""

    names: tuple[str, ...]
    estimates: Float
    lows: Float
    highs: Float
    may_be_best: tuple[str, ...]
    confidence_level: float
    method: Method
    definition: Definition
    prevalence: float | None
    cases: Cases
    optimism: float


def find_best(
    definition: Definition,
    requests: dict[str, Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    shifts: Sequence[Shift] = (),
) -> Ranked:
    """The models by their scores; ``shifts`` are those of pools of folds."""
    level = _told_by_draws(options.confidence_level)
    rng = np.random.default_rng(options.rng)  # one for the replicates and the draws
    names = sorted(requests)
    in_order = [requests[name] for name in names]
    models = influences_of_models(definition, in_order, options._replace(rng=rng))
    if not models[0].is_one_number:
        raise ValueError(
            'average must give each model one score to choose by, as "macro" does, got None.'
        )
    uncertainties = [sample_of_scores(model).uncertainty() for model in models]
    pairs = [*zip(models, uncertainties, strict=True)]
    errors = _covariance(models, uncertainties)
    covariance = errors.enlarged
    scores = np.concatenate([influences.score for influences in models])
    draws = _draw(scores, covariance, rng)
    level_for_all = _level_for_all(draws, covariance, level)
    best = int(np.argmax(scores))
    of_others = {i: each for i, each in enumerate(_errors(covariance)[best]) if i != best}
    doubts = shifted_differences(shifts, uncertainties, best, of_others)
    warn_of([*warnings, *warnings_of_models(names, models, uncertainties), *doubts])
    may_be_best = _not_ruled_out(models, uncertainties, errors, draws, options)
    may_be_best[best] = True  # even at a level below 0.5
    enlarged = [(each, found.with_variance_times(options.score_factor)) for each, found in pairs]
    lows = np.concatenate([confidence_limits(*pair, level_for_all)[0] for pair in enlarged])
    highs = np.concatenate([confidence_limits(*pair, level)[1] for pair in enlarged])
    order = np.argsort(-scores, kind="stable")
    return Ranked(
        names=tuple(names[i] for i in order),
        estimates=scores[order],
        lows=lows[order],
        highs=highs[order],
        may_be_best=tuple(names[i] for i in order if may_be_best[i]),
        confidence_level=level,
        method=cast(Method, models[0].method),
        definition=definition,
        prevalence=in_order[0].prevalence,
        cases=cases_of(in_order[0], models[0]),
        optimism=_optimism(scores, errors, draws, options.score_factor, rng),
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
    of_differences = errors.enlarged * factor, errors.degrees, draws * np.sqrt(factor)
    return _may_be_best(scores, *of_differences, 1 - options.confidence_level)


def _told_by_draws(level: float) -> float:
    """The level, if draws tell it."""
    if level > (highest := 1 - 2 * FEWEST_BEYOND / N_DRAWS):
        raise ValueError(
            f"confidence_level must be at most {highest:g} here, got {level!r}: too few of "
            f"{N_DRAWS:,} draws lie beyond a higher one. compare_average_precision takes any level."
        )
    return level


def _covariance(models: list[InfluenceValues], uncertainties: list[Uncertainty]) -> Covariance:
    """The covariances of the scores, and the degrees of freedom of Student's t for each.

    Two nearly equal models show no difference in many samples, so each variance gets half of what
    ``DifferenceSample`` adds to that of a difference, for a sample of as many positives as the
    degrees of freedom say. These may be fewer than the effective positives.
    """
    deviations = [  # none where rounding is all that varies, or one cluster all that there is
        np.where(uncertainty.standard_error > 0, influences.of_score, 0.0)
        for influences, uncertainty in zip(models, uncertainties, strict=True)
    ]
    n_units, covariance = deviations[0].size, np.zeros((len(models), len(models)))
    variance_of_sum, size = np.zeros(len(models)), -(-CHUNK // len(models))
    for start in range(0, n_units, size):
        part = np.stack([each[start : start + size] for each in deviations])
        covariance += part @ part.T
        part *= part
        variance_of_sum += np.einsum("mu,mu->m", part, part)
    variance = covariance.diagonal()
    variance_of_sum -= variance * variance / n_units
    degrees = 2 * satterthwaite_degrees(variance, variance_of_sum)
    at_most = np.concatenate([np.ravel(each.degrees_of_freedom) for each in uncertainties])
    n_effective = np.maximum(at_most + 1, 1.0)
    hidden = PRIOR / 2 / (degrees + PRIOR) / n_effective / n_effective
    errors = np.concatenate([np.ravel(each.standard_error) for each in uncertainties])
    is_known = ~np.isnan(errors) & (at_most > EQUAL)
    return Covariance(covariance, hidden, np.minimum(degrees + PRIOR, at_most), is_known)


def _draw(scores: Float, covariance: Float, rng: np.random.Generator) -> Float:
    """How far off all scores are, sampled from a normal distribution: (n_draws, n_models).

    The models get the normal numbers in an order that neither their order nor their names decide.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    keys = (covariance.sum(axis=1), covariance.diagonal(), scores)
    order = np.lexsort([*map(rounded, keys)])
    return rng.standard_normal((N_DRAWS, scores.size)) @ root[order]


def _optimism(
    scores: Float, covariance: Covariance, draws: Float, factor: float, rng: np.random.Generator
) -> float:
    """How far too high the score of the winner is on average.

    The truths are taken to be the scores, shrunken to their mean by the share of their spread that
    is not error; what is common to all errors spreads no scores (James and Stein 1961). This is an
    estimate and no limit, so errors vary as the sample shows, times a factor of their variances.
    """
    known = ~np.isnan(scores) & covariance.is_known  # without positives a score may be nan
    if known.sum() < 2:
        return np.nan
    shown = covariance.shown
    if not known.all():  # a copy of all draws takes as long as what follows
        scores, draws, shown = scores[known], draws[:, known], shown[np.ix_(known, known)]
    n, spread = scores.size, scores.var(ddof=1)
    error = (shown.trace() - shown.sum() / n) / (n - 1)
    if covariance.hidden[known].mean() > NEGLIGIBLE * error:
        draws = _draw(scores, shown, rng)
    left = max(1 - factor * error / max(spread, TINY), 0.0)
    winners = np.argmax(left * (scores - scores.mean()) + np.sqrt(factor) * draws, axis=1)
    # What the errors of all models share is 0 on average, and would only add noise.
    of_winners = draws[np.arange(winners.size), winners] - draws.mean(axis=1)
    return float(np.sqrt(factor) * of_winners.mean())


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
    variance = covariance.diagonal()
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, TINY))


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
    pvalue = stdtr(np.maximum(np.minimum.outer(degrees, degrees), 1.0), -t).min(axis=1)
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
