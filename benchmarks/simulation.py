"""The framework of all simulations: cells that are run and stored."""

import argparse
import datetime
import json
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from populations import disguised, rng_of
from tables import EVIDENCE, told, unwarned_below, write_section

import sklearn_ap
from sklearn_ap.definitions import Step

RESULTS = Path(__file__).parent / "results"
QUICK = 20  # samples of a cell
PROMISED = 93  # of samples without a warning, of 100: their cells are listed that cover less


@dataclass
class Cell:
    """One setting: how its samples are judged, how many there are, and what tables group it by.

    ``sample`` takes a generator and the truth, which is computed once. It gives numbers by name,
    and whether something is so, or such numbers for each of several ways to call, each of which
    becomes a row. A list of numbers counts as several samples.
    """

    name: str
    sample: Callable
    n_samples: int
    truth: Callable = lambda: None
    facts: dict = field(default_factory=dict)


class Warned(int):
    """Whether a call warns in words that match a text, and the names of all of its warnings."""

    names = frozenset()


def run(cell):
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


def counted(samples):
    """The mean of each number, and the percentage of samples in which something is so."""
    lists = (found if isinstance(found, list) else [found] for found in samples)
    samples = [numbers for found in lists for numbers in found]
    row, names = {}, samples[0] if samples else ()
    columns = {key: np.array([numbers[key] for numbers in samples], float) for key in names}
    for key, column in columns.items():
        is_share = any(isinstance(numbers[key], bool | np.bool_ | Warned) for numbers in samples)
        known = column[~np.isnan(column)]
        row[key] = (100 if is_share else 1) * known.mean() if known.size else math.nan
    if "low" in columns:
        row |= coverage(columns)
    if "covers" in columns and "warned" in columns:
        silent = columns["covers"][columns["warned"] == 0]
        row |= {"n_silent": silent.size, "n_silent_covers": silent.sum()}
        is_known = silent.size >= len(samples) / 4  # a share of fewer samples says nothing
        row["silent"] = 100 * silent.mean() if is_known else math.nan
    row = {k: round(float(v), 6) for k, v in row.items() if k not in ("low", "high", "error")}
    return row | kinds_of_warnings(samples, columns.get("covers"))


def kinds_of_warnings(samples, covers):
    """How many samples have a warning of each kind, and how many of these cover."""
    if covers is None:
        return {}
    names = [getattr(numbers.get("warned"), "names", frozenset()) for numbers in samples]
    kinds = {}
    for name in sorted(frozenset().union(*names)):
        has_it = np.array([name in of_sample for of_sample in names])
        kinds[name] = [int(has_it.sum()), int(covers[has_it].sum())]
    return {"kinds": kinds} if kinds else {}


def coverage(columns):
    """How often limits hold the truth, and widths: 1 is the least that normal estimates need."""
    estimate, low, high, truth = (columns[key] for key in ("estimate", "low", "high", "truth"))
    truth = np.where(np.isnan(truth), np.nanmean(estimate), truth)
    columns["covers"] = held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    wrong, deviation = estimate - truth, np.nanstd(estimate - truth)
    row = {"covers": 100 * held.mean(), "bias": np.nanmean(wrong)}
    row["rmse"] = math.sqrt(np.nanmean(wrong**2))
    row["width"] = np.nanmean(high - low) / (3.92 * deviation) if deviation > 1e-12 else math.nan
    if "error" in columns:
        row["plain"] = 100 * np.mean(np.abs(wrong) <= 1.96 * columns["error"] + 1e-12)
    return row


def heard(about, call, *rows, **options):
    """What a call gives, and whether it warns of uncertainty in words that match this text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call(*rows, **options)
    ours = [w.message for w in caught if issubclass(w.category, sklearn_ap.UncertaintyWarning)]
    warned = Warned(any(re.search(about, str(each)) for each in ours))
    warned.names = frozenset(each.name for each in ours)
    return made, warned


def judged(truth, made, warned, place=0):
    """The limits of an interval, or of the difference of the model at a place, beside the truth."""
    names = ("estimate", "low", "high", "standard_error")
    found = [getattr(made, name, None) for name in names]
    if hasattr(made, "difference"):
        parts = ("difference", "difference_low", "difference_high")
        found = [np.ravel(getattr(made, part))[place] for part in parts]
    numbers = dict(zip(("estimate", "low", "high", "error"), found, strict=False))
    return numbers | {"truth": math.nan if truth is None else truth, "warned": warned}


def interval_cell(name, draw, truth, n_samples, definition=Step(), about="", **facts):
    """Intervals of samples; without a truth, the target is the mean score of all samples."""

    def sample(rng, truth):
        y, s, options = disguised(rng, *draw(rng))
        given = {"definition": definition} | options
        made, warned = heard(about, sklearn_ap.average_precision_interval, y, s, **given)
        return judged(truth, made, warned) | {"effective": made.n_effective}

    return Cell(name, sample, n_samples, truth, facts)


def ask(arguments, about):
    """What the user asks for; --quick and --cells leave docs/evidence as it is."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a cell of each kind, few samples")
    parser.add_argument("--samples", type=int, help="samples of each cell, at most")
    parser.add_argument("--cells", default="", help="only cells whose name contains this text")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; all cores by default")
    parser.add_argument("--resume", action="store_true", help="go on after a run that was stopped")
    parser.add_argument("--stored", action="store_true", help="run nothing, write what is stored")
    parser.add_argument("--folder", type=Path, help="write the tables into this folder")
    asked = parser.parse_args(arguments)
    asked.whole = not (asked.quick or asked.cells)
    return asked


def simulate(script, cells, asked):
    """The rows of the cells that are asked for; those of a whole run are stored as they come."""
    cells = [cell for cell in cells if asked.cells in cell.name]
    if asked.quick:  # the first of each kind
        cells = [*{cell.facts.get("kind"): cell for cell in reversed(cells)}.values()]
    most = asked.samples or (QUICK if asked.quick else math.inf)
    cells = [replace(cell, n_samples=min(cell.n_samples, most)) for cell in cells]
    path = RESULTS / f"{script}.jsonl"
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
    return [row | cell.facts for cell in cells for row in rows.get(cell.name, [])]


def main(script, about, cells, sections, arguments=None):
    """Run cells, and write each section from those whose fact "section", if any, is its name."""
    asked = ask(arguments, about)
    rows = simulate(script, cells(), asked)
    for name, make in sections.items() if asked.folder or asked.whole else ():
        of_section = [row for row in rows if row.get("section", name) == name]
        date = max((row["date"] for row in of_section), default="never")
        most = max((row["n_samples"] for row in of_section), default=0)  # other sections have more
        options = f" --samples {most}" if (asked.samples or 0) >= most else ""
        samples = told("{n_samples.least:,.0f} to {n_samples.most:,.0f}", of_section)
        command = f"`benchmarks/{script}.py{options}`, {samples} samples a cell, {date}"
        section = make([*map(dict, of_section)])
        section.more.append(unwarned_below(of_section, PROMISED))
        write_section(name, section, command, asked.folder or EVIDENCE)
    return rows
