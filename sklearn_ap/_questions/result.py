"""The method that results of ``compat`` share: frames of pandas."""

from abc import ABC, abstractmethod
from typing import Any

from sklearn_ap._extras import import_extra
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
