"""How often intervals hold the true value, and how often comparisons find what is not there.

    python benchmarks/certainty_coverage.py [--quick]

Simulates samples of known populations, judges each, and counts. Prints tables and writes
docs/coverage.md; --quick simulates less, under a minute, and writes nothing. The name is not
coverage.py, as numba would import that in place of the package beside a script of this folder.
"""

import datetime
import functools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from simulation import (
    FAMILIES,
    Scores,
    correlated,
    family_scores,
    grouped,
    labels,
    rng_of,
    rounded,
    table,
    truth,
    two_alarms,
    write_page,
)

import sklearn_ap
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Step,
)

LEVEL = 0.95
N_BOOTSTRAP = 200
SIMPLE = sklearn_ap.threshold_counts([1, 0], [1, 0])


@dataclass
class Cell:
    """Samples of one kind; ``truth`` is None where the mean of all samples' scores is the target.

    ``draw`` gives labels, scores and options of ``average_precision_interval``.
    """

    kind: str
    family: str
    cases: int
    name: str
    draw: Callable[[np.random.Generator], tuple[Any, Any, dict[str, Any]]]
    truth: float | None
    definition: Definition = field(default_factory=Step)
    n_samples: int = 800
    n_resampled: int = 0  # samples that are also given to what people do today


def simple(
    rng: np.random.Generator, n: int, prevalence: float, scores: Scores
) -> tuple[Any, Any, dict[str, Any]]:
    """One ranking; the options matter where there is no influence."""
    y = labels(rng, n, prevalence)
    return y, scores(rng, y), {"n_resamples": 199, "rng": 0}


def one_ranking(quick: bool) -> Iterator[Cell]:
    """Step average precision of one ranking."""
    grid = [(n, p) for n in (20, 50, 200) for p in (0.5, 0.1, 0.01)]
    grid += [(10, 0.1), (1000, 0.1), (50, 0.9), (50, 0.001), (200, 0.9)]
    for family in (*FAMILIES, "two easy positives", "two false alarms"):
        for n, prevalence in grid[1:8:3] if quick else grid:
            scores = family_scores(family, n, prevalence)
            yield Cell(
                "one ranking, step",
                family,
                n,
                f"{family}, {n} positives, prevalence {prevalence}",
                functools.partial(simple, n=n, prevalence=prevalence, scores=scores),
                truth(Step(), family, n, prevalence),
                n_samples=60 if quick else 300 if n / prevalence > 15_000 else 800,
                n_resampled=120 if not quick and n in (20, 200) and prevalence == 0.1 else 0,
            )


def definitions(quick: bool) -> Iterator[Cell]:
    """The other definitions."""
    smooth = (
        Interpolated(),
        Interpolated(11),
        Interpolated(101),
        Linear(),
        Hyperbolic(),
        Expected(),
    )
    at_k = (AtK(5), AtK(20), AtK(20, "positives"), PrecisionAtK(5), PrecisionAtK(20), RecallAtK(20))
    at_level = (PrecisionAtRecall(0.8), RecallAtPrecision(0.5))
    families = ("weak", "near-perfect", "few distinct scores", "a giant tie", "two false alarms")
    for definition in (*smooth, *at_k, *at_level):
        resampled = definition.influence(SIMPLE) is None
        for family in families[:3] if quick else families:
            for n in (50,) if quick else (20, 100):
                scores = family_scores(family, n, 0.1)
                draw = functools.partial(simple, n=n, prevalence=0.1, scores=scores)
                levels = getattr(definition, "recall_levels", None) is not None
                known = None if resampled or levels else truth(definition, family, n, 0.1)
                title = definition.title
                samples = (20 if quick else 400) if resampled else (40 if quick else 800)
                name = f"{title}, {family}, {n} positives"
                yield Cell(title, family, n, name, draw, known, definition, samples)


