"""Whether studies need as many positives, clusters or queries as sample_size says."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import populations
from populations import normals, over_patients, patients, unequal_queries
from scipy.special import ndtri
from simulation import Cell, main
from tables import Section, grouped, promise, table_by, table_of

import sklearn_ap

N_PILOT = 4_000  # positives, clusters or queries of a pilot that is known well
SHARES = (0.7, 0.85, 1.0, 1.2, 1.45)  # sizes of studies, over the size that is asked for
SMALL = (60, 150)  # units of small pilots, of which there are N_SMALL
N_SMALL = 100
WITHIN = 15  # percent of the needed size


class Setting(NamedTuple):
    """A study, and what it should show; a difference of None stands for the true one."""

    kind: str
    name: str
    draw: Callable
    goal: dict
    options: Mapping = MappingProxyType({})  # of the comparison
    assumed: Mapping = MappingProxyType({})  # before any data

    def result(self, rng, n):
        """The interval or the comparison of a sample."""
        y, s, options = populations.disguised(rng, *self.draw(rng, n))
        if len(s) == 1 or s.ndim == 1:
            return sklearn_ap.average_precision_interval(y, s.reshape(y.shape), **options)
        models = dict(zip("AB", s, strict=True))
        return sklearn_ap.compare_average_precision(y, models, **options, **self.options)

    def plan(self):
        """The size that is asked for, and those by small pilots."""
        goal, rng = dict(self.goal), populations.rng_of(self.name)
        if goal.get("difference", 0) is None:
            goal["difference"] = populations.score_of_many(lambda rng: self.draw(rng, 50_000))
        if self.assumed:
            return sklearn_ap.sample_size(**self.assumed, **goal), []
        of = [self.result(rng, n) for n in (N_PILOT, *np.repeat(SMALL, N_SMALL))]
        n, *small = (sklearn_ap.sample_size(each, **goal) for each in of)
        return n, small

    def sample(self, rng, plan):
        """What studies of each size show: a half width, or the difference."""
        n, small = plan
        found = {f"{share}": {"n": n} for share in SHARES}
        for share in SHARES:
            made = self.result(rng, max(round(share * n), 2))
            if "difference" in self.goal:
                found[f"{share}"]["shown"] = made.verdict in ("better", "not worse")
            elif isinstance(made, sklearn_ap.Interval):
                found[f"{share}"]["half"] = (made.high - made.low) / 2
            else:
                found[f"{share}"]["half"] = (made.difference_high - made.difference_low) / 2
        for size, sizes in zip(SMALL, np.reshape(small, (-1, N_SMALL)), strict=False):
            found["1.0"] |= {f"{size}": np.median(sizes) / n, f"{size} sd": np.std(sizes) / n}
        return found


def rows(*shifts, correlation=0.8, prevalence=0.1):
    return partial(normals, shifts=shifts, correlation=correlation, prevalence=prevalence)


def before(name, number, score, prevalence, correlation=None):
    """A study before which one knows scores: its half width, or the difference of two models."""
    scores = [score] if correlation is None else [score, score + number]
    shifts = populations.shifts_with(scores, prevalence)
    draw = rows(*shifts, correlation=correlation or 0.0, prevalence=prevalence)
    assumed = {"average_precision": score, "prevalence": prevalence, "correlation": correlation}
    goal = width(number) if correlation is None else {"difference": number}
    return Setting("before data", name, draw, goal, assumed=assumed)


def pairs_over_queries(rng, n, shifts):
    queries = np.repeat(np.arange(n), 20)
    y = (rng.random(queries.size) < 0.1) * 1
    y[::20] = 1
    return y, populations.correlated(rng, y, shifts, 0.8), {"queries": queries}


def pair(first, second, name, correlation=0.8, power=0.8, options=MappingProxyType({})):
    """Rows of two models of normal scores, and their true difference."""
    goal = {"difference": populations.binormal_difference((first, second), 0.1), "power": power}
    return Setting("difference", name, rows(first, second, correlation=correlation), goal, options)


def width(half_width):
    return {"half_width": half_width}


TRUE = {"difference": None}
SETTINGS = [
    Setting("interval", "weak model", rows(1.0), width(0.05)),
    Setting("interval", "ordinary model", rows(2.0), width(0.05)),
    Setting("interval", "strong model", rows(3.5), width(0.03)),
    Setting("interval", "queries", partial(unequal_queries, size=20), width(0.03)),
    Setting("interval", "patients", patients, width(0.05)),
    before("score 0.2 at 5%", 0.05, 0.2, 0.05),
    before("score 0.4 at 2%", 0.05, 0.4, 0.02),
    before("score 0.85 at 25%", 0.03, 0.85, 0.25),
    before("scores 0.4 and 0.45 at 2%, correlation 0.8", 0.05, 0.4, 0.02, 0.8),
    before("scores 0.8 and 0.83 at 10%, correlation 0.95", 0.03, 0.8, 0.1, 0.95),
    pair(1.3, 1.5, "correlation 0.5", correlation=0.5),
    pair(1.3, 1.4, "correlation 0.95", correlation=0.95),
    pair(2.5, 2.8, "strong models"),
    pair(1.3, 2.2, "unlike models, few positives"),
    pair(2.0, 2.2, "power 90%", power=0.9),
    pair(1.3, 1.5, "one-sided", options={"alternative": "greater"}),
    Setting("difference", "half width", rows(1.3, 1.5), width(0.04)),
    Setting("difference", "not worse by 0.03", rows(2.0, 2.0), {"difference": 0}, {"margin": 0.03}),
    Setting("difference", "queries", partial(pairs_over_queries, shifts=(1.0, 1.3)), TRUE),
    Setting("difference", "equal patients", partial(over_patients, **populations.EQUAL), TRUE),
    Setting("difference", "unequal patients", over_patients, TRUE),
]


def cells():
    for each in SETTINGS:
        facts = {"kind": each.kind, "goal": each.goal}
        yield Cell(f"{each.kind}: {each.name}", each.sample, 400, each.plan, facts)


def needed(studies):
    """The size that is needed over the one that is asked for, from studies of sizes around it."""
    share, goal = np.array([float(row["way"]) for row in studies]), studies[0]["goal"]
    if "half_width" in goal:
        x, y = np.log(share), np.log([row["half"] / goal["half_width"] for row in studies])
        return np.exp(-np.divide(*np.polyfit(x, y, 1)[::-1]))
    shown = np.clip([row["shown"] / 100 for row in studies], 0.001, 0.999)
    slope, level = np.polyfit(np.sqrt(share), ndtri(shown) - ndtri(goal.get("power", 0.8)), 1)
    return (-level / slope) ** 2


def section(rows):
    found = []
    for studies in grouped(rows, "name").values():
        (own,) = (row for row in studies if row["way"] == "1.0")
        found.append(own | {"excess": 100 * (1 / needed(studies) - 1)})
    columns = {
        "settings": "{n}",
        "too large: lowest": "{excess.least:+.0f}%",
        "median": "{excess.median:+.0f}%",
        "highest": "{excess.most:+.0f}%",
        "power": "{shown.least:.0f} to {shown.most:.0f}",
    }
    wrong = [row for row in found if abs(row["excess"]) > WITHIN]
    small = [["Answers of small pilots, over those of large ones", "median", "standard deviation"]]
    for size in map(str, SMALL):
        some = [row for row in found if size in row]
        sd = f"{np.median([row[size + ' sd'] for row in some]):.2f}"
        small.append([f"{size} units", f"{np.median([row[size] for row in some]):.2f}", sd])
    return Section(
        [promise("Size asked for minus the needed one", found, "excess", "largest", "{:+.0f}%")],
        table_by("kind", found, columns, "asked for"),
        [table_of(f"More than {WITHIN}% off", wrong, n="{n:.0f}", too_large="{excess:+.0f}%")],
        [table_of("Settings", found, n="{n:.0f}", too_large="{excess:+.0f}%"), small],
    )


if __name__ == "__main__":
    main("sample_size", __doc__, cells, {"sample size": section})
