"""Whether scores look as if they ranked the negatives first."""

from collections.abc import Callable, Sequence

import numpy as np

from sklearn_ap._counts.thresholds import Scoring, ThresholdCounts, positive_shares
from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._results.text import rounded_as_text
from sklearn_ap._types import Argument, Float, Name

# If step average precision is below this multiple of the prevalence, with so many effective
# positives at least, scores seem to rank the negatives first. With 10 positives in random order, at
# most one ranking in 2,000 scores less, and with more positives fewer do. There is no script: 58 of
# 200,000 orders of 100 rows did, and 15 of 40,000 orders of 1,000 rows. With gamma weights of
# shapes 0.3 to 2, 15 of 78,067 orders with 10 or more scored less.
REVERSED_SCORE_FACTOR = 0.65
LEAST_JUDGED = 10


def warn_if_reversed(
    definition: Scoring,
    counts: ThresholdCounts,
    values: Float,
    n_effective: Callable[[], Argument],
    names: Sequence[Name] = (),
) -> None:
    """Warn of each value of one ranking that is far below that of a random order.

    There may be a value for each of several models, which have ``names`` and share their labels.
    ``n_effective`` gives their effective numbers of positives, as unequal weights leave less to
    judge by. Where positives were not scored, or not retrieved, a low score comes from these.
    """
    is_one = not counts.several and counts.n_unscored is None
    if not (definition.chance_is_prevalence and is_one):
        return
    if counts.tps.max(initial=0) < counts.n_positives[0] * (1 - RELATIVE_TOLERANCE):
        return
    (share,) = positive_shares(counts).tolist()
    are_low = values < REVERSED_SCORE_FACTOR * share
    if share == 1 or not are_low.any():
        return
    are_low &= np.asarray(n_effective()) >= LEAST_JUDGED * (1 - RELATIVE_TOLERANCE)
    for place in np.flatnonzero(are_low).tolist():
        owner = f" of {names[place]}" if names else ""
        warn(
            f"The average precision{owner}, {rounded_as_text(values[place])}, is far below that of "
            f"random scores, about {rounded_as_text(share)}. If high scores mean negative, pass "
            f"-y_score, or the other column of predict_proba.",
            UserWarning,
        )
