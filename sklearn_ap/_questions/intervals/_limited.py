"""Scores with limits at every level: those of intervals, and those that a paper gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from sklearn_ap._types import Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.former.confidence_limits import limits_of_score
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.limits import limits_of, nearer_distances
from sklearn_ap.inference.interval import Interval

ABOUT_NUMBERS = "numbers as given, whose definition and prevalence are not checked"


@dataclass(frozen=True, eq=False)
class EstimatedScores:
    """Scores of intervals, whose estimate has limits at every level."""

    estimate: Estimate

    @property
    def score(self) -> Float:
        return self.estimate.value

    @property
    def center(self) -> Float:
        """The scores minus their bias."""
        return np.clip(self.score - self.estimate.bias, 0.0, 1.0)

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the limits are from the centers, for a difference of samples."""
        return nearer_distances(self.estimate, level)


@dataclass(frozen=True, eq=False)
class KnownUncertainty:
    """Scores of few labels, whose uncertainty is known, so that limits follow for every level."""

    score: Float
    uncertainty: Uncertainty

    @cached_property
    def center(self) -> Float:
        """The scores minus their bias."""
        return np.clip(self.score - self.uncertainty.known_bias, 0.0, 1.0)

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the lower and the upper limits are from the centers."""
        low, high = limits_of_score(self.score, self.uncertainty, level)
        return self.center - low, high - self.center


@dataclass(frozen=True, eq=False)
class GivenLimits:
    """Scores with limits of one level, whose distances are taken for normal at others."""

    score: Float
    low: Float
    high: Float
    confidence_level: float

    @property
    def center(self) -> Float:
        return self.score

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the lower and the upper limits are from the scores."""
        ratio = ndtri((1 - level) / 2) / ndtri((1 - self.confidence_level) / 2)
        return (self.score - self.low) * ratio, (self.high - self.score) * ratio


class LimitedSample(NamedTuple):
    """The scores of a sample with limits at every level, and what the sample consists of."""

    scores: EstimatedScores | KnownUncertainty | GivenLimits
    is_undefined: Bool
    n_positives: Float
    words: str

    def limits(self, level: float) -> tuple[Float, Float]:
        """Return the limits of the scores within [0, 1]; nan for undefined scores."""
        if isinstance(self.scores, EstimatedScores):
            return limits_of(self.scores.estimate, level)
        below, above = self.scores.limit_distances(level)
        low = np.maximum(self.scores.center - below, 0.0)
        high = np.minimum(self.scores.center + above, 1.0)
        return np.where(self.is_undefined, np.nan, low), np.where(self.is_undefined, np.nan, high)


def sample_of_interval(interval: Interval) -> LimitedSample:
    """Take the estimate that an interval keeps, or else its limits."""
    score = np.atleast_1d(interval.estimate)
    low = np.atleast_1d(interval.low)
    source = interval._source.estimate
    scores: EstimatedScores | KnownUncertainty | GivenLimits
    if isinstance(source, Estimate):
        scores = EstimatedScores(source)
    elif isinstance(source, Uncertainty):
        scores = KnownUncertainty(score, source)
    else:
        scores = GivenLimits(score, low, np.atleast_1d(interval.high), interval.confidence_level)
    n_positives = np.broadcast_to(np.asarray(interval.n_positives, dtype=float), score.shape)
    return LimitedSample(scores, np.isnan(low), n_positives, interval.heading)


def sample_of_numbers(numbers: tuple[float, ...], level: float) -> LimitedSample:
    """Take the numbers of a paper: an estimate with its limits, or with its standard error."""
    score, low, high = np.reshape(numbers if len(numbers) == 3 else (*numbers, 0.0), (3, 1))
    if len(numbers) == 2:
        distance = -ndtri((1 - level) / 2) * low
        low = score - distance
        high = score + distance
    scores = GivenLimits(score, low, high, level)
    return LimitedSample(scores, np.isnan(score), np.full(1, np.nan), ABOUT_NUMBERS)