def columns(quick: bool) -> Iterator[Cell]:
    """Averages over columns, whose scores share a part."""
    for average in ("macro", "weighted", "micro"):
        for n_columns, n in ((3, 20), (3, 100), (10, 20), (10, 100)):
            for common in (0.0, 0.7):
                prevalence = np.linspace(0.05, 0.2, n_columns)

                def draw(
                    rng: np.random.Generator,
                    n_columns: int = n_columns,
                    n: int = n,
                    common: float = common,
                    average: str = average,
                    prevalence: np.ndarray = prevalence,
                ) -> tuple[Any, Any, dict]:
                    rows = int(n / 0.05)
                    y = (rng.random((rows, n_columns)) < prevalence).astype(int)
                    noise = rng.normal(size=(rows, n_columns)) * math.sqrt(1 - common)
                    noise += rng.normal(size=(rows, 1)) * math.sqrt(common)
                    return y, 1.5 * y + noise, {"average": average}

                big, kind = 4_000, f"columns, {average}"
                y, s, _ = draw(np.random.default_rng(0), n=big)
                yield Cell(
                    kind,
                    f"{n_columns} columns",
                    n,
                    f"{kind}: {n_columns} columns of at least {n} positives, shared {common}",
                    draw,
                    sklearn_ap.average_precision_score(y, s, average=average),
                    n_samples=20 if quick else 800,
                )


