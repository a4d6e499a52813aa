"""How scores vary together, and draws of how far off all of them are."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import EQUAL, TINY
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.order_of_units import round_bits
from sklearn_ap._uncertainty.run_variance import Runs, RunSpread
from sklearn_ap._uncertainty.shrinkage import Uncertainty

# It stands again in tests/crossings/uncertainty_reference.py, and changes there, too.
N_DRAWS = 10_000  # which tell a level of 95% to 0.2%: the root of .95 * .05 / 10,000
CHUNK = 2_000_000  # influence values whose products are added up at once: a choice of memory


class Covariance(NamedTuple):
    """How the scores vary together."""

    shown: Float  # by the sample
    hidden: Float  # of each score: the variance that a small sample may hide
    degrees: Float  # of freedom of Student's t for each score
    is_known: Bool  # False for scores of a single positive, cluster or query, which shows no error

    of_runs: RunSpread | None = None  # of each method, which ``shown`` contains

    @property
    def enlarged(self) -> Float:
        """That of limits, which must not be too narrow."""
        return self.shown + np.diag(self.hidden)

    @property
    def degrees_of_pairs(self) -> Float:
        """The degrees of freedom of each difference; of runs, Satterthwaite's of the sum."""
        degrees = np.minimum.outer(self.degrees, self.degrees)
        if self.of_runs is None:
            return degrees
        mean_variance, degrees_term = self.of_runs.mean_variance, self.of_runs.degrees_term
        total = variances_of_differences(self.enlarged)
        of_rows = np.maximum(total - mean_variance[:, None] - mean_variance, 0.0)
        of_parts = of_rows**2 / np.maximum(degrees, TINY) + degrees_term[:, None] + degrees_term
        return satterthwaite_degrees(total, of_parts)


def variances_of_differences(covariance: Float) -> Float:
    """The variance of the difference of each two scores."""
    variance = covariance.diagonal()
    return np.maximum(variance[:, None] + variance - 2 * covariance, TINY)


def covariance_of(
    models: list[InfluenceValues], uncertainties: list[Uncertainty], runs: Runs | None = None
) -> Covariance:
    """The covariances of the scores, and the degrees of freedom of Student's t for each.

    Two nearly equal models show no difference in many samples, so each variance gets half of what
    ``DifferenceSample`` adds to that of a difference, for a sample of as many positives as the
    degrees of freedom say. These may be fewer than the effective positives. All this is of rows,
    to which training runs add their variances: those of one method say nothing of another.
    """
    deviations = [  # none where rounding is all that varies, or one cluster all that there is
        np.where(uncertainty.standard_error > 0, influences.score_influence, 0.0)
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
    hidden = PRIOR_DEGREES / 2 / (degrees + PRIOR_DEGREES) / n_effective / n_effective
    errors = np.concatenate([np.ravel(each.standard_error) for each in uncertainties])
    is_known = ~np.isnan(errors) & (at_most > EQUAL)
    degrees = np.minimum(degrees + PRIOR_DEGREES, at_most)
    if runs is None:
        return Covariance(covariance, hidden, degrees, is_known)
    of_runs = runs.stack_spreads()
    return Covariance(
        covariance + np.diag(of_runs.mean_variance), hidden, degrees, is_known, of_runs
    )


def draw_errors(scores: Float, covariance: Float, rng: np.random.Generator) -> Float:
    """How far off all scores are, sampled from a normal distribution: (n_draws, n_models).

    The models get the normal numbers in an order that neither their order nor their names decide.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    keys = (covariance.sum(axis=1), covariance.diagonal(), scores)
    order = np.lexsort([*map(round_bits, keys)])
    return rng.standard_normal((N_DRAWS, scores.size)) @ root[order]
