"""Step average precision: no interpolation. Its value tells if scores seem reversed.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, positive_shares
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._results.text import rounded_as_text
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Argument, Float, Name
from sklearn_ap.definitions._base import (
    Definition,
    Influence,
    influence_of_heights,
    precision_slopes,
)

# If step average precision is below this multiple of the prevalence, with so many effective
# positives at least, scores seem to rank the negatives first. With 10 positives in random order, at
# most one ranking in 2,000 scores less, and with more positives fewer do. There is no script: 58 of
# 200,000 orders of 100 rows did, and 15 of 40,000 orders of 1,000 rows. With gamma weights of
# shapes 0.3 to 2, 15 of 78,067 orders with 10 or more scored less. Of means over 2 to 10 rankings
# with 10 positives in all, at most 6 of 20,000 were below this multiple of the mean prevalence.
REVERSED_SCORE_FACTOR = 0.65
LEAST_JUDGED = 10


@dataclass(frozen=True, repr=False)
class Step(Definition):
    r"""Average precision as the area under steps.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the thresholds, highest first, with precision :math:`P_n` and recall :math:`R_n` at the
    n-th. This is scikit-learn's number since 0.19. The value lies within [0, 1]; it is nan for a
    ranking without positives.

    Tied items enter together, at the precision of the whole block, so constant scores give the
    prevalence. Weights take the place of counts. With the counts of ``docs/methods.md``, this is
    Equation 1, and Equation 2 is its influence.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> Step()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.83333333])
    """

    title = "step AP"

    def heights(self, counts: ThresholdCounts) -> Float:
        return counts.precision  # the P_j of equation 1, whose sum the base class adds up

    def influence(self, counts: ThresholdCounts) -> Influence:
        slopes = precision_slopes(counts)  # the same for rows at a threshold and above it
        return influence_of_heights(counts, counts.precision, counts.gained, slopes, slopes)


def warn_if_reversed(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    n_effective: Callable[[], Argument],
    names: Sequence[Name] = (),
    mean_share: float | None = None,
) -> None:
    """Warn of each value, of one ranking or a mean, that is far below that of a random order.

    There may be a value for each of several models, which have ``names`` and share their labels.
    ``n_effective`` gives their effective numbers of positives, as unequal weights leave less to
    judge by. Where positives were not scored, or not retrieved, a low score comes from these.
    Of a mean, ``mean_share`` is the mean prevalence, which random orders exceed on average.
    """
    if not isinstance(definition, Step) or counts.n_unscored is not None:
        return
    is_one = counts.starts.size == 1 and counts.names is None
    share = positive_shares(counts)[0] if is_one else mean_share
    if share is None:  # several values
        return
    are_low = values < REVERSED_SCORE_FACTOR * share
    if share == 1 or not are_low.any():
        return
    if counts.gained.sum() < counts.n_positives.sum() * (1 - RELATIVE_TOLERANCE):
        return
    are_low &= np.asarray(n_effective()) >= LEAST_JUDGED * (1 - RELATIVE_TOLERANCE)
    bound = "about" if is_one else "at least"
    for place in np.flatnonzero(are_low).tolist():
        owner = f" of {names[place]}" if names else ""
        warn(
            f"The average precision{owner}, {rounded_as_text(values[place])}, is far below that of "
            f"random scores, {bound} {rounded_as_text(share)}. If high scores mean negative, pass "
            f"-y_score, or the other column of predict_proba.",
            UserWarning,
        )