def queries(quick: bool) -> Iterator[Cell]:
    """Means over queries of unequal difficulty and size, some without a positive."""
    for average in ("macro", "weighted"):
        for n_queries in (16, 50, 200):
            for size in (10, 100):

                def draw(
                    rng: np.random.Generator,
                    n_queries: int = n_queries,
                    size: int = size,
                    average: str = average,
                ) -> tuple[Any, Any, dict]:
                    sizes = rng.integers(size // 2, size * 2, n_queries)
                    queries = np.repeat(np.arange(n_queries), sizes)
                    y = (rng.random(queries.size) < np.repeat(rng.beta(1, 6, n_queries), sizes)) * 1
                    shift = np.repeat(rng.normal(1, 1, n_queries), sizes)
                    options = {"queries": queries, "average": average, "zero_division": np.nan}
                    return y, rng.normal(size=y.size) + shift * y, options

                kind = f"queries, {average}"
                # "weighted" is a ratio of means, whose target is that of very many queries.
                known = None
                if average == "weighted":
                    y, s, options = draw(np.random.default_rng(0), n_queries=5_000)
                    known = sklearn_ap.average_precision_score(y, s, **options)
                name = f"{kind}: {n_queries} queries of about {size}"
                samples = 30 if quick else 800
                yield Cell(
                    kind, f"{n_queries} queries", n_queries, name, draw, known, n_samples=samples
                )


def dependent(
    rng: np.random.Generator, n_clusters: int, weighted: bool, size: float = 5.0
) -> tuple[Any, Any, dict]:
    """Rows in clusters of unequal size that share a part of label and score; 0 is no clusters."""
    sizes = rng.geometric(1 / size, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    risk = np.repeat(rng.beta(0.6, 2.4, n_clusters), sizes)
    y = (rng.random(clusters.size) < risk).astype(int)
    y[0] = 1
    s = 1.2 * y + rng.normal(size=y.size) + np.repeat(rng.normal(size=n_clusters), sizes)
    options: dict[str, Any] = {"clusters": clusters}
    if weighted:
        options["sample_weight"] = rng.lognormal(0.4 * s, 0.8)  # that go with the scores
    return y, s, options


def units(quick: bool) -> Iterator[Cell]:
    """Weights, clusters, and both."""
    kinds = (("clusters", False, 5.0), ("weights", True, 1.0), ("clusters and weights", True, 5.0))
    defined = (Step(), Interpolated(), Hyperbolic())
    for kind, weighted, size in kinds:
        for n in (20, 50, 200) if kind == "clusters" else (100, 400):
            for definition in defined[:1] if quick else defined:

                def draw(
                    rng: np.random.Generator,
                    n: int = n,
                    weighted: bool = weighted,
                    size: float = size,
                ) -> tuple[Any, Any, dict]:
                    y, s, options = dependent(rng, n, weighted, size)
                    if size == 1:
                        del options["clusters"]
                    return y, s, options

                y, s, options = draw(np.random.default_rng(0), n=100_000)
                weight = options.get("sample_weight")
                known = definition(sklearn_ap.threshold_counts(y, s, sample_weight=weight))
                name = f"{kind}: {definition.title}, {n} {'rows' if size == 1 else 'clusters'}"
                samples = 40 if quick else 800
                yield Cell(
                    kind, definition.title, n, name, draw, float(known[0]), definition, samples
                )


def detections(
    rng: np.random.Generator, n_images: int, n_classes: int, fewest: float
) -> tuple[Any, Any, dict[str, Any]]:
    """Detections of classes over images: the commonest class has 40 times as many objects.

    Objects of a class come together, images differ in how hard they are, and a fifth of the objects
    is not found.
    """
    sizes = np.geomspace(fewest, 40 * fewest, n_classes) / n_images
    share = np.minimum(1.0, sizes / 2)  # of the images, those that have objects of a class
    busy = rng.gamma(2.0, 0.5, (n_images, 1)) * (rng.random((n_images, n_classes)) < share)
    objects, alarms = rng.poisson(busy * sizes / share), rng.poisson(sizes * 1.5, busy.shape)
    image, category = (
        np.concatenate([np.repeat(cells.ravel(), each.ravel()) for each in (objects, alarms)])
        for cells in np.indices(busy.shape)
    )
    y = (np.arange(image.size) < objects.sum()).astype(int)
    skill, hard = np.random.default_rng(5).normal(1.0, 0.6, n_classes), rng.normal(size=n_images)
    s = rng.normal(size=y.size) + y * (skill[category] + 0.6 * hard[image])
    s[(y == 1) & (rng.random(y.size) < 0.2)] = -np.inf
    return y, s, {"queries": category, "clusters": image, "zero_division": np.nan}


def classes_over_images(quick: bool) -> Iterator[Cell]:
    """Means over the fixed classes of a detector; images are drawn."""
    grid = [(n, k, few) for n in (50, 500) for k in (20, 80) for few in (3, 10, 100)]
    for n_images, n_classes, fewest in grid[:2] if quick else grid:
        draw = functools.partial(detections, n_images=n_images, n_classes=n_classes, fewest=fewest)
        # Many times as many images, as far as memory reaches.
        images = min(100_000, n_images * max(60, 200_000 // (fewest * n_classes)))
        many = fewest * images / n_images
        y, s, options = detections(np.random.default_rng(0), images, n_classes, many)
        del options["clusters"]
        name = f"{n_images} images, {n_classes} classes of {fewest} to {40 * fewest} objects"
        yield Cell(
            "classes over images",
            f"{n_classes} classes",
            n_images,
            f"classes over images: {name}",
            draw,
            sklearn_ap.average_precision_score(y, s, **options),
            n_samples=20 if quick else 150 if fewest == 100 else 400,
        )


def run(cell: Cell) -> dict[str, Any]:
    """Simulate a cell: how often the interval, and what people do today, hold the truth."""
    rng = rng_of(cell.name)
    found = []
    for i in range(cell.n_samples):
        y, s, options = cell.draw(rng)
        made = sklearn_ap.average_precision_interval(y, s, definition=cell.definition, **options)
        row = [made.estimate, made.low, made.high, made.standard_error]
        found.append(row + (bootstrap(y, s, rng) if i < cell.n_resampled else [np.nan, np.nan]))
    estimate, low, high, error, first, last = np.array(found, dtype=float).T
    target = np.nanmean(estimate) if cell.truth is None else cell.truth

    def share(below: np.ndarray, above: np.ndarray) -> float:
        below, above = below[~np.isnan(below)], above[~np.isnan(above)]
        return 100 * float(np.mean((below <= target + 1e-12) & (target <= above + 1e-12)))

    row = {"kind": cell.kind, "family": cell.family, "cases": cell.cases, "name": cell.name}
    row |= {"this": share(low, high), "width": float(np.mean(high - low))}
    row |= {"plain": share(estimate - 1.96 * error, estimate + 1.96 * error)}
    if cell.n_resampled:
        row |= {"bootstrap": share(first, last)}
    return row


def bootstrap(y: np.ndarray, s: np.ndarray, rng: np.random.Generator) -> list[float]:
    """Percentiles of resampled scores, as people take them from a loop over scikit-learn."""
    values = []
    for _ in range(N_BOOTSTRAP):
        rows = rng.integers(0, y.size, y.size)
        if y[rows].any():
            values.append(sklearn_ap.average_precision_score(y[rows], s[rows]))
    return list(np.quantile(values, [0.025, 0.975]))


@dataclass
class Contest:
    """Pairs of models on the same rows; ``draw`` gives labels, two scores, and options."""

    name: str
    equal: bool
    draw: Callable[[np.random.Generator], tuple[Any, Any, Any, dict[str, Any]]]
    resample: bool = True


def contests() -> Iterator[Contest]:
    """Models that are equally good, and some that are not."""

    def pair(first: float, second: float, correlation: float, n: int, prevalence: float) -> Any:
        def draw(rng: np.random.Generator) -> tuple:
            y = labels(rng, n, prevalence)
            return y, *correlated(rng, y, (first, second), correlation), {}

        return draw

    def family(scores: Scores, n: int, prevalence: float) -> Any:
        def draw(rng: np.random.Generator) -> tuple:
            y = labels(rng, n, prevalence)
            return y, scores(rng, y), scores(rng, y), {}

        return draw

    for n in (20, 50, 200):
        for correlation in (0.0, 0.9):
            name = f"equal, {n} positives, correlation {correlation}"
            yield Contest(name, True, pair(1.3, 1.3, correlation, n, 0.1))
    yield Contest("equal, near-perfect, 100 positives", True, pair(5.0, 5.0, 0.5, 100, 0.1))
    for n in (20, 100):
        name = f"equal, two false alarms each, {n} positives"
        yield Contest(name, True, family(two_alarms(n, 0.1), n, 0.1))
    yield Contest("equal, few distinct scores, 50 positives", True, family(rounded(1.5), 50, 0.1))

    def in_units(n: int, weighted: bool, size: float) -> Any:
        def draw(rng: np.random.Generator) -> tuple:
            y, s, options = dependent(rng, n, weighted, size)
            if size == 1:
                del options["clusters"]
            noise = rng.normal(size=(2, y.size)) * 0.7
            return y, s + noise[0], s + noise[1], options

        return draw

    yield Contest("equal, 30 clusters", True, in_units(30, False, 5.0), resample=False)
    yield Contest("equal, 100 clusters", True, in_units(100, False, 5.0), resample=False)
    yield Contest("equal, 300 weighted rows", True, in_units(300, True, 1.0), resample=False)
    yield Contest("equal, 100 clusters, weighted", True, in_units(100, True, 5.0), resample=False)
    # Shifts that give average precisions of .4 and .5 at a prevalence of .1.
    for n, correlation in ((50, 0.9), (50, 0.5), (200, 0.5)):
        name = f"0.40 and 0.50, {n} positives, correlation {correlation}"
        yield Contest(name, False, pair(1.3, 1.55, correlation, n, 0.1))


def fight(contest: Contest, n_samples: int, n_bootstrap: int) -> dict[str, Any]:
    """How often each test says that the models differ, at 5%."""
    rng = rng_of(contest.name)
    found = []
    for i in range(n_samples):
        y, a, b, options = contest.draw(rng)
        made = sklearn_ap.compare_average_precision(y, {"a": a, "b": b}, **options)
        row = [made.pvalues[1] < 0.05]
        errors = [
            sklearn_ap.average_precision_interval(y, s, **options).standard_error for s in (a, b)
        ]
        row.append(abs(made.differences[1]) > 1.96 * math.hypot(*errors))
        row.append(
            paired_bootstrap(y, a, b, rng) if contest.resample and i < n_bootstrap else np.nan
        )
        found.append(row)
    columns = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    this, unpaired, resampled = (
        100 * float(column[~np.isnan(column)].sum() / max((~np.isnan(column)).sum(), 1))
        for column in columns
    )
    row = {"name": contest.name, "equal": contest.equal, "this": this, "unpaired": unpaired}
    return row | ({"bootstrap": resampled} if contest.resample else {})


def paired_bootstrap(y: np.ndarray, a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether percentiles of resampled differences leave out 0."""
    values = []
    for _ in range(N_BOOTSTRAP):
        rows = rng.integers(0, y.size, y.size)
        if y[rows].any():
            score = functools.partial(sklearn_ap.average_precision_score, y[rows])
            values.append(score(b[rows]) - score(a[rows]))
    low, high = np.quantile(values, [0.025, 0.975])
    return bool(low > 0 or high < 0)


def summary(rows: list[dict], key: str) -> str:
    """Smallest and median coverage of the cells from 20 cases up, by kind or family."""
    lines = [["", "cells", "this: least", "this: median", "mean width", "+-1.96 SE: least"]]
    lines[0].append("percentile bootstrap: least")
    for name, group in grouped(rows, key).items():
        kept = [row for row in group if row["cases"] >= 20 or "quer" in row["kind"]]
        values = [row["this"] for row in kept]
        resampled = [row["bootstrap"] for row in kept if "bootstrap" in row]
        lines.append(
            [
                name,
                str(len(kept)),
                f"{min(values):.0f}",
                f"{np.median(values):.0f}",
                f"{np.mean([row['width'] for row in kept]):.2f}",
                f"{min(row['plain'] for row in kept):.0f}",
                f"{min(resampled):.0f}" if resampled else "",
            ]
        )
    return table(lines)


def low_cells(rows: list[dict]) -> str:
    """The cells below 90, whatever their size."""
    found = [[row["name"], f"{row['this']:.1f}"] for row in rows if row["this"] < 90]
    return table([["cell", "coverage"], *found]) if found else "None."


def fights_table(rows: list[dict], equal: bool) -> str:
    """How often each test finds a difference."""
    lines = [["", "this", "unpaired z test", "paired percentile bootstrap"]]
    for row in rows:
        if row["equal"] == equal:
            resampled = f"{row['bootstrap']:.1f}" if "bootstrap" in row else ""
            lines.append([row["name"], f"{row['this']:.1f}", f"{row['unpaired']:.1f}", resampled])
    return table(lines)


PAGE = """# Coverage

Written by `python benchmarks/certainty_coverage.py` on {date}.

A 95% interval should contain the true value in 95 of 100 samples. **It does, with few exceptions.**
A cell is one setting of the simulation. In the median cell of every kind below, the interval
contains the true value in 94 samples or more. Four cells are below 90: their scores have heavy
tails, or k is small ([the list](#cells-below-90)). If two models are equal, the comparison should
call one better in 5 of 100 samples. It does so in about 5 or fewer, and in up to 9 if two false
alarms decide. The usual interval of 1.96 standard errors and the percentile bootstrap fail if a
model is nearly perfect.

Each cell draws many samples of one population, makes an interval of each, and counts how many
contain the true value. The true value is the score of the whole population. For recall levels,
scores at k, at a recall and at a precision, and the mean over queries, it is the mean score of
samples of this size. See [How sure is it?](certainty.md) for what the intervals mean.

The tables give percentages. "Least" is the worst cell, "median" the one in the middle, over cells
with at least 20 positives (16 queries, 20 clusters). "+-1.96 SE" is the usual interval around the
estimate with the standard error of this library. "Percentile bootstrap" resamples the rows
{n_bootstrap} times, in some of the cells. Most cells have 800 samples. A 95 is 95 ± 1.5, and the
worst of many cells overstates the problem.

## One ranking, step average precision, by kind of scores

{step}

## Other definitions, averages, queries, weights and clusters

{others}

## Cells below 90

{low}

{why}

## Comparisons of two equal models: how often p < 0.05

A test at 5% should say so in 5 of 100 samples.

{equal}

## Comparisons of two different models: how often p < 0.05

More is better here.

{different}
"""

WHY = """Why these are hard:

- **Cauchy scores.** A few rows have huge scores and are at the top by chance. Each of them moves
  the score a lot, and a sample that lacks them does not show that they exist.
- **Two false alarms, at a small k.** One sample in eight has no false alarm. Its top is
  perfect, and it cannot show that other samples have two negatives there.
- **Near-perfect models, when k is about the number of positives.** Precision and recall at k then
  depend on how many positives the sample has, more than on the model. A sample with unusually many
  or few of them has too small a variance.
- **Means over many columns or classes with few positives each.** The score of a small sample is a
  little too high on average. This is small beside the interval of one column. But it does not
  cancel out in the mean, whose interval is narrower. There is a warning from 20 columns with at
  most 20 positives."""


def simulate(quick: bool) -> tuple[list[dict], list[dict]]:
    """All cells, and all contests."""
    rows = []
    for make in (one_ranking, definitions, columns, queries, units, classes_over_images):
        start = time.perf_counter()
        rows += [run(cell) for cell in make(quick)]
        print(f"{make.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    fights = [fight(each, 20 if quick else 1_000, 3 if quick else 100) for each in contests()]
    print(f"contests: {time.perf_counter() - start:.0f} s", flush=True)
    return rows, fights


def page(rows: list[dict], fights: list[dict]) -> str:
    """The page of the docs."""
    step = [row for row in rows if row["kind"] == "one ranking, step"]
    return PAGE.format(
        date=datetime.date.today(),
        n_bootstrap=N_BOOTSTRAP,
        step=summary(step, "family"),
        others=summary([row for row in rows if row not in step], "kind"),
        low=low_cells(rows),
        why=WHY,
        equal=fights_table(fights, True),
        different=fights_table(fights, False),
    )


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    write_page("coverage.md", lambda quick: page(*simulate(quick)), arguments, __doc__)


if __name__ == "__main__":
    main()
