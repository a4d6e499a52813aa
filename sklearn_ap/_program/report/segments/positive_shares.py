"""Whether the latest segment has another share of positives, as months with few labels have."""

from typing import NamedTuple

import numpy as np
from scipy.stats import hypergeom

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import percent
from sklearn_ap._program.report.segments.columns import Column

SIGNIFICANCE = 0.01  # of the test of two shares: a choice
LOWER = 0.8  # of the share elsewhere; labels may then be the reason why all models fall: a choice
MUCH_LOWER = 0.5  # of the share before; it is told of the latest segment: a choice


class PositiveShares(NamedTuple):
    """The shares of positives inside and outside a segment, by weight, and the test of them."""

    inside: float
    outside: float
    pvalue: float

    @property
    def ratio(self) -> float:
        """Of the share inside to that outside; nan if one of them has no weight."""
        return self.inside / self.outside if self.outside else np.inf

    def is_lower(self, n_tests: int = 1, ratio: float = LOWER) -> bool:
        return self.pvalue < SIGNIFICANCE / n_tests and self.ratio < ratio

    def is_higher(self, n_tests: int = 1, ratio: float = 1 / MUCH_LOWER) -> bool:
        return self.pvalue < SIGNIFICANCE / n_tests and self.ratio > ratio


def compare_shares(data: Predictions, is_inside: Bool) -> PositiveShares:
    """Compare the share of positives in a segment with that in all other rows."""
    inside, outside = (_share(data, rows) for rows in (is_inside, ~is_inside))
    return PositiveShares(float(inside), float(outside), _pvalue(data, is_inside, outside))


def _share(data: Predictions, rows: Bool) -> float:
    """Return the share of positives among rows by their weight; nan without weight."""
    weight = data.weight[rows]
    return float(np.average(data.y_true[rows], weights=weight)) if weight.any() else np.nan


def _pvalue(data: Predictions, is_inside: Bool, outside: float) -> float:
    """Return the p-value of Fisher's test, with the smaller tail counted twice.

    Rows with weights, queries or clusters have no such test. Their shares are taken as they are,
    unless the segment would have too few positives at the other share.
    """
    n_inside = int(is_inside.sum())
    if {"clusters", "queries", "sample_weight"} & data.options.keys():
        return 0.0 if n_inside * outside >= FEW_POSITIVES else 1.0
    n_found = int(np.sum(data.y_true & is_inside))
    positives = hypergeom(data.n_rows, int(data.y_true.sum()), n_inside)
    return float(min(1, 2 * min(positives.cdf(n_found), positives.sf(n_found - 1))))


def mark_latest(data: Predictions, column: Column) -> Bool:
    """Mark the rows of the latest segment, which may have no positive."""
    codes = data.segments[column.name].codes
    is_latest: Bool = codes == codes.max()
    return is_latest


def shift_in_words(data: Predictions, column: Column) -> str:
    """Say that the latest segment has much fewer or more positives than before; empty if not.

    At the prevalence of the user, the precision at a threshold does not depend on the share.
    """
    if not column.is_time:
        return ""
    is_latest = mark_latest(data, column)
    shares = compare_shares(data, is_latest)
    segments = data.segments[column.name]
    n_tests = np.unique(segments.codes).size
    name = segments.names[int(segments.codes.max())]
    facts = (
        f"In {name}, {percent(shares.inside)} of the rows are positive, and "
        f"{percent(shares.outside)} before"
    )
    has_prevalence = "prevalence" in data.options
    if shares.is_lower(n_tests, MUCH_LOWER):
        lower = "" if has_prevalence else ", or precision at a threshold is lower there"
        return f"{facts}, so labels may be incomplete{lower}."
    if shares.is_higher(n_tests) and not has_prevalence:
        return f"{facts}, so precision at a threshold is higher there."
    return ""
