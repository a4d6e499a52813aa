"""How near half widths that few labels predict are to those of more labels."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import simulation
from few_labels import Setting
from simulation import Cell
from tables import Section, promise, table_by

import sklearn_ap

TIMES, N_SAMPLES = (4, 20, 100), 60


@dataclass(frozen=True)
class Design(Setting):
    """Rows, and the chance of a label of each row or query."""

    way: str = "random"

    def chance(self, s, guess):
        """The chance of each row."""
        if self.top:
            chance = np.full(self.n_rows, self.rest)
            chance[np.argsort(-s)[: self.top]] = 1.0
            return chance
        if self.way.startswith("random"):
            return np.full(self.n_rows, self.n_labels / self.n_rows)
        return sklearn_ap.rows_to_label(s, self.n_labels, guess=guess).inclusion_probability

    def half_widths(self, rng, _):
        """Those that the first labels predict, beside those that are found."""
        y, scores, options = self.draw(rng, self.n_rows)
        models = np.atleast_2d(scores)
        judged = self.judged(rng, y, models[0])
        options |= {"judge": judged} if "judge" in self.way else {}
        chance = self.chance(models.mean(axis=0), judged if self.way == "chosen, judge" else None)
        first, found = self.asked_with(rng, y, models, chance, options), {}
        for times in TIMES:
            (planned,) = first.pilot.estimates
            predicted = planned.half_width(times, first.pilot.options)
            more = self.asked_with(rng, y, models, np.minimum(times * chance, 1.0), options)
            of_more = half_width(more)
            found[f"{times} times"] = {
                "now": half_width(first),
                "predicted": predicted,
                "found": of_more,
                "close": bool(2 / 3 < predicted / of_more < 3 / 2),
            }
        return found

    def asked_with(self, rng, y, models, chance, options):
        """What labels that are drawn with such chances say."""
        unit = options.get("queries", np.arange(y.size))
        labels = np.where(rng.random(y.size)[unit] < chance, y, np.nan)
        given = {"inclusion_probability": chance} | options
        call, scores = sklearn_ap.average_precision_interval, models[0]
        if len(models) > 1:
            call, scores = (
                sklearn_ap.compare_average_precision,
                dict(zip("ab", models, strict=True)),
            )
        return simulation.heard("", call, labels, scores, **given)[0]


def half_width(found):
    if hasattr(found, "differences"):
        return (found.difference_highs - found.difference_lows)[1] / 2
    return (found.high - found.low) / 2


queries = partial(Design, group="queries", in_group=20)
SETTINGS = [
    Design("random labels", n_rows=40_000, n_labels=300),
    Design("random labels and a judge", n_rows=40_000, n_labels=300, way="random, judge"),
    Design("chosen rows", n_rows=40_000, n_labels=300, way="chosen"),
    Design("chosen rows, rare positives", 100_000, 500, 0.005, 2.5, way="chosen"),
    Design("alarms and 1 of 200 others", 100_000, 0, 0.005, 2.8, top=500),
    queries("25 queries and a judge", 50_000, 500, way="random, judge"),
    Design("difference of two models", 40_000, 500, better=0.3, way="chosen, judge"),
]
COLUMNS = {
    f"{times} times, predicted and found": f"{{predicted, {times} times.mean:.3f}}, "
    f"{{found, {times} times.mean:.3f}}"
    for times in TIMES
}


def cells():
    for each in SETTINGS:
        yield Cell(each.name, each.half_widths, N_SAMPLES, facts={"setting": each.name})


def section(rows):
    of_times = [
        row | {f"{key}, {row['way']}": row[key] for key in ("predicted", "found")} for row in rows
    ]
    columns = {"labels so far": "{now.mean:.3f}"} | COLUMNS
    about = "Half width predicted within a factor of 1.5", rows, "close"
    return Section([promise(*about)], table_by("setting", of_times, columns))


if __name__ == "__main__":
    simulation.main("label_numbers", __doc__, cells, {"number of labels": section})
