"""The framework of all simulations: cells that are run and stored, tables, and sections of a page.

Each question has a script. It lists cells, and says what one sample of a cell gives. ``main`` runs
the cells on all cores, counts, keeps a row for each cell in ``results``, and writes what the script
says of the rows into docs/evidence.md.
"""

import argparse
import datetime
import functools
import json
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from populations import Drawn, rng_of

import sklearn_ap
from sklearn_ap.definitions import Definition, Step

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence.md"
RESULTS = Path(__file__).parent / "results"
QUICK = 20  # samples of a cell
Row = dict[str, Any]
Numbers = dict[str, Any]  # what one sample gives: numbers, and whether something is so


# ---- cells


@dataclass
class Cell:
    """One setting: how its samples are judged, how many there are, and what tables group it by.

    ``sample`` takes a generator and the truth, which is computed once. It gives numbers by name, or
    such numbers for each of several ways to call, each of which becomes a row. A list of numbers
    counts as several samples.
    """

    name: str
    sample: Callable[[np.random.Generator, Any], Numbers | dict[str, Numbers | list[Numbers]]]
    n_samples: int
    truth: Callable[[], Any] = lambda: None
    facts: Row = field(default_factory=dict)


def run(cell: Cell) -> list[Row]:
    """Draw the samples of a cell, and count."""
    rng, truth, found = rng_of(cell.name), cell.truth(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
        for _ in range(cell.n_samples):
            numbers = cell.sample(rng, truth)
            is_several = isinstance(next(iter(numbers.values())), dict | list)
            found.append(numbers if is_several else {"": numbers})
    named = {"name": cell.name, "n_samples": cell.n_samples, "date": f"{datetime.date.today()}"}
    return [
        named | cell.facts | {"way": way} | counted([numbers[way] for numbers in found])
        for way in found[0]
    ]


def counted(samples: list[Numbers | list[Numbers]]) -> Row:
    """The mean of each number, and the percentage of samples in which something is so."""
    samples = [
        each for found in samples for each in (found if isinstance(found, list) else [found])
    ]
    if not samples:
        return {}
    columns = {key: np.array([numbers[key] for numbers in samples], float) for key in samples[0]}
    row = {}
    for key, column in columns.items():
        is_share = any(isinstance(numbers[key], bool | np.bool_) for numbers in samples)
        known = column[~np.isnan(column)]
        row[key] = (100 if is_share else 1) * known.mean() if known.size else math.nan
    if "low" in columns:
        row |= coverage(columns)
    if "held" in columns and "warned" in columns:
        row |= of_silent(columns["held"], columns["warned"])
    return {k: round(float(v), 6) for k, v in row.items() if k not in ("low", "high", "error")}


def coverage(columns: dict[str, np.ndarray]) -> Row:
    """How often limits hold the truth, which is the mean estimate if it is not known; and widths.

    "width" is the mean width over 3.92 true standard deviations of the estimate, which is 1 for the
    narrowest interval that holds normal estimates in 95 of 100 samples.
    """
    estimate, low, high, truth = (columns[key] for key in ("estimate", "low", "high", "truth"))
    truth = np.where(np.isnan(truth), np.nanmean(estimate), truth)
    columns["held"] = held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    wrong, deviation = estimate - truth, np.nanstd(estimate - truth)
    row = {"held": 100 * held.mean(), "bias": np.nanmean(wrong)}
    row["rmse"] = math.sqrt(np.nanmean(wrong**2))
    row["width"] = np.nanmean(high - low) / (3.92 * deviation) if deviation > 1e-12 else math.nan
    if "error" in columns:
        row["plain"] = 100 * np.mean(np.abs(wrong) <= 1.96 * columns["error"] + 1e-12)
    return row


def of_silent(held: np.ndarray, warned: np.ndarray) -> Row:
    """How many samples come without a warning, and how many of these hold."""
    silent = held[warned == 0]
    row = {"n_silent": silent.size, "n_silent_held": silent.sum()}
    # A share of fewer samples says nothing.
    return row | {"silent": 100 * silent.mean() if silent.size >= held.size / 4 else math.nan}


def heard(about: str, call: Callable[..., Any], *rows: Any, **options: Any) -> tuple[Any, bool]:
    """What a call gives, and whether it warns of uncertainty in words that hold this text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call(*rows, **options)
    ours = [w for w in caught if issubclass(w.category, sklearn_ap.UncertaintyWarning)]
    return made, any(re.search(about, str(warning.message)) for warning in ours)


def judged(truth: float | None, made: Any, warned: bool) -> Numbers:
    """The limits of an interval, or of the difference of two models, beside the truth."""
    names = ("estimate", "low", "high", "standard_error")
    found = [getattr(made, name, None) for name in names]
    if hasattr(made, "differences"):
        names = ("s", "_lows", "_highs", "_standard_errors")
        found = [getattr(made, f"difference{name}")[1] for name in names]
    numbers = dict(zip(("estimate", "low", "high", "error"), found, strict=True))
    return numbers | {"truth": math.nan if truth is None else truth, "warned": warned}


def compared(
    y: Any, scores: Any, truth: float | None = 0.0, about: str = "", **options: Any
) -> Numbers:
    """The difference of two models beside the truth, and whether p < 0.05."""
    models = dict(zip("AB", scores, strict=True))
    made, warned = heard(about, sklearn_ap.compare_average_precision, y, models, **options)
    return judged(truth, made, warned) | {"differs": bool(made.pvalues[1] < 0.05)}


def interval_cell(
    name: str,
    draw: Callable[[np.random.Generator], Drawn],
    truth: Callable[[], float | None],
    n_samples: int,
    definition: Definition = Step(),
    about: str = "",
    **facts: Any,
) -> Cell:
    """Intervals of samples; without a truth, the target is the mean score of all samples."""

    def sample(rng: np.random.Generator, truth: float | None) -> Numbers:
        y, s, options = draw(rng)
        given = {"definition": definition, "n_resamples": 199, "rng": 0} | options
        made, warned = heard(about, sklearn_ap.average_precision_interval, y, s, **given)
        return judged(truth, made, warned) | {"effective": made.n_effective}

    return Cell(name, sample, n_samples, truth, facts)


# ---- running


def ask(arguments: list[str] | None, about: str) -> argparse.Namespace:
    """What the user asks for; --quick and --cells leave docs/evidence.md as it is."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a cell of each kind, few samples")
    parser.add_argument("--samples", type=int, help="samples of each cell, at most")
    parser.add_argument("--cells", default="", help="only cells whose name contains this text")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; all cores by default")
    parser.add_argument("--resume", action="store_true", help="go on after a run that was stopped")
    parser.add_argument("--stored", action="store_true", help="run nothing, write what is stored")
    parser.add_argument("--page", type=Path, help="write the sections into a copy of the page")
    asked = parser.parse_args(arguments)
    asked.whole = not (asked.quick or asked.cells)
    return asked


