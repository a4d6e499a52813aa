"""Holm's correction of several p-values."""

import numpy as np

from sklearn_ap._types import Float


def holm_adjusted(pvalues: Float) -> Float:
    """Adjust p-values along the first axis for their number (Holm 1979)."""
    if len(pvalues) < 2:
        return pvalues
    # p = [.01, .04, .03] -> sorted, times 3, 2, 1: [.03, .06, .04] -> cumulative: [.03, .06, .06]
    order = np.argsort(pvalues, axis=0)
    n_left = np.arange(len(pvalues), 0, -1).reshape(-1, *[1] * (pvalues.ndim - 1))
    scaled = np.maximum.accumulate(np.take_along_axis(pvalues, order, 0) * n_left, axis=0)
    adjusted = np.empty_like(pvalues)
    np.put_along_axis(adjusted, order, np.minimum(scaled, 1.0), 0)
    return adjusted
