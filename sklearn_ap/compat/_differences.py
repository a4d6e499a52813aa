"""To which inputs scikit-learn and we answer differently, as a result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap

from sklearn_ap._base.text import escape_html, html_table
from sklearn_ap._questions.result import Result
from sklearn_ap.compat._different_inputs import DIFFERENCES, PARTS, SETUP, Difference

COLUMN_HEADS = ("input", "scikit-learn", "sklearn_ap")
COLUMN_WIDTHS = (44, 26, 26)  # in print
# The heads of a table in a notebook, by their names in rows.
NOTEBOOK_HEADS = {
    "input": "input",
    "scikit_learn_call": "call",
    "scikit_learn": "scikit-learn",
    "sklearn_ap": "sklearn_ap",
    "why": "why",
}
REMARK = "to_frame() has the calls, why, and since which versions; setup has what the calls need."


@dataclass(frozen=True, slots=True)
class Differences(Result):
    """The inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    Print it, or get a table with ``to_frame``.

    Parameters
    ----------
    differences : tuple of Difference
        Each input, with the calls of both and their answers.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> first = compat.differences().to_frame().iloc[0]
    >>> print(first["scikit_learn_call"])
    sklearn.metrics.average_precision_score([1, 2, 1, 2], [0.1, 0.4, 0.35, 0.8])
    >>> first["scikit_learn"]
    '0.4167: 1 is positive'
    >>> first["sklearn_ap"]
    'ValueError: y_true takes value in {1, 2} and pos_label is not specified'
    """

    differences: tuple[Difference, ...]

    @property
    def setup(self) -> str:
        """The lines of Python that the calls need before them."""
        return SETUP

    def _rows(self) -> list[dict[str, str]]:
        return [_row(difference) for difference in self.differences]

    def __str__(self) -> str:
        lines: list[str] = []
        for part, differences in self._parts:
            lines += [part, *_lines(*COLUMN_HEADS)]
            for difference in differences:
                scikit_learn = difference.scikit_learn.brief
                lines += _lines(difference.input, scikit_learn, difference.sklearn_ap.brief)
            lines.append("")
        return "\n".join([*lines, REMARK])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = ""
        for part, differences in self._parts:
            rows = [
                [_row(difference)[name] for name in NOTEBOOK_HEADS] for difference in differences
            ]
            text += f"<p>{escape_html(part)}</p>{html_table(NOTEBOOK_HEADS.values(), rows)}"
        return f"{text}<p>{escape_html(REMARK)}</p>"

    @property
    def _parts(self) -> Iterator[tuple[str, list[Difference]]]:
        """The differences from each part of scikit-learn."""
        for part in PARTS:
            yield part, [row for row in self.differences if row.calls.part == part]


def differences() -> Differences:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``.

    Returns
    -------
    Differences
        A row for each input: the call of scikit-learn and ours, what each of them gives, why, and
        since which versions it is so. "1.6" is the oldest scikit-learn that was asked.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.differences()
    >>> for line in str(found).splitlines()[:4]:
    ...     print(line)
    average_precision_score
    input                                         scikit-learn                sklearn_ap
    the label 1 with any other than 0 and -1,     0.4167: 1 is positive       ValueError
    such as 2, without `pos_label`
    """
    return Differences(DIFFERENCES)


def _row(difference: Difference) -> dict[str, str]:
    calls = difference.calls
    return {
        "part": calls.part,
        "input": difference.input,
        "scikit_learn_call": calls.scikit_learn.format(difference.arguments),
        "scikit_learn": str(difference.scikit_learn),
        "sklearn_ap_call": calls.sklearn_ap.format(difference.arguments),
        "sklearn_ap": str(difference.sklearn_ap),
        "why": difference.why,
        "scikit_learn_since": difference.scikit_learn_since,
        "sklearn_ap_since": difference.sklearn_ap_since,
    }


def _lines(*cells: str) -> Iterator[str]:
    """Wrap the cells of a row, and print its lines."""
    columns = [wrap(cell, width) for cell, width in zip(cells, COLUMN_WIDTHS, strict=True)]
    for parts in zip_longest(*columns, fillvalue=""):
        yield "  ".join(map(str.ljust, parts, COLUMN_WIDTHS)).rstrip()
