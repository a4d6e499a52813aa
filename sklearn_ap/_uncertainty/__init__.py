"""How sure a score is: what ``sklearn_ap.intervals`` offers is worked out here.

A request passes these modules from top to bottom:

- ``cross_validation`` makes a request of the folds of a cross-validation; ``training_shares`` says
  how the training rows move the scores of a fold, and ``overfitting`` how they link models.
- ``interval``, ``comparison`` and ``winner`` each answer a question: how sure is a score, is a
  model better, and which one is the best? They ask the modules below.
- ``units`` says what is drawn at random: rows, clusters of rows, positives never scored.
- ``moves`` says how far each unit moves each value; ``replicates`` draws new samples for
  definitions that have no influence.
- ``spread`` makes variances of moves, with what a small sample hides.
- ``limits`` makes limits, p-values and sizes of samples of those.

``random_orders`` answers another question by itself: what do random orders of the labels give?

Beside them, ``options`` checks what the user chose, ``cautions`` says when a result rests on
little, and ``certified_thresholds`` tests which thresholds keep a guarantee.
"""

from sklearn_ap._inputs import predicted_classes
from sklearn_ap._uncertainty.cautions import (
    UncertaintyWarning,
    predicted_classes_of_models,
    warn_of,
)
from sklearn_ap._uncertainty.comparison import compare
from sklearn_ap._uncertainty.cross_validation import Pooling, pool_folds, pool_models
from sklearn_ap._uncertainty.interval import estimate, estimate_from_counts
from sklearn_ap._uncertainty.options import (
    Alternative,
    Options,
    Scores,
    Seed,
    check_options,
    check_rng,
    named_models,
)
from sklearn_ap._uncertainty.overfitting import Question, difference_factor
from sklearn_ap._uncertainty.random_orders import (
    ByChance,
    Places,
    by_chance,
    means_by_chance,
    pvalue,
)
from sklearn_ap._uncertainty.winner import Winner, find_best

__all__ = [
    "Alternative",
    "ByChance",
    "Options",
    "Places",
    "Pooling",
    "Question",
    "Scores",
    "Seed",
    "UncertaintyWarning",
    "Winner",
    "by_chance",
    "check_options",
    "check_rng",
    "compare",
    "difference_factor",
    "estimate",
    "estimate_from_counts",
    "find_best",
    "means_by_chance",
    "named_models",
    "pool_folds",
    "pool_models",
    "predicted_classes",
    "predicted_classes_of_models",
    "pvalue",
    "warn_of",
]
