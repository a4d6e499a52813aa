"""How sure a score is: what ``sklearn_ap.intervals`` offers is worked out here.

``way`` leads from a request to what is said of it. ``places`` finds where each row stands,
``evidence`` how much rows or clusters of rows move a value, ``resampling`` the same for values that
are not smooth. ``rows`` and ``queries`` are what can be drawn at random. ``variance`` holds the
formulas, and ``judging`` applies them to estimates and differences.
"""

from sklearn_ap._certainty.judging import Options
from sklearn_ap._certainty.way import UncertaintyWarning, compared, estimated, of_counts

__all__ = ["Options", "UncertaintyWarning", "compared", "estimated", "of_counts"]