def chosen(cells: Iterable[Cell], asked: argparse.Namespace) -> list[Cell]:
    """The cells that are asked for, with as many samples."""
    found = [cell for cell in cells if asked.cells in cell.name]
    if asked.quick:
        first = {cell.facts.get("kind"): cell for cell in reversed(found)}
        found = [cell for cell in found if cell is first[cell.facts.get("kind")]]
    most = asked.samples or (QUICK if asked.quick else math.inf)
    return [replace(cell, n_samples=min(cell.n_samples, most)) for cell in found]


def simulate(script: str, cells: Iterable[Cell], asked: argparse.Namespace) -> list[Row]:
    """The rows of all cells; those of a whole run are stored as they come."""
    path, cells = RESULTS / f"{script}.jsonl", chosen(cells, asked)
    known = asked.whole and (asked.resume or asked.stored) and path.exists()
    rows = dict(map(json.loads, path.read_text().splitlines())) if known else {}
    waiting = [] if asked.stored else [cell for cell in cells if cell.name not in rows]
    if asked.whole and not known:
        RESULTS.mkdir(exist_ok=True)
        path.write_text("")
    parallel = Parallel(n_jobs=asked.jobs, return_as="generator")
    for cell, found in zip(waiting, parallel(map(delayed(run), waiting)), strict=True):
        rows[cell.name] = found
        print(*found, sep="\n", flush=True)
        if asked.whole:
            with path.open("a") as file:
                file.write(json.dumps([cell.name, found]) + "\n")
    return [row for cell in cells for row in rows.get(cell.name, [])]


