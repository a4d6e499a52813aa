"""Every test of a report, and its level. ``benchmarks/report.py`` counts how often they err."""

from __future__ import annotations

from math import prod

# The level is divided by the number of questions behind "by".
TESTS = {
    "above chance": 0.05,  # chance_test of a model
    "above chance there": 0.05,  # the same where it is worse, which a test has shown
    "worse segment": 0.02,  # compare_segments; by columns and models
    "fall": 0.04,  # compare_segments since a start, one-sided; by starts, columns and models
    "fall lasts": 0.05,  # the same with the latest time alone, and without it
    "better there": 0.05,  # two-sided limits of models; by segments, columns and other models
    "better since": 0.1,  # two-sided limits of models since a fall; by starts and other models
    "labels": 0.01,  # fisher_exact of positives of the latest time; by columns
}


def divide_level(test: str, *divisors: int) -> float:
    """Divide the level of a test by the number of questions."""
    return TESTS[test] / max(1, prod(divisors))


def raise_level(level: float, n: int) -> float:
    """Raise the level of each of several intervals, or guarantees, so that all hold at once."""
    return 1 - (1 - level) / n
