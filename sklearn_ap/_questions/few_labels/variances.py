"""How much estimates from few labels vary, and how much they would with more labels.

With labels of the same design, but probabilities q' = min(1, t q), the sum over labelled units of

    q (1 - q') / q' (g - c h)^2 + q g^2

is the variance: each unit stands for q' / q units of the larger sample, and has q / q' of its
influence. The second part is that of all rows, which no label makes less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.option_checks import check_open_share
from sklearn_ap._questions.sample_size.pilot import LARGEST, smallest
from sklearn_ap._uncertainty.confidence_limits import difference_half_width, limits_of_score
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import (
    ROUNDING,
    QuerySample,
    Spread,
    Uncertainty,
    drop_rounding,
    small_sample_factor,
    sums_of_squares,
    variance_of_share,
)

WIDE, ASKED = 0.2, 0.05  # the printed result says what wide intervals need: a choice
KINDS = {
    "row": "labels",
    "query": "labelled queries",
    "cluster": "labelled clusters",
    "top": "labels within the first k ranks",
}


class UnitInfluences(NamedTuple):
    """The influence of each labelled unit on an estimate, or on a difference of estimates."""

    by_labels: Float  # on the score by labels
    left: Float  # what the judge leaves of it
    probability: Float  # of each unit
    number: Any = 1.0  # of units of the sample for which it stands

    def minus(self, other: UnitInfluences) -> UnitInfluences:
        """Those on the difference."""
        return UnitInfluences(
            self.by_labels - other.by_labels, self.left - other.left, self.probability
        )

    def enlarge(self, times: float) -> tuple[UnitInfluences, float]:
        """Those with so many times the labels, and how many times as large that sample is.

        This is by how much the variance by labels alone falls, where no row is left to label, too.
        """
        probability = np.minimum(times * self.probability, 1.0)
        part, weight = self.probability / probability, self.by_labels * self.by_labels + TINY
        larger = UnitInfluences(self.by_labels * part, self.left * part, probability, 1 / part)
        return larger, float(weight.sum() / np.sum(weight * part))

    def squares(self) -> Float:
        """The variance that each unit adds to the estimate."""
        return (1 - self.probability) * self.left**2 + self.probability * self.by_labels**2

    def worth(self) -> float:
        """How many labels drawn at random, without a judge, would have the same variance."""
        variance = self.squares().sum()
        at_random = np.sum(self.probability * self.by_labels * self.by_labels)
        if not np.sqrt(min(variance, at_random)) > ROUNDING:  # nothing shows what they are worth
            return float(self.probability.size)
        return float(np.sum(1 / self.probability) * at_random / variance)

    def shown(self, sample: Any, factor: Any, magnitude: Any) -> Any:
        """The sample with this variance and its degrees of freedom."""
        squares, number = self.squares(), np.broadcast_to(self.number, self.probability.shape)
        root, n_units = np.sqrt(squares)[None], number.sum()
        total, degrees = sums_of_squares(root, factor, n_units=n_units, multiplicity=number)
        variance = drop_rounding(total, sample.n_effective, magnitude)
        if isinstance(sample, QuerySample):
            return replace(sample, variance=variance)
        known_degrees = np.where(variance > 0, degrees, 0.0)
        return replace(sample, variance=variance, degrees_of_freedom=known_degrees)

    def left_of_labels(self) -> float:
        """The variance over that of the labels alone."""
        of_labels = np.sum(self.number * self.by_labels**2)
        return float(np.sum(self.number * self.squares()) / max(of_labels, TINY))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreFromLabels:
    """What labels and a judge show of how much a score varies."""

    of_units: UnitInfluences
    sample: Any  # of the labels alone
    by_labels: Float
    estimate: Float
    bias: float
    n_found: float  # positives for which the labels stand,
    n_hidden: float  # and those that labels of low probability may have missed
    has_judge: bool
    are_left_out: bool  # clusters, one by one
    of_mistake: float
    n_mistakes: int

    def uncertainty(self, times: float = 1.0) -> Uncertainty:
        """How much the score by labels varies, corrected by the judge, with more labels.

        The prior variance is that of the labels alone, in proportion to what the judge leaves.
        Labels alone may show their variance with more degrees of freedom than the rest has.
        """
        of_units, size = self.of_units.enlarge(times)
        least = of_units.probability.min()  # 1 if all rows would have labels, which hide nothing
        n_hidden = self.n_hidden * self.of_units.probability.min() / least * (least < 1)
        share_found = self.n_found / (self.n_found + n_hidden)
        return self._shown(of_units, size)._replace(hidden_positive_factor=share_found)

    def half_width(self, times: float, options: Options) -> float:
        low, high = limits_of_score(
            self.estimate, self.uncertainty(times), options.confidence_level
        )
        return float((high - low)[0] / 2)

    def _shown(self, of_units: UnitInfluences, times: float) -> Uncertainty:
        sample, bias = self.sample.enlarge(times), np.array([self.bias]) / times
        varies = np.sqrt(np.sum(self.of_units.by_labels**2)) > ROUNDING * self.by_labels[0]
        left = of_units.left_of_labels() if varies else 1.0
        factor, of_case = _factor(self.sample, sample), variance_of_share(self.estimate)
        shown = of_units.shown(replace(sample, binomial_variance=of_case), factor, self.by_labels)
        if isinstance(sample, QuerySample):
            of_mean: Uncertainty = shown.uncertainty()
            return of_mean._replace(n_queries=of_mean.n_queries / max(left, TINY))
        if np.any(sample.is_one_cluster):
            return sample.uncertainty()
        if sample.hidden is not None:  # a row without a label may be like each of several rows
            evenness = sample.hidden.evenness * of_units.probability.min()
            shown = replace(shown, hidden=sample.hidden._replace(evenness=evenness))
        degrees, prior = shown.degrees_of_freedom, sample.prior().variance
        more = np.maximum(sample.degrees_of_freedom - degrees, 0.0)
        of_both = (PRIOR_DEGREES * prior + more * sample.variance) / (PRIOR_DEGREES + more)
        of_cases = sample.binomial_variances * left * of_both / np.maximum(prior, TINY)
        shown = replace(shown, bias=bias, binomial_variances=of_cases)
        of_all: Uncertainty = shown.uncertainty()
        return self._with_mistakes(of_all, of_units, times, degrees) if self.has_judge else of_all

    def _with_mistakes(
        self, uncertainty: Uncertainty, of_units: UnitInfluences, times: float, degrees: Float
    ) -> Uncertainty:
        """With mistakes of the judge that these labels hide; more labels show them.

        What the judge leaves of derivatives is as uncertain as the variance, so that the prior has
        no more degrees of freedom.
        """
        unknown = self.n_mistakes * np.mean(1 - of_units.probability)
        now, then = (
            unknown * PRIOR_DEGREES / (each + PRIOR_DEGREES) for each in (self._degrees(), degrees)
        )
        at_most = np.inf if self.are_left_out else degrees + PRIOR_DEGREES
        of_mistakes = now * self.of_mistake**2 / times

        def with_mistakes(spread: Spread) -> Spread:
            degrees = np.minimum(at_most, spread.degrees_of_freedom)
            return Spread(spread.variance + of_mistakes, degrees)

        return uncertainty.change_spreads(with_mistakes)._replace(
            judge_allowance=then * self.of_mistake / times
        )

    def _degrees(self) -> Float:
        """Those of freedom that these labels show."""
        factor = small_sample_factor(self.sample.n_effective)
        shown = self.of_units.shown(self.sample, factor, self.by_labels)
        return np.asarray(shown.degrees_of_freedom)


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceFromLabels:
    """What labels and a judge show of how much the difference of two scores varies."""

    of_units: UnitInfluences
    sample: Any  # of the labels alone
    magnitude: Float

    def uncertainty(self, times: float = 1.0) -> Uncertainty:
        """How much the difference of two estimates varies, with more labels."""
        of_units, times = self.of_units.enlarge(times)
        sample = self.sample.enlarge(times)
        shown = of_units.shown(sample, _factor(self.sample, sample), self.magnitude)
        uncertainty: Uncertainty = shown.uncertainty()
        if isinstance(shown, QuerySample):
            return uncertainty
        # What labels hide of a difference, the judge shows as far as it is right. Its weights are
        # best for the scores, and may leave more of the difference than the labels show.
        left = np.where(shown.variance > 0, of_units.left_of_labels(), 1.0)
        left = np.minimum(left, 1.0)
        hidden = uncertainty.shrunken_variance - shown.variance
        return uncertainty._replace(shrunken_variance=shown.variance + left * hidden)

    def half_width(self, times: float, options: Options) -> float:
        return float(np.ravel(difference_half_width(self.uncertainty(times), options))[0])


def _factor(sample: Any, larger: Any) -> Float:
    """What sums of squares of the larger sample are multiplied by; those of queries were once."""
    if isinstance(sample, QuerySample):
        of_now = small_sample_factor(sample.n_effective)
        return np.asarray(small_sample_factor(larger.n_effective) / of_now)
    return small_sample_factor(larger.n_effective)


@dataclass(frozen=True, slots=True, eq=False)
class LabelPilot:
    """The labels from which larger samples of labels are planned."""

    shown: tuple[Any, ...]  # a ScoreFromLabels, a DifferenceFromLabels or a FromSingleRows of each
    options: Options
    unit: str

    def labels_for(self, half_width: Any) -> list[float]:
        """How many units with a probability below 1 must be labelled, for each number."""
        half_width = check_open_share("half_width", half_width)
        needed = [self._number(each, half_width) for each in self.shown]
        if np.inf in needed:
            raise ValueError(
                f"half_width={half_width!r}: no number of labels reaches it. If all rows had "
                f"labels, it would be about {self._least():.3g}. Pass that, or score more "
                f"{'queries' if self.unit in ('query', 'top') else 'rows'}."
            )
        return needed

    def _number(self, shown: Any, half_width: float) -> float:
        def is_enough(times: Float) -> Any:
            return np.asarray(shown.half_width(float(times), self.options) <= half_width)

        probability = shown.of_units.probability
        times = float(smallest(is_enough, shown.sample.n_effective, ()))
        probability = probability[probability < 1]
        needed = np.sum(np.minimum(times, 1 / probability))  # infinite if no row is left to label
        return float(np.ceil(needed - 1e-6)) if times < np.inf else np.inf

    def _least(self) -> float:
        """The half width if all rows had labels, the largest of several."""
        return max(each.half_width(LARGEST, self.options) for each in self.shown)

    def remarks(self) -> list[str]:
        """How many labels a wide interval needs."""
        if not max(each.half_width(1.0, self.options) for each in self.shown) > WIDE / 2:
            return []
        needed, kind = max(self._number(each, ASKED) for each in self.shown), KINDS[self.unit]
        if needed == np.inf:
            text = (
                f"no number of {kind} gives +-{ASKED}: all rows would leave +-{self._least():.3g}"
            )
            return [text]
        digits = 1 - int(np.floor(np.log10(max(needed, 1))))
        n_sure = int(np.count_nonzero(self.shown[0].of_units.probability == 1))
        beside = ", beside those of probability 1" if n_sure else ""
        return [f"about {round(needed, digits):,.0f} {kind} for +-{ASKED}{beside}"]


def known_labels(pilot: object) -> LabelPilot:
    """The pilot of a result from few labels."""
    if isinstance(pilot, LabelPilot):
        return pilot
    raise ValueError(
        "labels_for needs a result from few labels, one of which is positive. If all rows have "
        "labels, use positives_for."
    )


def remarks_about_more(pilot: object) -> list[str]:
    """How many labels a wide interval from few labels needs."""
    return pilot.remarks() if isinstance(pilot, LabelPilot) else []
