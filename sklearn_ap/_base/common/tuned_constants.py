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

# With equation 14. A difference over clusters of several rows has no fewer degrees of freedom.
# Coverage and width: "clusters, two models" of benchmarks/certainty_coverage.py.
FEWEST_DEGREES = 3.0

# With equation 11. A cluster with more than this share of a class is left out, as its derivative is
# wrong by about the square of this share. Coverage: "clusters" of benchmarks/certainty_coverage.py.
LARGE_CLUSTER_SHARE = 1 / 50

# With equation 4. Below this effective number of clusters, groups of them are left out to find the
# bias, which falls with 1 / N, whereas the error falls slower. Coverage: the same.
ENOUGH_CLUSTERS = 200

# With equation 4. So many groups of units that are no large clusters are left out: each costs a
# score. Coverage: the same.
N_GROUPS = 20

# With equation 4. The bias of an interpolated score is multiplied by this factor, as leaving out
# groups finds a bias that falls with 1 / n, but two thirds of one that falls with n^(-2/3).
# Coverage: "detectors" of benchmarks/certainty_coverage.py.
ENVELOPE_BIAS_FACTOR = 1.5

# With equation 4. A bias of so many standard errors is noticeable: the coverage of 95% limits is
# then 94.3%. A smaller one is not looked for where that takes long.
NOTICEABLE_BIAS = 0.25

# Below this effective number of clusters by a class, coverage may be too low, and there is a
# warning. If one of 100 sites has 30% of the negatives, the number is 10, and 70 to 87 of 100
# intervals cover. It does not vary with luck: 80 sets of 10 rows cover 97, but 88 where an
# effective number by influences is small. Coverage: benchmarks/warning_kinds.py.
FEW_CLUSTERS = 16

# With so many columns of at most so many positives, there is a warning of their mean, as its
# standard error falls with their number, whereas a bias that they share stays. 30 to 100 columns of
# 16 to 25 positives cover 88 to 96 of 100, and 10 columns of 12 to 20 positives cover 92 to 98.
# Coverage: the same.
MANY_SMALL_COLUMNS = 20
FEW_COLUMN_POSITIVES = 30

# Training runs of a method (equation 17), below which there is a warning: with three, up to 11 of
# 100 tests of equal methods had p < .05 (benchmarks/training_runs.py).
FEW_RUNS = 5

# Scores (sklearn_ap._scores and sklearn_ap.definitions)

# Folds and training runs (sklearn_ap._folds)

# Few labels (sklearn_ap._questions.few_labels)

# Segments, the best of many, sample sizes and thresholds (sklearn_ap._questions)
