"""How much too high the score of the best of several models is."""

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._questions.best_of_many._draws import Covariance, draw_errors

NEGLIGIBLE = 0.01  # part of the variance of differences, which a mean need not tell: a choice


def optimism_of_winner(
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
        draws = draw_errors(scores, shown, rng)
    left = max(1 - factor * error / max(spread, TINY), 0.0)
    winners = np.argmax(left * (scores - scores.mean()) + np.sqrt(factor) * draws, axis=1)
    # What the errors of all models share is 0 on average, and would only add noise.
    of_winners = draws[np.arange(winners.size), winners] - draws.mean(axis=1)
    return float(np.sqrt(factor) * of_winners.mean())
