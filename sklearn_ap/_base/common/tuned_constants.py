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

# Interpolated average precision, of so many levels of recall or more: their mean varies as that
# over all recalls does, so it has the influence of that mean (see equation 2). Coverage: "other
# definitions" of benchmarks/certainty_coverage.py.
MANY_RECALL_LEVELS = 11

# The same for its bias (see equation 4): with so many equally spaced levels or more, it is the bias
# of the mean over all recalls. With 11, the level at recall 0 has a larger weight: over weak
# detectors, their mean was 0.013 too low where that over all recalls was 0.014 too high. Coverage:
# the same cells of benchmarks/certainty_coverage.py.
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

# Few labels (sklearn_ap._questions.few_labels). Those of estimates stand again in
# tests/crossings/few_labels_reference.py. Coverage is that of benchmarks/few_labels.py, and with
# single rows of queries that of benchmarks/single_rows.py.

# "Hidden positives". Labelled rows whose probability is below so much of that of any positive found
# are a stratum without positives, which may hide some. Of 100 intervals of "400 labels of rare
# positives", 88 covered with 0.05; 0.5 warns of good plans in 10 of 100 samples.
LOW_PROBABILITY_RATIO = 0.3

# "Hidden mistakes of the judge". The limits allow for so many mistakes that labels do not show. Two
# are as many as Agresti and Coull (1998) add to each class. Probabilities that are too sure hide
# more (coverage: "probabilities, too sure"). Clusters of mistakes are three (coverage: "60 of 1,000
# clusters"); with two of them, coverage was 92.5 to 95.5.
HIDDEN_MISTAKES = 2
HIDDEN_PROBABILITY_MISTAKES = 5
HIDDEN_MISTAKE_CLUSTERS = 3

# Equation 23. Clusters with more than this share of a class are left out one by one. For smaller
# clusters, derivatives are good enough. So at most 400 clusters are left out, however many have
# labels.
LABELLED_CLUSTER_SHARE = 1 / 200

# Below Equation 26. Pairs of labels within queries are not those of a random sample if their number
# is off by so many standard errors, and by some whole pairs, as small numbers are skewed. A warning
# is raised if they bias a score by more than this part of its standard error.
UNLIKE_PAIRS_ERRORS = 4.0
UNLIKE_PAIRS_LEAST = 5.0
PAIR_BIAS_LIMIT = 0.5

# Of a warning. Probabilities contradict the number of rows if the sum of 1 / q is off by so many
# standard errors, which right ones leave in 1 of 15,000 normal samples, and by so large a part, as
# less hardly moves a score. Counts are skewed: with .5 to 200 expected rows of low probability,
# right probabilities are warned of in at most 3 of 20,000 samples.
WRONG_PROBABILITIES_ERRORS = 4.0
WRONG_PROBABILITIES_SHARE = 0.05

# Of rows_to_label. A part of the labels is spread evenly, as a guess can be wrong: probabilities
# that were off by half on the scale of log odds cost a third of the gain. As no guess is always
# right, the labels 0 and 1 are taken for probabilities of 0.01 and 0.99.
EVEN_LABELS_SHARE = 0.3
SURE_GUESS = 0.99

# Of rows_to_label without a guess: a tenth of the rows are positive, and their scores stand 1.5
# standard deviations higher, which has an average precision of 0.48. What is wrong in them costs
# precision only.
ASSUMED_PREVALENCE = 0.1
ASSUMED_DISTANCE = 1.5

# Segments, the best of many, sample sizes and thresholds (sklearn_ap._questions). Those of segments
# stand again in tests/crossings/uncertainty_reference.py.

# Below Equation 33. A plan for a power lacks so much beyond the uncertain variance, divided by the
# positives. Power: pilots of benchmarks/sample_size.py.
POWER_CORRECTION = 2.5

# Of a warning of plans. The effective number of clusters by their positives, over their number.
# Below this ratio, a power of 80 was 43 to 72 in plans of 14 to 132 clusters, and 76 in one of 765.
# With 0.6 (patients of 3 to 60 rows), it was 85 to 88: benchmarks/sample_size.py.
EQUAL_CLUSTERS_RATIO = 0.5
MANY_PLANNED_CLUSTERS = 500

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
