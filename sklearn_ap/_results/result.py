"""What all results share: rows, frames of pandas, text, and HTML for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from sklearn_ap._extras.imports import import_extra
from sklearn_ap._results.text import Table, as_text, in_notebook


class Result(ABC):
    """A result that has rows."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Give the rows."""

    def to_frame(self) -> Any:
        """Give a pandas DataFrame, which can write Markdown, LaTeX and CSV.

        Returns
        -------
        pandas.DataFrame
            What ``rows`` gives.
        """
        return import_extra("pandas", "to_frame", "pandas").DataFrame(self.rows())


class PrintedResult(Result):
    """A result that is printed as a table."""

    __slots__ = ()

    @abstractmethod
    def _table(self) -> Table:
        """Give what is printed."""

    def __repr__(self) -> str:
        return as_text(self._table())

    def _repr_html_(self) -> str:
        return in_notebook(self._table())


def rows_of(
    numbers: dict[str, Any], rankings: tuple[Any, ...] | None, **same: Any
) -> list[dict[str, Any]]:
    """A row for each of several rankings, with its name or number; or a single row without."""
    shape = np.shape(next(iter(numbers.values())))
    if not shape:
        return [numbers | same]
    return [
        {"ranking": each} | {name: float(values[i]) for name, values in numbers.items()} | same
        for i, each in enumerate(rankings or range(*shape))
    ]
