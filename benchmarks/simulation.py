"""What the simulations of coverage share: settings, samples, sums over them, and tables.

A line of settings/QUESTION.jsonl is a cell: a kind, a name, and what the script of the question
takes. In it, a list that begins with the name of a function is the value of a call, and an object
with such a name alone is the function with these options. settings/tables.json says which kinds are
a row of which table of docs/evidence.
"""

import argparse
import importlib
import json
import math
import zlib
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import populations
from joblib import Parallel, delayed
from scipy.stats import norm
from tables import write_csv

from sklearn_ap import definitions

HERE = Path(__file__).parent
RESULTS, EVIDENCE = HERE / "results", HERE.parent / "docs" / "evidence"
CLOSE = 1e-9  # numbers as close as this are equal


def built(thing, functions):
    """Return a setting with the functions that it names."""
    make = partial(built, functions=functions)
    if isinstance(thing, list):
        first, *others = thing or [None]
        is_call = isinstance(first, str) and first in functions
        return functions[first](*map(make, others)) if is_call else [*map(make, thing)]
    if isinstance(thing, dict):
        made = {name: make(each) for name, each in thing.items()}
        name = next(iter(made), "")
        is_partial = len(made) == 1 and name in functions and isinstance(made[name], dict)
        return partial(functions[name], **made[name]) if is_partial else made
    return thing


def load_cells(question, only=""):
    """Yield the settings of a question, with the functions of its script and of populations."""
    script = importlib.import_module(f"coverage_of_{question}")
    named = {**vars(definitions), **vars(populations), **vars(script)}
    functions = {name: each for name, each in named.items() if callable(each)}
    for line in (HERE / "settings" / f"{question}.jsonl").read_text().splitlines():
        setting = json.loads(line)
        if only in setting["kind"]:
            made = {name: built(each, functions) for name, each in setting.items()}
            yield SimpleNamespace(**{"share": 1.0, **made})


def generators(n_samples, name, *seed):
    """Yield a generator for each sample, which the name of a cell and a seed determine."""
    return (np.random.default_rng((zlib.crc32(name.encode()), *seed, i)) for i in range(n_samples))


def tallied(value, low, high, truth, level=0.95):
    """Return the coverage of limits, the misses on each side, and the width, in percent.

    The width is the median, over that of a normal estimate with the true standard deviation.
    """
    is_above, is_below = low > truth + CLOSE, high < truth - CLOSE
    is_known = np.isfinite(low).any()
    needed = 2 * norm.ppf((1 + level) / 2) * max(np.std(value), 1e-12)
    return {
        "covers": 100 * np.mean(~is_above & ~is_below) if is_known else math.nan,
        "misses": (100 * np.mean(is_above), 100 * np.mean(is_below)),
        "width": np.median(high - low) / needed,
    }


def column(cells, name, *place):
    """Return a number of each cell."""
    return np.array([np.array(cell[name])[place] for cell in cells], float)


def lowest_and_median(values):
    return f"{np.nanmin(values):.1f} / {np.nanmedian(values):.1f}"


def text_of_known(text, values, summed):
    """Return a number of those that are not nan, as a text."""
    values = values[~np.isnan(values)]
    return text.format(summed(values)) if values.size else ""


def number(text, name, *summed):
    """A column of a table: each sum of the numbers that are known."""
    return lambda cells: " / ".join(
        filter(None, (text_of_known(text, column(cells, name), each) for each in summed))
    )


def lines_of(found, rows, columns):
    """Yield a line for each row of a table: its name, the number of cells, and its columns."""
    for label, kinds in rows.items():
        of_row = [cell for cell in found if cell["kind"] in kinds]
        drawn = [cell["samples"] for cell in of_row]
        drawn = " to ".join(f"{n:,}" for n in dict.fromkeys((min(drawn), max(drawn))))
        texts = (text_of(of_row) for text_of in columns.values())
        yield [label, str(len(of_row)), drawn, *texts]


def tables_of(question, found, columns):
    """Yield the name and the lines of each table of which all kinds were run."""
    tables = json.loads((HERE / "settings" / "tables.json").read_text())[question]
    there = {cell["kind"] for cell in found}
    for name, rows in tables.items():
        head = [rows.pop("head"), "cells", "samples", *columns[name]]
        if there >= {kind for kinds in rows.values() for kind in kinds}:
            yield name, [head, *lines_of(found, rows, columns[name])]


def write(name, lines):
    """Write a table of the page, the first of its folder if only the folder is named."""
    write_csv(EVIDENCE / (f"{name}.csv" if "/" in name else f"{name}/summary.csv"), lines)


def simulated(ask, waiting, options):
    """Return the figures of cells, and of the three lowest of each kind from more samples."""
    parallel = Parallel(n_jobs=options.jobs)
    sizes = [max(2, math.ceil(options.samples * cell.share)) for cell in waiting]
    found = parallel(delayed(ask)(*each) for each in zip(waiting, sizes, strict=True))
    for kind in dict.fromkeys(cell.kind for cell in waiting) if options.again else ():
        places = [i for i, cell in enumerate(waiting) if cell.kind == kind]
        lowest = sorted(places, key=lambda i: found[i]["order"])[:3]
        again = parallel(delayed(ask)(waiting[i], options.again) for i in lowest)
        for i, cell in zip(lowest, again, strict=True):
            found[i], sizes[i] = cell, options.again
    for size, cell in zip(sizes, found, strict=True):
        cell["samples"] = size
    return found


def main(question, ask, columns, description, samples, again):
    """Run all cells of a question, print its tables, and write those of a whole run."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--only", default="", help="a part of the names of kinds")
    parser.add_argument("--samples", type=int, help=f"of a cell, instead of {samples}")
    parser.add_argument("--again", type=int, help=f"of the lowest cells, instead of {again}")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; all cores by default")
    options = parser.parse_args()
    is_whole = options.samples is None and options.again is None
    options.samples = samples if options.samples is None else options.samples
    options.again = again if is_whole else options.again
    found = simulated(ask, [*load_cells(question, options.only)], options)
    for name, lines in tables_of(question, found, columns):
        print(name, *(" | ".join(line) for line in lines), sep="\n")
        if is_whole:
            write(name, lines)
    for cell in sorted(found, key=lambda cell: cell["order"])[:20]:
        print(f"{cell['order']:5.1f}  {cell['kind']}: {cell['name']}")
