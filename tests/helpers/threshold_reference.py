"""Thresholds with a guarantee, and limits of shares, computed slowly; imports nothing of ours."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, binom
from scipy.stats import t as student


def with_precision(y, s, precision, alpha):
    """Equation 36, threshold by threshold: the lowest that passes with all above it, or nan."""
    most = y.sum() / precision
    cuts = [cut for cut in np.unique(s)[::-1] if (s >= cut).sum() <= most]
    n = {cut: int((s >= cut).sum()) for cut in cuts}
    pvalue = {cut: binom.sf(y[s >= cut].sum() - 1, n[cut], precision) for cut in cuts}
    negatives = [0, 1, 2, 4, 8, 13, 20, 32, 49, 74, 113, 170, 257]
    fewest = int(min(most, y.size))
    negatives = [k for k in negatives if binom.cdf(k, fewest, 1 - precision) <= alpha]
    starts = []
    for k, share in zip(negatives, shared(alpha, len(negatives)), strict=True):
        is_enough = binom.cdf(k, np.arange(1, y.size + 1), 1 - precision) <= share
        rank = 1 + int(is_enough.argmax()) if is_enough.any() else np.inf
        starts += [cut for cut in cuts if n[cut] >= rank][:1]
    starts = sorted({*starts}, reverse=True)
    share = dict(zip(starts, shared(alpha, len(starts)), strict=True))
    lowest = np.nan
    for cut in cuts:
        spent = sum(share[each] for each in starts if each >= cut)
        below = any(pvalue[each] <= share[each] for each in starts if each <= cut)
        if pvalue[cut] > spent and not below:
            break
        lowest = cut
    return lowest


def shared(alpha, n):
    return alpha / np.arange(1, n + 1) / sum(1 / np.arange(1, n + 1))


def with_recall(y, s, recall, alpha):
    """Equation 37: the highest threshold that misses few enough, or nan."""
    n = int(y.sum())
    shown = [c for c in np.unique(s) if binom.cdf(y[s < c].sum(), n, 1 - recall) <= alpha]
    return max(shown, default=np.nan)


def with_recall_over_clusters(y, s, clusters, recall, alpha):
    """The same of clusters, from the lowest threshold until one fails, or nan."""
    size = {c: y[clusters == c].sum() for c in {*clusters}}
    sizes = np.array([size[c] for c, label in zip(clusters, y, strict=True) if label])
    scores = s[y == 1]
    highest = np.nan
    for cut in np.unique(s):
        missed = sizes[scores < cut]
        ratio = max(missed.mean() / sizes.mean(), 1) if missed.size else 1
        n = sizes.size / sizes.mean() / ratio  # Kish's number: n**2 / sum of squares
        hits = n * np.mean(scores >= cut)
        if not hits or beta.cdf(recall, hits, n - hits + 1) > alpha:
            break
        highest = cut
    return highest


def limits(hit, selected, weight, clusters, level, prevalence=None):
    """Equations 7, 38 and 39: limits of precision, recall and the share of selected rows."""

    def wilson(among, of):
        return proportion(*(each[among] for each in (of, weight, clusters)), level)

    found = {"recall_interval": wilson(hit, selected)}
    if not hit.all():
        low, high = wilson(~hit, selected)
        found["specificity_interval"] = 1 - high, 1 - low
    if prevalence is None:
        every = np.ones(hit.size, bool)
        of_all = {"selected_interval": wilson(every, selected)}
        return found | of_all | {"precision_interval": wilson(selected, hit)}
    rates, moved = [], []
    for rows, share, (low, high) in (
        (hit, prevalence, found["recall_interval"]),
        (~hit, 1 - prevalence, wilson(~hit, selected)),
    ):
        part = weight[rows] / weight[rows].max()
        rate = part[selected[rows]].sum() / part.sum()
        rates.append(share * np.array([low, rate, high]))
        shift, of = part * (selected[rows] - rate), clusters[rows]
        moved.append([shift[of == c].sum() for c in {*clusters}])
    length = np.linalg.norm(moved[0]) * np.linalg.norm(moved[1])
    return found | mover(*rates, np.dot(*moved) / length if length else 0.0)


def mover(hits, false, rho):
    """The limits of a part are where those of a linear combination of both rates are 0."""
    (low, mid, high), (other_low, other, other_high) = hits, false

    def far(one, two, rho):
        return np.sqrt(max(one**2 + two**2 + 2 * rho * one * two, 0.0))

    def lowest(x):
        return (
            (1 - x) * mid - x * other - far((1 - x) * (mid - low), x * (other_high - other), -rho)
        )

    def highest(x):
        return (
            (1 - x) * mid - x * other + far((1 - x) * (high - mid), x * (other - other_low), -rho)
        )

    total, part = mid + other, mid / (mid + other)
    least = brentq(lowest, 0, 1, xtol=1e-15) if low > 0 else 0.0
    most = brentq(highest, 0, 1, xtol=1e-15) if other_low > 0 else 1.0
    below, above = far(mid - low, other - other_low, rho), far(high - mid, other_high - other, rho)
    return {
        "precision_interval": (min(least, part), max(most, part)),
        "selected_interval": (max(total - below, 0.0), min(total + above, 1.0)),
    }


def proportion(hit, weight, clusters, level):
    """Wilson's limits, or exact ones if wider, of effective rows.

    Degrees of freedom are those of effective clusters.
    """
    weight = weight / weight.max()
    share = min(weight[hit].sum() / weight.sum(), 1.0)
    moved = weight * (hit - share)
    sums = {c: (weight[clusters == c].sum(), moved[clusters == c].sum()) for c in {*clusters}}
    of_clusters, by_cluster = np.transpose([*sums.values()])
    n, n_clusters = (each.sum() ** 2 / (each @ each) for each in (weight, of_clusters))
    n /= max((by_cluster @ by_cluster) / max(moved @ moved, 1e-300), 1.0)
    n, df = (n, min(n, n_clusters) - 1) if moved.any() else (n_clusters, n_clusters - 1)
    t = student.ppf((1 + level) / 2, max(df, 1))
    root = t * np.sqrt(share * (1 - share) / n + (t / n) ** 2 / 4)
    low, high = ((share + t * t / n / 2 + side * root) / (1 + t * t / n) for side in (-1, 1))
    low = min(low, beta.ppf(1 - level, share * n, (1 - share) * n + 1) if share else 0)
    high = max(high, beta.ppf(level, share * n + 1, (1 - share) * n) if share < 1 else 1)
    return min(low, share), max(high, share)
