"""The seeds of the default run; pairs.py says what stands in them.

In 240, all rows are labelled, with unequal chances, so that none can hide a positive. In 428 and
743, nothing is defined without one cluster, and positives were never scored.
"""

NUMBERS = """
3 6 9 12 14 22 31 50 51 60 64 66 68 70 77 88 100 103 113 116 120 126 132 142 150 152 154 160
179 186 194 204 222 228 240 293 304 312 388 409 428 432 457 467 532 559 576 577 588 645 647 652
665 681 727 743 796 820 835 840 963 1056 1066 1405
"""
SEEDS = [*map(int, NUMBERS.split())]
