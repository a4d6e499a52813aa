"""Columns of a file that were not used, although a page could say more with them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sklearn_ap._report._fact import Fact
from sklearn_ap._writing.text import count_as_text, printable


class ColumnKind(Enum):
    """What a column may be."""

    DATES = "dates"
    SEGMENTS = "segments"
    CLUSTERS = "clusters"
    NUMBERS = "numbers"  # few different ones: names of segments, or grades, folds and counts


FLAGS = {  # of a page
    ColumnKind.DATES: "--segment",
    ColumnKind.SEGMENTS: "--segment",
    ColumnKind.CLUSTERS: "--cluster",
    ColumnKind.NUMBERS: "--segment",
}


class UnusedColumn(NamedTuple):
    """A column, what it may be, and how many different values it has."""

    name: str
    kind: ColumnKind
    n_values: int

    @property
    def text(self) -> str:
        """Write it with what speaks for its kind."""
        n_values = count_as_text(self.n_values)
        signs = {
            ColumnKind.DATES: "dates",
            ColumnKind.SEGMENTS: f"{n_values} values",
            ColumnKind.CLUSTERS: f"{n_values}, repeated",
            ColumnKind.NUMBERS: f"{n_values} numbers",
        }
        return f"{printable(self.name)} ({signs[self.kind]})"


@dataclass(frozen=True)
class NotUsed(Fact):
    """Columns of a file that were not used, by its first rows if these were looked at alone."""

    columns: tuple[UnusedColumn, ...]
    n_first_rows: int | None = None

    def __str__(self) -> str:
        return f"{self.finding} Add {_write_flags(self.columns, FLAGS)}."

    @property
    def finding(self) -> str:
        """What was not used."""
        n_rows = self.n_first_rows
        rows = f" (by the first {count_as_text(n_rows, 'row')})" if n_rows else ""
        return f"Columns not used{rows}: {', '.join(column.text for column in self.columns)}."

    def advise(self, flags: Mapping[ColumnKind, str]) -> str:
        """Write the flags of a command that has some; a page takes the other columns."""
        here = [column for column in self.columns if column.kind in flags]
        elsewhere = [column for column in self.columns if column.kind not in flags]
        advice = [f"Add {_write_flags(here, flags)}."] if here else []
        if elsewhere:
            advice.append(f"sklearn-ap report takes {_write_flags(elsewhere, FLAGS)}.")
        return " ".join([self.finding, *advice])


def _write_flags(columns: Sequence[UnusedColumn], flags: Mapping[ColumnKind, str]) -> str:
    """Write flags as they are typed, and for which columns only if their numbers are names."""
    typed = {each: f"{flags[each.kind]} {shlex.quote(printable(each.name))}" for each in columns}
    numbers = [words for each, words in typed.items() if each.kind is ColumnKind.NUMBERS]
    others = [words for each, words in typed.items() if each.kind is not ColumnKind.NUMBERS]
    only_if = f"{' '.join(numbers)} if the numbers are names" if numbers else ""
    return ", and ".join(filter(None, [" ".join(others), only_if]))
