"""Whether a model is not worse than a reference by a margin.

A sample may lack rare false alarms of the model, so its limit allows for three of them above all
other rows. Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from scipy.special import stdtr

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.options import check_open_share, check_real_number
from sklearn_ap._types import Argument, Float
from sklearn_ap._uncertainty.former._false_alarms import losses_by_negatives
from sklearn_ap._uncertainty.former.confidence_limits import difference_half_width, mask_undefined
from sklearn_ap._uncertainty.former.influence import InfluenceValues, QueryInfluences
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.shrinkage import MOST_HIDDEN, Uncertainty
from sklearn_ap.definitions import Definition


class MarginTest(NamedTuple):
    """The tests of the difference of each score from that of a reference, against a margin."""

    low: Float  # a limit that allows for rare false alarms
    not_worse_pvalue: Float


class SmallMarginError(ValueError):
    """A margin is too small for the rows: equal models would not be shown to be not worse.

    Its arguments are the reason and the remedy, as the command line has another remedy.
    """

    def __str__(self) -> str:
        return " ".join(self.args)


def check_margin(margin: Argument, alternative: str) -> float | None:
    """Refuse a margin outside (0, 1), and one beside a one-sided alternative."""
    if margin is None:
        return None
    if alternative != "two-sided":
        raise ValueError(
            f"margin does not go with alternative={alternative!r}: its test of 'not worse' is "
            f"one-sided already, at half the error. Leave out alternative."
        )
    return check_open_share("margin", margin)


def check_difference_above(lowest: float, difference: Argument) -> float:
    """Refuse a true difference of a plan at or below minus the margin, where nothing is shown."""
    number = check_real_number("difference", difference)
    if not lowest < number < 1:
        raise ValueError(
            f"With margin={-lowest:g}, difference is the true difference that the plan assumes: it "
            f"must lie within ({lowest:g}, 1), and is often 0.0, got {difference!r}."
        )
    return number


def cost_of_counts(definition: Definition, counts: ThresholdCounts) -> Float:
    """Return the loss of each value by hidden false alarms, of unweighted counts."""
    n_alarms = np.full(counts.starts.size, MOST_HIDDEN)
    return losses_by_negatives(definition, counts, n_alarms)


def combined_cost(influences: InfluenceValues) -> Float:
    """Return the loss d of each score by the false alarms that a sample may hide.

    A sample without a false alarm may come from a rate of up to ``MOST_HIDDEN`` in its rows, or
    clusters or queries. Those of the columns of a mean are independent, so their squares add up.
    """
    cost = cast(Float, influences.hidden_alarms_cost)
    if isinstance(influences, QueryInfluences) or not influences.is_mean:
        return cost
    return np.sqrt(np.sum((influences.shares * cost) ** 2, keepdims=True))


def margin_test(
    influences: InfluenceValues,
    reference: InfluenceValues,
    uncertainty: Uncertainty | None,
    options: Options,
) -> MarginTest:
    """Test whether each score is not worse than a reference.

    Equation B20: the limit. The p-value agrees with it: a model is shown to be not worse if the
    p-value is below half the error, which is if the limit is above minus the margin.
    """
    difference = influences.score - reference.score
    if uncertainty is None:  # the reference itself
        return MarginTest(difference, np.full_like(difference, np.nan))
    bias = uncertainty.known_bias
    allowance = combined_cost(influences)
    distance = np.maximum(bias + difference_half_width(uncertainty, options), 0.0)
    low = np.maximum(difference - np.hypot(distance, allowance), -1.0)
    pvalue = _not_worse_pvalue(difference, bias, allowance, uncertainty, options)
    return MarginTest(
        low=mask_undefined(influences, low),
        not_worse_pvalue=mask_undefined(influences, pvalue),
    )


def _not_worse_pvalue(
    gain: Float, bias: Float, allowance: Float, uncertainty: Uncertainty, options: Options
) -> Float:
    """Return the error at which the lower limit of a gain is minus the margin.

    Equation B21. Where the margin is below the allowance, a gain of 0 is not enough: the root is
    then taken with the sign of its argument, so that the p-value goes on rising towards 1.
    """
    excess = gain + cast(float, options.margin)
    square = excess * np.abs(excess) - allowance * allowance
    root = np.sign(square) * np.sqrt(np.abs(square))
    error = np.sqrt(uncertainty.shrunken_variance * options.difference_factor)
    degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)
    return np.asarray(stdtr(degrees, -(root - bias) / np.maximum(error, TINY)))
