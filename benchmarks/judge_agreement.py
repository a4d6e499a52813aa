"""How often limits of how well a judge agrees with people contain the true number."""

from dataclasses import dataclass

import numpy as np
import populations
import simulation
from scipy import special
from simulation import Cell
from tables import COVERAGE, Section, below, promise, table_by

import sklearn_ap

N_SAMPLES, LARGE, LEAST = 300, 2_000_000, 90
NUMBERS = ("sensitivity", "specificity", "kappa", "excess", "brier", "base_rate")


@dataclass(frozen=True)
class Setting:
    """Rows with normal scores, a judge of all of them, and labels of some."""

    name: str
    n_rows: int = 20_000
    n_labels: int = 400
    share: float = 0.1
    shift: float = 1.5
    right: tuple[float, float] = (0.9, 0.97)  # how often the judge is, of positives and negatives
    in_group: int = 1  # rows of a cluster or a query, which the judge understands more or less
    group: str = ""  # "clusters" or "queries"
    way: str = "random"  # or "chosen" or "alarms"
    slope: float = 0.0  # of log odds, if the judge gives probabilities; 1 is calibrated
    spread: float = 0.0  # of the log odds that it is right, over groups

    def draw(self, rng, n_rows):
        """Labels, scores and judgements."""
        y, group = rng.random(n_rows) < self.share, np.arange(n_rows) // self.in_group
        s = self.shift * y + rng.normal(size=n_rows)
        if self.slope:
            seen = 2.0 * y + rng.normal(size=n_rows)
            log_odds = 2.0 * seen - 2.0 + special.logit(self.share)
            return y, s, special.expit(self.slope * log_odds)
        moved = self.spread * rng.normal(size=group[-1] + 1)[group]
        right = special.expit(special.logit(np.where(y, *self.right)) + moved)
        return y, s, np.where(rng.random(n_rows) < right, y, ~y).astype(float)

    def truth(self):
        """The numbers of a large population."""
        y, _, judge = self.draw(populations.rng_of(f"{self.name}, population"), LARGE)
        share, of_judge = y.mean(), judge.mean()
        of_all = {"base_rate": share, "brier": np.mean((judge - y) ** 2)}
        if self.slope:
            return of_all | {"excess": of_judge - share}
        d, e = np.mean(judge != y), share * (1 - of_judge) + of_judge * (1 - share)
        rates = {"sensitivity": judge[y].mean(), "specificity": 1 - judge[~y].mean()}
        return rates | {"base_rate": share, "kappa": 1 - d / e}

    def sample(self, rng, truth):
        """The limits of each number."""
        y, s, judge = self.draw(rng, self.n_rows)
        unit, options = np.arange(self.n_rows) // self.in_group, {}
        if self.group:
            options = {self.group: unit, "zero_division": 0.0}
        chance = np.full(self.n_rows, self.n_labels / self.n_rows)
        if self.way == "alarms":
            chance[np.argsort(-s)[: self.n_labels]] = 1.0
        elif self.way == "chosen":
            chance = sklearn_ap.rows_to_label(s, self.n_labels).inclusion_probability
        labels = np.where(rng.random(self.n_rows)[unit] < chance, y, np.nan)
        given = {"judge": judge, "inclusion_probability": chance} | options
        call = sklearn_ap.average_precision_interval
        made, warned = simulation.heard("few", call, labels, s, **given)
        found = {}
        for name in filter(truth.__contains__, NUMBERS):
            estimate, low, high = getattr(made.labels.judge, name)
            numbers = {"estimate": estimate, "low": low, "high": high}
            found[name] = numbers | {"truth": truth[name], "warned": warned}
        return found


SETTINGS = [
    Setting("random"),
    Setting("100 labels", n_labels=100, share=0.2),
    Setting("near-perfect judge", right=(0.98, 0.998)),
    Setting("coin", right=(0.5, 0.5)),
    Setting("judge seldom says yes", right=(0.1, 1.0)),
    Setting("rare positives", n_labels=1000, share=0.02, right=(0.9, 0.99)),
    Setting("chosen rows", way="chosen"),
    Setting("chosen rows, rare positives", 40_000, 800, 0.02, 2.0, way="chosen"),
    Setting("alarms and 1 of 50 others", way="alarms", share=0.05, shift=2.0),
    Setting("clusters", n_labels=600, in_group=10, group="clusters", spread=1.0),
    Setting("30 queries", n_labels=600, in_group=20, group="queries", spread=1.0, share=0.2),
    Setting("30 queries, alike", n_labels=600, in_group=20, group="queries", share=0.2),
    Setting("calibrated", slope=1.0),
    Setting("too sure", slope=2.0),
    Setting("calibrated, rare positives", n_labels=1000, share=0.01, slope=1.0),
    Setting("calibrated, chosen rows", way="chosen", slope=1.0),
]


def cells():
    for each in SETTINGS:
        yield Cell(each.name, each.sample, N_SAMPLES, each.truth, {"setting": each.name})


def section(rows):
    rows = [row | {"name": f"{row['setting']}, {row['way']}"} for row in rows]
    of_numbers = [
        row | {f"{key}, {row['way']}": row[key] for key in ("covers", "width")} for row in rows
    ]
    each = {name: f"{{covers, {name}.mean:.0f}}, {{width, {name}.mean:.2f}}" for name in NUMBERS}
    return Section(
        [promise("95% intervals of how well a judge agrees", rows)],
        table_by("way", rows, COVERAGE),
        [below(rows, LEAST)],
        [table_by("setting", of_numbers, each, "Coverage and width of each")],
    )


if __name__ == "__main__":
    simulation.main("judge_agreement", __doc__, cells, {"judge": section})
