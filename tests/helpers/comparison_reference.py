"""The equations of docs/methods.md for comparisons, computed slowly; imports nothing of ours.

Scores and influences are those of ``engine_reference``. A p-value is found as the error at which a
limit is 0, and simultaneous ones come from the distribution function of the normal box.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from tests.helpers import engine_reference as engine


@dataclass
class Joint:
    """Scores of models, influences of units on each, and effective numbers."""

    theta: Any
    phi: Any  # units x models, times root f
    n_units: int
    n: float
    one_row: float
    bias: Any = None  # columns x models
    hidden: Any = None  # of each model, a function of a number of units
    n_hidden: float = 0.0  # the n of equation 5
    are_queries: bool = False
    sigma: Any = None  # in the place of products of influences
    fold_factor: float = 1.0

    @property
    def covariance(self):
        return self.phi.T @ self.phi if self.sigma is None else self.sigma


def _worth_of_negatives(rows):
    """Equation 19."""
    weight = rows.weight[~rows.y]
    if not weight.size:
        return np.inf
    kish = weight.sum() ** 2 / (weight**2).sum()
    if rows.prevalence is not None:
        return kish * rows.prevalence / (1 - rows.prevalence)
    return rows.weight[rows.y].sum() / weight.sum() * kish


def of_rows(definition, models, shares=(1.0,), biases=None, k=np.inf, are_sampled=False):
    """Equations 17 and 18: ``models`` has the rankings of each, with their shares in the mean.

    ``are_sampled`` is whether shares are those of positives, which vary with the sample.
    """
    shares = np.asarray(shares, float)
    columns = models[0]
    units = sorted({unit for rows in columns for unit in rows.unit}, key=str)
    n = np.array([engine.kish(engine.sizes(rows, rows.y).values()) for rows in columns])
    rows_n = np.maximum(n, [engine.kish(rows.weight[rows.y]) for rows in columns])
    most = np.array([min(_worth_of_negatives(rows), k) for rows in columns])
    phi = np.zeros((len(units), len(models)))
    theta = np.zeros(len(models))
    for m, model in enumerate(models):
        values = np.array([np.real(engine.value(definition, rows)) for rows in model])
        theta[m] = shares @ values
        for share, rows, of_column, own in zip(shares, model, n, values, strict=True):
            found = engine.influences(("step",) if definition[0] == "at k" else definition, rows)
            root = np.sqrt(engine.factor(of_column))
            phi[:, m] += [share * root * found.get(unit, 0.0) for unit in units]
            if are_sampled:
                positives = engine.sizes(rows, rows.y)
                gain = share * root * (own - theta[m]) / sum(positives.values())
                phi[:, m] += [gain * positives.get(unit, 0.0) for unit in units]
    if len(columns) > 1 and biases is None:
        biases = np.array([[engine.own_row_bias(rows) for rows in model] for model in models]).T
    if len(columns) > 1:
        of_means = [
            engine.mean_of_columns(definition, model, shares, are_sampled=are_sampled)
            for model in models
        ]
        hidden, n_hidden = [mean.hidden for mean in of_means], of_means[0].n
    else:
        hidden, n_hidden = [engine.hidden_rows(definition, model[0]) for model in models], n[0]
    return Joint(
        theta,
        phi,
        len(units),
        shares.sum() / np.sqrt(shares**2 @ n**-2.0),
        np.sqrt(shares**2 @ np.minimum(rows_n, most) ** -2.0),
        None if biases is None else shares[:, None] * biases,
        hidden,
        n_hidden,
    )


def of_queries(values, shares, users):
    """Equation 16; ``values`` is queries x models."""
    shares = np.asarray(shares, float) / np.sum(shares)
    theta, names = shares @ values, sorted(set(users))
    own = [np.array([user == name for user in users]) for name in names]
    n = engine.kish(shares[of].sum() for of in own)
    phi = [(shares[of, None] * (values[of] - theta)).sum(axis=0) for of in own]
    phi = np.array(phi) * np.sqrt(engine.factor(n))
    hidden = [_hidden_queries(each, n) for each in theta]
    one = 1 / engine.kish(shares)
    return Joint(theta, phi, len(names), n, one, hidden=hidden, n_hidden=n, are_queries=True)


def _hidden_queries(theta, n):
    return lambda more: (theta * more / (n + more), (1 - theta) * more / (n + more))


def covariance_of_halves(definition, models, n, shares=(1.0,)):
    """Equation 20, over all halves of the units."""
    units = sorted({unit for rows in models[0] for unit in rows.unit}, key=str)

    def change(model, half):
        both = (engine.half_value(definition, model, np.array(shares), half, i) for i in (1, -1))
        return np.subtract(*both) / 2

    halves = combinations(units, len(units) // 2)
    pairs = np.array([[change(model, half) for model in models] for half in halves])
    changes = pairs[~np.isnan(pairs).any(axis=1)]
    return engine.factor(n) * (1 - 1 / len(units)) * changes.T @ changes / len(changes)


def biases_of_halves(definition, models, gamma):
    """Equation 11 of each column and model, over all halves."""
    one = np.ones(1)
    found = [[engine.half_samples(definition, [rows], one)[1] for rows in m] for m in models]
    return np.array(found).T / (2**gamma - 1)


@dataclass
class Difference:
    """Equations 17, 18 and 21 to 24 of the model ``a`` minus the model ``b``."""

    joint: Joint
    a: int
    b: int

    def __post_init__(self):
        joint, c = self.joint, np.zeros(self.joint.theta.size)
        c[[self.a, self.b]] = 1, -1
        phi = joint.phi @ c
        squares = (phi**2).sum()
        is_seen = squares * joint.n > 1e-18
        excess = (phi**4).sum() / squares**2 - 1 / joint.n_units if is_seen else np.inf
        nu = 2 / max(excess, 1e-9)
        v = c @ joint.covariance @ c * joint.fold_factor if is_seen else 0.0
        self.estimate, self.bias = joint.theta @ c, 0.0
        if joint.bias is not None:
            parts = joint.bias @ c
            self.bias = parts.sum()
            v += len(parts) / (len(parts) - 1) * ((parts - parts.mean()) ** 2).sum()
        self.variance = v
        nu = nu if is_seen else 0.0
        self.degrees = max(joint.n - 1 if joint.are_queries else min(joint.n - 1, nu), 1.0)
        if joint.n < 1 + 1e-9 or joint.one_row > 1 + 1e-9:
            self.variance = np.inf

    def limits(self, alpha):
        """Equations 21 and 22, of two sides."""
        center, shown = self.estimate - self.bias, self.shown(alpha)
        if self.joint.are_queries:
            down, up = (
                max(self.over_queries(alpha), self.change(alpha, *pair, 1.25, 1.0))
                for pair in ((self.a, self.b), (self.b, self.a))
            )
            return max(center - down, -1.0), min(center + up, 1.0)
        down, up = (
            np.hypot(self.bias, max(np.hypot(shown, beside), alone))
            for beside, alone in (
                [self.change(alpha, *pair, *shares) for shares in ((0.75, 0.6), (2.0, 1.0))]
                for pair in ((self.a, self.b), (self.b, self.a))
            )
        )
        return max(center - down, -1.0), min(center + up, 1.0)

    def shown(self, alpha):
        return student.ppf(1 - alpha / 2, self.degrees) * np.sqrt(self.variance)

    def over_queries(self, alpha):
        """One more query differs by what is tested."""
        t, n = student.ppf(1 - alpha / 2, self.degrees), self.joint.n
        left = 1 - t**2 / (n * (n - 1)) if n > 1 + 1e-9 else -1.0
        return self.shown(alpha) / np.sqrt(left) if left > 0 else np.inf

    def change(self, alpha, better, other, cost, gain):
        """What hidden rows may change against a model."""
        lost, won = self.joint.hidden[better], self.joint.hidden[other]
        n = self.joint.n_hidden
        third = n * (alpha ** (-1 / n) - 1) / 3
        return max(_between(lost, 0)(cost * third), _between(won, 1)(gain * third))

    def margin_low(self, alpha):
        """Equation 24, with the error of two sides."""
        n, center = self.joint.n_hidden, self.estimate - self.bias
        if self.joint.are_queries:
            one = self.joint.hidden[self.a](1.0)[0]
            return max(center - np.hypot(center - self.limits(alpha)[0], one), -1.0)
        number = 0.75 * n * (alpha ** (-1 / n) - 1)
        cost = _between(self.joint.hidden[self.a], 0)(number)
        return max(center - np.sqrt(self.shown(alpha) ** 2 + self.bias**2 + cost**2), -1.0)

    def pvalue(self):
        """The error of two sides at which a limit is 0."""
        side = 0 if self.estimate - self.bias > 0 else 1
        first, last = np.log(2 * norm.sf(8.2)), -1e-12
        ends = [self.limits(np.exp(x))[side] for x in (first, last)]
        if ends[0] * ends[1] > 0:
            shown = ends[1] > 0 if side == 0 else ends[1] < 0
            return np.exp(first) if shown else 1.0
        return np.exp(brentq(lambda x: self.limits(np.exp(x))[side], first, last, xtol=1e-13))

    def pvalue_above(self):
        """The error of one side, of "greater"."""
        p = self.pvalue() / 2
        return p if self.estimate - self.bias > 0 else 1 - p


@cache
def _between(changes, side):
    """A curve between the changes by some numbers of rows: below equation 21."""
    numbers = [0.25, 0.5, *2.0 ** np.arange(40)]
    values = np.maximum.accumulate([changes(number)[side] for number in numbers])
    return PchipInterpolator([0.0, *numbers], [0.0, *values])


def numbers(joint):
    """The difference of the second model from the first, its limits of 95% and its p-value."""
    found = Difference(joint, 1, 0)
    return found.estimate, *found.limits(0.05), found.pvalue()


def correlation(found):
    """Equation 23: of several differences."""
    joint = found[0].joint
    c = np.zeros((len(found), joint.theta.size))
    for row, each in zip(c, found, strict=True):
        row[[each.a, each.b]] = 1, -1
    error = np.sqrt([each.variance or np.inf for each in found])
    r = c @ joint.covariance @ c.T * joint.fold_factor / np.outer(error, error)
    np.fill_diagonal(r, 1.0)
    return r


def adjusted(found, p, is_two_sided=True):
    """Equation 23 of one p-value of several differences, without draws."""
    box = multivariate_normal(cov=correlation(found), allow_singular=True, seed=0)
    ends = np.full(len(found), norm.isf(p / (2 if is_two_sided else 1)))
    inside = box.cdf(ends, lower_limit=-ends) if is_two_sided else box.cdf(ends)
    return min(max(p, 1 - inside), len(found) * p, 1.0)


def best(joint, level, draws=200_000):
    """Equations 25 and 26, by other draws: p-values, limits, optimism, largest scaled error."""
    k, sigma, theta = joint.theta.size, joint.covariance, joint.theta
    errors = np.random.default_rng(9).multivariate_normal(np.zeros(k), sigma, draws, method="svd")
    pvalues, gap_high = np.ones(k), np.ones(k)
    for a in range(k):
        others = np.delete(np.arange(k), a)
        differences = [Difference(joint, b, a) for b in others]
        single = [each.pvalue_above() for each in differences]
        sd = [np.sqrt(sigma[a, a] + sigma[b, b] - 2 * sigma[a, b]) for b in others]
        largest = np.max((errors[:, others] - errors[:, [a]]) / sd, axis=1)
        z = norm.isf(min(single))
        pvalues[a] = max(np.mean(largest >= z), min(single)) if z > 0 else 1.0
        quantile = max(np.quantile(largest, level), norm.ppf(level), 0.0)
        gap_high[a] = -max(each.limits(2 * norm.sf(quantile))[0] for each in differences)
    mean, noise = theta.mean(), np.trace(sigma) - sigma.sum() / k
    true = mean + max(0, 1 - noise / ((theta - mean) ** 2).sum()) * (theta - mean)
    winner = np.argmax(true + errors, axis=1)
    largest = np.max(errors / np.sqrt(np.diag(sigma)), axis=1)
    return pvalues, gap_high, errors[np.arange(draws), winner].mean(), largest
