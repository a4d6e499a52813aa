"""Why two tools' numbers differ, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import escape_html, html_table
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._questions.result import Result
from sklearn_ap._types import Argument, Keywords, Label
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._checked_predictions import CheckedPredictions, check_predictions
from sklearn_ap.compat._choices import OPTIONS, BoundChoices, BoundOption, find_conflict
from sklearn_ap.compat._evaluation import (
    Evaluation,
    FunctionResult,
    ReachedLevels,
    as_number,
    as_share,
    check_options,
    compute_result,
    difference,
    same,
)
from sklearn_ap.compat._tool_entry import Entry, special_answers
from sklearn_ap.compat._tools import BASELINE, FLOAT32_TOLERANCE, get
from sklearn_ap.definitions import Definition

JOINT_CHOICES = ("over", "divisor")  # neither explains much without the other
LINE_WIDTH = 88
# What says more in print than the names of columns do.
PRINTED = {"between": "interpolation", "over": "averaged over"}


@dataclass(frozen=True, slots=True)
class ExplanationStep:
    """A change of one choice, why it matters, the number after it, and its share of the difference.

    A step to or from an exception or nan has no share. A step to an exception has no value.
    """

    choice: str
    option: str
    why: str
    value: float | None
    share: float | None

    @property
    def has_effect(self) -> bool:
        """Whether it changes the number on these predictions."""
        return self.share is None or abs(self.share) > FLOAT32_TOLERANCE


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """The steps from one tool's number to another's.

    Print it, or get a table with ``to_frame``.

    Parameters
    ----------
    name : str
        The function whose number is explained.
    versus : str
        The function that it is compared with.
    start : float or None
        The number of ``versus``; None if it raises.
    steps : tuple of ExplanationStep
        All choices in which the two differ, also those without effect.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.explain("xgboost.aucpr", [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> [step.option for step in found.steps]
    ['float32', 'hyperbola']
    """

    name: str
    versus: str
    start: float | None
    steps: tuple[ExplanationStep, ...]

    @property
    def value(self) -> float | None:
        """The tool's number, None if it raises."""
        return self.steps[-1].value if self.steps else self.start

    @property
    def without_effect(self) -> tuple[ExplanationStep, ...]:
        """The steps that change nothing on these predictions."""
        return tuple(step for step in self.steps if not step.has_effect)

    def _rows(self) -> list[Keywords]:
        return [asdict(step) for step in (self._start_row, *self.steps)]

    def __str__(self) -> str:
        indent = " " * 11
        lines = [f"{as_number(self.start):>7}  {self.versus}"]
        for step in self._effective_steps:
            lines.append(f"{as_share(step.share):>7}  {_headline(step)}")
            lines += wrap(step.why, LINE_WIDTH, initial_indent=indent, subsequent_indent=indent)
        lines.append(f"{as_number(self.value):>7}  {self.name}")
        for remark in self._remarks:
            lines += wrap(remark, LINE_WIDTH)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        value = escape_html(f"{self.name} = {as_number(self.value)}")
        rows = [(self.versus, self._start_row)]
        rows += [(_headline(step), step) for step in self._effective_steps]
        cells = [(name, step.why, step.value, as_share(step.share)) for name, step in rows]
        table = html_table(["choice", "why", "value", "contribution"], cells)
        return f"<p>{value}</p>{table}<p>{escape_html(' '.join(self._remarks))}</p>"

    @property
    def _start_row(self) -> ExplanationStep:
        """A row with the number at which the steps start."""
        return ExplanationStep("", self.versus, "Where the steps start.", self.start, 0.0)

    @property
    def _effective_steps(self) -> list[ExplanationStep]:
        return [step for step in self.steps if step.has_effect]

    @property
    def _remarks(self) -> list[str]:
        remarks = []
        if not self._effective_steps:
            remarks.append("Both give the same.")
        elif len(self._effective_steps) > 1:
            remarks.append("Another order would split the difference differently.")
        if self.without_effect:
            whys = " ".join(step.why for step in self.without_effect)
            remarks.append(f"Also different, with no effect here: {whys[0].lower()}{whys[1:]}")
        return remarks


def _headline(step: ExplanationStep) -> str:
    """Print the choice of a step with its option, or two that are changed together."""
    names = step.choice.split(" and ")
    options = step.option.split(" and ", len(names) - 1)
    pairs = zip(names, options, strict=True)
    return "; ".join(f"{PRINTED.get(name, name)}: {option}" for name, option in pairs)


def explain(
    name: str | Definition,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    versus: str | Definition = BASELINE.name,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    k: int | None = None,
    pos_label: Label | None = None,
    **options: Argument,
) -> Explanation:
    """Explain why a tool's number differs from another's, one choice at a time.

    The choices are changed in this order: scores, ties, between (interpolation), start, over,
    divisor. Another order would split the difference differently. A choice that needs another one
    comes after it. If both ``over`` and ``divisor`` differ, they are changed together, because
    neither the top k nor its divisor explains much by itself.

    Parameters
    ----------
    name : str or Definition
        The name of a function, such as "xgboost.map@k", that of one of our scores, or a definition,
        such as ``AtK(10)``.
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, nan for unknown ones. Each column of several is a query.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Scores.
    versus : str or Definition, default="sklearn.average_precision_score"
        The function, score or definition to compare with.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, if both functions take any.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. The numbers of all queries are averaged. Queries for which a function
        gives nan, -1 or an exception are left out.
    clusters : array-like of shape (n_samples,), default=None
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_queries,), default=None
        All positives of each query, in sorted order of the queries, where some were never scored.
    k : int, default=None
        How many ranks count, if one of the functions needs k. Both get it if both take it.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    **options : dict
        Other options of the functions that change their numbers.

    Returns
    -------
    Explanation
        The steps, whose shares add up to the difference. When printed, steps without effect are
        listed last.

    See Also
    --------
    compare : All tools at once.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.explain("sklearn.auc_of_precision_recall_curve", [1, 0, 0, 1], [3, 2, 2, 2])
     0.7500  sklearn.average_precision_score
    +0.1250  interpolation: straight line
               Operating points are joined by straight lines, which no threshold attains.
     0.8750  sklearn.auc_of_precision_recall_curve
    Also different, with no effect here: the curve starts at precision 1, which no threshold
    need attain.
    """
    first = get(versus)
    last = get(name)
    k, options = check_options((first, last), sample_weight, k, options)
    predictions = check_predictions(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        pos_label=pos_label,
        n_positives=n_positives,
        clusters=clusters,
    )
    issue_warnings(warnings_of_scores(y_score))
    evaluation = Evaluation(predictions)
    start = compute_result(first, evaluation, k, options)
    end = compute_result(last, evaluation, k, options)
    steps: list[ExplanationStep] = []
    if predictions.rankings.positive.any():  # without positives, no choice has an effect
        start_point = Endpoint(start, first.bind(k, options))
        end_point = Endpoint(end, last.bind(k, options))
        steps = _steps(start_point, end_point, evaluation, options)
    value = steps[-1].value if steps else start.value
    if not same(value, end.value, tolerance=0):
        steps.append(_special_step(end, predictions, options, value))
    return Explanation(last.name, first.name, start.value, tuple(steps))


class Endpoint(NamedTuple):
    """The result of one of the two functions, and the choices that it makes."""

    result: FunctionResult
    choices: BoundChoices


class PathPoint(NamedTuple):
    """The choices after some changes, and the last change: the text of each changed option."""

    choices: BoundChoices
    change: dict[str, str] | None  # None at the start


def _steps(
    start: Endpoint, end: Endpoint, evaluation: Evaluation, options: Keywords
) -> list[ExplanationStep]:
    """Change one choice after the other, and record the change of the number."""
    steps: list[ExplanationStep] = []
    value = start.result.value
    previous = start.choices
    for choices, change in _path(start.choices, end.choices):
        number = float(np.mean(evaluation.values(choices)))
        number = _match_endpoint(number, choices, (start, end))
        if change is not None:
            moved = _moved_levels(
                evaluation.levels_reached(previous), evaluation.levels_reached(choices)
            )
            steps.append(_choice_step(change, choices, moved, number, value))
        elif not same(value, number, tolerance=0):
            why = _undo_reason(start.result.entry, evaluation.predictions, options)
            share = difference(number, value)
            steps.append(ExplanationStep("special case", "undone", why, number, share))
        value = number
        previous = choices
    return steps


def _match_endpoint(
    number: float, choices: BoundChoices, endpoints: tuple[Endpoint, Endpoint]
) -> float:
    """Return the result of the function that makes these choices, if there is one.

    A definition of ours may add up in another order, so that the last digit differs.
    """
    for endpoint in endpoints:
        result = endpoint.result.value
        if (
            endpoint.choices == choices
            and result is not None
            and same(number, result, ABSOLUTE_TOLERANCE)
        ):
            return result
    return number


def _path(start: BoundChoices, end: BoundChoices) -> Iterator[PathPoint]:
    """Change one choice after the other, and those of JOINT_CHOICES together, at the end.

    A choice that needs another one is changed after it.
    """
    yield PathPoint(start, change=None)
    changes = {
        choice: option
        for choice, option in end._asdict().items()
        if option != getattr(start, choice)
    }
    texts = {
        choice: _option_text(getattr(start, choice), option) for choice, option in changes.items()
    }
    joint = {choice: changes.pop(choice) for choice in JOINT_CHOICES if choice in changes}
    remaining_changes = [{choice: option} for choice, option in changes.items()]
    if joint:
        remaining_changes.append(joint)
    choices = start
    while remaining_changes:
        change = next(
            change
            for change in remaining_changes
            if not find_conflict(choices._replace(**change).names)
        )
        remaining_changes.remove(change)
        choices = choices._replace(**change)
        yield PathPoint(choices, {choice: texts[choice] for choice in change})


def _option_text(before: BoundOption, after: BoundOption) -> str:
    """Name an option, with its arguments if only these differ."""
    if before.option != after.option:
        return after.option
    arguments = [f"k={value}" if name == "k" else repr(value) for name, value in after.arguments]
    return f"{after.option} ({', '.join(arguments)})"


def _choice_step(
    change: dict[str, str], choices: BoundChoices, moved: str, value: float, before: float | None
) -> ExplanationStep:
    """Make a step to other options."""
    reasons = [OPTIONS[choice][getattr(choices, choice).option].why for choice in change]
    if moved and "over" in change:
        reasons.append(moved)
    return ExplanationStep(
        choice=" and ".join(change),
        option=" and ".join(change.values()),
        why=" ".join(reasons),
        value=value,
        share=difference(value, before),
    )


def _moved_levels(before: ReachedLevels | None, after: ReachedLevels | None) -> str:
    """List the levels of recall that are reached by other positives than before."""
    if before is None or after is None or before.n_levels != after.n_levels:
        return ""
    counts = before.counts
    levels = np.arange(after.n_levels)
    moves: dict[int, list[str]] = {}
    for start, end, n_positives in zip(counts.starts, counts.ends, counts.n_positives, strict=True):
        tps = [*(f"{number:g}" for number in counts.tps[start:end]), "none"]
        # The threshold of each level: the first at which more levels are reached.
        old = np.searchsorted(before.reached[start:end], levels, "right")
        new = np.searchsorted(after.reached[start:end], levels, "right")
        for level in np.flatnonzero(old != new).tolist():
            move = f"from {tps[old[level]]} to {tps[new[level]]} of {n_positives:g} positives"
            moves.setdefault(level, []).append(move)
    n_queries = counts.starts.size
    texts = []
    for level, level_moves in sorted(moves.items()):
        text = f"in {len(level_moves)} of {n_queries} queries"
        texts.append(f"{level / levels[-1]:g} {level_moves[0] if n_queries == 1 else text}")
    return f"Levels that moved: {', '.join(texts)}." if texts else ""


def _special_queries(entry: Entry, predictions: CheckedPredictions, options: Keywords) -> str:
    """Count the queries with a special answer, and name the answer; "" if there are none."""
    texts = []
    is_counted = np.zeros(predictions.rankings.n_rankings, dtype=bool)
    for case in special_answers(entry, predictions, options):
        n = np.count_nonzero(case.queries & ~is_counted)
        is_counted |= case.queries
        have, they_are = ("has", "it is") if n == 1 else ("have", "they are")
        if isinstance(case.answer, str):
            outcome = f"the tool raises {case.answer.partition(':')[0]}, and {they_are} left out"
        elif np.isnan(case.answer) or case.answer == -1:
            outcome = f"each gets {case.answer:g}, and is left out"
        else:
            outcome = f"each counts as {case.answer:g}"
        if n:
            texts.append(f"{n} of {is_counted.size} queries {have} {case.feature}: {outcome}")
    return "; ".join(texts)


def _undo_reason(entry: Entry, predictions: CheckedPredictions, options: Keywords) -> str:
    """Explain why the choices of the first tool give another number than the tool."""
    queries = _special_queries(entry, predictions, options) if predictions.has_queries else ""
    if queries:
        return f"The first tool treats some queries apart, and its choices do not: {queries}."
    return "The special answer of the first tool is replaced by that of its choices."


def _special_step(
    end: FunctionResult, predictions: CheckedPredictions, options: Keywords, before: float | None
) -> ExplanationStep:
    """Make the step from the number that the choices give to the number of the tool."""
    if predictions.lacks_positives.all():
        option = "no positives"
    elif predictions.has_queries:
        option = "some queries"
    elif predictions.lacks_negatives.all():
        option = "only positives"
    else:
        option = "these predictions"
    if end.value is None:
        why = f"The tool raises {end.refusal}."
    elif predictions.has_queries:
        why = f"{_special_queries(end.entry, predictions, options)}."
    else:
        why = f"The tool returns {end.value:g}."
    share = difference(end.value, before)
    return ExplanationStep("special case", option, why, end.value, share)
