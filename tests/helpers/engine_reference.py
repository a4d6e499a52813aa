"""The equations of docs/methods.md for one score, computed slowly; imports nothing of ours.

Scores are functions of the weights of rows, and influences are their derivatives: a weight gets an
imaginary part so small that it rounds nothing, and the score's imaginary part is the derivative.
"""

from itertools import combinations

import numpy as np
from scipy.stats import t as student

STEP = 1e-30


class Rows:
    """One ranking: labels, scores, weights and the units of its rows."""

    def __init__(self, y, score, weight=None, unit=None, n_unscored=0, prevalence=None):
        self.y = np.asarray(y, bool)
        self.score = np.asarray(score, float)
        self.weight = np.ones(self.y.size) if weight is None else np.asarray(weight, float)
        self.unit = list(range(self.y.size)) if unit is None else list(unit)
        self.prevalence = prevalence
        self.has_clusters = len(set(self.unit)) < self.y.size
        typical = _typical(self.weight[self.y])
        n = round(n_unscored / typical)
        for i in range(n):  # positives that are no rows
            self.y, self.score, self.weight = self._with(True, -np.inf, n_unscored / n)
            self.unit.append(f"not scored {id(self)} {i}")

    def _with(self, *row):
        columns = self.y, self.score, self.weight
        return [np.append(column, new) for column, new in zip(columns, row, strict=True)]

    def plus(self, *row):
        """Return the same rows and one more: its label, score and weight."""
        return self.having(*self._with(*row))

    def having(self, y, score, weight):
        """Return other rows of the same population."""
        new = object.__new__(Rows)
        new.y, new.score, new.weight = y, score, weight
        new.prevalence = self.prevalence
        return new


def value(definition, rows):
    """Equation 1: a mean of heights over positives; nan without one."""
    y, weight = rows.y, rows.weight.astype(complex)
    n = weight[y].sum()
    if n == 0:
        return np.nan
    if rows.prevalence is not None:
        wanted = n * (1 - rows.prevalence) / rows.prevalence
        weight = np.where(y, weight, weight * wanted / (weight[~y].sum() or 1.0))
    places = sorted({s for s in rows.score[weight.real > 0] if s > -np.inf}, reverse=True)
    gained = [weight[y & (rows.score == s)].sum() for s in places]
    missed = [weight[~y & (rows.score == s)].sum() for s in places]
    name, *options = definition
    if name == "at k":
        return _at_k(gained, missed, n, *options)
    heights = _precisions(gained, missed)
    if name == "interpolated":
        heights = _largest_below(heights)
    total = sum(g * h for g, h in zip(gained, heights, strict=True)) / n
    if not options:
        return total
    levels = np.linspace(0, 1, *options)
    reached = [np.flatnonzero(np.cumsum(gained).real >= (r - 1e-12) * n.real) for r in levels]
    mean = sum(heights[found[0]].real for found in reached if found.size) / levels.size
    return mean + 1j * total.imag  # the influence is that of all recalls


def _precisions(gained, missed):
    tps, fps = np.cumsum(gained), np.cumsum(missed)
    return [t / (t + f) for t, f in zip(tps, fps, strict=True)]


def _largest_below(heights):
    for j in reversed(range(len(heights) - 1)):
        if heights[j].real < heights[j + 1].real * (1 - 1e-12):
            heights[j] = heights[j + 1]
    return heights


def _at_k(gained, missed, n, k):
    """Average precision at k, of which a cut tie counts in part."""
    total = hits = above = 0.0
    for g, m in zip(gained, missed, strict=True):
        share = min(max((k - above) / (g + m), 0).real, 1)
        if share:
            total += share * g * (hits + share * g) / (above + share * (g + m))
        hits, above = hits + g, (above + g + m).real
    return np.real(total / min(n.real, k))


