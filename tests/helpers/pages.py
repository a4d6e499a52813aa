"""The code and the tables on the pages of the site, as a reader meets them."""

import doctest
import importlib
import os
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TABLE = re.compile(r"^\|.*\n\|[ :|-]+\|\n(?:\|.*\n)*", re.MULTILINE)


def tables(text):
    """The tables of a page outside its code and output: rows of cells, the head first."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for found in TABLE.findall(text):
        rows = (row.strip().strip("|").split("|") for row in found.splitlines())
        head, _, *body = ([cell.strip() for cell in row] for row in rows)
        yield [head, *body]


class Block(str):
    """A block of code: the line above it, and the package that ``python needs=NAME`` says."""

    line: int
    needs: str | None


def _cut(text, language):
    fence = rf"^```{language}(?: needs=(\w+))?\n(.*?)^```$"
    for found in re.finditer(fence, text, re.MULTILINE | re.DOTALL):
        block = Block(found[2])
        block.line, block.needs = text.count("\n", 0, found.start(2)), found[1]
        yield block


def blocks(page, under=None, language="python"):
    """The code blocks of a page, or of what stands above or under one of its headings."""
    text = (DOCS / page).read_text()
    if under is not None:
        parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
        text = dict(zip(["", *parts[1::2]], parts[::2], strict=True))[under]
    return [*_cut(text, language)]


def leave_out_blocks_with_needs(test, text):
    """Of what doctest found in a page, keep what needs no package that it names."""
    away = set()
    for block in _cut(text, "python"):
        if block.needs:
            away |= {*range(block.line, block.line + block.count("\n"))}
    test.examples = [example for example in test.examples if example.lineno not in away]


def failures(page, code, known):
    """Run a block with the names that are known, and say what is printed that the page does not."""
    said = []
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(code, known, str(page), str(page), 0)
    runner.run(test, out=said.append, clear_globs=False)
    known |= test.globs
    return "".join(said)


def execute_blocks(page, heading):
    """Execute the code under a heading that has no prompts, such as a script that writes a file."""
    known = {}
    for code in blocks(page, under=heading):
        exec(code, known)


def numbers_in(page, pattern):
    """The numbers that a pattern finds, once, in a page whose white space is single blanks."""
    (found,) = re.findall(pattern, " ".join((DOCS / page).read_text().split()))
    return [float(number) for number in ([found] if isinstance(found, str) else found)]


def imported_or_skipped(library):
    """A library that a page needs. With WEEKLY=1, none may be missing."""
    if os.environ.get("WEEKLY"):
        return importlib.import_module(library)
    return pytest.importorskip(library)
