"""How often a chosen threshold has, in truth, the precision or the recall that was asked for.

    python benchmarks/threshold_coverage.py [--quick] [--samples N] [--cells TEXT]

Simulates samples of known populations, chooses a threshold in each, and counts. Writes the section
"threshold" of docs/evidence.md; --quick simulates less.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from simulation import Row, ask, failing, grouped, publish, rng_of, section, simulate, table

from sklearn_ap import operating_point

PRECISION, RECALL, GUARANTEE = 0.9, 0.8, 0.9
PREVALENCES = (0.5, 0.1, 0.01)
POSITIVES = (50, 100, 200, 500, 1000, 2000)
WIDTH, FEW = 0.25, 0.8  # of the steps of tied scores, and where they are some eight
JUST_BELOW = PRECISION - 0.005
MANY_ROWS = 20_000  # of larger samples, there are fewer
FAILS = {"sure": 90, "recall": 80, "intervals": 88}  # a percentage below it fails
SHOWN = (200, 500, 1000)  # positives for which the table has the recall
Shares = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass
class Population:
    """Scores of positives and negatives, and the shares of them at or above a threshold."""

    kind: str
    prevalence: float
    draw: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    shares: Shares
    grid: np.ndarray  # thresholds among which the attainable recall is sought

    def truth(self, threshold: np.ndarray) -> dict[str, np.ndarray]:
        """Precision, recall and share of selected rows in the whole population."""
        recall, false = self.shares(threshold)
        found = self.prevalence * recall
        selected = found + (1 - self.prevalence) * false
        return {
            "precision": found / np.maximum(selected, 1e-300),
            "recall": recall,
            "selected": selected,
        }

    @property
    def attainable(self) -> float:
        """The highest recall of a threshold that has the precision."""
        truth = self.truth(self.grid)
        return float(truth["recall"][truth["precision"] >= PRECISION].max(initial=0.0))


def normal(kind: str, recall: float, prevalence: float, width: float | None) -> Population:
    """Normal scores whose best threshold has a recall, perhaps rounded down to steps."""
    # A recall r stands at shift + isf(r); there the precision is to be the one asked for.
    odds = prevalence * recall * (1 - PRECISION) / (PRECISION * (1 - prevalence))
    shift = norm.isf(odds) - norm.isf(recall)

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        scores = rng.normal(size=y.size) + shift * y
        return scores if width is None else np.floor(scores / width) * width

    def shares(threshold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return norm.sf(threshold - shift), norm.sf(threshold)

    grid = np.arange(-5, 10, 0.0005) if width is None else np.arange(-20, 40) * width
    return Population(kind, prevalence, draw, shares, grid)


def bands(kind: str, prevalence: float, parts: list[tuple[float, float]]) -> Population:
    """Bands of scores from the top down: the share of the positives in each, and its precision."""
    positives, precision = np.array(parts).T
    negatives = positives * (1 - precision) / precision * prevalence / (1 - prevalence)
    highest = np.arange(len(parts) + 1, 0, -1)  # the rest is a last band
    positives, negatives = (np.append(each, 1 - each.sum()) for each in (positives, negatives))

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        place = rng.random(y.size)
        found = [np.cumsum(each).searchsorted(place) for each in (negatives, positives)]
        band = np.minimum(np.where(y == 1, found[1], found[0]), len(parts))  # for rounding
        return highest[band] - rng.random(y.size)

    def shares(threshold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        above = np.clip(highest - np.asarray(threshold)[..., np.newaxis], 0, 1)
        return above @ positives, above @ negatives

    return Population(kind, prevalence, draw, shares, np.linspace(0, highest[0], 4001)[:-1])


def flat(prevalence: float) -> Population:
    """Half of the positives stand in a top whose precision is a little too low everywhere."""
    return bands("all just too bad, 0%", prevalence, [(0.5, JUST_BELOW)])


def cliff(prevalence: float) -> Population:
    """Below a perfect top, the precision falls at once, and stays a little too low."""
    fall = 0.001 / (0.101 / JUST_BELOW - 0.1)
    parts = [(0.1, 1), (0.001, fall), (0.4, JUST_BELOW)]
    return bands("good top, then just too bad, 10%", prevalence, parts)


def weak_top(prevalence: float) -> Population:
    """The rows with the highest scores are less precise than those below."""
    return bands("weak top, 70%", prevalence, [(0.05, 0.8), (0.65, 0.96)])


def populations(prevalence: float) -> Iterator[Population]:
    """Easy and hard, smooth and tied, and some in which a threshold is hard to show."""
    for recall in (0.7, 0.4):
        yield normal(f"smooth, {recall:.0%}", recall, prevalence, None)
        yield normal(f"tied, about {recall:.0%}", recall, prevalence, WIDTH)
    yield normal("few distinct scores, about 70%", 0.7, prevalence, FEW)
    for make in (flat, cliff, weak_top):
        yield make(prevalence)


@dataclass
class Cell:
    """Samples of a population, with so many positives on average."""

    population: Population
    n_positives: int
    n_samples: int

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        return f"{self.population.kind} {self.population.prevalence} {self.n_positives}"


def cells(quick: bool, n_samples: int | None) -> Iterator[Cell]:
    """The grid."""
    for prevalence in PREVALENCES:
        for population in populations(prevalence):
            for n in POSITIVES[:2] if quick else POSITIVES:
                n_drawn = 20 if quick else 150 if n <= prevalence * MANY_ROWS else 40
                yield Cell(population, n, n_samples or n_drawn)


def run(cell: Cell) -> Row:
    """Choose a threshold in many samples: how often it holds, and what recall it has in truth."""
    rng, population, n_positives = rng_of(cell.name), cell.population, cell.n_positives
    ways = {
        "by hand": {"precision": PRECISION},
        "sure": {"precision": PRECISION, "guarantee": GUARANTEE},
        "recall": {"recall": RECALL, "guarantee": GUARANTEE},
    }
    held: dict[str, list[bool]] = {way: [] for way in ways}
    covered: list[list[bool]] = []
    recalls: list[float] = []
    for _ in range(cell.n_samples):
        y = (rng.random(round(n_positives / population.prevalence)) < population.prevalence) * 1
        scores = population.draw(rng, y)
        for way, goal in ways.items():
            point = operating_point(y, scores, **goal)
            truth = population.truth(np.array(point.threshold))
            name, share = next(iter(goal.items()))
            held[way].append(bool(point.remark) or truth[name] >= share - 1e-9)
            if way == "sure":
                recalls.append(0.0 if point.remark else truth["recall"])
            if not point.remark:
                limits = {name: getattr(point, f"{name}_interval") for name in truth}
                covered.append([low <= truth[n] <= high for n, (low, high) in limits.items()])
    row: Row = {"kind": population.kind, "n": n_positives}
    row |= {way: 100 * float(np.mean(values)) for way, values in held.items()}
    row["intervals"] = 100 * float(np.mean(covered, axis=0).min())
    best = population.attainable
    reached = np.minimum(recalls, best).mean()  # a threshold that does not hold may have more
    row["reached"] = 100 * float(reached) / best if best else np.nan
    return row


def worst(rows: list[Row]) -> Row:
    """Of three prevalences: the least percentages, and the mean recall."""
    least = {way: min(row[way] for row in rows) for way in ("by hand", *FAILS)}
    return rows[0] | least | {"reached": np.mean([row["reached"] for row in rows])}


def summary(rows: list[Row]) -> str:
    """A line for each kind of scores."""
    head = ["scores, attainable recall", "by hand: median", "sure: least", "median"]
    head += [f"recall with {n:,}" for n in SHOWN] + ["for a recall: least", "intervals: least"]
    lines = [head]
    for kind, group in grouped(rows, "kind").items():
        of = {way: [row[way] for row in group] for way in ("by hand", *FAILS)}
        median = {way: f"{np.median(of[way]):.0f}" for way in of}
        least = {way: f"{min(of[way]):.0f}" for way in of}
        reached = {row["n"]: row["reached"] for row in group}
        shown = (reached.get(n, np.nan) for n in SHOWN)
        recall = ["" if np.isnan(share) else f"{share:.0f}" for share in shown]
        line = [kind, median["by hand"], least["sure"], median["sure"], *recall]
        lines.append([*line, least["recall"], least["intervals"]])
    return table(lines)


def low_cells(rows: list[Row]) -> Iterator[str]:
    """The cells that fail."""
    for row in rows:
        if any(row[way] < least for way, least in FAILS.items()):
            shares = ", ".join(f"{way} {row[way]:.0f}" for way in FAILS)
            yield f"{row['kind']}, {row['n']:,} positives: {shares}"


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    cells = [row | {"cell": f"{row['kind']} {row['n']}"} for row in rows]
    rows = [worst(group) for group in grouped(cells, "cell").values()]
    rows = sorted(rows, key=lambda row: row["kind"])
    sure = [row["sure"] for row in rows]
    fails = "Cells in which fewer than {sure} sure thresholds hold for a precision, fewer than "
    fails += "{recall} hold for a recall of 80%, or an interval covers less than {intervals}"
    text = section(
        f"A threshold with `guarantee=0.9` for a precision of 90% had this precision in "
        f"{min(sure):.0f} of 100 samples in the worst of {len(rows)} cells, and in "
        f"{np.median(sure):.0f} in the median.",
        summary(rows),
        failing(fails.format(**FAILS), low_cells(rows)),
        "threshold_coverage",
        f"Each prevalence has 150 samples, or 40 if they have more than {MANY_ROWS:,} rows.",
    )
    return {"threshold": text}


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    rows = simulate("threshold_coverage", cells(asked.quick, asked.samples), run, asked)
    publish(sections, rows, asked)


if __name__ == "__main__":
    main()
