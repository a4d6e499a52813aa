"""Every test of a report, and its level. ``benchmarks/report.py`` counts how often they err."""

from __future__ import annotations

from math import prod

from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report.questions import Questions

# The level is shared by the questions behind "by".
TESTS = {
    "above chance": 0.05,  # chance_test of a model
    "above chance there": 0.05,  # the same where it is worse, which a test has shown
    "worse segment": 0.05,  # compare_segments; by models, and by segments of all columns
    "fall": 0.04,  # compare_segments since a start, one-sided; by models, starts, columns of times
    "fall lasts": 0.05,  # the same with the latest time alone, and without it
    "better there": 0.05,  # two-sided limits of models; by segments, columns and other models
    "better since": 0.1,  # two-sided limits of models since a fall; by starts and other models
    "labels": 0.01,  # fisher_exact of positives of the latest time; by columns of times
}
SHARE_OF_BEST = 0.75  # of the error of several models; the others share the rest


def divide_level(test: str, *divisors: int) -> float:
    """Divide the level of a test by the number of questions."""
    return TESTS[test] / max(1, prod(divisors))


def raise_level(level: float, n: int) -> float:
    """Raise the level of each of several intervals, or guarantees, so that all hold at once."""
    return 1 - (1 - level) / n


def share_of_model(questions: Questions, model: str) -> float:
    """Return the share of an error for a model; most is for the best, which the page advises."""
    n_others = len(questions.leading) - 1
    if not n_others:
        return 1.0
    return SHARE_OF_BEST if model == questions.best else (1 - SHARE_OF_BEST) / n_others


def share_of_column(questions: Questions, column: SegmentColumn) -> float:
    """Return the share of an error for a column, by the segments that could show something."""
    n_by_column = questions.n_comparable_by_column
    return n_by_column[column.name] / sum(n_by_column.values())
