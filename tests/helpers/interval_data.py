"""Data for intervals and comparisons, and what they are compared by."""

import numpy as np

Y = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
S = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
NUMBERS = ("estimate", "standard_error", "low", "high")


def drawn(n=200, n_columns=None, seed=0):
    rng = np.random.default_rng(seed)
    shape = n if n_columns is None else (n, n_columns)
    y = (rng.random(shape) < 0.3).astype(int)
    return y, (y + rng.normal(size=shape)).round(1)


def query_data(n=30, seed=0):
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(n), rng.integers(4, 30, n))
    y = (rng.random(queries.size) < 0.3).astype(int)
    y[np.flatnonzero(np.diff(queries, prepend=-1))] = 1
    return y, rng.normal(size=queries.size) + y, queries


def models(seed=0, n=200):
    y, s = drawn(n, seed=seed)
    rng = np.random.default_rng(seed + 10)
    noise = rng.normal(size=(3, n))
    return y, {"a": s, "b": s + noise[0], "c": s + 2 * noise[1], "d": s + 0.2 * noise[2]}


def numbers(interval):
    return np.array([getattr(interval, name) for name in NUMBERS])


def assert_same(first, second, **tolerance):
    np.testing.assert_allclose(
        numbers(first), numbers(second), **({"rtol": 1e-9, "atol": 1e-12} | tolerance)
    )
