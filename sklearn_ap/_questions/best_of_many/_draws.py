"""The covariance of scores, and draws of the errors of all of them.

Equations are those of docs/methods.md.
"""

from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, TINY
from sklearn_ap._types import Bool, Float
from sklearn_ap._uncertainty.former.degrees_of_freedom import satterthwaite_degrees
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.order_of_units import round_bits
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.former.tuned_constants import PRIOR_DEGREES

# tests/crossings/uncertainty_reference.py repeats this number.
N_DRAWS = 10_000  # a level of 95% has a standard error of 0.2%: sqrt(.95 * .05 / 10,000)
CHUNK_VALUES = 2_000_000  # influence values in one matrix product: a choice of memory


class Covariance(NamedTuple):
    """The covariance of the scores of models, estimated from a sample."""

    sample_covariance: Float  # C_ab, the sample estimate: (n_models, n_models)
    hidden_variance: Float  # added to the variance of each score for small samples: (n_models,)
    degrees_of_freedom: Float  # Student's t for each score: (n_models,)
    shows_error: Bool  # False for scores of a single positive, cluster or query: (n_models,)

    @property
    def limit_covariance(self) -> Float:
        """The covariance for limits: with the hidden variance, so that they are wide enough."""
        return self.sample_covariance + np.diag(self.hidden_variance)

    @property
    def difference_degrees(self) -> Float:
        """The degrees of freedom of each difference."""
        return np.minimum.outer(self.degrees_of_freedom, self.degrees_of_freedom)


def difference_variances(covariance: Float) -> Float:
    """Compute the variance of the difference of each two scores: s_ab squared."""
    variance = covariance.diagonal()
    return np.maximum(variance[:, None] + variance - 2 * covariance, TINY)


def estimate_covariance(
    models: list[InfluenceValues], uncertainties: list[Uncertainty]
) -> Covariance:
    """Estimate the covariances of scores, and the degrees of freedom of Student's t for each.

    Two nearly equal models have equal scores in many samples, so the variance of each score gets
    half the term that equation B10 adds to the variance of a difference. Its number of positives
    follows from the degrees of freedom, and may be smaller than the effective number.
    """
    n_models = len(models)
    # 0 if only rounding errors vary, or if there is a single cluster
    influences = [
        model.score_influence
        if np.all(uncertainty.standard_error > 0)
        else np.zeros_like(model.score_influence)
        for model, uncertainty in zip(models, uncertainties, strict=True)
    ]
    n_units = influences[0].size
    covariance = np.zeros((n_models, n_models))
    fourth_powers = np.zeros(n_models)
    chunk_size = -(-CHUNK_VALUES // n_models)
    for start in range(0, n_units, chunk_size):
        # (n_models, n_units of the chunk)
        chunk = np.stack([influence[start : start + chunk_size] for influence in influences])
        covariance += chunk @ chunk.T
        chunk *= chunk
        fourth_powers += np.einsum("mu,mu->m", chunk, chunk)
    variance = covariance.diagonal()
    # nu of equation B1; below, nu* of each score, which is at most N_e - 1
    degrees = 2 * satterthwaite_degrees(variance, fourth_powers - variance * variance / n_units)
    score_degrees = np.concatenate(
        [np.ravel(uncertainty.degrees_of_freedom) for uncertainty in uncertainties]
    )
    n_effective = np.maximum(score_degrees + 1, 1.0)
    standard_errors = np.concatenate(
        [np.ravel(uncertainty.standard_error) for uncertainty in uncertainties]
    )
    return Covariance(
        sample_covariance=covariance,
        hidden_variance=PRIOR_DEGREES / 2 / (degrees + PRIOR_DEGREES) / n_effective / n_effective,
        degrees_of_freedom=np.minimum(degrees + PRIOR_DEGREES, score_degrees),
        shows_error=~np.isnan(standard_errors) & (score_degrees > ABSOLUTE_TOLERANCE),
    )


def draw_errors(scores: Float, covariance: Float, rng: np.random.Generator) -> Float:
    """Draw errors of all scores from a normal distribution: (n_draws, n_models).

    Models are sorted by their scores and covariances first, so that draws depend neither on their
    order nor on their names.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    root = (eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))) @ eigenvectors.T
    sort_keys = (covariance.sum(axis=1), covariance.diagonal(), scores)
    order = np.lexsort([*map(round_bits, sort_keys)])
    return rng.standard_normal((N_DRAWS, scores.size)) @ root[order]
