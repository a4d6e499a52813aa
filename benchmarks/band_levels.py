"""The table of ``sklearn_ap/_scores/bands.py``: the level of each of n limits of a band.

All hold together at this level. It is exact: a Poisson process of rate n that ends at n is a sample
of n uniform numbers, and its count must stay between two boundaries. The last table shows what
straight lines between the sizes and levels of the table miss, as a ratio of the probability that
some limit fails.
"""

import sys

import numpy as np
from scipy.optimize import root_scalar
from scipy.special import betaincinv, gammaln

from sklearn_ap._scores.bands import ALPHAS, LOCAL_LEVELS, local_level

SIZES = [first * 10**power for power in range(6) for first in (1, 2, 5)] + [10**6]
BETWEEN = (3, 4, 7, 14, 30, 70, 140, 300, 700, 1_400)
OTHER_ALPHAS = (0.206, 0.1, 0.03, 0.0085, 0.001, 0.0001)
STEPS = np.arange(1, 10_000)


def probability_that_one_fails(n, level):
    """Of n order statistics, each between the quantiles of its beta distribution."""
    i = np.arange(1, n + 1)
    low = betaincinv(i, n + 1 - i, level / 2)
    times = np.concatenate((low, 1 - low[::-1]))
    order = np.argsort(times, kind="stable")
    state, least, most = np.ones(1), 0, 0  # the chances of least..most points so far
    for mean, is_low in zip(n * np.diff(times[order], prepend=0.0), order < n, strict=True):
        most_new = min(int(mean + 9 * mean**0.5 + 14), most - least + 1)
        poisson = np.concatenate(([1.0], mean / STEPS[: most_new - 1])).cumprod() * np.exp(-mean)
        state = np.convolve(state, poisson)[: most - least + 1]
        if is_low:
            most += 1  # from here on, point i may have come
        else:
            least, state = least + 1, state[1:]  # and here it must have come
    rest = n - n * times.max()
    return float(1 - state[0] * np.exp(gammaln(n + 1) + n - n * np.log(n) - rest))


def exact_level(n, alpha):
    def missed(log_level):
        found = probability_that_one_fails(n, np.exp(log_level))
        return np.log(np.log1p(-found) / np.log1p(-alpha))

    first = np.log(alpha / (n**0.2 + 1))
    return float(np.exp(root_scalar(missed, x0=first, x1=first - 0.1, xtol=1e-5).root))


if __name__ == "__main__":
    for n in SIZES if "--all" in sys.argv else SIZES[:11]:
        row = ", ".join(f"{exact_level(n, alpha):.4g}" for alpha in ALPHAS)
        print(f"    {n}: ({row}),", "" if n in LOCAL_LEVELS else "# new", flush=True)
    for n in BETWEEN:
        failed = [probability_that_one_fails(n, local_level(n, alpha)) for alpha in OTHER_ALPHAS]
        print(f"{n:>8}", " ".join(f"{ratio:.3f}" for ratio in np.divide(failed, OTHER_ALPHAS)))
