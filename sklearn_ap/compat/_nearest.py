"""Which tools give a number that a user has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from sklearn_ap._inputs.options import check_real_number
from sklearn_ap._results.column import Column
from sklearn_ap._results.text import count_as_text, names_as_text
from sklearn_ap._types import Argument, Bool, Float, Index
from sklearn_ap.compat._numbers_table import LEAST_EFFECT, WELL_KNOWN, ToolTable
from sklearn_ap.compat._score import ToolAnswer

N_NEAREST = 10  # the numbers that are printed near a number


@dataclass(frozen=True, eq=False, repr=False)
class NearestTable(ToolTable):
    """The numbers of tools for the same predictions, those nearest to a number first.

    Parameters
    ----------
    scores, left_out : as in ToolTable
        The number of each function, and the functions without weights.
    near : Decimal
        The number that was asked about, with the digits that it had.
    """

    near: Decimal

    _choice_of_rows = "functions with the nearest numbers, one of each number"

    @property
    def difference(self) -> Float:
        """The difference of each number from ``near``."""
        return self.estimate - float(self.near)

    @property
    def heading(self) -> str:
        return self._heading(str(self.near))

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many functions give a number that rounds to ``near``."""
        return (*self._matches(), *super().sentences)

    def _matches(self) -> Iterator[str]:
        rows = np.flatnonzero(self._rounds_to_near)
        n_numbers = np.unique(self._number[rows]).size
        if n_numbers > 1:
            yield (
                f"{count_as_text(rows.size)} functions give {n_numbers} different numbers that "
                f"round to {self.near}: more digits of yours tell these apart."
            )
        elif n_numbers:
            names = names_as_text([self.scores[row].label for row in rows])
            yield f"One number rounds to {self.near}, that of {names}."
        else:
            yield (
                f"No function gives a number that rounds to {self.near}. Pass k if the first k "
                f"ranks count, and queries if it is a mean over queries or folds. docs/compat.md "
                f"lists other inputs to try."
            )

    @property
    def _rounds_to_near(self) -> Bool:
        """Whether each number is within half a unit of the last digit, or of float32."""
        half_unit = float(Decimal((0, (5,), int(self.near.as_tuple().exponent) - 1)))
        return np.abs(self.difference) <= max(half_unit, LEAST_EFFECT) * (1 + LEAST_EFFECT)

    @property
    def _number(self) -> Index:
        """The code of the number of each function: equal numbers, which stand together, share it.

        Each nan, at the end of the table, has a code of its own.
        """
        is_equal = np.abs(np.diff(self.estimate)) < LEAST_EFFECT
        return np.cumsum(np.concatenate(([True], ~is_equal)))

    def _number_columns(self) -> Sequence[Column]:
        n_equal = np.bincount(self._number)[self._number]
        cells = [*map(str, n_equal)]
        functions = Column(key="functions", head="functions", values=n_equal, cells=cells)
        return (*super()._number_columns(), functions)

    def _shown_rows(self) -> Sequence[int]:
        if len(self.scores) <= N_NEAREST:
            return super()._shown_rows()
        _, first_rows = np.unique(self._number, return_index=True)
        return [*first_rows[:N_NEAREST].tolist()]


def read_number(near: Argument) -> Decimal:
    """Read a number with its digits: those of a float are the fewest that it is printed with."""
    text = near if isinstance(near, str) else str(check_real_number("near", near))
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("nan")
    if value.is_finite() and -1 <= value <= 1:  # some functions give -1 where they have no score
        return value
    raise ValueError(f"near must be a number of at most 1, as scores are, got {near!r}.")


def sort_nearest(near: Decimal, answers: Sequence[ToolAnswer]) -> tuple[ToolAnswer, ...]:
    """Sort answers by their distance, nan last; of equal ones, well-known functions come first."""
    numbers = np.array([answer.estimate for answer in answers]).round(6)
    is_less_known = np.array([answer.name not in WELL_KNOWN for answer in answers])
    # The last key counts first.
    order = np.lexsort((is_less_known, numbers, np.abs(numbers - float(near))))
    return tuple(answers[row] for row in order)