def influences(definition, rows):
    """Equations 2 and 13, added up over the rows of each unit."""
    found = {}
    for i, unit in enumerate(rows.unit):
        weight = rows.weight.astype(complex)
        weight[i] += 1j * STEP
        slope = value(definition, rows.having(rows.y, rows.score, weight)).imag / STEP
        found[unit] = found.get(unit, 0.0) + rows.weight[i] * slope
    return found


def _typical(weight):
    return (weight**2).sum() / weight.sum() if weight.size else 1.0


def _sizes(rows, is_counted):
    sizes = dict.fromkeys(rows.unit, 0.0)
    for unit, weight, counts in zip(rows.unit, rows.weight, is_counted, strict=True):
        sizes[unit] += weight * counts
    return sizes


def _kish(sizes):
    sizes = np.array([*sizes])
    return sizes.sum() ** 2 / (sizes**2).sum()


def factor(n):
    return n / max(n - 1, 1)


def degrees_of(phi):
    """Equation 9."""
    phi = np.array([*phi])
    squares = (phi**2).sum()
    return 2 / max((phi**4).sum() / squares**2 - 1 / phi.size, 1e-9) if squares else 0.0


class Estimate:
    """A score with its V, n, degrees of freedom, and the changes by hidden rows."""

    def __init__(self, value, variance, n, degrees, hidden, bias=0.0, bias_error=0.0):
        self.value, self.variance, self.n, self.degrees = value, variance, n, degrees
        self.hidden, self.bias, self.bias_error = hidden, bias, bias_error

    def limits(self, level):
        """Equations 5, 7 and 8."""
        alpha, a, t = 1 - level, self.value, student.ppf((1 + level) / 2, max(self.degrees, 1))
        low, high = _wilson(a, self.variance, t)
        down, up = self.hidden(self.n * (alpha ** (-1 / self.n) - 1))
        low = a - self.bias - np.sqrt((a - low) ** 2 + down**2 + self.bias_error**2)
        high = a - self.bias + np.sqrt((high - a) ** 2 + up**2 + self.bias_error**2)
        return max(min(low, a), 0.0), min(max(high, a), 1.0)


def _wilson(a, variance, t):
    if variance * a * (1 - a) < 1e-18:
        return a, a
    m = a * (1 - a) / (t * t * variance)
    root = np.sqrt(m * a * (1 - a) + 0.25)
    return (m * a + 0.5 - root) / (m + 1), (m * a + 0.5 + root) / (m + 1)


def hidden_rows(definition, rows):
    """Equation 6."""
    positive = _typical(rows.weight[rows.y])
    negative = _typical(rows.weight[~rows.y]) if (~rows.y).any() else positive
    a, top = value(definition, rows).real, np.max(rows.score) + 1 if rows.y.size else 0.0

    def changes(n):
        alarms = value(definition, rows.plus(False, top, n * negative)).real
        lost = value(definition, rows.plus(True, -np.inf, n * positive)).real
        found = value(definition, rows.plus(True, top, n * positive)).real
        return a - min(alarms, lost), found - a

    return changes


def one_more_cluster(definition, rows):
    """Equation 14."""
    sizes = np.array([*_sizes(rows, ~rows.y).values()])
    return value(definition, rows.plus(False, rows.score.max() + 1, _typical(sizes))).real


def one_ranking(definition, rows, squares=None):
    """Equations 1 to 9; ``squares`` of half samples take the place of influences."""
    phi = np.array([*influences(("step",) if squares else definition, rows).values()])
    n = _kish(_sizes(rows, rows.y).values())
    variance = factor(n) * ((phi**2).sum() if squares is None else squares)
    degrees = min(n - 1, degrees_of(phi)) if rows.has_clusters else n - 1
    hidden = hidden_rows(definition, rows)
    return Estimate(value(definition, rows).real, variance, n, degrees, hidden)


