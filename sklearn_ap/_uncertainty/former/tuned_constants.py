"""The constants of formulas that were chosen by simulation.

The comment of each constant has its meaning, its equation in ``docs/methods.md``, the reason for
its value, and the command whose simulations show the effect of the value. Constants that follow
from a derivation, or that are choices of speed or display, stand where they are used.
"""

# Intervals and tests (sklearn_ap._uncertainty.former). They were chosen together with former
# intervals of one score. They stand again in tests/crossings/uncertainty_reference.py.

# Equation B3. The degrees of freedom of the prior variance V0. A sample of five units also has
# four, so half of its V* is V0. Coverage:
# benchmarks/few_labels.py.
PRIOR_DEGREES = 4.0

# Equation B4. The bound B has this factor before ln(N). One false positive on top of N positives
# lowers a nearly perfect score by ln(N) / N, but not every sample lacks one. Coverage:
# benchmarks/few_labels.py.
BOUND_LOG_FACTOR = 0.65

# Equation B3. V0 is at most this number times the squared change by one hidden row. If half of V*
# is V0, an interval at 95% then reaches three hidden rows. There is no script of differences alone.
HIDDEN_ROW_SQUARES = 5.0

# Equation B11. If this share of all clusters, or more, determines a difference, models are assumed
# to disagree on rows, not on clusters. Coverage and width: benchmarks/few_labels.py.
MANY_CLUSTERS_SHARE = 0.25

# With equation B11. The fewest degrees of freedom of a difference over clusters of several rows.
# Coverage and width: benchmarks/few_labels.py.
FEWEST_DEGREES = 3.0

# With equation B8. A cluster with more than this share of a class is left out to find its
# influence: its derivative has an error of about the square of this share. Coverage:
# benchmarks/few_labels.py.
LARGE_CLUSTER_SHARE = 1 / 50

# With equation B2. Below this effective number of clusters, groups of them are left out to find the
# bias. With more clusters it is negligible: it falls with 1 / N, and the standard error falls more
# slowly. Coverage: benchmarks/few_labels.py.
ENOUGH_CLUSTERS = 200

# With equation B2. The number of groups that are left out, besides large clusters: the time grows
# with it. Coverage: benchmarks/few_labels.py.
N_GROUPS = 20

# With equation B2. The factor of the bias of an interpolated score. Leaving out groups finds a bias
# that falls with 1 / n, but only two thirds of a bias that falls with n^(-2/3).
# There is no script for it.
ENVELOPE_BIAS_FACTOR = 1.5

# With equation B2. The smallest noticeable bias, in standard errors: the coverage of 95% limits is
# then 94.3%. A smaller bias is not computed if that takes long. There is no script for it.
NOTICEABLE_BIAS = 0.25

# Below this effective number of clusters of a class, there is a warning, as coverage may be too
# low. If one of 100 sites has 30% of the negatives, the number is 10, and 70 to 87 of 100 intervals
# cover. The number does not depend on influences, which vary with luck: of intervals over 80 sets
# of 10 rows, 97 of 100 cover, but only 88 of those whose effective number by influences is small.
# Coverage: benchmarks/warning_kinds.py.
FEW_CLUSTERS = 16

# Few labels (sklearn_ap._questions.few_labels). Those of estimates stand again in
# tests/crossings/few_labels_reference.py. Coverage is that of benchmarks/few_labels.py.

# "Hidden positives". Labelled rows whose probability is below this multiple of the lowest
# probability of a positive found are a stratum without positives, which may hide some. Of 100
# intervals of "400 labels of rare positives", 88 covered with 0.05; 0.5 warns of good plans in 10
# of 100 samples.
LOW_PROBABILITY_RATIO = 0.3

# "Hidden mistakes of the judge". The number of mistakes that labels do not show, which the limits
# allow for. Agresti and Coull (1998) also add two to each class. Probabilities that are too extreme
# hide more mistakes (coverage: "probabilities, too sure"). For clusters of mistakes, the number is
# three (coverage: "60 of 1,000 clusters").
HIDDEN_MISTAKES = 2
HIDDEN_PROBABILITY_MISTAKES = 5
HIDDEN_MISTAKE_CLUSTERS = 3

# "Wrong probabilities". Probabilities contradict the number of rows if the sum of 1 / q is off by
# more than 4 standard errors, as for right ones in 1 of 15,000 normal samples, and by more than 5%
# of the number, as less hardly changes a score. Counts are skewed: with .5 to 200 expected rows of
# low probability, right probabilities are warned of in at most 3 of 20,000 samples.
WRONG_PROBABILITIES_ERRORS = 4.0
WRONG_PROBABILITIES_SHARE = 0.05

# rows_to_label. The share of the labels that is spread evenly, as a guess can be wrong:
# probabilities that were off by half on the log-odds scale cost a third of the gain. As no guess is
# always right, guesses of 0 and 1 count as probabilities of 0.01 and 0.99.
EVEN_LABELS_SHARE = 0.3
SURE_GUESS = 0.99

# rows_to_label without a guess: a tenth of the rows are assumed to be positive, with scores 1.5
# standard deviations higher, which gives an average precision of 0.48. Wrong assumptions only cost
# precision.
ASSUMED_PREVALENCE = 0.1
ASSUMED_DISTANCE = 1.5
