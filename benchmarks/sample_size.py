"""Whether samples as large as positives_for asks for give the power it was asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import populations
from simulation import Cell, compared, main
from tables import Section, promise, table_by, table_of

import sklearn_ap

LARGE = {"positives": 5_000, "clusters": 2_000, "queries": 2_000}  # pilots
PILOTS = (60, 150, 300)  # positives of small pilots
SHARE = 1 / 6  # of samples, those that come with small pilots
FAILS = 5  # a setting whose power is so many points too low fails
COLUMNS = {
    "settings": "{n}",
    "power: lowest": "{gain.least:+.1f}",
    "median": "{gain.median:+.1f}",
    "width": "{width.median:.2f}",
    "worst setting": "{gain.worst}",
}
OF_PLANS = 25, 60, 200  # positives of pilots


def pair_of_queries(rng, n_queries, shifts):
    queries = np.repeat(np.arange(n_queries), 20)
    y = (rng.random(queries.size) < 0.1) * 1
    y[::20] = 1
    return y, populations.correlated(rng, y, shifts, 0.8), {"queries": queries}


@dataclass(frozen=True)
class Setting:
    """Two models, the unit whose number is asked for, and the power that is asked."""

    name: str
    draw: Callable
    truth: Callable
    unit: str = "positives"
    power: float = 0.8
    assumed: tuple[float, float, float] | None = None  # score, prevalence, correlation

    def result(self, rng, n):
        """The comparison in a sample."""
        y, (a, b), options = populations.disguised(rng, *self.draw(rng, n))
        return sklearn_ap.compare_average_precision(y, {"A": a, "B": b}, **options)

    def plan(self):
        """The true difference, and how many find it."""
        apart = self.truth()
        if self.assumed is not None:
            score, prevalence, correlation = self.assumed
            how = {"difference": apart, "correlation": correlation, "power": self.power}
            return {"apart": apart, "n": sklearn_ap.positives_for(score, prevalence, **how)}
        pilot = self.result(populations.rng_of(self.name), LARGE[self.unit])
        needed = getattr(pilot, f"{self.unit}_for")(apart, self.power)
        return {"apart": apart, "n": int(needed[1])}

    def sample(self, rng, plan):
        """Whether the difference is found, and sometimes what small pilots say."""
        apart, n = plan["apart"], int(plan["n"])
        y, scores, options = populations.disguised(rng, *self.draw(rng, n))
        numbers = compared(y, scores, apart, **options) | plan
        has_more = rng.random() < SHARE
        for size in PILOTS if self.unit == "positives" and self.assumed is None else ():
            share = np.nan
            if has_more:
                share = self.result(rng, size).positives_for(apart, self.power)[1] / n
            numbers |= {f"{size}: share": share, f"{size}: square": share**2}
        return numbers


def of_rows(shifts, correlation, prevalence=0.1, power=0.8, is_assumed=False):
    how = {"shifts": shifts, "correlation": correlation, "prevalence": prevalence}
    draw = partial(populations.normals, **how)
    score, other = (populations.binormal(shift, prevalence) for shift in shifts)
    name = f"AP {score:.3f} and {other:.3f}, correlation {correlation}, prevalence {prevalence}"
    assumed = (score, prevalence, correlation) if is_assumed else None
    truth = partial(populations.binormal_difference, shifts, prevalence)
    return Setting(name, draw, truth, "positives", power, assumed)


def settings():
    pairs = [(0.8, 1.0), (1.3, 1.4), (1.3, 1.5), (2.0, 2.2), (2.5, 2.8)]
    for correlation in (0.5, 0.8, 0.95):
        yield from (of_rows(pair, correlation) for pair in pairs)
        yield of_rows((1.3, 1.5), correlation, power=0.9)
        yield of_rows((1.3, 1.5), correlation, prevalence=0.5)
    yield from (of_rows((2.0, 2.2), correlation, prevalence=0.02) for correlation in (0.8, 0.95))
    yield of_rows((1.3, 1.5), 0.8, power=0.5)
    yield from (of_rows((first, 2.2), 0.8) for first in (1.0, 1.3))  # 9 and 15 positives
    for shift, prevalence in ((2.0, 0.02), (0.9, 0.02), (1.8, 0.3), (0.9, 0.1), (3.3, 0.1)):
        yield of_rows((shift, shift + 0.3), 0.8, prevalence=prevalence, is_assumed=True)
    patients = {"unequal": {}, "strong, unequal": {"known": 1.5}, "equal": populations.EQUAL}
    for kind, gain in product(patients, (0.05, 0.1)):
        draw = partial(populations.over_patients, gain=gain, **patients[kind])
        truth = partial(populations.score_of_many, draw, n_patients=20_000)
        yield Setting(f"{kind} patients, gain {gain}", draw, truth, "clusters")
    for pair in ((1.0, 1.3), (1.0, 2.0)):
        draw = partial(pair_of_queries, shifts=pair)
        truth = partial(populations.score_of_many, draw, n_queries=40_000)
        yield Setting(f"queries, shifts of {pair[0]} and {pair[1]}", draw, truth, "queries")


def cells():
    for setting in settings():
        kind = setting.unit + ", assumed" * bool(setting.assumed)
        name = f"{setting.name}, power {setting.power}, {kind}"
        facts = {"asked": 100 * setting.power, "kind": kind, "section": "sample size"}
        yield Cell(name, setting.sample, 600, setting.plan, facts)
    for size, shifts in product(OF_PLANS, ((1.3, 1.6), (2.0, 2.4))):
        truth = partial(populations.binormal_difference, shifts, 0.3)
        name = f"plan from a pilot of {size}, shifts of {shifts[0]} and {shifts[1]}"
        facts = {"kind": f"pilot of {size} positives", "section": "plans from pilots"}
        yield Cell(name, partial(planned, size=size, shifts=shifts), 600, truth, facts)


def planned(rng, apart, size, shifts):
    """Whether samples as large as a pilot says find the difference, with and without its factor."""
    draw = partial(populations.normals, shifts=shifts, correlation=0.8, prevalence=0.3)
    y, scores, _ = draw(rng, size)
    models = dict(zip("AB", scores, strict=True))
    pilot, found = sklearn_ap.compare_average_precision(y, models), {}
    n, factor = pilot.positives_for(apart, 0.8)[1], pilot.pilot_factors(0.8)[1]
    for way, size in (("with the factor", n), ("without it", n / factor)):
        y, scores, _ = draw(rng, int(size))
        differs = compared(y, scores, apart)["differs"]
        found[way] = {"differs": differs, "factor": factor}
    return found


def section_of_plans(rows):
    columns = {"with the factor": "{with.median:.0f}", "without it": "{without.median:.0f}"}
    columns |= {"factor": "{factor.median:.2f}"}
    names = {"with the factor": "with", "without it": "without"}
    rows = [row | {names[row["way"]]: row["differs"]} for row in rows]
    promises = [promise("Power of plans for 80 of 100 from small pilots", rows, "with")]
    return Section(promises, table_by("kind", rows, columns, "plan from a"))


def pilots(rows):
    lines = [["Positives of small pilots", "standard deviation: median", "most"]]
    for size in PILOTS:
        found = [row for row in rows if f"{size}: share" in row]
        ratios = [row[f"{size}: square"] / row[f"{size}: share"] ** 2 for row in found]
        spread = 100 * np.sqrt(np.maximum(np.array(ratios) - 1, 0))
        if found:
            lines.append([f"{size}", f"{np.nanmedian(spread):.0f}%", f"{np.nanmax(spread):.0f}%"])
    return lines


def line_of(row):
    if row["kind"] != "positives":
        return row["kind"]
    below_200 = "below 60 positives" if row["n"] < 60 else "60 to 200 positives"
    return below_200 if row["n"] < 200 else "200 positives or more"


def section(rows):
    rows = [row | {"gain": row["differs"] - row["asked"]} for row in rows]
    rows = sorted(rows, key=lambda row: (row["kind"] != "positives", row["n"]))
    low = [row for row in rows if row["gain"] < -FAILS]
    return Section(
        [promise("Power minus the requested one", rows, "gain", text="{:+.1f} points")],
        table_by(line_of, rows, COLUMNS, "asked for"),
        [table_of(f"Powers more than {FAILS} points too low", low, n="{n:.0f}", power="{differs}")],
        [pilots(rows)],
    )


if __name__ == "__main__":
    main(
        "sample_size",
        __doc__,
        cells,
        {"sample size": section, "plans from pilots": section_of_plans},
    )
