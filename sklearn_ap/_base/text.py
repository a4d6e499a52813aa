"""What is printed or shown in a notebook: one line that names it, a table, and remarks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.extras import import_extra, printable, printable_lines
from sklearn_ap._base.inputs.checks import SHOWN
from sklearn_ap._base.inputs.rankings import Rankings

Row = dict[str, Any]
Column = tuple[str, Callable[[Row], str]]  # its head, and its cell in a row

MOST_RANKINGS = 20  # that a table shows
FIRST_LINES = 5  # lines of arrays
LINE_WIDTH = 100  # letters of a line of cells
WIDTH_OF_WORDS = 80
LONGEST_NAME = 17  # so that a table of two models is not wider than that
# With 12 queries, a tenth of differences were 1.25 times as wide as with one weight of the judge
# for both models.
FEW_FOR_A_JUDGE = 20
FEW_QUERIES_REMARK = (
    f"below {FEW_FOR_A_JUDGE} labelled queries, weights of the judge and differences are rough"
)
REFERENCE = "reference"  # in the place of a difference
HOLM = "p (Holm)"  # the head of p-values that are adjusted for their number
UNKNOWN = "\N{EN DASH}"  # in the place of nan
FEWEST_DIGITS, MANY_DIGITS = 6, 40  # of a threshold; the second are more than any float has
LARGEST_WHOLE = 16  # digits before the point, from which a threshold has an exponent, as in Python
# What scores may have been computed in; what is compared with them is rounded to that.
KINDS = np.float16, np.float32, np.float64, np.longdouble


class Table(NamedTuple):
    """What is printed, or shown in a notebook: cells, the head first, and lines around them."""

    cells: list[list[str]]
    remarks: list[str]
    heading: str = ""
    reference: str = ""  # of a comparison, whose differences may stand in a table of their own
    explanation: str = ""  # what the heading means, seen where the mouse points at it


class PrintedTable(ABC):
    """What is printed as a table."""

    __slots__ = ()

    @abstractmethod
    def _table(self) -> Table:
        """Give what is printed."""

    def __repr__(self) -> str:
        return table_as_text(self._table())

    def _repr_html_(self) -> str:
        return table_as_html(self._table())


class PrintedArrays(PrintedTable):
    """Arrays of one length, printed as the first lines of a table."""

    __slots__ = ()

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Give the columns of the table."""

    @abstractmethod
    def _heading(self) -> str:
        """Give the line above the table."""

    def to_frame(self) -> Any:
        """Give a pandas DataFrame, which can write Markdown, LaTeX and CSV.

        Returns
        -------
        pandas.DataFrame
            All columns, of which the first lines are printed.
        """
        return import_extra("pandas", "to_frame", "pandas").DataFrame(self._columns())

    def _texts(self) -> dict[str, list[str]]:
        """Give the first cells of columns that six digits are not enough for."""
        return {}

    def _table(self) -> Table:
        columns = self._columns()
        shown = {
            name: [*map(cell_as_text, column[:FIRST_LINES])] for name, column in columns.items()
        }
        lines = [[*line] for line in zip(*(shown | self._texts()).values(), strict=True)]
        more = rows_left_out(max(map(len, columns.values())) - len(lines))
        return Table([[*columns], *lines], more, self._heading())


class Cases(NamedTuple):
    """What a result rests on: its rows, and what of them is sampled at random."""

    n_rows: int = 0  # 0 if nobody knows
    n_positives: float = np.nan  # nan for several rankings
    share: float = np.nan  # of positives; nan where rankings have other rows
    unit: str = ""  # what is sampled
    n_units: int = 0
    average: str = ""  # how several rankings became one number
    folds: str = ""
    runs: str = ""  # of a method, which are sampled, too


def cases_of_rows(rankings: Rankings) -> Cases:
    """What is said of rows that are in one ranking each."""
    n_rows, n_positives = rankings.score.size, float(rankings.n_hits.sum())
    clusters, unit, n_units = rankings.clusters, "row", 0
    if clusters is not None:
        unit, n_units = "cluster", int(clusters.max()) + 1
    return Cases(n_rows, n_positives, n_positives / n_rows, unit, n_units)


def title_with_prevalence(title: str, prevalence: float | None) -> str:
    """The title of a definition, with the prevalence if there is one."""
    return title + ("" if prevalence is None else f" at prevalence {prevalence:.3g}")


