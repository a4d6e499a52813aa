"""Which lines of a long list are printed: those that matter most, and those that differ."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from sklearn_ap._base.text import Row
from sklearn_ap._questions.verdicts import REFERENCE, UNDECIDED

MOST_LINES = 20  # of a list; of a comparison, lines of each model
MOST_DECIDED_LINES = 40  # with further lines that have a decision, such as "worse"
ALL_ROWS = "to_frame() has all"  # the command line names its own option


class ChosenLines(NamedTuple):
    """The places in a list whose lines are printed, in its order, and a remark on the others."""

    places: list[int]
    remarks: list[str]


class LongList(NamedTuple):
    """The order in which the lines of a list matter, and the words for it."""

    order: Sequence[int]  # places, the most important one first
    words: str  # about the first of them, with a gap for "20 of 31 segments"
    noun: str  # the plural of what a line is, such as "segments"
    decided: Set[int] = frozenset()  # places that are printed wherever they stand
    decision: str = "that differ"

    def choose(self, references: Set[int] = frozenset()) -> ChosenLines:
        """Choose the lines that matter most, further ones with a decision, and references.

        Further ones are left out beyond ``MOST_DECIDED_LINES``; the remark says how many there are.
        """
        n_lines = len(self.order)
        if n_lines <= MOST_LINES:
            return ChosenLines([*range(n_lines)], [])
        first = self.order[:MOST_LINES]
        others = [place for place in self.order[MOST_LINES:] if place in self.decided]
        shown_others = others[: MOST_DECIDED_LINES - MOST_LINES]
        remark = "shown: " + self.words.format(f"{MOST_LINES} of {n_lines:,} {self.noun}")
        if len(shown_others) < len(others):
            remark += f", and {len(shown_others)} of the {len(others):,} others {self.decision}"
        elif others:
            remark += f", and {len(others)} more of those {self.decision}"
        places = {*first, *shown_others, *references}
        has_all = len(places) == n_lines
        return ChosenLines(sorted(places), [] if has_all else [f"{remark}; {ALL_ROWS}"])


def decided_places(rows: Sequence[Row]) -> set[int]:
    """Return the places of rows whose verdict is a decision, such as "worse"."""
    undecided = (UNDECIDED, REFERENCE)
    return {place for place, row in enumerate(rows) if row["verdict"] not in undecided}
