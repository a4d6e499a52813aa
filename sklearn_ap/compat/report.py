"""Why a tool's number differs from scikit-learn's, step by step, and all tools side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._validation import check_groups
from sklearn_ap.compat.choices import CHOICES, ORDER, Settings, evaluate
from sklearn_ap.compat.lookup import ToolError, get, one, prepare, run, special_outcome
from sklearn_ap.compat.table import TABLE, Entry
from sklearn_ap.definitions.options import check_k

__all__ = ["Comparison", "Explanation", "Row", "Step", "compare", "explain"]

# One ranking, and what was counted of it for the tools before.
Counted = tuple[Settings, dict[Any, Any]]
BASELINE = TABLE[0]
# Numbers that differ by less are the same; tools in float32 are compared as float32.
SAME = 1e-6


@dataclass(frozen=True, slots=True)
class Step:
    """One choice changed: to which option, why that matters, and the value and share it gives.

    A step to an exception or nan has no share, and to an exception no value.
    """

    choice: str
    option: str
    why: str
    value: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The steps from scikit-learn's number to a tool's."""

    name: str
    start: float
    steps: tuple[Step, ...]

    @property
    def value(self) -> float | None:
        """The tool's number, None if it raises."""
        return self.steps[-1].value if self.steps else self.start

    def to_dict(self) -> list[dict[str, Any]]:
        """List the steps as rows, the first with scikit-learn's number."""
        first = Step("", BASELINE.name, "Where the steps start.", self.start, 0.0)
        return [
            {name: getattr(step, name) for name in Step.__slots__} for step in (first, *self.steps)
        ]

    def __str__(self) -> str:
        lines = [f"{self.start:7.4f}  {BASELINE.name}"]
        for step in self.steps:
            share = "" if step.share is None else f"{round(step.share, 4) + 0.0:+.4f}"
            lines += [f"{share:>7}  {step.choice}: {step.option}", f"{'':>11}{step.why}"]
        lines.append(f"{_number(self.value):>7}  {self.name}")
        return "\n".join([*lines, self._remark]).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        value = escape(f"{self.name} = {_number(self.value).strip()}")
        return f"<p>{value}</p>{_html(self.to_dict())}<p>{self._remark}</p>"

    @property
    def _remark(self) -> str:
        if not self.steps:
            return "Both give the same."
        several = sum(step.share is not None for step in self.steps) > 1
        order = "The shares depend on the order in which the choices are changed."
        return order if several else ""


