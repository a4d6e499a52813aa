"""How many guaranteed thresholds are found, and how many are wrong, beside MAPIE?

    python benchmarks/beside_mapie.py

draws samples of which the truth is known, asks for a precision of 0.8 with 90 % confidence, and
writes the table "mapie" of docs/evidence: in how many samples ``operating_point`` and
``BinaryClassificationController`` of MAPIE, with its default, find a threshold, and in how many its
true precision is too low.
"""

import warnings

import numpy as np
import speed_calls
from scipy.special import expit, logit
from scipy.stats import norm
from simulation import write

from sklearn_ap import operating_point

PRECISION, LEVEL, SEED, N_SAMPLES = 0.8, 0.9, 20261129, 500
# Rows, the share of positives, and how far normal scores of both classes are apart.
SETTINGS = ((300, 0.3, 2.0), (1000, 0.1, 2.5), (3000, 0.03, 3.0))


def draw(rng, n_rows, prevalence, shift):
    """Return labels and calibrated probabilities."""
    y = (rng.random(n_rows) < prevalence).astype(int)
    score = rng.normal(size=n_rows) + shift * y
    return y, expit(logit(prevalence) + shift * score - shift**2 / 2)


def precision_of(threshold, prevalence, shift):
    """Return the true precision of rows with this probability or more."""
    score = (logit(threshold) - logit(prevalence) + shift**2 / 2) / shift
    positives = prevalence * norm.sf(score - shift)
    return positives / (positives + (1 - prevalence) * norm.sf(score))


def ours(y, probability):
    return operating_point(y, probability, precision=PRECISION, guarantee=LEVEL).threshold


def of_mapie(y, probability):
    found = speed_calls.of_mapie(y, probability, target_level=PRECISION, confidence_level=LEVEL)
    return np.nan if found is None else float(found)


def main():
    warnings.simplefilter("ignore")  # of small samples, and that no threshold was found
    head = f"of {N_SAMPLES} samples of", "thresholds of `operating_point`", "wrong"
    lines = [[*head, "of MAPIE 1.6", "wrong"]]
    for setting in SETTINGS:
        lines.append(["{:,} rows, {:.0%} positive".format(*setting)])
        for method in (ours, of_mapie):
            rng = np.random.default_rng(SEED)
            thresholds = np.array([method(*draw(rng, *setting)) for _ in range(N_SAMPLES)])
            found = thresholds[~np.isnan(thresholds)]
            wrong = np.count_nonzero(precision_of(found, *setting[1:]) < PRECISION)
            lines[-1] += [str(found.size), str(wrong)]
    write("mapie", lines)


if __name__ == "__main__":
    main()
