"""How often intervals from labels of single rows of queries cover, and how wide they are."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import populations
import simulation
from scipy import special
from simulation import Cell
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap.definitions import AtK, PrecisionAtK

N_SAMPLES, LARGE = 200, 2_000_000
DEFINITIONS = {"precision at k": PrecisionAtK, "AP at k": lambda k: AtK(k, normalizer="k")}


@dataclass(frozen=True)
class Setting:
    """Queries with passages that a model ranks, a judge of all, and people's labels of some."""

    name: str
    n_queries: int = 400
    n_rows: int = 50  # of each query
    k: int = 10
    n_labels: int = 300
    right: tuple[float, float] = (0.9, 0.95)  # how often the judge is, of positives and negatives
    share: float = 0.15  # of positives, in a middle query
    spread: float = 0.7  # of its log odds, over queries
    shift: float = 1.6
    slope: float = 0.0  # of log odds, if the judge gives probabilities; 1 is calibrated
    way: str = "any rows"  # or "top" or "chosen": which rows people label
    digits: int = 12  # of scores: few make ties
    has_judge: bool = True
    tilt: float = 0.0  # how much more often the judge errs in some queries, in log odds
    better: float = 0.0  # of two models

    def draw(self, rng, n_queries):
        """Queries, labels, scores of two models, and judgements."""
        query = np.repeat(np.arange(n_queries), self.n_rows)
        of_query, others = rng.normal(size=(2, n_queries))[:, query]
        odds = special.logit(self.share) + self.spread * of_query
        y = rng.random(query.size) < special.expit(odds)
        noise = rng.normal(size=(2, query.size))
        scores = self.shift * y + noise[0], (self.shift + self.better) * y + noise.mean(axis=0)
        if self.slope:
            seen = 2.0 * y + rng.normal(size=y.size)
            log_odds = 2.0 * seen - 2.0 + odds
            return query, y, np.round(scores, self.digits), special.expit(self.slope * log_odds)
        right = special.expit(special.logit(np.where(y, *self.right)) + self.tilt * others)
        judge = np.where(rng.random(y.size) < right, y, ~y).astype(float)
        return query, y, np.round(scores, self.digits), judge

    def truths(self):
        """The score of the population, or the difference of two models, by definition."""
        rng = populations.rng_of(f"{self.name}, population")
        query, y, scores, _ = self.draw(rng, LARGE // self.n_rows)
        found = {}
        for name, make in DEFINITIONS.items():
            asked = {"definition": make(self.k), "queries": query, "zero_division": 0.0}
            both = [sklearn_ap.average_precision_score(y, score, **asked) for score in scores]
            found[name] = both[1] - both[0] if self.better else both[0]
        return found

    def sample(self, rng, truths):
        """The limits of a score, or of the difference of two models, by definition."""
        query, y, scores, judge = self.draw(rng, self.n_queries)
        found = {}
        for name, make in DEFINITIONS.items():
            definition = make(self.k)
            labels, chance = self.labelled(rng, query, y, scores, judge, definition)
            given = {"queries": query, "definition": definition, "inclusion_probability": chance}
            given["judge"] = judge if self.has_judge else None
            call, rows = sklearn_ap.average_precision_interval, scores[0]
            if self.better:
                call = sklearn_ap.compare_average_precision
                rows = dict(zip("AB", scores, strict=True))
            made, warned = simulation.heard("", call, labels, rows, **given)
            numbers = simulation.judged(truths[name], made, warned)
            found[name] = numbers | {"width of limits": numbers["high"] - numbers["low"]}
        return found

    def labelled(self, rng, query, y, scores, judge, definition):
        """People's labels, unknown where nobody looked, and the chance of each row."""
        if self.way == "chosen":
            rows = scores[0] if not self.better else dict(zip("AB", scores, strict=True))
            options = {"guess": judge if self.has_judge else None, "rng": rng}
            options |= {"queries": query, "definition": definition}
            plan = sklearn_ap.rows_to_label(rows, self.n_labels, **options)
            chosen, chance = plan.rows, plan.inclusion_probability
        else:
            rows, chance = np.arange(y.size), "equal"
            if self.way == "top":
                order = np.lexsort((-scores[0], query)).reshape(-1, self.n_rows)
                rows = order[:, : self.k].ravel()
            chosen = rng.choice(rows, min(self.n_labels, rows.size), replace=False)
        labels = np.full(y.size, np.nan)
        labels[chosen] = y[chosen]
        return labels, chance


chosen = partial(Setting, way="chosen")
SETTINGS = [
    Setting("300 of 20,000 rows"),
    Setting("300 of 20,000 rows, judge right in 70", right=(0.7, 0.7)),
    Setting("300 of 20,000 rows, judge right in 99", right=(0.99, 0.99)),
    Setting("300 of 20,000 rows, coin", right=(0.5, 0.5)),
    Setting("300 of 20,000 rows, too sure", slope=2.0),
    Setting("300 of 20,000 rows, judge seldom says yes", right=(0.2, 1.0)),
    Setting("300 of 20,000 rows, no judge", has_judge=False),
    Setting("100 of 20,000 rows, no judge", n_labels=100, has_judge=False),
    Setting("1,000 of 20,000 rows, no judge", n_labels=1000, has_judge=False),
    Setting("300 within k", way="top"),
    Setting("20 within k", n_labels=20, way="top"),
    Setting("300 within k, no judge, k=20", k=20, has_judge=False, way="top"),
    Setting("300 within k, rare, no judge", share=0.01, has_judge=False, way="top"),
    Setting("12 queries", 12, 20, n_labels=60, way="top"),
    Setting("12 queries, no judge", 12, 20, n_labels=30, way="top", has_judge=False),
    Setting("5 rows a query", n_rows=5, k=3, share=0.3),
    chosen("300 chosen"),
    chosen("1,000 chosen", n_labels=1000),
    chosen("judge right in 70", right=(0.7, 0.7)),
    chosen("judge right in 99", right=(0.99, 0.99)),
    chosen("judge right in 99.9", right=(0.999, 0.999)),
    chosen("coin", right=(0.5, 0.5)),
    chosen("judge seldom says yes", right=(0.2, 1.0)),
    chosen("calibrated", slope=1.0),
    chosen("too sure", slope=2.0),
    chosen("judge errs by query", tilt=1.5),
    chosen("no judge, 100 queries", 100, n_labels=500, has_judge=False),
    chosen("rare positives", share=0.02, right=(0.9, 0.99)),
    chosen("30 queries", 30, 20, n_labels=100),
    chosen("k=1", k=1, n_labels=100),
    chosen("k=20", k=20),
    chosen("ties", digits=0),
    chosen("two models", better=0.2),
    chosen("two models, judge right in 99", better=0.2, right=(0.99, 0.99)),
    chosen("two models, no judge", better=0.2, has_judge=False),
    Setting("two models, 1,000 of 20,000 rows", better=0.2, n_labels=1000),
]


def average_precision(ranked):
    """That of each row of labels in order, 0 without positives."""
    precision = ranked.cumsum(axis=1) / np.arange(1, ranked.shape[1] + 1)
    return (precision * ranked).sum(axis=1) / np.maximum(ranked.sum(axis=1), 1)


def true_mean(setting):
    """The mean average precision of the population."""
    rng = populations.rng_of(f"{setting.name}, population")
    query, y, (score, _), _ = setting.draw(rng, LARGE // setting.n_rows)
    return average_precision(y[np.lexsort((-score, query))].reshape(-1, setting.n_rows)).mean()


def one_step(rng, truth, setting):
    """Average precision by the judge, plus what each label of a random row changes."""
    query, y, (score, _), judge = setting.draw(rng, setting.n_queries)
    order = np.lexsort((-score, query))
    y, values = y[order] * 1.0, average_precision(judge[order].reshape(-1, setting.n_rows))
    drawn = rng.choice(y.size, setting.n_labels, replace=False)
    of_query, rank = np.divmod(drawn, setting.n_rows)
    both = np.repeat([judge[order].reshape(-1, setting.n_rows)[of_query]], 2, axis=0)
    both[:, np.arange(drawn.size), rank] = [[0.0], [1.0]]
    without, with_positive = map(average_precision, both)
    error = (y[drawn] - judge[order][drawn]) * y.size / drawn.size
    np.add.at(values, of_query, error * (with_positive - without))
    mean, half = values.mean(), 1.966 * values.std(ddof=1) / np.sqrt(values.size)
    numbers = {"estimate": mean, "low": mean - half, "high": mean + half, "warned": True}
    return {"one step": numbers | {"truth": truth}}


def of_average_precision():
    """Judges who are right in 70 to 99 of 100 rows."""
    for right in (0.7, 0.8, 0.9, 0.99):
        name = f"judge right in {100 * right:.0f}, average precision"
        setting = Setting(name, right=(right, right), spread=0.0)
        sample, truth = partial(one_step, setting=setting), partial(true_mean, setting)
        yield Cell(name, sample, N_SAMPLES, truth, {"setting": name})


def cells():
    yield from of_average_precision()
    for each in SETTINGS:
        yield Cell(each.name, each.sample, N_SAMPLES, each.truths, {"setting": each.name})


def section(rows):
    rows = [row | {"name": f"{row['setting']}, {row['way']}"} for row in rows]
    refused = [row for row in rows if row["way"] == "one step"]
    rows = [row for row in rows if row["way"] != "one step"]
    of_ways = [
        row | {f"{key}, {row['way']}": row[key] for key in ("covers", "width of limits")}
        for row in rows
    ]
    each = {
        way: f"{{covers, {way}.mean:.0f}}, {{width of limits, {way}.mean:.3f}}"
        for way in DEFINITIONS
    }
    each |= {"warned": "{warned.most:.0f}"}
    return Section(
        [promise("95% intervals from labels of single rows, unless they warn", rows, "silent")],
        table_by("way", rows, COVERAGE),
        [],
        [
            table_by("setting", of_ways, each, "Coverage and width of each"),
            table_of("Refused", refused, of_100_samples="{covers:.0f}", bias="{bias:.2f}"),
        ],
    )


if __name__ == "__main__":
    simulation.main("single_rows", __doc__, cells, {"single rows": section})
