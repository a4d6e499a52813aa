"""The equations of docs/methods.md for one score, computed slowly; imports nothing of ours.

Scores are functions of the weights of rows, and influences are their derivatives: a weight gets an
imaginary part so small that it rounds nothing, and the score's imaginary part is the derivative.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import t as student

STEP = 1e-30  # of the imaginary part
# Options of one ranking, by what they are made of
ROWS = {
    "rows": lambda weight, clusters: {},
    "weights": lambda weight, clusters: {"sample_weight": weight},
    "clusters": lambda weight, clusters: {"clusters": clusters},
    "weighted clusters": lambda weight, clusters: {"sample_weight": weight, "clusters": clusters},
    "prevalence": lambda weight, clusters: {"prevalence": 0.07},
    "prevalence, weighted clusters": lambda weight, clusters: {
        "prevalence": 0.6,
        "sample_weight": weight,
        "clusters": clusters,
    },
}


@dataclass
class Rows:
    """One ranking: labels, scores, weights and the units of its rows."""

    y: Any
    score: Any
    weight: Any = None
    unit: Any = None
    n_unscored: float = 0  # the weight of positives that are no rows
    prevalence: float | None = None

    def __post_init__(self):
        self.y = np.asarray(self.y, bool)
        self.score = np.asarray(self.score, float)
        self.weight = np.ones(self.y.size) if self.weight is None else np.asarray(self.weight)
        self.unit = list(range(self.y.size)) if self.unit is None else list(self.unit)
        missing, self.n_unscored = self.n_unscored, 0
        n = round(missing / _typical(self.weight[self.y])) if missing else 0
        for i in range(n):
            vars(self).update(vars(self.plus(True, -np.inf, missing / n, f"{id(self)} {i}")))

    def plus(self, *row):
        """Return the same rows and one more: its label, score, weight and unit."""
        names = dict(zip(("y", "score", "weight", "unit"), row, strict=True))
        return replace(self, **{name: [*getattr(self, name), new] for name, new in names.items()})


def rows_of(y, score, options):
    """Return one ranking with options by the names that they have in the package."""
    names = {"sample_weight": "weight", "clusters": "unit", "prevalence": "prevalence"}
    return Rows(y, score, **{names[name]: given for name, given in options.items()})


def _has_clusters(rows):
    return len({*rows.unit}) < rows.y.size


def value(definition, rows):
    """Equation 1: a mean of heights over positives; nan without one."""
    y, weight = rows.y, rows.weight.astype(complex)
    n = weight[y].sum()
    if n == 0:
        return np.nan
    if rows.prevalence is not None:
        wanted = n * (1 - rows.prevalence) / rows.prevalence
        weight = np.where(y, weight, weight * wanted / (weight[~y].sum() or 1.0))
    is_placed = (weight.real > 0) & (rows.score > -np.inf)
    places, place = np.unique(-rows.score[is_placed], return_inverse=True)
    gained, missed = np.zeros((2, places.size), complex)
    np.add.at(gained, place, np.where(y, weight, 0)[is_placed])
    np.add.at(missed, place, np.where(y, 0, weight)[is_placed])
    if definition[0] == "at k":
        return _at_k(gained, missed, n, definition[1])
    tps, fps = np.cumsum(gained), np.cumsum(missed)
    heights = tps / (tps + fps)
    for j in reversed(range(len(heights) - 1)):
        if definition[0] == "interpolated" and heights[j].real < heights[j + 1].real * (1 - 1e-12):
            heights[j] = heights[j + 1]  # the largest at a lower score
    return gained @ heights / n


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
    for unit in dict.fromkeys(rows.unit):
        own = np.array([each == unit for each in rows.unit])
        moved = replace(rows, weight=rows.weight * np.where(own, 1 + 1j * STEP, 1))
        found[unit] = value(definition, moved).imag / STEP
    return found


def _typical(weight):
    return (weight**2).sum() / weight.sum() if weight.size else 1.0


def sizes(rows, is_counted):
    of_unit = {unit: np.array([each == unit for each in rows.unit]) for unit in rows.unit}
    return {unit: rows.weight[own & is_counted].sum() for unit, own in of_unit.items()}


def kish(weights):
    weights = np.array([*weights])
    return weights.sum() ** 2 / (weights**2).sum()


def factor(n):
    return n / max(n - 1, 1)


def degrees(n, phi, has_clusters):
    """Those of Student's t: equation 9."""
    squares = (phi**2).sum()
    excess = (phi**4).sum() / squares**2 - 1 / phi.size if squares else np.inf
    return min(n - 1, 2 / max(excess, 1e-9)) if has_clusters else n - 1


@dataclass
class Estimate:
    """A score with its V, n, degrees of freedom, and the changes by hidden rows."""

    value: float
    variance: float
    n: float
    degrees: float
    hidden: Any
    bias: float = 0.0
    bias_error: float = 0.0

    def limits(self, level, share=1.0):
        """Equations 5, 7 and 8, with room for a share of the hidden rows."""
        alpha, a, t = 1 - level, self.value, student.ppf((1 + level) / 2, max(self.degrees, 1))
        low, high = _wilson(a, self.variance, t)
        down, up = self.hidden(share * self.n * (alpha ** (-1 / self.n) - 1))
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
    """Equation 6, with the weights of units below it."""
    positive, negative = hidden_weights(definition, rows)
    a, top = value(definition, rows).real, np.max(rows.score) + 1 if rows.y.size else 0.0

    def changes(n):
        alarms = value(definition, rows.plus(False, top, n * negative, "new")).real
        lost = value(definition, rows.plus(True, -np.inf, n * positive, "new")).real
        found = value(definition, rows.plus(True, top, n * positive, "new")).real
        return a - min(alarms, lost), found - a

    return changes


