"""Whether as many positives as positives_for asks for give the power and the width it was asked.

    python benchmarks/sample_size.py [--quick] [--samples N] [--cells TEXT]

A large pilot says how many positives are needed, and samples of that size are drawn. Writes the
section "sample size" of docs/evidence.md, in some ten minutes; --quick takes some seconds.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm
from simulation import (
    Row,
    ask,
    correlated,
    failing,
    grouped,
    labels,
    population,
    publish,
    rng_of,
    section,
    simulate,
    table,
)

import sklearn_ap

N_SAMPLES, N_PILOTS = 600, 100
LARGE, PILOTS = 5_000, (60, 150, 300)  # positives of pilots
FAILS = 5  # a setting whose power is so many points too low fails
BANDS = {60: "below 60", 200: "60 to 200", math.inf: "200 or more"}  # of the positives asked for


@dataclass
class Setting:
    """Two models that see a share of the same evidence."""

    shifts: tuple[float, float]
    correlation: float
    prevalence: float = 0.1
    power: float = 0.8

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        return repr(self)

    def draw(self, rng: np.random.Generator, n_positives: int) -> tuple[Any, dict[str, Any]]:
        """Labels, and scores by name."""
        y = labels(rng, n_positives, self.prevalence)
        a, b = correlated(rng, y, self.shifts, self.correlation)
        return y, {"A": a, "B": b}

    def truth(self) -> list[float]:
        """The scores of the population; the same noise for both leaves little in the difference."""
        y, weight = population(200_000, self.prevalence)
        noise = np.random.default_rng(0).normal(size=y.size)
        return [
            sklearn_ap.average_precision_score(y, noise + shift * y, sample_weight=weight)
            for shift in self.shifts
        ]


def settings(quick: bool) -> list[Setting]:
    """The grid."""
    pairs = [(0.8, 1.0), (1.3, 1.4), (1.3, 1.5), (2.0, 2.2), (2.5, 2.8)]
    found = [Setting(pair, correlation) for pair in pairs for correlation in (0.5, 0.8, 0.95)]
    found += [Setting((1.3, 1.5), c, power=0.9) for c in (0.5, 0.8, 0.95)]
    found += [Setting((1.3, 1.5), c, prevalence=0.5) for c in (0.5, 0.8, 0.95)]
    found += [Setting((2.0, 2.2), c, prevalence=0.02) for c in (0.8, 0.95)]
    found += [Setting((1.3, 1.5), 0.8, power=0.5)]
    return found[2:3] if quick else found


def run(setting: Setting, n_samples: int, n_pilots: int) -> Row:
    """Ask how many positives a pilot needs, draw samples of that size, and count."""
    rng = rng_of(repr(setting))
    truth = setting.truth()
    apart, power = truth[1] - truth[0], setting.power
    pilot = sklearn_ap.compare_average_precision(*setting.draw(rng, LARGE))
    n = int(pilot.positives_for(apart, power)[1])
    half_width = (pilot.highs[0] - pilot.lows[0]) / 2 * math.sqrt(pilot.n_positives / n)
    found = [sklearn_ap.compare_average_precision(*setting.draw(rng, n)) for _ in range(n_samples)]
    small = {
        size: [
            sklearn_ap.compare_average_precision(*setting.draw(rng, size)).positives_for(
                apart, power
            )[1]
            for _ in range(n_pilots)
        ]
        for size in PILOTS
    }
    return {
        "truth": truth,
        "correlation": setting.correlation,
        "prevalence": setting.prevalence,
        "asked": 100 * setting.power,
        "n": n,
        "power": 100 * float(np.mean([each.pvalues[1] < 0.05 for each in found])),
        "asked width": half_width,
        "width": float(np.mean([(each.highs[0] - each.lows[0]) / 2 for each in found])),
        "spread": [float(100 * np.std(each) / np.mean(each)) for each in small.values()],
        "found": [power_of(np.array(each) / n, power) for each in small.values()],
    }


def power_of(share: np.ndarray, power: float) -> float:
    """The mean power with shares of the number that gives ``power``, in points."""
    tested = norm.ppf(0.975)
    return float(100 * norm.cdf((tested + norm.ppf(power)) * np.sqrt(share) - tested).mean())


def band_of(row: Row) -> str:
    """The band of the positives that are asked for."""
    return next(band for most, band in BANDS.items() if row["n"] < most)


def summary(rows: list[Row]) -> str:
    """By the number of positives."""
    head = ["positives", "settings", "power: least", "median", "half width: most", "median"]
    lines = [head]
    bands = grouped([row | {"band": band_of(row)} for row in rows], "band")
    for band in (band for band in BANDS.values() if band in bands):
        group = bands[band]
        power = [row["power"] - row["asked"] for row in group]
        width = [row["width"] / row["asked width"] for row in group]
        numbers = f"{min(power):+.1f}", f"{np.median(power):+.1f}", f"{max(width):.2f}"
        lines.append([band, str(len(group)), *numbers, f"{np.median(width):.2f}"])
    return table(lines)


def pilots(rows: list[Row]) -> str:
    """How far the answers of small pilots differ, and which power they lead to."""
    lines = [["positives of the pilot", "standard deviation", "up to", "power: median", "least"]]
    for i, size in enumerate(PILOTS):
        spread = [row["spread"][i] for row in rows]
        power = [row["found"][i] - row["asked"] for row in rows]
        spreads = f"{np.median(spread):.0f}%", f"{max(spread):.0f}%"
        lines.append([str(size), *spreads, f"{np.median(power):+.1f}", f"{min(power):+.1f}"])
    return table(lines)


def low_settings(rows: list[Row]) -> list[str]:
    """The settings that fail."""
    return [
        f"scores of {row['truth'][0]:.3f} and {row['truth'][1]:.3f}, correlation "
        f"{row['correlation']}, prevalence {row['prevalence']}, {row['n']} positives: "
        f"{row['power']:.1f} for {row['asked']:.0f}"
        for row in rows
        if row["power"] < row["asked"] - FAILS
    ]


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    low = low_settings(rows)
    text = section(
        f"The power was within {FAILS} points of the requested one, or above it, in "
        f"{len(rows) - len(low)} of {len(rows)} settings.",
        f"{summary(rows)}\n\n{pilots(rows)}",
        failing(f"Settings whose power is more than {FAILS} points too low", low),
        "sample_size",
        f"There are {N_SAMPLES} samples, and {N_PILOTS} small pilots of each size.",
    )
    return {"sample size": text}


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    n_samples = asked.samples or (20 if asked.quick else N_SAMPLES)
    n_pilots = 5 if asked.quick else N_PILOTS
    run_cell = functools.partial(run, n_samples=n_samples, n_pilots=n_pilots)
    publish(sections, simulate("sample_size", settings(asked.quick), run_cell, asked), asked)


if __name__ == "__main__":
    main()
