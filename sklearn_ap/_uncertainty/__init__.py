"""How sure a score is: what ``sklearn_ap.intervals`` offers is worked out here.

A request passes these modules from top to bottom:

- ``cross_validation`` makes a request of the folds of a cross-validation.
- ``estimation`` leads from a request to the numbers of an interval or a comparison.
- ``sampled_rows`` and ``sampled_queries`` say what is drawn at random: a row (or a cluster of
  rows), or a query.
- ``row_influences`` says how much each row moves the value of each ranking. ``replicates`` draws
  new samples for definitions that have no influence.
- ``variances`` makes variances of influences, and ``limits`` makes limits and p-values of those.
- ``winner`` does the same for the best of several models, from their covariances.

Beside them, ``options`` checks what the user chose, and ``uncertainty_warnings`` says when an
interval rests on little.
"""

from sklearn_ap._uncertainty.cross_validation import Pooling, check_same_folds, pool_folds
from sklearn_ap._uncertainty.estimation import compare, estimate, estimate_from_counts
from sklearn_ap._uncertainty.options import Alternative, Scores, Seed, check_options, named_models
from sklearn_ap._uncertainty.uncertainty_warnings import (
    UncertaintyWarning,
    predicted_classes,
    predicted_classes_of_models,
    warn_of,
)
from sklearn_ap._uncertainty.winner import find_best

__all__ = [
    "Alternative",
    "Pooling",
    "Scores",
    "Seed",
    "UncertaintyWarning",
    "check_options",
    "check_same_folds",
    "compare",
    "estimate",
    "estimate_from_counts",
    "find_best",
    "named_models",
    "pool_folds",
    "predicted_classes",
    "predicted_classes_of_models",
    "warn_of",
]
