"""Tables of words: functions that ``compat`` knows, and inputs to which answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import count_as_text, shorten
from sklearn_ap.compat._names import is_called
from sklearn_ap.compat._tools import neighbours, other_tools, read_table

CELL_WIDTH = 60  # letters of a cell
ANSWER_WIDTH = 22  # of one of two, which leaves room for the input


def tools(search: str | None = None) -> Catalogue:
    """List the functions that ``compat`` knows, and packages that compute something else.

    Parameters
    ----------
    search : str, default=None
        A part of a name that people type, such as "coco". None lists all.

    Returns
    -------
    Catalogue
        A row for each function and package, with what it does otherwise than scikit-learn.

    See Also
    --------
    score : The number of one of them.
    identify : Which of them a function of yours is.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.tools("hotcoco")
    1 entry of the table of tools
    hotcoco: gives pycocotools' numbers, in Rust. Here, call
    compat.score("pycocotools", y_true, y_score).
    """
    if not isinstance(search, str | None):
        raise TypeError(f"search must be a string or None, got {search!r:.80}.")
    usual, found = other_tools()[0].choices, {}
    for tool in other_tools():
        if is_called(search, *tool.names):
            differing = (item for item in tool.choices.items() if item not in usual.items())
            found[tool.name] = "; ".join(f"{choice}: {option}" for choice, option in differing)
    for each in neighbours():
        if is_called(search, each.name, each.also_called):
            found[each.name] = f"gives {each.gives}. Here, call {each.call}"
    about = [f"{name}: {text or 'as scikit-learn'}." for name, text in found.items()]
    return Catalogue(
        f"{count_as_text(len(found), 'entry')} of the table of tools",
        tuple(found),
        (_column("differences", [*found.values()], "differs from scikit-learn in", CELL_WIDTH),),
        tuple(about) if len(about) == 1 else (),
    )


def differences() -> Catalogue:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``. Both check their rows as the score does.

    Returns
    -------
    Catalogue
        Each input with the call, the answers, and why. They have at most four digits, and those of
        scikit-learn are of version 1.6 and, where they differ, of later ones.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.differences().to_frame().loc["no positives", "sklearn_ap"]
    '0 and UndefinedMetricWarning'
    """
    rows = [*read_table("differences.tsv")]
    heads = {"scikit_learn": "scikit-learn", "sklearn_ap": "sklearn_ap", "call": "", "why": ""}
    return Catalogue(
        f"{len(rows)} inputs to which scikit-learn and sklearn_ap answer differently",
        tuple(row["input"] for row in rows),
        tuple(
            _column(key, [row[key] for row in rows], head, ANSWER_WIDTH)
            for key, head in heads.items()
        ),
        ("to_frame() has all of each answer, the call, and why the answers differ.",),
    )


def _column(key: str, texts: Sequence[str], head: str, width: int) -> Column:
    values, cells = np.array(texts, np.str_), [shorten(text, width) for text in texts]
    return Column(key=key, values=values, head=head, cells=cells, align="<")


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(PrintedResult):
    """A table of words, such as the functions that ``compat`` knows.

    Parameters
    ----------
    heading : str
        What the rows are.
    names : tuple of str
        Functions and packages, or inputs.
    columns : tuple of Column
        What a frame has of each.
    sentences : tuple of str
        What stands below.
    """

    heading: str = ""
    names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    sentences: tuple[str, ...] = ()

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        return self.columns
