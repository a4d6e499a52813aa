"""Why two tools' numbers differ, one choice at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._results.result import ChangesResult, Json
from sklearn_ap._results.table import Column, PictureRow
from sklearn_ap._results.text import MISSING, number_as_text
from sklearn_ap._types import Argument, Float, Label
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._score import (
    Answer,
    Call,
    Evaluation,
    Predictions,
    SpecialAnswer,
    same,
)
from sklearn_ap.compat._tools import BASELINE, Choice, Choices, get, reason
from sklearn_ap.definitions import Definition

DIGITS = 4
LEAST_EFFECT = 1e-6  # smaller changes come from float32, or from the order of a sum
JOINT_CHOICES = ("over", "divisor")  # neither explains much without the other
# What the choices are called in print.
TITLES = {
    "scores": "scores",
    "ties": "ties",
    "between": "between points",
    "start": "start",
    "over": "averaged over",
    "divisor": "divisor",
    "special": "special answers",
}


def explain(
    name: str | Definition,
    y_true: ArrayLike,
    y_score: ArrayLike,
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

    The choices are changed in this order: scores, ties, between, start, over, divisor. Another
    order would split the difference differently. If both ``over`` and ``divisor`` differ, they are
    changed together, because neither the top k nor its divisor explains much by itself. The mean
    over all orders of tied items comes last, because it is a mean of steps.

    Parameters
    ----------
    name : str or Definition
        The name of a function, such as "xgboost.map@k", that of one of our scores, or a definition,
        such as ``AtK(10)``.
    y_true, y_score : array-like
        As in ``compat.score``.
    versus : str or Definition, default="sklearn.average_precision_score"
        The function, score or definition to compare with.
    sample_weight, queries, clusters, n_positives : as in compat.score
        Weights need two functions that take them.
    k : int, default=None
        How many ranks count, if one of the functions needs k. Both get it if both take it.
    pos_label : as in compat.score
        The positive label.
    **options : dict
        Other options of the functions that change their numbers.

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
    >>> compat.explain("sklearn.auc_of_precision_recall_curve", [1, 0, 0, 1], [3, 2, 2, 2])
    from sklearn.average_precision_score (0.7500) to
    sklearn.auc_of_precision_recall_curve (0.8750)
                                      score  difference
    sklearn.average_precision_score  0.7500
    between points: straight line    0.8750     +0.1250
    straight line: Operating points are joined by straight lines, which no threshold
    attains.
    Without effect here: start: (0, 1).
    """
    first, last = get(versus), get(name)
    call = Call.check((first, last), k, options, has_weights=sample_weight is not None)
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
    evaluation = Evaluation(predictions)
    start, end = (call.answer(tool, evaluation) for tool in (first, last))
    steps: list[Step] = []
    if predictions.rankings.positive.any():  # without positives, no choice has an effect
        steps = _change_choices(evaluation, first.name, start, call.bind(first), call.bind(last))
    value = steps[-1].estimate if steps else start.mean
    if same(value, end.mean, ABSOLUTE_TOLERANCE):
        steps[-1:] = [step._replace(estimate=end.mean) for step in steps[-1:]]
    else:
        steps.append(Step((Change("special", last.name),), end.mean, end.special))
    return Explanation(
        name=last.name,
        versus=first.name,
        estimate=end.mean,
        start=start.mean,
        steps=tuple(steps),
        refusals=(start.refusal, end.refusal),
        n_queries=predictions.rankings.n_rankings,
    )


class Change(NamedTuple):
    """The new option of a choice; or "special", and the function that has special answers."""

    choice: str
    option: str
    detail: str = ""  # the arguments of the option, if only these change

    @property
    def title(self) -> str:
        """The choice and its option, in print."""
        return f"{TITLES[self.choice]}: {self.option}{self.detail}"


class Step(NamedTuple):
    """Choices that are changed together, the number after it, and the queries that it is about."""

    changes: tuple[Change, ...]
    estimate: float  # nan if the function raises an exception
    special: tuple[SpecialAnswer, ...] = ()


