"""Sentences on what a comparison shows, by what scores are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from sklearn_ap._results.column import Estimates
from sklearn_ap._results.text import MOST_DIGITS, digits_of, names_as_text, number_as_text
from sklearn_ap._types import Array, Float

Kind: TypeAlias = Literal["one", "best", "others", "pair", "previous"]

MOST_SENTENCES = 4  # of more differences, those with the same verdict share a sentence
REFERENCE, UNDECIDED = "reference", "undecided"  # verdicts; the others are parts of sentences
CLAIMS: dict[str, str] = {
    "better": "{0} is better than {1}",
    "worse": "{0} is worse than {1}",
    "not worse": "{0} is not worse than {1} by {2} or more",
}
NOTHING_SHOWN = {
    "margin": "It is not shown that {0} is not worse than {1} by {2} or more",
    "two-sided": "No difference between {0} and {1} is shown",
    "greater": "It is not shown that {0} is better than {1}",
    "less": "It is not shown that {0} is worse than {1}",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownDifferences:
    """What is shown of differences: never that two scores are equal.

    Parameters
    ----------
    names, places : sequence of str
        The model or segment of each row, and the words for its ranking, as " in ranking 2".
    reference : str
        The words for what scores are compared with.
    references : sequence of str
        The words for that of each row.
    scores, differences : Estimates
        Differences are nan for the reference, and have the margin.
    verdicts : ndarray of str
    margin_low : ndarray or None
        The lower limits that are compared with minus the margin; None without a margin.
    optimism : float
        By how much the highest score is too high, because it was chosen.
    nothing_shown : str
        The claim of an undecided difference.
    why_unknown : str
        Why a difference is not known.
    """

    names: Sequence[str]
    places: Sequence[str]
    reference: str
    references: Sequence[str]
    scores: Estimates
    differences: Estimates
    verdicts: Array
    margin_low: Float | None
    optimism: float
    nothing_shown: str
    why_unknown: str

    def about_rows(self) -> list[str]:
        """Say what is shown of each row, or of many by their verdicts."""
        rows = np.flatnonzero(self.verdicts != REFERENCE)
        if rows.size <= MOST_SENTENCES:
            return [self.about_row(row) for row in rows.tolist()]
        is_known = np.isfinite(self.differences.low[rows])
        verdicts = np.where(is_known, self.verdicts[rows], "unknown")
        groups = [rows[verdicts == verdict].tolist() for verdict in (*CLAIMS, UNDECIDED)]
        n_known = int(np.count_nonzero(is_known))
        n_unknown = rows.size - n_known
        texts = [self._about_group(group, n_known) for group in groups if group]
        unknown = f"{n_unknown:,} cannot be compared, {self.why_unknown}."
        return [*texts, unknown if n_unknown else ""]

    def about_pair(self) -> list[str]:
        """Say what is shown of the first of two: the second difference is the same turned round."""
        return [self.about_row(int(np.flatnonzero(np.isfinite(self.differences.values))[0]))]

    def about_row(self, row: int) -> str:
        """Say what is shown of one row."""
        name, reference, place = self.names[row], self.references[row], self.places[row]
        if np.isnan(self.differences.values[row]) or np.isnan(self.differences.low[row]):
            return f"{name} and {reference} cannot be compared{place}, {self.why_unknown}."
        claim = self._claim(row).format(name, reference, f"{self.differences.margin:g}")
        return f"{claim}{place}: {self.differences.phrase(row)}{self._room_for_failures(row)}."

    def about_best(self) -> list[str]:
        """Say which may be the best, how good the highest score is, and how it flatters."""
        (best,) = np.flatnonzero(self.verdicts == REFERENCE).tolist()
        rivals = [self.names[row] for row in np.flatnonzero(self.verdicts == UNDECIDED).tolist()]
        claim = f"{self.reference} is the best of {len(self.names):,}"
        if rivals:
            claim = f"It is not shown that {claim}: {names_as_text(rivals)} may be, too"
        scores = self.scores
        if np.isnan(scores.low[best]):
            return [f"{claim}."]
        score = f"{self.reference} scores {scores.phrase(best)}"
        allows = "the lower limit allows for the choice of the highest score"
        digits = digits_of(*(each[best] for each in (scores.values, scores.low, scores.high)))
        amount = number_as_text(self.optimism, digits)
        flatters = f"On average, the choice makes the highest score too high by about {amount}."
        is_seen = round(self.optimism, digits) > 0
        return [f"{claim}.", f"{score}; {allows}.", flatters if is_seen else ""]

    def _claim(self, row: int) -> str:
        verdict, low = self.verdicts[row], self.margin_low
        if verdict == "worse" and low is not None and low[row] > -self.differences.margin:
            return f"{CLAIMS[verdict]}, but not by {{2}} or more"
        return CLAIMS.get(verdict, self.nothing_shown)

    def _room_for_failures(self, row: int) -> str:
        """Say the limit that is compared with a margin, so that it is on its side in print."""
        if self.margin_low is None or self.verdicts[row] == "better":
            return ""
        found = self.differences
        low, edge = float(self.margin_low[row]), -found.margin
        limits = (each[row] for each in (found.values, found.low, found.high))
        digits = digits_of(*limits, is_difference=True)
        while round(low, digits) == round(edge, digits) and digits < MOST_DIGITS:
            digits += 1
        return f"; with room for rare failures, down to {number_as_text(low, digits, '+')}"

    def _about_group(self, rows: Sequence[int], n_compared: int) -> str:
        if len(rows) == 1:
            return self.about_row(rows[0])
        verdict = self.verdicts[rows[0]]
        if verdict == UNDECIDED:
            which = "any of" if len(rows) == n_compared else "the other"
            return f"Nothing is shown for {which} {len(rows):,}."
        most = max(rows, key=lambda row: abs(float(self.differences.values[row])))
        margin = f" by {self.differences.margin:g} or more" if verdict == "not worse" else ""
        claim = f"{len(rows):,} of {n_compared:,} are {verdict} than {self.reference}{margin}"
        if len(rows) < n_compared:
            claim += f" ({names_as_text([f'{self.names[row]}{self.places[row]}' for row in rows])})"
        phrase = self.differences.phrase(most)
        return f"{claim}, {self.names[most]}{self.places[most]} most: {phrase}."


SENTENCES: dict[Kind, Callable[[ShownDifferences], list[str]]] = {
    "one": ShownDifferences.about_rows,
    "others": ShownDifferences.about_rows,
    "previous": ShownDifferences.about_rows,
    "pair": ShownDifferences.about_pair,
    "best": ShownDifferences.about_best,
}
