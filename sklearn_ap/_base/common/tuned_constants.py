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

# Folds and training runs (sklearn_ap._folds)

# Few labels (sklearn_ap._questions.few_labels)

# Segments, the best of many, sample sizes and thresholds (sklearn_ap._questions)
# They stand again in tests/crossings/uncertainty_reference.py.

# Equations 27, 29 and 31. A positive correlation over n clusters loses the proportion 2 / n: over
# two clusters, it is always 1 or -1, and over few it is too high. Without this, equal segments that
# share 2, 3, 5 and 10 clusters differed in up to 16, 10, 10 and 6 of 100 samples. False positives:
# "2: 60 of 10% each, 8 clusters in both" of benchmarks/segments.py.
CORRELATION_LOSS = 2

# Equation 29. A segment in the trend has at least so many effective positives. With 3, scores of
# few positives, which are too high, look like a trend. False positives: "12 months of 2 to 60" of
# benchmarks/segments.py.
FEWEST_TREND_POSITIVES = 5

# Equation 30. True scores may vary about the line of so many segments or more, as five hardly show
# how much. A decline that is found in 71 of 100 samples given these five would be found in 16.
# Power: "5 months of 100" and "6 months of 100" of benchmarks/segments.py.
FEWEST_FOR_SCATTER = 6
