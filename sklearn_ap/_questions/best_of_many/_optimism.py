"""The optimism of the score of the best of several models."""

import numpy as np

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._questions.best_of_many._draws import Covariance, draw_errors
from sklearn_ap._types import Float

# The draws contain the hidden variance. If it is at most this share of the error variance of the
# scores, the draws are used as they are, and not repeated without it: a choice of time.
NEGLIGIBLE_SHARE = 0.01


def optimism_of_winner(
    scores: Float, covariance: Covariance, draws: Float, factor: float, rng: np.random.Generator
) -> float:
    """Estimate how far too high the score of the winner is on average.

    The true scores are assumed to be the scores shrunken to their mean, by the share of their
    variance that is not error (James and Stein 1961). Errors common to all models do not spread
    scores, and do not count. This is an estimate and no limit, so errors have the sample covariance
    without hidden variance, times ``factor``.
    """
    is_used = ~np.isnan(scores) & covariance.shows_error  # without positives a score may be nan
    if is_used.sum() < 2:
        return np.nan
    sample_covariance = covariance.sample_covariance
    if not is_used.all():  # a copy of all draws takes as long as what follows
        scores = scores[is_used]
        draws = draws[:, is_used]
        sample_covariance = sample_covariance[np.ix_(is_used, is_used)]
    n_models = scores.size
    spread = scores.var(ddof=1)  # S^2
    trace = sample_covariance.trace()
    error = (trace - sample_covariance.sum() / n_models) / (n_models - 1)  # e
    if covariance.hidden_variance[is_used].mean() > NEGLIGIBLE_SHARE * error:
        draws = draw_errors(scores, sample_covariance, rng)
    true_share = max(1 - factor * error / max(spread, TINY), 0.0)
    drawn_scores = true_share * (scores - scores.mean()) + np.sqrt(factor) * draws
    winners = np.argmax(drawn_scores, axis=1)
    # The mean error of all models is 0 on average, and would only add noise.
    winner_errors = draws[np.arange(winners.size), winners] - draws.mean(axis=1)
    return float(np.sqrt(factor) * winner_errors.mean())
