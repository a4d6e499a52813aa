"""Results as text, Markdown or JSON."""

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_ap._extras import printable
from sklearn_ap._program.cli.lines import fold
from sklearn_ap._results.text import TABLE_WIDTH, number_as_text, pvalue_as_text

if TYPE_CHECKING:
    from sklearn_ap._program.cli._file_predictions import FilePredictions


# Characters with a meaning in Markdown; not "_" within a word, nor "<" before a number
MARKDOWN_SYNTAX = re.compile(
    r"[|`\[*]|\\(?=[!-/:-@\[-`{-~])|<(?=[a-z/!?]|[^\s<>]*@)|&(?=#?\w+;)|~(?=~)|(?<![^\W_])_|_(?![^\W_])",
    re.IGNORECASE,
)

Row = dict[str, Any]


class Finding(NamedTuple):
    """Whether a requirement is shown, and why."""

    requirement: str
    is_shown: bool
    sentence: str


def format_answer(
    predictions: "FilePredictions",
    rows: list[Row],
    text: str,
    style: str,
    k: int | None = None,
    findings: Sequence[Finding] = (),
) -> str:
    """Write an answer in the style asked for: its text, or its rows as Markdown or JSON.

    ``k`` is the number of ranks of all rows, unless the rows have numbers of their own. The last
    line says whether each requirement is shown; it is not folded, so that ``tail -n 1`` prints it.
    """
    if style == "json":
        facts = predictions.facts | ({} if k is None else {"k": k}) | _findings_in_json(findings)
        # JSON has no nan, which becomes null.
        results = [
            {name: None if value != value else value for name, value in row.items()} for row in rows
        ]
        return json.dumps(facts | {"results": results}, indent=1)
    head = predictions.head + ("" if k is None else f" k is {k}.")
    table = fold(text.replace("to_frame() has all", "--format json has all"), TABLE_WIDTH)
    if style == "markdown":
        printed_rows = [*map(_printed_row, rows)]
        cells = [[_cell(value) for value in row.values()] for row in printed_rows]
        table = markdown([*printed_rows[0]], cells)
    last_line = f"\n\n{_last_line(findings)}" if findings else ""
    return f"{fold(head)}\n\n{table}{last_line}"


def _findings_in_json(findings: Sequence[Finding]) -> dict[str, object]:
    if not findings:
        return {}
    names = "requirement", "shown", "reason"
    required = [dict(zip(names, finding, strict=True)) for finding in findings]
    return {"required": required, "shown": all(finding.is_shown for finding in findings)}


def _last_line(findings: Sequence[Finding]) -> str:
    """Write all requirements in one line, first those that are not shown."""
    ordered = sorted(findings, key=lambda finding: finding.is_shown)
    lines = (
        f"{'Shown' if finding.is_shown else 'Not shown'}: {finding.requirement}. {finding.sentence}"
        for finding in ordered
    )
    return printable(" ".join(lines))


def markdown(head: list[str], lines: list[list[str]]) -> str:
    """Write a table in Markdown, in which names look as they are."""
    rows = [[_escape_markdown(cell) for cell in line] for line in (head, *lines)]
    rows.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escape_markdown(text: str) -> str:
    """Escape characters with a meaning in Markdown: of tags, links, code, or ends of cells."""
    return MARKDOWN_SYNTAX.sub(lambda match: "\\" + match[0], text)


def _printed_row(row: Row) -> Row:
    """Print a threshold with all digits, which select its rows, and a p-value as results do."""
    ways: dict[str, Callable[[float], str]] = {"threshold": str, "pvalue": pvalue_as_text}
    known = [name for name in ways if row.get(name) is not None and row[name] == row[name]]
    return row | {name: ways[name](row[name]) for name in known}


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    return number_as_text(value, 4) if isinstance(value, float) else printable(str(value))
