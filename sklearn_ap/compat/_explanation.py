"""Why two tools' numbers differ, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, FLOAT32_TOLERANCE
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._base.text import escape_html, html_table
from sklearn_ap._questions.result import Result
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._checked_predictions import CheckedPredictions, check_predictions
from sklearn_ap.compat._choices import OPTIONS, Chosen, ChosenAll, what_lacks
from sklearn_ap.compat._evaluation import (
    Evaluation,
    FunctionResult,
    ReachedLevels,
    as_number,
    as_share,
    check_options,
    difference,
    result_of,
    same,
)
from sklearn_ap.compat._tool_entry import Entry, special_answers
from sklearn_ap.compat._tools import BASELINE, get
from sklearn_ap.definitions import Definition

TOGETHER = ("over", "divisor")


WIDTH = 88  # of printed lines: a choice


@dataclass(frozen=True, slots=True)
class ExplanationStep:
    """A choice changed: to which option, why that matters, and the value and share it gives.

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

    def rows(self) -> list[dict[str, Any]]:
        # The first has the number that the steps start from.
        return [asdict(step) for step in (self._first, *self.steps)]

    def __str__(self) -> str:
        lines, indent = [f"{as_number(self.start):>7}  {self.versus}"], " " * 11
        for step in self._effective:
            lines.append(f"{as_share(step.share):>7}  {step.choice}: {step.option}")
            lines += wrap(step.why, WIDTH, initial_indent=indent, subsequent_indent=indent)
        lines.append(f"{as_number(self.value):>7}  {self.name}")
        return "\n".join([*lines, *self._remarks])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        value = escape_html(f"{self.name} = {as_number(self.value)}")
        steps = [
            (*astuple(step)[:-1], as_share(step.share)) for step in (self._first, *self._effective)
        ]
        table = html_table([*ExplanationStep.__slots__[:-1], "contribution"], steps)
        return f"<p>{value}</p>{table}<p>{escape_html(' '.join(self._remarks))}</p>"

    @property
    def _first(self) -> ExplanationStep:
        return ExplanationStep("", self.versus, "Where the steps start.", self.start, 0.0)

    @property
    def _effective(self) -> list[ExplanationStep]:
        return [step for step in self.steps if step.has_effect]

    @property
    def _remarks(self) -> list[str]:
        remarks = []
        if not self._effective:
            remarks.append("Both give the same.")
        elif len(self._effective) > 1:
            remarks.append("Another order would split the difference differently.")
        if self.without_effect:
            named = "; ".join(f"{step.choice}: {step.option}" for step in self.without_effect)
            remarks.append(f"Different, but without effect on these predictions: {named}.")
        return remarks


@explains_options
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
    pos_label: Any = None,
    **options: Any,
) -> Explanation:
    """Explain why a tool's number differs from another's, one choice at a time.

    The choices are changed in this order: scores, ties, between, start, over, divisor. Another
    order would split the difference differently. A choice that needs another one comes after it. If
    both ``over`` and ``divisor`` differ, they are changed together, because neither the top k nor
    its divisor explains much by itself.

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
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
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
    +0.1250  between: straight line
               Operating points are joined by straight lines, which no threshold attains.
     0.8750  sklearn.auc_of_precision_recall_curve
    Different, but without effect on these predictions: start: (0, 1).
    """
    entries = first, last = get(versus), get(name)
    k, options = check_options(entries, sample_weight, k, options)
    beside = sample_weight, queries, pos_label, n_positives, clusters
    predictions = check_predictions(y_true, y_score, *beside)
    issue_warnings(warnings_of_scores(y_score))
    evaluation = Evaluation(predictions)
    start, end = (result_of(entry, evaluation, k, options) for entry in entries)
    steps: list[ExplanationStep] = []
    value = start.value
    if predictions.rankings.positive.any():  # else there is nothing to choose
        ends = [entry.chosen(k, options) for entry in entries]
        before = ends[0]
        for change, chosen in _path(*ends):
            now = float(np.mean(evaluation.values(chosen)))
            # What a definition of ours adds up in another order may differ in the last digit.
            known = [
                each.value for each, of in zip((start, end), ends, strict=True) if of == chosen
            ]
            now = next(
                (
                    each
                    for each in known
                    if each is not None and same(now, each, ABSOLUTE_TOLERANCE)
                ),
                now,
            )
            if change or not same(value, now, tolerance=0):
                moved = _moved_levels(*map(evaluation.levels_reached, (before, chosen)))
                step = _changed(change, chosen, moved, now, value)
                if not change:
                    step = replace(step, why=_undone(first, predictions, options))
                steps.append(step)
                value = now
            before = chosen
    if not same(value, end.value, tolerance=0):
        steps.append(_special(end, predictions, options, value))
    return Explanation(last.name, first.name, start.value, tuple(steps))


