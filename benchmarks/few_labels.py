"""How often intervals from few true labels cover, how wide they are, and what labels are worth.

What must not matter varies: each sample has its rows in another order, and weights on another
scale. Beside two models stand a third, whose scores are those of the first negated, and a coin, and
models come in any order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import numpy as np
import populations
import simulation
from scipy import special
from simulation import Cell
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap.definitions import Interpolated, Linear

N_SAMPLES, LARGE = 1_000, 1_000_000  # of a population, whose score is the truth
WIDEST, WIDEST_OF_EXTREMES = 1.3, 1.6
EXTREMES = dict.fromkeys(("weak model", "strong model"), WIDEST_OF_EXTREMES)
RANDOM, OF_PAIR = ("random", "random, judge"), ("random", "random, judge", "chosen, judge")
OF_STRATA = ("strata", "strata, judge")


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
    ways: tuple[str, ...] = (*RANDOM, "chosen", "chosen, judge")
    top: int = 0  # alarms, all of which were investigated,
    rest: float = 0.005  # and this part of the other rows; then labels of some rows were asked for
    better: float = 0.0  # how much farther apart a second model puts the classes
    correlation: float = 0.8  # of the two models

    def draw(self, rng, n_rows):
        """Labels, scores of a model or two, and the options of groups."""
        y, group = rng.random(n_rows) < self.share, np.arange(n_rows) // self.in_group
        noise, shift = rng.normal(size=n_rows), self.shift
        if self.better:
            own = np.sqrt(1 - self.correlation) * rng.normal(size=(2, n_rows))
            noise = np.sqrt(self.correlation) * noise + own
            shift = np.array([[shift], [shift + self.better]])
        if self.group == "queries":
            y[:: self.in_group] = True
            return y, shift * y + noise, {"queries": group, "zero_division": 0.0}
        s = shift * y + noise
        if self.group == "clusters":
            s += 0.7 * rng.normal(size=group.max() + 1)[group]
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
        y, scores, options = self.draw(populations.rng_of(f"{self.name}, population"), LARGE)
        return populations.score(y, scores, **options, **self.options)

    def sample(self, rng, truth):
        """The limits of a score, or of the difference of two models, for each way."""
        y, scores, options = self.draw(rng, self.n_rows)
        models, found = np.atleast_2d(scores), {}
        of_alarms = self.investigated(rng, y, models[0]) if self.top else None
        judged = self.judged(rng, y, models[0])
        for way in self.ways:
            given = options | self.options | {"judge": judged if "judge" in way else None}
            of_way = of_alarms or self.labelled(rng, way, y, models.mean(axis=0), given["judge"])
            given["inclusion_probability"] = of_way[1]
            made, warned, place = self.asked(rng, of_way[0], models, given)
            found[way] = simulation.judged(truth, made, warned, place)
        return found

    def asked(self, rng, y, models, given):
        """What is said, whether with a warning, and the place of the better of two models."""
        order = rng.permutation(y.size)
        given = {key: each[order] if np.ndim(each) else each for key, each in given.items()}
        given["sample_weight"] = np.full(y.size, 10.0 ** rng.integers(-3, 4))
        y, models = y[order], models[:, order]
        if not self.better:
            call = sklearn_ap.average_precision_interval
            return *simulation.heard("", call, y, models[0], **given), 0
        named = dict(zip("ab", models, strict=True))
        named |= {"a, negated": -models[0], "coin": rng.normal(size=y.size)}
        scores = {name: named[name] for name in rng.permutation([*named]).tolist()}
        given |= {"reference": "a"}
        made = simulation.heard("", sklearn_ap.compare_average_precision, y, scores, **given)
        return *made, made[0].names.index("b")

    def labelled(self, rng, way, y, s, guess):
        """Labels, unknown where nobody looked, and the chance of each row."""
        group = np.arange(self.n_rows) // self.in_group
        if way.startswith("strata"):
            return self.of_strata(rng, y, s, group)
        if way.startswith("random"):
            drawn = rng.permutation(group[-1] + 1)[: self.n_labels // self.in_group]
            return np.where(np.isin(group, drawn), y, np.nan), "equal"
        if guess is None:
            log_odds = self.shift * s - self.shift**2 / 2 + special.logit(self.share)
            guess = special.expit(self.guess * log_odds)
        plan = sklearn_ap.rows_to_label(s, self.n_labels, guess=guess, rng=rng)
        labels = np.full(y.size, np.nan)
        labels[plan.rows] = y[plan.rows]
        return labels, plan.inclusion_probability

    def of_strata(self, rng, y, s, group):
        """Labels of clusters: three quarters of them are of the half with the highest scores."""
        highest = np.bincount(group, s) / np.bincount(group)
        is_high, n_drawn = highest > np.median(highest), self.n_labels // self.in_group
        chance, drawn = np.empty(is_high.size), np.zeros(is_high.size, bool)
        for stratum, share in ((is_high, 0.75), (~is_high, 0.25)):
            n_of_stratum = round(share * n_drawn)
            chance[stratum] = n_of_stratum / stratum.sum()
            drawn[rng.choice(np.flatnonzero(stratum), n_of_stratum, replace=False)] = True
        return np.where(drawn[group], y, np.nan), chance[group]

    def investigated(self, rng, y, s):
        """Labels of all alarms and of a part of the rest, and of some rows that were chosen."""
        chance = np.full(y.size, self.rest)
        chance[np.argsort(-s)[: self.top]] = 1.0
        labels = np.where(rng.random(y.size) < chance, y, np.nan)
        if self.n_labels:
            options = {"guess": self.share, "exclude": ~np.isnan(labels), "rng": rng}
            plan = sklearn_ap.rows_to_label(s, self.n_labels, **options)
            labels[plan.rows] = y[plan.rows]
            chance = 1 - (1 - chance) * (1 - plan.inclusion_probability)
        return labels, chance


def probabilities(rng, y, _, slope):
    """A judge with probabilities, whose log odds are too large or too small by a factor."""
    seen = 3.0 * y + rng.normal(size=y.size)
    return special.expit(slope * (3.0 * seen - 4.5 + special.logit(0.1)))


def with_the_noise_of_the_model(rng, y, s):
    """A judge who is too sure, and whose errors are mostly those of the scores."""
    seen = 0.8 * s + 0.3 * y + 0.6 * rng.normal(size=y.size)
    return special.expit(6.0 * seen - 13.5)


def by_cluster(rng, y, _, in_group, right, spread):
    """A judge whose sensitivity differs by cluster, with a correlation of its rows."""
    sensitivity = np.full(y.size // in_group, right[0])
    if spread:
        more = (1 - spread) / spread
        sensitivity = rng.beta(right[0] * more, (1 - right[0]) * more, sensitivity.size)
    chance = np.where(y, np.repeat(sensitivity, in_group), right[1])
    return np.where(rng.random(y.size) < chance, y, ~y).astype(float)


def whole_clusters(n, size=10, about="judge varies", spread=0.5, right=(0.8, 0.98), **more):
    """So many of 1,000 clusters with labels: 10 rows and a positive, or 5 rows and more of them."""
    share, shift = {10: (0.1, 2.0), 5: (0.3, 1.0)}[size]
    judge = partial(by_cluster, in_group=size, right=right, spread=spread)
    how = {"group": "clusters", "in_group": size, "judge": judge, "ways": RANDOM} | more
    name = f"{n} of 1,000 clusters of {size}, {about}"
    return Setting(name, 1000 * size, n * size, share, shift, **how)


def two_models(name, *numbers, **more):
    return Setting(f"two models, {name}", *numbers, **{"better": 0.2, "ways": RANDOM} | more)


# Of alarms, rows, labels that are chosen later, the share of positives and the shift are named.
alarms = partial(Setting, ways=("alarms", "alarms, judge"))
SETTINGS = [
    Setting("good judge"),
    Setting("judge errs where the score misleads", tilt=0.3),
    Setting("fair judge", n_labels=1000, right=(0.9, 0.97)),
    Setting("weak judge", n_labels=1000, right=(0.8, 0.9)),
    Setting("useless judge", right=(0.5, 0.5)),
    Setting("near-perfect judge", right=(0.99, 0.999)),
    Setting("judge seldom says yes", right=(0.2, 1.0)),
    Setting("the model as a judge", judge=lambda *of: (of[-1] > 1.5) * 1.0),
    Setting("probabilities", judge=partial(probabilities, slope=1.0)),
    Setting("probabilities, too sure", judge=partial(probabilities, slope=2.0)),
    Setting("probabilities, too cautious", judge=partial(probabilities, slope=0.4)),
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
    Setting("clusters", n_labels=1000, group="clusters", in_group=10, ways=RANDOM),
    Setting("50 queries", n_labels=1000, group="queries", in_group=20, ways=RANDOM),
    Setting("30 queries", 8000, 600, group="queries", in_group=20, ways=RANDOM),
    Setting("interpolated", options={"definition": Interpolated()}),
    Setting("straight lines", options={"definition": Linear()}),
    Setting("at a prevalence of 2%", options={"prevalence": 0.02}),
    alarms("1 of 100 others", 60_000, 0, 0.01, 2.4, top=400, rest=0.01),
    alarms("1 of 200 others", 200_000, 0, 0.005, 2.8, top=500),
    alarms("1 of 200 others, more positives", 200_000, 0, 0.02, 2.8, top=500),
    alarms("1 of 20 others", 40_000, 0, 0.01, 2.4, top=400, rest=0.05),
    alarms("most positives are alarms", 20_000, 0, 0.01, 4.0, top=400, rest=0.1),
    alarms("most positives are alarms, 1 of 100", 60_000, 0, 0.005, 3.5, top=600, rest=0.01),
    alarms("alarms, then a plan", 200_000, 300, 0.003, 2.6, top=300, rest=0.001),
    Setting("two models", better=0.2, ways=OF_PAIR),
    Setting("alike models", better=0.02, correlation=0.98, ways=OF_PAIR),
    two_models("useless judge", right=(0.5, 0.5)),
    two_models("near-perfect judge", right=(0.99, 0.999)),
    two_models("probabilities, too sure", judge=partial(probabilities, slope=2.0)),
    two_models("clusters", n_labels=1000, group="clusters", in_group=10),
    two_models("50 queries", n_labels=1000, group="queries", in_group=20),
    two_models("12 queries", 4000, 240, group="queries", in_group=20),
    two_models("12 queries, weak judge", 4000, 240, 0.1, 1.5, (0.6, 0.6), 0, 20, "queries"),
    *(whole_clusters(*of) for of in product((60, 80, 100), (10, 5))),
    *(whole_clusters(*of, "judge constant", 0.0) for of in product((60, 80, 100), (10, 5))),
    whole_clusters(60, about="near-perfect judge", spread=0.0, right=(0.99, 0.999)),
    whole_clusters(60, about="useless judge", spread=0.0, right=(0.5, 0.5)),
    *(whole_clusters(n, about="strata, judge varies", ways=OF_STRATA) for n in (60, 100)),
    *(whole_clusters(*of, "two models", better=0.2) for of in product((60, 100), (10, 5))),
]
OF_WAYS = {
    way: f"{{covers, {way}.least:.0f}}, {{width, {way}.least:.2f}}"
    + f", {{worth, {way}.least:.1f}}" * (way in Setting.ways[1:])
    for way in (*Setting.ways, *alarms.keywords["ways"], *OF_STRATA)
}
WORTH = {"key": "worth", "text": "{:.1f}"}


def cells():
    for each in SETTINGS:
        yield Cell(each.name, each.sample, N_SAMPLES, each.truth, {"setting": each.name})


def with_worth(row, alone):
    """The row named in full, with what a label is worth beside a random one without a judge."""
    setting, way = row["setting"], row["way"]
    is_random = way == "random" or setting not in alone
    row["worth"] = math.nan if is_random else (alone[setting] / row["rmse"]) ** 2
    of_way = {f"{key}, {way}": row[key] for key in ("covers", "width", "worth")}
    return row | of_way | {"name": f"{setting}, {way}"}


def section(rows):
    alone = {row["setting"]: row["rmse"] for row in rows if row["way"] == "random"}
    rows = [with_worth(row, alone) for row in rows]
    quiet = [row for row in rows if row["warned"] < 50]
    what = f"Wider than {WIDEST}, or {WIDEST_OF_EXTREMES} for extreme models"
    wide = (row for row in quiet if row["width"] > EXTREMES.get(row["setting"], WIDEST))
    return Section(
        [
            promise("95% intervals from few labels, unless they warn", rows, "silent"),
            promise("Random labels that one chosen or judged label is worth", rows, **WORTH),
        ],
        table_by("way", rows, COVERAGE | {"random labels one is worth": "{worth.median:.1f}"}),
        [table_of(what, wide, width="{width:.2f}")],
        [table_by("setting", rows, OF_WAYS | {"warned": "{warned.mean:.0f}"}, "Each setting")],
    )


if __name__ == "__main__":
    simulation.main("few_labels", __doc__, cells, {"few labels": section})
