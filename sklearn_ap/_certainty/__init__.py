"""How sure a score is: what ``sklearn_ap.intervals`` offers is worked out here.

- ``pipeline`` leads from a request to the numbers of an interval or a comparison.
- ``places`` finds where each row stands, from one sort.
- ``influences`` says how much each row, or cluster of rows, moves a value. ``resampling`` draws
  replicates of values that are not smooth.
- ``rows`` and ``queries`` are the two kinds of cases that can be drawn at random.
- ``formulas`` turns sums of squares into limits and p-values. ``estimates`` applies it to a value,
  a difference or an average, and says when that rests on little.
"""

from sklearn_ap._certainty.estimates import Options
from sklearn_ap._certainty.pipeline import UncertaintyWarning, compared, estimated, of_counts

__all__ = ["Options", "UncertaintyWarning", "compared", "estimated", "of_counts"]
