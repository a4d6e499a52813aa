"""The constants of formulas that were chosen by simulation.

Each says what it means, the equation of ``docs/methods.md`` in which it stands, why it has its
value, and the command whose grid of simulations shows what the value does. Constants that follow
from a derivation, or that are choices of speed or display, stand where they are used.
"""

# Intervals and tests (sklearn_ap._uncertainty). What halving and doubling these changes is shown by
# benchmarks/sensitivity.py. They stand again in tests/crossings/uncertainty_reference.py.

# Equation 5. The degrees of freedom that the prior variance V0 counts for: as many as a sample of
# five units has, so that half of V* is V0 there. Coverage: "near-perfect" and "two false alarms" of
# benchmarks/certainty_coverage.py.
PRIOR_DEGREES = 4.0

# Equation 6. The bound B has this factor before ln(N). One false positive on top of N positives
# lowers a nearly perfect score by ln(N) / N, but not every sample lacks one. Coverage: the same
# families of benchmarks/certainty_coverage.py.
BOUND_LOG_FACTOR = 0.65

# Equation 5. So many squares of what one hidden row changes bound V0. With half of V* from V0, five
# let an interval at 95% reach three hidden rows. Coverage and width: "easy" and "weak" of
# benchmarks/held_out.py.
HIDDEN_ROW_SQUARES = 5.0

# Equation 14. From this share of all clusters on, those that determine a difference are many, and
# models are taken to disagree on rows. Coverage and width: "clusters, two models" of
# benchmarks/certainty_coverage.py.
MANY_CLUSTERS_SHARE = 0.25

# Scores (sklearn_ap._scores and sklearn_ap.definitions)

# Interpolated average precision, of so many levels of recall or more: their mean varies as that
# over all recalls does, so it has the influence of that mean (see equation 2). Coverage: "other
# definitions" of benchmarks/certainty_coverage.py.
MANY_RECALL_LEVELS = 11

# The same for its bias (see equation 4): with so many equally spaced levels or more, it is the bias
# of the mean over all recalls. With 11, the level at recall 0 has a larger weight: over weak
# detectors, their mean was 0.013 too low where that over all recalls was 0.014 too high. Coverage:
# the same cells.
FINE_RECALL_LEVELS = 101

# The band of the curve: local levels that are interpolated have this factor. Straight lines between
# the logarithms of the table exceed the exact levels by at most 2.2%. Beyond the table they fall
# short of them. Exact levels, and those in use: benchmarks/band_levels.py.
LOCAL_LEVEL_FACTOR = 0.97

# A warning that scores rank the negatives first: step average precision is below this multiple of
# the prevalence. With 10 positives in random order, at most one ranking in 2,000 scores so low, and
# with more positives fewer do. There is no script: 58 of 200,000 orders of 100 rows did, and 15 of
# 40,000 orders of 1,000 rows.
REVERSED_SCORE_FACTOR = 0.65

# Folds and training runs (sklearn_ap._folds)

# Few labels (sklearn_ap._questions.few_labels)

# Segments, the best of many, sample sizes and thresholds (sklearn_ap._questions)