def headline(title: str, cases: Cases | None, labels: Any = None) -> str:
    """What was computed, of what, and over what it is uncertain."""
    known = cases or Cases()
    rows = count_as_text(known.n_rows, "row") if known.n_rows else ""
    if labels is not None:
        rows = f"{labels.n_labelled:,} of {count_as_text(labels.n_units, labels.unit)} labelled"
        rows += "" if labels.judge is None else ", judge on all"
    positives = ""
    if not np.isnan(known.n_positives):
        share = "" if np.isnan(known.share) else f" ({100 * known.share:.3g}%)"
        positives = count_as_text(known.n_positives, "positive") + share
    sampled = "rows" if known.unit == "row" else count_as_text(known.n_units, known.unit)
    sampled = f"{sampled} and {known.runs}" if known.runs else sampled
    sampled = f"uncertainty over {sampled}" if known.unit else ""
    title = f"mean {title}" if known.unit == "query" else title
    parts = title, known.average, rows, positives, known.folds, sampled
    return ", ".join(filter(None, parts))


def count_as_text(number: float, what: str) -> str:
    """As "1 row", "2,000 rows" and "40 queries"."""
    several = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{cases_as_text(number)} {what if number == 1 else several}"


def cases_as_text(cases: float) -> str:
    """As "2,000", or with six digits if weights are not whole."""
    return f"{cases:,.0f}" if cases % 1 == 0 else f"{cases:,.6g}"


def threshold_as_text(threshold: Any, next_score: Any) -> str:
    """Print a threshold so that the rows which score at least what is printed are the same.

    It is rounded down, and stays above ``next_score``, the highest score below it. It has six
    digits, or as many more as that takes; all of them if ``next_score`` is nan, which says that
    nobody knows it.
    """
    if isinstance(threshold, int) or not np.isfinite(threshold):
        return UNKNOWN if threshold != threshold else str(threshold)
    exact = Context(MANY_DIGITS).normalize(Decimal(str(threshold)))
    n_digits, n_whole = len(exact.as_tuple().digits), exact.adjusted() + 1
    fewest = max(FEWEST_DIGITS, n_whole if n_whole <= LARGEST_WHOLE else 0)
    for n in range(n_digits if next_score != next_score else fewest, n_digits):
        rounded = Context(n, ROUND_FLOOR).normalize(exact)
        if _is_above(next_score, rounded, threshold):
            return _decimal_as_text(rounded)
    return _decimal_as_text(exact)


def _is_above(next_score: Any, rounded: Decimal, threshold: Any) -> bool:
    """Whether a number is above the next score in each precision that the scores may have."""
    with np.errstate(over="ignore"):
        kinds = [kind for kind in KINDS if np.longdouble(kind(threshold)) == threshold]
        return all(np.longdouble(kind(str(rounded))) > next_score for kind in kinds)


def _decimal_as_text(number: Decimal) -> str:
    """As Python prints floats, but without a point after whole numbers."""
    if not number:
        return "0"
    if -5 < number.adjusted() < LARGEST_WHOLE:
        return f"{number:f}"
    digits, _, exponent = f"{number:e}".partition("e")
    return f"{digits}e{int(exponent):+03}"


def counts_as_text(**numbers: float) -> str:
    """As "3 thresholds, 1 positive"."""
    return ", ".join(count_as_text(number, what) for what, number in numbers.items())


def weight_as_text(weight: Any) -> str:
    """Print whole numbers whole, as 1939740, and others with six digits."""
    return f"{weight:.0f}" if weight % 1 == 0 and weight < 1e15 else f"{weight:g}"


def cell_as_text(value: Any) -> str:
    """Print numbers with six digits at most, and nan as a dash."""
    if isinstance(value, float | np.floating):
        return UNKNOWN if value != value else f"{value:.6g}"
    return str(value)


def table_of_rows(rows: list[Row], columns: list[Column], remarks: list[str]) -> Table:
    """The head and the first lines, each with the name of its ranking before it, if it has one."""
    if "ranking" in rows[0]:
        columns = [("ranking", lambda row: str(row["ranking"])), *columns]
    lines = [[cell(row) for _, cell in columns] for row in rows[:MOST_RANKINGS]]
    return Table(
        [[head for head, _ in columns], *lines], rows_left_out(len(rows) - len(lines)) + remarks
    )


def limits_column(confidence_level: float, kind: str = "") -> Column:
    return interval_head(confidence_level, kind), lambda row: interval_as_text(
        row["low"], row["high"]
    )


