"""The protocol of results: text, HTML, frames, dicts, tables for papers, and a picture.

A result is a frozen dataclass with a heading, names of rows, columns, notes and sentences. Notes
are numbers, each under its kind. A sentence is made once, from numbers, and nothing reads it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from math import isnan
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._results._forest_plot import draw_forest
from sklearn_ap._results.column import Column, Estimates, Values
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._types import Axes, Figure, Float, FloatOrArray, Json, Name
from sklearn_ap._writing.table import Table, Tabular, escape_markdown
from sklearn_ap._writing.text import MINUS, name_as_text

Notes: TypeAlias = Mapping[str, FloatOrArray]

MOST_PRINTED_DIGITS = 15  # that a float has
MOST_ROWS = 60  # of a table that is printed whole, as of pandas, and of its picture
SHOWN_ROWS = 20  # of a longer one


class Result(Tabular):
    """What has named rows of numbers, and becomes a frame, a dict or a table for a paper."""

    notes: Notes = MappingProxyType({})
    doubts: tuple[Doubt, ...] = ()
    _choice_of_rows: ClassVar[str] = "rows that come first"  # what the shown ones are called

    @property
    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """What the numbers say, and what else a reader must know."""

    @abstractmethod
    def _names(self) -> Sequence[Name]:
        """Return the name of each row; one of several parts fills as many columns of tables."""

    @abstractmethod
    def _columns(self) -> Sequence[Column]:
        """Return the columns, in the order of frames and of tables."""

    def _facts(self) -> Mapping[str, Json]:
        """Return what all rows share, for JSON."""
        return {}

    def _shown_rows(self) -> Sequence[int]:
        """Return the rows of a printed table and of a picture."""
        n_rows = len(self._names())
        return range(n_rows if n_rows <= MOST_ROWS else SHOWN_ROWS)

    def to_dict(self) -> dict[str, Json]:
        """Return the heading, what all rows share, the rows, sentences, doubts and notes, for JSON.

        Returns
        -------
        dict
            None stands for nan. A name of several parts, such as a tuple, is a list.
        """
        data = {key: values.tolist() for key, values in self._data().items()}
        rows: list[Json] = []
        for row, label in enumerate(self._labels()):
            name: Json = [*label] if len(label) > 1 else label[0]
            numbers = {key: _nan_as_none(column[row]) for key, column in data.items()}
            rows.append({"name": name, **numbers})
        notes = {kind: np.asarray(value).tolist() for kind, value in self.notes.items()}
        return {
            "heading": self.heading,
            **{key: _nan_as_none(fact) for key, fact in self._facts().items()},
            "rows": rows,
            "sentences": [*self.sentences],
            "doubts": [doubt.to_dict() for doubt in self.doubts],
            "notes": {kind: _nan_as_none(value) for kind, value in notes.items()},
        }

    def to_table(
        self, style: Literal["markdown", "latex"] = "markdown", *, digits: int | None = None
    ) -> str:
        """Return all rows as a table for a paper, with cells as "0.30 (0.20 to 0.40)".

        Below it are the sentences and the doubts of the result: in LaTeX as comments, which are not
        typeset.

        Parameters
        ----------
        style : {"markdown", "latex"}, default="markdown"
            The language of the table. LaTeX needs the package booktabs.
        digits : int, default=None
            How many digits estimates and limits have after the point. None writes as many as the
            width of each interval says.

        Returns
        -------
        str
            The table. ``heading`` may be its caption.
        """
        if style not in ("markdown", "latex"):
            raise InputError(f'style must be "markdown" or "latex", got {style!r}.')
        is_whole = isinstance(digits, int | np.integer) and not isinstance(digits, bool)
        if digits is not None and not (is_whole and 0 <= digits <= MOST_PRINTED_DIGITS):
            raise InputError(f"digits must be from 0 to {MOST_PRINTED_DIGITS}, got {digits!r}.")
        rows = range(len(self._names()))
        if style == "markdown":
            table = self._table(rows, shows_levels=True, digits=digits).as_markdown()
            return "\n\n".join([table, *map(escape_markdown, self._said())])
        table = self._table(rows, shows_levels=True, digits=digits, minus=MINUS).as_latex()
        return "\n".join([table, *(f"% {name_as_text(each)}" for each in self._said())])

    def _labels(self) -> list[tuple[str, ...]]:
        """Return the names as text."""
        names = [name if isinstance(name, tuple) else (name,) for name in self._names()]
        return [tuple(map(name_as_text, parts)) for parts in names]

    def _data(self) -> dict[str, Values]:
        """Return the columns of frames, each under its name."""
        return {key: values for column in self._columns() for key, values in column.data().items()}

    def _table(
        self,
        rows: Sequence[int],
        *,
        shows_levels: bool = False,
        minus: str = "-",
        digits: int | None = None,
    ) -> Table:
        """Return these rows of the columns that have a head in tables."""
        columns = [column for column in self._columns() if column.head]
        labels = self._labels()
        n_names = max(map(len, labels), default=1)
        labels = [(*label, *[""] * (n_names - len(label))) for label in labels]
        texts = [column.texts(rows, minus, digits) for column in columns]
        heads = [column.long_head if shows_levels else column.head for column in columns]
        return Table(
            head=[*[""] * n_names, *heads],
            body=[[*labels[row], *cells] for row, *cells in zip(rows, *texts, strict=True)],
            align=[*"<" * n_names, *(column.align for column in columns)],
            n_names=n_names,
        )

    def _printed_table(self) -> Table | None:
        """Return the table to print: none without rows, or for one of which a sentence tells."""
        rows = self._shown_rows()
        return self._table(rows) if len(rows) > 1 or (rows and not self.sentences) else None

    def _texts(self) -> list[str]:
        """Return what stands below a printed table: which rows it leaves out, and what is said."""
        n_rows, n_shown = len(self._names()), len(self._shown_rows())
        if not 0 < n_shown < n_rows:
            return self._said()
        shown = f"Shown are the {n_shown} of {n_rows:,} {self._choice_of_rows}"
        return [f"{shown}; frames, JSON, Markdown and LaTeX have all.", *self._said()]

    def _said(self) -> list[str]:
        """Return the sentences, and below them why these may be wrong."""
        return [*self.sentences, *(doubt.sentence for doubt in self.doubts)]


class ResultWithPlot(Result):
    """What has estimates, and a picture of them."""

    _choice_of_rows = "scores with the lowest upper or the highest lower limits"

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Figure:
        """Draw a forest plot: scores with their limits and, of a comparison, differences.

        Parameters
        ----------
        ax : matplotlib Axes, or a sequence with one for each panel, default=None
            Where to draw. None makes a figure.

        Returns
        -------
        matplotlib Figure
            With the picture.
        """
        rows, labels = self._shown_rows(), self._labels()
        names = [", ".join(labels[row]) for row in rows] if len(rows) > 1 else [""]
        return draw_forest(names, self._panels(), rows, ax)

    def _panels(self) -> list[Estimates]:
        """Return the columns of which a picture has a panel each."""
        return [column for column in self._columns() if isinstance(column, Estimates)]

    def _shown_rows(self) -> Sequence[int]:
        """Return all rows; of many, those that are low or high by their limits, and a reference."""
        panels = self._panels()
        scores, last = panels[0], panels[-1]
        if scores.values.size <= MOST_ROWS:
            return range(scores.values.size)
        is_known = np.isfinite(last.values)
        lowest = np.argsort(np.where(is_known, last.high, np.inf), kind="stable")
        highest = np.argsort(np.where(is_known, -last.low, np.inf), kind="stable")
        references = np.flatnonzero(np.isfinite(scores.values) & ~is_known)
        n_each = SHOWN_ROWS // 2
        return sorted({*lowest[:n_each], *highest[:n_each], *references[:1]})


def as_arrays(result: Result, fields: Sequence[str]) -> dict[str, Float]:
    """Return numbers of a result as arrays, with one entry where they are floats of one score."""
    return {name: np.atleast_1d(getattr(result, name)) for name in fields}


def _nan_as_none(value: Json) -> Json:
    """Return None for nan, which JSON does not have; in lists, too."""
    if isinstance(value, list):
        return [_nan_as_none(item) for item in value]
    return None if isinstance(value, float) and isnan(value) else value
