"""To which inputs scikit-learn and we answer differently: the lines of differences.tsv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import shorten
from sklearn_ap.compat._tools import read_table

ANSWER_WIDTH = 22  # letters of an answer in a table, which leaves room for the input


def differences() -> KnownDifferences:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``. Both check their rows as the score does.

    Returns
    -------
    KnownDifferences
        Each input with the call, the answer of scikit-learn by version, ours, and why.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.differences().to_frame().loc["no positives", "sklearn_ap"]
    '0 and UndefinedMetricWarning'
    """
    return KnownDifferences(tuple(Difference(**row) for row in read_table("differences.tsv")))


class Difference(NamedTuple):
    """An input to which scikit-learn and ``sklearn_ap`` answer differently.

    Parameters
    ----------
    input : str
        What is passed, in words.
    call : str
        The same as an expression, in which names are those of scikit-learn or ours: ``Display`` is
        PrecisionRecallDisplay or AveragePrecisionDisplay, and ``folds`` are the cv, X and y of a
        cross-validation.
    scikit_learn, sklearn_ap : str
        The answers: a value of at most four digits or the name of an exception, and of a warning.
        The answer of scikit-learn is that of version 1.6. Others may follow, each with the version
        since which it holds.
    why : str
        What scikit-learn does, and why we do something else.
    """

    input: str
    call: str
    scikit_learn: str
    sklearn_ap: str
    why: str


@dataclass(frozen=True, eq=False, repr=False)
class KnownDifferences(PrintedResult):
    """The inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    Print it, or get a table with ``to_frame``, which has the calls and the reasons.

    Parameters
    ----------
    rows : tuple of Difference
        A row for each input.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> first, *others = compat.differences().rows
    >>> first.input, first.scikit_learn, first.sklearn_ap
    ('a label 1 beside 2, without pos_label', '0.4167', 'ValueError')
    """

    rows: tuple[Difference, ...]

    _most_rows = None

    @property
    def heading(self) -> str:
        """How many there are."""
        return f"{len(self.rows)} inputs to which scikit-learn and sklearn_ap answer differently"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where the rest is."""
        return ("to_frame() has all of each answer, the call, and why the answers differ.",)

    def _names(self) -> Sequence[str]:
        return [row.input for row in self.rows]

    def _columns(self) -> Sequence[Column]:
        heads = {"scikit_learn": "scikit-learn", "sklearn_ap": "sklearn_ap", "call": "", "why": ""}
        return [self._column(key, head) for key, head in heads.items()]

    def _column(self, key: str, head: str) -> Column:
        texts = [getattr(row, key) for row in self.rows]
        cells = [shorten(text, ANSWER_WIDTH) for text in texts]
        return Column(key=key, values=np.array(texts), head=head, cells=cells, align="<")
