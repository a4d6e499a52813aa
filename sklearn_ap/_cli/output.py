"""Results as text, Markdown or JSON."""

import json
import re
import textwrap
from typing import Any

from sklearn_ap._cli.predictions import Predictions

__all__ = ["WIDTH", "Row", "fold", "written"]

WIDTH = 80

Row = dict[str, Any]


def written(predictions: Predictions, rows: list[Row], text: str, how: str) -> str:
    """Write what was found, as rows or in their text, in the format asked for."""
    if how == "json":
        return _json(predictions, rows)
    found = _markdown(rows) if how == "markdown" else fold(text)
    return f"{fold(predictions.head)}\n\n{found}"


def fold(text: str) -> str:
    """Break lines that are wider than a terminal; the rest stands below the last column."""
    lines = []
    for line in text.splitlines():
        # " 0.7167  sklearn.auc" -> 9 spaces
        indent = len(line) - len(re.sub(r"^\s*(\S+ {2,})?", "", line))
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent) or [""]
    return "\n".join(lines)


def _json(predictions: Predictions, rows: list[Row]) -> str:
    """Write an object; JSON has no nan, which becomes null."""
    known = [{k: None if v != v else v for k, v in row.items()} for row in rows]
    return json.dumps(predictions.facts | {"results": known}, indent=1)


def _markdown(rows: list[Row]) -> str:
    lines = [list(rows[0]), ["---"] * len(rows[0])]
    lines += [[_cell(value) for value in row.values()] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value).replace("|", "\\|")
