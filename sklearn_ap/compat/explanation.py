"""Why two tools' numbers differ, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap.compat.choices import CHOICES, ORDER, Choices, not_yet
from sklearn_ap.compat.evaluation import Evaluation
from sklearn_ap.compat.lookup import Outcome, ask, get, run
from sklearn_ap.compat.predictions import Predictions, check
from sklearn_ap.compat.table import TABLE
from sklearn_ap.compat.text import SAME, as_html, as_number, as_share

__all__ = ["Explanation", "Step", "explain"]


@dataclass(frozen=True, slots=True)
class Step:
    """One choice changed: to which option, why that matters, and the value and share it gives.

    A step to or from an exception or nan has no share; one to an exception has no value.
    """

    choice: str
    option: str
    why: str
    value: float | None
    share: float | None

    @property
    def matters(self) -> bool:
        """Whether it changes the number on these predictions."""
        return self.share is None or abs(self.share) > SAME


@dataclass(frozen=True, slots=True)
class Explanation:
    """The steps from one tool's number to another's.

    Parameters
    ----------
    name : str
        The function whose number is explained.
    versus : str
        The function that it is compared with.
    start : float or None
        The number of ``versus``; None if it raises.
    steps : tuple of Step
        All choices in which the two differ, also those without effect.

    See Also
    --------
    explain : Make one.
    """

    name: str
    versus: str
    start: float | None
    steps: tuple[Step, ...]

    @property
    def value(self) -> float | None:
        """The tool's number, None if it raises."""
        return self.steps[-1].value if self.steps else self.start

    @property
    def without_effect(self) -> tuple[Step, ...]:
        """The steps that change nothing on these predictions."""
        return tuple(step for step in self.steps if not step.matters)

    def to_dict(self) -> list[dict[str, Any]]:
        """List the steps as rows, the first with the number that they start from.

        Returns
        -------
        list of dict
            Also the steps without effect.
        """
        return [_row(step) for step in (self._first, *self.steps)]

    def __str__(self) -> str:
        lines = [f"{as_number(self.start):>7}  {self.versus}"]
        for step in self._effective:
            lines += [
                f"{as_share(step.share):>7}  {step.choice}: {step.option}",
                f"{'':>11}{step.why}",
            ]
        lines.append(f"{as_number(self.value):>7}  {self.name}")
        return "\n".join([*lines, *self._remarks])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        value = escape(f"{self.name} = {as_number(self.value)}")
        rows = as_html([_row(step) for step in (self._first, *self._effective)])
        return f"<p>{value}</p>{rows}<p>{escape(' '.join(self._remarks))}</p>"

    @property
    def _first(self) -> Step:
        return Step("", self.versus, "Where the steps start.", self.start, 0.0)

    @property
    def _effective(self) -> list[Step]:
        return [step for step in self.steps if step.matters]

    @property
    def _remarks(self) -> list[str]:
        remarks = []
        if not self._effective:
            remarks.append("Both give the same.")
        elif len(self._effective) > 1:
            remarks.append("The shares depend on the order in which the choices are changed.")
        if self.without_effect:
            named = "; ".join(f"{step.choice}: {step.option}" for step in self.without_effect)
            remarks.append(f"Different, but without effect on these predictions: {named}.")
        return remarks


def explain(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    versus: str = TABLE[0].name,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    k: int | None = None,
    pos_label: Any = None,
    **options: Any,
) -> Explanation:
    """Explain why a tool's number differs from another's, one choice at a time.

    Parameters
    ----------
    name : str
        Of a function, as "xgboost.map@k".
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores.
    versus : str, default="sklearn.average_precision_score"
        The function to compare with.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, where both functions take any.
    groups : array-like of shape (n_samples,), default=None
        The query of each row: each function is applied to each query alone, and averaged over
        those to which it has an answer: not nan, not -1, and no exception.
    k : int, default=None
        How many ranks, where one of the functions asks. Both get it if both take one.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
    **options : dict
        Other options of the functions that change their numbers.

    Returns
    -------
    Explanation
        Its steps, whose shares add up to the difference. Printed, it leaves out the steps without
        effect, and names them at the end.

    See Also
    --------
    compare : All tools at once.

    Notes
    -----
    The shares depend on the order in which the choices are changed, which is that of the table:
    scores, ties, between, start, over, divisor. A choice that needs another one comes after it.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.explain("sklearn.auc_of_precision_recall_curve", [1, 0, 0, 1], [3, 2, 2, 2])
     0.7500  sklearn.average_precision_score
    +0.1250  between: straight line
               Operating points are joined by straight lines, which no threshold attains.
     0.8750  sklearn.auc_of_precision_recall_curve
    Different, but without effect on these predictions: start: (0, 1).
    """
    entries = first, last = get(versus), get(name)
    k, options = ask(entries, sample_weight, k, options)
    given = check(y_true, y_score, sample_weight=sample_weight, groups=groups, pos_label=pos_label)
    evaluation = Evaluation(given)
    start, end = (run(entry, evaluation, k, options) for entry in entries)
    steps: list[Step] = []
    value = start.value
    if given.positive.any():  # else there is nothing to choose
        for changed, choices in _path(first.choices, last.choices):
            now = float(np.mean(evaluation.values(choices, k, options)))
            if changed or not _equal(value, now):
                steps.append(_changed(changed, choices, now, value))
                value = now
    if not _equal(value, end.value):
        steps.append(_special(end, given, value))
    return Explanation(last.name, first.name, start.value, tuple(steps))


def _path(start: Choices, end: Choices) -> Iterator[tuple[str, Choices]]:
    """Change one choice after the other, but none before what it needs."""
    yield "", start
    now, left = start, [name for name in ORDER if getattr(start, name) != getattr(end, name)]
    while left:
        each = {name: now._replace(**{name: getattr(end, name)}) for name in left}
        name = next(name for name, choices in each.items() if not not_yet(choices))
        left.remove(name)
        now = each[name]
        yield name, now


def _changed(choice: str, choices: Choices, now: float, before: float | None) -> Step:
    """A step to another option, or from a special answer to the choices."""
    if not choice:
        why = "The special answer of the first tool is replaced by that of its choices."
        return Step("special case", "undone", why, now, _difference(now, before))
    option = getattr(choices, choice)
    return Step(choice, option, CHOICES[choice][option].why, now, _difference(now, before))


def _special(outcome: Outcome, given: Predictions, before: float | None) -> Step:
    """The step from the number of the choices to what the tool gives."""
    if given.without_positives.all():
        option = "no positives"
    elif given.several:
        option = "some queries"
    else:
        option = "only positives" if given.without_negatives.all() else "these predictions"
    if outcome.value is None:
        return Step("special case", option, f"The tool raises {outcome.refusal}.", None, None)
    why = f"The tool returns {outcome.value:g}."
    if given.several:
        n = given.sizes.size
        why = f"Special answers count, and {outcome.left_out} of {n} queries are left out."
    share = _difference(outcome.value, before)
    return Step("special case", option, why, outcome.value, share)


def _difference(now: float, before: float | None) -> float | None:
    return None if before is None or isnan(before) or isnan(now) else now - before


def _equal(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return first == second or (isnan(first) and isnan(second))


def _row(step: Step) -> dict[str, Any]:
    return {name: getattr(step, name) for name in Step.__slots__}
