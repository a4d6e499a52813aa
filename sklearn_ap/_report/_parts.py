"""What a part of the page is made of: sentences, a table and a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sklearn_ap._report._calls import PublicCall
from sklearn_ap._report._fact import Fact
from sklearn_ap._types import Array, Axes
from sklearn_ap._writing.table import Table

PICTURE_WIDTH = 3.75  # inches; on a phone, letters of 9 points are 11 pixels high


class Picture(NamedTuple):
    """A function that draws a picture, and words that say what it shows."""

    draw: Callable[[], Axes | Array]  # of axes
    alt: str


@dataclass(eq=False)
class Part:
    """A part of the page: facts, a table, and a picture."""

    title: str
    facts: Sequence[Fact] = ()  # told as sentences
    table: Table | None = None
    table_facts: Sequence[Fact] = ()
    table_calls: Sequence[PublicCall[object]] = ()  # of numbers in the table that are no facts
    picture: Picture | None = None
    notes: Sequence[str] = ()  # below the table

    @property
    def calls(self) -> list[PublicCall[object]]:
        """The calls that give all numbers, each once."""
        calls = (call for fact in [*self.table_facts, *self.facts] for call in fact.calls)
        return [*dict.fromkeys([*self.table_calls, *calls])]


def make_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    """Make a table whose first column has names."""
    return Table(head, body, ["<", *">" * (len(head) - 1)], 1)
