"""How often intervals hold the true value, and how often comparisons find what is not there.

    python benchmarks/certainty_coverage.py [--quick] [--samples N] [--cells TEXT]

Simulates samples of known populations, judges each, and counts. Writes the sections "certainty",
"queries" and "comparison" of docs/evidence.md. --quick simulates less, under a minute. The name is
not coverage.py, as numba would import that in place of the package beside a script of this folder.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from simulation import (
    FAMILIES,
    Row,
    Scores,
    ask,
    correlated,
    failing,
    family_scores,
    grouped,
    labels,
    median_of_parts,
    publish,
    rng_of,
    rounded,
    section,
    simulate,
    table,
    truth,
    two_alarms,
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

SCRIPT = "certainty_coverage"
N_BOOTSTRAP = 200
N_SAMPLES, N_CONTESTS, N_BOOTSTRAPPED = 800, 1_000, 100
FAILS, ERRS = 90, 7  # a cell that covers less fails, and so does a contest that errs more often
QUERIES = ("queries, macro", "queries, weighted", "classes over images")
SIMPLE = sklearn_ap.threshold_counts([1, 0], [1, 0])


@dataclass
class Cell:
    """Samples of one kind; ``truth`` is None where the mean of all samples' scores is the target.

    ``draw`` gives labels, scores and options of ``average_precision_interval``. A line of the table
    is for a kind, whose parts are kinds of scores or definitions.
    """

    kind: str
    part: str
    cases: int
    name: str
    draw: Callable[[np.random.Generator], tuple[Any, Any, dict[str, Any]]]
    truth: float | None
    definition: Definition = field(default_factory=Step)
    n_samples: int = N_SAMPLES
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
                n_samples=60 if quick else 300 if n / prevalence > 15_000 else N_SAMPLES,
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
    kinds = dict.fromkeys(smooth, "other definitions") | dict.fromkeys(at_k, "scores at k")
    kinds |= dict.fromkeys(at_level, "precision at a recall, recall at a precision")
    for definition, kind in kinds.items():
        resampled = definition.influence(SIMPLE) is None
        for family in families[:3] if quick else families:
            for n in (50,) if quick else (20, 100):
                scores = family_scores(family, n, 0.1)
                draw = functools.partial(simple, n=n, prevalence=0.1, scores=scores)
                levels = getattr(definition, "recall_levels", None) is not None
                known = None if resampled or levels else truth(definition, family, n, 0.1)
                title = definition.title
                samples = (20 if quick else 400) if resampled else (40 if quick else N_SAMPLES)
                name = f"{title}, {family}, {n} positives"
                yield Cell(kind, title, n, name, draw, known, definition, samples)


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

                big, part = 4_000, f"columns, {average}"
                y, s, _ = draw(np.random.default_rng(0), n=big)
                yield Cell(
                    "means over columns",
                    part,
                    n,
                    f"{part}: {n_columns} columns of at least {n} positives, shared {common}",
                    draw,
                    sklearn_ap.average_precision_score(y, s, average=average),
                    n_samples=20 if quick else N_SAMPLES,
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
                samples = 30 if quick else N_SAMPLES
                yield Cell(kind, kind, n_queries, name, draw, known, n_samples=samples)


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


UNITS = "clusters, weights, or both"


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
                samples = 40 if quick else N_SAMPLES
                yield Cell(UNITS, kind, n, name, draw, float(known[0]), definition, samples)


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
            "classes over images",
            n_images,
            f"classes over images: {name}",
            draw,
            sklearn_ap.average_precision_score(y, s, **options),
            n_samples=20 if quick else 150 if fewest == 100 else 400,
        )


def run(cell: Cell) -> Row:
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

    row: Row = {"kind": cell.kind, "part": cell.part, "cases": cell.cases, "name": cell.name}
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

    kind: str
    name: str
    draw: Callable[[np.random.Generator], tuple[Any, Any, Any, dict[str, Any]]]
    resample: bool = True
    n_samples: int = N_CONTESTS
    n_resampled: int = N_BOOTSTRAPPED


TESTS = ("this", "unpaired", "bootstrap")
DIFFERENT = "0.40 and 0.50"  # the kind of contests between models that are not equal


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
            yield Contest("equal, normal scores", name, pair(1.3, 1.3, correlation, n, 0.1))
    name = "equal, near-perfect, 100 positives"
    yield Contest("equal, near-perfect", name, pair(5.0, 5.0, 0.5, 100, 0.1))
    for n in (20, 100):
        name = f"equal, two false alarms each, {n} positives"
        yield Contest("equal, two false alarms each", name, family(two_alarms(n, 0.1), n, 0.1))
    name = "equal, few distinct scores, 50 positives"
    yield Contest("equal, few distinct scores", name, family(rounded(1.5), 50, 0.1))

    def in_units(n: int, weighted: bool, size: float) -> Any:
        def draw(rng: np.random.Generator) -> tuple:
            y, s, options = dependent(rng, n, weighted, size)
            if size == 1:
                del options["clusters"]
            noise = rng.normal(size=(2, y.size)) * 0.7
            return y, s + noise[0], s + noise[1], options

        return draw

    units = {
        "equal, 30 clusters": (30, False, 5.0),
        "equal, 100 clusters": (100, False, 5.0),
        "equal, 300 weighted rows": (300, True, 1.0),
        "equal, 100 clusters, weighted": (100, True, 5.0),
    }
    for name, how in units.items():
        yield Contest("equal, clusters and weights", name, in_units(*how), resample=False)
    # Shifts that give average precisions of .4 and .5 at a prevalence of .1.
    for n, correlation in ((50, 0.9), (50, 0.5), (200, 0.5)):
        name = f"{DIFFERENT}, {n} positives, correlation {correlation}"
        yield Contest(DIFFERENT, name, pair(1.3, 1.55, correlation, n, 0.1))


def fight(contest: Contest) -> Row:
    """How often each test says that the models differ, at 5%."""
    rng = rng_of(contest.name)
    found = []
    for i in range(contest.n_samples):
        y, a, b, options = contest.draw(rng)
        made = sklearn_ap.compare_average_precision(y, {"a": a, "b": b}, **options)
        row = [made.pvalues[1] < 0.05]
        errors = [
            sklearn_ap.average_precision_interval(y, s, **options).standard_error for s in (a, b)
        ]
        row.append(abs(made.differences[1]) > 1.96 * math.hypot(*errors))
        is_resampled = contest.resample and i < contest.n_resampled
        row.append(paired_bootstrap(y, a, b, rng) if is_resampled else np.nan)
        found.append(row)
    columns = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    this, unpaired, resampled = (
        100 * float(column[~np.isnan(column)].sum() / max((~np.isnan(column)).sum(), 1))
        for column in columns
    )
    row = {"name": contest.name, "kind": contest.kind, "this": this, "unpaired": unpaired}
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


def kept(rows: list[Row]) -> list[Row]:
    """The cells of tables: 20 positives or more, or as many clusters, or 16 queries."""
    return [row for row in rows if row["cases"] >= 20 or "quer" in row["kind"]]


def summary(rows: list[Row]) -> str:
    """Smallest and median coverage, by kind."""
    lines = [["", "cells", "least", "median", "+-1.96 SE: least", "percentile bootstrap: least"]]
    for name, group in grouped(rows, "kind").items():
        least = f"{min(row['this'] for row in group):.0f}"
        median = f"{median_of_parts(group, 'part', 'this'):.0f}"
        plain = f"{min(row['plain'] for row in group):.0f}"
        resampled = [row["bootstrap"] for row in group if "bootstrap" in row]
        bootstrap = f"{min(resampled):.0f}" if resampled else ""
        lines.append([name, str(len(group)), least, median, plain, bootstrap])
    has_bootstrap = any(cells[-1] for cells in lines[1:])
    return table(lines if has_bootstrap else [cells[:-1] for cells in lines])


def low_cells(rows: list[Row]) -> str:
    """The cells that fail, whatever their size."""
    low = (f"{row['name']}: {row['this']:.1f}" for row in rows if row["this"] < FAILS)
    return failing(f"Cells of any size that cover less than {FAILS}", low)


def lowest_median(rows: list[Row]) -> float:
    """The median cell of the worst part of the worst kind."""
    parts = [part for kind in grouped(rows, "kind").values() for part in parts_of(kind)]
    return min(float(np.median([row["this"] for row in part])) for part in parts)


def parts_of(rows: list[Row]) -> list[list[Row]]:
    """The cells of each part of a kind."""
    return list(grouped(rows, "part").values())


def fights_table(rows: list[Row]) -> str:
    """How often each test finds a difference, by kind."""
    lines = [["", "cells", "this", "unpaired z test", "paired percentile bootstrap"]]
    rows = [row | {"line": row["name" if row["kind"] == DIFFERENT else "kind"]} for row in rows]
    for kind, group in grouped(rows, "line").items():
        found = ([row[key] for row in group if key in row] for key in TESTS)
        lines.append([kind, str(len(group)), *map(from_to, found)])
    return table(lines)


def from_to(values: list[float]) -> str:
    """The range of percentages."""
    ends = dict.fromkeys(f"{end(values):.1f}" for end in (min, max)) if values else {}
    return " to ".join(ends)


def of_intervals(rows: list[Row]) -> str:
    """A section about intervals."""
    shown = kept(rows)
    return section(
        f"In the median cell of every kind, the 95% interval contained the true value in "
        f"{lowest_median(shown):.0f} or more of 100 samples, and in the worst of {len(shown)} "
        f"cells in {min(row['this'] for row in shown):.0f}.",
        summary(shown),
        low_cells(rows),
        SCRIPT,
        f"Most cells have {N_SAMPLES} samples.",
    )


def of_comparisons(fights: list[Row]) -> str:
    """The section about comparisons."""
    equal = [row for row in fights if row["kind"] != DIFFERENT]
    this = [row["this"] for row in equal]
    high = (f"{row['name']}: {row['this']:.1f}" for row in equal if row["this"] > ERRS)
    return section(
        f"If two models are equal, the comparison should call one better in 5 of 100 samples. It "
        f"does so in at most {max(this):.0f}, and in {np.median(this):.0f} in the median cell.",
        fights_table(fights),
        failing(f"Cells of equal models above {ERRS}", high),
        SCRIPT,
        f"Each cell has {N_CONTESTS:,} samples; the bootstrap has {N_BOOTSTRAPPED}.",
    )


def sections(rows: list[Row]) -> dict[str, str]:
    """The sections of the page, by name."""
    fights = [row for row in rows if "unpaired" in row]
    over = [row for row in rows if row["kind"] in QUERIES]
    others = [row for row in rows if row not in over and row not in fights]
    return {
        "certainty": of_intervals(others),
        "queries": of_intervals(over),
        "comparison": of_comparisons(fights),
    }


def cells(quick: bool, n_samples: int | None) -> Iterator[Cell | Contest]:
    """All cells, and all contests."""
    for make in (one_ranking, definitions, columns, queries, units, classes_over_images):
        for cell in make(quick):
            yield replace(cell, n_samples=n_samples or cell.n_samples)
    for contest in contests():
        n_resampled = 3 if quick else N_BOOTSTRAPPED
        n_contests = n_samples or (20 if quick else N_CONTESTS)
        yield replace(contest, n_samples=n_contests, n_resampled=n_resampled)


def run_any(cell: Cell | Contest) -> Row:
    """Run a cell, or a contest."""
    return run(cell) if isinstance(cell, Cell) else fight(cell)


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    rows = simulate(SCRIPT, cells(asked.quick, asked.samples), run_any, asked)
    publish(sections, rows, asked)


if __name__ == "__main__":
    main()
