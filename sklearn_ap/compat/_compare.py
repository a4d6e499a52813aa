"""All tools' numbers for the same predictions, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.options import check_k, check_real_number, percent_hint
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import count_as_text, names_as_text, rounded_as_text, score_as_text
from sklearn_ap._types import Argument, Float, Label
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._explain import DIGITS, number_columns
from sklearn_ap.compat._score import Answer, Predictions
from sklearn_ap.compat._tools import BASELINE, CHOICES, Tool, find, get, other_tools, our_tools
from sklearn_ap.definitions import Definition

N_NEAREST = 10  # the functions that are printed near a number
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


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    tools: Iterable[str | Definition] | Literal["all"] | None = None,
    k: int = 10,
    near: float | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> ToolTable:
    """Compare tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``compat.score``.
    tools : iterable of str or Definition, or "all", default=None
        Names of tools, functions or our scores, and definitions, such as ``AtK(10)``. None means
        ten well-known functions or, with ``near``, the ten nearest of all.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float, default=None
        A number that you have, with all its digits. The functions with the nearest numbers come
        first, and differences are from your number rather than from scikit-learn's. Functions that
        may take k are called with and without it. Other options of functions, such as
        ``thresholds``, are at their defaults: ``compat.score`` takes them.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out, and named.
    queries, clusters, n_positives, pos_label : as in compat.score
        The numbers of queries are averaged.

    Returns
    -------
    ToolTable
        A row for each function, scikit-learn's and then the highest first, or the nearest.

    See Also
    --------
    explain : Why two of them differ.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC", "MLmetrics"])
    scores of tools, and differences from scikit-learn's
                                      score  difference
    sklearn.average_precision_score  0.7500           0
    catboost.PRAUC                   0.8750     +0.1250
    MLmetrics.PRAUC                  0.3750     -0.3750
    """
    if near is not None:
        near = _check_near(near)
    k = check_k(k)
    found = _find_all(tools, k, near)
    functions = [tool for tool in found if tool.takes_weights or sample_weight is None]
    left_out = tuple(tool.name for tool in found if tool not in functions)
    predictions = Predictions.check(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        pos_label=pos_label,
    )
    issue_warnings(warnings_of_scores(y_score))
    calls = [(tool, k if tool.k == "required" else None) for tool in functions]
    if near is not None:
        calls += [(tool, k) for tool in functions if tool.k == "optional"]
    # Sorted, so that functions that share scores and ties follow each other.
    calls.sort(key=lambda call: [*call[0].choices.values()])
    scores = [ToolScore(tool, ranks, predictions.ask(tool, ranks, {})) for tool, ranks in calls]
    baseline = next(each.estimate for each in scores if each.tool.name == BASELINE)
    n_queries = predictions.rankings.n_rankings
    n_shown = N_NEAREST if near is not None and tools is None else len(scores)
    return ToolTable(_sort(scores, near), baseline, near, n_queries, n_shown, left_out)


@dataclass(frozen=True, eq=False)
class ToolScore:
    """The number of one function."""

    tool: Tool
    k: int | None  # the number of ranks that it was told to count
    answer: Answer

    @property
    def estimate(self) -> float:
        """Its number; nan if it is not defined, or if the function raises an exception."""
        return self.answer.mean

    @property
    def label(self) -> str:
        """Its name, with what else a reader must know."""
        texts = [] if self.k is None else [f"k={self.k}"]
        n_left_out = int(np.count_nonzero(~self.answer.is_answered))
        if self.answer.exception:
            texts.append(f"raises {self.answer.exception.partition(':')[0]}")
        elif n_left_out and self.answer.values.size > 1:
            texts.append(f"{count_as_text(n_left_out, 'query')} left out")
        return f"{self.tool.name} ({', '.join(texts)})" if texts else self.tool.name


@dataclass(frozen=True, eq=False, repr=False)
class ToolTable(PrintedResult):
    """The numbers of tools for the same predictions.

    The number of scikit-learn comes first, or those nearest to the number that was asked about.

    Print it, or get a table with ``to_frame``.

    Parameters
    ----------
    scores : tuple of ToolScore
        The number of each function, in the order of the table.
    baseline : float
        The number of scikit-learn.
    near : float or None
        The number that was asked about.
    n_queries : int
        The number of queries.
    n_shown : int
        The number of functions that are printed.
    left_out : tuple of str
        The functions that were asked for and take no weights, if there are weights.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.compare([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(found.baseline, 4)
    0.8333
    """

    scores: tuple[ToolScore, ...]
    baseline: float
    near: float | None
    n_queries: int
    n_shown: int
    left_out: tuple[str, ...]

    _choice_of_rows = "functions with the nearest numbers"

    @property
    def estimate(self) -> Float:
        """The number of each function."""
        return np.array([score.estimate for score in self.scores])

    @property
    def difference(self) -> Float:
        """The difference of each number from scikit-learn's, or from ``near``."""
        return self.estimate - (self.baseline if self.near is None else self.near)

    @property
    def heading(self) -> str:
        """What the numbers are, and what differences are from."""
        origin = "scikit-learn's" if self.near is None else f"{rounded_as_text(self.near, 10)}"
        queries = count_as_text(self.n_queries, "query")
        means = f", means over {queries}" if self.n_queries > 1 else ""
        return f"scores of tools{means}, and differences from {origin}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The number of one that is alone, which no table shows, and which were left out."""
        texts = []
        if len(self.scores) == 1:
            (alone,) = self.scores
            texts.append(f"{alone.label} gives {score_as_text(alone.estimate, DIGITS)}.")
        if self.left_out:
            texts.append(f"Left out, as they take no weights: {names_as_text(self.left_out)}.")
        return tuple(texts)

    def _names(self) -> Sequence[str]:
        return [score.label for score in self.scores]

    def _columns(self) -> Sequence[Column]:
        functions = [score.tool for score in self.scores]
        facts = {name: [tool.choices[name] for tool in functions] for name in CHOICES}
        return (
            *number_columns(self.estimate, self.difference),
            *(Column(key=name, values=np.array(values)) for name, values in facts.items()),
        )

    def _shown_rows(self) -> list[int]:
        return [*range(self.n_shown)]


def _check_near(near: Argument) -> float:
    value = check_real_number("near", near)
    if -1 <= value <= 1:  # some functions give -1 where they have no score
        return value
    raise ValueError(
        f"near must be a number of at most 1, as scores are, got {near!r}.{percent_hint(value)}"
    )


def _find_all(names: Iterable[str | Definition] | None, k: int, near: float | None) -> list[Tool]:
    """Find the functions of these names, each once, and scikit-learn's."""
    if (isinstance(names, str) and names == "all") or (names is None and near is not None):
        return [*other_tools(), *our_tools(k)]
    if isinstance(names, str | Definition) or not isinstance(names, Iterable | None):
        raise TypeError(f"tools must be several names, got {names!r}.")
    found = [get(BASELINE), *(tool for name in names or WELL_KNOWN for tool in find(name))]
    return [*{tool.name: tool for tool in found}.values()]


def _sort(scores: Sequence[ToolScore], near: float | None) -> tuple[ToolScore, ...]:
    """Put scikit-learn's number and then the highest first, or the nearest; exceptions last."""

    def place(score: ToolScore) -> tuple[bool | float, ...]:
        if isnan(score.estimate):
            return (True, bool(score.answer.exception))
        if near is None:
            return (False, score.tool.name != BASELINE, -score.estimate)
        return (False, round(abs(score.estimate - near), 6), score.tool.name not in WELL_KNOWN)

    return tuple(sorted(scores, key=place))
