"""Tables as text, HTML, Markdown and LaTeX, and what all have in common that are shown as one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill

import numpy as np

from sklearn_ap._extras import import_extra
from sklearn_ap._types import Array, DataFrame, Name
from sklearn_ap._writing.text import MINUS, MISSING, TEXT_WIDTH, printable, rounded_as_text, shorten

TABLE_WIDTH = 100  # letters of a line of a table, with its names
LEAST_NAMES = 32  # letters for the names of a line: "baseball glove at 0.55" beside a model
FIRST_LINES = 5  # of long arrays, which are printed
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
FIRST_MARK = re.compile(r"^(\d*)(?=>|[-+#.)]+ )")  # of a quotation, a list or a heading


@dataclass(frozen=True)
class Table:
    """The texts of a table, with a line for each row."""

    head: Sequence[str]
    body: Sequence[Sequence[str]]
    align: Sequence[str]  # "<" or ">" for each column
    n_names: int  # so many columns at the left are names

    def as_text(self, width: int = TABLE_WIDTH) -> list[str]:
        """Return lines. Names that make them too long lose their middle, but stay distinct."""
        lines = (self.head, *self.body)
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        room = max(width - sum(widths[self.n_names :]) - 2 * (len(widths) - 1), LEAST_NAMES)
        shortest_first = sorted(range(self.n_names), key=widths.__getitem__)
        for n_placed, column in enumerate(shortest_first):
            names = {line[column] for line in self.body}
            n_letters = min(widths[column], room // (self.n_names - n_placed))
            while len({shorten(name, n_letters) for name in names}) < len(names):
                n_letters += 1
            widths[column] = n_letters
            room -= n_letters
        return [
            "  ".join(
                f"{shorten(cell, n_letters):{align}{n_letters}}"
                for cell, align, n_letters in zip(line, self.align, widths, strict=True)
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
        head, *body = ([*map(escape_markdown, line)] for line in (self.head, *self.body))
        return "\n".join(f"| {' | '.join(line)} |" for line in (head, rules, *body))

    def as_latex(self) -> str:
        """Return a ``tabular`` with the rules of booktabs, as pandas does."""
        head, *body = (" & ".join(map(_latex_of, row)) + r" \\" for row in (self.head, *self.body))
        columns = "".join("l" if align == "<" else "r" for align in self.align)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def escape_markdown(text: str) -> str:
    """Escape a cell or a sentence."""
    return FIRST_MARK.sub(r"\1\\", text.translate(MARKDOWN))


def _latex_of(cell: str) -> str:
    """Escape a cell. "--" of a name would be a dash, as it is for what is missing."""
    return re.sub("-(?=-)", "-{}", cell.translate(LATEX)).replace(MISSING, "--")


class Tabular(ABC):
    """What is shown as a heading, a table and texts below it, and becomes a frame.

    The table has the first values of all arrays, unless a subclass has another one.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def heading(self) -> str:
        """What was computed, of which sample, and over what intervals are."""

    @abstractmethod
    def _data(self) -> Mapping[str, Sequence[object] | Array]:
        """Return all values by the names of columns of frames."""

    def _names(self) -> Sequence[Name] | None:
        """Return the name of each row; None if they have none."""
        return None

    @property
    def _n_lines(self) -> int:
        """The number of lines that all values fill."""
        return max(map(len, self._data().values()))

    def _printed_table(self) -> Table | None:
        """Return the table to print, if any."""
        data = self._data()
        first = [[*map(_cell, column[:FIRST_LINES])] for column in data.values()]
        head, *body = ([*map(printable, line)] for line in (data, *zip(*first, strict=True)))
        return Table(head=head, body=body, align=["<", *">" * (len(head) - 1)], n_names=0)

    def _texts(self) -> Sequence[str]:
        """Return what stands below the table."""
        n_more = self._n_lines - FIRST_LINES
        return [f"... and {n_more:,} more"] if n_more > 0 else []

    def __repr__(self) -> str:
        heading, *texts = (
            fill(text, TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
            for text in (self.heading, *self._texts())
        )
        table = self._printed_table()
        return "\n".join([heading, *(table.as_text() if table else []), *texts])

    def _repr_html_(self) -> str:
        first, *rest = (f"<p>{escape(text)}</p>" for text in (self.heading, *self._texts()))
        table = self._printed_table()
        content = "".join([first, table.as_html() if table else "", *rest])
        # Else Jupyter's MathJax reads "$z$" of a name as a formula.
        return f'<div class="tex2jax_ignore mathjax_ignore">{content}</div>'

    def to_frame(self) -> DataFrame:
        """Return all numbers as a frame of pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each of the printed table, and for those that it leaves out. Their names, if
            they have some, are the index.
        """
        pandas = import_extra("pandas", "to_frame", "pandas")
        names = self._names()
        # An Index, as a list of tuples would get no levels.
        index = None if names is None else pandas.Index([*names])
        return pandas.DataFrame(self._data(), index=index)


def _cell(value: object) -> str:
    if isinstance(value, float | np.floating):
        return rounded_as_text(float(value), 6)
    return str(value)
