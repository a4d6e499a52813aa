"""A judge: its score of all rows, its weight in an estimate, and how well it agrees with people.

Proportions are ratios of sums of weights over probabilities. Their variance is that of these ratios
over the labelled units. It is shrunken towards that of a proportion, because a small sample may
show no mistake at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Argument, Array, Float, Index
from sklearn_ap._base.inputs.rankings import Rankings, effective_number
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.sorted_items import descending_order
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.few_labels.labelled import Labelled
from sklearn_ap._questions.few_labels.variances import UnitInfluences
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.confidence_limits import difference_half_width, wilson_limits
from sklearn_ap._uncertainty.influence import Fill
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import (
    ROUNDING,
    Uncertainty,
    drop_rounding,
    small_sample_factor,
    sums_of_squares,
    variance_of_share,
)
from sklearn_ap.definitions import Definition


class Measured(NamedTuple):
    """A number with its confidence limits."""

    estimate: float
    low: float
    high: float


UNKNOWN = Measured(np.nan, np.nan, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How well a judge agrees with the labels, weighted to all rows.

    Each number is a triple ``(estimate, low, high)``, nan where no labelled row tells it.

    Parameters
    ----------
    base_rate : Measured
        The share of positives, by the labels.
    sensitivity, specificity : Measured or None
        The share of positives, and of negatives, in which the judge is right; None if it gives
        probabilities.
    kappa : Measured or None
        Cohen's kappa, agreement beyond chance. It falls with the base rate. None if the judge gives
        probabilities.
    excess : Measured or None
        How much higher probabilities are on average than the base rate; None for judgements 0 or 1.
    brier : Measured or None
        The mean squared distance of probabilities from labels; None for judgements 0 or 1.
    """

    base_rate: Measured
    sensitivity: Measured | None = None
    specificity: Measured | None = None
    kappa: Measured | None = None
    excess: Measured | None = None
    brier: Measured | None = None

    def columns(self) -> dict[str, float]:
        """Return the numbers of a row of a table."""
        columns: dict[str, float] = {}
        for name in (field.name for field in fields(self)):
            measured: Measured | None = getattr(self, name)
            if measured is not None:
                columns[f"judge_{name}"] = measured.estimate
                columns[f"judge_{name}_low"] = measured.low
                columns[f"judge_{name}_high"] = measured.high
        return columns


def judge_score_and_bias(
    definition: Definition, labelled: Labelled, judged: Float, fill: Fill
) -> tuple[float, float]:
    """Compute the score A(z) of all rows by the judge, and its bias.

    Influence values are left out, because they take longer.
    """
    if labelled.unit == "query":  # a mean of queries has no bias; k counts weights, so all are 1
        ones = np.ones(judged.size)
        all_rows = replace(labelled, is_labelled=ones > 0, probability_of_rows=ones)
        rankings, _ = all_rows.rankings(judged)
        counts = count(rankings.select_retrieved(), definition.depth)
        return float(np.mean(fill(values_of(definition, counts)))), 0.0
    weight = labelled.weight
    if weight is not None:  # scaled to a mean of 1, so that the bias is for the number of rows
        weight = weight / weight.mean()
    if labelled.judge_is_unsure:
        counts = _counts_of_probabilities(labelled.score, judged, weight)
    else:
        counts = count(Rankings(judged > 0, labelled.score, weight).select_retrieved())
    score = float(fill(values_of(definition, counts))[0])
    return score, float(np.nan_to_num(definition.bias(counts)[0]))


def _counts_of_probabilities(score: Array, judged: Float, weight: Float | None) -> ThresholdCounts:
    """Count each row as a positive of weight z and a negative of weight 1 - z, from one sort."""
    order, score = descending_order(score)
    weight = np.ones(score.size) if weight is None else weight[order]
    positive = weight * judged[order]
    negative = weight - positive
    begin = np.flatnonzero(begins_block(score))
    gained = np.add.reduceat(positive, begin)
    tied_negatives = np.add.reduceat(negative, begin)
    tps = np.cumsum(gained)
    fps = np.cumsum(tied_negatives)
    fps_above = fps - tied_negatives
    is_threshold = np.flatnonzero((gained > 0) & (score[begin] > -np.inf))
    return ThresholdCounts(
        thresholds=score[begin][is_threshold],
        gained=gained[is_threshold],
        tps=tps[is_threshold],
        fps=fps[is_threshold],
        fps_above=fps_above[is_threshold],
        starts=np.zeros(1, np.intp),
        n_positives=tps[-1:].copy(),
        n_negatives=fps[-1:].copy(),
    )


