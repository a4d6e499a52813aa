"""The columns of a result, and tables of them as text, HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._results.text import (
    MISSING,
    TABLE_WIDTH,
    OneSide,
    estimate_as_text,
    interval_of,
    shorten,
)
from sklearn_ap._types import Bool, Float, Index

Values: TypeAlias = Float | Index | NDArray[np.str_]

LEAST_NAME = 8  # letters of a name that is cut to fit
MINUS = "\N{MINUS SIGN}"  # of pictures and papers; text has "-", which other programs read
LATEX = str.maketrans(
    {
        MINUS: "$-$",
        "[": "{[}",  # else an option of the rule above, if a name begins with it
        "*": "{*}",
        "\\": r"\textbackslash{}",
        "`": r"\textasciigrave{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        **{letter: f"${letter}$" for letter in "<>|"},
    }
)
MARKDOWN = str.maketrans({letter: f"\\{letter}" for letter in r"\|`*_[<$&~^"})


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """A value for each row of a result.

    Parameters
    ----------
    key : str
        The name of the column in frames.
    values : ndarray of shape (n_rows,)
        Numbers, or words.
    head : str, default=""
        The name in tables; empty if no table shows the column.
    cells : sequence of str, default=()
        The values in tables.
    align : {">", "<"}, default=">"
        The side of its cells; words stand at the left.
    """

    key: str
    values: Values
    head: str = ""
    cells: Sequence[str] = ()
    align: str = ">"

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Return the cells of these rows."""
        return [self.cells[row] for row in rows]


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates(Column):
    """Numbers with their limits, which tables and pictures show together.

    Parameters
    ----------
    low, high : ndarray of shape (n_rows,)
        Confidence limits.
    level : float
        Their level.
    title : str
        The name in pictures and papers, which say the level beside it.
    sign : {"", "+"}, default=""
        "+" for differences.
    is_shown : ndarray of bool, default=None
        Of differences, whether they are shown to be other than 0. None for all.
    open_end : {"low", "high"} or None, default=None
        The limit that is the end of the range and tells nothing, of a one-sided interval.
    margin : float, default=nan
        Of differences, the loss that counts as worse: pictures have a line at minus the margin.
    """

    values: Float
    low: Float
    high: Float
    level: float
    title: str
    sign: str = ""
    is_shown: Bool | None = None
    open_end: OneSide = None
    margin: float = nan
    align: str = "<"  # so that points stand below each other, whatever the digits are

    @property
    def interval(self) -> str:
        """The name of its intervals, such as "95% interval"."""
        return interval_of(self.level, self.open_end)

    def texts(self, rows: Sequence[int], minus: str = "-") -> list[str]:
        """Return cells as "0.52 (0.43 to 0.61)", with this sign of what is below 0."""
        return [self._text(row, minus=minus) for row in rows]

    def phrase(self, row: int) -> str:
        """Return "0.52 (95% interval 0.43 to 0.61)", for a sentence."""
        return self._text(row, self.interval)

    def _text(self, row: int, level: str = "", minus: str = "-") -> str:
        value, low, high = (float(each[row]) for each in (self.values, self.low, self.high))
        ways = {"sign": self.sign, "level": level, "minus": minus}
        return estimate_as_text(value, low, high, **ways, open_end=self.open_end)


@dataclass(frozen=True)
class Table:
    """The texts of a table.

    Parameters
    ----------
    head : sequence of str
    body : sequence of sequences of str
        A line for each row.
    align : sequence of str
        "<" or ">" for each column.
    n_names : int
        How many columns at the left are names.
    """

    head: Sequence[str]
    body: Sequence[Sequence[str]]
    align: Sequence[str]
    n_names: int

    def as_text(self, width: int = TABLE_WIDTH) -> list[str]:
        """Return lines. Names that make them too long lose their middle."""
        lines = (self.head, *self.body)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        room = width - sum(widths[self.n_names :]) - 2 * (len(widths) - 1)
        for place in range(self.n_names):
            widths[place] = min(widths[place], max(room // self.n_names, LEAST_NAME))
        return [
            "  ".join(
                f"{shorten(cell, width):{align}{width}}"
                for cell, align, width in zip(line, self.align, widths, strict=True)
            ).rstrip()
            for line in lines
        ]

    def as_html(self) -> str:
        """Return a table without colours, which takes those of the page."""
        head = self._html_line("th", self.head)
        body = "".join(self._html_line("td", line) for line in self.body)
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"

    def _html_line(self, tag: str, line: Sequence[str]) -> str:
        sides = ["left" if align == "<" else "right" for align in self.align]
        cells = (
            f'<{tag} style="text-align: {side}; padding-inline: 0.5em">{escape(cell)}</{tag}>'
            for side, cell in zip(sides, line, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    def as_markdown(self) -> str:
        """Return a table that GitHub, Jupyter and pandoc read."""
        rules = [":--" if align == "<" else "--:" for align in self.align]
        head, *body = (
            [cell.translate(MARKDOWN) for cell in line] for line in (self.head, *self.body)
        )
        return "\n".join(f"| {' | '.join(line)} |" for line in (head, rules, *body))

    def as_latex(self) -> str:
        """Return a ``tabular`` with the rules of booktabs, as pandas does."""
        head, *body = (self._latex_line(line) for line in (self.head, *self.body))
        columns = "".join("l" if align == "<" else "r" for align in self.align)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def _latex_line(self, line: Sequence[str]) -> str:
        return rf"{' & '.join(map(_latex_of, line))} \\"


def _latex_of(cell: str) -> str:
    """Escape a cell. "--" of a name would be a dash, as it is for what is missing."""
    return re.sub("-(?=-)", "-{}", cell.translate(LATEX)).replace(MISSING, "--")
