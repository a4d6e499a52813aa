"""What compat knows: the functions of the table, and packages that compute something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import count_as_text, shorten
from sklearn_ap.compat._names import is_called
from sklearn_ap.compat._tools import Tool, neighbours, other_tools

CELL_WIDTH = 60  # letters of a cell


def tools(search: str | None = None) -> Catalogue:
    """List the functions that ``compat`` knows, and packages that compute something else.

    Parameters
    ----------
    search : str, default=None
        A part of the name of a tool or a function, or of another name that people type, such as
        "coco". None lists all.

    Returns
    -------
    Catalogue
        A row for each function, with the choices in which it differs from scikit-learn's, and for
        each package, with what it gives and what to call here.

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
    found = {
        tool.name: _differing_choices(tool)
        for tool in other_tools()
        if is_called(search, *tool.names)
    }
    for each in neighbours():
        if is_called(search, each.name, each.also_called):
            found[each.name] = f"gives {each.gives}. Here, call {each.call}"
    return Catalogue(tuple(found), tuple(found.values()))


def _differing_choices(tool: Tool) -> str:
    usual = other_tools()[0].choices
    differing = (item for item in tool.choices.items() if item not in usual.items())
    return "; ".join(f"{choice}: {option}" for choice, option in differing)


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(PrintedResult):
    """The functions that ``compat`` knows, and packages that compute something else.

    Parameters
    ----------
    names : tuple of str
        The functions of the table, and packages that people look for.
    differences : tuple of str
        The choices in which a function differs from scikit-learn's, or what a package gives and
        what to call here.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.tools("PRROC").names
    ('PRROC.auc.integral',)
    """

    names: tuple[str, ...]
    differences: tuple[str, ...]

    _choice_of_rows = "entries"

    @property
    def heading(self) -> str:
        """How many there are."""
        return f"{count_as_text(len(self.names), 'entry')} of the table of tools"

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of a single row."""
        if len(self.names) != 1:
            return ()
        return (f"{self.names[0]}: {self.differences[0] or 'as scikit-learn'}.",)

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        cells = [shorten(text, CELL_WIDTH) for text in self.differences]
        values = np.array(self.differences, dtype=np.str_)
        head = "differs from scikit-learn in"
        return [Column(key="differences", values=values, head=head, cells=cells, align="<")]
