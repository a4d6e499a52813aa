"""What the simulations share: populations, samples of them, and the pages that are written."""

import argparse
import functools
import math
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sklearn_ap
from sklearn_ap.definitions import Definition, Expected

DOCS = Path(__file__).parents[1] / "docs"
Scores = Callable[[np.random.Generator, np.ndarray], np.ndarray]


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


def rng_of(name: str) -> np.random.Generator:
    """The generator of a cell, which no other cell changes."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def grouped(rows: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """Rows by what they have under the key, in order."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def table(rows: list[list[str]]) -> str:
    """A table, its head first."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *body])


def is_quick(arguments: list[str] | None, about: str) -> bool:
    """Whether the user asks for --quick."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="simulate less, and write nothing")
    return parser.parse_args(arguments).quick


def write_page(
    name: str, make: Callable[[bool], str], arguments: list[str] | None, about: str
) -> None:
    """Simulate, print the page, and write it unless the user asks for --quick."""
    quick = is_quick(arguments, about)
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    text = make(quick)
    print(text)
    if not quick:
        (DOCS / name).write_text(text)
