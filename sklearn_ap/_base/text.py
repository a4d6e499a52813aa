"""Text of results, for a terminal or a notebook: a heading, a table, and remarks."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from html import escape
from textwrap import fill
from typing import NamedTuple

import numpy as np

from sklearn_ap._extras import import_extra, printable, printable_lines
from sklearn_ap._inputs.labels import SHOWN
from sklearn_ap._types import Array, DataFrame, Keywords

Row = Keywords  # numbers and names of one line of a table

FIRST_LINES = 5  # the number of printed lines of arrays
TEXT_WIDTH = 80  # letters of a line of words
UNKNOWN = "\N{EN DASH}"  # printed instead of nan
FEWEST_DIGITS = 6  # the fewest digits of a threshold
MOST_DIGITS = 40  # the most digits of a threshold: no float has more
MOST_WHOLE_DIGITS = 16  # before the point; larger thresholds have an exponent, as in Python
# Types of floats in which scores may have been computed. Numbers that are compared with scores are
# rounded to these.
FLOAT_TYPES = np.float16, np.float32, np.float64, np.longdouble


class Table(NamedTuple):
    """A table to print, or to show in a notebook, with lines around it."""

    cells: list[list[str]]  # rows of cells, the head first
    remarks: list[str]
    heading: str = ""


class PrintedTable(ABC):
    """A result that is printed as a table."""

    __slots__ = ()

    @abstractmethod
    def _table(self) -> Table:
        """Return the table that is printed."""

    def __repr__(self) -> str:
        return table_as_text(self._table())

    def _repr_html_(self) -> str:
        return table_as_html(self._table())


class PrintedArrays(PrintedTable):
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

    def _texts(self) -> dict[str, list[str]]:
        """Return the first cells of columns that need more than six digits."""
        return {}

    def _table(self) -> Table:
        columns = self._columns()
        shown = {
            name: [*map(cell_as_text, column[:FIRST_LINES])] for name, column in columns.items()
        }
        lines = [[*line] for line in zip(*(shown | self._texts()).values(), strict=True)]
        more = rows_left_out(max(map(len, columns.values())) - len(lines))
        return Table([[*columns], *lines], more, self._heading())


def title_with_prevalence(title: str, prevalence: float | None) -> str:
    """Return the title of a definition, with the prevalence if there is one."""
    return title + ("" if prevalence is None else f" at prevalence {prevalence:.3g}")


SIBILANTS = "ss", "us", "x", "z", "ch", "sh"  # nouns with these ends take "es"


def count_as_text(number: float, noun: str) -> str:
    """Print a number of things, as "1 row", "2,000 rows", "40 queries" and "3 searches"."""
    return f"{cases_as_text(number)} {noun if number == 1 else plural_of(noun)}"


def plural_of(noun: str) -> str:
    """Return the plural of a noun, such as "queries" and "searches"; "sales" is one already."""
    if noun.endswith("y") and noun[-2:-1] not in (*"aeiou", ""):  # "query", not "day"
        return f"{noun[:-1]}ies"
    if noun.endswith(SIBILANTS):
        return f"{noun}es"
    return noun if noun.endswith("s") else f"{noun}s"


def cases_as_text(cases: float) -> str:
    """Print a number of cases, as "2,000", or with six digits if weights are not whole."""
    return f"{cases:,.0f}" if cases % 1 == 0 else f"{cases:,.6g}"


def threshold_as_text(threshold: float, next_score: float) -> str:
    """Print a threshold so that the printed number selects the same rows.

    It is rounded down, and stays above ``next_score``, the highest score below it. It has the
    fewest digits, or more if needed, and all of its digits if ``next_score`` is nan, for unknown.
    """
    if isinstance(threshold, int) or not np.isfinite(threshold):
        return UNKNOWN if threshold != threshold else str(threshold)
    exact = Context(MOST_DIGITS).normalize(Decimal(str(threshold)))
    n_digits = len(exact.as_tuple().digits)
    n_whole = exact.adjusted() + 1  # digits before the point
    fewest = max(FEWEST_DIGITS, n_whole if n_whole <= MOST_WHOLE_DIGITS else 0)
    for n in range(n_digits if next_score != next_score else fewest, n_digits):
        rounded = Context(n, ROUND_FLOOR).normalize(exact)
        if _is_above(next_score, rounded, threshold):
            return _decimal_as_text(rounded)
    return _decimal_as_text(exact)


def _is_above(next_score: float, rounded: Decimal, threshold: float) -> bool:
    """Check whether a number is above the next score in each precision that scores may have."""
    with np.errstate(over="ignore"):
        types = [kind for kind in FLOAT_TYPES if np.longdouble(kind(threshold)) == threshold]
        return all(np.longdouble(kind(str(rounded))) > next_score for kind in types)


def _decimal_as_text(number: Decimal) -> str:
    """Print a number as Python prints floats, but without a point after whole numbers."""
    if not number:
        return "0"
    if -5 < number.adjusted() < MOST_WHOLE_DIGITS:
        return f"{number:f}"
    digits, _, exponent = f"{number:e}".partition("e")
    return f"{digits}e{int(exponent):+03}"


def counts_as_text(**numbers: float) -> str:
    """Print several counts, as "3 thresholds, 1 positive"."""
    return ", ".join(count_as_text(number, noun) for noun, number in numbers.items())


def cell_as_text(value: object) -> str:
    """Print numbers with six digits at most, and nan as a dash."""
    if isinstance(value, float | np.floating):
        return UNKNOWN if value != value else f"{value:.6g}"
    return str(value)


def first_and_more(names: Sequence[str], most: int | None = SHOWN) -> str:
    """List names as "a, b and 3 more"."""
    n_more = 0 if most is None else len(names) - most
    return ", ".join(names[:most]) + (f" and {n_more:,} more" if n_more > 0 else "")


def table_as_html(table: Table) -> str:
    heading = f"<p>{escape_html(table.heading)}</p>" if table.heading else ""
    cells = html_table(table.cells[0], table.cells[1:]) if table.cells else ""
    return "".join([heading, cells, *(f"<p>{escape_lines(text)}</p>" for text in table.remarks)])


def escape_html(text: str) -> str:
    """Escape tags, and letters that cannot be printed."""
    return escape(printable(text))


def escape_lines(text: str) -> str:
    """Escape each line of a text as ``escape_html`` does."""
    return "\n".join(map(escape_html, text.split("\n")))


def html_table(columns: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape_html(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{number_as_text(value)}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape_html(str(value))}</td>'


def interval_head(confidence_level: float) -> str:
    """Return the head of an interval, as "95% interval"."""
    return f"{level_as_text(confidence_level)} interval"


def level_as_text(level: float) -> str:
    """Print a level as "95%", or with all of its nines: "99.99999999959%"."""
    n_digits = max(4, 1 - int(np.floor(np.log10(1 - level))))
    return f"{100 * level:.{n_digits}g}%"


def number_as_text(value: float, sign: str = "") -> str:
    return UNKNOWN if value != value else f"{value:{sign}.4f}"


def rows_left_out(n_rows: int) -> list[str]:
    return [f"... and {n_rows} more"] if n_rows else []


def table_as_text(table: Table) -> str:
    """Print a table in letters of one width."""
    lines = _align(table.cells)
    heading = [fill(printable(table.heading), TEXT_WIDTH)] if table.heading else []
    remarks = map(printable_lines, table.remarks)
    return "\n".join([*heading, *lines, *remarks])


def _align(cells: list[list[str]]) -> list[str]:
    """Align columns to the right, but the first to the left."""
    cells = [[*map(printable, row)] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]