def first_and_more(names: Sequence[str], most: int | None = SHOWN) -> str:
    """As "a, b and 3 more"."""
    more = 0 if most is None else len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def table_as_html(table: Table) -> str:
    hover = f' title="{escape_html(table.explanation)}"' if table.explanation else ""
    heading = f"<p{hover}>{escape_html(table.heading)}</p>" if table.heading else ""
    cells = html_table(table.cells[0], table.cells[1:]) if table.cells else ""
    return "".join([heading, cells, *(f"<p>{escape_lines(text)}</p>" for text in table.remarks)])


def escape_html(text: str) -> str:
    """Escape tags, and what no page should get."""
    return escape(printable(text))


def escape_lines(text: str) -> str:
    """Escape each line of a text so."""
    return "\n".join(map(escape_html, text.split("\n")))


def html_table(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape_html(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{number_as_text(value)}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape_html(str(value))}</td>'


def difference_cells(row: Row, is_reference: bool, alternative: str) -> list[str]:
    if is_reference:
        return [REFERENCE, "", "", ""]
    limits = row["difference_low"], row["difference_high"]
    low, high = (number_as_text(limit, "+") for limit in limits)
    sides = {"greater": f">= {low}", "less": f"<= {high}"}
    text = interval_as_text(*limits, "+")
    return [
        number_as_text(row["difference"], "+"),
        text if text == UNKNOWN else sides.get(alternative, text),
        pvalue_as_text(row["pvalue"]),
        pvalue_as_text(row["adjusted_pvalue"]),
    ]


def difference_heads(
    shown: str, confidence_level: float, alternative: str, kind: str = ""
) -> list[str]:
    """The heads of ``difference_cells``: a limit on one side says so."""
    level = interval_head(confidence_level, kind)
    if alternative != "two-sided":
        level = level.replace("interval", "one-sided")
    return [f"minus {shown}", level, "p-value", HOLM]


def interval_head(confidence_level: float, kind: str = "") -> str:
    """As "95% interval", or "95% logit interval"."""
    return " ".join(filter(None, [level_as_text(confidence_level), kind, "interval"]))


def level_as_text(level: float) -> str:
    """As "95%", or with as many nines as it has: "99.99999999959%"."""
    n_digits = max(4, 1 - int(np.floor(np.log10(1 - level))))
    return f"{100 * level:.{n_digits}g}%"


def number_as_text(value: float, sign: str = "") -> str:
    return UNKNOWN if value != value else f"{value:{sign}.4f}"


def interval_as_text(low: float, high: float, sign: str = "") -> str:
    if low != low and high != high:
        return UNKNOWN
    return f"[{number_as_text(low, sign)}, {number_as_text(high, sign)}]"


def pvalue_as_text(value: float) -> str:
    # The least of 9,999 random orders is 1 / 10,000: none of them scores as high.
    return "< 0.0001" if value <= 1e-4 else number_as_text(value)


def pvalue_in_words(value: float) -> str:
    """As "p = 0.012"."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The beginning and the end of each name, as short as they differ."""
    longest, known = LONGEST_NAME, {*names}
    while len({_shortened(name, longest) for name in known}) < len(known):
        longest += 1
    return {name: _shortened(name, longest) for name in known}


def _shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 9]}...{name[-6:]}"


def rows_left_out(n_rows: int) -> list[str]:
    return [f"... and {n_rows} more"] if n_rows else []


def table_as_text(table: Table) -> str:
    """The table in letters of one width.

    If a comparison is wider than a line, its line of the reference says what differences are from.
    If that is not enough, it becomes two tables: scores, then differences.
    """
    lines = _aligned(table.cells)
    if table.reference and len(max(lines, key=len)) > LINE_WIDTH:
        head = table.cells[0]
        start = head.index("estimate")
        end = next(i for i, each in enumerate(head) if each.startswith("minus "))
        if any(row[end] == REFERENCE for row in table.cells):
            renamed = [*head[:end], "difference", *head[end + 1 :]]
            lines = _aligned([renamed, *table.cells[1:]])
    if table.reference and len(max(lines, key=len)) > LINE_WIDTH:
        scores = [row[:end] for row in table.cells]
        others = [row[:start] + row[end:] for row in table.cells]
        others = [row for row in others if row[start] != REFERENCE]
        others[0][start] = "difference"
        lines = [*_aligned(scores), "", f"minus {printable(table.reference)}:", *_aligned(others)]
    heading = [fill(printable(table.heading), WIDTH_OF_WORDS)] if table.heading else []
    return "\n".join([*heading, *lines, *map(printable_lines, table.remarks)])


def _aligned(cells: list[list[str]]) -> list[str]:
    """Columns of one width, all aligned to the right but the first."""
    cells = [[*map(printable, row)] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]