def judge_weight(units: UnitInfluences, judge_influence: Float, score: float) -> float:
    """Compute the judge's weight c, from 0 to 1, that minimises the variance: Equation 22.

    It is 0 for a judge that says nothing.
    """
    unknown_share = 1 - units.probability
    squares = np.sum(unknown_share * judge_influence * judge_influence)
    if not np.sqrt(squares) > ROUNDING * score:
        return 0.0
    products = np.sum(unknown_share * units.label_influence * judge_influence)
    return float(np.clip(products / squares, 0.0, 1.0))


def agreement(labelled: Labelled, options: Options) -> Agreement | None:
    """Measure how well the judge agrees with the labels; None without a judge."""
    if labelled.judged is None:
        return None
    is_labelled = labelled.is_labelled
    judged = labelled.judged[is_labelled]
    weight = 1.0 if labelled.weight is None else labelled.weight[is_labelled]
    weight = weight / labelled.probability
    rows = _Rows(weight / weight.max(), labelled.unit_of_labelled, options)
    label = labelled.positive.astype(np.float64)
    base_rate = rows.mean(label)
    if labelled.judge_is_unsure:
        brier = rows.mean((judged - label) ** 2)
        return Agreement(base_rate, excess=rows.excess(judged, label), brier=brier)
    return Agreement(
        base_rate,
        sensitivity=rows.proportion(judged, among=label),
        specificity=rows.proportion(1 - judged, among=1 - label),
        kappa=rows.kappa(judged, label),
    )


