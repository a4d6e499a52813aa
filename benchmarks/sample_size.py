"""Whether as many positives as positives_for asks for give the power and the width it was asked.

    python benchmarks/sample_size.py [--quick]

A large pilot says how many positives are needed, and samples of that size are drawn. Prints tables
and writes docs/sample_size_coverage.md, in some ten minutes; --quick takes some seconds, and writes
nothing.
"""

import datetime
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from simulation import correlated, labels, population, rng_of, table, write_page

import sklearn_ap

N_SAMPLES, N_PILOTS = 600, 100
LARGE, SMALL = 5_000, 300  # positives of pilots


@dataclass
class Setting:
    """Two models that see a share of the same evidence."""

    shifts: tuple[float, float]
    correlation: float
    prevalence: float = 0.1
    power: float = 0.8

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


def run(setting: Setting, n_samples: int, n_pilots: int) -> dict[str, Any]:
    """Ask how many positives a pilot needs, draw samples of that size, and count."""
    rng = rng_of(repr(setting))
    truth = setting.truth()
    apart, power = truth[1] - truth[0], setting.power
    pilot = sklearn_ap.compare_average_precision(*setting.draw(rng, LARGE))
    n = int(pilot.positives_for(apart, power)[1])
    half_width = (pilot.highs[0] - pilot.lows[0]) / 2 * math.sqrt(pilot.n_positives / n)
    found = [sklearn_ap.compare_average_precision(*setting.draw(rng, n)) for _ in range(n_samples)]
    small = [
        sklearn_ap.compare_average_precision(*setting.draw(rng, SMALL)).positives_for(apart, power)
        for _ in range(n_pilots)
    ]
    return {
        "setting": setting,
        "truth": truth,
        "n": n,
        "power": 100 * float(np.mean([each.pvalues[1] < 0.05 for each in found])),
        "asked width": half_width,
        "width": float(np.mean([(each.highs[0] - each.lows[0]) / 2 for each in found])),
        "small": [int(q) for q in np.quantile([each[1] for each in small], [0.1, 0.9])],
        "spread": float(np.std([each[1] for each in small]) / np.mean([each[1] for each in small])),
    }


PAGE = """# Power of the sample sizes that are asked for

Written by `python benchmarks/sample_size.py` on {date}.

Two models see a share of the same evidence, which makes their scores correlated. A pilot of
{large} positives says with `positives_for` how many positives find their true difference, at a
level of 95%. Then {n_samples} samples of that size are drawn. The power says how often p < 0.05, in
percent, and is uncertain by 1.6. "Half width" is the mean over the intervals of the first model,
and "half width foretold" is what the pilot predicts for this number of positives. The last column
says what pilots of {small} positives ask for: 80% of {n_pilots} such pilots give a number in this
range. Their standard deviation is {spread:.0f}% of their mean, in the median row.

{table}
"""


def page(rows: list[dict[str, Any]]) -> str:
    """The page of the docs."""
    head = ["true scores", "correlation", "prevalence", "positives", "power asked", "power"]
    lines = [[*head, "half width foretold", "half width", f"asked by pilots of {SMALL}"]]
    for row in rows:
        setting = row["setting"]
        cells = [" and ".join(f"{each:.3f}" for each in row["truth"])]
        cells += [str(setting.correlation), str(setting.prevalence), str(row["n"])]
        cells += [f"{100 * setting.power:.0f}", f"{row['power']:.1f}"]
        cells += [f"{row['asked width']:.3f}", f"{row['width']:.3f}"]
        lines.append([*cells, "{} to {}".format(*row["small"])])
    spread = 100 * float(np.median([row["spread"] for row in rows]))
    numbers = {"n_samples": N_SAMPLES, "n_pilots": N_PILOTS, "small": SMALL, "large": f"{LARGE:,}"}
    date = datetime.date.today()
    return PAGE.format(date=date, spread=spread, table=table(lines), **numbers)


def simulate(quick: bool) -> str:
    """All settings, and the page."""
    rows = []
    for setting in settings(quick):
        rows.append(run(setting, *((20, 5) if quick else (N_SAMPLES, N_PILOTS))))
        print(rows[-1], flush=True)
    return page(rows)


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    write_page("sample_size_coverage.md", simulate, arguments, __doc__)


if __name__ == "__main__":
    main()
