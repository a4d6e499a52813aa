"""Tables of papers: systems by measures, with p-values that are adjusted for the whole table."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from sklearn_ap._extras import printable
from sklearn_ap._uncertainty.confidence_limits import holm_adjusted
from sklearn_ap.definitions._option_checks import check_choice
from sklearn_ap.definitions._prevalence import title_at

Style = Literal["markdown", "latex"]
NAMES = "name", "ranking", "segment"  # what a row is called by
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX |= {letter: f"\\{letter}" for letter in "&%$#_{}"} | {sign: f"${sign}$" for sign in "<>|"}


def paper_table(results: Sequence[Any], style: Style, digits: int) -> str:
    """Give a row for each name, and for each result its limits and adjusted p-values."""
    check_choice("style", style, Style)
    if not isinstance(digits, Integral) or isinstance(digits, bool) or digits < 1:
        raise ValueError(f"digits must be an integer from 1 on, got {digits!r}.")
    for result in results:
        if not {"definition", "confidence_level"} <= {*dir(result)}:
            raise TypeError(f"{type(result).__name__} has no interval of a score to print.")
    titles = [title_at(result.definition, result.prevalence) for result in results]
    if len({*titles}) < len(titles):
        raise ValueError("Two results have the same definition, so columns have the same head.")
    tables = [{_name(row): row for row in result.rows()} for result in results]
    tests = {
        (i, name): row["pvalue"]
        for i, rows in enumerate(tables)
        for name, row in rows.items()
        if _is_tested(results[i], row)
    }
    adjusted = dict(zip(tests, holm_adjusted(np.array([*tests.values()])).tolist(), strict=True))
    columns: dict[str, dict[str, str]] = {}
    for i, (result, rows) in enumerate(zip(results, tables, strict=True)):
        head = f"{titles[i]} ({100 * result.confidence_level:g}% CI)"
        columns[head] = {name: _limits(row, digits) for name, row in rows.items()}
        pvalues = {name: _pvalue(adjusted[i, name]) for name in rows if (i, name) in tests}
        reference = getattr(result, "reference", None)
        versus = "" if reference is None else f" vs {printable(str(reference))}"
        columns |= {f"p, {titles[i]}{versus}": pvalues} if pvalues else {}
    names = dict.fromkeys(name for rows in tables for name in rows)
    lines = [[name, *(cells.get(name, "") for cells in columns.values())] for name in names]
    return (markdown if style == "markdown" else _latex)(["", *columns], lines)


def _name(row: dict[str, Any]) -> str:
    text = ", ".join(printable(str(row[name])) for name in NAMES if name in row)
    return text or "score"


def _limits(row: dict[str, Any], digits: int) -> str:
    estimate, low, high = (f"{row[name]:.{digits}f}" for name in ("estimate", "low", "high"))
    return f"{estimate} ({low} to {high})"


def _is_tested(result: Any, row: dict[str, Any]) -> bool:
    is_reference = "name" in row and row["name"] == getattr(result, "reference", None)
    return not is_reference and row.get("pvalue", np.nan) >= 0


def _pvalue(pvalue: float) -> str:
    return "<0.001" if pvalue < 0.001 else f"{pvalue:.3f}"


def markdown(head: list[str], lines: list[list[str]]) -> str:
    rows = [[cell.replace("|", r"\|") for cell in line] for line in (head, *lines)]
    rows.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _latex(head: list[str], lines: list[list[str]]) -> str:
    first, *rest = (" & ".join(map(_escaped, line)) + r" \\" for line in (head, *lines))
    begin = rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
    return "\n".join([begin, r"\hline", first, r"\hline", *rest, r"\hline", r"\end{tabular}"])


def _escaped(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)
