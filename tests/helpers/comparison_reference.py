"""The equations of docs/methods.md for comparisons, computed slowly; imports nothing of ours.

Scores and influences are those of ``engine_reference``. A p-value is found as the error at which a
limit is 0, and simultaneous ones come from the distribution function of the normal box.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import engine_reference as engine
import numpy as np
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student


@dataclass
class Joint:
    """Scores of models, influences of units on each, and effective numbers."""

    theta: Any
    phi: Any  # units x models, times root f
    n_units: int
    n: float
    one_unit: float
    one_row: float
    bias: Any = None  # columns x models
    cost: Any = None
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
    return Joint(
        theta,
        phi,
        len(units),
        shares.sum() / np.sqrt(shares**2 @ n**-2.0),
        np.sqrt(shares**2 @ np.minimum(n, most) ** -2.0),
        np.sqrt(shares**2 @ np.minimum(rows_n, most) ** -2.0),
        None if biases is None else shares[:, None] * biases,
    )


def of_queries(values, shares, users):
    """Equation 16; ``values`` is queries x models."""
    shares = np.asarray(shares, float) / np.sum(shares)
    theta, names = shares @ values, sorted(set(users))
    own = [np.array([user == name for user in users]) for name in names]
    n = engine.kish(shares[of].sum() for of in own)
    phi = [(shares[of, None] * (values[of] - theta)).sum(axis=0) for of in own]
    cost = theta - theta * n / (n + 1)
    phi = np.array(phi) * np.sqrt(engine.factor(n))
    return Joint(theta, phi, len(names), n, 1 / n, 1 / engine.kish(shares), cost=cost)


def covariance_of_halves(definition, models, n):
    """Equation 20, over all halves of the rows."""
    units = range(models[0][0].y.size)

    def change(model, half):
        both = (engine.half_value(definition, model, np.ones(1), half, i) for i in (1, -1))
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
    """Equations 17, 18, 21 and 22 of the model ``a`` minus the model ``b``."""

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
        prior = 4 / (nu + 4) * joint.one_row**2
        self.variance = v + prior
        parts = v**2 / max(nu, 1e-300) + prior**2 / 4
        self.degrees = max(min(joint.n - 1, self.variance**2 / parts), 1.0)
        if joint.n < 1 + 1e-9 or joint.one_row > 1 + 1e-9:
            self.variance = np.inf

    def limits(self, alpha, more=0.0):
        """Equation 22, of two sides; ``more`` is what a margin leaves room for: equation 24."""
        t = student.ppf(1 - alpha / 2, self.degrees)
        half = np.sqrt(t**2 * self.variance + self.bias**2 + more**2)
        center = self.estimate - self.bias
        return max(center - half, -1.0), min(center + half, 1.0)

    def pvalue(self):
        """The error of two sides at which a limit is 0."""
        side = 0 if self.estimate - self.bias > 0 else 1
        ends = [self.limits(np.exp(x))[side] for x in (-600.0, -1e-12)]
        if ends[0] * ends[1] > 0:
            return 1.0
        return np.exp(brentq(lambda x: self.limits(np.exp(x))[side], -600, -1e-12, xtol=1e-13))

    def pvalue_above(self):
        """The error of one side, of "greater"."""
        p = self.pvalue() / 2
        return p if self.estimate - self.bias > 0 else 1 - p


def numbers(joint):
    """The difference of the second model from the first, its limits of 95% and its p-value."""
    found = Difference(joint, 1, 0)
    return found.estimate, *found.limits(0.05), found.pvalue()


def correlation(found):
    """Equation 23: of several differences, with the prior on the diagonal."""
    joint = found[0].joint
    c = np.zeros((len(found), joint.theta.size))
    for row, each in zip(c, found, strict=True):
        row[[each.a, each.b]] = 1, -1
    error = np.sqrt([each.variance for each in found])
    r = c @ joint.covariance @ c.T * joint.fold_factor / np.outer(error, error)
    np.fill_diagonal(r, 1.0)
    return r


def adjusted(found, p, is_two_sided=True):
    """Equation 23 of one p-value of several differences, without draws."""
    box = multivariate_normal(cov=correlation(found), allow_singular=True, seed=0)
    ends = np.full(len(found), norm.isf(p / (2 if is_two_sided else 1)))
    inside = box.cdf(ends, lower_limit=-ends) if is_two_sided else box.cdf(ends)
    return min(max(p, 1 - inside), len(found) * p, 1.0)


def best(joint, draws=200_000):
    """Equations 25 and 26, by other draws: p-values, optimism, and the largest scaled error."""
    k, sigma, theta = joint.theta.size, joint.covariance, joint.theta
    errors = np.random.default_rng(9).multivariate_normal(np.zeros(k), sigma, draws, method="svd")
    pvalues = np.ones(k)
    for a in range(k):
        others = np.delete(np.arange(k), a)
        single = [Difference(joint, b, a).pvalue_above() for b in others]
        sd = [np.sqrt(sigma[a, a] + sigma[b, b] - 2 * sigma[a, b]) for b in others]
        largest = np.max((errors[:, others] - errors[:, [a]]) / sd, axis=1)
        z = norm.isf(min(single))
        pvalues[a] = max(np.mean(largest >= z), min(single)) if z > 0 else 1.0
    mean, noise = theta.mean(), np.trace(sigma) - sigma.sum() / k
    true = mean + max(0, 1 - noise / ((theta - mean) ** 2).sum()) * (theta - mean)
    winner = np.argmax(true + errors, axis=1)
    largest = np.max(errors / np.sqrt(np.diag(sigma)), axis=1)
    return pvalues, errors[np.arange(draws), winner].mean(), largest
