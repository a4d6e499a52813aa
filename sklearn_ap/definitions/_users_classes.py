"""The values of a definition that a user wrote, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from sklearn_ap._counts.thresholds import COUNTED, ThresholdCounts, select_rankings
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Argument, Float

N_TRIED = 5  # rankings of which a value is computed alone, too
HOW_TO_COUNT_SEVERAL = (
    "Several rankings are counted at once, one after the other. Write counts.per_threshold(x) for "
    "a number x of each ranking, counts.sum(x), counts.sum_below(x) and counts.highest(x) for "
    "sums and maxima, counts.envelope(x) for running maxima, counts.value_above(x) for the "
    "threshold above, and counts.starts for where each ranking begins, as the page 'Definitions' "
    "says under 'A definition of your own'."
)


def checked_values(definition: Argument, counts: ThresholdCounts) -> Float:
    """Return one value per ranking; refuse or warn of odd ones."""
    values = _call(definition, counts)
    if not isinstance(definition.title, str):
        raise TypeError(
            f"The title of {definition!r} must be a text, got {definition.title!r:.60}. Write "
            f"@property above a method."
        )
    if getattr(values, "shape", None) != counts.starts.shape:
        raise ValueError(
            f"{definition!r} must give an array of one value for each ranking, of shape "
            f"{counts.starts.shape}, got {values!r:.100}."
        )
    is_defined = (counts.n_positives > 0) & (definition.divisor(counts) > 0)
    if (np.isnan(values) & is_defined).any():
        raise ValueError(f"{definition!r} gives nan for a ranking that has positives.")
    if counts.starts.size > 1:
        _check_rankings_alone(definition, counts, values)
    if counts.fps.dtype.kind == "f" and definition.depth is None:
        _check_unit_of_weights(definition, counts, values)
    return cast(Float, values)


def _call(definition: Argument, counts: ThresholdCounts) -> Argument:
    """Call a definition, and say what it gets if it fails."""
    try:
        return definition(counts)
    except TypeError as error:
        raise TypeError(
            f"{definition!r} fails. It gets counts, as heights(self, counts) or __call__(self, "
            f"counts) do, and neither y_true nor y_score."
        ) from error
    except ValueError as error:
        if counts.starts.size == 1:
            raise
        for i in range(counts.starts.size):
            definition(select_rankings(counts, i, i + 1))  # has the error if it fails alone, too
        raise ValueError(
            f"{definition!r} fails where there are several rankings. {HOW_TO_COUNT_SEVERAL}"
        ) from error


def _check_rankings_alone(definition: Argument, counts: ThresholdCounts, values: Float) -> None:
    """Refuse values that hang on the rankings beside them, such as a maximum over all of them."""
    # [0.5, 1] in rankings of 1 and 1 thresholds, whose maximum over all is [1, 1]
    not_empty = np.flatnonzero(counts.ends > counts.starts)
    tried = np.linspace(0, not_empty.size - 1, N_TRIED).astype(int)
    for i in np.unique(not_empty[tried]).tolist() if not_empty.size else ():
        alone = definition(select_rankings(counts, i, i + 1))[0]
        if not np.isclose(values[i], alone, equal_nan=True):
            raise ValueError(
                f"{definition!r} gives {values[i]:g} for a ranking that it gives {alone:g} "
                f"alone, so it mixes rankings, or is random. {HOW_TO_COUNT_SEVERAL}"
            )


def _check_unit_of_weights(definition: Argument, counts: ThresholdCounts, values: Float) -> None:
    """Warn of values that change with the unit of weights, unless their first k count weight."""
    doubled = replace(counts, **{name: 2 * getattr(counts, name) for name in COUNTED})
    if not np.allclose(values, definition(doubled), 0, RELATIVE_TOLERANCE, equal_nan=True):
        warn(
            f"{definition!r} gives other values if all weights are doubled, so weights and a "
            f"prevalence change it by their unit. Use ratios, such as counts.precision, and not "
            f"sums, such as counts.fps.",
            UserWarning,
        )
