"""Results as text, Markdown or JSON."""

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any

from sklearn_ap._base.extras import printable

if TYPE_CHECKING:
    from sklearn_ap._program.cli._file_predictions import FilePredictions


WIDTH = 80
TABLE_WIDTH = 100  # of results, as in Python
# What functions have for an option, or call by another name.
OPTIONS = {
    "sample_weight": "--weight",
    "inclusion_probability": "--inclusion-probability",
    "y_true": "--label",
    "n_labels": "--n",
    "those of exclude": "those that have a label",
    "rows_to_label": "sklearn-ap label",
    "relevance_level": "--relevance-level",
    "prevalence=None": "--prevalence own",
    "of one segment use average_precision_interval": "of one segment use sklearn-ap score",
    "rng": "--seed",
    "confidence_level": "--confidence-level",
    "method='logit'": "--method logit",
    "leave out method=": "leave out --method",
    "Leave out method=": "Leave out --method",
    "complete=True": "--complete",
    "n_looks": "N",
    "spending is 'unlimited'": "--spending is unlimited",
    "sklearn_ap.definitions": "score without --definition",
    "compat.compare(..., tools='all')": "compare --all",
}

Row = dict[str, Any]


def written(
    predictions: "FilePredictions", rows: list[Row], text: str, how: str, k: int | None
) -> str:
    """Write what was found, as rows or in their text, in the format asked for.

    ``k`` is that of all rows, unless they say it themselves.
    """
    if how == "json":
        facts = predictions.facts | ({} if k is None else {"k": k})
        # JSON has no nan, which becomes null.
        known = [{k: None if v != v else v for k, v in row.items()} for row in rows]
        return json.dumps(facts | {"results": known}, indent=1)
    from sklearn_ap._questions.paper import markdown

    head = predictions.head + ("" if k is None else f" k is {k}.")
    shown = [*map(_as_printed, rows)]
    cells = [[_cell(value) for value in row.values()] for row in shown]
    table = markdown([*shown[0]], cells) if how == "markdown" else fold(text, TABLE_WIDTH)
    return f"{fold(head)}\n\n{table}"


def line(kind: str, message: str) -> str:
    return f"sklearn-ap: {kind}: {printable(' '.join(with_options(message).split()))}\n"


def with_options(message: str) -> str:
    """What a function says of its arguments, with the options of the command line."""
    goals = "k|near|information|prevalence|precision|recall|guarantee|cost|judge|guess|reference"
    first = re.sub(rf"^({goals}) ", r"--\1 ", message)
    names = "|".join(map(re.escape, OPTIONS))
    # Not what is quoted, as a column may be called so, nor a part of a path.
    pattern = rf"(?<![\w'\"/\\.-])({names})(?![\w'\"/\\-]|\.\w)"
    return re.sub(pattern, lambda found: OPTIONS[found[1]], first)


def fold(text: str, width: int = WIDTH) -> str:
    """Break lines that are wider than a terminal; the rest stands below the last column."""
    lines = []
    for line in text.splitlines():
        # " 0.7167  sklearn.auc" -> 9 spaces
        indent = len(line) - len(re.sub(r"^\s*(\S+ {2,})?", "", line))
        lines += textwrap.wrap(line, width, subsequent_indent=" " * indent) or [""]
    return "\n".join(lines)


def _as_printed(row: Row) -> Row:
    """Show a threshold with as many digits as select its rows."""
    shown = {name: value for name, value in row.items() if name != "printed_threshold"}
    return shown | ({"threshold": row["printed_threshold"]} if len(shown) < len(row) else {})


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else printable(str(value))
