"""A judge: its score of all rows, its weight in an estimate, and how well it agrees with people.

Shares are ratios of sums of weights over probabilities. Their variance is that of these ratios over
the labelled units, shrunken towards that of a proportion. A small sample may show no mistake at
all.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.inputs.rankings import Rankings
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
from sklearn_ap._uncertainty.sampling_units import effective_number
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
        """Give the numbers of a row of a table."""
        columns: dict[str, float] = {}
        for name in (field.name for field in fields(self)):
            if (number := getattr(self, name)) is not None:
                keys = (f"judge_{name}{limit}" for limit in ("", "_low", "_high"))
                columns |= dict(zip(keys, number, strict=True))
        return columns


def score_of_judge(
    definition: Definition, labelled: Labelled, judged: Float, fill: Fill
) -> tuple[float, float]:
    """The score of all rows and its bias, without influence values, which take longer."""
    weight, everywhere = labelled.weight, np.ones(judged.size)
    if labelled.unit == "query":  # whose mean is right on average, and k counts their weights
        all_rows = replace(labelled, is_labelled=everywhere > 0, probability_of_rows=everywhere)
        rankings, _ = all_rows.rankings(judged)
        counts = count(rankings.only_retrieved(), definition.depth)
        return float(np.mean(fill(values_of(definition, counts)))), 0.0
    if weight is not None:  # the bias is that of so many rows, whatever their unit
        weight = weight / weight.mean()
    if labelled.judge_is_unsure:
        counts = _counts_of_probabilities(labelled.score, judged, weight)
    else:
        counts = count(Rankings(judged > 0, labelled.score, weight).only_retrieved())
    score = float(fill(values_of(definition, counts))[0])
    return score, float(np.nan_to_num(definition.bias(counts)[0]))


def _counts_of_probabilities(score: Array, judged: Float, weight: Float | None) -> ThresholdCounts:
    """Those of rows that are positives of a weight and negatives of the rest, from one sort."""
    order, score = descending_order(score)
    weight = np.ones(score.size) if weight is None else weight[order]
    positive = weight * judged[order]
    negative = weight - positive
    begin = np.flatnonzero(begins_block(score))
    gained, at_threshold = np.add.reduceat(positive, begin), np.add.reduceat(negative, begin)
    tps, fps = np.cumsum(gained), np.cumsum(at_threshold)
    totals = tps[-1:].copy(), fps[-1:].copy()
    kept = np.flatnonzero((gained > 0) & (score[begin] > -np.inf))
    of_all = score[begin], gained, tps, fps, fps - at_threshold
    columns: list[Any] = [each[kept] for each in of_all]
    return ThresholdCounts(*[*columns, np.zeros(1, np.intp), *totals])


def weight_of_judge(of_units: UnitInfluences, by_judge: Float, score: float) -> float:
    """The weight in [0, 1] that makes the variance least; 0 for a judge that says nothing."""
    unknown = 1 - of_units.probability
    of_judge = np.sum(unknown * by_judge * by_judge)
    if not np.sqrt(of_judge) > ROUNDING * score:
        return 0.0
    return float(np.clip(np.sum(unknown * of_units.by_labels * by_judge) / of_judge, 0.0, 1.0))


def agreement(labelled: Labelled, options: Options) -> Agreement | None:
    """How well the judge agrees with the labels; None without one."""
    if labelled.judged is None:
        return None
    known, says = labelled.is_labelled, labelled.judged[labelled.is_labelled]
    weight = (1.0 if labelled.weight is None else labelled.weight[known]) / labelled.probability
    rows = _Rows(weight / weight.max(), labelled.unit_of_labelled, options)
    label = labelled.positive.astype(np.float64)
    base_rate = rows.mean(label)
    if labelled.judge_is_unsure:
        brier = rows.mean((says - label) ** 2)
        return Agreement(base_rate, excess=rows.excess(says, label), brier=brier)
    return Agreement(
        base_rate,
        sensitivity=rows.rate(says, label),
        specificity=rows.rate(1 - says, 1 - label),
        kappa=rows.kappa(says, label),
    )


class _Rows(NamedTuple):
    """Labelled rows: their weights over their probabilities, and their units."""

    weight: Float
    unit: Index
    options: Options

    def mean(self, value: Float) -> Measured:
        """The mean of values from 0 to 1, and its limits by Wilson (1927)."""
        mean = float(np.average(value, weights=self.weight))
        return Measured(mean, *self._limits(mean, value - mean, self.weight))

    def rate(self, is_right: Float, among: Float) -> Measured:
        """A share of some rows; its variance is at least that of their effective number (Kish).

        Rows of high probability show most mistakes, and few of low probability may show none.
        """
        weight = self.weight * among
        if not weight.sum() > 0:
            return UNKNOWN
        share = float(np.average(is_right, weights=weight))
        of_number = 1 / effective_number(weight)
        return Measured(share, *self._limits(share, is_right - share, weight, of_number))

    def kappa(self, says: Float, label: Float) -> Measured:
        """Cohen's kappa, one minus disagreements over those of chance, d / e, by linearization."""
        of_judge, of_label, d = (
            float(np.average(each, weights=self.weight)) for each in (says, label, says != label)
        )
        e = of_judge * (1 - of_label) + of_label * (1 - of_judge)
        if not e > 0:  # both say the same of all rows
            return UNKNOWN
        moved = (says - of_judge) * (1 - 2 * of_label) + (label - of_label) * (1 - 2 * of_judge)
        low, high = self._limits(d, (says != label) - d - d / e * moved, self.weight)
        return Measured(1 - d / e, 1 - high / e, 1 - low / e)

    def excess(self, says: Float, label: Float) -> Measured:
        """The mean of probabilities less that of labels, with Student's interval."""
        mean, of_label = (np.average(v, weights=self.weight) for v in (says - label, label))
        least = 1 / (effective_number(self.weight) + 2)  # Laplace's
        of_case = variance_of_share(np.array([max(of_label, least)]))
        uncertainty = self._uncertainty(says - label - mean, self.weight, of_case, of_label > 0)
        options = self.options._replace(alternative="two-sided")
        half = float(difference_half_width(uncertainty, options)[0])
        return Measured(float(mean), mean - half, mean + half)

    def _limits(
        self, share: float, moved: Float, weight: Float, of_number: float = 0.0
    ) -> tuple[float, float]:
        of_case = variance_of_share(np.array([share]))
        uncertainty = self._uncertainty(moved, weight, of_case)
        variance = np.maximum(uncertainty.shrunken_variance, of_number * of_case)
        uncertainty = uncertainty._replace(shrunken_variance=variance)
        low, high = wilson_limits(np.array([share]), uncertainty, self.options.confidence_level)
        return float(low[0]), float(high[0])

    def _uncertainty(
        self, moved: Float, weight: Float, of_case: Float, shows: Any = True
    ) -> Uncertainty:
        """The variance of a mean from how far each row is from it, and of one case.

        Without a mistake, all rows of a cluster may be alike, so that clusters are the cases.
        """
        moved = moved * weight / weight.sum()
        unit_influence, of_units = (
            np.bincount(self.unit, each).astype(np.float64) for each in (moved, weight)
        )
        n_rows, n_units = effective_number(weight), effective_number(of_units)
        n_counted = np.count_nonzero(of_units)
        factor = small_sample_factor(np.array([n_units]))
        shown, degrees = sums_of_squares(unit_influence[None], factor, n_units=n_counted)
        shown = drop_rounding(shown, n_rows, 1.0) * shows
        weight_of_prior = np.where(shown > 0, PRIOR_DEGREES / (PRIOR_DEGREES + degrees), 1.0)
        degrees, most = (
            np.minimum(degrees + PRIOR_DEGREES, n_units - 1),
            max(n_rows / n_units, 1.0),
        )
        effect = np.where(shown > 0, np.clip(shown * n_rows / of_case, 1.0, most), most)
        # If no mistake is shown, the rows of the least probability are those that may hide one.
        n_prior = np.where(shown > 0, n_rows, weight.sum() / weight.max())
        prior = of_case * effect / n_prior
        return Uncertainty(
            standard_error=np.sqrt(shown),
            shrunken_variance=weight_of_prior * prior + (1 - weight_of_prior) * shown,
            degrees_of_freedom=np.where(shown > 0, degrees, n_units - 1),
            binomial_variance=of_case,
        )


def in_words(row: dict[str, Any]) -> str:
    """What the columns of a judge say; empty without one."""
    if "judge_base_rate" not in row:
        return ""

    def limits(name: str, sign: str = "") -> str:
        number, low, high = (row[f"judge_{name}{limit}"] for limit in ("", "_low", "_high"))
        if np.isnan(number):
            return "unknown"
        return f"{number:{sign}.2f} [{low:{sign}.2f}, {high:{sign}.2f}]"

    share = f"{100 * row['judge_base_rate']:.2g}% positives"
    if "judge_brier" in row:
        much = limits("excess", "+")
        return f"judge: probabilities too high by {much} at {share}, Brier score {limits('brier')}"
    kappa = row["judge_kappa"]
    kappa = "unknown" if np.isnan(kappa) else f"{kappa:.2f}"
    rates = f"sensitivity {limits('sensitivity')}, specificity {limits('specificity')}"
    return f"judge: {rates}, kappa {kappa} at {share}"
