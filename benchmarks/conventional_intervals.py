"""How do our interval and conventional ones cover, miss on each side, and how wide are they?

    python benchmarks/conventional_intervals.py

writes docs/evidence/conventional/summary.csv. The first settings are those of Boyd, Eng and Page
(2013), a tenth of whose rows are positive; samples of 5,000 rows are half as many. The others are
hard. The logit intervals are theirs: once with their error, 1 / sqrt(N score (1 - score)) of N
positives, and once with ours.
"""

import warnings
import zlib

import numpy as np
import populations as p
from scipy.special import expit, logit
from scipy.stats import norm
from simulation import write

import sklearn_ap

N_SAMPLES, N_RESAMPLES, Z = 1500, 1000, norm.ppf(0.975)
SHAPES = {"binormal": p.normal(1.0), "bibeta": p.bibeta, "offset uniform": p.uniform(0.5)}
BOYD = [
    (f"{name}, {n:,} rows", n / 10, 0.1, shape)
    for name, shape in SHAPES.items()
    for n in (200, 1000, 5000)
]
HARD = [
    ("strong, 15 of 60", 15, 0.25, p.normal(4)),
    ("strong, 20 of 200", 20, 0.1, p.normal(4)),
    ("1 false alarm expected, 40 of 400", 40, 0.1, p.far(1 / 360, 0, 4)),
    ("1.5 false alarms expected, 200 of 1,000", 200, 0.2, p.far(1.5 / 800, 0, 4)),
    ("2 false alarms expected, 60 of 120", 60, 0.5, p.far(2 / 60, 0, 2)),
    ("2 easy positives expected, 60 of 600", 60, 0.1, p.far(2 / 60, 1, 0.3)),
]
METHODS = "sklearn_ap", "logit, their error", "logit, our error", "percentile", "BCa"


def scores_and_influences(y):
    """The score of labels in the order of distinct scores, and the influence of each row."""
    n_positives, hits = y.sum(), np.cumsum(y)
    ranks = np.arange(1, y.size + 1)
    score = np.sum(y * hits / ranks) / n_positives
    below = np.cumsum((y * (ranks - hits) / ranks**2)[::-1])[::-1]
    of_negative = -np.cumsum((y * hits / ranks**2)[::-1])[::-1]
    of_positive = hits / ranks - score + below
    return score, np.where(y, of_positive, of_negative) / n_positives


def resampled(rng, y):
    """Scores of resampled rows: a row that is drawn twice is tied with itself."""
    drawn = rng.integers(0, y.size, (N_RESAMPLES, y.size))
    drawn += y.size * np.arange(N_RESAMPLES)[:, None]
    weight = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    hits, ranks = np.cumsum(weight * y, axis=1), np.maximum(np.cumsum(weight, axis=1), 1)
    return np.sum(weight * y * hits / ranks, axis=1) / np.maximum(hits[:, -1], 1)


def limits(rng, y, s):
    """The limits of each method, and the score of the sample."""
    ours = sklearn_ap.average_precision_interval(y, s)
    ranked = y[np.argsort(-s)]
    score, influence = scores_and_influences(ranked)
    assert abs(score - ours.estimate) < 1e-9
    found = [(ours.low, ours.high)]
    inner = score * (1 - score)
    if inner > 0:
        errors = 1 / np.sqrt(y.sum() * inner), ours.standard_error / inner
        found += [expit(logit(score) + error * np.array([-Z, Z])) for error in errors]
    else:  # its logit is infinite
        found += [(score, score)] * 2
    again = resampled(rng, ranked)
    found.append(np.quantile(again, norm.cdf([-Z, Z])))
    return [*found, corrected(again, score, influence)], score


def corrected(again, score, influence):
    """Efron's limits that correct bias and acceleration (BCa)."""
    if not influence.any():
        return score, score
    share = np.mean(again < score) + np.mean(again == score) / 2
    bias = norm.ppf(np.clip(share, 1e-6, 1 - 1e-6))
    skew = np.sum(influence**3) / (6 * np.sum(influence**2) ** 1.5)
    ends = bias + np.array([-Z, Z])
    return np.quantile(again, norm.cdf(bias + ends / (1 - skew * ends)))


def run(name, n, prevalence, scores, n_samples):
    """Of each method: coverage, samples below and above which the truth lies, and mean width."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    truth = p.truth_of_scores(prevalence, scores)
    samples = (p.rows(rng, n=n, prevalence=prevalence, scores=scores) for _ in range(n_samples))
    made = [limits(rng, y, s) for y, s, _ in samples]
    low, high = np.moveaxis(np.array([each for each, _ in made]), 2, 0)
    needed = 2 * Z * np.std([score for _, score in made])
    above, below = (100 * np.mean(each, axis=0) for each in (low > truth, high < truth))
    rows = zip(100 - above - below, above, below, np.mean(high - low, axis=0) / needed, strict=True)
    cells = [f"{c:.1f} ({a:.1f} / {b:.1f}), {w:.2f}" for c, a, b, w in rows]
    return [name, f"{truth:.3f}", *cells]


def main():
    warnings.simplefilter("ignore")
    sizes = [(each, N_SAMPLES // (2 if each[1] >= 500 else 1)) for each in [*BOYD, *HARD]]
    lines = [run(*setting, n) for setting, n in sizes]
    write("conventional", [["setting", "truth", *METHODS], *lines])


if __name__ == "__main__":
    main()
