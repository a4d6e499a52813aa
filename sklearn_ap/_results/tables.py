"""Results as tables for other programs: frames of pandas, and HTML for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from sklearn_ap._extras.imports import import_extra
from sklearn_ap._inputs import warn_of_old_name


class ResultTable(ABC):
    """A result that has rows."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Give the rows."""

    def to_dict(self) -> list[dict[str, Any]]:
        """Give the rows, by the old name of ``rows``.

        Returns
        -------
        list of dict
            What ``rows`` gives.
        """
        warn_of_old_name("to_dict", "rows")
        return self.rows()

    def to_frame(self) -> Any:
        """Give a pandas DataFrame, which can write Markdown, LaTeX and CSV.

        Returns
        -------
        pandas.DataFrame
            What ``rows`` gives.
        """
        return import_extra("pandas", "to_frame", "pandas").DataFrame(self.rows())


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


def as_html(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'