def hidden_weights(definition, rows):
    """Those of a hidden positive and of a hidden negative, of rows or of clusters."""
    positive = _typical(rows.weight[rows.y])
    negative = _typical(rows.weight[~rows.y]) if (~rows.y).any() else positive
    if not _has_clusters(rows):
        return positive, negative
    of_units = [np.array([*sizes(rows, is_counted).values()]) for is_counted in (rows.y, ~rows.y)]
    most = [_typical(each) if each.any() else _typical(of_units[0]) for each in of_units]
    name = ("step",) if definition[0] == "at k" else definition
    alone = replace(rows, unit=range(rows.y.size))
    together, apart = (
        sum(phi**2 for phi in influences(name, each).values()) for each in (rows, alone)
    )
    n = kish(of_units[0])
    times = together / apart if together * n > 1e-18 else np.inf
    return min(times * positive, most[0]), min(times * negative, most[1])


def one_ranking(definition, rows):
    """Equations 1 to 9."""
    phi = np.array([*influences(definition, rows).values()])
    n = kish(sizes(rows, rows.y).values())
    df, variance = degrees(n, phi, _has_clusters(rows)), factor(n) * (phi**2).sum()
    return Estimate(value(definition, rows).real, variance, n, df, hidden_rows(definition, rows))


def half_samples(definition, columns, shares):
    """Equations 10 and 11 of a mean, but for gamma, over all halves: squares and excess."""
    units = sorted({unit for rows in columns for unit in rows.unit}, key=str)
    halves = [*combinations(units, len(units) // 2)]
    pairs = [[half_value(definition, columns, shares, half, i) for i in (1, -1)] for half in halves]
    pairs = [pair for pair in pairs if not np.isnan(pair).any()]
    excess = np.mean(pairs) - half_value(definition, columns, shares, (), 0)
    return (1 - 1 / len(units)) * np.mean(np.diff(pairs) ** 2 / 4), excess


def half_value(definition, columns, shares, half, sign):
    values = []
    for rows in columns:
        factors = np.array([1 + sign if unit in half else 1 - sign for unit in rows.unit])
        values.append(np.real(value(definition, replace(rows, weight=rows.weight * factors))))
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


def mean_of_columns(definition, columns, shares, excess=None, are_sampled=False):
    """Equations 12, 14 and 15; ``excess`` of half samples takes the place of 12.

    ``are_sampled`` is whether shares are those of positives, which vary with the sample.
    """
    units = sorted({unit for rows in columns for unit in rows.unit}, key=str)
    positives = [sizes(rows, rows.y) for rows in columns]
    parts = [s / sum(p.values()) for s, p in zip(shares, positives, strict=True)]
    n = kish(sum(a * p.get(u, 0) for a, p in zip(parts, positives, strict=True)) for u in units)
    phi = np.array([[influences(definition, r).get(u, 0.0) for u in units] for r in columns])
    factors = shares * np.sqrt([factor(kish(p.values())) for p in positives])
    values = np.array([value(definition, rows).real for rows in columns])
    of_mean = factors @ phi
    if are_sampled:
        own = [[p.get(u, 0.0) / sum(p.values()) for u in units] for p in positives]
        of_mean = of_mean + (factors * (values - shares @ values)) @ own
    for own, rows in zip(phi, columns, strict=True):
        if np.sqrt((own**2).sum()) < 1e-9:  # all units alike
            own[:] = [unit in {*rows.unit} for unit in units]
    along = phi / np.sqrt((phi**2).sum(axis=1))[:, None]
    rho = along @ along.T
    np.fill_diagonal(rho, 1.0)
    each = [hidden_rows(definition, rows) for rows in columns]

    def hidden(n_rows):
        moved = shares * np.array([changes(n_rows) for changes in each]).T
        return [np.sqrt(change @ rho @ change) for change in moved]

    df = degrees(n, of_mean, any(map(_has_clusters, columns)))
    bias = shares @ [own_row_bias(rows) for rows in columns] if excess is None else excess
    return Estimate(shares @ values, (of_mean**2).sum(), n, df, hidden, bias, excess or 0.0)


def limits_over_queries(values, shares, users, level):
    """Equation 16."""
    names = sorted(set(users))
    mean = shares @ values
    of_user = [[u == name for u in users] for name in names]
    n = kish(shares @ own for own in of_user)
    phi = np.array([shares @ ((values - mean) * own) for own in of_user])
    df = degrees(n, phi, len(names) < len(values))
    t = student.ppf((1 + level) / 2, max(df, 1))
    low, high = _wilson(mean, factor(n) * (phi**2).sum(), t)
    share = 1 - (1 - level) ** (1 / n)
    return mean, min(low, (1 - share) * mean), max(high, (1 - share) * mean + share)
