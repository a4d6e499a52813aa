"""What people type into the search of the site, and the pages that answer it: searches.txt."""

import re
from pathlib import Path
from typing import NamedTuple

TEXT = (Path(__file__).parents[1] / "searches.txt").read_text()


class Searches(NamedTuple):
    """A list of queries, the pages that answer each, and for how many the search must find one."""

    name: str
    pages: dict[str, set[str]]
    least: int
    number: int


def searches(heading, lines):
    """The list below a heading such as "58 of 60: a few words"."""
    least, number, name = re.fullmatch(r"(\d+) of (\d+): (.*)", heading).groups()
    rows = [line.split(" | ") for line in lines.splitlines() if not line.startswith("#")]
    pages = {asked: {*answers.split()} for asked, answers in rows}
    return Searches(name, pages, int(least), int(number))


SEARCHES = [searches(*part) for part in re.findall(r"## (.*)\n((?:.+\n)+)", TEXT)]
