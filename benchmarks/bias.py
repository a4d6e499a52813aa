"""How much too high the average precision of a small sample is, and what its bias corrects.

    python benchmarks/bias.py [--quick]

Prints a table: normal scores, those of positives shifted. docs/certainty.md names its first row.
"""

import argparse

import numpy as np
from populations import binormal
from tables import in_markdown

from sklearn_ap import threshold_counts
from sklearn_ap.definitions import Step

SETTINGS = (
    *((0.5, 5, 45), (0.5, 20, 980), (0.5, 50, 950)),
    *((1.5, 10, 90), (1.5, 20, 980), (2.5, 20, 980)),
)
HEAD = ["shift", "positives", "negatives", "truth", "mean score", "score - bias", "rmse", "rmse"]


def row(shift, n_positives, n_negatives, n_samples):
    """The truth, the mean of the scores, that without the bias, and the rmse of both."""
    rng = np.random.default_rng(0)

    def draw():
        y = np.repeat([1, 0], [n_positives, n_negatives])
        return y, rng.normal(size=y.size) + shift * y

    truth = binormal(shift, n_positives / (n_positives + n_negatives))
    counts = [threshold_counts(*draw()) for _ in range(n_samples)]
    found = np.array([Step()(each)[0] for each in counts])
    corrected = found - [Step().bias(each)[0] for each in counts]
    rmse = (np.sqrt(np.mean((each - truth) ** 2)) for each in (found, corrected))
    return [truth, found.mean(), corrected.mean(), *rmse]


def main(arguments=None):
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few samples")
    n_samples = 50 if parser.parse_args(arguments).quick else 1_500
    lines = [HEAD]
    for setting in SETTINGS:
        numbers = (f"{number:.3f}" for number in row(*setting, n_samples))
        lines.append([*map(str, setting), *numbers])
    print(in_markdown(lines))


if __name__ == "__main__":
    main()