class _Rows(NamedTuple):
    """Labelled rows: their weights over their probabilities, and their units."""

    weight: Float
    unit: Index
    options: Options

    def mean(self, value: Float) -> Measured:
        """Compute the mean of values from 0 to 1, and its limits by Wilson (1927)."""
        mean = float(np.average(value, weights=self.weight))
        low, high = self._limits(mean, value - mean, self.weight)
        return Measured(mean, low, high)

    def proportion(self, is_right: Float, among: Float) -> Measured:
        """Compute the share of some rows in which the judge is right.

        Its variance is at least that of the effective number of these rows (Kish 1965). Rows of
        high probability show most mistakes, and few of low probability may show none.
        """
        weight = self.weight * among
        if not weight.sum() > 0:
            return UNKNOWN
        share = float(np.average(is_right, weights=weight))
        least_cases = effective_number(weight)
        low, high = self._limits(share, is_right - share, weight, 1 / least_cases)
        return Measured(share, low, high)

    def kappa(self, judged: Float, label: Float) -> Measured:
        """Compute Cohen's kappa, 1 - d / e, by linearization.

        d is the share of disagreements, and e that of disagreements by chance.
        """
        judged_rate = float(np.average(judged, weights=self.weight))
        label_rate = float(np.average(label, weights=self.weight))
        d = float(np.average(judged != label, weights=self.weight))
        e = judged_rate * (1 - label_rate) + label_rate * (1 - judged_rate)
        if not e > 0:  # both say the same of all rows
            return UNKNOWN
        # The influence of each row on e, and then that on d / e, times e.
        e_deviation = (judged - judged_rate) * (1 - 2 * label_rate)
        e_deviation += (label - label_rate) * (1 - 2 * judged_rate)
        deviation = (judged != label) - d - d / e * e_deviation
        low, high = self._limits(d, deviation, self.weight)
        return Measured(1 - d / e, 1 - high / e, 1 - low / e)

    def excess(self, judged: Float, label: Float) -> Measured:
        """Compute the mean of probabilities less that of labels, with Student's interval."""
        mean = np.average(judged - label, weights=self.weight)
        label_rate = np.average(label, weights=self.weight)
        least_rate = 1 / (effective_number(self.weight) + 2)  # Laplace's
        case_variance = variance_of_share(np.array([max(label_rate, least_rate)]))
        uncertainty = self._uncertainty(
            judged - label - mean, self.weight, case_variance, has_positives=bool(label_rate > 0)
        )
        options = self.options._replace(alternative="two-sided")
        half = float(difference_half_width(uncertainty, options)[0])
        return Measured(float(mean), mean - half, mean + half)

    def _limits(
        self, share: float, deviation: Float, weight: Float, least_factor: float = 0.0
    ) -> tuple[float, float]:
        """Return Wilson's limits, whose variance is at least a factor times that of one case."""
        case_variance = variance_of_share(np.array([share]))
        uncertainty = self._uncertainty(deviation, weight, case_variance)
        variance = np.maximum(uncertainty.shrunken_variance, least_factor * case_variance)
        uncertainty = uncertainty._replace(shrunken_variance=variance)
        low, high = wilson_limits(np.array([share]), uncertainty, self.options.confidence_level)
        return float(low[0]), float(high[0])

    def _uncertainty(
        self, deviation: Float, weight: Float, case_variance: Float, has_positives: bool = True
    ) -> Uncertainty:
        """Compute the uncertainty of a mean from the deviation of each row, and of one case.

        Without a mistake, all rows of a cluster may be alike, so that clusters are the cases.
        Without a positive, the sample shows no variance, whatever the deviations are.
        """
        influence = deviation * weight / weight.sum()
        unit_influence = np.bincount(self.unit, influence).astype(np.float64)
        unit_weight = np.bincount(self.unit, weight).astype(np.float64)
        n_rows = effective_number(weight)
        n_units = effective_number(unit_weight)
        factor = small_sample_factor(np.array([n_units]))
        n_counted = np.count_nonzero(unit_weight)
        variance, degrees = sums_of_squares(unit_influence[None], factor, n_units=n_counted)
        variance = drop_rounding(variance, n_rows, 1.0) * has_positives
        has_variance = variance > 0
        # The prior is the variance of a proportion, times the design effect of clusters. If no
        # mistake is shown, the rows of the least probability are those that may hide one.
        rows_in_unit = max(n_rows / n_units, 1.0)
        design_effect = np.clip(variance * n_rows / case_variance, 1.0, rows_in_unit)
        design_effect = np.where(has_variance, design_effect, rows_in_unit)
        n_prior = np.where(has_variance, n_rows, weight.sum() / weight.max())
        prior = case_variance * design_effect / n_prior
        prior_weight = np.where(has_variance, PRIOR_DEGREES / (PRIOR_DEGREES + degrees), 1.0)
        degrees = np.minimum(degrees + PRIOR_DEGREES, n_units - 1)
        return Uncertainty(
            standard_error=np.sqrt(variance),
            shrunken_variance=prior_weight * prior + (1 - prior_weight) * variance,
            degrees_of_freedom=np.where(has_variance, degrees, n_units - 1),
            binomial_variance=case_variance,
        )


def agreement_in_words(row: Mapping[str, Argument]) -> str:
    """Describe the judge by the columns of a table; empty without a judge."""
    if "judge_base_rate" not in row:
        return ""

    def limits(name: str, sign: str = "") -> str:
        number = row[f"judge_{name}"]
        low = row[f"judge_{name}_low"]
        high = row[f"judge_{name}_high"]
        if np.isnan(number):
            return "unknown"
        return f"{number:{sign}.2f} [{low:{sign}.2f}, {high:{sign}.2f}]"

    share = f"{100 * row['judge_base_rate']:.2g}% positives"
    if "judge_brier" in row:
        excess = limits("excess", "+")
        brier = limits("brier")
        return f"judge: probabilities too high by {excess} at {share}, Brier score {brier}"
    kappa = "unknown" if np.isnan(row["judge_kappa"]) else f"{row['judge_kappa']:.2f}"
    rates = f"sensitivity {limits('sensitivity')}, specificity {limits('specificity')}"
    return f"judge: {rates}, kappa {kappa} at {share}"
