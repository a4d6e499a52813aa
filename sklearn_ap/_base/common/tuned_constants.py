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

# Folds and training runs (sklearn_ap._folds). benchmarks/cross_validation.py shows the coverage of
# pools of folds, how often comparisons of them are wrong, and how often they are warned of.

# Equation 15. The variance of the score of a pool has this factor, because the rows of one fold
# train the models of the others. So has that of a difference of models that rank rows which they
# have seen like new ones. It stands again in tests/crossings/uncertainty_reference.py, as do the
# next two.
POOL_VARIANCE_FACTOR = 1.25

# Equation 15, kappa: what overfitting adds to the factor of a difference, by the question. With
# it, at most 7 of 100 comparisons are wrong. For 5 folds, 1.25 + 1 is also the factor of Nadeau
# and Bengio (2003).
OVERFIT_VARIANCE = {"models": 0.5, "training": 1.0}

# Equation 15. From this overfit o on, all of kappa is added.
LARGE_OVERFIT = 0.4

# A pool is warned of if it scores too low by more than this, in standard errors of the score or of
# the difference. With a line that does not fall with the error, a pool of 200 positives lost a
# standard error below it.
LARGE_SHIFT = 0.5

# After equation 15. A pool of ranks scores too low by this, in standard errors, times t / sqrt(N),
# where t rows of other folds are tied with each of N positives. It was .12 to .28 of normal scores
# with 50 or 200 positives in 10 to 50 folds.
TIE_LOSS = 0.2

# Odds leave at most this part of the shift that an unequal prevalence of folds makes. Shrunken
# logistic regression (C = .001 and .003) on nearly sorted rows lost .4 to .5 of it, and other
# models less.
UNCORRECTED_SHIFT = 0.5

# Equation 16. Scores of folds are said to have unlike scales below this p-value, for all tops
# together: a false positive in 1,000 cross-validations.
UNLIKE_SCALES_PVALUE = 1e-3

# Equation 16. How many times the positives the tops are that are compared.
TOP_SIZES = (0.5, 1, 2, 4)

# Few labels (sklearn_ap._questions.few_labels)

# Segments, the best of many, sample sizes and thresholds (sklearn_ap._questions)

# Thresholds. These trade power for time and change no guarantee: benchmarks/threshold_coverage.py.
# The first is the ratio of two ranks that the search tests one after the other, and the second that
# of the negatives above two starts.
THRESHOLD_RANK_RATIO = 1.05
THRESHOLD_START_RATIO = 1.5

# Thresholds. A precision is hardly shown if the rows would have as many positives in more than this
# share of the samples where it is just reached: benchmarks/threshold_coverage.py. So many rows at
# the top without a negative are enough for any precision.
LUCK_PROBABILITY = 0.5
ENOUGH_AT_TOP = 10

# Judged@k. Shares of two systems that differ by more are warned of. Where the difference was .15,
# the better of two systems looked worse in 15 of 100 samples of tests/helpers/pooled_runs.py, and
# where it was .22, in 88.
UNLIKE_JUDGED_SHARES = 0.1
