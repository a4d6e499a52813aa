"""Populations of known average precision, and samples of them, for all simulations."""

import functools
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm

import sklearn_ap
from sklearn_ap.definitions import Definition, Expected, Step

N_TRUTH = 1_000_000  # rows of each class that stand for a population at a small prevalence
Scores = Callable[[np.random.Generator, np.ndarray], np.ndarray]
Drawn = tuple[Any, Any, dict[str, Any]]  # labels, scores, options of the call


def normal(shift: float) -> Scores:
    return lambda rng, y: rng.normal(size=y.size) + shift * y


def cauchy(shift: float) -> Scores:
    return lambda rng, y: rng.standard_cauchy(y.size) + shift * y


def rounded(shift: float) -> Scores:
    """Some six distinct scores, as of a small tree."""
    return lambda rng, y: np.round(rng.normal(size=y.size) + shift * y)


def tied(shift: float) -> Scores:
    """Two thirds of all rows have the same score."""

    def scores(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        found = rng.normal(size=y.size) + shift * y
        return np.where(rng.random(y.size) < 2 / 3, 0.0, found)

    return scores


def easy(share: float) -> Scores:
    """Some positives stand at the top, the rest at random."""
    return lambda rng, y: rng.random(y.size) + (y & (rng.random(y.size) < share))


def alarms(share: float) -> Scores:
    """Some negatives stand above all positives, and the rest below."""
    return lambda rng, y: (
        rng.random(y.size) + y + 2 * (~y.astype(bool) & (rng.random(y.size) < share))
    )


def two_alarms(n_positives: int, prevalence: float) -> Scores:
    """Two false alarms in a sample, on average."""
    return alarms(2 * prevalence / (n_positives * (1 - prevalence)))


def probabilities() -> Scores:
    """Most scores near 0, as of a calibrated model of rare events."""
    return lambda rng, y: np.where(y == 1, rng.beta(2, 4, y.size), rng.beta(0.5, 8, y.size))


FAMILIES: dict[str, Scores] = {
    "useless": normal(0.0),
    "weak": normal(1.0),
    "good": normal(2.0),
    "near-perfect": normal(5.0),
    "inverse": normal(-1.0),
    "probabilities": probabilities(),
    "few distinct scores": rounded(1.5),
    "a giant tie": tied(2.0),
    "Cauchy, shifted by 3": cauchy(3.0),
    "Cauchy, shifted by 30": cauchy(30.0),
    "30% easy positives": easy(0.3),
}


def family_scores(family: str, n: int, prevalence: float) -> Scores:
    """The scores of a family, some of which know how many positives are drawn."""
    if family == "two easy positives":
        return easy(2 / n)
    if family == "two false alarms":
        return two_alarms(n, prevalence)
    return FAMILIES[family]


def correlated(
    rng: np.random.Generator, y: np.ndarray, shifts: Any, correlation: float
) -> np.ndarray:
    """Scores of normal models that see a share of the same evidence, a row for each shift."""
    shared, *own = rng.normal(size=(len(shifts) + 1, y.size))
    noise = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * np.stack(own)
    return noise + np.reshape(shifts, (-1, 1)) * y


def sample_labels(
    rng: np.random.Generator, n_rows: int, prevalence: float, fewest: int = 1
) -> np.ndarray:
    """Labels of some rows, at least so many of each kind."""
    y = np.zeros(n_rows, dtype=np.int64)
    while not fewest <= y.sum() <= n_rows - fewest:
        y = (rng.random(n_rows) < prevalence).astype(np.int64)
    return y


def labels(rng: np.random.Generator, n: int, prevalence: float) -> np.ndarray:
    """Labels of a sample of about n positives, at least one of each kind."""
    return sample_labels(rng, max(round(n / prevalence), n + 1), prevalence)


def population(n_positives: int, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and weights that give them the prevalence; five negatives for each positive."""
    y = np.repeat([1, 0], [n_positives, 5 * n_positives])
    return y, np.where(y == 1, prevalence * 5, 1 - prevalence)


def truth(definition: Definition, family: str, n: int, prevalence: float) -> float:
    """The score of a population; few families depend on the positives that are drawn."""
    return _truth(definition, family, n if family not in FAMILIES else 0, prevalence)


@functools.cache
def _truth(definition: Definition, family: str, n: int, prevalence: float) -> float:
    rng = np.random.default_rng(0)
    if isinstance(definition, Expected):  # it takes no weights
        y, weight = (rng.random(500_000) < prevalence).astype(int), None
    else:
        y, weight = population(100_000, prevalence)
    scores = family_scores(family, n, prevalence)(rng, y)
    counts = sklearn_ap.threshold_counts(y, scores, sample_weight=weight)
    return float(definition(counts)[0])


@functools.cache  # processes share a function with a cache only if they can import it
def truth_at(prevalence: float, definition: Definition, family: str) -> float:
    """The score of a population at some prevalence, small ones included."""
    y = np.repeat([1, 0], N_TRUTH)
    scores = FAMILIES[family](np.random.default_rng(1), y)
    return float(definition(sklearn_ap.threshold_counts(y, scores).at_prevalence(prevalence))[0])


def rng_of(name: str) -> np.random.Generator:
    """The generator of a cell, which no other cell changes."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def binormal(shift: float, prevalence: float) -> float:
    """The average precision of normal scores, by integration."""
    t = np.linspace(-9, 9 + shift, 40_001)
    recall, false = norm.sf(t - shift), norm.sf(t)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * false)
    return float(np.sum((precision[1:] + precision[:-1]) / 2 * -np.diff(recall)))


def columns(
    rng: np.random.Generator, n_rows: int, prevalences: np.ndarray, shift: float, shared: float
) -> Drawn:
    """Columns that share some of the variance of their scores, each with a positive at least."""
    y = (rng.random((n_rows, len(prevalences))) < prevalences) * 1
    y[0] |= ~y.any(axis=0)  # one; fixed ones would raise the prevalence
    own, common = rng.normal(size=y.shape), rng.normal(size=(n_rows, 1))
    return y, math.sqrt(1 - shared) * own + math.sqrt(shared) * common + shift * y, {}


def in_clusters(
    rng: np.random.Generator, n_clusters: int, weighted: bool = False, size: float = 5.0
) -> Drawn:
    """Rows in clusters of unequal size that share a part of label and score; 1 is no clusters."""
    sizes = rng.geometric(1 / size, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    risk = np.repeat(rng.beta(0.6, 2.4, n_clusters), sizes)
    y = (rng.random(clusters.size) < risk).astype(int)
    y[0] = 1
    s = 1.2 * y + rng.normal(size=y.size) + np.repeat(rng.normal(size=n_clusters), sizes)
    options: dict[str, Any] = {} if size == 1 else {"clusters": clusters}
    if weighted:
        options["sample_weight"] = rng.lognormal(0.4 * s, 0.8)  # that go with the scores
    return y, s, options


def family_sample(rng: np.random.Generator, family: str, n: int, prevalence: float) -> Drawn:
    """About n positives and their negatives, with scores of a family."""
    y = labels(rng, n, prevalence)
    return y, family_scores(family, n, prevalence)(rng, y), {}


def family_columns(
    rng: np.random.Generator,
    family: str,
    n_rows: int,
    share: float,
    n_columns: int = 1,
    options: dict[str, Any] | None = None,
) -> Drawn:
    """Columns of a family, each with two rows of each kind at least."""
    y = [sample_labels(rng, n_rows, share, fewest=2) for _ in range(n_columns)]
    s = [FAMILIES[family](rng, column) for column in y]
    return np.squeeze(np.stack(y, axis=1)), np.squeeze(np.stack(s, axis=1)), options or {}


def score_of_many(
    draw: Callable[..., Drawn], definition: Definition = Step(), **size: Any
) -> float:
    """The score of one large sample."""
    y, s, options = draw(np.random.default_rng(0), **size)
    options = {name: option for name, option in options.items() if name != "clusters"}
    return sklearn_ap.average_precision_score(y, s, definition=definition, **options)
