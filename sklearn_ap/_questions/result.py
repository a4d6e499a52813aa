"""The methods that all results share: frames of pandas, and tables for papers."""

from abc import ABC, abstractmethod
from typing import Any

from sklearn_ap._base.text import PrintedTable
from sklearn_ap._extras import import_extra
from sklearn_ap._questions.paper import Style, paper_table
from sklearn_ap._types import DataFrame


class Result(ABC):
    """A result that has rows."""

    __slots__ = ()

    @abstractmethod
    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table.

        Returns
        -------
        list of dict
            One row per ranking, function or step. A ranking has its name or number in ``ranking``,
            unless there is a single one.
        """

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame, which can write Markdown, LaTeX and CSV.

        Returns
        -------
        pandas.DataFrame
            A row for each ranking, model, function or step.
        """
        return import_extra("pandas", "to_frame", "pandas").DataFrame(self._rows())


class PrintedResult(PrintedTable, Result):
    """A result that is printed as a table."""

    __slots__ = ()

    def to_paper(self, *, style: Style = "markdown", digits: int = 2) -> str:
        """Return a table for a paper, with a caption, sentences on methods, and a citation.

        Precision, recall and selected are as "0.30 (0.20 to 0.40)".

        Parameters
        ----------
        style : {"text", "markdown", "latex"}, default="markdown"
            The language of the table, which needs no other package.
        digits : int, default=2
            The digits after the point.

        Returns
        -------
        str
            The table, and three paragraphs below it. LaTeX's table is a ``tabular``, followed by
            the paragraphs as comments.

        Raises
        ------
        ValueError
            If there is no threshold.
        """
        return paper_table(self, style, digits)
