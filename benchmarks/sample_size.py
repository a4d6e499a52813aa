"""Whether as many positives as positives_for asks for give the power and the width it was asked.

A large pilot says how many positives are needed, and samples of that size are drawn.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import simulation
from populations import correlated, labels, population, rng_of
from scipy.stats import norm
from simulation import Cell, Numbers, Row, Section

import sklearn_ap

LARGE, PILOTS = 5_000, (60, 150, 300)  # positives of pilots
SHARE = 1 / 6  # of samples, those that come with small pilots
FAILS = 5  # a setting whose power is so many points too low fails
BANDS = {60: "below 60", 200: "60 to 200", math.inf: "200 or more"}  # of the positives asked for


@dataclass(frozen=True)
class Setting:
    """Two models that see a share of the same evidence."""

    shifts: tuple[float, float]
    correlation: float
    prevalence: float = 0.1
    power: float = 0.8

    def compare(self, rng: np.random.Generator, n_positives: int) -> Any:
        """The comparison of the models in a sample."""
        y = labels(rng, n_positives, self.prevalence)
        a, b = correlated(rng, y, self.shifts, self.correlation)
        return sklearn_ap.compare_average_precision(y, {"A": a, "B": b})

    def truth(self) -> list[float]:
        """The scores of the population; the same noise for both leaves little in the difference."""
        y, weight = population(200_000, self.prevalence)
        noise = np.random.default_rng(0).normal(size=y.size)
        return [
            sklearn_ap.average_precision_score(y, noise + shift * y, sample_weight=weight)
            for shift in self.shifts
        ]

    def plan(self) -> dict[str, float]:
        """How many positives a large pilot asks for, and how wide it says that intervals are."""
        first, second = self.truth()
        pilot = self.compare(rng_of(f"{self}, pilot"), LARGE)
        n = int(pilot.positives_for(second - first, self.power)[1])
        half_width = (pilot.highs[0] - pilot.lows[0]) / 2 * math.sqrt(pilot.n_positives / n)
        return {"first": first, "second": second, "positives": n, "half width": half_width}

    def sample(self, rng: np.random.Generator, plan: dict[str, float]) -> Numbers:
        """Whether the difference is found, and sometimes what small pilots say."""
        apart, n = plan["second"] - plan["first"], int(plan["positives"])
        made = self.compare(rng, n)
        numbers = simulation.judged(apart, made, warned=False) | plan
        numbers["power"] = bool(made.pvalues[1] < 0.05)
        numbers["half width"] = (made.highs[0] - made.lows[0]) / 2 / plan["half width"]
        has_pilots = rng.random() < SHARE
        for size in PILOTS:
            share = np.nan
            if has_pilots:
                share = self.compare(rng, size).positives_for(apart, self.power)[1] / n
            numbers |= {f"{size}: share": share, f"{size}: square": share**2}
            numbers[f"{size}: power"] = power_of(share, self.power)
        return numbers


def power_of(share: float, power: float) -> float:
    """The power with a share of the number that gives ``power``, in points."""
    tested = norm.ppf(0.975)
    return float(100 * norm.cdf((tested + norm.ppf(power)) * np.sqrt(share) - tested))


def cells() -> Iterator[Cell]:
    """The grid."""
    pairs = [(0.8, 1.0), (1.3, 1.4), (1.3, 1.5), (2.0, 2.2), (2.5, 2.8)]
    found = [Setting(pair, correlation) for pair in pairs for correlation in (0.5, 0.8, 0.95)]
    found += [Setting((1.3, 1.5), c, power=0.9) for c in (0.5, 0.8, 0.95)]
    found += [Setting((1.3, 1.5), c, prevalence=0.5) for c in (0.5, 0.8, 0.95)]
    found += [Setting((2.0, 2.2), c, prevalence=0.02) for c in (0.8, 0.95)]
    found += [Setting((1.3, 1.5), 0.8, power=0.5)]
    for setting in found:
        name = f"correlation {setting.correlation}, prevalence {setting.prevalence}"
        facts = {"asked": 100 * setting.power, "setting": name}
        yield Cell(f"{setting}", setting.sample, 600, setting.plan, facts)


def pilots(rows: list[Row]) -> str:
    """How far the answers of small pilots differ, and which power they lead to."""
    lines = [["positives of the pilot", "standard deviation", "up to", "power: median", "least"]]
    for size in PILOTS:
        means, squares = (
            np.array(simulation.values(rows, f"{size}: {key}")) for key in ("share", "square")
        )
        spread = 100 * np.sqrt(np.maximum(squares / means**2 - 1, 0))
        power = [row[f"{size}: power"] - row["asked"] for row in rows]
        spreads = f"{np.median(spread):.0f}%", f"{max(spread, default=np.nan):.0f}%"
        lines.append([f"{size}", *spreads, f"{np.nanmedian(power):+.1f}", f"{min(power):+.1f}"])
    return simulation.table(lines)


def section(rows: list[Row]) -> Section:
    """The section of the page."""
    rows = [row | {"gain": row["power"] - row["asked"]} for row in rows]
    columns = {
        "settings": simulation.of(len, "n_samples"),
        "power: least": simulation.of(min, "gain", "+.1f"),
        "median": simulation.of(np.median, "gain", "+.1f"),
        "half width: most": simulation.of(max, "half width", ".2f"),
        "half width: median": simulation.of(np.median, "half width", ".2f"),
        "width": simulation.of(np.median, "width", ".2f"),
    }
    low = [
        f"scores of {row['first']:.3f} and {row['second']:.3f}, {row['setting']}, "
        f"{row['positives']:.0f} positives: {row['power']:.1f} for {row['asked']:.0f}"
        for row in rows
        if row["gain"] < -FAILS
    ]
    tables = simulation.table_by(
        lambda row: simulation.band_of(row["positives"], BANDS), rows, columns, "positives"
    )
    return Section(
        f"The power was within {FAILS} points of the requested one, or above it, in "
        f"{len(rows) - len(low)} of {len(rows)} settings.",
        f"{tables}\n\n{pilots(rows)}",
        simulation.failing(f"Settings whose power is more than {FAILS} points too low", low),
        "A sixth of them come with small pilots of each size.",
    )


if __name__ == "__main__":
    simulation.main("sample_size", __doc__, cells, {"sample size": section})
