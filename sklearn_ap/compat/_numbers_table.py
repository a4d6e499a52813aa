"""The table of tools' numbers for the same predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import change_as_text, count_as_text, names_as_text, score_as_text
from sklearn_ap._types import Float
from sklearn_ap.compat._score import ToolAnswer
from sklearn_ap.compat._tools import BASELINE, CHOICES

COMPARED_DIGITS = 4
LEAST_EFFECT = 1e-6  # smaller changes come from float32, or from the order of a sum
# The functions of a comparison without names.
WELL_KNOWN = (
    BASELINE,
    "sklearn.auc_of_precision_recall_curve",
    "torchmetrics.BinaryAveragePrecision",
    "keras.AUC_PR_interpolation",
    "xgboost.aucpr",
    "lightgbm.average_precision",
    "catboost.PRAUC",
    "pytrec_eval.map",
    "chainercv.calc_detection_voc_ap",
    "pycocotools.COCOeval",
)


@dataclass(frozen=True, eq=False, repr=False)
class ToolTable(PrintedResult):
    """The numbers of tools for the same predictions.

    The number of scikit-learn comes first, and then the highest.

    Parameters
    ----------
    scores : tuple of ToolAnswer
        The number of each function, in the order of the table.
    left_out : tuple of str
        The functions that were asked for and take no weights, if there are weights.
    """

    scores: tuple[ToolAnswer, ...]
    left_out: tuple[str, ...]

    @property
    def estimate(self) -> Float:
        """The number of each function."""
        return np.array([score.estimate for score in self.scores])

    @property
    def difference(self) -> Float:
        """The difference of each number from scikit-learn's."""
        return self.estimate - self.estimate[0]

    @property
    def heading(self) -> str:
        """What the numbers are, and what differences are from."""
        return self._heading("scikit-learn's")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which functions were left out."""
        if not self.left_out:
            return ()
        return (f"Left out, as they take no weights: {names_as_text(self.left_out)}.",)

    def _heading(self, origin: str) -> str:
        answer = self.scores[0]
        n = answer.values.size
        means = f", means over {count_as_text(n, answer.unit)}" if n > 1 else ""
        return f"scores of tools{means}, and differences from {origin}"

    def _names(self) -> Sequence[str]:
        return [score.label for score in self.scores]

    def _columns(self) -> Sequence[Column]:
        return (*self._number_columns(), *map(self._choice_column, CHOICES))

    def _number_columns(self) -> Sequence[Column]:
        return number_columns(self.estimate, self.difference)

    def _choice_column(self, choice: str) -> Column:
        options = [score.call.tool.choices[choice].name for score in self.scores]
        return Column(key=choice, values=np.array(options))

    def _shown_rows(self) -> Sequence[int]:
        return range(len(self.scores))


def number_columns(scores: Float, changes: Float) -> tuple[Column, Column]:
    """Make the columns of scores, and of their differences from others."""
    scores_as_text = [score_as_text(each, COMPARED_DIGITS) for each in scores.tolist()]
    changes_as_text = [
        "0" if abs(each) < ABSOLUTE_TOLERANCE else change_as_text(each, COMPARED_DIGITS)
        for each in changes.tolist()
    ]
    return (
        Column(key="estimate", head="score", values=scores, cells=scores_as_text),
        Column(key="difference", head="difference", values=changes, cells=changes_as_text),
    )
