"""How much too high the average precision of a small sample is, and what its bias corrects."""

import sys

import numpy as np
from populations import binormal
from tables import in_markdown

from sklearn_ap import threshold_counts
from sklearn_ap._uncertainty.former.sizes_and_biases import jackknife_bias
from sklearn_ap.definitions import Step

SETTINGS = ((0.5, 5, 45), (0.5, 50, 950), (1.5, 10, 90), (1.5, 20, 980), (2.5, 20, 980))
HEAD = ["shift", "positives", "negatives", "truth", "mean score", "score - bias", "rmse", "rmse"]


def row(shift, n_positives, n_negatives, n_samples):
    """The truth, the mean of the scores, that without the bias, and the rmse of both."""
    rng, y = np.random.default_rng(0), np.repeat([1, 0], [n_positives, n_negatives])
    truth = binormal(shift, y.mean())
    samples = (rng.normal(size=y.size) + shift * y for _ in range(n_samples))
    counts = [threshold_counts(y, s) for s in samples]
    found = np.array([Step()(each)[0] for each in counts])
    corrected = found - [jackknife_bias(Step(), each)[0] for each in counts]
    rmse = (np.sqrt(np.mean((each - truth) ** 2)) for each in (found, corrected))
    return [truth, found.mean(), corrected.mean(), *rmse]


if __name__ == "__main__":
    n = 50 if "--quick" in sys.argv else 1_500
    found = [[*map("{:g}".format, of), *map("{:.3f}".format, row(*of, n))] for of in SETTINGS]
    print(in_markdown([HEAD, *found]))