@dataclass(frozen=True, slots=True)
class Row:
    """One function's number on some predictions, and its difference from scikit-learn's."""

    name: str
    value: float | None
    difference: float | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All tools' numbers, those that are equal together, scikit-learn's first."""

    groups: tuple[tuple[Row, ...], ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """List the functions as rows."""
        return [
            {name: getattr(row, name) for name in Row.__slots__}
            for group in self.groups
            for row in group
        ]

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            first = group[0]
            head = _number(first.value)
            change = "" if not first.difference else f"{first.difference:+.4f}"
            lines += [f"{head:>7} {change:>8}  {_named(first)}"]
            lines += [f"{'':>16}  {_named(row)}" for row in group[1:]]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self.to_dict())


def explain(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    k: int | None = None,
    pos_label: Any = None,
    **options: Any,
) -> Explanation:
    """Explain why a tool's number differs from scikit-learn's, one choice at a time.

    Parameters
    ----------
    name : str
        Of a function, as "xgboost.map@k".
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, where the function takes any.
    k : int, default=None
        How many ranks, where the function asks.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
    **options : dict
        Other options of the function that change its number.

    Returns
    -------
    Explanation
        Its steps, whose shares add up to the difference. The shares depend on the order of the
        choices, which is that of the table.

    See Also
    --------
    compare : All tools at once.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.explain("sklearn.auc_of_precision_recall_curve", [1, 0, 0, 1], [3, 2, 2, 2])
     0.7500  sklearn.average_precision_score
    +0.1250  between: straight line
               Operating points are joined by straight lines, which no threshold attains.
    +0.0000  start: (0, 1)
               The curve starts at precision 1, which no threshold need attain.
     0.8750  sklearn.auc_of_precision_recall_curve
    The shares depend on the order in which the choices are changed.
    """
    entry = one(name)
    settings = prepare(
        entry, y_true, y_score, sample_weight=sample_weight, k=k, pos_label=pos_label, **options
    )
    choices = dict(zip(ORDER, BASELINE.choices, strict=True))
    start = value = evaluate(choices, settings)
    steps = []
    for choice, option in zip(ORDER, entry.choices, strict=True):
        if choices[choice] != option and settings.positive.any():  # else nothing to choose
            choices[choice] = option
            last, value = value, evaluate(choices, settings)
            steps.append(Step(choice, option, CHOICES[choice][option].why, value, value - last))
    outcome = special_outcome(entry, settings)
    if outcome is not None and outcome != value:
        steps.append(_last_step(settings, outcome, value))
    return Explanation(entry.name, start, tuple(steps))


def _last_step(settings: Settings, outcome: float | str, value: float) -> Step:
    if not settings.positive.any():
        option = "no positives"
    else:
        option = "only positives" if settings.positive.all() else "these predictions"
    if isinstance(outcome, str):
        return Step("special case", option, f"The tool raises {outcome}.", None, None)
    why = f"The tool returns {outcome:g}."
    share = None if isnan(outcome) else outcome - value
    return Step("special case", option, why, outcome, share)


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    tools: Iterable[str] | None = None,
    k: int = 10,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
) -> Comparison:
    """Compare all tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores.
    tools : iterable of str, default=None
        Names of tools or functions; None for all.
    k : int, default=10
        How many ranks, for the functions that need to be told.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out.
    groups : array-like of shape (n_samples,), default=None
        The query of each row: each function is applied to each query alone, and averaged over
        those to which it has an answer: not nan, not -1, and no exception.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.

    Returns
    -------
    Comparison
        Functions with equal numbers together, scikit-learn's first.

    See Also
    --------
    explain : Why one of them differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC", "MLmetrics"])
     0.7500           sklearn.average_precision_score
     0.8750  +0.1250  catboost.PRAUC
     0.3750  -0.3750  MLmetrics.PRAUC
    """
    entries = [entry for entry in _entries(tools) if entry.weights or sample_weight is None]
    k = check_k(k)
    options: dict[str, Any] = {"k": None, "pos_label": pos_label}
    if groups is None:
        parts = [prepare(BASELINE, y_true, y_score, sample_weight=sample_weight, **options)]
    else:
        whole = prepare(BASELINE, y_true, y_score, sample_weight=None, **options)
        parts = _split(whole, sample_weight, groups)
    rankings: list[Counted] = [(part, {}) for part in parts]
    baseline = _row(BASELINE, rankings, k, 0.0).value
    return Comparison(_grouped([_row(entry, rankings, k, baseline) for entry in entries]))


def _split(whole: Settings, sample_weight: ArrayLike | None, groups: ArrayLike) -> list[Settings]:
    """The predictions of each query that has weight."""
    ranking = check_groups(groups, whole.score)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    bounds = np.cumsum(np.bincount(ranking))[:-1]
    parts = np.split(np.argsort(ranking, kind="stable"), bounds)
    return [
        prepare(
            BASELINE,
            whole.positive[rows],
            whole.score[rows],
            sample_weight=None if weight is None else weight[rows],
            k=None,
            pos_label=None,
        )
        for rows in parts
        if weight is None or weight[rows].any()
    ]


def _entries(tools: Iterable[str] | None) -> list[Entry]:
    """The entries that are asked for, each once, scikit-learn's first."""
    if tools is None:
        return list(TABLE)
    if isinstance(tools, str):
        raise TypeError(f"tools must be several names, got the string {tools!r}.")
    found = [BASELINE]
    for name in tools:
        entries = get(name)
        found += [entries] if isinstance(entries, Entry) else entries
    return list(dict.fromkeys(found))


def _row(entry: Entry, rankings: list[Counted], k: int, baseline: float | None) -> Row:
    """Apply a function to each ranking. Of several, those without an answer are left out."""
    asked = k if entry.k == "required" else None
    notes = [f"k={k}"] if asked else []
    values, problem = [], ""
    for part, counted in rankings:
        try:
            values.append(run(entry, replace(part, k=asked, options=entry.options), counted))
        except ToolError as error:
            problem = f"raises {str(error).partition(': ')[2]}"
    if len(rankings) > 1:
        values = [value for value in values if value >= 0]  # neither nan nor COCO's -1
        if left_out := len(rankings) - len(values):
            notes.append(f"{left_out} of {len(rankings)} queries left out")
    if problem and not values:
        return Row(entry.name, None, None, problem)
    value = float(np.mean(values)) if values else np.nan
    difference = None if isnan(value) or baseline is None else value - baseline
    return Row(entry.name, value, difference, ", ".join(notes))


def _grouped(rows: list[Row]) -> tuple[tuple[Row, ...], ...]:
    """Rows with the same number together, the largest first behind scikit-learn's."""
    groups: list[list[Row]] = []
    for row in rows:
        for group in groups:
            if _same(group[0].value, row.value):
                group.append(row)
                break
        else:
            groups.append([row])
    rest = sorted(groups[1:], key=lambda group: -np.nan_to_num(_sortable(group[0]), nan=-9.0))
    return tuple(tuple(group) for group in [*groups[:1], *rest])


def _same(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= SAME or (isnan(first) and isnan(second))


def _sortable(row: Row) -> float:
    return -10.0 if row.value is None else row.value


def _number(value: float | None) -> str:
    return "raises" if value is None else f"{value:.4f}"


def _named(row: Row) -> str:
    return row.name + (f"  ({row.outcome})" if row.outcome else "")


def _html(rows: list[dict[str, Any]]) -> str:
    """Lay rows out as a small table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else escape(str(value))