@dataclass(frozen=True, repr=False)
class Explanation(ChangesResult):
    """The steps from one tool's number to another's.

    Print it, draw it with ``plot``, or get a table with ``to_frame``.

    Parameters
    ----------
    name : str
        The function whose number is explained.
    versus : str
        The function that it is compared with.
    estimate : float
        The number of the function; nan if it raises an exception.
    start : float
        The number of ``versus``.
    steps : tuple of Step
        All choices in which the two differ, also those without effect.
    refusals : tuple of two str
        The exceptions that ``versus`` and the function raise, or "".
    n_queries : int
        The number of queries.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.explain("xgboost.aucpr", [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> [change.option for step in found.steps for change in step.changes]
    ['float32', 'hyperbola']
    """

    name: str
    versus: str
    estimate: float
    start: float
    steps: tuple[Step, ...]
    refusals: tuple[str, str]
    n_queries: int

    @property
    def differences(self) -> tuple[float, ...]:
        """What each step adds; nan for a step to or from an exception or nan."""
        values = [self.start, *(step.estimate for step in self.steps)]
        return tuple(np.diff(values).tolist())

    @property
    def heading(self) -> str:
        """The functions, and their numbers."""
        first, last = (
            refusal or score_as_text(value)
            for value, refusal in zip((self.start, self.estimate), self.refusals, strict=True)
        )
        return f"from {self.versus} ({first}) to {self.name} ({last})"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why each choice changes the number, and which have no effect."""
        pairs = [*zip(self.steps, self._effects, strict=True)]
        effects = [step for step, has_effect in pairs if has_effect]
        idle = [step for step, has_effect in pairs if not has_effect]
        texts = [text for step in effects for text in self._reasons(step)]
        if not effects:
            texts.append("Both give the same.")
        if len(effects) > 1:
            texts.append("Another order would split the difference differently.")
        if idle:
            texts.append(f"Without effect here: {'; '.join(map(_title, idle))}.")
        return tuple(texts)

    def _changes(self) -> Sequence[PictureRow]:
        values = [self.start, self.start, *(step.estimate for step in self.steps)]
        rows = [row for row in self._shown_rows() if np.isfinite(values[row + 1])]
        names = self._names()
        return [PictureRow(names[row], values[row], values[row + 1]) for row in rows]

    @property
    def _effects(self) -> list[bool]:
        """Whether each step changes the number; a step to or from an exception does."""
        return [not abs(change) <= LEAST_EFFECT for change in self.differences]

    def _facts(self) -> Mapping[str, Json]:
        return {"name": self.name, "versus": self.versus, "estimate": self.estimate}

    def _names(self) -> Sequence[str]:
        return (self.versus, *map(_title, self.steps))

    def _columns(self) -> Sequence[Column]:
        values = np.array([self.start, *(step.estimate for step in self.steps)])
        changes = np.array([np.nan, *self.differences])
        reasons = ["", *(" ".join(self._reasons(step)) for step in self.steps)]
        return (
            number_column("estimate", "score", values, score_as_text),
            number_column("difference", "difference", changes, change_as_text),
            Column(key="why", values=np.array(reasons)),
        )

    def _shown_rows(self) -> list[int]:
        return [0, *(1 + place for place in np.flatnonzero(self._effects).tolist())]

    def _texts(self) -> list[str]:
        return [*self.sentences]

    def _reasons(self, step: Step) -> Iterator[str]:
        for change in step.changes:
            if change.choice != "special":
                yield f"{change.option}: {reason(change.choice, change.option)}"
        for each in step.special:
            yield _special_reason(each, step.changes[0].option, self.n_queries)


def _title(step: Step) -> str:
    return ", ".join(change.title for change in step.changes)


def number_column(key: str, head: str, values: Float, write: Callable[[float], str]) -> Column:
    """Make a column of numbers, and of their texts."""
    return Column(key=key, head=head, values=values, cells=[*map(write, values.tolist())])


def score_as_text(value: float) -> str:
    """Write a score; nan may stand for an exception."""
    return MISSING if np.isnan(value) else number_as_text(value, DIGITS)


def change_as_text(change: float) -> str:
    """Write a difference, with an exponent where four digits would show none."""
    if np.isnan(change) or change == 0:
        return ""
    is_small = 0 < abs(change) < 0.5 / 10**DIGITS
    return f"{change:+.0e}" if is_small else number_as_text(change, DIGITS, "+")


def _special_reason(special: SpecialAnswer, name: str, n_queries: int) -> str:
    """Say which queries a function treats apart, and how."""
    if n_queries == 1:
        gives = f"raises {special.exception}" if special.exception else f"gives {special.value:g}"
        return f"With {special.condition}, {name} {gives}."
    n = np.count_nonzero(special.queries)
    outcome = f"counts each as {special.value:g}"
    if special.exception:
        outcome = f"raises {special.exception} for each, which is left out here"
    elif np.isnan(special.value) or special.value == -1:
        outcome = f"gives {special.value:g} for each, which is left out"
    have = "has" if n == 1 else "have"
    return f"{n} of {n_queries} queries {have} {special.condition}: {name} {outcome}."


def _change_choices(
    evaluation: Evaluation, versus: str, start: Answer, before: Choices, after: Choices
) -> list[Step]:
    """Change one choice after the other, and record the number after each."""
    steps = []
    value = float(evaluation.values(before).mean())
    if not same(value, start.mean, ABSOLUTE_TOLERANCE):
        # The first function treats some queries apart, and its choices do not.
        undone = Change("special", versus, " undone")
        steps.append(Step((undone,), value, start.special))
    choices = before
    for names in _order(before, after):
        changes = tuple(_describe(name, before, after) for name in names)
        choices = choices._replace(**{name: getattr(after, name) for name in names})
        steps.append(Step(changes, float(evaluation.values(choices).mean())))
    return steps


def _order(before: Choices, after: Choices) -> list[tuple[str, ...]]:
    """Put the choices that differ into the order in which they are changed."""
    names = [name for name in Choices._fields if getattr(before, name) != getattr(after, name)]
    if set(JOINT_CHOICES) <= set(names):
        singles = [name for name in names if name not in JOINT_CHOICES]
        order: list[tuple[str, ...]] = [*((name,) for name in singles), JOINT_CHOICES]
    else:
        order = [(name,) for name in names]
    if after.ties.option == "every order" and ("ties",) in order:
        order.remove(("ties",))
        order.append(("ties",))
    return order


def _describe(name: str, before: Choices, after: Choices) -> Change:
    """Describe a change of an option, or of its arguments."""
    old: Choice = getattr(before, name)
    new: Choice = getattr(after, name)
    if old.option != new.option:
        return Change(name, new.option)
    arguments = [f"k={value}" if key == "k" else repr(value) for key, value in new.arguments]
    return Change(name, new.option, f" ({', '.join(arguments)})")
