"""What the simulations share: populations, samples of them, cells that are run, and sections.

Each question has a script of its own. A script lists cells, and says how one of them is run.
`simulate` runs them on all cores, and `publish` writes what they say into docs/evidence.md.
"""

import argparse
import datetime
import functools
import json
import math
import textwrap
import warnings
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import sklearn_ap
from sklearn_ap.definitions import Definition, Expected

DOCS = Path(__file__).parents[1] / "docs"
EVIDENCE = DOCS / "evidence.md"
RESULTS = Path(__file__).parent / "results"  # rows of whole runs; git ignores it
N_TRUTH = 1_000_000  # rows of each class that stand for a population at a small prevalence
Row = dict[str, Any]
Scores = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def normal(shift: float) -> Scores:
    return lambda rng, y: rng.normal(size=y.size) + shift * y


def cauchy(shift: float) -> Scores:
    return lambda rng, y: rng.standard_cauchy(y.size) + shift * y


def rounded(shift: float) -> Scores:
    """Some six distinct scores, as of a small tree."""
    return lambda rng, y: np.round(rng.normal(size=y.size) + shift * y)


def tied(shift: float) -> Scores:
    """Two thirds of all rows have the same score."""

    def scores(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        found = rng.normal(size=y.size) + shift * y
        return np.where(rng.random(y.size) < 2 / 3, 0.0, found)

    return scores


def easy(share: float) -> Scores:
    """Some positives stand at the top, the rest at random."""
    return lambda rng, y: rng.random(y.size) + (y & (rng.random(y.size) < share))


def alarms(share: float) -> Scores:
    """Some negatives stand above all positives, and the rest below."""
    return lambda rng, y: (
        rng.random(y.size) + y + 2 * (~y.astype(bool) & (rng.random(y.size) < share))
    )


def two_alarms(n_positives: int, prevalence: float) -> Scores:
    """Two false alarms in a sample, on average."""
    return alarms(2 * prevalence / (n_positives * (1 - prevalence)))


def probabilities() -> Scores:
    """Most scores near 0, as of a calibrated model of rare events."""
    return lambda rng, y: np.where(y == 1, rng.beta(2, 4, y.size), rng.beta(0.5, 8, y.size))


FAMILIES: dict[str, Scores] = {
    "useless": normal(0.0),
    "weak": normal(1.0),
    "good": normal(2.0),
    "near-perfect": normal(5.0),
    "inverse": normal(-1.0),
    "probabilities": probabilities(),
    "few distinct scores": rounded(1.5),
    "a giant tie": tied(2.0),
    "Cauchy, shifted by 3": cauchy(3.0),
    "Cauchy, shifted by 30": cauchy(30.0),
    "30% easy positives": easy(0.3),
}


def family_scores(family: str, n: int, prevalence: float) -> Scores:
    """The scores of a family, some of which know how many positives are drawn."""
    if family == "two easy positives":
        return easy(2 / n)
    if family == "two false alarms":
        return two_alarms(n, prevalence)
    return FAMILIES[family]


def correlated(
    rng: np.random.Generator, y: np.ndarray, shifts: Any, correlation: float
) -> np.ndarray:
    """Scores of normal models that see a share of the same evidence, a row for each shift."""
    shared, *own = rng.normal(size=(len(shifts) + 1, y.size))
    noise = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * np.stack(own)
    return noise + np.reshape(shifts, (-1, 1)) * y


def sample_labels(
    rng: np.random.Generator, n_rows: int, prevalence: float, fewest: int = 1
) -> np.ndarray:
    """Labels of some rows, at least so many of each kind."""
    y = np.zeros(n_rows, dtype=np.int64)
    while not fewest <= y.sum() <= n_rows - fewest:
        y = (rng.random(n_rows) < prevalence).astype(np.int64)
    return y


def labels(rng: np.random.Generator, n: int, prevalence: float) -> np.ndarray:
    """Labels of a sample of about n positives, at least one of each kind."""
    return sample_labels(rng, max(round(n / prevalence), n + 1), prevalence)


def population(n_positives: int, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and weights that give them the prevalence; five negatives for each positive."""
    y = np.repeat([1, 0], [n_positives, 5 * n_positives])
    return y, np.where(y == 1, prevalence * 5, 1 - prevalence)


def truth(definition: Definition, family: str, n: int, prevalence: float) -> float:
    """The score of a population; few families depend on the positives that are drawn."""
    return _truth(definition, family, n if family not in FAMILIES else 0, prevalence)


@functools.cache
def _truth(definition: Definition, family: str, n: int, prevalence: float) -> float:
    rng = np.random.default_rng(0)
    if isinstance(definition, Expected):  # it takes no weights
        y, weight = (rng.random(500_000) < prevalence).astype(int), None
    else:
        y, weight = population(100_000, prevalence)
    scores = family_scores(family, n, prevalence)(rng, y)
    counts = sklearn_ap.threshold_counts(y, scores, sample_weight=weight)
    return float(definition(counts)[0])


@functools.cache  # processes share a function with a cache only if they can import it
def truth_at(prevalence: float, definition: Definition, family: str) -> float:
    """The score of a population at some prevalence, small ones included."""
    y = np.repeat([1, 0], N_TRUTH)
    scores = FAMILIES[family](np.random.default_rng(1), y)
    return float(definition(sklearn_ap.threshold_counts(y, scores).at_prevalence(prevalence))[0])


def rng_of(name: str) -> np.random.Generator:
    """The generator of a cell, which no other cell changes."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def grouped(rows: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """Rows by what they have under the key, in order."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def table(rows: list[list[str]]) -> str:
    """A table, its head first."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *body])


def is_quick(arguments: list[str] | None, about: str) -> bool:
    """Whether the user asks for --quick."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="simulate less, and write nothing")
    return parser.parse_args(arguments).quick


def ask(arguments: list[str] | None, about: str) -> argparse.Namespace:
    """What the user asks for; --quick, --samples and --cells leave docs/evidence.md as it is."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few cells with few samples")
    parser.add_argument("--samples", type=int, help="samples of each cell")
    parser.add_argument("--cells", default="", help="only cells whose name contains this text")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; all cores by default")
    parser.add_argument("--resume", action="store_true", help="go on after a run that was stopped")
    parser.add_argument("--page", type=Path, help="write the sections into a copy of the page")
    asked = parser.parse_args(arguments)
    asked.whole = not (asked.quick or asked.samples or asked.cells)
    return asked


def simulate(
    script: str, cells: Iterable[Any], run: Callable[[Any], Row], asked: argparse.Namespace
) -> list[Row]:
    """A row for each cell, which has a name; rows of a whole run are stored as they come."""
    path = RESULTS / f"{script}.jsonl"
    rows = stored(path) if asked.resume else {}
    cells = [cell for cell in cells if asked.cells in cell.name]
    waiting = [cell for cell in cells if cell.name not in rows]
    if asked.whole:
        RESULTS.mkdir(exist_ok=True)
        path.write_text("".join(map(line, rows.items())))
    parallel = Parallel(n_jobs=asked.jobs, return_as="generator")
    found = parallel(delayed(quietly)(run, cell) for cell in waiting)
    for cell, row in zip(waiting, found, strict=True):
        rows[cell.name] = row
        print(cell.name, row, flush=True)
        if asked.whole:
            with path.open("a") as file:
                file.write(line((cell.name, row)))
    return [rows[cell.name] for cell in cells]


def quietly(run: Callable[[Any], Row], cell: Any) -> Row:
    """Run a cell in a process that prints no warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
        return run(cell)


def line(named: tuple[str, Row]) -> str:
    """A line of what is stored."""
    return json.dumps(named, default=float) + "\n"


def stored(path: Path) -> dict[str, Row]:
    """Rows by the names of their cells."""
    return dict(map(json.loads, path.read_text().splitlines())) if path.exists() else {}


def section(conclusion: str, tables: str, fails: str, script: str, doubt: str) -> str:
    """What a script writes: the conclusion first, then a table, then where it fails."""
    command = f"`python benchmarks/{script}.py`, {datetime.date.today()}."
    parts = [f"**{conclusion}**", tables, f"**Where it fails.** {fails}", f"{command} {doubt}"]
    return "\n\n".join(part for part in parts if part)


def failing(what: str, lines: Iterable[str]) -> str:
    """What counts as a failure, and a list of what does."""
    found = "\n".join(f"- {each}" for each in lines)
    return f"{what}:\n\n{found}" if found else f"{what}: none."


def median_of_parts(rows: list[Row], part: str, value: str) -> float:
    """The median over parts (kinds of scores, for example) of the medians over their cells."""
    parts = grouped(rows, part).values()
    return float(np.median([np.median([row[value] for row in each]) for each in parts]))


def reflow(text: str) -> str:
    """The text with its paragraphs filled, as numbers make their lines longer or shorter."""
    return "\n\n".join(map(filled, text.strip("\n").split("\n\n")))


def filled(block: str) -> str:
    """A paragraph or a list that is filled; tables and headings are left as they are."""
    if block.startswith(("|", "#")):
        return block
    head, items = ("- ", block[2:].split("\n- ")) if block.startswith("- ") else ("", [block])
    fill = functools.partial(textwrap.fill, width=118, break_on_hyphens=False)
    indent = " " * len(head)
    return "\n".join(fill(each, initial_indent=head, subsequent_indent=indent) for each in items)


def write_section(name: str, text: str, page: Path = EVIDENCE) -> None:
    """Put a text in the place of the page that has this name."""
    first, last = f"<!-- begin: {name} -->\n", f"\n<!-- end: {name} -->"
    before, begin, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{page} has no place for a section {name!r}")
    page.write_text(before + first + reflow(text) + last + after)


def publish(
    make: Callable[[list[Row]], dict[str, str]], rows: list[Row], asked: argparse.Namespace
) -> None:
    """Print sections by name, and write them after a whole run, or where --page says."""
    if asked.cells:
        return  # sections are about all cells
    sections = make(rows)
    print("\n\n".join(sections.values()))
    if asked.whole or asked.page:
        for name, text in sections.items():
            write_section(name, text, asked.page or EVIDENCE)
