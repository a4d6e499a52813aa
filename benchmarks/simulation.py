"""What the simulations of coverage share: cells, samples, sums over them, and tables."""

import argparse
import math
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm
from tables import write_csv

HERE = Path(__file__).parent
RESULTS, EVIDENCE = HERE / "results", HERE.parent / "docs" / "evidence"
CLOSE = 1e-9  # numbers as close as this are equal


@dataclass
class Cell:
    """A setting: its kind belongs to a row of a table, and its name determines its samples."""

    kind: str
    name: str
    share: float = field(default=1.0, kw_only=True)  # of the samples that other cells have


class Table(NamedTuple):
    """A table of docs/evidence: its head, the kinds of cells in each row, and its columns."""

    head: str
    rows: dict
    columns: dict


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


def tables_of(tables, found):
    """Yield the name and the lines of each table of which all kinds were run."""
    there = {cell["kind"] for cell in found}
    for name, (head, rows, columns) in tables.items():
        if there >= {kind for kinds in rows.values() for kind in kinds}:
            first = [head, "cells", "samples", *columns]
            yield name, [first, *lines_of(found, rows, columns)]


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


def main(cells, ask, tables, description, samples, again):
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
    found = simulated(ask, [cell for cell in cells if options.only in cell.kind], options)
    for name, lines in tables_of(tables, found):
        print(name, *(" | ".join(line) for line in lines), sep="\n")
        if is_whole:
            write(name, lines)
    for cell in sorted(found, key=lambda cell: cell["order"])[:20]:
        print(f"{cell['order']:5.1f}  {cell['kind']}: {cell['name']}")
