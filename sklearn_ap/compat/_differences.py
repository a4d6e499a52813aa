"""To which inputs scikit-learn and we answer differently: differences.tsv as a result."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import zip_longest
from textwrap import wrap
from typing import ClassVar

import numpy as np

from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.table import Column

OLDEST = "1.6"  # of scikit-learn, whose answer is the first of a cell
# The columns beside the input, and their heads.
HEADS = {
    "call": "call",
    "scikit_learn": "scikit-learn",
    "sklearn_ap": "sklearn_ap",
    "why": "why",
}
WIDTHS = (44, 26, 26)  # letters of the printed columns: input, scikit-learn, sklearn_ap


@dataclass(frozen=True)
class Difference:
    """A line of differences.tsv.

    Parameters
    ----------
    input : str
        What is passed, in words.
    call : str
        The same as an expression, in which names are those of scikit-learn or ours.
    scikit_learn, sklearn_ap : str
        The answers: a value of at most four digits or the name of an exception, and of a warning.
        Of scikit-learn, others may follow, each with the version since which it holds.
    why : str
        What scikit-learn does, and why we do something else.
    """

    input: str
    call: str
    scikit_learn: str
    sklearn_ap: str
    why: str


class Words(Column):
    """A column of words, which begin below each other."""

    align: ClassVar[str] = "<"


@dataclass(frozen=True, eq=False, repr=False)
class Differences(PrintedResult):
    """The inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    Parameters
    ----------
    rows : tuple of Difference
        Each input, with the call, both answers, and the reason.
    """

    rows: tuple[Difference, ...]

    @property
    def heading(self) -> str:
        """How many inputs there are."""
        return f"{len(self.rows)} inputs to which scikit-learn and sklearn_ap answer differently"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What holds for all other inputs, and how the table is read."""
        return (
            "All other inputs of average_precision_score give the same number, to 1e-12. "
            "Displays and scorers check their rows as the score does.",
            f"Answers of scikit-learn hold since {OLDEST}, or since the version that is named.",
            "to_frame() has the calls, and why. There, Display is PrecisionRecallDisplay or "
            "AveragePrecisionDisplay, and folds are the cv, X and y of a cross-validation.",
        )

    def _names(self) -> Sequence[str]:
        return [row.input for row in self.rows]

    def _columns(self) -> Sequence[Column]:
        cells = {key: [getattr(row, key) for row in self.rows] for key in HEADS}
        return [
            Words(key=key, values=np.array(cells[key]), head=head, cells=cells[key])
            for key, head in HEADS.items()
        ]

    def _shown_rows(self) -> list[int]:
        return [*range(len(self.rows))]

    def __repr__(self) -> str:
        """Print inputs and answers, as calls and reasons are too long for a line."""
        lines = [self.heading, *_lines("input", "scikit-learn", "sklearn_ap")]
        for row in self.rows:
            lines += _lines(row.input, row.scikit_learn, row.sklearn_ap)
        for sentence in self.sentences:
            lines += wrap(sentence, sum(WIDTHS))
        return "\n".join(lines)


def differences() -> Differences:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``.

    Returns
    -------
    Differences
        A row for each input, with the call, the answer of scikit-learn by version, ours, and why.
        ``to_frame`` has all.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.differences()
    >>> for line in str(found).splitlines()[1:4]:
    ...     print(line)
    input                                         scikit-learn                sklearn_ap
    a label 1 beside 2, without pos_label         0.4167                      ValueError
    one label other than 0, 1 and -1, without     0 and UserWarning           ValueError
    >>> print(found.to_frame().loc["negative weights", "why"])
    A negative weight has no meaning, and the score can leave the range from 0 to 1.
    """
    text = files("sklearn_ap.compat").joinpath("differences.tsv").read_text(encoding="utf-8")
    _, *rows = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return Differences(tuple(Difference(*row) for row in rows))


def _lines(*cells: str) -> Iterator[str]:
    """Wrap the cells of a row."""
    columns = [wrap(cell, width) for cell, width in zip(cells, WIDTHS, strict=True)]
    for parts in zip_longest(*columns, fillvalue=""):
        yield "  ".join(map(str.ljust, parts, WIDTHS)).rstrip()
