"""How rows become tables in files that pages show, and in marked places of pages."""

import csv
import re
import textwrap

WIDTH = 118  # of lines of the page


def grouped(rows, key):
    """Rows by what they have under the key, or by what the key says of them, in order."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row) if callable(key) else row[key], []).append(row)
    return groups


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def write_csv(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def write_tables(summary, folded, folder):
    for path in folder.glob("*.csv"):
        path.unlink()
    named = {slug(lines[0][0]): lines for lines in folded if lines[1:]}
    for name, lines in (named | {"summary": summary}).items():
        write_csv(folder / f"{name}.csv", lines)


def replace_part(page, name, text):
    first, last = f"<!-- begin: {name} -->\n", f"\n<!-- end: {name} -->"
    before, begin, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{page} has no place for a section {name!r}")
    page.write_text(before + first + text + last + after)


def filled(text):
    return textwrap.fill(text.strip(), width=WIDTH, break_on_hyphens=False)