def half_samples(definition, columns, shares):
    """Equations 10 and 11 of a mean, but for gamma, over all halves: the squares and the excess."""
    units = sorted({unit for rows in columns for unit in rows.unit}, key=str)
    squares, means = [], []
    for half in combinations(units, len(units) // 2):
        first, second = (_half(definition, columns, shares, half, sign) for sign in (1, -1))
        squares.append((first - second) ** 2 / 4)
        means.append((first + second) / 2)
    whole = _half(definition, columns, shares, (), 0)
    return (1 - 1 / len(units)) * np.nanmean(squares), np.nanmean(means) - whole


def _half(definition, columns, shares, half, sign):
    values = []
    for rows in columns:
        factors = np.array([1 + sign if unit in half else 1 - sign for unit in rows.unit])
        values.append(
            np.real(value(definition, rows.having(rows.y, rows.score, rows.weight * factors)))
        )
    known = ~np.isnan(values)
    return np.average(np.array(values)[known], weights=shares[known]) if known.any() else np.nan


def own_row_bias(rows):
    """Equation 12 of one ranking."""
    n, total = rows.weight[rows.y].sum(), 0.0
    for i in np.flatnonzero(rows.y & (rows.score > -np.inf)):
        above = rows.score >= rows.score[i]
        others = above & (np.arange(rows.y.size) != i)
        found = rows.weight[above & rows.y].sum()
        if others.any():
            precision = rows.weight[others & rows.y].sum() / rows.weight[others].sum()
        else:
            rest = rows.score[~above & (rows.score > -np.inf)]
            following = rows.score == rest.max() if rest.size else above
            following = rows.weight[following & rows.y].sum() / rows.weight[following].sum()
            precision = (1 + following) / 2
        own = found / rows.weight[above].sum()
        total += rows.weight[i] * (own - precision) * (1 - found / n)
    return total / n


def mean_of_columns(definition, columns, shares, excess=None):
    """Equations 12 and 15; ``excess`` of half samples takes the place of 12."""
    units = sorted({unit for rows in columns for unit in rows.unit}, key=str)
    positives = [_sizes(rows, rows.y) for rows in columns]
    parts = [s / sum(p.values()) for s, p in zip(shares, positives, strict=True)]
    n = _kish(sum(a * p.get(u, 0) for a, p in zip(parts, positives, strict=True)) for u in units)
    phi = np.array([[influences(definition, r).get(u, 0.0) for u in units] for r in columns])
    factors = shares * np.sqrt([factor(_kish(p.values())) for p in positives])
    of_mean = factors @ phi
    lengths = np.sqrt((phi**2).sum(axis=1))
    along = phi / np.where(lengths > 1e-9, lengths, np.inf)[:, None]
    rho = along @ along.T
    np.fill_diagonal(rho, 1.0)
    each = [hidden_rows(definition, rows) for rows in columns]

    def hidden(n_rows):
        moved = shares * np.array([changes(n_rows) for changes in each]).T
        return [np.sqrt(change @ rho @ change) for change in moved]

    has_clusters = any(rows.has_clusters for rows in columns)
    degrees = min(n - 1, degrees_of(of_mean)) if has_clusters else n - 1
    bias, error = (excess, excess) if excess is not None else (0.0, 0.0)
    if excess is None:
        bias = sum(s * own_row_bias(rows) for s, rows in zip(shares, columns, strict=True))
    mean = sum(s * value(definition, rows).real for s, rows in zip(shares, columns, strict=True))
    return Estimate(mean, (of_mean**2).sum(), n, degrees, hidden, bias, error)


def limits_over_queries(values, shares, users, level):
    """Equation 16."""
    names = sorted(set(users))
    mean = shares @ values
    of_user = [[u == name for u in users] for name in names]
    n = _kish(shares @ own for own in of_user)
    phi = np.array([shares @ ((values - mean) * own) for own in of_user])
    degrees = min(n - 1, degrees_of(phi)) if len(names) < len(values) else n - 1
    t = student.ppf((1 + level) / 2, max(degrees, 1))
    low, high = _wilson(mean, factor(n) * (phi**2).sum(), t)
    share = 1 - (1 - level) ** (1 / n)
    return mean, min(low, (1 - share) * mean), max(high, (1 - share) * mean + share)
