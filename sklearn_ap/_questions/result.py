"""The methods that all results share: frames of pandas, and tables for papers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from sklearn_ap._base.drawing.axes import picture_in_html
from sklearn_ap._base.text import PrintedTable, Table, headline, title_with_prevalence
from sklearn_ap._extras import import_extra
from sklearn_ap._questions.paper import Style, paper_table
from sklearn_ap._types import AnyResult, DataFrame, Name
from sklearn_ap.definitions import Definition

# Names that keep their final s in rows. Other fields lose it: "estimates" -> "estimate".
SINGULAR_FIELDS = ("n_positives", "bias")


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

    def to_paper(self, *others: AnyResult, style: Style = "markdown", digits: int = 2) -> str:
        """Return a table for a paper, with a caption, sentences on methods, and a citation.

        There is a row for each name. Cells are as "0.30 (0.20 to 0.40)". A comparison has the
        paired difference from its reference beside each model, a segment its difference and its
        positives, an operating point precision, recall and selected, and a test of chance the
        score beside its mean by chance. P-values are adjusted by Holm's rule for all tests of the
        table: systems, classes or tasks, and measures.

        Parameters
        ----------
        *others : results
            More columns: the same systems under other definitions.
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
            If two columns would have one head, if two rows would have one name, if segments stand
            beside models, or if there is no threshold.
        """
        return paper_table((self, *others), style, digits)

    def _repr_html_(self) -> str:
        picture = picture_in_html(self) if hasattr(self, "plot") else ""
        return super()._repr_html_() + picture


class ResultOfRankings(PrintedResult):
    """Numbers of one ranking, or arrays with one entry for each of several."""

    __slots__ = ()

    rankings: tuple[Name, ...] | None
    _numbers: ClassVar[tuple[str, ...]]  # fields that may be arrays
    _shared_fields: ClassVar[tuple[str, ...]] = ()  # fields that all rankings share
    _name_column: ClassVar[str] = "ranking"  # the column with the name of each row

    def _rows(self) -> list[dict[str, Any]]:
        columns = {
            name if name in SINGULAR_FIELDS else name.removesuffix("s"): getattr(self, name)
            for name in self._numbers
        }
        shared = {name: getattr(self, name) for name in self._shared_fields}
        shape = np.shape(next(iter(columns.values())))
        if not shape:
            return [columns | shared]
        # A field with its default value is a single number.
        columns = {name: np.broadcast_to(values, shape) for name, values in columns.items()}
        return [
            {self._name_column: ranking}
            | {name: float(values[index]) for name, values in columns.items()}
            | shared
            for index, ranking in enumerate(self.rankings or range(*shape))
        ]


def add_heading(table: Table, result: AnyResult) -> Table:
    """Add a heading to the table of a result: the definition, the prevalence and the cases."""
    title = title_with_prevalence(result.definition.title, result.prevalence)
    heading = headline(title, result.cases)
    return table._replace(heading=heading, explanation=_explain(result.definition))


def _explain(definition: Definition) -> str:
    """Return the first line of a definition's docstring."""
    return (type(definition).__doc__ or "").partition("\n")[0]
