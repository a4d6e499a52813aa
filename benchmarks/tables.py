"""How rows become tables: statistics in lines, promises, and files that pages show.

A row is a dict of numbers by name. A table is a list of lines, its head first. Columns are texts
with statistics, as in ``told``, by their heads.
"""

import csv
import math
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence"
WIDTH = 118  # of lines of the page
# The samples of a line for which no warning was raised, and how many of them cover.
UNWARNED = {"not warned": "{unwarned.n:,.0f}", "of these cover": "{unwarned.covers:.0f}"}
# The columns that tables of intervals begin with; a width of 1 is what is needed.
COVERAGE = {
    "cells": "{n}",
    "lowest": "{covers.least:.0f}",
    "median": "{covers.median:.0f}",
    "width": "{width.median:.2f}",
    **UNWARNED,
    "worst cell": "{covers.worst}",
}


SILENT = ("n_silent", "n_silent_covers")


class Statistics(dict):
    """How many rows there are, and what is known of them under each key."""

    def __init__(self, rows):
        super().__init__(n=len(rows))
        self.rows = rows
        if known := [row for row in rows if not math.isnan(row.get("warned", math.nan))]:
            n, covers = (sum(row.get(key, 0) for row in known) for key in SILENT)
            covers = {"covers": 100 * covers / n} if n else {}
            self["unwarned"] = SimpleNamespace(n=n, **covers)

    def __missing__(self, key):
        rows = [row for row in self.rows if not math.isnan(row.get(key, math.nan))]
        if not rows:
            return None
        rows.sort(key=lambda row: row[key])  # stable: the first of equal ones is the worst
        found = np.array([row[key] for row in rows])
        largest = max(rows, key=lambda row: abs(row[key]))
        ends = {"least": rows[0], "most": rows[-1], "largest": largest}
        names = {end: row["name"] for end, row in ends.items()}
        ends = {end: row[key] for end, row in ends.items()}
        middle = {"mean": found.mean(), "median": np.median(found)}
        return SimpleNamespace(**ends, **middle, worst=names["least"], names=names)


def told(text, rows):
    """A text with statistics, such as "{covers.least:.0f}", without "5 to 5"; empty if unknown."""
    try:
        return re.sub(r"(\S+) to \1(?!\S)", r"\1", text.format_map(Statistics(rows)))
    except AttributeError:
        return ""


def grouped(rows, key):
    """Rows by what they have under the key, or by what the key says of them, in order."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row) if callable(key) else row[key], []).append(row)
    return groups


def table_by(key, rows, columns, head=""):
    """A line for each value of a key, and those of the columns that say something."""
    groups = grouped(rows, key)
    cells = {key: [told(text, group) for group in groups.values()] for key, text in columns.items()}
    cells = {key: column for key, column in cells.items() if any(column)}
    return [[head, *cells], *map(list, zip(map(str, groups), *cells.values(), strict=True))]


def table_of(title, rows, **columns):
    """A line for each row, its name below the title of the table, and its numbers."""
    lines = [[row["name"], *(text.format_map(row) for text in columns.values())] for row in rows]
    return [[title, *(name.replace("_", " ") for name in columns)], *lines]


def below(rows, least, key="covers", what="Cells"):
    low = (row for row in rows if row.get(key, least) < least)
    return table_of(f"{what} below {least}", low, of_100_samples=f"{{{key}:.1f}}")


def unwarned_below(rows, least):
    """The cells whose samples without a warning cover too rarely, by two standard errors."""
    lines = [[f"Samples without a warning that cover below {least}", "samples", "of 100 cover"]]
    for row in rows:
        n, covers = (row.get(key, 0) for key in SILENT)
        if n and 100 * covers / n < least - 2 * math.sqrt(least * (100 - least) / n):
            name = ", ".join(filter(None, (row["name"], row["way"])))
            lines.append([name, f"{n:.0f}", f"{100 * covers / n:.0f}"])
    return lines


def promise(what, rows, key="covers", worst="least", text="{:.0f} of 100"):
    """A line of the page's first table: the median of a number, the worst one, and its cell."""
    found = Statistics(rows)[key]
    if found is None:  # of very few samples, no cell may have the number
        return [what, "", "", ""]
    numbers = found.median, getattr(found, worst)
    return [what, *map(text.format, numbers), found.names[worst]]


@dataclass
class Section:
    """Promises, and tables; ``fails`` and ``more`` are folded, titled by their first heads."""

    promises: list
    summary: list
    fails: list = field(default_factory=list)
    more: list = field(default_factory=list)


def in_markdown(lines):
    head, *body = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([head, f"|{'---|' * len(lines[0])}", *body])


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def write_tables(summary, folded, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.csv"):
        path.unlink()
    named = {slug(lines[0][0]): lines for lines in folded if lines[1:]}
    for name, lines in (named | {"summary": summary}).items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


def write_section(name, section, command, folder=EVIDENCE):
    """Write the tables of a section, and its promises with the command that measures them."""
    write_tables(section.summary, section.fails + section.more, folder / slug(name))
    lines = [[*each, command] for each in section.promises]
    head = ["promise", "typical", "worst", "where", "measured by"]
    with (folder / slug(name) / "promises.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *lines])


def replace_part(page, name, text):
    first, last = f"<!-- begin: {name} -->\n", f"\n<!-- end: {name} -->"
    before, begin, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{page} has no place for a section {name!r}")
    page.write_text(before + first + text + last + after)


def filled(text):
    return textwrap.fill(text.strip(), width=WIDTH, break_on_hyphens=False)