def _path(start: ChosenAll, end: ChosenAll) -> Iterator[tuple[dict[str, str], ChosenAll]]:
    """Change one choice after the other, but none before what it needs; the last two together."""
    yield {}, start
    differ = {name: to for name, to in end._asdict().items() if to != getattr(start, name)}
    shown = {name: _shown(getattr(start, name), to) for name, to in differ.items()}
    together = {name: differ.pop(name) for name in TOGETHER if name in differ}
    left = [*({name: to} for name, to in differ.items()), *filter(None, [together])]
    now = start
    while left:
        change = next(each for each in left if not what_lacks(now._replace(**each).names))
        left.remove(change)
        now = now._replace(**change)
        yield {name: shown[name] for name in change}, now


def _shown(before: Chosen, now: Chosen) -> str:
    """The name of an option, with its arguments where these are the difference."""
    if before.option != now.option:
        return now.option
    shown = [f"k={of}" if name == "k" else repr(of) for name, of in now.arguments]
    return f"{now.option} ({', '.join(shown)})"


def _changed(
    change: dict[str, str], chosen: ChosenAll, moved: str, now: float, before: float | None
) -> ExplanationStep:
    """A step to other options, or from a special answer to the choices."""
    choice, option = " and ".join(change), " and ".join(change.values())
    whys = [OPTIONS[name][getattr(chosen, name).option].why for name in change]
    why = " ".join([*whys, moved] if moved and "over" in change else whys)
    if not change:
        choice, option = "special case", "undone"
    return ExplanationStep(choice, option, why, now, difference(now, before))


def _moved_levels(before: ReachedLevels | None, now: ReachedLevels | None) -> str:
    """Which levels of recall are reached by other positives than before, in a sentence."""
    if before is None or now is None or before.n_levels != now.n_levels:
        return ""
    counts, nth = before.counts, np.arange(now.n_levels)
    moved: dict[int, list[str]] = {}
    for start, end, n_positives in zip(counts.starts, counts.ends, counts.n_positives, strict=True):
        tps = [*(f"{each:g}" for each in counts.tps[start:end]), "none"]
        old = np.searchsorted(before.reached[start:end], nth, "right")
        new = np.searchsorted(now.reached[start:end], nth, "right")
        for level in np.flatnonzero(old != new).tolist():
            way = f"from {tps[old[level]]} to {tps[new[level]]} of {n_positives:g} positives"
            moved.setdefault(level, []).append(way)
    n = counts.starts.size
    texts = [
        f"{level / nth[-1]:g} {ways[0] if n == 1 else f'in {len(ways)} of {n} queries'}"
        for level, ways in sorted(moved.items())
    ]
    return f"Levels that moved: {', '.join(texts)}." if texts else ""


def _special_queries(entry: Entry, given: CheckedPredictions, options: dict[str, Any]) -> str:
    """How many queries are special, and what each of them gets, in a sentence; "" if none are."""
    texts = []
    seen = np.zeros(given.rankings.n_rankings, dtype=bool)
    for case in special_answers(entry, given, options):
        n = np.count_nonzero(case.queries & ~seen)
        seen |= case.queries
        have, it = ("has", "it is") if n == 1 else ("have", "they are")
        if isinstance(case.answer, str):
            what = f"the tool raises {case.answer.partition(':')[0]}, and {it} left out"
        elif np.isnan(case.answer) or case.answer == -1:
            what = f"each gets {case.answer:g}, and is left out"
        else:
            what = f"each counts as {case.answer:g}"
        if n:
            texts.append(f"{n} of {seen.size} queries {have} {case.what}: {what}")
    return "; ".join(texts)


def _undone(entry: Entry, given: CheckedPredictions, options: dict[str, Any]) -> str:
    """Why the number of the choices differs from that of the first tool."""
    queries = _special_queries(entry, given, options) if given.several else ""
    if queries:
        return f"The first tool treats some queries apart, and its choices do not: {queries}."
    return "The special answer of the first tool is replaced by that of its choices."


def _special(
    end: FunctionResult,
    given: CheckedPredictions,
    options: dict[str, Any],
    before: float | None,
) -> ExplanationStep:
    """The step from the number of the choices to what the tool gives."""
    if given.without_positives.all():
        option = "no positives"
    elif given.several:
        option = "some queries"
    else:
        option = "only positives" if given.without_negatives.all() else "these predictions"
    if end.value is None:
        why = f"The tool raises {end.refusal}."
    elif given.several:
        why = f"{_special_queries(end.entry, given, options)}."
    else:
        why = f"The tool returns {end.value:g}."
    share = difference(end.value, before)
    return ExplanationStep("special case", option, why, end.value, share)
