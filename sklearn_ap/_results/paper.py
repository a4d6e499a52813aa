"""Tables for papers: a row for each name, a column for each measure."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from sklearn_ap._extras import printable
from sklearn_ap._uncertainty.confidence_limits import holm_adjusted
from sklearn_ap.definitions._option_checks import check_choice
from sklearn_ap.definitions._prevalence import title_at

Style = Literal["markdown", "latex"]
Columns = dict[str, dict[str, str]]  # by their heads; cells by the names of rows
NAMES = "name", "ranking", "segment"  # what a row is called by
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX |= {letter: f"\\{letter}" for letter in "&%$#_{}"} | {sign: f"${sign}$" for sign in "<>|"}


def paper_table(results: Sequence[Any], style: Style, digits: int) -> str:
    """Give a row for each name, and for each result its limits and adjusted p-values."""
    check_choice("style", style, Style)
    if not isinstance(digits, Integral) or isinstance(digits, bool) or digits < 1:
        raise ValueError(f"digits must be an integer from 1 on, got {digits!r}.")
    for result in results:
        if not {"confidence_level", "chance"} & {*dir(result)}:
            raise TypeError(f"{type(result).__name__} has no score to print.")
        if getattr(result, "remark", ""):
            raise ValueError(f"There is no threshold to print. {result.remark}")
    tables = [{_name(row): row for row in result.rows()} for result in results]
    tests = {
        (i, name): row["pvalue"]
        for i, rows in enumerate(tables)
        for name, row in rows.items()
        if _is_tested(results[i], row)
    }
    adjusted = dict(zip(tests, holm_adjusted(np.array([*tests.values()])).tolist(), strict=True))
    columns: Columns = {}
    for i, (result, rows) in enumerate(zip(results, tables, strict=True)):
        pvalues = {name: _pvalue(adjusted[i, name]) for name in rows if (i, name) in tests}
        found = _columns(result, rows, pvalues, digits)
        for head in filter(columns.__contains__, found):
            raise ValueError(
                f"Two results have the same definition, or are operating points, so two columns "
                f"have the head {head!r}. Make a table of each."
            )
        columns |= found
    names = dict.fromkeys(name for rows in tables for name in rows)
    lines = [[name, *(cells.get(name, "") for cells in columns.values())] for name in names]
    return (markdown if style == "markdown" else _latex)(["", *columns], lines)


def _columns(result: Any, rows: dict[str, Any], pvalues: dict[str, str], digits: int) -> Columns:
    """The columns of one result: a cell for each name, by their heads."""

    def cells(*numbers: str) -> dict[str, str]:
        return {name: _cell([row[key] for key in numbers], digits) for name, row in rows.items()}

    level = f" ({100 * getattr(result, 'confidence_level', 0):g}% CI)"
    if hasattr(result, "threshold"):
        at = "" if result.prevalence is None else f" at prevalence {result.prevalence:.3g}"
        return {
            share + (at if share != "recall" else "") + level: cells(
                share, f"{share}_low", f"{share}_high"
            )
            for share in ("precision", "recall", "selected")
        }
    title = title_at(result.definition, result.prevalence)
    if hasattr(result, "chance"):
        scores = {title: cells("score"), f"{title} by chance": cells("chance")}
        return scores | {f"p, {title} vs chance": pvalues}
    reference = getattr(result, "reference", None)
    versus = "" if reference is None else f" vs {printable(str(reference))}"
    scores = {title + level: cells("estimate", "low", "high")}
    return scores | ({f"p, {title}{versus}": pvalues} if pvalues else {})


def _name(row: dict[str, Any]) -> str:
    text = ", ".join(printable(str(row[name])) for name in NAMES if name in row)
    if not text and "threshold" in row:
        return f"threshold {row['threshold']:.6g}"
    return text or "score"


def _cell(numbers: list[float], digits: int) -> str:
    """A number, and its limits if there are any."""
    number, *limits = (f"{each:.{digits}f}" for each in numbers)
    return f"{number} ({limits[0]} to {limits[1]})" if limits else number


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
