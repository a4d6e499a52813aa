"""Shares of rows by their weight, and whether hits are rarer among some rows than among others."""

import numpy as np
from scipy.stats import hypergeom, t

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._program.report.data.predictions import Predictions

FEWEST_UNITS = 2  # rows or clusters of a segment whose share has a test


def average(hits: Bool, weight: Float, rows: Bool) -> float:
    """Return the share of hits among rows by their weight, or nan without weight."""
    total = weight[rows].sum()
    return float(weight[rows & hits].sum() / total) if total else float("nan")


def selected_share(data: Predictions, selected: Bool, rows: Bool) -> float:
    """Return the share of some rows that is selected, at the prevalence of the user if given.

    It is that of the rows themselves where one of both classes lacks.
    """
    classes = rows & data.y_true, rows & ~data.y_true
    if "prevalence" not in data.options or not all(each.any() for each in classes):
        return float(selected[rows].mean())
    prevalence = data.options["prevalence"]
    positive, negative = (float(selected[each].mean()) for each in classes)
    return prevalence * positive + (1 - prevalence) * negative


def codes_of_units(data: Predictions) -> Index:
    """Return the number of the cluster of each row, or of the row itself."""
    if "clusters" not in data.options:
        return np.arange(data.n_rows)
    codes, _ = encode_names(data.options["clusters"], "clusters")
    return codes


def is_rarer(
    data: Predictions, hits: Bool, group: Bool, rows: Bool, error_rate: float | None = None
) -> bool:
    """Check whether hits are rarer among rows of a group than elsewhere, by more than chance.

    Rows have Fisher's test. Weights and clusters have Student's test over clusters or rows of the
    segment, whose variance is at least that of as many coins: all of a few may miss by chance.
    """
    error_rate = 1 - data.level if error_rate is None else error_rate
    inside = group & rows
    outside = group & ~rows
    if {"clusters", "sample_weight"}.isdisjoint(data.options):
        counts = map(np.count_nonzero, (group, hits & group, inside))
        return bool(hypergeom(*counts).cdf(np.count_nonzero(hits & inside)) < error_rate)
    codes = codes_of_units(data)
    share = average(hits, data.weight, group)
    variance = 0.0
    for part in (inside, outside):
        weight = data.weight[part]
        if not weight.any():
            return False
        sizes = np.bincount(codes[part], weights=weight / weight.sum())
        sums = np.bincount(codes[part], weights=weight * (hits[part] - share) / weight.sum())
        variance += max(np.sum(sums**2), share * (1 - share) * np.sum(sizes**2))
    gap = average(hits, data.weight, inside) - average(hits, data.weight, outside)
    n_units = np.unique(codes[inside & (data.weight > 0)]).size
    if n_units < FEWEST_UNITS or not variance:
        return False
    return bool(t.cdf(gap / np.sqrt(variance), n_units - 1) < error_rate)
