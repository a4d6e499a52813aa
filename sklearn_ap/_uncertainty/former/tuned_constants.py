"""The constants of formulas that were chosen by simulation.

The comment of each constant has its meaning, its equation in ``docs/methods.md``, the reason for
its value, and the command whose simulations show the effect of the value. Constants that follow
from a derivation, or that are choices of speed or display, stand where they are used.
"""

# Operating points (sklearn_ap._questions.operating_points).

# Thresholds. These trade power for time and change no guarantee: benchmarks/threshold_coverage.py.
# The first is the ratio of two ranks that the search tests one after the other, and the second that
# of the negatives above two starts.
THRESHOLD_RANK_RATIO = 1.05
THRESHOLD_START_RATIO = 1.5

# Thresholds. A precision is hardly shown if, at a true precision that just reaches the goal, more
# than this share of samples have as many positives by luck: benchmarks/threshold_coverage.py.
# ENOUGH_AT_TOP rows at the top without a negative are enough for any precision.
LUCK_PROBABILITY = 0.5
ENOUGH_AT_TOP = 10
