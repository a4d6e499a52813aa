"""What compat knows: the functions of the table, and packages that compute something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import count_as_text, shorten
from sklearn_ap.compat._tools import Neighbour, Tool, is_called, names, neighbours, other_tools

WIDTH = 60  # letters of a cell


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
        A row for each function, with the choices in which it differs from scikit-learn's.

    See Also
    --------
    score : The number of one of them.
    identify : Which of them a function of yours is.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.tools("hotcoco")
    0 functions of 0 tools
    hotcoco gives pycocotools' numbers, in Rust. Here, call
    compat.score("pycocotools", y_true, y_score).
    """
    if not isinstance(search, str | None):
        raise TypeError(f"search must be a string or None, got {search!r}.")
    found = (each for each in other_tools() if is_called(search, names(each)))
    others = (each for each in neighbours() if is_called(search, (each.name, each.also_called)))
    return Catalogue(tuple(found), tuple(others))


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(PrintedResult):
    """The functions that ``compat`` knows, and packages that compute something else.

    Print it, or get a table with ``to_frame``.

    Parameters
    ----------
    functions : tuple of Tool
        The functions of the table.
    neighbours : tuple of Neighbour
        Packages that people look for, with what they give and what to call here.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> [tool.name for tool in compat.tools("ROCR").functions]
    ['ROCR.aucpr']
    """

    functions: tuple[Tool, ...]
    neighbours: tuple[Neighbour, ...]

    _choice_of_rows = "functions"

    @property
    def heading(self) -> str:
        """How many there are."""
        n_tools = len({tool.package for tool in self.functions})
        functions = count_as_text(len(self.functions), "function")
        return f"{functions} of {count_as_text(n_tools, 'tool')}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The function of a single row, and what other packages give."""
        alone = [
            f"{tool.name} differs in: {self._differences(tool) or 'nothing'}."
            for tool in self.functions[: len(self.functions) == 1]
        ]
        others = [
            f"{each.name} gives {each.gives}. Here, call {each.call}." for each in self.neighbours
        ]
        return (*alone, *others)

    def _names(self) -> Sequence[str]:
        return [tool.name for tool in self.functions]

    def _columns(self) -> Sequence[Column]:
        texts = [self._differences(tool) for tool in self.functions]
        return [
            Column(
                key="differences",
                values=np.array(texts, dtype=np.str_),
                head="differs from scikit-learn in",
                cells=[shorten(text, WIDTH) for text in texts],
                align="<",
            )
        ]

    def _differences(self, tool: Tool) -> str:
        usual = other_tools()[0].choices
        return "; ".join(
            f"{name}: {option}" for name, option in tool.choices.items() if option != usual[name]
        )
