"""Inputs to which scikit-learn and this package answer differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._results.column import Column
from sklearn_ap._results.result import Result
from sklearn_ap._results.text import shorten
from sklearn_ap.compat._tool_functions import read_table

ANSWER_WIDTH = 22  # letters of an answer, which leaves room for the input
HEADS = {"scikit_learn": "scikit-learn", "sklearn_ap": "sklearn_ap"}  # of columns that are printed


def differences() -> KnownDifferences:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``. Both check their rows as the score does.

    Returns
    -------
    KnownDifferences
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
    rows = [*read_table("scikit_learn_differences.tsv")]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return KnownDifferences(tuple(columns.pop("input")), columns)


@dataclass(frozen=True, eq=False, repr=False)
class KnownDifferences(Result):
    """Inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    Parameters
    ----------
    inputs : tuple of str
        What is passed to both.
    answers : dict of str to list of str
        The answer of each to every input, the call, and why the answers differ.
    """

    inputs: tuple[str, ...]
    answers: dict[str, list[str]]

    sentences = ("to_frame() has all of each answer, the call, and why the answers differ.",)

    @property
    def heading(self) -> str:
        """How many inputs there are."""
        return f"{len(self.inputs)} inputs to which scikit-learn and sklearn_ap answer differently"

    def _names(self) -> Sequence[str]:
        return self.inputs

    def _columns(self) -> Sequence[Column]:
        return [
            Column(
                key=key,
                values=np.array(texts, np.str_),
                head=HEADS.get(key, ""),
                cells=[shorten(text, ANSWER_WIDTH) for text in texts],
                align="<",
            )
            for key, texts in self.answers.items()
        ]
