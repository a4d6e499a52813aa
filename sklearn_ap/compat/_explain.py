"""Why two tools' numbers differ, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.request import Request
from sklearn_ap._results.column import Column
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._results.result import Result
from sklearn_ap._types import Argument, Json, Label
from sklearn_ap._writing.text import count_as_text, score_as_text
from sklearn_ap.compat._answers import CheckedPredictions, ToolAnswer, lack_answers, mean_of_answers
from sklearn_ap.compat._compare import COMPARED_DIGITS, LEAST_EFFECT, number_columns
from sklearn_ap.compat._tool_formulas import CHOICES
from sklearn_ap.compat._tool_functions import BASELINE, Option, SpecialCase, make_calls
from sklearn_ap.compat._tool_names import get_function
from sklearn_ap.definitions import Definition

JOINT_CHOICES = ("over", "divisor")  # neither explains much without the other


def explain(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tool: str | Definition,
    *,
    versus: str | Definition = BASELINE,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    k: int | None = None,
    pos_label: Label | None = None,
    **options: Argument,
) -> Explanation:
    """Explain why a tool's number differs from another's, one choice at a time.

    The choices are changed in this order: scores, ties, between, start, over, divisor. The last two
    are changed together if both differ, because neither explains much by itself. The mean over all
    orders of tied items comes last, because it is a mean of steps.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``compat.score``.
    tool : str or Definition
        The function whose number is explained, as in ``compat.score``.
    versus : str or Definition, default="sklearn.average_precision_score"
        The function, score or definition to compare with.
    sample_weight, queries, clusters, n_positives : as in compat.score
        Weights need two functions that take them.
    k : int, default=None
        How many ranks count, if one of the functions needs k. Both get it if both take it.
    pos_label : as in compat.score
        The positive label.
    **options : dict
        Other arguments of the functions that change their numbers.

    Returns
    -------
    Explanation
        The steps, whose differences add up to that of the two numbers.

    See Also
    --------
    compare : All tools at once.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.explain([1, 0, 0, 1], [3, 2, 2, 2], "sklearn.auc_of_precision_recall_curve")
    from sklearn.average_precision_score (0.7500) to
    sklearn.auc_of_precision_recall_curve (0.8750)
                                      score  difference
    sklearn.average_precision_score  0.7500
    between: straight line           0.8750     +0.1250
    straight line: Operating points are joined by straight lines, which no threshold
    attains.
    Without effect here: start: (0, 1).
    """
    request = Request(
        y_true=y_true,
        y_score=y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        n_positives=n_positives,
        clusters=clusters,
    )
    functions = (get_function(versus), get_function(tool))
    first_call, last_call = make_calls(functions, k, options, has_weights=sample_weight is not None)
    predictions = CheckedPredictions(request)
    first, last = predictions.ask(first_call), predictions.ask(last_call)
    steps = tuple(_steps(predictions, first, last))
    return Explanation(first, last, steps, predictions.doubts)


class Change(NamedTuple):
    """A step of an explanation: choices that are changed together.

    A step without choices leads to the answers of special cases.
    """

    changes: dict[str, Option]
    estimate: float  # the number after the step; nan for an exception
    difference: float  # what the step adds; nan for a step to or from an exception or nan

    @property
    def title(self) -> str:
        """The choices with their new options."""
        texts = [f"{choice}: {option}" for choice, option in self.changes.items()]
        return ", ".join(texts) or "special answers"

    @property
    def has_effect(self) -> bool:
        """Whether the number changes, as it does at a step to or from an exception or nan."""
        return isnan(self.difference) or abs(self.difference) > LEAST_EFFECT


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The steps from one tool's number to another's.

    Parameters
    ----------
    first, last : ToolAnswer
        What ``versus`` and the function whose number is explained give for each query.
    steps : tuple of Change
        All choices in which the two differ, also those without effect.
    doubts : tuple of Doubt, default=()
        Why the scores may be unreliable: the warnings about them.
    """

    first: ToolAnswer
    last: ToolAnswer
    steps: tuple[Change, ...]
    doubts: tuple[Doubt, ...] = ()

    @property
    def estimate(self) -> float:
        """The number of the function; nan if it raises an exception."""
        return self.last.estimate

    @property
    def heading(self) -> str:
        """The functions, what they were told, and their numbers."""
        return f"from {_name_and_answer(self.first)} to {_name_and_answer(self.last)}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why each choice changes the number, and which have no effect."""
        effects = [step for step in self.steps if step.has_effect]
        idle = [step.title for step in self.steps if not step.has_effect]
        texts = [text for step in effects for text in self._reasons(step)]
        if not effects:
            texts.append("Both give the same.")
        if len(effects) > 1:
            texts.append("Another order would split the difference differently.")
        if idle:
            texts.append(f"Without effect here: {'; '.join(idle)}.")
        return tuple(texts)

    def _facts(self) -> Mapping[str, Json]:
        return {"name": self.last.name, "versus": self.first.name, "estimate": self.estimate}

    def _names(self) -> Sequence[str]:
        return (self.first.name, *(step.title for step in self.steps))

    def _columns(self) -> Sequence[Column]:
        values = np.array([self.first.estimate, *(step.estimate for step in self.steps)])
        changes = np.array([np.nan, *(step.difference for step in self.steps)])
        reasons = ["", *(" ".join(self._reasons(step)) for step in self.steps)]
        return (*number_columns(values, changes), Column(key="why", values=np.array(reasons)))

    def _shown_rows(self) -> Sequence[int]:
        """Return the start and the steps with an effect."""
        return [0, *(row for row, step in enumerate(self.steps, start=1) if step.has_effect)]

    def _texts(self) -> list[str]:
        return self._said()

    def _reasons(self, step: Change) -> Iterator[str]:
        for option in step.changes.values():
            yield f"{option.name}: {option.why}"
        if not step.changes:
            for answer in (self.first, self.last):
                for case, is_met in answer.special.items():
                    yield _special_reason(answer, case, int(np.count_nonzero(is_met)))


