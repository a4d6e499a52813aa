"""How often intervals from few true labels cover, how wide they are, and what labels are worth."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import populations
import simulation
from populations import rng_of
from scipy import special
from simulation import Cell
from tables import COVERAGE, Section, below, grouped, table_by, table_of, told

import sklearn_ap
from sklearn_ap.definitions import Interpolated, Linear

N_SAMPLES, LARGE = 1_000, 1_000_000  # of a population, whose score is the truth
LEAST, WIDEST, WIDEST_OF_EXTREMES = 93, 1.3, 1.6
RANDOM = ("random", "random, judge")
EXTREMES = "weak model", "strong model"


@dataclass(frozen=True)
class Setting:
    """Rows with normal scores, a judge of all of them, and labels of some."""

    name: str
    n_rows: int = 20_000
    n_labels: int = 500
    share: float = 0.1
    shift: float = 1.5
    right: tuple[float, float] = (0.95, 0.99)  # how often the judge is, of positives and negatives
    tilt: float = 0.0  # how much more it errs where the score misleads
    in_group: int = 1  # rows of a cluster or a query
    group: str = ""  # "clusters" or "queries"
    digits: int = 9  # of scores
    guess: float = 1.0  # what the log odds of a calibrated guess are multiplied by
    options: dict = field(default_factory=dict)
    judge: Callable | None = None  # other than one with these error rates

    def draw(self, rng, n_rows):
        """Labels, scores and the options of groups."""
        y, group = rng.random(n_rows) < self.share, np.arange(n_rows) // self.in_group
        s = self.shift * y + rng.normal(size=n_rows)
        if self.group == "clusters":
            s += 0.7 * rng.normal(size=group.max() + 1)[group]
        if self.group == "queries":
            y[:: self.in_group] = True
            return y, s, {"queries": group, "zero_division": 0.0}
        return y, s.round(self.digits), {"clusters": group} if self.group else {}

    def judged(self, rng, y, s):
        """What the judge says of all rows."""
        if self.judge is not None:
            return self.judge(rng, y, s)
        misled = np.where(y, 0.05, 0.01) * np.sign(s - self.shift / 2) * (2 * y - 1)
        right = np.where(y, *self.right) + self.tilt * misled
        return np.where(rng.random(y.size) < right, y, ~y).astype(float)

    def truth(self):
        """The score of the population, or the difference of two models."""
        y, scores, options = self.draw(rng_of(f"{self.name}, population"), LARGE)
        return populations.score(y, *np.atleast_2d(scores), **options, **self.options)

    @property
    def ways(self):
        """Labels drawn at random, or chosen; without a judge, and with one."""
        return RANDOM if self.group else (*RANDOM, "chosen", "chosen, judge")

    def sample(self, rng, truth):
        """An interval for each way."""
        y, scores, options = self.draw(rng, self.n_rows)
        models, found = np.atleast_2d(scores), {}
        judged = self.judged(rng, y, models[0])
        for way in self.ways:
            judge = judged if way.endswith("judge") else None
            labels, chance = self.labelled(rng, way, y, models.mean(axis=0), judge)
            given = options | self.options
            found[way] = interval(truth, labels, scores, chance, judge, **given)
        return found

    def labelled(self, rng, way, y, s, guess):
        """Labels, unknown where nobody looked, and the chance of each row."""
        if way.startswith("random"):
            group = np.arange(self.n_rows) // self.in_group
            drawn = rng.permutation(group[-1] + 1)[: self.n_labels // self.in_group]
            return np.where(np.isin(group, drawn), y, np.nan), "equal"
        if guess is None:
            log_odds = self.shift * s - self.shift**2 / 2 + special.logit(self.share)
            guess = special.expit(self.guess * log_odds)
        plan = sklearn_ap.rows_to_label(s, self.n_labels, guess=guess, rng=rng)
        labels = np.full(y.size, np.nan)
        labels[plan.rows] = y[plan.rows]
        return labels, plan.inclusion_probability


@dataclass(frozen=True)
class Alarms(Setting):
    """All alarms were investigated, and a part of the rest; then some rows were chosen."""

    top: int = 500
    rest: float = 0.005
    n_chosen: int = 0

    def sample(self, rng, truth):
        """Intervals without a judge, and with one."""
        y, s, _ = self.draw(rng, self.n_rows)
        chance = np.full(y.size, self.rest)
        chance[np.argsort(-s)[: self.top]] = 1.0
        labels = np.where(rng.random(y.size) < chance, y, np.nan)
        if self.n_chosen:
            options = {"guess": self.share, "exclude": ~np.isnan(labels), "rng": rng}
            plan = sklearn_ap.rows_to_label(s, self.n_chosen, **options)
            labels[plan.rows] = y[plan.rows]
            chance = 1 - (1 - chance) * (1 - plan.inclusion_probability)
        ways = {"alarms": None, "alarms, judge": self.judged(rng, y, s)}
        return {way: interval(truth, labels, s, chance, judge) for way, judge in ways.items()}


@dataclass(frozen=True)
class Contest(Setting):
    """The difference of two models whose scores correlate."""

    correlation: float = 0.8
    better: float = 0.2  # how much farther apart the second model puts the classes

    ways = (*RANDOM, "chosen, judge")

    def draw(self, rng, n_rows):
        """Labels, and a row of scores for each model."""
        y, common = rng.random(n_rows) < self.share, rng.normal(size=n_rows)
        noise = rng.normal(size=(2, n_rows)) * np.sqrt(1 - self.correlation)
        shifts = self.shift, self.shift + self.better
        return y, np.outer(shifts, y) + np.sqrt(self.correlation) * common + noise, {}


def interval(truth, labels, scores, chance, judge, **options):
    """The limits of a score, or of the difference of two models, beside the truth."""
    call, given = sklearn_ap.average_precision_interval, {"judge": judge} | options
    if scores.ndim == 2:
        call, scores = sklearn_ap.compare_average_precision, dict(zip("ab", scores, strict=True))
    found = simulation.heard("", call, labels, scores, inclusion_probability=chance, **given)
    return simulation.judged(truth, *found)


def probabilities(slope):
    """A judge with probabilities, whose log odds are too large or too small by a factor."""

    def judge(rng, y, _):
        seen = 3.0 * y + rng.normal(size=y.size)
        return special.expit(slope * (3.0 * seen - 4.5 + special.logit(0.1)))

    return judge


def with_the_noise_of_the_model(rng, y, s):
    """Probabilities that are too sure, whose errors are mostly those of the scores."""
    seen = 0.8 * s + 0.3 * y + 0.6 * rng.normal(size=y.size)
    return special.expit(6.0 * seen - 13.5)


def by_the_model(_, __, s):
    """The model itself as a judge."""
    return (s > 1.5).astype(float)


SETTINGS = [
    Setting("good judge"),
    Setting("judge errs where the score misleads", tilt=0.3),
    Setting("fair judge", n_labels=1000, right=(0.9, 0.97)),
    Setting("weak judge", n_labels=1000, right=(0.8, 0.9)),
    Setting("useless judge", right=(0.5, 0.5)),
    Setting("near-perfect judge", right=(0.99, 0.999)),
    Setting("judge seldom says yes", right=(0.2, 1.0)),
    Setting("the model as a judge", judge=by_the_model),
    Setting("probabilities", judge=probabilities(1.0)),
    Setting("probabilities, too sure", judge=probabilities(2.0)),
    Setting("probabilities, too cautious", judge=probabilities(0.4)),
    Setting("rare positives", 40_000, 2000, 0.02, 2.0, (0.95, 0.995)),
    Setting("very rare positives", 100_000, 2000, 0.005, 3.0, (0.9, 0.999)),
    Setting("strong model", shift=3.5),
    Setting("weak model", shift=0.3),
    Setting("few rows", 2000, 200, 0.2, 1.0, (0.9, 0.95)),
    Setting("100 labels", 5000, 100, 0.2, 1.0, (0.95, 0.95)),
    Setting("400 labels of rare positives", 50_000, 400, 0.01, 2.2, (0.95, 0.995)),
    Setting("judge errs as the model", n_labels=300, share=0.03, judge=with_the_noise_of_the_model),
    Setting("6 positives in 300 labels", 20_000, 300, 0.02, 2.0, (0.95, 0.99)),
    Setting("half are positive", 10_000, 400, 0.5, 1.0, (0.9, 0.9)),
    Setting("ties", digits=0),
    Setting("guess too cautious", guess=0.5),
    Setting("guess too sure", guess=2.0),
    Setting("clusters", n_labels=1000, group="clusters", in_group=10),
    Setting("50 queries", n_labels=1000, group="queries", in_group=20),
    Setting("30 queries", n_rows=8000, n_labels=600, group="queries", in_group=20),
    Setting("interpolated", options={"definition": Interpolated()}),
    Setting("straight lines", options={"definition": Linear()}),
    Setting("at a prevalence of 2%", options={"prevalence": 0.02}),
    Alarms("1 of 100 others", 60_000, share=0.01, shift=2.4, top=400, rest=0.01),
    Alarms("1 of 200 others", 200_000, share=0.005, shift=2.8, top=500, rest=0.005),
    Alarms("1 of 200 others, more positives", 200_000, share=0.02, shift=2.8),
    Alarms("1 of 20 others", 40_000, share=0.01, shift=2.4, top=400, rest=0.05),
    Alarms("most positives are alarms", share=0.01, shift=4.0, top=400, rest=0.1),
    Alarms(
        "most positives are alarms, 1 of 100", 60_000, share=0.005, shift=3.5, top=600, rest=0.01
    ),
    Alarms("alarms, then a plan", 200_000, 0, 0.003, 2.6, top=300, rest=0.001, n_chosen=300),
    Contest("two models"),
    Contest("alike models", correlation=0.98, better=0.02),
]


def cells():
    for each in SETTINGS:
        yield Cell(each.name, each.sample, N_SAMPLES, each.truth, {"setting": each.name})


def with_worth(row, alone):
    """The row named in full, with what a label is worth beside a random one without a judge."""
    worth = math.nan
    if row["way"] != "random" and row["setting"] in alone:
        worth = (alone[row["setting"]] / row["rmse"]) ** 2
    return row | {"name": f"{row['setting']}, {row['way']}", "worth": worth}


def is_wide(row):
    """Whether an interval is wider than it must be."""
    return row["width"] > (WIDEST_OF_EXTREMES if row["setting"] in EXTREMES else WIDEST)


def each_setting(rows):
    """A line for each setting: coverage, width and worth of each way."""
    ways, lines = [*grouped(rows, "way")], []
    for setting, group in grouped(rows, "setting").items():
        of_ways = grouped(group, "way")
        cells = [
            told("{covers.least:.0f}, {width.least:.2f}", of_ways.get(way, []))
            + told(", {worth.least:.1f}", of_ways.get(way, []))
            for way in ways
        ]
        lines.append([setting, *cells, told("{warned.mean:.0f}", group)])
    return [["Each setting", *ways, "warned"], *lines]


def section(rows):
    alone = {row["setting"]: row["rmse"] for row in rows if row["way"] == "random"}
    rows = [with_worth(row, alone) for row in rows]
    quiet = [row for row in rows if row["warned"] < 50]
    what = f"Wider than {WIDEST}, or {WIDEST_OF_EXTREMES} for extreme models"
    wide = table_of(what, filter(is_wide, quiet), width="{width:.2f}")
    return Section(
        told(
            "In cells without a warning, the interval contained the true score in "
            "{covers.least:.1f} or more of 100 samples, and in {covers.median:.0f} in the median "
            "cell.",
            quiet,
        )
        + told(
            " With chosen rows or a judge, a label was worth {worth.median:.1f} random labels in "
            "the median cell.",
            rows,
        ),
        table_by("way", rows, COVERAGE | {"worth": "{worth.median:.1f}"}),
        [below(quiet, LEAST, what="Cells without a warning"), wide],
        [each_setting(rows)],
    )


if __name__ == "__main__":
    simulation.main("few_labels", __doc__, cells, {"few labels": section})
