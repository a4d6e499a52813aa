"""Records of long arrays that print their first lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from sklearn_ap._extras import import_extra, printable
from sklearn_ap._results.text import Table, html_of, rounded_as_text
from sklearn_ap._types import Array, DataFrame

FIRST_LINES = 5  # that are printed


class PrintedArrays(ABC):
    """Arrays of one length, printed as the first lines of a table."""

    __slots__ = ()

    @abstractmethod
    def _columns(self) -> Mapping[str, Sequence[object] | Array]:
        """Return the columns of the table."""

    @abstractmethod
    def _heading(self) -> str:
        """Return the line above the table."""

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame, which can write Markdown, LaTeX and CSV.

        Returns
        -------
        pandas.DataFrame
            All columns, of which the first lines are printed.
        """
        return import_extra("pandas", "to_frame", "pandas").DataFrame(self._columns())

    def __repr__(self) -> str:
        return "\n".join([self._heading(), *self._table().as_text(), *self._remarks()])

    def _repr_html_(self) -> str:
        return html_of(self._heading(), self._table(), self._remarks())

    def _first_cells(self) -> Mapping[str, list[str]]:
        """Return those of columns that need more than six digits."""
        return {}

    def _table(self) -> Table:
        def cell(value: object) -> str:
            if isinstance(value, float | np.floating):
                return rounded_as_text(float(value), 6)
            return str(value)

        columns = self._columns()
        cells = {name: [*map(cell, column[:FIRST_LINES])] for name, column in columns.items()}
        cells |= self._first_cells()
        head, *body = (
            [*map(printable, line)] for line in (columns, *zip(*cells.values(), strict=True))
        )
        return Table(head=head, body=body, align=["<", *">" * (len(head) - 1)], n_names=0)

    def _remarks(self) -> list[str]:
        n_more = max(map(len, self._columns().values())) - FIRST_LINES
        return [f"... and {n_more:,} more"] if n_more > 0 else []