def _name_and_answer(answer: ToolAnswer) -> str:
    """Write a function with what it was told, and its number or exception."""
    if answer.failure:
        return answer.call.label(answer.failure.message)
    return answer.call.label(score_as_text(answer.estimate, COMPARED_DIGITS))


def _special_reason(answer: ToolAnswer, case: SpecialCase, n_met: int) -> str:
    """Say which queries a function treats apart, and how."""
    gives = f"raises {case.message}" if case.exception else f"gives {case.value:g}"
    if answer.values.size == 1:
        return f"With {case.condition}, {answer.name} {gives}."
    queries = count_as_text(answer.values.size, answer.unit)
    end = ", which is left out" if lack_answers(np.array(case.value)) else ""
    return f"{n_met} of {queries} with {case.condition}: {answer.name} {gives} for each{end}."


def _steps(
    predictions: CheckedPredictions, first: ToolAnswer, last: ToolAnswer
) -> Iterator[Change]:
    """Change one choice after the other, and at last the answers of special cases."""
    choices, before = first.call.choices, first.estimate
    if not isnan(last.estimate - first.estimate):  # no choice explains an exception
        for names in _order(first.call.choices, last.call.choices):
            changes = {name: last.call.choices[name] for name in names}
            choices = choices | changes
            estimate = mean_of_answers(predictions.compute(choices, first.special))
            yield Change(changes, estimate, estimate - before)
            before = estimate
    is_same = np.array_equal(last.estimate, before, equal_nan=True)
    if not is_same or last.failure != first.failure:
        yield Change({}, last.estimate, last.estimate - before)


def _order(before: dict[str, Option], after: dict[str, Option]) -> list[tuple[str, ...]]:
    """Put the choices that differ into the order in which they are changed."""
    names = [name for name in CHOICES if before[name] != after[name]]
    if after["ties"].name == "every order":  # a mean of steps, so the others must be made first
        names.sort(key=lambda name: name == "ties")
    if not {*JOINT_CHOICES} <= {*names}:
        return [(name,) for name in names]
    leader, follower = JOINT_CHOICES
    return [JOINT_CHOICES if name == leader else (name,) for name in names if name != follower]