def main(
    script: str,
    about: str,
    cells: Callable[[], Iterable[Cell]],
    sections: "dict[str, Callable[[list[Row]], Section]]",
    arguments: list[str] | None = None,
    again: Callable[[list[Row]], Iterable[Cell]] | None = None,
) -> list[Row]:
    """Simulate and print; after a whole run, or where --page says, write the sections.

    ``sections`` makes each from its rows: those of cells that have its name as the fact "section",
    and those of cells without. ``again`` gives cells that depend on the rows of the first ones.
    """
    asked = ask(arguments, about)
    rows = simulate(script, cells(), asked)
    if again is not None and asked.whole:
        asked.resume = True
        rows += simulate(script, again(rows), asked)
    for name, make in sections.items() if not asked.cells else ():  # they are about all cells
        of_section = [row for row in rows if row.get("section", name) == name]
        options = f" --samples {asked.samples}" if asked.samples else ""
        text = text_of(f"{script}.py{options}", make(of_section), of_section)
        print(text, "\n")
        if asked.whole or asked.page:
            write_section(name, text, asked.page or EVIDENCE)
    return rows


# ---- tables


def table(rows: Iterable[Iterable[str]]) -> str:
    """A table, its head first."""
    head, *body = map(list, rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *body])


Column = Callable[[list[Row]], str]
Key = str | Callable[[Row], str]


def of(statistic: Callable[[list[float]], Any], key: str, spec: str = ".0f") -> Column:
    """A column: a statistic of a number over the rows of a line, empty where nothing is known."""

    def column(rows: list[Row]) -> str:
        known = values(rows, key)
        return f"{statistic(known):{spec}}" if known else ""

    return column


def range_of(key: str, spec: str = ".1f") -> Column:
    """A column: the least and the greatest of a number, or the one there is."""
    ends = of(min, key, spec), of(max, key, spec)
    return lambda rows: " to ".join(dict.fromkeys(end(rows) for end in ends))


def values(rows: list[Row], key: str) -> list[float]:
    """What rows have under a key, if it is known."""
    return [row[key] for row in rows if not math.isnan(row.get(key, math.nan))]


def median_of_parts(part: str, key: str, spec: str = ".0f") -> Column:
    """The median over parts (kinds of scores, for example) of the medians over their cells."""

    def column(rows: list[Row]) -> str:
        parts = [np.median(values(each, key)) for each in grouped(rows, part).values()]
        return f"{np.median(parts):{spec}}"

    return column


def of_coverage(part: str = "name", spec: str = ".0f") -> dict[str, Column]:
    """The columns of each table of intervals, of which the last says how wide they are."""
    return {
        "cells": of(len, "n_samples"),
        "least": of(min, "held", spec),
        "median": median_of_parts(part, "held", spec),
        "width": of(np.median, "width", ".2f"),
    }


def table_by(key: Key, rows: list[Row], columns: dict[str, Column], head: str = "") -> str:
    """A line for each value of a key, and those of the columns that say something."""
    groups = grouped(rows, key)
    cells = {name: [column(group) for group in groups.values()] for name, column in columns.items()}
    cells = {name: column for name, column in cells.items() if any(column)}
    return table([[head, *cells], *zip(map(str, groups), *cells.values(), strict=True)])


def grouped(rows: list[Row], key: Key) -> dict[Any, list[Row]]:
    """Rows by what they have under the key, or by what the key says of them, in order."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row) if callable(key) else row[key], []).append(row)
    return groups


def band_of(value: float, bands: dict[float, str]) -> str:
    """The band of a value, of which each ends below a number."""
    return next(band for most, band in bands.items() if value < most)


# ---- sections


class Section(NamedTuple):
    """What a script says: the conclusion first, then a table, then where it fails."""

    conclusion: str
    tables: str
    fails: str
    doubt: str = ""


def failing(what: str, lines: Iterable[str]) -> str:
    """What counts as a failure, and a list of what does."""
    found = "\n".join(f"- {each}" for each in lines)
    return f"{what}:\n\n{found}" if found else f"{what}: none."


def text_of(command: str, section: Section, rows: list[Row]) -> str:
    """The section, with the command that writes it, the date of its rows, and their samples."""
    date = max((row["date"] for row in rows), default="never")
    samples = range_of("n_samples", ",.0f")(rows)
    run = f"`python benchmarks/{command}`, {date}. Each cell has {samples} samples."
    fails = f"**Where it fails.** {section.fails}"
    parts = [f"**{section.conclusion}**", section.tables, fails, f"{run} {section.doubt}"]
    return "\n\n".join(part for part in parts if part)


def write_section(name: str, text: str, page: Path) -> None:
    """Put a text in the place of the page that has this name."""
    first, last = f"<!-- begin: {name} -->\n", f"\n<!-- end: {name} -->"
    before, begin, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{page} has no place for a section {name!r}")
    page.write_text(before + first + reflow(text) + last + after)


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
